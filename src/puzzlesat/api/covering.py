"""``puzzlesat.cover``: an exact cover problem of one's own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from puzzlesat.api import checked
from puzzlesat.formats.exact_cover import Bounds, ExactCover, Options, exact_cover


@checked
def cover(
    options: Options,
    *,
    primary: Iterable[Hashable] | None = None,
    secondary: Iterable[Hashable] = (),
    multiplicities: Mapping[Any, Bounds] | None = None,
    name: str | None = None,
) -> ExactCover:
    r"""Make an exact cover problem of your own: choose options such that each item is covered exactly once.

    Parameters
    ----------
    options
        Each option is a list of items; an item is any hashable value, such as a string, a number or a tuple. Give a dictionary if the
        options have names, a list if they have none, or a numpy matrix of 0 and 1 with an option a row and an item a column. A file
        (``.xcc``, ``.dlx``, ``.mcc``, ``.opb``, ``.cnf``), or text of several lines in Knuth's format, is a whole problem.
    primary
        The items that must be covered. Default: all items of the options that are not secondary. List them to have misspelt items found,
        or if some item is in no option.
    secondary
        The items that may be covered, at most once. An option can colour them: ``("x", "red")``, or ``"x:red"`` as in Knuth's files, or
        an option as a dictionary, ``{"a": None, "x": "red"}``. Several options may cover the item if all give it the same colour.
    multiplicities
        Primary items that are covered another number of times: exactly ``n`` times, or ``(low, high)``. A ``high`` of None is no limit.
    name
        What messages call the problem.

    Returns
    -------
    ExactCover
        ``count`` counts its solutions, ``solve`` yields them, ``compile`` and ``convert`` write it for other programs.

    Raises
    ------
    PuzzleError
        In one sentence that names the option or the item, and how to fix it.

    Examples
    --------
    >>> problem = puzzlesat.cover({"o1": ["a", "b"], "o2": ["c"], "o3": ["b", "c"], "o4": ["a"]})
    >>> report = puzzlesat.count(problem)
    >>> report.counts.all, report.agree
    (2, True)
    >>> for solution in puzzlesat.solve(problem):
    ...     print(*solution.names)
    o1 o2
    o3 o4

    Eight queens: each row and column has one, each diagonal at most one:

    >>> queens = {(x, y): [("row", y), ("column", x), ("up", x - y), ("down", x + y)] for x in range(8) for y in range(8)}
    >>> diagonals = [(way, n) for way, least in (("up", -7), ("down", 0)) for n in range(least, least + 15)]
    >>> puzzlesat.count(puzzlesat.cover(queens, secondary=diagonals)).counts.all
    92

    Colours and multiplicities, and Knuth's format:

    >>> coloured = puzzlesat.cover([["p", "q", "x", ("y", "A")], ["p", "r", ("x", "A"), "y"], ["p", ("x", "B")], ["q", ("x", "A")],
    ...                             ["r", ("y", "B")]], secondary=["x", "y"])
    >>> [solution.options for solution in puzzlesat.solve(coloured)]
    [(1, 3)]
    >>> twice = puzzlesat.cover([["a", "b"], ["a"], ["a", "c"], ["b", "c"]], multiplicities={"a": 2})
    >>> [solution.options for solution in puzzlesat.solve(twice)]
    [(0, 2)]
    >>> puzzlesat.count(puzzlesat.cover("a b c\na b\nc\nb c\na\n")).counts.all
    2

    """
    return exact_cover(options, primary=primary, secondary=secondary, multiplicities=multiplicities, name=name)
