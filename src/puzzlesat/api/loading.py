"""``puzzlesat.load``: a puzzle, from wherever it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.puzzle.instance import Instance


def load(puzzle: Given, problem: int | str | None = None, *, rules: Mapping[str, Any] | None = None) -> Instance:
    """Load an instance by the name it has in the package, or a puzzle from a file, or as its file would say it.

    Parameters
    ----------
    puzzle
        A name, or a file: ``.toml``, ``.jsonl`` (puzzles as JSON lines), ``.xmpuzzle`` (BurrTools), ``.xml`` (Legespiel-Solver). The text
        of an instance in TOML, of several lines, or its tables as a dictionary, perhaps with a ``name``; the model and the grid that it
        names stand in the package, or in the folder where the program runs. What is loaded is returned as it is.
    problem
        Which of several puzzles in a file: its number, from 1, or its name.
    rules
        Rules on solutions, with the keys of the table ``[solutions]`` of a file: the puzzle as it is, of which only solutions that keep
        these count; they take the place of what it has under the same keys. What is expected of its counts is left out.

    Returns
    -------
    Instance
        Its ``puzzle`` has what a count depends on, such as ``grid``, ``tiles`` and ``form``; beside it stand ``name``, ``title``, ``path``,
        ``source`` and what is expected of the counts, ``expect``.

    Raises
    ------
    PuzzleError
        With one sentence in ``problems`` for everything that is wrong with the file.

    Examples
    --------
    >>> soma = puzzlesat.load("soma")
    >>> len(soma.puzzle.tiles), len(soma.puzzle.form.atoms)
    (7, 27)
    >>> puzzlesat.count(puzzlesat.load("dominoes-6x6", rules={"no_crossroads": True}), solvers="backtrack").counts.all
    2
    >>> board = puzzlesat.load({"title": "Dominoes", "model": "dominoes", "form": {"box": [3, 4]}})
    >>> puzzlesat.count(board, solvers="tally").counts.all
    11
    >>> puzzlesat.load("somma")
    Traceback (most recent call last):
        ...
    puzzlesat.errors.PuzzleError: there is no instance 'somma'; did you mean 'soma'? 'puzzlesat list' shows all

    """
    return instance_given(puzzle, problem, rules=rules)
