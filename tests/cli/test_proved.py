"""``count --proved``: every count proved by the checker that is proved sound, or status 1 and a sentence why."""

import pytest
from typer.testing import CliRunner

from puzzlesat.cli.main import app


def proved(*arguments):
    return CliRunner().invoke(app, ["count", "--proved", *arguments])


@pytest.fixture
def with_checker(checker, monkeypatch):
    monkeypatch.setattr("puzzlesat.proof.verified.PLACES", (str(checker.parent),))


@pytest.mark.usefixtures("with_checker")
@pytest.mark.parametrize("name", ["soma", "mutilated-chessboard"])
def test_every_count_is_proved(name):
    said = proved(name, "--solver", "auto")
    assert said.exit_code == 0, said.output
    assert said.stdout.count("(proved sound)") == 3


@pytest.mark.usefixtures("with_checker")
def test_a_puzzle_that_no_certificate_states_cannot_be_proved():
    said = proved("dominoes-6x6-cylinder", "--solver", "auto")
    assert said.exit_code == 1
    assert "dominoes-6x6-cylinder: not proved: no certificate was accepted" in said.output
    assert "certificates do not support forms that wrap around" in said.output


@pytest.mark.usefixtures("with_checker")
def test_a_count_that_is_not_finished_is_not_proved():
    said = proved("octogram", "--limit", "1")
    assert said.exit_code == 1
    assert "octogram: not proved: the count was not finished" in said.output


def test_without_the_checker_it_says_how_to_build_it(monkeypatch):
    monkeypatch.setattr("puzzlesat.cli.count.program", lambda: None)
    said = proved("soma")
    assert said.exit_code == 1
    assert "make -C verified puzzlesat-verified" in said.output
    assert "480" not in said.output


@pytest.mark.usefixtures("with_checker")
def test_a_checker_that_cannot_be_run_proves_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr("puzzlesat.counting.certified.program", lambda: tmp_path / "missing")
    said = proved("soma", "--solver", "auto")
    assert said.exit_code == 1
    assert "soma: not proved:" in said.output and "cannot be run" in said.output


def test_it_is_for_puzzles_that_are_counted_at_once(tmp_path):
    (tmp_path / "two.xcc").write_text("| a cover problem\na b\na b\n", encoding="utf-8")
    assert "--proved is for puzzles" in proved(str(tmp_path / "two.xcc")).output
    said = proved("soma", "--store", str(tmp_path / "store"))
    assert said.exit_code == 2 and "--proved is not available with --store" in said.output
