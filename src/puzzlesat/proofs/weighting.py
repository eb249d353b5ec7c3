"""Search for colouring arguments: weights on the atoms whose sum no choice of placements can reach.

The search visits partitions of the atoms from coarse to fine: chessboards, stripes, blocks, periodic weights, single atoms. On each
partition, weights come from small patterns, from linear algebra over the rationals and modulo prime powers, and from a linear programme
(``proofs.linear``). The finest partition shows in advance whether there are weights at all, so puzzles without such an argument take little
time. All weights are checked with exact sums before they are returned. ``explain`` states an argument in sentences that a person can check
with a pencil; ``found_conditions`` makes it a side condition for every solver.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, product
from math import gcd
from time import process_time
from warnings import warn

import numpy as np

from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, PuzzleWarning, Sentence
from puzzlesat.proofs import linear
from puzzlesat.proofs.linear import BIG_PRIME, Sums, Weighting, is_one_step, option_weights, sums_of
from puzzlesat.puzzles import AtomId, BuiltInstance, Condition, CoverProblem, Grid, atom_order, shape_symmetries

COLOURING_SECONDS: float = 10
"""Time limit of the search for a colouring, in CPU seconds: a busy machine finds the same one."""
COLOURING_SHARE = 0.25
"""Maximum share of a form's time for colourings."""

PERIODS = (2, 3, 4, 5, 6)
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Partition:
    """A class for each atom item of the problem; -1 for atoms that may stay uncovered."""

    title: str
    labels: Longs
    size: int


def atoms_of(built: BuiltInstance) -> list[AtomId]:
    """Return the atoms in the order of the items of the problem."""
    return sorted(built.puzzle.form.atoms, key=atom_order)


def by_kind(built: BuiltInstance) -> Partition:
    """Return the partition of the atoms by kind, such as faces and slots."""
    grid = built.puzzle.grid
    return _partition(built, Sentence("area"), [grid.atoms[a[-1]].kind for a in atoms_of(built)])


def chessboard(built: BuiltInstance) -> Partition | None:
    """Return the classes of the periodic colouring with fewest colours in which neighbours differ, if it has two or three."""
    grid = built.puzzle.grid
    if grid.periodic_colouring is None:
        return None
    keys = [(grid.chess_colour(a), "") if grid.chess_colour(a) is not None else (-1, grid.atoms[a[-1]].kind) for a in atoms_of(built)]
    return _partition(built, Sentence("chessboard" if grid.periodic_colouring[0] == 2 else "three colours"), keys)


def periodic(built: BuiltInstance) -> Iterator[Partition]:
    """Yield stripes in every direction, blocks, and cells modulo small numbers in each direction."""
    grid, atoms = built.puzzle.grid, atoms_of(built)
    several = len({a[-1] for a in atoms}) > 1
    if several:
        yield _partition(built, Sentence("atoms of a cell"), [a[-1] for a in atoms])
    for m in PERIODS:
        for along in _directions(grid.dimension, m):
            title = Sentence("stripes by {sum} modulo {m}", sum=_sum(along), m=m)
            yield _partition(built, title, [(_kind(grid, a), int(_dot(along, grid.centre(a)) // 1) % m) for a in atoms])
        if m == 2:
            yield from _blocks(built, atoms)
        if m <= 3:
            yield _partition(built, Sentence("cells modulo {m}", m=m), [(_kind(grid, a), *(c % m for c in a[:-1])) for a in atoms])
        if several:
            for along in _directions(grid.dimension, m):
                title = Sentence("atoms of a cell, by {sum} modulo {m}", sum=_sum(along), m=m)
                yield _partition(built, title, [(a[-1], _dot(along, a[:-1]) % m) for a in atoms])


def fine(built: BuiltInstance) -> Iterator[Partition]:
    """Yield single rows and columns, larger periods, orbits of the form's symmetries, and finally single atoms."""
    grid, atoms = built.puzzle.grid, atoms_of(built)
    for along in _directions(grid.dimension, 3):
        if sum(map(abs, along)) <= 2:
            keys = [(_kind(grid, a), int(_dot(along, grid.centre(a)) // 1)) for a in atoms]
            yield _partition(built, Sentence("lines of one {sum}", sum=_sum(along)), keys)
    for m in PERIODS:
        title = Sentence("weights with period {m} in each direction", m=m)
        yield _partition(built, title, [(a[-1], *(c % m for c in a[:-1])) for a in atoms])
    yield orbits(built)
    yield single(built)


def orbits(built: BuiltInstance) -> Partition:
    """Return the orbits of the form's symmetries: averaging shows that a linear programme need not distinguish the atoms of an orbit."""
    atoms = atoms_of(built)
    smallest = {a: a for a in atoms}
    moves = [s.image for s in shape_symmetries(built.puzzle) if s.name in built.problem.symmetries]
    for a in atoms:
        smallest[a] = min((image[a] for image in moves), key=atom_order)
    return _partition(built, Sentence("symmetric weights"), [smallest[a] for a in atoms])


def single(built: BuiltInstance) -> Partition:
    """Return the partition into single atoms."""
    return _partition(built, Sentence("weights atom by atom"), list(atoms_of(built)))


def _partition(built: BuiltInstance, title: str, keys: Sequence[object]) -> Partition:
    """Return a partition: atoms with equal keys share a class, and classes are numbered in the order of their keys."""
    required = built.problem.low[: len(keys)] > 0
    known = sorted({k for k, r in zip(keys, required.tolist(), strict=True) if r})  # type: ignore[type-var]
    number = {k: i for i, k in enumerate(known)}
    labels = [number[k] if r else -1 for k, r in zip(keys, required.tolist(), strict=True)]
    return Partition(title, np.array(labels, dtype=np.int64), len(known))


def _blocks(built: BuiltInstance, atoms: list[AtomId]) -> Iterator[Partition]:
    """Yield blocks of 2, 3 or 4 cells a side, alternately black and white."""
    grid = built.puzzle.grid
    low = [min(a[i] for a in atoms) for i in range(grid.dimension)]
    for side in (2, 3, 4):
        size = " × ".join([str(side)] * grid.dimension)
        keys = [(_kind(grid, a), sum((c - x) // side for c, x in zip(a[:-1], low, strict=True)) % 2) for a in atoms]
        yield _partition(built, Sentence("blocks of {size}", size=size), keys)


def _directions(dimension: int, m: int) -> list[tuple[int, ...]]:
    """Return one small vector for each class of functions along · cell modulo m, up to factors coprime to m."""
    span = range(-((m - 1) // 2), m // 2 + 1)
    seen: set[tuple[int, ...]] = set()
    found = []
    order = sorted(product(span, repeat=dimension), key=lambda a: (sum(map(abs, a)), [-x for x in reversed(a)]))
    for along in order:
        residues = tuple(x % m for x in along)
        if any(along) and residues not in seen and gcd(m, *along) == 1:
            seen |= {tuple(u * x % m for x in residues) for u in range(1, m) if gcd(u, m) == 1}
            found.append(along)
    return found


def _kind(grid: Grid, atom: AtomId) -> str:
    return grid.atoms[atom[-1]].kind


def _dot(along: Sequence[int], point: Sequence[Fraction | int]) -> Fraction:
    return sum((Fraction(k * x) for k, x in zip(along, point, strict=True)), Fraction(0))


def _sum(along: tuple[int, ...]) -> str:
    """Return a linear form as text, such as ``x + 2y``."""
    text = ""
    for k, axis in zip(along, AXES, strict=False):
        if k:
            text += (" − " if k < 0 else " + ") + (str(abs(k)) if abs(k) > 1 else "") + axis
    return text[3:] if text.startswith(" + ") else "−" + text[3:]


MAX_LISTED = 12
"""Maximum number of values that a sentence lists one by one."""


def explain(built: BuiltInstance, weighting: Weighting, removed: Flags | None = None) -> list[str]:
    """Return sentences: the weights, the form's total, the weights of each tile, and why no choice adds up.

    If the weighting proves nothing, the last sentence says so.
    """
    sums = sums_of(built.problem, weighting, removed)
    return [_weights(built, weighting), _total(built, weighting, sums), *_tiles(built, weighting, sums), _verdict(weighting, sums)]


def _weights(built: BuiltInstance, weighting: Weighting) -> str:
    used = [sign(w) for w in sorted({*_required(built, weighting)})]
    plain, rest = (
        "Give the atoms the weights {weights} ({title}).",
        "Give the atoms the weights {weights}, counted modulo {modulus} ({title}).",
    )
    return Sentence(rest if weighting.modulus else plain, weights=used, modulus=str(weighting.modulus), title=weighting.title)


def _required(built: BuiltInstance, weighting: Weighting) -> list[int]:
    return [w for w, low in zip(weighting.weights, built.problem.low.tolist(), strict=False) if low]


def _total(built: BuiltInstance, weighting: Weighting, sums: Sums) -> str:
    counts = sorted(Counter(w for w in _required(built, weighting) if w).items())
    terms = " + ".join(f"{n} × {sign(w) if w > 0 else f'({sign(w)})'}" for w, n in counts) or "0"
    whole = sum(w * n for w, n in counts)
    if weighting.modulus:
        template = "The form weighs {terms} = {whole}, which is {remainder} modulo {modulus}."
        return Sentence(template, terms=terms, whole=sign(whole), remainder=str(sums.total), modulus=str(weighting.modulus))
    return Sentence("The form weighs {terms} = {whole}.", terms=terms, whole=sign(whole))


def _tiles(built: BuiltInstance, weighting: Weighting, sums: Sums) -> list[str]:
    """Return one sentence for all tiles with the same weights."""
    tiles = built.puzzle.tiles
    groups: dict[tuple[int, ...], list[Sentence]] = defaultdict(list)
    several = len(tiles) > 1
    for tile, own in zip(tiles, sums.values, strict=True):
        groups[own].append(_times(tile.name, tile.low, tile.high, several=several))
    found: list[str] = []
    for own, names in sorted(groups.items(), key=lambda g: (len(g[0]), g[0])):
        if not own:
            found.append(Sentence("Tile {tiles} fits nowhere.", tiles=names))
            continue
        weight = _modulo(any_of(list(own)), weighting)
        single, plural = "Tile {tiles} weighs {weight} wherever it lies.", "Each of the {n} tiles {tiles} weighs {weight} wherever it lies."
        found.append(Sentence(single if len(names) == 1 else plural, n=str(len(names)), tiles=names, weight=weight))
    return found


def _times(tile: str, low: int, high: int | None, *, several: bool) -> Sentence:
    """Return a tile with its number of copies."""
    if low == high:
        once = Sentence("{tile}", tile=tile)
        return once if low == 1 and several else Sentence("{tile} ({n} {n|copy|copies})", tile=tile, n=str(low))
    if high is None:
        return Sentence("{tile} ({n} or more copies)" if low else "{tile} (any number of copies)", tile=tile, n=str(low))
    return Sentence("{tile} ({low} to {high} copies)", tile=tile, low=str(low), high=str(high))


def _modulo(numbers: str, weighting: Weighting) -> str:
    """Return numbers as text, with the modulus if there is one."""
    return Sentence("{numbers} modulo {modulus}", numbers=numbers, modulus=str(weighting.modulus)) if weighting.modulus else numbers


def _verdict(weighting: Weighting, sums: Sums) -> str:
    if (reached := sums.reached) is None:
        return Sentence("The sums that the tiles can reach were not computed: there are too many.")
    if not reached:
        return Sentence("So there is no way to use all tiles, and no solution.")
    together = _modulo(any_of(reached), weighting)
    among = "Together the tiles weigh {sums}; the form weighs {total}, which is among them, so this proves nothing."
    never = "Together the tiles weigh {sums}, never {total}; so there is no solution."
    return Sentence(never if sums.impossible else among, sums=together, total=sign(sums.total))


def any_of(values: list[int]) -> str:
    """Return ascending numbers as a choice: listed, as an arithmetic progression, or by the first, the last and their number."""
    texts = [sign(v) for v in values]
    if len(texts) == 1:
        return texts[0]
    steps = {b - a for a, b in pairwise(values)}
    if len(values) > 4 and len(steps) == 1:
        return f"{texts[0]}, {texts[1]}, {texts[2]} … {texts[-1]}"
    if len(values) <= MAX_LISTED:
        return Sentence("{numbers} or {last}", numbers=texts[:-1], last=texts[-1])
    return Sentence("one of {n} numbers from {first} to {last}", n=str(len(values)), first=texts[0], last=texts[-1])


def sign(value: int) -> str:
    """Return a number with a minus sign that is as wide as a plus sign."""
    return str(value).replace("-", "−")


POWERS = {2: 4, 3: 3, 5: 2, 7: 2, 11: 1, 13: 1}
"""Primes, and the maximum power of each."""
MAX_COMBINED = 3000
"""Maximum number of combinations of generators; if there are more, only the generators and some pairs are tried."""
MAX_PATTERNS = 6
"""Maximum number of classes for small patterns of weights."""
MAX_CELLS = 20_000_000
"""Maximum rows times columns of a table of a finest partition."""


@dataclass(frozen=True, eq=False)
class _CoverTable:
    """The distinct ways in which placements of each tile cover the classes of a partition."""

    rows: Longs
    tiles: Ints
    form: Longs
    copies: tuple[tuple[int, int], ...]
    unlimited: tuple[bool, ...]

    @cached_property
    def lattice(self) -> tuple[Longs, Longs]:
        """Rows and a target: y with rows · y = 0 and target · y ≠ 0 gives each tile one weight, and the form another weight than the tiles.

        A tile with a fixed number of copies may have any weight; a tile with a variable number of copies must have weight 0.
        """
        rows, target = [], self.form.copy()
        for t, (low, high) in enumerate(self.copies):
            own = self.rows[self.tiles == t]
            if low == high and len(own):
                rows.append(own[1:] - own[0])
                target -= low * own[0]
            else:
                rows.append(own)
        return np.concatenate([np.zeros((0, self.rows.shape[1]), dtype=np.int64), *rows]), target

    def impossible(self, y: Longs, modulus: int) -> bool:
        """Tell whether the tiles cannot reach the form's weight."""
        weights = self.rows @ y
        values = []
        for t in range(len(self.copies)):
            own = weights[self.tiles == t]
            values.append(tuple(np.unique(own % modulus if modulus else own).tolist()))
        total = int(self.form @ y)
        total = total % modulus if modulus else total
        reached = Condition.reachable(values, self.copies, modulus)
        return reached is not None and total not in reached


class _WeightSearch:
    """A search for weights of one puzzle, with a time limit."""

    def __init__(self, built: BuiltInstance, removed: Flags | None, seconds: float | None) -> None:
        self.built = built
        self.problem = built.problem
        self.removed = removed
        self.end = None if seconds is None else process_time() + seconds
        keep = np.ones(self.problem.size, dtype=np.bool_) if removed is None else ~removed
        self.atoms = linear.atom_count(self.problem)
        used = keep[self.problem.rows] & (self.problem.item < self.atoms)
        self.option, self.item = self.problem.rows[used], self.problem.item[used]
        self.options = np.flatnonzero(keep)
        self.tile = linear.tile_of(self.problem)
        self.copies = linear.copies_of(self.problem)
        self.unlimited = tuple(int(self.problem.high[t]) >= CoverProblem.UNLIMITED for t in self.problem.tiles.tolist())
        self.powers: dict[int, range] = {}
        self.programme = False

    def late(self) -> bool:
        """Tell whether the time is up."""
        return self.end is not None and process_time() > self.end

    def left(self, most: float) -> float:
        """Return the seconds left, at most ``most``."""
        return most if self.end is None else max(min(most, self.end - process_time()), 0.0)

    def table(self, partition: Partition) -> _CoverTable:
        """Count the classes that each placement covers, and drop duplicate rows.

        Rows are compared by a random linear hash. A collision of different rows would only make the weights fail their check.
        """
        size = partition.size
        label = partition.labels[self.item]
        known = label >= 0
        flat = np.bincount(self.option[known] * np.int64(size) + label[known], minlength=self.problem.size * size)
        counts = flat.reshape(self.problem.size, size)[self.options].astype(np.int64)
        tiles = self.tile[self.options]
        keys = counts @ np.random.default_rng(1).integers(1 << 40, size=size) * len(self.copies) + tiles
        _, first = np.unique(keys, return_index=True)
        first = first[np.argsort(tiles[first], kind="stable")]
        form = np.bincount(partition.labels[partition.labels >= 0], minlength=size).astype(np.int64)
        return _CoverTable(counts[first], tiles[first], form, self.copies, self.unlimited)

    def run(self) -> Weighting | None:
        """Return the first weights that read well, else the first weights that were found."""
        spare = None
        for partition in self._ladder():
            if self.late():
                break
            for found in self._best_first(partition) if partition.size else ():
                sums = sums_of(self.problem, found, self.removed)
                if not sums.impossible:
                    continue
                if not sums.reached or is_one_step(sums, found.modulus):
                    return found  # a tile that fits nowhere, or one step of arithmetic
                spare = spare or found
        return spare

    def _ladder(self) -> Iterator[Partition]:
        """Yield coarse partitions, and finer ones only if the finest partition has weights."""
        board = chessboard(self.built)
        first = [by_kind(self.built), *([board] if board is not None else [])]
        yield from first
        self._outlook()
        yield from first
        yield from periodic(self.built)
        if self.powers or self.programme:
            yield from fine(self.built)

    def _outlook(self) -> None:
        """Find the prime powers and the methods that give weights on the finest partitions."""
        finest = self.table(single(self.built))
        if finest.rows.size <= MAX_CELLS:
            rows, target = finest.lattice
            for prime, most in POWERS.items():
                if self._separates(rows, target, prime, most):
                    least = next(power for power in range(1, most + 1) if self.late() or self._separates(rows, target, prime, power))
                    self.powers[prime] = range(least, most + 1)
            if self._separates(rows, target, BIG_PRIME, 1):
                self.powers[BIG_PRIME] = range(1, 2)
        coarse = self.table(orbits(self.built) if self.removed is None else single(self.built))
        self.programme = BIG_PRIME in self.powers or (coarse.rows.size <= MAX_CELLS and self._farkas(coarse) is not None)

    def _separates(self, rows: Longs, target: Longs, prime: int, power: int) -> bool:
        return linear.separating(rows, target, prime, power, self.late) is not None

    def _farkas(self, table: _CoverTable) -> list[float] | None:
        if (why := NotSupportedError.missing("ortools")) is not None:
            warn(f"no weights are looked for by linear programming: {why}", PuzzleWarning, stacklevel=2)
            return None
        copies = [(low, None if free else high) for (low, high), free in zip(self.copies, self.unlimited, strict=True)]
        return linear.farkas(table.rows, table.tiles, copies, table.form, self.left(4.0))

    def _best_first(self, partition: Partition) -> list[Weighting]:
        """Return the weights found on a partition, the most readable first."""
        table = self.table(partition)
        found = [(y, m, title) for y, m, title in self._candidates(table, partition) if table.impossible(y, m)]
        found.sort(key=lambda entry: _cost(entry[0], entry[1], table))
        weights = np.asarray(partition.labels[:, None] == np.arange(partition.size), dtype=np.int64)  # (atoms, classes)
        return [Weighting(title, tuple((weights @ y).tolist()), m) for y, m, title in found[:12]]

    def _candidates(self, table: _CoverTable, partition: Partition) -> Iterator[tuple[Longs, int, str]]:
        """Yield weights of the classes, the modulus, and a title."""
        size, title = partition.size, partition.title
        if size <= MAX_PATTERNS:
            yield from ((y, 0, title) for y in _patterns(size))
        rows, target = table.lattice
        for prime, powers in self.powers.items():
            for power in powers:
                generators = linear.separating(rows, target, prime, power, self.late)
                if generators is None:
                    continue
                if prime == BIG_PRIME:
                    yield from ((y, 0, title) for y in _nice(linear.integer_vectors(rows, target, generators)))
                else:
                    yield from ((y, prime**power, title) for y in _combinations(generators, prime**power, target))
                break
        if self.programme and size > 1 and not self.late() and (point := self._farkas(table)) is not None:
            programmed = Sentence("{title}, by linear programming", title=title)
            yield from ((y, 0, programmed) for y in _rounded(point))


def find_weighting(built: BuiltInstance, *, removed: Flags | None = None, seconds: float | None = COLOURING_SECONDS) -> Weighting | None:
    """Return weights that prove that there is no solution, or None if none were found in time.

    Placements marked ``removed`` cannot be used, so they are not weighed.
    """
    if not len(built.problem.tiles):
        return None
    return _WeightSearch(built, removed, seconds).run()


def _patterns(size: int) -> Iterator[Longs]:
    """Yield weights of very few values: one class, two opposite classes, or alternating signs."""
    for i in range(size):
        yield np.eye(size, dtype=np.int64)[i]
    for i, j in combinations(range(size), 2):
        yield np.eye(size, dtype=np.int64)[i] - np.eye(size, dtype=np.int64)[j]
    if size % 2 == 0:
        yield np.array([1, -1] * (size // 2), dtype=np.int64)


def _nice(vectors: list[Longs]) -> Iterator[Longs]:
    """Yield the vectors, and the sums and differences of pairs."""
    yield from vectors
    for a, b in combinations(vectors[:12], 2):
        yield a + b
        yield a - b


def _combinations(generators: Longs, modulus: int, target: Longs) -> Iterator[Longs]:
    """Yield combinations of the generators (columns) modulo the modulus that do not map the target to 0; only some if there are many."""
    columns = generators.T
    if modulus ** len(columns) <= MAX_COMBINED:
        factors = np.array(list(product(range(modulus), repeat=len(columns))), dtype=np.int64)
    else:
        unit = np.eye(len(columns), dtype=np.int64)
        pairs = [unit[i] + s * unit[j] for i, j in combinations(range(min(len(columns), 30)), 2) for s in (1, modulus - 1)]
        factors = np.array([*unit, *pairs], dtype=np.int64)
    vectors = np.unique(factors @ columns % modulus, axis=0)
    good = vectors[(vectors @ target) % modulus != 0]
    order = sorted(range(len(good)), key=lambda i: _complexity(good[i], modulus))
    yield from (_centred(good[i], modulus) for i in order[:20])


def _centred(y: Longs, modulus: int) -> Longs:
    """Return the residues nearest to 0 if these are only 1, 0 and −1; else the residues unchanged."""
    low = np.where(y > modulus // 2, y - modulus, y)
    return low if modulus > 2 and np.abs(low).max() <= 1 else y


def _rounded(point: list[float]) -> Iterator[Longs]:
    """Yield small integer vectors near a real vector, for one common denominator after the other."""
    values = np.array(point)
    largest = np.abs(values).max()
    if largest <= 0:
        return
    for scale in range(1, 61):
        y = np.rint(values / largest * scale).astype(np.int64)
        divisor = gcd(*y.tolist())
        if divisor == 1 or scale == 1:
            yield y


def _complexity(y: Longs, modulus: int) -> float:
    """Return how hard weights are to read: many different values, large values, few zeros."""
    near = np.minimum(y, modulus - y) if modulus else np.abs(y)
    return float(10 * len(np.unique(y)) + near.sum() / max(len(y), 1) + np.count_nonzero(y) / max(len(y), 1))


def _cost(y: Longs, modulus: int, table: _CoverTable) -> tuple[float, ...]:
    """Return a sort key: tiles with at most two weights first, then small moduli (none counts as 1), then readable weights."""
    weights = table.rows @ y
    most = max(
        len(np.unique(weights[table.tiles == t] % modulus if modulus else weights[table.tiles == t])) for t in range(len(table.copies))
    )
    return (most > 2, (modulus or 1) * (1 + (most > 1)), _complexity(y, modulus), float((y < 0).sum()))


def found_conditions(built: BuiltInstance, left: float | None) -> tuple[Condition, ...]:
    """Return the condition that a colouring argument implies for the coverage; none if there is no such argument.

    The search for it ends after ``COLOURING_SECONDS``, or when the time ``left`` is up. Every solution keeps the condition, but no choice
    of tiles does. So a solver sees at once that there is no solution, instead of searching.
    """
    weighting = find_weighting(built, seconds=COLOURING_SECONDS if left is None else min(left, COLOURING_SECONDS))
    if weighting is None:
        return ()
    weights = option_weights(built.problem, np.array(weighting.weights, dtype=np.int64))
    total = sum(weighting.weights)
    if weighting.modulus:
        return (Condition(weighting.title, weights, 0, 0, weighting.modulus, total % weighting.modulus),)
    return (Condition(weighting.title, weights, total, total),)
