"""The tally against brute force and the other solvers; solutions by their numbers, found without a list, against all put in order."""

import tracemalloc
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from math import factorial
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import puzzlesat
from helpers import load, solution_set
from puzzlesat.base import Clock, Limits, NotSupportedError, Progress, PuzzleError, padded_rows
from puzzlesat.counting.tallied_counts import tallied as tallied_counts
from puzzlesat.puzzles import CoverProblem, build_instance, quotient
from puzzlesat.solvers import SOLVERS, in_order, numbering, solver
from puzzlesat.solvers.tally import levels, moves, ranks, shapes
from puzzlesat.solvers.tally.moves import positions_of, scan_order
from strategies import cover_problems, enumerated, large_puzzle, problem_of, puzzles, some_options
from tally_ways import WAYS, tally_by
from tiers import every


def tallied(problem, given=(), limits=None):
    outcome = solver("tally")(problem)(lambda rows: None, limits or Limits(), given=given)
    assert outcome.complete
    return outcome.found


@every(("name", "number", "shards"), [("hexiamonds-6x6", 624, 0), ("octogram", 129_168, 6)], fast=1)
def test_wide_forms_are_parted_where_shapes_are_many(name, number, shards):
    """Both are wide and have symmetries; hexiamonds have few shapes, and nine shards would take three times as long."""
    outcome = solver("tally")(build_instance(puzzlesat.load(name)).problem)(None, Limits(cores=1))
    assert (outcome.found, outcome.work.get("shards", 0)) == (number, shards)


def built(table):
    """The cover problem of random tables, and how many solutions the backtracker lists; refused problems are skipped."""
    try:
        problem = build_instance(load(table)).problem
    except PuzzleError:
        assume(False)
    return problem, len(solution_set(problem, "backtrack"))


@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_it_counts_what_enumeration_finds_or_refuses(problem, data):
    prefix = some_options(data, problem, 3)
    try:
        assert tallied(problem) == len(enumerated(problem))
        assert tallied(problem, prefix) == len(enumerated(problem, prefix))
    except NotSupportedError as error:
        assert "colours that must" in str(error) or "fills no position" in str(error)


@given(table=puzzles(flat=False))
def test_it_counts_random_puzzles_as_the_backtracker_does(table):
    problem, listed = built(table)
    try:
        assert tallied(problem) == listed
    except NotSupportedError as error:
        assert "fills no position" in str(error)


@pytest.mark.full
@given(table=puzzles(flat=False), data=st.data())
def test_a_quotient_has_the_solutions_that_the_symmetry_fixes(table, data):
    problem, _ = built(table)
    assume(len(problem.symmetries) > 1)
    number = data.draw(st.integers(0, len(problem.symmetries) - 1))
    image = problem.images[number]
    fixed = [s for s in solution_set(problem, "backtrack") if {int(image[o]) for o in s} == set(s)]
    small = quotient(problem, number)
    assert len(solution_set(small, "backtrack")) == len(fixed)
    assert len(solution_set(small, "sat")) == len(fixed)
    try:
        assert tallied(small) == len(fixed)
    except NotSupportedError as error:
        assert "fills no position" in str(error)


@pytest.mark.full
@every("cores", [1, 2])
def test_levels_in_parts_are_more_work_and_the_same_count(cores, monkeypatch):
    """The lists of a shape are computed again for each part that leads to it."""
    problem = build_instance(load({"title": "t", "model": "pentominoes", "form": {"box": [15, 4]}})).problem
    whole = solver("tally")(problem)(None, Limits())
    for name, value in (("ENTRIES_A_TURN", 1), ("ENTRIES_TO_SHARE", 0), ("MAX_PARTS", 1 << 20)):
        monkeypatch.setattr(levels, name, value)
    monkeypatch.setattr(levels._LevelWays, "_room", lambda *_, **__: 6000)
    parts = solver("tally")(problem)(None, Limits(cores=cores))
    assert whole.found == parts.found == 368 * 4
    assert parts.work["states"] > whole.work["states"]
    assert "shards" not in parts.work


def test_the_last_place_of_a_hash_table_belongs_to_records():
    """This place was once cleared like the place for refused moves, which only dense tables have: the count was 1 instead of 4."""
    tiles = {"t0": {"atoms": [[2, 2, "f"]]}, "t1": {"atoms": [[3, 1, "f"], [3, 2, "f"]]}, "t2": {"atoms": [[4, 1, "f"], [4, 2, "f"]]}}
    form = {"box": [4, 2], "remove": [[1, 1, "f"], [1, 2, "f"], [2, 1, "f"]]}
    problem = build_instance(load({"title": "random", "grid": "square", "flips": False, "tiles": tiles, "form": form})).problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "DENSE_BITS", -1)
        assert tallied(problem) == 4


def listed(problem, most=20_000):
    """The solutions that the backtracker finds, as rows of equal width; None if there are too many."""
    blocks = []
    outcome = solver("backtrack")(problem)(blocks.append, Limits(solutions=most))
    if not outcome.complete:
        return None
    width = max((b.shape[1] for b in blocks), default=1)
    padded = [np.pad(b, ((0, 0), (0, width - b.shape[1])), constant_values=-1) for b in blocks]
    return np.concatenate([np.empty((0, width), np.int32), *padded])


def unchanged(rows, image):
    """Return the number of solutions fixed by a symmetry."""
    moved = np.append(image, -1)[rows]
    return int((np.sort(moved, axis=1) == np.sort(rows, axis=1)).all(axis=1).sum())


def scattered(problem, lumps, seed):
    """Add ``lumps`` groups of eight items, each covered by one new tile; return the problem and an order that mixes them in."""
    n, many = len(problem.items), 8 * lumps
    random = np.random.default_rng(seed)
    more, tile = np.arange(n, n + many, dtype=np.int32), n + many
    centres = np.full((tile + 1, problem.centres.shape[1]), np.nan)
    centres[:n], centres[more] = problem.centres, 0
    old = np.flatnonzero(~np.isnan(problem.centres[:, 0]))
    pairs = [(m - 1, m) if m % 8 != n % 8 else (random.choice(old), m) for m in more]
    wider = problem_of(
        [*map(problem.items_of, range(problem.size)), *np.insert(more.reshape(lumps, 8), 8, tile, axis=1)],
        [*problem.low, *[1] * many, lumps],
        [*problem.high, *[1] * many, lumps],
        np.flatnonzero(problem.coloured),
        [problem.colour, [0] * 9 * lumps],
        tiles=[*problem.tiles, tile],
        conditions=tuple(replace(c, weights=np.append(c.weights, np.zeros(lumps, np.int64))) for c in problem.conditions),
        centres=centres,
        adjacent=None if problem.adjacent is None else np.array([*problem.adjacent.tolist(), *pairs], dtype=np.int32),
    )

    def order(some, positions, enough):
        """The other items come in their order, with the lumps between them; some lumps may be torn apart."""
        inner, outer = moves_scan_order(some, positions[positions < n]), positions[positions >= n]
        places = np.sort(random.integers(0, len(inner) + 1, lumps)).repeat(8)
        torn = random.random(len(places)) < random.choice([0, 0.05])
        places[torn] = random.integers(0, len(inner) + 1, len(places))[torn]
        return np.insert(inner, places, outer)

    return wider, order


moves_scan_order = moves.scan_order


@pytest.mark.slow
def test_large_puzzles_every_way():
    """Puzzles so large that parts are cut off, both ends meet, and windows have several words; also solutions fixed by symmetries."""
    seen = Counter()
    honest = {
        (place, name): getattr(place, name) for place, name in [(levels._LevelWays, "_meet"), (shapes, "_shores"), (shapes, "_empty_graph")]
    }

    def spy(place, name):
        def call(*args):
            seen[name] += 1
            if name == "_empty_graph":
                seen["several words"] += args[0].mask.shape[1] > 1
                seen["colours"] += args[0].dying.shape[1] > 0
            found = honest[place, name](*args)
            seen["far neighbours"] += name == "_shores" and found.known and found.back > 8
            seen["neighbours too far"] += name == "_shores" and not found.known and found.back > 30
            return found

        return call

    def check(problem, expected, what, limits=None):
        try:
            outcome = solver("tally")(problem)(lambda rows: None, replace(limits or Limits(), shapes=10_000))
        except NotSupportedError as error:
            refusals = ("fills no position", "more than 10,000 shapes", "tally: too large,", "states and more need more than")
            assert any(refusal in str(error) for refusal in refusals)
            return
        assert outcome.complete
        seen[f"{what}, parts cut off"] += expected > 0 and outcome.work.get("rejected", 0) > 0
        assert outcome.found == expected, what

    def count(random):
        try:
            problem = build_instance(load(large_puzzle(random))).problem
        except PuzzleError:
            return
        rows = listed(problem)
        if rows is None:
            return
        seen["puzzles"] += 1
        check(problem, len(rows), "narrow")
        for way in WAYS:
            with tally_by(way) as limits:
                check(problem, len(rows), way, limits)
        for number in range(1, len(problem.symmetries)):
            check(quotient(problem, number), unchanged(rows, problem.images[number]), "quotient")
        for lumps in (2, 8):
            wider, order = scattered(problem, lumps, random.randint(0, 99))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(moves, "scan_order", order)
                check(wider, len(rows), f"among {lumps} lumps")

    with pytest.MonkeyPatch.context() as patch:
        for place, name in honest:
            patch.setattr(place, name, spy(place, name))
        for seed in range(160):
            count(Random(seed))
    for what in ("_meet", "several words", "colours", "far neighbours", "neighbours too far"):
        assert seen[what] > 0, what
    for what in ("narrow", "shapes of several words", "quotient", "among 2 lumps", "among 8 lumps"):
        assert seen[f"{what}, parts cut off"] > 0, what


def places_of_tiles(n, reach=99):
    """Return the problem of n tiles on n places, each at most ``reach`` from its own place."""
    lists = [[i, n + t] for i in range(n) for t in range(n) if abs(i - t) <= reach]
    return problem_of(lists, [1] * 2 * n, tiles=range(n, 2 * n))


@every("dense_bits", [-1, 21])
@every("n", range(2, 10), fast=4)
def test_permutations(n, dense_bits, monkeypatch):
    """Any tile on any place: all records of a level occur."""
    monkeypatch.setattr(levels, "DENSE_BITS", dense_bits)
    assert tallied(places_of_tiles(n)) == factorial(n)


def test_more_tiles_than_a_dense_table_takes():
    """Tile t lies on one of the places t-2 to t+2: the numbers are the permanents of band matrices."""
    for n in (22, 24):
        ways = {0: 1}
        for i in range(n):
            further = Counter()
            for used, number in ways.items():
                for t in range(max(0, i - 2), min(n, i + 3)):
                    if not used >> t & 1:
                        further[used | 1 << t] += number
            ways = further
        assert tallied(places_of_tiles(n, 2)) == sum(ways.values())


@every("doublings", [13, 14, 15, 61, 62, 63, 70], fast=1)
def test_sums_that_stay_at_their_least_value_do_not_overflow(doublings):
    """A single move merges four records into one, so numbers become four times as large."""
    n = doublings + 2
    u, v = n, n + 1
    rows = [[0], [0, u], [0, v], [0, u, v], *([i] for i in range(1, n - 1) for _ in range(2)), [n - 1, u, v]]
    assert tallied(problem_of(rows, [1] * n + [1, 1], [1] * n + [CoverProblem.UNLIMITED, CoverProblem.UNLIMITED])) == 4 * 2**doublings


@every(("box", "atoms", "expected"), [([1, 1], [[1, 1, "f"]], 1), ([2, 2], [[1, 1, "f"], [2, 1, "f"], [3, 1, "f"]], 0)])
def test_symmetries_that_move_no_placement(box, atoms, expected):
    built = build_instance(load({"title": "t", "grid": "square", "flips": True, "tiles": {"t": {"atoms": atoms}}, "form": {"box": box}}))
    assert len(built.problem.symmetries) == 8
    counts = tallied_counts("tally", built, built.problem, Limits()).counts
    assert (counts.all, counts.distinct) == (expected, expected)
    assert set(counts.fixed.values()) == {expected}


@every(
    ("n", "copies", "memory", "what"),
    [(16, 80, 1 << 16, "shapes and what"), (16, "any", 1 << 10, "frontiers of"), (18, None, 1 << 20, "states and more")],
)
def test_too_little_memory_is_refused(n, copies, memory, what):
    """Eighty dominoes on 16 x 10 have too many shapes, or without limit too large a frontier; permutations have too many states."""
    problem = dominoes(n, 10, copies) if copies else places_of_tiles(n)
    with pytest.raises(NotSupportedError, match=f"{what}.* MiB.*--memory"):
        solver("tally")(problem)(lambda rows: None, Limits(memory=memory))


def dominoes(width, height, copies="any", squares=None):
    tiles = {"d": {"atoms": [[1, 1, "f"], [1, 2, "f"]], "copies": copies}}
    if squares:
        tiles["t"] = {"atoms": [[1, 1, "f"]], "copies": [0, squares]}
    return build_instance(load({"title": "t", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": [width, height]}})).problem


@pytest.mark.full
@every(
    ("name", "way"),
    [("pentominoes-3x20", "small steps"), ("pentominoes-6x10", "shards, one of each orbit"), ("dominoes-8x8", "a sweep in small turns")],
)
def test_the_share_that_is_done_grows_and_is_no_counter_of_the_work(name, way):
    shares = []
    with tally_by(way) as limits:
        progress = Progress(lambda what, counters: shares.append(counters.get(Progress.SHARE, 0)))
        outcome = solver("tally")(build_instance(puzzlesat.load(name)).problem)(None, replace(limits, cores=1), progress=progress)
    assert outcome.complete
    assert Progress.SHARE not in outcome.work
    assert max(shares) <= 1_000_000
    assert len(set(shares)) > 5
    told = [share for share in shares if share]
    assert told == sorted(told)


@pytest.mark.full
@pytest.mark.parametrize("memory", [8, 32])
@every("name", ["solid-pentominoes-3x4x5", "pentominoes-6x10", "stones-and-bones-triangle-11"])
def test_it_takes_no_more_memory_than_it_may(name, memory):
    """It changes to parts and shards in time, or refuses; all allocated memory counts, also unused memory."""
    problem = build_instance(puzzlesat.load(name)).problem
    ask = solver("tally")(problem)
    with suppress(NotSupportedError):  # exclude the time of compiling and loading
        ask(None, Limits(shapes=1))
    tracemalloc.start()
    with suppress(NotSupportedError):
        assert ask(None, Limits(memory=memory << 20)).complete
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < memory + 4 << 20


NUMBERING = [name for name, row in SOLVERS.items() if row.numbers]
NUMBERED = {
    "as it is": [],
    "shapes of several words": [(shapes, "_steps", lambda moves: None)],
    "small steps": [(ranks, "FIRST_STATES", 1), (ranks, "SHAPES_A_TURN", 1), (ranks, "STATES_A_TURN", 1), (ranks, "GROWTH", 1)],
    "numbers of several words": [(ranks, "FIRST_WORDS", 3)],
}


def numbered(problem, given=(), name="tally", limits=None):
    """Return all solutions in the order of their numbers; the count must be complete."""
    outcome, find = numbering(name)(problem, limits or Limits(), given=given)
    assert outcome.complete
    return [find(number) for number in range(outcome.found)]


def by_the_book(problem, solutions, given=()):
    """Sort solutions by the option at each position in turn; no option comes last. This is the order if no options are given."""
    order = scan_order(problem, positions_of(problem))

    def at(solution):
        options = {int(item): option for option in solution for item in problem.items_of(option)}
        return [options.get(int(position), problem.size) for position in order]

    return sorted(solutions, key=at)


def by_way(way, problem, given=()):
    """Return the solutions in the order of their numbers, found in one of the ways; None if the solver refuses."""
    with pytest.MonkeyPatch.context() as patch:
        for place, name, value in NUMBERED[way]:
            patch.setattr(place, name, value)
        try:
            return numbered(problem, given)
        except NotSupportedError as error:
            assert any(what in str(error) for what in ("colours that must", "fills no position"))
            return None


@pytest.mark.full
@every("way", NUMBERED)
@given(problem=cover_problems(coloured_needs=True), data=st.data())
def test_numbers_are_those_of_the_ordered_list_of_all_solutions(way, problem, data):
    for chosen in ([], some_options(data, problem, 3)):
        expected = enumerated(problem, chosen)
        found = by_way(way, problem, chosen)
        if found is None:
            continue
        assert set(found) == expected
        assert len(found) == len(expected)
        rows = in_order(problem, padded_rows(sorted(expected)), chosen)
        assert [tuple(o for o in row if o >= 0) for row in rows.tolist()] == found
        if not chosen and not problem.forced:
            assert found == by_the_book(problem, expected)


@pytest.mark.slow
def test_numbers_of_large_puzzles():
    """Puzzles so large that the states are found from both ends, with several words a window, with colours, and with optional atoms."""
    seen = Counter()
    for seed in range(120):
        try:
            problem = build_instance(load(large_puzzle(Random(seed)))).problem.without_implied()
            outcome, find = numbering("tally")(problem, Limits(memory=1 << 28))
        except (PuzzleError, NotSupportedError):
            continue
        seen["puzzles"] += 1
        seen["impossible"] += not outcome.found
        if outcome.found > 5000:
            some = Random(seed).sample(range(outcome.found), 20)
            rows = padded_rows([find(number) for number in sorted(some)])
            assert in_order(problem, rows[::-1]).tolist() == rows.tolist()
            assert len(np.unique(rows, axis=0)) == len(rows)
            seen["many"] += 1
            continue
        expected = solution_set(problem, "backtrack")
        found = [find(number) for number in range(outcome.found)]
        assert found == by_the_book(problem, expected)
        seen["listed"] += bool(found)
    assert seen["listed"] > 20
    assert seen["many"] > 5
    assert seen["impossible"] > 5


@pytest.mark.full
@every("name", NUMBERING)
@every(("mib", "what"), [(1, "shapes and what they lead to"), (8, "states and more, each with its number,")])
def test_too_little_memory_gives_no_number(name, mib, what):
    with pytest.raises(NotSupportedError, match=f"{what} need more than {mib} MiB; allow more with --memory"):
        numbering(name)(dominoes(10, 12, squares=99), Limits(memory=mib << 20))


@pytest.mark.full
@every("once", ["interrupted", "limit reached", "out of memory"])
@every("way", ["counted", "numbered"])
def test_what_was_stopped_is_never_complete(way, once, monkeypatch):
    """A limit may be reported only once, for example a memory limit that is checked now and then. This once gave a complete count of 0."""
    problem = build_instance(puzzlesat.load("dominoes-4x4")).problem
    solver("tally")(problem)(None, Limits())  # compile first; compiling also asks
    numbering("tally")(problem, Limits())
    said = iter([once])
    monkeypatch.setattr(Clock, "verdict", lambda self, found: next(said, None))
    outcome = solver("tally")(problem)(None, Limits()) if way == "counted" else numbering("tally")(problem, Limits())[0]
    assert outcome.status == once
    assert not outcome.complete


@every("name", NUMBERING)
def test_a_limit_of_time_gives_no_number(name):
    outcome, find = numbering(name)(dominoes(14, 14), Limits(seconds=0))
    assert not outcome.complete
    assert outcome.found == 0
    with pytest.raises(IndexError):
        find(0)
