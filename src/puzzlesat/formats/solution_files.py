"""Files of solutions, as JSON lines, in the notation, or as a solver's answers: read against the instance they belong to.

What solvers of other people print: the values of variables, as in the SAT and pseudo-Boolean competitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from puzzlesat.base import PuzzleError, Rows, listed, padded_rows, shown
from puzzlesat.formats.notation import read_json_lines, read_notation, solution_as_json
from puzzlesat.formats.table import Format, claimed, function, integer, readable
from puzzlesat.puzzles import BuiltInstance, OptionImages, json_of, text_of

VALUE = re.compile(r"(?P<not>-|~)?x?(?P<variable>[0-9]{1,18})")


def is_answer(text: str) -> bool:
    """Tell whether a text looks like the output of a SAT or pseudo-Boolean solver."""
    return re.search(r"^(v |s (UN)?SATISFIABLE|s OPTIMUM|(UN)?SAT(ISFIABLE)?\s*$)", text, re.M) is not None


def read_answers(text: str) -> list[dict[int, bool]]:
    """Return the assignments in a solver's output, each a value for every variable it mentions; none where it says UNSATISFIABLE.

    Values stand in lines ``v 1 -2 3 0`` or ``v x1 -x2 x3``, or, as minisat writes them, in the lines after ``SAT``. Several answers are
    parted by lines that begin with ``s``, or by 0. Raises PuzzleError for an answer that is no such list, or that there is not.
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
        raise PuzzleError("there is no answer in it: expected lines such as 'v 1 -2 3 0' or 'v x1 -x2 x3', or 's UNSATISFIABLE'")
    return found


def _take(found: list[dict[int, bool]], word: str, number: int) -> None:
    """Note one value in the last answer; 0 ends it."""
    match = VALUE.fullmatch(word)
    if match is None:
        raise PuzzleError(f"line {number}: expected a value such as 3, -3, x3 or -x3, got {shown(word)!r}")
    variable, value = integer(match["variable"]), match["not"] is None
    if variable == 0:
        found.append({})
    elif found[-1].setdefault(variable, value) != value:
        raise PuzzleError(
            f"line {number}: variable {variable} is both true and false; separate two answers by 0, or by a line that begins with s"
        )


TOGETHER = 1000
"""Solutions that are checked at a time."""
Row = tuple[int, ...]
"""A solution: ascending placement numbers."""


Find = Callable[[str | None], BuiltInstance]
"""Builds the instance of the name that stands in a file; None: none does."""


def read_solutions(path: Path, find: Find, map_file: Path | None = None) -> tuple[BuiltInstance, list[Row]]:
    """Return the instance and the solutions in a file, in whatever format; ``map_file`` is for a solver's output.

    Raises PuzzleError for what cannot be read, for names that are no placements, and for bit arrays or atoms that belong to others.
    """
    text = text_of(path)
    format = claimed(readable("solutions"), path, text)  # what a solver prints goes to files of any name
    try:
        found: tuple[BuiltInstance, list[Row]] = function(format.reads)(text, find, map_file)
    except PuzzleError as error:
        raise error.under(f"{path}: ") from None
    return found


def are_json_lines(path: Path, text: str) -> bool:
    """Tell whether a file has a JSON object a line, or says by its name that it has."""
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


def are_answers(path: Path, text: str) -> bool:
    """Tell whether a text is what a solver has printed."""
    return is_answer(text)


def from_answers(text: str, find: Find, map_file: Path | None) -> tuple[BuiltInstance, list[Row]]:
    """Return the solutions that a solver has printed. Raises PuzzleError, as ``read_solutions`` does."""
    built = find(None)
    variables = _variables(built, map_file)
    return built, [_from_answer(built, variables, values) for values in read_answers(text)]


def solution_lines(built: BuiltInstance, rows: Iterable[Row], format: Format) -> Iterator[str]:
    """Yield the lines of a file with these solutions."""
    lines: Iterator[str] = function(format.writes)(built, rows)
    yield from lines


def wrong_solutions(rows: list[Row], check: Callable[[Rows], str | None]) -> list[str]:
    """Return a sentence for each row that is no solution. ``check`` returns what is wrong with the first bad one of several rows."""
    wrong = []
    for start in range(0, len(rows), TOGETHER):
        part = rows[start : start + TOGETHER]
        if check(padded_rows(part)) is None:
            continue
        single = ((number, check(padded_rows([row]))) for number, row in enumerate(part, start=start + 1))
        wrong += [f"solution {number}: {what}" for number, what in single if what is not None]
    return wrong


def one_of_each_class(built: BuiltInstance, rows: list[Row]) -> Iterator[Row]:
    """Yield the first of the solutions that the symmetries of the form turn into each other."""
    images = OptionImages(built.problem)
    seen: set[bytes] = set()
    for row in rows:
        least = images.least(padded_rows([row])).tobytes()
        if least not in seen:
            yield row
            seen.add(least)


def _from_names(built: BuiltInstance, number: int, solution: dict[str, str | None]) -> Row:
    row = built.options_by_name(solution)
    for option, (name, bits) in zip(row, solution.items(), strict=True):
        if bits is not None and bits != built.bit_array(option):
            raise PuzzleError(f"solution {number}: {name} has the bit array {built.bit_array(option)} in {built.instance.name}, not {bits}")
    return tuple(sorted(row))


def _from_record(built: BuiltInstance, number: int, record: dict[str, Any]) -> Row:
    """A solution from its JSON; whatever else the record says of a placement must be true."""
    row = built.options_by_name([p["name"] for p in record["placements"]])
    for said, own in zip(record["placements"], solution_as_json(built, row)["placements"], strict=True):
        if wrong := sorted(key for key in said if key in own and said[key] != own[key]):
            key = wrong[0]
            raise PuzzleError(f"solution {number}: {said['name']}: {key}: it is {own[key]} in {built.instance.name}, not {said[key]}")
    return tuple(sorted(row))


def _variables(built: BuiltInstance, map_file: Path | None) -> dict[int, int]:
    """The placement of each variable: by a map that ``compile`` wrote, or in the order of the placements."""
    if map_file is None:
        return {option + 1: option for option in range(built.problem.size)}
    wrong = PuzzleError(f"{map_file}: expected a JSON object of variables and placements, as 'puzzlesat compile --map' writes it")
    text = text_of(map_file)
    try:
        names = json_of(text)
        if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
            raise wrong
        return dict(zip(map(integer, names), built.options_by_name(names.values()), strict=True))
    except ValueError:
        raise wrong from None
    except PuzzleError as error:
        raise (error if error is wrong else error.under(f"{map_file}: ")) from None


def _from_answer(built: BuiltInstance, variables: dict[int, int], values: dict[int, bool]) -> Row:
    if missing := variables.keys() - values.keys():
        names = listed(sorted(missing))
        raise PuzzleError(f"the answer does not mention variable {names}; the formula must be that of {built.instance.name}, compiled "
                          "without --symmetry and --reduction; otherwise give its --map")  # fmt: skip
    return tuple(sorted(option for variable, option in variables.items() if values[variable]))
