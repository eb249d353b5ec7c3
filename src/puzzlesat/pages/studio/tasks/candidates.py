"""``candidates``: variants of a puzzle, each tried and counted: its form with some cells changed, or other forms for its tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from puzzlesat.base import Limits, PuzzleError, Sentence, data_folder
from puzzlesat.designing import Candidate, Effort, FormTask, Kit, Sources, TooManyFormsError, can_be_convex, changed_forms
from puzzlesat.formats import without_file
from puzzlesat.pages.studio.open import PAGE, begun, table_in
from puzzlesat.pages.studio.telling import STUDIO_STARS_SECONDS, Tell, whole_number
from puzzlesat.pictures import form_words, solution_picture
from puzzlesat.playing import Position, difficulty
from puzzlesat.puzzles import AtomId, Instance, InstanceFile, build_instance, validated

FORM_SECONDS: float = 10
"""Time limit for each form in seconds."""

KINDS = ("boxes", "frames", "shapes", "convex", "polyforms")
"""Kinds of forms that are generated for the tiles."""
MAX_ADDED = 3
"""Largest number of cells that are added to a form: each multiplies the number of forms by the size of the border."""
OF_THE_FORM = ("form", "expect", "split", "break_on", "title", "source")
"""Keys of a puzzle that its variants do not inherit."""


def answer_candidates(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Try every requested variant, and report each as soon as it is decided; return their number.

    ``variant`` selects them: ``remove`` or ``add``, a number of cells that are removed from the form, or added to its border; ``move``
    (true), one cell removed and another one added; or kinds of forms for the tiles (``boxes``, ``frames``, ``shapes``, ``convex``,
    ``polyforms``: true; ``cut``: names of forms); with ``symmetry``, ``within`` and ``area`` as in the command ``forms``. If the tiles do
    not determine the area, forms have the area of the puzzle's form. A grid without convex forms yields none. With ``list`` the forms are
    only counted.
    """
    built, bounds, _ = begun(question, tell)
    table = table_in(question)
    kit = without_file(lambda: _kit(table, built.instance), PAGE)
    try:
        variants = _variants(kit, _asked(question), built.instance)
    except TooManyFormsError as error:
        raise PuzzleError(Sentence("there are more than {n} such forms, too many to try", n=error.most)) from None
    tell({"forms": len(variants)})
    if question.get("list") is True:
        return {"forms": len(variants), "tried": 0}
    tried = 0
    for candidate in variants:
        row = _tried(kit, candidate, table, bounds)
        if row is None:
            break
        tried += 1
        tell({"row": row, "tried": tried, "forms": len(variants)})
    return {"forms": len(variants), "tried": tried}


def _kit(table: Mapping[str, Any], instance: Instance) -> Kit:
    """The tiles of a puzzle. Its models come from the package, never from files of the user."""
    folder = data_folder("models") / PAGE
    return Kit(
        validated(InstanceFile, {key: v for key, v in table.items() if key != "expect"}, folder), folder, instance.puzzle, some=False
    )


def _asked(question: Mapping[str, Any]) -> Mapping[str, Any]:
    variant = question.get("variant")
    if not isinstance(variant, Mapping):
        raise PuzzleError('variant: expected an object, such as {"remove": 1}')
    if unknown := sorted(variant.keys() - {*KINDS, "remove", "add", "move", "cut", "symmetry", "within", "area"}):
        raise PuzzleError(f"variant: unknown key {unknown[0]!r}")
    return variant


def _variants(kit: Kit, variant: Mapping[str, Any], instance: Instance) -> list[Candidate]:
    symmetry = _text(variant, "symmetry") or "none"
    if variant.keys() & {"remove", "add", "move"}:
        return _changed(kit, instance, variant, symmetry)
    names = variant.get("cut", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PuzzleError("variant.cut: expected a list of forms, such as ['8x8']")
    boxes, frames, shapes, convex, polyforms = (variant.get(kind) is True for kind in KINDS)
    low, high = kit.area
    area = _text(variant, "area") or (None if low == high else str(len(_cells(instance))))
    if convex and not can_be_convex(kit.grid):
        if not any((boxes, frames, shapes, polyforms, names)):
            return []
        convex = False
    kinds: dict[str, Any] = {"boxes": boxes, "frames": frames, "shapes": shapes, "convex": convex, "polyforms": polyforms}
    return Sources(**kinds, cut=names, symmetry=symmetry, within=_text(variant, "within"), area=area).candidates(kit)


def _changed(kit: Kit, instance: Instance, variant: Mapping[str, Any], symmetry: str) -> list[Candidate]:
    """The form with cells removed or added, or with one cell moved, one for each class of forms that the tiles cannot distinguish."""
    cells = _cells(instance)
    how = next(key for key in ("remove", "add", "move") if key in variant)
    number = 1
    if how != "move":
        why = Sentence(", for the form has {n} {n|cell|cells}", n=len(cells))
        most = MAX_ADDED if how == "add" else len(cells) - 1
        number = whole_number(variant, how, 1, most, 1, inside="variant.", why=why)
    elif variant[how] is not True:
        raise PuzzleError("variant.move: expected true")
    return changed_forms(kit, instance.name, cells, how, number, symmetry)


def _cells(instance: Instance) -> frozenset[AtomId]:
    """The cells of a form, including optional ones."""
    grid = instance.puzzle.grid
    return frozenset(a for a in instance.puzzle.form.atoms if grid.atoms[a[-1]].kind == grid.main_kind)


def _tried(kit: Kit, candidate: Candidate, table: Mapping[str, Any], bounds: Limits) -> dict[str, Any] | None:
    """The results for a form, with its picture and its puzzle; None if time is up, or the work is cancelled."""
    effort = Effort(replace(bounds, seconds=FORM_SECONDS), count=True)
    result = FormTask(candidate).attempt(kit, effort)
    if result is None:
        return None
    record, _ = result
    built = build_instance(kit.to_fill(candidate.name, candidate.table, without=candidate.without), limits=bounds)
    stars = None
    if record["verdict"] == "solvable":
        stars = difficulty(Position(built, ()), bounds.within(STUDIO_STARS_SECONDS)).stars
    copied = ("verdict", "argument", "sentences", "solution", "all", "distinct", "agree", "area", "seconds")
    unique = record["distinct"] == 1 if record["distinct"] is not None else None
    form = candidate.table.model_dump(mode="json", exclude_defaults=True)
    inherited = {key: value for key, value in table.items() if key not in OF_THE_FORM}
    return {
        "name": candidate.name,
        **{key: record[key] for key in copied},
        "unique": unique,
        "symmetry": len(built.problem.symmetries),
        "symmetries": list(built.problem.symmetries),
        "difficulty": stars,
        "svg": solution_picture(built, (), space="layers and bodies").document(built.instance.title),
        "written": form_words(built),
        "puzzle": {"name": candidate.name, "table": {"title": candidate.name, **inherited, "form": form}},
    }


def _text(variant: Mapping[str, Any], key: str) -> str | None:
    value = variant.get(key)
    if value is not None and not isinstance(value, str):
        raise PuzzleError(f"variant.{key}: expected a string")
    return value
