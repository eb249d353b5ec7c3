"""The table of solvers: what each can solve, and how its problem is prepared.

A new solver needs one row here, and a module (see ``template``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from puzzlesat import base

if TYPE_CHECKING:
    from puzzlesat.base import Rows
    from puzzlesat.puzzles import CoverProblem
    from puzzlesat.solvers.coloured import Ask

LISTING = "backtrack"
"""The solver that lists solutions, if no other is named."""
TALLY = "tally"
"""The solver that counts without listing."""
ONE_BY_SAT = "sat:glucose4:commander"
"""Solver for a question asked once: its at-most-one constraints are built quickly for large forms too."""
MAX_SHAPES = 2_000_000
"""Limit of shapes in a first attempt by the tally, which takes a second or two and some hundred megabytes."""
SEED = 1
"""Seed of the solutions found at random, unless ``--seed`` gives another."""


@dataclass(frozen=True)
class SolverStep:
    """A solver and its limits, as one of several attempts."""

    solver: str
    seconds: float | None = None
    """Time limit."""
    share: float = 1.0
    """Largest share of the time left."""
    solutions: int | None = None
    """Number of solutions to look for; None: all."""
    shapes: int | None = None
    """Number of shapes beyond which the tally gives up."""

    def limits(self, clock: base.Clock) -> base.Limits:
        """Return the limits of the step, from what is left on a clock."""
        limits = replace(clock.limits, seconds=clock.share(self.share)).within(self.seconds)
        return replace(limits, solutions=self.solutions or limits.solutions, shapes=self.shapes)


QUICK = SolverStep(LISTING, seconds=1)
"""A first attempt that decides most positions and most forms."""

Feature = Literal[
    "coloured items that must be covered", "options that fill nothing once", "a limit on the number of solutions",
    "solutions that can be coloured",
]  # fmt: skip
"""Features that not every solver supports."""


Numbered = Callable[..., tuple[base.Outcome, Callable[[int], tuple[int, ...]]]]
"""See ``Solver.numbers``."""


@dataclass(frozen=True, kw_only=True)
class Solver:
    """One row of the table."""

    name: str
    says: str
    """A description in one line."""
    module: str
    """Its module, loaded when the solver is used. The module has ``prepare(problem, *variant)``, which returns an ``Ask``. If the name may
    have a variant, the module also has ``check_variant(*variant)``, which raises PuzzleError for a variant that does not exist."""
    library: str = ""
    """The library that searches for it, if there is one: a key of ``PACKAGES`` of ``base.errors``.
    Where it is not installed, the solver refuses every problem."""
    variant: tuple[str, ...] = ()
    """The parts that may follow its name, each after a colon, such as ``ENGINE``."""
    lists: bool = True
    """True if the solver lists solutions; False if it only counts them."""
    numbers: str = ""
    """The module of ``numbered(problem, limits, given=…, progress=…)``, if the solver can find the n-th solution without listing the ones
    before it. The function returns an outcome, and a function that finds a solution by its number, from 0."""
    cannot: frozenset[Feature] = frozenset()
    """The features that the solver rejects."""
    broken: bool = False
    """True if the solver checks counts with the symmetry broken. The other solvers check the symmetry breaking."""
    implied: bool = True
    """True if the solver gets the conditions that follow from coverage, such as chess parity. The other solvers check these conditions."""
    in_one_run: int = 3000
    """Number of solutions up to which the solver checks the whole problem in one run. Beyond it, the solver checks subproblems."""

    @property
    def lacks(self) -> str | None:
        """A sentence on the library that is not installed; None if the solver can be used."""
        return base.NotSupportedError.missing(self.library)


SOLVERS: dict[str, Solver] = {
    row.name: row
    for row in (
        Solver(
            name="backtrack",
            says="exhaustive search by bitsets, or by sparse sets where those would be too large, compiled by numba",
            module="puzzlesat.solvers.backtrack",
            variant=("LAYOUT",),
            cannot=frozenset({"coloured items that must be covered"}),
            in_one_run=200_000,
        ),
        Solver(
            name="tally",
            says="a dynamic programme that counts without listing, compiled by numba",
            module="puzzlesat.solvers.tally.solve",
            lists=False,
            numbers="puzzlesat.solvers.tally.ranks",
            cannot=frozenset({
                "coloured items that must be covered", "options that fill nothing once", "a limit on the number of solutions",
                "solutions that can be coloured",
            }),
            implied=False,
        ),
        Solver(
            name="sat",
            says="clauses and a CDCL solver of python-sat (sat:ENGINE chooses it, sat:ENGINE:ENCODING the encoding too)",
            module="puzzlesat.solvers.sat",
            library="pysat",
            variant=("ENGINE", "ENCODING"),
            broken=True,
            implied=False,
        ),
        Solver(
            name="cpsat",
            says="a constraint model and OR-Tools CP-SAT",
            module="puzzlesat.solvers.cpsat",
            library="ortools",
            broken=True,
        ),
    )
}  # fmt: skip


def family(name: str) -> str:
    """Return the part of a solver's name that names its search code."""
    return name.split(":")[0]


def entry(name: str) -> Solver:
    """Return the row of a solver, with or without a variant. Raises PuzzleError if the table has no such name."""
    if family(name) not in SOLVERS:
        raise base.PuzzleError(f"there is no solver {name!r}{base.near_match(family(name), SOLVERS)}")
    return SOLVERS[family(name)]


def lists(name: str) -> bool:
    """Return whether the solver with this name lists solutions. The tally and a certificate only count them."""
    return family(name) in SOLVERS and SOLVERS[family(name)].lists


def numbering(name: str) -> Numbered | None:
    """Return the function that numbers the solutions of a problem without listing them; None if the solver has none."""
    module = entry(name).numbers
    return import_module(module).numbered if module else None


def listing() -> list[str]:
    """Return the names of all solvers that list solutions."""
    return [name for name, row in SOLVERS.items() if row.lists]


def spelled(names: Iterable[str]) -> str:
    """Return names of solvers as a help text lists them, the variants at the end: ``backtrack, sat, sat:ENGINE[:ENCODING]``."""
    rows = [entry(name) for name in names]
    variants = [f"{row.name}:{'[:'.join(row.variant)}{']' * (len(row.variant) - 1)}" for row in rows if row.variant]
    return ", ".join([*(row.name for row in rows), *variants])


def as_told(name: str, problem: CoverProblem) -> CoverProblem:
    """Return the problem with or without the conditions that follow from coverage, as the row of the solver says."""
    return problem if entry(name).implied else problem.without_implied()


def solver(name: str) -> Callable[[CoverProblem], Ask]:
    """Return a function that prepares a solver, named as in the table or as ``sat:ENGINE`` or ``sat:ENGINE:ENCODING``, for a problem.

    The prepared solver can be queried many times. If memory runs out, its outcome says so and has the number of solutions listed so far.
    Raises PuzzleError for an unknown name. The prepared solver raises ContradictionError if an outcome has another solver's name. A solver
    without its library cannot be prepared: NotSupportedError.
    """
    row, variant = entry(name), name.split(":")[1:]
    if len(variant) > len(row.variant):
        raise base.PuzzleError(f"there is no solver {name!r}{base.near_match(row.name, SOLVERS)}")
    if row.lacks is not None:
        return partial(_without_library, row)
    module = import_module(row.module)
    if variant:
        module.check_variant(*variant)
    return partial(_prepared, row, module, variant)


def _without_library(row: Solver, _problem: CoverProblem) -> Ask:
    raise base.NotSupportedError(f"{row.name}: {row.lacks}")


def _prepared(row: Solver, module: ModuleType, variant: Sequence[str], problem: CoverProblem) -> Ask:
    """Return a solver that stops when memory runs out, as it stops when time is up."""
    asks: list[Ask] = []

    def prepare() -> Ask:
        if problem.colouring is None:
            made: Ask = module.prepare(problem, *variant)
            return made
        from puzzlesat.solvers.coloured import only_coloured, refusing

        if "solutions that can be coloured" in row.cannot:
            return refusing(problem, row.name)
        return only_coloured(problem, module.prepare(replace(problem, colouring=None), *variant), row.name)

    def ask(
        on_solutions: base.OnSolutions | None, limits: base.Limits, *, given: Sequence[int] = (), progress: base.Progress = base.SILENT
    ) -> base.Outcome:
        clock, found = base.Clock(limits), 0
        progress = replace(progress, overseen=limits.heeding(progress).overseen)  # the limits hold during the preparation, too

        def counted(rows: Rows) -> None:
            nonlocal found
            if on_solutions is not None:
                on_solutions(rows)
            found += len(rows)

        try:
            if not asks:
                asks.append(prepare())
            outcome = asks[0](None if on_solutions is None else counted, limits, given=given, progress=progress)
        except (MemoryError, RuntimeError) as error:
            if not base.NoMemoryError.is_behind(error):
                raise
            return base.Outcome(row.name, found, "out of memory", clock.seconds, {})
        except base.EndedError as ended:  # before the search has begun, or between two checks of its limits
            return base.Outcome(row.name, found, ended.status, clock.seconds, ended.counters)
        if outcome.solver != row.name:
            raise base.ContradictionError(f"the solver {row.name!r} was asked, and {outcome.solver!r} has answered")
        return outcome

    with suppress(MemoryError):  # ``ask`` prepares the solver again, and reports the error
        asks.append(prepare())
    return ask
