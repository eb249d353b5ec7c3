"""Frontiers in files: those that do not fit into memory, and, now and then, one from which a run that was ended goes on."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from puzzlesat.arrays import Words
from puzzlesat.errors import PuzzleError
from puzzlesat.files import write_text
from puzzlesat.solvers.tally.merging import Frontier

NAMED = "frontier.json"
"""Tells which frontier is whole; it is written last."""


@dataclass(frozen=True)
class Folder:
    """The folder of one count; its name is made of all that the count depends on, so that what lies in it belongs to no other."""

    path: Path

    def frontier(self, position: int) -> Path:
        """Return the file of the frontier before a position."""
        return self.path / f"{position}.frontier"


def open_folder(disk: Path, fingerprint: str) -> Folder:
    """Return the folder of a count within the one for all. Raises PuzzleError where it cannot be made."""
    folder = Folder(disk / fingerprint[:24])
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(disk, error) from error
    return folder


def new_frontier(folder: Folder, position: int, words: int, rows: int) -> Frontier:
    """Return room for a frontier in a file, all of which is set aside at once. Raises PuzzleError where there is not so much."""
    path = folder.frontier(position)
    size = 8 * (1 + words) * rows
    try:
        with path.open("w+b") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)  # a mapped file that the disk has no room for ends the process
            else:
                file.truncate(size)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _unusable(folder.path, error, f" for a frontier of {size >> 20:,} MiB") from error
    return _mapped(path, words)


def drop_frontier(folder: Folder, position: int) -> None:
    """Remove the file of a frontier, if it has one and is not the one to go on from."""
    if (kept := _kept(folder)) is None or kept[0] != position:
        folder.frontier(position).unlink(missing_ok=True)


def keep_frontier(folder: Folder, position: int, frontier: Frontier) -> None:
    """Make the frontier before a position the one to go on from; it takes the place of an earlier one."""
    old, path = _kept(folder), folder.frontier(position)
    if not path.exists():
        stored = new_frontier(folder, position, len(frontier.ways), len(frontier.key))
        stored.key[:], stored.ways[:] = frontier
    try:
        with path.open("rb") as file:
            os.fsync(file.fileno())  # of mapped files as well, where files can be mapped
        write_text(folder.path / NAMED, json.dumps({"position": position, "words": len(frontier.ways)}))
    except OSError as error:
        raise _unusable(folder.path, error) from error
    if old is not None and old[0] != position:
        folder.frontier(old[0]).unlink(missing_ok=True)


def kept_frontier(folder: Folder) -> tuple[int, Frontier] | None:
    """Return the frontier to go on from, and its position."""
    kept = _kept(folder)
    return None if kept is None else (kept[0], _mapped(folder.frontier(kept[0]), kept[1]))


def remove_folder(folder: Folder) -> None:
    """Remove what a count that is done has left."""
    with suppress(OSError):
        shutil.rmtree(folder.path)


def _kept(folder: Folder) -> tuple[int, int] | None:
    try:
        said = json.loads((folder.path / NAMED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return said["position"], said["words"]


def _mapped(path: Path, words: int) -> Frontier:
    table: Words = np.asarray(np.memmap(path, dtype=np.uint64, mode="r+")).reshape(1 + words, -1)
    return Frontier(table[0], table[1:])


def _unusable(folder: Path, error: OSError, what: str = "") -> PuzzleError:
    return PuzzleError(f"{folder}: {error.strerror or error}{what}; name another folder with --disk")
