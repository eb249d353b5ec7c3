"""The table of a study as CSV, as JSON lines, and as Markdown: the same text whenever it is made of the same store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, UNKNOWN
from puzzlesat.counting.words import NOT_KNOWN, number, refutation_words, verdict_words
from puzzlesat.errors import many
from puzzlesat.formats import spreadsheet
from puzzlesat.runs.steps import IMPOSSIBLE, SOLVABLE
from puzzlesat.runs.table import SEARCH, Row, row_as_json

COLUMNS = (
    "puzzle", "family", "area", "verdict", "all", "distinct", "labelled", "argument", "solvers", "audited_by", "agree", "left", "cpu",
    "published", "fate", "claims", "solution", "sentences",
)  # fmt: skip
"""The columns of the CSV file."""
NEXT_TO_EACH_OTHER = {"solvers": ",", "audited_by": ",", "solution": " ", "sentences": " ", "claims": "; "}
"""What stands between the members of a list in one cell."""


def csv_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a CSV file, the first with the names of the columns; what is not known is an empty cell."""
    return spreadsheet.csv_lines(COLUMNS, map(_as_text, rows))


def row_cells(row: Row) -> dict[str, Any]:
    """Return what stands in the columns: numbers, texts and lists."""
    found = row_as_json(row) | {"claims": claims(row)}
    return {key: found[key] for key in COLUMNS}


def _as_text(row: Row) -> dict[str, object]:
    """The same with lists as text."""
    return {key: NEXT_TO_EACH_OTHER[key].join(value or ()) if key in NEXT_TO_EACH_OTHER else value for key, value in row_cells(row).items()}


def claims(row: Row) -> list[str]:
    """Return a sentence for each published figure: that it is confirmed, or what is counted instead."""
    said = [verdict_words(v) if v.fails else f"{v.what} {v.expected:,} {v.word}" for v in row.expected]
    return said + [refutation_words(r) for r in row.refuted]


def wrong_claims(row: Row) -> list[str]:
    """Return a sentence for each published figure that is not right as it was published."""
    said = [verdict_words(v) for v in row.expected if v.word in (REFUTED, ELSEWHERE)]
    return said + [refutation_words(r) for r in row.refuted if r.word in (REFUTED, ELSEWHERE)]


def jsonl_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a file of JSON lines, an object a puzzle."""
    for row in rows:
        yield json.dumps(row_as_json(row), ensure_ascii=False) + "\n"


# Markdown --------------------------------------------------------------------------------------------------------------------


def markdown_lines(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a Markdown page: what became of how many, what was published wrongly, what is open, a table a family."""
    yield f"# {_plain(title)}\n\n{_plain(summary(rows))}\n"
    wrong = [row for row in rows if row.fate in (REFUTED, ELSEWHERE)]
    yield from _listed("Not as it was published", wrong, lambda row: "; ".join(wrong_claims(row)))
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
        cells = (row.puzzle, f"{row.area:,}", row.verdict, number(row.all), number(row.distinct), row.how or NOT_KNOWN, published(row))
        yield f"| {' | '.join(map(_plain, cells))} |\n"


def in_short(row: Row) -> str:
    """Return what more there is to say of a puzzle than the verdict: how many solutions, or why there is none."""
    if row.all is not None and row.verdict == SOLVABLE:
        distinct = "" if row.distinct is None else f", {row.distinct:,} distinct"
        return f"{many(row.all, 'solution')}{distinct}" + ("" if row.agree or row.audited_by else " (not checked)")
    return row.argument or "; ".join(row.sentences)


def published(row: Row) -> str:
    """Return what became of what was published, in a few words: ``all 148, distinct 37 confirmed; labelled 148 not known``."""
    by_word: dict[str, list[str]] = {}
    for v in row.expected:
        by_word.setdefault(v.word, []).append(f"{v.what.replace('_', ' ')} {v.expected:,}")
    for r in row.refuted:
        by_word.setdefault(r.word, []).append(f"{r.claim.what.replace('_', ' ')} {r.claim.published:,} by {r.claim.by}")
    order = [word for word in (REFUTED, ELSEWHERE, CONFIRMED, UNKNOWN) if word in by_word]
    return "; ".join(f"{', '.join(by_word[word])} {word}" for word in order) or row.fate


def _plain(text: str) -> str:
    """A text in which nothing means anything to Markdown, or to HTML."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|" else " " if letter in "\r\n" else letter for letter in text)
