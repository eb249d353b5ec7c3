"""Columns in files, for data that do not fit into memory, and checkpoints of interrupted runs.

Columns are written once, from front to end. A file gets its name when it is complete (see ``new_file``), and a checkpoint is written after
the files that it names. So a run that is killed at any moment leaves its last checkpoint and the files named there, and the next run of the
same problem continues from it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from puzzlesat.base import new_file, write_file
from puzzlesat.kernels import digest

RESERVE = 1 << 28
"""Bytes of a disk that are left free."""
CHECKPOINT = "checkpoint.json"


class DiskFullError(Exception):
    """The disk has no room for data that do not fit into memory."""


@dataclass(frozen=True)
class Disk:
    """A folder for one problem, and the limit of its size."""

    folder: Path
    most: int | None
    """Bytes; None: the free space of the disk."""

    def checkpoint(self) -> dict[str, Any] | None:
        """Return the last checkpoint; None if there is none, or if it cannot be used."""
        try:
            state = json.loads((self.folder / CHECKPOINT).read_text(encoding="utf-8"))
            return state if all((self.folder / name).stat().st_size == size for name, size in state["files"].items()) else None
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return None

    def save(self, names: Iterable[str], **state: object) -> None:
        """Write a checkpoint that needs the named files, and remove all other files."""
        files = {name: (self.folder / name).stat().st_size for name in names}
        write_file(self.folder / CHECKPOINT, json.dumps({"files": files, **state}))
        for file in self.folder.iterdir():
            if file.name not in files and file.name != CHECKPOINT:
                with suppress(OSError):  # it is in use, and this system does not remove files in use
                    file.unlink()

    def forget(self) -> None:
        """Remove the folder and its files."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def mapped(self, name: str, like: np.ndarray, entries: int) -> np.ndarray:
        """Return a column in a file as an array, with rows like those of another array."""
        shape = (entries, *like.shape[1:])
        return np.memmap(self.folder / name, like.dtype, "c", shape=shape) if entries else np.empty(shape, like.dtype)

    def taken(self) -> int:
        """Return the total size of the files in the folder, in bytes."""
        return sum(file.stat().st_size for file in self.folder.iterdir())


def disk_for(folder: Path, most: int | None, *problem: np.ndarray) -> Disk:
    """Return the ``Disk`` of a problem that consists of these arrays, in a folder.

    Its place depends on the problem and on the sources of the program, so data of another problem or another version are never used. Raises
    OSError if nothing can be written there.
    """
    name = hashlib.sha256(digest(f"{__package__}.solve").encode())
    for array in problem:
        name.update(f"{array.dtype} {array.shape} ".encode())
        name.update(np.ascontiguousarray(array).data)
    place = folder / f"tally-{name.hexdigest()[:16]}"
    place.mkdir(parents=True, exist_ok=True)
    return Disk(place, most)


def file_of(column: np.ndarray) -> str | None:
    """Return the name of the file of a column; None for a column in memory."""
    path = column.filename if isinstance(column, np.memmap) else None
    return None if path is None else Path(str(path)).name


def in_memory(*columns: np.ndarray) -> int:
    """Return the bytes of the columns in memory."""
    return sum(column.nbytes for column in columns if not isinstance(column, np.memmap) or file_of(column) is None)


class Pile:
    """Columns of equal length that grow at their end, in memory."""

    def __init__(self, room: int, like: Sequence[np.ndarray]) -> None:
        self.columns = [np.empty((room, *column.shape[1:]), dtype=column.dtype) for column in like]
        self.room = room
        self.entries = 0

    def add(self, *parts: np.ndarray) -> None:
        """Add the same number of entries to each column."""
        for column, part in zip(self.columns, parts, strict=True):
            column[self.entries : self.entries + len(part)] = part
        self.entries += len(parts[0])

    def close(self) -> None:
        """Drop the room that was not needed."""
        self.columns = [column[: self.entries] for column in self.columns]


class PileOfFiles(Pile):
    """Columns of equal length that grow at their end, in files. ``close`` maps them as arrays."""

    def __init__(self, disk: Disk, names: Sequence[str], files: Sequence[BinaryIO], like: Sequence[np.ndarray]) -> None:
        super().__init__(0, like)
        self.disk, self.names, self.files = disk, names, files
        self.room = np.iinfo(np.int64).max
        self.left = np.inf if disk.most is None else disk.most - disk.taken()

    def add(self, *parts: np.ndarray) -> None:
        """Add the same number of entries to each column. Raises DiskFullError."""
        size = sum(part.nbytes for part in parts)
        self.left -= size
        if min(self.left, shutil.disk_usage(self.disk.folder).free - size - RESERVE) < 0:
            raise DiskFullError(
                f"there is no space left at {self.disk.folder}; finished work is kept there; free some space and start again to resume"
            )
        for file, part in zip(self.files, parts, strict=True):
            file.write(np.ascontiguousarray(part).data)
        self.entries += len(parts[0])

    def close(self) -> None:
        """Map the files as arrays; the files have their names by now."""
        self.columns = [self.disk.mapped(name, like, self.entries) for name, like in zip(self.names, self.columns, strict=True)]


@contextmanager
def pile(room: int, like: Sequence[np.ndarray], *, disk: Disk | None = None, name: str = "") -> Iterator[Pile]:
    """Open a pile of columns like others: in memory, with room for ``room`` entries, or, with a disk, in files ``NAME.0``, ``NAME.1``, ….

    It is closed at the end of the block. If an exception ends the block, no file stays.
    """
    if disk is None:
        found = Pile(room, like)
        yield found
    else:
        names = [f"{name}.{i}" for i in range(len(like))]
        with _files([disk.folder / file_name for file_name in names]) as files:
            found = PileOfFiles(disk, names, files, like)
            yield found
    found.close()


@contextmanager
def _files(paths: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """Open several new files."""
    if not paths:
        yield []
        return
    with new_file(paths[0]) as file, _files(paths[1:]) as others:
        yield [file, *others]
