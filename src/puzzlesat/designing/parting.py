"""Take assemblies of a burr apart: those of a sample, each kept in a file once it is decided; or all that can move, part by part.

Also whether the pieces of an assembly come apart from any other assembly: all assemblies of these pieces are taken apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from heapq import nlargest
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    EndedError,
    Limits,
    Longs,
    Progress,
    PuzzleError,
    dealt,
)
from puzzlesat.counting import Results
from puzzlesat.designing.burr import NOBODY, Burr, built_burr, kept_by, pieces_of, placements_of
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.diagram import LARGE_PART, PART, Diagram, Listing, ListingPart, blocks_of, diagram_of, every, least, ways_of
from puzzlesat.designing.levels import Pieces, Tally, TriedAssembly, height, taken_from, taken_of, tally_from, tried
from puzzlesat.designing.partition import letters_of, owners_of
from puzzlesat.disassembly import Bulk, Disassembly, answers, bodies_of

KEPT = 5
"""Assemblies of the highest levels that are kept of each part, at least."""


def drawn(diagram: Diagram, number: int, seed: int) -> Owners:
    """Return so many assemblies, each drawn from all with the same chance. A larger number adds to those of a smaller one."""
    if not diagram.total:
        raise PuzzleError(f"{diagram.burr.title}: there is no assembly to draw")
    return diagram.numbered(np.random.default_rng(seed).integers(diagram.total, size=number))


def taken_apart(
    burr: Burr, assemblies: Owners, file: Path | None, jobs: int, limits: Limits, progress: Progress = SILENT
) -> Iterator[TriedAssembly]:
    """Yield what is known of each assembly: first those of the file, then the others as soon as they are decided.

    Those that a limit leaves undecided are not yielded. Raises PuzzleError where the file is none, and ContradictionError where an answer
    fails when it is held against the grid.
    """
    results = Results("design", "puzzle", burr.title, _fingerprint(burr), file, lambda record: taken_from(record).cubes)
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
    """Return what assemblies come to."""
    apart = [one for one in taken if one.level is not None]
    pieces, kept = Pieces(burr), kept_by(burr, owners_of([one.cubes for one in apart], len(burr.owners)))
    return Tally(
        len(taken),
        opens=sum(one.opens for one in taken),
        checked=sum(one.checked for one in taken),
        counts=Counter(one.level or "" for one in apart),
        best=nlargest(keep, apart, key=lambda one: one.rank),
        sets=_by_level([one.level or "" for one in apart], pieces.sets(kept)) if pieces.are_told else None,
    )


def _by_level(levels: Sequence[str], sets: Longs) -> dict[str, list[Longs]]:
    """The sets of the assemblies of each level."""
    names, number = np.unique(np.array(levels, dtype=np.str_), return_inverse=True)
    return {name: [sets[number == i]] for i, name in enumerate(names.tolist())}


def _fingerprint(burr: Burr, *more: Any) -> str:
    """What stands for the rods and the pieces that they may be."""
    said: list[Any] = [(rod.cubes, rod.shared, rod.kept) for rod in burr.rods]
    return sha256(repr([burr.solid, said, *more]).encode()).hexdigest()[:16]


# part by part ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartOptions:
    """What is to be kept of each part."""

    best: int
    """Assemblies of the highest levels."""
    sets: bool
    """The sets of pieces."""


def tallies(
    listing: Listing,
    parts: Sequence[ListingPart],
    wanted: PartOptions,
    file: Path | None,
    jobs: int,
    limits: Limits,
    progress: Progress = SILENT,
) -> Iterator[Tally]:
    """Yield what the assemblies of each part come to: first those of the file, then the others as soon as a part is done.

    Those that a limit leaves undone are not yielded. Raises PuzzleError where the file is none, and ContradictionError where an answer
    fails when it is held against the grid.
    """
    burr = listing.burr
    fingerprint = _fingerprint(burr, len(burr.motions), listing.totals, PART, LARGE_PART)
    results = Results("design parts", "puzzle", burr.title, fingerprint, file, _part_of)
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
    """What parts come to, each as soon as it is done, and no longer in the list; here, or by several processes."""
    clock = Clock(limits)
    if jobs == 1 or len(parts) == 1:
        work = _part_work(burr)
        for part in list(parts):
            if (tally := _one_part(work, part, wanted, clock.rest(), progress)) is None:
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
    work = _part_work(burr)
    return lambda part, limits: _one_part(work, part, wanted, limits.begun(), SILENT)


_Rank = tuple[tuple[int, ...], int, str]
"""As that of ``TriedAssembly``."""


@dataclass(frozen=True)
class _PartWork:
    """What a process needs for all parts."""

    listing: Listing
    bulk: Bulk
    placement: Sequence[Longs]
    """For each rod the placement of what it keeps."""
    pieces: Pieces

    def rows(self, kept: Longs) -> Longs:
        """Return assemblies as rows of placements."""
        return np.stack([table[column] for table, column in zip(self.placement, kept.T, strict=True)], axis=1)


def _part_work(burr: Burr) -> _PartWork:
    built, placement = placements_of(burr, [rod.kept for rod in burr.rods])
    return _PartWork(Listing(burr, ways_of(burr), ()), Bulk(bodies_of(built), len(burr.rods)), placement, Pieces(burr))


def _one_part(work: _PartWork, part: ListingPart, wanted: PartOptions, limits: Limits, progress: Progress) -> Tally | None:
    """What the assemblies of a part come to; None where a limit ends it."""
    burr, began = work.listing.burr, process_time()
    total, best = Tally(sets={} if wanted.sets else None), list[_Rank]()
    try:
        for some in work.listing.assemblies(part, limits.heeding(progress)):
            kept = kept_by(burr, some)
            found = work.bulk.outcomes(work.rows(kept), limits)
            if isinstance(found, str):
                return None
            apart = np.array([bool(level) for level in found.level], dtype=np.bool_)
            levels = [level for level in found.level if level]
            undecided = int(found.undecided.sum())
            new = Tally(len(some) - undecided, undecided, int(found.opens.sum()), int(found.checked.sum()), Counter(levels))
            new.sets = _by_level(levels, work.pieces.sets(kept[apart])) if wanted.sets else None
            total.add(new, 0)
            best = nlargest(wanted.best, [*best, *_ranked(burr, some[apart], levels)])
        total.best = _shown(work, [cubes for _, _, cubes in best], limits)
    except EndedError:
        return None
    if total.sets is not None:
        total.sets = {level: [np.concatenate(some)] for level, some in total.sets.items()}
    return replace(total, numbers=part.last - part.first, seconds=process_time() - began)


def _ranked(burr: Burr, assemblies: Owners, levels: Sequence[str]) -> Iterator[_Rank]:
    heights = {level: height(level) for level in {*levels}}
    holes = (assemblies == NOBODY).sum(axis=1).tolist()
    for level, empty, cubes in zip(levels, holes, letters_of(assemblies), strict=True):
        yield heights[level], -empty, cubes


def _shown(work: _PartWork, best: Sequence[str], limits: Limits) -> list[TriedAssembly]:
    """Assemblies that come apart, with their moves. Raises EndedError at a limit."""
    kept = kept_by(work.listing.burr, owners_of(best, len(work.listing.burr.owners)))
    named = list(zip(best, pieces_of(work.listing.burr, kept), strict=True))
    found = [answer for _, _, answer in answers(work.bulk.bodies, map(tuple, work.rows(kept).tolist()), 1, limits)]
    if any(answer.undecided for answer in found):
        raise EndedError(limits.over() or "limit reached")
    return [taken_of(*name, answer) for name, answer in zip(named, found, strict=True)]


@dataclass(frozen=True)
class Others:
    """An assembly, and what else can be made of its pieces."""

    taken: TriedAssembly
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


def others_of(burr: Burr, chosen: Sequence[TriedAssembly], jobs: int, limits: Limits, progress: Progress = SILENT) -> Iterator[Others]:
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
            raise EndedError(limits.over() or "limit reached", "other assemblies")
        yield Others(one, len(found), sum(other.level is not None for other in taken))
