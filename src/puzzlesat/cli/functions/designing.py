"""``puzzlesat.design``: how many assemblies a family of burrs has, and which come apart.

``puzzlesat.forms``: try many forms with one set of tiles.

``puzzlesat.sets`` and ``puzzlesat.common``: sets of tiles that fill a form, and the smallest form that several tiles fill.

``puzzlesat.run``: run a study of many puzzles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from puzzlesat.base import Clock, Limits, PuzzleError, all_cores
from puzzlesat.cli.functions.given import checked
from puzzlesat.designing import (
    NONE,
    Asked,
    Carved,
    CommonFound,
    Designed,
    DesignedSets,
    FormFound,
    FormSets,
    Order,
    PiecesFile,
    SetsFound,
    Sources,
    Working,
    by_most_sets,
    candidates,
    carved,
    choices_of,
    common_of_each,
    design_given,
    designed,
    designed_sets,
    filled_together,
    forms_of_sets,
    in_short,
    kit_given,
    kit_of_sets,
    named_together,
    open_results,
    open_sets,
    part_of,
    sets_of_each,
)
from puzzlesat.formats import Given, instance_given, table_given, without_file
from puzzlesat.puzzles import Record
from puzzlesat.solvers import CHECKING_SECONDS, FORM_SECONDS, MOST_COMMON
from puzzlesat.studies import (
    COLUMNS,
    COUNT,
    End,
    Row,
    Study,
    asked_forms,
    check_workers,
    cluster,
    file_stem,
    open_to_read,
    read_study,
    row_cells,
    run_study,
    share_of,
    study_from,
    summary,
    table,
    why_open,
)

if TYPE_CHECKING:
    from pandas import DataFrame


@checked
def design(
    design: str | Path | Mapping[str, Any],
    *,
    apart: bool = False,
    sample: int | None = None,
    seed: int = 0,
    unique: int = 0,
    part: str = "1/1",
    carve: int | None = None,
    output: str | Path | None = None,
    jobs: int | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Designed | DesignedSets | Carved:
    """Count all assemblies of a family of burrs, and see which come apart.

    Parameters
    ----------
    design
        A file, the name of a design of the package, or the tables of such a file: rods, or pieces with free cells. With ``carve``, a
        puzzle.
    apart
        Take apart every assembly in which something can move, one of each class of turned or mirrored copies.
    sample
        Take apart so many assemblies, drawn at random.
    seed
        The same seed draws the same assemblies.
    unique
        For so many assemblies of the highest levels, count the other assemblies of their pieces, and those that come apart (``others``).
    part
        With ``apart``: ``"1/100"`` takes the first of a hundred parts of these assemblies. All parts together have each assembly once.
    carve
        Give the cells of a puzzle to its pieces in so many other ways, in search of a high level.
    output
        A file that keeps one line of JSON for each assembly of a sample, or for each of the small parts into which ``apart`` cuts its work.
        What it has already is not done again.
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
    Designed
        ``sentence`` is the answer. ``counted`` has the numbers of assemblies, and ``confirmed`` tells whether a second way of counting
        found the same. ``levels`` tells how many assemblies come apart at each level, and ``sets`` how many sets of pieces. ``taken`` has
        each assembly of a sample. If a limit ended the work, ``complete`` is False and ``why`` tells how far it was.
    DesignedSets
        The same for pieces with free cells. ``sets`` are the sets of pieces that fill the form, ``once`` tells how many of them have one
        assembly only, and ``shown`` are the best.
    Carved
        With ``carve``: ``best`` is the assignment of the highest level that was found, of ``searched``.

    Raises
    ------
    PuzzleError
        If the design or the file cannot be read.
    NotSupportedError
        If there are too many assemblies to count.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> found = puzzlesat.design("notchable-solid-six-piece-burrs", apart=True, jobs=1)
    >>> found
    <Designed Solid six-piece burrs of notchable pieces: 1,063 assemblies up to symmetry (12,597 in all)>
    >>> found.apart, found.levels
    (314, {'1.2': 57, '1': 257})

    """
    if apart and sample is not None:
        raise PuzzleError("use apart or sample, not both")
    if sample is not None and sample < 1:
        raise PuzzleError(f"sample: expected 1 or more, got {sample}")
    if carve is not None and (carve < 1 or apart or sample is not None or unique):
        raise PuzzleError("carve: expected 1 or more, without apart, sample and unique")
    if part != "1/1" and not apart:
        raise PuzzleError("part is for apart")
    asked = Asked(apart, sample, seed, None if output is None else Path(output), unique, part_of(part))
    limits = Limits.of(seconds, memory, cpu=cpu)
    if carve is not None:
        return carved(instance_given(design), carve, asked, limits)
    file, cores = design_given(design), jobs or all_cores()
    if isinstance(file, PiecesFile):
        if sample is not None or part != "1/1":
            raise PuzzleError("sample and part are for designs of rods")
        *_, sets = designed_sets(file, asked, cores, limits)
        return sets
    *_, found = designed(file, asked, cores, limits)
    return found


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
    limits = Limits.of(seconds, memory, cpu=cpu)
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
    limits = Limits.of(seconds, memory, cpu=cpu)
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
    limits = Limits.of(seconds, memory, cpu=cpu)
    clock, working = Clock(limits), Working(limits, jobs or all_cores())
    with closing(open_results(kit, None if output is None else Path(output), "common")) as results:
        found = dict(common_of_each(kit, choices_of(kit, names), most, results, working))
    return CommonFound(kit, most, [found[number] for number in sorted(found)], clock.seconds)


NO_STUDY = Path("study")
"""The path in messages about a study that comes from no file."""


@dataclass(frozen=True, repr=False)
class Ran:
    """The results of a study."""

    rows: tuple[Row, ...]
    """One row for each puzzle, with its ``verdict``, its counts and how they were obtained."""
    end: End
    """How the run ended; ``sentences`` has its warnings."""
    store: Path
    """The file of all results."""
    why: str | None
    """Why not everything is known that the study asks, in a sentence; None if it is."""
    seconds: float = 0.0
    """How long the call took."""

    @property
    def complete(self) -> bool:
        """Whether everything is known that the study asks."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many puzzles can be solved, how many cannot, and how many are left."""
        return summary(self.rows)

    def __repr__(self) -> str:
        return f"<Ran {self.store.name}: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a puzzle, with the columns of the CSV file that ``puzzlesat runs --export`` writes."""
        from pandas import DataFrame

        return DataFrame([row_cells(row) for row in self.rows], columns=list(COLUMNS))


@checked
def run(
    study: Study | str | Path | Mapping[str, Any],
    store: str | Path | None = None,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    share: str | None = None,
    audit: float | None = None,
) -> Ran:
    r"""Run a study, or resume it. You can stop it at any time; the next run goes on where it stopped.

    Parameters
    ----------
    study
        The file of a study, which names puzzles and what to find out about them. Or its text, of several lines, or its tables as a
        dictionary; files that it names are then looked for in the current folder. Or a study that ``puzzlesat.studies.study`` read.
    store
        The SQLite file for all results; what it has already is not worked out again. Default: the file of the study with the suffix
        ``.sqlite``; if there is no file, one with the name of the study.
    jobs
        How many processes work at the same time. Default: one for each core.
    dask
        The address of a Dask scheduler whose workers compute, such as ``tcp://192.0.2.1:8786``.
    share
        Take only every N-th puzzle, from the I-th on: ``"I/N"``.
    audit
        The share of the units, 0 to 1, that other processes work out again. Default: the value of the study, or else 1. With less than 1
        nothing is confirmed.

    Returns
    -------
    Ran
        ``rows`` has one row for each puzzle; ``to_pandas`` makes a table. ``sentence`` sums up. If something is missing that the study
        asks, ``complete`` is False and ``why`` tells what.

    Raises
    ------
    PuzzleError
        If the study or the store is wrong; ``problems`` has one sentence for each error.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "small.toml"
    ...     text = 'name = "Small"\n[[puzzles]]\nfrom = ["dominoes-4x4"]\n[[steps]]\nfind = "count"\nseconds = 60\n'
    ...     _ = file.write_text(text, encoding="utf-8")
    ...     ran = puzzlesat.run(file, jobs=1)
    >>> ran.complete, [(row.puzzle, row.all, row.distinct) for row in ran.rows]
    (True, [('dominoes-4x4', 36, 9)])
    >>> tables = {"name": "Small", "puzzles": [{"from": ["dominoes-4x4", "dominoes-6x6"]}], "steps": [{"find": "count"}]}
    >>> with TemporaryDirectory() as folder:
    ...     puzzlesat.run(tables, Path(folder) / "small.sqlite", jobs=1)
    <Ran small.sqlite: 2 puzzles: 2 solvable, 2 of them counted.>

    """
    began = monotonic()
    check_workers(jobs, dask)
    asked, beside = _study(study)
    target = beside if store is None else Path(store)
    asked = asked if share is None else share_of(asked, share)
    asked = asked if audit is None else replace(asked, audit=audit)
    with ExitStack() as stack:
        executor = None if dask is None else stack.enter_context(cluster(dask))
        end = run_study(asked, target, executor=executor, jobs=jobs)
    with open_to_read(target) as done:
        rows = tuple(table(done))
    unknown = why_open(rows, count=any(step.find == COUNT for step in asked.steps))
    said = [] if end.complete else end.sentences or ["units are left"]
    return Ran(rows, end, target, "; ".join([*said, *filter(None, [unknown])]) or None, monotonic() - began)


def _study(given: Study | str | Path | Mapping[str, Any]) -> tuple[Study, Path]:
    """The study that is meant, and the file for its store where nobody names one."""
    if isinstance(given, Study):
        return given, Path(f"{file_stem(given.name)}.sqlite")
    if (table := table_given(given)) is not None:
        return _study(without_file(lambda: study_from(table, NO_STUDY), NO_STUDY))
    assert isinstance(given, str | Path)
    return read_study(Path(given)), Path(given).with_suffix(".sqlite")
