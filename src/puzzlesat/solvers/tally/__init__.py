"""Count without listing: a dynamic programme over the shapes that the part filled so far can have."""
