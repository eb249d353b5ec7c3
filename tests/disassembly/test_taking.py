"""Disassemblies against plain search and published figures; the replay refuses every wrong way, and records give ways back."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random

import pytest
from plain_search import SMALL, TOGETHER, assembly, cage, drawn, grid_named, least_sequence, positions_reached

import puzzlesat
from puzzlesat.base import ContradictionError, Limits, NotSupportedError, PuzzleError
from puzzlesat.counting.listing import solutions
from puzzlesat.disassembly import checked, run, taking, verification
from puzzlesat.disassembly.data import Disassembly, Move, Parting, UndecidedError, bodies_of
from puzzlesat.disassembly.steps import steps_of
from puzzlesat.disassembly.taking import bench_of, take_all_apart
from puzzlesat.disassembly.verification import first_fault, ground_of, ground_under, swept
from puzzlesat.puzzles.building import build_instance
from tiers import every, is_fast, tries


def apart(name, pieces):
    built, options = assembly(grid_named(name), [frozenset(p) for p in pieces])
    return built, options, checked(bodies_of(built), tuple(options), Limits())


def checked_together(built, options, together):
    grouped = replace(built, instance=replace(built.instance, together=tuple(map(frozenset, together))))
    return checked(bodies_of(grouped), tuple(options), Limits())


ASSEMBLIES = 150
"""Random assemblies on each grid in the full tier."""


def random_pieces(grid, name, chance):
    """Return bodies of random atoms of a box; one of them is often most of it."""
    box, most = SMALL[name]
    places = [(*(c + 1 for c in cell), a) for cell in product(*map(range, box)) for a in range(len(grid.atoms))]
    number = chance.randint(2, most)
    weights = [chance.choice((1, 1, 4, 12)) for _ in range(number)] + [chance.choice((0, 1, 2))]
    owner = chance.choices(range(number + 1), weights, k=len(places))
    pieces = [frozenset(p for p, o in zip(places, owner, strict=True) if o == n) for n in range(number)]
    return [piece for piece in pieces if piece]


@pytest.mark.parametrize("name", ["cube", *(pytest.param(name, marks=pytest.mark.full) for name in SMALL if name != "cube")])
def test_three_ways_to_the_same_answer(name):
    """On random small assemblies the search, the second enumeration and plain search agree."""
    grid, chance = grid_named(name), Random(name)
    directions = [d[: grid.dimension] for d in map(tuple, steps_of(grid).directions.tolist())]
    plain = partial(swept, grid)
    held_so_far = 0
    for number in range(tries(ASSEMBLIES) // (4 if is_fast() else 1)):
        pieces = random_pieces(grid, name, chance)
        if len(pieces) < 2:
            continue
        try:
            built, options, answer = apart(name, pieces)
        except PuzzleError:  # two identical pieces are one tile
            continue
        bodies = [frozenset(built.placements[o].atoms) for o in options]
        if number % 8 == 0:
            check_together(built, options, bodies, directions, chance)
        assert answer.least and answer.checked
        assert (None if answer.parting is None else answer.parting.sequence) == least_sequence(bodies, directions, plain)
        if answer.parting is not None:
            assert ground_of(bodies_of(built)).fault(options, answer.parting) is first_fault(grid, bodies, answer.parting) is None
            continue
        stuck = [bodies[p] for p in answer.stuck]
        assert answer.closed == positions_reached(stuck, directions, plain)
        ground = ground_under(grid, stuck, directions)
        for said in (answer.closed - 1, answer.closed, answer.closed + 1):
            ((sound, fault),) = ground.held([verification.Stuck(range(len(stuck)), said)]) if said else ((False, "none"),)
            assert sound == (fault is None) == (said == answer.closed)
        held_so_far += 1
    assert held_so_far > 0


def check_together(built, options, bodies, directions, chance):
    """Check with two groups of tiles that may stay together; the groups may overlap."""
    names = [tile.name for tile in built.puzzle.tiles]
    together = tuple(frozenset(chance.sample(names, chance.randint(0, len(names)))) for _ in range(2))
    groups = [{i for i, o in enumerate(options) if built.puzzle.tiles[built.placements.tile[o]].name in names} for names in together]
    answer = checked_together(built, options, together)
    expected = least_sequence(bodies, directions, partial(swept, built.puzzle.grid), groups)
    assert answer.least and answer.checked
    assert (None if answer.parting is None else answer.parting.sequence) == expected


@every("picture, group, sequence", TOGETHER)
def test_pieces_that_may_stay_together_are_not_parted_for_nothing(picture, group, sequence):
    """Pieces that may stay together are removed together if this saves moves."""
    built, options = assembly(grid_named("square"), [frozenset(p) for p in drawn(picture)])
    answer = checked_together(built, options, [{f"P{i}" for i in group}])
    assert answer.parting.sequence == sequence and answer.least


@every(
    "picture, level, stuck",
    [
        ("AAA ABA AAA", None, (0, 1)),
        ("AAA .BA AAA", "1", ()),
        ("AAAAA ....A ABB.A AAAAA", "2", ()),  # B moves up, then out to the left; the hook of A blocks the direct way
        ("AA", None, ()),  # nothing to take apart
    ],
)
def test_pieces_in_the_plane_by_hand(picture, level, stuck):
    _, _, answer = apart("square", drawn(picture))
    assert (answer.parting and answer.parting.level, answer.stuck, answer.undecided, answer.checked) == (level, stuck, "", True)


def loose_in_a_box(inside):
    """Return two cubes in a closed box: each has all inner places but that of the other."""
    wide = inside + 2
    shell = {(*c, 0) for c in product(range(1, wide + 1), repeat=3)} - {(*c, 0) for c in product(range(2, wide), repeat=3)}
    return [shell, {(2, 2, 2, 0)}, {(3, 2, 2, 0)}]


def test_cubes_in_a_closed_box():
    shell = {(*c, 0) for c in product(range(1, 4), repeat=3)} - {(2, 2, 2, 0)}
    _, _, answer = apart("cube", [shell, {(2, 2, 2, 0)}])
    assert answer.parting is None and not answer.undecided
    assert answer.closed == 1 and answer.checked
    _, _, answer = apart("cube", loose_in_a_box(2))
    assert answer.closed == 8 * 7 and answer.checked and answer.stuck == (0, 1, 2)


STEPS = [tuple(sign * (i == axis) for i in range(3)) for axis in range(3) for sign in (1, -1)]


def held_on(pieces, positions):
    return ground_under(grid_named("cube"), pieces, STEPS).held([verification.Stuck(range(len(pieces)), positions)])


def test_pieces_that_come_to_the_edge_of_the_board():
    cage, cube, _ = loose_in_a_box(12)
    assert held_on([cage, cube], 12**3) == held_on([cube, cage], 12**3) == [(True, None)]


def test_one_board_for_pieces_of_many_kinds():
    """An enumeration leaves nothing on the board that affects the next."""
    bodies = loose_in_a_box(2)
    ground = ground_under(grid_named("cube"), bodies, STEPS)
    those = [((0, 1, 2), 56), ((0, 1), 8), ((2, 0), 8), ((1, 0, 2), 55), ((0, 2), 9), ((0, 1, 2), 56), ((1, 1), 1)]
    found = ground.held([verification.Stuck(*one) for one in those])
    faults = ["come in more than 55 positions to each other, not 55", "come in 8 positions to each other, not 9", "lie in each other"]
    assert [fault for _, fault in found] == [None] * 3 + faults[:2] + [None] + faults[2:]
    assert [sound for sound, _ in found] == [fault is None for _, fault in found]


def test_limits_of_the_second_look(monkeypatch):
    """An enumeration continues after a pause. Limits end it, and a set of positions that is too large is not enumerated again."""
    monkeypatch.setattr(verification, "AT_ONCE", 1)
    assert [held_on(loose_in_a_box(2), said)[0][0] for said in (55, 56, 57)] == [False, True, False]
    built, options, answer = apart("cube", loose_in_a_box(2))
    limits = Limits()
    limits.stop.set()
    assert run.second_look(bodies_of(built), None, limits)(tuple(options), answer) == (False, None)
    monkeypatch.setattr(verification.Ground, "most", 55)
    _, _, answer = apart("cube", loose_in_a_box(2))
    assert answer.closed == 56 and not answer.checked and answer.stuck


@every("said, found", [(55, "more than 55"), (57, "56")])
def test_a_search_that_has_missed_positions_is_found_out(said, found, monkeypatch):
    wrong = Disassembly(None, stuck=(0, 1, 2), closed=said)
    monkeypatch.setattr(run, "take_all_apart", lambda *_, **__: [wrong])
    with pytest.raises(ContradictionError, match=f"in {found} positions to each other, not {said}"):
        apart("cube", loose_in_a_box(2))


def test_nothing_that_comes_apart_passes_for_held():
    """No claimed number of positions is right, because there are infinitely many."""
    built, options, answer = apart("square", drawn("AAA .BA AAA"))
    assert answer.parting is not None
    for closed in (1, 2, 100):
        sound, fault = run.second_look(bodies_of(built), None, Limits())(tuple(options), Disassembly(None, stuck=(0, 1), closed=closed))
        assert not sound and fault == f"pieces [0, 1] come in more than {closed} positions to each other, not {closed}"


def test_pieces_that_move_together():
    """C lies in the notch of B, and B and C lie in the channel of A: B and C leave it together, and come apart outside."""
    built, options, answer = apart("square", drawn("AAAA BBBB BCCB AAAA"))
    tiles = [built.puzzle.tiles[built.placements.tile[o]].name for o in options]
    first, second = answer.parting.partings()
    assert {tiles[p] for p in first.moves[0].pieces} in ({"P0"}, {"P1", "P2"})
    assert answer.parting.sequence == (1, 1) and {tiles[p] for p in second.pieces} == {"P1", "P2"}


@pytest.mark.full
def test_the_cube_in_its_cage(monkeypatch):
    """The one assembly that comes apart, as BurrTools stores it: level 4.9.3, because its frames may stay together."""
    built, row, found = cage()
    bodies = bodies_of(built)
    alone = next(take_all_apart(bench_of.__wrapped__(replace(bodies, member=bodies.member[:, :0])), [row], Limits()))
    together = checked(bodies_of(built), row, Limits())
    assert alone.parting is None and len(alone.stuck) == 3
    assert together.parting.level == "4.9.3"
    limits = Limits()
    limits.stop.set()
    answer = next(take_all_apart(bench_of.__wrapped__(bodies_of(built)), [row], limits))
    assert (answer.parting, answer.undecided, answer.stuck) == (None, "interrupted", ())
    # growing arrays, and free distances that are forgotten and computed again, change nothing
    monkeypatch.setattr(taking, "FIRST_ROOM", 2)
    monkeypatch.setattr(taking, "AT_ONCE", 1)
    assert next(take_all_apart(bench_of.__wrapped__(bodies_of(built)), [row], Limits())) == found
    assert next(take_all_apart(bench_of.__wrapped__(bodies_of(built)), [row], Limits(memory=1))).undecided == "out of memory"
    monkeypatch.setattr(taking, "PAIRS", 64)
    assert next(take_all_apart(bench_of.__wrapped__(bodies_of(built)), [row], Limits())) == found


@pytest.mark.full
@every("name", ["four-piece-tetrahedron", "bermuda", "ball-room-1", "ball-room-2", "ball-room-3"])
def test_examples_of_burrtools_in_other_grids(name):
    """BurrTools gives level 1 for Bermuda too; it has no disassembler for balls and tetrahedra."""
    built = build_instance(puzzlesat.load(name))
    for row in solutions(built, "backtrack", Limits(), distinct=True):
        assert checked(bodies_of(built), row, Limits()).parting.level == "1"


@pytest.mark.full  # lists a thousand assemblies and replays three hundred
@every("mirrored, expected", [("different", (1063, 314, 57)), ("same", (588, 179, 31))])
def test_six_piece_burrs(mirrored, expected):
    """BurrTools finds 1,063 assemblies and 314 solutions if mirrors are kept, else 588 and 179, of which 31 have level 1.2."""
    instance = puzzlesat.load("six-piece-burr")
    puzzle = replace(instance.puzzle, mirrored_same=mirrored == "same")
    built = build_instance(replace(instance, puzzle=puzzle))
    rows = [*solutions(built, "backtrack", Limits(), distinct=True)]
    levels = Counter(a.parting.level for row in rows if (a := checked(bodies_of(built), row, Limits())).parting is not None)
    assert (len(rows), levels.total(), levels["1.2"]) == expected
    assert levels.keys() == {"1", "1.2"}


def test_where_there_are_too_many_ways_the_first_number_is_the_least_all_the_same(monkeypatch):
    _, _, whole = apart("square", drawn("AABBCC DDEEFF GGHHII"))
    monkeypatch.setattr("puzzlesat.disassembly.search.MAX_PARTS", 0)
    _, _, answer = apart("square", drawn("AABBCC DDEEFF GGHHII"))
    assert answer.parting.sequence[0] == whole.parting.sequence[0] == 1


@every("lasts", [0, 1])
def test_a_limit_keeps_the_best_way_that_is_known_and_says_that_it_may_not_be_the_least(lasts, monkeypatch):
    """The limit comes during the first or the second of two disassemblies."""
    built, options, whole = apart("square", drawn("AAAAA ....A ABB.A AAAAA"))
    assert whole.least and whole.parting.sequence == (2,)
    tried, part = [], taking.SlideSearch.parting

    def parting(*given):
        tried.append(given)
        if len(tried) > lasts:
            raise UndecidedError("limit reached")
        return part(*given)

    monkeypatch.setattr(taking.SlideSearch, "parting", parting)
    answer = next(take_all_apart(bench_of.__wrapped__(bodies_of(built)), [tuple(options)], Limits()))
    assert len(tried) == lasts + 1
    if lasts:
        assert (answer.parting.sequence, answer.undecided, answer.least) == ((2,), "", False)
    else:
        assert (answer.parting, answer.undecided) == (None, "limit reached")


def test_what_is_refused():
    built = build_instance(puzzlesat.load("dominoes-8x8"))
    with pytest.raises(NotSupportedError, match="up to 64"):
        next(take_all_apart(bench_of.__wrapped__(bodies_of(built)), [range(65)], Limits()))
    with pytest.raises(NotSupportedError, match="wraps around"):
        bodies_of(build_instance(puzzlesat.load("tetrominoes-5x4-torus")))


PUBLISHED = {
    "dubois-burr": (2, 1, "6.4"),
    "piston-burr": (10, 1, "9.3"),
    "loves-dozen": (154, 90, "12.3"),
    "computers-choice-unique-10": (7, 1, "10"),
}
"""The sources are in the instances; of Love's Dozen they have the first number of the level."""


@pytest.mark.full
@every("name", PUBLISHED)
def test_what_is_published_of_burrs(name):
    built = build_instance(puzzlesat.load(name))
    found = [(row, checked(bodies_of(built), row, Limits())) for row in solutions(built, "backtrack", Limits(), distinct=True)]
    apart = [answer.parting for _, answer in found if answer.parting is not None]
    highest = max(apart, key=lambda parting: parting.sequence)
    assert (len(found), len(apart), highest.level) == PUBLISHED[name]
    assert Counter(parting.sequence[0] for parting in apart)[highest.sequence[0]] == 1
    # plain search finds the same level: the highest one, by trying every set of pieces in every direction
    grid = built.puzzle.grid
    directions = [tuple(d) for d in steps_of(grid).directions.tolist()]
    row, answer = max(((row, answer) for row, answer in found if answer.parting is not None), key=lambda each: each[1].parting.sequence)
    pieces = [built.placements[o].atoms for o in row]
    assert least_sequence(pieces, directions, partial(swept, grid)) == answer.parting.sequence


def damaged(parting):
    """Yield wrong ways: a move missing, too long, in no direction, of other pieces, and so on for each part."""
    moves = parting.moves
    for i, move in enumerate(moves):
        yield "left out", replace(parting, moves=(*moves[:i], *moves[i + 1 :]))
        if move.steps is not None:
            yield "too far", replace(parting, moves=(*moves[:i], replace(move, steps=move.steps + 20), *moves[i + 1 :]))
            yield "away too soon", replace(parting, moves=(*moves[:i], replace(move, steps=None), *moves[i + 1 :]))
            yield "no step", replace(parting, moves=(*moves[:i], replace(move, steps=0), *moves[i + 1 :]))
        yield "no direction", replace(parting, moves=(*moves[:i], replace(move, direction=(0, 0, 0)), *moves[i + 1 :]))
        yield "nobody", replace(parting, moves=(*moves[:i], replace(move, pieces=()), *moves[i + 1 :]))
        yield "everybody", replace(parting, moves=(*moves[:i], replace(move, pieces=parting.pieces), *moves[i + 1 :]))
        yield "strangers", replace(parting, moves=(*moves[:i], replace(move, pieces=(99,)), *moves[i + 1 :]))
    yield "no moves", replace(parting, moves=())
    yield "other pieces", replace(parting, pieces=parting.pieces[1:])
    for side in ("left", "away"):
        if (part := getattr(parting, side)) is not None:
            if len(part.pieces) > 3:
                yield "not parted", replace(parting, **{side: None})
            for what, other in damaged(part):
                yield what, replace(parting, **{side: other})


@pytest.mark.full
def test_every_damage_is_found():
    """The way is minimal up to the first parting, so no move there is superfluous; nor is any later one."""
    built, row, answer = cage()
    assert run.second_look(bodies_of(built), None, Limits())(row, answer) == (True, None)
    tried = list(damaged(answer.parting))
    assert len(tried) > 80
    for what, parting in tried:
        sound, fault = run.second_look(bodies_of(built), None, Limits())(row, Disassembly(parting))
        assert not sound and fault is not None, what


def test_it_says_what_stands_in_the_way():
    grid = grid_named("square")
    pieces = [{(1, 1, 0)}, {(2, 1, 0)}, {(4, 1, 0)}]
    run_into = Parting((0, 1), (Move((0,), (1, 0), None),), None, None)
    assert first_fault(grid, pieces[:2], run_into) == "move 1 of pieces [0, 1]: step 1: piece 0 runs into piece 1"
    assert first_fault(grid, [pieces[0], pieces[0]], run_into) == "pieces lie in each other from the beginning"
    left = Parting((0, 1, 2), (Move((0,), (0, 1), None),), None, None)
    assert first_fault(grid, pieces, left) == "pieces [1, 2] are left together"
    assert first_fault(grid, pieces, left, [{1, 2}]) is None
    # steps are counted one by one: a gap of two is too narrow for three
    pieces = [{(1, 1, 0)}, {(4, 1, 0)}]
    for steps, fault in ((2, None), (3, "step 3: piece 0 runs into piece 1")):
        parting = Parting((0, 1), (Move((0,), (1, 0), steps), Move((0,), (0, 1), None)), None, None)
        found = first_fault(grid, pieces, parting)
        assert (found is None) if fault is None else found.endswith(fault)


def test_a_wrong_search_is_found_out(monkeypatch):
    built, options = assembly(grid_named("square"), [frozenset({(1, 1, 0)}), frozenset({(2, 1, 0)})])
    wrong = Disassembly(Parting((0, 1), (Move((0,), (1, 0), None),), None, None))
    monkeypatch.setattr(run, "take_all_apart", lambda *_, **__: [wrong])
    with pytest.raises(ContradictionError, match=r"fails when it is held against the grid: .*runs into"):
        checked(bodies_of(built), tuple(options), Limits())


@pytest.mark.full
def test_a_record_gives_the_way_back():
    built, row, answer = cage()
    names = [built.problem.options[o] for o in row]
    record = json.loads(json.dumps(answer.record(27, names)))
    assert Disassembly.of(record) == answer
    assert Disassembly.of({k: v for k, v in record.items() if k not in ("closed", "checked")}) == replace(answer, closed=0, checked=True)
    assert (record["number"], record["apart"], record["level"], record["moves"]) == (27, True, "4.9.3", [4, 9, 3])
    for key in record:
        if key not in ("number", "placements", "apart", "level", "moves", "first", "total", "closed", "checked"):
            with pytest.raises(PuzzleError, match="not the steps"):
                Disassembly.of({k: v for k, v in record.items() if k != key})
    with pytest.raises(PuzzleError, match="not the steps"):
        Disassembly.of(record | {"steps": record["steps"][:-1]})
    assert len(list(answer.sentences("ABCDEF"))) == 4 + 9 + 3 + 1
