"""The program ``puzzlesat``, made of its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from puzzlesat.cli.commands import converting, counting, looking, parting, playing, proving, running, solving, studio, trying
from puzzlesat.cli.exit_status import MEANINGS
from puzzlesat.cli.options import CommandWithSwitches, GroupWithSwitches

IN_ORDER = (counting, solving, parting, playing, studio, looking, converting, proving, trying, running)
"""The modules that declare commands, in the order in which ``puzzlesat --help`` lists them."""

app = typer.Typer(
    name="puzzlesat",
    cls=GroupWithSwitches,
    epilog=f"Exit status: {'; '.join(f'{status} {meaning}' for status, meaning in MEANINGS.items())}.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from puzzlesat import __version__

        typer.echo(f"puzzlesat {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")] = False,
) -> None:
    """Count the solutions of packing and edge-matching puzzles so that the count can be trusted."""


for _module in IN_ORDER:
    for _command in _module.commands.registered_commands:
        _command.cls = CommandWithSwitches
        app.registered_commands.append(_command)
