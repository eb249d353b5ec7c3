"""A cover problem as plain JSON, for the engine in the browser (``page/engine``), as short as may be.

Options come in the order of the placements; ``item`` has the items of one after the other, ``sizes`` how many each has. What most puzzles
do without is left out where it says nothing: colours, conditions, options that are forced.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from puzzlesat.cover.problem import Condition, CoverProblem
from puzzlesat.cover.reach import out_of_reach
from puzzlesat.cover.reduce import reduce
from puzzlesat.errors import NotSupportedError
from puzzlesat.solvers.tables import bitset_bytes, factors, refuse_coloured_needs
from puzzlesat.solvers.tile_choice import tile_to_break

MOST_BYTES = 1 << 28
"""Of bitsets in a browser: phones have no more to spare."""
FAR = 1 << 50
"""A sum of weights that nothing reaches: numbers of JavaScript are exact up to 2⁵³."""


def cover_as_json(problem: CoverProblem, first_rule_item: int | None = None) -> dict[str, Any]:
    """Return what the engine needs. The items from ``first_rule_item`` on are those of rules on solutions.

    Raises NotSupportedError for what the engine cannot do.
    """
    if problem.colouring is not None:
        raise NotSupportedError("only solutions count whose tiles can be coloured, and the engine in the browser cannot check that")
    refuse_coloured_needs(problem)
    if (need := bitset_bytes(problem)) > MOST_BYTES:
        memory = f"{-(-need >> 20)} MiB of memory, more than the {MOST_BYTES >> 20} MiB that a page may take on a phone"
        raise NotSupportedError(f"the engine in the browser would need {memory}")
    tiles = problem.tiles.tolist()
    found = {
        "names": list(problem.items),
        "atoms": min(tiles, default=len(problem.items)),
        "rules": len(problem.items) if first_rule_item is None else first_rule_item,
        "low": _short(problem.low),
        "high": _short(problem.high),
        "sizes": _short(np.diff(problem.start)),
        "item": problem.item.tolist(),
        "coloured": np.flatnonzero(problem.coloured).tolist(),
        "colour": problem.colour.tolist() if problem.colour.any() else [],
        "tiles": tiles,
        "conditions": [_condition(condition) for condition in problem.conditions],
        "forced": list(problem.forced),
        "symmetries": symmetries_as_json(problem),
        "broken": _broken(problem),
        "hopeless": out_of_reach(problem) is not None,
    }
    return {key: value for key, value in found.items() if value is not None and value is not False and value != []}


def _short(numbers: np.ndarray) -> int | list[int]:
    """Some numbers, or one where they are all the same."""
    return int(numbers[0]) if len(numbers) and (numbers == numbers[0]).all() else numbers.tolist()


def _condition(condition: Condition) -> dict[str, Any]:
    near = {"low": max(condition.low, -FAR), "high": min(condition.high, FAR)}
    return {"weights": condition.weights.tolist(), **near, "modulus": condition.modulus, "residue": condition.residue}


def symmetries_as_json(problem: CoverProblem) -> dict[str, Any] | None:
    """Return the ``names`` of the symmetries but the identity, and where they take the options.

    ``own`` has the options to which a few take each option, as steps; ``made`` has two numbers for each of the others: of a symmetry known
    before (0 is the identity), and of the one of ``own`` (from 0) that comes after it. ``order`` says which names they have.
    """
    images = problem.images
    if images is None or len(images) < 2:
        return None
    number = {image.tobytes(): i for i, image in enumerate(images)}
    order, own, made = [0], list[int](), list[list[int]]()
    for new in range(1, len(images)):
        if new in order:
            continue
        own.append(new)
        order.append(new)
        made.append([0, len(own) - 1])
        known, done = set(order), 0
        while done < len(order):
            for i, generator in enumerate(own):
                there = number.get(images[generator][images[order[done]]].tobytes())
                if there is not None and there not in known:
                    known.add(there)
                    order.append(there)
                    made.append([done, i])
            done += 1
    steps = [np.diff(images[i], prepend=np.int32(0)).tolist() for i in own]
    return {"names": list(problem.symmetries[1:]), "own": steps, "made": made, "order": order[1:]}


def _broken(problem: CoverProblem) -> dict[str, Any] | None:
    """The symmetry broken on a tile: the options that are left out, and those kept that stand for ``times`` as many solutions."""
    broken = reduce(problem, dead=False, break_on=tile_to_break(problem)).problem
    if broken is problem or broken.origin is None or broken.weight is None:
        return None
    try:
        factors(broken)
    except NotSupportedError:
        return None
    out = np.setdiff1d(np.arange(problem.size), broken.origin)
    several = np.flatnonzero(broken.weight > 1)
    return {"out": out.tolist(), "several": broken.origin[several].tolist(), "times": _short(broken.weight[several])}
