"""Cover problems: made from a puzzle, and made smaller."""
