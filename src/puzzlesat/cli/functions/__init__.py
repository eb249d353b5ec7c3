"""The public functions of the library."""
