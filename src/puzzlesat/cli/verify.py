"""``puzzlesat verify``: the checker of certificates, which stands apart from all that made them."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY, worse
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.proof.check.archive import opened, read_json
from puzzlesat.proof.check.certificate import Verified, check_certificate
from puzzlesat.proof.check.rejected import Rejected
from puzzlesat.solvers.run import STOPPED, EndedError, ended_words


def run_verify(paths: Sequence[Path], bounds: Bounds, *, instance: str | None, as_json: bool, problem: int | str | None = None) -> int:
    """Check certificates and say what was checked; return the exit status."""
    worst = DONE
    for path in paths:
        try:
            with working(str(path), bounds) as (_, told):
                verified = check_certificate(path, partial(told.of("checking"), {}))
            if instance is not None:
                compared = _compare(path, instance, problem)
                verified = replace(verified, checked=(*verified.checked, compared), believed=verified.believed[1:])
        except Rejected as error:
            worst = worse(worst, FAILED)
            if as_json:
                print(jsonlib.dumps({"file": str(path), "accepted": False, "reason": str(error)}, ensure_ascii=False))
            else:
                say_error(f"puzzlesat: {path}: rejected: {error}")
            continue
        except EndedError as ended:
            say_error(f"puzzlesat: {path}: not known: {ended_words(ended)}")
            worst = worse(worst, STOPPED_EARLY)
            if ended.status == STOPPED:
                break
            continue
        except OSError as error:
            say_error(f"puzzlesat: {path}: {error.strerror}")
            worst = worse(worst, BAD_INPUT)
            continue
        if as_json:
            print(jsonlib.dumps({"file": str(path), "accepted": True, **asdict(verified)}, ensure_ascii=False))
        else:
            _show(path, verified)
    return worst


def _show(path: Path, verified: Verified) -> None:
    out = console()
    say(out, f"{path}: accepted")
    for what, sentences in (("checked", verified.checked), ("to be believed", verified.believed)):
        for sentence in sentences:
            say(out, f"  {what:<14}  {sentence}", hang=18)
            what = ""


def _compare(path: Path, instance: str, problem: int | str | None) -> str:
    """Confirm that the puzzle stated is that of an instance; only this looks at configs. Raises Rejected where it is another one."""
    from puzzlesat.cover.instance import build_instance
    from puzzlesat.formats.puzzles import instance_in
    from puzzlesat.proof.statement import state_puzzle

    with opened(path) as archive:
        stated = read_json(archive)["puzzle"]
    # compared as text, for to Python true is 1
    meant = {key: jsonlib.dumps(value) for key, value in state_puzzle(build_instance(instance_in(instance, problem))).items()}
    differ = [key for key in meant if jsonlib.dumps(stated.get(key)) != meant[key]]
    if differ:
        raise Rejected(f"the puzzle is not that of {instance}: it differs in {', '.join(differ)}")
    return f"instance: the puzzle is that of {instance} as it is compiled now"
