"""How an assembly comes apart, and the verification of its moves.

The bodies of an assembly on a grid come in. Moves go out, or the pieces that hold each other. Begin with ``taking``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .data import (
        HOW_CHECKED,
        NOT_LEAST,
        Answer,
        Move,
        Parting,
        Record,
        Turn,
        answer_of,
        as_record,
        checked_words,
        direction_words,
        move_words,
        sentences,
    )
    from .rotating import FINEST_BEVEL, MOST_BEVEL, check_turns, in_space, may_turn, motion_of, moved_cell
    from .rotation_verification import held_against_angles, take_apart_and_check
    from .run import HOLDS, MOST_CHECKED, Bulk, Known, answers, checked, make_bulk, open_store, outcomes, verdicts
    from .states import States, states_graphml, states_json, states_of
    from .steps import may_hold
    from .taking import Bench, first_found, make_bench, takes_apart
    from .verification import Verdict, first_fault, ground_of
else:
    __getattr__ = door(__name__)
