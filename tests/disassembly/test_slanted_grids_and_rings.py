"""Directions and swept places, by hand and in two ways; custom grids with axes at any angle; rings in the plane."""

from functools import partial
from itertools import product

import pytest
from plain_search import assembly, grid_named, least_sequence

import puzzlesat
from puzzlesat.base import Limits, NotSupportedError, data_folder
from puzzlesat.counting.assembly import ApartOptions, assemblies
from puzzlesat.disassembly import bodies_of, checked
from puzzlesat.disassembly.steps import NEVER, steps_of
from puzzlesat.disassembly.verification import swept
from puzzlesat.pictures.states import TakingApart
from puzzlesat.puzzles.building import build_instance
from tiers import every

SLANTED = {
    "rhombohedral": ("[[4, 1, 1], [1, 4, 1], [1, 1, 4]]", 12),
    "triclinic": ("[[5, 1, 2], [1, 6, 0], [2, 0, 7]]", 2),
    "flat": ("[[1, 0, 0], [0, 1, 0], [0, 0, 9]]", 16),
}
"""Gram matrices of deformed cubes, and their numbers of symmetries."""
PLANE = ["square", "triangle", "hexagon", "tans", "kites", "rhombille", "drafters", "snub-square", "truncated-square"]


def pulled(folder, name, pieces):
    """Place pieces of cubes as they are on a custom grid."""
    gram, order = SLANTED[name]
    text = (data_folder("grids") / "cube.toml").read_text(encoding="utf-8")
    text = text.replace("gram = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", f"gram = {gram}")
    text = text.replace("symmetries = 48", f"symmetries = {order}")
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    tiles = "".join(f"[tiles.P{i}]\natoms = {[grid_named('cube').ref(a) for a in sorted(p)]}\n" for i, p in enumerate(pieces))
    form = [grid_named("cube").ref(a) for a in sorted(set().union(*pieces))]
    said = f'title = "x"\ngrid = "{name}"\nflips = false\nturns = "none"\n{tiles}[form]\natoms = {form}\n'
    (folder / "puzzle.toml").write_text(said, encoding="utf-8")
    return build_instance(puzzlesat.load(folder / "puzzle.toml"))


@pytest.mark.full
@every("name", SLANTED)
def test_a_burr_of_slanted_cubes_has_the_level_of_the_burr(name, tmp_path):
    """Moves along the sides of cubes stay possible when the cubes are deformed."""
    burr = puzzlesat.apart("dubois-burr", nth=2, jobs=1).assemblies[0]
    built = pulled(tmp_path, name, [set(burr.built.placements[o].atoms) for o in burr.options])
    (one,) = assemblies(built, ApartOptions(), jobs=1, limits=Limits())
    assert (one.level, one.moves, one.checked) == (burr.level, burr.moves, True) == ("6.4", (6, 4, 1, 1, 1), True)
    assert TakingApart(built, one.options, one.answer).svg().count("along") == sum(one.moves)
    box = {(*c, 0) for c in product(range(1, 4), repeat=3)}
    inside = {(2, 2, 2, 0)}
    for way, said in ((set(), None), ({(2, 2, 3, 0)}, "1")):
        (one,) = assemblies(pulled(tmp_path, name, [box - inside - way, inside]), ApartOptions(), jobs=1, limits=Limits())
        assert (one.level, one.checked) == (said, True)


def ring_round(grid, middle):
    """Return the atoms that touch another one, even in a corner."""

    def corners(atom):
        return {tuple(x + c for x, c in zip(v, atom[:-1], strict=True)) for v in grid.atoms[atom[-1]].vertices}

    cells = [tuple(c + x for c, x in zip(middle[:-1], step, strict=True)) for step in product((-1, 0, 1), repeat=2)]
    near = [(*cell, a) for cell in cells for a in range(len(grid.atoms))]
    return [atom for atom in near if atom != middle and grid.atoms[atom[-1]].role == "cover" and corners(atom) & corners(middle)]


@every("name", PLANE, fast=1)
def test_rings(name):
    """A closed ring holds the atom inside; for rings that lack an atom, plain search decides."""
    grid = grid_named(name)
    directions = [d[: grid.dimension] for d in map(tuple, steps_of(grid).directions.tolist())]
    middle = (3, 3, 0)
    ring = ring_round(grid, middle)
    assert len(ring) >= 5
    found = []
    for gap in (None, *ring):
        built, options = assembly(grid, [frozenset(set(ring) - {gap}), frozenset({middle})])
        answer = checked(bodies_of(built), tuple(options), Limits())
        bodies = [frozenset(built.placements[o].atoms) for o in options]
        expected = least_sequence(bodies, directions, partial(swept, grid))
        assert answer.checked and (None if answer.parting is None else answer.parting.sequence) == expected
        found.append(answer)
    assert found[0].parting is None and found[0].closed == 1
    if name == "square":  # the atom inside leaves at each side, and at no corner
        assert sum(answer.parting is not None for answer in found) == 4


BODIES = ["square", "triangle", "hexagon", "tans", "kites", "rhombille", "cube", "prisms", "balls", "tetra-octa", "truncated-octahedra"]


def ways(name):
    grid = grid_named(name)
    return {tuple(d[: grid.dimension]) for d in steps_of(grid).directions.tolist()}


def both(*directions):
    return {*directions, *(tuple(-x for x in d) for d in directions)}


@pytest.mark.full
def test_directions():
    """Directions equal those of BurrTools' movement caches for cubes and prisms: prisms move up, and along their sides."""
    assert ways("cube") == both((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert ways("prisms") == both((0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, 1, 0))
    assert ways("square") == both((1, 0), (0, 1))
    assert ways("tans") == both((1, 0), (0, 1), (1, 1), (-1, 1))
    assert len(ways("balls")) == 12 + 6 + 8  # to neighbours and between them
    assert {n[:-1] for n in grid_named("balls").neighbours((0, 0, 0, 0))} < ways("balls")


@every("name", ["square-edges", "square-slots", "hexagon-edges"])
def test_edges_are_no_bodies(name):
    with pytest.raises(NotSupportedError, match="cannot slide apart"):
        steps_of(grid_named(name))


def test_what_a_prism_sweeps():
    """Along a side, a prism passes the place of the other kind and its own place there; upwards, it passes one prism."""
    grid = grid_named("prisms")
    up, down = grid.index("up"), grid.index("down")
    assert set(swept(grid, up, (1, 0, 0))) == {(0, 0, 0, down), (1, 0, 0, up)}
    assert set(swept(grid, down, (1, 0, 0))) == {(1, 0, 0, up), (1, 0, 0, down)}
    assert set(swept(grid, up, (0, 1, 0))) == {(0, 0, 0, down), (0, 1, 0, up)}
    assert set(swept(grid, up, (0, 0, 1))) == {(0, 0, 1, up)}


def test_a_ball_that_goes_to_its_neighbour_sweeps_what_touches_both():
    grid = grid_named("balls")
    near = {n[:-1] for n in grid.neighbours((0, 0, 0, 0))}
    for step in near:
        common = near & {tuple(a + b for a, b in zip(step, n, strict=True)) for n in near}
        assert {place[:-1] for place in swept(grid, 0, step)} == {step, *common}
        assert len(common) == 4


@every("name", BODIES, fast=("square", "cube", "prisms"))
def test_two_ways_to_say_what_an_atom_runs_into(name):
    """The search uses a table of when a ray enters the difference of two atoms; the replay tests whether a swept atom meets another."""
    grid = grid_named(name)
    steps = steps_of(grid)
    box = [(*c, *[0] * (3 - grid.dimension)) for c in product(range(-3, 4), repeat=grid.dimension)]
    for d, direction in enumerate(steps.directions.tolist()):
        for a, b in product(range(len(grid.atoms)), repeat=2):
            at_once = set()
            for cell in box:
                u, v, w = (steps.frames[d] @ cell).tolist()
                if max(abs(u), abs(v)) <= steps.reach:
                    after = int(steps.meets[d, a, b, u + steps.reach, v + steps.reach])
                    if after != NEVER and after + w == 0:
                        at_once.add(cell[: grid.dimension])
            entered = {place[:-1] for place in swept(grid, a, tuple(direction[: grid.dimension])) if place[-1] == b}
            assert {c for c in entered if max(map(abs, c)) <= 3} == at_once
