"""The studio's page as files that need no program: puzzles to be played and counted in any browser, from any web space or from disk."""

from puzzlesat.callable_packages import hand_calls_on

hand_calls_on(__name__, "puzzlesat.api.publishing:site")
