"""``puzzlesat challenge``: starting positions from easy to hard, to play or to print."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from random import randrange

from puzzlesat.cli.count import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_output, write_picture
from puzzlesat.cli.terminal import progress, stoppable
from puzzlesat.cover.build import Built, build
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import puzzle_in
from puzzlesat.play import sheet as sheets
from puzzlesat.play.challenge import Wish, challenges

SEEDS = 10_000
KINDS = (".html", ".svg", ".png", ".txt", ".json")


def run_challenge(
    name: str,
    count: int,
    placed: int | None,
    most: int | None,
    fewest: int | None,
    completions: int,
    seed: int | None,
    output: Path | None,
    as_json: bool,
    problem: int | None = None,
) -> int:
    """Print starting positions, or write them to a file; return the exit status."""
    if output is not None and output.suffix not in KINDS:
        raise PuzzleError(f"{output}: expected a name that ends in {', '.join(KINDS)}")
    check_output(output)
    if as_json and output is not None:
        raise PuzzleError("say --json, or -o FILE.json, not both")
    built = build(puzzle_in(name, problem))
    wish = _wish(built, placed, most, fewest, completions)
    seed = randrange(SEEDS) if seed is None else seed
    with stoppable() as stop, progress(built.puzzle.name) as announce:
        made = challenges(built, count, wish, seed, stop, announce)
        stopped = stop.is_set()
    if stopped:
        print(f"puzzlesat: interrupted after {len(made)} positions", file=sys.stderr)
    elif len(made) < count:
        print(f"puzzlesat: only {len(made)} different positions were found", file=sys.stderr)
    if made:
        _write(sheets.Sheet(built, made, completions, seed), output, as_json)
    return STOPPED_EARLY if stopped else DONE


def _wish(built: Built, placed: int | None, most: int | None, fewest: int | None, completions: int) -> Wish:
    if placed is not None:
        if most is not None or fewest is not None:
            raise PuzzleError("say --placed, or --from and --to, not both")
        return Wish(completions, placed, placed, exactly=True)
    if most is not None and fewest is not None and most < fewest:
        raise PuzzleError(f"--from {most} --to {fewest}: --from is for the easiest position, which has the most pieces; exchange the two")
    return Wish(completions, most, fewest or 0)


def _write(sheet: sheets.Sheet, output: Path | None, as_json: bool) -> None:
    """Print the sheet, or write it in the form that the name of the file says."""
    lines = "".join(jsonlib.dumps(entry, ensure_ascii=False) + "\n" for entry in sheets.as_json(sheet))
    if output is None:
        print(lines if as_json else sheets.as_text(sheet, solutions=False), end="")
        return
    written = [output]
    if output.suffix == ".json":
        output.write_text(lines, encoding="utf-8")
    elif output.suffix == ".txt":
        output.write_text(sheets.as_text(sheet, solutions=True), encoding="utf-8")
    elif output.suffix == ".html":
        output.write_text(sheets.as_html(sheet), encoding="utf-8")
    else:
        written.append(output.with_stem(f"{output.stem}-solutions"))
        for file, drawn in zip(written, sheets.as_svg(sheet), strict=True):
            write_picture(drawn, file, as_png=file.suffix == ".png")
    print(f"{len(sheet.challenges)} positions (seed {sheet.seed}): {', '.join(map(str, written))}")
