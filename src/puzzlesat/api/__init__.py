"""The functions of the library, each loaded when it is first asked for."""
