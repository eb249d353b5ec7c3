"""Pictures of weights on the atoms of a form: text in the grid's own glyphs, and SVG."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import inf

import numpy as np
from rich.text import Text

from puzzlesat.base import Reals, Sentence
from puzzlesat.pictures.canvases import make_canvas
from puzzlesat.pictures.geometry import HIDDEN, SEGMENT
from puzzlesat.pictures.palette import ink
from puzzlesat.pictures.svg import disc
from puzzlesat.pictures.text_pictures import LATIN, PALETTE
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, atom_order, draw_picture

NOTHING = "#eeeeee"
"""Colour of weight 0."""
NEGATIVE, POSITIVE = (230, 120, 0), (0, 100, 190)
MAX_NAMED = 9
"""Largest number of different weights with a colour each; more weights are shades from orange to blue."""
MARGIN, LINE = 12.0, 24.0


@dataclass(frozen=True, eq=False)
class WeightedForm:
    """The form of a puzzle with a weight on each atom, such as a colouring that proves that it cannot be filled."""

    built: BuiltInstance
    weights: Sequence[int]
    """Weights in the order of the form's atoms."""
    modulus: int = 0
    """Modulus of the weights; 0 if they are integers."""

    @cached_property
    def weight_of(self) -> dict[AtomId, int]:
        """The weight of each atom."""
        return dict(zip(sorted(self.built.puzzle.form.atoms, key=atom_order), self.weights, strict=True))

    def text(self) -> Text:
        """Return the form with each atom's weight as a character on its colour, and a legend.

        If the glyphs of a site cannot show the weights of its atoms, each atom of the unit cell has its own picture.
        """
        weight_of = self.weight_of
        fills, signs = _fills(weight_of.values()), _signs(weight_of.values())
        grid = self.built.puzzle.grid
        text = Text()
        if _faithful(grid, weight_of):
            _append(text, grid, weight_of, weight_of, fills, signs, whole_only=True)
        else:
            for number in sorted({a[-1] for a in weight_of if grid.place_of(a) is not None}):
                text.append(f"atom {grid.atoms[number].name}\n", style="dim")
                _append(text, grid, {a: w for a, w in weight_of.items() if a[-1] == number}, weight_of, fills, signs, whole_only=False)
        for number in sorted({a[-1] for a in weight_of if grid.place_of(a) is None}):
            values = sorted({w for a, w in weight_of.items() if a[-1] == number})
            text.append(f"atom {grid.atoms[number].name}, not in the picture: {', '.join(map(_number, values))}\n", style="dim")
        return text.append_text(_legend(weight_of, fills, signs, self.modulus))

    def svg(self, title: str = "") -> str:
        """Return an SVG picture of the weights with a legend; layers of a form in space are drawn side by side."""
        weight_of = self.weight_of
        fills = _fills(weight_of.values())
        board = make_canvas(self.built.puzzle.grid, weight_of, widest=inf)
        drawn = sorted(weight_of, key=lambda a: board.shapes.drawn(a) == SEGMENT)  # sides lie on faces
        shapes = [(weight_of[a], board.corners(a, height)) for a in drawn for height in board.shapes.heights(a)]
        top = MARGIN + (LINE if title else 0.0)
        hidden = any(board.shapes.drawn(a) == HIDDEN for a in weight_of)
        legend = list(_swatches(weight_of, fills, self._notes(hidden=hidden), top + board.height + MARGIN))
        width = 2 * MARGIN + max(board.width, max((right for _, right, _ in legend), default=0.0), 7.5 * len(title))
        height = legend[-1][2] + LINE if legend else top + board.height + MARGIN
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
            ' font-family="DejaVu Sans, Verdana, sans-serif" text-anchor="middle">',
            f"<title>{escape(title or 'weights')}</title>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        ]
        if title:
            lines.append(f'<text x="{MARGIN}" y="{MARGIN + 8:.0f}" font-size="14" text-anchor="start">{escape(title)}</text>')
        move = np.array([MARGIN, top])
        for weight, points in shapes:
            lines.append(_shape(points + move, fills[weight], board.radius))
        for weight, points in shapes:
            x, y = points.mean(axis=0) + move
            lines.append(_label(x, y, _number(weight), ink(fills[weight]), 13.0))
        return "\n".join([*lines, *(element for element, _, _ in legend), "</svg>"]) + "\n"

    def words(self, title: str = "") -> list[str]:
        """Return the words in the picture, so that callers can translate them."""
        return [title, *map(_atoms, sorted({*Counter(self.weight_of.values()).values()})), *self._notes(hidden=True)]

    def _notes(self, *, hidden: bool) -> list[str]:
        """The notes below the legend."""
        notes: list[str] = [Sentence("sums modulo {modulus}", modulus=str(self.modulus))] if self.modulus else []
        notes += [Sentence("layers from the lowest to the highest")] if self.built.puzzle.grid.dimension == 3 else []
        notes += [Sentence("atoms where tiles must not cross are not drawn")] if hidden else []
        return notes


def _append(
    text: Text,
    grid: Grid,
    drawn: Mapping[AtomId, int],
    frame: Mapping[AtomId, int],
    fills: Mapping[int, str],
    signs: Mapping[int, str],
    *,
    whole_only: bool,
) -> None:
    """Append the picture of atoms. A site with one weight shows its sign, other sites show their glyph."""
    order = sorted(fills)
    wholes = {next(iter(site.glyphs)) for site in grid.layout.sites}
    colours = {a: order.index(w) for a, w in drawn.items()}
    for number, layer in enumerate(draw_picture(grid, colours, frame=[a for a in frame if grid.place_of(a) is not None])):
        if number:
            text.append("\n")
        for row in layer:
            line = Text()
            for glyph, first, behind in row:
                if first is None:
                    line.append(glyph)
                elif behind is None and (glyph in wholes or not whole_only):
                    line.append(signs[order[first]], style=f"{ink(fills[order[first]])} on {fills[order[first]]}")
                else:
                    ground = "" if behind is None else f" on {fills[order[behind]]}"
                    line.append(glyph, style=fills[order[first]] + ground)
            line.rstrip()
            text.append_text(line).append("\n")


def _faithful(grid: Grid, weight_of: Mapping[AtomId, int]) -> bool:
    """Return whether one glyph can show every site: it has one weight, or two weights and a glyph for the atoms of one of them."""
    sites: dict[object, dict[int, int]] = defaultdict(dict)
    glyphs_at: dict[object, Mapping[str, tuple[int, ...]]] = {}
    for a, w in weight_of.items():
        if (place := grid.place_of(a)) is not None:
            sites[place[0]][a[-1]] = w
            glyphs_at[place[0]] = place[1].glyphs
    for position, atoms in sites.items():
        shapes = {frozenset(meant) for meant in glyphs_at[position].values()}
        groups = {w: frozenset(a for a in atoms if atoms[a] == w) for w in atoms.values()}
        whole = frozenset(atoms) == frozenset(next(iter(glyphs_at[position].values())))
        if len(groups) > (2 if whole else 1) or not any(g in shapes for g in groups.values()):
            return False
    return True


def _legend(weight_of: Mapping[AtomId, int], fills: Mapping[int, str], signs: Mapping[int, str], modulus: int) -> Text:
    counts = Counter(weight_of.values())
    text = Text()
    for number, w in enumerate(sorted(fills)):
        text.append("   " if number else "")
        text.append(f" {signs[w]} ", style=f"{ink(fills[w])} on {fills[w]}")
        named = "" if signs[w] == _number(w) else f" weighs {_number(w)},"
        text.append(f"{named} {counts[w]} {'atom' if counts[w] == 1 else 'atoms'}")
    if modulus:
        text.append(f"   sums modulo {modulus}")
    return text.append("\n")


def _atoms(count: int) -> Sentence:
    return Sentence("{n} {n|atom|atoms}", n=str(count))


def _shape(points: Reals, fill: str, radius: float) -> str:
    if len(points) == 1:
        return f'<path d="{disc(points[0], radius)}" fill="{fill}" stroke="#444444" stroke-width="1"/>'
    if len(points) == 2:
        # shorter than the edge, because other edges meet its ends
        along = np.array([[1.0], [-1.0]]) * (points[1] - points[0])
        outer, inner = (" ".join(f"{x:.1f},{y:.1f}" for x, y in points + share * along) for share in (0.08, 0.11))
        return (
            f'<polyline points="{outer}" stroke="#444444" stroke-width="15"/><polyline points="{inner}" stroke="{fill}" stroke-width="13"/>'
        )
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{text}" fill="{fill}" stroke="#444444" stroke-width="1" stroke-linejoin="round"/>'


def _label(x: float, y: float, text: str, ink: str, size: float) -> str:
    fitting = min(size, size * 3 / len(text))
    return f'<text x="{x:.1f}" y="{y + fitting * 0.36:.1f}" font-size="{fitting:.1f}" fill="{ink}">{text}</text>'


def _swatches(
    weight_of: Mapping[AtomId, int], fills: Mapping[int, str], notes: list[str], top: float
) -> Iterator[tuple[str, float, float]]:
    """The elements of the legend, each with its right end and its upper edge; three weights in a line."""
    counts = Counter(weight_of.values())
    for number, w in enumerate(sorted(fills)):
        x, y = MARGIN + 130.0 * (number % 3), top + LINE * (number // 3)
        text = _atoms(counts[w])
        yield (
            (
                f'<rect x="{x}" y="{y}" width="26" height="18" rx="3" fill="{fills[w]}" stroke="#444444"/>'
                + _label(x + 13, y + 9, _number(w), ink(fills[w]), 12.0)
                + f'<text x="{x + 33}" y="{y + 14}" font-size="13" text-anchor="start">{text}</text>'
            ),
            x + 110.0,
            y,
        )
    below = top + LINE * ((len(fills) - 1) // 3 + 1)
    for number, note in enumerate(notes):
        y = below + LINE * number
        yield f'<text x="{MARGIN}" y="{y + 14}" font-size="13" text-anchor="start">{note}</text>', MARGIN + 7.5 * len(note), y


def _fills(weights: Iterable[int]) -> dict[int, str]:
    """A colour for each weight: grey for 0; one of the palette each if there are few, else shades from orange to blue."""
    different = sorted(set(weights))
    others = sorted((w for w in different if w), key=lambda w: (abs(w), w < 0))
    if len(different) <= MAX_NAMED:
        return {w: NOTHING if w == 0 else PALETTE[others.index(w)] for w in different}
    largest = max(map(abs, different))
    ends = {w: POSITIVE if w > 0 else NEGATIVE for w in different}
    return {w: "#" + "".join(f"{round(238 + (e - 238) * abs(w / largest)):02x}" for e in ends[w]) for w in different}


def _signs(weights: Iterable[int]) -> dict[int, str]:
    """One character for each weight: its digit if all weights have one digit, + · − for 1, 0 and −1, else letters."""
    different = sorted(set(weights))
    if all(0 <= w <= 9 for w in different):
        return {w: str(w) for w in different}
    if {*different} <= {-1, 0, 1}:
        return {w: {1: "+", 0: "·", -1: "−"}[w] for w in different}
    return {w: LATIN[(26 + i) % len(LATIN)] for i, w in enumerate(different)}


def _number(weight: int) -> str:
    return str(weight).replace("-", "−")
