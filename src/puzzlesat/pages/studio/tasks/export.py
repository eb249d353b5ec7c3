"""``export``: a puzzle, or one of its positions, as a file to save."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from puzzlesat.base import PuzzleError, near_match
from puzzlesat.formats import BurrToolsProblem, instance_text
from puzzlesat.pages.studio.open import file_name, path_in_package, puzzle_of, tables_of_named
from puzzlesat.pages.studio.tasks.position import asked_position
from puzzlesat.pages.studio.telling import Tell, limits
from puzzlesat.pictures import png, puzzle_svg, solution_svg
from puzzlesat.playing import Position, position_text
from puzzlesat.puzzles import read_table

FORMATS: dict[str, tuple[str, str, Callable[[Mapping[str, Any], Position], bytes]]] = {
    "toml": (".toml", "application/toml", lambda question, _: instance_text(table_of(question)).encode()),
    "text": (".txt", "text/plain", lambda _, position: position_text(position)[1].encode()),
    "xmpuzzle": (".xmpuzzle", "application/xml", lambda _, position: _for_burrtools(position).encode()),
    "svg": (".svg", "image/svg+xml", lambda _, position: _drawn(position).encode()),
    "png": (".png", "image/png", lambda _, position: png(_drawn(position))),
}
"""Suffix, media type and writing function of each format."""


def do(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return a file of a ``format`` in ``base64``, with its ``filename`` and ``type``; pictures show the ``position``."""
    name = question.get("format")
    if not isinstance(name, str) or name not in FORMATS:
        raise PuzzleError(f"format: there is no format {name!r}{near_match(str(name), FORMATS)}")
    suffix, kind, write = FORMATS[name]
    position = asked_position(question, tell, limits())
    data = write(question, position)
    own = file_name(position.built.instance.name)
    return {"filename": f"{own}{suffix}", "type": kind, "base64": b64encode(data).decode("ascii")}


def table_of(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a built puzzle as in its file, with referenced models and grids inserted."""
    puzzle = puzzle_of(question)
    if puzzle.table is not None:
        return dict(puzzle.table)
    return read_table(path_in_package(puzzle.name)) if puzzle.file is None else tables_of_named(puzzle.file)[0][1]


def _for_burrtools(position: Position) -> str:
    return BurrToolsProblem.new_text(position.built.instance)


def _drawn(position: Position) -> str:
    built = position.built
    return solution_svg(built, position.everything, title=built.instance.title) if position.placed else puzzle_svg(built)
