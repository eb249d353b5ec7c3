#!/usr/bin/env python3
"""Give the same damaged certificates to both checkers: ``mutate.py CERTIFICATE NUMBER [SEED]``, with puzzlesat installed.

Prints how often both accepted, both rejected, or one of them, and for each difference what was changed and why the other rejected it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from unpack import unpacked

from puzzlesat.proof.check.certificate import check_certificate
from puzzlesat.proof.check.rejected import Rejected

UNTOUCHED = ("format", "version", "kind", "title", "name", "solution_width", "solution_bytes")
"""Keys that nothing depends on, or that only the checker in Python reads."""
PROGRAM = Path(__file__).parent / "puzzlesat-verified"


def main() -> None:
    """Read the command line."""
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with ZipFile(sys.argv[1]) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said, chance, tally = json.loads(members.pop("certificate.json")), random.Random(*map(int, sys.argv[3:])), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(sys.argv[2])):
            changed, parts = deepcopy(said), dict(members)
            what = _damaged(changed, parts, chance)
            ours, theirs = _python(changed, parts, Path(folder)), _verified(changed, parts, Path(folder))
            verdict = {(True, True): "both accepted", (False, False): "both rejected", (True, False): "PYTHON ALONE ACCEPTED"}
            tally[verdict.get((not ours, not theirs), "verified alone accepted")] += 1
            if bool(ours) != bool(theirs):
                print(f"{what}: {'verified alone accepted' if ours else 'PYTHON ALONE ACCEPTED'}; {ours or theirs}")
    print(dict(tally))


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


def _python(said: dict[str, Any], parts: dict[str, bytes], folder: Path) -> str:
    """Why it is rejected, or nothing."""
    path = folder / "some.proof"
    with ZipFile(path, "w") as archive:
        archive.writestr("certificate.json", json.dumps(said))
        for name, part in parts.items():
            archive.writestr(name, part)
    try:
        check_certificate(path)
    except Rejected as error:
        return str(error)
    return ""


def _verified(said: dict[str, Any], parts: dict[str, bytes], folder: Path) -> str:
    """Why it is rejected, or nothing."""
    path = folder / "some.txt"
    try:
        words = " ".join(map(str, unpacked(said, len(parts.get("proof.tree", b"")))))
    except Exception as error:  # whatever unpacking stumbles over is no certificate
        return f"not unpacked: {error!r}"
    path.write_bytes(words.encode() + b"\n" + parts.get("proof.tree", b""))
    done = subprocess.run([PROGRAM, path], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stdout.splitlines() or [""])[-1] + done.stderr


if __name__ == "__main__":
    main()
