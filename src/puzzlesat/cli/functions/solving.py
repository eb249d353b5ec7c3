"""The public functions for one puzzle: count, solve, prove, certify and verify, help a player, and take assemblies apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload

from puzzlesat.base import Clock, EndedError, PuzzleError, all_cores, check_number
from puzzlesat.cli.defaults import HINT_SECONDS
from puzzlesat.cli.functions.given import LimitOptions, MachineOptions, begun, checked
from puzzlesat.counting import COUNTING
from puzzlesat.solvers import LISTING, SEED, names_of

if TYPE_CHECKING:
    from fractions import Fraction

    from typing_extensions import Unpack

    from puzzlesat.base import Outcome
    from puzzlesat.checker import Verified
    from puzzlesat.counting import Apart, CoverReport, CoverSolution, Report
    from puzzlesat.formats import ExactCover, Given
    from puzzlesat.pages import Sheet
    from puzzlesat.playing import Hint
    from puzzlesat.proofs import Certified, Proof
    from puzzlesat.puzzles import Solution


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
    solver: str | Sequence[str] = COUNTING,
    budget: float | None = None,
    full: bool = False,
    **options: Unpack[LimitOptions],
) -> Report | CoverReport:
    """Count the solutions of puzzles, checked by independent solvers.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; an instance that ``load`` returned, or its ``puzzle``. Or an exact cover
        problem that ``cover`` returned.
    solver
        One name (``"tally"``), several with commas (``"backtrack,sat"``), or a sequence of names. The first solver counts, the others
        check. ``auto`` lets the tally and the backtracker take turns.
    budget
        Seconds that the certificate and the checking solvers may take together. After that they check a sample. None: 20 seconds; but if a
        certificate of the whole search was accepted, the others take as long as the work before, at least 1 second and at most 5.
    full
        Check everything, however long it takes.

    Returns
    -------
    Report
        ``sentence`` is the answer. ``counts`` has ``labelled``, ``all``, ``distinct`` and ``fixed``. ``agree`` is True if a second solver
        confirmed at least a part of the count and nothing contradicts it. ``rows`` tells what each solver found, or why it refused.
        ``solutions`` are the distinct solutions that were listed. If a limit ended the count, ``complete`` is False, ``why`` tells how
        far it was, and the counts are None.
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
    >>> print(report.sentence)
    37 solutions up to symmetry; confirmed by sat
    >>> [(row.solver, row.all) for row in report.rows]
    [('backtrack', 148), ('sat', 148)]
    >>> len(report.solutions), len(report.solutions[0].names)
    (37, 9)

    A count that is not finished is never shown as a count:

    >>> stopped = puzzlesat.count("pentominoes-6x10", solver="backtrack", seconds=0.01)
    >>> stopped.complete, stopped.counts.all
    (False, None)

    """
    from puzzlesat.counting import Plan, count_cover
    from puzzlesat.counting import count as cross_checked
    from puzzlesat.formats import ExactCover, instance_given

    names = names_of(solver)
    if not names:
        raise PuzzleError("solver: give at least one, such as 'backtrack'")
    if budget is not None:
        check_number("budget", budget)
        if not budget >= 0:  # also refuses NaN
            raise PuzzleError(f"budget: {budget} leaves nothing; expected 0 or more, or None for the default")
    limits, _ = begun(options)
    clock = Clock(limits)
    plan = Plan(solvers=names, budget=budget, full=full, limits=limits)
    if isinstance(puzzle, ExactCover):
        return count_cover(puzzle, plan)
    return replace(cross_checked(instance_given(puzzle), plan), seconds=clock.seconds)


@overload
def solve(
    puzzle: ExactCover,
    *,
    solver: str | Sequence[str] | None = ...,
    given: Sequence[Hashable] = ...,
    limit: int | None = ...,
    seed: int | None = ...,
    partial: bool = ...,
    **options: Unpack[LimitOptions],
) -> Iterator[CoverSolution]: ...


@overload
def solve(
    puzzle: Given,
    *,
    solver: str | Sequence[str] | None = ...,
    given: Sequence[str] = ...,
    distinct: bool = ...,
    limit: int | None = ...,
    nth: int | Sequence[int] | None = ...,
    random: int | None = ...,
    seed: int | None = ...,
    partial: bool = ...,
    **options: Unpack[LimitOptions],
) -> Iterator[Solution]: ...


@checked
def solve(
    puzzle: Given | ExactCover,
    *,
    solver: str | Sequence[str] | None = None,
    given: Sequence[str] | Sequence[Hashable] = (),
    distinct: bool = False,
    limit: int | None = None,
    nth: int | Sequence[int] | None = None,
    random: int | None = None,
    seed: int | None = None,
    partial: bool = False,
    **options: Unpack[LimitOptions],
) -> Iterator[Solution] | Iterator[CoverSolution]:
    """Find solutions, one by one: all, those with given numbers, or some at random.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; an instance that ``load`` returned, or its ``puzzle``. Or an exact cover
        problem that ``cover`` returned.
    solver
        The name of one solver. By default ``backtrack`` lists the solutions. For ``nth`` and ``random`` the default is the tally, which
        counts and lists nothing.
    given
        Names of placements, such as ``"Q.1@3.1"``, that each solution must contain. For a cover problem, names of options.
    distinct
        Yield one solution of each class that the symmetries of the form turn into each other. With ``random``, all classes are equally
        likely.
    limit
        Stop after so many solutions. If the search finds none for a while, solutions are also looked for at random.
    nth
        Numbers of solutions, from 1 to the count. The order is always the same: go through the form as the tally does; where two
        solutions first differ, the one with the earlier placement comes first.
    random
        Draw so many solutions independently; all are equally likely.
    seed
        Random seed; the same seed gives the same solutions. Default: a new one for ``random``, else a fixed one.
    partial
        If a limit is reached, end as if there were no more solutions. By default ``LimitReached`` is raised; it has the solutions yielded
        until then, and they are kept in memory for it.

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

    With one piece in its place, and one solution of each class:

    >>> len(list(puzzlesat.solve("soma", given=["T.4@1.3.1"], limit=100)))
    100
    >>> len(list(puzzlesat.solve("absolut-knifflig", distinct=True)))
    37

    By number and at random, out of millions:

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
    >>> list(puzzlesat.solve("pentominoes-6x10", seconds=0.001, partial=True))
    []

    """
    from puzzlesat.counting import Pick, solve_cover, solve_listed, solve_numbered
    from puzzlesat.formats import ExactCover, instance_given

    _check_pick(nth, random, distinct=distinct)
    name = _one_solver(solver)
    limits, _ = begun(options)
    to_list = replace(limits, solutions=limit, seed=None if limit is None else SEED if seed is None else seed)
    if isinstance(puzzle, ExactCover):
        if nth is not None or random is not None or distinct:
            raise PuzzleError(f"nth, random and distinct are for puzzles; {puzzle.name} is a cover problem: remove them")
        return solve_cover(puzzle, name or LISTING, given, to_list, quietly=partial)
    instance = instance_given(puzzle)
    placements = [str(placement) for placement in given]
    if nth is None and random is None:
        return solve_listed(instance, name or LISTING, placements, to_list, distinct=distinct, quietly=partial)
    wanted = Pick((nth,) if isinstance(nth, int) else nth or (), random, **({} if seed is None else {"seed": seed}), distinct=distinct)
    return islice(solve_numbered(instance, name, placements, wanted, limits, quietly=partial), limit)


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
        ``condition``, ``colouring`` or ``search``, and ``sentences`` explain it; ``certificate`` is the file. A notebook draws the
        colouring or the solution. If a limit ended the work first, ``complete`` is False, ``solvable`` is None, and ``why`` tells how far
        it was.

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
    from puzzlesat.formats import instance_given
    from puzzlesat.proofs import prove_instance

    limits, told = begun(options)
    clock, certificate = Clock(limits), None if output is None else Path(output)
    proof = prove_instance(instance_given(puzzle), limits, certificate=certificate, progress=told)
    return replace(proof, seconds=clock.seconds)


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
    Counts(labelled=11520, all=11520, distinct=480)
    Counts(labelled=11520, all=11520, distinct=480)

    """
    from puzzlesat.formats import instance_given
    from puzzlesat.proofs import certify_instance, check_kind

    check_kind(kind)
    limits, told = begun(options)
    clock = Clock(limits)
    certified = certify_instance(instance_given(puzzle), Path(output), kind, limits, told)
    return replace(certified, seconds=clock.seconds)


@checked
def verify(file: str | Path, *, puzzle: Given | None = None, **options: Unpack[LimitOptions]) -> Verified:
    """Check certificates with a small, independent program.

    It shares no code with the solvers, and rebuilds the puzzle by itself. The programs that write certificates use its code.

    Parameters
    ----------
    file
        A certificate.
    puzzle
        Also confirm that the certificate is about this puzzle: whatever ``load`` takes, or an instance that it returned.

    Returns
    -------
    Verified
        ``counts`` has the counts that are proved. ``checked`` lists what was checked, ``believed`` what you still have to believe, a
        sentence each. If a limit ended the check first, ``complete`` is False, ``why`` tells how far it was, and nothing is proved.

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
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "chessboard.proof"
    ...     proof = puzzlesat.prove("mutilated-chessboard", output=file)
    ...     verified = puzzlesat.verify(file)
    >>> verified.kind, verified.counts.all
    ('weighting', 0)
    >>> verified.sentence
    'accepted: the counts are labelled 0, all 0, distinct 0'

    """
    from puzzlesat.checker import UNKNOWN, Verified, check_certificate
    from puzzlesat.formats import instance_given
    from puzzlesat.proofs import check_states

    limits, told = begun(options)
    clock = Clock(limits)
    told = told.of("checking")
    try:
        with told.overseen():
            verified = check_certificate(Path(file), partial(told, {}))
    except EndedError as ended:
        why = f"{ended.words}: it is not known whether it is a proof"
        return Verified(str(file), "", UNKNOWN, (), (), (), (), why, clock.seconds)
    if puzzle is None:
        return replace(verified, seconds=clock.seconds)
    instance = instance_given(puzzle)
    compared = check_states(Path(file), instance, instance.name)
    return replace(verified, checked=(*verified.checked, compared), believed=verified.believed[1:], seconds=clock.seconds)


@checked
def hint(
    puzzle: Given, placed: Sequence[str] | str = (), *, more: bool = False, seconds: float = HINT_SECONDS, **options: Unpack[MachineOptions]
) -> Hint:
    """Tell whether you can finish a position, and what to do next.

    You learn in how many ways you can finish it, which piece to take back if you cannot, and, with ``more``, one more piece.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    placed
        The names of the pieces placed, such as ``["Q.1@3.1"]``, in the order in which you placed them. Or a text picture of the position,
        as ``print`` draws a solution.
    more
        Place one more piece; a forced one if possible.
    seconds
        Time limit in seconds.

    Returns
    -------
    Hint
        ``sentence`` is the answer; ``print`` shows all sentences. ``completions`` tells in how many ways the position can be finished,
        if that is known. ``take_back`` has the pieces to take back, ``further`` the next piece. If a limit ended the count,
        ``complete`` is False and ``why`` tells so; ``completions.exact`` is False if there may be more ways than were found.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, there is no such placement, or two placements overlap.

    Examples
    --------
    >>> known = puzzlesat.hint("domino-and-square-3x2", ["I2.2@3.1"], more=True)
    >>> known.completions.possible, known.completions.found
    (True, 1)
    >>> known.sentence
    'It can be finished in one way.'
    >>> print(known)
    1 of 2 pieces is placed.
    It can be finished in one way.
    Next: O4.1@1.1. It is forced: nothing else covers [1, 1].

    """
    from puzzlesat.formats import instance_given
    from puzzlesat.playing import look_at, position_of, read_position, unseen
    from puzzlesat.puzzles import build_instance

    limits, told = begun({"seconds": seconds, **options})
    clock, instance = Clock(limits), instance_given(puzzle)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
        position = read_position(built, placed) if isinstance(placed, str) else position_of(built, placed, ordered=True)
        found = look_at(position, more=more, limits=limits)
    except EndedError as ended:
        found = unseen(instance, ended)
    return replace(found, seconds=clock.seconds)


@checked
def challenge(
    puzzle: Given,
    count: int | None = None,
    *,
    hardest: bool = False,
    placed: int | None = None,
    most: int | None = None,
    fewest: int | None = None,
    completions: int = 1,
    seed: int | None = None,
    **options: Unpack[LimitOptions],
) -> Sheet:
    """Make starting positions, from easy to hard.

    Each position has exactly one solution, or as many as you choose by ``completions``.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    count
        Number of positions, from easy to hard (default: 6).
    hardest
        One position with as few given pieces as possible, and whether that minimum is proven.
    placed
        Number of given pieces in each position.
    most
        Given pieces in the easiest position (default: three quarters).
    fewest
        Given pieces in the hardest position (default: as few as possible).
    completions
        Number of ways to finish each position.
    seed
        Random seed; the same seed gives the same positions (default: a new seed).

    Returns
    -------
    Sheet
        ``challenges`` has the positions, each with its ``position``, its ``solutions`` and the ``nodes`` that a search needs; ``least``
        tells whether fewer given pieces are proven not to be enough. ``print`` draws them in text, ``html`` is a page to play and to print,
        and ``puzzlesat.draw`` makes a picture. If a limit ended the work first, ``complete`` is False: there are fewer positions, or it is
        not known whether fewer pieces are enough; ``why`` tells which.

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
    from puzzlesat.formats import instance_given
    from puzzlesat.pages import ChallengeOrder, Sheet, sheet_of
    from puzzlesat.playing import any_seed
    from puzzlesat.puzzles import build_instance

    wished = ChallengeOrder(count, hardest, placed, most, fewest, completions, any_seed() if seed is None else seed)
    limits, told = begun(options)
    clock = Clock(limits)
    instance = instance_given(puzzle)
    try:
        sheet = sheet_of(build_instance(instance, progress=told, memory=limits.memory), wished, limits, told)
    except EndedError as ended:
        sheet = Sheet(instance, (), wished.completions, wished.seed, why=f"{ended.words}: no position was made")
    return replace(sheet, seconds=clock.seconds)


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
    from puzzlesat.cli.burrtools_solutions import check_for_burrtools, write_for_burrtools
    from puzzlesat.counting import Apart, ApartOptions, assemblies
    from puzzlesat.disassembly import bevel_of
    from puzzlesat.formats import instance_given
    from puzzlesat.puzzles import build_instance

    if nth is not None and limit is not None:
        raise PuzzleError("use nth or limit, not both")
    for name, number in (("nth", nth), ("limit", limit)):
        if number is not None and number < 1:
            raise PuzzleError(f"{name}: expected 1 or more, got {number}")
    limits, told = begun(options)
    clock = Clock(limits)
    asked = ApartOptions(everything, limit, nth, None if output is None else Path(output), bevel_of(str(bevel), turns=turns))
    outcome: list[Outcome] = []
    instance = instance_given(puzzle)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
    except EndedError as ended:
        return Apart(instance, (), asked.turns, why=f"{ended.words}: nothing is known about its assemblies", seconds=clock.seconds)
    check_for_burrtools(built, asked)
    found = list(assemblies(built, asked, jobs=jobs or all_cores(), limits=limits, progress=told, on_end=outcome.append))
    why = asked.why_undecided(found, outcome)
    if nth is not None and not found and why is None:
        raise PuzzleError(f"{built.instance.name} has no solution {nth}")
    if asked.for_burrtools is not None:
        write_for_burrtools(asked.for_burrtools, built, asked, found, outcome, clock.seconds)
    found.sort(key=lambda each: each.order)
    return Apart(built, tuple(found), asked.turns, why=why, seconds=clock.seconds)
