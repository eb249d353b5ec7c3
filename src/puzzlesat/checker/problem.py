"""The cover problem of a puzzle, rebuilt from its placements: the items to cover, and the pairs of placements that exclude each other.

A removal is a placement that cannot be used: with it, some atom or tile could not be covered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from .arrays import Flags, Ints, Longs, Permutation, Words
from .form_motions import motions
from .grid import Atom
from .puzzle import UNLIMITED, StatedPlacement, StatedPuzzle, StatedTile, faces_of
from .values import CheckerSentence, Rejected, TooLarge

MAX_CASES = 1_000_000
MAX_BITS = 1 << 31
"""Maximum of items times options: the bits of the table of each item's options, and of the stack of a tree."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Choose options (placements, numbered from 0) so that every item is in as many of them as it needs and none exclude each other.

    Items are the required atoms, the optional ones, then the tiles. The options of an item with ``high`` 1 exclude each other, so it is
    covered at most once.
    """

    options: int
    items: tuple[str, ...]
    atoms: int
    """The number of items that are atoms."""
    low: Longs
    high: Longs
    start: Ints
    item: Ints
    """Option o has the items ``item[start[o]:start[o + 1]]``: its atoms ascending, then its tile."""
    exclude: Words
    """Array (options, words): bit p of row o is set if o and p must not both be chosen."""
    forced: tuple[int, ...]

    @property
    def words(self) -> int:
        """Number of 64-bit words of a set of options."""
        return int(self.exclude.shape[1])

    def options_of(self, item: int) -> Longs:
        """Return the options of an item, ascending."""
        members: Longs = np.repeat(np.arange(self.options), np.diff(self.start))[self.item == item]
        return members

    def items_of(self, option: int) -> Ints:
        """Return the items of an option: its atoms ascending, then its tile."""
        return self.item[self.start[option] : self.start[option + 1]]

    def set_of(self, options: Longs) -> Words:
        """Return options as a set."""
        return bits(options, self.options)

    def sets(self) -> Words:
        """Return an array (items, words): the options of each item as a set."""
        return np.stack([self.set_of(self.options_of(i)) for i in range(len(self.items))])

    def check_removals(self, possible: Flags, removals: Iterable[tuple[int, int]]) -> Flags:
        """Return flags of the options that are possible after removals ``(option, item)``, made in order.

        A removal is allowed if the option does not have the item, and excludes so many possible options of the item that fewer are left
        than the item needs. Raises Rejected for any other removal.
        """
        possible = possible.copy()
        of_item: dict[int, Longs] = {}
        for option, item in removals:
            if not (0 <= option < self.options and 0 <= item < len(self.items)):
                raise Rejected(f"removals: there is no placement {option} or no item {item}")
            if item not in of_item:
                of_item[item] = self.options_of(item)
            options = of_item[item][possible[of_item[item]]]
            excluded = self.exclude[option, options // 64] >> (options % 64).astype(np.uint64) & np.uint64(1)
            if not possible[option]:
                raise Rejected(f"removals: placement {option} is left out already")
            if item in self.items_of(option) or len(options) - int(excluded.sum()) >= self.low[item]:
                raise Rejected(f"removals: with placement {option}, {self.items[item]} can still be covered")
            possible[option] = False
        return possible

    def check_starved(self, possible: Flags) -> CheckerSentence:
        """Return a sentence on an item that has fewer possible options than it needs. Raises Rejected if there is no such item."""
        left = self.set_of(np.flatnonzero(possible))
        for i, (options, need) in enumerate(zip(self.sets(), self.low.tolist(), strict=True)):
            count = int(np.bitwise_count(options & left).sum())
            if count < need:
                none, some = (
                    "{item} needs {need} {need|placement|placements}, and none can be used",
                    "{item} needs {need} {need|placement|placements}, and {n} can be used",
                )
                return CheckerSentence(some if count else none, item=self.items[i], need=str(need), n=str(count))
        raise Rejected("removals: after them every atom and every tile can still be covered")


def make_problem(puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> Problem:
    """Return the problem; option o is placement o.

    Raises Rejected if a fixed placement does not exist, TooLarge if items times options exceed ``MAX_BITS``.
    """
    atoms = [*puzzle.required, *puzzle.optional]
    if (len(atoms) + len(puzzle.tiles)) * len(placements) > MAX_BITS:
        raise TooLarge(f"puzzle: {len(atoms):,} atoms and {len(placements):,} placements are too many together")
    number = {a: i for i, a in enumerate(atoms)}
    rows = [[*sorted(number[a] for a in p.look[0]), len(atoms) + p.tile] for p in placements]
    low = [1] * len(puzzle.required) + [0] * len(puzzle.optional) + [t.low for t in puzzle.tiles]
    high = [1] * len(atoms) + [t.high for t in puzzle.tiles]
    known = {(p.tile, p.look): o for o, p in enumerate(placements)}
    if unknown := [i for i, f in enumerate(puzzle.fixed) if f not in known]:
        raise Rejected(f"puzzle.fixed[{unknown[0]}]: that is not a placement of tile {puzzle.tiles[puzzle.fixed[unknown[0]][0]].name}")
    of_atoms = [CheckerSentence("atom {atom}", atom=str(list(a))) for a in atoms]
    names = [*of_atoms, *(CheckerSentence("tile {tile}", tile=t.name) for t in puzzle.tiles)]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    item = np.array([i for row in rows for i in row], dtype=np.int32)
    exclude = np.zeros((len(placements), (len(placements) + 63) // 64 or 1), dtype=np.uint64)
    owner = np.repeat(np.arange(len(placements)), np.diff(start))
    for i in np.flatnonzero(np.array(high) <= 1):
        options = owner[item == i]
        exclude[options] |= bits(options, len(placements))
    for options, others in _clashes(puzzle, placements):
        exclude[options] |= others
    diagonal = np.arange(len(placements))
    exclude[diagonal, diagonal // 64] &= ~(np.uint64(1) << (diagonal % 64).astype(np.uint64))
    return Problem(
        len(placements), tuple(names), len(atoms), np.array(low, dtype=np.int64), np.array(high, dtype=np.int64),
        start, item, exclude, tuple(known[f] for f in puzzle.fixed),
    )  # fmt: skip


def bits(options: Longs, size: int) -> Words:
    """Return a set of options as 64-bit words, the lowest bit first."""
    row = np.zeros(((size + 63) // 64 or 1) * 64, dtype=np.uint8)
    row[options] = 1
    return np.packbits(row, bitorder="little").view(np.uint64)


def symmetries(puzzle: StatedPuzzle, placements: list[StatedPlacement], go_on: Callable[[], object] = bool) -> dict[int, Permutation]:
    """Return the symmetries under which two solutions count as one, by their numbers in the puzzle, as permutations of the placements.

    They are the ``motions`` that keep all rules, so each takes solutions to solutions. Raises Rejected if they are not a group because the
    puzzle states only some of the symmetries of its grid. ``go_on`` is called for each motion, and may raise.
    """
    found = {motion.number: motion.permutation for motion in motions(puzzle, placements, go_on) if motion.kept}
    if not _is_group(found.values(), len(placements)):
        raise Rejected("puzzle: its symmetries are not a group")
    return found


def _is_group(permutations: Iterable[Permutation], size: int) -> bool:
    """Tell whether some permutations are a group: generate it by those that are not yet products, and compare."""
    wanted = {p.tobytes(): p for p in permutations}
    same = np.arange(size, dtype=np.int64)
    group, generators = {same.tobytes(): same}, list[Permutation]()
    for key, permutation in wanted.items():
        if key not in group:
            generators.append(permutation)
            group = rim = {same.tobytes(): same}
            while rim and group.keys() <= wanted.keys():
                further = [p[q] for p in rim.values() for q in generators]
                rim = {key: p for p in further if (key := p.tobytes()) not in group}
                group = group | rim
    return group.keys() == wanted.keys()


def orbits(options: Longs, permutations: list[Permutation]) -> dict[int, frozenset[int]]:
    """Return the orbit of each option under the group that the permutations generate."""
    found: dict[int, frozenset[int]] = {}
    for option in options.tolist():
        if option not in found:
            orbit, rim = {option}, [option]
            while rim:
                rim = sorted({int(p[o]) for p in permutations for o in rim} - orbit)
                orbit.update(rim)
            found |= dict.fromkeys(orbit, frozenset(orbit))
    return found


def labellings(tile: StatedTile, used: int) -> int | None:
    """Return the number of ways to label ``used`` copies of a tile; None if its copies have no limit.

    Each of its identical pieces contributes k of its copies, for some k in its range; the chosen copies can then be permuted. Raises
    TooLarge if there are too many cases.
    """
    if any(high >= UNLIMITED for _, high in tile.ranges):
        return None
    least, ways, work = 0, [1], 0  # ways[i]: with least + i copies of the pieces so far
    for low, high in tile.ranges:
        kept = min(len(ways) + high - low, used - least - low + 1)
        if kept <= 0:
            return 0
        work += kept * min(len(ways), high - low + 1)
        if work > MAX_CASES:
            raise TooLarge(
                f"puzzle.tiles: {tile.name} has too many pieces with ranges of copies to count in how many ways they can be used"
            )
        chosen = [comb(high, k) for k in range(low, low + min(high - low + 1, kept))]
        ways = [sum(ways[j] * chosen[i - j] for j in range(max(0, i - len(chosen) + 1), min(i + 1, len(ways)))) for i in range(kept)]
        least += low
    return ways[used - least] * factorial(used) if used - least < len(ways) else 0


def _clashes(puzzle: StatedPuzzle, placements: list[StatedPlacement]) -> Iterator[tuple[list[int], Words]]:
    """Yield the placements that show a mark on a side, with the placements whose marks there must not meet it."""
    shown: dict[Atom, dict[tuple[Atom, str], list[int]]] = defaultdict(lambda: defaultdict(list))
    for o, p in enumerate(placements):
        for side, face, name in p.look[1]:
            if side != face and len(faces_of(puzzle.grid, side)) > 1:
                shown[side][face, name].append(o)
    for here in shown.values():
        sets = {key: bits(np.array(options), len(placements)) for key, options in here.items()}
        nothing = bits(np.empty(0, dtype=np.int64), len(placements))
        faces: dict[Atom, Words] = {}
        for (face, _), options in sets.items():
            faces[face] = faces.get(face, nothing) | options
        for (face, name), some in here.items():
            mate = puzzle.mates[name]
            for other, options in faces.items():
                if other != face:
                    yield some, options if mate is None else options & ~sets.get((other, mate), nothing)
