"""Search trees turned into LRAT: on random problems the checker and the slow checker confirm that the proof refutes the formula."""

import io
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_lrat import refutes

from puzzlesat.base.errors import NotSupportedError
from puzzlesat.checker.formula import make_formula
from puzzlesat.checker.lrat import check_lrat
from puzzlesat.checker.problem import Problem, bits
from puzzlesat.checker.values import Rejected
from puzzlesat.proofs.tree_lrat import tree_lrat
from tiers import every


def make_problem(rows, low, forced=(), clashes=()):
    """A problem with options given by their items; options that share an item or clash exclude each other."""
    n = len(rows)
    excluded = [{q for q in range(n) if q != o and (set(rows[o]) & set(rows[q]) or {(o, q), (q, o)} & set(clashes))} for o in range(n)]
    exclude = np.stack([bits(np.array(sorted(e), dtype=np.int64), n) for e in excluded])
    start = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    item = np.array([i for row in rows for i in row], dtype=np.int32)
    names = tuple(f"item {i}" for i in range(len(low)))
    numbers = np.array(low, dtype=np.int64)
    return Problem(n, names, len(low), numbers, np.ones_like(numbers), start, item, exclude, tuple(forced)), excluded


class Tree:
    """An independent search: records and solutions in the documented order, branching on random items."""

    def __init__(self, rows, low, excluded, rng):
        self.rows, self.low, self.excluded, self.rng = rows, low, excluded, rng
        self.records, self.solutions = [], []

    def grow(self, state, chosen):
        covered = {i for o in chosen for i in self.rows[o]}
        options = {i: [o for o in sorted(state) if i in self.rows[o]] for i in range(len(self.low)) if i not in covered}
        needy = [i for i in options if self.low[i]]
        if not state and not needy:
            self.solutions.append(sorted(chosen))
            return
        able = [i for i in options if options[i] or self.low[i]]
        least = min((len(options[i]) for i in needy), default=0)
        few = [i for i in needy if len(options[i]) == least]
        item = self.rng.choice(few if few and self.rng.random() < 0.7 else able)
        self.records.append(item)
        for o in options[item]:
            self.grow(state - {o} - self.excluded[o], [*chosen, o])
        if not self.low[item]:
            self.grow(state - set(options[item]), chosen)


def make_case(rng):
    """A problem, its possible options and removals, the solutions and the records."""
    items, n = rng.randint(2, 8), rng.randint(2, 22)
    rows = [sorted(rng.sample(range(items), min(items, rng.randint(1, 3)))) for _ in range(n)]
    needed = rng.choice([1, 1, 0.8, 0.5])
    low = [int(rng.random() < needed) for _ in range(items)]
    clashes = [tuple(rng.sample(range(n), 2)) for _ in range(rng.choice([0, 0, 4]))]
    forced = rng.sample(range(n), rng.choice([0, 0, 1]))
    problem, excluded = make_problem(rows, low, forced, clashes)
    dropped = rng.choice([0, 0, 0.2])
    possible = np.array([o in forced or rng.random() >= dropped for o in range(n)])
    state = set(np.flatnonzero(possible).tolist()).difference(*(excluded[o] for o in forced))
    removals = []
    for o in sorted(state.difference(forced)) if rng.random() < 0.6 else []:
        starved = [i for i in range(items) if low[i] and i not in rows[o] and all(p in excluded[o] for p in state if i in rows[p])]
        if starved:
            removals.append((o, starved[0]))
            state.discard(o)
    tree = Tree(rows, low, excluded, rng)
    tree.grow(state.difference(forced), forced)
    return problem, possible, removals, as_rows(tree.solutions), np.array(tree.records, dtype=np.uint32)


def as_rows(solutions):
    width = max(map(len, solutions), default=0)
    return np.array([[*s, *[-1] * (width - len(s))] for s in solutions], dtype=np.int32).reshape(len(solutions), width)


def proof_of(problem, possible, removals, solutions, records, binary=True):
    out = io.BytesIO()
    steps = tree_lrat(problem, possible, removals, solutions, records, out, binary=binary)
    return out.getvalue(), steps


@given(st.integers(0, 1 << 40), st.booleans())
def test_the_proof_refutes_the_formula(seed, binary):
    rng = random.Random(seed)
    problem, possible, removals, solutions, records = make_case(rng)
    chunks = np.split(records, sorted(rng.randint(0, len(records)) for _ in range(3)))
    data, steps = proof_of(problem, possible, removals, solutions, chunks, binary)
    formula = make_formula(problem, possible, solutions)
    assert check_lrat(formula, io.BytesIO(data), chunk=1000).added <= steps
    assert refutes([formula[i] for i in range(1, len(formula) + 1)], formula.variables, data)


@given(st.integers(0, 1 << 40))
def test_without_one_of_the_solutions_there_is_no_proof(seed):
    rng = random.Random(seed)
    problem, possible, removals, solutions, records = make_case(rng)
    data, _ = proof_of(problem, possible, removals, solutions, [records])
    if len(solutions):
        fewer = np.delete(solutions, rng.randrange(len(solutions)), axis=0)
        with pytest.raises(Rejected, match="is not the one that is listed"):
            proof_of(problem, possible, removals, fewer, [records])
        with pytest.raises(Rejected):
            check_lrat(make_formula(problem, possible, fewer), io.BytesIO(data))


ROWS = [[0, 1], [0], [1], [1, 2], [2]]


@every(
    "records, reason",
    [
        ([0], "ends before"),
        ([0, 2, 1, 2, 0], "the proof continues after the search"),
        ([3], "an item that does not exist"),
        ([0, 0], "nothing left to choose"),
        ([0, 2, 1, 2], "solution 1 of the search is not the one that is listed"),
    ],
)
def test_wrong_trees(records, reason):
    problem, _ = make_problem(ROWS, [1, 1, 1])
    solutions = as_rows([[0, 4], [1, 2, 4], [1, 3]])
    possible = np.ones(5, dtype=bool)
    assert proof_of(problem, possible, [], solutions, [np.array([0, 2, 1, 2], dtype=np.uint32)])
    with pytest.raises(Rejected, match=reason):
        proof_of(problem, possible, [], solutions[::-1] if "solution" in reason else solutions, [np.array(records, dtype=np.uint32)])
    with pytest.raises(Rejected, match="has not come to all"):
        proof_of(problem, possible, [], as_rows([*solutions.tolist(), [0]]), [np.array([0, 2, 1, 2], dtype=np.uint32)])


def test_wrong_removals():
    problem, _ = make_problem(ROWS, [1, 1, 1])
    with pytest.raises(Rejected, match="with placement 1, item 1 can still be covered"):
        proof_of(problem, np.ones(5, dtype=bool), [(1, 1)], as_rows([]), [])


def test_what_is_not_supported():
    problem, _ = make_problem(ROWS, [1, 2, 1])
    with pytest.raises(NotSupportedError, match="once at most"):
        proof_of(problem, np.ones(5, dtype=bool), [], as_rows([]), [])


@every("row, possible, records", [([2], [1] * 5, [3]), ([3], [1, 1, 1, 1, 0], [])])
def test_an_item_that_no_possible_option_has(row, possible, records):
    problem, _ = make_problem([*ROWS[:4], row], [1, 1, 1, 1])
    flags = np.array(possible, dtype=bool)
    data, steps = proof_of(problem, flags, [], as_rows([]), [np.array(records, dtype=np.uint32)], binary=False)
    assert steps == 1
    assert check_lrat(make_formula(problem, flags, as_rows([])), io.BytesIO(data)).added == (3 in row)
