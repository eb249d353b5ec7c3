"""Make the certificates of the record: ``python record/certify.py NAME …``, or of all decided lines without a certificate.

The checker, and the verified checker if it is built, check each certificate before its entry in certificates.jsonl. A certificate larger
than a quarter of a megabyte is not stored: the table has its digest and the command that makes it again. Lines that take longer than
--seconds are skipped. With --from FOLDER, existing certificates in this folder (NAME.proof) are used.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from certificates import FOLDER, TABLE, Kept, contents_digest, read_table
from sources import as_instance

from puzzlesat import certify, prove
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.base.files import write_file
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.formats.puzzles import raw_tables_in
from puzzlesat.proofs.statement import check_states
from puzzlesat.proofs.verified import check_by_proof, program
from puzzlesat.puzzles.puzzle import Instance

FORMS = Path(__file__).with_name("forms.jsonl")
MAX_BYTES = 250_000
"""The largest size of a stored certificate."""


def made(instance: Instance, to: Path, seconds: float) -> str | None:
    """Write the certificate of a line; return the argument, an empty string for a count, or None after a timeout."""
    if instance.expect.all == 0:
        proof = prove(instance, output=to, seconds=seconds)
        return proof.argument if proof.solvable is False else None
    return "" if certify(instance, to, seconds=seconds).complete else None


def enter(name: str, instance: Instance, proof: Path, argument: str) -> Kept:
    """Check a certificate, store it if it is small enough, and return its row of the table."""
    checked = check_certificate(proof)
    check_states(proof, instance, name)
    if (checked.counts.all, checked.counts.distinct) != (instance.expect.all, instance.expect.distinct):
        raise SystemExit(f"{name}: the line says all {instance.expect.all}, the certificate {checked.counts.all}")
    own, size = name.rpartition("/")[2], proof.stat().st_size
    file = f"{own}.proof" if size <= MAX_BYTES else ""
    command = f"puzzlesat {'certify' if instance.expect.all else 'prove'} record/forms.jsonl --problem {own} -o {own}.proof"
    kept = Kept(name, checked.kind, argument, size, contents_digest(proof), _is_proved(proof, instance), command, file)
    if file:
        FOLDER.mkdir(exist_ok=True)
        shutil.copyfile(proof, kept.path)
    return kept


def _is_proved(proof: Path, instance: Instance) -> bool:
    """Return whether the verified checker accepts a certificate with the same figures."""
    checker = program()
    if checker is None:
        return False
    try:
        counts = check_by_proof(proof, checker).counts
    except NotSupportedError:
        return False
    distinct = counts.distinct if counts.all else 0  # the verified checker may omit this count if there is no solution
    return (counts.all, distinct) == (instance.expect.all, instance.expect.distinct)


def argument_of(line: Mapping[str, Any]) -> str:
    """Return the argument in a line, for an existing certificate."""
    return str(line["expect"].get("source", "")).removeprefix("none: ").partition(";")[0] if not line["expect"]["all"] else ""


def main(arguments: Sequence[str]) -> None:
    """Make the requested certificates; write the table after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--from", dest="folder", type=Path, default=None)
    asked = parser.parse_args(arguments)
    table = read_table()
    for name, line, _ in raw_tables_in(FORMS):
        own = name.rpartition("/")[2]
        wanted = own in asked.names or name in asked.names if asked.names else name not in table
        if not wanted or line.get("expect", {}).get("all") is None:
            continue
        if (kept := _one(name, line, asked.seconds, asked.folder)) is not None:
            table[name] = kept
            write_file(TABLE, "".join(f"{json.dumps(asdict(table[key]), ensure_ascii=False)}\n" for key in sorted(table)))
            print(f"{own}: {kept.bytes:,} bytes{'' if kept.file else ', not stored'}{', proved' if kept.proved else ''}", flush=True)


def _one(name: str, line: Mapping[str, Any], seconds: float, folder: Path | None) -> Kept | None:
    before = None if folder is None else folder / f"{name.rpartition('/')[2]}.proof"
    if before is not None and not before.exists():
        return None
    instance = as_instance(name, line, FORMS)
    with TemporaryDirectory() as scratch:
        proof = before or Path(scratch) / "made.proof"
        try:
            argument = argument_of(line) if before is not None else made(instance, proof, seconds)
            return None if argument is None else enter(name, instance, proof, argument)
        except NotSupportedError as error:
            print(f"{name}: {error}", flush=True)
            return None


if __name__ == "__main__":
    main(sys.argv[1:])
