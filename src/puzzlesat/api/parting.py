"""``puzzlesat.apart``: take assemblies apart."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from puzzlesat.api import checked
from puzzlesat.counting.assemblies import Apart, Asked, assemblies, bevel_of, why_undecided
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.exchange.solved import check_for_burrtools, write_for_burrtools
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.progress import SILENT
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import Clock, EndedError, Outcome, ended_words, heeding, limits_of


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
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    clock, told = Clock(limits), heeding(SILENT, limits)
    asked = Asked(everything, limit, nth, None if output is None else Path(output), bevel_of(str(bevel), turns=turns))
    outcome: list[Outcome] = []
    instance = instance_given(puzzle)
    try:
        built = build_instance(instance, progress=told, memory=limits.memory)
    except EndedError as ended:
        return Apart(instance, (), f"{ended_words(ended)}: nothing is known about its assemblies", clock.seconds, asked.turns)
    check_for_burrtools(built, asked)
    found = list(assemblies(built, asked, jobs=jobs or all_cores(), limits=limits, progress=told, on_end=outcome.append))
    why = why_undecided(found, asked, outcome)
    if nth is not None and not found and why is None:
        raise PuzzleError(f"{built.instance.name} has no solution {nth}")
    if asked.for_burrtools is not None:
        write_for_burrtools(asked.for_burrtools, built, asked, found, outcome, clock.seconds)
    found.sort(key=lambda each: each.order)
    return Apart(built, tuple(found), why, clock.seconds, asked.turns)
