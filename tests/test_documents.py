"""Statements of the documentation about the program: solvers, defaults, keys, exit statuses, grids, studies, paths; and their examples."""

import doctest
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

import puzzlesat
from puzzlesat.base.package import data_files, data_folder
from puzzlesat.cli import defaults as cli_defaults
from puzzlesat.cli.commands import counting, looking, trying
from puzzlesat.cli.exit_status import MEANINGS
from puzzlesat.counting import plan
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.formats.table import FORMATS, writable
from puzzlesat.puzzles import GridFile, load_grid, schema
from puzzlesat.puzzles.reading import read_file
from puzzlesat.solvers import AT_MOST_ONE, registry
from puzzlesat.solvers.registry import SOLVERS, Feature
from puzzlesat.solvers.sat import DEFAULT_ENCODING, DEFAULT_ENGINE
from puzzlesat.studies.study import PuzzlesTable, StepTable, Study, StudyFile
from tiers import every, tomllib

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "site"))
import defaults  # noqa: E402 - programs that make pages of the site
import grids  # noqa: E402
import keys  # noqa: E402
from pages import BOOK, as_said, pictures_shown, shortened, steps, try_page  # noqa: E402

PACKAGE = Path(puzzlesat.__file__).parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SOLVERS_PAGE = (ROOT / "docs" / "guide" / "solvers.md").read_text(encoding="utf-8")
LARGEST_PICTURES = 3_000_000
"""Bytes of all pictures of the page of grids together."""


def cells(text, header):
    """Return the rows of the table with this header, as texts of cells."""
    lines = text.splitlines()
    rows = []
    for line in lines[lines.index(header) + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_rooms_that_contributing_names_are_those_of_the_package():
    """The rooms are in the order of the contract; the files to change for an addition exist, relative to the repository or the package."""
    rooms = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    named = [[cell.strip("` ") for cell in (room, first)] for room, _, first in cells(CONTRIBUTING, "| room | holds | begin with |")]
    assert {room for room, _ in named} == rooms
    assert [first for room, first in named if not (PACKAGE / room / f"{first}.py").exists()] == []
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "direction")
    level = {room: number for number, layer in enumerate(reversed(layers)) for room in layer.split(" | ")}
    levels = [level[room] for room, _ in named]
    assert levels == sorted(levels)
    adding = "".join(re.findall(r"^## Add [^\n]*\n(.*?)(?=^## )", CONTRIBUTING, re.M | re.S))
    paths = [name for name in re.findall(r"`([\w./-]+)`", adding) if "/" in name and not re.search(r"\b[A-Z]+\b", name)]
    assert [path for path in paths if not any((folder / path).exists() for folder in (ROOT, PACKAGE))] == []
    assert [path for path in re.findall(r"\]\(([\w./-]+)", adding) if not (ROOT / path).exists()] == []


def test_the_solvers_of_the_guide_are_those_of_the_table():
    said = cells(SOLVERS_PAGE, "| name | how it counts | solutions | refuses | symmetry | parity | in one run |")
    assert [[cell.replace("`", "") for cell in row] for row in said] == [as_row(solver) for solver in SOLVERS.values()]
    (engine, encodings) = re.search(r"\(default `(\w+)`\); ENCODING.*?\(default (.*?)\)", SOLVERS_PAGE, re.S).groups()
    assert engine == DEFAULT_ENGINE
    assert re.findall(r"`(\w+)`", encodings) == [DEFAULT_ENCODING, *(name for name in AT_MOST_ONE if name != DEFAULT_ENCODING)]


def as_row(solver):
    """Return the row of a solver in the guide, with the features it refuses in the order of the type."""
    return [
        solver.name,
        solver.says,
        "lists" if solver.lists else "counts only",
        "; ".join(feature for feature in get_args(Feature) if feature in solver.cannot) or "–",
        "broken" if solver.broken else "unbroken",
        "told" if solver.implied else "not told",
        f"{solver.in_one_run:,}" if solver.lists else "–",
    ]


NO_DEFAULTS = {"TYPE_CHECKING", "SILENT", "SOLVERS", "AUTO", "CERTIFICATE", "TALLY"}


def test_the_page_of_defaults_has_the_default_of_every_option_and_of_every_public_function():
    page = defaults.page()
    named = set(re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", page, re.M))
    functions = {import_module(getattr(puzzlesat, name).__module__) for name in puzzlesat.__all__ if name.islower() and name != "draw"}
    names = {name for face in (*functions, counting, looking, trying) for name in vars(face)}
    kept = {name for module in (cli_defaults, plan, registry) for name in vars(module)}
    taken = {name for name in names & kept if name.isupper()} - NO_DEFAULTS
    assert {"CHECKING_SECONDS", "HINT_SECONDS"} <= taken <= named


def test_the_page_of_exit_statuses_has_those_of_the_program():
    page = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
    said = {int(status): words for status, words in cells(page, "| exit status | means |")}
    assert said.keys() == MEANINGS.keys()
    assert [status for status, words in MEANINGS.items() if not said[status].startswith(words)] == []


def test_readme_says_how_much_comes_with_the_package():
    instances = data_files("instances")
    families = {file.parent.name for file in instances}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"# {len(instances)} puzzles in {len(families)} families, on {len(data_files('grids'))} grids;" in readme


def test_the_table_of_formats_and_the_ways_between_them():
    page = (ROOT / "docs" / "convert.md").read_text(encoding="utf-8")
    header = "| format | suffix | holds | read | written | what it cannot say |"
    answers = {True: "yes", False: "no"}
    assert cells(page, header) == [
        [
            format.what,
            " ".join(f"`{suffix}`" for suffix in (*format.suffixes, *format.also)),
            format.holds,
            answers[format.reads is not None],
            answers[format.writes is not None],
            format.cannot or "–",
        ]
        for format in FORMATS
    ]
    (heading,) = re.findall(r"^\| from .*$", page, re.M)
    targets = [re.findall(r"`(\.\w+)`", cell) for cell in heading.strip("|").split("|")[1:]]
    assert targets == [[suffix for f in writable(holds) for suffix in f.suffixes] for holds in ("puzzles", "cover problem", "solutions")]
    sources = {suffix for source, *_ in cells(page, heading) for suffix in re.findall(r"`(\.\w+)`", source)}
    assert sources == {suffix for f in FORMATS if f.reads for suffix in (*f.suffixes, *f.also)}


# pages that programs make ----------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_pages_that_are_made_from_the_files_of_the_package():
    text = grids.page()
    assert [file.stem for file in data_files("grids") if f"\n## {file.stem}\n" not in text] == []
    shown = set(re.findall(r'src="../pictures/gallery/([\w-]+\.svg)"', text))
    kept = {file.name: file.stat().st_size for file in (ROOT / "docs" / "pictures" / "gallery").iterdir()}
    assert shown == set(kept)
    assert {f"grid-{file.stem}.svg" for file in data_files("grids")} <= shown
    assert set(re.findall(r"\| \*\*([\w-]+)\*\* \|", text)) == {file.parent.name for file in data_files("instances")}
    assert sum(kept.values()) < LARGEST_PICTURES


def test_every_grid_file_says_how_many_symmetries_the_grid_has():
    """The number reveals a mistyped vertex when the file is read."""
    assert [file.stem for file in data_files("grids") if read_file(GridFile, file).symmetries is None] == []
    rhombic, cube = (load_grid(data_folder("grids") / f"{name}.toml") for name in ("rhombic-tetrahedra", "cube"))
    assert [g.name for g in rhombic.symmetries] == [g.name for g in cube.symmetries]


TERMS = dict(tuple(map(int, line.split())) for line in (ROOT / "record" / "b377309.txt").read_text().splitlines())
"""The terms of record/new-terms.md."""


def test_new_terms_are_in_order_on_the_page_and_in_the_instances():
    assert list(TERMS) == list(range(22))
    assert TERMS[0] == 1
    assert [n for n, term in TERMS.items() if not term] == [n for n in TERMS if n % 3 == 1]
    page = (ROOT / "record" / "new-terms.md").read_text()
    assert all(f"{TERMS[n]:,}" in page for n in (20, 21))
    sides = [n for n in TERMS if n % 3 != 1 and n]
    assert {n: instance_in(f"stones-and-bones-triangle-{n}", None).expect.all for n in sides} == {n: TERMS[n] for n in sides}


@pytest.mark.full
def test_a_program_that_has_nothing_of_this_one_counts_the_new_terms(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from stones_and_bones import count

    for upwards, largest in ((True, 15), (False, 12)):
        sides = [n for n in TERMS if 0 < n <= largest]
        assert {n: count(n, upwards=upwards)[0] for n in sides} == {n: TERMS[n] for n in sides}
    assert "puzzlesat" not in Path(sys.modules["stones_and_bones"].__file__).read_text().split('"""', 2)[2]


# keys ------------------------------------------------------------------------------------------------------------------------

KEYS = {
    "The file": schema.InstanceFile,
    "[tiles.NAME]": schema.TileTable,
    "[[generate]]": schema.GenerateTable,
    "[form]": schema.FormTable,
    "[solutions]": schema.SolutionsTable,
    "[[conditions]]": schema.ConditionTable,
    "[split]": schema.SplitTable,
    "[expect]": schema.ExpectTable,
    "[grid]": schema.StatedGrid,
}
OF_THE_PROGRAM = {"shape"}
"""Names in files that are shapes of the grid."""


def test_the_pages_of_the_format_have_each_key_with_a_comment_in_an_example_that_the_schema_takes():
    """Each example is checked by the field of its key alone; the example of a key that is a table is its header."""
    assert keys.SECTIONS.keys() == KEYS.keys() | {"[marks]"}
    kinds = get_args(schema.MarkTable.model_fields["kind"].annotation)
    assert {row.example.partition(" = ")[2] for row in keys.rows("[marks]")} == {f'{{ kind = "{kind}" }}' for kind in kinds}
    for title, table in KEYS.items():
        rows = keys.rows(title)
        assert sorted(row.key for row in rows) == sorted(set(table.model_fields) - OF_THE_PROGRAM)
        for row in rows:
            if row.example.startswith("["):
                continue
            try:
                table.model_validate({row.key: tomllib.loads(row.example)[row.key]})
            except ValueError as error:
                assert [one for one in error.errors() if one["loc"][:1] == (row.key,)] == [], row


# studies ---------------------------------------------------------------------------------------------------------------------

STUDIES_PAGE = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")


@pytest.mark.full
def test_studies_of_the_repository_are_valid():
    files = sorted((ROOT / "record" / "studies").glob("*.toml"))
    assert files and [file.stem for file in files if len(Study.read(file).subjects) < 2] == []


def test_the_page_on_studies_describes_every_key_in_a_valid_example(tmp_path):
    keys = {field.alias or name for table in (StudyFile, PuzzlesTable, StepTable) for name, field in table.model_fields.items()}
    assert [key for key in sorted(keys - {"puzzles", "steps"}) if not re.search(rf"`{key}`|^{key} = ", STUDIES_PAGE, re.M)] == []
    (example,) = re.findall(r"```toml\n(.*?)```", STUDIES_PAGE, re.S)
    own = '["octogram", "mine/*.toml", "folder", "forms.jsonl"]'
    assert own in example
    (tmp_path / "study.toml").write_text(example.replace(own, '["octogram"]'), encoding="utf-8")
    study = Study.read(tmp_path / "study.toml")
    assert (study.name, study.single, [step.find for step in study.steps]) == ("Open forms", False, ["proof", "solution", "count"])
    assert {subject.name for subject in study.subjects} > {"octogram/octogram", "pentominoes/6x10"}


# examples: every >>> of the package, every block of Python in README and docs ------------------------------------------------

WITH_EXAMPLES = [
    ".".join(("puzzlesat", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^ *>>> ", file.read_text(encoding="utf-8"), re.M)
]
BLOCKS = [
    pytest.param(text, id=f"{file.name}-{number}")
    for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    for number, text in enumerate(re.findall(r"^```python\n(.*?)^```", file.read_text(encoding="utf-8"), re.M | re.S), 1)
    if "print(" in text  # house_rules.py looks at the names of the others
]


@pytest.mark.full
@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_of_a_module(module):
    tried = doctest.testmod(import_module(module), extraglobs={"puzzlesat": puzzlesat}, optionflags=doctest.FAIL_FAST)
    assert tried.attempted
    assert not tried.failed  # the captured output shows the expected text


@pytest.mark.full
@every("text", BLOCKS)
def test_of_a_document(text, capsys):
    """A block runs unchanged; a comment after a ``print`` is its output."""
    exec(compile(text, "example", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    said = re.findall(r"^ *print\(.*\)  # (.*)$", text, re.M)
    assert said
    assert [line for line in printed if line in said] == said


# pages that show commands ----------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("page", BOOK, ids=lambda path: path.stem)
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong, _ = try_page(page)
    assert not wrong, "\n\n".join(wrong)


def test_pages_show_files_that_they_make_and_each_recipe_has_its_file_its_picture_and_its_figure():
    for page in BOOK:
        text = page.read_text(encoding="utf-8")
        done = steps(text)
        made = {step.file for step in done} | {name for step in done for name in re.findall(r"[\w.-]+\.(?:svg|png)", step.command or "")}
        shown = pictures_shown(text)
        assert [name for name in sorted(shown) if not (page.parent / name).exists()] == []
        assert sorted(shown - made) == []
        if page.parent.name == "cookbook" and page.stem != "README":
            assert f'title="{page.stem}.' in text
            assert f"]({page.stem}.svg)" in text
            assert re.search(r"^\$ (puzzlesat (count|solve|apart|best)|python) ", text, re.M)
    index = (ROOT / "docs" / "cookbook" / "README.md").read_text(encoding="utf-8")
    recipes = {path.name for path in (ROOT / "docs" / "cookbook").glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) >= recipes


def test_the_slips_that_are_answered_are_real_ones():
    """Each suggested correction is the program's message about a slip of the collection."""
    slips = (ROOT / "tests" / "config" / "slips.txt").read_text(encoding="utf-8")
    first = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8").split("\n## ")[1]
    rows = re.findall(r"^\| .* \| (.*) \|$", first, re.M)
    cures = [found[1] for row in rows if (found := re.search("`([^`]+)`", row))]
    assert len(cures) > 8
    assert [cure for cure in cures if cure not in slips] == []


def test_an_ellipsis_is_for_lines_or_for_part_of_one_and_stays_when_a_page_is_brought_up_to_date():
    for said, printed in (("a\nb\n", "a\nb\n"), ("a\n…\nd\n", "a\nb\nc\nd\n"), ("a … c\n", "a 1.5 c\n")):
        assert as_said(said, printed)
    assert not as_said("a\n", "a\nb\n")
    assert not as_said("…\nb\n", "a\n")
    said = "title\n…\n  counts  all 2\n…\n"
    assert shortened(said, "title\nmore\nand more\n  counts  all 3\nverdict\n") == "title\n…\n  counts  all 3\n…\n"
    assert shortened("a\n", "b\nc\n\n") == "b\nc\n"
