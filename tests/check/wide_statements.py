"""Statements of forms that wrap around and of balls, made from the tables of a file, and the puzzles rebuilt from them."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np

from brute_force import lying
from helpers import load
from puzzlesat.checker.form_motions import motions
from puzzlesat.checker.problem import make_problem, symmetries
from puzzlesat.checker.puzzle import all_placements, read_puzzle
from puzzlesat.checker.solution_rules import ONE_OF
from puzzlesat.checker.solutions import SolutionCheck
from puzzlesat.proofs.statement import state_puzzle, stated_rules
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.puzzle import SolutionRules
from puzzlesat.puzzles.reductions import exclusions
from random_puzzles import LATTICES
from seams import FILES, moved


def wide_statement(table, built):
    """Return the statement of a certificate, with seams, crossings and turns of balls."""
    lattice = LATTICES[built.puzzle.grid.name]
    flat = replace(built, puzzle=replace(built.puzzle, solutions=SolutionRules()))
    said = {"name": "random", "title": "random"} | state_puzzle(flat)
    said["rules"] += stated_rules(built.puzzle)  # for balls too, although no certificate states all their rules
    said = json.loads(json.dumps(said))
    if table["form"].get("wrap"):
        said["seams"] = [{"move": s["move"], "mirror": s.get("mirror", False)} for s in table["form"]["wrap"]]
        crossings = [] if built.puzzle.may_cross else FILES[lattice.name].get("crossings", [])
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


class Rebuilt:
    """A puzzle rebuilt by the checker."""

    def __init__(self, said):
        self.puzzle = read_puzzle(said, wide=True)
        self.placements = all_placements(self.puzzle)
        self.problem = make_problem(self.puzzle, self.placements)
        self.motions = list(motions(self.puzzle, self.placements))
        self.symmetries = Counter(tuple(p.tolist()) for p in symmetries(self.puzzle, self.placements).values())
        assert sum(motion.kept for motion in self.motions) == self.symmetries.total()

    def excluded(self, option):
        """The placements that a placement excludes."""
        bits = np.unpackbits(self.problem.exclude[option].view(np.uint8), bitorder="little")
        return set(np.flatnonzero(bits).tolist())

    def has_room(self):
        """Return whether each tile can be used its minimum number of times. If not, no covering exists, and every motion is a symmetry."""
        placed = Counter(p.tile for p in self.placements)
        size = {p.tile: min(len(q.look[0]) for q in self.placements if q.tile == p.tile) for p in self.placements}
        fits = {tile: min(number, len(self.puzzle.form) // size[tile]) for tile, number in placed.items()}
        return all(tile.low <= fits.get(number, 0) for number, tile in enumerate(self.puzzle.tiles))

    def keeps(self, chosen):
        """Return whether placements keep the rules on solutions that are not linear."""
        rules = tuple(rule for rule in self.puzzle.late_rules if getattr(rule, "kind", ONE_OF) != ONE_OF)
        check = SolutionCheck(replace(self.puzzle, rules=rules), len(self.placements), self.placements.__getitem__)
        return bool(check.rules_kept(np.array([[*chosen, -1]], dtype=np.int32))[0])

    def demand_the_program(self, built):
        """Assert that the program has the same placements, the same exclusions, and each symmetry equally often."""
        marks = [frozenset((m.side, m.face, m.name) for m in p.marks) for p in built.placements]
        there = [(p.tile, self.puzzle.surface.lying(p.atoms, own)) for p, own in zip(built.placements, marks, strict=True)]
        usable = {place: i for i, place in enumerate(there) if self.puzzle.tiles[place[0]].high}
        mine = [(p.tile, p.look) for p in self.placements]
        assert len(set(mine)) == len(mine)
        assert set(mine) == set(usable)
        number = [usable[place] for place in mine]
        own = {i: o for o, i in enumerate(number)}
        if self.has_room():
            assert self.symmetries == Counter(tuple(own[image[i]] for i in number) for image in built.problem.images.tolist())
        if built.puzzle.solutions == SolutionRules():  # rules make the program exclude further pairs, which no solution contains
            compiled = exclusions(built.problem)
            for o, i in enumerate(number):
                theirs = np.flatnonzero(np.unpackbits(compiled.of(i), count=len(built.placements), bitorder="little"))
                assert self.excluded(o) == {own[j] for j in theirs.tolist() if j in own}

    def as_judged(self, judged, lattice):
        """The judge's number of each placement."""
        piece = {name: i for i, p in enumerate(judged.pieces) for name in p.names}
        number = {placed: i for i, placed in enumerate(judged.laid)}
        return [number[(piece[self.puzzle.tiles[p.tile].name], *_as_judged(judged, lattice, p))] for p in self.placements]


def _as_judged(judged, lattice, placement):
    """Atoms and marks in the judge's notation, where crossings are not atoms."""

    def shape(atom):
        return moved(lattice.shapes[atom[-1]], atom[:-1])

    atoms = [shape(a) for a in placement.look[0] if lattice.kind(lattice.names[a[-1]]) != "crossing"]
    return lying(judged.seams, atoms, [(shape(side), shape(face), name) for side, face, name in placement.look[1]])


def rebuilt(table):
    """Return the puzzle of a table as the checker rebuilds it, after a comparison with the program."""
    built = build_instance(load(table))
    found = Rebuilt(wide_statement(table, built))
    found.demand_the_program(built)
    return found
