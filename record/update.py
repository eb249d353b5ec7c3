"""Write what a study found out into the record: the counts and solutions into forms.jsonl, the tables into docs/record.md.

    python record/update.py record/study.sqlite

The forms themselves are not touched, so that the study goes on with the same file. Stores of other studies of some of these forms, with
more time, say, may stand beside it: of each form the one tells that found out the most, and two that contradict each other are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlesat.config.files import json_of, text_of
from puzzlesat.config.schema import ExpectTable
from puzzlesat.counting.verdict import REFUTED
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import write_text
from puzzlesat.formats.foreign import Foreign
from puzzlesat.formats.lines import puzzle_lines
from puzzlesat.runs.export import markdown_lines
from puzzlesat.runs.opening import open_to_read
from puzzlesat.runs.published import refutations, verdicts
from puzzlesat.runs.steps import IMPOSSIBLE, SOLVABLE
from puzzlesat.runs.table import Row, table

FORMS = Path(__file__).with_name("forms.jsonl")
PAGE = Path(__file__).parents[1] / "docs" / "record.md"
PUBLISHER = "Polyform Puzzler"
FIGURES = ("all", "distinct", "convention")
MARK = "<!-- made from the store by record/update.py: what follows, to the end -->"
Expect = dict[str, Any]


def expected(known: Mapping[str, Any], row: Row) -> Expect:
    """Return what is known of a form, ``[expect]`` of its line, with what a study found out.

    Counts take the place of published figures that are right in another convention, and of a solution; figures that are wrong become
    claims that are refuted.
    """
    if not row.decided:
        return dict(known)
    wrong = {v.what: v.expected for v in row.expected if v.word == REFUTED}
    claims = [{"what": what, "published": figure, "by": PUBLISHER, "evidence": _evidence(row)} for what, figure in wrong.items()]
    if row.all is not None:
        found: Expect = {"all": row.all, "distinct": row.distinct}
    else:
        found = {key: known[key] for key in FIGURES if key in known and key not in wrong}
        found |= {} if found.get("all") else {"solution": [*row.solution]}
    said = {key: value for key, value in known.items() if key not in (*FIGURES, "solution", "refuted")}
    refuted = [*known.get("refuted", []), *claims]
    return found | said | ({"refuted": refuted} if refuted else {})


def judged(known: Mapping[str, Any], row: Row) -> Row:
    """Return a row, held against what the file says today: the store has the figures of the day when the form came into it."""
    expect = ExpectTable.model_validate(known)
    counts = {"all": row.all, "distinct": row.distinct, "labelled": row.labelled}
    least = 1 if row.verdict == SOLVABLE else 0
    figures = {"expected": verdicts(expect, counts, least), "refuted": refutations(expect, counts, least, row.solvers)}
    return replace(row, published=expect.published, **figures)


def _evidence(row: Row) -> str:
    if row.verdict == IMPOSSIBLE:
        return f"there is none ({row.how})"
    if row.all is None:
        return "one was found, and held against the geometry"
    return f"{many(row.all, 'solution')}, {row.distinct:,} up to symmetry ({row.how})"


def updated(lines: Sequence[Mapping[str, Any]], rows: Mapping[str, Row]) -> Iterator[Foreign]:
    """Yield the lines of the file, each with what is known of it now."""
    for line in lines:
        row = rows.get(line["name"])
        expect = line.get("expect", {}) if row is None else expected(line.get("expect", {}), row)
        table = {key: value for key, value in line.items() if key not in ("name", "expect")}
        yield Foreign(line["name"], table | ({"expect": expect} if expect else {}))


def best(one: Row, other: Row) -> Row:
    """Return the row of a form that says more. Raises PuzzleError where they contradict each other."""
    figures = [{row.all for row in (one, other)}, {row.verdict for row in (one, other) if row.decided}]
    if any(len(found - {None}) > 1 for found in figures):
        raise PuzzleError(f"{one.puzzle}: one store says {one.verdict}, {one.all} solutions, another {other.verdict}, {other.all}")
    return max(one, other, key=lambda row: (row.all is not None, row.decided, bool(row.agree or row.audited_by)))


def main(stores: Sequence[Path]) -> None:
    """Read the stores; write both files."""
    found: dict[str, Row] = {}
    for store in stores:
        with open_to_read(store) as reader:
            for row in table(reader):
                name = f"{row.family}/{row.puzzle}"
                found[name] = best(found[name], row) if name in found else row
    header, *lines = (json_of(line) for line in text_of(FORMS).splitlines())
    known = {line["name"]: line.get("expect", {}) for line in lines}
    named = {name: judged(known[name], row) for name, row in found.items() if name in known}
    said = {key: header[key] for key in ("title", "source", "models")}
    write_text(FORMS, "".join(f"{line}\n" for line in puzzle_lines(updated(lines, named), **said)))
    frame = text_of(PAGE).split(MARK)[0]
    write_text(PAGE, f"{frame}{MARK}\n\n" + "".join(markdown_lines("", [*named.values()])).partition("\n\n")[2])


if __name__ == "__main__":
    try:
        main([Path(name) for name in sys.argv[1:] or ["record/study.sqlite"]])
    except PuzzleError as error:
        sys.exit(str(error))
