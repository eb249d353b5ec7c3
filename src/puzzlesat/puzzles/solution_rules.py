"""Translate rules on solutions into items and conditions of the cover problem, so that every solver obeys them.

A rule on single tiles removes the placements that violate it. A rule on several tiles becomes items:

- number of tiles at a place (``PLACE_RULES``): an item for each place, covered by the placements that meet there. If the place has exactly
  one atom more than tiles may meet there, and all must be covered: an item covered at least once, by the placements with two of its atoms;
- tiles apart: an item for each side between two faces, covered at most once, by placements of these tiles on only one of the faces;
  strictly, also an item for each corner;
- symmetric: a coloured item for each orbit of atoms, where the colour is the orbit of the placement. Placements that overlap a different
  image of themselves, or have an image that is not a placement, are removed. So the only placement with the same colour that covers the
  image of an atom is the image of the placement;
- symmetric outline: the same with two colours, for the tiles of the outline and for all others.

For optional atoms, a condition says that an atom is covered if and only if its image is. Coloured items are those of D. E. Knuth, "The Art
of Computer Programming", volume 4B, section 7.2.2.1.

A colouring is a condition on whole solutions: solvers list solutions, and those that cannot be coloured are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from puzzlesat.base import Flags, Longs, PuzzleError, near_match
from puzzlesat.puzzles.contacts import FormContacts
from puzzlesat.puzzles.grid import Point
from puzzlesat.puzzles.placements import Placements, numbers_of, wrong_names
from puzzlesat.puzzles.problem import Colouring, Condition, CoverProblem
from puzzlesat.puzzles.puzzle import Puzzle
from puzzlesat.puzzles.symmetry import FormSymmetry, cycles, shape_symmetries


@dataclass(frozen=True, eq=False)
class _Item:
    """An item with the options that cover it, and the colour of each option if the item is coloured."""

    name: str
    options: Longs
    low: int = 0
    high: int = 1
    colours: Longs | None = None


def keep_allowed(puzzle: Puzzle, placements: Placements) -> Placements:
    """Return the placements that do not violate a rule on solutions by themselves.

    Raises PuzzleError for unknown names of placements, and of symmetries of the form, in the rules.
    """
    if wrong := [*_wrong_placements(puzzle, placements), *_wrong_symmetries(puzzle)]:
        raise PuzzleError(*wrong)
    rules = puzzle.solutions
    kept = np.ones(len(placements), dtype=np.bool_)
    if rules.touch_border or rules.inside:
        border = np.isin(np.arange(len(puzzle.form.atoms)), FormContacts(puzzle).at_the_border())
        touch = placements.atoms.sums(border.astype(np.int64)) > 0
        kept &= (touch | ~_of(placements, rules.touch_border)) & ~(touch & _of(placements, rules.inside))
    for holds in rules.holds:
        number = placements.atoms.sums(np.array([a in holds.atoms for a in puzzle.form.numbering.atoms], dtype=np.int64))
        kept &= ((number >= holds.low) & (number <= holds.high)) | ~_of(placements, holds.tiles)
    kept[numbers_of(rules.forbidden, placements)] = False
    allowed = placements if kept.all() else placements.those(kept)
    if not rules.symmetric:
        return allowed
    whole = _orbits(allowed, _symmetries(puzzle, rules.symmetric)) >= 0
    return allowed if whole.all() else allowed.those(whole)


def with_solution_rules(problem: CoverProblem, puzzle: Puzzle, placements: Placements) -> CoverProblem:
    """Return the cover problem of a puzzle with the items and conditions of its rules on solutions."""
    rules = puzzle.solutions
    items = [*_of_places(placements)] if rules.of_places else []
    items += [item for group in rules.apart for item in _apart(placements, group, strictly=rules.strictly)]
    everywhere = {name: i for i, name in enumerate(placements.names)} if rules.one_of else {}
    for number, names in enumerate(rules.one_of, start=1):
        there = np.array([everywhere[name] for name in names if name in everywhere], dtype=np.int64)
        items.append(_Item(f"one of {number}", there, low=1, high=CoverProblem.UNLIMITED))
    conditions: list[Condition] = []
    symmetries = _symmetries(puzzle, rules.symmetric)
    colours = _orbits(placements, symmetries) + 1 if symmetries else np.empty(0, dtype=np.int64)
    for symmetry in symmetries:
        everything = np.ones(len(placements), dtype=np.bool_), range(len(puzzle.form.atoms))
        more = _symmetric(placements, symmetry, f"after {symmetry.name}", *everything, colours)
        items, conditions = [*items, *more[0]], [*conditions, *more[1]]
    for outline in rules.outlines:
        own = _of(placements, outline.tiles)
        for symmetry in _symmetries(puzzle, outline.under):
            name = f"{' '.join(sorted(outline.tiles))} after {symmetry.name}"
            more = _symmetric(placements, symmetry, name, own, FormContacts(puzzle).faces, np.where(own, 1, 2))
            items, conditions = [*items, *more[0]], [*conditions, *more[1]]
    problem = _added(problem, items) if items else problem
    colouring = None
    if rules.colours is not None:
        pairs = np.array(FormContacts(puzzle).touching(strictly=rules.strictly), dtype=np.int32).reshape(-1, 2)
        colouring = Colouring(pairs, rules.colours)
    return replace(problem, conditions=(*problem.conditions, *conditions), colouring=colouring)


def _wrong_placements(puzzle: Puzzle, placements: Placements) -> list[str]:
    """Return a sentence for each unknown name of a placement."""
    rules = puzzle.solutions
    wrong = wrong_names("solutions.forbidden", rules.forbidden, placements, puzzle)
    return wrong + [sentence for names in rules.one_of for sentence in wrong_names("solutions.one_of", names, placements, puzzle)]


def _wrong_symmetries(puzzle: Puzzle) -> list[str]:
    """Return a sentence for each unknown name of a symmetry of the form."""
    rules = puzzle.solutions
    named = [("symmetric", rules.symmetric), *(("symmetric_outline", outline.under) for outline in rules.outlines)]
    if not any(names for _, names in named):
        return []
    known = [symmetry.name for symmetry in shape_symmetries(puzzle)]
    return [
        f"solutions.{key}: {name!r} is not a symmetry of the form{near_match(name, known)}"
        for key, names in named
        for name in names
        if name not in known
    ]


def _symmetries(puzzle: Puzzle, names: Sequence[str]) -> list[FormSymmetry]:
    """Return the symmetries of the form with some names."""
    return [symmetry for symmetry in shape_symmetries(puzzle) if symmetry.name in names] if names else []


def _of(placements: Placements, tiles: Iterable[str]) -> Flags:
    """Return which placements are placements of some tiles."""
    return np.isin(placements.tile, [i for i, tile in enumerate(placements.puzzle.tiles) if tile.name in tiles])


def _covering(placements: Placements) -> list[Longs]:
    """Return the placements that cover each atom of the form."""
    owners, numbers = placements.atoms.owners.astype(np.int64), placements.atoms.numbers
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=len(placements.puzzle.form.numbering.atoms)))
    return np.split(owners[order], ends[:-1])


def _of_places(placements: Placements) -> Iterator[_Item]:
    """Yield an item for each place of the place rules.

    If a place has exactly one atom more than tiles may meet there, and all are required, some placement must cover two of them.
    """
    covering, form = _covering(placements), placements.puzzle.form
    optional = frozenset(form.optional)
    layout = FormContacts(placements.puzzle)
    for place in (place for rule in placements.puzzle.solutions.of_places.values() for place in rule.places(layout)):
        there = [np.concatenate([covering[a] for a in atoms]) for atoms in place.sets]
        options, times = np.unique(np.concatenate(there), return_counts=True)
        through = np.zeros(len(options), dtype=np.bool_)
        for atoms in place.through:
            through |= (times == len(atoms)) & np.all([np.isin(options, covering[a]) for a in atoms], axis=0)
        covered = all(optional.isdisjoint(form.numbering.atoms[a] for a in atoms) for atoms in place.sets)
        high = CoverProblem.UNLIMITED if place.high is None else place.high
        if covered and place.low == 0 and [high + 1] == [*map(len, place.sets)]:
            yield _Item(place.name, options[(times > 1) | through], low=1, high=CoverProblem.UNLIMITED)
        else:
            meeting = np.all([np.isin(options, own) for own in there], axis=0)
            yield _Item(place.name, options[meeting & ~through], place.low, high)


def _apart(placements: Placements, tiles: frozenset[str], *, strictly: bool) -> Iterator[_Item]:
    """Yield an item for each side, and strictly for each corner, at which two placements of some tiles must not touch."""
    own, covering = _of(placements, tiles), _covering(placements)
    covering = [options[own[options]] for options in covering]
    names, group = placements.puzzle.form.numbering.atoms, " ".join(sorted(tiles))
    contacts = FormContacts(placements.puzzle)
    for a, b in contacts.touching(strictly=False):
        if len(options := np.setxor1d(covering[a], covering[b])) > 1:
            yield _Item(f"{group} between {names[a]} and {names[b]}", options)
    for point, there in contacts.corners().items() if strictly else ():
        if len(there) > 1 and len(options := np.unique(np.concatenate([covering[a] for a in there]))) > 1:
            yield _Item(f"{group} at {_shown(point)}", options)


def _shown(point: Point) -> str:
    return ",".join(map(str, point))


def _orbits(placements: Placements, symmetries: Sequence[FormSymmetry]) -> Longs:
    """Return the number of the orbit of each placement under the group that some symmetries generate.

    The number is -1 if an image is not a placement, or if two different images overlap: then the placement is in no symmetric solution.
    """
    marking = placements.marking

    def look(atoms: Iterable[int], marks: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(sorted(atoms)), tuple(sorted(marks))

    looks = [look(placements.atoms[p].tolist(), placements.marks[p].tolist()) for p in range(len(placements))]
    number = {row: i for i, row in enumerate(dict.fromkeys(looks))}
    images = []
    for symmetry in symmetries:
        there, marked = symmetry.atoms.tolist(), marking.moved(symmetry.atoms, symmetry.spots(marking.spots)).tolist()
        images.append([number.get(look((there[a] for a in atoms), (marked[m] for m in marks)), -1) for atoms, marks in number])
    atoms_of = [atoms for atoms, _ in number]
    orbit = np.full(len(number), -1, dtype=np.int64)
    seen = np.zeros(len(number), dtype=np.bool_)
    for first in range(len(number)):
        if seen[first]:
            continue
        members, rim = {first}, {first}
        while rim:
            rim = {image[i] for image in images for i in rim if i >= 0} - members
            members |= rim
        known = [i for i in members if i >= 0]
        seen[known] = True
        if -1 not in members and len({a for i in known for a in atoms_of[i]}) == sum(len(atoms_of[i]) for i in known):
            orbit[known] = first
    return orbit[[number[row] for row in looks]]


def _symmetric(
    placements: Placements, symmetry: FormSymmetry, name: str, own: Flags, atoms: Iterable[int], colours: Longs
) -> tuple[list[_Item], list[Condition]]:
    """Return an item for each orbit of atoms, so that placements of one colour cover the orbit.

    Only orbits within ``atoms`` are used. For an orbit with optional atoms, also return conditions that the placements ``own`` cover all
    of its atoms or none.
    """
    form, covering = placements.puzzle.form, _covering(placements)
    some, optional = set(atoms), frozenset(form.optional)
    items, conditions = [], []
    for cycle in cycles(symmetry.atoms):
        if len(cycle) == 1 or not some.issuperset(cycle):
            continue
        options = np.unique(np.concatenate([covering[a] for a in cycle]))
        items.append(_Item(f"{form.numbering.atoms[cycle[0]]} {name}", options, colours=colours[options]))
        for a, b in pairwise(cycle) if not optional.isdisjoint(form.numbering.atoms[a] for a in cycle) else ():
            weights = np.zeros(len(placements), dtype=np.int64)
            weights[covering[a]] += 1
            weights[covering[b]] -= 1
            weights[~own] = 0
            conditions.append(Condition(f"{form.numbering.atoms[a]} {name}", weights, 0, 0))
    return items, conditions


def _added(problem: CoverProblem, items: Sequence[_Item]) -> CoverProblem:
    """Return a problem with further items, which come after the others in each option."""
    first = len(problem.items)
    rows = np.concatenate([problem.rows, *(item.options for item in items)])
    item = np.concatenate([problem.item, *(np.full(len(rule_item.options), first + i) for i, rule_item in enumerate(items))])
    plain = [np.zeros(len(rule_item.options), dtype=np.int64) if rule_item.colours is None else rule_item.colours for rule_item in items]
    colour = np.concatenate([problem.colour, *plain])
    order = np.argsort(rows, kind="stable")
    nowhere = None if problem.centres is None else np.full((len(items), problem.centres.shape[1]), np.nan)
    return replace(
        problem,
        items=(*problem.items, *(rule_item.name for rule_item in items)),
        low=np.concatenate([problem.low, np.array([rule_item.low for rule_item in items])]).astype(np.int32),
        high=np.concatenate([problem.high, np.array([rule_item.high for rule_item in items])]).astype(np.int32),
        coloured=np.concatenate([problem.coloured, np.array([rule_item.colours is not None for rule_item in items])]),
        start=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=problem.size))]).astype(np.int32),
        item=item[order].astype(np.int32),
        colour=colour[order].astype(np.int32),
        centres=None if problem.centres is None or nowhere is None else np.concatenate([problem.centres, nowhere]),
    )
