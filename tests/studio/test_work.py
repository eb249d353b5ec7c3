"""Worker processes: unwanted work is stopped, no request waits for it, and nothing is left when the studio ends."""

import os
import signal
import sys
from pathlib import Path

import pytest
from studios import below, busy, long_count, running, wait_until_gone
from typer.testing import CliRunner

from puzzlesat.cli.main import app
from puzzlesat.pages.studio.server import STUDIO_PROCESSES
from real_programs import PATIENCE, wait_until
from tiers import every

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")]


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """A separate studio for this module, because its processes are counted."""
    with running(tmp_path_factory.mktemp("work")) as one:
        yield one


def begin(studio, question="count", **body):
    stream = studio.stream(question, **(body or long_count()))
    next(stream)
    return stream


def test_work_that_nobody_waits_for_is_stopped(studio):
    stream = begin(studio)
    wait_until(lambda: busy(studio), "a process that counts")
    before = set(below(studio.program.pid))
    stream.close()
    wait_until(lambda: not busy(studio), "the end of the work")
    assert len(below(studio.program.pid)) <= STUDIO_PROCESSES
    assert before


def test_a_process_that_is_killed_fails_its_own_question_alone(studio):
    wait_until(lambda: not busy(studio), "quiet", 0.05)
    stream = begin(studio)
    wait_until(lambda: busy(studio), "a process that counts")
    for number in busy(studio):
        os.kill(number, signal.SIGKILL)
    kind, what = list(stream)[-1]
    assert kind == "failed"
    assert what["error"][0].startswith("the process that worked on this was ended from outside (exit status -9)")
    assert studio.ask("count", puzzle={"name": "domino-and-square-3x2"})["counts"]["all"] == 2


@every("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_status_0_and_leaves_nothing_behind(tmp_path, number):
    with running(tmp_path) as studio:
        stream = begin(studio)
        processes = below(studio.program.pid)
        assert processes
        studio.program.send_signal(number)
        rest = list(stream)
        assert studio.program.wait(PATIENCE) == 0
        assert studio.program.stderr.read() == ""
        wait_until_gone(processes)
        assert not rest or rest[-1][0] in ("told", "found", "failed")
    assert not list(tmp_path.iterdir())


def test_its_processes_end_with_it_however_it_ended(tmp_path):
    with running(tmp_path) as studio:
        begin(studio)
        processes = below(studio.program.pid)
        studio.program.kill()
        studio.program.wait(PATIENCE)
        wait_until_gone(processes)


def test_a_file_is_opened_by_its_name_and_nothing_else_is(tmp_path):
    """The model is beside the file, where the commands find it too."""
    models = Path(__file__).parents[2] / "models"
    (tmp_path / "own.toml").write_text((models / "pentominoes.toml").read_text(encoding="utf-8"), encoding="utf-8")
    text = 'title = "Mine"\nmodel = "own"\n[form]\nbox = [6, 10]\n'
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    (tmp_path / "other.toml").write_text(text, encoding="utf-8")
    with running(tmp_path, "mine.toml") as studio:
        opened = studio.ask("open", name="mine.toml")
        assert opened["puzzles"] == [{"name": "mine", "title": "Mine"}]
        assert "model" not in opened["puzzle"]["table"]
        assert len(opened["board"]["tiles"]) == 12
        assert studio.ask("open", puzzle=opened["puzzle"])["board"] == opened["board"]
        for name in ("other.toml", "other", str(tmp_path / "mine.toml"), "./mine.toml", "own"):
            assert studio.refused("open", name=name)


def test_what_is_no_puzzle_is_said_before_anything_is_served():
    found = CliRunner().invoke(app, ["studio", "octogran", "--no-browser"])
    assert found.exit_code == 2
    assert found.output == "puzzlesat: there is no instance 'octogran'; did you mean 'octogram'? 'puzzlesat list' shows all\n"


def test_without_its_libraries_it_says_what_to_install(monkeypatch):
    from puzzlesat.cli import play

    monkeypatch.setattr(play, "find_spec", lambda name: None)
    found = CliRunner().invoke(app, ["studio"])
    assert (found.exit_code, found.output) == (2, 'puzzlesat: the studio needs starlette and uvicorn: pip install "puzzlesat[studio]"\n')
