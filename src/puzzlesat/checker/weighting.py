"""Sums: a proof that no choice of tiles adds up to what the form needs. Area and chessboard colourings are of this kind."""

from __future__ import annotations

from collections.abc import Mapping

from .arrays import Flags
from .problem import Problem
from .values import Rejected, Sentence, TooLarge

MOST_SUMS = 1_000_000
"""That are held."""
MOST_ADDED = 100_000_000
"""That are made, the same one perhaps often."""


def check_weighting(problem: Problem, possible: Flags, weights: Mapping[int, int], modulus: int) -> str:
    """Confirm that a weighting of the atoms rules out every solution; return what it says.

    Every solution covers each required atom once, so the weights of its placements add up to those of the form (modulo ``modulus``, if that
    is not 0). Raises Rejected where the tiles can reach that sum, or where an optional atom, which need not be covered, has a weight.
    """
    if modulus < 0 or any(not 0 <= i < problem.atoms or problem.low[i] != 1 for i in weights):
        raise Rejected("weighting: a weight belongs to a required atom, a modulus is 0 or more")
    of_item = [weights.get(i, 0) for i in range(len(problem.items))]
    target = _residue(sum(of_item), modulus)
    sums = {0}
    for tile in range(problem.atoms, len(problem.items)):
        options = [o for o in problem.options_of(tile).tolist() if possible[o]]
        items = (problem.items_of(o).tolist() for o in options)
        values = {_residue(sum(of_item[i] for i in of_option), modulus) for of_option in items}
        sums = _with_copies(sums, values, int(problem.low[tile]), min(int(problem.high[tile]), problem.atoms), modulus)
    if target in sums:
        raise Rejected(f"weighting: the form needs {target}, and the tiles can add up to that")
    rest = "the weights of the form add up to {target} modulo {modulus}, and no choice of tiles reaches this sum"
    whole = "the weights of the form add up to {target}, and no choice of tiles reaches this sum"
    return Sentence(rest if modulus else whole, target=str(target), modulus=str(modulus))


def _with_copies(sums: set[int], values: set[int], low: int, high: int, modulus: int) -> set[int]:
    """The sums after between low and high copies of a tile, each with any of its values."""
    reached = sums if low == 0 else set()
    step, added = sums, 0
    for copy in range(1, high + 1):
        added += len(step) * len(values)
        if added > MOST_ADDED:
            raise TooLarge("weighting: too many sums to go through")
        step = _sums(step, values, modulus)
        if copy >= low:
            if step <= reached:
                break  # more copies reach nothing that is not reached already, for what follows is made of these
            reached = reached | step
    return reached


def _sums(some: set[int], others: set[int], modulus: int) -> set[int]:
    """Every sum of one and another. Raises Rejected where there are too many, as soon as there are."""
    found: set[int] = set()
    for other in others:
        found.update(_residue(one + other, modulus) for one in some)
        if len(found) > MOST_SUMS:
            raise TooLarge("weighting: too many different sums")
    return found


def _residue(total: int, modulus: int) -> int:
    return total % modulus if modulus else total
