"""The second reader of puzzle files: from their TOML tables to the puzzle that a certificate states.

The first one (``puzzlesat.puzzles``) serves every solver, so that a mistake in it is confirmed by them all. This one was written from
``docs/format``, and shares no code with it: beside the standard library it imports the checker alone, whose geometry it uses. Nothing is
guessed: what it does not understand is rejected.
"""
