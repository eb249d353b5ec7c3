"""The program ``puzzlesat``: all commands in one typer application."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer
from typer.models import CommandInfo

from puzzlesat import base
from puzzlesat.cli.exit_status import MEANINGS
from puzzlesat.cli.options import CommandWithSwitches, GroupWithSwitches

GROUPS = {
    "Count and check": {
        "count": "counting", "best": "counting", "check": "counting", "solve": "counting", "show": "looking", "list": "looking",
        "report": "looking",
    },
    "Play": {"studio": "looking", "site": "looking", "hint": "looking", "challenge": "looking"},
    "Design": {"forms": "trying", "sets": "trying", "common": "trying", "apart": "looking", "design": "trying"},
    "Long runs": {"run": "trying", "runs": "trying"},
    "Files": {"validate": "looking", "convert": "looking", "compile": "looking"},
    "Proofs": {"prove": "counting", "certify": "counting", "verify": "counting", "certificate-to-lrat": "counting"},
}  # fmt: skip
"""The panels of ``puzzlesat --help`` and their commands, in this order, each with the module of ``commands`` that declares it."""

_program = typer.Typer(
    name="puzzlesat",
    cls=GroupWithSwitches,
    epilog=f"Exit status: {'; '.join(f'{status} {meaning}' for status, meaning in MEANINGS.items())}.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def name_of(command: CommandInfo) -> str:
    """Return the name of a command on the command line."""
    return command.name or str(getattr(command.callback, "__name__", ""))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"puzzlesat {base.VERSION}")
        raise typer.Exit


@_program.callback()
def _describe(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")] = False,
) -> None:
    """Count the solutions of packing and edge-matching puzzles, and let independent solvers check each count."""


def program(word: str | None = None) -> typer.Typer:
    """Return the program with the command that a word names, or with all, because all take a fifth of a second to declare.

    A word that names no command is an option, or misspelt: the help and the message for it list all commands.
    """
    named = [(group, name, f"{__package__}.commands.{module}") for group, commands in GROUPS.items() for name, module in commands.items()]
    selected = [row for row in named if row[1] == word] or named
    _program.registered_commands.clear()
    for group, name, module in selected:
        declared = import_module(module).commands.registered_commands
        command = next(command for command in declared if name_of(command) == name)
        command.cls, command.rich_help_panel = CommandWithSwitches, group
        _program.registered_commands.append(command)
    return _program


def __getattr__(name: str) -> typer.Typer:
    """Return the whole program as ``app``."""
    if name != "app":
        raise AttributeError(name)
    return program()
