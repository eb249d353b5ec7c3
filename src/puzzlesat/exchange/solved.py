"""Assemblies that come apart, in a file that BurrTools plays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from puzzlesat.counting.assemblies import Asked, Assembly
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.replay import first_fault
from puzzlesat.errors import NotSupportedError, PuzzleError, listed
from puzzlesat.files import write_bytes
from puzzlesat.formats.burrsolved import Stored, solved_text, stored_levels, stored_solutions
from puzzlesat.formats.xmpuzzle import packed
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.run import Outcome


def stored_words(instance: Instance) -> str | None:
    """Return which levels the file of a puzzle stores, and whether its ways apart hold when they are replayed; None where it has none."""
    levels = stored_levels(instance)
    if not levels:
        return None
    said = listed(f"{level} ({number:,})" for level, number in levels.items())
    try:
        ways = [one for one in stored_solutions(instance) if one.parting is not None]
    except PuzzleError as error:
        return f"{said}; not replayed: {error}"
    wrong = [fault for one in ways if (fault := _fault(instance, one)) is not None]
    if wrong:
        return f"{said}; {len(wrong):,} of {len(ways):,} fail when they are replayed: {wrong[0]}"
    return f"{said}; replayed" if ways else said


def _fault(instance: Instance, one: Stored) -> str | None:
    groups = [[i for i, (tile, _) in enumerate(one.pieces) if tile in names] for names in instance.together]
    return first_fault(instance.puzzle.grid, [tuple(sorted(atoms)) for _, atoms in one.pieces], one.parting, groups)


def check_for_burrtools(built: BuiltInstance, asked: Asked) -> None:
    """Raise NotSupportedError where a file for BurrTools is asked for, and it cannot say the puzzle."""
    if asked.for_burrtools is not None and asked.turns is not None:
        raise NotSupportedError("BurrTools knows no turns of pieces, so --turns and a file of BurrTools do not go together")
    if asked.for_burrtools is not None:
        solved_text(built, [], complete=False, seconds=0)


def write_for_burrtools(
    file: Path, built: BuiltInstance, asked: Asked, found: Sequence[Assembly], outcome: Sequence[Outcome], seconds: float
) -> None:
    """Write the puzzle with the assemblies that come apart. ``outcome`` has how the search for assemblies ended, where it did."""
    whole = asked.nth is None and any(one.complete for one in outcome) and all(each.apart is not None for each in found)
    rows = [(each.number, each.options, each.answer.parting) for each in sorted(found, key=lambda each: each.number)]
    write_bytes(file, packed(solved_text(built, rows, complete=whole, seconds=seconds)))
