"""The file of results: one line of JSON a form, written as soon as it is known, read again by the next run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlesat.candidates.kit import Kit
from puzzlesat.config.files import bytes_of, json_of
from puzzlesat.errors import PuzzleError
from puzzlesat.files import Named, append_line, is_plain, open_to_append

VERSION = 1
Record = dict[str, Any]


class Results:
    """What is known of forms so far, in memory and, where there is one, in a file.

    This file is no new one: it grows by whole lines, each on the disk before the next form is tried. Each line is complete or it is the
    last one: a run that is killed while it writes loses no more than that line, which the next run takes away. Into a pipe or a device
    the lines go as into a file, and nothing is known.
    """

    def __init__(self, kit: Kit, path: Path | None, command: str = "forms") -> None:
        self.format = f"puzzlesat {command}"
        """Whose results they are."""
        self.known: dict[str, Record] = {}
        """The last record of each form, by its key."""
        self.file: Named | None = None
        if path is None:
            return
        header = _line({"format": self.format, "version": VERSION, "tiles": kit.title, "fingerprint": kit.fingerprint})
        text = bytes_of(path) if is_plain(path) and path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if not whole and not header.startswith(text):
            raise PuzzleError(f"{path}: not a file of results of '{self.format}'; name another file")
        if whole:
            self._read(kit, path, whole)
        self.file = open_to_append(path)
        if len(whole) < len(text):
            self.file.truncate(len(whole))
        if not whole:
            append_line(self.file, header)

    def _read(self, kit: Kit, path: Path, text: bytes) -> None:
        lines = text.splitlines()
        first = _record(path, 1, lines[0])
        if first.get("format") != self.format:
            raise PuzzleError(f"{path}: not a file of results of '{self.format}'; name another file")
        if first.get("version") != VERSION:
            raise PuzzleError(f"{path}: written by another version of puzzlesat; name another file")
        if first.get("fingerprint") != kit.fingerprint:
            raise PuzzleError(
                f"{path}: these are results for other tiles or rules ({first.get('tiles')}) than {kit.title} has now; "
                "name another file, or take this one away"
            )
        for number, line in enumerate(lines[1:], start=2):
            record = _record(path, number, line)
            if not isinstance(record.get("key"), str):
                raise PuzzleError(f"{path}: line {number}: it has no key; the file is damaged, take this line out")
            self.known[record["key"]] = record

    def add(self, record: Record) -> None:
        """Keep what was found out about a form."""
        self.known[record["key"]] = record
        if self.file is not None:
            append_line(self.file, _line(record))

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()


def _line(record: Mapping[str, Any]) -> bytes:
    """A line of the file; what of the name of a file is no text in UTF-8 is written as JSON escapes it."""
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def _record(path: Path, number: int, line: bytes) -> Record:
    try:
        record = json_of(line)
    except PuzzleError:
        record = None
    if not isinstance(record, dict):
        raise PuzzleError(f"{path}: line {number}: not a line of results; the file is damaged, take this line out")
    return record
