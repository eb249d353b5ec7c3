"""The sheet of pictures of ``puzzlesat forms -o sheet.html``: what is shown of each form that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from puzzlesat.candidates.kit import Kit, refs
from puzzlesat.candidates.run import Task
from puzzlesat.candidates.trial import SOLVABLE
from puzzlesat.config.read import table_of
from puzzlesat.config.results import Record
from puzzlesat.config.schema import CHANGES, AtomRef
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.images import padded_images
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.draw.page.forms import FormCard, card_picture, forms_page, packed_board
from puzzlesat.draw.page.play import MOST_PLACEMENTS
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.notation import options_by_name
from puzzlesat.formats.toml import instance_text
from puzzlesat.play.difficulty import difficulty
from puzzlesat.play.position import Position
from puzzlesat.progress import Progress
from puzzlesat.runs.asked_forms import file_stem
from puzzlesat.runs.jobs import Subject
from puzzlesat.runs.study import forms_as_subjects
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import LISTING, SHEET_LIST_SECONDS, SHEET_LISTED, SHEET_STARS_SECONDS
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
    solution = options_by_name(built, record["solution"] or ())
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
    found = {tuple(sorted(row)) for row in padded_images(built.problem)[:, solution].tolist()}
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
