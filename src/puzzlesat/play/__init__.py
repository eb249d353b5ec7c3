"""For someone with the puzzle on the table: positions, how they can be finished, and positions to set as challenges."""
