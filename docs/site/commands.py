"""The page of all commands and options, generated from the functions that declare them, with the texts of ``--help``."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from typer.main import get_command

from puzzlesat.cli.main import app

BEGIN = """# Commands

All commands with all options, as `puzzlesat COMMAND --help` prints them.
The [guide](guide/README.md) tells you what the answers mean.
See also [exit statuses and limits](faq.md#what-do-the-exit-statuses-mean) and the [glossary](glossary.md).

"""


def page() -> str:
    """Return the page as Markdown."""
    program: Any = get_command(app)
    commands = [(name, command) for name, command in program.commands.items() if not command.hidden]
    links = " · ".join(f"[{name}](#{name})" for name, _ in commands)
    return (
        f"{BEGIN}{links}\n"
        + "".join(section(name, command) for name, command in commands)
        + f"\n## Exit status\n\n{plain(program.epilog).partition(': ')[2]}\n"
    )


def section(name: str, command: Any) -> str:
    """Return the section of a command: description, parameters, examples."""
    examples = (command.epilog or "").partition(":")[2].replace("\\[", "[")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    shown = ["", "```sh", *lines, "```"] if lines else []
    tables = [table(title, list(each)) for title, each in groupby(parameters(command), key=panel)]
    return "\n".join([f"\n## {name}\n", plain(command.help).strip(), *shown, "", *tables])


def parameters(command: Any) -> list[Any]:
    """Return the parameters of a command, panel by panel, without ``--help``."""
    found = [each for each in command.params if "--help" not in each.opts and not getattr(each, "hidden", False)]
    order = list(dict.fromkeys(map(panel, found)))
    return sorted(found, key=lambda each: order.index(panel(each)))


def panel(parameter: Any) -> str:
    """Return the heading of a parameter in ``--help``."""
    named = getattr(parameter, "rich_help_panel", None)
    return named or ("Arguments" if parameter.param_type_name == "argument" else "Options")


def table(title: str, found: list[Any]) -> str:
    """Return parameters as a table."""
    rows = "".join(f"| {named(each)} | {plain(each.help)} |\n" for each in found)
    return f"| {title} | |\n| --- | --- |\n{rows}"


def named(parameter: Any) -> str:
    """Return the notation of a parameter."""
    words = parameter.metavar or ""
    if parameter.param_type_name == "argument":
        return f"`{words or parameter.name.upper()}`"
    return ", ".join(f"`{option}`" for option in parameter.opts) + (f" `{words}`" if words and not parameter.is_flag else "")


def plain(text: str | None) -> str:
    """Escape a text of the program for Markdown."""
    escaped = (text or "").replace("\\[", "[").replace("|", "\\|")
    return escaped.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*").replace("_", "\\_")
