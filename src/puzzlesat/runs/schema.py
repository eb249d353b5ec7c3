"""The tables of a store, and how a file of an older version becomes one of this version. docs/store.md says what each column means."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from puzzlesat.errors import PuzzleError
from puzzlesat.runs import chain

APPLICATION = 0x707A7361
"""What SQLite keeps in the header of a file to say whose it is: "pzsa"."""
VERSION = 2

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE study (text TEXT NOT NULL);
CREATE TABLE files (digest TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE subjects (id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, puzzle TEXT NOT NULL);
CREATE TABLE units (
    id INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL REFERENCES subjects (id),
    parent INTEGER REFERENCES units (id),
    task TEXT NOT NULL,
    state TEXT NOT NULL,
    audit INTEGER NOT NULL DEFAULT 0,
    alike INTEGER NOT NULL DEFAULT 0,
    deaths INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX units_by_subject ON units (subject, parent);
CREATE INDEX units_by_state ON units (state, id);
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    unit INTEGER NOT NULL REFERENCES units (id),
    role TEXT NOT NULL,
    counts INTEGER NOT NULL,
    result TEXT NOT NULL,
    complete INTEGER NOT NULL,
    error TEXT,
    solver TEXT NOT NULL,
    host TEXT NOT NULL,
    process INTEGER NOT NULL,
    version TEXT NOT NULL,
    cpu REAL NOT NULL,
    wall REAL NOT NULL,
    work TEXT NOT NULL,
    certificate TEXT REFERENCES certificates (digest),
    at TEXT NOT NULL,
    follows INTEGER,
    proof TEXT,
    digest TEXT
);
CREATE INDEX answers_by_unit ON answers (unit);
CREATE UNIQUE INDEX one_answer_counts ON answers (unit) WHERE counts;
CREATE TABLE certificates (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE caught (
    host TEXT NOT NULL, process INTEGER NOT NULL, unit INTEGER NOT NULL, why TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (host, process)
) WITHOUT ROWID;
"""
IS_LEFT = "state IN ('open', 'answered', 'disputed')"
"""Whether something is to be done of a unit. Whoever asks in these words finds such units by an index, however many are done."""
INDEX_OF_LEFT = f"CREATE INDEX IF NOT EXISTS units_left ON units (subject) WHERE {IS_LEFT}"


def _with_evidence(connection: sqlite3.Connection) -> None:
    """Version 2 notes who is believed, by what evidence, and chains the answers: those that are there as they are found."""
    known = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('answers')")}
    for column in ("follows INTEGER", "proof TEXT", "digest TEXT"):
        if column.partition(" ")[0] not in known:  # puzzlesat before 0.4.0 did not note how many units follow
            connection.execute(f"ALTER TABLE answers ADD COLUMN {column}")
    connection.execute("ALTER TABLE units ADD COLUMN alike INTEGER NOT NULL DEFAULT 0")
    for statement in filter(str.strip, TABLES.split(";")):
        if "TABLE caught" in statement:
            connection.execute(statement)
    study = connection.execute("SELECT value FROM meta WHERE key = 'digest'").fetchone()
    chain.rebuild(connection, "" if study is None else study[0])


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _with_evidence}
"""What makes a file of one version a file of the next, by the older version. Version 1 is the first."""


def version_of(connection: sqlite3.Connection) -> int | None:
    """Return the version of a store; None for a file with nothing in it yet. Raises PuzzleError for what is no store, or a newer one."""
    application, version = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("application_id", "user_version"))
    if application != APPLICATION:
        if application == version == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return None
        raise PuzzleError("this is a database of another program, no store of a run")
    if version > VERSION:
        raise PuzzleError(f"a newer puzzlesat made this store (version {version} of its tables; this one knows {VERSION}); use that one")
    oldest = min(MIGRATIONS, default=VERSION)
    if version < oldest:
        raise PuzzleError(f"version {version} of the tables of a store is too old for this puzzlesat, which knows {oldest} to {VERSION}")
    return int(version)


def make(connection: sqlite3.Connection) -> None:
    """Make the tables, within the caller's transaction."""
    for statement in filter(str.strip, TABLES.split(";")):
        connection.execute(statement)
    connection.execute(INDEX_OF_LEFT)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Make a file of an older version one of this version, within the caller's transaction."""
    for older in range(version, VERSION):
        MIGRATIONS[older](connection)
        connection.execute(f"PRAGMA user_version = {older + 1}")
    connection.execute(INDEX_OF_LEFT)  # puzzlesat 0.4.0 made none
