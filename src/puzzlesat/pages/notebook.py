"""Notebook output for puzzles, solutions, reports and positions: text, a picture, and a few lines of HTML with it.

``base.Displayed``, their base class with ``_repr_mimebundle_``, calls ``shown`` by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import singledispatch
from html import escape
from itertools import islice
from math import inf

from puzzlesat import pictures
from puzzlesat.base import SILENT, EndedError, Limits, PuzzleError, many
from puzzlesat.counting import Apart, Assembly, Report, number
from puzzlesat.designing import CommonFound, SetsFound
from puzzlesat.disassembly import States
from puzzlesat.pages.challenge_sheet import Sheet, sheet_svg
from puzzlesat.pages.galleries import kept_distinct, list_distinct
from puzzlesat.playing import Hint, Position, sentences
from puzzlesat.proofs import Proof
from puzzlesat.puzzles import BuiltInstance, Instance, Puzzle, Solution, build_instance
from puzzlesat.solvers import LISTING

SHOWN_SECONDS: float = 2
"""Time limit in seconds for finding a solution to draw when a notebook displays a puzzle or a report."""
SHOWN_SOLUTIONS = 12
"""Largest number of solutions of a report that a notebook shows."""

SHOWN_ROWS = 20
"""Largest number of rows of a table."""
TEXT, SVG, HTML = "text/plain", "image/svg+xml", "text/html"


def shown(thing: object) -> dict[str, str]:
    """Return an object by MIME types; only text if there is nothing to draw, or drawing takes too long."""
    try:
        drawn, html = picture(thing), words(thing)
    except (EndedError, PuzzleError):  # counting the puzzle will report what is wrong with it
        return {TEXT: repr(thing)}
    if not drawn:
        return {TEXT: repr(thing)} | ({HTML: html} if html else {})
    return {TEXT: repr(thing), SVG: drawn, HTML: f'<div class="puzzlesat">\n{html}{_fitting(drawn)}</div>\n'}


def _fitting(svg: str) -> str:
    """A picture that is at most as wide as its page."""
    return svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)


# pictures --------------------------------------------------------------------------------------------------------------------


@singledispatch
def picture(thing: object) -> str:
    """Return the SVG of an object; an empty string if there is nothing to draw. Raises TypeError for types that are never drawn."""
    raise TypeError(
        f"{type(thing).__name__}: expected a puzzle, a solution or several, a position, "
        "or what count, hint, challenge, prove, sets, common or apart returned"
    )


@picture.register(Instance)
@picture.register(Puzzle)
def _(thing: Instance | Puzzle) -> str:
    instance = Instance.of(thing)
    limits = Limits(seconds=SHOWN_SECONDS).begun()
    return pictures.puzzle_svg(build_instance(instance, progress=limits.heeding(SILENT)))


@picture.register
def _(thing: Solution) -> str:
    return pictures.solution_svg(thing.built, thing.options, title=_numbered(thing))


@picture.register
def _(thing: Position) -> str:
    return pictures.solution_svg(thing.built, thing.everything)


@picture.register
def _(thing: Hint) -> str:
    if thing.far:
        return ""
    new = [] if thing.further is None else [thing.further.option]
    return pictures.solution_svg(thing.position.built, [*thing.position.everything, *new])


@picture.register
def _(thing: Sheet) -> str:
    return sheet_svg(thing)[0] if thing.challenges else ""


@picture.register
def _(thing: Proof) -> str:
    finding = thing.finding
    if finding is None:
        return _form(thing.built) if thing.begun else ""
    if thing.solvable:
        return pictures.solution_svg(thing.built, finding.solution)
    if finding.weighting is not None:
        return pictures.WeightedForm(thing.built, finding.weighting.weights, finding.weighting.modulus).svg()
    return _form(thing.built)


def _form(built: BuiltInstance) -> str:
    return pictures.solution_picture(built, (), space="layers and bodies").document(built.instance.title)


@picture.register
def _(thing: Assembly) -> str:
    title, parting = f"assembly {thing.number:,}", thing.answer.parting
    if parting is None:
        return pictures.solution_svg(thing.built, thing.options, title=title)
    return pictures.TakingApart(thing.built, thing.options, thing.answer).svg(f"{title}, level {thing.level_words([thing])}")


@picture.register
def _(thing: Apart) -> str:
    if thing.assemblies:
        return picture(thing.assemblies[0])
    return pictures.puzzle_svg(thing.built) if thing.begun else ""


@picture.register
def _(thing: Report) -> str:
    if not thing.begun:
        return ""
    rows = some_distinct(thing)
    return sheet(thing.built, rows, [f"{i}" for i in range(1, len(rows) + 1)]) if rows else pictures.puzzle_svg(thing.built)


@picture.register
def _(thing: SetsFound) -> str:
    """A solution of each set, as far as time allows; of several forms, only for the first set of each."""
    limits = Limits(seconds=SHOWN_SECONDS).begun()
    filled = [one for one in thing.known if one.table]
    drawings = []
    for one in filled[:SHOWN_SOLUTIONS]:
        built = thing.build(one, limits, limits.heeding(SILENT))
        for each in (one.table or ())[: SHOWN_SOLUTIONS if len(filled) == 1 else 1]:
            if (solution := thing.solution(built, each, limits)) is not None:
                name = "" if len(filled) == 1 else f"{one.form}: "
                drawn = pictures.solution_picture(built, solution, space="layers and bodies").titled(many(each.distinct, "way"))
                drawings.append(drawn.titled(f"{name}{one.words(each.uses)}", bold=True))
    return pictures.with_legend(built.puzzle, pictures.in_rows(drawings)).document(thing.kit.title) if drawings else ""


@picture.register
def _(thing: CommonFound) -> str:
    """The first forms found, each filled by each of its tiles."""
    drawings = []
    for one in [one for one in thing.found if one.area is not None][:SHOWN_SOLUTIONS]:
        names = [f"{len(copies)}×{name}" for name, copies in zip(one.tiles, one.fillings, strict=True)]
        each = zip(thing.fillings(one), names, strict=True)
        drawings.append(
            pictures.in_rows([pictures.solution_picture(*filling, space="layers and bodies").titled(name) for filling, name in each], inf)
        )
    return pictures.in_rows(drawings).document(thing.kit.title) if drawings else ""


def gallery(solutions: Iterable[Solution]) -> str:
    """Return the SVG of solutions of one puzzle side by side.

    Raises PuzzleError if there is none, or they belong to several puzzles; TypeError for other objects.
    """
    chosen = list(solutions)
    if (other := next((solution for solution in chosen if not isinstance(solution, Solution)), None)) is not None:
        raise TypeError(f"{type(other).__name__}: expected solutions, such as solve yields them")
    if not chosen:
        raise PuzzleError("there is no solution to draw")
    if len({s.built.instance.name for s in chosen}) > 1:
        raise PuzzleError("these solutions belong to several puzzles; draw each puzzle by itself")
    titles = [_numbered(s) or f"solution {i}" for i, s in enumerate(chosen, start=1)]
    return sheet(chosen[0].built, [s.options for s in chosen], titles)


def sheet(built: BuiltInstance, rows: Sequence[Sequence[int]], titles: Sequence[str]) -> str:
    """Return a picture of solutions, given by their placements, each with its title."""
    return pictures.solutions_svg(built, rows, titles) if len(rows) > 1 else pictures.solution_svg(built, rows[0])


def some_distinct(report: Report) -> list[tuple[int, ...]]:
    """Return the first few distinct solutions: from the solutions that the count kept, otherwise found within ``SHOWN_SECONDS``."""
    if report.placement_numbers is not None and len(report.placement_numbers):
        rows = kept_distinct(report.built.problem, report.placement_numbers, SHOWN_SOLUTIONS)[:SHOWN_SOLUTIONS]
    elif report.found or not report.complete:
        limits = replace(Limits(seconds=SHOWN_SECONDS), cores=1)
        rows = list_distinct(report.built, LISTING, SHOWN_SOLUTIONS, limits).rows
    else:
        return []
    return [tuple(o for o in row if o >= 0) for row in rows.tolist()]


def _numbered(solution: Solution) -> str:
    return "" if solution.number is None else f"solution {solution.number:,} of {solution.of:,}"


@picture.register
def _(thing: States) -> str:
    return pictures.StateGraph(thing).svg()


# words -----------------------------------------------------------------------------------------------------------------------


@singledispatch
def words(thing: object) -> str:
    """Return the HTML above the picture of an object."""
    return ""


@words.register
def _(thing: Instance) -> str:
    credit = f"<br/><small>{escape(thing.credit)}</small>" if thing.credit else ""
    title = f"<p><b>{escape(thing.title)}</b> ({escape(thing.name)}, grid {escape(thing.puzzle.grid.name)}){credit}</p>\n"
    return title + _rules(thing.puzzle)


@words.register
def _(thing: Solution) -> str:
    return f"<p><code>{escape(' '.join(thing.names))}</code></p>\n"


@words.register
def _(thing: Position) -> str:
    return f"<p><code>{escape(' '.join(thing.names(thing.everything)))}</code></p>\n" if thing.everything else ""


@words.register
def _(thing: Hint) -> str:
    return "".join(f"<p>{escape(sentence)}</p>\n" for sentence in sentences(thing, options=False))


@words.register
def _(thing: Sheet) -> str:
    return f"<p><b>{escape(thing.heading)}</b><br>{escape(thing.about)}</p>\n"


@words.register
def _(thing: Proof) -> str:
    sentences = "<br/>\n".join(map(escape, thing.sentences))
    return f"<p><b>{escape(thing.instance.title)}</b> {escape(thing.verdict)}</p>\n<p>{sentences}</p>\n"


@words.register
def _(thing: Assembly) -> str:
    return f"<p>{'<br/>'.join(map(escape, str(thing).splitlines()))}</p>\n"


@words.register
def _(thing: Apart) -> str:
    levels = _table(("level", "assemblies"), [(level, number(n)) for level, n in thing.levels.items()]) if thing.levels else ""
    return f"<p><b>{escape(thing.sentence)}</b></p>\n{levels}"


@words.register
def _(thing: Report) -> str:
    counts = thing.counts
    named = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
    rows = [tuple(number(n) for n in named.values())] if thing.complete else []
    headings, *solvers = thing.solver_table
    tables = (_table(tuple(named), rows) if rows else "") + (_table(headings, solvers) if solvers else "")
    return f"<p><b>{escape(thing.instance.title)}</b>: {escape(thing.sentence)}</p>\n{_rules(thing.instance.puzzle)}{tables}"


@words.register
def _(thing: SetsFound) -> str:
    each_set = ((one, each) for one in thing.known for each in one.table or ())
    rows = [(one.form, one.words(e.uses), number(e.distinct), number(e.all)) for one, e in islice(each_set, SHOWN_ROWS)]
    left = sum(one.sets or 0 for one in thing.known) - len(rows)
    more = f"<p>… and {left:,} more</p>\n" if left else ""
    ended = "".join(f"<p>{escape(sentence)}</p>\n" for sentence in thing.ended)
    forms = [(one.form, *map(number, (one.area, one.sets, one.once, one.distinct))) for one in thing.known[:SHOWN_ROWS]]
    overview = _table(("form", "area", "sets", "once", "distinct"), forms) if len(forms) > 1 else ""
    return f"<p><b>{escape(thing.kit.title)}</b></p>\n{ended}{overview}{_table(('form', 'tiles', 'distinct', 'all'), rows)}{more}"


@words.register
def _(thing: CommonFound) -> str:
    """A table of the pairs, or a row for each choice of more than two tiles."""
    cells = {frozenset(one.tiles): f">{one.none_to}" if one.area is None else str(one.area) for one in thing.found}
    heading = f"<p><b>{escape(thing.kit.title)}</b>: faces of the smallest form that both tiles fill; &gt;{thing.most}: there is none</p>\n"
    if any(len(one.tiles) > 2 for one in thing.found):
        rows = [(" ".join(one.tiles), cells[frozenset(one.tiles)]) for one in thing.found]
        return heading + _table(("tiles", "faces"), rows)
    names = list(dict.fromkeys(name for one in thing.found for name in one.tiles))
    pairs = [(one, *(cells.get(frozenset((one, other)), "") if one != other else "" for other in names)) for one in names]
    return heading + _table(("", *names), pairs)


def _rules(puzzle: Puzzle) -> str:
    return "".join(f"<p>{escape(rule)}</p>\n" for rule in puzzle.solutions.sentences)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>\n" for cells in rows)
    return f"<table>\n<tr>{first}</tr>\n{lines}</table>\n"
