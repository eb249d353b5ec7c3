"""Solutions as text: in Logelium's notation, with names such as ``Q.1@3.1`` and bit arrays over the atoms of the form, as JSON, and as CSV.

Tables in CSV are for spreadsheets as well, so no cell can be taken for a formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from puzzlesat.base import PuzzleError, json_of, listed, shown
from puzzlesat.puzzles import BuiltInstance


def solution_as_json(built: BuiltInstance, row: Iterable[int]) -> dict[str, Any]:
    """Return a solution as a plain dictionary: for each placement its name, tile, atoms and bit array."""
    grid = built.puzzle.grid
    placements = []
    for option in row:
        if option >= 0:
            p = built.placements[option]
            atoms = [[*a[:-1], grid.atoms[a[-1]].name] for a in p.atoms]
            placements.append({"name": p.name, "tile": built.puzzle.tiles[p.tile].name, "atoms": atoms, "bits": built.bit_array(option)})
    return {"instance": built.instance.name, "placements": placements}


def json_lines(built: BuiltInstance, rows: Iterable[Iterable[int]]) -> Iterator[str]:
    """Yield solutions as JSON, one object per line: a number, and the keys of ``solution_as_json``."""
    for number, row in enumerate(rows, start=1):
        yield json.dumps({"number": number, **solution_as_json(built, row)}, ensure_ascii=False)


def notation_lines(built: BuiltInstance, rows: Iterable[Iterable[int]]) -> Iterator[str]:
    """Yield the lines of a text with solutions: the instance, then for each solution its placements with their bit arrays."""
    yield f"instance {built.instance.name}"
    yield f"# {' '.join(built.instance.title.split())}"
    width = max((len(name) for name in built.problem.options), default=0)
    for number, row in enumerate(rows, start=1):
        yield ""
        yield f"solution {number}"
        yield from (f"{built.problem.options[o]:{width}}  {built.bit_array(o)}" for o in row if o >= 0)


def read_notation(text: str) -> tuple[str | None, list[dict[str, str | None]]]:
    """Return the instance that a text names, and its solutions: for each placement its bit array, or None if it has none.

    Empty lines, or lines ``solution 1``, separate solutions. A line holds placements (``Q.1@3.1``), each with or without a bit array behind
    it; ``#`` begins a comment. Raises PuzzleError, with the number of the line, for anything else.
    """
    instance = None
    solutions: list[dict[str, str | None]] = [{}]
    headed: set[int] = set()  # solutions with a line ``solution N``, which may be empty
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#")[0].split()
        if words[:1] == ["instance"] and len(words) == 2:
            instance = words[1]
            continue
        if words[:1] == ["solution"] and len(words) > 1 and words[1].isdecimal():
            headed.add(len(solutions))
            solutions.append({})
            words = words[2:]
        elif not words and solutions[-1]:
            solutions.append({})
        last = None
        for word in words:
            if "@" in word and word not in solutions[-1]:
                solutions[-1][word] = None
                last = word
            elif last is not None and re.fullmatch("[0-9A-Fa-f]+", word):
                solutions[-1][last] = word.upper()
                last = None
            else:
                what = "is listed twice in one solution" if "@" in word else "is neither a placement, such as Q.1@3.1, nor its bit array"
                raise PuzzleError(f"line {number}: {shown(word)!r} {what}")
    return instance, [solution for i, solution in enumerate(solutions) if solution or i in headed]


def read_json_lines(text: str) -> tuple[str | None, list[dict[str, Any]]]:
    """Return the instance that JSON lines name, and the records of its solutions, as ``solution_as_json`` makes them.

    Raises PuzzleError, with the number of the line, for an invalid record, and for records of different instances.
    """
    names: dict[str, None] = {}
    records = []
    for number, line in enumerate(text.split("\n"), start=1):  # names may contain other line separators
        if not line.strip():
            continue
        try:
            record = json_of(line)
        except PuzzleError as error:
            raise error.under(f"line {number}: ") from None
        placements = record.get("placements") if isinstance(record, dict) else None
        if not isinstance(placements, list) or not all(isinstance(p, dict) and isinstance(p.get("name"), str) for p in placements):
            raise PuzzleError(f'line {number}: expected an object with "placements", a list of objects with a "name" such as "Q.1@3.1"')
        names |= {shown(str(record["instance"])): None} if "instance" in record else {}
        records.append(record)
    if len(names) > 1:
        raise PuzzleError(f"solutions of different instances ({listed(names)}); put each into a file of its own")
    return next(iter(names), None), records


FORMULAS = ("=", "+", "-", "@", "\t")
"""Beginnings of a text that a spreadsheet may take for a formula and execute."""


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of a CSV file, the first with the names of the columns; an unknown value (None) is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        yield _taken(text)
        writer.writerow([_cell(row[column]) for column in columns])
    yield _taken(text)


def _taken(text: io.StringIO) -> str:
    """Return the text in a buffer, and empty the buffer."""
    line = text.getvalue()
    text.seek(0)
    text.truncate()
    return line


def _cell(value: object) -> object:
    """Return a value for a cell. An apostrophe before a possible formula makes spreadsheets treat it as text."""
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")  # the writer would not quote these
        return f"'{text}" if text.startswith(FORMULAS) else text
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
