"""The table of a study: a row a puzzle, with what became of it, how that was obtained, and what was published of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from puzzlesat.counting.report_json import refutation_as_json, verdict_as_json
from puzzlesat.counting.verdict import Refutation, Verdict
from puzzlesat.errors import PuzzleError, many
from puzzlesat.runs import audit
from puzzlesat.runs.faults import chain_faults, faults_of
from puzzlesat.runs.jobs import Subject
from puzzlesat.runs.published import Fate, fate, refutations, verdicts
from puzzlesat.runs.schema import IS_LEFT
from puzzlesat.runs.steps import IMPOSSIBLE, NOT_DECIDED, NOTHING, SOLVABLE, Result, came_to
from puzzlesat.runs.store import DISPUTED, DONE, SET_ASIDE, UNSETTLED, Reader
from puzzlesat.runs.subjects import look
from puzzlesat.runs.totals import InParts, Totals, outcome
from puzzlesat.runs.trust import trust_of

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
    """Whether a count is confirmed: by evidence that was checked, or by other processes, for each of its units; False: contradicted."""
    solvers: tuple[str, ...]
    """Those whose answers stand."""
    audited_by: tuple[str, ...]
    """Those who found the same once more."""
    left: int
    """Units that are not done yet, or that nobody could do."""
    once: int
    """Units that rest on the word of one process."""
    cpu: float
    """Seconds, of all answers."""
    published: str
    expected: tuple[Verdict, ...] = ()
    refuted: tuple[Refutation, ...] = ()
    faults: tuple[str, ...] = ()
    """What cannot be so of its units in the store: then nothing of it is believed."""
    in_parts: bool = False
    """Whether it was counted in parts to the end: these must be all of it, each once."""

    @property
    def decided(self) -> bool:
        """Whether it is known if there is a solution."""
        return self.verdict in (IMPOSSIBLE, SOLVABLE)

    @property
    def why(self) -> str | None:
        """Why it is not known if there is a solution, or units of it are left, in a sentence; None where all is done."""
        if not self.decided:
            return "; ".join([self.verdict, *self.sentences])
        return f"{many(self.left, 'unit')} left" if self.left else None

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
    left = f"SELECT 1 FROM units AS other WHERE other.subject = units.subject AND other.{IS_LEFT}"
    found = store.connection.execute(
        f"SELECT DISTINCT subject FROM answers CROSS JOIN units ON units.id = answers.unit WHERE answers.id > ? AND NOT EXISTS ({left})",
        (since,),
    )
    return latest, [number for (number,) in found]


def table(store: Reader) -> Iterator[Row]:
    """Yield the rows of a store, by family and name, however it was done and in whatever order; where its chain is broken none is believed.

    Raises PuzzleError for a subject that this version of the program does not take any more.
    """
    subjects = sorted(store.subjects(), key=lambda pair: (_natural(family_of(pair[1])), _natural(pair[1].name), pair[1].key))
    broken = chain_faults(store)
    for number, subject in subjects:
        try:
            row = row_of(store, number, subject, broken)
        except PuzzleError as error:
            if not broken:
                raise
            raise PuzzleError(f"{store.path}: it was changed or damaged ({broken[0]}); use an older copy of it") from error
        yield row


def row_of(store: Reader, number: int, subject: Subject, broken: Sequence[str] = ()) -> Row:
    """Return the row of one subject. What the file of the store cannot be believed in (see ``faults``) is in dispute.

    ``broken``: what is wrong with the chain of all answers.
    """
    file, grid, form = look(subject)
    with store.at_one_moment():
        units = _units(store, number)
        wrong = (*broken, *faults_of(store, number))
        again = _again(store, number)
        trust = trust_of(store, number)
    found = _found(units)
    if wrong:
        found |= {**NOTHING, "verdict": IN_DISPUTE, "sentences": [f"the store was changed or damaged: {said}" for said in wrong]}
    counts = {what: found.get(what) for what in ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")}
    if found["verdict"] == IMPOSSIBLE:
        counts = dict.fromkeys(counts, 0)
    least = 1 if found["verdict"] == SOLVABLE else 0
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
        agree=False if found.get("agree") is False else True if found.get("all") is not None and trust.full else None,
        once=trust.once,
        solvers=tuple(units.solvers),
        audited_by=again,
        left=units.left,
        cpu=units.cpu,
        published=expect.published,
        expected=verdicts(expect, counts, least),
        refuted=refutations(expect, counts, least, tuple(units.solvers)),
        faults=wrong,
        in_parts=any(count.complete for count in units.counts),
    )


def why_open(rows: Sequence[Row], *, count: bool) -> str | None:
    """Return of how many puzzles it is not known what was asked, in a sentence; None where all is known."""
    undecided = sum(not row.decided for row in rows)
    uncounted = sum(count and row.decided and row.all is None for row in rows)
    said = [f"{many(n, 'puzzle')} not {what}" for n, what in ((undecided, "decided"), (uncounted, "counted")) if n]
    return "; ".join(said) or None


def name_of(subject: Subject) -> str:
    """Return the name of a subject without its family."""
    return subject.name.rpartition("/")[2]


def family_of(subject: Subject) -> str:
    """Return the family of a subject: what stands before the last ``/`` of its name, else its model, else its grid."""
    before, slash, _ = subject.name.rpartition("/")
    return before if slash else str(subject.table.get("model") or subject.table.get("grid") or "")


@dataclass
class _Units:
    """What the units of a puzzle came to, taken one after the other: there may be a million."""

    results: list[Result] = field(default_factory=list)
    """Those that say something of the whole puzzle."""
    counts: list[Totals] = field(default_factory=list)
    """What its counts in parts add up to."""
    solvers: dict[str, None] = field(default_factory=dict)
    begun: bool = False
    """Whether there is an answer that stands."""
    doubted: bool = False
    """Whether answers differ, and that is not settled."""
    why: list[str] = field(default_factory=list)
    """Why units were set aside."""
    left: int = 0
    cpu: float = 0.0


def _units(store: Reader, subject: int) -> _Units:
    """Go through the units of a puzzle."""
    units, counts = _Units(), InParts(with_parts=False)
    for unit in store.found(subject):
        units.left += unit.state != DONE
        units.cpu += unit.cpu
        units.doubted = units.doubted or unit.state in (DISPUTED, UNSETTLED)
        if unit.do == PARTS:
            counts.add(unit)
        if unit.result is None:
            continue
        units.begun = True
        if unit.do != PARTS and not NOTHING.keys().isdisjoint(unit.result):
            units.results.append(unit.result)
        if unit.solver and _says_something(unit.result):
            units.solvers[unit.solver] = None
    units.counts = counts.totals()
    aside = store.connection.execute("SELECT error FROM units WHERE subject = ? AND state = ? ORDER BY id", (subject, SET_ASIDE))
    units.why = list(dict.fromkeys(error for (error,) in aside if error))
    return units


def _found(units: _Units) -> dict[str, Any]:
    """What the units of a puzzle come to together."""
    found = dict(came_to([*units.results, *map(outcome, units.counts)]))
    if units.doubted:
        return found | {"verdict": IN_DISPUTE, "all": None, "distinct": None, "labelled": None}
    if found["verdict"] == NOT_DECIDED:
        if not units.begun:
            found["verdict"] = NOT_BEGUN
        found["sentences"] = units.why
    return found


def _again(store: Reader, subject: int) -> tuple[str, ...]:
    """Who found the same once more as an answer that stands, each once, in their order."""
    names: dict[str, None] = {}
    for _, answers in store.units_with_answers(subject, several=True):
        said = [answer for answer in answers if answer.error is None]
        standing = next((answer for answer in said if answer.counts), None)
        others = (answer for answer in said if standing is not None and not answer.counts and answer.solver)
        names.update((other.solver, None) for other in others if standing and audit.confirms(standing.result, other.result))
    return tuple(names)


def _says_something(result: Result) -> bool:
    return result.get("verdict") != NOT_DECIDED and result.get("parts") != []


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
        "complete": row.why is None,
        "why": row.why,
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
        "once": row.once,
        "cpu": round(row.cpu, 3),
        "published": row.published or None,
        "fate": row.fate,
        "expected": [verdict_as_json(v) for v in row.expected],
        "refuted": [refutation_as_json(r) for r in row.refuted],
    }
