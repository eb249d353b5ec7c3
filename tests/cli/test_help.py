"""Help, usage errors, and what the program imports for them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import typer
from typer.core import TyperOption
from typer.main import get_command
from typer.testing import CliRunner

import puzzlesat
from prose import AVOIDED
from puzzlesat.cli.main import GROUPS, MODULES, app, name_of
from puzzlesat.cli.options import CommandWithSwitches, GroupWithSwitches
from puzzlesat.config.package import data_folder

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]
HEAVY = ["numba", "psutil", "llvmlite", "ortools", "pysat", "numpy", "networkx"]


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)


def test_help_lists_the_commands(run):
    found = run("--help")
    assert found.status == 0
    assert all(f" {command} " in found.output for command in COMMANDS)
    assert "<bool>" not in found.output
    assert "Exit status: 0 done; 1 a check failed; 2 bad usage or a bad file; 3 stopped early." in " ".join(found.output.split())


def help_texts(command):
    """The help texts of a command and of its options, as their modules state them, and how they are rendered."""
    own = next(c for c in app.registered_commands if command == (c.name or c.callback.__name__))
    options = [param for value in inspect.get_annotations(own.callback, eval_str=True).values() for param in get_args(value)]
    helps = [option.help for option in options if getattr(option, "help", None)]
    return [*inspect.getdoc(own.callback).split("\n\n"), *own.epilog.split("\n\n"), *helps]


def words(text):
    """A text without the frames and the line ends of a help page."""
    return "".join(re.sub("[│╭╮╰╯─]", "", text).split())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_every_text_as_it_is(run, command):
    shown = words(run(command, "--help").output)
    expected = help_texts(command)
    assert len(expected) > 2
    assert [text for text in expected if words(text) not in shown] == []
    assert words(expected[0]) in words(run("--help").output)


VERBS = {"Check", "Compare", "Convert", "Count", "Find", "List", "Make", "Play", "Prove", "Run", "Show", "Tell", "Try", "Write"}
"""The words that the help of a command may begin with."""
MOST_FIRST = 5
"""Options of a command that stand in no panel, beside ``--help``."""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_first_line_of_a_help_text_is_short_and_begins_with_a_verb(command):
    first = help_texts(command)[0]
    assert len(first) <= 72
    assert "\n" not in first
    assert first.split()[0].rstrip(",") in VERBS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_texts_are_plain_english(command):
    assert {text: found for text in help_texts(command) if (found := AVOIDED.findall(text))} == {}


def test_the_help_of_the_program_is_plain_english():
    assert AVOIDED.findall(inspect.getdoc(app.registered_callback.callback)) == []
    assert AVOIDED.findall("the same command goes on; what is ended does that") == ["goes on", "what is ended", "does"]


def test_every_command_is_in_one_group():
    declared = [name_of(command) for module in MODULES for command in module.commands.registered_commands]
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(declared)


@pytest.mark.parametrize("command", COMMANDS)
def test_few_options_come_first(command):
    """The others are in panels, each with a name that other commands use too where it means the same."""
    options = get_command(app).commands[command].params
    first = [o.name for o in options if isinstance(o, TyperOption) and not o.rich_help_panel]
    assert len(first) <= MOST_FIRST, first


def test_brackets_in_help_texts_are_no_markup():
    texts = ["look at [expect] and [[conditions]]", "a [bold]word[/bold] of it", "[/wrong] \\[escaped] [tiles.NAME]", "end [red]"]
    odd = typer.Typer(cls=GroupWithSwitches, epilog=texts[0], rich_markup_mode="rich")

    @odd.callback(help=texts[1])
    def program(): ...

    @odd.command(name="one", cls=CommandWithSwitches, help=texts[2], epilog=texts[3])
    def one(first: str = typer.Argument(help=texts[0]), other: int = typer.Option(1, "--other", help=texts[1])): ...

    whole, of_one = (words(CliRunner().invoke(odd, arguments).output) for arguments in (["--help"], ["one", "--help"]))
    assert [t for t in texts[:3] if words(t) not in whole] == []
    assert [t for t in texts if words(t) not in of_one] == []


def test_exit_statuses_stand_in_one_place():
    folder = Path(puzzlesat.__file__).parent
    wrong = {
        file.name: found
        for file in (*(folder / "cli").rglob("*.py"), folder / "__main__.py")
        if (found := re.findall(r"Exit\(\d|_exit\(\d|^ +return \d$", file.read_text(encoding="utf-8"), re.M))
    }
    assert wrong == {}


def test_version(run):
    found = run("--version")
    assert (found.status, found.output) == (0, f"puzzlesat {puzzlesat.__version__}\n")


PRINTING = [("list",), ("list", "--json"), ("solve", "soma", "--json"), ("compile", "soma"), ("show", "soma"), ("validate", "MODEL")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("arguments", [pytest.param(a, marks=() if a == PRINTING[1] else pytest.mark.full) for a in PRINTING])
def test_a_full_device(arguments):
    model = data_folder("models") / "soma.toml"
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "puzzlesat", *(str(model) if a == "MODEL" else a for a in arguments)]
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 2
    assert re.fullmatch("puzzlesat: standard output: .*No space left on device\n", found.stderr)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_of_every_command_has_an_example(run, command, option):
    found = run(command, option)
    assert found.status == 0
    assert f"puzzlesat {command} " in found.output.split("Example", 1)[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["count"],
        ["count", "soma", "--frobnicate"],
        ["frobnicate"],
        ["solve", "soma", "-n", "0"],
        ["solve", "soma", "-n", "2", "--all"],
        ["solve", "soma", "-n", "many"],
        ["count", "soma", "--limit", "0"],
        ["count", "soma", "--time", "-1"],
        ["count", "soma", "--budget", "-1"],
        ["validate"],
        ["show"],
        ["compile"],
    ],
)
def test_bad_usage(run, arguments):
    found = run(*arguments)
    assert found.status == 2
    assert "Error" in found.output
    assert found.exception is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["count", "somma"], ["somma", "did you mean 'soma'"]),
        (["count", "soma", "--solver", "cpsatt"], ["cpsatt", "did you mean 'cpsat'"]),
        (["count", "soma", "--solver", "sat,cerificate"], ["cerificate", "did you mean 'certificate'"]),
        (["check", "soma", "--solver", "aoto"], ["aoto", "did you mean 'auto'"]),
        (["count", "soma", "--solver", ""], ["there is no solver ''", "known: auto, certificate, backtrack, tally, sat, cpsat"]),
        (["check", "soma", "--solver", "backtrack,"], ["there is no solver ''"]),
        (["solve", "soma", "--solver", "tally"], ["tally counts and lists nothing", "--solver backtrack"]),
        (["count", "soma", "--solver", "sat,auto"], ["auto must come first"]),
        (["solve", "soma", "--solver", ""], ["there is no solver ''"]),
        (["compile", "soma", "-f", "xcc", "--encoding", "pairwise"], ["--encoding is for --format cnf, not for xcc"]),
        (["count", "soma", "--solver", "backtrack,foo"], ["foo", "auto, certificate, backtrack, tally, sat, cpsat"]),
        (["count", "soma", "--solver", "sat:glucoze4"], ["glucoze4"]),
        (["count", "soma", "--solver", "sat:glucose4:pairwize"], ["pairwize", "did you mean 'pairwise'"]),
        (["count", "soma", "--solver", "backtrack:fast"], ["backtrack:fast"]),
        (["solve", "soma", "--solver", "cpsatt"], ["cpsatt", "did you mean 'cpsat'"]),
        (["solve", "soma", "--with", "V.1@9.9.9"], ["V.1@9.9.9", "not a placement", "did you mean 'V.1@"]),
        (["compile", "soma", "--format", "dimacs"], ["dimacs", "cnf, opb, xcc, cpsat"]),
        (["compile", "soma", "--encoding", "pairwize"], ["pairwize", "did you mean 'pairwise'"]),
        (["compile", "soma", "-o", "no/such/folder/f.cnf"], ["no/such/folder/f.cnf", "there is no folder"]),
        (["check", "no-such-instance"], ["no-such-instance", "puzzlesat list"]),
        (["show", "zzz"], ["'zzz'; 'puzzlesat list' shows all"]),
    ],
)
def test_names_that_there_are_not(run, arguments, said):
    found = run(*arguments)
    assert found.status == 2
    assert [s for s in said if s not in found.output] == [], found.output
    assert found.exception is None


def test_as_a_program_of_its_own():
    found = python("-m", "puzzlesat", "--help")
    assert found.returncode == 0
    assert "count" in found.stdout
    found = python("-m", "puzzlesat", "show", "somma")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("puzzlesat: ")
    assert "Traceback" not in found.stderr


def test_a_count_as_a_program_of_its_own():
    found = python("-m", "puzzlesat", "count", "domino-and-square-3x2", "--json")
    assert found.returncode == 0, found.stderr
    assert '"agree": true' in found.stdout


@pytest.mark.parametrize(
    "helps", [[["--help"]], [["--version"]], [[command, "--help"] for command in COMMANDS]], ids=["program", "version", "every command"]
)
def test_help_imports_nothing_heavy(helps):
    """For the options of a command typer itself may import pydantic."""
    heavy = [*HEAVY, "pydantic"] if len(helps) == 1 else HEAVY
    code = (
        "import sys\nfrom puzzlesat.cli.main import GROUPS, MODULES, app, name_of\n"
        f"for arguments in {helps}:\n    app(arguments, standalone_mode=False)\n"
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    found = python("-c", code)
    assert found.returncode == 0, found.stderr
    assert found.stderr.strip() == "[]"


def test_the_package_imports_nothing_heavy():
    heavy = [*HEAVY, "pydantic", "typer", "rich"]
    found = python("-c", f"import sys, puzzlesat; print([m for m in {heavy!r} if m in sys.modules])")
    assert found.stdout.strip() == "[]"


def test_a_reader_that_goes_away_is_no_error():
    """``puzzlesat compile … | head -1``: the pipe is closed before everything is written."""
    code = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-m', 'puzzlesat', 'compile', 'soma'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "p.stdout.readline(); p.stdout.close(); e = p.stderr.read().decode(); print(repr(e), p.wait())"
    )
    assert python("-c", code).stdout.strip() == "'' 0"
