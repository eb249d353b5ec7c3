"""Read bytes, text and JSON of files, with one sentence for each possible error; the files of the package."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, TypeVar

from puzzlesat.base.errors import PuzzleError, shown

MAX_BYTES = 2**28
"""Size limit of a file in bytes. No useful list of clauses, constraints or solutions is longer."""
LONGEST = 500
"""The longest file name, in characters, that a message quotes whole."""
MAX_DIGITS = 1000
"""Limit of the digits of a number. Python refuses to print and to read numbers of a few thousand digits."""

NO_SUCH_FILE = "no such file"
UTF16 = re.compile(rb"[\t\n\r -~]\0|\0\0?\0?[\t\n\r -~]")
"""The first bytes of a text in UTF-16 or UTF-32 without a byte order mark, if its first character is ASCII."""


def is_file(name: str | Path) -> bool:
    """Return whether a file exists; False for a name that no file can have, such as one of 3,000 characters."""
    try:
        return Path(name).is_file()
    except PermissionError:
        return True  # the file may exist; the error of reading it will name the permission
    except (OSError, ValueError):
        return False


def is_folder(name: str | Path) -> bool:
    """Return whether a folder exists; False for a name that no folder can have."""
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def why_missing(path: Path) -> str:
    """Return the reason why a path is not a regular file."""
    try:
        if path.is_symlink():
            return f"is a link to {path.readlink()}, and there is no such file"
        return "not a plain file; save its content to one, and give that file" if path.exists() else NO_SUCH_FILE
    except (OSError, ValueError):
        return NO_SUCH_FILE


def bytes_of(path: Path, most: int = MAX_BYTES, *, pipe: bool = False) -> bytes:
    """Return the content of a file. With ``pipe``, a pipe is allowed too; it can be read only once.

    Raises PuzzleError if the file does not exist, cannot be read, or has more than ``most`` bytes.
    """
    try:
        status = path.stat()
        if S_ISDIR(status.st_mode):
            raise PuzzleError(f"{path}: is a folder; give a file in it")
        if not pipe and not S_ISREG(status.st_mode):
            raise PuzzleError(f"{path}: not a plain file; save its content to one, and give that file")
        size = status.st_size
        if size <= most:
            with path.open("rb") as file:
                data = file.read(most + 1)
            size = max(size, len(data))
    except FileNotFoundError:
        raise PuzzleError(f"{shown(str(path), LONGEST)}: {why_missing(path)}") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        why = (isinstance(error, OSError) and error.strerror) or error
        raise PuzzleError(f"{shown(str(path), LONGEST)}: cannot be read: {why}") from None
    if size > most:
        raise PuzzleError(f"{path}: {max(size, most + 1):,} bytes or more; {most:,} are read at most")
    return data


def text_of(path: Path, most: int = MAX_BYTES, *, pipe: bool = False) -> str:
    """Return the text of a file with the line ends of Unix; with ``pipe``, ``-`` is the standard input.

    Raises PuzzleError like ``bytes_of``, and if the file is not text.
    """
    if pipe and str(path) == "-":
        return as_text(sys.stdin.buffer.read(most), "standard input")
    return as_text(bytes_of(path, most, pipe=pipe), str(path))


def as_text(data: bytes, name: str) -> str:
    """Return bytes as text, without a byte order mark. Raises PuzzleError if they are not UTF-8."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
    if marked or UTF16.match(data):
        raise PuzzleError(f"{name}: the text is in UTF-16 or UTF-32; save it in UTF-8 (most editors offer that under 'Save as')")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PuzzleError(f"{name}: not a text file in UTF-8{_where_other(data, error.start)}; if it is a text, save it in UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _where_other(data: bytes, at: int) -> str:
    """Return the line of the first byte that is not UTF-8 and its character in the encoding of Windows; nothing for binary data."""
    if b"\0" in data:
        return ""
    line, character = len(re.findall(rb"\r\n|\r|\n", data[:at])) + 1, data[at : at + 1].decode("cp1252", "replace")
    return f" (line {line}: the byte {data[at]:02X}, which is {character!r} in the encoding of Windows)" if character.isprintable() else ""


def json_of(text: str | bytes, make_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value of a JSON text. ``make_object`` makes each object from its pairs (default: a dictionary).

    Raises PuzzleError if the text is not JSON, is nested too deeply, or has a number with too many digits.
    """
    try:
        return json.loads(text, object_pairs_hook=make_object)
    except RecursionError:
        raise PuzzleError("not JSON that can be read: it is nested too deeply") from None
    except UnicodeDecodeError:
        raise PuzzleError("not JSON: it is not text in UTF-8") from None
    except ValueError as error:
        what = str(error) if isinstance(error, json.JSONDecodeError) else f"a number of more than {MAX_DIGITS:,} digits"
        raise PuzzleError(f"not JSON: {what}") from None


def data_folder(kind: str) -> Path:
    """Return the folder ``models``, ``grids``, ``designs`` or ``instances`` of the installed package, or of the source tree."""
    if kind in ("grids", "designs"):
        return data_folder("models") / kind
    package = Path(__file__).parents[1]
    installed = package / kind
    return installed if installed.is_dir() else package.parents[1] / kind


def data_files(kind: str) -> list[Path]:
    """Return the files of a folder of ``data_folder``, sorted by name; instances by family and name."""
    folder = data_folder(kind)
    return sorted(folder.rglob("*.toml") if kind == "instances" else folder.glob("*.toml"))


Made = TypeVar("Made")
MAX_KEPT = 2**22
"""Size limit of an object in the cache, in bytes."""


def kept(name: str, files: Iterable[Path], make: Callable[[], Made]) -> Made:
    """Return what ``make`` makes of files of the package: from the user's cache, if neither the files nor the program have changed since.

    The cache holds pickled objects with a digest of all that they were made of. A file of another user is not read.
    """
    from puzzlesat.base.files import write_file

    try:
        package = Path(__file__).parents[1]
        sources = (file for room in ("base", "puzzles", "cli") for file in sorted((package / room).glob("*.py")))
        digest = hashlib.sha256(f"{sys.version} {package}".encode())
        for file in (*sources, *files):
            digest.update(f"{file} {len(content := file.read_bytes())} ".encode() + content)
        folder = Path(os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache") / "puzzlesat"
        place = folder / f"{name}-{hashlib.sha256(str(package).encode()).hexdigest()[:8]}.pickle"
    except (OSError, RuntimeError):  # no home
        return make()
    with suppress(Exception):  # whatever is wrong with the cache, the object is made anew
        old = place.read_bytes()
        if old.startswith(digest.digest()) and place.stat().st_uid == getattr(os, "getuid", int)():
            found: Made = pickle.loads(old[digest.digest_size :])
            return found
    made = make()
    with suppress(Exception):
        if len(new := digest.digest() + pickle.dumps(made)) <= MAX_KEPT:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(place, new)
    return made
