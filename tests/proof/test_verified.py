"""Compare the verified checker with the checker in Python and with the judge: everything that either checker accepts is true.

A difference is an error in one of them, or of a kind that docs/verified.md lists: something that Python reads or requires, and the proof
does not need. Without OCaml these tests are skipped.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from test_mutations import CERTIFICATES, PUZZLES, Senseless, as_zip, certificate, is_true

from brute_force import TooMuch
from compare import built_with_fixed, judged_and_built
from helpers import library
from puzzlesat.base import Limits, NotSupportedError
from puzzlesat.checker import CertifiedCounts, check_certificate
from puzzlesat.proofs import certify, make_case
from puzzlesat.proofs.plain_text import check_values, checked_text, not_checked, puzzle_text
from puzzlesat.proofs.verified import check_by_proof, differences
from strategies import GRIDS, puzzles, to_toml
from tiers import every, tries

sys.path.append(str(Path(__file__).parents[2] / "verified"))
import covered
from mutate import PYTHON_ALONE, SORTS, mutated, sort_of, why

COVERED = [(name, kind) for name, kind in CERTIFICATES if kind in ("tree", "prove") and "[solutions]" not in PUZZLES[name]]
MUTATIONS = tries(6)
PARTS = 3
"""Number of tests that share the grids. On grids with many isometries, the program takes up to some seconds for a puzzle."""
KEPT_BY_CHANCE = {"rules"}
"""A motion keeps the rule on all coverings, but no combination of weights shows it, so ``distinct`` is not proved."""
fixed_numbers = st.one_of(st.none(), st.none(), st.integers(0, 1000))


def in_a_file(folder, said, members):
    path = Path(folder) / "some.proof"
    path.write_bytes(as_zip(said, members).getvalue())
    return path


@every("name, kind", COVERED, fast=("cards",))
def test_both_checkers_prove_the_same(name, kind, checker, tmp_path):
    stated = certificate(name, kind)
    path = in_a_file(tmp_path, stated.said, stated.members)
    proved, ours = check_by_proof(path, checker), check_certificate(path)
    assert (proved.kind, proved.name) == (ours.kind, ours.name)
    assert proved.counts == (replace(ours.counts, distinct=None) if name in KEPT_BY_CHANCE else ours.counts)
    assert differences(proved.text, stated.said["puzzle"]) == []
    assert proved.believed[0] == "that the puzzle above is the one you mean"


@pytest.mark.full
def test_every_kind_is_among_them():
    assert {certificate(*which).said["kind"] for which in COVERED} == {"removals", "weighting", "tree"}


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_random_puzzles_are_proved_with_the_counts_of_plain_enumeration(checker, part):
    @every("grid", GRIDS[part::PARTS])
    @settings(max_examples=tries(3))
    @given(data=st.data(), fixed=fixed_numbers)
    def each(grid, data, fixed):
        prove_with_the_counts_of_plain_enumeration(checker, grid, data, fixed)

    each()


@pytest.mark.full
def test_conditions_that_would_take_hours_are_refused_at_once(checker, tmp_path):
    """The program itself refuses them, and so does the step before it."""
    puzzle = certificate("cards", "tree").said["puzzle"]
    rule = {"name": "n", "atoms": [], "tiles": {t["name"]: 0 for t in puzzle["tiles"]}, "low": 0, "high": 1, "modulus": 0, "residue": 0}
    atoms = [[x, y, 0] for x in range(200) for y in range(200)]
    said = as_stated({**puzzle, "required": atoms, "rules": [rule] * 2000})
    plain = tmp_path / "plain"
    plain.write_bytes(checked_text(said, 0))
    done = subprocess.run([checker, plain], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3, done.stderr
    assert "2000 conditions and" in done.stderr
    with pytest.raises(NotSupportedError, match="2,000 conditions and"):
        check_by_proof(in_a_file(tmp_path, said, {}), checker)


def prove_with_the_counts_of_plain_enumeration(checker, grid, data, fixed):
    table = data.draw(puzzles(grid))
    note(to_toml(table))
    try:
        judged, built = judged_and_built(table, fixed)
        case = make_case(built)
    except (TooMuch, NotSupportedError):
        assume(False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "some.proof"
        certify(case, path, "tree", Limits())
        ours, proved = check_certificate(path), check_by_proof(path, checker)
    assert differences(proved.text, case.stated) == []
    assert proved.counts.all == ours.counts.all == judged.all
    assert proved.counts.labelled in (None, ours.counts.labelled)
    assert proved.counts.distinct in (None, judged.distinct)


@every("grid", GRIDS, fast=("square-marks",))
@given(data=st.data(), fixed=fixed_numbers)
def test_nothing_of_a_puzzle_is_lost_in_the_plain_text(grid, data, fixed):
    try:
        case = make_case(built_with_fixed(data.draw(puzzles(grid)), fixed)[0])
    except NotSupportedError:
        assume(False)
    said = as_stated(case.stated)
    assume(not_checked(said) is None)
    text, before = checked_text(said, 0), puzzle_text(case.stated)
    assert differences(text, case.stated) == []
    changed = json.loads(json.dumps(said))
    path = data.draw(st.sampled_from([path for path in leaves(said["puzzle"]) if not NAMED_FOR_PEOPLE.search("/".join(map(str, path)))]))
    inside = reduce(getitem, path[:-1], changed["puzzle"])
    inside[path[-1]] = another(inside[path[-1]])
    try:
        check_values(changed)
        after = puzzle_text(changed["puzzle"])
    except (ValueError, KeyError):  # it is refused
        return
    assert after != before
    assert differences(text, changed["puzzle"]) != []


NAMED_FOR_PEOPLE = re.compile("^(name|title)$|^(symmetries|rules)/[0-9]+/name$|/kind$")
"""Names of the puzzle, of symmetries, rules and kinds: no count depends on them, and the text for the checker omits them."""


def as_stated(puzzle):
    """A certificate of a puzzle, written and read again."""
    claim = {"labelled": None, "all": 0, "distinct": 0}
    return json.loads(json.dumps({"kind": "removals", "claim": claim, "kept": None, "removals": [], "puzzle": puzzle}))


def leaves(value, path=()):
    """The places of all values that contain no others."""
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inside, (*path, key))
    else:
        yield path


def another(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return "1/7" if value is None or re.fullmatch("-?[0-9/]+", value) else value + "'"


@pytest.mark.full
@every("name, kind", COVERED)
def test_damaged_certificates_are_rejected_or_true(name, kind, checker, tmp_path):
    hold_against_each_other(name, kind, checker, tmp_path, MUTATIONS, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), COVERED)
def test_many_damaged_certificates_are_rejected_or_true(name, kind, checker, tmp_path):
    hold_against_each_other(name, kind, checker, tmp_path, 240, seed=2)


def hold_against_each_other(name, kind, checker, folder, number, seed):
    """Damage a certificate, and give it to both checkers; if only the proved one accepts it, the difference is of a known kind."""
    stated, chance, tally = certificate(name, kind), random.Random(f"{name} {kind} {seed}"), Counter()
    for _ in range(number):
        said, members, what = mutated(stated.said, stated.members, chance)
        path = in_a_file(folder, said, members)
        ours = why(check_certificate, path)
        theirs = why(lambda path: check_by_proof(path, checker), path)
        assert ours is not None or theirs is None, f"{what}: {PYTHON_ALONE}; {theirs}"
        tally[ours is None, theirs is None] += 1
        if theirs is None:
            assert ours is None or sort_of(ours) in SORTS, f"{what}: Python alone rejects it: {ours}"
            assert holds(said, check_by_proof(path, checker).counts), what
    assert tally[False, False] > number / 8, "damage does harm"


def holds(said, counts: CertifiedCounts):
    """Return whether the counts equal the judge's count of the stated puzzle; True if the judge finds the puzzle invalid."""
    claim = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
    try:
        return is_true({**said, "claim": claim})
    except (Senseless, KeyError, ValueError, IndexError):
        return True


FOUND = [json.loads(line) for line in covered.FOUND.read_text(encoding="utf-8").splitlines()]


def test_the_table_is_made_of_what_was_found():
    text = covered.PAGE.read_text(encoding="utf-8").partition(covered.MARK)[2]
    assert text.splitlines() == ["", *covered.table(FOUND)], "run python verified/covered.py --table"
    assert [said["instance"] for said in FOUND] == [name for name, file in library().items() if file.best is None]


def test_each_certificate_is_accepted_with_the_expected_counts():
    for said in FOUND:
        assert said["verdict"] != covered.REFUSED, said
        if said["verdict"] == covered.ACCEPTED:
            expect = library()[said["instance"]].expect
            for what, proved in zip(("labelled", "all", "distinct"), said["proved"], strict=True):
                assert None in (proved, getattr(expect, what)) or proved == getattr(expect, what), said

    covers = {said["instance"]: said["kind"] for said in FOUND if said["verdict"] == covered.ACCEPTED}
    assert {"tritetratan", "bits-and-bytes", "absolut-knifflig", "octogram"} <= covers.keys()
    assert {*covers.values()} == {"tree", "weighting", "removals"}
