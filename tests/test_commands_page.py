"""The page of the site that has all commands: it is made when the site is built."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from typer.main import get_command

from puzzlesat.cli.main import app

COMMANDS = get_command(app).commands


@pytest.fixture(scope="module")
def page():
    pytest.importorskip("mkdocs")
    spec = spec_from_file_location("commands", Path(__file__).parents[1] / "docs" / "site" / "commands.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page()


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if not command.hidden])
def test_a_command_stands_there_with_all_its_options(name, page):
    section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
    for parameter in COMMANDS[name].params:
        for option in parameter.opts if parameter.param_type_name == "option" else ():
            assert option == "--help" or option == "-h" or f"`{option}`" in section
