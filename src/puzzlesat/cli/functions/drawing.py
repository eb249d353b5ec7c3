"""``puzzlesat.draw``: draw puzzles, solutions and answers.

``puzzlesat.site``: puzzles as a page that anyone can open.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from puzzlesat.base import SILENT, Displayed, Limits, PuzzleError, write_file
from puzzlesat.cli.functions.given import checked
from puzzlesat.counting import Apart, Assembly, Report
from puzzlesat.designing import CommonFound, SetsFound
from puzzlesat.formats import instance_in
from puzzlesat.pages import Sheet, Site, gallery, picture, write_site
from puzzlesat.pictures import png, puzzle_svg
from puzzlesat.playing import Hint, Position
from puzzlesat.proofs import Proof
from puzzlesat.puzzles import Instance, Puzzle, Solution, build_instance, instance_of
from puzzlesat.version import VERSION

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
        write_file(target, png(drawn))
    elif target is not None:
        write_file(target, drawn)
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


@checked
def site(folder: str | Path, puzzles: Iterable[str | Path] | str | Path = (), *, memory: float | None = None) -> Site:
    """Write puzzles as a page that anyone can open, from any web space or from disk, without Python.

    Parameters
    ----------
    folder
        The folder to write into; it is made if it is not there. Files in it that puzzlesat did not write are not replaced.
    puzzles
        Names of puzzles, or files; none for all puzzles of the package. One puzzle becomes one file, several become a site.
    memory
        Memory limit per puzzle in GiB.

    Returns
    -------
    Site
        ``file`` is the page to open, ``puzzles`` has the names of its puzzles, and ``left_out`` those that a browser cannot count.

    Raises
    ------
    PuzzleError
        If a puzzle cannot be read, or a file is in the way.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> made = puzzlesat.site(mkdtemp(), "domino-and-square-3x2")
    >>> made.file.name, made.puzzles, made.complete
    ('domino-and-square-3x2.html', ('domino-and-square-3x2',), True)

    """
    names = [puzzles] if isinstance(puzzles, str | Path) else list(puzzles)
    limits = Limits.of(None, memory, cpu=False).begun()
    return write_site(Path(folder), names, limits, limits.heeding(SILENT), version=VERSION)
