"""The data of a puzzle for a page of a site, as plain JSON: its board, the cover problem for the engine, its rules, and its counts.

Most of the data are long lists of numbers that grow by steps. They are stored as differences, which deflate ten times smaller;
``unpacking.js`` restores them. Nothing is stored twice: pieces in space are drawn in the browser from their atoms, and items and outlines
take their names and paths from the atoms. Drawings are stored relative to a point, with one decimal: the same shape has the same text at
every place, so it deflates well. Options are in the order of the placements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np

from puzzlesat.base import NotSupportedError, PuzzleError
from puzzlesat.pages.studio.painted import choices, form_colours, has_meaning, pieces
from puzzlesat.pages.studio.tasks.count import area_of, sizes_of
from puzzlesat.pages.studio.telling import with_parts
from puzzlesat.pages.template import packed
from puzzlesat.pictures import TextCanvas, board_as_json, contents_svg
from puzzlesat.puzzles import PLACE_RULES, BuiltInstance, Condition, CoverProblem, Instance, reduce
from puzzlesat.solvers import bitset_bytes, factors, item_to_break, refuse_coloured_needs

MAX_RULE_ATOMS = 4_000
"""Largest number of atoms that a rule may refer to. Rules with more are omitted, because the page would be too large."""


def choices_as_json(built: BuiltInstance) -> dict[str, Any]:
    """Return the rules that a user can choose, as in the studio, and the atoms to which they refer, by number."""
    instance, puzzle, form = built.instance, built.puzzle, built.puzzle.form
    keys = {key for rules in choices(instance) for key in rules}
    contacts = built.contacts
    places = {key: [*rule.places(contacts)] for key, rule in PLACE_RULES.items() if key in keys}
    sides, both = (contacts.touching(strictly=strictly) if keys & {"colours", "apart"} else [] for strictly in (False, True))
    at_corners = sorted({*both} - {*sides})
    looked_at: dict[str, list[Any]] = {
        **{key: [place.sets[0] for place in rule_places] for key, rule_places in places.items()},
        "colours": sides,
        "apart": sides,
    }
    large = {key for key, atoms_of_rule in looked_at.items() if sum(map(len, atoms_of_rule)) > MAX_RULE_ATOMS}
    return {
        "rules": [rules for rules in choices(instance) if large.isdisjoint(rules)],
        "symmetric": [name for name in built.problem.symmetries[1:] if has_meaning(instance, {"symmetric": [name]})],
        "pieces": pieces(instance),
        "members": [list(tile.members) for tile in puzzle.tiles],
        "cells": {c: [i for i, a in enumerate(form.numbering.atoms) if form.colours.get(a) == c] for c in form_colours(instance)},
        "border": contacts.at_the_border() if keys & {"touch_border", "inside"} else [],
        "places": {
            key: {"words": PLACE_RULES[key].words, "places": [(p.sets, p.low, p.high, [*map(sorted, p.through)]) for p in rule_places]}
            for key, rule_places in places.items()
            if key not in large
        },
        "strictly": puzzle.solutions.strictly,
        "sides": [] if "apart" in large else sides,
        "corners": at_corners if 2 * len(at_corners) <= MAX_RULE_ATOMS and "apart" not in large else None,
    }


MAX_BITSET_BYTES = 1 << 28
"""Largest size of bitsets in a browser, in bytes; phones cannot spare more."""
FAR = 1 << 50
"""A bound beyond every sum of weights; numbers of JavaScript are exact up to 2⁵³."""


def cover_as_json(problem: CoverProblem, first_rule_item: int | None = None) -> dict[str, Any]:
    """Return the data of the engine. The items from ``first_rule_item`` on belong to rules on solutions.

    Raises NotSupportedError for problems that the engine does not support.
    """
    if problem.colouring is not None:
        raise NotSupportedError("only solutions count whose tiles can be coloured, and the engine in the browser cannot check that")
    refuse_coloured_needs(problem)
    if (need := bitset_bytes(problem)) > MAX_BITSET_BYTES:
        memory = f"{-(-need >> 20)} MiB of memory, more than the {MAX_BITSET_BYTES >> 20} MiB that a page may take on a phone"
        raise NotSupportedError(f"the engine in the browser would need {memory}")
    tiles = problem.tiles.tolist()
    data = {
        "names": list(problem.items),
        "atoms": min(tiles, default=len(problem.items)),
        "rules": len(problem.items) if first_rule_item is None else first_rule_item,
        "low": _short(problem.low),
        "high": _short(problem.high),
        "sizes": _short(np.diff(problem.start)),
        "item": problem.item.tolist(),
        "coloured": np.flatnonzero(problem.coloured).tolist(),
        "colour": problem.colour.tolist() if problem.colour.any() else [],
        "tiles": tiles,
        "conditions": [_condition(condition) for condition in problem.conditions],
        "forced": list(problem.forced),
        "symmetries": symmetries_as_json(problem),
        "broken": _broken(problem),
        "hopeless": problem.out_of_reach() is not None,
    }
    return {key: value for key, value in data.items() if value is not None and value is not False and value != []}


def _short(numbers: np.ndarray) -> int | list[int]:
    """A list of numbers, or one number if all are equal."""
    return int(numbers[0]) if len(numbers) and (numbers == numbers[0]).all() else numbers.tolist()


def _condition(condition: Condition) -> dict[str, Any]:
    near = {"low": max(condition.low, -FAR), "high": min(condition.high, FAR)}
    return {"weights": condition.weights.tolist(), **near, "modulus": condition.modulus, "residue": condition.residue}


def symmetries_as_json(problem: CoverProblem) -> dict[str, Any] | None:
    """Return the ``names`` of the symmetries except the identity, and the images of the options.

    ``own`` has the images of the options under a few generators, as differences. ``made`` has two numbers for each symmetry: an earlier
    symmetry (0 is the identity), and the index in ``own`` of the generator applied after it. ``order`` maps them to their names.
    """
    images = problem.images
    if images is None or len(images) < 2:
        return None
    number = {image.tobytes(): i for i, image in enumerate(images)}
    order, generators, made = [0], list[int](), list[list[int]]()
    for new in range(1, len(images)):
        if new in order:
            continue
        generators.append(new)
        order.append(new)
        made.append([0, len(generators) - 1])
        reached, done = set(order), 0
        while done < len(order):
            for i, generator in enumerate(generators):
                there = number.get(images[generator][images[order[done]]].tobytes())
                if there is not None and there not in reached:
                    reached.add(there)
                    order.append(there)
                    made.append([done, i])
            done += 1
    steps = [np.diff(images[i], prepend=np.int32(0)).tolist() for i in generators]
    return {"names": list(problem.symmetries[1:]), "own": steps, "made": made, "order": order[1:]}


def _broken(problem: CoverProblem) -> dict[str, Any] | None:
    """The symmetry broken on a tile: the options removed, and kept options whose solutions count ``times`` times."""
    broken = reduce(problem, dead=False, break_on=item_to_break(problem)).problem
    if broken is problem or broken.origin is None or broken.weight is None:
        return None
    try:
        factors(broken)
    except NotSupportedError:
        return None
    out = np.setdiff1d(np.arange(problem.size), broken.origin)
    several = np.flatnonzero(broken.weight > 1)
    return {"out": out.tolist(), "several": broken.origin[several].tolist(), "times": _short(broken.weight[several])}


Point = tuple[float, float]

BEGINNING = re.compile(r' d="M(\S+) ([^A-Za-z ]+)')
PATH = re.compile(r' d="([^"]+)"')
TEXT = re.compile(r'<text x="([^"]*)" y="([^"]*)"')
COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
LONG = re.compile(r"\d+\.\d{2,}")
STEPS = {"M": "m", "L": "l", "A": "a"}
"""Absolute path commands with an end point, and their relative equivalents."""


def beginning(drawing: str) -> Point:
    """Return the first point of a drawing's first path."""
    match = BEGINNING.search(drawing)
    return (float(match[1]), float(match[2])) if match else (0.0, 0.0)


def short_drawing(drawing: str, origin: Point = (0.0, 0.0), *, decimals: int = 1) -> str:
    """Return a drawing of paths and texts, moved so that ``origin`` becomes (0, 0)."""
    if origin != (0.0, 0.0):
        drawing = TEXT.sub(lambda found: f'<text x="{float(found[1]) - origin[0]:.3f}" y="{float(found[2]) - origin[1]:.3f}"', drawing)
    moved = PATH.sub(lambda found: f' d="{_moved(found[1], origin, decimals)}"', drawing)
    return LONG.sub(lambda found: _number(float(found[0])), moved)


def _moved(path: str, origin: Point, decimals: int) -> str:
    x, y = beginning(f' d="{path}')
    return f"M{_number(x - origin[0])} {_number(y - origin[1])}{short_path(path, (x, y), decimals)}"


def short_path(path: str, origin: Point, decimals: int = 1) -> str:
    """Return the continuation of a path from ``origin``, with relative commands alone.

    Each point is rounded relative to the origin, so that errors do not accumulate. Moves of length 0 are dropped at the beginning and, if
    ``decimals`` is 0, everywhere in a path that is not closed.
    """
    commands = []
    here = start = (0.0, 0.0)
    for command, written in COMMAND.findall(path):
        if command in "Zz":
            here = start
            commands.append("z")
            continue
        *shape, x, y = (float(number) for number in written.split())
        there = (round(x - origin[0], decimals), round(y - origin[1], decimals)) if command in STEPS else (here[0] + x, here[1] + y)
        step = " ".join(_number(number) for number in (*shape, there[0] - here[0], there[1] - here[1]))
        commands.append(STEPS.get(command, command) + step)
        here = there
        if command in "Mm":
            start = here
    open_line = decimals == 0 and "z" not in commands
    return "".join(step for i, step in enumerate(commands) if step != "m0 0" or not (i == 0 or open_line))


def _number(x: float) -> str:
    return f"{x + 0.0:.1f}".removesuffix(".0").replace("-0", "0") if abs(x) < 0.05 else f"{x:.1f}".removesuffix(".0")


def text_as_json(built: BuiltInstance) -> dict[str, Any] | None:
    """Return size, places of atoms (-1: none) and letters of tiles of the text picture; None for a grid without pictures."""
    try:
        canvas = TextCanvas.of(built)
    except PuzzleError:
        return None
    letters, spare = canvas.letters_of_tiles()
    places = [canvas.place.get(atom) for atom in built.puzzle.form.numbering.atoms]
    return {
        "layers": canvas.layers,
        "rows": canvas.rows,
        "columns": canvas.columns,
        "places": [-1 if at is None else (at[0] * canvas.rows + at[1]) * canvas.columns + at[2] for at in places],
        "empty": built.puzzle.grid.empty_place,
        "letters": letters,
        "spare": "".join(spare),
    }


Value = TypeVar("Value")
UNUSED = ("expect", "source")
"""Keys of a file that concern only its own puzzle, not puzzles drawn from it."""
NUMBER = re.compile(r"-?\d+$")
TITLES = re.compile("<title>.*?</title>")
"""Titles are removed, because cards have names."""
GROUPS = re.compile("(?<=</g>)(?=<g>)")
BARE = re.compile(r"<g>((?:<path [^>]*/>)*)</g>\n?")
"""A group without attributes."""
WIDTH = re.compile(r'<svg [^>]*width="([^"]+)"')
LARGE = 600
"""Width of a picture in pixels beyond which it is at least twice as wide as its card."""


def puzzle_as_json(built: BuiltInstance, name: str, command: str) -> dict[str, Any]:
    """Return the page's data of a puzzle. Raises NotSupportedError if the engine in the browser cannot count it.

    ``name`` is its name in links, and ``command`` opens the puzzle in the program.
    """
    instance, puzzle, expect = built.instance, built.puzzle, built.instance.expect
    cover, board = cover_as_json(built.problem, built.first_rule_item), board_as_json(built, name=name, title=instance.title)
    sizes = built.problem.start[1:] - built.problem.start[:-1]
    lists = _lists(cover["item"], sizes.tolist())
    between = [n - (before[i] if i < len(before) else 0) for before, here in pairwise([[], *lists]) for i, n in enumerate(here)]
    within = _steps_within(lists)
    cover["within"] = len(packed(within)) < len(packed(between))
    cover["item"] = within if cover["within"] else between
    if cover["names"][: len(board["atoms"])] == [atom["name"] for atom in board["atoms"]]:
        cover["names"] = cover["names"][len(board["atoms"]) :]
    text, sentences = text_as_json(built), {"rules": puzzle.solutions.sentences, "facts": area_of(built)}
    counts = {
        "counts": dict(expect.figures),
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
        "known": counts if counts["counts"] else None,
        "command": command,
        "table": _table(instance, [atom["name"] for atom in board["atoms"]]),
        **with_parts(sentences),
    }


def _table(instance: Instance, names: Sequence[str]) -> dict[str, Any] | None:
    """The content of a puzzle's file, for users who edit it in the browser; None if it lists placements, which no browser can place.

    If the form lists exactly the atoms of the board, the list is omitted.
    """
    file = instance.file.said if instance.file is not None else None
    content = {key: value for key, value in (file or {}).items() if key not in UNUSED}
    if not content or any("placements" in tile for tile in content.get("tiles", {}).values()):
        return None
    atoms = content.get("form", {}).get("atoms")
    listed = isinstance(atoms, list) and sorted(map(json.dumps, atoms)) == sorted(names)
    return content | {"form": content["form"] | {"atoms": None}} if listed else content


def picture_as_json(built: BuiltInstance) -> dict[str, Any]:
    """Return the picture of a card in the library, as the studio's ``picture`` task does.

    Large pictures have no decimals, as they are shown small.
    """
    drawing = BARE.sub(r"\1", TITLES.sub("", contents_svg(built)))
    width = WIDTH.search(drawing)
    return {"svg": short_drawing(drawing, decimals=0 if width and float(width[1]) > LARGE else 1)}


# short -----------------------------------------------------------------------------------------------------------------------


def _short_board(board: dict[str, Any]) -> dict[str, Any]:
    """A board with placements as differences.

    Data that the cover problem or the tiles determine are omitted, such as atoms of placements.
    """
    placements = board["placements"]
    firsts = [
        f"{tile['name']}.{tile['orientations'][turn]['number']}@"
        for tile, turn in ((board["tiles"][t], o) for t, o in zip(placements["tile"], placements["orientation"], strict=True))
    ]
    names = placements["name"]
    regular_names = all(name.startswith(first) for name, first in zip(names, firsts, strict=True))
    short = {
        "tile": _steps(placements["tile"]),
        "orientation": _steps(placements["orientation"]),
        "x": _steps([round(100 * x) for x in placements["x"]]),
        "y": _steps([round(100 * y) for y in placements["y"]]),
        "rise": placements["rise"],
        "cells": _parts([name.removeprefix(first).split(".") for name, first in zip(names, firsts, strict=True)])
        if regular_names
        else None,
        "name": None if regular_names else names,
        "drawings": placements["drawings"],
    }
    if placements["drawings"]:
        places = zip(placements["x"], placements["y"], strict=True)
        short["drawings"] = _each_once([short_drawing(entry, place) for entry, place in zip(placements["drawings"], places, strict=True)])
    laid = set(zip(placements["tile"], placements["orientation"], strict=True))
    orientations = [
        _short_orientation(entry, board, (t, o) in laid)
        for t, tile in enumerate(board["tiles"])
        for o, entry in enumerate(tile["orientations"])
    ]
    outlines = "".join(atom["path"] for atom in board["atoms"])
    return board | {
        "placements": short,
        "tiles": [tile | {"orientations": len(tile["orientations"])} for tile in board["tiles"]],
        "orientations": _columns(orientations),
        "ground": short_drawing(board["ground"].replace(f'"{outlines}"', '""')),
        "atoms": _short_atoms(board["atoms"]),
        "neighbours": [[other - atom for other in others if other > atom] for atom, others in enumerate(board["neighbours"])],
        "solid": _short_solid(board["solid"]) if board["solid"] else None,
    }


def _each_once(drawings: Sequence[str]) -> dict[str, Any]:
    """The distinct groups of drawings, and the group numbers of each drawing."""
    numbers: dict[str, int] = {}
    of = [[numbers.setdefault(group, len(numbers)) for group in GROUPS.split(drawing)] for drawing in drawings]
    return {"groups": list(numbers), "of": of}


def _short_orientation(one: dict[str, Any], board: dict[str, Any], laid: bool) -> dict[str, Any]:
    """An orientation without its drawing if the browser can make it, and with the middle of the atoms of each part."""
    parts, middles, (left, top, *size) = one["parts"], one["atoms"], one["box"]
    at = [beginning(part["drawing"]) for part in parts]
    hearts = []
    for part, (x, y) in zip(parts, at, strict=True):
        own = [middle for middle in middles if middle[2] == part["height"]] or middles
        hearts.append([round(sum(m[0] for m in own) / len(own) - x), round(sum(m[1] for m in own) / len(own) - y)])
    short = one | {
        "parts": [part["height"] for part in parts],
        "at": at,
        "drawings": [short_drawing(part["drawing"], place) for part, place in zip(parts, at, strict=True)],
        "drawing": None if board["dimension"] == 2 or (laid and not one["words"]) else short_drawing(one["drawing"]),
        "atoms": hearts,
    }
    return short | ({"box": [round(left - at[0][0], 2), round(top - at[0][1], 2), *size]} if board["dimension"] == 2 else {})


def _short_atoms(atoms: list[dict[str, Any]]) -> dict[str, Any]:
    """Atoms as columns, sorted by kind except their names; an outline is relative to the middle of its atom."""
    shortened = [atom | {"path": short_path(atom["path"], (atom["x"], atom["y"]))} for atom in _by_kind(atoms, atoms)]
    x, y = (_steps([round(10 * atom[axis]) for atom in shortened]) for axis in ("x", "y"))
    return _columns(shortened) | {"name": _parts([_name_of(atom) for atom in atoms]), "x": x, "y": y}


def _name_of(atom: Mapping[str, Any]) -> list[str]:
    parts: list[str] = atom["name"][1:-1].split(", ")
    return parts


def _by_kind(values: Sequence[Value], atoms: Sequence[Mapping[str, Any]]) -> list[Value]:
    """Values of atoms, sorted by the atoms' kind, so that they are equal or grow by equal steps. The names end with the kind, if any."""
    kinds = [_name_of(atom)[-1] for atom in atoms]
    if all(map(NUMBER.match, kinds)):
        return list(values)
    return [values[a] for a in sorted(range(len(kinds)), key=kinds.__getitem__)]


def _short_solid(solid: dict[str, Any]) -> dict[str, Any]:
    """Bodies with atoms as columns of differences. ``behind`` is omitted; extents are rounded, as they only decide whether bodies meet."""
    kinds = [kind | ({"span": _rounded(kind["span"])} if "span" in kind else {}) for kind in solid["kinds"]]
    atoms = [_steps(column) for column in zip(*solid["atoms"], strict=True)]
    return solid | {"kinds": kinds, "axes": _rounded(solid["axes"]), "atoms": atoms, "behind": None}


def _rounded(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[round(number, 7) for number in row] for row in rows]


# steps -----------------------------------------------------------------------------------------------------------------------


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Map each key to its values in all rows."""
    return {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}


def _parts(rows: Sequence[Sequence[str]]) -> list[Any]:
    """Parts of names as columns: numbers as differences, words unchanged."""
    return [_steps([int(part) for part in column]) if all(map(NUMBER.match, column)) else column for column in zip(*rows, strict=True)]


def _steps(numbers: Sequence[int]) -> list[int]:
    """Differences of consecutive numbers, starting from 0."""
    return [after - before for before, after in zip([0, *numbers], numbers, strict=False)]


def _lists(numbers: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    ends = list(accumulate(sizes, initial=0))
    return [list(numbers[start:end]) for start, end in pairwise(ends)]


def _steps_within(lists: Sequence[Sequence[int]]) -> list[int]:
    """Differences within each list; the first number is relative to the first of the previous list."""
    firsts = [0, *(here[0] for here in lists)]
    return [step for first, here in zip(firsts, lists, strict=False) for step in (here[0] - first, *_steps(here)[1:])]
