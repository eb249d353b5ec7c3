"""``puzzlesat forms``, ``puzzlesat sets`` and ``puzzlesat common``: try forms with a set of tiles, and sets of tiles for a form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import comb
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Clock, Limits, Progress, PuzzleError, check_apart, check_output, listed, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.functions.designing import sources_of, trials_of
from puzzlesat.cli.output import stays, with_size, write_csv
from puzzlesat.cli.terminal import console, print_json, print_picture, print_table, progress, say, say_error, say_result, stoppable
from puzzlesat.counting import CHECKING_SECONDS, Record
from puzzlesat.designing import Common, CommonFound, FormFound, FormSets, FormTrials, Kit, SetsFound, Working, find_common, find_sets
from puzzlesat.formats import fold, instance_text
from puzzlesat.pages import FormCard, common_html, finding_text, forms_page, sets_page
from puzzlesat.pictures import SolutionPictures
from puzzlesat.puzzles import build_instance, table_of
from puzzlesat.studies import Subject, forms_as_subjects

MAX_BOARD_LETTERS = 6 << 20
"""Maximum size of all boards on a sheet, in characters: about 250 forms for the pentominoes, which take a minute."""


def sheet(trials: FormTrials, limits: Limits, told: Progress) -> str:
    """Return the page of the forms that have a result; drawing stops at the limits."""
    cards = list(_cards(trials, limits, told))
    return forms_page(f"{trials.kit.title}: forms", cards, untried=len(trials.tasks) - len(cards))


def _cards(trials: FormTrials, limits: Limits, told: Progress) -> Iterator[FormCard]:
    """Yield the card of each form. A form that makes no valid puzzle has no picture; a form without a known solution has no board."""
    kit, left = trials.kit, MAX_BOARD_LETTERS
    forms = [task.candidate for task in trials.tasks if task.candidate.key in trials.results.known]
    for number, (form, record, subject) in enumerate(zip(forms, trials.records, forms_as_subjects(kit, forms), strict=True), start=1):
        if limits.stop.is_set():
            return
        try:
            built = build_instance(kit.to_fill(form.name, form.table, path=form.path, without=form.without), limits=limits)
        except PuzzleError:  # the record has the error
            card = FormCard.of(form.name, record, None, limits)
        else:
            puzzle, beside = puzzle_text(kit, subject)
            card = FormCard.of(form.name, record, built, limits, puzzle=puzzle, beside=beside, plays=left > 0)
        left -= len(card.board)
        yield card
        told.of("drawing")({"done": number, "forms": len(forms)})


def puzzle_text(kit: Kit, subject: Subject) -> tuple[str, tuple[str, ...]]:
    """Return a puzzle as the text of one file, with its tiles unless the package has them, and the files that it needs beside it."""
    table, files = dict(subject.table), dict(subject.files)
    if (name := table.get("model")) in files:
        table = fold(kit.grid, table_of(files.pop(name), Path(f"{name}.toml")), table)
    first = {key: table[key] for key in ("title", "source") if key in table}
    return instance_text(first | table), tuple(f"{name}.toml" for name in files)


STYLES = {"solvable": "green", "impossible": "magenta", "not decided": "yellow", "contradiction": "bold red", "refused": "bold red"}
"""Styles of the verdicts on a form."""
MAX_PICTURES = 30
"""Maximum number of forms with pictures, unless the user asks for pictures."""

COLUMNS = ("form", "area", "without", "verdict", "argument", "all", "distinct", "agree", "seconds", "sentences", "solution", "certificate")
"""Columns of the table that ``forms --csv`` writes."""


def results_and_sheet(files: Sequence[Path]) -> tuple[Path | None, Path | None]:
    """Return the file for the results and the file for the sheet, of the files named. Raises PuzzleError for two of one kind."""
    pages = [file for file in files if file.suffix.lower() in (".html", ".htm")]
    others = [file for file in files if file not in pages]
    for kind in (pages, others):
        if len(kind) > 1:
            raise PuzzleError(f"-o {kind[1]}: {kind[0]} is given already; use -o once for the results and once for the sheet (.html)")
    return next(iter(others), None), next(iter(pages), None)


def run_forms(call: Call) -> int:
    """Try every form, and print the results; return the exit status."""
    file, sheet = results_and_sheet(call["output"] or ())
    check_output(file)
    check_output(sheet)
    check_apart(call["tiles"], file, sheet, call["csv"])
    with progress("making forms"):
        opened = trials_of(call["tiles"], call.arguments, call.limits, file)
    with opened as trials:
        return _run(call, trials, file, sheet)


def _run(call: Call, trials: FormTrials, file: Path | None, page: Path | None) -> int:
    out, clock, as_json = console(), Clock(Limits()), call["json"]
    kit, effort, tasks, results = trials.kit, trials.effort, trials.tasks, trials.results
    finished = [t for t in tasks if trials.is_done(t)]
    pictures = len(tasks) <= MAX_PICTURES if call["pictures"] is None else call["pictures"]
    width = max((len(t.candidate.name) for t in tasks), default=0)
    heading = f"{kit.title}: {many(len(tasks), 'form')}" + (f", {len(finished):,} of them known from {file}" if finished else "")
    say_error(heading)
    for task in finished:
        record = results.known[task.candidate.key] | {"form": task.candidate.name}
        _show(out, trials.ended(record), Text(record["picture"]) if pictures else None, width, as_json=as_json)
    new = 0
    with stoppable() as stop, progress(kit.title) as told:

        def tell(record: Record, drawn: Text | None) -> None:
            nonlocal new
            new += 1
            _show(out, trials.ended(record), (drawn or Text(record["picture"])) if pictures else None, width, as_json=as_json)
            told.of(record["form"])({"done": len(finished) + new, "forms": len(tasks)})

        trials.run(call["jobs"] or Limits().usable_cores, stop, tell, draw=finding_text if pictures else None)
        if page is not None and not stays(page, stopped=stop.is_set()):
            _write_sheet(page, trials, Limits(stop=stop, memory=effort.limits.memory), told)
        stopped = stop.is_set()
    records = trials.records
    if not as_json:
        _print_summary(out, records, total=len(tasks), new=new, seconds=clock.seconds, counted=effort.count)
    texts = (r | {"sentences": " ".join(r["sentences"]), "solution": " ".join(r["solution"] or ())} for r in records)
    write_csv(call["csv"], COLUMNS, texts, stopped=stopped)
    if stopped and file is not None:
        say_error(f"puzzlesat: interrupted; run the same command again to resume from {file}")
    verdicts = {record["verdict"] for record in records}
    if "contradiction" in verdicts:
        return FAILED
    if "refused" in verdicts:
        return BAD_INPUT
    return STOPPED_EARLY if stopped or trials.why is not None or not all(map(trials.is_done, tasks)) else DONE


# output of forms -------------------------------------------------------------------------------------------------------------


def _show(out: Console, record: Record, drawn: Text | None, width: int, *, as_json: bool) -> None:
    if as_json:
        print_json(record)
        return
    verdict = record["verdict"]
    say_result(out, record["form"], width, Text(verdict, STYLES[verdict]), _detail(record), record["seconds"])
    if drawn is not None:
        print_picture(out, _indented(drawn), "-o FILE keeps it as text")
        out.print()


def _indented(drawn: Text) -> Text:
    text = Text()
    for row in drawn.split("\n"):
        text.append("    ").append(row).append("\n")
    return text


def _detail(record: Record) -> str:
    """Return the details beside the verdict: the counts, the time or the argument."""
    if record["verdict"] == "solvable":
        if record["all"] is None:
            return "" if not record["count"] else f"not counted in {_seconds(record['time'])}"
        distinct = "" if record["distinct"] is None else f", {record['distinct']:,} distinct"
        return f"{many(record['all'], 'solution')}{distinct}" + ("" if record["agree"] else " (not checked)")
    if record["verdict"] == "not decided":
        return f"in {_seconds(record['time'])}"
    return record["argument"] or "; ".join(record["sentences"])


def _seconds(seconds: float | None) -> str:
    return "the time available" if seconds is None else f"{seconds:g} s"


def _print_summary(out: Console, records: Sequence[Record], *, total: int, new: int, seconds: float, counted: bool) -> None:
    say(out, FormFound.summary(records, total), style="bold")
    if counted and (numbers := [r["distinct"] for r in records if r["distinct"] is not None]):
        say(out, f"distinct solutions of the forms counted: {sum(numbers):,}; {many(numbers.count(1), 'form')} with exactly one")
    if new and seconds:
        out.print(f"{new:,} tried in {seconds:.1f} s", style="dim")


def _write_sheet(file: Path, trials: FormTrials, limits: Limits, told: Progress) -> None:
    """Write the sheet with all forms that have a result."""
    if not trials.records:  # interrupted before the first result
        return
    if limits.stop.is_set():  # draw the forms tried before the interruption
        limits = replace(limits, stop=Event())
    write_file(file, sheet(trials, limits, told))
    say_error(f"sheet: {with_size(file)}")


TOP = 20
"""Default of ``--top``: the number of sets printed for a form."""
IN_FULL = 3
"""Maximum number of forms that are printed in full; more forms get one line each."""
LISTED = 10
"""Maximum number of forms, or pairs of tiles, that a sentence names."""


def run_sets(call: Call) -> int:
    """Count the sets that fill each form, and print the results; return the exit status."""
    budget, top = CHECKING_SECONDS if call["budget"] is None else call["budget"], call["top"] or TOP
    with progress("making forms"):
        kit, forms = sources_of(call.arguments).of_sets(call["tiles"], **_copies(call["copies"]), problem=call["problem"])

    def tell(record: Record) -> None:
        if "table" not in record:
            say_error(f"puzzlesat: {record['form']}: {record['why']}")
        _tell(call, record)

    with _working(call) as working:
        result = find_sets(kit, forms, call.output, working, budget, tell)
    whole = len(result.known) == len(forms)
    if not call["json"]:
        _print(console(), result, top)
    if call["together"] is not None and whole:
        _tell_together(result, call["together"], top, as_json=call["json"])
    write_csv(call["csv"], result.columns, result.rows, stopped=not whole)
    if call["sheet"] is not None and not stays(call["sheet"], stopped=not whole):
        _write_sets_page(call, result)
    return DONE if whole else STOPPED_EARLY


@contextmanager
def _working(call: Call) -> Iterator[Working]:
    """Yield the settings of the work; print afterwards if it was interrupted."""
    with stoppable() as stop:
        yield Working(replace(call.limits, stop=stop), call["jobs"] or Limits().usable_cores, progress)
        if stop.is_set():
            say_error("puzzlesat: interrupted")


def _tell(call: Call, record: Record) -> None:
    if call["json"]:
        print_json(record)


def _copies(given: str | None) -> dict[str, Any]:
    """Return the arguments for the number of copies of each tile."""
    if given is None or given == "any":
        return {"copies": None, "any_number": given == "any"}
    if not re.fullmatch(r"[1-9]\d{0,3}", given):
        raise PuzzleError(f"--copies {given}: expected a number of copies such as 2, or any")
    return {"copies": int(given)}


# output of sets --------------------------------------------------------------------------------------------------------------


def _print(out: Console, found: SetsFound, top: int) -> None:
    title, forms = found.kit.title, found.found
    if len(forms) <= IN_FULL:
        for entry in forms:
            _print_form(out, title, entry, top)
        return
    say(out, f"{title}: {many(len(forms), 'form')}, starting with the form that most sets fill", style="bold")
    rows = [
        [entry.form, *map(_number, (entry.area, entry.sets, entry.once, entry.distinct, entry.all)), entry.reason or _sure(entry)]
        for entry in forms
        if entry.sets != 0
    ]
    if rows:
        _print_numbers(out, ("form", "area", "sets", "once", "distinct", "all", ""), rows, first=1)
    if none := [entry.form for entry in forms if entry.sets == 0]:
        say(out, f"no set fills {many(len(none), 'form')}: {listed(none, LISTED)}", style="dim")


def _print_form(out: Console, title: str, entry: FormSets, top: int) -> None:
    """Print the sets that fill one form."""
    sets = entry.table
    if sets is None:
        say(out, f"{title}, {entry.form}: not counted: {entry.reason}", style="bold")
        return
    verb = "fills" if len(sets) == 1 else "fill"
    ways = f"{many(entry.distinct or 0, 'way')} up to symmetry ({entry.all or 0:,} in all); {entry.once or 0:,} in exactly one way"
    say(out, f"{title}, {entry.form}: {many(len(sets), 'set')} {verb} it" + (f", in {ways}" if sets else ""), style="bold")
    if always := [name for i, name in enumerate(entry.tiles) if sets and all(each.uses[i] for each in sets)]:
        say(out, f"in every set: {' '.join(always)}")
    rows = [[f"{each.distinct:,}", f"{each.all:,}", entry.words(each.uses)] for each in sets[:top]]
    if rows:
        _print_numbers(out, ("distinct", "all", "tiles"), rows, first=0)
    if len(sets) > top:
        say(out, f"… and {len(sets) - top:,} more; --top {len(sets)} shows all", style="dim")
    say(out, _sure(entry), style="dim")
    out.print()


def _number(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _print_numbers(out: Console, heads: Sequence[str], rows: Sequence[Sequence[str]], *, first: int) -> None:
    """Print a table with right-aligned numbers in the columns from ``first`` on, except the last."""
    widths = [0] * first + [max(map(len, column)) for column in zip(heads, *rows, strict=True)][first:-1] + [0]
    print_table(out, heads, [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows])


def _sure(entry: FormSets) -> str:
    return "confirmed by listing the solutions" if entry.agree else "not confirmed; allow more time with --budget"


def _tell_together(sets: SetsFound, times: int, top: int, *, as_json: bool) -> None:
    """Print which forms can be filled at the same time."""
    choices = sets.fill_together(times)
    if as_json:
        for choice in choices:
            print_json(choice.record)
        return
    out = console()
    possible = [choice for choice in choices if choice.choices]
    say(out, f"{times} at the same time: {len(possible):,} of {many(len(choices), 'choice')} of forms", style="bold")
    say(out, "the ways were counted only once, from the sets of each form", style="dim")
    rows = []
    for choice in sorted(possible, key=lambda each: -each.distinct)[:top]:
        best = " | ".join(sets.found[0].words(uses) for uses in choice.choices[0].uses)
        rows.append([" + ".join(choice.together), f"{choice.distinct:,}", f"{len(choice.choices):,}", best])
    if rows:
        print_table(out, ("forms", "ways", "sets", "most ways"), rows)
    if len(possible) > top:
        say(out, f"… and {len(possible) - top:,} more; --top {len(possible)} shows all", style="dim")


def _write_sets_page(call: Call, found: SetsFound) -> None:
    """Write a page with a solution for each set."""
    with call.working("sheet") as (limits, told):
        page, drawn = sets_page(found, found.known, limits, told, most=call["top"])
    write_file(call["sheet"], page)
    if not call["json"]:
        say(console(), f"{many(drawn, 'picture')}: {call['sheet']}")


# common forms ------------------------------------------------------------------------------------------------------------------


def run_common(call: Call) -> int:
    """Search a common form of some tiles, or of each pair, and print the results; return the exit status."""
    kit, names = Kit.of(call["tiles"], some=True, problem=call["problem"]), call["names"] or ()
    with _working(call) as working:
        result = find_common(kit, names, call["most"], call.output, working, partial(_tell, call))
    choices = 1 if names else comb(len(kit.tiles), 2)
    whole = len(result.found) == choices and result.complete
    if not call["json"]:
        _print_common(console(), result)
    write_csv(call["csv"], result.columns, result.rows, stopped=not whole)
    if call["sheet"] is not None and not stays(call["sheet"], stopped=not whole):
        write_file(call["sheet"], common_html(kit.title, [result.fillings(common) for common in result.found if common.area is not None]))
    return DONE if whole else STOPPED_EARLY


def _print_common(out: Console, sought: CommonFound) -> None:
    commons, most = sought.found, sought.most
    if len(commons) == 1:
        _print_one(out, sought, commons[0])
        return
    known = {frozenset(common.tiles): common for common in commons}
    names = [tile.name for tile in sought.kit.tiles]
    rows = [[common, *(_cell(known.get(frozenset((common, other)))) for other in names), ""] for common in names]
    print_table(out, ("", *names, ""), rows)
    say(out, f"faces of the smallest form that both tiles fill; >{most}: they fill no form of this size or smaller", style="dim")
    if alone := [common for common in commons if common.confirmed_to < common.none_to]:
        pairs = listed([" ".join(common.tiles) for common in alone], LISTED)
        say(out, f"of {many(len(alone), 'pair')} only one solver says for some sizes that there is no form: {pairs}", style="dim")
    elif any(common.none_to for common in commons):
        say(out, "where there is no form, two solvers say so", style="dim")
    if open_ := [" ".join(common.tiles) for common in commons if not sought.is_settled(common)]:
        say(out, f"not searched up to {most} faces in the time available: {many(len(open_), 'pair')} (allow more with --time)", style="dim")


def _cell(found: Common | None) -> str:
    """Return the cell of the table for a pair of tiles."""
    return "" if found is None else f">{found.none_to}" if found.area is None else str(found.area)


def _none_below(found: Common) -> str:
    """Return how many solvers showed that there is no smaller form, in words."""
    if found.confirmed_to >= found.none_to:
        return " (two solvers say so)"
    above = f"above {found.confirmed_to} " if found.confirmed_to else ""
    return f" ({above}only one solver says so)"


def _print_one(out: Console, sought: CommonFound, found: Common) -> None:
    """Print the result for one choice of tiles, with its fillings."""
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
