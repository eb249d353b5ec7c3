"""``puzzlesat convert``: other people's files, and ours, from one into another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.output import check_apart, check_output, stays, told_lines
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.config.files import text_of
from puzzlesat.config.library import find_instance
from puzzlesat.config.read import read_table
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.errors import NotSupportedError, PuzzleError, listed, many
from puzzlesat.files import is_plain, new_text, write_text
from puzzlesat.formats.cover_files import cover_lines, is_cover_file, read_cover_file
from puzzlesat.formats.foreign import holds_solutions, is_foreign, read_tables
from puzzlesat.formats.puzzles import chosen, instance_in
from puzzlesat.formats.solution_files import Row, one_of_each_class, read_solutions, solution_lines, wrong_solutions
from puzzlesat.formats.table import INSTANCE, Format, by_suffix, function, read, suffixes, written
from puzzlesat.formats.toml import instance_text
from puzzlesat.progress import Progress
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.run import STOPPED, Limits, Outcome, Status, over
from puzzlesat.solvers.strategy import LISTING

Build = Callable[[Instance], BuiltInstance]
MOST_WRONG = 10
"""Solutions that are none, of which the first so many are told."""


@dataclass(frozen=True)
class Options:
    """The options of the command line, as they were given."""

    problem: int | str | None = None
    instance: str | None = None
    map_file: Path | None = None
    distinct: bool = False
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True)
class Found:
    """A puzzle in a file: its name, its table, and remarks for the head of a file."""

    name: str
    table: Mapping[str, Any]
    remarks: tuple[str, ...] = ()
    instance: str | None = None
    """The instance that it is, where it is none of other people's."""


@dataclass(frozen=True)
class Solved:
    """What a file says are solutions, and the instance they belong to."""

    built: BuiltInstance
    rows: tuple[Row, ...]


def run_convert(source: str, target: Path, options: Options) -> int:
    """Write what ``source`` holds to ``target`` in the format of its suffix; return the exit status."""
    format = _format_of(target)
    if options.distinct and format.holds != "solutions":
        known = ", ".join(suffixes(written("solutions")))
        raise PuzzleError(f"--distinct is for solutions ({known}), and {target} will hold none; remove it")
    if target.suffix and not target.is_dir():
        check_output(target)
        check_apart(source, target)
    with working(source, options.bounds) as (limits, told):
        return _convert(source, target, format, options, limits, told)


def _convert(source: str, target: Path, format: Format, options: Options, limits: Limits, told: Progress) -> int:
    """The same within limits."""

    def build(instance: Instance) -> BuiltInstance:
        return build_instance(instance, progress=told, memory=limits.memory)

    content = _read(source, options, build, fold=format.holds == "puzzles")
    _check_options(source, content, options)
    told.of("what was read")({})
    if isinstance(content, Solved):
        return _write_solved(source, content, target, format, options)
    if isinstance(content, CoverProblem):
        return _write_cover(source, content, target, format, told)
    if format.holds == "puzzles":
        return _write_puzzles(source, content, target, format, options.problem)
    found = _chosen(source, content, options.problem)
    built = build(instance_in(source, options.problem) if found.instance is None else instance_in(found.instance))
    if format.holds == "cover problem":
        _write_lines(target, told_lines(_cover_lines(built.problem, format, _remarks(found)), told))
        say(console(), f"{target}: {built.instance.title}, {many(built.problem.size, 'placement')}")
        return DONE
    return _write_all_solutions(built, target, format, options.distinct, limits, told)


def _format_of(target: Path) -> Format:
    """The format that is to be written. Raises PuzzleError where the name says none."""
    if target.suffix == "" and not target.is_file():
        return INSTANCE
    named = by_suffix(target)
    if (format := next((f for f in named if f.writes), None)) is not None:
        return INSTANCE if target.is_dir() else format
    puzzles, problems, solved = (" ".join(suffixes(written(holds))) for holds in ("puzzles", "cover problem", "solutions"))
    known = f"{puzzles} or a folder (puzzles), {problems} (cover problems), {solved} (solutions)"
    read_only = " it is read, not written;" if named else ""
    raise PuzzleError(f"{target}:{read_only} the suffix must be of one of these formats: {known}")


def _check_options(source: str, content: object, options: Options) -> None:
    """Refuse options that mean nothing for what was read."""
    if not isinstance(content, Solved) and (options.instance or options.map_file):
        raise PuzzleError(f"--{'instance' if options.instance else 'map'} is for files of solutions, and {source} is not one; remove it")
    if not isinstance(content, list) and options.problem is not None and options.instance is None:
        raise PuzzleError(f"--problem is for files of puzzles, and {source} is not one; remove it")


# reading ---------------------------------------------------------------------------------------------------------------------


def _read(source: str, options: Options, build: Build, fold: bool) -> list[Found] | CoverProblem | Solved:
    """What a file holds, by its suffix; an instance with its model in it where ``fold`` asks for that."""
    path = Path(source)
    if is_cover_file(source):
        return read_cover_file(path)
    if holds_solutions(path):
        return _read_solved(path, options, build)
    if unread := by_suffix(path, "cover problem"):
        *others, last = suffixes(read("cover problem"))
        raise NotSupportedError(f"{source}: {unread[0].what} are written, not read; give it as {', '.join(others)} or {last}")
    own = None if is_foreign(path) else source
    if own is None or fold:
        return [Found(one.name, one.table, one.remarks, own) for one in read_tables(source)]
    path = find_instance(source)
    return [Found(path.stem, read_table(path), instance=own)]


def _read_solved(path: Path, options: Options, build: Build) -> Solved:
    def find(name: str | None) -> BuiltInstance:
        if (wanted := options.instance or name) is None:
            raise PuzzleError("it does not name its puzzle; give it with --instance NAME")
        try:
            return build(instance_in(wanted, options.problem))
        except PuzzleError as error:
            cure = "" if options.instance else "; give the file with --instance FILE"
            raise PuzzleError(*(f"{problem}{cure}" for problem in error.problems)) from None

    built, rows = read_solutions(path, find, options.map_file)
    return Solved(built, tuple(rows))


def _chosen(source: str, puzzles: list[Found], problem: int | str | None) -> Found:
    """The one puzzle that is meant."""
    if problem is None and len(puzzles) > 1:
        names = listed(f"{i} {found.name}" for i, found in enumerate(puzzles, start=1))
        raise PuzzleError(
            f"{source}: holds {len(puzzles)} problems ({names}); choose one with --problem N, or give a folder as OUT for all"
        )
    return puzzles[chosen(source, [found.name for found in puzzles], 1 if problem is None else problem)]


# writing ---------------------------------------------------------------------------------------------------------------------


def _write_puzzles(source: str, puzzles: list[Found], target: Path, format: Format, problem: int | str | None) -> int:
    """Write one puzzle to a file, or all of them to a folder."""
    if target.suffix and not target.is_dir():
        written_to = [(_chosen(source, puzzles, problem), target)]
    else:
        wanted = puzzles if problem is None else [_chosen(source, puzzles, problem)]
        written_to = [(found, target / f"{found.name}{format.suffixes[0]}") for found in wanted]
    check_apart(source, *(path for _, path in written_to))
    for found, path in written_to:
        path.parent.mkdir(parents=True, exist_ok=True)  # FAMILY/NAME
        write_text(path, function(format.writes)(found.table, found.remarks))
        say(console(), f"{path}: {found.table['title']}")
    return DONE


def _write_cover(source: str, problem: CoverProblem, target: Path, format: Format, told: Progress) -> int:
    """Write a cover problem that was read."""
    if format.holds != "cover problem":
        *others, last = suffixes(written("cover problem"))
        what = f"knows of no form and tiles, and becomes {' '.join(others)} or {last}; 'puzzlesat count' counts it"
        raise NotSupportedError(f"{target}: {source} is a cover problem: it {what}")
    _write_lines(target, told_lines(_cover_lines(problem, format, _comments(Path(source))), told))
    sizes = many(problem.size, "option"), many(len(problem.items), "item"), many(len(problem.conditions), "condition")
    say(console(), f"{target}: {', '.join(sizes)}")
    return DONE


def _cover_lines(problem: CoverProblem, format: Format, remarks: Iterable[str]) -> Iterator[str]:
    """The lines of a cover problem, with remarks behind the first one, which some formats prescribe."""
    lines = cover_lines(problem.without_implied(), format)
    first = next(lines)
    said = [line for remark in remarks for line in remark.splitlines()]
    # in DIMACS a number at the beginning of a comment makes it the name of a variable
    comments = [f"{format.comment}{'comment: ' if format.name == 'cnf' and line[:1].isdigit() else ''}{line}" for line in said]
    if not first.startswith(("*", "|")):
        yield from comments
        comments = []
    yield first
    yield from comments
    yield from lines


def _comments(source: Path) -> list[str]:
    """The comments at the head of a cover problem, as far as they are not about sizes and names."""
    format = by_suffix(source, "cover problem")[0]
    lines = (line.strip() for line in text_of(source).splitlines())
    head = takewhile(lambda line: not line or line[0] == format.comment[0], lines)
    return [line[1:].strip() for line in head if line and not re.fullmatch(format.own_comments, line)]


def _remarks(found: Found) -> list[str]:
    """What a cover problem cannot say of a puzzle, and does not need for its solutions: names, how they are counted, what is known."""
    kept = ("title", "source", "mirrored", "break_on", "split", "expect")
    text = instance_text({key: found.table[key] for key in kept if key in found.table})
    return [f"puzzle {found.name}", *found.remarks, *(line for line in text.splitlines() if line)]


def _write_lines(target: Path, lines: Iterable[str]) -> None:
    with new_text(target) as file:
        file.writelines(f"{line}\n" for line in lines)


def _write_all_solutions(built: BuiltInstance, target: Path, format: Format, distinct: bool, limits: Limits, told: Progress) -> int:
    """Search for all solutions and write them as they come.

    What was found before an interruption, or within the limits, is kept, unless there is a file already: that may hold more, and stays.
    """
    old = is_plain(target) and target.exists()
    outcomes: list[Outcome] = []
    number = 0
    found = solutions(built, LISTING, limits, distinct=distinct, progress=told, on_end=outcomes.append)

    def counted() -> Iterator[Row]:
        nonlocal number
        for row in found:
            number += 1
            yield row
        if old and not _is_complete(outcomes):
            raise KeyboardInterrupt

    try:
        with closing(found):
            _write_lines(target, solution_lines(built, counted(), format))
    except KeyboardInterrupt:
        say_error(f"puzzlesat: {_why(limits, outcomes)} after {many(number, 'solution')}")
        stays(target, stopped=old)
        return STOPPED_EARLY
    what = f"{many(number, 'solution')}{' up to symmetry' if distinct else ''} of {built.instance.name}"
    if not _is_complete(outcomes):
        say_error(f"puzzlesat: {_why(limits, outcomes)}; {target} holds {what}, there may be more")
        return STOPPED_EARLY
    say(console(), f"{target}: {what}, all there are")
    return DONE


def _why(limits: Limits, outcomes: Sequence[Outcome]) -> Status:
    """Why not all solutions were found."""
    return outcomes[0].status if outcomes and not _is_complete(outcomes) else over(limits) or STOPPED


def _is_complete(outcomes: Sequence[Outcome]) -> bool:
    return bool(outcomes) and outcomes[0].complete


def _write_solved(source: str, solved: Solved, target: Path, format: Format, options: Options) -> int:
    """Write solutions that were read, if all of them are some."""
    if format.holds != "solutions":
        known = " or ".join(suffixes(written("solutions")))
        raise NotSupportedError(f"{target}: {source} holds solutions of {solved.built.instance.name}; they become {known}")
    if wrong := wrong_solutions(solved.built, list(solved.rows)):
        for sentence in wrong[:MOST_WRONG]:
            say_error(f"puzzlesat: {source}: {sentence}")
        verb = "is" if len(wrong) == 1 else "are"
        say_error(f"puzzlesat: {source}: {len(wrong):,} of {many(len(solved.rows), 'solution')} {verb} wrong; nothing is written")
        return FAILED
    classes = list(one_of_each_class(solved.built, list(solved.rows)))
    rows = classes if options.distinct else list(solved.rows)
    _write_lines(target, solution_lines(solved.built, rows, format))
    twice = len(solved.rows) - len(set(solved.rows))
    say(
        console(),
        f"{target}: {many(len(rows), 'solution')} of {solved.built.instance.name}, each checked against the geometry; "
        f"{len(classes):,} up to symmetry" + (f"; {twice:,} were listed more than once" if twice else ""),
    )
    return DONE
