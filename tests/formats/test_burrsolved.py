"""Files of BurrTools that are copied or written: solutions in them, and puzzles that are the same when they are read again."""

import gzip
import re
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from assemblies import random_problem, xml

import puzzlesat
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.cli.burrtools_solutions import stored_levels, stored_solutions
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.disassembly.verification import first_fault
from puzzlesat.formats.burrtools import laid, lying, read_xmpuzzle
from puzzlesat.formats.puzzles import read_tables
from puzzlesat.formats.xml import read_xml
from puzzlesat.formats.xmpuzzle import copied_text, xmpuzzle_of, xmpuzzle_text
from puzzlesat.puzzles.building import build_instance
from tiers import every

FILES = sorted((Path(__file__).parent / "burrtools").glob("*.xmpuzzle"))
ONES = [(file, one.name) for file in FILES for one in read_xmpuzzle(file)]
NAMES = [name for _, name in ONES]


def loaded(file, name):
    return puzzlesat.load(file, name if len(read_xmpuzzle(file)) > 1 else None)


def tree(node):
    """An XML element without whitespace."""
    return node.tag, node.attrib, (node.text or "").strip(), [tree(child) for child in node]


@every("file", [pytest.param(file, id=file.stem) for file in FILES], fast=("CubeInCage",))
def test_a_copy_holds_everything(file, tmp_path):
    copy = tmp_path / file.name
    puzzlesat.convert(file, copy)
    assert gzip.decompress(copy.read_bytes()).decode() == copied_text(file)
    assert tree(read_xml(copy)) == tree(read_xml(file))


def test_a_copy_of_one_problem(tmp_path):
    file, copy = FILES[0], tmp_path / "second.xmpuzzle"
    puzzlesat.convert(file, copy, problem=2)
    whole, one = (read_xml(path).findall("problems/problem") for path in (file, copy))
    assert [tree(problem) for problem in one] == [tree(whole[1])]
    assert puzzlesat.load(copy).puzzle.tiles == puzzlesat.load(file, 2).puzzle.tiles


@every("file, name", ONES, fast=("CubeInCage", "BallRoom-1"))
def test_stored_places_are_found_again(file, name):
    """Each piece has the rotation with the least number, as BurrTools writes it."""
    root = read_xml(file)
    problem = root.findall("problems/problem")[[n for f, n in ONES if f == file].index(name)]
    kind = int(root.find("gridType").get("type"))
    ids = [int(s.get("id")) for s in problem.findall("shapes/shape") for _ in range(int(s.get("count")))]
    checked = 0
    for solution in problem.findall("solutions/solution")[:3]:
        numbers = list(map(int, solution.findtext("assembly").split()))
        for i, number in enumerate(ids):
            node = root.findall("shapes/voxel")[number]
            width, depth = (int(node.get(axis)) for axis in "xy")
            shape = {(j % width, j // width % depth, j // (width * depth)): "" for j, c in enumerate(node.text) if c == "#"}
            hotspot = tuple(int(node.get(axis, 0)) for axis in ("hx", "hy", "hz"))
            *at, turn = numbers[4 * i : 4 * i + 4]
            voxels = lying(kind, shape, hotspot, tuple(at), turn)
            assert laid(kind, shape, hotspot, dict.fromkeys(voxels, "")) == (tuple(at), turn)
            checked += 1
    assert checked >= len(ids)


@every("file, name", [one for one in ONES if one[1] != "HexSticks"], fast=("BallRoom-2",))
def test_stored_solutions_are_those_that_are_found(file, name):
    instance = loaded(file, name)
    stored = stored_solutions(instance)
    known = {frozenset(frozenset(p.atoms) for p in solution.placements) for solution in puzzlesat.solve(instance)}
    assert stored
    for one in stored:
        assert frozenset(atoms for _, atoms in one.pieces) in known


@pytest.mark.full  # some seconds
def test_the_stored_solutions_of_many_voxels():
    instance = loaded(*ONES[NAMES.index("HexSticks")])
    stored = stored_solutions(instance)
    assert len({one.pieces for one in stored}) == 33
    assert all(frozenset().union(*(atoms for _, atoms in one.pieces)) == instance.puzzle.form.atoms for one in stored)


@pytest.mark.full
def test_a_stored_disassembly_is_sound_and_has_the_level_that_is_found():
    instance = loaded(*ONES[NAMES.index("CubeInCage")])
    (one,) = stored_solutions(instance)
    groups = [[i for i, (tile, _) in enumerate(one.pieces) if tile in names] for names in instance.together]
    assert first_fault(instance.puzzle.grid, [tuple(atoms) for _, atoms in one.pieces], one.parting, groups) is None
    (known,) = [each for each in puzzlesat.apart(instance, jobs=1).assemblies if each.apart]
    assert one.parting.level == known.level == "4.9.3"
    assert stored_levels(instance) == {"4.9.3": 1}


@every(
    "name",
    ["dubois-burr", "cube-in-cage", "bermuda", "domino-and-square-3x2", "four-piece-tetrahedron", "ball-room-1"],
    fast=("domino-and-square-3x2",),
)
def test_what_is_written_is_read_again(name, tmp_path):
    file = tmp_path / "solved.xmpuzzle"
    apart = puzzlesat.apart(name, jobs=1, output=file)
    assert file.read_bytes()[:2] == b"\x1f\x8b"
    again = puzzlesat.load(file)
    stored = stored_solutions(again)
    known = sorted((each for each in apart.assemblies if each.apart), key=lambda each: each.number)
    assert len(stored) == len(known) and known
    for one, each in zip(stored, known, strict=True):
        assert one.parting.level == each.level
        groups = [[i for i, (tile, _) in enumerate(one.pieces) if tile in names] for names in again.together]
        assert first_fault(again.puzzle.grid, [tuple(atoms) for _, atoms in one.pieces], one.parting, groups) is None
        assert len(one.pieces) == len(each.options)
    problem = read_xml(file).find("problems/problem")
    assert problem.get("state") == "2"
    assert problem.get("assemblies") == str(len(apart.assemblies))
    assert problem.get("solutions") == str(len(known))


@pytest.mark.full
def test_the_file_that_was_solved_keeps_what_it_has(tmp_path):
    file = FILES[[f.stem for f in FILES].index("BallRoom")]
    solved = tmp_path / "solved.xmpuzzle"
    puzzlesat.apart(puzzlesat.load(file, 3), jobs=1, output=solved)
    before, after = read_xml(file), read_xml(solved)
    for name in ("shapes", "colors", "comment", "gridType"):
        assert tree(before.find(name)) == tree(after.find(name))
    one, other = (root.findall("problems/problem") for root in (before, after))
    assert [tree(problem) for problem in one[:2]] == [tree(problem) for problem in other[:2]]
    assert other[2].find("solutions/solution/separation") is not None


@every(
    "old, new, why",
    [
        ("<dx>1 2 2 1 6 3</dx>", "<dx>1 2 2 1 6</dx>", "dx: 5 numbers for 6 pieces"),
        ("<dx>1 2 2 1 6 2</dx>", "<dx>1 3 2 1 6 2</dx>", "pieces of one move go different ways"),
        ("30002", "3", "its last move takes nothing away"),
        ("<assembly>1 6", "<assembly>5 6", "piece 1 is not inside the result"),
        ("<assembly>1 6", "<assembly>one 6", "a number is wrong or missing"),
        ('count="6">0', 'count="6">9', "a number is wrong or missing"),
    ],
)
def test_stored_solutions_that_are_none(old, new, why, tmp_path):
    text = read_text(FILES[[f.stem for f in FILES].index("CubeInCage")])
    assert old in text
    file = tmp_path / "wrong.xmpuzzle"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(PuzzleError, match=f"solution 1 of 1 cannot be read: {re.escape(why)}"):
        stored_solutions(puzzlesat.load(file))


def read_text(file):
    data = file.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


@pytest.mark.full
@every("grid, seed", [pytest.param(*case, id="{} {}".format(*case)) for case in product(range(5), range(6, 10))])
def test_random_problems_are_the_same_when_they_are_written_again(grid, seed, tmp_path):
    """Colours, ranges, limits on holes and congruent shapes keep the number of assemblies; a third file equals the second."""
    one = tmp_path / "one.xmpuzzle"
    one.write_text(xml(random_problem(grid, seed)), encoding="utf-8")
    texts = []
    puzzles = [puzzlesat.load(one)]
    for name in ("two", "three"):
        (found,) = read_xmpuzzle(one)
        texts.append(xmpuzzle_text(found.table | {"title": "again", "source": "", "expect": {}}))
        one = tmp_path / f"{name}.xmpuzzle"
        one.write_text(texts[-1], encoding="utf-8")
        puzzles.append(puzzlesat.load(one))
    counts = [count(puzzle, Plan(solvers=("backtrack",))).counts for puzzle in puzzles]
    assert counts[0].distinct == counts[1].distinct == counts[2].distinct
    assert counts[0].all == counts[1].all
    assert len({puzzle.puzzle.mirrored_same for puzzle in puzzles}) == 1
    first, second = (ElementTree.fromstring(text) for text in texts)
    assert [tree(first.find(name)) for name in ("shapes", "problems")] == [tree(second.find(name)) for name in ("shapes", "problems")]


@every(
    "numbers, level",
    [("2 0 0", "1"), ("5 10 0 0 4 0 0", "4.9.3"), ("5 2 0 0 3 0 0", "4.2"), ("5 10 4 0 0 0 0", "4.9.3"), ("3 2 0 3 0 0 0", "2.1.2")],
)
def test_levels_of_files_that_keep_numbers_alone(numbers, level, tmp_path):
    """The remaining part comes before the removed one; parts that need single moves only are not printed."""
    text = read_text(FILES[[f.stem for f in FILES].index("CubeInCage")])
    text = re.sub("<separation>.*</separation>", f"<separationInfo>{numbers}</separationInfo>", text, flags=re.DOTALL)
    file = tmp_path / "numbers.xmpuzzle"
    file.write_text(text, encoding="utf-8")
    assert stored_levels(puzzlesat.load(file)) == {level: 1}


FEW = ("soma", "diabolical-cube", "domino-and-square-3x2")
"""Puzzles with few solutions, which are counted."""
LARGE = ("pentominoes-6x10", "hexiamonds-6x6", "four-piece-tetrahedron", "cube-in-cage", "ball-room-1", "slothouber-graatsma", "octogram")


@pytest.fixture
def again(tmp_path):
    def read(text, name="again"):
        path = tmp_path / f"{name}.xmpuzzle"
        path.write_text(text, encoding="utf-8")
        return puzzlesat.load(path)

    return read


@pytest.mark.full
@every("name", [*FEW, *LARGE], fast=("domino-and-square-3x2", "slothouber-graatsma"))
def test_what_is_written_is_the_same_puzzle(again, name):
    instance = puzzlesat.load(name)
    found = again(xmpuzzle_of(instance))
    one, other = (
        {
            "tiles": sorted((t.name, t.low, t.high, len(t.atoms)) for t in each.puzzle.tiles),
            "form": (len(each.puzzle.form.required), len(each.puzzle.form.optional)),
            "placements": len(build_instance(each).placements),
        }
        for each in (instance, found)
    )
    assert one == other
    if name in FEW:
        counts = [count(each, Plan(("backtrack",), budget=0)).counts.all for each in (instance, found)]
        assert counts[0] == counts[1] == (instance.expect.all or counts[0])


def test_what_may_stay_together_is_a_group(again):
    instance = puzzlesat.load("cube-in-cage")
    found = again(xmpuzzle_of(instance))
    assert found.together == instance.together == (frozenset({"Frame1", "Frame2"}),)


def test_names_and_remarks_are_text(again, tmp_path):
    table = {"title": 'A & <B> "C"', "source": "]]> & Ä", "grid": "cube", "flips": False, "form": {"box": [2, 1, 1]}}
    text = xmpuzzle_text(table | {"tiles": {'<&"': {"atoms": [[1, 1, 1]], "copies": "any"}}})
    found = again(text)
    assert found.puzzle.tiles[0].name == '<&"'
    assert found.puzzle.tiles[0].high == 2
    assert "]]> & Ä" in found.source
    assert len(read_xmpuzzle(tmp_path / "again.xmpuzzle")) == len(read_tables(tmp_path / "again.xmpuzzle")) == 1


@every(
    "name, why",
    [
        ("absolut-knifflig", "no grid 'square-marks'"),
        ("tritetratan", "no grid 'tans'"),
        ("one-sided-pentominoes-3x30", "turns every piece in all ways, and over"),
        ("dominoes-6x6-klein-bottle", "no forms that wrap round"),
    ],
)
def test_what_cannot_be_said_is_refused(name, why):
    with pytest.raises(NotSupportedError, match=why):
        xmpuzzle_of(puzzlesat.load(name))
