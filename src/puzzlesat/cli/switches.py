"""Rules on solutions as the command line says them: what would stand in the table ``solutions`` of a file.

What the commands that count were told: the options of the command line, and the plan that they make.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from puzzlesat.base import Clock, Limits, Progress, PuzzleError
from puzzlesat.cli.working import Bounds
from puzzlesat.counting import CERTIFICATE, COUNTING, Plan, check_counting
from puzzlesat.puzzles import Condition, Instance, build_instance
from puzzlesat.solvers import names_of


@dataclass(frozen=True)
class Rules:
    """The options of the command line, as they were given."""

    no_crossroads: bool = False
    fault_free: bool = False
    symmetric: Sequence[str] = ()
    symmetric_outline: Sequence[str] = ()
    colours: int | None = None
    touch_border: str | None = None
    inside: str | None = None
    apart: Sequence[str] = ()
    strictly: bool = False
    forbidden: Sequence[str] = ()
    one_of: Sequence[str] = ()
    holds: Sequence[str] = ()

    def table(self) -> dict[str, Any]:
        """Return the keys of the table and their values, of those that were given. Raises PuzzleError for what cannot be read."""
        said = {
            "no_crossroads": self.no_crossroads,
            "fault_free": self.fault_free,
            "symmetric": list(self.symmetric),
            "symmetric_outline": [_outline(text) for text in self.symmetric_outline],
            "colours": self.colours,
            "touch_border": None if self.touch_border is None else _tiles("--touch-border", self.touch_border),
            "inside": None if self.inside is None else _tiles("--inside", self.inside),
            "apart": [_names(text) for text in self.apart],
            "strictly": self.strictly,
            "forbidden": list(self.forbidden),
            "one_of": [_names(text) for text in self.one_of],
            "holds": [_holds(text) for text in self.holds],
        }
        return {key: value for key, value in said.items() if value}


def rules_said(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table that the options of a command say: those with the names of ``Rules``, each None or as it was given.

    Raises PuzzleError for what cannot be read.
    """
    given = {field.name: options[field.name] for field in fields(Rules)}
    return Rules(**{name: value for name, value in given.items() if value is not None}).table()


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
        return Bounds(self.time, self.memory, self.cpu, self.disk, self.disk_space)

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the solvers, the one that counts first. Raises PuzzleError for one that does not exist."""
        names = COUNTING if self.solver is None else names_of(self.solver)
        check_counting(names)
        return (names[0], CERTIFICATE, *names[1:]) if self.proved and CERTIFICATE not in names else names

    def plan(self, instance: Instance | None, limits: Limits, progress: Progress) -> Plan:
        """Return the plan for one instance, or for a cover problem (None). Raises PuzzleError for a solver that does not exist."""
        return Plan(
            self.solvers, self.budget, self.full, not self.no_symmetry, not self.no_parity, not self.no_reduction, self.transformed,
            self._conditions(instance, limits, progress), limits, self.proved,
        )  # fmt: skip

    def _conditions(self, instance: Instance | None, limits: Limits, progress: Progress) -> tuple[Condition, ...]:
        if not self.colouring or instance is None:
            return ()
        from puzzlesat.proofs import found_conditions

        built = build_instance(instance, progress=progress, memory=limits.memory)
        progress.of("colourings")({})
        return found_conditions(built, Clock(limits).left)
