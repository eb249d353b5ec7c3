"""What is known of an assembly as a line of JSON, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from puzzlesat.disassembly.data import Answer, Move, Parting, Turn
from puzzlesat.errors import PuzzleError

Record = dict[str, Any]


def as_record(number: int, names: Sequence[str], answer: Answer) -> Record:
    """Return the record of an assembly: its number, the names of its placements, and what is known of it."""
    parting = answer.parting
    return {
        "number": number,
        "placements": list(names),
        "apart": None if answer.undecided else parting is not None,
        "level": None if parting is None else parting.level,
        "moves": None if parting is None else list(parting.sequence),
        "first": None if parting is None else len(parting.moves),
        "total": None if parting is None else sum(parting.sequence),
        "least": answer.least,
        "steps": None if parting is None else [_step(part, move) for part in parting.partings() for move in part.moves],
        "stuck": list(answer.stuck),
        "closed": answer.closed,
        "checked": answer.checked,
        "undecided": answer.undecided,
        "positions": answer.positions,
    }


def _step(parting: Parting, move: Move | Turn) -> Record:
    if isinstance(move, Turn):
        turn = {"axis": move.axis, "about": list(move.about), "quarters": move.quarters}
        return {"of": list(parting.pieces), "pieces": list(move.pieces), "turn": turn}
    return {"of": list(parting.pieces), "pieces": list(move.pieces), "direction": list(move.direction), "by": move.steps}


def answer_of(record: Mapping[str, Any]) -> Answer:
    """Return what a record says. Raises PuzzleError where it is none."""
    try:
        steps = None if record["steps"] is None else iter([_Step(step) for step in record["steps"]])
        parting = None if steps is None else _parting(steps, next(steps))[0]
        found = Answer(parting, str(record["undecided"]), tuple(map(int, record["stuck"])))
        found = replace(found, positions=int(record["positions"]), least=bool(record["least"]))
        return replace(found, closed=int(record.get("closed", 0)), checked=bool(record.get("checked", parting is not None)))
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise PuzzleError(f"not the steps of an assembly: {error!r}") from None


class _Step:
    """A step of a record."""

    def __init__(self, step: Mapping[str, Any]) -> None:
        self.of = tuple(map(int, step["of"]))
        self.move = _move(step)
        self.last = isinstance(self.move, Move) and self.move.steps is None


def _move(step: Mapping[str, Any]) -> Move | Turn:
    pieces = tuple(map(int, step["pieces"]))
    if "turn" in step:
        turn = step["turn"]
        x, y, z = map(int, turn["about"])
        return Turn(pieces, int(turn["axis"]), (x, y, z), int(turn["quarters"]))
    by = step["by"]
    return Move(pieces, tuple(map(int, step["direction"])), None if by is None else int(by))


def _parting(steps: Iterator[_Step], first: _Step) -> tuple[Parting, _Step | None]:
    """The parting that begins with a step, with those of its parts that follow; and the step behind all that."""
    moves, step = [first.move], first
    while not step.last:
        step = next(steps)
        if step.of != first.of:
            raise ValueError(f"the pieces {first.of} are not parted")
        moves.append(step.move)
    after = next(steps, None)
    parts: list[Parting | None] = []
    gone = set(moves[-1].pieces)
    for part in ([p for p in first.of if p not in gone], [p for p in first.of if p in gone]):
        found = None
        if after is not None and after.of == tuple(part):
            found, after = _parting(steps, after)
        parts.append(found)
    return Parting(first.of, tuple(moves), parts[0], parts[1]), after
