"""``puzzlesat forms``: many candidate forms, one set of tiles.

The sheet of pictures of ``puzzlesat forms -o sheet.html``: what is shown of each form that was tried.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Limits, Progress, PuzzleError, all_cores, check_apart, check_output, many, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.functions.designing import sources_of
from puzzlesat.cli.output import stays, with_size, write_csv
from puzzlesat.cli.terminal import console, folds, print_picture, progress, say, say_error, stoppable
from puzzlesat.cli.working import gibibytes
from puzzlesat.designing import SOLVABLE, FormTask, FormTrials, Kit, Order, candidates, file_stem, in_short, open_trials, try_forms
from puzzlesat.formats import instance_text
from puzzlesat.kernels import clock
from puzzlesat.pages import FormCard, finding_text, forms_page
from puzzlesat.puzzles import CHANGES, AtomRef, Record, build_instance, table_of
from puzzlesat.studies import Subject, forms_as_subjects
from puzzlesat.version import VERSION

MOST_OF_BOARDS = 6 << 20
"""Letters that the boards of a sheet may take together: those of some 250 forms for the pentominoes, made in a minute."""


def sheet(kit: Kit, tasks: Sequence[FormTask], records: Sequence[Record], limits: Limits, told: Progress, *, untried: int) -> str:
    """Return the page of forms that were tried, with the record of each. What is drawn stops where the limits say so.

    ``untried`` is how many more were asked for.
    """
    cards = list(_cards(kit, tasks, records, limits, told))
    return forms_page(f"{kit.title}: forms", cards, VERSION, untried=untried + len(tasks) - len(cards))


def _cards(kit: Kit, tasks: Sequence[FormTask], records: Sequence[Record], limits: Limits, told: Progress) -> Iterator[FormCard]:
    subjects = forms_as_subjects(kit, [task.candidate for task in tasks])
    left = MOST_OF_BOARDS
    for number, (task, record, subject) in enumerate(zip(tasks, records, subjects, strict=True), start=1):
        if limits.stop.is_set():
            return
        card = _card(kit, task, record, subject, limits, plays=left > 0)
        left -= len(card.board)
        yield card
        told.of("drawing")({"done": number, "forms": len(tasks)})


def _card(kit: Kit, task: FormTask, record: Record, subject: Subject, limits: Limits, *, plays: bool) -> FormCard:
    """What is shown of a form; one that makes no puzzle has no picture, and one without a known solution no board."""
    form = task.candidate
    try:
        instance = kit.to_fill(form.name, form.table, path=form.path, without=form.without)
        built = build_instance(instance, memory=limits.memory)
    except PuzzleError:  # the record says what is wrong with it
        return FormCard.of(form.name, file_stem(form.name), record, None, limits)
    puzzle, beside = puzzle_text(kit, subject)
    return FormCard.of(form.name, file_stem(form.name), record, built, limits, puzzle=puzzle, beside=beside, plays=plays)


def puzzle_text(kit: Kit, subject: Subject) -> tuple[str, tuple[str, ...]]:
    """Return a puzzle as the text of one file, with its tiles unless they are of the package, and the files that must lie beside it."""
    table, files = dict(subject.table), dict(subject.files)
    if (name := table.get("model")) in files:
        del table["model"]
        model = table_of(files.pop(name), Path(f"{name}.toml"))
        tiles = {**model.get("tiles", {})}
        for tile, own in table.get("tiles", {}).items():
            tiles[tile] = {**tiles.get(tile, {}), **own}
        if bare := [tile for tile, own in tiles.items() if own.keys() <= set(CHANGES)]:  # of those made by [[generate]], which changes none
            del model["generate"]
            tiles |= {tile: {"atoms": atoms, **tiles.get(tile, {})} for tile, atoms in _generated(kit) if tile in bare or tile not in tiles}
        table = {**model, **table} | ({"tiles": tiles} if tiles else {})
    first = {key: table[key] for key in ("title", "source") if key in table}
    return instance_text(first | table), tuple(f"{name}.toml" for name in files)


def _generated(kit: Kit) -> Iterator[tuple[str, list[AtomRef]]]:
    """Every tile of a kit by its faces."""
    for tile in kit.tiles:
        for name in tile.members:
            yield name, kit.refs_of(tile)


STYLES = {"solvable": "green", "impossible": "magenta", "not decided": "yellow", "contradiction": "bold red", "refused": "bold red"}
"""By the verdict on a form."""
MOST_PICTURES = 30
"""More forms are shown in one line each, unless pictures are asked for."""

COLUMNS = ("form", "area", "without", "verdict", "argument", "all", "distinct", "agree", "seconds", "sentences", "solution", "certificate")
"""Of the table that ``--csv`` writes."""


@dataclass(frozen=True)
class FormsOutput:
    """What becomes of the results: the options of the command line."""

    file: Path | None = None
    sheet: Path | None = None
    """The page of pictures."""
    proofs: Path | None = None
    pictures: bool | None = None
    as_json: bool = False
    csv: Path | None = None


def results_and_sheet(files: Sequence[Path]) -> tuple[Path | None, Path | None]:
    """Return the file for the results and that for the page, of those named; PuzzleError where there are two of a kind."""
    pages = [file for file in files if file.suffix.lower() in (".html", ".htm")]
    others = [file for file in files if file not in pages]
    for kind in (pages, others):
        if len(kind) > 1:
            raise PuzzleError(f"-o {kind[1]}: {kind[0]} is given already; use -o once for the results and once for the sheet (.html)")
    return next(iter(others), None), next(iter(pages), None)


def run_forms(call: Call, output: FormsOutput) -> int:
    """Try every form and say what became of it; return the exit status."""
    check_output(output.file)
    check_output(output.sheet)
    check_apart(call["tiles"], output.file, output.sheet, output.csv)
    order = Order(
        call["tiles"], call["some"], call["seconds"], call["count"], call["problem"], gibibytes(call["memory"]), bool(call["cpu"])
    )
    with progress("making forms"):
        kit = order.kit()
        found = candidates(kit, sources_of(call.arguments))
    with open_trials(kit, found, order, output.file, output.proofs) as trials:
        return _run(trials, output, call["jobs"] or all_cores())


def _run(trials: FormTrials, output: FormsOutput, jobs: int) -> int:
    out, began = console(), clock()
    kit, order, tasks, results = trials.kit, trials.order, trials.tasks, trials.results
    known = [t for t in tasks if trials.is_done(t)]
    pictures = len(tasks) <= MOST_PICTURES if output.pictures is None else output.pictures
    width = max((len(t.candidate.name) for t in tasks), default=0)
    said = f"{kit.title}: {many(len(tasks), 'form')}" + (f", {len(known):,} of them known from {output.file}" if known else "")
    say_error(said)
    for task in known:
        record = results.known[task.key] | {"form": task.candidate.name}
        _show(out, trials.said(record), Text(record["picture"]) if pictures else None, width, as_json=output.as_json)
    new = 0
    with stoppable() as stop, progress(kit.title) as told:

        def tell(record: Record, drawn: Text | None) -> None:
            nonlocal new
            new += 1
            _show(out, trials.said(record), (drawn or Text(record["picture"])) if pictures else None, width, as_json=output.as_json)
            told.of(record["form"])({"done": len(known) + new, "forms": len(tasks)})

        try_forms(trials, jobs, stop, tell, draw=finding_text if pictures else None)
        if output.sheet is not None and not stays(output.sheet, stopped=stop.is_set()):
            _write_sheet(output.sheet, trials, Limits(stop=stop, memory=order.memory), told)
        stopped = stop.is_set()
    records = trials.records
    if not output.as_json:
        _print_summary(out, records, total=len(tasks), new=new, seconds=clock() - began, counted=order.count)
    write_csv(output.csv, COLUMNS, map(_as_text, records), stopped=stopped)
    if stopped and output.file is not None:
        say_error(f"puzzlesat: interrupted; run the same command again to resume from {output.file}")
    verdicts = {record["verdict"] for record in records}
    if "contradiction" in verdicts:
        return FAILED
    if "refused" in verdicts:
        return BAD_INPUT
    return STOPPED_EARLY if stopped or trials.why is not None or not all(map(trials.is_done, tasks)) else DONE


# what is shown ---------------------------------------------------------------------------------------------------------------


def _show(out: Console, record: Record, drawn: Text | None, width: int, *, as_json: bool) -> None:
    if as_json:
        print(jsonlib.dumps(record, ensure_ascii=False), flush=True)
        return
    verdict = record["verdict"]
    line = Text(f"{record['form']:<{width}}  ", style="bold") + Text(f"{verdict:<13}", style=STYLES[verdict])
    line += Text(f"{_detail(record):<34}") + Text(f"{record['seconds']:8.2f} s", style="dim")
    if folds(out) and line.cell_len > out.width:
        say(out, f"{record['form']}  {verdict}  {_detail(record)}  {record['seconds']:.2f} s", hang=4)
    else:
        out.print(line, soft_wrap=True)
    if drawn is not None:
        print_picture(out, _indented(drawn), "-o FILE keeps it as text")
        out.print()


def _as_text(record: Record) -> Record:
    """A record with its lists as text."""
    return record | {"sentences": " ".join(record["sentences"]), "solution": " ".join(record["solution"] or ())}


def _indented(drawn: Text) -> Text:
    text = Text()
    for row in drawn.split("\n"):
        text.append("    ").append(row).append("\n")
    return text


def _detail(record: Record) -> str:
    """What more there is to say than the verdict."""
    if record["verdict"] == SOLVABLE:
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
    say(out, in_short(records, total), style="bold")
    if counted and (numbers := [r["distinct"] for r in records if r["distinct"] is not None]):
        say(out, f"distinct solutions of the forms counted: {sum(numbers):,}; {many(numbers.count(1), 'form')} with exactly one")
    if new and seconds:
        out.print(f"{new:,} tried in {seconds:.1f} s", style="dim")


def _write_sheet(file: Path, trials: FormTrials, limits: Limits, told: Progress) -> None:
    """Write the page with the pictures of all forms of which something is known."""
    tried = [task for task in trials.tasks if task.key in trials.results.known]
    if not tried:  # interrupted before the first
        return
    if limits.stop.is_set():  # what was tried before an interruption is worth a sheet too
        limits = replace(limits, stop=Event())
    write_file(file, sheet(trials.kit, tried, trials.records, limits, told, untried=len(trials.tasks) - len(tried)))
    say_error(f"sheet: {with_size(file)}")
