"""Positions as text pictures: one character an atom, each piece with a symbol of its own.

A character of a grid's own pictures may stand for several atoms. Here the picture is made larger until each atom that is drawn has a
character of its own: tans, for one, have three columns and three rows a square.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import networkx as nx
from rich.text import Text

from puzzlesat.config.files import json_of
from puzzlesat.cover.build import Built
from puzzlesat.draw.palette import ink, solution_colours
from puzzlesat.draw.text import LETTERS
from puzzlesat.errors import PuzzleError, listed, shown
from puzzlesat.grid.lattice import AtomId
from puzzlesat.grid.picture import place_of
from puzzlesat.play.position import Position, checked_position, position_of

FREE = "·"
"""An atom of the form on which nothing lies."""
MOST_SCALE = 8
NAME = r"\S+\.\d+@-?\d+(?:\.-?\d+)*"
HEADING = re.compile(r"solution \d+\b")
SAID = re.compile(r"\d+ (?:of \d+ )?pieces? (?:is|are) placed\.")
"""What ``hint`` says below its picture begins so."""
NAMES = re.compile(rf"\s*{NAME}(?:\s+{NAME})*\s*$")
LEGEND = re.compile(rf"\s*(?:\S\s+{NAME}\s*)+$")


@dataclass(frozen=True, eq=False)
class Canvas:
    """Where the picture of a puzzle draws the atoms of its form."""

    built: Built
    place: dict[AtomId, tuple[int, int, int]]
    """Layer from below, row from the top, column."""
    layers: int
    rows: int
    columns: int
    scale: int

    @cached_property
    def atom_at(self) -> dict[tuple[int, int, int], AtomId]:
        """The atom of each place."""
        return {place: atom for atom, place in self.place.items()}

    def drawn(self, option: int) -> frozenset[AtomId]:
        """Return the atoms of a placement that the picture draws."""
        return frozenset(a for a in self.built.placements[option].atoms if a in self.place)


def canvas_of(built: Built) -> Canvas:
    """Lay out the form. Raises PuzzleError where no picture gives each atom a character of its own."""
    grid = built.puzzle.grid
    drawn = [a for a in built.puzzle.form.atoms if place_of(grid, a) is not None]
    for scale in range(1, MOST_SCALE + 1):
        at = {a: _position(built, a, scale) for a in drawn}
        if len(set(at.values())) == len(at):
            break
    else:
        raise PuzzleError(f"no picture of grid {grid.name!r} gives each atom a character of its own; name the placements instead")
    low, high = ([f(axis) for axis in zip(*at.values(), strict=True)] if at else [0, 0, 0] for f in (min, max))
    place = {a: (z - low[2], high[1] - y, x - low[0]) for a, (x, y, z) in at.items()}
    return Canvas(built, place, high[2] - low[2] + 1, high[1] - low[1] + 1, high[0] - low[0] + 1, scale)


def _position(built: Built, atom: AtomId, scale: int) -> tuple[int, int, int]:
    """Column, row upwards and layer: those of the grid's own pictures, or, enlarged, those of the centre of the atom."""
    grid = built.puzzle.grid
    if scale == 1:
        found = place_of(grid, atom)
        assert found is not None
        return _in_space(found[0])
    centre = grid.centre(atom)
    axes = [sum((c * step[i] for c, step in zip(centre, grid.layout.steps, strict=True)), Fraction(0)) for i in range(grid.dimension)]
    return _in_space([int(scale * x // 1) for x in axes])


def _in_space(position: Sequence[int]) -> tuple[int, int, int]:
    """A place in the plane is one in the only layer."""
    return position[0], position[1], position[2] if len(position) > 2 else 0


def blank_picture(built: Built) -> str:
    """Return the empty form as ``read_position`` reads it."""
    return _plain(_layers(canvas_of(built), {}))


def position_text(position: Position, new: Collection[int] = ()) -> tuple[Text, str]:
    """Return the picture of a position in colours, and the same as plain text that ``read_position`` reads; ``new`` pieces are bold."""
    canvas = canvas_of(position.built)
    options = position.everything
    symbols = _symbols(position.built, options)
    shown = {a: i for i, o in enumerate(options) for a in canvas.drawn(o)}
    layers = _layers(canvas, {canvas.place[a]: symbols[i] for a, i in shown.items()})
    legend = _legend(canvas, options, symbols)
    colours = solution_colours(position.built, options)
    text = Text()
    for z, layer in enumerate(layers):
        text.append("\n" if z else "")
        for y, row in enumerate(layer):
            for x, character in enumerate(row):
                atom = canvas.atom_at.get((z, y, x))
                number = None if atom is None else shown.get(atom)
                if number is None:
                    text.append(character, style="dim")
                else:
                    bold = "bold underline " if options[number] in new else ""
                    text.append(character, style=f"{bold}{ink(colours[number])} on {colours[number]}")
            text.append("\n")
    return text.append(legend, style="dim"), _plain(layers) + legend


def _layers(canvas: Canvas, symbols: dict[tuple[int, int, int], str]) -> list[list[str]]:
    """The rows of each layer, the top row first."""
    outside = " " if canvas.built.puzzle.grid.dimension == 2 else "."
    free = dict.fromkeys(canvas.atom_at, FREE)
    places = free | symbols
    return [
        ["".join(places.get((z, y, x), outside) for x in range(canvas.columns)) for y in range(canvas.rows)] for z in range(canvas.layers)
    ]


def _plain(layers: list[list[str]]) -> str:
    return "\n".join("".join(row.rstrip() + "\n" for row in layer) for layer in layers)


def _symbols(built: Built, options: Sequence[int]) -> list[str]:
    """The tiles' own letters where each tile has one, else one letter after the other."""
    names = [built.puzzle.tiles[built.placements[o].tile].name for o in options]
    initials = [n[0] for n in names]
    if all(i.isalnum() for i in initials) and len(set(initials)) == len(names):
        return initials
    return [LETTERS[i % len(LETTERS)] for i in range(len(names))]


def _legend(canvas: Canvas, options: Sequence[int], symbols: Sequence[str]) -> str:
    """What each symbol is, where the letters do not tell the tiles or the shapes do not tell the placements."""
    names = canvas.built.problem.options
    if all(names[o].startswith(s) and len(_fitting(canvas, canvas.drawn(o), s)) == 1 for o, s in zip(options, symbols, strict=True)):
        return ""
    return "  ".join(f"{s} {names[o]}" for o, s in zip(options, symbols, strict=True)) + "\n"


# ---------------------------------------------------------------- reading


def read_position(built: Built, text: str) -> Position:
    """Read a position from a text picture, perhaps with a legend, from names of placements, or from what ``solve --json`` prints.

    A blank, ``.``, ``·``, ``#`` and the grid's own glyphs are atoms on which nothing lies; any other character is a piece, recognised
    by its shape, and by its letter where several tiles have that shape. A legend, ``A card1.1@1.1`` under the picture, says what a
    shape cannot.
    Raises PuzzleError with row and column of what is no piece.
    """
    if not text.strip():
        raise PuzzleError("nothing is drawn in it; --blank prints the empty form to draw into")
    if text.lstrip()[:1] in ("{", "["):
        return position_of(built, _names_in_json(text))
    lines = [line.rstrip() for line in text.replace("\t", "    ").splitlines()]
    lines = lines[: next((i for i, line in enumerate(lines) if SAID.match(line)), len(lines))]
    legend = {s: n for line in lines if LEGEND.match(line) for s, n in re.findall(rf"(\S)\s+({NAME})", line)}
    names = [n for line in lines if NAMES.match(line) for n in line.split()]
    heading = [n for line in lines if HEADING.match(line) for n in line.split()[2:]]
    picture = [line for line in lines if not (LEGEND.match(line) or NAMES.match(line) or HEADING.match(line))]
    if not any(line.strip() for line in picture):
        return position_of(built, names or heading or list(legend.values()), ordered=bool(names))
    if names:
        raise PuzzleError("there is a picture and a list of placements; give one of them, or a legend such as 'A Q.1@3.1'")
    canvas = canvas_of(built)
    groups = _groups(canvas, picture)
    found = [option for symbol, atoms in groups.items() for option in _pieces(canvas, symbol, atoms, legend.get(symbol))]
    return checked_position(built, found)


def _names_in_json(text: str) -> list[str]:
    """The names in one line of ``solve --json``, or in a list of names."""
    try:
        data = json_of(text)
        entries = data["placements"] if isinstance(data, dict) else data
        names = [e["name"] if isinstance(e, dict) else e for e in entries]
    except (PuzzleError, KeyError, TypeError) as error:
        raise PuzzleError(f"the position is no JSON as one line of 'puzzlesat solve --json' is: {error}") from None
    if wrong := [n for n in names if not isinstance(n, str)]:
        raise PuzzleError(
            f"the position is no JSON as one line of 'puzzlesat solve --json' is: expected names of placements, got {shown(repr(wrong[0]))}"
        )
    return names


def _groups(canvas: Canvas, lines: list[str]) -> dict[str, dict[AtomId, tuple[int, int]]]:
    """For each symbol its atoms, with the row and column of each."""
    grid = canvas.built.puzzle.grid
    nothing = {FREE, ".", " ", "#"} | {g for site in grid.layout.sites for g in (*site.glyphs, *site.optional) if not g.isalnum()}
    groups: dict[str, dict[AtomId, tuple[int, int]]] = {}
    wrong = []
    for (z, y), (number, line) in _numbered(canvas, lines).items():
        for x, character in enumerate(line):
            if character in nothing:
                continue
            atom = canvas.atom_at.get((z, y, x))
            if atom is None:
                wrong.append(f"row {number}, column {x + 1}: {character!r} lies outside the form")
            else:
                groups.setdefault(character, {})[atom] = (number, x + 1)
    if wrong:
        raise PuzzleError(*wrong[:5], f"the form is drawn so:\n{blank_picture(canvas.built)}")
    return groups


def _numbered(canvas: Canvas, lines: list[str]) -> dict[tuple[int, int], tuple[int, str]]:
    """The lines by layer and row, with their numbers in the file. Raises PuzzleError where there are not as many as the form has."""
    numbered = list(enumerate(lines, start=1))
    if canvas.built.puzzle.grid.dimension == 3:
        layers: list[list[tuple[int, str]]] = [[]]
        for number, line in numbered:
            if line.strip():
                layers[-1].append((number, line))
            elif layers[-1]:
                layers.append([])
        layers = [layer for layer in layers if layer]
    else:
        while len(numbered) != canvas.rows and not (numbered[-1][1].strip() and numbered[0][1].strip()):
            numbered.pop(-1 if not numbered[-1][1].strip() else 0)
        layers = [numbered]
    if [len(layer) for layer in layers] != [canvas.rows] * canvas.layers:
        has = " and ".join(str(len(layer)) for layer in layers) if len(layers) < 4 else f"{len(layers)} layers of {len(layers[0])}"
        wants = f"{canvas.rows}" if canvas.layers == 1 else f"{canvas.layers} layers of {canvas.rows}"
        enlarged = (
            f" (a character of grid {canvas.built.puzzle.grid.name!r} would share several atoms, so that there are {canvas.scale} x "
            f"{canvas.scale} characters a cell)"
            if canvas.scale > 1
            else ""
        )
        raise PuzzleError(
            f"the picture has {has} rows, that of the form {wants}{enlarged}; name the placements, or draw the form whole, with '.' where "
            f"nothing lies:\n{blank_picture(canvas.built)}"
        )
    return {(z, y): entry for z, layer in enumerate(layers) for y, entry in enumerate(layer)}


def _pieces(canvas: Canvas, symbol: str, places: dict[AtomId, tuple[int, int]], said: str | None) -> list[int]:
    """The placements that the atoms of one symbol are: one for all of them, or one for each part that hangs together."""
    built = canvas.built
    if said is not None:
        (option,) = position_of(built, [said]).placed or [built.problem.options.index(said)]
        if canvas.drawn(option) == places.keys():
            return [option]
        raise PuzzleError(f"the legend says that {symbol!r} is {said}, but that does not lie where the picture has {symbol!r}")
    whole = _fitting(canvas, frozenset(places), symbol)
    if whole:
        return [_only(canvas, whole, symbol, places)]
    graph = nx.Graph((a, b) for a in places for b in built.puzzle.grid.neighbours(a) if b in places)
    graph.add_nodes_from(places)
    found = []
    for part in map(frozenset, nx.connected_components(graph)):
        here = {a: places[a] for a in part}
        fitting = _fitting(canvas, part, symbol)
        if not fitting:
            raise PuzzleError(_no_piece(canvas, symbol, here))
        found.append(_only(canvas, fitting, symbol, here))
    return found


def _fitting(canvas: Canvas, atoms: frozenset[AtomId], symbol: str) -> list[int]:
    """The placements that are drawn as these atoms; only those of tiles with that letter, if there are any."""
    placements = canvas.built.placements
    fitting = [o for o, p in enumerate(placements) if len(p.atoms) >= len(atoms) and atoms.issubset(p.atoms) and canvas.drawn(o) == atoms]
    named = [o for o in fitting if canvas.built.puzzle.tiles[placements[o].tile].name == symbol]
    return named or fitting


def _only(canvas: Canvas, fitting: list[int], symbol: str, places: dict[AtomId, tuple[int, int]]) -> int:
    if len(fitting) > 1:
        names = [canvas.built.problem.options[o] for o in fitting]
        raise PuzzleError(
            f"{_where(symbol, places)} can be {len(fitting)} placements, such as {listed(names, 3)}; "
            f"write a line '{symbol} {names[0]}' below the picture, or name the placements instead of a picture"
        )
    return fitting[0]


def _no_piece(canvas: Canvas, symbol: str, places: dict[AtomId, tuple[int, int]]) -> str:
    tiles = canvas.built.puzzle.tiles
    sizes = Counter(len(t.atoms) for t in tiles)
    number = len(places)
    what = f"{_where(symbol, places)} covers {number} atom{'s' if number > 1 else ''}"
    own = next((t for t in tiles if t.name == symbol), None)
    if own is not None and len(own.atoms) != number:
        return f"{what}, tile {symbol!r} has {len(own.atoms)}"
    if number not in sizes and all(len(canvas.drawn(o)) != number for o in range(len(canvas.built.placements))):
        return f"{what}, and no tile has so many; draw each piece with a symbol of its own"
    return f"{what}, but no tile lies so, turned as the rules allow; 'puzzlesat show {canvas.built.puzzle.name}' shows the tiles"


def _where(symbol: str, places: dict[AtomId, tuple[int, int]]) -> str:
    row, column = min(places.values())
    return f"row {row}, column {column}: {symbol!r}"
