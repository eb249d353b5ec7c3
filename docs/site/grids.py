"""The sections of docs/format/grids.md: each grid of the package with its atoms, pictures and symmetries, and its families of puzzles.

The page is made when the site is built. Its pictures are files:

    python docs/site/grids.py            draws the pictures that are missing
    python docs/site/grids.py --again    draws all of them again
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import puzzlesat
from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.package import data_files, data_folder
from puzzlesat.puzzles.forms import form_from_table
from puzzlesat.puzzles.grid import Grid
from puzzlesat.puzzles.grids import check_grid, load_grid
from puzzlesat.puzzles.reading import read_file
from puzzlesat.puzzles.schema import AboutTable, FormTable, GridFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "format" / "grids.md"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
MARK = "<!-- The sections of the grids follow here when docs/site/grids.py makes the page. -->\n"
NAME = re.compile(r"(?P<what>turn \d+|mirror)(?P<way> about| across) (?P<axis>\S+)(?P<more> and inversion)?")
SECONDS = 20
"""Time limit of a solution to draw. A family whose puzzles need more is drawn as its form and its tiles."""
MAX_CHARACTERS = 80_000
"""Limit of the picture of a solution. A family whose solution needs more is drawn as its form and its tiles."""
NAMED = 4
"""Number of puzzles of a family that are named: those with the smallest files."""


def page() -> str:
    """Return the whole page as Markdown: grids of the plane first, and those with many families."""
    known = entries()
    found = {file.stem: [each for each in known if each.grid == file.stem] for file in data_files("grids")}
    order = sorted(
        data_files("grids"), key=lambda file: (load_grid(file).dimension, -len({each.family for each in found[file.stem]}), file.stem)
    )
    links = " · ".join(f"[{file.stem}](#{file.stem})" for file in order)
    sections = "\n".join(section(file) + families(found[file.stem]) for file in order)
    before, after = PAGE.read_text(encoding="utf-8").split(MARK)
    return f"{before}{links}\n\n{sections}{after}"


def section(file: Path) -> str:
    """Return the section of one grid."""
    grid, data = load_grid(file), read_file(GridFile, file)
    about = data.about
    if about is None:
        raise PuzzleError(f"{file}: write [about], with text and example")
    check_grid(file)
    parts = [
        f"## {grid.name}",
        about.text,
        picture(f"grid-{grid.name}", f"The grid {grid.name}"),
        _atoms(grid),
        about.pictures,
        f"```text\n{about.example}```",
        _coordinates(grid, about.example),
    ]
    parts += [_symmetries(grid), _ring_and_shapes(grid, about)]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _atoms(grid: Grid) -> str:
    """Return the table of atoms: a row for each glyph, and for each atom that pictures do not draw."""
    rows = ["| atom | kind | glyph | optional |", "| --- | --- | --- | --- |"]
    drawn = set()
    for site in grid.layout.sites:
        optional = {atoms: glyph for glyph, atoms in site.optional.items()}
        for glyph, atoms in site.glyphs.items():
            rows.append(_row(grid, atoms, glyph, optional.pop(atoms, None)))
            drawn |= {*atoms}
        rows += [_row(grid, atoms, None, glyph) for atoms, glyph in optional.items()]
    rows += [_row(grid, (a,), None, None) for a in range(len(grid.atoms)) if a not in drawn]
    return "\n".join(rows)


def _row(grid: Grid, atoms: Sequence[int], *glyphs: str | None) -> str:
    names = " ".join(f"`{grid.atoms[a].name}`" for a in atoms)
    first = grid.atoms[atoms[0]]
    kind = first.kind + (" (mark)" if first.role == "mark" else "")
    return f"| {names} | {kind} |" + "".join(f" `{glyph}` |" if glyph else " |" for glyph in glyphs)


def _coordinates(grid: Grid, picture: str) -> str:
    """Return the example, atom by atom."""
    form = form_from_table(grid, FormTable(picture=picture))
    drawn = [a for a in [*form.required, *form.optional] if grid.atoms[a[-1]].kind == grid.main_kind]
    optional = [a for a in drawn if a in form.optional]
    drawn.sort(key=lambda a: (*reversed(a[:-1]), a[-1]))
    with_optional = f" with `optional = {_refs(grid, optional)}`" if optional else ""
    return f"This is `atoms = {_refs(grid, drawn)}`{with_optional}."


def _refs(grid: Grid, atoms: list[tuple[int, ...]]) -> str:
    """Return atoms as a file writes them; without their names where the first atom of the grid is the only face."""
    alone = [a.kind for a in grid.atoms].count(grid.main_kind) == 1
    refs = [[*a[:-1]] if alone else grid.ref(a) for a in atoms]
    return str(refs).replace("'", '"')


def _symmetries(grid: Grid) -> str:
    """Return the symmetries by number. In space, turns by the same angle are listed together, by their axes."""
    names = [g.name for g in grid.symmetries]
    if grid.dimension == 2:
        return f"Symmetries: {', '.join(f'{i} {name}' for i, name in enumerate(names, start=1))}."
    half = len(names) // 2
    listed = [*_by_axes(names)]
    if _followed_by_inversion(names[:half]) == names[half:]:
        listed = [*_by_axes(names[:half]), f"{half + 1}–{len(names)} the same in the same order, followed by the inversion"]
    return f"Symmetries: {len(names)}. {'; '.join(listed)}."


def _by_axes(names: list[str]) -> Iterator[str]:
    """Yield texts such as ``2–4 turn 90 about 0,0,1 0,1,0 1,0,0``."""
    kinds = groupby(enumerate(names, start=1), lambda pair: (m["what"], m["way"], m["more"]) if (m := NAME.fullmatch(pair[1])) else pair[1])
    for kind, group in kinds:
        numbers, same = zip(*group, strict=True)
        count = f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
        if isinstance(kind, str):
            yield f"{count} {kind}"
        else:
            what, way, more = kind
            yield f"{count} {what}{way} {' '.join(NAME.fullmatch(name)['axis'] for name in same)}{more or ''}"


def _followed_by_inversion(names: list[str]) -> list[str]:
    """Return the names of turns, each followed by the inversion; a half turn then is a mirror."""
    mirrored = (name.replace("turn 180 about", "mirror across") if "turn 180" in name else f"{name} and inversion" for name in names[1:])
    return ["inversion", *mirrored]


def _ring_and_shapes(grid: Grid, about: AboutTable) -> str:
    """Return the order of a ring, and the shapes with a size."""
    lines = []
    if grid.rings:
        lines.append(f"The ring of a face, for `around`: {about.ring}.")
    if grid.shapes:
        alike = groupby(grid.shapes, lambda name: about.shapes[name])
        lines.append(f"Shapes: {'; '.join(' and '.join(f'`{name} = n`' for name in names) + f', {text}' for text, names in alike)}.")
    return " ".join(lines)


@dataclass(frozen=True)
class Entry:
    """A puzzle of the package, as its file states it."""

    name: str
    family: str
    grid: str
    title: str
    size: int
    counts: str

    @property
    def line(self) -> str:
        """Its name, with its count."""
        return f"`{self.name}`: {self.counts}" if self.counts else f"`{self.name}`"


def entries() -> list[Entry]:
    """Return the puzzles of the package, those with small files first in each family."""
    return sorted(map(entry, data_files("instances")), key=lambda each: (each.family, each.size, each.name))


def entry(file: Path) -> Entry:
    """Return a puzzle from its file."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    whole = table
    if "model" in table:
        model = data_folder("models") / f"{table['model']}.toml"
        whole = tomllib.loads(model.read_text(encoding="utf-8")) | table
    return Entry(file.stem, file.parent.name, whole["grid"], table["title"], file.stat().st_size, counts(table.get("expect", {})))


def counts(expect: dict[str, object]) -> str:
    """Return the counts that a file states, up to symmetry first."""
    found = [f"{expect[key]:,} {words}" for key, words in (("distinct", "up to symmetry"), ("all", "in all")) if key in expect]
    if expect.get("all") == 0 or expect.get("distinct") == 0:
        return "no solution"
    return ", ".join(found)


def families(found: list[Entry]) -> str:
    """Return the families of puzzles on a grid as a table."""
    rows = [row(list(each)) for _, each in groupby(found, key=lambda each: each.family)]
    return "\n| picture | family | puzzles |\n| --- | --- | --- |\n" + "".join(rows) if rows else "\nNo puzzle of the package has it yet.\n"


def row(family: list[Entry]) -> str:
    """Return a family as a line of the table of its grid."""
    name = family[0].family
    lines = [each.line for each in family[:NAMED]]
    more = len(family) - len(lines)
    if more:
        lines.append(f"and {more} more")
    return f"| {picture(picture_name(family), escape(family[0].title))} | **{name}** | {'<br>'.join(lines)} |\n"


def picture_name(family: list[Entry]) -> str:
    """Return the name of the picture of a family on a grid: some families are on several."""
    return f"{family[0].family}-{family[0].grid}"


def picture(name: str, words: str) -> str:
    """Return a picture as HTML, small."""
    return f'<img src="../pictures/gallery/{name}.svg" width="220" alt="{words}">'


def draw_all(*, again: bool) -> None:
    """Draw what is missing, or everything."""
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
    """Draw the example of a grid, with one atom as the tile that a puzzle needs."""
    form = {"picture": read_file(GridFile, file).about.example}
    atom = {"atoms": [[1] * load_grid(file).dimension]}
    return puzzlesat.draw(puzzlesat.load({"title": file.stem, "grid": file.stem, "flips": True, "tiles": {"one": atom}, "form": form}))


def family_picture(family: list[Entry]) -> str:
    """Draw a solution of the first puzzle of a family that has one soon, or a puzzle of it."""
    for each in family[:NAMED]:
        if each.counts != "no solution":
            found = next(iter(puzzlesat.solve(each.name, limit=1, seconds=SECONDS, partial=True)), None)
            if found and len(drawn := puzzlesat.draw(found)) <= MAX_CHARACTERS:
                return drawn
    return puzzlesat.draw(family[0].name)


if __name__ == "__main__":
    draw_all(again="--again" in sys.argv)
    print(f"{sum(file.stat().st_size for file in PICTURES.iterdir()):,} bytes of pictures")
