"""Why a puzzle has no solution: an argument is found, it is the simplest that there is, it is true, and its certificate is accepted."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import solution_set
from puzzlesat.config.library import instance_files
from puzzlesat.cover.build import build
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import StoppedError
from puzzlesat.proof.check.certificate import check_certificate
from puzzlesat.proof.prove import AREA, COLOURING, NOTHING_FITS, SEARCH, SOLVABLE, prove, write_finding
from puzzlesat.puzzle.load import load_puzzle
from puzzlesat.recheck import make_recheck
from puzzlesat.solvers.run import Limits

KINDS = {AREA: "weighting", COLOURING: "weighting", NOTHING_FITS: "removals", SEARCH: "tree"}
CHESSBOARD, BY_PROGRAMME = "chessboard", "by linear programming"
ARGUMENTS = {
    "bits-and-bytes-holes-no-turns": (SEARCH, None),
    "bits-and-bytes-no-turns": (COLOURING, BY_PROGRAMME),
    "heptiamonds-hexgrid-hexagon-x1": (COLOURING, BY_PROGRAMME),
    "hexiamonds-3x12": (SEARCH, None),
    "hexiamonds-4x10-long-butterfly": (COLOURING, BY_PROGRAMME),
    "hexiamonds-6x9-trapezoid": (COLOURING, CHESSBOARD),
    "hexiamonds-hexagon-4": (SEARCH, None),
    "hexiamonds-near-hexagram-x2": (COLOURING, BY_PROGRAMME),
    "hexiamonds-spinner-x1": (COLOURING, BY_PROGRAMME),
    "hexiamonds-spinner-x3": (COLOURING, CHESSBOARD),
    "hexiamonds-x-x2": (COLOURING, BY_PROGRAMME),
    "hexominoes-10x21": (COLOURING, CHESSBOARD),
    "hexominoes-14x15": (COLOURING, CHESSBOARD),
    "hexominoes-3x70": (COLOURING, CHESSBOARD),
    "hexominoes-5x42": (COLOURING, CHESSBOARD),
    "hexominoes-6x35": (COLOURING, CHESSBOARD),
    "hexominoes-7x30": (COLOURING, CHESSBOARD),
    "l-tetrominoes-10x10": (COLOURING, "stripes by y modulo 2"),
    "mutilated-board-6x6": (COLOURING, CHESSBOARD),
    "mutilated-chessboard": (COLOURING, CHESSBOARD),
    "one-sided-hexiamonds-compound-triangle-x1": (COLOURING, CHESSBOARD),
    "one-sided-hexiamonds-trefoil-x3": (COLOURING, CHESSBOARD),
    "one-sided-hexiamonds-triangle-12-x1": (COLOURING, CHESSBOARD),
    "one-sided-hexiamonds-triangle-x1": (COLOURING, CHESSBOARD),
    "pentominoes-trapezoid-x1": (COLOURING, "stripes by x + y modulo 4"),
    "polycubes-1-2-3-4-diamond-checkerboard": (COLOURING, CHESSBOARD),
    "solid-pentominoes-tower": (COLOURING, "stripes by x + z modulo 2"),
    "soma-bench": (SEARCH, None),
    "soma-w": (COLOURING, "cells modulo 2"),
    "straight-tetracubes-3x6x6": (COLOURING, "blocks of 2 × 2 × 2"),
    "straight-tetrahexes-6x6": (COLOURING, "cells modulo 2"),
    "straight-tetrominoes-10x10": (COLOURING, "blocks of 2 × 2"),
    "straight-tetrominoes-6x6": (COLOURING, "blocks of 2 × 2"),
    "t-tetracubes-3x3x4": (COLOURING, CHESSBOARD),
    "t-tetrominoes-10x10": (COLOURING, CHESSBOARD),
    "tetrahexes-hexagon-x1": (SEARCH, None),
    "tetrominoes-4x5": (COLOURING, CHESSBOARD),
}
"""The argument of well-known forms, and what is said of the weights where it is a colouring. A simpler one would be news."""
SLOW = {
    "bits-and-bytes-holes-no-turns",
    "hexiamonds-3x12",
    "hexiamonds-4x10-long-butterfly",
    "hexiamonds-near-hexagram-x2",
    "hexiamonds-spinner-x1",
    "hexiamonds-x-x2",
    "one-sided-hexiamonds-trefoil-x4",
    "one-sided-hexiamonds-trefoil-x5",
    "solid-pentominoes-crystal",
}
SLOW_FAMILIES = ("heptiamonds", "hexominoes")
"""More than about two seconds."""
TOO_LONG = {"heptiamonds-hexgrid-hexagon-x3", "heptiamonds-hexgrid-trefoil-x1"}
"""Nobody knows a short argument, and a search is not made here."""
BY_CHAINS = {
    "bee-tetrahexes-triangle-7",
    "hexiamonds-3-hexagons",
    "polytrigs-2-3-three-congruent-x3",
    "polytrigs-2-3-three-congruent-x3-crossing",
    "strips-of-six-triangles-hexagon-2",
    "tan-parallelograms-3x3",
    "tan-triangles-3x3",
    "tetrahexes-part-of-hexagon-ring",
    "tetrahexes-trefoil-x4",
    "tetrominoes-2x10",
    "triangles-of-four-6x3",
}
"""Where nothing fits: these have tests of their own."""


def impossible():
    """The names of the instances that are known to have no solution."""
    expected = {file.stem: load_puzzle(file).expect for file in instance_files()}
    return [name for name, e in expected.items() if 0 in (e.labelled, e.all, e.distinct) and name not in TOO_LONG | BY_CHAINS]


def marked(name):
    slow = name in SLOW or name.startswith(SLOW_FAMILIES)
    return pytest.param(name, marks=pytest.mark.slow if slow else ())


IMPOSSIBLE = impossible()


def confirm(case, finding, folder):
    """Write the certificate of an argument; it is accepted, of the kind that belongs to the argument, and claims that there is nothing."""
    path = folder / "some.proof"
    write_finding(case, finding, path, Limits())
    verified = check_certificate(path)
    assert verified.kind == KINDS[finding.argument]
    assert verified.counts.labelled in (0, None)
    assert (verified.counts.all, verified.counts.distinct) == (0, 0)
    assert (finding.weighting is not None) == (verified.kind == "weighting")
    assert finding.solution == ()
    assert finding.sentences[-1].endswith("so there is no solution.")
    return verified


def proved(text, folder):
    """The argument for a puzzle in words of its own, after its certificate was accepted."""
    file = folder / "some.toml"
    file.write_text(text, encoding="utf-8")
    case = make_case(build(load_puzzle(file)))
    finding = prove(case, Limits())
    assert solution_set(case.built.problem) == set()
    confirm(case, finding, folder)
    return finding


def test_the_table_names_what_is_there():
    assert ARGUMENTS.keys() <= set(IMPOSSIBLE)
    assert set(IMPOSSIBLE) >= SLOW
    assert len(IMPOSSIBLE) >= 40


@pytest.mark.parametrize("name", [marked(name) for name in IMPOSSIBLE])
def test_an_argument_is_found_for_what_is_known_to_be_impossible(name, tmp_path):
    case = make_case(build(load_puzzle(name)))
    finding = prove(case, Limits())
    confirm(case, finding, tmp_path)
    if name in ARGUMENTS:
        argument, title = ARGUMENTS[name]
        assert finding.argument == argument
        assert title is None or finding.weighting.title.endswith(title)
        assert (finding.picture is not None) >= (argument == COLOURING)


@pytest.mark.parametrize("name", ["soma", "tritetratan", "absolut-knifflig", "bits-and-bytes", "domino-and-square-3x2", "dominoes-4x4"])
def test_what_can_be_solved_is_solved(name, tmp_path):
    case = make_case(build(load_puzzle(name)))
    finding = prove(case, Limits())
    assert (finding.argument, finding.weighting, finding.contents) == (SOLVABLE, None, None)
    assert make_recheck(case.built.puzzle, case.built.placements)(np.array([sorted(finding.solution)], dtype=np.int32)) is None
    assert finding.picture is not None


SQUARES = 'title = "T"\ngrid = "square"\nflips = true\n'
DOMINO = '[tiles.D]\npicture = "##"\n'


@pytest.mark.parametrize("copies", ["3", "5", "[0, 3]", "[5, 9]"])
def test_a_wrong_area(copies, tmp_path):
    finding = proved(f"{SQUARES}{DOMINO}copies = {copies}\n[form]\nbox = [4, 2]\n", tmp_path)
    assert (finding.argument, finding.weighting.title, finding.picture) == (AREA, "area", None)
    assert "The form weighs 8 × 1 = 8." in finding.sentences


def test_an_odd_area(tmp_path):
    finding = proved(f'{SQUARES}{DOMINO}copies = "any"\n[form]\nbox = [5, 3]\n', tmp_path)
    assert (finding.argument, finding.weighting.title) == (AREA, "area")


def test_a_part_that_is_cut_off(tmp_path):
    """Eight squares, four dominoes, but in parts of five and three."""
    finding = proved(f'{SQUARES}{DOMINO}copies = 4\n[form]\npicture = """\n#####.###\n"""\n', tmp_path)
    assert (finding.argument, finding.weighting.title) == (AREA, "area of a part that is cut off")
    assert sorted(finding.weighting.weights) == [0] * 5 + [1] * 3
    assert finding.picture is not None


def test_limits_are_kept(tmp_path):
    """What no argument short of a search proves is not proved in no time."""
    case = make_case(build(load_puzzle("hexiamonds-hexagon-4")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("puzzlesat.proof.search.NODES_AT_ONCE", 100)
        with pytest.raises(StoppedError):
            prove(case, Limits(seconds=0))
