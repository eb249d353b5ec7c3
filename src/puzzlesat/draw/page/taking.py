"""How assemblies come apart, as plain data: what ``takeapart.js`` moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.data import Answer, Turn
from puzzlesat.disassembly.words import direction_words
from puzzlesat.draw.canvas import canvas
from puzzlesat.draw.palette import solution_colours
from puzzlesat.draw.steps import slides


def taking_as_json(built: BuiltInstance, options: Sequence[int], answer: Answer) -> dict[str, Any]:
    """Return what is known of an assembly, given by its placements, as the type ``Taking`` of ``takeapart.js`` describes it.

    Its pieces slide; nothing is turned.
    """
    parting = answer.parting
    whole = {i: built.placements[o].atoms for i, o in enumerate(options)}
    steps, before = [], None
    for slide in slides(built.puzzle.grid, whole, parting):
        assert not isinstance(slide.move, Turn)
        step = {
            "by": list(slide.by),
            "pieces": list(slide.move.pieces),
            "far": slide.move.steps,
            "along": direction_words(slide.move.direction),
        }
        steps.append(step if slide.of == before else {"of": list(slide.of), **step})
        before = slide.of
    return {
        "level": None if parting is None else parting.level,
        "steps": steps,
        "stuck": list(answer.stuck),
        "undecided": answer.undecided,
        "colours": solution_colours(built, options),
    }


def basis_of(built: BuiltInstance) -> list[list[float]]:
    """Return the lattice steps of a grid in the plane as they are drawn: to the right, and down."""
    board = canvas(built.puzzle)
    return [[round(float(x * f), 3) for x, f in zip(row[:2], (board.factor, -board.factor), strict=True)] for row in board.shapes.basis[:2]]
