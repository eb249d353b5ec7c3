"""Pieces called by the marks that they show: what a person sees on a card, where its name is printed nowhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from puzzlesat.draw.geometry import shapes
from puzzlesat.draw.palette import mark_kind
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.data import Mark, Puzzle


def marks_in_words(puzzle: Puzzle, atoms: Sequence[AtomId], marks: Sequence[Mark]) -> str:
    """Return the marks of a piece as it lies, clockwise from the top; nothing where it has none."""
    if not marks:
        return ""
    known = shapes(puzzle.grid)
    spots = np.array([known.cartesian(known.corners(m.side)).mean(axis=0) for m in marks])
    middle = np.mean([known.cartesian(known.corners(a)).mean(axis=0) for a in atoms], axis=0)
    right, up = (spots - middle)[:, :2].T
    angles = np.round(np.arctan2(right, up) % (2 * np.pi), 6)
    return ", ".join(mark_in_words(puzzle, marks[i].name) for i in np.argsort(angles, kind="stable"))


def mark_in_words(puzzle: Puzzle, mark: str) -> str:
    """Return the name of a mark, and which half of its picture it is."""
    name, sign = mark_kind(puzzle.mates, mark)
    return f"{name} {'−' if sign == '-' else sign}".strip()
