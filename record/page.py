"""The tables of record/tables.md, generated from the lines of the record, the author's figures and the certificates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from certificates import Kept
from sources import REFUTED, Judged, Source, as_instance, engines_of, judged

from puzzlesat.base.errors import many

SOLVABLE, IMPOSSIBLE, NOT_DECIDED = "solvable", "impossible", "not decided"
NOT_KNOWN = "–"
NONE_BECAUSE = "none: "
HEADINGS = ("puzzle", "area", "verdict", "all", "distinct", "how it was obtained", "evidence", "published")
NUMERIC = ("area", "all", "distinct")


@dataclass(frozen=True)
class Known:
    """A row of the page."""

    family: str
    name: str
    area: int
    all: int | None
    distinct: int | None
    solved: bool
    """Whether the line contains a solution."""
    how: str
    certified: str
    """``certificate``, ``certificate (large)``, or nothing."""
    published: Judged

    @property
    def verdict(self) -> str:
        """The verdict: impossible, solvable, or not decided."""
        if self.all == 0:
            return IMPOSSIBLE
        return SOLVABLE if self.all or self.solved else NOT_DECIDED

    @property
    def argument(self) -> str:
        """The argument for unsolvability."""
        return self.how.removeprefix(NONE_BECAUSE).partition(";")[0]

    @property
    def evidence(self) -> str:
        """The evidence in the record that can be checked again."""
        return ", ".join([*(["solution"] if self.solved else []), *([self.certified] if self.certified else [])]) or NOT_KNOWN


def known(name: str, line: Mapping[str, Any], source: Source, kept: Kept | None, path: Path) -> Known:
    """Return the row of a line."""
    expect = line.get("expect", {})
    family, _, own = name.rpartition("/")
    certified = "" if kept is None else "certificate" if kept.file else "certificate (large)"
    nothing = source.published is None
    engines = engines_of(expect.get("source", ""), certified=kept is not None)
    said = judged(source, line, as_instance(name, line, path), engines) if not nothing else judged_without(source)
    return Known(
        family, own, source.atoms, expect.get("all"), expect.get("distinct"),
        bool(expect.get("solution")), expect.get("source", ""), certified, said,
    )  # fmt: skip


def judged_without(source: Source) -> Judged:
    """Return the judgement on a puzzle without a published figure; it does not depend on the line."""
    return Judged("", "" if source.doubtful is None else f"“{source.doubtful:,}?”, no claim")


def page_lines(rows: Sequence[Known]) -> Iterator[str]:
    """Yield the lines of the page: summaries, refuted published figures, open puzzles, and a table for each family."""
    yield f"{summary(rows)}\n"
    yield f"{evidence_summary(rows)}\n"
    yield from _listed("Not as it was published", [(row.name, row.published.sentence) for row in rows if row.published.word == REFUTED])
    yield from _listed("Open", [(row.name, NOT_DECIDED) for row in rows if row.verdict == NOT_DECIDED])
    ordered = sorted(rows, key=lambda row: (row.family, _natural(row.name)))
    for family, own in groupby(ordered, key=lambda row: row.family):
        yield from _family(family, list(own))


def summary(rows: Sequence[Known]) -> str:
    """Return a sentence with the verdicts of all puzzles."""
    verdicts = Counter(row.verdict for row in rows)
    arguments = Counter(row.argument for row in rows if row.verdict == IMPOSSIBLE)
    counted = sum(row.all is not None for row in rows if row.verdict == SOLVABLE)
    words = [f"{verdicts[SOLVABLE]:,} solvable, {counted:,} of them counted"]
    if verdicts[IMPOSSIBLE]:
        reasons = ", ".join(f"{n:,} {a}" for a, n in sorted(arguments.items(), key=lambda pair: (-pair[1], pair[0])))
        words.append(f"{verdicts[IMPOSSIBLE]:,} impossible ({reasons})")
    words += [f"{verdicts[NOT_DECIDED]:,} {NOT_DECIDED}"] if verdicts[NOT_DECIDED] else []
    return f"{many(len(rows), 'puzzle')}: {'; '.join(words)}."


def evidence_summary(rows: Sequence[Known]) -> str:
    """Return a sentence about the evidence."""
    engines = [len(engines_of(row.how, certified=bool(row.certified))) for row in rows if row.all]
    solved, certified = sum(row.solved for row in rows), sum(bool(row.certified) for row in rows)
    twice, once = sum(n > 1 for n in engines), sum(n < 2 for n in engines)
    words = f"{solved:,} lines hold a solution; {certified:,} have a certificate; {twice:,} counts are by two engines or more"
    return f"{words}, {once:,} by one alone."


def _listed(heading: str, items: Sequence[tuple[str, str]]) -> Iterator[str]:
    if items:
        yield f"\n## {heading}\n\n"
        yield from (f"- {_plain(name)}: {_plain(says)}\n" for name, says in items)


def _family(family: str, rows: Sequence[Known]) -> Iterator[str]:
    yield f"\n## {_plain(family)}\n\n{summary(rows)}\n\n"
    yield f"| {' | '.join(HEADINGS)} |\n"
    yield f"| {' | '.join('---:' if heading in NUMERIC else '---' for heading in HEADINGS)} |\n"
    for row in rows:
        figures = (f"{row.area:,}", row.verdict, _number(row.all), _number(row.distinct))
        cells = (row.name, *figures, row.how or NOT_KNOWN, row.evidence, row.published.sentence.partition(";")[0] or NOT_KNOWN)
        yield f"| {' | '.join(map(_plain, cells))} |\n"


def _number(figure: int | None) -> str:
    return NOT_KNOWN if figure is None else f"{figure:,}"


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that compares numbers by value, so that 2x9 precedes 11x9."""
    parts = "".join(c if c.isdigit() else f" {c} " for c in name).split()
    return [(int(part), "") if part.isdigit() else (-1, part.casefold()) for part in parts]


def _plain(text: str) -> str:
    """Escape the special characters of Markdown and HTML."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|" else letter for letter in text)
