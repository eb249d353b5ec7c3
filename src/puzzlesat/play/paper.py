"""A flat puzzle on paper: its board and its pieces on one scale, to be cut out, on pages that A4 and Letter both have room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from puzzlesat.cover.build import Built
from puzzlesat.draw.canvas import canvas
from puzzlesat.draw.flat import piece, solution_picture
from puzzlesat.draw.listed import draw_placement, tile_canvas
from puzzlesat.draw.palette import tile_colours
from puzzlesat.draw.svg import FONT, Picture, moved, number, text
from puzzlesat.play.challenge import Challenge
from puzzlesat.puzzle.data import Puzzle

WIDTH, HEIGHT = 182.0, 226.0
"""Millimetres of a page for drawings, below a heading and inside margins of 13 mm."""
CELL, CARD = 16.0, 26.0
"""Millimetres of a side of an atom, and of one with marks, where the board and every piece fit on a page."""
GAP = 4.0
"""Millimetres between pieces."""
RULER, RULER_ROOM = 50, 8.0
"""Millimetres of the line by which a reader sees that a page was printed at its size, and of the room for it."""

Placed = tuple[Picture, float, float]
"""A picture, and where its top left corner lies."""


@dataclass(frozen=True)
class Paper:
    """The board, and the pages with the pieces, as SVG documents in millimetres."""

    board: str
    pieces: tuple[str, ...]
    scale: float
    """Millimetres of a pixel of other pictures."""


def paper(built: Built, challenges: Sequence[Challenge]) -> Paper | None:
    """Return the board and the pieces that any of some positions needs, on one scale; None for a puzzle in space."""
    puzzle = built.puzzle
    if puzzle.grid.dimension != 2 or not challenges:
        return None
    board, drawn = solution_picture(built, ()), [cut_piece(puzzle, tile) for tile in needed(built, challenges)]
    room = HEIGHT - RULER_ROOM
    scale = min((CARD if puzzle.mates else CELL) / canvas(puzzle).unit, *(min(WIDTH / p.width, room / p.height) for p in (board, *drawn)))
    pages = _pages([_in_millimetres(p, scale) for p in drawn], room)
    return Paper(_page([(_in_millimetres(board, scale), 0.0, 0.0)]), tuple(map(_page, pages)), scale)


def needed(built: Built, challenges: Sequence[Challenge]) -> list[int]:
    """Return the tiles that the solutions of the positions use, each as often as one of them does."""
    used = (Counter(built.placements[o].tile for o in challenge.made_from) for challenge in challenges)
    return sorted(reduce(or_, used).elements())


def cut_piece(puzzle: Puzzle, index: int) -> Picture:
    """Return a tile with its letter, on the scale of the pictures of the form."""
    tile = puzzle.tiles[index]
    board = tile_canvas(puzzle, tile, 1, tile.atoms, canvas(puzzle).factor)
    drawing = draw_placement(puzzle, board, tile, 1, tile.atoms, tile.marks)
    return Picture(board.width, board.height, piece(puzzle, board, drawing, tile_colours(puzzle)[index], tile.name, tile.name))


def _in_millimetres(picture: Picture, scale: float) -> Picture:
    body = f'<g transform="scale({scale:.5f})">\n{picture.body}\n</g>'
    return Picture(scale * picture.width, scale * picture.height, body)


def _pages(pictures: Sequence[Picture], room: float) -> list[list[Placed]]:
    """Pictures in rows, the highest first, on as many pages as they need."""
    pages: list[list[Placed]] = [[]]
    x = y = row = 0.0
    for picture in sorted(pictures, key=lambda p: -p.height):
        if x and x + picture.width > WIDTH:
            x, y, row = 0.0, y + row + GAP, 0.0
        if y and y + picture.height > room:
            pages.append([])
            x = y = row = 0.0
        pages[-1].append((picture, x, y))
        x, row = x + picture.width + GAP, max(row, picture.height)
    return pages


def _page(placed: Sequence[Placed]) -> str:
    """A document as wide as a page, with its ruler at the bottom."""
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
