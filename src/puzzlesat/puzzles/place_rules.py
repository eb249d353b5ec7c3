"""Rules on how many tiles meet at places of the form. Each rule is a row of ``PLACE_RULES``.

A row defines the key in a file, the option of a command, the items of the cover problem, the statement of a certificate, the words of all
pages in both languages, and the check of solutions on a page. Symmetries of the form must permute the places of a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from puzzlesat.base import Sentence

if TYPE_CHECKING:
    from puzzlesat.puzzles.grid import Grid

MAX_AT_A_POINT = 3
"""Most tiles at a point that is not a crossroads."""


@dataclass(frozen=True)
class MeetingPlace:
    """A place of the form where ``low`` to ``high`` tiles (None: any number) meet. A tile meets it if it covers an atom of each set."""

    name: str
    sets: Sequence[Sequence[int]]
    """Sets of numbers of atoms."""
    low: int = 0
    high: int | None = None
    through: Collection[frozenset[int]] = ()
    """A tile does not count if it covers exactly one of these sets of atoms at the place."""


class FormLayout(Protocol):
    """The contacts of the atoms of a form, by their numbers."""

    def corners(self) -> Mapping[tuple[Fraction, ...], Sequence[int]]:
        """Return the corners of faces, each with its faces."""

    def straight_sticks(self) -> Mapping[tuple[Fraction, ...], Collection[frozenset[int]]]:
        """Return for points the sets of sticks that pass straight through."""

    def dividing_lines(self) -> Sequence[tuple[str, Sequence[int], Sequence[int]]]:
        """Return the lines along which the form could fall in two: name, and the faces on both sides."""


@dataclass(frozen=True)
class PlaceRule:
    """A rule on solutions that a file states by ``true``."""

    words: Sentence
    """Words that follow "only solutions"."""
    label: str
    """The label of the rule as a choice on a page."""
    german: tuple[str, str]
    """The words and the label in German."""
    help: str
    """The help text of the command's option."""
    no_meaning: Callable[[Grid, bool], list[str]]
    """Takes a grid and whether the form wraps around; returns sentences that say why the rule has no meaning there."""
    places: Callable[[FormLayout], Iterator[MeetingPlace]]
    stated: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the rule in a certificate, besides its name and kind."""


def _only_in_the_plane(grid: Grid, _wraps: bool) -> list[str]:
    return ["in space four tiles meet at points everywhere; remove the key"] if grid.dimension != 2 or grid.of_balls else []


def _only_with_lines(grid: Grid, wraps: bool) -> list[str]:
    corners = min(len(atom.vertices) for atom in grid.atoms if atom.kind == grid.main_kind)
    over_sides = any(atom.kind != grid.main_kind and atom.role == "cover" for atom in grid.atoms)  # such as slots
    wrong = f"on grid {grid.name!r} no straight line lies between tiles; remove the key"
    return [wrong] * (corners <= grid.dimension or over_sides) + [NO_SEAMS] * wraps


NO_SEAMS = "this rule does not work on forms that wrap around; remove the key"


def _points(layout: FormLayout) -> Iterator[MeetingPlace]:
    points = {point: faces for point, faces in layout.corners().items() if len(faces) > MAX_AT_A_POINT}
    straight = layout.straight_sticks() if points else {}
    for point, faces in points.items():
        yield MeetingPlace(f"point {','.join(map(str, point))}", [faces], high=MAX_AT_A_POINT, through=straight.get(point, ()))


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
        places=lambda layout: (MeetingPlace(name, [below, beyond], low=1) for name, below, beyond in layout.dividing_lines()),
    ),
}
