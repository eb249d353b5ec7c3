"""The public functions for many puzzles: burr designs, forms, sets of tiles, common forms, and studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from puzzlesat.base import Clock, Limits, PuzzleError, all_cores
from puzzlesat.cli.defaults import FORM_SECONDS, MAX_COMMON_FACES
from puzzlesat.cli.functions.given import FormOptions, LimitOptions, MachineOptions, checked
from puzzlesat.counting import CHECKING_SECONDS

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Unpack

    from puzzlesat.designing import Carved, CommonFound, Designed, DesignedSets, FormFound, SetsFound, Sources
    from puzzlesat.formats import Given
    from puzzlesat.studies import Ran, Study


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
    **options: Unpack[LimitOptions],
) -> Designed | DesignedSets | Carved:
    """Count all assemblies of a family of burrs, and see which come apart.

    A design says where the rods of a burr lie, and any cubes may be cut away where rods meet. Or it has pieces with free cells: then
    all sets of pieces that fill the form are found.

    Parameters
    ----------
    design
        A file, the name of a design of the package, or the tables of such a file: rods, or pieces with free cells. With ``carve``, a
        puzzle.
    apart
        Take apart every assembly in which something can move, one of each class of turned or mirrored copies.
    sample
        Take apart N assemblies that are drawn at random.
    seed
        Random seed; the same seed draws the same assemblies.
    unique
        For N assemblies of the highest levels, count the other assemblies of their pieces, and those that come apart. Of pieces with
        free cells, list the N best sets (default: 10).
    part
        With ``apart``: take only part K of N. All N parts together have each assembly once.
    carve
        The design is a puzzle: give its cells to pieces in N other ways, in search of a high level.
    output
        A file that keeps what is done, as lines of JSON. Run it again to resume.
    jobs
        Number of processes (default: one per core).

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
    from puzzlesat.designing import DesignOptions, PiecesFile, design_given, designed
    from puzzlesat.formats import instance_given

    if apart and sample is not None:
        raise PuzzleError("use apart or sample, not both")
    if sample is not None and sample < 1:
        raise PuzzleError(f"sample: expected 1 or more, got {sample}")
    if carve is not None and (carve < 1 or apart or sample is not None or unique):
        raise PuzzleError("carve: expected 1 or more, without apart, sample and unique")
    if part != "1/1" and not apart:
        raise PuzzleError("part is for apart")
    file = None if output is None else Path(output)
    asked = DesignOptions(apart, sample, seed, file, unique, DesignOptions.part_of(part), carve or 0)
    limits = Limits.of(**options)
    source = design_given(design) if carve is None else instance_given(design)
    if isinstance(source, PiecesFile) and (sample is not None or part != "1/1"):
        raise PuzzleError("sample and part are for designs of rods")
    *_, found = designed(source, asked, jobs or all_cores(), limits)
    return found


def sources_of(given: Mapping[str, Any]) -> Sources:
    """Return the sources of forms that the arguments of a call name."""
    from puzzlesat.designing import Sources

    stated = {field.name: given[field.name] for field in fields(Sources) if given.get(field.name)}
    return Sources(**stated | {"paths": tuple(map(Path, given.get("paths", ())))})


class FormsFound(list["FormFound"]):
    """The results for many forms: a list of ``FormFound``, in the order of the forms."""

    def __init__(self, found: Iterable[FormFound], total: int, why: str | None, seconds: float) -> None:
        super().__init__(found)
        self.total = total
        """The number of forms that were to be tried."""
        self.why = why
        """Why some form is not decided or not counted, in a sentence; None if the results are complete."""
        self.seconds = seconds
        """Seconds that the call took; CPU seconds with ``cpu``."""

    @property
    def complete(self) -> bool:
        """True if every form is decided and, with ``count``, counted."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many forms can be filled, and how many cannot."""
        from puzzlesat.designing import in_short

        return in_short([one.record for one in self], self.total)

    def __repr__(self) -> str:
        return f"<FormsFound: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a form; its columns are the attributes of ``FormFound``."""
        from pandas import DataFrame

        from puzzlesat.designing import FormFound

        return DataFrame([one.record for one in self], columns=[column.name for column in fields(FormFound)])


@checked
def forms(
    tiles: Given,
    paths: Sequence[str | Path] = (),
    *,
    replicas: Sequence[int] = (),
    some: bool = False,
    count: bool = False,
    seconds: float = FORM_SECONDS,
    output: str | Path | None = None,
    proofs: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
    **options: Unpack[FormOptions],
) -> FormsFound:
    """Try many forms with one set of tiles.

    You learn which forms are impossible and why, which are solvable, and, with ``count``, how many solutions each has.

    Parameters
    ----------
    tiles
        The tiles: the name or file of a model, or of an instance (its rules hold too); either as text or as tables; or an instance that
        ``load`` returned.
    paths
        Forms from files: folders, puzzles (only the form is used), text pictures (``.txt``).
    replicas
        Try each tile, enlarged K times, with the other tiles; no tile is used more often than the set has it.
    some
        Allow tiles to be left over.
    count
        Count the solutions of each solvable form.
    seconds
        Time limit per form.
    output
        A file for the results, one line of JSON for each form. Forms that it has already are not tried again.
    proofs
        Write a certificate for each impossible form into this folder.
    jobs
        Try N forms in parallel (default: one per core).
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
    from puzzlesat.designing import FormFound, Order, candidates, kit_given, open_trials, try_forms

    limits = Limits.of(seconds, memory=options.get("memory"), cpu=options.get("cpu", False))
    clock = Clock(limits)
    sources = sources_of({"paths": paths, "replicas": replicas, **options})
    kit = kit_given(tiles, some=some, problem=problem)
    stated = None if isinstance(tiles, Path) or (isinstance(tiles, str) and "\n" not in tiles) else kit.stated
    order = Order(kit.title, some, count, problem, limits, stated)
    found = candidates(kit, sources)
    file, folder = (None if path is None else Path(path) for path in (output, proofs))
    with open_trials(kit, found, order, file, folder) as trials:
        try_forms(trials, jobs or all_cores(), Event(), lambda record, drawn: None)
        known = map(FormFound.from_record, trials.records)
        return FormsFound(known, len(found), trials.why, clock.seconds)


@checked
def sets(
    tiles: Given,
    paths: Sequence[str | Path] = (),
    *,
    copies: int | Literal["any"] | None = None,
    together: int | None = None,
    budget: float | None = None,
    seconds: float | None = None,
    output: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
    **options: Unpack[FormOptions],
) -> SetsFound:
    """Find the sets of tiles that fill a form.

    You learn in how many ways each set fills it, and which forms can be filled by the most sets.

    Parameters
    ----------
    tiles
        The tiles: whatever ``forms`` takes. If you name an instance and no form, its own form is filled with some of its tiles.
    paths
        Forms from files: folders, puzzles (only the form is used), text pictures (``.txt``).
    copies
        Use each tile up to K times, or ``"any"`` number of times (default: as often as the set has it).
    together
        Also report which N forms (or N copies of one form) can be filled simultaneously from one set of tiles.
    budget
        Seconds for the list of solutions that confirms the counts of a form (None: 20).
    seconds
        Time limit for each form.
    output
        File for the results, one line of JSON per form; forms already there are skipped.
    jobs
        Count N forms in parallel (default: one per core).
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
    from puzzlesat.designing import Working, find_sets, tiles_and_forms

    if copies not in (None, "any", *range(1, 10_000)):
        raise PuzzleError(f"copies: expected a number of copies from 1 to 9,999, or 'any', got {copies!r}")
    if together not in (None, *range(2, 10)):
        raise PuzzleError(f"together: expected 2 to 9 forms, got {together!r}")
    sources = sources_of({"paths": paths, **options})
    number = None if copies == "any" else copies
    kit, forms = tiles_and_forms(tiles, sources, copies=number, any_number=copies == "any", problem=problem)
    limits = Limits.of(seconds, memory=options.get("memory"), cpu=options.get("cpu", False))
    clock, file = Clock(limits), None if output is None else Path(output)
    found = find_sets(kit, forms, file, Working(limits, jobs or all_cores()), CHECKING_SECONDS if budget is None else budget)
    both = [] if together is None or not found.complete else found.fill_together(together)
    return replace(found, together=both, seconds=clock.seconds)


@checked
def common(
    tiles: Given,
    names: Sequence[str] = (),
    *,
    most: int = MAX_COMMON_FACES,
    seconds: float = FORM_SECONDS,
    output: str | Path | None = None,
    jobs: int | None = None,
    problem: int | str | None = None,
    **options: Unpack[MachineOptions],
) -> CommonFound:
    """Find the smallest form that two tiles can each fill with copies.

    Tiles with such a form are called compatible.

    Parameters
    ----------
    tiles
        The tiles: whatever ``forms`` takes.
    names
        Names of two or more tiles (default: every pair).
    most
        Try forms of up to N faces.
    seconds
        Time limit per pair, and again for a second solver.
    output
        File for the results, one line of JSON per pair; pairs already there are skipped.
    jobs
        Try N pairs in parallel (default: one per core).
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
    from puzzlesat.designing import Working, find_common, kit_given

    if most < 1:
        raise PuzzleError(f"most: expected 1 or more, got {most}")
    kit = kit_given(tiles, some=True, problem=problem)
    limits = Limits.of(seconds, **options)
    working = Working(limits, jobs or all_cores())
    return find_common(kit, names, most, None if output is None else Path(output), working)


NO_STUDY = Path("study")
"""Path in messages about a study without a file."""


@checked
def run(
    study: Study | str | Path | Mapping[str, Any],
    store: str | Path | None = None,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    share: str | None = None,
    single: bool = False,
) -> Ran:
    r"""Run a study. Stop it whenever you like; run it again to resume.

    A study is a file that names puzzles, and says what to find out about them.

    Parameters
    ----------
    study
        The file of a study, which names puzzles and what to find out about them. Or its text, of several lines, or its tables as a
        dictionary; files that it names are then looked for in the current folder. Or a study that ``puzzlesat.studies.study`` read.
    store
        The SQLite file for all results; what it has already is not worked out again. Default: the file of the study with the suffix
        ``.sqlite``; if there is no file, one with the name of the study.
    jobs
        Number of processes (default: one per core).
    dask
        The address of a Dask scheduler whose workers compute, such as ``tcp://192.0.2.1:8786``.
    share
        Take only every N-th puzzle, starting with the I-th. Join the stores later with 'puzzlesat runs --merge'.
    single
        Accept one answer for each unit of the work, and say in the results that they were counted once. Default: two processes answer.

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
    from puzzlesat.studies import run_study, workers

    began = monotonic()
    asked, beside = _study(study)
    asked = asked if share is None else asked.share(share)
    asked = replace(asked, single=True) if single else asked
    with workers(jobs, dask) as there:
        return replace(run_study(asked, beside if store is None else Path(store), there), seconds=monotonic() - began)


def _study(given: Study | str | Path | Mapping[str, Any]) -> tuple[Study, Path]:
    """Return the study, and the default file of its store."""
    from puzzlesat.designing import file_stem
    from puzzlesat.formats import table_given, without_file
    from puzzlesat.studies import Study, read_study, study_from

    if isinstance(given, Study):
        return given, Path(f"{file_stem(given.name)}.sqlite")
    if (table := table_given(given)) is not None:
        return _study(without_file(lambda: study_from(table, NO_STUDY), NO_STUDY))
    assert isinstance(given, str | Path)
    return read_study(Path(given)), Path(given).with_suffix(".sqlite")
