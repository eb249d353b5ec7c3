"""Sheets of forms as self-contained HTML pages, for the screen or for printing.

A sheet shows the forms that were tried with one set of tiles, the sets of tiles that fill each form, or forms that several tiles fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rich.text import Text

from puzzlesat.base import Limits, Progress, many
from puzzlesat.counting import Record, solutions
from puzzlesat.designing import FormSets, SetsFound, file_stem
from puzzlesat.pages.report import MAX_PLACEMENTS, OF_BOARDS
from puzzlesat.pages.template import filled, head, inside_script, joined_modules, packed, text_of
from puzzlesat.pictures import SolutionPictures, WeightedForm, board_as_json, solution_picture, with_legend
from puzzlesat.playing import Position, difficulty
from puzzlesat.proofs import FoundArgument
from puzzlesat.puzzles import BuiltInstance
from puzzlesat.solvers import LISTING

SHEET_STARS_SECONDS: float = 3
"""Time limit in seconds for the difficulty of a form on a sheet of pictures."""
SHEET_LIST_SECONDS: float = 1
"""Time limit in seconds for listing the solutions of a form for its board on the sheet."""
SHEET_LISTED = 1_000
"""Largest number of solutions that a board of the sheet includes."""

KINDS = {
    "unique": "one solution",
    "several": "several solutions",
    "solvable": "solvable, not counted",
    "impossible": "impossible",
    "open": "not decided",
}
"""Kinds of forms, each in words."""

STYLES = {"solvable": "confirmed", "impossible": "claim"}
"""CSS class of each verdict."""


@dataclass(frozen=True)
class FormCard:
    """A form on the sheet."""

    name: str
    verdict: str
    area: int
    argument: str | None = None
    sentences: tuple[str, ...] = ()
    all: int | None = None
    distinct: int | None = None
    agree: bool | None = None
    """True if a second method confirmed the count."""
    symmetry: int | None = None
    """Number of symmetries of the form that the rules allow; None if the form makes no puzzle."""
    stars: int | None = None
    """Difficulty for a person from one to five stars; None if there is no solution, or none is known."""
    form: str = ""
    """Picture of the form as SVG."""
    solution: str = ""
    """Picture of a solution as SVG; empty if none is known."""
    puzzle: str = ""
    """The puzzle as TOML."""
    file: str = ""
    """File name of the puzzle, without suffix."""
    beside: tuple[str, ...] = ()
    """The user's files that the puzzle refers to; they must be in the same folder."""
    board: str = ""
    """The board to play the form, as made by ``packed_board``; empty if the page has none."""

    @classmethod
    def of(
        cls,
        name: str,
        record: Record,
        built: BuiltInstance | None,
        limits: Limits,
        *,
        puzzle: str = "",
        beside: tuple[str, ...] = (),
        plays: bool = False,
    ) -> FormCard:
        """Return the card of a form that was tried.

        A form that makes no puzzle has no picture; one without a known solution has no board.
        """
        values: dict[str, Any] = {key: record[key] for key in ("verdict", "area", "argument", "all", "distinct", "agree")}
        values |= {"name": name, "file": file_stem(name), "sentences": tuple(record["sentences"])}
        if built is None:
            return cls(**values)
        solution = built.options_by_name(record["solution"] or ())
        stars = None
        if record["verdict"] == "solvable":
            stars = difficulty(Position(built, ()), limits.within(SHEET_STARS_SECONDS)).stars
        return cls(
            **values,
            symmetry=len(built.problem.symmetries),
            stars=stars,
            form=card_picture(built, ()),
            solution=card_picture(built, solution) if solution else "",
            puzzle=puzzle,
            beside=beside,
            board=_board(built, record, solution, limits) if plays and solution and len(built.placements) <= MAX_PLACEMENTS else "",
        )

    @property
    def kind(self) -> str:
        """One of ``KINDS``."""
        if self.verdict != "solvable":
            return "impossible" if self.verdict == "impossible" else "open"
        return "solvable" if self.distinct is None else "unique" if self.distinct == 1 else "several"


def forms_page(title: str, cards: Sequence[FormCard], *, untried: int = 0) -> str:
    """Return the page: a card with a picture for each form, and the details of a chosen form.

    Pictures and puzzles are deflated one by one, and are unpacked when they become visible. ``untried`` is the number of forms that were
    requested but not tried. The page's policy forbids the browser to load anything, and to run any other script than the page's own.
    """
    boards = any(card.board for card in cards)
    script = joined_modules((*OF_BOARDS, "forms.js"))
    return filled(
        "forms.html",
        head=head(escape(title), text_of("page.css") + (text_of("board.css") if boards else "") + text_of("forms.css"), script),
        title=escape(title),
        state="unknown" if untried or any(card.kind == "open" for card in cards) else "confirmed",
        sentence=escape(_sentence(cards, untried)),
        figures="\n".join(f"<li><b>{n:,}</b>{name}</li>" for name, n in _figures(cards, untried)),
        data=inside_script([_row(card) for card in cards]),
        packed=inside_script([packed({key: getattr(card, key) for key in PACKED}) for card in cards]),
        boards=inside_script([card.board for card in cards] if boards else []),
        script=script,
    )


def _board(built: BuiltInstance, record: Record, solution: Sequence[int], limits: Limits) -> str:
    """The board of a form. It has all solutions if they are few and match a confirmed count, otherwise the known ones."""
    every = record["all"] if record["agree"] else None
    rows_known = {tuple(sorted(row)) for row in built.problem.option_images.array[:, solution].tolist()}
    if every is not None and len(rows_known) < every <= SHEET_LISTED:
        rows_known.update(solutions(built, LISTING, limits.within(SHEET_LIST_SECONDS)))
    width, filler = max(map(len, rows_known)), len(built.placements)
    rows = [row + (filler,) * (width - len(row)) for row in sorted(rows_known)]
    return packed_board(built, rows, complete=len(rows) == every)


def packed_board(built: BuiltInstance, solutions: Sequence[Sequence[int]], *, complete: bool) -> str:
    """Return the board to play a form, with the known solutions, padded to one size; ``complete``: there are no others."""
    board = board_as_json(built, name=built.instance.name, title=built.instance.title)
    return packed({"board": board, "rows": solutions, "complete": complete})


PACKED = ("form", "solution", "puzzle", "sentences")


def card_picture(built: BuiltInstance, options: Sequence[int]) -> str:
    """Return the picture of a form or of one of its solutions as SVG; in space as a body."""
    drawn = solution_picture(built, options, space="body")
    return drawn.element("a solution" if options else "the form", margin=2, attributes='xmlns="http://www.w3.org/2000/svg" ')


def _row(card: FormCard) -> dict[str, Any]:
    """The keys for sorting and filtering cards. Counts are text, because a JavaScript number would lose digits."""
    keys = ("name", "kind", "verdict", "argument", "area", "agree", "symmetry", "stars", "file", "beside")
    counts = {key: None if count is None else str(count) for key, count in (("all", card.all), ("distinct", card.distinct))}
    own = {key: getattr(card, key) for key in keys}
    return own | counts | {"style": STYLES.get(card.verdict, "unknown"), "plays": card.board != ""}


def _sentence(cards: Sequence[FormCard], untried: int) -> str:
    """A sentence on all forms, in the words of the studio's variants."""
    tried = f"{len(cards):,}" if not untried else f"{len(cards):,} of {len(cards) + untried:,}"
    unique, none = (sum(card.kind == kind for card in cards) for kind in ("unique", "impossible"))
    return f"{tried} {'form' if tried == '1' else 'forms'} tried: {unique:,} with one solution only, {none:,} with none."


def _figures(cards: Sequence[FormCard], untried: int) -> list[tuple[str, int]]:
    figures = [("forms", len(cards))] + [(words, sum(card.kind == kind for card in cards)) for kind, words in KINDS.items()]
    return [(name, n) for name, n in figures if n] + ([("not tried", untried)] if untried else [])


MAX_SETS_OF_FORM = 300
"""Default for the largest number of sets drawn for a form."""
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
class FormWithSets:
    """A form, and the sets that are drawn."""

    form: FormSets
    built: BuiltInstance
    solutions: Sequence[tuple[int, ...] | None]
    """A solution of each set drawn, as ascending options; None if none was found in time."""


def sets_page(
    found: SetsFound, forms: Sequence[FormSets], limits: Limits, progress: Progress, *, most: int | None = None
) -> tuple[str, int]:
    """Return a page of forms, each with up to ``most`` sets of tiles that fill it, and the number of sets drawn.

    The page loads nothing, and runs no script.
    """
    title, pages = found.kit.title, [_with_solutions(found, form, most or MAX_SETS_OF_FORM, limits, progress) for form in forms]
    heading = escape(f"{title}: sets that fill a form" if len(pages) == 1 else f"{title}: sets that fill {many(len(pages), 'form')}")
    legend = with_legend(pages[0].built.puzzle) if pages else None
    page = filled(
        "sets.html",
        head=head(heading, text_of("page.css") + STYLE, ""),
        title=heading,
        about="Below each set you see in how many ways it fills the form, up to the symmetries of the form; ★ marks exactly one way.",
        legend=f"{legend.document('marks and colours')}\n" if legend is not None and legend.body else "",
        forms="\n".join(map(_section, pages)),
    )
    return page, sum(len(each.solutions) for each in pages)


def _with_solutions(found: SetsFound, form: FormSets, most: int, limits: Limits, progress: Progress) -> FormWithSets:
    """Find a solution for each set to draw, beginning with the sets that have most solutions."""
    built = found.build(form, limits, progress)
    solutions = []
    for number, count in enumerate((form.table or ())[:most]):
        progress.of(form.form)({"pictures": number})
        solutions.append(found.solution(built, count, limits))
    return FormWithSets(form, built, solutions)


def _section(page: FormWithSets) -> str:
    record = page.form.record
    figures = "\n".join(_figure(page, number) for number in range(len(page.solutions)))
    left = record["sets"] - len(page.solutions)
    summary = f"{many(record['sets'], 'set')}, {record['once']:,} in exactly one way; {many(record['distinct'], 'solution')}"
    sure = "confirmed by listing the solutions" if record["agree"] else "counted once, and not confirmed"
    more = f"\n<p>… and {left:,} more</p>" if left else ""
    heading = f'<h2>{escape(record["form"])}</h2><p class="about">{summary} ({sure})</p>'
    return f'<section>{heading}\n<div class="sets">\n{figures}\n</div>{more}</section>'


def _figure(page: FormWithSets, number: int) -> str:
    count, solution = (page.form.table or ())[number], page.solutions[number]
    words = escape(page.form.words(count.uses))
    drawn = "" if solution is None else solution_picture(page.built, solution).document(words)
    once = ' class="once"' if count.distinct == 1 else ""
    return f"<figure{once}>{drawn}<figcaption><b>{words}</b> <span>{many(count.distinct, 'way')}</span></figcaption></figure>"


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
        drawn = solution_picture(built, row).document(words)
        figures.append(f"<figure>{drawn}<figcaption><b>{words}</b></figcaption></figure>")
    heading = f"<h2>{escape(fillings[0][0].instance.name)}</h2>"
    return f'<section>{heading}\n<div class="sets">\n{"".join(figures)}\n</div></section>'


def finding_text(built: BuiltInstance, finding: FoundArgument) -> Text | None:
    """Return the picture in text; None if there is nothing to see."""
    if finding.solvable:
        return SolutionPictures(built).text(finding.solution)
    if finding.shown is None:
        return None
    drawn = WeightedForm(built, finding.shown.weights, finding.shown.modulus).text()
    return drawn.append(f"{finding.shown.note}\n", style="dim") if finding.shown.note else drawn
