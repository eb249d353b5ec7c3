"""Rules on solutions re-checked on the geometry: who owns which atom of the form, and how that looks from each point, side and line.

Nothing of this goes by items: it looks at the atoms round a point, at the two atoms of a side, at the atoms on both sides of a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np

from puzzlesat.base import Flags, Longs, Rows
from puzzlesat.puzzles.grid import AtomId, Grid, Point
from puzzlesat.puzzles.lattice import Matrix, apply_matrix
from puzzlesat.puzzles.placements import Placement
from puzzlesat.puzzles.puzzle import Puzzle, SolutionRules

Move = Callable[[Point], Point]
Broken = Callable[[Longs, Rows], Flags]
"""Takes the array (solutions, atoms) of owners, as places in the row of the solution (-1 where an atom is uncovered), and the rows; tells
which solutions break the rule."""


def make_rules_recheck(puzzle: Puzzle, placements: Sequence[Placement]) -> Callable[[Rows, Longs], tuple[Flags, str] | None]:
    """Return a function that says which of some solutions break a rule on solutions, and which rule; None where none does.

    It takes rows of placement numbers, padded with -1, and the array (solutions, atoms) of the places in the row of those who own the
    atoms, in the order of required and optional ones; -1 where nobody does.
    """
    if puzzle.solutions == SolutionRules():
        return lambda rows, owners: None
    checks = [*_checks(puzzle, placements)]

    def check(rows: Rows, owners: Longs) -> tuple[Flags, str] | None:
        for what, broken in checks:
            if (bad := broken(owners, rows)).any():
                return bad, what
        return None

    return check


def _checks(puzzle: Puzzle, placements: Sequence[Placement]) -> Iterator[tuple[str, Broken]]:
    rules = puzzle.solutions
    form = _Form(puzzle)
    if rules.no_crossroads:
        yield "four tiles meet at a point", _crossroads(form)
    if rules.fault_free:
        yield "a straight line goes through", _faults(form)
    for name in rules.symmetric:
        yield f"it does not look the same after {name}", _unlike(form, placements, *form.motion(name))
    for outline in rules.outlines:
        for name in outline.under:
            what = f"the tiles {' '.join(sorted(outline.tiles))} do not look the same after {name}"
            yield what, _outline(form, placements, outline.tiles, form.motion(name)[1])
    for group in rules.apart:
        yield f"two of the tiles {' '.join(sorted(group))} touch", _together(form, placements, group, strictly=rules.strictly)
    if rules.colours is not None:
        yield f"{rules.colours} colours are too few", _uncoloured(form, rules.colours, strictly=rules.strictly)
    yield from _of_placements(form, placements)


class _Form:
    """The form by its atoms, in the order of required and optional ones."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.atoms = [*puzzle.form.required, *puzzle.form.optional]
        self.number = {a: i for i, a in enumerate(self.atoms)}
        self.faces = [a for a in self.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind]

    def at(self, points: Iterable[Point]) -> list[list[int]]:
        """The faces of the form that have a corner at each of some points, wherever the form goes on beyond a seam."""
        found = set()
        for point in points:
            homes = {self.puzzle.form.locate(a) for a in _faces_with(self.puzzle.grid, point)}
            found.add(frozenset(self.number[a] for a in homes if a is not None))
        return sorted(map(sorted, found))

    def around(self) -> list[list[int]]:
        """The faces round each corner."""
        return self.at({v for a in self.faces for v in _corners(self.puzzle.grid, a)})

    def straight(self) -> list[tuple[list[int], list[list[int]]]]:
        """The faces round each corner, with those sticks (two, or one at a seam) that end on both sides of it in one line."""
        grid, found = self.puzzle.grid, set()
        for point in {v for a in self.faces for v in _corners(grid, a)}:
            homes = ((a, self.puzzle.form.locate(a)) for a in _faces_with(grid, point))
            here = [(self.number[home], [v for v in _corners(grid, a) if v != point]) for a, home in homes if home is not None]
            straight = set()
            for one, other in combinations(range(len(here)), 2):
                sticks = {here[one][0], here[other][0]}
                if _between(here[one][1], point, here[other][1]) and sum(number in sticks for number, _ in here) == 2:
                    straight.add(tuple(sorted(sticks)))
            found.add((tuple(sorted({number for number, _ in here})), tuple(sorted(straight))))
        return [([*faces], [[*sticks] for sticks in straight]) for faces, straight in sorted(found)]

    def sides(self) -> list[tuple[int, int]]:
        """The pairs of different faces that share a side."""
        form, grid = self.puzzle.form, self.puzzle.grid
        pairs = ((self.number[a], self.number[b]) for a in self.faces for b in form.neighbours(grid, a))
        return sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})

    def motion(self, name: str) -> tuple[Move, Longs]:
        """A symmetry of the form, as what it does to a point and where each atom goes, found by moving the corners of all atoms."""
        grid = self.puzzle.grid
        shapes = {frozenset(_corners(grid, a)): i for i, a in enumerate(self.atoms)}
        for symmetry in (s for s in grid.motions if s.name == name):
            turn = partial(_turned, symmetry.matrix, symmetry.over)
            there = _lowest({frozenset(map(turn, shape)) for shape in shapes})
            move = partial(_moved, turn, [x - y for x, y in zip(_lowest(shapes), there, strict=True)])
            image = [shapes.get(frozenset(map(move, shape)), -1) for shape in shapes]
            if min(image) >= 0:
                return move, np.array(image, dtype=np.int64)
        raise AssertionError(f"the form has no symmetry {name}")


def _corners(grid: Grid, atom: AtomId) -> list[Point]:
    return [tuple(x + c for x, c in zip(v, atom[:-1], strict=True)) for v in grid.atoms[atom[-1]].vertices]


def _between(ends: Sequence[Point], point: Point, others: Sequence[Point]) -> bool:
    """Whether a point of the plane lies on the line from one end to another, if each of two sticks has but one end beside it."""
    if (len(ends), len(others)) != (1, 1) or _spanned([point, *ends], *others):
        return False
    return all((x - p) * (y - p) <= 0 for x, p, y in zip(*ends, point, *others, strict=True))


def _faces_with(grid: Grid, point: Point) -> Iterator[AtomId]:
    """The faces of the infinite grid with a corner at a point."""
    for number, atom in enumerate(grid.atoms):
        for vertex in atom.vertices if atom.kind == grid.main_kind else ():
            cell = [p - v for p, v in zip(point, vertex, strict=True)]
            if all(x.denominator == 1 for x in cell):
                yield (*map(int, cell), number)


def _turned(matrix: Matrix, over: int, point: Point) -> Point:
    return tuple(Fraction(x) / over for x in apply_matrix(matrix, point))


def _moved(turn: Move, step: Sequence[Fraction], point: Point) -> Point:
    return tuple(x + s for x, s in zip(turn(point), step, strict=True))


def _lowest(shapes: Iterable[frozenset[Point]]) -> list[Fraction]:
    return [min(axis) for axis in zip(*(v for shape in shapes for v in shape), strict=True)]


def _crossroads(form: _Form) -> Broken:
    around = [(faces, straight) for faces, straight in form.straight() if len(faces) > 3]

    def broken(owners: Longs, rows: Rows) -> Flags:
        bad = np.zeros(len(owners), dtype=np.bool_)
        for faces, straight in around:
            here = np.sort(owners[:, faces], axis=1)
            different = (here >= 0).any(axis=1).astype(np.int64) + ((here[:, 1:] != here[:, :-1]) & (here[:, :-1] >= 0)).sum(axis=1)
            for sticks in straight:
                own = owners[:, faces] == owners[:, sticks[:1]]
                different -= (owners[:, sticks[0]] >= 0) & (own == np.isin(faces, sticks)).all(axis=1)
            bad |= different > 3
        return bad

    return broken


def _faults(form: _Form) -> Broken:
    halves = _halves(form)

    def broken(owners: Longs, rows: Rows) -> Flags:
        bad = np.zeros(len(owners), dtype=np.bool_)
        for one, other in halves:
            bad |= ~(_there(owners[:, one], rows) & _there(owners[:, other], rows)).any(axis=1)
        return bad

    return broken


def _there(owners: Longs, rows: Rows) -> Flags:
    """Which places of each row own some of these atoms."""
    there = np.zeros((len(rows), rows.shape[1] + 1), dtype=np.bool_)
    there[np.arange(len(rows))[:, None], owners] = True  # the last column is for atoms that nobody owns
    return there[:, :-1]


def _halves(form: _Form) -> list[tuple[list[int], list[int]]]:
    """The faces on both sides of each straight line that runs along a side between two faces, and through none.

    On which side of a line a point lies is told by the area, in space the volume, that it spans with points of the line.
    """
    grid = form.puzzle.grid
    corners = {i: _corners(grid, form.atoms[i]) for i in (form.number[a] for a in form.faces)}
    found = {}
    for a, b in form.sides():
        if (base := _base(sorted(set(corners[a]) & set(corners[b])))) is None:
            continue
        sides = {i: {_sign(_spanned(base, v)) for v in own} - {0} for i, own in corners.items()}
        if all(len(signs) == 1 for signs in sides.values()):
            one, other = ([i for i, signs in sides.items() if signs == {sign}] for sign in (1, -1))
            found[frozenset((tuple(one), tuple(other)))] = one, other
    return list(found.values())


def _base(points: Sequence[Point]) -> Sequence[Point] | None:
    """Points that span the line, or plane, of a side; None where they do not, as on a side of which one point is seen twice."""
    first, dimension = points[0], len(points[0])
    units = [tuple(x + (i == axis) for i, x in enumerate(first)) for axis in range(dimension)]
    choices = combinations(points[1:], dimension - 1)
    return next((base for base in ([first, *more] for more in choices) if any(_spanned(base, unit) for unit in units)), None)


def _spanned(base: Sequence[Point], point: Sequence[Fraction]) -> Fraction:
    """The determinant of the vectors from the first point of a base to its others and to a point."""
    rows = [[x - y for x, y in zip(p, base[0], strict=True)] for p in (*base[1:], point)]
    if len(rows) == 2:
        return Fraction(rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0])
    terms = (rows[0][i] * (rows[1][(i + 1) % 3] * rows[2][(i + 2) % 3] - rows[1][(i + 2) % 3] * rows[2][(i + 1) % 3]) for i in range(3))
    return sum(terms, Fraction(0))


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def _unlike(form: _Form, placements: Sequence[Placement], move: Move, image: Longs) -> Broken:
    """Atoms have one owner where their images have one; and the marks go with them."""
    grid = form.puzzle.grid
    marked = any(tile.marks for tile in form.puzzle.tiles)

    def shown(row: Sequence[int]) -> set[tuple[frozenset[Point], frozenset[Point], str]]:
        marks = (m for p in row if p >= 0 for m in placements[p].marks)
        return {(frozenset(_corners(grid, m.side)), frozenset(_corners(grid, m.face)), m.name) for m in marks}

    def other_marks(row: Sequence[int]) -> bool:
        own = shown(row)
        return {(frozenset(map(move, side)), frozenset(map(move, face)), name) for side, face, name in own} != own

    def broken(owners: Longs, rows: Rows) -> Flags:
        pairs = _classes(owners * (rows.shape[1] + 1) + owners[:, image])
        bad = (pairs != _classes(owners)) | ((owners < 0) != (owners[:, image] < 0)).any(axis=1)
        if marked:
            bad |= np.array([other_marks(row) for row in rows.tolist()], dtype=np.bool_)
        return np.asarray(bad)

    return broken


def _classes(numbers: Longs) -> Longs:
    """How many different numbers stand in each row."""
    ordered = np.sort(numbers, axis=1)
    return np.asarray(1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1))


def _outline(form: _Form, placements: Sequence[Placement], tiles: frozenset[str], image: Longs) -> Broken:
    faces = np.array([form.number[a] for a in form.faces])

    def broken(owners: Longs, rows: Rows) -> Flags:
        there = _owned_by(form, placements, tiles, owners, rows)
        return np.asarray((there[:, faces] != there[:, image[faces]]).any(axis=1))

    return broken


def _owned_by(form: _Form, placements: Sequence[Placement], tiles: frozenset[str], owners: Longs, rows: Rows) -> Flags:
    """Array (solutions, atoms): whether the owner of an atom is one of some tiles."""
    chosen = np.zeros((len(rows), rows.shape[1] + 1), dtype=np.bool_)
    used, where = np.unique(rows, return_inverse=True)
    own = np.array([p >= 0 and form.puzzle.tiles[placements[p].tile].name in tiles for p in used.tolist()])
    chosen[:, :-1] = own[where.reshape(rows.shape)]
    return np.asarray(np.take_along_axis(chosen, owners % chosen.shape[1], axis=1))


def _together(form: _Form, placements: Sequence[Placement], tiles: frozenset[str], *, strictly: bool) -> Broken:
    pairs = _near(form, strictly=strictly)

    def broken(owners: Longs, rows: Rows) -> Flags:
        there = _owned_by(form, placements, tiles, owners, rows)
        bad = np.zeros(len(rows), dtype=np.bool_)
        for a, b in pairs:
            bad |= there[:, a] & there[:, b] & (owners[:, a] != owners[:, b])
        return bad

    return broken


def _near(form: _Form, *, strictly: bool) -> list[tuple[int, int]]:
    """The pairs of faces by which tiles touch."""
    pairs = set(form.sides())
    if strictly:
        pairs |= {(a, b) for faces in form.around() for a in faces for b in faces if a < b}
    return sorted(pairs)


def _uncoloured(form: _Form, colours: int, *, strictly: bool) -> Broken:
    pairs = _near(form, strictly=strictly)

    def broken(owners: Longs, rows: Rows) -> Flags:
        bad = np.zeros(len(rows), dtype=np.bool_)
        for i, own in enumerate(owners.tolist()):
            touch = {(own[a], own[b]) for a, b in pairs if own[a] >= 0 and own[b] >= 0 and own[a] != own[b]}
            near: dict[int, set[int]] = {}
            for a, b in touch:
                near.setdefault(a, set()).add(b)
                near.setdefault(b, set()).add(a)
            bad[i] = not _coloured(near, [*near], {}, colours)
        return bad

    return broken


def _coloured(near: dict[int, set[int]], left: list[int], given: dict[int, int], colours: int) -> bool:
    """Whether the tiles left can be given colours, beside those given: one after the other, each next to one that has its colour."""
    if not left:
        return True
    tile = next((t for t in left if near[t] & given.keys()), left[0])
    rest = [t for t in left if t != tile]
    taken = {given[t] for t in near[tile] if t in given}
    first_new = max(given.values(), default=-1) + 1
    return any(_coloured(near, rest, {**given, tile: c}, colours) for c in range(min(colours, first_new + 1)) if c not in taken)


def _of_placements(form: _Form, placements: Sequence[Placement]) -> Iterator[tuple[str, Broken]]:
    """The rules that look at each placement by itself, and at which of them are used."""
    puzzle, rules = form.puzzle, form.puzzle.solutions
    grid = puzzle.grid
    outside = {a for a in form.faces if None in map(puzzle.form.locate, grid.neighbours(a))}

    def each(fails: Callable[[Placement], bool]) -> Broken:
        known: dict[int, bool] = {}

        def broken(owners: Longs, rows: Rows) -> Flags:
            used, where = np.unique(rows, return_inverse=True)
            for p in used.tolist():
                if p not in known:
                    known[p] = p >= 0 and fails(placements[p])
            return np.asarray(np.array([known[p] for p in used.tolist()])[where.reshape(rows.shape)].any(axis=1))

        return broken

    def tile(p: Placement) -> str:
        return puzzle.tiles[p.tile].name

    if rules.touch_border:
        yield "a tile does not touch the border", each(lambda p: tile(p) in rules.touch_border and outside.isdisjoint(p.atoms))
    if rules.inside:
        yield "a tile touches the border", each(lambda p: tile(p) in rules.inside and not outside.isdisjoint(p.atoms))
    for holds in rules.holds:
        yield (
            "a tile holds too many, or too few, of some atoms",
            each(lambda p, h=holds: tile(p) in h.tiles and not h.low <= sum(a in h.atoms for a in p.atoms) <= h.high),  # type: ignore[misc]
        )
    if rules.forbidden:
        yield "a placement is forbidden", each(lambda p: p.name in rules.forbidden)
    for names in rules.one_of:
        yield f"none of {' '.join(names)} is used", _none_of(placements, names)


def _none_of(placements: Sequence[Placement], names: Sequence[str]) -> Broken:
    wanted = [i for i, p in enumerate(placements) if p.name in names]
    return lambda owners, rows: np.asarray(~np.isin(rows, wanted).any(axis=1))
