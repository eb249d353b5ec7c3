"""The public functions for one puzzle: count, solve, prove, certify and verify, help a player, and take assemblies apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload

from puzzlesat import checker, counting, disassembly, formats, pages, playing, proofs, puzzles
from puzzlesat.base import Clock, EndedError, PuzzleError
from puzzlesat.cli.defaults import HINT_SECONDS
from puzzlesat.cli.functions.files import load
from puzzlesat.cli.functions.given import LimitOptions, ListOptions, MachineOptions, PositionOptions, begun, checked, names_of
from puzzlesat.counting import Plan
from puzzlesat.solvers import LISTING, SEED

if TYPE_CHECKING:
    from fractions import Fraction

    from typing_extensions import Unpack

    from puzzlesat.base import Limits, Outcome, Progress
    from puzzlesat.checker import Verified
    from puzzlesat.counting import Apart, ApartOptions, Assembly, Best, CoverReport, CoverSolution, Report
    from puzzlesat.formats import ExactCover, Given
    from puzzlesat.pages import Sheet
    from puzzlesat.playing import Hint
    from puzzlesat.proofs import Certified, Proof
    from puzzlesat.puzzles import BuiltInstance, Solution


@overload
def count(
    puzzle: ExactCover, *, solver: str | Sequence[str] = ..., budget: float | None = ..., full: bool = ..., **options: Unpack[LimitOptions]
) -> CoverReport: ...


@overload
def count(
    puzzle: Given, *, solver: str | Sequence[str] = ..., budget: float | None = ..., full: bool = ..., **options: Unpack[LimitOptions]
) -> Report: ...


@checked
def count(
    puzzle: Given | ExactCover,
    *,
    solver: str | Sequence[str] = Plan.solvers,
    budget: float | None = None,
    full: bool = False,
    **options: Unpack[LimitOptions],
) -> Report | CoverReport:
    """Count the solutions of puzzles, checked by independent solvers.

    Parameters
    ----------
    puzzle
        What ``load`` takes or returns, or its ``puzzle``. Or an exact cover problem that ``cover`` returned.
    solver
        Names of solvers, such as ``"backtrack,sat"``: the first counts, the others check. ``auto``: tally and backtracker take turns.
    budget
        Seconds for the certificate and the checking solvers, which then check a sample. None: 20; 1 to 5 after an accepted certificate.
    full
        Check everything, however long it takes.

    Returns
    -------
    Report
        ``sentence`` is the answer. ``counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``. ``agree`` is True if a second solver
        confirmed a part of the count and nothing contradicts it. ``rows`` has the results of each solver, ``solutions`` the solutions
        listed. If a limit ended the count, ``complete`` is False, ``why`` tells how far it was, and the counts are None.
    CoverReport
        The same for an exact cover problem. Of the counts, it has ``all``.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, there is no solver of that name, or a limit leaves nothing.

    Examples
    --------
    >>> report = puzzlesat.count("absolut-knifflig", solver="backtrack,sat")
    >>> report.counts.all, report.counts.distinct, report.agree
    (148, 37, True)

    """
    _check_counting(names := names_of(solver), budget)
    return _counted(puzzle, Plan(solvers=names, budget=budget, full=full, limits=begun(options)[0]))


def _counted(puzzle: Given | ExactCover, plan: Plan) -> Report | CoverReport:
    return counting.count_cover(puzzle, plan) if isinstance(puzzle, formats.ExactCover) else counting.count(load(puzzle), plan)


def _check_counting(names: Sequence[str], budget: float | None) -> None:
    """Raise PuzzleError if arguments of ``count`` are out of range."""
    if not names:
        raise PuzzleError("solver: give at least one, such as 'backtrack'")
    if budget is not None:
        PuzzleError.check_number("budget", budget)
        if not budget >= 0:  # also refuses NaN
            raise PuzzleError(f"budget: {budget} leaves nothing; expected 0 or more, or None for the default")


@overload
def solve(puzzle: ExactCover, *, given: Sequence[Hashable] = ..., **options: Unpack[ListOptions]) -> Iterator[CoverSolution]: ...


@overload
def solve(
    puzzle: Given,
    *,
    given: Sequence[str] = ...,
    distinct: bool = ...,
    nth: int | Sequence[int] | None = ...,
    random: int | None = ...,
    **options: Unpack[ListOptions],
) -> Iterator[Solution]: ...


@checked
def solve(
    puzzle: Given | ExactCover,
    *,
    given: Sequence[str] | Sequence[Hashable] = (),
    distinct: bool = False,
    nth: int | Sequence[int] | None = None,
    random: int | None = None,
    **options: Unpack[ListOptions],
) -> Iterator[Solution] | Iterator[CoverSolution]:
    """Find solutions, one by one: all, those with given numbers, or some at random.

    Parameters
    ----------
    puzzle
        What ``load`` takes or returns, or its ``puzzle``. Or an exact cover problem that ``cover`` returned.
    given
        Names of placements, such as ``"Q.1@3.1"``, that each solution must contain. For a cover problem, names of options.
    distinct
        Yield one solution of each class that the symmetries of the form turn into each other. With ``random``, all classes are equally
        likely.
    nth
        Numbers of solutions, from 1 to the count. The order is always the same: go through the form as the tally does; where two
        solutions first differ, the one with the earlier placement comes first.
    random
        Draw so many solutions independently; all are equally likely.

    Yields
    ------
    Solution
        Each as soon as it is found. It has the ``names`` of its placements and the ``placements`` with their atoms; ``print`` draws it.
        With ``nth`` and ``random`` it has its ``number`` and the number ``of`` all solutions.
    CoverSolution
        The same for an exact cover problem. It has the ``names`` of its options.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read; if there is no such solver, placement or solution number; if a limit leaves nothing.
    LimitReached
        If ``seconds`` or ``memory`` end the search before all solutions are found. Its ``solutions`` are those found until then.
        Reaching ``limit`` raises nothing.
    NotSupportedError
        If the solver cannot solve such a puzzle, or only counts; if there is too little memory to find solutions by their numbers.

    Examples
    --------
    >>> for solution in puzzlesat.solve("domino-and-square-3x2"):
    ...     print(*solution.names)
    I2.2@3.1 O4.1@1.1
    I2.2@1.1 O4.1@2.1

    With one piece in its place; by number and at random, out of millions:

    >>> len(list(puzzlesat.solve("soma", given=["T.4@1.3.1"], limit=100)))
    100
    >>> for solution in puzzlesat.solve("dominoes-8x8", nth=[1, 12_988_816]):
    ...     print(solution.number, "of", solution.of, solution.names[0])
    1 of 12988816 D.1@1.1
    12988816 of 12988816 D.2@1.1
    >>> [solution.number for solution in puzzlesat.solve("dominoes-8x8", random=3, seed=1)]
    [2254258, 9549657, 12814012]

    A list that a limit cut short is never taken for all solutions:

    >>> try:
    ...     found = list(puzzlesat.solve("pentominoes-6x10", seconds=0.001))
    ... except puzzlesat.LimitReached as ended:
    ...     found = ended.solutions
    >>> len(found)
    0

    """
    limit, seed, quietly = options.get("limit"), options.get("seed"), options.get("partial", False)
    _check_pick(nth, random, distinct=distinct)
    name = _one_solver(options.get("solver"))
    limits, _ = begun(options)
    to_list = replace(limits, solutions=limit, seed=None if limit is None else SEED if seed is None else seed)
    if isinstance(puzzle, formats.ExactCover):
        if nth is not None or random is not None or distinct:
            raise PuzzleError(f"nth, random and distinct are for puzzles; {puzzle.name} is a cover problem: remove them")
        return counting.solve_cover(puzzle, name or LISTING, given, to_list, quietly=quietly)
    instance = load(puzzle)
    placements = [str(placement) for placement in given]
    if nth is None and random is None:
        return counting.solve(instance, name, placements, to_list, None, distinct=distinct, quietly=quietly)
    pick = counting.Pick(
        (nth,) if isinstance(nth, int) else nth or (), random, **({} if seed is None else {"seed": seed}), distinct=distinct
    )
    return islice(counting.solve(instance, name, placements, limits, pick, distinct=distinct, quietly=quietly), limit)


def _one_solver(given: str | Sequence[str] | None) -> str | None:
    """Return the name of the solver, or None for the default. Raises PuzzleError for several solvers or an empty sequence."""
    if given is None:
        return None
    names = names_of(given)
    if len(names) != 1:
        raise PuzzleError(f"solver: 'solve' takes one solver, such as 'backtrack', got {', '.join(names) or 'none'}")
    return names[0]


def _check_pick(nth: int | Sequence[int] | None, random: int | None, *, distinct: bool) -> None:
    """Raise PuzzleError if arguments of ``solve`` contradict each other."""
    if nth is not None and random is not None:
        raise PuzzleError("use nth or random, not both")
    if nth is not None and distinct:
        raise PuzzleError("nth numbers all solutions, so it does not work with distinct; remove distinct, or use random")
    if random is not None and random < 1:
        raise PuzzleError(f"random: expected a number of solutions, 1 or more, got {random}")


@checked
def best(
    puzzle: Given, *, most: str | None = None, fewest: str | None = None, budget: float | None = None, **options: Unpack[LimitOptions]
) -> Best:
    """Find the most or the fewest pieces, and prove that it is the best.

    You get the best value, a solution, the proofs of the value, and the number of the best solutions.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    most
        Find the most ``pieces``, the largest covered ``area``, or the most ``holes``. Default: what the puzzle asks for.
    fewest
        Find the fewest ``pieces`` or ``holes``, or the smallest covered ``area``.
    budget
        Seconds for the proofs, and for the certificate and the checking solvers of the count. None: 20 CPU seconds for each.

    Returns
    -------
    Best
        ``sentence`` is the answer. ``value`` is the best value, ``solutions`` has a solution with it, ``proved_by`` names what proves that
        none is better, ``argument`` has sentences that you can check, and ``report`` is the count of the best solutions. If a limit ended
        the search, ``complete`` is False: ``value`` is the best found and ``bound`` what is proved.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, or nothing is asked for.

    Examples
    --------
    >>> found = puzzlesat.best("skew-tetrominoes-5x5")
    >>> found.value, found.proved_by, found.report.counts.distinct
    (4, ('cpsat', 'weights'), 4)
    >>> found
    <Best of 'skew-tetrominoes-5x5': At most 4 pieces fit, in 4 ways up to symmetry.>

    """
    from puzzlesat.counting import Goal
    from puzzlesat.counting import best as found_best

    _check_counting(Plan.solvers, budget)
    limits, told = begun(options)
    instance = load(puzzle)
    return found_best(instance, Goal.of_question(instance, most=most, fewest=fewest), Plan(budget=budget, limits=limits), told)


@checked
def prove(puzzle: Given, *, output: str | Path | None = None, **options: Unpack[LimitOptions]) -> Proof:
    """Prove that a puzzle has no solution, or find a solution.

    The proof is the simplest that holds: by area, by a place that no tile fits, by a side condition, by a colouring, or by search.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    output
        A file for the certificate of the proof. If there is a solution, none is written.

    Returns
    -------
    Proof
        ``solvable`` tells whether there is a solution, and ``solutions`` has it. Else ``argument`` is ``area``, ``nothing fits``,
        ``condition``, ``colouring``, ``weights``, ``tally`` or ``search``, and ``sentences`` explain it; ``certificate`` is the file. A
        notebook draws the colouring or the solution. If a limit ended the work first, ``complete`` is False, ``solvable`` is None, and
        ``why`` tells how far it was.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> proof = puzzlesat.prove("mutilated-chessboard")
    >>> proof.solvable, proof.argument, len(proof.solutions)
    (False, 'colouring', 0)
    >>> puzzlesat.prove("domino-and-square-3x2").solutions[0].names
    ('I2.2@3.1', 'O4.1@1.1')

    A proof that is not finished is no proof:

    >>> puzzlesat.prove("pentominoes-6x10", seconds=0.001).complete
    False

    """
    limits, told = begun(options)
    return proofs.Proof.of(load(puzzle), limits, certificate=None if output is None else Path(output), progress=told)


@checked
def certify(puzzle: Given, output: str | Path, *, kind: str = "tree", **options: Unpack[LimitOptions]) -> Certified:
    """Count the solutions and write a certificate of the count.

    'puzzlesat verify' and other programs can check it.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    output
        The file for the certificate.
    kind
        ``tree`` (compact), ``lrat`` (the same search as LRAT), ``cadical`` (LRAT by CaDiCaL) or ``tally`` (lists no solutions).

    Returns
    -------
    Certified
        ``counts`` has the counts that the certificate proves (``labelled``, ``all``, ``distinct``), ``size`` the bytes of the file, and
        ``work`` the work that it took. If a limit ended the work first, ``complete`` is False, ``why`` tells how far it was, and no file
        is written.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, or there is no such kind.
    NotSupportedError
        If this kind cannot hold such a puzzle.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "soma.proof"
    ...     print(puzzlesat.certify("soma", file).counts)
    ...     print(puzzlesat.verify(file, puzzle="soma").counts)
    CertifiedCounts(labelled=11520, all=11520, distinct=480)
    CertifiedCounts(labelled=11520, all=11520, distinct=480)

    """
    return proofs.Certified.of(load(puzzle), Path(output), kind, *begun(options))


@checked
def verify(file: str | Path, *, puzzle: Given | None = None, **options: Unpack[LimitOptions]) -> Verified:
    """Check certificates with a small, independent program.

    It shares no code with the solvers, and rebuilds the puzzle by itself. The programs that write certificates use its code.

    Parameters
    ----------
    file
        A certificate.
    puzzle
        Also confirm that the certificate is about this puzzle: what ``load`` takes or returns.

    Returns
    -------
    Verified
        ``counts`` has the proved counts, ``checked`` sentences on what was checked, ``believed`` on what you still have to believe.
        If a limit ended the check first, ``complete`` is False, and nothing is proved.

    Raises
    ------
    Rejected
        If the certificate proves nothing, or is of another puzzle; the message tells why.
    PuzzleError
        If the puzzle cannot be read.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> proof = puzzlesat.prove("mutilated-chessboard", output=mkdtemp() + "/chessboard.proof")
    >>> puzzlesat.verify(proof.certificate).sentence
    'accepted: the counts are labelled 0, all 0, distinct 0'

    """
    told = begun(options)[1].of("checking")
    try:
        with told.overseen():
            verified = checker.check_certificate(Path(file), partial(told, {}))
    except EndedError as ended:
        return checker.Verified(
            str(file), "", checker.CertifiedCounts(), (), (), (), (), f"{ended.words}: it is not known whether it is a proof"
        )
    if puzzle is None:
        return verified
    compared = proofs.check_states(Path(file), instance := load(puzzle), instance.name)
    return replace(verified, checked=(*verified.checked, compared), believed=verified.believed[1:])


@checked
def hint(
    puzzle: Given, placed: Sequence[str] | str = (), *, more: bool = False, seconds: float = HINT_SECONDS, **options: Unpack[MachineOptions]
) -> Hint:
    """Tell whether you can finish a position, and what to do next.

    You learn in how many ways you can finish it, which piece to take back if you cannot, and, with ``more``, one more piece.

    Parameters
    ----------
    puzzle
        What ``load`` takes or returns.
    placed
        The pieces placed, such as ``["Q.1@3.1"]``, in the order of placing; or a text picture, as ``print`` draws a solution.
    more
        Place one more piece; a forced one if possible.
    seconds
        Time limit in seconds.

    Returns
    -------
    Hint
        ``sentence`` is the answer. ``completions`` has the number of ways to finish the position (a lower bound if not ``exact``),
        ``take_back`` the pieces to take back, ``further`` the next piece. If a limit ended the count, ``complete`` is False.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, there is no such placement, or two placements overlap.

    Examples
    --------
    >>> print(puzzlesat.hint("domino-and-square-3x2", ["I2.2@3.1"], more=True))
    1 of 2 pieces is placed.
    It can be finished in one way.
    Next: O4.1@1.1. It is forced: nothing else covers [1, 1].

    """
    limits, told = begun({"seconds": seconds, **options})
    instance = load(puzzle)
    try:
        built = puzzles.build_instance(instance, progress=told, limits=limits)
        position = playing.read_position(built, placed) if isinstance(placed, str) else playing.position_of(built, placed, ordered=True)
        return playing.look_at(position, more=more, limits=limits)
    except EndedError as ended:
        return playing.unseen(instance, ended)


@checked
def challenge(puzzle: Given, count: int | None = None, *, completions: int = 1, **options: Unpack[PositionOptions]) -> Sheet:
    """Make starting positions, from easy to hard.

    Each position has exactly one solution, or as many as you choose by ``completions``.

    Parameters
    ----------
    puzzle
        What ``load`` takes or returns.
    count
        Number of positions, from easy to hard (default: 6).
    completions
        Number of ways to finish each position.

    Returns
    -------
    Sheet
        ``challenges`` has the positions, each with its ``position``, its ``solutions`` and the ``nodes`` that a search needs; ``least``
        tells whether fewer given pieces are proven not to be enough. ``print`` draws them in text, ``html`` is a page to play and to print.
        If a limit ended the work first, ``complete`` is False: there are fewer positions, or it is not known whether fewer pieces are
        enough; ``why`` tells which.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read or has no solution, there is no such position, or arguments contradict each other.

    Examples
    --------
    >>> sheet = puzzlesat.challenge("absolut-knifflig", 2, seed=1)
    >>> sheet
    <Sheet of 2 challenges of 'absolut-knifflig', seed 1>
    >>> [len(challenge.solutions) for challenge in sheet.challenges]
    [1, 1]

    """
    seed, pieces = options.get("seed"), (options.get("placed"), options.get("most"), options.get("fewest"))
    order = pages.ChallengeOrder(count, options.get("hardest", False), *pieces, completions, playing.any_seed() if seed is None else seed)
    limits, told = begun(options)
    instance = load(puzzle)
    try:
        return pages.sheet_of(puzzles.build_instance(instance, progress=told, limits=limits), order, limits, told)
    except EndedError as ended:
        return pages.Sheet(instance, (), completions, order.seed, why=f"{ended.words}: no position was made")


@checked
def apart(
    puzzle: Given,
    *,
    everything: bool = False,
    limit: int | None = None,
    nth: int | None = None,
    output: str | Path | None = None,
    turns: bool = False,
    bevel: str | Fraction = "0",
    jobs: int | None = None,
    **options: Unpack[LimitOptions],
) -> Apart:
    """Find out whether solutions can be taken apart by moving pieces.

    For each solution you see how many moves it takes, and which.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    everything
        Try every solution, not one of each class of rotations and reflections.
    limit
        Maximum number of assemblies to try.
    nth
        Number of the only assembly to try.
    output
        Keep one line of JSON per assembly in this file, and do not work out again what it has. If its name ends in .xmpuzzle, it is
        written at the end, for BurrTools to play the steps.
    turns
        Turn pieces by quarters too. For cubes, and squares in the plane.
    bevel
        With ``turns``: while a piece turns, all pieces are thinner by this part of an edge on each side, such as 1/10.
    jobs
        Number of processes (default: one per core).

    Returns
    -------
    Apart
        ``sentence`` is the answer. ``assemblies`` has each assembly with its ``level``, the level that BurrTools prints
        (``burrtools_level``) and its ``moves``, most moves first. ``levels`` tells how many there are of each level, and
        ``burrtools_levels`` of each that BurrTools prints. ``unique`` tells whether exactly one comes apart, ``unique_highest`` whether
        exactly one has the highest level. ``solutions`` are the solutions in the same order. ``print`` an assembly to read its steps; a
        notebook draws them. ``states()`` of an assembly is the graph of its states. If a limit ended the work, ``complete`` is False
        and ``why`` tells how far it was.

    Raises
    ------
    PuzzleError
        If the puzzle or the file cannot be read, or there is no assembly with this number.
    NotSupportedError
        If pieces are not solid bodies, or the form wraps around.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.apart("dubois-burr", jobs=1)
    >>> found
    <Apart dubois-burr: 2 assemblies, 1 comes apart>
    >>> found.levels
    {'6.4': 1}
    >>> burr = found.assemblies[0]
    >>> burr.number, burr.moves, burr.checked
    (2, (6, 4, 1, 1, 1), True)
    >>> burr.first, burr.total, found.unique
    (6, 13, True)
    >>> burr.states()
    <States: 9, 11 moves between them>
    >>> print(str(burr).splitlines()[0])
    1. 120.1@1.3.2: 2 along -x

    """
    from puzzlesat.cli.burrtools_solutions import write_for_burrtools

    if nth is not None and limit is not None:
        raise PuzzleError("use nth or limit, not both")
    for name, number in (("nth", nth), ("limit", limit)):
        if number is not None and number < 1:
            raise PuzzleError(f"{name}: expected 1 or more, got {number}")
    limits, told = begun(options)
    clock, instance = Clock(limits), load(puzzle)
    apart_options = counting.ApartOptions(
        everything, limit, nth, None if output is None else Path(output), disassembly.bevel_of(str(bevel), turns=turns)
    )
    try:
        built = puzzles.build_instance(instance, progress=told, limits=limits)
    except EndedError as ended:
        return counting.Apart(instance, (), apart_options.turns, why=f"{ended.words}: nothing is known about its assemblies")
    known, outcome = taken_apart(built, apart_options, jobs, limits, told)
    if nth is not None and not known.assemblies and known.why is None:
        raise PuzzleError(f"{built.instance.name} has no solution {nth}")
    if apart_options.for_burrtools is not None:
        write_for_burrtools(apart_options.for_burrtools, apart_options, known, outcome, clock.seconds)
    return known


def taken_apart(
    built: BuiltInstance,
    apart_options: ApartOptions,
    jobs: int | None,
    limits: Limits,
    told: Progress,
    tell: Callable[[Assembly], None] = lambda _: None,
) -> tuple[Apart, list[Outcome]]:
    """Take assemblies of a puzzle apart, and ``tell`` each as soon as it is decided; return all, and the end of the search for them."""
    from puzzlesat.cli.burrtools_solutions import check_for_burrtools

    check_for_burrtools(built, apart_options)
    found: list[Assembly] = []
    outcome: list[Outcome] = []
    for each in counting.assemblies(
        built, apart_options, jobs=jobs or limits.usable_cores, limits=limits, progress=told, on_end=outcome.append
    ):
        found.append(each)
        tell(each)
    why = apart_options.why_undecided(found, outcome)
    return counting.Apart(built, tuple(sorted(found, key=lambda each: each.order)), apart_options.turns, why=why), outcome
