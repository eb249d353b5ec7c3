"""Clauses as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import Ints, Longs


@dataclass(frozen=True, eq=False)
class Clauses:
    """A formula in conjunctive normal form. Clause i, numbered from 1, is ``literals[start[i - 1] : start[i]]``."""

    start: Longs
    literals: Ints
    """As in DIMACS: v or -v for a variable v, which is at least 1 and at most ``variables``."""
    variables: int

    def __len__(self) -> int:
        """Return the number of clauses."""
        return self.start.size - 1

    def __getitem__(self, number: int) -> list[int]:
        """Return the literals of the clause with a number from 1 on."""
        if not 1 <= number <= len(self):
            raise IndexError(number)
        found: list[int] = self.literals[self.start[number - 1] : self.start[number]].tolist()
        return found
