"""The line on an instance whose counts were checked: as plain data, for whoever prints it, here or elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from puzzlesat.counting.confirmation import first_sentence
from puzzlesat.counting.report import NOT_COUNTED, Report
from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, Verdict, fails, refutations, verdicts
from puzzlesat.counting.words import refutation_words, verdict_words

OK, REFUTES, FAILS, STOPPED = "ok", "refuted", "FAILED", "stopped"
STYLES = {OK: "green", REFUTES: "magenta", FAILS: "bold red", STOPPED: "yellow"}
WIDTH = 7


@dataclass(frozen=True)
class Checked:
    """What is said of a check."""

    word: str
    """For all of it: ``ok``, ``refuted``, ``FAILED`` or ``stopped``."""
    line: tuple[tuple[str, str], ...]
    """Pieces of the line on the instance, each with its style."""
    claims: tuple[str, ...] = ()
    """Published figures that it refutes."""

    @property
    def failed(self) -> bool:
        """Whether the check failed."""
        return self.word == FAILS

    @property
    def complete(self) -> bool:
        """Whether it searched everything."""
        return self.word != STOPPED


def is_complete(report: Report) -> bool:
    """Tell whether everything was gone through that was to be counted and checked."""
    if report.status == NOT_COUNTED:
        return True
    unfinished = report.plan.full and any(row.sampled is not None for row in report.rows)  # everything was to be checked
    return report.complete and not report.interrupted and not unfinished


def checked(report: Report) -> Checked:
    """Return what is said of a check, by the report on its count."""
    name = (f"  {report.instance.name}", "bold")
    if not report.begun:
        return Checked(STOPPED, ((STOPPED, STYLES[STOPPED]), name, (f"  {first_sentence(report)}", "")))
    judged, claims = verdicts(report), refutations(report)
    word = FAILS if fails(report) else OK if is_complete(report) else STOPPED
    if word == OK and any(c.word == REFUTED for c in claims):
        word = REFUTES
    bad = [verdict_words(v) for v in judged if v.fails] + [d.what for d in report.disagreements]
    bad += [refutation_words(c) for c in claims if c.fails]
    right = [_said(v) for v in judged if v.word == CONFIRMED and isinstance(v.got, int) and "placements" not in v.what]
    good = ", ".join(right + [verdict_words(v) for v in judged if v.word == ELSEWHERE])
    by = ", ".join(
        _said_by(
            row.solver,
            whole=row.all is not None,
            checked=row.sampled.checked if row.sampled else 0,
            of=row.sampled.of if row.sampled else 0,
        )
        for row in report.rows
    )
    line = (
        (f"{word:<{WIDTH}}", STYLES[word]),
        name,
        (f"  {first_sentence(report)}", ""),
        ("".join(f"; {said}" for said in bad or [good] if said), ""),
        (f"  [{by}; {sum(r.seconds for r in report.rows):.1f} s]" if report.rows else "", "dim"),
    )
    return Checked(word, line, tuple(refutation_words(claim) for claim in claims if not claim.fails))


def _said(right: Verdict) -> str:
    return right.what if right.got is True else f"{right.what} {right.got:,}"


def _said_by(solver: str, *, whole: bool, checked: int, of: int) -> str:
    return solver if whole else f"{solver} {checked}/{of}" if of else f"{solver} not finished"
