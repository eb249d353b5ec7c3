"""Each kernel that certificates need is called with one kind of arguments; numba would have to compile another kind."""

import json
import subprocess
import sys

import pytest

from tiers import every

COMPILED = """
import json, pathlib, sys
from puzzlesat.puzzles.building import build_instance
from puzzlesat.proofs.case import make_case
from puzzlesat.proofs.certificates import certify
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.kernels.kernel import Kernel
from puzzlesat.puzzles.load import load_instance
from puzzlesat.base.limits import Limits

kind, *names = sys.argv[1:]
for name in names:
    certify(make_case(build_instance(load_instance(name))), pathlib.Path("count.proof"), kind, Limits())
    check_certificate(pathlib.Path("count.proof"))
found = {}
for module in [m for name, m in sys.modules.items() if name.startswith(("puzzlesat.proofs.", "puzzlesat.checker."))]:
    for f in vars(module).values():
        if isinstance(f, Kernel):
            found[f"{f.function.__module__}.{f.function.__name__}"] = [str(kinds) for kinds in f._code]
print(json.dumps(found))
"""

FIXED = """title = "Two dominoes, one of them fixed"
grid = "square"
flips = true
form = { box = [2, 2], fixed = ["D.1@1.1"] }
[tiles.D]
picture = "##"
copies = 2
"""


KERNELS = {
    "tree": {"proofs.written_search.walk", "checker.tree.follow"},
    "lrat": {"proofs.written_search.walk", "proofs.tree_lrat.follow", "checker.lrat.check"},
    "tally": {"proofs.written_tally.expand", "checker.tally.fill", "checker.tally.add_up", "checker.tally.first_not_dead"},
}


@pytest.mark.full
@every("kind", KERNELS)
def test_each_kernel_has_one_kind_of_arguments(kind, tmp_path):
    """In a separate process, for many solutions and few, with a fixed placement and identical tiles if the kind allows these."""
    (tmp_path / "fixed.toml").write_text(FIXED, encoding="utf-8")
    names = ["fixed.toml"] if kind == "tree" else []
    command = [sys.executable, "-c", COMPILED, kind, "soma", "domino-and-square-3x2", *names]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    signatures = json.loads(done.stdout)
    assert {f"puzzlesat.{name}" for name in KERNELS[kind]} <= {name for name, kinds in signatures.items() if kinds}
    assert {name: kinds for name, kinds in signatures.items() if len(kinds) > 1} == {}
