"""``puzzlesat forms``: many candidate forms, one set of tiles.

The sheet of pictures of ``puzzlesat forms -o sheet.html``: what is shown of each form that was tried.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console
from rich.text import Text

from puzzlesat.base import Limits, Progress, PuzzleError, all_cores, many, write_file
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.output import check_apart, check_output, stays, with_size, write_csv
from puzzlesat.cli.terminal import console, folds, print_picture, progress, say, say_error, stoppable
from puzzlesat.counting import solutions
from puzzlesat.designing import CONTRADICTION, IMPOSSIBLE, NOT_DECIDED, REFUSED, SOLVABLE, Kit, Order, Sources, Task, in_short, refs
from puzzlesat.formats import instance_text
from puzzlesat.kernels import clock
from puzzlesat.pages import MOST_PLACEMENTS, FormCard, card_picture, finding_text, forms_page, packed_board
from puzzlesat.playing import Position, difficulty
from puzzlesat.puzzles import CHANGES, AtomRef, BuiltInstance, OptionImages, Record, build_instance, table_of
from puzzlesat.solvers import LISTING, SHEET_LIST_SECONDS, SHEET_LISTED, SHEET_STARS_SECONDS
from puzzlesat.studies import AskedForms, Subject, asked_forms, file_stem, forms_as_subjects, forms_of
from puzzlesat.version import VERSION

MOST_OF_BOARDS = 6 << 20
"""Letters that the boards of a sheet may take together: those of some 250 forms for the pentominoes, made in a minute."""


def sheet(kit: Kit, tasks: Sequence[Task], records: Sequence[Record], limits: Limits, told: Progress, *, untried: int) -> str:
    """Return the page of forms that were tried, with the record of each. What is drawn stops where the limits say so.

    ``untried`` is how many more were asked for.
    """
    cards = list(_cards(kit, tasks, records, limits, told))
    return forms_page(f"{kit.title}: forms", cards, VERSION, untried=untried + len(tasks) - len(cards))


def _cards(kit: Kit, tasks: Sequence[Task], records: Sequence[Record], limits: Limits, told: Progress) -> Iterator[FormCard]:
    subjects = forms_as_subjects(kit, [task.candidate for task in tasks])
    left = MOST_OF_BOARDS
    for number, (task, record, subject) in enumerate(zip(tasks, records, subjects, strict=True), start=1):
        if limits.stop.is_set():
            return
        card = _card(kit, task, record, subject, limits, plays=left > 0)
        left -= len(card.board)
        yield card
        told.of("drawing")({"done": number, "forms": len(tasks)})


def _card(kit: Kit, task: Task, record: Record, subject: Subject, limits: Limits, *, plays: bool) -> FormCard:
    """What is shown of a form; one that makes no puzzle has no picture, and one without a known solution no board."""
    form = task.candidate
    known: dict[str, Any] = {key: record[key] for key in ("verdict", "area", "argument", "all", "distinct", "agree")}
    known |= {"name": form.name, "file": file_stem(form.name), "sentences": tuple(record["sentences"])}
    try:
        instance = kit.to_fill(form.name, form.table, path=form.path, without=form.without)
        built = build_instance(instance, memory=limits.memory)
    except PuzzleError:  # the record says what is wrong with it
        return FormCard(**known)
    solution = built.options_by_name(record["solution"] or ())
    stars = None
    if record["verdict"] == SOLVABLE:
        stars = difficulty(Position(built, ()), limits.within(SHEET_STARS_SECONDS)).stars
    puzzle, beside = puzzle_text(kit, subject)
    return FormCard(
        **known,
        symmetry=len(built.problem.symmetries),
        stars=stars,
        form=card_picture(built, ()),
        solution=card_picture(built, solution) if solution else "",
        puzzle=puzzle,
        beside=beside,
        board=_board(built, record, solution, limits) if plays and solution and len(built.placements) <= MOST_PLACEMENTS else "",
    )


def _board(built: BuiltInstance, record: Record, solution: list[int], limits: Limits) -> str:
    """The board of a form with all solutions, where they are few and as many as a confirmed count says; else with those that are known."""
    every = record["all"] if record["agree"] else None
    found = {tuple(sorted(row)) for row in OptionImages(built.problem).array[:, solution].tolist()}
    if every is not None and len(found) < every <= SHEET_LISTED:
        found.update(solutions(built, LISTING, limits.within(SHEET_LIST_SECONDS)))
    width, filler = max(map(len, found)), len(built.placements)
    rows = [row + (filler,) * (width - len(row)) for row in sorted(found)]
    return packed_board(built, rows, complete=len(rows) == every)


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
            yield name, refs(kit.grid, (a for a in tile.atoms if kit.grid.atoms[a[-1]].kind == kit.grid.main_kind))


STYLES = {SOLVABLE: "green", IMPOSSIBLE: "magenta", NOT_DECIDED: "yellow", CONTRADICTION: "bold red", REFUSED: "bold red"}
MOST_PICTURES = 30
"""More forms are shown in one line each, unless pictures are asked for."""

COLUMNS = ("form", "area", "without", "verdict", "argument", "all", "distinct", "agree", "seconds", "sentences", "solution", "certificate")
"""Of the table that ``--csv`` writes."""


@dataclass(frozen=True)
class Output:
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


def run_forms(sources: Sources, order: Order, output: Output, jobs: int | None) -> int:
    """Try every form and say what became of it; return the exit status."""
    check_output(output.file)
    check_output(output.sheet)
    check_output(output.csv, ".csv")
    check_apart(order.model, output.file, output.sheet, output.csv)
    with progress("making forms"):
        kit, found = forms_of(sources, order)
    with asked_forms(kit, found, order, output.file, output.proofs) as asked:
        return _run(asked, output, jobs or all_cores())


def _run(asked: AskedForms, output: Output, jobs: int) -> int:
    out, began = console(), clock()
    kit, order, tasks, results = asked.kit, asked.order, asked.tasks, asked.results
    known = [t for t in tasks if asked.is_done(t)]
    pictures = len(tasks) <= MOST_PICTURES if output.pictures is None else output.pictures
    width = max((len(t.candidate.name) for t in tasks), default=0)
    said = f"{kit.title}: {many(len(tasks), 'form')}" + (f", {len(known):,} of them known from {output.file}" if known else "")
    say_error(said)
    for task in known:
        record = results.known[task.key] | {"form": task.candidate.name}
        _show(out, asked.said(record), Text(record["picture"]) if pictures else None, width, as_json=output.as_json)
    new = 0
    with stoppable() as stop, progress(kit.title) as told:

        def tell(record: Record, drawn: Text | None) -> None:
            nonlocal new
            new += 1
            _show(out, asked.said(record), (drawn or Text(record["picture"])) if pictures else None, width, as_json=output.as_json)
            told.of(record["form"])({"done": len(known) + new, "forms": len(tasks)})

        why = asked.try_rest(jobs, stop, tell, draw=finding_text if pictures else None)
        if output.sheet is not None and not stays(output.sheet, stopped=stop.is_set()):
            _write_sheet(output.sheet, asked, Limits(stop=stop, memory=order.memory), told)
        stopped = stop.is_set()
    records = asked.records
    if not output.as_json:
        _print_summary(out, records, total=len(tasks), new=new, seconds=clock() - began, counted=order.count)
    write_csv(output.csv, COLUMNS, map(_as_text, records), stopped=stopped)
    if why is not None:
        say_error(f"puzzlesat: {why}")
    if stopped and output.file is not None:
        say_error(f"puzzlesat: interrupted; run the same command again to resume from {output.file}")
    if any(r["verdict"] == CONTRADICTION for r in records):
        return FAILED
    if any(r["verdict"] == REFUSED for r in records):
        return BAD_INPUT
    return STOPPED_EARLY if stopped or asked.why is not None or not all(map(asked.is_done, tasks)) else DONE


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
    if record["verdict"] == NOT_DECIDED:
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


def _write_sheet(file: Path, asked: AskedForms, limits: Limits, told: Progress) -> None:
    """Write the page with the pictures of all forms of which something is known."""
    tried = [task for task in asked.tasks if task.key in asked.results.known]
    if not tried:  # interrupted before the first
        return
    if limits.stop.is_set():  # what was tried before an interruption is worth a sheet too
        limits = replace(limits, stop=Event())
    write_file(file, sheet(asked.kit, tried, asked.records, limits, told, untried=len(asked.tasks) - len(tried)))
    say_error(f"sheet: {with_size(file)}")
