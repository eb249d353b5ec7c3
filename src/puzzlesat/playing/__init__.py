"""Positions of a puzzle on the table: completions, hints, challenges, and how hard a position is.

The input is a puzzle and the placements on the table. Begin with ``position``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .challenge import POSITIONS, Challenge, Wish, any_seed, challenges, hardest, wish_of
    from .hardness import Difficulty, difficulty
    from .hint import Hint, as_json, look_at, sentences, unseen
    from .position import Position, blank_picture, checked_position, position_of, position_text, read_position, uncoverable
else:
    __getattr__ = door(__name__)
