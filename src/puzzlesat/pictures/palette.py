"""Colours: one for each tile, shades for copies that touch, and one for each mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import cycle
from math import dist

from puzzlesat.puzzles import BuiltInstance, Puzzle

# Okabe and Ito's colours come first. Each further colour is, among colours that are neither pale nor glaring, the farthest from all colours
# before it. The distance of two colours is the minimum of their OKLab distances for normal sight, protanopia and deuteranopia (simulated as
# by Machado, Oliveira and Fernandes).
TILES = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8f2d60",
    "#77ffff", "#bbccaa", "#994400", "#5588ee", "#88ffaa", "#00ddee", "#88bb77", "#445588",
    "#557777", "#88bbbb", "#cccc55", "#bb4444", "#5544aa", "#5599cc", "#ee7744", "#8899ff",
    "#99eecc", "#992233", "#0088cc", "#66aa66", "#777799", "#eecc88", "#117755", "#bb9999",
    "#44ccff", "#4466cc", "#77ddcc", "#aa7744", "#556688", "#ff9988", "#bb5500", "#448866",
)  # fmt: skip
NAMED = {
    "red": "#d7263d", "green": "#009e73", "blue": "#0072b2", "yellow": "#f0e442", "orange": "#e69f00", "purple": "#8f2d60",
    "violet": "#5544aa", "pink": "#cc79a7", "black": "#222222", "white": "#ffffff", "grey": "#888888", "gray": "#888888",
    "brown": "#994400",
}  # fmt: skip
"""Colours of marks that are named after a colour."""
TINT = 0.72
"""Share of white in the colours of tiles with marks, so that the marks are conspicuous."""
SHADES = (0.0, 0.45, -0.35, 0.7, -0.6)
"""Shades of a colour for copies that touch: the share of white, or of black if negative."""


APART = 0.045
"""Smallest OKLab distance of two colours that readers with normal sight can tell apart."""


_TO_CONES = ((0.412221, 0.536333, 0.051446), (0.211903, 0.680700, 0.107397), (0.088302, 0.281719, 0.629979))
_TO_LAB = ((0.210454, 0.793618, -0.004072), (1.977998, -2.428592, 0.450594), (0.025904, 0.782772, -0.808676))


def tile_colours(puzzle: Puzzle) -> tuple[str, ...]:
    """Return a colour for each tile of a puzzle, the same in all its pictures.

    A tile has the colour from the file, or a shade of it if an earlier tile has the same colour. The other tiles have the remaining colours
    of ``TILES``.
    """
    tint = TINT if puzzle.mates else 0.0
    stated = _stated_colours([tile.colour for tile in puzzle.tiles])
    left = cycle([c for c in TILES if all(distance(c, other) > APART for other in stated.values())] or TILES)
    return tuple(shade(stated[i] if i in stated else next(left), tint) for i in range(len(puzzle.tiles)))


def _stated_colours(colours: Sequence[str | None]) -> dict[int, str]:
    """The colours of tiles that state one: each is the first of its shades that differs visibly from all before it."""
    found: dict[int, str] = {}
    for number, colour in enumerate(colours):
        if colour is not None:
            shades = [shade(colour, share) for share in SHADES]
            found[number] = next((s for s in shades if all(distance(s, other) > APART for other in found.values())), colour)
    return found


def solution_colours(built: BuiltInstance, options: Sequence[int]) -> list[str]:
    """Return the colour of each placement: its tile's colour, or a shade of it where two placements of one colour touch.

    If a rule on solutions requires few colours, return these; then touching placements differ.
    """
    if built.puzzle.solutions.colours is not None and (few := built.problem.colours_of(options)) is not None:
        named = few_colours(built.puzzle, built.puzzle.solutions.colours)
        return [named[number] for number in few]
    base = tile_colours(built.puzzle)
    tiles = [built.placements[o].tile for o in options]
    if len({base[tile] for tile in tiles}) == len(tiles):
        return [base[tile] for tile in tiles]
    from networkx import Graph, greedy_color  # takes 0.1 s to import, and most puzzles have no two tiles of one colour

    graph = Graph()
    graph.add_nodes_from(range(len(options)))
    graph.add_edges_from((i, j) for i, j in touching(built, options) if base[tiles[i]] == base[tiles[j]])
    number = greedy_color(graph, strategy="DSATUR")
    return [shade(base[tile], _step(number[i])) for i, tile in enumerate(tiles)]


def few_colours(puzzle: Puzzle, number: int) -> list[str]:
    """Return ``number`` colours for the tiles of a solution whose rule limits the number of colours."""
    return [shade(TILES[n % len(TILES)], TINT if puzzle.mates else 0.0) for n in range(number)]


def few_colours_as_json(puzzle: Puzzle, number: int) -> dict[str, list[str]]:
    """Return these ``colours`` with the ``inks`` for names on them."""
    colours = few_colours(puzzle, number)
    return {"colours": colours, "inks": list(map(ink, colours))}


def _step(number: int) -> float:
    """The shades of ``SHADES``, then others between them, should a puzzle in space need more."""
    return SHADES[number] if number < len(SHADES) else (number * 0.381966) % 1.3 - 0.6


def touching(built: BuiltInstance, options: Sequence[int]) -> set[tuple[int, int]]:
    """Return which of the placements have neighbouring atoms, as pairs of indices into ``options``."""
    form, grid = built.puzzle.form, built.puzzle.grid
    owner = {a: i for i, o in enumerate(options) for a in built.placements[o].atoms}
    pairs = {(i, owner[n]) for a, i in owner.items() for n in form.neighbours(grid, a) if n in owner}
    return {(i, j) for i, j in pairs if i != j}


def mark_kind(mates: Mapping[str, str | None], name: str) -> tuple[str, str]:
    """Return the name of a mark without the sign of its half, and the sign: "+", "-" or nothing."""
    mate = mates.get(name)
    halves = mate is not None and mate != name and name[-1] in "+-" and mate[:-1] == name[:-1]
    return (name[:-1], name[-1]) if halves else (name, "")


def mark_colours(puzzle: Puzzle) -> dict[str, str]:
    """Return a colour for each mark, without the sign of its half, and for each colour of atoms."""
    names = list(dict.fromkeys(mark_kind(puzzle.mates, name)[0] for name in puzzle.mates))
    names += [name for name in dict.fromkeys([*puzzle.fits, *puzzle.form.colours.values()]) if name not in names]
    if all(name.lower() in NAMED for name in names):
        return {name: NAMED[name.lower()] for name in names}
    return {name: TILES[number % len(TILES)] for number, name in enumerate(names)}


def drawn_colours(puzzle: Puzzle) -> dict[str, str]:
    """Return the colours of the marks and atoms that occur on a tile or in the form, for the legend of a picture.

    A model may have others, on tiles that the instance leaves out.
    """
    marks = {mark_kind(puzzle.mates, mark.name)[0] for tile in puzzle.tiles for mark in tile.marks}
    return {name: colour for name, colour in mark_colours(puzzle).items() if name in marks or name in puzzle.form.colours.values()}


def shade(colour: str, share: float) -> str:
    """Return a colour mixed with a share of white, or of black if ``share`` is negative."""
    end = 255 if share > 0 else 0
    return "#" + "".join(f"{round(int(colour[i : i + 2], 16) + (end - int(colour[i : i + 2], 16)) * abs(share)):02x}" for i in (1, 3, 5))


def distance(one: str, other: str) -> float:
    """Return the distance of two colours in OKLab, where equal distances look equal."""
    return dist(_oklab(one), _oklab(other))


@cache
def _oklab(colour: str) -> tuple[float, ...]:
    """Convert a colour to OKLab (B. Ottosson, 2020)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    cones = [sum(a * b for a, b in zip(row, linear, strict=True)) ** (1 / 3) for row in _TO_CONES]
    return tuple(sum(a * b for a, b in zip(row, cones, strict=True)) for row in _TO_LAB)


def ink(fill: str) -> str:
    """Return black for light colours and white for dark ones (relative luminance of ITU-R BT.709)."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 120 else "#ffffff"
