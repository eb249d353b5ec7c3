"""What a page knows of a puzzle, as plain JSON: its board, the cover problem for the engine, what can be said of it, and its counts.

Most of it is long lists of numbers that grow by steps. They are kept as steps, which pack ten times smaller; ``unpacking.js`` undoes that.
Each thing stands there once: pieces in space are drawn in the browser, which knows their atoms; names and outlines are those of the atoms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from puzzlesat.counting.facts import rules_said
from puzzlesat.counting.verdict import figures
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.flat import contents_svg
from puzzlesat.draw.page.board import board_as_json
from puzzlesat.puzzle.instance import Instance
from puzzlesat.site.choices import choices_as_json
from puzzlesat.site.cover import cover_as_json
from puzzlesat.site.packing import packed
from puzzlesat.site.paths import beginning, short_drawing, short_path
from puzzlesat.site.text import text_as_json
from puzzlesat.studio.said import with_parts
from puzzlesat.studio.tasks.count import area_of, sizes_of

Value = TypeVar("Value")
UNUSED = ("expect", "source")
"""Keys of a file that are for its puzzle alone, not for what is drawn from it."""
NUMBER = re.compile(r"-?\d+$")
TITLES = re.compile("<title>.*?</title>")
"""Cards have names."""
GROUPS = re.compile("(?<=</g>)(?=<g>)")
BARE = re.compile(r"<g>((?:<path [^>]*/>)*)</g>\n?")
"""A group that says nothing."""
WIDTH = re.compile(r'<svg [^>]*width="([^"]+)"')
LARGE = 600
"""So wide a picture is at least twice as wide as its card."""


def puzzle_as_json(built: BuiltInstance, name: str, command: str) -> dict[str, Any]:
    """Return what the page knows of a puzzle. Raises NotSupportedError where the engine in the browser cannot count it.

    ``name`` is that in links, and ``command`` opens the puzzle in the program.
    """
    instance, puzzle, expect = built.instance, built.puzzle, built.instance.expect
    cover, board = cover_as_json(built.problem, built.first_rule_item), board_as_json(built, name=name, title=instance.title)
    sizes = built.problem.start[1:] - built.problem.start[:-1]
    lists = _lists(cover["item"], sizes.tolist())
    between, within = _steps_between(lists), _steps_within(lists)
    cover["within"] = len(packed(within)) < len(packed(between))
    cover["item"] = within if cover["within"] else between
    if cover["names"][: len(board["atoms"])] == [atom["name"] for atom in board["atoms"]]:
        cover["names"] = cover["names"][len(board["atoms"]) :]
    text, said = text_as_json(built), {"rules": rules_said(puzzle), "facts": area_of(built)}
    known = {
        "counts": dict(figures(expect)),
        "published": expect.published,
        "source": instance.credit,
        "symmetries": list(built.problem.symmetries),
    }
    return {
        "board": _short_board(board),
        "cover": cover,
        "choices": choices_as_json(built),
        "text": text | {"places": _steps(_by_kind(text["places"], board["atoms"]))} if text else None,
        "area": sizes_of(puzzle),
        "marked": any(not mark.is_colour for placement in built.placements for mark in placement.marks),
        "known": known if known["counts"] else None,
        "command": command,
        "table": _table(instance, [atom["name"] for atom in board["atoms"]]),
        **with_parts(said),
    }


def _table(instance: Instance, names: Sequence[str]) -> dict[str, Any] | None:
    """What the file of a puzzle says, for whoever draws on from it; None where it lists placements, which no browser lays.

    Where the form lists the very atoms of the board, its list is left out.
    """
    file = instance.file.said if instance.file is not None else None
    said = {key: value for key, value in (file or {}).items() if key not in UNUSED}
    if not said or any("placements" in tile for tile in said.get("tiles", {}).values()):
        return None
    atoms = said.get("form", {}).get("atoms")
    listed = isinstance(atoms, list) and sorted(map(json.dumps, atoms)) == sorted(names)
    return said | {"form": said["form"] | {"atoms": None}} if listed else said


def picture_as_json(built: BuiltInstance) -> dict[str, Any]:
    """Return the picture of a card in the library, as the studio's question ``picture`` does. A large one is shown at half its size."""
    drawing = BARE.sub(r"\1", TITLES.sub("", contents_svg(built)))
    width = WIDTH.search(drawing)
    return {"svg": short_drawing(drawing, decimals=0 if width and float(width[1]) > LARGE else 1)}


# short -----------------------------------------------------------------------------------------------------------------------


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
        "cells": _parts([name.removeprefix(first).split(".") for name, first in zip(names, firsts, strict=True)]) if known else None,
        "name": None if known else names,
        "drawings": placements["drawings"],
    }
    if placements["drawings"]:
        places = zip(placements["x"], placements["y"], strict=True)
        short["drawings"] = _each_once([short_drawing(one, place) for one, place in zip(placements["drawings"], places, strict=True)])
    laid = set(zip(placements["tile"], placements["orientation"], strict=True))
    orientations = [
        _short_orientation(one, board, (t, o) in laid)
        for t, tile in enumerate(board["tiles"])
        for o, one in enumerate(tile["orientations"])
    ]
    outlines = "".join(atom["path"] for atom in board["atoms"])
    return board | {
        "placements": short,
        "tiles": [tile | {"orientations": len(tile["orientations"])} for tile in board["tiles"]],
        "orientations": _columns(orientations),
        "ground": short_drawing(board["ground"].replace(f'"{outlines}"', '""')),
        "atoms": _short_atoms(board["atoms"]),
        "neighbours": [[other - atom for other in some if other > atom] for atom, some in enumerate(board["neighbours"])],
        "solid": _short_solid(board["solid"]) if board["solid"] else None,
    }


def _each_once(drawings: Sequence[str]) -> dict[str, Any]:
    """The groups that drawings are made of, and the numbers of those of each drawing."""
    numbers: dict[str, int] = {}
    of = [[numbers.setdefault(group, len(numbers)) for group in GROUPS.split(drawing)] for drawing in drawings]
    return {"groups": list(numbers), "of": of}


def _short_orientation(one: dict[str, Any], board: dict[str, Any], laid: bool) -> dict[str, Any]:
    """An orientation whose drawing the browser makes or has already, and of whose atoms it knows the middle in each part."""
    parts, middles, (left, top, *size) = one["parts"], one["atoms"], one["box"]
    at = [beginning(part["drawing"]) for part in parts]
    hearts = []
    for part, (x, y) in zip(parts, at, strict=True):
        own = [middle for middle in middles if middle[2] == part["height"]] or middles
        hearts.append([round(sum(m[0] for m in own) / len(own) - x), round(sum(m[1] for m in own) / len(own) - y)])
    found = one | {
        "parts": [part["height"] for part in parts],
        "at": at,
        "drawings": [short_drawing(part["drawing"], place) for part, place in zip(parts, at, strict=True)],
        "drawing": None if board["dimension"] == 2 or (laid and not one["words"]) else short_drawing(one["drawing"]),
        "atoms": hearts,
    }
    return found | ({"box": [round(left - at[0][0], 2), round(top - at[0][1], 2), *size]} if board["dimension"] == 2 else {})


def _short_atoms(atoms: list[dict[str, Any]]) -> dict[str, Any]:
    """Atoms as columns, all but their names by kind; an outline begins at the middle of its atom."""
    found = [atom | {"path": short_path(atom["path"], (atom["x"], atom["y"]))} for atom in _by_kind(atoms, atoms)]
    x, y = (_steps([round(10 * atom[axis]) for atom in found]) for axis in ("x", "y"))
    return _columns(found) | {"name": _parts([_name_of(atom) for atom in atoms]), "x": x, "y": y}


def _name_of(atom: Mapping[str, Any]) -> list[str]:
    parts: list[str] = atom["name"][1:-1].split(", ")
    return parts


def _by_kind(values: Sequence[Value], atoms: Sequence[Mapping[str, Any]]) -> list[Value]:
    """What is said of atoms, those of a kind after each other: it is the same or grows by the same steps. Names end with a kind, if any."""
    kinds = [_name_of(atom)[-1] for atom in atoms]
    if all(map(NUMBER.match, kinds)):
        return list(values)
    return [values[a] for a in sorted(range(len(kinds)), key=kinds.__getitem__)]


def _short_solid(solid: dict[str, Any]) -> dict[str, Any]:
    """Bodies whose atoms are columns of steps. How far they reach decides only whether they meet; the faces tell what is behind."""
    kinds = [kind | ({"span": _rounded(kind["span"])} if "span" in kind else {}) for kind in solid["kinds"]]
    atoms = [_steps(column) for column in zip(*solid["atoms"], strict=True)]
    return solid | {"kinds": kinds, "axes": _rounded(solid["axes"]), "atoms": atoms, "behind": None}


def _rounded(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[round(number, 7) for number in row] for row in rows]


# steps -----------------------------------------------------------------------------------------------------------------------


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Each key with its values in all rows."""
    return {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}


def _parts(rows: Sequence[Sequence[str]]) -> list[Any]:
    """Parts of names as columns: numbers as steps, words as they are."""
    return [_steps([int(part) for part in column]) if all(map(NUMBER.match, column)) else column for column in zip(*rows, strict=True)]


def _steps(numbers: Sequence[int]) -> list[int]:
    """Each number as what it is more than the one before it."""
    return [after - before for before, after in zip([0, *numbers], numbers, strict=False)]


def _lists(numbers: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    ends = list(accumulate(sizes, initial=0))
    return [list(numbers[start:end]) for start, end in pairwise(ends)]


def _steps_between(lists: Sequence[Sequence[int]]) -> list[int]:
    """Each number as what it is more than that at its place in the list before."""
    return [number - (before[i] if i < len(before) else 0) for before, here in pairwise([[], *lists]) for i, number in enumerate(here)]


def _steps_within(lists: Sequence[Sequence[int]]) -> list[int]:
    """Each number as what it is more than the one before it in its list; the first, than the first of the list before."""
    firsts = [0, *(here[0] for here in lists)]
    return [step for first, here in zip(firsts, lists, strict=False) for step in (here[0] - first, *_steps(here)[1:])]
