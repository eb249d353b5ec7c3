"""Pictures of the puzzle as a certificate states it: form and tiles are visible for all grids, names and coordinates."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path

from test_mutations import CERTIFICATES, as_zip, certificate

import puzzlesat
from puzzlesat.base.package import data_files
from puzzlesat.checker.__main__ import main
from puzzlesat.checker.certificate import puzzle_lines
from puzzlesat.checker.puzzle import read_puzzle
from puzzlesat.proofs.case import make_case
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.grids import load_grid
from puzzlesat.puzzles.library import find_grid
from puzzlesat.puzzles.load import load_instance
from tiers import every


@cache
def stated(name):
    return json.loads(json.dumps(make_case(build_instance(load_instance(name))).stated))


def lines_of(said):
    return puzzle_lines(read_puzzle(said))


def below(lines, label):
    """Return the lines of a part after its first, without the column on their left."""
    at = next(i for i, line in enumerate(lines) if line.startswith(f"  {label:<14}"))
    rest = lines[at + 1 :]
    more = next((i for i, line in enumerate(rest) if not line.startswith(" " * 16)), len(rest))
    return lines[at], [line[16:] for line in rest[:more]]


def test_squares_are_drawn_as_they_lie():
    first, drawn = below(lines_of(stated("mutilated-chessboard")), "form")
    assert first.endswith("62 atoms that must be covered")
    assert [line.replace(" ", "") for line in drawn] in (
        [".#######", *["########"] * 6, "#######."],
        ["#######.", *["########"] * 6, ".#######"],
    )
    first, drawn = below(lines_of(stated("mutilated-chessboard")), "tile D")
    assert ("2 atoms" in first, "".join(drawn).count("#")) == (True, 2)


DRAWN = "tritetratan", "trios-ball", "tetrasticks-6x6", "absolut-knifflig", "snub-square-tetraforms-wheel", "dubois-burr", "octogram"


@every("name", DRAWN, fast=1)
def test_every_atom_is_drawn_whatever_the_cell_is_made_of(name):
    said = stated(name)
    lines = lines_of(said)
    drawn = "".join(below(lines, "form")[1])
    assert drawn.count("#") + sum(int(c) for c in drawn if c.isdigit()) == len(said["required"])
    assert f"{len(said['required'])} atom" in below(lines, "form")[0]
    for tile in said["tiles"]:
        first, drawn = below(lines, f"tile {tile['name']}")
        picture = [line for line in drawn if set(line) <= set("#. 123456789")]
        assert "".join(picture).count("#") + sum(int(c) for c in "".join(picture) if c.isdigit()) == len(tile["atoms"])
        assert f"{len(tile['atoms'])} atom" in first


@every("name", sorted({name for name, _ in CERTIFICATES}), fast=("rules", "named"))
def test_what_is_stated_is_shown(name):
    """Every change that affects the counts changes the pictures."""
    said = next(certificate(n, kind).said for n, kind in CERTIFICATES if n == name)["puzzle"]
    lines = lines_of(said)
    assert all(line.isprintable() for line in lines)
    for label, number in (
        ("tile ", len(said["tiles"])),
        ("rule ", len(said["rules"])),
        ("fixed ", len(said["fixed"])),
        ("kept ", bool(said["keep"])),
    ):
        assert sum(line.startswith(f"  {label}") for line in lines) == number
    text = " ".join(" ".join(lines).split())
    for rule in said["rules"]:
        assert f"{rule['name']}: " in text
        if "kind" not in rule:
            assert (f"add up to {rule['low']} to {rule['high']}" if not rule["modulus"] else f"{rule['residue']} modulo") in text
        else:
            assert rule["kind"] in text
    for mark in {*said["mates"], *said["fits"]}:
        assert mark in text
    flipped = {**said, "mirrored": not said["mirrored"]}
    assert lines_of(flipped) != lines


def test_what_is_far_apart_is_told_and_not_drawn():
    said = deepcopy(stated("mutilated-chessboard"))
    said["required"][0] = [1 << 60, -(1 << 60), 0]
    first, drawn = below(lines_of(said), "form")
    assert first.endswith("62 atoms that must be covered")
    assert drawn == [f"(too far apart to draw: from (1 {-(1 << 60)}) to ({1 << 60} 8))"]


def test_the_stand_alone_checker_shows_it_before_it_accepts(tmp_path, capsys):
    path = tmp_path / "some.proof"
    cert = certificate("dominoes", "tree")
    said = deepcopy(cert.said)
    said["puzzle"]["name"] = "tritetratan"
    path.write_bytes(as_zip(said, cert.members).getvalue())
    assert main([str(path)]) == 0
    shown, accepted, behind = capsys.readouterr().out.partition(f"{path}: accepted\n")
    assert shown.splitlines()[:3] == [
        f"{path}: the puzzle that it states", "  puzzle        tritetratan",
        "                (this name is only what the file calls itself; look at form and tiles)",
    ]  # fmt: skip
    assert f"{len(said['puzzle']['required'])} atoms that must be covered" in shown
    assert "nothing confirms them" in behind and accepted


@every("grid", sorted(p.stem for p in data_files("grids") if p.stem != "balls"), fast=("square", "tans"))
def test_one_atom_of_any_grid_is_drawn(grid):
    """The atoms of a cell lie at different places in different layers. A single ball turns in more ways than certificates state."""
    atoms = load_grid(find_grid(grid, Path("nowhere"))).atoms
    for atom in [atom for atom in atoms if atom.kind == atoms[0].kind][:6]:
        one = {"atoms": [[0] * len(atom.vertices[0]) + [atom.name]]}
        instance = puzzlesat.load({"title": "one", "grid": grid, "flips": True, "turns": "all", "tiles": {"T": one}, "form": one})
        said = json.loads(json.dumps(make_case(build_instance(instance)).stated))
        assert "".join(below(lines_of(said), "form")[1]).count("#") == 1
