"""Sheets of challenges as text, SVG, JSON, and HTML for playing and printing; the solutions are separate from the positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from html import escape
from operator import or_
from typing import Any

from puzzlesat.base import SILENT, Displayed, Ending, Limits, Progress, PuzzleError, Sentence, many
from puzzlesat.pages.report import MAX_PLACEMENTS, PLAYED, board_data
from puzzlesat.pages.template import data_element, filled, head, joined_modules, text_of
from puzzlesat.pictures import form_words, in_rows, paper, solution_picture, some_tiles, with_legend
from puzzlesat.playing import POSITIONS, Challenge, Wish, any_seed, challenges, checked_position, hardest, position_text, wish_of
from puzzlesat.puzzles import BuiltInstance, OfPuzzle

SHEET, GAP = 1000.0, 60.0
"""Width of a sheet of pictures, and the gap between pictures."""
FEW, FEW_WIDE, MANY_WIDE = 6, 280.0, 440.0
"""Up to ``FEW`` kinds of pieces still to be placed are drawn in the first width, more kinds in the second width."""
BOARD, AT_SIZE = Sentence("Board"), Sentence("Print at 100 %. The line below each drawing is then 50 mm long.")
CUT = (Sentence("Pieces to cut out"), Sentence("Print this page to get the board and the pieces in their true size, to cut out."))
BUILD = (
    Sentence("Pieces to build"),
    Sentence("Print this page to get the layers of the board in their true size, and a plan of each piece."),
)
UPWARDS = Sentence("Layer 1 is at the bottom.")
"""Texts on the paper pages, and a note on the screen page that they exist, in the plane and in space."""
SOLUTIONS_SHOWN = 4
"""Largest number of solutions drawn for a position; --json has all."""
TO_PLACE, LEGEND = Sentence("to place"), Sentence("marks and colours")
STYLE = """
body { max-width: 66em; }
p.about { color: var(--soft); margin-top: 0; }
.challenge { margin: 0 0 2.2em; break-inside: avoid; border-top: 1px solid var(--line); padding-top: 0.8em; }
figcaption { margin-bottom: 0.8em; } figcaption b { font-size: 1.1em; } figcaption span { color: var(--soft); }
.parts { display: grid; grid-template-columns: minmax(0, auto) minmax(30%, 1fr); gap: 1.5em; align-items: start; }
.parts svg, section.solutions svg { height: auto; max-height: 60vh; }
.cut { break-before: page; } section.solutions { break-before: page; }
section.solutions .all { display: flex; flex-wrap: wrap; gap: 2em; }
@media screen { .cut { display: none; } section.solutions { margin-top: 80vh; } .plays .parts { display: none; } }
@media screen and (max-width: 44rem) {
  h1 { font-size: 1.25em; overflow-wrap: anywhere; }
  .parts { grid-template-columns: minmax(0, 1fr); gap: 1em; } .parts > div:first-child svg { width: 100%; }
  section.solutions .all { gap: 1.2em; } section.solutions figure, section.solutions svg { width: 100%; }
}
@media print {
  .playable { display: none; }
  .cut { width: 182mm; } .cut h2 { margin: 0; padding: 0; font-size: 12pt; line-height: 6mm; }
  .cut p { margin: 0; font-size: 8pt; line-height: 5mm; } .cut svg { width: 182mm; max-width: none; }
  .challenge { margin-bottom: 1em; } figcaption { margin-bottom: 0.4em; }
  .parts svg { max-height: 58mm; } section.solutions svg { max-height: 62mm; max-width: 82mm; } section.solutions .all { gap: 1em 2em; }
}
"""


@dataclass(frozen=True, eq=False, repr=False)
class Sheet(OfPuzzle, Ending, Displayed):
    """Starting positions of one puzzle."""

    challenges: Sequence[Challenge]
    """The positions, from easy to hard."""
    completions: int
    """The number of ways to finish each position."""
    seed: int
    """The random seed; the same seed gives the same positions."""
    more: str = ""
    """Further remarks, in sentences."""
    exhausted: bool = False
    """True if there are fewer positions because no others were found; False if a limit ended the work."""

    def __repr__(self) -> str:
        left = "" if self.why is None else f", {self.why}"
        return f"<Sheet of {many(len(self.challenges), 'challenge')} of {self.instance.name!r}, seed {self.seed}{left}>"

    def __str__(self) -> str:
        return sheet_text(self, solutions=False)

    @property
    def html(self) -> str:
        """A page for playing and printing."""
        return sheet_html(self)

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the puzzle and the number of positions."""
        return self.heading if self.complete else f"{self.heading}; not complete: {self.why}"

    @property
    def heading(self) -> str:
        """The title of the puzzle, and the number of positions."""
        made = len(self.challenges)
        template = "{title}: one starting position" if made == 1 else "{title}: {n} starting positions, from easy to hard"
        return Sentence(template, title=self.instance.title, n=made)

    @property
    def about(self) -> str:
        """The number of ways to finish each position, whether it is confirmed, and the seed."""
        left = "" if self.why is None else f" Not complete: {self.why}."
        if not self.challenges:
            return f"Seed {self.seed}.{left}"
        template = "Each can be finished in {number} ({sure}).{more} Seed {seed}.{left}"
        if len(self.challenges) == 1:
            template = "It can be finished in {number} ({sure}).{more} Seed {seed}.{left}"
        confirmed = all(c.confirmed for c in self.challenges)
        number = Sentence("exactly one way" if self.completions == 1 else "exactly {n} ways", n=self.completions)
        sure = Sentence("counted by two solvers" if confirmed else "one solver says so; nothing confirmed it")
        more = f" {self.more}" if self.more else ""
        return Sentence(template, number=number, sure=sure, more=more, seed=str(self.seed), left=left)


def sheet_parts(sheet: Sheet, width: int | None = None) -> list[tuple[str, str]]:
    """Return the texts on the sheet and on each position, each with its text picture; legends are at most ``width`` wide."""
    parts = [(f"{sheet.heading}\n{sheet.about}\n", "")]
    for i, challenge in enumerate(sheet.challenges, start=1):
        caption = f"{i}.  {_caption(challenge)}\n    to place: {' '.join(_names(challenge))}\n    {_measure(challenge)}\n"
        parts.append((caption, position_text(challenge.position, width=width)[1]))
    return parts


def sheet_text(sheet: Sheet, *, solutions: bool) -> str:
    """Return the positions as text pictures, optionally with the solutions on a separate page."""
    parts = [part for both in sheet_parts(sheet) for part in both if part]
    if solutions:
        parts.append("\fSolutions\n")
        for i, challenge in enumerate(sheet.challenges, start=1):
            for label, solution in _shown(i, challenge):
                names = " ".join(sheet.built.problem.options[o] for o in solution)
                parts.append(f"{label}  {names}\n{position_text(checked_position(sheet.built, solution))[1]}")
    return "\n".join(parts)


def sheet_svg(sheet: Sheet) -> tuple[str, str]:
    """Return a picture of the positions and a picture of the solutions."""
    positions = [
        solution_picture(sheet.built, c.position.everything)
        .titled(f"{i}.  {_caption(c)}", bold=True)
        .above(some_tiles(sheet.built.puzzle, _left(c), MANY_WIDE).titled("to place:", size=12.0))
        for i, c in enumerate(sheet.challenges, start=1)
    ]
    solutions = [
        solution_picture(sheet.built, s).titled(label, bold=True)
        for i, c in enumerate(sheet.challenges, start=1)
        for label, s in _shown(i, c)
    ]
    about = with_legend(sheet.built.puzzle, in_rows(positions, SHEET, gap=GAP)).titled(sheet.about, size=12.0)
    return (
        about.titled(sheet.heading, size=18.0, bold=True).document(sheet.heading),
        in_rows(solutions, SHEET).titled(f"{sheet.built.instance.title}: solutions", size=18.0, bold=True).document("Solutions"),
    )


def paper_pages(sheet: Sheet) -> dict[str, str]:
    """Return the pages with the board and the pieces as SVG files in millimetres, by names such as ``board`` and ``pieces-2``."""
    if not sheet.challenges:
        return {}
    made = paper(sheet.built, tiles_needed(sheet))
    kinds = {"board": made.board, "pieces": made.pieces}
    return {
        kind if len(pages) == 1 else f"{kind}-{i}": f"{page}\n" for kind, pages in kinds.items() for i, page in enumerate(pages, start=1)
    }


def sheet_html(sheet: Sheet, *, german: Callable[[str], str] | None = None) -> str:
    """Return a page for playing and printing: each position with its pieces still to be placed; the solutions begin on a new page.

    On the screen each position is an interactive board, and the page needs no other file; on paper, and without scripts, it is a picture.
    ``german`` translates sentences and titles; the page then is in German if the browser's language is German.
    """
    own = {} if german is None else {english: german(english) for english in page_sentences(sheet)}
    playable = len(sheet.built.placements) <= MAX_PLACEMENTS
    positions = "\n".join(_figure(sheet, i, challenge, playable=playable) for i, challenge in enumerate(sheet.challenges, start=1))
    solutions = "\n".join(
        f"<figure><figcaption><b>{label}</b></figcaption>{solution_picture(sheet.built, s).document(_of_solution(i))}</figure>"
        for i, challenge in enumerate(sheet.challenges, start=1)
        for label, s in _shown(i, challenge)
    )
    script = joined_modules(PLAYED) if playable else ""
    return filled(
        "sheet.html",
        head=head(escape(sheet.heading), text_of("page.css") + text_of("board.css") + STYLE, script),
        title=escape(sheet.heading),
        about=escape(sheet.about),
        legend=_legend(sheet),
        positions=positions,
        paper=_paper(sheet),
        solutions=solutions,
        data=f"{board_data(sheet.built)}{_played(sheet, own)}<script>{script}</script>\n" if playable else "",
    )


def tiles_needed(sheet: Sheet) -> list[int]:
    """Return the tiles that suffice for each solution of the positions: of each tile, the largest number in one solution."""
    used = (Counter(sheet.built.placements[o].tile for o in challenge.made_from) for challenge in sheet.challenges)
    return sorted(reduce(or_, used).elements())


def page_sentences(sheet: Sheet) -> list[str]:
    """Return the sentences on the page, for translation."""
    every = [sheet.heading, sheet.about, Sentence("To place:"), Sentence("Solutions"), TO_PLACE, LEGEND]
    every += form_words(sheet.built, legend=True)
    if sheet.challenges:
        made = paper(sheet.built, tiles_needed(sheet))
        every += [BOARD, *_kind_of_paper(sheet), *_about_paper(sheet, made.millimetres), *made.layer_names]
    for i, challenge in enumerate(sheet.challenges, start=1):
        every += [_caption(challenge), _measure(challenge), _of_position(i), _of_solution(i)]
        every += [label for label, _ in _shown(i, challenge)]
    return every


def _of_position(i: int) -> str:
    return Sentence("Position {n}", n=i)


def _of_solution(i: int) -> str:
    return Sentence("Solution {n}", n=i)


def _played(sheet: Sheet, german: Mapping[str, str]) -> str:
    """The page's data besides the puzzle: the given pieces and all completions of each position, and the translated sentences."""
    names, none = sheet.built.problem.options, len(sheet.built.placements)
    positions = []
    for challenge in sheet.challenges:
        width = max(map(len, challenge.completions))
        rows = [[*row, *[none] * (width - len(row))] for row in challenge.completions]
        positions.append({"given": [names[o] for o in challenge.position.placed], "rows": rows})
    data: dict[str, Any] = {"challenges": positions} | ({"german": german} if german else {})
    return "".join(data_element(name, content) for name, content in data.items())


def sheet_json(sheet: Sheet) -> list[dict[str, Any]]:
    """Return one dictionary for each position."""
    name = sheet.built.problem.options
    return [
        {
            "number": i,
            "instance": sheet.built.instance.name,
            "complete": sheet.complete,
            "why": sheet.why,
            "seed": sheet.seed,
            "placed": [name[o] for o in c.position.everything],
            "to_place": _names(c),
            "completions": len(c.completions),
            "solutions": [[name[o] for o in s] for s in c.completions],
            **{key: getattr(c, key) for key in ("minimal", "nodes", "forced", "confirmed", "least")},
        }
        for i, c in enumerate(sheet.challenges, start=1)
    ]


def _figure(sheet: Sheet, i: int, challenge: Challenge, *, playable: bool) -> str:
    board = solution_picture(sheet.built, challenge.position.everything).document(_of_position(i))
    left = _left(challenge)
    tiles = some_tiles(sheet.built.puzzle, left, FEW_WIDE if len(left) <= FEW else MANY_WIDE).document(TO_PLACE)
    played = f'<div class="playable" data-challenge="{i - 1}"></div>' if playable else ""
    caption = f"<b>{i}.</b> {escape(_caption(challenge))}<br><span>{escape(_measure(challenge))}</span>"
    return (
        f'<figure class="challenge"><figcaption>{caption}</figcaption>'
        f'<div class="parts"><div>{board}</div><div>To place:{tiles}</div></div>{played}</figure>'
    )


def _paper(sheet: Sheet) -> str:
    """The board and the pieces on paper, one section for each page."""
    if not sheet.challenges:
        return ""
    made = paper(sheet.built, tiles_needed(sheet))
    heading, note = _kind_of_paper(sheet)
    about = " ".join(f"<span>{words}</span>" for words in _about_paper(sheet, made.millimetres))
    drawn = [*((BOARD, page) for page in made.board), *((heading, page) for page in made.pieces)]
    sections = (f'<section class="cut"><h2>{words}</h2><p>{about}</p>{svg}</section>' for words, svg in drawn)
    return f'<p class="about screen">{note}</p>\n' + "\n".join(sections) + "\n"


def _kind_of_paper(sheet: Sheet) -> tuple[Sentence, Sentence]:
    """The heading of the pieces on paper, and the note on the screen page."""
    return CUT if sheet.built.puzzle.grid.dimension == 2 else BUILD


def _about_paper(sheet: Sheet, millimetres: str) -> list[Sentence]:
    """The notes on each paper page: print at true size, and the size of cubes or balls that fit."""
    grid = sheet.built.puzzle.grid
    if grid.dimension == 2:
        return [AT_SIZE]
    fitting = "Balls of {n} mm fit on the board." if grid.of_balls else "Cubes of {n} mm fit on the board."
    return [AT_SIZE, *([Sentence(fitting, n=millimetres)] if grid.of_balls or grid.name == "cube" else []), UPWARDS]


def _caption(challenge: Challenge) -> str:
    placed, left = len(challenge.position.everything), challenge.left
    return Sentence("{n} {n|piece|pieces} placed, {left} left", n=placed, left=left)


def _measure(challenge: Challenge) -> str:
    """The difficulty of the position as measured."""
    sentences = [Sentence("a search goes through {n} {n|node|nodes}", n=challenge.nodes)]
    if challenge.forced == challenge.left:
        sentences.append(Sentence("every piece is forced in turn"))
    elif challenge.forced:
        first = "the first piece is forced" if challenge.forced == 1 else "the first {n} pieces are forced"
        sentences.append(Sentence(first, n=challenge.forced))
    else:
        sentences.append(Sentence("no piece is forced at first sight"))
    if challenge.minimal:
        sentences.append(Sentence("every piece placed is needed"))
    return Sentence.in_a_row(sentences)


def _names(challenge: Challenge) -> list[str]:
    """The tiles still to be placed in the solution from which the position was made, with the number of copies."""
    tiles = challenge.position.built.puzzle.tiles
    return [tiles[t].name + (f" ×{n}" if n > 1 else "") for t, n in sorted(_left(challenge).items())]


def _left(challenge: Challenge) -> Counter[int]:
    built = challenge.position.built
    placed = set(challenge.position.everything)
    return Counter(built.placements[o].tile for o in challenge.made_from if o not in placed)


def _shown(i: int, challenge: Challenge) -> list[tuple[str, tuple[int, ...]]]:
    """The drawn solutions of position i, each with a label; the solution from which the position was made comes first."""
    others = [s for s in challenge.completions if s != challenge.made_from]
    count = len(challenge.completions)
    shown = enumerate([challenge.made_from, *others][:SOLUTIONS_SHOWN], start=1)
    return [(f"{i}." if count == 1 else Sentence("{i}. – {k} of {n} solutions", i=i, k=k, n=count), s) for k, s in shown]


def _legend(sheet: Sheet) -> str:
    """The marks and colours of the pieces, if they have any."""
    legend = with_legend(sheet.built.puzzle)
    return f"{legend.document(LEGEND)}\n" if legend.body else ""


@dataclass(frozen=True)
class ChallengeOrder:
    """The options of the command and function ``challenge``. Raises PuzzleError for contradictory options."""

    count: int | None = None
    """The number of positions; None: ``POSITIONS``."""
    hardest: bool = False
    """Make one position instead, with the fewest pieces that leave one completion."""
    placed: int | None = None
    most: int | None = None
    fewest: int | None = None
    completions: int = 1
    seed: int = field(default_factory=any_seed)

    def __post_init__(self) -> None:
        if (self.count is not None and self.count < 1) or self.completions < 1:
            raise PuzzleError(f"{'completions' if self.completions < 1 else 'count'}: expected 1 or more")
        numbers = (self.count, self.placed, self.most, self.fewest)
        if self.hardest and (self.completions != 1 or any(number is not None for number in numbers)):
            raise PuzzleError("hardest makes one position, with one completion: numbers of positions, pieces or completions are not for it")
        if not self.hardest:
            wish_of(self.completions, placed=self.placed, most=self.most, fewest=self.fewest)

    @property
    def number(self) -> int:
        """The number of positions to make."""
        return 1 if self.hardest else POSITIONS if self.count is None else self.count

    @property
    def wish(self) -> Wish:
        """The requirements on each position."""
        return wish_of(self.completions, placed=self.placed, most=self.most, fewest=self.fewest)


def sheet_of(built: BuiltInstance, order: ChallengeOrder, limits: Limits, progress: Progress = SILENT) -> Sheet:
    """Make the positions, as far as the limits allow. If there are fewer, ``why`` of the sheet tells the reason."""
    hardest_position = hardest(built, order.seed, limits, progress) if order.hardest else None
    if order.hardest:
        made = [] if hardest_position is None else [hardest_position.challenge]
    else:
        made = challenges(built, order.number, order.wish, order.seed, limits, progress)
    complete = len(made) == order.number and not (order.hardest and limits.over() and not made[0].least)
    ended = "interrupted" if limits.stop.is_set() else None if complete else limits.over()
    why = None if ended is None else f"{ended} after {many(len(made), 'position')}"
    exhausted = why is None and 0 < len(made) < order.number
    if exhausted:
        why = f"only {many(len(made), 'different position')} {'was' if len(made) == 1 else 'were'} found"
    return Sheet(
        built, made, order.completions, order.seed, "" if hardest_position is None else hardest_position.words, why=why, exhausted=exhausted
    )
