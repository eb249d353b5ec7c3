"""Files: their schema, reading them, and finding those that come with the package."""
