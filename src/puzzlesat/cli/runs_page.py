"""The table of a run as one self-contained page of HTML, which a reader can sort and search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from puzzlesat.counting import Verdict, number
from puzzlesat.pages import filled_page
from puzzlesat.pictures import solution_picture
from puzzlesat.puzzles import BuiltInstance
from puzzlesat.studies import PuzzleRow, summary

HEADINGS = (
    ("", "form"), ("puzzle", "puzzle"), ("area", "area"), ("verdict", "verdict"), ("all", "all"), ("distinct", "distinct"),
    ("", "how it was obtained"), ("fate", "what was published"), ("cpu", "CPU seconds"),
)  # fmt: skip
"""Key that a column is sorted by, and its heading."""
NUMERIC = ("area", "all", "distinct", "cpu")
STYLES = {
    "solvable": "confirmed",
    "impossible": "claim",
    Verdict.REFUTED: "refuted",
    Verdict.ELSEWHERE: "unknown",
    Verdict.CONFIRMED: "confirmed",
}


def runs_page(title: str, rows: Sequence[PuzzleRow], pictures: Mapping[str, str], version: str, alarms: Sequence[str] = ()) -> str:
    """Return the page. ``pictures`` has the results of ``form_picture`` by puzzle key; ``alarms`` are warnings at the top of the page.

    The page forbids the browser to load anything, and to run any script but its own.
    """
    missing = len(rows) - len(pictures)
    return filled_page(
        "runs",
        title,
        [row.record for row in rows],
        alarms="".join(f'<p class="alarm">{escape(said)}</p>\n' for said in alarms),
        state="confirmed" if rows and all(row.decided for row in rows) else "unknown",
        sentence=escape(summary(rows)),
        figures="\n".join(f"<li><b>{n:,}</b>{name}</li>" for name, n in _figures(rows)),
        headings="".join(map(_heading, HEADINGS)),
        rows="\n".join(_row(row, pictures.get(row.key, "")) for row in rows),
        note=f'<p class="soft">There are pictures of the first {len(pictures):,} puzzles alone.</p>\n' if missing and pictures else "",
        version=escape(version),
    )


def form_picture(built: BuiltInstance, options: Sequence[int]) -> str:
    """Return a small SVG picture of a solution or, without options, of the form; puzzles in space are drawn as bodies."""
    return solution_picture(built, options, space="body").element("a solution" if options else "the form")


def _figures(rows: Sequence[PuzzleRow]) -> list[tuple[str, int]]:
    return [
        ("puzzles", len(rows)),
        ("solvable", sum(row.verdict == "solvable" for row in rows)),
        ("of them counted", sum(row.verdict == "solvable" and row.all is not None for row in rows)),
        ("impossible", sum(row.verdict == "impossible" for row in rows)),
        ("open", sum(not row.decided for row in rows)),
        ("not as published", sum(row.fate in (Verdict.REFUTED, Verdict.ELSEWHERE) for row in rows)),
    ]


def _heading(heading: tuple[str, str]) -> str:
    by, words = heading
    return f'<th scope="col"{f" data-by={by}" if by else ""}{" class=count" if by in NUMERIC else ""}>{words}</th>'


def _row(row: PuzzleRow, picture: str) -> str:
    cells = [
        f'<td class="picture">{picture}</td>',
        f'<th scope="row">{escape(row.puzzle)}<span class="small">{escape(row.family)}</span></th>',
        f'<td class="count">{row.area:,}</td>',
        f'<td><span class="{STYLES.get(row.verdict, "unknown")}">{escape(row.verdict)}</span></td>',
        f'<td class="count">{number(row.all)}</td>',
        f'<td class="count">{number(row.distinct)}</td>',
        f'<td class="how">{escape(row.how) or number(None)}{_evidence(row)}</td>',
        f'<td><span class="{STYLES.get(row.fate, "soft")}" title="{escape("; ".join(row.claims))}">{escape(row.fate_words)}</span></td>',
        f'<td class="count">{row.cpu:,.1f}</td>',
    ]
    numbers = {"area": row.area, "all": row.all, "distinct": row.distinct, "cpu": round(row.cpu, 3)}
    data = "".join(f' data-{key}="{"" if n is None else n}"' for key, n in numbers.items())
    return f"<tr{data}>{''.join(cells)}</tr>"


def _evidence(row: PuzzleRow) -> str:
    """Return the argument in words, or the placements of a solution, as a collapsed section."""
    if row.sentences:
        return f"<details><summary>the argument</summary>{''.join(f'<p>{escape(s)}</p>' for s in row.sentences)}</details>"
    if row.solution:
        return f"<details><summary>a solution</summary><code>{escape(' '.join(row.solution))}</code></details>"
    return ""
