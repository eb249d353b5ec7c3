"""What a run knows: its study, the units with their states, and all answers, in one SQLite file. docs/store.md describes the tables.

Only the coordinator writes. All that follows from an answer (that it stands, the state of its unit, the units that come next) is written in
one transaction with it: whatever ends the program, and whenever, a unit is either answered with all its consequences, or not begun.

The tables of a store, and how a file of an older version becomes one of this version. docs/store.md says what each column means.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime, timezone
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from puzzlesat.base import PuzzleError
from puzzlesat.studies import audit
from puzzlesat.studies.audit import Evidence, Given, Judged, Place
from puzzlesat.studies.units import AGAIN, AUDIT, FIRST, THIRD, Answer, Job, Role, Subject, Task
from puzzlesat.version import VERSION

APPLICATION = 0x707A7361
"""What SQLite keeps in the header of a file to say whose it is: "pzsa"."""
SCHEMA_VERSION = 2

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
    audit.rebuild(connection, "" if study is None else study[0])


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _with_evidence}
"""What makes a file of one version a file of the next, by the older version. Version 1 is the first."""


def version_of(connection: sqlite3.Connection) -> int | None:
    """Return the version of a store; None for a file with nothing in it yet. Raises PuzzleError for what is no store, or a newer one."""
    application, version = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("application_id", "user_version"))
    if application != APPLICATION:
        if application == version == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return None
        raise PuzzleError("this is a database of another program, no store of a run")
    if version > SCHEMA_VERSION:
        raise PuzzleError(
            f"a newer puzzlesat made this store (version {version} of its tables; this one knows {SCHEMA_VERSION}); use that one"
        )
    oldest = min(MIGRATIONS, default=SCHEMA_VERSION)
    if version < oldest:
        raise PuzzleError(
            f"version {version} of the tables of a store is too old for this puzzlesat, which knows {oldest} to {SCHEMA_VERSION}"
        )
    return int(version)


def make(connection: sqlite3.Connection) -> None:
    """Make the tables, within the caller's transaction."""
    for statement in filter(str.strip, TABLES.split(";")):
        connection.execute(statement)
    connection.execute(INDEX_OF_LEFT)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Make a file of an older version one of this version, within the caller's transaction."""
    for older in range(version, SCHEMA_VERSION):
        MIGRATIONS[older](connection)
        connection.execute(f"PRAGMA user_version = {older + 1}")
    connection.execute(INDEX_OF_LEFT)  # puzzlesat 0.4.0 made none


OPEN: Final = "open"
ANSWERED: Final = "answered"
"""There is an answer, which stands; others are to find the same."""
DISPUTED: Final = "disputed"
"""Answers differ; more of them are to settle that."""
UNSETTLED: Final = "unsettled"
"""Many answers, and they do not settle it."""
DONE: Final = "done"
SET_ASIDE: Final = "set aside"
"""Nothing could be found out, or not checked; the unit's error says why."""
STATES = (OPEN, ANSWERED, DISPUTED, UNSETTLED, DONE, SET_ASIDE)
LEFT = (DISPUTED, ANSWERED, OPEN)
"""States of units in which something is to be done, the most urgent first."""
ROLES: Mapping[str, tuple[Role, ...]] = {OPEN: (FIRST,), ANSWERED: (AUDIT, AGAIN), DISPUTED: (THIRD,)}
"""As what a unit is done next: once more as at first where an audit has found the same."""
MOST_DEATHS = 3
"""So often may a unit end its worker, alone there, before it is set aside."""
FOLLOW = "(SELECT count(*) FROM units WHERE parent = answers.unit AND subject = (SELECT subject FROM units WHERE id = answers.unit))"
"""How many units follow from that of an answer."""
FOUND = f"""
SELECT units.id, parent, json_extract(task, '$.do'), state, CASE WHEN state != '{DONE}' THEN json_extract(task, '$.estimate') END,
       (SELECT total(cpu) FROM answers WHERE unit = units.id), solver, result
FROM units LEFT JOIN answers ON answers.unit = units.id AND counts AND answers.error IS NULL
WHERE subject = ? ORDER BY units.id
"""
SUBJECTS_KEPT = 64
ANOTHER_RUN = "another run has written answers to this file since this one began, so this one ends; nothing is lost"


@dataclass(frozen=True)
class Unit:
    """A task as the store numbers it."""

    id: int
    subject: int
    parent: int | None
    """The unit whose answer brought this one."""
    task: Task
    state: str
    audit: bool
    """Whether others are to do it again; known once it is answered."""
    alike: int
    """How many processes that are believed say what the answer says that stands."""
    deaths: int
    error: str | None


@dataclass(frozen=True)
class Stored:
    """An answer as it was recorded; the fields are those of ``Answer``."""

    unit: int
    role: str
    counts: bool
    """Whether it is the answer of its unit that stands."""
    result: Mapping[str, Any]
    complete: bool
    error: str | None
    solver: str
    host: str
    process: int
    version: str
    cpu: float
    wall: float
    work: Mapping[str, int]
    certificate: str | None
    """The digest of one; see ``Reader.certificate``."""
    at: str
    """When it was recorded, UTC."""
    proof: Mapping[str, Any] | None = None
    """What evidence was seen to show when it came, as ``evidence.Seen`` has it; None: nothing was looked at."""

    @property
    def shown(self) -> bool:
        """Whether evidence shows all that it says."""
        return self.proof is not None and bool(self.proof.get("all"))


@dataclass(frozen=True)
class Caught:
    """A process that gave a wrong answer: nothing that it ever said is believed."""

    host: str
    process: int
    unit: int
    why: str
    at: str


class UnitFound(NamedTuple):
    """What was found out of a unit: what totals need, and no more, for there may be a million."""

    unit: int
    parent: int | None
    do: str
    """Which module did it, or will."""
    state: str
    estimate: float | None = None
    """CPU seconds that it may take, where it is not done and that is known."""
    cpu: float = 0.0
    """CPU seconds that all answers took."""
    solver: str | None = None
    """Who gave the answer that stands."""
    result: Mapping[str, Any] | None = None
    """Of that answer; None where there is none."""


@dataclass(frozen=True)
class Change:
    """What became of a unit."""

    unit: int
    was: str
    state: str
    new: int = 0
    """How many units follow from it."""
    alike: int = 0
    """How many that are believed say the same."""
    refuted: frozenset[Place] = frozenset()
    """Who gave an answer to it that is wrong."""


class Reader:
    """A store, to be read. What a subject came to is not stored: it follows from its units and answers."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path
        self._files: dict[str, str] = {}
        self.subject = lru_cache(SUBJECTS_KEPT)(self._subject)
        """Return a subject by its number."""

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all that is read in the block be as one transaction left it, also while somebody writes."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")  # nothing was written

    @property
    def meta(self) -> Mapping[str, str]:
        """What is said of the store: name and digest of the study, the version that made it and when, and the share of the audit."""
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    @property
    def study(self) -> Any:
        """The study, as its JSON has it."""
        return _from_json(_one(self.connection.execute("SELECT text FROM study"))[0])

    def subjects(self) -> Iterator[tuple[int, Subject]]:
        """Yield the subjects with their numbers, in the order in which they were added."""
        for (number,) in self.connection.execute("SELECT id FROM subjects ORDER BY id"):
            yield number, self._subject(number)

    def units(self, subject: int | None = None) -> Iterator[Unit]:
        """Yield the units of a subject, or all, by their numbers."""
        which, values = ("", ()) if subject is None else ("WHERE subject = ?", (subject,))
        for row in self.connection.execute(f"SELECT {_columns(Unit)} FROM units {which} ORDER BY id", values):
            yield _unit(row)

    def answers(self, unit: int | None = None, *, standing: bool = True) -> Iterator[Stored]:
        """Yield the answers to a unit, or all by the numbers of the units: those that stand, or every one that was ever recorded.

        That of a unit which is not done stands for the time being.
        """
        which = " AND ".join(["1", *["counts"] * standing, *["unit = :unit"] * (unit is not None)])
        for row in self.connection.execute(f"SELECT {_columns(Stored)} FROM answers WHERE {which} ORDER BY unit, id", {"unit": unit}):
            yield _stored(row)

    def units_with_answers(self, subject: int | None = None, *, several: bool = False) -> Iterator[tuple[Unit, list[Stored]]]:
        """Yield the units of a subject, or all, by their numbers, each with every answer to it, in the order in which they came.

        With ``several`` only those with more than one answer that says something, or whose answers are known to differ.
        """
        own = "1" if subject is None else "subject = :subject"
        of_own = "" if subject is None else f"AND unit IN (SELECT id FROM units WHERE {own})"
        others = f"SELECT unit FROM answers WHERE NOT counts AND error IS NULL {of_own}"  # beside the one that stands
        which = f"{own} AND (state IN ('{DISPUTED}', '{UNSETTLED}') OR id IN ({others}))" if several else own
        some = f"(SELECT * FROM units WHERE {which} ORDER BY id)"
        rows = self.connection.execute(
            f"SELECT {_columns(Unit, 'own.')}, {_columns(Stored, 'answers.')} FROM {some} AS own "
            "LEFT JOIN answers ON answers.unit = own.id ORDER BY own.id, answers.id",
            {"subject": subject},
        )
        width = len(fields(Unit))
        for _, group in groupby(rows, itemgetter(0)):
            same = list(group)
            yield _unit(same[0][:width]), [_stored(row[width:]) for row in same if row[width] is not None]

    def found(self, subject: int) -> Iterator[UnitFound]:
        """Yield what was found out of the units of a subject, by their numbers, as far as totals need it."""
        for row in self.connection.execute(FOUND, (subject,)):
            yield UnitFound._make((*row[:-1], None if row[-1] is None else _from_json(row[-1])))

    def certificate(self, digest: str) -> bytes:
        """Return a certificate."""
        found = bytes(_one(self.connection.execute("SELECT bytes FROM certificates WHERE digest = ?", (digest,)))[0])
        if sha256(found).hexdigest() != digest:
            raise sqlite3.DatabaseError(f"malformed: certificate {digest[:12]}… is not the one with that digest")
        return found

    def caught(self) -> list[Caught]:
        """Return who gave a wrong answer, the first first."""
        return [Caught(*row) for row in self.connection.execute(f"SELECT {_columns(Caught)} FROM caught ORDER BY at, unit")]

    def counts_by_state(self) -> dict[str, int]:
        """Return how many units are in each state."""
        return dict.fromkeys(STATES, 0) | dict(self.connection.execute("SELECT state, count(*) FROM units GROUP BY state"))

    def cpu_seconds(self) -> tuple[int, float]:
        """Return how many answers there are, and the CPU seconds that they took together."""
        number, seconds = self.connection.execute("SELECT count(*), total(cpu) FROM answers").fetchone()
        return number, seconds

    def _subject(self, number: int) -> Subject:
        name, key, puzzle = _one(self.connection.execute("SELECT name, key, puzzle FROM subjects WHERE id = ?", (number,)))
        known = _from_json(puzzle, "table", "files")
        return Subject(name, key, known["table"], {file: self._file(digest) for file, digest in known["files"].items()})

    def _file(self, digest: str) -> str:
        if digest not in self._files:
            self._files[digest] = _one(self.connection.execute("SELECT text FROM files WHERE digest = ?", (digest,)))[0]
        return self._files[digest]


class Store(Reader):
    """A store, to be written by the only one who does."""

    def __init__(self, connection: sqlite3.Connection, path: Path, digest: str, share: float) -> None:
        super().__init__(connection, path)
        self._digest = digest
        self._share = share
        self._head = audit.head_of(connection, digest)
        self._caught = frozenset((one.host, one.process) for one in self.caught())
        self._machines: set[str] = set()
        """Those that have answered since this was opened,"""
        self._latest = connection.execute("SELECT coalesce(max(id), 0) FROM answers").fetchone()[0]
        """after this answer."""
        self._units = connection.execute("SELECT count(*) FROM units").fetchone()[0]

    @property
    def checks(self) -> bool:
        """Whether anything is looked at, or done again, before it is believed."""
        return self._share > 0

    @property
    def disbelieved(self) -> frozenset[Place]:
        """The processes that were caught with a wrong answer."""
        return self._caught

    def is_believed(self, place: Place) -> bool:
        """Tell whether what a process says is believed."""
        return audit.believed(place, self._caught)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let all that is written in the block be one transaction.

        Raises PuzzleError, and writes nothing, if the chain is not as this store has left it: then another run writes in the same file, and
        one of the two must end. The lock beside the file keeps others out only as long as nobody deletes it.
        """
        if self.connection.in_transaction:
            yield
            return
        before = self._head
        try:
            with transaction(self.connection):
                if audit.head_of(self.connection, self._digest) != before:
                    raise PuzzleError(f"{self.path}: {ANOTHER_RUN}")
                yield
        except BaseException:
            if audit.head_of(self.connection, self._digest) == before:
                self._head = before
            raise

    # units -------------------------------------------------------------------------------------------------------------------

    def add(self, subjects: Iterable[tuple[Subject, Iterable[Task]]]) -> None:
        """Add subjects with their first tasks, in one transaction; those that are there (the same puzzle, the same task) stay."""
        with self._writing():
            for subject, tasks in subjects:
                number = self._added(subject)
                self._add_units(number, None, tasks)
            audit.note_puzzles(self.connection)

    def forget(self, units: Iterable[int]) -> None:
        """Take out units of which nothing was found out, but perhaps why not, and that something else takes the place of."""
        which = "id = ? AND NOT EXISTS (SELECT 1 FROM answers WHERE unit = units.id AND error IS NULL)"
        with self._writing():
            for unit in [*units]:
                row = self.connection.execute(f"SELECT parent FROM units WHERE {which}", (unit,)).fetchone()
                if row is not None:
                    self.connection.execute("DELETE FROM answers WHERE unit = ?", (unit,))
                    self.connection.execute("DELETE FROM units WHERE id = ?", (unit,))
                    self._note_follows([] if row[0] is None else row)

    def bound(self, unit: int, memory: int | None) -> None:
        """Give a unit that is not done other bytes of memory; None: as many as it needs."""
        task = _from_json(_one(self.connection.execute("SELECT task FROM units WHERE id = ?", (unit,)))[0], "do")
        said = {key: value for key, value in task.items() if key != "memory"} | ({} if memory is None else {"memory": memory})
        with self._writing():
            self.connection.execute("UPDATE units SET task = ? WHERE id = ?", (to_json(said), unit))

    def retry(self) -> int:
        """Let what was set aside be done after all, as if it had ended no worker yet; return how many units that are.

        What was done once, and is to be done again now that more is, is done again.
        """
        valid = "(SELECT count(*) FROM answers WHERE unit = units.id AND error IS NULL)"
        aside = [unit for (unit,) in self.connection.execute("SELECT id FROM units WHERE state = ?", (SET_ASIDE,))]
        with self._writing():
            self.connection.execute("UPDATE units SET deaths = 0, error = NULL WHERE state = ?", (SET_ASIDE,))
            again = f"CASE {valid} WHEN 0 THEN '{OPEN}' ELSE '{ANSWERED}' END"
            self.connection.execute(f"UPDATE units SET state = {again} WHERE state = ?", (SET_ASIDE,))
            for unit in [unit for unit in aside if self._valid(unit)]:
                self._settle(unit)
            for unit in self._done_once():
                self._settle(unit)
        return len(aside)

    def _done_once(self) -> list[int]:
        """The units that were done once, and that more is asked of now."""
        noted = float(self.meta.get("audited", 0))
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES ('audited', ?)", (repr(max(noted, self._share)),))
        if noted >= self._share:
            return []
        once = self.connection.execute("SELECT id FROM units WHERE state = ? AND NOT audit", (DONE,)).fetchall()
        drawn = [unit for (unit,) in once if audit.wanted(self._digest, unit, self._share)]
        self.connection.executemany("UPDATE units SET audit = 1 WHERE id = ?", [(unit,) for unit in drawn])
        return drawn

    def left(self, state: str, *, after: int = 0, most: int = -1) -> list[int]:
        """Return the numbers of the units in a state, beyond a number, so many at most."""
        found = self.connection.execute("SELECT id FROM units WHERE state = ? AND id > ? ORDER BY id LIMIT ?", (state, after, most))
        return [number for (number,) in found]

    def again(self) -> list[tuple[int, int]]:
        """Return the units that are to be done again, with how many say the same so far: those whose answers differ, then the cheapest."""
        cost = "(SELECT min(cpu) FROM answers WHERE unit = units.id AND error IS NULL)"
        found = self.connection.execute(
            f"SELECT id, alike FROM units WHERE state IN (?, ?) ORDER BY state = ? DESC, {cost}, id", (ANSWERED, DISPUTED, DISPUTED)
        )
        return list(found)

    def job(self, unit: int) -> Job:
        """Return what is to be done next of a unit that is left."""
        which = "SELECT state, subject, task, alike FROM units WHERE id = ?"
        state, subject, task, alike = self.connection.execute(which, (unit,)).fetchone()
        known = None if state == OPEN else self._standing(unit)
        what = _from_json(task, "do")
        role = ROLES[state][-1 if alike >= audit.LEAST_ALIKE else 0]
        return Job(unit, self.subject(subject), what, role, known, what.get("seconds"), what.get("memory"), VERSION)

    def is_left(self, unit: int) -> bool:
        """Tell whether something is to be done of a unit."""
        return bool(self.connection.execute(f"SELECT 1 FROM units WHERE id = ? AND {IS_LEFT}", (unit,)).fetchone())

    def places(self, unit: int) -> list[tuple[str, int]]:
        """Return which processes of which hosts have answered a unit."""
        return list(self.connection.execute("SELECT host, process FROM answers WHERE unit = ?", (unit,)))

    # answers -----------------------------------------------------------------------------------------------------------------

    def record(self, answers: Iterable[Answer], seen: Mapping[int, Evidence] | None = None) -> list[Change]:
        """Record answers and all that follows from them, in one transaction; return what became of their units, and of others.

        ``seen``: by unit, what the evidence that came with an answer was seen to show. An answer that nobody asked for is passed over: the
        unit was answered in that role before.
        """
        with self._writing():
            changes = [change for answer in answers for change in self._record(answer, (seen or {}).get(answer.unit))]
            audit.note_head(self.connection, self._head)
        return changes

    def settle(self, unit: int) -> Change:
        """Look once more whether a unit needs to be done again; return what became of it."""
        with self._writing():
            return self._settle(unit)

    def catch(self, unit: int) -> list[Change]:
        """Catch those who gave wrong answers to a unit, by all its answers; return what becomes of whatever they did."""
        with self._writing():
            return self._caught_by(unit)

    def disbelieve(self, places: Iterable[Place]) -> None:
        """Believe nothing that these processes say, which were caught elsewhere; ``heed`` settles what they have said."""
        self._caught |= {*places}

    def heed(self, caught: Iterable[Caught]) -> list[Change]:
        """Note who was caught elsewhere, at a unit of this store; return what becomes of whatever they did."""
        rows = [(who.host, who.process, who.unit, who.why, who.at) for who in caught]
        with self._writing():
            self.connection.executemany("INSERT OR IGNORE INTO caught VALUES (?, ?, ?, ?, ?)", rows)
            return self._catch({(host, process): (unit, why) for host, process, unit, why, _ in rows}) if rows else []

    def blame(self, unit: int, error: str, times: int = 1) -> Change:
        """Note that a unit ended its worker, alone there; it is set aside, with this sentence, where that was once too often."""
        with self._writing():
            state, deaths = self.connection.execute("SELECT state, deaths FROM units WHERE id = ?", (unit,)).fetchone()
            self.connection.execute("UPDATE units SET deaths = ? WHERE id = ?", (deaths + times, unit))
            if deaths + times < MOST_DEATHS:
                return Change(unit, state, state)
            return self._become(unit, state, SET_ASIDE, error)

    def set_aside(self, unit: int, error: str) -> Change:
        """Set a unit aside, with a sentence that says why."""
        with self._writing():
            state = self.connection.execute("SELECT state FROM units WHERE id = ?", (unit,)).fetchone()[0]
            return self._become(unit, state, SET_ASIDE, error)

    def _record(self, answer: Answer, seen: Evidence | None) -> list[Change]:
        row = self.connection.execute("SELECT state, subject, parent, task FROM units WHERE id = ?", (answer.unit,)).fetchone()
        if row is None or answer.role not in ROLES.get(row[0], ()):
            return []
        state, subject, parent, task = row
        place = (answer.host, answer.process)
        if seen is not None and seen.wrong is not None:
            self._insert(replace(answer, error=f"refuted: {seen.wrong}", certificate=None), None)
            return [Change(answer.unit, state, state), *self._catch({place: (answer.unit, seen.wrong)})]
        number = self._insert(answer, seen)
        if answer.error is not None:
            return [self._become(answer.unit, state, SET_ASIDE, answer.error)]
        key = _one(self.connection.execute("SELECT key FROM subjects WHERE id = ?", (subject,)))[0]
        self._chain(number, key, parent, task)
        new = 0
        if answer.role == FIRST:
            drawn = audit.wanted(self._digest, answer.unit, self._share)
            wanted = drawn or (self._share > 0 and _from_json(task, "do").get("audit", False))
            checked = audit.can_be_checked(answer.result) and wanted
            self.connection.execute("UPDATE units SET audit = ? WHERE id = ?", (checked, answer.unit))
            new = self._stand(number, answer.unit, subject, answer.follow)
        met = self._met(answer.host)
        change = replace(self._settle(answer.unit), was=state, new=new)
        return [change, *met, *self._catch_refuted(answer.unit, change.refuted)]

    def _met(self, host: str) -> list[Change]:
        """Take note of a machine. When it is the second one, what the first has confirmed by itself is to be confirmed by another."""
        if host in self._machines:
            return []
        self._machines.add(host)
        if len(self._machines) != 2:
            return []
        since = "SELECT DISTINCT unit FROM answers JOIN units ON units.id = unit WHERE answers.id > ? AND state = ?"
        return [self._settle(unit) for (unit,) in self.connection.execute(f"{since} ORDER BY unit", (self._latest, DONE)).fetchall()]

    def _settle(self, unit: int) -> Change:
        """Let the state of a unit be what its answers come to, and the answer stand that does by them."""
        judged, given = self._judged(unit)
        checked = self._is_checked(unit, judged, given)
        state, was = DONE, _one(self.connection.execute("SELECT state FROM units WHERE id = ?", (unit,)))[0]
        need = self._needed(given)
        places = [one.place for one in given if one.believed]
        many = audit.exhausted(places, self._caught, several=len(self._machines) > 1)
        enough = judged.enough or (many and judged.alike >= need)  # of one machine, if no other answers
        if judged.differ:
            state = UNSETTLED if many else DISPUTED
        elif not judged.shown and checked and not enough and judged.mute < need - 1:
            state = ANSWERED
        if not next(one.counts for one in given if one.id == judged.stands):
            subject = _one(self.connection.execute("SELECT subject FROM units WHERE id = ?", (unit,)))[0]
            self._stand(judged.stands, unit, subject, ())
        self.connection.execute("UPDATE units SET alike = ? WHERE id = ?", (judged.alike, unit))
        return replace(self._become(unit, was, state), alike=judged.alike, refuted=judged.refuted)

    def _judged(self, unit: int) -> tuple[Judged, list[_Given]]:
        """What the answers to a unit come to, and these."""
        given = self._given(unit)
        standing = next((one.id for one in given if one.counts), None)
        machines = min(2, max(1, len(self._machines)))  # where there are several one does not vouch for itself
        return audit.judge(given, self._needed(given), standing, machines=machines if self.checks else 1), given

    def _is_checked(self, unit: int, judged: Judged, given: Sequence[_Given]) -> bool:
        """Tell whether a unit is among those that are done again; so are all that a machine did that was caught."""
        checked = bool(_one(self.connection.execute("SELECT audit FROM units WHERE id = ?", (unit,)))[0])
        suspects = {host for host, _ in self._caught}
        if not checked and not suspects.isdisjoint(one.place[0] for one in given):
            checked = audit.can_be_checked(next(one.result for one in given if one.id == judged.stands))
            self.connection.execute("UPDATE units SET audit = ? WHERE id = ?", (checked, unit))
        return checked

    def _needed(self, given: Iterable[_Given]) -> int:
        return audit.needed(self._units, [one.place[0] for one in given], self._caught) if self.checks else audit.LEAST_ALIKE

    def _given(self, unit: int) -> list[_Given]:
        """The answers to a unit that say something, from the first on."""
        rows = self.connection.execute(
            "SELECT id, result, host, process, proof, counts FROM answers WHERE unit = ? AND error IS NULL ORDER BY id", (unit,)
        )
        return [
            _Given(number, _from_json(result), (host, process), self.is_believed((host, process)), _is_shown(proof), bool(counts))
            for number, result, host, process, proof, counts in rows
        ]

    def _caught_by(self, unit: int) -> list[Change]:
        """Catch those whose answers to a unit are refuted; return what becomes of all that they ever said."""
        return self._catch_refuted(unit, self._judged(unit)[0].refuted)

    def _catch_refuted(self, unit: int, refuted: frozenset[Place]) -> list[Change]:
        """Catch those who gave a wrong answer to a unit; return what becomes of all that they ever said."""
        new = refuted - self._caught if self.checks else ()
        return self._catch(dict.fromkeys(new, (unit, "others found something else, and agree"))) if new else []

    def _catch(self, places: Mapping[Place, tuple[int, str]]) -> list[Change]:
        """Note who gave a wrong answer: all that their processes ever said is to be found out again, and more often on their machines."""
        rows = [(host, process, unit, why, now()) for (host, process), (unit, why) in places.items()]
        self.connection.executemany("INSERT OR IGNORE INTO caught VALUES (?, ?, ?, ?, ?)", rows)
        self._caught |= places.keys()
        every = "1" if len({host for host, _ in self._caught}) > 1 else "host = ?"  # see audit.needed
        hosts = [] if every == "1" else [next(iter(places))[0]]
        looked = f"{every} AND answers.error IS NULL AND (state != ? OR units.error IS NULL)"  # what a merge could not settle stays so
        units = f"SELECT DISTINCT unit FROM answers JOIN units ON units.id = unit WHERE {looked} ORDER BY unit"
        changes = [self._settle(unit) for (unit,) in self.connection.execute(units, (*hosts, UNSETTLED)).fetchall()]
        refuted = {change.unit for change in changes if change.state != change.was}
        return [*changes, *(more for unit in sorted(refuted) for more in self._caught_by(unit))]

    def _stand(self, number: int, unit: int, subject: int, follow: Iterable[Task]) -> int:
        """Let an answer be the one that stands for its unit; add what follows from it, as far as it is not there; return how many units."""
        self.connection.execute("UPDATE answers SET counts = 0 WHERE unit = ? AND counts", (unit,))
        self.connection.execute("UPDATE answers SET counts = 1 WHERE id = ?", (number,))
        new = self._add_units(subject, unit, follow)
        self._note_follows([unit])
        return new

    def _chain(self, number: int, key: str, parent: int | None, task: str) -> None:
        """Chain an answer to those before it."""
        columns = ", ".join(audit.COLUMNS)
        values = _one(self.connection.execute(f"SELECT {columns} FROM answers WHERE id = ?", (number,)))
        self._head = audit.Head(audit.link(self._head.digest, key, parent, task, values), self._head.answers + 1)
        self.connection.execute("UPDATE answers SET digest = ? WHERE id = ?", (self._head.digest, number))

    def _note_follows(self, units: Iterable[int]) -> None:
        """Note how many units follow from some."""
        self.connection.executemany(f"UPDATE answers SET follows = {FOLLOW} WHERE unit = ? AND counts", [(unit,) for unit in units])

    def _valid(self, unit: int) -> bool:
        """Whether there is an answer to a unit that says something."""
        return bool(self.connection.execute("SELECT 1 FROM answers WHERE unit = ? AND error IS NULL", (unit,)).fetchone())

    def _standing(self, unit: int) -> Any:
        """The result that stands for a unit."""
        return _from_json(_one(self.connection.execute("SELECT result FROM answers WHERE unit = ? AND counts", (unit,)))[0])

    def _become(self, unit: int, was: str, state: str, error: str | None = None, *, new: int = 0) -> Change:
        self.connection.execute("UPDATE units SET state = ?, error = ? WHERE id = ?", (state, error, unit))
        return Change(unit, was, state, new)

    def _insert(self, answer: Answer, seen: Evidence | None) -> int:
        digest = None
        if answer.certificate is not None:
            digest = sha256(answer.certificate).hexdigest()
            self.connection.execute("INSERT OR IGNORE INTO certificates VALUES (?, ?)", (digest, answer.certificate))
        row = (
            answer.unit, answer.role, 0, to_json(answer.result), answer.complete, answer.error, answer.solver, answer.host, answer.process,
            answer.version, answer.cpu, answer.wall, to_json(answer.work), digest, now(), _proof(answer, seen),
        )  # fmt: skip
        places = ", ".join("?" * len(row))
        return int(self.connection.execute(f"INSERT INTO answers ({_columns(Stored)}) VALUES ({places})", row).lastrowid or 0)

    def _added(self, subject: Subject) -> int:
        """The number of a subject, which is added if it is new."""
        row = self.connection.execute("SELECT id FROM subjects WHERE key = ?", (subject.key,)).fetchone()
        digests = {name: sha256(text.encode()).hexdigest() for name, text in subject.files.items()}
        texts = [(digests[name], name, text) for name, text in subject.files.items()]
        self.connection.executemany("INSERT OR IGNORE INTO files VALUES (?, ?, ?)", texts)
        puzzle = json.dumps({"table": subject.table, "files": digests}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if row is not None:  # what is said of it may be new
            self.connection.execute("UPDATE subjects SET puzzle = ? WHERE id = ?", (puzzle, row[0]))
            return int(row[0])
        new = self.connection.execute("INSERT INTO subjects (name, key, puzzle) VALUES (?, ?, ?)", (subject.name, subject.key, puzzle))
        return int(new.lastrowid or 0)

    def _add_units(self, subject: int, parent: int | None, tasks: Iterable[Task]) -> int:
        """Add units, but those that are there; return how many are new."""
        texts = dict.fromkeys(map(to_json, tasks))
        if not texts:
            return 0
        known = {text for (text,) in self.connection.execute("SELECT task FROM units WHERE subject = ? AND parent IS ?", (subject, parent))}
        rows = [(subject, parent, text, OPEN) for text in texts if text not in known]
        self.connection.executemany("INSERT INTO units (subject, parent, task, state) VALUES (?, ?, ?, ?)", rows)
        self._units += len(rows)
        return len(rows)


@dataclass(frozen=True)
class _Given(Given):
    """An answer, and whether it is the one that stands."""

    counts: bool


def _is_shown(proof: str | None) -> bool:
    """Whether evidence was seen to show all that an answer says."""
    return proof is not None and bool(_from_json(proof, "all")["all"])


def _proof(answer: Answer, seen: Evidence | None) -> str | None:
    """What evidence was seen to show, in JSON."""
    if seen is None or not seen.shows:
        return None
    return to_json({"shows": seen.shows, "by": seen.by, "all": seen.covers(answer.result)})


# rows ------------------------------------------------------------------------------------------------------------------------


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all that is written in the block be written at its end, on the disk, or nothing of it; within another one, at the end of that."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite may have taken it back itself
            connection.execute("ROLLBACK")
        raise


def to_json(value: Any) -> str:
    """Return plain data as the one JSON text that stands for it in a store."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _from_json(text: Any, *keys: str) -> Any:
    """Return what a column in JSON says. Raises what SQLite raises for a damaged file where it is none, or a table without these keys."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        raise sqlite3.DatabaseError(f"malformed JSON in a row: {str(text)[:40]!r}") from None
    if keys and not (isinstance(value, dict) and all(key in value for key in keys)):
        raise sqlite3.DatabaseError(f"malformed row: there is no {' or '.join(keys)}")
    return value


def _one(found: sqlite3.Cursor) -> Any:
    """Return the one row that a store must have. Raises what SQLite raises for a damaged file where there is none."""
    row = found.fetchone()
    if row is None:
        raise sqlite3.DatabaseError("malformed: a row is not there")
    return row


def now() -> str:
    """Return the time, UTC: to be read by people, and for nothing else."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _columns(of: type[Unit | Stored | Caught], table: str = "") -> str:
    return ", ".join(table + field.name for field in fields(of))


def _unit(row: Sequence[Any]) -> Unit:
    number, subject, parent, task, state, audited, alike, deaths, error = row
    return Unit(number, subject, parent, _from_json(task, "do"), state, bool(audited), alike, deaths, error)


def _stored(row: Sequence[Any]) -> Stored:
    unit, role, counts, result, complete, error, solver, host, process, version, cpu, wall, work, certificate, at, proof = row
    return Stored(
        unit, role, bool(counts), _from_json(result), bool(complete), error, solver, host, process,
        version, cpu, wall, _from_json(work), certificate, at, None if proof is None else _from_json(proof),
    )  # fmt: skip
