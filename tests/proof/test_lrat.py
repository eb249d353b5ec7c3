"""The checker of LRAT refutations against a slow one, on valid proofs, damaged proofs, and proofs made from search trees."""

import io
import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_lrat import binary_steps, refutes

from helpers import make_clauses
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.checker.formula import make_formula
from puzzlesat.checker.lrat import check_lrat
from puzzlesat.checker.problem import Problem, bits
from puzzlesat.checker.values import Rejected
from puzzlesat.proofs import lrat
from puzzlesat.proofs.lrat import LratWriter, cadical_lrat, convert
from puzzlesat.proofs.tree_lrat import tree_lrat
from tiers import every, tries

literals = st.integers(1, 5).flatmap(lambda v: st.sampled_from([v, -v]))
formulas = st.lists(st.lists(literals, min_size=1, max_size=4), min_size=1, max_size=45)
ALL_OF_3 = [list(signs) for signs in product((1, -1), (2, -2), (3, -3))]
ASK_IN_A_PROCESS = lrat._ask_cadical
SMALL = [[1, 2], [-1, 2], [1, -2], [-1, -2]]


@pytest.fixture(autouse=True, scope="module")
def without_processes():
    """CaDiCaL runs in this process, which is faster; one test uses a child process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lrat, "_ask_cadical", lambda clauses, path, stop: lrat.solved(clauses.start, clauses.literals, path))
        yield


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("proofs") / "proof.lrat"


def accepts(clauses, data, variables=5, chunk=1000):
    try:
        check_lrat(make_clauses(clauses, variables), io.BytesIO(data), chunk=chunk)
    except Rejected:
        return False
    return True


def why(clauses, data, variables=3):
    with pytest.raises(Rejected) as caught:
        check_lrat(make_clauses(clauses, variables), io.BytesIO(data))
    return str(caught.value)


def converted(data, binary):
    out = io.BytesIO()
    convert(io.BytesIO(data), out, binary=binary)
    return out.getvalue()


def spoil_bytes(data, rng):
    """Flip a bit, drop or double a byte, exchange two, truncate, or repeat a part."""
    at, other = rng.randrange(len(data)), rng.randrange(len(data))
    low, high = min(at, other), max(at, other)
    return rng.choice(
        [
            data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :],
            data[:at] + data[at + 1 :],
            data[:at] + data[at : at + 1] + data[at:],
            data[:low] + data[high : high + 1] + data[low + 1 : high] + data[low : low + 1] + data[high + 1 :],
            data[:at],
            data[:high] + data[low:],
        ]
    )


def spoil_steps(data, rng):
    """Change numbers of steps, drop, double or exchange steps; the result is well-formed."""
    steps = [[list(x) if isinstance(x, list) else x for x in step] for step in binary_steps(data)]
    one, other = rng.randrange(len(steps)), rng.randrange(len(steps))
    kind = rng.randrange(7)
    if kind == 0:
        del steps[one]
    elif kind == 1:
        steps[one], steps[other] = steps[other], steps[one]
    elif kind == 2:
        steps.insert(other, steps[one])
    elif kind == 3 and steps[one][0] == "a":
        steps[one][1] += rng.choice([-2, -1, 1, 2])
    else:
        numbers = steps[one][rng.choice([2, 3]) if steps[one][0] == "a" else 1]
        if numbers and kind == 4:
            del numbers[rng.randrange(len(numbers))]
        elif numbers and kind == 5:
            rng.shuffle(numbers)
        elif numbers:
            at = rng.randrange(len(numbers))
            numbers[at] = -numbers[at] if rng.random() < 0.2 else numbers[at] + rng.choice([-1, 1])
    out = b""
    for step in steps:
        flat = [step[1], *step[2], 0, *step[3], 0] if step[0] == "a" else [*step[1], 0]
        out += step[0].encode() + b"".join(map(lrat.binary_number, flat))
    return out


@given(formulas)
def test_what_cadical_refutes_is_accepted(path, clauses):
    has_model = any(all(any(signs[abs(x) - 1] == (x > 0) for x in c) for c in clauses) for signs in product((False, True), repeat=5))
    assert cadical_lrat(make_clauses(clauses, 5), path) == (not has_model)
    if not has_model:
        data = path.read_bytes()
        assert refutes(clauses, 5, data)
        assert accepts(clauses, data)
        text = converted(data, binary=False)
        assert refutes(clauses, 5, text)
        assert accepts(clauses, text)
        assert converted(text, binary=True) == data
        assert converted(text, binary=False) == text
        for chunk in (1, 7, 64):
            assert accepts(clauses, data, chunk=chunk)
            assert accepts(clauses, text, chunk=chunk)


@given(st.lists(st.lists(literals, min_size=2, max_size=4), max_size=30), st.randoms(use_true_random=False))
def test_spoilt_proofs_are_accepted_only_where_they_are_still_right(path, more, rng):
    clauses = [*more, *ALL_OF_3] if rng.random() < 0.7 else [*more, *SMALL]
    rng.shuffle(clauses)
    assert cadical_lrat(make_clauses(clauses, 5), path)
    data = path.read_bytes()
    for _ in range(15):
        spoilt = spoil_steps(data, rng)
        assert accepts(clauses, spoilt) == refutes(clauses, 5, spoilt)
        text = converted(data, binary=False)
        for spoilt in (spoil_bytes(data, rng), spoil_bytes(text, rng)):
            verdict = accepts(clauses, spoilt)
            assert accepts(clauses, spoilt, chunk=7) == verdict
            assert refutes(clauses, 5, spoilt) or not verdict


def test_most_of_the_spoilt_proofs_are_wrong(path):
    rng, number = random.Random(1), max(tries(500), 50)
    cadical_lrat(make_clauses(ALL_OF_3, 3), path)
    data = path.read_bytes()
    for spoil in (spoil_bytes, spoil_steps):
        wrong = sum(not accepts(ALL_OF_3, spoil(data, rng), 3) for _ in range(number))
        assert 0.6 * number < wrong < number


GOOD = b"5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"


@every(
    "data",
    [
        GOOD,
        GOOD[:-1],
        b"c a comment\n\n  5 \t2 0  1 2 0 \r\n6 0 5 3 4 0",
        b"5 2 0 1 2 4 0\n9 0 5 3 4 0\nwhat follows is not read",
        b"5 1 1 -2 0 3 0\n6 2 0 1 2 0\n7 0 6 3 4 0\n",
        b"5 2 0 1 2 0\n6 -2 0 3 4 0\n7 0 5 6 0\n",
    ],
)
def test_right_proofs(data):
    for chunk in (1, 2, 3, 7, 64, 1000):
        assert accepts(SMALL, data, 2, chunk)


@every(
    "data, reason",
    [
        (b"", "the empty clause does not come; the file ends after step 0"),
        (b"5 2 0 1 2 0\n", "the empty clause does not come; the file ends after step 1"),
        (b"5 2 0 1 2 0\n6 0 5 3", "step 2 (clause 6): the line ends before the 0"),
        (b"5 2 0 1 2 0\n6 0 5 3 4", "step 2 (clause 6): the line ends before the 0"),
        (b"5 2 0 1 2 0 6 0 5 3 4 0\n", "step 1 (clause 5): a byte that does not belong there (54)"),
        (b"5 2 0 1 0\n", "step 1 (clause 5): its 1 hints lead to no contradiction"),
        (b"5 2 0 0\n", "its 0 hints lead to no contradiction"),
        (b"5 2 0 9 0\n", "hint 9: there is no such clause"),
        (b"5 2 0 5 0\n", "hint 5: there is no such clause"),
        (b"5 2 0 1 2 0\n5 d 1 0\n6 1 0 1 0\n", "step 3 (clause 6): hint 1: there is no such clause, or it was deleted"),
        (b"5 0 1 2 0\n", "hint 1: more than one literal of that clause is not false"),
        (b"5 2 0 -1 2 0\n", "hint -1 is negative: RAT"),
        (b"4 2 0 1 2 0\n", "its number 4 is not larger than all before"),
        (b"7 2 0 1 2 0\n7 1 0 7 3 0\n", "its number 7 is not larger than all before"),
        (b"5 4 0 1 2 0\n", "the formula has no variable 4"),
        (b"5 4294967298 0 1 2 0\n", "the formula has no variable 4294967298"),
        (b"5 2 -2 0 1 2 0\n", "variable 2 and its negation"),
        (b"5 d 5 0\n", "clause 5 cannot be deleted"),
        (b"5 d 1 1 0\n", "clause 1 cannot be deleted"),
        (b"5 d -1 0\n", "clause -1 cannot be deleted"),
        (b"5 d1 0\n", "a byte that does not belong there"),
        (b"5 2 0 18446744073709551617 0\n", "a number that is too large"),
        (b"5 2 0 9999999999999999999 0\n", "a number that is too large"),
        (b"5 2 0 01 2 0\n", "not written as it should be"),
        (b"5 2 -0 1 2 0\n", "not written as it should be"),
        (b"-5 2 0 1 2 0\n", "-5 is not the number of a clause"),
        (b"0 2 0 1 2 0\n", "0 is not the number of a clause"),
        (b"5 2 0 1 x 0\n", "a byte that does not belong there (120)"),
        (b"5 2 0 1- 2 0\n", "a byte that does not belong there (45)"),
        (b"5 - 2 0 1 2 0\n", "a byte that does not belong there"),
        (b"a", "step 1: the file ends in the middle of it"),
        (b"a\x0a\x04\x00\x02\x04", "step 1: the file ends in the middle of it"),
        (b"a\x0a\x04\x00\x02\x04\x00b", "step 2: a byte that does not belong there (98)"),
        (b"a\x0b\x04\x00\x02\x04\x00", "-5 is not the number of a clause"),
        (b"a\x00\x04\x00\x02\x04\x00", "0 is not the number of a clause"),
        (b"a\x0a\x84\x00\x00\x02\x04\x00", "not written as it should be"),
        (b"a\x0a\x01\x00\x02\x04\x00", "not written as it should be"),
        (b"a\x0a\x04\x00\x03\x04\x00", "hint -1 is negative: RAT"),
        (b"a\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x04\x00\x00", "a number that is too large"),
        (b"a\x0a\x04\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00", "a number that is too large"),
    ],
)
def test_wrong_proofs(data, reason):
    assert reason in why(SMALL, data)
    assert not refutes(SMALL, 3, data) or b"01" in data or b"\x84\x00" in data or b"-0" in data
    for chunk in (1, 7, 64):
        assert not accepts(SMALL, data, 3, chunk)


def test_a_formula_with_an_empty_clause_needs_no_steps(path):
    assert check_lrat(make_clauses([[1], []], 1), io.BytesIO(b"")).added == 0
    assert cadical_lrat(make_clauses([[1], []], 1), path)
    assert path.read_bytes() == b""


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("keep", [1, 50, 9000])
def test_many_clauses_come_and_go(binary, keep):
    out = io.BytesIO()
    writer = LratWriter(out, binary=binary)
    writer.last = 4
    waiting = [writer.add([2], [1, 2])]
    for _ in range(10_000):
        waiting.append(writer.add([2, 3, 1], [waiting[-1]]) if writer.last % 3 else writer.add([2], [waiting[0]]))
        if len(waiting) > keep:
            writer.delete(waiting[1 : len(waiting) // 2])
            del waiting[1 : len(waiting) // 2]
    writer.delete([1, 2])
    writer.add([], [waiting[0], 3, 4])
    writer.flush()
    result = check_lrat(make_clauses(SMALL, 3), io.BytesIO(out.getvalue()), chunk=5000)
    assert result.added == 10_002
    assert result.bytes_read == len(out.getvalue())
    assert result.deleted == 10_001 - len(waiting) + 2


def test_long_steps_and_large_numbers():
    clauses = [[v] for v in range(1, 2001)] + [[-v for v in range(1, 2001)]]
    out = io.BytesIO()
    writer = LratWriter(out, binary=False)
    writer.last = (1 << 61) - 3
    writer.add([5], [5])
    writer.add([], [(1 << 61) - 2, *(v for v in range(1, 2001) if v != 5), 2001])
    writer.flush()
    for data in (out.getvalue(), converted(out.getvalue(), binary=True)):
        assert accepts(clauses, data, 2000, 100)
    assert not accepts(clauses, out.getvalue().replace(b" 1000 ", b" "), 2000)


@pytest.mark.full
def test_cadical_in_its_own_process(path, monkeypatch):
    monkeypatch.setattr(lrat, "_ask_cadical", ASK_IN_A_PROCESS)
    assert cadical_lrat(make_clauses(ALL_OF_3, 3), path, binary=False)
    assert accepts(ALL_OF_3, path.read_bytes(), 3)
    assert cadical_lrat(make_clauses(ALL_OF_3[1:], 3), path) is False
    pigeons = [[10 * p + h + 1 for h in range(10)] for p in range(11)]
    pigeons += [[-(10 * p + h + 1), -(10 * q + h + 1)] for h in range(10) for p in range(11) for q in range(p)]
    assert cadical_lrat(make_clauses(pigeons, 110), path, stop=lambda: True) is None


def make_problem(rows, low, forced=(), clashes=()):
    """A problem of options given by their items; those that share one exclude each other, and so do the clashes."""
    n = len(rows)
    excluded = [{q for q in range(n) if q != o and (set(rows[o]) & set(rows[q]) or {(o, q), (q, o)} & set(clashes))} for o in range(n)]
    exclude = np.stack([bits(np.array(sorted(e), dtype=np.int64), n) for e in excluded])
    start = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    item = np.array([i for row in rows for i in row], dtype=np.int32)
    names = tuple(f"item {i}" for i in range(len(low)))
    numbers = np.array(low, dtype=np.int64)
    return Problem(n, names, len(low), numbers, np.ones_like(numbers), start, item, exclude, tuple(forced)), excluded


class Tree:
    """A search independent of the program that branches on random items. It lists records and solutions in the order that a proof needs."""

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
