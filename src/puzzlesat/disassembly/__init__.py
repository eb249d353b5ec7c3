"""Take assemblies apart, and verify the moves.

Input: ``PlacedBodies`` on a grid, and assemblies as rows of body numbers. Output: a ``Disassembly``, which has the moves, or the pieces
that interlock. Start reading at ``search``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .data import NOT_MINIMAL, Disassembly, Move, Parting, PlacedBodies, Rotation, bodies_of, checked_words, no_turns
    from .rotating import bevel_of
    from .run import Bulk, answers, checked, most_checked, second_look
    from .states import States
    from .steps import may_hold
    from .taking import first_found, takes_apart
    from .verification import first_fault
else:
    __getattr__ = door(__name__)
