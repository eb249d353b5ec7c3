"""The table of a study: a row a puzzle, with what became of it, how that was obtained, and what was published of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from puzzlesat.counting.report_json import refutation_as_json, verdict_as_json
from puzzlesat.counting.verdict import Refutation, Verdict
from puzzlesat.runs import audit
from puzzlesat.runs.faults import faults
from puzzlesat.runs.jobs import Subject
from puzzlesat.runs.published import Fate, fate, refutations, verdicts
from puzzlesat.runs.steps import IMPOSSIBLE, NOT_DECIDED, NOTHING, SOLVABLE, came_to
from puzzlesat.runs.store import DISPUTED, DONE, LEFT, SET_ASIDE, UNSETTLED, Reader, Stored, Unit
from puzzlesat.runs.subjects import look
from puzzlesat.runs.totals import UnitOfParts, outcome

NOT_BEGUN: Final = "not begun"
IN_DISPUTE: Final = "disputed"
"""Two answers to one of its units differ, and no third one has settled that."""
SEARCH = "search"
PARTS = "parts"


@dataclass(frozen=True)
class Row:
    """What a study found out about one puzzle. Everything is read from its store: two tables of one store are the same."""

    puzzle: str
    key: str
    """The same only for the same puzzle."""
    family: str
    area: int
    """Faces that must be covered, or whatever the grid is made of."""
    verdict: str
    argument: str | None
    """Why it is impossible."""
    sentences: tuple[str, ...]
    solution: tuple[str, ...]
    """A solution, by names of placements; nothing where none is known."""
    all: int | None
    distinct: int | None
    labelled: int | None
    agree: bool | None
    """Whether an independent solver confirmed a count, at least in part."""
    solvers: tuple[str, ...]
    """Those whose answers stand."""
    audited_by: tuple[str, ...]
    """Those who found the same once more."""
    left: int
    """Units that are not done yet, or that nobody could do."""
    cpu: float
    """Seconds, of all answers."""
    published: str
    expected: tuple[Verdict, ...] = ()
    refuted: tuple[Refutation, ...] = ()
    faults: tuple[str, ...] = ()
    """What cannot be so of its units in the store: then nothing of it is believed."""

    @property
    def decided(self) -> bool:
        """Whether it is known if there is a solution."""
        return self.verdict in (IMPOSSIBLE, SOLVABLE)

    @property
    def fate(self) -> Fate:
        """What became of what was published."""
        return fate(self.expected, self.refuted, decided=self.decided)

    @property
    def fails(self) -> bool:
        """Whether the instance must be mended, or a count."""
        return any(v.fails for v in self.expected) or any(r.fails for r in self.refuted)

    @property
    def how(self) -> str:
        """How the verdict, or the count, was obtained, in a few words."""
        by = ", ".join(self.solvers)
        if self.verdict == IMPOSSIBLE:
            said = self.argument or SEARCH
        elif self.all is not None:
            said = f"counted by {by}" if by else "counted"
            said += ", confirmed" if self.agree else ""
        elif self.solution:
            said = f"a solution by {by}" if by else "a solution"
        else:
            return ""
        return said + (f"; done again by {', '.join(self.audited_by)}" if self.audited_by else "")


def done_before(store: Reader) -> tuple[int, int]:
    """Return the number of the latest answer that will stay, and how many subjects are done.

    What says why a unit could not be done goes with it, where another takes its place; the next answer may have its number.
    """
    latest = store.connection.execute("SELECT max(id) FROM answers WHERE error IS NULL").fetchone()[0] or 0
    left = "SELECT 1 FROM units WHERE subject = subjects.id AND state != ?"
    return latest, store.connection.execute(f"SELECT count(*) FROM subjects WHERE NOT EXISTS ({left})", (DONE,)).fetchone()[0]


def finished(store: Reader, since: int) -> tuple[int, list[int]]:
    """Return the number of the latest answer, and the subjects that got answers after the one of number ``since`` and have nothing left."""
    latest = store.connection.execute("SELECT max(id) FROM answers").fetchone()[0] or 0
    left = f"SELECT 1 FROM units AS other WHERE other.subject = units.subject AND state IN ({', '.join('?' * len(LEFT))})"
    found = store.connection.execute(
        f"SELECT DISTINCT subject FROM answers CROSS JOIN units ON units.id = answers.unit WHERE answers.id > ? AND NOT EXISTS ({left})",
        (since, *LEFT),
    )
    return latest, [number for (number,) in found]


def table(store: Reader) -> Iterator[Row]:
    """Yield the rows of a store, by family and name, however it was done and in whatever order.

    Raises PuzzleError for a subject that this version of the program does not take any more.
    """
    subjects = sorted(store.subjects(), key=lambda pair: (_natural(family_of(pair[1])), _natural(pair[1].name), pair[1].key))
    for number, subject in subjects:
        yield row_of(store, number, subject)


def row_of(store: Reader, number: int, subject: Subject) -> Row:
    """Return the row of one subject."""
    with store.at_one_moment():
        units = list(store.units(number))
        answers = {unit.id: list(store.answers(unit.id, standing=False)) for unit in units}
        follows = store.follows(number)
    return make_row(subject, units, answers, follows)


def make_row(subject: Subject, units: Sequence[Unit], answers: Mapping[int, Sequence[Stored]], follows: Mapping[int, int]) -> Row:
    """Return the row of a puzzle with these units, in the order of their numbers, and all answers to each.

    What the file of the store cannot be believed in (``follows``: see ``faults``) is in dispute.
    """
    file, grid, form = look(subject)
    standing = standing_of(answers)
    found = _found(units, answers, standing)
    wrong = tuple(faults(units, answers, follows))
    if wrong:
        found |= {**NOTHING, "verdict": IN_DISPUTE, "sentences": [f"the store was changed or damaged: {said}" for said in wrong]}
    counts = {what: found.get(what) for what in ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")}
    if found["verdict"] == IMPOSSIBLE:
        counts = dict.fromkeys(counts, 0)
    least = 1 if found["verdict"] == SOLVABLE else 0
    solvers = _names(answer for answer in standing.values() if _says_something(answer))
    again = _names(
        answer
        for number, answer in _others(answers)
        if number in standing and answer.error is None and audit.confirms(standing[number].result, answer.result)
    )
    expect = file.expect
    return Row(
        puzzle=name_of(subject),
        key=subject.key,
        family=family_of(subject),
        area=sum(grid.atoms[atom[-1]].kind == grid.main_kind for atom in form.required),
        verdict=found["verdict"],
        argument=found.get("argument"),
        sentences=tuple(found.get("sentences") or ()),
        solution=tuple(found.get("solution") or ()),
        all=counts["all"],
        distinct=counts["distinct"],
        labelled=counts["labelled"],
        agree=found.get("agree"),
        solvers=solvers,
        audited_by=again,
        left=sum(unit.state != DONE for unit in units),
        cpu=sum(answer.cpu for some in answers.values() for answer in some),
        published=expect.published,
        expected=verdicts(expect, counts, least),
        refuted=refutations(expect, counts, least, solvers),
        faults=wrong,
    )


def name_of(subject: Subject) -> str:
    """Return the name of a subject without its family."""
    return subject.name.rpartition("/")[2]


def family_of(subject: Subject) -> str:
    """Return the family of a subject: what stands before the last ``/`` of its name, else its model, else its grid."""
    before, slash, _ = subject.name.rpartition("/")
    return before if slash else str(subject.table.get("model") or subject.table.get("grid") or "")


def standing_of(answers: Mapping[int, Sequence[Stored]]) -> dict[int, Stored]:
    """Return of the answers to each unit the one that stands and says something, by the numbers of the units."""
    return {number: answer for number, some in answers.items() for answer in some if answer.counts and answer.error is None}


def _found(units: Sequence[Unit], answers: Mapping[int, Sequence[Stored]], standing: Mapping[int, Stored]) -> dict[str, Any]:
    """What the units of a puzzle come to together."""
    results = [standing[unit.id].result for unit in units if unit.id in standing and unit.task["do"] != PARTS]
    counts = [outcome(group) for group in counts_in_parts(units, answers)]
    found = dict(came_to([*results, *counts]))
    if any(unit.state in (DISPUTED, UNSETTLED) for unit in units):
        return found | {"verdict": IN_DISPUTE, "all": None, "distinct": None, "labelled": None}
    if found["verdict"] == NOT_DECIDED:
        if not standing:
            found["verdict"] = NOT_BEGUN
        found["sentences"] = list(dict.fromkeys(unit.error for unit in units if unit.state == SET_ASIDE and unit.error))
    return found


def counts_in_parts(units: Sequence[Unit], answers: Mapping[int, Sequence[Stored]]) -> Iterable[list[UnitOfParts]]:
    """Return the units of each count in parts: those that follow from one plan. Two plans, with different limits, are two counts.

    All those of one puzzle are given in the order of their numbers, and all answers to each by its number.
    """
    standing = standing_of(answers)
    groups: dict[int, list[UnitOfParts]] = {}
    plan: dict[int, int] = {}
    for unit in units:
        if unit.task["do"] == PARTS:
            plan[unit.id] = first = plan.get(unit.parent or 0, unit.id)
            result = standing[unit.id].result if unit.id in standing else None
            groups.setdefault(first, []).append(UnitOfParts(unit.task, unit.state, result, _cpu(answers[unit.id])))
    return groups.values()


def _others(answers: Mapping[int, Sequence[Stored]]) -> Iterator[tuple[int, Stored]]:
    """The answers that do not stand, with the numbers of their units."""
    return ((number, answer) for number, some in answers.items() for answer in some if not answer.counts)


def _says_something(answer: Stored) -> bool:
    return answer.result.get("verdict") != NOT_DECIDED and answer.result.get("parts") != []


def _names(answers: Iterable[Stored]) -> tuple[str, ...]:
    """Who gave some answers, each once, in their order."""
    return tuple(dict.fromkeys(answer.solver for answer in answers if answer.solver))


def _cpu(answers: Sequence[Stored]) -> float:
    return sum(answer.cpu for answer in answers)


def _natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """What names are sorted by, so that 10 comes after 9."""
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part.casefold()) for part in re.split(r"(\d+)", name))


def row_as_json(row: Row) -> dict[str, Any]:
    """Return a row as the JSON object that docs/json.md describes. What is not known is None."""
    return {
        "puzzle": row.puzzle,
        "key": row.key,
        "family": row.family,
        "area": row.area,
        "verdict": row.verdict,
        "how": row.how,
        "argument": row.argument,
        "sentences": list(row.sentences),
        "solution": list(row.solution) or None,
        "all": row.all,
        "distinct": row.distinct,
        "labelled": row.labelled,
        "agree": row.agree,
        "solvers": list(row.solvers),
        "audited_by": list(row.audited_by),
        "left": row.left,
        "cpu": round(row.cpu, 3),
        "published": row.published or None,
        "fate": row.fate,
        "expected": [verdict_as_json(v) for v in row.expected],
        "refuted": [refutation_as_json(r) for r in row.refuted],
    }
