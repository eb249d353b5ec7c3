"""The checker of puzzlesat's certificates; ``puzzlesat_check.checker`` is the program."""
