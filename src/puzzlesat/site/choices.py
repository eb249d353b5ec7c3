"""Rules by which a page chooses among solutions: what it must know of the form to judge each solution by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.solution_rules import MOST_AT_A_POINT, pairs_that_touch
from puzzlesat.puzzle.contacts import at_the_border, corners, dividing_lines
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.studio.choices import choices, has_meaning


def choices_as_json(built: BuiltInstance) -> dict[str, Any]:
    """Return for each rule that has a meaning for a puzzle what it looks at, by the numbers of the atoms."""
    instance, puzzle = built.instance, built.puzzle
    rules = {key for choice in choices(instance) for key in choice}
    looks = {"touch_border": _border, "no_crossroads": _crossroads, "fault_free": _lines, "colours": _touching}
    symmetric = [name for name in built.problem.symmetries[1:] if has_meaning(instance, {"symmetric": [name]})]
    return {key: look(puzzle) for key, look in looks.items() if key in rules} | {"symmetric": symmetric}


def _border(puzzle: Puzzle) -> list[int]:
    """The atoms at the border."""
    return np.flatnonzero(at_the_border(puzzle)).tolist()


def _crossroads(puzzle: Puzzle) -> list[list[int]]:
    """The points where more than three faces meet, as these faces."""
    return [faces for faces in corners(puzzle).values() if len(faces) > MOST_AT_A_POINT]


def _lines(puzzle: Puzzle) -> list[list[int]]:
    """The lines that may cut the form, as the atoms below each; all other faces lie beyond."""
    return [np.flatnonzero(line.below).tolist() for line in dividing_lines(puzzle)]


def _touching(puzzle: Puzzle) -> list[list[int]]:
    """The pairs of faces by which pieces touch."""
    return [[int(a), int(b)] for a, b in pairs_that_touch(puzzle, strictly=puzzle.solutions.strictly)]
