"""No printed line is wider than the terminal, and a noun after the number 1 is singular."""

import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from small_puzzles import PUZZLES, SQUARES
from typer.testing import CliRunner

from puzzlesat.cli.main import app
from puzzlesat.cli.terminal import MAX_PICTURE_LINES
from tiers import every

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]
WIDTHS = [80, 40]
WALK = [
    *(f"{command} --help" for command in COMMANDS),
    "--help",
    *(f"show {name}" for name in ("octogram", "soma", "tangram-square", "geduld", "bits-and-bytes", "weights.toml", "few-cards.toml")),
    *(f"solve {name}" for name in ("octogram", "tangram-square", "geduld", "soma --distinct -n 2", "domino-and-square-3x2", "none.toml")),
    *("solve dominoes.toml --with nonsense", "solve wide.toml", "solve tall.toml", "show wide.toml", "show tall.toml"),
    *(
        "hint octogram F.3@4.1 I.1@1.7 L.1@1.1",
        "hint geduld --next",
        "hint tangram-square",
        "hint wide.toml",
        "hint soma --blank",
        "hint cards.toml C.1@2.1",
    ),
    *("hint octogram D.1@1.1", "hint absolut-knifflig card1.1@1.1 card2.1@2.1 card4.3@2.2"),
    *("challenge soma -n 2 --seed 1", "challenge cards.toml -n 1 --placed 1 --seed 1", "challenge dominoes.toml -o sheet.html"),
    *("count dominoes.toml --budget 1 -v", "count tetrominoes-5x4-torus --budget 1 --solver backtrack", "count none.toml --budget 1 -v"),
    "count cards.toml --budget 1",
    *("check dominoes.toml wrong.toml silent.toml --budget 1", "check no-such-instance"),
    *("report dominoes.toml -o page.html --budget 1", "prove none.toml", "prove mutilated-board-6x6", "prove dominoes.toml"),
    *("certify dominoes.toml -o d.proof", "verify d.proof --instance dominoes.toml", "verify d.proof --instance none.toml"),
    *("certificate-to-lrat d.proof -o d", "compile soma -o soma.cnf", "convert dominoes.toml d.jsonl", "convert dominoes.toml d.xcc"),
    *("count d.xcc --budget 1", "validate dominoes.toml wide.toml bad.toml", "list", "list soma", "list hexagon", "list legespiel"),
    *(
        "list models",
        "list zebra",
        "list Ubongo",
        "list kanodle",
        "forms tetrominoes --boxes --some --area 16 --time 1",
        "forms tangram --boxes --count --time 2",
    ),
]
"""Every command, on small puzzles of every kind. The order matters: some commands read files that others wrote."""


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    folder, before, printed = tmp_path_factory.mktemp("walk"), Path.cwd(), {}
    sides = {"wide": "box = [100, 1]", "tall": f"box = [2, {MAX_PICTURE_LINES + 2}]"}
    made = {name: f'{SQUARES}\n[tiles.D]\npicture = "##"\ncopies = "any"\n\n[form]\n{side}\n' for name, side in sides.items()}
    bad = SQUARES + '[tiles.D]\npicture = "#?"\n[tiles.E]\natoms = [[1, 1], [1, 2, "x"]]\ncopy = 3\n[form]\nbox = [2]\n'
    for name, text in (PUZZLES | made | {"bad": bad}).items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    os.chdir(folder)
    try:
        for width in WIDTHS:
            for line in WALK:
                result = CliRunner().invoke(app, line.split(), env={"COLUMNS": str(width)})
                assert result.exception is None or isinstance(result.exception, SystemExit), (line, result.exception)
                assert result.output or line.startswith("compile"), line
                printed[width, line] = result.output
    finally:
        os.chdir(before)
    return printed


def test_the_walk_has_every_command():
    assert {line.split()[0] for line in WALK} - {"--help"} == set(COMMANDS)


@pytest.mark.full
@every("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(walked, width):
    """Single words that are wider, such as paths, are excepted. Pictures that are too large are not printed."""
    wide = {
        line: over
        for line in WALK
        if (over := [text for text in walked[width, line].splitlines() if cell_len(text.rstrip()) > width and " " in text.strip()])
    }
    assert wide == {}
    said = f"(the picture has 100 columns, and there are {width}; draw it with --svg FILE or --png FILE)"
    for command in ("solve", "show", "hint"):
        assert said in " ".join(walked[width, f"{command} wide.toml"].split())
    for command in ("solve", "show"):
        text = " ".join(walked[width, f"{command} tall.toml"].split())
        lines = re.search(r"\(the picture has (\d+) lines; draw it with --svg FILE or --png FILE\)", text)
        assert lines is not None
        assert int(lines[1]) >= MAX_PICTURE_LINES + 2


@pytest.mark.full
def test_one_of_a_thing_is_in_the_singular(walked):
    verbs = "has |is |was |marks the|nothing fits"  # as in '1 marks the atoms named above'
    plural = re.compile(rf"(?<![\w.,@×+\-–/])1 (?!{verbs})(?:[a-z]+ )?[a-z]{{3,}}s\b")
    assert {line: found for (_, line), text in walked.items() if (found := plural.findall(text))} == {}
    said = " ".join(walked[80, "challenge cards.toml -n 1 --placed 1 --seed 1"].split())
    assert "no position with 1 piece placed that has exactly 1 completion was found" in said
    assert "1 of 4 pieces is placed." in walked[80, "hint cards.toml C.1@2.1"]


@pytest.mark.full
def test_what_stands_beside_a_name_stays_beside_it(walked):
    for command in (line for line in WALK if line.startswith("count ") and (" -v" in line or "--solver" in line)):
        lines = walked[80, command].split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("  agreement   "))
        below = [line for line in lines[at:] if line]
        assert all(re.match(r"  (agreement|counts|published|source|verdict|time) +\S| {14}\S", line) for line in below), below
        assert [line[2:].split()[0] for line in below if line[2] != " "][:2] == ["agreement", "counts"]
        solvers = re.findall(r"^  (\S+): all (?:[\d,]+|–);", walked[40, command], re.M)
        assert solvers == re.findall(r"^  (\S+) +(?:[\d,]+|–)  ", walked[80, command].split("  agreement")[0].split("  solver")[1], re.M)
        assert solvers
    wrong = walked[40, "check dominoes.toml wrong.toml silent.toml --budget 1"]
    assert all(re.match(r"(ok|FAILED|refuted) +\S| {9}\S", line) for line in wrong.splitlines()), wrong


@pytest.mark.full
def test_in_a_pipe_nothing_is_folded(run, folder, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    first = run("solve", "absolut-knifflig").output.splitlines()[0]
    assert first.count("@") == 9
    assert len(first) > 100
    (folder / "wide.toml").write_text(
        'title = "W"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = "any"\n[form]\nbox = [300, 1]\n'
    )
    assert len(run("solve", "wide.toml").output.splitlines()[1]) == 300
