"""Which sets of tiles fill a form, and each in how many ways: one tally counts for all sets at once, and a list of solutions confirms it.

If any tile may be left out, a form is many puzzles in one. The tally counts by the tiles used, so it answers all of them together. The
solutions of a set up to the symmetries of the form are a mean of the numbers that each symmetry leaves unchanged (Burnside's lemma).
``FilledTogether`` is several forms filled at the same time from one supply of tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import combinations_with_replacement
from math import comb, prod
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    Displayed,
    EndedError,
    Limits,
    Longs,
    NotSupportedError,
    Progress,
    PuzzleError,
    Rows,
    first_difference,
    listed,
    many,
)
from puzzlesat.counting import MOST_LISTED, Record, Results, conjugates
from puzzlesat.designing.candidate_forms import Sources, Working, candidates, deal
from puzzlesat.designing.generate import Candidate
from puzzlesat.designing.tile_set import Kit, kit_given, refs
from puzzlesat.designing.trial import first_solution, open_results, plain_picture
from puzzlesat.formats import Given
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, Condition, CoverProblem, Tile, build_instance, find_instance, quotient
from puzzlesat.solvers import LISTING, TALLY, by_sums, solver

if TYPE_CHECKING:
    from pandas import DataFrame

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


def count_sets(built: BuiltInstance, limits: Limits, budget: float, *, progress: Progress = SILENT) -> Sets:
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


def _compare(built: BuiltInstance, found: Fixed, listed: Fixed) -> None:
    """Raise ContradictionError where two ways of counting differ on a set, or on what a symmetry leaves unchanged of it."""
    for one, other in zip(found, listed, strict=True):
        if wrong := sorted(used for used in one.keys() | other.keys() if one[used] != other[used]):
            words = set_words(built, wrong[0])
            raise ContradictionError(f"{words}: {TALLY} counts {one[wrong[0]]:,} solutions, {LISTING} lists {other[wrong[0]]:,}")


def _told(built: BuiltInstance, fixed: Fixed, by: str, listing: _Listing | None) -> Sets:
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


def set_words(built: BuiltInstance, used: Sums) -> str:
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
    low[problem.tiles], high[problem.tiles] = 0, CoverProblem.UNLIMITED
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


MOST_NAMED = 3
"""Forms of which it is said why their sets are not known."""


@dataclass(frozen=True, kw_only=True)
class FormSets:
    """The sets of tiles that fill one form. The attributes are the keys of a line of ``puzzlesat sets --json``; ``record`` is that line."""

    form: str
    """Its name."""
    key: str
    """A text that is the same only for the same form."""
    area: int
    """How many faces must be covered."""
    sets: int | None
    """How many sets of tiles fill the form; None if that is not known."""
    once: int | None
    """How many of them fill it in exactly one way, up to the symmetries of the form."""
    all: int | None
    """The number of solutions of all sets together."""
    distinct: int | None
    """The same up to those symmetries of the form that take the set to itself."""
    agree: bool | None
    """True if another solver listed all solutions and found the same for every set; else None."""
    reason: str | None
    """Why the sets are not known."""
    tiles: tuple[str, ...]
    """The names of the tiles, in the order of ``SetCount.uses``."""
    table: tuple[SetCount, ...] | None
    """Each set with its numbers of solutions, most solutions first."""
    seconds: float
    """How long the work on this form took."""
    picture: str
    """The form as a text picture."""
    atoms: tuple[tuple[int | str, ...], ...]
    """The form as ``form.atoms`` of an instance lists it."""
    complete: bool
    """Whether the sets of the form are known."""
    why: str | None
    """Why not, in a sentence; None if they are."""

    @classmethod
    def from_record(cls, record: Record) -> FormSets:
        """Return what a line of JSON says."""
        known = {key.name: record.get(key.name) for key in fields(cls)}
        table = None if record["table"] is None else sets_in(record)
        return cls(**known | {"tiles": tuple(record["tiles"]), "table": table, "atoms": tuple(map(tuple, known["atoms"] or ()))})

    @property
    def record(self) -> Record:
        """The same as a JSON object."""
        known = {key.name: getattr(self, key.name) for key in fields(self)}
        table = None if self.table is None else [[list(each.uses), each.all, each.distinct] for each in self.table]
        return known | {"tiles": list(self.tiles), "table": table, "atoms": list(map(list, self.atoms))}


@dataclass(frozen=True)
class TileSharing:
    """One way to share the tiles out among several forms."""

    distinct: int
    """In how many ways the forms can then be filled."""
    uses: tuple[tuple[int, ...], ...]
    """For each form: how often each tile is used, in the order of ``FormSets.tiles``."""


@dataclass(frozen=True)
class FilledTogether:
    """Whether some forms can be filled at the same time, with one set of tiles."""

    together: tuple[str, ...]
    """The names of the forms; the same name may occur several times."""
    choices: tuple[TileSharing, ...]
    """Each way to share the tiles out; empty if there is none."""

    @property
    def distinct(self) -> int:
        """In how many ways the forms can be filled at the same time."""
        return sum(choice.distinct for choice in self.choices)

    @property
    def record(self) -> Record:
        """The same as a JSON object."""
        choices = [{"distinct": choice.distinct, "uses": list(map(list, choice.uses))} for choice in self.choices]
        return {"together": list(self.together), "distinct": self.distinct, "choices": choices, "complete": True, "why": None}


@dataclass(frozen=True, eq=False, repr=False)
class SetsFound(Displayed):
    """Which sets of tiles fill which forms."""

    kit: Kit
    """The tiles."""
    forms: Sequence[Candidate]
    """All forms that you asked for."""
    found: Sequence[FormSets]
    """What is known of each form. The form that most sets fill comes first."""
    together: Sequence[FilledTogether] = ()
    """Which forms can be filled at the same time, if you asked for it and the sets of all forms are known."""
    ended: Sequence[str] = ()
    """A sentence on each form that is missing in ``found`` because a limit ended the work on it."""
    seconds: float = 0.0
    """How long the call took; CPU seconds if you asked for them."""
    columns: ClassVar = ("form", "area", "tiles", "distinct", "all", "agree")
    """Of the table of sets, one row each."""

    @property
    def complete(self) -> bool:
        """Whether the sets of every form are known."""
        return self.why is None

    @property
    def why(self) -> str | None:
        """Why the sets of some form are not known, in a sentence; None if all are."""
        unknown = [f"{one.form}: {one.reason}" for one in self.found if one.table is None]
        return listed([*self.ended, *unknown], MOST_NAMED) if self.ended or unknown else None

    @property
    def known(self) -> list[FormSets]:
        """The forms whose sets are known."""
        return [one for one in self.found if one.table is not None]

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many sets of tiles fill the forms."""
        return f"{self.kit.title}: {self._how_many}"

    @property
    def _how_many(self) -> str:
        known = self.known
        number = many(sum(one.sets or 0 for one in known), "set")
        left = "" if self.complete else f", {many(len(self.forms) - len(known), 'form')} not known"
        return f"{number} for {many(len(known), 'form')}{left}"

    def __repr__(self) -> str:
        return f"<SetsFound of {self.kit.title!r}: {self._how_many}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row for each form and set: the set as text, such as ``F I 2×L``, and its numbers of solutions."""
        from pandas import DataFrame

        return DataFrame(self.rows, columns=list(self.columns))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of that table, by its ``columns``."""
        rows = (
            (one.form, one.area, words_of(one.tiles, each.uses), each.distinct, each.all, one.agree)
            for one in self.known
            for each in one.table or ()
        )
        return [dict(zip(self.columns, row, strict=True)) for row in rows]

    def fill_together(self, times: int) -> list[FilledTogether]:
        """Return for any so many of the forms how they can be filled at the same time out of the tiles."""
        found = together([one.table or () for one in self.found], [tile.high for tile in _used(self.kit)], times)
        return [
            FilledTogether(
                tuple(self.found[form].form for form in one.forms),
                tuple(TileSharing(choice.distinct, tuple(tuple(each.uses) for each in choice.sets)) for choice in one.choices),
            )
            for one in found
        ]

    def build(self, one: FormSets, limits: Limits, progress: Progress = SILENT) -> BuiltInstance:
        """Compile the puzzle to fill one of the forms with some of the tiles."""
        form = next(form for form in self.forms if form.key == one.key)
        return build_form(self.kit, form, limits, progress)

    @staticmethod
    def solution(built: BuiltInstance, each: SetCount, limits: Limits) -> tuple[int, ...] | None:
        """Return a solution of one set, as ascending options; None if none was found within the limits."""
        return solution_of(built, each.uses, limits)


def kit_of_sets(
    tiles: Given, *, own_form: bool = False, copies: int | None = None, any_number: bool = False, problem: int | str | None = None
) -> Kit:
    """Return tiles of which any may be left out: as many copies of each as there are, ``copies`` of each, or any number of them.

    With ``own_form`` an instance is meant where a model has the same name.
    """
    if own_form and isinstance(tiles, str) and "\n" not in tiles:
        with suppress(PuzzleError):
            tiles = str(find_instance(tiles))
    kit = kit_given(tiles, some=True, own_form=own_form, problem=problem)
    if copies is None and not any_number:
        return kit
    changed = tuple(replace(t, high=copies, members=t.members[:1], ranges=((0, copies),), symmetries_of=()) for t in kit.tiles)
    return replace(kit, sample=replace(kit.sample, tiles=changed))


def tiles_and_forms(
    tiles: Given, sources: Sources, *, copies: int | None = None, any_number: bool = False, problem: int | str | None = None
) -> tuple[Kit, list[Candidate]]:
    """Return tiles of which any may be left out, and the forms that their sets are to fill; without sources, that of the instance."""
    kit = kit_of_sets(tiles, own_form=sources == Sources(), copies=copies, any_number=any_number, problem=problem)
    return kit, forms_of_sets(kit, sources)


def forms_of_sets(kit: Kit, sources: Sources) -> list[Candidate]:
    """Return the forms asked for; where none are, and the tiles are those of an instance, its own."""
    if sources != Sources():
        return candidates(kit, sources)
    if not kit.has_form:
        raise PuzzleError(
            "no form to fill; give an instance or a file with a form, or make forms with --boxes, --shapes and similar options"
        )
    return [Candidate(kit.path.stem, kit.instance.form, kit.path)]


def find_sets(
    kit: Kit,
    forms: Sequence[Candidate],
    file: Path | None,
    working: Working,
    budget: float,
    tell: Callable[[Record], None] = lambda _: None,
) -> SetsFound:
    """Count the sets that fill each form, until told to stop; a file has what is known, and gets what is found.

    ``tell`` gets the record of each form as soon as it is known; of a form that a limit ended, its name and ``why``.
    """
    known: dict[int, Record] = {}
    ended: list[str] = []
    clock = Clock(working.limits)
    with closing(open_sets(kit, file)) as results:
        for at, record in sets_of_each(kit, forms, results, working, budget):
            if isinstance(record, str):
                ended.append(f"{forms[at].name}: {record}")
                tell({"form": forms[at].name, "complete": False, "why": record})
            else:
                known[at] = record
                tell(record)
    records = sorted((known[at] for at in sorted(known)), key=_by_most_sets)
    return SetsFound(kit, forms, [FormSets.from_record(record) for record in records], ended=ended, seconds=clock.seconds)


def _by_most_sets(record: Record) -> tuple[bool, int, int]:
    """First the form that most sets fill; then those with most solutions; those not known last."""
    return record["sets"] is None, -(record["sets"] or 0), -(record["distinct"] or 0)


def sets_of_each(
    kit: Kit, forms: Sequence[Candidate], results: Results[str], working: Working, budget: float
) -> Generator[tuple[int, Record | str], None, None]:
    """Yield the number of each form, from 0, with what is known of it, or in words why nothing is, until told to stop.

    First come those that the results know, then the others as soon as they are counted, which the results keep. What was ended when it was
    told to stop, and is not confirmed, is left out: it is counted when this is done again.
    """
    new: dict[str, list[int]] = {}
    for number, form in enumerate(forms):
        known = results.known.get(key := form.key)
        if known is None or known["table"] is None:
            new.setdefault(key, []).append(number)
        else:
            yield number, _said(known, form)
    named = [(forms[numbers[0]].name, (forms[numbers[0]], numbers)) for numbers in new.values()]
    with closing(deal(kit, named, partial(_tried, budget=budget), working)) as found:
        for (_, numbers), answer in found:
            if isinstance(answer, dict):
                if working.limits.stop.is_set() and not answer["agree"]:
                    continue
                results.add(answer)
                yield from ((number, _said(answer, forms[number])) for number in numbers)
            elif not working.limits.stop.is_set():
                why = "the process that counted it was ended twice" if answer is None else answer
                yield from ((number, why) for number in numbers)


def _said(record: Record, form: Candidate) -> Record:
    """The record of a form under its name, with whether its sets are known, and why not."""
    complete = record["table"] is not None
    return record | {"form": form.name, "complete": complete, "why": None if complete else record["reason"]}


def _tried(kit: Kit, form: tuple[Candidate, Sequence[int]], limits: Limits, progress: Progress, *, budget: float) -> Record | str:
    """The record of a form, or why there is none."""
    begun = limits.begun()
    try:
        return try_sets(kit, form[0], begun, budget, progress=begun.heeding(progress))
    except EndedError as ended:
        return ended.words


def try_sets(kit: Kit, form: Candidate, limits: Limits, budget: float, *, progress: Progress = SILENT) -> Record:
    """Count the sets of tiles that fill a form, and return what was found; ``budget`` seconds are for the listing that confirms it."""
    began = monotonic()
    built = build_form(kit, form, limits, progress)
    found = count_sets(built, limits, budget, progress=progress)
    return _record(built, form, found, monotonic() - began)


def build_form(kit: Kit, form: Candidate, limits: Limits, progress: Progress = SILENT) -> BuiltInstance:
    """Compile the puzzle to fill a form with some of the tiles."""
    return build_instance(kit.to_fill(form.name, form.table, path=form.path), progress=progress, memory=limits.memory)


def _record(built: BuiltInstance, form: Candidate, found: Sets, seconds: float) -> Record:
    puzzle = built.puzzle
    faces = {a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind}
    names = [tile.name for tile in puzzle.tiles]
    known = found.sets is not None
    return {
        "form": form.name,
        "key": form.key,
        "area": sum(a in faces for a in puzzle.form.required),
        "sets": len(found.sets or ()) if known else None,
        "once": found.once if known else None,
        "all": found.all if known else None,
        "distinct": found.distinct if known else None,
        "agree": found.agree,
        "reason": found.reason or None,
        "tiles": names,
        "table": [[list(each.uses), each.all, each.distinct] for each in found.sets or ()] if known else None,
        "seconds": round(seconds, 3),
        "picture": plain_picture(puzzle.grid, faces, optional=faces & set(puzzle.form.optional)),
        "atoms": refs(puzzle.grid, faces),
    }


def _used(kit: Kit) -> list[Tile]:
    """The tiles of which there are copies: those that a set has numbers for."""
    return [tile for tile in kit.tiles if tile.high != 0]


def open_sets(kit: Kit, path: Path | None) -> Results[str]:
    """Return what is known of the sets of some tiles by the ``key`` of each record, from a file of results, if there is one."""
    tiles = _used(kit)
    high, names = [tile.high for tile in tiles], [tile.name for tile in tiles]
    kinds = {"form": str, "area": int, "picture": str, "agree": bool | None, "reason": str | None, "table": list | None}

    def check(record: Record) -> None:
        """Raise KeyError, TypeError or ValueError for what is no record of these tiles, or contradicts itself."""
        if record["tiles"] != names or not all(isinstance(record[key], kind) for key, kind in kinds.items()):
            raise TypeError
        for used, number, distinct in record["table"] or ():
            if not all(type(n) is int and n >= 0 for n in (*used, number, distinct)):
                raise TypeError
            if any(most is not None and n > most for n, most in zip(used, high, strict=True)):
                raise ValueError
        found = sets_in(record)
        added = Sets(found)
        figures = len({each.uses for each in found}), added.once, added.all, added.distinct
        if record["table"] is not None and figures != (record["sets"], record["once"], record["all"], record["distinct"]):
            raise ValueError

    return open_results(kit, path, "sets", check)


def sets_in(record: Record) -> tuple[SetCount, ...]:
    """Return the sets that a record tells of, those of most solutions first."""
    return tuple(SetCount(tuple(used), number, distinct) for used, number, distinct in record["table"] or ())


def solution_of(built: BuiltInstance, used: Sequence[int], limits: Limits) -> tuple[int, ...] | None:
    """Return a solution that uses each tile exactly so often, as ascending options; None where none was found within the limits."""
    problem = built.problem
    low, high = problem.low.copy(), problem.high.copy()
    low[problem.tiles] = high[problem.tiles] = used
    only = replace(problem, low=low, high=high, symmetries=("identity",), images=None)
    return first_solution(replace(built, problem=only), limits)[1]
