"""Rules on solutions as the command line says them: what would stand in the table ``solutions`` of a file.

What the commands that count were told: the options of the command line, and the plan that they make.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ForwardRef, TypedDict

from puzzlesat.base import Clock, Limits, Progress, PuzzleError
from puzzlesat.puzzles import PLACE_RULES

if TYPE_CHECKING:
    from puzzlesat.cli.working import Bounds
    from puzzlesat.counting import Plan
    from puzzlesat.puzzles import Condition, Instance


class RuleOptions(TypedDict, total=False):
    """Rules on solutions, as the command line states them.

    Parameters
    ----------
    symmetric
        Only solutions that look the same after this symmetry, such as 'turn 180'.
    symmetric_outline
        Only solutions in which these tiles together keep their outline after the symmetry, such as 'F,I: turn 180'.
    colours
        Only solutions that can be coloured with N colours such that touching tiles differ.
    touch_border
        Only solutions in which each of these tiles (or 'all') touches the border.
    inside
        Only solutions in which none of these tiles touches the border.
    apart
        Only solutions in which these tiles do not touch each other.
    strictly
        With ``apart`` and ``colours``: tiles also touch at corners.
    forbidden
        Only solutions without this placement, such as F.3@4.1.
    one_of
        Only solutions with one of these placements, separated by commas.
    holds
        Only solutions in which each of these tiles covers N atoms of a colour of the form, such as 'F,I: 1 red'.

    """

    symmetric: Sequence[str]
    symmetric_outline: Sequence[str]
    colours: int | None
    touch_border: str | None
    inside: str | None
    apart: Sequence[str]
    strictly: bool
    forbidden: Sequence[str]
    one_of: Sequence[str]
    holds: Sequence[str]


RuleOptions.__doc__ = (RuleOptions.__doc__ or "").replace(
    "----------\n", "----------\n" + "".join(f"    {key}\n        {rule.help}\n" for key, rule in PLACE_RULES.items())
)
RuleOptions.__annotations__ |= dict.fromkeys(PLACE_RULES, ForwardRef("bool"))


def rules_said(options: RuleOptions) -> dict[str, Any]:
    """Return the table ``solutions`` of a file that says these rules. Raises PuzzleError for what cannot be read."""
    given = {key: value for key, value in options.items() if value or value == ""}
    return {key: READ[key](value) if key in READ else value for key, value in given.items()}


def _names(text: str) -> list[str]:
    return [name for name in re.split(r"[,\s]+", text) if name]


def _tiles(option: str, text: str) -> list[str] | str:
    if not (names := _names(text)):
        raise PuzzleError(f"{option} {text!r}: expected tiles such as 'F,I', or 'all'")
    return "all" if names == ["all"] else names


def _outline(text: str) -> dict[str, Any]:
    tiles, colon, under = text.partition(":")
    if not colon:
        raise PuzzleError(f"--symmetric-outline {text!r}: expected tiles and a symmetry of the form, such as 'F,I: turn 180'")
    return {"tiles": _names(tiles), "under": under.strip()}


def _holds(text: str) -> dict[str, Any]:
    found = re.fullmatch(r"(?:(?P<tiles>[^:]+):)?\s*(?P<low>[0-9]{1,9})(?:-(?P<high>[0-9]{1,9}))?\s+(?P<colour>\S+)\s*", text)
    if found is None:
        raise PuzzleError(f"--holds {text!r}: expected a number of atoms and a colour of the form, such as '1 red', or 'F,I: 0-2 red'")
    low, high = int(found["low"]), int(found["high"] or found["low"])
    return {"tiles": _tiles("--holds", found["tiles"] or "all"), "colour": found["colour"], "between": [low, high]}


READ: Mapping[str, Callable[[Any], Any]] = {
    "symmetric_outline": lambda texts: [_outline(text) for text in texts],
    "touch_border": partial(_tiles, "--touch-border"),
    "inside": partial(_tiles, "--inside"),
    "apart": lambda texts: [_names(text) for text in texts],
    "one_of": lambda texts: [_names(text) for text in texts],
    "holds": lambda texts: [_holds(text) for text in texts],
}
"""How rules are read whose option is a text."""


@dataclass(frozen=True)
class Switches:
    """The options of the command line, as they were given."""

    solver: str | None = None
    budget: float | None = None
    full: bool = False
    transformed: bool = False
    no_symmetry: bool = False
    no_parity: bool = False
    no_reduction: bool = False
    time: float | None = None
    limit: int | None = None
    memory: float | None = None
    colouring: bool = False
    cpu: bool = False
    disk: Path | None = None
    disk_space: float | None = None
    proved: bool = False

    @property
    def bounds(self) -> Bounds:
        """What the work on one puzzle may take."""
        from puzzlesat.cli.working import Bounds

        return Bounds(self.time, self.memory, self.cpu, self.disk, self.disk_space)

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the solvers, the one that counts first. Raises PuzzleError for one that does not exist."""
        from puzzlesat.counting import CERTIFICATE, COUNTING, check_counting
        from puzzlesat.solvers import names_of

        names = COUNTING if self.solver is None else names_of(self.solver)
        check_counting(names)
        return (names[0], CERTIFICATE, *names[1:]) if self.proved and CERTIFICATE not in names else names

    def plan(self, instance: Instance | None, limits: Limits, progress: Progress) -> Plan:
        """Return the plan for one instance, or for a cover problem (None). Raises PuzzleError for a solver that does not exist."""
        from puzzlesat.counting import Plan

        return Plan(
            self.solvers, self.budget, self.full, not self.no_symmetry, not self.no_parity, not self.no_reduction, self.transformed,
            self._conditions(instance, limits, progress), limits, self.proved,
        )  # fmt: skip

    def _conditions(self, instance: Instance | None, limits: Limits, progress: Progress) -> tuple[Condition, ...]:
        if not self.colouring or instance is None:
            return ()
        from puzzlesat.proofs import found_conditions
        from puzzlesat.puzzles import build_instance

        built = build_instance(instance, progress=progress, memory=limits.memory)
        progress.of("colourings")({})
        return found_conditions(built, Clock(limits).left)
