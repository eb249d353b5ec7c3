"""A colouring that was found, as a side condition for every solver."""

from __future__ import annotations

import numpy as np

from puzzlesat.cover.build import Built
from puzzlesat.cover.problem import Condition
from puzzlesat.proof.sums import option_weights
from puzzlesat.proof.weighting import find_weighting
from puzzlesat.solvers.strategy import COLOURING_SECONDS


def found_conditions(built: Built, seconds: float = COLOURING_SECONDS) -> tuple[Condition, ...]:
    """Return the condition that follows from the coverage by the weights of a colouring argument; none where there is no such argument.

    Every solution keeps it, and no choice of tiles does: it tells a solver at once what it would else find out by search.
    """
    weighting = find_weighting(built, seconds=seconds)
    if weighting is None:
        return ()
    weights = option_weights(built.problem, np.array(weighting.weights, dtype=np.int64))
    total = sum(weighting.weights)
    if weighting.modulus:
        return (Condition(weighting.title, weights, 0, 0, weighting.modulus, total % weighting.modulus),)
    return (Condition(weighting.title, weights, total, total),)
