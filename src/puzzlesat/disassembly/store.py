"""The file of a run: a line of JSON for each assembly as soon as it is decided, read again by the next run."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path

from puzzlesat.config.results import Heading, Results
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.record import Record, answer_of

Known = Results[tuple[str, ...]]
"""What is known of assemblies, by the names of the placements."""


def open_store(built: BuiltInstance, path: Path | None, turns: Fraction | None) -> Known:
    """Return what is known of the assemblies of a puzzle, from a file, if there is one. ``turns``: the bevel, where pieces are turned."""
    name = built.instance.name + ("" if turns is None else f" with turns, bevel {turns}")
    return Results(Heading("apart", "puzzle", name, _fingerprint(built, turns)), path, _key)


def _key(record: Record) -> tuple[str, ...]:
    """The placements, where the record has an answer that these can have."""
    answer, placements = answer_of(record), tuple(map(str, record["placements"]))
    if answer.undecided or not set(answer.stuck) <= set(range(len(placements))):
        raise ValueError
    return placements


def _fingerprint(built: BuiltInstance, turns: Fraction | None) -> str:
    """What stands for the pieces and where they may lie, for what may stay together, and for how pieces may be moved."""
    grid, placements = built.puzzle.grid, built.placements
    said = [grid.name, str(grid.gram), str(placements.puzzle.form.numbering.atoms), str([sorted(g) for g in built.instance.together])]
    said += [] if turns is None else [f"turns {turns}"]
    found = hashlib.sha256("\n".join([*said, *built.problem.options]).encode())
    found.update(placements.atoms.start.tobytes() + placements.atoms.numbers.tobytes())
    return found.hexdigest()[:16]
