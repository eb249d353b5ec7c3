"""Rules by which a page chooses among solutions: what it must know of the form to judge each solution by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.solution_rules import MOST_AT_A_POINT, pairs_that_touch
from puzzlesat.puzzle.contacts import at_the_border, corners, dividing_lines, straight_sticks
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.studio.choices import choices, form_colours, has_meaning, pieces

MOST = 4_000
"""Numbers of atoms that a rule may look at; rules that look at more are left out, for the page would be too large."""


def choices_as_json(built: BuiltInstance) -> dict[str, Any]:
    """Return what may be asked for, as the studio says it, and what rules look at: atoms by their numbers."""
    instance, puzzle = built.instance, built.puzzle
    keys = {key for rules in choices(instance) for key in rules}
    points = {point: faces for point, faces in corners(puzzle).items() if len(faces) > MOST_AT_A_POINT} if "no_crossroads" in keys else {}
    lines = [np.flatnonzero(line.below).tolist() for line in dividing_lines(puzzle)] if "fault_free" in keys else []
    touching = _touching(puzzle) if keys & {"colours", "apart"} else {"sides": [], "corners": []}
    straight = straight_sticks(puzzle) if points else {}
    looked_at = {"no_crossroads": points.values(), "fault_free": lines, "colours": touching["sides"], "apart": touching["sides"]}
    large = {key for key, found in looked_at.items() if sum(map(len, found)) > MOST}
    return {
        "rules": [rules for rules in choices(instance) if large.isdisjoint(rules)],
        "symmetric": [name for name in built.problem.symmetries[1:] if has_meaning(instance, {"symmetric": [name]})],
        "pieces": pieces(instance),
        "members": [list(tile.members) for tile in puzzle.tiles],
        "cells": {colour: _of_colour(puzzle, colour) for colour in form_colours(instance)},
        "border": np.flatnonzero(at_the_border(puzzle)).tolist() if keys & {"touch_border", "inside"} else [],
        "points": [] if "no_crossroads" in large else [[faces, *map(sorted, straight.get(point, ()))] for point, faces in points.items()],
        "lines": [] if "fault_free" in large else lines,
        "strictly": puzzle.solutions.strictly,
        "sides": [] if "apart" in large else touching["sides"],
        "corners": touching["corners"] if 2 * len(touching["corners"]) <= MOST and "apart" not in large else None,
    }


def _of_colour(puzzle: Puzzle, colour: str) -> list[int]:
    return [i for i, atom in enumerate(puzzle.form.numbering.atoms) if puzzle.form.colours.get(atom) == colour]


def _touching(puzzle: Puzzle) -> dict[str, list[tuple[int, int]]]:
    """The pairs of faces by which pieces touch: at a side, and those that touch at a corner alone."""
    sides, both = ({(a, b) for a, b in pairs_that_touch(puzzle, strictly=strictly).tolist()} for strictly in (False, True))
    return {"sides": sorted(sides), "corners": sorted(both - sides)}
