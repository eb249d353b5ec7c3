"""BurrTools files: reading, refusals, and agreement with BurrTools' own counts."""

import gzip
from itertools import product

import pytest
from assemblies import Problem, assemblies, random_problem, xml

import puzzlesat
from puzzlesat.base.errors import PuzzleError, PuzzleWarning
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.formats.burrtools import read_xmpuzzle
from puzzlesat.formats.puzzles import instance_in, read_tables
from puzzlesat.formats.toml import instance_text
from puzzlesat.formats.xmpuzzle import xmpuzzle_of
from puzzlesat.puzzles.load import load_instance
from tiers import every

SOMA = ["##_#", "####__", "###_#_", "##__##", "###__#__", "###___#_", "###_#___"]
SOMA_SIZES = [(2, 2, 1), (3, 2, 1), (3, 2, 1), (3, 2, 1), (2, 2, 2), (2, 2, 2), (2, 2, 2)]


def shape_of(text, size):
    x, y, z = size
    return {v: ("#", 0) for v in product(range(x), range(y), range(z)) if text[v[0] + x * (v[1] + y * v[2])] == "#"}


def box(*size):
    return dict.fromkeys(product(*map(range, size)), ("#", 0))


def tables(tmp_path, text, name="puzzle"):
    file = tmp_path / f"{name}.xmpuzzle"
    file.write_text(text, encoding="utf-8")
    return [(one.name, one.table) for one in read_tables(file)]


def loaded(tmp_path, problem):
    """The only puzzle of a file with this problem, written as TOML and read again."""
    ((name, table),) = tables(tmp_path, xml(problem))
    file = tmp_path / f"{name}.toml"
    file.write_text(instance_text(table), encoding="utf-8")
    return load_instance(file).puzzle


def distinct(tmp_path, problem):
    return count(loaded(tmp_path, problem), Plan(solvers=("backtrack",))).counts.distinct


@every("grid, seed", [pytest.param(*case, id="{} {}".format(*case)) for case in product(range(5), range(6))], fast=("1 0", "3 1"))
def test_random_problems_have_as_many_assemblies(grid, seed, tmp_path):
    problem = random_problem(grid, seed)
    number, mirrored = assemblies(problem)
    puzzle = loaded(tmp_path, problem)
    assert puzzle.mirrored_same == mirrored
    assert count(puzzle, Plan(solvers=("backtrack",))).counts.distinct == number


def test_soma(tmp_path):
    """240 solutions up to turns and mirrors: the two chiral pieces are mates."""
    pieces = [(shape_of(text, size), 1, 1) for text, size in zip(SOMA, SOMA_SIZES, strict=True)]
    puzzle = loaded(tmp_path, Problem(0, box(3, 3, 3), pieces))
    assert puzzle.mirrored_same
    assert count(puzzle, Plan(solvers=("backtrack",))).counts.distinct == 240


def test_copies_are_alike_and_congruent_shapes_are_not(tmp_path):
    domino = box(2, 1, 1)
    assert distinct(tmp_path, Problem(0, box(3, 2, 1), [(domino, 3, 3)])) == 2
    assert distinct(tmp_path, Problem(0, box(3, 2, 1), [(domino, 1, 1), (domino, 2, 2)])) == 4
    assert distinct(tmp_path, Problem(0, box(3, 2, 1), [(domino, 1, 1), (box(1, 2, 1), 1, 1), (domino, 1, 1)])) == 6


def test_colours_by_hand(tmp_path):
    """A red end must not lie on the black cell of the row; one of the four assemblies puts it there."""
    row = {(x, 0, 0): ("#", 2 if x == 0 else 0) for x in range(4)}
    red = {(0, 0, 0): ("#", 1), (1, 0, 0): ("#", 0)}
    pieces = [(red, 1, 1), (box(2, 1, 1), 1, 1)]
    assert distinct(tmp_path, Problem(0, row, pieces)) == 3
    assert distinct(tmp_path, Problem(0, row, pieces, {(1, 2)})) == 4
    assert distinct(tmp_path, Problem(0, row, pieces, {(2, 1)})) == 3


def test_a_limit_on_holes_counts_with_ranges_alone(tmp_path):
    row = {(x, 0, 0): ("+", 0) for x in range(4)}
    domino = box(2, 1, 1)
    free = Problem(0, row, [(domino, 0, 2)])
    assert [distinct(tmp_path, Problem(0, row, free.pieces, holes=h)) for h in (None, 4, 3, 2, 1, 0)] == [4, 4, 3, 3, 1, 1]
    assert distinct(tmp_path, Problem(0, row, [(domino, 1, 1)], holes=0)) == 2
    assert distinct(tmp_path, Problem(0, row | {(4, 0, 0): ("+", 0)}, free.pieces, holes=1)) == 2  # the hole is at an end, or in the middle


def test_rows_layers_and_columns_of_different_numbers(tmp_path):
    """Two columns, three rows and two layers; the upper layer has a different outline."""
    result = box(2, 3, 1) | dict.fromkeys(((0, 0, 1), (1, 0, 1), (0, 1, 1)), ("+", 0))
    bent = {(0, 0, 0): ("#", 0), (1, 0, 0): ("#", 0), (2, 0, 0): ("#", 0), (0, 1, 0): ("#", 0)}
    problem = Problem(0, result, [(bent, 0, 1), (box(2, 1, 1), 1, 3), (box(1, 1, 1), 0, 2)], holes=2)
    assert distinct(tmp_path, problem) == assemblies(problem)[0] > 0


RIGHT = dict.fromkeys([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], ("#", 0))
CHIRAL = dict.fromkeys([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)], ("#", 0))
MIRROR = {(1 - x, y, z): state for (x, y, z), state in CHIRAL.items()}


@every("pieces, same", [([CHIRAL, MIRROR], True), ([CHIRAL, CHIRAL], False), ([RIGHT, RIGHT], True)], fast=("True", "False"))
def test_mirrored_answers_count_as_one_where_all_pieces_have_mates(pieces, same, tmp_path):
    problem = Problem(0, box(2, 2, 2), [(piece, 1, 1) for piece in pieces])
    assert loaded(tmp_path, problem).mirrored_same == same
    assert distinct(tmp_path, problem) == assemblies(problem)[0]


FILE = """<?xml version="1.0"?>
<puzzle version="{version}">{grid}<colors/>
<shapes>
 <voxel x="2" y="1" z="1" name="a b.c" type="0">##</voxel>
 <voxel x="2" y="2" z="1" weight="3" type="0">##
##</voxel>
 <voxel x="1" y="1" z="1" type="0">_</voxel>
 <voxel x="2" y="1" z="1" type="0">#+</voxel>
</shapes>
<problems>{problems}</problems>
<comment popup="">Designed by: Somebody
somewhere</comment>
</puzzle>
"""
PROBLEM = '<problem {head}><shapes>{pieces}</shapes><result id="{result}"/><bitmap/></problem>'


def file_with(*problems, version=2, grid='<gridType type="0"/>'):
    return FILE.format(version=version, grid=grid, problems="".join(problems))


def problem_with(head='state="0"', pieces='<shape id="0" count="2" group="1"/>', result=1):
    return PROBLEM.format(head=head, pieces=pieces, result=result)


def test_what_a_table_says(tmp_path):
    ((name, table),) = tables(tmp_path, file_with(problem_with('name="Square" state="2" assemblies="1" solutions="0" time="0"')))
    assert name == "puzzle"
    assert table == {
        "title": "puzzle: Square",
        "source": "puzzle.xmpuzzle: Designed by: Somebody somewhere",
        "grid": "cube",
        "flips": False,
        "mirrored": "same",
        "together": [["a_b_c"]],
        "tiles": {"a_b_c": {"picture": "██\n", "copies": 2}},
        "form": {"picture": "██\n██\n"},
        "expect": {"distinct": 1, "convention": "not stated", "published": "1 assembly (BurrTools)"},
    }


def test_compressed_files_older_versions_other_letters_and_shapes_of_no_problem(tmp_path):
    plain = tables(tmp_path, file_with(problem_with()))
    assert tables(tmp_path, file_with(problem_with(), version=1, grid="")) == plain
    (tmp_path / "puzzle.xmpuzzle").write_bytes(gzip.compress(file_with(problem_with()).encode()))
    assert [(one.name, one.table) for one in read_xmpuzzle(tmp_path / "puzzle.xmpuzzle")] == plain
    assert tables(tmp_path, file_with(problem_with()).replace(">#+<", ">#?<")) == plain
    for encoding in ("utf-8", "latin-1"):
        (tmp_path / "puzzle.xmpuzzle").write_bytes(file_with(problem_with()).replace("Somebody", "Röver").encode(encoding))
        assert "Röver" in read_xmpuzzle(tmp_path / "puzzle.xmpuzzle")[0].table["source"]


def test_several_problems_get_names_or_numbers(tmp_path):
    empty = '<problem state="0"><shapes/><bitmap/></problem>'
    found = tables(
        tmp_path, file_with(problem_with('name="A B"'), empty, problem_with(), problem_with('name="x"'), problem_with('name="x"'))
    )
    assert [name for name, _ in found] == ["puzzle-a-b", "puzzle-3", "puzzle-4", "puzzle-5"]
    assert [table["title"] for _, table in found[:2]] == ["puzzle, problem 1: A B", "puzzle, problem 3"]


def test_a_draft_leaves_the_other_problems_and_their_numbers_alone(tmp_path):
    """Only the draft, a problem with a piece of variable voxels, is refused."""
    file = tmp_path / "puzzle.xmpuzzle"
    empty, draft = '<problem state="0"><shapes/><bitmap/></problem>', problem_with('name="draft"', pieces='<shape id="3"/>')
    file.write_text(file_with(empty, draft, problem_with('name="good"')), encoding="utf-8")
    with pytest.warns(PuzzleWarning, match="problem 2: piece of shape 4: it has variable voxels.*; the other problems are read"):
        assert instance_in(file).name == "puzzle-good"
    for problem in (3, "puzzle-good"):
        assert instance_in(file, problem).title == "puzzle, problem 3: good"
        assert "draft" not in puzzlesat.convert(str(file), format="xmpuzzle", problem=problem).text
    with pytest.warns(PuzzleWarning):
        assert puzzlesat.convert(str(file), format="xmpuzzle").text.count("draft") == 1
    for problem, why in ((2, "problem 2: .*variable voxels"), ("puzzle-draft", "variable voxels"), (1, "problem 1: it has no result or")):
        with pytest.raises(PuzzleError, match=why):
            instance_in(file, problem)
    file.write_text(file_with(draft, problem_with(), problem_with('name="good"')), encoding="utf-8")
    with pytest.warns(PuzzleWarning), pytest.raises(PuzzleError, match=r"holds 2 problems \(2 puzzle-2, 3 puzzle-good\); choose one"):
        instance_in(file)


HOLLOW = """<?xml version="1.0"?><puzzle version="2"><gridType type="0"/><colors/><shapes>
<voxel x="4" y="3" z="3" type="0">#######_###_###_###_###_###_###_###_</voxel>
<voxel x="3" y="3" z="3" type="0">#############_#############</voxel><voxel x="1" y="1" z="1" type="0">#</voxel>
</shapes><problems><problem state="0"><shapes>{hollow}{cube}</shapes><result id="0"/><bitmap/></problem></problems></puzzle>"""
"""A hollow cube with a small one inside, and another small one outside."""


@pytest.mark.full
@every(
    "hollow, cube, level",
    [
        ('<shape id="1" group="1"/>', '<shape id="2" count="2"><group group="1" count="1"/></shape>', "1"),  # BurrTools finds the same
        ('<shape id="1"><group group="7" count="1"/></shape>', '<shape id="2" count="2" group="7"/>', "1"),
        ('<shape id="1" group="1"><group group="2" count="1"/></shape>', '<shape id="2" count="2" group="2"/>', None),
        (
            '<shape id="1"><group group="1" count="1"/><group group="2" count="1"/></shape>',
            '<shape id="2" count="2"><group group="2" count="2"/><group group="3" count="2"/></shape>',
            "1",
        ),
        ('<shape id="1"/>', '<shape id="2" count="2"><group group="1" count="2"/></shape>', None),
    ],
)
def test_groups_of_pieces_however_they_are_written(hollow, cube, level, tmp_path):
    """A group is stated in the tag of a piece or inside it; a group of all pieces counts."""
    file = tmp_path / "hollow.xmpuzzle"
    file.write_text(HOLLOW.format(hollow=hollow, cube=cube), encoding="utf-8")
    (assembly,) = puzzlesat.apart(file, jobs=1).assemblies
    assert (assembly.level, assembly.checked) == (level, True)
    again = puzzlesat.load(puzzlesat.convert(file, format="toml").text)
    file.write_text(xmpuzzle_of(again), encoding="utf-8")
    assert puzzlesat.apart(file, jobs=1).assemblies[0].level == level


def test_a_group_with_some_copies_alone_beside_another_one_is_told_of(tmp_path):
    cube = '<shape id="2" count="2"><group group="1" count="1"/><group group="2" count="2"/></shape>'
    with pytest.warns(PuzzleWarning, match="problem 1: piece S3: it is in several groups, in some not with all copies; no group is read"):
        ((_, table),) = tables(tmp_path, HOLLOW.format(hollow='<shape id="1" group="1"/>', cube=cube))
    assert table["together"] == [["S2"]]


@every("head", ['state="0" assemblies="7"', 'state="1" assemblies="7"', 'state="2"', 'state="2" assemblies="4294967295"'])
def test_counts_of_searches_that_did_not_end_are_not_expected(head, tmp_path):
    assert "expect" not in tables(tmp_path, file_with(problem_with(head)))[0][1]


def test_a_count_in_a_convention_of_its_own(tmp_path):
    """With ranges, BurrTools counts mirrored assemblies as one if the pieces used allow it."""
    text = xml(Problem(0, box(2, 2, 2), [(CHIRAL, 0, 2), (box(2, 1, 1), 0, 4)])).replace('state="0"', 'state="2" assemblies="9"')
    ((_, table),) = tables(tmp_path, text)
    assert table["mirrored"] == "different"
    assert table["expect"].keys() == {"published"}
    always = text.replace('min="0" max="2"', 'min="1" max="2"')
    assert tables(tmp_path, always)[0][1]["expect"]["distinct"] == 9


@every(
    "text, message",
    [
        ("", "no XML"),
        ("<html/>", "a file of <html>"),
        (file_with(problem_with(), version=3), "version 3; expected 1 or 2"),
        (file_with(problem_with(), grid='<gridType type="5"/>'), "5 is not one of BurrTools' grids"),
        (file_with(problem_with(), grid='<gridType type="x"/>'), "gridType: type: expected a number, got 'x'"),
        (file_with(), "no problem with a result and pieces"),
        (file_with(problem_with(result=2)), "problem 1: result: shape 3 is empty"),
        (file_with(problem_with(pieces='<shape id="7"/>')), "there is no shape with id 7; the ids are 0 to 3"),
        (file_with(problem_with(pieces='<shape id="2"/>')), "piece of shape 3: the shape is empty"),
        (file_with(problem_with(pieces='<shape id="3"/>')), "piece of shape 4: it has variable voxels"),
        (file_with(problem_with(pieces='<shape id="0" min="3" max="2"/>')), "at least 3 and at most 2"),
        (file_with(problem_with(pieces='<shape id="0" count="0"/>')), "no piece is used"),
        (file_with(problem_with()).replace("##\n##", "##\n#"), r"shape 2: 3 voxels, but 2 x 2 x 1 are 4"),
        (file_with(problem_with()).replace("##\n##", "##\n#?"), r"shape 2: '\?' among the voxels"),
        (
            file_with(problem_with(pieces='<shape id="0"/>', result=0), grid='<gridType type="2"/>'),
            r"shape 1 \(a b.c\): voxel \(1, 0, 0\) is filled",
        ),
    ],
)
def test_files_that_cannot_be_read(text, message, tmp_path):
    with pytest.raises(PuzzleError, match=message) as caught:
        tables(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}")


def test_damaged_and_missing_files(tmp_path):
    file = tmp_path / "puzzle.xmpuzzle"
    with pytest.raises(PuzzleError, match="no such file"):
        read_xmpuzzle(file)
    file.write_bytes(gzip.compress(file_with(problem_with()).encode())[:100])
    with pytest.raises(PuzzleError, match="the compressed file is damaged"):
        read_xmpuzzle(file)
