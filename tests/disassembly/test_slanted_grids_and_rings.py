"""Grids of one's own in space, whose axes are at any angle, and rings in the plane, closed and open."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest
from plain_search import assembly, grid_named, least_sequence

import puzzlesat
from puzzlesat.config.package import data_folder
from puzzlesat.counting.assemblies import Asked, assemblies
from puzzlesat.cover.instance import build_instance
from puzzlesat.disassembly.run import checked
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.sweeping import swept
from puzzlesat.disassembly.taking import make_bench
from puzzlesat.draw.steps import steps_svg
from puzzlesat.puzzle.grids import atom_ref
from puzzlesat.solvers.run import Limits
from tiers import of_which

SLANTED = {
    "rhombohedral": ("[[4, 1, 1], [1, 4, 1], [1, 1, 4]]", 12),
    "triclinic": ("[[5, 1, 2], [1, 6, 0], [2, 0, 7]]", 2),
    "flat": ("[[1, 0, 0], [0, 1, 0], [0, 0, 9]]", 16),
}
"""Gram matrices of cubes that are pulled out of shape, and how many symmetries are left."""
PLANE = ["square", "triangle", "hexagon", "tans", "kites", "rhombille", "drafters", "snub-square", "truncated-square"]


# grids in space --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pulled(tmp_path):
    """Lay pieces of cubes where they are, on a grid of one's own."""

    def make(name, pieces):
        gram, order = SLANTED[name]
        text = (data_folder("models") / "grids" / "cube.toml").read_text(encoding="utf-8")
        text = text.replace("gram = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", f"gram = {gram}")
        text = text.replace("symmetries = 48", f"symmetries = {order}")
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        tiles = "".join(f"[tiles.P{i}]\natoms = {[atom_ref(grid_named('cube'), a) for a in sorted(p)]}\n" for i, p in enumerate(pieces))
        form = [atom_ref(grid_named("cube"), a) for a in sorted(set().union(*pieces))]
        said = f'title = "x"\ngrid = "{name}"\nflips = false\nturns = "none"\n{tiles}[form]\natoms = {form}\n'
        (tmp_path / "puzzle.toml").write_text(said, encoding="utf-8")
        return build_instance(puzzlesat.load(tmp_path / "puzzle.toml"))

    return make


@pytest.mark.parametrize("name", SLANTED)
def test_a_burr_of_slanted_cubes_has_the_level_of_the_burr(name, pulled):
    """What slides along the sides of cubes does so however the cubes are pulled out of shape."""
    burr = puzzlesat.apart("dubois-burr", nth=2, jobs=1).assemblies[0]
    built = pulled(name, [set(burr.built.placements[o].atoms) for o in burr.options])
    (one,) = assemblies(built, Asked(), jobs=1, limits=Limits())
    assert (one.level, one.moves, one.checked) == (burr.level, burr.moves, True) == ("6.4", (6, 4, 1, 1, 1), True)
    assert steps_svg(built, one.options, one.answer.parting).count("along") == sum(one.moves)


@pytest.mark.parametrize("name", SLANTED)
def test_a_slanted_cube_in_a_slanted_box(name, pulled):
    box = {(*c, 0) for c in product(range(1, 4), repeat=3)}
    inside = {(2, 2, 2, 0)}
    for way, said in ((set(), None), ({(2, 2, 3, 0)}, "1")):
        (one,) = assemblies(pulled(name, [box - inside - way, inside]), Asked(), jobs=1, limits=Limits())
        assert (one.level, one.checked) == (said, True)


# rings in the plane ----------------------------------------------------------------------------------------------------------


def ring_round(grid, middle):
    """The atoms that touch another one, be it in a corner."""

    def corners(atom):
        return {tuple(x + c for x, c in zip(v, atom[:-1], strict=True)) for v in grid.atoms[atom[-1]].vertices}

    cells = [tuple(c + x for c, x in zip(middle[:-1], step, strict=True)) for step in product((-1, 0, 1), repeat=2)]
    near = [(*cell, a) for cell in cells for a in range(len(grid.atoms))]
    return [atom for atom in near if atom != middle and grid.atoms[atom[-1]].role == "cover" and corners(atom) & corners(middle)]


@pytest.mark.parametrize("name", of_which(PLANE, *PLANE[:4]))
def test_rings(name):
    """A closed ring holds what is inside it; one that lacks an atom does or does not, as plain search says."""
    grid = grid_named(name)
    directions = [d[: grid.dimension] for d in map(tuple, steps_of(grid).directions.tolist())]
    middle = (3, 3, 0)
    ring = ring_round(grid, middle)
    assert len(ring) >= 5
    found = []
    for gap in (None, *ring):
        built, options = assembly(grid, [frozenset(set(ring) - {gap}), frozenset({middle})])
        answer = checked(built, make_bench(built), tuple(options), Limits())
        bodies = [frozenset(built.placements[o].atoms) for o in options]
        expected = least_sequence(bodies, directions, partial(swept, grid))
        assert answer.checked and (None if answer.parting is None else answer.parting.sequence) == expected
        found.append(answer)
    assert found[0].parting is None and found[0].closed == 1
    if name == "square":  # it goes out at each side, and at no corner
        assert sum(answer.parting is not None for answer in found) == 4


def test_a_ring_of_two_halves_comes_apart():
    """Neither holds the other, nor what is inside."""
    grid = grid_named("square")
    ring = ring_round(grid, (3, 3, 0))
    upper = {a for a in ring if a[1] > 3 or (a[1] == 3 and a[0] < 3)}
    built, options = assembly(grid, [frozenset(upper), frozenset(set(ring) - upper), frozenset({(3, 3, 0)})])
    answer = checked(built, make_bench(built), tuple(options), Limits())
    assert answer.parting is not None and answer.parting.level == "1" and answer.checked


def test_rings_in_a_ring():
    """A bar goes round the corner of a frame that is open at its side, and the frame stays in a closed one."""
    rows = ["#######", "#.....#", "#.###.#", "#.#I..#", "#.###.#", "#.....#", "#######"]
    cells = {(x + 1, y + 1, 0): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
    outer = frozenset(a for a, s in cells.items() if s == "#" and (1 in a[:2] or 7 in a[:2]))
    inner = frozenset(a for a, s in cells.items() if s == "#") - outer
    built, options = assembly(grid_named("square"), [outer, inner, frozenset(a for a, s in cells.items() if s == "I")])
    answer = checked(built, make_bench(built), tuple(options), Limits())
    assert answer.parting is None and answer.checked and answer.closed > 100
