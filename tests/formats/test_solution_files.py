"""Names of placements and bit arrays; solutions as JSON lines, in the notation and as solvers print them: read back, or refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlesat
from helpers import load, solution_set
from puzzlesat.base.errors import PuzzleError
from puzzlesat.formats.conversion import are_answers, one_of_each_class, read_answers, read_solutions, wrong_solutions
from puzzlesat.formats.notation import notation_lines, read_json_lines, read_notation, solution_as_json
from puzzlesat.proofs.statement import solution_check
from puzzlesat.puzzles.building import build_instance
from strategies import puzzles
from tiers import every, tries


@pytest.mark.full
@settings(max_examples=tries(30))
@given(data=st.data(), table=puzzles(flat=False))
def test_there_and_back(tmp_path_factory, data, table):
    try:
        built = build_instance(load(table))
    except PuzzleError:
        return
    if built.problem.size > 60 or len(rows := sorted(solution_set(built.problem))) > 500:
        return
    folder = tmp_path_factory.mktemp("solutions")
    (folder / "a.txt").write_text("\n".join(notation_lines(built, rows)), encoding="utf-8")
    lines = [json.dumps({"number": i, **solution_as_json(built, row)}) for i, row in enumerate(rows, start=1)]
    (folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asked = []

    def find(name):
        asked.append(name)
        return built

    for name in ("a.txt", "a.jsonl"):
        assert read_solutions(folder / name, find)[1] == rows
    assert asked == ["random", "random" if rows else None]
    assert wrong_solutions(rows, solution_check(built)) == []
    classes = list(one_of_each_class(built, rows))
    assert len(classes) == puzzlesat.count(built.puzzle, solver="backtrack").counts.distinct
    if rows and (row := data.draw(st.sampled_from(rows))):
        spoilt = tuple(o for o in row if o != data.draw(st.sampled_from(row)))
        assert len(wrong_solutions([*rows, spoilt], solution_check(built))) == (spoilt not in rows)


def test_empty_solutions_count(tmp_path):
    """A form without required atoms has a solution without placements."""
    table = {"title": "t", "grid": "square", "flips": True, "tiles": {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}}}
    built = build_instance(load(table | {"form": {"box": [2, 1], "optional": "all"}}))
    text = "\n".join(notation_lines(built, [(), (0,), ()]))
    assert text == "instance random\n# t\n\nsolution 1\n\nsolution 2\nD.1@1.1  C\n\nsolution 3"
    assert read_notation(text)[1] == [{}, {"D.1@1.1": "C"}, {}]
    assert wrong_solutions([(), (0,)], solution_check(built)) == []


@every(
    "text, expected",
    [
        ("A.1@1.1 B.2@3.1\n\nA.1@1.2 B.2@3.2\n", [["A.1@1.1", "B.2@3.1"], ["A.1@1.2", "B.2@3.2"]]),
        ("solution 1  A.1@1.1 B.2@3.1\nsolution 2  A.1@1.2\n", [["A.1@1.1", "B.2@3.1"], ["A.1@1.2"]]),
        ("# a comment\nA.1@1.1 F0  # another\n\n\n\nB.2@3.1 0f\n", [["A.1@1.1"], ["B.2@3.1"]]),
        ("instance soma\n\nsolution 1\nv.1@1.1 F0\n", [["v.1@1.1"]]),
        ("", []),
    ],
)
def test_notation(text, expected):
    assert not are_answers(None, text)
    assert [list(solution) for solution in read_notation(text)[1]] == expected


@every(
    "read, text, message",
    [
        (read_notation, "A.1@1.1\nA.1@1.1\n", r"line 2: 'A.1@1.1' is listed twice in one solution"),
        (read_notation, "A.1@1.1 F0 F0\n", "line 1: 'F0' is neither a placement, such as Q.1@3.1, nor its bit array"),
        (read_notation, "hello\n", "line 1: 'hello' is neither"),
        (read_json_lines, "{}\n", 'line 1: expected an object with "placements"'),
        (read_json_lines, '{"placements": []}\n[\n', "line 2: not JSON"),
        (read_json_lines, '{"placements": [{"tile": "A"}]}\n', 'line 1: expected an object with "placements"'),
        (
            read_json_lines,
            '{"placements": [], "instance": "a"}\n{"placements": [], "instance": "b"}\n',
            r"solutions of different instances \(a, b\)",
        ),
        (read_answers, "s SATISFIABLE\n", "there is no answer in it"),
        (read_answers, "v 1 two 0\n", "line 1: expected a value such as 3, -3, x3 or -x3, got 'two'"),
        (read_answers, "v x1 x2\nv -x1 x2\n", "line 2: variable 1 is both true and false; separate two answers"),
    ],
)
def test_what_is_no_solution(read, text, message):
    with pytest.raises(PuzzleError, match=message):
        read(text)


@every(
    "text, expected",
    [
        ("c comment\ns SATISFIABLE\nv 1 -2\nv 3 0\n", [{1: True, 2: False, 3: True}]),
        ("s SATISFIABLE\nv x1 -x2 x3\n", [{1: True, 2: False, 3: True}]),
        ("v -1 2 0\nv 1 -2 0\n", [{1: False, 2: True}, {1: True, 2: False}]),
        ("s SATISFIABLE\nv x1 -x2\ns SATISFIABLE\nv -x1 x2\n", [{1: True, 2: False}, {1: False, 2: True}]),
        ("SAT\n1 -2 0\n", [{1: True, 2: False}]),
        ("s UNSATISFIABLE\n", []),
        ("UNSAT\n", []),
    ],
)
def test_answers(text, expected):
    assert are_answers(None, text)
    assert read_answers(text) == expected


def test_a_name_says_tile_orientation_and_first_cell():
    tans = build_instance(puzzlesat.load("tritetratan"))
    assert len(set(tans.problem.options)) == len(tans.problem.options) == 1421
    for option, p in enumerate(tans.placements):
        tile = tans.puzzle.tiles[p.tile].name
        lowest = min(a[1] for a in p.atoms)
        leftmost = min(a[0] for a in p.atoms if a[1] == lowest)
        assert tans.problem.options[option] == f"{tile}.{p.orientation}@{leftmost}.{lowest}"


def test_in_space_the_first_cell_is_in_the_lowest_layer():
    built = build_instance(puzzlesat.load("soma"))
    for p in built.placements:
        z = min(a[2] for a in p.atoms)
        y = min(a[1] for a in p.atoms if a[2] == z)
        x = min(a[0] for a in p.atoms if a[1:3] == (y, z))
        assert p.name.split("@")[1] == f"{x}.{y}.{z}"


def test_the_last_digit_is_filled_up_with_zeros():
    built = build_instance(puzzlesat.load("absolut-knifflig"))  # nine cells: three digits, of which the last has one bit
    values = {built.bit_array(o) for o in range(len(built.placements))}
    assert values == {"800", "400", "200", "100", "080", "040", "020", "010", "008"}
