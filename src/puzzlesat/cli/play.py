"""``puzzlesat hint``: whether a position can be finished, what to take back, and one more piece.

``puzzlesat challenge``: starting positions from easy to hard, to play or to print.
"""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from puzzlesat.base import PuzzleError, many, write_file
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_output, stays, write_picture
from puzzlesat.cli.terminal import console, has_colours, print_picture, say, say_error, width_of
from puzzlesat.cli.working import Bounds, working
from puzzlesat.formats import instance_in
from puzzlesat.pages import Wished, in_german, sheet_of
from puzzlesat.pages import challenge_sheet as sheets
from puzzlesat.playing import (
    Hint,
    Position,
    any_seed,
    as_json,
    blank_picture,
    look_at,
    position_of,
    position_text,
    read_position,
    sentences,
)
from puzzlesat.puzzles import MOST_OF_A_PUZZLE, BuiltInstance, as_text, build_instance, text_of


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
        _print_hint(console(), hint)
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


def _print_hint(out: Console, hint: Hint) -> None:
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
    from puzzlesat.pictures import solution_svg

    built, said = hint.position.built, sentences(hint)
    new = [hint.further.option] if hint.further is not None else []
    title = [*said[1:2], f"Next: {built.problem.options[new[0]]}."] if new else said[:2]
    drawn = solution_svg(built, [*hint.position.everything, *new], title=" ".join(title))
    for file in (svg, png):
        if file is not None and not stays(file, stopped=hint.stopped):
            write_picture(drawn, file, as_png=file is png)


PICTURES = (".svg", ".png")
KINDS = (".html", *PICTURES, ".txt", ".json")


def run_challenge(
    name: str,
    *,
    hardest: bool = False,
    count: int | None,
    placed: int | None,
    most: int | None,
    fewest: int | None,
    completions: int,
    seed: int | None,
    output: Path | None,
    as_json: bool,
    bounds: Bounds,
    problem: int | str | None = None,
) -> int:
    """Print starting positions, or write them to a file; return the exit status."""
    if output is not None and output.suffix not in KINDS:
        raise PuzzleError(f"{output}: expected a name that ends in {', '.join(KINDS)}")
    check_output(output)
    if output is not None and output.suffix in PICTURES:
        check_output(_beside(output, "solutions"))
    if as_json and output is not None:
        raise PuzzleError("use --json or -o FILE.json, not both")
    wished = Wished(count, hardest, placed, most, fewest, completions, any_seed() if seed is None else seed)
    with working(name, bounds) as (limits, told):
        sheet = sheet_of(
            build_instance(instance_in(name, problem, progress=told), progress=told, memory=limits.memory), wished, limits, told
        )
    made, early = sheet.challenges, not (sheet.complete or sheet.exhausted)
    if not made and as_json:
        print(jsonlib.dumps({"instance": name, "complete": sheet.complete, "why": sheet.why}, ensure_ascii=False))
    if sheet.why is not None:
        say_error(f"puzzlesat: {sheet.why}")
    elif not made:
        say_error("puzzlesat: no position was found")
    if made and not (output is not None and stays(output, stopped=early)):
        _write(sheet, output, as_json=as_json)
    return STOPPED_EARLY if early else DONE


def _write(sheet: sheets.Sheet, output: Path | None, *, as_json: bool) -> None:
    """Print the sheet, or write it in the form that the name of the file says."""
    lines = "".join(jsonlib.dumps(entry, ensure_ascii=False) + "\n" for entry in sheets.as_json(sheet))
    if output is None:
        if as_json:
            print(lines, end="")
        else:
            _print_challenge(console(), sheet)
        return
    written = [output]
    if output.suffix == ".json":
        write_file(output, lines)
    elif output.suffix == ".txt":
        write_file(output, sheets.as_text(sheet, solutions=True))
    elif output.suffix == ".html":
        write_file(output, sheets.as_html(sheet, german=in_german))
    else:
        positions, solutions = sheets.as_svg(sheet)
        drawn = {output: positions, _beside(output, "solutions"): solutions}
        if output.suffix == ".svg":
            drawn |= {_beside(output, name): page for name, page in sheets.paper_pages(sheet).items()}
        written = list(drawn)
        for file, svg in drawn.items():
            write_picture(svg, file, as_png=file.suffix == ".png")
    say(console(), f"{many(len(sheet.challenges), 'position')} (seed {sheet.seed}): {', '.join(map(str, written))}")


def _beside(output: Path, name: str) -> Path:
    return output.with_stem(f"{output.stem}-{name}")


def _print_challenge(out: Console, sheet: sheets.Sheet) -> None:
    """Print the positions, folded where the terminal ends."""
    for number, (said, picture) in enumerate(sheets.as_parts(sheet, width_of(out))):
        if number:
            out.print()
        for line in said.splitlines():
            say(out, line, hang=6)
        if picture:
            out.print()
            print_picture(out, picture, "draw it with -o FILE.html")
