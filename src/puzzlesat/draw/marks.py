"""Marks of pieces as SVG elements, and the outline of pieces."""

from __future__ import annotations

from html import escape

from puzzlesat.draw.palette import ink, mark_colours, mark_kind
from puzzlesat.draw.pieces import MarkDrawing
from puzzlesat.puzzle.data import Puzzle

OUTLINE, OUTLINE_WIDTH = "#222222", 2.0


def mark_element(puzzle: Puzzle, mark: MarkDrawing) -> str:
    """Return the element of a mark on a piece, in its colour."""
    name, sign = mark_kind(puzzle.mates, mark.name)
    colour = mark_colours(puzzle)[name]
    ring = f'stroke="{OUTLINE}" stroke-width="0.5"' if mark.name in puzzle.mates else 'stroke="#ffffff" stroke-width="1.6"'
    drawn = f'<path d="{mark.area}" fill="{colour}" {ring}><title>{escape(mark.name)}</title></path>'
    return drawn + (f'<path d="{mark.sign}" stroke="{ink(colour)}" stroke-width="2.2" fill="none"/>' if sign else "")
