"""Who solves, for how long, within how much memory is said in ``solvers/strategy.py`` and nowhere else."""

from __future__ import annotations

import ast

from helpers import source_trees
from puzzlesat.solvers.registry import SOLVERS, family, solver
from puzzlesat.solvers.strategy import AUTO

SAID = {"solvers/strategy.py", "solvers/registry.py"}
OTHER_WORDS = {"formats/table.py": {"cpsat"}, "cli/completion.py": {"tally"}, "proof": {"tally"}, "check": {"tally"}}
"""Words that are also names of solvers: a format, kinds of certificates."""
LIMITS = {"seconds", "budget", "memory", "shapes"}


def elsewhere():
    """The modules in which no policy stands."""
    return {place: tree for place, tree in source_trees().items() if place not in SAID}


def own_name(node):
    """Whether it is the line by which the module of a solver says its name."""
    return isinstance(node, ast.Assign) and [getattr(target, "id", None) for target in node.targets] == ["NAME"]


def constants(tree):
    """The constants of a module with their lines, but for a solver's own name."""
    skipped = {id(node.value) for node in ast.walk(tree) if own_name(node)}
    return [(node.value, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in skipped]


def test_no_solver_is_chosen_elsewhere():
    found = {}
    for place, tree in elsewhere().items():
        names = {AUTO, *SOLVERS} - OTHER_WORDS.get(place, set()) - OTHER_WORDS.get(place.split("/")[0], set())
        found[place] = [(value, line) for value, line in constants(tree) if isinstance(value, str) and value in names]
    assert {place: names for place, names in found.items() if names} == {}


def numbers_for_limits(tree):
    """Where a limit is given as a number other than 0 or 1, in a call or as a default."""
    given = [(keyword.arg, keyword.value) for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            arguments = node.args.posonlyargs + node.args.args
            defaults = [*([None] * (len(arguments) - len(node.args.defaults))), *node.args.defaults, *node.args.kw_defaults]
            given += [(a.arg, default) for a, default in zip(arguments + node.args.kwonlyargs, defaults, strict=True)]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            given.append((node.target.id, node.value))
    wanted = [(name, value) for name, value in given if name in LIMITS and isinstance(value, ast.Constant)]
    return [(name, value.value, value.lineno) for name, value in wanted if isinstance(value.value, int | float) and value.value > 1]


def test_no_limit_is_a_number_elsewhere():
    found = {place: numbers_for_limits(tree) for place, tree in elsewhere().items()}
    assert {place: numbers for place, numbers in found.items() if numbers} == {}


def test_everything_that_is_said_is_used():
    names = [
        n
        for statement in source_trees()["solvers/strategy.py"].body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for n in ast.walk(statement)
    ]
    said = {n.id for n in names if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    read = [
        n
        for tree in (source_trees()["solvers/strategy.py"], *elsewhere().values())
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]
    assert len(said) > 20
    assert said - {name.id for name in read} == set()


def test_every_solver_that_is_chosen_is_there():
    """Also in its variants, such as the encoding of a formula."""
    words = {
        value for value, _ in constants(source_trees()["solvers/strategy.py"]) if isinstance(value, str) and value.split(":")[0] in SOLVERS
    }
    assert {family(word) for word in words} == set(SOLVERS)
    assert any(":" in word for word in words)
    for word in words:
        solver(word)


def shares(tree):
    """Where a share of the time is given as a number."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "share"]
    return [call.lineno for call in calls if any(isinstance(a, ast.Constant) for a in call.args)]


def test_no_share_of_the_time_is_a_number_elsewhere():
    assert {place: lines for place, tree in elsewhere().items() if (lines := shares(tree))} == {}


def test_such_numbers_would_be_found():
    said = "def f(a, seconds=60, *, budget=20.0): g(memory=1 << 3, shapes=9)\nclass C:\n    seconds: float = 30\n"
    assert numbers_for_limits(ast.parse(said)) == [("shapes", 9, 1), ("seconds", 60, 1), ("budget", 20.0, 1), ("seconds", 30, 3)]
    assert shares(ast.parse("clock.share(0.5) + clock.share(HALF)")) == [1]
    assert constants(ast.parse('NAME = "sat"\nsolver("sat")')) == [("sat", 2)]
