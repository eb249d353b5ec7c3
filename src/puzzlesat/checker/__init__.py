"""The checker of certificates: small enough to be read in an evening. Of puzzlesat it imports ``kernels`` alone.

It reads a puzzle by itself (``reading``), and checks solutions and certificates. Begin with ``certificate``.
"""

from typing import TYPE_CHECKING

from ..kernels import door

if TYPE_CHECKING:
    from .archive import CertificateFile, may_unpack
    from .certificate import Verified, check_certificate, read_certificate
    from .contacts import crossroads, halves, round_points, sides
    from .fixed import classes, count_unmoved, unmoved_by
    from .form_motions import motions
    from .formula import Clauses, make_formula
    from .grid import ball_motions
    from .lrat import read_steps
    from .problem import Problem, RebuiltPuzzle
    from .puzzle import MOST_PLACEMENTS, UNLIMITED, Placement, Puzzle, Rule, Tile, all_placements, read_puzzle, turned_looks
    from .reading.statement import Stated, state
    from .reading.tables import tables_near
    from .seams import Surface
    from .solution_rules import APART, COLOURS, CROSSROADS, FAULT_FREE, MOST_AT_A_POINT, ONE_OF, OUTLINE, SYMMETRIC, SolutionRule, turned
    from .solutions import NO_SOLUTIONS, UNKNOWN, Counts, count_solutions, counts_in_words, keeps_rules, labelled_alike
    from .tally import (
        Room,
        Table,
        TallySteps,
        cut_off,
        find,
        first_empty,
        make_room,
        make_steps,
        make_table,
        planes,
        sum_successors,
        take_step,
    )
    from .values import Rejected, Sentence, TooLarge
    from .weighting import check_weighting
else:
    __getattr__ = door(__name__)
