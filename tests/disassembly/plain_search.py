"""The judge of disassembly: it tries every set of pieces, direction and number of steps on the atoms themselves."""

from functools import cache
from itertools import combinations, product
from pathlib import Path

import puzzlesat
from puzzlesat.base import Limits, PuzzleError, data_folder
from puzzlesat.counting.listing import solutions
from puzzlesat.disassembly.data import bodies_of
from puzzlesat.disassembly.taking import bench_of, take_all_apart
from puzzlesat.puzzles import build_instance, load_grid, translate

from helpers import load  # isort: skip

FAR = 14
"""Number of steps after which small bodies are certainly apart."""
SMALL = {
    "square": ((4, 4), 4),
    "triangle": ((3, 3), 3),
    "tans": ((2, 3), 3),
    "hexagon": ((3, 4), 3),
    "cube": ((3, 3, 2), 4),
    "prisms": ((2, 2, 2), 3),
    "balls": ((3, 3, 2), 3),
    "tetra-octa": ((2, 1, 1), 3),
    "kites": ((2, 2), 3),
    "drafters": ((2, 1), 3),
    "rhombille": ((2, 2), 3),
    "snub-square": ((2, 2), 3),
    "truncated-square": ((3, 3), 3),
    "truncated-octahedra": ((2, 2, 2), 3),
    "rhombic-tetrahedra": ((1, 1, 1), 3),
}
"""The cells of a box, and the largest number of pieces, for each grid."""
TOGETHER = [
    ("ABB AAC", {1, 2}, (1,)), ("AABC AADD", {1, 2, 3}, (1,)), ("AABBB CDDDD", {0, 1}, (1, 1)), ("A.B. CABB CCB.", {0, 1}, (1,))
]  # fmt: skip
"""Pieces of squares, those that may stay together, and the numbers of moves."""


@cache
def grid_named(name):
    return load_grid(Path(data_folder("models")) / "grids" / f"{name}.toml")


def drawn(picture):
    """Pieces of squares by their letters."""
    rows = picture.split()
    found = {}
    for y, row in enumerate(reversed(rows), start=1):
        for x, letter in enumerate(row, start=1):
            if letter != ".":
                found.setdefault(letter, set()).add((x, y, 0))
    return [found[letter] for letter in sorted(found)]


def assembly(grid, pieces):
    """A puzzle with these pieces, and the options that place them where they are."""
    tiles = {f"P{i}": {"atoms": [grid.ref(a) for a in sorted(atoms)]} for i, atoms in enumerate(pieces)}
    form = {"atoms": [grid.ref(a) for a in sorted(set().union(*pieces))]}
    built = build_instance(load({"title": "x", "grid": grid.name, "flips": False, "turns": "none", "tiles": tiles, "form": form}))
    by_atoms = {frozenset(p.atoms): o for o, p in enumerate(built.placements)}
    low = [1 - min(axis) for axis in zip(*set().union(*pieces), strict=True)][:-1]
    places = [frozenset(pieces[i]) for i in range(len(pieces))]
    options = [by_atoms.get(p, by_atoms.get(frozenset(translate(a, low) for a in p))) for p in places]
    if None in options:
        raise PuzzleError("a piece has no placement")
    return built, sorted(options)


@cache
def cage():
    """Return the puzzle of the cube in its cage, its one assembly that comes apart, as BurrTools has stored it, and the moves."""
    built = build_instance(puzzlesat.load("cube-in-cage"))
    bench = bench_of(bodies_of(built))
    rows = [*solutions(built, "backtrack", Limits(), distinct=True)]
    whole = {row: answer for row in rows if (answer := next(take_all_apart(bench, [row], Limits()))).parting is not None}
    assert (len(rows), len(whole)) == (96, 1)
    return built, *whole.popitem()


def least_sequence(pieces, directions, swept, groups=()):
    """The least sequence of numbers of moves that takes pieces apart; None if they do not come apart.

    ``swept`` maps an atom of the cell 0 and a direction to the atoms that it enters in one step. The pieces of one of ``groups`` need not
    come apart, unless the group has all pieces.
    """
    start = dict(enumerate(map(frozenset, pieces)))
    return _least(start, tuple(directions), swept, groups, whole=True)


def positions_reached(pieces, directions, swept):
    """Count the positions to each other of pieces that hold each other, by single steps of all sets of them."""
    start = dict(enumerate(map(frozenset, pieces)))
    names = sorted(start)
    rim, seen = [start], {_look(start, names)}
    while rim:
        here = rim.pop()
        for moving, direction in product(_sets(names), directions):
            there = next(_moves(here, moving, direction, swept), here)
            if (look := _look(there, names)) not in seen:
                seen.add(look)
                rim.append(there)
    return len(seen)


def _least(start, directions, swept, groups, *, whole=False):
    if len(start) == 1 or (not whole and any(group.issuperset(start) for group in groups)):
        return ()
    names = sorted(start)
    rim, seen, depth = [start], {_look(start, names)}, 0
    while rim:
        depth += 1
        found, following = [], []
        for here in rim:
            for moving, direction in product(_sets(names), directions):
                for steps, there in enumerate(_moves(here, moving, direction, swept), start=1):
                    if steps == FAR:
                        found.append((here, moving))
                    elif (look := _look(there, names)) not in seen:
                        seen.add(look)
                        following.append(there)
        if found:
            return min(filter(None, (_parts(here, moving, depth, directions, swept, groups) for here, moving in found)), default=None)
        rim = following
    return None


def _parts(here, moving, depth, directions, swept, groups):
    """The least sequence that begins with this parting; the larger part goes first."""
    parts = [{p: atoms for p, atoms in here.items() if (p in moving) == away} for away in (False, True)]
    parts.sort(key=len, reverse=True)
    own = [_least(part, directions, swept, groups) for part in parts]
    if None in own:
        return None
    orders = [own] if len(parts[0]) > len(parts[1]) else [own, own[::-1]]
    return min((depth, *first, *second) for first, second in orders)


def _sets(names):
    """Return all sets that move while the first piece stays; their complements make the same moves the other way."""
    return [set(chosen) for size in range(1, len(names)) for chosen in combinations(names[1:], size)]


def _moves(here, moving, direction, swept):
    staying = {a for p, atoms in here.items() if p not in moving for a in atoms}
    for _ in range(FAR):
        for p in moving:
            for atom in here[p]:
                if any(translate(place, atom[:-1]) in staying for place in swept(atom[-1], direction)):
                    return
        here = {p: frozenset(translate(a, direction) for a in atoms) if p in moving else atoms for p, atoms in here.items()}
        yield here


def _look(here, names):
    """Return the places of the pieces as seen from the first."""
    home = min(here[names[0]])[:-1]
    return tuple(tuple(sorted(translate(a, tuple(-x for x in home)) for a in here[n])) for n in names)
