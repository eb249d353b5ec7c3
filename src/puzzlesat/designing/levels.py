"""Totals of many assemblies: how many come apart at each level, the best assemblies, and the sets of pieces.

The size of a total does not depend on the number of assemblies, except for the sets of pieces, which take eight bytes each.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from puzzlesat.base import Longs, Progress
from puzzlesat.counting import Record, Results
from puzzlesat.designing.burr import Burr
from puzzlesat.disassembly import NOT_LEAST, Disassembly

CONFIDENT = 1.96
"""Standard deviations of a 95 % confidence interval."""
MOST_SETS = 2**63
"""Largest number of lists of pieces that numbers of 64 bits can represent."""


@dataclass(frozen=True)
class TriedAssembly:
    """The result of taking apart an assembly."""

    cubes: str
    """The owner of each shared cube: a letter for each rod, a full stop for a hole."""
    pieces: tuple[str, ...]
    """The names of the pieces, in the order of the rods."""
    level: str | None
    """None if the assembly does not come apart."""
    moves: tuple[int, ...]
    opens: bool
    """True if some piece or group of pieces can be removed."""
    checked: bool
    """True if independent code confirmed the result."""
    least: bool = True
    """True if the numbers of the level are known to be minimal."""

    @property
    def level_words(self) -> str:
        """The level as text, with a remark if it is not known to be minimal; empty if there is none."""
        return (self.level or "") + ("" if self.least or not self.level else f" ({NOT_LEAST})")

    @property
    def holes(self) -> int:
        """The number of holes."""
        return self.cubes.count(".")

    @property
    def rank(self) -> tuple[Sequence[int], int, str]:
        """A key that is greater for a higher level, and at the same level for fewer holes."""
        return height(self.level or ""), -self.holes, self.cubes

    @property
    def record(self) -> Record:
        """The result as a line of JSON."""
        return {
            "cubes": self.cubes,
            "pieces": list(self.pieces),
            "holes": self.holes,
            "level": self.level,
            "moves": list(self.moves),
            "opens": self.opens,
            "checked": self.checked,
            "least": self.least,
        }


def taken_of(cubes: str, pieces: Sequence[str], answer: Disassembly) -> TriedAssembly:
    """Return the result for an assembly from its disassembly."""
    parting = answer.parting
    level, moves = (None, ()) if parting is None else (parting.level, parting.sequence)
    opens = parting is not None or len(answer.stuck) < len(pieces)
    return TriedAssembly(cubes, tuple(pieces), level, moves, opens=opens, checked=answer.checked, least=answer.least)


def taken_from(record: Record) -> TriedAssembly:
    """Return the result of a line of JSON. Raises KeyError or TypeError for another line."""
    level = record["level"]
    return TriedAssembly(
        str(record["cubes"]),
        tuple(map(str, record["pieces"])),
        None if level is None else str(level),
        tuple(map(int, record["moves"])),
        record["opens"] is True,
        record["checked"] is True,
        record.get("least") is not False,
    )


def tried(
    results: Results[str],
    named: Sequence[tuple[str, Sequence[str]]],
    answers_of: Callable[[list[int]], Iterable[tuple[int, Disassembly]]],
    progress: Progress,
) -> Iterator[TriedAssembly | None]:
    """Yield the results for assemblies, given as letters and pieces: first the results of a file, then others as soon as they are decided.

    ``answers_of`` receives the numbers of the others, and yields their disassemblies, each with its place among them. None means undecided.
    """
    yield from (taken_from(results.known[cubes]) for cubes, _ in named if cubes in results.known)
    left = [number for number, (cubes, _) in enumerate(named) if cubes not in results.known]
    counts = Counter({"assemblies": len(named) - len(left), "that_come_apart": 0})
    for place, answer in answers_of(left) if left else ():
        if answer.undecided:
            yield None
            continue
        one = taken_of(*named[left[place]], answer)
        results.add(one.record)
        counts.update(["assemblies", *(["that_come_apart"] if one.level else [])])
        progress.of("taking apart")(counts)
        yield one


def height(level: str) -> tuple[int, ...]:
    """Return the numbers of a level. Levels are compared lexicographically by these."""
    return tuple([int(number) for number in level.split(".") if number])


def levels_of(taken: Sequence[TriedAssembly]) -> dict[str, int]:
    """Return the number of assemblies that come apart at each level, the highest level first."""
    return by_height(Counter(one.level for one in taken if one.level is not None))


def by_height(counts: Counter[str]) -> dict[str, int]:
    """Return the counts sorted by level, the highest level first."""
    return {level: counts[level] for level in sorted(counts, key=height, reverse=True)}


@dataclass
class Tally:
    """The totals of assemblies that were taken apart. ``add`` adds the totals of others."""

    decided: int = 0
    undecided: int = 0
    opens: int = 0
    """The number of assemblies from which a piece or a group of pieces can be removed."""
    checked: int = 0
    """The number of assemblies whose result independent code confirmed."""
    counts: Counter[str] = field(default_factory=Counter)
    """The number of assemblies that come apart at each level."""
    best: list[TriedAssembly] = field(default_factory=list)
    """The assemblies of the highest levels, the highest first."""
    sets: dict[str, list[Longs]] | None = None
    """The sets of pieces of the assemblies of each level, as numbered by ``Pieces``; None if they are not kept."""
    numbers: int = 0
    """The number of assemblies of diagrams that were searched for these, copies included."""
    seconds: float = 0.0
    """CPU seconds of this work."""

    @property
    def apart(self) -> int:
        """The number of assemblies that come apart."""
        return self.counts.total()

    @property
    def levels(self) -> dict[str, int]:
        """The number of assemblies that come apart at each level, the highest level first."""
        return by_height(self.counts)

    def add(self, other: Tally, keep: int) -> None:
        """Add the totals of other assemblies, and keep ``keep`` assemblies of the highest levels."""
        self.decided += other.decided
        self.undecided += other.undecided
        self.opens += other.opens
        self.checked += other.checked
        self.numbers += other.numbers
        self.seconds += other.seconds
        self.counts.update(other.counts)
        self.best = sorted([*self.best, *other.best], key=lambda one: one.rank, reverse=True)[:keep]
        if self.sets is not None and other.sets is not None:
            for level, some in other.sets.items():
                self.sets.setdefault(level, []).extend(some)
        else:
            self.sets = None

    @property
    def record(self) -> Record:
        """The result as a line of JSON."""
        return {
            "decided": self.decided,
            "undecided": self.undecided,
            "apart": self.apart,
            "opens": self.opens,
            "checked": self.checked,
            "levels": self.levels,
            "best": [one.record for one in self.best],
            "sets": self.sets and {level: _written(np.concatenate(some)) for level, some in self.sets.items()},
            "numbers": self.numbers,
            "seconds": round(self.seconds, 2),
        }


def tally_from(record: Record) -> Tally:
    """Return the totals of a line of JSON. Raises KeyError, TypeError or ValueError for another line."""
    decided, undecided, opens, checked, numbers = (int(record[key]) for key in ("decided", "undecided", "opens", "checked", "numbers"))
    sets = None if record["sets"] is None else {str(level): [_read(text)] for level, text in record["sets"].items()}
    counts = Counter({str(level): int(number) for level, number in record["levels"].items()})
    best = [taken_from(one) for one in record["best"]]
    if sets is not None and {level: len(some[0]) for level, some in sets.items()} != counts:
        raise ValueError
    return Tally(decided, undecided, opens, checked, counts, best, sets, numbers, float(record["seconds"]))


def _written(sets: Longs) -> str:
    """Return sets as text: sorted, as compressed differences."""
    return b64encode(zlib.compress(np.diff(np.sort(sets), prepend=0).astype("<i8").tobytes())).decode()


def _read(text: str) -> Longs:
    try:
        return np.cumsum(np.frombuffer(zlib.decompress(b64decode(text)), dtype="<i8")).astype(np.int64)
    except zlib.error:
        raise ValueError from None


# sets of pieces -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SetTotals:
    """Totals of the sets of pieces of assemblies that come apart."""

    pieces: int
    """The number of different pieces in the sets, mirror images included if mirror images of assemblies are equal."""
    sets: int
    once: Mapping[str, int]
    """The number of sets with a single assembly that comes apart, by its level, the highest first."""


class Pieces:
    """Numbers of the pieces of a burr, and of sets with a piece for each rod: one 64-bit number for each set."""

    def __init__(self, burr: Burr) -> None:
        names = sorted(burr.names.values())
        number = {name: i for i, name in enumerate(names)}
        self.of = [np.zeros(1 << len(rod.shared), dtype=np.int64) for rod in burr.rods]
        for table, known in zip(self.of, burr.piece_of, strict=True):
            table[[*known]] = [number[name] for name in known.values()]
        self.mirrored = np.array([number[burr.mirrored.get(name, name)] for name in names], dtype=np.int64)
        self.scale = [len(names) ** i for i in range(len(burr.rods))]

    @property
    def are_told(self) -> bool:
        """True if 64 bits are enough for each set."""
        return bool(self.scale[-1] * len(self.mirrored) <= MOST_SETS)

    def sets(self, kept: Longs) -> Longs:
        """Return the set of each assembly, from the cubes that its rods keep. If mirror images are equal, so are their sets."""
        pieces = np.stack([table[column] for table, column in zip(self.of, kept.T, strict=True)], axis=1)
        both = [np.sort(some, axis=1) @ np.array(self.scale) for some in (pieces, self.mirrored[pieces])]
        found: Longs = np.minimum(*both)
        return found

    def counted(self, sets: Mapping[str, Sequence[Longs]]) -> SetTotals:
        """Return the totals of the sets of each level."""
        order = sorted(sets, key=height, reverse=True)
        every = np.concatenate([np.zeros(0, dtype=np.int64), *(some for level in order for some in sets[level])])
        level = np.repeat(np.arange(len(order), dtype=np.int32), [sum(map(len, sets[each])) for each in order])
        found, first, many = np.unique(every, return_index=True, return_counts=True)
        once = np.bincount(level[first[many == 1]], minlength=len(order)).tolist()
        used = {piece for scale in self.scale for piece in np.unique(found // scale % len(self.mirrored)).tolist()}
        used |= {int(self.mirrored[piece]) for piece in used}
        return SetTotals(len(used), len(found), {each: number for each, number in zip(order, once, strict=True) if number})


def between(hits: int, number: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share from a sample (Wilson's interval)."""
    z, share = CONFIDENT, hits / number
    middle, width = share + z * z / (2 * number), z * sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    return max(0.0, (middle - width) / (1 + z * z / number)), min(1.0, (middle + width) / (1 + z * z / number))
