"""``puzzlesat-check FILE …``, ``python -m puzzlesat.checker FILE …``: check certificates without the rest of puzzlesat."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

ACCEPTED, REJECTED, BAD_USAGE, STOPPED = 0, 1, 2, 3
USAGE = """usage: puzzlesat-check FILE…

Check certificates written by puzzlesat certify and puzzlesat prove: print what each proves, and what you take on trust.
Exit status: 0 all are accepted, 1 one is rejected, 2 bad usage or no such file, 3 interrupted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the certificates of ``arguments``, or of the command line; print the results and return the exit status."""
    files = sys.argv[1:] if arguments is None else list(arguments)
    if not files or files[0].startswith("-"):
        wants_help = files[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if wants_help else sys.stderr)
        return ACCEPTED if wants_help else BAD_USAGE
    try:
        return max([_check(file) for file in files])
    except KeyboardInterrupt:
        print("puzzlesat-check: interrupted", file=sys.stderr)
        return STOPPED


def _check(file: str) -> int:
    from .certificate import check_certificate  # slow to load; an interrupt is handled meanwhile
    from .values import Rejected

    try:
        verified = check_certificate(Path(file))
    except Rejected as error:
        print(f"{file}: rejected: {error}", file=sys.stderr)
        return REJECTED
    except OSError as error:
        why = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        print(f"{file}: {why}", file=sys.stderr)
        return BAD_USAGE
    print(f"{file}: the puzzle that it states", *verified.read, sep="\n")
    besides = (*(f"unproved: {u}" for u in verified.unproved), *(f"taken on trust: {b}" for b in verified.believed))
    print(f"{file}: accepted", *verified.checked, *besides, sep="\n  ")
    return ACCEPTED


if __name__ == "__main__":
    sys.exit(main())
