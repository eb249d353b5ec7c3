"""Certificates of counts: the checker accepts what is certified, with the counts of plain enumeration."""

import json
import re
import tempfile
import threading
from contextlib import contextmanager
from io import BytesIO
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import dratify
import networkx as nx
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from brute_force import TooMuch, judge
from helpers import body, load, make_clauses
from puzzlesat.base import Limits, NotSupportedError, PuzzleError
from puzzlesat.checker import Rejected, check_certificate
from puzzlesat.checker.lrat import check_lrat
from puzzlesat.checker.puzzle import all_placements, read_puzzle
from puzzlesat.checker.tally import hangs_together
from puzzlesat.proofs.case import certificate_to_lrat, make_case
from puzzlesat.proofs.certificates import KINDS, SearchStoppedError, certify
from puzzlesat.proofs.statement import state_puzzle
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from strategies import GRIDS, puzzles, to_toml
from tiers import every

STEP = re.compile(r"^\d+ ((?:-?[1-9]\d* )*0) .*$")
SMALLEST = "domino-and-square-3x2"
SEVERAL_COPIES = "only where every atom and every tile is used once at most"


@contextmanager
def temporary():
    """The path of a certificate in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "some.proof"


def case_and_judged(table, fixed_numbers=()):
    """A random puzzle as a case to certify and as the judge counts it, perhaps with some placements fixed."""
    note(to_toml(table))
    built = build_instance(load(table))
    fixed = {built.placements[n % len(built.placements)].name for n in fixed_numbers if built.placements}
    if fixed:
        note(f"fixed: {fixed}")
        chosen = [p for p in built.placements if p.name in fixed]
        table = {**table, "form": {**table["form"], "fixed": sorted(fixed)}}
        if table.get("mirrored") == "same":
            table = {**table, "mirrored": "different"}
        fixed = [(built.puzzle.tiles[p.tile].name, body(built.puzzle.grid, p)) for p in chosen]
        try:
            built = build_instance(load(table))
        except PuzzleError as error:
            note(str(error))
            assume(False)
    try:
        return make_case(built), judge(table, sorted(fixed, key=str))
    except TooMuch:
        assume(False)


def check_against(path, counts, judged, kind):
    """Check that a certificate is accepted, and that its counts equal the certified counts and plain enumeration."""
    verified = check_certificate(path)
    assert verified.counts == counts
    assert (verified.kind, verified.counts.all) == ("lrat" if kind == "cadical" else kind, judged.all)
    if kind == "tally":
        assert verified.counts.distinct is None
        assert verified.counts.labelled in (None, judged.labelled)
    else:
        assert verified.counts.distinct == judged.distinct
        assert verified.counts.labelled == judged.labelled


some = settings(max_examples=max(settings.default.max_examples // 2, 1))
"""Every grid is tried, so each gets half of the puzzles that the profile says."""
STATED = [grid for grid in GRIDS if grid != "balls"]
fixed_numbers = st.one_of(st.just([]), st.just([]), st.lists(st.integers(0, 1000), min_size=1, max_size=2))


@every("grid", STATED, fast=("square-marks",))
@some
@given(data=st.data(), fixed=fixed_numbers)
def test_a_tree_proves_what_enumeration_finds(grid, data, fixed):
    case, judged = case_and_judged(data.draw(puzzles(grid)), fixed)
    with temporary() as path:
        certified = certify(case, path, "tree", Limits())
        assert certified.size == path.stat().st_size
        check_against(path, certified.counts, judged, "tree")


@given(table=puzzles(), fixed=fixed_numbers, kind=st.sampled_from(["tally", "tally", "lrat", "cadical"]))
def test_the_other_kinds_prove_it_or_say_that_they_cannot(table, fixed, kind):
    case, judged = case_and_judged(table, fixed)
    with temporary() as path:
        try:
            certified = certify(case, path, kind, Limits())
        except NotSupportedError as error:
            assert not list(path.parent.iterdir())
            because = str(error)
            assert "--kind tree" in because or SEVERAL_COPIES in because
            rules, fixtures = bool(case.puzzle.rules), bool(case.problem.forced)
            if kind == "cadical":
                assert rules
            elif kind == "lrat":  # an atom or a tile may be in several placements, or in none
                assert rules or ((case.problem.low > 1) | (case.problem.high != 1)).any()
            else:
                assert rules or fixtures or case.puzzle.mates
            return
        assert not case.puzzle.rules
        check_against(path, certified.counts, judged, kind)


@pytest.mark.full
@some
@given(table=puzzles(), fixed=fixed_numbers)
def test_the_puzzle_stated_is_the_one_compiled(table, fixed):
    """The puzzle read back has exactly the compiled placements, tile by tile; the zip file holds the statement."""
    case, judged = case_and_judged(table, fixed)
    stated = {"name": "random", "title": "random", **json.loads(json.dumps(state_puzzle(case.built)))}
    assert stated == case.stated
    found = all_placements(read_puzzle(stated))
    assert found == case.placements
    grid, tiles = case.built.puzzle.grid, case.built.puzzle.tiles
    compiled = {(p.tile, frozenset(p.atoms), frozenset((m.side, m.face, m.name) for m in p.marks)) for p in case.built.placements}
    assert {(p.tile, *p.look) for p in found} == {p for p in compiled if tiles[p[0]].high != 0}
    assert len(set(found)) == len(found) == judged.placements
    assert [case.built.placements[n].tile for n in case.number.tolist()] == [p.tile for p in found]
    assert len({body(grid, case.built.placements[n]) for n in case.number.tolist()}) <= len(found)
    with temporary() as path:
        certify(case, path, "tree", Limits())
        with ZipFile(path) as archive:
            assert json.loads(archive.read("certificate.json"))["puzzle"] == stated


REAL = {
    ("tritetratan", "tree"): (124, 124, 31),
    ("pentominoes-3x20", "tree"): (8, 8, 2),
    ("pentominoes-6x10", "tree"): (9356, 9356, 2339),
    ("pentominoes-3x20", "tally"): (8, 8, None),
    ("soma", "tree"): (11520, 11520, 480),
    ("absolut-knifflig", "tree"): (148, 148, 37),
    ("absolut-knifflig", "lrat"): (148, 148, 37),
    ("bits-and-bytes", "tree"): (12496, 6248, 1562),
    ("domino-and-square-3x2", "tree"): (2, 2, 1),
    ("domino-and-square-3x2", "lrat"): (2, 2, 1),
    ("domino-and-square-3x2", "cadical"): (2, 2, 1),
    ("domino-and-square-3x2", "tally"): (2, 2, None),
    ("dominoes-4x4", "tree"): (None, 36, 9),
    ("dominoes-4x4", "cadical"): (None, 36, 9),
    ("dominoes-4x4", "tally"): (None, 36, None),
}
"""Counts proved by real certificates: labelled, all, distinct."""


def size_of(name, kind, folder):
    """Certify an instance and check the certificate; return its size and the checker's result."""
    path = folder / f"{name}.proof"
    certified = certify(make_case(build_instance(load_instance(name))), path, kind, Limits())
    verified = check_certificate(path)
    assert verified.counts == certified.counts
    assert verified.name == name
    return certified.size, verified


@every("name, kind", [pytest.param(*c, id=" ".join(c)) for c in REAL], fast=[" ".join(c) for c in REAL if c[0] == SMALLEST])
def test_real_puzzles(name, kind, tmp_path):
    size, verified = size_of(name, kind, tmp_path)
    assert size < 2_000_000
    counts = verified.counts
    assert (counts.labelled, counts.all, counts.distinct) == REAL[name, kind]
    assert verified.checked[-1].startswith("so the counts are labelled ")
    expected = load_instance(name).expect
    assert expected.all in (None, counts.all)
    assert counts.distinct is None or expected.distinct in (None, counts.distinct)


EXPORTED = product([SMALLEST, "diabolical-cube"], ["tree", "lrat", "cadical"])


@every("name, kind", [*EXPORTED, ("absolut-knifflig", "tree"), ("absolut-knifflig", "lrat")], fast=1)
def test_as_lrat_for_other_checkers(name, kind, tmp_path):
    """Formula and proof, read back from files, form a refutation, but not without the clauses that block the solutions.

    The checker of puzzlesat checks both formats; dratify, an independent checker that finds hints itself, checks the text.
    """
    path, formula, proof = tmp_path / "some.proof", tmp_path / "out.cnf", tmp_path / "out.lrat"
    certify(make_case(build_instance(load_instance(name))), path, kind, Limits())
    with ZipFile(path) as archive:
        said, listed = json.loads(archive.read("certificate.json")), archive.read("solutions.bin")
    for binary in (True, False):
        steps = certificate_to_lrat(path, formula, proof, binary=binary)
        clauses, variables = read_dimacs(formula)
        data = proof.read_bytes()
        assert (data[:1] in (b"a", b"d")) if binary else data[:1].isdigit()
        assert 0 < check_lrat(make_clauses(clauses, variables), BytesIO(data)).added <= steps
        blocked = len(clauses) - len(listed) // (said["solution_width"] * said["solution_bytes"])
        assert all(len(clause) == said["solution_width"] and max(clause) < 0 for clause in clauses[blocked:])
        for left_out in (blocked, len(clauses) - 1):
            kept = [clause if i != left_out else clauses[0] for i, clause in enumerate(clauses)]
            with pytest.raises(Rejected):
                check_lrat(make_clauses(kept, variables), BytesIO(data))
    if name == "absolut-knifflig":
        return  # too much for dratify
    # DRUP is LRAT without numbers and hints; deletions are optional
    steps = dratify.parse_proof("".join(f"{found[1]}\n" for line in proof.read_text().splitlines() if (found := STEP.match(line))))
    assert dratify.check_proof(dratify.parse_dimacs_file(str(formula)), steps, check_rat=False).ok
    weaker = [f"p cnf {variables} {len(clauses) - 1}", *(" ".join(map(str, [*clause, 0])) for clause in clauses[:-1])]
    assert not dratify.check_proof(dratify.parse_dimacs("\n".join(weaker) + "\n"), steps, check_rat=False).ok


def read_dimacs(path):
    lines = [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("c")]
    p, cnf, variables, number = lines[0].split()
    clauses = [[int(x) for x in line.split()] for line in lines[1:]]
    assert (p, cnf, int(number)) == ("p", "cnf", len(clauses))
    assert all(clause[-1] == 0 and 0 not in clause[:-1] for clause in clauses)
    return [clause[:-1] for clause in clauses], int(variables)


@pytest.fixture
def stopping(monkeypatch):
    """Limits that stop everything at once; they are checked often."""
    monkeypatch.setattr("puzzlesat.solvers.backtrack.RECORDS_AT_ONCE", 100)
    stop = threading.Event()
    stop.set()
    return {"stop": Limits(stop=stop), "time": Limits(seconds=0)}


@pytest.fixture(scope="module")
def case():
    return make_case(build_instance(load_instance("pentominoes-3x20")))


@every("kind, before, why", product(KINDS, [None, b"what was there before"], ["stop", "time"]), fast=3)
def test_what_is_stopped_leaves_no_file_and_destroys_none(kind, before, why, tmp_path, stopping, case):
    path = tmp_path / "some.proof"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(SearchStoppedError) as error:
        certify(case, path, kind, stopping[why])
    assert error.value.status == ("interrupted" if why == "stop" else "limit reached")
    left = list(tmp_path.iterdir())
    assert left == ([] if before is None else [path])
    assert before is None or path.read_bytes() == before


@every("kind", ["tree", "cadical"], fast=1)
def test_fixed_placements_that_exclude_each_other_leave_no_solution(kind, tmp_path):
    """Two adjacent cards whose marks must not meet; found by the random puzzles."""
    puzzle = tmp_path / "puzzle.toml"
    puzzle.write_text(
        """title = "two that may not meet"
grid = "square-marks"
flips = false
form = { box = [3, 2], border = "s", optional = "all", fixed = ["A.1@1.2", "A.2@1.1"] }
[marks]
p = { kind = "halves" }
s = { kind = "self" }
[tiles.A]
around = ["s", "s", "p+", "s"]
copies = 2
"""
    )
    path = tmp_path / "proof"
    certified = certify(make_case(build_instance(load_instance(str(puzzle)))), path, kind, Limits())
    assert certified.counts.all == 0
    assert check_certificate(path).counts.all == 0


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.sets(st.integers(0, 9), min_size=1))
def test_which_atoms_hang_together(links, atoms):
    """Compare with networkx, which the checker does not use."""
    graph = nx.Graph(links)
    graph.add_nodes_from(range(10))
    touching = {a: set(graph[a]) for a in graph}
    assert hangs_together(sorted(atoms), touching) == nx.is_connected(graph.subgraph(atoms))
