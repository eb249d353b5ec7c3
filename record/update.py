"""Update the record with the results of studies, and rewrite the tables of its page.

    python record/update.py record/study.sqlite     # copy counts, solutions and arguments of a study into forms.jsonl; then write the page
    python record/update.py                         # only write the page, from forms.jsonl, sources.jsonl and the certificates

Puzzles and rules do not change, so the study can continue with the same file. Of several stores, the one that found out most about a form
is used. Contradictions between stores, or with the file, are errors. The author's figures are in sources.jsonl, which no store changes. A
store cannot refute a figure: a refutation needs evidence in the line, and ``sources.judged`` decides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from certificates import SUMS, read_table, sums
from page import known, page_lines
from sources import read_sources

from puzzlesat.base.errors import PuzzleError
from puzzlesat.base.files import write_file
from puzzlesat.base.package import json_of, text_of
from puzzlesat.formats.lines import puzzle_lines
from puzzlesat.formats.puzzles import Foreign, raw_tables_in
from puzzlesat.studies.store import open_to_read
from puzzlesat.studies.tables import PuzzleRow

FORMS = Path(__file__).with_name("forms.jsonl")
PAGE = Path(__file__).with_name("tables.md")
MARK = "<!-- made by record/update.py: what follows, to the end -->"
Expect = dict[str, Any]


def expected(before: Mapping[str, Any], row: PuzzleRow) -> Expect:
    """Return ``[expect]`` of a line with the results of a study. Raises PuzzleError if they contradict the line."""
    if not row.decided:
        return dict(before)
    counts = {"all": row.all, "distinct": row.distinct}
    if row.verdict == "impossible":
        counts = {"all": 0, "distinct": 0}
    if wrong := [what for what, figure in counts.items() if figure is not None and before.get(what, figure) != figure]:
        raise PuzzleError(f"{row.puzzle}: the line says {wrong[0]} {before[wrong[0]]:,}, the study {counts[wrong[0]]:,}")
    if counts["all"] == 0 and before.get("solution"):
        raise PuzzleError(f"{row.puzzle}: the line has a solution, the study says that there is none")
    found: Expect = {what: figure for what, figure in counts.items() if figure is not None}
    if row.solution and counts["all"] != 0:
        found["solution"] = before.get("solution", [*row.solution])
    if "all" in before or (before.get("solution") and "all" not in found):
        return {**found, **before}
    return {**{key: value for key, value in before.items() if key != "source"}, **found, "source": _how(row)}


def _how(row: PuzzleRow) -> str:
    """Return the method of a result in the words of the record."""
    return f"none: {row.how}" if row.verdict == "impossible" else row.how


def updated(lines: Sequence[Mapping[str, Any]], rows: Mapping[str, PuzzleRow]) -> Iterator[Foreign]:
    """Yield the lines of the file, updated with the results."""
    for line in lines:
        row = rows.get(line["name"])
        expect = line.get("expect", {}) if row is None else expected(line.get("expect", {}), row)
        table = {key: value for key, value in line.items() if key not in ("name", "expect")}
        yield Foreign(line["name"], table | ({"expect": expect} if expect else {}))


def best(one: PuzzleRow, other: PuzzleRow) -> PuzzleRow:
    """Return the row with more results of two rows of a form. Raises PuzzleError if they contradict each other."""
    counts = {row.all for row in (one, other) if row.all is not None}
    if len(counts) > 1 or len({row.verdict for row in (one, other) if row.decided}) > 1:
        raise PuzzleError(f"{one.puzzle}: one store says {one.verdict}, {one.all} solutions, another {other.verdict}, {other.all}")
    return max(one, other, key=lambda row: (row.all is not None, row.decided, bool(row.agree)))


def write_forms(stores: Sequence[Path]) -> None:
    """Read the stores and write their results to the file of forms."""
    found: dict[str, PuzzleRow] = {}
    for store in stores:
        with open_to_read(store) as reader:
            for row in reader.rows():
                name = f"{row.family}/{row.puzzle}"
                found[name] = best(found[name], row) if name in found else row
    header, *lines = (json_of(line) for line in text_of(FORMS).splitlines())
    said = {key: header[key] for key in ("title", "source", "models")}
    write_file(FORMS, "".join(f"{line}\n" for line in puzzle_lines(updated(lines, found), **said)))


def write_page() -> None:
    """Write the tables of the page; the text above them is written by hand."""
    sources, certificates = read_sources(), read_table()
    rows = [known(name, line, sources[name], certificates.get(name), FORMS) for name, line, _ in raw_tables_in(FORMS)]
    frame = text_of(PAGE).split(MARK)[0]
    write_file(PAGE, f"{frame}{MARK}\n\n" + "".join(page_lines(rows)))


def main(stores: Sequence[Path]) -> None:
    """Write the page and the digests, and the forms if stores are given."""
    if stores:
        write_forms(stores)
    write_page()
    write_file(SUMS, sums())


if __name__ == "__main__":
    try:
        main([Path(name) for name in sys.argv[1:]])
    except PuzzleError as error:
        sys.exit(str(error))
