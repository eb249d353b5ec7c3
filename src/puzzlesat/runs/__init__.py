"""Long runs: thousands of puzzles, or one that takes a month, in units that any machine can do and a store that loses nothing."""
