"""How assemblies come apart, as plain data: what ``takeapart.js`` moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.data import Answer, Turn
from puzzlesat.disassembly.words import direction_words
from puzzlesat.draw.canvas import canvas
from puzzlesat.draw.palette import solution_colours
from puzzlesat.draw.steps import Slide, slides


def taking_as_json(built: BuiltInstance, options: Sequence[int], answer: Answer) -> dict[str, Any]:
    """Return what is known of an assembly, given by its placements, as the type ``Taking`` of ``takeapart.js`` describes it."""
    parting = answer.parting
    whole = {i: built.placements[o].atoms for i, o in enumerate(options)}
    steps, before = [], None
    for slide in slides(built.puzzle.grid, whole, parting):
        step = {"pieces": list(slide.move.pieces), **_moved(slide)}
        steps.append(step if slide.of == before else {"of": list(slide.of), **step})
        before = slide.of
    return {
        "level": None if parting is None else parting.level,
        "least": answer.least,
        "steps": steps,
        "stuck": list(answer.stuck),
        "undecided": answer.undecided,
        "colours": solution_colours(built, options),
    }


def _moved(slide: Slide) -> dict[str, Any]:
    """What a step does to its pieces."""
    move = slide.move
    if isinstance(move, Turn):
        return {"turn": {"axis": move.axis, "about": [x / 2 for x in move.about], "quarters": move.quarters}}
    return {"by": list(slide.by), "far": move.steps, "along": direction_words(move.direction)}


def basis_of(built: BuiltInstance) -> list[list[float]]:
    """Return the lattice steps of a grid in the plane as they are drawn: to the right, and down."""
    board = canvas(built.puzzle)
    return [[round(float(x * f), 3) for x, f in zip(row[:2], (board.factor, -board.factor), strict=True)] for row in board.shapes.basis[:2]]


def middle_of(built: BuiltInstance) -> list[float]:
    """Return where the middle of the cell at the origin is drawn, in the plane."""
    middle: list[float] = canvas(built.puzzle).corners((0, 0, 0)).mean(axis=0).round(3).tolist()
    return middle
