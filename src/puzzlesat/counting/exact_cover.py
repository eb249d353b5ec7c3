"""Exact cover problems from Python: their count as a report, and their solutions by the labels of the options."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from puzzlesat.base import Clock, Limits, Outcome, Status, many
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.cover_problem import PuzzlelessReport, count_puzzleless, puzzleless_solutions
from puzzlesat.counting.evidence import first_sentence
from puzzlesat.counting.listing import Yielded
from puzzlesat.counting.report import Disagreement, Row
from puzzlesat.formats import ExactCover
from puzzlesat.solvers import Plan


@dataclass(frozen=True)
class CoverSolution:
    """Options that cover each item as often as it must be."""

    cover: ExactCover = field(repr=False)
    """The problem that they solve."""
    options: tuple[int, ...]
    """The numbers of the options, from 0, in the order in which they were given."""

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The labels of the options: their keys in a mapping, their rows in a matrix, their lines in a file, else their items."""
        return tuple(self.cover.labels[o] for o in self.options)

    def __str__(self) -> str:
        return "\n".join(self.cover.problem.options[o] for o in self.options)


@dataclass(frozen=True, repr=False)
class CoverReport:
    """What ``count`` found out about an exact cover problem."""

    cover: ExactCover
    """The problem."""
    seconds: float
    """How long the call took; CPU seconds if you asked for them."""
    _found: PuzzlelessReport = field(repr=False)

    @property
    def name(self) -> str:
        """What the problem is called."""
        return self.cover.name

    @property
    def counts(self) -> Counts:
        """The number of solutions as ``all``; options are no copies of each other, and nothing is known of symmetries."""
        return Counts(all=self.found) if self.complete else Counts()

    @property
    def found(self) -> int:
        """How many solutions the first solver found until it stopped."""
        return self._found.found

    @property
    def complete(self) -> bool:
        """Whether the first solver went through everything: only then is the count known."""
        return self._found.complete

    @property
    def status(self) -> Status:
        """``complete``, ``limit reached``, ``interrupted`` or ``out of memory``."""
        return self._found.status

    @property
    def why(self) -> str | None:
        """Why the count is not complete, in a sentence; None if it is."""
        return self._found.why

    @property
    def agree(self) -> bool | None:
        """True if a second solver confirmed the count or a part of it, False if one contradicts, None if nothing confirmed it."""
        return self._found.agree

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many solutions, and which solvers confirmed it."""
        return first_sentence(self._found)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What each solver did."""
        return self._found.rows

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """What contradicts the count; do not trust the count while there is any."""
        return self._found.disagreements

    @property
    def solutions(self) -> tuple[CoverSolution, ...] | None:
        """The solutions that the first solver found; None if it kept none: it only counts, or there were too many."""
        rows = self._found.solutions
        return None if rows is None else tuple(CoverSolution(self.cover, tuple(row[row >= 0].tolist())) for row in rows)

    def __repr__(self) -> str:
        return f"<CoverReport on {self.name!r}: {self.sentence}>"


def count_cover(cover: ExactCover, plan: Plan) -> CoverReport:
    """Count the solutions with the first solver of the plan, and check the count with the others."""
    clock = Clock(plan.limits)
    found = count_puzzleless(cover.name, cover.problem, plan)
    return CoverReport(cover, clock.seconds, found)


def solve_cover(cover: ExactCover, solver: str, given: Sequence[Hashable], limits: Limits, *, quietly: bool) -> Iterator[CoverSolution]:
    """Yield solutions, to so many and within such limits, as ``listing.solve`` does for puzzles."""
    yielded = Yielded(cover.name, limits, quietly=quietly)
    outcome: list[Outcome] = []
    with closing(puzzleless_solutions(cover.problem, solver, limits, cover.numbers(given), on_end=outcome.append)) as found:
        for options in islice(found, limits.solutions):
            yield yielded.keep(CoverSolution(cover, options))
    if yielded.number != limits.solutions and not any(one.complete for one in outcome):
        yielded.end(f"{outcome[0].status if outcome else limits.over() or 'limit reached'} after {many(yielded.number, 'solution')}")
