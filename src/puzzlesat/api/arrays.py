"""``puzzlesat.solutions_array`` and ``puzzlesat.conflict_graph``: solutions as numpy arrays, placements as a networkx graph."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from networkx import Graph

from puzzlesat.api import checked
from puzzlesat.arrays import Ints, Rows
from puzzlesat.cover.build import Built
from puzzlesat.cover.conflicts import exclusions, unpacked
from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.solution import Solution
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.rows import padded_rows

MOST_EDGES = 5_000_000
"""Of a graph: some gigabytes."""


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


def _tiles_on_atoms(built: Built, rows: Rows) -> Rows:
    """The tile on each atom: of each placement the items that are atoms come from the cover problem."""
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
    built = build_instance(instance_given(puzzle))
    problem = built.problem
    excluded = exclusions(problem)
    tiles = [built.puzzle.tiles[number].name for number in np.asarray(built.placements.tile).tolist()]
    graph: Graph = Graph()
    for number, name in enumerate(problem.options):
        graph.add_node(name, number=number, tile=tiles[number])
    edges = 0
    for number, name in enumerate(problem.options):
        others = [int(other) for other in unpacked(excluded.of(number), problem.size) if other > number]
        edges += len(others)
        if edges > MOST_EDGES:
            raise PuzzleError(
                f"{built.instance.name}: more than {MOST_EDGES:,} pairs of placements exclude each other: too many for a graph"
            )
        graph.add_edges_from((name, problem.options[other]) for other in others)
    return graph
