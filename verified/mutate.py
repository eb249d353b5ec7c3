#!/usr/bin/env python3
"""Give the same damaged certificates to both checkers: ``mutate.py CERTIFICATE NUMBER [SEED]``, with puzzlesat installed.

Prints how often both accepted, both rejected, or one of them, and for each difference what was changed and why the other rejected it.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from puzzlesat.checker.certificate import check_certificate
from puzzlesat.checker.values import Rejected
from puzzlesat.proofs.verified import HOW_TO_BUILD, check_by_proof, program

PYTHON_ALONE, VERIFIED_ALONE = "PYTHON ALONE ACCEPTED", "VERIFIED ALONE ACCEPTED"
UNTOUCHED = ("format", "version", "kind", "title", "name", "solution_width", "solution_bytes")
"""Keys that nothing depends on, or that only the checker in Python reads."""


SORTS = {
    "read by Python alone": r"^solution|^kept(\.symmetries|: symmetry|: not one placement)|not the one listed|lead to solution",
    "stated twice": r"stands there twice|twice",
    "removals that are not needed": r"^removals",
    "a matter of form": r"^(puzzle|certificate|grid|claim|record_bytes|weighting)\b",
}
"""Why Python rejects what the proof does not: the sorts of differences that there may be, by what it says."""


def main() -> None:
    """Read the command line."""
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    checker = program()
    if checker is None:
        sys.exit(HOW_TO_BUILD)
    tally = Counter[str]()
    for what, ours, theirs in verdicts(Path(sys.argv[1]), int(sys.argv[2]), random.Random(*map(int, sys.argv[3:])), checker):
        verdict = {(True, True): "both accepted", (False, False): "both rejected", (True, False): PYTHON_ALONE}
        tally[said := verdict.get((ours is None, theirs is None), sort_of(ours or ""))] += 1
        if (ours is None) != (theirs is None):
            print(f"{what}: {said}; {ours or theirs}")
    print(dict(tally))


def verdicts(certificate: Path, number: int, chance: random.Random, checker: Path) -> Iterator[tuple[str, str | None, str | None]]:
    """Damage a certificate so many times; yield what was changed, and why each rejects it, Python and the proved one; None: it does not."""
    with ZipFile(certificate) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(members.pop("certificate.json"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.proof"
        for _ in range(number):
            changed, parts, what = mutated(said, members, chance)
            with ZipFile(path, "w") as archive:
                archive.writestr("certificate.json", json.dumps(changed))
                for name, part in parts.items():
                    archive.writestr(name, part)
            yield what, why(check_certificate, path), why(lambda path: check_by_proof(path, checker), path)


def mutated(said: dict[str, Any], members: dict[str, bytes], chance: random.Random) -> tuple[dict[str, Any], dict[str, bytes], str]:
    """Return a certificate in which one thing is changed, and say what."""
    changed, parts = deepcopy(said), dict(members)
    what = _damaged(changed, parts, chance)
    return changed, parts, what


def sort_of(reason: str) -> str:
    """The sort of a difference, by why Python rejects what the proved checker accepts."""
    return next((sort for sort, words in SORTS.items() if re.search(words, reason)), VERIFIED_ALONE)


def why(check: Callable[[Path], object], path: Path) -> str | None:
    """Why a checker rejects a certificate; None where it accepts it."""
    try:
        check(path)
    except Rejected as error:
        return str(error)
    return None


def _damaged(said: dict[str, Any], parts: dict[str, bytes], chance: random.Random) -> str:
    """Change one thing, and say what."""
    if chance.random() < 0.2 and parts.get("proof.tree"):
        tree = bytearray(parts["proof.tree"])
        at = chance.randrange(len(tree))
        tree[at] = chance.randrange(256)
        parts["proof.tree"] = bytes(tree)
        return f"byte {at} of the tree is {tree[at]}"
    where, path = said, ""
    while True:
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        key = chance.choice([k for k in keys if k not in UNTOUCHED])
        if where is said and chance.random() < 0.7:
            key = "puzzle"
        path += f".{key}"
        inside = where[key]
        if isinstance(inside, dict | list) and inside and chance.random() < 0.9:
            where = inside
            continue
        if isinstance(where, list) and chance.random() < 0.4:
            if chance.random() < 0.5:
                del where[key]
                return f"{path} left out"
            where.insert(key, deepcopy(inside))
            return f"{path} twice"
        if isinstance(inside, bool):
            where[key] = not inside
        elif isinstance(inside, int):
            where[key] = inside + chance.choice([-2, -1, 1, 2])
        elif isinstance(inside, str):
            where[key] = chance.choice(["0", "1", "1/2", "-1", "2"])
        else:
            where[key] = [] if isinstance(inside, list) else None
        return f"{path} {inside!r:.40} -> {where[key]!r:.40}"


if __name__ == "__main__":
    main()
