"""Rules on solutions that a page may offer for a puzzle, and what they may name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from puzzlesat.errors import PuzzleError
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.solution_rules import with_solution_rules

Rules = Mapping[str, Any]
"""Keys of [solutions]."""


def choices(instance: Instance) -> list[dict[str, Any]]:
    """Return an example of each rule that has a meaning for a puzzle."""
    names, colours = pieces(instance), form_colours(instance)
    all_rules: list[dict[str, Any]] = [
        {"fault_free": True},
        {"no_crossroads": True},
        {"colours": 3},
        {"touch_border": "all"},
        {"inside": "all"},
        *({"apart": [[name]]} for name in names[:1]),
        *({"holds": [{"colour": colour, "equals": 1}]} for colour in colours[:1]),
    ]
    return [rules for rules in all_rules if has_meaning(instance, rules)]


def pieces(instance: Instance) -> list[str]:
    """Return the names of the pieces, as a file has them."""
    return [name for tile in instance.puzzle.tiles for name in tile.members]


def form_colours(instance: Instance) -> list[str]:
    """Return the colours that cells of the form have."""
    return sorted(set(instance.puzzle.form.colours.values()))


def has_meaning(instance: Instance, rules: Rules) -> bool:
    """Whether rules on solutions can be asked of a puzzle."""
    try:
        with_solution_rules(instance, rules)
    except PuzzleError:
        return False
    return True
