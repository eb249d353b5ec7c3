"""``puzzlesat show --3mf`` and ``--assembled``: the contents of the files, read only with zip and XML."""

import sys
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest

import puzzlesat
from puzzlesat.pictures.palette import tile_colours

pytest.importorskip("manifold3d", reason="it makes the meshes")
pytestmark = pytest.mark.full
SPACE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"


def read(file):
    """Each item of a 3MF file: its name, its colour, its points in place, and its triangles."""
    with ZipFile(file) as archive:
        root = ElementTree.fromstring(archive.read("3D/3dmodel.model"))
    assert root.get("unit") == "millimeter"
    groups = {group.get("id"): group.findall(f"{SPACE}base") for group in root.iter(f"{SPACE}basematerials")}
    things = {thing.get("id"): thing for thing in root.iter(f"{SPACE}object")}
    found = []
    for item in root.iter(f"{SPACE}item"):
        thing = things[item.get("objectid")]
        colour = groups[thing.get("pid")][int(thing.get("pindex"))].get("displaycolor")
        points = np.array([[float(v.get(a)) for a in "xyz"] for v in thing.iter(f"{SPACE}vertex")])
        triangles = np.array([[int(t.get(a)) for a in ("v1", "v2", "v3")] for t in thing.iter(f"{SPACE}triangle")])
        move = [float(x) for x in item.get("transform", "1 0 0 0 1 0 0 0 1 0 0 0").split()[9:]]
        found.append((thing.get("name"), colour[:7].lower(), points + move, triangles))
    return found


def boxes(items):
    return [(points.min(axis=0), points.max(axis=0)) for _, _, points, _ in items]


@pytest.fixture
def lib3mf():
    return pytest.importorskip("lib3mf", reason="it writes 3MF")


def test_pieces_side_by_side(run, tmp_path, lib3mf):
    file = tmp_path / "soma.3mf"
    ran = run("show", "soma", "--3mf", file, "--cell", 10, "--clearance", 0, "--bevel", 0, status=0)
    assert "7 pieces, side by side" in ran.output
    items, puzzle = read(file), puzzlesat.load("soma").puzzle
    assert [name for name, *_ in items] == [tile.name for tile in puzzle.tiles]
    assert [colour for _, colour, *_ in items] == [colour.lower() for colour in tile_colours(puzzle)]
    for (_, _, points, triangles), tile in zip(items, puzzle.tiles, strict=True):
        a, b, c = points[triangles].transpose(1, 0, 2)
        assert (a * np.cross(b, c)).sum() / 6 == pytest.approx(1000 * len(tile.atoms), rel=1e-3)
        assert points[:, 2].min() == pytest.approx(0, abs=1e-3)
    for i, (low, high) in enumerate(boxes(items)):
        for other_low, other_high in boxes(items)[:i]:
            assert (low[:2] > other_high[:2] + 4.9).any() or (other_low[:2] > high[:2] + 4.9).any()


def test_a_solution_put_together(run, tmp_path, lib3mf):
    file, folder = tmp_path / "soma.3mf", tmp_path / "pieces"
    sizes = ("--cell", 10, "--clearance", 0.2, "--bevel", 0)
    ran = run("show", "soma", "--3mf", file, "--stl", folder, "--assembled", *sizes, status=0)
    assert "V.stl: 19.8 x 19.8 x 9.8 mm, " in ran.output
    items = read(file)
    points = np.concatenate([points for _, _, points, _ in items])
    assert points.min(axis=0) == pytest.approx([0, 0, 0], abs=1e-3)
    assert points.max(axis=0) == pytest.approx([29.8, 29.8, 29.8], abs=1e-3)
    assert len({colour for _, colour, *_ in items}) == 7
    assert sorted(path.name for path in folder.iterdir()) == sorted([*(f"{name}.stl" for name, *_ in items), "assembled.stl"])
    data = (folder / "assembled.stl").read_bytes()
    assert int.from_bytes(data[80:84], "little") == sum(len(triangles) for *_, triangles in items)


def test_without_the_library_the_rest_works(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lib3mf", None)
    ran = run("show", "domino-and-square-3x2", "--3mf", tmp_path / "d.3mf", status=2)
    assert '--3mf: 3MF needs lib3mf; install it with pip install "puzzlesat[print]", or write STL' in ran.output.replace("\n", " ")
    assert run("show", "domino-and-square-3x2", "--stl", tmp_path / "pieces", "--wall", 2, "--drain", 3).status == 0
    assert len(list((tmp_path / "pieces").iterdir())) == 2
