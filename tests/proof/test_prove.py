"""Proofs that a puzzle has no solution: the simplest argument is found, it is true, and its certificate is accepted."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from brute_force import TooMuch, judge
from compare import as_judged
from helpers import library, load, solution_set
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.pages.form_sheet import finding_text
from puzzlesat.proofs import SearchStoppedError, make_case, solution_check
from puzzlesat.proofs.arguments import AREA, COLOURING, CONDITION, NOTHING_FITS, SEARCH, SOLVABLE, WEIGHTS, prove
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from strategies import puzzles, to_toml
from tiers import every

KINDS = {AREA: "weighting", CONDITION: "tree", COLOURING: "weighting", NOTHING_FITS: "removals", WEIGHTS: "bound", SEARCH: "tree"}
CHESSBOARD, BY_PROGRAMME = "chessboard", "by linear programming"
ARGUMENTS = {
    (NOTHING_FITS, None): "bee-tetrahexes-triangle-7 hexiamonds-3-hexagons polytrigs-2-3-three-congruent-x3 "
    "strips-of-six-triangles-hexagon-2 tan-parallelograms-3x3 tan-triangles-3x3 "
    "tetrahexes-part-of-hexagon-ring tetrahexes-trefoil-x4 tetrominoes-2x10 triangles-of-four-6x3",
    (SEARCH, None): "hexiamonds-3x12 hexiamonds-hexagon-4 soma-bench tetrahexes-hexagon-x1",
    (COLOURING, BY_PROGRAMME): "bits-and-bytes-no-turns heptiamonds-hexgrid-hexagon-x1 hexiamonds-4x10-long-butterfly "
    "hexiamonds-near-hexagram-x2 hexiamonds-spinner-x1 hexiamonds-x-x2",
    (COLOURING, CHESSBOARD): "hexiamonds-6x9-trapezoid hexiamonds-spinner-x3 hexominoes-10x21 hexominoes-14x15 hexominoes-3x70 "
    "hexominoes-5x42 hexominoes-6x35 hexominoes-7x30 mutilated-board-6x6 mutilated-chessboard one-sided-hexiamonds-compound-triangle-x1 "
    "one-sided-hexiamonds-trefoil-x3 one-sided-hexiamonds-triangle-12-x1 one-sided-hexiamonds-triangle-x1 "
    "polycubes-1-2-3-4-diamond-checkerboard t-tetracubes-3x3x4 t-tetrominoes-10x10 tetradrafters-hexagon tetrominoes-4x5",
    (COLOURING, "stripes by y modulo 2"): "l-tetrominoes-10x10",
    (COLOURING, "stripes by x + y modulo 4"): "pentominoes-trapezoid-x1",
    (COLOURING, "stripes by x + z modulo 2"): "solid-pentominoes-tower",
    (COLOURING, "cells modulo 2"): "soma-w straight-tetrahexes-6x6",
    (COLOURING, "blocks of 2 × 2 × 2"): "straight-tetracubes-3x6x6",
    (COLOURING, "blocks of 2 × 2"): "straight-tetrominoes-10x10 straight-tetrominoes-6x6",
    (COLOURING, "atoms of a cell"): "tetrakites-flower",
}
ARGUMENTS = {name: argument for argument, names in ARGUMENTS.items() for name in names.split()}
"""Arguments for well-known forms, and the message about the weights if it is a colouring. A simpler argument would be news."""
SLOW = {
    "bits-and-bytes-holes-no-turns", "hexiamonds-3x12", "hexiamonds-4x10-long-butterfly", "hexiamonds-near-hexagram-x2",
    "hexiamonds-spinner-x1", "hexiamonds-x-x2", "one-sided-hexiamonds-trefoil-x4", "one-sided-hexiamonds-trefoil-x5",
    "solid-pentominoes-crystal", "hexiamonds-x-x1-a", "hexiamonds-x-x1-c", "tridrafters-trapezoid",
}  # fmt: skip
SLOW_FAMILIES = ("heptiamonds", "hexominoes")
"""Families that take more than about two seconds."""
FAST = "mutilated-board-6x6", "tetrominoes-2x10"
TOO_LONG = {"heptiamonds-hexgrid-hexagon-x3", "heptiamonds-hexgrid-trefoil-x1"}
"""No short argument is known, and a search takes too long here."""


IMPOSSIBLE = [
    name
    for name, known in library().items()
    if not known.form.wrap and not known.solutions.fault_free and name not in TOO_LONG
    if 0 in (known.expect.labelled, known.expect.all, known.expect.distinct)
]
"""The instances that are known to have no solution, except those that proofs do not support: forms that wrap around, fault lines."""
OFTEN = [name for name in IMPOSSIBLE if name not in SLOW and not name.startswith(SLOW_FAMILIES)]
PARTS = 3
"""Workers that share them."""


def confirm(case, finding, folder):
    """Write the certificate of an argument; it is accepted, of the kind that belongs to the argument, and claims that there is nothing."""
    path = folder / "some.proof"
    finding.write(case, path, Limits())
    verified = check_certificate(path)
    assert verified.kind == KINDS.get(finding.argument, verified.kind)
    assert verified.counts.labelled in (0, None)
    assert (verified.counts.all, verified.counts.distinct) == (0, 0)
    assert (finding.weighting is not None) == (verified.kind == "weighting")
    assert finding.solution == ()
    return verified


def proved(text, folder):
    """The argument for a puzzle, given as text, after its certificate was accepted."""
    file = folder / "some.toml"
    file.write_text(text, encoding="utf-8")
    case = make_case(build_instance(load_instance(file)))
    finding = prove(case, Limits())
    assert solution_set(case.built.problem) == set()
    confirm(case, finding, folder)
    assert finding.sentences[-1].endswith("so there is no solution.")
    return finding


def test_the_table_names_what_is_there():
    assert ARGUMENTS.keys() <= set(IMPOSSIBLE)
    assert set(IMPOSSIBLE) >= SLOW
    assert len(IMPOSSIBLE) >= 50


def demand_an_argument(name, folder):
    case = make_case(build_instance(load_instance(name)))
    finding = prove(case, Limits())
    confirm(case, finding, folder)
    assert finding.sentences[-1].endswith("so there is no solution.")
    if name in ARGUMENTS:
        argument, title = ARGUMENTS[name]
        assert finding.argument == argument
        assert title is None or finding.weighting.title.endswith(title)
        assert (finding_text(case.built, finding) is not None) >= (argument == COLOURING)


@every("name", FAST)
def test_an_argument_is_found(name, tmp_path):
    demand_an_argument(name, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_an_argument_is_found_for_what_is_known_to_be_impossible(part, tmp_path):
    @every("name", OFTEN[part::PARTS])
    def each(name, tmp_path):
        demand_an_argument(name, tmp_path)

    each(tmp_path=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in IMPOSSIBLE if name not in OFTEN])
def test_an_argument_is_found_after_some_time(name, tmp_path):
    demand_an_argument(name, tmp_path)


SOLVED = "dominoes-4x4", "domino-and-square-3x2", "soma", "tritetratan", "absolut-knifflig", "bits-and-bytes"


@every("name", SOLVED, fast=1)
def test_what_can_be_solved_is_solved(name):
    case = make_case(build_instance(load_instance(name)))
    finding = prove(case, Limits())
    assert (finding.argument, finding.weighting, finding.contents) == (SOLVABLE, None, None)
    assert solution_check(case.built)(np.array([sorted(finding.solution)], dtype=np.int32)) is None
    assert finding_text(case.built, finding).plain.strip()


SQUARES = 'title = "T"\ngrid = "square"\nflips = true\n'
DOMINO = '[tiles.D]\npicture = "##"\n'


@every("copies", ["3", "5", "[0, 3]", "[5, 9]", '"any"'], fast=2)
def test_a_wrong_area(copies, tmp_path):
    """The last area is odd, so dominoes cannot fill it."""
    side = 5 if copies == '"any"' else 4
    finding = proved(f"{SQUARES}{DOMINO}copies = {copies}\n[form]\nbox = [{side}, {side // 2 + side % 2}]\n", tmp_path)
    assert (finding.argument, finding.weighting.title, finding.shown) == (AREA, "area", None)
    assert ("The form weighs 8 × 1 = 8." in finding.sentences) == (side == 4)


def test_a_part_that_is_cut_off(tmp_path):
    """Eight squares for four dominoes, but in parts of five and three."""
    finding = proved(f'{SQUARES}{DOMINO}copies = 4\n[form]\npicture = """\n#####.###\n"""\n', tmp_path)
    assert (finding.argument, finding.weighting.title) == (AREA, "area of a part that is cut off")
    assert sorted(finding.weighting.weights) == [0] * 5 + [1] * 3
    assert finding.shown is not None


@every(
    "text, sentence",
    [
        (
            '[tiles.I]\npicture = "###"\ncopies = 2\n[form]\npicture = """\n####\n##..\n"""\n',
            "No placement covers atom [1, 1], which needs one; so",
        ),
        (
            f'{DOMINO}copies = 2\n[tiles.I]\npicture = "####"\n[form]\npicture = """\n###\n###\n##.\n"""\n',
            "There is no placement for tile I, which needs",
        ),
        # each end of the T needs a domino on the square in the middle
        (f'{DOMINO}copies = 2\n[form]\npicture = """\n###\n.#.\n"""\n', "cannot be used: it would leave nothing for atom "),
    ],
)
def test_what_fits_nowhere(text, sentence, tmp_path):
    finding = proved(SQUARES + text, tmp_path)
    assert finding.argument == NOTHING_FITS
    assert sentence in finding.sentences[0]
    assert (finding.contents.removals != []) == ("cannot be used" in sentence)


@pytest.mark.full
def test_limits_are_kept(tmp_path):
    """A proof that needs a search is not found without time."""
    case = make_case(build_instance(load_instance("hexiamonds-hexagon-4")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("puzzlesat.solvers.backtrack.RECORDS_AT_ONCE", 100)
        with pytest.raises(SearchStoppedError):
            prove(case, Limits(seconds=0))


@given(table=puzzles(ruled=True), less=st.integers(0, 1000))
def test_random_puzzles(table, less):
    """Half of the forms lack an atom, so many of these puzzles are impossible."""
    if less % 2 and "atoms" in table["form"] and len(table["form"]["atoms"]) > 1:
        atoms = list(table["form"]["atoms"])
        gone = atoms.pop(less % len(atoms))
        named = {key: [a for a in table["form"][key] if a != gone] for key in ("optional", "remove") if key in table["form"]}
        table = {**table, "form": {**table["form"], **named, "atoms": atoms}}
    note(to_toml(table))
    try:
        case = make_case(build_instance(load(table)))  # raises if nothing is left of the form, which the judge accepts
        judged = judge(table)
    except (TooMuch, PuzzleError):
        assume(False)
    finding = prove(case, Limits())
    if finding.argument == SOLVABLE:
        assert as_judged(judged, case.built, [finding.solution]) <= judged.solutions
    else:
        note(f"{finding.argument}: {finding.sentences}")
        assert judged.all == 0
        with tempfile.TemporaryDirectory() as folder:
            confirm(case, finding, Path(folder))
