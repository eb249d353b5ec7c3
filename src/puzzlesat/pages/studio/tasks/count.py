"""``count``: immediate facts about a puzzle, a solution, the counts, and their confirmations, each as soon as it is known."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

from puzzlesat.base import EndedError, Limits, NotSupportedError, Progress
from puzzlesat.counting import Judgement, Plan, Report, count, facts, solutions
from puzzlesat.pages.studio.open import built_puzzle, remarks_on
from puzzlesat.pages.studio.telling import STUDIO_FIRST_SECONDS, Tell, limits
from puzzlesat.puzzles import BuiltInstance, Puzzle
from puzzlesat.solvers import LISTING, SEED


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``count --json``. Partial results are ``area``, a ``solution``, ``counts`` and, repeatedly, ``confirmed``."""
    bounds = limits()
    progress = tell.progress(bounds)
    built = built_puzzle(question, progress=progress, memory=bounds.memory)
    area = area_of(built)
    tell({"area": {**area, "remarks": remarks_on(question)}})
    impossible = any(fact["impossible"] for fact in area["facts"])
    if not impossible and (found := first_solution(built, bounds, progress)) is not None:
        tell({"solution": found})
    progress.of("counting")({})
    number = 0

    def known(report: Report) -> None:
        nonlocal number
        found = report.confirmation
        counts = {"counts": asdict(report.counts), "proved_sound": found.sound}
        said = {**counts, "complete": report.complete, "sentence": report.sentence}
        confirmed = {"confirmed": found.agreement, "how_well": found.word, "by": found.words} if number else {}
        number += 1
        tell({**said, **confirmed})

    report = count(built, Plan(limits=bounds), progress, known=known)
    return {**Judgement(report).as_json(), "words": report.confirmation.agreement}


def area_of(built: BuiltInstance) -> dict[str, Any]:
    """Return facts that a person can check by hand, as sentences, and as numbers and names for the page."""
    puzzle, placements = built.puzzle, built.placements
    problem = built.problem
    placed = {int(tile) for tile in placements.tile}
    return {
        "facts": [asdict(fact) for fact in facts(built)],
        "rules": puzzle.solutions.sentences,
        "kind": puzzle.grid.main_kind,
        **sizes_of(puzzle),
        "equal": [list(t.members) for t in puzzle.tiles if len(t.members) > 1],
        "homeless": [t.name for i, t in enumerate(puzzle.tiles) if i not in placed],
        "uncoverable": [
            {"atom": problem.items[i], "number": i}
            for i in range(len(puzzle.form.atoms))
            if problem.low[i] > 0 and not len(problem.options_of[i])
        ],
        "placements": len(placements),
        "symmetries": list(problem.symmetries),
    }


def sizes_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the number of cells of the form, and of cells that the tiles cover (``high`` is None if there is no limit)."""
    required, optional = map(puzzle.grid.number_of, (puzzle.form.required, puzzle.form.optional))
    least, most = puzzle.covered()
    return {"form": {"required": required, "optional": optional}, "tiles": {"low": least, "high": most}}


def first_solution(built: BuiltInstance, bounds: Limits, told: Progress) -> list[str] | None:
    """Return a solution, checked against the geometry, if a randomised search finds one within ``STUDIO_FIRST_SECONDS``."""
    quick = replace(bounds, seed=SEED, solutions=1).within(STUDIO_FIRST_SECONDS)
    with suppress(NotSupportedError, EndedError), closing(solutions(built, LISTING, quick, progress=told)) as rows:
        for row in islice(rows, 1):
            return [built.problem.options[o] for o in row]
    return None
