"""Pictures of puzzles, solutions and arguments, in text, as SVG and PNG, and pages with them."""

from puzzlesat.callable_packages import hand_calls_on

hand_calls_on(__name__, "puzzlesat.api.drawing:draw")
