"""Usual slips in files: for each one message that names the file, the key, and what to write instead."""

import contextlib
import re
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from puzzlesat.base import PuzzleError, PuzzleWarning, data_files
from puzzlesat.cli.main import app
from puzzlesat.puzzles import load_grid, read_table, validated
from puzzlesat.puzzles.cures import AT_THE_HEAD, FORM_WORDS, GENERATORS, IN_EXPECT, IN_FORM, SYNONYMS, shapes
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.schema import ExpectTable, FormTable, GenerateTable, InstanceFile, TileTable
from tiers import every

TEXT = (Path(__file__).parent / "slips.txt").read_text(encoding="utf-8")
GRID = 'title = "T"\ngrid = "square"\nflips = true\n'
TWO_PARTS = '[tiles.A]\npicture = "##.#"\n'
FORM = "[form]\nbox = [5, 1]\n"
GRIDS = ", ".join(sorted(file.stem for file in data_files("grids")))


def slips():
    """Map the name of each slip to the text of the file and the expected message."""
    for block in TEXT.split("\n=== ")[1:]:
        name, *lines = block.rstrip().split("\n")
        said = [line.removeprefix("--> ").replace("GRIDS", GRIDS) for line in lines if line.startswith("--> ")]
        text = "\n".join(line for line in lines if not line.startswith("--> "))
        yield pytest.param(text.replace("\\t", "\t") + "\n", said, id=name)


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result


SLIPS = list(slips())


@every("text, said", SLIPS, fast=8)
def test_what_is_said_of_a_slip(text, said, tmp_path):
    file = tmp_path / "puzzle.toml"
    file.write_text(text, encoding="utf-8")
    result = run("validate", file)
    assert result.exit_code == 2
    lines = [line.removeprefix(f"{file}: ").replace(file.name, "FILE") for line in result.output.splitlines()]
    assert ["… " + line.split("); ", 1)[1] if line.startswith("not a TOML file") else line for line in lines] == said
    refused = run("count", file)
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output


SCALARS = st.one_of(
    st.booleans(),
    st.integers(),
    st.just(1 << 20_000),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["6x10", "all", "2,339", "yes", "0-3"]),
)
NESTED = st.deferred(lambda: st.lists(VALUES, max_size=3) | st.dictionaries(st.text("abox", max_size=3), VALUES, max_size=3))
VALUES = SCALARS | NESTED
SCHEMAS = (InstanceFile, FormTable, TileTable, ExpectTable)
KEYS = {key for schema in SCHEMAS for key in schema.model_fields}
WORDS = sorted(KEYS | set(FORM_WORDS) | {word for words in SYNONYMS.values() for word in words})
TABLES = st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=3)


@given(TABLES, TABLES, TABLES, TABLES)
def test_whatever_stands_under_a_key_is_refused_in_a_message(head, form, tile, expect):
    table = {"title": "T", "grid": "square", "flips": True, "form": form, "tiles": {"A": tile}, "expect": expect, "generate": [tile]} | head
    with contextlib.suppress(PuzzleError):
        validated(InstanceFile, table, Path("puzzle.toml"))


@given(st.text(max_size=40), st.sampled_from(["", 'title = "T"\n', "[form]\nbox = [6, 10]\n"]))
def test_whatever_stands_in_a_line_is_refused_in_a_message(line, before):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "puzzle.toml"
        file.write_text(f"{before}{line}\n", encoding="utf-8", errors="replace")
        with contextlib.suppress(PuzzleError):
            read_table(file)


def test_keys_in_the_cures_are_keys_of_the_schema():
    assert set(IN_FORM) <= set(FormTable.model_fields)
    assert set(IN_EXPECT) <= set(ExpectTable.model_fields)
    assert set(AT_THE_HEAD) <= set(InstanceFile.model_fields)
    assert set(GENERATORS) <= set(GenerateTable.model_fields)
    assert shapes() == {name for file in data_files("grids") for name in load_grid(file).shapes}
    assert not shapes() & set(AT_THE_HEAD)
    tables = {"": InstanceFile, "tiles": TileTable, "form": FormTable, "generate": GenerateTable}
    for table, words in SYNONYMS.items():
        assert set(words.values()) <= set(tables[table].model_fields)
        assert not set(words) & set(tables[table].model_fields)
    assert not set(FORM_WORDS[1:]) & set(InstanceFile.model_fields)


SQUARE = next(file for file in data_files("grids") if file.stem == "square").read_text(encoding="utf-8")


@every(
    "name, own, message",
    [
        ("octo", SQUARE, None),
        *((name, SQUARE, r'write its name alone: grid = "octo"$') for name in ("octo.toml", "grids/octo.toml", r"elsewhere\\octo")),
        ("octo", GRID + '[tiles.A]\npicture = "#"\n', r'octo\.toml is a model: write model = "octo"'),
        ("octo", 'title = "I"\nmodel = "soma"\n' + FORM, r"octo\.toml is an instance"),
    ],
)
def test_a_grid_of_ones_own_stands_beside_and_is_named_without_suffix(name, own, message, tmp_path):
    (tmp_path / "octo.toml").write_text(own, encoding="utf-8")
    file = tmp_path / "puzzle.toml"
    file.write_text(GRID.replace("square", name) + '[tiles.A]\npicture = "##"\n' + FORM, encoding="utf-8")
    if message is None:
        assert load_instance(file).puzzle.grid.name == "octo"
        return
    with pytest.raises(PuzzleError, match=message):
        load_instance(file)


@every(
    "arguments, said",
    [
        (
            ["hint", "tangram"],
            "'tangram' is a model, which has no form; choose one of its forms: "
            "tangram-square, tangram-triangle, tangram-rectangle and 1 more; 'puzzlesat list' shows all",
        ),
        (["solve", "square"], "'square' is a grid, not an instance; 'puzzlesat list' shows the instances"),
        (["count", "soma.toml"], "soma.toml: no such file; the one of the package is named 'soma', without .toml"),
        (["count", "missing.toml"], "missing.toml: no such file"),
        (["count", "mine.tml"], "there is no file 'mine.tml'; did you mean mine.toml?"),
        (["count", "mine"], "there is no file 'mine'; did you mean mine.toml?"),
        (["solve", "octogram", "--with", "F.3@4.9"], "'F.3@4.9' is not a placement of octogram; did you mean 'F.3@4.6' or 'F.1@4.6'?"),
        (["solve", "octogram", "--with", "f.3@4.1"], "'f.3@4.1' is not a placement of octogram; did you mean 'F.3@4.1' or 'F.1@4.1'?"),
        (["hint", "soma", "V.1@9.9.9"], "'V.1@9.9.9' is not a placement of soma; did you mean 'V.1@2.2.3' or 'V.9@3.2.3'?"),
        (
            ["solve", "octogram", "--with", "F.3@4"],
            "'F.3@4' is not a placement of octogram; its placements are F.1@2.1, F.1@3.1, F.1@4.1 and 285 more",
        ),
    ],
    fast=4,
)
def test_names_on_the_command_line(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("", encoding="utf-8")
    result = run(*arguments)
    assert (result.exit_code, result.output) == (2, f"puzzlesat: {said}\n")


def test_the_nearest_hexagon_is_the_nearest_in_the_plane():
    """In the plane, the cell [3, 1] is nearer to [2, 2] than [1, 1] is, although both are equally many lattice steps away."""
    result = run("solve", "tetrahexes-flower-2", "--with", "I.1@1.1")
    assert "did you mean 'I.1@" in result.output


REMARK = "tiles.A: the tile is in 2 parts: [4, 1] is not connected to the rest; if this is intended, write parts = 2"


def test_a_tile_in_two_parts_gets_a_warning(tmp_path):
    file = tmp_path / "puzzle.toml"
    file.write_text(GRID + TWO_PARTS + FORM, encoding="utf-8")
    with pytest.warns(PuzzleWarning) as said:
        load_instance(file)
    assert [str(w.message) for w in said] == [f"{file}: {REMARK}"]
    for command in ("count", "solve", "show"):
        result = run(command, file)
        assert result.exit_code == 0
        assert result.stderr.splitlines() == [f"puzzlesat: warning: {file}: {REMARK}"]
        assert "warning" not in result.stdout
    validated = run("validate", file)
    assert validated.exit_code == 0
    assert validated.stdout.splitlines()[:2] == [f"{file}: ok, but it has no solution", f"    warning: {REMARK}"]


@every(
    "tiles, remarks",
    [
        (TWO_PARTS + "parts = 2\n", []),
        ('[tiles.A]\npicture = """\n#.\n.#\n"""\n', ["tiles.A: the tile is in 2 parts: [1, 2] is not"]),
        ("[tiles.A]\natoms = [[1, 1], [2, 1], [4, 1], [6, 1]]\n", ["tiles.A: the tile is in 3 parts: [4, 1], [6, 1] are not"]),
        ('[tiles.A]\npicture = """\n##\n#.\n"""\n', []),
        ('use = ["B"]\n' + TWO_PARTS + '[tiles.B]\npicture = "##"\n', []),
    ],
)
def test_which_tiles_get_one(tiles, remarks, tmp_path):
    file = tmp_path / "puzzle.toml"
    file.write_text(GRID + tiles + FORM, encoding="utf-8")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        load_instance(file)
    assert len(said) == len(remarks)
    assert all(remark in str(w.message) for w, remark in zip(said, remarks, strict=True))


RICH = ["soma", "bits-and-bytes", "octogram", "tritetratan", "langford-7", "dominoes-5x12-tatami"]
BREAKS = {
    "title": lambda text: re.sub("^title = .*$", "", text, count=1, flags=re.M),
    "source": lambda text: f"source = 7\n{re.sub('^source = .*$', '', text, count=1, flags=re.M)}",
    "expect.alll": lambda text: text.replace("[expect]\n", "[expect]\nalll = 3\n", 1),
    "break_on": lambda text: f"break_on = []\n{re.sub('^break_on = .*$', '', text, count=1, flags=re.M)}",
}


ONE_OF_EACH = ("soma title", "bits-and-bytes source", "octogram expect.alll", "langford-7 break_on")


@every("name, key", [pytest.param(name, key, id=f"{name} {key}") for key in BREAKS for name in RICH], fast=ONE_OF_EACH)
def test_one_mistake_is_one_message(name, key, tmp_path):
    """A mistake does not make the rest of the file look wrong."""
    text = next(file for file in data_files("instances") if file.stem == name).read_text(encoding="utf-8")
    file = tmp_path / f"{name}.toml"
    broken = BREAKS[key](text)
    assert broken != text
    file.write_text(broken, encoding="utf-8")
    result = run("validate", file)
    assert result.exit_code == 2
    assert key in result.output
    assert len(result.output.splitlines()) == 1, result.output
