"""Puzzles of the package, of files and of the page: ``library``, ``picture``, ``open`` and ``export``."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from puzzlesat.base import PuzzleError, near_match
from puzzlesat.formats import BurrToolsProblem, instance_text
from puzzlesat.pages.studio.open import begun, entries, file_name, one_of, table_in, tables_in
from puzzlesat.pages.studio.tasks.count import sizes_of
from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import Tell
from puzzlesat.pictures import board_as_json, contents_svg, png, puzzle_svg, solution_svg
from puzzlesat.playing import Position, position_text


def answer_library(_question: Mapping[str, Any], _tell: Tell) -> dict[str, Any]:
    """Return ``puzzles``: ``name``, ``title``, ``group`` and grid, and further keys for searching.

    These keys are other names (``aliases``), the ``maker``, the ``family``, and similar puzzles that the package lacks (``like``).
    """
    return {"puzzles": entries()}


def answer_picture(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``svg`` with the form and the tiles of a puzzle, and their numbers; the question has its ``name``, or the ``puzzle``."""
    with_puzzle = question if "puzzle" in question else {**question, "puzzle": {"name": question.get("name")}}
    if not isinstance(with_puzzle["puzzle"], Mapping):
        raise PuzzleError("name: expected the name of a puzzle of the library")
    built, *_ = begun(with_puzzle, tell)
    tiles = sum(t.low if t.high is None else t.high for t in built.puzzle.tiles)
    return {"svg": contents_svg(built), "tiles": tiles, "atoms": len(built.puzzle.form.required)}


def answer_open(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``puzzles``, their names and titles; and the selected ``puzzle`` with its ``board``, or None.

    A puzzle without a form, such as the empty sheet of a grid, has no board; its form is still to be drawn.
    """
    problem = question.get("problem")
    if problem is not None and not isinstance(problem, int | str):
        raise PuzzleError("problem: expected the number or the name of a puzzle in the file")
    tables, name = tables_in(question)
    selected = one_of(tables, problem, name)
    puzzles = [{"name": puzzle_name, "title": table.get("title", puzzle_name) if table else puzzle_name} for puzzle_name, table in tables]
    if selected is None:
        return {"puzzles": puzzles, "puzzle": None, "board": None}
    puzzle_name, table = selected
    puzzle = {"name": puzzle_name, "table": table} if table else {"name": puzzle_name}
    if table and "form" not in table:
        return {"puzzles": puzzles, "puzzle": puzzle, "board": None}
    built, *_ = begun({**question, "puzzle": puzzle}, tell)
    board = board_as_json(built, name=built.instance.name, title=built.instance.title)
    return {"puzzles": puzzles, "puzzle": puzzle, "board": board, "area": sizes_of(built.puzzle), "rules": built.puzzle.solutions.sentences}


FORMATS: dict[str, tuple[str, str, Callable[[Mapping[str, Any], Position], bytes]]] = {
    "toml": (".toml", "application/toml", lambda question, _: instance_text(table_in(question)).encode()),
    "text": (".txt", "text/plain", lambda _, position: position_text(position)[1].encode()),
    "xmpuzzle": (".xmpuzzle", "application/xml", lambda _, position: BurrToolsProblem.new_text(position.built.instance).encode()),
    "svg": (".svg", "image/svg+xml", lambda _, position: _drawn(position).encode()),
    "png": (".png", "image/png", lambda _, position: png(_drawn(position))),
}
"""Suffix, media type and writing function of each format."""


def answer_export(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return a file of a ``format`` in ``base64``, with its ``filename`` and ``type``; pictures show the ``position``."""
    name = question.get("format")
    if not isinstance(name, str) or name not in FORMATS:
        raise PuzzleError(f"format: there is no format {name!r}{near_match(str(name), FORMATS)}")
    suffix, kind, write = FORMATS[name]
    position, *_ = asked_position(question, tell)
    data = write(question, position)
    own = file_name(position.built.instance.name)
    return {"filename": f"{own}{suffix}", "type": kind, "base64": b64encode(data).decode("ascii")}


def _drawn(position: Position) -> str:
    built = position.built
    return solution_svg(built, position.everything, title=built.instance.title) if position.placed else puzzle_svg(built)
