"""Solutions that are taken apart: listed, each decided in its turn, and kept in a file where one is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, islice
from pathlib import Path

from puzzlesat.base import (
    SILENT,
    ContradictionError,
    Displayed,
    EndedError,
    Limits,
    NotSupportedError,
    Outcome,
    Progress,
    PuzzleError,
    many,
)
from puzzlesat.counting.listing import solutions
from puzzlesat.disassembly import (
    FINEST_BEVEL,
    MOST_BEVEL,
    NOT_LEAST,
    Answer,
    Known,
    Record,
    States,
    Verdict,
    answer_of,
    answers,
    as_record,
    first_found,
    ground_of,
    held_against_angles,
    make_bench,
    open_store,
    sentences,
    states_of,
    takes_apart,
    verdicts,
)
from puzzlesat.formats import Pose, pose_of
from puzzlesat.puzzles import BuiltInstance, OfPuzzle, Solution, Solutions
from puzzlesat.solvers import LISTING

BURRTOOLS_SECONDS = 60.0
"""So long the way apart that BurrTools finds first is searched for, at most, of each assembly."""


@dataclass(frozen=True)
class Asked:
    """Of which assemblies it is asked."""

    everything: bool = False
    """Every solution, not one of each class of turned or mirrored copies."""
    limit: int | None = None
    nth: int | None = None
    file: Path | None = None
    """Where each is kept as soon as it is decided; or a file for BurrTools, which is written at the end."""
    turns: Fraction | None = None
    """Whether pieces may be turned: how much thinner they are while one is turned, in edges; None: they slide only."""

    @property
    def for_burrtools(self) -> Path | None:
        """The file, if it is to be one of BurrTools."""
        return self.file if self.file is not None and self.file.suffix.lower() == ".xmpuzzle" else None


@dataclass(frozen=True, repr=False)
class Assembly(Displayed):
    """A solution, and how it comes apart. ``print`` lists the steps; a notebook draws them."""

    built: BuiltInstance
    """The puzzle with all its placements."""
    number: int
    """Its number, from 1, in the order in which solutions are found."""
    options: tuple[int, ...]
    """The numbers of its placements: indices of ``built.placements``."""
    answer: Answer
    """The moves by which it comes apart, or why it does not."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the placements of its pieces; moves name a piece by its index here."""
        return tuple(self.built.problem.options[o] for o in self.options)

    @property
    def solution(self) -> Solution:
        """The solution that is taken apart."""
        return Solutions(self.built, [self.options])[0]

    @property
    def apart(self) -> bool | None:
        """Whether it comes apart; None if that was not decided."""
        return None if self.answer.undecided else self.answer.parting is not None

    @property
    def level(self) -> str | None:
        """In how many moves it comes apart, in the notation of BurrTools: ``"7.2.3"``; where ``least``, the smallest numbers possible."""
        return None if self.answer.parting is None else self.answer.parting.level

    @property
    def least(self) -> bool:
        """Whether the numbers of the level are known to be the smallest possible; the first one always is."""
        return self.answer.least

    @cached_property
    def burrtools_level(self) -> str | None:
        """The level that BurrTools prints, which is that of the first way apart that it finds.

        None if it does not come apart, if pieces are turned, if a tile is in several groups of ``together``, on grids where BurrTools takes
        nothing apart, and if this takes too long.
        """
        parting, built = self.answer.parting, self.built
        if parting is None or parting.turns or not takes_apart(built.puzzle.grid):
            return None
        if any(a & b for a, b in combinations(built.instance.together, 2)):
            return None  # BurrTools tries to take such pieces apart before it lets them stay together
        if max(parting.sequence) == 1 and not built.instance.together:
            return parting.level  # every way apart has single moves alone
        found = first_found(built, _pose_of(built)(self.options), Limits.of(BURRTOOLS_SECONDS, None, cpu=False).begun())
        return None if found is None else found.level

    @property
    def moves(self) -> tuple[int, ...] | None:
        """How many moves each separation takes: first the whole assembly, then the parts that stay, then the parts taken away."""
        return None if self.answer.parting is None else self.answer.parting.sequence

    @property
    def first(self) -> int | None:
        """The fewest moves until the first piece or group is away."""
        return None if self.moves is None else self.moves[0]

    @property
    def total(self) -> int | None:
        """How many moves the whole way apart has."""
        return None if self.moves is None else sum(self.moves)

    def states(self, *, seconds: float | None = None, memory: float | None = None) -> States:
        """Return the graph of its states: all positions of the pieces before the first of them is away, and the moves between these.

        If a limit ends the work, or there are more than a million states, ``complete`` is False and ``why`` tells the reason.
        """
        return graph_of_states(self, Limits.of(seconds, memory, cpu=False).begun())

    @property
    def checked(self) -> bool:
        """Whether independent code, which shares nothing with the search, confirmed it."""
        return self.answer.checked

    @property
    def record(self) -> Record:
        """The same as a JSON object, as docs/json.md describes it."""
        return as_record(self.number, self.names, self.answer) | {"burrtools_level": self.burrtools_level}

    @property
    def order(self) -> tuple[bool, list[int], int]:
        """What assemblies are sorted by: most moves first, by the first separation, then by the next ones; then by number."""
        return self.moves is None, [-n for n in self.moves or ()], self.number

    def __repr__(self) -> str:
        level = "" if self.level is None else level_words(self.level, [self])
        said = {True: f"level {level}", False: "does not come apart", None: "not decided"}[self.apart]
        return f"<Assembly {self.number:,} of {self.built.instance.name}: {said}>"

    def __str__(self) -> str:
        return "\n".join(sentences(self.answer, self.names))


@dataclass(frozen=True, repr=False)
class Apart(OfPuzzle, Displayed):
    """The solutions of a puzzle, taken apart."""

    assemblies: tuple[Assembly, ...]
    """Each solution and how it comes apart, most moves first."""
    why: str | None
    """Why not every assembly that you asked for is decided, in a sentence; None if they all are."""
    seconds: float = 0.0
    """How long the call took; CPU seconds if you asked for them."""
    turns: Fraction | None = None
    """The bevel, if pieces were turned too; None if they only slid."""

    @property
    def complete(self) -> bool:
        """Whether every assembly that you asked for is decided."""
        return self.why is None

    @property
    def levels(self) -> dict[str, int]:
        """How many assemblies there are of each level, the highest level first."""
        return dict(Counter(a.level for a in self.assemblies if a.level is not None))

    @property
    def burrtools_levels(self) -> dict[str, int]:
        """The same of the levels that BurrTools prints, as far as they are known."""
        return burrtools_levels(self.assemblies)

    @property
    def unique(self) -> bool | None:
        """Whether exactly one assembly comes apart; None if not all are decided."""
        return sum(self.levels.values()) == 1 if self.complete else None

    @property
    def unique_highest(self) -> bool | None:
        """Whether exactly one assembly has the highest level; None if that is not known."""
        levels = self.levels
        highest = [a.least for a in self.assemblies if a.level is not None and a.level == next(iter(levels))]
        if not self.complete or (sum(levels.values()) > 1 and sum(highest) < 2 and not all(highest)):
            return None
        return len(highest) == 1

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many assemblies there are, and how many come apart."""
        return f"{self.instance.title}: {self._how_many}" + ("" if self.why is None else f"; not complete: {self.why}")

    @property
    def solutions(self) -> Sequence[Solution]:
        """The solutions, in the order of ``assemblies``."""
        return Solutions(self.built, [each.options for each in self.assemblies]) if self.assemblies else ()

    @property
    def _how_many(self) -> str:
        apart = sum(self.levels.values())
        what = many(len(self.assemblies), "assembly", "assemblies")
        return f"{what}, {apart:,} come{'s' if apart == 1 else ''} apart"

    def __repr__(self) -> str:
        return f"<Apart {self.instance.name}: {self._how_many}{'' if self.complete else '; not complete'}>"


def burrtools_levels(assemblies: Iterable[Assembly]) -> dict[str, int]:
    """Return how many assemblies there are of each level that BurrTools prints, as far as these are known."""
    return dict(Counter(each.burrtools_level for each in assemblies if each.burrtools_level is not None))


def other_levels(assemblies: Sequence[Assembly]) -> str | None:
    """Return which levels BurrTools prints for some assemblies, in words; None where these are the same as ours, or not known."""
    if all(each.burrtools_level in (None, each.level) for each in assemblies):
        return None
    levels = burrtools_levels(assemblies)
    return next(iter(levels)) if len(levels) == 1 else ", ".join(f"{level} ({many_of:,})" for level, many_of in levels.items())


def level_words(level: str, assemblies: Sequence[Assembly]) -> str:
    """Return the level of some assemblies, and of how many of them it is not known to be the least."""
    unproved = sum(not each.least for each in assemblies)
    if not unproved:
        return level
    return f"{level} ({NOT_LEAST})" if unproved == len(assemblies) else f"{level} ({unproved:,} of {len(assemblies):,} {NOT_LEAST})"


@lru_cache(maxsize=1)
def _pose_of(built: BuiltInstance) -> Pose:
    return pose_of(built)


def graph_of_states(assembly: Assembly, limits: Limits, *, progress: Progress = SILENT) -> States:
    """Return the graph of the states of an assembly. Raises NotSupportedError where its pieces are turned."""
    parting, built = assembly.answer.parting, assembly.built
    if parting is not None and parting.turns:
        raise NotSupportedError("states are those of pieces that slide; leave out the turns")
    states = states_of(make_bench(built, built.instance.together), assembly.options, limits, progress=progress)
    if states.complete and parting is not None and states.first != assembly.first:
        raise ContradictionError(f"{states.first} moves lead to the nearest way out, but the first piece is away after {assembly.first}")
    return states


def bevel_of(text: str, *, turns: bool) -> Fraction | None:
    """Return the bevel for turns, None where pieces are not turned. Raises PuzzleError where it is none, or stands without turns."""
    try:
        bevel = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise PuzzleError(f"--bevel: expected a fraction such as 1/10, got {text!r}") from None
    if not 0 <= bevel < MOST_BEVEL:
        raise PuzzleError(f"--bevel: expected at least 0 and less than {MOST_BEVEL}, got {text}")
    if bevel.denominator > FINEST_BEVEL:
        raise PuzzleError(f"--bevel: expected a fraction with a denominator of at most {FINEST_BEVEL:,}, got {text}")
    if bevel and not turns:
        raise PuzzleError("--bevel needs --turns")
    return bevel if turns else None


def turn_options(turns: Fraction | None) -> str:
    """Return the options of a command that turns pieces with a bevel, or nothing."""
    return "" if turns is None else f" --turns --bevel {turns}"


def why_undecided(found: Sequence[Assembly], asked: Asked, outcome: Sequence[Outcome]) -> str | None:
    """Return why not all assemblies that are asked for are decided, in a sentence; None where they are.

    ``outcome`` has how the search for them ended, where it came to its end.
    """
    whole = len(found) == (1 if asked.nth else asked.limit) or any(one.complete for one in outcome)
    if whole and all(each.apart is not None for each in found):
        return None
    return f"stopped early, after {many(len(found), 'assembly', 'assemblies')}"


def assemblies(
    built: BuiltInstance,
    asked: Asked,
    *,
    jobs: int,
    limits: Limits,
    progress: Progress = SILENT,
    on_end: Callable[[Outcome], None] | None = None,
) -> Generator[Assembly, None, None]:
    """Yield what is known of each assembly that is asked for: found out now and kept, or from the file, held against the grid.

    Raises NotSupportedError where pieces cannot be moved, PuzzleError where the file is none, and ContradictionError where an answer fails.
    """
    store = open_store(built, None if asked.for_burrtools else asked.file, asked.turns)
    counts = Counter[str]()

    def told(assembly: Assembly) -> Assembly:
        counts.update(["assemblies", *(["that_come_apart"] if assembly.apart else [])])
        with suppress(EndedError):  # what is known is told of, whatever ends the work
            progress.of("taking apart")(counts)
        return assembly

    rows = solutions(built, LISTING, limits, distinct=not asked.everything, progress=progress, on_end=on_end)
    try:
        with closing(rows):
            first, last = (asked.nth - 1, asked.nth) if asked.nth else (0, asked.limit)
            yield from map(told, _decided(built, islice(enumerate(rows, start=1), first, last), store, asked.turns, jobs, limits, progress))
    finally:
        store.close()


def _decided(
    built: BuiltInstance,
    numbered: Iterator[tuple[int, tuple[int, ...]]],
    store: Known,
    turns: Fraction | None,
    jobs: int,
    limits: Limits,
    progress: Progress,
) -> Iterator[Assembly]:
    """Those that the file does not know as soon as they are decided, then the others."""
    known: list[tuple[int, tuple[int, ...]]] = []
    new: dict[int, int] = {}

    def names(row: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(built.problem.options[o] for o in row)

    def unknown() -> Iterator[tuple[int, ...]]:
        for number, row in numbered:
            if store.known and names(row) in store.known:
                known.append((number, row))
            else:
                new[len(new)] = number
                yield row

    for place, row, answer in answers(built, unknown(), jobs, limits, turns=turns, progress=progress):
        found = Assembly(built, new[place], row, answer)
        if store.path is not None and not answer.undecided:
            store.add(found.record)
        yield found
    if not known:
        return
    look = _second_look(built, turns, limits)
    for number, row in known:
        answer = answer_of(store.known[names(row)])
        sound, fault = look(row, answer)
        if fault is not None:
            raise ContradictionError(f"{store.path}: what it says of {' '.join(names(row))} is wrong: {fault}")
        yield Assembly(built, number, row, replace(answer, checked=sound))


def _second_look(built: BuiltInstance, turns: Fraction | None, limits: Limits) -> Callable[[tuple[int, ...], Answer], Verdict]:
    """What holds an answer from a file against the puzzle."""
    if turns is not None:
        return lambda row, answer: held_against_angles(built, row, answer, turns, limits)
    ground = ground_of(built)
    return lambda row, answer: verdicts(built, ground, [row], [answer], limits)[0]
