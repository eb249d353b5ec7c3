"""Several forms filled at the same time out of one supply of tiles: sets that go together, chosen from what is known of each form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np

from puzzlesat.arrays import Longs
from puzzlesat.counting.sets import SetCount
from puzzlesat.errors import PuzzleError
from puzzlesat.solvers.strategy import MOST_TOGETHER

AS_MANY = np.iinfo(np.int32).max
"""Of a tile that may be used as often as wished."""


@dataclass(frozen=True)
class Choice:
    """A set for each of some forms, such that the tiles suffice for all of them."""

    sets: tuple[SetCount, ...]
    distinct: int
    """In how many ways, up to the symmetries of each form, and to which of several equal forms is which."""


@dataclass(frozen=True)
class Together:
    """What can be filled at the same time."""

    forms: tuple[int, ...]
    """Numbers of the forms, ascending; one may stand there several times."""
    choices: tuple[Choice, ...]
    """Those of most ways first; there may be none."""

    @property
    def distinct(self) -> int:
        """In how many ways the forms can be filled at the same time."""
        return sum(choice.distinct for choice in self.choices)


def together(tables: Sequence[Sequence[SetCount]], supply: Sequence[int | None], times: int) -> list[Together]:
    """Return for any so many of some forms, also the same one several times, how they can be filled at the same time.

    ``tables`` has the sets that fill each form; ``supply`` says how often each tile is there (None: as often as wished). Raises PuzzleError
    where there are too many ways to choose.
    """
    have = np.array([AS_MANY if each is None else each for each in supply], dtype=np.int64)
    used = [np.array([each.uses for each in table], dtype=np.int64).reshape(len(table), len(have)) for table in tables]
    found: list[Together] = []
    seen = 0
    for forms in combinations_with_replacement(range(len(tables)), times):
        choices = []
        for chosen in _chosen(used, forms, have, 0):
            seen += 1
            if seen > MOST_TOGETHER:
                raise PuzzleError(f"there are more than {MOST_TOGETHER:,} ways to choose {times} sets together; take fewer forms, or tiles")
            sets = tuple(tables[form][number] for form, number in zip(forms, chosen, strict=True))
            alike = Counter(zip(forms, chosen, strict=True))
            ways = prod(comb(tables[form][number].distinct + n - 1, n) for (form, number), n in alike.items())
            choices.append(Choice(sets, ways))
        found.append(Together(forms, tuple(sorted(choices, key=lambda choice: -choice.distinct))))
    return found


def _chosen(used: Sequence[Longs], forms: tuple[int, ...], have: Longs, first: int) -> Iterator[tuple[int, ...]]:
    """Numbers of sets, one for each form; where a form stands there again, its set is none before that chosen last."""
    if not forms:
        yield ()
        return
    own, others = used[forms[0]], forms[1:]
    for number in (first + np.flatnonzero((own[first:] <= have).all(axis=1))).tolist():
        again = number if others and others[0] == forms[0] else 0
        for more in _chosen(used, others, have - own[number], again):
            yield (number, *more)
