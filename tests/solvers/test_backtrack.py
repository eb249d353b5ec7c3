"""The backtracker beyond the tests of all solvers: counting only, weights, long bitsets, several cores."""

import threading
from dataclasses import replace
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puzzlesat import load
from puzzlesat.base import SILENT, Limits, NotSupportedError, Progress
from puzzlesat.puzzles import build_instance, reduce
from puzzlesat.solvers import backtrack, bitset_bytes, narrowing, parallel, tables
from search_paths import narrow_at
from strategies import cover_problems, enumerated, problem_of, some_options
from tiers import every
from try_problems import random_problem

begin = narrowing.begin
patched = settings(suppress_health_check=[*HealthCheck])


def listed(problem, given=(), layouts=backtrack.LAYOUTS, **keys):
    """The solutions in the order found, and the outcome, which must be equal in every layout."""
    return same(*(in_layout(problem, layout, given, **keys) for layout in layouts))


def in_layout(problem, layout, given=(), **keys):
    """The solutions in the order found, and the outcome."""
    blocks = []
    outcome = backtrack.solve(problem, blocks.append, Limits(**keys), given=given, layout=layout)
    return [tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()], outcome


def counted(problem, given=(), layouts=backtrack.LAYOUTS, **keys):
    """The outcome of counting only, which must be equal in every layout."""
    return same(*(([], backtrack.solve(problem, None, Limits(**keys), given=given, layout=layout)) for layout in layouts))[1]


def same(first, *others):
    """Return the results after checking that all are equal: solutions, their order, counts and work."""
    for rows, outcome in others:
        assert rows == first[0]
        assert replace(outcome, seconds=first[1].seconds) == first[1]
    return first


def whole(name):
    return build_instance(load(name)).problem


def reduced(name):
    return reduce(whole(name)).problem


@pytest.fixture
def hasty(monkeypatch):
    """Force short turns, and threads for every search."""
    monkeypatch.setattr(parallel, "NODES_A_TURN", 3)
    monkeypatch.setattr(parallel, "ROWS_A_TURN", 2)
    monkeypatch.setattr(parallel, "NODES_ALONE", 1)
    monkeypatch.setattr(parallel, "SUBTREES_A_CORE", 2)
    monkeypatch.setattr(parallel, "MAX_STORED", 10)


@pytest.fixture
def eager(monkeypatch):
    """Use threads after one turn of a thousand nodes."""
    monkeypatch.setattr(parallel, "NODES_A_TURN", 1000)
    monkeypatch.setattr(parallel, "NODES_ALONE", 1000)


@st.composite
def weighted_problems(draw):
    problem = draw(cover_problems())
    weights = st.lists(st.integers(0, 5), min_size=problem.size, max_size=problem.size)
    return replace(problem, weight=np.array(draw(weights), dtype=np.int64))


@st.composite
def problems_among_dead_options(draw):
    """A small problem, the same problem with unusable options added, and the new numbers of its options.

    So bitsets are longer than a word, and the relevant bits lie anywhere in them.
    """
    problem = draw(cover_problems())
    never, bare = len(problem.items), draw(st.booleans())  # if true, dead options have only a tile
    source, numbers, rows, tints = [], [], [], []
    for option in range(problem.size):
        entries = list(zip(problem.items_of(option).tolist(), problem.colour[problem.start[option] :].tolist(), strict=False))
        dead = [entry for entry in entries if not bare or entry[0] in problem.tiles] + [(never, 0)]
        before = draw(st.integers(0, 90))
        for own in [dead] * before + [entries]:
            rows.append([i for i, _ in own])
            tints.append([c for _, c in own])
        source += [option] * (before + 1)
        numbers.append(len(source) - 1)
    conditions = tuple(replace(c, weights=c.weights[source]) for c in problem.conditions)
    forced = tuple(numbers[o] for o in problem.forced)
    low, high = ([*bounds.tolist(), 0] for bounds in (problem.low, problem.high))
    coloured = np.flatnonzero(problem.coloured)
    larger = problem_of(rows, low, high, coloured, tints, tiles=problem.tiles, conditions=conditions, forced=forced)
    return problem, larger, numbers


@given(problems=problems_among_dead_options())
def test_bitsets_longer_than_a_word(problems):
    problem, larger, numbers = problems
    assert sorted(listed(larger)[0]) == sorted(tuple(numbers[o] for o in s) for s in enumerated(problem))


@given(data=st.data(), problem=weighted_problems())
def test_counting_without_listing(data, problem):
    prefix = some_options(data, problem)
    solutions = enumerated(problem, prefix)
    outcome = counted(problem, prefix)
    assert outcome.complete
    assert outcome.found == len(solutions)
    assert outcome.weighted == sum(prod(int(problem.weight[o]) for o in s) for s in solutions)
    plain = counted(replace(problem, weight=None), prefix)
    assert (plain.found, plain.weighted, plain.work) == (len(solutions), len(solutions), outcome.work)


@patched
@given(data=st.data(), problem=weighted_problems(), nodes=st.integers(1, 9))
def test_both_inner_loops_go_through_the_same_tree(monkeypatch, data, problem, nodes):
    """The inner loops for plain and for all problems, with turns of any length: equal solutions in the same order, and equal work."""
    prefix = some_options(data, problem)
    found = []
    with monkeypatch.context() as m:
        m.setattr(parallel, "NODES_A_TURN", nodes)
        for choice in (tables.is_plain, lambda problem: False):
            m.setattr(tables, "is_plain", choice)
            blocks = []
            outcome = backtrack.solve(problem, blocks.append, Limits(cores=1), given=prefix)
            found.append((np.concatenate([*blocks, np.empty((0, 1))], axis=None).tolist(), outcome.weighted, outcome.work))
    assert found[0] == found[1]


@given(problem=cover_problems(), limit=st.integers(1, 4))
def test_counting_up_to_a_limit(problem, limit):
    number = len(enumerated(problem))
    outcome = counted(problem, solutions=limit)
    assert outcome.found == min(number, limit)
    assert outcome.complete or outcome.found == limit
    if number > limit:
        assert outcome.status == "limit reached"


@patched
@given(problem=weighted_problems(), cores=st.integers(2, 4))
def test_cores_change_nothing(hasty, problem, cores):
    rows, one = listed(problem, cores=1)
    assert sorted(rows) == sorted(enumerated(problem))
    for outcome in (counted(problem, cores=1), counted(problem, cores=cores), listed(problem, cores=cores)[1]):
        assert (outcome.found, outcome.weighted, outcome.status, outcome.work) == (one.found, one.weighted, one.status, one.work)
    assert listed(problem, cores=cores)[0] == rows


@pytest.mark.full
@every(("name", "number"), [("soma", 11520), ("pentominoes-8x8-centre", 520), ("hexiamonds-6x6", 624)])
def test_puzzles_on_several_cores(eager, name, number):
    for problem in (whole(name), reduced(name)):
        rows, one = listed(problem, layouts=["bitsets"], cores=1)
        assert one.weighted == number
        alone = counted(problem, layouts=["bitsets"], cores=1)
        assert (alone.found, alone.weighted) == (one.found, one.weighted)
        for cores in (2, 5):
            assert listed(problem, layouts=["bitsets"], cores=cores)[0] == rows
            outcome = counted(problem, layouts=["bitsets"], cores=cores)
            assert (outcome.found, outcome.weighted, outcome.work) == (alone.found, alone.weighted, alone.work)
    found, outcome = listed(problem, layouts=["cells"], cores=2)
    assert (found, outcome.weighted, outcome.work) == (rows, one.weighted, one.work)


SMALL_ENOUGH = {"bitsets": "soma", "cells": "soma-bathtub"}
"""Sparse sets take longer."""


@pytest.mark.full
@every("layout", backtrack.LAYOUTS)
def test_few_solutions_may_wait_and_few_subtrees(eager, monkeypatch, layout):
    problem = whole(SMALL_ENOUGH[layout])
    with monkeypatch.context() as m:
        m.setattr(parallel, "MAX_STORED", 0)
        assert listed(problem, layouts=[layout], cores=3)[0] == listed(problem, layouts=[layout], cores=1)[0]
    one = counted(problem, layouts=[layout], cores=1)
    for most in (0, 1, 20, 300):
        monkeypatch.setattr(parallel, "MAX_SUBTREES", most)
        outcome = counted(problem, layouts=[layout], cores=2)
        assert (outcome.found, outcome.work) == (one.found, one.work)


@pytest.mark.full
@every(("layout", "step"), [("bitsets", 3001), ("cells", 19_001)])
def test_search_begins_in_any_depth(monkeypatch, layout, step):
    monkeypatch.setattr(parallel, "NODES_A_TURN", 1000)
    problem = reduced("pentominoes-8x8-centre")
    rows, one = listed(problem, layouts=[layout], cores=1)
    for nodes in range(1, 40_000, step):
        monkeypatch.setattr(parallel, "NODES_ALONE", nodes)
        found, outcome = listed(problem, layouts=[layout], cores=2)
        assert (found, outcome.work) == (rows, one.work)


@pytest.mark.full
@every("layout", backtrack.LAYOUTS, fast=1)
def test_limits_on_several_cores(eager, layout):
    problem = whole("pentominoes-6x10")
    before = threading.active_count()
    outcome = backtrack.solve(problem, None, Limits(cores=2, seconds=0.05), layout=layout)
    assert outcome.status == "limit reached"
    assert 0 < outcome.work["nodes"] < 3_000_000
    rows, outcome = in_layout(problem, layout, cores=2, seconds=0.05)
    assert outcome.status == "limit reached"
    assert outcome.found == len(rows)
    rows, outcome = in_layout(problem, layout, cores=2, solutions=7)
    assert (outcome.status, rows) == ("limit reached", in_layout(problem, layout, cores=1, solutions=7)[0])
    assert threading.active_count() == before


@pytest.mark.full
@every("layout", backtrack.LAYOUTS, fast=1)
def test_a_stop_or_an_interrupt_ends_the_threads(eager, layout):
    problem = whole("pentominoes-6x10")
    before = threading.active_count()
    limits = Limits(cores=3)
    seen = []

    def listen(_what, work):
        seen.append(work["nodes"])
        if work["nodes"] > 50_000:
            limits.stop.set()

    outcome = backtrack.solve(problem, None, limits, progress=Progress(listen), layout=layout)
    assert outcome.status == "interrupted"
    assert seen == sorted(seen)
    assert outcome.work["nodes"] == seen[-1]
    assert threading.active_count() == before

    def interrupt(rows):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backtrack.solve(problem, interrupt, Limits(cores=3), layout=layout)
    assert threading.active_count() == before


@patched
@given(data=st.data(), seed=st.integers(0, 1 << 30), nodes=st.integers(1, 5), level=st.integers(1, 3), cores=st.integers(2, 3))
def test_smaller_bitsets_change_no_solution(hasty, monkeypatch, data, seed, nodes, level, cores):
    """Smaller bitsets below any level, after any number of nodes: the same solutions, for any number of cores."""
    random = Random(seed)
    problem = random_problem(random)
    problem = replace(problem, weight=np.array([random.randrange(6) for _ in range(problem.size)], dtype=np.int64))
    prefix = some_options(data, problem)
    with monkeypatch.context() as m:
        narrow_at(m, level, nodes)
        m.setattr(narrowing, "SHARE", data.draw(st.sampled_from([1, 1, 2, 5])))
        rows, one = in_layout(problem, "bitsets", prefix, cores=1)
        assert sorted(rows) == sorted(enumerated(problem, prefix))
        assert one.weighted == sum(prod(int(problem.weight[o]) for o in s) for s in rows)
        others, several = in_layout(problem, "bitsets", prefix, cores=cores)
        alone = counted(problem, prefix, layouts=["bitsets"], cores=cores)
        first, limited = in_layout(problem, "bitsets", prefix, solutions=3)
    assert others == rows
    assert (one.found, one.weighted, one.work) == (several.found, several.weighted, several.work)
    assert (one.found, one.weighted, one.work) == (alone.found, alone.weighted, alone.work)
    assert first == rows[:3]
    assert limited.found == len(first)


@pytest.mark.full
def test_a_whole_problem_is_counted_by_one_placement_of_each_orbit():
    for name in ("soma", "pentominoes-8x8-centre"):
        problem = whole(name)
        rows, one = listed(problem, layouts=["bitsets"])
        outcome = counted(problem)
        assert outcome.found == outcome.weighted == one.found == len(rows)
        assert 3 * outcome.work["nodes"] < one.work["nodes"]
        given = rows[0][:1]
        assert counted(problem, given).found == sum(given[0] in row for row in rows)
        assert counted(problem, solutions=5).found == 5
        assert counted(replace(problem, forced=given)).found == sum(given[0] in row for row in rows)


@pytest.mark.full
def test_failure_in_a_thread_is_raised(eager, monkeypatch):
    def fail(self, subtree, listing):
        raise MemoryError
        yield

    monkeypatch.setattr(parallel._Walker, "search", fail)
    with pytest.raises(MemoryError):
        counted(whole("pentominoes-6x10"), cores=2)


def test_needs_beyond_any_number_of_options():
    problem = whole("soma")
    low, high = problem.low.copy(), problem.high.copy()
    low[0] = high[0] = 2**31 - 1
    assert counted(replace(problem, low=low, high=high)).found == 0


def test_factors_too_big_are_refused():
    problem = whole("soma")
    with pytest.raises(NotSupportedError, match="weights"):
        counted(replace(problem, weight=np.full(problem.size, 1 << 30)))


def test_an_option_that_can_never_be_chosen_is_given():
    """It has only one item that the search considers, and that may not be covered."""
    problem = problem_of([[0], [1]], [1, 0])
    assert listed(problem)[0] == [(0,)]
    assert listed(problem, (1,))[0] == listed(replace(problem, forced=(1,)))[0] == []


def test_many_options_cannot_be_chosen_and_the_others_have_high_numbers():
    """Numbers of options are greater than the number of entries considered."""
    lists = [[1], [1], [0], [1], [1], [0], [1], [1], [0], [0]]
    assert listed(problem_of(lists, [1, 0]))[0] == [(2,), (5,), (8,), (9,)]


def shares(problem, layout, **keys):
    """Return the progress reported after each turn, in millionths."""
    told = []
    backtrack.solve(
        problem, keys.pop("on_solutions", None), Limits(**keys), layout=layout, progress=Progress(lambda _, work: told.append(work))
    )
    assert all("nodes" in counters for counters in told)
    seen = [counters["share_ppm"] for counters in told if "share_ppm" in counters]
    assert seen == sorted(seen)
    assert not seen or seen[-1] == 1_000_000
    return seen


@pytest.mark.full
@every(("cores", "on_solutions"), product([1, 3], [None, len]))
def test_the_share_that_is_done_grows_from_nothing_to_all(eager, monkeypatch, cores, on_solutions):
    names = ["soma", "pentominoes-8x8-centre"]
    for layout, name, below in [*product(backtrack.LAYOUTS, names, [None]), ("bitsets", names[1], 300)]:
        if below is not None:  # with smaller bitsets, too
            monkeypatch.setattr(narrowing, "NODES_BELOW", below)
            monkeypatch.setattr(narrowing, "NODES_BEFORE", 2000)
        seen = shares(reduced(name), layout, cores=cores, on_solutions=on_solutions)
        assert seen[0] < 500_000
        assert len(set(seen)) > (5 if below is None else 1)


@patched
@given(problem=cover_problems(), cores=st.integers(1, 3), layout=st.sampled_from(backtrack.LAYOUTS))
def test_the_shares_add_up(hasty, problem, cores, layout):
    shares(problem, layout, cores=cores)


@every("layout", backtrack.LAYOUTS)
def test_what_is_over_before_it_begins_is_all_done(layout):
    """A forced option covers an item that may not be covered. The share of such a random problem once stayed 0."""
    assert shares(problem_of([[0, 1]], [1, 0], forced=(0,)), layout) == [1_000_000]


def test_large_problems_are_searched_by_sparse_sets(monkeypatch):
    problem = reduced("soma")
    for most, memory, layout in ((1 << 30, None, "bitsets"), (1 << 10, None, "cells"), (1 << 30, bitset_bytes(problem) - 1, "cells")):
        monkeypatch.setattr(backtrack, "BITSET_BYTES", most)
        assert backtrack.fitting(problem, Limits(memory=memory)) == layout
        assert backtrack.solve(problem, None, Limits(memory=memory)).found == 480
    for memory, left in ((1 << 10, "less than 2 MiB is left for them; allow more with --memory"), (0, "no memory is left for them")):
        with pytest.raises(NotSupportedError, match=left):
            backtrack.solve(problem, None, Limits(memory=memory))
    with pytest.raises(NotSupportedError, match="use --solver backtrack:cells"):
        backtrack.solve(problem, None, Limits(memory=bitset_bytes(problem) - 1), layout="bitsets")


def dominoes(width, height):
    """Return the problem of two dominoes: one option for each pair of neighbours."""
    squares = np.arange(width * height, dtype=np.int32).reshape(height, width)
    pairs = np.concatenate(
        [np.stack([squares[:, :-1], squares[:, 1:]], -1).reshape(-1, 2), np.stack([squares[:-1], squares[1:]], -1).reshape(-1, 2)]
    )
    return problem_of(pairs.tolist(), [1] * squares.size)


@pytest.mark.full
def test_a_limit_holds_for_problems_of_many_placements():
    """Bitsets of 200,000 options would need gigabytes; a turn is short although each option excludes many others."""
    outcome = backtrack.solve(dominoes(320, 320), None, Limits(seconds=0.2, cores=1))
    assert outcome.status == "limit reached"
    assert outcome.work["nodes"] > 0
    assert in_layout(dominoes(4, 4), "cells")[1].found == 36


@pytest.mark.full
@every(("more", "made"), [(-1, False), (1, True)])
def test_smaller_bitsets_are_made_where_each_core_has_room_for_its_own(eager, monkeypatch, more, made):
    """Two cores need bitsets of three searches (one above the subtrees), which once took half a gigabyte more than --memory."""
    problem = reduced("octogram")
    narrow_at(monkeypatch, 1)
    laid, start = backtrack.LAID["bitsets"](problem, Limits(), SILENT)
    need = bitset_bytes(problem) + 3 * narrowing.narrowed_bytes(problem, laid.tables)
    laid, start = backtrack.LAID["bitsets"](problem, Limits(memory=need + more, cores=2), SILENT)
    assert (laid.narrow(start(())) is not None) == made
