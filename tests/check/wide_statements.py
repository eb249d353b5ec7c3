"""Statements of forms that wrap around and of balls, made from the tables of a file; and what the program says of the same puzzle."""

from __future__ import annotations

import json
from dataclasses import replace

from puzzlesat.check.problem import make_problem
from puzzlesat.check.puzzle import all_placements, read_puzzle
from puzzlesat.check.rejected import Rejected
from puzzlesat.proof.solution_rules import stated_rules
from puzzlesat.proof.statement import state_puzzle
from puzzlesat.puzzle.data import SolutionRules
from random_puzzles import LATTICES
from seams import FILES


def wide_statement(table, built):
    """What a certificate would state, with seams, crossings and turns of balls."""
    lattice = LATTICES[table["grid"]]
    said = {"name": "random", "title": "random"} | state_puzzle(replace(built, puzzle=replace(built.puzzle, solutions=SolutionRules())))
    said["rules"] += stated_rules(built.puzzle)  # of balls as well, for which no certificate states all of them
    said = json.loads(json.dumps(said))
    if table["form"].get("wrap"):
        said["seams"] = [{"move": s["move"], "mirror": s.get("mirror", False)} for s in table["form"]["wrap"]]
        crossings = [] if table.get("may_cross") else FILES[table["grid"]].get("crossings", [])
        said["crossings"] = [{key: [_numbered(lattice, ref) for ref in c[key]] for key in ("through", "blocks")} for c in crossings]
        said["removed"] = [_numbered(lattice, ref) for ref in table["form"].get("remove", [])]
        for tile in said["tiles"]:
            _take_crossings_out(lattice, tile)
    for tile, own in zip(said["tiles"], built.puzzle.tiles, strict=True):
        if built.puzzle.grid.of_balls and not own.listed:
            tile["in_its_plane"] = max(own.symmetries) >= len(built.puzzle.grid.symmetries)
    return said


def _numbered(lattice, ref):
    return [*ref[: lattice.dimension], lattice.names.index(ref[lattice.dimension]) if len(ref) > lattice.dimension else 0]


def _take_crossings_out(lattice, tile):
    bodies = tile["placements"] if "placements" in tile else [tile["atoms"]]
    for body in bodies:
        body[:] = [a for a in body if lattice.kind(lattice.names[a[-1]]) != "crossing"]


def rebuilt(table, built):
    """The puzzle and the placements as the checker has them."""
    puzzle = read_puzzle(wide_statement(table, built), wide=True)
    return puzzle, all_placements(puzzle)


def of_the_program(puzzle, built):
    """The placements of the program as the checker says them: for each tile and look the number."""
    marks = [frozenset((m.side, m.face, m.name) for m in p.marks) for p in built.placements]
    there = [(p.tile, puzzle.surface.lying(p.atoms, own)) for p, own in zip(built.placements, marks, strict=True)]
    usable = [puzzle.tiles[tile].high != 0 for tile, _ in there]
    found = {place: number for number, (place, use) in enumerate(zip(there, usable, strict=True)) if use}
    assert len(found) == sum(usable)
    return found


def excluded(puzzle, placements):
    """The pairs of placements that exclude each other, or nothing where a fixed placement is none."""
    try:
        problem = make_problem(puzzle, placements)
    except Rejected:
        return None
    words = problem.exclude
    return {(o, p) for o in range(len(placements)) for p in range(len(placements)) if words[o, p // 64] >> (p % 64) & 1}
