"""Rules on solutions as the command line says them: what would stand in the table ``solutions`` of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from puzzlesat.errors import PuzzleError


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
