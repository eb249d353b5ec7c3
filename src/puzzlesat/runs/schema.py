"""The tables of a store, and how a file of an older version becomes one of this version. docs/store.md says what each column means."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from puzzlesat.errors import PuzzleError

APPLICATION = 0x707A7361
"""What SQLite keeps in the header of a file to say whose it is: "pzsa"."""
VERSION = 1

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
    follows INTEGER
);
CREATE INDEX answers_by_unit ON answers (unit);
CREATE UNIQUE INDEX one_answer_counts ON answers (unit) WHERE counts;
CREATE TABLE certificates (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL);
"""
IS_LEFT = "state IN ('open', 'answered', 'disputed')"
"""Whether something is to be done of a unit. Whoever asks in these words finds such units by an index, however many are done."""
INDEX_OF_LEFT = f"CREATE INDEX IF NOT EXISTS units_left ON units (subject) WHERE {IS_LEFT}"

MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {}
"""What makes a file of one version a file of the next, by the older version. Version 1 is the first."""


def has_follows(connection: sqlite3.Connection) -> bool:
    """Tell whether it is noted how many units follow from an answer; puzzlesat before 0.4.0 did not."""
    return bool(connection.execute("SELECT 1 FROM pragma_table_info('answers') WHERE name = 'follows'").fetchone())


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
    if version == VERSION and not has_follows(connection):
        connection.execute("ALTER TABLE answers ADD COLUMN follows INTEGER")
    for older in range(version, VERSION):
        MIGRATIONS[older](connection)
        connection.execute(f"PRAGMA user_version = {older + 1}")
    connection.execute(INDEX_OF_LEFT)  # puzzlesat 0.4.0 made none
