"""Verify slides and turns of cubes at many rational angles. This code is independent of the search.

A turn is checked in integers at sample angles, which are denser where the moving piece comes closer to another: at no angle may it overlap
a piece that stays. Pieces that interlock are verified by a second enumeration of their positions, with the collisions found by this check.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from math import hypot, isqrt, sqrt
from typing import ClassVar, NamedTuple

from puzzlesat.disassembly.data import Move, Parting, PlacedBodies, Rotation, in_space, plus
from puzzlesat.disassembly.rotating import Body, body_of
from puzzlesat.disassembly.verification import Stuck, Verdict, moves_of

ANGLES = 1 << 13
"""Largest number of sample angles in a quarter turn. The tangents of half the angles are the fractions with this denominator."""
Bodies = Mapping[int, Body]


@dataclass(frozen=True)
class Angles:
    """Verifies answers where pieces may be turned."""

    placed: PlacedBodies
    bevel: Fraction
    most: ClassVar = 1000
    """Largest number of positions for which interlocked pieces are verified."""

    def held(self, those: Sequence[Stuck], ended: Callable[[], bool] = lambda: False) -> list[Verdict]:
        """Return for each claim a verdict: do the pieces reach exactly the claimed number of positions by single steps and turns?"""
        verdicts: list[Verdict] = []
        for claim in those:
            bodies = [body_of(self.placed, b) for b in claim.bodies]
            found = positions_turned(bodies, self.bevel, self.placed.grid.dimension, claim.positions, ended)
            verdicts.append((False, None) if ended() else claim.verdict(found))
        return verdicts

    def fault(self, row: Sequence[int], parting: Parting | None, may_stay: Collection[Collection[int]] = ()) -> str | None:
        """Return the first fault of a disassembly; None if every move is free, and all pieces are apart in the end."""
        lying = {i: body_of(self.placed, b) for i, b in enumerate(row)}
        return fault_in(lying, parting, self.bevel, self.placed.grid.dimension, may_stay)


# the moves --------------------------------------------------------------------------------------------------------------------


def fault_in(
    lying: Bodies, parting: Parting | None, bevel: Fraction, dimension: int, together: Collection[Collection[int]] = ()
) -> str | None:
    """Return the first fault of a disassembly; None if every move is free, and all pieces are apart in the end.

    ``together`` has the groups of pieces that may stay together.
    """
    moves, fault = moves_of(lying, parting, together, turns=True)
    there = {**lying}
    for each in moves:
        here, move = {p: there[p] for p in (*each.moving, *each.staying)}, each.move
        after = _turn(here, move, bevel, dimension) if isinstance(move, Rotation) else _slide(here, move)
        if not after:
            return f"{each.what}: something is in the way"
        if each.steps is not None:
            there |= after
    return fault


def _slide(lying: Bodies, move: Move) -> Bodies:
    """Return the pieces after a slide; empty if something is in the way."""
    direction = in_space(move.direction)
    if sorted(map(abs, direction)) != [0, 0, 1]:
        return {}
    cells = [cell for body in lying.values() for cell in body]
    along = next(r for r in range(3) if direction[r])
    far = 1 + max(c[along] for c in cells) - min(c[along] for c in cells)
    staying = frozenset(cell for p, body in lying.items() if p not in move.pieces for cell in body)
    for _ in range(far if move.steps is None else move.steps):
        lying = {p: frozenset(plus(cell, direction) for cell in body) if p in move.pieces else body for p, body in lying.items()}
        if any(not staying.isdisjoint(lying[p]) for p in move.pieces):
            return {}
    return lying


def _turn(lying: Bodies, turn: Rotation, bevel: Fraction, dimension: int) -> Bodies:
    """Return the pieces after a turn; empty if something is in the way."""
    u, v = turn.about[(turn.axis + 1) % 3], turn.about[(turn.axis + 2) % 3]
    if not 1 <= abs(turn.quarters) <= 3 or turn.axis not in _axes(dimension) or (u ^ v) & 1:
        return {}
    way = 1 if turn.quarters > 0 else -1
    seen = {p: _seen_from(_layers(body, turn.axis), u, v) for p, body in lying.items()}
    staying = [layers for p, layers in seen.items() if p not in turn.pieces]
    for _ in range(abs(turn.quarters)):
        if any(_in_the_way(seen[p], other, u % 2, way, bevel) for p in turn.pieces for other in staying):
            return {}
        seen |= {p: _quarter(seen[p], way) for p in turn.pieces}
    return {p: _cubes(layers, turn.axis, u, v) if p in turn.pieces else lying[p] for p, layers in seen.items()}


def _axes(dimension: int) -> tuple[int, ...]:
    return (0, 1, 2) if dimension == 3 else (2,)


# swept places -----------------------------------------------------------------------------------------------------------------


Place = tuple[int, int]
Layers = Mapping[int, frozenset[Place]]
"""The places of the parts of a piece across an axis, by their height along the axis; all in half edges."""


@lru_cache(maxsize=1 << 12)
def _layers(body: Body, axis: int) -> Layers:
    """Return the layers of a piece across an axis: its cubes, and the gaps between two or four of them."""
    steps = [in_space(by) for by in product((-1, 0, 1), repeat=3) if by[axis] == 0]
    places = {plus((2 * x, 2 * y, 2 * z), by) for x, y, z in body for by in steps}
    found: dict[int, set[Place]] = defaultdict(set)
    for place in places:
        if body.issuperset(product(*((c // 2, -(-c // 2)) for c in place))):
            found[place[axis]].add((place[(axis + 1) % 3], place[(axis + 2) % 3]))
    return {height: frozenset(own) for height, own in found.items()}


def _seen_from(layers: Layers, u: int, v: int) -> Layers:
    """Return the layers relative to an axis."""
    return {height: frozenset((x - u, y - v) for x, y in own) for height, own in layers.items()}


def _cubes(layers: Layers, axis: int, u: int, v: int) -> Body:
    """Return the cubes of a piece from its layers relative to an axis."""
    found = []
    for height, own in layers.items():
        for x, y in own:
            place = [0, 0, 0]
            place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = height, x + u, y + v
            if not any(c & 1 for c in place):
                found.append(in_space([c // 2 for c in place]))
    return frozenset(found)


def _quarter(layers: Layers, way: int) -> Layers:
    """Return the layers after a quarter turn."""
    return {height: frozenset((-way * y, way * x) for x, y in own) for height, own in layers.items()}


def _in_the_way(one: Layers, other: Layers, kind: int, way: int, bevel: Fraction) -> bool:
    """Return True if a piece in a quarter turn meets another one."""
    swept = eye(bevel)
    for height, own in one.items():
        there = other.get(height)
        if there and any(not there.isdisjoint(swept(x, y, kind, way)) for x, y in own):
            return True
    return False


@lru_cache(maxsize=64)
def eye(bevel: Fraction) -> Callable[[int, int, int, int], frozenset[Place]]:
    """Return a function that computes the places swept by a part of a piece in a quarter turn about (0, 0).

    Its arguments are the place of the part relative to the axis, in half edges; the parity of the coordinates of cubes; and 1 for a turn to
    the left, -1 for a turn to the right. Reflection and rotation reduce each case to a turn to the left of a part in the first quadrant.
    """

    @lru_cache(maxsize=1 << 16)
    def swept(x: int, y: int, kind: int, way: int) -> frozenset[Place]:
        if way < 0:
            return frozenset((v, u) for u, v in swept(y, x, kind, 1))
        if x < 0 or y < 0:
            return frozenset((-v, u) for u, v in swept(y, -x, kind, 1))
        far = isqrt(x * x + y * y) + 4
        near = [(u, v) for u, v in product(range(-far, far + 1), repeat=2) if abs(hypot(u, v) - hypot(x, y)) < 2 * sqrt(2)]
        moving = _rectangle(x, y, kind, bevel)  # places not in ``near`` are too far away to meet: twice the half diagonal of a cube
        return frozenset((u, v) for u, v in near if _meet(moving, _rectangle(u, v, kind, bevel)))

    return swept


class _Rectangle(NamedTuple):
    """A rectangle: its centre, and half its width and height. The unit is half an edge over the denominator of the bevel."""

    x: int
    y: int
    wide: int
    tall: int


def _rectangle(x: int, y: int, kind: int, bevel: Fraction) -> _Rectangle:
    unit, gap = bevel.denominator, 2 * bevel.numerator
    wide, tall = (unit - gap if c % 2 == kind else gap for c in (x, y))
    return _Rectangle(unit * x, unit * y, wide, tall)


def _meet(one: _Rectangle, other: _Rectangle) -> bool:
    """Return True if a rectangle in a quarter turn to the left overlaps another one at some sample angle.

    The speed of a point is its distance from the axis. So if the gap at an angle is large, there is no overlap at the angles near it;
    otherwise both halves of the interval are searched (bisection).
    """
    if 0 in (one.wide, one.tall, other.wide, other.tall):
        return False
    speed = max(hypot(one.x, one.y), hypot(other.x, other.y)) + 2 * max(*one[2:], *other[2:])
    left = [(0, ANGLES)]
    while left:
        low, high = left.pop()
        i = (low + high) // 2
        gap, r = _gap(one, other, i)
        if gap < 0:
            return True
        if high - low > 1 and gap <= speed * r * r * (high - low + 1) / ANGLES:
            left += [(low, i), (i, high)]
    return False


def _gap(one: _Rectangle, other: _Rectangle, i: int) -> tuple[int, int]:
    """Return the gap between two rectangles at sample angle ``i``, along the sides of either, times r squared; and r.

    They overlap if the gap is negative (separating axes). The cosine and the sine times r are integers.
    """
    c, s, r = ANGLES**2 - i**2, 2 * ANGLES * i, ANGLES**2 + i**2
    x = other.x * r - (c * one.x - s * one.y)
    y = other.y * r - (s * one.x + c * one.y)
    gaps = (
        r * (abs(x) - other.wide * r - one.wide * c - one.tall * s),
        r * (abs(y) - other.tall * r - one.wide * s - one.tall * c),
        abs(c * x + s * y) - r * (one.wide * r + other.wide * c + other.tall * s),
        abs(c * y - s * x) - r * (one.tall * r + other.wide * s + other.tall * c),
    )
    return max(gaps), r


# all positions ----------------------------------------------------------------------------------------------------------------


def positions_turned(
    bodies: Sequence[Body], bevel: Fraction, dimension: int, most: int, ended: Callable[[], bool] = lambda: False
) -> int | None:
    """Return the number of relative positions that pieces reach by single steps and turns; None if there are more than ``most``.

    Also None as soon as ``ended``, called at each position, returns True.
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
    """Yield the positions after one step or one turn; the first piece stays."""
    for r, step in product(range(dimension), (1, -1)):
        direction = in_space([step if k == r else 0 for k in range(3)])
        there = [frozenset(plus(cell, direction) for cell in body) for body in here]
        takes = [sum(1 << k for k, other in enumerate(here) if k != i and not other.isdisjoint(body)) for i, body in enumerate(there)]
        yield from _moved(here, there, takes)
    for axis in _axes(dimension):
        layers, ranges = [_layers(body, axis) for body in here], []
        for k in ((axis + 1) % 3, (axis + 2) % 3):
            ends = [cell[k] for body in here for cell in body]
            ranges.append(range(2 * min(ends) - 1, 2 * max(ends) + 2))
        for u, v in product(*ranges):
            if (u - v) % 2 == 0:
                seen = [_seen_from(own, u, v) for own in layers]
                for way in (1, -1):
                    yield from _turned_on(here, seen, axis, (u, v), way, bevel)


def _turned_on(
    here: tuple[Body, ...], seen: Sequence[Layers], axis: int, about: Place, way: int, bevel: Fraction
) -> Iterator[tuple[Body, ...]]:
    """Yield the positions after one, two and three quarters about an axis; ``seen`` has the pieces relative to it."""
    there, takes = list(seen), [0] * len(seen)
    for _ in range(3):
        for i, k in permutations(range(len(seen)), 2):
            if i and not takes[i] >> k & 1 and _in_the_way(there[i], seen[k], about[0] % 2, way, bevel):  # the first one stays
                takes[i] |= 1 << k
        if all(own & 1 for own in takes[1:]):
            return
        there = [_quarter(own, way) for own in there]
        yield from _moved(here, [_cubes(own, axis, *about) for own in there], takes)


def _moved(here: Sequence[Body], there: Sequence[Body], takes: Sequence[int]) -> Iterator[tuple[Body, ...]]:
    """Yield the positions after the moves of all sets of pieces that can move while the first piece stays."""
    for group in _free_groups(takes):
        yield tuple(there[i] if group >> i & 1 else body for i, body in enumerate(here))


def _free_groups(takes: Sequence[int]) -> Iterator[int]:
    """Yield the sets of pieces that can move while the first piece stays: the sets that contain all pieces in the way of their pieces.

    Sets with the first piece are not needed: moving the complement the opposite way leads to the same position.
    """
    whole = [own | 1 << i for i, own in enumerate(takes)]
    for k in range(len(whole)):  # transitive closure (S. Warshall, A theorem on Boolean matrices, 1962)
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
