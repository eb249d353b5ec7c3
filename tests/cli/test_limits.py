"""``--time``, ``--memory`` and ``--cpu`` limit everything that a command does for a puzzle, from its first line on."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import monotonic, process_time, sleep
from types import SimpleNamespace

import psutil
import pytest

import puzzlesat
from puzzlesat.base import SILENT, Progress
from puzzlesat.base import limits as running
from puzzlesat.base.limits import DOING, Clock, EndedError, Limits, memory_left
from puzzlesat.base.processes import Child, cpu_seconds, resident_bytes
from puzzlesat.cli.terminal import Foremost, Pace, progress_words
from puzzlesat.counting import Plan, Report, comparison, crosscheck, tallied_counts
from puzzlesat.solvers import cnf, sat, solver
from tiers import every

BIG = "polyhexes-1-2-3-4-5-hexagon-ring"
"""21,348 placements, and more solutions than anybody will list."""
COMMANDS = {
    "count": ["count", BIG],
    "count --json": ["count", BIG, "--json"],
    "count --full": ["count", BIG, "--full", "--solver", "sat,cpsat"],
    "count --colouring": ["count", BIG, "--colouring"],
    "check": ["check", "one-sided-pentominoes-9x10"],
    "solve": ["solve", BIG, "-n", "1000000000"],
    "solve by cpsat": ["solve", BIG, "-n", "1000000000", "--solver", "cpsat"],
    "challenge": ["challenge", BIG],
    "show": ["show", BIG],
    "report": ["report", BIG, "-o", "page.html"],
    "convert": ["convert", BIG, "x.xcc"],
    "convert to solutions": ["convert", BIG, "x.jsonl"],
    "compile": ["compile", BIG, "-o", "x.cnf"],
    "prove": ["prove", BIG],
    "certify": ["certify", BIG, "-o", "x.proof"],
    "certify by a tally": ["certify", BIG, "-o", "x.proof", "--kind", "tally"],
}
DOMINOES = 'title = "More dominoes than anybody counts"\ngrid = "square"\nflips = true\nform = { box = [40, 40] }\n'
DOMINOES += 'tiles.D = { picture = "##", copies = "any" }\n'
STARTED: list[subprocess.Popen] = []


@pytest.mark.full
@every("name", COMMANDS, fast=("show",))
def test_a_limit_is_heard_before_there_is_a_cover_problem(run, folder, name):
    found = run(*COMMANDS[name], "--time", "0.001", status=3)
    doing = "|".join(sorted(map(re.escape, DOING.values()), key=len, reverse=True))
    assert len(re.findall(doing, found.output)) == (2 if "--json" in COMMANDS[name] else 1)  # the sentence, and why
    assert [f for f in folder.iterdir() if f.name.startswith(("x.", "page"))] == []


@pytest.mark.full
@every("first", ["tally", "backtrack", "sat"], fast=1)
@every("checkers", [("certificate", "sat", "cpsat"), ("backtrack", "tally"), ()], fast=1)
def test_a_count_is_never_lost_in_its_checks(monkeypatch, first, checkers):
    """The limits report an interrupt as soon as the first count has ended."""
    limits = Limits()
    counting = solver(first)

    def counted(name):
        def prepared(problem):
            def ask(*arguments, **keys):
                outcome = counting(problem)(*arguments, **keys)
                limits.stop.set()
                return outcome

            return ask if name == first else solver(name)(problem)

        return prepared

    monkeypatch.setattr(crosscheck, "solver", counted)
    monkeypatch.setattr(tallied_counts, "solver", counted)
    report = crosscheck.count(puzzlesat.load("absolut-knifflig"), Plan((first, *checkers), transformed=True, limits=limits))
    assert isinstance(report, Report)
    assert (report.complete, report.counts.all, report.interrupted) == (True, 148, True)


@pytest.mark.full
def test_the_limits_are_for_each_puzzle(run, folder):
    found = run("count", BIG, "dominoes.toml", BIG, "--time", "1.5", "--cpu", "--json", status=3)
    assert [report["complete"] for report in found.json] == [False, True, False]


def begin(code):
    """Start a child of this process, and wait for its first output."""
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline()
    STARTED.append(child)


def work(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass


@pytest.mark.full
def test_cpu_seconds_are_those_of_the_program_and_its_children():
    clock = Clock(Limits(cpu=True))
    sleep(0.3)
    assert clock.seconds < 0.2
    work(0.2)
    assert clock.seconds >= 0.15
    child = Child()
    before = cpu_seconds()
    child.ask(work, 0.4)
    while_it_lives = cpu_seconds() - before
    child.end()
    assert while_it_lives >= 0.35
    assert cpu_seconds() - before >= while_it_lives - 0.05  # ended processes are counted once
    assert cpu_seconds() - before < while_it_lives + 0.2


@pytest.mark.full
def test_a_limit_in_cpu_seconds_does_not_pass_while_nothing_is_done():
    limits = Limits(seconds=0.3, cpu=True).begun()
    sleep(0.5)
    assert limits.over() is None
    work(0.4)
    assert limits.over() == "limit reached"


def silent_work(seconds=60.0):
    """Work that reports no progress."""
    end = monotonic() + seconds
    while monotonic() < end:
        sleep(0.001)


@every("ended", ["time", "Ctrl-C", "memory"])
def test_a_limit_ends_work_that_tells_nothing(ended):
    limits = Limits(seconds=0.01 if ended == "time" else 60, memory=1 << 40).begun()
    if ended == "Ctrl-C":
        limits.stop.set()
    told = (replace(limits, most_resident=1) if ended == "memory" else limits).heeding(SILENT).of("a long loop")
    with suppress(EndedError):
        told({"steps": 7})
    status = {"time": "limit reached", "Ctrl-C": "interrupted", "memory": "out of memory"}[ended]
    with pytest.raises(EndedError, match=rf"{status} during a long loop") as found, told.overseen(), told.overseen():
        silent_work()
    assert (found.value.status, found.value.counters) == (status, {"steps": 7})


def test_work_that_is_done_is_not_ended_afterwards():
    limits = Limits(seconds=0.01).begun()
    told = limits.heeding(SILENT)
    for seconds in (0.0, 0.02):
        with told.overseen():
            silent_work(seconds)
        silent_work(0.2)
    assert limits.over() == "limit reached"


def test_a_module_is_loaded_to_its_end(monkeypatch, tmp_path):
    (tmp_path / "slowly_loaded.py").write_text("from time import sleep\nfor _ in range(300):\n    sleep(0.001)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    loaded = []
    with pytest.raises(EndedError), Limits(seconds=0.01).begun().heeding(SILENT).overseen():
        loaded.append(import_module("slowly_loaded"))
        silent_work()
    assert loaded


def test_what_has_begun_does_not_begin_again():
    limits = Limits(seconds=60).begun()
    assert (limits.seconds, limits.begun()) == (None, limits)
    assert limits.within(500).begun().until == limits.until
    sooner = limits.within(5).begun()
    assert sooner.until is not None
    assert 4 < sooner.until - sooner.now <= 5  # a step with its own start has only its own seconds
    left = Clock(limits.within(5)).left
    assert left is not None
    assert 4 < left <= 5
    left = Clock(limits.within(500)).left
    assert left is not None
    assert 59 < left <= 60


@pytest.mark.full
@every("proc", [True, False])
def test_memory_is_that_of_the_program_and_its_children(monkeypatch, proc):
    """Without ``/proc``, as on macOS and Windows, memory use was once 0; mapped files cannot be excluded there."""
    if not proc:
        read, told = Path.read_text, psutil.Process.memory_info

        def no_proc(path, *arguments, **keys):
            if path.is_relative_to("/proc"):
                raise FileNotFoundError(path)
            return read(path, *arguments, **keys)

        monkeypatch.setattr(Path, "read_text", no_proc)
        monkeypatch.setattr(psutil.Process, "memory_info", lambda process: SimpleNamespace(rss=told(process).rss))
    before = resident_bytes()
    assert before > 10 << 20
    assert memory_left() > 100 << 20
    limits = Limits(memory=64 << 20).begun()
    assert limits.over() is None
    taken = bytearray(os.urandom(1)) * (400 << 20)
    assert resident_bytes() - before >= 300 << 20
    assert limits.over() == "out of memory"
    del taken


@pytest.mark.full
def test_memory_is_that_of_the_children_of_children_too():
    child = Child()
    code = "import sys; taken = bytearray(b'1') * (200 << 20); print(len(taken), flush=True); sys.stdin.read()"
    before = resident_bytes()
    child.ask(begin, code)
    assert resident_bytes() - before >= 180 << 20
    child.end()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(BIG, marks=pytest.mark.full),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("polyominoes-4-5-8x10", "dominoes.toml")),
    ],
)
def test_a_program_and_its_children_stay_within_their_memory(name, tmp_path):
    """Exceeding the limit by a quarter of a GiB is allowed, for the listing, the tally and the re-check."""
    (tmp_path / "dominoes.toml").write_text(DOMINOES, encoding="utf-8")
    words = [sys.executable, "-m", "puzzlesat", "count", name, "--time", "6", "--cpu", "--memory", "0.5", "--json"]
    program = psutil.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL)
    peak = 0
    while program.poll() is None:
        with suppress(psutil.Error):  # one has ended between two checks
            infos = [one.memory_info() for one in (program, *program.children(recursive=True))]
            peak = max(peak, sum(info.rss - getattr(info, "shared", 0) for info in infos))
        sleep(0.02)
    assert program.returncode == 3
    assert peak <= (512 + 256) << 20


BY_STAGE = {
    "conditions": "count", "residues": "certify", "tile": "show", "form": "convert", "tiles": "validate", "symmetries": "report",
    "marks": "challenge", "copies": "prove", "rules": "solve", "conflicts": "compile", "space": "certify --kind tally", "wall": "hint",
}  # fmt: skip
INTERRUPTED = {"conditions": "count --solver sat", "tile": "count", "tiles": "show"}


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    """The module that measures each stage, the files of its puzzles, and the CPU seconds of a start."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        module = import_module("stages")
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("stages")
    return module, module.written(folder), module.to_start(folder)


@pytest.mark.full
@every(("name", "command"), [*BY_STAGE.items(), ("wall", "apart"), ("wall", "challenge")])
def test_limits_hold_in_every_stage(stages, name, command):
    """Sums of weights once took seconds each, a large tile twice the memory; a list without a first of its class did not end."""
    module, files, start = stages
    ran = module.run(command, files[name], seconds=1)
    if ran.faults(1 + start):
        ran = module.run(command, files[name], seconds=1)  # numba may have compiled, which happens once and is not limited
    assert ran.faults(1 + start) == "", ran
    assert ran.status in (0, 3, *[2] * (name == "tile")), ran  # it may be refused because it would need more memory


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@every(("name", "command"), INTERRUPTED.items())
def test_ctrl_c_is_heard_in_every_stage(stages, name, command):
    module, files, start = stages
    ran = module.run(command, files[name], interrupt=True, seconds=start + 0.5)
    if ran.faults(0):
        ran = module.run(command, files[name], interrupt=True, seconds=start + 0.5)
    assert ran.faults(0) == "", ran
    assert ran.status in (0, 3, *[2] * (name == "tile")), ran


@pytest.mark.full
def test_the_two_that_take_turns_share_the_memory(monkeypatch):
    """The backtracker's tables were once not part of the memory limit of the tally."""
    taken = []
    two_sides = crosscheck.two_sides
    monkeypatch.setattr(crosscheck, "two_sides", lambda *limits: taken.extend(side.memory for side in limits) or two_sides(*limits))
    assert puzzlesat.count("soma", memory=0.5, budget=0).counts.all == 11_520
    lister, tallier = taken
    assert 0 < lister < tallier
    assert lister + tallier <= 512 << 20


@every("memory", [48, 96, 160], fast=1)
def test_what_a_solver_plans_with_is_what_is_left(memory):
    """Memory used at the start counts too."""
    limits = Limits(memory=memory << 20).begun()
    free = limits.free_memory()
    assert free <= memory << 20
    taken = bytearray(os.urandom(1)) * (80 << 20)
    assert limits.free_memory() <= max(0, limits.most_resident - resident_bytes())
    del taken


def test_a_large_block_of_solutions_is_left_off_and_what_was_counted_was_checked(monkeypatch):
    """A block of solutions once took a minute without a check of the clock."""
    monkeypatch.setattr(crosscheck, "MAX_TOGETHER", 1)
    limits = Limits(solutions=10**9)
    checked = []
    make = crosscheck.solution_check

    def recheck(*arguments, **more):
        check = make(*arguments, **more)

        def counted(rows):
            checked.append(len(rows))
            if len(checked) == 5:
                limits.stop.set()
            return check(rows)

        return counted

    monkeypatch.setattr(crosscheck, "solution_check", recheck)
    report = crosscheck.count(puzzlesat.load("soma"), Plan(("backtrack",), limits=limits))
    assert (report.complete, report.status) == (False, "interrupted")
    assert checked == [1] * 5
    assert len(report.placement_numbers) == 5


def exceeded_twice(monkeypatch, seconds=0.0):
    """Return limits that find too much memory in use at the second and third look; looks are ``seconds`` apart."""
    taken = iter([0, 1 << 40, 1 << 40, *[0] * 100])
    monkeypatch.setattr(running, "resident_bytes", lambda: next(taken))
    monkeypatch.setattr(running, "LOOK_AT_MEMORY_SECONDS", seconds)
    return Limits(memory=1).begun()


@every("seconds", [0.0, 60.0])
def test_whoever_asks_again_hears_the_same(monkeypatch, seconds):
    """A verdict is final. Once a solver asked again between two checks of memory, and then reported a complete count."""
    clock = Clock(exceeded_twice(monkeypatch, seconds))
    assert [clock.verdict(-1) for _ in range(5)] == ["out of memory"] * 5


@pytest.mark.full
def test_memory_that_nobody_needs_any_more_is_given_back_before_it_is_too_much():
    """The C library keeps freed small blocks below a block in use."""
    limits = Limits(memory=64 << 20).begun()
    taken = [bytearray(os.urandom(1)) * (60 << 10) for _ in range(8000)]
    assert limits.over() == "out of memory"
    last = taken.pop()
    del taken
    assert limits.over() is None
    del last


def test_work_goes_on_after_one_that_took_too_much_has_given_it_back(monkeypatch):
    told = exceeded_twice(monkeypatch).heeding(SILENT)
    with pytest.raises(EndedError, match="out of memory"):
        told({"nodes": 1})
    told({"shapes": 1})


@pytest.mark.full
def test_a_subproblem_that_was_ended_takes_no_time_after_the_limit():
    """Its millions of solutions were once checked one by one after the limit, for a minute."""
    limits = Limits(seconds=3.0).begun()
    report = crosscheck.count(puzzlesat.load("stones-and-bones-triangle-12"), Plan(solvers=("tally", "backtrack"), budget=2, limits=limits))
    assert report.counts.all
    assert limits.until is not None
    assert limits.now < limits.until + 8


@every("name", ["backtrack", "tally", "sat", "sat:cadical153", "cpsat"], fast=2)
def test_a_solver_that_hears_of_a_limit_by_its_listener_ends_as_by_its_own(name):
    """The same holds before its search, when a solver does not check its own limits."""

    def end(what, counters):
        raise EndedError("limit reached", what, counters=counters)

    problem = crosscheck.build_instance(puzzlesat.load("pentominoes-6x10")).problem
    outcome = solver(name)(problem)(None, Limits(), progress=Progress(end))
    assert (outcome.status, outcome.complete) == ("limit reached", False)


def test_a_formula_that_takes_long_is_left_off(monkeypatch):
    encoded = []

    def slow(problem, *, encoding, progress):
        encoded.append(problem)
        for number in range(10_000):
            progress({"clauses": number})
            sleep(0.01)
        return cnf.encode(problem, encoding=encoding)

    monkeypatch.setattr(sat, "encode", slow)
    problem = crosscheck.build_instance(puzzlesat.load("soma")).problem
    assert solver("sat")(problem)(None, Limits(seconds=0.2)).status == "limit reached"
    assert len(encoded) == 1


@pytest.mark.full
def test_a_certificate_that_takes_too_long_is_left_off(monkeypatch):
    """The estimate is wrong here, but the budget holds."""
    monkeypatch.setattr(comparison, "SECONDS_A_NODE", 0.0)
    report = crosscheck.count(puzzlesat.load("solid-pentominoes-3x4x5"), Plan(("auto", "certificate"), budget=0.7))
    assert [(row.solver, row.status) for row in report.rows if row.solver == "certificate"] == [("certificate", "limit reached")]
    assert report.agree is None
    assert report.complete


@pytest.mark.full
def test_an_estimate_says_that_a_certificate_takes_too_long():
    report = crosscheck.count(puzzlesat.load("pentominoes-6x10"), Plan(("backtrack", "certificate"), budget=0.1))
    (row,) = [row for row in report.rows if row.solver == "certificate"]
    assert row.how.startswith("not made: ")
    assert row.how.endswith("nodes are too many for 0 s")
    assert report.agree is None


def test_json_of_what_has_not_begun_has_all_keys(run, folder):
    begun = json.loads(run("count", "dominoes.toml", "--json").stdout)
    ended = json.loads(run("count", "dominoes.toml", "--json", "--time", "0.0000001").stdout)
    assert ended.keys() == begun.keys()
    assert ended["counts"].keys() == begun["counts"].keys()
    assert ended["placements"].keys() == begun["placements"].keys()
    assert set(ended["counts"].values()) == {None}
    assert ended["sentence"].startswith("stopped at a limit: nothing was counted; it was ")


def test_how_much_is_left_follows_from_the_pace():
    pace = Pace()
    assert pace.left("backtrack", None, 0.0) is None
    assert pace.left("backtrack", 0, 10.0) is None
    assert pace.left("backtrack", 100_000, 10.5) is None  # too early to say
    assert pace.left("backtrack", 200_000, 12.0) == 8.0
    assert pace.left("backtrack", 1_000_000, 20.0) == 0.0
    assert pace.left("tally", 500_000, 21.0) is None  # other work has its own pace
    assert pace.left("tally", 750_000, 26.0) == 5.0
    assert pace.left("tally", 10_000, 30.0) is None  # it began again


def test_progress_is_that_of_a_search_and_does_not_jump_between_solvers():
    assert progress_words("backtrack", {"share_ppm": 162_000, "nodes": 7}, 3, 13.2) == "searching, 16 %, about 13 s left"
    assert progress_words("tally", {"share_ppm": 1_000}, 3, None) == "searching, 0.1 %, 3 s"
    foremost = Foremost()
    assert foremost.is_shown("backtrack", 20, 0.0)
    assert not foremost.is_shown("tally", 10, 1.0)
    assert foremost.is_shown("tally", 30, 2.0)
    assert not foremost.is_shown("backtrack", 25, 3.0)
    assert foremost.is_shown("backtrack", 26, 8.0)  # the tally is silent
    assert foremost.is_shown("certificate", None, 8.1)  # no other search


def test_counters_are_singular_or_plural_wherever_they_are_told():
    """Messages once said ``1 symmetries``, and gave the share in millionths."""
    far = {"share_ppm": 372_400, "symmetries": 1, "dead_ends": 1, "useful_shapes": 1_000, "merged": 1, "placements": 0}
    counters = "1 symmetry, 1 dead end, 1,000 useful shapes, 1 merged"
    without = {name: number for name, number in far.items() if name != "share_ppm"}
    assert progress_words("x", without, 1, None) == f"x, 1 s, {counters}, 0 placements"
    assert EndedError("limit reached", "x", counters=far).words == "stopped at a limit while x (37.2 %)"


@every("number", [errno.ENOSPC, errno.EACCES, errno.EROFS], fast=1)
def test_a_certificate_that_cannot_be_written_loses_nothing(run, folder, monkeypatch, number):
    def fail(*_arguments, **_keys):
        raise OSError(number, os.strerror(number), "somewhere")

    monkeypatch.setattr(comparison, "TemporaryDirectory", fail)
    found = run("count", "dominoes.toml", "--json", status=0)
    (report,) = found.json
    assert (report["counts"]["all"], report["agree"], report["certificate"]) == (3, True, None)
    (row,) = [row for row in report["solvers"] if row["solver"] == "certificate"]
    assert row["refusal"] == f"it cannot be written: {os.strerror(number)}"


def test_a_solution_where_the_count_says_none_is_found_out(folder):
    report = crosscheck.count(puzzlesat.load("dominoes.toml"), Plan(("backtrack",)))
    zero = comparison.Expected(replace(report.counts, all=0, labelled=0, distinct=0))
    row, bad = comparison.check_by_certificate(report.built, zero, Limits(), SILENT)
    assert not row.confirms
    assert [difference.what.split(":")[0] for difference in bad] == ["there is a solution"]
