"""Hints: whether and in how many ways a position can be finished, and which pieces to take back or to place next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from puzzlesat import pictures, proofs
from puzzlesat.base import Clock, ContradictionError, Displayed, EndedError, Limits, PuzzleError, Rows, Sentence, many, sorted_rows
from puzzlesat.playing.position import Completions, Position, count_completions, dead_ends, is_finished, list_completions
from puzzlesat.puzzles import CoverProblem, Instance
from puzzlesat.solvers import QUICK

COMPLETIONS_SHARE = 0.5
"""Share of a hint's time limit for counting the completions. The later steps share the rest."""
WRONG_SHARE = 0.25
"""Share of the remaining time for finding the first wrong piece."""
SEARCH_SHARE, PUT_BACK_SHARE = 0.6, 0.7
"""Shares of the remaining time: first for the minimum set of pieces to remove; then, if that timed out, for a greedy set."""
KEPT_SHARE = 0.5
"""Share of the search's remaining time for deciding whether some pieces can all stay, if ``QUICK`` does not decide it."""
LISTED_FOR_HINTS = 20_000
"""Largest number of completions that are compared to find the pieces they share."""


@dataclass(frozen=True)
class Further:
    """A suggestion for the next placement."""

    option: int
    shared: int
    """Number of the listed completions that contain it."""
    listed: int
    every: bool
    """True if all completions were listed."""
    reason: str | None
    """Why the board forces the piece; None if no atom or tile forces it."""

    @property
    def forced(self) -> bool:
        """True if every completion contains the piece."""
        return self.reason is not None or (self.every and self.shared == self.listed)


def further(position: Position, limits: Limits) -> Further | None:
    """Return the placement that most completions share; None if no completion is found.

    Among the placements that all completions share, one that the board forces comes first. If not all completions could be listed, the
    shares of the first ones mean little; then the piece is chosen for the atom or tile with the fewest placements left.
    """
    problem = position.built.problem
    rows, every = list_completions(problem, position.placed, replace(limits, solutions=LISTED_FOR_HINTS))
    left = problem.settle(position.placed)
    if not len(rows) or left is None or not rows.shape[1]:
        return None
    _recheck(position, rows)
    shared = np.bincount(rows[rows >= 0], minlength=problem.size)
    narrow = _narrowest(left, problem.size)
    candidates = np.flatnonzero(shared)
    if not len(candidates):  # the position is finished
        return None
    keys = [(-int(shared[o]), narrow[o][0]) if every else (narrow[o][0], -int(shared[o])) for o in candidates]
    best = int(candidates[min(range(len(candidates)), key=lambda i: keys[i])])
    ways, item = narrow[best]
    reason = _reason(position, item) if ways == 1 else None
    return Further(best, int(shared[best]), len(rows), every, reason)


def _narrowest(left: CoverProblem, size: int) -> list[tuple[int, int]]:
    """Return for each option of the whole problem its item with the fewest ways to be covered, as (ways, item)."""
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
    """Check completed solutions against the geometry; raise ContradictionError if one fails."""
    own = np.tile(np.array(position.everything, dtype=np.int32), (len(rows), 1))
    wrong = proofs.solution_check(position.built)(sorted_rows(np.hstack([rows, own])))
    if wrong is not None:
        raise ContradictionError(f"a completion fails the check against the geometry: {wrong}")


Pieces = frozenset[int]


@dataclass(frozen=True)
class Removal:
    """Placements to take back together, so that the position can be finished."""

    pieces: tuple[int, ...]
    completions: Completions


@dataclass(frozen=True)
class TakeBack:
    """The choices of pieces to take back."""

    choices: tuple[Removal, ...]
    """The choice with the most completions first. Empty if none was found in time, or the puzzle has no solution."""
    fewest: bool
    """True if it is proven that fewer pieces are not enough."""
    every: bool
    """True if these are all choices with this number of pieces."""
    solvable: bool | None = True
    """True if the puzzle has a solution at all; None: not known."""


def take_back(position: Position, limits: Limits) -> TakeBack:
    """Find the fewest pieces to take back, and all choices of this size, as far as time allows.

    A conflict is a set of pieces that cannot all stay. One piece of every conflict has to go, so try hitting sets of the known conflicts in
    order of size; a set that fails yields a new conflict (R. Reiter, "A theory of diagnosis from first principles", 1987). If time runs
    out, start with the pieces that a known solution shares with the position, and put back further pieces while the position can be
    finished. Then fewer removals might be enough.
    """
    clock = Clock(limits)
    problem, placed = position.built.problem, position.placed
    search = _SmallestRemovals(problem, placed, replace(limits, seconds=clock.share(SEARCH_SHARE)))
    removals, fewest = search.smallest()
    if removals and fewest:
        choices = [_removal(problem, placed, gone, limits, clock, len(removals) - i) for i, gone in enumerate(removals)]
        return TakeBack(tuple(sorted(choices, key=lambda r: -r.completions.found)), fewest=True, every=search.sure)
    if frozenset() in search.conflicts and search.sure:
        return TakeBack((), fewest=False, every=False, solvable=False)
    if not search.overlaps:
        return TakeBack((), fewest=False, every=False, solvable=None)
    gone = frozenset(placed) - search.put_back(replace(limits, seconds=clock.share(PUT_BACK_SHARE)))
    return TakeBack((_removal(problem, placed, gone, limits, clock, 1),), fewest=False, every=False)


def first_wrong(position: Position, limits: Limits) -> int | None:
    """Return the index of the first piece after which the position could no longer be finished; None: not known.

    The position as a whole cannot be finished. Find the last prefix that can be, by bisection.
    """
    clock = Clock(limits)
    good, bad = -1, len(position.placed)
    while bad - good > 1:
        middle = (good + bad) // 2
        completions = count_completions(position.built.problem, position.placed[:middle], replace(limits, seconds=clock.left, solutions=1))
        if completions.possible is None:
            return None
        good, bad = (middle, bad) if completions.possible else (good, middle)
    return bad - 1 if bad else None


def _removal(problem: CoverProblem, placed: Sequence[int], gone: Pieces, limits: Limits, clock: Clock, shares: int) -> Removal:
    """Return a removal with its completions, counted in 1/``shares`` of the time left. The caller knows that there is at least one."""
    remaining = [o for o in placed if o not in gone]
    completions = count_completions(problem, remaining, replace(limits, seconds=clock.share(1 / shares)))
    return Removal(tuple(o for o in placed if o in gone), completions if completions.found else Completions(1, exact=False))


@dataclass
class _SmallestRemovals:
    """The search for the smallest sets of pieces to take back: minimum hitting sets of the conflicts."""

    problem: CoverProblem
    placed: Sequence[int]
    limits: Limits
    conflicts: list[Pieces] = field(default_factory=list)
    """Sets of pieces that cannot all stay."""
    overlaps: list[Pieces] = field(default_factory=list)
    """The pieces that each solution found shares with the position."""
    sure: bool = True
    """True if every question so far was decided."""

    def __post_init__(self) -> None:
        self.clock = Clock(self.limits)

    def smallest(self) -> tuple[list[Pieces], bool]:
        """Return the smallest sets of pieces without which the position can be finished, and whether it is proven that none is smaller.

        Sets of the latest pieces come first. The list is complete if ``sure`` is still true.
        """
        for size in range(len(self.placed) + 1):
            removals: set[Pieces] = set()
            fewest = self.sure
            self._grow(frozenset(), size, removals, set())
            if removals:
                return sorted(removals, key=lambda gone: sorted(map(self.placed.index, gone), reverse=True), reverse=True), fewest
            if frozenset() in self.conflicts or self.clock.verdict(-1) is not None:
                break
        return [], False

    def put_back(self, limits: Limits) -> Pieces:
        """Return the pieces that the nearest known solution shares with the position, and the further pieces that can be put back."""
        self.limits, self.clock = limits, Clock(limits)
        stay = max(self.overlaps, key=len)
        for option in self.placed:
            if option not in stay and self.clock.verdict(-1) is None and self._possible(stay | {option}):
                stay |= {option}
        return stay

    def _grow(self, gone: Pieces, size: int, removals: set[Pieces], seen: set[Pieces]) -> None:
        """Extend a set by one piece of each conflict, until it hits all conflicts or has ``size`` pieces."""
        if gone in seen:
            return
        if self.clock.verdict(-1) is not None:
            self.sure = False
            return
        seen.add(gone)
        conflict = next((c for c in self.conflicts if not c & gone), None)
        if conflict is None:
            remaining = frozenset(self.placed) - gone
            if self._possible(remaining):
                removals.add(gone)
                return
            conflict = self._conflict_in(remaining)
            self.conflicts.append(conflict)
        if len(gone) < size:
            for option in sorted(conflict):
                self._grow(gone | {option}, size, removals, seen)

    def _conflict_in(self, conflict: Pieces) -> Pieces:
        """Shrink a conflict: drop pieces while the remaining pieces still cannot all stay."""
        for option in self.placed:
            if option in conflict and self.clock.verdict(-1) is None and not self._possible(conflict - {option}):
                conflict -= {option}
        return conflict

    def _possible(self, pieces: Pieces) -> bool:
        """Return whether some solution has all these pieces. If this is not decided, return False and clear ``sure``."""
        if any(pieces <= overlap for overlap in self.overlaps):
            return True
        if any(conflict <= pieces for conflict in self.conflicts):
            return False
        quick = replace(QUICK, solutions=1).limits(self.clock)
        rows, every = list_completions(self.problem, sorted(pieces), quick)
        if len(rows):
            self.overlaps.append(pieces | frozenset(rows[0].tolist()) & frozenset(self.placed))
            return True
        if every:
            return False
        seconds = self.clock.share(KEPT_SHARE)
        completions = count_completions(self.problem, sorted(pieces), replace(self.limits, solutions=1, seconds=seconds))
        if completions.found:
            self.overlaps.append(pieces)
        self.sure &= completions.possible is not None
        return bool(completions.found)


SHOWN = 8
"""Largest number of choices of pieces to take back that are listed in words."""


@dataclass(frozen=True, repr=False)
class Hint(Displayed):
    """A hint: can the position be finished, in how many ways, and which pieces to take back or to place next?"""

    subject: Position | Instance
    """The position, or only the instance if a limit was reached before there was a position."""
    finished: bool
    """True if the position is already a solution."""
    completions: Completions
    """The number of ways to finish the position: ``found``, ``exact``, and ``possible``, which is None if nothing is known."""
    dead_ends: Sequence[str]
    """Sentences on why the position cannot be finished, as far as a look at the board shows."""
    take_back: TakeBack | None = None
    """The pieces to take back, if the position cannot be finished; the best choice comes first in ``choices``."""
    first_wrong: int | None = None
    """The index of the first piece after which the position could not be finished any more, if you gave the pieces in order."""
    further: Further | None = None
    """The next piece, if you asked for one: ``option`` is its placement number, ``forced`` tells whether it is forced."""
    stopped: bool = False
    """True if the work was interrupted."""
    far: str = ""
    """The progress of the work in words, if a limit was reached before there was a position."""
    seconds: float = 0.0
    """Seconds of the call; CPU seconds if you chose them."""

    @property
    def position(self) -> Position:
        """The position. Raises PuzzleError if a limit was reached before there was one."""
        if isinstance(self.subject, Position):
            return self.subject
        raise PuzzleError(f"{self.subject.name}: a limit was reached before the position was looked at")

    @property
    def complete(self) -> bool:
        """True if the number of ways to finish the position is known."""
        return self.why is None

    @property
    def decided(self) -> bool:
        """True if it is known whether the position can be finished, and the work was not interrupted."""
        return not self.far and not self.stopped and self.completions.possible is not None

    @property
    def why(self) -> str | None:
        """A sentence on why it is not known whether, or in how many ways, the position can be finished; None if it is known."""
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
    """Return the hint for a position that was not reached before a limit."""
    return Hint(instance, finished=False, completions=Completions(0, exact=False), dead_ends=[], far=ended.words)


def look_at(position: Position, *, more: bool, limits: Limits, counted: Callable[[Hint], None] | None = None) -> Hint:
    """Analyse a position: count its completions in a share of the time, then find pieces to take back or to place.

    ``counted`` receives intermediate results of the count, and the hint without pieces after the count.
    """
    clock = Clock(limits)
    problem = position.built.problem
    finished = is_finished(position)
    first = replace(limits, seconds=clock.share(COMPLETIONS_SHARE))
    so_far = None if counted is None else lambda known: counted(Hint(position, finished, known, []))
    completions = count_completions(problem, position.placed, first, so_far=so_far)
    dead = dead_ends(position) if completions.possible is False else []
    if counted is not None:
        counted(Hint(position, finished, completions, dead))
    back, wrong, next_piece = None, None, None
    if completions.possible is False and position.placed:
        wrong = first_wrong(position, replace(limits, seconds=clock.share(WRONG_SHARE))) if position.ordered else None
        back = take_back(position, clock.rest())
    elif more and completions.possible is not False:
        next_piece = further(position, clock.rest())
    return Hint(position, finished, completions, dead, back, wrong, next_piece, limits.stop.is_set())


# ---------------------------------------------------------------- text


def sentences(hint: Hint, *, options: bool = True) -> list[str]:
    """Return the sentences of the hint; with ``options``, they mention options of the command."""
    if hint.far:
        return [hint.why or ""]
    position, completions = hint.position, hint.completions
    placed, tiles = len(position.everything), position.built.puzzle.tiles
    total = sum(t.low for t in tiles)
    fixed_number = all(t.low == t.high for t in tiles)
    of = Sentence("{n} of {total} {total|piece|pieces} {n|is|are} placed.", n=str(placed), total=total)
    lines: list[str] = [of if fixed_number else Sentence("{n} {n|piece|pieces} {n|is|are} placed.", n=placed)]
    if hint.finished:
        lines.append(Sentence("This is a solution."))
        if completions.exact and completions.found == 1:
            return lines
    lines.append(_whether(hint, options=options))
    if completions.possible is False and position.placed:
        lines += [Sentence("  {sentence}", sentence=sentence) for sentence in hint.dead_ends]
        lines += _what_to_take_back(hint, options=options)
    return lines + _next_piece(hint)


def _whether(hint: Hint, *, options: bool) -> str:
    """Return the sentence on whether, and in how many ways, the position can be finished."""
    if hint.completions.possible:
        return _how_many(hint.position, hint.completions)
    if hint.completions.possible is None:
        return Sentence("It is not known whether it can be finished: {why}.", why=_why(hint, options=options))
    return Sentence("It cannot be finished.") if hint.position.placed else Sentence("The puzzle has no solution.")


def _how_many(position: Position, completions: Completions) -> str:
    only_one = completions == Completions(1, exact=True)
    if not position.everything:
        template = "The puzzle has {n} solution." if only_one else "The puzzle has {n} solutions."
        return Sentence(template, n=completions.words)
    return Sentence("It can be finished in one way.") if only_one else Sentence("It can be finished in {n} ways.", n=completions.words)


def _what_to_take_back(hint: Hint, *, options: bool) -> list[str]:
    position, back = hint.position, hint.take_back
    lines: list[str] = []
    if hint.first_wrong is not None:
        number, name = hint.first_wrong + 1, _called(position, position.placed[hint.first_wrong])
        still = "In the order given, you could still finish before piece {number}: {piece}."
        first = "In the order given, already the first piece is wrong: {piece}."
        lines.append(Sentence(still if number > 1 else first, number=str(number), piece=name))
    if back is None:
        return lines
    if not back.choices:
        unknown = Sentence("It is not known which pieces to take back: {why}.", why=_why(hint, options=options))
        return [*lines, Sentence("The puzzle itself has no solution.") if back.solvable is False else unknown]
    size = len(back.choices[0].pieces)
    if size > 1 and back.fewest:
        lines.append(Sentence("You have to take back {n} pieces; fewer are not enough.", n=str(size)))
    elif size > 1:
        lines.append(Sentence("It is enough to take back these {n} pieces. Perhaps fewer are enough, but time was up.", n=str(size)))
    for number, choice in enumerate(back.choices[:SHOWN]):
        only_one = choice.completions == Completions(1, exact=True)
        ways = Sentence("one way") if only_one else Sentence("{n} ways", n=choice.completions.words)
        pieces = " ".join(_called(position, option) for option in choice.pieces)
        another, take = "  or {pieces}: it can then be finished in {ways}.", "Take back {pieces}: it can then be finished in {ways}."
        lines.append(Sentence(another if number else take, pieces=pieces, ways=ways))
    if (left := len(back.choices) - SHOWN) > 0:
        lines.append(f"  or {left:,} more (--json lists them all)" if options else Sentence("  or {n} more", n=left))
    if not back.every:
        lines.append(Sentence("  Other pieces may work as well."))
    return lines


def _why(hint: Hint, *, options: bool) -> str:
    if hint.stopped:
        return Sentence("interrupted")
    return Sentence.in_a_row([Sentence("time was up"), *(["give more with --time"] if options else [])])


def _next_piece(hint: Hint) -> list[str]:
    suggestion = hint.further
    if suggestion is None:
        return []
    name = _called(hint.position, suggestion.option)
    if suggestion.reason is not None:
        return [Sentence("Next: {piece}. It is forced: {reason}.", piece=name, reason=suggestion.reason)]
    if suggestion.forced:
        every, alone = "Next: {piece}. It is forced: every way to finish contains it.", "Next: {piece}."
        return [Sentence(every if suggestion.listed > 1 else alone, piece=name)]
    if suggestion.every:
        template = "Next: {piece}. It is not forced: {n} of the {listed} ways to finish {n|contains|contain} it."
        return [Sentence(template, piece=name, n=suggestion.shared, listed=suggestion.listed)]
    return [Sentence("Next: {piece}. It is not forced, as far as is known.", piece=name)]


def _called(position: Position, option: int) -> str:
    """Return the name of a placement; if the piece has marks, as cards do, add them in its orientation, clockwise from the top."""
    built, placement = position.built, position.built.placements[option]
    marks = [mark for mark in placement.marks if not mark.is_colour]
    words = pictures.marks_in_words(built.puzzle, placement.atoms, marks)
    return f"{placement.name} ({words})" if words else placement.name


# ---------------------------------------------------------------- JSON


def as_json(hint: Hint) -> dict[str, Any]:
    """Return the hint as the documented JSON object."""
    if isinstance(hint.subject, Instance):
        nothing = dict.fromkeys(("finished", "solvable", "completions", "exact", "dead_ends", "first_wrong", "take_back", "next"))
        return {"instance": hint.subject.name, "complete": False, "why": hint.why, "placed": None, **nothing}
    position, back, suggestion = hint.subject, hint.take_back, hint.further
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
        if suggestion is None
        else {
            "name": position.built.problem.options[suggestion.option],
            "forced": suggestion.forced,
            "reason": suggestion.reason,
            "shared": suggestion.shared,
            "listed": suggestion.listed,
            "every": suggestion.every,
        },
    }
