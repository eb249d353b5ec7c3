"""Puzzle files: their schema, how they are read, and how those of the package are found."""
