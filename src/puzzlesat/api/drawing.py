"""``puzzlesat.draw``: draw puzzles, solutions and answers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from puzzlesat.api import checked
from puzzlesat.candidates.common import CommonFound
from puzzlesat.candidates.sets import SetsFound
from puzzlesat.counting.assemblies import Apart, Assembly
from puzzlesat.counting.report import Report
from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.solution import Solution
from puzzlesat.display import Displayed
from puzzlesat.draw.flat import puzzle_svg
from puzzlesat.draw.png import png
from puzzlesat.errors import PuzzleError
from puzzlesat.files import write_bytes, write_text
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.notebook import gallery, picture
from puzzlesat.play.hint import Hint
from puzzlesat.play.position import Position
from puzzlesat.play.sheet import Sheet
from puzzlesat.proof.prove import Proof
from puzzlesat.puzzle.data import Puzzle
from puzzlesat.puzzle.instance import Instance, instance_of

SUFFIXES = (".svg", ".png")
Drawable = Instance | Puzzle | Solution | Report | Position | Hint | Sheet | Proof | SetsFound | CommonFound | Apart | Assembly
"""What ``draw`` draws, besides several solutions side by side."""


class Svg(str):
    """A picture: the text of an SVG file. A notebook shows it as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Svg: {len(self):,} characters>"


@checked
def draw(thing: Drawable | Iterable[Solution] | str | Path, file: str | Path | None = None) -> Svg:
    """Draw a puzzle, one solution or many, a position, or an answer.

    Parameters
    ----------
    thing
        A puzzle as ``load`` returns it, or its name or file: the form and its tiles are drawn. One solution, or several of one puzzle
        side by side, such as ``solve`` yields them. What ``count`` returned: some distinct solutions, or the puzzle if none is known. A
        position, or what ``hint`` returned, with the next piece. What ``challenge``, ``prove``, ``sets``, ``common`` or ``apart``
        returned.
    file
        A file for the picture: ``.svg`` or ``.png``.

    Returns
    -------
    Svg
        The text of an SVG file; a notebook shows it as a picture.

    Raises
    ------
    PuzzleError
        If there is nothing to draw, or the solutions belong to several puzzles; if the file has another suffix.
    TypeError
        If ``thing`` is nothing that can be drawn.

    Examples
    --------
    >>> picture = puzzlesat.draw(puzzlesat.solve("domino-and-square-3x2"))
    >>> picture[:4], picture.count("<title>O4."), picture.count("<title>I2.")
    ('<svg', 2, 2)

    """
    target = None if file is None else Path(file)
    if target is not None and target.suffix.lower() not in SUFFIXES:
        raise PuzzleError(f"{target}: expected a name that ends in {' or '.join(SUFFIXES)}")
    drawn = Svg(_drawn(thing))
    if target is not None and target.suffix.lower() == ".png":
        write_bytes(target, png(drawn))
    elif target is not None:
        write_text(target, drawn)
    return drawn


def _drawn(thing: Drawable | Iterable[Solution] | str | Path) -> str:
    if isinstance(thing, str | Path):
        thing = instance_in(thing)
    if isinstance(thing, Instance | Puzzle):  # however long it takes: it was asked for
        return puzzle_svg(build_instance(instance_of(thing)))
    drawn = picture(thing) if isinstance(thing, Displayed) or not isinstance(thing, Iterable) else gallery(thing)
    if not drawn:
        raise PuzzleError(f"{thing!r}: there is nothing to draw")
    return drawn
