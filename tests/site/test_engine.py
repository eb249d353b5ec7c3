"""The engine of the browser against the program: equal counts node for node, equal sentences on positions, kernels of the same sources."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache

import llvmlite
import numpy as np
import pytest
from engine import FOLDER, answers, counted, in_engine
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import needs_node, solution_set
from mutants import PUZZLES
from puzzlesat.base import Limits, NotSupportedError, data_files
from puzzlesat.kernels.emit import BROWSER, IN_BROWSERS, LINKED, STATED, all_listed
from puzzlesat.kernels.parts import kernel_named
from puzzlesat.pages.site_puzzle import choices_as_json, cover_as_json, text_as_json
from puzzlesat.playing import Position, as_json, look_at, sentences
from puzzlesat.playing.hint import _called as called_in_words
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.solvers import backtrack, bitset_search, kernel
from puzzlesat.solvers.backtrack import one_of_each_orbit
from puzzlesat.solvers.parallel import SearchLayout, turns
from puzzlesat.solvers.tables import copy_state, make_tables, start_state
from strategies import cover_problems
from tiers import every

QUICK = (
    "polyominoes-1-2-3-4-cross-hole", "absolut-knifflig", "die-loriot-knobelei", "dominoes-5x12-tatami", "instant-insanity",
    "l-trominoes-5x9", "langford-7", "cube-in-cage",
)  # fmt: skip
MORE = (
    "soma", "diabolical-cube", "conway-packing", "six-piece-burr", "aztec-diamond-4", "dominoes-6x6-klein-bottle",
    "dominoes-6x6-fault-free", "dominoes-8x8-half-turn", "dominoes-and-squares-4x7-tatami", "mutilated-board-6x6",
    "mutilated-chessboard", "hexiamonds-6x6", "hexiamonds-coin", "hexiamonds-spinner-2", "hivert-8x8", "kanoodle-pyramid",
    "l-trominoes-6x6", "langford-8", "asterix-knobelei", "geduld", "japanisches-kartenraetsel-einfach", "knifflidiffels-version-5",
    "uli-stein-tierisch-verzwickt", "lozenges-hexagon-3", "one-sided-polyominoes-2-3-4-square", "one-sided-welded-tetrasticks-5x5",
    "pentatwigs-triangle", "pentominoes-3x20-moebius", "pentominoes-4x15-no-crossroads", "pentominoes-6x10-touching-the-border",
    "pentominoes-8x8-centre", "pentominoes-6x10", "bits-and-bytes-half-turns", "four-piece-tetrahedron", "hex-sticks", "ball-room-3",
    "polyominoes-1-2-3-4-7x4-plus-one", "octogram",
)  # fmt: skip
ON_THE_TABLE = ("polyominoes-1-2-3-4-cross-hole", "absolut-knifflig", "l-trominoes-5x9")


@cache
def built(name):
    (file,) = [file for file in (*data_files("instances"), *PUZZLES.glob("*.toml")) if file.stem == name]
    return build_instance(load_instance(file))


def by_the_program(problem):
    """Return the same figures of the search by the same kernel here."""
    problem = one_of_each_orbit(problem, None, Limits(), ())
    t = make_tables(problem)
    layout = SearchLayout(t, bitset_search.search if t.plain else kernel.search, lambda *_: None, copy_state)
    state = start_state(t, problem, problem.forced)
    work = sum(turn.work for turn in turns(layout, state, listing=False, most_found=None, cores=1))
    return [True, *(int(work[i]) for i in (kernel.NODES, kernel.FOUND, kernel.WEIGHTED if len(t.factor) else kernel.FOUND))]


@needs_node
@every("name", [*QUICK, *MORE], fast=("l-trominoes-5x9",))
def test_counts_node_for_node(name):
    assert counted([cover_as_json(built(name).problem)]) == [by_the_program(built(name).problem)]


@needs_node
@pytest.mark.full
@settings(max_examples=20)
@given(problems=st.lists(cover_problems(), min_size=5, max_size=8))
def test_random_problems_node_for_node(problems):
    outcomes = [backtrack.solve(problem, None, Limits(cores=1), layout=backtrack.BITSETS) for problem in problems]
    expected = [[True, outcome.work["nodes"], outcome.found] for outcome in outcomes]
    assert [found[:2] + found[3:] for found in counted([cover_as_json(problem) for problem in problems])] == expected


def asked(one):
    """Return a puzzle as the site sends it to the worker."""
    cover = cover_as_json(one.problem, one.first_rule_item)
    position = Position(one, ())
    called = [called_in_words(position, option) for option in range(one.problem.size)]
    said = {"called": called, "choices": choices_as_json(one), "text": text_as_json(one), "facts": {"facts": []}}
    return {"name": one.instance.name, "cover": cover, "placements": list(one.problem.options), **said}


def positions(one, seed, number=4):
    """Yield positions without overlaps: beginnings of a solution, also with other pieces."""
    problem, rng = one.problem, np.random.default_rng(seed)
    row = rng.permutation(min(solution_set(problem)))
    yield ()
    yield tuple(row.tolist())
    tiles, by_item = set(problem.tiles.tolist()), np.bincount(problem.item, minlength=len(problem.items))
    for size in range(1, number):
        placed, used = [], np.zeros(len(by_item), dtype=int)
        for option in [*row[: rng.integers(size)].tolist(), *rng.permutation(problem.size).tolist()]:
            items = problem.items_of(option)
            strict = items[~problem.coloured[items]]
            if len(placed) < size + 1 and (used[strict] < problem.high[strict]).all() and tiles:
                placed.append(option)
                used[strict] += 1
        yield tuple(placed)


def check_positions(name, seed):
    one = built(name)
    placed = list(positions(one, seed))
    names = [[one.problem.options[o] for o in p] for p in placed]
    messages = [{"id": i, "question": "position", "body": {"position": n}} for i, n in enumerate(names, start=1)]
    messages += [{"id": 100 + i, "question": "hint", "body": {"position": n}} for i, n in enumerate(names, start=1)]
    said, _ = answers(asked(one), messages)
    for i, options in enumerate(placed, start=1):
        fixed = one.problem.forced
        hint = look_at(Position(one, tuple(o for o in options if o not in fixed), ordered=True), more=False, limits=Limits())
        expected, answer = as_json(hint), said[i]["data"]
        keys = ("completions", "exact", "finished", "solvable", "dead_ends")
        assert {key: answer[key] for key in keys} == {key: expected[key] for key in keys}
        wrong = answer["first_wrong"] and answer["first_wrong"]["number"] + 1
        assert wrong == expected["first_wrong"]
        assert answer["how"] == expected["take_back"]
        further = as_json(replace(look_at(hint.position, more=True, limits=Limits())))["next"]
        given = said[100 + i]["data"]
        assert given["placement"] == (further and further["name"])
        if further:
            for key in ("forced", "reason", "shared", "listed", "every"):
                assert given[key] == further[key]
        assert answer["words"] == list(map(str, sentences(hint, options=False)))
    return [said[i]["data"] for i in range(1, len(placed) + 1)]


@pytest.mark.full
@needs_node
@every("name, seed", [pytest.param(name, seed, id=f"{name} {seed}") for name in ON_THE_TABLE for seed in range(1, 6)])
def test_positions_and_hints(name, seed):
    answers = check_positions(name, seed)
    if seed == 1:
        assert {answer["solvable"] for answer in answers} == {True, False}
        assert any(answer["how"] and answer["how"]["choices"] for answer in answers)


@pytest.mark.full
@needs_node
def test_a_count_is_stopped_and_others_are_answered_meanwhile():
    said, before = answers(
        asked(built("pentominoes-6x10")),
        [
            {"id": 1, "question": "count", "body": {}},
            {"id": 2, "question": "hint", "body": {"position": ["nowhere"]}, "after": 50},
            {"id": 1, "stop": True, "after": 400},
        ],
    )
    assert said[2]["event"] == "failed"
    assert said[2]["data"]["error"] == ["nowhere is not a placement of this puzzle"]
    assert said[1]["data"]["complete"] is False
    assert {*said[1]["data"]["counts"]} == {"all"} and 0 <= said[1]["data"]["counts"]["all"] < 9356
    assert next(answer["event"] for answer in before if answer["id"] == 1) == "found"
    shares = [answer["data"]["share"] for answer in before if answer["event"] == "told"]
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)


@pytest.mark.full
@needs_node
def test_a_remainder_of_a_negative_sum():
    script = """
      import { readFileSync } from "fs";
      const { folder, sums } = JSON.parse(readFileSync(0)), { holds } = await import(`${folder}/cover.js`);
      console.log(JSON.stringify(sums.map((sum) => holds(sum, { low: 0, high: 0, modulus: 5, residue: 2 }))));
    """
    assert in_engine(script, sums=[-8, -3, -2, 2, 3, 7]) == [[True, True, False, True, False, True]]


def test_what_the_engine_cannot_do_is_refused():
    with pytest.raises(NotSupportedError, match="coloured"):
        cover_as_json(built("pentominoes-6x10-three-colours").problem)


def test_kernels_are_of_these_sources():
    """If this fails: ``nox -s kernels -- wasm32`` builds the kernels again."""
    stated = json.loads(FOLDER.joinpath(STATED).read_text(encoding="utf-8"))["kernels"]
    assert {name: (kinds, kernel_named(name).sources) for name, kinds in all_listed() if name in IN_BROWSERS} == {
        name: (said["arguments"], said["sources"]) for name, said in stated.items()
    }
    assert len(FOLDER.joinpath(LINKED).read_bytes()) < 60_000


@pytest.mark.full
def test_kernels_are_made_again(tmp_path):
    stated = json.loads(FOLDER.joinpath(STATED).read_text(encoding="utf-8"))
    if shutil.which("wasm-ld") is None or stated["llvmlite"] != llvmlite.__version__:
        pytest.skip(f"needs wasm-ld and llvmlite {stated['llvmlite']}, by which the kernels were made")
    subprocess.run([sys.executable, "-m", "puzzlesat.kernels.emit", str(tmp_path), BROWSER], check=True)
    for name in (LINKED, STATED):
        assert tmp_path.joinpath(name).read_bytes() == FOLDER.joinpath(name).read_bytes()
