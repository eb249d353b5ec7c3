"""``puzzlesat hint``: whether a position can be finished, what to take back, and one more piece."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import stays, write_picture
from puzzlesat.cli.terminal import console, has_colours, print_picture, say, width_of
from puzzlesat.cli.working import working
from puzzlesat.config.files import MOST_OF_A_PUZZLE, as_text, text_of
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.files import check_output
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.play.hint import Hint, as_json, look_at, sentences
from puzzlesat.play.picture import blank_picture, position_text, read_position
from puzzlesat.play.position import Position, position_of


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
    json: bool,
    problem: int | str | None = None,
) -> int:
    """Print what is known of a position; return the exit status."""
    check_output(svg, ".svg")
    check_output(png, ".png")
    with working(name, bounds) as (limits, told):
        built = build_instance(instance_in(name, problem, progress=told), progress=told, memory=limits.memory)
        if blank:
            print(blank_picture(built), end="")
            return DONE
        position = _position(built, placements, picture)
        told.of("looking")({"pieces placed": len(position.everything)})
        hint = look_at(position, more=more, limits=limits)
    _draw(hint, svg, png)
    if json:
        print(jsonlib.dumps(as_json(hint), ensure_ascii=False))
    else:
        _print(console(), hint)
    return DONE if hint.decided else STOPPED_EARLY


def _position(built: BuiltInstance, placements: Sequence[str], picture: Path | None) -> Position:
    """The position that the user gave."""
    if picture is None:
        return position_of(built, placements, ordered=True)
    if placements:
        raise PuzzleError("give the position as placements or with --picture, not both")
    if str(picture) == "-":
        return read_position(built, as_text(sys.stdin.buffer.read(MOST_OF_A_PUZZLE), "standard input"))
    text = text_of(picture, MOST_OF_A_PUZZLE, pipe=True)
    try:
        return read_position(built, text)
    except PuzzleError as error:
        raise error.under(f"{picture}: ") from None


# ---------------------------------------------------------------- text


def _print(out: Console, hint: Hint) -> None:
    position = hint.position
    new = [hint.further.option] if hint.further is not None else []
    shown = Position(position.built, (*position.placed, *new))
    text, plain = position_text(shown, new=new, width=width_of(out))
    print_picture(out, text if has_colours(out) else plain, "draw it with --svg FILE or --png FILE")
    out.print()
    for sentence in sentences(hint):
        say(out, sentence, hang=2)


# ---------------------------------------------------------------- pictures


def _draw(hint: Hint, svg: Path | None, png: Path | None) -> None:
    """Write pictures of the position, with the next piece where one was asked for."""
    if svg is None and png is None:
        return
    from puzzlesat.draw.flat import solution_svg

    built, said = hint.position.built, sentences(hint)
    new = [hint.further.option] if hint.further is not None else []
    title = [*said[1:2], f"Next: {built.problem.options[new[0]]}."] if new else said[:2]
    drawn = solution_svg(built, [*hint.position.everything, *new], title=" ".join(title))
    for file in (svg, png):
        if file is not None and not stays(file, stopped=hint.stopped):
            write_picture(drawn, file, as_png=file is png)
