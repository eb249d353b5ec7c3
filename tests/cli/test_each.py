"""Many items shared by several processes: every answer comes once, even if processes die, and is stored for the next run."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from puzzlesat.base import ChildEndedError, Limits
from puzzlesat.designing import Sources
from puzzlesat.designing import tile_set as work
from puzzlesat.designing.sets import sets_of_each
from puzzlesat.designing.tile_set import Working, deal, load_kit
from puzzlesat.designing.trial import open_results
from real_programs import PATIENCE, killed_at_the_end, wait_until
from tiers import every

SETS = ("sets", "pentominoes", "--boxes", "--area", "20-36", "--json", "-o", "r.jsonl")
COMMON = ("common", "tetrominoes", "--most", "12", "--json", "-o", "r.jsonl", "--time", "60")
AT_ONCE = "from puzzlesat.designing import tile_set as c; c.ALONE_SECONDS = 0; from puzzlesat.__main__ import main; main()"


@pytest.fixture(scope="module")
def kit():
    return load_kit("tetrominoes")


@pytest.fixture
def handed(monkeypatch):
    """Share work at once, in this process and in reverse order; return the items handed out, and to how many processes."""
    found = []

    def dealt(make, items, jobs, limits):
        taken = list(items)
        found.append((jobs, [name for name, _ in taken]))
        answer_to = make()
        for item in reversed(taken):
            try:
                answer = answer_to(item, replace(limits(), stop=Event()))  # a child has its own event
            except ChildEndedError as ended:
                answer = ended
            yield item, answer

    monkeypatch.setattr(work, "ALONE_SECONDS", 0)
    monkeypatch.setattr(work, "dealt", dealt)
    return found


def named(*names):
    return [(name, name) for name in names]


def lower(kit, name, limits, progress):
    return name.lower()


def test_one_process_goes_through_them_in_order(kit, monkeypatch):
    monkeypatch.setattr(work, "dealt", None)
    assert list(deal(kit, named(*"ABC"), lower, Working(Limits()))) == [("A", "a"), ("B", "b"), ("C", "c")]
    assert list(deal(kit, named(*"ABC"), lower, Working(Limits(), 2))) == [("A", "a"), ("B", "b"), ("C", "c")]
    monkeypatch.setattr(work, "ALONE_SECONDS", 0)
    assert list(deal(kit, named("A"), lower, Working(Limits(), 2))) == [("A", "a")]


def test_what_takes_long_is_dealt_out_from_its_beginning(kit, handed):
    assert list(deal(kit, named(*"ABC"), lower, Working(Limits(), 2))) == [("A", "a"), ("B", "b"), ("C", "c")]
    assert handed == [(2, ["C", "B", "A"]), (1, [])]


def test_as_many_processes_as_memory_reaches_for(kit, handed, monkeypatch):
    monkeypatch.setattr("puzzlesat.base.limits.memory_left", lambda: 10)
    for memory in (2, 4, 100):
        assert len(list(deal(kit, named(*"ABC"), lower, Working(Limits(memory=memory), 8)))) == 3
    assert [most for most, names in handed if names] == [5, 2, 1]


def dies(kit, name, limits, progress, *, times):
    times[name] = times.get(name, 0) - 1
    if times[name] >= 0:
        raise ChildEndedError(-9)
    return name.lower()


def test_what_is_lost_with_its_process_is_tried_once_more_alone(kit, handed, monkeypatch):
    times = {"B": 1, "C": 2}
    monkeypatch.setattr(work, "_work_on", lambda *_: lambda one, _: dies(kit, one[1], None, None, times=times))
    assert list(deal(kit, named(*"ABCD"), lower, Working(Limits(), 2))) == [("A", "a"), ("D", "d"), ("B", "b"), ("C", None)]
    assert handed == [(2, ["D", "C", "B", "A"]), (1, ["B", "C"])]


@pytest.mark.full
def test_sets_of_a_form_whose_processes_die_are_not_known(handed, monkeypatch, tmp_path):
    kit, forms = Sources(boxes=True, area="8-12").of_sets("tetrominoes")
    inner = work._work_on

    def in_child(one, limits, *given):
        if one[1][0].name == "2x6":
            raise ChildEndedError(-9)
        return inner(*given)(one, limits)

    monkeypatch.setattr(work, "_work_on", lambda *given: lambda one, limits: in_child(one, limits, *given))
    results = open_results(kit, tmp_path / "r.jsonl", "sets")
    found = dict(sets_of_each(kit, forms, results, Working(Limits(), 2), 20.0))
    unknown = [forms[number].name for number, record in found.items() if isinstance(record, str)]
    assert (len(found), unknown) == (len(forms), ["2x6"])
    assert len(results.known) == len(forms) - 1


@pytest.mark.full
def test_a_stop_keeps_what_is_confirmed_and_takes_no_more(handed, tmp_path, monkeypatch):
    """The stop comes with the second answer; the third answer has arrived but is not confirmed."""
    kit, forms = Sources(boxes=True, area="8-12").of_sets("tetrominoes")
    stop, inner, asked = Event(), work._work_on, []

    def in_child(one, limits, *given):
        asked.append(one[1][0].name)
        record = inner(*given)(one, limits)
        if len(asked) == 2:
            stop.set()
        return record | {"agree": None} if len(asked) == 3 else record if len(asked) < 4 else "interrupted"

    monkeypatch.setattr(work, "_work_on", lambda *given: lambda one, limits: in_child(one, limits, *given))
    results = open_results(kit, tmp_path / "r.jsonl", "sets")
    found = [forms[number].name for number, _ in sets_of_each(kit, forms, results, Working(Limits(stop=stop), 2), 20.0)]
    assert found == asked[:2]
    assert len(results.known) == 2
    monkeypatch.setattr(work, "_work_on", inner)
    again = dict(sets_of_each(kit, forms, results, Working(Limits(), 2), 20.0))
    assert {record["agree"] for record in again.values()} == {True}
    assert sorted(again) == list(range(len(forms)))


def records(lines):
    """Return the records of lines of JSON by their keys; each key comes once."""
    made = [json.loads(line) for line in lines]
    found = {record["key"]: record | {"seconds": None} for record in made if "key" in record}
    assert len(found) == sum("key" in record for record in made)
    return found


def started(folder, arguments):
    options = {"cwd": folder, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    return subprocess.Popen([sys.executable, "-c", AT_ONCE, *arguments, "--jobs", "2"], **options)


def children(program):
    found = []
    for file in Path(f"/proc/{program.pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found += map(int, file.read_text(encoding="ascii").split())
    return found


@pytest.mark.slow  # starts many processes
@pytest.mark.skipif(sys.platform != "linux", reason="which processes a program has started is asked of Linux")
@every(("arguments", "number"), [(SETS, signal.SIGKILL), (COMMON, signal.SIGINT)])
def test_two_processes_say_what_one_says_also_when_they_are_ended(run, tmp_path, monkeypatch, arguments, number):
    monkeypatch.chdir(tmp_path)
    alone = run(*arguments, "--jobs", 1, status=0)
    (results := tmp_path / "r.jsonl").rename(tmp_path / "alone.jsonl")
    with killed_at_the_end(started(tmp_path, arguments)) as program:
        wait_until(lambda: program.poll() is not None or (results.exists() and results.read_bytes().count(b"\n") > 2), "two results")
        assert len(children(program)) == 2
        program.send_signal(number)
        _, errors = program.communicate(timeout=PATIENCE)
    assert program.returncode == (3 if number == signal.SIGINT else -number), errors
    program = started(tmp_path, arguments)
    printed, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, errors) == (0, "")
    again, before = (records(out.splitlines()) for out in (printed, alone.stdout))
    if arguments == COMMON:  # any of several forms may be found
        again, before = ({key: r | {"atoms": 0, "copies": 0, "fillings": 0} for key, r in found.items()} for found in (again, before))
    assert again == before
