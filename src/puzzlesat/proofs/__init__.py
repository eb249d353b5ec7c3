"""Arguments that a puzzle has no solution, and certificates of counts.

``prove`` returns an argument that a person can check; ``certify`` writes a certificate that ``checker`` accepts.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .arguments import COLOURING, SEARCH, FoundArgument, Proof, prove
    from .bound import unreachable
    from .case import Case, certificate_to_lrat, make_case
    from .certificates import TALLY, TREE, Certified, SearchStoppedError, certify, count_unmoved
    from .statement import check_states, solution_check
    from .verified import HOW_TO_BUILD, RejectedError, check_by_proof, program, verify_certificate
    from .weighting import found_conditions
else:
    __getattr__ = door(__name__)
