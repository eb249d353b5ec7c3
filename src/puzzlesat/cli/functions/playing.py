"""``puzzlesat.hint`` and ``puzzlesat.challenge``: help with a puzzle on the table, and make starting positions.

``puzzlesat.apart``: take assemblies apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from puzzlesat.base import SILENT, Clock, EndedError, Limits, Outcome, PuzzleError, all_cores
from puzzlesat.cli.burrtools_solutions import check_for_burrtools, write_for_burrtools
from puzzlesat.cli.functions.given import checked
from puzzlesat.counting import Apart, Asked, assemblies, bevel_of, why_undecided
from puzzlesat.formats import Given, instance_given
from puzzlesat.pages import Sheet, Wished, sheet_of
from puzzlesat.playing import Hint, any_seed, look_at, position_of, read_position, unseen
from puzzlesat.puzzles import build_instance
from puzzlesat.solvers import HINT_SECONDS


@checked
def hint(
    puzzle: Given,
    placed: Sequence[str] | str = (),
    *,
    more: bool = False,
    seconds: float = HINT_SECONDS,
    memory: float | None = None,
    cpu: bool = False,
) -> Hint:
    """Tell whether a position can be finished, and in how many ways; name a piece to take back, or one more to place.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    placed
        The names of the pieces placed, such as ``["Q.1@3.1"]``, in the order in which you placed them. Or a text picture of the position,
        as ``print`` draws a solution.
    more
        Give one more piece, a forced one if there is one.
    seconds
        Stop after so many seconds.
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

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
    limits = Limits.of(seconds, memory, cpu=cpu).begun()
    clock, instance = Clock(limits), instance_given(puzzle)
    try:
        built = build_instance(instance, progress=limits.heeding(SILENT), memory=limits.memory)
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
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Sheet:
    """Make starting positions, from easy to hard, that can be finished in exactly one way, or in a number of ways that you choose.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    count
        How many positions to make. Default: 6.
    hardest
        Make one position with as few pieces as possible that still has one way to finish. ``challenges[0].least`` tells whether this
        minimum is proven.
    placed
        How many pieces are placed in each position.
    most
        How many pieces are placed in the easiest position. Default: three quarters.
    fewest
        How many pieces are placed in the hardest position. Default: as few as possible.
    completions
        In how many ways exactly each position can be finished.
    seed
        Random seed; the same seed gives the same positions. Default: a new one.
    seconds
        Stop after so many seconds, with fewer positions.
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

    Returns
    -------
    Sheet
        ``challenges`` has the positions, each with its ``position``, its ``solutions`` and the ``nodes`` that a search needs. ``print``
        draws them in text, ``html`` is a page to play and to print, and ``puzzlesat.draw`` makes a picture. If a limit ended the work
        first, ``complete`` is False: there are fewer positions, or it is not known whether fewer pieces are enough; ``why`` tells which.

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
    wished = Wished(count, hardest, placed, most, fewest, completions, any_seed() if seed is None else seed)
    limits = Limits.of(seconds, memory, cpu=cpu).begun()
    clock, told = Clock(limits), limits.heeding(SILENT)
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
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Apart:
    """Take the solutions of a puzzle apart by sliding pieces, and count the moves.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    everything
        Take every solution, not one of each class of rotations and reflections.
    limit
        Take so many assemblies at most.
    nth
        Take only the assembly with this number.
    output
        A file that keeps one line of JSON for each assembly. Assemblies that it has already are not worked out again. If its name ends
        in ``.xmpuzzle``, it becomes a file of BurrTools with the assemblies that come apart and their steps.
    turns
        Turn pieces by quarters too, if they consist of cubes (or squares).
    bevel
        How much thinner pieces are on each side while one is turned, as a part of an edge: ``"1/10"``.
    jobs
        How many processes work at the same time. Default: one for each core.
    seconds
        Stop after so many seconds.
    memory
        Memory limit in GiB.
    cpu
        Measure the seconds as CPU seconds, child processes included.

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
    if nth is not None and limit is not None:
        raise PuzzleError("use nth or limit, not both")
    for name, number in (("nth", nth), ("limit", limit)):
        if number is not None and number < 1:
            raise PuzzleError(f"{name}: expected 1 or more, got {number}")
    limits = Limits.of(seconds, memory, cpu=cpu).begun()
    clock, told = Clock(limits), limits.heeding(SILENT)
    asked = Asked(everything, limit, nth, None if output is None else Path(output), bevel_of(str(bevel), turns=turns))
    outcome: list[Outcome] = []
    instance = instance_given(puzzle)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
    except EndedError as ended:
        return Apart(instance, (), f"{ended.words}: nothing is known about its assemblies", clock.seconds, asked.turns)
    check_for_burrtools(built, asked)
    found = list(assemblies(built, asked, jobs=jobs or all_cores(), limits=limits, progress=told, on_end=outcome.append))
    why = why_undecided(found, asked, outcome)
    if nth is not None and not found and why is None:
        raise PuzzleError(f"{built.instance.name} has no solution {nth}")
    if asked.for_burrtools is not None:
        write_for_burrtools(asked.for_burrtools, built, asked, found, outcome, clock.seconds)
    found.sort(key=lambda each: each.order)
    return Apart(built, tuple(found), why, clock.seconds, asked.turns)
