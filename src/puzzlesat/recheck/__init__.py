"""Solutions held against the puzzle itself, whoever found them."""
