"""How an assembly comes apart, and the verification of its moves.

``PlacedBodies`` on a grid, and assemblies as rows of their numbers, come in. A ``Disassembly`` goes out: moves, or the pieces that hold
each other. Begin with ``search``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .data import (
        HOW_CHECKED,
        NOT_LEAST,
        Disassembly,
        Move,
        Parting,
        PlacedBodies,
        Rotation,
        answer_of,
        as_record,
        bodies_of,
        checked_words,
        sentences,
    )
    from .rotating import bevel_of, check_turns, may_turn, turned_atoms
    from .run import Bulk, answers, checked, most_checked, second_look
    from .states import States, states_of
    from .steps import may_hold
    from .taking import first_found, takes_apart
    from .verification import first_fault
else:
    __getattr__ = door(__name__)
