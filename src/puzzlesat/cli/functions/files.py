"""The public functions for files: load, check and convert puzzles, write problems for other solvers and pages, define exact covers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlesat import counting, formats, pages, proofs, puzzles, solvers
from puzzlesat.base import Clock, EndedError, Ending, Limits, PuzzleError, check_apart, check_output, many, near_match, write_file
from puzzlesat.cli.functions.given import ConversionOptions, LimitOptions, MemoryOptions, PreparationOptions, begun, checked

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from puzzlesat.base import Progress
    from puzzlesat.cli.findings import Finding
    from puzzlesat.formats import Bounds, Converted, ExactCover, Given, Options
    from puzzlesat.pages import Site
    from puzzlesat.puzzles import CoverProblem, Instance


@checked
def load(puzzle: Given, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Instance:
    """Load a puzzle from the package, from a file, or from text or tables.

    Parameters
    ----------
    puzzle
        The name of an instance in the package. Or a file: ``.toml``, ``.jsonl`` (puzzles as JSON lines), ``.xmpuzzle`` (BurrTools),
        ``.xml`` (Legespiel-Solver). Or an instance as TOML text of several lines, or as a dictionary of its tables, perhaps with a
        ``name``; puzzlesat looks for its model and grid in the package and in the current folder. An instance is returned as it is.
    problem
        Which of several puzzles in a file: its number, from 1, or its name.
    rules
        Rules on solutions, with the keys of the table ``[solutions]`` of a file. Only solutions that keep these rules count. They replace
        the rules of the file with the same keys. The expected counts of the file are dropped.

    Returns
    -------
    Instance
        ``puzzle`` has everything that a count depends on, such as ``grid``, ``tiles`` and ``form``. ``name``, ``title``, ``path`` and
        ``source`` tell where it is from, and ``expect`` has the expected counts.

    Raises
    ------
    PuzzleError
        If the file is wrong; ``problems`` has one sentence for each error.

    Examples
    --------
    >>> soma = puzzlesat.load("soma")
    >>> len(soma.puzzle.tiles), len(soma.puzzle.form.atoms)
    (7, 27)
    >>> board = puzzlesat.load({"title": "Dominoes", "model": "dominoes", "form": {"box": [3, 4]}})
    >>> puzzlesat.count(board, solver="tally").counts.all
    11
    >>> puzzlesat.count(puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True}), solver="backtrack").counts.all
    2

    An error tells you what to type instead:

    >>> puzzlesat.load("somma")
    Traceback (most recent call last):
        ...
    puzzlesat.base.errors.PuzzleError: there is no instance 'somma'; did you mean 'soma'? 'puzzlesat list' shows all

    """
    return formats.instance_given(puzzle, problem, rules=rules)


@dataclass(frozen=True)
class Compiled(Ending):
    """A puzzle as a problem for other solvers."""

    format: str
    """``cnf``, ``opb``, ``xcc`` or ``cpsat``."""
    text: str
    """The problem in this format; empty if it was written to a file."""
    variables: Mapping[int, str]
    """The placement or option of each variable, numbered from 1. A formula may have further variables."""
    file: Path | None
    """The file that was written; None if none was."""

    @property
    def sentence(self) -> str:
        """The file and its contents, or why nothing was written."""
        return self.why or f"{self.file or 'the text'}: {self.format}, {many(len(self.variables), 'placement')}"

    def __str__(self) -> str:
        return self.text or self.sentence


@checked
def compile(
    puzzle: Given | ExactCover,
    format: str = "cnf",
    *,
    output: str | Path | None = None,
    map: str | Path | None = None,
    **options: Unpack[PreparationOptions],
) -> Compiled:
    """Write a puzzle as a problem for other solvers.

    The formats are DIMACS CNF, OPB, CP-SAT proto text and Knuth's exact-cover format.

    Parameters
    ----------
    puzzle
        What ``load`` takes or returns, or an exact cover problem, as ``cover`` returns it.
    format
        ``cnf`` (DIMACS), ``opb`` (pseudo-Boolean), ``xcc`` (Knuth) or ``cpsat`` (CP-SAT, as proto text).
    output
        File to write. Default: none; the problem is the ``text`` of what is returned.
    map
        Also write a map of variables to placements into this file, as JSON.

    Returns
    -------
    Compiled
        The ``text`` of the problem and its ``variables``.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, or there is no such format or encoding.
    NotSupportedError
        If the format cannot express the puzzle.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> formula = puzzlesat.compile("domino-and-square-3x2")
    >>> [line for line in formula.text.splitlines() if line.startswith("p ")], formula.variables[1]
    (['p cnf 9 62'], 'I2.1@1.1')

    """
    _check_format(format, options.get("encoding"))
    file, map_file = (None if name is None else Path(name) for name in (output, map))
    check_output(file)
    check_output(map_file)
    check_apart(puzzle if isinstance(puzzle, str | Path) and "\n" not in str(puzzle) else "", file, map_file)
    return _compiled(puzzle, format, file, map_file, options)


def _compiled(puzzle: Given | ExactCover, format: str, file: Path | None, map_file: Path | None, options: PreparationOptions) -> Compiled:
    limits, told = begun(options)
    symmetry = options.get("symmetry", False)
    try:
        source = puzzle if isinstance(puzzle, formats.ExactCover) else load(puzzle)
        problem = _problem_of(source, limits, told, parity=options.get("parity", False), colouring=options.get("colouring", False))
        tile = solvers.item_to_break(problem, source.break_on) if symmetry and not isinstance(source, formats.ExactCover) else None
        problem = puzzles.reduce(problem, symmetry=symmetry, dead=options.get("reduction", False), break_on=tile, progress=told).problem
        lines = formats.cover_lines(problem, format, options.get("encoding"), told=told)
        text = "" if file is not None else "".join(f"{line}\n" for line in lines)
        if file is not None:
            write_file(file, (f"{line}\n" for line in lines))
    except EndedError as ended:
        return Compiled(format, "", {}, None, why=f"{ended.words}: nothing was written")
    variables = dict(enumerate(problem.options, start=1))
    if map_file is not None:
        write_file(map_file, json.dumps(variables, ensure_ascii=False, indent=0) + "\n")
    return Compiled(format, text, variables, file)


def _check_format(format: str, encoding: str | None) -> None:
    """Raise PuzzleError for a format or an encoding that does not exist."""
    known = [f.name for f in formats.writable("cover problem")]
    if format not in known:
        raise PuzzleError(f"there is no format {format!r}{near_match(format, known)}")
    if encoding is not None and format != "cnf":
        raise PuzzleError(f"--encoding is for --format cnf, not for {format}; remove it")
    if encoding is not None and encoding not in solvers.AT_MOST_ONE:
        raise PuzzleError(f"there is no encoding {encoding!r}{near_match(encoding, solvers.AT_MOST_ONE)}")


def _problem_of(puzzle: Instance | ExactCover, limits: Limits, told: Progress, *, parity: bool, colouring: bool) -> CoverProblem:
    """Return the cover problem, before reduction."""
    if isinstance(puzzle, formats.ExactCover):
        if colouring:
            raise PuzzleError(f"--colouring is for puzzles, and {puzzle.name} has no form and no tiles; remove it")
        return puzzle.problem
    built = puzzles.build_instance(puzzle, progress=told, limits=limits)
    problem = built.problem if parity else built.problem.without_implied()
    if not colouring:
        return problem
    return replace(problem, conditions=(*problem.conditions, *proofs.found_conditions(built, Clock(limits).left)))


class Findings(list["Finding"]):
    """The errors and warnings about files: a list of ``Finding``, empty if there are none."""

    seconds = 0.0
    """Seconds that the call took; CPU seconds with ``cpu``."""

    @property
    def why(self) -> str | None:
        """Which file was not checked because of a limit, in a sentence; None if every file was checked."""
        return next((str(finding) for finding in self if finding.severity == "unknown"), None)

    @property
    def complete(self) -> bool:
        """True if every file was checked to its end."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many errors, differences and warnings."""
        number = Counter(finding.severity for finding in self)
        wrong = ", ".join(many(number[kind], kind) for kind in ("error", "difference", "warning") if number[kind])
        return "; ".join(filter(None, (wrong, self.why))) or "no errors"


@checked
def convert(
    source: str | Path | ExactCover, output: str | Path | None = None, *, format: str | None = None, **options: Unpack[ConversionOptions]
) -> Converted:
    """Convert puzzles, cover problems and solutions between formats.

    If the target format cannot express something, the call ends with an error.

    Parameters
    ----------
    source
        A file of puzzles, of a cover problem or of solutions, the name of a puzzle in the package, or what ``cover`` returned.
    output
        A file, whose suffix chooses the format, or a folder for all puzzles of a file. Default: none; the result has the ``text``.
    format
        Without a file: ``toml``, ``xmpuzzle`` (BurrTools), ``cnf``, ``opb``, ``xcc``, ``cpsat``, ``jsonl`` or ``notation`` (solutions). If
        the source is a puzzle, the last two find all its solutions.

    Returns
    -------
    Converted
        The ``text``, or the ``files`` that were written, and a ``sentence`` on what they hold.

    Raises
    ------
    PuzzleError
        If the source cannot be read, or holds solutions that are wrong.
    NotSupportedError
        If the format cannot express what the source holds.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> puzzlesat.convert("domino-and-square-3x2", format="notation").text.splitlines()[3:6]
    ['solution 1', 'I2.2@3.1  24', 'O4.1@1.1  D8']

    """
    if not isinstance(source, str | Path | formats.ExactCover):
        raise PuzzleError(f"source: expected a name, a file, or what 'cover' returned, got {type(source).__name__}")
    file = None if output is None else Path(output)
    return _converted(source if isinstance(source, formats.ExactCover) else str(source), file, format, options)


def _converted(source: str | ExactCover, file: Path | None, format: str | None, options: ConversionOptions) -> Converted:
    distinct, instance, map = options.get("distinct", False), options.get("instance"), options.get("map")
    named = None if instance is None else str(instance)
    request = formats.ConversionRequest(options.get("problem"), named, None if map is None else Path(map), file, format, distinct)
    limits, told = begun(options)
    means = formats.Means(
        build=lambda instance: puzzles.build_instance(instance, progress=told, limits=limits),
        search=lambda built, on_end: counting.solutions(built, solvers.LISTING, limits, distinct=distinct, progress=told, on_end=on_end),
        check=proofs.solution_check,
    )
    try:
        return formats.converted(source, request, means, limits, told)
    except EndedError as ended:
        return formats.Converted("", (), (), why=f"{ended.words}: nothing was written")


@checked
def validate(files: str | Path | Iterable[str | Path], *, twice: bool = False, **options: Unpack[LimitOptions]) -> Findings:
    r"""Check files and report every error.

    The files are grids, models, puzzles or studies.

    Parameters
    ----------
    files
        A file, or several.
    twice
        Read each puzzle again with independent code, and compare.

    Returns
    -------
    Findings
        For each error the ``file``, ``key``, ``message`` and ``severity``. The list is empty only if all files are good: if a limit ends
        the check of a file, the list is not ``complete`` and has a finding that names the file.

    Raises
    ------
    PuzzleError
        If a limit leaves nothing. What is wrong with a file is a finding, no error.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "cube.toml")
    ...     _ = file.write_text('title = "Cube"\nmodle = "soma"\n[form]\nbox = [3, 3]\n', encoding="utf-8")
    ...     for finding in puzzlesat.validate(file):
    ...         print(finding.severity, finding.key, "-", finding.message)
    error modle - unknown key 'modle'; did you mean 'model'?

    """
    from puzzlesat.cli.findings import Finding, check_file

    found = list[Finding]()
    for file in [files] if isinstance(files, str | Path) else files:
        try:
            found += check_file(Path(file), *begun(options), twice=twice).findings
        except EndedError as ended:
            found.append(Finding(str(file), None, f"not known: {ended.words}", "unknown"))
    return Findings(found)


@checked
def site(folder: str | Path, puzzles: Iterable[str | Path] | str | Path = (), **options: Unpack[MemoryOptions]) -> Site:
    """Write puzzles as a page that anyone can open.

    You can open the page from disk, or put the folder on any web space. Nobody who plays or counts there needs Python.

    Parameters
    ----------
    folder
        The folder to write into; it is made if it is not there. Files in it that puzzlesat did not write are not replaced.
    puzzles
        Names of puzzles, or files; none for all puzzles of the package. One puzzle becomes one file, several become a site.

    Returns
    -------
    Site
        ``file`` is the page to open, ``puzzles`` has the names of its puzzles, and ``left_out`` those that a browser cannot count.

    Raises
    ------
    PuzzleError
        If a puzzle cannot be read, or a file is in the way.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> made = puzzlesat.site(mkdtemp(), "domino-and-square-3x2")
    >>> made.file.name, made.puzzles, made.complete
    ('domino-and-square-3x2.html', ('domino-and-square-3x2',), True)

    """
    names = [puzzles] if isinstance(puzzles, str | Path) else list(puzzles)
    return pages.write_site(Path(folder), names, *begun({"memory": options.get("memory")}))


@checked
def cover(
    options: Options,
    *,
    primary: Iterable[Hashable] | None = None,
    secondary: Iterable[Hashable] = (),
    multiplicities: Mapping[Any, Bounds] | None = None,
    name: str | None = None,
) -> ExactCover:
    """Make an exact cover problem of your own: choose options such that each item is covered exactly once.

    Parameters
    ----------
    options
        Lists of items, which are hashable values, in a dictionary if the options have names; or a numpy matrix of 0 and 1, shape
        (options, items). A file (``.xcc``, ``.dlx``, ``.mcc``, ``.opb``, ``.cnf``), or text in Knuth's format, is a whole problem.
    primary
        The items that must be covered. Default: all items of the options that are not secondary. List them to have misspelt items found,
        or if some item is in no option.
    secondary
        The items that may be covered, at most once. An option can colour them: ``("x", "red")``, or ``"x:red"`` as in Knuth's files, or
        an option as a dictionary, ``{"a": None, "x": "red"}``. Several options may cover the item if all give it the same colour.
    multiplicities
        Primary items that are covered another number of times: exactly ``n`` times, or ``(low, high)``. A ``high`` of None is no limit.
    name
        What messages call the problem.

    Returns
    -------
    ExactCover
        ``count`` counts its solutions, ``solve`` yields them, ``compile`` and ``convert`` write it for other programs.

    Raises
    ------
    PuzzleError
        In one sentence that names the option or the item, and how to fix it.

    Examples
    --------
    >>> problem = puzzlesat.cover({"o1": ["a", "b"], "o2": ["c"], "o3": ["b", "c"], "o4": ["a"]})
    >>> [solution.names for solution in puzzlesat.solve(problem)]
    [('o1', 'o2'), ('o3', 'o4')]
    >>> twice = puzzlesat.cover([["a", "b"], ["a"], ["a", "c"], ["b", "c"]], multiplicities={"a": 2})
    >>> [solution.options for solution in puzzlesat.solve(twice)]
    [(0, 2)]

    """
    return formats.exact_cover(options, primary=primary, secondary=secondary, multiplicities=multiplicities, name=name)
