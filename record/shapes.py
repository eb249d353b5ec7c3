"""Identify shapes independently of coordinates: a digest of a set of atoms that is invariant under motions, reflections and bases.

The digests compare the form and the tiles of a line with the author's, which have other coordinates: equal digests mean equal shapes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from puzzlesat.puzzles.puzzle import Puzzle

Point = Sequence[Fraction]
LETTERS = 16
"""Length of a digest in hexadecimal digits."""


def digest(points: Iterable[Point], gram: Sequence[Sequence[Fraction]]) -> str:
    """Return the digest of points in lattice coordinates: a digest of the sorted distances of each point to all others.

    Squared distances are divided by that of the shortest vector of the basis, to be independent of the scale.
    """
    places = [tuple(map(Fraction, point)) for point in points]
    parts = int(np.lcm.reduce([x.denominator for place in places for x in place] or [1]))
    whole = np.array([[int(x * parts) for x in place] for place in places], dtype=np.int64)
    shortest = min(gram[i][i] for i in range(len(gram)))
    products = [[Fraction(x) / shortest for x in row] for row in gram]
    halves = int(np.lcm.reduce([x.denominator for row in products for x in row]))
    matrix = np.array([[int(x * halves) for x in row] for row in products], dtype=np.int64)
    apart = whole[:, None, :] - whole[None, :, :]
    squared = np.einsum("abi,ij,abj->ab", apart, matrix, apart, optimize=True) * (3600 // parts**2) * (12 // halves)
    rows = sorted(map(bytes, np.sort(squared, axis=1).astype(">i8")))
    return hashlib.sha256(b"".join(rows)).hexdigest()[:LETTERS]


def form_digest(puzzle: Puzzle) -> str:
    """Return the digest of a form: of its faces, or of the atoms that pictures of its grid draw."""
    return _digest(puzzle, puzzle.form.required)


def tiles_digest(puzzle: Puzzle) -> str:
    """Return one digest for all tiles of a puzzle, counting each tile by its copies; names do not matter."""
    pieces = sorted(_digest(puzzle, tile.atoms) for tile in puzzle.tiles for _ in range(tile.low))
    return hashlib.sha256(" ".join(pieces).encode()).hexdigest()[:LETTERS]


def _digest(puzzle: Puzzle, atoms: Iterable[Sequence[int]]) -> str:
    grid = puzzle.grid
    drawn = [atom for atom in atoms if grid.atoms[atom[-1]].kind == grid.main_kind]
    return digest(([cell + part for cell, part in zip(a, grid.atoms[a[-1]].centre, strict=False)] for a in drawn), grid.gram)
