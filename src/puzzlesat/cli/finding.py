"""How ``puzzlesat list`` finds puzzles by a word: it forgives case, accents, hyphens, and typing errors."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

NEAR = 78
"""From so alike on (in percent) a word is taken for another one that was mistyped."""
MOST_NEAREST = 3
"""Names that are suggested where nothing is near enough."""
LEAST_FORGIVEN = 4
"""Letters of a word of which a typing error is forgiven: with fewer, another word is as near."""


def folded(text: str) -> str:
    """Return a text as it is compared: small letters without accents, and one blank for whatever parts words."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", plain))


def has(word: str, *texts: str | None) -> bool:
    """Tell whether a word that is folded occurs in one of the texts; of several words, written as one or apart."""
    ways = {word, word.replace(" ", "")}
    return any(way in folded(text) for text in texts if text for way in ways)


def meant(word: str, texts: Iterable[str]) -> str | None:
    """Return the words of these texts that somebody meant who mistyped them; None where nothing is near enough."""
    from rapidfuzz import fuzz, process

    if len(folded(word)) < LEAST_FORGIVEN:
        return None
    known = _phrases(texts, len(folded(word).split()))
    best = process.extractOne(folded(word), known.keys(), scorer=fuzz.ratio, score_cutoff=NEAR)
    return None if best is None else known[best[0]]


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that are most like a word, however unlike they are."""
    from rapidfuzz import fuzz, process

    known = {folded(name): name for name in names}
    return [known[name] for name, _, _ in process.extract(folded(word), known.keys(), scorer=fuzz.WRatio, limit=MOST_NEAREST)]


def _phrases(texts: Iterable[str], length: int) -> Mapping[str, str]:
    """The texts as they are compared, and all that so many neighbouring words of them make; with how they are written."""
    known: dict[str, str] = {}
    for text in texts:
        known.setdefault(folded(text), text)
        words = re.findall(r"\w+", text)
        for first in range(len(words) - length + 1):
            phrase = " ".join(words[first : first + length])
            known.setdefault(folded(phrase), phrase)
    return known
