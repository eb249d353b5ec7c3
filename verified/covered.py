#!/usr/bin/env python3
"""Which instances the proved checker covers: ``covered.py [--seconds N] [NAME …]``, with puzzlesat installed.

Of each instance a certificate is made, within so many CPU seconds, and given to ``puzzlesat-verified``. What came of it goes to
``covered.jsonl``, a line an instance, as soon as it is known: stopped and begun again, the script goes on where it was. An instance for
which there was no time is tried again when more seconds are given, or when it is named; ``--table`` only writes the table anew.
The table of verified/covered.md is made of the file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from puzzlesat.base.errors import NotSupportedError
from puzzlesat.base.files import scratch
from puzzlesat.base.limits import EndedError, Limits
from puzzlesat.base.package import data_files
from puzzlesat.base.progress import SILENT
from puzzlesat.proofs.arguments import prove
from puzzlesat.proofs.case import make_case
from puzzlesat.proofs.certificates import SearchStoppedError, certify
from puzzlesat.proofs.verified import not_checked
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from puzzlesat.puzzles.reading import read_file
from puzzlesat.puzzles.schema import InstanceFile

HERE = Path(__file__).parent
PROGRAM, UNPACK, FOUND = HERE / "puzzlesat-verified", HERE / "unpack.py", HERE / "covered.jsonl"
PAGE, MARK = HERE / "covered.md", "<!-- made by verified/covered.py: what follows, to the end -->"
MAX_BYTES = 4 << 30
ACCEPTED, REFUSED, NOT_STATED = "accepted", "refused", "cannot be stated"
NOT_MADE, NOT_CHECKED, NOT_TRIED = "not made", "not checked", "not tried yet"


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    tables = {file.stem: read_file(InstanceFile, file) for file in data_files("instances")}
    expected = {name: table.expect.all for name, table in tables.items() if table.best is None}
    found = {said["instance"]: said for said in map(json.loads, FOUND.read_text().splitlines())} if FOUND.exists() else {}
    for name in expected:
        found.setdefault(name, {"instance": name, "verdict": NOT_TRIED, "limit": 0, "expected": expected[name]})
    quick_first = sorted(expected, key=lambda name: (found[name]["limit"], expected[name] is None, expected[name] or 0))
    for name in [] if asked.table else asked.names or quick_first:
        done = found[name]["verdict"] in (ACCEPTED, REFUSED, NOT_STATED) or found[name]["limit"] >= asked.seconds
        if asked.names or not done:
            found[name] = {
                "instance": name,
                "limit": asked.seconds,
                "expected": expected[name],
                **tried(name, expected[name], asked.seconds),
            }
            print(json.dumps(found[name]), flush=True)
            write_found([found[name] for name in expected])
    write_found([found[name] for name in expected])
    write_table([found[name] for name in expected])


def tried(name: str, expected: int | None, seconds: float) -> dict[str, Any]:
    """Make the certificate of an instance, let it be checked, and say what came of it.

    Where there is no solution the simplest argument is taken, as ``puzzlesat prove`` does it; else the search, as ``certify`` does.
    """
    with tempfile.TemporaryDirectory() as folder:
        certificate, plain = Path(folder) / "certificate", Path(folder) / "plain"
        limits = Limits(seconds=seconds, cpu=True).begun()
        try:
            heeded = limits.heeding(SILENT)
            case = make_case(build_instance(load_instance(name), progress=heeded), heeded)
            if expected == 0:
                with scratch() as tree:
                    prove(case, limits, progress=heeded, tree=tree).write(case, certificate, limits, heeded)
            else:
                certify(case, certificate, "tree", limits, heeded)
        except NotSupportedError as error:
            return {"verdict": NOT_STATED, "why": str(error)}
        except (EndedError, SearchStoppedError):
            return {"verdict": NOT_MADE}
        with ZipFile(certificate) as archive:
            said = json.loads(archive.read("certificate.json"))
        if (why := not_checked(said)) is not None:
            return {"verdict": NOT_STATED, "why": why.removeprefix("a certificate of ")}
        told = {"kind": said["kind"], **said["claim"], "bytes": certificate.stat().st_size}
        subprocess.run([sys.executable, UNPACK, certificate, plain], check=True)
        return {"verdict": NOT_CHECKED, **told, **checked(plain, round(2 * seconds))}


def checked(plain: Path, most: int) -> dict[str, Any]:
    """Let the program check an unpacked certificate: the verdict, its words, and CPU seconds."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([PROGRAM, plain], stdout=output, stderr=output, preexec_fn=lambda: bounded(most))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode()
    numbers = {"seconds": round(used.ru_utime + used.ru_stime, 1)}
    if process.returncode == 0:
        words = dict(re.findall(r"(labelled|all|distinct) (not proved|[\d,]+)", re.findall(r"^  counts +(.*)$", said, re.M)[-1]))
        proved = [None if words[key] == "not proved" else int(words[key].replace(",", "")) for key in ("labelled", "all", "distinct")]
        return {"verdict": ACCEPTED, "proved": proved, **numbers}
    last = said.strip().splitlines()[-1:] or [""]
    if process.returncode == 1:
        return {"verdict": REFUSED, "why": last[0], **numbers}
    ended = {-signal.SIGXCPU: f"no answer within {most} s", -signal.SIGKILL: f"no answer within {most} s"}
    return {"verdict": NOT_CHECKED, "why": ended.get(process.returncode, last[0] or f"exit status {process.returncode}"), **numbers}


def bounded(most: int) -> None:
    """In the child: all the stack there is, so much memory and time."""
    import resource  # Unix alone has it

    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))


def write_found(found: Sequence[dict[str, Any]]) -> None:
    """Write what is known."""
    FOUND.write_text("".join(json.dumps(said) + "\n" for said in found), encoding="utf-8")


def write_table(found: Sequence[dict[str, Any]]) -> None:
    """Write the table of the page, anew."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(MARK)] + "\n".join([MARK, *table(found)]) + "\n", encoding="utf-8")


def table(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the table, and what they come to."""
    number = Counter(said["verdict"] for said in found)
    kinds = Counter(said["kind"] for said in found if said["verdict"] == ACCEPTED)
    left = {NOT_MADE: "no certificate within the seconds given", NOT_CHECKED: "no answer within twice these seconds"}
    left |= {NOT_STATED: "not to be stated in a certificate that it checks", NOT_TRIED: NOT_TRIED, REFUSED: "REFUSED"}
    others = [f"{number[verdict]}: {words}" for verdict, words in left.items() if number[verdict]]
    accepted = ", ".join(f"{kinds[kind]} of kind {kind}" for kind in sorted(kinds))
    return [
        "",
        f"Of {len(found)} instances {number[ACCEPTED]} are covered ({accepted}). Of the others, {'; '.join(others) or 'there is none'}.",
        "",
        "| instance | certificate | labelled, all, distinct | seconds | verdict |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {' | '.join(row(said))} |" for said in found),
    ]


def row(said: dict[str, Any]) -> list[str]:
    """Return the cells of an instance."""
    name, verdict, kind = said["instance"], said["verdict"], said.get("kind", "–")
    if verdict == ACCEPTED:
        counts = ", ".join("not proved" if n is None else f"{n:,}" for n in said["proved"])
        return [name, kind, counts, str(said["seconds"]), "accepted"]
    expected = "" if said["expected"] is None else f"; expected: {said['expected']:,}"
    why = {
        NOT_TRIED: NOT_TRIED + expected,
        NOT_MADE: f"no certificate within {said['limit']:g} s{expected}",
        NOT_CHECKED: f"{said.get('why')}{expected}",
        NOT_STATED: said.get("why", "").removeprefix(f"{name}: ").partition(";")[0],
        REFUSED: f"REFUSED: {said.get('why')}",
    }[verdict]
    return [name, kind, "–", "–", why]


if __name__ == "__main__":
    main()
