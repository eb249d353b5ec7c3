"""Knuth's input format for exact cover: items, ``|``, secondary items, then an option a line (programs DLX2, XCC, MCC)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from puzzlesat.cover.problem import UNLIMITED, CoverProblem
from puzzlesat.errors import NotSupportedError


def xcc_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of a file for XCC, or for MCC where items have multiplicities.

    Items that may be covered any number of times say nothing and are left out. Raises NotSupportedError for side conditions that are
    rules, and for fixed placements that exclude each other: the format cannot say the former, and drops the latter silently.
    """
    if rules := [c.name for c in problem.conditions if not c.implied]:
        raise NotSupportedError(f"Knuth's format cannot say the condition {rules[0]!r}; use cnf, opb or cpsat")
    names = [name.replace(" ", "").replace(":", "_").replace("|", "_") for name in problem.items]
    said = [i for i in range(len(names)) if problem.coloured[i] or problem.low[i] > 0 or problem.high[i] < UNLIMITED]
    primary = [i for i in said if not problem.coloured[i] and (problem.low[i] > 0 or problem.high[i] > 1)]
    secondary = [i for i in said if i not in set(primary)]
    yield f"| {problem.size} options; option number = placement number"
    first = [f"!{o}" for o in problem.forced]
    # Knuth's programs ignore an option without primary items: such options get one that may be covered any number of times
    bare = [o for o in range(problem.size) if not np.isin(problem.items_of(o), primary).any() and o not in problem.forced]
    slack = [f"0:{len(bare)}|#"] if bare else []
    yield " ".join([*(_bounds(problem, i) + names[i] for i in primary), *slack, *first, "|", *(names[i] for i in secondary)])
    known = np.zeros(len(names), dtype=bool)
    known[said] = True
    for o, name in enumerate(problem.options):
        entries = range(problem.start[o], problem.start[o + 1])
        items = [names[problem.item[e]] + (f":{problem.colour[e]}" if problem.colour[e] else "") for e in entries if known[problem.item[e]]]
        yield " ".join(items + ([f"!{o}"] if o in problem.forced else []) + (["#"] if o in bare else []))
        yield f"| {o} {name}"


def _bounds(problem: CoverProblem, item: int) -> str:
    """The multiplicity of an item as MCC writes it; nothing for exactly once."""
    low, high = int(problem.low[item]), int(problem.high[item])
    if low == high == 1:
        return ""
    high = min(high, len(problem.options_of[item]))
    return f"{high}|" if low == high else f"{low}:{high}|"
