"""Parts of a puzzle's count in the hands of a worker: those that wait, those that are finished, and what of it goes into the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from puzzlesat.cover.parts import ROOT, Part, split
from puzzlesat.errors import PuzzleError
from puzzlesat.runs import attempt
from puzzlesat.runs.attempt import Attempt
from puzzlesat.runs.problems import WHOLE, Facts, kept_fingerprint, kept_problem, make_facts
from puzzlesat.runs.subjects import Loaded
from puzzlesat.solvers.run import Clock, Limits
from puzzlesat.solvers.strategy import TALLY


@dataclass(frozen=True)
class Open:
    """A part that is to be counted."""

    of: str
    """The problem whose part it is."""
    part: Part = ROOT
    solver: str | None = None
    """None: it is tried who counts it soonest."""
    estimate: float | None = None
    """CPU seconds that it may take."""


@dataclass
class Unit:
    """A task as it is done: what is left, the next part last, and what was found."""

    subject: Loaded
    limits: Limits
    """Of this task; ``seconds`` are those that it is made for."""
    waiting: list[Open]
    finished: dict[str, list[Part]] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    work: Counter[str] = field(default_factory=Counter)
    by: dict[str, str] = field(default_factory=dict)
    """For each problem, who counted parts of it."""
    sampled: Counter[str] = field(default_factory=Counter)
    """Solutions in the subparts of the whole that SAT counted as well, how many subparts that are, and of about how many."""
    for_others: list[Open] = field(default_factory=list)
    """Parts of what takes longer than this task has time for: others begin with them at once."""
    further: bool = False
    """Whether more is known of how to do what is waiting than before: a part was parted, or a solver chosen."""
    expected: float = 0.0
    """Seconds that the parts that are finished should have taken, by their estimates,"""
    took: float = 0.0
    """and those that they did take."""

    def __post_init__(self) -> None:
        self.clock = Clock(self.limits)

    @property
    def left(self) -> float:
        """Seconds left."""
        left = self.clock.left
        assert left is not None
        return left

    @property
    def begun(self) -> bool:
        """Whether anything was done, so that the task may end."""
        return bool(self.finished) or self.further

    def attempt(self, one: Open, name: str, seconds: float | None, *, most: float | None = None, silent: float | None = None) -> Attempt:
        """Count a part within some seconds (None: as many as it takes); where all of it was gone through, it is finished."""
        built = self.subject.built()
        limits = replace(self.limits, seconds=seconds)
        done = attempt.attempt(kept_problem(self.subject.kept, built, one.of), one.part, name, limits, most=most, silent=silent)
        self.work.update(done.work)
        if done.complete:
            self.finish(one, name, done)
        return done

    def finish(self, one: Open, name: str, done: Attempt) -> None:
        """Note what one solver found in a part."""
        self.finished.setdefault(one.of, []).append(one.part)
        self.found[one.of] += done.found
        self.by[one.of] = name
        if one.estimate is not None:
            self.expected += one.estimate
            self.took += done.seconds

    def estimate(self, one: Open) -> float:
        """Return what a part may take: as much more or less than was thought as those before it."""
        if one.estimate is None:
            assert self.limits.seconds is not None
            return self.limits.seconds
        return one.estimate * (self.took / self.expected if self.expected else 1.0)

    def parts(self, one: Open, estimate: float | None) -> list[Open]:
        """Return the parts of a part, each with its share of an estimate; none where there are no smaller ones."""
        problem = kept_problem(self.subject.kept, self.subject.built(), one.of)
        parts = split(problem, one.part, by_tiles=one.solver == TALLY)
        each = None if estimate is None else estimate / max(1, len(parts))
        return [replace(one, part=part, estimate=each) for part in parts]

    def part(self, one: Open, estimate: float | None) -> bool:
        """Put the parts of a part in its place; tell whether there are any."""
        parts = self.parts(one, estimate)
        self.waiting += reversed(parts)
        self.further = self.further or bool(parts)
        return bool(parts)

    def result(self) -> list[dict[str, Any]]:
        """What was found, in JSON."""
        return [{**group_of(self.subject, of, parts), "found": self.found[of]} for of, parts in self.finished.items()]


def found_in(unit: Unit) -> dict[str, Any]:
    """What was found, and by whom."""
    return {"parts": unit.result(), "by": unit.by}


def solvers_of(unit: Unit) -> str:
    """Who counted, the one who counted all solutions first."""
    return ", ".join(dict.fromkeys(unit.by[of] for of in sorted(unit.by, key=lambda of: of != WHOLE)))


def group_of(subject: Loaded, of: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Parts of one problem in JSON, with what stands for that: its options may have other numbers some day."""
    return {"of": of, "problem": kept_fingerprint(subject.kept, subject.built(), of), "parts": [[*part] for part in parts]}


def parts_of(subject: Loaded, groups: Sequence[Mapping[str, Any]]) -> list[tuple[str, Part]]:
    """The parts in JSON, each with the problem that it is of. Raises PuzzleError where that is another one here."""
    for group in groups:
        if group["problem"] != kept_fingerprint(subject.kept, subject.built(), group["of"]):
            raise PuzzleError("the parts were made from other placements than there are here: by another version; begin a new store")
    return [(group["of"], tuple(part)) for group in groups for part in group["parts"]]


def facts_of(subject: Loaded) -> Facts:
    """Return what the counts of a puzzle follow from."""
    if "facts" not in subject.kept:
        subject.kept["facts"] = make_facts(subject.built())
    facts = subject.kept["facts"]
    assert isinstance(facts, Facts)
    return facts


def facts_as_json(facts: Facts) -> dict[str, Any]:
    """Return the same in JSON."""
    return {"problem_of": [[*pair] for pair in facts.problem_of.items()], "copies": facts.copies, "turns": facts.turns}
