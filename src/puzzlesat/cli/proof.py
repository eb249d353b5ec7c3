"""``puzzlesat prove``, ``certify`` and ``certificate-to-lrat``.

``puzzlesat verify``: a checker of certificates that stands apart from all that made them, in Python; or the one that is proved sound.
"""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlesat.base import EndedError, NotSupportedError, PuzzleError, far_words, many, write_file
from puzzlesat.checker import Counts, Rejected, check_certificate, counts_in_words
from puzzlesat.cli.endings import why_failed
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY, worse
from puzzlesat.cli.output import check_apart, check_output, with_size
from puzzlesat.cli.terminal import console, print_lines, print_picture, say, say_error
from puzzlesat.cli.working import Bounds, working
from puzzlesat.counting import order_of_sides
from puzzlesat.formats import instance_in
from puzzlesat.pages import finding_text
from puzzlesat.pictures import colouring_svg
from puzzlesat.proofs import SOLVABLE, Proof, certificate_to_lrat, certify_instance, check_kind, prove_instance

if TYPE_CHECKING:
    from puzzlesat.puzzles import Instance


def run_prove(name: str, *, output: Path | None, svg: Path | None, bounds: Bounds, as_json: bool, problem: int | str | None = None) -> int:
    """Tell why a puzzle has no solution, or show one; return the exit status."""
    check_output(output)
    check_output(svg, ".svg")
    check_apart(name, output, svg)
    with working(name, bounds) as (limits, told):
        proved = prove_instance(instance_in(name, problem, progress=told), limits, certificate=output, progress=told)
    if as_json:
        print(jsonlib.dumps({"instance": name, **proof_as_json(proved)}, ensure_ascii=False))
    if proved.finding is None:
        say_error(f"puzzlesat: {proved.why}")
        return STOPPED_EARLY
    built, finding, written = proved.built, proved.finding, proved.certificate
    if svg is not None and finding.weighting is not None:
        write_file(svg, colouring_svg(built, finding.weighting.weights, modulus=finding.weighting.modulus))
    if as_json:
        return DONE
    out = console()
    say(out, f"{built.instance.title}  ({name}) {proved.verdict}", style="bold", hang=2)
    for sentence in [*finding.sentences, *(["One solution:"] if finding.argument == SOLVABLE else [])]:
        say(out, f"  {sentence}", hang=4)
    if proved.solvable is False and (hint := order_of_sides(built.puzzle)):
        say(out, f"  {hint}", hang=4)
    if (drawn := finding_text(built, finding)) is not None:
        out.print()
        by = f"puzzlesat solve {name} --svg FILE" if finding.argument == SOLVABLE else "--svg FILE"
        print_picture(out, drawn, f"draw it with {by}")
        out.print()
    if written is not None:
        say(console(), f"certificate: {with_size(written)}; check it with: puzzlesat verify {written}")
    if (output is not None and written is None) or (svg is not None and finding.weighting is None):
        what = "no certificate was written, because there is a solution" if written is None and output else "there is no colouring to draw"
        say_error(f"puzzlesat: {what}")
    return DONE


def run_certify(name: str, output: Path, *, kind: str, bounds: Bounds, as_json: bool, problem: int | str | None = None) -> int:
    """Write the certificate of a count; return the exit status."""
    check_kind(kind)
    check_output(output)
    check_apart(name, output)
    with working(name, bounds) as (limits, told):
        certified = certify_instance(instance_in(name, problem, progress=told), output, kind, limits, told)
    if as_json:
        ended = {"complete": certified.complete, "why": certified.why}
        said = {"certificate": str(output) if certified.complete else None, "kind": kind, "bytes": certified.size, "work": certified.work}
        print(jsonlib.dumps({"instance": name, **ended, **said, **_counts(certified.counts)}, ensure_ascii=False))
    if not certified.complete:
        say_error(f"puzzlesat: {certified.why}")
        return STOPPED_EARLY
    if not as_json:
        work = ", ".join(far_words(certified.work))
        say(console(), f"{name}: {counts_in_words(certified.counts)}  ({work})")
        say(console(), f"certificate: {with_size(output)}; check it with: puzzlesat verify {output}")
    return DONE


def run_certificate_to_lrat(path: Path, output: Path, *, binary: bool) -> int:
    """Write the formula and the LRAT proof of a certificate; return the exit status."""
    formula, proof = output.with_name(output.name + ".cnf"), output.with_name(output.name + ".lrat")
    check_output(formula)
    check_output(proof)
    check_apart(path, formula, proof)
    try:
        steps = certificate_to_lrat(path, formula, proof, binary=binary)
    except Rejected as error:
        say_error(f"puzzlesat: {path}: {error}")
        return FAILED
    say(console(), f"{formula} and {proof}: {many(steps, 'step')}; check them with: lrat-check {formula} {proof}")
    return DONE


def proof_as_json(proved: Proof) -> dict[str, object]:
    """Return what was found as the documented JSON object, without the name of the instance. What is not known is None."""
    return {
        "complete": proved.complete,
        "why": proved.why,
        "solvable": proved.solvable,
        "argument": proved.argument,
        "sentences": proved.sentences if proved.complete else [],
        "solution": list(proved.solutions[0].names) if proved.solutions else None,
        "certificate": None if proved.certificate is None else str(proved.certificate),
    }


def _counts(counts: Counts) -> dict[str, int | None]:
    return {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}


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
                said = {"file": str(path), "complete": False, "why": ended.words, "accepted": None}
                print(jsonlib.dumps(said, ensure_ascii=False))
            say_error(f"puzzlesat: {path}: not known: {ended.words}")
            worst = worse(worst, STOPPED_EARLY)
            if ended.status == "interrupted":
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
    from puzzlesat.proofs import check_states

    compared = check_states(path, _meant(against), against.instance)
    return replace(accepted, checked=(*accepted.checked, compared), believed=accepted.believed[1:])


def _by_proof() -> Check:
    """Return what lets the program do it whose soundness is proved. Raises PuzzleError where it is not there."""
    from puzzlesat.proofs import HOW_TO_BUILD, check_by_proof, differences, program

    checker = program()
    if checker is None:
        raise PuzzleError(HOW_TO_BUILD)

    def check(path: Path, go_on: Callable[[], object], against: Against | None) -> Accepted:
        proved = check_by_proof(path, checker, go_on)
        known = {name: name in proved.sound for name in asdict(proved.counts)}
        accepted = Accepted(proved.name, proved.kind, proved.counts, proved.checked, proved.unproved, proved.believed, proved.read, known)
        if against is None:
            return accepted
        from puzzlesat.proofs import said_same, state_puzzle
        from puzzlesat.puzzles import build_instance

        compared = said_same(against.instance, differences(proved.text, state_puzzle(build_instance(_meant(against)))))
        believed = (f"that Python, which compared it, compiles {against.instance} as it is meant", *accepted.believed[1:])
        return replace(accepted, checked=(*accepted.checked, compared), believed=believed)

    return check


def _meant(against: Against) -> Instance:
    """The instance that the puzzle must be; only this looks at configs."""
    from puzzlesat.formats import instance_in

    return instance_in(against.instance, against.problem)
