"""``python -m puzzlesat.proof.check FILE …``: check certificates without the command line of puzzlesat."""

from __future__ import annotations

import sys
from pathlib import Path

from puzzlesat.proof.check.certificate import check_certificate
from puzzlesat.proof.check.rejected import Rejected


def main(files: list[str]) -> int:
    """Check certificates, say what was found; return 1 where one is rejected."""
    status = 0
    for file in files:
        try:
            verified = check_certificate(Path(file))
        except (Rejected, OSError) as error:
            print(f"{file}: rejected: {error}", file=sys.stderr)
            status = 1
        else:
            print(f"{file}: accepted", *verified.checked, *(f"to be believed: {b}" for b in verified.believed), sep="\n  ")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
