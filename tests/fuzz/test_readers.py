"""Feed every reader with random bytes, damaged files, and malformed tables.

Either a file is read, or ``PuzzleError`` says what is wrong with it, in sentences that name the file. Nothing else is raised.
"""

import gzip
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from damage import ODD, damaged, table, toml
from hypothesis import given
from hypothesis import strategies as st

import puzzlesat
from puzzlesat.base import PuzzleError, data_folder
from puzzlesat.cli.command import Call
from puzzlesat.cli.commands.looking import validate
from puzzlesat.counting.plain_facts import facts
from puzzlesat.designing.candidate_forms import from_files
from puzzlesat.designing.tile_set import load_kit
from puzzlesat.designing.trial import open_results
from puzzlesat.formats.conversion import read_solutions
from puzzlesat.formats.exact_covers import read_cover_file
from puzzlesat.formats.puzzles import instances_in
from puzzlesat.playing.position import read_position
from puzzlesat.puzzles import GridFile, InstanceFile, ModelFile, build_instance, kind_of_table, read_table
from tiers import every

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
GRID = (data_folder("grids") / "square.toml").read_text(encoding="utf-8")
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
    '{"name": "b", "model": "dominoes", "form": {"picture": "##\\n##"}, "expect": {"all": 2}}\n'
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
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def put(path, data):
    """Write text or bytes to a file."""
    path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    return path


def read_or_said(path, read, *, named=True):
    """Read a file, or check the error message."""
    try:
        return read(path)
    except PuzzleError as error:
        assert error.problems
        assert all(problem.strip() for problem in error.problems)
        assert all(str(path) in problem for problem in error.problems) or not named, error.problems
        assert len(str(error)) < 100_000
        return None


def puzzles(path):
    """Process the puzzles of a file as far as ``validate`` does."""
    for instance in instances_in(path):
        facts(build_instance(instance))


def in_toml(path):
    """Read a file like a file of the library."""
    assert validate(Call(None, {}, {"files": [path], "twice": False}), json=False) in (0, 2)
    read_or_said(path, lambda path: kind_of_table(read_table(path)))
    puzzles(path)


@cache
def built():
    with TemporaryDirectory() as folder:
        return build_instance(puzzlesat.load(put(Path(folder) / "small.toml", DOMINOES)))


def solutions(path):
    return read_solutions(path, lambda name: built())


def with_map(path):
    return read_solutions(put(path.with_name("answer.out"), b"s SATISFIABLE\nv 1 -2 3 -4 0\n"), lambda name: built(), path)


def position(path):
    return read_position(built(), path.read_bytes().decode("utf-8", "replace"))


def pictures(path):
    kit = load_kit("tetrominoes")
    for candidate in from_files(kit, [path]):
        kit.to_fill(candidate.name, candidate.table, path=candidate.path)


def results(path):
    open_results(load_kit("tetrominoes"), path, "forms").close()


@cache
def good_results():
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        made = open_results(load_kit("tetrominoes"), path, "forms")
        made.add({"key": "k", "form": "f"})
        made.close()
        return path.read_text(encoding="utf-8")


READERS = {
    "puzzle.toml": (TOML, in_toml),
    "puzzle.xmpuzzle": (XMPUZZLE, puzzles),
    "puzzles.jsonl": ([*LINES, *SOLUTIONS], puzzles),
    "puzzle.xml": ([*LEGESPIEL, *XMPUZZLE], puzzles),
    **{f"cover{suffix}": (texts, read_cover_file) for suffix, texts in COVERS.items()},
    **{f"solutions{suffix}": (SOLUTIONS, solutions) for suffix in (".txt", ".jsonl", ".out")},
    "forms.txt": (["##\n##\n--- b ---\n###\n#\n", INSTANCE], pictures),
    "results.jsonl": (None, results),  # a file written for it
}
"""Files that every message must name: valid texts, and their readers."""
UNNAMED = {"answer.map": (['{"1": "D.1@1.1", "2": "D.1@1.2"}'], with_map), "position.txt": (POSITIONS, position)}
GOOD = [
    *(("puzzle.toml", text, in_toml) for text in TOML[:-2]),
    *(("puzzle.xmpuzzle", text, puzzles) for text in XMPUZZLE),
    *(("puzzle.xml", text, puzzles) for text in LEGESPIEL),
    *(("puzzles.jsonl", text, puzzles) for text in LINES),
    *((f"cover{suffix}", text, lambda path: read_cover_file(path).size) for suffix, texts in COVERS.items() for text in texts),
    *(("solutions.out", text, lambda path: solutions(path)[1]) for text in SOLUTIONS),
    *(("position.txt", text, lambda path: position(path).placed) for text in POSITIONS),
]


@every("name, text, read", GOOD, fast=7)
def test_what_is_damaged_was_good(folder, name, text, read):
    assert read(put(folder / name, text)) or read in (puzzles, in_toml)


@every("name, texts, read", [(name, *how) for name, how in (READERS | UNNAMED).items()])
@given(data=st.data())
def test_damaged_files(folder, name, texts, read, data):
    found = data.draw(st.binary(max_size=60) | damaged(texts or [good_results()]))
    if name.endswith(".xmpuzzle") and data.draw(st.booleans()):
        found = gzip.compress(found)
    read_or_said(put(folder / name, found), read, named=name in READERS)


@every("schema", [InstanceFile, ModelFile, GridFile])
@given(data=st.data())
def test_tables_that_look_like_good_ones(folder, schema, data):
    read_or_said(put(folder / "given.toml", toml(data.draw(table(schema, data.draw(st.sampled_from([0, 0.05, 0.3])))))), in_toml)


@given(st.data())
def test_good_instances_with_an_odd_value(folder, data):
    """One value, anywhere in a valid instance, is replaced."""
    known = tomllib.loads(data.draw(st.sampled_from([INSTANCE, WRAPPED, *OTHERS])))
    holder, key = data.draw(st.sampled_from(_places(known)))
    holder[key] = data.draw(ODD)
    read_or_said(put(folder / "given.toml", toml(known)), puzzles)


def _places(value):
    """List every place of a value in tables and lists."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, one in inside for place in ((value, key), *_places(one))]
