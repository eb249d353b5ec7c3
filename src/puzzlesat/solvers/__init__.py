"""Solvers of a cover problem: ``backtrack``, ``tally``, ``sat`` and ``cpsat``, and the table of them.

A ``CoverProblem`` and limits come in. Solutions or a number go out. Begin with ``registry``; ``template`` is a solver to copy.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .backtrack import recorded
    from .cnf import AT_MOST_ONE, encode
    from .cpsat import build_model, highest
    from .registry import (
        LISTING,
        MAX_SHAPES,
        ONE_BY_SAT,
        QUICK,
        SEED,
        SOLVERS,
        TALLY,
        SolverStep,
        as_told,
        family,
        listing,
        lists,
        numbering,
        solver,
        spelled,
    )
    from .tables import bitset_bytes, factors, is_plain, refuse_coloured_needs
    from .tally.moves import scan_order
    from .tally.ranks import by_sums, in_order
    from .tile_choice import item_to_break, shortest
else:
    __getattr__ = door(__name__)
