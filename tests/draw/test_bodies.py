"""Pictures of bodies against a depth buffer: each pixel shows the nearest body, outlines are complete, and names are unobstructed."""

import re
from dataclasses import replace

import numpy as np
import pytest
from depth_buffer import NOTHING, read, surface_at
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlesat
from helpers import in_node, needs_node
from puzzlesat.base import Limits, data_files
from puzzlesat.counting.listing import solutions
from puzzlesat.pages.template import text_of
from puzzlesat.pictures.bodies import HEIGHT, Solid
from puzzlesat.pictures.canvases import make_canvas
from puzzlesat.pictures.flat import solution_svg
from puzzlesat.pictures.geometry import home, middle
from puzzlesat.pictures.isometric import SHARES, moved_apart, solids_picture
from puzzlesat.pictures.solids import solid3d_as_json
from puzzlesat.pictures.states import TakingApart, numbered
from puzzlesat.pictures.svg import SMALLEST, breadth
from puzzlesat.puzzles import GridFile, build_instance, load_grid, translate
from puzzlesat.puzzles.reading import read_file
from tiers import every, tries

GRIDS = {f.stem: load_grid(f) for f in data_files("grids") if len(read_file(GridFile, f).gram) == 3}
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8f2d60")
FACTOR = 34.0
TOLD_APART = 0.05
"""Pixels: the tests skip points nearer to a border than this."""
BESIDE = ((-1, -1), (-1, 1), (1, -1), (1, 1))
ALL = sorted(GRIDS)
POLYTOPES = [name for name in ALL if not GRIDS[name].of_balls]


@st.composite
def scenes(draw, grids=ALL, moves=("together", "apart", "anyhow")):
    """A grid, bodies grown atom by atom in a small box, and the shift of each body."""
    grid = GRIDS[draw(st.sampled_from(grids))]
    random = draw(st.randoms(use_true_random=False))
    atoms = [(*cell, a) for cell in np.ndindex(2, 3, 2) for a in range(len(grid.atoms))]
    if len(grid.atoms) == 1:
        atoms = [(*cell, 0) for cell in np.ndindex(3, 3, 3)]
    free, bodies = set(atoms), []
    for _ in range(draw(st.integers(1, 6))):
        if free:
            body = [random.choice(sorted(free))]
            free -= set(body)
            for _ in range(random.randint(0, 7)):
                edge = sorted({n for a in body for n in grid.neighbours(a)} & free)
                if edge:
                    body.append(random.choice(edge))
                    free.discard(body[-1])
            bodies.append(tuple(body))
    how = draw(st.sampled_from(moves))
    shifts = [np.zeros(3) for _ in bodies]
    if how == "apart":
        shifts = moved_apart(grid, bodies) or shifts
    if how == "anyhow" and not grid.of_balls:  # bodies may intersect
        shifts = [np.array([random.uniform(-1, 1) for _ in range(3)]) for _ in bodies]
    return grid, bodies, shifts, how


def drawn(grid, solids, factor=FACTOR):
    """Return the contents of a picture of solids, in the coordinates of the eye."""
    _, body = solids_picture(grid, solids, factor).body.split(">", 1)  # the first group has the transformation of the picture
    return read(f"<g>{body}", {solid.title: i for i, solid in enumerate(solids)})


def shown_by(grid, bodies, shifts):
    moved = enumerate(zip(bodies, shifts, strict=True))
    return drawn(grid, [Solid(b, COLOURS[i % 8], f"body {i}", tuple(map(float, s)), name=f"N{i}") for i, (b, s) in moved])


def frame(shown):
    points = np.concatenate([loop for _, _, loops in shown.fills for loop in loops])
    return points.min(axis=0) - 3, points.max(axis=0) + 3


def check_owners(grid, scene, shown, factor, pixels):
    """Check that each pixel shows the nearest body, and of polytopes the colour of its plane.

    Pixels where bodies intersect are skipped, because the order of equal depths is undefined. Rounded clippings leave hairlines of some
    thousandths of a pixel, so a pixel is wrong only if all its neighbours are.
    """
    owner, plane = surface_at(grid, scene, factor, pixels)
    last = surface_at(grid, scene[::-1], factor, pixels)[0]
    clear = np.where(last == NOTHING, NOTHING, len(scene) - 1 - last) == owner
    for step in BESIDE:
        beside = surface_at(grid, scene, factor, pixels + TOLD_APART * np.array(step))
        clear &= (beside[0] == owner) & (beside[1] == plane)
    painted, colour = shown.owners(pixels[clear])
    wrong = np.flatnonzero(painted != owner[clear])
    for step in BESIDE:
        wrong = wrong[shown.owners(pixels[clear][wrong] + TOLD_APART * np.array(step))[0] != owner[clear][wrong]]
    assert not len(wrong), (pixels[clear][wrong[:3]], painted[wrong[:3]], owner[clear][wrong[:3]])
    if not grid.of_balls:
        colours_of = {}
        sure = painted == owner[clear]
        for p, c in zip(plane[clear][sure], colour[sure], strict=True):
            assert colours_of.setdefault(p, c) == c
    return int(clear.sum())


@pytest.mark.full
@given(scenes())
@settings(max_examples=tries(30))
def test_what_is_painted_is_what_is_nearest(scene):
    grid, bodies, shifts, _ = scene
    shown = shown_by(grid, bodies, shifts)
    low, high = frame(shown)
    pixels = np.random.default_rng(1).uniform(low, high, (1200, 2))
    assert check_owners(grid, list(zip(bodies, shifts, strict=True)), shown, FACTOR, pixels) > 600


@pytest.mark.full
@given(scenes(grids=POLYTOPES, moves=("together", "apart")))
@settings(max_examples=tries(15))
def test_outlines_are_where_surfaces_meet_and_nowhere_else(scene):
    grid, bodies, shifts, _ = scene
    shown = shown_by(grid, bodies, shifts)
    check_outlines(grid, list(zip(bodies, shifts, strict=True)), shown, FACTOR)


def check_outlines(grid, scene, shown, factor):
    low, high = frame(shown)
    lines = np.array(shown.lines)
    # along rows of pixels: a line runs wherever the visible surface changes
    for y in np.random.default_rng(2).uniform(low[1], high[1], 8):
        row = np.column_stack([np.arange(low[0], high[0], 0.25), np.full(int(np.ceil((high[0] - low[0]) / 0.25)), y)])
        owner, plane = surface_at(grid, scene, factor, row)
        for i in np.flatnonzero((plane[1:] != plane[:-1]) | (owner[1:] != owner[:-1])):
            assert distances(lines, (row[i] + row[i + 1]) / 2).min() < 0.4, row[i]
    # around the middle of each line there are two surfaces
    middles = lines.mean(axis=1)[np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > 1]
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ring = middles[:, None] + 0.3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    owner, plane = (x.reshape(len(middles), -1) for x in surface_at(grid, scene, factor, ring.reshape(-1, 2)))
    same = (plane == plane[:, :1]).all(axis=1) & (owner == owner[:, :1]).all(axis=1)
    assert not same.any(), middles[same][:3]


def distances(lines, point):
    along = lines[:, 1] - lines[:, 0]
    share = (((point - lines[:, 0]) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-12)).clip(0, 1)
    return np.linalg.norm(lines[:, 0] + share[:, None] * along - point, axis=1)


@given(scenes(moves=("together", "apart")))
@settings(max_examples=tries(8))
def test_names_stand_on_what_is_seen_of_their_body_and_none_is_missing(scene):
    grid, bodies, shifts, _ = scene
    shown = shown_by(grid, bodies, shifts)
    check_names(grid, list(zip(bodies, shifts, strict=True)), shown, FACTOR, [f"N{i}" for i in range(len(bodies))])


def check_names(grid, scene, shown, factor, names):
    found = {words: (middle, size) for words, middle, size in shown.texts}
    assert len(found) == len(shown.texts)
    for number, name in enumerate(names):
        if name in found:
            middle, size = found[name]
            owner, plane = surface_at(grid, scene, factor, box_of(name, middle, size))
            assert (owner == number).all(), (name, owner)
            assert grid.of_balls or len(set(plane)) == 1
            assert size >= SMALLEST
        else:
            assert not fits(grid, scene, shown, factor, number, name), name


def box_of(name, middle, size):
    half = size * np.array([breadth(name), HEIGHT]) / 2
    return middle + half * np.stack(np.meshgrid([-1, -0.5, 0, 0.5, 1], [-1, 0, 1]), axis=-1).reshape(-1, 2)


def fits(grid, scene, shown, factor, number, name):
    """Tell whether a name a third larger than the smallest fits on one surface of a body."""
    low, high = frame(shown)
    xs, ys = (np.arange(a, b) for a, b in zip(low, high, strict=True))
    pixels = np.stack(np.meshgrid(xs, ys), axis=-1)
    owner, plane = (x.reshape(len(ys), len(xs)) for x in surface_at(grid, scene, factor, pixels.reshape(-1, 2)))
    width, height = (int(np.ceil(4 / 3 * SMALLEST * side)) + 2 for side in (breadth(name), HEIGHT))
    if min(owner.shape[0] - height, owner.shape[1] - width) < 0:
        return False
    for surface in set(plane[owner == number]):
        mask = np.lib.stride_tricks.sliding_window_view(plane == surface, (height, width))
        if mask.all(axis=(2, 3)).any():
            return True
    return False


def test_names_keep_away_from_coloured_atoms():
    """One of two atoms is coloured, so the name is on the other. On a single atom the name is beside the colour."""
    for name, factor in (("cube", 60.0), ("balls", FACTOR)):
        grid, plain = GRIDS[name], (0, 0, 0, 0)
        coloured = (1, 0, 0, 0) if name == "cube" else grid.neighbours(plain)[0]
        bar = Solid((plain, coloured), COLOURS[0], "bar", name="N0", spots={coloured: "#ff0000"})
        ((_, *place),) = drawn(grid, [bar], factor).texts
        owner, _ = surface_at(grid, [((plain,), np.zeros(3)), ((coloured,), np.zeros(3))], factor, box_of("N0", *place))
        assert set(owner) == {0}
    bar = Solid(((1, 0, 0, 0),), COLOURS[0], "bar", name="N0", spots={(1, 0, 0, 0): "#ff0000"})
    shown = drawn(GRIDS["cube"], [bar], 90.0)
    ((_, *place),) = shown.texts
    _, colours = shown.owners(box_of("N0", *place))
    assert not {"#ff0000", "#ffffff"} & set(colours)
    assert {"#ff0000", "#ffffff"} <= {fill for _, fill, _ in shown.fills}


@every("name", ["four-piece-tetrahedron", "soma", "ball-room-1"], fast=1)
def test_pieces_of_a_solution_have_their_names(name):
    """Also where they cannot be moved apart, as in the tetrahedron, and each is drawn by itself."""
    built = build_instance(puzzlesat.load(name))
    (row,) = solutions(built, "backtrack", Limits(solutions=1))
    texts = [t for t, *_ in read(solution_svg(built, row, space="bodies").split("?>")[-1], {}).texts]
    assert {built.puzzle.tiles[built.placements[o].tile].name for o in row} <= set(texts)
    assert len(texts) >= len(row)


def ran_by_node(module, expression, scenes_json):
    """Return the value of an expression of a script of the page for each ``[solid, pieces]``."""
    script = f'import {{ readFileSync }} from "fs";\n{text_of(module)}'
    script += f"console.log(JSON.stringify(JSON.parse(readFileSync(0)).map(([solid, pieces]) => {expression})));"
    return in_node(script, scenes_json)[0]


def for_script(grid, bodies):
    atoms = sorted(a for body in bodies for a in body)
    board = replace(make_canvas(grid, atoms), factor=FACTOR)
    pieces = [
        {"id": i, "atoms": [atoms.index(a) for a in body], "colour": COLOURS[i % 8], "name": f"N{i}"} for i, body in enumerate(bodies)
    ]
    return solid3d_as_json(board, atoms), pieces


def check_script(grid, bodies, pictures):
    """Check both pictures against the depth buffer; where pieces cannot be moved apart, the second shows each body by itself."""
    move = home(a for body in bodies for a in body)  # the script starts from this corner
    bodies = [tuple(translate(a, move) for a in body) for body in bodies]
    shifts = moved_apart(grid, bodies)
    views = [[np.zeros(3)] * len(bodies), *([shifts] if shifts else [])]
    for picture, moves in zip(pictures, views, strict=shifts is not None):
        shown = read(picture.split(">", 1)[1], {str(i): i for i in range(len(bodies))})
        scene = list(zip(bodies, moves, strict=True))
        low, high = frame(shown)
        check_owners(grid, scene, shown, FACTOR, np.random.default_rng(5).uniform(low, high, (1200, 2)))
        check_names(grid, scene, shown, FACTOR, [f"N{i}" for i in range(len(bodies))])
        if not grid.of_balls:
            check_outlines(grid, scene, shown, FACTOR)
    if shifts is None:
        assert pictures[1].count("<g transform=") == len(bodies)


@pytest.mark.full
@needs_node
@given(st.lists(scenes(moves=("together",)), min_size=4, max_size=4))
@settings(max_examples=tries(3))
def test_the_script_of_a_page_draws_the_same(several):
    asked = [for_script(grid, bodies) for grid, bodies, *_ in several]
    for (grid, bodies, *_), drawn in zip(several, ran_by_node("bodies.js", "Bodies.draw(solid, pieces)", asked), strict=True):
        check_script(grid, bodies, drawn.split("</svg>")[:-1])


@pytest.mark.full
@needs_node
@given(st.lists(scenes(moves=("together",)), min_size=6, max_size=6))
@settings(max_examples=tries(3))
def test_what_can_be_turned_comes_apart_alike(several):
    """If no share of the pictures suffices, pieces move by the largest share."""
    asked = [for_script(grid, bodies) for grid, bodies, *_ in several]
    moved_there = ran_by_node("bodies3d.js", "apartBy(solid, placedAtoms(solid).middles, pieces.map((piece) => piece.atoms))", asked)
    for (grid, bodies, *_), (solid, _), found in zip(several, asked, moved_there, strict=True):
        move = home(a for body in bodies for a in body)
        expected = moved_apart(grid, [[translate(a, move) for a in body] for body in bodies])
        if expected is None:
            middles = [np.array([middle(grid, a) for a in body]) for body in bodies]
            expected = [SHARES[-1] * (m.mean(axis=0) - np.concatenate(middles).mean(axis=0)) for m in middles]
        assert np.allclose(np.array(found) @ np.array(solid["view"]), expected, atol=1e-7)


EDGES = """title = "Sides of cubes"
gram = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
atoms = [
  { name = "x", kind = "edge", vertices = [["0", "0", "0"], ["1", "0", "0"]] },
  { name = "y", kind = "edge", vertices = [["0", "0", "0"], ["0", "1", "0"]] },
  { name = "z", kind = "edge", vertices = [["0", "0", "0"], ["0", "0", "1"]] },
]
[picture]
steps = [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
sites = [
  { at = [1, 0, 0], glyphs = { "─" = ["x"] } },
  { at = [0, 1, 0], glyphs = { "│" = ["y"] } },
  { at = [0, 0, 1], glyphs = { "·" = ["z"] } },
]
"""


def test_edges_in_space_are_bars_without_seams(tmp_path):
    """Two bars and the joint between them form one long bar."""
    file = tmp_path / "cube-edges.toml"
    file.write_text(EDGES, encoding="utf-8")
    grid = load_grid(file)
    straight = drawn(grid, [Solid(((0, 0, 0, 0), (1, 0, 0, 0)), COLOURS[0], "bar")])
    # a bar, a joint and a bar: three long edges are visible, in three parts each, and six short ones at the ends
    lines = [line for i, line in enumerate(straight.lines) if not any(np.abs(line - other).max() < 0.03 for other in straight.lines[:i])]
    assert len(lines) == 3 * 3 + 6
    assert len(straight.fills) == 3


LID = "####\n#.##\n####"
BOXED = {
    "title": "A cube in a box",
    "grid": "cube",
    "flips": False,
    "tiles": {"Box": {"picture": f"####\n####\n####\n\n####\n#..#\n####\n\n{LID}\n\n{LID}"}, "A": {"picture": "#"}},
    "form": {"picture": f"####\n####\n####\n\n{LID}\n\n{LID}\n\n{LID}"},
}


def test_what_moves_inside_a_box_is_seen_in_its_steps():
    """The box is glass only while it hides a moving piece."""
    (assembly,) = puzzlesat.apart(BOXED, jobs=1).assemblies
    drawn = TakingApart(assembly.built, assembly.options, assembly.answer).svg()
    *frames, _ = re.split(r">(?:together|\d\. [^<]*)</text>", drawn)
    seen = [dict(re.findall(r'<g><title>(\w+)</title><path d="[^"]*" fill="(\w|#)', frame)) for frame in frames]
    assert assembly.moves == (2,)
    assert seen == [{"Box": "#"}, {"A": "#", "Box": "n"}, {"A": "#", "Box": "#"}]


def test_pieces_that_look_alike_have_numbers():
    assert numbered(["L", "Box", "L", "R"]) == ["L 1", "Box", "L 2", "R"]
