"""CP-SAT starts without loading pandas, and code that uses pandas still finds all of it."""

import subprocess
import sys

import pytest

AFTER = """
import sys
from puzzlesat.solvers import cpsat
assert "pandas" not in sys.modules
from ortools.sat.python import cp_model
assert cp_model is cpsat.cp_model and sys.modules["ortools.sat.python"].cp_model is cp_model
model = cp_model.CpModel()
model.add_exactly_one([model.new_bool_var(name) for name in "ab"])
assert cp_model.CpSolver().solve(model) == cp_model.OPTIMAL and "pandas" not in sys.modules
import pandas
series = model.new_bool_var_series("x", pandas.Index([1, 2, 3]))
assert type(series) is pandas.Series and len(series) == 3
model.add_exactly_one(series)
solver = cp_model.CpSolver()
assert solver.solve(model) == cp_model.OPTIMAL and sum(solver.boolean_values(series)) == 1
try:
    model.new_bool_var_series("y", [1, 2])
except TypeError:
    pass
else:
    raise AssertionError("a list is no index")
"""
BEFORE = """
import pandas
from puzzlesat.solvers import cpsat
assert cpsat.cp_model.pd is pandas
"""


@pytest.mark.full
def test_pandas_is_loaded_by_whoever_needs_it():
    for program in (AFTER, BEFORE):
        subprocess.run([sys.executable, "-c", program], check=True)
