"""Pictures of forms that wrap around: seams with their letters and arrows, and beyond them, pale, what lies there again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from puzzlesat.arrays import Reals
from puzzlesat.draw.canvas import ARROWS, Canvas
from puzzlesat.draw.geometry import BALL, FACE, SEGMENT
from puzzlesat.draw.listed import coloured_faces
from puzzlesat.draw.marks import OUTLINE, OUTLINE_WIDTH, mark_element
from puzzlesat.draw.pieces import draw_piece
from puzzlesat.draw.seams import Edge, beyond, seams, steps_beyond
from puzzlesat.draw.svg import disc, number, path, text
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.data import Mark, Puzzle
from puzzlesat.puzzle.placements import Placement

SEAM = "#b0006d"
PALE = 0.4
"""How much of its colour a piece keeps beyond a seam."""


@cache
def seam_lines(puzzle: Puzzle, board: Canvas) -> str:
    """Return the elements of the seams on the form: a broken line along each edge."""
    edges = [edge for seam in seams(puzzle) for edge in seam.edges]
    line = "".join(path(board.place(side, edge.height), closed=False) for edge in edges for side in edge.sides)
    return f'<path d="{line}" fill="none" stroke="{SEAM}" stroke-width="3" stroke-dasharray="6 3"/>' if line else ""


@cache
def arrows(puzzle: Puzzle, board: Canvas) -> str:
    """Return what is seen beside the seams: at each edge an arrow and a letter."""
    found = "".join(_arrow(puzzle, board, edge, seam.letter) for seam in seams(puzzle) for edge in seam.edges)
    return f'<g class="seams">{found}</g>' if found else ""


def _arrow(puzzle: Puzzle, board: Canvas, edge: Edge, letter: str) -> str:
    """An arrow beside what lies beyond an edge, its letter in the middle."""
    start, end = board.place((edge.start, edge.end), edge.height)
    out = np.array([edge.out[0], -edge.out[1]])
    depth = max(float(np.dot(corner - start, out)) for atom in _beside(puzzle, board, edge.height) for corner in board.corners(atom))
    aside = (depth + ARROWS / 2 * board.unit) * out
    start, end = start + aside, end + aside
    middle, size = (start + end) / 2, min(0.4 * board.unit, 16.0)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    neck = end - size * along
    shaft = path([start, middle - 0.7 * size * along], closed=False) + path([middle + 0.7 * size * along, neck], closed=False)
    head = path([end, neck + 0.4 * size * across, neck - 0.4 * size * across])
    name = text(float(middle[0]), float(middle[1]), letter, 1.2 * size, fill=SEAM)
    return f'<path d="{shaft}" fill="none" stroke="{SEAM}" stroke-width="2"/><path d="{head}" fill="{SEAM}"/>{name}'


def _beside(puzzle: Puzzle, board: Canvas, height: int) -> list[AtomId]:
    """What lies beyond the seams in a layer; atoms beside faces are drawn in the plane alone."""
    return [a for a in beyond(puzzle) if board.grid.dimension == 2 or board.shapes.heights(a) == [height]]


def again(puzzle: Puzzle, board: Canvas, placement: Placement, colour: str) -> str:
    """Return what is seen again of a piece beyond the seams: pale, and open where it goes on."""
    here, parts = set(placement.atoms), list[str]()
    for step, outside in steps_beyond(puzzle).items():
        shown = [a for a in outside if beyond(puzzle)[a] in here]
        if shown:
            moved = [Mark(step(m.side), step(m.face), m.name) for m in placement.marks if step(m.face) in shown]
            marks = [*draw_piece(board, (), moved).marks]
            marks += coloured_faces(puzzle, board, puzzle.tiles[placement.tile], {a: beyond(puzzle)[a] for a in shown}).values()
            parts.append(_pale(puzzle, board, shown, here, colour) + "".join(mark_element(puzzle, mark) for mark in marks))
    return f'<g class="beyond" opacity="{PALE}">{"".join(parts)}</g>' if parts else ""


def _pale(puzzle: Puzzle, board: Canvas, atoms: Sequence[AtomId], here: set[AtomId], colour: str) -> str:
    faces, segments, balls = ([a for a in atoms if board.shapes.drawn(a) == kind] for kind in (FACE, SEGMENT, BALL))
    area = "".join(path(board.corners(a)) for a in faces) + "".join(disc(board.corners(a)[0], board.radius) for a in balls)
    found = [f'<path d="{area}" fill="{colour}"/>'] if area else []
    if segments and not faces:
        lines = "".join(path(board.corners(a), closed=False) for a in segments)
        found.append(f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="{number(board.line)}" stroke-linecap="round"/>')
    border = "".join(path(side, closed=False) for face in faces for side in _border(puzzle, board, face, here))
    found += [f'<path d="{border}" fill="none" stroke="{OUTLINE}" stroke-width="{number(OUTLINE_WIDTH)}"/>'] if border else []
    return "".join(found)


def _border(puzzle: Puzzle, board: Canvas, face: AtomId, here: set[AtomId]) -> list[Reals]:
    """The sides of a face beyond a seam at which its piece ends."""
    grid, corners = puzzle.grid, board.shapes.corners(face)
    inside = [set(board.shapes.corners(n)) for n in grid.neighbours(face) if puzzle.form.locate(n) in here]
    sides = zip(corners, [*corners[1:], corners[0]], strict=True)
    height = board.shapes.heights(face)[0]
    return [board.place(side, height) for side in sides if not any(common.issuperset(side) for common in inside)]


def empty_again(puzzle: Puzzle, board: Canvas, fill: str, line: str) -> str:
    """Return the empty atoms beyond the seams, pale."""
    drawn = [a for a in beyond(puzzle) if board.shapes.drawn(a) in (FACE, BALL)]
    area = "".join(path(board.corners(a)) if board.shapes.drawn(a) == FACE else disc(board.corners(a)[0], board.radius) for a in drawn)
    return f'<path d="{area}" fill="{fill}" stroke="{line}" stroke-width="0.8" opacity="{PALE}"/>' if area else ""
