"""``puzzlesat verify``: a checker of certificates that stands apart from all that made them, in Python; or the one that is proved sound."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlesat.check.certificate import check_certificate
from puzzlesat.check.rejected import Rejected
from puzzlesat.check.solutions import Counts
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY, worse
from puzzlesat.cli.terminal import console, print_lines, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.config.files import why_failed
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.solvers.run import STOPPED, EndedError, ended_words

if TYPE_CHECKING:
    from puzzlesat.puzzle.instance import Instance


@dataclass(frozen=True)
class Against:
    """The instance that the puzzle of each certificate must be."""

    instance: str
    problem: int | str | None


BESIDE_LABELS = 16
"""The column at which what a label names begins."""
IN_WORDS = re.compile(r"[^#o.+\d\s]")
"""What a row of a picture has not, which is not folded."""


@dataclass(frozen=True)
class Accepted:
    """What is said of a certificate that was accepted."""

    name: str
    kind: str
    counts: Counts
    checked: tuple[str, ...]
    unproved: tuple[str, ...]
    """What is said of figures that no theorem and no comparison covers."""
    believed: tuple[str, ...]
    read: tuple[str, ...]
    """The puzzle as the checker has read it, line by line."""
    proved_sound: Mapping[str, bool]
    """For each of the counts whether the checker has it whose soundness is proved."""


ENDED = {"complete": True, "why": None}
"""What is said where the check came to its end, whatever it found."""
Check = Callable[[Path, Callable[[], object], "Against | None"], Accepted]
"""Check a certificate, and that its puzzle is that of the instance, if any. Raises Rejected."""


def run_verify(
    paths: Sequence[Path], bounds: Bounds, *, instance: str | None, as_json: bool, problem: int | str | None = None, verified: bool = False
) -> int:
    """Check certificates and say what was checked; return the exit status."""
    check: Check = _by_proof() if verified else _by_python
    against = None if instance is None else Against(instance, problem)
    worst = DONE
    for path in paths:
        try:
            with working(str(path), bounds) as (_, told), told.overseen():
                accepted = check(path, partial(told.of("checking"), {}), against)
        except Rejected as error:
            worst = worse(worst, FAILED)
            if as_json:
                print(jsonlib.dumps({"file": str(path), **ENDED, "accepted": False, "reason": str(error)}, ensure_ascii=False))
            else:
                say_error(f"puzzlesat: {path}: rejected: {error}")
            continue
        except EndedError as ended:
            if as_json:
                said = {"file": str(path), "complete": False, "why": ended_words(ended), "accepted": None}
                print(jsonlib.dumps(said, ensure_ascii=False))
            say_error(f"puzzlesat: {path}: not known: {ended_words(ended)}")
            worst = worse(worst, STOPPED_EARLY)
            if ended.status == STOPPED:
                break
            continue
        except (NotSupportedError, OSError) as error:
            say_error(f"puzzlesat: {path}: {why_failed(error) if isinstance(error, OSError) else error}")
            worst = worse(worst, BAD_INPUT)
            continue
        if as_json:
            print(jsonlib.dumps({"file": str(path), **ENDED, "accepted": True, **asdict(accepted)}, ensure_ascii=False))
        else:
            _show(path, accepted)
    return worst


def _show(path: Path, accepted: Accepted) -> None:
    out = console()
    say(out, f"{path}: the puzzle that it states")
    for line in accepted.read:
        if IN_WORDS.search(line, BESIDE_LABELS):
            say(out, line, hang=BESIDE_LABELS)
        else:
            print_lines([line])
    say(out, f"{path}: accepted{', by a program that is proved sound' if any(accepted.proved_sound.values()) else ''}")
    parts = ("checked", accepted.checked), ("unproved", accepted.unproved), ("taken on trust", accepted.believed)
    for what, sentences in parts:
        for sentence in sentences:
            say(out, f"  {what:<14}  {sentence}", hang=18)
            what = ""


def _by_python(path: Path, go_on: Callable[[], object], against: Against | None) -> Accepted:
    """Let the checker in Python do it."""
    found = check_certificate(path, go_on)
    proved = dict.fromkeys(asdict(found.counts), False)
    accepted = Accepted(found.name, found.kind, found.counts, found.checked, found.unproved, found.believed, found.read, proved)
    if against is None:
        return accepted
    from puzzlesat.proof.statement import check_states

    compared = check_states(path, _meant(against), against.instance)
    return replace(accepted, checked=(*accepted.checked, compared), believed=accepted.believed[1:])


def _by_proof() -> Check:
    """Return what lets the program do it whose soundness is proved. Raises PuzzleError where it is not there."""
    from puzzlesat.proof.verified import HOW_TO_BUILD, check_by_proof, differences, program

    checker = program()
    if checker is None:
        raise PuzzleError(HOW_TO_BUILD)

    def check(path: Path, go_on: Callable[[], object], against: Against | None) -> Accepted:
        proved = check_by_proof(path, checker, go_on)
        known = {name: name in proved.sound for name in asdict(proved.counts)}
        accepted = Accepted(proved.name, proved.kind, proved.counts, proved.checked, proved.unproved, proved.believed, proved.read, known)
        if against is None:
            return accepted
        from puzzlesat.cover.instance import build_instance
        from puzzlesat.proof.statement import said_same, state_puzzle

        compared = said_same(against.instance, differences(proved.text, state_puzzle(build_instance(_meant(against)))))
        believed = (f"that Python, which compared it, compiles {against.instance} as it is meant", *accepted.believed[1:])
        return replace(accepted, checked=(*accepted.checked, compared), believed=believed)

    return check


def _meant(against: Against) -> Instance:
    """The instance that the puzzle must be; only this looks at configs."""
    from puzzlesat.formats.puzzles import instance_in

    return instance_in(against.instance, against.problem)
