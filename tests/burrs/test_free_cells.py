"""Pieces with free cells: all sets of pieces that fill a form, compared with plain enumeration and families of rods."""

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from helpers import in_one_part
from puzzlesat.base import ContradictionError, Limits, NotSupportedError, PuzzleError
from puzzlesat.designing import DesignOptions, PiecesFile, design_given, piece_sets
from puzzlesat.designing.burr import burr_of, kept_by, pieces_of
from puzzlesat.designing.diagram import blocks_of, canonical, diagram_of, every
from puzzlesat.designing.partition import family_of
from puzzlesat.designing.piece_sets import designed_sets
from tiers import every as each_of

ROOM = {
    "title": "A room",
    "grid": "square",
    "flips": True,
    "form": {"box": [3, 4]},
    "pieces": {"A": {"picture": "+█+\n+█+\n"}, "B": {"picture": "███+\n+..+\n", "copies": 2}},
}
HOLES = ROOM | {"flips": False, "form": {"picture": "░░░░\n████\n████\n"}, "holes": 2}
TWINS = ROOM | {
    "pieces": {"A": {"picture": "++█+\n"}, "B": {"picture": "█++\n+..\n"}, "C": {"picture": "+██++\n"}, "D": {"picture": "+█+\n"}}
}
"""Some shapes of one piece are shapes of others too."""
BODIES = {
    "title": "A body",
    "form": {"box": [2, 2, 3]},
    "pieces": {"A": {"picture": "█+\n\n++\n\n++"}, "B": {"picture": "█+\n+.\n\n+.\n.."}, "C": {"picture": "██+\n+++"}},
}
CORNER = ROOM | {"form": {"picture": "██\n░█\n.█\n"}, "pieces": {"A": {"picture": "++\n+█\n"}, "B": {"picture": "█++\n"}}}
"""A piece lies where the corner of its box is outside of the form."""
FAMILIES = {"room": ROOM, "holes": HOLES, "twins": TWINS, "bodies": BODIES, "corner": CORNER}


def found_in(table, **asked):
    file = design_given(table)
    assert isinstance(file, PiecesFile)
    *_, found = designed_sets(file, DesignOptions(**asked), 1, Limits())
    return found


def drawn(picture):
    layers = [layer.split("\n") for layer in picture.strip("\n").split("\n\n")]
    cells = {(x, -y, z): c for z, layer in enumerate(layers) for y, row in enumerate(layer) for x, c in enumerate(row) if c in "█+"}
    return {p for p, c in cells.items() if c == "█"}, {p for p, c in cells.items() if c == "+"}


def turns(flips, flat):
    for axes, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        matrix = np.zeros((3, 3), dtype=int)
        matrix[range(3), axes] = signs
        turned = round(np.linalg.det(matrix)) == 1
        if (flips or turned) and not (flat and matrix[2, 2] != 1):
            yield matrix


def home(cells):
    low = [min(axis) for axis in zip(*cells, strict=True)]
    return frozenset(tuple(c - a for c, a in zip(cell, low, strict=True)) for cell in cells)


def one_shape(cells, group):
    return min(tuple(sorted(home([tuple(m @ np.array(c)) for c in cells]))) for m in group)


def form_of(table):
    if "box" in table["form"]:
        return set(product(*(range(side) for side in [*table["form"]["box"], 1][:3]))), set()
    required, optional = drawn(table["form"]["picture"].replace("░", "+"))
    whole = required | optional
    low = [min(axis) for axis in zip(*whole, strict=True)]
    return tuple({tuple(c - a for c, a in zip(cell, low, strict=True)) for cell in some} for some in (required, optional))


def judged(table):
    """Count the sets of shapes by their numbers of assemblies: up to symmetry, and in all."""
    group = list(turns(table.get("flips", False), table.get("grid") == "square"))
    required, optional = form_of(table)
    whole = required | optional
    shapes = []
    for piece in table["pieces"].values():
        fixed, free = drawn(piece["picture"])
        bodies = [fixed | {c for c, has in zip(sorted(free), kept, strict=True) if has} for kept in product((0, 1), repeat=len(free))]
        shapes += [{one_shape(body, group) for body in bodies if in_one_part(frozenset(body))}] * piece.get("copies", 1)

    def lying(shape):
        for image in {home([tuple(m @ np.array(c)) for c in shape]) for m in group}:
            for to in product(*(range(max(axis) + 1) for axis in zip(*whole, strict=True))):
                if (body := frozenset(tuple(a + b for a, b in zip(c, to, strict=True)) for c in image)) <= whole:
                    yield body

    where = {shape: list(lying(shape)) for some in shapes for shape in some}
    found = Counter()
    most = table.get("holes", len(optional))
    sets = {tuple(sorted(chosen)) for chosen in product(*shapes) if len(required) <= sum(map(len, chosen)) <= len(whole)}
    ends = [max(axis) for axis in zip(*whole, strict=True)]

    def image(body, m):
        moved = [tuple(m @ np.array([2 * c - e for c, e in zip(cell, ends, strict=True)])) for cell in body]
        return frozenset(tuple((c + e) / 2 for c, e in zip(cell, ends, strict=True)) for cell in moved)

    motions = [m for m in group if image(required, m) == required and image(optional, m) == optional]

    def laid(rest, left):
        """Return every way to lay the remaining pieces."""
        if not rest:
            return [frozenset()] if not left & required and len(left) <= most else []
        return [{body} | others for body in where[rest[0]] if body <= left for others in laid(rest[1:], left - body)]

    for chosen in sets:
        if assemblies := {frozenset(each) for each in laid(chosen, frozenset(whole))}:
            classes = {frozenset(frozenset(image(body, m) for body in each) for m in motions) for each in assemblies}
            found[len(classes), len(assemblies)] += 1
    return found


@pytest.mark.full
@each_of("name", FAMILIES)
def test_sets_are_those_of_plain_enumeration(name, monkeypatch):
    truth = judged(FAMILIES[name])
    found = found_in(FAMILIES[name])
    assert found.complete
    assert Counter((one.assemblies, one.all) for one in found.sets.values()) == truth
    assert truth
    assert found.searched == found.family.choices
    # with parts, each piece in turn gets a fixed shape; sets that occur in several parts are counted once
    monkeypatch.setattr(piece_sets, "MAX_LISTED", 20)
    parts = found_in(FAMILIES[name])
    assert parts.searched == found.searched == parts.family.choices
    sets = [{s: (one.assemblies, one.all) for s, one in each.sets.items()} for each in (found, parts)]
    assert sets[0] == sets[1]


def pictured(cubes, free=()):
    """Draw a body of a burr, whose cubes are two apart."""
    every_cube = [*cubes, *free]
    low = [min(axis) for axis in zip(*every_cube, strict=True)]
    at = {tuple((c - a) // 2 for c, a in zip(cube, low, strict=True)): "+" if cube in free else "█" for cube in every_cube}
    x, y, z = (max(axis) + 1 for axis in zip(*at, strict=True))
    rows = [["".join(at.get((i, j, k), ".") for i in range(x)) for j in reversed(range(y))] for k in range(z)]
    return {"picture": "\n\n".join("\n".join(layer) for layer in rows)}


def form_of_rods(burr, optional):
    cubes = sorted({cube for rod in burr.rods for cube in rod.cubes})
    return {"atoms": [[c // 2 for c in cube] for cube in cubes], "optional": [[c // 2 for c in cube] for cube in optional]}


@pytest.mark.full
def test_the_rods_of_a_burr_are_pieces_with_free_cells():
    """The shared cubes of three rods are free: there are as many assemblies and sets as in the family of rods."""
    rods = {
        "title": "Three",
        "rods": {"x": [[1, 2, 2], [4, 3, 3]], "y": [[2, 1, 2], [3, 4, 2]], "z": [[3, 2, 1], [3, 3, 4]]},
        "mirrors": False,
    }
    one = burr_of(design_given(rods))
    everything = every(diagram_of(one, blocks_of(one)))
    pieces = {rod.name: pictured(rod.own, rod.shared) for rod in one.rods}
    found = found_in({"title": "Three", "form": form_of_rods(one, one.owners), "pieces": pieces})
    names = Counter(tuple(sorted(each)) for each in pieces_of(one, kept_by(one, canonical(one, everything))))
    assert found.all == len(everything)
    assert Counter(one.assemblies for one in found.sets.values()) == Counter(names.values())


@pytest.mark.full
def test_a_burr_with_one_piece_to_be_found():
    """Five pieces of a solid six-piece burr are given; the family of rods gives the number of sixth pieces."""
    one = burr_of(design_given("solid-six-piece-burrs"))
    given = ["1", "1024", "1024", "120", "928"]
    body = {names[kept]: rod.body(kept) for rod, names in zip(one.rods, one.piece_of, strict=True) for kept in rod.kept}
    pieces = {f"p{name}": pictured(body[name]) | {"copies": given.count(name)} for name in given}
    pieces["free"] = pictured(one.rods[0].own, one.rods[0].shared)
    found = found_in({"title": "One free", "form": form_of_rods(one, ()), "pieces": pieces})
    listed = []
    for free in range(len(one.rods)):  # each rod in turn may be any piece
        rods = [
            rod if i == free else replace(rod, kept=tuple(k for k in rod.kept if names[k] in given))
            for i, (rod, names) in enumerate(zip(one.rods, one.piece_of, strict=True))
        ]
        few = replace(one, rods=tuple(rods))
        listed.append(every(diagram_of(few, blocks_of(few))))
    chosen = canonical(one, np.concatenate(listed))
    sets = Counter(tuple(sorted(each)) for each in pieces_of(one, kept_by(one, chosen)))
    truth = Counter(number for each, number in sets.items() if not Counter(given) - Counter(each))
    assert sum(truth.values()) > 1
    assert Counter(one.assemblies for one in found.sets.values()) == truth


GRIDS = {
    "triangle": {"form": {"picture": "▲▼▲▼▲\n"}, "pieces": {"A": {"picture": "▲+\n"}, "B": {"picture": "+▼▲++\n"}}},
    "hexagon": {"form": {"picture": "⬢.⬢.⬢\n.⬢.⬢.\n⬢.⬡.⬡\n"}, "pieces": {"A": {"picture": "⬢.+\n.+\n"}, "B": {"picture": ".+.+\n⬢.⬢.+\n"}}},
    "balls": {"form": {"picture": ".●.\n●.●\n.●.\n"}, "pieces": {"A": {"picture": ".●\n+.\n"}, "B": {"picture": ".+.\n●.+\n"}}},
    "tans": {"form": {"picture": "██\n"}, "pieces": {"A": {"picture": "+◣\n"}, "B": {"picture": "◥\n"}}},
}


@each_of("grid", GRIDS, fast=1)
def test_other_grids(grid):
    """The assemblies of each set are counted again as solutions of a puzzle, whose placements come from other code."""
    found = found_in({"title": "Elsewhere", "grid": grid, "flips": True} | GRIDS[grid], apart=True, unique=1000)
    assert len(found.sets) > 0
    assert found.apart == found.assemblies == len(found.taken)
    assert found.confirmed == len(found.shown) == len(found.sets)


def test_no_set_fills_the_form():
    """All cells can be given to pieces, but only if a piece consists of two parts."""
    found = found_in(
        {"title": "None", "grid": "square", "form": {"box": [3, 1]}, "pieces": {"A": {"picture": "█++\n"}, "B": {"picture": "█\n"}}}
    )
    assert (found.complete, len(found.sets)) == (True, 1)
    none = found_in(
        {"title": "None", "grid": "square", "form": {"box": [2, 2]}, "pieces": {"A": {"picture": "█++\n"}, "B": {"picture": "█\n"}}}
    )
    assert (none.complete, len(none.sets), none.best, none.apart) == (True, 0, None, 0)
    assert "0 sets of pieces fill the form" in none.sentence


def test_a_wrong_count_is_found_out():
    found = found_in(ROOM)
    wrong = replace(found.best, all=found.best.all + 1)
    with pytest.raises(ContradictionError, match="two ways of counting"):
        piece_sets._confirm(found, wrong, Limits())


@each_of(
    "changed, said",
    [
        ({"pieces": {"A": {"picture": "++\n"}}}, "pieces.A: all its cells are free"),
        ({"pieces": {"A": {"picture": "█.█\n"}}}, "pieces.A: it is in one part for no choice"),
        ({"pieces": {"A": {"picture": "█" + "+" * 15}}}, "pieces.A: 15 free cells; expected 14 at most"),
        ({"pieces": {"A": {"picture": "█?"}}}, "pieces.A.picture: row 1, column 2"),
        ({"pieces": {name: {"picture": "█", "copies": 30} for name in "AB"}}, "60 pieces; expected 52"),
        ({"pieces": {"A": {"picture": "█+"}, "A-1": {"picture": "███"}}}, "rename the piece"),
        ({"grid": "square-edges"}, "for grids of cells alone"),
        ({"pieces": {f"P{i}": {"picture": "█+"} for i in range(53)}}, "pieces: expected 52 at most, got more"),
    ],
)
def test_what_is_wrong_with_pieces(changed, said):
    with pytest.raises((PuzzleError, NotSupportedError), match=said.replace("?", r"\?")):
        family_of(design_given(ROOM | changed))


GRID = """title = "Mine"
gram = [[1, 0], [0, {tall}]]
symmetries = {symmetries}
[[atoms]]
name = "f"
vertices = [["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]
[picture]
steps = [[1, 0], [0, 1]]
[[picture.sites]]
at = [0, 0]
glyphs = {{ "█" = ["f"] }}
"""


def with_grid_in(folder, tall, symmetries):
    folder.mkdir()
    (folder / "mine.toml").write_text(GRID.format(tall=tall, symmetries=symmetries), encoding="utf-8")
    design = folder / "design.toml"
    design.write_text('title = "x"\ngrid = "mine"\nform.box = [2, 2]\npieces.A = { picture = "█+", copies = 2 }\n', encoding="utf-8")
    return design_given(str(design))


@pytest.mark.full
def test_kept_answers_are_those_of_this_grid(tmp_path):
    asked = DesignOptions(apart=True, file=tmp_path / "kept.jsonl")
    assert [*designed_sets(with_grid_in(tmp_path / "one", 1, 8), asked, 1, Limits())][-1].all == 2
    with pytest.raises(PuzzleError, match="results for another puzzle"):
        [*designed_sets(with_grid_in(tmp_path / "other", 4, 4), asked, 1, Limits())]
