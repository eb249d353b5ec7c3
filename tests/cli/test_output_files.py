"""Files that cannot be written are refused before anything is computed."""

from __future__ import annotations

import pytest

COMMANDS = [
    ("show", "dominoes.toml", "--svg", "x.svg"),
    ("show", "dominoes.toml", "--png", "x.png"),
    ("solve", "dominoes.toml", "--all", "--svg", "x-{}.svg"),
    ("hint", "dominoes.toml", "--png", "x.png"),
    ("report", "dominoes.toml", "-o", "x.html"),
    ("challenge", "dominoes.toml", "-o", "x.txt"),
    ("forms", "dominoes.toml", "--boxes", "-o", "x.jsonl"),
    ("convert", "dominoes.toml", "x.jsonl"),
    ("convert", "dominoes.toml", "x.xcc"),
    ("compile", "dominoes.toml", "-o", "x.cnf"),
    ("compile", "dominoes.toml", "--map", "x.map"),
    ("prove", "dominoes.toml", "-o", "x.proof"),
    ("certify", "dominoes.toml", "-o", "x.proof"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_folder_that_there_is_not(run, folder, command):
    found = run(*command[:-1], f"nowhere/{command[-1]}")
    assert (found.status, found.exception) == (2, None)
    assert found.output == f"puzzlesat: nowhere/{command[-1]}: there is no folder nowhere; make it first\n"
    assert not (folder / "nowhere").exists()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] != "convert"], ids=" ".join)
def test_a_folder_where_a_file_should_be(run, folder, command):
    (folder / command[-1]).mkdir()
    found = run(*command)
    assert (found.status, found.exception) == (2, None)
    assert "this is a folder; say the name of a file" in found.output


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("show", "dominoes.toml", "--png", "old.svg"), ".png"),
        (("solve", "dominoes.toml", "--png", "old.svg"), ".png"),
        (("hint", "dominoes.toml", "--svg", "x.png"), ".svg"),
        (("report", "dominoes.toml", "-o", "x.pdf"), ".html or .htm"),
    ],
    ids=" ".join,
)
def test_a_name_that_says_another_format(run, folder, command, expected):
    (folder / "old.svg").write_text("old", encoding="utf-8")
    found = run(*command)
    assert (found.status, found.output) == (2, f"puzzlesat: {command[-1]}: expected a name that ends in {expected}\n")
    assert (folder / "old.svg").read_text(encoding="utf-8") == "old"


def test_a_name_without_a_suffix(run, folder):
    assert run("show", "dominoes.toml", "--svg", "picture").status == 0
    assert (folder / "picture").read_text(encoding="utf-8").startswith("<svg ")
