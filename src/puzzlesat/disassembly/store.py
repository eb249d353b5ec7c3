"""The file of a run: a line of JSON for each assembly as soon as it is decided, read again by the next run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from puzzlesat.config.files import bytes_of, json_of
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.record import Record, answer_of
from puzzlesat.errors import PuzzleError
from puzzlesat.files import Named, append_line, is_plain, open_to_append

FORMAT, VERSION = "puzzlesat apart", 1


class Store:
    """What is known of the assemblies of a puzzle, in memory and, where there is one, in a file that grows by whole lines.

    A last line that is none, as a run that was killed leaves it, is taken away.
    """

    def __init__(self, built: BuiltInstance, path: Path | None) -> None:
        self.known: dict[tuple[str, ...], Record] = {}
        """By the names of the placements."""
        self.file: Named | None = None
        if path is None:
            return
        self._path = path
        head = {"format": FORMAT, "version": VERSION, "puzzle": built.instance.name, "fingerprint": _fingerprint(built)}
        text = bytes_of(path) if is_plain(path) and path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if text and not whole and not _line(head).startswith(text):
            raise self._strange()
        if whole:
            self._read(head, whole.splitlines())
        self.file = open_to_append(path)
        if len(whole) < len(text):
            self.file.truncate(len(whole))
        if not whole:
            append_line(self.file, _line(head))

    def _read(self, head: Mapping[str, Any], lines: Sequence[bytes]) -> None:
        first = self._object(1, lines[0])
        if first.get("format") != FORMAT or first.get("version") != VERSION:
            raise self._strange()
        if first.get("fingerprint") != head["fingerprint"]:
            raise PuzzleError(f"{self._path}: it is of another puzzle ({first.get('puzzle')}); name another file, or take this one away")
        for number, line in enumerate(lines[1:], start=2):
            record = self._object(number, line)
            try:
                answer_of(record)
                self.known[tuple(map(str, record["placements"]))] = record
            except (KeyError, TypeError, PuzzleError):
                raise PuzzleError(f"{self._path}: line {number}: no assembly; the file is damaged, take this line out") from None

    def _object(self, number: int, line: bytes) -> Record:
        try:
            found = json_of(line)
        except PuzzleError:
            found = None
        if not isinstance(found, dict):
            raise PuzzleError(f"{self._path}: line {number}: no line of results; the file is damaged, take this line out")
        return found

    def _strange(self) -> PuzzleError:
        return PuzzleError(f"{self._path}: no file that this version of 'puzzlesat apart' has written; name another one")

    def add(self, record: Record) -> None:
        """Keep what was found out about an assembly."""
        self.known[tuple(record["placements"])] = record
        if self.file is not None:
            append_line(self.file, _line(record))

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()


def _fingerprint(built: BuiltInstance) -> str:
    """What stands for the pieces and where they may lie, and for what may stay together."""
    grid, placements = built.puzzle.grid, built.placements
    said = [grid.name, str(grid.gram), str(placements.puzzle.form.numbering.atoms), str([sorted(g) for g in built.instance.together])]
    found = hashlib.sha256("\n".join([*said, *built.problem.options]).encode())
    found.update(placements.atoms.start.tobytes() + placements.atoms.numbers.tobytes())
    return found.hexdigest()[:16]


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
