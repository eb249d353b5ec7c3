"""Run mutants: bugs made by hand, one at a time, each of which must raise an alarm.

    python tests/mutants.py            # count small puzzles with each mutant: no wrong count may be confirmed, or lack an alarm
    python tests/mutants.py --tests    # run the fast test that is named beside each mutant: it must fail
    python tests/mutants.py --daily    # both, for mutants of changed files and for a tenth of the others, another tenth each day

``--only WORDS`` selects the mutants with these words in their names, ``--part 1/3`` the first of three parts. ``mutants/mutants.toml``
lists the mutants, ``mutants/puzzles`` has the puzzles that they are tried on, and ``mutants/counts.toml`` the true counts of these:
``test_mutants.py`` compares them with the judge. The count is that of the command, which knows no expected count.

If a refactoring moves the code of a mutant, the mutant moves with it. If the code of a mutant is deleted, another mutant of the same stage
replaces it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from changed import changed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TESTS = Path(__file__).parent
FOLDER = TESTS / "mutants"
SOURCE = TESTS.parent / "src"
PUZZLES, SPELT = FOLDER / "puzzles", FOLDER / "spelt"
BUDGET = 10
"""Seconds for the solvers that check; the puzzles take parts of one."""
MAX_SECONDS = 120
DAYS = 10
"""All mutants have had their turn after this many days."""
MAX_CHANGED = 8
"""Mutants of changed files that one day tries, beside its tenth; they take turns if there are more."""

CONFIRMED, UNNOTICED, NOT_TRIGGERED = "CONFIRMED", "UNNOTICED", "NOT TRIGGERED"
DISAGREEMENT, REFUSED, CRASHED = "disagreement", "refused", "crashed"
OUTCOMES = (CONFIRMED, UNNOTICED, NOT_TRIGGERED, DISAGREEMENT, REFUSED, CRASHED)
"""Outcomes of a count, the worst first: a wrong count is confirmed, or is printed without an alarm; the count is right, because the
puzzle does not reach the mutant; two results disagree; the puzzle is refused; the program crashes."""
BAD = OUTCOMES[:3]
KILLED, SURVIVED = "killed", "SURVIVED"
A_TEST_FAILED = 1
"""The exit status of pytest; others say that none failed, or that none could be run."""


@dataclass(frozen=True)
class Mutant:
    """A bug: the replacement of a text in a file, the puzzles that reveal it, and the test that fails."""

    name: str
    stage: str
    file: str
    old: str
    new: str
    triggers: tuple[str, ...]
    killed_by: str
    imported: bool = False
    """True if the mutant is in the reader of foreign files: no second reading can detect it, so a test must."""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process with the mutant: ``mutants/sitecustomize.py`` reads it."""
        module = "puzzlesat." + self.file.removesuffix(".py").replace("/", ".")
        path = os.pathsep.join(map(str, (FOLDER, SOURCE)))
        return {**os.environ, "PYTHONPATH": path, "PUZZLESAT_MUTANT": json.dumps([module, self.old, self.new])}


@cache
def mutants() -> tuple[Mutant, ...]:
    """Return all mutants, in the order of the file."""
    tables = tomllib.loads((FOLDER / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    return tuple(Mutant(**{**table, "triggers": tuple(table["triggers"])}) for table in tables)


@cache
def counts() -> dict[str, dict[str, Any]]:
    """Return the true counts of each puzzle, by the name of its file."""
    return tomllib.loads((FOLDER / "counts.toml").read_text(encoding="utf-8"))


def count_with(mutant: Mutant, puzzle: str) -> tuple[str, str]:
    """Count a puzzle by the command in a process with a mutant; return the outcome and the output."""
    command = [sys.executable, "-m", "puzzlesat", "count", str(PUZZLES / puzzle), "--json", "--budget", str(BUDGET)]
    try:
        ended = subprocess.run(command, env=mutant.environment, capture_output=True, text=True, timeout=MAX_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return CRASHED, f"it did not end within {MAX_SECONDS} seconds"
    if not ended.stdout.strip():
        said = ended.stderr.strip().splitlines()[-1:] or ["nothing was said"]
        if "Traceback" in ended.stderr:
            return CRASHED, said[0]
        return (DISAGREEMENT if ended.returncode == 1 else REFUSED), said[0]
    report = json.loads(ended.stdout.splitlines()[-1])
    return outcome(report, counts()[puzzle]), report["sentence"]


def outcome(report: dict[str, Any], known: dict[str, Any]) -> str:
    """Return the outcome of a count, by its JSON and the true counts; a wrong figure with a witness is confirmed."""
    if report["agree"] is False or report["confirmed"] == "contradicted":
        return DISAGREEMENT
    found = report["counts"] if "counts" in report else {"all": report["found"]}  # a cover problem has ``found`` instead
    wrong = [key for key, value in known.items() if not report["complete"] or found[key] != value]
    by = report["witnesses"] if "counts" in report else {"all": report["agree"]}
    return NOT_TRIGGERED if not wrong else CONFIRMED if any(by.get(key) for key in wrong) else UNNOTICED


def worst(mutant: Mutant) -> tuple[str, str]:
    """Return the worst outcome of a mutant on its puzzles, with the output."""
    tried = [(puzzle, *count_with(mutant, puzzle)) for puzzle in mutant.triggers]
    puzzle, came, said = min(tried, key=lambda one: OUTCOMES.index(one[1]))
    return came, f"{puzzle}: {said}"


def tested(mutant: Mutant) -> tuple[str, str]:
    """Run the test named beside a mutant in a process that has the mutant; return whether it fails, and the last output."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", mutant.killed_by]
    ended = subprocess.run(command, cwd=TESTS.parent, env=mutant.environment, capture_output=True, text=True, check=False)
    said = (ended.stdout.strip().splitlines() or [ended.stderr.strip()])[-1]
    return (KILLED if ended.returncode == A_TEST_FAILED else SURVIVED), f"{mutant.killed_by}: {said}"


def is_bad(mutant: Mutant, came: str) -> bool:
    """Return whether an outcome is bad. No second reading detects mutants of imports, so they need only change a count."""
    return came == SURVIVED or came in (BAD[2:] if mutant.imported else BAD)


def of_today() -> list[Mutant]:
    """Return the mutants of changed files, at most ``MAX_CHANGED`` of them, and then the tenth of the others that has its turn today."""
    files = set(changed())
    first = [mutant for mutant in mutants() if f"src/puzzlesat/{mutant.file}" in files]
    today = date.today().toordinal()
    start = today * MAX_CHANGED % len(first) if first else 0
    first = (first[start:] + first[:start])[:MAX_CHANGED]
    return first + [mutant for mutant in mutants()[today % DAYS :: DAYS] if mutant not in first]


def main() -> int:
    """Try the chosen mutants on all cores, and print the outcome of each; return 1 if one fails the bar."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tests", action="store_true", help="run the test that is named beside each mutant")
    parser.add_argument("--daily", action="store_true", help="mutants of changed files, and a tenth of the others: counts and tests")
    parser.add_argument("--only", default="", metavar="WORDS", help="the mutants that have these words in their names")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    chosen = of_today() if options.daily else [m for m in mutants()[part - 1 :: parts] if options.only in m.name]
    work = [(m, tested) for m in chosen] if options.tests or options.daily else []
    work += [(m, worst) for m in chosen if m.triggers] if options.daily or not options.tests else []
    outcomes: Counter[str] = Counter()
    missed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (mutant, _), (came, said) in zip(work, pool.map(lambda pair: pair[1](pair[0]), work), strict=True):
            outcomes[came] += 1
            missed += is_bad(mutant, came)
            print(f"{came:13}  {mutant.stage}: {mutant.name}\n{'':15}{said}", flush=True)
    print(", ".join(f"{number} {came}" for came, number in outcomes.items()) + f"; {missed or 'none'} missed the bar")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
