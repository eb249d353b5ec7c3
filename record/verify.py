"""Check the whole record from its files: ``python record/verify.py``. It needs only the package.

Certificates larger than a quarter of a megabyte are not stored: the table has a digest of their contents. With ``--again`` they are made
again, which takes some minutes, compared with their digests, and checked like the others.

The script compares every line with the author's form, tiles and rules, every solution with the geometry, every certificate with its line,
and every refutation with its conditions; the checkers (including the verified checker, if it is built) check every certificate. It trusts
no count and no solution; counts without a certificate are only listed: 'puzzlesat check record/forms.jsonl' counts them again. The exit
status is 1 if a check fails.
"""

from __future__ import annotations

import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile

from certificates import SUMS, Kept, contents_digest, read_table, sums
from certify import made
from sources import CONFIRMED, REFUTED, Source, as_instance, differences, engines_of, judged, read_sources

from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.checker.values import Rejected
from puzzlesat.counting.verdict import wrong_solution
from puzzlesat.formats.puzzles import raw_tables_in
from puzzlesat.proofs.statement import check_states
from puzzlesat.proofs.verified import check_by_proof, program
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.puzzle import Instance

FORMS = Path(__file__).with_name("forms.jsonl")
SOLUTION, CERTIFICATE, LARGE, PROVED = "a solution", "a certificate", "a certificate that is too large to store", "by the proved checker"
TWICE, ONCE, OPEN = "a count by two engines", "a count by one engine alone", "nothing: open"
MAX_SECONDS = 1800
"""Time limit for making a certificate again."""
SAY_EVERY = 50
"""Number of lines between progress reports, if the output is not a terminal."""


@dataclass(frozen=True)
class Looked:
    """The findings on one line."""

    name: str
    evidence: tuple[str, ...]
    """The kinds of evidence for the line."""
    fate: str
    """The judgement on the published figure."""
    faults: tuple[str, ...]


def looked_at(name: str, line: Mapping[str, Any], source: Source | None, kept: Kept | None, *, again: bool = False) -> Looked:
    """Check one line with its source and its certificate."""
    try:
        instance = as_instance(name, {key: value for key, value in line.items() if key != "expect"}, FORMS)
        return _looked_at(name, line, instance, source, kept, again)
    except PuzzleError as error:
        return Looked(name, (OPEN,), "", (str(error),))


def _looked_at(name: str, line: Mapping[str, Any], instance: Instance, source: Source | None, kept: Kept | None, again: bool) -> Looked:
    expect = line.get("expect", {})
    faults = [*_wrong_puzzle(source, line, instance), *_wrong_figures(expect)]
    evidence, engines = [], engines_of(expect.get("source", ""), certified=kept is not None)
    if expect.get("solution"):
        wrong = wrong_solution(build_instance(instance), expect["solution"])
        faults += [] if wrong is None else [f"its solution is wrong: {wrong}"]
        evidence.append(SOLUTION)
    if kept is not None:
        faults += _wrong_certificate(kept, instance, line, again)
        evidence += [CERTIFICATE if kept.file else LARGE, *([PROVED] if kept.file and kept.proved and program() else [])]
    if expect.get("all"):
        evidence.append(TWICE if len(engines) > 1 else ONCE)
    said = None if source is None else judged(source, line, instance, engines)
    if expect.get("refuted") and (said is None or said.word != REFUTED):
        faults.append("it refutes a figure, but form, rules, engines or evidence are not shown")
    return Looked(name, tuple(evidence or [OPEN]), said.word if said else "", tuple(faults))


def _wrong_puzzle(source: Source | None, line: Mapping[str, Any], instance: Instance) -> Iterator[str]:
    if source is None:
        yield "sources.jsonl does not know it"
    elif not source.unstated and (differ := differences(source, line, instance)):
        yield f"it is not the author's puzzle: {', '.join(differ)}"


def _wrong_figures(expect: Mapping[str, Any]) -> Iterator[str]:
    every, distinct = expect.get("all"), expect.get("distinct")
    if (every is None) != (distinct is None) or (every is not None and not every >= distinct >= min(every, 1)):
        yield f"all {every} and distinct {distinct} do not go together"
    if every == 0 and expect.get("solution"):
        yield "it has a solution, and none"


def _wrong_certificate(kept: Kept, instance: Instance, line: Mapping[str, Any], again: bool) -> Iterator[str]:
    """Check the certificate of a line; one that is not stored is made again if ``again`` is true."""
    if kept.file:
        yield from _wrong_file(kept.path, kept, instance, line.get("expect", {}))
    elif again:
        with TemporaryDirectory() as scratch:
            path = Path(scratch, "again.proof")
            if made(as_instance(kept.name, line, FORMS), path, MAX_SECONDS) is None:
                yield f"its certificate was not made again within {MAX_SECONDS} seconds"
            else:
                yield from _wrong_file(path, kept, instance, line.get("expect", {}))


def _wrong_file(path: Path, kept: Kept, instance: Instance, expect: Mapping[str, Any]) -> Iterator[str]:
    """Check a certificate, its puzzle, and its figures."""
    try:
        if contents_digest(path) != kept.contents:
            yield f"{path.name}: its contents are not those that the table has the digest of"
            return
        check_states(path, instance, kept.name)
        counts = [check_certificate(path).counts]
        if kept.proved and (checker := program()) is not None:
            counts.append(check_by_proof(path, checker).counts)
    except (Rejected, NotSupportedError, PuzzleError, OSError, BadZipFile, zlib.error) as error:
        yield f"{path.name}: {error}"
        return
    for found in counts:
        distinct = found.distinct if found.all else 0
        if (found.all, distinct) != (expect.get("all"), expect.get("distinct")):
            yield f"{path.name}: it certifies all {found.all}, distinct {found.distinct}, not what the line says"


def summary(looked: Sequence[Looked], files: int) -> Iterator[str]:
    """Yield the lines of the summary."""
    evidence, fates = Counter(e for one in looked for e in one.evidence), Counter(one.fate for one in looked)
    yield f"{len(looked):,} lines, {files:,} certificates; of so many lines there is"
    for what in (SOLUTION, CERTIFICATE, PROVED, LARGE, TWICE, ONCE, OPEN):
        yield f"  {evidence[what]:5,}  {what}"
    yield f"published figures: {fates[CONFIRMED]:,} confirmed, {fates[REFUTED]:,} refuted"
    if program() is None:
        yield "the checker that is proved sound is not built ('make -C verified puzzlesat-verified'): only the other one was asked"
    failed = sum(bool(one.faults) for one in looked)
    yield f"{failed:,} lines FAILED" if failed else "no line failed"


def main(arguments: Sequence[str] = ()) -> int:
    """Check all lines, or the named ones; return the exit status."""
    names, again = [name for name in arguments if name != "--again"], "--again" in arguments
    sources, table = read_sources(), read_table()
    lines = [(name, line) for name, line, _ in raw_tables_in(FORMS) if not names or name in names or name.rpartition("/")[2] in names]
    begun, looked, others = time.monotonic(), list[Looked](), [] if names else list(_others({name for name, _ in lines}, sources, table))
    for number, (name, line) in enumerate(lines, start=1):
        looked.append(looked_at(name, line, sources.get(name), table.get(name), again=again))
        _say_progress(number, len(lines), name, time.monotonic() - begun)
        for fault in looked[-1].faults:
            print(f"FAILED  {name}: {fault}")
    for fault in others:
        print(f"FAILED  {fault}")
    print("\n".join(summary(looked, sum(bool(table[one.name].file) for one in looked if one.name in table))))
    return int(not looked or bool(others) or any(one.faults for one in looked))


def _others(names: Set[str], sources: Mapping[str, Source], table: Mapping[str, Kept]) -> Iterator[str]:
    """Yield inconsistencies between the files of the record."""
    for name in sorted((sources.keys() | table.keys()) - names):
        yield f"{name}: sources.jsonl or certificates.jsonl has it, but there is no such line"
    if changed := set(SUMS.read_text(encoding="utf-8").splitlines()) ^ set(sums().splitlines()):
        files = sorted({line.partition("  ")[2] for line in changed})
        yield f"SHA256SUMS: changed since it was written: {', '.join(files)} (record/update.py writes it anew)"


def _say_progress(number: int, of: int, name: str, seconds: float) -> None:
    if sys.stderr.isatty():
        print(f"\r{number} of {of}, {seconds:.0f} s  {name:60.60}", end="\n" if number == of else "", file=sys.stderr, flush=True)
    elif number % SAY_EVERY == 0:
        print(f"{number} of {of}, {seconds:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (PuzzleError, OSError) as error:
        sys.exit(f"FAILED  {error}")
