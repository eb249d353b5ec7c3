"""``puzzlesat.forms``: try many forms with one set of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from puzzlesat.api import checked
from puzzlesat.candidates.asked import Sources, candidates
from puzzlesat.candidates.kit import kit_given
from puzzlesat.candidates.motions import NONE
from puzzlesat.candidates.run import FormFound, Order, in_short
from puzzlesat.formats.puzzles import Given
from puzzlesat.runs.asked_forms import asked_forms
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import Clock, limits_of
from puzzlesat.solvers.strategy import FORM_SECONDS

if TYPE_CHECKING:
    from pandas import DataFrame


class FormsFound(list[FormFound]):
    """What is known of each form: a list of ``FormFound``, in the order of the forms."""

    def __init__(self, found: Iterable[FormFound], total: int, why: str | None, seconds: float) -> None:
        super().__init__(found)
        self.total = total
        """How many forms you asked for."""
        self.why = why
        """Why not everything is known that you asked of the forms, in a sentence; None if it is."""
        self.seconds = seconds
        """How long the call took; CPU seconds if you asked for them."""

    @property
    def complete(self) -> bool:
        """Whether everything is known that you asked of the forms."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many forms can be filled, and how many cannot."""
        return in_short([one.record for one in self], self.total)

    def __repr__(self) -> str:
        return f"<FormsFound: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a form; its columns are the attributes of ``FormFound``."""
        from pandas import DataFrame

        return DataFrame([one.record for one in self], columns=[column.name for column in fields(FormFound)])


@checked
def forms(
    tiles: Given,
    paths: Sequence[str | Path] = (),
    *,
    boxes: bool = False,
    frames: bool = False,
    shapes: bool = False,
    convex: bool = False,
    polyforms: bool = False,
    cut: Sequence[str] = (),
    replicas: Sequence[int] = (),
    symmetry: str = NONE,
    within: str | None = None,
    area: str | None = None,
    some: bool = False,
    count: bool = False,
    seconds: float = FORM_SECONDS,
    memory: float | None = None,
    cpu: bool = False,
    output: str | Path | None = None,
    proofs: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
) -> FormsFound:
    """Try many forms with one set of tiles: find which are impossible and why, and which can be filled, in how many ways.

    Parameters
    ----------
    tiles
        The tiles: the name or file of a model, or of an instance (its rules hold too); either as text or as tables; or an instance that
        ``load`` returned.
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
    replicas
        Make each tile so many times as large, to be filled with the other tiles.
    symmetry
        Of the forms made, take those with these symmetries: ``"full"``, or for example ``"turn 90"`` or ``"mirror 0,mirror 90"``.
    within
        Of the forms made, take those that fit into so many rows and columns (layers first) without turning, such as ``"8x10"``.
    area
        Make forms of so many faces, ``"60"`` or ``"56-60"``. Default: the area of the tiles.
    some
        Tiles may be left over.
    count
        Count the solutions of each form that has one.
    seconds
        Time limit for each form.
    memory
        Memory limit in GiB, for each form.
    cpu
        Measure the seconds as CPU seconds.
    output
        A file for the results, one line of JSON for each form. Forms that it has already are not tried again.
    proofs
        A folder for the certificates of the impossible forms.
    jobs
        How many forms are tried at the same time. Default: one for each core.
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    Returns
    -------
    FormsFound
        A list of ``FormFound``, each with its ``form``, ``verdict``, ``argument``, ``all``, ``distinct`` and more. ``sentence`` sums up;
        ``to_pandas`` makes a table. If a form is not decided, or not counted, ``complete`` is False and ``why`` names it.

    Raises
    ------
    PuzzleError
        If there are no such tiles or forms.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.forms("tetrominoes", boxes=True)
    >>> found.sentence
    '3 forms: 0 solvable; 3 impossible (2 nothing fits, 1 colouring)'
    >>> for one in found:
    ...     print(one.form, one.verdict, one.argument)
    1x20 impossible nothing fits
    2x10 impossible nothing fits
    4x5 impossible colouring
    >>> corner = {"atoms": [[1, 1], [1, 2], [2, 1]], "copies": "any"}
    >>> corners = {"title": "Corners", "grid": "square", "flips": False, "tiles": {"V": corner}}
    >>> [(one.form, one.all) for one in puzzlesat.forms(corners, boxes=True, area="6-12", count=True) if one.all]
    [('2x3', 2), ('2x6', 4), ('3x4', 4)]

    """
    limits = limits_of(seconds, memory, cpu=cpu)
    clock = Clock(limits)
    sources = Sources([Path(path) for path in paths], boxes, frames, shapes, convex, polyforms, cut, replicas, symmetry, within, area)
    kit = kit_given(tiles, some=some, problem=problem)
    stated = None if isinstance(tiles, Path) or (isinstance(tiles, str) and "\n" not in tiles) else kit.stated
    order = Order(kit.title, some, limits.seconds, count, problem, limits.memory, cpu, stated)
    found = candidates(kit, sources)
    file, folder = (None if path is None else Path(path) for path in (output, proofs))
    with asked_forms(kit, found, order, file, folder) as asked:
        why = asked.try_rest(jobs or all_cores(), Event(), lambda record, drawn: None)
        known = map(FormFound.from_record, asked.records)
        return FormsFound(known, len(found), why or asked.why, clock.seconds)
