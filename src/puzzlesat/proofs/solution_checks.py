"""Solutions held against the geometry: the checker lays each placement by itself, and knows nothing of the cover problem."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from puzzlesat.base import NotSupportedError, Rows
from puzzlesat.checker import RebuiltPuzzle, Rejected, TooLarge, read_puzzle
from puzzlesat.proofs.statement import state_puzzle
from puzzlesat.puzzles import AtomId, BuiltInstance


def solution_check(
    built: BuiltInstance, go_on: Callable[[], object] = bool, unchecked: Callable[[str], object] | None = None
) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of options, padded with -1, and returns the error of the first wrong one, or None.

    A placement is looked at when a row first has it. ``go_on`` is called at each, for there may be thousands, and may raise. If the puzzle
    is beyond a limit of the checker, the function calls ``unchecked`` with the reason and returns None; without ``unchecked`` it raises
    NotSupportedError.
    """
    reasons: list[str] = []

    def told(option: int) -> tuple[str, int, tuple[AtomId, ...], list[tuple[AtomId, AtomId, str]], int]:
        own = built.placements[option]
        return own.name, own.tile, own.atoms, [(m.side, m.face, m.name) for m in own.marks], own.orientation

    @cache
    def against() -> Callable[[Rows], tuple[int, str] | None]:
        """The check of the checker, once there is a solution."""
        stated = {"name": "puzzle", "title": "puzzle"} | state_puzzle(built, wide=True)
        puzzle = read_puzzle(json.loads(json.dumps(stated)), wide=True, alike=True)
        return RebuiltPuzzle(puzzle, go_on).check_of(len(built.placements), told)

    def check(rows: Rows) -> str | None:
        try:
            wrong = against()(rows) if len(rows) and not reasons else None
        except TooLarge as error:
            reasons.append(f"the puzzle is too large for the checker: {error}")
        except Rejected as error:  # of a placement, or the puzzle as the program states it
            return str(error)
        if reasons and unchecked is None:
            raise NotSupportedError(f"solutions cannot be checked, because {reasons[0]}")
        if reasons and unchecked is not None:
            unchecked(reasons[0])
            return None
        return None if wrong is None else f"{wrong[1]}: {' '.join(told(o)[0] for o in rows[wrong[0]].tolist() if o >= 0)}"

    return check
