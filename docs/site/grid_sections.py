"""The sections on the grids in docs/format/plane.md and docs/format/space.md, generated from the files in models/grids.

    python docs/site/grid_sections.py

writes them between the two marks of each page; tests/test_documents.py checks that the pages are current.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from puzzlesat.base.errors import PuzzleError
from puzzlesat.puzzles.forms import form_from_table
from puzzlesat.puzzles.grid import Grid
from puzzlesat.puzzles.grids import check_grid, load_grid
from puzzlesat.puzzles.package import data_files
from puzzlesat.puzzles.reading import read_file
from puzzlesat.puzzles.schema import AboutTable, FormTable, GridFile

FOLDER = Path(__file__).parents[1] / "format"
DOCUMENTS = {2: FOLDER / "plane.md", 3: FOLDER / "space.md"}
"""The page of the grids of each dimension."""
BEGIN = "<!-- made from models/grids by docs/site/grid_sections.py: what follows, up to the next mark -->\n"
END = "<!-- up to here -->\n"
WIDTH = 170
"""Maximum line length in columns."""
NAME = re.compile(r"(?P<what>turn \d+|mirror)(?P<way> about| across) (?P<axis>\S+)(?P<more> and inversion)?")


def with_sections(text: str, dimension: int) -> str:
    """Return the page of the grids of a dimension with its sections replaced."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "".join(f"\n{section(file)}" for file in of_dimension(dimension)) + "\n" + END + after


def of_dimension(dimension: int) -> list[Path]:
    """Return the grids of a dimension, by name."""
    return sorted((file for file in data_files("grids") if load_grid(file).dimension == dimension), key=lambda file: file.stem)


def section(file: Path) -> str:
    """Return the section of one grid."""
    grid, data = load_grid(file), read_file(GridFile, file)
    about = data.about
    if about is None:
        raise PuzzleError(f"{file}: write [about], with text and example")
    check_grid(file)
    parts = [
        f"## `{grid.name}`",
        about.text,
        _atoms(grid),
        about.pictures,
        f"```text\n{about.example}```",
        _coordinates(grid, about.example),
    ]
    parts += [_symmetries(grid), _ring_and_shapes(grid, about)]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _atoms(grid: Grid) -> str:
    """Return the table of atoms: a row for each glyph, and for each atom without a glyph."""
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
    """Return the example as a list of atoms."""
    form = form_from_table(grid, FormTable(picture=picture))
    drawn = [a for a in [*form.required, *form.optional] if grid.atoms[a[-1]].kind == grid.main_kind]
    optional = [a for a in drawn if a in form.optional]
    drawn.sort(key=lambda a: (*reversed(a[:-1]), a[-1]))
    with_optional = f" with `optional = {_refs(grid, optional)}`" if optional else ""
    return _filled(f"This is `atoms = {_refs(grid, drawn)}`{with_optional}.")


def _refs(grid: Grid, atoms: list[tuple[int, ...]]) -> str:
    """Return atoms in the notation of files; without names if the first atom of the grid is the only face."""
    alone = [a.kind for a in grid.atoms].count(grid.main_kind) == 1
    refs = [[*a[:-1]] if alone else grid.ref(a) for a in atoms]
    return str(refs).replace("'", '"')


def _symmetries(grid: Grid) -> str:
    """Return the numbered symmetries. In space, symmetries of the same kind and angle are grouped by their axes."""
    names = [g.name for g in grid.symmetries]
    if grid.dimension == 2:
        said = ", ".join(f"{i} {name}" for i, name in enumerate(names, start=1))
        return _filled(f"Symmetries: {said}.")
    half = len(names) // 2
    said = "; ".join(_by_axes(names))
    if _followed_by_inversion(names[:half]) == names[half:]:
        said = "; ".join([*_by_axes(names[:half]), f"{half + 1}–{len(names)} the same in the same order, followed by the inversion"])
    return _filled(f"Symmetries: {len(names)}. {said}.")


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
    """Return the names of rotations followed by the inversion; for a half turn this is a reflection."""
    mirrored = (name.replace("turn 180 about", "mirror across") if "turn 180" in name else f"{name} and inversion" for name in names[1:])
    return ["inversion", *mirrored]


def _ring_and_shapes(grid: Grid, about: AboutTable) -> str:
    said = []
    if grid.rings:
        said.append(f"The ring of a face, for `around`: {about.ring}.")
    if grid.shapes:
        alike = groupby(grid.shapes, lambda name: about.shapes[name])
        said.append(f"Shapes: {'; '.join(' and '.join(f'`{name} = n`' for name in names) + f', {text}' for text, names in alike)}.")
    return _filled(" ".join(said))


def _filled(text: str) -> str:
    """Wrap a text to lines of ``WIDTH`` columns, without breaks between backticks."""
    lines = [""]
    for word in re.findall(r"(?:`[^`]*`|\S)+", text):
        if lines[-1] and len(lines[-1]) + len(word) + 1 > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        made = {page: with_sections(page.read_text(encoding="utf-8"), dimension) for dimension, page in DOCUMENTS.items()}
    except PuzzleError as error:
        raise SystemExit(str(error)) from None
    for page, text in made.items():
        page.write_text(text, encoding="utf-8")
