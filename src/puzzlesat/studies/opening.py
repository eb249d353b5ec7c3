"""Opening a store: making it, going on with it, or reading it beside whoever writes it; what is none is refused in one sentence.

What cannot be so in a store that this program alone has written: a file that was changed, or damaged, is not to be believed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb

from puzzlesat.base import NoRoomError, PuzzleError, locked, shown
from puzzlesat.studies import audit
from puzzlesat.studies import store as schema
from puzzlesat.studies.store import ANSWERED, DISPUTED, DONE, STATES, UNSETTLED, Reader, Store, Stored, Unit, now, transaction
from puzzlesat.studies.units import subject_of
from puzzlesat.version import VERSION

FOUNDED = (ANSWERED, DISPUTED, UNSETTLED, DONE)
"""States in which a unit has an answer that stands."""
_STANDS = "SELECT count(*) = 1 AND min(error IS NULL AND complete) FROM answers WHERE unit = units.id AND counts"
_NO_STATE = f"SELECT id, state FROM units WHERE subject = ? AND state NOT IN ({', '.join('?' * len(STATES))})"
_NO_PARENT = """
SELECT id, parent FROM units
WHERE subject = ? AND parent IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM units AS above WHERE above.id = units.parent AND above.subject = units.subject)
"""
_NOT_FOLLOWED = """
SELECT * FROM (
    SELECT units.id, follows, (SELECT count(*) FROM units AS below WHERE below.subject = units.subject AND below.parent = units.id) AS there
    FROM units JOIN answers ON unit = units.id AND counts WHERE subject = ? AND follows IS NOT NULL
) WHERE follows != there
"""
_ALONE = "SELECT id, alike FROM units WHERE subject = ? AND alike > 1 AND (SELECT count(*) FROM answers WHERE unit = units.id) < 2"
_UNFOUNDED = f"SELECT id, state FROM units WHERE subject = ? AND state IN ({', '.join('?' * len(FOUNDED))}) AND NOT ({_STANDS})"


def chain_faults(store: Reader) -> list[str]:
    """Return in sentences where the chain of the answers is broken, which puzzles are not those that they were, and what SQLite finds.

    A table is not read as it is where an index of it is damaged: answers are passed over then, and nothing else shows it.
    """
    with store.at_one_moment():
        wrong = [f"the file is damaged: {said}" for (said,) in store.connection.execute("PRAGMA integrity_check(3)") if said != "ok"]
        wrong += audit.breaks(store.connection, store.meta["digest"])
        for _, subject in store.subjects():
            if subject_of(subject.name, subject.table, subject.files).key != subject.key:
                wrong.append(f"{subject.name}: the puzzle was changed")
        return wrong


def faults_of(store: Reader, subject: int) -> list[str]:
    """Return in sentences what cannot be so of the units of one puzzle in a store, by their numbers."""
    with store.at_one_moment():
        return [said for _, said in sorted(_faults(store, subject), key=lambda fault: fault[0])]


def _faults(store: Reader, subject: int) -> Iterator[tuple[int, str]]:
    """What cannot be so, with the number of the unit: what many units may have is looked for by the database."""
    ask = store.connection.execute
    for unit, state in ask(_NO_STATE, (subject, *STATES)):
        yield unit, f"unit {unit:,} is {state!r}, which is not a state of a unit"
    for unit, parent in ask(_NO_PARENT, (subject,)):
        yield unit, f"unit {unit:,} follows from unit {parent:,}, which does not exist"
    for unit, followed, there in ask(_NOT_FOLLOWED, (subject,)):
        yield unit, f"{followed:,} units followed from unit {unit:,}, and {there:,} are there"
    for unit, state in ask(_UNFOUNDED, (subject, *FOUNDED)):
        yield unit, f"unit {unit:,} is {state}, and has no accepted answer"
    for unit, alike in ask(_ALONE, (subject,)):
        yield unit, f"unit {unit:,} claims {alike} equal answers, and has one"
    caught = {(who.host, who.process) for who in store.caught()}
    for one, answers in store.units_with_answers(subject, several=True):
        said = [answer for answer in answers if answer.error is None]
        if said and one.state in FOUNDED and (wrong := _misjudged(one, said, caught)) is not None:
            yield one.id, wrong


def _misjudged(one: Unit, said: Sequence[Stored], caught: Collection[audit.Place]) -> str | None:
    """What is wrong with the state of a unit that has several answers."""
    given = [
        audit.Given(n, answer.result, place := (answer.host, answer.process), audit.believed(place, caught), answer.shown)
        for n, answer in enumerate(said)
    ]
    standing = next((n for n, answer in enumerate(said) if answer.counts), None)
    judged = audit.judge(given, audit.LEAST_ALIKE, standing)
    if one.state == DONE and judged.differ:
        return f"unit {one.id:,} is {one.state}, and its answers differ"
    if one.state == DONE and judged.stands != standing:
        return f"the accepted answer of unit {one.id:,} is not the one that its answers support"
    if one.alike > max(1, judged.alike):
        return f"unit {one.id:,} claims {one.alike} equal answers, and has {judged.alike}"
    return None


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
class StudyHeading:
    """Which study a store is of."""

    name: str
    digest: str
    """The same for all that may go on in the same file: whoever makes the study decides which of its changes do not matter."""
    text: str
    """The whole study as JSON."""
    audit: float = audit.SHARE
    """The share of the units that are done twice; it may change."""


@contextmanager
def open_store(path: Path, heading: StudyHeading) -> Iterator[Store]:
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
            raise PuzzleError("no such file")
        uri = f"{path.resolve().as_uri()}?{'immutable=1' if _is_at_rest(path) else 'mode=rw'}"  # whoever may not write leaves files behind
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        connection.execute("PRAGMA query_only = ON")
    try:
        with errors_said(path):
            with _about(path):
                version = schema.version_of(connection)
                if version != schema.SCHEMA_VERSION:
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


def _prepare(connection: sqlite3.Connection, heading: StudyHeading) -> None:
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


def _check_study(connection: sqlite3.Connection, heading: StudyHeading) -> None:
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
