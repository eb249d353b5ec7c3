"""``puzzlesat hint``: whether a position can be finished, what to take back, and one more piece."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_output, stays, write_picture
from puzzlesat.cli.terminal import console, has_colours, print_picture, say, width_of
from puzzlesat.cli.working import working
from puzzlesat.config.files import MOST_OF_A_PUZZLE, as_text, text_of
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.errors import PuzzleError, many
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.play.completions import Completions, count_completions
from puzzlesat.play.further import Further, further
from puzzlesat.play.picture import blank_picture, position_text, read_position
from puzzlesat.play.position import Position, dead_ends, is_finished, position_of
from puzzlesat.play.takeback import TakeBack, first_wrong, take_back
from puzzlesat.solvers.run import Clock, Limits
from puzzlesat.solvers.strategy import COMPLETIONS_SHARE, WRONG_SHARE

SHOWN = 8
"""Choices of pieces to take back that are printed."""


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


def run_hint(
    name: str,
    placements: Sequence[str],
    *,
    picture: Path | None,
    blank: bool,
    more: bool,
    svg: Path | None,
    png: Path | None,
    bounds: Bounds,
    as_json: bool,
    problem: int | str | None = None,
) -> int:
    """Print what is known of a position; return the exit status."""
    check_output(svg, ".svg")
    check_output(png, ".png")
    with working(name, bounds) as (limits, told):
        built = build_instance(instance_in(name, problem), progress=told, memory=limits.memory)
        if blank:
            print(blank_picture(built), end="")
            return DONE
        position = _position(built, placements, picture)
        told.of("looking")({"pieces placed": len(position.everything)})
        hint = _hint(position, more=more, limits=limits)
    _draw(hint, svg, png)
    if as_json:
        print(jsonlib.dumps(_as_json(hint), ensure_ascii=False))
    else:
        _print(console(), hint)
    return STOPPED_EARLY if hint.stopped or hint.completions.possible is None else DONE


def _position(built: BuiltInstance, placements: Sequence[str], picture: Path | None) -> Position:
    """The position that the user gave."""
    if picture is None:
        return position_of(built, placements, ordered=True)
    if placements:
        raise PuzzleError("give the position as placements or by --picture, not both")
    if str(picture) == "-":
        return read_position(built, as_text(sys.stdin.buffer.read(MOST_OF_A_PUZZLE), "standard input"))
    text = text_of(picture, MOST_OF_A_PUZZLE, pipe=True)
    try:
        return read_position(built, text)
    except PuzzleError as error:
        raise error.under(f"{picture}: ") from None


def _hint(position: Position, *, more: bool, limits: Limits) -> Hint:
    """Look at a position: count first, in a share of the time; the rest is for what to do."""
    clock = Clock(limits)
    problem = position.built.problem
    finished = is_finished(position)
    completions = count_completions(problem, position.placed, replace(limits, seconds=clock.share(COMPLETIONS_SHARE)))
    back, wrong, one = None, None, None
    if completions.possible is False and position.placed:
        wrong = first_wrong(position, replace(limits, seconds=clock.share(WRONG_SHARE))) if position.ordered else None
        back = take_back(position, clock.rest())
    elif more and completions.possible is not False:
        one = further(position, clock.rest())
    dead = dead_ends(position) if completions.possible is False else []
    return Hint(position, finished, completions, dead, back, wrong, one, limits.stop.is_set())


# ---------------------------------------------------------------- text


def _print(out: Console, hint: Hint) -> None:
    position = hint.position
    new = [hint.further.option] if hint.further is not None else []
    shown = Position(position.built, (*position.placed, *new))
    text, plain = position_text(shown, new=new, width=width_of(out))
    print_picture(out, text if has_colours(out) else plain, "draw it with --svg FILE or --png FILE")
    out.print()
    for sentence in _sentences(hint):
        say(out, sentence, hang=2)


def _sentences(hint: Hint) -> list[str]:
    """What the hint says."""
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
        said.append(f"Whether it can be finished is not known: {_why(hint)}.")
    elif not position.placed:
        said.append("The puzzle has no solution.")
    else:
        said.append("It cannot be finished.")
        said += [f"  {sentence}" for sentence in hint.dead_ends]
        said += _what_to_take_back(hint)
    return said + _next_piece(hint)


def _how_many(position: Position, completions: Completions) -> str:
    one = completions == Completions(1, exact=True)
    if not position.everything:
        return f"The puzzle has {completions} solution{'' if one else 's'}."
    return "It can be finished in one way." if one else f"It can be finished in {completions} ways."


def _what_to_take_back(hint: Hint) -> list[str]:
    position, back = hint.position, hint.take_back
    said = []
    if hint.first_wrong is not None:
        number, name = hint.first_wrong + 1, position.names(position.placed)[hint.first_wrong]
        before = f"was still fine before piece {number}" if number > 1 else "went wrong with the first piece"
        said.append(f"In the order given it {before}: {name}.")
    if back is None:
        return said
    if not back.choices:
        why = "The puzzle itself has no solution." if back.solvable is False else f"Which pieces to take back is not known: {_why(hint)}."
        return [*said, why]
    size = len(back.choices[0].pieces)
    if size > 1 and back.fewest:
        said.append(f"{size} pieces have to go, no fewer will do.")
    elif size > 1:
        said.append(f"It is enough to take back these {size} pieces; perhaps fewer would do: time was up.")
    for number, choice in enumerate(back.choices[:SHOWN]):
        ways = "one way" if choice.completions == Completions(1, exact=True) else f"{choice.completions} ways"
        said.append(f"{'  or' if number else 'Take back'} {' '.join(position.names(choice.pieces))}: it can then be finished in {ways}.")
    if len(back.choices) > SHOWN:
        said.append(f"  or {len(back.choices) - SHOWN:,} more (--json lists them all)")
    if not back.every:
        said.append("  Perhaps others would do as well.")
    return said


def _why(hint: Hint) -> str:
    return "interrupted" if hint.stopped else "time was up; give more with --time"


def _next_piece(hint: Hint) -> list[str]:
    one = hint.further
    if one is None:
        return []
    name = hint.position.built.problem.options[one.option]
    if one.reason is not None:
        return [f"Next: {name}. It is forced: {one.reason}."]
    if one.forced:
        return [f"Next: {name}. It is forced: every way to finish contains it."] if one.listed > 1 else [f"Next: {name}."]
    if one.every:
        contain = "contains" if one.shared == 1 else "contain"
        return [f"Next: {name}. It is not forced: {one.shared:,} of the {one.listed:,} ways to finish {contain} it."]
    return [f"Next: {name}. It is not forced, as far as is known."]


# ---------------------------------------------------------------- JSON and pictures


def _draw(hint: Hint, svg: Path | None, png: Path | None) -> None:
    """Write pictures of the position, with the next piece where one was asked for."""
    if svg is None and png is None:
        return
    from puzzlesat.draw.flat import solution_svg

    built, said = hint.position.built, _sentences(hint)
    new = [hint.further.option] if hint.further is not None else []
    title = [*said[1:2], f"Next: {built.problem.options[new[0]]}."] if new else said[:2]
    drawn = solution_svg(built, [*hint.position.everything, *new], title=" ".join(title))
    for file in (svg, png):
        if file is not None and not stays(file, stopped=hint.stopped):
            write_picture(drawn, file, as_png=file is png)


def _as_json(hint: Hint) -> dict[str, Any]:
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
