"""Puzzles in space for a table: each layer of the form as a picture of its own, and plans by which a piece is built, layer upon layer."""

from __future__ import annotations

from collections.abc import Sequence

from puzzlesat.draw.bodies import Solid
from puzzlesat.draw.canvas import Canvas, make_canvas, pixels
from puzzlesat.draw.flat import EDGE, form_layer, layer_name, named, piece
from puzzlesat.draw.geometry import FACE
from puzzlesat.draw.isometric import at_home, solids_picture
from puzzlesat.draw.palette import mark_colours, tile_colours
from puzzlesat.draw.pieces import draw_layers
from puzzlesat.draw.svg import MARGIN, Picture, in_rows, path, text, text_width
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.data import Puzzle

NAME, IN_PLAN, ON_BOARD = 36.0, 14.0, 8.0
"""Sizes of the name of a piece, and of the names of layers, in pixels."""
PLAN_WIDE = 560.0
"""A plan has several rows beyond this, in pixels."""


def layers_of_form(puzzle: Puzzle) -> list[Picture]:
    """Return the layers of the empty form, the lowest first, each with its name below it.

    All have one frame, so that you see what lies above what; those of balls need none, for a ball lies between those below it.
    """
    board, pictures = make_canvas(puzzle.grid, puzzle.form.atoms), []
    for i, height in enumerate(board.shifts):
        own = (
            make_canvas(puzzle.grid, [a for a in puzzle.form.atoms if height in board.shapes.heights(a)]) if puzzle.grid.of_balls else board
        )
        pictures.append(_layer(own, height, form_layer(puzzle, own, height), i, ON_BOARD))
    return pictures


def plan_of_piece(puzzle: Puzzle, index: int, words: str) -> Picture:
    """Return some words, a tile as a body, and its layers, the lowest first, side by side."""
    tile, colour, factor = puzzle.tiles[index], tile_colours(puzzle)[index], pixels(puzzle.grid)[0]
    spots = {m.face: mark_colours(puzzle)[m.name] for m in tile.marks}
    body = solids_picture(puzzle.grid, at_home([Solid(tile.atoms, colour, tile.name, spots=spots)]), factor)
    board = make_canvas(puzzle.grid, tile.atoms)
    layers = []
    for i, (height, drawing) in enumerate(sorted(draw_layers(board, tile.atoms, tile.marks).items())):
        cells = _cells(board, tile.atoms, height)
        layers.append(_layer(board, height, piece(puzzle, board, drawing, colour, tile.name, "") + cells, i, IN_PLAN))
    name = Picture(text_width(words, NAME), NAME, f'<g font-weight="bold">{text(0, NAME / 2, words, NAME, anchor="start")}</g>')
    return in_rows([name, body, in_rows(layers, PLAN_WIDE, MARGIN)], 2 * PLAN_WIDE, MARGIN)


def _layer(board: Canvas, height: int, drawn: str, number: int, size: float) -> Picture:
    """One layer of a canvas as a picture, with its name."""
    x, y = board.corners_of_layers[height]
    return named(Picture(*board.frame, f'<g transform="translate({-x:.2f} {-y:.2f})">{drawn}</g>'), layer_name(number + 1), size)


def _cells(board: Canvas, atoms: Sequence[AtomId], height: int) -> str:
    """The lines between the cells of a piece in a layer."""
    faces = [a for a in atoms if board.shapes.drawn(a) == FACE and height in board.shapes.heights(a)]
    lines = "".join(path(board.corners(a, height)) for a in faces)
    return f'<path d="{lines}" fill="none" stroke="{EDGE}" stroke-width="0.8"/>' if lines else ""
