"""The four counts of a puzzle, who confirms them, and what they say of figures that were published."""
