"""Writing certificates: a zip file with the puzzle, the solutions and the proof (``docs/certificate-file.md``)."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from puzzlesat.arrays import Records, Rows
from puzzlesat.check.archive import may_unpack
from puzzlesat.check.certificate import FORMAT, VERSION
from puzzlesat.check.solutions import Counts
from puzzlesat.files import new_archive
from puzzlesat.proof.case import Case, Kept
from puzzlesat.proof.removals import Removal


@dataclass
class Contents:
    """What a certificate says besides its puzzle; filled in as the proof is made."""

    kind: str
    counts: Counts | None = None
    kept: Kept | None = None
    removals: list[Removal] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


def new_certificate(path: Path) -> AbstractContextManager[ZipFile]:
    """Open a new zip file. What packs so well that the checker would not unpack it is stored as it is."""
    return new_archive(path, may_unpack)


def write_contents(archive: ZipFile, case: Case, contents: Contents) -> None:
    """Write what a certificate says, its puzzle first of all."""
    counts = contents.counts
    assert counts is not None
    said = {
        "format": FORMAT,
        "version": VERSION,
        "kind": contents.kind,
        "claim": {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct},
        "kept": None if contents.kept is None else contents.kept.as_json(),
        "removals": contents.removals,
        **contents.extra,
        "puzzle": case.stated,
    }
    archive.writestr("certificate.json", json.dumps(said, ensure_ascii=False, separators=(",", ":")))


def write_solutions(archive: ZipFile, contents: Contents, rows: Rows, options: int) -> None:
    """Write the solutions: for each the numbers of its placements, ascending; all ones pad it to the longest."""
    size = 2 if options < 0xFFFF else 4
    width = max(int((rows >= 0).sum(axis=1).max(initial=0)), 1)
    contents.extra |= {"solution_width": width, "solution_bytes": size}
    table = np.full((len(rows), width), -1, dtype=np.int64)
    table[:, : min(width, rows.shape[1])] = rows[:, :width]
    archive.writestr("solutions.bin", table.astype("<u2" if size == 2 else "<u4").tobytes())


def record_bytes(items: int) -> int:
    """Return how many bytes an item number of a tree takes."""
    return 1 if items <= 1 << 8 else 2 if items <= 1 << 16 else 4


def records_as_bytes(records: Records, size: int) -> bytes:
    """Return item numbers as they stand in a certificate."""
    return records.astype({1: "<u1", 2: "<u2", 4: "<u4"}[size]).tobytes()
