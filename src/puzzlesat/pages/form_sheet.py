"""Sheets of forms as pages of HTML that need nothing but themselves, to look at or to print.

A sheet shows the forms that were tried with one set of tiles, the sets of tiles that fill each form, or forms that several tiles fill.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from zlib import compressobj

from rich.text import Text

from puzzlesat.base import Limits, Progress, many
from puzzlesat.counting import solutions
from puzzlesat.designing import IMPOSSIBLE, SOLVABLE, FormSets, SetCount, SetsFound, words_of
from puzzlesat.pages.report import MOST_PLACEMENTS, OF_BOARDS
from puzzlesat.pages.template import filled, head, inside_script, joined_modules, text_of
from puzzlesat.pictures import SolutionPictures, WeightedForm, board_as_json, solution_picture, with_legend
from puzzlesat.playing import Position, difficulty
from puzzlesat.proofs import FoundArgument
from puzzlesat.puzzles import Built, BuiltInstance, OptionImages, Record
from puzzlesat.solvers import LISTING

SHEET_STARS_SECONDS: float = 3
"""Time limit for the difficulty of a form on a sheet of pictures."""
SHEET_LIST_SECONDS: float = 1
"""Time limit for listing the solutions of a form for its board on the sheet."""
SHEET_LISTED = 1_000
"""Largest number of solutions with which a board of the sheet has all of them."""

KINDS = ("unique", "several", "solvable", "impossible", "open")
"""What a form is on the sheet: with one solution up to symmetry, with several, with some not counted, with none, or not decided."""
WORDS = {
    "unique": "one solution",
    "several": "several solutions",
    "solvable": "solvable, not counted",
    "impossible": "impossible",
    "open": "not decided",
}

STYLES = {SOLVABLE: "confirmed", IMPOSSIBLE: "claim"}
"""The class of a verdict in the style sheet."""


@dataclass(frozen=True)
class FormCard:
    """A form as the sheet shows it."""

    name: str
    verdict: str
    area: int
    argument: str | None = None
    sentences: tuple[str, ...] = ()
    all: int | None = None
    distinct: int | None = None
    agree: bool | None = None
    """Whether a second way of counting confirmed the count."""
    symmetry: int | None = None
    """The number of symmetries of the form that the rules allow; None where the form makes no puzzle."""
    stars: int | None = None
    """How hard it is for a person, from one to five; None where there is no solution, or none is known."""
    form: str = ""
    """Picture of the form as SVG."""
    solution: str = ""
    """Picture of a solution as SVG; empty where none is known."""
    puzzle: str = ""
    """The puzzle as TOML."""
    file: str = ""
    """The name of a file for it, without suffix."""
    beside: tuple[str, ...] = ()
    """Files of one's own that the puzzle names, which have to lie in the same folder."""
    board: str = ""
    """The board to play the form, as ``packed_board`` makes it; empty where the page has none."""

    @classmethod
    def of(
        cls,
        name: str,
        file: str,
        record: Record,
        built: BuiltInstance | None,
        limits: Limits,
        *,
        puzzle: str = "",
        beside: tuple[str, ...] = (),
        plays: bool = False,
    ) -> FormCard:
        """Return what is shown of a form that was tried; one that makes no puzzle has no picture, one without a known solution no board."""
        known: dict[str, Any] = {key: record[key] for key in ("verdict", "area", "argument", "all", "distinct", "agree")}
        known |= {"name": name, "file": file, "sentences": tuple(record["sentences"])}
        if built is None:
            return cls(**known)
        solution = built.options_by_name(record["solution"] or ())
        stars = None
        if record["verdict"] == SOLVABLE:
            stars = difficulty(Position(built, ()), limits.within(SHEET_STARS_SECONDS)).stars
        return cls(
            **known,
            symmetry=len(built.problem.symmetries),
            stars=stars,
            form=card_picture(built, ()),
            solution=card_picture(built, solution) if solution else "",
            puzzle=puzzle,
            beside=beside,
            board=_board(built, record, solution, limits) if plays and solution and len(built.placements) <= MOST_PLACEMENTS else "",
        )

    @property
    def kind(self) -> str:
        """One of ``KINDS``."""
        if self.verdict != "solvable":
            return "impossible" if self.verdict == "impossible" else "open"
        return "solvable" if self.distinct is None else "unique" if self.distinct == 1 else "several"


def forms_page(title: str, cards: Sequence[FormCard], version: str, *, untried: int = 0) -> str:
    """Return the page: a card with a picture for each form, and what is known of it when it is chosen.

    Pictures and puzzles stand in the page deflated, one by one, and are unpacked when they are seen. ``untried`` is how many forms
    were asked for besides. The browser is told to load nothing, and to run no script but the page's own.
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
        version=escape(version),
        data=inside_script([_row(card) for card in cards]),
        packed=inside_script([packed({key: getattr(card, key) for key in PACKED}) for card in cards]),
        boards=inside_script([card.board for card in cards] if boards else []),
        script=script,
    )


def _board(built: BuiltInstance, record: Record, solution: Sequence[int], limits: Limits) -> str:
    """The board of a form with all solutions, where they are few and as many as a confirmed count says; else with those that are known."""
    every = record["all"] if record["agree"] else None
    found = {tuple(sorted(row)) for row in OptionImages(built.problem).array[:, solution].tolist()}
    if every is not None and len(found) < every <= SHEET_LISTED:
        found.update(solutions(built, LISTING, limits.within(SHEET_LIST_SECONDS)))
    width, filler = max(map(len, found)), len(built.placements)
    rows = [row + (filler,) * (width - len(row)) for row in sorted(found)]
    return packed_board(built, rows, complete=len(rows) == every)


def packed_board(built: BuiltInstance, solutions: Sequence[Sequence[int]], *, complete: bool) -> str:
    """Return the board to play a form, with the solutions that are known, padded to one size; ``complete``: there are no others."""
    board = board_as_json(built, name=built.instance.name, title=built.instance.title)
    return packed({"board": board, "rows": solutions, "complete": complete})


PACKED = ("form", "solution", "puzzle", "sentences")


def packed(value: dict[str, Any]) -> str:
    """Return plain data as JSON, deflated (RFC 1951), in base64: a script unpacks it by ``DecompressionStream("deflate-raw")``."""
    deflater = compressobj(9, wbits=-15)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return b64encode(deflater.compress(text) + deflater.flush()).decode("ascii")


def card_picture(built: Built, options: Sequence[int]) -> str:
    """Return the picture of a form, or of a solution of it, as SVG; in space as a body."""
    drawn = solution_picture(built, options, space="body")
    return drawn.element("a solution" if options else "the form", margin=2, attributes='xmlns="http://www.w3.org/2000/svg" ')


def _row(card: FormCard) -> dict[str, Any]:
    """What a card is sorted and chosen by; counts as text where a number of JavaScript would lose digits."""
    return {
        "name": card.name,
        "kind": card.kind,
        "verdict": card.verdict,
        "style": STYLES.get(card.verdict, "unknown"),
        "argument": card.argument,
        "area": card.area,
        "all": None if card.all is None else str(card.all),
        "distinct": None if card.distinct is None else str(card.distinct),
        "agree": card.agree,
        "symmetry": card.symmetry,
        "stars": card.stars,
        "file": card.file,
        "beside": card.beside,
        "plays": card.board != "",
    }


def _sentence(cards: Sequence[FormCard], untried: int) -> str:
    """One line about all forms, in the words of the studio's variants."""
    tried = f"{len(cards):,}" if not untried else f"{len(cards):,} of {len(cards) + untried:,}"
    unique, none = (sum(card.kind == kind for card in cards) for kind in ("unique", "impossible"))
    return f"{tried} {'form' if tried == '1' else 'forms'} tried: {unique:,} with one solution only, {none:,} with none."


def _figures(cards: Sequence[FormCard], untried: int) -> list[tuple[str, int]]:
    figures = [("forms", len(cards))] + [(WORDS[kind], sum(card.kind == kind for card in cards)) for kind in KINDS]
    return [(name, n) for name, n in figures if n] + ([("not tried", untried)] if untried else [])


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
class FormWithSets:
    """A form, and the sets that are drawn."""

    record: Record
    built: BuiltInstance
    solutions: Sequence[tuple[SetCount, tuple[int, ...] | None]]
    """A solution of each, as ascending options; None where none was found in the time available."""


def sets_page(
    found: SetsFound, forms: Sequence[FormSets], limits: Limits, progress: Progress, *, most: int | None = None
) -> tuple[str, int]:
    """Return a page of forms, each with the sets of tiles that fill it, up to ``most``, and the number of sets that are drawn.

    The page loads nothing, and runs no script.
    """
    title, pages = found.kit.title, [_with_solutions(found, one, most or MOST_ON_A_SHEET, limits, progress) for one in forms]
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


def _with_solutions(found: SetsFound, one: FormSets, most: int, limits: Limits, progress: Progress) -> FormWithSets:
    """Find a solution of each set of a form that is to be drawn, those of most solutions first."""
    built = found.build(one, limits, progress)
    solutions = []
    for number, each in enumerate((one.table or ())[:most]):
        progress.of(one.form)({"pictures": number})
        solutions.append((each, found.solution(built, each, limits)))
    return FormWithSets(one.record, built, solutions)


def _section(page: FormWithSets) -> str:
    record = page.record
    figures = "\n".join(_figure(page, each, solution) for each, solution in page.solutions)
    left = record["sets"] - len(page.solutions)
    said = f"{many(record['sets'], 'set')}, {record['once']:,} in exactly one way; {many(record['distinct'], 'solution')}"
    sure = "confirmed by listing the solutions" if record["agree"] else "counted once, and not confirmed"
    more = f"\n<p>… and {left:,} more</p>" if left else ""
    heading = f'<h2>{escape(record["form"])}</h2><p class="about">{said} ({sure})</p>'
    return f'<section>{heading}\n<div class="sets">\n{figures}\n</div>{more}</section>'


def _figure(page: FormWithSets, each: SetCount, solution: tuple[int, ...] | None) -> str:
    words = escape(words_of(page.record["tiles"], each.uses))
    drawn = "" if solution is None else solution_picture(page.built, solution).document(words)
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
        drawn = solution_picture(built, row).document(words)
        figures.append(f"<figure>{drawn}<figcaption><b>{words}</b></figcaption></figure>")
    heading = f"<h2>{escape(fillings[0][0].instance.name)}</h2>"
    return f'<section>{heading}\n<div class="sets">\n{"".join(figures)}\n</div></section>'


def finding_text(built: Built, finding: FoundArgument) -> Text | None:
    """Return the picture in text; None where there is nothing to see."""
    if finding.argument == SOLVABLE:
        return SolutionPictures(built).text(finding.solution)
    if finding.shown is None:
        return None
    drawn = WeightedForm(built, finding.shown.weights, finding.shown.modulus).text()
    return drawn.append(f"{finding.shown.note}\n", style="dim") if finding.shown.note else drawn
