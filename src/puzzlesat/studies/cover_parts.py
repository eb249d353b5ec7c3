"""Partitions of the solutions of a cover problem into parts, and an independent check of these partitions.

A part is a sequence of decisions: ``o`` for an option that all its solutions contain, ``~o`` (which is -o - 1) for an option that none of
them contains. Options are numbered as in the original problem (``CoverProblem.origin``), so a part means the same before and after a
reduction of the problem.

``wrong_cover`` checks that every solution is in exactly one of the given parts. It shares no code with ``split``: it builds the tree of the
decisions of all parts. The branches of each node must be either an option and its absence, or all options of one item that every solution
covers exactly once more than the decisions above do, except options that these decisions exclude.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import prod
from operator import itemgetter

import numpy as np

from puzzlesat.base import Longs, PuzzleError, many
from puzzlesat.puzzles import CoverProblem

Part = tuple[int, ...]
ROOT: Part = ()


def make_part(problem: CoverProblem, part: Part) -> CoverProblem | None:
    """Return the problem that remains after the decisions of a part; None if these exclude each other.

    Its solutions, with the chosen options added, are the solutions of the part. Raises PuzzleError if the problem lacks a chosen option.
    """
    chosen, out = _own(problem, part)
    if set(out.tolist()) & {*chosen.tolist(), *problem.forced}:
        return None
    keep = np.ones(problem.size, dtype=bool)
    keep[out] = False
    smaller = problem.select(keep) if len(out) else problem
    return smaller.settle((np.cumsum(keep) - 1)[chosen].tolist())


def weight_of(problem: CoverProblem, part: Part) -> int:
    """Return the product of the weights of the options that a part has chosen, including options that the problem forces."""
    if problem.weight is None:
        return 1
    return prod(problem.weight[sorted({*_own(problem, part)[0].tolist(), *problem.forced})].tolist())


def split(problem: CoverProblem, part: Part, *, by_tiles: bool = False) -> list[Part]:
    """Split a part into smaller parts that contain each of its solutions exactly once; the split is deterministic.

    It branches on the options of an item that every solution covers exactly once more: the one with the fewest options (with ``by_tiles``
    a tile, if possible). If there is no such item, it branches on an option and its absence. Forced options are chosen on the way.
    Return [] if there is nothing to split: no option remains, an item has none, or the decisions exclude each other.
    """
    whole_part = part
    while (left := make_part(problem, part)) is not None and left.size:
        numbers = _numbers(left)
        options = np.bincount(left.item, minlength=len(left.items))
        once = (left.low == 1) & (left.high == 1) & ~left.coloured
        if not once.any():
            widest = int(numbers[np.argmax(np.diff(left.start))])
            return [(*part, widest), (*part, ~widest)]
        if not options[once].all():
            break
        tiles = left.tiles[once[left.tiles] & (options[left.tiles] > 1)] if by_tiles else ()
        among = tiles if len(tiles) and options[once].min() > 1 else np.flatnonzero(once)
        item = int(among[np.argmin(options[among])])
        choices = [(*part, int(o)) for o in numbers[left.options_of[item]]]
        if len(choices) > 1:
            return choices
        part = choices[0]
    return [part] if part != whole_part else []


def _numbers(problem: CoverProblem) -> Longs:
    """Return the number of each option in the original problem."""
    return np.arange(problem.size, dtype=np.int64) if problem.origin is None else problem.origin.astype(np.int64)


def _own(problem: CoverProblem, part: Part) -> tuple[Longs, Longs]:
    """Return the rows of the options that a part has chosen, and of its excluded options that the problem still has."""
    numbers = _numbers(problem)
    chosen, out = np.array([n for n in part if n >= 0], dtype=np.int64), np.array([~n for n in part if n < 0], dtype=np.int64)
    if not np.isin(chosen, numbers).all():
        raise PuzzleError("there is a part with a placement that the puzzle has not; was it made for another puzzle?")
    return np.searchsorted(numbers, chosen), np.searchsorted(numbers, out[np.isin(out, numbers)])


def wrong_cover(problem: CoverProblem, parts: Iterable[Sequence[int]]) -> str | None:
    """Return in a sentence why some solution of a problem is not in exactly one of the parts; None if each is."""
    table = _Table(problem)
    stack = [(ROOT, sorted(map(tuple, parts)))]  # sorted for groupby: parts with a common beginning are neighbours
    while stack:
        path, own = stack.pop()
        longer = groupby((part for part in own if len(part) > len(path)), key=itemgetter(len(path)))
        below = {decision: [*group] for decision, group in longer}
        if wrong := _wrong_node(table, path, set(below), sum(len(part) == len(path) for part in own)):
            return f"after the decisions {list(path)}: {wrong}" if path else f"at the root: {wrong}"
        stack += [((*path, decision), group) for decision, group in below.items()]
    return None


class _Table:
    """A problem as plain dictionaries."""

    def __init__(self, problem: CoverProblem) -> None:
        numbers = range(problem.size) if problem.origin is None else problem.origin.tolist()
        ends = problem.start.tolist()
        items, colours = problem.item.tolist(), problem.colour.tolist()
        pairs = list(zip(items, colours, strict=True))
        self.entries = {o: pairs[ends[row] : ends[row + 1]] for row, o in enumerate(numbers)}
        self.high = problem.high.tolist()
        self.coloured = problem.coloured.tolist()
        exact = zip(problem.low.tolist(), self.high, self.coloured, strict=True)
        self.exact = {i: low for i, (low, high, coloured) in enumerate(exact) if low == high > 0 and not coloured}
        """The number of times that every solution covers an item, for items with a fixed number."""
        self.forced = [list(numbers)[o] for o in problem.forced]
        self.options: dict[int, set[int]] = {}
        for option, entries in self.entries.items():
            for item, _ in entries:
                self.options.setdefault(item, set()).add(option)


def _wrong_node(table: _Table, path: Part, branches: set[int], ends: int) -> str | None:
    """Return the error at a node of the tree: ``path`` leads there, ``branches`` are its next decisions, and ``ends`` parts end there."""
    if ends > 1:
        return f"a part is there {ends} times"
    if ends and branches:
        return "a part is there, and parts of it as well"
    if ends:
        return None
    if not branches:
        return "there is no part"
    if unknown := [o for o in (b if b >= 0 else ~b for b in branches) if o not in table.entries]:
        return f"the problem has no option {unknown[0]}"
    if len(branches) == 2 and (option := max(branches)) >= 0 and min(branches) == ~option:
        return None
    if min(branches) < 0:
        return f"neither all options of an item nor an option and its absence: {sorted(branches)}"
    return _wrong_choice(table, path, branches)


def _wrong_choice(table: _Table, path: Part, branches: set[int]) -> str | None:
    """Return why branches are not all possible options of an item that every solution covers exactly once more."""
    chosen = {o for o in path if o >= 0} | set(table.forced)
    out = {~o for o in path if o < 0}
    covered = Counter(item for o in chosen for item, _ in table.entries[o])
    colour = {item: c for o in chosen for item, c in table.entries[o] if table.coloured[item]}
    shared = set.intersection(*({item for item, _ in table.entries[o]} for o in branches))
    missing = []
    for item in sorted(item for item in shared if covered[item] + 1 == table.exact.get(item)):
        left = table.options[item] - branches - out - chosen
        missing.append({o for o in left if not _excluded(table, o, covered, colour)})
        if not missing[-1]:
            return None
    if not missing:
        return f"the options {sorted(branches)} share no item that every solution covers exactly once more"
    fewest = min(missing, key=len)
    return f"{many(len(fewest), 'option')} missing beside {sorted(branches)}, such as {min(fewest)}"


def _excluded(table: _Table, option: int, covered: Counter[int], colour: dict[int, int]) -> bool:
    """Tell whether the decisions above exclude an option."""
    return any(
        item in colour and (own == 0 or own != colour[item]) if table.coloured[item] else covered[item] + 1 > table.high[item]
        for item, own in table.entries[option]
    )
