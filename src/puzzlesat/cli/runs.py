"""``puzzlesat run``: run a study. ``puzzlesat runs``: print the progress and the disagreements of a run, export its table, merge stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Limits, Progress, PuzzleError, check_apart, check_output, listed, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, FAILED, status_after
from puzzlesat.cli.output import with_size
from puzzlesat.cli.terminal import between, console, print_json, progress, say, say_error, say_named, say_result, stoppable, time_in_words
from puzzlesat.counting import Verdict, number
from puzzlesat.formats import csv_lines
from puzzlesat.pages import filled_page
from puzzlesat.pictures import solution_picture
from puzzlesat.puzzles import BuiltInstance
from puzzlesat.studies import COLUMNS, PuzzleRow, RunOptions, Study, merge, open_to_read, overview, run_study, summary, workers

SUFFIXES = (".csv", ".jsonl", ".html")
MAX_PICTURES = 2000
"""Maximum number of puzzles with a picture on a page; a picture has some kilobytes."""
MAX_LISTED = 20
"""Maximum number of faults, disagreements or units set aside that are listed."""


def run_runs(stores: Sequence[Path], *, export: Sequence[Path], together: bool, check: bool, output: Path | None, as_json: bool) -> int:
    """Print the progress of each store, check its evidence, export its table, or merge stores; return the exit status."""
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
        check_output(file, *SUFFIXES)
        if file.suffix.lower() not in SUFFIXES:
            raise PuzzleError(f"{file}: expected a name that ends in {' or '.join(SUFFIXES)}; the suffix chooses the format")
    check_apart(stores[0], *export)
    return max(_one(store, export, as_json=as_json) for store in stores)


def _one(path: Path, export: Sequence[Path], *, as_json: bool) -> int:
    out = console()
    with open_to_read(path) as store, progress(path.name) as told:
        rows = _rows(store.rows(), told)
        summary = overview(store, rows)
        for file in export:
            if (suffix := file.suffix.lower()) == ".html":
                write_file(file, runs_page(summary["name"], rows, dict(_pictures(rows, told)), summary["unsettled"]))
            else:
                write_file(file, _table_lines(suffix, rows))
    if export:
        if not as_json:
            for file in export:
                say(out, f"{many(len(rows), 'puzzle')} written to {with_size(file)}")
        return FAILED if summary["disagrees"] else DONE
    if as_json:
        print_json({"store": str(path), **summary})
    else:
        print_overview(out, path, summary, rows)
    return status_after(summary["disagrees"], summary["complete"])


def _check(path: Path, *, as_json: bool) -> int:
    """Check all evidence in a store again, and print what was checked and what is wrong; return the exit status."""
    out = console()
    with open_to_read(path) as store, progress(path.name) as told:
        review = store.review(told)
    if as_json:
        print_json({"store": str(path), "complete": True, "why": None, **review})
        return FAILED if review["wrong"] else DONE
    say(out, f"{path}: {'NOT TRUSTWORTHY' if review['wrong'] else 'sound'}", style="bold red" if review["wrong"] else "green")
    say_named(out, "chain", f"{many(review['answers'], 'answer')}{'' if review['wrong'] else ', unbroken'}")
    say_named(out, "evidence", f"{many(review['solutions'], 'solution')} and {many(review['certificates'], 'certificate')} checked again")
    if review["once"]:
        say_named(out, "counted once", many(review["once"], "unit"), style="yellow")
    _say_first(out, "  ", review["wrong"], style="bold red")
    return FAILED if review["wrong"] else DONE


def _rows(table: Iterator[PuzzleRow], told: Progress) -> list[PuzzleRow]:
    rows = []
    for row in table:
        rows.append(row)
        if len(rows) % 100 == 0:
            told.of("reading")({"puzzles": len(rows)})
    return rows


def _pictures(rows: Sequence[PuzzleRow], told: Progress) -> Iterator[tuple[str, str]]:
    """Yield the keys and pictures of the first puzzles: a solution if one is known, else the form."""
    for drawn, row in enumerate(rows[:MAX_PICTURES], start=1):
        built = row.built()
        yield row.key, form_picture(built, built.options_by_name(row.solution))
        told.of("drawing")({"pictures": drawn})


SEPARATORS = {"solvers": ",", "confirmed_by": ",", "solution": " ", "sentences": " ", "claims": "; "}
"""Separators of the lists in the cells of CSV files, by the column."""


def _table_lines(suffix: str, rows: Sequence[PuzzleRow]) -> Iterator[str]:
    """Return the lines of the table as a file with the suffix ``.csv`` or ``.jsonl`` (one object for each puzzle).

    They are deterministic: the same store gives the same text.
    """
    if suffix == ".jsonl":
        return (json.dumps(row.record, ensure_ascii=False) + "\n" for row in rows)
    cells = ({key: SEPARATORS[key].join(v or ()) if key in SEPARATORS else v for key, v in row.cells.items()} for row in rows)
    return csv_lines(COLUMNS, cells)


def _merge(stores: Sequence[Path], export: Sequence[Path], output: Path | None, *, as_json: bool) -> int:
    if len(stores) < 2 or output is None or export:
        raise PuzzleError("--merge joins several stores of one study into a new one: puzzlesat runs --merge A B -o C")
    check_output(output)
    with progress("putting together") as told:
        merged = merge(stores, output, told)
    unlike = merged["unlike"]
    if as_json:
        print_json({"store": str(output), "complete": True, "why": None, **merged})
        return FAILED if unlike else DONE
    out, units, answers = console(), many(merged["units"], "unit"), many(merged["answers"], "answer")
    say(out, f"{many(merged['puzzles'], 'puzzle')}, {units} and {answers} written to {with_size(output)}")
    if merged["compared"]:
        differ = f"in {unlike:,} they differ" if unlike else "none differ"
        compared = f"{many(merged['compared'], 'unit')} had answers from several stores; {differ}"
        say(out, compared, style="bold red" if unlike else "")
    return FAILED if unlike else DONE


# progress ------------------------------------------------------------------------------------------------------------------


def print_overview(out: Console, path: Path, seen: Mapping[str, Any], rows: Sequence[PuzzleRow]) -> None:
    """Print the units that are settled and left, the time left, answers that differ, and units that are set aside."""
    say(out, f"{seen['name']}: {summary(rows)}", style="bold")
    say_named(out, "store", f"{path}, made by puzzlesat {seen['version']}")
    if seen["fates"]:
        say_named(out, "published", ", ".join(f"{n:,} {fate}" for fate, n in seen["fates"].items()))
    say_named(out, "work", f"{many(sum(seen['by_host'].values()), 'answer')}, {time_in_words(seen['cpu'])} of CPU time")
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
        _say_first(out, f"{heading}: ", seen[key], style=style)
    if seen["faults"]:
        say(out, "no result is used: restore an older copy of the store, or run the study again with a new store (--store)")
    if seen["wrong"]:
        say(out, f"not as expected: {listed(seen['wrong'], MAX_LISTED)}; --export FILE says what", style="magenta")


def _say_first(out: Console, heading: str, sentences: Sequence[str], *, style: str) -> None:
    """Print the first sentences of a list, and how many more it has."""
    for sentence in sentences[:MAX_LISTED]:
        say(out, f"{heading}{sentence}", style=style, hang=4)
    if len(sentences) > MAX_LISTED:
        say(out, f"and {len(sentences) - MAX_LISTED:,} more like these; --json has them all")


def _left(summary: Mapping[str, Any]) -> str:
    number, left = summary["states"]["open"] + summary["states"]["set aside"], summary["left"]
    if not number:
        return "nothing"
    if left is None:
        return f"{many(number, 'unit')}; nothing like it is done yet, so there is no forecast"
    return f"{many(number, 'unit')}: {between((left['low'], left['high']))} of CPU time, about {time_in_words(left['seconds'])}"


STYLES = {"solvable": "green", "impossible": "magenta", "not decided": "yellow", "contradiction": "bold red", "disputed": "bold red"}
"""Styles of the verdicts on a puzzle."""
WIDEST_NAME = 40
"""Maximum width of the column of names, in characters."""


def run_study_file(call: Call, *, as_json: bool) -> int:
    """Start or resume a study, and print the result for each puzzle as soon as it is known; return the exit status."""
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
            print_json(row.record)
            return
        wrong = [figure.words for figure in row.figures if figure.word in (Verdict.REFUTED, Verdict.ELSEWHERE)]
        words = "; ".join([in_short(row), *wrong])
        say_result(out, row.puzzle, width, Text(row.verdict, STYLES.get(row.verdict, "")), words, row.cpu)

    with workers(jobs, dask) as there, stoppable() as stop, progress(study.name) as told:
        ran = run_study(study, target, there, RunOptions(limits=Limits(stop=stop), progress=told, begun=begun), heard=heard)
    if not as_json:
        say(out, ran.sentence, style="bold")
    for sentence in ran.end.sentences:
        say_error(f"puzzlesat: {sentence}")
    if not as_json:
        say(out, f"'puzzlesat runs {ran.store}' shows more; --export FILE.html writes a table with pictures", style="dim")
    return status_after(any(row.contradicted for row in ran.rows), ran.complete)


def in_short(row: PuzzleRow) -> str:
    """Return the numbers of solutions, or why there is none, in a few words."""
    if row.all is not None and row.verdict == "solvable":
        distinct = "" if row.distinct is None else f", {row.distinct:,} distinct"
        return f"{many(row.all, 'solution')}{distinct}" + ("" if row.agree else " (counted once)" if row.once else "")
    return row.argument or "; ".join(row.sentences)


HEADINGS = (
    ("", "form"), ("puzzle", "puzzle"), ("area", "area"), ("verdict", "verdict"), ("all", "all"), ("distinct", "distinct"),
    ("", "how it was obtained"), ("fate", "what was published"), ("cpu", "CPU seconds"),
)  # fmt: skip
"""Key that a column is sorted by, and its heading."""
NUMERIC = ("area", "all", "distinct", "cpu")
CLASSES = {
    "solvable": "confirmed",
    "impossible": "claim",
    Verdict.REFUTED: "refuted",
    Verdict.ELSEWHERE: "unknown",
    Verdict.CONFIRMED: "confirmed",
}


def runs_page(title: str, rows: Sequence[PuzzleRow], pictures: Mapping[str, str], unsettled: int = 0) -> str:
    """Return the page. ``pictures`` has the results of ``form_picture`` by puzzle key; ``unsettled`` is the number of units that disagree.

    The page forbids the browser to load anything, and to run any script but its own.
    """
    missing, has = len(rows) - len(pictures), "has" if unsettled == 1 else "have"
    return filled_page(
        "runs",
        title,
        [row.record for row in rows],
        alarms=f'<p class="alarm">{many(unsettled, "unit")} of this run {has} answers that differ</p>\n' if unsettled else "",
        state="confirmed" if rows and all(row.decided for row in rows) else "unknown",
        sentence=escape(summary(rows)),
        figures="\n".join(f"<li><b>{n:,}</b>{name}</li>" for name, n in _figures(rows)),
        headings="".join(map(_heading, HEADINGS)),
        rows="\n".join(_html_row(row, pictures.get(row.key, "")) for row in rows),
        note=f'<p class="soft">There are pictures of the first {len(pictures):,} puzzles alone.</p>\n' if missing and pictures else "",
    )


def form_picture(built: BuiltInstance, options: Sequence[int]) -> str:
    """Return a small SVG picture of a solution or, without options, of the form; puzzles in space are drawn as bodies."""
    return solution_picture(built, options, space="body").element("a solution" if options else "the form")


def _figures(rows: Sequence[PuzzleRow]) -> list[tuple[str, int]]:
    return [
        ("puzzles", len(rows)),
        ("solvable", sum(row.verdict == "solvable" for row in rows)),
        ("of them counted", sum(row.verdict == "solvable" and row.all is not None for row in rows)),
        ("impossible", sum(row.verdict == "impossible" for row in rows)),
        ("open", sum(not row.decided for row in rows)),
        ("not as published", sum(row.fate in (Verdict.REFUTED, Verdict.ELSEWHERE) for row in rows)),
    ]


def _heading(heading: tuple[str, str]) -> str:
    by, words = heading
    return f'<th scope="col"{f" data-by={by}" if by else ""}{" class=count" if by in NUMERIC else ""}>{words}</th>'


def _html_row(row: PuzzleRow, picture: str) -> str:
    fates = "; ".join(f"{', '.join(own)} {fate}" for fate, own in row.fates.items()) or row.fate
    cells = [
        f'<td class="picture">{picture}</td>',
        f'<th scope="row">{escape(row.puzzle)}<span class="small">{escape(row.family)}</span></th>',
        f'<td class="count">{row.area:,}</td>',
        f'<td><span class="{CLASSES.get(row.verdict, "unknown")}">{escape(row.verdict)}</span></td>',
        f'<td class="count">{number(row.all)}</td>',
        f'<td class="count">{number(row.distinct)}</td>',
        f'<td class="how">{escape(row.how) or number(None)}{_evidence(row)}</td>',
        f'<td><span class="{CLASSES.get(row.fate, "soft")}" title="{escape("; ".join(row.claims))}">{escape(fates)}</span></td>',
        f'<td class="count">{row.cpu:,.1f}</td>',
    ]
    numbers = {"area": row.area, "all": row.all, "distinct": row.distinct, "cpu": round(row.cpu, 3)}
    data = "".join(f' data-{key}="{"" if n is None else n}"' for key, n in numbers.items())
    return f"<tr{data}>{''.join(cells)}</tr>"


def _evidence(row: PuzzleRow) -> str:
    """Return the argument in words, or the placements of a solution, as a collapsed section."""
    if row.sentences:
        return f"<details><summary>the argument</summary>{''.join(f'<p>{escape(s)}</p>' for s in row.sentences)}</details>"
    if row.solution:
        return f"<details><summary>a solution</summary><code>{escape(' '.join(row.solution))}</code></details>"
    return ""
