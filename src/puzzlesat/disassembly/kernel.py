"""Breadth-first search over the relative positions of pieces, until a piece or a group of pieces can be taken away: compiled.

The free distance of a piece before another depends only on their shapes and their relative position, so it is computed once per pair and
cached. The free distances of all pairs in a direction determine which pieces move together: a piece that moves k steps pushes each piece
less than k steps ahead of it, and so on (W. Cutler, A computer analysis of all 6-piece burrs, 1994, has both ideas, and so does BurrTools).
The sets that can move are the unions of these closures. Moving a set forwards and moving its complement backwards lead to the same relative
position, so only the smaller set moves.

The position of a piece is packed into one word: x + y 2^21 + z 2^42. Words are added and subtracted like vectors. The first piece stays at
0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlesat.base import Ints, Longs, Words
from puzzlesat.kernels import compiled, part, popcount

Shorts = NDArray[np.int16]

# mypy: allow-untyped-calls


EXHAUSTED, FOUND, SINGLE, FULL, PAUSED, TOO_FAR, TOO_MANY = range(7)
"""How a search ends: all reachable positions were expanded; pieces can be taken away; the pieces come apart by single moves; the arrays are
full; the limit of positions was reached; pieces are further apart than ``MAX_APART``; more than ``MAX_SETS`` sets of pieces can move."""
COUNT, LOOKED, AWAY, NOT_ALL = range(4)
"""Indices in ``Tree.state``: the number of positions, the number of expanded positions, the number of entries of ``away``, and a flag which
is 1 if ``away`` is incomplete."""
NEVER = 32767
"""The free distance of a piece, or of an atom, that meets nothing."""
MAX_PIECES = 64
MAX_APART = 1000
"""Largest distance of a piece from the first one in each coordinate, in cells."""
MAX_SETS = 1 << 12
FIELD = 21
"""Bits of a coordinate in a word."""
ONE = np.uint64(1)
NONE = np.uint64(0)


class Scene(NamedTuple):
    """The shapes of a puzzle, and the cached free distances of their pairs; shared by all its assemblies."""

    start: Ints  # (shapes + 1): shape i has the atoms from start[i] to start[i + 1]
    atom: Ints  # the number of each atom in its cell
    place: Ints  # (axes, atoms, 3): the cells in the frame of each axis; an axis is a pair of opposite directions
    frames: Longs
    meets: Shorts  # (axes, atoms, atoms, lines, lines)
    reach: Any
    patch: Longs  # (axes, shapes, 5): the lines of a shape: their first number, the least u and v, the numbers of u and v
    line: Ints  # the first index of each line in ``height`` and ``kind``
    height: Ints  # the coordinate of an atom along its line
    kind: Ints  # the number of that atom in its cell
    steps: Longs  # the directions as words
    keys: Longs  # (rows, 2): hash table; a pair of shapes and their relative position; the pair is -1 in an empty row
    free: Shorts  # (rows, directions): the free distances
    used: Longs  # [0]: the number of rows in use


class Tree(NamedTuple):
    """The tree of the search: positions in the order of discovery, the start first; and the buffers of the search."""

    shape: Ints  # the shape of each piece
    position: Longs  # (room, pieces): the positions of the pieces, as words
    parent: Ints
    depth: Ints
    moved: Words  # the pieces that moved last
    way: Ints  # (room, 2): the direction and the steps of that move
    slot: Ints  # the index of a position in ``table``
    table: Ints  # hash table of position numbers; -1: empty
    state: Longs
    away: Longs  # (most, 3): separations: position, pieces taken away, direction
    single: Longs  # (pieces, 3): single moves: pieces that come apart, pieces taken away, direction
    sets: Words  # buffer: the sets that can move
    free: Shorts  # (directions, pieces, pieces): buffer: the free distance of each piece before each other one
    along: Words  # (directions, pieces): buffer: the pieces pushed by a move of each piece; the first is 0 if nothing moves
    far: Words  # (directions, pieces): buffer: the pieces pushed when each piece is taken away


class Rows(NamedTuple):
    """Assemblies to search, and the results of completed searches."""

    size: Longs  # the number of pieces
    shape: Ints  # (rows, pieces)
    position: Longs
    grouped: Longs  # 1 if some of the pieces may stay together
    closed: Longs  # the number of positions that the pieces reach, if nothing can be taken away


class Simple(NamedTuple):
    """Results of ``explore_simple``, which decides assemblies that hold or come apart by single moves after the first separation."""

    closed: Longs  # the number of positions that the pieces reach, if they hold; 0: they come apart; -1: undecided
    first: Longs  # the number of moves of the first parting
    length: Longs  # the number of all moves
    moves: Longs  # (rows, most, 4): pieces present, pieces that move, direction, steps; steps are -1 if the pieces are taken away


# free distances -----------------------------------------------------------------------------------------------------------------


@part
def _coordinate(word: Any) -> Any:
    """Return the first coordinate x of a word; ``(word - x) >> FIELD`` has the others."""
    half = np.int64(1) << (FIELD - 1)
    return ((word + half) & ((half << 1) - 1)) - half


@part
def _steps_ahead(scene: Any, axis: Any, one: Any, other: Any, gap: Any) -> Any:
    """Return the free distance of shape ``one`` along an axis before shape ``other``, translated by the word ``gap``."""
    x = _coordinate(gap)
    rest = (gap - x) >> FIELD
    y = _coordinate(rest)
    z = (rest - y) >> FIELD
    frame, place, patch, reach = scene.frames[axis], scene.place[axis], scene.patch[axis, other], scene.reach
    du = frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z
    dv = frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z
    dw = frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z
    least = np.int64(NEVER)
    for i in range(scene.start[one], scene.start[one + 1]):
        u0 = place[i, 0] - du - patch[1]
        v0 = place[i, 1] - dv - patch[2]
        for u in range(max(-reach, -u0), min(reach, patch[3] - 1 - u0) + 1):
            for v in range(max(-reach, -v0), min(reach, patch[4] - 1 - v0) + 1):
                line = patch[0] + (u0 + u) * patch[4] + v0 + v
                for j in range(scene.line[line], scene.line[line + 1]):
                    after = np.int64(scene.meets[axis, scene.atom[i], scene.kind[j], reach + u, reach + v])
                    if after == NEVER:
                        continue
                    after += scene.height[j] - place[i, 2] + dw
                    if after >= 0:
                        least = min(least, after)
    return least


@part
def _row(scene: Any, pair: Any, gap: Any) -> Any:
    """Return the row of ``keys`` for two shapes in a relative position, or the empty row to put them in."""
    mask = len(scene.keys) - 1
    value = gap * 0x1E3779B97F4A7C15 + pair * 0x42B2AE3D27D4EB4F
    row = ((value ^ (value >> 31)) * 0x165667B19E3779F9 >> 24) & mask
    while scene.keys[row, 0] != -1 and (scene.keys[row, 0] != pair or scene.keys[row, 1] != gap):
        row = (row + 1) & mask
    return row


@part
def _known(scene: Any, one: Any, other: Any, gap: Any) -> Any:
    """Return the row of ``free`` for two shapes in a relative position; compute it if it is not cached."""
    pair = one * len(scene.start) + other
    row = _row(scene, pair, gap)
    if scene.keys[row, 0] != -1:
        return row
    if scene.used[0] * 2 > len(scene.keys):  # the cache is half full: clear it
        scene.keys[:] = -1
        scene.used[0] = 0
        row = _row(scene, pair, gap)
    scene.keys[row, 0] = pair
    scene.keys[row, 1] = gap
    scene.used[0] += 1
    for axis in range(len(scene.frames)):
        scene.free[row, 2 * axis] = _steps_ahead(scene, axis, one, other, gap)
        scene.free[row, 2 * axis + 1] = _steps_ahead(scene, axis, other, one, -gap)
    return row


@part
def ways(scene: Any, tree: Any, pieces: Any, number: Any) -> Any:
    """Write the free distances of all pairs into ``tree.free``; return False if a piece is too far from the first one."""
    free, position = tree.free, tree.position[number]
    for i in range(1, pieces):
        rest = position[i]
        for _ in range(3):
            x = _coordinate(rest)
            if abs(x) > MAX_APART:
                return False
            rest = (rest - x) >> FIELD
    for i in range(pieces):
        for j in range(i):
            row = _known(scene, np.int64(tree.shape[i]), np.int64(tree.shape[j]), position[j] - position[i])
            for d in range(free.shape[0]):
                free[d, i, j] = scene.free[row, d]
                free[d ^ 1, j, i] = scene.free[row, d]
    return True


# sets of pieces that move together ----------------------------------------------------------------------------------------------


@part
def close(along: Any, pieces: Any) -> None:
    """Replace the relation "pushes" by its transitive closure (S. Warshall, A theorem on Boolean matrices, 1962)."""
    for k in range(pieces):
        for i in range(pieces):
            if (along[i] >> np.uint64(k)) & ONE != NONE:
                along[i] |= along[k]


@part
def _take_along(free: Any, pieces: Any, steps: Any, along: Any) -> None:
    """Write for each piece the set of pieces that move when it moves by ``steps``."""
    for i in range(pieces):
        own = ONE << np.uint64(i)
        for j in range(pieces):
            if i != j and free[i, j] < steps:
                own |= ONE << np.uint64(j)
        along[i] = own
    close(along, pieces)


@part
def unions(along: Any, pieces: Any, half: Any, sets: Any) -> Any:
    """List the unions of the sets ``along`` that have at most ``half`` pieces; return their number, or -1 if ``sets`` is too small."""
    count = 0
    for i in range(pieces):
        own = along[i]
        if popcount(own) > half:
            continue
        before = count
        for k in range(-1, before):
            union = own if k < 0 else own | sets[k]
            known = popcount(union) > half
            for m in range(count):
                known = known or sets[m] == union
            if known:
                continue
            if count == len(sets):
                return -1
            sets[count] = union
            count += 1
    return count


@part
def note_away(tree: Any, number: Any, moved: Any, d: Any) -> None:
    """Record that pieces can be taken away from a position, unless these pieces of this position are recorded already."""
    state = tree.state
    for k in range(state[AWAY]):
        if tree.away[k, 0] == number and np.uint64(tree.away[k, 1]) == moved:
            return
    if state[AWAY] == len(tree.away):
        state[NOT_ALL] = 1
        return
    found = tree.away[state[AWAY]]
    found[0] = number
    found[1] = np.int64(moved)
    found[2] = d
    state[AWAY] += 1


@part
def _look_for_away(tree: Any, pieces: Any, number: Any, half: Any, grouped: Any) -> None:
    """Record the sets that can be taken away from a position: first single pieces, then pieces with those they push.

    Unions of these sets are recorded only if some pieces may stay together (``grouped``). If all must come apart, no union is better.
    """
    along, far = tree.along, tree.far
    for d in range(len(far)):
        if along[d, 0] != NONE:
            _take_along(tree.free[d], pieces, NEVER, far[d])
    for alone in (True, False):
        for d in range(len(far)):
            for i in range(pieces):
                size = popcount(far[d, i])
                if along[d, 0] != NONE and (size == ONE) == alone and size <= half:
                    note_away(tree, number, far[d, i], d)
    if not grouped:
        return
    for d in range(len(far)):
        count = unions(far[d], pieces, half, tree.sets) if along[d, 0] != NONE else 0
        if count < 0:
            tree.state[NOT_ALL] = 1
        for k in range(count):
            note_away(tree, number, tree.sets[k], d)


@part
def _something_moves(tree: Any, pieces: Any, half: Any) -> Any:
    """Write the pieces that each piece pushes when it moves one step. Return True if any set can move in any direction."""
    any_moves = False
    for d in range(len(tree.along)):
        along = tree.along[d]
        _take_along(tree.free[d], pieces, 1, along)
        moves = False
        for i in range(pieces):
            moves = moves or popcount(along[i]) <= half
        if not moves:
            along[0] = NONE
        any_moves = any_moves or moves
    return any_moves


# single moves -------------------------------------------------------------------------------------------------------------------


@part
def _first_away(scene: Any, tree: Any, pieces: Any, found: Any) -> Any:
    """Choose the first set to take away from the pieces ``found[0]``, and its direction; return False if there is none.

    The choice is the first one that ``_look_for_away`` would record; of two pieces it is the smaller one. ``tree.along`` has for each piece
    the pieces in its way.
    """
    those = np.uint64(found[0])
    number = popcount(those)
    for d in range(len(tree.far)):
        for i in range(pieces):
            tree.far[d, i] = tree.along[d, i] & those
        close(tree.far[d], pieces)
    least = np.int64(-1)
    for alone in (True, False):
        for d in range(len(tree.far)):
            for i in range(pieces):
                size = popcount(tree.far[d, i])
                if (those >> np.uint64(i)) & ONE == NONE or (size == ONE) != alone or size + size > number:
                    continue
                atoms = np.int64(scene.start[tree.shape[i] + 1] - scene.start[tree.shape[i]])
                if least < 0 or atoms < least:
                    least = atoms
                    found[1] = np.int64(tree.far[d, i])
                    found[2] = d
                if number > np.uint64(2):
                    return True
    return least >= 0


@part
def _single_moves(scene: Any, tree: Any, pieces: Any, given: Any) -> Any:
    """Write into ``tree.single`` a disassembly of all pieces by one move per separation; return False if there is none.

    A greedy choice suffices: if a set comes apart by single moves, so does each of its subsets. The first ``given`` moves, none or one, are
    written already.
    """
    for d in range(len(tree.along)):
        for i in range(pieces):
            bits = ONE << np.uint64(i)
            for j in range(pieces):
                if i != j and tree.free[d, i, j] < NEVER:
                    bits |= ONE << np.uint64(j)
            tree.along[d, i] = bits
    tree.single[0, 0] = np.int64((ONE << np.uint64(pieces - 1)) | ((ONE << np.uint64(pieces - 1)) - ONE))
    count, done = 1, 0
    while done < count:
        found = tree.single[done]
        if done >= given and not _first_away(scene, tree, pieces, found):
            return False
        for rest in (found[0] & ~found[1], found[0] & found[1]):
            if popcount(np.uint64(rest)) > ONE:
                tree.single[count, 0] = rest
                count += 1
        done += 1
    return True


# positions ----------------------------------------------------------------------------------------------------------------------


@part
def _slot(tree: Any, pieces: Any, number: Any) -> Any:
    """Return the index of a position in the hash table, or the empty slot to put it in."""
    position, table = tree.position, tree.table
    value = np.int64(0)
    for i in range(1, pieces):
        value = (value ^ position[number, i]) * 0x1E3779B97F4A7C15
        value ^= value >> 29
    mask = len(table) - 1
    slot = (value ^ (value >> 17)) & mask
    while table[slot] != -1:
        other, same = table[slot], True
        for i in range(1, pieces):
            same = same and position[other, i] == position[number, i]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@part
def add(scene: Any, tree: Any, pieces: Any, number: Any, moved: Any, d: Any, steps: Any) -> None:
    """Add the position after a move, if it is new."""
    new = tree.state[COUNT]
    here, there = tree.position[number], tree.position[new]
    by = steps * scene.steps[d]
    first = by if moved & ONE != NONE else 0  # the first piece stays at 0, so the others move the opposite way
    for i in range(1, pieces):
        there[i] = here[i] + (by if (moved >> np.uint64(i)) & ONE != NONE else 0) - first
    slot = _slot(tree, pieces, new)
    if tree.table[slot] != -1:
        return
    tree.table[slot] = new
    tree.slot[new] = slot
    tree.parent[new] = number
    tree.depth[new] = tree.depth[number] + 1
    tree.moved[new] = moved
    tree.way[new, 0] = d
    tree.way[new, 1] = steps
    tree.state[COUNT] = new + 1


@part
def plant(tree: Any, shape: Any, position: Any, pieces: Any) -> None:
    """Reset the tree to a start position."""
    for number in range(tree.state[COUNT]):
        tree.table[tree.slot[number]] = -1
    tree.state[:] = 0
    tree.state[COUNT] = 1
    for i in range(pieces):
        tree.shape[i] = shape[i]
        tree.position[0, i] = position[i] - position[0]
    slot = _slot(tree, pieces, 0)
    tree.table[slot] = 0
    tree.slot[0] = slot


# the search -------------------------------------------------------------------------------------------------------------------


@part
def _follow(scene: Any, tree: Any, pieces: Any, number: Any, half: Any) -> Any:
    """Add the positions that are one move away. Return PAUSED, or the reason for stopping."""
    state = tree.state
    for d in range(len(tree.along)):
        steps = 1
        while tree.along[d, 0] != NONE:
            if steps > 1:
                _take_along(tree.free[d], pieces, steps, tree.along[d])
            count = unions(tree.along[d], pieces, half, tree.sets)
            if count < 0:
                return TOO_MANY
            if count == 0:
                break
            for k in range(count):
                if state[COUNT] == len(tree.parent):
                    return FULL
                add(scene, tree, pieces, number, tree.sets[k], d, steps)
            steps += 1
    return PAUSED


@part
def _search(scene: Any, tree: Any, pieces: Any, grouped: Any, most: Any) -> Any:
    """Expand up to ``most`` more positions. At the first depth with a separation, expand all positions of that depth, and stop."""
    half = np.uint64(pieces // 2)
    state = tree.state
    for _ in range(most):
        number = state[LOOKED]
        if number == state[COUNT]:
            return FOUND if state[AWAY] else EXHAUSTED
        if state[AWAY] and tree.depth[number] > tree.depth[tree.away[0, 0]]:
            return FOUND
        if not ways(scene, tree, pieces, number):
            return TOO_FAR
        if _something_moves(tree, pieces, half):
            _look_for_away(tree, pieces, number, half, grouped)
            if state[AWAY] == 0:
                end = _follow(scene, tree, pieces, number, half)
                if end != PAUSED:
                    return end
        state[LOOKED] = number + 1
    return PAUSED


@compiled
def explore(scene: Any, tree: Any, rows: Any, first: Any, last: Any, begun: Any, most: Any) -> Any:
    """Search assemblies from row ``first`` on, until pieces of one can be taken away, or ``most`` positions were expanded.

    Return the next row and how its search ended: EXHAUSTED if it was not begun, or all rows are done. If ``begun``, resume the search of
    the first row from the state in ``tree``.
    """
    row = first
    while row < last:
        pieces = rows.size[row]
        if pieces < 2:  # there is nothing to take apart
            rows.closed[row] = 0
            row += 1
            continue
        if not begun:
            if most <= 0:
                break
            plant(tree, rows.shape[row], rows.position[row], pieces)
        begun = False
        before = tree.state[LOOKED]
        grouped = rows.grouped[row] != 0
        end = _search(scene, tree, pieces, grouped, most)
        if end == FOUND and tree.state[LOOKED] == 1 and not grouped and _single_moves(scene, tree, pieces, 0):
            end = SINGLE
        if end != EXHAUSTED:
            return row, end
        rows.closed[row] = tree.state[COUNT]
        most -= tree.state[LOOKED] - before
        row += 1
    return row, EXHAUSTED


@part
def _is_simple(scene: Any, tree: Any, pieces: Any, simple: Any, row: Any) -> Any:
    """Write a disassembly which needs only single moves after the first separation; return False if there is none."""
    for k in range(tree.state[AWAY]):
        number = tree.away[k, 0]
        before = np.int64(tree.depth[number])
        if before + pieces > simple.moves.shape[1]:
            return False
        ways(scene, tree, pieces, number)
        tree.single[0, 1] = tree.away[k, 1]
        tree.single[0, 2] = tree.away[k, 2]
        if _single_moves(scene, tree, pieces, 1):
            moves = simple.moves[row]
            for i in range(before, 0, -1):
                moves[i - 1, 0] = tree.single[0, 0]
                moves[i - 1, 1] = np.int64(tree.moved[number])
                moves[i - 1, 2] = tree.way[number, 0]
                moves[i - 1, 3] = tree.way[number, 1]
                number = tree.parent[number]
            for i in range(pieces - 1):
                for c in range(3):
                    moves[before + i, c] = tree.single[i, c]
                moves[before + i, 3] = -1
            simple.first[row] = before + 1
            simple.length[row] = before + pieces - 1
            return True
    return False


@compiled
def explore_simple(scene: Any, tree: Any, rows: Any, simple: Any, first: Any, last: Any, begun: Any, most: Any) -> Any:
    """Search assemblies that must come apart completely, from row ``first`` on, until ``most`` positions were expanded, or a search failed.

    The returned values and ``begun`` are as in ``explore``.
    """
    row = first
    while row < last:
        pieces = rows.size[row]
        if not begun:
            if most <= 0:
                break
            plant(tree, rows.shape[row], rows.position[row], pieces)
        begun = False
        before = tree.state[LOOKED]
        end = _search(scene, tree, pieces, np.bool_(0), most)
        most -= tree.state[LOOKED] - before
        if end == EXHAUSTED:
            simple.closed[row] = tree.state[COUNT]
        elif end == FOUND:
            simple.closed[row] = 0 if _is_simple(scene, tree, pieces, simple, row) else -1
        else:
            return row, end
        row += 1
    return row, EXHAUSTED


@compiled
def fill_table(tree: Any, pieces: Any) -> None:
    """Rebuild the hash table after it was enlarged."""
    tree.table[:] = -1
    for number in range(tree.state[COUNT]):
        slot = _slot(tree, pieces, number)
        tree.table[slot] = number
        tree.slot[number] = slot
