"""The terms of docs/new-terms.md: the b-file, what instances expect, the program, and a program that has nothing of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from puzzlesat.formats.puzzles import instance_in

ROOT = Path(__file__).parents[1]
TERMS = dict(tuple(map(int, line.split())) for line in (ROOT / "docs" / "b377309.txt").read_text().splitlines())


def test_all_terms_stand_there_in_order():
    assert list(TERMS) == list(range(22))
    assert TERMS[0] == 1
    assert [n for n, term in TERMS.items() if not term] == [n for n in TERMS if n % 3 == 1]


@pytest.mark.parametrize("n", [n for n in TERMS if n % 3 != 1 and n])
def test_the_terms_are_those_that_instances_expect(n):
    assert instance_in(f"stones-and-bones-triangle-{n}", None).expect.all == TERMS[n]


def test_the_page_has_the_new_ones():
    page = (ROOT / "docs" / "new-terms.md").read_text()
    assert all(f"{TERMS[n]:,}" in page for n in (20, 21))


@pytest.mark.parametrize("upwards", [True, False])
def test_a_program_that_has_nothing_of_this_one_counts_the_same(upwards, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from stones_and_bones import count

    sides = [n for n in TERMS if 0 < n <= (15 if upwards else 12)]
    assert {n: count(n, upwards=upwards)[0] for n in sides} == {n: TERMS[n] for n in sides}
    assert "puzzlesat" not in Path(sys.modules["stones_and_bones"].__file__).read_text().split('"""', 2)[2]
