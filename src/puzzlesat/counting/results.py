"""A file of results: a line of JSON for each result, written immediately and read by the next run."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from puzzlesat.base import PuzzleError, bytes_of, is_plain, json_of, open_to_append

VERSION = 1
Record = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)


class Results(Generic[Key]):
    """The results so far, in memory and optionally in a file.

    The file is only appended to, by whole lines; each line is on the disk before the next result is computed. Only the last line can be
    incomplete: a run that is killed while it writes loses this line alone, and the next run truncates it. A pipe or a device is written
    like a file, and nothing is read from it.
    """

    def __init__(self, command: str, kind: str, name: str, fingerprint: str, path: Path | None, key: Callable[[Record], Key]) -> None:
        """Read the results of the file, and open it to append.

        ``command`` makes the results; ``kind`` and ``name`` are their subject ("tiles" or "puzzle"), and ``fingerprint`` its digest.
        ``key`` returns the key of a record, and raises KeyError, TypeError, ValueError or PuzzleError if the record is malformed. Raises
        PuzzleError if the file has other contents, and OSError if it cannot be read or written.
        """
        self.known: dict[Key, Record] = {}
        """The last record of each key."""
        self.path = path
        self.file = None
        self._key, self._format, self._kind = key, f"puzzlesat {command}", kind
        if path is None:
            return
        first = {"format": self._format, "version": VERSION, kind: name, "fingerprint": fingerprint}
        text = bytes_of(path) if is_plain(path) and path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if not whole and not _line(first).startswith(text):
            raise self._strange(path)
        if whole:
            self._read(first, path, whole.splitlines())
        self.file = open_to_append(path)
        if len(whole) < len(text):
            self.file.truncate(len(whole))
        if not whole:
            self.file.append(_line(first))

    def _strange(self, path: Path) -> PuzzleError:
        return PuzzleError(f"{path}: not a file of results of '{self._format}'; choose another file")

    def _read(self, expected: Record, path: Path, lines: list[bytes]) -> None:
        first, kind = _record(lines[0]), self._kind
        if first is None or first.get("format") != self._format:
            raise self._strange(path)
        if first.get("version") != VERSION:
            raise PuzzleError(f"{path}: written by another version of puzzlesat; choose another file")
        if first.get("fingerprint") != expected["fingerprint"]:
            other, now = ("another puzzle", "is now") if kind == "puzzle" else ("other tiles or rules", "has now")
            results = f"results for {other} ({first.get(kind)}) than {expected[kind]} {now}"
            raise PuzzleError(f"{path}: these are {results}; choose another file, or remove this one")
        for number, line in enumerate(lines[1:], start=2):
            if (record := _record(line)) is None:
                raise PuzzleError(f"{path}: line {number}: not a line of results; {CURE}")
            try:
                self.known[self._key(record)] = record
            except (KeyError, TypeError, ValueError, PuzzleError):
                raise PuzzleError(f"{path}: line {number}: not a result of '{self._format}'; {CURE}") from None

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
