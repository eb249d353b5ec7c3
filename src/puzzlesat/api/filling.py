"""``puzzlesat.sets`` and ``puzzlesat.common``: sets of tiles that fill a form, and the smallest form that several tiles fill."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

from puzzlesat.api import checked
from puzzlesat.candidates.asked import Sources
from puzzlesat.candidates.common import CommonFound, choices_of, common_of_each
from puzzlesat.candidates.each import Working
from puzzlesat.candidates.kit import kit_given
from puzzlesat.candidates.motions import NONE
from puzzlesat.candidates.results import open_results
from puzzlesat.candidates.sets import (
    FormSets,
    SetsFound,
    by_most_sets,
    filled_together,
    forms_of_sets,
    kit_of_sets,
    named_together,
    open_sets,
    sets_of_each,
)
from puzzlesat.config.results import Record
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import Clock, limits_of
from puzzlesat.solvers.strategy import CHECKING_SECONDS, FORM_SECONDS, MOST_COMMON


@checked
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
    budget: float | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
    output: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
) -> SetsFound:
    """Find which sets of tiles fill a form, each in how many ways, and which forms most sets fill.

    Parameters
    ----------
    tiles
        The tiles: whatever ``forms`` takes. If you name an instance and no form, its own form is filled with some of its tiles.
    paths
        Forms from files: folders, puzzles (only the form is used), text pictures (``.txt``).
    boxes
        Make all rectangles, parallelograms or, in space, boxes.
    frames
        Make all boxes with a box cut out inside.
    shapes
        Make the shapes that the grid knows: triangles, hexagons …
    convex
        Make all convex forms in the plane.
    polyforms
        Make all connected forms; add ``symmetry`` if there are many.
    cut
        Make boxes (``"8x8"``) or shapes (``"hexagon=4"``) with faces cut out.
    symmetry
        Of the forms made, take those with these symmetries: ``"full"``, or for example ``"turn 90"`` or ``"mirror 0,mirror 90"``.
    within
        Of the forms made, take those that fit into so many rows and columns (layers first) without turning, such as ``"8x10"``.
    area
        Make forms of so many faces, ``"60"`` or ``"56-60"``.
    copies
        How many copies of each tile there are, or ``"any"`` for any number. Default: as many as the puzzle has.
    together
        Also find which so many forms can be filled at the same time with one set of tiles; a form may be taken several times.
    budget
        Seconds for the list of solutions that confirms the counts of a form (None: 20).
    seconds
        Time limit for each form.
    memory
        Memory limit in GiB, for each form.
    cpu
        Measure all seconds as CPU seconds, child processes included.
    output
        A file for the results, one line of JSON for each form. Forms that it has already are not counted again.
    jobs
        How many forms are counted at the same time. Default: one for each core.
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    Returns
    -------
    SetsFound
        ``found`` has a ``FormSets`` for each form, and ``together`` a ``FilledTogether`` for each choice of forms. ``sentence`` sums up;
        ``to_pandas`` makes a table of all sets; a notebook draws a solution of each. If a limit was reached, ``complete`` is False and
        ``why`` names the forms; ``together`` is then empty.

    Raises
    ------
    PuzzleError
        If there are no such tiles or forms.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.sets("pentominoes", boxes=True, area="15")
    >>> found
    <SetsFound of 'The twelve pentominoes': 7 sets for 2 forms>
    >>> found.found[0].form, found.found[0].sets, found.found[0].agree
    ('3x5', 7, True)
    >>> found.to_pandas()["tiles"].tolist()
    ['F P U', 'L N V', 'L P V', 'L T Y', 'N P U', 'P U V', 'P U Y']
    >>> puzzlesat.sets("soma").found[0].distinct
    480
    >>> both = puzzlesat.sets("pentominoes", boxes=True, area="15-20", within="5x5", together=2).together
    >>> [(one.together, one.distinct) for one in both if one.distinct]
    [(('4x5', '4x5'), 28), (('4x5', '3x5'), 29), (('3x5', '3x5'), 5)]

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
    limits = limits_of(seconds, memory, cpu=cpu)
    clock, working = Clock(limits), Working(limits, jobs or all_cores())
    with closing(open_sets(kit, None if output is None else Path(output))) as results:
        for at, record in sets_of_each(kit, forms, results, working, CHECKING_SECONDS if budget is None else budget):
            if isinstance(record, str):
                ended.append(f"{forms[at].name}: {record}")
            else:
                known[at] = record
    records = by_most_sets([known[at] for at in sorted(known)])
    found = SetsFound(kit, forms, [FormSets.from_record(record) for record in records], ended=ended)
    both = [] if together is None or not found.complete else filled_together(kit, records, together)
    return replace(found, together=[named_together(records, one) for one in both], seconds=clock.seconds)


@checked
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
    """Find the smallest form that each of two tiles fills with copies of itself: whether the tiles are compatible.

    Parameters
    ----------
    tiles
        The tiles: whatever ``forms`` takes.
    names
        The names of two tiles or more. Default: each pair of tiles.
    most
        Look at forms of up to so many faces.
    seconds
        Time limit for each pair, and as much again for a second solver.
    memory
        Memory limit in GiB, for each pair.
    cpu
        Measure the seconds as CPU seconds, child processes included.
    output
        A file for the results, one line of JSON for each pair. The next call resumes there.
    jobs
        How many pairs are looked at at the same time. Default: one for each core.
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    Returns
    -------
    CommonFound
        ``found`` has a ``Common`` for each choice of tiles: the ``area`` of the smallest form; ``none_to``, up to how many faces there is
        no form; and ``confirmed_to``, up to how many faces a second solver confirms this. ``to_pandas`` makes a table, and a notebook
        draws the forms. If a limit was reached before a form was found or all sizes were tried, ``complete`` is False and ``why`` tells
        for which tiles.

    Raises
    ------
    PuzzleError
        If there are no such tiles, or one has marks or consists of several parts.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.common("pentominoes", ["F", "L"])
    >>> found.found[0].area, found.found[0].none_to, found.found[0].confirmed_to
    (10, 5, 5)
    >>> puzzlesat.common("tetrominoes", most=8).to_pandas().head(3)
      tiles  area  none_to  confirmed_to
    0   I L     8        4             4
    1   I O     8        4             4
    2   I S     8        4             4

    """
    if most < 1:
        raise PuzzleError(f"most: expected 1 or more, got {most}")
    kit = kit_given(tiles, some=True, problem=problem)
    limits = limits_of(seconds, memory, cpu=cpu)
    clock, working = Clock(limits), Working(limits, jobs or all_cores())
    with closing(open_results(kit, None if output is None else Path(output), "common")) as results:
        found = dict(common_of_each(kit, choices_of(kit, names), most, results, working))
    return CommonFound(kit, most, [found[number] for number in sorted(found)], clock.seconds)
