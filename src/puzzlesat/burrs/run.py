"""What is found out about a design: how many assemblies it has, whether a second way of counting agrees, and which come apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from puzzlesat.arrays import Owners
from puzzlesat.burrs.alone import Others, others_of
from puzzlesat.burrs.burr import Burr, burr_of
from puzzlesat.burrs.contraction import contracted, unchanged
from puzzlesat.burrs.counting import Assemblies, assemblies_of
from puzzlesat.burrs.designfile import DesignFile
from puzzlesat.burrs.diagram import blocks_of, diagram_of
from puzzlesat.burrs.movable import movable
from puzzlesat.burrs.parting import Sets, Taken, between, drawn, highest, levels_of, sets_of, taken_apart
from puzzlesat.config.results import Record
from puzzlesat.display import Displayed
from puzzlesat.errors import ContradictionError, NotSupportedError, many
from puzzlesat.progress import SHARE, SILENT, Progress
from puzzlesat.solvers.run import Clock, EndedError, Limits, ended_words, heeding


@dataclass(frozen=True)
class Asked:
    """What is to be found out besides the numbers of assemblies."""

    apart: bool = False
    """Take apart all in which something can move."""
    sample: int | None = None
    """Take so many apart, drawn at random."""
    seed: int = 0
    file: Path | None = None
    """Where each assembly is kept as soon as it is decided."""
    unique: int = 0
    """For so many assemblies of the highest levels, look for other assemblies of their pieces."""


@dataclass(frozen=True, repr=False)
class Designed(Displayed):
    """What is known of a design."""

    file: DesignFile
    burr: Burr
    asked: Asked
    counted: Assemblies | None = None
    """The numbers of assemblies; None where a limit ended the count."""
    confirmed: bool = False
    """Whether a way of counting that shares no code with the first found the same numbers."""
    unconfirmed: str | None = None
    """Why it cannot count them, if it cannot."""
    tried: int | None = None
    """How many assemblies were to be taken apart: all in which something can move, or those that were drawn."""
    taken: tuple[Taken, ...] = ()
    """Assemblies that were taken apart, or found not to come apart."""
    others: tuple[Others, ...] = ()
    """Assemblies of the highest levels, and what else can be made of their pieces."""
    why: str | None = None
    """Why not everything is known that you asked for; None if it is."""
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether everything is known that you asked for."""
        return self.why is None

    @cached_property
    def levels(self) -> dict[str, int]:
        """How many assemblies come apart at each level, the highest level first."""
        return levels_of(self.taken)

    @property
    def apart(self) -> int:
        """How many of ``taken`` come apart."""
        return sum(self.levels.values())

    @property
    def opens(self) -> int:
        """From how many of ``taken`` a piece or a group of pieces can be taken away."""
        return sum(one.opens for one in self.taken)

    @property
    def best(self) -> Taken | None:
        """An assembly of the highest level; None if none comes apart."""
        return next(iter(highest(self.taken, 1)), None)

    @cached_property
    def sets(self) -> Sets:
        """The sets of pieces of assemblies that come apart."""
        return sets_of(self.burr, self.taken)

    @property
    def figures(self) -> dict[str, int]:
        """The figures that ``expect`` of a design can state, as far as they are known."""
        found = {"pieces": len(self.burr.names)}
        if self.counted is not None:
            found |= {"all": self.counted.all, "distinct": self.counted.distinct}
        if self.asked.apart and self.complete and self.tried is not None:
            found |= {"apart": self.apart, "used": self.sets.pieces, "sets": self.sets.sets}
        return found

    @property
    def differences(self) -> dict[str, tuple[int, int]]:
        """Figures that differ from published ones: what is published, and what was found."""
        stated = self.file.expect.model_dump(exclude={"source"}, exclude_none=True)
        return {key: (stated[key], found) for key, found in self.figures.items() if key in stated and stated[key] != found}

    @property
    def agreeing(self) -> dict[str, int]:
        """Figures that are as published."""
        stated = self.file.expect.model_dump(exclude={"source"}, exclude_none=True)
        return {key: found for key, found in self.figures.items() if stated.get(key) == found}

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.counted is None:
            return f"{self.burr.title}: not counted: {self.why}"
        number = many(self.counted.distinct, "assembly", "assemblies")
        return f"{self.burr.title}: {number} up to symmetry ({self.counted.all:,} in all)"

    def __repr__(self) -> str:
        return f"<Designed {self.sentence}>"

    @property
    def record(self) -> Record:
        """The same as a JSON object, as docs/json.md describes it."""
        counted = self.counted
        found: dict[str, Any] = {
            "design": self.burr.title,
            "pieces": len(self.burr.names),
            "positions": {rod.name: len(rod.kept) for rod in self.burr.rods},
            "all": counted and counted.all,
            "distinct": counted and counted.distinct,
            "fixed": counted and list(counted.fixed),
            "confirmed": self.confirmed,
            "agree": not self.differences if self.agreeing or self.differences else None,
            "differences": {key: {"published": a, "found": b} for key, (a, b) in self.differences.items()},
        }
        if self.asked.apart or self.asked.sample is not None:
            number = len(self.taken)
            known = {"sample": self.asked.sample, "seed": self.asked.seed, "tried": self.tried, "decided": number, "apart": self.apart}
            found |= known | {"opens": self.opens, "checked": sum(one.checked for one in self.taken), "levels": self.levels}
            found["best"] = self.best and self.best.record
            others = [{"level": o.taken.level, "pieces": o.taken.pieces, "assemblies": o.assemblies, "apart": o.apart} for o in self.others]
            found["others"] = others if self.asked.unique else None
            found |= {"used": self.sets.pieces, "sets": self.sets.sets, "once": self.sets.once}
            if self.asked.sample is not None and number:
                found |= {"share_apart": between(self.apart, number), "share_opens": between(self.opens, number)}
        return found | {"complete": self.complete, "why": self.why, "seconds": round(self.seconds, 2)}


def designed(
    file: DesignFile,
    asked: Asked,
    jobs: int,
    limits: Limits,
    *,
    progress: Progress = SILENT,
    on_taken: Callable[[Taken], None] = lambda _: None,
) -> Iterator[Designed]:
    """Yield what is known of a design, each time more: once it is counted, once that is confirmed, once assemblies are taken apart.

    Raises NotSupportedError where there is too much to count or to list, and ContradictionError where two ways come to different numbers.
    """
    limits = limits.begun()
    clock, told = Clock(limits), heeding(progress, limits)
    known, taken = Designed(file, burr_of(file), asked), list[Taken]()
    try:
        known = replace(known, counted=assemblies_of(known.burr, told), seconds=clock.seconds)
        yield known
        known = replace(_confirmed(known, told), seconds=clock.seconds)
        yield known
        if asked.apart or asked.sample is not None:
            chosen = _chosen(known.burr, asked, told)
            known = replace(known, tried=len(chosen))
            for each in taken_apart(known.burr, chosen, asked.file, jobs, limits, progress):
                taken.append(each)
                on_taken(each)
            left = len(chosen) - len(taken)
            why = f"stopped early, with {many(left, 'assembly', 'assemblies')} left" if left else None
            known = replace(known, taken=tuple(taken), why=why, seconds=clock.seconds)
            yield known
            if asked.unique and why is None:
                for found in others_of(known.burr, highest(taken, asked.unique), jobs, limits, told):
                    known = replace(known, others=(*known.others, found), seconds=clock.seconds)
                yield known
    except EndedError as ended:
        yield replace(known, taken=tuple(taken), why=ended_words(ended), seconds=clock.seconds)


def _chosen(burr: Burr, asked: Asked, progress: Progress) -> Owners:
    if asked.sample is None:
        return movable(burr, progress)
    return drawn(diagram_of(burr, blocks_of(burr)), asked.sample, asked.seed)


def _confirmed(known: Designed, progress: Progress) -> Designed:
    """Count once more, by code that shares nothing with the diagram."""
    burr, counted = known.burr, known.counted
    assert counted is not None
    try:
        again = [contracted(burr, progress)]
        for done, motion in enumerate(burr.motions[1:], start=1):
            progress.of("confirming")({"symmetries": done, SHARE: 10**6 * done // len(burr.motions)})
            again.append(unchanged(burr, motion))
    except NotSupportedError as error:
        return replace(known, unconfirmed=str(error))
    if tuple(again) != counted.fixed:
        raise ContradictionError(f"two ways of counting {burr.title} find {list(counted.fixed)} and {again} assemblies that symmetries fix")
    return replace(known, confirmed=True)
