"""Each answer of a store is chained to the one before it by a digest: what was changed afterwards, taken out or put in between, is found.

The digest covers the study, the puzzle, the unit, the answer and its evidence. There is no secret in it: it shows damage, and changes by
hand. Whoever wants to forge a whole store can make another chain, and then has another last digest (``head``) than the one that was noted
elsewhere. Answers that say only why nothing was found out are no part of it: they may be taken out, and never count.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

COLUMNS: Final = (
    "unit", "role", "result", "complete", "solver", "host", "process", "version", "cpu", "wall", "work", "certificate", "at", "proof",
)  # fmt: skip
"""Of an answer, what the digest covers; beside the digest before, and of its unit ``subjects.key``, ``parent`` and ``task``."""
ROWS: Final = f"""
SELECT answers.id, answers.digest, subjects.key, units.parent, units.task, {", ".join(f"answers.{column}" for column in COLUMNS)}
FROM answers JOIN units ON units.id = answers.unit JOIN subjects ON subjects.id = units.subject
WHERE answers.error IS NULL AND answers.id > ? ORDER BY answers.id LIMIT ?
"""
AT_ONCE = 10_000
"""Answers that are chained anew together."""
HEAD: Final = "head"
"""The key of ``meta`` for the last digest, with the number of answers before it."""


class Head(NamedTuple):
    """How far a chain is."""

    digest: str
    answers: int

    def __str__(self) -> str:
        return f"{self.answers} {self.digest}"


def link(before: str, key: str, parent: int | None, task: str, values: Sequence[Any]) -> str:
    """Return the digest of an answer: of the one before, the key of its puzzle, the parent and task of its unit, and its ``COLUMNS``."""
    said = json.dumps([before, key, parent, _bare(task), *values], ensure_ascii=False, separators=(",", ":"))
    return sha256(said.encode()).hexdigest()


def head_of(connection: sqlite3.Connection, study: str) -> Head:
    """Return how far the chain of a store is, by what it says itself; it begins with the digest of its study."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (HEAD,)).fetchone()
    if row is None:
        return Head(study, 0)
    number, _, digest = str(row[0]).partition(" ")
    return Head(digest, int(number) if number.isdecimal() else -1)


def note_head(connection: sqlite3.Connection, head: Head) -> None:
    """Note how far the chain is."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (HEAD, str(head)))


def note_puzzles(connection: sqlite3.Connection) -> None:
    """Note the digest of all puzzles, with what is said of them: their keys say nothing of titles and figures that are expected."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('puzzles', ?)", (_puzzles(connection),))


def _puzzles(connection: sqlite3.Connection) -> str:
    digest = sha256()
    for row in connection.execute("SELECT name, key, puzzle FROM subjects ORDER BY id"):
        digest.update(json.dumps(row, ensure_ascii=False).encode())
    return digest.hexdigest()


def chained(connection: sqlite3.Connection, study: str) -> Iterator[tuple[int, str | None, str]]:
    """Yield the number of each answer with the digest that it has and the one that it should have after those before it as they are."""
    before = study
    for number, digest, key, parent, task, *values in connection.execute(ROWS, (-1, -1)):
        yield number, digest, link(before, key, parent, task, values)
        before = digest if isinstance(digest, str) else ""


def rebuild(connection: sqlite3.Connection, study: str) -> None:
    """Chain all answers of a store anew, within the caller's transaction: where it was made by an older version, or from others."""
    head, last = Head(study, 0), -1
    while rows := connection.execute(ROWS, (last, AT_ONCE)).fetchall():
        for last, _, key, parent, task, *values in rows:
            head = Head(link(head.digest, key, parent, task, values), head.answers + 1)
            connection.execute("UPDATE answers SET digest = ? WHERE id = ?", (head.digest, last))
    note_head(connection, head)
    note_puzzles(connection)


def breaks(connection: sqlite3.Connection, study: str) -> Iterator[str]:
    """Yield in sentences what of the chain is broken."""
    head = head_of(connection, study)
    last, answers = study, 0
    for number, digest, expected in chained(connection, study):
        answers += 1
        if digest != expected:
            yield f"answer {number:,}, or one before it, was changed, removed or inserted: its digest differs"
        last = digest if isinstance(digest, str) else ""
    noted = connection.execute("SELECT value FROM meta WHERE key = 'puzzles'").fetchone()
    if noted is not None and noted[0] != _puzzles(connection):
        yield "the title or the expected counts of a puzzle were changed"
    if (last, answers) != head:
        yield f"there are {answers:,} answers, and {head.answers:,} were recorded: the last ones were changed, removed or inserted"


def _bare(task: str) -> str:
    """A task without the memory that it may take, which may be bounded later."""
    if '"memory"' not in task:
        return task
    said = json.loads(task)
    said.pop("memory", None)
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
