"""OPB, the text format of pseudo-Boolean solvers.

O. Roussel, V. Manquinho, "Input/output format and solver requirements for the competitions of pseudo-Boolean solvers", 2012.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from puzzlesat.cover.problem import CoverProblem

Term = tuple[int, int]


def opb_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of an OPB file; variable x1, x2 … is placement 0, 1 … as the comments say."""
    constraints, variables = _constraints(problem)
    body = list(constraints)
    yield f"* #variable= {max(variables[0], 1)} #constraint= {len(body)}"
    yield from (f"* x{v} {name}" for v, name in enumerate(problem.options, start=1))
    yield from body


def _constraints(problem: CoverProblem) -> tuple[Iterable[str], list[int]]:
    """All constraints, and the number of variables so far (in a list, for it grows)."""
    variables = [problem.size]
    lines: list[str] = [f"1 x{o + 1} = 1 ;" for o in problem.forced]
    for i, options in enumerate(problem.options_of):
        terms = [(1, o + 1) for o in options.tolist()]
        if problem.coloured[i]:
            terms = _colours(problem, i, lines, variables)
        lines += _between(terms, int(problem.low[i]), 1 if problem.coloured[i] else int(problem.high[i]))
    for condition in problem.conditions:
        terms = [(int(w), o + 1) for o, w in enumerate(condition.weights.tolist()) if w]
        if not condition.modulus:
            lines += _between(terms, condition.low, condition.high, everything=True)
            continue
        # Σ w x = modulus q + residue, with q = least + a binary number of fresh variables
        least = (sum(w for w, _ in terms if w < 0) - condition.residue) // condition.modulus
        most = (sum(w for w, _ in terms if w > 0) - condition.residue) // condition.modulus
        for bit in range(max(most - least, 0).bit_length()):
            variables[0] += 1
            terms.append((-condition.modulus << bit, variables[0]))
        lines.append(f"{_sum(terms)} = {condition.modulus * least + condition.residue} ;")
    return lines, variables


def _colours(problem: CoverProblem, item: int, lines: list[str], variables: list[int]) -> list[Term]:
    """One variable a colour, defined by two constraints; returns what excludes each other on the item."""
    by_colour: dict[int, list[int]] = {}
    alone: list[Term] = []
    for entry in np.flatnonzero(problem.item == item).tolist():
        option, colour = int(problem.rows[entry]) + 1, int(problem.colour[entry])
        if colour:
            by_colour.setdefault(colour, []).append(option)
        else:
            alone.append((1, option))
    for options in by_colour.values():
        variables[0] += 1
        has = variables[0]
        lines.append(f"{_sum([(len(options), has), *((-1, o) for o in options)])} >= 0 ;")
        lines.append(f"{_sum([(-1, has), *((1, o) for o in options)])} >= 0 ;")
        alone.append((1, has))
    return alone


def _between(terms: list[Term], low: int, high: int, everything: bool = False) -> list[str]:
    """The constraints low <= Σ <= high, without those that always hold (unless ``everything``)."""
    if low == high:
        return [f"{_sum(terms)} = {low} ;"]
    found = []
    if low > 0 or everything:
        found.append(f"{_sum(terms)} >= {low} ;")
    if high < len(terms) or everything:
        found.append(f"{_sum([(-w, v) for w, v in terms])} >= {-high} ;")
    return found


def _sum(terms: list[Term]) -> str:
    return " ".join(f"{w:+d} x{v}" for w, v in terms) if terms else "0 x1"
