"""``open``: a puzzle of the package, of a file, or of the page, with its data and its board."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlesat.base import PuzzleError
from puzzlesat.pages.studio.open import built_puzzle, one_of, path_in_package, puzzle_of, tables_of_file, tables_of_named
from puzzlesat.pages.studio.tasks.count import sizes_of
from puzzlesat.pages.studio.telling import Tell, limits
from puzzlesat.pictures import board_as_json
from puzzlesat.puzzles import read_table

Tables = list[tuple[str, dict[str, Any]]]


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``puzzles``, their names and titles; and the selected ``puzzle`` with its ``board``, or None.

    A puzzle without a form, such as the empty sheet of a grid, has no board; its form is still to be drawn.
    """
    problem = question.get("problem")
    if problem is not None and not isinstance(problem, int | str):
        raise PuzzleError("problem: expected the number or the name of a puzzle in the file")
    tables, name = _tables(question)
    selected = one_of(tables, problem, name)
    puzzles = [{"name": puzzle_name, "title": table.get("title", puzzle_name) if table else puzzle_name} for puzzle_name, table in tables]
    if selected is None:
        return {"puzzles": puzzles, "puzzle": None, "board": None}
    puzzle_name, table = selected
    puzzle = {"name": puzzle_name, "table": table} if table else {"name": puzzle_name}
    if table and "form" not in table:
        return {"puzzles": puzzles, "puzzle": puzzle, "board": None}
    bounds = limits()
    progress = tell.progress(bounds)
    built = built_puzzle({**question, "puzzle": puzzle}, progress=progress, memory=bounds.memory)
    board = board_as_json(built, name=built.instance.name, title=built.instance.title)
    return {"puzzles": puzzles, "puzzle": puzzle, "board": board, "area": sizes_of(built.puzzle), "rules": built.puzzle.solutions.sentences}


def _tables(question: Mapping[str, Any]) -> tuple[Tables, str]:
    """The puzzles of a question, and the name of their source for messages."""
    name, text, file = question.get("name"), question.get("file"), question.get("named")
    if isinstance(text, str):
        filename = question.get("filename", "")
        if not isinstance(filename, str):
            raise PuzzleError("filename: expected a string")
        return tables_of_file(filename, text, base64=question.get("base64") is True), filename
    if isinstance(file, str):
        return tables_of_named(Path(file)), Path(file).name
    if isinstance(name, str):
        path = path_in_package(name)
        return [(path.stem, read_table(path))], path.stem
    puzzle = puzzle_of(question)
    if puzzle.table is None:
        return _tables({"name": puzzle.name})
    return [(puzzle.name, dict(puzzle.table))], puzzle.name
