"""``puzzlesat.load``: read a puzzle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.api import checked
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.puzzle.instance import Instance


@checked
def load(puzzle: Given, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Instance:
    """Load a puzzle from the package, from a file, or from text or tables.

    Parameters
    ----------
    puzzle
        The name of an instance in the package. Or a file: ``.toml``, ``.jsonl`` (puzzles as JSON lines), ``.xmpuzzle`` (BurrTools),
        ``.xml`` (Legespiel-Solver). Or an instance as TOML text of several lines, or as a dictionary of its tables, perhaps with a
        ``name``; puzzlesat looks for its model and grid in the package and in the current folder. An instance is returned as it is.
    problem
        Which of several puzzles in a file: its number, from 1, or its name.
    rules
        Rules on solutions, with the keys of the table ``[solutions]`` of a file. Only solutions that keep these rules count. They replace
        the rules of the file with the same keys. The expected counts of the file are dropped.

    Returns
    -------
    Instance
        ``puzzle`` has everything that a count depends on, such as ``grid``, ``tiles`` and ``form``. ``name``, ``title``, ``path`` and
        ``source`` tell where it is from, and ``expect`` has the expected counts.

    Raises
    ------
    PuzzleError
        If the file is wrong; ``problems`` has one sentence for each error.

    Examples
    --------
    >>> soma = puzzlesat.load("soma")
    >>> len(soma.puzzle.tiles), len(soma.puzzle.form.atoms)
    (7, 27)
    >>> board = puzzlesat.load({"title": "Dominoes", "model": "dominoes", "form": {"box": [3, 4]}})
    >>> puzzlesat.count(board, solver="tally").counts.all
    11

    Only tilings in which no four dominoes meet in a point:

    >>> puzzlesat.count(puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True}), solver="backtrack").counts.all
    2

    An error tells you what to type instead:

    >>> puzzlesat.load("somma")
    Traceback (most recent call last):
        ...
    puzzlesat.errors.PuzzleError: there is no instance 'somma'; did you mean 'soma'? 'puzzlesat list' shows all

    """
    return instance_given(puzzle, problem, rules=rules)
