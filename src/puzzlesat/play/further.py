"""One more piece for a position that can be finished."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puzzlesat.arrays import Rows
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.settle import settle
from puzzlesat.errors import ContradictionError
from puzzlesat.play.completions import list_completions
from puzzlesat.play.position import Position
from puzzlesat.recheck.geometry import make_recheck
from puzzlesat.rows import sorted_rows
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.run import Limits
from puzzlesat.solvers.strategy import LISTED_FOR_HINTS


@dataclass(frozen=True)
class Further:
    """A placement to go on with."""

    option: int
    shared: int
    """How many of the completions listed contain it."""
    listed: int
    every: bool
    """Whether all completions were listed."""
    reason: str | None
    """What a look at the board shows, where that forces the piece."""

    @property
    def forced(self) -> bool:
        """Whether every completion contains it."""
        return self.reason is not None or (self.every and self.shared == self.listed)


def further(position: Position, limits: Limits) -> Further | None:
    """Return the placement that most completions share; None where no completion is found.

    Among those that all share, one that the board itself forces comes first. Where not all completions could be listed, what the first ones
    share says little: then the piece is one for the atom, or tile, with the fewest places left.
    """
    problem = position.built.problem
    rows, every = list_completions(problem, position.placed, replace(limits, solutions=LISTED_FOR_HINTS))
    left = settle(problem, position.placed)
    if not len(rows) or left is None or not rows.shape[1]:
        return None
    _recheck(position, rows)
    shared = np.bincount(rows[rows >= 0], minlength=problem.size)
    narrow = _narrowest(left, problem.size)
    known = np.flatnonzero(shared)
    if not len(known):  # it is finished, and nothing can be added
        return None
    keys = [(-int(shared[o]), narrow[o][0]) if every else (narrow[o][0], -int(shared[o])) for o in known]
    best = int(known[min(range(len(known)), key=lambda i: keys[i])])
    ways, item = narrow[best]
    reason = _reason(position, item) if ways == 1 else None
    return Further(best, int(shared[best]), len(rows), every, reason)


def _narrowest(left: CoverProblem, size: int) -> list[tuple[int, int]]:
    """For each option of the whole problem: in how many ways that of its items can be covered which has fewest, and that item."""
    ways = np.array([len(options) for options in left.options_of])
    narrow = [(left.size + 1, -1)] * size
    for option in range(left.size):
        needed = [i for i in left.items_of(option).tolist() if left.low[i] == 1 and left.high[i] == 1]
        origin = option if left.origin is None else int(left.origin[option])
        narrow[origin] = min(((int(ways[i]), i) for i in needed), default=(left.size + 1, -1))
    return narrow


def _reason(position: Position, item: int) -> str:
    atoms = len(position.built.puzzle.form.atoms)
    name = position.built.problem.items[item]
    return Sentence("nothing else covers {atom}", atom=name) if item < atoms else Sentence("{tile} fits nowhere else", tile=name)


def _recheck(position: Position, rows: Rows) -> None:
    """Hold whole solutions against the geometry; ContradictionError where one fails."""
    built = position.built
    own = np.tile(np.array(position.everything, dtype=np.int32), (len(rows), 1))
    wrong = make_recheck(built.puzzle, built.placements)(sorted_rows(np.hstack([rows, own])))
    if wrong is not None:
        raise ContradictionError(f"a completion fails the check against the geometry: {wrong}")
