"""Candidate forms from files: instances whose form is taken, and text pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from puzzlesat.candidates.generate import Candidate
from puzzlesat.candidates.kit import Kit
from puzzlesat.config.files import MOST_OF_A_PUZZLE, is_file, is_folder, text_of, why_missing
from puzzlesat.config.library import find_model
from puzzlesat.config.package import instance_files
from puzzlesat.config.read import kind_of, read_model
from puzzlesat.config.schema import InstanceFile, name_of_grid
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.foreign import is_foreign
from puzzlesat.formats.puzzles import tables_in
from puzzlesat.formats.table import found_in_folders, read, suffixes

SEPARATOR = re.compile(r"\s*(?:-{3,}|={3,})\s*(.*?)\s*[-=]*\s*")
"""A line between two pictures; what stands in it is the name of the one that follows."""


def from_files(kit: Kit, paths: Sequence[Path]) -> list[Candidate]:
    """Return the forms of files and folders. Raises PuzzleError with everything that cannot be read."""
    found: list[Candidate] = []
    wrong: list[str] = []
    for path in _files(paths):
        try:
            found += _pictures(kit, path) if path.suffix == ".txt" else _puzzles(kit, path)
        except PuzzleError as error:
            wrong += error.problems
    if wrong:
        raise PuzzleError(*wrong)
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if is_folder(path):
            others = [file for suffix in (".txt", *found_in_folders()) for file in path.rglob(f"*{suffix}")]
            inside = sorted([*(f for f in instance_files(path) if kind_of(f) == "instance"), *others])
            if not inside:
                raise PuzzleError(
                    f"{path}: there is no puzzle ({', '.join(('.toml', *found_in_folders()))}) and no picture (.txt) in this folder"
                )
            yield from inside
        elif path.suffix in (".toml", ".txt") or is_foreign(path):
            if not is_file(path):
                raise PuzzleError(f"{path}: {why_missing(path)}")
            yield path
        else:
            raise PuzzleError(f"{path}: expected a folder, a puzzle ({', '.join(suffixes(read('puzzles')))}) or a text picture (.txt)")


def _puzzles(kit: Kit, path: Path) -> list[Candidate]:
    """The forms of the puzzles in a file, whatever their tiles are."""
    return [_candidate(kit, name, instance, path) for name, instance, _ in tables_in(path)]


def _candidate(kit: Kit, name: str, instance: InstanceFile, path: Path) -> Candidate:
    grid = instance.grid
    if grid is None and instance.model is not None:
        grid = read_model(find_model(instance.model, path)).grid
    if grid is not None and (own := name_of_grid(grid)) != kit.grid.name:
        raise PuzzleError(f"{path}: the form lies on grid {own!r}, the tiles of {kit.title} on {kit.grid.name!r}")
    if said := [key for key in ("conditions", "solutions") if key in instance.model_fields_set and getattr(instance, key)]:
        raise PuzzleError(f"{path}: {said[0]}: only the form of this file is used; remove them, or move them to {kit.path}")
    return Candidate(name, instance.form, path)


def _pictures(kit: Kit, path: Path) -> list[Candidate]:
    """The pictures of a text file."""
    lines = text_of(path, MOST_OF_A_PUZZLE).splitlines()
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if (match := SEPARATOR.fullmatch(line)) is not None:
            blocks.append((match[1], []))
        else:
            blocks[-1][1].append(line)
    drawn = [(name, "\n".join(rows)) for name, rows in blocks if any(row.strip() for row in rows)]
    if not drawn:
        raise PuzzleError(f"{path}: there is no picture in this file")
    several = len(drawn) > 1
    return [
        Candidate(name or (f"{path.stem}-{number}" if several else path.stem), kit.table(picture=text), path)
        for number, (name, text) in enumerate(drawn, start=1)
    ]
