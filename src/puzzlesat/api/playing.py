"""``puzzlesat.hint`` and ``puzzlesat.challenge``: help with a puzzle on the table, and make starting positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from puzzlesat.api import checked
from puzzlesat.cover.instance import build_instance
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.play.challenge import any_seed
from puzzlesat.play.hint import Hint, look_at, unseen
from puzzlesat.play.picture import read_position
from puzzlesat.play.position import position_of
from puzzlesat.play.sheet import Sheet
from puzzlesat.play.wished import Wished, sheet_of
from puzzlesat.progress import SILENT
from puzzlesat.solvers.run import Clock, EndedError, ended_words, heeding, limits_of
from puzzlesat.solvers.strategy import HINT_SECONDS


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
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    clock, instance = Clock(limits), instance_given(puzzle)
    try:
        built = build_instance(instance, progress=heeding(SILENT, limits), memory=limits.memory)
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
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    clock, told = Clock(limits), heeding(SILENT, limits)
    instance = instance_given(puzzle)
    try:
        sheet = sheet_of(build_instance(instance, progress=told, memory=limits.memory), wished, limits, told)
    except EndedError as ended:
        sheet = Sheet(instance, (), wished.completions, wished.seed, why=f"{ended_words(ended)}: no position was made")
    return replace(sheet, seconds=clock.seconds)
