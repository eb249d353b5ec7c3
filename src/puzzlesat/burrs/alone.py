"""Whether the pieces of an assembly come apart from any other assembly: all assemblies of these pieces, taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puzzlesat.arrays import Owners
from puzzlesat.burrs.burr import Burr
from puzzlesat.burrs.diagram import blocks_of, diagram_of
from puzzlesat.burrs.movable import every, least
from puzzlesat.burrs.parting import taken_apart
from puzzlesat.burrs.puzzle import kept_by, pieces_of
from puzzlesat.burrs.tally import Taken
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.run import EndedError, Limits, over


@dataclass(frozen=True)
class Others:
    """An assembly, and what else can be made of its pieces."""

    taken: Taken
    assemblies: int
    """How many assemblies these pieces have, up to the motions of the burr."""
    apart: int
    """How many of them come apart."""


def assemblies_with(burr: Burr, pieces: Sequence[str]) -> Owners:
    """Return all assemblies of these pieces, one of each class of turned or mirrored copies."""
    rods = [
        replace(rod, kept=tuple(kept for kept in rod.kept if names[kept] in pieces))
        for rod, names in zip(burr.rods, burr.piece_of, strict=True)
    ]
    few = replace(burr, rods=tuple(rods))
    diagram = diagram_of(few, blocks_of(few))
    found = every(diagram)
    wanted = sorted(pieces)
    return least(burr, found[np.array([sorted(each) == wanted for each in pieces_of(burr, kept_by(burr, found))], dtype=np.bool_)])


def others_of(burr: Burr, chosen: Sequence[Taken], jobs: int, limits: Limits, progress: Progress = SILENT) -> Iterator[Others]:
    """Yield, for each set of pieces of these assemblies, how many assemblies it has, and how many of them come apart.

    Raises EndedError at a limit.
    """
    seen = set()
    for one in chosen:
        if (pieces := burr.set_of(one.pieces)) in seen:
            continue
        seen.add(pieces)
        progress.of("other assemblies")({"sets": len(seen)})
        found = assemblies_with(burr, one.pieces)
        taken = list(taken_apart(burr, found, None, jobs, limits))
        if len(taken) < len(found):
            raise EndedError(over(limits) or "limit reached", "other assemblies")
        yield Others(one, len(found), sum(other.level is not None for other in taken))
