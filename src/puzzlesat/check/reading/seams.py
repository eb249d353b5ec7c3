"""Forms that wrap around: which atoms are the same one (``docs/format/wrap.md``).

The moves that take an atom back to itself form a group. Its translations are a lattice; where one seam mirrors, every
other element is that mirrored move, followed by one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..grid import Atom, Point, Symmetry, back, turned
from ..rejected import Rejected
from .grids import Lattice, moved_by
from .tables import listed, number, only, truth


@dataclass(frozen=True)
class Seams:
    """The seams of a form, as it states them, and the group that they make."""

    stated: tuple[tuple[Point, bool], ...] = ()
    rows: tuple[Point, ...] = ()
    """A basis of the translations: below the first number that is not 0, which is positive, the others have 0."""
    over: tuple[Symmetry, Point] | None = None
    """The mirrored move: a symmetry of the grid and the translation after it."""

    def reduced(self, atom: Atom) -> Atom:
        """Return the same atom, translated to where all that differ by a translation are the same."""
        for row in self.rows:
            pivot = next(i for i, x in enumerate(row) if x)
            times = atom[pivot] // row[pivot]
            atom = moved_by(atom, [-times * x for x in row])
        return atom

    def same(self, atom: Atom) -> Atom:
        """Return one of those that are the same atom, for all of them the same one."""
        if self.over is None:
            return self.reduced(atom)
        symmetry, move = self.over
        return min(self.reduced(atom), self.reduced(symmetry(atom, move)))

    def to(self, atom: Atom, there: Atom) -> Callable[[Atom], Atom]:
        """Return the move that takes an atom to one that is the same, for other atoms to be moved by it."""

        def carried(other: Atom) -> Atom:
            return other if self.over is None or plain else self.over[0](other, self.over[1])

        plain = self.reduced(atom) == self.reduced(there)
        move = [t - s for s, t in zip(carried(atom)[:-1], there[:-1], strict=True)]
        return lambda other: moved_by(carried(other), move)

    def firsts(self, atoms: Iterable[Atom], order: Callable[[Atom], Any]) -> list[Atom]:
        """Return the first of each class of atoms that are the same."""
        found: dict[Atom, Atom] = {}
        for atom in sorted(atoms, key=order):
            found.setdefault(self.same(atom), atom)
        return list(found.values())


def read_seams(stated: Any, lattice: Lattice, form: frozenset[Atom]) -> Seams:
    """Return the seams of a form, whose mirror is that of the whole form, before anything is taken out of it."""
    seams: list[tuple[Point, bool]] = []
    for said in (only(seam, "form.wrap", ("move", "mirror"), ("move",)) for seam in listed(stated, "form.wrap")):
        move = tuple(number(x, "form.wrap: move") for x in listed(said["move"], "form.wrap: move"))
        seams.append((move, truth(said.get("mirror", False), "form.wrap: mirror")))
    moves = [move for move, mirror in seams if not mirror]
    over = None
    for move, mirror in seams:
        if mirror and over is not None:
            raise Rejected("form.wrap: two seams mirror the form")
        if mirror:
            symmetry, home = _mirror_along(move, lattice, form)
            over = symmetry, tuple(x + y for x, y in zip(home, move, strict=True))
            moves = [*moves, *(turned(symmetry.matrix, m) for m in moves), tuple(2 * x for x in move)]
    return Seams(tuple(seams), tuple(_basis(moves)), over)


def _mirror_along(move: Point, lattice: Lattice, form: frozenset[Atom]) -> tuple[Symmetry, Point]:
    """The mirror that keeps a direction and the form: done twice, it leaves every atom in its place."""
    for turn in lattice.turns:
        if turn.mirror and turned(turn.does.matrix, move) == move:
            home = back(turn.does, form)
            image = {atom: turn.does(atom, home) for atom in form}
            if form.issuperset(image.values()) and all(image[there] == atom for atom, there in image.items()):
                return turn.does, home
    raise Rejected("form.wrap: mirror: the form is not its own mirror image along the move")


def _basis(moves: Sequence[Point]) -> list[Point]:
    """A basis in steps of the lattice that some moves make."""
    left, found = [list(move) for move in moves if any(move)], []
    for i in range(len(moves[0]) if moves else 0):
        while len(there := [row for row in left if row[i]]) > 1:
            least = min(there, key=lambda row: abs(row[i]))
            for row in there:
                if row is not least:
                    times = row[i] // least[i]
                    row[:] = [x - times * y for x, y in zip(row, least, strict=True)]
        for row in there:
            left.remove(row)
            found.append(tuple(x if row[i] > 0 else -x for x in row))
        left = [row for row in left if any(row)]
    return found
