"""puzzlesat counts the solutions of packing and edge-matching puzzles, and checks the count.

``load`` reads a puzzle, ``count`` counts its solutions with several solvers, and ``solve`` yields them. docs/api.md lists all functions.

Examples
--------
>>> import puzzlesat
>>> instance = puzzlesat.load("absolut-knifflig")
>>> report = puzzlesat.count(instance, solver="backtrack,sat")
>>> report.counts.all, report.counts.distinct, report.agree
(148, 37, True)
>>> len(next(puzzlesat.solve(instance)).names)
9

"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puzzlesat.base.sentences import register
from puzzlesat.version import VERSION

if TYPE_CHECKING:
    from puzzlesat.base.errors import LimitReached, NotSupportedError, PuzzleError
    from puzzlesat.checker.certificate import Verified
    from puzzlesat.checker.values import Rejected
    from puzzlesat.cli.conversion import Converted
    from puzzlesat.cli.findings import Finding
    from puzzlesat.cli.functions.counting import conflict_graph, count, solutions_array, solve
    from puzzlesat.cli.functions.designing import FormsFound, Ran, common, design, forms, run, sets
    from puzzlesat.cli.functions.drawing import draw, site
    from puzzlesat.cli.functions.files import Compiled, Findings, compile, convert, cover, load, validate
    from puzzlesat.cli.functions.playing import apart, challenge, hint
    from puzzlesat.cli.functions.proving import certify, prove, verify
    from puzzlesat.counting.assembly import Apart, Assembly
    from puzzlesat.counting.counts import Counts
    from puzzlesat.counting.exact_cover import CoverReport, CoverSolution
    from puzzlesat.counting.report import Disagreement, Report, Row, Sample
    from puzzlesat.designing.burr_design import Designed
    from puzzlesat.designing.carving import Carved
    from puzzlesat.designing.common import Common, CommonFound
    from puzzlesat.designing.piece_sets import DesignedSets
    from puzzlesat.designing.sets import FilledTogether, FormSets, SetsFound
    from puzzlesat.designing.trial import FormFound
    from puzzlesat.disassembly.states import States
    from puzzlesat.formats.exact_covers import ExactCover
    from puzzlesat.pages.challenge_sheet import Sheet
    from puzzlesat.pages.site import Site
    from puzzlesat.playing.challenge import Challenge
    from puzzlesat.playing.hint import Hint
    from puzzlesat.proofs.arguments import Proof
    from puzzlesat.proofs.certificates import Certified
    from puzzlesat.puzzles.puzzle import Instance, Puzzle
    from puzzlesat.puzzles.solution import Solution, Solutions

__all__ = [
    "Apart",
    "Assembly",
    "Carved",
    "Certified",
    "Challenge",
    "Common",
    "CommonFound",
    "Compiled",
    "Converted",
    "Counts",
    "CoverReport",
    "CoverSolution",
    "Designed",
    "DesignedSets",
    "Disagreement",
    "ExactCover",
    "FilledTogether",
    "Finding",
    "Findings",
    "FormFound",
    "FormSets",
    "FormsFound",
    "Hint",
    "Instance",
    "LimitReached",
    "NotSupportedError",
    "Proof",
    "Puzzle",
    "PuzzleError",
    "Ran",
    "Rejected",
    "Report",
    "Row",
    "Sample",
    "SetsFound",
    "Sheet",
    "Site",
    "Solution",
    "Solutions",
    "States",
    "Verified",
    "apart",
    "certify",
    "challenge",
    "common",
    "compile",
    "conflict_graph",
    "convert",
    "count",
    "cover",
    "design",
    "draw",
    "forms",
    "hint",
    "load",
    "prove",
    "run",
    "sets",
    "site",
    "solutions_array",
    "solve",
    "validate",
    "verify",
]  # fmt: skip
__version__ = VERSION

register(
    {
        "notebook": "puzzlesat.pages.notebook:shown",
        "drawing": "puzzlesat.pictures.text_pictures:SolutionPictures",
        "report": "puzzlesat.cli.report_text:report_in_text",
        "sentence": "puzzlesat.counting.evidence:first_sentence",
    }
)

_ELSEWHERE = {
    "puzzlesat.base.errors": "LimitReached NotSupportedError PuzzleError",
    "puzzlesat.checker.certificate": "Verified",
    "puzzlesat.checker.values": "Rejected",
    "puzzlesat.cli.conversion": "Converted",
    "puzzlesat.cli.findings": "Finding",
    "puzzlesat.cli.functions.counting": "conflict_graph count solutions_array solve",
    "puzzlesat.cli.functions.designing": "FormsFound Ran common design forms run sets",
    "puzzlesat.cli.functions.drawing": "draw site",
    "puzzlesat.cli.functions.files": "Compiled Findings compile convert cover load validate",
    "puzzlesat.cli.functions.playing": "apart challenge hint",
    "puzzlesat.cli.functions.proving": "certify prove verify",
    "puzzlesat.counting.assembly": "Apart Assembly",
    "puzzlesat.counting.counts": "Counts",
    "puzzlesat.counting.exact_cover": "CoverReport CoverSolution",
    "puzzlesat.counting.report": "Disagreement Report Row Sample",
    "puzzlesat.designing.burr_design": "Designed",
    "puzzlesat.designing.carving": "Carved",
    "puzzlesat.designing.common": "Common CommonFound",
    "puzzlesat.designing.piece_sets": "DesignedSets",
    "puzzlesat.designing.sets": "FilledTogether FormSets SetsFound",
    "puzzlesat.designing.trial": "FormFound",
    "puzzlesat.disassembly.states": "States",
    "puzzlesat.formats.exact_covers": "ExactCover",
    "puzzlesat.pages.challenge_sheet": "Sheet",
    "puzzlesat.pages.site": "Site",
    "puzzlesat.playing.challenge": "Challenge",
    "puzzlesat.playing.hint": "Hint",
    "puzzlesat.proofs.certificates": "Certified",
    "puzzlesat.proofs.arguments": "Proof",
    "puzzlesat.puzzles.puzzle": "Instance Puzzle",
    "puzzlesat.puzzles.solution": "Solution Solutions",
}
"""The names of each module. ``import puzzlesat`` loads none of them."""

if not TYPE_CHECKING:  # a type checker then reports a misspelt name

    def __getattr__(name: str) -> Any:
        """Load the module of a name when you first use the name."""
        for module, names in _ELSEWHERE.items():
            if name in names.split():
                return getattr(import_module(module), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted(__all__)
