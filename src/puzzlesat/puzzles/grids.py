"""Make grids from grid files."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlesat.base import PuzzleError, many, near_match
from puzzlesat.puzzles.grid import Atom, AtomId, CellSite, Crossing, Grid, Layout
from puzzlesat.puzzles.lattice import finer_basis, scalar_product
from puzzlesat.puzzles.text_pictures import parse_picture

if TYPE_CHECKING:
    from puzzlesat.puzzles.schema import AtomRef, GridFile, PictureTable, StatedGrid

PLAIN = "█"
"""The glyph of a face of a grid without pictures of its own."""


@cache
def load_grid(path: Path) -> Grid:
    """Read a grid file. Raises PuzzleError for names of atoms that do not exist."""
    from puzzlesat.puzzles.reading import read_file
    from puzzlesat.puzzles.schema import GridFile

    return make_grid(read_file(GridFile, path), path)


_stated: dict[str, Grid] = {}
"""Grids inside puzzle files, by their contents. Each grid is made once, because its properties are cached by object."""


def stated_grid(data: StatedGrid, near: Path | str) -> Grid:
    """Return the grid inside the file ``near``. Raises PuzzleError for names of atoms that do not exist."""
    key = repr(data)
    if key not in _stated:
        _stated[key] = make_grid(data, f"{near}: grid", name=data.name)
    return _stated[key]


def make_grid(data: GridFile, path: Path | str, *, name: str | None = None) -> Grid:
    """Return the grid of a file that was read from ``path``. Its name is ``name``, or else the name of the file.

    Raises PuzzleError for names of atoms that do not exist.
    """
    atoms = tuple(Atom(a.name, a.kind, a.role, tuple(tuple(v) for v in a.vertices)) for a in data.atoms)
    names = {atom.name: i for i, atom in enumerate(atoms)}
    if len(names) < len(atoms):
        raise PuzzleError(f"{path}: atoms: two atoms of the cell have the same name")
    if len(atoms) > 1 and (points := [a.name for a in atoms if len(a.vertices) == 1 and a.kind == atoms[0].kind]):
        raise PuzzleError(f"{path}: atoms: {points[0]} has one vertex, so it is a ball; a ball must be the only atom of its grid")
    grid = Grid(
        name=Path(path).stem if name is None else name,
        title=data.title,
        gram=tuple(tuple(row) for row in data.gram),
        atoms=atoms,
        layout=_plain_layout(atoms, len(data.gram)) if data.picture is None else _layout(path, data.picture, names),
        rings={},
        shapes={name: tuple(tuple((c[0], c[1]) for c in corner) for corner in shape) for name, shape in data.shapes.items()},
        polyforms={int(size): forms for size, forms in data.polyforms.items()},
        crossings=(),
        ring_names="" if data.about is None else data.about.ring,
    )
    grid = replace(grid, rings=_rings(path, data, grid), crossings=_crossings(path, data, grid))
    if not grid.atoms_differ:
        raise PuzzleError(f"{path}: atoms: two atoms of one kind have the same vertices; remove one")
    _check_lattice(path, grid)
    if data.symmetries not in (None, found := len(grid.symmetries)):
        raise PuzzleError(
            f"{path}: symmetries: the atoms have {found}, expected {data.symmetries}; correct a vertex, or write symmetries = {found}"
        )
    return grid


def _check_lattice(path: Path | str, grid: Grid) -> None:
    """Raise PuzzleError if the grid has translations outside its lattice; the message states it with a smaller cell.

    With such translations equal tiles would count as different, and symmetries of forms would be missed.
    """
    if not (moves := grid.further_translations):
        return
    basis = finer_basis(grid.gram, moves)
    gram = [[scalar_product(grid.gram, v, w) for w in basis] for v in basis]
    raise PuzzleError(
        f"{path}: gram: the lattice lacks translations of the grid: {_shown(moves[0])} takes all atoms to atoms of their kind; "
        f"state the grid by a smaller cell of {many(len(grid.atoms) // (len(moves) + 1), 'atom')}, "
        f"gram = [{', '.join(map(_shown, gram))}], whose lattice vectors are {' and '.join(map(_shown, basis))} in these coordinates"
    )


def _shown(row: Sequence[Fraction]) -> str:
    """Return a row of numbers as a file states it."""
    return f"[{', '.join(str(x) if x.denominator == 1 else json.dumps(str(x)) for x in row)}]"


def check_grid(path: Path) -> Grid:
    """Return the grid of a file. Raises PuzzleError also for a wrong polyform or a wrong example in ``[about]``."""
    grid = load_grid(path)
    _check_polyforms(grid)
    _check_example(grid, path)
    return grid


def _check_polyforms(grid: Grid) -> None:
    """Raise PuzzleError if a named picture of a polyform cannot be read or has another number of faces."""
    for size, forms in grid.polyforms.items():
        for name, picture in forms.items():
            where = f"polyforms.{size}.{name}"
            with PuzzleError.at(f"{where}: "):
                faces = len(parse_picture(grid, picture).atoms)
            if faces != size:
                raise PuzzleError(f"{where}: the picture has {many(faces, 'face')}, expected {size}")


def _check_example(grid: Grid, path: Path) -> None:
    """Raise PuzzleError if the picture in ``[about]`` of a grid file cannot be read."""
    from puzzlesat.puzzles.reading import read_file
    from puzzlesat.puzzles.schema import GridFile

    about = read_file(GridFile, path).about
    if about is not None:
        with PuzzleError.at(f"{path}: about.example: "):
            parse_picture(grid, about.example, of_form=True)


def colours_at(grid: Grid, table: Mapping[str, list[AtomRef]], atoms: Collection[AtomId], whole: str) -> dict[AtomId, str]:
    """Return the colour of each coloured atom. Raises PuzzleError for an atom that is not in ``whole``, or has two colours."""
    colours: dict[AtomId, str] = {}
    for name, refs in table.items():
        with PuzzleError.at(f"colours.{name}: "):
            named = grid.atoms_at(refs)
        if strange := named - set(atoms):
            raise PuzzleError(f"colours.{name}: {grid.show(min(strange))} is not in {whole}; remove it")
        if twice := named & colours.keys():
            raise PuzzleError(f"colours.{name}: {grid.show(min(twice))} is {colours[min(twice)]!r} already; remove one")
        colours |= dict.fromkeys(named, name)
    return colours


def _plain_layout(atoms: Sequence[Atom], dimension: int) -> Layout:
    """Return the layout of a grid without pictures of its own: a character for each cell with one face; no pictures for several faces."""
    steps = tuple(tuple(int(i == k) for i in range(dimension)) for k in range(dimension))
    faces = tuple(number for number, atom in enumerate(atoms) if atom.kind == atoms[0].kind)
    return Layout(steps, (CellSite((0,) * dimension, {PLAIN: faces}, {}),) if len(faces) == 1 else ())


def _layout(path: Path | str, picture: PictureTable, names: dict[str, int]) -> Layout:
    sites = tuple(_site(path, names, at=s.at, glyphs=s.glyphs, optional=s.optional) for s in picture.sites)
    return Layout(tuple(tuple(s) for s in picture.steps), sites)


def _site(path: Path | str, names: dict[str, int], at: list[int], glyphs: dict[str, list[str]], optional: dict[str, list[str]]) -> CellSite:
    unknown = sorted({n for meant in (*glyphs.values(), *optional.values()) for n in meant} - names.keys())
    if unknown:
        raise PuzzleError(*(f"{path}: picture.sites: there is no atom {n!r}{near_match(n, names)}" for n in unknown))

    def indices(table: dict[str, list[str]]) -> dict[str, tuple[int, ...]]:
        return {glyph: tuple(names[n] for n in meant) for glyph, meant in table.items()}

    return CellSite(tuple(at), indices(glyphs), indices(optional))


def _rings(path: Path | str, data: GridFile, grid: Grid) -> dict[int, tuple[AtomId, ...]]:
    rings = {}
    for name, ring in data.rings.items():
        try:
            face = grid.index(name)
        except KeyError:
            raise PuzzleError(f"{path}: rings: there is no atom {name!r}") from None
        with PuzzleError.at(f"{path}: rings.{name}: "):
            rings[face] = tuple(grid.atom_at(ref) for ref in ring)
    return rings


def _crossings(path: Path | str, data: GridFile, grid: Grid) -> tuple[Crossing, ...]:
    from puzzlesat.puzzles.reading import nth_table

    crossings = []
    for number, table in enumerate(data.crossings):
        with PuzzleError.at(f"{path}: {nth_table('crossings', number)}: "):
            crossings.append(Crossing(tuple(sorted(grid.atoms_at(table.through))), tuple(sorted(grid.atoms_at(table.blocks)))))
    wrong = {grid.atoms[a[-1]].name for c in crossings for a in c.blocks if grid.atoms[a[-1]].kind == grid.main_kind}
    if wrong:
        raise PuzzleError(
            f"{path}: crossings: blocks: {min(wrong)!r} is an atom that tiles are made of; give what blocks a kind of its own"
        )
    return tuple(crossings)
