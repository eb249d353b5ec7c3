"""``puzzlesat.hint`` and ``puzzlesat.challenge``: for somebody with the puzzle on the table."""

from __future__ import annotations

from collections.abc import Sequence

from puzzlesat.cover.instance import build_instance
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.play.challenge import any_seed
from puzzlesat.play.hint import Hint, look_at, unseen
from puzzlesat.play.picture import read_position
from puzzlesat.play.position import position_of
from puzzlesat.play.sheet import Sheet
from puzzlesat.play.wished import Wished, sheet_of
from puzzlesat.progress import SILENT
from puzzlesat.solvers.run import EndedError, ended_words, heeding, limits_of
from puzzlesat.solvers.strategy import HINT_SECONDS


def hint(
    puzzle: Given,
    placed: Sequence[str] | str = (),
    *,
    more: bool = False,
    seconds: float = HINT_SECONDS,
    memory: float | None = None,
    cpu: bool = False,
) -> Hint:
    """Say whether a position can be finished, in how many ways, which piece to take back, and give one more.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns.
    placed
        The pieces placed, such as ``["Q.1@3.1"]``, in the order in which they were; or a text picture of the position, as ``solve`` prints
        it.
    more
        Give one more piece, a forced one if there is one.
    seconds
        To think at most.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Hint
        ``completions`` says in how many ways it can be finished, if that is known; ``take_back`` and ``further`` what to do. ``str`` says
        it all in sentences. Where a limit was reached before the position was looked at, it is not ``complete``, and ``why`` says so.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no such placement, or two overlap.

    Examples
    --------
    >>> known = puzzlesat.hint("domino-and-square-3x2", ["I2.2@3.1"], more=True)
    >>> known.completions.possible, known.completions.found
    (True, 1)
    >>> print(known)
    1 of 2 pieces is placed.
    It can be finished in one way.
    Next: O4.1@1.1. It is forced: nothing else covers [1, 1].

    """
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    instance = instance_given(puzzle)
    try:
        built = build_instance(instance, progress=heeding(SILENT, limits), memory=limits.memory)
        position = read_position(built, placed) if isinstance(placed, str) else position_of(built, placed, ordered=True)
        return look_at(position, more=more, limits=limits)
    except EndedError as ended:
        return unseen(instance, ended)


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
        What ``load`` takes, or what it returns.
    count
        So many positions. Default: 6.
    hardest
        Make one position instead, with the fewest pieces that leave one way; ``challenges[0].least`` says whether that is proven.
    placed
        Pieces placed in each position.
    most
        Pieces placed in the easiest position. Default: three quarters.
    fewest
        Pieces placed in the hardest position. Default: as few as can be.
    completions
        In how many ways exactly each position can be finished.
    seed
        The same number gives the same positions. Default: any.
    seconds
        End after so long, with fewer positions.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Sheet
        Its ``challenges``, each with a ``position``, its ``solutions`` and the ``nodes`` that a search needs. ``str`` draws them in text;
        ``html`` is a page to play and to print, ``puzzlesat.draw`` a picture. Where a limit was reached first, it is not ``complete``,
        and ``why`` says so: there are fewer positions, or it is not known whether fewer pieces do.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read or has no solution, there is no such position, or wishes contradict each other.

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
    told = heeding(SILENT, limits)
    instance = instance_given(puzzle)
    try:
        return sheet_of(build_instance(instance, progress=told, memory=limits.memory), wished, limits, told)
    except EndedError as ended:
        return Sheet(instance, (), wished.completions, wished.seed, why=f"{ended_words(ended)}: no position was made")
