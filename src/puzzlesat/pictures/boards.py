"""Plain data for ``board.js`` and ``page.js``: a board to play on, and the pictures of a report.

A tile is drawn once for each orientation. A placement is this drawing moved to (``x``, ``y``); in space each of its sections is moved to
its layer. Atoms are numbered in the order of the form, as the items of the cover problem are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from puzzlesat.base import Reals
from puzzlesat.disassembly import may_hold, no_turns
from puzzlesat.pictures import flat
from puzzlesat.pictures.canvases import STROKE, Canvas, canvas, make_canvas, pixels
from puzzlesat.pictures.geometry import BALL, HIDDEN, SEGMENT, ball_radius, shapes
from puzzlesat.pictures.palette import SHADES, TILES, drawn_colours, ink, shade, tile_colours
from puzzlesat.pictures.pieces import PieceDrawing, draw_layers, draw_piece
from puzzlesat.pictures.solids import solid3d_as_json, steps
from puzzlesat.pictures.svg import Picture, disc, fitted, number, path
from puzzlesat.pictures.text_pictures import draw_placement, label_ink, mark_in_words, marks_in_words, tile_canvas
from puzzlesat.puzzles import AtomId, BuiltInstance, Form, Grid, Mark, Orientation, Puzzle, Tile, atom_order, orientations


def board_as_json(built: BuiltInstance, *, name: str = "", title: str = "") -> dict[str, Any]:
    """Return the board of a puzzle as described in ``types.js``; ``name`` and ``title`` are taken from its instance."""
    puzzle, board = built.puzzle, canvas(built.puzzle)
    turned = [orientations(puzzle.grid, tile) for tile in puzzle.tiles]
    return {
        "name": name,
        "title": title,
        "grid": puzzle.grid.name,
        "dimension": puzzle.grid.dimension,
        "frame": [0, 0, round(board.width, 2), round(board.height, 2)],
        "unit": round(board.unit, 2),
        "ground": flat.background(puzzle),
        "layers": _layers(board),
        "atoms": _atoms(puzzle, board),
        "neighbours": _neighbours(puzzle),
        "fixed": list(built.problem.forced),
        "tiles": [_tile(puzzle, board, i, found) for i, found in enumerate(turned)],
        "placements": _placements(built, board, turned),
        "marks": _marks(built, board),
        "legend": [{"name": name, "colour": colour} for name, colour in drawn_colours(puzzle).items()],
        "solid": solid3d_as_json(board, puzzle.form.numbering.atoms),
        "holds": may_hold(puzzle),
        "turns": no_turns(puzzle) is None,
    }


def _layers(board: Canvas) -> list[dict[str, Any]]:
    """The layers, lowest first, each with its shift relative to the first layer and its box."""
    heights = sorted(board.shifts)
    x, y = board.shifts[heights[0]]
    width, height = board.frame
    return [
        {
            "height": h,
            "name": str(flat.layer_name(i + 1)) if board.grid.dimension == 3 else "",
            "x": round(board.shifts[h][0] - x, 2),
            "y": round(board.shifts[h][1] - y, 2),
            "box": [round(v, 2) for v in (*board.corners_of_layers[h], width, height)],
        }
        for i, h in enumerate(heights)
    ]


def _atoms(puzzle: Puzzle, board: Canvas) -> list[dict[str, Any]]:
    """All atoms of the form. Atoms of the main kind are visible places; sides and slots belong to them."""
    optional, heights = set(puzzle.form.optional), sorted(board.shifts)
    found = []
    for atom in puzzle.form.numbering.atoms:
        shown = board.shapes.drawn(atom) != HIDDEN
        x, y = board.corners(atom).mean(axis=0).round(2).tolist() if shown else (0.0, 0.0)
        entry = {
            "name": puzzle.grid.show(atom),
            "path": spot(board, atom) if shown else "",
            "x": x,
            "y": y,
            "layer": heights.index(board.shapes.heights(atom)[0]) if shown else 0,
            "optional": atom in optional,
            "main": puzzle.grid.atoms[atom[-1]].kind == puzzle.grid.main_kind,
        }
        if atom in puzzle.form.colours:
            entry["colour"] = puzzle.form.colours[atom]
        found.append(entry)
    return found


def spot(board: Canvas, atom: AtomId) -> str:
    """Return the path of an atom. A line has some breadth, so that the pointer can hit it."""
    drawn = board.shapes.drawn(atom)
    if drawn == BALL:
        return disc(board.corners(atom)[0], board.radius)
    if drawn != SEGMENT:
        slots = any(shape.drawn == SEGMENT for shape in board.shapes.of)
        return draw_piece(board, [atom]).area if slots else "".join(path(board.corners(atom, h)) for h in board.shapes.heights(atom))
    a, b = board.corners(atom)
    along = b - a
    aside = np.array([-along[1], along[0]]) / float(np.linalg.norm(along)) * 0.5 * board.line
    start, end = a + 0.16 * along, b - 0.16 * along
    return path([start + aside, end + aside, end - aside, start - aside])


def _neighbours(puzzle: Puzzle) -> list[list[int]]:
    number = puzzle.form.numbering.number
    return [sorted({number[n] for n in puzzle.form.neighbours(puzzle.grid, a)} - {number[a]}) for a in puzzle.form.numbering.atoms]


def _tile(puzzle: Puzzle, board: Canvas, index: int, found: Sequence[Orientation]) -> dict[str, Any]:
    tile, colour = puzzle.tiles[index], tile_colours(puzzle)[index]
    entries = []
    for orientation, step in zip(found, steps(puzzle.grid, tile, found), strict=True):
        parts = orientation_parts(puzzle, board, tile, orientation)
        space = puzzle.grid.dimension == 3
        shown = _held(puzzle, board, orientation, colour, tile.name) if space else _lying(puzzle, board, tile, orientation)
        entries.append(
            {
                "number": orientation.number,
                "words": marks_in_words(puzzle, orientation.atoms, orientation.marks),
                "parts": [{"height": h, "drawing": _drawn(puzzle, board, d, tile.name, colour)} for h, d in sorted(parts.items())],
                "atoms": _middles(board, orientation),
                "turn": step.turn,
                "back": step.back,
                "flip": step.flip,
                "mirror": step.mirror,
                **shown,
            }
        )
    for entry in entries:
        if "drawing" not in entry:
            entry["drawing"] = entry["parts"][0]["drawing"]
    return {
        "name": tile.name,
        "words": entries[0]["words"],
        "copies": flat.copies(tile).strip(),
        "low": tile.low,
        "high": tile.high,
        "shades": [shade(colour, share) for share in SHADES],
        "ink": ink(colour),
        "listed": bool(tile.listed),
        "orientations": entries,
    }


def orientation_parts(puzzle: Puzzle, board: Canvas, tile: Tile, orientation: Orientation) -> dict[int, PieceDrawing]:
    """Return the drawing of each section of an orientation by its height; coordinates are relative to the cell (0, 0)."""
    own = _at_home(board, orientation)
    if tile.listed and puzzle.grid.dimension == 2:
        return {0: draw_placement(puzzle, own, tile, orientation.number, orientation.atoms, orientation.marks)}
    return draw_layers(own, orientation.atoms, orientation.marks)


def _at_home(board: Canvas, orientation: Orientation) -> Canvas:
    """A canvas with the orientation at the origin and all its layers at the same place."""
    heights = {h for a in orientation.atoms for h in board.shapes.heights(a)}
    return replace(board, origin=(0,) * board.grid.dimension, shifts=dict.fromkeys(heights, (0.0, 0.0)))


def _drawn(puzzle: Puzzle, board: Canvas, drawing: PieceDrawing, name: str, colour: str) -> str:
    """The SVG of a drawing with its name. It is drawn in ``currentColor``, so that the script can set its colour."""
    body = flat.piece(puzzle, board, replace(drawing, labels=()), "currentColor", name, "")
    names = "".join(fitted((label.x, label.y), label.radius, name, label_ink(puzzle, label, colour)) for label in drawing.labels)
    return f"{body.removesuffix('</g>')}{names}</g>"


def _middles(board: Canvas, orientation: Orientation) -> list[list[float]]:
    """The middles of the visible atoms of an orientation, relative to its own cell."""
    own, grid = _at_home(board, orientation), board.grid
    seen = [a for a in orientation.atoms if grid.atoms[a[-1]].kind == grid.main_kind] or list(orientation.atoms)
    return [[*own.corners(a).mean(axis=0).round(2).tolist(), board.shapes.heights(a)[0]] for a in seen]


def _lying(puzzle: Puzzle, board: Canvas, tile: Tile, orientation: Orientation) -> dict[str, Any]:
    """The box of an orientation in the plane, placed at the origin."""
    own = tile_canvas(puzzle, tile, orientation.number, orientation.atoms, board.factor)
    x, y = board.shapes.cartesian([tuple(own.origin)])[0, :2] * [board.factor, -board.factor] - own.shifts[min(own.shifts)]
    return {"box": [round(float(v), 2) for v in (x, y, own.width, own.height)]}


def _held(puzzle: Puzzle, board: Canvas, orientation: Orientation, colour: str, name: str) -> dict[str, Any]:
    """The picture of an orientation in space as a body."""
    seen = [a for a in orientation.atoms if board.shapes.drawn(a) != HIDDEN]
    picture = flat.body_picture(puzzle, seen, orientation.marks, colour, name, flat.BODY * board.factor, name=name)
    return {"box": [0, 0, round(picture.width, 2), round(picture.height, 2)], "drawing": picture.body}


def _placements(built: BuiltInstance, board: Canvas, turned: Sequence[Sequence[Orientation]]) -> dict[str, Any]:
    """The placements as arrays; ``x`` and ``y`` are the place of the origin of the orientation in the first layer."""
    placements, dimension = built.placements, built.puzzle.grid.dimension
    index = [{o.number: i for i, o in enumerate(found)} for found in turned]
    which = [index[t][o] for t, o in zip(placements.tile.tolist(), placements.orientation.tolist(), strict=True)]
    firsts = [[_first(built.puzzle.grid, o)[:-1] for o in found] for found in turned]
    first = np.array([firsts[t][o] for t, o in zip(placements.tile.tolist(), which, strict=True)], dtype=np.int64).reshape(-1, dimension)
    moves = placements.cell.astype(np.int64) - first
    scale = board.shapes.scale
    away = (moves * scale - np.array(board.origin)) / scale @ board.shapes.basis
    lying = away[:, :2] * [board.factor, -board.factor] + board.shifts[min(board.shifts)]
    atoms, start = placements.atoms.numbers.tolist(), placements.atoms.start.tolist()
    wraps = built.puzzle.form.wrap is not None
    return {
        "tile": placements.tile.tolist(),
        "orientation": which,
        "x": lying[:, 0].round(2).tolist(),
        "y": lying[:, 1].round(2).tolist(),
        "rise": (moves[:, 2] * scale).tolist() if dimension == 3 else None,
        "atoms": [atoms[begin:end] for begin, end in pairwise(start)],
        "name": list(placements.names),
        "drawings": [_own(built, board, i) for i in range(len(placements))] if wraps else None,
    }


def _first(grid: Grid, orientation: Orientation) -> AtomId:
    """The atom whose cell names the placements of an orientation."""
    return next((a for a in orientation.atoms if grid.atoms[a[-1]].kind == grid.main_kind), orientation.atoms[0])


def _own(built: BuiltInstance, board: Canvas, option: int) -> str:
    """The drawing of one placement, which may cross a seam."""
    placement, puzzle = built.placements[option], built.puzzle
    drawn = _drawn(
        puzzle, board, flat.placement_drawing(built, option), puzzle.tiles[placement.tile].name, tile_colours(puzzle)[placement.tile]
    )
    return flat.again(built, board, option, "currentColor") + drawn


def _marks(built: BuiltInstance, board: Canvas) -> dict[str, Any] | None:
    """The marks of placements on the sides between faces; None if the tiles have no marks that must match.

    ``shown`` has for each placement pairs of a side and a name; ``mate`` is the only name that may meet a name, or -1.
    """
    marking, puzzle = built.placements.marking, built.puzzle
    if not puzzle.mates or not marking.names:
        return None
    names = len(marking.names)
    number = marking.number
    shown = []
    for i in range(len(built.placements)):
        codes = [code for code in built.placements.marks[i].tolist() if code < marking.spots.size * names]
        shown.append([[code // names // marking.spots.most, code % names] for code in codes])
    return {
        "names": [mark_in_words(puzzle, name) for name in marking.names],
        "mate": [number.get(puzzle.mates.get(name) or "", -1) for name in marking.names],
        "sides": [board.corners(side).round(2).tolist() for side in marking.spots.sides],
        "shown": shown,
    }


AREA_OF_ATOM, MIN_AREA, MAX_AREA = 300, 18_000, 36_000
"""Area of a picture in the gallery, in square pixels: for each atom, smallest and largest."""
WIDEST = 440
CAPTION, PADDING = 20, 14
"""Pixels of a card in addition to its picture."""
PAPER = (182, 222)
"""Width and height for pictures, in millimetres, that fit both A4 and Letter."""
EACH_PAGE = 24
BROAD = 1.9
"""Smallest ratio of width to height of a form that gets a line to itself."""


@dataclass(frozen=True, eq=False)
class Drawings:
    """The pictures of a page, and the dimensions of its gallery."""

    form: str
    tiles: Sequence[str]
    legend: str
    """Names of marks and colours; empty if there are none."""
    broad: str
    picture: tuple[int, int]
    """Width and height of a picture in the gallery, in pixels."""
    sheet: tuple[int, int]
    """Number of solutions across and down on a printed page."""
    printed_height: int
    """Height of a printed picture in millimetres."""

    @classmethod
    def of(cls, built: BuiltInstance) -> Drawings:
        """Return the pictures of a page."""
        board = canvas(built.puzzle)
        share = board.width / board.height
        area = min(max(AREA_OF_ATOM * len(_spots(built)), MIN_AREA), MAX_AREA)
        width = min((area * share) ** 0.5, WIDEST)
        sheet, printed = _sheet(share)
        legend = flat.with_legend(built.puzzle)
        return cls(
            form=flat.form_svg(built),
            tiles=_tiles(built),
            legend=legend.document("Marks") if legend.body else "",
            broad=" broad" if share > BROAD else "",
            picture=(round(width), round(width / share)),
            sheet=sheet,
            printed_height=printed,
        )

    def as_json(self, built: BuiltInstance, used: Sequence[int]) -> dict[str, Any]:
        """Return the drawing data for the script of the page; ``used`` are the placements that occur."""
        board, puzzle = canvas(built.puzzle), built.puzzle
        spots = _spots(built)
        index = {a: i for i, a in enumerate(spots)}
        optional = set(puzzle.form.optional)
        middles = [tuple(round(float(x), 1) for x in board.corners(a).mean(axis=0)) for a in spots]
        return {
            "frame": [0, 0, round(board.width, 1), round(board.height, 1)],
            "ground": flat.background(puzzle),
            "picture": self.picture,
            "card": [self.picture[0] + PADDING, self.picture[1] + PADDING + CAPTION],
            "sheet": self.sheet,
            "tiles": [
                {"name": tile.name, "shades": [shade(colour, share) for share in SHADES], "ink": ink(colour)}
                for tile, colour in zip(puzzle.tiles, tile_colours(puzzle), strict=True)
            ],
            "atoms": [
                {"name": puzzle.grid.show(a), "path": spot(board, a), "x": x, "y": y, "optional": a in optional}
                for a, (x, y) in zip(spots, middles, strict=True)
            ],
            "solid": solid3d_as_json(board, spots),
            "neighbours": _neighbours_of_atoms(built, index),
            "placements": [_placement(built, board, o, index) for o in used],
        }


def _sheet(share: float) -> tuple[tuple[int, int], int]:
    """Pictures across and down a page, in total nearest to ``EACH_PAGE``, and their height."""
    found = []
    for across in range(1, 9):
        height = min((PAPER[0] - 4 * (across - 1)) / across / share, PAPER[1] - 8)
        down = max(1, int((PAPER[1] + 3) / (height + 8)))
        found.append((abs(across * down - EACH_PAGE), (across, down), int(height)))
    _, sheet, height = min(found)
    return sheet, height


def _tiles(built: BuiltInstance) -> list[str]:
    """A picture of each tile, all at the same scale."""
    pictures = [flat.tile_picture(built.puzzle, i) for i in range(len(built.puzzle.tiles))]
    width, height = max((p.width for p in pictures), default=0), max((p.height for p in pictures), default=0)
    frames = [f"{number((p.width - width) / 2)} {number((p.height - height) / 2)} {number(width)} {number(height)}" for p in pictures]
    return [
        f'<svg viewBox="{frame}" role="img" aria-label="tile {escape(tile.name)}">{picture.body}</svg>'
        for frame, tile, picture in zip(frames, built.puzzle.tiles, pictures, strict=True)
    ]


def _placement(built: BuiltInstance, board: Canvas, option: int, index: dict[AtomId, int]) -> dict[str, Any]:
    """A placement. The script chooses its colour, because it depends on the neighbours."""
    placement, drawing = built.placements[option], flat.placement_drawing(built, option)
    drawn = flat.again(built, board, option, "currentColor")
    free = tuple(label for label in drawing.labels if not label.under)
    coloured = replace(drawing, labels=tuple(label for label in drawing.labels if label.under))
    drawn += flat.piece(built.puzzle, board, coloured, "currentColor", placement.name, built.puzzle.tiles[placement.tile].name)
    return {
        "name": placement.name,
        "tile": placement.tile,
        "atoms": [index[a] for a in placement.atoms if a in index],
        "drawing": drawn,
        "labels": [[round(label.x, 1), round(label.y, 1), round(label.radius, 1)] for label in free],
    }


def _spots(built: BuiltInstance) -> list[AtomId]:
    """The visible atoms of the form, in its order."""
    grid = built.puzzle.grid
    return sorted((a for a in built.puzzle.form.atoms if grid.atoms[a[-1]].kind == grid.main_kind), key=atom_order)


def _neighbours_of_atoms(built: BuiltInstance, index: dict[AtomId, int]) -> list[list[int]] | None:
    """The neighbours of each visible atom; None if each tile has its own colour and one copy, so that no two touching pieces look alike."""
    puzzle = built.puzzle
    colours = Counter(tile_colours(puzzle))
    if all(t.high == 1 for t in puzzle.tiles) and max(colours.values(), default=1) == 1:
        return None
    return [[index[n] for n in puzzle.form.neighbours(puzzle.grid, a) if n in index] for a in index]


def grid_drawing(grid: Grid) -> dict[str, Any]:
    """Return how a grid is drawn, in pixels.

    ``basis``: the lattice steps to the right and down. ``rise``: layers from one cell to the next above. ``unit``: about the side of an
    atom; ``line``: breadth of edges; ``radius``: radius of balls. ``atoms``: for each atom of the unit cell the way it is ``drawn`` and its
    ``sections``, each with its corners and its layer relative to the cell's; an atom of a plane grid has one section.
    """
    grid_shapes, (factor, unit) = shapes(grid), pixels(grid)
    levels = sorted({height % grid_shapes.scale for shape in grid_shapes.of for height, _ in shape.sections})
    flip = np.array([factor, -factor])

    def placed(points: Reals) -> list[list[float]]:
        return [[round(float(x), 3), round(float(y), 3)] for x, y in points[:, :2] * flip]

    def layer(height: int) -> int:
        return height // grid_shapes.scale * len(levels) + levels.index(height % grid_shapes.scale)

    return {
        "basis": placed(grid_shapes.basis),
        "rise": len(levels),
        "unit": round(unit, 3),
        "line": round(STROKE * unit, 3),
        "radius": round(ball_radius(grid) * factor if grid_shapes.of[0].drawn == BALL else 0.0, 3),
        "atoms": [
            {
                "drawn": shape.drawn,
                "sections": [
                    {"layer": layer(height), "points": placed(grid_shapes.cartesian(corners))} for height, corners in shape.sections
                ],
            }
            for shape in grid_shapes.of
        ],
    }


TILE_SCALE = 0.5
"""Scale of a tile shown alone relative to a tile in its form."""


def tile_svg(
    grid: Grid,
    name: str,
    atoms: Sequence[AtomId],
    number: int,
    *,
    colour: str | None = None,
    marks: Sequence[Mark] = (),
    puzzle: Puzzle | None = None,
) -> str:
    """Return the picture of a tile, in space as a body; ``number`` selects its colour if ``colour`` is None."""
    colour = colour or TILES[number % len(TILES)]
    context = Puzzle(grid, (), Form((), ())) if puzzle is None else puzzle
    factor = pixels(grid)[0] * TILE_SCALE
    if grid.dimension == 3:
        return flat.body_picture(context, atoms, marks, colour, name, flat.BODY * factor).document(name)
    board = make_canvas(grid, atoms, factor=factor)
    return Picture(board.width, board.height, flat.piece(context, board, draw_piece(board, atoms, marks), colour, name, "")).document(name)
