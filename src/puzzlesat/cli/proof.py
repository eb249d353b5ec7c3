"""``puzzlesat prove``, ``certify`` and ``certificate-to-lrat``."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path

from puzzlesat.check.rejected import Rejected
from puzzlesat.check.solutions import Counts, counts_in_words
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.output import with_size
from puzzlesat.cli.terminal import console, print_picture, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.counting.facts import order_of_sides
from puzzlesat.draw.colouring import colouring_svg
from puzzlesat.draw.finding import finding_text
from puzzlesat.errors import counted, many
from puzzlesat.files import check_apart, check_output, write_text
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.proof.certify import certify_instance, check_kind
from puzzlesat.proof.export import certificate_to_lrat
from puzzlesat.proof.prove import SOLVABLE, Proof, prove_instance


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
        write_text(svg, colouring_svg(built, finding.weighting.weights, modulus=finding.weighting.modulus))
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
        work = ", ".join(counted(n, key) for key, n in certified.work.items())
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
