"""``puzzlesat.forms``: many candidate forms, one set of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from puzzlesat.candidates.asked import Sources, candidates
from puzzlesat.candidates.kit import kit_given
from puzzlesat.candidates.motions import NONE
from puzzlesat.candidates.run import Order
from puzzlesat.formats.puzzles import Given
from puzzlesat.runs.asked_forms import asked_forms
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import limits_of
from puzzlesat.solvers.strategy import FORM_SECONDS


class FormsFound(list[dict[str, Any]]):
    """What is known of each form: a list of records, in the order of the forms, with the keys that docs/json.md describes."""

    def __init__(self, records: Iterable[dict[str, Any]], why: str | None) -> None:
        super().__init__(records)
        self.why = why
        """Why not all that was asked of the forms is known, in a sentence; None where it is."""

    @property
    def complete(self) -> bool:
        """Whether all is known that was asked of the forms."""
        return self.why is None


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
    """Try many forms with one set of tiles, and say of each: impossible and why, solvable, or how many solutions.

    Parameters
    ----------
    tiles
        The tiles: name or file of a model, or of an instance (with its rules); either as text or as tables; an instance that ``load``
        returned.
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
    replicas
        Forms: each tile so many times as large, for the other tiles.
    symmetry
        Only made forms with these symmetries: ``"full"``, or such as ``"turn 90"`` or ``"mirror 0,mirror 90"``.
    within
        Only made forms that fit into so many rows and columns (layers first), as they lie, such as ``"8x10"``.
    area
        Make forms of so many faces, ``"60"`` or ``"56-60"``. Default: the area of the tiles.
    some
        Tiles may be left over.
    count
        Count the solutions of each form that has one.
    seconds
        For each form.
    memory
        Gibibytes that the work on a form may take.
    cpu
        Take the seconds as CPU seconds.
    output
        A file for the results, a line of JSON a form. What is there already is not tried again.
    proofs
        A folder for the certificate of each proof that a form is impossible.
    jobs
        Forms tried at the same time. Default: as many as there are cores.
    problem
        Which of several puzzles in a file has the tiles: its number, from 1, or its name.

    Returns
    -------
    FormsFound
        A list of what is known of each form, with the keys that docs/json.md describes: ``form``, ``verdict``, ``argument``, ``all``,
        ``distinct`` … ``pandas.DataFrame`` makes a table of it. Where a form is not decided, or not counted, it is not ``complete``, and
        ``why`` says so.

    Raises
    ------
    PuzzleError
        Where there are no such tiles or forms.
    OSError
        Where a file cannot be written.

    Examples
    --------
    >>> for record in puzzlesat.forms("tetrominoes", boxes=True):
    ...     print(record["form"], record["verdict"], record["argument"])
    1x20 impossible nothing fits
    2x10 impossible nothing fits
    4x5 impossible colouring
    >>> corner = {"atoms": [[1, 1], [1, 2], [2, 1]], "copies": "any"}
    >>> corners = {"title": "Corners", "grid": "square", "flips": False, "tiles": {"V": corner}}
    >>> [(record["form"], record["all"]) for record in puzzlesat.forms(corners, boxes=True, area="6-12", count=True) if record["all"]]
    [('2x3', 2), ('2x6', 4), ('3x4', 4)]

    """
    limits = limits_of(seconds, memory, cpu=cpu)
    sources = Sources([Path(path) for path in paths], boxes, frames, shapes, convex, polyforms, cut, replicas, symmetry, within, area)
    kit = kit_given(tiles, some=some, problem=problem)
    stated = None if isinstance(tiles, Path) or (isinstance(tiles, str) and "\n" not in tiles) else kit.stated
    order = Order(kit.title, some, limits.seconds, count, problem, limits.memory, cpu, stated)
    found = candidates(kit, sources)
    file, folder = (None if path is None else Path(path) for path in (output, proofs))
    with asked_forms(kit, found, order, file, folder) as asked:
        why = asked.try_rest(jobs or all_cores(), Event(), lambda record, drawn: None)
        return FormsFound(asked.records, why or asked.why)
