"""A puzzle: grid, tiles, form and rules, as plain data (``data``), and how it is made from files (``load``)."""
