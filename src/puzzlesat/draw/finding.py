"""The picture of what was found out about a puzzle: a solution, or what the argument that there is none is about."""

from __future__ import annotations

from rich.text import Text

from puzzlesat.cover.build import Built
from puzzlesat.draw.colouring import colouring_text
from puzzlesat.draw.text import SolutionPictures
from puzzlesat.proof.prove import SOLVABLE, Finding


def finding_text(built: Built, finding: Finding) -> Text | None:
    """Return the picture in text; None where there is nothing to see."""
    if finding.argument == SOLVABLE:
        return SolutionPictures(built).text(finding.solution)
    if finding.shown is None:
        return None
    drawn = colouring_text(built, finding.shown.weights, finding.shown.modulus)
    return drawn.append(f"{finding.shown.note}\n", style="dim") if finding.shown.note else drawn
