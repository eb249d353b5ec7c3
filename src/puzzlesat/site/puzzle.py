"""What a page knows of a puzzle, as plain JSON: its board, the cover problem for the engine, what can be said of it, and its counts.

Most of it is long lists of numbers that grow by steps. They are kept as steps, which pack ten times smaller; ``unpacking.js`` undoes that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from puzzlesat.counting.facts import rules_said
from puzzlesat.counting.verdict import figures
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.flat import contents_svg
from puzzlesat.draw.page.board import board_as_json
from puzzlesat.puzzle.instance import Instance
from puzzlesat.site.choices import choices_as_json
from puzzlesat.site.cover import cover_as_json
from puzzlesat.site.text import text_as_json
from puzzlesat.studio.said import with_parts
from puzzlesat.studio.tasks.count import area_of, sizes_of

UNUSED = ("expect", "source")
"""Keys of a file that are for its puzzle alone, not for what is drawn from it."""
LONG = re.compile(r"\d+\.\d{2,}")
"""A number in a drawing that is more exact than anybody sees."""


def puzzle_as_json(built: BuiltInstance, name: str, command: str) -> dict[str, Any]:
    """Return what the page knows of a puzzle. Raises NotSupportedError where the engine in the browser cannot count it.

    ``name`` is that in links, and ``command`` opens the puzzle in the program.
    """
    instance, puzzle, expect = built.instance, built.puzzle, built.instance.expect
    cover = cover_as_json(built.problem, built.first_rule_item)
    sizes = built.problem.start[1:] - built.problem.start[:-1]
    cover["item"] = _steps_of_lists(cover["item"], sizes.tolist())
    said = {"rules": rules_said(puzzle), "facts": area_of(built)}
    known = {"counts": dict(figures(expect)), "published": expect.published, "source": instance.credit}
    return {
        "board": _short_board(board_as_json(built, name=name, title=instance.title)),
        "cover": cover,
        "choices": choices_as_json(built),
        "text": text_as_json(built),
        "area": sizes_of(puzzle),
        "known": known if known["counts"] else None,
        "command": command,
        "table": _table(instance),
        **with_parts(said),
    }


def _table(instance: Instance) -> dict[str, Any] | None:
    """What the file of a puzzle says, for whoever draws on from it."""
    said = None if instance.file is None else instance.file.said
    return None if said is None else {key: value for key, value in said.items() if key not in UNUSED}


def picture_as_json(built: BuiltInstance) -> dict[str, Any]:
    """Return the picture of a card in the library, as the studio's question ``picture`` does."""
    return {"svg": contents_svg(built)}


# steps -----------------------------------------------------------------------------------------------------------------------


def _short_board(board: dict[str, Any]) -> dict[str, Any]:
    """A board whose placements are steps. Their atoms are left out: they are items of the cover problem; so is what their tiles tell."""
    placements = board["placements"]
    firsts = [
        f"{tile['name']}.{tile['orientations'][turn]['number']}@"
        for tile, turn in ((board["tiles"][t], o) for t, o in zip(placements["tile"], placements["orientation"], strict=True))
    ]
    names = placements["name"]
    known = all(name.startswith(first) for name, first in zip(names, firsts, strict=True))
    short = {
        "tile": _steps(placements["tile"]),
        "orientation": _steps(placements["orientation"]),
        "x": _steps([round(100 * x) for x in placements["x"]]),
        "y": _steps([round(100 * y) for y in placements["y"]]),
        "rise": placements["rise"],
        "cells": [name.removeprefix(first) for name, first in zip(names, firsts, strict=True)] if known else None,
        "name": None if known else names,
        "drawings": placements["drawings"],
    }
    for tile in board["tiles"]:
        for orientation in tile["orientations"]:
            for drawn in (orientation, *orientation["parts"]):
                drawn["drawing"] = LONG.sub(lambda found: f"{float(found[0]):.1f}", drawn["drawing"])
    return board | {"placements": short}


def _steps(numbers: Sequence[int]) -> list[int]:
    """Each number as what it is more than the one before it."""
    return [after - before for before, after in zip([0, *numbers], numbers, strict=False)]


def _steps_of_lists(numbers: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Lists one after the other, of these sizes: each number as what it is more than that at its place in the list before."""
    found: list[int] = []
    at, before = 0, []  # type: int, list[int]
    for size in sizes:
        here = list(numbers[at : at + size])
        found += [number - (before[i] if i < len(before) else 0) for i, number in enumerate(here)]
        at, before = at + size, here
    return found
