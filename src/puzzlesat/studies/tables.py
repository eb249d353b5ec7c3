"""The table of a study: one row for each puzzle, with its verdict, the way to it, and a comparison with published figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from puzzlesat.base import many
from puzzlesat.counting import Refutation, Verdict, judge_figures
from puzzlesat.puzzles import BuiltInstance, InstanceFile, form_from_table
from puzzlesat.studies.settle import ASIDE, OPEN, PuzzleUnits
from puzzlesat.studies.units import COUNTS, Findings, Loaded, Subject, opened

NEW: Final = "new"
AS_EXPECTED: Final = "as expected, but not confirmed"
"""The fate of a published figure that equals a count which no other solver or evidence confirms."""
FATES = (Verdict.REFUTED, Verdict.ELSEWHERE, Verdict.CONFIRMED, AS_EXPECTED, Verdict.UNKNOWN)
"""The fates of published figures, the worst first."""
NOT_BEGUN: Final = "not begun"
IN_DISPUTE: Final = "disputed"
"""The verdict on a puzzle with a unit whose answers differ, until a third answer settles it, and on all puzzles of a damaged store."""
SEARCH = "search"


@dataclass(frozen=True)
class PuzzleRow:
    """The results of a study for one puzzle, all of which come from the store.

    ``area`` is the number of atoms of the grid's main kind, such as faces, that a solution must cover. ``argument`` tells why the puzzle is
    impossible; ``solution`` consists of names of placements. ``agree`` is True if evidence or solvers that share no search code confirm
    each unit of the count, and False if it is contradicted. ``solvers`` gave the first answers, and ``confirmed_by`` the second ones.
    ``once`` is the number of units that one process alone has counted, and ``left`` the number of units that are not settled. ``cpu`` are
    the seconds of all answers. ``differ`` has a sentence for each unit whose answers contradict each other, with process and host of each.
    """

    puzzle: str
    subject: Subject = field(repr=False)
    family: str
    area: int
    verdict: str
    argument: str | None
    sentences: tuple[str, ...]
    solution: tuple[str, ...]
    all: int | None
    distinct: int | None
    labelled: int | None
    agree: bool | None
    solvers: tuple[str, ...]
    confirmed_by: tuple[str, ...]
    left: int
    once: int
    cpu: float
    published: str
    expected: tuple[Verdict, ...] = ()
    refuted: tuple[Refutation, ...] = ()
    differ: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Identifies the puzzle."""
        return self.subject.key

    def built(self) -> BuiltInstance:
        """Return the puzzle."""
        return Loaded(self.subject).built()

    @property
    def decided(self) -> bool:
        """True if the existence of a solution is decided."""
        return self.verdict in ("impossible", "solvable")

    @property
    def contradicted(self) -> bool:
        """True if answers contradict each other or the expected figures."""
        return self.fails or self.verdict in ("contradiction", IN_DISPUTE)

    @property
    def why(self) -> str | None:
        """Why the puzzle is not decided, or how many units are left, in a sentence; None if all is done."""
        if not self.decided:
            return "; ".join([self.verdict, *self.sentences])
        return f"{many(self.left, 'unit')} left" if self.left else None

    @property
    def figures(self) -> list[Verdict | Refutation]:
        """The published figures, each judged by the counts."""
        return [*self.expected, *self.refuted]

    @property
    def fates(self) -> dict[str, list[str]]:
        """The published figures by their fates, the worst first. A figure is confirmed only if its count is."""
        figures = [(self._word(v), f"{v.what.replace('_', ' ')} {v.expected:,}") for v in self.expected]
        figures += [(self._word(r), f"{r.claim.what.replace('_', ' ')} {r.claim.published:,} by {r.claim.by}") for r in self.refuted]
        return {fate: own for fate in FATES if (own := [figure for word, figure in figures if word == fate])}

    def _word(self, figure: Verdict | Refutation) -> str:
        return AS_EXPECTED if figure.word == Verdict.CONFIRMED and not self.agree else figure.word

    @property
    def fate(self) -> str:
        """The worst fate of the published figures; ``new`` if the puzzle is decided and nothing was published about it."""
        return next(iter(self.fates), NEW if self.decided else Verdict.UNKNOWN)

    @property
    def fails(self) -> bool:
        """True if the instance or a count must be corrected."""
        return any(figure.fails for figure in self.figures)

    @property
    def how(self) -> str:
        """The solvers or the argument behind the verdict or the count, in a few words."""
        by = f" by {', '.join(self.solvers)}" if self.solvers else ""
        if self.verdict == "impossible":
            words = self.argument or SEARCH
        elif self.all is not None:
            words = f"counted{by}{', confirmed' if self.agree else ''}"
        elif self.solution:
            words = f"a solution{by}"
        else:
            return ""
        again = [name for name in self.confirmed_by if name not in self.solvers] or ["a second process"]
        return words + (f"; again by {', '.join(again)}" if self.confirmed_by else "; counted once" if self.once else "")

    @property
    def claims(self) -> list[str]:
        """A sentence for each published figure, with its fate or with the number that was counted instead."""
        sentences = [v.words if v.fails else f"{v.what} {v.expected:,} {self._word(v)}" for v in self.expected]
        return sentences + [r.words for r in self.refuted]

    @property
    def record(self) -> dict[str, Any]:
        """The row as the JSON object that docs/json.md describes; None for unknown values."""
        own: dict[str, Any] = {"complete": self.why is None, "cpu": round(self.cpu, 3), "solution": self.solution or None}
        own |= {"published": self.published or None}
        own |= {"expected": [v.as_json() for v in self.expected], "refuted": [r.as_json() for r in self.refuted]}
        values = {key: own[key] if key in own else getattr(self, key) for key in KEYS}
        return {key: [*value] if isinstance(value, tuple) else value for key, value in values.items()}

    @property
    def cells(self) -> dict[str, Any]:
        """The values of the columns of a table: numbers, texts and lists."""
        values = self.record | {"claims": self.claims}
        return {key: values[key] for key in COLUMNS}


KEYS = (
    "puzzle", "key", "family", "area", "complete", "why", "verdict", "how", "argument", "sentences", "solution", "all", "distinct",
    "labelled", "agree", "solvers", "confirmed_by", "left", "differ", "once", "cpu", "published", "fate", "expected", "refuted",
)  # fmt: skip
"""The keys of the JSON object of a row."""


def row_of(subject: Subject, known: PuzzleUnits, faults: Sequence[str] = ()) -> PuzzleRow:
    """Return the row of one puzzle with its units; it is in dispute if the store has ``faults``."""
    file, area = _file_and_area(subject)
    units, findings = known.units, known.findings
    settled = [unit for unit in units if unit.settled]
    if faults:
        findings = Findings(IN_DISPUTE, sentences=tuple(f"the store was changed or damaged: {fault}" for fault in faults))
    elif findings.verdict == "not decided":
        why = dict.fromkeys(str(unit.why) for unit in units if unit.state == ASIDE and unit.why)
        differ = any(unit.differs for unit in units if unit.state in (OPEN, ASIDE))
        begun = "not decided" if any(unit.answers for unit in units) else NOT_BEGUN
        findings = replace(findings, verdict=IN_DISPUTE if differ else begun, sentences=tuple(why))
    counts: dict[str, int | None] = {what: 0 if findings.verdict == "impossible" else findings.counts.get(what) for what in COUNTS}
    counting = [unit for unit in settled if unit.claim is not None and (unit.claim.counts or unit.question.find == "part")]
    confirmed = "all" in findings.counts and all(unit.confirmed for unit in counting)
    solvers, second = ([unit.settled[place].solver for unit in settled if len(unit.settled) > place] for place in (0, 1))
    expected, refuted = judge_figures(file.expect, counts, int(findings.verdict == "solvable"), _names(solvers))
    return PuzzleRow(
        puzzle=name_of(subject), subject=subject, family=family_of(subject), area=area,
        verdict=findings.verdict, argument=findings.argument, sentences=findings.sentences, solution=findings.solution,
        all=counts["all"], distinct=counts["distinct"], labelled=counts["labelled"],
        agree=False if findings.verdict == "contradiction" else True if confirmed else None,
        solvers=_names(solvers), confirmed_by=_names(second), left=sum(unit.state in (OPEN, ASIDE) for unit in units),
        once=sum(unit.once for unit in settled), cpu=sum(unit.cpu for unit in units),
        published=file.expect.published, expected=expected, refuted=refuted,
        differ=tuple(unit.dispute for unit in units if unit.differs),
    )  # fmt: skip


def _file_and_area(subject: Subject) -> tuple[InstanceFile, int]:
    """Return the file of a subject and the area of its form. Its tiles may take far longer to make, and are not made."""
    with opened(subject) as (file, path, library):
        model = None if file.model is None else library.model(file.model, path)[0]
        grid = library.grid_of(file.grid or (model.grid if model else ""), path)
        form = form_from_table(grid, file.form, may_cross=file.may_cross or (model is not None and model.may_cross))
        return file, sum(grid.atoms[atom[-1]].kind == grid.main_kind for atom in form.required)


def _names(solvers: Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, dict.fromkeys(solvers)))


def why_open(rows: Sequence[PuzzleRow], *, count: bool) -> str | None:
    """Return in a sentence how many puzzles are not decided or, with ``count``, not counted; None if all are."""
    undecided = sum(not row.decided for row in rows)
    uncounted = sum(count and row.decided and row.all is None for row in rows)
    return "; ".join(f"{many(n, 'puzzle')} not {what}" for n, what in ((undecided, "decided"), (uncounted, "counted")) if n) or None


def name_of(subject: Subject) -> str:
    """Return the name of a subject without its family."""
    return subject.name.rpartition("/")[2]


def family_of(subject: Subject) -> str:
    """Return the family of a subject: the part of its name before the last ``/``, else its model, else its grid."""
    before, slash, _ = subject.name.rpartition("/")
    return before if slash else str(subject.table.get("model") or subject.table.get("grid") or "")


def order_of(subject: Subject) -> tuple[object, ...]:
    """Return a key to sort puzzles by family and name; numbers in names are sorted by value, so that 10 comes after 9."""
    parts = [re.split(r"(\d+)", name) for name in (family_of(subject), subject.name)]
    natural = [[(part.isdecimal(), int(part) if part.isdecimal() else 0, part.casefold()) for part in own] for own in parts]
    return *natural, subject.key


COLUMNS = (
    "puzzle", "family", "area", "verdict", "all", "distinct", "labelled", "argument", "solvers", "confirmed_by", "agree", "left", "cpu",
    "published", "fate", "claims", "solution", "sentences",
)  # fmt: skip
"""The columns of the CSV file."""


def summary(rows: Sequence[PuzzleRow]) -> str:
    """Return in a sentence how many puzzles have each verdict."""
    numbers, words = numbers_of(rows), []
    verdicts, arguments = numbers["verdicts"], numbers["arguments"]
    if solvable := verdicts.pop("solvable", 0):
        words.append(f"{solvable:,} solvable" + (f", {numbers['counted']:,} of them counted" if numbers["counted"] else ""))
    if impossible := verdicts.pop("impossible", 0):
        words.append(f"{impossible:,} impossible ({', '.join(f'{n:,} {argument}' for argument, n in arguments.items())})")
    words += [f"{n:,} {verdict}" for verdict, n in verdicts.items()]
    return f"{many(len(rows), 'puzzle')}{': ' if words else ''}{'; '.join(words)}."


def numbers_of(rows: Sequence[PuzzleRow]) -> dict[str, Any]:
    """Return the numbers of all puzzles, of puzzles by verdict, of counted solvable puzzles, and of impossible puzzles by argument."""
    arguments = by_number(row.argument or SEARCH for row in rows if row.verdict == "impossible")
    counted = sum(row.verdict == "solvable" and row.all is not None for row in rows)
    return {"puzzles": len(rows), "verdicts": by_number(row.verdict for row in rows), "counted": counted, "arguments": arguments}


def by_number(words: Iterable[str]) -> dict[str, int]:
    """Count words: the most frequent first, equally frequent ones by name."""
    return dict(sorted(Counter(words).items(), key=lambda pair: (-pair[1], pair[0])))
