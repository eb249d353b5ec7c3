"""Which sets of tiles fill a form, and each in how many ways: one tally says it of all sets at once, and a listing confirms it.

Tiles of which any may be left out make many puzzles in one. The tally counts by what was used, so it answers all of them together;
solutions up to the symmetries of the form are, set by set, a mean of what each symmetry leaves unchanged (Burnside's lemma).

Several forms filled at the same time out of one supply of tiles: sets that go together, chosen from what is known of each form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np

from puzzlesat.base import SILENT, ContradictionError, Limits, Longs, NotSupportedError, Progress, PuzzleError, Rows, first_difference
from puzzlesat.counting import MOST_LISTED, conjugates
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import UNLIMITED, Built, Condition, CoverProblem, quotient
from puzzlesat.solvers import LISTING, TALLY, by_sums, solver

MOST_TOGETHER = 1_000_000
"""Largest number of ways to choose sets that fill some forms at the same time."""

Sums = tuple[int, ...]
Fixed = list[Counter[Sums]]
"""For each symmetry, how many solutions of each set of tiles it leaves unchanged; the identity leaves all."""


@dataclass(frozen=True)
class SetCount:
    """A set of tiles that fills the form."""

    uses: Sums
    """How often each tile of the puzzle is used."""
    all: int
    distinct: int
    """Up to the symmetries of the form that take the set to itself."""


@dataclass(frozen=True)
class Sets:
    """What was found out about a form."""

    sets: tuple[SetCount, ...] | None
    """The sets that fill it, those of most solutions first; None: they are not known, and ``reason`` says why."""
    solver: str = ""
    agree: bool | None = None
    """Whether a listing of all solutions says the same of every set, and of how many are different; None: there was none, or not all."""
    reason: str = ""
    examples: Mapping[Sums, tuple[int, ...]] = field(default_factory=dict)
    """A solution of each set, as ascending options, where they were listed."""

    @property
    def once(self) -> int:
        """How many sets fill the form in exactly one way, up to its symmetries."""
        return sum(found.distinct == 1 for found in self.sets or ())

    @property
    def all(self) -> int:
        """The solutions of all sets together."""
        return sum(found.all for found in self.sets or ())

    @property
    def distinct(self) -> int:
        """The same up to the symmetries of the form."""
        return sum(found.distinct for found in self.sets or ())


def count_sets(built: Built, limits: Limits, budget: float, *, progress: Progress = SILENT) -> Sets:
    """Count the solutions of each set of tiles, and let a listing that takes ``budget`` seconds at most confirm every number.

    Where the tally refuses, the listing counts, and nothing confirms it. Raises ContradictionError where the two differ.
    """
    problem, moved = by_uses(built.problem), tile_images(built.problem)
    listing = _Listing(built.problem)
    try:
        found, reason = _tallied(problem, moved, limits, progress)
    except NotSupportedError as error:
        found, reason = None, str(error)
        complete, why = listing.run(limits, progress)
        if not complete:
            return Sets(None, reason=f"{reason}; {why}")
        return _told(built, listing.fixed, LISTING, listing)
    if found is None:
        return Sets(None, reason=reason)
    if budget <= 0 or sum(found[0].values()) > MOST_LISTED:
        return _told(built, found, TALLY, None)
    complete, _ = listing.run(limits.within(budget), progress)
    if not complete:
        return _told(built, found, TALLY, None)
    _compare(built, found, listing.fixed)
    return replace(_told(built, found, TALLY, listing), agree=True)


def _tallied(problem: CoverProblem, moved: Longs, limits: Limits, progress: Progress) -> tuple[Fixed | None, str]:
    """Count what each symmetry leaves unchanged, set by set.

    Symmetries of one kind (conjugate) fix equally many of each, where none exchanges tiles.
    """
    kinds = conjugates(problem, progress)
    if (moved != np.arange(tiles := moved.shape[1])).any():
        kinds = list(range(len(kinds)))
    known: dict[int, Counter[Sums]] = {}
    for g in dict.fromkeys(kinds):
        outcome, found = by_sums(problem if g == 0 else quotient(problem, g), tiles, limits, progress=progress.of(TALLY))
        if not outcome.complete:
            return None, f"{outcome.solver}: {outcome.status}"
        known[g] = found
    return [known[g] for g in kinds], ""


class _Listing:
    """All solutions one by one, put in heaps by the tiles that they use."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        none = np.zeros((1, len(problem.tiles)), dtype=np.int64)
        self.uses = np.concatenate([uses(problem).T, none])  # the last row is of what stands behind a shorter solution
        images = np.arange(problem.size)[None] if problem.images is None else problem.images
        self.images = np.concatenate([images, np.full((len(images), 1), problem.size)], axis=1)
        self.fixed: Fixed = [Counter() for _ in images]
        self.examples: dict[Sums, tuple[int, ...]] = {}
        self.least: Counter[Sums] = Counter()
        """How many solutions of each set come before all their images that are of the same set."""

    def run(self, limits: Limits, progress: Progress) -> tuple[bool, str]:
        """List everything; return whether that was completed, and why not."""
        try:
            outcome = solver(LISTING)(self.problem)(self.take, limits, progress=progress.of(LISTING))
        except NotSupportedError as error:
            return False, str(error)
        return outcome.complete, f"{outcome.solver}: {outcome.status}"

    def take(self, block: Rows) -> None:
        """Take some solutions in."""
        if not len(block):
            return
        rows = np.where(block < 0, self.problem.size, block)
        kinds, first, of = np.unique(self.uses[rows].sum(axis=1), axis=0, return_index=True, return_inverse=True)
        names = [tuple(kind) for kind in kinds.tolist()]
        for name, at in zip(names, first.tolist(), strict=True):
            self.examples.setdefault(name, tuple(block[at][block[at] >= 0].tolist()))
        first_of_all = np.ones(len(rows), dtype=bool)
        for image, found in zip(self.images, self.fixed, strict=True):
            moved = np.sort(image[rows], axis=1)
            self._add(found, names, of.ravel()[(moved == rows).all(axis=1)])
            before = first_difference(moved, rows) < 0
            if (self.uses[image] != self.uses).any():
                before[before] = (self.uses[moved[before]].sum(axis=1) == kinds[of.ravel()[before]]).all(axis=1)
            first_of_all &= ~before
        self._add(self.least, names, of.ravel()[first_of_all])

    @staticmethod
    def _add(found: Counter[Sums], names: Sequence[Sums], of: Longs) -> None:
        """Add solutions to sets, by the numbers of the sets in ``names``."""
        for name, number in zip(names, np.bincount(of, minlength=len(names)).tolist(), strict=True):
            if number:
                found[name] += number


def _compare(built: Built, found: Fixed, listed: Fixed) -> None:
    """Raise ContradictionError where two ways of counting differ on a set, or on what a symmetry leaves unchanged of it."""
    for one, other in zip(found, listed, strict=True):
        if wrong := sorted(used for used in one.keys() | other.keys() if one[used] != other[used]):
            words = set_words(built, wrong[0])
            raise ContradictionError(f"{words}: {TALLY} counts {one[wrong[0]]:,} solutions, {LISTING} lists {other[wrong[0]]:,}")


def _told(built: Built, fixed: Fixed, by: str, listing: _Listing | None) -> Sets:
    """Put the sets in order; one solution of each that was listed is re-checked on the geometry."""
    moved = tile_images(built.problem)
    found = []
    for used, number in fixed[0].items():
        order = int((np.array(used)[moved] == used).all(axis=1).sum())  # symmetries that take the set to itself
        total = sum(part[used] for part in fixed)
        if total % order:
            raise ContradictionError(f"{set_words(built, used)}: what {order} symmetries leave unchanged adds up to {total:,}, no multiple")
        if listing is not None and listing.least[used] != total // order:
            one_by_one = f"counted one by one, {listing.least[used]:,} are different, by Burnside's lemma {total // order:,}"
            raise ContradictionError(f"{set_words(built, used)}: {one_by_one}")
        found.append(SetCount(used, number, total // order))
    examples = {} if listing is None else listing.examples
    check = solution_check(built)
    for row in examples.values():
        if (wrong := check(np.array([row or (-1,)], dtype=np.int32))) is not None:
            raise ContradictionError(f"a solution fails the check against the geometry: {wrong}")
    ordered = sorted(found, key=lambda each: (-each.distinct, -each.all, [-n for n in each.uses]))
    return Sets(tuple(ordered), by, examples=examples)


def set_words(built: Built, used: Sums) -> str:
    """Return a set of the tiles of a puzzle in words."""
    return words_of([tile.name for tile in built.puzzle.tiles], used)


def words_of(tiles: Sequence[str], used: Sequence[int]) -> str:
    """Return a set as its tiles: ``F I 2×L``."""
    return " ".join(name if n == 1 else f"{n}×{name}" for name, n in zip(tiles, used, strict=True) if n)


AS_MANY = np.iinfo(np.int32).max
"""Of a tile that may be used as often as wished."""


@dataclass(frozen=True)
class Choice:
    """A set for each of some forms, such that the tiles suffice for all of them."""

    sets: tuple[SetCount, ...]
    distinct: int
    """In how many ways, up to the symmetries of each form, and to which of several equal forms is which."""


@dataclass(frozen=True)
class Together:
    """What can be filled at the same time."""

    forms: tuple[int, ...]
    """Numbers of the forms, ascending; one may stand there several times."""
    choices: tuple[Choice, ...]
    """Those of most ways first; there may be none."""

    @property
    def distinct(self) -> int:
        """In how many ways the forms can be filled at the same time."""
        return sum(choice.distinct for choice in self.choices)


def together(tables: Sequence[Sequence[SetCount]], supply: Sequence[int | None], times: int) -> list[Together]:
    """Return for any so many of some forms, also the same one several times, how they can be filled at the same time.

    ``tables`` has the sets that fill each form; ``supply`` says how often each tile is there (None: as often as wished). Raises PuzzleError
    where there are too many ways to choose.
    """
    have = np.array([AS_MANY if each is None else each for each in supply], dtype=np.int64)
    used = [np.array([each.uses for each in table], dtype=np.int64).reshape(len(table), len(have)) for table in tables]
    found: list[Together] = []
    seen = 0
    for forms in combinations_with_replacement(range(len(tables)), times):
        choices = []
        for chosen in _chosen(used, forms, have, 0):
            seen += 1
            if seen > MOST_TOGETHER:
                raise PuzzleError(f"there are more than {MOST_TOGETHER:,} ways to choose {times} sets together; take fewer forms, or tiles")
            sets = tuple(tables[form][number] for form, number in zip(forms, chosen, strict=True))
            alike = Counter(zip(forms, chosen, strict=True))
            ways = prod(comb(tables[form][number].distinct + n - 1, n) for (form, number), n in alike.items())
            choices.append(Choice(sets, ways))
        found.append(Together(forms, tuple(sorted(choices, key=lambda choice: -choice.distinct))))
    return found


def _chosen(used: Sequence[Longs], forms: tuple[int, ...], have: Longs, first: int) -> Iterator[tuple[int, ...]]:
    """Numbers of sets, one for each form; where a form stands there again, its set is none before that chosen last."""
    if not forms:
        yield ()
        return
    own, others = used[forms[0]], forms[1:]
    for number in (first + np.flatnonzero((own[first:] <= have).all(axis=1))).tolist():
        again = number if others and others[0] == forms[0] else 0
        for more in _chosen(used, others, have - own[number], again):
            yield (number, *more)


def uses(problem: CoverProblem) -> Longs:
    """Return the array (tiles, options): 1 where an option is a placement of a tile, else 0."""
    number = np.full(len(problem.items), -1, dtype=np.int64)
    number[problem.tiles] = np.arange(len(problem.tiles))
    tile = number[problem.item]
    table = np.zeros((len(problem.tiles), problem.size), dtype=np.int64)
    table[tile[tile >= 0], problem.rows[tile >= 0]] = 1
    return table


def by_uses(problem: CoverProblem) -> CoverProblem:
    """Return the problem with its tiles as conditions, the first of all, in place of items: its solutions are the same.

    Conditions that follow from the coverage are left out.
    """
    table = uses(problem)
    wanted = [
        Condition(problem.items[item], table[i], int(problem.low[item]), int(problem.high[item]))
        for i, item in enumerate(problem.tiles.tolist())
    ]
    low, high = problem.low.copy(), problem.high.copy()
    low[problem.tiles], high[problem.tiles] = 0, UNLIMITED
    kept = ~np.isin(problem.item, problem.tiles)
    lengths = np.bincount(problem.rows[kept], minlength=problem.size)
    return replace(
        problem.without_implied(),
        low=low,
        high=high,
        start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        item=problem.item[kept],
        colour=problem.colour[kept],
        tiles=np.empty(0, dtype=np.int32),
        conditions=(*wanted, *(c for c in problem.conditions if not c.implied)),
    )


def tile_images(problem: CoverProblem) -> Longs:
    """Return the array (symmetries, tiles): the number of the tile to which each symmetry takes each tile.

    That is another one where a form is turned over, and tiles are not: then it may take a tile to its mirror image.
    """
    table = uses(problem)
    own = np.arange(len(table))
    found = np.tile(own, (len(problem.symmetries), 1))
    if problem.images is not None and problem.size:
        there = table.any(axis=1)
        first, tile = table.argmax(axis=1)[there], table.argmax(axis=0)
        found[:, there] = tile[problem.images[:, first]]
    return found
