"""Coloured text pictures of forms, tiles and solutions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from rich.text import Text

from puzzlesat.cover.build import Built
from puzzlesat.grid.lattice import AtomId, Grid, Site
from puzzlesat.grid.picture import draw_picture, empty_place, glyph_of, place_of
from puzzlesat.placements import Placement

# a qualitative palette in which neighbours in the list differ for colour-blind readers too (after Okabe and Ito, and Tol)
PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#882255",
    "#44aa99", "#ddcc77", "#332288", "#aa4499", "#117733", "#88ccee", "#999933", "#cc6677",
)  # fmt: skip
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def picture(
    grid: Grid,
    colours: Mapping[AtomId, int],
    letters: Sequence[str] | None = None,
    *,
    optional: Collection[AtomId] = (),
    frame: Iterable[AtomId] = (),
) -> Text:
    """Return a picture; with ``letters`` a site of one colour shows its letter, else its glyph. See ``draw_picture``."""
    text = Text()
    for number, layer in enumerate(draw_picture(grid, colours, optional=optional, frame=frame)):
        if number:
            text.append("\n")
        for row in layer:
            line = Text()
            for glyph, colour, behind in row:
                whole = behind is None and _is_whole(grid, glyph)
                shown = letters[colour] if letters is not None and colour is not None and whole else glyph
                line.append(shown, style=_style(colour, behind, letters is not None and whole))
            line.rstrip()
            text.append(line).append("\n")
    return text


class SolutionPictures:
    """Draws solutions of a puzzle: each tile with a letter, and in a colour of its own, in the frame of the whole form."""

    def __init__(self, built: Built) -> None:
        self.built = built
        self.grid = built.puzzle.grid
        places = {a: place for a in built.puzzle.form.atoms if (place := place_of(self.grid, a)) is not None}
        self.frame = list(places)
        positions = {(*position, 0)[:3] for position, _ in places.values()}
        self.low, self.high = ([f(axis) for axis in zip(*positions, strict=True)] if positions else [0, 0, 0] for f in (min, max))
        layer = ("".join([empty_place(self.grid)] * (self.high[0] - self.low[0] + 1)) + "\n") * (self.high[1] - self.low[1] + 1)
        self.blank = list("\n".join([layer] * (self.high[2] - self.low[2] + 1))) if positions else []
        self.cached: dict[int, tuple[list[int], list[tuple[int, Site, int]]]] = {}

    def text(self, row: Sequence[int]) -> Text:
        """Return the picture in colours."""
        chosen = [self.built.placements[o] for o in row if o >= 0]
        colours = {a: number for number, p in enumerate(chosen) for a in p.atoms}
        letters, names = self._letters(chosen)
        return picture(self.grid, colours, letters, frame=self.frame).append(names, style="dim")

    def plain(self, row: Sequence[int]) -> str:
        """Return the same picture without colours, much faster: where the atoms of a placement stand is worked out once."""
        options = [o for o in row if o >= 0]
        letters, names = self._letters([self.built.placements[o] for o in options])
        canvas = self.blank.copy()
        shared: dict[int, tuple[Site, dict[int, int]]] = {}
        for number, option in enumerate(options):
            whole, parts = self.cached.get(option) or self._sites(option)
            for index in whole:
                canvas[index] = letters[number]
            for index, site, atom in parts:
                shared.setdefault(index, (site, {}))[1][atom] = number
        for index, (site, colours) in shared.items():
            glyph, first, behind = glyph_of(site, colours)
            canvas[index] = letters[first] if first is not None and behind is None and _is_whole(self.grid, glyph) else glyph
        return "".join(line.rstrip() + "\n" for line in "".join(canvas).splitlines()) + names

    def _sites(self, option: int) -> tuple[list[int], list[tuple[int, Site, int]]]:
        """Where on the canvas a placement fills a site, and where it has atoms of a site that it does not fill."""
        columns, rows = self.high[0] - self.low[0] + 2, self.high[1] - self.low[1] + 1
        sites: dict[int, tuple[Site, list[int]]] = {}
        for atom in self.built.placements[option].atoms:
            if (place := place_of(self.grid, atom)) is not None:
                x, y, z = (*place[0], 0)[:3]
                index = (z - self.low[2]) * (rows * columns + 1) + (self.high[1] - y) * columns + x - self.low[0]
                sites.setdefault(index, (place[1], []))[1].append(atom[-1])
        full = {i for i, (site, atoms) in sites.items() if set(atoms) == set(next(iter(site.glyphs.values())))}
        parts = [(i, site, a) for i, (site, atoms) in sites.items() if i not in full for a in atoms]
        self.cached[option] = sorted(full), parts
        return self.cached[option]

    def _letters(self, chosen: Sequence[Placement]) -> tuple[list[str], str]:
        """A letter for each placement, and a line that explains them where they are not the first letters of the tiles.

        Of two copies the second has the small letter, so that the picture tells them apart wherever they touch.
        """
        names = [self.built.puzzle.tiles[p.tile].name for p in chosen]
        copies = Counter(names)
        most = max(copies.values(), default=1)
        initials = {n[0] if most == 1 else n[0].upper() for n in copies}
        if len(initials) == len(copies) and (most == 1 or (most == 2 and all(i != i.lower() for i in initials))):
            if most == 1:
                return [n[0] for n in names], ""
            return [n[0].lower() if n in names[:i] else n[0].upper() for i, n in enumerate(names)], ""
        letters = [LETTERS[i % len(LETTERS)] for i in range(len(chosen))]
        return letters, "  ".join(f"{letter} {p.name}" for letter, p in zip(letters, chosen, strict=True)) + "\n"


def _is_whole(grid: Grid, glyph: str) -> bool:
    """Does a glyph stand for a whole site?"""
    return any(glyph == next(iter(site.glyphs)) for site in grid.layout.sites)


def _style(colour: int | None, behind: int | None, letter: bool) -> str:
    if colour is None:
        return ""
    mine = PALETTE[colour % len(PALETTE)]
    if letter:
        return f"black on {mine}"
    return mine if behind is None else f"{mine} on {PALETTE[behind % len(PALETTE)]}"
