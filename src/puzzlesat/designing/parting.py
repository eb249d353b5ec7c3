"""Take assemblies of a burr apart: those of a sample, each kept in a file once it is decided; or all that can move, part by part.

Also whether the pieces of an assembly come apart from any other assembly: all assemblies of these pieces are taken apart.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from heapq import nlargest
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from puzzlesat.base import (
    SHARE,
    SILENT,
    ChildEndedError,
    Clock,
    EndedError,
    Limits,
    Longs,
    Owners,
    Progress,
    PuzzleError,
    dealt,
    told_to_stop,
)
from puzzlesat.designing.burr import NOBODY, Burr, built_burr, kept_by, letters_of, owners_of, pieces_of, placements_of
from puzzlesat.designing.diagram import LARGE_PART, PART, Diagram, Listing, ListingPart, blocks_of, diagram_of, every, least, ways_of
from puzzlesat.designing.levels import Pieces, Tally, TriedAssembly, height, taken_from, taken_of, tally_from
from puzzlesat.disassembly import Bulk, answers, bodies_of
from puzzlesat.puzzles import Heading, Results

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
        for number, _, answer in answers(bodies_of(built), rows, jobs, limits, progress=progress):
            if not answer.undecided:
                taken = taken_of(*named[number], answer)
                results.add(taken.record)
                counts.update(["assemblies", *(["that_come_apart"] if taken.level else [])])
                progress.of("taking apart")(counts)
                yield taken
    finally:
        results.close()


def tally_of(burr: Burr, taken: Sequence[TriedAssembly], keep: int) -> Tally:
    """Return what assemblies come to."""
    apart = [one for one in taken if one.level is not None]
    pieces, kept = Pieces(burr), kept_by(burr, owners_of(burr, [one.cubes for one in apart]))
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
    heading = Heading("design parts", "puzzle", burr.title, _fingerprint(burr, len(burr.motions), listing.totals, PART, LARGE_PART))
    results = Results(heading, file, _part_of)
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
            progress.of("taking apart")({"assemblies": number, SHARE: 10**6 * done // len(parts)})
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
        for part in list(parts):
            if (tally := _one_part(_work_for(pickle.dumps(burr)), part, wanted, clock.rest(), progress)) is None:
                return
            parts.remove(part)
            yield part, tally
        return
    own, given = Limits(memory=limits.free_memory() // jobs, cpu=limits.cpu), pickle.dumps(burr)
    calls = ((part, partial(_in_child, given, part, wanted, replace(own, seconds=clock.left))) for part in list(parts))
    with closing(dealt(jobs, calls, limits.stop)) as dealing:
        for part, call in dealing:
            try:
                tally = call.result()
            except ChildEndedError:
                continue
            if tally is not None:
                parts.remove(part)
                yield part, tally


def _in_child(burr: bytes, part: ListingPart, wanted: PartOptions, limits: Limits) -> Tally | None:
    return _one_part(_work_for(burr), part, wanted, replace(limits, stop=told_to_stop).begun(), SILENT)


_Rank = tuple[tuple[int, ...], int, str]
"""As that of ``Taken``."""


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


@lru_cache(maxsize=1)
def _work_for(given: bytes) -> _PartWork:
    burr: Burr = pickle.loads(given)
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
    for level, empty, cubes in zip(levels, holes, letters_of(burr, assemblies), strict=True):
        yield heights[level], -empty, cubes


def _shown(work: _PartWork, best: Sequence[str], limits: Limits) -> list[TriedAssembly]:
    """Assemblies that come apart, with their moves. Raises EndedError at a limit."""
    kept = kept_by(work.listing.burr, owners_of(work.listing.burr, best))
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
