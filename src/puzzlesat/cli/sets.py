"""``puzzlesat sets``: which sets of tiles fill a form, in how many ways, and which forms most sets fill."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from puzzlesat.base import PuzzleError, all_cores, listed, many, write_file
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_apart, check_output, stays, write_csv
from puzzlesat.cli.terminal import console, print_table, progress, say, say_error, stoppable
from puzzlesat.cli.working import Bounds, working
from puzzlesat.counting import words_of
from puzzlesat.designing import (
    SET_COLUMNS,
    Candidate,
    Kit,
    Sources,
    Working,
    by_most_sets,
    filled_together,
    forms_of_sets,
    key_of,
    kit_of_sets,
    named_together,
    open_sets,
    rows_of_sets,
    sets_in,
    sets_of_each,
)
from puzzlesat.pages import MOST_ON_A_SHEET, as_html, shown
from puzzlesat.puzzles import Record

TOP = 20
"""Sets of a form that are shown, unless ``--top`` says otherwise."""
IN_FULL = 3
"""More forms get one line each."""
LISTED = 10
"""Forms that no set fills, and that are named."""


@dataclass(frozen=True)
class Asked:
    """What is to be found out: the options of the command line."""

    tiles: str
    sources: Sources
    copies: str | None = None
    together: int | None = None
    top: int | None = None
    problem: int | str | None = None


def run_sets(
    asked: Asked,
    bounds: Bounds,
    budget: float,
    output: Path | None,
    sheet: Path | None,
    csv: Path | None,
    jobs: int | None,
    *,
    as_json: bool,
) -> int:
    """Count the sets that fill each form and say what was found; return the exit status."""
    check_output(output)
    check_output(sheet, ".html")
    check_output(csv, ".csv")
    check_apart(asked.tiles, output, sheet, csv)
    kit = kit_of_sets(asked.tiles, own_form=asked.sources == Sources(), **_copies(asked.copies), problem=asked.problem)
    with progress("making forms"):
        forms = forms_of_sets(kit, asked.sources)
    found: dict[int, Record] = {}
    with closing(open_sets(kit, output)) as results, stoppable() as stop:
        working = Working(bounds.limits(stop), jobs or all_cores(), progress)
        for number, record in sets_of_each(kit, forms, results, working, budget):
            if isinstance(record, str):
                say_error(f"puzzlesat: {forms[number].name}: {record}")
                if as_json:
                    print(jsonlib.dumps({"form": forms[number].name, "complete": False, "why": record}, ensure_ascii=False), flush=True)
                continue
            found[number] = record
            if as_json:
                print(jsonlib.dumps(record, ensure_ascii=False), flush=True)
        if stop.is_set():
            say_error("puzzlesat: interrupted")
    records = by_most_sets([found[number] for number in sorted(found)])
    known = [record for record in records if record["table"] is not None]
    whole = len(known) == len(forms)
    if not as_json:
        _print(console(), kit, records, asked.top or TOP)
    if asked.together is not None and whole:
        _tell_together(kit, known, asked.together, asked.top or TOP, as_json=as_json)
    write_csv(csv, SET_COLUMNS, rows_of_sets(known), stopped=not whole)
    if sheet is not None and not stays(sheet, stopped=not whole):
        _write_sheet(kit, forms, known, sheet, bounds, asked.top or MOST_ON_A_SHEET, as_json=as_json)
    return DONE if whole else STOPPED_EARLY


def _copies(given: str | None) -> dict[str, Any]:
    """How often each tile may be used."""
    if given is None or given == "any":
        return {"copies": None, "any_number": given == "any"}
    if not re.fullmatch(r"[1-9]\d{0,3}", given):
        raise PuzzleError(f"--copies {given}: expected a number of copies such as 2, or any")
    return {"copies": int(given)}


# what is shown ---------------------------------------------------------------------------------------------------------------


def _print(out: Console, kit: Kit, records: Sequence[Record], top: int) -> None:
    if len(records) <= IN_FULL:
        for record in records:
            _print_form(out, kit, record, top)
        return
    say(out, f"{kit.title}: {many(len(records), 'form')}, starting with the form that most sets fill", style="bold")
    rows = [
        [record["form"], *(_number(record[key]) for key in ("area", "sets", "once", "distinct", "all")), record["reason"] or _sure(record)]
        for record in records
        if record["sets"] != 0
    ]
    if rows:
        print_table(out, ("form", "area", "sets", "once", "distinct", "all", ""), _right(rows))
    if none := [record["form"] for record in records if record["sets"] == 0]:
        say(out, f"no set fills {many(len(none), 'form')}: {listed(none, LISTED)}", style="dim")


def _print_form(out: Console, kit: Kit, record: Record, top: int) -> None:
    """The sets of one form."""
    if record["table"] is None:
        say(out, f"{kit.title}, {record['form']}: not counted: {record['reason']}", style="bold")
        return
    found = sets_in(record)
    verb = "fills" if len(found) == 1 else "fill"
    ways = f"{many(record['distinct'], 'way')} up to symmetry ({record['all']:,} in all); {record['once']:,} in exactly one way"
    say(out, f"{kit.title}, {record['form']}: {many(len(found), 'set')} {verb} it" + (f", in {ways}" if found else ""), style="bold")
    if always := [name for i, name in enumerate(record["tiles"]) if found and all(each.uses[i] for each in found)]:
        say(out, f"in every set: {' '.join(always)}")
    rows = [[f"{each.distinct:,}", f"{each.all:,}", words_of(record["tiles"], each.uses)] for each in found[:top]]
    if rows:
        print_table(out, ("distinct", "all", "tiles"), _right(rows, first=0))
    if len(found) > top:
        say(out, f"… and {len(found) - top:,} more; --top {len(found)} shows all", style="dim")
    say(out, _sure(record), style="dim")
    out.print()


def _number(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _right(rows: Sequence[Sequence[str]], *, first: int = 1) -> list[list[str]]:
    """Rows with their numbers, all columns but the last from ``first`` on, set to the right."""
    heads = ("form", "area", "sets", "once", "distinct", "all") if first else ("distinct", "all")
    widths = [max(len(heads[i]), *(len(row[i]) for row in rows)) for i in range(len(heads))]
    return [[*(c if i < first else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=False))), row[-1]] for row in rows]


def _sure(record: Record) -> str:
    return "confirmed by listing the solutions" if record["agree"] else "not confirmed; allow more time with --budget"


def _tell_together(kit: Kit, known: Sequence[Record], times: int, top: int, *, as_json: bool) -> None:
    """Say which forms can be filled at the same time."""
    found = filled_together(kit, known, times)
    if as_json:
        for one in found:
            print(jsonlib.dumps(named_together(known, one).record, ensure_ascii=False), flush=True)
        return
    out = console()
    possible = [one for one in found if one.choices]
    say(out, f"{times} at the same time: {len(possible):,} of {many(len(found), 'choice')} of forms", style="bold")
    say(out, "the ways were counted only once, from the sets of each form", style="dim")
    rows = []
    for one in sorted(possible, key=lambda each: -each.distinct)[:top]:
        best = " | ".join(words_of(known[0]["tiles"], each.uses) for each in one.choices[0].sets)
        rows.append([" + ".join(known[form]["form"] for form in one.forms), f"{one.distinct:,}", f"{len(one.choices):,}", best])
    if rows:
        print_table(out, ("forms", "ways", "sets", "most ways"), rows)
    if len(possible) > top:
        say(out, f"… and {len(possible) - top:,} more; --top {len(possible)} shows all", style="dim")


def _write_sheet(
    kit: Kit, forms: Sequence[Candidate], known: Sequence[Record], sheet: Path, bounds: Bounds, top: int, *, as_json: bool
) -> None:
    """Write a page with a solution of each set."""
    by_key = {key_of(form.table, None): form for form in forms}
    with working("sheet", bounds) as (limits, told):
        pages = [shown(kit, by_key[record["key"]], record, top, limits, told) for record in known]
    write_file(sheet, as_html(kit.title, pages))
    if not as_json:
        say(console(), f"{many(sum(len(page.solutions) for page in pages), 'picture')}: {sheet}")
