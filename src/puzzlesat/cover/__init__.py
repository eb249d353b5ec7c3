"""Cover problems: made from a puzzle, and made smaller."""

from puzzlesat.callable_packages import hand_calls_on

hand_calls_on(__name__, "puzzlesat.api.covering:cover")
