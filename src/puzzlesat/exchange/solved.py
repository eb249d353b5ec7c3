"""Assemblies that come apart, in a file that BurrTools plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from puzzlesat.counting.assemblies import Asked, Assembly
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.firstfound import first_found, takes_apart
from puzzlesat.disassembly.replay import first_fault
from puzzlesat.errors import NotSupportedError, PuzzleError, listed
from puzzlesat.files import write_bytes
from puzzlesat.formats.burrsolved import Stored, solved_text, stored_levels, stored_solutions
from puzzlesat.formats.xmpuzzle import packed
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.run import Clock, Outcome, limits_of

STORED_SECONDS = 10.0
"""So long the levels of stored solutions are worked out, at most."""


def stored_words(built: BuiltInstance) -> str | None:
    """Return which levels the file of a puzzle stores, and whether they hold; None where it has none.

    Its ways apart are replayed, and BurrTools' level of each assembly is worked out once more.
    """
    instance = built.instance
    levels = stored_levels(instance)
    if not levels:
        return None
    said = listed(f"{level} ({number:,})" for level, number in levels.items())
    try:
        stored = stored_solutions(instance)
    except PuzzleError as error:
        return f"{said}; not replayed: {error}"
    ways = [one for one in stored if one.parting is not None]
    wrong = [fault for one in ways if (fault := _fault(instance, one)) is not None]
    if wrong:
        return f"{said}; {len(wrong):,} of {len(ways):,} fail when they are replayed: {wrong[0]}"
    return "; ".join([said, *(["replayed"] if ways else []), *_worked_out(built, stored, levels.total())])


def _worked_out(built: BuiltInstance, stored: Sequence[Stored], levels: int) -> Iterator[str]:
    """Say whether the stored levels, which are so many, are those that the first ways apart have in BurrTools' order."""
    if not takes_apart(built.puzzle.grid):
        return
    clock = Clock(limits_of(STORED_SECONDS, None, cpu=False).begun())
    option = _options(built)
    same, others = 0, list[str]()
    for one in stored:
        row = [o for tile, atoms in one.pieces if (o := option(tile, atoms)) is not None]
        if one.level is None or len(row) < len(one.pieces) or clock.verdict(-1) is not None:
            continue
        found = first_found(built, row, clock.rest())
        if found is not None and found.level == one.level:
            same += 1
        elif found is not None:
            others.append(f"{found.level} instead of {one.level}")
    if others:
        yield f"BurrTools' order of moves gives others here, for {len(others):,} of {same + len(others):,}: {listed(others, 3)}"
    elif same:
        yield f"BurrTools' order of moves gives the same here{'' if same == levels else f', for {same:,} of {levels:,}'}"


def _options(built: BuiltInstance) -> Callable[[str, frozenset[AtomId]], int | None]:
    """What gives the placement of a tile that covers some atoms."""
    placements, number = built.placements, {atom: i for i, atom in enumerate(built.puzzle.form.numbering.atoms)}

    @cache
    def known(tile: str) -> dict[frozenset[int], int]:
        own = [i for i, t in enumerate(built.puzzle.tiles) if t.name == tile]
        return {frozenset(placements.atoms[o].tolist()): o for o in np.flatnonzero(np.isin(placements.tile, own)).tolist()}

    return lambda tile, atoms: known(tile).get(frozenset(number[atom] for atom in atoms))


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
