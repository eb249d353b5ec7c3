"""The checker of certificates: small enough to be read in an evening. Of puzzlesat it imports ``kernels`` alone.

A file or its tables come in (``certificate``, ``reading``); a puzzle rebuilt from its statement and what a certificate proves of it go out.
Begin with ``certificate``, then ``rebuilt``.
"""

from typing import TYPE_CHECKING

from ..kernels import door

if TYPE_CHECKING:
    from .archive import CertificateFile
    from .certificate import Verified, check_certificate, read_certificate
    from .formula import Clauses
    from .lrat import read_steps
    from .problem import Problem
    from .puzzle import StatedPuzzle, StatedRule, StatedTile, read_puzzle
    from .reading.statement import Statement
    from .rebuilt import NO_RULE, RebuiltPuzzle, Unmoved, classes, unmoved_by
    from .solution_rules import SolutionRule
    from .solutions import CertifiedCounts, counts_in_words
    from .tally import Room, Table, TallySteps, cut_off, find, first_empty, take_step
    from .values import CheckerSentence, Rejected, TooLarge
else:
    __getattr__ = door(__name__)
