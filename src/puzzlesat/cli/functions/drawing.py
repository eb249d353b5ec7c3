"""The public functions that draw puzzles, solutions and answers, and that return solutions as arrays and placements as a graph."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from networkx import Graph

from puzzlesat.base import Displayed, Ints, PuzzleError, Rows, padded_rows, write_file
from puzzlesat.cli.functions.files import load
from puzzlesat.cli.functions.given import checked
from puzzlesat.counting import Apart, Assembly, Report
from puzzlesat.designing import CommonFound, SetsFound
from puzzlesat.formats import Given, instance_in
from puzzlesat.pages import Sheet, gallery, picture
from puzzlesat.pictures import png, puzzle_svg
from puzzlesat.playing import Hint, Position
from puzzlesat.proofs import Proof
from puzzlesat.puzzles import BuiltInstance, Instance, Puzzle, Solution, build_instance, exclusions

SUFFIXES = (".svg", ".png")
Drawable = Instance | Puzzle | Solution | Report | Position | Hint | Sheet | Proof | SetsFound | CommonFound | Apart | Assembly
"""Types that ``draw`` accepts, besides several solutions of one puzzle."""


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
    if isinstance(thing, Instance | Puzzle):  # without a limit
        return puzzle_svg(build_instance(Instance.of(thing)))
    drawn = picture(thing) if isinstance(thing, Displayed) or not isinstance(thing, Iterable) else gallery(thing)
    if not drawn:
        raise PuzzleError(f"{thing!r}: there is nothing to draw")
    return drawn


MAX_EDGES = 5_000_000
"""Maximum number of edges of a graph; this many take some gigabytes."""


@checked
def solutions_array(solutions: Iterable[Solution], *, atoms: bool = False) -> Rows:
    """Return solutions of one puzzle as an array, one row each.

    Parameters
    ----------
    solutions
        Solutions, such as ``solve`` yields, or the ``solutions`` of an answer.
    atoms
        Return the tile on each atom instead of the placements.

    Returns
    -------
    Rows
        An array (solutions, width) of placement numbers, ascending in each row and padded with -1: indices of
        ``solution.built.placements``. With ``atoms``, an array (solutions, atoms): for each atom of the form, in the order of
        ``puzzle.form.numbering.atoms``, the number of the tile that covers it, an index of ``puzzle.tiles``; -1 if no tile covers it.

    Raises
    ------
    PuzzleError
        If there are no solutions, or they belong to several puzzles.

    Examples
    --------
    >>> puzzlesat.solutions_array(puzzlesat.solve("domino-and-square-3x2")).shape
    (2, 2)
    >>> covered = puzzlesat.solutions_array(puzzlesat.solve("domino-and-square-3x2"), atoms=True)
    >>> covered.shape, sorted(covered[0].tolist())
    ((2, 6), [0, 0, 1, 1, 1, 1])

    """
    found = list(solutions)
    if not found:
        raise PuzzleError("an array needs at least one solution")
    built = found[0].built
    if any(solution.built.problem.options != built.problem.options for solution in found if solution.built is not built):
        raise PuzzleError("these solutions belong to several puzzles; make one array for each puzzle")
    rows = padded_rows([solution.options for solution in found])
    return _tiles_on_atoms(built, rows) if atoms else rows


def _tiles_on_atoms(built: BuiltInstance, rows: Rows) -> Rows:
    """Return the tile on each atom, per solution. The first items of the cover problem are the atoms of the form."""
    problem, number = built.problem, len(built.puzzle.form.atoms)
    covered = np.full((len(rows), number), -1, dtype=np.int32)
    tile: Ints = np.asarray(built.placements.tile, dtype=np.int32)
    for row, options in zip(covered, rows.tolist(), strict=True):
        for option in options:
            if option >= 0:
                items = problem.item[problem.start[option] : problem.start[option + 1]]
                row[items[items < number]] = tile[option]
    return covered


@checked
def conflict_graph(puzzle: Given) -> Graph:
    """Return the graph of the placements of a puzzle; an edge joins two placements that exclude each other.

    Two placements exclude each other if both cover an atom, if both use a tile that may be used only once, or if their marks may not
    meet. Every solution is an independent set. Not every independent set is a solution if a tile has several copies, or there are rules.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.

    Returns
    -------
    Graph
        A ``networkx.Graph``. Its nodes are the names of the placements, each with its ``tile`` and its ``number``.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, or the graph has more than five million edges.

    Examples
    --------
    >>> graph = puzzlesat.conflict_graph("domino-and-square-3x2")
    >>> len(graph), graph.number_of_edges()
    (9, 34)
    >>> graph.nodes["O4.1@1.1"]
    {'number': 7, 'tile': 'O4'}
    >>> graph.has_edge("O4.1@1.1", "I2.2@3.1")
    False

    """
    built = build_instance(load(puzzle))
    problem = built.problem
    excluded = exclusions(problem)
    tiles = [built.puzzle.tiles[number].name for number in np.asarray(built.placements.tile).tolist()]
    graph: Graph = Graph()
    for number, name in enumerate(problem.options):
        graph.add_node(name, number=number, tile=tiles[number])
    edges = 0
    for number, name in enumerate(problem.options):
        others = excluded.options_after(number)
        edges += len(others)
        if edges > MAX_EDGES:
            raise PuzzleError(
                f"{built.instance.name}: more than {MAX_EDGES:,} pairs of placements exclude each other: too many for a graph"
            )
        graph.add_edges_from((name, problem.options[other]) for other in others)
    return graph
