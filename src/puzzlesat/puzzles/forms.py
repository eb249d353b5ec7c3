"""Forms: the required and the optional atoms of a [form] table; and all polyforms of n faces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from puzzlesat.base import Longs, PuzzleError, listed, near_match
from puzzlesat.puzzles.convex import is_convex
from puzzlesat.puzzles.grid import AtomId, Grid, Symmetry, atom_order, check_cells, translate
from puzzlesat.puzzles.grids import colours_at
from puzzlesat.puzzles.problem import least
from puzzlesat.puzzles.puzzle import Form, Rule, Split
from puzzlesat.puzzles.text_pictures import parse_picture
from puzzlesat.puzzles.wrap import Wrap, make_wrap, with_atoms

if TYPE_CHECKING:
    from puzzlesat.puzzles.schema import ConditionTable, FormTable, SplitTable

Shape = tuple[AtomId, ...]
MAX_IMAGES = 250_000
"""Most turned and mirrored polyforms that are computed for one size: some ten seconds."""
CACHED_SETS = 32
"""Size of the cache of sets of polyforms."""
NOT_THERE = np.iinfo(np.int64).max // 2
"""A number greater than any coordinate."""


def normal(atoms: Iterable[AtomId]) -> Shape:
    """Return a set of atoms, moved so that its smallest coordinates are 0, and sorted."""
    atoms = list(atoms)
    home = tuple(-min(a[i] for a in atoms) for i in range(len(atoms[0]) - 1))
    return tuple(sorted((translate(a, home) for a in atoms), key=atom_order))


class Images:
    """Finds the least images of sets of atoms under symmetries of the grid and translations.

    A set of n atoms is a row of an array (sets, n, dimension + 1); in an image the smallest coordinates are 0, and the atoms are sorted.
    """

    def __init__(self, symmetries: Sequence[Symmetry]) -> None:
        self.symmetries = [(np.array(g.matrix), np.array(g.shift), np.array(g.image), g.over) for g in symmetries]

    def least(self, sets: Longs) -> Longs:
        """Return the least image of each of several sets of the same size."""
        flat = least(self._image(sets, *own).reshape(len(sets), -1) for own in self.symmetries)
        return flat.reshape(sets.shape)

    def least_of(self, atoms: Iterable[AtomId]) -> Shape:
        """Return the least image of one set."""
        return tuple(map(tuple, self.least(np.array([[*atoms]]))[0].tolist()))

    @staticmethod
    def _image(sets: Longs, matrix: Longs, shift: Longs, image: Longs, over: int) -> Longs:
        """Return the sets after a motion; a set with a ball that leaves the grid becomes greater than every other."""
        own = sets[..., -1]
        moved = np.concatenate([sets[..., :-1] @ matrix.T + shift[own], image[own][..., None]], axis=-1)
        cells = moved[..., :-1]
        cells -= cells.min(axis=1, keepdims=True)
        if over > 1:
            moved[(cells % over).any(axis=(1, 2))] = NOT_THERE
            cells //= over
        order = np.lexsort((moved[..., -1], *(cells[..., i] for i in range(cells.shape[-1]))))
        return np.take_along_axis(moved, order[..., None], axis=1)


@lru_cache(CACHED_SETS)
def polyforms(grid: Grid, size: int, convention: str) -> Mapping[str, Shape]:
    """Return all polyforms of ``size`` faces by name.

    ``convention`` is ``free`` (up to turns and mirrors), ``one_sided`` (up to turns) or ``fixed`` (up to translation). Names come from the
    grid file if it has them (a mirror twin gets an apostrophe), else they are ``SIZE-NUMBER``. Raises PuzzleError if there are too many.
    """
    everything = grid.symmetries
    turns = tuple(g for g in everything if not g.mirror)
    group = {"free": everything, "one_sided": turns, "fixed": everything[:1]}[convention]
    found = _grow(grid, size, group)
    if convention != "fixed" and len(grid.motions) > len(everything):
        # further motions may keep balls in one plane on the grid, but not the balls that are added to them later: so they apply only here
        everything, group = grid.motions, tuple(g for g in grid.motions if convention == "free" or not g.mirror)
        found = _least(group, found)
    images, every = Images(group), Images(everything)
    usual = {every.least_of(atoms): (name, atoms) for name, atoms in _usual_forms(grid, size).items()}
    named: dict[str, Shape] = {}
    twins: list[tuple[str, Shape]] = []
    for number, shape in enumerate(found, start=1):
        name, drawn = usual.get(every.least_of(shape), (f"{size}-{number:02d}", shape))
        if images.least_of(shape) == images.least_of(drawn):
            named[name] = normal(drawn)
        else:
            twins.append((name, shape))
    for name, shape in twins:
        while name in named:
            name += "'"
        named[name] = shape
    return MappingProxyType(dict(sorted(named.items())))


def _grow(grid: Grid, size: int, group: Sequence[Symmetry]) -> list[Shape]:
    """Return the polyforms of ``size`` faces: add one neighbour after another and keep one polyform of each class."""
    origin = (0,) * grid.dimension
    faces = [(*origin, a) for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    level = _least(group, [(face,) for face in faces])
    for faces_more in range(size - 1, 0, -1):
        grown = [(*shape, neighbour) for shape in level for atom in shape for neighbour in grid.neighbours(atom) if neighbour not in shape]
        if not grown:
            raise PuzzleError(f"there is no polyform of {size} faces on grid {grid.name!r}: no more faces share a side there")
        if len(grown) * len(group) << (faces_more - 1) > MAX_IMAGES:  # each level has at least twice the size of the last one
            raise PuzzleError(f"there are too many polyforms of {size} faces on grid {grid.name!r}; ask for fewer faces")
        level = _least(group, grown)
    return level


def _least(group: Sequence[Symmetry], shapes: Sequence[Shape]) -> list[Shape]:
    """Return the least images of shapes of the same size, each once and in order."""
    found = np.unique(Images(group).least(np.array(shapes)), axis=0)
    return [tuple(map(tuple, shape)) for shape in found.tolist()]


def _usual_forms(grid: Grid, size: int) -> dict[str, Shape]:
    """Return the named polyforms of the grid file with this size."""
    forms = {}
    for name, picture in grid.polyforms.get(size, {}).items():
        try:
            forms[name] = normal(parse_picture(grid, picture).atoms)
        except PuzzleError as error:
            raise PuzzleError(f"grid {grid.name!r}: polyforms.{size}.{name}: {error}") from None
    return forms


MAX_CORNERS = 100


def form_from_table(grid: Grid, table: FormTable, *, may_cross: bool = False) -> Form:
    """Return the form that a table describes. If tiles must not cross, its crossings are optional atoms of it.

    Raises PuzzleError naming the key inside ``form``.
    """
    atoms, optional = _drawn(grid, table)
    if wrong := [a for a in atoms if grid.atoms[a[-1]].role != "cover"]:
        raise PuzzleError(*(f"form.atoms: {grid.show(a)} is for marks and cannot be covered; remove it" for a in sorted(wrong)))
    with PuzzleError.at("form."):
        wrap = make_wrap(grid, {a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind}, table.wrap) if table.wrap else None
    for where, rules in (("inner", table.inner), ("outer", table.outer)):
        for kind, convention in rules.items():
            if convention == "required" and table.optional == "all":
                keys = f'optional = "all" and {where} = {{ {kind} = "required" }}'
                raise PuzzleError(
                    f'form: {keys} contradict each other; write {where} = {{ {kind} = "optional" }}, or list the optional atoms'
                )
            more = atoms_of_kind(grid, atoms, kind, where, wrap)
            if convention != "none":
                atoms |= more
            if convention == "optional":
                optional |= more
    with PuzzleError.at("form.remove: "):
        removed = grid.atoms_at(table.remove)
    if not may_cross:
        crossings = grid.crossings_of(atoms - removed, None if wrap is None else wrap.locate) - atoms
        atoms |= crossings
        optional |= crossings
    if wrap is not None:  # atoms between faces occur on both sides of a seam
        beside, wrap = with_atoms(wrap, {a for a in atoms if grid.atoms[a[-1]].kind != grid.main_kind})
        atoms = {a for a in atoms if grid.atoms[a[-1]].kind == grid.main_kind or a in beside}
    if missing := removed - atoms:
        raise PuzzleError(f"form.remove: {_not_there(grid, missing)} in the form anyway; delete {_them(missing)} from remove")
    atoms -= removed
    if table.optional == "all":
        optional = set(atoms)
    else:
        with PuzzleError.at("form.optional: "):
            chosen = grid.atoms_at(table.optional)
        if missing := chosen - atoms:
            raise PuzzleError(f"form.optional: {_not_there(grid, missing)} in the form; delete {_them(missing)} from optional")
        optional |= chosen
    optional &= atoms
    if not atoms:
        raise PuzzleError("form: no atom is left in it")
    with PuzzleError.at("form."):
        colours = colours_at(grid, table.colours, atoms, "the form")
    return Form(tuple(sorted(atoms - optional, key=atom_order)), tuple(sorted(optional, key=atom_order)), colours, wrap)


def atoms_of_kind(grid: Grid, form: set[AtomId] | frozenset[AtomId], kind: str, where: str, wrap: Wrap | None = None) -> set[AtomId]:
    """Return the atoms of a kind that are between two faces of the form (``inner``) or at only one (``outer``)."""
    kinds = {a.kind for a in grid.atoms if a.role == "cover" and a.kind != grid.main_kind}
    if kind not in kinds:
        raise PuzzleError(f"form.{where}: grid {grid.name!r} has no kind {kind!r} of atoms beside its faces{near_match(kind, kinds)}")
    if kind in grid.crossing_kinds:
        raise PuzzleError(f"form.{where}: the {kind}s of a form are added automatically; remove this key")
    faces = {a for a in form if grid.atoms[a[-1]].kind == grid.main_kind}
    sides = {s for face in faces for s in grid.sides_of(face) if grid.atoms[s[-1]].kind == kind}
    at = grid.faces_at if wrap is None else lambda side: map(wrap.locate, grid.faces_at(side))
    return {s for s in sides if (sum(f in faces for f in at(s)) > 1) == (where == "inner")}


def rule_from_table(grid: Grid, form: Form, tiles: set[str], table: ConditionTable) -> Rule:
    """Return the rule that a [[conditions]] table describes."""
    low, high = table.between or (table.equals or 0, table.equals or 0)
    if low > high:
        raise PuzzleError(f"conditions.{table.name}: between: {low} is more than {high}")
    modulus, residue = (table.modulo.of, table.modulo.is_) if table.modulo else (0, 0)
    by_tile = table.tiles or {}
    if unknown := sorted(by_tile.keys() - tiles):
        raise PuzzleError(*(f"conditions.{table.name}: there is no tile {name!r}{near_match(name, tiles)}" for name in unknown))
    return Rule(table.name, _weights(grid, form, table), dict(by_tile), low, high, modulus, residue)


def split_from_table(grid: Grid, form: Form, table: SplitTable) -> Split:
    """Return the split that a [split] table describes."""
    *where, kind = table.uncovered.split()
    if where:
        try:
            there = map(form.locate, atoms_of_kind(grid, form.atoms, kind, where[0], form.wrap))
            return Split(table.name, frozenset(a for a in there if a is not None))
        except PuzzleError as error:
            raise PuzzleError(str(error).replace(f"form.{where[0]}", "split.uncovered")) from None
    if kind not in (kinds := {a.kind for a in grid.atoms if a.role == "cover"}):
        raise PuzzleError(f"split.uncovered: grid {grid.name!r} has no kind {kind!r} of atoms{near_match(kind, kinds)}")
    return Split(table.name, frozenset(a for a in form.atoms if grid.atoms[a[-1]].kind == kind))


def _drawn(grid: Grid, table: FormTable) -> tuple[set[AtomId], set[AtomId]]:
    if table.picture is not None:
        with PuzzleError.at("form.picture: "):
            drawn = parse_picture(grid, table.picture, of_form=True)
        return set(drawn.atoms), set(drawn.optional)
    if (sides := table.box) is not None:
        if len(sides) != grid.dimension:
            example = [3, 3, 3] if grid.dimension == 3 else [6, 10]
            raise PuzzleError(f"form.box: expected {grid.dimension} sides, got {len(sides)}; write such as box = {example}")
        with PuzzleError.at("form.box: "):
            return grid.box(sides), set()
    if (corners := table.polygon) is not None:
        if grid.dimension != 2 or len(corners) < 3 or any(len(corner) != 2 for corner in corners):
            raise PuzzleError("form.polygon: expected three or more corners [x, y] in a plane grid")
        if len(corners) > MAX_CORNERS:
            raise PuzzleError(f"form.polygon: {len(corners):,} corners; expected {MAX_CORNERS} at most")
        if not is_convex(corners):
            raise PuzzleError("form.polygon: the corners must go once round a convex polygon; give other forms as a picture or as atoms")
        with PuzzleError.at("form.polygon: "):
            return grid.polygon(corners), set()
    if table.shape is not None:
        name, size = table.shape
        if name not in grid.shapes:
            from puzzlesat.puzzles.schema import FormTable

            known = [*grid.shapes, *(key for key in FormTable.model_fields if key != "shape")]
            ways = [*grid.shapes, "picture", "atoms", "box", "polygon"]
            if name == "cube":
                raise PuzzleError(f"form: unknown key 'cube'; write box = {[size] * grid.dimension}")
            raise PuzzleError(f"form: unknown key {name!r}{near_match(name, known) or f'; a form is given by {listed(ways, 20)}'}")
        if size < 1:
            raise PuzzleError(f"form.{name}: expected a size of 1 or more, got {size}")
        with PuzzleError.at(f"form.{name}: "):
            return grid.shape(name, size), set()
    with PuzzleError.at("form.atoms: "):
        check_cells(len(table.atoms or ()), "atoms")
        return grid.atoms_at(table.atoms or ()), set()


def _weights(grid: Grid, form: Form, table: ConditionTable) -> dict[AtomId, int]:
    where = f"conditions.{table.name}"
    if table.atoms is not None:
        weights: dict[AtomId, int] = {}
        for entry in table.atoms:
            if len(entry) < 2 or not isinstance(weight := entry[-1], int) or abs(weight) > 10**9:
                raise PuzzleError(f"{where}: atoms: expected an atom and its weight, such as [1, 1, 5], got {entry}")
            with PuzzleError.at(f"{where}: atoms: "):
                atom = grid.atom_at(entry[:-1])
            if atom in weights:
                raise PuzzleError(f"{where}: atoms: {grid.show(atom)} is listed twice; remove one")
            weights[atom] = weight
        if outside := weights.keys() - form.atoms:
            raise PuzzleError(f"{where}: atoms: {_not_there(grid, outside)} in the form; remove {_them(outside)}")
        return weights
    if table.along is None:
        return {}
    if len(table.along) != grid.dimension:
        raise PuzzleError(f"{where}: along: expected {grid.dimension} numbers, got {len(table.along)}")
    names = {a.name for a in grid.atoms}
    if unknown := sorted(table.shift.keys() - names):
        raise PuzzleError(*(f"{where}: shift: grid {grid.name!r} has no atom {name!r}{near_match(name, names)}" for name in unknown))
    kind = table.kind or grid.main_kind
    if kind not in {a.kind for a in grid.atoms}:
        raise PuzzleError(f"{where}: kind: grid {grid.name!r} has no kind {kind!r}{near_match(kind, {a.kind for a in grid.atoms})}")
    weights = {}
    for atom in form.atoms:
        if grid.atoms[atom[-1]].kind == kind:
            position = sum(k * c for k, c in zip(table.along, atom[:-1], strict=True)) + table.shift.get(grid.atoms[atom[-1]].name, 0)
            weights[atom] = table.values[position % len(table.values)]
    return weights


def _not_there(grid: Grid, atoms: Collection[AtomId]) -> str:
    return listed(grid.show(a) for a in sorted(atoms)) + (" is not" if len(atoms) == 1 else " are not")


def _them(atoms: Collection[AtomId]) -> str:
    return "it" if len(atoms) == 1 else "them"
