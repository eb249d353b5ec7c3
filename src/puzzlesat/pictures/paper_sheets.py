"""A puzzle on paper, on pages that fit both A4 and Letter: its board and its pieces at the same scale.

Flat pieces are cut out. In space the board consists of its layers, on which cubes or balls are placed, and each piece has a plan for
building it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from puzzlesat.base import Sentence
from puzzlesat.pictures.canvases import Canvas, canvas, make_canvas, pixels
from puzzlesat.pictures.flat import EDGE, body_picture, form_layer, layer_name, layer_names, piece, solution_picture
from puzzlesat.pictures.geometry import FACE
from puzzlesat.pictures.palette import tile_colours
from puzzlesat.pictures.pieces import draw_layers
from puzzlesat.pictures.svg import FONT, MARGIN, Picture, in_rows, moved, number, path, text, text_width
from puzzlesat.pictures.text_pictures import draw_placement, tile_canvas
from puzzlesat.puzzles import AtomId, BuiltInstance, Puzzle

WIDTH, HEIGHT = 182.0, 226.0
"""Millimetres of a page for drawings, below a heading and inside margins of 13 mm."""
CELL, CARD, BODY = 16.0, 26.0, 20.0
"""Largest side of an atom in millimetres: of a plane atom, of one with marks, and of one in space. Large boards and pieces are scaled
down."""
PLAN = 7.0
"""Largest side of an atom in a plan, in millimetres."""
GAP, APART = 4.0, 9.0
"""Millimetres between pieces, and between plans."""
RULER, RULER_ROOM = 50, 8.0
"""Length in millimetres of the ruler that shows whether a page was printed at its size, and the height reserved for it."""
NAME, IN_PLAN, ON_BOARD = 36.0, 14.0, 8.0
"""Font sizes in pixels: name of a piece, and names of layers in plans and on the board."""
PLAN_WIDE = 560.0
"""Width in pixels beyond which a plan has several rows."""

Placed = tuple[Picture, float, float]
"""A picture, and the place of its top left corner."""


@dataclass(frozen=True)
class Paper:
    """The pages with the board and the pages with the pieces, as SVG documents in millimetres."""

    board: tuple[str, ...]
    pieces: tuple[str, ...]
    scale: float
    """Millimetres for a pixel of other pictures."""
    cell: float
    """Side of a cell of the board, or diameter of a ball, in millimetres."""
    layers: int
    """Largest number of named layers in one drawing."""

    @property
    def millimetres(self) -> str:
        """The side of a cell of the board as text."""
        return number(self.cell)

    @property
    def layer_names(self) -> list[Sentence]:
        """The names of layers on the pages."""
        return [layer_name(i) for i in range(1, self.layers + 1)]


def paper(built: BuiltInstance, tiles: Sequence[int]) -> Paper:
    """Return the board and tiles by number, one number for each copy, at the same scale."""
    puzzle = built.puzzle
    if puzzle.grid.dimension == 3:
        return _in_space(puzzle, Counter(tiles))
    board, drawn = solution_picture(built, ()), [cut_piece(puzzle, tile) for tile in tiles]
    unit = canvas(puzzle).unit
    scale = _scale((CARD if puzzle.mates else CELL) / unit, [board, *drawn])
    return Paper(_printed([board], scale), _printed(drawn, scale), scale, scale * unit, 0)


def _in_space(puzzle: Puzzle, tiles: Counter[int]) -> Paper:
    """Layers for cubes or balls with a size of whole millimetres, and a plan for each kind of piece."""
    layers, unit = layers_of_form(puzzle), pixels(puzzle.grid)[1]
    plans = [plan_of_piece(puzzle, tile, puzzle.tiles[tile].name + (f" ×{n}" if n > 1 else "")) for tile, n in sorted(tiles.items())]
    fits = unit * _scale(BODY / unit, layers)
    cell = int(fits + 1e-9) or fits
    named = max(len(layer_names(puzzle.grid, atoms)) for atoms in (puzzle.form.atoms, *(puzzle.tiles[tile].atoms for tile in tiles)))
    return Paper(_printed(layers, cell / unit), _printed(plans, _scale(PLAN / unit, plans), APART), cell / unit, cell, named)


def _scale(most: float, pictures: Sequence[Picture]) -> float:
    """The largest scale, at most ``most``, at which each picture fits on a page."""
    return min(most, *(min(WIDTH / p.width, (HEIGHT - RULER_ROOM) / p.height) for p in pictures))


def _printed(pictures: Sequence[Picture], scale: float, gap: float = GAP) -> tuple[str, ...]:
    """Pages with the pictures at one scale."""
    return tuple(map(_page, _pages([_in_millimetres(p, scale) for p in pictures], HEIGHT - RULER_ROOM, gap)))


def cut_piece(puzzle: Puzzle, index: int) -> Picture:
    """Return a tile with its letter, at the scale of the pictures of the form."""
    tile = puzzle.tiles[index]
    board = tile_canvas(puzzle, tile, 1, tile.atoms, canvas(puzzle).factor)
    drawing = draw_placement(puzzle, board, tile, 1, tile.atoms, tile.marks)
    return Picture(board.width, board.height, piece(puzzle, board, drawing, tile_colours(puzzle)[index], tile.name, tile.name))


def _in_millimetres(picture: Picture, scale: float) -> Picture:
    body = f'<g transform="scale({scale:.5f})">\n{picture.body}\n</g>'
    return Picture(scale * picture.width, scale * picture.height, body)


def _pages(pictures: Sequence[Picture], room: float, gap: float = GAP) -> list[list[Placed]]:
    """Place pictures in rows, the highest first, on as many pages as needed."""
    pages: list[list[Placed]] = [[]]
    x = y = row = 0.0
    for picture in sorted(pictures, key=lambda p: -p.height):
        if x and x + picture.width > WIDTH:
            x, y, row = 0.0, y + row + gap, 0.0
        if y and y + picture.height > room:
            pages.append([])
            x = y = row = 0.0
        pages[-1].append((picture, x, y))
        x, row = x + picture.width + gap, max(row, picture.height)
    return pages


def _page(placed: Sequence[Placed]) -> str:
    """A document with the width of a page and a ruler at the bottom."""
    bottom = max(y + picture.height for picture, _, y in placed)
    height = number(bottom + RULER_ROOM)
    body = "\n".join(moved(picture, x, y) for picture, x, y in placed)
    y = number(bottom + RULER_ROOM - 2)
    ruler = f'<path d="M1 {y}v-2m0 1h{RULER}m0 -1v2" fill="none" stroke="#000000" stroke-width="0.3"/>'
    ruler += text(RULER + 8, bottom + RULER_ROOM - 2.5, f"{RULER} mm", 3.2)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(WIDTH)} {height}" width="{number(WIDTH)}mm" height="{height}mm"'
        f' font-family="{FONT}" text-anchor="middle">\n<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n{ruler}\n</svg>'
    )


def layers_of_form(puzzle: Puzzle) -> list[Picture]:
    """Return the layers of the empty form, lowest first, each with its name below it.

    All layers have the same frame, so that the reader sees which atoms are above each other. Layers of balls need no frame, because a ball
    rests between the balls below it.
    """
    board, pictures = make_canvas(puzzle.grid, puzzle.form.atoms), []
    for i, height in enumerate(board.shifts):
        own = (
            make_canvas(puzzle.grid, [a for a in puzzle.form.atoms if height in board.shapes.heights(a)]) if puzzle.grid.of_balls else board
        )
        pictures.append(_layer(own, height, form_layer(puzzle, own, height), i, ON_BOARD))
    return pictures


def plan_of_piece(puzzle: Puzzle, index: int, words: str) -> Picture:
    """Return words, a tile as a body, and its layers, lowest first, side by side."""
    tile, colour = puzzle.tiles[index], tile_colours(puzzle)[index]
    body = body_picture(puzzle, tile.atoms, tile.marks, colour, tile.name, pixels(puzzle.grid)[0])
    board = make_canvas(puzzle.grid, tile.atoms)
    layers = []
    for i, (height, drawing) in enumerate(sorted(draw_layers(board, tile.atoms, tile.marks).items())):
        cells = _cells(board, tile.atoms, height)
        layers.append(_layer(board, height, piece(puzzle, board, drawing, colour, tile.name, "") + cells, i, IN_PLAN))
    name = Picture(text_width(words, NAME), NAME, f'<g font-weight="bold">{text(0, NAME / 2, words, NAME, anchor="start")}</g>')
    return in_rows([name, body, in_rows(layers, PLAN_WIDE, gap=MARGIN)], 2 * PLAN_WIDE, gap=MARGIN)


def _layer(board: Canvas, height: int, drawn: str, number: int, size: float) -> Picture:
    """The picture of one layer of a canvas, with its name."""
    x, y = board.corners_of_layers[height]
    return Picture(*board.frame, f'<g transform="translate({-x:.2f} {-y:.2f})">{drawn}</g>').named(layer_name(number + 1), size)


def _cells(board: Canvas, atoms: Sequence[AtomId], height: int) -> str:
    """The lines between the cells of a piece in a layer."""
    faces = [a for a in atoms if board.shapes.drawn(a) == FACE and height in board.shapes.heights(a)]
    lines = "".join(path(board.corners(a, height)) for a in faces)
    return f'<path d="{lines}" fill="none" stroke="{EDGE}" stroke-width="0.8"/>' if lines else ""
