"""Frontiers of a sweep: as many of their states in memory as there is room for, else in files, from which a run that was ended goes on."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from math import prod
from pathlib import Path

import numpy as np

from puzzlesat.arrays import Words
from puzzlesat.errors import PuzzleError
from puzzlesat.files import write_text
from puzzlesat.solvers.tally.merge import Frontier
from puzzlesat.solvers.tally.shapes import TooLargeError

KEPT = "frontier.json"
"""Tells which frontier is whole; it is written last."""


@dataclass(frozen=True)
class Folder:
    """The folder of one count; its name is made of all that the count depends on, so that what lies in it belongs to no other."""

    path: Path

    def files(self, place: int) -> tuple[Path, Path]:
        """Return the files of the frontier at a position: its states, and the ways to them."""
        return self.path / f"{place}.states", self.path / f"{place}.ways"


def open_folder(disk: Path, fingerprint: str) -> Folder:
    """Return the folder of a count within the one for all. Raises PuzzleError where it cannot be made."""
    folder = Folder(disk / fingerprint[:24])
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(disk, error) from error
    return folder


class Growing:
    """A frontier that is being made: it grows in memory, and goes into files where it gets larger than the room there is."""

    def __init__(self, room: int, limbs: int, folder: Folder | None, place: int) -> None:
        self.key, self.ways = np.empty(room, dtype=np.uint64), np.empty((room, limbs), dtype=np.uint64)
        self.folder, self.place = folder, place
        self.files: tuple[FileIO, ...] = ()
        self.made = 0

    def add(self, key: Words, ways: Words) -> None:
        """Append states. Raises TooLargeError where there is neither room nor a folder, PuzzleError where the folder cannot take them."""
        count = len(key)
        if not self.files and self.made + count <= len(self.key):
            self.key[self.made : self.made + count], self.ways[self.made : self.made + count] = key, ways
        elif self.folder is None:
            raise TooLargeError
        else:
            try:
                self._write(key, ways)
            except OSError as error:
                self.drop()
                raise _unusable(self.folder.path, error, f" for a frontier of more than {self.made:,} states") from error
        self.made += count

    def done(self) -> Frontier:
        """Return the frontier, in memory or as files that are read as if they were."""
        if not self.files:
            return Frontier(self.key[: self.made], self.ways[: self.made])
        limbs = self.ways.shape[1]
        self._close()
        assert self.folder is not None
        return _read(self.folder, self.place, limbs, self.made)

    def drop(self) -> None:
        """Remove what was written."""
        self._close()
        if self.folder is not None:
            drop_frontier(self.folder, self.place)

    def _write(self, key: Words, ways: Words) -> None:
        assert self.folder is not None
        if not self.files:
            states, numbers = self.folder.files(self.place)
            self.files = states.open("wb", buffering=0), numbers.open("wb", buffering=0)
            self._append(self.key[: self.made], self.ways[: self.made])
            self.key, self.ways = self.key[:0].copy(), self.ways[:0].copy()
        self._append(key, ways)

    def _append(self, *parts: Words) -> None:
        for file, part in zip(self.files, parts, strict=True):
            _write_whole(file, part)

    def _close(self) -> None:
        for file in self.files:
            file.close()
        self.files = ()


def drop_frontier(folder: Folder, place: int) -> None:
    """Remove the files of a frontier, if it has any and is not the one to go on from."""
    if (kept := _kept(folder)) is None or kept[0] != place:
        for path in folder.files(place):
            path.unlink(missing_ok=True)


def keep_frontier(folder: Folder, place: int, frontier: Frontier) -> None:
    """Make the frontier at a position the one to go on from, in the place of an earlier one."""
    old, paths = _kept(folder), folder.files(place)
    try:
        for path, part in zip(paths, frontier, strict=True):
            if path.exists():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            else:
                with path.open("wb", buffering=0) as file:
                    _write_whole(file, part)
                    os.fsync(file.fileno())
        states, limbs = frontier.ways.shape
        write_text(folder.path / KEPT, json.dumps({"place": place, "limbs": limbs, "states": states}))
    except OSError as error:
        drop_frontier(folder, place)
        raise _unusable(folder.path, error) from error
    if old is not None and old[0] != place:
        drop_frontier(folder, old[0])


def kept_frontier(folder: Folder) -> tuple[int, Frontier] | None:
    """Return the frontier to go on from, and its position."""
    kept = _kept(folder)
    return None if kept is None else (kept[0], _read(folder, *kept))


def remove_folder(folder: Folder) -> None:
    """Remove what a count that is done has left."""
    with suppress(OSError):
        shutil.rmtree(folder.path)


def _kept(folder: Folder) -> tuple[int, int, int] | None:
    try:
        said = json.loads((folder.path / KEPT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return said["place"], said["limbs"], said["states"]


def _write_whole(file: FileIO, part: Words) -> None:
    """Write all of an array to a file without a buffer: what cannot be written is known at once, and not when the file is closed."""
    rest = np.ascontiguousarray(part).reshape(-1).view(np.uint8).data
    while rest:
        rest = rest[file.write(rest) :]


def _read(folder: Folder, place: int, limbs: int, states: int) -> Frontier:
    keys, numbers = folder.files(place)
    if not states:  # nothing cannot be mapped
        return Frontier(np.empty(0, dtype=np.uint64), np.empty((0, limbs), dtype=np.uint64))
    return Frontier(_mapped(keys, (states,)), _mapped(numbers, (states, limbs)))


def _mapped(path: Path, shape: tuple[int, ...]) -> Words:
    if (size := path.stat().st_size) != 8 * prod(shape):
        raise PuzzleError(f"{path}: it has {size:,} bytes, not {8 * prod(shape):,}, so what was kept there is of no use; remove its folder")
    # as if it could be written to: for arrays that cannot, code would be compiled anew
    return np.asarray(np.memmap(path, dtype=np.uint64, mode="c", shape=shape))


def _unusable(folder: Path, error: OSError, what: str = "") -> PuzzleError:
    return PuzzleError(f"{folder}: {error.strerror or error}{what}; name another folder with --disk")
