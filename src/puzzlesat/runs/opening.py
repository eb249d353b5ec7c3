"""Opening a store: making it, going on with it, or reading it beside whoever writes it; what is none is refused in one sentence."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb

from puzzlesat.config.files import NO_SUCH_FILE
from puzzlesat.errors import NoRoomError, PuzzleError, shown
from puzzlesat.files import locked
from puzzlesat.runs import audit, schema
from puzzlesat.runs.faults import chain_faults
from puzzlesat.runs.store import Reader, Store, now, transaction
from puzzlesat.version import VERSION

BUSY_SECONDS = 60.0
"""How long another program may keep the whole file to itself."""
COPY = "copy the file, and use the copy"
CURES = {
    "file is not a database": "this is not a store of a run; choose another file",
    "decode to UTF-8": "the file is damaged; use a copy of it, or save what can be read with SQLite's .recover",
    "malformed": "the file is damaged; use a copy of it, or save what can be read with SQLite's .recover",
    "unable to open database file": "the file cannot be opened here; choose one in a folder in which you may write",
    "readonly database": "you may not write to this file; choose another",
    "locked": "another program has locked the file; end it and start again: nothing is lost",
    "full": "there is no space left for the file; free some and start again: nothing in the file is lost",
    "disk I/O error": "the file could not be read or written, perhaps for lack of space; check the disk and start again: nothing is lost",
}
"""What is said where SQLite says these words."""


@dataclass(frozen=True)
class Heading:
    """Which study a store is of."""

    name: str
    digest: str
    """The same for all that may go on in the same file: whoever makes the study decides which of its changes do not matter."""
    text: str
    """The whole study as JSON."""
    audit: float = audit.SHARE
    """The share of the units that are done twice; it may change."""


@contextmanager
def open_store(path: Path, heading: Heading) -> Iterator[Store]:
    """Open a store for writing, the only one who does, to the end of the block; make it where there is none yet.

    Raises PuzzleError, and changes nothing, for what is no store, or one of another study or of a newer version, for a file with hard
    links, and where another process is at work on it; for a file that is damaged or cannot be written also within the block. There is a
    lock beside the file, ``….lock``.
    """
    path = Path(os.path.realpath(path))
    with locked(path.with_name(f"{path.name}.lock"), str(path)), errors_said(path):
        new = not path.exists()
        if not new and path.stat().st_nlink > 1:  # SQLite's log and the lock are found by the name
            raise PuzzleError(f"{path}: the file has another name as well (a hard link), and a run by each would destroy it; {COPY}")
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with _about(path):
                _prepare(connection, heading)
            new = False
            yield Store(connection, path, heading.digest, heading.audit)
        finally:
            connection.close()
            if new:
                _remove(path)


@contextmanager
def open_to_read(path: Path) -> Iterator[Reader]:
    """Open a store for reading, also while somebody writes it: what one statement reads is as one of its transactions left it.

    Raises PuzzleError for what is no store, or one of another version; for a file that is damaged also within the block.
    """
    with errors_said(path), _about(path):
        if not path.is_file():
            raise PuzzleError(NO_SUCH_FILE)
        uri = f"{path.resolve().as_uri()}?{'immutable=1' if _is_at_rest(path) else 'mode=rw'}"  # whoever may not write leaves files behind
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        connection.execute("PRAGMA query_only = ON")
    try:
        with errors_said(path):
            with _about(path):
                version = schema.version_of(connection)
                if version != schema.VERSION:
                    raise PuzzleError(
                        "there is nothing in it yet" if version is None else "an older puzzlesat made it; resume its run first"
                    )
            try:
                yield Reader(connection, path)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                if not (_is_raised_by_reader(error) or _has_faults(Reader(connection, path))):
                    raise  # what is in the file is as it was written: the program is wrong
                what = f"{type(error).__name__}: {shown(str(error))}"
                raise PuzzleError(f"{path}: the file is damaged, or another program has written in it ({what}); use a copy") from error
    finally:
        connection.close()


def _is_raised_by_reader(error: BaseException) -> bool:
    """Tell whether an error was raised while what is in a store was read, and not by what was then done with it."""
    return any(frame.f_globals.get("__name__") == Reader.__module__ for frame, _ in walk_tb(error.__traceback__))


def _has_faults(store: Reader) -> bool:
    """Tell whether a store was changed after it was written, or cannot be read."""
    try:
        return bool(chain_faults(store))
    except (sqlite3.Error, LookupError, TypeError, ValueError, AttributeError):
        return True


@contextmanager
def errors_said(path: Path) -> Iterator[None]:
    """Let what goes wrong with the file of a store be one sentence that names it."""
    try:
        yield
    except sqlite3.Error as error:
        kind = NoRoomError if "full" in str(error) else PuzzleError
        raise kind(f"{path}: {cure(error)}") from error


def cure(error: sqlite3.Error) -> str:
    """Return what can be done about an error of SQLite."""
    return next((cure for words, cure in CURES.items() if words in str(error)), str(error))


@contextmanager
def _about(path: Path) -> Iterator[None]:
    try:
        yield
    except PuzzleError as error:
        raise error.under(f"{path}: ") from None


def _prepare(connection: sqlite3.Connection, heading: Heading) -> None:
    """Make the tables, or see that they are of this study and bring them to this version; take over what may change of the study."""
    version = schema.version_of(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    if version is not None:
        _check_study(connection, heading)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    with transaction(connection):
        if version is None:
            schema.make(connection)
            _note(connection, name=heading.name, digest=heading.digest, version=VERSION, at=now())
            connection.execute("INSERT INTO study VALUES (?)", (heading.text,))
        else:
            schema.migrate(connection, version)
            connection.execute("UPDATE study SET text = ?", (heading.text,))
        _note(connection, audit=repr(heading.audit))


def _check_study(connection: sqlite3.Connection, heading: Heading) -> None:
    known = dict(connection.execute("SELECT key, value FROM meta"))
    if not {"digest", "name"} <= known.keys():
        raise sqlite3.DatabaseError("malformed: it does not say to which study it belongs")
    if known["digest"] != heading.digest:
        raise PuzzleError(
            f"this holds answers to another study, {known['name']!r}, or to one that has since been changed; "
            "continue with that study, or choose another file for the store (--store)"
        )


def _note(connection: sqlite3.Connection, **values: str) -> None:
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


def _is_at_rest(path: Path) -> bool:
    """Tell whether a file lies where nothing can be written beside it, and nobody writes it: SQLite must be told so."""
    return not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()


def _remove(path: Path) -> None:
    """Remove a file that was to be a store and became none."""
    for beside in ("", "-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + beside).unlink(missing_ok=True)
