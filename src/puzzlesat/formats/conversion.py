"""Conversion of puzzles, cover problems and solutions from one format into another.

Solutions are read with their instance. They come as JSON lines, in the notation, or as the values of variables that solvers print in the
SAT and pseudo-Boolean competitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any

from puzzlesat import base
from puzzlesat.formats.exact_covers import ExactCover, cover_lines, is_cover_file, read_cover_file
from puzzlesat.formats.notation import read_json_lines, read_notation, solution_as_json
from puzzlesat.formats.puzzles import Foreign, chosen, format_of, holds_solutions, instance_in, is_foreign, numbered, read_tables
from puzzlesat.formats.table import FORMATS, INSTANCE, Format, by_suffix, claimed, function, integer, readable, writable
from puzzlesat.formats.toml import instance_text
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Instance, find_instance, read_table

VALUE = re.compile(r"(?P<not>-|~)?x?(?P<variable>[0-9]{1,18})")


def are_answers(path: Path, text: str) -> bool:
    """Tell whether a text looks like the output of a SAT or pseudo-Boolean solver."""
    return re.search(r"^(v |s (UN)?SATISFIABLE|s OPTIMUM|(UN)?SAT(ISFIABLE)?\s*$)", text, re.M) is not None


def read_answers(text: str) -> list[dict[int, bool]]:
    """Return the assignments in a solver's output, each with a value for every variable it mentions; none for UNSATISFIABLE.

    Values are in lines ``v 1 -2 3 0`` or ``v x1 -x2 x3`` or, as minisat writes them, in the lines after ``SAT``. Lines that begin with
    ``s``, or 0, separate several answers. Raises PuzzleError for a malformed answer, and if there is none.
    """
    found: list[dict[int, bool]] = [{}]
    bare = False
    stated = False
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words[:1] == ["s"] or (len(words) == 1 and re.fullmatch("(UN)?SAT(ISFIABLE)?", words[0])):
            bare = words[0] in ("SAT", "SATISFIABLE")
            stated = True
            found.append({})
        elif words[:1] == ["v"] or (bare and words):
            for word in words[words[0] == "v" :]:
                _take(found, word, number)
    found = [values for values in found if values]
    if not found and not (stated and re.search(r"^(s )?UNSAT", text, re.M)):
        raise base.PuzzleError("there is no answer in it: expected lines such as 'v 1 -2 3 0' or 'v x1 -x2 x3', or 's UNSATISFIABLE'")
    return found


def _take(found: list[dict[int, bool]], word: str, number: int) -> None:
    """Add a value to the last answer; 0 ends the answer."""
    match = VALUE.fullmatch(word)
    if match is None:
        raise base.PuzzleError(f"line {number}: expected a value such as 3, -3, x3 or -x3, got {base.shown(word)!r}")
    variable, value = integer(match["variable"]), match["not"] is None
    if variable == 0:
        found.append({})
    elif found[-1].setdefault(variable, value) != value:
        raise base.PuzzleError(
            f"line {number}: variable {variable} is both true and false; separate two answers by 0, or by a line that begins with s"
        )


TOGETHER = 1000
"""Maximum number of solutions in one check."""
Row = tuple[int, ...]
"""A solution: ascending placement numbers."""


Find = Callable[[str | None], BuiltInstance]
"""Builds the instance that a file names; the argument is None if the file names none."""


def read_solutions(path: Path, find: Find, map_file: Path | None = None) -> tuple[BuiltInstance, list[Row]]:
    """Return the instance and the solutions in a file of any format; ``map_file`` is for the output of a solver.

    Raises PuzzleError if the file cannot be read, for names that are not placements, and for bit arrays or atoms of other placements.
    """
    text = base.text_of(path)
    format = claimed(readable("solutions"), path, text)  # a solver's output may have any file name
    try:
        found: tuple[BuiltInstance, list[Row]] = function(format.reads)(text, find, map_file)
    except base.PuzzleError as error:
        raise error.under(f"{path}: ") from None
    return found


def are_json_lines(path: Path, text: str) -> bool:
    """Tell whether a file has one JSON object per line, by its suffix or its beginning."""
    return path.suffix == ".jsonl" or text.lstrip().startswith("{")


def from_json_lines(text: str, find: Find, map_file: Path | None) -> tuple[BuiltInstance, list[Row]]:
    """Return the solutions in JSON lines. Raises PuzzleError, as ``read_solutions`` does."""
    name, records = read_json_lines(text)
    built = find(name)
    return built, [_from_record(built, number, record) for number, record in enumerate(records, start=1)]


def from_notation(text: str, find: Find, map_file: Path | None) -> tuple[BuiltInstance, list[Row]]:
    """Return the solutions in a text in the notation. Raises PuzzleError, as ``read_solutions`` does."""
    name, solutions = read_notation(text)
    built = find(name)
    return built, [_from_names(built, number, solution) for number, solution in enumerate(solutions, start=1)]


def from_answers(text: str, find: Find, map_file: Path | None) -> tuple[BuiltInstance, list[Row]]:
    """Return the solutions that a solver has printed. Raises PuzzleError, as ``read_solutions`` does."""
    built = find(None)
    variables = _variables(built, map_file)
    return built, [_from_answer(built, variables, values) for values in read_answers(text)]


def wrong_solutions(rows: list[Row], check: Callable[[base.Rows], str | None]) -> list[str]:
    """Return a sentence for each row that is not a solution. ``check`` returns the error of the first bad row of several."""
    wrong = []
    for start in range(0, len(rows), TOGETHER):
        part = rows[start : start + TOGETHER]
        if check(base.padded_rows(part)) is None:
            continue
        single = ((number, check(base.padded_rows([row]))) for number, row in enumerate(part, start=start + 1))
        wrong += [f"solution {number}: {what}" for number, what in single if what is not None]
    return wrong


def one_of_each_class(built: BuiltInstance, rows: list[Row]) -> Iterator[Row]:
    """Yield the first solution of each class of solutions that symmetries of the form map to each other."""
    images = built.problem.option_images
    seen: set[bytes] = set()
    for row in rows:
        least = images.least(base.padded_rows([row])).tobytes()
        if least not in seen:
            yield row
            seen.add(least)


def _from_names(built: BuiltInstance, number: int, solution: dict[str, str | None]) -> Row:
    row = built.options_by_name(solution)
    for option, (name, bits) in zip(row, solution.items(), strict=True):
        if bits is not None and bits != built.bit_array(option):
            raise base.PuzzleError(
                f"solution {number}: {name} has the bit array {built.bit_array(option)} in {built.instance.name}, not {bits}"
            )
    return tuple(sorted(row))


def _from_record(built: BuiltInstance, number: int, record: dict[str, Any]) -> Row:
    """Return a solution from its JSON. Raises PuzzleError if the record says something false about a placement."""
    row = built.options_by_name([p["name"] for p in record["placements"]])
    for stated, own in zip(record["placements"], solution_as_json(built, row)["placements"], strict=True):
        if wrong := sorted(key for key in stated if key in own and stated[key] != own[key]):
            key = wrong[0]
            raise base.PuzzleError(
                f"solution {number}: {stated['name']}: {key}: it is {own[key]} in {built.instance.name}, not {stated[key]}"
            )
    return tuple(sorted(row))


def _variables(built: BuiltInstance, map_file: Path | None) -> dict[int, int]:
    """Return the placement of each variable: by a map that ``compile`` wrote, or in the order of the placements."""
    if map_file is None:
        return {option + 1: option for option in range(built.problem.size)}
    wrong = base.PuzzleError(f"{map_file}: expected a JSON object of variables and placements, as 'puzzlesat compile --map' writes it")
    text = base.text_of(map_file)
    try:
        names = base.json_of(text)
        if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
            raise wrong
        return dict(zip(map(integer, names), built.options_by_name(names.values()), strict=True))
    except ValueError:
        raise wrong from None
    except base.PuzzleError as error:
        raise (error if error is wrong else error.under(f"{map_file}: ")) from None


def _from_answer(built: BuiltInstance, variables: dict[int, int], values: dict[int, bool]) -> Row:
    if missing := variables.keys() - values.keys():
        names = base.listed(sorted(missing))
        raise base.PuzzleError(f"the answer does not mention variable {names}; the formula must be that of {built.instance.name}, compiled "
                          "without --symmetry and --reduction; otherwise give its --map")  # fmt: skip
    return tuple(sorted(option for variable, option in variables.items() if values[variable]))


Build = Callable[[Instance], BuiltInstance]
OnEnd = Callable[[base.Outcome], None]
Check = Callable[[base.Rows], str | None]
"""Returns the error of the first bad row of options; None if all rows are solutions."""


@dataclass(frozen=True)
class Means:
    """The functions with which a conversion builds a puzzle, finds its solutions and checks them."""

    build: Build
    search: Callable[[BuiltInstance, OnEnd], Generator[Row]]
    check: Callable[[BuiltInstance], Check]


@dataclass(frozen=True)
class ConversionRequest:
    """What to convert: the choice of a puzzle in a file, facts that a file of solutions does not state, and the destination."""

    problem: int | str | None = None
    """The number of the puzzle in the file, or its name."""
    instance: str | None = None
    """The puzzle to which the solutions belong."""
    map_file: Path | None = None
    """The map of variables that ``compile`` wrote."""
    output: Path | None = None
    """The file or folder to write; None if the text is returned."""
    format: str | None = None
    """The name of the format of a text that is returned."""
    distinct: bool = False
    """True if rotated and reflected copies of a solution are omitted."""


@dataclass(frozen=True)
class Solved:
    """The solutions that a file lists, and their instance."""

    built: BuiltInstance
    rows: tuple[Row, ...]


Content = list[Foreign] | CoverProblem | Solved


def read_content(source: str, options: ConversionRequest, build: Build, fold: bool) -> Content:
    """Return the content of a file, by its suffix; ``fold`` includes the model in the table of an instance."""
    content = _content(source, options, build, fold)
    if not isinstance(content, Solved) and (options.instance or options.map_file):
        raise base.PuzzleError(
            f"--{'instance' if options.instance else 'map'} is for files of solutions, and {source} is not one; remove it"
        )
    if not isinstance(content, list) and options.problem is not None and options.instance is None:
        raise base.PuzzleError(f"--problem is for files of puzzles, and {source} is not one; remove it")
    return content


def the_one(source: str, puzzles: list[Foreign]) -> Foreign:
    """Return the only puzzle of a file. Raises PuzzleError if there are several."""
    if len(puzzles) > 1:
        names = numbered(source, [found.name for found in puzzles])
        raise base.PuzzleError(
            f"{source}: holds {len(puzzles)} problems ({names}); choose one with --problem N, or give a folder as OUT for all"
        )
    return puzzles[0]


def _content(source: str, options: ConversionRequest, build: Build, fold: bool) -> Content:
    path = Path(source)
    if is_cover_file(source):
        return read_cover_file(path)
    if holds_solutions(path):
        return _read_solved(path, options, build)
    if unread := by_suffix(path, "cover problem"):
        *others, last = readable("cover problem").suffixes
        raise base.NotSupportedError(f"{source}: {unread[0].what} are written, not read; give it as {', '.join(others)} or {last}")
    if is_foreign(path) or fold:
        return read_tables(source, options.problem)
    path = find_instance(source)
    if options.problem is not None:
        chosen(source, [path.stem], options.problem)
    return [Foreign(path.stem, read_table(path))]


def _read_solved(path: Path, options: ConversionRequest, build: Build) -> Solved:
    def find(name: str | None) -> BuiltInstance:
        if (puzzle_name := options.instance or name) is None:
            raise base.PuzzleError("it does not name its puzzle; give it with --instance NAME")
        try:
            return build(instance_in(puzzle_name, options.problem))
        except base.PuzzleError as error:
            cure = "" if options.instance else "; give the file with --instance FILE"
            raise base.PuzzleError(*(f"{problem}{cure}" for problem in error.problems)) from None

    built, rows = read_solutions(path, find, options.map_file)
    return Solved(built, tuple(rows))


THE_TEXT = Path("the text")
"""The name in messages of a text that is not written to a file."""


@dataclass(frozen=True)
class Converted(base.Ending):
    """The result of a conversion."""

    text: str
    """The text in the new format; empty if it was written to files."""
    files: tuple[Path, ...]
    """The files that were written."""
    sentences: tuple[str, ...]
    """A sentence on the content of each file."""

    @property
    def sentence(self) -> str:
        """A summary of the files, or why the conversion is incomplete."""
        return self.why or (self.sentences[0] if len(self.sentences) == 1 else base.many(len(self.files), "file"))

    def __str__(self) -> str:
        return self.text or self.sentence


class WrongSolutionsError(base.PuzzleError):
    """A file lists wrong solutions; the error has a sentence for each of them, and their number."""


@dataclass(frozen=True)
class Target:
    """The destination of a conversion, and its format."""

    file: Path | None
    """The file or folder; None if the text is returned."""
    format: Format

    @property
    def name(self) -> str:
        """The name in messages."""
        return str(self.file or THE_TEXT)

    @property
    def is_folder(self) -> bool:
        """True if each puzzle is written to a file of its own."""
        return self.file is not None and (self.file.suffix == "" or self.file.is_dir())


def _target(options: ConversionRequest) -> Target:
    """Return the target, by the suffix of the file or the name of a format. Raises PuzzleError if neither names a format."""
    file, format = options.output, options.format
    if file is None:
        known = {f.name: f for f in FORMATS if f.writes}
        if format not in known:
            raise base.PuzzleError(f"format: expected one of {', '.join(known)} where no file is named, got {format!r}")
        target = Target(None, known[format])
    elif format is not None:
        raise base.PuzzleError(f"format: the suffix of {file} names the format; remove it")
    else:
        target = Target(file, _format_of(file))
    if options.distinct and target.format.holds != "solutions":
        known_suffixes = ", ".join(writable("solutions").suffixes)
        raise base.PuzzleError(f"--distinct is for solutions ({known_suffixes}), and {target.name} will hold none; remove it")
    if file is not None and not target.is_folder:
        base.check_output(file)
    return target


def _format_of(file: Path) -> Format:
    """Return the format to write. Raises PuzzleError if no format has the suffix of the file."""
    if file.suffix == "" and not file.is_file():
        return INSTANCE
    named = by_suffix(file)
    if (format := next((f for f in named if f.writes), None)) is not None:
        return INSTANCE if file.is_dir() else format
    puzzles, problems, solved = (" ".join(writable(holds).suffixes) for holds in ("puzzles", "cover problem", "solutions"))
    known = f"{puzzles} or a folder (puzzles), {problems} (cover problems), {solved} (solutions)"
    read_only = " it is read, not written;" if named else ""
    raise base.PuzzleError(f"{file}:{read_only} the suffix must be of one of these formats: {known}")


def converted(source: str | ExactCover, options: ConversionRequest, means: Means, limits: base.Limits, told: base.Progress) -> Converted:
    """Write the content of a file in another format.

    Raises PuzzleError if the source cannot be read, NotSupportedError if the format cannot express it, and EndedError at a limit. If a
    limit cuts a list of solutions short, the solutions found are written.
    """
    target = _target(options)
    if isinstance(source, ExactCover):
        return _cover(source.name, source.problem, [], target, told)
    if target.file is not None and not target.is_folder:
        base.check_apart(source, target.file)
    format = target.format
    with told.overseen():
        content = read_content(source, options, means.build, fold=format.holds == "puzzles")
    told.of("what was read")({})
    if isinstance(content, Solved):
        return _solved(source, content, target, means.check(content.built), distinct=options.distinct)
    if isinstance(content, CoverProblem):
        return _cover(source, content, _comments(Path(source)), target, told)
    if format.holds == "puzzles":
        if format.copies is not None and format_of(source) is format:
            return _copy(source, content, target, options.problem)
        return _puzzles(source, content, target)
    found = the_one(source, content)
    built = means.build(instance_in(source, options.problem if is_foreign(source) else None))
    if format.holds == "cover problem":
        text = _write(target, _cover_lines(built.problem, format, _remarks(found), told))
        return _done(target, text, f"{built.instance.title}, {base.many(built.problem.size, 'placement')}")
    return _all_solutions(built, target, means, limits, distinct=options.distinct)


# writing ---------------------------------------------------------------------------------------------------------------------


def _write(target: Target, lines: Iterable[str]) -> str:
    """Write lines to the file, or return them as text if there is no file."""
    if target.file is None:
        text = StringIO()
        text.writelines(f"{line}\n" for line in lines)
        return text.getvalue()
    base.write_file(target.file, (f"{line}\n" for line in lines))
    return ""


def _done(target: Target, text: str, what: str, why: str | None = None) -> Converted:
    return Converted(text, () if target.file is None else (target.file,), (f"{target.name}: {what}",), why=why)


def _puzzles(source: str, puzzles: list[Foreign], target: Target) -> Converted:
    """Write one puzzle to a file, or all puzzles to a folder."""
    format = target.format
    text_in = function(format.writes)
    if target.file is None or not target.is_folder:
        places = [(the_one(source, puzzles), target.file)]
    else:
        places = [(found, target.file / f"{found.name}{format.suffixes[0]}") for found in puzzles]
    files = tuple(path for _, path in places if path is not None)
    base.check_apart(source, *files)
    for found, path in places:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)  # FAMILY/NAME
            _write_puzzle(format, path, text_in(found.table, found.remarks))
    text = "" if files else text_in(places[0][0].table, places[0][0].remarks)
    return Converted(text, files, tuple(f"{path or THE_TEXT}: {found.table['title']}" for found, path in places))


def _copy(source: str, puzzles: list[Foreign], target: Target, problem: int | str | None) -> Converted:
    """Write a file again in its own format, with everything that a puzzle of puzzlesat has no place for."""
    text = function(target.format.copies)(Path(source), None if problem is None else the_one(source, puzzles).name)
    if target.file is not None:
        _write_puzzle(target.format, target.file, text)
    return _done(target, "" if target.file else text, base.listed(puzzle.table["title"] for puzzle in puzzles))


def _write_puzzle(format: Format, path: Path, text: str) -> None:
    base.write_file(path, text if format.packs is None else function(format.packs)(text))


def _cover(source: str, problem: CoverProblem, remarks: Iterable[str], target: Target, told: base.Progress) -> Converted:
    """Write a cover problem that comes from a file or from Python."""
    if target.format.holds != "cover problem":
        *others, last = writable("cover problem").suffixes
        what = f"knows of no form and tiles, and becomes {' '.join(others)} or {last}; 'puzzlesat count' counts it"
        raise base.NotSupportedError(f"{target.name}: {source} is a cover problem: it {what}")
    text = _write(target, _cover_lines(problem, target.format, remarks, told))
    sizes = base.many(problem.size, "option"), base.many(len(problem.items), "item"), base.many(len(problem.conditions), "condition")
    return _done(target, text, ", ".join(sizes))


def _cover_lines(problem: CoverProblem, format: Format, remarks: Iterable[str], told: base.Progress) -> Iterator[str]:
    """Yield the lines of a cover problem with remarks, which follow the first line in formats that prescribe this line."""
    lines = cover_lines(problem.without_implied(), format.name, told=told)
    first = next(lines)
    remark_lines = [line for remark in remarks for line in remark.splitlines()]
    # in DIMACS a number at the beginning of a comment makes it the name of a variable
    comments = [f"{format.comment}{'comment: ' if format.name == 'cnf' and line[:1].isdigit() else ''}{line}" for line in remark_lines]
    if not first.startswith(("*", "|")):
        yield from comments
        comments = []
    yield first
    yield from comments
    yield from lines


def _comments(source: Path) -> list[str]:
    """Return the comments at the head of a cover problem, except comments on sizes and names."""
    format = by_suffix(source, "cover problem")[0]
    lines = (line.strip() for line in base.text_of(source).splitlines())
    head = takewhile(lambda line: not line or line[0] == format.comment[0], lines)
    return [line[1:].strip() for line in head if line and not re.fullmatch(format.own_comments, line)]


def _remarks(found: Foreign) -> list[str]:
    """Return the facts on a puzzle that a cover problem cannot express and its solutions do not need: names, conventions, known counts."""
    kept = ("title", "source", "mirrored", "break_on", "split", "expect")
    text = instance_text({key: found.table[key] for key in kept if key in found.table})
    return [f"puzzle {found.name}", *found.remarks, *(line for line in text.splitlines() if line)]


def _all_solutions(built: BuiltInstance, target: Target, means: Means, limits: base.Limits, *, distinct: bool) -> Converted:
    """Search for all solutions and write them as they are found.

    Solutions found before an interruption or a limit are kept, unless the file exists already: it may hold more solutions, and stays.
    """
    old = target.file is not None and base.is_plain(target.file) and target.file.exists()
    outcomes: list[base.Outcome] = []
    number = 0
    found = means.search(built, outcomes.append)

    def counted() -> Iterator[Row]:
        nonlocal number
        for row in found:
            number += 1
            yield row
        if old and not _is_complete(outcomes):
            raise KeyboardInterrupt

    try:
        with closing(found):
            text = _write(target, function(target.format.writes)(built, counted()))
    except KeyboardInterrupt:
        return Converted("", (), (), why=f"{_why(limits, outcomes)} after {base.many(number, 'solution')}")
    what = f"{base.many(number, 'solution')}{' up to symmetry' if distinct else ''} of {built.instance.name}"
    if not _is_complete(outcomes):
        return _done(target, text, what, f"{_why(limits, outcomes)}; {target.name} holds {what}, there may be more")
    return _done(target, text, f"{what}, all there are")


def _why(limits: base.Limits, outcomes: Sequence[base.Outcome]) -> base.Status:
    """Return why not all solutions were found."""
    return outcomes[0].status if outcomes and not _is_complete(outcomes) else limits.over() or "interrupted"


def _is_complete(outcomes: Sequence[base.Outcome]) -> bool:
    return bool(outcomes) and outcomes[0].complete


def _solved(source: str, solved: Solved, target: Target, check: Check, *, distinct: bool) -> Converted:
    """Write solutions from a file, if all of them are solutions."""
    if target.format.holds != "solutions":
        known = " or ".join(writable("solutions").suffixes)
        raise base.NotSupportedError(f"{target.name}: {source} holds solutions of {solved.built.instance.name}; they become {known}")
    rows = list(solved.rows)
    if wrong := wrong_solutions(rows, check):
        verb = "is" if len(wrong) == 1 else "are"
        last = f"{len(wrong):,} of {base.many(len(rows), 'solution')} {verb} wrong; nothing is written"
        raise WrongSolutionsError(*(f"{source}: {sentence}" for sentence in (*wrong, last)))
    classes = list(one_of_each_class(solved.built, rows))
    kept = classes if distinct else rows
    text = _write(target, function(target.format.writes)(solved.built, kept))
    twice = len(rows) - len(set(rows))
    number = base.many(len(kept), "solution")
    what = f"{number} of {solved.built.instance.name}, each checked against the geometry; {len(classes):,} up to symmetry"
    return _done(target, text, what + (f"; {twice:,} were listed more than once" if twice else ""))
