"""Do two statements of a puzzle mean the same? They are compared by what they say of grid, form, placements and rules, not as text."""

from __future__ import annotations

import json
from collections import Counter

from puzzlesat.check.puzzle import Rule, all_placements, read_puzzle
from puzzlesat.check.rejected import TooLarge
from puzzlesat.proof.statement import state_puzzle

WHOLE = ("required", "optional", "mates", "fits", "coloured", "border", "keep", "mirrored")
"""What is compared as the checker reads it."""


def first_statement(built):
    """What the first reader states, as a certificate would have it."""
    return json.loads(json.dumps(state_puzzle(built) | {"name": "some", "title": built.instance.title}))


def differences(mine, first):
    """What differs between two statements of puzzles that do not wrap around and are not of balls."""
    return list(_differences(*(read_puzzle(said | {"name": "some"}) for said in (mine, first))))


def _differences(mine, first):
    grids = [
        (grid.gram, grid.unit, grid.corners, grid.kinds, [s.matrix for s in grid.symmetries], grid.motions)
        for grid in (mine.grid, first.grid)
    ]
    if grids[0] != grids[1]:
        yield "grid"
        return
    for key in WHOLE:
        one, other = (getattr(puzzle, key) for puzzle in (mine, first))
        if (set(one) != set(other)) if isinstance(one, tuple) else one != other:
            yield f"{key}: {one} instead of {other}"
    if [(t.name, t.ranges) for t in mine.tiles] != [(t.name, t.ranges) for t in first.tiles]:
        yield f"tiles: {[(t.name, t.ranges) for t in mine.tiles]} instead of {[(t.name, t.ranges) for t in first.tiles]}"
        return
    yield from (f"placements of {mine.tiles[number].name}" for number in _laid_otherwise(mine, first))
    if set(mine.fixed) != set(first.fixed):
        yield f"fixed: {mine.fixed} instead of {first.fixed}"
    rules = [Counter(map(_meaning, puzzle.rules)) for puzzle in (mine, first)]
    if rules[0] != rules[1]:
        yield f"rules: {rules[0] - rules[1]} instead of {rules[1] - rules[0]}"


def _laid_otherwise(mine, first):
    """The numbers of tiles that have other placements, or that are turned otherwise where there are too many to look at."""
    try:
        laid = [_by_tile(all_placements(puzzle)) for puzzle in (mine, first)]
    except TooLarge:
        laid = [{i: (t.look, set(t.symmetries), set(t.listed)) for i, t in enumerate(puzzle.tiles)} for puzzle in (mine, first)]
    return [number for number in range(len(mine.tiles)) if laid[0].get(number) != laid[1].get(number)]


def _by_tile(placements):
    found = {}
    for placement in placements:
        found.setdefault(placement.tile, set()).add(placement.look)
    return found


def _meaning(rule):
    """What a rule says: weights that are not 0, and what their sum is to be; or its kind and what that needs."""
    if isinstance(rule, Rule):
        atoms, tiles = (frozenset((key, weight) for key, weight in weights.items() if weight) for weights in (rule.atoms, rule.tiles))
        return rule.name, atoms, tiles, rule.low, rule.high, rule.modulus, rule.residue
    return (
        rule.kind, rule.tiles, rule.colours, rule.corners, rule.symmetries, rule.placements, rule.atoms, rule.low, rule.high,
    )  # fmt: skip
