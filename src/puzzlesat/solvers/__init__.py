"""Solvers of a cover problem: ``backtrack``, ``tally``, ``sat`` and ``cpsat``, and the table of them.

A ``CoverProblem`` and limits come in. Solutions or a number go out. Begin with ``registry``; ``template`` is a solver to copy.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .alternating import POLL_SECONDS, SECONDS_TO_END, two_sides
    from .bits import lowest_bit, popcount
    from .cnf import AT_MOST_ONE, encode
    from .cpsat import build_model
    from .registry import (
        SOLVERS,
        as_told,
        check_counting,
        entry,
        family,
        lacks_library,
        listing,
        lists,
        names_of,
        numbering,
        solver,
        spelled,
    )
    from .strategy import (
        AUDITS,
        AUDITS_OF_PARTS,
        AUTO,
        AUTO_LISTER,
        AUTO_TALLY,
        AUTO_TALLY_MEMORY_SHARE,
        CELLS,
        CERTIFICATE,
        CERTIFICATE_SHARE,
        CERTIFIED_STATES,
        CHALLENGE_CHECKER,
        CHALLENGE_SEARCHER,
        CHALLENGE_SECONDS,
        CHECKING_SECONDS,
        COLOURING_SECONDS,
        COLOURING_SHARE,
        COMPLETING,
        COMPLETIONS_SHARE,
        CONFIRMING_SECONDS,
        CONFIRMING_SHARE,
        COUNTING,
        FIRST_SECONDS,
        FORM_CHECKERS,
        FORM_COUNT_SHARE,
        FORM_JUDGE,
        FORM_SECONDS,
        HINT_SECONDS,
        JUDGE,
        KEPT_SHARE,
        LIST_COMPLETIONS,
        LISTED_FOR_CHALLENGES,
        LISTED_FOR_HARDEST,
        LISTED_FOR_HINTS,
        LISTING,
        MOST_COMMON,
        MOST_CONDITIONS,
        MOST_LISTED,
        MOST_ORDERED,
        MOST_TOGETHER,
        NODES_FOR_CHALLENGES,
        NODES_FOR_HARDEST,
        NONE_BY_CP,
        NUMBERING,
        ONE_BY_SAT,
        PIECES_JUDGE,
        PUT_BACK_SHARE,
        QUICK,
        RECOUNT_FOR_HARDEST,
        REPORT_APART_SECONDS,
        REPORT_APART_SHOWN,
        REPORT_LISTING_SECONDS,
        REPORT_PROOF_SECONDS,
        REPORT_SOLUTIONS,
        SEARCH,
        SEARCH_FIRST,
        SEARCH_SHARE,
        SEED,
        SHEET_LIST_SECONDS,
        SHEET_LISTED,
        SHEET_STARS_SECONDS,
        SHOWN_SECONDS,
        SHOWN_SOLUTIONS,
        STUDIO_APART_SECONDS,
        STUDIO_FIRST_SECONDS,
        STUDIO_HINT_SECONDS,
        STUDIO_KEPT,
        STUDIO_KEPT_PLACEMENTS,
        STUDIO_LEAVE_OFF_SECONDS,
        STUDIO_LEVELS_SECONDS,
        STUDIO_LIST_SECONDS,
        STUDIO_LONG,
        STUDIO_MEMORY,
        STUDIO_PROCESSES,
        STUDIO_QUICK,
        STUDIO_SECONDS,
        STUDIO_STARS_SECONDS,
        STUDIO_STATES_SECONDS,
        STUDIO_UNASKED_SECONDS,
        STUDIO_WARM,
        TALLY,
        TALLY_AFTER_SECONDS,
        TALLY_FIRST,
        THIRDS,
        THIRDS_OF_PARTS,
        WRONG_SHARE,
        Plan,
        Step,
    )
    from .tables import bitset_bytes, factors, refuse_coloured_needs
    from .tally.moves import scan_order
    from .tally.ranks import Sums, by_sums, in_order
    from .tile_choice import shortest, tile_to_break
else:
    __getattr__ = door(__name__)
