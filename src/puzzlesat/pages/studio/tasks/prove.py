"""``prove``: why a puzzle has no solution, with the colouring that shows it; or a solution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.base import EndedError
from puzzlesat.pages.studio.open import built_puzzle
from puzzlesat.pages.studio.telling import Tell, limits
from puzzlesat.pictures import WeightedForm, solution_svg
from puzzlesat.proofs import SearchStoppedError, make_case, prove


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``argument`` (None: it is ``solvable``), its ``sentences``, and a ``picture`` if there is one.

    ``weights`` are the weights of the picture, one for each atom of the form, for painting them on a board; with a ``modulus`` they are
    remainders. ``written`` are the words in the picture. A ``solution`` has the names of its placements.
    """
    bounds = limits()
    progress = tell.progress(bounds)
    built = built_puzzle(question, progress=progress, memory=bounds.memory)
    try:
        finding = prove(make_case(built, progress), bounds, progress=progress.of("proof"))
    except SearchStoppedError as error:
        raise EndedError(error.status, "the search: neither a solution nor a proof that there is none was found") from None
    solvable = finding.solvable
    shown = finding.shown
    picture = solution_svg(built, finding.solution) if solvable else None
    written: list[str] = []
    if shown is not None:
        weighted = WeightedForm(built, shown.weights, shown.modulus)
        picture, written = weighted.svg(shown.note), weighted.words(shown.note)
    return {
        "solvable": solvable,
        "argument": None if solvable else finding.argument,
        "sentences": list(finding.sentences),
        "picture": picture,
        "written": written,
        "weights": None if shown is None else list(shown.weights),
        "modulus": 0 if shown is None else shown.modulus,
        "note": "" if shown is None else shown.note,
        "solution": [built.problem.options[o] for o in finding.solution],
    }
