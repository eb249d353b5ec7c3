"""``puzzlesat compile``: readers written for the tests read its output, and other solvers solve it."""

import re
from collections import Counter
from itertools import islice

import pytest
from ortools.sat.python import cp_model
from pysat.solvers import Minisat22

from tiers import every

WITHOUT_RULES = ["dominoes", "none", "limitless", "optional", "some-copies", "fixed", "few", "few-cards", "cards", "cards-border"]
ALL = [*WITHOUT_RULES, "remainder", "weights", "few-weights"]
ENCODINGS = ["mixed", "pairwise", "sequential", "binary", "commander"]
MAX_MODELS = 2000
"""More than any puzzle here has solutions: a formula with a free variable would have models without end."""
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


def read_opb(text):
    """The names, the constraints as (terms, relation, bound), and the number of variables of an OPB file."""
    names = {int(v): name for v, name in re.findall(r"^\* x(\d+) (.+)$", text, re.M)}
    (head,) = re.findall(r"^\* #variable= (\d+) #constraint= (\d+)$", text, re.M)
    constraints = []
    for line in text.splitlines():
        if not line.startswith("*"):
            left, relation, bound = re.fullmatch(r"(.*) (=|>=) ([-+]?\d+) ;", line).groups()
            terms = re.findall(r"([-+]?\d+) x(\d+)", left)
            assert " ".join(f"{w} x{v}" for w, v in terms) == left
            constraints.append(([(int(w), int(v)) for w, v in terms], relation, int(bound)))
    assert len(constraints) == int(head[1])
    assert max(v for terms, _, _ in constraints for _, v in terms) <= int(head[0])
    return names, constraints, int(head[0])


def models_of_opb(text):
    names, constraints, variables = read_opb(text)
    model = cp_model.CpModel()
    x = {v: model.new_bool_var(str(v)) for v in range(1, variables + 1)}
    for terms, relation, bound in constraints:
        total = sum(w * x[v] for w, v in terms)
        model.add(total == bound if relation == "=" else total >= bound)
    return models_of(model, {names[v]: x[v] for v in names})


def read_xcc(text):
    """The primary items with their bounds, the secondary ones, and the options as (name, {item: colour}) of a file for XCC or MCC."""
    lines = [line for line in text.splitlines() if not re.fullmatch(r"\| \d+ options.*", line)]
    primary, secondary = ([*part.split()] for part in re.split(r" \|(?: |$)", lines[0], maxsplit=1))
    bounds = {}
    for item in primary:
        low, high, name = re.fullmatch(r"(?:(?:(\d+):)?(\d+)\|)?(.+)", item).groups()
        bounds[name] = (int(low or high or 1), int(high or 1))
    options = []
    for line, comment in zip(lines[1::2], lines[2::2], strict=True):
        items = dict((*item.split(":"), "")[:2] for item in line.split())
        assert items.keys() <= bounds.keys() | set(secondary)
        assert items.keys() & bounds.keys(), "an option without primary item is never tried"
        options.append((re.fullmatch(r"\| \d+ (.+)", comment)[1], items))
    return bounds, options


def models_of_xcc(text):
    bounds, options = read_xcc(text)
    found = Counter()

    def search(left, chosen, covered, colours):
        lacking = [i for i, (low, _) in bounds.items() if covered[i] < low]
        if not left and not lacking:
            found[frozenset(chosen)] += 1
        possible = [[o for o in left if i in o[1]] for i in lacking] or ([left] if left else [])
        if not possible or not (best := min(possible, key=len)):
            return
        name, items = option = best[0]
        rest = [o for o in left if o is not option]
        more = covered + Counter(i for i in items if i in bounds)
        painted = colours | {i: c for i, c in items.items() if i not in bounds}

        def fits(other):
            return all(
                more[i] < bounds[i][1] if i in bounds else painted.get(i, c) == c and (c or i not in painted) for i, c in other.items()
            )

        search([o for o in rest if fits(o[1])], [*chosen, name], more, painted)
        search(rest, chosen, covered, colours)

    search(options, [], Counter(), {})
    return found


@every("name", ALL, fast=("some-copies",))
@every("encoding", ENCODINGS, fast=2)
def test_cnf_has_a_model_for_each_solution(written, solutions, name, encoding):
    assert models_of_cnf(written(name, "cnf", "--encoding", encoding)) == Counter(solutions(name))


@every("name", ALL, fast=("dominoes", "weights"))
def test_opb_has_a_model_for_each_solution_and_each_fulfils_its_constraints(written, solutions, name):
    """CP-SAT finds the models. If all variables are placements, the solutions are also substituted into the constraints."""
    text, known = written(name, "opb"), solutions(name)
    assert models_of_opb(text) == Counter(known)
    names, constraints, variables = read_opb(text)
    assert name not in ("dominoes", "limitless", "weights", "fixed", "some-copies") or variables == len(names)
    for solution in known if variables == len(names) else ():
        x = {v: int(placement in solution) for v, placement in names.items()}
        for terms, relation, bound in constraints:
            total = sum(w * x[v] for w, v in terms)
            assert total == bound or (relation == ">=" and total > bound)


@every("name", ALL, fast=("dominoes", "weights"))
def test_cpsat_has_a_model_for_each_solution(written, solutions, name):
    model = cp_model.CpModel()
    assert model.proto.parse_text_format(written(name, "cpsat"))
    variables = {v.name: model.get_bool_var_from_proto_index(i) for i, v in enumerate(model.proto.variables) if "@" in v.name}
    assert models_of(model, variables) == Counter(solutions(name))


@every("name", WITHOUT_RULES, fast=("dominoes", "some-copies"))
def test_xcc_has_a_cover_for_each_solution(written, solutions, name):
    assert models_of_xcc(written(name, "xcc")) == Counter(solutions(name))


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
    with_parity = written("dominoes", "opb", "--parity")
    assert len(with_parity) > len(written("dominoes", "opb"))
    assert models_of_opb(with_parity) == Counter(solutions("dominoes"))
    assert models_of_cnf(written("dominoes", "cnf", "--parity")) == Counter(solutions("dominoes"))


def test_symmetry_and_reduction_leave_one_of_each_class(run):
    text = run("compile", "domino-and-square-3x2", "--format", "xcc").stdout
    broken = run("compile", "domino-and-square-3x2", "--format", "xcc", "--symmetry").stdout
    reduced = run("compile", "domino-and-square-3x2", "--format", "xcc", "--symmetry", "--reduction").stdout
    assert [sum(models_of_xcc(t).values()) for t in (text, broken, reduced)] == [2, 1, 1]
    assert [len(read_xcc(t)[1]) for t in (text, broken, reduced)] == [9, 5, 2]
