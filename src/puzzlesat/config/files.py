"""Bytes, text and JSON of files that anybody may have written: every way in which they cannot be read is one sentence."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from puzzlesat.errors import PuzzleError, shown

MOST_BYTES = 2**28
"""No list of clauses, constraints or solutions that can be worked with is longer."""
MOST_OF_A_PUZZLE = 2**22
"""Bytes of a file that a person, or a program for persons, made: the list of 100,000 atoms takes half of them."""
LONGEST = 500
"""Characters of a file's name that a message shows."""
MOST_DIGITS = 1000
"""Digits of a number. Python refuses to print, and to read, a few thousand."""

UTF16 = re.compile(rb"[\t\n\r -~]\0|\0\0?\0?[\t\n\r -~]")
"""How a text in UTF-16 or UTF-32 begins that has no mark, if its first character is one of ASCII."""


def is_file(name: str | Path) -> bool:
    """Tell whether a name is that of a file; one that no file can have, such as one of 3,000 characters, is none."""
    try:
        return Path(name).is_file()
    except PermissionError:
        return True  # perhaps it is one: reading it says why it cannot be read
    except (OSError, ValueError):
        return False


def is_folder(name: str | Path) -> bool:
    """Tell whether a name is that of a folder; one that no folder can have is none."""
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def bytes_of(path: Path, most: int = MOST_BYTES, *, pipe: bool = False) -> bytes:
    """Return what is in a file, or, where one reading is enough, comes out of a ``pipe``.

    Raises PuzzleError for what is no file, cannot be read, or has more than ``most`` bytes: that is not read.
    """
    try:
        found = path.stat()
        if S_ISDIR(found.st_mode):
            raise PuzzleError(f"{path}: is a folder; name a file in it")
        if not pipe and not S_ISREG(found.st_mode):
            raise PuzzleError(f"{path}: no plain file; write what comes out of it to one, and name that")
        size = found.st_size
        if size <= most:
            with path.open("rb") as file:
                data = file.read(most + 1)
            size = max(size, len(data))
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        why = (isinstance(error, OSError) and error.strerror) or error
        raise PuzzleError(f"{shown(str(path), LONGEST)}: cannot be read: {why}") from None
    if size > most:
        raise PuzzleError(f"{path}: {max(size, most + 1):,} bytes or more; {most:,} are read at most")
    return data


def text_of(path: Path, most: int = MOST_BYTES, *, pipe: bool = False) -> str:
    """Return the text of a file, its lines ended as on Unix. Raises PuzzleError where it is none, as ``bytes_of`` does."""
    return as_text(bytes_of(path, most, pipe=pipe), str(path))


def as_text(data: bytes, name: str) -> str:
    """Return bytes as text; some editors begin a file with a mark. Raises PuzzleError where it is no UTF-8."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
    if marked or UTF16.match(data):
        raise PuzzleError(f"{name}: the text is in UTF-16 or UTF-32; save it in UTF-8 (most editors offer that under 'Save as')")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PuzzleError(f"{name}: not a text file in UTF-8; if it is a text, save it in UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def json_of(text: str | bytes, make_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return what a text in JSON says, its objects made of their pairs by ``make_object``, or else dictionaries.

    Raises PuzzleError for what is none, is nested too deeply, or has numbers too long to be any.
    """
    try:
        return json.loads(text, object_pairs_hook=make_object)
    except RecursionError:
        raise PuzzleError("not JSON that can be read: it is nested too deeply") from None
    except UnicodeDecodeError:
        raise PuzzleError("not JSON: it is no text in UTF-8") from None
    except ValueError as error:
        what = str(error) if isinstance(error, json.JSONDecodeError) else f"a number of more than {MOST_DIGITS:,} digits"
        raise PuzzleError(f"not JSON: {what}") from None


def integer(word: str) -> int:
    """Return the number that ASCII digits say, perhaps with a sign. Raises ValueError for anything else, and for too many of them."""
    digits = word[1:] if word[:1] in ("+", "-") else word
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS):
        raise ValueError("expected a whole number")
    return int(word)
