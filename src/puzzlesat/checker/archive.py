"""The zip file of a certificate. Its stated sizes are not trusted, and no member is read beyond its limit."""

from __future__ import annotations

import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from .values import Rejected

CHUNK = 1 << 20
ALWAYS, RATIO = 1 << 24, 128
"""Limit of the unpacked size of a member: ``ALWAYS`` bytes plus ``RATIO`` times its packed size; larger members must be compressed less."""
MAX_TEXT, MAX_VALUES, DEEPEST = 1 << 24, 1 << 20, 12
"""Limits of ``certificate.json``: bytes, values, and levels of nesting."""


class CertificateFile:
    """The zip file of a certificate, open for reading."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self.names = archive.namelist()

    @staticmethod
    def may_hold(member: ZipInfo) -> bool:
        """Tell whether a member is within the limit for its packed size."""
        return member.file_size <= ALWAYS + RATIO * member.compress_size

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[CertificateFile]:
        """Open a certificate. Any error except a file that cannot be opened becomes Rejected."""
        with path.open("rb") as file:
            try:
                with ZipFile(file) as archive:
                    _check_members(archive, file.seek(0, io.SEEK_END))
                    yield cls(archive)
            except (BadZipFile, zlib.error, EOFError, OSError) as error:
                raise Rejected(f"file: it is damaged, or not a certificate: {error}") from None
            except MemoryError:
                raise Rejected("file: checking it takes more memory than there is, so the result is not known") from None
            except (ArithmeticError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError) as error:
                raise Rejected(f"certificate: malformed: {type(error).__name__}: {error}") from None

    def size_of(self, name: str) -> int:
        """Return the stated size of a member in bytes, beyond which nothing is read. Raises Rejected if there is no such member."""
        try:
            return self._archive.getinfo(name).file_size
        except KeyError:
            raise Rejected(f"file: {name!r} is missing") from None

    def stream(self, name: str, size: int = CHUNK) -> Iterator[bytes]:
        """Yield a member in pieces of ``size`` bytes, the last perhaps shorter. Raises Rejected if it does not have its stated length."""
        left = self.size_of(name)
        with self._archive.open(name) as stream:
            while block := stream.read(size):
                left -= len(block)
                yield block
        if left:
            raise Rejected(f"file: {name!r} does not have its stated length")

    def open(self, name: str) -> IO[bytes]:
        """Open a member to be read piece by piece."""
        self.size_of(name)
        return self._archive.open(name)

    def read(self, name: str, most: int) -> bytes:
        """Return a whole member. Raises Rejected, before reading it, if it has more than ``most`` bytes."""
        if (size := self.size_of(name)) > most:
            raise Rejected(f"file: {name!r} has {size:,} bytes, and {most:,} is the most that it can have")
        return b"".join(self.stream(name))

    def read_json(self) -> Any:
        """Return the content of ``certificate.json``.

        Raises Rejected, before parsing, for too many values or too deep nesting; and for duplicate keys, numbers that are not whole, and
        invalid JSON.
        """
        data = self.read("certificate.json", MAX_TEXT)
        plain = re.sub(b'"[^"]*"', b"", data.replace(b"\\\\", b"").replace(b'\\"', b""))
        if sum(map(plain.count, (b",", b"[", b"{"))) >= MAX_VALUES:
            raise Rejected(f"certificate: it has more than {MAX_VALUES:,} values")
        depth = deepest = 0
        for bracket in re.findall(rb"[\[{\]}]", plain):
            depth += 1 if bracket in b"[{" else -1
            deepest = max(deepest, depth)
        if deepest > DEEPEST:
            raise Rejected("certificate: it is nested too deeply")
        try:
            return json.loads(data.decode(), object_pairs_hook=_once, parse_float=_not_whole, parse_constant=_not_whole)
        except ValueError as error:
            raise Rejected(f"certificate: it is not JSON in UTF-8: {error}") from None


def _check_members(archive: ZipFile, size: int) -> None:
    """Raise Rejected for members that are duplicate, encrypted, packed by an unknown method, or stated to be larger than possible."""
    members = archive.infolist()
    for name, number in Counter(member.filename for member in members).items():
        if number > 1:
            raise Rejected(f"file: {name!r} is in it {number} times")
    if sum(member.compress_size for member in members) > size:
        raise Rejected("file: its parts claim to be larger than the whole")
    for member in members:
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or member.flag_bits & 1:
            raise Rejected(f"file: {member.filename!r} is encrypted or packed in a way that certificates are not")
        if not CertificateFile.may_hold(member):
            raise Rejected(
                f"file: {member.filename!r} unpacks from {member.compress_size:,} to {member.file_size:,} bytes; "
                f"no more than {ALWAYS:,} and {RATIO} times the packed size are read"
            )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Rejected(f"certificate: the key {Counter(key for key, _ in pairs).most_common(1)[0][0]!r} is listed twice")
    return found


def _not_whole(text: str) -> NoReturn:
    raise Rejected(f"certificate: expected a whole number, got {text[:20]}")
