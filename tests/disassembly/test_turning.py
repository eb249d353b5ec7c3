"""Pieces that turn: the exact sweep against many angles, the search against a plain one, and puzzles known to need turns."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, count, product

import numpy as np
import pytest
from plain_search import TOGETHER, drawn

import puzzlesat
from helpers import BOTTLE
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.disassembly.data import Disassembly, Move, Rotation, bodies_of
from puzzlesat.disassembly.rotating import body_of, parts_of, take_apart_turning
from puzzlesat.disassembly.run import Taker
from puzzlesat.disassembly.swept_cells import Corner, Scale, Sweeps, fill_sweeps
from puzzlesat.disassembly.verification import _slide, _turn, eye, fault_in, positions_turned
from puzzlesat.puzzles.building import build_instance
from tiers import every

SHARP, TENTH, WIDE = Fraction(0), Fraction(1, 10), Fraction(7, 40)
REACH = 16


def exact_sweeps(bevel):
    """Yield the sweeps of the kernel in the form of ``eye``."""
    corner = Corner(np.zeros((4, 5), dtype=np.int64), np.zeros((4, 5), dtype=np.int64), np.zeros(80, dtype=np.int64))
    sweeps = Sweeps(REACH, np.zeros((2, (REACH + 1) ** 2 + 1), dtype=np.int32), np.zeros((2, 60 * (REACH + 1) ** 2, 2), dtype=np.int32))
    most = fill_sweeps(Scale(bevel.denominator, bevel.denominator - 2 * bevel.numerator, 2 * bevel.numerator), sweeps, corner)
    assert most <= sweeps.part.shape[1]
    for kind in (0, 1):
        for number, place in enumerate(product(range(REACH + 1), repeat=2)):
            met = sweeps.part[kind, sweeps.start[kind, number] : sweeps.start[kind, number + 1]]
            yield kind, place, sorted(map(tuple, met.tolist()))


@every("bevel", [SHARP, TENTH, Fraction(1, 100), WIDE, Fraction(6, 25)], fast=1)
def test_what_a_part_sweeps_is_what_many_angles_show(bevel):
    """With the same angles for all distances, a square eight half edges from the axis would pass through a corner."""
    for kind, (x, y), met in exact_sweeps(bevel):
        if 0 <= y <= x <= 8:  # else the squares that are met may lie outside the table
            assert sorted(eye(bevel)(x, y, kind, 1)) == met


QUADRANTS = [(-2, 2, 0, 1), (-1, 3, 1, 1), (-3, -1, 1, 1), (2, -4, 0, 1), (2, 2, 0, -1), (-3, 1, 1, -1), (-2, -4, 0, -1), (1, -3, 1, -1)]


@every("x, y, kind, way", QUADRANTS, fast=1)
def test_in_every_quadrant_and_sense_corners_show_the_same(x, y, kind, way):
    """``eye`` covers one quadrant and one sense. Here squares meet if a corner or the middle of one lies in the other."""
    bevel, half = Fraction(1, 20), 0.9
    corners = np.array([*product((-half, half), repeat=2), (0, 0)])
    near = [(u, v) for u, v in product(range(-7, 8), repeat=2) if abs(np.hypot(u, v) - np.hypot(x, y)) < 2.6]
    cubes = [(u, v) for u, v in near if (u - kind) % 2 == (v - kind) % 2 == 0]
    met = set()
    for angle in np.linspace(0, way * np.pi / 2, 301):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for u, v in cubes:
            one = np.add(corners, (x, y)) @ turn.T - (u, v)
            other = np.add(corners, (u, v)) @ turn - (x, y)
            if (abs(np.concatenate([one, other])).max(axis=1) < half).any():
                met.add((u, v))
    assert met == {place for place in eye(bevel)(x, y, kind, way) if (place[0] - kind) % 2 == (place[1] - kind) % 2 == 0}


def test_a_bevel_cuts_nothing_off_between_the_cubes_of_a_piece():
    """A corner turned past the middle of a wall meets no groove there."""
    assert (1, 2) not in eye(TENTH)(1, 0, 1, 1)
    parts = set(parts_of(frozenset({(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (2, 0, 0)})))
    cubes = {(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0), (4, 0, 0)}
    assert parts == {*cubes, (1, 0, 0), (1, 2, 0), (0, 1, 0), (2, 1, 0), (3, 0, 0), (1, 1, 0)}


SMALL = BOTTLE | {
    "tiles": {"bottle": {"picture": "#.###\n#.###\n#..##\n#..##\n#####"}, "domino": {"picture": "##"}},
    "form": {"picture": "#.###\n#.###\n#..##\n#####\n#####"},
}


def second_look(bodies, row, answer):
    (verdict,) = Taker(bodies, SHARP).verdicts([row], [answer], Limits())
    return verdict


def answer_to(text, bevel):
    found = puzzlesat.apart(text, turns=bevel is not None, bevel=bevel or 0, jobs=1)
    assert found.complete
    (assembly,) = found.assemblies
    return assembly


def test_a_domino_comes_out_of_a_bottle_when_it_is_turned():
    """The neck is one square wide, and the domino lies across. With sharp corners, a room of three squares is enough."""
    assert answer_to(BOTTLE, None).apart is False
    turned = answer_to(BOTTLE, SHARP)
    assert (turned.level, turned.checked) == ("2", True)
    assert "turn 90°" in str(turned)


@every("bevel, apart", [(SHARP, False), (Fraction(71, 828), False), (Fraction(72, 839), True), (TENTH, True)], fast=("False", "True (3)"))
def test_in_a_small_bottle_it_needs_a_bevel(bevel, apart):
    """In a room of two by two, the corner of a turning square passes a wall half an edge from the axis: (1/2 - b) √2 ≤ 1/2 + b."""
    assembly = answer_to(SMALL, bevel)
    assert (assembly.apart, assembly.checked) == (apart, True)


KNOWN = [
    ("wedlock", TENTH, "1.1.5.10"),
    ("sliproad", TENTH, "1.2.3.2"),
    ("convolution", TENTH, "1.1.3.1.1.2"),
    ("roughhouse", WIDE, "1.3.6"),
    ("ennui", WIDE, "1.2.3.2.2"),
]


@pytest.mark.slow
@every("name, bevel, level", KNOWN)
def test_a_turning_interlocking_cube_needs_turns(name, bevel, level):
    """Their maker says so. The two that need a wide bevel get the wider bevel in the model for printing too."""
    assert answer_to(name, None).apart is False
    assert answer_to(name, SHARP).apart is False
    assembly = answer_to(name, bevel)
    assert (assembly.level, assembly.checked) == (level, True)
    if bevel == WIDE:
        assert answer_to(name, TENTH).apart is False
    if name == "convolution":  # Hans Havermann (2013): two pieces come away; the third moves one step, turns, and comes away
        said = [line.split(": ", 1) for line in str(assembly).splitlines()[:5]]
        pieces, moves = zip(*((head.split()[1], move) for head, move in said), strict=True)
        assert len(set(pieces[:3])) == 3
        assert pieces[2] == pieces[3] == pieces[4]
        assert [move.split()[0] for move in moves] == ["away", "away", "1", "turn", "away"]


@every("picture, group, sequence", TOGETHER, fast=1)
def test_pieces_that_may_stay_together_are_not_parted_for_nothing(picture, group, sequence):
    bodies, tiles = [frozenset(body) for body in drawn(picture)], json.dumps(["ABCD"[i] for i in group])
    found = puzzlesat.apart(f"together = [{tiles}]\n{text_of(bodies, grid='square')}", turns=True, limit=1, jobs=1).assemblies[0]
    assert (found.moves, found.checked) == (sequence, True)
    lying = {i: body_of(bodies_of(found.built), o) for i, o in enumerate(found.options)}
    assert fault_in(lying, found.answer.parting, SHARP, 2) == f"pieces {sorted(group)} are left together"


def pieces_at_random(rng, size, count):
    """Return pieces that fill a box, each in one part."""
    cells = list(product(*map(range, size)))
    owner = dict(zip(rng.sample(cells, count), range(count), strict=True))
    while len(owner) < len(cells):
        cell = rng.choice([c for c in cells if c not in owner])
        near = [owner[n] for n in neighbours(cell) if n in owner]
        if near:
            owner[cell] = rng.choice(near)
    return [frozenset(c for c, k in owner.items() if k == i) for i in range(count)]


def neighbours(cell):
    for r, step in product(range(3), (1, -1)):
        yield tuple(x + step * (k == r) for k, x in enumerate(cell))


def text_of(bodies, grid="cube"):
    """Return an instance in which each piece lies in its place."""
    size = 3 if grid == "cube" else 2
    said = ['title = "random"', f'grid = "{grid}"', 'turns = "none"', "flips = false"]
    for i, body in enumerate(bodies):
        low = [min(c[r] for c in body) for r in range(3)]
        atoms = json.dumps([[*[x - y for x, y in zip(c, low, strict=True)][:size], "f"] for c in sorted(body)])
        said.append(f"[tiles.{'ABCD'[i]}]\natoms = {atoms}")
    cells = sorted(set().union(*bodies))
    return "\n".join([*said, f"[form]\natoms = {json.dumps([[*c[:size], 'f'] for c in cells])}"])


@pytest.mark.full
def test_small_assemblies_at_random():
    rng = random.Random(1)
    stuck = apart = 0
    while stuck + apart < 30:
        bodies = pieces_at_random(rng, (4, 3, 3), 2)
        bevel = rng.choice([SHARP, TENTH, WIDE])
        built = build_instance(puzzlesat.load(text_of(bodies)))
        assembly = puzzlesat.apart(text_of(bodies), turns=True, bevel=bevel, limit=1, jobs=1).assemblies[0]
        own = [body_of(bodies_of(built), o) for o in assembly.options]
        if assembly.apart:
            apart += 1
            assert fault_in(dict(enumerate(own)), assembly.answer.parting, bevel, 3) is None
        else:
            stuck += 1
            held = [own[p] for p in assembly.answer.stuck]
            assert positions_turned(held, bevel, 3, 10_000) == assembly.answer.closed
    assert stuck > 1
    assert apart > 3


def test_every_damage_to_a_turn_is_found():
    assembly = answer_to(BOTTLE, SHARP)
    built, parting = assembly.built, assembly.answer.parting
    turn, away = parting.moves
    damaged = [
        (away,),
        (turn, turn, away),
        (replace(turn, quarters=0), away),
        (replace(turn, quarters=4), away),
        (replace(turn, quarters=-turn.quarters), away),
        (replace(turn, axis=0), away),
        (replace(turn, about=(turn.about[0] + 1, turn.about[1], 0)), away),
        (replace(turn, about=(turn.about[0] + 8, turn.about[1], 0)), away),
        (replace(turn, pieces=()), away),
        (replace(turn, pieces=(0, 1)), away),
        (turn, replace(away, steps=1)),
        (turn, replace(away, direction=(1, 0))),
    ]
    for moves in damaged:
        sound, fault = second_look(bodies_of(built), assembly.options, Disassembly(replace(parting, moves=moves)))
        assert not sound
        assert fault


def test_a_wrong_claim_of_being_stuck_is_found():
    """The check finds a wrong number of positions, and pieces missing from the claim."""
    assembly = answer_to(SMALL, SHARP)
    for closed in (assembly.answer.closed - 1, assembly.answer.closed + 1):
        wrong = replace(assembly.answer, closed=closed)
        sound, fault = second_look(bodies_of(assembly.built), assembly.options, wrong)
        assert not sound
        assert "positions" in fault
    unsaid = replace(assembly.answer, stuck=(), closed=0)
    said = second_look(bodies_of(assembly.built), assembly.options, unsaid)
    assert said == (False, "pieces [0, 1] are left together")
    grouped = replace(assembly.built, instance=replace(assembly.built.instance, together=(frozenset({"bottle", "domino"}),)))
    said = second_look(bodies_of(grouped), assembly.options, assembly.answer)
    assert said == (True, None)  # the claim is that the whole comes apart


@pytest.mark.full
def test_a_record_gives_a_turn_back(tmp_path):
    assembly = answer_to(BOTTLE, SHARP)
    record = json.loads(json.dumps(assembly.answer.record(1, assembly.names)))
    assert Disassembly.of(record).parting == assembly.answer.parting
    first, second = assembly.answer.sentences(("bottle", "domino"))
    assert first.startswith("1. domino: turn 90° ")
    assert "seen from +z, about x = " in first
    assert second == "2. domino: away along +y"
    file = tmp_path / "kept.jsonl"
    for _ in range(2):
        kept = puzzlesat.apart(SMALL, turns=True, bevel=TENTH, output=file, jobs=1)
        assert kept.levels
    with pytest.raises(PuzzleError):
        puzzlesat.apart(SMALL, output=file, jobs=1)  # this file has results with turns
    with pytest.raises(PuzzleError, match=r"with turns, bevel 1/10.* than .* with turns, bevel 7/40 is now"):
        puzzlesat.apart(SMALL, turns=True, bevel=WIDE, output=file, jobs=1)


@pytest.mark.full
def test_a_limit_leaves_it_undecided():
    assembly = answer_to(BOTTLE, SHARP)
    answer = take_apart_turning(bodies_of(assembly.built), assembly.options, SHARP, Limits(seconds=0.0))
    assert answer.parting is None and answer.undecided


@every(
    "puzzle, said, asked",
    [
        ("four-piece-tetrahedron", None, {}),
        ("tetrominoes-5x4-torus", None, {}),
        (BOTTLE, "BurrTools knows no turns", {"output": "solved.xmpuzzle"}),
        (BOTTLE, "--turns", {"turns": False, "bevel": "1/10"}),
        (BOTTLE, "less than 1/4", {"bevel": "1/4"}),
        (BOTTLE, "at least 0", {"bevel": "-1/10"}),
        (BOTTLE, "1/10", {"bevel": "x"}),
        (BOTTLE, "at most 1,000", {"bevel": "1/1001"}),
    ],
)
def test_what_cannot_be_turned_is_refused(puzzle, said, asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((NotSupportedError, PuzzleError), match=said):
        puzzlesat.apart(puzzle, **{"turns": True, "jobs": 1} | asked)
    assert not list(tmp_path.iterdir())


def least_sequence(lying, bevel, groups, *, whole=True):
    """Return the least numbers of moves by which pieces of the plane come apart, by every move of every set; None if they do not."""
    if len(lying) == 1 or (not whole and any(group.issuperset(lying) for group in groups)):
        return ()
    _, *others = sorted(lying)
    sets = [frozenset(some) for n in range(1, len(lying)) for some in combinations(others, n)]  # the first one stays
    rim, seen = [lying], {frozenset(lying.items())}
    for depth in count(1):
        if not rim:
            return None
        following, found = [], []
        for here in rim:
            for moving in sets:
                for direction in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    if _slide(here, Move(tuple(moving), direction, None)):
                        small, large = sorted([moving, lying.keys() - moving], key=lambda some: (len(some), moving != some))
                        parts = [least_sequence({p: here[p] for p in part}, bevel, groups, whole=False) for part in (large, small)]
                        if None in parts:
                            return None
                        found.append((depth, *parts[0], *parts[1]))
                for there in moved(here, moving, bevel):
                    if there and frozenset(there.items()) not in seen:
                        seen.add(frozenset(there.items()))
                        following.append(there)
        if found:
            return min(found)
        rim = following
    return None


def moved(here, moving, bevel):
    """Yield the places of pieces after each move of some of them; None if the move is blocked."""
    for direction in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        for steps in count(1):
            there = _slide(here, Move(tuple(moving), direction, steps))
            if not there or steps > 9:
                break
            yield there
    cells = [cell for body in here.values() for cell in body]
    ranges = [range(2 * min(c[r] for c in cells) - 1, 2 * max(c[r] for c in cells) + 2) for r in (0, 1)]
    for x, y in product(*ranges):
        if (x - y) % 2 == 0:
            for quarters in (1, 2, 3, -1, -2, -3):
                yield _turn(here, Rotation(tuple(moving), 2, (x, y, 0), quarters), bevel, 2)


ACROSS = "A.AA A.CA A..A ABBA AAAA"
"""A bottle with a domino across, and a square."""


@pytest.mark.full
@every("case", [ACROSS, *range(4)])
def test_numbers_are_the_least_with_and_without_groups(case):
    rng = random.Random(str(case))
    bodies = [frozenset(body) for body in drawn(case)] if case == ACROSS else pieces_at_random(rng, (4, 3, 1), 3)
    built = build_instance(puzzlesat.load(text_of(bodies, grid="square")))
    (assembly,) = puzzlesat.apart(built.instance, turns=True, bevel=TENTH, limit=1, jobs=1).assemblies
    placed = bodies_of(built)
    lying = {i: body_of(placed, o) for i, o in enumerate(assembly.options)}
    for groups in ((), (frozenset({1, 2}),), (frozenset({0, 1}), frozenset({1, 2})), (frozenset({0, 1, 2}),)):
        member = np.zeros((len(placed.names), len(groups)), dtype=bool)
        for number, group in enumerate(groups):
            member[[assembly.options[i] for i in group], number] = True
        answer = take_apart_turning(replace(placed, member=member), assembly.options, TENTH, Limits())
        assert (answer.parting and answer.parting.sequence) == least_sequence(lying, TENTH, groups)
        if case == ACROSS and frozenset({0, 1}) not in groups and frozenset({0, 1, 2}) not in groups:
            assert any(isinstance(move, Rotation) for part in answer.parting.partings() for move in part.moves)
