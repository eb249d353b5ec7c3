"""Ctrl-C, other signals and limits while a solver works: the program ends soon, reports its progress, and leaves no process."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
import typer
from pydantic_core import SchemaError

from puzzlesat.base.limits import Limits
from puzzlesat.cli.endings import says_errors
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.solvers.registry import listing
from puzzlesat.solvers.sat import CANNOT_BE_INTERRUPTED, EngineProcess, Formula
from real_programs import PATIENCE, killed_at_the_end, start, wait_until_it_has_printed, wait_until_it_has_worked, worked
from tiers import every

HARD = 'title = "Dominoes on a board without two opposite corners"\ngrid = "square"\nflips = true\n'
HARD += 'tiles.D = { picture = "##", copies = "any" }\nform = { box = [20, 20], remove = [[1, 1], [20, 20]] }\n'
"""Without parity, no solver can show within the time of a test that there is no solution."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")


@pytest.fixture
def hard(tmp_path):
    file = tmp_path / "hard.toml"
    file.write_text(HARD, encoding="utf-8")
    return file


def interrupted(folder, *arguments, until, by=signal.SIGINT):
    """Start the program and signal it after ``until``; return exit status, outputs, and CPU seconds from the signal to the end."""
    before = ended_children()
    with killed_at_the_end(start(folder, *arguments)) as program:
        until(program)
        worked_before = worked(program)
        program.send_signal(by)
        output, errors = program.communicate(timeout=PATIENCE)
        return program.returncode, output, errors, ended_children() - before - worked_before


def ended_children():
    """Return the CPU seconds of ended processes: children of this process, and theirs."""
    times = os.times()
    return times.children_user + times.children_system


def after(seconds):
    """Wait until all processes of a program have used this many CPU seconds."""
    return lambda program: wait_until_it_has_worked(program, seconds)


@pytest.mark.full
@pytest.mark.parametrize(
    ("solver", "by"),
    [("sat:cadical195", "SIGTERM"), ("sat", "SIGINT"), ("sat", "SIGHUP"), pytest.param("cpsat", "SIGINT", marks=pytest.mark.slow)],
)
def test_an_interrupt_ends_a_count(hard, solver, by):
    number = getattr(signal, by)
    status, output, errors, seconds = interrupted(hard.parent, "count", hard, "--no-parity", "--solver", solver, until=after(3), by=number)
    assert (status, errors) == (3, "")
    assert "not known: interrupted after 0 solutions" in output
    assert seconds < 15


@every("solver", [*listing(), "sat:cadical195"], fast=("backtrack",))
def test_an_interrupt_ends_the_printing_of_solutions(tmp_path, solver):
    status, output, errors, _ = interrupted(tmp_path, "solve", "dominoes-8x8", "--all", "--solver", solver, until=wait_until_it_has_printed)
    assert (status, errors) == (3, f"puzzlesat: interrupted after {output.count('solution ')} solutions\n")


LONG = (
    (("convert", "dominoes-8x8", "x.jsonl"), after(3), "x.jsonl", r"puzzlesat: interrupted after [\d,]+ solutions\n"),
    (("solve", "dominoes-8x8", "--all", "--svg", "x.svg"), wait_until_it_has_printed, "x.svg", ""),
)


@pytest.mark.slow
@every("old", [True, False])
@every(("arguments", "until", "file", "said"), LONG)
def test_what_is_found_before_an_interrupt_takes_no_whole_files_place(tmp_path, arguments, until, file, said, old):
    if old:
        (tmp_path / file).write_bytes(b"old")
    status, _, errors, _ = interrupted(tmp_path, *arguments, until=until, by=signal.SIGTERM)
    assert status == 3, errors
    assert ((tmp_path / file).read_bytes() == b"old") == old
    kept = f"puzzlesat: {file} is unchanged: after an interruption, results are written to new files only\n"
    assert (kept in errors) == old
    assert not old or re.match(said, errors)
    assert [p.name for p in tmp_path.iterdir()] == [file]


def test_an_interrupt_before_the_work_begins(run, monkeypatch):
    """A signal may also come after the handlers are installed and before the command starts."""
    monkeypatch.setattr("puzzlesat.cli.endings._say_warnings", lambda: signal.raise_signal(signal.SIGINT))
    found = run("list")
    assert (found.status, found.output, found.exception) == (3, "puzzlesat: interrupted\n", None)


@pytest.mark.full
def test_an_interrupt_within_code_that_is_text():
    """If a KeyboardInterrupt leaves code run by ``exec``, Python ends by SIGINT even if it is caught; every dataclass uses ``exec``."""
    code = """
import sys
from puzzlesat.cli.terminal import interruptible
with interruptible():
    try:
        exec("import os, signal, time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)")
    except KeyboardInterrupt:
        sys.exit(3)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 3


FINALIZERS = ["class Last:\n    def __del__(self):\n        wait()\nLast()", "last = weakref.ref(set(), lambda _: wait())"]


@pytest.mark.full
@every("where", FINALIZERS)
def test_an_interrupt_within_a_finalizer(where):
    """Python reports the exception as ignored and continues."""
    code = f"""
import os, signal, sys, time, weakref
from puzzlesat.cli.terminal import interruptible
def wait():
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(1000):
        time.sleep(0.001)
with interruptible():
    try:
{"".join(f"        {line}{chr(10)}" for line in where.splitlines())}
        time.sleep(5)
    except KeyboardInterrupt:
        sys.exit(3)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (3, "")


READ = [("--all",), ("--all", "--json"), ("--all", "--solver", "cpsat"), ("--solver", "sat:cadical195")]


@pytest.mark.slow
@every("arguments", READ)
def test_the_reader_of_solutions_may_stop(tmp_path, arguments):
    command = [sys.executable, "-m", "puzzlesat", "solve", "dominoes-8x8", *arguments]
    with killed_at_the_end(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)) as program:
        assert program.stdout.read(20)
        program.stdout.close()
        assert program.wait(timeout=PATIENCE) == 0
        assert program.stderr.read() == b""


def no_parity(file):
    return build_instance(load_instance(file).puzzle).problem.without_implied()


@pytest.mark.full
@every("engine", CANNOT_BE_INTERRUPTED)
def test_a_time_limit_holds_for_engines_that_cannot_be_interrupted(hard, engine):
    name = {"cadical": "cadical195", "mergesat": "mergesat3"}.get(engine, engine)
    began = time.monotonic()
    with Formula(no_parity(hard), engine=name) as formula:
        outcome = formula.solve(lambda rows: None, Limits(seconds=1.5))
    assert (outcome.status, outcome.found) == ("limit reached", 0)
    assert time.monotonic() - began < 15


@pytest.mark.full
def test_an_engine_can_be_asked_again_after_a_limit(hard):
    with Formula(no_parity(hard), engine="cadical195") as formula:
        assert formula.solve(lambda rows: None, Limits(seconds=0.5)).status == "limit reached"
        names = list(formula.problem.options)
        cut = [names.index(f"D.1@{x}.{y}") for x, y in ((2, 1), (1, 2))]
        assert formula.solve(lambda rows: None, Limits(seconds=20), given=[*cut, names.index("D.2@2.1")]).status == "complete"


@pytest.mark.full
def test_an_engine_that_ends_by_itself_is_an_error(hard):
    from puzzlesat.base.errors import PuzzleError

    engine = EngineProcess("cadical153")
    engine.child.kill()
    with pytest.raises(PuzzleError, match="sat:cadical153: the engine ended by itself"):
        engine.add_clause([1])
    engine.delete()


EARLY = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), getattr(signal, os.environ["INTERRUPTED_BY"]))

sys.meta_path.insert(0, Interrupting())
"""
"""Sends a signal to the process itself when it begins to load a module."""
LOADED = ["puzzlesat.base.errors", "puzzlesat.solvers.registry", "puzzlesat.cli.main", "typer"]
PROGRAM = [shutil.which("puzzlesat", path=os.path.dirname(sys.executable))]  # noqa: PTH120


@pytest.mark.full
@every("by", ["SIGINT", "SIGTERM"])
@every("module", LOADED)
@every("command", [PROGRAM, [sys.executable, "-m", "puzzlesat"]])
def test_an_interrupt_while_the_program_is_being_loaded(module, command, by, tmp_path):
    """Interrupt as soon as the main module has begun; it loads nothing of the package before its handlers are installed."""
    if command == [None]:
        pytest.skip("the program is not installed beside this Python")
    (tmp_path / "sitecustomize.py").write_text(EARLY, encoding="utf-8")
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": paths, "INTERRUPTED_AT": module, "INTERRUPTED_BY": by}
    found = subprocess.run([*command, "list", "soma"], capture_output=True, text=True, env=environment, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (3, "", "puzzlesat: interrupted\n")


@pytest.mark.full
def test_who_only_imports_the_package_keeps_its_signals():
    code = "import signal, sys, puzzlesat; sys.exit(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_signal_while_a_schema_is_built_is_an_interrupt(capsys):
    """pydantic-core replaces any exception that is raised while it builds a schema by one of its own, which keeps only the text."""

    @says_errors
    def command():
        raise SchemaError('Error building "literal" validator:\n  Interrupted: ')

    with pytest.raises(typer.Exit) as ended:
        command()
    assert (ended.value.exit_code, capsys.readouterr().err) == (3, "puzzlesat: interrupted\n")
