"""One SQLite file for a study: its puzzles, one table of units with their answers, and certificates.

Only the coordinator writes. It holds SQLite's write lock while it runs, and makes each change in one transaction. Each answer has a digest
that covers the digest of the answer before it; this chain reveals later changes of the file.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from puzzlesat.base import SILENT, VERSION, NoRoomError, Progress, PuzzleError
from puzzlesat.studies.settle import ASIDE, OPEN, SETTLED, SPLIT, STATES, Given, PuzzleUnits, UnitRow, look_at, wrong_parts
from puzzlesat.studies.tables import PuzzleRow, order_of, row_of
from puzzlesat.studies.units import Answer, Facts, Subject, loaded, subject_of

FORMAT = "2"
BUSY_SECONDS = 60.0
"""Seconds that the coordinator waits for a reader, and a reader for the coordinator, before either gives up."""
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE puzzles (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, said TEXT NOT NULL, files TEXT NOT NULL, facts TEXT
);
CREATE TABLE texts (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE certificates (digest TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE units (
    id INTEGER PRIMARY KEY, puzzle INTEGER NOT NULL REFERENCES puzzles, question TEXT NOT NULL, prefix TEXT NOT NULL,
    parent INTEGER REFERENCES units, parts INTEGER, share REAL NOT NULL,
    state TEXT NOT NULL, tries INTEGER NOT NULL, hint TEXT, estimate REAL,
    answers TEXT NOT NULL, result TEXT, why TEXT,
    UNIQUE (puzzle, question, prefix)
);
CREATE TABLE removed (id INTEGER NOT NULL, answers TEXT NOT NULL);
CREATE INDEX by_state ON units (state, id);
"""
CURES = {
    "file is not a database": "this is not a store of a run; choose another file",
    **dict.fromkeys(("decode to UTF-8", "malformed"), "the file is damaged; use a copy of it"),
    "unable to open database file": "the file cannot be opened here; choose one in a folder in which you may write",
    "readonly database": "you may not write to this file; choose another",
    "locked": "another puzzlesat is at work on this file; wait until it ends, or choose another file",
    "full": "there is no space left for the file; free some and start again: nothing in the file is lost",
    "disk I/O error": "the file could not be read or written, perhaps for lack of space; check the disk and start again: nothing is lost",
}
"""Messages to the user, by words of SQLite's errors."""

JSON_COLUMNS = ("question", "prefix", "answers", "result")
ROW = ", ".join(f"'{key}', {f'json({key})' if key in JSON_COLUMNS else key}" for key in UnitRow.model_fields)
"""The arguments of SQLite's function ``json_object`` that make the JSON of a ``UnitRow``."""


@dataclass(frozen=True)
class StudyHeading:
    """The study that a store belongs to, also as JSON text. Changed limits and more puzzles leave its digest the same."""

    name: str
    digest: str
    text: str = "{}"
    single: bool = False


class Reader:
    """An open store, for reading."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection, self.path = connection, path

    @property
    def meta(self) -> dict[str, str]:
        """The table ``meta``: version, name and digest of the study, and the head of the chain."""
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    def puzzles(self) -> Iterator[tuple[int, Subject]]:
        """Yield the puzzles with their numbers."""
        for (number,) in self.connection.execute("SELECT id FROM puzzles ORDER BY id").fetchall():
            yield number, self.puzzle(number)

    def puzzle(self, number: int) -> Subject:
        """Return one puzzle."""
        name, key, said, files = self._row("SELECT name, key, said, files FROM puzzles WHERE id = ?", number)
        texts = {file: self._row("SELECT text FROM texts WHERE digest = ?", digest)[0] for file, digest in json.loads(files).items()}
        return Subject(name=name, key=key, table=json.loads(said), files=texts)

    def facts(self, puzzle: int) -> Facts | None:
        """Return the facts of a puzzle that is counted in parts; None for others."""
        (text,) = self._row("SELECT facts FROM puzzles WHERE id = ?", puzzle)
        return None if text is None else Facts.model_validate_json(text)

    def units(self, **values: int | str) -> Iterator[UnitRow]:
        """Yield the units whose columns have the values, such as ``puzzle`` or ``state``, by their numbers."""
        where = " AND ".join(f"{column} = :{column}" for column in values) or "1"
        for (row,) in self.connection.execute(f"SELECT json_object({ROW}) FROM units WHERE {where} ORDER BY id", values):
            yield UnitRow.model_validate_json(row)

    def unit(self, number: int) -> UnitRow:
        """Return one unit."""
        (unit,) = self.units(id=number)
        return unit

    def open_units(self) -> Iterator[int]:
        """Yield the numbers of the open units in their order."""
        return (number for (number,) in self.connection.execute("SELECT id FROM units WHERE state = ? ORDER BY id", (OPEN,)))

    def states(self, puzzle: int | None = None) -> dict[str, int]:
        """Return the number of units in each state."""
        where = "1" if puzzle is None else "puzzle = :puzzle"
        rows = self.connection.execute(f"SELECT state, count(*) FROM units WHERE {where} GROUP BY state", {"puzzle": puzzle})
        return dict.fromkeys(STATES, 0) | dict(rows)

    def share(self) -> float:
        """Return the settled share of the search space, for a store of one count in parts."""
        words = "SELECT total(share) FROM units WHERE state = ? AND question LIKE ?"
        return float(self._row(words, SETTLED, '%"of":"whole"%')[0])

    def with_certificate(self, answer: Answer) -> Answer:
        """Return an answer with its certificate instead of the certificate's digest, which is all that the table of units has."""
        if answer.certificate is None:
            return answer
        (data,) = self._row("SELECT data FROM certificates WHERE digest = ?", answer.certificate.decode())
        return answer.model_copy(update={"certificate": data})

    def units_of(self, puzzle: int) -> PuzzleUnits:
        """Return all units of a puzzle with its facts."""
        return PuzzleUnits(self.facts(puzzle), [*self.units(puzzle=puzzle)])

    def rows(self) -> Iterator[PuzzleRow]:
        """Yield the rows of the table of puzzles, sorted by family and name. If the store has faults, all rows are in dispute.

        Raises PuzzleError for a puzzle that this version of the program refuses.
        """
        faults = self.faults()
        for number, subject in sorted(self.puzzles(), key=lambda pair: order_of(pair[1])):
            try:
                row = row_of(subject, self.units_of(number), faults)
            except PuzzleError:
                self.check_sound()
                raise
            yield row

    def disputes(self) -> list[str]:
        """Return a sentence for each unit whose answers contradict each other, with process and host of each answer."""
        return [f"{self.puzzle(unit.puzzle).name}, {unit.dispute}" for unit in self.units() if unit.differs]

    def check_sound(self) -> None:
        """Raise PuzzleError if the store has faults."""
        if faults := self.faults():
            raise PuzzleError(f"{self.path}: it was changed or damaged ({faults[0]}); use an older copy of it")

    def faults(self) -> list[str]:
        """Return a sentence for each sign that the file is damaged, or was changed by another program than a run."""
        wrong = [f"the file is damaged: {error}" for (error,) in self.connection.execute("PRAGMA integrity_check(3)") if error != "ok"]
        for _, puzzle in self.puzzles():
            if subject_of(puzzle.name, puzzle.table, puzzle.files).key != puzzle.key:
                wrong.append(f"the puzzle {puzzle.name} was changed")
        links: list[tuple[int, int, str]] = []
        for number, answers in self.connection.execute("SELECT id, answers FROM units UNION ALL SELECT id, answers FROM removed"):
            links += [(answer["n"], number, _text(answer)) for answer in json.loads(answers)]
        head = ("0", _digest(self.meta["digest"]))
        for n, unit, text in sorted(links):
            head = str(int(head[0]) + 1), _digest(f"{head[1]} {unit} {text}")
            if str(n) != head[0]:
                return [*wrong, f"answer {head[0]} is missing, or was changed"]
        if head != (self.meta["answers"], self.meta["chain"]):
            wrong.append("answers were changed or removed: the chain of their digests is broken")
        bare = [unit.id for unit in self.units() if not unit.supported]
        wrong += [f"unit {unit:,}: its answers do not support its result" for unit in bare]
        return wrong

    def review(self, progress: Progress = SILENT) -> dict[str, Any]:
        """Check all evidence again, and that the parts of each count are the whole puzzle.

        Return the JSON object that docs/json.md describes: the numbers of checked items, and the errors in sentences.
        """
        wrong, checked = self.faults(), Counter(answers=0, solutions=0, certificates=0, once=0)
        for number, subject in self.puzzles():
            puzzle_units = self.units_of(number)
            if puzzle_units.complete:
                wrong += [f"{subject.name}: {why}" for why in wrong_parts(loaded(subject), puzzle_units)]
            for unit in puzzle_units.units:
                checked["once"] += unit.once
                for place, given in enumerate(unit.answers):
                    answer = self.with_certificate(given.answer)
                    checked.update({"answers": 1, "solutions": bool(answer.solution), "certificates": answer.certificate is not None})
                    progress.of("checking the evidence again")({"answers": checked["answers"]})
                    if answer.solution or answer.certificate:
                        again = look_at(subject, answer)
                        settles = unit.result is not None and place == unit.result.by and unit.result.shown
                        if (settles and not again.shows) or (again.wrong is not None and given.evidence.wrong is None):
                            wrong.append(f"{subject.name}, unit {unit.id:,}: {again.wrong or 'its evidence does not show what it claims'}")
        return {**checked, "wrong": wrong}

    def _row(self, words: str, *values: object) -> tuple[Any, ...]:
        (found,) = self.connection.execute(words, values)
        return found  # type: ignore[no-any-return]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class Store(Reader):
    """An open store, for writing by one process."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._token = uuid4().hex
        self.connection.execute("BEGIN IMMEDIATE")
        with self.change():
            self.note(coordinator=self._token)

    @contextmanager
    def change(self) -> Iterator[None]:
        """Make changes in one transaction, which an exception undoes.

        Raises PuzzleError if another coordinator has opened the file in the moment without a lock between two transactions.
        """
        ending = "ROLLBACK"
        try:
            yield
            ending = "COMMIT"
        finally:
            if ending == "COMMIT" or self.connection.in_transaction:  # a full disk makes SQLite undo the changes itself
                self.connection.execute(ending)
            self.connection.execute("BEGIN IMMEDIATE")
            if self.meta["coordinator"] != self._token:
                raise PuzzleError(f"{self.path}: another puzzlesat has taken over this file; what was written until then is in it")

    def note(self, **values: str) -> None:
        """Set values of the table ``meta``."""
        self.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    def add_puzzle(self, subject: Subject) -> int:
        """Add a puzzle, or update title and expected figures of the one with the same key; return its number."""
        digests = {name: _digest(text) for name, text in subject.files.items()}
        self.connection.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", [(_digest(text), text) for text in subject.files.values()])
        words = "INSERT INTO puzzles (name, key, said, files) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET said = excluded.said"
        values = (subject.name, subject.key, json.dumps(subject.table, ensure_ascii=False), json.dumps(digests))
        self.connection.execute(words, values)
        return int(self._row("SELECT id FROM puzzles WHERE key = ?", subject.key)[0])

    def set_facts(self, puzzle: int, facts: Facts) -> None:
        """Set the facts of a puzzle that is counted in parts."""
        self.connection.execute("UPDATE puzzles SET facts = ? WHERE id = ?", (facts.model_dump_json(), puzzle))

    def add_unit(self, unit: UnitRow) -> int:
        """Add a unit unless the store has it already; return its number. The number ``unit.id`` is ignored."""
        key = unit.puzzle, unit.question.text, json.dumps(unit.prefix)
        values = (*key, unit.parent, unit.share, OPEN, unit.tries, unit.hint, unit.estimate)
        columns = "puzzle, question, prefix, parent, share, state, tries, hint, estimate, answers"
        self.connection.execute(f"INSERT INTO units ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]') ON CONFLICT DO NOTHING", values)
        return int(self._row("SELECT id FROM units WHERE puzzle = ? AND question = ? AND prefix = ?", *key)[0])

    def add_answer(self, unit: UnitRow, given: Given) -> UnitRow:
        """Add an answer to a unit and to the chain; return the unit with it. A certificate goes to a table of its own."""
        answer, number = given.answer, int(self.meta["answers"]) + 1
        if answer.certificate is not None:
            digest = sha256(answer.certificate).hexdigest()
            self.connection.execute("INSERT OR IGNORE INTO certificates VALUES (?, ?)", (digest, answer.certificate))
            answer = answer.model_copy(update={"certificate": digest.encode()})
        given = given.model_copy(update={"answer": answer, "n": number})
        text = given.model_dump_json(exclude_defaults=True)
        self.note(answers=str(number), chain=_digest(f"{self.meta['chain']} {unit.id} {_text(json.loads(text))}"))
        self.connection.execute("UPDATE units SET answers = json_insert(answers, '$[#]', json(?)), tries = 0 WHERE id = ?", (text, unit.id))
        return unit.model_copy(update={"answers": (*unit.answers, given)})

    def settle(self, unit: UnitRow) -> None:
        """Settle a unit by its result. A part without a number is set aside, and the next run counts it again."""
        assert unit.result is not None
        if unit.question.find != "part" or (unit.claim is not None and unit.claim.found is not None):
            text = unit.result.model_dump_json(exclude_defaults=True)
            self.connection.execute("UPDATE units SET state = ?, result = ?, why = NULL WHERE id = ?", (SETTLED, text, unit.id))
        elif unit.state == OPEN:
            self.set_aside(unit.id, "two processes could not count it")

    def set_aside(self, unit: int, why: str) -> None:
        """Set a unit aside for this run, with the reason."""
        self.connection.execute("UPDATE units SET state = ?, why = ? WHERE id = ?", (ASIDE, why, unit))

    def open_again(self) -> None:
        """Reopen all units that were set aside."""
        self.connection.execute("UPDATE units SET state = ?, why = NULL WHERE state = ?", (OPEN, ASIDE))

    def note_tries(self, units: Iterable[int]) -> None:
        """Count one more try of units in flight. If their answers never come, the next process gets less time for them."""
        self.connection.executemany("UPDATE units SET tries = tries + 1 WHERE id = ?", [(unit,) for unit in units])

    def check_parts(self, puzzle: int) -> None:
        """Set a part of a complete count aside if the parts are not the whole puzzle."""
        if (parts := self.units_of(puzzle)).complete and (wrong := wrong_parts(loaded(self.puzzle(puzzle)), parts)):
            self.set_aside(parts.leaves[-1].id, wrong[0])

    def mark_split(self, unit: int, parts: int, hint: str | None) -> None:
        """Set the number of parts of a unit, and the solver for it; 0: it cannot be split and stays open."""
        words = "UPDATE units SET state = ?, parts = ?, hint = ? WHERE id = ?"
        self.connection.execute(words, (SPLIT if parts else OPEN, parts, hint, unit))

    def remove(self, unit: int) -> None:
        """Remove a unit that is not needed any more. Its answers stay in the chain."""
        self.connection.execute("INSERT INTO removed SELECT id, answers FROM units WHERE id = ? AND answers != '[]'", (unit,))
        self.connection.execute("DELETE FROM units WHERE id = ?", (unit,))


# opening -------------------------------------------------------------------------------------------------------------------------


@contextmanager
def open_store(path: Path, heading: StudyHeading) -> Iterator[Store]:
    """Open a store for writing, with exclusive access; make it if the file does not exist.

    Raises PuzzleError, and changes nothing, if the file is not a store, belongs to another study or version, or has a coordinator.
    """
    path = Path(os.path.realpath(path))
    new = not path.exists()
    if not new and path.stat().st_nlink > 1:  # SQLite finds its journal by the file's name
        raise PuzzleError(f"{path}: the file has another name as well (a hard link); copy the file, and use the copy")
    with errors_said(path), closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            _prepare(connection, path, heading)
            store = Store(connection, path)
        except sqlite3.Error as error:
            if new and "full" in str(error):  # after other errors, the file may belong to another coordinator
                connection.close()
                path.unlink(missing_ok=True)
            raise
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        yield store
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = DELETE")  # a store that is closed is one file


def _prepare(connection: sqlite3.Connection, path: Path, heading: StudyHeading) -> None:
    connection.execute("BEGIN IMMEDIATE")
    meta = _meta(connection, path)
    if not meta:
        for words in TABLES.split(";"):
            connection.execute(words)
        meta = {"format": FORMAT, "version": VERSION, "name": heading.name, "digest": heading.digest, "coordinator": ""}
        meta |= {"answers": "0", "chain": _digest(heading.digest)}
    elif meta["digest"] != heading.digest:
        raise PuzzleError(
            f"{path}: this holds answers to another study, {meta['name']!r}, or to one that has since been changed; "
            "continue with that study, or choose another file for the store (--store)"
        )
    meta |= {"study": heading.text, "single": str(int(heading.single))}
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = PERSIST")
    connection.execute("PRAGMA synchronous = FULL")


def _meta(connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    """Return the table ``meta`` of a store; {} for a new file. Raises PuzzleError if the file is not a store of this version."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return {}
    if "meta" not in tables:
        raise PuzzleError(f"{path}: this is not a store of a run; choose another file")
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    if meta.get("format") != FORMAT:
        version = meta.get("version", "of an unknown version")
        raise PuzzleError(
            f"{path}: puzzlesat {version} wrote this store, and {VERSION} cannot read it; "
            f"use it with 'pip install puzzlesat=={version}', or choose another file for the store"
        )
    return meta


@contextmanager
def open_to_read(path: Path) -> Iterator[Reader]:
    """Open a snapshot of a store for reading, even while a coordinator writes it.

    Raises PuzzleError if the file is not a store of this version.
    """
    with errors_said(path):
        if not path.is_file():
            raise PuzzleError(f"{path}: no such file")
        uri = f"{path.resolve().as_uri()}?mode={'rw' if os.access(path, os.W_OK) else 'ro'}"  # a journal may have to be played back
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as file, closing(sqlite3.connect("")) as connection:
            file.backup(connection)  # to a temporary file: the coordinator waits for the readers of its own
            connection.execute("PRAGMA query_only = ON")
            if not _meta(connection, path):
                raise PuzzleError(f"{path}: there is nothing in it yet")
            reader = Reader(connection, path)
            try:
                yield reader
            except (LookupError, TypeError, ValueError) as error:
                damaged = True
                with suppress(sqlite3.Error, LookupError, TypeError, ValueError):
                    damaged = bool(reader.faults())
                if damaged:
                    raise PuzzleError(f"{path}: the file is damaged, or another program has written in it; use a copy") from error
                raise


@contextmanager
def errors_said(path: Path) -> Iterator[None]:
    """Raise an error of SQLite as a PuzzleError with the name of the file and a cure."""
    try:
        yield
    except sqlite3.Error as error:
        cure = next((cure for words, cure in CURES.items() if words in str(error)), str(error))
        raise (NoRoomError if "full" in str(error) else PuzzleError)(f"{path}: {cure}") from error
