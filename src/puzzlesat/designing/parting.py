"""Take apart assemblies of a burr: a sample, assembly by assembly; or all in which something can move, part by part.

Results are saved in a file as soon as they are decided. ``others_of`` takes apart all other assemblies of the pieces of an assembly. The
totals of many assemblies are how many come apart at each level, the best assemblies, and the sets of pieces. Their size does not depend on
the number of assemblies, except for the sets of pieces, which take eight bytes each.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from heapq import nlargest
from math import sqrt
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Clock, EndedError, Limits, Longs, Progress, PuzzleError, dealt
from puzzlesat.counting import Record, Results
from puzzlesat.designing.burr import NOBODY, Burr, built_burr, kept_by, pieces_of, placements_of, rows_of
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.diagram import LARGE_PART, PART, Diagram, Listing, ListingPart, blocks_of, canonical, diagram_of, every, ways_of
from puzzlesat.designing.partition import letters_of, owners_of
from puzzlesat.disassembly import NOT_MINIMAL, Bulk, Disassembly, answers, bodies_of

CONFIDENT = 1.96
"""Standard deviations of a 95 % confidence interval."""
MAX_SETS = 2**63
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
        return (self.level or "") + ("" if self.least or not self.level else f" ({NOT_MINIMAL})")

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


def fingerprint(identity: list[Any]) -> str:
    """Return a short hash of data."""
    return sha256(repr(identity).encode()).hexdigest()[:16]


def results_of(title: str, identity: list[Any], file: Path | None) -> Results[str]:
    """Return the results for assemblies of a design in a file, by their letters. ``identity`` is data that identifies the design."""
    return Results("design", "puzzle", title, fingerprint(identity), file, lambda record: taken_from(record).cubes)


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
        assembly = taken_of(*named[left[place]], answer)
        results.add(assembly.record)
        counts.update(["assemblies", *(["that_come_apart"] if assembly.level else [])])
        progress.of("taking apart")(counts)
        yield assembly


def height(level: str) -> tuple[int, ...]:
    """Return the numbers of a level. Levels are compared lexicographically by these."""
    return tuple([int(number) for number in level.split(".") if number])


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

    def share(self, hits: int) -> tuple[float, float]:
        """Return the 95 % confidence interval of a share of all assemblies, from the number of hits in this sample."""
        return between(hits, self.decided)

    def add(self, other: Tally, keep: int) -> None:
        """Add the totals of other assemblies, and keep ``keep`` assemblies of the highest levels."""
        for figure in ("decided", "undecided", "opens", "checked", "numbers", "seconds"):
            setattr(self, figure, getattr(self, figure) + getattr(other, figure))
        self.counts.update(other.counts)
        self.best = sorted([*self.best, *other.best], key=lambda assembly: assembly.rank, reverse=True)[:keep]
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
            "best": [assembly.record for assembly in self.best],
            "sets": self.sets and {level: _written(np.concatenate(some)) for level, some in self.sets.items()},
            "numbers": self.numbers,
            "seconds": round(self.seconds, 2),
        }


def tally_from(record: Record) -> Tally:
    """Return the totals of a line of JSON. Raises KeyError, TypeError or ValueError for another line."""
    decided, undecided, opens, checked, numbers = (int(record[key]) for key in ("decided", "undecided", "opens", "checked", "numbers"))
    sets = None if record["sets"] is None else {str(level): [_read(text)] for level, text in record["sets"].items()}
    counts = Counter({str(level): int(number) for level, number in record["levels"].items()})
    best = [taken_from(entry) for entry in record["best"]]
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
    def fit_64_bits(self) -> bool:
        """True if 64 bits are enough for each set."""
        return bool(self.scale[-1] * len(self.mirrored) <= MAX_SETS)

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


# assemblies of a burr -----------------------------------------------------------------------------------------------------------

KEPT = 5
"""Smallest number of assemblies of the highest levels to keep of each part."""


def drawn(diagram: Diagram, number: int, seed: int) -> Owners:
    """Return a uniform random sample of assemblies. A larger sample with the same seed begins with the smaller one."""
    if not diagram.total:
        raise PuzzleError(f"{diagram.burr.title}: there is no assembly to draw")
    return diagram.numbered(np.random.default_rng(seed).integers(diagram.total, size=number))


def taken_apart(
    burr: Burr, assemblies: Owners, file: Path | None, jobs: int, limits: Limits, progress: Progress = SILENT
) -> Iterator[TriedAssembly]:
    """Yield the result for each assembly: first the results of the file, then the others as soon as they are decided.

    Assemblies that a limit leaves undecided are not yielded. Raises PuzzleError if the file is of something else, and ContradictionError if
    an answer fails the check against the grid.
    """
    results = results_of(burr.title, _identity(burr), file)
    kept = kept_by(burr, assemblies)

    def answers_of(left: list[int]) -> Iterator[tuple[int, Disassembly]]:
        built, rows = built_burr(burr, kept[left], progress)
        return ((number, answer) for number, _, answer in answers(bodies_of(built), rows, jobs, limits, progress=progress))

    try:
        named = list(zip(letters_of(assemblies), pieces_of(burr, kept), strict=True))
        yield from filter(None, tried(results, named, answers_of, progress))
    finally:
        results.close()


def tally_of(burr: Burr, taken: Sequence[TriedAssembly], keep: int) -> Tally:
    """Return the totals of assemblies."""
    apart = [assembly for assembly in taken if assembly.level is not None]
    pieces, kept = Pieces(burr), kept_by(burr, owners_of([assembly.cubes for assembly in apart], len(burr.owners)))
    return Tally(
        len(taken),
        opens=sum(assembly.opens for assembly in taken),
        checked=sum(assembly.checked for assembly in taken),
        counts=Counter(assembly.level or "" for assembly in apart),
        best=nlargest(keep, apart, key=lambda assembly: assembly.rank),
        sets=_by_level([assembly.level or "" for assembly in apart], pieces.sets(kept)) if pieces.fit_64_bits else None,
    )


def _by_level(levels: Sequence[str], sets: Longs) -> dict[str, list[Longs]]:
    """Return the sets of the assemblies of each level."""
    names, number = np.unique(np.array(levels, dtype=np.str_), return_inverse=True)
    return {name: [sets[number == i]] for i, name in enumerate(names.tolist())}


def _identity(burr: Burr, *more: Any) -> list[Any]:
    """Return data that identifies the rods and their pieces."""
    return [burr.solid, [(rod.cubes, rod.shared, rod.kept) for rod in burr.rods], *more]


# part by part ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartOptions:
    """The results to keep of each part."""

    best: int
    """Number of assemblies of the highest levels."""
    sets: bool
    """True to keep the sets of pieces."""


def tallies(
    listing: Listing,
    parts: Sequence[ListingPart],
    wanted: PartOptions,
    file: Path | None,
    jobs: int,
    limits: Limits,
    progress: Progress = SILENT,
) -> Iterator[Tally]:
    """Yield the totals of each part: first the totals of the file, then the others as soon as a part is finished.

    Parts that a limit leaves unfinished are not yielded. Raises PuzzleError if the file is of something else, and ContradictionError if an
    answer fails the check against the grid.
    """
    burr = listing.burr
    identity = _identity(burr, len(burr.motions), listing.totals, PART, LARGE_PART)
    results = Results("design parts", "puzzle", burr.title, fingerprint(identity), file, _part_of)
    try:
        left, number = list[ListingPart](), 0
        for part in parts:
            known = tally_from(results.known[part.number]) if part.number in results.known else None
            if known is None or len(known.best) < min(wanted.best, known.apart) or (wanted.sets and known.sets is None):
                left.append(part)
            else:
                number += known.decided
                yield known
        for part, tally in _done(burr, left, wanted, jobs, limits, progress):
            number += tally.decided
            results.add({"part": part.number, **tally.record})
            done = len(parts) - len(left)
            progress.of("taking apart")({"assemblies": number, Progress.SHARE: 10**6 * done // len(parts)})
            yield tally
    finally:
        results.close()


def _part_of(record: dict[str, Any]) -> int:
    tally_from(record)
    return int(record["part"])


def _done(
    burr: Burr, parts: list[ListingPart], wanted: PartOptions, jobs: int, limits: Limits, progress: Progress
) -> Iterator[tuple[ListingPart, Tally]]:
    """Yield the totals of each part as soon as it is finished, and remove it from ``parts``; in this process, or in several."""
    clock = Clock(limits)
    if jobs == 1 or len(parts) == 1:
        work = _PartWork(burr, wanted)
        for part in list(parts):
            if (tally := work.tally(part, clock.rest(), progress)) is None:
                return
            parts.remove(part)
            yield part, tally
        return
    memory = limits.free_memory() // jobs
    with closing(dealt(partial(_for_child, burr, wanted), list(parts), jobs, lambda: replace(clock.rest(), memory=memory))) as dealing:
        for part, found in dealing:
            if isinstance(found, Tally):
                parts.remove(part)
                yield part, found


def _for_child(burr: Burr, wanted: PartOptions) -> Callable[[ListingPart, Limits], Tally | None]:
    work = _PartWork(burr, wanted)
    return lambda part, limits: work.tally(part, limits.begun(), SILENT)


_Rank = tuple[tuple[int, ...], int, str]
"""The rank of a ``TriedAssembly``."""


class _PartWork:
    """The work of a process on parts, with its tables."""

    def __init__(self, burr: Burr, wanted: PartOptions) -> None:
        built, self.placement = placements_of(burr, [rod.kept for rod in burr.rods])
        self.burr, self.wanted, self.listing = burr, wanted, Listing(burr, ways_of(burr), ())
        self.bulk, self.pieces = Bulk(bodies_of(built), len(burr.rods)), Pieces(burr)

    def tally(self, part: ListingPart, limits: Limits, progress: Progress) -> Tally | None:
        """Return the totals of a part; None if a limit ended the work on it."""
        began, wanted = process_time(), self.wanted
        total, best = Tally(sets={} if wanted.sets else None), list[_Rank]()
        try:
            for some in self.listing.assemblies(part, limits.heeding(progress)):
                kept = kept_by(self.burr, some)
                outcomes = self.bulk.outcomes(rows_of(self.placement, kept), limits)
                if isinstance(outcomes, str):
                    return None
                apart = np.array([bool(level) for level in outcomes.level], dtype=np.bool_)
                levels = [level for level in outcomes.level if level]
                undecided = int(outcomes.undecided.sum())
                new = Tally(len(some) - undecided, undecided, int(outcomes.opens.sum()), int(outcomes.checked.sum()), Counter(levels))
                new.sets = _by_level(levels, self.pieces.sets(kept[apart])) if wanted.sets else None
                total.add(new, 0)
                best = nlargest(wanted.best, [*best, *_ranked(some[apart], levels)])
            total.best = self._shown([cubes for _, _, cubes in best], limits)
        except EndedError:
            return None
        if total.sets is not None:
            total.sets = {level: [np.concatenate(some)] for level, some in total.sets.items()}
        return replace(total, numbers=part.last - part.first, seconds=process_time() - began)

    def _shown(self, best: Sequence[str], limits: Limits) -> list[TriedAssembly]:
        """Return the results for assemblies that come apart, with their moves. Raises EndedError at a limit."""
        kept = kept_by(self.burr, owners_of(best, len(self.burr.owners)))
        named = list(zip(best, pieces_of(self.burr, kept), strict=True))
        apart = [answer for _, _, answer in answers(self.bulk.bodies, map(tuple, rows_of(self.placement, kept).tolist()), 1, limits)]
        if any(answer.undecided for answer in apart):
            raise EndedError(limits.over() or "limit reached")
        return [taken_of(*name, answer) for name, answer in zip(named, apart, strict=True)]


def _ranked(assemblies: Owners, levels: Sequence[str]) -> Iterator[_Rank]:
    heights = {level: height(level) for level in {*levels}}
    holes = (assemblies == NOBODY).sum(axis=1).tolist()
    for level, empty, cubes in zip(levels, holes, letters_of(assemblies), strict=True):
        yield heights[level], -empty, cubes


@dataclass(frozen=True)
class Others:
    """An assembly, and the number of all assemblies of its pieces."""

    taken: TriedAssembly
    assemblies: int
    """The number of assemblies of the same pieces, up to the motions of the burr."""
    apart: int
    """The number of ``assemblies`` that come apart."""


def assemblies_with(burr: Burr, pieces: Sequence[str]) -> Owners:
    """Return all assemblies of the given pieces, one of each class of rotated or reflected copies."""
    rods = [
        replace(rod, kept=tuple(kept for kept in rod.kept if names[kept] in pieces))
        for rod, names in zip(burr.rods, burr.piece_of, strict=True)
    ]
    few = replace(burr, rods=tuple(rods))
    diagram = diagram_of(few, blocks_of(few))
    assemblies = every(diagram)
    target = sorted(pieces)
    return canonical(burr, assemblies[np.array([sorted(p) == target for p in pieces_of(burr, kept_by(burr, assemblies))], dtype=np.bool_)])


def others_of(burr: Burr, chosen: Sequence[TriedAssembly], jobs: int, limits: Limits, progress: Progress = SILENT) -> Iterator[Others]:
    """Yield, for the set of pieces of each chosen assembly, the number of its assemblies, and how many of them come apart.

    Raises EndedError at a limit.
    """
    seen = set()
    for assembly in chosen:
        if (pieces := burr.set_of(assembly.pieces)) in seen:
            continue
        seen.add(pieces)
        progress.of("other assemblies")({"sets": len(seen)})
        assemblies = assemblies_with(burr, assembly.pieces)
        taken = list(taken_apart(burr, assemblies, None, jobs, limits))
        if len(taken) < len(assemblies):
            raise EndedError(limits.over() or "limit reached", "other assemblies")
        yield Others(assembly, len(assemblies), sum(other.level is not None for other in taken))
