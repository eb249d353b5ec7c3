"""A hint: whether a position can be finished, in how many ways, what to take back, and one more piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlesat.display import Displayed
from puzzlesat.draw.marked import marks_in_words
from puzzlesat.errors import PuzzleError, many
from puzzlesat.play.completions import Completions, count_completions
from puzzlesat.play.further import Further, further
from puzzlesat.play.position import Position, dead_ends, is_finished
from puzzlesat.play.takeback import TakeBack, first_wrong, take_back
from puzzlesat.puzzle.instance import Instance
from puzzlesat.sentences import Sentence, in_a_row
from puzzlesat.solvers.run import Clock, EndedError, Limits, ended_words
from puzzlesat.solvers.strategy import COMPLETIONS_SHARE, WRONG_SHARE

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
    return Hint(instance, finished=False, completions=Completions(0, exact=False), dead_ends=[], far=ended_words(ended))


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
    return in_a_row([Sentence("time was up"), *(["give more with --time"] if options else [])])


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
