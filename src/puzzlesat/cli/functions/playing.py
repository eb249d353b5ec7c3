"""``puzzlesat.hint`` and ``puzzlesat.challenge``: help with a puzzle on the table, and make starting positions.

``puzzlesat.apart``: take assemblies apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlesat.base import Clock, EndedError, PuzzleError, all_cores
from puzzlesat.cli.defaults import HINT_SECONDS
from puzzlesat.cli.functions.given import LimitOptions, MachineOptions, begun, checked

if TYPE_CHECKING:
    from fractions import Fraction

    from typing_extensions import Unpack

    from puzzlesat.base import Outcome
    from puzzlesat.counting import Apart
    from puzzlesat.formats import Given
    from puzzlesat.pages import Sheet
    from puzzlesat.playing import Hint


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
        Stop after so many seconds.

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
