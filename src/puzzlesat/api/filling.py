"""``puzzlesat.sets`` and ``puzzlesat.common``: sets of tiles that fill forms, and forms that each of several tiles fills."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from puzzlesat.candidates.asked import Sources
from puzzlesat.candidates.common import CommonFound, choices_of, common_of_each
from puzzlesat.candidates.each import Working
from puzzlesat.candidates.kit import kit_given
from puzzlesat.candidates.motions import NONE
from puzzlesat.candidates.results import open_results
from puzzlesat.candidates.sets import (
    SetsFound,
    by_most_sets,
    filled_together,
    forms_of_sets,
    kit_of_sets,
    open_sets,
    sets_of_each,
    together_as_json,
)
from puzzlesat.config.results import Record
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import limits_of
from puzzlesat.solvers.strategy import CHECKING_SECONDS, FORM_SECONDS, MOST_COMMON


def sets(
    tiles: Given,
    paths: Sequence[str | Path] = (),
    *,
    boxes: bool = False,
    frames: bool = False,
    shapes: bool = False,
    convex: bool = False,
    polyforms: bool = False,
    cut: Sequence[str] = (),
    symmetry: str = NONE,
    within: str | None = None,
    area: str | None = None,
    copies: int | Literal["any"] | None = None,
    together: int | None = None,
    budget: float = CHECKING_SECONDS,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
    output: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
) -> SetsFound:
    """Say which sets of tiles fill a form, each in how many ways, and which forms most sets fill.

    Parameters
    ----------
    tiles
        The tiles: what ``forms`` takes. Without forms, an instance is filled with some of its own.
    paths
        Forms: folders, puzzles (the form alone is used), text pictures (``.txt``).
    boxes
        Forms: all rectangles, parallelograms or, in space, boxes.
    frames
        Forms: all boxes with a box cut out inside.
    shapes
        Forms: the shapes that the grid knows: triangles, hexagons …
    convex
        Forms: all convex ones, in the plane.
    polyforms
        Forms: all connected ones (with ``symmetry``, where there are many).
    cut
        Forms: boxes (``"8x8"``) or shapes (``"hexagon=4"``) with faces cut out.
    symmetry
        Only made forms with these symmetries: ``"full"``, or such as ``"turn 90"`` or ``"mirror 0,mirror 90"``.
    within
        Only made forms that fit into so many rows and columns (layers first), as they lie, such as ``"8x10"``.
    area
        Make forms of so many faces, ``"60"`` or ``"56-60"``.
    copies
        Each tile up to so many times, or ``"any"`` number of times. Default: as often as it is there.
    together
        Say too which so many forms can be filled at the same time, one of them perhaps several times.
    budget
        Seconds that the listing which confirms a form may take.
    seconds
        Stop after so long, for each form.
    memory
        Gibibytes that the work on a form may take.
    cpu
        Take all seconds as CPU seconds, of this process and its children.
    output
        A file for the results, a line of JSON a form. What is there already is not counted again.
    jobs
        Forms counted at the same time. Default: as many as there are cores.
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    Returns
    -------
    SetsFound
        Its ``records``, one for each form, starting with the form that most sets fill, and ``together``. ``to_pandas`` makes a table
        of all sets; a notebook shows them with a solution of each. If a limit was reached, it is not ``complete``, and ``why``
        names the forms; ``together`` is there if everything is known.

    Raises
    ------
    PuzzleError
        Where there are no such tiles or forms.
    OSError
        Where a file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.sets("pentominoes", boxes=True, area="15")
    >>> found
    <SetsFound of 'The twelve pentominoes': 7 sets for 2 forms>
    >>> found.records[0]["form"], found.records[0]["sets"], found.records[0]["agree"]
    ('3x5', 7, True)
    >>> found.to_pandas()["tiles"].tolist()
    ['F P U', 'L N V', 'L P V', 'L T Y', 'N P U', 'P U V', 'P U Y']
    >>> puzzlesat.sets("soma").records[0]["distinct"]
    480
    >>> both = puzzlesat.sets("pentominoes", boxes=True, area="15-20", within="5x5", together=2).together
    >>> [(one["together"], one["distinct"]) for one in both if one["distinct"]]
    [(['4x5', '4x5'], 28), (['4x5', '3x5'], 29), (['3x5', '3x5'], 5)]

    """
    if copies not in (None, "any", *range(1, 10_000)):
        raise PuzzleError(f"copies: expected a number of copies from 1 to 9,999, or 'any', got {copies!r}")
    if together not in (None, *range(2, 10)):
        raise PuzzleError(f"together: expected 2 to 9 forms, got {together!r}")
    sources = Sources(tuple(Path(path) for path in paths), boxes, frames, shapes, convex, polyforms, cut, (), symmetry, within, area)
    number = None if copies == "any" else copies
    kit = kit_of_sets(tiles, own_form=sources == Sources(), copies=number, any_number=copies == "any", problem=problem)
    forms = forms_of_sets(kit, sources)
    known: dict[int, Record] = {}
    ended: list[str] = []
    working = Working(limits_of(seconds, memory, cpu=cpu), jobs or all_cores())
    with closing(open_sets(kit, None if output is None else Path(output))) as results:
        for at, record in sets_of_each(kit, forms, results, working, budget):
            if isinstance(record, str):
                ended.append(f"{forms[at].name}: {record}")
            else:
                known[at] = record
    found = SetsFound(kit, forms, by_most_sets([known[at] for at in sorted(known)]), ended=ended)
    if together is None or not found.complete:
        return found
    both = [together_as_json(found.records, one) for one in filled_together(kit, found.records, together)]
    return SetsFound(kit, forms, found.records, both)


def common(
    tiles: Given,
    names: Sequence[str] = (),
    *,
    most: int = MOST_COMMON,
    seconds: float = FORM_SECONDS,
    memory: float | None = None,
    cpu: bool = False,
    output: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
) -> CommonFound:
    """Look for the smallest form that each of two tiles fills with copies of itself (whether they are compatible).

    Parameters
    ----------
    tiles
        The tiles: what ``forms`` takes.
    names
        Two tiles or more, by their names. Default: each pair of them.
    most
        Look at forms of up to so many faces.
    seconds
        For each pair, and as many again for a second solver.
    memory
        Gibibytes that the work on a pair may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.
    output
        A file for the results, a line of JSON a pair. It goes on from what is there.
    jobs
        Pairs looked at at the same time. Default: as many as there are cores.
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    Returns
    -------
    CommonFound
        What was ``found`` for each choice of tiles: the ``area`` of the smallest form, to how many faces there is none (``none_to``), and
        to how many of these a second solver says so too (``confirmed_to``). Where a limit was reached before a form was found or all sizes
        were gone through, it is not ``complete``, and ``why`` says so. A notebook shows the forms, filled by each tile.

    Raises
    ------
    PuzzleError
        Where there are no such tiles, or one has marks or is in parts.

    Examples
    --------
    >>> found = puzzlesat.common("pentominoes", ["F", "L"])
    >>> found.found[0].area, found.found[0].none_to
    (10, 5)
    >>> found.found[0].confirmed_to
    5
    >>> puzzlesat.common("tetrominoes", most=8).to_pandas().head(3)
      tiles  area  none_to  confirmed_to
    0   I L     8        4             4
    1   I O     8        4             4
    2   I S     8        4             4

    """
    if most < 1:
        raise PuzzleError(f"most: expected 1 or more, got {most}")
    kit = kit_given(tiles, some=True, problem=problem)
    working = Working(limits_of(seconds, memory, cpu=cpu), jobs or all_cores())
    with closing(open_results(kit, None if output is None else Path(output), "common")) as results:
        found = dict(common_of_each(kit, choices_of(kit, names), most, results, working))
    return CommonFound(kit, most, [found[number] for number in sorted(found)])
