"""OPB, the text format of pseudo-Boolean solvers.

O. Roussel, V. Manquinho, "Input/output format and solver requirements for the competitions of pseudo-Boolean solvers", 2012.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from puzzlesat.base import NotSupportedError, PuzzleError, shown, text_of
from puzzlesat.formats.constraints import Constraint, check_size, from_constraints
from puzzlesat.formats.table import integer
from puzzlesat.puzzles import CoverProblem

Term = tuple[int, int]
LITERAL = re.compile(r"~?x([1-9][0-9]{0,17})")
OPERATOR = re.compile("[<>]?=")


def opb_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of an OPB file; variable x1, x2 … is placement 0, 1 … as its comments say."""
    constraints, variables = _constraints(problem)
    body = list(constraints)
    if not variables[0]:  # the format needs a variable; a variable that is never true adds no model
        variables, body = [1], [*body, "1 x1 = 0 ;"]
    yield f"* #variable= {variables[0]} #constraint= {len(body)}"
    yield from (f"* x{v} {name}" for v, name in enumerate(problem.options, start=1))
    yield from body


def _constraints(problem: CoverProblem) -> tuple[Iterable[str], list[int]]:
    """Return all constraints, and the number of variables so far, in a list because it grows."""
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
    """Define a variable for each colour by two constraints; return the terms that exclude each other on the item."""
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


def _between(terms: list[Term], low: int, high: int, *, everything: bool = False) -> list[str]:
    """Return the constraints low <= Σ <= high, without constraints that always hold (unless ``everything``)."""
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


def read_opb(path: Path) -> CoverProblem:
    """Return the problem of an OPB file, with one option per variable, named by a comment of ``opb_lines`` or by the variable.

    Raises PuzzleError for an invalid file, and NotSupportedError for objectives, soft constraints and products, which are not linear
    constraints.
    """
    text = text_of(path)
    lines = [line.strip() for line in text.splitlines()]
    body = " ".join(line for line in lines if not line.startswith("*"))
    *statements, rest = [part.strip() for part in body.split(";")]
    if rest:
        raise PuzzleError(f"{path}: the last constraint does not end with ';': {rest[-60:]!r}")
    constraints = [_read_constraint(path, statement) for statement in statements if statement]
    if not text.strip():
        raise PuzzleError(f"{path}: the file is empty; expected constraints such as +1 x1 +1 x2 >= 1 ;")
    comments = "\n".join(line for line in lines if line.startswith("*"))
    stated = re.search(r"#variable\s*=\s*([0-9]{1,18})", comments)
    size = max([int(stated[1]) if stated else 0, *(v for c in constraints for v in c.weights)])
    check_size(path, size)
    names = [f"x{v}" for v in range(1, size + 1)]
    for v, name in re.findall(r"^\* x([0-9]{1,18}) (.+)$", comments, re.M):
        if 1 <= int(v) <= size:
            names[int(v) - 1] = name
    return from_constraints(path, names, constraints)


def _read_constraint(path: Path, statement: str) -> Constraint:
    """Return a constraint such as ``+1 x1 +2 ~x2 >= 1``; the constant of a negated variable moves to the other side."""
    if (first := statement.split()[0]) in ("min:", "max:", "soft:") or first.startswith("["):
        what = "a soft constraint" if first == "soft:" or first.startswith("[") else "an objective"
        raise NotSupportedError(f"{path}: {statement[:60]!r} is {what}, not a rule; remove it to count the solutions of the rest")
    match = OPERATOR.search(statement)
    bound = None if match is None else _number(statement[match.end() :].strip())
    if match is None or bound is None:
        raise PuzzleError(f"{path}: expected a sum, then >= or =, then a number, got {statement[:60]!r}")
    words = statement[: match.start()].split()
    if any(LITERAL.fullmatch(a) and LITERAL.fullmatch(b) for a, b in pairwise(words)):
        raise NotSupportedError(f"{path}: {statement[:60]!r} has a product of variables, which a sum cannot express")
    if len(words) % 2:
        raise PuzzleError(f"{path}: a weight or a variable is missing in {statement[:60]!r}")
    weights: dict[int, int] = {}
    for weight, literal in zip(words[::2], words[1::2], strict=True):
        variable = LITERAL.fullmatch(literal)
        value = _number(weight)
        if value is None or variable is None:
            what = "is not a weight and a variable, such as +1 x2 or +1 ~x2"
            raise PuzzleError(f"{path}: {shown(f'{weight} {literal}')!r} in {statement[:60]!r} {what}")
        number, sign = int(variable[1]), -1 if literal.startswith("~") else 1
        weights[number] = weights.get(number, 0) + sign * value
        bound -= value if sign < 0 else 0
    return Constraint(weights, None if match[0] == "<=" else bound, None if match[0] == ">=" else bound)


def _number(word: str) -> int | None:
    try:
        return integer(word)
    except ValueError:
        return None
