"""What numba compiles: where it is kept from one run of the tests to the next, and how all of it is compiled before the first test.

Numba knows compiled code again by the path and the content of the one file that it was written in. It does not notice a change in
a module that this file takes functions or constants from; and code of yesterday counts as of yesterday. So the folder of the cache is
named after everything that compiled code is made of: where some of it is another, nothing that was compiled before is used.

    python tests/compiled.py counts        # compile what counts; or refutations: what proves that there are no more solutions
"""

from __future__ import annotations

import ast
import hashlib
import platform
import re
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = Path(find_spec("puzzlesat").origin).parent
COMPILED = re.compile(r"^@(?:compiled|part|njit)\b|\bintrinsic\(", re.MULTILINE)
MADE_BY = ("numba", "llvmlite", "numpy")


def modules(package=PACKAGE):
    """The files of a package by the names of their modules."""
    files = {".".join(f.relative_to(package.parent).with_suffix("").parts): f for f in sorted(package.rglob("*.py"))}
    return {name.removesuffix(".__init__"): file for name, file in files.items()}


def imported(name, file):
    """The names of modules that are imported when a module is loaded, and some that are none."""
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            near = name.split(".")[: -node.level] if node.level else []
            module = ".".join([*near, *filter(None, [node.module])])
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))


def with_compiled_code(files):
    """The names of the modules that have compiled code of their own."""
    return {name for name, file in files.items() if COMPILED.search(file.read_text(encoding="utf-8"))}


def ingredients(files):
    """The names of all modules that compiled code can be made of: those that have some, and what these import, and so on."""
    found, rim = set(), with_compiled_code(files)
    while rim:
        found |= rim
        rim = {name for module in rim for name in imported(module, files[module]) if name in files} - found
    return found


def cache_name(package=PACKAGE):
    """The name of the folder for what is compiled from these sources, with this numba and this Python."""
    files = modules(package)
    made_of = [platform.python_version(), *(f"{name} {version(name)}" for name in MADE_BY)]
    made_of += [f"{name} {hashlib.sha256(files[name].read_bytes()).hexdigest()}" for name in sorted(ingredients(files))]
    return "compiled-" + hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:16]


# ---------------------------------------------------------------- all of it, by small puzzles that go through it

SQUARES = 'title = "Small"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\n'
SMALL = {
    "domino, I and V": SQUARES + '[tiles.I]\npicture = "###"\n[tiles.V]\npicture = "##\\n#."\n[form]\nbox = [4, 2]\n',
    "a domino fixed": SQUARES + 'copies = "any"\n[form]\nbox = [4, 3]\nfixed = ["D.1@1.1"]\n',
    "wrapped": SQUARES + 'copies = "any"\n[form]\nbox = [4, 4]\nwrap = [{ move = [4, 0] }]\n',
}
SOLVED = ["domino, I and V", "wrapped", "dominoes-4x4", "dominoes-6x6-cylinder", "cube-in-cage"]
CERTIFIED = {
    "counts": [("domino, I and V", "tree"), ("a domino fixed", "tree"), ("soma-w", "tally"), ("dominoes-4x4", "tally")],
    "refutations": [("domino, I and V", "lrat"), ("domino, I and V", "cadical")],
}
"""By what is shared out: the two take about as long."""


def compile_for(part):
    """Go through a half of what is compiled. Nothing is checked: that is what the tests are for."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for small, text in SMALL.items():
            (folder / f"{small}.toml").write_text(text, encoding="utf-8")
        for puzzle in SOLVED if part == "counts" else ():
            solve(folder, puzzle)
        for puzzle, kind in CERTIFIED[part]:
            certify(folder, puzzle, kind)


def built(folder, name):
    from puzzlesat.cover.instance import build_instance
    from puzzlesat.puzzle.load import load_instance

    return build_instance(load_instance(folder / f"{name}.toml" if name in SMALL else name))


def solve(folder, name):
    from puzzlesat.solvers.registry import solver
    from puzzlesat.solvers.run import Limits

    problem = built(folder, name).problem
    for kind in ("backtrack", "tally"):
        solver(kind)(problem)(lambda rows: None, Limits())


def certify(folder, name, kind):
    from puzzlesat.proof import certify, export
    from puzzlesat.proof.case import make_case
    from puzzlesat.proof.check.certificate import check_certificate
    from puzzlesat.solvers.run import Limits

    path = folder / "some.proof"
    certify.certify(make_case(built(folder, name)), path, kind, Limits())
    check_certificate(path)
    if kind in ("lrat", "cadical"):
        export.certificate_to_lrat(path, folder / "cnf", folder / "lrat", binary=False)


def compile_all():
    """Compile everything, in two processes; what is in the cache is only looked at. Where one fails, the tests will say why."""
    programs = [subprocess.Popen([sys.executable, __file__, part], stdout=subprocess.DEVNULL) for part in CERTIFIED]
    for program in programs:
        program.wait()


if __name__ == "__main__":
    compile_for(sys.argv[1])
