"""Make the rules on solutions of a table ``[solutions]``, and translate them into items and conditions of the cover problem.

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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from puzzlesat.base import Flags, Longs, PuzzleError, near_match
from puzzlesat.puzzles.contacts import FormContacts
from puzzlesat.puzzles.forms import rule_from_table
from puzzlesat.puzzles.grid import AtomId, Grid
from puzzlesat.puzzles.place_rules import NO_SEAMS, PLACE_RULES
from puzzlesat.puzzles.placements import Placements, numbers_of, wrong_names
from puzzlesat.puzzles.problem import Colouring, Condition, CoverProblem
from puzzlesat.puzzles.puzzle import Form, Holds, Instance, Outline, Puzzle, SolutionRules, Tile
from puzzlesat.puzzles.reading import nth_table, validated
from puzzlesat.puzzles.symmetry import FormSymmetry, cycles, shape_symmetries

if TYPE_CHECKING:
    from puzzlesat.puzzles.schema import HoldsTable, SolutionsTable


def solution_rules_from_table(grid: Grid, form: Form, tiles: Sequence[Tile], table: SolutionsTable) -> SolutionRules:
    """Return the rules that a [solutions] table describes. Raises PuzzleError with every problem found, naming the key."""
    wrong = _wrong_for_grid(grid, form, table)

    def named(key: str, names: Iterable[str] | Literal["all"]) -> frozenset[str]:
        try:
            return _tiles(tiles, names)
        except PuzzleError as error:
            wrong.extend(f"{key}: {problem}" for problem in error.problems)
            return frozenset()

    def held(number: int, holds: HoldsTable) -> Holds:
        low, high = holds.between or (holds.equals or 0, holds.equals or 0)
        try:
            atoms = _held_atoms(grid, form, holds)
        except PuzzleError as error:
            wrong.extend(f"{nth_table('solutions.holds', number)}: {problem}" for problem in error.problems)
            atoms = frozenset()
        return Holds(named(f"{nth_table('solutions.holds', number)}: tiles", holds.tiles), atoms, low, high)

    touch, inside = named("solutions.touch_border", table.touch_border), named("solutions.inside", table.inside)
    if both := sorted(touch & inside):
        wrong.append(f"solutions.inside: {both[0]!r} is in touch_border too; remove it from one")
    rules = SolutionRules(
        **_of_places(table),
        symmetric=tuple(table.symmetric),
        outlines=tuple(
            Outline(named(f"{nth_table('solutions.symmetric_outline', number)}: tiles", o.tiles), tuple(o.under))
            for number, o in enumerate(table.symmetric_outline)
        ),
        colours=table.colours,
        touch_border=touch,
        inside=inside,
        apart=tuple(named("solutions.apart", group) for group in table.apart),
        strictly=table.strictly,
        forbidden=tuple(table.forbidden),
        one_of=tuple(map(tuple, table.one_of)),
        holds=tuple(held(number, holds) for number, holds in enumerate(table.holds)),
    )
    if wrong:
        raise PuzzleError(*dict.fromkeys(wrong))
    return rules


def rules_by_name(table: SolutionsTable) -> SolutionRules:
    """Return only the rules that name placements and symmetries, whose names can be checked although other rules are wrong."""
    outlines = tuple(Outline(frozenset(), tuple(outline.under)) for outline in table.symmetric_outline)
    one_of = tuple(map(tuple, table.one_of))
    return SolutionRules(symmetric=tuple(table.symmetric), outlines=outlines, forbidden=tuple(table.forbidden), one_of=one_of)


def with_rules(instance: Instance, rules: Mapping[str, Any], *, condition: Mapping[str, Any] | None = None) -> Instance:
    """Return an instance with these keys of [solutions] instead of its own, one more table [[conditions]], and without expected counts.

    Raises PuzzleError with every problem found, naming the key.
    """
    from puzzlesat.puzzles.schema import ConditionTable, ExpectTable, SolutionsTable

    puzzle, file, written = instance.puzzle, instance.file, instance.written
    changes: dict[str, Any] = {"expect": ExpectTable()}
    tables = {} if written is None else dict(written.puzzle)
    if rules:
        changes["solutions"] = table = validated(SolutionsTable, {**_stated(puzzle), **rules}, "solutions")
        puzzle = replace(puzzle, solutions=solution_rules_from_table(puzzle.grid, puzzle.form, puzzle.tiles, table))
        tables["solutions"] = {**tables.get("solutions", {}), **rules}
    if condition is not None:
        stated = validated(ConditionTable, dict(condition), "conditions")
        changes["conditions"] = [*([] if file is None else file.conditions), stated]
        rule = rule_from_table(puzzle.grid, puzzle.form, {name for tile in puzzle.tiles for name in tile.members}, stated)
        puzzle = replace(puzzle, rules=(*puzzle.rules, rule))
        tables["conditions"] = [*tables.get("conditions", ()), dict(condition)]
    written = None if written is None else replace(written, puzzle=tables)
    file = None if file is None else file.model_copy(update=changes).saying(None if written is None else tables)
    return replace(instance, puzzle=puzzle, expect=changes["expect"], file=file, written=written)


def _stated(puzzle: Puzzle) -> dict[str, Any]:
    """Return the rules of a puzzle as a table [solutions]."""
    rules, members = puzzle.solutions, {t.name: t.members for t in puzzle.tiles}

    def names(tiles: Iterable[str]) -> list[str]:
        return sorted(member for tile in tiles for member in members[tile])

    def held(holds: Holds) -> dict[str, Any]:
        atoms = [puzzle.grid.ref(atom) for atom in sorted(holds.atoms)]
        return {"tiles": names(holds.tiles), "atoms": atoms, "between": [holds.low, holds.high]}

    return {
        **_of_places(rules),
        "symmetric": list(rules.symmetric),
        "symmetric_outline": [{"tiles": names(o.tiles), "under": list(o.under)} for o in rules.outlines],
        "colours": rules.colours,
        "touch_border": names(rules.touch_border),
        "inside": names(rules.inside),
        "apart": [names(group) for group in rules.apart],
        "strictly": rules.strictly,
        "forbidden": list(rules.forbidden),
        "one_of": [list(names_of_one) for names_of_one in rules.one_of],
        "holds": [held(holds) for holds in rules.holds],
    }


def _wrong_for_grid(grid: Grid, form: Form, table: SolutionsTable) -> list[str]:
    """Return a sentence for each rule that has no meaning on this grid, or on a form that wraps around."""
    wraps = form.wrap is not None
    stated = (key for key, value in _of_places(table).items() if value)
    wrong = [f"solutions.{key}: {sentence}" for key in stated for sentence in PLACE_RULES[key].no_meaning(grid, wraps)]
    of_symmetries = {"symmetric": table.symmetric, "symmetric_outline": table.symmetric_outline}
    return wrong + [f"solutions.{key}: {NO_SEAMS}" for key, value in of_symmetries.items() if wraps and value]


def _of_places(rules: SolutionsTable | SolutionRules) -> dict[str, Any]:
    """Return the value of each key of ``PLACE_RULES``."""
    return {key: getattr(rules, key) for key in PLACE_RULES}


def _tiles(tiles: Sequence[Tile], names: Iterable[str] | Literal["all"]) -> frozenset[str]:
    """Return the tiles of some names. Raises PuzzleError if only some of several identical tiles are named."""
    if names == "all":
        return frozenset(t.name for t in tiles)
    chosen = set(names)
    known = [member for tile in tiles for member in tile.members]
    wrong = [f"there is no tile {name!r}{near_match(name, known)}" for name in sorted(chosen - set(known))]
    for tile in tiles:
        if chosen & set(tile.members) and not chosen >= set(tile.members):
            missing = sorted(set(tile.members) - chosen)
            wrong.append(f"tiles {', '.join(tile.members)} are identical and count as copies; name {', '.join(missing)} too")
    if wrong:
        raise PuzzleError(*wrong)
    return frozenset(t.name for t in tiles if chosen & set(t.members))


def _held_atoms(grid: Grid, form: Form, holds: HoldsTable) -> frozenset[AtomId]:
    """Return the atoms of a table ``holds``."""
    if holds.colour is not None:
        found = frozenset(a for a, colour in form.colours.items() if colour == holds.colour)
        if not found:
            raise PuzzleError(f"colour: no atom of the form is {holds.colour!r}{near_match(holds.colour, {*form.colours.values()})}")
        return found
    with PuzzleError.at("atoms: "):
        named = grid.atoms_at(holds.atoms or [])
    if outside := named - form.atoms:
        raise PuzzleError(f"atoms: {grid.show(min(outside))} is not in the form; remove it")
    return frozenset(named)


# from rules to items and conditions ------------------------------------------------------------------------------------------


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


def add_solution_rules(problem: CoverProblem, puzzle: Puzzle, placements: Placements) -> CoverProblem:
    """Return the cover problem of a puzzle with the items and conditions of its rules on solutions."""
    rules = puzzle.solutions
    items = [*_at_places(placements)] if rules.of_places else []
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


def _at_places(placements: Placements) -> Iterator[_Item]:
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
            yield _Item(f"{group} at {','.join(map(str, point))}", options)


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
