"""Certificates in the hands of a checker that is not ours: dratify, which looks for the hints of each step by itself."""

import re

import dratify
import pytest

from puzzlesat.cover.instance import build_instance
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import certify
from puzzlesat.proof.export import certificate_to_lrat
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits
from tiers import of_which

STEP = re.compile(r"^\d+ ((?:-?[1-9]\d* )*0) .*$")


@pytest.mark.parametrize("kind", ["tree", "lrat", "cadical"])
@pytest.mark.parametrize("name", of_which(["diabolical-cube", "domino-and-square-3x2"], "domino-and-square-3x2"))
def test_somebody_else_s_checker_accepts_a_certificate(name, kind, tmp_path):
    certify(make_case(build_instance(load_instance(name))), tmp_path / "certificate", kind, Limits())
    formula, proof = tmp_path / "x.cnf", tmp_path / "x.lrat"
    certificate_to_lrat(tmp_path / "certificate", formula, proof)
    # DRUP is LRAT without numbers and hints; deletions may be left out
    lines = [found[1] for line in proof.read_text().splitlines() if (found := STEP.match(line))]
    parsed = dratify.parse_dimacs_file(str(formula))
    assert dratify.check_proof(parsed, dratify.parse_proof("\n".join(lines) + "\n"), check_rat=False).ok
    clauses = formula.read_text().splitlines()
    without_a_solution = "\n".join([*clauses[:-1]]).replace(f" {len(clauses) - 1}", f" {len(clauses) - 2}", 1) + "\n"
    weaker = dratify.parse_dimacs(without_a_solution)
    assert not dratify.check_proof(weaker, dratify.parse_proof("\n".join(lines) + "\n"), check_rat=False).ok
