"""Assemblies of a burr taken apart: all in which something can move, or some at random; each kept in a file as soon as it is decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat.arrays import Owners
from puzzlesat.burrs.burr import Burr
from puzzlesat.burrs.diagram import Diagram
from puzzlesat.burrs.puzzle import built_burr, kept_by, letters_of, pieces_of
from puzzlesat.config.results import Heading, Record, Results
from puzzlesat.disassembly.data import Answer
from puzzlesat.disassembly.run import answers
from puzzlesat.errors import PuzzleError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.run import Limits

CONFIDENT = 1.96
"""Standard deviations within which 95 of 100 results lie."""


@dataclass(frozen=True)
class Taken:
    """What is known of an assembly."""

    cubes: str
    """The owner of each shared cube, a letter for each rod; a full stop for a hole."""
    pieces: tuple[str, ...]
    """Their names, rod after rod."""
    level: str | None
    """None: it does not come apart."""
    moves: tuple[int, ...]
    opens: bool
    """Whether some piece or group of pieces can be taken away."""
    checked: bool
    """Whether independent code came to the same."""

    @property
    def holes(self) -> int:
        """How many cubes no piece has."""
        return self.cubes.count(".")

    @property
    def record(self) -> Record:
        """A line of JSON."""
        return {
            "cubes": self.cubes,
            "pieces": list(self.pieces),
            "holes": self.holes,
            "level": self.level,
            "moves": list(self.moves),
            "opens": self.opens,
            "checked": self.checked,
        }


def taken_from(record: Record) -> Taken:
    """Return what a line says; raises KeyError or TypeError where it says something else."""
    level = record["level"]
    return Taken(
        str(record["cubes"]),
        tuple(map(str, record["pieces"])),
        None if level is None else str(level),
        tuple(map(int, record["moves"])),
        record["opens"] is True,
        record["checked"] is True,
    )


def drawn(diagram: Diagram, number: int, seed: int) -> Owners:
    """Return so many assemblies, each drawn from all with the same chance. A larger number adds to those of a smaller one."""
    if not diagram.total:
        raise PuzzleError(f"{diagram.burr.title}: there is no assembly to draw")
    return diagram.numbered(np.random.default_rng(seed).integers(diagram.total, size=number))


def taken_apart(
    burr: Burr, assemblies: Owners, file: Path | None, jobs: int, limits: Limits, progress: Progress = SILENT
) -> Iterator[Taken]:
    """Yield what is known of each assembly: first those of the file, then the others as soon as they are decided.

    Those that a limit leaves undecided are not yielded. Raises PuzzleError where the file is none, and ContradictionError where an answer
    fails when it is held against the grid.
    """
    results = Results(Heading("design", "puzzle", burr.title, _fingerprint(burr)), file, lambda record: taken_from(record).cubes)
    try:
        letters = letters_of(burr, assemblies)
        for cubes in (cubes for cubes in letters if cubes in results.known):
            yield taken_from(results.known[cubes])
        new = np.array([cubes not in results.known for cubes in letters], dtype=np.bool_)
        if not new.any():
            return
        kept = kept_by(burr, assemblies[new])
        named = list(zip((cubes for cubes, is_new in zip(letters, new, strict=True) if is_new), pieces_of(burr, kept), strict=True))
        built, rows = built_burr(burr, kept, progress)
        counts = Counter({"assemblies": len(letters) - len(named), "that_come_apart": 0})
        for number, _, answer in answers(built, rows, jobs, limits, progress=progress):
            if not answer.undecided:
                taken = _taken(*named[number], answer)
                results.add(taken.record)
                counts.update(["assemblies", *(["that_come_apart"] if taken.level else [])])
                progress.of("taking apart")(counts)
                yield taken
    finally:
        results.close()


def _taken(cubes: str, pieces: tuple[str, ...], answer: Answer) -> Taken:
    parting = answer.parting
    if parting is None:
        return Taken(cubes, pieces, None, (), opens=len(answer.stuck) < len(pieces), checked=answer.checked)
    return Taken(cubes, pieces, parting.level, parting.sequence, opens=True, checked=answer.checked)


def _fingerprint(burr: Burr) -> str:
    """What stands for the rods and the pieces that they may be."""
    said: list[Any] = [(rod.cubes, rod.shared, rod.kept) for rod in burr.rods]
    return sha256(repr([burr.solid, said]).encode()).hexdigest()[:16]


# what they come to --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sets:
    """The sets of pieces of assemblies that come apart."""

    pieces: int
    """How many different pieces there are among them."""
    sets: int
    once: int
    """How many sets have a single assembly that comes apart."""


def highest(taken: Sequence[Taken], number: int) -> list[Taken]:
    """Return so many assemblies that come apart, those of the highest levels; of one level, those with the fewest holes."""
    apart = [one for one in taken if one.level is not None]
    return sorted(apart, key=lambda one: (one.moves, -one.holes, one.cubes), reverse=True)[:number]


def levels_of(taken: Sequence[Taken]) -> dict[str, int]:
    """Return how many assemblies come apart at each level, the highest first."""
    return dict(Counter(one.level for one in highest(taken, len(taken)) if one.level is not None))


def sets_of(burr: Burr, taken: Sequence[Taken]) -> Sets:
    """Return what sets of pieces come apart."""
    apart = [one for one in taken if one.level is not None]
    found = Counter(burr.set_of(one.pieces) for one in apart)
    return Sets(len({piece for one in apart for piece in one.pieces}), len(found), sum(number == 1 for number in found.values()))


def between(hits: int, number: int) -> tuple[float, float]:
    """Return between which shares of all the true one lies, with 95 % confidence (Wilson's interval)."""
    z, share = CONFIDENT, hits / number
    middle, width = share + z * z / (2 * number), z * sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    return max(0.0, (middle - width) / (1 + z * z / number)), min(1.0, (middle + width) / (1 + z * z / number))
