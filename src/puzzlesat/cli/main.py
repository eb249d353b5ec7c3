"""The program ``puzzlesat``: all commands in one typer application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from typer.models import CommandInfo

from puzzlesat.cli.commands import counting, looking, trying
from puzzlesat.cli.exit_status import MEANINGS
from puzzlesat.cli.options import CommandWithSwitches, GroupWithSwitches

MODULES = (counting, looking, trying)
"""The modules that declare commands."""
GROUPS = {
    "Count and check": ("count", "check", "solve", "show", "list", "report"),
    "Play": ("studio", "site", "hint", "challenge"),
    "Design": ("forms", "sets", "common", "apart", "design"),
    "Long runs": ("run", "runs"),
    "Files": ("validate", "convert", "compile"),
    "Proofs": ("prove", "certify", "verify", "certificate-to-lrat"),
}
"""The panels of ``puzzlesat --help`` and their commands, in this order."""

app = typer.Typer(
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
        from puzzlesat.base import VERSION

        typer.echo(f"puzzlesat {VERSION}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")] = False,
) -> None:
    """Count the solutions of packing and edge-matching puzzles, and let independent solvers check each count."""


_declared = {name_of(_one): _one for _module in MODULES for _one in _module.commands.registered_commands}
for _group, _names in GROUPS.items():
    for _name in _names:
        _command = _declared.pop(_name)
        _command.cls, _command.rich_help_panel = CommandWithSwitches, _group
        app.registered_commands.append(_command)


def keep_only(words: Sequence[str]) -> None:
    """Drop all commands except the one that the words name, because preparing the options of every command takes a tenth of a second.

    If the words name no command, drop nothing: the help and the message for a misspelt command list all commands.
    """
    if named := [command for command in app.registered_commands if name_of(command) in words]:
        app.registered_commands[:] = named
