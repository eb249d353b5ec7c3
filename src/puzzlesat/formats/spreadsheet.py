"""Tables as CSV, for spreadsheets as well: no cell can be taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMULAS = ("=", "+", "-", "@", "\t")
"""Beginnings of a text that a spreadsheet may take for a formula and execute."""


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the lines of a CSV file, the first with the names of the columns; an unknown value (None) is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        yield _taken(text)
        writer.writerow([_cell(row[column]) for column in columns])
    yield _taken(text)


def _taken(text: io.StringIO) -> str:
    """Return the text in a buffer, and empty the buffer."""
    line = text.getvalue()
    text.seek(0)
    text.truncate()
    return line


def _cell(value: object) -> object:
    """Return a value for a cell. An apostrophe before a possible formula makes spreadsheets treat it as text."""
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")  # the writer would not quote these
        return f"'{text}" if text.startswith(FORMULAS) else text
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value
