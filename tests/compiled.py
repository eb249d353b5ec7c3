"""Compile everything for numba before the tests, and make the tables of hypothesis; ``puzzlesat.kernels.numba_compiler`` explains when
compiled code is used again. ``puzzlesat-verified`` is compiled too, by OCaml.

python tests/compiled.py counts        # compile counters; or refutations: provers of completeness; or others
"""

import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies

VERIFIED = Path(__file__).parents[1] / "verified"

# ---------------------------------------------------------------- small puzzles that go through it

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
    "others": [],
}
"""Certificates to make, by the process that makes them. The first two processes take about equally long."""


def compile_for(part):
    """Run a part of the compiled code; the tests check its results."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for small, text in SMALL.items():
            (folder / f"{small}.toml").write_text(text, encoding="utf-8")
        for puzzle in SOLVED if part == "counts" else ():
            solve(folder, puzzle)
        for puzzle, kind in CERTIFIED[part]:
            certify(folder, puzzle, kind)
        if part == "others":
            strategies.text().validate()  # hypothesis builds and stores its table of characters
            search_otherwise(built(folder, "domino, I and V"))


def built(folder, name):
    from puzzlesat.puzzles.building import build_instance
    from puzzlesat.puzzles.load import load_instance

    return build_instance(load_instance(folder / f"{name}.toml" if name in SMALL else name))


def solve(folder, name):
    from puzzlesat.base.limits import Limits
    from puzzlesat.solvers.registry import solver

    problem = built(folder, name).problem
    for kind in ("backtrack", "tally"):
        solver(kind)(problem)(lambda rows: None, Limits())


def search_otherwise(small):
    """Compile the rest: search beyond bitsets, random and numbered solutions, and disassembly."""
    from puzzlesat.base.limits import Limits
    from puzzlesat.disassembly.data import bodies_of
    from puzzlesat.disassembly.kernel import fill_table
    from puzzlesat.disassembly.run import checked
    from puzzlesat.disassembly.taking import bench_of
    from puzzlesat.disassembly.verification import Stuck, ground_of
    from puzzlesat.solvers.registry import numbering, solver
    from puzzlesat.solvers.restarts import attempts

    found = []
    solver("backtrack:cells")(small.problem)(found.extend, Limits())
    for _ in islice(attempts(small.problem, (), 1), 2):  # one of each kind
        pass
    numbering("tally")(small.problem, Limits())
    bench = bench_of(bodies_of(small))
    checked(bodies_of(small), tuple(int(option) for option in found[0] if option >= 0), Limits())
    ground_of(bodies_of(small)).held([Stuck([0], 1)])
    fill_table(bench.table_for(1).tree, 1)


def certify(folder, name, kind):
    from puzzlesat.base.limits import Limits
    from puzzlesat.checker.certificate import check_certificate
    from puzzlesat.proofs import case, certificates
    from puzzlesat.proofs.case import make_case

    path = folder / "some.proof"
    certificates.certify(make_case(built(folder, name)), path, kind, Limits())
    check_certificate(path)
    if kind in ("lrat", "cadical"):
        case.certificate_to_lrat(path, folder / "cnf", folder / "lrat", binary=False)


def compile_all(folder):
    """Compile everything, in three processes, and build the checker in a folder; cached code is not compiled again.

    If a process fails, the tests show why.
    """
    programs = [subprocess.Popen([sys.executable, __file__, part], stdout=subprocess.DEVNULL) for part in CERTIFIED]
    if checker_can_be_built():
        build_checker(folder)
    for program in programs:
        program.wait()


def checker_can_be_built():
    """Tell whether the tools that build ``puzzlesat-verified`` are installed."""
    return all(map(shutil.which, ("ocamlopt", "make")))


def build_checker(folder):
    """Build ``puzzlesat-verified`` in a folder as a user would; existing files are used."""
    (folder / "extracted").mkdir(exist_ok=True)
    for path in [VERIFIED / "Makefile", VERIFIED / "_CoqProject", *(VERIFIED / "extracted").glob("*.ml*")]:
        copy = folder / path.relative_to(VERIFIED)
        if not copy.exists() or copy.stat().st_mtime != path.stat().st_mtime:
            shutil.copy2(path, copy)
    made = subprocess.run(["make", "-C", folder, "puzzlesat-verified"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder / "puzzlesat-verified"


if __name__ == "__main__":
    compile_for(sys.argv[1])
