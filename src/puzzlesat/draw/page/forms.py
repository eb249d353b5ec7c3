"""A sheet of the forms tried with one set of tiles: pictures in one page of HTML that needs nothing but itself, sorted where it is read."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from zlib import compressobj

from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.flat import solution_picture
from puzzlesat.draw.isometric import together_picture
from puzzlesat.draw.page.board import board_as_json
from puzzlesat.draw.page.play import OF_BOARDS
from puzzlesat.draw.page.runs import STYLES
from puzzlesat.draw.page.template import filled, head, inside_script, joined_modules, text_of
from puzzlesat.draw.svg import FONT, Picture

KINDS = ("unique", "several", "solvable", "impossible", "open")
"""What a form is on the sheet: with one solution up to symmetry, with several, with some not counted, with none, or not decided."""
WORDS = {
    "unique": "one solution",
    "several": "several solutions",
    "solvable": "solvable, not counted",
    "impossible": "impossible",
    "open": "not decided",
}


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
    flat = built.puzzle.grid.dimension == 2
    return _svg(solution_picture(built, options) if flat else together_picture(built, options), "a solution" if options else "the form")


def _svg(picture: Picture, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {picture.width + 4:.0f} {picture.height + 4:.0f}" role="img"'
        f' aria-label="{label}" font-family="{FONT}" text-anchor="middle">{picture.body}</svg>'
    )


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
