"""``certificate``: a certificate of the count, or of the lack of a solution, to save; with the words of the checker that verified it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlesat.base import Clock, ContradictionError, EndedError, Limits, NotSupportedError, Progress, PuzzleError, Sentence
from puzzlesat.checker import Rejected, check_certificate
from puzzlesat.counting import MOST_LISTED, TALLY_FIRST, tallied
from puzzlesat.pages.studio.open import built_puzzle, file_name
from puzzlesat.pages.studio.telling import Tell, limits
from puzzlesat.proofs import TALLY, TREE, SearchStoppedError, certify, make_case
from puzzlesat.puzzles import BuiltInstance

MAX_BYTES = 64 << 20
"""Largest size of a file that the page transfers, in bytes."""


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the ``file`` in base64, its ``filename``, ``kind`` and ``bytes``, the counts, and the checker's ``words``.

    The certificate is a tally if the solutions are too many to list, else a search tree.
    """
    bounds = limits()
    progress = tell.progress(bounds)
    built = built_puzzle(question, progress=progress, memory=bounds.memory)
    kind = _kind(built, bounds, progress)
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        path = Path(folder) / "certificate.proof"
        try:
            certify(make_case(built, progress), path, kind, bounds, progress.of("certificate"))
            verified = check_certificate(path, partial(progress.of("checking the certificate"), {}))
        except SearchStoppedError as error:
            raise EndedError(error.status, "the certificate") from None
        except Rejected as error:
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
    return TALLY if tally.outcome.complete and tally.outcome.found > MOST_LISTED else TREE
