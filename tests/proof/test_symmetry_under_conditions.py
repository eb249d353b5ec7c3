"""Symmetries of puzzles with conditions: the checker finds those that keep the set of conditions, and the coverings confirm this."""

import json
from itertools import product
from random import Random

import numpy as np

from helpers import load
from puzzlesat.base.limits import Limits
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.checker.problem import make_problem, symmetries
from puzzlesat.checker.puzzle import all_placements, read_puzzle
from puzzlesat.checker.solutions import SolutionCheck
from puzzlesat.proofs.case import make_case
from puzzlesat.proofs.certificates import certify
from puzzlesat.proofs.statement import state_puzzle
from puzzlesat.puzzles.building import build_instance
from tiers import every

DOMINO = {"D": {"atoms": [[1, 1], [2, 1]], "copies": "any"}}
LEFT, RIGHT = [[1, 1, 1], [1, 2, 1]], [[4, 1, 1], [4, 2, 1]]
PAIR = {"D": {"atoms": [[1, 1], [2, 1]], "copies": 3}, "S": {"atoms": [[1, 1]], "copies": 2}}
ODD = {"D": {"atoms": [[1, 1], [2, 1]], "copies": 2}, "S": {"atoms": [[1, 1]], "copies": 3}}
HALVES = [[x, y, 1 if x < 3 else -1] for x in (1, 2, 3, 4) for y in (1, 2)]


def puzzle(conditions, tiles=None, form=None, **more):
    """Return a puzzle, by default dominoes in 4 x 2."""
    table = {"title": "T", "grid": "square", "flips": True, "turns": "all", "tiles": tiles or DOMINO, "form": form or {"box": [4, 2]}}
    return table | {"mirrored": "same", "conditions": [{"name": f"c{i}"} | c for i, c in enumerate(conditions)]} | more


def stated(table):
    """The puzzle as the checker reads it, its placements and its problem."""
    instance = load(table)
    said = {"name": instance.name, "title": instance.title} | state_puzzle(build_instance(instance))
    read = read_puzzle(json.loads(json.dumps(said)))
    placements = all_placements(read)
    return read, placements, make_problem(read, placements)


def coverings(problem):
    """Every set of placements that covers all required atoms, regardless of rules."""
    rows = [problem.item[problem.start[o] : problem.start[o + 1]] for o in range(problem.options)]
    masks = [{o for o in range(problem.options) if int(problem.exclude[p, o // 64]) >> (o % 64) & 1} for p in range(problem.options)]

    def further(first, chosen, counts):
        if (counts >= problem.low).all():
            yield frozenset(chosen)
        for o in range(first, problem.options):
            after = counts.copy()
            after[rows[o]] += 1
            if (after <= problem.high).all() and masks[o].isdisjoint(chosen):
                yield from further(o + 1, [*chosen, o], after)

    return list(further(0, [], np.zeros_like(problem.low)))


SLACK = {"optional": "all", "box": [4, 2]}
SAME = {
    "always kept: all atoms are covered": ([{"atoms": LEFT, "between": [0, 9]}], None, None),
    "a sum over atoms that are covered": ([{"atoms": LEFT, "equals": 2}], None, None),
    "what no covering keeps": ([{"atoms": LEFT, "equals": 5}], None, None),
    "its negative": ([{"atoms": HALVES, "equals": 0}], PAIR, SLACK),
    "mirrored bounds": ([{"atoms": HALVES, "between": [-1, 1]}], PAIR, SLACK),
    "scaled, with slack": ([{"atoms": [[*a, 2 * w] for *a, w in HALVES], "between": [-3, 3]}], PAIR, SLACK),
    "a pair": ([{"atoms": LEFT, "between": [0, 1]}, {"atoms": RIGHT, "between": [0, 1]}], PAIR, SLACK),
    "a pair, scaled": ([{"atoms": LEFT, "between": [0, 1]}, {"atoms": [[*a, 3] for *a, _ in RIGHT], "between": [-2, 5]}], PAIR, SLACK),
    "a pair, of other signs": (
        [{"atoms": LEFT, "between": [0, 1]}, {"atoms": [[*a, -1] for *a, _ in RIGHT], "between": [-1, 0]}], PAIR, SLACK,
    ),
    "modulo 2": ([{"atoms": HALVES, "modulo": {"of": 2, "is": 1}}], PAIR, SLACK),
    "modulo 3, zero": ([{"atoms": HALVES, "modulo": {"of": 3, "is": 0}}], PAIR, SLACK),
    "modulo 4, two": ([{"atoms": HALVES, "modulo": {"of": 4, "is": 2}}], PAIR, SLACK),
    "modulo 4, one, which no covering keeps: two odd weights": ([{"atoms": HALVES, "modulo": {"of": 4, "is": 1}}], PAIR, SLACK),
    "modulo 6, three": ([{"atoms": HALVES, "modulo": {"of": 6, "is": 3}}], PAIR, SLACK),
}  # fmt: skip
OTHER = {
    "bounds that are no mirror": ([{"atoms": HALVES, "between": [0, 1]}], PAIR, SLACK),
    "one of the two": ([{"atoms": LEFT, "between": [0, 1]}], PAIR, SLACK),
    "modulo 3, one": ([{"atoms": HALVES, "modulo": {"of": 3, "is": 1}}], PAIR, SLACK),
    "modulo 4, one": ([{"atoms": HALVES, "modulo": {"of": 4, "is": 1}}], ODD, SLACK),
}


@every("name", SAME | OTHER, fast=8)
def test_motions_that_keep_the_set_of_conditions_are_symmetries(name):
    conditions, tiles, form = (SAME | OTHER)[name]
    read, placements, _ = stated(puzzle(conditions, tiles, form))
    assert len(symmetries(read, placements)) == (4 if name in SAME else 2)


@every("kind, seed", product(["atoms", "along"], range(20)), fast=3)
def test_each_symmetry_keeps_the_rules_on_every_covering(kind, seed):
    rng = Random(f"{kind} {seed}")
    conditions = []
    for _ in range(rng.randint(1, 2)):
        top = rng.randint(1, 2)
        weights = [[x, y, rng.choice((-top, 0, top))] for x in (1, 2, 3) for y in (1, 2)]
        if rng.random() < 0.5:
            weights = [[x, y, (2 - x) * top] for x in (1, 2, 3) for y in (1, 2)]
        along = {"along": [1, 1], "values": [top, -top]}
        modulo = {"modulo": {"of": rng.choice((2, 3, 4, 6)), "is": rng.randint(0, 1)}}
        about = {"atoms": weights} if kind == "atoms" else along
        conditions.append(about | rng.choice([modulo, {"between": [-top, top]}, {"equals": 0}, {"between": [0, top]}]))
    optional = {"optional": "all"} if rng.random() < 0.5 else {}
    tiles = {"D": {"atoms": [[1, 1], [2, 1]], "copies": [1, 2]}, "S": {"atoms": [[1, 1]], "copies": [1, 3]}}
    read, placements, problem = stated(puzzle(conditions, tiles, {"box": [3, 2]} | optional))
    check = SolutionCheck(read, len(placements), placements.__getitem__)
    kept = {chosen: bool(check.rules_kept(np.array([[*chosen, -1]], dtype=np.int32))[0]) for chosen in coverings(problem)}
    for permutation in symmetries(read, placements).values():
        assert all(kept[frozenset(permutation[list(chosen)].tolist())] == there for chosen, there in kept.items())


@every("conditions", [
    [{"atoms": LEFT, "between": [0, 9]}, {"atoms": RIGHT, "between": [0, 9]}],
    [{"along": [1, 1], "values": [1, -1], "equals": 0}],
])  # fmt: skip
def test_a_certificate_counts_four_fillings_of_4x2_as_distinct(conditions, tmp_path):
    """Dominoes fill 4 x 2 in five ways; a mirror exchanges two of them."""
    path = tmp_path / "some.proof"
    certify(make_case(build_instance(load(puzzle(conditions)))), path, "tree", Limits())
    counts = check_certificate(path).counts
    assert (counts.all, counts.distinct) == (5, 4)
