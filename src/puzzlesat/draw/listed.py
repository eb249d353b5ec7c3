"""Placements that a file lists, as a person knows them: with the outline that the file gives, or in the colours of the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from puzzlesat.arrays import Reals
from puzzlesat.draw.canvas import Canvas, make_canvas
from puzzlesat.draw.geometry import FACE, shapes
from puzzlesat.draw.palette import ink, mark_colours
from puzzlesat.draw.pieces import Label, MarkDrawing, PieceDrawing, draw_outline, draw_piece
from puzzlesat.draw.svg import path
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.data import Mark, Puzzle, Tile

INNER = 0.66
"""The size of the coloured part of a face, in sizes of the face: round it the colour of the tile is seen."""


def draw_placement(puzzle: Puzzle, board: Canvas, tile: Tile, number: int, atoms: Sequence[AtomId], marks: Sequence[Mark]) -> PieceDrawing:
    """Return the drawing of a placement with some atoms and marks: one that is listed has the given number in its list, from 1."""
    if tile.outlines:
        return draw_outline(board, tile.outlines[number - 1])
    drawing, faces = draw_piece(board, atoms, marks), coloured_faces(puzzle, board, tile, {a: a for a in atoms})
    if not faces:
        return drawing
    middles = {a: board.corners(a).mean(axis=0) for a in faces}
    labels = tuple(Label(float(x), float(y), 0.4 * INNER * board.unit, faces[a].name) for a, (x, y) in middles.items())
    return replace(drawing, marks=tuple(faces.values()), labels=labels)


def tile_canvas(puzzle: Puzzle, tile: Tile, number: int, atoms: Sequence[AtomId], factor: float) -> Canvas:
    """Return a canvas for a tile by itself, as it lies with some atoms; an outline has room for itself alone."""
    scale = shapes(puzzle.grid).scale
    corners = [(round(scale * x), round(scale * y)) for x, y in tile.outlines[number - 1]] if tile.outlines else []
    return make_canvas(puzzle.grid, () if corners else atoms, factor=factor, also=corners)


def coloured_faces(puzzle: Puzzle, board: Canvas, tile: Tile, homes: Mapping[AtomId, AtomId]) -> dict[AtomId, MarkDrawing]:
    """Return for faces on which a listed placement lies the colours that the form has there; ``homes`` says which atoms of it they are."""
    if not tile.listed or puzzle.grid.dimension != 2:
        return {}
    colours = puzzle.form.colours
    shown = [a for a, home in homes.items() if home in colours and board.shapes.drawn(a) == FACE]
    return {a: MarkDrawing(colours[homes[a]], path(_inner(board, a)), "") for a in shown}


def _inner(board: Canvas, atom: AtomId) -> Reals:
    corners = board.corners(atom)
    middle = corners.mean(axis=0)
    inner: Reals = middle + INNER * (corners - middle)
    return inner


def label_ink(puzzle: Puzzle, label: Label, colour: str) -> str:
    """Return the colour of a name on a piece of a colour, or on the mark under it."""
    return ink(mark_colours(puzzle)[label.under] if label.under else colour)
