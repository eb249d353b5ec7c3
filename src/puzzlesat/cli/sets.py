"""``puzzlesat sets`` and ``puzzlesat common``: the sets of tiles that fill a form, and the smallest form that several tiles fill."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

from rich.console import Console

from puzzlesat.base import PuzzleError, all_cores, listed, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.functions.designing import sources_of
from puzzlesat.cli.output import stays, write_csv
from puzzlesat.cli.terminal import console, print_picture, print_table, progress, say, say_error, stoppable
from puzzlesat.counting import CHECKING_SECONDS
from puzzlesat.designing import (
    Common,
    CommonFound,
    FormSets,
    SetsFound,
    Working,
    find_common,
    find_sets,
    kit_given,
    tiles_and_forms,
    words_of,
)
from puzzlesat.pages import common_html, sets_page
from puzzlesat.pictures import SolutionPictures
from puzzlesat.puzzles import Record

TOP = 20
"""Sets of a form that are shown, unless ``--top`` says otherwise."""
IN_FULL = 3
"""More forms get one line each."""
LISTED = 10
"""Forms that no set fills, or pairs of tiles, that are named."""


def run_sets(call: Call, copies: str | None, top: int | None, sheet: Path | None, csv: Path | None, *, as_json: bool) -> int:
    """Count the sets that fill each form and say what was found; return the exit status."""
    budget = CHECKING_SECONDS if call["budget"] is None else call["budget"]
    with progress("making forms"):
        kit, forms = tiles_and_forms(call["tiles"], sources_of(call.arguments), **_copies(copies), problem=call["problem"])

    def tell(record: Record) -> None:
        if "table" not in record:
            say_error(f"puzzlesat: {record['form']}: {record['why']}")
        if as_json:
            print(jsonlib.dumps(record, ensure_ascii=False), flush=True)

    with stoppable() as stop:
        working = Working(call.bounds.limits(stop), call["jobs"] or all_cores(), progress)
        found = find_sets(kit, forms, call.output, working, budget, tell)
        if stop.is_set():
            say_error("puzzlesat: interrupted")
    whole = len(found.known) == len(forms)
    if not as_json:
        _print(console(), found, top or TOP)
    if call["together"] is not None and whole:
        _tell_together(found, call["together"], top or TOP, as_json=as_json)
    write_csv(csv, found.columns, found.rows, stopped=not whole)
    if sheet is not None and not stays(sheet, stopped=not whole):
        _write_sheet(found, sheet, call, top, as_json=as_json)
    return DONE if whole else STOPPED_EARLY


def _copies(given: str | None) -> dict[str, Any]:
    """How often each tile may be used."""
    if given is None or given == "any":
        return {"copies": None, "any_number": given == "any"}
    if not re.fullmatch(r"[1-9]\d{0,3}", given):
        raise PuzzleError(f"--copies {given}: expected a number of copies such as 2, or any")
    return {"copies": int(given)}


# what is shown ---------------------------------------------------------------------------------------------------------------


def _print(out: Console, found: SetsFound, top: int) -> None:
    title, forms = found.kit.title, found.found
    if len(forms) <= IN_FULL:
        for one in forms:
            _print_form(out, title, one, top)
        return
    say(out, f"{title}: {many(len(forms), 'form')}, starting with the form that most sets fill", style="bold")
    rows = [
        [one.form, *map(_number, (one.area, one.sets, one.once, one.distinct, one.all)), one.reason or _sure(one)]
        for one in forms
        if one.sets != 0
    ]
    if rows:
        print_table(out, ("form", "area", "sets", "once", "distinct", "all", ""), _right(rows))
    if none := [one.form for one in forms if one.sets == 0]:
        say(out, f"no set fills {many(len(none), 'form')}: {listed(none, LISTED)}", style="dim")


def _print_form(out: Console, title: str, one: FormSets, top: int) -> None:
    """The sets of one form."""
    found = one.table
    if found is None:
        say(out, f"{title}, {one.form}: not counted: {one.reason}", style="bold")
        return
    verb = "fills" if len(found) == 1 else "fill"
    ways = f"{many(one.distinct or 0, 'way')} up to symmetry ({one.all or 0:,} in all); {one.once or 0:,} in exactly one way"
    say(out, f"{title}, {one.form}: {many(len(found), 'set')} {verb} it" + (f", in {ways}" if found else ""), style="bold")
    if always := [name for i, name in enumerate(one.tiles) if found and all(each.uses[i] for each in found)]:
        say(out, f"in every set: {' '.join(always)}")
    rows = [[f"{each.distinct:,}", f"{each.all:,}", words_of(one.tiles, each.uses)] for each in found[:top]]
    if rows:
        print_table(out, ("distinct", "all", "tiles"), _right(rows, first=0))
    if len(found) > top:
        say(out, f"… and {len(found) - top:,} more; --top {len(found)} shows all", style="dim")
    say(out, _sure(one), style="dim")
    out.print()


def _number(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _right(rows: Sequence[Sequence[str]], *, first: int = 1) -> list[list[str]]:
    """Rows with their numbers, all columns but the last from ``first`` on, set to the right."""
    heads = ("form", "area", "sets", "once", "distinct", "all") if first else ("distinct", "all")
    widths = [max(len(heads[i]), *(len(row[i]) for row in rows)) for i in range(len(heads))]
    return [[*(c if i < first else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=False))), row[-1]] for row in rows]


def _sure(one: FormSets) -> str:
    return "confirmed by listing the solutions" if one.agree else "not confirmed; allow more time with --budget"


def _tell_together(sets: SetsFound, times: int, top: int, *, as_json: bool) -> None:
    """Say which forms can be filled at the same time."""
    found = sets.fill_together(times)
    if as_json:
        for one in found:
            print(jsonlib.dumps(one.record, ensure_ascii=False), flush=True)
        return
    out = console()
    possible = [one for one in found if one.choices]
    say(out, f"{times} at the same time: {len(possible):,} of {many(len(found), 'choice')} of forms", style="bold")
    say(out, "the ways were counted only once, from the sets of each form", style="dim")
    rows = []
    for one in sorted(possible, key=lambda each: -each.distinct)[:top]:
        best = " | ".join(words_of(sets.found[0].tiles, uses) for uses in one.choices[0].uses)
        rows.append([" + ".join(one.together), f"{one.distinct:,}", f"{len(one.choices):,}", best])
    if rows:
        print_table(out, ("forms", "ways", "sets", "most ways"), rows)
    if len(possible) > top:
        say(out, f"… and {len(possible) - top:,} more; --top {len(possible)} shows all", style="dim")


def _write_sheet(found: SetsFound, sheet: Path, call: Call, top: int | None, *, as_json: bool) -> None:
    """Write a page with a solution of each set."""
    with call.working("sheet") as (limits, told):
        page, drawn = sets_page(found, found.known, limits, told, most=top)
    write_file(sheet, page)
    if not as_json:
        say(console(), f"{many(drawn, 'picture')}: {sheet}")


# common forms ------------------------------------------------------------------------------------------------------------------


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
        _print_common(console(), found)
    write_csv(csv, found.columns, found.rows, stopped=not whole)
    if sheet is not None and not stays(sheet, stopped=not whole):
        write_file(sheet, common_html(kit.title, [found.fillings(one) for one in found.found if one.area is not None]))
    return DONE if whole else STOPPED_EARLY


def _print_common(out: Console, sought: CommonFound) -> None:
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
    """Return the words in the cell of a table for a pair of tiles."""
    return "" if found is None else f">{found.none_to}" if found.area is None else str(found.area)


def _none_below(found: Common) -> str:
    """Return the words that name who showed that no smaller form exists."""
    if found.confirmed_to >= found.none_to:
        return " (two solvers say so)"
    above = f"above {found.confirmed_to} " if found.confirmed_to else ""
    return f" ({above}only one solver says so)"


def _print_one(out: Console, sought: CommonFound, found: Common) -> None:
    """Print the result for one choice of tiles, with the fillings."""
    names = " and ".join(found.tiles)
    if found.area is None:
        ended = not sought.is_settled(found)
        sure = _none_below(found) if found.none_to else ""
        time = f"not finished in {sought.seconds:.1f} s; allow more with --time"
        left = f"; {sought.next_size(found)} faces were {time}" if ended else ""
        if not found.none_to:
            say(out, f"{names}: not known: the smallest possible size, {sought.next_size(found)} faces, was {time}", style="bold")
            return
        say(out, f"{names}: no common form of {found.none_to} faces or fewer{sure}{left}", style="bold")
        return
    before = "the smallest possible" if not found.none_to else f"there is none of {found.none_to} or fewer{_none_below(found)}"
    say(out, f"{names}: a common form of {found.area} faces; {before}", style="bold")
    for name, copies, (built, row) in zip(found.tiles, found.fillings, sought.fillings(found), strict=True):
        say(out, f"{len(copies)}×{name}")
        print_picture(out, SolutionPictures(built).plain(row), "--sheet FILE draws it")
