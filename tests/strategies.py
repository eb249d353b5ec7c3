"""Random small puzzles on every grid, as the tables of their files, and random small cover problems."""

import json
from functools import partial

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from brute_force import TooMuch, puzzleless_solutions
from puzzlesat.puzzles.problem import Condition, CoverProblem
from random_puzzles import GRIDS, LATTICES, MARKS, MATE, random_puzzle, refs_of, touch

__all__ = ["GRIDS", "cover_problems", "enumerated", "large_puzzle", "problem_of", "puzzles", "some_options", "to_toml"]

LARGE_BOXES = {
    "square": [(4, 4), (5, 4), (5, 5), (6, 4), (2, 12), (12, 2), (3, 8), (1, 60)],
    "square-marks": [(3, 3), (4, 3), (2, 6)],
    "tans": [(2, 2), (3, 2), (2, 4)],
    "triangle": [(3, 3), (4, 3), (2, 8)],
    "hexagon": [(4, 4), (5, 4), (2, 9)],
    "cube": [(3, 2, 2), (3, 3, 2), (2, 2, 5)],
}
"""Forms where parts are cut off in many ways, with up to some thirty tiles."""
MANY = CoverProblem.UNLIMITED
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


def puzzles(grid=None, flat=True, ruled=False):
    """The tables of an instance that spells out its model; with ``flat=False`` also forms that certificates cannot state.

    With ``ruled`` some have rules on solutions, which not every part of the program supports.
    """
    return st.builds(lambda random: random_puzzle(random, grid, flat=flat, ruled=ruled), st.randoms(use_true_random=False))


def large_puzzle(random):
    """The tables of an instance with a form of ``LARGE_BOXES`` that is divided into tiles, so that most have a solution."""
    grid = random.choice(["square", "square", *LARGE_BOXES])
    lattice = LATTICES[grid]
    box = random.choice(LARGE_BOXES[grid])
    refs = refs_of(lattice, box)
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
        while len(part) < size and (near := [r for r in left if any(touch(lattice, r, other) for other in part)]):
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
    """One tile per square; marks agree as long as no tile is turned."""
    names = random.choice([["s"], ["p+", "p-"], ["p+", "p-", "s"]])
    below, left = ({(x, y): random.choice(names) for x in range(box[0] + 1) for y in range(box[1] + 1)} for _ in "hv")
    squares = [(x, y) for x in range(box[0]) for y in range(box[1])]
    tiles = {f"t{x}{y}": {"around": [below[x, y + 1], left[x + 1, y], MATE[below[x, y]], MATE[left[x, y]]]} for x, y in squares}
    return {"marks": MARKS, "turns": random.choice(["none", "all", [0, 180]]), "tiles": tiles}


# ---------------------------------------------------------------- cover problems


def problem_of(lists, low, high=None, coloured=(), colours=None, *, tiles=(), **more):
    """The cover problem whose options have these items; ``high`` is ``low`` unless given, ``coloured`` has the items with colours."""
    entries = [i for row in lists for i in row]
    tints = [0] * len(entries) if colours is None else [c for row in colours for c in row]
    ints = partial(np.array, dtype=np.int32)
    return CoverProblem(
        items=tuple(f"i{i}" for i in range(len(low))),
        low=ints(low),
        high=ints(low if high is None else high),
        coloured=np.isin(np.arange(len(low)), coloured),
        options=tuple(f"o{o}" for o in range(len(lists))),
        start=ints(np.cumsum([0, *map(len, lists)])),
        item=ints(entries),
        colour=ints(tints),
        tiles=ints(list(tiles)),
        **more,
    )


def enumerated(problem, given=()):
    """The solutions of a cover problem by plain enumeration; examples that are too large are skipped."""
    try:
        return set(puzzleless_solutions(problem, given))
    except TooMuch:
        assume(False)


def some_options(data, problem, most=2):
    """Draw up to ``most`` option numbers that a search gets as ``given``."""
    return data.draw(st.lists(st.integers(0, problem.size - 1), max_size=most, unique=True)) if problem.size else []


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
        high.append(low[-1] + draw(st.integers(0, 2)) if kind == "m" else 1)  # may be 0: no option with the item can be chosen
        coloured.append(kind == "c")
    for _ in range(n_tiles):
        least, most = draw(st.sampled_from([(1, 1), (0, 1), (0, 2), (2, 2), (1, 3), (0, MANY), (1, MANY)]))
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
    tiles = range(n_items, n_items + n_tiles)
    return problem_of(rows, low, high, np.flatnonzero(coloured), colours, tiles=tiles, conditions=tuple(conditions), forced=forced)
