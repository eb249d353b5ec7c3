"""The public functions of the library and the classes of their answers, which ``import puzzlesat`` exports."""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from puzzlesat.base import NotSupportedError, PuzzleError
    from puzzlesat.checker import Rejected, Verified
    from puzzlesat.cli.findings import Finding
    from puzzlesat.counting import (
        Apart,
        Assembly,
        Best,
        Counts,
        CoverReport,
        CoverSolution,
        Disagreement,
        LimitReached,
        Report,
        Row,
        Sample,
    )
    from puzzlesat.designing import Carved, Common, CommonFound, Designed, DesignedSets, FilledTogether, FormFound, FormSets, SetsFound
    from puzzlesat.disassembly import States
    from puzzlesat.formats import Converted, ExactCover
    from puzzlesat.pages import Sheet, Site
    from puzzlesat.playing import Challenge, Hint
    from puzzlesat.proofs import Certified, Proof
    from puzzlesat.puzzles import Instance, Puzzle, Solution, Solutions
    from puzzlesat.studies import Ran

    from .designing import FormsFound, common, design, forms, run, sets
    from .drawing import conflict_graph, draw, solutions_array
    from .files import Compiled, Findings, compile, convert, cover, load, site, validate
    from .solving import apart, best, certify, challenge, count, hint, prove, solve, verify
else:
    __getattr__ = door(__name__)

__all__ = [
    "Apart", "Assembly", "Best", "Carved", "Certified", "Challenge", "Common", "CommonFound", "Compiled", "Converted", "Counts",
    "CoverReport", "CoverSolution", "Designed", "DesignedSets", "Disagreement", "ExactCover", "FilledTogether", "Finding", "Findings",
    "FormFound", "FormSets", "FormsFound", "Hint", "Instance", "LimitReached", "NotSupportedError", "Proof", "Puzzle", "PuzzleError",
    "Ran", "Rejected", "Report", "Row", "Sample", "SetsFound", "Sheet", "Site", "Solution", "Solutions", "States", "Verified", "apart",
    "best", "certify", "challenge", "common", "compile", "conflict_graph", "convert", "count", "cover", "design", "draw", "forms",
    "hint", "load", "prove", "run", "sets", "site", "solutions_array", "solve", "validate", "verify",
]  # fmt: skip
