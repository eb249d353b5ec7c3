"""``puzzlesat common``: the smallest form that each of some tiles fills with copies of itself."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from puzzlesat.base import all_cores, listed, many, write_file
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_apart, check_output, stays, write_csv
from puzzlesat.cli.terminal import console, print_picture, print_table, progress, say, say_error, stoppable
from puzzlesat.cli.working import Bounds
from puzzlesat.designing import (
    COMMON_COLUMNS,
    Common,
    Kit,
    Working,
    as_record,
    choices_of,
    common_of_each,
    ending,
    in_the_form,
    is_settled,
    load_kit,
    open_results,
    rows_of_common,
)
from puzzlesat.pages import common_html
from puzzlesat.pictures import SolutionPictures

LISTED = 10
"""Pairs that are named."""


@dataclass(frozen=True)
class Asked:
    """What is to be found out: the options of the command line."""

    tiles: str
    names: Sequence[str]
    most: int
    problem: int | str | None = None


def run_common(
    asked: Asked, bounds: Bounds, output: Path | None, sheet: Path | None, csv: Path | None, jobs: int | None, *, as_json: bool
) -> int:
    """Look for a common form of some tiles, or of each pair, and say what was found; return the exit status."""
    check_output(output)
    check_output(sheet, ".html")
    check_output(csv, ".csv")
    check_apart(asked.tiles, output, sheet, csv)
    kit = load_kit(asked.tiles, some=True, problem=asked.problem)
    choices = choices_of(kit, asked.names)
    known: dict[int, Common] = {}
    with closing(open_results(kit, output, "common")) as results, stoppable() as stop:
        working = Working(bounds.limits(stop), jobs or all_cores(), progress)
        for number, one in common_of_each(kit, choices, asked.most, results, working):
            known[number] = one
            if as_json:
                print(jsonlib.dumps(as_record(kit, one) | ending(kit, one, asked.most), ensure_ascii=False), flush=True)
        if stop.is_set():
            say_error("puzzlesat: interrupted")
    found = [known[number] for number in sorted(known)]
    whole = len(found) == len(choices) and all(is_settled(kit, one, asked.most) for one in found)
    if not as_json:
        _print(console(), kit, found, asked.most)
    write_csv(csv, COMMON_COLUMNS, rows_of_common(found), stopped=not whole)
    if sheet is not None and not stays(sheet, stopped=not whole):
        write_file(sheet, common_html(kit.title, [in_the_form(kit, one) for one in found if one.area is not None]))
    return DONE if whole else STOPPED_EARLY


# what is shown ---------------------------------------------------------------------------------------------------------------


def _print(out: Console, kit: Kit, found: Sequence[Common], most: int) -> None:
    if len(found) == 1:
        _print_one(out, kit, found[0], most)
        return
    known = {frozenset(one.tiles): one for one in found}
    names = [tile.name for tile in kit.tiles]
    rows = [[one, *(_cell(known.get(frozenset((one, other)))) for other in names), ""] for one in names]
    print_table(out, ("", *names, ""), rows)
    say(out, f"faces of the smallest form that both tiles fill; >{most}: they fill no form of this size or smaller", style="dim")
    if alone := [one for one in found if one.confirmed_to < one.none_to]:
        pairs = listed([" ".join(one.tiles) for one in alone], LISTED)
        say(out, f"of {many(len(alone), 'pair')} only one solver says for some sizes that there is no form: {pairs}", style="dim")
    elif any(one.none_to for one in found):
        say(out, "where there is no form, two solvers say so", style="dim")
    if open_ := [" ".join(one.tiles) for one in found if not is_settled(kit, one, most)]:
        say(out, f"not searched up to {most} faces in the time available: {many(len(open_), 'pair')} (allow more with --time)", style="dim")


def _cell(found: Common | None) -> str:
    """What a table says of a pair."""
    return "" if found is None else f">{found.none_to}" if found.area is None else str(found.area)


def _sure(found: Common) -> str:
    """Who says that there is no form so small."""
    if found.confirmed_to >= found.none_to:
        return " (two solvers say so)"
    above = f"above {found.confirmed_to} " if found.confirmed_to else ""
    return f" ({above}only one solver says so)"


def _print_one(out: Console, kit: Kit, found: Common, most: int) -> None:
    """What was found out about one choice of tiles, with the fillings."""
    names = " and ".join(found.tiles)
    if found.area is None:
        ended = not is_settled(kit, found, most)
        sure = _sure(found) if found.none_to else ""
        left = ", and then a limit was reached" if ended else ""
        if not found.none_to:
            say(out, f"{names}: not known: a limit was reached before the smallest possible size was finished", style="bold")
            return
        say(out, f"{names}: no common form of {found.none_to} faces or fewer{sure}{left}", style="bold")
        return
    before = "the smallest possible" if not found.none_to else f"there is none of {found.none_to} or fewer{_sure(found)}"
    say(out, f"{names}: a common form of {found.area} faces; {before}", style="bold")
    for name, copies, (built, row) in zip(found.tiles, found.fillings, in_the_form(kit, found), strict=True):
        say(out, f"{len(copies)}×{name}")
        print_picture(out, SolutionPictures(built).plain(row), "--sheet FILE draws it")
