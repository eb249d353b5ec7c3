"""A count of a puzzle in parts: however small its units are made, whatever ends them, and whoever counts them again, it is the count."""

import json
from dataclasses import replace
from random import Random
from threading import Event

import pytest
from counted import counted, in_hand, job_for, without
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from brute_force import TooMuch, judge
from compare import judged_and_built, shares
from helpers import load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.plan import Plan
from puzzlesat.studies import parts, worker
from puzzlesat.studies.audit import agree
from puzzlesat.studies.cover_parts import wrong_cover
from puzzlesat.studies.merging import merge
from puzzlesat.studies.opening import open_store, open_to_read
from puzzlesat.studies.parts import CountUnit
from puzzlesat.studies.store import DONE, LEFT, UnitFound
from puzzlesat.studies.stored import heading_of, subject_in, totals_of
from puzzlesat.studies.tables import outcome, totals
from puzzlesat.studies.tables import table as table_of
from puzzlesat.studies.units import AUDIT, THIRD, WHOLE, Loaded, kept_fingerprint, kept_problem, problem_named
from strategies import GRIDS, puzzles, to_toml
from test_solution_rules import DOMINO, tiling
from tiers import every, tries

PUZZLES = {
    "tritetratan": (124, 31, 124),  # colours of half squares
    "absolut-knifflig": (148, 37, 148),  # marks
    "bits-and-bytes": (6248, 1562, 12496),  # two tiles that look the same
    "soma": (11520, 480, 11520),
    "octogram": (129168, 16146, 129168),
}
"""all, distinct, labelled."""


IMPOSSIBLE = {"title": "none", "grid": "square", "flips": True, "tiles": {"I": {"picture": "###"}}, "form": {"picture": "##\n#."}}
FREE = {
    "title": "as many as you like", "grid": "square", "flips": True, "form": {"box": [4, 4]},
    "tiles": {"I": {"picture": "##", "copies": "any"}, "M": {"picture": "#", "copies": [0, 3]}},
}  # fmt: skip
OPTIONAL = {
    "title": "may stay empty", "grid": "square", "flips": True, "form": {"box": [4, 3], "optional": [[1, 1], [4, 3], [2, 2], [3, 2]]},
    "tiles": {"I": {"picture": "##", "copies": 3}, "L": {"picture": "##\n#.", "copies": [0, 2]}},
}  # fmt: skip


def take_long(patch, level, one_step=True):
    """Whatever is above a level of the tree of parts takes too long, and a unit ends after whatever it did first: no clock decides."""
    real = parts.attempt

    def slow(problem, part, name, limits, *, most=None, silent=None):
        if limits.stop.is_set():
            return parts.Attempt("interrupted")
        if len(part) < level and limits.seconds is not None and name in (parts.TALLY, parts.SEARCH):
            return parts.Attempt("limit reached", 17, 20.0, 0.01)
        return real(problem, part, name, replace(limits, seconds=None))

    patch.setattr(parts, "attempt", slow)
    if one_step:
        patch.setattr(parts, "_time_is_up", lambda unit: True)


def check_parts(subject, known):
    """All parts that are done are the whole of each problem, each once."""
    for name, some in known.parts.items():
        assert wrong_cover(kept_problem(subject.kept, subject.built(), name), some) is None


@pytest.mark.full
@every("name", PUZZLES, fast=("tritetratan",))
def test_a_puzzle_that_takes_seconds_is_one_unit(name):
    units = counted(in_hand(name))
    assert len(units) == 1
    known = totals(units)
    assert (known.counts.all, known.counts.distinct, known.counts.labelled) == PUZZLES[name]
    assert known.burnside
    assert known.complete


LEVELS = {"tritetratan": 2, "absolut-knifflig": 1, "bits-and-bytes": 2}


@pytest.mark.full
@every("name, order, one_step", [(name, *how) for name in LEVELS for how in (("first", True), ("last", False))])
def test_however_small_the_units_the_count_is_the_same_and_every_part_is_there_once(name, order, one_step, monkeypatch):
    take_long(monkeypatch, LEVELS[name], one_step)
    subject = in_hand(name)
    units = counted(subject, order=order)
    known = totals(units)
    assert (known.counts.all, known.counts.distinct, known.counts.labelled) == PUZZLES[name]
    assert sum(map(len, known.parts.values())) > len(known.parts)
    assert len(units) > 1 or not one_step
    check_parts(subject, known)


@pytest.mark.slow
@every("name, solver", [(name, solver) for name in ("absolut-knifflig", "bits-and-bytes") for solver in (parts.TALLY, parts.SEARCH)])
def test_either_solver_counts_every_part_and_the_other_counts_it_again(name, solver, monkeypatch):
    subject = in_hand(name)
    first = parts.do(subject, job_for(parts.PLAN), Event()).result["puzzle"]
    groups = [
        {"of": of, "problem": kept_fingerprint(subject.kept, subject.built(), of), "parts": [[]]}
        for of in dict(first["problem_of"]).values()
    ]
    take_long(monkeypatch, 1)
    units = counted(subject, {"do": "parts", "parts": groups, "solver": solver, "estimate": 1.0}, audit=True)
    assert len(units) > len(groups)
    assert solver in {name for unit in units for name in unit.result["by"].values()}
    found = sum(group["found"] for unit in units for group in unit.result["parts"] if group["of"] == WHOLE)
    assert found == PUZZLES[name][0]


@pytest.mark.full
@every("role", [AUDIT, THIRD])
def test_an_audit_does_exactly_what_is_known_and_a_wrong_number_is_seen(role):
    subject = in_hand(load(OPTIONAL))
    done = parts.do(subject, job_for(parts.PLAN), Event())
    again = parts.do(subject, job_for(parts.PLAN, role=role, known=done.result), Event())
    assert agree(done.result, again.result)
    assert again.result["by"][WHOLE] != done.result["by"][WHOLE]
    wrong = json.loads(json.dumps(done.result))
    next(group for group in wrong["parts"] if group["of"] == WHOLE)["found"] += 1
    again = parts.do(subject, job_for(parts.PLAN, role=role, known=wrong), Event())
    assert not agree(wrong, again.result)
    assert agree(done.result, again.result)


COLOURED = [  # boxes of dominoes, or of dominoes and squares; perhaps with one placement fixed
    (tiling((4, 4), {"colours": 2}), None),
    (tiling((4, 4), {"colours": 3}), None),
    (tiling((3, 3), {"colours": 2}, squares=True), None),
    (tiling((3, 3), {"colours": 3, "strictly": True}, squares=True), None),
    (tiling((4, 4), {"colours": 3}), 5),
    (tiling((3, 3), {"colours": 2}, squares=True), 3),
    (tiling((3, 5), {"colours": 3}, tiles={"D": DOMINO, "L": {"atoms": [[1, 1], [2, 1], [1, 2]]}}), None),
]
LONG = COLOURED[2:4]
"""In small parts these take seconds."""


@pytest.mark.slow
@every("table, number, level", [(*case, level) for case in COLOURED for level in (0, 2) if level < 2 or case not in LONG], fast=("5",))
def test_few_colours_are_seen_on_the_solutions_of_each_part(table, number, level, monkeypatch):
    """Also on those that a symmetry leaves unchanged, whose options are several pieces; of a part nothing may be left to be covered."""
    judged, built = judged_and_built(table, number)
    subject = in_hand(built.instance)
    subject.kept["built"] = built
    take_long(monkeypatch, level)
    known = totals(counted(subject, audit=True))
    assert (known.counts.all, known.counts.distinct) == (judged.all, judged.distinct)
    assert judged.all < judged_and_built(table | {"solutions": {}}, number)[0].all
    assert known.complete and known.burnside
    check_parts(subject, known)


@every("name", ["sat", "cpsat", "backtrack:cells"], fast=("backtrack:cells",))
def test_solutions_that_are_looked_at_have_their_weight_once(name):
    """Whoever looks at solutions for their colouring adds up their weights."""
    table = COLOURED[-1][0]
    subject = in_hand(load(table))
    whole = kept_problem(subject.kept, subject.built(), WHOLE)
    assert (whole.weight > 1).any()
    assert parts.attempt(whole, (), name, Limits(seconds=60)).found == judge(table).all


@pytest.mark.full
def test_sat_counts_a_share_of_what_the_backtracker_counts_again(monkeypatch):
    """The tally refuses, as it does in space, and audits are the backtracker's too."""
    monkeypatch.setattr(parts, "AUDITS_OF_PARTS", {parts.SEARCH: (parts.SEARCH,), parts.TALLY: (parts.SEARCH,)})
    subject = in_hand("soma")
    real = parts.attempt

    def blind(problem, part, name, limits, **ends):
        done = real(problem, part, name, limits, **ends)
        return replace(done, found=done.found // 2) if name == parts.SEARCH else done

    monkeypatch.setattr(parts, "attempt", blind)  # it errs in the same way twice; SAT does not
    done = parts.do(subject, job_for(parts.PLAN), Event())
    again = parts.do(subject, job_for(parts.PLAN, role=AUDIT, known=done.result), Event())
    assert again.result["by"][WHOLE] == done.result["by"][WHOLE] == parts.SEARCH
    assert again.result["sampled"]["found"] > 0
    assert not agree(done.result, again.result)


@pytest.mark.full
@every("after", range(1, 9))
def test_what_was_stopped_gives_back_what_it_finished_and_the_rest_goes_on(after, monkeypatch):
    take_long(monkeypatch, 1, one_step=False)
    monkeypatch.setattr(parts, "_by_dives", lambda unit, one: 600.0)
    subject = in_hand("tritetratan")
    stop, finish, finished = Event(), CountUnit.finish, []

    def finish_some(unit, one, name, done):
        finish(unit, one, name, done)
        finished.append(one.part)
        if len(finished) == after:
            stop.set()

    plan = parts.do(subject, job_for(parts.PLAN), stop)
    together = [group for task in plan.follow for group in task["parts"]]
    monkeypatch.setattr(CountUnit, "finish", finish_some)
    done = parts.do(subject, job_for({"do": "parts", "parts": together, "solver": parts.SEARCH}), stop)
    assert done.complete
    assert sum(len(group["parts"]) for group in done.result["parts"]) == after
    units = [UnitFound(n, None, parts.DO, "done", result=result) for n, result in enumerate([plan.result, done.result])]
    for task in done.follow:
        units += counted(subject, task)
    assert totals(units).counts.all == 124
    check_parts(subject, totals(units))


@pytest.mark.full
@every("solver", [None, parts.TALLY, parts.SEARCH])
def test_what_was_stopped_before_anything_was_done_is_done_again(solver):
    subject, stop = in_hand("octogram"), Event()
    subject.built()
    stop.set()
    group = {"of": WHOLE, "problem": kept_fingerprint(subject.kept, subject.built(), WHOLE), "parts": [[]]}
    done = parts.do(subject, job_for({"do": "parts", "parts": [group], **({"solver": solver} if solver else {})}), stop)
    assert not done.complete
    assert done.result["parts"] == []


@every("solver, lost", [(parts.TALLY, 9.0), (parts.TALLY, 11.0), (parts.SEARCH, 1.0), (parts.SEARCH, 3.0)], fast=2)
def test_a_part_of_which_much_was_lost_goes_on_in_parts(solver, lost, monkeypatch):
    subject, stop = in_hand("tritetratan"), Event()

    def stopped(problem, part, name, limits, most=None, silent=None):
        stop.set()
        return parts.Attempt("interrupted", 3, lost, 0.1)

    group = {"of": WHOLE, "problem": kept_fingerprint(subject.kept, subject.built(), WHOLE), "parts": [[]]}
    with monkeypatch.context() as patch:
        patch.setattr(parts, "attempt", stopped)
        done = parts.do(subject, job_for({"do": "parts", "parts": [group], "solver": solver}), stop)
    assert done.result["parts"] == []
    if lost < parts.LOST_SECONDS[solver]:
        assert not done.complete
        return
    units = [unit for task in done.follow for unit in counted(subject, task)]
    some = [part for unit in units for found in unit.result["parts"] for part in found["parts"]]
    assert len(some) > 1
    assert wrong_cover(kept_problem(subject.kept, subject.built(), WHOLE), some) is None
    assert sum(found["found"] for unit in units for found in unit.result["parts"]) == 124


def test_parts_of_other_placements_are_refused():
    subject = in_hand("tritetratan")
    group = {"of": WHOLE, "problem": "0" * 16, "parts": [[]]}
    with pytest.raises(PuzzleError, match="begin a new store"):
        parts.do(subject, job_for({"do": "parts", "parts": [group], "solver": "tally"}), Event())


def test_a_plan_that_finds_that_it_takes_too_long_says_so(monkeypatch):
    take_long(monkeypatch, 2)
    done = parts.do(in_hand("soma"), job_for({**parts.PLAN, "most": 0.001}), Event())
    assert done.result["too_large"] >= 0
    assert done.follow == []
    known = totals(counted(in_hand("soma"), {**parts.PLAN, "most": 0.001}))
    assert not known.complete
    assert known.counts.all is None


@every("grid", GRIDS, fast=1)
@settings(max_examples=tries(8))
@given(
    data=st.data(), number=st.one_of(st.none(), st.integers(0, 1000)), level=st.integers(0, 3), again=st.sampled_from([None, AUDIT, THIRD])
)
def test_random_puzzles_in_parts_against_plain_enumeration(grid, data, number, level, again):
    table = data.draw(puzzles(grid))
    note(to_toml(table))
    try:
        judged, built = judged_and_built(table, number)
    except TooMuch:
        assume(False)
    subject = in_hand(built.instance)
    subject.kept["built"] = built
    with pytest.MonkeyPatch.context() as patch:
        take_long(patch, level, one_step=data.draw(st.booleans()))
        units = counted(subject, audit=again)
    known = totals(units)
    assert known.complete
    assert known.burnside
    assert known.counts.all == judged.all
    assert known.counts.labelled in (None, judged.labelled)
    if not built.puzzle.grid.of_balls:
        assert known.counts.distinct == judged.distinct
        wraps = built.puzzle.form.wrap is not None
        assert shares(known.counts.fixed.values(), wraps) == shares(judged.fixed, wraps)
    check_parts(subject, known)


# totals


def test_totals_are_a_lower_bound_while_a_unit_is_left_and_whichever_it_is(monkeypatch):
    take_long(monkeypatch, 1)
    units = counted(in_hand(load(OPTIONAL)))
    for number in range(0, len(units), max(1, len(units) // tries(10))):
        for state in ("open", "disputed", "answered", "unsettled", "set aside"):
            some = [unit._replace(state=state) if n == number else unit for n, unit in enumerate(units)]
            known = totals(some)
            assert not known.complete
            assert known.counts.all is None
            assert known.found <= 50
            assert known.share < 1
            assert outcome(known)["all"] is None
    assert outcome(totals(units)) == {"verdict": "solvable", "labelled": None, "all": 50, "distinct": 26, "agree": None}
    assert totals(without(units, 0)).found <= 50


def test_numbers_of_any_size_are_exact():
    facts = {"problem_of": [["identity", WHOLE], ["turn 180", "fixed by turn 180"]], "copies": 6, "turns": 4}
    large = 2**200 + 1
    group = {"problem": "0", "parts": [[]]}
    result = {"puzzle": facts, "parts": [{**group, "of": WHOLE, "found": large}, {**group, "of": "fixed by turn 180", "found": 3}]}
    unit = counted(in_hand(load(OPTIONAL)))[0]
    known = totals([unit._replace(result=json.loads(json.dumps(result)))])
    assert known.counts.all == large
    assert known.counts.distinct == (large + 3) // 2
    assert known.counts.labelled == 6 * large
    assert known.counts.labelled_turns == 24 * large
    assert known.burnside
    wrong = json.loads(json.dumps(unit.result))
    next(group for group in wrong["parts"] if group["of"] == WHOLE)["found"] += 1
    known = totals([unit._replace(result=wrong)])
    assert known.burnside is False
    assert outcome(known)["agree"] is False


@every("table, level", [(table, level) for table in (IMPOSSIBLE, FREE, OPTIONAL) for level in (0, 1, 3)], fast=3)
def test_puzzles_of_other_rules_are_counted_as_count_does(table, level, monkeypatch):
    instance = load(table)
    report = count(instance, Plan(("backtrack",), 0))
    take_long(monkeypatch, level)
    subject = in_hand(instance)
    units = counted(subject)
    known = totals(units)
    assert (known.counts.all, known.counts.distinct, known.counts.fixed) == (report.counts.all, report.counts.distinct, report.counts.fixed)
    check_parts(subject, known)
    assert known.counts.labelled in (report.counts.labelled, None)


def count_on(path, subject, seed, units=None):
    """Go on with a count in parts, by chance here or there, so many units."""
    random = Random(seed)
    with open_store(path, heading_of(subject, 0.3)) as store:
        store.add([(subject, [parts.PLAN])])
        while (left := [unit for state in LEFT for unit in store.left(state)]) and units != 0:
            answers = worker.do([store.job(random.choice(left))])
            store.record([replace(answer, host=f"{path.name} {seed}") for answer in answers])
            units = None if units is None else units - 1
    return path


def check_store(path, subject, name):
    with open_to_read(path) as store:
        (known,) = totals_of(store, 1)
        assert {unit.state for unit in store.units()} == {DONE}
        (row,) = table_of(store)
    assert known.complete
    assert (known.counts.all, known.counts.distinct, known.counts.labelled) == PUZZLES[name] == (row.all, row.distinct, row.labelled)
    built = Loaded(subject).built()
    for problem, some in known.parts.items():
        assert wrong_cover(problem_named(built, problem), some) is None


@pytest.mark.parametrize(
    ("one", "other", "first", "second"),
    [pytest.param(1, 2, 3, 5, marks=pytest.mark.full), pytest.param(2, 2, None, 4, marks=pytest.mark.slow)],
)
def test_whatever_two_places_have_counted_of_one_puzzle(tmp_path, monkeypatch, one, other, first, second):
    name = "tritetratan"
    subject = subject_in(name)
    for number, (level, units) in enumerate([(one, first), (other, second)]):
        take_long(monkeypatch, level)
        count_on(tmp_path / f"{number}", subject, number, units)
    merged = merge([tmp_path / "0", tmp_path / "1"], tmp_path / "together")
    assert merged.unlike == 0
    count_on(tmp_path / "together", subject, 9)
    check_store(tmp_path / "together", subject, name)
    merge([tmp_path / "1", tmp_path / "together", tmp_path / "0"], tmp_path / "again")
    count_on(tmp_path / "again", subject, 10)
    check_store(tmp_path / "again", subject, name)
