"""``puzzlesat verify``: the checker of certificates, which stands apart from all that made them."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from zipfile import ZipFile

from puzzlesat.proof.check.certificate import Verified, check_certificate
from puzzlesat.proof.check.rejected import Rejected

ACCEPTED, REJECTED = 0, 1


def run_verify(paths: Sequence[Path], instance: str | None, as_json: bool) -> int:
    """Check certificates and say what was checked; return the exit status."""
    worst = ACCEPTED
    for path in paths:
        try:
            verified = check_certificate(path)
            same = None if instance is None else _compare(path, instance)
        except Rejected as error:
            worst = REJECTED
            if as_json:
                print(jsonlib.dumps({"file": str(path), "accepted": False, "reason": str(error)}, ensure_ascii=False))
            else:
                print(f"puzzlesat: {path}: rejected: {error}", file=sys.stderr)
            continue
        if as_json:
            print(jsonlib.dumps({"file": str(path), "accepted": True, **asdict(verified)}, ensure_ascii=False))
        else:
            _show(path, verified, same)
    return worst


def _show(path: Path, verified: Verified, same: str | None) -> None:
    believed = verified.believed if same is None else verified.believed[1:]
    print(f"{path}: accepted")
    for what, sentences in (("checked", (*verified.checked, *([] if same is None else [same]))), ("to be believed", believed)):
        for sentence in sentences:
            print(f"  {what:<14}  {sentence}")
            what = ""


def _compare(path: Path, instance: str) -> str:
    """Confirm that the puzzle stated is that of an instance; only this looks at configs. Raises Rejected where it is another one."""
    from puzzlesat.cover.build import build
    from puzzlesat.proof.statement import state_puzzle
    from puzzlesat.puzzle.load import load_puzzle

    with ZipFile(path) as archive:
        stated = jsonlib.loads(archive.read("certificate.json"))["puzzle"]
    meant = jsonlib.loads(jsonlib.dumps(state_puzzle(build(load_puzzle(instance)))))
    differ = [key for key in meant if key not in ("name", "title") and stated.get(key) != meant[key]]
    if differ:
        raise Rejected(f"the puzzle is not that of {instance}: {', '.join(differ)} differ")
    return f"instance: the puzzle is that of {instance} as it is compiled now"
