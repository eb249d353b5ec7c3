"""A position: the placements that lie on the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.settle import settle
from puzzlesat.display import Displayed
from puzzlesat.errors import PuzzleError, listed, many
from puzzlesat.formats.notation import options_by_name
from puzzlesat.puzzle.grids import show_atom
from puzzlesat.sentences import Sentence
from puzzlesat.solvers.coloured import placed_can_be_coloured


@dataclass(frozen=True, eq=False, repr=False)
class Position(Displayed):
    """Some placements of a puzzle that do not overlap, and those that the form fixes."""

    built: BuiltInstance
    placed: tuple[int, ...]
    """Numbers of the placements, without those that the form fixes."""
    ordered: bool = False
    """Whether they were placed in this order."""

    def __repr__(self) -> str:
        return f"Position({self.built.instance.name!r}, {' '.join(self.names(self.everything))!r})"

    @property
    def everything(self) -> tuple[int, ...]:
        """The placements with those that the form fixes, which come first."""
        return (*self.built.problem.forced, *self.placed)

    def names(self, options: Sequence[int]) -> list[str]:
        """Return the names of placements."""
        return [self.built.problem.options[o] for o in options]


def position_of(built: BuiltInstance, names: Sequence[str], *, ordered: bool = False) -> Position:
    """Return the position with these placements. Raises PuzzleError for names that there are not, and for what cannot lie on the table."""
    return checked_position(built, options_by_name(built, names), ordered=ordered)


def checked_position(built: BuiltInstance, options: Sequence[int], *, ordered: bool = False) -> Position:
    """Return the position with these placements. Raises PuzzleError where two overlap, or a tile is there too often."""
    name = built.problem.options
    if twice := [name[o] for o, number in Counter(options).items() if number > 1]:
        raise PuzzleError(*(f"{n!r} is listed twice; remove one" for n in twice))
    fixed = built.problem.forced
    position = Position(built, tuple(o for o in options if o not in fixed), ordered)
    wrong = []
    for one, other in combinations(position.everything, 2):
        if shared := set(built.placements[one].atoms) & set(built.placements[other].atoms):
            where = listed(show_atom(built.puzzle.grid, a) for a in sorted(shared))
            by_form = ", which the form fixes," if one in fixed else ""
            wrong.append(f"{name[one]!r}{by_form} and {name[other]!r} overlap at {where}; remove {'the second' if by_form else 'one'}")
    for number, used in Counter(built.placements[o].tile for o in position.everything).items():
        tile = built.puzzle.tiles[number]
        if tile.high is not None and used > tile.high:
            copies = "is one copy" if tile.high == 1 else f"are {many(tile.high, 'copy', 'copies')}"
            wrong.append(f"tile {tile.name!r} is placed {many(used, 'time')}, but there {copies} of it")
    if wrong:
        raise PuzzleError(*wrong)
    return position


def is_finished(position: Position) -> bool:
    """Tell whether a position is a solution as it is."""
    left = settle(position.built.problem, position.placed)
    return left is not None and left.asks_for_nothing and placed_can_be_coloured(left)


def dead_ends(position: Position) -> list[str]:
    """Return in sentences what a look at the board shows to be impossible; an empty list does not mean that it can be finished."""
    built, problem = position.built, position.built.problem
    left = settle(problem, position.placed)
    if left is None:
        return _clashes(position)
    short = (left.low > 0) & ([len(options) for options in left.options_of] < left.low)
    atoms, tiles = len(built.puzzle.form.atoms), len(built.puzzle.tiles)
    uncovered = [problem.items[i] for i in range(atoms) if short[i]]
    homeless = [problem.items[i] for i in range(atoms, atoms + tiles) if short[i]]
    unkept = [problem.items[i] for i in range(built.first_rule_item, len(problem.items)) if short[i]]
    said: list[str] = []
    if left.colouring is not None and not placed_can_be_coloured(left):
        few = "{n} {n|colour is|colours are} too few for the pieces that are placed"
        said.append(Sentence(few, n=left.colouring.colours))
    if unkept:
        said.append(Sentence("no placement that is left keeps the rules on solutions at {items}", items=listed(unkept)))
    if uncovered:
        said.append(Sentence("nothing that is left covers {atoms}", atoms=listed(uncovered)))
    if homeless:
        said.append(Sentence("there is no place left for {tiles}", tiles=listed(homeless)))
    return said


def uncoverable(position: Position) -> list[int]:
    """Return the atoms of the form that nothing left can cover, by their numbers."""
    left = settle(position.built.problem, position.placed)
    if left is None:
        return []
    return [i for i in range(len(position.built.puzzle.form.atoms)) if left.low[i] > len(left.options_of[i])]


def _clashes(position: Position) -> list[str]:
    """The placements that show each other marks which may not meet, and the places where rules on solutions are broken."""
    built, problem = position.built, position.built.problem
    shown: dict[int, list[tuple[int, int]]] = {}
    for option in position.everything:
        for entry in range(problem.start[option], problem.start[option + 1]):
            if problem.coloured[problem.item[entry]]:
                shown.setdefault(int(problem.item[entry]), []).append((option, int(problem.colour[entry])))
    first_rule = built.first_rule_item
    covered = Counter(item for option in position.everything for item in problem.items_of(option).tolist() if item >= first_rule)
    broken = [item for item in covered if problem.coloured[item] and len({colour for _, colour in shown[item]}) > 1]
    broken += [item for item, number in covered.items() if not problem.coloured[item] and number > problem.high[item]]
    of_marks = [both for item, both in shown.items() if item < first_rule]
    pairs = [(a, b) for both in of_marks for (a, one), (b, other) in combinations(both, 2) if one != other or not one]
    names = built.problem.options
    said, broken_at = "{one} and {other} show each other marks that may not meet", "a rule on solutions is broken at {item}"
    clashes = [Sentence(said, one=names[a], other=names[b]) for a, b in dict.fromkeys(pairs)]
    return [*clashes, *(Sentence(broken_at, item=problem.items[item]) for item in sorted(broken))]
