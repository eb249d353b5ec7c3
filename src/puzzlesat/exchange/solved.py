"""Assemblies that come apart, in a file that BurrTools plays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from puzzlesat.counting.assemblies import Asked, Assembly
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.files import write_bytes
from puzzlesat.formats.burrsolved import solved_text
from puzzlesat.formats.xmpuzzle import packed
from puzzlesat.solvers.run import Outcome


def check_for_burrtools(built: BuiltInstance, asked: Asked) -> None:
    """Raise NotSupportedError where a file for BurrTools is asked for, and it cannot say the puzzle."""
    if asked.for_burrtools is not None:
        solved_text(built, [], complete=False, seconds=0)


def write_for_burrtools(
    file: Path, built: BuiltInstance, asked: Asked, found: Sequence[Assembly], outcome: Sequence[Outcome], seconds: float
) -> None:
    """Write the puzzle with the assemblies that come apart. ``outcome`` has how the search for assemblies ended, where it did."""
    whole = asked.nth is None and any(one.complete for one in outcome) and all(each.apart is not None for each in found)
    rows = [(each.number, each.options, each.answer.parting) for each in sorted(found, key=lambda each: each.number)]
    write_bytes(file, packed(solved_text(built, rows, complete=whole, seconds=seconds)))
