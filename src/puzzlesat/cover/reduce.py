"""Make a cover problem smaller without changing what it says: symmetry breaking, and placements that lead nowhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puzzlesat.arrays import Bits, Flags, Ints
from puzzlesat.cover.conflicts import conflict_matrix
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.progress import SILENT, Progress


@dataclass(frozen=True, eq=False)
class Reduced:
    """A reduced problem and how it came about."""

    problem: CoverProblem
    broken_on: str | None
    """The tile of which one placement an orbit was kept; None: no symmetry was broken."""
    placements: int
    after_symmetry: int
    after_reduction: int


def reduce(
    problem: CoverProblem, *, symmetry: bool = True, dead: bool = True, break_on: str | None = None, progress: Progress = SILENT
) -> Reduced:
    """Break the symmetry on one tile and remove placements without continuation.

    Parameters
    ----------
    problem: the whole problem, with its symmetries.
    symmetry, dead: switch either step off.
    break_on: name of the tile to use; default: the one with most placements whose placements no symmetry fixes.

    """
    progress.of("reduction")({"placements": problem.size})
    tile = choose_tile(problem, break_on) if symmetry else None
    broken = problem if tile is None else break_symmetry(problem, tile)
    reduced = remove_dead(broken) if dead else broken
    return Reduced(reduced, None if tile is None else problem.items[tile], problem.size, broken.size, reduced.size)


def choose_tile(problem: CoverProblem, name: str | None = None) -> int | None:
    """Return the tile item to break the symmetry on, or None where no tile with one copy is mapped onto itself.

    Preferred are tiles whose placements no symmetry fixes: then a kept solution stands for exactly as many as there are
    symmetries. Among them the one with the most placements wins, for it leaves out the most.
    """
    if problem.images is None or len(problem.images) < 2 or problem.forced:
        return None
    best, best_key = None, (False, 0)
    for tile in problem.tiles:
        options = problem.options_of[tile]
        images = problem.images[:, options]
        if problem.low[tile] != 1 or problem.high[tile] != 1 or not np.isin(images, options).all():
            continue
        free = not (images[1:] == options).any()
        removed = len(options) - len(np.unique(images.min(axis=0)))
        if problem.items[tile] == name:
            return int(tile)
        if (key := (free, removed)) > best_key:
            best, best_key = int(tile), key
    return best


def break_symmetry(problem: CoverProblem, tile: int) -> CoverProblem:
    """Keep one placement of each orbit of a tile that is used exactly once; ``weight`` holds the sizes of the orbits.

    Every solution has exactly one placement of the tile, so the solutions of the whole problem number Σ weight over the kept ones.
    """
    assert problem.images is not None
    options = problem.options_of[tile]
    images = problem.images[:, options]
    least = images.min(axis=0)
    keep = np.ones(problem.size, dtype=bool)
    keep[options] = least == options
    weight = np.ones(problem.size, dtype=np.int64)
    weight[options] = [len(np.unique(column)) for column in images.T]
    return replace(problem, weight=weight, broken_on=tile).select(keep)


def remove_dead(problem: CoverProblem) -> CoverProblem:
    """Remove, again and again, the placements after which some item that needs covering can no longer be covered.

    Logelium calls this the removal of placements with no continuation.
    """
    alive = np.ones(problem.size, dtype=bool)
    if not problem.size:
        return problem
    conflicts = conflict_matrix(problem)
    members = [problem.options_of[i] for i in np.flatnonzero(problem.low > 0)]
    needs = problem.low[problem.low > 0]
    while True:
        dead = _without_continuation(problem.size, conflicts, members, needs, alive) & alive
        dead[list(problem.forced)] = False  # a forced placement that is dead means no solution: the solvers must see it
        if not dead.any():
            return problem if alive.all() else problem.select(alive)
        alive &= ~dead


def _without_continuation(n: int, conflicts: Bits, members: list[Ints], needs: Ints, alive: Flags) -> Flags:
    """For each option: does some item have fewer options compatible with it (itself included) than it needs?"""
    dead = np.zeros(conflicts.shape[1], dtype=np.uint8)
    for options, need in zip(members, needs, strict=True):
        options = options[alive[options]]
        if need == 1:
            dead |= np.bitwise_and.reduce(conflicts[options], axis=0, initial=255)
            continue
        excluded = np.zeros(n, dtype=np.int32)
        for row in conflicts[options]:
            excluded += np.unpackbits(row, count=n, bitorder="little")
        dead |= np.packbits(len(options) - excluded < need, bitorder="little")
    return np.unpackbits(dead, count=n, bitorder="little").astype(bool)
