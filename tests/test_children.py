"""Child processes: requests, requests to stop, deaths and ends."""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from operator import truediv
from pathlib import Path
from threading import Thread, Timer

import pytest

from puzzlesat.base import PuzzleError, new_file, processes
from puzzlesat.base.processes import Child, ChildEndedError, ChildPool, InChildError
from puzzlesat.solvers.sat import open_engine
from real_programs import PATIENCE, killed_at_the_end, shown_on, state, wait_until
from tiers import every

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")]
"""All start processes, each of which costs a third of a second; the commands that the fast tier runs use them too."""


def print_much():
    print("x" * 100_000)
    os.write(1, b"x" * 100)
    os.system("echo x")
    return sys.stdin.read()


def half_an_answer():
    os.closerange(5, 20)
    for number in (3, 4):
        try:
            os.write(number, (100).to_bytes(8, "big") + b"half")
        except OSError:
            continue
    os._exit(3)


def own_number():
    """A first call, so that the child has loaded this module before the real question."""
    return os.getpid()


def wait_to_be_told():
    return Child.told_to_stop.wait(60)


def was_told():
    return Child.told_to_stop.is_set()


def tell_of(numbers):
    for number in numbers:
        processes.Child.tell(number)
    return "all"


def tell_until_told(first):
    processes.Child.tell(first)
    Child.told_to_stop.wait(60)
    processes.Child.tell("last")
    return Child.told_to_stop.is_set()


def tell_in_threads(each):
    threads = [Thread(target=tell_of, args=([number] * each,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def begin_a_file(path):
    processes.kept = new_file(path)
    processes.kept.__enter__()


def hold_the_lock(seconds):
    """``ctypes.PyDLL`` calls without releasing the interpreter's lock, as python-sat calls CaDiCaL."""
    Child.end_at_once_with_parent()
    ctypes.PyDLL(None).sleep(seconds)


@pytest.fixture
def child():
    made = Child()
    yield made
    made.end()


def is_gone(number):
    """Return True as soon as a process has ended, or is a zombie."""
    wait_until(lambda: state(number) in "XZ", f"the end of process {number}", 0.05)
    return True


def test_a_child_answers_and_goes_on_after_errors(child):
    """Exceptions propagate to the parent; output, input and results that cannot be pickled do not spoil the next answer."""
    assert child.ask(truediv, 1, 4) == 0.25
    assert child.ask(sorted, [2, 3, 1], reverse=True) == [3, 2, 1]
    assert child.ask(os.getpid) == child.process.pid != os.getpid()
    big = list(range(300_000))
    assert child.ask(sorted, big) == big
    with pytest.raises(ZeroDivisionError) as raised:
        child.ask(truediv, 1, 0)
    assert isinstance(raised.value.__cause__, InChildError)
    assert "function(*arguments, **options)" in str(raised.value.__cause__)
    with pytest.raises(AttributeError):
        child.ask(getattr, "a", "b")
    with pytest.raises(PuzzleError, match="no solver 'cadicel195'; did you mean 'cadical195'"):
        child.ask(open_engine, "cadicel195")
    for cannot_be_sent in ((lambda: 1,), (eval, "lambda: 1")):
        with pytest.raises(Exception, match=r"[Pp]ickle|local object"):
            child.ask(*cannot_be_sent)
    assert child.ask(print_much) == ""
    assert child.ask(truediv, 1, 2) == 0.5


@every(
    "status, function, argument",
    [
        pytest.param(7, os._exit, (7,), id="by itself"),
        pytest.param(3, half_an_answer, (), id="in the middle of its answer"),
        pytest.param(-9, time.sleep, (60,), id="killed from another thread"),
    ],
)
def test_one_that_dies_says_with_which_status(status, function, argument):
    child = Child()
    if status < 0:
        Timer(0.5, child.kill).start()
    with pytest.raises(ChildEndedError, match=f"exit status {status}") as raised:
        child.ask(function, *argument)
    assert (raised.value.status, child.busy) == (status, True)
    with pytest.raises(ChildEndedError, match=f"exit status {status}"):
        child.ask(truediv, 1, 2)
    child.end()


def test_it_tells_what_it_finds_before_it_answers(child):
    heard = []
    child.heard = heard.append
    assert child.ask(tell_of, [1, "two", {"three": [3]}]) == "all"
    assert heard == [1, "two", {"three": [3]}]
    child.heard = None
    assert child.ask(tell_of, [4]) == "all"  # without a listener
    assert len(heard) == 3
    processes.Child.tell("here")  # no child: nothing
    several = []
    child.heard = several.append
    child.ask(tell_in_threads, 200)
    assert sorted(several) == [number for number in range(8) for _ in range(200)]
    with pytest.raises(Exception, match=r"[Pp]ickle"):
        child.ask(eval, "__import__('puzzlesat.base.processes').base.processes.Child.tell(lambda: 1)")
    assert child.ask(truediv, 1, 2) == 0.5


def test_what_is_told_is_heard_while_it_works(child):
    heard = []

    def hear(what):
        heard.append(what)
        child.stop()
        if what == "wrong":
            raise ValueError(what)

    child.heard = hear
    assert child.ask(tell_until_told, "first")
    assert heard == ["first", "last"]
    with pytest.raises(ValueError, match="wrong"):
        child.ask(tell_of, ["wrong", "more"])
    assert child.busy


def test_that_it_is_to_leave_off_can_be_taken_back(child):
    child.stop()
    assert child.ask(wait_to_be_told)
    child.stop()
    child.go_on()
    assert not child.ask(was_told)
    child.go_on()
    Timer(0.2, child.stop).start()
    assert child.ask(wait_to_be_told)
    assert not Child.told_to_stop.is_set()


def test_signals_to_end_are_the_parents_matter(child):
    assert child.ask(os.getpgid, 0) == child.process.pid
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        child.process.send_signal(number)
        assert child.ask(truediv, 1, 2) == 0.5
    for number in (signal.SIGTERM, signal.SIGINT) * 3:  # ignored from the start, even before Python has started
        young = Child()
        young.process.send_signal(number)
        assert young.ask(truediv, 1, 2) == 0.5
        young.end()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there it cannot have a group alone")
def test_it_stays_in_the_session_of_its_parent(child):
    """Linux divides processor time among sessions: ``nice puzzlesat run`` would have no effect on children in other sessions."""
    assert child.ask(os.getsid, 0) == os.getsid(0)
    if sys.platform == "linux" and Path("/proc/self/autogroup").exists():
        assert child.ask(Path.read_text, Path("/proc/self/autogroup")) == Path("/proc/self/autogroup").read_text()


def test_ctrl_c_at_a_terminal_does_not_reach_it():
    """A terminal with ``tostop`` set does not stop the child when it prints."""
    code = (
        "import fcntl, termios, time\nfrom operator import truediv\nfrom puzzlesat.base.processes import Child\n"
        "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\nhow = termios.tcgetattr(2)\nhow[3] |= termios.TOSTOP\n"
        "termios.tcsetattr(2, termios.TCSANOW, how)\n"
        "child = Child()\nchild.ask(print, 'said', flush=True)\n"
        "try:\n    print('begun', flush=True)\n    while True:\n        time.sleep(0.05)\nexcept KeyboardInterrupt:\n"
        "    print('lives', child.ask(truediv, 1, 2), flush=True)\n"
    )
    keyboard, terminal = os.openpty()
    command, said = [sys.executable, "-c", code], b""
    files = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
    with killed_at_the_end(subprocess.Popen(command, **files, start_new_session=True)) as program:
        os.close(terminal)
        while b"begun" not in said:
            assert select.select([keyboard], [], [], PATIENCE)[0], said
            said += os.read(keyboard, 1000)
        os.write(keyboard, b"\x03")
        assert program.wait(PATIENCE) == 0
    said += shown_on(keyboard)
    assert b"said" in said
    assert b"lives 0.5" in said


def test_it_is_gone_when_it_is_ended_or_held_by_nobody():
    first, second = Child(), Child()
    numbers = [first.process.pid, second.process.pid]
    first.end()
    first.end()
    del second
    assert all(map(is_gone, numbers))


def killed(program_does, by=signal.SIGKILL):
    """Run a program with a child, end it a moment later, and return the number of the child."""
    code = f"import os, time, test_children\nfrom puzzlesat.base.processes import Child\nchild = Child()\n{program_does}"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command, environment = [sys.executable, "-c", code], os.environ | {"PYTHONPATH": path}
    with killed_at_the_end(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)) as program:
        number = int(program.stdout.readline())
        time.sleep(0.3)
        program.send_signal(by)
        program.wait(PATIENCE)
    return number


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, and only Linux tells a process that its parent died")


@on_linux
@every("by", [signal.SIGKILL, signal.SIGTERM])
@every("work", ["time.sleep(60)", "child.ask(time.sleep, 60)", "child.ask(test_children.hold_the_lock, 60)"])
def test_it_ends_with_its_parent(by, work):
    """The end of its input tells it, whether idle or working; if it cannot notice that, the system ends it."""
    assert is_gone(killed(f"print(child.ask(test_children.own_number), flush=True)\n{work}", by))


@on_linux
def test_a_new_file_that_it_has_begun_does_not_stay_when_its_parent_is_killed(tmp_path):
    begin = f"child.ask(test_children.begin_a_file, test_children.Path({str(tmp_path / 'x')!r}))"
    number = killed(f"{begin}\nprint(len(os.listdir({str(tmp_path)!r})) * child.process.pid, flush=True)\nchild.ask(time.sleep, 60)")
    assert number
    assert is_gone(number)
    assert list(tmp_path.iterdir()) == []


# several ---------------------------------------------------------------------------------------------------------------------


def test_several_share_the_work_and_one_that_dies_fails_its_own_call_alone():
    with ChildPool(2) as several:
        numbers = {future.result() for future in [several.submit(os.getpid) for _ in range(20)]}
        assert 1 <= len(numbers) <= 2
        assert list(several.map(truediv, [1, 2], [4, 4])) == [0.25, 0.5]
        calls = [several.submit(os._exit, 5) if i % 3 == 0 else several.submit(truediv, i, 2) for i in range(9)]
        for i, future in enumerate(calls):
            if i % 3:
                assert future.result() == i / 2
            else:
                with pytest.raises(ChildEndedError, match="exit status 5"):
                    future.result()
    assert all(map(is_gone, numbers))


def test_all_are_told_to_leave_off_also_those_started_later():
    with ChildPool(2) as several:
        first = several.submit(wait_to_be_told)
        time.sleep(0.5)
        several.stop()
        several.stop()
        assert first.result(30)
    with ChildPool(1) as several:
        several.stop()
        assert several.submit(wait_to_be_told).result(30)


@every("after", [0, 0.02, 1])
def test_all_are_killed_also_those_that_are_being_started(after):
    with ChildPool(2) as several:
        calls = [several.submit(time.sleep, 60) for _ in range(5)]
        time.sleep(after)
        several.kill()
    assert all(call.cancelled() or isinstance(call.exception(), ChildEndedError) for call in calls)
    with pytest.raises(ChildEndedError):
        several._started()  # a thread that has taken a call but reaches this point only now


def test_a_program_of_a_user_needs_no_guard(tmp_path):
    """With ``multiprocessing``, a child would run the main module again."""
    script = tmp_path / "mine.py"
    script.write_text(
        "from puzzlesat.base.processes import ChildPool\nwith ChildPool(2) as c:\n    print(sum(c.map(abs, [-1, -2])))\n",
        encoding="utf-8",
    )
    assert subprocess.run([sys.executable, str(script)], capture_output=True, text=True).stdout == "3\n"
