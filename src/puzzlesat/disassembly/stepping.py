"""Pieces on a board, one step at a time, on the atoms: compiled. This knows nothing of the search: neither its shapes nor its free ways.

The board is a box of places, and each place tells which piece lies there. A piece runs into whatever lies where it sweeps in a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Bytes, Ints, Longs, Words
from puzzlesat.kernels import compiled, part
from puzzlesat.solvers import lowest_bit

# mypy: allow-untyped-calls


DONE, PAUSED, NOT_BEGUN, MORE, TOO_NARROW, OVERLAP = range(6)
"""How a walk ends: no step leads anywhere else; so many positions were looked at; so many were, and it was not begun; there are more
positions than was said; a piece comes to the edge of the board; two pieces lie in each other."""
COUNT, LOOKED, NARROW = range(3)
"""What ``Walk.state`` tells: how many positions there are, how many of them were looked at, and along which coordinate the board is too
narrow."""
ONE = np.uint64(1)
NONE = np.uint64(0)
OWN, SWEPT = np.uint8(255), np.uint8(254)


class Bodies(NamedTuple):
    """The places that bodies cover: those of body i are ``atom[place[start[i]:start[i + 1]]]``."""

    start: Longs
    place: Ints
    atom: Ints  # (places, 4): the cell, and which of its atoms


class StepSweeps(NamedTuple):
    """What an atom of the cell 0 sweeps in one step; for atom a and direction d from ``start[d * atoms + a]`` on."""

    direction: Longs  # (directions, 3)
    start: Ints
    place: Longs  # (places, 4)
    atoms: Any  # of a cell
    height: Longs  # (directions, 4): what the height of a cell grows by along each coordinate, and in a step; height is along the direction
    low: Longs  # (directions, atoms): of the lowest corner of an atom, above its cell
    high: Longs
    gap: Longs  # the square of how far above all else something is that is past it


class Walk(NamedTuple):
    """A board, and room for positions of pieces to each other; the first piece always stays where it is."""

    edge: Longs  # how far a piece may be moved either way, in each coordinate
    low: Longs  # the lowest cell of the board
    wide: Longs  # how many cells it has along each coordinate
    board: Bytes  # 1 + the piece that lies there; 0: none
    own: Ints  # the places of all pieces, in the beginning
    own_start: Longs
    sweep: Ints  # the places that each piece sweeps, by direction
    sweep_start: Longs
    moved: Ints  # (positions, pieces, 3): how far each piece is from where it was in the beginning
    spot: Ints  # (positions, pieces): the same in places of the board
    slot: Ints  # where a position stands in the table
    table: Ints  # which position stands where its hash says; -1: none
    along: Words  # what goes along with each piece
    state: Longs


class Held(NamedTuple):
    """Pieces that hold each other, row by row: how many they are, which bodies, and in how many positions they are said to come."""

    size: Longs
    body: Ints  # (rows, pieces)
    said: Longs
    ways: Longs  # the directions in which pieces go a step: one of each two opposite ones


class StepMoves(NamedTuple):
    """Moves, one after the other: which pieces move, which stay, in which direction, and how far; -1: until they are past what stays."""

    moving: Words
    staying: Words
    way: Longs
    steps: Longs


# a board -------------------------------------------------------------------------------------------------------------------------


@part
def _places(walk: Any, atoms: Any, x: Any, y: Any, z: Any) -> Any:
    """How many places of the board it is to a cell that lies so."""
    return ((z * walk.wide[1] + y) * walk.wide[0] + x) * atoms


@part
def _lay_pieces(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any) -> None:
    """List where pieces are in the beginning."""
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
    """List what each piece sweeps in a step in each of some directions, without what it covers itself."""
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
    """Put the pieces of a position on the board. True where two of them are in the same place."""
    overlap = False
    for i in range(pieces):
        for k in range(walk.own_start[i], walk.own_start[i + 1]):
            overlap = overlap or walk.board[walk.own[k] + spot[i]] != 0
            walk.board[walk.own[k] + spot[i]] = i + 1
    return overlap


@part
def _wipe(walk: Any, spot: Any, pieces: Any) -> None:
    """Take the pieces of a position from the board."""
    for i in range(pieces):
        for k in range(walk.own_start[i], walk.own_start[i + 1]):
            walk.board[walk.own[k] + spot[i]] = 0


# positions that are reached ------------------------------------------------------------------------------------------------------


@part
def _take_along(walk: Any, spot: Any, ways: Any, pieces: Any, w: Any) -> None:
    """Write what each piece takes along when it goes a step: all that it runs into, and all that these do."""
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
    """Where a position stands, or would, in the table."""
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
    """Note the position after a step of some pieces, if it is new. Return PAUSED, or why there is no going on."""
    here, there = walk.state[LOOKED], walk.state[COUNT]
    first = group & ONE != NONE  # it stays, so the others go the other way
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
    """Note all positions that a step leads to. Return PAUSED, or why that is not done.

    It is enough to move what a piece takes along. If more pieces can go a step together, they are such sets, and one of these can go first,
    the rest after it: it cannot get into the way of what it did not take along. The opposite directions are not needed: if some pieces go a
    step there, all the others go a step here, with all that they run into.
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
    """Begin a walk with pieces where they lie."""
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
    """Look at up to ``most`` more positions."""
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
    """Go through all positions that pieces reach by single steps of any of them, or of groups, row by row, as long as that is as was said.

    Return the row where it is not, or where ``most`` positions were looked at, and how its walk ended: DONE where there are fewer positions
    than was said. The first one is ``begun`` where ``walk`` has what was found of it.
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


# moves that are replayed --------------------------------------------------------------------------------------------------------------


@part
def _on_board(walk: Any, atoms: Any, x: Any, y: Any, z: Any) -> Any:
    """The first place of a cell on the board; -1 where it is not on it."""
    x -= walk.low[0]
    y -= walk.low[1]
    z -= walk.low[2]
    if x < 0 or y < 0 or z < 0 or x >= walk.wide[0] or y >= walk.wide[1] or z >= walk.wide[2]:
        return np.int64(-1)
    return _places(walk, atoms, x, y, z)


@part
def _put(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, staying: Any, number: Any) -> None:
    """Write the numbers of the pieces that stay on the board, from ``number`` on; 0: wipe them away."""
    for i in range(pieces):
        if (staying >> np.uint64(i)) & ONE != NONE:
            by = walk.moved[0, i]
            for k in range(bodies.start[row[i]], bodies.start[row[i] + 1]):
                atom = bodies.atom[bodies.place[k]]
                cell = _on_board(walk, sweeps.atoms, np.int64(atom[0] + by[0]), np.int64(atom[1] + by[1]), np.int64(atom[2] + by[2]))
                walk.board[cell + atom[3]] = number + i if number else 0


@part
def _until_past(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, moving: Any, staying: Any, d: Any) -> Any:
    """After how many steps all that moves lies above all that stays, as seen in the direction."""
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
    """Into which piece a piece runs in the step after ``done`` others, as its number and 1; 0: into none."""
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
    """Make a move, step by step. Return the step in which a piece runs into another, and these pieces; 0 where none does."""
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
    """Make moves, step by step. Return the first in which a piece runs into another, the step, and these pieces; -1 where none does.

    Pieces that are taken away stay where they are: what comes apart after that does so by itself.
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
    """Whether all pieces are on the board."""
    for i in range(pieces):
        for c in range(3):
            if abs(walk.moved[0, i, c]) > walk.edge[c]:
                return False
    return True


@part
def _replayed(bodies: Any, sweeps: Any, walk: Any, row: Any, pieces: Any, count: Any, moves: Any, left: Any) -> Any:
    """Make the moves of an assembly. Return DONE where each is free, and all pieces are apart in the end; else how that ends."""
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
    """Make the moves of assemblies, row by row. Return the first row that does not come apart so, and how that ends; or the last and DONE.

    Of each move ``moves`` tells the pieces that are there, those of them that move, the direction, and how far; -1: they are taken away.
    """
    for row in range(first, last):
        end = _replayed(bodies, sweeps, walk, rows.body[row], rows.size[row], count[row], moves[row], left)
        if end != DONE:
            return row, end
    return last, DONE
