"""Count every instance of the package and compare with the expectations in its file."""

import pytest

from helpers import library
from puzzlesat.base import Limits, data_files
from puzzlesat.counting import Judgement, Verdict, read_twice
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.puzzles import ExpectTable, build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.solvers.registry import SOLVERS, listing, solver
from tiers import every


def names(text):
    """The names in a text."""
    return set(text.split())


SLOW = names("""
    kanoodle-pyramid bedlam bits-and-bytes-holes bits-and-bytes-no-sticks bits-and-bytes-optimized-holes
    bits-and-bytes-optimized-no-sticks dominoes-6x6-torus dominoes-8x8 heptiamonds-hexgrid-hexagon-x3 heptiamonds-hexgrid-trefoil-x1
    hex-sticks hexiamonds-most-solutions hexominoes-10x21 hexominoes-14x15 hexominoes-3x70 hexominoes-5x42 hexominoes-6x35 hexominoes-7x30
    l-tetrominoes-10x10 lozenges-hexagon-4 macmahon-squares-4x6 one-sided-hexiamonds-hexagram-hexagon-1 one-sided-hexiamonds-obeirne
    one-sided-hexiamonds-obeirne-b one-sided-hexiamonds-obeirne-f one-sided-pentominoes-5x18 one-sided-pentominoes-6x15
    one-sided-pentominoes-9x10 one-sided-polyiamonds-1-2-3-4-5-x pentominoes-3x20-moebius pentominoes-3x20-tube
    polyhexes-1-2-3-4-5-hexagon-ring-begun polykites-1-2-3-4-hexagon polyominoes-2-3-4-5-x polyominoes-4-5-8x10
    polyominoes-4-5-aztec-diamond polytrigs-2-3-triangle-stack-crossing six-piece-burr solid-pentominoes-3x4x5 solid-pentominoes-steps
    stones-and-bones-triangle-18 stones-and-bones-triangle-20 stones-and-bones-triangle-21 stones-triangle-21 stones-triangle-33
    tetris-cube y-pentominoes-15x15
""")
"""More than about three seconds with the backtracker and what checks it, or with the tally where that counts alone."""
TOO_MANY_TO_LIST = names("""
    hexiamonds-6x6-tube iq-puzzler-pro one-sided-hexiamonds-obeirne one-sided-pentominoes-5x18 one-sided-pentominoes-6x15
    one-sided-pentominoes-9x10 one-sided-polyiamonds-1-2-3-4-5-hexagon pentominoes-20x3-tube polyhexes-1-2-3-4-4x10 polyhexes-1-2-3-4-5x8
    polyhexes-1-2-3-4-6x7 polyhexes-1-2-3-4-irregular-hexagon polyhexes-1-2-3-4-ring polyhexes-1-2-3-4-triangle
    polyiamonds-1-2-3-4-5-irregular-hexagon polykites-1-2-3-4-hexagon polyominoes-2-3-4-5-x polyominoes-4-5-4x20 polyominoes-4-5-5x16
    polyominoes-4-5-8x10 polytrigs-2-3-triangle-stack-crossing stones-and-bones-triangle-11 stones-and-bones-triangle-12
    stones-and-bones-triangle-14 stones-and-bones-triangle-15 stones-and-bones-triangle-17 stones-and-bones-triangle-18
    stones-and-bones-triangle-20 stones-and-bones-triangle-21 stones-and-bones-triangle-9 stones-triangle-24 stones-triangle-26
    stones-triangle-33
""")
"""Too many for the backtracker."""
NEVER_COUNTED = {"polyhexes-1-2-3-4-5-hexagon-ring"}
"""Instances with too many solutions for every solver, and without expectations."""
TAKES_HOURS = {"one-sided-tetrasticks-diamond"}
"""Published, and left to those who have the time."""
EVERY_SOLVER = names("""
    seven-segment-digits-5x4 sliproad asterix-knobelei snub-square-tetraforms-lozenge truncated-square-forms-3x5 ball-room-1
    bee-tetrahexes-triangle-7 bits-and-bytes-optimized-holes-no-turns conway-packing diabolical-cube dominoes-4x4 dubois-burr
    heptiamonds-hexgrid-hexagon-x1 hexiamonds-trefoil hivert-8x8-one-sided instant-insanity iq-puzzler-pro kanoodle langford-7
    l-trominoes-6x6 lozenges-hexagon-3 one-sided-hexiamonds-triangle-12-x1 one-sided-pentominoes-3x30
    one-sided-polyiamonds-1-2-3-4-5-hexagon one-sided-polyominoes-2-3-4-octagon one-sided-polytwigs-1-2-3-triangle
    one-sided-welded-tetrasticks-triangle pentatwigs-5x3 pentominoes-3x20 pentominoes-and-square-cross
    polycubes-1-2-3-4-diamond-checkerboard polydrafters-1-2-3-4-triangle polyhexes-1-2-3-4-triangle polyiamonds-1-2-3-4-5-x
    polykites-1-2-4-trapezoid polyominoes-1-2-3-square polysticks-1-2-3-4x4 puzzle-a-day-october-6 quasi-ditrigs-triangle-stack queens-6
    slothouber-graatsma solid-pentominoes-2x3x10 soma-pyramid stomachion stones-and-bones-triangle-6 stones-triangle-12
    straight-tetracubes-3x6x6 straight-tetrahexes-6x6 straight-tetrominoes-6x6 strips-of-six-triangles-hexagon-2 t-tetracubes-3x3x4
    t-tetrominoes-4x4 tan-parallelograms-3x3 tan-triangles-3x3 tangram-square tetrahexes-flower-2 tetrarhombs-arch tetrasticks-6x6
    tetratwigs-arch tetrominoes-5x4-torus triangles-of-four-6x3 tridrafters-trapezoid trios-2x3x3 tritetratan tritrigs-stacked-hexagons
    y-pentominoes-5x10
""")
"""One of each family, which every solver counts or checks."""
PARTLY = names("""
    conway-packing heptiamonds-hexgrid-hexagon-x1 hivert-8x8-one-sided iq-puzzler-pro kanoodle one-sided-hexiamonds-triangle-12-x1
    one-sided-pentominoes-3x30 one-sided-polyiamonds-1-2-3-4-5-hexagon one-sided-polyominoes-2-3-4-octagon pentatwigs-5x3 pentominoes-3x20
    pentominoes-and-square-cross polydrafters-1-2-3-4-triangle polyhexes-1-2-3-4-triangle polyiamonds-1-2-3-4-5-x
    polykites-1-2-4-trapezoid solid-pentominoes-2x3x10 stomachion tetrasticks-6x6 tritetratan
""")
"""Instances on which SAT and the constraint model take longer than about two seconds: they check as far as a short time allows."""
QUICKEST = names("""
    asterix-knobelei ball-room-1 bee-tetrahexes-triangle-7 bits-and-bytes-optimized-holes-no-turns dominoes-4x4 dubois-burr
    instant-insanity l-trominoes-6x6 langford-7 lozenges-hexagon-3 one-sided-polytwigs-1-2-3-triangle
    one-sided-welded-tetrasticks-triangle polycubes-1-2-3-4-diamond-checkerboard polyominoes-1-2-3-square polysticks-1-2-3-4x4
    quasi-ditrigs-triangle-stack queens-6 sliproad slothouber-graatsma snub-square-tetraforms-lozenge soma-pyramid
    stones-and-bones-triangle-6 stones-triangle-12 straight-tetracubes-3x6x6 straight-tetrahexes-6x6 straight-tetrominoes-6x6
    strips-of-six-triangles-hexagon-2 t-tetracubes-3x3x4 t-tetrominoes-4x4 tan-parallelograms-3x3 tan-triangles-3x3 tangram-square
    tetrahexes-flower-2 tetrarhombs-arch tetratwigs-arch triangles-of-four-6x3 trios-2x3x3 truncated-square-forms-3x5 y-pentominoes-5x10
""")
"""Instances that all solvers together count within a second: the fast tier has these."""
FOUNDING = {
    "tritetratan": {"all": 124, "distinct": 31},
    "octogram": {"all": 129_168, "distinct": 16_146},
    "absolut-knifflig": {"all": 148, "distinct": 37},
    "bits-and-bytes": {"labelled": 12_496, "distinct": 1562},
}
"""The puzzles that the program was written for, and their counts."""
SECONDS_TO_CHECK = 0.3
SECONDS_TO_CHECK_SLOW = 60.0
MAX_SECONDS_OF_ALL = 120.0
"""A solver that takes longer fails by the name of the instance."""
AT_A_TIME = 24
"""Instances that are one test."""

INSTANCES = {f.stem: f for f in data_files("instances") if "\nbest = " not in f.read_text(encoding="utf-8")}
"""All but those that ask for the best (see ``test_best``)."""


def parts_of_families():
    """The instances that are not slow, by family; large families are divided."""
    found = {}
    for name, file in INSTANCES.items():
        if name not in SLOW | NEVER_COUNTED | TAKES_HOURS:
            found.setdefault(file.parent.name, []).append(name)
    return {f"{family} from {i + 1}": some[i : i + AT_A_TIME] for family, some in found.items() for i in range(0, len(some), AT_A_TIME)}


# the solution printed by Logelium, with the atoms of each placement as a bit array
TRITETRATAN = """
Z.1@1.1=A00000F000014000000000000000000000 K.2@1.1=5F00000C00000000000000000000000000
Q.1@3.1=00F0000168000000000000000000000000 F.1@4.1=000F000017000000000000000000000000
H.1@5.1=0000FF0000000000000000000000000000 R.3@3.2=00000002800017C0000000000000000000
C.3@5.2=0000000000F00005000000000000000000 M.3@6.2=00000000000C0000F00001400000000000
G.8@1.3=000000000002A80005C000000000000000 B.1@4.3=0000000000000030000F00000000000000
I.6@5.3=000000000000000A000016800005000000 V.3@1.4=00000000000000000A3000170000000000
S.2@4.4=00000000000000000000E8001700000000 W.4@1.5=0000000000000000000000280000FA0000
X.1@2.5=000000000000000000000000E80005C000 D.1@4.5=00000000000000000000000000C0003C00
J.2@5.5=000000000000000000000000003A0003C0 A.3@5.6=000000000000000000000000000000003F
"""


def hold_against_expectations(report):
    assert report.complete
    assert report.burnside
    assert not report.disagreements
    assert report.twice.alike is True
    found = Judgement(report).verdicts
    assert found, "the file expects nothing"
    assert {v.what: v.got for v in found} == {v.what: v.expected for v in found}
    assert all(v.word == Verdict.CONFIRMED for v in found)
    assert all(r.word == Verdict.REFUTED for r in Judgement(report).refutations)


def test_names_of_instances_exist_and_each_family_with_a_quick_one_is_counted_by_every_solver():
    assert INSTANCES.keys() >= SLOW | TOO_MANY_TO_LIST | NEVER_COUNTED | TAKES_HOURS | EVERY_SOLVER
    quick = {file.parent.name for name, file in INSTANCES.items() if name not in SLOW | NEVER_COUNTED | TAKES_HOURS}
    assert sorted(INSTANCES[name].parent.name for name in EVERY_SOLVER) == sorted(quick)
    assert QUICKEST <= EVERY_SOLVER - PARTLY


def test_all_others_expect_something():
    expect_nothing = {name for name, instance in library().items() if instance.expect == ExpectTable()}
    assert expect_nothing == NEVER_COUNTED


@pytest.mark.slow
@every("name", sorted(SLOW | NEVER_COUNTED | TAKES_HOURS))
def test_instances_that_take_long_are_read_twice_alike(name):
    reading = read_twice(build_instance(load_instance(INSTANCES[name])))
    assert (reading.differences, reading.why) == ((), None)


def has_the_counts_it_expects(name, wanted=None):
    """By default the backtracker counts, and the tally and SAT check as much as a short time allows; or only the given solver counts.

    For one instance of each family, every solver counts all, or as much as a short time allows.
    """
    solvers = ("backtrack", "tally", "sat") if wanted is None else (wanted,)
    if name in TOO_MANY_TO_LIST:
        solvers = ("tally",)
    by_all = name in EVERY_SOLVER and wanted is None
    if by_all:
        solvers = (*solvers, *(other for other in SOLVERS if other not in solvers))
    budget = SECONDS_TO_CHECK_SLOW if name in SLOW else SECONDS_TO_CHECK
    limits = Limits(seconds=MAX_SECONDS_OF_ALL) if by_all else Limits()
    plan = Plan(solvers=solvers, budget=budget, full=by_all and name not in PARTLY, limits=limits)
    report = count(load_instance(INSTANCES[name]), plan)
    hold_against_expectations(report)
    if by_all and name not in PARTLY:
        assert {row.solver: row.all for row in report.rows} == dict.fromkeys(SOLVERS, report.counts.all)


@every("name", sorted(QUICKEST))
def test_every_solver_counts_a_quick_instance(name, solvers_wanted):
    has_the_counts_it_expects(name, solvers_wanted)


@pytest.mark.full
@pytest.mark.parametrize("part", (parts := parts_of_families()).values(), ids=parts)
def test_instances_have_the_counts_they_expect(part, solvers_wanted):
    every("name", part)(has_the_counts_it_expects)(wanted=solvers_wanted)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW))
def test_slow_instance_has_the_counts_it_expects(name, solvers_wanted):
    has_the_counts_it_expects(name, solvers_wanted)


@every(("name", "known"), FOUNDING.items())
def test_founding_puzzles(name, known):
    report = count(load_instance(name), Plan(solvers=("backtrack",)))
    assert {key: getattr(report.counts, key) for key in known} == known
    assert (report.complete, report.burnside) == (True, True)


def test_printed_solution_of_tritetratan_bit_array_by_bit_array():
    built = build_instance(load_instance("tritetratan"))
    printed = dict(entry.split("=") for entry in TRITETRATAN.split())
    options = built.options_by_name(printed)
    assert {built.problem.options[o]: built.bit_array(o) for o in options} == printed
    assert sum(int(bits, 16) for bits in printed.values()) == (1 << 136) - 1
    assert sorted(built.instance.expect.solution) == sorted(printed)


@every("name", listing(), fast=("backtrack",))
def test_printed_solution_of_tritetratan_is_found(name):
    built = build_instance(load_instance("tritetratan"))
    options = built.options_by_name(entry.split("=")[0] for entry in TRITETRATAN.split())
    blocks = []
    outcome = solver(name)(built.problem)(blocks.append, Limits(), given=options[:3])
    assert outcome.complete
    assert sorted(options) in [[o for o in row if o >= 0] for block in blocks for row in block.tolist()]
