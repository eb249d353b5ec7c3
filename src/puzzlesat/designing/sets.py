"""The sets of tiles that fill a form, each with its number of solutions: one tally counts all sets, and a listing confirms it.

If any tile may be omitted, a form is many puzzles in one. The tally counts solutions by the tiles used, so one run answers all of them. The
number of solutions of a set up to the symmetries of the form is the mean number of solutions that a symmetry fixes (Burnside's lemma).
``FilledTogether`` means several forms filled at the same time from one supply of tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations_with_replacement
from math import comb, prod
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from puzzlesat import base
from puzzlesat.counting import MAX_LISTED, Record, Results, conjugates
from puzzlesat.designing.candidate_forms import Candidate
from puzzlesat.designing.tile_set import Kit, Working, deal
from puzzlesat.designing.trial import about_form, as_lists, as_tuples, first_solution, open_results
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, Condition, CoverProblem, Tile, build_instance, quotient
from puzzlesat.solvers import LISTING, TALLY, by_sums, solver

if TYPE_CHECKING:
    from pandas import DataFrame

MAX_TOGETHER = 1_000_000
"""Largest number of ways to choose sets that fill some forms at the same time."""

Sums = tuple[int, ...]
Fixed = list[Counter[Sums]]
"""The number of solutions of each set of tiles that each symmetry fixes; the identity comes first, and fixes all."""


class SetCount(NamedTuple):
    """A set of tiles that fills the form."""

    uses: Sums
    """The number of copies of each tile of the puzzle that the set uses."""
    all: int
    distinct: int
    """The number of solutions up to the symmetries of the form that map the set to itself."""


@dataclass(frozen=True, kw_only=True)
class Sets:
    """The sets of tiles that fill a form, or the reason why they are not known."""

    table: tuple[SetCount, ...] | None
    """Each set with its numbers of solutions, most solutions first; None if they are not known."""
    agree: bool | None = None
    """True if another solver listed all solutions and found the same for every set; else None."""
    reason: str | None = None
    """The reason why the sets are not known."""

    @property
    def sets(self) -> int | None:
        """The number of sets of tiles that fill the form; None if it is not known."""
        return self._sum(lambda _: 1)

    @property
    def once(self) -> int | None:
        """The number of sets that fill the form in exactly one way, up to its symmetries."""
        return self._sum(lambda each: each.distinct == 1)

    @property
    def all(self) -> int | None:
        """The number of solutions of all sets."""
        return self._sum(lambda each: each.all)

    @property
    def distinct(self) -> int | None:
        """The number of solutions of all sets, each up to the symmetries of the form that map the set to itself."""
        return self._sum(lambda each: each.distinct)

    def _sum(self, figure: Callable[[SetCount], int]) -> int | None:
        return None if self.table is None else sum(map(figure, self.table))


def count_sets(built: BuiltInstance, limits: base.Limits, budget: float, *, progress: base.Progress = base.SILENT) -> Sets:
    """Count the solutions of each set of tiles, and confirm every number by a listing of at most ``budget`` seconds.

    If the tally refuses the puzzle, the listing alone counts, unconfirmed. Raises ContradictionError if both differ.
    """
    problem, moved = by_uses(built.problem), tile_images(built.problem)
    listing = _Listing(built.problem)
    try:
        found, reason = _tallied(problem, moved, limits, progress)
    except base.NotSupportedError as error:
        complete, why = listing.run(limits, progress)
        return _in_order(built, listing.fixed, listing) if complete else Sets(table=None, reason=f"{error}; {why}")
    if found is None:
        return Sets(table=None, reason=reason)
    if budget <= 0 or sum(found[0].values()) > MAX_LISTED or not listing.run(limits.within(budget), progress)[0]:
        return _in_order(built, found, None)
    _compare(built, found, listing.fixed)
    return replace(_in_order(built, found, listing), agree=True)


def _tallied(problem: CoverProblem, moved: base.Longs, limits: base.Limits, progress: base.Progress) -> tuple[Fixed | None, str]:
    """Count the solutions of each set that each symmetry fixes.

    Conjugate symmetries fix equally many solutions of each set, unless some symmetry exchanges tiles.
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
    """A listing of all solutions, counted by the tiles that they use."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem
        none = np.zeros((1, len(problem.tiles)), dtype=np.int64)
        self.uses = np.concatenate([uses(problem).T, none])  # the last row belongs to the padding of shorter solutions
        images = np.arange(problem.size)[None] if problem.images is None else problem.images
        self.images = np.concatenate([images, np.full((len(images), 1), problem.size)], axis=1)
        self.fixed: Fixed = [Counter() for _ in images]
        self.examples: dict[Sums, tuple[int, ...]] = {}
        self.least: Counter[Sums] = Counter()
        """The number of solutions of each set that are smaller than all their images in the same set."""

    def run(self, limits: base.Limits, progress: base.Progress) -> tuple[bool, str]:
        """List all solutions; return whether the listing is complete, and the reason if not."""
        try:
            outcome = solver(LISTING)(self.problem)(self.take, limits, progress=progress.of(LISTING))
        except base.NotSupportedError as error:
            return False, str(error)
        return outcome.complete, f"{outcome.solver}: {outcome.status}"

    def take(self, block: base.Rows) -> None:
        """Count a block of solutions."""
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
            before = base.first_difference(moved, rows) < 0
            if (self.uses[image] != self.uses).any():
                before[before] = (self.uses[moved[before]].sum(axis=1) == kinds[of.ravel()[before]]).all(axis=1)
            first_of_all &= ~before
        self._add(self.least, names, of.ravel()[first_of_all])

    @staticmethod
    def _add(found: Counter[Sums], names: Sequence[Sums], of: base.Longs) -> None:
        """Add solutions to the counts of their sets; ``of`` has the number of the set in ``names`` for each solution."""
        for name, number in zip(names, np.bincount(of, minlength=len(names)).tolist(), strict=True):
            if number:
                found[name] += number


def _compare(built: BuiltInstance, found: Fixed, listed: Fixed) -> None:
    """Raise ContradictionError if two counts differ on the solutions of a set that some symmetry fixes."""
    for one, other in zip(found, listed, strict=True):
        if wrong := sorted(used for used in one.keys() | other.keys() if one[used] != other[used]):
            words = set_words(built, wrong[0])
            raise base.ContradictionError(f"{words}: {TALLY} counts {one[wrong[0]]:,} solutions, {LISTING} lists {other[wrong[0]]:,}")


def _in_order(built: BuiltInstance, fixed: Fixed, listing: _Listing | None) -> Sets:
    """Return the sets in order; one listed solution of each is re-checked on the geometry."""
    moved = tile_images(built.problem)
    found = []
    for used, number in fixed[0].items():
        order = int((np.array(used)[moved] == used).all(axis=1).sum())  # symmetries that map the set to itself
        total = sum(part[used] for part in fixed)
        if total % order:
            raise base.ContradictionError(
                f"{set_words(built, used)}: what {order} symmetries leave unchanged adds up to {total:,}, no multiple"
            )
        if listing is not None and listing.least[used] != total // order:
            one_by_one = f"counted one by one, {listing.least[used]:,} are different, by Burnside's lemma {total // order:,}"
            raise base.ContradictionError(f"{set_words(built, used)}: {one_by_one}")
        found.append(SetCount(used, number, total // order))
    check = solution_check(built)
    for row in listing.examples.values() if listing is not None else ():
        if (wrong := check(np.array([row or (-1,)], dtype=np.int32))) is not None:
            raise base.ContradictionError(f"a solution fails the check against the geometry: {wrong}")
    ordered = sorted(found, key=lambda each: (-each.distinct, -each.all, [-n for n in each.uses]))
    return Sets(table=tuple(ordered))


def set_words(built: BuiltInstance, used: Sums) -> str:
    """Return a set of the tiles of a puzzle in words."""
    return _words([tile.name for tile in built.puzzle.tiles], used)


def _words(tiles: Sequence[str], used: Sequence[int]) -> str:
    return " ".join(name if n == 1 else f"{n}×{name}" for name, n in zip(tiles, used, strict=True) if n)


AS_MANY = np.iinfo(np.int32).max
"""Supply of a tile without a limit."""


def together(names: Sequence[str], tables: Sequence[Sequence[SetCount]], supply: Sequence[int | None], times: int) -> list[FilledTogether]:
    """Return, for every multiset of ``times`` forms, the ways to fill all of them from one supply of tiles.

    ``tables`` has the sets that fill each form; ``supply`` has the number of copies of each tile (None: unlimited). Raises PuzzleError if
    there are too many choices.
    """
    have = np.array([AS_MANY if each is None else each for each in supply], dtype=np.int64)
    used = [np.array([each.uses for each in table], dtype=np.int64).reshape(len(table), len(have)) for table in tables]
    found: list[FilledTogether] = []
    seen = 0
    for forms in combinations_with_replacement(range(len(tables)), times):
        choices = []
        for chosen in _chosen(used, forms, have, 0):
            seen += 1
            if seen > MAX_TOGETHER:
                raise base.PuzzleError(
                    f"there are more than {MAX_TOGETHER:,} ways to choose {times} sets together; take fewer forms, or tiles"
                )
            pairs = [*zip(forms, chosen, strict=True)]
            ways = prod(comb(tables[form][number].distinct + n - 1, n) for (form, number), n in Counter(pairs).items())
            choices.append(TileSharing(ways, tuple(tables[form][number].uses for form, number in pairs)))
        found.append(FilledTogether(tuple(names[form] for form in forms), tuple(sorted(choices, key=lambda choice: -choice.distinct))))
    return found


def _chosen(used: Sequence[base.Longs], forms: tuple[int, ...], have: base.Longs, first: int) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of sets of each choice, one for each form. Sets of equal forms ascend."""
    if not forms:
        yield ()
        return
    own, others = used[forms[0]], forms[1:]
    for number in (first + np.flatnonzero((own[first:] <= have).all(axis=1))).tolist():
        again = number if others and others[0] == forms[0] else 0
        for more in _chosen(used, others, have - own[number], again):
            yield (number, *more)


def uses(problem: CoverProblem) -> base.Longs:
    """Return the array (tiles, options): 1 if an option is a placement of a tile, else 0."""
    number = np.full(len(problem.items), -1, dtype=np.int64)
    number[problem.tiles] = np.arange(len(problem.tiles))
    tile = number[problem.item]
    table = np.zeros((len(problem.tiles), problem.size), dtype=np.int64)
    table[tile[tile >= 0], problem.rows[tile >= 0]] = 1
    return table


def by_uses(problem: CoverProblem) -> CoverProblem:
    """Return an equivalent problem with its tiles as its first conditions, in place of items.

    Conditions that follow from the coverage are omitted.
    """
    table = uses(problem)
    conditions = [
        Condition(problem.items[item], table[i], int(problem.low[item]), int(problem.high[item]))
        for i, item in enumerate(problem.tiles.tolist())
    ]
    low, high = problem.low.copy(), problem.high.copy()
    low[problem.tiles], high[problem.tiles] = 0, CoverProblem.UNLIMITED
    not_tile = ~np.isin(problem.item, problem.tiles)
    lengths = np.bincount(problem.rows[not_tile], minlength=problem.size)
    return replace(
        problem.without_implied(),
        low=low,
        high=high,
        start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        item=problem.item[not_tile],
        colour=problem.colour[not_tile],
        tiles=np.empty(0, dtype=np.int32),
        conditions=(*conditions, *(c for c in problem.conditions if not c.implied)),
    )


def tile_images(problem: CoverProblem) -> base.Longs:
    """Return the array (symmetries, tiles): the number of the image of each tile under each symmetry.

    The image may be another tile if the symmetry reflects the form and tiles must not be turned over: then it is the mirror image.
    """
    table = uses(problem)
    images = np.tile(np.arange(len(table)), (len(problem.symmetries), 1))
    if problem.images is not None and problem.size:
        there = table.any(axis=1)
        first, tile = table.argmax(axis=1)[there], table.argmax(axis=0)
        images[:, there] = tile[problem.images[:, first]]
    return images


MAX_NAMED = 3
"""Largest number of forms named in a message about unknown sets."""


KEYS = ("form", "key", "area", "sets", "once", "all", "distinct", "agree", "reason", "tiles", "table", "seconds", "picture", "atoms")
"""The keys of a line in a file of results."""


@dataclass(frozen=True, kw_only=True)
class FormSets(Sets):
    """The sets of tiles that fill one form. The attributes are the keys of a line of ``puzzlesat sets --json``; ``record`` is that line."""

    form: str
    """The name of the form."""
    key: str
    """A text that identifies the form."""
    area: int
    """The number of faces that must be covered."""
    tiles: tuple[str, ...]
    """The names of the tiles, in the order of ``SetCount.uses``."""
    seconds: float
    """The duration of the work on this form."""
    picture: str
    """The form as a text picture."""
    atoms: tuple[tuple[int | str, ...], ...]
    """The form as ``form.atoms`` of an instance lists it."""

    @classmethod
    def from_record(cls, record: Record) -> FormSets:
        """Return the result of a line of JSON."""
        known = {key.name: as_tuples(record.get(key.name)) for key in fields(cls)}
        return cls(**known | {"table": known["table"] and tuple(SetCount(*each) for each in known["table"])})

    @property
    def complete(self) -> bool:
        """True if the sets of the form are known."""
        return self.table is not None

    @property
    def why(self) -> str | None:
        """A sentence on why the sets are not known; None if they are."""
        return None if self.complete else self.reason

    @property
    def stored(self) -> Record:
        """The result as an object of a file of results."""
        return {key: as_lists(getattr(self, key)) for key in KEYS}

    @property
    def record(self) -> Record:
        """The result as a JSON object."""
        return self.stored | {"complete": self.complete, "why": self.why}

    def words(self, uses: Sequence[int]) -> str:
        """Return a set as text, such as ``F I 2×L``."""
        return _words(self.tiles, uses)


@dataclass(frozen=True)
class TileSharing:
    """One way to distribute the tiles to several forms."""

    distinct: int
    """The number of ways to fill the forms with these tiles."""
    uses: tuple[tuple[int, ...], ...]
    """The number of copies of each tile, in the order of ``FormSets.tiles``, for each form."""


@dataclass(frozen=True)
class FilledTogether:
    """The ways to fill some forms at the same time with one set of tiles."""

    together: tuple[str, ...]
    """The names of the forms; the same name may occur several times."""
    choices: tuple[TileSharing, ...]
    """Each way to distribute the tiles; empty if there is none."""

    @property
    def distinct(self) -> int:
        """The number of ways to fill the forms at the same time."""
        return sum(choice.distinct for choice in self.choices)

    @property
    def record(self) -> Record:
        """The result as a JSON object."""
        choices = [{"distinct": choice.distinct, "uses": list(map(list, choice.uses))} for choice in self.choices]
        return {"together": list(self.together), "distinct": self.distinct, "choices": choices, "complete": True, "why": None}


@dataclass(frozen=True, eq=False, repr=False)
class SetsFound(base.Displayed):
    """The sets of tiles that fill each of some forms. Its table has one row for each form and set."""

    kit: Kit
    """The tiles."""
    forms: Sequence[Candidate]
    """All requested forms."""
    found: Sequence[FormSets]
    """The result for each form. The form that most sets fill comes first."""
    together: Sequence[FilledTogether] = ()
    """The forms that can be filled at the same time, if you asked for them and the sets of all forms are known."""
    ended: Sequence[str] = ()
    """A sentence on each form that is missing in ``found`` because a limit ended the work on it."""
    seconds: float = 0.0
    """The duration of the call; CPU seconds if you asked for them."""
    columns: ClassVar = ("form", "area", "tiles", "distinct", "all", "agree")
    """The columns of the table."""

    @property
    def complete(self) -> bool:
        """True if the sets of every form are known."""
        return self.why is None

    @property
    def why(self) -> str | None:
        """A sentence on why the sets of some form are not known; None if all are."""
        unknown = [f"{entry.form}: {entry.reason}" for entry in self.found if entry.table is None]
        return base.listed([*self.ended, *unknown], MAX_NAMED) if self.ended or unknown else None

    @property
    def known(self) -> list[FormSets]:
        """The forms whose sets are known."""
        return [entry for entry in self.found if entry.table is not None]

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many sets of tiles fill the forms."""
        known = self.known
        number = base.many(sum(entry.sets or 0 for entry in known), "set")
        left = "" if self.complete else f", {base.many(len(self.forms) - len(known), 'form')} not known"
        return f"{self.kit.title}: {number} for {base.many(len(known), 'form')}{left}"

    def __repr__(self) -> str:
        return f"<SetsFound of {self.kit.title!r}{self.sentence.removeprefix(self.kit.title)}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row for each form and set: the set as text, such as ``F I 2×L``, and its numbers of solutions."""
        from pandas import DataFrame

        return DataFrame(self.rows, columns=list(self.columns))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table, by its ``columns``."""
        rows = (
            (one.form, one.area, one.words(each.uses), each.distinct, each.all, one.agree) for one in self.known for each in one.table or ()
        )
        return [dict(zip(self.columns, row, strict=True)) for row in rows]

    def fill_together(self, times: int) -> list[FilledTogether]:
        """Return, for every multiset of ``times`` forms, the ways to fill all of them at the same time."""
        names, tables = [entry.form for entry in self.found], [entry.table or () for entry in self.found]
        return together(names, tables, [tile.high for tile in _used(self.kit)], times)

    def build(self, one: FormSets, limits: base.Limits, progress: base.Progress = base.SILENT) -> BuiltInstance:
        """Compile the puzzle to fill one of the forms with some of the tiles."""
        form = next(form for form in self.forms if form.key == one.key)
        return build_form(self.kit, form, limits, progress)

    @staticmethod
    def solution(built: BuiltInstance, each: SetCount, limits: base.Limits) -> tuple[int, ...] | None:
        """Return a solution of one set, as ascending options; None if none was found within the limits."""
        problem = built.problem
        low, high = problem.low.copy(), problem.high.copy()
        low[problem.tiles] = high[problem.tiles] = each.uses
        only = replace(problem, low=low, high=high, symmetries=("identity",), images=None)
        return first_solution(replace(built, problem=only), limits)[1]


def find_sets(
    kit: Kit,
    forms: Sequence[Candidate],
    file: Path | None,
    working: Working,
    budget: float,
    tell: Callable[[Record], None] = lambda _: None,
) -> SetsFound:
    """Count the sets that fill each form, until stopped. Results in ``file`` are reused, new ones added.

    ``tell`` gets the record of each form as soon as it is known; for a form that a limit ended, its name and ``why``.
    """
    known: dict[int, FormSets] = {}
    ended: list[str] = []
    clock = base.Clock(working.limits)
    with closing(open_sets(kit, file)) as results:
        for at, record in sets_of_each(kit, forms, results, working, budget):
            if isinstance(record, str):
                ended.append(f"{forms[at].name}: {record}")
                tell({"form": forms[at].name, "complete": False, "why": record})
            else:
                known[at] = FormSets.from_record(record)
                tell(known[at].record)
    sets = sorted((known[at] for at in sorted(known)), key=lambda entry: (entry.sets is None, -(entry.sets or 0), -(entry.distinct or 0)))
    return SetsFound(kit, forms, sets, ended=ended, seconds=clock.seconds)


def sets_of_each(
    kit: Kit, forms: Sequence[Candidate], results: Results[str], working: Working, budget: float
) -> Generator[tuple[int, Record | str], None, None]:
    """Yield the number of each form, from 0, with its record, or with the reason why there is none, until stopped.

    Forms in ``results`` come first, then the others as soon as they are counted; their records are added to ``results``. A count that was
    interrupted before its confirmation is dropped, and repeated by the next call.
    """
    new: dict[str, list[int]] = {}
    for number, form in enumerate(forms):
        record = results.known.get(key := form.key)
        if record is None or record["table"] is None:
            new.setdefault(key, []).append(number)
        else:
            yield number, record | {"form": form.name}
    named = [(forms[numbers[0]].name, (forms[numbers[0]], numbers)) for numbers in new.values()]
    with closing(deal(kit, named, partial(_tried, budget=budget), working)) as found:
        for (_, numbers), answer in found:
            if isinstance(answer, dict):
                if working.limits.stop.is_set() and not answer["agree"]:
                    continue
                results.add(answer)
                yield from ((number, answer | {"form": forms[number].name}) for number in numbers)
            elif not working.limits.stop.is_set():
                why = "the process that counted it was ended twice" if answer is None else answer
                yield from ((number, why) for number in numbers)


def _tried(kit: Kit, form: tuple[Candidate, Sequence[int]], limits: base.Limits, progress: base.Progress, *, budget: float) -> Record | str:
    """Return the record of a form, or the reason why there is none."""
    begun = limits.begun()
    try:
        return try_sets(kit, form[0], begun, budget, progress=begun.heeding(progress))
    except base.EndedError as ended:
        return ended.words


def try_sets(kit: Kit, form: Candidate, limits: base.Limits, budget: float, *, progress: base.Progress = base.SILENT) -> Record:
    """Count the sets of tiles that fill a form, and return the record; ``budget`` is the time in seconds for the confirming listing."""
    began = monotonic()
    built = build_form(kit, form, limits, progress)
    found = count_sets(built, limits, budget, progress=progress)
    names, about = tuple(tile.name for tile in built.puzzle.tiles), about_form(built.puzzle)
    seconds = round(monotonic() - began, 3)
    return FormSets(form=form.name, key=form.key, tiles=names, seconds=seconds, **vars(found), **about).stored


def build_form(kit: Kit, form: Candidate, limits: base.Limits, progress: base.Progress = base.SILENT) -> BuiltInstance:
    """Compile the puzzle to fill a form with some of the tiles."""
    return build_instance(kit.to_fill(form.name, form.table, path=form.path), progress=progress, limits=limits)


def _used(kit: Kit) -> list[Tile]:
    """Return the tiles with copies. The numbers of a set are in their order."""
    return [tile for tile in kit.tiles if tile.high != 0]


def open_sets(kit: Kit, path: Path | None) -> Results[str]:
    """Return the results of earlier calls for some tiles, by the ``key`` of each record, from a file of results, if there is one."""
    tiles = _used(kit)
    high, names = [tile.high for tile in tiles], [tile.name for tile in tiles]
    kinds = {"form": str, "area": int, "picture": str, "agree": bool | None, "reason": str | None, "table": list | None}

    def check(record: Record) -> None:
        """Raise KeyError, TypeError or ValueError for a record of other tiles, or one that contradicts itself."""
        if record["tiles"] != names or not all(isinstance(record[key], kind) for key, kind in kinds.items()):
            raise TypeError
        for used, number, distinct in record["table"] or ():
            if not all(type(n) is int and n >= 0 for n in (*used, number, distinct)):
                raise TypeError
            if any(most is not None and n > most for n, most in zip(used, high, strict=True)):
                raise ValueError
        found = FormSets.from_record(record)
        figures = len({each.uses for each in found.table or ()}), found.once, found.all, found.distinct
        if found.table is not None and figures != (record["sets"], record["once"], record["all"], record["distinct"]):
            raise ValueError

    return open_results(kit, path, "sets", check)
