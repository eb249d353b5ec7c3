"""``puzzlesat challenge``: starting positions from easy to hard, to play or to print."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path

from rich.console import Console

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import stays, write_picture
from puzzlesat.cli.terminal import console, print_picture, say, say_error, width_of
from puzzlesat.cli.working import working
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import check_output, write_text
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.play import sheet as sheets
from puzzlesat.play.challenge import any_seed
from puzzlesat.play.wished import Wished, sheet_of
from puzzlesat.studio.said import in_german

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
            _print(console(), sheet)
        return
    written = [output]
    if output.suffix == ".json":
        write_text(output, lines)
    elif output.suffix == ".txt":
        write_text(output, sheets.as_text(sheet, solutions=True))
    elif output.suffix == ".html":
        write_text(output, sheets.as_html(sheet, german=in_german))
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


def _print(out: Console, sheet: sheets.Sheet) -> None:
    """Print the positions, folded where the terminal ends."""
    for number, (said, picture) in enumerate(sheets.as_parts(sheet, width_of(out))):
        if number:
            out.print()
        for line in said.splitlines():
            say(out, line, hang=6)
        if picture:
            out.print()
            print_picture(out, picture, "draw it with -o FILE.html")
