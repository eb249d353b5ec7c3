"""A hint: whether a position can be finished, in how many ways, what to take back, and one more piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlesat.draw.marked import marks_in_words
from puzzlesat.errors import many
from puzzlesat.play.completions import Completions, count_completions
from puzzlesat.play.further import Further, further
from puzzlesat.play.position import Position, dead_ends, is_finished
from puzzlesat.play.takeback import TakeBack, first_wrong, take_back
from puzzlesat.solvers.run import Clock, Limits
from puzzlesat.solvers.strategy import COMPLETIONS_SHARE, WRONG_SHARE

SHOWN = 8
"""Choices of pieces to take back that are said in words."""


@dataclass(frozen=True)
class Hint:
    """What is known of a position."""

    position: Position
    finished: bool
    completions: Completions
    dead_ends: Sequence[str]
    take_back: TakeBack | None = None
    first_wrong: int | None = None
    further: Further | None = None
    stopped: bool = False


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
    position, completions = hint.position, hint.completions
    placed, tiles = len(position.everything), position.built.puzzle.tiles
    total = sum(t.low for t in tiles)
    known = all(t.low == t.high for t in tiles)
    pieces = f"{placed} of {many(total, 'piece')}" if known else many(placed, "piece")
    said = [f"{pieces} {'is' if placed == 1 else 'are'} placed."]
    if hint.finished:
        said.append("This is a solution.")
        if completions.exact and completions.found == 1:
            return said
    if completions.possible:
        said.append(_how_many(position, completions))
    elif completions.possible is None:
        said.append(f"Whether it can be finished is not known: {_why(hint, options=options)}.")
    elif not position.placed:
        said.append("The puzzle has no solution.")
    else:
        said.append("It cannot be finished.")
        said += [f"  {sentence}" for sentence in hint.dead_ends]
        said += _what_to_take_back(hint, options=options)
    return said + _next_piece(hint)


def _how_many(position: Position, completions: Completions) -> str:
    one = completions == Completions(1, exact=True)
    if not position.everything:
        return f"The puzzle has {completions} solution{'' if one else 's'}."
    return "It can be finished in one way." if one else f"It can be finished in {completions} ways."


def _what_to_take_back(hint: Hint, *, options: bool) -> list[str]:
    position, back = hint.position, hint.take_back
    said = []
    if hint.first_wrong is not None:
        number, name = hint.first_wrong + 1, _called(position, position.placed[hint.first_wrong])
        before = f"was still fine before piece {number}" if number > 1 else "went wrong with the first piece"
        said.append(f"In the order given it {before}: {name}.")
    if back is None:
        return said
    if not back.choices:
        unknown = f"Which pieces to take back is not known: {_why(hint, options=options)}."
        return [*said, "The puzzle itself has no solution." if back.solvable is False else unknown]
    size = len(back.choices[0].pieces)
    if size > 1 and back.fewest:
        said.append(f"{size} pieces have to go, no fewer will do.")
    elif size > 1:
        said.append(f"It is enough to take back these {size} pieces; perhaps fewer would do: time was up.")
    for number, choice in enumerate(back.choices[:SHOWN]):
        ways = "one way" if choice.completions == Completions(1, exact=True) else f"{choice.completions} ways"
        pieces = " ".join(_called(position, option) for option in choice.pieces)
        said.append(f"{'  or' if number else 'Take back'} {pieces}: it can then be finished in {ways}.")
    if len(back.choices) > SHOWN:
        said.append(f"  or {len(back.choices) - SHOWN:,} more{' (--json lists them all)' if options else ''}")
    if not back.every:
        said.append("  Perhaps others would do as well.")
    return said


def _why(hint: Hint, *, options: bool) -> str:
    return "interrupted" if hint.stopped else "time was up" + ("; give more with --time" if options else "")


def _next_piece(hint: Hint) -> list[str]:
    one = hint.further
    if one is None:
        return []
    name = _called(hint.position, one.option)
    if one.reason is not None:
        return [f"Next: {name}. It is forced: {one.reason}."]
    if one.forced:
        return [f"Next: {name}. It is forced: every way to finish contains it."] if one.listed > 1 else [f"Next: {name}."]
    if one.every:
        contain = "contains" if one.shared == 1 else "contain"
        return [f"Next: {name}. It is not forced: {one.shared:,} of the {one.listed:,} ways to finish {contain} it."]
    return [f"Next: {name}. It is not forced, as far as is known."]


def _called(position: Position, option: int) -> str:
    """A placement by its name, and where the piece shows marks, as cards do, by these as it lies, clockwise from the top."""
    built, placement = position.built, position.built.placements[option]
    marks = [mark for mark in placement.marks if not mark.is_colour]
    words = marks_in_words(built.puzzle, placement.atoms, marks)
    return f"{placement.name} ({words})" if words else placement.name


# ---------------------------------------------------------------- JSON


def as_json(hint: Hint) -> dict[str, Any]:
    """Return the hint as the documented JSON object."""
    position, back, one = hint.position, hint.take_back, hint.further
    return {
        "instance": position.built.instance.name,
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
