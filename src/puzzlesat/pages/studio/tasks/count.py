"""``count``, ``prove`` and ``certificate``: the counts of a puzzle, why it has no solution, and a file that proves its count."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlesat.base import Clock, ContradictionError, EndedError, Limits, NotSupportedError, Progress, PuzzleError, Sentence
from puzzlesat.counting import MAX_LISTED, TALLY_FIRST, Judgement, Plan, Report, count, facts, solutions, tallied
from puzzlesat.pages.studio.open import begun, file_name, remarks_on
from puzzlesat.pages.studio.telling import STUDIO_FIRST_SECONDS, Tell
from puzzlesat.pictures import WeightedForm, solution_svg
from puzzlesat.proofs import TALLY, TREE, RejectedError, SearchStoppedError, certify, make_case, prove, verify_certificate
from puzzlesat.puzzles import BuiltInstance, Puzzle
from puzzlesat.solvers import LISTING, SEED


def answer_count(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``count --json``. Partial results are ``area``, a ``solution``, ``counts`` and, repeatedly, ``confirmed``."""
    built, bounds, progress = begun(question, tell)
    area = area_of(built)
    tell({"area": {**area, "remarks": remarks_on(question)}})
    impossible = any(fact["impossible"] for fact in area["facts"])
    if not impossible and (found := first_solution(built, bounds, progress)) is not None:
        tell({"solution": found})
    progress.of("counting")({})
    number = 0

    def known(report: Report) -> None:
        nonlocal number
        confirmation = report.confirmation
        counts = {"counts": asdict(report.counts), "proved_sound": confirmation.sound}
        message = {**counts, "complete": report.complete, "sentence": report.sentence}
        confirmed = {"confirmed": confirmation.agreement, "how_well": confirmation.word, "by": confirmation.words} if number else {}
        number += 1
        tell({**message, **confirmed})

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


def answer_prove(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``argument`` (None: it is ``solvable``), its ``sentences``, and a ``picture`` if there is one.

    ``weights`` are the weights of the picture, one for each atom of the form, for painting them on a board; with a ``modulus`` they are
    remainders. ``written`` are the words in the picture. A ``solution`` has the names of its placements.
    """
    built, bounds, progress = begun(question, tell)
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


MAX_BYTES = 64 << 20
"""Largest size of a file that the page transfers, in bytes."""


def answer_certificate(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``file`` in base64, its ``filename``, ``kind`` and ``bytes``, the counts, and the checker's ``words``.

    The certificate is a tally if the solutions are too many to list, else a search tree.
    """
    built, bounds, progress = begun(question, tell)
    kind = _kind(built, bounds, progress)
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        path = Path(folder) / "certificate.proof"
        try:
            certify(make_case(built, progress), path, kind, bounds, progress.of("certificate"))
            verified = verify_certificate(path, partial(progress.of("checking the certificate"), {}))
        except SearchStoppedError as error:
            raise EndedError(error.status, "the certificate") from None
        except RejectedError as error:
            raise ContradictionError(f"the checker rejects the certificate: {error}") from None
        if (size := path.stat().st_size) > MAX_BYTES:
            message = "the certificate has {n} bytes, too many for this page; write it to a file with 'puzzlesat certify'"
            raise PuzzleError(Sentence(message, n=size))
        data = path.read_bytes()
    return {
        "file": b64encode(data).decode("ascii"),
        "filename": f"{file_name(built.instance.name)}.proof",
        "kind": verified.kind,
        "bytes": size,
        "counts": {"labelled": verified.counts.labelled, "all": verified.counts.all, "distinct": verified.counts.distinct},
        "words": {"checked": [*verified.checked, *verified.unproved], "believed": list(verified.believed)},
    }


def _kind(built: BuiltInstance, bounds: Limits, progress: Progress) -> str:
    """Return TALLY if a quick tally shows that the solutions are too many to list, else TREE."""
    try:
        tally = tallied(TALLY_FIRST.solver, built, built.problem, TALLY_FIRST.limits(Clock(bounds)), progress.of(TALLY_FIRST.solver))
    except NotSupportedError:
        return TREE
    return TALLY if tally.outcome.complete and tally.outcome.found > MAX_LISTED else TREE
