"""List the changed files and the tests that concern them most: ``nox -s quick`` runs these tests.

    python tests/changed.py          # list the changed files
    python tests/changed.py --tests  # list the tests to run, the closest first, within BUDGET CPU seconds

The closest tests are the changed ones and those that kill mutants of changed files; then tests that import a changed module, then tests
that import these importers, and so on. The costs are those that ``cpu.py`` measured in earlier runs.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

from puzzlesat.kernels import behind

ROOT = Path(__file__).parents[1]
COSTS = ROOT / ".pytest_cache" / "d" / "cpu" / "seconds.tsv"
BUDGET = 20
"""CPU seconds of the chosen tests. Two cores need half of this time, and pytest needs as long again to start."""
UNKNOWN = 0.05
"""CPU seconds assumed for a test that was never measured."""


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


def changed(base=None):
    """Return the files that differ from ``base``, new ones included.

    The default base is the commit where this branch left ``main``; on ``main`` itself, the last commit that is a day old.
    """
    left, head = git("merge-base", "main", "HEAD"), git("rev-parse", "HEAD")
    if not left or left == head:
        left = git("rev-list", "-1", "--before=1 day ago", "HEAD") or git("rev-list", "--max-parents=0", "HEAD")
    return git("diff", "--name-only", base or left[0]) + git("ls-files", "--others", "--exclude-standard")


@cache
def modules():
    """Return the files of all modules of the package and the tests, by module name."""
    found = {}
    for folder in (ROOT / "src", ROOT / "tests", ROOT / "tests" / "studio", ROOT / "tests" / "runs", ROOT / "tests" / "cli"):
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            found.setdefault(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path.relative_to(ROOT).as_posix())
    return found


@cache
def door(room):
    """Return the module behind each name of a room's door."""
    return behind(import_module(room).__name__) if room.count(".") == 1 and room in modules() and room.startswith("puzzlesat.") else {}


def imported(text):
    """Yield the files that the text of a module imports, anywhere in it, also through the doors of rooms."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            own = [alias.name for alias in node.names]
            names = [node.module, *(f"{node.module}.{name}" for name in own), *(door(node.module).get(name) for name in own)]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [door(f"puzzlesat.{node.value.id}").get(node.attr)]
        else:
            continue
        yield from (modules()[name] for name in names if name in modules())


def nearest(files):
    """Yield the test files that concern some files, the closest first: those that import a changed module or name a changed data file."""
    sources = {file: (ROOT / file).read_text(encoding="utf-8") for file in set(modules().values())}
    importers = defaultdict(set)
    for file, text in sources.items():
        for used in imported(text):
            importers[used].add(file)
    stems = [re.escape(Path(file).stem) for file in files if not file.endswith(".py") and len(Path(file).stem) > 2]
    named = re.compile(rf"\b({'|'.join(stems)})\b") if stems else None
    level = {file for file in files if file in sources}
    seen = set(level)
    while level or named:
        yield from sorted(file for file in level if Path(file).name.startswith("test_"))
        level = {user for file in level for user in importers[file]}
        if named:
            level |= {file for file, text in sources.items() if file.startswith("tests/") and named.search(text)}
            named = None
        level -= seen
        seen |= level


def costs():
    """Return the CPU seconds of each test of each file, as they were last measured."""
    found = defaultdict(dict)
    for line in COSTS.read_text(encoding="utf-8").splitlines() if COSTS.exists() else ():
        spent, _, name = line.partition("\t")
        found[name.partition("::")[0]][name] = float(spent)
    return found


def killers(files):
    """Return the tests that kill the mutants of some files."""
    from mutants import mutants

    return [mutant.killed_by for mutant in mutants() if f"src/puzzlesat/{mutant.file}" in files]


def concerned(files):
    """Return the tests that concern some files, the closest first, within the budget."""
    chosen, left, measured = dict.fromkeys(killers(files)), float(BUDGET), costs()
    for file in nearest(files):
        defined = set(re.findall(r"\bdef (test_\w+)", (ROOT / file).read_text(encoding="utf-8")))
        known = {name: spent for name, spent in measured[file].items() if name.partition("[")[0].rpartition("::")[2] in defined}
        for name, spent in sorted(known.items(), key=lambda row: row[1]) or [(file, UNKNOWN * len(defined))]:
            if spent <= left:
                left -= spent
                chosen[name] = None
    return list(chosen)


if __name__ == "__main__":
    print("\n".join(concerned(changed()) if "--tests" in sys.argv else changed()))
