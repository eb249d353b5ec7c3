"""Pictures of solutions, forms and tiles in the plane, and of the layers of forms in space.

All pictures of a puzzle's form share the coordinate system of ``canvas``. A placement can therefore be drawn once by ``placement_drawing``
and shown in any number of solutions. The seams of a form that wraps around have letters and arrows; the atoms beyond a seam, which repeat
atoms of the form, are pale.

A puzzle on paper has pages that fit both A4 and Letter, with its board and its pieces at the same scale. Flat pieces are cut out. In space
the board consists of its layers, on which cubes or balls are placed, and each piece has a plan for building it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Literal

import numpy as np

from puzzlesat.base import Reals, Sentence
from puzzlesat.pictures.bodies import Solid
from puzzlesat.pictures.canvases import ARROWS, Canvas, Edge, beyond, canvas, layers_joined, make_canvas, pixels, seams, steps_beyond
from puzzlesat.pictures.geometry import BALL, FACE, SEGMENT
from puzzlesat.pictures.isometric import at_home, isometric_picture, solids_picture, together_picture
from puzzlesat.pictures.palette import drawn_colours, mark_colours, mark_kind, solution_colours, tile_colours
from puzzlesat.pictures.pieces import OUTLINE, OUTLINE_WIDTH, PieceDrawing, draw_layers, draw_piece, face_borders, nose, slots_round
from puzzlesat.pictures.svg import FONT, LINE, MARGIN, Picture, beneath, disc, fitted, in_rows, moved, number, path, text, text_width
from puzzlesat.pictures.text_pictures import coloured_faces, draw_placement, label_ink, tile_canvas
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Mark, Puzzle, Tile, atom_order

SEAM = "#b0006d"
PALE = 0.4
"""Opacity of a piece beyond a seam."""


@cache
def seam_lines(puzzle: Puzzle, board: Canvas) -> str:
    """Return the elements of the seams on the form: a dashed line along each edge."""
    edges = [edge for seam in seams(puzzle) for edge in seam.edges]
    line = "".join(path(board.place(side, edge.height), closed=False) for edge in edges for side in edge.sides)
    return f'<path d="{line}" fill="none" stroke="{SEAM}" stroke-width="3" stroke-dasharray="6 3"/>' if line else ""


@cache
def arrows(puzzle: Puzzle, board: Canvas) -> str:
    """Return the elements beside the seams: an arrow and a letter at each edge."""
    found = "".join(_arrow(puzzle, board, edge, seam.letter) for seam in seams(puzzle) for edge in seam.edges)
    return f'<g class="seams">{found}</g>' if found else ""


def _arrow(puzzle: Puzzle, board: Canvas, edge: Edge, letter: str) -> str:
    """An arrow outside the atoms beyond an edge, with the letter in its middle."""
    start, end = board.place((edge.start, edge.end), edge.height)
    out = np.array([edge.out[0], -edge.out[1]])
    depth = max(float(np.dot(corner - start, out)) for atom in _beside(puzzle, board, edge.height) for corner in board.corners(atom))
    aside = (depth + ARROWS / 2 * board.unit) * out
    start, end = start + aside, end + aside
    middle, size = (start + end) / 2, min(0.4 * board.unit, 16.0)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    neck = end - size * along
    shaft = path([start, middle - 0.7 * size * along], closed=False) + path([middle + 0.7 * size * along, neck], closed=False)
    head = path([end, neck + 0.4 * size * across, neck - 0.4 * size * across])
    name = text(float(middle[0]), float(middle[1]), letter, 1.2 * size, fill=SEAM)
    return f'<path d="{shaft}" fill="none" stroke="{SEAM}" stroke-width="2"/><path d="{head}" fill="{SEAM}"/>{name}'


def _beside(puzzle: Puzzle, board: Canvas, height: int) -> list[AtomId]:
    """The atoms beyond the seams in a layer. In space, only atoms of this layer are included."""
    return [a for a in beyond(puzzle) if board.grid.dimension == 2 or board.shapes.heights(a) == [height]]


def again(built: BuiltInstance, board: Canvas, option: int, colour: str) -> str:
    """Return the repeated parts of a placement beyond the seams, pale, without a border where the piece continues."""
    puzzle, placement = built.puzzle, built.placements[option]
    here, parts = set(placement.atoms), list[str]()
    for step, outside in steps_beyond(puzzle).items():
        shown = [a for a in outside if beyond(puzzle)[a] in here]
        if shown:
            moved = [Mark(step(m.side), step(m.face), m.name) for m in placement.marks if step(m.face) in shown]
            marks = [*draw_piece(board, (), moved).marks]
            marks += coloured_faces(puzzle, board, puzzle.tiles[placement.tile], {a: beyond(puzzle)[a] for a in shown}).values()
            parts.append(_pale(puzzle, board, shown, here, colour) + "".join(mark.element(puzzle) for mark in marks))
    return f'<g class="beyond" opacity="{PALE}">{"".join(parts)}</g>' if parts else ""


def _pale(puzzle: Puzzle, board: Canvas, atoms: Sequence[AtomId], here: set[AtomId], colour: str) -> str:
    faces, segments, balls = ([a for a in atoms if board.shapes.drawn(a) == kind] for kind in (FACE, SEGMENT, BALL))
    area = "".join(path(board.corners(a)) for a in faces) + "".join(disc(board.corners(a)[0], board.radius) for a in balls)
    found = [f'<path d="{area}" fill="{colour}"/>'] if area else []
    if segments and not faces:
        lines = "".join(path(board.corners(a), closed=False) for a in segments)
        found.append(f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="{number(board.line)}" stroke-linecap="round"/>')
    border = "".join(path(side, closed=False) for face in faces for side in _border(puzzle, board, face, here))
    found += [f'<path d="{border}" fill="none" stroke="{OUTLINE}" stroke-width="{number(OUTLINE_WIDTH)}"/>'] if border else []
    return "".join(found)


def _border(puzzle: Puzzle, board: Canvas, face: AtomId, here: set[AtomId]) -> list[Reals]:
    """The sides of a face beyond a seam at which its piece ends."""
    grid, corners = puzzle.grid, board.shapes.corners(face)
    inside = [set(board.shapes.corners(n)) for n in grid.neighbours(face) if puzzle.form.locate(n) in here]
    sides = zip(corners, [*corners[1:], corners[0]], strict=True)
    height = board.shapes.heights(face)[0]
    return [board.place(side, height) for side in sides if not any(common.issuperset(side) for common in inside)]


def empty_again(puzzle: Puzzle, board: Canvas, fill: str, line: str) -> str:
    """Return the empty atoms beyond the seams, pale."""
    drawn = [a for a in beyond(puzzle) if board.shapes.drawn(a) in (FACE, BALL)]
    area = "".join(path(board.corners(a)) if board.shapes.drawn(a) == FACE else disc(board.corners(a)[0], board.radius) for a in drawn)
    return f'<path d="{area}" fill="{fill}" stroke="{line}" stroke-width="0.8" opacity="{PALE}"/>' if area else ""


EMPTY, FREE, FAINT, EDGE = "#e4e4e4", "#f6f6f6", "#bdbdbd", "#666666"
"""Colours of the form: atoms to cover, optional atoms, lines between atoms, outline."""
MEETS = Sentence("+ meets −")
"""The legend's text for marks that are halves of a picture."""

NOTHING = Picture(0.0, 0.0, "")
SMALL_RATIO = 1.4
"""Preferred ratio of width to height of a small picture of a puzzle."""
MAX_TILES = 40
"""Largest number of kinds of tiles in a small picture of a puzzle."""
BODY = 0.8
"""Scale of a tile's body relative to its layers."""
SMALLER = 0.6
"""Scale of the tiles beside a position relative to the position."""
Space = Literal["layers", "body", "bodies", "layers and bodies"]
"""Views of placements in space: layers, one body, or bodies together and exploded. The value has no meaning in the plane."""


def placement_drawing(built: BuiltInstance, option: int) -> PieceDrawing:
    """Return the paths of a placement on the canvas of its puzzle."""
    placement, puzzle = built.placements[option], built.puzzle
    tile = puzzle.tiles[placement.tile]
    return draw_placement(puzzle, canvas(puzzle), tile, placement.orientation, placement.atoms, placement.marks)


def solution_svg(built: BuiltInstance, options: Sequence[int], *, title: str = "", space: Space = "layers and bodies") -> str:
    """Return a picture of placements in the form: a solution, or a position with empty atoms."""
    picture = with_legend(built.puzzle, solution_picture(built, options, space=space))
    return picture.titled(title).document(title or built.instance.title)


def form_svg(built: BuiltInstance) -> str:
    """Return a picture of the form; optional atoms are paler, with a dashed outline."""
    return solution_picture(built, (), space="layers and bodies").document(built.instance.title)


def puzzle_svg(built: BuiltInstance) -> str:
    """Return a picture of the form and the tiles."""
    title, puzzle = built.instance.title, built.puzzle
    form = solution_picture(built, (), space="layers and bodies").titled(title, size=16.0)
    tiles = [tile_picture(puzzle, i).named(f"{tile.name}{copies(tile)}") for i, tile in enumerate(puzzle.tiles)]
    return with_legend(puzzle, beneath([form, in_rows(tiles, max(form.width, 700.0))], 2 * MARGIN)).document(title)


def contents_svg(built: BuiltInstance) -> str:
    """Return a small picture of the content of the box: the form and one tile of each kind, without words."""
    puzzle = built.puzzle
    form = solution_picture(built, (), space="body")
    tiles = [tile_picture(puzzle, i) for i in range(min(len(puzzle.tiles), MAX_TILES))]
    room = sum((p.width + 2 * MARGIN) * (p.height + 2 * MARGIN) for p in tiles) ** 0.5
    sheets = [in_rows(tiles, share * room) for share in (0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2.0)]
    both = [arranged for sheet in sheets for arranged in (beneath([form, sheet], 2 * MARGIN), in_rows([form, sheet], 1e9))]
    return min(both, key=lambda p: max(p.width / SMALL_RATIO, p.height)).document(built.instance.title)


def solutions_svg(built: BuiltInstance, solutions: Sequence[Sequence[int]], titles: Sequence[str]) -> str:
    """Return a picture of many solutions, arranged in about a square."""
    pictures = [solution_picture(built, row, space="layers and bodies").titled(words) for row, words in zip(solutions, titles, strict=True)]
    room = sum((p.width + 2 * MARGIN) * (p.height + 2 * MARGIN) for p in pictures)
    sheet = in_rows(pictures, max(1.2 * room**0.5, pictures[0].width))
    return with_legend(built.puzzle, sheet).document(built.instance.title)


def solution_picture(built: BuiltInstance, options: Sequence[int], *, space: Space = "layers") -> Picture:
    """Return the picture of placements in the form, as part of a larger picture."""
    if built.puzzle.grid.dimension == 2 or space == "layers":
        return _flat_picture(built, options)
    if space == "layers and bodies":
        return beneath([_flat_picture(built, options), isometric_picture(built, options)], 2 * MARGIN)
    return together_picture(built, options) if space == "body" else isometric_picture(built, options)


def _flat_picture(built: BuiltInstance, options: Sequence[int]) -> Picture:
    chosen = [o for o in options if o >= 0]
    board = canvas(built.puzzle)
    colours = solution_colours(built, chosen)
    parts = [background(built.puzzle)]
    drawings = [placement_drawing(built, o) for o in chosen]
    for option, drawing, colour in zip(chosen, drawings, colours, strict=True):
        placement = built.placements[option]
        parts.append(again(built, board, option, colour))
        parts.append(piece(built.puzzle, board, drawing, colour, placement.name, built.puzzle.tiles[placement.tile].name))
    parts.append(seam_lines(built.puzzle, board))
    return Picture(board.width, board.height, "\n".join(part for part in parts if part))


def some_tiles(puzzle: Puzzle, times: Mapping[int, int], widest: float) -> Picture:
    """Return a picture of tiles by number, smaller than in the form, each with its name and its number of copies below."""
    pictures = []
    for index, n in sorted(times.items()):
        tile, name = tile_picture(puzzle, index), puzzle.tiles[index].name
        smaller = Picture(SMALLER * tile.width, SMALLER * tile.height, f'<g transform="scale({SMALLER})">\n{tile.body}\n</g>')
        pictures.append(smaller.named(f"{name} ×{n}" if n > 1 else name))
    return in_rows(pictures, widest)


def tile_picture(puzzle: Puzzle, index: int) -> Picture:
    """Return the picture of a tile in its first orientation, in space as a body, as part of a larger picture."""
    if puzzle.grid.dimension == 3:
        tile, colour = puzzle.tiles[index], tile_colours(puzzle)[index]
        return body_picture(puzzle, tile.atoms, tile.marks, colour, tile.name, BODY * canvas(puzzle).factor)
    return cut_piece(puzzle, index, "")


def body_picture(
    puzzle: Puzzle, atoms: Sequence[AtomId], marks: Sequence[Mark], colour: str, title: str, factor: float, *, name: str = ""
) -> Picture:
    """Return atoms with their marks as a body, with ``name`` written on it."""
    spots = {m.face: mark_colours(puzzle)[m.name] for m in marks}
    return solids_picture(puzzle.grid, at_home([Solid(tuple(atoms), colour, title, name=name, spots=spots)]), factor)


def with_legend(puzzle: Puzzle, picture: Picture = NOTHING) -> Picture:
    """Return a picture with a legend of the marks and colours below it, if there are any."""
    colours = drawn_colours(puzzle)
    if not colours:
        return picture
    halves = any(mark_kind(puzzle.mates, name)[1] for name in puzzle.mates)
    entries = [_swatch(name, colour) for name, colour in colours.items()]
    entries += [Picture(text_width(MEETS, 12.0), LINE, text(0, LINE / 2, MEETS, 12.0, anchor="start"))] if halves else []
    return beneath([picture, in_rows(entries, max(picture.width, 330.0), gap=MARGIN)])


def _swatch(name: str, colour: str) -> Picture:
    box = f'<rect y="4" width="14" height="14" rx="2" fill="{colour}" stroke="{EDGE}"/>'
    return Picture(20 + text_width(name, 12.0), LINE, box + text(20, LINE / 2, name, 12.0, anchor="start"))


def copies(tile: Tile) -> str:
    """Return the number of copies of a tile as written behind its name; an empty string for one copy."""
    if tile.low == tile.high:
        return "" if tile.low == 1 else f" ×{tile.low}"
    return f" ×{tile.low}–{tile.high}" if tile.high is not None else " any number" if tile.low == 0 else f" ×{tile.low} or more"


def piece(puzzle: Puzzle, board: Canvas, drawing: PieceDrawing, colour: str, tooltip: str, name: str) -> str:
    """Return the elements of a piece in its colour, with its name where there is room."""
    parts = [f"<title>{escape(tooltip)}</title>"]
    stroke = f'stroke="{OUTLINE}" stroke-width="{number(OUTLINE_WIDTH)}" stroke-linejoin="round"'
    if drawing.lines:
        broad = number(board.line + OUTLINE_WIDTH)
        parts.append(f'<path d="{drawing.lines}" fill="none" stroke="{OUTLINE}" stroke-width="{broad}" stroke-linecap="round"/>')
    if drawing.area:
        parts.append(f'<path d="{drawing.area}" fill="{colour}" fill-rule="evenodd" {stroke}/>')
    if drawing.lines:
        broad = number(board.line - OUTLINE_WIDTH)
        parts.append(f'<path d="{drawing.lines}" fill="none" stroke="{colour}" stroke-width="{broad}" stroke-linecap="round"/>')
    parts += [mark.element(puzzle) for mark in drawing.marks]
    parts += [fitted((label.x, label.y), label.radius, name, label_ink(puzzle, label, colour)) for label in drawing.labels]
    return "<g>" + "".join(parts) + "</g>"


@cache
def background(puzzle: Puzzle) -> str:
    """Return the elements of the empty form on its canvas."""
    board = canvas(puzzle)
    optional = set(puzzle.form.optional)
    groups = [sorted(set(puzzle.form.required) - optional, key=atom_order), sorted(optional, key=atom_order)]
    parts = [_layer_names(board, _joined(puzzle)), _joined_layers(puzzle, board), empty_again(puzzle, board, EMPTY, FAINT)]
    for atoms, fill, dash in zip(groups, (EMPTY, FREE), ("", ' stroke-dasharray="3 3"'), strict=True):
        parts += _ground(board, atoms, fill, dash, board.shifts)
    parts += [_tinted(board, puzzle)]
    parts += [_form_outline(puzzle, board, height) for height in board.shifts]
    parts += [*_slots(puzzle, board, optional), seam_lines(puzzle, board), arrows(puzzle, board)]
    return "\n".join(p for p in parts if p)


def form_layer(puzzle: Puzzle, board: Canvas, height: int) -> str:
    """Return the elements of one layer of the empty form in space."""
    optional = set(puzzle.form.optional)
    parts = []
    for atoms, fill, dash in ((set(puzzle.form.required) - optional, EMPTY, ""), (optional, FREE, ' stroke-dasharray="3 3"')):
        parts += _ground(board, sorted((a for a in atoms if height in board.shapes.heights(a)), key=atom_order), fill, dash, [height])
    return "\n".join([*parts, _tinted(board, puzzle, height), _form_outline(puzzle, board, height)])


def layer_name(number: int) -> Sentence:
    """Return the caption of a layer; ``number`` counts from the lowest layer."""
    return Sentence("layer {n}", n=str(number))


def form_words(built: BuiltInstance, *, legend: bool = False) -> list[str]:
    """Return the words in the picture of a form, and in its legend, so that callers can translate them."""
    puzzle, meets = built.puzzle, [MEETS] if legend else []
    return [*meets, *layer_names(puzzle.grid, puzzle.form.atoms), *(words for found in _joined(puzzle).values() for words in found)]


def layer_names(grid: Grid, atoms: Iterable[AtomId]) -> list[str]:
    """Return the names of the layers of atoms in space, lowest first; an empty list in the plane."""
    return [] if grid.dimension == 2 else [layer_name(i + 1) for i in range(len(make_canvas(grid, atoms).shifts))]


@cache
def _joined(puzzle: Puzzle) -> dict[int, list[Sentence]]:
    """Captions for layers that a seam joins to other layers: the next layers below and above."""
    number = {height: i for i, height in enumerate(make_canvas(puzzle.grid, puzzle.form.atoms).shifts, start=1)}
    return {
        height: [
            *(Sentence("▼ layer {n}", n=str(number[other])) for other in below),
            *(Sentence("▲ layer {n}", n=str(number[other])) for other in above),
        ]
        for height, (below, above) in layers_joined(puzzle).items()
    }


def _joined_layers(puzzle: Puzzle, board: Canvas) -> str:
    """The captions of layers joined by a seam, written below the layers' names."""
    drawn = []
    for height, words in _joined(puzzle).items():
        x, y = board.corners_of_layers[height]
        size, wide = 9.0, max(text_width(caption, 9.0) for caption in words) + 4.0
        start = x + board.frame[0] / 2 - wide * (len(words) - 1) / 2
        drawn += [text(start + i * wide, y + board.frame[1] + LINE - 4, caption, size, fill=SEAM) for i, caption in enumerate(words)]
    return "".join(drawn)


def _layer_names(board: Canvas, joined: Collection[int]) -> str:
    if board.grid.dimension == 2:
        return ""
    return "".join(
        text(board.frame[0] / 2 + x, y + board.frame[1] + LINE / 2 - (3 if height in joined else 0), layer_name(i + 1), 11.0, fill=EDGE)
        for i, (height, (x, y)) in enumerate(board.corners_of_layers.items())
    )


def _ground(board: Canvas, atoms: Sequence[AtomId], fill: str, dash: str, heights: Collection[int]) -> list[str]:
    """The outlines of atoms in the given layers."""
    kinds = {kind: [a for a in atoms if board.shapes.drawn(a) == kind] for kind in (FACE, SEGMENT, BALL)}
    faces = "".join(path(board.corners(a, height)) for a in kinds[FACE] for height in board.shapes.heights(a) if height in heights)
    balls = "".join(disc(board.corners(a)[0], board.radius) for a in kinds[BALL])
    parts = [f'<path d="{d}" fill="{fill}" stroke="{FAINT}" stroke-width="0.8"{dash}/>' for d in (faces, balls) if d]
    if kinds[SEGMENT] and all(shape.drawn != FACE for shape in board.shapes.of):
        lines = "".join(path(board.corners(a), closed=False) for a in kinds[SEGMENT])
        broad = number(board.line)
        parts.append(f'<path d="{lines}" fill="none" stroke="{fill}" stroke-width="{broad}" stroke-linecap="round"/>')
        parts.append(f'<path d="{lines}" fill="none" stroke="{FAINT}" stroke-width="0.8"{dash}/>')
    return parts


def _tinted(board: Canvas, puzzle: Puzzle, height: int | None = None) -> str:
    """Discs in the colours of the atoms that have a colour, of all layers or of one."""
    colours = mark_colours(puzzle)
    marks = [Mark(a, a, name) for a, name in sorted(puzzle.form.colours.items()) if height in (None, board.shapes.heights(a)[0])]
    drawings = draw_piece(board, (), marks).marks
    return "".join(f'<path d="{m.area}" fill="{colours[m.name]}" stroke="{EDGE}" stroke-width="0.5"/>' for m in drawings)


def _form_outline(puzzle: Puzzle, board: Canvas, height: int) -> str:
    """The outline of a layer. At a slot of the grid on the border that does not belong to the form, the outline is dented inwards."""
    faces = [a for a in puzzle.form.atoms if board.shapes.drawn(a) == FACE and height in board.shapes.heights(a)]
    out = {frozenset(board.shapes.corners(s)): -1 for s in slots_round(puzzle.grid, faces) if puzzle.form.locate(s) is None}
    outlines = "".join(path(border) for border in face_borders(board, faces, out, height))
    return f'<path d="{outlines}" fill="none" stroke="{EDGE}" stroke-width="1.5" stroke-linejoin="round"/>' if outlines else ""


def _slots(puzzle: Puzzle, board: Canvas, optional: set[AtomId]) -> list[str]:
    """Each slot of the form as a lens, because a nose may enter it from either side."""
    faces = [a for a in puzzle.form.atoms if board.shapes.drawn(a) == FACE]
    found: dict[bool, list[str]] = {False: [], True: []}
    for slot in sorted(set(slots_round(puzzle.grid, faces)) & puzzle.form.atoms, key=atom_order):
        a, b = board.corners(slot)
        found[slot in optional].append(path([*nose(a, b, 1), *nose(b, a, 1)]))
    return [
        f'<path d="{"".join(lenses)}" fill="none" stroke="{FAINT}" stroke-width="0.8"{dash}/>'
        for lenses, dash in ((found[False], ""), (found[True], ' stroke-dasharray="2 2"'))
        if lenses
    ]


# a puzzle on paper -----------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 182.0, 226.0
"""Millimetres of a page for drawings, below a heading and inside margins of 13 mm."""
CELL, CARD, CUBE = 16.0, 26.0, 20.0
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
    board, drawn = solution_picture(built, ()), [cut_piece(puzzle, tile, puzzle.tiles[tile].name) for tile in tiles]
    unit = canvas(puzzle).unit
    scale = _scale((CARD if puzzle.mates else CELL) / unit, [board, *drawn])
    return Paper(_printed([board], scale), _printed(drawn, scale), scale, scale * unit, 0)


def _in_space(puzzle: Puzzle, tiles: Counter[int]) -> Paper:
    """Layers for cubes or balls with a size of whole millimetres, and a plan for each kind of piece."""
    layers, unit = layers_of_form(puzzle), pixels(puzzle.grid)[1]
    plans = [plan_of_piece(puzzle, tile, puzzle.tiles[tile].name + (f" ×{n}" if n > 1 else "")) for tile, n in sorted(tiles.items())]
    fits = unit * _scale(CUBE / unit, layers)
    cell = int(fits + 1e-9) or fits
    named = max(len(layer_names(puzzle.grid, atoms)) for atoms in (puzzle.form.atoms, *(puzzle.tiles[tile].atoms for tile in tiles)))
    return Paper(_printed(layers, cell / unit), _printed(plans, _scale(PLAN / unit, plans), APART), cell / unit, cell, named)


def _scale(most: float, pictures: Sequence[Picture]) -> float:
    """The largest scale, at most ``most``, at which each picture fits on a page."""
    return min(most, *(min(WIDTH / p.width, (HEIGHT - RULER_ROOM) / p.height) for p in pictures))


def _printed(pictures: Sequence[Picture], scale: float, gap: float = GAP) -> tuple[str, ...]:
    """Pages with the pictures at one scale."""
    return tuple(map(_page, _pages([_in_millimetres(p, scale) for p in pictures], HEIGHT - RULER_ROOM, gap)))


def cut_piece(puzzle: Puzzle, index: int, letter: str) -> Picture:
    """Return a tile of the plane in its first orientation, with its letter, at the scale of the pictures of the form."""
    tile = puzzle.tiles[index]
    board = tile_canvas(puzzle, tile, 1, tile.atoms, canvas(puzzle).factor)
    drawing = draw_placement(puzzle, board, tile, 1, tile.atoms, tile.marks)
    return Picture(board.width, board.height, piece(puzzle, board, drawing, tile_colours(puzzle)[index], tile.name, letter))


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
