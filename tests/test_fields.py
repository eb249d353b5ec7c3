"""Every place that must handle the fields of a puzzle and of its parts handles all of them.

Each field has a pair of puzzles that differ in this field alone, or in this field and others that follow from it. Each place that
handles fields must see the difference. A new field without a pair fails a test: add its pair here, or the reason why it needs none.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from compare import check_counts, judged_and_built
from helpers import adding_to, solution_set
from puzzlesat.base import Limits, NotSupportedError
from puzzlesat.counting.counts import SolutionCounter
from puzzlesat.formats.puzzles import folded
from puzzlesat.formats.toml import instance_text
from puzzlesat.proofs import make_case, solution_check
from puzzlesat.puzzles import Grid, build_instance, reduce
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.puzzle import Form, Holds, Mark, Outline, Puzzle, Rule, SolutionRules, Split, Tile
from puzzlesat.solvers.registry import solver
from random_puzzles import features
from solution_judge import PLACE_RULES
from strategies import to_toml
from tiers import every

PARTS = (Puzzle, Form, Tile, Mark, Rule, Split, SolutionRules, Outline, Holds)
"""Classes of plain data between the files and the placements. Grids are separate files with separate tests (tests/grid)."""
NO_MATTER = {
    "Tile.outlines": "how listed placements are drawn; fingerprints leave it out",
    "Tile.colour": "how it is drawn; fingerprints leave it out",
    "Tile.name": "what placements are called",
    "Tile.members": "what the tiles are called that were joined; their copies are the ranges",
    "Tile.symmetries_of": "labelled_turns alone depends on it, which test_counts_of_odd_rules.py holds against the second reader",
    "Mark.face": "follows from the side; inside a tile, where it does not, a mark meets nothing",
    "Rule.name": "what it is called",
    "Split.name": "what it is called",
}
"""Fields on which no count depends, and why."""


@dataclass(frozen=True)
class Pair:
    """The tables of two puzzles, and their expected differences."""

    one: dict[str, Any]
    other: dict[str, Any]
    counts: tuple[str, ...] = ("all",)
    """Which of the counts differ: ``all``, ``labelled``, ``distinct``, ``split``."""
    follow: frozenset[str] = frozenset()
    """Fields that differ as well, because they follow from this one."""
    fixed: tuple[int | None, int | None] = (None, None)
    """The number of a placement that is fixed in one and in the other."""
    not_random: str = ""
    """Why it is no feature of random puzzles."""


DOMINO = {"atoms": [[1, 1], [2, 1]], "copies": "any"}
ALL_OPTIONAL = {"box": [3, 2], "optional": "all"}
SELF, LONELY = {"kind": "self"}, {"kind": "lonely"}
PLUS = [[1, 2, "e"], [2, 2, "e"], [2, 1, "n"], [2, 2, "n"]]
SQUARES = {"around": "00000000", "copies": 2}
VALUE = "another value of the same key"
ONE = {"atoms": [[1, 1]], "copies": [0, 6]}


def puzzle(form=None, tiles=None, **more):
    return {"title": "T", "grid": "square", "flips": True, "tiles": tiles or {"D": DOMINO}, "form": form or {"box": [3, 2]}} | more


def listed(*placements):
    return {"placements": [list(atoms) for atoms in placements], "copies": "any"}


def cards(around, form, **marks):
    tiles = {"C": {"around": list(around), "copies": "any"}}
    return puzzle(form, tiles, grid="square-marks", marks=marks or {"a": SELF, "b": SELF})


def ruled(**rule):
    return puzzle(ALL_OPTIONAL, conditions=[{"name": "c", **rule}])


def painted(form, fits):
    tile = {"atoms": [[1, 1], [2, 1]], "colours": {"red": [[1, 1]]}}
    return puzzle({"box": [2, 1], "colours": form}, {"D": tile}, colours={"red": fits})


def copies(**tiles):
    dominoes = {name: DOMINO | {"copies": number} for name, number in tiles.items()}
    return puzzle(tiles=dominoes | {"one": {"atoms": [[1, 1]], "copies": [0, 6]}})


def marked(side):
    """Two squares with ``a`` above and ``b`` on another side, stacked."""
    marks = [{"at": at, "on": [1, 1], "mark": mark} for at, mark in (([1, 2, "h"], "a"), (side, "b"))]
    tiles = {"C": {"atoms": [[1, 1]], "copies": 2, "marks": marks}}
    return puzzle({"box": [1, 2]}, tiles, grid="square-marks", turns="none", flips=False, marks={"a": SELF, "b": SELF})


PLUS_TILE = {"atoms": [[2, 1], [1, 2], [2, 2], [3, 2], [2, 3]], "copies": [0, 1]}
BY_NAME = "it names placements, which random tables cannot know (tests/test_solution_rules.py)"
STRICTLY = ({"apart": [["D"]]}, {"apart": [["D"]], "strictly": True})
MIXED = copies(D=[0, 3]) | {"form": {"box": [4, 2]}}


def wanted(form, tiles=None, *, not_random="", **rules):
    return Pair(puzzle(form, tiles), puzzle(form, tiles, solutions=rules), not_random=not_random)


def outlined(tiles, under):
    return MIXED | {"solutions": {"symmetric_outline": [{"tiles": tiles, "under": under}]}}


def holding(one, other):
    return Pair(*(MIXED | {"solutions": {"holds": [table]}} for table in (one, other)), not_random=VALUE)


PAIRS = {
    "Puzzle.grid": Pair(puzzle(ALL_OPTIONAL), puzzle(ALL_OPTIONAL, grid="hexagon"), follow=frozenset({"Tile.symmetries"})),
    "Puzzle.rules": Pair(puzzle(ALL_OPTIONAL), ruled(tiles={"D": 1}, equals=2)),
    "Puzzle.mates": Pair(cards("abab", {"box": [2, 1]}), cards("abab", {"box": [2, 1]}, a=LONELY, b=SELF), not_random=VALUE),
    "Puzzle.fits": Pair(painted({"red": [[1, 1]]}, ["red"]), painted({"red": [[1, 1]]}, []), not_random=VALUE),
    "Puzzle.border": Pair(cards("aaba", {"box": [1, 2]}), cards("aaba", {"box": [1, 2], "border": "a"})),
    "Puzzle.may_cross": Pair(
        puzzle({"atoms": PLUS}, {"I": {"atoms": [[1, 1, "e"], [2, 1, "e"]], "copies": 2}}, grid="square-edges"),
        puzzle({"atoms": PLUS}, {"I": {"atoms": [[1, 1, "e"], [2, 1, "e"]], "copies": 2}}, grid="square-edges", may_cross=True),
        follow=frozenset({"Tile.atoms", "Form.optional"}),
    ),
    "Puzzle.fixed": Pair(puzzle(), puzzle(), fixed=(None, 0), not_random="a placement is fixed beside the random table (fixed_number)"),
    "Puzzle.mirrored_same": Pair(*(puzzle({"box": [4, 3]}, mirrored=m) for m in ("different", "same")), ("distinct",), not_random=VALUE),
    "Puzzle.split": Pair(puzzle(ALL_OPTIONAL), puzzle(ALL_OPTIONAL, split={"name": "left", "uncovered": "face"}), ("split",)),
    "Form.required": Pair(puzzle(), puzzle({"box": [4, 2]}), not_random=VALUE),
    "Form.optional": Pair(puzzle(), puzzle({"box": [3, 2], "optional": [[1, 1], [1, 2]]}), follow=frozenset({"Form.required"})),
    "Form.colours": Pair(painted({"red": [[1, 1]]}, []), painted({}, []), not_random=VALUE),
    "Form.wrap": Pair(puzzle(), puzzle({"box": [3, 2], "wrap": [{"move": [3, 0]}]})),
    "Tile.atoms": Pair(puzzle(), puzzle(tiles={"D": {"atoms": [[1, 1], [2, 1], [3, 1]], "copies": "any"}}), not_random=VALUE),
    "Tile.marks": Pair(cards("abab", {"box": [2, 1]}), cards("aaaa", {"box": [2, 1]}), follow=frozenset({"Mark.name"}), not_random=VALUE),
    "Tile.low": Pair(copies(D=[0, 3]), copies(D=[1, 3]), follow=frozenset({"Tile.ranges"}), not_random=VALUE),
    "Tile.high": Pair(copies(D=[0, 1]), copies(D=[0, 2]), follow=frozenset({"Tile.ranges"}), not_random=VALUE),
    "Tile.symmetries": Pair(puzzle(), puzzle(turns="none")),
    "Tile.ranges": Pair(copies(D=[0, 1], E=[1, 2]), copies(D=[0, 2], E=[1, 1]), ("labelled",), not_random=VALUE),
    "Tile.listed": Pair(
        puzzle(tiles={"D": DOMINO, "one": ONE}, flips=False, turns="none"),
        puzzle(tiles={"D": listed([[1, 1], [2, 1]], [[1, 2], [2, 2]], [[3, 1], [3, 2]]), "one": ONE}, flips=False, turns="none"),
    ),
    "Mark.side": Pair(marked([1, 1, "v"]), marked([1, 1, "h"]), not_random=VALUE),
    "Mark.name": Pair(cards("aaaa", {"box": [2, 1], "border": "a"}), cards("bbbb", {"box": [2, 1], "border": "a"}), not_random=VALUE),
    "Rule.atoms": Pair(ruled(atoms=[[1, 1, 1]], equals=1), ruled(atoms=[[2, 1, 1]], equals=1), not_random=VALUE),
    "Rule.tiles": Pair(ruled(tiles={"D": 1}, equals=2), ruled(tiles={"D": 2}, equals=2), not_random=VALUE),
    "Rule.low": Pair(ruled(tiles={"D": 1}, between=[0, 2]), ruled(tiles={"D": 1}, between=[1, 2]), not_random=VALUE),
    "Rule.high": Pair(ruled(tiles={"D": 1}, between=[0, 2]), ruled(tiles={"D": 1}, between=[0, 1]), not_random=VALUE),
    "Rule.modulus": Pair(*(ruled(tiles={"D": 1}, modulo={"of": of, "is": 0}) for of in (2, 3)), not_random=VALUE),
    "Rule.residue": Pair(*(ruled(tiles={"D": 1}, modulo={"of": 3, "is": is_}) for is_ in (0, 1)), not_random=VALUE),
    "Split.atoms": Pair(
        *(
            puzzle({"box": [2, 1], "inner": {"slot": "optional"}, "outer": {"slot": "optional"}}, {"S": SQUARES}, grid="square-slots",
                   split={"name": "left", "uncovered": which})
            for which in ("slot", "inner slot")
        ),
        ("split",),
    ),
    **{f"SolutionRules.{key}": wanted({"box": box}, **{key: True}) for key, (_, _, box) in PLACE_RULES.items()},
    "SolutionRules.symmetric": wanted({"box": [4, 3]}, symmetric="turn 180"),
    "SolutionRules.outlines": Pair(MIXED, outlined(["one"], "turn 180")),
    "SolutionRules.colours": wanted({"box": [4, 4]}, colours=2),
    "SolutionRules.touch_border": wanted({"box": [4, 5]}, touch_border="all"),
    "SolutionRules.inside": wanted({"box": [3, 3], "optional": "all"}, {"D": DOMINO, "X": PLUS_TILE}, inside=["D"]),
    "SolutionRules.apart": wanted({"box": [3, 2], "optional": "all"}, apart=[["D"]]),
    "SolutionRules.strictly": Pair(*(puzzle({"box": [4, 3], "optional": "all"}, solutions=rules) for rules in STRICTLY)),
    "SolutionRules.forbidden": wanted(None, forbidden=["D.1@1.1"], not_random=BY_NAME),
    "SolutionRules.one_of": wanted(None, one_of=[["D.1@1.1", "D.1@2.1"]], not_random=BY_NAME),
    "SolutionRules.holds": wanted({"box": [4, 2]}, holds=[{"atoms": [[1, 1], [2, 1], [3, 1], [4, 1]], "equals": 1}]),
    "Outline.tiles": Pair(*(outlined(tiles, "turn 180") for tiles in (["one"], ["one", "D"])), not_random=VALUE),
    "Outline.under": Pair(*(outlined(["one"], under) for under in ("turn 180", "mirror 90")), not_random=VALUE),
    "Holds.tiles": holding(*({"tiles": tiles, "atoms": [[1, 1]], "equals": 0} for tiles in (["one"], ["D"]))),
    "Holds.atoms": holding(*({"tiles": ["D"], "atoms": atoms, "equals": 0} for atoms in ([[1, 1]], [[2, 1]]))),
    "Holds.low": holding(*({"tiles": ["D"], "atoms": [[1, 1], [2, 1], [3, 1]], "between": [low, 1]} for low in (0, 1))),
    "Holds.high": holding(*({"tiles": ["D"], "atoms": [[1, 1], [2, 1], [3, 1]], "between": [0, high]} for high in (0, 1))),
}  # fmt: skip
INSIDE = {
    Form: "Puzzle.form", Tile: "Puzzle.tiles", Mark: "Tile.marks", Rule: "Puzzle.rules", Split: "Puzzle.split",
    SolutionRules: "Puzzle.solutions", Outline: "SolutionRules.outlines", Holds: "SolutionRules.holds",
}  # fmt: skip
"""The fields that contain such parts. They differ if the parts differ."""
KILLING = (
    "Puzzle.grid", "Puzzle.fits", "Puzzle.border", "Puzzle.may_cross", "Puzzle.split", "Form.colours", "Form.wrap",
    "Tile.marks", "Tile.high", "Tile.ranges", "Mark.side", "Rule.atoms", "Rule.tiles", "Rule.residue",
    "SolutionRules.inside", "SolutionRules.fault_free", "SolutionRules.colours", "Holds.low",
)  # fmt: skip
"""The fields whose pairs reveal a bug of mutants/mutants.toml by a wrong count."""


def names_of(part):
    return [f"{part.__name__}.{field.name}" for field in fields(part)]


@cache
def two(field):
    pair = PAIRS[field]
    return [judged_and_built(table, fixed) for table, fixed in zip((pair.one, pair.other), pair.fixed, strict=True)]


def test_every_field_has_a_pair_or_a_reason():
    everything = {name for part in PARTS for name in names_of(part)}
    whole = {"Puzzle.tiles", "Puzzle.form", "Puzzle.solutions"}  # differences here appear again in a Tile, in the Form, or in a rule
    new = everything - PAIRS.keys() - NO_MATTER.keys() - whole
    assert not new, "give each a pair of puzzles that differ in it (PAIRS), or a reason why it is no matter (NO_MATTER)"
    assert PAIRS.keys() <= everything
    assert not PAIRS.keys() & NO_MATTER.keys()


@pytest.mark.full
@every("field", PAIRS, fast=4)
def test_the_pair_differs_in_that_field_first(field):
    (_, one), (_, other) = two(field)
    assert field in (found := differing(one.puzzle, other.puzzle))
    assert found - {field} - PAIRS[field].follow - {*INSIDE.values()} - NO_MATTER.keys() == set()


def differing(one, other):
    """The fields in which two puzzles, or parts of them, differ, including the fields of their parts."""
    found = set()
    for field in fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if plain(mine) != plain(theirs):
            found.add(f"{type(one).__name__}.{field.name}")
            pairs = list(zip(*map(as_parts, (mine, theirs)), strict=False))
            found |= {name for a, b in pairs if type(a) is type(b) for name in differing(a, b)}
    return found


def as_parts(value):
    values = value if isinstance(value, tuple) else (value,)
    return [v for v in values if type(v) in PARTS]


def plain(value):
    """Return the value by which two values are compared."""
    if isinstance(value, Grid):
        return value.name
    if is_dataclass(value) and type(value) in PARTS:
        return tuple(plain(getattr(value, f.name)) for f in fields(value))
    return tuple(map(plain, value)) if isinstance(value, tuple) else repr(value)


@every("field", PAIRS, fast=KILLING)
def test_the_count_is_that_of_the_judge_and_differs(field):
    """The judge reads the same tables, so a field that only one of both knows is detected."""
    judged = []
    for one, built in two(field):
        for problem in (built.problem, reduce(built.problem).problem):
            check_counts(one, built, problem)
        judged.append(one)
    for count in PAIRS[field].counts:
        assert getattr(judged[0], count) != getattr(judged[1], count)


@every("field", PAIRS, fast=("Puzzle.fixed", "Form.optional"))
def test_the_symmetries_are_those_of_the_judge(field):
    for judged, built in two(field):
        if built.puzzle.form.wrap is None:
            assert len(built.problem.symmetries) == len(judged.symmetries)


@every("field", PAIRS, fast=2)
def test_a_turned_copy_has_as_many_solutions(field):
    for judged, built in two(field):
        copy, _ = built.puzzle.transformed_copy()
        problem = build_instance(copy).problem
        counter = SolutionCounter(build_instance(copy), problem)
        solver("backtrack")(problem)(adding_to(counter), Limits())
        counts = counter.counts()
        assert (counts.all, counts.labelled, counts.distinct, counts.split) == (judged.all, judged.labelled, judged.distinct, judged.split)


@every("field", PAIRS, fast=2)
def test_the_recheck_takes_the_solutions_of_the_one_and_no_others(field):
    """Placements are matched by name, because each re-check knows those of its own puzzle."""
    (_, one), (_, other) = two(field)
    for built in (one, other):
        check = solution_check(built)
        assert [check(row) for row in rows_of(built)] == [None] * len(rows_of(built))
    if one.puzzle.grid.name == other.puzzle.grid.name and one.puzzle.form.atoms == other.puzzle.form.atoms:
        for mine, theirs in ((one, other), (other, one)):
            fixed = tuple(o for o, name in enumerate(mine.placements.names) if name in theirs.puzzle.fixed)
            check = solution_check(replace(mine, puzzle=theirs.puzzle, problem=replace(mine.problem, forced=fixed)))
            known = {looks_of(theirs, row) for row in rows_of(theirs)}
            for row in rows_of(mine):
                assert looks_of(mine, row) in known or check(row) is not None


def rows_of(built):
    return [np.array([row], dtype=np.int32).reshape(1, len(row)) for row in sorted(solution_set(built.problem))]


def looks_of(built, row):
    """Return the placement of a row, without the crossings that its tile covers."""
    kinds = built.puzzle.grid.crossing_kinds
    atoms = built.puzzle.grid.atoms
    return frozenset(
        (p.tile, frozenset(a for a in p.atoms if atoms[a[-1]].kind not in kinds), frozenset(p.marks))
        for p in map(built.placements.__getitem__, row[0].tolist())
    )


@pytest.mark.full
@every("field", PAIRS, fast=4)
def test_a_certificate_states_it(field):
    """Otherwise the puzzle is refused because no certificate can state it."""
    stated = []
    for _, built in two(field):
        try:
            stated.append({key: value for key, value in make_case(built).stated.items() if key not in ("name", "title")})
        except NotSupportedError as error:
            stated.append(str(error))
    refused = [said for said in stated if isinstance(said, str)]
    assert stated[0] != stated[1] or len(refused) == 2


@every("field", PAIRS, fast=2)
def test_the_file_that_is_written_says_it(field, tmp_path):
    """Each puzzle, written as one file, is read back as the same puzzle, so the two files differ."""
    texts = []
    for (_, built), table in zip(two(field), (PAIRS[field].one, PAIRS[field].other), strict=True):
        fixed = {"form": {**table["form"], "fixed": list(built.puzzle.fixed)}} if built.puzzle.fixed else {}
        file = tmp_path / "x.toml"
        file.write_text(to_toml(table | fixed), encoding="utf-8")
        texts.append(instance_text(folded(str(file))[1]))
        file.write_text(texts[-1], encoding="utf-8")
        assert differing(load_instance(file).puzzle, built.puzzle) <= NO_MATTER.keys()
    assert texts[0] != texts[1]


@every("field", PAIRS)
def test_random_puzzles_have_it(field):
    pair = PAIRS[field]
    differ = features(pair.one) ^ features(pair.other)
    assert bool(differ) != bool(pair.not_random), differ
