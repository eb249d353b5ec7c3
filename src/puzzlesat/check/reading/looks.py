"""How a tile looks after the motions that may turn it. Two tiles that can look the same in the same ways are identical."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations
from math import gcd, lcm
from typing import Any

from ..grid import Atom, Matrix, determinant, turned
from ..rejected import Rejected
from ..seams import Look, Mark
from ..values import shown
from .grids import Lattice, at_home, moved_by
from .motions import cross, dot
from .tables import listed


def allowed_turns(lattice: Lattice, flips: bool, turns: Any, where: str) -> tuple[int, ...]:
    """Return the numbers of the symmetries that may turn a tile, from 0.

    A mirror is the first mirror followed by a turn: it is allowed where tiles may be flipped and that turn is allowed.
    """
    if turns == "all":
        return tuple(i for i, turn in enumerate(lattice.turns) if flips or not turn.mirror)
    if lattice.dimension == 3:
        if turns not in ("none", [0]) or flips:
            raise Rejected(f"{where}: in space expected 'all', or 'none' with flips = false, got {shown(turns)}")
        return (0,)
    angles = {0} if turns == "none" else set(listed(turns, where))
    first = min((turn.behind for turn in lattice.turns if turn.mirror), default=0)
    steps = [2 * (turn.behind - first) if turn.mirror else turn.behind for turn in lattice.turns]
    if unknown := [a for a in angles if type(a) is not int or a not in steps]:
        raise Rejected(f"{where}: the grid has no turn of {shown(unknown[0])} degrees")
    return tuple(i for i, turn in enumerate(lattice.turns) if (flips or not turn.mirror) and _near(steps[i], angles))


def _near(step: float, angles: Iterable[int]) -> bool:
    return any(abs(step - angle) < 1e-6 for angle in angles)


def turned_look(lattice: Lattice, number: int, look: Look) -> Look:
    """Return a look after a symmetry, moved so that its smallest coordinates are 0."""
    go, still = lattice.turns[number].does, (0,) * lattice.dimension
    return settled({go(a, still): go(a, still) for a in look[0]}, ((go(s, still), go(f, still), name) for s, f, name in look[1]))


def settled(atoms: Iterable[Atom], marks: Iterable[Mark]) -> Look:
    """Return a look, moved so that its smallest coordinates are 0."""
    return moved_look((frozenset(atoms), frozenset(marks)), None)


def moved_look(look: Look, move: Sequence[int] | None) -> Look:
    """Return a look after a translation; without one, moved so that its smallest coordinates are 0."""
    by = at_home(look[0]) if move is None else move
    marks = frozenset((moved_by(s, by), moved_by(f, by), name) for s, f, name in look[1])
    return frozenset(moved_by(a, by) for a in look[0]), marks


def mapped(look: Look, go: Callable[[Atom], Atom]) -> Look:
    """Return a look of which each atom has gone somewhere."""
    return frozenset(map(go, look[0])), frozenset((go(s), go(f), name) for s, f, name in look[1])


def all_looks(lattice: Lattice, look: Look, numbers: Sequence[int]) -> frozenset[Look]:
    """Return every way in which a tile may look, turned by some symmetries; balls also by those motions that keep their neighbours."""
    found = {turned_look(lattice, number, look) for number in numbers}
    if lattice.of_balls and len(numbers) > 1:
        flips = any(lattice.turns[number].mirror for number in numbers)
        found.update(_ball_looks(lattice, look, flips))
    return frozenset(found)


def _ball_looks(lattice: Lattice, look: Look, flips: bool) -> Iterator[Look]:
    """The looks of a tile of balls after each motion that takes two directions of neighbours to two such, and its balls to balls."""
    first = min(look[0])
    for matrix, below in _ball_motions(lattice):
        if flips or determinant(matrix) > 0:
            image = {a: turned(matrix, tuple(x - y for x, y in zip(a[:-1], first, strict=False))) for a in look[0]}
            if not any(x % below for there in image.values() for x in there):
                whole = {a: (*(x // below for x in there), 0) for a, there in image.items()}
                yield settled(whole.values(), ((whole[s], whole[f], name) for s, f, name in look[1]))


@cache
def _ball_motions(lattice: Lattice) -> tuple[tuple[Matrix, int], ...]:
    """Every motion that takes two directions of neighbours to two others at the same angle: a matrix, and what it is divided by.

    Angles beyond a right one need not be looked at: the opposite of one of the two directions makes the lesser angle.
    """
    unit = lcm(*(x.denominator for row in lattice.grid.gram for x in row))
    gram = tuple(tuple(int(x * unit) for x in row) for row in lattice.grid.gram)
    by_angle: dict[int, list[Matrix]] = {}
    for v, w in permutations([a[:-1] for a in lattice.neighbours[0]], 2):
        if any(cross(v, w)) and (product := dot(v, turned(gram, w))) >= 0:
            upright = turned(tuple(cross(gram[(i + 1) % 3], gram[(i + 2) % 3]) for i in range(3)), cross(v, w))
            by_angle.setdefault(product, []).append((v, w, upright))
    found: dict[tuple[Matrix, int], None] = {}
    for frames in by_angle.values():
        for start in frames:
            size = determinant(start)
            lead = tuple(cross(start[(i + 1) % 3], start[(i + 2) % 3]) for i in range(3))  # size times the inverse, by rows
            for v, w, upright in frames:
                for end in ((v, w, upright), (v, w, tuple(-x for x in upright))):
                    matrix = tuple(tuple(sum(end[k][i] * lead[k][j] for k in range(3)) for j in range(3)) for i in range(3))
                    whole = gcd(size, *(x for row in matrix for x in row)) * (1 if size > 0 else -1)
                    found[tuple(tuple(x // whole for x in row) for row in matrix), size // whole] = None
    return tuple(found)
