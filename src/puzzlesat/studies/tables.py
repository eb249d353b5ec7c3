"""The table of a study: one row for each puzzle, with its verdict, how it was obtained, and what was published of it.

It is written as CSV, as JSON lines and as Markdown: the same text whenever it is made of the same store.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, Literal

from puzzlesat.base import PuzzleError, many
from puzzlesat.counting import Counts, Refutation, Verdict, judge_figures, number
from puzzlesat.formats import csv_lines
from puzzlesat.puzzles import BuiltInstance
from puzzlesat.studies import audit
from puzzlesat.studies.cover_parts import Part
from puzzlesat.studies.opening import chain_faults, faults_of
from puzzlesat.studies.store import DISPUTED, DONE, IS_LEFT, SET_ASIDE, UNSETTLED, Reader, UnitFound
from puzzlesat.studies.trust import trust_of
from puzzlesat.studies.units import CONTRADICTION, IMPOSSIBLE, NOT_DECIDED, NOTHING, SOLVABLE, WHOLE, Loaded, Result, Subject, came_to, look


@dataclass(frozen=True)
class Totals:
    """How far a count in parts is."""

    counts: Counts
    """What is known; all of it only where every unit is done."""
    complete: bool
    """Whether every part is counted, and nothing is in doubt."""
    found: int
    """Solutions in the parts done: a lower bound of ``all``."""
    share: float
    """How much of the work is done, by the estimates of what is left."""
    left: float
    """CPU seconds that are left, by these estimates."""
    burnside: bool | None
    """Whether Burnside's lemma confirms that ``distinct`` is a whole number; None where it is not known."""
    too_large: float | None = None
    """The CPU seconds that all of it would take, where a plan has found that to be more than it may."""
    parts: Mapping[str, list[Part]] = field(default_factory=dict)
    """For each problem of the puzzle, the parts that are done, where they were asked for."""
    problems: Mapping[str, set[str]] = field(default_factory=dict)
    """For each, the fingerprints of the problems that these are of: there must be one."""


class Sum:
    """What units of one count add up to so far, one after the other, in whatever order."""

    def __init__(self, *, with_parts: bool = True) -> None:
        self._with_parts = with_parts
        self._found: Counter[str] = Counter()
        self._parts: dict[str, list[Part]] = {}
        self._problems: dict[str, set[str]] = {}
        self._facts: Mapping[str, Any] | None = None
        self._all_done, self._spent, self._left = True, 0.0, 0.0
        self._too_large: float | None = None

    def add(self, unit: UnitFound) -> None:
        """Take a unit into account."""
        result = unit.result if unit.state == DONE else None
        self._spent += unit.cpu
        if result is None:
            self._all_done = False
            self._left += float(unit.estimate or 0.0)
            return
        self._facts = result.get("puzzle", self._facts)
        self._too_large = result.get("too_large", self._too_large)
        for group in result["parts"]:
            self._found[group["of"]] += group["found"]
            self._problems.setdefault(group["of"], set()).add(group["problem"])
            if self._with_parts:
                self._parts.setdefault(group["of"], []).extend(tuple(part) for part in group["parts"])

    def totals(self) -> Totals:
        """Return what they add up to."""
        facts, found, spent, left = self._facts, self._found, self._spent, self._left
        complete = self._all_done and facts is not None and self._too_large is None
        for name in () if facts is None or not self._with_parts else (problem for _, problem in facts["problem_of"]):
            self._parts.setdefault(name, [])
        share = 1.0 if complete else spent / (spent + left) if left else 0.0
        counts, burnside = _counts(facts, found) if complete and facts is not None else (Counts(), None)
        return Totals(counts, complete, found[WHOLE], share, left, burnside, self._too_large, self._parts, self._problems)


class InParts:
    """The counts in parts of one puzzle, each with the units that follow from its plan. Two plans, with other limits, are two counts."""

    def __init__(self, *, with_parts: bool = True) -> None:
        self._with_parts = with_parts
        self._plan: dict[int, int] = {}
        """For each unit, the plan that it follows from."""
        self._sums: dict[int, Sum] = {}

    def add(self, unit: UnitFound) -> None:
        """Take a unit into account: they come in the order of their numbers."""
        plan = self._plan[unit.unit] = self._plan.get(unit.parent or 0, unit.unit)
        if plan not in self._sums:
            self._sums[plan] = Sum(with_parts=self._with_parts)
        self._sums[plan].add(unit)

    def totals(self) -> list[Totals]:
        """Return what the units of each count add up to."""
        return [one.totals() for one in self._sums.values()]


def totals(units: Iterable[UnitFound]) -> Totals:
    """Return what the units of one count add up to."""
    added = Sum()
    for unit in units:
        added.add(unit)
    return added.totals()


def _counts(facts: Mapping[str, Any], found: Mapping[str, int]) -> tuple[Counts, bool]:
    """The counts that follow from what was found in each problem of a puzzle."""
    fixed = {symmetry: found.get(problem, 0) for symmetry, problem in facts["problem_of"]}
    all_, copies, turns = found.get(WHOLE, 0), facts["copies"], facts["turns"]
    none = None if all_ else 0
    labelled = 0 if not all_ else None if copies is None else all_ * copies
    return Counts(
        labelled=labelled,
        all=all_,
        distinct=sum(fixed.values()) // len(fixed),
        fixed=fixed,
        fixed_labelled=None if all_ else dict.fromkeys(fixed, 0),
        labelled_distinct=none,
        labelled_turns=0 if not all_ else None if labelled is None or turns is None else labelled * turns,
    ), sum(fixed.values()) % len(fixed) == 0


def outcome(known: Totals) -> dict[str, Any]:
    """Return what a count in parts came to, with the keys of the result of a whole puzzle; a count only where it is complete."""
    counts = known.counts
    verdict = SOLVABLE if known.found else IMPOSSIBLE if known.complete else NOT_DECIDED
    return {
        "verdict": verdict,
        **({"argument": "count"} if verdict == IMPOSSIBLE else {}),
        "labelled": counts.labelled,
        "all": counts.all,
        "distinct": counts.distinct,
        "agree": False if known.burnside is False else None,
    }


NEW: Final = "new"
Fate = Literal["confirmed", "refuted", "right in another convention", "new", "not known"]
"""What became of what was published of a puzzle; ``new``: nothing was, and now there is something to publish."""


def fate(expected: Sequence[Verdict], refuted: Sequence[Refutation], *, decided: bool) -> Fate:
    """Return in a word what became of what was published, the worst first."""
    words = [v.word for v in expected] + [r.word for r in refuted]
    if not words:
        return NEW if decided else Verdict.UNKNOWN
    return next(word for word in (Verdict.REFUTED, Verdict.ELSEWHERE, Verdict.CONFIRMED, Verdict.UNKNOWN) if word in words)


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
    def solvable(self) -> bool:
        """Whether it is known that there is a solution."""
        return self.verdict == SOLVABLE

    @property
    def impossible(self) -> bool:
        """Whether it is known that there is none."""
        return self.verdict == IMPOSSIBLE

    @property
    def contradicted(self) -> bool:
        """Whether answers contradict each other, or what is expected."""
        return self.fails or self.verdict in (CONTRADICTION, IN_DISPUTE)

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

    @property
    def in_short(self) -> str:
        """What more there is to say of the puzzle than the verdict: how many solutions, or why there is none."""
        if self.all is not None and self.verdict == SOLVABLE:
            distinct = "" if self.distinct is None else f", {self.distinct:,} distinct"
            return f"{many(self.all, 'solution')}{distinct}" + ("" if self.agree or self.audited_by else " (not checked)")
        return self.argument or "; ".join(self.sentences)

    @property
    def claims(self) -> list[str]:
        """A sentence for each published figure: that it is confirmed, or what is counted instead."""
        said = [v.words if v.fails else f"{v.what} {v.expected:,} {v.word}" for v in self.expected]
        return said + [r.words for r in self.refuted]

    @property
    def wrong_claims(self) -> list[str]:
        """A sentence for each published figure that is not right as it was published."""
        said = [v.words for v in self.expected if v.word in (Verdict.REFUTED, Verdict.ELSEWHERE)]
        return said + [r.words for r in self.refuted if r.word in (Verdict.REFUTED, Verdict.ELSEWHERE)]

    @property
    def fate_words(self) -> str:
        """What became of what was published, in a few words: ``all 148, distinct 37 confirmed; labelled 148 not known``."""
        by_word: dict[str, list[str]] = {}
        for v in self.expected:
            by_word.setdefault(v.word, []).append(f"{v.what.replace('_', ' ')} {v.expected:,}")
        for r in self.refuted:
            by_word.setdefault(r.word, []).append(f"{r.claim.what.replace('_', ' ')} {r.claim.published:,} by {r.claim.by}")
        order = [word for word in (Verdict.REFUTED, Verdict.ELSEWHERE, Verdict.CONFIRMED, Verdict.UNKNOWN) if word in by_word]
        return "; ".join(f"{', '.join(by_word[word])} {word}" for word in order) or self.fate

    @property
    def record(self) -> dict[str, Any]:
        """The row as the JSON object that docs/json.md describes. What is not known is None."""
        return {
            "puzzle": self.puzzle,
            "key": self.key,
            "family": self.family,
            "area": self.area,
            "complete": self.why is None,
            "why": self.why,
            "verdict": self.verdict,
            "how": self.how,
            "argument": self.argument,
            "sentences": list(self.sentences),
            "solution": list(self.solution) or None,
            "all": self.all,
            "distinct": self.distinct,
            "labelled": self.labelled,
            "agree": self.agree,
            "solvers": list(self.solvers),
            "audited_by": list(self.audited_by),
            "left": self.left,
            "once": self.once,
            "cpu": round(self.cpu, 3),
            "published": self.published or None,
            "fate": self.fate,
            "expected": [v.as_json() for v in self.expected],
            "refuted": [r.as_json() for r in self.refuted],
        }

    @property
    def cells(self) -> dict[str, Any]:
        """The values of the columns of a table: numbers, texts and lists."""
        found = self.record | {"claims": self.claims}
        return {key: found[key] for key in COLUMNS}


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
    for place, subject in subjects:
        try:
            row = row_of(store, place, subject, broken)
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
    expected, refuted = judge_figures(expect, counts, least, tuple(units.solvers))
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
        expected=expected,
        refuted=refuted,
        faults=wrong,
        in_parts=any(count.complete for count in units.counts),
    )


def built_puzzles(store: Reader, rows: Sequence[Row]) -> Iterator[tuple[Row, BuiltInstance]]:
    """Yield the puzzle of each row."""
    subjects = {subject.key: subject for _, subject in store.subjects()}
    for row in rows:
        yield row, Loaded(subjects[row.key]).built()


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


COLUMNS = (
    "puzzle", "family", "area", "verdict", "all", "distinct", "labelled", "argument", "solvers", "audited_by", "agree", "left", "cpu",
    "published", "fate", "claims", "solution", "sentences",
)  # fmt: skip
"""The columns of the CSV file."""
NEXT_TO_EACH_OTHER = {"solvers": ",", "audited_by": ",", "solution": " ", "sentences": " ", "claims": "; "}
"""What stands between the members of a list in one cell."""


def table_lines(suffix: str, title: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a file with the table, by the suffix of its name: ``.csv``, ``.jsonl`` (an object a puzzle) or ``.md``."""
    if suffix == ".csv":
        return csv_lines(COLUMNS, map(_as_text, rows))
    if suffix == ".jsonl":
        return (json.dumps(row.record, ensure_ascii=False) + "\n" for row in rows)
    return _markdown_lines(title, rows)


def _as_text(row: Row) -> dict[str, object]:
    """The cells with lists as text."""
    return {key: NEXT_TO_EACH_OTHER[key].join(value or ()) if key in NEXT_TO_EACH_OTHER else value for key, value in row.cells.items()}


# Markdown --------------------------------------------------------------------------------------------------------------------


def _markdown_lines(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a Markdown page: what became of how many, what was published wrongly, what is open, a table a family."""
    yield f"# {_plain(title)}\n\n{_plain(summary(rows))}\n"
    wrong = [row for row in rows if row.fate in (Verdict.REFUTED, Verdict.ELSEWHERE)]
    yield from _listed("Not as it was published", wrong, lambda row: "; ".join(row.wrong_claims))
    yield from _listed("Open", [row for row in rows if not row.decided], lambda row: row.verdict)
    for family, own in groupby(sorted(rows, key=lambda row: row.family), key=lambda row: row.family):
        yield from _family(family, list(own))


def summary(rows: Sequence[Row]) -> str:
    """Return in a sentence what became of all puzzles."""
    verdicts = Counter(row.verdict for row in rows)
    arguments = Counter(row.argument or SEARCH for row in rows if row.verdict == IMPOSSIBLE)
    counted = sum(row.verdict == SOLVABLE and row.all is not None for row in rows)
    words = []
    if solvable := verdicts.pop(SOLVABLE, 0):
        words.append(f"{solvable:,} solvable" + (f", {counted:,} of them counted" if counted else ""))
    if impossible := verdicts.pop(IMPOSSIBLE, 0):
        words.append(f"{impossible:,} impossible ({', '.join(f'{n:,} {a}' for a, n in _in_order(arguments))})")
    words += [f"{n:,} {verdict}" for verdict, n in _in_order(verdicts)]
    return f"{many(len(rows), 'puzzle')}{': ' if words else ''}{'; '.join(words)}."


def _in_order(counted: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first; those as frequent by name."""
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def _listed(heading: str, rows: Sequence[Row], says: Callable[[Row], str]) -> Iterator[str]:
    if rows:
        yield f"\n## {heading}\n\n"
        for row in rows:
            yield f"- {_plain(row.puzzle)}: {_plain(says(row))}\n"


HEADINGS = ("puzzle", "area", "verdict", "all", "distinct", "how it was obtained", "what was published")
NUMERIC = ("area", "all", "distinct")


def _family(family: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"\n## {_plain(family)}\n\n{_plain(summary(rows))}\n\n"
    yield f"| {' | '.join(HEADINGS)} |\n"
    yield f"| {' | '.join('---:' if heading in NUMERIC else '---' for heading in HEADINGS)} |\n"
    for row in rows:
        cells = (row.puzzle, f"{row.area:,}", row.verdict, number(row.all), number(row.distinct), row.how or number(None), row.fate_words)
        yield f"| {' | '.join(map(_plain, cells))} |\n"


def _plain(text: str) -> str:
    """A text in which nothing means anything to Markdown, or to HTML."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|" else " " if letter in "\r\n" else letter for letter in text)
