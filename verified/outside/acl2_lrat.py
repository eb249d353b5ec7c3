#!/usr/bin/env python3
"""Have ACL2's verified LRAT checker look at certificates: ``acl2_lrat.py INSTANCE…``, with puzzlesat and Debian's acl2-books installed.

Each instance is certified and its certificate turned into a formula and a refutation. The checker must accept them and refuse every
damaged pair; the table of what it said is printed. Exit status 1 where it said something else or there is nothing to look at, 2 where it
cannot be run.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

SCRIPT = """(include-book "projects/sat/lrat/stobj-based/run" :dir :system)
(lrat::lrat-check "{}" "{}")
"""
Lines = list[str]


def main() -> None:
    """Read the command line."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if shutil.which("acl2") is None:
        print("acl2 is not there: apt-get install acl2 acl2-books (2.4 GB)", file=sys.stderr)
        sys.exit(2)
    print("| instance | clauses | formula | steps | proof | seconds | accepted | damaged: refused |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with TemporaryDirectory() as folder:
        right = [_row(name, Path(folder)) for name in sys.argv[1:]]
    sys.exit(0 if all(right) else 1)


def _row(name: str, folder: Path) -> bool:
    """Print what the checker says of an instance and of its damaged copies, and tell whether that is what it should."""
    for words in (("certify", name, "-o", "right.proof"), ("certificate-to-lrat", "right.proof", "-o", "right")):
        done = subprocess.run([sys.executable, "-m", "puzzlesat", *words], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
            return False
    formula, proof = folder / "right.cnf", folder / "right.lrat"
    begun = time.perf_counter()
    accepted = _accepts(formula, proof)
    seconds = time.perf_counter() - begun
    clauses, steps, chance = formula.read_text().splitlines(), proof.read_text().splitlines(), random.Random(name)
    passed = []
    for damage in DAMAGES:
        cnf, lrat = list(clauses), list(steps)
        damage(cnf, lrat, chance)
        formula.write_text("\n".join(cnf) + "\n")
        proof.write_text("\n".join(lrat) + "\n")
        if _accepts(formula, proof):
            passed.append(damage.__name__)
    derived = sum(" d " not in step for step in steps)
    refused = [f"{len(DAMAGES) - len(passed)} of {len(DAMAGES)}", *(f"ACCEPTED {what}" for what in passed)]
    row = (
        name, f"{len(clauses) - 1:,}", _megabytes(clauses), f"{derived:,}", _megabytes(steps), f"{seconds:.1f}",
        "yes" if accepted else "NO", ", ".join(refused),
    )  # fmt: skip
    print("|", " | ".join(row), "|", flush=True)
    return accepted and not passed


def _megabytes(lines: Lines) -> str:
    return f"{sum(map(len, lines)) / 1e6:.1f} MB"


def _accepts(formula: Path, proof: Path) -> bool:
    """ACL2 ends with 0 after an error, too: only its own words count."""
    done = subprocess.run(["acl2"], input=SCRIPT.format(formula, proof), capture_output=True, text=True, check=False)
    return "\ns VERIFIED\n" in done.stdout and done.returncode == 0


def _step(lrat: Lines, chance: random.Random, fits: Callable[[list[str], list[str]], bool]) -> tuple[int, str, list[str], list[str]]:
    """Some step: where it is, its number, literals and hints."""
    while True:
        at = chance.randrange(len(lrat))
        number, *words = lrat[at].split()
        if words[0] != "d":
            end = words.index("0")
            if fits(words[:end], words[end + 1 : -1]):
                return at, number, words[:end], words[end + 1 : -1]


def _told(number: str, literals: list[str], hints: list[str]) -> str:
    return " ".join([number, *literals, "0", *hints, "0"])


def _named(lrat: Lines) -> set[str]:
    """The clauses that are hints of some step."""
    return {hint for line in lrat if " d " not in line for hint in line.split(" 0 ", 1)[1].split()[:-1]}


def a_literal_dropped(_: Lines, lrat: Lines, chance: random.Random) -> None:
    """A step claims more than its hints show."""
    at, number, literals, hints = _step(lrat, chance, lambda literals, _: len(literals) > 1)
    literals.pop(chance.randrange(len(literals)))
    lrat[at] = _told(number, literals, hints)


def a_literal_turned(_: Lines, lrat: Lines, chance: random.Random) -> None:
    """A step says the opposite of one of its literals."""
    at, number, literals, hints = _step(lrat, chance, lambda literals, _: bool(literals))
    which = chance.randrange(len(literals))
    literals[which] = str(-int(literals[which]))
    lrat[at] = _told(number, literals, hints)


def a_hint_dropped(_: Lines, lrat: Lines, chance: random.Random) -> None:
    """A step without the last of its hints, which would contradict."""
    at, number, literals, hints = _step(lrat, chance, lambda _, hints: bool(hints))
    lrat[at] = _told(number, literals, hints[:-1])


def the_end_dropped(_: Lines, lrat: Lines, __: random.Random) -> None:
    """The proof stops before the empty clause."""
    while lrat.pop().split()[1] != "0":
        pass


def a_step_dropped(_: Lines, lrat: Lines, chance: random.Random) -> None:
    """A step that a later one names is not there."""
    named = _named(lrat)
    at, *_ = _step(lrat, chance, lambda literals, _: bool(literals))
    while lrat[at].split()[0] not in named:
        at, *_ = _step(lrat, chance, lambda literals, _: bool(literals))
    del lrat[at]


def a_clause_lost(cnf: Lines, lrat: Lines, _: random.Random) -> None:
    """The last clause that the proof names, which mostly forbids a solution, is the one before it once more: no numbers change."""
    at = max(int(hint) for hint in _named(lrat) if int(hint) < len(cnf))
    cnf[at] = cnf[at - 1]


def a_clause_weakened(cnf: Lines, _: Lines, chance: random.Random) -> None:
    """A clause of the formula, one that forbids no pair, says less: it may be kept by a variable of its own."""
    at = chance.choice([i for i, line in enumerate(cnf) if i and len(line.split()) > 3])
    top = int(cnf[0].split()[2]) + 1
    cnf[0] = " ".join([*cnf[0].split()[:2], str(top), cnf[0].split()[3]])
    cnf[at] = f"{top} {cnf[at]}"


DAMAGES = (a_literal_dropped, a_literal_turned, a_hint_dropped, the_end_dropped, a_step_dropped, a_clause_lost, a_clause_weakened)

if __name__ == "__main__":
    main()
