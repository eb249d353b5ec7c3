"""``puzzlesat run``: what a study asks is found out, of all its puzzles.

``puzzlesat runs``: progress, time left and disagreements of a run; tables of its results; stores that are merged.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Limits, Progress, PuzzleError, check_apart, check_output, listed, many, new_text
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY, status_after
from puzzlesat.cli.output import with_size
from puzzlesat.cli.terminal import between, console, duration, folds, progress, say, say_error, say_named, stoppable
from puzzlesat.studies import (
    PuzzleRow,
    Ran,
    RunOptions,
    Study,
    merge,
    open_to_read,
    overview,
    run_study,
    summary,
    table_lines,
    workers,
)

SUFFIXES = (".csv", ".jsonl", ".html")
MOST_PICTURES = 2000
"""A page has pictures of so many puzzles: each takes some kilobytes."""
LONG_SECONDS = 10.0
"""From so much on it is said how long that is by the clock."""
MOST_LISTED = 20
"""Units that are shown one by one, of those that disagree and of those set aside."""


def run_runs(stores: Sequence[Path], *, export: Sequence[Path], together: bool, check: bool, output: Path | None, as_json: bool) -> int:
    """Show how far the run of each store is, check its evidence, write its table, or write several into one; return the exit status."""
    if check:
        if together or export or output is not None:
            raise PuzzleError("--check only reads; remove --merge, --export and -o")
        return max(_check(store, as_json=as_json) for store in stores)
    if together:
        return _merge(stores, export, output, as_json=as_json)
    if output is not None:
        raise PuzzleError("-o is the store that --merge writes; to write a table, use --export FILE")
    if export and len(stores) > 1:
        raise PuzzleError(
            "--export writes the table of one store; merge several stores of one study first: puzzlesat runs --merge A B -o C"
        )
    for file in export:
        _check_table(file)
    check_apart(stores[0], *export)
    return max(_one(store, export, as_json=as_json) for store in stores)


def _one(path: Path, export: Sequence[Path], *, as_json: bool) -> int:
    out = console()
    with open_to_read(path) as store, progress(path.name) as told:
        rows = _rows(store.rows(), told)
        seen = overview(store, rows)
        for file in export:
            with new_text(file) as text:
                suffix = file.suffix.lower()
                text.write(_html(seen, rows, told)) if suffix == ".html" else text.writelines(table_lines(suffix, rows))
    if export:
        if not as_json:
            for file in export:
                say(out, f"{many(len(rows), 'puzzle')} written to {with_size(file)}")
        return FAILED if seen["disagrees"] else DONE
    if as_json:
        print(jsonlib.dumps({"store": str(path), **seen}, ensure_ascii=False), flush=True)
    else:
        print_overview(out, path, seen, rows)
    return status_after(seen["disagrees"], seen["complete"])


def _check(path: Path, *, as_json: bool) -> int:
    """Go through all evidence of a store again, and say what was looked at and what is wrong."""
    out = console()
    with open_to_read(path) as store, progress(path.name) as told:
        seen = store.review(told)
    if as_json:
        print(jsonlib.dumps({"store": str(path), "complete": True, "why": None, **seen}, ensure_ascii=False), flush=True)
        return FAILED if seen["wrong"] else DONE
    say(out, f"{path}: {'NOT TRUSTWORTHY' if seen['wrong'] else 'sound'}", style="bold red" if seen["wrong"] else "green")
    say_named(out, "chain", f"{many(seen['answers'], 'answer')}{'' if seen['wrong'] else ', unbroken'}")
    say_named(out, "evidence", f"{many(seen['solutions'], 'solution')} and {many(seen['certificates'], 'certificate')} checked again")
    if seen["once"]:
        say_named(out, "counted once", many(seen["once"], "unit"), style="yellow")
    for wrong in seen["wrong"][:MOST_LISTED]:
        say(out, f"  {wrong}", style="bold red", hang=4)
    if len(seen["wrong"]) > MOST_LISTED:
        say(out, f"and {len(seen['wrong']) - MOST_LISTED:,} more like these; --json has them all")
    return FAILED if seen["wrong"] else DONE


def _rows(table: Iterator[PuzzleRow], told: Progress) -> list[PuzzleRow]:
    rows = []
    for row in table:
        rows.append(row)
        if len(rows) % 100 == 0:
            told.of("reading")({"puzzles": len(rows)})
    return rows


# files -----------------------------------------------------------------------------------------------------------------------


def _check_table(file: Path) -> None:
    check_output(file, *SUFFIXES)
    if file.suffix.lower() not in SUFFIXES:
        raise PuzzleError(f"{file}: expected a name that ends in {' or '.join(SUFFIXES)}; the suffix chooses the format")


def _html(seen: Mapping[str, Any], rows: Sequence[PuzzleRow], told: Progress) -> str:
    from puzzlesat.base import VERSION
    from puzzlesat.cli.runs_page import runs_page

    alarms = [f"{many(n, 'unit')} of this run {'has' if n == 1 else 'have'} answers that differ" for n in [seen["unsettled"]] if n]
    return runs_page(seen["name"], rows, dict(_pictures(rows, told)), VERSION, alarms)


def _pictures(rows: Sequence[PuzzleRow], told: Progress) -> Iterator[tuple[str, str]]:
    """The pictures of the first puzzles, by their keys: a solution where one is known."""
    from puzzlesat.cli.runs_page import form_picture

    for number, row in enumerate(rows[:MOST_PICTURES], start=1):
        built = row.built()
        yield row.key, form_picture(built, built.options_by_name(row.solution))
        told.of("drawing")({"pictures": number})


def _merge(stores: Sequence[Path], export: Sequence[Path], output: Path | None, *, as_json: bool) -> int:
    if len(stores) < 2 or output is None or export:
        raise PuzzleError("--merge joins several stores of one study into a new one: puzzlesat runs --merge A B -o C")
    check_output(output)
    with progress("putting together") as told:
        merged = merge(stores, output, told)
    if as_json:
        print(jsonlib.dumps({"store": str(output), "complete": True, "why": None, **merged}), flush=True)
    else:
        _print_merged(console(), output, merged)
    return FAILED if merged["unlike"] else DONE


def _print_merged(out: Console, output: Path, merged: Mapping[str, int]) -> None:
    units, answers = many(merged["units"], "unit"), many(merged["answers"], "answer")
    say(out, f"{many(merged['puzzles'], 'puzzle')}, {units} and {answers} written to {with_size(output)}")
    if merged["compared"]:
        differ = f"in {merged['unlike']:,} they differ" if merged["unlike"] else "none differ"
        say(
            out,
            f"{many(merged['compared'], 'unit')} had answers from several stores; {differ}",
            style="bold red" if merged["unlike"] else "",
        )


# how far it is ---------------------------------------------------------------------------------------------------------------


def print_overview(out: Console, path: Path, seen: Mapping[str, Any], rows: Sequence[PuzzleRow]) -> None:
    """Print what is settled and what is left, how long yet, which answers differ and what is set aside."""
    say(out, f"{seen['name']}: {summary(rows)}", style="bold")
    say_named(out, "store", f"{path}, made by puzzlesat {seen['version']}")
    if seen["fates"]:
        say_named(out, "published", ", ".join(f"{n:,} {fate}" for fate, n in seen["fates"].items()))
    say_named(out, "work", f"{many(sum(seen['by_host'].values()), 'answer')}, {_spent(seen['cpu'])} of CPU time")
    for words, by in (("hosts", seen["by_host"]), ("solvers", seen["by_solver"])):
        if by:
            say_named(out, words, ", ".join(f"{who} {answers:,}" for who, answers in by.items()))
    if seen["once"]:
        say_named(out, "counted once", f"{many(seen['once'], 'unit')}: one process alone has answered", style="yellow")
    say_named(out, "chain", seen["chain"])
    say_named(out, "units", ", ".join(f"{number:,} {state}" for state, number in seen["states"].items() if number) or "none")
    say_named(out, "left", _left(seen), style="" if seen["complete"] else "yellow")
    for heading, key, style in (
        ("CHANGED OR DAMAGED", "faults", "bold red"),
        ("DIFFERENT ANSWERS", "differ", "bold red"),
        ("set aside", "aside", "yellow"),
    ):
        for words in seen[key][:MOST_LISTED]:
            say(out, f"{heading}: {words}", style=style, hang=4)
        if len(seen[key]) > MOST_LISTED:
            say(out, f"and {len(seen[key]) - MOST_LISTED:,} more like these; --json has them all")
    if seen["faults"]:
        say(out, "no result is used: restore an older copy of the store, or run the study again with a new store (--store)")
    if seen["wrong"]:
        say(out, f"not as expected: {listed(seen['wrong'], MOST_LISTED)}; --export FILE says what", style="magenta")


def _left(seen: Mapping[str, Any]) -> str:
    number, left = seen["states"]["open"] + seen["states"]["set aside"], seen["left"]
    if not number:
        return "nothing"
    if left is None:
        return f"{many(number, 'unit')}; nothing like it is done yet, so there is no forecast"
    return f"{many(number, 'unit')}: {between((left['low'], left['high']))} of CPU time, about {_spent(left['seconds'])}"


def _spent(seconds: float) -> str:
    return duration(seconds) if seconds >= LONG_SECONDS else f"{seconds:.1f} s"


STYLES = {"solvable": "green", "impossible": "magenta", "not decided": "yellow", "contradiction": "bold red", "disputed": "bold red"}
"""By the verdict on a puzzle."""
WIDEST_NAME = 40
"""Columns for the names of puzzles."""


def run_study_file(call: Call, *, as_json: bool) -> int:
    """Do what is left of a study and print what became of each puzzle as soon as it is known; return the exit status."""
    file, store, jobs, dask, share = Path(call["study"]), call["store"], call["jobs"], call["dask"], call["share"]
    target = file.with_suffix(".sqlite") if store is None else Path(store)
    with progress(f"reading {file.name}"):
        study = Study.read(file) if share is None else Study.read(file).share(share)
        study = replace(study, single=True) if call["single"] else study
    check_output(target)
    check_apart(file, target)
    out = console()
    width = min(WIDEST_NAME, max((len(name) for name in study.names), default=0))

    def begun(known: int) -> None:
        already = f", {known:,} of them done already" if known else ""
        say_error(f"{study.name}: {many(len(study.subjects), 'puzzle')}{already}; results are kept in {target}")

    def heard(row: PuzzleRow) -> None:
        if as_json:
            print(jsonlib.dumps(row.record, ensure_ascii=False), flush=True)
        else:
            _print_line(out, row, width)

    with workers(jobs, dask) as there, stoppable() as stop, progress(study.name) as told:
        ran = run_study(study, target, there, RunOptions(limits=Limits(stop=stop), progress=told, begun=begun), heard=heard)
    return _ending(out, ran, as_json=as_json)


def _print_line(out: Console, row: PuzzleRow, width: int) -> None:
    """One puzzle: its name, the verdict, and what there is to say of it."""
    said = row.in_short + "".join(f"; {wrong}" for wrong in row.wrong_claims)
    line = Text(f"{row.puzzle:<{width}}  ", style="bold") + Text(f"{row.verdict:<13}", style=STYLES.get(row.verdict, ""))
    line += Text(f"{said:<34}") + Text(f"{row.cpu:8.2f} s", style="dim")
    if folds(out) and line.cell_len > out.width:
        say(out, f"{row.puzzle}  {row.verdict}  {said}  {row.cpu:.2f} s", hang=4)
    else:
        out.print(line, soft_wrap=True)


def _ending(out: Console, ran: Ran, *, as_json: bool) -> int:
    """Say what came of all of it, and how to go on; return the exit status."""
    if not as_json:
        say(out, ran.sentence, style="bold")
    for sentence in ran.end.sentences:
        say_error(f"puzzlesat: {sentence}")
    if not as_json:
        say(out, f"'puzzlesat runs {ran.store}' shows more; --export FILE.html writes a table with pictures", style="dim")
    if any(row.contradicted for row in ran.rows):
        return FAILED
    return DONE if ran.complete else STOPPED_EARLY
