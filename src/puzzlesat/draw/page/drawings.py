"""What a page draws: the form, each tile, each placement once, and the places that a person may click on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.canvas import Canvas, canvas
from puzzlesat.draw.flat import background, form_svg, piece, placement_drawing, tile_picture, with_legend
from puzzlesat.draw.page.board import spot
from puzzlesat.draw.page.solid3d import solid3d_as_json
from puzzlesat.draw.palette import SHADES, drawn_colours, ink, shade, tile_colours
from puzzlesat.draw.svg import Picture, document, number
from puzzlesat.draw.wrapped import again
from puzzlesat.grid.lattice import AtomId, atom_order
from puzzlesat.puzzle.grids import show_atom

AREA_OF_ATOM, LEAST_AREA, MOST_AREA = 300, 18_000, 36_000
"""Square pixels of a picture in the gallery."""
WIDEST = 440
CAPTION, PADDING = 20, 14
"""Pixels of a card beside its picture."""
PAPER = (182, 222)
"""Millimetres that A4 and Letter both have for pictures."""
EACH_PAGE = 24
BROAD = 1.9
"""How much broader than high a form is that has a line of its own."""


@dataclass(frozen=True, eq=False)
class Drawings:
    """The pictures of a page, and the measures of its gallery."""

    form: str
    tiles: Sequence[str]
    legend: str
    """The names of marks and colours; nothing where there are none."""
    broad: str
    picture: tuple[int, int]
    """Width and height of a picture in the gallery, in pixels."""
    sheet: tuple[int, int]
    """Solutions side by side and below each other on a printed page."""
    printed_height: int
    """Millimetres of a picture on paper."""

    def as_json(self, built: Built, used: Sequence[int]) -> dict[str, Any]:
        """Return what the script of the page draws with; ``used`` are the placements that occur."""
        board, puzzle = canvas(built.puzzle), built.puzzle
        spots = _spots(built)
        index = {a: i for i, a in enumerate(spots)}
        optional = set(puzzle.form.optional)
        middles = [_middle(board, a) for a in spots]
        return {
            "frame": [0, 0, round(board.width, 1), round(board.height, 1)],
            "ground": background(puzzle),
            "picture": self.picture,
            "card": [self.picture[0] + PADDING, self.picture[1] + PADDING + CAPTION],
            "sheet": self.sheet,
            "tiles": [
                {"name": tile.name, "shades": [shade(colour, share) for share in SHADES], "ink": ink(colour)}
                for tile, colour in zip(puzzle.tiles, tile_colours(puzzle), strict=True)
            ],
            "atoms": [
                {"name": show_atom(puzzle.grid, a), "path": spot(board, a), "x": x, "y": y, "optional": a in optional}
                for a, (x, y) in zip(spots, middles, strict=True)
            ],
            "solid": solid3d_as_json(board, spots),
            "neighbours": _neighbours(built, index),
            "placements": [_placement(built, board, o, index) for o in used],
        }


def make_drawings(built: BuiltInstance) -> Drawings:
    """Return the pictures of a page."""
    board = canvas(built.puzzle)
    share = board.width / board.height
    area = min(max(AREA_OF_ATOM * len(_spots(built)), LEAST_AREA), MOST_AREA)
    width = min((area * share) ** 0.5, WIDEST)
    sheet, printed = _sheet(share)
    return Drawings(
        form=form_svg(built),
        tiles=_tiles(built),
        legend=document(with_legend(built.puzzle, Picture(0, 0, "")), "Marks") if drawn_colours(built.puzzle) else "",
        broad=" broad" if share > BROAD else "",
        picture=(round(width), round(width / share)),
        sheet=sheet,
        printed_height=printed,
    )


def _sheet(share: float) -> tuple[tuple[int, int], int]:
    """How many pictures go on a page, as near to ``EACH_PAGE`` as may be, and how high they are."""
    found = []
    for across in range(1, 9):
        height = min((PAPER[0] - 4 * (across - 1)) / across / share, PAPER[1] - 8)
        down = max(1, int((PAPER[1] + 3) / (height + 8)))
        found.append((abs(across * down - EACH_PAGE), (across, down), int(height)))
    _, sheet, height = min(found)
    return sheet, height


def _tiles(built: Built) -> list[str]:
    """A picture of each tile, all on one scale."""
    pictures = [tile_picture(built.puzzle, i) for i in range(len(built.puzzle.tiles))]
    width, height = max((p.width for p in pictures), default=0), max((p.height for p in pictures), default=0)
    frames = [f"{number((p.width - width) / 2)} {number((p.height - height) / 2)} {number(width)} {number(height)}" for p in pictures]
    return [
        f'<svg viewBox="{frame}" role="img" aria-label="tile {escape(tile.name)}">{picture.body}</svg>'
        for frame, tile, picture in zip(frames, built.puzzle.tiles, pictures, strict=True)
    ]


def _placement(built: Built, board: Canvas, option: int, index: dict[AtomId, int]) -> dict[str, Any]:
    """A placement; its colour is left to the script, which knows what it touches."""
    placement, drawing = built.placements[option], placement_drawing(built, option)
    drawn = again(built.puzzle, board, placement, "currentColor")
    free = tuple(label for label in drawing.labels if not label.under)
    coloured = replace(drawing, labels=tuple(label for label in drawing.labels if label.under))
    drawn += piece(built.puzzle, board, coloured, "currentColor", placement.name, built.puzzle.tiles[placement.tile].name)
    return {
        "name": placement.name,
        "tile": placement.tile,
        "atoms": [index[a] for a in placement.atoms if a in index],
        "drawing": drawn,
        "labels": [[round(label.x, 1), round(label.y, 1), round(label.radius, 1)] for label in free],
    }


def _spots(built: Built) -> list[AtomId]:
    """The atoms that a person sees as the places of the form, in its order."""
    grid = built.puzzle.grid
    return sorted((a for a in built.puzzle.form.atoms if grid.atoms[a[-1]].kind == grid.main_kind), key=atom_order)


def _middle(board: Canvas, atom: AtomId) -> tuple[float, float]:
    x, y = _mean(board.corners(atom))
    return round(float(x), 1), round(float(y), 1)


def _mean(points: Reals) -> Reals:
    return np.asarray(points.mean(axis=0))


def _neighbours(built: Built, index: dict[AtomId, int]) -> list[list[int]] | None:
    """Which places touch, where copies of a tile, or tiles of one colour, could; None where every tile has a colour of its own."""
    puzzle = built.puzzle
    colours = Counter(tile_colours(puzzle))
    if all(t.high == 1 for t in puzzle.tiles) and max(colours.values(), default=1) == 1:
        return None
    return [[index[n] for n in puzzle.form.neighbours(puzzle.grid, a) if n in index] for a in index]
