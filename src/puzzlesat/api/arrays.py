"""``puzzlesat.solutions_array`` and ``puzzlesat.conflict_graph``: what mathematicians go on with, in numpy and networkx."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from networkx import Graph

from puzzlesat.arrays import Ints, Rows
from puzzlesat.counting.listing import Solution
from puzzlesat.cover.build import Built
from puzzlesat.cover.conflicts import exclusions, unpacked
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.rows import padded_rows

MOST_EDGES = 5_000_000
"""Of a graph: some gigabytes."""


def solutions_array(solutions: Iterable[Solution], *, atoms: bool = False) -> Rows:
    """Return solutions of one puzzle as an array, a row each.

    Parameters
    ----------
    solutions
        Such as ``solve`` yields them.
    atoms
        Give the tile on each atom, rather than the placements.

    Returns
    -------
    Rows
        An array (solutions, width) of placement numbers, ascending in each row, padded with -1: numbers into ``solution.built.placements``.
        With ``atoms`` an array (solutions, atoms): for each atom of the form, in the order of ``puzzle.form.numbering.atoms``, the number
        of the tile that covers it, into ``puzzle.tiles``; -1 where none does.

    Raises
    ------
    PuzzleError
        Where there are no solutions, or they are of several puzzles.

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


def conflict_graph(puzzle: Given) -> Graph:
    """Return the graph of the placements of a puzzle, in which those are joined that exclude each other.

    Two placements exclude each other where both cover an atom, are of one tile that may be used once only, or show each other marks that
    may not meet. Every solution is an independent set; where a tile has several copies, or there are rules, not the other way round.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns.

    Returns
    -------
    Graph
        A ``networkx.Graph``: its nodes are the names of placements, each with its ``tile`` and its ``number``.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, or the graph has more than some million edges.

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
