"""Stores of one study that was done in several places, as one store: every unit once, every answer kept, what two places say compared.

A unit is the same where its puzzle, what is to be done, and the unit that it follows from are the same. Two answers to it that agree check
each other, as an audit does; two that differ are a dispute. Where two places have parted the same work in different ways, what follows is
not the same any more: then one way stands, with all that follows from it; the other is compared with it as a whole, and left out.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from puzzlesat.base import SILENT, Progress, PuzzleError, new_file
from puzzlesat.studies import audit
from puzzlesat.studies import store as schema
from puzzlesat.studies.opening import chain_faults, errors_said, faults_of, open_to_read
from puzzlesat.studies.store import DONE, FOLLOW, SET_ASIDE, UNSETTLED, Reader, Store, Stored, Unit, to_json, transaction
from puzzlesat.studies.units import AUDIT, FIRST, NOT_DECIDED, came_to, contradiction


@dataclass
class Merged:
    """What there is after a merge, in figures."""

    subjects: int = 0
    units: int = 0
    answers: int = 0
    compared: int = 0
    """Units that had answers from several stores, which were held against each other."""
    unlike: int = 0
    """Of these, units whose answers differ."""
    left_out: int = 0
    """Units that are left out, for their work was parted in another way elsewhere."""


def merge(paths: Sequence[Path], target: Path, progress: Progress = SILENT) -> Merged:
    """Write what several stores of one study hold into a new one, while nobody or somebody writes them.

    Raises PuzzleError, and writes nothing, for stores of different studies or versions, and where ``target`` is there already.
    """
    if target.exists():
        raise PuzzleError(f"{target}: this file exists already; choose a new file for the merged store (-o)")
    merged = Merged()
    with TemporaryDirectory(prefix=".puzzlesat-", dir=target.parent) as folder:
        draft = Path(folder) / "draft"
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection, errors_said(target):
            with open_to_read(paths[0]) as first:
                _check_sound(paths[0], first)
                first.connection.backup(connection)
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA foreign_keys = ON")
            with transaction(connection):
                schema.migrate(connection, schema.SCHEMA_VERSION)
            for path in paths[1:]:
                with open_to_read(path) as other, transaction(connection), other.at_one_moment():
                    _check_alike(paths[0], Reader(connection, target), path, other)
                    _check_sound(path, other)
                    ours = Store(connection, target, *_asked_of(connection))
                    _take_over(_Merging(connection, ours, other, (paths[0], path), merged), progress)
            with transaction(connection):
                connection.execute(f"UPDATE answers SET follows = {FOLLOW} WHERE counts")
                audit.rebuild(connection, _asked_of(connection)[0])
            merged.subjects, merged.units, merged.answers = (
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("subjects", "units", "answers")
            )
        with draft.open("rb") as source, new_file(target) as file:
            shutil.copyfileobj(source, file)
    return merged


def _asked_of(connection: sqlite3.Connection) -> tuple[str, float]:
    """The digest of the study of a store, and the share of its units that are done again."""
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    return meta["digest"], float(meta["audit"])


def _check_sound(path: Path, store: Reader) -> None:
    of_puzzles = (f"{subject.name}: {why}" for number, subject in store.subjects() for why in faults_of(store, number))
    if (wrong := next(of_puzzles, None) or next(iter(chain_faults(store)), None)) is not None:
        raise PuzzleError(f"{path}: it was changed or damaged ({wrong}); use an older copy of it")


def _check_alike(one_path: Path, one: Reader, other_path: Path, other: Reader) -> None:
    ours, theirs = one.meta, other.meta
    if ours["digest"] != theirs["digest"]:
        raise PuzzleError(
            f"{other_path}: this holds answers to another study ({theirs['name']!r}) than {one_path} ({ours['name']!r}), "
            "or to one that has since been changed; only what one study asks for can be merged"
        )
    if ours["version"] != theirs["version"]:
        raise PuzzleError(
            f"{other_path}: puzzlesat {theirs['version']} made it, and {ours['version']} made {one_path}: "
            "two versions may define a task differently; run it again with one version"
        )


# the units of a puzzle -----------------------------------------------------------------------------------------------------------


class _Tree:
    """The units of one puzzle in one store, as they follow from each other."""

    def __init__(self, store: Reader, subject: int | None) -> None:
        self.store = store
        self.units: dict[int, Unit] = {} if subject is None else {unit.id: unit for unit in store.units(subject)}
        self._below: dict[int | None, list[int]] = defaultdict(list)
        for unit in self.units.values():
            self._below[unit.parent].append(unit.id)

    def below(self, unit: int | None) -> dict[str, int]:
        """Return the units that follow from one, or the first ones (None), by what is to be done."""
        return {to_json(self.units[u].task): u for u in self._below.get(unit, ())}

    def branch(self, unit: int) -> Iterator[int]:
        """Yield a unit and all that follow from it, each after the one that it follows from."""
        waiting = [unit]
        while waiting:
            yield (one := waiting.pop())
            waiting += reversed(self._below.get(one, ()))

    def answers(self, unit: int) -> list[Stored]:
        """Return all answers to a unit."""
        return list(self.store.answers(unit, standing=False))

    def standing(self, unit: int) -> Stored | None:
        """Return the answer that stands for a unit."""
        return next(self.store.answers(unit), None)

    def results(self, unit: int) -> list[Stored]:
        """Return the answers that stand in a branch."""
        return [answer for one in self.branch(unit) if (answer := self.standing(one)) is not None]

    def done(self, unit: int) -> bool:
        """Tell whether everything in a branch is done."""
        return all(self.units[one].state == DONE for one in self.branch(unit))

    def progress(self, unit: int) -> tuple[int, bool, float]:
        """Return how far a branch is: how much is known, whether all of it is done, the seconds that it took."""
        results = self.results(unit)
        known = came_to([answer.result for answer in results])
        return _knows(known), self.done(unit), sum(answer.cpu for answer in results)


def _knows(result: Mapping[str, object]) -> int:
    """How much a result says."""
    return sum(value not in (None, [], NOT_DECIDED) for value in result.values())


def _is_same(one: Stored, other: Stored) -> bool:
    """Whether two stores hold one answer: one is a copy of the other, or was."""
    return replace(one, unit=0, role="", counts=False) == replace(other, unit=0, role="", counts=False)


def _are_comparable(one: Stored, other: Stored) -> bool:
    """Whether two answers are about the same work: of a count in parts each says which parts it has finished."""
    return _parts(one) == _parts(other)


def _parts(answer: Stored) -> object:
    parts = answer.result.get("parts")
    return parts and [{k: v for k, v in part.items() if k != "found"} if isinstance(part, dict) else part for part in parts]


def _found(answers: Sequence[Stored]) -> Counter[str]:
    """What was found in parts, together, by what they are parts of."""
    found: Counter[str] = Counter()
    for answer in answers:
        found["all"] += answer.result.get("found", 0)
        for part in answer.result.get("parts") or ():
            if isinstance(part, dict):
                found[part["of"]] += part["found"]
    return found


# one more store ------------------------------------------------------------------------------------------------------------------


@dataclass
class _Merging:
    """A store on its way into the draft."""

    draft: sqlite3.Connection
    ours: Store
    theirs: Reader
    paths: tuple[Path, Path]
    merged: Merged
    unlike: list[int] = field(default_factory=list)
    """Units whose answers differ."""
    numbers: dict[int, int] = field(default_factory=dict)
    """Of their units at which somebody was caught, the numbers here."""

    def insert(self, table: str, row: Mapping[str, object], *, ignore: bool = False) -> int:
        """Insert a row; return its number."""
        words = f"INSERT {'OR IGNORE ' if ignore else ''}INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        return int(self.draft.execute(words, tuple(row.values())).lastrowid or 0)

    def add(self, unit: int, answer: Stored, role: str, *, counts: bool) -> None:
        """Add an answer to a unit of the draft."""
        row = {field.name: value for field, value in zip(fields(answer), astuple(answer), strict=True)}
        row |= {"unit": unit, "role": role, "counts": counts, "result": to_json(answer.result), "work": to_json(answer.work)}
        row["proof"] = None if answer.proof is None else to_json(answer.proof)
        self.insert("answers", row)

    def note(self, other: int, unit: int) -> None:
        """Note which unit of the draft one of theirs is, where somebody was caught at that."""
        if other in self.numbers:
            self.numbers[other] = unit

    def become(self, unit: int, state: str, *, checked: bool, error: str | None = None) -> None:
        """Give a unit of the draft a state."""
        self.draft.execute("UPDATE units SET state = ?, audit = ?, error = ? WHERE id = ?", (state, checked, error, unit))

    def stands(self, unit: int, answer: Stored) -> None:
        """Let an answer that was added to a unit be the one that stands."""
        same = next(number for number, stored in self._numbered(unit) if _is_same(stored, answer))
        self.draft.execute("UPDATE answers SET counts = 0 WHERE unit = ?", (unit,))
        self.draft.execute("UPDATE answers SET counts = 1 WHERE id = ?", (same,))

    def _numbered(self, unit: int) -> list[tuple[int, Stored]]:
        numbers = [number for (number,) in self.draft.execute("SELECT id FROM answers WHERE unit = ? ORDER BY id", (unit,))]
        return list(zip(numbers, self.ours.answers(unit, standing=False), strict=True))


def _take_over(m: _Merging, progress: Progress) -> None:
    """Take over a whole store, and tell how far that is."""
    for table in ("files", "certificates"):
        columns = [column[1] for column in m.theirs.connection.execute(f"PRAGMA table_info({table})")]
        for row in m.theirs.connection.execute(f"SELECT * FROM {table}"):
            m.insert(table, dict(zip(columns, row, strict=True)), ignore=True)
    caught = m.theirs.caught()
    m.ours.disbelieve((who.host, who.process) for who in caught)
    m.numbers = dict.fromkeys((who.unit for who in caught), 0)
    own = {subject.key: number for number, subject in m.ours.subjects()}
    for done, (number, subject) in enumerate(m.theirs.subjects()):
        progress.of(m.paths[1].name)({"puzzles": done})
        known = own.get(subject.key)
        ours, theirs = _Tree(m.ours, known), _Tree(m.theirs, number)
        if known is None:
            (puzzle,) = m.theirs.connection.execute("SELECT puzzle FROM subjects WHERE id = ?", (number,)).fetchone()
            known = m.insert("subjects", {"name": subject.name, "key": subject.key, "puzzle": puzzle})
        _meet_all(m, ours, theirs, None, None, known)
    m.ours.heed(replace(who, unit=m.numbers[who.unit]) for who in caught)
    for unit in m.unlike:
        if next(m.ours.answers(unit), None) is not None:  # it may have been left out since
            m.ours.catch(unit)


def _meet_all(m: _Merging, ours: _Tree, theirs: _Tree, unit: int | None, other: int | None, subject: int) -> None:
    """Take over what follows from a unit; what is there already is compared."""
    known = ours.below(unit)
    for task, below in theirs.below(other).items():
        if task in known:
            _meet(m, ours, theirs, known[task], below, subject)
        else:
            _take_branch(m, theirs, below, unit, subject)


def _take_branch(m: _Merging, theirs: _Tree, top: int, parent: int | None, subject: int) -> None:
    """Take over a unit and all that follow from it, of which nothing is there yet."""
    numbers: dict[int | None, int] = {theirs.units[top].parent: parent or 0}
    for one in theirs.branch(top):
        unit = theirs.units[one]
        row = {"subject": subject, "parent": numbers[unit.parent] or None, "task": to_json(unit.task), "state": unit.state}
        numbers[one] = new = m.insert("units", row | {"audit": unit.audit, "alike": unit.alike, "deaths": unit.deaths, "error": unit.error})
        m.note(one, new)
        for answer in theirs.answers(one):
            m.add(new, answer, answer.role, counts=answer.counts)


def _meet(m: _Merging, ours: _Tree, theirs: _Tree, unit: int, other: int, subject: int) -> None:
    """Hold against each other what two stores say of one unit, and of what follows from it."""
    m.note(other, unit)
    one, two = ours.standing(unit), theirs.standing(other)
    if two is None:
        return
    if one is None:
        _replace(m, ours, theirs, unit, other, subject)
    elif not (_is_same(one, two) or _are_comparable(one, two)):
        _choose(m, ours, theirs, unit, other, subject, lambda: _replace(m, ours, theirs, unit, other, subject))
    else:
        state, stands = _compare(m, ours, theirs, unit, other, one, two)
        if ours.below(unit).keys() == theirs.below(other).keys():
            _meet_all(m, ours, theirs, unit, other, subject)
        elif state == DONE and not audit.agree(one.result, two.result):  # what follows from an answer that was wrong is of no use
            if stands is two:
                _follow_theirs(m, ours, theirs, unit, other, subject)
            else:
                m.merged.left_out += sum(1 for _ in theirs.branch(other)) - 1
        else:
            _choose(m, ours, theirs, unit, other, subject, lambda: _follow_theirs(m, ours, theirs, unit, other, subject))


def _compare(m: _Merging, ours: _Tree, theirs: _Tree, unit: int, other: int, one: Stored, two: Stored) -> tuple[str, Stored]:
    """Add the answers to a unit that are new; return its state by all of them, and which one stands of those that do in the two stores."""
    was, there = ours.units[unit], theirs.units[other]
    known = ours.answers(unit)
    new = [answer for answer in theirs.answers(other) if not any(_is_same(answer, old) for old in known)]
    for answer in new:
        m.add(unit, answer, AUDIT if answer.role == FIRST else answer.role, counts=False)
    compared = any(answer.error is None for answer in new)
    if compared:
        m.merged.compared += 1
        m.merged.unlike += not audit.agree(one.result, two.result)
        said = [answer.result for answer in (*known, *new) if answer.error is None]
        if not all(audit.agree(said[0], result) for result in said):
            m.unlike.append(unit)
    if (parted := _parted(was, there)) is not None:
        m.become(unit, UNSETTLED, checked=True, error=parted)
        return UNSETTLED, one
    if was.state == SET_ASIDE and not compared:
        return was.state, one
    if _knows(two.result) > _knows(one.result) and audit.agree(one.result, two.result):
        m.stands(unit, two)
    state = m.ours.settle(unit).state
    stands = ours.standing(unit)
    assert stands is not None
    return state, two if _is_same(stands, two) else one


def _choose(m: _Merging, ours: _Tree, theirs: _Tree, unit: int, other: int, subject: int, take_theirs: Callable[[], None]) -> None:
    """Of two ways in which work was parted let the one stand that is further; both must say the same, as far as they are."""
    wrong = _contradiction(ours, theirs, unit, other)
    if theirs.progress(other) > ours.progress(unit):
        take_theirs()
    else:
        m.merged.left_out += sum(1 for _ in theirs.branch(other)) - 1
    error = _parted(ours.units[unit], theirs.units[other])
    if wrong is not None:
        m.merged.unlike += 1
        error = f"{m.paths[0].name} and {m.paths[1].name}: {wrong}; count the puzzle once more, in a new store"
    if error is not None:
        m.become(unit, UNSETTLED, checked=True, error=error)


def _parted(one: Unit, other: Unit) -> str | None:
    """Return why a unit cannot be settled, where a merge has found that before: the other way in which its work was parted is not there."""
    return next((unit.error for unit in (one, other) if unit.state == UNSETTLED and unit.error), None)


def _contradiction(ours: _Tree, theirs: _Tree, unit: int, other: int) -> str | None:
    """Say why what follows from a unit in one store cannot be right where the other is; None where it can."""
    one, two = ours.results(unit), theirs.results(other)
    if (why := contradiction(*(came_to([answer.result for answer in side]) for side in (one, two)))) is not None:
        return why
    if ours.done(unit) and theirs.done(other):
        found, again = _found(one), _found(two)
        for of in sorted(found.keys() & again.keys()):
            if found[of] != again[of]:
                return f"{found[of]:,} and {again[of]:,} solutions of the same work ({of}), split in two ways"
    return None


def _replace(m: _Merging, ours: _Tree, theirs: _Tree, unit: int, other: int, subject: int) -> None:
    """Let a unit, and all that follows from it, be as it is in their store."""
    m.draft.execute("DELETE FROM answers WHERE unit = ?", (unit,))
    for answer in theirs.answers(other):
        m.add(unit, answer, answer.role, counts=answer.counts)
    there = theirs.units[other]
    m.become(unit, there.state, checked=there.audit, error=there.error)
    _follow_theirs(m, ours, theirs, unit, other, subject)


def _follow_theirs(m: _Merging, ours: _Tree, theirs: _Tree, unit: int, other: int, subject: int) -> None:
    """Let what follows from a unit be what follows from it in their store, and its answer that stands theirs."""
    dropped = [*ours.branch(unit)][1:]
    for one in reversed(dropped):
        m.draft.execute("DELETE FROM answers WHERE unit = ?", (one,))
        m.draft.execute("DELETE FROM units WHERE id = ?", (one,))
    m.merged.left_out += len(dropped)
    two = theirs.standing(other)
    assert two is not None
    m.stands(unit, two)
    for below in theirs.below(other).values():
        _take_branch(m, theirs, below, unit, subject)
