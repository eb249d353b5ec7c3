"""What an instance says was published of its counts, held against what a study found: by the figures alone, without a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from puzzlesat.config.schema import ExpectTable
from puzzlesat.counting.conventions import KEYS, Convention
from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, UNKNOWN, Refutation, Verdict, figures

NEW: Final = "new"
Fate = Literal["confirmed", "refuted", "right in another convention", "new", "not known"]
"""What became of what was published of a puzzle; ``new``: nothing was, and now there is something to publish."""


def verdicts(expect: ExpectTable, counts: Mapping[str, int | None], least: int) -> tuple[Verdict, ...]:
    """Return a verdict for each number of solutions that an instance expects.

    ``counts`` are the figures that are known, by convention; ``least`` is how many solutions there are in every convention, at least.
    """
    stated = expect.convention == "stated"
    return tuple(
        Verdict(what, figure, _got(counts.get(what), figure, least), _elsewhere(counts, what, figure), stated)
        for what, figure in figures(expect)
    )


def refutations(expect: ExpectTable, counts: Mapping[str, int | None], least: int, by: Sequence[str]) -> tuple[Refutation, ...]:
    """Return what became of each published count that an instance refutes; ``by`` are the solvers that counted everything."""
    return tuple(
        Refutation(c, counts.get(c.what), least, tuple(by), least, _elsewhere(counts, c.what, c.published)) for c in expect.refuted
    )


def fate(expected: Sequence[Verdict], refuted: Sequence[Refutation], *, decided: bool) -> Fate:
    """Return in a word what became of what was published, the worst first."""
    words = [v.word for v in expected] + [r.word for r in refuted]
    if not words:
        return NEW if decided else UNKNOWN
    return next(word for word in (REFUTED, ELSEWHERE, CONFIRMED, UNKNOWN) if word in words)


def _got(counted: int | None, figure: int, least: int) -> int | str | None:
    """What is held against a figure: the count, or, where fewer were published than were found, how many those are at least."""
    return counted if counted is not None else f"at least {least:,}" if least > figure else None


def _elsewhere(counts: Mapping[str, int | None], what: str, figure: int) -> Convention | None:
    """The convention in which a figure is right that is not right where it stands."""
    if counts.get(what) in (None, figure):
        return None
    return next(
        (Convention(words, figure, f"move it under the key {key}") for key, words in KEYS.items() if counts.get(key) == figure), None
    )
