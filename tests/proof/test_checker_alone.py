"""The checker of certificates needs no other module, and each kernel that certificates need is called with one kind of arguments."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_mutations import as_zip, certificate

import puzzlesat
from puzzlesat.checker.__main__ import main
from tiers import every

PACKAGE = Path(puzzlesat.__file__).parent


ALONE = """
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "puzzlesat_check"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
import json
from contextlib import redirect_stdout
from io import StringIO
from puzzlesat_check.checker.__main__ import main
said = StringIO()
with redirect_stdout(said):
    status = main(sys.argv[1:])
print(json.dumps([status, said.getvalue()]))
"""


def argument(folder, **claim):
    """A certificate whose check needs no compiled code."""
    cert = certificate("area", "prove")
    path = folder / f"some{len(claim)}.proof"
    path.write_bytes(as_zip({**cert.said, "claim": cert.said["claim"] | claim}, cert.members).getvalue())
    return path


@pytest.mark.full
def test_it_works_without_the_rest(tmp_path):
    """Import the files that ``packaging/pyproject.toml`` installs, as another package, in a process without any other module."""
    for room in ("checker", "kernels"):
        shutil.copytree(PACKAGE / room, tmp_path / "puzzlesat_check" / room, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "puzzlesat_check" / "__init__.py").touch()
    right, wrong = argument(tmp_path), argument(tmp_path, all=1)
    for files, status in (([right], 0), ([right, wrong], 1)):
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{ALONE}", *map(str, files)]
        done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)[0] == status


def test_exit_statuses(tmp_path, capsys):
    """0 accepted, 1 rejected, 2 wrong usage or missing file, 3 interrupted."""
    good, bad = str(argument(tmp_path)), tmp_path / "bad.proof"
    bad.write_bytes(b"no certificate")
    statuses = [main(files) for files in ([good], [good, str(bad)], ["--help"], [], ["--json"], [good, str(tmp_path / "none")])]
    assert statuses == [0, 1, 0, 2, 2, 2]
    said = capsys.readouterr()
    assert said.out.count("usage: puzzlesat-check FILE") == 1
    assert said.err.count("usage: puzzlesat-check FILE") == 2
    assert f"{bad}: rejected: file: it is damaged, or not a certificate" in said.err
    assert f"{tmp_path / 'none'}: no such file\n" in said.err


def test_an_interrupt_ends_it_with_3(monkeypatch, capsys):
    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr("puzzlesat.checker.certificate.check_certificate", interrupted)
    assert main(["some.proof"]) == 3
    assert capsys.readouterr().err == "puzzlesat-check: interrupted\n"


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
    """Another kind has no object code, and numba would compile it. Few solutions and many, a placement fixed and tiles alike."""
    (tmp_path / "fixed.toml").write_text(FIXED, encoding="utf-8")
    names = ["fixed.toml"] if kind == "tree" else []
    command = [sys.executable, "-c", COMPILED, kind, "soma", "domino-and-square-3x2", *names]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    signatures = json.loads(done.stdout)
    assert {f"puzzlesat.{name}" for name in KERNELS[kind]} <= {name for name, kinds in signatures.items() if kinds}
    assert {name: kinds for name, kinds in signatures.items() if len(kinds) > 1} == {}
