"""The checker of certificates stands alone: whoever reads its few files has read all that must be believed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_mutations import as_zip, certificate

import puzzlesat.check
from puzzlesat.check.__main__ import main
from puzzlesat.cover.instance import build_instance
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import certify
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKER = Path(puzzlesat.check.__file__).parent


def run(folder, code, *arguments, seconds=120):
    """Run a program in a process of its own in which only ``folder`` and what is installed can be imported."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=seconds)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ALONE = """
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "puzzlesat_check"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
import json
from contextlib import redirect_stdout
from io import StringIO
from puzzlesat_check.__main__ import main
said = StringIO()
with redirect_stdout(said):
    status = main(sys.argv[1:])
print(json.dumps([status, said.getvalue()]))
"""


def check_alone(folder, files, seconds):
    """What ``checker/pyproject.toml`` installs: the same files as another package, where nothing else can be imported."""
    shutil.copytree(CHECKER, folder / "puzzlesat_check", ignore=shutil.ignore_patterns("__pycache__"))
    return run(folder, ALONE, *files, seconds=seconds)


def argument(folder, **claim):
    """A certificate that needs nothing to be compiled."""
    cert = certificate("area", "prove")
    path = folder / f"some{len(claim)}.proof"
    path.write_bytes(as_zip({**cert.said, "claim": cert.said["claim"] | claim}, cert.members).getvalue())
    return path


@pytest.mark.full
def test_it_works_without_the_rest(tmp_path):
    """A certificate is accepted, and rejected with another claim."""
    assert check_alone(tmp_path, [argument(tmp_path), argument(tmp_path, all=1)], 120)[0] == 1
    assert run(tmp_path, ALONE, argument(tmp_path))[0] == 0


@pytest.mark.slow  # everything is compiled anew; that the distribution stands alone is also tried by nox -s dist
def test_as_a_package_of_its_own_it_needs_numpy_and_numba_alone(tmp_path):
    case, certificates = make_case(build_instance(load_instance("pentominoes-3x20"))), [argument(tmp_path)]
    for kind in ("tree", "lrat", "tally"):
        certificates.append(tmp_path / f"{kind}.proof")
        certify(case, certificates[-1], kind, Limits())
    status, said = check_alone(tmp_path, certificates, 600)
    assert status == 0
    assert [line for line in said.splitlines() if not line.startswith(" ")] == [
        f"{path}: {what}" for path in certificates for what in ("the puzzle that it states", "accepted")
    ]


def test_its_distribution_names_what_it_needs():
    distribution = Path(__file__).parents[2] / "checker"
    stated = tomllib.loads((distribution / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {name.split(">")[0] for name in stated["dependencies"]} == {"numba", "numpy"}
    assert stated["scripts"] == {"puzzlesat-check": "puzzlesat_check.__main__:main"}
    assert (distribution / "LICENSE").read_text(encoding="utf-8") == (distribution.parent / "LICENSE").read_text(encoding="utf-8")


def test_exit_statuses(tmp_path, capsys):
    """0 accepted, 1 rejected, 2 bad usage or no such file, 3 interrupted."""
    good, bad = str(argument(tmp_path)), tmp_path / "bad.proof"
    bad.write_bytes(b"no certificate")
    statuses = [main(files) for files in ([good], [good, str(bad)], ["--help"], [], ["--json"], [good, str(tmp_path / "none")])]
    assert statuses == [0, 1, 0, 2, 2, 2]
    said = capsys.readouterr()
    assert said.out.count("usage: puzzlesat-check FILE") == 1
    assert said.err.count("usage: puzzlesat-check FILE") == 2
    assert f"{bad}: rejected: file: it is damaged, or not a certificate" in said.err
    assert f"{tmp_path / 'none'}: No such file or directory\n" in said.err


def test_an_interrupt_ends_it_with_3(monkeypatch, capsys):
    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr("puzzlesat.check.certificate.check_certificate", interrupted)
    assert main(["some.proof"]) == 3
    assert capsys.readouterr().err == "puzzlesat-check: interrupted\n"
