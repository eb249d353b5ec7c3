"""A hint: whether a position can be finished, in how many ways, which pieces to take back if it cannot, and else one more piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from puzzlesat.base import Clock, ContradictionError, Displayed, EndedError, Limits, PuzzleError, Rows, Sentence, many, sorted_rows
from puzzlesat.pictures import marks_in_words
from puzzlesat.playing.completions import Completions, count_completions, list_completions
from puzzlesat.playing.position import Position, dead_ends, is_finished
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import CoverProblem, Instance
from puzzlesat.solvers import QUICK

COMPLETIONS_SHARE = 0.5
"""Share of a hint's time limit for the number of ways to finish the position. The steps after it share the rest."""
WRONG_SHARE = 0.25
"""Share of the time left for the first wrong piece."""
SEARCH_SHARE, PUT_BACK_SHARE = 0.6, 0.7
"""Shares of the time left: first for the minimum set of pieces to remove; then, if that timed out, for a greedy set."""
KEPT_SHARE = 0.5
"""Share of the search's time left for the question whether some pieces can all stay, where ``QUICK`` does not answer it."""
LISTED_FOR_HINTS = 20_000
"""Completions that are compared to find what they share."""


@dataclass(frozen=True)
class Further:
    """A placement to go on with."""

    option: int
    shared: int
    """How many of the completions listed contain it."""
    listed: int
    every: bool
    """Whether all completions were listed."""
    reason: str | None
    """What a look at the board shows, where that forces the piece."""

    @property
    def forced(self) -> bool:
        """Whether every completion contains it."""
        return self.reason is not None or (self.every and self.shared == self.listed)


def further(position: Position, limits: Limits) -> Further | None:
    """Return the placement that most completions share; None where no completion is found.

    Among those that all share, one that the board itself forces comes first. Where not all completions could be listed, what the first ones
    share says little: then the piece is one for the atom, or tile, with the fewest places left.
    """
    problem = position.built.problem
    rows, every = list_completions(problem, position.placed, replace(limits, solutions=LISTED_FOR_HINTS))
    left = problem.settle(position.placed)
    if not len(rows) or left is None or not rows.shape[1]:
        return None
    _recheck(position, rows)
    shared = np.bincount(rows[rows >= 0], minlength=problem.size)
    narrow = _narrowest(left, problem.size)
    known = np.flatnonzero(shared)
    if not len(known):  # it is finished, and nothing can be added
        return None
    keys = [(-int(shared[o]), narrow[o][0]) if every else (narrow[o][0], -int(shared[o])) for o in known]
    best = int(known[min(range(len(known)), key=lambda i: keys[i])])
    ways, item = narrow[best]
    reason = _reason(position, item) if ways == 1 else None
    return Further(best, int(shared[best]), len(rows), every, reason)


def _narrowest(left: CoverProblem, size: int) -> list[tuple[int, int]]:
    """For each option of the whole problem: in how many ways that of its items can be covered which has fewest, and that item."""
    ways = np.array([len(options) for options in left.options_of])
    narrow = [(left.size + 1, -1)] * size
    for option in range(left.size):
        needed = [i for i in left.items_of(option).tolist() if left.low[i] == 1 and left.high[i] == 1]
        origin = option if left.origin is None else int(left.origin[option])
        narrow[origin] = min(((int(ways[i]), i) for i in needed), default=(left.size + 1, -1))
    return narrow


def _reason(position: Position, item: int) -> str:
    atoms = len(position.built.puzzle.form.atoms)
    name = position.built.problem.items[item]
    return Sentence("nothing else covers {atom}", atom=name) if item < atoms else Sentence("{tile} fits nowhere else", tile=name)


def _recheck(position: Position, rows: Rows) -> None:
    """Hold whole solutions against the geometry; ContradictionError where one fails."""
    own = np.tile(np.array(position.everything, dtype=np.int32), (len(rows), 1))
    wrong = solution_check(position.built)(sorted_rows(np.hstack([rows, own])))
    if wrong is not None:
        raise ContradictionError(f"a completion fails the check against the geometry: {wrong}")


Pieces = frozenset[int]


@dataclass(frozen=True)
class Removal:
    """Placements that, taken back together, leave a position which can be finished."""

    pieces: tuple[int, ...]
    completions: Completions


@dataclass(frozen=True)
class TakeBack:
    """What to take back."""

    choices: tuple[Removal, ...]
    """The one that leaves most completions first; empty where nothing was found in time, or the puzzle has no solution."""
    fewest: bool
    """Whether it is proven that no smaller number of pieces will do."""
    every: bool
    """Whether these are all choices of that number of pieces."""
    solvable: bool | None = True
    """Whether the puzzle has a solution at all; None: not known."""


def take_back(position: Position, limits: Limits) -> TakeBack:
    """Find the fewest pieces to take back, and every choice of so many, as far as time allows.

    Pieces that cannot all stay are a conflict. Of every conflict one piece has to go, so that sets are tried which meet all
    conflicts known, by growing size; one that does not do shows another conflict (R. Reiter, "A theory of diagnosis from first
    principles", 1987). Where time is up before, pieces are put back one by one to those that some solution has, as long as that can be
    finished; then fewer might do.
    """
    clock = Clock(limits)
    problem, placed = position.built.problem, position.placed
    search = _SmallestRemovals(problem, placed, replace(limits, seconds=clock.share(SEARCH_SHARE)))
    found, fewest = search.smallest()
    if found and fewest:
        choices = [_removal(problem, placed, gone, limits, clock, len(found) - i) for i, gone in enumerate(found)]
        return TakeBack(tuple(sorted(choices, key=lambda r: -r.completions.found)), fewest=True, every=search.sure)
    if frozenset() in search.conflicts and search.sure:
        return TakeBack((), fewest=False, every=False, solvable=False)
    if not search.overlaps:
        return TakeBack((), fewest=False, every=False, solvable=None)
    gone = frozenset(placed) - search.put_back(replace(limits, seconds=clock.share(PUT_BACK_SHARE)))
    return TakeBack((_removal(problem, placed, gone, limits, clock, 1),), fewest=False, every=False)


def first_wrong(position: Position, limits: Limits) -> int | None:
    """Return the place in the order of the first piece after which the position could no longer be finished; None: not known.

    The position as a whole cannot be finished; whether a beginning of it can be is asked by halving.
    """
    clock = Clock(limits)
    good, bad = -1, len(position.placed)
    while bad - good > 1:
        middle = (good + bad) // 2
        known = count_completions(position.built.problem, position.placed[:middle], replace(limits, seconds=clock.left, solutions=1))
        if known.possible is None:
            return None
        good, bad = (middle, bad) if known.possible else (good, middle)
    return bad - 1 if bad else None


def _removal(problem: CoverProblem, placed: Sequence[int], gone: Pieces, limits: Limits, clock: Clock, shares: int) -> Removal:
    """What is taken back, with its completions, counted in one of so many shares of the time left; there is at least one."""
    kept = [o for o in placed if o not in gone]
    known = count_completions(problem, kept, replace(limits, seconds=clock.share(1 / shares)))
    return Removal(tuple(o for o in placed if o in gone), known if known.found else Completions(1, exact=False))


@dataclass
class _SmallestRemovals:
    """The search for the smallest sets of pieces to take back."""

    problem: CoverProblem
    placed: Sequence[int]
    limits: Limits
    conflicts: list[Pieces] = field(default_factory=list)
    """Pieces that cannot all stay."""
    overlaps: list[Pieces] = field(default_factory=list)
    """What solutions that were met share with the position."""
    sure: bool = True
    """Whether every question so far was answered."""

    def __post_init__(self) -> None:
        self.clock = Clock(self.limits)

    def smallest(self) -> tuple[list[Pieces], bool]:
        """Return the smallest sets of pieces without which the position can be finished, and whether it is sure that none is smaller.

        Those with the latest pieces come first. They are all there are if the search is ``sure`` then.
        """
        for size in range(len(self.placed) + 1):
            found: set[Pieces] = set()
            fewest = self.sure
            self._grow(frozenset(), size, found, set())
            if found:
                return sorted(found, key=lambda gone: sorted(map(self.placed.index, gone), reverse=True), reverse=True), fewest
            if frozenset() in self.conflicts or self.clock.verdict(-1) is not None:
                break
        return [], False

    def put_back(self, limits: Limits) -> Pieces:
        """Return as many pieces as the nearest solution met has, and those that can be put back to them."""
        self.limits, self.clock = limits, Clock(limits)
        stay = max(self.overlaps, key=len)
        for option in self.placed:
            if option not in stay and self.clock.verdict(-1) is None and self._possible(stay | {option}):
                stay |= {option}
        return stay

    def _grow(self, gone: Pieces, size: int, found: set[Pieces], seen: set[Pieces]) -> None:
        """Add pieces to those that go, one of each conflict, until all conflicts are met or there are ``size`` of them."""
        if gone in seen:
            return
        if self.clock.verdict(-1) is not None:
            self.sure = False
            return
        seen.add(gone)
        conflict = next((c for c in self.conflicts if not c & gone), None)
        if conflict is None:
            kept = frozenset(self.placed) - gone
            if self._possible(kept):
                found.add(gone)
                return
            conflict = self._conflict_in(kept)
            self.conflicts.append(conflict)
        if len(gone) < size:
            for option in sorted(conflict):
                self._grow(gone | {option}, size, found, seen)

    def _conflict_in(self, kept: Pieces) -> Pieces:
        """Leave out pieces as long as the rest cannot all stay either."""
        for option in self.placed:
            if option in kept and self.clock.verdict(-1) is None and not self._possible(kept - {option}):
                kept -= {option}
        return kept

    def _possible(self, kept: Pieces) -> bool:
        """Whether some solution has all these pieces. Where that is not known the answer is no, and nothing is ``sure`` any more."""
        if any(kept <= overlap for overlap in self.overlaps):
            return True
        if any(conflict <= kept for conflict in self.conflicts):
            return False
        quick = replace(QUICK, solutions=1).limits(self.clock)
        rows, every = list_completions(self.problem, sorted(kept), quick)
        if len(rows):
            self.overlaps.append(kept | frozenset(rows[0].tolist()) & frozenset(self.placed))
            return True
        if every:
            return False
        seconds = self.clock.share(KEPT_SHARE)
        known = count_completions(self.problem, sorted(kept), replace(self.limits, solutions=1, seconds=seconds))
        if known.found:
            self.overlaps.append(kept)
        self.sure &= known.possible is not None
        return bool(known.found)


SHOWN = 8
"""Choices of pieces to take back that are said in words."""


@dataclass(frozen=True, repr=False)
class Hint(Displayed):
    """Whether a position can be finished, and in how many ways; which pieces to take back, or which to place next."""

    subject: Position | Instance
    """The position; only the instance if a limit was reached before there was a position."""
    finished: bool
    """Whether the position is a solution as it is."""
    completions: Completions
    """In how many ways the position can be finished: ``found``, ``exact``, and ``possible``, which is None if nothing is known."""
    dead_ends: Sequence[str]
    """Why it cannot be finished, as far as a look at the board shows, a sentence each."""
    take_back: TakeBack | None = None
    """The pieces to take back, if the position cannot be finished; ``choices`` has the best choice first."""
    first_wrong: int | None = None
    """The index of the first piece after which the position could not be finished any more, if you gave the pieces in order."""
    further: Further | None = None
    """The next piece, if you asked for one: ``option`` is its placement number, ``forced`` tells whether it is forced."""
    stopped: bool = False
    """Whether somebody interrupted the work."""
    far: str = ""
    """How far the work was, in words, where a limit was reached before there was a position."""
    seconds: float = 0.0
    """How long the call took; CPU seconds if you asked for them."""

    @property
    def position(self) -> Position:
        """The position. Raises PuzzleError if a limit was reached before there was one."""
        if isinstance(self.subject, Position):
            return self.subject
        raise PuzzleError(f"{self.subject.name}: a limit was reached before the position was looked at")

    @property
    def complete(self) -> bool:
        """Whether it is known in how many ways the position can be finished."""
        return self.why is None

    @property
    def decided(self) -> bool:
        """Whether it is known that the position can be finished, or that it cannot; and nobody interrupted the work."""
        return not self.far and not self.stopped and self.completions.possible is not None

    @property
    def why(self) -> str | None:
        """Why it is not known in how many ways the position can be finished, or whether it can, in a sentence; None if it is known."""
        if self.far:
            return Sentence("{far}: nothing is known about the position", far=self.far)
        if self.completions.possible is None:
            return Sentence("It is not known whether it can be finished: {why}.", why=_why(self, options=False))
        if not self.completions.exact:
            return Sentence("There may be more ways to finish: {why}.", why=_why(self, options=False))
        return Sentence("interrupted") if self.stopped else None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: whether, and in how many ways, the position can be finished."""
        if self.far:
            return self.why or ""
        return Sentence("This is a solution.") if self.finished else _whether(self, options=False)

    def __repr__(self) -> str:
        if isinstance(self.subject, Instance):
            return f"<Hint on {self.subject.name!r}: {self.sentence}>"
        placed = many(len(self.subject.everything), "piece")
        return f"<Hint on {self.subject.built.instance.name!r}, {placed} placed: {self.sentence}>"

    def __str__(self) -> str:
        return "\n".join(sentences(self, options=False))


def unseen(instance: Instance, ended: EndedError) -> Hint:
    """Return what is known of a position where the work was ended before there was one."""
    return Hint(instance, finished=False, completions=Completions(0, exact=False), dead_ends=[], far=ended.words)


def look_at(position: Position, *, more: bool, limits: Limits, counted: Callable[[Hint], None] | None = None) -> Hint:
    """Look at a position: count first, in a share of the time; the rest is for what to do.

    ``counted`` gets what is known once it has been counted, and before that what is known so far.
    """
    clock = Clock(limits)
    problem = position.built.problem
    finished = is_finished(position)
    first = replace(limits, seconds=clock.share(COMPLETIONS_SHARE))
    if counted is None:
        completions = count_completions(problem, position.placed, first)
    else:
        completions = count_completions(problem, position.placed, first, so_far=lambda known: counted(Hint(position, finished, known, [])))
    dead = dead_ends(position) if completions.possible is False else []
    if counted is not None:
        counted(Hint(position, finished, completions, dead))
    back, wrong, one = None, None, None
    if completions.possible is False and position.placed:
        wrong = first_wrong(position, replace(limits, seconds=clock.share(WRONG_SHARE))) if position.ordered else None
        back = take_back(position, clock.rest())
    elif more and completions.possible is not False:
        one = further(position, clock.rest())
    return Hint(position, finished, completions, dead, back, wrong, one, limits.stop.is_set())


# ---------------------------------------------------------------- text


def sentences(hint: Hint, *, options: bool = True) -> list[str]:
    """Return what the hint says; with ``options`` also which options of the command do more."""
    if hint.far:
        return [hint.why or ""]
    position, completions = hint.position, hint.completions
    placed, tiles = len(position.everything), position.built.puzzle.tiles
    total = sum(t.low for t in tiles)
    known = all(t.low == t.high for t in tiles)
    of = Sentence("{n} of {total} {total|piece|pieces} {n|is|are} placed.", n=str(placed), total=total)
    said: list[str] = [of if known else Sentence("{n} {n|piece|pieces} {n|is|are} placed.", n=placed)]
    if hint.finished:
        said.append(Sentence("This is a solution."))
        if completions.exact and completions.found == 1:
            return said
    said.append(_whether(hint, options=options))
    if completions.possible is False and position.placed:
        said += [Sentence("  {sentence}", sentence=sentence) for sentence in hint.dead_ends]
        said += _what_to_take_back(hint, options=options)
    return said + _next_piece(hint)


def _whether(hint: Hint, *, options: bool) -> str:
    """Whether the position can be finished, and in how many ways."""
    if hint.completions.possible:
        return _how_many(hint.position, hint.completions)
    if hint.completions.possible is None:
        return Sentence("It is not known whether it can be finished: {why}.", why=_why(hint, options=options))
    return Sentence("It cannot be finished.") if hint.position.placed else Sentence("The puzzle has no solution.")


def _how_many(position: Position, completions: Completions) -> str:
    one = completions == Completions(1, exact=True)
    if not position.everything:
        said = "The puzzle has {n} solution." if one else "The puzzle has {n} solutions."
        return Sentence(said, n=completions.words)
    return Sentence("It can be finished in one way.") if one else Sentence("It can be finished in {n} ways.", n=completions.words)


def _what_to_take_back(hint: Hint, *, options: bool) -> list[str]:
    position, back = hint.position, hint.take_back
    said: list[str] = []
    if hint.first_wrong is not None:
        number, name = hint.first_wrong + 1, _called(position, position.placed[hint.first_wrong])
        still = "In the order given, you could still finish before piece {number}: {piece}."
        first = "In the order given, already the first piece is wrong: {piece}."
        said.append(Sentence(still if number > 1 else first, number=str(number), piece=name))
    if back is None:
        return said
    if not back.choices:
        unknown = Sentence("It is not known which pieces to take back: {why}.", why=_why(hint, options=options))
        return [*said, Sentence("The puzzle itself has no solution.") if back.solvable is False else unknown]
    size = len(back.choices[0].pieces)
    if size > 1 and back.fewest:
        said.append(Sentence("You have to take back {n} pieces; fewer are not enough.", n=str(size)))
    elif size > 1:
        said.append(Sentence("It is enough to take back these {n} pieces. Perhaps fewer are enough, but time was up.", n=str(size)))
    for number, choice in enumerate(back.choices[:SHOWN]):
        one = choice.completions == Completions(1, exact=True)
        ways = Sentence("one way") if one else Sentence("{n} ways", n=choice.completions.words)
        pieces = " ".join(_called(position, option) for option in choice.pieces)
        another, take = "  or {pieces}: it can then be finished in {ways}.", "Take back {pieces}: it can then be finished in {ways}."
        said.append(Sentence(another if number else take, pieces=pieces, ways=ways))
    if (left := len(back.choices) - SHOWN) > 0:
        said.append(f"  or {left:,} more (--json lists them all)" if options else Sentence("  or {n} more", n=left))
    if not back.every:
        said.append(Sentence("  Other pieces may work as well."))
    return said


def _why(hint: Hint, *, options: bool) -> str:
    if hint.stopped:
        return Sentence("interrupted")
    return Sentence.in_a_row([Sentence("time was up"), *(["give more with --time"] if options else [])])


def _next_piece(hint: Hint) -> list[str]:
    one = hint.further
    if one is None:
        return []
    name = _called(hint.position, one.option)
    if one.reason is not None:
        return [Sentence("Next: {piece}. It is forced: {reason}.", piece=name, reason=one.reason)]
    if one.forced:
        every, alone = "Next: {piece}. It is forced: every way to finish contains it.", "Next: {piece}."
        return [Sentence(every if one.listed > 1 else alone, piece=name)]
    if one.every:
        said = "Next: {piece}. It is not forced: {n} of the {listed} ways to finish {n|contains|contain} it."
        return [Sentence(said, piece=name, n=one.shared, listed=one.listed)]
    return [Sentence("Next: {piece}. It is not forced, as far as is known.", piece=name)]


def _called(position: Position, option: int) -> str:
    """A placement by its name, and where the piece shows marks, as cards do, by these as it lies, clockwise from the top."""
    built, placement = position.built, position.built.placements[option]
    marks = [mark for mark in placement.marks if not mark.is_colour]
    words = marks_in_words(built.puzzle, placement.atoms, marks)
    return f"{placement.name} ({words})" if words else placement.name


# ---------------------------------------------------------------- JSON


def as_json(hint: Hint) -> dict[str, Any]:
    """Return the hint as the documented JSON object."""
    if isinstance(hint.subject, Instance):
        nothing = dict.fromkeys(("finished", "solvable", "completions", "exact", "dead_ends", "first_wrong", "take_back", "next"))
        return {"instance": hint.subject.name, "complete": False, "why": hint.why, "placed": None, **nothing}
    position, back, one = hint.subject, hint.take_back, hint.further
    return {
        "instance": position.built.instance.name,
        "complete": hint.complete,
        "why": hint.why,
        "placed": position.names(position.everything),
        "finished": hint.finished,
        "solvable": hint.completions.possible,
        "completions": hint.completions.found if hint.completions.possible is not None else None,
        "exact": hint.completions.exact,
        "dead_ends": list(hint.dead_ends),
        "first_wrong": None if hint.first_wrong is None else hint.first_wrong + 1,
        "take_back": None
        if back is None
        else {
            "fewest": back.fewest,
            "every": back.every,
            "solvable": back.solvable,
            "choices": [
                {"pieces": position.names(c.pieces), "completions": c.completions.found, "exact": c.completions.exact} for c in back.choices
            ],
        },
        "next": None
        if one is None
        else {
            "name": position.built.problem.options[one.option],
            "forced": one.forced,
            "reason": one.reason,
            "shared": one.shared,
            "listed": one.listed,
            "every": one.every,
        },
    }
