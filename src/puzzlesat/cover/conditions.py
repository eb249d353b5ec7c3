"""The linear conditions of a puzzle in normal form: which motions keep them, and which of them no covering keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puzzlesat.arrays import Flags, Ints, Longs
from puzzlesat.cover.normal_form import MOST_PLACEMENTS, MOST_ROWS, Coverage, Key, Linear, Never, Supply, clipped, scaled
from puzzlesat.puzzle.data import Puzzle, Rule
from puzzlesat.puzzle.placements import Placements
from puzzlesat.sentences import Sentence


@dataclass(frozen=True, eq=False)
class Conditions:
    """The linear conditions of a puzzle, as far as they do not always hold."""

    used: Flags
    """Which placements may be used at all."""
    linear: tuple[Linear, ...]
    """Divided and clipped; their weights are those of the placements that may be used."""
    coverage: Coverage | None
    """None where its rows are too many to be added up."""
    never: tuple[Never, ...] = ()
    """Those that are out of reach."""
    starved: bool = False
    """Whether some tile must be used more often than it can be, so that there is no covering."""

    def changed_by(self, permutation: Ints) -> str | None:
        """Return the name of a condition that is none of the puzzle's any more after a motion of the placements, or None."""
        if not self.linear or self.never or self.starved:
            return None
        own = (np.cumsum(self.used) - 1)[permutation[self.used]]
        changed = self._not_among(own, None, self._multiples)
        if changed is None or self.coverage is None:
            return changed
        return None if self._impossible else self._not_among(own, self.coverage, self._forms)

    def _not_among(self, permutation: Longs, coverage: Coverage | None, forms: frozenset[Key | Never | None]) -> str | None:
        """The first condition that is not among those of the puzzle when it is moved; one that always holds asks for nothing."""
        moved = ((c.name, scaled(c, c.weights[permutation], coverage)) for c in self.linear)
        return next((name for name, form in moved if form is not None and form not in forms), None)

    @cached_property
    def _multiples(self) -> frozenset[Key | Never | None]:
        """The conditions, where only multiples are the same: what is equal here is equal in normal form, which takes longer."""
        return frozenset(scaled(c, c.weights, None) for c in self.linear)

    @cached_property
    def _forms(self) -> frozenset[Key | Never | None]:
        """The normal forms."""
        return frozenset(scaled(c, c.weights, self.coverage) for c in self.linear)

    @cached_property
    def _impossible(self) -> bool:
        """Whether nothing covers the form, or no covering keeps some condition: then every motion keeps what solutions there are."""
        contradictory = self.coverage is not None and any(self.coverage.modulo(c.modulus).contradictory for c in self.linear)
        return contradictory or bool(self.unkept)

    @cached_property
    def unkept(self) -> tuple[Never, ...]:
        """The conditions that no covering keeps, where its sum alone shows that."""
        return (*self.never, *(form for form in self._forms if isinstance(form, Never)))


def conditions_of(puzzle: Puzzle, placements: Placements) -> Conditions:
    """Return the linear conditions of a puzzle: ``rules``, and ``one_of`` of its rules on solutions."""
    if not puzzle.rules and not puzzle.solutions.one_of:
        return Conditions(np.ones(len(placements), dtype=np.bool_), (), None)
    most = np.array([_most(puzzle, placements, number) for number in range(len(puzzle.tiles))], dtype=np.int64)
    used = (most > 0)[placements.tile]
    times = [(tile.low, int(n)) for tile, n in zip(puzzle.tiles, most, strict=True)]
    supply = Supply(placements.tile[used], times)
    found = [clipped(one, supply) for one in _linear(puzzle, placements, used)]
    never = tuple(one for one in found if isinstance(one, Never))
    left = tuple(one for some in found if not isinstance(some, Never) for one in some)
    return Conditions(used, left, _coverage(puzzle, placements, used), never, starved=any(low > n for low, n in times))


def _most(puzzle: Puzzle, placements: Placements, number: int) -> int:
    """How often a tile can be used at most, by its copies, its placements and the room that they take."""
    tile, own = puzzle.tiles[number], placements.atoms.lengths[placements.tile == number]
    room = len(puzzle.form.atoms) // max(1, int(own.min())) if len(own) else 0
    return min(room, len(own), room if tile.high is None else tile.high)


def _linear(puzzle: Puzzle, placements: Placements, used: Flags) -> Iterator[Linear]:
    """The conditions, without what each covering adds up to by the atoms that it must cover and the tiles that it must use."""
    for rule in puzzle.rules:
        by_atom = np.array([rule.atoms.get(a, 0) for a in puzzle.form.numbering.atoms], dtype=np.int64)
        by_tile = np.array([rule.tiles.get(tile.members[0], 0) for tile in puzzle.tiles], dtype=np.int64)
        must = np.isin(np.arange(len(by_atom)), _required(puzzle))
        exactly = np.array([tile.low == tile.high for tile in puzzle.tiles], dtype=np.bool_)
        copies = np.array([tile.low for tile in puzzle.tiles], dtype=np.int64)
        constant = int(by_atom[must].sum()) + sum(int(w) * int(n) for w, n in zip(by_tile[exactly], copies[exactly], strict=True))
        weights = placements.atoms.sums(np.where(must, 0, by_atom)) + np.where(exactly, 0, by_tile)[placements.tile]
        yield _shifted(rule, weights[used], constant)
    number = {name: i for i, name in enumerate(placements.names)} if puzzle.solutions.one_of else {}
    for count, names in enumerate(puzzle.solutions.one_of, start=1):
        chosen = np.isin(np.arange(len(placements)), [number[name] for name in names if name in number])
        yield Linear(f"one of {count}", chosen[used].astype(np.int64), low=1, asked=Sentence("{n} or more", n=1))


def _shifted(rule: Rule, weights: Longs, constant: int) -> Linear:
    """What a rule asks of the weights that are left beside a constant."""
    if rule.modulus:
        asked = Sentence("{numbers} modulo {modulus}", numbers=str(rule.residue), modulus=str(rule.modulus))
        residue = (rule.residue - constant) % rule.modulus
        return Linear(rule.name, weights, modulus=rule.modulus, residue=residue, asked=asked, constant=constant)
    several = Sentence("{least} to {most}", least=rule.low, most=rule.high)
    asked = several if rule.low < rule.high else Sentence("{n}", n=rule.low)
    return Linear(rule.name, weights, rule.low - constant, rule.high - constant, asked=asked, constant=constant)


def _required(puzzle: Puzzle) -> Longs:
    """The numbers of the atoms that must be covered."""
    required = frozenset(puzzle.form.required)
    return np.flatnonzero([atom in required for atom in puzzle.form.numbering.atoms])


def _coverage(puzzle: Puzzle, placements: Placements, used: Flags) -> Coverage | None:
    """A row for each atom that must be covered, and for each tile that is used a fixed number of times."""
    required = _required(puzzle)
    exactly = [i for i, tile in enumerate(puzzle.tiles) if tile.low == tile.high]
    rows = len(required) + len(exactly)
    if rows > MOST_ROWS or used.sum() > MOST_PLACEMENTS:
        return None
    of_atom = np.full(len(puzzle.form.atoms) + 1, rows, dtype=np.int32)  # the last is that of the padding
    of_atom[required] = np.arange(len(required))
    of_tile = np.full(len(puzzle.tiles), rows, dtype=np.int32)
    of_tile[exactly] = np.arange(len(required), rows)
    chosen = np.flatnonzero(used)
    atoms = placements.atoms.rows(chosen, int(placements.atoms.lengths[chosen].max(initial=0)))
    table = np.concatenate([of_atom[atoms], of_tile[placements.tile[chosen]][:, None]], axis=1)
    return Coverage(table, (*[1] * len(required), *(puzzle.tiles[i].low for i in exactly)))
