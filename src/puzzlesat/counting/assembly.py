"""List the solutions of a puzzle and decide for each whether it can be taken apart; the results can be kept in a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, islice
from pathlib import Path

from puzzlesat.base import SILENT, ContradictionError, Displayed, EndedError, Ending, Limits, NotSupportedError, Outcome, Progress, many
from puzzlesat.counting.listing import OnEnd, solutions
from puzzlesat.counting.results import Record, Results
from puzzlesat.disassembly import NOT_MINIMAL, Disassembly, States, answers, bodies_of, first_found, second_look, takes_apart
from puzzlesat.formats import pose_of
from puzzlesat.puzzles import BuiltInstance, OfPuzzle, Solution, Solutions
from puzzlesat.solvers import LISTING

BURRTOOLS_SECONDS = 60.0
"""Time limit for one assembly: the search for the disassembly that BurrTools finds first."""


@dataclass(frozen=True)
class ApartOptions:
    """Which assemblies are taken apart, and how their pieces move."""

    everything: bool = False
    """Take every solution, instead of one of each class of rotated or reflected copies."""
    limit: int | None = None
    nth: int | None = None
    file: Path | None = None
    """The file of results, written after each decision; or a file for BurrTools, written at the end."""
    turns: Fraction | None = None
    """The bevel, in edges: how much thinner pieces are while one of them is rotated. None if pieces only slide."""

    @property
    def for_burrtools(self) -> Path | None:
        """The file, if its format is that of BurrTools."""
        return self.file if self.file is not None and self.file.suffix.lower() == ".xmpuzzle" else None

    @property
    def turn_options(self) -> str:
        """The options of a command line that rotates pieces with this bevel; empty if pieces only slide."""
        return "" if self.turns is None else f" --turns --bevel {self.turns}"

    def why_undecided(self, found: Sequence[Assembly], outcome: Sequence[Outcome]) -> str | None:
        """Return a sentence on why not all assemblies are decided; None if they are.

        ``outcome`` has the outcome of the search for them, or nothing if the search did not end by itself.
        """
        whole = len(found) == (1 if self.nth else self.limit) or any(ended.complete for ended in outcome)
        if whole and all(each.apart is not None for each in found):
            return None
        return f"stopped early, after {many(len(found), 'assembly', 'assemblies')}"


@dataclass(frozen=True, repr=False)
class Assembly(Displayed):
    """A solution and its disassembly. ``print`` lists the steps; a notebook draws them."""

    built: BuiltInstance
    """The puzzle with all its placements."""
    number: int
    """The number of the solution, from 1, in the order in which solutions are found."""
    options: tuple[int, ...]
    """The numbers of the placements: indices of ``built.placements``."""
    answer: Disassembly
    """The moves that take it apart, or the reason why none do."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the placements. A move names a piece by its index in this tuple."""
        return tuple(self.built.problem.options[o] for o in self.options)

    @property
    def solution(self) -> Solution:
        """The assembled solution."""
        return Solutions(self.built, [self.options])[0]

    @property
    def apart(self) -> bool | None:
        """True if the assembly comes apart; None if this was not decided."""
        return None if self.answer.undecided else self.answer.parting is not None

    @property
    def level(self) -> str | None:
        """The moves of each separation in the notation of BurrTools: ``"7.2.3"``. They are minimal if ``least``."""
        return None if self.answer.parting is None else self.answer.parting.level

    @property
    def least(self) -> bool:
        """True if the numbers of the level are proved minimal. The first number always is."""
        return self.answer.least

    @cached_property
    def burrtools_level(self) -> str | None:
        """The level that BurrTools prints: the level of the first disassembly that BurrTools finds.

        None if the assembly does not come apart, pieces are rotated, a tile is in several groups of ``together``, BurrTools has no
        disassembly on this grid, or the time limit is reached.
        """
        parting, built = self.answer.parting, self.built
        if parting is None or parting.turns or not takes_apart(built.puzzle.grid):
            return None
        if any(a & b for a, b in combinations(built.instance.together, 2)):
            return None  # BurrTools first tries to separate such pieces, and then leaves them together
        if max(parting.sequence) == 1 and not built.instance.together:
            return parting.level  # every disassembly consists of single moves
        found = first_found(bodies_of(built), _pose_of(built)(self.options), Limits.of(BURRTOOLS_SECONDS).begun())
        return None if found is None else found.level

    @property
    def moves(self) -> tuple[int, ...] | None:
        """The number of moves of each separation: of the whole assembly, then of the part that stays, then of the part taken away."""
        return None if self.answer.parting is None else self.answer.parting.sequence

    @property
    def first(self) -> int | None:
        """The minimum number of moves that remove the first piece or group."""
        return None if self.moves is None else self.moves[0]

    @property
    def total(self) -> int | None:
        """The number of moves of the whole disassembly."""
        return None if self.moves is None else sum(self.moves)

    def states(self, *, seconds: float | None = None, memory: float | None = None) -> States:
        """Return the state graph: all positions of the pieces before the first piece is removed, and the moves between them.

        If a limit is reached, or there are more than a million states, ``complete`` is False and ``why`` tells the reason.
        """
        return self.graph(Limits.of(seconds, memory=memory).begun())

    def graph(self, limits: Limits, *, progress: Progress = SILENT) -> States:
        """Return the state graph within limits. Raises NotSupportedError if pieces are rotated."""
        parting, built = self.answer.parting, self.built
        if parting is not None and parting.turns:
            raise NotSupportedError("states are those of pieces that slide; leave out the turns")
        states = States.of(bodies_of(built), self.options, limits, progress=progress)
        if states.complete and parting is not None and states.first != self.first:
            raise ContradictionError(f"{states.first} moves lead to the nearest way out, but the first piece is away after {self.first}")
        return states

    @property
    def checked(self) -> bool:
        """True if code that shares nothing with the search confirmed the answer."""
        return self.answer.checked

    @property
    def record(self) -> Record:
        """The assembly as a JSON object; docs/json.md describes it."""
        return self.answer.record(self.number, self.names) | {"burrtools_level": self.burrtools_level}

    @property
    def order(self) -> tuple[bool, list[int], int]:
        """The sort key: assemblies with more moves in the first separation come first, then in the next; ties by number."""
        return self.moves is None, [-n for n in self.moves or ()], self.number

    @staticmethod
    def level_words(assemblies: Sequence[Assembly]) -> str:
        """Return the common level of some assemblies, and for how many of them it is not proved minimal."""
        level, unproved = str(assemblies[0].level), sum(not each.least for each in assemblies)
        if not unproved:
            return level
        return f"{level} ({NOT_MINIMAL})" if unproved == len(assemblies) else f"{level} ({unproved:,} of {len(assemblies):,} {NOT_MINIMAL})"

    @staticmethod
    def other_levels(assemblies: Sequence[Assembly]) -> str | None:
        """Return the levels that BurrTools prints, in words; None if all are equal to ours or not known."""
        if all(each.burrtools_level in (None, each.level) for each in assemblies):
            return None
        levels = burrtools_levels(assemblies)
        return next(iter(levels)) if len(levels) == 1 else ", ".join(f"{level} ({number:,})" for level, number in levels.items())

    def __repr__(self) -> str:
        level = "" if self.level is None else self.level_words([self])
        verdict = {True: f"level {level}", False: "does not come apart", None: "not decided"}[self.apart]
        return f"<Assembly {self.number:,} of {self.built.instance.name}: {verdict}>"

    def __str__(self) -> str:
        return "\n".join(self.answer.sentences(self.names))


@dataclass(frozen=True, repr=False)
class Apart(OfPuzzle, Ending, Displayed):
    """The assemblies of a puzzle, each with its disassembly."""

    assemblies: tuple[Assembly, ...]
    """The assemblies, those with most moves first."""
    turns: Fraction | None = None
    """The bevel, if pieces were also rotated; None if they only slid."""

    @property
    def levels(self) -> dict[str, int]:
        """The number of assemblies of each level, the highest level first."""
        return dict(Counter(a.level for a in self.assemblies if a.level is not None))

    @property
    def burrtools_levels(self) -> dict[str, int]:
        """The number of assemblies of each level that BurrTools prints, as far as these levels are known."""
        return burrtools_levels(self.assemblies)

    @property
    def unique(self) -> bool | None:
        """True if exactly one assembly comes apart; None if not all are decided."""
        return sum(self.levels.values()) == 1 if self.complete else None

    @property
    def unique_highest(self) -> bool | None:
        """True if exactly one assembly has the highest level; None if not known."""
        levels = self.levels
        highest = [a.least for a in self.assemblies if a.level is not None and a.level == next(iter(levels))]
        if not self.complete or (sum(levels.values()) > 1 and sum(highest) < 2 and not all(highest)):
            return None
        return len(highest) == 1

    @property
    def sentence(self) -> str:
        """One sentence: how many assemblies there are, and how many come apart."""
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
    """Return the number of assemblies of each level that BurrTools prints, as far as these levels are known."""
    return dict(Counter(each.burrtools_level for each in assemblies if each.burrtools_level is not None))


_pose_of = lru_cache(maxsize=1)(pose_of)


def assemblies(
    built: BuiltInstance, options: ApartOptions, *, jobs: int, limits: Limits, progress: Progress = SILENT, on_end: OnEnd | None = None
) -> Generator[Assembly, None, None]:
    """Yield each assembly that the options select: decided now and stored, then those read from the file and checked on the grid.

    Raises NotSupportedError if pieces cannot be moved, PuzzleError if the file is not a file of results, and ContradictionError if an
    answer fails its check.
    """
    bodies, turns, counts = bodies_of(built), options.turns, Counter[str]()
    subject = built.instance.name + ("" if turns is None else f" with turns, bevel {turns}")
    file = None if options.for_burrtools else options.file
    store = Results("apart", "puzzle", subject, _fingerprint(built, turns), file, _key)
    known: list[tuple[int, tuple[int, ...]]] = []
    new: list[int] = []

    def names(row: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(built.problem.options[o] for o in row)

    def unknown() -> Iterator[tuple[int, ...]]:
        first, last = (options.nth - 1, options.nth) if options.nth else (0, options.limit)
        for number, row in islice(enumerate(rows, start=1), first, last):
            if store.known and names(row) in store.known:
                known.append((number, row))
            else:
                new.append(number)
                yield row

    def told(assembly: Assembly) -> Assembly:
        counts.update(["assemblies", *(["that_come_apart"] if assembly.apart else [])])
        with suppress(EndedError):  # an assembly that is decided is yielded even at a limit
            progress.of("taking apart")(counts)
        return assembly

    rows = solutions(built, LISTING, limits, distinct=not options.everything, progress=progress, on_end=on_end)
    with closing(store), closing(rows):
        for place, row, answer in answers(bodies, unknown(), jobs, limits, turns=turns, progress=progress):
            found = Assembly(built, new[place], row, answer)
            if store.path is not None and not answer.undecided:
                store.add(found.record)
            yield told(found)
        if not known:
            return
        look = second_look(bodies, turns, limits)
        for number, row in known:
            answer = Disassembly.of(store.known[names(row)])
            sound, fault = look(row, answer)
            if fault is not None:
                raise ContradictionError(f"{store.path}: what it says of {' '.join(names(row))} is wrong: {fault}")
            yield told(Assembly(built, number, row, replace(answer, checked=sound)))


def _key(record: Record) -> tuple[str, ...]:
    """Return the placements of a record. Raises ValueError if its answer does not fit them."""
    answer, placements = Disassembly.of(record), tuple(map(str, record["placements"]))
    if answer.undecided or not set(answer.stuck) <= set(range(len(placements))):
        raise ValueError
    return placements


def _fingerprint(built: BuiltInstance, turns: Fraction | None) -> str:
    """Return a digest of the placements, of the groups that may stay together, and of the allowed movements."""
    grid, placements = built.puzzle.grid, built.placements
    parts = [grid.name, str(grid.gram), str(placements.puzzle.form.numbering.atoms), str([sorted(g) for g in built.instance.together])]
    parts += [] if turns is None else [f"turns {turns}"]
    found = hashlib.sha256("\n".join([*parts, *built.problem.options]).encode())
    found.update(placements.atoms.start.tobytes() + placements.atoms.numbers.tobytes())
    return found.hexdigest()[:16]
