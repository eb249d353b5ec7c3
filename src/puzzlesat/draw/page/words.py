"""Figures and tables as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from puzzlesat.counting.words import NOT_KNOWN


def figure(value: object) -> str:
    """Return a figure of an expectation as HTML."""
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return f'<span class="long">{escape(", ".join(f"{k}: {n:,}" for k, n in value.items()))}</span>'
    return escape(str(value))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """Return a table of cells that are HTML already, the first of each row its heading; ``numeric`` columns stand to the right."""

    def cell(column: int, text: str) -> str:
        style = ' class="count"' if column in numeric else ""
        return f'<th scope="row"{style}>{text}</th>' if column == 0 else f"<td{style}>{text}</td>"

    head = "".join(f'<th scope="col"{" class=count" if i in numeric else ""}>{h}</th>' for i, h in enumerate(headings))
    body = "\n".join(f"<tr>{''.join(cell(i, text) for i, text in enumerate(row))}</tr>" for row in rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'
