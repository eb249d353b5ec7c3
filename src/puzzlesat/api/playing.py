"""``puzzlesat.hint`` and ``puzzlesat.challenge``: for somebody with the puzzle on the table."""

from __future__ import annotations

from collections.abc import Sequence

from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.play.challenge import POSITIONS, any_seed, challenges, wish_of
from puzzlesat.play.hardest import hardest as fewest_given
from puzzlesat.play.hint import Hint, look_at
from puzzlesat.play.picture import read_position
from puzzlesat.play.position import position_of
from puzzlesat.play.sheet import Sheet
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
        it all in sentences.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no such placement, two overlap, or time is up before anything is known.

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
    try:
        built = build_instance(instance_given(puzzle), progress=heeding(SILENT, limits), memory=limits.memory)
        position = read_position(built, placed) if isinstance(placed, str) else position_of(built, placed, ordered=True)
        return look_at(position, more=more, limits=limits)
    except EndedError as ended:
        raise PuzzleError(f"nothing is known of the position: {ended_words(ended)}") from None


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
    """Make starting positions, from easy to hard, that can be finished in one way only, or in as many as wished.

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
        ``html`` is a page to play and to print, ``puzzlesat.draw`` a picture.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read or has no solution, no such position was found, or wishes contradict each other.

    Examples
    --------
    >>> sheet = puzzlesat.challenge("absolut-knifflig", 2, seed=1)
    >>> sheet
    <Sheet of 2 challenges of 'absolut-knifflig', seed 1>
    >>> [len(challenge.solutions) for challenge in sheet.challenges]
    [1, 1]

    """
    if (count is not None and count < 1) or completions < 1:
        raise PuzzleError(f"{'completions' if completions < 1 else 'count'}: expected 1 or more")
    if hardest and (completions != 1 or any(said is not None for said in (count, placed, most, fewest))):
        raise PuzzleError("hardest makes one position, with one completion: count, placed, most, fewest and completions are not for it")
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    told = heeding(SILENT, limits)
    wish = wish_of(completions, placed=placed, most=most, fewest=fewest)
    seed = any_seed() if seed is None else seed
    try:
        built = build_instance(instance_given(puzzle), progress=told, memory=limits.memory)
        if hardest:
            found = fewest_given(built, seed, limits, told)
            if found is None:
                raise PuzzleError("no position was made in this time")
            return Sheet(built, [found.challenge], completions, seed, found.words)
        return Sheet(built, challenges(built, POSITIONS if count is None else count, wish, seed, limits, told), completions, seed)
    except EndedError as ended:
        raise PuzzleError(f"no position was made: {ended_words(ended)}") from None
