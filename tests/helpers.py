"""Helpers of many tests: solve to a set, build from tables, and compute the exact vertices of the program's atoms."""

import json
import shutil
import subprocess
import tempfile
from functools import cache
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from brute_force import frac_vertices
from puzzlesat.base import Limits, PuzzleError, data_files, data_folder
from puzzlesat.checker.formula import Clauses
from puzzlesat.puzzles import InstanceFile, ModelFile, atom_order, build_instance, load_grid
from puzzlesat.puzzles.forms import normal
from puzzlesat.puzzles.library import find_model
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reading import read_file
from puzzlesat.solvers.registry import solver
from strategies import to_toml

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
COLOURS = 'title = "Corners"\ngrid = "square"\nflips = true\ntiles.D = { picture = "##", copies = 7 }\n'
COLOURS += "form = { box = [4, 4], remove = [[1, 1], [4, 4]] }\n"
BOTTLE = {
    "title": "A domino in a bottle",
    "grid": "square",
    "turns": "none",
    "flips": False,
    "tiles": {"bottle": {"picture": "#.###\n#.###\n#...#\n#...#\n#...#\n#####"}, "domino": {"picture": "##"}},
    "form": {"picture": "#.###\n#.###\n#...#\n#...#\n###.#\n#####"},
}
"""The domino comes out only if it is turned."""


def adding_to(counter):
    """Return a callback that counts the solutions a solver of the reduced problem hands to it."""
    return lambda rows: counter.add(counter.in_whole(rows))


def solve(problem, name="backtrack", given=(), limits=None):
    """Return the solutions as a list of ascending tuples, and the outcome."""
    blocks = []
    outcome = solver(name)(problem)(blocks.append, limits or Limits(), given=given)
    rows = [tuple(o for o in row if o >= 0) for block in blocks for row in block.tolist()]
    assert outcome.found == len(rows)
    return rows, outcome


def solution_set(problem, name="backtrack", given=()):
    """Return all solutions as a set. Each solution must come once, in ascending numbers, from a complete search."""
    rows, outcome = solve(problem, name, given)
    assert outcome.complete
    assert all(list(row) == sorted(set(row)) for row in rows)
    assert len(set(rows)) == len(rows), f"{name} found a solution twice"
    return set(rows)


def whole_solutions(reduced, name="backtrack", given=()):
    """Return the solutions of a reduced problem, in the numbers of the original problem."""
    found = solution_set(reduced, name, given)
    return found if reduced.origin is None else {tuple(sorted(int(reduced.origin[o]) for o in s)) for s in found}


def load(table, name="random"):
    """Write a table to a file and load it, to test the whole path from file to puzzle.

    Random tables break symmetry on any tile. If copies result from identical tiles, the program refuses the key, so it is removed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.toml"
        path.write_text(to_toml(table), encoding="utf-8")
        try:
            return load_instance(path)
        except PuzzleError as error:
            if "is not used exactly once" not in str(error):
                raise
    return load({key: value for key, value in table.items() if key != "break_on"}, name)


def built_of(table):
    """The puzzle of a table, built."""
    return build_instance(load(table))


def vertices(grid, atom):
    """Return the exact vertices of one of the program's atoms, in the judge's notation."""
    return frac_vertices(grid.atoms[atom[-1]].vertices, atom[:-1])


def body(grid, placement):
    """Return atoms and marks of a placement in the judge's notation, without crossings, which are not atoms there."""
    marks = ((vertices(grid, m.side), vertices(grid, m.face), m.name) for m in placement.marks)
    atoms = (a for a in placement.atoms if grid.atoms[a[-1]].kind != "crossing")
    return frozenset(vertices(grid, a) for a in atoms), frozenset(marks)


def in_node(script, said=None):
    """Return the lines of JSON that a script of modules prints; its standard input is ``said`` as JSON."""
    command = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(command, input=json.dumps(said), capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@cache
def in_one_part(cubes):
    """Tell whether a frozen set of cubes is connected through faces."""
    graph = nx.Graph()
    graph.add_nodes_from(cubes)
    graph.add_edges_from((a, b) for a, b in combinations(cubes, 2) if sum(abs(x - y) for x, y in zip(a, b, strict=True)) == 1)
    return bool(cubes) and nx.is_connected(graph)


def named(name):
    """Return a grid of the package."""
    return load_grid(data_folder("grids") / f"{name}.toml")


def make_clauses(clauses, variables):
    """Return clauses given as lists of literals."""
    start = np.cumsum([0, *map(len, clauses)]).astype(np.int64)
    return Clauses(start, np.array([literal for clause in clauses for literal in clause], dtype=np.int32), variables)


def canonical(atoms, symmetries):
    """Return the least image of a set of atoms under symmetries and translations, image by image: the judge of ``Images``."""
    atoms, images = list(atoms), []
    for g in symmetries:
        moved = [g.on_grid(a) for a in normal(map(g, atoms))]
        if None not in moved:
            images.append(tuple(sorted(moved, key=atom_order)))
    return min(images)


@cache
def library():
    """Map names to the instances of the package. Cached for each process, because reading them takes longer than most tests."""
    return {file.stem: read_file(InstanceFile, file) for file in data_files("instances")}


@cache
def one_of_each_grid():
    """Return the instance with the shortest file, and so with a small form, for every grid that has an instance."""
    found = {}
    for file in sorted(data_files("instances"), key=lambda f: -f.stat().st_size):
        instance = library()[file.stem]
        found[instance.grid or read_file(ModelFile, find_model(instance.model, file)).grid] = file.stem
    return sorted(found.values())
