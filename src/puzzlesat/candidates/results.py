"""The file of results for a set of tiles: one line of JSON a form, or whatever else is tried with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from puzzlesat.candidates.kit import Kit
from puzzlesat.config.results import Heading, Record, Results


def open_results(kit: Kit, path: Path | None, command: str, check: Callable[[Record], None] = lambda _: None) -> Results[str]:
    """Return what is known of some tiles by the ``key`` of each record, from the file of a command, if there is one.

    ``check`` raises KeyError, TypeError, ValueError or PuzzleError for a record that the command cannot have written.
    """

    def key(record: Record) -> str:
        if not isinstance(record["key"], str):
            raise TypeError
        check(record)
        return record["key"]

    return Results(Heading(command, "tiles", kit.title, kit.fingerprint), path, key)
