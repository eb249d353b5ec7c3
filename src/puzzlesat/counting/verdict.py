"""Compare the counts with the figures that an instance expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from puzzlesat.base import PuzzleError
from puzzlesat.counting.conventions import KEYS, Convention, conventions
from puzzlesat.counting.evidence import Sample
from puzzlesat.counting.plain_facts import refusals
from puzzlesat.counting.report import Report
from puzzlesat.proofs import solution_check
from puzzlesat.puzzles import BuiltInstance, ExpectTable, RefutedTable


@dataclass(frozen=True)
class Verdict:
    """The verdict on one expected figure: one of four words."""

    CONFIRMED: ClassVar = "confirmed"
    REFUTED: ClassVar = "refuted"
    UNKNOWN: ClassVar = "not known"
    ELSEWHERE: ClassVar = "right in another convention"

    what: str
    expected: object
    got: object
    convention: Convention | None = None
    """Another convention in which the figure is right."""
    stated: bool = True
    """True if the instance states the convention: a figure in a wrong convention is then an error of the instance."""

    @property
    def word(self) -> str:
        """The verdict."""
        if self.got is None:
            return Verdict.UNKNOWN
        return Verdict.CONFIRMED if self.got == self.expected else Verdict.REFUTED if self.convention is None else Verdict.ELSEWHERE

    @property
    def fails(self) -> bool:
        """True if the instance or the count is wrong."""
        return self.word == Verdict.REFUTED or (self.word == Verdict.ELSEWHERE and self.stated)

    @property
    def words(self) -> str:
        """One sentence on a figure that is not as expected, or right in another convention, with the correction."""
        counted = f"{self.what}: expected {_figure(self.expected)}, counted {_figure(self.got)}"
        if self.convention is None:
            return counted
        where = f"{_figure(self.expected)} is right in the convention: {self.convention.words}"
        return f"{counted}; {where}; {self.convention.cure}" if self.stated else f"{where} ({self.what}: {_figure(self.got)})"

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as a plain dictionary."""
        where = None if self.convention is None else self.convention.words
        return {"what": self.what, "expected": self.expected, "got": self.got, "verdict": self.word, "convention": where}


def _figure(value: object) -> str:
    """Return a number with commas, and any other value as a string."""
    return f"{value:,}" if type(value) is int else str(value)


@dataclass(frozen=True)
class Refutation:
    """A published count that the instance calls wrong, compared with the count."""

    claim: RefutedTable
    got: int | None
    """The count in the convention of the claim; None if it is not known."""
    at_least: int
    """A lower bound of this count: the solutions found before the count stopped."""
    counted_by: tuple[str, ...]
    """The solvers that counted everything."""
    least: int = 0
    """A lower bound in every convention."""
    convention: Convention | None = None
    """Another convention than that of the claim in which the published figure is right."""

    @property
    def word(self) -> str:
        """``refuted``, ``not known``; if the published figure is right, ``confirmed`` or ``right in another convention``."""
        if self.got is None:
            return Verdict.REFUTED if self.least > self.claim.published else Verdict.UNKNOWN
        return Verdict.CONFIRMED if self.got == self.claim.published else Verdict.REFUTED if self.convention is None else Verdict.ELSEWHERE

    @property
    def fails(self) -> bool:
        """True if the instance refutes a right figure."""
        return self.word in (Verdict.CONFIRMED, Verdict.ELSEWHERE)

    @property
    def words(self) -> str:
        """One sentence on the published count."""
        claim = self.claim
        published = f"{claim.what} {claim.published:,}, published by {claim.by}"
        if self.word == Verdict.CONFIRMED:
            return f"FAILED: the instance refutes {published}, but the count bears it out"
        if self.convention is not None:
            right = f"it is right in the convention: {self.convention.words}"
            return f"FAILED: the instance refutes {published}, but {right}; write this in published, and remove it from [[expect.refuted]]"
        if self.word == Verdict.UNKNOWN:
            return f"not known: whether {published}, is wrong: {claim.evidence}"
        counted = f"at least {self.at_least:,}" if self.got is None else f"{self.got:,}"
        by = f" by {', '.join(self.counted_by)}" if self.counted_by else ""
        return f"REFUTED: {published}; counted {counted}{by}; {claim.evidence}"

    def as_json(self) -> dict[str, Any]:
        """Return the refutation as a plain dictionary."""
        where = None if self.convention is None else self.convention.words
        own = {"got": self.got, "at_least": self.at_least, "counted_by": list(self.counted_by)}
        return {**self.claim.model_dump(), **own, "verdict": self.word, "convention": where}


STYLES = {"ok": "green", "refuted": "magenta", "FAILED": "bold red", "stopped": "yellow"}
WIDTH = 7


@dataclass(frozen=True)
class Checked:
    """The result of the check of an instance against its expected figures."""

    OK: ClassVar = "ok"
    REFUTES: ClassVar = "refuted"
    FAILS: ClassVar = "FAILED"
    STOPPED: ClassVar = "stopped"
    WORDS: ClassVar = (OK, REFUTES, FAILS, STOPPED)

    word: str
    """``ok``, ``refuted``, ``FAILED`` or ``stopped``."""
    line: tuple[tuple[str, str], ...]
    """The parts of the line on the instance, each with its style."""
    claims: tuple[str, ...] = ()
    """Sentences on the published figures that the instance refutes."""

    @property
    def failed(self) -> bool:
        """True if the check failed."""
        return self.word == self.FAILS

    @property
    def complete(self) -> bool:
        """True if the check came to its end."""
        return self.word != self.STOPPED


@dataclass(frozen=True)
class Judgement:
    """A report, compared with the figures that its instance expects and refutes."""

    report: Report

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """A verdict for each figure of the instance's ``[expect]``."""
        report, expect, counts = self.report, self.report.instance.expect, self.report.counts
        stated, known = expect.convention == "stated", partial(conventions, report)
        figures = ((what, figure, getattr(counts, what)) for what, figure in expect.figures)
        found = [Verdict(what, figure, got, _elsewhere(known, got, figure), stated) for what, figure, got in figures]
        found += [
            Verdict(f"fixed by {name}", e, None if counts.fixed is None else counts.fixed.get(name, "no such symmetry"))
            for name, e in expect.fixed.items()
        ]
        found += [Verdict("best", expect.best, report.best)] if None not in (expect.best, report.best) else []
        found += _of_placements(report)
        for what, split, got in (("split", expect.split, counts.split), ("labelled split", expect.split_labelled, counts.split_labelled)):
            if split is not None:
                found.append(Verdict(what, dict(split), None if got is None else {str(k): v for k, v in got.items()}))
        if expect.solution is not None:
            found.append(Verdict("the printed solution is among them", expected=True, got=contains_solution(report, expect.solution)))
        return found

    @cached_property
    def refutations(self) -> list[Refutation]:
        """The verdict on each published count that the instance refutes."""
        report, counts = self.report, self.report.counts
        by = tuple(dict.fromkeys(row.solver for row in report.rows if row.all is not None))
        known, claims = partial(conventions, report), ((c, getattr(counts, c.what)) for c in report.instance.expect.refuted)
        least = _at_least(report)
        return [Refutation(c, n, _at_least(report, c.what), by, least, _elsewhere(known, n, c.published)) for c, n in claims]

    @property
    def fails(self) -> bool:
        """True if the check failed: something contradicts the count, an expected figure is wrong, or a refuted figure is right."""
        return self.report.agree is False or any(v.fails for v in self.verdicts) or any(r.fails for r in self.refutations)

    def has_witness(self, verdict: Verdict) -> bool:
        """Return whether a figure has a witness apart from the first solver. A printed solution needs none: the geometry decides."""
        if verdict.got is True:
            return True
        name = "fixed" if verdict.what.startswith("fixed by") else {"labelled split": "split_labelled"}.get(verdict.what, verdict.what)
        return bool(self.report.witnesses.get(name, self.report.agree))

    @property
    def checked(self) -> Checked:
        """The result of the check of the instance."""
        report, name = self.report, (f"  {self.report.instance.name}", "bold")
        if not report.begun:
            return Checked(Checked.STOPPED, ((Checked.STOPPED, STYLES[Checked.STOPPED]), name, (f"  {report.sentence}", "")))
        word = Checked.FAILS if self.fails else Checked.OK if report.finished else Checked.STOPPED
        if word == Checked.OK and any(c.word == Verdict.REFUTED for c in self.refutations):
            word = Checked.REFUTES
        bad = [v.words for v in self.verdicts if v.fails] + [d.what for d in report.disagreements]
        bad += [c.words for c in self.refutations if c.fails]
        right = [v for v in self.verdicts if v.word == Verdict.CONFIRMED and isinstance(v.got, int) and "placements" not in v.what]
        good = [v.what if v.got is True else f"{v.what} {v.got:,}" for v in right]
        good += [v.words for v in self.verdicts if v.word == Verdict.ELSEWHERE]
        parts = [(row.solver, "" if row.all is not None else _part(row.sampled)) for row in report.rows]
        took = f"  [{', '.join(f'{name}{part}' for name, part in parts)}; {sum(r.seconds for r in report.rows):.1f} s]"
        line = (
            (f"{word:<{WIDTH}}", STYLES[word]),
            name,
            (f"  {report.sentence}", ""),
            ("".join(f"; {words}" for words in bad or [", ".join(good)] if words), ""),
            (took if report.rows else "", "dim"),
        )
        return Checked(word, line, tuple(claim.words for claim in self.refutations if not claim.fails))

    def as_json(self) -> dict[str, Any]:
        """Return the report as the JSON object that docs/json.md describes. Unknown values are None."""
        report, instance, evidence = self.report, self.report.instance, self.report.confirmation
        begun = report if report.begun else None
        sizes = ("placements", "after_symmetry", "after_reduction")
        placements = {name.replace("placements", "all"): begun and getattr(begun.reduced, name) for name in sizes}
        return {
            "instance": instance.name,
            "sentence": report.sentence,
            "confirmed": evidence.word,
            "read_twice": report.twice and report.twice.as_json(),
            "certificate": evidence.certificate,
            "proved_sound": evidence.sound,
            **report.results,
            "counts": asdict(report.counts),
            "witnesses": {name: list(by) for name, by in report.witnesses.items()},
            "placements": placements,
            "broken_on": begun and begun.reduced.broken_on,
            "symmetries": begun and list(begun.built.problem.symmetries),
            "refused_symmetries": begun and [refusal.as_json() for refusal in refusals(begun.built)],
            "solvers": [row.as_json() for row in report.rows],
            "expected": [verdict.as_json() for verdict in (self.verdicts if begun else ())],
            "refuted": [refutation.as_json() for refutation in (self.refutations if begun else ())],
            "published": instance.expect.published or None,
            "source": instance.credit or None,
            "rules": instance.puzzle.solutions.in_words(),
            "disagreements": [asdict(d) for d in report.disagreements],
        }


def _part(sample: Sample | None) -> str:
    """Return the part of the search space that an unfinished check searched, in words."""
    return f" {sample.checked}/{sample.of}" if sample is not None and sample.of else " not finished"


def _of_placements(report: Report) -> Iterator[Verdict]:
    """Yield a verdict on each expected number of placements that the plan computes."""
    expected, plan, reduced = report.instance.expect.placements, report.plan, report.reduced
    for what, number, got in (
        ("placements", expected.all, reduced.placements),
        ("placements after symmetry breaking", expected.after_symmetry if plan.symmetry else None, reduced.after_symmetry),
        ("placements after reduction", expected.after_reduction if plan.symmetry and plan.reduction else None, reduced.after_reduction),
    ):
        if number is not None:
            yield Verdict(what, number, got)


def judge_figures(
    expect: ExpectTable, counts: Mapping[str, int | None], least: int, by: Sequence[str]
) -> tuple[tuple[Verdict, ...], tuple[Refutation, ...]]:
    """Return the verdicts on the numbers of solutions that an instance expects, and on those that it refutes, without a report.

    ``counts`` has the known figures by convention. ``least`` is a lower bound in every convention. ``by`` are the solvers that counted
    everything.
    """

    def got(what: str, figure: int) -> int | str | None:
        counted = counts.get(what)
        return counted if counted is not None else f"at least {least:,}" if least > figure else None

    known = [Convention(words, n, f"move it under the key {key}") for key, words in KEYS.items() if (n := counts.get(key)) is not None]
    stated = expect.convention == "stated"
    verdicts = tuple(Verdict(what, n, got(what, n), _elsewhere(known.copy, counts.get(what), n), stated) for what, n in expect.figures)
    claims = ((c, counts.get(c.what)) for c in expect.refuted)
    return verdicts, tuple(Refutation(c, n, least, tuple(by), least, _elsewhere(known.copy, n, c.published)) for c, n in claims)


def unexplained(report: Report) -> bool:
    """Return whether an expected or refuted figure is right in none of the conventions counted so far."""
    expect = report.instance.expect
    published = [*expect.figures, *((c.what, c.published) for c in expect.refuted)]
    counted = [(getattr(report.counts, what), figure) for what, figure in published]
    return any(n not in (None, figure) and _elsewhere(partial(conventions, report), n, figure) is None for n, figure in counted)


def _elsewhere(known: Callable[[], Sequence[Convention]], counted: int | None, figure: int) -> Convention | None:
    """Return another convention in which a figure is right; None if it is right in its own, or in none."""
    return None if counted in (None, figure) else next((c for c in known() if c.figure == figure), None)


def _at_least(report: Report, convention: str | None = None) -> int:
    """Return a lower bound of the number of solutions, in one convention or in all, by the found solutions or the printed one."""
    printed = report.instance.expect.solution
    found = report.found or int(printed is not None and contains_solution(report, printed) is True)
    if convention is None:
        return -(-found // report.built.most_symmetries())
    return -(-found // len(report.built.problem.symmetries)) if "distinct" in convention else found


def contains_solution(report: Report, names: list[str]) -> bool | None:
    """Return whether placements, given by name, are a solution of the puzzle; None if not known.

    The solution is checked on the geometry, not searched for among the counted solutions.
    """
    unchecked: list[str] = []
    wrong = wrong_solution(report.built, names, unchecked.append)
    return None if unchecked else wrong is None


def wrong_solution(built: BuiltInstance, names: Sequence[str], unchecked: Callable[[str], object] | None = None) -> str | None:
    """Return why placements, given by name, are not a solution; None if they are, or if ``unchecked`` was called with a reason."""
    try:
        row = sorted(built.options_by_name(names))
    except PuzzleError as error:
        return error.problems[0]
    return solution_check(built, unchecked=unchecked)(np.array([row or [-1]], dtype=np.int32))
