"""Do two statements of a puzzle mean the same? Grid, form, placements and rules are compared by meaning, not as text."""

import json
from collections import Counter

from puzzlesat.checker.puzzle import StatedRule, all_placements, read_puzzle
from puzzlesat.checker.values import TooLarge
from puzzlesat.proofs.statement import state_puzzle

WHOLE = ("required", "optional", "mates", "fits", "coloured", "border", "keep", "mirrored")
"""Fields compared in the form in which the checker reads them."""


def first_statement(built):
    """Return the statement of the first reader, in the form of a certificate."""
    return json.loads(json.dumps(state_puzzle(built) | {"name": "some", "title": built.instance.title}))


def differences(mine, first):
    """Return the differences between two statements of puzzles without seams and without balls."""
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
    """The numbers of tiles with different placements, or with different turns if there are too many placements."""
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
    """Return the meaning of a rule: its non-zero weights and their sum, or its kind and parameters."""
    if isinstance(rule, StatedRule):
        atoms, tiles = (frozenset((key, weight) for key, weight in weights.items() if weight) for weights in (rule.atoms, rule.tiles))
        return rule.name, atoms, tiles, rule.low, rule.high, rule.modulus, rule.residue
    return (
        rule.kind, rule.tiles, rule.colours, rule.corners, rule.symmetries, rule.placements, rule.atoms, rule.low, rule.high,
    )  # fmt: skip


def differences_as_stated(mine, first):
    """Return the differences between statements that the checker does not accept yet: forms that wrap around and tiles of balls.

    The checker decides which crossings a tile covers on a form that wraps around, so tiles and placements are compared without crossings. A
    form, or a mark of a placement, may name any of several identified atoms or sides.
    """
    points = {b[-1] for crossing in mine.get("crossings", []) for b in crossing["blocks"]}
    one, other = (dict(_as_stated(said, points)) for said in (json.loads(json.dumps(mine)), first))
    return [f"{key}: {one.get(key)} instead of {other.get(key)}" for key in other | one if one.get(key) != other.get(key)]


def _as_stated(said, points):
    for key in ("gram", "mates", "fits", "border", "mirrored"):
        yield key, said[key]
    yield "symmetries", [(s["name"], s["matrix"], s["image"]) for s in said["symmetries"]]
    yield "atoms", [(a["name"], a["kind"], sorted(a["vertices"])) for a in said["atoms"]]
    for key in ("required", "optional", "keep"):
        yield key, sorted(a for a in said[key] if a[-1] not in points)
        yield f"{key}: crossings", sum(a[-1] in points for a in said[key])
    yield "coloured", sorted(said["coloured"])
    for tile in said["tiles"]:
        yield f"tile {tile['name']}", {key: _shape_of(key, value, points) for key, value in tile.items() if key != "in_its_plane"}
    yield "names of tiles", [tile["name"] for tile in said["tiles"]]
    yield "fixed", sorted(json.dumps(_placed(placement, points)) for placement in said["fixed"])
    yield "rules", sorted(json.dumps(_rule(rule, points), sort_keys=True) for rule in said["rules"])


def _shape_of(key, value, points):
    if key == "placements":
        return [sorted(a for a in body if a[-1] not in points) for body in value]
    return sorted(a for a in value if key != "atoms" or a[-1] not in points) if key in ("atoms", "marks") else value


def _placed(placement, points):
    """The atoms and the marks of a placement."""
    return placement["tile"], _shape_of("atoms", placement["atoms"], points), sorted(name for _, _, name in placement["marks"])


def _rule(rule, points):
    """A rule without weights of crossings, and with sorted lists."""
    if "kind" not in rule:
        weights = {key: w for key, w in rule["tiles"].items() if w}
        return {**rule, "atoms": sorted([a, w] for a, w in rule["atoms"] if w and a[-1] not in points), "tiles": weights}
    return {
        **rule,
        "placements": sorted(json.dumps(_placed(placement, points)) for placement in rule.get("placements", [])),
        "atoms": sorted(rule.get("atoms", [])),
        "name": rule["name"].rstrip(" 0123456789"),
    }


def what_differs(stated, built):
    """Return the differences between the second reading and the first, as far as the two can be compared."""
    first = first_statement(built)
    mine = stated.puzzle
    found = [] if list(stated.members) == [t.members for t in built.puzzle.tiles] else [f"members: {stated.members}"]
    apart = "seams" in mine or any("in_its_plane" in tile for tile in mine["tiles"])
    return found + (differences_as_stated if apart else differences)(mine, first)
