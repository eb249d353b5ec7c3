"""Make the rules on solutions of the table ``[solutions]`` in a file, and report every problem at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from puzzlesat.base import PuzzleError, near_match
from puzzlesat.puzzles.grid import AtomId, Grid
from puzzlesat.puzzles.place_rules import NO_SEAMS, PLACE_RULES
from puzzlesat.puzzles.puzzle import Form, Holds, Instance, Outline, Puzzle, SolutionRules, Tile
from puzzlesat.puzzles.reading import nth_table, validated
from puzzlesat.puzzles.schema import ExpectTable, HoldsTable, SolutionsTable


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


def with_solution_rules(instance: Instance, rules: Mapping[str, Any]) -> Instance:
    """Return an instance with these keys of [solutions] instead of its own, and without expected counts.

    Raises PuzzleError with every problem found, naming the key.
    """
    puzzle = instance.puzzle
    table = validated(SolutionsTable, {**_stated(puzzle), **rules}, "solutions")
    solutions = solution_rules_from_table(puzzle.grid, puzzle.form, puzzle.tiles, table)
    file, written = instance.file, instance.written
    tables = None if written is None else {**written.puzzle, "solutions": {**written.puzzle.get("solutions", {}), **rules}}
    written = None if written is None or tables is None else replace(written, puzzle=tables)
    file = None if file is None else file.model_copy(update={"solutions": table, "expect": ExpectTable()}).saying(tables)
    return replace(instance, puzzle=replace(puzzle, solutions=solutions), expect=ExpectTable(), file=file, written=written)


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
