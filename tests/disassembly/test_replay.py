"""The replay refuses every wrong disassembly and says why; records store all moves, and restore them."""

import json
from dataclasses import replace

import pytest
from plain_search import assembly, cage, grid_named

from puzzlesat.base.errors import ContradictionError, PuzzleError
from puzzlesat.base.limits import Limits
from puzzlesat.disassembly import run
from puzzlesat.disassembly.data import Disassembly, Move, Parting, bodies_of
from puzzlesat.disassembly.run import checked
from puzzlesat.disassembly.verification import first_fault


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
    """The disassembly is minimal up to the first parting, so no move before it is superfluous; here no later move is either."""
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
    # steps are counted one at a time: a gap of two is too narrow for three
    pieces = [{(1, 1, 0)}, {(4, 1, 0)}]
    for steps, fault in ((2, None), (3, "step 3: piece 0 runs into piece 1")):
        parting = Parting((0, 1), (Move((0,), (1, 0), steps), Move((0,), (0, 1), None)), None, None)
        found = first_fault(grid, pieces, parting)
        assert (found is None) if fault is None else found.endswith(fault)


def test_a_wrong_search_is_found_out(monkeypatch):
    from puzzlesat.disassembly import run

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
