"""Tables as CSV, for spreadsheets as well: nothing in them is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMULAS = ("=", "+", "-", "@", "\t")
"""A text that begins with one of these a spreadsheet may take for a formula, and do what it says."""


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of a CSV file, the first with the names of the columns; what is not known (None) is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        yield _taken(text)
        writer.writerow([_cell(row[column]) for column in columns])
    yield _taken(text)


def _taken(text: io.StringIO) -> str:
    """What was written, which is taken out."""
    line = text.getvalue()
    text.seek(0)
    text.truncate()
    return line


def _cell(value: object) -> object:
    """A value as it stands in a cell; before a text that could be a formula is an apostrophe, which spreadsheets take for text."""
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")  # which the writer would not put into quotes
        return f"'{text}" if text.startswith(FORMULAS) else text
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
