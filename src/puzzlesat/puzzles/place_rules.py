"""Rules on solutions that say how many tiles meet at some places of the form; a row of ``PLACE_RULES`` each.

From a row follow the key of a file, the option of a command, the items of the cover problem, the statement of a certificate, the words of
all pages in both languages, and how a page of a site judges solutions. A symmetry of the form takes the places of a rule to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from puzzlesat.base import Sentence

if TYPE_CHECKING:
    from puzzlesat.puzzles.grid import Grid

MOST_AT_A_POINT = 3
"""Tiles, where there are no crossroads."""


@dataclass(frozen=True)
class MeetingPlace:
    """A place of the form, where ``low`` to ``high`` tiles meet: those that cover an atom of each of some sets. None: any number."""

    name: str
    sets: Sequence[Sequence[int]]
    """Numbers of atoms."""
    low: int = 0
    high: int | None = None
    through: Collection[frozenset[int]] = ()
    """A tile that covers just these of the atoms does not count."""


class FormLayout(Protocol):
    """How the atoms of a form lie to each other, by their numbers."""

    def corners(self) -> Mapping[tuple[Fraction, ...], Sequence[int]]:
        """Return the points where faces have corners, each with its faces."""

    def straight_sticks(self) -> Mapping[tuple[Fraction, ...], Collection[frozenset[int]]]:
        """Return, for points, the sets of sticks that run straight through."""

    def dividing_lines(self) -> Sequence[tuple[str, Sequence[int], Sequence[int]]]:
        """Return the lines along which the form could fall in two: their names, and the faces on both sides."""


@dataclass(frozen=True)
class PlaceRule:
    """A rule on solutions that a puzzle has or has not."""

    words: Sentence
    """They follow "only solutions"."""
    label: str
    """What a page calls the rule as a choice."""
    german: tuple[str, str]
    """The words and the label in German."""
    help: str
    """The help of its option."""
    no_meaning: Callable[[Grid, bool], list[str]]
    """Takes a grid, and whether the form wraps around; returns why the rule has no meaning there, in sentences."""
    places: Callable[[FormLayout], Iterator[MeetingPlace]]
    stated: Mapping[str, Any] = field(default_factory=dict)
    """What a certificate says of it beside its name and its kind."""


def _only_in_the_plane(grid: Grid, _wraps: bool) -> list[str]:
    return ["in space four tiles meet at points everywhere; remove the key"] if grid.dimension != 2 or grid.of_balls else []


def _only_with_lines(grid: Grid, wraps: bool) -> list[str]:
    corners = min(len(atom.vertices) for atom in grid.atoms if atom.kind == grid.main_kind)
    over_sides = any(atom.kind != grid.main_kind and atom.role == "cover" for atom in grid.atoms)  # such as slots
    wrong = f"on grid {grid.name!r} no straight line lies between tiles; remove the key"
    return [wrong] * (corners <= grid.dimension or over_sides) + [NO_SEAMS] * wraps


NO_SEAMS = "this rule does not work on forms that wrap around; remove the key"


def _points(layout: FormLayout) -> Iterator[MeetingPlace]:
    points = {point: faces for point, faces in layout.corners().items() if len(faces) > MOST_AT_A_POINT}
    straight = layout.straight_sticks() if points else {}
    for point, faces in points.items():
        yield MeetingPlace(f"point {','.join(map(str, point))}", [faces], high=MOST_AT_A_POINT, through=straight.get(point, ()))


def _lines(layout: FormLayout) -> Iterator[MeetingPlace]:
    for name, below, beyond in layout.dividing_lines():
        yield MeetingPlace(name, [below, beyond], low=1)


PLACE_RULES: Mapping[str, PlaceRule] = {
    "no_crossroads": PlaceRule(
        words=Sentence("without crossroads (points where four tiles meet)"),
        label="without a point where four pieces meet",
        german=("ohne Kreuzungen: nirgends stoßen vier Teile in einem Punkt zusammen", "ohne Punkt, an dem vier Teile zusammenstoßen"),
        help="Only solutions without a point where four tiles meet.",
        no_meaning=_only_in_the_plane,
        places=_points,
        stated={"tiles": [], "colours": 0, "corners": False},
    ),
    "fault_free": PlaceRule(
        words=Sentence("without fault lines (straight lines that cut the form and no tile)"),
        label="without a straight line that cuts the form but no piece",
        german=(
            "ohne Bruchlinie: über jeder Linie, an der die Form auseinanderfallen könnte, liegt ein Teil",
            "ohne gerade Linie, die die Form zerschneidet, aber kein Teil",
        ),
        help="Only solutions without a straight line that cuts the whole form in two.",
        no_meaning=_only_with_lines,
        places=_lines,
    ),
}
