"""How sure what a store holds is: by evidence that was checked, by how many processes found the same, or by one alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any, Final

from puzzlesat.base import listed, many
from puzzlesat.studies.audit import LEAST_ALIKE, MOST_CAUGHT
from puzzlesat.studies.store import DONE, Caught, Reader

CHANCE: Final = 0.999
"""With which a sample would have shown that more answers are wrong than is said."""
_SAYS = "coalesce(json_extract(result, '$.verdict') != 'not decided', json_array_length(result, '$.parts') > 0, 1)"
"""Whether an answer says anything: else there is nothing to be believed."""
_UNITS = f"""
SELECT state, coalesce(json_extract(proof, '$.all'), 0), units.alike, count(*) FROM units
LEFT JOIN answers ON answers.unit = units.id AND counts WHERE (:subject IS NULL OR subject = :subject) AND (result IS NULL OR {_SAYS})
GROUP BY 1, 2, 3
"""
NUMBERS: Final = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class Trust:
    """How many units are known how surely, of those that say anything."""

    units: int = 0
    shown: int = 0
    """By evidence that was checked when it came: a solution, or a certificate."""
    alike: Mapping[int, int] = field(default_factory=dict)
    """Of the others, how many were found alike by so many processes (two or more)."""
    once: int = 0
    """On the word of one process alone."""
    open: int = 0
    """Of which that is not known yet."""
    caught: Sequence[Caught] = ()
    """Who gave a wrong answer."""

    @property
    def full(self) -> bool:
        """Whether nothing rests on the word of one process."""
        return not self.once and not self.open

    @property
    def one_in(self) -> int | None:
        """With a chance of 99.9 % no more than one answer in so many is wrong; None: too few were found again to say anything."""
        again = sum(self.alike.values())
        share = 1 - (1 - CHANCE) ** (1 / again) if again else 1.0
        return floor(1 / share) if share < 0.5 else None

    @property
    def hosts(self) -> list[tuple[str, Sequence[Caught], bool]]:
        """Each host that gave wrong answers, with these, and whether none of its answers are used any more."""
        by_host: dict[str, list[Caught]] = {}
        for who in self.caught:
            by_host.setdefault(who.host, []).append(who)
        return [(host, caught, len(caught) >= MOST_CAUGHT) for host, caught in sorted(by_host.items())]

    @property
    def record(self) -> dict[str, Any]:
        """The same as the JSON object that docs/json.md describes."""
        return {
            "full": self.full,
            "sentence": self.words,
            "units": self.units,
            "shown": self.shown,
            "alike": {str(alike): number for alike, number in self.alike.items()},
            "once": self.once,
            "open": self.open,
            "one_in": self.one_in,
            "caught": [vars(who) for who in self.caught],
        }

    @property
    def words(self) -> str:
        """How sure it is, in a sentence."""
        parts = [f"{many(self.shown, 'unit')} with evidence that was checked here"] if self.shown else []
        parts += [
            f"{many(n, 'unit')} with the same answer from {NUMBERS.get(alike, alike)} processes" for alike, n in sorted(self.alike.items())
        ]
        if not self.once:
            return listed(parts) or "nothing is known yet"
        again = sum(self.alike.values())
        if not again:
            return listed([*parts, f"{many(self.once, 'unit')} answered by one process alone"])
        bound = self.one_in
        so = f"; so at most one answer in {bound:,} is wrong, with 99.9 % confidence" if bound else ""
        share = f"{100 * again / (again + self.once):.2g} %"
        sample = f"counted once; a sample of {share} was counted again with the same results{so}; complete if none is wrong"
        return listed([*parts[: bool(self.shown)], sample])


def trust_of(store: Reader, subject: int | None = None) -> Trust:
    """Return how sure the units of a puzzle are, or all units."""
    numbers: Counter[str] = Counter()
    alike: Counter[int] = Counter()
    for state, shown, same, number in store.connection.execute(_UNITS, {"subject": subject}):
        numbers["units"] += number
        if state != DONE:
            numbers["open"] += number
        elif shown:
            numbers["shown"] += number
        elif same >= LEAST_ALIKE:
            alike[same] += number
        else:
            numbers["once"] += number
    return Trust(**numbers, alike=dict(sorted(alike.items())), caught=tuple(store.caught()))
