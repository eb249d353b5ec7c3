"""``puzzlesat common``: the smallest form that each of some tiles fills with copies of itself."""

from __future__ import annotations

import json as jsonlib
from math import comb
from pathlib import Path

from rich.console import Console

from puzzlesat.base import all_cores, listed, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import stays, write_csv
from puzzlesat.cli.terminal import console, print_picture, print_table, progress, say, say_error, stoppable
from puzzlesat.designing import Common, CommonFound, Working, find_common, kit_given
from puzzlesat.pages import common_html
from puzzlesat.pictures import SolutionPictures
from puzzlesat.puzzles import Record

LISTED = 10
"""Pairs that are named."""


def run_common(call: Call, sheet: Path | None, csv: Path | None, *, as_json: bool) -> int:
    """Look for a common form of some tiles, or of each pair, and say what was found; return the exit status."""
    kit, names = kit_given(call["tiles"], some=True, problem=call["problem"]), call["names"] or ()

    def tell(record: Record) -> None:
        if as_json:
            print(jsonlib.dumps(record, ensure_ascii=False), flush=True)

    with stoppable() as stop:
        working = Working(call.bounds.limits(stop), call["jobs"] or all_cores(), progress)
        found = find_common(kit, names, call["most"], call.output, working, tell)
        if stop.is_set():
            say_error("puzzlesat: interrupted")
    choices = 1 if names else comb(len(kit.tiles), 2)
    whole = len(found.found) == choices and found.complete
    if not as_json:
        _print(console(), found)
    write_csv(csv, found.columns, found.rows, stopped=not whole)
    if sheet is not None and not stays(sheet, stopped=not whole):
        write_file(sheet, common_html(kit.title, [found.fillings(one) for one in found.found if one.area is not None]))
    return DONE if whole else STOPPED_EARLY


# what is shown ---------------------------------------------------------------------------------------------------------------


def _print(out: Console, sought: CommonFound) -> None:
    found, most = sought.found, sought.most
    if len(found) == 1:
        _print_one(out, sought, found[0])
        return
    known = {frozenset(one.tiles): one for one in found}
    names = [tile.name for tile in sought.kit.tiles]
    rows = [[one, *(_cell(known.get(frozenset((one, other)))) for other in names), ""] for one in names]
    print_table(out, ("", *names, ""), rows)
    say(out, f"faces of the smallest form that both tiles fill; >{most}: they fill no form of this size or smaller", style="dim")
    if alone := [one for one in found if one.confirmed_to < one.none_to]:
        pairs = listed([" ".join(one.tiles) for one in alone], LISTED)
        say(out, f"of {many(len(alone), 'pair')} only one solver says for some sizes that there is no form: {pairs}", style="dim")
    elif any(one.none_to for one in found):
        say(out, "where there is no form, two solvers say so", style="dim")
    if open_ := [" ".join(one.tiles) for one in found if not sought.is_settled(one)]:
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


def _print_one(out: Console, sought: CommonFound, found: Common) -> None:
    """What was found out about one choice of tiles, with the fillings."""
    names = " and ".join(found.tiles)
    if found.area is None:
        ended = not sought.is_settled(found)
        sure = _sure(found) if found.none_to else ""
        left = ", and then a limit was reached" if ended else ""
        if not found.none_to:
            say(out, f"{names}: not known: a limit was reached before the smallest possible size was finished", style="bold")
            return
        say(out, f"{names}: no common form of {found.none_to} faces or fewer{sure}{left}", style="bold")
        return
    before = "the smallest possible" if not found.none_to else f"there is none of {found.none_to} or fewer{_sure(found)}"
    say(out, f"{names}: a common form of {found.area} faces; {before}", style="bold")
    for name, copies, (built, row) in zip(found.tiles, found.fillings, sought.fillings(found), strict=True):
        say(out, f"{len(copies)}×{name}")
        print_picture(out, SolutionPictures(built).plain(row), "--sheet FILE draws it")
