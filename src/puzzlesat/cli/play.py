"""``puzzlesat hint``: print whether a position can be finished, and what to do next. ``puzzlesat challenge``: make starting positions."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Any

from rich.console import Console

from puzzlesat.base import PuzzleError, check_output, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import cut_short, stays, write_picture
from puzzlesat.cli.terminal import console, has_colours, print_json, print_picture, say, say_error, width_of
from puzzlesat.pages import Sheet, in_german, paper_pages, sheet_html, sheet_json, sheet_parts, sheet_svg, sheet_text
from puzzlesat.playing import Hint, Position, blank_picture, position_text, sentences
from puzzlesat.playing import as_json as hint_as_json
from puzzlesat.puzzles import MOST_OF_A_PUZZLE, Instance, build_instance, text_of


def print_blank(call: Call) -> int:
    """Print the empty form; return the exit status."""
    with call.working(call["puzzle"]) as (limits, told):
        print(blank_picture(build_instance(call.instance(told), progress=told, memory=limits.memory)), end="")
    return DONE


def run_hint(call: Call) -> int:
    """Print a hint on a position; return the exit status."""
    hint = call(call["puzzle"]) if call["picture"] is None else _of_picture(call, call["picture"])
    if isinstance(hint.subject, Instance):
        return cut_short({}, hint.far, as_json=call["json"])
    _draw(hint, call["svg"], call["png"])
    if call["json"]:
        print_json(hint_as_json(hint))
    else:
        _print_hint(console(), hint)
    return DONE if hint.decided else STOPPED_EARLY


def _of_picture(call: Call, picture: Path) -> Any:
    """Return a hint on the position in a text picture."""
    if call["placed"]:
        raise PuzzleError("give the position as placements or with --picture, not both")
    with call.working(call["puzzle"]) as (_, told):
        instance = call.instance(told)
        text = text_of(picture, MOST_OF_A_PUZZLE, pipe=True)
        try:
            return call.made(puzzle=instance, placed=text)
        except PuzzleError as error:
            raise (error if str(picture) == "-" else error.under(f"{picture}: ")) from None


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
    """Write pictures of the position, with the next piece if the hint has it."""
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


def run_challenge(call: Call) -> int:
    """Print starting positions, or write them to a file; return the exit status."""
    output, as_json = call.output, call["json"]
    if output is not None and output.suffix not in KINDS:
        raise PuzzleError(f"{output}: expected a name that ends in {', '.join(KINDS)}")
    if output is not None and output.suffix in PICTURES:
        check_output(_beside(output, "solutions"))
    if as_json and output is not None:
        raise PuzzleError("use --json or -o FILE.json, not both")
    name, sheet = call["puzzle"], call(call["puzzle"])
    made, early = sheet.challenges, not (sheet.complete or sheet.exhausted)
    if not made and as_json:
        print_json({"instance": name, "complete": sheet.complete, "why": sheet.why})
    if sheet.why is not None:
        say_error(f"puzzlesat: {sheet.why}")
    elif not made:
        say_error("puzzlesat: no position was found")
    if made and not (output is not None and stays(output, stopped=early)):
        _write(sheet, output, as_json=as_json)
    return STOPPED_EARLY if early else DONE


def _write(sheet: Sheet, output: Path | None, *, as_json: bool) -> None:
    """Print the sheet, or write it in the format of the file's suffix."""
    lines = "".join(jsonlib.dumps(entry, ensure_ascii=False) + "\n" for entry in sheet_json(sheet))
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
        write_file(output, sheet_text(sheet, solutions=True))
    elif output.suffix == ".html":
        write_file(output, sheet_html(sheet, german=in_german))
    else:
        positions, solutions = sheet_svg(sheet)
        drawn = {output: positions, _beside(output, "solutions"): solutions}
        if output.suffix == ".svg":
            drawn |= {_beside(output, name): page for name, page in paper_pages(sheet).items()}
        written = list(drawn)
        for file, svg in drawn.items():
            write_picture(svg, file, as_png=file.suffix == ".png")
    say(console(), f"{many(len(sheet.challenges), 'position')} (seed {sheet.seed}): {', '.join(map(str, written))}")


def _beside(output: Path, name: str) -> Path:
    return output.with_stem(f"{output.stem}-{name}")


def _print_challenge(out: Console, sheet: Sheet) -> None:
    """Print the positions, folded at the edge of the terminal."""
    for number, (said, picture) in enumerate(sheet_parts(sheet, width_of(out))):
        if number:
            out.print()
        for line in said.splitlines():
            say(out, line, hang=6)
        if picture:
            out.print()
            print_picture(out, picture, "draw it with -o FILE.html")
