"""The public functions for many puzzles: burr designs, forms, sets of tiles, common forms, and studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

from puzzlesat import designing, formats, studies
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.cli.defaults import FORM_SECONDS, MAX_COMMON_FACES
from puzzlesat.cli.functions.files import load
from puzzlesat.cli.functions.given import LimitOptions, SetOptions, TrialOptions, WorkOptions, checked, file_of, limits_per_form
from puzzlesat.counting import CHECKING_SECONDS

if TYPE_CHECKING:
    from pandas import DataFrame
    from typing_extensions import Unpack

    from puzzlesat.designing import Carved, CommonFound, Designed, DesignedSets, FormFound, FormTrials, SetsFound, Sources
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
    if apart and sample is not None:
        raise PuzzleError("use apart or sample, not both")
    if sample is not None and sample < 1:
        raise PuzzleError(f"sample: expected 1 or more, got {sample}")
    if carve is not None and (carve < 1 or apart or sample is not None or unique):
        raise PuzzleError("carve: expected 1 or more, without apart, sample and unique")
    if part != "1/1" and not apart:
        raise PuzzleError("part is for apart")
    file = None if output is None else Path(output)
    design_options = designing.DesignOptions(apart, sample, seed, file, unique, designing.DesignOptions.part_of(part), carve or 0)
    limits = Limits.of(**options)
    source = designing.design_given(design) if carve is None else load(design)
    if isinstance(source, designing.PiecesFile) and (sample is not None or part != "1/1"):
        raise PuzzleError("sample and part are for designs of rods")
    *_, found = designing.designed(source, design_options, jobs or Limits().usable_cores, limits)
    return found


def sources_of(given: Mapping[str, Any]) -> Sources:
    """Return the sources of forms that the arguments of a call name."""
    stated = {field.name: given[field.name] for field in fields(designing.Sources) if given.get(field.name)}
    return designing.Sources(**stated | {"paths": tuple(map(Path, given.get("paths", ())))})


def trials_of(tiles: Given, given: Mapping[str, Any], limits: Limits, file: Path | None) -> AbstractContextManager[FormTrials]:
    """Return the trials of the forms that the arguments of a call name, with their results in ``file``."""
    kit = designing.Kit.of(tiles, some=given.get("some", False), problem=given.get("problem"))
    effort = designing.Effort(limits, given.get("count", False))
    return designing.FormTrials.in_file(kit, sources_of(given).candidates(kit), effort, file, file_of(given, "proofs"))


class FormsFound(list["FormFound"]):
    """The results for many forms: a list of ``FormFound``, in the order of the forms."""

    def __init__(self, found: Iterable[FormFound], total: int, why: str | None) -> None:
        super().__init__(found)
        self.total = total
        """The number of forms that were to be tried."""
        self.why = why
        """Why some form is not decided or not counted, in a sentence; None if the results are complete."""
        self.seconds = 0.0
        """Seconds that the call took; CPU seconds with ``cpu``."""

    @property
    def complete(self) -> bool:
        """True if every form is decided and, with ``count``, counted."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many forms can be filled, and how many cannot."""
        return designing.FormFound.summary([form.record for form in self], self.total)

    def __repr__(self) -> str:
        return f"<FormsFound: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a form; its columns are the attributes of ``FormFound``."""
        from pandas import DataFrame

        return DataFrame([form.record for form in self], columns=[column.name for column in fields(designing.FormFound)])


@checked
def forms(tiles: Given, paths: Sequence[str | Path] = (), *, seconds: float = FORM_SECONDS, **options: Unpack[TrialOptions]) -> FormsFound:
    """Try many forms with one set of tiles.

    You learn which forms are impossible and why, which are solvable, and, with ``count``, how many solutions each has.

    Parameters
    ----------
    tiles
        The name or file of a model, or of an instance (its rules hold too); either as text or as tables; or an instance.
    paths
        Forms from files: folders, puzzles (only the form is used), text pictures (``.txt``).
    seconds
        Time limit per form.

    Returns
    -------
    FormsFound
        A list of ``FormFound``; ``sentence`` sums up. If a form is not decided, or not counted, ``complete`` is False and ``why`` names it.

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
    >>> corner = {"title": "V", "grid": "square", "flips": False, "tiles": {"V": {"atoms": [[1, 1], [1, 2], [2, 1]], "copies": "any"}}}
    >>> [(one.form, one.all) for one in puzzlesat.forms(corner, boxes=True, area="6-12", count=True) if one.all]
    [('2x3', 2), ('2x6', 4), ('3x4', 4)]

    """
    limits = limits_per_form(seconds, options)
    with trials_of(tiles, {"paths": paths, **options}, limits, file_of(options)) as trials:
        trials.run(options.get("jobs") or limits.usable_cores, Event(), lambda record, drawn: None)
        return FormsFound(map(designing.FormFound.from_record, trials.records), len(trials.tasks), trials.why)


@checked
def sets(
    tiles: Given, paths: Sequence[str | Path] = (), *, copies: int | Literal["any"] | None = None, **options: Unpack[SetOptions]
) -> SetsFound:
    """Find the sets of tiles that fill a form.

    You learn in how many ways each set fills it, and which forms can be filled by the most sets.

    Parameters
    ----------
    tiles
        The tiles, as ``forms`` takes them. If you name an instance and no form, its own form is filled with some of its tiles.
    paths
        Forms from files: folders, puzzles (only the form is used), text pictures (``.txt``).
    copies
        Use each tile up to K times, or ``"any"`` number of times (default: as often as the set has it).

    Returns
    -------
    SetsFound
        ``found`` has a ``FormSets`` for each form, ``together`` a ``FilledTogether`` for each choice of forms. ``to_pandas`` makes a
        table of all sets. If a limit was reached, ``complete`` is False, ``why`` names the forms, and ``together`` is empty.

    Raises
    ------
    PuzzleError
        If there are no such tiles or forms.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> puzzlesat.sets("pentominoes", boxes=True, area="15")
    <SetsFound of 'The twelve pentominoes': 7 sets for 2 forms>
    >>> both = puzzlesat.sets("pentominoes", boxes=True, area="15-20", within="5x5", together=2).together
    >>> [(one.together, one.distinct) for one in both if one.distinct]
    [(('4x5', '4x5'), 28), (('4x5', '3x5'), 29), (('3x5', '3x5'), 5)]

    """
    if copies not in (None, "any", *range(1, 10_000)):
        raise PuzzleError(f"copies: expected a number of copies from 1 to 9,999, or 'any', got {copies!r}")
    if (together := options.get("together")) not in (None, *range(2, 10)):
        raise PuzzleError(f"together: expected 2 to 9 forms, got {together!r}")
    sources, number = sources_of({"paths": paths, **options}), None if copies == "any" else copies
    kit, forms = sources.of_sets(tiles, copies=number, any_number=copies == "any", problem=options.get("problem"))
    limits, budget = limits_per_form(options.get("seconds"), options), options.get("budget")
    working = designing.Working(limits, options.get("jobs") or limits.usable_cores)
    found = designing.find_sets(kit, forms, file_of(options), working, CHECKING_SECONDS if budget is None else budget)
    return found if together is None or not found.complete else replace(found, together=found.fill_together(together))


@checked
def common(
    tiles: Given, names: Sequence[str] = (), *, most: int = MAX_COMMON_FACES, seconds: float = FORM_SECONDS, **options: Unpack[WorkOptions]
) -> CommonFound:
    """Find the smallest form that two tiles can each fill with copies.

    Tiles with such a form are called compatible.

    Parameters
    ----------
    tiles
        The tiles, as ``forms`` takes them.
    names
        Names of two or more tiles (default: every pair).
    most
        Try forms of up to N faces.
    seconds
        Time limit per pair, and again for a second solver.

    Returns
    -------
    CommonFound
        ``found`` has a ``Common`` for each choice of tiles: the ``area`` of the smallest form; ``none_to``, up to how many faces there is
        no form; and ``confirmed_to``, up to how many faces a second solver confirms this. If a limit was reached first, ``complete`` is
        False and ``why`` tells for which tiles.

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

    """
    if most < 1:
        raise PuzzleError(f"most: expected 1 or more, got {most}")
    kit, limits = designing.Kit.of(tiles, some=True, problem=options.get("problem")), limits_per_form(seconds, options)
    return designing.find_common(kit, names, most, file_of(options), designing.Working(limits, options.get("jobs") or limits.usable_cores))


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
        A file; or its text, of several lines, or its tables: then the files that it names are looked for in the current folder.
    store
        The SQLite file for all results, which are not worked out again. Default: the file or the name of the study with ``.sqlite``.
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
        A row for each puzzle, in ``rows``; ``to_pandas`` makes a table. If results are missing, ``complete`` is False, ``why`` tells what.

    Raises
    ------
    PuzzleError
        If the study or the store is wrong; ``problems`` has one sentence for each error.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> puzzlesat.run({"name": "S", "puzzles": [{"from": ["dominoes-4x4"]}], "steps": [{"find": "count"}]}, mkdtemp() + "/s.sqlite", jobs=1)
    <Ran s.sqlite: 1 puzzle: 1 solvable, 1 of them counted.>

    """
    found, file = _study(study, share, single=single)
    with studies.workers(jobs, dask) as there:
        return studies.run_study(found, file if store is None else Path(store), there)


def _study(given: Study | str | Path | Mapping[str, Any], share: str | None, *, single: bool) -> tuple[Study, Path]:
    """Return the study, or its share, and the default file of its store."""
    if (table := None if isinstance(given, studies.Study) else formats.table_given(given)) is not None:
        given = formats.without_file(lambda: studies.Study.of(table, NO_STUDY), NO_STUDY)
    assert not isinstance(given, Mapping)
    study = given if isinstance(given, studies.Study) else studies.Study.read(Path(given))
    file = Path(f"{designing.file_stem(study.name)}.sqlite") if isinstance(given, studies.Study) else Path(given).with_suffix(".sqlite")
    study = study if share is None else study.share(share)
    return replace(study, single=True) if single else study, file
