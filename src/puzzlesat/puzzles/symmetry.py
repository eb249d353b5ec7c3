"""The symmetries of the form that the rules allow, as permutations of the placements.

``quotient`` makes a smaller cover problem whose solutions are the solutions that a symmetry g leaves unchanged. A solution S with gS = S
is a union of orbits of options under the powers of g. So each orbit whose options can be chosen together becomes one option, and items
covered by the same new options become one item. With Burnside's lemma (number of orbits = Σ fixed(g) / |G|) this counts solutions up to
symmetry without listing them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, product

import numpy as np

from puzzlesat.base import SILENT, Flags, Ints, Limits, Longs, Progress, PuzzleError
from puzzlesat.puzzles.conditions import conditions_of
from puzzlesat.puzzles.grid import AtomId, Cell, Symmetry, translate
from puzzlesat.puzzles.lattice import apply_matrix, multiply
from puzzlesat.puzzles.placements import Placements, RowCodes, front_memory, sorted_looks, too_much
from puzzlesat.puzzles.problem import Colouring, Condition, CoverProblem
from puzzlesat.puzzles.puzzle import Form, Puzzle
from puzzlesat.puzzles.wrap import Spots, Wrap, number_spots, remainder

MAX_MOVED = 100_000
"""Number of placements that are moved at once."""
Refused = tuple[tuple[str, str], ...]
"""Symmetries of the form that only a linear condition rules out, each with the name of the condition."""
Looks = tuple[tuple[int, bytes], Ints]
"""The group of a tile with the sorted codes of its placements; and the placements in that order."""


@dataclass(frozen=True, eq=False)
class FormSymmetry:
    """A motion of the grid that maps a form onto itself: ``symmetry``, then the translation ``move``."""

    name: str
    symmetry: Symmetry
    move: Cell
    atoms: Ints
    """The number of the image of each atom of the form."""
    form: Form

    @cached_property
    def image(self) -> Mapping[AtomId, AtomId]:
        """The image of each atom of the form."""
        atoms = self.form.numbering.atoms
        return {atom: atoms[there] for atom, there in zip(atoms, self.atoms.tolist(), strict=True)}

    def spots(self, spots: Spots) -> Ints:
        """Return the image of each spot; -1 if the side leaves the form, and for numbers without a face."""
        if not spots.sides:
            return np.empty(0, dtype=np.int32)
        index = spots.moved(self.symmetry)[spots.places[:, -1]]
        there = _after(self.symmetry, spots.places, self.move)
        found = spots.of(np.repeat(there[:, None], spots.most, axis=1), np.maximum(index, 0))
        return np.where(index < 0, -1, found).astype(np.int32).reshape(-1)


def form_symmetries(
    puzzle: Puzzle, placements: Placements, *, progress: Progress = SILENT, limits: Limits | None = None
) -> tuple[tuple[str, ...], Ints, Refused]:
    """Return the names of the symmetries, the array (symmetries, placements) of images, and the refused symmetries; the identity first.

    A symmetry must map required atoms to required ones, optional to optional, the placements of each tile to those of one tile with the
    same copies, fixed tiles and split to themselves, and the set of rules to itself, where linear conditions with the same normal form are
    equal; mirrors are used only if mirrored solutions count as the same.
    Raises PuzzleError if the array would take more than the memory limit.
    """
    mirrors = puzzle.mirrored_same or bool(puzzle.solutions.symmetric or puzzle.solutions.outlines)
    every = shape_symmetries(puzzle, mirrors=mirrors, progress=progress, limits=limits)
    shapes = [s for s in every if puzzle.mirrored_same or not s.symmetry.mirror]
    needed, budget = len(shapes) * len(placements) * 4, front_memory(limits)
    if needed > budget:
        raise too_much(
            f"its {len(shapes):,} symmetries of {len(placements):,} placements", needed, budget, "a smaller form, or fewer seams"
        )
    tell = progress.of("symmetries")
    moved = _Moved(puzzle, placements)
    conditions = conditions_of(puzzle, placements)
    names: dict[int, str] = {}
    refused: list[tuple[str, str]] = []
    images = np.empty((len(shapes), len(placements)), dtype=np.int32)
    for number, (found, permutation) in enumerate(zip(shapes, images, strict=True)):
        tell({"symmetries": number})
        if (
            not moved.by(found, permutation)
            or not _keeps_fixed_and_split(puzzle, placements, permutation, found)
            or not _keeps_solution_rules(every, placements, permutation, found)
        ):
            continue
        if (changed := conditions.changed_by(permutation)) is not None:
            refused.append((found.name, changed))
            continue
        names[number] = found.name
    return tuple(names.values()), images if len(names) == len(images) else images[[*names]], tuple(refused)


def shape_symmetries(
    puzzle: Puzzle, *, mirrors: bool = True, progress: Progress = SILENT, limits: Limits | None = None
) -> list[FormSymmetry]:
    """Return every symmetry that maps the form and its colours to themselves, ignoring the tiles; the identity first, ``mirrors`` last.

    If the form wraps around, translations along it are symmetries too; motions with equal images of all atoms and sides are one symmetry.
    Raises PuzzleError if the symmetries would take more than the memory limit.
    """
    form = puzzle.form
    tell = progress.of("symmetries of the form")
    found: dict[object, FormSymmetry] = {}
    kept, budget = 0, front_memory(limits)
    looks = _looks_of_atoms(form)
    atom = min(form.atoms)
    sides = None if form.wrap is None else number_spots(puzzle.grid, [*form.wrap.sides.values()], form.wrap)
    of_form = None if sides is None else _spots_of_form(form, sides)  # images of other spots do not matter
    for symmetry in sorted(puzzle.grid.motions, key=lambda motion: motion.mirror):  # a turn is preferred to an equal mirror
        if symmetry.mirror and not mirrors:
            break
        turned = symmetry.on_places(form.numbering.places)
        first: Cell | None = None
        for move in _moves(form, symmetry, turned):
            tell({"symmetries": len(found)})
            image = _image(form, looks, symmetry, turned, move)
            if image is None or not _keeps_seams(form.wrap, symmetry, move, atom):
                continue
            first = first or move
            further = "" if form.wrap is None or move == first else _further(form.wrap, move, first, symmetry.over)
            new = FormSymmetry(_named(symmetry.name, further), symmetry, move, image, form)
            key = new.name if sides is None else (image.tobytes(), new.spots(sides)[of_form].tobytes())
            if key not in found and (kept := kept + 2 * image.nbytes) > budget:
                what = "it can be moved onto itself in too many ways; take a smaller form, or fewer seams"
                raise PuzzleError(f"form.wrap: {what}")
            found.setdefault(key, new)
    return list(found.values())


def _after(symmetry: Symmetry, places: Longs, move: Cell) -> Longs:
    """Return places after a symmetry and a translation that keep all of them on the grid."""
    moved = symmetry.on_places(places)
    moved[..., :-1] = (moved[..., :-1] + np.array(move)) // symmetry.over
    return moved


def _spots_of_form(form: Form, sides: Spots) -> Ints:
    """Return the spots whose faces are atoms of the form."""
    return np.array([s for s in sides.there.tolist() if form.locate(sides.at(s)[1]) is not None], dtype=np.int32)


def _looks_of_atoms(form: Form) -> Longs:
    """Return a number for the colour and the convention (required or optional) of each atom of the form."""
    required = frozenset(form.required)
    looks: dict[tuple[bool, str | None], int] = {}
    atoms = form.numbering.atoms
    return np.array([looks.setdefault((a in required, form.colours.get(a)), len(looks)) for a in atoms], dtype=np.int64)


def _further(wrap: Wrap, move: Cell, first: Cell, over: int) -> str:
    """Return the name of the translation between two symmetries with the same turn or mirror."""
    step = tuple((m - f) // over for m, f in zip(move, first, strict=True))
    return f"move {','.join(map(str, remainder(step, wrap.translations)))}"


def _named(name: str, further: str) -> str:
    if not further:
        return name
    return further if name == "identity" else f"{name} and {further}"


def _moves(form: Form, symmetry: Symmetry, turned: Longs) -> list[Cell]:
    """Return the translations that may move the turned form back onto itself; the one that moves back its corner first."""
    cells = form.numbering.places[:, :-1]
    corner = tuple((cells.min(axis=0) * symmetry.over - turned[:, :-1].min(axis=0)).tolist())
    if form.wrap is None:
        return [corner]
    atom = min(form.atoms)
    start = symmetry(atom)
    targets = [a if glide is None else glide(a) for glide in form.wrap.sheets for a in sorted(form.atoms)]
    over = symmetry.over
    moves = [tuple(t * over - s for t, s in zip(target[:-1], start[:-1], strict=True)) for target in targets if target[-1] == start[-1]]
    return [corner, *moves]


def _image(form: Form, looks: Longs, symmetry: Symmetry, turned: Longs, move: Cell) -> Ints | None:
    """Return the image of each atom of the form, or None if one leaves the form or has another colour or convention than its image."""
    places = turned.copy()
    places[:, :-1] += np.array(move)
    if symmetry.over > 1:
        if (places[:, :-1] % symmetry.over).any():
            return None
        places[:, :-1] //= symmetry.over
    image = form.numbering.of(places)
    if (image < 0).any() or (looks[image] != looks).any():
        return None
    return image if (np.bincount(image, minlength=len(image)) == 1).all() else None


def _keeps_seams(wrap: Wrap | None, symmetry: Symmetry, move: Cell, atom: AtomId) -> bool:
    """Return whether a motion maps equal atoms to equal atoms: it must map the group of the seams to itself.

    A check of the form's atoms is not enough: on a Klein bottle of two squares a quarter turn preserves the atoms but not their sides.
    """
    if wrap is None:
        return True
    for translation in wrap.translations:
        there = apply_matrix(symmetry.matrix, translation)
        if any(x % symmetry.over for x in there) or not wrap.has_translation(tuple(x // symmetry.over for x in there)):
            return False
    if wrap.glide is None:
        return True
    mirror = wrap.glide.symmetry.matrix
    one, other = translate(symmetry(wrap.glide(atom)), move), wrap.glide(translate(symmetry(atom), move))
    apart = tuple(b - a for a, b in zip(one[:-1], other[:-1], strict=True))
    alike = multiply(symmetry.matrix, mirror) == multiply(mirror, symmetry.matrix) and one[-1] == other[-1]
    return alike and wrap.has_translation(apart)


@dataclass(frozen=True, eq=False)
class _Group:
    """The placements of tiles with the same largest numbers of atoms and marks, and codes for them."""

    tiles: list[int]
    atoms: Ints
    """Array (placements, width), padded with -1; the placements of one tile after the other."""
    marks: Ints
    code: RowCodes


@dataclass(frozen=True, eq=False)
class _Moved:
    """Finds images of placements under symmetries: placements have codes of their atoms and marks; a tile maps to one with equal codes."""

    puzzle: Puzzle
    placements: Placements

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """For each tile, the number of its first placement and the number after its last placement."""
        return list(pairwise(np.searchsorted(self.placements.tile, np.arange(len(self.puzzle.tiles) + 1)).tolist()))

    @cached_property
    def groups(self) -> list[_Group]:
        """Groups of tiles by the largest numbers of atoms and marks of their placements."""
        atoms, marks = self.placements.atoms, self.placements.marks
        alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for t, (a, b) in enumerate(self.bounds):
            alike[int(atoms.lengths[a:b].max(initial=0)), int(marks.lengths[a:b].max(initial=0))].append(t)
        count = len(self.puzzle.form.atoms)
        groups = []
        for (width, shown), tiles in alike.items():
            chosen = np.concatenate([np.arange(*self.bounds[t]) for t in tiles])
            own, theirs = atoms.rows(chosen, width), marks.rows(chosen, shown)
            code = RowCodes.of(sorted_looks(own, theirs, count), count + 1 + self.placements.marking.size)
            groups.append(_Group(tiles, own, theirs, code))
        return groups

    @cached_property
    def looks(self) -> list[Looks]:
        """The codes of the placements of each tile."""
        marks = np.arange(self.placements.marking.size, dtype=np.int32)
        return self._looks(np.arange(len(self.puzzle.form.atoms), dtype=np.int32), marks)

    @cached_property
    def owners(self) -> dict[tuple[int, bytes], list[int]]:
        """The tiles with the same codes."""
        tiles: dict[tuple[int, bytes], list[int]] = defaultdict(list)
        for t, (key, _) in enumerate(self.looks):
            tiles[key].append(t)
        return tiles

    def _looks(self, atoms: Ints, marks: Ints) -> list[Looks]:
        """Return the codes of the placements of each tile after atoms and marks are moved."""
        found: dict[int, Looks] = {}
        atoms, marks = np.append(atoms, np.int32(-1)), np.append(marks, np.int32(-1))  # the padding stays
        for number, group in enumerate(self.groups):
            codes = np.empty(len(group.atoms), dtype=np.int64)
            for first in range(0, len(codes), MAX_MOVED):
                some = slice(first, first + MAX_MOVED)
                codes[some] = group.code(sorted_looks(atoms[group.atoms[some]], marks[group.marks[some]], len(atoms) - 1))
            first = 0
            for t in group.tiles:
                a, b = self.bounds[t]
                own = codes[first : first + b - a]
                order = np.argsort(own)
                found[t] = (number, own[order].tobytes()), (a + order).astype(np.int32)
                first += b - a
        return [found[t] for t in range(len(self.puzzle.tiles))]

    def by(self, symmetry: FormSymmetry, images: Ints) -> bool:
        """Write the image of each placement to ``images``; return False if some have none.

        A tile maps to itself if possible, else to another tile with the same copies. The choices for two motions, one after the
        other, equal the choices for their product. So the images under y, then g, follow from those under y and under g, without codes.
        """
        spots, size = self.placements.marking.spots, len(symmetry.atoms)
        marks = self.placements.marking.moved(symmetry.atoms, symmetry.spots(spots))
        motion = np.concatenate([symmetry.atoms, np.where(marks < 0, -1, marks + size), [-1]])
        if not self.known:  # the identity comes first
            images[:] = np.arange(len(images))
            self.known[motion.tobytes()] = images
            return True
        for path in chain(product(self.generators), product(self.generators, repeat=2)):
            before = motion
            for back, _ in path:
                before = back[before]
            if before.tobytes() in self.known and ((before < 0) == (motion < 0)).all():
                if (known := self.known[before.tobytes()]) is not None:
                    images[:] = known
                    for _, under in path[::-1]:
                        images[:] = under[images]
                self.known[motion.tobytes()] = None if known is None else images
                return known is not None
        self.known[motion.tobytes()] = found = self._matched(symmetry.atoms, marks)
        if found is not None:
            back = np.full_like(motion, -1)
            back[motion[:-1]] = np.arange(size + len(marks))
            back[-1] = -1
            self.generators.extend([(back, found), (motion, np.argsort(found))])
            images[:] = found
        return found is not None

    @cached_property
    def known(self) -> dict[bytes, Ints | None]:
        """The images of the placements under each motion of atoms and marks so far, or None."""
        return {}

    @cached_property
    def generators(self) -> list[tuple[Longs, Longs | Ints]]:
        """The motions whose images were found by codes, and their inverses: the way back, and the images of the placements."""
        return []

    def _matched(self, atoms: Ints, marks: Ints) -> Ints | None:
        """Return the image of each placement after atoms and marks are moved, or None."""
        tiles = self.puzzle.tiles
        permutation = np.empty(len(self.placements), dtype=np.int32)
        taken: set[int] = set()
        for t, (key, order) in enumerate(self._looks(atoms, marks)):
            alike = self.owners.get(key, [])
            ranked = [t, *alike] if t in alike else alike
            target = next((u for u in ranked if u not in taken and tiles[u].supply == tiles[t].supply), None)
            if target is None:
                return None
            taken.add(target)
            permutation[order] = self.looks[target][1]
        return permutation


def _keeps_fixed_and_split(puzzle: Puzzle, placements: Placements, permutation: Ints, found: FormSymmetry) -> bool:
    """Return whether a symmetry preserves the fixed tiles and the split."""
    fixed = set(puzzle.fixed)
    chosen = {i for i, name in enumerate(placements.names) if name in fixed} if fixed else set()
    if {int(permutation[i]) for i in chosen} != chosen:
        return False
    return puzzle.split is None or all(found.image[a] in puzzle.split.atoms for a in puzzle.split.atoms)


def _keeps_solution_rules(every: Sequence[FormSymmetry], placements: Placements, permutation: Ints, found: FormSymmetry) -> bool:
    """Return whether a symmetry h preserves the rules on solutions, except linear conditions and rules that only remove placements.

    Rules that remove placements need no check, because h permutes the remaining placements. If h maps a set that g preserves, then h g h⁻¹
    preserves the image: so h must map the group of the required symmetries to itself. ``every`` are the symmetries of the form.
    """
    rules = placements.puzzle.solutions

    def own(tiles: Iterable[str]) -> Flags:
        return np.isin(placements.tile, [i for i, tile in enumerate(placements.puzzle.tiles) if tile.name in tiles])

    def group(names: Sequence[str]) -> frozenset[bytes]:
        return _generated([s.atoms for s in every if s.name in names])

    def moved_group(names: Sequence[str]) -> frozenset[bytes]:
        back = np.argsort(found.atoms)
        return _generated([found.atoms[s.atoms[back]] for s in every if s.name in names])

    apart = [own(tiles) for tiles in rules.apart]
    if {flags.tobytes() for flags in apart} != {flags[permutation].tobytes() for flags in apart}:
        return False
    if group(rules.symmetric) != moved_group(rules.symmetric):
        return False
    outlines = [(own(outline.tiles), outline.under) for outline in rules.outlines]
    mine = {(flags[permutation].tobytes(), group(under)) for flags, under in outlines}
    return mine == {(flags.tobytes(), moved_group(under)) for flags, under in outlines}


def _generated(generators: Sequence[Ints]) -> frozenset[bytes]:
    """Return the permutations of atoms that some permutations generate, each as bytes."""
    known = {element.tobytes(): element for element in generators}
    waiting = list(known.values())
    while waiting:
        element = waiting.pop()
        for other in generators:
            if (made := other[element]).tobytes() not in known:
                known[made.tobytes()] = made
                waiting.append(made)
    return frozenset(known)


Column = tuple[tuple[int, int], ...]
"""The options that cover an item, each with its colour there."""


def quotient(problem: CoverProblem, symmetry: int) -> CoverProblem:
    """Return the problem whose solutions correspond to the solutions of ``problem`` that symmetry number ``symmetry`` leaves unchanged.

    An item that an orbit covers several times (a tile whose copies the symmetry exchanges) becomes a condition.
    """
    assert problem.images is not None
    every = cycles(problem.images[symmetry])
    orbits = [every[number] for number in np.flatnonzero(_together(problem, every)).tolist()]
    columns, units = _columns(problem, orbits)
    merged = _merge(problem, columns)
    kept = sorted(set(merged.values()))
    rows: list[list[tuple[int, int]]] = [[] for _ in orbits]
    for new, item in enumerate(kept):
        for row, colour in columns[item]:
            rows[row].append((new, colour))
    return CoverProblem(
        items=tuple(problem.items[i] for i in kept),
        low=problem.low[kept],
        high=problem.high[kept],
        coloured=problem.coloured[kept],
        options=tuple(" ".join(problem.options[o] for o in orbit) for orbit in orbits),
        start=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32),
        item=np.array([i for row in rows for i, _ in row], dtype=np.int32),
        colour=np.array([c for row in rows for _, c in row], dtype=np.int32),
        tiles=np.empty(0, dtype=np.int32),
        conditions=(*_conditions(problem, orbits), *units),
        colouring=None if problem.colouring is None else _piece_by_piece(problem, problem.colouring, orbits),
        centres=None if problem.centres is None else problem.centres[kept],
        adjacent=None if problem.adjacent is None else _renumbered(problem.adjacent, merged, kept),
        forced=tuple(row for row, orbit in enumerate(orbits) if set(problem.forced) & set(orbit)),
    )


def cycles(permutation: Ints) -> list[list[int]]:
    """Return the cycles of a permutation, each beginning with its least element."""
    images = permutation.tolist()
    seen = [False] * len(images)
    found = []
    for first in range(len(images)):
        cycle = []
        option = first
        while not seen[option]:
            seen[option] = True
            cycle.append(option)
            option = images[option]
        if cycle:
            found.append(cycle)
    return found


def _together(problem: CoverProblem, orbits: list[list[int]]) -> Flags:
    """Return for each orbit whether its options can be chosen together."""
    rows = _rows(problem, orbits)[problem.rows]
    order = np.lexsort((problem.item, rows))
    rows, items, colours = rows[order], problem.item[order], problem.colour[order]
    begins = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(items, prepend=-1) != 0))
    covered = np.diff(begins, append=len(rows))
    rows, items = rows[begins], items[begins]
    one_colour = np.minimum.reduceat(colours, begins) == np.maximum.reduceat(colours, begins) if len(begins) else np.empty(0, dtype=bool)
    same_colour = one_colour & ((covered == 1) | (colours[begins] != 0))
    possible = np.ones(len(orbits), dtype=bool)
    possible[rows[~np.where(problem.coloured[items], same_colour, covered <= problem.high[items])]] = False
    return possible


def _rows(problem: CoverProblem, orbits: list[list[int]]) -> Longs:
    """Return the number of the orbit of each option, or -1."""
    number = np.full(problem.size, -1, dtype=np.int64)
    lengths = np.array([len(orbit) for orbit in orbits], dtype=np.int64)
    number[[option for orbit in orbits for option in orbit]] = np.repeat(np.arange(len(orbits)), lengths)
    return number


def _columns(problem: CoverProblem, orbits: list[list[int]]) -> tuple[dict[int, Column], list[Condition]]:
    """Return the columns of the items that remain items, and the conditions that the others become."""
    columns: dict[int, Column] = {}
    conditions = []
    number = _rows(problem, orbits)
    for item, options in enumerate(problem.options_of):
        rows = number[options]
        amounts = np.bincount(rows[rows >= 0], minlength=len(orbits))
        if not problem.coloured[item] and (amounts > 1).any():
            high = min(int(problem.high[item]), int(amounts.sum()))
            conditions.append(Condition(problem.items[item], amounts.astype(np.int64), int(problem.low[item]), high))
            continue
        if problem.coloured[item]:
            pairs = zip(rows.tolist(), (_colour(problem, option, item) for option in options.tolist()), strict=True)
            columns[item] = tuple(sorted({(row, colour) for row, colour in pairs if row >= 0}))
        else:
            columns[item] = tuple((row, 0) for row in np.flatnonzero(amounts).tolist())
    return columns, conditions


def _colour(problem: CoverProblem, option: int, item: int) -> int:
    entries = slice(problem.start[option], problem.start[option + 1])
    return int(problem.colour[entries][problem.item[entries] == item][0])


def _merge(problem: CoverProblem, columns: dict[int, Column]) -> dict[int, int]:
    """Return for each item the first item with the same bounds and options, up to a renaming of its colours."""
    first: dict[tuple[object, ...], int] = {}
    merged = {}
    for item, column in columns.items():
        names = {0: 0}
        coloured = problem.coloured[item]
        renamed = tuple((row, names.setdefault(colour, len(names))) for row, colour in column) if coloured else column
        key = (renamed, int(problem.low[item]), int(problem.high[item]), bool(coloured))
        merged[item] = first.setdefault(key, item)
    return merged


def _conditions(problem: CoverProblem, orbits: list[list[int]]) -> list[Condition]:
    """Return the linear conditions of the orbits, and one that never holds if a forced option is in no possible orbit."""
    found = [replace(c, weights=np.array([c.weights[orbit].sum() for orbit in orbits], dtype=np.int64)) for c in problem.conditions]
    if not set(problem.forced) <= {option for orbit in orbits for option in orbit}:
        found.append(Condition("forced", np.zeros(len(orbits), dtype=np.int64), 1, 1))
    return found


def _piece_by_piece(problem: CoverProblem, colouring: Colouring, orbits: list[list[int]]) -> Colouring:
    """Return the colouring in which the options of an orbit remain separate pieces, which may have different colours."""
    return replace(colouring, pieces=tuple(tuple(piece for o in orbit for piece in colouring.pieces_of(problem, o)) for orbit in orbits))


def _renumbered(adjacent: Ints, merged: dict[int, int], kept: list[int]) -> Ints:
    """Return the pairs of neighbouring items after merging."""
    number = {item: new for new, item in enumerate(kept)}
    pairs = {(number[merged[a]], number[merged[b]]) for a, b in adjacent.tolist() if a in merged and b in merged}
    return np.array(sorted((a, b) for a, b in pairs if a != b), dtype=np.int32).reshape(-1, 2)
