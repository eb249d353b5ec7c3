"""Rules on solutions: known figures, two ways to compute each, the refusals of each rule, and names of placements."""

import json
import re
import shlex
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from brute_force import judge
from compare import check_small
from helpers import load, solution_set
from puzzlesat.base import ContradictionError, Limits, NotSupportedError, PuzzleError
from puzzlesat.cli.main import app
from puzzlesat.counting.conventions import variants
from puzzlesat.counting.crosscheck import Plan
from puzzlesat.counting.crosscheck import count as cross_count
from puzzlesat.formats import cover_lines, instance_in, writable
from puzzlesat.pictures.palette import solution_colours
from puzzlesat.proofs.statement import solution_check
from puzzlesat.puzzles import build_instance, quotient
from puzzlesat.puzzles import problem as cover_problems
from puzzlesat.solvers.registry import listing, numbering, solver
from tiers import every

DOMINO = {"atoms": [[1, 1], [2, 1]], "copies": "any"}
SQUARE = {"atoms": [[1, 1]], "copies": "any"}
STICKS = {"I": {"atoms": [[1, 1, "e"], [2, 1, "e"]], "copies": "any"}, "S": {"atoms": [[1, 1, "e"]], "copies": "any"}}


def tiling(box, rules, *, squares=False, **more):
    tiles = {"D": DOMINO} | ({"S": SQUARE} if squares else {})
    return {"title": "T", "grid": "square", "flips": True, "tiles": tiles, "form": {"box": list(box)}, "solutions": rules} | more


def counted(table, name="backtrack"):
    return len(solution_set(build_instance(load(table).puzzle).problem, name))


# no crossroads: D. Hickerson, OEIS A068924 (dominoes, 5 x 2n); F. Ruskey, Y. Yamauchi, OEIS A192090 (with squares, 4 x n)
TATAMI = {(5, 2): 6, (5, 4): 3, (5, 6): 2, (5, 8): 2, (5, 10): 4}
WITH_SQUARES = {(4, 2): 29, (4, 3): 44, (4, 4): 66, (4, 5): 126}
# G. Dresden, O. J. Alabi, OEIS A334396: fault-free tilings of 3 x n with squares and dominoes
FAULT_FREE = {(3, 2): 0, (3, 3): 2, (3, 4): 2, (3, 5): 10, (3, 6): 16, (3, 7): 52}
KNOWN = (("no_crossroads", True, WITH_SQUARES), ("fault_free", True, FAULT_FREE), ("no_crossroads", False, TATAMI))


@every(
    ("rule", "squares", "box", "number"),
    [pytest.param(rule, squares, box, number, id=f"{rule} {box}") for rule, squares, known in KNOWN for box, number in known.items()],
    fast=5,
)
def test_known_figures(rule, squares, box, number):
    names = ["backtrack"] if squares else listing()
    assert {counted(tiling(box, {rule: True}, squares=squares), name) for name in names} == {number}


def test_rules_shrink_the_symmetries_to_those_that_keep_them():
    tall = tiling((4, 4), {"symmetric": "mirror 90"})
    assert {*build_instance(load(tall).puzzle).problem.symmetries} == {"identity", "turn 180", "mirror 90", "mirror 0"}
    both = tiling((4, 4), {"symmetric": ["mirror 90", "mirror 0"]})
    assert len(build_instance(load(both).puzzle).problem.symmetries) == 8
    corner = tiling((4, 4), {"holds": [{"tiles": ["D"], "atoms": [[1, 1]], "equals": 0}]}, squares=True)
    assert {*build_instance(load(corner).puzzle).problem.symmetries} == {"identity", "mirror 45"}


CORNERS = {
    name: {"atoms": atoms, "copies": [0, 2], "flips": False, "turns": "none"}
    for name, atoms in {
        "P": [[1, 1], [2, 1], [1, 2]], "Q": [[1, 1], [2, 1], [2, 2]], "R": [[1, 2], [2, 1], [2, 2]], "S": [[1, 1], [1, 2], [2, 2]],
    }.items()
}  # fmt: skip
SMALL = {
    "crossroads where squares may stay empty": tiling(
        (3, 3), {"no_crossroads": True}, squares=True, form={"box": [3, 3], "optional": [[1, 1], [3, 3], [2, 1]]},
    ),
    "squares that touch at a corner where there are but two": tiling(
        (4, 2), {"apart": [["S"]], "strictly": True}, squares=True, form={"atoms": [[1, 1], [2, 2], [3, 1], [3, 2], [4, 1]]},
    ),
    "symmetric, with squares that stay empty": tiling((4, 2), {"symmetric": "turn 180"}, form={"box": [4, 2], "optional": "all"}),
    "crossroads on a seam": tiling((3, 2), {"no_crossroads": True}, squares=True, form={"box": [3, 2], "wrap": [{"move": [3, 0]}]}),
    "a stick that runs straight through where it meets itself": tiling(
        (1, 2), {"no_crossroads": True}, grid="triangle-edges", tiles=STICKS,
        form={"box": [1, 2], "wrap": [{"move": [1, 0]}, {"move": [0, 2]}], "optional": [[1, 1, "ne"]]},
    ),
    "a seam is no border": tiling((2, 3), {"touch_border": ["D"]}, squares=True, form={"box": [2, 3], "wrap": [{"move": [2, 0]}]}),
    "one of some, or several": tiling((3, 2), {"one_of": [["D.1@1.1", "D.1@1.2", "D.1@2.2"]]}, squares=True),
    "an outline beside which squares may stay empty": tiling(
        (3, 2), {"symmetric_outline": [{"tiles": ["D"], "under": "mirror 90"}]}, squares=True,
        form={"box": [3, 2], "optional": [[1, 1], [3, 1], [1, 2], [3, 2]]},
    ),
    "mirror images of which one stays apart": tiling((4, 2), {"apart": [["P"]]}, tiles=CORNERS | {"O": SQUARE}),
    "an outline that one mirror of the square keeps": tiling(
        (2, 2), {"symmetric_outline": [{"tiles": ["D"], "under": "mirror 0"}]}, squares=True,
    ),
}  # fmt: skip


@every("case", SMALL)
def test_small_puzzles_have_the_counts_of_the_judge(case):
    assert 0 < check_small(SMALL[case]).all < judge(SMALL[case] | {"solutions": {}}).all


@every("rules", [{"forbidden": ["D.1@2.1", "D.1@1.3"]}, {"one_of": [["D.1@2.1", "D.1@1.1"], ["D.1@1.3"]]}], fast=("0",))
def test_placements_by_name(rules):
    table = tiling((4, 3), rules)
    plain = judge(table | {"solutions": {}})
    judged, built = judge(table), build_instance(load(table))
    assert counted(table) == judged.all < plain.all
    assert len(built.problem.symmetries) == len(judged.symmetries) < 4
    report = cross_count(built.instance, Plan(solvers=("backtrack", "sat", "cpsat", "tally"), budget=10.0))
    assert (report.complete, report.disagreements) == (True, ())
    assert (report.counts.all, report.counts.distinct) == (judged.all, judged.distinct)


def test_each_tile_holds_one_red_cell():
    red = [[x, y] for x, y in product(range(1, 5), range(1, 3)) if x % 2]
    table = tiling((4, 2), {"holds": [{"colour": "red", "equals": 1}]}, form={"box": [4, 2], "colours": {"red": red}})
    assert counted(table) == judge(table).all == 1  # all dominoes lie


@pytest.mark.full
@every(
    ("rules", "said"),
    [
        ({"no_crossroads": True}, "no crossroads"),
        ({"fault_free": True}, "fault free"),
        ({"symmetric": "turn 180"}, "symmetric"),
        ({"symmetric_outline": [{"tiles": ["S"], "under": "turn 180"}]}, "symmetric outline 1"),
        ({"colours": 2}, "colours"),
        ({"apart": [["S"]]}, "apart 1"),
        ({"apart": [["S"]], "strictly": True}, "apart 1"),
        ({"touch_border": ["D"]}, "touch border"),
        ({"inside": ["S"]}, "inside"),
        ({"holds": [{"tiles": ["S"], "atoms": [[1, 1]], "equals": 0}]}, "holds 1"),
        ({"forbidden": ["D.1@1.1"]}, "forbidden"),
        ({"one_of": [["D.1@1.1"]]}, "one of 1"),
    ],
)
def test_a_solution_that_breaks_a_rule_is_refused_on_the_geometry(rules, said):
    """Check solutions of the puzzle without the rule against the puzzle with it: exactly the judge's solutions pass."""
    box = (4, 4) if "touch_border" in rules else (3, 4)
    table = tiling(box, rules, squares=True)
    ruled, plain = load(table).puzzle, build_instance(load(table | {"solutions": {}}).puzzle)
    check = solution_check(replace(plain, puzzle=ruled))
    verdicts = [check(np.array([row], dtype=np.int32)) for row in sorted(solution_set(plain.problem))]
    assert verdicts.count(None) == counted(table)
    assert len({*verdicts} - {None}) > 0
    assert all(f"the rule '[solutions] {said}' " in v for v in verdicts if v is not None)


@every(
    ("change", "said"),
    [
        ({"solutions": {"symmetric": "turn 45"}}, "solutions.symmetric: 'turn 45' is not a symmetry of the form"),
        ({"solutions": {"strictly": True}}, "strictly: it changes colours and apart"),
        ({"solutions": {"touch_border": "all", "inside": ["D"]}}, "solutions.inside: 'D' is in touch_border too"),
        ({"solutions": {"holds": [{"colour": "red", "equals": 1}]}}, "holds\\]\\] number 1: colour: no atom of the form is 'red'"),
        ({"solutions": {"holds": [{"atoms": [[9, 9]], "equals": 1}]}}, "holds\\]\\] number 1: atoms: .* is not in the form"),
        ({"solutions": {"forbidden": ["D.9@1.1"]}}, "solutions.forbidden: 'D.9@1.1' is not a placement"),
        ({"solutions": {"one_of": [["D.1@1.1", "D.1@1.1"]]}}, "solutions.one_of: 'D.1@1.1' is listed twice"),
        ({"solutions": {"fault_free": True}, "form": {"box": [3, 2], "wrap": [{"move": [3, 0]}]}}, "does not work on forms that wrap"),
        (
            {"solutions": {"no_crossroads": True}, "grid": "cube", "form": {"box": [2, 2, 2]}, "tiles": {"D": {"atoms": [[1, 1, 1]]}}},
            "in space",
        ),
        ({"solutions": {"fault_free": True}, "grid": "square-slots"}, "no straight line lies between tiles"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(change, said):
    with pytest.raises(PuzzleError, match=said):
        build_instance(load(tiling((4, 3), {}) | change))


def test_what_never_sees_whole_solutions_refuses_to_colour():
    """A count that ignores the colouring would be wrong, so each of these must refuse."""
    problem = build_instance(load(tiling((4, 4), {"colours": 2})).puzzle).problem
    for one in (problem, quotient(problem, 1)):
        with pytest.raises(NotSupportedError, match="coloured"):
            solver("tally")(one)(None, Limits())
    with pytest.raises(NotSupportedError, match="coloured"):
        numbering("tally")(problem, Limits())
    for format in writable("cover problem"):
        with pytest.raises(NotSupportedError, match="coloured"):
            list(cover_lines(problem, format.name))


@pytest.mark.full
@every("colours", [2, 3], fast=1)
def test_solutions_that_a_symmetry_leaves_as_they_are_are_coloured_piece_by_piece(colours):
    problem = build_instance(load(tiling((4, 4), {"colours": colours})).puzzle).problem
    every = solution_set(problem)
    for g, image in enumerate(problem.images):
        kept = [row for row in every if {int(image[o]) for o in row} == {*row}]
        assert solver("backtrack")(quotient(problem, g))(None, Limits()).found == len(kept)


@pytest.mark.full
@every("name", listing())
def test_a_number_of_coloured_solutions(name):
    problem = build_instance(load(tiling((4, 4), {"colours": 2})).puzzle).problem
    whole = solver(name)(problem)(None, Limits())
    rows = []
    some = solver(name)(problem)(rows.append, Limits(solutions=1))
    assert (whole.status, some.status) == ("complete", "limit reached")
    assert some.found == sum(map(len, rows)) == 1 < whole.found == judge(tiling((4, 4), {"colours": 2})).all


def run(*words):
    result = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    return result.exit_code, result.output


RULES = (Path(__file__).parents[1] / "docs" / "format" / "rules.md").read_text("utf-8")
SWITCHES = re.findall(r"^puzzlesat (count .* --.*?) +# ([\d,]+)", RULES, re.M)


@pytest.mark.full
@every(("command", "found"), SWITCHES)
def test_switches_of_the_document_find_what_it_says(command, found):
    status, said = run(*shlex.split(command), "--solver", "backtrack", "--json")
    assert (status, f"{json.loads(said)['counts']['all']:,}") == (0, found)


@pytest.mark.full
def test_solve_takes_the_switches_and_says_under_which_rules_there_is_none():
    """``solve dominoes-4x4 --fault-free`` once said that dominoes-4x4 has no solution."""
    status, said = run("solve", "dominoes-6x6", "--no-crossroads", "--all", "--json")
    assert (status, len(said.splitlines())) == (0, 2)
    status, said = run("solve", "dominoes-4x4", "--fault-free", "--symmetric", "turn 180")
    assert status == 0
    assert (
        "complete: dominoes-4x4 has no solution, counting only those without fault lines (" in said
        and "; that look the same after turn 180." in said
    )
    assert "no solution, counting only those without fault lines " in run("solve", "dominoes-4x4", "--fault-free", "--random", "1")[1]


@every(
    ("words", "said"),
    [
        (["--holds", "red"], "expected a number of atoms and a colour"),
        (["--symmetric-outline", "D"], "expected tiles and a symmetry"),
        (["--touch-border", ""], "--touch-border '': expected tiles such as 'F,I'"),
        (["--forbid", "D.1"], "is not a placement of this puzzle"),
    ],
)
def test_switches_that_say_nothing(words, said):
    status, output = run("count", "dominoes-4x4", *words)
    assert status == 2
    assert said in " ".join(output.split())


def test_identical_tiles_that_are_told_apart_keep_the_rules_of_all():
    """In another convention of the count, identical tiles are told apart: E is a domino too, and must not touch D."""
    both = {"D": DOMINO | {"copies": [0, 9]}, "E": DOMINO | {"copies": [0, 9]}, "S": SQUARE}
    table = tiling((3, 3), {"apart": [["D", "E"]]}, tiles=both)
    built = build_instance(load(table))
    ((_, parted),) = variants(built)
    assert parted.solutions.apart == (frozenset({"D", "E"}),)
    one = [len(s) for s in solution_set(build_instance(load(tiling((3, 3), {"apart": [["D"]]}, squares=True)).puzzle).problem)]
    assert len(solution_set(build_instance(parted).problem)) == sum(2 ** (9 - pieces) for pieces in one)  # one piece fewer for each domino


def test_few_colours_are_drawn():
    built = build_instance(instance_in("dominoes-4x4", rules={"colours": 3}))
    pairs = built.problem.colouring.pairs.tolist()
    rows = sorted(solution_set(built.problem))
    assert rows
    for row in rows:
        colours = solution_colours(built, row)
        owner = {a: i for i, o in enumerate(row) for a in built.placements.atoms[o].tolist()}
        assert len({*colours}) <= 3
        assert all(owner[a] == owner[b] or colours[owner[a]] != colours[owner[b]] for a, b in pairs)


def test_a_solution_that_all_solvers_would_leave_out_is_looked_at_once_more(monkeypatch):
    """All solvers share the test whether a solution can be coloured; on a form that wraps around there is no certificate either."""
    table = tiling((5, 4), {"colours": 3}, form={"box": [5, 4], "wrap": [{"move": [5, 0]}]})
    assert cross_count(load(table), Plan(("backtrack", "sat"))).agree
    finish = cover_problems._finish
    monkeypatch.setattr(cover_problems, "_finish", lambda graph, classes, left: len(left) < 9 and finish(graph, classes, left))
    with pytest.raises(ContradictionError, match="a solution is left out, and can be coloured: "):
        cross_count(load(table), Plan(("backtrack", "sat")))
