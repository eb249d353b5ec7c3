"""Slides and turns of cubes held against rational angles, by code that knows nothing of how they were found.

A cube that is turned is looked at after many angles, in whole numbers, the closer together the nearer it comes to another: none of the
pieces that stay may be where it is then.
Whether pieces that hold each other do so is seen by going through all their positions once more, with what this look finds in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import hypot, isqrt, sqrt

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.data import Answer, Move, Parting, Turn
from puzzlesat.disassembly.turning import Body, Cell, body_of, check_turns, in_space, take_apart_turning
from puzzlesat.errors import ContradictionError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.run import Clock, Limits

ANGLES = 1 << 13
"""Into which a quarter turn is cut at most; the tangents of their halves are the fractions with this denominator."""
MOST_CHECKED = 1000
"""Positions up to which pieces that do not come apart are gone through once more."""
Bodies = Mapping[int, Body]


def turned_answers(
    built: BuiltInstance, rows: Iterable[tuple[int, ...]], bevel: Fraction, limits: Limits, *, progress: Progress = SILENT
) -> Generator[tuple[int, tuple[int, ...], Answer], None, None]:
    """Yield what is known of each assembly when its pieces may be turned, in order, with its number from 0.

    Those that a limit leaves undecided are yielded as such. Raises NotSupportedError where pieces are no cubes, and ContradictionError
    where an answer fails the second look.
    """
    check_turns(built.puzzle, built.instance.together)
    clock = Clock(limits)
    for number, row in enumerate(rows):
        answer = take_apart_turning(built, row, bevel, clock.rest(), progress=progress)
        sound, fault = held_against_angles(built, row, answer, bevel, clock.rest())
        if fault is not None:
            names = " ".join(built.problem.options[o] for o in row)
            raise ContradictionError(f"what was found out about {names} fails when it is held against rational angles: {fault}")
        yield number, row, replace(answer, checked=sound)


def held_against_angles(
    built: BuiltInstance, row: Sequence[int], answer: Answer, bevel: Fraction, limits: Limits
) -> tuple[bool, str | None]:
    """Say whether the second look comes to the same, and what is wrong if it does not."""
    bodies, dimension = {i: body_of(built, o) for i, o in enumerate(row)}, built.puzzle.grid.dimension
    if not answer.stuck and not answer.undecided:
        fault = fault_in(bodies, answer.parting, bevel, dimension)
        return fault is None, fault
    if not 0 < answer.closed <= MOST_CHECKED:
        return False, None
    clock = Clock(limits)
    found = positions_turned([bodies[p] for p in answer.stuck], bevel, dimension, answer.closed, lambda: clock.verdict(-1) is not None)
    if clock.verdict(-1) is not None:
        return False, None
    if found != answer.closed:
        there = f"more than {answer.closed:,}" if found is None else f"{found:,}"
        return False, f"pieces {list(answer.stuck)} come in {there} positions to each other, not {answer.closed:,}"
    return True, None


# the moves --------------------------------------------------------------------------------------------------------------------


def fault_in(lying: Bodies, parting: Parting | None, bevel: Fraction, dimension: int) -> str | None:
    """Say what is wrong with how pieces come apart; None where every move is free and all are apart in the end."""
    if parting is None:
        return None if len(lying) == 1 else f"pieces {sorted(lying)} are left together"
    if set(parting.pieces) != set(lying) or not parting.moves:
        return f"pieces {sorted(lying)} are to come apart, but the record is about {sorted(parting.pieces)}"
    before = lying
    for number, move in enumerate(parting.moves, start=1):
        what = f"move {number} of pieces {sorted(parting.pieces)}"
        if not 0 < len({*move.pieces} & {*lying}) == len(move.pieces) < len(lying):
            return f"{what}: pieces {list(move.pieces)} cannot move against the others"
        if (isinstance(move, Move) and move.steps is None) != (number == len(parting.moves)):
            return f"{what}: the last move, and no other, takes pieces away"
        before = lying
        lying = _turn(lying, move, bevel, dimension) if isinstance(move, Turn) else _slide(lying, move)
        if not lying:
            return f"{what}: something is in the way"
    gone = parting.moves[-1].pieces
    left, away = {p: body for p, body in before.items() if p not in gone}, {p: before[p] for p in gone}
    return fault_in(left, parting.left, bevel, dimension) or fault_in(away, parting.away, bevel, dimension)


def _slide(lying: Bodies, move: Move) -> Bodies:
    """The pieces after a slide; none where something is in the way."""
    direction = in_space(move.direction)
    if sorted(map(abs, direction)) != [0, 0, 1]:
        return {}
    cells = [cell for body in lying.values() for cell in body]
    along = next(r for r in range(3) if direction[r])
    far = 1 + max(c[along] for c in cells) - min(c[along] for c in cells)
    staying = frozenset(cell for p, body in lying.items() if p not in move.pieces for cell in body)
    for _ in range(far if move.steps is None else move.steps):
        lying = {p: frozenset(_sum(cell, direction) for cell in body) if p in move.pieces else body for p, body in lying.items()}
        if any(not staying.isdisjoint(lying[p]) for p in move.pieces):
            return {}
    return lying


def _turn(lying: Bodies, turn: Turn, bevel: Fraction, dimension: int) -> Bodies:
    """The pieces after a turn; none where something is in the way."""
    one, two = (turn.axis + 1) % 3, (turn.axis + 2) % 3
    if not 1 <= abs(turn.quarters) <= 3 or turn.axis not in _axes(dimension) or (turn.about[one] ^ turn.about[two]) & 1:
        return {}
    way = 1 if turn.quarters > 0 else -1
    staying = frozenset(cell for p, body in lying.items() if p not in turn.pieces for cell in body)
    for _ in range(abs(turn.quarters)):
        if any(not staying.isdisjoint(_swept(lying[p], turn.axis, turn.about, way, bevel)) for p in turn.pieces):
            return {}
        lying = {p: _quarter(body, turn.axis, turn.about, way) if p in turn.pieces else body for p, body in lying.items()}
    return lying


def _axes(dimension: int) -> tuple[int, ...]:
    return (0, 1, 2) if dimension == 3 else (2,)


def _sum(v: Cell, w: Cell) -> Cell:
    return v[0] + w[0], v[1] + w[1], v[2] + w[2]


# what is swept ----------------------------------------------------------------------------------------------------------------


def _across(cell: Cell, axis: int, about: Cell) -> tuple[int, int]:
    """Twice where a cell is, as seen from an axis."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    return 2 * cell[one] - about[one], 2 * cell[two] - about[two]


def _at(axis: int, about: Cell, along: int, x: int, y: int) -> Cell:
    """The cell that is seen from an axis there."""
    place = [along, along, along]
    place[(axis + 1) % 3], place[(axis + 2) % 3] = (x + about[(axis + 1) % 3]) // 2, (y + about[(axis + 2) % 3]) // 2
    return place[0], place[1], place[2]


def _quarter(body: Body, axis: int, about: Cell, way: int) -> Body:
    """A piece after a quarter turn."""
    seen = ((_across(cell, axis, about), cell[axis]) for cell in body)
    return frozenset(_at(axis, about, along, -way * y, way * x) for (x, y), along in seen)


def _swept(body: Body, axis: int, about: Cell, way: int, bevel: Fraction) -> Iterator[Cell]:
    """Yield the cells that a piece meets in a quarter turn."""
    for cell in body:
        x, y = _across(cell, axis, about)
        for u, v in swept_cells(x, y, way, bevel):
            yield _at(axis, about, cell[axis], u, v)


@lru_cache(maxsize=1 << 16)
def swept_cells(x: int, y: int, way: int, bevel: Fraction) -> tuple[tuple[int, int], ...]:
    """Return the cells that a cell meets in a quarter turn about (0, 0), to the left (``way`` 1) or right (-1): seen after many angles.

    Cells are told by twice the coordinates of their middle.
    """
    unit, half = bevel.denominator, bevel.denominator - 2 * bevel.numerator  # a cell reaches from unit * x - unit to unit * x + unit
    far = isqrt(x * x + y * y) + 4
    near = [(u, v) for u, v in product(range(-far, far + 1), repeat=2) if (u - x) % 2 == 0 == (v - y) % 2]
    near = [(u, v) for u, v in near if abs(hypot(u, v) - hypot(x, y)) < 2 * sqrt(2)]  # others are never less than two corners apart
    return tuple(sorted((u, v) for u, v in near if _meet(unit * x, unit * y, way, unit * u, unit * v, half)))


def _meet(x: int, y: int, way: int, u: int, v: int, half: int) -> bool:
    """Whether a square about (x, y) that is turned meets one about (u, v) after some angle.

    Nothing of one square moves faster, as seen from the other, than its distance from the axis. So where they are far from each other, they
    do not meet after the angles beside this one either; else the angles before it and after it are looked at.
    """
    speed = max(hypot(x, y), hypot(u, v)) + 2 * half
    left = [(0, ANGLES)]
    while left:
        low, high = left.pop()
        i = (low + high) // 2
        c, s, r = ANGLES**2 - i**2, way * 2 * ANGLES * i, ANGLES**2 + i**2  # cosine and sine, times r
        gap = _gap((c * x - s * y, s * x + c * y), (u * r, v * r), half, (c, s, r))
        if gap < 0:
            return True
        if high - low > 1 and gap <= speed * r * r * (high - low + 1) / ANGLES:
            left += [(low, i), (i, high)]
    return False


def _gap(one: tuple[int, int], other: tuple[int, int], half: int, angle: tuple[int, int, int]) -> int:
    """How far two squares are from each other, seen along the sides of either, times r squared; they meet where it is less than 0.

    Their middles are given, times r. Seen along a side of its own, a square reaches ``half`` from there; else by cosine and sine.
    """
    c, s, r = angle
    x, y = other[0] - one[0], other[1] - one[1]
    return max(r * abs(x), r * abs(y), abs(c * x + s * y), abs(c * y - s * x)) - half * r * (r + abs(c) + abs(s))


# all positions ----------------------------------------------------------------------------------------------------------------


def positions_turned(
    bodies: Sequence[Body], bevel: Fraction, dimension: int, most: int, ended: Callable[[], bool] = lambda: False
) -> int | None:
    """Return in how many positions to each other pieces can come by single steps and turns; None: in more than ``most``.

    None too if ``ended`` says so, which is asked at each position.
    """
    begin = tuple(bodies)
    seen, rim = {begin}, [begin]
    while rim:
        if ended():
            return None
        for there in _next_to(rim.pop(), bevel, dimension):
            if there not in seen:
                if len(seen) == most:
                    return None
                seen.add(there)
                rim.append(there)
    return len(seen)


def _next_to(here: tuple[Body, ...], bevel: Fraction, dimension: int) -> Iterator[tuple[Body, ...]]:
    """Yield the positions that one step, or one turn, leads to, while the first piece stays."""
    for r, step in product(range(dimension), (1, -1)):
        direction = in_space([step if k == r else 0 for k in range(3)])
        there = [frozenset(_sum(cell, direction) for cell in body) for body in here]
        yield from _moved(here, there, [_in_the_way(i, body, here) for i, body in enumerate(there)])
    for axis in _axes(dimension):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        ranges = []
        for k in (one, two):
            ends = [cell[k] for body in here for cell in body]
            ranges.append(range(2 * min(ends) - 1, 2 * max(ends) + 2))
        for u, v in product(*ranges):
            if (u - v) % 2 == 0:
                about = [0, 0, 0]
                about[one], about[two] = u, v
                for way in (1, -1):
                    yield from _turned_on(here, axis, in_space(about), way, bevel)


def _turned_on(here: tuple[Body, ...], axis: int, about: Cell, way: int, bevel: Fraction) -> Iterator[tuple[Body, ...]]:
    """Yield the positions after one, two and three quarters about an axis."""
    there, takes = list(here), [0] * len(here)
    for _ in range(3):
        takes = [own | _in_the_way(i, _swept(there[i], axis, about, way, bevel), here) for i, own in enumerate(takes)]
        there = [_quarter(body, axis, about, way) for body in there]
        yield from _moved(here, there, takes)


def _in_the_way(piece: int, swept: Iterable[Cell], here: Sequence[Body]) -> int:
    """The set of the other pieces that are in some cells."""
    cells = frozenset(swept)
    return sum(1 << k for k, body in enumerate(here) if k != piece and not body.isdisjoint(cells))


def _moved(here: Sequence[Body], there: Sequence[Body], takes: Sequence[int]) -> Iterator[tuple[Body, ...]]:
    """Yield what becomes of a position where pieces move that can do so without the first."""
    for group in _free_groups(takes):
        yield tuple(there[i] if group >> i & 1 else body for i, body in enumerate(here))


def _free_groups(takes: Sequence[int]) -> Iterator[int]:
    """Yield the sets of pieces that can go a step while the first stays: those that have with each piece all that it runs into.

    That the others go the other way is the same position.
    """
    whole = [own | 1 << i for i, own in enumerate(takes)]
    for k in range(len(whole)):  # what a piece takes along takes along more (Warshall, A theorem on Boolean matrices, 1962)
        whole = [own | whole[k] if own >> k & 1 else own for own in whole]

    def choose(piece: int, inside: int, outside: int) -> Iterator[int]:
        if piece == len(whole):
            if inside:
                yield inside
            return
        if inside >> piece & 1:
            yield from choose(piece + 1, inside, outside)
            return
        if not whole[piece] & outside:
            yield from choose(piece + 1, inside | whole[piece], outside)
        yield from choose(piece + 1, inside, outside | 1 << piece)

    return choose(1, 0, 1)
