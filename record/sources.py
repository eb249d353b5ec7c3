"""The author's published figures and the definitions of his classes (``sources.jsonl``), and their comparison with the record.

No file can declare a figure confirmed or refuted. A figure is refuted only if ``differences`` finds none between the line and the class
(the same form and tiles by digest, the same fixed tiles, parts and rules), if two engines counted, and if the line contains the
evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from shapes import form_digest, tiles_digest

from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.package import json_of, text_of
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import Library
from puzzlesat.puzzles.puzzle import Instance
from puzzlesat.puzzles.reading import validated
from puzzlesat.puzzles.schema import InstanceFile

SOURCES = Path(__file__).with_name("sources.jsonl")
CONFIRMED, REFUTED, NOT_CHECKED, NOTHING = "confirmed", "REFUTED", "not checked", ""
TURNS_AND_MIRRORS, TURNS, NO_MOTION, RECTANGLE = "turning and mirroring", "turning", "nothing", "the rectangle"
"""Values of ``up_to``: the motions under which the author identifies solutions."""
RECTANGLE_MOTIONS: Final = 4
CERTIFICATE = "certificate"
ENGINES = ("backtrack", "tally", "sat", "cpsat", CERTIFICATE)
"""Solvers that share no search code. A certificate counts as one, since its checker repeats the whole search."""
Line = Mapping[str, Any]
Made = TypeVar("Made")


@dataclass(frozen=True)
class Source:
    """The author's statement on one puzzle, and the definition of its class."""

    name: str
    place: str
    """The class, and the place in it: its docstring, or the number of the form in the docstring."""
    published: int | None
    """The number of solutions; None if the class states none, or a word such as ``many``."""
    up_to: str
    """The motions under which the author identifies solutions."""
    form: str
    """Digest of the author's form."""
    atoms: int
    tiles: str
    """Digest of the author's tiles."""
    pieces: int
    flips: bool
    """Whether tiles may be turned over or, in space, have a mirror twin."""
    fixed: tuple[str, ...] = ()
    """Tiles with a fixed place, as names of placements."""
    wrap: tuple[dict[str, Any], ...] = ()
    """Joined sides of the form."""
    solutions: Mapping[str, Any] = field(default_factory=dict)
    """Rules on solutions: tiles for each part, unused placements, tiles that do not touch."""
    doubtful: int | None = None
    """A figure with a question mark, which is not a claim."""
    unstated: str = ""
    """The difference between the line and the class, or the rule of the class that the line cannot state."""
    left_out: str = ""
    """Restrictions of the class that only speed up the search or select one solution per class, and are not rules of the puzzle."""


@dataclass(frozen=True)
class Judged:
    """The judgement on a published figure."""

    word: str
    """``confirmed``, ``REFUTED`` or ``not checked``; empty if no figure was published."""
    sentence: str
    """The sentence for the page."""


def read_sources(path: Path = SOURCES) -> dict[str, Source]:
    """Return the author's statements by name of the puzzle."""
    return {source.name: source for source in objects_in(path, _source)}


def _source(table: Mapping[str, Any]) -> Source:
    lists = {key: tuple(table[key]) for key in ("fixed", "wrap") if key in table}
    return Source(**{**table, **lists})


def objects_in(path: Path, make: Callable[[Mapping[str, Any]], Made]) -> Iterator[Made]:
    """Yield an object for each line of a file. Raises PuzzleError with the line number for an invalid line."""
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        try:
            yield make(json_of(line))
        except (PuzzleError, TypeError, ValueError) as error:
            raise PuzzleError(f"{path}: line {number}: {error}") from None


def as_instance(name: str, line: Line, path: Path) -> Instance:
    """Return the instance of a line, like ``puzzlesat.formats.puzzles.raw_tables_in``."""
    return Library().instance(validated(InstanceFile, dict(line), path), path, name)


def differences(source: Source, line: Line, instance: Instance) -> list[str]:
    """Return the differences between the puzzle of a line and the class, by field; empty if there are none."""
    puzzle, form = instance.puzzle, line["form"]
    drawn = [atom for atom in puzzle.form.required if puzzle.grid.atoms[atom[-1]].kind == puzzle.grid.main_kind]
    same = {
        "form": source.form == form_digest(puzzle) and source.atoms == len(drawn),
        "tiles": source.tiles == tiles_digest(puzzle) and source.pieces == sum(tile.low for tile in puzzle.tiles),
        "flips": source.flips == turned_over(instance),
        "fixed tiles": set(source.fixed) == set(form.get("fixed", [])),
        "wrap": list(source.wrap) == form.get("wrap", []),
        "rules on solutions": source.solutions == line.get("solutions", {}),
        "conditions": not line.get("conditions"),
        "rules": not source.unstated,
    }
    return [name for name, alike in same.items() if not alike]


def turned_over(instance: Instance) -> bool:
    """Return whether tiles are turned over in the plane. In space only rotations are possible, and sets have mirror twins."""
    grid = instance.puzzle.grid
    mirrors = {i for i, symmetry in enumerate(grid.symmetries) if symmetry.name.startswith("mirror")}
    return grid.dimension == 3 or any(mirrors & set(tile.symmetries) for tile in instance.puzzle.tiles)


def engines_of(how: str, *, certified: bool) -> set[str]:
    """Return the engines that a line names for its count, and ``certificate`` if it has one."""
    named = {engine for engine in ENGINES if re.search(rf"\b{engine}\b", how)}
    return named | ({CERTIFICATE} if certified else set())


def judged(source: Source, line: Line, instance: Instance, engines: Collection[str]) -> Judged:
    """Return the judgement on the published figure for the puzzle of a line."""
    if source.published is None:
        return Judged(NOTHING, "" if source.doubtful is None else f"“{source.doubtful:,}?”, no claim")
    figure, expect = source.published, line.get("expect", {})
    said = f"{figure:,}" + ("" if source.up_to == TURNS_AND_MIRRORS or not figure else f" up to {source.up_to}")
    if differ := differences(source, line, instance):
        return Judged(NOT_CHECKED, f"{said} (not checked: {source.unstated or ', '.join(differ)})")
    found = counted(expect, source.up_to, instance)
    if found is None:
        wrong = figure == 0 and bool(expect.get("solution"))
        return Judged(NOT_CHECKED, f"{said}, but there is a solution" if wrong else f"{said} (not checked)")
    enough = len(engines) >= 2 or (not found and CERTIFICATE in engines)
    if not enough:
        return Judged(NOT_CHECKED, f"{said} (counted {found:,}, by one engine alone)")
    if found == figure:
        return Judged(CONFIRMED, f"{said} confirmed")
    evidence = next((claim["evidence"] for claim in expect.get("refuted", []) if claim["published"] == figure), "")
    if not evidence:
        return Judged(NOT_CHECKED, f"{said}; counted {found:,}")
    return Judged(REFUTED, f"{said} REFUTED: {found:,}, by {', '.join(sorted(engines))}; {evidence}")


def counted(expect: Mapping[str, Any], up_to: str, instance: Instance) -> int | None:
    """Return the number of solutions of a line in the author's way of counting; None if unknown."""
    every = expect.get("all")
    if every is None or not every or up_to == NO_MOTION:
        return None if every is None else int(every)
    if up_to == RECTANGLE:
        return int(every) // RECTANGLE_MOTIONS
    own = TURNS_AND_MIRRORS if instance.puzzle.mirrored_same else TURNS
    return int(expect["distinct"]) if up_to == own else _up_to_turning(int(every), instance)


def _up_to_turning(every: int, instance: Instance) -> int:
    """Return the count up to rotations.

    If several tiles are each used once, no rotation fixes a solution, so all orbits have the same size.
    """
    names = build_instance(instance).problem.symmetries
    return every // sum(not name.startswith("mirror") for name in names)
