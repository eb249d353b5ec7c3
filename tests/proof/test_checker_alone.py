"""The checker of certificates stands alone: whoever reads its few files has read all that must be believed."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import puzzlesat.check
from puzzlesat.check.__main__ import main
from puzzlesat.cover.instance import build_instance
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import certify
from puzzlesat.proof.prove import prove, write_finding
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKER = Path(puzzlesat.check.__file__).parent
FILES = sorted(CHECKER.glob("*.py"))
OTHERS = {"numba", "numpy"}
"""What the checker may use besides the standard library and itself."""
OF_KERNELS = {"emit.py": {"llvmlite", "subprocess"}, "bynumba.py": {"llvmlite"}, "objects.py": {"llvmlite"}, "parts.py": {"importlib"}}
"""What modules use that run the inner loops: numba's own library, which makes and loads object code, and modules of the checker by name.
``emit.py`` makes object code before anything is checked; no other module imports it."""
KERNELS = {*OF_KERNELS, "compiling.py", "kernels.py", "sources.py"}
LINES_OF_CODE, LINES_THAT_SHOW, LINES_OF_KERNELS = 3350, 150, 480
"""More than that nobody would read. Comments and docstrings are not counted."""


def imported(file):
    """Every module that a file names in an import, wherever it stands; relative imports are spelt out."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= 1, f"{file.name}: an import from above the checker"
            yield f"puzzlesat.check.{node.module or ''}" if node.level else node.module
        elif isinstance(node, ast.Name):
            assert node.id not in ("__import__", "importlib", "exec", "eval"), f"{file.name}: {node.id}"


def allowed(module, file=""):
    own = module == "puzzlesat.check" or module.startswith("puzzlesat.check.")
    others = OTHERS | sys.stdlib_module_names - {"importlib", "runpy", "subprocess", "socket"} | OF_KERNELS.get(file, set())
    return own or module.split(".")[0] in others


def lines_of_code(file):
    """The lines with something on them that is no comment and no docstring."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    with file.open("rb") as stream:
        tokens = [token for token in tokenize.tokenize(stream.readline) if token.type not in nothing]
    return {line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - docstrings


def run(folder, code, *arguments, seconds=120):
    """Run a program in a process of its own in which only ``folder`` and what is installed can be imported."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=seconds)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_a_file_imports_nothing_of_the_rest(file):
    assert [module for module in imported(file) if not allowed(module, file.name)] == []


def test_nothing_imports_what_makes_object_code():
    assert [file.name for file in FILES if "puzzlesat.check.emit" in imported(file)] == []


def test_the_rest_would_be_noticed():
    others = (
        "puzzlesat.config.library",
        "puzzlesat.proof.search",
        "puzzlesat.checks",
        "puzzlesat.cover",
        "ortools",
        "pysat",
        "networkx",
    )
    for module in others:
        assert not allowed(module)
    assert sum(module.startswith("puzzlesat") for file in FILES for module in imported(file)) > 10


def test_loading_it_loads_nothing_of_the_rest():
    code = "import json, sys, {}; print(json.dumps(sorted(sys.modules)))"
    parents, loaded = (run(Path(puzzlesat.__file__).parents[1], code.format(name)) for name in ("puzzlesat", "puzzlesat.check.certificate"))
    ours = {module for module in loaded if module.split(".")[0] == "puzzlesat"}
    assert {module for module in ours - {*parents} if not module.startswith("puzzlesat.check")} == set()
    assert "puzzlesat.check.lrat" in ours
    foreign = {"ortools", "pysat", "pydantic", "typer", "rich", "networkx"}
    assert not foreign & {module.split(".")[0] for module in loaded}


@pytest.fixture
def copied(tmp_path):
    """A folder in which there is nothing of the package but the checker."""
    target = tmp_path / "alone" / "puzzlesat" / "check"
    target.mkdir(parents=True)
    (target.parent / "__init__.py").touch()
    for file in FILES:
        shutil.copy(file, target)
    return tmp_path / "alone"


def test_it_works_without_the_rest(copied, tmp_path):
    """A certificate that needs nothing to be compiled is accepted by a copy of the checker alone, and rejected with another claim."""
    case = make_case(build_instance(load_instance("mutilated-board-6x6")))
    path = tmp_path / "some.proof"
    write_finding(case, prove(case, Limits()), path, Limits())
    code = """
import json, pathlib, zipfile
import puzzlesat
from puzzlesat.check.certificate import check_certificate
from puzzlesat.check.rejected import Rejected
path = pathlib.Path(sys.argv[1])
verified = check_certificate(path)
with zipfile.ZipFile(path) as archive:
    said = json.loads(archive.read("certificate.json"))
said["claim"]["all"] = 1
with zipfile.ZipFile(path, "w") as archive:
    archive.writestr("certificate.json", json.dumps(said))
try:
    check_certificate(path)
    why = None
except Rejected as error:
    why = str(error)
print(json.dumps([puzzlesat.__file__, verified.kind, verified.counts.all, why]))
"""
    where, kind, count, why = run(copied, code, path)
    assert Path(where).is_relative_to(copied)
    assert (kind, count) == ("weighting", 0)
    assert why.startswith("claim: ")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A certificate of each kind of proof, by the name of its file."""
    folder, case = tmp_path_factory.mktemp("certificates"), make_case(build_instance(load_instance("pentominoes-3x20")))
    for kind in ("tree", "lrat", "tally"):
        certify(case, folder / f"{kind}.proof", kind, Limits())
    for name in ("mutilated-board-6x6", "straight-tetrominoes-10x10"):
        argued = make_case(build_instance(load_instance(name)))
        write_finding(argued, prove(argued, Limits()), folder / f"{name}.proof", Limits())
    return sorted(folder.iterdir())


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
print(json.dumps([status, said.getvalue(), sorted({name.split(".")[0] for name in sys.modules})]))
"""


@pytest.mark.slow  # everything is compiled anew; that the distribution stands alone is also tried by nox -s dist
def test_as_a_package_of_its_own_it_needs_numpy_and_numba_alone(tmp_path, certificates):
    """What ``checker/pyproject.toml`` installs: the same files as another package, where nothing else can be imported."""
    shutil.copytree(CHECKER, tmp_path / "puzzlesat_check", ignore=shutil.ignore_patterns("__pycache__"))
    status, said, loaded = run(tmp_path, ALONE, *certificates, seconds=600)
    assert status == 0
    assert [line for line in said.splitlines() if not line.startswith(" ")] == [
        f"{path}: {what}" for path in certificates for what in ("the puzzle that it states", "accepted")
    ]
    assert "puzzlesat" not in loaded


def test_its_distribution_names_what_it_needs():
    distribution = Path(__file__).parents[2] / "checker"
    stated = tomllib.loads((distribution / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {name.split(">")[0] for name in stated["dependencies"]} == OTHERS
    assert stated["scripts"] == {"puzzlesat-check": "puzzlesat_check.__main__:main"}
    assert (distribution / "LICENSE").read_text(encoding="utf-8") == (distribution.parent / "LICENSE").read_text(encoding="utf-8")


def test_exit_statuses(tmp_path, certificates, capsys):
    """0 accepted, 1 rejected, 2 bad usage or no such file, 3 interrupted."""
    good, bad = str(certificates[0]), tmp_path / "bad.proof"
    bad.write_bytes(b"no certificate")
    assert [main(files) for files in ([good], [good, str(bad)], ["--help"], [], ["--json"], [good, str(tmp_path / "none")])] == [
        0,
        1,
        0,
        2,
        2,
        2,
    ]
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


def test_it_can_be_read_in_an_evening():
    sizes = {file.name: len(lines_of_code(file)) for file in FILES}
    assert sizes.pop("shown.py") < LINES_THAT_SHOW, "it draws what was read, and concludes nothing"
    assert sum(sizes.pop(name) for name in KERNELS) < LINES_OF_KERNELS, "they run the inner loops, and conclude nothing"
    assert 500 < sum(sizes.values()) < LINES_OF_CODE, sizes
