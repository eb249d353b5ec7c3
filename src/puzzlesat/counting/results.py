"""A file of results: a line of JSON for each result, written immediately and read by the next run."""

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
    """The first line of a file of results, which identifies them."""

    command: str
    """The command that makes the results."""
    kind: str
    """The subject of the results: "tiles" or "puzzle"."""
    name: str
    """The name of the subject, for messages."""
    fingerprint: str
    """A digest of tiles and rules."""

    @property
    def format(self) -> str:
        """The name of the format."""
        return f"puzzlesat {self.command}"

    @property
    def line(self) -> bytes:
        """The first line of the file."""
        return _line({"format": self.format, "version": VERSION, self.kind: self.name, "fingerprint": self.fingerprint})


class Results(Generic[Key]):
    """The results so far, in memory and optionally in a file.

    The file is only appended to, by whole lines; each line is on the disk before the next result is computed. Only the last line can be
    incomplete: a run that is killed while it writes loses this line alone, and the next run truncates it. A pipe or a device is written
    like a file, and nothing is read from it.
    """

    def __init__(self, command: str, kind: str, name: str, fingerprint: str, path: Path | None, key: Callable[[Record], Key]) -> None:
        """Read the results of the file, and open it to append. The first four parameters make its ``Heading``.

        ``key`` returns the key of a record, and raises KeyError, TypeError, ValueError or PuzzleError if the record is malformed. Raises
        PuzzleError if the file has other contents, and OSError if it cannot be read or written.
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
        """Store a result."""
        self.known[self._key(record)] = record
        if self.file is not None:
            self.file.append(_line(record))

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()


CURE = "the file is damaged; remove this line"


def _line(record: Mapping[str, Any]) -> bytes:
    """Return a line of the file. Parts of a file name that are not UTF-8 are written as JSON escapes."""
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def _record(line: bytes) -> Record | None:
    """Return the record of a line; None if it is not a JSON object."""
    try:
        record = json_of(line)
    except PuzzleError:
        return None
    return record if isinstance(record, dict) else None


def _strange(path: Path, heading: Heading) -> PuzzleError:
    return PuzzleError(f"{path}: not a file of results of '{heading.format}'; choose another file")
