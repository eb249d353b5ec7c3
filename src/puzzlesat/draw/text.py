"""Coloured text pictures of forms, tiles and solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from puzzlesat.cover.build import Built
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.grid.picture import draw_picture

# a qualitative palette in which neighbours in the list differ for colour-blind readers too (after Okabe and Ito, and Tol)
PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#882255",
    "#44aa99", "#ddcc77", "#332288", "#aa4499", "#117733", "#88ccee", "#999933", "#cc6677",
)  # fmt: skip


def picture(grid: Grid, colours: Mapping[AtomId, int], letters: Sequence[str] | None = None) -> Text:
    """Return a picture; with ``letters`` a site of one colour shows its letter, else its glyph."""
    text = Text()
    for number, layer in enumerate(draw_picture(grid, colours)):
        if number:
            text.append("\n")
        for row in layer:
            line = Text()
            for glyph, colour, behind in row:
                whole = behind is None and any(glyph == next(iter(s.glyphs)) for s in grid.layout.sites)
                shown = letters[colour] if letters is not None and colour is not None and whole else glyph
                line.append(shown, style=_style(colour, behind, letters is not None and whole))
            line.rstrip()
            text.append(line).append("\n")
    return text


def solution_picture(built: Built, row: Sequence[int]) -> Text:
    """Return the picture of a solution: each tile in its colour, with a letter where it fills a site."""
    colours: dict[AtomId, int] = {}
    chosen = [built.placements[o] for o in row if o >= 0]
    for number, placement in enumerate(chosen):
        colours |= {a: number for a in placement.atoms if built.puzzle.grid.atoms[a[-1]].kind == built.puzzle.grid.main_kind}
    names = [built.puzzle.tiles[p.tile].name for p in chosen]
    short = len({n[0] for n in names}) == len(set(names))
    letters = [n[0] if short else _letter(i) for i, n in enumerate(names)]
    text = picture(built.puzzle.grid, colours, letters)
    if not short:
        text.append("  ".join(f"{letter} {p.name}" for letter, p in zip(letters, chosen, strict=True)) + "\n", style="dim")
    return text


def _letter(number: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    return letters[number % len(letters)]


def _style(colour: int | None, behind: int | None, letter: bool) -> str:
    if colour is None:
        return ""
    mine = PALETTE[colour % len(PALETTE)]
    if letter:
        return f"black on {mine}"
    return mine if behind is None else f"{mine} on {PALETTE[behind % len(PALETTE)]}"
