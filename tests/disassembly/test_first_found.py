"""The level as BurrTools prints it, compared with a plain search that tries moves in the same order, and with BurrTools' output."""

from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest
from plain_search import assembly, grid_named

import puzzlesat
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.disassembly.data import bodies_of
from puzzlesat.disassembly.taking import DIRECTIONS, first_found, takes_apart
from puzzlesat.disassembly.verification import ground_of, swept
from puzzlesat.formats.xmpuzzle import pose_of
from puzzlesat.puzzles.grid import translate
from tiers import every

pytestmark = pytest.mark.full
FAR = 16
"""Number of steps after which pieces of a burr are certainly apart."""
LOVES_DOZEN = {
    "12.3": 1, "6.2": 1, "4.4": 2, "4.2": 2, "3": 6, "2.2": 6, "2": 6, "1.2.2": 6, "1.2.1.2": 4, "1.2": 24, "1.1.2": 2, "1": 30,
}  # fmt: skip
"""Assemblies by the level that BurrTools prints: its disassembler of version 0.6, built from source."""


class Plain:
    """Pieces as sets of atoms, moved in BurrTools' order; a position has the distance that each piece has moved."""

    def __init__(self, grid, bodies):
        steps = np.array(grid.layout.steps, dtype=float)
        order = [sign * np.array(d) for d in DIRECTIONS[grid.name] for sign in (1, -1)]
        self.directions = [tuple(np.rint(np.linalg.solve(steps.T, d)).astype(int).tolist()) for d in order]
        self.grid, self.bodies, self.gaps = grid, bodies, {}

    def gap(self, here, one, other, direction):
        """Return the steps that a piece can go before it runs into another; FAR if it never does."""
        key = one, other, direction, minus(here[other], here[one])
        if key not in self.gaps:
            there = {translate(atom, key[-1]) for atom in self.bodies[other]}
            own = [(into, atom[:-1]) for atom in self.bodies[one] for into in swept(self.grid, atom[-1], direction)]
            ahead = ({translate(into, plus(cell, direction, steps)) for into, cell in own} for steps in range(FAR))
            self.gaps[key] = next((steps for steps, swept_then in enumerate(ahead) if swept_then & there), FAR)
        return self.gaps[key]

    def taken_along(self, here, piece, direction, steps):
        moving = [piece]
        for i in moving:  # it grows
            moving += [j for j in here if j not in moving and self.gap(here, i, j, direction) < steps]
        return frozenset(moving)

    def level(self):
        tree = self.parted(dict.fromkeys(range(len(self.bodies)), (0, 0, 0)))
        return None if tree is None else said(tree)

    def parted(self, start):
        """Return the moves to the first separation found, and the same for both parts."""
        if len(start) == 1:
            return ()
        queue, seen = [(start, 0)], {look(start)}
        for here, depth in queue:  # it grows
            for most, direction, piece in product((1, len(start) // 2), self.directions, start):
                away = self.taken_along(here, piece, direction, FAR)
                if len(away) <= most:
                    left, gone = (self.parted({i: here[i] for i in start if (i in away) == off}) for off in (False, True))
                    return None if left is None or gone is None else (depth + 1, left, gone)
            for direction in self.directions:
                for moved, steps in self.moves(here, direction):
                    there = {i: plus(at, direction, steps) if i in moved else at for i, at in here.items()}
                    if look(there) not in seen:
                        seen.add(look(there))
                        queue.append((there, depth + 1))
        return None

    def moves(self, here, direction):
        tried = []
        for piece, steps in product(here, range(1, FAR)):
            moved = self.taken_along(here, piece, direction, steps)
            if len(moved) > len(here) // 2 or (moved, steps) in tried:
                continue
            unions = [moved | other for other, by in reversed(tried) if by == steps and not (moved <= other or other <= moved)]
            for union in (moved, *unions):
                if len(union) < len(here) and (union, steps) not in tried:
                    tried.append((union, steps))
        return tried


def plus(cell, direction, steps):
    return tuple(c + steps * d for c, d in zip(cell, direction, strict=True))


def minus(cell, other):
    return tuple(c - o for c, o in zip(cell, other, strict=True))


def look(here):
    """Return the places of pieces from the first one."""
    first, *others = here.values()
    return tuple(minus(at, first) for at in others)


def numbers(tree):
    return [tree[0], *(n for part in tree[1:] if part for n in numbers(part))]


def said(tree):
    """Return a level as BurrTools writes it, without parts that come apart by single moves."""
    return ".".join([str(tree[0]), *(said(part) for part in tree[1:] if part and max(numbers(part)) > 1)])


def random_bodies(grid, box, many, chance):
    """Return bodies in a box, of which one is most of it, as a frame; some places stay empty, and bodies may be in several parts."""
    places = [(*cell, a) for cell in product(*map(range, box)) for a in range(len(grid.atoms))]
    owner = chance.choices(range(many + 1), [*(1 for _ in range(many - 1)), 6, 4], k=len(places))
    bodies = [frozenset(p for p, o in zip(places, owner, strict=True) if o == n) for n in range(many)]
    return [body for body in bodies if body]


@pytest.mark.filterwarnings("ignore:.*the tile is in")
@every("name, box, pieces, seed", [("cube", (4, 3, 2), 4, 5), ("prisms", (3, 2, 2), 3, 5)])
def test_plain_search_in_the_same_order(name, box, pieces, seed):
    """Random bodies, most of which need more than single moves."""
    grid, chance = grid_named(name), Random(seed)
    levels = Counter()
    for _ in range(80):
        try:
            built, options = assembly(grid, random_bodies(grid, box, pieces, chance))
        except PuzzleError:  # two identical pieces are one tile
            continue
        parting = first_found(bodies_of(built), options, Limits())
        level = parting and parting.level
        levels[level] += 1
        if level in (None, "1") and levels[level] > 4:
            continue
        assert level == Plain(grid, [frozenset(built.placements[o].atoms) for o in options]).level()
        if parting is not None:
            assert ground_of(bodies_of(built)).fault(options, parting) is None
    assert {None, "1"} < {*levels}


@pytest.fixture(scope="module")
def dozen():
    return puzzlesat.apart("loves-dozen", jobs=1)


def test_what_burrtools_prints_for_all_assemblies_of_a_burr(dozen):
    assert dozen.burrtools_levels == LOVES_DOZEN
    others = [(each.level, each.burrtools_level) for each in dozen.assemblies if each.level != each.burrtools_level]
    assert others == [("1.2", "1.2.1.2")] * 4


def test_turned_copies_are_laid_alike(dozen):
    """BurrTools keeps the first copy that it finds."""
    built, pose = dozen.built, pose_of(dozen.built)
    images = built.problem.option_images.array
    assert len(images) == 12
    for each in dozen.assemblies[:12]:
        copies = {pose([image[o] for o in each.options]) for image in images}
        (kept,) = copies
        tiles = built.placements.tile[list(kept)].tolist()
        assert tiles == sorted(tiles)
        assert sorted(kept) in [sorted(image[list(each.options)].tolist()) for image in images]


def test_plain_search_finds_the_same_first_for_a_burr(dozen):
    """Only for high levels, and levels that differ from puzzlesat's."""
    grid, pose = dozen.built.puzzle.grid, pose_of(dozen.built)
    for each in [each for each in dozen.assemblies if each.level in ("4.4", "4.2") or each.level != each.burrtools_level]:
        bodies = [frozenset(dozen.built.placements[o].atoms) for o in pose(each.options)]
        assert Plain(grid, bodies).level() == each.burrtools_level


def test_what_burrtools_does_not_take_apart_has_no_such_level():
    assert [name for name in ("cube", "prisms", "balls", "tetra-octa", "square") if takes_apart(grid_named(name))] == ["cube", "prisms"]
    turned = puzzlesat.apart("sliproad", turns=True, bevel="1/10", jobs=1)
    assert [(each.apart, each.burrtools_level) for each in turned.assemblies] == [(True, None)]
