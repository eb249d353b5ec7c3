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

from puzzlesat.display import register
from puzzlesat.version import VERSION

if TYPE_CHECKING:
    from puzzlesat.api.arrays import conflict_graph, solutions_array
    from puzzlesat.api.counting import count
    from puzzlesat.api.covering import cover
    from puzzlesat.api.designing import design
    from puzzlesat.api.drawing import draw
    from puzzlesat.api.exchanging import Compiled, Findings, compile, convert, validate
    from puzzlesat.api.filling import common, sets
    from puzzlesat.api.loading import load
    from puzzlesat.api.parting import apart
    from puzzlesat.api.playing import challenge, hint
    from puzzlesat.api.proving import certify, prove, verify
    from puzzlesat.api.publishing import site
    from puzzlesat.api.running import Ran, run
    from puzzlesat.api.solving import solve
    from puzzlesat.api.trying import FormsFound, forms
    from puzzlesat.burrs.carving import Carved
    from puzzlesat.burrs.familyrun import DesignedSets
    from puzzlesat.burrs.run import Designed
    from puzzlesat.candidates.common import Common, CommonFound
    from puzzlesat.candidates.run import FormFound
    from puzzlesat.candidates.sets import FilledTogether, FormSets, SetsFound
    from puzzlesat.check.certificate import Verified
    from puzzlesat.check.rejected import Rejected
    from puzzlesat.counting.assemblies import Apart, Assembly
    from puzzlesat.counting.counts import Counts
    from puzzlesat.counting.exact_cover import CoverReport, CoverSolution
    from puzzlesat.counting.report import Disagreement, Report, Row, Sample
    from puzzlesat.cover.solution import Solution, Solutions
    from puzzlesat.disassembly.states import States
    from puzzlesat.errors import LimitReached, NotSupportedError, PuzzleError
    from puzzlesat.exchange.converted import Converted
    from puzzlesat.exchange.findings import Finding
    from puzzlesat.formats.exact_cover import ExactCover
    from puzzlesat.play.challenge import Challenge
    from puzzlesat.play.hint import Hint
    from puzzlesat.play.sheet import Sheet
    from puzzlesat.proof.certify import Certified
    from puzzlesat.proof.prove import Proof
    from puzzlesat.puzzle.data import Puzzle
    from puzzlesat.puzzle.instance import Instance
    from puzzlesat.site.writing import Site

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
        "notebook": "puzzlesat.notebook:shown",
        "drawing": "puzzlesat.draw.text:SolutionPictures",
        "report": "puzzlesat.cli.report_text:report_in_text",
        "sentence": "puzzlesat.counting.confirmation:first_sentence",
    }
)

_ELSEWHERE = {
    "Apart": "puzzlesat.counting.assemblies", "Assembly": "puzzlesat.counting.assemblies", "apart": "puzzlesat.api.parting",
    "States": "puzzlesat.disassembly.states",
    "Counts": "puzzlesat.counting.counts", "Disagreement": "puzzlesat.counting.report", "Instance": "puzzlesat.puzzle.instance",
    "Puzzle": "puzzlesat.puzzle.data", "Report": "puzzlesat.counting.report", "Row": "puzzlesat.counting.report",
    "Sample": "puzzlesat.counting.report", "Solution": "puzzlesat.cover.solution", "Solutions": "puzzlesat.cover.solution",
    "Certified": "puzzlesat.proof.certify", "Hint": "puzzlesat.play.hint", "Proof": "puzzlesat.proof.prove", "Ran": "puzzlesat.api.running",
    "LimitReached": "puzzlesat.errors", "NotSupportedError": "puzzlesat.errors", "PuzzleError": "puzzlesat.errors",
    "Rejected": "puzzlesat.check.rejected", "Sheet": "puzzlesat.play.sheet",
    "Verified": "puzzlesat.check.certificate",
    "certify": "puzzlesat.api.proving", "challenge": "puzzlesat.api.playing", "conflict_graph": "puzzlesat.api.arrays",
    "count": "puzzlesat.api.counting", "load": "puzzlesat.api.loading", "solve": "puzzlesat.api.solving",
    "FormsFound": "puzzlesat.api.trying", "FormFound": "puzzlesat.candidates.run", "Challenge": "puzzlesat.play.challenge",
    "Common": "puzzlesat.candidates.common", "FilledTogether": "puzzlesat.candidates.sets", "FormSets": "puzzlesat.candidates.sets",
    "forms": "puzzlesat.api.trying", "hint": "puzzlesat.api.playing", "prove": "puzzlesat.api.proving", "run": "puzzlesat.api.running",
    "solutions_array": "puzzlesat.api.arrays", "verify": "puzzlesat.api.proving",
    "CommonFound": "puzzlesat.candidates.common", "SetsFound": "puzzlesat.candidates.sets", "common": "puzzlesat.api.filling",
    "sets": "puzzlesat.api.filling", "design": "puzzlesat.api.designing", "Designed": "puzzlesat.burrs.run",
    "DesignedSets": "puzzlesat.burrs.familyrun", "Carved": "puzzlesat.burrs.carving",
    "CoverReport": "puzzlesat.counting.exact_cover", "CoverSolution": "puzzlesat.counting.exact_cover",
    "ExactCover": "puzzlesat.formats.exact_cover",
    "Compiled": "puzzlesat.api.exchanging", "compile": "puzzlesat.api.exchanging", "convert": "puzzlesat.api.exchanging",
    "Converted": "puzzlesat.exchange.converted", "Finding": "puzzlesat.exchange.findings", "Findings": "puzzlesat.api.exchanging",
    "validate": "puzzlesat.api.exchanging", "Site": "puzzlesat.site.writing",
}  # fmt: skip
"""The module of each name. ``import puzzlesat`` loads none of them."""

if not TYPE_CHECKING:  # a type checker then reports a misspelt name

    def __getattr__(name: str) -> Any:
        """Load the module of a name when you first use the name."""
        if name in ("cover", "draw", "site"):
            return import_module(f"puzzlesat.{name}")  # the package, which can be called: it has this name as soon as it is loaded
        if name not in _ELSEWHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_ELSEWHERE[name]), name)


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted(__all__)
