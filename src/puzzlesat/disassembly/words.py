"""The steps by which an assembly comes apart, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from puzzlesat.disassembly.data import Answer, Move, Turn
from puzzlesat.errors import listed
from puzzlesat.grid.lattice import Cell

AXES = "xyz"
NOT_LEAST = "not known to be the least"
"""Of a level whose later numbers may not be the smallest."""
HOW_CHECKED = "independent code replayed the moves, and searched again where pieces hold each other"


def checked_words(checked: int, decided: int) -> str:
    """Return how many of some answers are confirmed, and how."""
    return f"checked: {HOW_CHECKED}" if checked == decided else f"checked: {checked:,} of {decided:,} ({HOW_CHECKED})"


def sentences(answer: Answer, names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each step; ``names`` are those of the pieces."""
    if answer.undecided:
        yield f"not decided: {answer.undecided}"
    elif answer.parting is None:
        if not answer.stuck:
            yield "there is nothing to take apart"
            return
        what = "it" if len(answer.stuck) == len(names) else f"what is left of it, {_named(answer.stuck, names)},"
        yield f"{what} does not come apart"
    else:
        number = 0
        for parting in answer.parting.partings():
            for move in parting.moves:
                number += 1
                yield f"{number}. {_named(move.pieces, names)}: {move_words(move)}"
                if isinstance(move, Move) and move.steps is None:
                    rest = [p for p in parting.pieces if p not in move.pieces]
                    for part, after in ((rest, parting.left), (move.pieces, parting.away)):
                        if after is None and len(part) > 1:
                            yield f"   {_named(part, names)} may stay together"


def move_words(move: Move | Turn) -> str:
    """Return what the pieces of a move do: how far they go along which direction, or how they are turned about which axis."""
    if isinstance(move, Turn):
        there = [f"{name} = {x / 2:g}" for r, (name, x) in enumerate(zip(AXES, move.about, strict=True)) if r != move.axis]
        sense = "counterclockwise" if move.quarters > 0 else "clockwise"
        return f"turn {90 * abs(move.quarters)}° {sense}, seen from +{AXES[move.axis]}, about {', '.join(there)}"
    far = "away" if move.steps is None else f"{move.steps}"
    return f"{far} along {direction_words(move.direction)}"


def _named(pieces: Sequence[int], names: Sequence[str]) -> str:
    return listed((names[p] for p in pieces), len(pieces))


def direction_words(direction: Cell) -> str:
    """Return a direction: ``+x`` for a lattice step, else by its coordinates."""
    steps = [(axis, x) for axis, x in zip(AXES, direction, strict=False) if x]
    if len(steps) == 1 and abs(steps[0][1]) == 1:
        return ("+" if steps[0][1] > 0 else "-") + steps[0][0]
    return f"({', '.join(map(str, direction))})"
