"""Small files that need too many resources: refused at once with the limit in the message; and the program when memory runs out."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.cli.main import app
from puzzlesat.puzzles import MAX_OF_A_PUZZLE, build_instance
from puzzlesat.solvers import registry, sat
from tiers import every

HEAD = 'title = "s"\ngrid = "{grid}"\nflips = true\n'
TILE = '[tiles.D]\natoms = [[1, 1]]\ncopies = "any"\n'
SECONDS = 20
"""A generous limit of CPU seconds: each bomb takes a second or two, and without limits gigabytes and minutes."""


def instance(form, grid="square", tiles=TILE):
    return HEAD.format(grid=grid) + tiles + f"[form]\n{form}\n"


LIMIT = "expected 100,000 at most"
BOMBS = {
    "box.toml": (instance("box = [100000, 100000]"), f"form.box: 10,000,000,000 cells; {LIMIT}"),
    "triangle.toml": (instance("triangle = 100000000", "hexagon"), f"form.triangle: .* cells within its reach; {LIMIT}"),
    "hexagon.toml": (instance("hexagon = 100000", "hexagon"), f"form.hexagon: .* cells within its reach; {LIMIT}"),
    "polygon.toml": (instance("polygon = [[1, 1], [1000000000, 1], [1, 1000000000]]"), f"form.polygon: .* cells within its reach; {LIMIT}"),
    "thin.toml": (instance("polygon = [[0, 0], [100000, 100000], [100000, 100001]]"), f"form.polygon: .* within its reach; {LIMIT}"),
    "corners.toml": (instance(f"polygon = [{'[1, 1], ' * 5000}]"), "5,000 corners; expected 100 at most"),
    "fraction.toml": (instance('polygon = [[0, 0], ["1e999999999", 0], [0, 1]]'), "expected an integer or a fraction"),
    "atoms.toml": (instance("atoms = [" + "".join(f"[{i}, 1], " for i in range(100_001)) + "]"), f"form.atoms: 100,001 atoms; {LIMIT}"),
    "picture.toml": (instance("picture = '''\n" + ("#" * 1000 + "\n") * 101 + "'''"), f"form.picture: more than 100,000 .*{LIMIT}"),
    "layers.toml": (instance("picture = '''\n" + "#\n\n" * 100_001 + "'''", "cube"), f"form.picture: more than 100,000 .*{LIMIT}"),
    "anchors.toml": (
        instance("picture = '''\n" + ("#" * 1000 + "\n") * 20 + "'''", "rhombic-tetrahedra", "[[generate]]\nfree = 1\n"),
        "form.picture: 20,000 characters are drawn; expected 16,000 at most on this grid",
    ),
    "free.toml": (instance("box = [9, 9, 9]", "cube", "[[generate]]\nfree = 9\n"), "number 1: there are too many polyforms of 9 faces"),
    "fixed.toml": (instance("box = [9, 9]", "triangle-edges", "[[generate]]\nfixed = 9\n"), "there are too many polyforms"),
    "generate.toml": (instance("box = [9, 9]", "square", "[[generate]]\nfree = 8\n" * 1000), "generate: expected 27 at most, got more"),
    "copies.toml": (instance("box = [2, 2]", tiles=TILE.replace('"any"', "4294967295")), "expected 1,000,000 copies at most"),
    "dotted.toml": ("a" + ".a" * 50_000 + " = 1\n", "nested too deeply"),
    "quoted.toml": ('"a"' + '."a"' * 50_000 + " = 1\n", "nested too deeply"),
    "heading.toml": ("[a" + " . a" * 50_000 + "]\n", "nested too deeply"),
    "keys.toml": ("".join(f"{i}.a.b.c = 1\n" for i in range(100_000)), "too many tables"),
    "lists.toml": ("a = " + "[" * 100_000 + "]" * 100_000 + "\n", "nested too deeply"),
    "tables.toml": ("a = " + "{ a = " * 100_000, "nested too deeply"),
    "decimal.toml": ("title = " + "1" * 100_000 + "\n", "a number of more than 1,000 digits"),
    "hexadecimal.toml": ("title = 0x" + "f" * 100_000 + "\n", "a number of more than 1,000 digits"),
    "large.toml": ("# " + "x" * MAX_OF_A_PUZZLE, "bytes or more; 4,194,304 are read at most"),
    "unknown.xml": ("<?xml version='1.0' encoding='foo'?><legespielConfiguration/>", "its encoding 'foo' is not known"),
    "unusable.xml": ("<?xml version='1.0' encoding='shift_jis'?><legespielConfiguration/>", "its encoding 'shift_jis' is not known"),
    "not-as-said.xml": ("<?xml version='1.0' encoding='utf-16'?><legespielConfiguration/>", "no XML"),
    "codec.xmpuzzle": ("<?xml version='1.0' encoding='rot13'?><puzzle/>", "its encoding 'rot13' is not known"),
    "laughs.xml": (
        '<!DOCTYPE a [<!ENTITY a "ha">' + "".join(f'<!ENTITY {y} "{f"&{x};" * 10}">' for x, y in pairwise("abcdefghij")) + "]><a>&j;</a>",
        "declares a document type",
    ),
    "outside.xmpuzzle": ('<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]><puzzle>&a;</puzzle>', "declares a document type"),
    "deep.xml": ("<a>" * 1_000_000, "more than 1,000 nested elements"),
    "many.xml": ("<a>" + "<b/>" * 1_100_000 + "</a>", "more than 1,000,000 elements"),
    "packed.xmpuzzle": (gzip.compress(b" " * 2**27, 1), "bytes when unpacked; this is not a puzzle"),
    "variables.cnf": ("p cnf 999999999999 0\n", "999,999,999,999 variables; 1,000,000 at most"),
    "digits.cnf": (f"p cnf {'9' * 5000} 1\n", "expected one line 'p cnf"),
    "literal.cnf": (f"p cnf 1 1\n{'9' * 5000} 0\n", "expected literals"),
    "variables.opb": ("+1 x999999999999 >= 1 ;\n", "999,999,999,999 variables; 1,000,000 at most"),
    "weight.opb": (f"+{'9' * 5000} x1 >= 1 ;\n", "is not a weight and a variable"),
    "blanks.opb": ("+1 x1" + " " * 1_000_000 + "+1 ;\n", "expected a sum"),
    "bounds.xcc": (f"{'9' * 5000}|a\na\n", "is not an item"),
}  # fmt: skip


FAST = ("box.toml", "fraction.toml", "picture.toml", "generate.toml", "copies.toml", "dotted.toml", "hexadecimal.toml", "not-as-said.xml",
        "laughs.xml", "packed.xmpuzzle", "variables.cnf", "weight.opb", "bounds.xcc")  # fmt: skip
"""Some of each reader."""
COUNT_EACH = """
for path in sys.argv[1:]:
    began, done = process_time(), CliRunner().invoke(app, ["count", path, "--time", "5"])
    print(json.dumps([path, done.exit_code, repr(done.exception), done.stdout, done.stderr, process_time() - began]))
"""


@every("name", FAST, fast=("box.toml", "fraction.toml", "copies.toml", "weight.opb", "not-as-said.xml"))
def test_some_bombs(tmp_path, name):
    text, words = BOMBS[name]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = CliRunner().invoke(app, ["count", str(tmp_path / name)])
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert re.search(words, ran.stderr)


@pytest.mark.full
@every("names", [FAST, [name for name in BOMBS if name not in FAST]])
def test_bombs(names, tmp_path):
    """One process refuses all of them, so none may leave much memory in use."""
    for name in names:
        text, _ = BOMBS[name]
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    imports = "import json, sys; from time import process_time; from typer.testing import CliRunner"
    code = f"{imports}\n{limit_of(1500)}\nfrom puzzlesat.cli.main import app{COUNT_EACH}"
    child = subprocess.run(
        [sys.executable, "-c", code, *(tmp_path / name for name in names)], capture_output=True, encoding="utf-8", check=True
    )
    told = [json.loads(line) for line in child.stdout.splitlines()]
    assert [path for path, *_ in told] == [str(tmp_path / name) for name in names]
    for path, status, raised, out, err, seconds in told:
        assert (status, raised, out) == (2, "SystemExit(2)", ""), path
        with pytest.raises(PuzzleError, match=BOMBS[Path(path).name][1]):
            raise PuzzleError(err)
        assert path in err
        assert max(map(len, err.splitlines())) < 500 + len(path)
        assert seconds < SECONDS, path


def limit_of(memory):
    """Return the line of Python that limits the memory of a process to ``memory`` MiB."""
    return f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({memory} << 20, {memory} << 20))"


def run(*arguments, memory=None, before=""):
    """Run the program as a separate process, limited to ``memory`` MiB."""
    limit = "" if memory is None else f"{limit_of(memory)}; "
    code = f"{before}{limit}from puzzlesat.cli.main import app; app()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120)
    assert "Traceback" not in found.stderr
    return found


@pytest.mark.full
def test_deep_json(tmp_path):
    for suffix in (".jsonl", ".txt"):
        path = tmp_path / f"deep{suffix}"
        path.write_text('{"placements": ' + "[" * 1_000_000, encoding="utf-8")
        found = run("convert", path, tmp_path / "out.jsonl", "--instance", "soma")
        assert (found.returncode, "line 1: not JSON that can be read: it is nested too deeply" in found.stderr) == (2, True)
    found = run("hint", "soma", "--picture", path)
    assert (found.returncode, "nested too deeply" in found.stderr) == (2, True)
    path.write_text('{"placements": ' + "1" * 5000 + "}", encoding="utf-8")
    assert "a number of more than" in run("hint", "soma", "--picture", path).stderr


def test_wrapped_forms_and_placements_are_bounded(tmp_path):
    path = tmp_path / "torus.toml"
    path.write_text(instance("box = [4, 4]\nwrap = [{ move = [4, 0] }, { move = [0, 4] }]"), encoding="utf-8")
    assert len(build_instance(puzzlesat.load(path)).problem.symmetries) == 16 * 8
    for memory, message in ((100, "its 16 placements need"), (10_000, "form.wrap: it can be moved")):
        with pytest.raises(PuzzleError, match=f"{path}: {message}"):
            build_instance(puzzlesat.load(path), limits=Limits(memory=memory))


ODD_NAMES = [
    *("A" * 3000 + suffix for suffix in ("", ".toml", ".xmpuzzle", ".xcc")),
    *("a\0" + suffix for suffix in ("b", ".toml", ".xmpuzzle", ".cnf")),
    *("a/" * 3000 + "b.xml", "\ud800", "\ud800.toml", "", ".", "/", "..", "/dev/null", "~", "*", "a\nb", " ", ".toml"),
]


@every("name", ODD_NAMES, fast=7)
def test_names_that_no_file_can_have(name):
    for ask in (puzzlesat.load, puzzlesat.count, lambda name: next(puzzlesat.solve(name))):
        with pytest.raises(PuzzleError) as caught:
            ask(name)
        assert caught.value.problems
        assert max(map(len, caught.value.problems)) < 1000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.full
def test_named_pipes_are_refused_and_do_not_wait(tmp_path):
    """A position may still be read from a pipe."""
    for suffix in (".toml", ".xmpuzzle", ".xml", ".xcc"):
        path = tmp_path / f"pipe{suffix}"
        os.mkfifo(path)
        found = run("count", path)
        assert (found.returncode, len(found.stderr.splitlines())) == (2, 1)
        assert suffix == ".toml" or "not a plain file; save its content to one" in found.stderr
    writer = threading.Thread(target=path.write_text, args=("V.1@9.1.1\n",), daemon=True)
    writer.start()
    assert f"{path.name}: 'V.1@9.1.1' is not a placement of" in run("hint", "soma", "--picture", path).stderr
    writer.join(10)
    assert not writer.is_alive()


def test_a_solver_without_memory_says_what_it_found(monkeypatch, tmp_path, built):
    def broken(problem, *variant):
        def ask(on_solutions, limits, given=(), progress=None):
            registry.solver("backtrack")(problem)(lambda rows: on_solutions(rows[:1]), limits)
            raise MemoryError

        return ask

    monkeypatch.setattr(sat, "prepare", broken)
    outcome = registry.solver("sat")(built.problem)(lambda rows: None, Limits())
    assert (outcome.status, outcome.found, outcome.complete) == ("out of memory", 1, False)
    report = puzzlesat.count(built.puzzle, solver=("sat", "backtrack"))
    assert (report.complete, report.status, report.counts.all) == (False, "out of memory", None)
    report = puzzlesat.count(built.puzzle, solver=("backtrack", "sat"))
    assert (report.complete, report.status, report.counts.all, report.agree) == (True, "complete", 2, None)


@pytest.fixture
def built(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(instance("box = [2, 2]", tiles='[tiles.D]\npicture = "##"\ncopies = 2\n'), encoding="utf-8")
    return build_instance(puzzlesat.load(path))


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded otherwise there")
def test_a_count_without_memory_is_no_count_and_no_traceback():
    found = run("count", "one-sided-pentominoes-9x10", "--solver", "tally", "--memory", "8", "--time", "20", memory=500)
    assert found.returncode == 3
    assert "not known" in found.stdout


@pytest.mark.slow
@every("command", ["show", "solve", "validate", "hint", "prove"])
def test_the_last_resort(command, tmp_path):
    path = tmp_path / "puzzle.toml"
    path.write_text(instance("box = [2, 2]"), encoding="utf-8")
    spoil = "import puzzlesat.puzzles.building as b\ndef none(instance, **limits): raise {}\nb.build_instance = none\n"
    found = run(command, path, before=spoil.format("MemoryError"))
    assert (found.returncode, found.stderr.startswith("puzzlesat: out of memory; ")) == (3, True)
    assert "--solver backtrack" in found.stderr
    if command == "solve":
        found = run(command, path, before=spoil.format("RecursionError"))
        assert (found.returncode, "nested too deeply" in found.stderr) == (2, True)
