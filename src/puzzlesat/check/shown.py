"""The puzzle that a certificate states, drawn in text: for a person to see which one it is before the counts are believed.

The name of a puzzle proves nothing, for whoever writes a file may call it as they like. Form and tiles are drawn from the geometry alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from textwrap import wrap

from .grid import Atom, Grid, Point, determinant
from .puzzle import UNLIMITED, Puzzle, Rule, Tile
from .seams import Look
from .solution_rules import SolutionRule

LABEL, WIDTH = 14, 110
MOST_DRAWN = 40_000
"""Places for atoms in a picture, and so in what is printed."""
COVERED, MAY_BE, FREE = "#", "o", "."


def puzzle_lines(puzzle: Puzzle) -> tuple[str, ...]:
    """Return lines that show a puzzle: its name as no more than a name, the grid, the form, the tiles, and all rules."""
    found: list[str] = []
    for label, lines in _parts(puzzle):
        found += [f"  {name:<{LABEL - 1}} {line}".rstrip() for name, line in zip((label, *[""] * len(lines)), lines, strict=False)]
    return tuple(found)


def _parts(puzzle: Puzzle) -> Iterator[tuple[str, list[str]]]:
    grid = puzzle.grid
    yield "puzzle", [_plain(puzzle.name), "(this name is only what the file calls itself; look at form and tiles)"]
    yield "grid", _grid(grid)
    form = dict.fromkeys(puzzle.optional, MAY_BE) | dict.fromkeys(puzzle.required, COVERED)
    may = [f"{_atoms(grid, puzzle.optional)} that may be ({MAY_BE})"] if puzzle.optional else []
    yield "form", [", ".join([f"{_atoms(grid, puzzle.required)} that must be covered", *may]), *_picture(grid, form)]
    for tile in puzzle.tiles:
        yield f"tile {_plain(tile.name)}", [*_tile(puzzle, tile)]
    yield from _colours(puzzle)
    for rule in puzzle.rules:
        yield "rule", _folded(_linear(rule) if isinstance(rule, Rule) else _on_solutions(rule))
    for number, look in puzzle.fixed:
        yield "fixed", _folded([f"tile {_plain(puzzle.tiles[number].name)} on", *_look(look)])
    if puzzle.keep:
        yield "kept", _folded(["by symmetries:", *map(_atom, sorted(puzzle.keep))])
    yield "mirror images", ["count as one" if puzzle.mirrored else "count as two"]


def _grid(grid: Grid) -> list[str]:
    products = " ".join(f"({' '.join(map(str, row))})" for row in grid.gram)
    cell = [f"lattice of {grid.dimension} dimensions, scalar products {products}; its cell has"]
    for number, (kind, corners) in enumerate(zip(grid.kinds, grid.corners, strict=True)):
        points = (" ".join(str(Fraction(x, grid.unit)) for x in corner) for corner in sorted(corners))
        cell.append(f"atom {number}: {_plain(kind)} {', '.join(f'({p})' for p in points)};")
    return _folded(cell)


def _atoms(grid: Grid, atoms: Iterable[Atom]) -> str:
    """How many atoms, of which kinds where there are several."""
    kinds = Counter(grid.kinds[a[-1]] for a in atoms)
    number = kinds.total()
    besides = f" ({', '.join(f'{n:,} {_plain(kind)}' for kind, n in kinds.items())})" if len(set(grid.kinds)) > 1 else ""
    return f"{number:,} {'atom' if number == 1 else 'atoms'}{besides}"


def _tile(puzzle: Puzzle, tile: Tile) -> Iterator[str]:
    grid = puzzle.grid
    copies = " and ".join(_range(low, high) for low, high in tile.ranges)
    if tile.listed:
        yield f"copies {copies}; it is neither turned nor moved, and lies in one of {len(tile.listed):,} places, which cover"
        yield from _picture(grid, {a: COVERED for atoms, _ in tile.listed for a in atoms})
        return
    mirrors = sum(determinant([[Fraction(x) for x in row] for row in puzzle.symmetries[n].matrix]) < 0 for n in tile.symmetries)
    ways = f"turned by {len(tile.symmetries)} of the {len(puzzle.symmetries)} symmetries of the grid ({mirrors} of them mirrors)"
    yield f"{_atoms(grid, tile.look[0])}, copies {copies}, {ways}"
    yield from _picture(grid, dict.fromkeys(tile.look[0], COVERED))
    if tile.look[1]:
        yield from _folded(_look((frozenset(), tile.look[1])))


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} or more" if high >= UNLIMITED else f"{low} to {high}"


def _look(look: Look) -> list[str]:
    """Atoms and marks in words."""
    marks = (
        f"{_plain(name)} on {_atom(face)};" if side == face else f"{_plain(name)} on {_atom(side)} of {_atom(face)};"
        for side, face, name in sorted(look[1])
    )
    return [*map(_atom, sorted(look[0])), *marks]


def _colours(puzzle: Puzzle) -> Iterator[tuple[str, list[str]]]:
    """Marks and colours: what may meet what, what may lie on what, and the colours of the form."""
    if puzzle.mates:
        meets = (f"{_plain(m)} meets {'no other' if n is None else _plain(n)};" for m, n in puzzle.mates.items())
        yield "marks", _folded(meets)
    if puzzle.border is not None:
        yield "border", [f"the mark outside of the form is {_plain(puzzle.border)}"]
    if puzzle.fits:
        below = {colour: " or ".join(map(_plain, sorted(on))) or "no colour" for colour, on in puzzle.fits.items()}
        yield "colours", _folded(f"{_plain(colour)} fits on {on};" for colour, on in below.items())
    if puzzle.coloured:
        yield "coloured", _folded(f"{_atom(a)} {_plain(colour)};" for a, colour in puzzle.coloured.items())


def _linear(rule: Rule) -> list[str]:
    """A sum of weights and what it must be."""
    bounds = f"{rule.residue} modulo {rule.modulus}" if rule.modulus else f"{rule.low} to {rule.high}"
    weights: dict[int, list[str]] = {}
    for atom, weight in rule.atoms.items():
        weights.setdefault(weight, []).append(_atom(atom))
    for tile, weight in rule.tiles.items():
        weights.setdefault(weight, []).append(f"tile {_plain(tile)}")
    of_each = (f"{weight} for {', '.join(things)};" for weight, things in sorted(weights.items()) if weight)
    return [f"{_plain(rule.name)}: the weights of a solution add up to {bounds}; they are", *" ".join(of_each).split(" ")]


def _on_solutions(rule: SolutionRule) -> list[str]:
    """A rule on solutions: its kind, and what it needs."""
    needs: Mapping[str, object] = {
        "tiles": ", ".join(map(_plain, sorted(rule.tiles))),
        "colours": rule.colours,
        "corners": "also where they meet at a corner" if rule.corners else "",
        "symmetries": " ".join(map(str, sorted(rule.symmetries))),
        "placements": "; ".join(sorted(f"{_plain(tile)} {' '.join(_look(look))}" for tile, look in rule.placements)),
        "atoms": " ".join(map(_atom, sorted(rule.atoms))),
        "low to high": f"{rule.low} to {rule.high}" if rule.low or rule.high else "",
    }
    said = "; ".join(f"{key} {value}" for key, value in needs.items() if value)
    return f"{_plain(rule.name)}: {_plain(rule.kind)}{': ' if said else ''}{said}".split(" ")


def _picture(grid: Grid, signs: Mapping[Atom, str]) -> list[str]:
    """Draw atoms, the second coordinate upwards, and layers side by side, the lowest first.

    An atom lies in the cell as its centre does among those of the others. Atoms of the same centre are drawn as their number. A lattice
    that leans does so in the picture.
    """
    if not signs:
        return ["nothing"]
    low, high = ([of(a[i] for a in signs) for i in range(grid.dimension)] for of in (min, max))
    extent = [h - lo + 1 for lo, h in zip(low, high, strict=True)]
    each, ranks = _places_of(grid)
    places = len(ranks)
    for size in extent:
        places *= size
    if places > MOST_DRAWN:
        return [f"(too far apart to draw: from {_point(low)} to {_point(high)})"]
    drawn: dict[tuple[int, ...], list[str]] = {}
    for cell in product(*(range(lo, h + 1) for lo, h in zip(low, high, strict=True))):
        for number, rank in enumerate(ranks):
            place = tuple((x - lo) * n + r for x, lo, n, r in zip(cell, low, each, rank, strict=True))
            drawn.setdefault(place, []).append(signs.get((*cell, number), FREE))
    lean = 2 * each[0] * grid.gram[0][1] / grid.gram[0][0] / each[1]
    at = {(2 * p[0] + round(lean * p[1]), p[1], p[2:]): _sign(found) for p, found in drawn.items()}
    columns = range(min(x for x, _, _ in at), max(x for x, _, _ in at) + 1)
    rows, layers = sorted({y for _, y, _ in at}, reverse=True), sorted({z for _, _, z in at})
    return ["   ".join("".join(at.get((x, y, z), " ") for x in columns) for z in layers).rstrip() for y in rows]


def _sign(signs: Sequence[str]) -> str:
    found = [sign for sign in signs if sign != FREE]
    return FREE if not found else found[0] if len(found) == 1 else str(len(found)) if len(found) < 10 else "+"


@cache
def _places_of(grid: Grid) -> tuple[tuple[int, ...], tuple[Point, ...]]:
    """How many places a cell has along each coordinate, and at which of them each of its atoms lies."""
    centres = [[Fraction(sum(v[i] for v in c), len(c)) for i in range(grid.dimension)] for c in grid.corners]
    along = [sorted({c[i] for c in centres}) for i in range(grid.dimension)]
    return tuple(map(len, along)), tuple(tuple(along[i].index(x) for i, x in enumerate(c)) for c in centres)


def _folded(words: Iterable[str]) -> list[str]:
    return wrap(" ".join(words), WIDTH - LABEL, break_long_words=False, break_on_hyphens=False)


def _atom(atom: Atom) -> str:
    return _point(atom)


def _point(numbers: Iterable[int]) -> str:
    return f"({' '.join(map(str, numbers))})"


def _plain(name: str) -> str:
    """A name in which nothing can move the cursor of a terminal, and that does not look like a line of its own."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)
