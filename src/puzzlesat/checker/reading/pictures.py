"""Text pictures: which atoms they draw, and which of these atoms may stay uncovered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..grid import Atom, Point, determinant
from ..values import Rejected, text
from .grids import Lattice, at_home, moved_by
from .tables import listed, number, only

NOTHING = ". "
FREE = "·"
"""An empty place: an atom of a form, like ``#``; nothing in a tile."""


@dataclass(frozen=True)
class PictureAtoms:
    """The atoms of a picture, moved so that their smallest coordinates are 1."""

    atoms: frozenset[Atom]
    optional: frozenset[Atom]
    """The atoms drawn by glyphs for optional atoms."""


@dataclass(frozen=True)
class GlyphSite:
    """One character of a cell: its place, and for each glyph the numbers of its atoms, and whether they are optional."""

    at: Point
    glyphs: dict[str, tuple[tuple[int, ...], bool]]
    whole: tuple[int, ...]
    """The atoms of the first glyph, which letters draw as well."""


def read_picture(stated: Any, where: str, lattice: Lattice, *, of_form: bool = False) -> PictureAtoms:
    """Return the atoms that a picture of a tile or of a form draws.

    Raises Rejected if it draws nothing, or if it fits the grid in no way or in several ways.
    """
    sites, steps = read_sites(lattice)
    known = {glyph for site in sites for glyph in site.glyphs}
    letters = {
        place: None if glyph == "#" or (glyph not in known and (glyph.isalnum() or glyph == FREE)) else glyph
        for place, glyph in _characters(text(stated, where), where, lattice.dimension)
        if of_form or glyph != FREE or glyph in known
    }
    if not letters:
        raise Rejected(f"{where}: the picture is empty")
    first = min(letters)
    ways = set()
    for site in sites:
        if _drawn_by(site, letters[first]) is not None:
            origin = tuple(p - a for p, a in zip(first, site.at, strict=True))
            if (drawn := _laid(letters, origin, sites, steps)) is not None:
                ways.add(drawn)
    if len(ways) != 1:
        raise Rejected(f"{where}: the picture fits the grid in {'no way' if not ways else 'several ways'}")
    return ways.pop()


def _characters(picture: str, where: str, dimension: int) -> Iterator[tuple[Point, str]]:
    """Yield each character that is not blank, with its column, its row from below and, in space, its layer."""
    lines = [line.rstrip("\r") for line in picture.split("\n")]  # a text from Python may have line ends of Windows
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    layers: list[list[str]] = [[]]
    for before, line in zip([" ", *lines], lines, strict=False):
        if line.strip():
            layers[-1].append(line.rstrip())
        elif line:
            raise Rejected(f"{where}: a row of blanks, which may be an empty row or part two layers")
        elif before:
            layers.append([])
    if dimension == 2 and len(layers) > 1:
        raise Rejected(f"{where}: an empty line inside a picture of the plane")
    if len({len(layer) for layer in layers}) > 1:
        raise Rejected(f"{where}: layers with different numbers of rows")
    for z, layer in enumerate(layers):
        for y, line in enumerate(reversed(layer)):
            for x, glyph in enumerate(line):
                if glyph not in NOTHING:
                    yield (x, y, z)[:dimension], glyph


def read_sites(lattice: Lattice) -> tuple[list[GlyphSite], list[Point]]:
    """Return the sites of a cell, and the steps between cells in a picture."""
    if "picture" not in lattice.said:
        return _plain_sites(lattice)
    fields = only(lattice.said["picture"], "grid.picture", ("steps", "sites"), ("steps", "sites"))
    steps = [tuple(number(x, "grid.picture.steps") for x in listed(step, "grid.picture.steps")) for step in fields["steps"]]
    return [_read_site(site, lattice) for site in listed(fields["sites"], "grid.picture.sites")], steps


def _plain_sites(lattice: Lattice) -> tuple[list[GlyphSite], list[Point]]:
    """Return the sites of a grid that does not define pictures: each cell is a character, if it has one face."""
    if len(lattice.faces) != 1:
        raise Rejected("grid.picture: the grid has several faces a cell, and does not say how they are drawn")
    still = (0,) * lattice.dimension
    whole = (lattice.faces[0],)
    steps = [tuple(1 if i == k else 0 for i in range(lattice.dimension)) for k in range(lattice.dimension)]
    return [GlyphSite(still, {"█": (whole, False)}, whole)], steps


def _read_site(stated: Any, lattice: Lattice) -> GlyphSite:
    fields = only(stated, "grid.picture.sites", ("at", "glyphs", "optional"), ("at", "glyphs"))

    def glyphs(key: str) -> dict[str, tuple[tuple[int, ...], bool]]:
        return {
            glyph: (tuple(lattice.named(name, f"grid.picture.sites: {glyph}") for name in names), key == "optional")
            for glyph, names in fields.get(key, {}).items()
        }

    plain = glyphs("glyphs")
    at = tuple(number(x, "grid.picture.sites: at") for x in listed(fields["at"], "grid.picture.sites: at"))
    return GlyphSite(at, {**glyphs("optional"), **plain}, next(iter(plain.values()))[0])


def _drawn_by(site: GlyphSite, glyph: str | None) -> tuple[tuple[int, ...], bool] | None:
    """Return the atoms for a glyph, or for a letter (None), at a site; None if the site does not have the glyph."""
    return (site.whole, False) if glyph is None else site.glyphs.get(glyph)


def _laid(letters: dict[Point, str | None], origin: Point, sites: list[GlyphSite], steps: list[Point]) -> PictureAtoms | None:
    """Return the atoms of a picture that draws cell 0 at ``origin``; None if a character does not fit."""
    cell_at = _cells(steps)
    atoms: dict[Atom, bool] = {}
    for place, glyph in letters.items():
        for site in sites:
            cell = cell_at(tuple(p - o - a for p, o, a in zip(place, origin, site.at, strict=True)))
            if cell is not None and (found := _drawn_by(site, glyph)) is not None:
                atoms.update({(*cell, a): found[1] for a in found[0]})
                break
        else:
            return None
    move = at_home(atoms, 1)
    return PictureAtoms(frozenset(moved_by(a, move) for a in atoms), frozenset(moved_by(a, move) for a, may in atoms.items() if may))


def _cells(steps: list[Point]) -> Callable[[Point], Point | None]:
    """Return a function from a place to the cell drawn there, or None, if cell 0 is drawn at 0."""
    n, area = range(len(steps)), determinant(steps)
    # Cramer's rule, for each unit vector in place of each step
    parts = [[determinant([tuple(int(j == k) for j in n) if m == i else steps[m] for m in n]) for k in n] for i in n]

    def cell_at(place: Point) -> Point | None:
        sums = [sum(p * x for p, x in zip(row, place, strict=True)) for row in parts]
        return None if any(x % area for x in sums) else tuple(x // area for x in sums)

    return cell_at
