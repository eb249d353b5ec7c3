"""Compare all counting code with the judge, on one random puzzle."""

import tempfile
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np

from brute_force import count_up_to, judge, keeps_conditions, lying
from helpers import adding_to, body, load, solution_set
from puzzlesat.base import SILENT, Limits, NotSupportedError, padded_rows
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.counting import Plan, count, read_twice, tallied
from puzzlesat.counting.comparison import check_fixed
from puzzlesat.counting.counts import Counts, SolutionCounter
from puzzlesat.counting.second_figures import figures_again
from puzzlesat.pictures.flat import puzzle_svg, solution_svg
from puzzlesat.proofs import make_case, solution_check
from puzzlesat.proofs.certificates import MAX_BY_TREE, certify
from puzzlesat.puzzles import build_instance, reduce
from puzzlesat.solvers import SOLVERS, backtrack, in_order, listing, numbering, solver
from tally_ways import WAYS, tally_by

LISTING = [*listing(), *(f"backtrack:{layout}" for layout in backtrack.LAYOUTS)]


def judged_and_built(table, fixed_number=None):
    """Return the judge's result and the program's puzzle for a table, perhaps with one placement fixed; the judge may raise TooMuch."""
    built, fixed = built_with_fixed(table, fixed_number)
    judged = judge(table, fixed)
    if len(built.placements) == judged.placements:
        check_symmetries(judged, built)
    return judged, built


def check_symmetries(judged, built):
    """Check that each symmetry of the program keeps the conditions on every covering; then let the judge count up to these symmetries.

    The judge may know more motions that keep the conditions on all coverings that exist. None of them may keep the conditions by their
    definition.
    """
    number = {placed: i for i, placed in enumerate(judged.laid)}
    mine = [number[placed] for placed in placements_as_judged(judged, built)]
    used = set()
    for name, image in zip(built.problem.symmetries, built.problem.images.tolist(), strict=True):
        permutation = [0] * len(mine)
        for p, q in enumerate(image):
            permutation[mine[p]] = mine[q]
        assert keeps_conditions(judged, permutation), f"{name} does not keep the conditions"
        used.add(tuple(permutation))
    if built.puzzle.grid.of_balls:
        return  # the judge knows only motions of balls that map the whole packing to itself
    more = [g for g in judged.symmetries if tuple(g) not in used]
    assert not any(map(judged.conditions.should_keep, more)), "the program does not use a motion that keeps the conditions"
    judged.symmetries = [g for g in judged.symmetries if tuple(g) in used]
    count_up_to(judged, judged.symmetries)


def placements_as_judged(judged, built):
    """The program's placements in the judge's notation."""
    piece = {name: i for i, p in enumerate(judged.pieces) for name in p.names}
    tiles = built.puzzle.tiles
    return [(piece[tiles[p.tile].name], *lying(judged.seams, *body(built.puzzle.grid, p))) for p in built.placements]


def built_with_fixed(table, fixed_number=None):
    """Build the puzzle of a table, perhaps with one placement fixed; also return the fixed placement in the judge's notation."""
    built = build_instance(load(table))
    if fixed_number is None or not built.placements:
        return built, []
    chosen = built.placements[fixed_number % len(built.placements)]
    fixed = [(built.puzzle.tiles[chosen.tile].name, body(built.puzzle.grid, chosen))]
    return build_instance(load({**table, "form": {**table["form"], "fixed": [chosen.name]}})), fixed


def as_judged(judged, built, solutions):
    """The program's solutions in the judge's notation."""
    seen = placements_as_judged(judged, built)
    return {frozenset(seen[o] for o in s) for s in solutions}


def shares(fixed, wraps):
    """Return how many solutions each symmetry fixes; as shares if the form wraps around, where equal motions may be listed repeatedly."""
    counted = Counter(fixed)
    return {n: Fraction(times, len(fixed) if wraps else 1) for n, times in counted.items()}


def check_counts(judged, built, reduced, name="backtrack"):
    """Count by the stream of solutions of a reduced problem, and compare every number."""
    counter = SolutionCounter(built, reduced)
    solver(name)(reduced)(adding_to(counter), Limits())
    counts = counter.counts()
    assert counter.burnside()
    assert counts.all == judged.all
    assert counts.labelled == judged.labelled
    assert counts.split == judged.split
    assert counts.split_labelled == judged.split_labelled
    if built.puzzle.grid.of_balls:
        return  # the judge knows only motions of balls that map the whole packing to itself
    assert counts.distinct == judged.distinct
    wraps = built.puzzle.form.wrap is not None
    assert shares(counts.fixed.values(), wraps) == shares(judged.fixed, wraps)
    if judged.labelled_distinct is not None or judged.labelled is None:
        assert counts.labelled_distinct == judged.labelled_distinct


def check_small(table):
    """Count a puzzle as it is and with its symmetry broken, and compare every number with the judge's result, which is returned."""
    judged, built = judged_and_built(table)
    for problem in (built.problem, reduce(built.problem).problem):
        check_counts(judged, built, problem)
    check_second_counts(judged, built)
    return judged


def check_second_counts(judged, built):
    """Check the numbers derived from the solutions a second way, and the solutions fixed by symmetries against the checker."""
    if not judged.all:
        return  # every count is 0, even undefined ones
    again = figures_again(built, padded_rows(sorted(solution_set(built.problem))), bool)
    for name in ("all", "labelled", "split", "split_labelled"):
        assert (name, again.get(name)) == (name, getattr(judged, name))
    expected = again["fixed"] if judged.all % 2 else dict.fromkeys(again["fixed"], MAX_BY_TREE + 1)
    assert check_fixed(built, Counts(all=judged.all, fixed=expected), Limits(), SILENT) == again["fixed"]
    if built.puzzle.grid.of_balls:
        return  # the judge knows only motions of balls that map the whole packing to itself
    wraps = built.puzzle.form.wrap is not None
    assert again["distinct"] == judged.distinct
    assert shares(again["fixed"].values(), wraps) == shares(judged.fixed, wraps)
    assert judged.labelled_distinct is None or again["labelled_distinct"] == judged.labelled_distinct


def check_count_without_listing(judged, built, name):
    """Count without listing, whole and by Burnside's lemma, where the solver can."""
    try:
        found = tallied(name, built, built.problem, Limits())
    except NotSupportedError:
        return
    assert found.outcome.complete
    assert found.counts.all == judged.all
    assert found.counts.labelled in (None, judged.labelled)
    assert found.burnside is not False
    if found.counts.distinct is not None and not built.puzzle.grid.of_balls:
        assert found.counts.distinct == judged.distinct


def check_numbers(built, found, name):
    """Each number gives one solution, in the order of the sorted list of all."""
    try:
        outcome, find = numbering(name)(built.problem.without_implied(), Limits())
    except NotSupportedError:
        return
    numbered = [find(number) for number in range(outcome.found)]
    assert outcome.complete
    assert len(numbered) == len(found)
    assert set(numbered) == set(found)
    rows = in_order(built.problem, padded_rows(sorted(found))) if found else []
    assert [tuple(o for o in row if o >= 0) for row in map(np.ndarray.tolist, rows)] == numbered


def check_ways_of_the_tally(judged, built):
    """Count the whole in shards, in parts, by a sweep, on a disk and so on; different puzzles try different ways."""
    for way in list(WAYS)[judged.placements % 5 :: 5]:
        with tally_by(way) as limits, suppress(NotSupportedError):
            outcome = solver("tally")(built.problem)(None, limits)
            assert (outcome.found, outcome.complete) == (judged.all, True), way


def check_report(judged, built):
    """Count as the command does."""
    report = count(built.instance, Plan(budget=20.0, transformed=built.puzzle.form.wrap is None))
    assert report.complete
    assert not report.disagreements, report.disagreements
    assert report.counts.all == judged.all
    if not built.puzzle.grid.of_balls:
        assert report.counts.distinct == judged.distinct


def check_certificate_of(judged, built):
    """A certificate of the search is accepted, with the same counts."""
    try:
        case = make_case(built)
    except NotSupportedError:
        assert built.puzzle.form.wrap is not None or built.puzzle.grid.of_balls
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.proof"
        certify(case, path, "tree", Limits())
        counts = check_certificate(path).counts
    assert counts.all == judged.all
    assert counts.labelled == judged.labelled
    if not built.puzzle.grid.of_balls:
        assert counts.distinct == judged.distinct


def check_pictures(built, found):
    """A solution, and the puzzle with its tiles, can be drawn, wherever the pieces lie and however the form wraps around."""
    puzzle_svg(built)
    for solution in sorted(found)[:1]:
        assert solution_svg(built, solution).startswith("<svg")


def check_everything(table, fixed_number=None, thorough=True):
    """Raise AssertionError if anything differs from the judge, and TooMuch if the judge gives up; return the judge's result."""
    judged, built = judged_and_built(table, fixed_number)
    assert len(built.placements) == judged.placements
    reading = read_twice(built)
    assert (reading.differences, reading.why) == ((), None)
    recheck = solution_check(built)
    reduced = reduce(built.problem, break_on=built.instance.break_on)
    for name in LISTING:
        found = solution_set(built.problem, name)
        assert as_judged(judged, built, found) == judged.solutions, name
        check_counts(judged, built, reduced.problem, name)
    for solution in found:
        wrong = recheck(np.array([sorted(solution) or [-1]], dtype=np.int32))
        assert wrong is None, wrong
    for name in set(SOLVERS) - set(LISTING):
        check_count_without_listing(judged, built, name)
    for name, row in SOLVERS.items():
        if row.numbers:
            check_numbers(built, found, name)
    check_ways_of_the_tally(judged, built)
    if thorough:
        check_report(judged, built)
        check_pictures(built, found)
        check_certificate_of(judged, built)
    return judged
