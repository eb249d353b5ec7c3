"""``puzzlesat.apart``: which solutions come apart, in how many moves, and by which."""

from __future__ import annotations

from pathlib import Path

from puzzlesat.counting.assemblies import Apart, Asked, assemblies, why_undecided
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.progress import SILENT
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import EndedError, Outcome, ended_words, heeding, limits_of


def apart(
    puzzle: Given,
    *,
    everything: bool = False,
    limit: int | None = None,
    nth: int | None = None,
    output: str | Path | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Apart:
    """Say which solutions can be taken apart by sliding pieces, in how many moves, and by which.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns.
    everything
        Every solution, not one of each class of turned or mirrored copies.
    limit
        So many assemblies at most.
    nth
        The assembly with this number alone.
    output
        A file that keeps a line of JSON for each assembly. What is there already is not worked out again.
    jobs
        Processes at work at the same time. Default: as many as there are cores.
    seconds
        Stop after so long.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Apart
        Its ``assemblies``, those that take most moves first, how many there are of each of the ``levels``, and whether that is
        ``complete``; else ``why`` not. ``print`` says the steps of an assembly in words, a notebook shows them.

    Raises
    ------
    PuzzleError
        Where the puzzle or the file cannot be read, or there is no such assembly.
    NotSupportedError
        Where pieces are no bodies, or the form wraps around.
    OSError
        Where the file cannot be written.

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
    >>> print(str(burr).splitlines()[0])
    1. 120.1@1.3.2: 2 along -x

    """
    if nth is not None and limit is not None:
        raise PuzzleError("use nth or limit, not both")
    for name, number in (("nth", nth), ("limit", limit)):
        if number is not None and number < 1:
            raise PuzzleError(f"{name}: expected 1 or more, got {number}")
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    told = heeding(SILENT, limits)
    asked = Asked(everything, limit, nth, None if output is None else Path(output))
    outcome: list[Outcome] = []
    instance = instance_given(puzzle)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
    except EndedError as ended:
        return Apart(instance, (), f"{ended_words(ended)}: nothing is known about its assemblies")
    found = list(assemblies(built, asked, jobs=jobs or all_cores(), limits=limits, progress=told, on_end=outcome.append))
    why = why_undecided(found, asked, outcome)
    if nth is not None and not found and why is None:
        raise PuzzleError(f"{built.instance.name} has no solution {nth}")
    found.sort(key=lambda each: each.order)
    return Apart(built, tuple(found), why)
