"""The public functions of the library and the classes of their answers, which ``import puzzlesat`` exports."""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from puzzlesat.base import LimitReached, NotSupportedError, PuzzleError
    from puzzlesat.checker import Rejected, Verified
    from puzzlesat.cli.findings import Finding
    from puzzlesat.counting import Apart, Assembly, Counts, CoverReport, CoverSolution, Disagreement, Report, Row, Sample
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
    from .solving import apart, certify, challenge, count, hint, prove, solve, verify
else:
    __getattr__ = door(__name__)
