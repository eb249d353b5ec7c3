"""Positions of a puzzle on the table: completions, hints, challenges, and how hard a position is.

A puzzle and the placements on the table come in. Begin with ``position``.
"""
