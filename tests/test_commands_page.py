"""The page of the site that has all commands: it is made when the site is built."""

import runpy
from pathlib import Path

import pytest
from typer.main import get_command

from puzzlesat.cli.main import app


@pytest.mark.full
def test_a_command_has_a_section_with_all_its_options():
    pytest.importorskip("mkdocs")
    page = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "site" / "commands.py"))["page"]()
    for name, command in get_command(app).commands.items():
        if not command.hidden:
            section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
            options = {option for parameter in command.params if parameter.param_type_name == "option" for option in parameter.opts}
            assert [option for option in options - {"--help", "-h"} if f"`{option}`" not in section] == [], name
