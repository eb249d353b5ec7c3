"""The certificates of the record. ``certificates.jsonl`` states for each its claim, its file and its digest.

A certificate that is too large to store has no ``file``; ``command`` makes it again, and ``contents`` is the digest of its contents.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

from sources import objects_in

FOLDER = Path(__file__).with_name("certificates")
TABLE = Path(__file__).with_name("certificates.jsonl")
SUMS = Path(__file__).with_name("SHA256SUMS")
SUMMED = ("forms.jsonl", "sources.jsonl", "certificates.jsonl")
BLOCK = 1 << 20


@dataclass(frozen=True)
class Kept:
    """A row of the table of certificates."""

    name: str
    """The name of the certified line of the record."""
    kind: str
    """``tree``, ``weighting`` or ``removals``; the documentation of ``puzzlesat verify`` explains these kinds."""
    argument: str
    """The argument for unsolvability; empty if the certificate states a count."""
    bytes: int
    contents: str
    """SHA-256 of the contents of the archive. The archive itself contains its creation time."""
    proved: bool
    """Whether the verified checker also accepts it."""
    command: str
    """The command that makes it."""
    file: str = ""
    """The name of its file in ``certificates/``; empty if it is too large to store."""

    @property
    def path(self) -> Path:
        """The path of its file."""
        return FOLDER / self.file


def read_table(path: Path = TABLE) -> dict[str, Kept]:
    """Return all certificates by the name of the certified line."""
    return {kept.name: kept for kept in objects_in(path, lambda table: Kept(**table))} if path.exists() else {}


def sums() -> str:
    """Return the digests of the data of the record in the format of ``sha256sum``, to detect manual changes."""
    names = [*SUMMED, *sorted(f"{FOLDER.name}/{path.name}" for path in FOLDER.glob("*.proof"))]
    return "".join(f"{hashlib.sha256((SUMS.parent / name).read_bytes()).hexdigest()}  {name}\n" for name in names)


def contents_digest(path: Path) -> str:
    """Return the digest of the contents of a certificate: names, sizes and bytes of its members, sorted by name."""
    found = hashlib.sha256()
    with ZipFile(path) as archive:
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            found.update(f"{member.filename} {member.file_size}\n".encode())
            with archive.open(member) as stream:
                while block := stream.read(BLOCK):
                    found.update(block)
    return found.hexdigest()
