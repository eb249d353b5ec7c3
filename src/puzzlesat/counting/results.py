"""A file of results: one line of JSON for each result, written at once and read again by the next run."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from puzzlesat.base import PuzzleError, is_plain, open_to_append
from puzzlesat.puzzles import bytes_of, json_of

VERSION = 1
Record = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Heading:
    """The first line of a file of results: whose results they are."""

    command: str
    """Whose results they are."""
    kind: str
    """What the command was asked about: "tiles" or a "puzzle"."""
    name: str
    """Its name for messages."""
    fingerprint: str
    """Equal for equal tiles and rules only."""

    @property
    def format(self) -> str:
        """The name of the format."""
        return f"puzzlesat {self.command}"

    @property
    def line(self) -> bytes:
        """The first line of the file."""
        return _line({"format": self.format, "version": VERSION, self.kind: self.name, "fingerprint": self.fingerprint})


class Results(Generic[Key]):
    """The results so far, in memory and perhaps in a file.

    This file is no new one: it grows by whole lines, each on the disk before the next result is looked for. Each line is complete or it
    is the last one: a run that is killed while it writes loses no more than that line, which the next run takes away. Into a pipe or a
    device the lines go as into a file, and nothing is known.
    """

    def __init__(self, command: str, kind: str, name: str, fingerprint: str, path: Path | None, key: Callable[[Record], Key]) -> None:
        """Read what the file knows, and open it to go on. The first four are those of its ``Heading``.

        ``key`` says what a record is about; it raises KeyError, TypeError, ValueError or PuzzleError for what is no record. Raises
        PuzzleError for a file of something else, and OSError for what cannot be read or written.
        """
        heading = Heading(command, kind, name, fingerprint)
        self.known: dict[Key, Record] = {}
        """The last record of each key."""
        self.path = path
        self._key = key
        if path is None:
            self.file = None
            return
        text = bytes_of(path) if is_plain(path) and path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if not whole and not heading.line.startswith(text):
            raise _strange(path, heading)
        if whole:
            self._read(heading, path, whole.splitlines())
        self.file = open_to_append(path)
        if len(whole) < len(text):
            self.file.truncate(len(whole))
        if not whole:
            self.file.append(heading.line)

    def _read(self, heading: Heading, path: Path, lines: list[bytes]) -> None:
        first = _record(lines[0])
        if first is None or first.get("format") != heading.format:
            raise _strange(path, heading)
        if first.get("version") != VERSION:
            raise PuzzleError(f"{path}: written by another version of puzzlesat; choose another file")
        if first.get("fingerprint") != heading.fingerprint:
            other, now = ("another puzzle", "is now") if heading.kind == "puzzle" else ("other tiles or rules", "has now")
            raise PuzzleError(
                f"{path}: these are results for {other} ({first.get(heading.kind)}) than {heading.name} {now}; "
                "choose another file, or remove this one"
            )
        for number, line in enumerate(lines[1:], start=2):
            if (record := _record(line)) is None:
                raise PuzzleError(f"{path}: line {number}: not a line of results; {CURE}")
            try:
                self.known[self._key(record)] = record
            except (KeyError, TypeError, ValueError, PuzzleError):
                raise PuzzleError(f"{path}: line {number}: not a result of '{heading.format}'; {CURE}") from None

    def add(self, record: Record) -> None:
        """Keep a result."""
        self.known[self._key(record)] = record
        if self.file is not None:
            self.file.append(_line(record))

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()


CURE = "the file is damaged; remove this line"


def _line(record: Mapping[str, Any]) -> bytes:
    """A line of the file. Parts of a file name that are not UTF-8 are written as JSON escapes."""
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def _record(line: bytes) -> Record | None:
    """The record of a line; None if it is not an object."""
    try:
        record = json_of(line)
    except PuzzleError:
        return None
    return record if isinstance(record, dict) else None


def _strange(path: Path, heading: Heading) -> PuzzleError:
    return PuzzleError(f"{path}: not a file of results of '{heading.format}'; choose another file")
