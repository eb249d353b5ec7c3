"""What a notebook shows of puzzles, solutions, reports and positions: text, a picture, and a few lines of HTML with it.

``display.Displayed``, from which these have their ``_repr_mimebundle_``, asks for it by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import singledispatch
from html import escape

from puzzlesat.counting.confirmation import first_sentence
from puzzlesat.counting.listing import Solution
from puzzlesat.counting.report import Report, Unbegun
from puzzlesat.counting.words import SOLVER_HEADINGS, number, solver_cells
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.draw.colouring import colouring_svg
from puzzlesat.draw.flat import form_svg, puzzle_svg, solution_svg, solutions_svg
from puzzlesat.draw.page.gallery import kept_distinct, list_distinct
from puzzlesat.errors import PuzzleError
from puzzlesat.play.hint import Hint, sentences
from puzzlesat.play.position import Position
from puzzlesat.play.sheet import Sheet, as_svg
from puzzlesat.progress import SILENT
from puzzlesat.proof.prove import Proof
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.instance import Instance, instance_of
from puzzlesat.solvers.run import EndedError, Limits, heeding
from puzzlesat.solvers.strategy import LISTING, SHOWN_SECONDS, SHOWN_SOLUTIONS

TEXT, SVG, HTML = "text/plain", "image/svg+xml", "text/html"


def shown(thing: object) -> dict[str, str]:
    """Return an object by MIME types; text alone where there is nothing to draw, or drawing it takes too long for a glance."""
    try:
        drawn, said = picture(thing), words(thing)
    except (EndedError, PuzzleError):  # what is wrong with a puzzle is said by whoever counts it
        return {TEXT: repr(thing)}
    if not drawn:
        return {TEXT: repr(thing)} | ({HTML: said} if said else {})
    return {TEXT: repr(thing), SVG: drawn, HTML: f'<div class="puzzlesat">\n{said}{_fitting(drawn)}</div>\n'}


def _fitting(svg: str) -> str:
    """A picture that is no wider than its page."""
    return svg.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)


# pictures --------------------------------------------------------------------------------------------------------------------


@singledispatch
def picture(thing: object) -> str:
    """Return the SVG of an object; nothing where there is nothing to draw. Raises TypeError for what is never drawn."""
    raise TypeError(f"{type(thing).__name__}: expected a puzzle, a solution or several, a report, a position or a hint")


@picture.register(Instance)
@picture.register(Puzzle)
def _(thing: Instance | Puzzle) -> str:
    instance = instance_of(thing)
    limits = Limits(seconds=SHOWN_SECONDS).begun()
    return puzzle_svg(build_instance(instance, progress=heeding(SILENT, limits)))


@picture.register
def _(thing: Solution) -> str:
    return solution_svg(thing.built, thing.options, title=_numbered(thing))


@picture.register
def _(thing: Position) -> str:
    return solution_svg(thing.built, thing.everything)


@picture.register
def _(thing: Hint) -> str:
    new = [] if thing.further is None else [thing.further.option]
    return solution_svg(thing.position.built, [*thing.position.everything, *new])


@picture.register
def _(thing: Sheet) -> str:
    return as_svg(thing)[0] if thing.challenges else ""


@picture.register
def _(thing: Proof) -> str:
    finding = thing.finding
    if thing.solvable:
        return solution_svg(thing.built, finding.solution)
    if finding.weighting is not None:
        return colouring_svg(thing.built, finding.weighting.weights, modulus=finding.weighting.modulus)
    return form_svg(thing.built)


@picture.register
def _(thing: Report) -> str:
    rows = some_distinct(thing)
    return sheet(thing.built, rows, [f"{i}" for i in range(1, len(rows) + 1)]) if rows else puzzle_svg(thing.built)


@picture.register
def _(thing: Unbegun) -> str:
    return ""


def gallery(solutions: Iterable[Solution]) -> str:
    """Return the SVG of solutions of one puzzle side by side. Raises PuzzleError where there is none, or they are of several puzzles."""
    found = list(solutions)
    if not found:
        raise PuzzleError("there is no solution to draw")
    if len({s.built.instance.name for s in found}) > 1:
        raise PuzzleError("these are solutions of several puzzles; draw those of each by themselves")
    titles = [_numbered(s) or f"solution {i}" for i, s in enumerate(found, start=1)]
    return sheet(found[0].built, [s.options for s in found], titles)


def sheet(built: BuiltInstance, rows: Sequence[Sequence[int]], titles: Sequence[str]) -> str:
    """Return a picture of solutions, given by their placements, each with its title."""
    return solutions_svg(built, rows, titles) if len(rows) > 1 else solution_svg(built, rows[0])


def some_distinct(report: Report) -> list[tuple[int, ...]]:
    """Return the first few distinct solutions: of those that the count kept, or else what a glance finds."""
    if report.solutions is not None and len(report.solutions):
        rows = kept_distinct(report.built.problem, report.solutions, SHOWN_SOLUTIONS)[:SHOWN_SOLUTIONS]
    elif report.found or not report.complete:
        limits = replace(Limits(seconds=SHOWN_SECONDS), cores=1)
        rows = list_distinct(report.built, LISTING, SHOWN_SOLUTIONS, limits).rows
    else:
        return []
    return [tuple(o for o in row if o >= 0) for row in rows.tolist()]


def _numbered(solution: Solution) -> str:
    return "" if solution.number is None else f"solution {solution.number:,} of {solution.of:,}"


# words -----------------------------------------------------------------------------------------------------------------------


@singledispatch
def words(thing: object) -> str:
    """Return in HTML what stands above the picture of an object."""
    return ""


@words.register
def _(thing: Instance) -> str:
    credit = f"<br/><small>{escape(thing.credit)}</small>" if thing.credit else ""
    return f"<p><b>{escape(thing.title)}</b> ({escape(thing.name)}, grid {escape(thing.puzzle.grid.name)}){credit}</p>\n"


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
    title = "can be solved" if thing.solvable else f"has no solution: {thing.argument}"
    said = "<br/>\n".join(map(escape, thing.sentences))
    return f"<p><b>{escape(thing.built.instance.title)}</b> {escape(title)}</p>\n<p>{said}</p>\n"


@words.register
def _(thing: Report) -> str:
    counts = thing.counts
    named = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
    found = [tuple(number(n) for n in named.values())] if thing.complete else []
    solvers = [solver_cells(row, thing) for row in thing.rows]
    tables = (_table(tuple(named), found) if found else "") + _table(SOLVER_HEADINGS, solvers)
    return _heading(thing) + tables


@words.register
def _(thing: Unbegun) -> str:
    return _heading(thing)


def _heading(report: Report | Unbegun) -> str:
    return f"<p><b>{escape(report.instance.title)}</b>: {escape(first_sentence(report))}</p>\n"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>\n" for cells in rows)
    return f"<table>\n<tr>{first}</tr>\n{lines}</table>\n"
