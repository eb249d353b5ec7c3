"""A sheet of sets of tiles: for each form those that fill it, each with a solution, to look at or to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from puzzlesat.candidates.generate import Candidate
from puzzlesat.candidates.kit import Kit
from puzzlesat.candidates.sets import build_form, sets_in, solution_of
from puzzlesat.config.results import Record
from puzzlesat.counting.sets import SetCount, words_of
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.flat import solution_picture, with_legend
from puzzlesat.draw.page.template import filled, head, text_of
from puzzlesat.draw.svg import Picture, document
from puzzlesat.errors import many
from puzzlesat.progress import Progress
from puzzlesat.solvers.run import Limits

MOST_ON_A_SHEET = 300
"""Sets of a form that are drawn, unless somebody asks for more."""
STYLE = """
body { max-width: 80em; }
p.about, figcaption span { color: var(--soft); }
section { border-top: 1px solid var(--line); padding-top: 0.4em; margin-bottom: 2em; }
.sets { display: grid; grid-template-columns: repeat(auto-fill, minmax(11em, 1fr)); gap: 1.4em 1.2em; }
figure { margin: 0; break-inside: avoid; } figure svg { width: 100%; height: auto; max-height: 14em; }
figcaption { font-size: 0.85em; margin-top: 0.3em; } figcaption b { overflow-wrap: anywhere; }
figure.once b::after { content: " ★"; }
"""


@dataclass(frozen=True)
class Shown:
    """A form, and the sets that are drawn."""

    record: Record
    built: BuiltInstance
    solutions: Sequence[tuple[SetCount, tuple[int, ...] | None]]
    """A solution of each, as ascending options; None where none was found in the time available."""


def shown(kit: Kit, form: Candidate, record: Record, most: int, limits: Limits, progress: Progress) -> Shown:
    """Find a solution of each set of a form that is to be drawn, those of most solutions first."""
    built = build_form(kit, form, progress=progress, memory=limits.memory)
    solutions = []
    for number, each in enumerate(sets_in(record)[:most]):
        progress.of(form.name)({"pictures": number})
        solutions.append((each, solution_of(built, each.uses, limits)))
    return Shown(record, built, solutions)


def as_html(title: str, pages: Sequence[Shown]) -> str:
    """Return a page of the forms in their order; it loads nothing, and runs no script."""
    heading = escape(f"{title}: sets that fill a form" if len(pages) == 1 else f"{title}: sets that fill {many(len(pages), 'form')}")
    empty = Picture(0.0, 0.0, "")
    legend = with_legend(pages[0].built.puzzle, empty) if pages else empty
    return filled(
        "sets.html",
        head=head(heading, text_of("page.css") + STYLE, ""),
        title=heading,
        about="Below each set you see in how many ways it fills the form, up to the symmetries of the form; ★ marks exactly one way.",
        legend="" if legend is empty else f"{document(legend, 'marks and colours')}\n",
        forms="\n".join(map(_section, pages)),
    )


def _section(page: Shown) -> str:
    record = page.record
    figures = "\n".join(_figure(page, each, solution) for each, solution in page.solutions)
    left = record["sets"] - len(page.solutions)
    said = f"{many(record['sets'], 'set')}, {record['once']:,} in exactly one way; {many(record['distinct'], 'solution')}"
    sure = "confirmed by listing the solutions" if record["agree"] else "counted once, and not confirmed"
    more = f"\n<p>… and {left:,} more</p>" if left else ""
    heading = f'<h2>{escape(record["form"])}</h2><p class="about">{said} ({sure})</p>'
    return f'<section>{heading}\n<div class="sets">\n{figures}\n</div>{more}</section>'


def _figure(page: Shown, each: SetCount, solution: tuple[int, ...] | None) -> str:
    words = escape(words_of(page.record["tiles"], each.uses))
    drawn = "" if solution is None else document(solution_picture(page.built, solution), words)
    once = ' class="once"' if each.distinct == 1 else ""
    return f"<figure{once}>{drawn}<figcaption><b>{words}</b> <span>{many(each.distinct, 'way')}</span></figcaption></figure>"


def common_html(title: str, forms: Sequence[Sequence[tuple[BuiltInstance, tuple[int, ...]]]]) -> str:
    """Return a page of forms that several tiles fill, each with its fillings side by side."""
    heading = escape(f"{title}: {many(len(forms), 'form')} filled by two tiles and more")
    return filled(
        "sets.html",
        head=head(heading, text_of("page.css") + STYLE, ""),
        title=heading,
        about="Each form is filled by copies of one tile, and again by copies of another.",
        legend="",
        forms="\n".join(map(_filled_twice, forms)),
    )


def _filled_twice(fillings: Sequence[tuple[BuiltInstance, tuple[int, ...]]]) -> str:
    figures = []
    for built, row in fillings:
        words = escape(f"{len(row)}×{built.puzzle.tiles[0].name}")
        drawn = document(solution_picture(built, row), words)
        figures.append(f"<figure>{drawn}<figcaption><b>{words}</b></figcaption></figure>")
    heading = f"<h2>{escape(fillings[0][0].instance.name)}</h2>"
    return f'<section>{heading}\n<div class="sets">\n{"".join(figures)}\n</div></section>'
