"""Every reader, fed with random bytes, with good files that somebody damaged, and with tables that only look like good ones.

Either a file is read, or ``PuzzleError`` says what is wrong with it, in sentences that name the file. Nothing else is raised.
"""

from __future__ import annotations

import gzip
import sys

import pytest
from damage import ODD, damaged, table, toml
from hypothesis import given
from hypothesis import strategies as st

import puzzlesat
from puzzlesat.candidates.kit import load_kit
from puzzlesat.candidates.results import open_results
from puzzlesat.candidates.sources import from_files
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.validate import run_validate
from puzzlesat.config.package import data_folder
from puzzlesat.config.read import kind_of
from puzzlesat.config.schema import GridFile, InstanceFile, ModelFile
from puzzlesat.counting.facts import facts
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.cover_files import read_cover_file
from puzzlesat.formats.puzzles import instances_in
from puzzlesat.formats.solution_files import read_solutions
from puzzlesat.play.picture import read_position

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INSTANCE = """title = "Small"
source = "a book"
grid = "square"
flips = true
turns = [0, 90, 180, 270]
mirrored = "same"
[colours]
red = ["white"]
[tiles.D]
picture = "##"
copies = [1, 3]
colours = { red = [[1, 1]] }
[tiles.L]
atoms = [[1, 1], [1, 2], [2, 1]]
[[generate]]
free = 1
copies = 2
[form]
picture = '''
####
#░░#
'''
remove = [[1, 1]]
optional = [[2, 1]]
colours = { white = [[1, 2]] }
[[conditions]]
name = "chess"
along = [1, 1]
values = [1, -1]
between = [-1, 1]
[[conditions]]
name = "corner"
atoms = [[1, 2, 5]]
modulo = { of = 5, is = 0 }
[split]
name = "left"
uncovered = "face"
[expect]
all = 3
fixed = { identity = 3 }
placements = { all = 10 }
split = { 0 = 3 }
solution = ["D.1@1.2"]
refuted = [{ what = "distinct", published = 4, by = "nobody", evidence = "none" }]
distinct = 2
"""
WRAPPED = """title = "Cards"
grid = "square-marks"
flips = false
turns = "all"
marks = { cat = { kind = "halves" }, dot = { kind = "self" } }
[tiles.A]
around = ["cat-", "dot", "cat+", "dot"]
copies = 4
[form]
box = [2, 2]
border = "dot"
wrap = [{ move = [2, 0] }, { move = [0, 2], mirror = true }]
fixed = ["A.1@1.1"]
"""
OTHERS = [
    'title = "T"\nmodel = "tetrominoes"\nuse = ["I", "O"]\n[form]\nbox = [4, 2]\n',
    'title = "H"\ngrid = "hexagon"\nflips = false\n[[generate]]\none_sided = 3\n[form]\ntriangle = 5\n',
    'title = "P"\ngrid = "tans"\nflips = false\n[tiles.A]\natoms = [[1, 1, "L"]]\ncopies = "any"\n'
    '[form]\npolygon = [[0, 0], [2, 0], ["3/2", 2]]\n',
    'title = "C"\ngrid = "cube"\nflips = false\n[tiles.A]\npicture = """\n##\n\n#.\n"""\n[form]\nbox = [2, 2, 2]\n[expect]\nall = 0\n',
    'title = "S"\ngrid = "square-edges"\nflips = true\nmay_cross = true\n[tiles.A]\n'
    'atoms = [[1, 1, "e"], [2, 1, "e"]]\n[form]\nbox = [2, 2]\n',
]
GRID = (data_folder("models") / "grids" / "square.toml").read_text(encoding="utf-8")
MODEL = (data_folder("models") / "tetrominoes.toml").read_text(encoding="utf-8")
TOML = [INSTANCE, WRAPPED, *OTHERS, GRID, MODEL]
XMPUZZLE = [
    '<?xml version="1.0"?>\n<puzzle version="2"><gridType type="0"/><colors><color red="1" green="2" blue="3"/></colors><shapes>'
    '<voxel x="2" y="1" z="1" type="0" name="A">##1</voxel><voxel x="2" y="2" z="1" type="0">##1+_</voxel></shapes><problems>'
    '<problem name="x" state="2" assemblies="1" maxHoles="1"><shapes><shape id="0" count="1"/><shape id="0" min="0" max="2"/></shapes>'
    '<result id="1"/><bitmap><pair piece="0" result="0"/></bitmap></problem><problem state="0"><shapes><shape id="0"/></shapes>'
    '<result id="1"/></problem></problems><comment>c</comment></puzzle>',
    '<puzzle version="2"><gridType type="1"/><shapes><voxel x="2" y="1" z="1" type="0">##</voxel></shapes><problems>'
    '<problem state="0"><shapes><shape id="0" count="1"/></shapes><result id="0"/></problem></problems></puzzle>',
]
LEGESPIEL = [
    '<?xml version="1.0" encoding="UTF-8"?><legespielConfiguration xmlns="http://x"><name>G</name><description>d</description>'
    "<numberOfRows>1</numberOfRows><numberOfColumns>2</numberOfColumns><pictures>"
    '<picture id="1" name="a head" matchWithIds="2"/><picture id="2" name="a tail" matchWithIds="1"/></pictures><cards>'
    '<card north="1" east="2" south="1" west="2"/><card north="1" east="2" south="1" west="1"/></cards></legespielConfiguration>'
]
COVERS = {
    ".xcc": ["| a comment\na 2|b 0:3|c | x y\na b x:1\nb c x:2 y\n| 1 named\nb\n", "p q | x\np x:A\nq x:B\n"],
    ".opb": ["* #variable= 3 #constraint= 2\n* x1 name\n+1 x1 +1 x2 +1 x3 = 1 ;\n+2 x1 -3 ~x2 >= -1 ;\n"],
    ".cnf": ["c 1 name\np cnf 3 2\n1 2 3 0\n-1 -2 0\n"],
}
LINES = [
    '{"format": "puzzlesat puzzles", "version": 1, "models": {"d": {"grid": "square", "flips": true, "tiles": {"D": {"picture": "##"}}}}}\n'
    '{"name": "a", "model": "d", "tiles": {"D": {"copies": 2}}, "form": {"box": [2, 2]}}\n'
    '{"name": "b", "model": "dominoes", "form": {"picture": "##\\n##"}, "expect": {"all": 2}}\n',
]
SOLUTIONS = [
    "instance small\n# Small\n\nsolution 1\nD.1@1.1  C\nD.1@1.2 3\n",
    '{"number": 1, "instance": "small", "placements": ['
    '{"name": "D.1@1.1", "tile": "D", "atoms": [[1, 1, "f"], [2, 1, "f"]], "bits": "C"}]}\n',
    "s SATISFIABLE\nv 1 -2 x3\nv -4 0\n",
]
POSITIONS = [
    "AA\n··\n", "AA\nBB\nA D.1@1.2  B D.1@1.1\n", "D.1@1.1 D.1@1.2\n", '["D.1@1.1"]', '{"placements": [{"name": "D.1@1.1"}]}',
    "solution 1 D.1@1.1\n1 of 2 pieces is placed.\n",
]  # fmt: skip
DOMINOES = 'title = "Small"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = 2\n[form]\nbox = [2, 2]\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder, and a function that writes bytes to a file in it."""
    folder = tmp_path_factory.mktemp("fuzz")

    def put(name, data):
        path = folder / name
        path.write_bytes(data)
        return path

    return put


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(DOMINOES, encoding="utf-8")
    return build_instance(puzzlesat.load(path))


def assert_read_or_said(path, read):
    """Read a file, or be told what is wrong with it."""
    try:
        read(path)
    except PuzzleError as error:
        assert error.problems
        assert all(problem.strip() for problem in error.problems)
        assert all(str(path) in problem for problem in error.problems), error.problems
        assert len(str(error)) < 100_000


def puzzles(path):
    """Go as far with the puzzles of a file as ``validate`` does."""
    for instance in instances_in(path):
        facts(build_instance(instance))


RANDOM = st.binary(max_size=60)


@pytest.mark.parametrize("number", range(len(TOML) - 2))
def test_what_is_damaged_was_good(place, number):
    puzzles(place("given.toml", TOML[number].encode()))


def test_what_is_damaged_was_good_elsewhere(place, built):
    for suffix, texts in {".xmpuzzle": XMPUZZLE, ".xml": LEGESPIEL, ".jsonl": LINES}.items():
        for text in texts:
            puzzles(place(f"given{suffix}", text.encode()))
    for suffix, texts in COVERS.items():
        assert all(read_cover_file(place(f"given{suffix}", text.encode())).size for text in texts)
    for text in SOLUTIONS:
        assert read_solutions(place("given.out", text.encode()), lambda name: built)[1]
    assert all(read_position(built, text).placed for text in POSITIONS)


@given(RANDOM | damaged(TOML))
def test_toml(place, data):
    path = place("given.toml", data)
    assert_read_or_said(path, kind_of)
    assert run_validate([path], Bounds()) in (0, 2)
    assert_read_or_said(path, puzzles)


@pytest.mark.parametrize("schema", [InstanceFile, ModelFile, GridFile])
@given(data=st.data())
def test_tables_that_look_like_good_ones(place, schema, data):
    text = toml(data.draw(table(schema, data.draw(st.sampled_from([0, 0.05, 0.3])))))
    path = place("given.toml", text.encode("utf-8", "surrogatepass"))
    assert run_validate([path], Bounds()) in (0, 2)
    assert_read_or_said(path, puzzles)


@given(st.data())
def test_good_instances_with_an_odd_value(place, data):
    """One value, anywhere in a good instance, is another one."""
    known = tomllib.loads(data.draw(st.sampled_from([INSTANCE, WRAPPED, *OTHERS])))
    holder, key = data.draw(st.sampled_from(_places(known)))
    holder[key] = data.draw(ODD)
    path = place("given.toml", toml(known).encode("utf-8", "surrogatepass"))
    assert_read_or_said(path, puzzles)


def _places(value):
    """Every place in tables and lists where a value stands."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, one in inside for place in ((value, key), *_places(one))]


@given(RANDOM | damaged(XMPUZZLE) | damaged(XMPUZZLE).map(gzip.compress))
def test_xmpuzzle(place, data):
    assert_read_or_said(place("given.xmpuzzle", data), puzzles)


@given(RANDOM | damaged(LINES) | damaged(SOLUTIONS))
def test_lines(place, data):
    assert_read_or_said(place("given.jsonl", data), puzzles)


@given(RANDOM | damaged(LEGESPIEL) | damaged(XMPUZZLE))
def test_legespiel(place, data):
    assert_read_or_said(place("given.xml", data), puzzles)


@pytest.mark.parametrize("suffix", COVERS)
@given(data=st.data())
def test_cover_problems(place, suffix, data):
    assert_read_or_said(place(f"given{suffix}", data.draw(RANDOM | damaged(COVERS[suffix]))), read_cover_file)


@given(RANDOM | damaged(SOLUTIONS), st.sampled_from([".txt", ".jsonl", ".out"]))
def test_solutions(place, built, data, suffix):
    assert_read_or_said(place(f"given{suffix}", data), lambda path: read_solutions(path, lambda name: built))


@given(RANDOM | damaged(['{"1": "D.1@1.1", "2": "D.1@1.2"}']))
def test_maps(place, built, data):
    answer = place("answer.out", b"s SATISFIABLE\nv 1 -2 3 -4 0\n")
    path = place("given.map", data)
    try:
        read_solutions(answer, lambda name: built, path)
    except PuzzleError as error:
        assert all(problem.strip() for problem in error.problems)


@given(RANDOM | damaged(POSITIONS))
def test_positions(place, built, data):
    text = data.decode("utf-8", "replace")
    try:
        read_position(built, text)
    except PuzzleError as error:
        assert error.problems
        assert all(problem.strip() for problem in error.problems)


@given(RANDOM | damaged(["##\n##\n--- b ---\n###\n#\n", INSTANCE]))
def test_pictures_of_forms(place, data):
    kit = load_kit("tetrominoes")

    def read(path):
        for candidate in from_files(kit, [path]):
            kit.to_fill(candidate.name, candidate.table, path=candidate.path)

    assert_read_or_said(place("given.txt", data), read)


@given(st.data())
def test_results_of_forms(place, data):
    kit = load_kit("tetrominoes")
    path = place("results.jsonl", b"")
    path.unlink()
    results = open_results(kit, path, "forms")
    results.add({"key": "k", "form": "f"})
    results.close()
    good = path.read_text(encoding="utf-8")
    path.write_bytes(data.draw(RANDOM | damaged([good])))
    assert_read_or_said(path, lambda path: open_results(kit, path, "forms").close())
