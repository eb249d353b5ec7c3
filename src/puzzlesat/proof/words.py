"""A weighting in sentences that a person can check with a pencil."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

from puzzlesat.arrays import Flags
from puzzlesat.cover.build import Built
from puzzlesat.proof.sums import Sums, Weighting, sums_of
from puzzlesat.sentences import Sentence

MOST_LISTED = 12
"""Numbers that are written out one by one."""


def explain(built: Built, weighting: Weighting, removed: Flags | None = None) -> list[str]:
    """Return sentences: the weights, the form's total, what each tile may weigh, and why no choice adds up.

    They say of a weighting that proves nothing that it does not.
    """
    sums = sums_of(built.problem, weighting, removed)
    return [_weights(built, weighting), _total(built, weighting, sums), *_tiles(built, weighting, sums), _verdict(weighting, sums)]


def _weights(built: Built, weighting: Weighting) -> str:
    used = [sign(w) for w in sorted({*_required(built, weighting)})]
    plain, rest = (
        "Give the atoms the weights {weights} ({title}).",
        "Give the atoms the weights {weights}, counted modulo {modulus} ({title}).",
    )
    return Sentence(rest if weighting.modulus else plain, weights=used, modulus=str(weighting.modulus), title=weighting.title)


def _required(built: Built, weighting: Weighting) -> list[int]:
    return [w for w, low in zip(weighting.weights, built.problem.low.tolist(), strict=False) if low]


def _total(built: Built, weighting: Weighting, sums: Sums) -> str:
    counts = sorted(Counter(w for w in _required(built, weighting) if w).items())
    terms = " + ".join(f"{n} × {sign(w) if w > 0 else f'({sign(w)})'}" for w, n in counts) or "0"
    whole = sum(w * n for w, n in counts)
    if weighting.modulus:
        said = "The form weighs {terms} = {whole}, which is {remainder} modulo {modulus}."
        return Sentence(said, terms=terms, whole=sign(whole), remainder=str(sums.total), modulus=str(weighting.modulus))
    return Sentence("The form weighs {terms} = {whole}.", terms=terms, whole=sign(whole))


def _tiles(built: Built, weighting: Weighting, sums: Sums) -> list[str]:
    """One sentence for all tiles with the same weights."""
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
        one, each = "Tile {tiles} weighs {weight} wherever it lies.", "Each of the {n} tiles {tiles} weighs {weight} wherever it lies."
        found.append(Sentence(one if len(names) == 1 else each, n=str(len(names)), tiles=names, weight=weight))
    return found


def _times(tile: str, low: int, high: int | None, *, several: bool) -> Sentence:
    """A tile, and how many copies of it there are."""
    if low == high:
        once = Sentence("{tile}", tile=tile)
        return once if low == 1 and several else Sentence("{tile} ({n} {n|copy|copies})", tile=tile, n=str(low))
    if high is None:
        return Sentence("{tile} ({n} or more copies)" if low else "{tile} (any number of copies)", tile=tile, n=str(low))
    return Sentence("{tile} ({low} to {high} copies)", tile=tile, low=str(low), high=str(high))


def _modulo(numbers: str, weighting: Weighting) -> str:
    """Numbers, and that they are remainders where they are."""
    return Sentence("{numbers} modulo {modulus}", numbers=numbers, modulus=str(weighting.modulus)) if weighting.modulus else numbers


def _verdict(weighting: Weighting, sums: Sums) -> str:
    if sums.bits is None:
        return Sentence("The sums that the tiles can reach were not computed: there are too many.")
    reached = sums.reached
    if not reached:
        return Sentence("So there is no way to use all tiles, and no solution.")
    together = _modulo(any_of(reached), weighting)
    among = "Together the tiles weigh {sums}; the form weighs {total}, which is among them, so this proves nothing."
    never = "Together the tiles weigh {sums}, never {total}; so there is no solution."
    return Sentence(never if sums.impossible else among, sums=together, total=sign(sums.total))


def any_of(values: list[int]) -> str:
    """Write ascending numbers as a choice: one by one, or as a progression where they are one, else the first and last and how many."""
    texts = [sign(v) for v in values]
    if len(texts) == 1:
        return texts[0]
    steps = {b - a for a, b in pairwise(values)}
    if len(values) > 4 and len(steps) == 1:
        return f"{texts[0]}, {texts[1]}, {texts[2]} … {texts[-1]}"
    if len(values) <= MOST_LISTED:
        return Sentence("{numbers} or {last}", numbers=texts[:-1], last=texts[-1])
    return Sentence("one of {n} numbers from {first} to {last}", n=str(len(values)), first=texts[0], last=texts[-1])


def sign(value: int) -> str:
    """Write a number with a minus sign that is as wide as a plus."""
    return str(value).replace("-", "−")
