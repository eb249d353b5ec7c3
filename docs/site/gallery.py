"""The gallery: a picture of every grid, and of a puzzle of every family, with the counts that its files state.

    python docs/site/gallery.py            writes docs/gallery.md, and draws missing pictures
    python docs/site/gallery.py --again    draws all pictures again

The text depends only on the files of the package; tests/test_documents.py checks that docs/gallery.md is current, with every picture.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import puzzlesat
from puzzlesat.puzzles.grids import load_grid
from puzzlesat.puzzles.package import data_files, data_folder
from puzzlesat.puzzles.reading import read_file
from puzzlesat.puzzles.schema import GridFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
SECONDS = 20
"""Time limit for a solution; a family without a solution in this time is drawn as its form and its tiles."""
LARGEST = 80_000
"""Limit of characters of a picture; a family with a larger solution is drawn as its form and its tiles, if that picture is smaller."""
NAMED = 4
"""Number of puzzles listed for each family, smallest files first."""
BEGIN = """# Gallery

All grids of the package, and one picture for each family of puzzles, with the known counts. `puzzlesat list FAMILY`
shows all puzzles of a family, and `puzzlesat solve NAME` a solution of one.
To play them in a browser, write them as a [page](site.md): `puzzlesat site my-site`.
To describe a puzzle like one of these, begin with the [cookbook](cookbook/README.md). Words: [glossary](glossary.md).
"""


@dataclass(frozen=True)
class Entry:
    """A puzzle of the package as stated in its file."""

    name: str
    family: str
    grid: str
    title: str
    size: int
    counts: str

    @property
    def line(self) -> str:
        """Its name with its count."""
        return f"`{self.name}`: {self.counts}" if self.counts else f"`{self.name}`"


def entries() -> list[Entry]:
    """Return the puzzles of the package by family, smallest files first."""
    return sorted(map(entry, data_files("instances")), key=lambda each: (each.family, each.size, each.name))


def entry(file: Path) -> Entry:
    """Read the facts for the gallery from the file of a puzzle."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    whole = table
    if "model" in table:
        model = data_folder("models") / f"{table['model']}.toml"
        whole = tomllib.loads(model.read_text(encoding="utf-8")) | table
    return Entry(file.stem, file.parent.name, whole["grid"], table["title"], file.stat().st_size, counts(table.get("expect", {})))


def counts(expect: dict[str, object]) -> str:
    """Return the counts in a file, with the count up to symmetry first."""
    found = [f"{expect[key]:,} {words}" for key, words in (("distinct", "up to symmetry"), ("all", "in all")) if key in expect]
    if expect.get("all") == 0 or expect.get("distinct") == 0:
        return "no solution"
    return ", ".join(found)


def page() -> str:
    """Return the gallery as Markdown: first the grids of the plane, and grids with many families first."""
    known = entries()
    found = {file.stem: [each for each in known if each.grid == file.stem] for file in data_files("grids")}
    order = sorted(
        data_files("grids"), key=lambda file: (load_grid(file).dimension, -len({each.family for each in found[file.stem]}), file.stem)
    )
    return BEGIN + "".join(section(file, found[file.stem]) for file in order)


def section(file: Path, found: list[Entry]) -> str:
    """Return a grid with its families."""
    name = file.stem
    first = " ".join(read_file(GridFile, file).about.text.split()).split(". ")[0].rstrip(".")
    of_grids = "plane" if load_grid(file).dimension == 2 else "space"
    head = f"\n## {name}\n\n{first}. ([The grid](format/{of_grids}.md#{name}).)\n\n{picture('grid-' + name, 'The grid ' + name)}\n"
    families = [list(each) for _, each in groupby(found, key=lambda each: each.family)]
    if not families:
        return head + "\nNo puzzle of the package has it yet.\n"
    return head + "\n| picture | family | puzzles |\n| --- | --- | --- |\n" + "".join(map(row, families))


def row(family: list[Entry]) -> str:
    """Return a family as a row of the table of its grid."""
    name = family[0].family
    lines = [each.line for each in family[:NAMED]]
    more = len(family) - len(lines)
    if more:
        lines.append(f"and {more} more")
    return f"| {picture(picture_name(family), escape(family[0].title))} | **{name}** | {'<br>'.join(lines)} |\n"


def picture_name(family: list[Entry]) -> str:
    """Return the name of the picture of a family on a grid, since a family can have several grids."""
    return f"{family[0].family}-{family[0].grid}"


def picture(name: str, words: str) -> str:
    """Return a small picture as HTML."""
    return f'<img src="pictures/gallery/{name}.svg" width="220" alt="{words}">'


def draw_all(*, again: bool) -> None:
    """Draw the missing pictures, or all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for file in data_files("grids"):
        target = PICTURES / f"grid-{file.stem}.svg"
        if again or not target.exists():
            target.write_text(grid_picture(file), encoding="utf-8")
    for _, each in groupby(sorted(entries(), key=lambda one: (one.family, one.grid)), key=lambda one: (one.family, one.grid)):
        family = list(each)
        target = PICTURES / f"{picture_name(family)}.svg"
        if again or not target.exists():
            target.write_text(family_picture(family), encoding="utf-8")
            print(f"{target.stem}: {target.stat().st_size:,} bytes", flush=True)


def grid_picture(file: Path) -> str:
    """Draw the example of a grid, with a single atom as the required tile."""
    form = {"picture": read_file(GridFile, file).about.example}
    atom = {"atoms": [[1] * load_grid(file).dimension]}
    return puzzlesat.draw(puzzlesat.load({"title": file.stem, "grid": file.stem, "flips": True, "tiles": {"one": atom}, "form": form}))


def family_picture(family: list[Entry]) -> str:
    """Draw a solution of the first puzzle of a family that is solved in time, or else the first puzzle."""
    for each in family[:NAMED]:
        if each.counts != "no solution":
            found = next(iter(puzzlesat.solve(each.name, limit=1, seconds=SECONDS, partial=True)), None)
            if found and len(drawn := puzzlesat.draw(found)) <= LARGEST:
                return drawn
    return puzzlesat.draw(family[0].name)


if __name__ == "__main__":
    draw_all(again="--again" in sys.argv)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{sum(file.stat().st_size for file in PICTURES.iterdir()):,} bytes of pictures")
