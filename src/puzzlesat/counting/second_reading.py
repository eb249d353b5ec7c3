"""Read a puzzle a second time, by the checker's own reader, and compare the result with the cover problem of the program.

All solvers get placements, symmetries and rules from one front end (room ``puzzles``), so their agreement says nothing about it. The reader
of the checker (``checker.reading``) shares no code with it. The comparison is made on the cover problem that the solvers get: atoms and
marks of each option, marks that may meet, numbers of copies, fixed placements, weights of conditions, and the permutation of the options
by each symmetry.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from math import gcd
from random import Random
from time import monotonic
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Longs, Progress, Sentence, data_folder
from puzzlesat.checker import RebuiltPuzzle, Rejected, SolutionRule, StatedPuzzle, StatedRule, StatedTile, Statement, TooLarge, read_puzzle
from puzzlesat.puzzles import AtomId, BuiltInstance, Condition, CoverProblem, Instance

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SECOND_READER = "second reader"
"""The name of the second reader in disagreements."""
MAX_LAID = 150_000
"""Maximum number of placements for which all tiles are compared: the limit of the checker."""
MAX_SAMPLED = 50_000
"""Maximum number of placements in a sample of tiles, which is compared beyond that limit."""
MAX_MOVED = 20_000_000
"""Maximum number of placements times symmetries. Beyond it, symmetries are not compared."""

IMPORTED = (".xmpuzzle", ".xml")
"""Suffixes of files of other programs. Both readers read the result of one import."""
Item = tuple[frozenset[int], int, int]
"""Options, and the minimum and maximum number of them in a solution."""
Look = tuple[int, frozenset[AtomId], frozenset[tuple[AtomId, AtomId, str]]]
"""The tile number (in the program) of a placement, its atoms and its marks."""


@dataclass(frozen=True)
class SecondReading:
    """The result of the second reader for a puzzle."""

    differences: tuple[str, ...] = ()
    """The differences from the reading of the program, a sentence each."""
    once: tuple[str, ...] = ()
    """Aspects of the puzzle that were not compared, in a few words each."""
    imported: bool = False
    """True if both readers read the result of one import of another program's file."""
    turns: int | None = None
    """Number of ways to rotate the pieces of a solution in place so that each looks the same; None if not known."""
    why: str | None = None
    """The reason why the puzzle was not read twice, in a sentence; None if it was."""
    seconds: float = 0.0
    after: float | None = None
    """Seconds from the beginning of the work on the puzzle to this result."""

    @property
    def alike(self) -> bool | None:
        """True if both readings are equal; None if the puzzle was read once."""
        return None if self.why is not None and not self.differences else not self.differences

    @property
    def words(self) -> str:
        """A sentence on the second reading; it must not differ from the first."""
        if self.why is not None:
            return Sentence("the puzzle was read once: {why}", why=self.why)
        if self.once:
            return Sentence("two independent readings of the puzzle agree, except for {what}", what=Sentence.joined(self.once))
        return Sentence("two independent readings of the puzzle agree")

    def as_json(self) -> dict[str, Any]:
        """Return the result as a plain dictionary."""
        after = None if self.after is None else round(self.after, 3)
        lists = {"differences": list(self.differences), "once": list(self.once)}
        return {"alike": self.alike, **lists, "why": self.why, "after": after}


def read_twice(built: BuiltInstance, progress: Progress = SILENT) -> SecondReading:
    """Read the tables of a puzzle again, by code that shares nothing with the first reader, and compare.

    Raises the exceptions of ``progress``.
    """
    began, tell = monotonic(), progress.of("second reading")

    def go_on() -> None:
        tell({"placements": len(built.placements)})

    if built.instance.written is None:
        return SecondReading(why=Sentence("it was made in Python, not read from tables"))
    try:
        with progress.overseen():
            stated = _stated(built.instance)
            second = read_puzzle(stated.puzzle, wide=True)
            found = _compared(built, stated, second, go_on)
    except TooLarge as error:
        found = SecondReading(why=Sentence("it is too large for the second reader: {error}", error=str(error)))
    except Rejected as error:
        found = SecondReading((Sentence("the second reader rejects it: {error}", error=str(error)),))
    return replace(found, seconds=monotonic() - began)


def placements_again(built: BuiltInstance, go_on: Callable[[], object]) -> tuple[RebuiltPuzzle, Longs] | None:
    """Return the puzzle of the second reader, and the option of each of its placements; None if its placements are others or a sample."""
    if built.instance.written is None:
        return None
    stated = _stated(built.instance)
    pair = _Pair(built, stated, read_puzzle(stated.puzzle, wide=True), go_on)
    return None if pair.sampled or pair.of_placements() else (pair.rebuilt, pair.number)


def _stated(instance: Instance) -> Statement:
    """Return the statement of a puzzle from its files, by the second reader."""
    written = instance.written
    assert written is not None
    more = {name: tomllib.loads(text) for name, text in written.files.items()}
    puzzle = _without_nothing(written.puzzle)
    # the name of a file is replaced: it may have characters that are not allowed in a certificate, and it is not compared
    return Statement.near(puzzle, written.path, data_folder("models"), more, SECOND_READER)


def _without_nothing(value: Any) -> Any:
    """Return tables without the keys whose value is None (null in JSON): TOML has no such value, and it means that the key is missing."""
    if isinstance(value, list):
        return [_without_nothing(inside) for inside in value]
    return {key: _without_nothing(inside) for key, inside in value.items() if inside is not None} if isinstance(value, dict) else value


def _compared(built: BuiltInstance, stated: Statement, second: StatedPuzzle, go_on: Callable[[], object]) -> SecondReading:
    found = [*_of_form(built, second), *_of_tiles(built, stated, second)]
    if found:  # the rest of the comparison needs equal forms and tiles
        return SecondReading(tuple(found))
    pair = _Pair(built, stated, second, go_on)
    found += pair.of_placements()
    if found:
        return SecondReading(tuple(found))
    found += [*pair.of_items(), *pair.of_marks(), *pair.of_conditions(), *pair.of_rules(), *pair.of_symmetric(), *pair.of_colouring()]
    found += [] if pair.sampled else pair.of_fixed()
    large = pair.sampled or len(pair.ours) * len(pair.problem.symmetries) > MAX_MOVED
    found += [] if large else pair.of_symmetries(go_on)
    once = [Sentence("the placements of {n} tiles", n=str(len(second.tiles) - len(pair.laid)))] if pair.sampled else []
    once += [Sentence("its symmetries")] if large else []
    written = built.instance.written
    imported = written is not None and written.path.suffix.lower() in IMPORTED
    once += [Sentence("the import of its file")] if imported else []
    return SecondReading(tuple(found), (*once, *pair.once), imported, _turns_alike(stated, second))


def _of_form(built: BuiltInstance, second: StatedPuzzle) -> Iterator[str]:
    """Compare the atoms of the form, their colours, and the atoms of the split."""
    form, split, home = built.puzzle.form, built.puzzle.split, second.surface.home
    template = "the atoms of the form ({what}): the second reader has {theirs}, the program {ours}"
    for what, ours, theirs in (
        ("required", form.required, second.required),
        ("optional", form.optional, second.optional),
        ("split", () if split is None else split.atoms, second.keep),
    ):
        if sorted(map(home, ours), key=str) != sorted(theirs, key=str):
            yield Sentence(template, what=Sentence(what), theirs=str(len(theirs)), ours=str(len(ours)))
    if {home(atom): colour for atom, colour in form.colours.items()} != dict(second.coloured):
        yield Sentence("the colours of the form differ")


def _of_tiles(built: BuiltInstance, stated: Statement, second: StatedPuzzle) -> Iterator[str]:
    """Compare which tiles are identical, the copies of each tile, and its number of orientations."""
    ours = {frozenset(tile.members): Counter(map(tuple, tile.ranges)) for tile in built.puzzle.tiles}
    theirs = {frozenset(own): Counter(tile.copies) for own, tile in zip(stated.members, second.tiles, strict=True)}
    for members in sorted({*ours, *theirs}, key=sorted):
        if ours.get(members) != theirs.get(members):
            yield Sentence("tile {tile}: the readers differ in its copies, or in which tiles are identical with it", tile=min(members))
    turns = {name: len(own) for tile in built.puzzle.tiles if not tile.listed for name, own in zip(tile.members, tile.turns, strict=True)}
    for name, tile, _ in _pieces(stated, second):
        if not tile.listed and turns.get(name) != second.count_turns(tile):
            yield Sentence("tile {tile}: the readers differ in its turns and flips", tile=name)


def _pieces(stated: Statement, second: StatedPuzzle) -> Iterator[tuple[str, StatedTile, tuple[int, int]]]:
    """Yield the pieces of the file: name, tile with its own symmetries, and range of copies. Identical pieces are not joined."""
    for names, of_each, tile in zip(stated.members, stated.turns, second.tiles, strict=True):
        for name, symmetries, copies in zip(names, of_each, tile.ranges, strict=True):
            further = second.grid.of_balls and len(symmetries) > 1
            yield name, replace(tile, symmetries=symmetries, in_its_plane=further), copies


def _turns_alike(stated: Statement, second: StatedPuzzle) -> int | None:
    """Return the number of ways to rotate the pieces of a solution in place so that each looks the same.

    None if the number of copies of a piece varies, and for balls in a row: they can be rotated about it by any angle.
    """
    ways = 1
    for _, tile, (low, high) in _pieces(stated, second):
        if low != high or (tile.in_its_plane and _in_a_row(sorted(tile.look[0]))):
            return None
        if not tile.listed:
            looks = second.looks(tile)
            ways *= looks.count(looks[0]) ** low
    return ways


def _in_a_row(balls: Sequence[AtomId]) -> bool:
    """Return whether balls lie in a row; the first of them must be at an end."""
    steps = [tuple(a - b for a, b in zip(ball[:-1], balls[0][:-1], strict=True)) for ball in balls[1:]]
    return len({tuple(x // gcd(*step) for x in step) for step in steps}) < 2


def _cycles(second: StatedPuzzle, number: int, atoms: Sequence[AtomId]) -> list[list[AtomId]]:
    """Return the cycles of a symmetry on the atoms of a form."""
    found: list[list[AtomId]] = []
    seen: set[AtomId] = set()
    for atom in atoms:
        cycle = []
        while atom not in seen:
            seen.add(atom)
            cycle.append(atom)
            ((atom,), _) = second.surface.turned(number, (frozenset([atom]), frozenset()))
        found += [cycle] if cycle else []
    return found


def _sample(sizes: list[int]) -> list[int]:
    """Return the numbers of all tiles; if their placements are too many, a random sample of tiles with a fixed seed."""
    everything = list(range(len(sizes)))
    if sum(sizes) <= MAX_LAID:
        return everything
    chosen: list[int] = []
    for tile in Random(sum(sizes)).sample(everything, len(everything)):
        if sum(sizes[t] for t in (*chosen, tile)) <= MAX_SAMPLED:
            chosen.append(tile)
    return sorted(chosen)


class _Pair:
    """The cover problem of the program and the puzzle of the second reader, with a mapping between their numbers."""

    def __init__(self, built: BuiltInstance, stated: Statement, second: StatedPuzzle, go_on: Callable[[], object]) -> None:
        self.built, self.second, self.problem = built, second, built.problem
        members = {frozenset(tile.members): number for number, tile in enumerate(built.puzzle.tiles)}
        self.tiles = [members[frozenset(own)] for own in stated.members]
        """The number in the program of each tile of the second reader."""
        self.laid = _sample(np.bincount(built.placements.tile, minlength=len(self.tiles))[self.tiles].tolist())
        """The tiles to compare: all, or a sample if there are too many placements."""
        self.sampled = len(self.laid) < len(self.tiles)
        if self.sampled and any(isinstance(rule, SolutionRule) and rule.kind == "symmetric" for rule in second.rules):
            raise TooLarge("its tiles look the same together after a symmetry, so no placement can be left out")
        laid = replace(second, tiles=tuple(second.tiles[t] for t in self.laid), fixed=()) if self.sampled else second
        self.rebuilt = RebuiltPuzzle(laid, go_on)
        self.theirs: list[Look] = [(self.tiles[self.laid[p.tile]], *p.look) for p in self.rebuilt.placements]
        self.atoms: list[AtomId] = [second.surface.home(atom) or atom for atom in built.puzzle.form.numbering.atoms]
        """The atoms of the form in the order of the program, by the names of the second reader: one name for atoms that seams join."""
        self._required = frozenset(second.required)
        self.once: list[str] = []
        """Aspects that are not compared."""
        self.number_of: dict[Look, int] = {}
        self.number: Longs = np.empty(0, dtype=np.int64)
        """The option of each placement of the second reader. ``of_placements`` fills this and ``number_of`` if it finds no difference."""

    @cached_property
    def ours(self) -> list[Look]:
        """The atoms and marks of the program's options, by the names of the second reader: it has one name for equal marks."""
        names, placed, surface = self.atoms, self.built.placements, self.second.surface
        codes = placed.marks.numbers.tolist()
        marks = {code: placed.marking.mark(code) for code in set(codes)}
        settled = {code: surface.settled(mark.side, mark.face, mark.name) for code, mark in marks.items()}
        atoms = [names[a] for a in placed.atoms.numbers.tolist()]
        of_atoms, of_marks = pairwise(placed.atoms.start.tolist()), pairwise(placed.marks.start.tolist())
        return [
            (tile, frozenset(atoms[a:b]), frozenset(settled[code] for code in codes[c:d]))
            for tile, (a, b), (c, d) in zip(placed.tile.tolist(), of_atoms, of_marks, strict=True)
        ]

    def of_placements(self) -> list[str]:
        """Compare the placements: return sentences on those that only one reader has, or that occur twice."""
        compared = {self.tiles[t] for t in self.laid}
        ours, theirs = [look for look in self.ours if look[0] in compared], self.theirs
        number = {look: o for o, look in enumerate(self.ours) if look[0] in compared}
        found: list[str] = []
        if len(number) < len(ours) or len(set(theirs)) < len(theirs):
            found.append(Sentence("a placement occurs twice"))
        if number.keys() != set(theirs):
            alone, lost = number.keys() - set(theirs), set(theirs) - number.keys()
            template = "placements: the second reader has {theirs}, the program {ours}; {n} differ, such as {name}"
            first = min(number[look] for look in alone) if alone else None
            name = self._shown(min(lost, key=str)) if first is None else self.built.placements.names[first]
            found.append(Sentence(template, theirs=str(len(theirs)), ours=str(len(ours)), n=str(len(alone) + len(lost)), name=name))
        if not found:
            self.number_of = number
            self.number = np.array([number[look] for look in theirs], dtype=np.int64)
        return found

    def _shown(self, look: Look) -> str:
        cells = " ".join(",".join(map(str, atom[:-1])) for atom in sorted(look[1]))
        return f"{self.built.puzzle.tiles[look[0]].name} on {cells}"

    def of_items(self) -> Iterator[str]:
        """Compare the items that an option covers in the cover problem, and the bounds of the items."""
        problem, atoms, tiles = self.problem, self.atoms, self.built.puzzle.tiles
        place = {atom: item for item, atom in enumerate(atoms)}
        bounds = [(int(a in self._required), 1) for a in atoms] + [(0, 0)] * len(tiles)
        for tile_number, tile in zip(self.tiles, self.second.tiles, strict=True):
            bounds[len(atoms) + tile_number] = tile.low, CoverProblem.UNLIMITED if tile.unlimited else tile.high
        if [(int(low), int(high)) for low, high in zip(problem.low, problem.high, strict=True)][: len(bounds)] != bounds:
            yield Sentence("the readers differ in how often an atom or a tile must be covered")
        items, start = problem.item.tolist(), problem.start.tolist()
        for (number, covered, _), (begin, end) in zip(self.ours, pairwise(start), strict=True):
            own = sorted(item for item in items[begin:end] if item < len(bounds))
            if own != [*sorted(place[a] for a in covered), len(atoms) + number]:
                yield Sentence("an option covers other atoms than its placement")
                return

    @cached_property
    def options_of_atom(self) -> dict[AtomId, list[int]]:
        """The options that cover each atom."""
        found: dict[AtomId, list[int]] = {}
        for o, (_, covered, _) in enumerate(self.ours):
            for atom in covered:
                found.setdefault(atom, []).append(o)
        return found

    def of_marks(self) -> Iterator[str]:
        """Compare the marks that may meet on each side."""
        shown: dict[AtomId, dict[tuple[AtomId, str], list[int]]] = {}
        for o, (_, _, marks) in enumerate(self.ours):
            for side, face, name in marks:
                if side != face:
                    shown.setdefault(side, {}).setdefault((face, name), []).append(o)
        first = len(self.built.puzzle.form.atoms) + len(self.built.puzzle.tiles)
        items: dict[frozenset[int], list[int]] = {}
        for item in range(first, self.built.first_rule_item):
            items.setdefault(frozenset(self.problem.options_of[item].tolist()), []).append(item)
        for side, here in shown.items():
            options = frozenset(o for some in here.values() for o in some)
            if len({face for face, _ in here}) > 1 and not any(self._meet_alike(here, item) for item in items.get(options, ())):
                yield Sentence("the readers differ in which marks may meet at {side}", side=str(side))
                return

    def _meet_alike(self, here: dict[tuple[AtomId, str], list[int]], item: int) -> bool:
        """Return whether the colours of an item let exactly those marks meet that may meet by the second reader."""
        colour_of = self._colour_of(item)
        colours = {mark: {colour_of[o] for o in options} for mark, options in here.items()}
        plain = self.problem.coloured[item] and (self.problem.low[item], self.problem.high[item]) == (0, 1)
        if any(len(some) > 1 for some in colours.values()) or not plain:
            return False
        pairs = ((one, other) for one in here for other in here if one[0] != other[0])
        return all((colours[one] == colours[other]) == (self.second.mates[one[1]] == other[1]) for one, other in pairs)

    def _colour_of(self, item: int) -> dict[int, int]:
        """Return the colour that each option gives an item."""
        entries = self.problem.entries_of[item]
        return dict(zip(self.problem.rows[entries].tolist(), self.problem.colour[entries].tolist(), strict=True))

    def of_fixed(self) -> list[str]:
        """Compare the fixed placements."""
        theirs = {self.number_of.get((self.tiles[tile], *look)) for tile, look in self.second.fixed}
        return [] if theirs == set(self.problem.forced) else [Sentence("the fixed placements differ")]

    def of_conditions(self) -> Iterator[str]:
        """Compare the weights and bounds of the linear conditions."""
        conditions = {c.name: c for c in self.problem.conditions[: len(self.built.puzzle.rules)]}
        rules = {rule.name: rule for rule in self.second.rules if isinstance(rule, StatedRule)}
        for name in sorted({*conditions, *rules}):
            if name not in conditions or name not in rules or not self._weigh_alike(conditions[name], rules[name]):
                yield Sentence("the condition {name} differs", name=name)

    def _weigh_alike(self, ours: Condition, theirs: StatedRule) -> bool:
        bounds = [(rule.low, rule.high, rule.modulus, rule.residue) for rule in (ours, theirs)]
        of_tiles = {number: theirs.tiles.get(tile.name, 0) for number, tile in zip(self.tiles, self.second.tiles, strict=True)}
        weights = [sum(theirs.atoms.get(a, 0) for a in covered) + of_tiles[tile] for tile, covered, _ in self.ours]
        return bounds[0] == bounds[1] and ours.weights.tolist() == weights

    def of_rules(self) -> list[str]:
        """Compare the items that express rules on solutions."""
        theirs: set[Item] = set()
        for rule in self.second.rules:
            if isinstance(rule, SolutionRule) and rule.late and rule.kind not in ("colours", "symmetric", "symmetric outline"):
                if (items := self._items_of(rule)) is None:
                    self.once.append(Sentence("a rule: {rule}", rule=rule.kind))
                else:
                    theirs |= items
        problem = self.problem
        plain = [i for i in range(self.built.first_rule_item, len(problem.items)) if not problem.coloured[i]]
        ours = {(frozenset(problem.options_of[i].tolist()), int(problem.low[i]), int(problem.high[i])) for i in plain}
        return [] if ours == theirs else [Sentence("the rules on solutions differ")]

    def _items_of(self, rule: SolutionRule) -> set[Item] | None:
        """Return the items that express a rule; None if items cannot express it."""
        surface, own = self.second.surface, self._of(rule.tiles)
        if (places := rule.places(surface)) is not None:
            return {self._at_place(*place) for place in places}
        if rule.kind == "apart":
            apart = [self._covering([a], own) ^ self._covering([b], own) for a, b in surface.sides]
            apart += [self._covering(point, own) for point in surface.round_points if rule.corners]
            return {(some, 0, 1) for some in apart if len(some) > 1}
        if rule.kind == "one of" and not self.sampled:
            tiles = {tile.name: number for number, tile in zip(self.tiles, self.second.tiles, strict=True)}
            looks = [(tiles[name], *look) for name, look in rule.placements]
            # another rule may exclude some placements of this one
            return {(frozenset(self.number_of[look] for look in looks if look in self.number_of), 1, CoverProblem.UNLIMITED)}
        return None

    def _at_place(self, sets: tuple[frozenset[AtomId], ...], least: int, most: int | None, straight: frozenset[frozenset[AtomId]]) -> Item:
        """Return the item that bounds the number of pieces at a place.

        If the place has just one atom more than pieces may meet there, and all are required, the item says instead that some piece covers
        two of these atoms or passes straight through.
        """
        first, *others = sets
        here = {o: self.ours[o][1] & first.union(*others) for o in self._covering(first)}
        if not others and least == 0 and len(first) - 1 == most and first <= self._required:
            return frozenset(o for o, own in here.items() if len(own) > 1 or own in straight), 1, CoverProblem.UNLIMITED
        meeting = (o for o, own in here.items() if own not in straight and not any(own.isdisjoint(some) for some in others))
        return frozenset(meeting), least, CoverProblem.UNLIMITED if most is None else most

    def _of(self, names: Iterable[str]) -> frozenset[int]:
        """Return the numbers of the tiles with these names."""
        return frozenset(number for number, tile in zip(self.tiles, self.second.tiles, strict=True) if tile.name in names)

    def _covering(self, atoms: Iterable[AtomId], tiles: frozenset[int] | None = None) -> frozenset[int]:
        """Return the options (of some tiles, or of all) that cover any of the atoms."""
        options = (o for a in atoms for o in self.options_of_atom.get(a, ()))
        return frozenset(o for o in options if tiles is None or self.ours[o][0] in tiles)

    def of_symmetric(self) -> list[str]:
        """Compare the rules that something looks the same after a symmetry: their coloured items and their conditions."""
        problem, theirs, balanced = self.problem, set[frozenset[frozenset[int]]](), set[bytes]()
        for rule in self.second.rules:
            if isinstance(rule, SolutionRule) and rule.kind in ("symmetric", "symmetric outline"):
                for number in rule.symmetries:
                    coloured, conditions = self._alike(rule, number)
                    theirs |= coloured
                    balanced |= conditions
        ours = set()
        for item in range(self.built.first_rule_item, len(problem.items)):
            if problem.coloured[item]:
                of_colour: dict[int, set[int]] = {}
                for o, colour in self._colour_of(item).items():
                    of_colour.setdefault(colour, set()).add(o)
                ours.add(frozenset(map(frozenset, of_colour.values())))
        own_conditions = [c for c in problem.conditions[len(self.built.puzzle.rules) :] if not c.implied]
        plain = all((c.low, c.high, c.modulus) == (0, 0, 0) for c in own_conditions)
        if plain and ours == theirs and {c.weights.astype(np.int64).tobytes() for c in own_conditions} == balanced:
            return []
        return [Sentence("the readers differ in what must look the same after a symmetry")]

    def _alike(self, rule: SolutionRule, number: int) -> tuple[set[frozenset[frozenset[int]]], set[bytes]]:
        """Return the coloured items and the weights of conditions that express a rule for one symmetry.

        Along each cycle of atoms, the options are grouped by the property that must be the same. The weights of each condition must add
        up to 0.
        """
        own, kinds = self._of(rule.tiles), self.second.grid.kinds
        of_outline, faces = rule.kind == "symmetric outline", {a for a in self.atoms if kinds[a[-1]] == kinds[0]}
        coloured, balanced = set(), set()
        for cycle in _cycles(self.second, number, self.atoms):
            if len(cycle) == 1 or (of_outline and not faces.issuperset(cycle)):
                continue
            classes: dict[object, set[int]] = {}
            for o in self._covering(cycle):
                colour: object = self.ours[o][0] in own if of_outline else self._orbit_of(o, rule)
                classes.setdefault(colour, set()).add(o)
            coloured.add(frozenset(map(frozenset, classes.values())))
            for a, b in pairwise(cycle) if not self._required.issuperset(cycle) else ():
                weights = np.zeros(len(self.ours), dtype=np.int64)
                weights[[*self._covering([a], own if of_outline else None)]] += 1
                weights[[*self._covering([b], own if of_outline else None)]] -= 1
                balanced.add(weights.tobytes())
        return coloured, balanced

    def _orbit_of(self, option: int, rule: SolutionRule) -> frozenset[object]:
        """Return the images of an option under the group that the symmetries of a rule generate."""
        orbit = rim = {self.ours[option][1:]}
        while rim:
            rim = {self.second.surface.turned(number, look) for look in rim for number in rule.symmetries} - orbit
            orbit = orbit | rim
        return frozenset(orbit)

    def of_colouring(self) -> list[str]:
        """Compare the number of colours, and the pairs of atoms whose tiles must differ in colour."""
        surface, atoms = self.second.surface, self.atoms
        theirs: tuple[int, set[frozenset[AtomId]]] | None = None
        for rule in self.second.rules:
            if isinstance(rule, SolutionRule) and rule.kind == "colours":
                meeting = {frozenset(pair) for pair in surface.sides}
                meeting |= {frozenset(pair) for point in surface.round_points if rule.corners for pair in combinations(point, 2)}
                theirs = rule.colours, meeting
        colouring = self.problem.colouring
        pairs = None if colouring is None else {frozenset(atoms[i] for i in pair) for pair in colouring.pairs.tolist()}
        ours = None if colouring is None else (colouring.colours, pairs)
        return [] if ours == theirs else [Sentence("the readers differ in which tiles must have different colours")]

    @property
    def _motions_do_the_same(self) -> bool:
        """True if a rule names a motion, and the form is so flat that different motions act on it in the same way.

        The checker distinguishes such motions. It then finds fewer symmetries than the program, but no wrong one.
        """
        named = any(isinstance(rule, SolutionRule) and rule.kind in ("symmetric", "symmetric outline") for rule in self.second.rules)
        cells = np.array([atom[:-1] for atom in self.atoms])
        return named and int(np.linalg.matrix_rank(cells - cells[0])) < self.second.grid.dimension

    def of_symmetries(self, go_on: Callable[[], object]) -> list[str]:
        """Compare the symmetries as a multiset of permutations of the options."""
        theirs = Counter[bytes]()
        for motion in self.rebuilt.motions():
            if motion.kept:
                image = np.empty(len(self.number), dtype=np.int64)
                image[self.number] = self.number[motion.permutation]
                theirs[image.tobytes()] += 1
        images = self.problem.images
        rows = [np.arange(len(self.number))] if images is None else images
        ours = Counter(row.astype(np.int64).tobytes() for row in rows)
        if ours == theirs or (self._motions_do_the_same and theirs.keys() <= ours.keys()):
            return []
        template = "symmetries: the second reader finds {theirs}, the program {ours}, and {n} are the same"
        return [Sentence(template, theirs=str(theirs.total()), ours=str(ours.total()), n=str((ours & theirs).total()))]
