"""Text pictures: convert rows of glyphs to atoms and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

from puzzlesat.base import PuzzleError
from puzzlesat.puzzles.grid import AtomId, Cell, CellSite, Grid, translate

BLANK, FREE = Grid.BLANK, Grid.FREE
MAX_DRAWN = 100_000
"""Most characters of a picture that are not blank."""
MAX_TRIED = 2_000_000
"""Most characters of a picture that are not blank, times the number of its possible positions on the grid."""
Position = tuple[int, ...]


@dataclass(frozen=True)
class Drawn:
    """The contents of a picture: its atoms, the optional ones among them, and the atoms of each letter."""

    atoms: frozenset[AtomId]
    optional: frozenset[AtomId]
    letters: dict[str, frozenset[AtomId]]


def parse_picture(grid: Grid, text: str, *, of_form: bool = False) -> Drawn:
    """Read a picture of a tile, or of a form; the smallest coordinates of its atoms become 1.

    Raises PuzzleError with row and column of characters that make no sense on this grid, for layers with different numbers of rows, and for
    a form whose rows differ in length on a grid without shifted rows.
    """
    grid.check_has_pictures("write atoms instead of picture")
    characters = _characters(grid, text, of_form=of_form)
    if not characters:
        raise PuzzleError("the picture is empty; draw at least one atom")
    anchors = _anchors(grid)
    if (most := MAX_TRIED // len(anchors)) < len(characters):
        raise PuzzleError(f"{len(characters):,} characters are drawn; expected {most:,} at most on this grid")
    fits = [_read(grid, characters, anchor) for anchor in anchors]
    best = max(fits, key=len)
    if len(best) < len(characters):
        raise PuzzleError(*_misfits(grid, characters, [p for p in characters if p not in best]))
    if sum(len(fit) == len(characters) for fit in fits) > 1:
        raise PuzzleError(f"the picture fits grid {grid.name!r} in more than one way; use the glyphs {_glyphs(grid)}")
    letters: dict[str, set[AtomId]] = {}
    for position, (atoms, _) in best.items():
        letters.setdefault(characters[position][0], set()).update(atoms)
    shown = {a for atoms, _ in best.values() for a in atoms}
    optional = {a for atoms, may in best.values() if may for a in atoms}
    home = tuple(1 - min(axis) for axis in [*zip(*shown, strict=True)][:-1])
    moved = {a: translate(a, home) for a in shown}
    return Drawn(
        frozenset(moved.values()),
        frozenset(moved[a] for a in optional),
        {c: frozenset(moved[a] for a in atoms) for c, atoms in letters.items()},
    )


def draw_picture(
    grid: Grid, colours: Mapping[AtomId, int], *, optional: Collection[AtomId] = (), frame: Iterable[AtomId] = ()
) -> list[list[list[tuple[str, int | None, int | None]]]]:
    """Return a picture of coloured atoms as layers of rows (top row first) of ``(glyph, colour, background colour)``.

    A site filled by atoms of one colour has its first glyph, or its first optional glyph if all of them are ``optional``. A site with two
    colours has the glyph of the first on the background of the second. Empty places have no colour: they are blanks in the plane, and
    ``.`` in space, where an empty row would look like the end of a layer. The picture is large enough for the atoms of ``frame``.
    """
    cells: dict[Position, tuple[CellSite, dict[int, int], set[int]]] = {}
    for atom, colour in colours.items():
        if (place := grid.place_of(atom)) is not None:
            position, site = place
            entry = cells.setdefault(position, (site, {}, set()))
            entry[1][atom[-1]] = colour
            if atom in optional:
                entry[2].add(atom[-1])
    positions = {*cells, *(place[0] for a in frame if (place := grid.place_of(a)) is not None)}
    if not positions:
        return []
    low = [min(axis) for axis in zip(*positions, strict=True)]
    high = [max(axis) for axis in zip(*positions, strict=True)]
    layers: list[list[list[tuple[str, int | None, int | None]]]] = []
    for layer in range(low[2], high[2] + 1) if len(low) == 3 else [None]:
        rows = []
        for row in range(high[1], low[1] - 1, -1):
            places = [(column, row) if layer is None else (column, row, layer) for column in range(low[0], high[0] + 1)]
            rows.append([glyph_of(*cells[p]) if p in cells else (grid.empty_place, None, None) for p in places])
        layers.append(rows)
    return layers


def glyph_of(site: CellSite, colours: Mapping[int, int], optional: Collection[int] = ()) -> tuple[str, int | None, int | None]:
    """Return the glyph of a site whose atoms have these colours, its colour, and its background colour."""
    by_colour: dict[int, set[int]] = {}
    for a, colour in sorted(colours.items()):
        by_colour.setdefault(colour, set()).add(a)
    for first, atoms in by_colour.items():
        for glyph, meant in [*(site.optional.items() if atoms <= {*optional} else ()), *site.glyphs.items()]:
            if set(meant) == atoms:
                behind = next((c for c in by_colour if c != first), None)
                return glyph, first, behind
    # no glyph has exactly the atoms of a colour: take the glyph with most atoms of the first colour
    first, atoms = next(iter(by_colour.items()))
    inside = [glyph for glyph, meant in site.glyphs.items() if set(meant) <= atoms]
    return max(inside, key=lambda glyph: len(site.glyphs[glyph]), default="?"), first, None


def _characters(grid: Grid, text: str, *, of_form: bool) -> dict[Position, tuple[str, int, int]]:
    """Return the characters that are not blank by position (column, row upwards[, layer]), with row and column in the file."""
    lines = text.split("\n")
    layers: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(lines, start=1):
        if line.strip():
            layers[-1].append((number, line.rstrip()))
        elif layers[-1]:
            layers.append([])
    layers = [layer for layer in layers if layer]
    flat = grid.dimension == 2
    if flat and len(layers) > 1:
        raise PuzzleError(f"row {layers[1][0][0]}: an empty line inside a picture of a plane grid; write {BLANK!r} for what is outside")
    # in a dense layout rows have no gaps; in others, such as pictures of edges, a row ends at its last atom
    dense = prod(step[i] for i, step in enumerate(grid.layout.steps)) == len(grid.layout.sites)
    straight = dense and all(step[0] == 0 for step in grid.layout.steps[1:])
    if any(len(layer) != len(layers[0]) for layer in layers):
        sizes = ", ".join(str(len(layer)) for layer in layers)
        whole = "form" if of_form else "tile"
        raise PuzzleError(f"the layers have {sizes} rows; draw all with the same number of rows, {BLANK!r} for what is outside the {whole}")
    for above, below in pairwise(layers):
        for number in range(above[-1][0] + 1, below[0][0]):
            if lines[number - 1].rstrip("\r"):
                raise PuzzleError(
                    f"row {number} consists of blanks; write {BLANK!r} for each place of an empty row, and nothing at all between layers"
                )
    blank = {BLANK, " "} if of_form or FREE in _special(grid) else {BLANK, " ", FREE}
    found: dict[Position, tuple[str, int, int]] = {}
    for z, layer in enumerate(layers):
        length = max(len(line) for _, line in layer)
        for y, (number, line) in enumerate(reversed(layer)):
            if of_form and straight and len(line) != length:
                raise PuzzleError(
                    f"row {number} has {len(line)} characters, another row has {length}; write {BLANK!r} for what is outside the form"
                )
            for x, character in enumerate(line):
                if character not in blank:
                    found[(x, y) if flat else (x, y, z)] = (character, number, x + 1)
            if len(found) > MAX_DRAWN:
                raise PuzzleError(f"more than {MAX_DRAWN:,} characters are drawn; expected {MAX_DRAWN:,} at most")
    return found


def _anchors(grid: Grid) -> list[Position]:
    """Return one position of each class modulo the steps of the layout."""
    steps = grid.layout.steps
    reach = max(abs(s) for step in steps for s in step)
    classes: dict[Position, Position] = {}
    for candidate in product(range(reach), repeat=len(steps)):
        classes.setdefault(_reduced(steps, candidate)[1], candidate)
    return list(classes.values())


def _read(grid: Grid, characters: Mapping[Position, tuple[str, int, int]], anchor: Position) -> dict[Position, tuple[list[AtomId], bool]]:
    """Return the atoms of every character that makes sense with this anchor, and whether they are optional."""
    special = _special(grid)
    by_place: dict[Position, list[tuple[CellSite, Cell]]] = {}
    for site in grid.layout.sites:
        home, place = _reduced(grid.layout.steps, site.at)
        by_place.setdefault(place, []).append((site, home))
    read = {}
    for position, (character, _, _) in characters.items():
        cell, place = _reduced(grid.layout.steps, tuple(p + a for p, a in zip(position, anchor, strict=True)))
        for site, home in by_place.get(place, ()):
            meant = site.glyphs.get(character) or site.optional.get(character)
            if meant is None and character not in special and _is_whole(character):
                meant = next(iter(site.glyphs.values()))
            if meant is not None:
                own = tuple(c - h for c, h in zip(cell, home, strict=True))
                read[position] = ([(*own, a) for a in meant], character in site.optional)
    return read


def _special(grid: Grid) -> set[str]:
    """Return the glyphs of the grid."""
    return {glyph for site in grid.layout.sites for glyph in (*site.glyphs, *site.optional)}


def _is_whole(character: str) -> bool:
    """Return whether a character that is not a glyph of the grid represents all atoms of its place."""
    return character in ("#", FREE) or character.isalnum()


def _reduced(steps: tuple[tuple[int, ...], ...], position: Position) -> tuple[Cell, Position]:
    """Return integers c and the representative position - Σ c_i steps_i of the class of a position modulo the steps.

    The matrix of the steps is triangular.
    """
    rest = position
    cell = [0] * len(steps)
    for i in range(len(steps) - 1, -1, -1):
        cell[i] = rest[i] // steps[i][i]
        rest = tuple(r - cell[i] * s for r, s in zip(rest, steps[i], strict=True))
    return tuple(cell), rest


def _misfits(grid: Grid, characters: Mapping[Position, tuple[str, int, int]], positions: Sequence[Position]) -> list[str]:
    """Return a sentence for each character that makes no sense, with its first place in the file."""
    places: dict[str, list[tuple[int, int]]] = {}
    for character, row, column in sorted((characters[p] for p in positions), key=lambda c: c[1:]):
        places.setdefault(character, []).append((row, column))
    known = _special(grid)
    wrong = []
    cure = _apart(grid, characters)
    for character, ((row, column), *more) in places.items():
        where = f"row {row}, column {column}" + (f" and {len(more)} more" if more else "")
        if character in known or _is_whole(character):
            wrong.append(f"{where}: {character!r} does not fit on grid {grid.name!r} together with the rest of the picture{cure}")
        else:
            tab = "; write blanks instead of tabs" if character == "\t" else ""
            wrong.append(f"{where}: grid {grid.name!r} does not know the glyph {character!r}; it knows {_glyphs(grid)}, # and {BLANK}{tab}")
    return wrong


def _apart(grid: Grid, characters: Mapping[Position, tuple[str, int, int]]) -> str:
    """Return a cure if neighbours in a row are adjacent although the grid has a gap between them, or an empty text."""
    gap = grid.layout.steps[0][0]
    if len(grid.layout.sites) > 1 or gap < 2:
        return ""
    tight = next((p for p in sorted(characters, key=lambda p: characters[p][1:]) if (p[0] + 1, *p[1:]) in characters), None)
    if tight is None:
        return ""
    row = sorted(p for p in characters if p[1:] == tight[1:])
    spaced = (BLANK * (gap - 1)).join(characters[p][0] for p in row)
    shift = ", and shift every other row by one column" if grid.dimension == 2 and grid.layout.steps[1][0] % gap else ""
    return f"; neighbours in a row are {gap} columns apart: write row {characters[tight][1]} as {spaced}{shift}"


def _glyphs(grid: Grid) -> str:
    return " ".join(g for site in grid.layout.sites for g in (*site.glyphs, *site.optional))
