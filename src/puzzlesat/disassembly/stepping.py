"""Move pieces on a board of atoms, one step at a time: compiled. This code is independent of the search, its shapes and free distances.

The board is a box of places, with the number of the piece at each place. In a step, a piece collides with the pieces at the places that it
sweeps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Bytes, Ints, Longs, Words
from puzzlesat.kernels import compiled, lowest_bit, part

# mypy: allow-untyped-calls


DONE, PAUSED, NOT_BEGUN, MORE, TOO_NARROW, OVERLAP = range(6)
"""How an enumeration ends: all reachable positions were visited; the limit of positions was reached; the same before it was begun; there
are more positions than claimed; a piece would leave the board; two pieces overlap."""
COUNT, LOOKED, NARROW = range(3)
"""Indices in ``Walk.state``: the numbers of positions and of visited positions, and the coordinate along which the board is too narrow."""
ONE = np.uint64(1)
NONE = np.uint64(0)
OWN, SWEPT = np.uint8(255), np.uint8(254)


class Bodies(NamedTuple):
    """The atoms that bodies cover: body i covers ``atom[place[start[i]:start[i + 1]]]``."""

    start: Longs
    place: Ints
    atom: Ints  # (places, 4): the cell, and the number of the atom in it


class StepSweeps(NamedTuple):
    """The places that an atom of the cell 0 sweeps in one step; for atom a and direction d from ``start[d * atoms + a]`` on."""

    direction: Longs  # (directions, 3)
    start: Ints
    place: Longs  # (places, 4)
    atoms: Any  # atoms in a cell
    height: Longs  # (directions, 4): increase of the height (along the direction) of a cell per unit of each coordinate, and per step
    low: Longs  # (directions, atoms): the height of the lowest corner of an atom, relative to its cell
    high: Longs  # (directions, atoms): the height of the highest corner
    gap: Longs  # (directions): the square of the height at which balls are past each other; 0 for other atoms


class Walk(NamedTuple):
    """A board, and arrays for relative positions of pieces; the first piece always stays."""

    edge: Longs  # the largest translation of a piece in each coordinate
    low: Longs  # the least cell of the board
    wide: Longs  # the number of cells along each coordinate
    board: Bytes  # 1 + the number of the piece at a place; 0: empty
    own: Ints  # the places of all pieces at the start
    own_start: Longs  # the first index of each piece in ``own``
    sweep: Ints  # the places that each piece sweeps, by direction
    sweep_start: Longs  # the first index of each piece and direction in ``sweep``
    moved: Ints  # (positions, pieces, 3): the translation of each piece from the start
    spot: Ints  # (positions, pieces): the same as a difference of places
    slot: Ints  # the index of a position in ``table``
    table: Ints  # hash table of position numbers; -1: empty
    along: Words  # the pieces that each piece pushes
    state: Longs


class Held(NamedTuple):
    """Claims that pieces interlock, one per row."""

    size: Longs  # the number of pieces
    body: Ints  # (rows, pieces): body numbers
    said: Longs  # the claimed number of reachable positions
    ways: Longs  # the directions of steps, one of each pair of opposite ones


class StepMoves(NamedTuple):
    """A sequence of moves."""

    moving: Words  # the pieces that move
    staying: Words  # the pieces that stay
    way: Longs  # the direction
    steps: Longs  # the number of steps; -1: until the moving pieces are past the others


# a board -------------------------------------------------------------------------------------------------------------------------


@part
def _places(walk: Any, atoms: Any, x: Any, y: Any, z: Any) -> Any:
    """Return the difference of places on the board for a difference of cells."""
    return ((z * walk.wide[1] + y) * walk.wide[0] + x) * atoms


@part
def _lay_pieces(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any) -> None:
    """Write the places of the pieces at the start."""
    count = 0
    for i in range(pieces):
        walk.own_start[i] = count
        for k in range(bodies.start[row[i]], bodies.start[row[i] + 1]):
            atom = bodies.atom[bodies.place[k]]
            walk.own[count] = atom[3] + _places(walk, sweeps.atoms, atom[0] - walk.low[0], atom[1] - walk.low[1], atom[2] - walk.low[2])
            count += 1
    walk.own_start[pieces] = count


@part
def _lay_sweeps(sweeps: Any, walk: Any, pieces: Any, ways: Any) -> None:
    """Write the places that each piece sweeps in a step in each direction, without its own."""
    atoms, board, own = sweeps.atoms, walk.board, walk.own
    count = 0
    for i in range(pieces):
        for k in range(walk.own_start[i], walk.own_start[i + 1]):
            board[own[k]] = OWN
        for w in range(len(ways)):
            begin = count
            walk.sweep_start[i * len(ways) + w] = begin
            for k in range(walk.own_start[i], walk.own_start[i + 1]):
                which = own[k] % atoms
                for p in range(sweeps.start[ways[w] * atoms + which], sweeps.start[ways[w] * atoms + which + 1]):
                    place = sweeps.place[p]
                    there = own[k] - which + place[3] + _places(walk, atoms, place[0], place[1], place[2])
                    if board[there] == 0:
                        board[there] = SWEPT
                        walk.sweep[count] = there
                        count += 1
            for k in range(begin, count):
                board[walk.sweep[k]] = 0
        for k in range(walk.own_start[i], walk.own_start[i + 1]):
            board[own[k]] = 0
    walk.sweep_start[pieces * len(ways)] = count


@part
def _paint(walk: Any, spot: Any, pieces: Any) -> Any:
    """Put the pieces of a position on the board. Return True if two of them overlap."""
    overlap = False
    for i in range(pieces):
        for k in range(walk.own_start[i], walk.own_start[i + 1]):
            overlap = overlap or walk.board[walk.own[k] + spot[i]] != 0
            walk.board[walk.own[k] + spot[i]] = i + 1
    return overlap


@part
def _wipe(walk: Any, spot: Any, pieces: Any) -> None:
    """Remove the pieces of a position from the board."""
    for i in range(pieces):
        for k in range(walk.own_start[i], walk.own_start[i + 1]):
            walk.board[walk.own[k] + spot[i]] = 0


# reachable positions -------------------------------------------------------------------------------------------------------------


@part
def _take_along(walk: Any, spot: Any, ways: Any, pieces: Any, w: Any) -> None:
    """Write the pieces that each piece pushes in a step: the pieces in its way, the pieces in their way, and so on."""
    along = walk.along
    for i in range(pieces):
        bits = ONE << np.uint64(i)
        for k in range(walk.sweep_start[i * ways + w], walk.sweep_start[i * ways + w + 1]):
            hit = walk.board[walk.sweep[k] + spot[i]]
            if hit != 0:
                bits |= ONE << np.uint64(hit - 1)
        along[i] = bits
    for i in range(pieces):
        bits = along[i]
        left = bits & ~(ONE << np.uint64(i))
        while left != NONE:
            more = along[lowest_bit(left)]
            left = (left & (left - ONE)) | (more & ~bits)
            bits |= more
        along[i] = bits


@part
def _find(walk: Any, number: Any, pieces: Any) -> Any:
    """Return the index of a position in the hash table, or the empty slot to put it in."""
    spot, table = walk.spot, walk.table
    value = np.int64(17)
    for i in range(1, pieces):
        value = value * 1000003 + spot[number, i]
        value ^= value >> 23
    mask = len(table) - 1
    slot = (value * 0x2545F4914F6CDD1D >> 20) & mask
    while table[slot] != -1:
        there, same = table[slot], True
        for i in range(1, pieces):
            same = same and spot[there, i] == spot[number, i]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@part
def _step(walk: Any, sweeps: Any, pieces: Any, group: Any, d: Any, said: Any) -> Any:
    """Add the position after a step of a group, if it is new. Return PAUSED, or the reason for stopping."""
    here, there = walk.state[LOOKED], walk.state[COUNT]
    first = group & ONE != NONE  # the first piece stays at 0, so the others move the opposite way
    direction = sweeps.direction[d]
    for i in range(1, pieces):
        goes = (group >> np.uint64(i)) & ONE != NONE
        by = np.int64(goes) - np.int64(first)
        for c in range(3):
            now = walk.moved[here, i, c] + by * direction[c]
            if abs(now) > walk.edge[c]:
                walk.state[NARROW] = c
                return TOO_NARROW
            walk.moved[there, i, c] = now
        moved = walk.moved[there, i]
        walk.spot[there, i] = _places(walk, sweeps.atoms, np.int64(moved[0]), np.int64(moved[1]), np.int64(moved[2]))
    slot = _find(walk, there, pieces)
    if walk.table[slot] == -1:
        if there == said:
            return MORE
        walk.table[slot] = there
        walk.slot[there] = slot
        walk.state[COUNT] = there + 1
    return PAUSED


@part
def _look_around(walk: Any, sweeps: Any, pieces: Any, ways: Any, said: Any) -> Any:
    """Add all positions that are one step away. Return PAUSED, or the reason for stopping.

    It is enough to move each piece with the pieces it pushes. Any other set that can move is a union of these, and they can move one after
    the other: a set does not obstruct pieces that it does not push. One of two opposite directions is enough: if some pieces
    move a step in one of them, their complement can move a step in the other.
    """
    spot = walk.spot[walk.state[LOOKED]]
    everything = (ONE << np.uint64(pieces - 1)) | ((ONE << np.uint64(pieces - 1)) - ONE)
    for w in range(len(ways)):
        _take_along(walk, spot, len(ways), pieces, w)
        for i in range(pieces):
            group, known = walk.along[i], False
            for k in range(i):
                known = known or walk.along[k] == group
            if group == everything or known:
                continue
            end = _step(walk, sweeps, pieces, group, ways[w], said)
            if end != PAUSED:
                return end
    return PAUSED


@part
def _begin(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, ways: Any) -> None:
    """Start an enumeration at the position of an assembly."""
    for number in range(walk.state[COUNT]):
        walk.table[walk.slot[number]] = -1
    walk.state[COUNT], walk.state[LOOKED] = 1, 0
    _lay_pieces(bodies, sweeps, walk, row, pieces)
    _lay_sweeps(sweeps, walk, pieces, ways)
    for i in range(pieces):
        walk.spot[0, i] = 0
        for c in range(3):
            walk.moved[0, i, c] = 0
    slot = _find(walk, 0, pieces)
    walk.table[slot] = 0
    walk.slot[0] = slot


@part
def _walk(walk: Any, sweeps: Any, pieces: Any, ways: Any, said: Any, most: Any) -> Any:
    """Visit up to ``most`` more positions."""
    state = walk.state
    for _ in range(most):
        if state[LOOKED] == state[COUNT]:
            return DONE
        spot = walk.spot[state[LOOKED]]
        end = OVERLAP if _paint(walk, spot, pieces) else _look_around(walk, sweeps, pieces, ways, said)
        _wipe(walk, spot, pieces)
        if end != PAUSED:
            return end
        state[LOOKED] += 1
    return PAUSED


@compiled
def walk_about(bodies: Any, sweeps: Any, walk: Any, rows: Any, first: Any, last: Any, begun: Any, most: Any) -> Any:
    """Enumerate the positions that pieces reach by single steps of pieces or groups, row by row, while the numbers are as claimed.

    Return the row where the number differs, or where ``most`` positions were visited, and how its enumeration ended: DONE if there are
    fewer positions than claimed. If ``begun``, resume the enumeration of the first row from the state in ``walk``.
    """
    row = first
    while row < last:
        pieces, said = rows.size[row], rows.said[row]
        if not begun:
            if most <= 0:
                break
            _begin(bodies, sweeps, walk, rows.body[row], pieces, rows.ways)
        begun = False
        before = walk.state[LOOKED]
        end = _walk(walk, sweeps, pieces, rows.ways, said, most)
        most -= walk.state[LOOKED] - before
        if end != DONE or walk.state[COUNT] != said:
            return row, end
        row += 1
    return row, NOT_BEGUN


# replay of moves ----------------------------------------------------------------------------------------------------------------------


@part
def _on_board(walk: Any, atoms: Any, x: Any, y: Any, z: Any) -> Any:
    """Return the first place of a cell on the board, or -1 if the cell is outside."""
    x -= walk.low[0]
    y -= walk.low[1]
    z -= walk.low[2]
    if x < 0 or y < 0 or z < 0 or x >= walk.wide[0] or y >= walk.wide[1] or z >= walk.wide[2]:
        return np.int64(-1)
    return _places(walk, atoms, x, y, z)


@part
def _put(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, staying: Any, number: Any) -> None:
    """Put the staying pieces on the board as ``number`` + piece; remove them if ``number`` is 0."""
    for i in range(pieces):
        if (staying >> np.uint64(i)) & ONE != NONE:
            by = walk.moved[0, i]
            for k in range(bodies.start[row[i]], bodies.start[row[i] + 1]):
                atom = bodies.atom[bodies.place[k]]
                cell = _on_board(walk, sweeps.atoms, np.int64(atom[0] + by[0]), np.int64(atom[1] + by[1]), np.int64(atom[2] + by[2]))
                walk.board[cell + atom[3]] = number + i if number else 0


@part
def _until_past(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, moving: Any, staying: Any, d: Any) -> Any:
    """Return the number of steps after which all moving pieces are above all staying ones, along the direction."""
    height = sweeps.height[d]
    least, most = np.int64(1) << 62, -(np.int64(1) << 62)
    for i in range(pieces):
        by = walk.moved[0, i]
        for k in range(bodies.start[row[i]], bodies.start[row[i] + 1]):
            atom = bodies.atom[bodies.place[k]]
            level = np.int64(0)
            for c in range(3):
                level += height[c] * (atom[c] + by[c])
            if (moving >> np.uint64(i)) & ONE != NONE:
                least = min(least, level + sweeps.low[d, atom[3]])
            if (staying >> np.uint64(i)) & ONE != NONE:
                most = max(most, level + sweeps.high[d, atom[3]])
    steps = np.int64(0)
    while least < most or (sweeps.gap[d] > 0 and (least - most) * (least - most) < sweeps.gap[d]):
        least += height[3]
        steps += 1
    return steps


@part
def _hit(bodies: Any, sweeps: Any, walk: Any, row: Any, i: Any, d: Any, done: Any) -> Any:
    """Return 1 + the piece that piece ``i`` collides with in the step after ``done`` others; 0: none."""
    atoms, by, direction = sweeps.atoms, walk.moved[0, i], sweeps.direction[d]
    for k in range(bodies.start[row[i]], bodies.start[row[i] + 1]):
        atom = bodies.atom[bodies.place[k]]
        x = atom[0] + by[0] + done * direction[0]
        y = atom[1] + by[1] + done * direction[1]
        z = atom[2] + by[2] + done * direction[2]
        for p in range(sweeps.start[d * atoms + atom[3]], sweeps.start[d * atoms + atom[3] + 1]):
            place = sweeps.place[p]
            cell = _on_board(walk, atoms, x + place[0], y + place[1], z + place[2])
            if cell >= 0 and walk.board[cell + place[3]] != 0:
                return np.int64(walk.board[cell + place[3]])
    return np.int64(0)


@part
def _make(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, moving: Any, staying: Any, d: Any, steps: Any) -> Any:
    """Make a move, step by step. Return the step of the first collision and its two pieces; step 0 if there is none."""
    far = steps if steps >= 0 else _until_past(bodies, sweeps, walk, row, pieces, moving, staying, d)
    _put(bodies, sweeps, walk, row, pieces, staying, 1)
    for done in range(far):
        for i in range(pieces):
            hit = np.int64(0)
            if (moving >> np.uint64(i)) & ONE != NONE:
                hit = _hit(bodies, sweeps, walk, row, i, d, done)
            if hit:
                _put(bodies, sweeps, walk, row, pieces, staying, 0)
                return done + 1, i, hit - 1
    _put(bodies, sweeps, walk, row, pieces, staying, 0)
    for i in range(pieces):
        if steps >= 0 and (moving >> np.uint64(i)) & ONE != NONE:
            for c in range(3):
                walk.moved[0, i, c] += steps * sweeps.direction[d, c]
    return np.int64(0), np.int64(0), np.int64(0)


@compiled
def replay(bodies: Any, sweeps: Any, walk: Any, row: Any, moves: Any) -> Any:
    """Make moves, step by step. Return the move and the step of the first collision and its two pieces; move -1 if there is none.

    Pieces that are taken away are not moved: each part comes apart by itself.
    """
    pieces = len(row)
    for i in range(pieces):
        for c in range(3):
            walk.moved[0, i, c] = 0
    for m in range(len(moves.way)):
        step, piece, other = _make(bodies, sweeps, walk, row, pieces, moves.moving[m], moves.staying[m], moves.way[m], moves.steps[m])
        if step > 0:
            return m, step, piece, other
    return -1, 0, 0, 0


@part
def _fits(walk: Any, pieces: Any) -> Any:
    """Return True if all pieces are on the board."""
    for i in range(pieces):
        for c in range(3):
            if abs(walk.moved[0, i, c]) > walk.edge[c]:
                return False
    return True


@part
def _replayed(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, count: Any, moves: Any, left: Any) -> Any:
    """Replay an assembly. Return DONE if each move is free and all pieces are apart in the end; else OVERLAP, TOO_NARROW or MORE."""
    _lay_pieces(bodies, sweeps, walk, row, pieces)
    for i in range(pieces):
        walk.spot[0, i] = 0
        for c in range(3):
            walk.moved[0, i, c] = 0
    overlap = _paint(walk, walk.spot[0], pieces)
    _wipe(walk, walk.spot[0], pieces)
    if overlap:
        return OVERLAP
    left[0] = (ONE << np.uint64(pieces - 1)) | ((ONE << np.uint64(pieces - 1)) - ONE)
    parts = 1
    for m in range(count):
        there, moving, d, steps = np.uint64(moves[m, 0]), np.uint64(moves[m, 1]), moves[m, 2], moves[m, 3]
        k = 0
        while k < parts and left[k] != there:
            k += 1
        staying = there & ~moving
        if k == parts or moving & ~there != NONE or moving == NONE or staying == NONE:
            return MORE
        if not _fits(walk, pieces):
            return TOO_NARROW
        step, _, _ = _make(bodies, sweeps, walk, row, pieces, moving, staying, d, steps)
        if step > 0:
            return MORE
        if steps < 0:
            parts -= 1
            left[k] = left[parts]
            for rest in (moving, staying):
                if rest & (rest - ONE) != NONE:
                    left[parts] = rest
                    parts += 1
    return DONE if parts == 0 else MORE


@compiled
def replay_all(bodies: Any, sweeps: Any, walk: Any, rows: Any, count: Any, moves: Any, left: Any, first: Any, last: Any) -> Any:
    """Replay assemblies row by row. Return the first row that fails and how it ended, or ``last`` and DONE.

    A row of ``moves`` has the pieces present, the pieces that move, the direction and the steps, which are -1 if they are taken away.
    """
    for row in range(first, last):
        end = _replayed(bodies, sweeps, walk, rows.body[row], rows.size[row], count[row], moves[row], left)
        if end != DONE:
            return row, end
    return last, DONE
