"""``count`` on a terminal: the number as soon as it is known, then a line for each confirmation, then the report."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest

import puzzlesat
from puzzlesat.cli.first_answer import FirstAnswer
from puzzlesat.cli.terminal import console
from puzzlesat.counting import crosscheck
from puzzlesat.counting.report import Disagreement
from puzzlesat.solvers.strategy import Plan
from real_programs import shown_on

COUNT = [sys.executable, "-m", "puzzlesat", "count"]


def on_a_terminal(arguments):
    """What a terminal of 200 columns shows of a count, without colours and without the line that is written over again and again."""
    ours, theirs = os.openpty()
    process = subprocess.Popen([*COUNT, *arguments], stdout=theirs, stderr=theirs, env={**os.environ, "COLUMNS": "200", "TERM": "xterm"})
    os.close(theirs)
    shown = shown_on(ours)
    assert process.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode().replace("\x1b[2K", "\n"))
    return [line for line in re.split(r"[\r\n]+", plain) if line.strip()]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_terminal_shows_the_number_first_and_each_confirmation_as_it_arrives():
    lines = on_a_terminal(["soma", "--solver", "auto,certificate"])
    first = next(i for i, line in enumerate(lines) if line.startswith("soma: 480 solutions"))
    assert re.fullmatch(r"soma: 480 solutions up to symmetry; found by (backtrack|tally) in \d+\.\d\d s; checking …", lines[first])
    said = [match[1] for line in lines[first:] if (match := re.fullmatch(r" +\d+\.\d\d s  (.*)", line))]
    assert said[-2:] == ["two independent readings of the puzzle agree", "a certificate of the whole search was checked"]
    assert re.fullmatch("(tally|backtrack) counted as many", said[0])
    assert lines.index("The Soma cube  (soma)") > first + 3


def test_a_pipe_gets_the_report_alone():
    said = subprocess.run([*COUNT, "soma", "--solver", "auto,certificate"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("The Soma cube  (soma)\n")
    assert "checking …" not in said.stdout + said.stderr


def test_json_says_when_each_confirmation_arrived():
    said = json.loads(subprocess.run([*COUNT, "soma", "--json", "--budget", "2"], capture_output=True, text=True, check=True).stdout)
    first, second, *others = [solver["after"] for solver in said["solvers"]]
    assert min(first, second) > 0 and [max(first, second), *others] == sorted([max(first, second), *others])
    assert max(first, second) <= said["read_twice"]["after"] <= others[0]


def test_a_contradiction_is_a_line_too(capsys):
    report = crosscheck.count(puzzlesat.load("soma"), Plan(("backtrack",)))
    answer = FirstAnswer(console(), "soma")
    answer(report)
    answer(replace(report, disagreements=(Disagreement("sat", "it counts 3 solutions"),)))
    number, reading, wrong = capsys.readouterr().out.splitlines()
    assert number.startswith("soma: 480 solutions up to symmetry; found by backtrack")
    assert reading.endswith("two independent readings of the puzzle agree")
    assert wrong == "  sat contradicts the count: it counts 3 solutions"


def test_no_solution_is_no_solution_found(capsys):
    crosscheck.count(puzzlesat.load("mutilated-chessboard"), Plan(("backtrack", "sat")), known=FirstAnswer(console(), "board"))
    number, *_, sat = capsys.readouterr().out.splitlines()
    assert number.startswith("board: no solution; searched by backtrack in")
    assert sat.endswith("sat found none either")
