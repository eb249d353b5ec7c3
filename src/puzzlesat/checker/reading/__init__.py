"""The second reader of puzzle files: from their TOML tables to the puzzle that a certificate states.

The first reader (``puzzlesat.puzzles``) serves every solver, so that all solvers confirm a mistake in it. The second reader was written
from ``docs/format`` and shares no code with the first: besides the standard library it imports only the checker, whose geometry it uses. It
guesses nothing: what it does not understand, it rejects.
"""
