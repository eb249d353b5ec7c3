"""The candidate forms from generators and files: options of ``puzzlesat forms``, keys of a study.

Generators make boxes, frames, shapes, convex forms, polyforms, forms with faces cut out, and enlarged tiles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby, islice, product
from math import prod
from pathlib import Path

import numpy as np

from puzzlesat import puzzles
from puzzlesat.base import PuzzleError, is_file, is_folder, text_of, why_missing
from puzzlesat.designing.polyforms import NONE, convex_forms, fits, has_symmetries, named_symmetries, ring, symmetric_polyforms
from puzzlesat.designing.tile_set import Kit, digest
from puzzlesat.formats import Given, is_foreign, readable, tables_in

# generators ---------------------------------------------------------------------------------------------------------------------

MAX_FORMS = 100_000
"""Largest number of generated forms."""
TOGETHER = 256
"""Number of forms whose images are computed together."""

Named = tuple[str, frozenset[puzzles.AtomId]]


class TooManyFormsError(PuzzleError):
    """There are more forms than ``most``."""

    most = MAX_FORMS


@dataclass(frozen=True)
class Candidate:
    """A form to try."""

    name: str
    table: puzzles.FormTable
    path: Path | None = None
    """The file of the form."""
    without: str | None = None
    """The tile of which one copy is omitted."""

    @property
    def key(self) -> str:
        """A text that identifies the form and the omitted tile."""
        return digest([self.table.model_dump(), self.without])


@dataclass(frozen=True)
class FormFilter:
    """The properties that all generated forms must have."""

    areas: Sequence[int]
    symmetries: Sequence[puzzles.Symmetry]
    """Each must map the form onto itself; the identity alone requires nothing."""
    within: puzzles.Cell | None = None
    """Largest number of cells along each lattice direction."""

    def accepts(self, atoms: frozenset[puzzles.AtomId]) -> bool:
        """Return whether a form has the symmetries and fits ``within``."""
        return fits([atoms], self.within) and (len(self.symmetries) == 1 or has_symmetries(atoms, self.symmetries))


def different(kit: Kit, forms: Iterable[Named], wanted: FormFilter) -> list[Named]:
    """Return the accepted forms, one of each class under translations and the symmetries that map the set of tiles to itself.

    Raises TooManyFormsError if there are too many.
    """
    images = puzzles.Images(kit.alike())
    found: dict[bytes, Named] = {}
    accepted = (form for form in forms if wanted.accepts(form[1]))
    for _, same_size in groupby(accepted, key=lambda form: len(form[1])):
        while some := list(islice(same_size, TOGETHER)):
            least = images.least(np.array([[*atoms] for _, atoms in some])).astype(np.int32)
            for form, image in zip(some, least, strict=True):
                found.setdefault(image.tobytes(), form)
            if len(found) > MAX_FORMS:
                raise TooManyFormsError(
                    f"more than {MAX_FORMS:,} forms; ask for more symmetry (--symmetry), a smaller box (--within) or area"
                )
    return list(found.values())


def can_be_convex(grid: puzzles.Grid) -> bool:
    """Return whether a grid can have convex forms: it has faces in the plane."""
    return grid.dimension == 2 and all(len(atom.vertices) > 2 for atom in grid.atoms if atom.kind == grid.main_kind)


def numbered(kind: str, forms: Sequence[Named]) -> list[Named]:
    """Return the forms with names of a kind and a number."""
    width = len(str(len(forms)))
    return [(f"{kind}-{number:0{width}d}", atoms) for number, (_, atoms) in enumerate(forms, start=1)]


def boxes(grid: puzzles.Grid, areas: Iterable[int]) -> Iterator[Named]:
    """Yield all rectangles (parallelograms on other grids, boxes in space) of the given areas, wide ones before high ones."""
    each = _faces_a_cell(grid)
    for cells in (area // each for area in areas if area % each == 0):
        divisors = [d for d in range(cells, 0, -1) if cells % d == 0]
        for sides in product(divisors, repeat=grid.dimension):
            if prod(sides) == cells:
                yield box_name(sides), frozenset(grid.box(sides))


def box_name(sides: Sequence[int]) -> str:
    """Return the name of a box: its rows and columns, in space after its layers."""
    return "x".join(map(str, reversed(sides)))


def _faces_a_cell(grid: puzzles.Grid) -> int:
    return sum(atom.kind == grid.main_kind for atom in grid.atoms)


def frames(grid: puzzles.Grid, areas: Sequence[int]) -> Iterator[Named]:
    """Yield all boxes with an inner box removed that does not touch the outside, at every place."""
    each = _faces_a_cell(grid)
    cells = {area // each for area in areas if area % each == 0}
    most = max(cells, default=0)
    for outer in product(range(most, 2, -1), repeat=grid.dimension):
        if prod(outer) - prod(side - 2 for side in outer) > most:
            continue
        for inner in product(*(range(1, side - 1) for side in outer)):
            if prod(outer) - prod(inner) in cells:
                whole = grid.box(outer)
                for corner in product(*(range(1, o - i) for o, i in zip(outer, inner, strict=True))):
                    hole = {puzzles.translate(a, corner) for a in grid.box(inner)}
                    place = ".".join(str(c + 1) for c in corner)
                    yield f"{box_name(outer)}-{box_name(inner)}@{place}", frozenset(whole - hole)


def shapes(grid: puzzles.Grid, areas: Sequence[int]) -> Iterator[Named]:
    """Yield the shapes of the grid file (triangles, hexagons …) of the given areas."""
    for name in grid.shapes:
        for size in range(1, max(areas) + 2):
            atoms = frozenset(grid.shape(name, size))
            if len(atoms) in areas:
                yield f"{name}-{size}", atoms
            if len(atoms) > max(areas):
                break


def convex(grid: puzzles.Grid, areas: Iterable[int]) -> Iterator[Named]:
    """Yield all convex forms of the given areas. Raises PuzzleError on a grid without faces in the plane."""
    if not can_be_convex(grid):
        raise PuzzleError(
            f"--convex: works only on grids of faces in the plane; grid {grid.name!r} is not one, but --boxes works on every grid"
        )
    for area in areas:
        yield from (("", atoms) for atoms in convex_forms(grid, area))


def polyforms(grid: puzzles.Grid, wanted: FormFilter) -> Iterator[Named]:
    """Yield all connected forms with the wanted areas and symmetries."""
    for area in wanted.areas:
        yield from (("", atoms) for atoms in symmetric_polyforms(grid, area, wanted.symmetries, wanted.within))


def cut(grid: puzzles.Grid, whole: frozenset[puzzles.AtomId], wanted: FormFilter) -> Iterator[Named]:
    """Yield the connected forms that remain of a form when faces are removed symmetrically.

    Raises PuzzleError for a symmetry that the form does not have, and for a form that is too small.
    """
    motions = [g.motion_of(whole) for g in wanted.symmetries]
    if wrong := [g.name for g, motion in zip(wanted.symmetries, motions, strict=True) if motion is None]:
        raise PuzzleError(f"--cut: the form has no symmetry {wrong[0]!r}; remove --symmetry, or choose one that it has")
    orbits = sorted({tuple(sorted({m(a) for m in motions if m is not None})) for a in whole})
    if len(whole) < min(wanted.areas):
        raise PuzzleError(f"--cut: the form has {len(whole)} faces, and {min(wanted.areas)} are needed; choose a larger one")
    own = [m for g in grid.symmetries if (m := g.motion_of(whole)) is not None]
    number = {a: i for i, a in enumerate(whole)}
    images = np.array([[number[m(a)] for a in whole] for m in own])
    known: set[tuple[int, ...]] = set()
    for removed in _choices(orbits, {len(whole) - area for area in wanted.areas}):
        # one of the images under the symmetries of the form is enough, and quickly found
        least = min(tuple(sorted(image)) for image in images[:, [number[a] for a in removed]].tolist())
        if least in known:
            continue
        known.add(least)
        left = whole - set(removed)
        if left and len(grid.parts(left)) == 1:
            yield "", left


def grown(grid: puzzles.Grid, forms: Iterable[frozenset[puzzles.AtomId]], number: int) -> Iterator[Named]:
    """Yield the forms with ``number`` added faces, each beside the form or a face added before."""
    larger = {*forms}
    for _ in range(number):
        larger = {whole | {a} for whole in larger for a in beside(grid, whole)}
        if len(larger) > MAX_FORMS:
            raise PuzzleError(f"more than {MAX_FORMS:,} forms; add fewer faces")
    yield from (("", whole) for whole in sorted(larger, key=sorted))


def shifted(grid: puzzles.Grid, whole: frozenset[puzzles.AtomId]) -> Iterator[Named]:
    """Yield the connected forms that result from moving one face of a form to another place beside the rest."""
    for face in sorted(whole):
        left = whole - {face}
        for other in sorted(beside(grid, left) - {face}):
            form = left | {other}
            if len(grid.parts(form)) == 1:
                yield "", form


def beside(grid: puzzles.Grid, atoms: frozenset[puzzles.AtomId]) -> set[puzzles.AtomId]:
    """Return the faces that share a side with some faces, except these faces."""
    return {b for a in atoms for b in grid.neighbours(a) if grid.atoms[b[-1]].kind == grid.main_kind} - atoms


def changed_forms(kit: Kit, name: str, whole: frozenset[puzzles.AtomId], how: str, number: int, symmetry: str) -> list[Candidate]:
    """Return the forms that result from changing some faces of a form, one of each class under the symmetries of the tiles.

    ``how`` is ``remove`` or ``add`` for ``number`` faces, or ``move`` for one face. Raises TooManyFormsError.
    """
    grid, area = kit.grid, len(whole) + {"remove": -number, "add": number, "move": 0}[how]
    wanted = FormFilter(range(area, area + 1), named_symmetries(grid, symmetry))
    made: dict[str, Callable[[], Iterable[Named]]] = {
        "remove": lambda: cut(grid, whole, wanted),
        "add": lambda: grown(grid, [whole], number),
        "move": lambda: shifted(grid, whole),
    }
    word = {"remove": f"less-{number}", "add": f"more-{number}", "move": "moved"}[how]
    return [Candidate(each, kit.table(atoms)) for each, atoms in numbered(f"{name}-{word}", different(kit, made[how](), wanted))]


def _choices(orbits: Sequence[tuple[puzzles.AtomId, ...]], totals: set[int]) -> Iterator[list[puzzles.AtomId]]:
    """Yield the atoms of every choice of orbits whose total number of atoms is in ``totals``."""
    most = max(totals)
    waiting: list[tuple[int, list[puzzles.AtomId]]] = [(0, [])]
    while waiting:
        first, chosen = waiting.pop()
        if len(chosen) in totals:
            yield chosen
        following = [(i + 1, [*chosen, *orbits[i]]) for i in range(first, len(orbits)) if len(chosen) + len(orbits[i]) <= most]
        waiting += reversed(following)


def replicas(kit: Kit, times: int) -> Iterator[Named]:
    """Yield each tile enlarged ``times`` times, under its name.

    Raises PuzzleError on a grid whose faces do not form larger ones of the same shape.
    """
    if kit.grid.dimension != 2:
        raise PuzzleError("--replicas: works only on grids in the plane")
    for tile in kit.tiles:
        faces = [a for a in tile.atoms if kit.grid.atoms[a[-1]].kind == kit.grid.main_kind]
        yield tile.name, enlarged(kit.grid, faces, times)


def enlarged(grid: puzzles.Grid, atoms: Iterable[puzzles.AtomId], times: int) -> frozenset[puzzles.AtomId]:
    """Return the faces that some faces cover when enlarged. Raises PuzzleError if larger faces do not consist of whole ones."""
    made: set[puzzles.AtomId] = set()
    for face in atoms:
        corners = [tuple(times * x for x in v) for v in ring(grid.vertices(face))]
        found = grid.polygon(corners) if len(corners) > 2 else set()
        if len(found) != times * times or found != grid.polygon(corners, whole=True):
            raise PuzzleError(f"--replicas: on grid {grid.name!r} larger faces do not consist of whole ones; give the forms in files")
        made |= found
    return frozenset(made)


# files and options ----------------------------------------------------------------------------------------------------------------

SEPARATOR = re.compile(r"\s*(?:-{3,}|={3,})\s*(.*?)\s*[-=]*\s*")
"""A line between two pictures; it may contain the name of the second."""


def from_files(kit: Kit, paths: Sequence[Path]) -> list[Candidate]:
    """Return the forms of files and folders. Raises PuzzleError with all files that cannot be read."""
    found: list[Candidate] = []
    wrong: list[str] = []
    for path in _files(paths):
        try:
            if path.suffix == ".txt":
                found += _pictures(kit, path)
            else:
                found += [_candidate(kit, name, instance, path) for name, instance, _ in tables_in(path)]
        except PuzzleError as error:
            wrong += error.problems
    if wrong:
        raise PuzzleError(*wrong)
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    suffixes = readable("puzzles").foreign.unmistakable
    for path in paths:
        if is_folder(path):
            others = [file for suffix in (".txt", *suffixes) for file in path.rglob(f"*{suffix}")]
            inside = sorted(
                [*(f for f in sorted(path.rglob("*.toml")) if puzzles.kind_of_table(puzzles.read_table(f)) == "instance"), *others]
            )
            if not inside:
                raise PuzzleError(f"{path}: there is no puzzle ({', '.join(('.toml', *suffixes))}) and no picture (.txt) in this folder")
            yield from inside
        elif path.suffix in (".toml", ".txt") or is_foreign(path):
            if not is_file(path):
                raise PuzzleError(f"{path}: {why_missing(path)}")
            yield path
        else:
            raise PuzzleError(f"{path}: expected a folder, a puzzle ({', '.join(readable('puzzles').suffixes)}) or a text picture (.txt)")


def _candidate(kit: Kit, name: str, instance: puzzles.InstanceFile, path: Path) -> Candidate:
    own = instance.grid_name or puzzles.Library().model(instance.model or "", path)[0].grid_name
    if own != kit.grid.name:
        raise PuzzleError(f"{path}: the form lies on grid {own!r}, the tiles of {kit.title} on {kit.grid.name!r}")
    if ignored := [key for key in ("conditions", "solutions") if key in instance.model_fields_set and getattr(instance, key)]:
        raise PuzzleError(f"{path}: {ignored[0]}: only the form of this file is used; remove them, or move them to {kit.path}")
    return Candidate(name, instance.form, path)


def _pictures(kit: Kit, path: Path) -> list[Candidate]:
    """Return the forms of the pictures in a text file."""
    lines = text_of(path, puzzles.MAX_OF_A_PUZZLE).splitlines()
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if (match := SEPARATOR.fullmatch(line)) is not None:
            blocks.append((match[1], []))
        else:
            blocks[-1][1].append(line)
    drawn = [(name, "\n".join(rows)) for name, rows in blocks if any(row.strip() for row in rows)]
    if not drawn:
        raise PuzzleError(f"{path}: there is no picture in this file")
    several = len(drawn) > 1
    return [
        Candidate(name or (f"{path.stem}-{number}" if several else path.stem), kit.table(picture=text), path)
        for number, (name, text) in enumerate(drawn, start=1)
    ]


@dataclass(frozen=True)
class Sources:
    """The files and generators of forms, and the properties of generated forms."""

    paths: Sequence[Path] = ()
    boxes: bool = False
    frames: bool = False
    shapes: bool = False
    convex: bool = False
    polyforms: bool = False
    cut: Sequence[str] = ()
    replicas: Sequence[int] = ()
    symmetry: str = NONE
    within: str | None = None
    area: str | None = None

    def candidates(self, kit: Kit) -> list[Candidate]:
        """Return all requested forms, each with a unique name. Raises PuzzleError for invalid options and files."""
        return _distinct_names(_candidates(kit, self))

    def of_sets(
        self, tiles: Given, *, copies: int | None = None, any_number: bool = False, problem: int | str | None = None
    ) -> tuple[Kit, list[Candidate]]:
        """Return tiles of which any may be omitted, and the forms to fill; without sources, the form of the instance of this name.

        There are ``copies`` of each tile, or an unlimited number; default: its own number.
        """
        own_form = self == Sources()
        if own_form and isinstance(tiles, str) and "\n" not in tiles:
            with suppress(PuzzleError):
                tiles = str(puzzles.find_instance(tiles))
        kit = Kit.of(tiles, some=True, own_form=own_form, problem=problem)
        if copies is not None or any_number:
            kit = kit.with_copies(copies)
        if not own_form:
            return kit, self.candidates(kit)
        if not kit.has_form:
            raise PuzzleError(
                "no form to fill; give an instance or a file with a form, or make forms with --boxes, --shapes and similar options"
            )
        return kit, [Candidate(kit.path.stem, kit.instance.form, kit.path)]


def _candidates(kit: Kit, sources: Sources) -> list[Candidate]:
    found = from_files(kit, sources.paths)
    for candidate in found:
        kit.to_fill(candidate.name, candidate.table, path=candidate.path)  # raise errors of files before any work begins
    made = (sources.boxes, sources.frames, sources.shapes, sources.convex, sources.polyforms, sources.cut, sources.replicas)
    if not any(made) and not sources.paths:
        raise PuzzleError(
            "no forms to try; give files or folders, "
            "or make forms with --boxes, --frames, --shapes, --convex, --polyforms, --cut or --replicas"
        )
    if not any(made):
        return found
    symmetries = named_symmetries(kit.grid, sources.symmetry)
    within = None if sources.within is None else _sides(kit.grid, "--within", sources.within)
    for times in sources.replicas:
        wanted = FormFilter((), symmetries, within)
        forms = [(name, atoms) for name, atoms in replicas(kit, times) if wanted.accepts(atoms)]
        found += [Candidate(f"{name}*{times}", kit.table(atoms), without=name) for name, atoms in forms]
    if any(made[:-1]):
        wanted = FormFilter(_areas(kit, sources.area), symmetries, within)
        found += [Candidate(name, kit.table(atoms)) for name, atoms in different(kit, _generated(kit, sources, wanted), wanted)]
    return found


def _generated(kit: Kit, sources: Sources, wanted: FormFilter) -> Iterator[Named]:
    """Yield the named forms of every requested generator; equal forms may occur several times."""
    grid, areas = kit.grid, wanted.areas
    if sources.boxes:
        yield from boxes(grid, areas)
    if sources.shapes:
        yield from shapes(grid, areas)
    if sources.frames:
        yield from frames(grid, areas)
    for kind, forms in [
        *([("convex", convex(grid, areas))] if sources.convex else []),
        *((f"{name}-cut", cut(grid, _whole(grid, name), wanted)) for name in sources.cut),
        *([("form", polyforms(grid, wanted))] if sources.polyforms else []),
    ]:
        yield from numbered(kind, different(kit, forms, wanted))


def _areas(kit: Kit, given: str | None) -> range:
    """Return the areas of generated forms: of the option ``--area``, by default the area of the tiles."""
    low, high = kit.area
    if given is None:
        if low != high:
            span = f"{low} or more" if high is None else f"{low} to {high}"
            raise PuzzleError(f"the tiles cover {span} faces; give the size of the forms, such as --area {low or 12}")
        return range(low, low + 1)
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", given)
    if match is None or int(match[1]) < 1 or int(match[2] or match[1]) < int(match[1]):
        raise PuzzleError(f"--area {given}: expected a number of faces such as 60, or a range such as 56-60")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


def _sides(grid: puzzles.Grid, option: str, given: str) -> tuple[int, ...]:
    example = "x".join(["8"] * grid.dimension)
    if not re.fullmatch(r"\d{1,4}(x\d{1,4})*", given) or given.count("x") + 1 != grid.dimension or "0" in given.split("x"):
        what = "rows and columns" if grid.dimension == 2 else "layers, rows and columns"
        raise PuzzleError(f"{option} {given}: expected {what}, such as {example}")
    return tuple(map(int, reversed(given.split("x"))))


def _whole(grid: puzzles.Grid, name: str) -> frozenset[tuple[int, ...]]:
    """Return the form that --cut names: a box, or a shape of the grid with its size."""
    kind, _, size = name.partition("=")
    is_shape = kind in grid.shapes and re.fullmatch(r"[1-9]\d{0,2}", size)
    if not is_shape and (size or not re.fullmatch(r"[\dx]+", name)):
        known = "".join(f", {s}=4" for s in grid.shapes)
        raise PuzzleError(f"--cut {name}: expected a form such as {'x'.join(['8'] * grid.dimension)}{known}")
    sides = () if is_shape else _sides(grid, "--cut", name)
    try:
        return frozenset(grid.shape(kind, int(size)) if is_shape else grid.box(sides))
    except PuzzleError as error:
        raise error.under(f"--cut {name}: ") from None


def _distinct_names(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Append a number to names that occurred before."""
    seen: Counter[str] = Counter()
    named = []
    for candidate in candidates:
        seen[candidate.name] += 1
        number = seen[candidate.name]
        named.append(candidate if number == 1 else replace(candidate, name=f"{candidate.name} ({number})"))
    return named
