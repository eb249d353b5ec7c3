"""Text pictures of forms, tiles, solutions and positions; letters of pieces, and marks in words.

Each piece in a picture has its own letter, the first in this list that no other piece has.

 1. The letter of its tile: the tile's name, if it is one letter or digit; else the first letter of the name, if no other tile's name
   begins with it.
 2. The same letter in the other case.
 3. The letters of ``ALPHABET`` that belong to no tile, in order.

So a tile has the same letter in all pictures of a puzzle. If there are more pieces than letters, letters are used again, but never for two
pieces that touch, if possible. The legend names the placement of each piece whose letter is not the name of its tile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import cycle, islice
from math import hypot

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from puzzlesat.base import PuzzleError, Reals, many
from puzzlesat.pictures.canvases import Canvas, make_canvas
from puzzlesat.pictures.geometry import FACE, shapes
from puzzlesat.pictures.palette import ink, mark_colours, mark_kind, solution_colours, touching
from puzzlesat.pictures.pieces import Label, MarkDrawing, PieceDrawing, draw_outline, draw_piece
from puzzlesat.pictures.svg import path
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Mark, Puzzle, Tile, draw_picture

LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ALPHABET = LATIN + "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμξπσφψω" + "БДЖЗИЛЦЧШЩЪЫЭЮЯбджзилцчшщъыэюя"
"""Letters that do not look alike."""
LEGEND_WIDTH = 80
"""Largest width of a legend in columns; a narrower terminal has a narrower legend."""
GAP = "  "
"""Separator between entries of a legend."""


def piece_letters(built: BuiltInstance, options: Sequence[int]) -> list[str]:
    """Return the letter of each placement in a picture."""
    own, spare = tile_letters(built.puzzle), spare_letters(built.puzzle)
    taken: set[str] = set()
    letters: list[str] = []
    for option in options:
        mine = own[built.placements[option].tile]
        wished = [mine, *([mine.swapcase()] if mine.swapcase() in spare else [])] if mine else []
        letter = next((c for c in (*wished, *spare) if c not in taken), None)
        letters.append(letter if letter is not None else "")
        taken.add(letters[-1])
    return letters if "" not in taken else _used_again(built, options, letters, spare)


def tile_letters(puzzle: Puzzle) -> list[str | None]:
    """Return the letter of each tile; None if it has no letter of its own."""
    names = [tile.name for tile in puzzle.tiles]
    beginning = Counter(name[:1] for name in names)
    own = [(len(name) == 1 or beginning[name[:1]] == 1) and name[0].isalnum() and cell_len(name[0]) == 1 for name in names]
    return [name[0] if mine and not _is_glyph(puzzle, name[0]) else None for name, mine in zip(names, own, strict=True)]


def spare_letters(puzzle: Puzzle) -> list[str]:
    """Return the letters that are neither a tile's letter nor a glyph of the grid."""
    own = tile_letters(puzzle)
    return [c for c in ALPHABET if c not in own and not _is_glyph(puzzle, c)]


def legend_entries(built: BuiltInstance, options: Sequence[int], letters: Sequence[str], unclear: Iterable[int] = ()) -> list[str]:
    """Return letter and name of each placement whose letter is not its tile's name, or which is ``unclear``."""
    tiles, unclear = built.puzzle.tiles, {*unclear}
    return [
        f"{letter} {built.problem.options[o]}"
        for o, letter in zip(options, letters, strict=True)
        if o in unclear or tiles[built.placements[o].tile].name != letter
    ]


def folded(words: Sequence[str], width: int | None, *, gap: str = GAP, indent: str = "") -> str:
    """Wrap words into lines of at most ``width`` columns (None: one line); every line but the first begins with ``indent``."""
    lines: list[str] = []
    for word in words:
        if lines and (width is None or cell_len(f"{lines[-1]}{gap}{word}") <= width):
            lines[-1] += f"{gap}{word}"
        else:
            lines.append(f"{indent}{word}" if lines else word)
    return "".join(f"{line}\n" for line in lines)


def _is_glyph(puzzle: Puzzle, character: str) -> bool:
    return any(character in (*site.glyphs, *site.optional) for site in puzzle.grid.layout.sites)


def _used_again(built: BuiltInstance, options: Sequence[int], letters: Sequence[str], spare: Sequence[str]) -> list[str]:
    """Give each piece without a letter the letter of a piece that does not touch it, in rotation."""
    near: dict[int, set[int]] = {}
    for one, other in touching(built, options):
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    every = spare or ALPHABET
    letters, turn = [*letters], cycle(every)
    for i, letter in enumerate(letters):
        if not letter:
            beside = {letters[j] for j in near.get(i, ())}
            letters[i] = next((c for c in islice(turn, len(every)) if c not in beside), every[0])
    return letters


MAX_SCALE = 8


@dataclass(frozen=True, eq=False)
class TextCanvas:
    """Positions of a form's atoms in a text picture. With scale 1, several atoms may share a position.

    A character of a grid's own pictures may show several atoms. With a larger scale, each atom that is drawn has its own character. For
    example, tans have three columns and three rows a square.
    """

    built: BuiltInstance
    place: dict[AtomId, tuple[int, int, int]]
    """Layer from below, row from the top, and column of each atom."""
    layers: int
    rows: int
    columns: int
    scale: int

    @cached_property
    def atom_at(self) -> dict[tuple[int, int, int], AtomId]:
        """The atom at each position."""
        return {place: atom for atom, place in self.place.items()}

    @classmethod
    def of(cls, built: BuiltInstance) -> TextCanvas:
        """Lay out the form. Raises PuzzleError if no scale gives each atom its own character."""
        for scale in range(1, MAX_SCALE + 1):
            canvas = cls.of_scale(built, scale)
            if len(set(canvas.place.values())) == len(canvas.place):
                return canvas
        name = built.puzzle.grid.name
        raise PuzzleError(f"no picture of grid {name!r} gives each atom a character of its own; give the names of the placements instead")

    @classmethod
    def of_scale(cls, built: BuiltInstance, scale: int) -> TextCanvas:
        """Lay out the form with ``scale`` columns and rows a cell; 1 means as in the grid's own pictures."""
        at = {a: _position(built, a, scale) for a in built.puzzle.form.atoms if built.puzzle.grid.place_of(a) is not None}
        low, high = ([f(axis) for axis in zip(*at.values(), strict=True)] if at else [0, 0, 0] for f in (min, max))
        place = {a: (z - low[2], high[1] - y, x - low[0]) for a, (x, y, z) in at.items()}
        return cls(built, place, high[2] - low[2] + 1, high[1] - low[1] + 1, high[0] - low[0] + 1, scale)

    def drawn(self, option: int) -> frozenset[AtomId]:
        """Return the atoms of a placement that the picture shows."""
        return frozenset(a for a in self.built.placements[option].atoms if a in self.place)

    def tile(self, option: int) -> str:
        """Return the name of the tile of a placement."""
        return self.built.puzzle.tiles[self.built.placements[option].tile].name

    def letters(self, options: Sequence[int]) -> list[str]:
        """Return the letter of each placement in a picture."""
        return piece_letters(self.built, options)

    def letters_of_tiles(self) -> tuple[list[str | None], list[str]]:
        """Return the letter of each tile (None: no letter of its own), and the spare letters."""
        return tile_letters(self.built.puzzle), spare_letters(self.built.puzzle)

    def fitting(self, atoms: frozenset[AtomId], letter: str) -> list[int]:
        """Return the placements that are drawn as these atoms; if the tile named ``letter`` has some of them, only these."""
        placements = self.built.placements
        numbers = [self.built.puzzle.form.numbering.number[atom] for atom in atoms]
        covered = np.bincount(placements.atoms.owners[np.isin(placements.atoms.numbers, numbers)], minlength=len(placements))
        found = [o for o in np.flatnonzero(covered == len(atoms)).tolist() if self.drawn(o) == atoms]
        named = [o for o in found if self.tile(o) == letter]
        return named or found

    def blank(self) -> str:
        """Return the picture of the empty form."""
        return _plain(self._layers({}))

    def text(self, options: Sequence[int], *, new: Collection[int] = (), width: int | None = None) -> tuple[Text, str]:
        """Return the picture of placements in colours, and the same as plain text; ``new`` placements are bold.

        The legend names pieces whose letter is not their tile, and pieces whose shape is ambiguous. It is at most ``width`` wide.
        """
        letters = self.letters(options)
        shown = {a: i for i, o in enumerate(options) for a in self.drawn(o)}
        layers = self._layers({self.place[a]: letters[i] for a, i in shown.items()})
        unclear = [o for o, c in zip(options, letters, strict=True) if len(self.fitting(self.drawn(o), c)) > 1]
        legend = folded(legend_entries(self.built, options, letters, unclear), min(width or LEGEND_WIDTH, LEGEND_WIDTH))
        colours = solution_colours(self.built, options)
        text = Text()
        for z, layer in enumerate(layers):
            text.append("\n" if z else "")
            for y, row in enumerate(layer):
                for x, character in enumerate(row):
                    atom = self.atom_at.get((z, y, x))
                    number = None if atom is None else shown.get(atom)
                    if number is None:
                        text.append(character, style="dim")
                    else:
                        bold = "bold underline " if options[number] in new else ""
                        text.append(character, style=f"{bold}{ink(colours[number])} on {colours[number]}")
                text.append("\n")
        return text.append(legend, style="dim"), _plain(layers) + legend

    def _layers(self, symbols: Mapping[tuple[int, int, int], str]) -> list[list[str]]:
        """The rows of each layer, top row first."""
        outside = self.built.puzzle.grid.empty_place
        places = {**dict.fromkeys(self.atom_at, Grid.FREE), **symbols}
        return [
            ["".join(places.get((z, y, x), outside) for x in range(self.columns)) for y in range(self.rows)] for z in range(self.layers)
        ]


def _plain(layers: Sequence[Sequence[str]]) -> str:
    return "\n".join("".join(row.rstrip() + "\n" for row in layer) for layer in layers)


def _position(built: BuiltInstance, atom: AtomId, scale: int) -> tuple[int, int, int]:
    """Column, row upwards and layer of an atom: as in the grid's own pictures, or, for a larger scale, of its centre."""
    grid = built.puzzle.grid
    if scale == 1:
        found = grid.place_of(atom)
        assert found is not None
        return _in_space(found[0])
    centre = grid.centre(atom)
    axes = [sum((c * step[i] for c, step in zip(centre, grid.layout.steps, strict=True)), Fraction(0)) for i in range(grid.dimension)]
    return _in_space([int(scale * x // 1) for x in axes])


def _in_space(position: Sequence[int]) -> tuple[int, int, int]:
    """Add layer 0 to a position in the plane."""
    return position[0], position[1], position[2] if len(position) > 2 else 0


# Qualitative palette: neighbours in the list also differ for colour-blind readers (after Okabe and Ito, and Tol).
PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#882255",
    "#44aa99", "#ddcc77", "#332288", "#aa4499", "#117733", "#88ccee", "#999933", "#cc6677",
)  # fmt: skip


def picture(
    grid: Grid,
    colours: Mapping[AtomId, int],
    letters: Sequence[str] | None = None,
    *,
    optional: Collection[AtomId] = (),
    frame: Iterable[AtomId] = (),
    palette: Sequence[str] = PALETTE,
) -> Text:
    """Return a picture. With ``letters``, a site of one colour shows its letter, else its glyph. See ``draw_picture``."""

    def style(colour: int | None, behind: int | None, *, letter: bool) -> str:
        if colour is None:
            return ""
        mine = palette[colour % len(palette)]
        if letter:
            return f"{'white' if ink(mine) == '#ffffff' else 'black'} on {mine}"
        return mine if behind is None else f"{mine} on {palette[behind % len(palette)]}"

    of_whole_sites = {next(iter(site.glyphs)) for site in grid.layout.sites}
    text = Text()
    for number, layer in enumerate(draw_picture(grid, colours, optional=optional, frame=frame)):
        if number:
            text.append("\n")
        for row in layer:
            line = Text()
            for glyph, colour, behind in row:
                whole = behind is None and glyph in of_whole_sites
                shown = letters[colour] if letters is not None and colour is not None and whole else glyph
                line.append(shown, style=style(colour, behind, letter=letters is not None and whole))
            line.rstrip()
            text.append(line).append("\n")
    return text


REQUIRED, OPTIONAL = 4, 9
"""Indices into ``PALETTE`` of the colours of required and optional atoms."""


class SolutionPictures:
    """Draws a puzzle and its solutions.

    Each piece has its own letter, and in coloured pictures its own colour; the frame is the whole form.
    """

    def __init__(self, built: BuiltInstance, width: int | None = None) -> None:
        self.built = built
        self.grid = built.puzzle.grid
        self.width = LEGEND_WIDTH if width is None else min(width, LEGEND_WIDTH)
        self.frame = [a for a in built.puzzle.form.atoms if self.grid.place_of(a) is not None]
        self.cached: dict[int, list[int]] = {}

    @cached_property
    def canvas(self) -> TextCanvas | None:
        """Positions of the atoms in pictures without colours; None if no scale gives each atom its own character."""
        try:
            return TextCanvas.of(self.built)
        except PuzzleError:
            return None

    @cached_property
    def blank(self) -> str:
        """The picture without placements."""
        if self.canvas is None or not self.frame:
            return ""
        layer = (self.grid.empty_place * self.canvas.columns + "\n") * self.canvas.rows
        return "\n".join([layer] * self.canvas.layers)

    def text(self, row: Sequence[int]) -> Text:
        """Return the coloured picture in the grid's own glyphs. The colours distinguish pieces that share a character."""
        chosen = [o for o in row if o >= 0]
        colours = {a: number for number, o in enumerate(chosen) for a in self.built.placements[o].atoms}
        letters = piece_letters(self.built, chosen)
        palette = solution_colours(self.built, chosen) if any(tile.colour for tile in self.built.puzzle.tiles) else PALETTE
        drawn = picture(self.grid, colours, letters, frame=self.frame, palette=palette or PALETTE)
        shown = {*drawn.plain}  # a piece that fills no character has no letter to explain
        explained = [(o, c) for o, c in zip(chosen, letters, strict=True) if c in shown]
        legend = legend_entries(self.built, [o for o, _ in explained], [c for _, c in explained])
        return drawn.append(folded(legend, self.width), style="dim")

    def plain(self, row: Sequence[int]) -> str:
        """Return the picture without colours, one letter for each atom.

        This is much faster, because the indices of each placement are cached.
        """
        if self.canvas is None:
            return self.text(row).plain
        chosen = [o for o in row if o >= 0]
        letters = piece_letters(self.built, chosen)
        characters = list(self.blank)
        for option, letter in zip(chosen, letters, strict=True):
            for index in self.cached.get(option) or self._indices(self.canvas, option):
                characters[index] = letter
        rows = "".join(line.rstrip() + "\n" for line in "".join(characters).splitlines())
        return rows + folded(legend_entries(self.built, chosen, letters), self.width)

    def form(self) -> Text:
        """Return the picture of the form."""
        required, optional = (_main(self.grid, atoms) for atoms in (self.built.puzzle.form.required, self.built.puzzle.form.optional))
        colours = dict.fromkeys(required, REQUIRED) | dict.fromkeys(optional, OPTIONAL)
        return picture(self.grid, colours, optional=set(optional))

    def tile(self, number: int) -> Text:
        """Return the picture of a tile, with its marks and other atoms in words."""
        tile, grid = self.built.puzzle.tiles[number], self.grid
        text = picture(grid, dict.fromkeys(_main(grid, tile.atoms), number))
        sides = [m for m in tile.marks if not m.is_colour]
        if sides and len(tile.atoms) == 1 and grid.dimension == 2:
            text = _card(text, sides, grid)
        elif sides:
            text.append(" ".join(m.name for m in sides) + "\n")
        elif beside := Counter(grid.atoms[a[-1]].kind for a in tile.atoms if grid.atoms[a[-1]].kind != grid.main_kind):
            text.append(f"and {', '.join(many(count, kind) for kind, count in beside.items())}\n")
        if colours := Counter(m.name for m in tile.marks if m.is_colour):
            text.append(", ".join(f"{count} {name}" for name, count in colours.items()) + "\n")
        return text

    def _indices(self, canvas: TextCanvas, option: int) -> list[int]:
        """Indices of a placement's characters in the blank picture."""
        line = canvas.columns + 1
        places = (canvas.place[a] for a in canvas.drawn(option))
        self.cached[option] = [z * (line * canvas.rows + 1) + y * line + x for z, y, x in places]
        return self.cached[option]


def _card(face: Text, marks: Sequence[Mark], grid: Grid) -> Text:
    """The picture of one face with the names of its marks round it, each at its side."""
    grid_shapes = shapes(grid)
    ways = {
        m: grid_shapes.cartesian(grid_shapes.corners(m.side)).mean(axis=0) - grid_shapes.cartesian(grid_shapes.corners(m.face)).mean(axis=0)
        for m in marks
    }
    ordered = sorted(marks, key=lambda m: ways[m][0])

    def names(low: float, high: float, *, to_right: bool | None = None) -> str:
        """The names of marks whose direction has a vertical part in ``(low, high]``, relative to its length."""
        lying = [m for m in ordered if low < ways[m][1] / float(hypot(*ways[m])) <= high]
        return "  ".join(m.name for m in lying if to_right is None or (ways[m][0] > 0) == to_right)

    left, right, above, below = names(-0.4, 0.4, to_right=False), names(-0.4, 0.4, to_right=True), names(0.4, 2), names(-2, -0.4)
    middle = max(len(left) + 1, (max(len(above), len(below)) - 1) // 2)
    text = Text(f"{' ' * (middle - len(above) // 2)}{above}\n{left:>{middle - 1}} ")
    face.rstrip()
    return text.append_text(face).append(f" {right}\n{' ' * (middle - len(below) // 2)}{below}\n")


def _main(grid: Grid, atoms: Iterable[AtomId]) -> list[AtomId]:
    return [a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind]


INNER = 0.66
"""Scale of the coloured part of a face; the tile's colour is visible round it."""


def draw_placement(puzzle: Puzzle, board: Canvas, tile: Tile, number: int, atoms: Sequence[AtomId], marks: Sequence[Mark]) -> PieceDrawing:
    """Return the drawing of a placement with these atoms and marks. ``number``, from 1, is its index in the list of a listed tile."""
    if tile.outlines:
        return draw_outline(board, tile.outlines[number - 1])
    drawing, faces = draw_piece(board, atoms, marks), coloured_faces(puzzle, board, tile, {a: a for a in atoms})
    if not faces:
        return drawing
    middles = {a: board.corners(a).mean(axis=0) for a in faces}
    labels = tuple(Label(float(x), float(y), 0.4 * INNER * board.unit, faces[a].name) for a, (x, y) in middles.items())
    return replace(drawing, marks=tuple(faces.values()), labels=labels)


def tile_canvas(puzzle: Puzzle, tile: Tile, number: int, atoms: Sequence[AtomId], factor: float) -> Canvas:
    """Return a canvas for one tile in the orientation of ``atoms``; the canvas of an outline fits the outline alone."""
    scale = shapes(puzzle.grid).scale
    corners = [(round(scale * x), round(scale * y)) for x, y in tile.outlines[number - 1]] if tile.outlines else []
    return make_canvas(puzzle.grid, () if corners else atoms, factor=factor, also=corners)


def coloured_faces(puzzle: Puzzle, board: Canvas, tile: Tile, homes: Mapping[AtomId, AtomId]) -> dict[AtomId, MarkDrawing]:
    """Return the form's colours on faces that a listed placement covers. ``homes`` maps each face to the atom of the form at its place."""
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
    """Return the colour of text on a piece, or on the mark under the text."""
    return ink(mark_colours(puzzle)[label.under] if label.under else colour)


def marks_in_words(puzzle: Puzzle, atoms: Sequence[AtomId], marks: Sequence[Mark]) -> str:
    """Return the names of a piece's marks in its orientation, clockwise from the top; an empty string if it has none."""
    if not marks:
        return ""
    grid_shapes = shapes(puzzle.grid)
    spots = np.array([grid_shapes.cartesian(grid_shapes.corners(m.side)).mean(axis=0) for m in marks])
    middle = np.mean([grid_shapes.cartesian(grid_shapes.corners(a)).mean(axis=0) for a in atoms], axis=0)
    right, up = (spots - middle)[:, :2].T
    angles = np.round(np.arctan2(right, up) % (2 * np.pi), 6)
    return ", ".join(mark_in_words(puzzle, marks[i].name) for i in np.argsort(angles, kind="stable"))


def mark_in_words(puzzle: Puzzle, mark: str) -> str:
    """Return the name of a mark, with a sign that tells which half of the picture it is."""
    name, sign = mark_kind(puzzle.mates, mark)
    return f"{name} {'−' if sign == '-' else sign}".strip()
