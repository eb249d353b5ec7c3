"""The page's own grid geometry, compared with the program's: atoms under points, and atoms of placements."""

import json
from importlib.resources import files

import pytest

from helpers import in_node, needs_node
from puzzlesat.base.package import data_files
from puzzlesat.pages.studio.gridview import grid_as_json, tiles_as_json
from puzzlesat.pictures.geometry import shapes
from puzzlesat.puzzles import build_instance, load_grid, polyforms
from puzzlesat.puzzles.load import load_instance
from tiers import every

pytestmark = [pytest.mark.full, needs_node]
PAINT = files("puzzlesat.pages.studio") / "page" / "paint"
GRIDS = {path.stem: load_grid(path) for path in data_files("grids")}
EXAMPLES = ["tritetratan", "soma-bench", "ball-room-1", "tetrasticks-6x6", "bits-and-bytes", "hexiamonds-3x12", "trios-2x3x3"]


def run(script, said):
    """Return the result of a script of the page's modules on some data."""
    whole = f"""
import {{ makeLattice, keyOf }} from {json.dumps((PAINT / "lattice.js").as_uri())};
import * as strokes from {json.dumps((PAINT / "strokes.js").as_uri())};
let text = ""; for await (const part of process.stdin) text += part;
const said = JSON.parse(text), lattice = makeLattice(said.grid);
console.log(JSON.stringify((() => {{ {script} }})()));
"""
    return in_node(whole, said)[0]


def sheet(grid, reach=3):
    """Return atoms of the main kind round the origin."""
    cells = [()]
    for _ in range(grid.dimension):
        cells = [(*c, x) for c in cells for x in range(-reach, reach + 1)]
    return [[*c, a] for c in cells for a, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]


@every("name", GRIDS)
def test_the_atom_under_its_middle_is_itself_in_each_of_its_layers(name):
    grid = GRIDS[name]
    atoms = sheet(grid, 1)
    wrong = run(
        "return said.atoms.flatMap((atom) => lattice.layersOf(atom)"
        ".filter((on) => keyOf(lattice.at(lattice.middle(atom, on), on) ?? []) !== keyOf(atom)).map((on) => [atom, on]))",
        {"grid": grid_as_json(grid), "atoms": atoms},
    )
    assert wrong == []
    layers = run("return said.atoms.map((atom) => lattice.layersOf(atom).length)", {"grid": grid_as_json(grid), "atoms": atoms})
    assert layers == [len(shapes(grid).heights(tuple(atom))) for atom in atoms]


@every("name", GRIDS)
def test_images_under_brushes_are_those_of_the_program(name):
    grid = GRIDS[name]
    view, atoms = grid_as_json(grid), sheet(grid, 1)[:20]
    found = run(
        "const images = (motion) => said.atoms.map((atom) => lattice.image(motion, atom));"
        "return said.grid.brushes.map((brush) => brush.groups.map((group) => group.map(images)))",
        {"grid": view, "atoms": atoms},
    )
    for brush, groups in zip(view["brushes"], found, strict=True):
        for group, motions in zip(brush["groups"], groups, strict=True):
            for motion, images in zip(group, motions, strict=True):
                g = grid.symmetries[motion["symmetry"]]
                for atom, image in zip(atoms, images, strict=True):
                    *cell, a = g(tuple(atom))
                    assert image == [*(c + m for c, m in zip(cell, motion["move"], strict=True)), a]


@every("name", GRIDS)
def test_a_brush_is_placed_where_one_taps(name):
    """The nearest group is a translate of the brush, and each motion of the brush maps its images to themselves."""
    grid = GRIDS[name]
    closed = run(
        """const atom = said.atom, on = lattice.layersOf(atom)[0], point = lattice.middle(atom, on);
        const names = (atoms) => atoms.map(keyOf).sort();
        return said.grid.brushes.map((brush) => {
          const motions = strokes.placedAt(lattice, brush, point, on), images = strokes.imagesOf(lattice, [atom], motions);
          const again = (motion) => names(images.map((image) => lattice.image(motion, image)));
          return motions.length === brush.order && motions.every((motion) => again(motion).join() === names(images).join());
        });""",
        {"grid": grid_as_json(grid), "atom": sheet(grid, 1)[-1]},
    )
    assert all(closed) and closed


@every("name", GRIDS)
def test_turned_and_mirrored_as_often_as_it_takes_it_is_itself(name):
    grid = GRIDS[name]
    shape = next(iter(polyforms(grid, 3, "free").values()))
    same = run(
        """const paint = strokes.paintOf({ atoms: said.atoms, optional: [said.atoms[0]], colours: [[said.atoms[1], "red"]], removed: [] });
        const plain = (p) => {
          const f = strokes.frameOf(p.atoms.keys(), lattice.dimension);
          const home = (key) => key.split(",").map((x, i) => (i < lattice.dimension ? x - f.low[i] : +x)).join();
          return [...p.atoms].map(([key, look]) => [home(key), look]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
        };
        return said.grid.symmetries.map((g, i) => { if (g.over > 1) return true; let now = paint;
          for (let k = 0; k < 12; k++) now = strokes.turned(lattice, now, i);
          return JSON.stringify(plain(now)) === JSON.stringify(plain(paint)); });""",
        {"grid": grid_as_json(grid), "atoms": [list(a) for a in shape]},
    )
    assert all(same), [g.name for g, ok in zip(grid.motions, same, strict=True) if not ok]


@every("name", EXAMPLES)
def test_placements_by_their_names_cover_what_they_cover(name):
    puzzle = load_instance(name).puzzle
    built = build_instance(puzzle)
    chosen = range(0, len(built.placements), max(1, len(built.placements) // 400))
    names = [built.placements[i].name for i in chosen]
    found = run(
        "const tiles = new Map(said.tiles); return said.names.map((name) => strokes.placementOf(lattice, tiles, name))",
        {"grid": grid_as_json(puzzle.grid), "names": names, "tiles": [[t["name"], t["atoms"]] for t in tiles_as_json(puzzle)]},
    )
    for i, one in zip(chosen, found, strict=True):
        placement = built.placements[i]
        assert one["tile"] == puzzle.tiles[placement.tile].name
        assert sorted(map(tuple, one["atoms"])) == sorted(placement.atoms), placement.name


def test_filling_stays_inside_and_says_where_it_cannot():
    ring = [[x, y, 0] for x in range(4) for y in range(4) if x in (0, 3) or y in (0, 3)]
    grid = {"grid": grid_as_json(GRIDS["square"]), "ring": ring}
    filled = run(
        "const paint = strokes.paintOf({ atoms: said.ring, optional: [], colours: [], removed: [] });"
        "return [[1, 1, 0], [9, 9, 0], [0, 0, 0]].map((atom) => strokes.likeIt(lattice, paint, atom, null))",
        grid,
    )
    assert sorted(filled[0]) == [[1, 1, 0], [1, 2, 0], [2, 1, 0], [2, 2, 0]]
    assert filled[1] is None and len(filled[2]) == 12
