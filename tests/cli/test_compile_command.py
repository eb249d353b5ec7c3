"""``puzzlesat compile``: what is written for other solvers is solved by them; tests/formats reads the files again."""

import re
from collections import Counter
from itertools import islice

import pytest
from ortools.sat.python import cp_model
from pysat.solvers import Minisat22

from helpers import solution_set
from puzzlesat.formats.xcc import read_xcc
from tiers import every

ALL = ["dominoes", "none", "limitless", "optional", "some-copies", "fixed", "few", "few-cards", "cards", "cards-border", "remainder"]
ALL += ["weights", "few-weights"]
ENCODINGS = ["mixed", "pairwise", "sequential", "binary", "commander"]
MAX_MODELS = 2000
"""Limit of the models of a file: more than any puzzle here has. A formula with free variables would have far more."""
FORMATS = ["cnf", "opb", "cpsat", "xcc"]


@pytest.fixture
def solutions(run, folder):
    """The solutions of a small puzzle as sets of placement names, found by a solver that is not tested here."""

    def find(name):
        found = run("solve", f"{name}.toml", "--all", "--json", status=0)
        return {frozenset(p["name"] for p in entry["placements"]) for entry in found.json}

    return find


@pytest.fixture
def written(run, folder):
    def write(name, format_, *options):
        found = run("compile", f"{name}.toml", "--format", format_, *options, status=0)
        return found.stdout

    return write


def models_of_cnf(text):
    """Every model of a DIMACS file, as placement names; models that differ in auxiliary variables only are counted separately."""
    names = {int(v): name for v, name in re.findall(r"^c (\d+) (.+)$", text, re.M)}
    (head,) = re.findall(r"^p cnf (\d+) (\d+)$", text, re.M)
    clauses = [[int(x) for x in line.split()] for line in text.splitlines() if line and line[0] not in "cp"]
    assert all(clause[-1] == 0 for clause in clauses)
    variables = int(head[0])
    assert len(clauses) == int(head[1])
    assert max((abs(x) for clause in clauses for x in clause), default=0) <= variables
    with Minisat22(bootstrap_with=[clause[:-1] for clause in clauses] + [[v, -v] for v in range(1, variables + 1)]) as engine:
        found = [set(model) for model in islice(engine.enum_models(), MAX_MODELS)]
    return Counter(frozenset(name for v, name in names.items() if v in model) for model in found)


class Collect(cp_model.CpSolverSolutionCallback):
    """Collects the names of the variables that are 1 in each solution."""

    def __init__(self, variables):
        super().__init__()
        self.variables, self.found = variables, Counter()

    def on_solution_callback(self):
        self.found[frozenset(name for name, v in self.variables.items() if self.value(v))] += 1


def models_of(model, variables):
    collect = Collect(variables)
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    assert solver.solve(model, collect) in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return collect.found


@every("name", ALL, fast=("some-copies",))
@every("encoding", ENCODINGS, fast=2)
def test_cnf_has_a_model_for_each_solution(written, solutions, name, encoding):
    assert models_of_cnf(written(name, "cnf", "--encoding", encoding)) == Counter(solutions(name))


@every("name", ALL, fast=("dominoes", "weights"))
def test_cpsat_has_a_model_for_each_solution(written, solutions, name):
    model = cp_model.CpModel()
    assert model.proto.parse_text_format(written(name, "cpsat"))
    variables = {v.name: model.get_bool_var_from_proto_index(i) for i, v in enumerate(model.proto.variables) if "@" in v.name}
    assert models_of(model, variables) == Counter(solutions(name))


@every("name", ["remainder", "weights", "few-weights"])
def test_xcc_refuses_rules(refuses, folder, name):
    found = refuses("cannot express the condition", "compile", f"{name}.toml", "--format", "xcc")
    assert found.stdout == ""
    assert "use cnf, opb or cpsat" in found.output


@every("format_", FORMATS)
def test_symmetry_reduction_and_parity_only_when_asked(written, format_):
    plain = written("dominoes", format_)
    assert plain == written("dominoes", format_, "--no-symmetry", "--no-reduction", "--no-parity")
    assert len(re.findall("D\\.[12]@", plain)) == 7


def test_parity_changes_no_model(written, solutions):
    with_parity = written("dominoes", "cnf", "--parity")
    assert len(with_parity) > len(written("dominoes", "cnf"))
    assert models_of_cnf(with_parity) == Counter(solutions("dominoes"))


def test_symmetry_and_reduction_leave_one_of_each_class(run, tmp_path):
    found = []
    for options in ((), ("--symmetry",), ("--symmetry", "--reduction")):
        run("compile", "domino-and-square-3x2", "-o", tmp_path / "x.xcc", "--format", "xcc", *options, status=0)
        read = read_xcc(tmp_path / "x.xcc")
        found.append((len(solution_set(read)), read.size))
    assert found == [(2, 9), (1, 5), (1, 2)]
