"""The cover problem in conjunctive normal form.

Variable o + 1 is true iff option o is chosen. All further variables are functions of the option variables. Each is defined in both
directions, so a formula has exactly as many models as the problem has solutions. (The encodings of python-sat define most auxiliary
variables in one direction only, which is enough to solve but not to count.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from puzzlesat.base import SILENT, Flags, Ints, NotSupportedError, Progress
from puzzlesat.puzzles import Condition, CoverProblem

Clause = list[int]
MAX_CLAUSES = 50_000_000
MAX_PAIRED = 400


@dataclass
class Cnf:
    """A growing formula; the first ``options`` variables are the placements."""

    options: int
    variables: int
    clauses: list[Clause] = field(default_factory=list)

    def new(self) -> int:
        """Return a fresh variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add a clause."""
        self.clauses.append(list(literals))

    def define_or(self, literals: Sequence[int]) -> int:
        """Return a literal equivalent to the disjunction (the literal itself if there is only one)."""
        if len(literals) == 1:
            return literals[0]
        v = self.new()
        for literal in literals:
            self.add(-literal, v)
        self.add(-v, *literals)
        return v


def encode(problem: CoverProblem, *, encoding: str = "mixed", given: Sequence[int] = (), progress: Progress = SILENT) -> Cnf:
    """Return the formula of a problem.

    Parameters
    ----------
    encoding: the at-most-one encoding, a key of ``AT_MOST_ONE``.
    given: options that must be chosen. Options that they rule out are fixed to false and are part of no constraint.

    Raises NotSupportedError if a side condition would need more than fifty million clauses.

    """
    cnf = Cnf(problem.size, problem.size)
    at_most_one = AT_MOST_ONE[encoding]
    given = (*problem.forced, *given)
    possible = left_over(problem, given)
    cnf.clauses += [[o + 1] for o in given] + [[-(o + 1)] for o in np.flatnonzero(~possible).tolist()]
    for i, options in enumerate(problem.options_of):
        progress({"clauses": len(cnf.clauses)})
        options = options[possible[options]]
        literals = (options + 1).tolist()
        low, high = int(problem.low[i]), int(problem.high[i])
        if problem.coloured[i]:
            _coloured_item(cnf, problem, i, options, low, at_most_one)
            continue
        if low > len(literals):
            cnf.add()
        elif low == 1:
            cnf.add(*literals)
        if high == 1 and len(literals) > 1:
            at_most_one(cnf, literals)
        if low > 1 or 1 < high < len(literals):
            _bounds(cnf, literals, low, high)
        if high == 0:
            cnf.clauses += [[-x] for x in literals]
    for condition in problem.conditions:
        _condition(cnf, problem, condition, possible, progress)
    return cnf


def pairwise(cnf: Cnf, literals: Sequence[int]) -> None:
    """Encode at most one without auxiliary variables: one clause per pair."""
    cnf.clauses += [[-a, -b] for a, b in combinations(literals, 2)]


def sequential(cnf: Cnf, literals: Sequence[int]) -> None:
    """Encode at most one by prefixes: s_i ⇔ one of the first i literals is true.

    C. Sinz, "Towards an optimal CNF encoding of Boolean cardinality constraints", CP 2005, section 2, with both directions.
    """
    if len(literals) <= 4:
        pairwise(cnf, literals)
        return
    before = literals[0]
    for i, literal in enumerate(literals[1:], start=1):
        cnf.add(-before, -literal)
        if i < len(literals) - 1:
            s = cnf.new()
            cnf.clauses += [[-before, s], [-literal, s], [-s, before, literal]]
            before = s


def binary(cnf: Cnf, literals: Sequence[int]) -> None:
    """Encode at most one by the binary number of the true literal. Literals are numbered from 1; 0 means that none is true.

    A. M. Frisch, T. J. Peugniez, A. J. Doggett, P. W. Nightingale, "Solving non-Boolean satisfiability problems with stochastic local
    search", J. Automated Reasoning 35, 2005, section 3.2 (bitwise encoding), with both directions.
    """
    if len(literals) <= 4:
        pairwise(cnf, literals)
        return
    for bit in range(len(literals).bit_length()):
        b = cnf.new()
        ones = [x for number, x in enumerate(literals, start=1) if number >> bit & 1]
        zeros = [x for number, x in enumerate(literals, start=1) if not number >> bit & 1]
        cnf.clauses += [[-x, b] for x in ones] + [[-x, -b] for x in zeros] + [[-b, *ones]]


def commander(cnf: Cnf, literals: Sequence[int]) -> None:
    """Encode at most one by groups of three. Each group has a commander, which is true iff a literal of the group is.

    W. Klieber, G. Kwon, "Efficient CNF encoding for selecting 1 from N objects", CFV 2007.
    """
    while len(literals) > 4:
        groups = [literals[i : i + 3] for i in range(0, len(literals), 3)]
        for group in groups:
            pairwise(cnf, group)
        literals = [cnf.define_or(group) for group in groups]
    pairwise(cnf, literals)


def mixed(cnf: Cnf, literals: Sequence[int]) -> None:
    """Encode at most one: pairwise, which solves fastest, up to ``MAX_PAIRED`` literals; by prefixes beyond."""
    (pairwise if len(literals) <= MAX_PAIRED else sequential)(cnf, literals)


AT_MOST_ONE: dict[str, Callable[[Cnf, Sequence[int]], None]] = {
    "mixed": mixed,
    "pairwise": pairwise,
    "sequential": sequential,
    "binary": binary,
    "commander": commander,
}


def _bounds(cnf: Cnf, literals: Sequence[int], low: int, high: int) -> None:
    """Encode that low to high literals are true, by a counter: r_j ⇔ at least j of the literals so far (Sinz, both directions)."""
    top = min(high + 1, len(literals)) if high < len(literals) else low
    counts: list[int | None] = [None] * (top + 1)
    for literal in literals:
        following = list(counts)
        for j in range(top, 0, -1):
            below = counts[j - 1] if j > 1 else 0
            if below is None:
                continue
            following[j] = _at_least(cnf, counts[j], literal, below)
        counts = following
    if low > 0:
        enough = counts[low]
        cnf.add(*([] if enough is None else [enough]))
    if high < len(literals) and (over := counts[high + 1]) is not None:
        cnf.add(-over)


def _at_least(cnf: Cnf, before: int | None, literal: int, below: int) -> int:
    """Return a literal r ⇔ before ∨ (literal ∧ below); ``before`` None is false, ``below`` 0 is true."""
    if before is None and below == 0:
        return literal
    r = cnf.new()
    rest = [] if before is None else [before]
    need = [literal] if below == 0 else [literal, below]
    cnf.add(*(-x for x in need), r)
    for x in need:
        cnf.add(-r, x, *rest)
    if before is not None:
        cnf.add(-before, r)
    return r


def _coloured_item(
    cnf: Cnf, problem: CoverProblem, item: int, options: Ints, low: int, at_most_one: Callable[[Cnf, Sequence[int]], None]
) -> None:
    """Encode a coloured item, with one variable per colour: at most one of its colours and of its options without colour."""
    by_colour: dict[int, list[int]] = {}
    alone: list[int] = []
    for option in options.tolist():
        entries = range(problem.start[option], problem.start[option + 1])
        colour = next(int(problem.colour[e]) for e in entries if problem.item[e] == item)
        if colour:
            by_colour.setdefault(colour, []).append(option + 1)
        else:
            alone.append(option + 1)
    exclusive = [cnf.define_or(literals) for literals in by_colour.values()] + alone
    if len(exclusive) > 1:
        at_most_one(cnf, exclusive)
    if low > 0:
        cnf.add(*exclusive)


def _condition(cnf: Cnf, problem: CoverProblem, condition: Condition, possible: Flags, progress: Progress) -> None:
    """Encode a side condition as a chain of partial sums, one step per tile: r_{k,a} ⇔ the first k tiles weigh a.

    A decision diagram in the manner of N. Eén, N. Sörensson, "Translating pseudo-Boolean constraints into SAT", JSAT 2, 2006, section 3.
    """
    steps = _steps(cnf, problem, condition, possible)
    m = condition.modulus
    forward = [{0}]
    for step in steps:
        forward.append({(a + u) % m if m else a + u for a in forward[-1] for u in step})
        if sum(map(len, forward)) * len(step) > MAX_CLAUSES:
            raise NotSupportedError(f"sat: the condition {condition.name!r} has too many partial sums; use --solver backtrack")
    allowed = {a for a in forward[-1] if condition.holds(a)}
    domains = [allowed]
    for step, reached in zip(reversed(steps), reversed(forward[:-1]), strict=True):
        allowed = {a for a in reached if any(((a + u) % m if m else a + u) in allowed for u in step)}
        domains.append(allowed)
    domains.reverse()
    if 0 not in domains[0]:
        cnf.add()
        return
    start = cnf.new()
    cnf.add(start)
    before = {0: start}
    for step, domain in zip(steps, domains[1:], strict=True):
        progress({"clauses": len(cnf.clauses)})
        after = {a: cnf.new() for a in sorted(domain)}
        for u, y in step.items():
            for a, r in before.items():
                target = after.get((a + u) % m if m else a + u)
                cnf.add(-r, -y, *([target] if target else []))
            for b, r in after.items():
                origin = before.get((b - u) % m if m else b - u)
                cnf.add(-r, -y, *([origin] if origin else []))
        before = after


def _steps(cnf: Cnf, problem: CoverProblem, condition: Condition, possible: Flags) -> list[dict[int, int]]:
    """Return one dictionary weight -> literal per step; exactly one literal of a step is true.

    A tile that is used at most once is one step. Each of the other options is a step of its own.
    """
    weights = condition.weights
    steps = []
    alone = possible & (weights != 0)
    for tile in problem.tiles.tolist():
        if problem.high[tile] != 1:
            continue
        options = problem.options_of[tile]
        options = options[possible[options]]
        alone[options] = False
        values = [v for v in np.unique(weights[options]).tolist() if v]
        if values:
            step = {v: cnf.define_or((options[weights[options] == v] + 1).tolist()) for v in values}
            step[0] = -cnf.define_or(list(step.values()))
            steps.append(step)
    steps += [{int(weights[o]): o + 1, 0: -(o + 1)} for o in np.flatnonzero(alone).tolist()]
    return steps


def left_over(problem: CoverProblem, given: Sequence[int]) -> Flags:
    """Return for each option whether it may still be chosen beside the given ones (which themselves may).

    An option is ruled out if a given option covers a once-only item of it, or gives an item of it another colour. Given options that
    exclude each other are all kept: the constraints of the model detect the conflict.
    """
    possible = np.ones(problem.size, dtype=bool)
    for option in given:
        for entry in range(problem.start[option], problem.start[option + 1]):
            item, colour = problem.item[entry], problem.colour[entry]
            if not problem.coloured[item] and problem.high[item] > 1:
                continue
            same = problem.item == item
            if problem.coloured[item] and colour > 0:
                same &= problem.colour != colour
            possible[problem.rows[same]] = False
    possible[list(given)] = True
    return possible
