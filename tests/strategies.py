"""Random small puzzles on every grid, as the tables of their files, and random small cover problems."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import strategies as st

from brute_force import lattice_of
from puzzlesat.cover.problem import UNLIMITED, Condition, CoverProblem

GRIDS = ("square", "square-marks", "square-slots", "tans", "triangle", "hexagon", "cube", "square-edges", "triangle-edges", "kites")
BOXES = {
    "square": [(3, 2), (4, 2), (3, 3), (2, 2), (5, 1), (4, 3)],
    "square-marks": [(2, 2), (3, 1), (3, 2), (2, 1)],
    "square-slots": [(2, 1), (2, 2), (3, 1)],
    "tans": [(1, 1), (2, 1), (2, 2)],
    "triangle": [(2, 1), (2, 2), (3, 1), (3, 2)],
    "hexagon": [(3, 2), (2, 2), (3, 3)],
    "cube": [(2, 2, 1), (2, 2, 2), (3, 2, 1)],
    "square-edges": [(3, 2), (2, 2), (3, 3)],
    "triangle-edges": [(2, 2), (3, 1), (2, 1)],
    "kites": [(2, 1), (1, 2), (1, 1)],
}
LARGE_BOXES = {
    "square": [(4, 4), (5, 4), (5, 5), (6, 4), (2, 12), (12, 2), (3, 8), (1, 60)],
    "square-marks": [(3, 3), (4, 3), (2, 6)],
    "tans": [(2, 2), (3, 2), (2, 4)],
    "triangle": [(3, 3), (4, 3), (2, 8)],
    "hexagon": [(4, 4), (5, 4), (2, 9)],
    "cube": [(3, 2, 2), (3, 3, 2), (2, 2, 5)],
}
"""Forms where parts are cut off in many ways, with up to some thirty tiles."""
TURNS = {
    "square": ["none", [0, 180], [0, 90, 180, 270]],
    "triangle": ["none", [0, 180], [0, 120, 240]],
    "hexagon": ["none", [0, 180], [0, 120, 240], [0, 60, 120, 180, 240, 300]],
    "cube": ["none"],
    "triangle-edges": ["none", [0, 180], [0, 120, 240]],
    "kites": ["none", [0, 180], [0, 120, 240]],
}
LATTICES = {name: lattice_of(name) for name in GRIDS}
SLOTS = ("bl", "br", "ll", "lu")
MARKS = {"p": {"kind": "halves"}, "s": {"kind": "self"}, "l": {"kind": "lonely"}}
MARK_NAMES = ["p+", "p-", "s", "l"]
MATE = {"p+": "p-", "p-": "p+", "s": "s"}


# ---------------------------------------------------------------- TOML


def to_toml(table):
    """Write a table as TOML; everything below the top level is written inline."""
    return "".join(f"{json.dumps(key)} = {_value(value)}\n" for key, value in table.items())


def _value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- whole puzzles


def _refs(lattice, box):
    cells = [[]]
    for side in box:
        cells = [[*c, x] for c in cells for x in range(1, side + 1)]
    return [(*c, a) for c in cells for a in lattice.names if lattice.kind(a) == lattice.main]


def _touch(lattice, a, b):
    return len(lattice.atom(a) & lattice.atom(b)) >= (1 if lattice.main == "edge" else lattice.dimension)


@st.composite
def puzzles(draw, grid=None):
    """The tables of an instance that spells out its model, with ``form.atoms`` or ``form.box``."""
    grid = grid or draw(st.sampled_from(GRIDS))
    lattice = LATTICES[grid]
    box = draw(st.sampled_from(BOXES[grid]))
    refs = _refs(lattice, box)
    puzzle = {"title": "random", "grid": grid, "flips": draw(st.booleans())}
    if lattice.main == "edge" and draw(st.integers(0, 2)) == 0:
        puzzle["may_cross"] = True
    turn_sets = TURNS.get(grid, TURNS["square"])
    if draw(st.integers(0, 3)) == 0 and not (grid == "cube" and puzzle["flips"]):
        puzzle["turns"] = draw(st.sampled_from(turn_sets))
    form = {"box": list(box)}
    gone = draw(st.sets(st.sampled_from(refs), max_size=min(3, len(refs) - 1))) if draw(st.booleans()) else set()
    if grid in ("square-marks", "square-slots") and draw(st.integers(0, 2)):
        gone = set()
    here = [r for r in refs if r not in gone]
    if gone and draw(st.booleans()):
        form = {"atoms": [list(r) for r in here]}
    elif gone:
        form["remove"] = sorted(map(list, gone))
    parts = _parts(draw, lattice, here)
    if grid == "square-marks":
        tiles = _cards(draw, lattice, puzzle, form, here, parts)
    elif grid == "square-slots":
        tiles = _noses(draw, lattice, form, here, parts)
    else:
        tiles = {f"t{i}": {"atoms": [list(r) for r in part]} for i, part in enumerate(parts)}
    for tile in tiles.values():
        _vary(draw, grid, puzzle, tile, turn_sets)
    if tiles and draw(st.integers(0, 3)) == 0:
        twin = draw(st.sampled_from(sorted(tiles)))
        tiles[f"{twin}x"] = dict(tiles[twin]) | {"copies": draw(_copies)}
    if "atoms" not in form and draw(st.integers(0, 4)) == 0:
        form["optional"] = "all"
    elif draw(st.integers(0, 3)) == 0:
        form["optional"] = sorted(map(list, draw(st.sets(st.sampled_from(here), min_size=1, max_size=3))))
    puzzle |= {"tiles": tiles, "form": form}
    if draw(st.integers(0, 3)) == 0:
        _colour(draw, puzzle, here)
    if draw(st.integers(0, 2)) == 0:
        puzzle["mirrored"] = draw(st.sampled_from(["same", "different"]))
    used = sorted(t for t in tiles if tiles[t].get("copies", 1) != 0)
    if used and draw(st.integers(0, 3)) == 0:
        puzzle["break_on"] = draw(st.sampled_from(used))
    if draw(st.integers(0, 2)) == 0:
        puzzle["conditions"] = [_condition(draw, lattice, here, tiles, i) for i in range(draw(st.integers(1, 2)))]
    if draw(st.integers(0, 3)) == 0:
        kinds = [lattice.main]
        if grid == "square-slots":
            kinds = ["face", "slot", "inner slot", "outer slot"]
        puzzle["split"] = {"name": "left", "uncovered": draw(st.sampled_from(kinds))}
    return puzzle


def _colour(draw, puzzle, here):
    """Colours of some atoms of the tiles, of the form, and which may lie on which."""
    puzzle["colours"] = {c: draw(st.lists(st.sampled_from(["red", "blue"]), unique=True)) for c in ("red", "dark")}
    refs = draw(st.lists(st.sampled_from(here), min_size=1, max_size=6, unique=True))
    middle = draw(st.integers(0, len(refs)))
    puzzle["form"]["colours"] = {"red": sorted(map(list, refs[:middle])), "blue": sorted(map(list, refs[middle:]))}
    for tile in puzzle["tiles"].values():
        if "atoms" in tile and draw(st.booleans()):
            tile["colours"] = {draw(st.sampled_from(["red", "dark"])): [draw(st.sampled_from(tile["atoms"]))]}


_copies = st.one_of(st.sampled_from([1, 1, 2, 3, "any", [0, 1], [0, 2], [1, 2], [1, 3], [2, 3], 0]))


def _vary(draw, grid, puzzle, tile, turn_sets):
    """Copies, and what the rules say of this tile alone."""
    if draw(st.integers(0, 2)) == 0:
        tile["copies"] = draw(_copies)
    if draw(st.integers(0, 5)) == 0:
        tile["flips"] = draw(st.booleans())
    if draw(st.integers(0, 5)) == 0:
        tile["turns"] = draw(st.sampled_from(["all", *turn_sets]))
    if grid == "cube" and tile.get("flips", puzzle["flips"]) and tile.get("turns", puzzle.get("turns", "all")) != "all":
        tile["flips"] = False


def _parts(draw, lattice, here):
    """Part the form into connected tiles of a random size each."""
    left, parts = sorted(here), []
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    while left:
        part = [left.pop(draw(st.integers(0, len(left) - 1)) if draw(st.booleans()) else 0)]
        for _ in range(sizes[len(parts) % len(sizes)] - 1):
            near = [r for r in left if any(_touch(lattice, r, other) for other in part)]
            if not near:
                break
            chosen = near[draw(st.integers(0, len(near) - 1))]
            left.remove(chosen)
            part.append(chosen)
        parts.append(part)
    if len(parts) > 4 and draw(st.booleans()):
        parts = parts[:4]
    return parts


def _cards(draw, lattice, puzzle, form, here, parts):
    """Tiles of one or more squares, whose marks agree in one arrangement at least as long as nothing is changed."""
    names = draw(st.sampled_from([["s"], ["p+", "p-"], MARK_NAMES]))
    puzzle["marks"] = MARKS
    if draw(st.integers(0, 2)) == 0:
        form["border"] = draw(st.sampled_from(["s", "p+"]))
    faces = {lattice.atom(r): r for r in here}
    chosen = {}
    tiles = {}
    for i, part in enumerate(parts):
        own = {lattice.atom(r) for r in part}
        marks = []
        for ref in part:
            x, y, _ = ref
            for side in ([x, y + 1, "h"], [x + 1, y, "v"], [x, y, "h"], [x, y, "v"]):
                shape = lattice.atom(side)
                if sum(shape <= f for f in own) > 1:
                    continue
                if shape in chosen:
                    mark = MATE.get(chosen[shape], "s")
                elif sum(shape <= f for f in faces) < 2 and "border" in form:
                    mark = MATE[form["border"]]
                else:
                    mark = draw(st.sampled_from(names))
                if draw(st.integers(0, 15)) == 0:
                    mark = draw(st.sampled_from(MARK_NAMES))
                chosen.setdefault(shape, mark)
                marks.append({"at": side, "on": list(ref), "mark": mark})
        if len(part) == 1 and draw(st.integers(0, 3)):
            tiles[f"t{i}"] = {"around": [m["mark"] for m in marks]}
        else:
            kept = [m for m in marks if draw(st.integers(0, 5))]
            tiles[f"t{i}"] = {"atoms": [list(r) for r in part], "marks": kept}
    return tiles


def _noses(draw, lattice, form, here, parts):
    """Tiles of squares with noses; each slot goes to one of its squares, or to none."""
    conventions = st.sampled_from(["required", "optional", "none"])
    form["inner"] = {"slot": draw(st.sampled_from(["required", "optional"]))}
    if draw(st.integers(0, 2)) == 0:
        form["outer"] = {"slot": draw(conventions)}
    taken = set()
    tiles = {}
    for i, part in enumerate(parts):
        atoms = [list(r) for r in part]
        pattern = []
        for ref in part:
            for name, dx, dy in lattice.ring:
                side = [ref[0] + dx, ref[1] + dy, name]
                shape = lattice.atom(side)
                inner = sum(shape <= lattice.atom(r) for r in here) > 1
                last = inner and any(shape <= lattice.atom(r) for p in parts[:i] for r in p)
                may = inner or form.get("outer", {}).get("slot", "none") != "none"
                want = may and (draw(st.booleans()) or (last and draw(st.booleans())))
                nose = want and shape not in taken
                if nose:
                    taken.add(shape)
                    atoms.append(side)
                pattern.append("1" if nose else "0")
        single = len(part) == 1 and draw(st.booleans())
        tiles[f"t{i}"] = {"around": "".join(pattern)} if single else {"atoms": atoms}
    return tiles


def large_puzzle(random):
    """The tables of an instance with a form of ``LARGE_BOXES`` that is parted into tiles, so that most have a solution."""
    grid = random.choice(["square", "square", *LARGE_BOXES])
    lattice = LATTICES[grid]
    box = random.choice(LARGE_BOXES[grid])
    refs = _refs(lattice, box)
    puzzle = {"title": "random", "grid": grid, "flips": random.random() < 0.5, "form": {"box": list(box)}}
    if grid == "square-marks":
        return puzzle | _squares_with_marks(random, box)
    gone = set(random.sample(refs, random.randint(1, 4))) if random.random() < 0.4 else set()
    if gone:
        puzzle["form"]["remove"] = sorted(map(list, gone))
    left = [r for r in refs if r not in gone]
    if random.random() < 0.2:
        puzzle["form"]["optional"] = sorted(map(list, random.sample(left, random.randint(1, 6))))
    sizes = random.choice([[1, 2, 3], [2, 3, 4], [3], [4], [3, 4, 5], [5], [2, 4], [3, 5], [2, 5]])
    tiles = {}
    while left:
        part, size = [left.pop(0)], random.choice(sizes)
        while len(part) < size and (near := [r for r in left if any(_touch(lattice, r, other) for other in part)]):
            part.append(random.choice(near))
            left.remove(part[-1])
        tiles[f"t{len(tiles)}"] = {"atoms": [list(r) for r in part]}
    if len(tiles) > 12:
        tiles = {name: tile | {"copies": random.choice(["any", "any", [1, "any"], [0, 9]])} for name, tile in list(tiles.items())[:3]}
    for tile in tiles.values():
        if random.random() < 0.1:
            tile["copies"] = random.choice([2, "any", [0, 1], [1, 3]])
        if random.random() < 0.2 and grid != "cube":
            tile["turns"] = random.choice(["none", [0, 180]])
    return puzzle | {"tiles": tiles}


def _squares_with_marks(random, box):
    """One tile a square; marks agree as long as no tile is turned."""
    names = random.choice([["s"], ["p+", "p-"], ["p+", "p-", "s"]])
    below, left = ({(x, y): random.choice(names) for x in range(box[0] + 1) for y in range(box[1] + 1)} for _ in "hv")
    squares = [(x, y) for x in range(box[0]) for y in range(box[1])]
    tiles = {f"t{x}{y}": {"around": [below[x, y + 1], left[x + 1, y], MATE[below[x, y]], MATE[left[x, y]]]} for x, y in squares}
    return {"marks": MARKS, "turns": random.choice(["none", "all", [0, 180]]), "tiles": tiles}


def _condition(draw, lattice, here, tiles, number):
    table = {"name": f"c{number}"}
    way = draw(st.sampled_from(["along", "atoms", "tiles"]))
    small = st.integers(-3, 3)
    if way == "along":
        table["along"] = draw(st.lists(st.integers(-2, 2), min_size=lattice.dimension, max_size=lattice.dimension))
        table["values"] = draw(st.lists(small, min_size=1, max_size=3))
        if draw(st.booleans()):
            table["shift"] = {lattice.names[-1]: draw(st.integers(-1, 2))}
        if lattice.name == "square-slots" and draw(st.booleans()):
            table["kind"] = "slot"
    elif way == "atoms":
        refs = draw(st.lists(st.sampled_from(here), min_size=1, max_size=4, unique=True))
        table["atoms"] = [[*r, draw(small)] for r in refs]
    else:
        shapes = {}  # tiles that may be the same get one weight
        weights = {}
        for name, tile in tiles.items():
            if tile.get("copies", 1) != 0:
                size = sum(r[-1] not in SLOTS for r in tile.get("atoms", [[0]]))
                weights[name] = shapes.setdefault(size, draw(small))
        table["tiles"] = weights
    likely = _total(table, lattice, here, tiles) + draw(st.sampled_from([0, 0, 0, 1, -1, 2]))
    rule = draw(st.sampled_from(["equals", "between", "modulo"]))
    if rule == "equals":
        table["equals"] = likely
    elif rule == "between":
        table["between"] = sorted([likely, likely + draw(small)])
    else:
        of = draw(st.integers(2, 4))
        table["modulo"] = {"of": of, "is": likely % of}
    return table


def _total(table, lattice, here, tiles):
    """The sum that a solution has which covers everything, each tile once."""
    if "tiles" in table:
        return sum(table["tiles"].values())
    if "atoms" in table:
        return sum(entry[-1] for entry in table["atoms"])
    if table.get("kind", lattice.main) != lattice.main:
        return 0
    places = (sum(k * c for k, c in zip(table["along"], cell, strict=True)) + table.get("shift", {}).get(a, 0) for *cell, a in here)
    return sum(table["values"][p % len(table["values"])] for p in places)


# ---------------------------------------------------------------- cover problems


@st.composite
def cover_problems(draw, coloured_needs=False):
    """A small cover problem of any kind; with ``coloured_needs`` also items with colours that must be covered."""
    n_items = draw(st.integers(1, 6))
    n_tiles = draw(st.integers(0, 3))
    kinds = draw(st.lists(st.sampled_from("rrrromc"), min_size=n_items, max_size=n_items))
    low, high, coloured = [], [], []
    for kind in kinds:
        needed = coloured_needs and kind == "c" and draw(st.booleans())
        low.append(draw(st.integers(0, 2)) if kind == "m" else int(kind == "r" or needed))
        high.append(low[-1] + draw(st.integers(0 if low[-1] else 1, 2)) if kind == "m" else 1)
        coloured.append(kind == "c")
    for _ in range(n_tiles):
        least, most = draw(st.sampled_from([(1, 1), (0, 1), (0, 2), (2, 2), (1, 3), (0, UNLIMITED), (1, UNLIMITED)]))
        low, high, coloured = [*low, least], [*high, most], [*coloured, False]
    rows, colours = [], []
    for _ in range(draw(st.integers(0, 12))):
        row = sorted(draw(st.sets(st.integers(0, n_items - 1), min_size=1, max_size=3)))
        colour = [draw(st.integers(0, 3)) if coloured[i] else 0 for i in row]
        if n_tiles:
            row, colour = [*row, n_items + draw(st.integers(0, n_tiles - 1))], [*colour, 0]
        rows.append(row)
        colours.append(colour)
    n = len(rows)
    conditions = []
    for c in range(draw(st.sampled_from([0, 0, 1, 2]))):
        weights = np.array(draw(st.lists(st.integers(-2, 3), min_size=n, max_size=n)), dtype=np.int64)
        modulus = draw(st.sampled_from([0, 0, 2, 3]))
        least = draw(st.integers(-2, 4))
        residue = draw(st.integers(0, modulus - 1)) if modulus else 0
        conditions.append(Condition(f"c{c}", weights, least, least + draw(st.integers(0, 3)), modulus, residue))
    forced = tuple(draw(st.lists(st.integers(0, n - 1), max_size=2, unique=True))) if n and draw(st.integers(0, 3)) == 0 else ()
    return CoverProblem(
        items=tuple(f"i{i}" for i in range(n_items)) + tuple(f"t{i}" for i in range(n_tiles)),
        low=np.array(low, dtype=np.int32),
        high=np.array(high, dtype=np.int32),
        coloured=np.array(coloured, dtype=bool),
        options=tuple(f"o{i}" for i in range(n)),
        start=np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int32),
        item=np.array([i for row in rows for i in row], dtype=np.int32),
        colour=np.array([c for row in colours for c in row], dtype=np.int32),
        tiles=np.arange(n_items, n_items + n_tiles, dtype=np.int32),
        conditions=tuple(conditions),
        forced=forced,
    )
