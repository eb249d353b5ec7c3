"""Whom to believe: how often a unit is done, whether its answers are alike, which of them stands, and who was caught with a wrong one.

Nobody's word about itself counts. An answer is settled by evidence that whoever received it has checked, or because enough processes gave
the same: two, or three where there are few units; on two machines, where there are several. What a machine did that was caught with a wrong
answer needs five, and everything does where a second one was caught.

Let one answer in twenty be wrong (p), whoever gives it, and let all wrong ones be alike. A total of n units with k answers each is wrong
only if all k answers to one unit are, and it is called complete only if no more than one machine is caught: of the m = k (n - 1) other
answers at most one may be wrong. That is n p^k ((1 - p)^m + m p (1 - p)^(m - 1)), less than 1/1,000 for each n with the numbers below.
docs/studies.md has the table.

Each answer of a store is chained to the one before it by a digest: what was changed afterwards, taken out or put in between, is found.

The digest covers the study, the puzzle, the unit, the answer and its evidence. There is no secret in it: it shows damage, and changes by
hand. Whoever wants to forge a whole store can make another chain, and then has another last digest (``head``) than the one that was noted
elsewhere. Answers that say only why nothing was found out are no part of it: they may be taken out, and never count.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple

from puzzlesat.studies.units import COUNTS, IMPOSSIBLE, NOT_DECIDED, SOLVABLE

SHARE: Final = 1.0
"""Of the units that are done again, unless the study says otherwise: all."""
LEAST_ALIKE, MORE_ALIKE, MOST_ALIKE = 2, 3, 5
"""So many processes must say the same; more where there are few units; and most of all where somebody was caught."""
FEW_UNITS: Final = 80
"""Fewer units than that are few."""
MOST_CAUGHT: Final = 3
"""Of a machine of which so many processes were caught nothing is believed."""
MOST_ANSWERS: Final = 7
"""After so many answers to a unit, of those who are believed, nobody is asked any more;"""
MOST_OF_ALL: Final = 3 * MOST_ANSWERS
"""after so many also where a machine that was caught says the same over and over, against others."""
UNKNOWN = (None, NOT_DECIDED)
"""What says of a question that it was not answered: nothing can contradict that."""
LEFT_OUT = frozenset({"solution", "argument", "sentences", "agree", "by", "certificate", "check", "sampled"})
"""What may be another for every way in which something is found out; what it shows stands beside it."""

QUESTIONS = ("verdict", "all")
"""What of a whole puzzle must be found again, where it is known; other figures are not found in every way."""

Place = tuple[str, int]
"""A process: its host and its number there."""


@dataclass(frozen=True)
class Given:
    """An answer to a unit, as far as it matters for whether it is believed."""

    id: int
    result: Mapping[str, Any]
    place: Place
    believed: bool
    """Whether its process was not caught with a wrong answer."""
    shown: bool
    """Whether evidence that was checked here shows all that it says."""


@dataclass(frozen=True)
class Judged:
    """What the answers to a unit come to."""

    stands: int
    """The answer that stands, by its number."""
    alike: int
    """How many processes that are believed say what it says."""
    enough: bool = False
    """Whether these are as many as are needed, and of as many machines."""
    differ: bool = False
    """Whether answers differ, and it is not settled which is right."""
    shown: bool = False
    """Whether evidence shows it."""
    mute: int = 0
    """How many tried and found nothing out: that contradicts nothing, and confirms nothing."""
    refuted: frozenset[Place] = frozenset()
    """Who gave an answer that is wrong."""


@dataclass(frozen=True)
class Evidence:
    """What the evidence that came with an answer was seen to show (``evidence`` looks)."""

    shows: tuple[str, ...] = ()
    """The keys of the result that it shows."""
    by: tuple[str, ...] = ()
    """Who looked."""
    wrong: str | None = None
    """Why the answer cannot be right, in a sentence."""

    def covers(self, result: Mapping[str, Any]) -> bool:
        """Tell whether it shows all that a result says."""
        return self.wrong is None and bool(self.shows) and set(claims(result)) <= set(self.shows)


def claims(result: Mapping[str, Any]) -> list[str]:
    """Return the keys by which a result says something of the whole puzzle."""
    said = ["verdict"] if result.get("verdict") in (SOLVABLE, IMPOSSIBLE) else []
    return [*said, *(key for key in COUNTS if result.get(key) is not None)]


def wanted(study: str, unit: int, share: float) -> bool:
    """Tell whether a unit is among those that are done again: by chance, but for a study, of which this is the digest, always the same."""
    drawn = int.from_bytes(sha256(f"{study} {unit}".encode()).digest()[:8], "big")
    return drawn < share * 2**64


def believed(place: Place, caught: Iterable[Place]) -> bool:
    """Tell whether a process is believed: it was not caught, and not too many of its machine were."""
    of_host = {one for one in caught if one[0] == place[0]}
    return place not in of_host and len(of_host) < MOST_CAUGHT


def needed(units: int, hosts: Iterable[str], caught: Iterable[Place]) -> int:
    """Return how many processes must say the same of a unit, of which there are so many, if it was done on these machines."""
    suspects = {host for host, _ in caught}
    if len(suspects) > 1 or not suspects.isdisjoint(hosts):
        return MOST_ALIKE
    return MORE_ALIKE if units < FEW_UNITS else LEAST_ALIKE


def exhausted(places: Sequence[Place], caught: Iterable[Place], *, several: bool) -> bool:
    """Tell whether so many have answered a unit, of those who are believed, that nobody is asked any more.

    Where there are several machines, and one of them was caught, its processes count as one here: they may all err alike, and would use up
    what others are to be asked.
    """
    suspects = {host for host, _ in caught}
    same = sum(host in suspects for host, _ in places) if several and len(suspects) == 1 else 0
    return len(places) - max(0, same - 1) >= MOST_ANSWERS or len(places) >= MOST_OF_ALL


def can_be_checked(result: Mapping[str, Any]) -> bool:
    """Tell whether a result says anything that somebody else could find out too; of a unit that finished no part it does not."""
    return result.get("parts") != [] and _says_something(result)


def _says_something(result: Mapping[str, Any]) -> bool:
    return _knows(result) > 0


def _knows(result: Mapping[str, Any]) -> int:
    """How much a result says."""
    return sum(result[key] not in UNKNOWN for key in result.keys() - LEFT_OUT)


def agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two results of the same unit can both be right: all that both know must be the same."""
    if one.keys() - LEFT_OUT != other.keys() - LEFT_OUT:
        return False
    return all(one[key] == other[key] for key in one.keys() - LEFT_OUT if one[key] not in UNKNOWN and other[key] not in UNKNOWN)


def confirms(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether one of two results of a unit found what the other says: it agrees, and not because it found nothing out."""
    asked = [key for key in QUESTIONS if one.get(key) not in UNKNOWN]
    return agree(one, other) and _says_something(other) and all(other.get(key) not in UNKNOWN for key in asked)


def judge(given: Sequence[Given], need: int, standing: int | None = None, *, machines: int = 1) -> Judged:
    """Say what the answers to a unit come to of which so many must be alike, from so many machines.

    ``standing`` is the one that has stood so far, else the first.

    Answers that say the same are a camp. One that is large enough, and larger than any other, refutes the others. The answer of somebody
    who was caught may go on standing, and is believed by nobody: others find out whether it is right. A process that gives two answers that
    differ has refuted itself.
    """
    first = next((one for one in given if one.id == standing), given[0])
    if shown := [one for one in given if one.shown]:
        return _by_evidence(given, shown, first)
    camps, mute = _camps([one for one in given if one.believed])
    if not camps:
        return Judged(first.id, 0, mute=mute)
    weight = _weight if len(camps) > 1 else _weight_alone
    best = max(camps, key=weight)  # the first of several
    others = [camp for camp in camps if camp is not best]
    own = next((camp for camp in (best, *others) if agree(camp[0].result, first.result)), [])
    faces = Counter(place for camp in camps for place in {one.place for one in camp})
    refuted = frozenset(place for place, number in faces.items() if number > 1)
    enough = weight(best) >= need and len({one.place[0] for one in best}) >= machines
    settles = enough and weight(best) > max(map(weight, others), default=0)
    if others and not settles:
        return Judged(first.id, weight(own), differ=True, mute=mute, refuted=refuted)
    refuted |= {one.place for camp in others for one in camp}
    if own is best:
        return Judged(first.id, weight(best), enough, mute=mute, refuted=refuted)
    if settles:
        return Judged(best[0].id, weight(best), enough, mute=mute, refuted=refuted | {first.place})
    return Judged(first.id, 0, mute=mute, refuted=refuted)  # it is of somebody who is not believed any more, and others say otherwise


def _by_evidence(given: Sequence[Given], shown: Sequence[Given], first: Given) -> Judged:
    """What answers come to of which some are shown by evidence: who says otherwise is wrong."""
    stands = first if first.shown else shown[0]
    differ = not all(agree(stands.result, one.result) for one in shown)
    refuted = frozenset(one.place for one in given if not agree(stands.result, one.result))
    return Judged(stands.id, 0, differ=differ, shown=not differ, refuted=frozenset() if differ else refuted)


def _camps(given: Sequence[Given]) -> tuple[list[list[Given]], int]:
    """Answers that say the same, in camps, and how many say too little for that.

    Those that know most come first: who knows less agrees with many that contradict each other, and would hold them together.
    """
    camps: list[list[Given]] = []
    mute = 0
    for one in sorted(given, key=lambda one: (-sum(one.result.get(key) not in UNKNOWN for key in QUESTIONS), -_knows(one.result))):
        own = next((camp for camp in camps if confirms(camp[0].result, one.result)), None)
        if own is not None:
            own.append(one)
        elif can_be_checked(one.result) and not any(agree(camp[0].result, one.result) for camp in camps):
            camps.append([one])
        else:
            mute += 1
    return camps, mute


def _weight(camp: Sequence[Given]) -> int:
    """For how many processes a camp counts: where others say otherwise nobody counts twice, or who repeats a lie would settle it."""
    return len({one.place for one in camp})


def _weight_alone(camp: Sequence[Given]) -> int:
    """For how many it counts where nobody says otherwise: a process that said the same twice more counts as another one."""
    return max(_weight(camp), len(camp) - 1)


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
