"""A weighting in sentences that a person can check with a pencil."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

from puzzlesat.arrays import Flags
from puzzlesat.cover.build import Built
from puzzlesat.proof.sums import Sums, Weighting, sums_of

MOST_LISTED = 12
"""Numbers that are written out one by one."""


def explain(built: Built, weighting: Weighting, removed: Flags | None = None) -> list[str]:
    """Return sentences: the weights, the form's total, what each tile may weigh, and why no choice adds up.

    They say of a weighting that proves nothing that it does not.
    """
    sums = sums_of(built.problem, weighting, removed)
    return [_weights(built, weighting), _total(built, weighting, sums), *_tiles(built, weighting, sums), _verdict(weighting, sums)]


def _weights(built: Built, weighting: Weighting) -> str:
    modulo = f", counted modulo {weighting.modulus}" if weighting.modulus else ""
    used = ", ".join(sign(w) for w in sorted({*_required(built, weighting)}))
    return f"Give the atoms the weights {used}{modulo} ({weighting.title})."


def _required(built: Built, weighting: Weighting) -> list[int]:
    return [w for w, low in zip(weighting.weights, built.problem.low.tolist(), strict=False) if low]


def _total(built: Built, weighting: Weighting, sums: Sums) -> str:
    counts = sorted(Counter(w for w in _required(built, weighting) if w).items())
    terms = " + ".join(f"{n} × {sign(w) if w > 0 else f'({sign(w)})'}" for w, n in counts) or "0"
    whole = sum(w * n for w, n in counts)
    if weighting.modulus:
        return f"The form weighs {terms} = {sign(whole)}, which is {sums.total} modulo {weighting.modulus}."
    return f"The form weighs {terms} = {sign(whole)}."


def _tiles(built: Built, weighting: Weighting, sums: Sums) -> list[str]:
    """One sentence for all tiles with the same weights."""
    tiles = built.puzzle.tiles
    groups: dict[tuple[int, ...], list[str]] = defaultdict(list)
    several = len(tiles) > 1
    for tile, own in zip(tiles, sums.values, strict=True):
        groups[own].append(tile.name + _times(tile.low, tile.high, several=several))
    found = []
    for own, names in sorted(groups.items(), key=lambda g: (len(g[0]), g[0])):
        subject = f"Tile {names[0]} weighs" if len(names) == 1 else f"Each of the {len(names)} tiles {', '.join(names)} weighs"
        where = "" if not weighting.modulus else f" modulo {weighting.modulus}"
        if not own:
            found.append(f"Tile {', '.join(names)} can be placed nowhere.")
        else:
            found.append(f"{subject} {numbers(list(own), 'or')}{where} wherever it lies.")
    return found


def _times(low: int, high: int | None, *, several: bool) -> str:
    if low == high:
        return "" if low == 1 and several else f" ({low} {'copy' if low == 1 else 'copies'})"
    return (
        f" ({low} or more copies)" if high is None and low else " (any number of copies)" if high is None else f" ({low} to {high} copies)"
    )


def _verdict(weighting: Weighting, sums: Sums) -> str:
    if sums.bits is None:
        return "What the tiles can weigh together was not looked at: there are too many sums."
    modulo = f" modulo {weighting.modulus}" if weighting.modulus else ""
    reached = sums.reached
    if not reached:
        return "So there is no way to use all tiles, and no solution."
    together = f"Together the tiles weigh {numbers(reached, 'or')}{modulo}"
    if not sums.impossible:
        return f"{together}; the form weighs {sign(sums.total)}, which is among them, so this proves nothing."
    return f"{together}, never {sign(sums.total)}; so there is no solution."


def numbers(values: list[int], word: str) -> str:
    """Write ascending numbers: one by one, or as a progression where they are one, else the first and last and how many."""
    texts = [sign(v) for v in values]
    if len(values) <= 4:
        return f" {word} ".join([", ".join(texts[:-1]), texts[-1]] if len(values) > 1 else texts)
    steps = {b - a for a, b in pairwise(values)}
    if len(steps) == 1:
        return f"{texts[0]}, {texts[1]}, {texts[2]} … {texts[-1]}"
    if len(values) <= MOST_LISTED:
        return f"{', '.join(texts[:-1])} {word} {texts[-1]}"
    return f"one of {len(values)} numbers from {texts[0]} to {texts[-1]}"


def sign(value: int) -> str:
    """Write a number with a minus sign that is as wide as a plus."""
    return str(value).replace("-", "−")
