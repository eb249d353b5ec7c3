"""Coloured text pictures of forms, tiles and solutions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from rich.text import Text

from puzzlesat.cover.build import Built
from puzzlesat.draw.letters import LEGEND_WIDTH, folded, legend_entries, piece_letters
from puzzlesat.draw.palette import ink, solution_colours
from puzzlesat.draw.places import Canvas, canvas_of
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.lattice import AtomId, Grid
from puzzlesat.grid.picture import draw_picture, empty_place, place_of

# a qualitative palette in which neighbours in the list differ for colour-blind readers too (after Okabe and Ito, and Tol)
PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#882255",
    "#44aa99", "#ddcc77", "#332288", "#aa4499", "#117733", "#88ccee", "#999933", "#cc6677",
)  # fmt: skip


def picture(
    grid: Grid,
    colours: Mapping[AtomId, int],
    letters: Sequence[str] | None = None,
    *,
    optional: Collection[AtomId] = (),
    frame: Iterable[AtomId] = (),
    palette: Sequence[str] = PALETTE,
) -> Text:
    """Return a picture; with ``letters`` a site of one colour shows its letter, else its glyph. See ``draw_picture``."""

    def style(colour: int | None, behind: int | None, *, letter: bool) -> str:
        if colour is None:
            return ""
        mine = palette[colour % len(palette)]
        if letter:
            return f"{'white' if ink(mine) == '#ffffff' else 'black'} on {mine}"
        return mine if behind is None else f"{mine} on {palette[behind % len(palette)]}"

    of_whole_sites = {next(iter(site.glyphs)) for site in grid.layout.sites}
    text = Text()
    for number, layer in enumerate(draw_picture(grid, colours, optional=optional, frame=frame)):
        if number:
            text.append("\n")
        for row in layer:
            line = Text()
            for glyph, colour, behind in row:
                whole = behind is None and glyph in of_whole_sites
                shown = letters[colour] if letters is not None and colour is not None and whole else glyph
                line.append(shown, style=style(colour, behind, letter=letters is not None and whole))
            line.rstrip()
            text.append(line).append("\n")
    return text


class SolutionPictures:
    """Draws solutions of a puzzle: each piece with a letter, in colours in one of its own too, in the frame of the whole form."""

    def __init__(self, built: Built, width: int | None = None) -> None:
        self.built = built
        self.grid = built.puzzle.grid
        self.width = LEGEND_WIDTH if width is None else min(width, LEGEND_WIDTH)
        self.frame = [a for a in built.puzzle.form.atoms if place_of(self.grid, a) is not None]
        self.cached: dict[int, list[int]] = {}

    @cached_property
    def canvas(self) -> Canvas | None:
        """Where the atoms stand in a picture without colours; None where no picture gives each a character of its own."""
        try:
            return canvas_of(self.built)
        except PuzzleError:
            return None

    @cached_property
    def blank(self) -> str:
        """The picture of no placement."""
        if self.canvas is None or not self.frame:
            return ""
        layer = (empty_place(self.grid) * self.canvas.columns + "\n") * self.canvas.rows
        return "\n".join([layer] * self.canvas.layers)

    def text(self, row: Sequence[int]) -> Text:
        """Return the picture in colours, in the grid's own glyphs: where pieces share a character, their colours tell them apart."""
        chosen = [o for o in row if o >= 0]
        colours = {a: number for number, o in enumerate(chosen) for a in self.built.placements[o].atoms}
        letters = piece_letters(self.built, chosen)
        palette = solution_colours(self.built, chosen) if any(tile.colour for tile in self.built.puzzle.tiles) else PALETTE
        drawn = picture(self.grid, colours, letters, frame=self.frame, palette=palette or PALETTE)
        shown = {*drawn.plain}  # a piece that fills no character has no letter to explain
        explained = [(o, c) for o, c in zip(chosen, letters, strict=True) if c in shown]
        legend = legend_entries(self.built, [o for o, _ in explained], [c for _, c in explained])
        return drawn.append(folded(legend, self.width), style="dim")

    def plain(self, row: Sequence[int]) -> str:
        """Return the picture without colours, a letter for each atom; much faster: where a placement stands is worked out once."""
        if self.canvas is None:
            return self.text(row).plain
        chosen = [o for o in row if o >= 0]
        letters = piece_letters(self.built, chosen)
        characters = list(self.blank)
        for option, letter in zip(chosen, letters, strict=True):
            for index in self.cached.get(option) or self._indices(self.canvas, option):
                characters[index] = letter
        rows = "".join(line.rstrip() + "\n" for line in "".join(characters).splitlines())
        return rows + folded(legend_entries(self.built, chosen, letters), self.width)

    def _indices(self, canvas: Canvas, option: int) -> list[int]:
        """Where a placement stands in the blank picture."""
        line = canvas.columns + 1
        places = (canvas.place[a] for a in canvas.drawn(option))
        self.cached[option] = [z * (line * canvas.rows + 1) + y * line + x for z, y, x in places]
        return self.cached[option]
