"""Make the cover problem of a puzzle, with one item for each atom and tile and one option for each placement; and its solutions.

Every solver gets this problem. ``build_instance`` lays the placements, finds the symmetries and makes the problem. A sequence of solutions
makes each ``Solution`` on access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from puzzlesat.base import SILENT, Displayed, Ints, Limits, Progress, PuzzleError, Reals, Rows, many, shown
from puzzlesat.puzzles.conditions import Never, conditions_of, implied_conditions
from puzzlesat.puzzles.contacts import FormContacts, Marking
from puzzlesat.puzzles.grid import AtomId, Grid, atom_order
from puzzlesat.puzzles.placements import (
    Placement,
    Placements,
    all_placements,
    fixed_placements,
    like_placement,
    numbers_of,
    wrong_fixed,
    wrong_names,
)
from puzzlesat.puzzles.problem import Condition, CoverProblem
from puzzlesat.puzzles.puzzle import Instance, Mark, Puzzle, SolutionRules
from puzzlesat.puzzles.solution_rules import add_solution_rules, keep_allowed
from puzzlesat.puzzles.symmetry import Refused, form_symmetries
from puzzlesat.puzzles.wrap import Numbering

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class BuiltInstance:
    """An instance, its placements and its cover problem. Option o of the problem is placement o."""

    puzzle: Puzzle
    placements: Placements
    problem: CoverProblem
    instance: Instance
    refused: Refused = field(default=(), kw_only=True)
    """The symmetries of the form that only a linear condition rules out, each with the name of the condition."""

    @property
    def first_rule_item(self) -> int:
        """The number of the first item that belongs to a rule on solutions; all other items come before it."""
        return len(self.puzzle.form.atoms) + len(self.puzzle.tiles) + len(_inner_sides(self.puzzle))

    @property
    def contacts(self) -> FormContacts:
        """The contacts of the atoms of the form."""
        return FormContacts(self.puzzle)

    @property
    def unkept_conditions(self) -> tuple[Never, ...]:
        """The linear conditions that no covering satisfies, as far as their sums alone prove it."""
        return conditions_of(self.puzzle, self.placements).unkept

    def most_symmetries(self) -> int:
        """Return the number of symmetries that the puzzle has if mirrored solutions count as the same."""
        return len(form_symmetries(replace(self.puzzle, mirrored_same=True), self.placements)[0])

    def without_solution_rules(self) -> BuiltInstance:
        """Return the puzzle without its rules on solutions, but with only the placements and symmetries that they allow."""
        puzzle, images = replace(self.puzzle, solutions=SolutionRules()), self.problem.images
        assert images is not None
        problem = cover_problem(puzzle, self.placements, (self.problem.symmetries, images))
        return BuiltInstance(puzzle, self.placements, problem, replace(self.instance, puzzle=puzzle))

    def numbers(self, key: str, names: Sequence[str]) -> list[int]:
        """Return the numbers of placements by the names under a key of a file. Raises PuzzleError for a wrong or repeated name."""
        if wrong := wrong_names(key, names, self.placements, self.puzzle):
            raise PuzzleError(*wrong)
        return numbers_of(names, self.placements)

    def bit_array(self, option: int) -> str:
        """Return the atoms of the form that a placement covers as a hexadecimal number, in which the first atom is the highest bit.

        The atoms are in the order of the form: cell by cell, rows bottom to top, left to right. Zeros fill up the last digit.
        """
        atoms = len(self.puzzle.form.atoms)
        width = -(-atoms // 4) * 4
        value = sum(1 << (width - 1 - int(i)) for i in self.problem.items_of(option) if i < atoms)
        return f"{value:0{width // 4}X}"

    def options_by_name(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of placements given by name; raise PuzzleError with a near match for each unknown name."""
        number = {name: i for i, name in enumerate(self.problem.options)}
        names = list(names)
        if wrong := [name for name in dict.fromkeys(names) if name not in number]:
            raise PuzzleError(*map(self._why_no_option, wrong))
        return [number[name] for name in names]

    def _why_no_option(self, name: str) -> str:
        if name in self.puzzle.solutions.forbidden:
            return f"solutions.forbidden of {self.instance.name} leaves {name!r} out"
        return f"{shown(name)!r} is not a placement of {self.instance.name}{like_placement(name, self.problem.options, self.puzzle)}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.puzzle!r}, {len(self.placements):,} placements>"


def cover_problem(puzzle: Puzzle, placements: Placements, symmetries: tuple[tuple[str, ...], Ints]) -> CoverProblem:
    """Return the cover problem of a puzzle with these placements and these symmetries of its form (their names and images).

    The items are the atoms in the order of the form, then the tiles, then the sides that carry marks, then the items of the rules on
    solutions. Raises PuzzleError if a tile is fixed where it cannot be.
    """
    numbering = puzzle.form.numbering
    atoms = numbering.atoms
    optional = frozenset(puzzle.form.optional)
    sides = _inner_sides(puzzle)
    tile_items = np.arange(len(atoms), len(atoms) + len(puzzle.tiles), dtype=np.int32)
    start, item, colour = _options(placements, _shown(placements, sides, len(atoms) + len(puzzle.tiles)), len(atoms))
    low = [a not in optional for a in atoms] + [t.low for t in puzzle.tiles] + [0] * len(sides)
    high = [1] * len(atoms) + [CoverProblem.UNLIMITED if t.high is None else t.high for t in puzzle.tiles] + [1] * len(sides)
    names, images = symmetries
    problem = CoverProblem(
        items=tuple([puzzle.grid.show(a) for a in atoms] + [t.name for t in puzzle.tiles] + [puzzle.grid.show(s) for s in sides]),
        low=np.array(low, dtype=np.int32),
        high=np.array(high, dtype=np.int32),
        coloured=np.arange(len(low)) >= len(atoms) + len(puzzle.tiles),
        options=placements.names,
        start=start,
        item=item,
        colour=colour,
        tiles=tile_items,
        conditions=(*_rules(puzzle, placements), *implied_conditions(puzzle, placements)),
        symmetries=names,
        images=images,
        forced=tuple(fixed_placements(puzzle, placements)),
        centres=_centres(puzzle.grid, numbering, len(low)),
        adjacent=_adjacent(puzzle, placements),
    )
    return add_solution_rules(problem, puzzle, placements)


def _options(placements: Placements, shown: tuple[Ints, Ints, Ints], tiles: int) -> tuple[Ints, Ints, Ints]:
    """Return the options in CSR form: atoms, then the tile (items from ``tiles`` on), then the marked sides with their colours."""
    owner, side, of_side = shown
    covered = placements.atoms
    sides = np.bincount(owner, minlength=len(placements))
    start = np.concatenate([[0], np.cumsum(covered.lengths + 1 + sides)])
    item, colour = np.empty(start[-1], dtype=np.int32), np.zeros(start[-1], dtype=np.int32)
    behind = start[:-1] + covered.lengths
    place = np.arange(len(owner)) + (behind + 1 - (np.cumsum(sides) - sides))[owner]
    of_atoms = np.ones(len(item), dtype=np.bool_)
    of_atoms[behind] = of_atoms[place] = False
    item[of_atoms] = covered.numbers
    item[behind] = tiles + placements.tile
    item[place], colour[place] = side, of_side
    return start.astype(np.int32), item, colour


def _shown(placements: Placements, sides: Sequence[AtomId], first: int) -> tuple[Ints, Ints, Ints]:
    """Return the marks on inner sides as three arrays: the placement, the item of the side (from ``first`` on), and the colour.

    A side that a tile marks on both its faces is listed once: the marks may meet, so they have the same colour.
    """
    marking, marks = placements.marking, placements.marks
    names = max(len(marking.names), 1)
    beside = marks.numbers < marking.spots.size * names if sides else np.zeros(len(marks.numbers), dtype=np.bool_)
    owner, code = marks.owners[beside], marks.numbers[beside]
    number = {side: first + i for i, side in enumerate(sides)}
    items = np.array([number.get(side, -1) for side in marking.spots.sides], dtype=np.int32)
    item = items[code // names // marking.spots.most] if len(code) else code
    once = item >= 0
    owner, code, item = owner[once], code[once], item[once]
    _, once = np.unique(owner.astype(np.int64) * (first + len(sides) + 1) + item, return_index=True)
    once.sort()
    colours = _colours(placements.puzzle, marking)
    return owner[once], item[once], colours[code[once] // names % marking.spots.most, code[once] % names] if len(once) else code[once]


def _centres(grid: Grid, numbering: Numbering, items: int) -> Reals:
    """Return the centres of the atoms, the first of the items, in lattice coordinates; not-a-number for other items."""
    centres = np.full((items, grid.dimension), np.nan)
    own = numbering.places[:, -1]
    over, part = (np.array([[getattr(x, key) for x in atom.centre] for atom in grid.atoms])[own] for key in ("denominator", "numerator"))
    centres[: len(own)] = (numbering.places[:, :-1] * over + part) / over
    return centres


def _adjacent(puzzle: Puzzle, placements: Placements) -> Ints | None:
    """Return the pairs of neighbouring atoms, or None if some placement is not connected through them.

    A placement is connected if its tile is and it covers no further atoms. Each placement is checked by itself if a file lists them, or
    if the form wraps around: a stick that closes to a ring covers a crossing that its tile lacks, and a tile in two parts may lie in one.
    """
    pairs = FormContacts(puzzle).neighbours()
    near: list[list[int]] | None = None
    for number, tile in enumerate(puzzle.tiles):
        own = [a for a in tile.atoms if puzzle.form.wrap is None or puzzle.grid.atoms[a[-1]].kind not in puzzle.grid.crossing_kinds]
        places = {a: i for i, a in enumerate(own)}
        whole = _is_connected(range(len(own)), [[places[b] for b in puzzle.grid.neighbours(a) if b in places] for a in own])
        laid = np.flatnonzero(placements.tile == number)
        if puzzle.form.wrap is None and not tile.listed:
            if len(laid) and not whole:
                return None
            continue
        if whole and not tile.listed:
            laid = laid[placements.atoms.lengths[laid] != len(own)]
        near = near or _lists_of(pairs, len(puzzle.form.atoms))
        if not all(_is_connected(placements.atoms[p].tolist(), near) for p in laid.tolist()):
            return None
    return pairs


def _lists_of(pairs: Ints, count: int) -> list[list[int]]:
    """Return the list of the neighbours of each atom."""
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs.tolist():
        near[a].append(b)
        near[b].append(a)
    return near


def _is_connected(atoms: Sequence[int], near: Sequence[Sequence[int]]) -> bool:
    """Return whether atoms are connected through neighbours."""
    left = set(atoms[1:])
    waiting = list(atoms[:1])
    while waiting:
        reached = left.intersection(near[waiting.pop()])
        left -= reached
        waiting += reached
    return not left


def _inner_sides(puzzle: Puzzle) -> list[AtomId]:
    """Return the sides between two faces of the form that tiles may mark."""
    if not puzzle.mates:
        return []
    faces = [a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind]
    sides = {
        puzzle.form.locate_mark(Mark(s, f, "")).side
        for f in faces
        for s in puzzle.grid.sides_of(f)
        if puzzle.grid.atoms[s[-1]].role == "mark"
    }
    return sorted((s for s in sides if all(puzzle.form.locate(f) for f in puzzle.grid.faces_at(s))), key=atom_order)


def _colours(puzzle: Puzzle, marking: Marking) -> Ints:
    """Return the array (faces at a side, names of marks) of colours: marks on the two faces of a side may meet iff their colours are equal.

    On the first face mark m has the colour of m, on the second face the colour of its mate; a mark without a mate has its own colour there.
    """
    names = list(puzzle.mates)
    first = {m: i + 1 for i, m in enumerate(names)}
    second = {m: first[mate] if mate is not None else len(names) + 1 + i for i, (m, mate) in enumerate(puzzle.mates.items())}
    colours = [[seen.get(name, 0) for name in marking.names] for seen in [first] + [second] * (marking.spots.most - 1)]
    return np.array(colours, dtype=np.int32)


def _rules(puzzle: Puzzle, placements: Placements) -> list[Condition]:
    found = []
    for rule in puzzle.rules:
        by_tile = np.array([rule.tiles.get(tile.members[0], 0) for tile in puzzle.tiles], dtype=np.int64)
        by_atom = np.array([rule.atoms.get(a, 0) for a in puzzle.form.numbering.atoms], dtype=np.int64)
        weights = placements.atoms.sums(by_atom) + by_tile[placements.tile]
        found.append(Condition(rule.name, weights, rule.low, rule.high, rule.modulus, rule.residue))
    return found


@dataclass(frozen=True, eq=False, repr=False)
class OfPuzzle:
    """Base class of results about a puzzle. A limit may have ended the work before all placements were laid."""

    subject: BuiltInstance | Instance
    """The puzzle with its placements; or the instance, if not all placements were laid."""

    @property
    def begun(self) -> bool:
        """True if all placements were laid, so that the work could begin."""
        return isinstance(self.subject, BuiltInstance)

    @property
    def built(self) -> BuiltInstance:
        """The puzzle with its placements. Raises PuzzleError if not all placements were laid."""
        if isinstance(self.subject, BuiltInstance):
            return self.subject
        raise PuzzleError(f"{self.subject.name}: a limit was reached before all placements were laid")

    @property
    def instance(self) -> Instance:
        """The instance of the puzzle."""
        return self.subject.instance if isinstance(self.subject, BuiltInstance) else self.subject


def build_instance(given: Instance | Puzzle, *, progress: Progress = SILENT, limits: Limits | None = None) -> BuiltInstance:
    """Lay the placements of the puzzle of an instance, or of a bare puzzle, find its symmetries and make its cover problem.

    Raises PuzzleError, beginning with the file, with every problem of the puzzle and every unknown name in ``expect``; also if the work
    needs more than the memory limit; no other limit is heeded here.
    """
    instance = Instance.of(given)
    puzzle = instance.puzzle
    try:
        with progress.overseen():
            placements = _allowed(instance, all_placements(puzzle, progress=progress, limits=limits))
            names, images, refused = form_symmetries(puzzle, placements, progress=progress, limits=limits)
            if wrong := [*wrong_fixed(puzzle, placements), *_wrong_in_expect(instance, placements, names)]:
                raise PuzzleError(*wrong)
            progress.of("items and options")({"placements": len(placements)})
            return BuiltInstance(puzzle, placements, cover_problem(puzzle, placements, (names, images)), instance, refused=refused)
    except PuzzleError as error:
        raise (error if instance.path is None else error.under(f"{instance.path}: ")) from None


def _allowed(instance: Instance, placements: Placements) -> Placements:
    """Return the placements that the rules on solutions allow. If these have wrong names, report the other wrong names as well."""
    try:
        return keep_allowed(instance.puzzle, placements)
    except PuzzleError as error:
        bare = replace(instance.puzzle, fixed=(), solutions=SolutionRules())
        symmetries, *_ = form_symmetries(bare, placements)
        more = [*wrong_fixed(instance.puzzle, placements), *_wrong_in_expect(instance, placements, symmetries)]
        raise PuzzleError(*error.problems, *more) from None


def _wrong_in_expect(instance: Instance, placements: Placements, symmetries: Sequence[str]) -> list[str]:
    """Return a sentence for each unknown placement in ``expect.solution`` and each unknown symmetry in ``expect.fixed``."""
    if "expect" not in vars(instance):  # made before, from a file of the package, all of which tests validate
        return []
    return wrong_names("expect.solution", instance.expect.solution or [], placements, instance.puzzle) + [
        f"expect.fixed: {name!r} is not a symmetry of the form that the rules allow; it has {', '.join(symmetries)}"
        for name in instance.expect.fixed
        if name not in symmetries
    ]


# solutions -------------------------------------------------------------------------------------------------------------------

COLUMNS = ("number", "names", "tiles")
"""The columns of a table of solutions."""
Draw = Callable[[Sequence[int]], str]
"""A function that draws a solution, given by its options, in text."""


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Displayed):
    """A solution: a set of placements. ``print`` draws it in text; a notebook shows a picture.

    Two solutions are equal if their placements and their puzzles are equal.
    """

    built: BuiltInstance
    """The puzzle with all its placements."""
    options: tuple[int, ...]
    """The numbers of the placements, ascending: indices of ``built.placements``."""
    draw: Draw
    """The function that draws it in text."""
    number: int | None = None
    """Its number, from 1, if you asked for it by number or drew it at random."""
    of: int | None = None
    """The number of all solutions, if it has a number."""

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The placements, each with tile, orientation, first cell, atoms and marks."""
        return tuple(self.built.placements[o] for o in self.options)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the placements, such as ``Q.1@3.1``."""
        return tuple(self.built.problem.options[o] for o in self.options)

    @property
    def tiles(self) -> tuple[str, ...]:
        """The names of the tiles, one for each placement, in the order of ``names``."""
        puzzle, tile = self.built.puzzle, self.built.placements.tile
        return tuple(puzzle.tiles[int(tile[o])].name for o in self.options)

    @property
    def bits(self) -> tuple[str, ...]:
        """The atoms that each placement covers, as hexadecimal bit arrays."""
        return tuple(self.built.bit_array(o) for o in self.options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        return self.options == other.options and self.built.puzzle == other.built.puzzle

    def __hash__(self) -> int:
        return hash((self.options, self.built.puzzle))

    def __repr__(self) -> str:
        return f"Solution({self.built.instance.name!r}, {' '.join(self.names)!r})"

    def __str__(self) -> str:
        return self.draw(self.options)


class Solutions(Sequence[Solution]):
    """Solutions of one puzzle, stored as placement numbers. Indexing makes a ``Solution``."""

    def __init__(self, built: BuiltInstance | None, rows: Rows | Sequence[Sequence[int]]) -> None:
        self._built = built
        self._rows = rows

    @property
    def _puzzle(self) -> BuiltInstance:
        """The puzzle of the solutions. Raises IndexError without a puzzle, because there are no solutions then."""
        if self._built is None:
            raise IndexError("there are no solutions")
        return self._built

    @cached_property
    def _draw(self) -> Draw:
        drawn: Draw = Displayed.display("drawing", self._puzzle).plain
        return drawn

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Solution: ...
    @overload
    def __getitem__(self, at: slice) -> Solutions: ...
    def __getitem__(self, at: int | slice) -> Solution | Solutions:
        if isinstance(at, slice):
            return Solutions(self._built, self._rows[at])
        return Solution(self._puzzle, tuple(int(o) for o in self._rows[at] if o >= 0), self._draw)

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a solution: its ``number`` here, from 1, and the ``names`` and ``tiles`` of its placements."""
        from pandas import DataFrame

        rows = [(number, solution.names, solution.tiles) for number, solution in enumerate(self, start=1)]
        return DataFrame(rows, columns=list(COLUMNS))

    def __repr__(self) -> str:
        return f"<{many(len(self), 'solution')}{'' if self._built is None else f' of {self._built.instance.name!r}'}>"
