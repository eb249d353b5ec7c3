"""The puzzle as plain data, between the files and the placements; and the instance: a puzzle with its name, source and expected counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlesat.base import Displayed, Sentence, listed, many
from puzzlesat.puzzles.grid import AtomId, Grid, Symmetry, atom_order, translate
from puzzlesat.puzzles.lattice import inverse, multiply
from puzzlesat.puzzles.place_rules import PLACE_RULES, PlaceRule
from puzzlesat.puzzles.schema import ExpectTable, InstanceFile
from puzzlesat.puzzles.wrap import Numbering, Wrap, number_atoms

LATER = {"later": True}
"""Metadata of a newer field: at its default it is left out of fingerprints, which therefore stay the same."""


@dataclass(frozen=True, order=True)
class Mark:
    """A mark on the side ``side`` of the face ``face``, or a colour of an atom: then ``side`` and ``face`` are that atom."""

    side: AtomId
    face: AtomId
    name: str

    @property
    def is_colour(self) -> bool:
        """Whether it is a colour of an atom, not a mark on a side."""
        return self.side == self.face


Body = tuple[tuple[AtomId, ...], tuple[Mark, ...]]
"""Atoms and marks."""


@dataclass(frozen=True)
class Tile:
    """A piece in its base position, with its copies and the symmetries of the grid that may be applied to it."""

    name: str
    atoms: tuple[AtomId, ...]
    marks: tuple[Mark, ...]
    low: int
    high: int | None
    """Most copies that may be used; None: any number."""
    symmetries: tuple[int, ...]
    """Indices into ``grid.motions``."""
    members: tuple[str, ...]
    """Names in the file of the identical tiles that were joined into this one."""
    ranges: tuple[tuple[int, int | None], ...]
    """Fewest and most copies of each member; ``low`` and ``high`` are their sums."""
    listed: tuple[tuple[AtomId, ...], ...] = field(default=(), metadata=LATER)
    """The atoms of each placement, where the file lists them: then it lies so and in no other way, and ``atoms`` are those of the first."""
    outlines: tuple[tuple[tuple[float, float], ...], ...] = field(default=(), compare=False)
    """How each listed placement is drawn, by its corners in lattice coordinates, where the file says so."""
    colour: str | None = field(default=None, compare=False)
    """The colour that the file gives it; what is only seen is in no comparison and no fingerprint."""
    symmetries_of: tuple[tuple[int, ...], ...] = field(default=(), metadata=LATER)
    """The symmetries of each member, where the members differ in them; ``symmetries`` are those of the first."""

    @property
    def bodies(self) -> tuple[tuple[AtomId, ...], ...]:
        """What it may look like before it is turned or moved: its atoms, or those of each placement that is listed."""
        return self.listed or (self.atoms,)

    @property
    def turns(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries of each member."""
        return self.symmetries_of or (self.symmetries,) * len(self.members)

    @property
    def supply(self) -> tuple[tuple[int, int | None], ...]:
        """What two tiles must have in common if a symmetry exchanges them: the copies of all members.

        Members used a fixed number of times are as good as one with as many copies; ranges must be the same one by one, for
        else the labelled solutions of the two could not be paired.
        """
        if self.low == self.high:
            return ((self.low, self.high),)
        return tuple(sorted(self.ranges, key=lambda r: (r[0], r[1] is None, r[1] or 0)))

    def transform(self, motion: Symmetry) -> Body | None:
        """Return atoms and marks of a turned or mirrored tile, moved so that its smallest coordinates are 0; None if it leaves the grid."""
        atoms = [motion(a) for a in self.atoms]
        home = tuple(-min(a[i] for a in atoms) for i in range(len(atoms[0]) - 1))

        def settled(atom: AtomId) -> AtomId | None:
            return motion.on_grid(translate(atom, home))

        moved = [a for a in map(settled, atoms) if a is not None]
        if len(moved) < len(atoms):
            return None
        marks = [Mark(side, face, m.name) for m in self.marks if (side := settled(motion(m.side))) and (face := settled(motion(m.face)))]
        return tuple(sorted(moved, key=atom_order)), tuple(sorted(marks))


@dataclass(frozen=True)
class Form:
    """The region to fill: atoms that must be covered and atoms that may be, both in the order of the form."""

    required: tuple[AtomId, ...]
    optional: tuple[AtomId, ...]
    colours: Mapping[AtomId, str] = field(default_factory=dict)
    """Colours of some of its atoms."""
    wrap: Wrap | None = None
    """How it wraps around, if it does; its atoms are then representatives of theirs."""

    @cached_property
    def atoms(self) -> frozenset[AtomId]:
        """All atoms, required and optional."""
        return frozenset(self.required) | frozenset(self.optional)

    @cached_property
    def numbering(self) -> Numbering:
        """Its atoms by number, in the order of the form."""
        return number_atoms(tuple(self.atoms), self.wrap)

    def locate(self, atom: AtomId) -> AtomId | None:
        """Return the atom of the form that an atom of the infinite grid is; None where it lies outside."""
        home = atom if self.wrap is None else self.wrap.locate(atom)
        return home if home in self.atoms else None

    def locate_mark(self, mark: Mark) -> Mark:
        """Return a mark as the form has it: a mark on a seam belongs to one side, from wherever it is seen."""
        if self.wrap is None:
            return mark
        if mark.is_colour:
            home = self.wrap.locate(mark.face) or mark.face
            return Mark(home, home, mark.name)
        return Mark(*self.wrap.locate_side(mark.side, mark.face), mark.name)

    def neighbours(self, grid: Grid, atom: AtomId) -> list[AtomId]:
        """Return the atoms of the form that share a side with one of it (itself too, where it wraps around so narrowly)."""
        return [home for other in grid.neighbours(atom) if (home := self.locate(other)) is not None]


@dataclass(frozen=True)
class Rule:
    """A side condition of the puzzle: Σ weight(placement) lies in [low, high], or ≡ residue mod modulus if that is not 0."""

    name: str
    atoms: dict[AtomId, int]
    tiles: dict[str, int]
    low: int
    high: int
    modulus: int = 0
    residue: int = 0


@dataclass(frozen=True)
class Outline:
    """The tiles ``tiles`` together look the same after each of some symmetries of the form, by their names."""

    tiles: frozenset[str]
    under: tuple[str, ...]


@dataclass(frozen=True)
class Holds:
    """Each tile of ``tiles`` covers between ``low`` and ``high`` of some atoms of the form."""

    tiles: frozenset[str]
    atoms: frozenset[AtomId]
    low: int
    high: int


if TYPE_CHECKING:
    _PlaceRules = object
else:
    _PlaceRules = make_dataclass("_PlaceRules", [(key, bool, field(default=False)) for key in PLACE_RULES], frozen=True)


@dataclass(frozen=True)
class SolutionRules(_PlaceRules):
    """What a solution must fulfil beside covering the form: rules about how its tiles lie.

    Tiles are named as in ``Tile.name``.
    """

    symmetric: tuple[str, ...] = ()
    """Names of symmetries of the form after which the placements look the same."""
    outlines: tuple[Outline, ...] = ()
    colours: int | None = None
    """Number of colours with which the tiles can be coloured such that touching tiles differ."""
    touch_border: frozenset[str] = frozenset()
    """Tiles that touch the border."""
    inside: frozenset[str] = frozenset()
    """Tiles that do not touch the border."""
    apart: tuple[frozenset[str], ...] = ()
    """Sets of tiles that do not touch others of the set, nor copies of themselves."""
    strictly: bool = False
    """Whether, for ``apart`` and ``colours``, tiles touch that share a corner alone."""
    forbidden: tuple[str, ...] = ()
    """Names of placements that are not used."""
    one_of: tuple[tuple[str, ...], ...] = ()
    """Names of placements, at least one of which is used."""
    holds: tuple[Holds, ...] = ()

    def __bool__(self) -> bool:
        return self != SolutionRules()

    @property
    def of_places(self) -> Mapping[str, PlaceRule]:
        """The rules of ``PLACE_RULES`` that there are."""
        return {key: rule for key, rule in PLACE_RULES.items() if getattr(self, key)}

    @property
    def name_placements(self) -> bool:
        """Whether they hold for the form as it lies alone, for they name placements or symmetries of it."""
        return bool(self.symmetric or self.outlines or self.forbidden or self.one_of)

    def parted(self, members: Mapping[str, Sequence[str]]) -> SolutionRules:
        """Return the rules where each tile is parted into others, by their names; such as name placements are left alone."""

        def parts(names: Iterable[str]) -> frozenset[str]:
            return frozenset(part for name in names for part in members[name])

        return replace(
            self,
            outlines=tuple(replace(outline, tiles=parts(outline.tiles)) for outline in self.outlines),
            touch_border=parts(self.touch_border),
            inside=parts(self.inside),
            apart=tuple(map(parts, self.apart)),
            holds=tuple(replace(holds, tiles=parts(holds.tiles)) for holds in self.holds),
        )

    @property
    def sentences(self) -> list[Sentence]:
        """A sentence for each rule: "only solutions without crossroads"."""
        return [Sentence("only solutions {rule}", rule=words) for words in self.in_words()]

    def in_words(self) -> list[str]:
        """Return each rule in a few words that follow "only solutions", such as "without crossroads"."""
        coloured = "that can be coloured with {n} {n|colour|colours} such that tiles that touch differ"
        strictly_coloured = "that can be coloured with {n} {n|colour|colours} such that tiles that touch, also at a corner, differ"
        apart = "in which no two of {tiles} touch"
        strictly_apart = "in which no two of {tiles} touch, not even at a corner"
        said = [rule.words for rule in self.of_places.values()]
        said += [Sentence("that look the same after {symmetry}", symmetry=name) for name in self.symmetric]
        outline = "in which {tiles} together have the same outline after {symmetries}"
        said += [Sentence(outline, tiles=_listed(o.tiles), symmetries=" and ".join(o.under)) for o in self.outlines]
        said += [Sentence(strictly_coloured if self.strictly else coloured, n=self.colours)] if self.colours is not None else []
        said += [Sentence("with {tiles} at the border", tiles=_listed(self.touch_border))] if self.touch_border else []
        said += [Sentence("with {tiles} away from the border", tiles=_listed(self.inside))] if self.inside else []
        said += [Sentence(strictly_apart if self.strictly else apart, tiles=_listed(group)) for group in self.apart]
        said += [Sentence("without {placements}", placements=", ".join(self.forbidden))] if self.forbidden else []
        said += [Sentence("with {placements}", placements=" or ".join(names)) for names in self.one_of]
        for holds in self.holds:
            number = f"{holds.low}" if holds.low == holds.high else f"{holds.low}–{holds.high}"
            said.append(
                Sentence(
                    "in which each of {tiles} covers {number} of {n} {n|atom|atoms}",
                    tiles=_listed(holds.tiles),
                    number=number,
                    n=len(holds.atoms),
                )
            )
        return list[str](said)


@dataclass(frozen=True)
class Split:
    """Solutions are counted by the number of these atoms that stay uncovered."""

    name: str
    atoms: frozenset[AtomId]


@dataclass(frozen=True, eq=False, repr=False)
class Puzzle(Displayed):
    """Everything on which the number of solutions depends, and nothing else; ``Instance`` holds the rest."""

    grid: Grid
    tiles: tuple[Tile, ...]
    form: Form
    rules: tuple[Rule, ...] = ()
    mates: dict[str, str | None] = field(default_factory=dict)
    """The one mark that each mark may meet; None if it may meet no mark."""
    fits: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each colour of a tile's atoms, the colours of the form on which it may lie. Uncoloured atoms may lie anywhere."""
    border: str | None = None
    may_cross: bool = False
    """Whether tiles may cross each other at a point, on grids with crossings."""
    fixed: tuple[str, ...] = ()
    """Names of placements that are part of every solution."""
    mirrored_same: bool = False
    """Whether a mirrored answer counts as the same in ``distinct``."""
    split: Split | None = None
    solutions: SolutionRules = field(default_factory=SolutionRules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Puzzle):
            return NotImplemented
        if self is other:
            return True
        said = [one.name for one in fields(self) if one.name != "grid"]
        return self.grid.is_same(other.grid) and all(getattr(self, key) == getattr(other, key) for key in said)

    def __hash__(self) -> int:
        return hash((self.grid.name, self.form.required, self.form.optional, tuple(tile.name for tile in self.tiles), self.fixed))

    def __repr__(self) -> str:
        return f"<Puzzle: {self.in_short}>"

    @property
    def in_short(self) -> str:
        """How large it is, and on which grid."""
        ruled = ", rules on solutions" if self.solutions else ""
        return f"{many(len(self.tiles), 'tile')}, {many(len(self.form.atoms), 'atom')}, grid {self.grid.name}{ruled}"

    def allowed_symmetries(self, tile: Tile) -> list[Symmetry]:
        """Return the symmetries that turn a tile into its orientations."""
        return [self.grid.motions[i] for i in tile.symmetries]

    def covered(self, kind: str | None = None) -> tuple[int, int | None]:
        """Return how many atoms of a kind (default: the main kind) the tiles cover at least, and at most (None: there is no limit)."""
        sizes = [(sorted(self.grid.number_of(body, kind) for body in tile.bodies), tile.low, tile.high) for tile in self.tiles]
        least = sum(own[0] * low for own, low, _ in sizes)
        limitless = any(high is None and own[-1] for own, _, high in sizes)
        return least, None if limitless else sum(own[-1] * (high or 0) for own, _, high in sizes)

    def transformed_copy(self) -> tuple[Puzzle, str]:
        """Return the puzzle after a symmetry of the grid that is none of its form (where there is one), and the symmetry's name.

        Tiles are turned and mirrored along with the form, so that the copy has exactly as many solutions as the puzzle, whatever the
        rules for turns and flips. Names of placements, and of symmetries of the form, do not survive that: a puzzle that has some stays.
        """
        if self.form.wrap is not None:
            return self, "nothing (the form wraps around)"
        everything = self.grid.symmetries
        others = [g for g in everything[1:] if g.motion_of(self.form.atoms) is None] or list(everything[1:])
        if self.fixed or self.solutions.name_placements or not others:
            return self, "nothing (it names placements, or symmetries of its form)"
        g = others[0]
        home = tuple(1 - min(g(a)[i] for a in self.form.atoms) for i in range(self.grid.dimension))

        def move(atom: AtomId) -> AtomId:
            return translate(g(atom), home)

        def tile(t: Tile) -> Tile:
            marks = tuple(sorted(Mark(move(m.side), move(m.face), m.name) for m in t.marks))
            atoms = tuple(sorted(map(move, t.atoms), key=atom_order))
            listed = tuple(tuple(sorted(map(move, body), key=atom_order)) for body in t.listed)
            own, *others = (_conjugate(self.grid, s, g) for s in (t.symmetries, *t.symmetries_of))
            return replace(t, atoms=atoms, marks=marks, symmetries=own, symmetries_of=tuple(others), listed=listed, outlines=())

        form = Form(
            tuple(sorted(map(move, self.form.required), key=atom_order)),
            tuple(sorted(map(move, self.form.optional), key=atom_order)),
            {move(a): colour for a, colour in self.form.colours.items()},
        )
        rules = tuple(replace(r, atoms={move(a): weight for a, weight in r.atoms.items()}) for r in self.rules)
        split = None if self.split is None else Split(self.split.name, frozenset(map(move, self.split.atoms)))
        holds = tuple(replace(h, atoms=frozenset(map(move, h.atoms))) for h in self.solutions.holds)
        solutions = replace(self.solutions, holds=holds)
        turned = replace(self, tiles=tuple(map(tile, self.tiles)), form=form, rules=rules, split=split, solutions=solutions)
        return turned, g.name


def _conjugate(grid: Grid, symmetries: tuple[int, ...], g: Symmetry) -> tuple[int, ...]:
    """The symmetries g h g⁻¹: what a tile that was turned along with the form may do."""
    matrices = {multiply(multiply(g.matrix, grid.motions[h].matrix), inverse(g.matrix)) for h in symmetries}
    return tuple(i for i, s in enumerate(grid.motions) if s.matrix in matrices)


@dataclass(frozen=True)
class Written:
    """A puzzle as its files state it, for the second reader."""

    puzzle: Mapping[str, Any]
    """Its TOML tables."""
    path: Path
    """Its file; the models and grids that it names are beside this file, or in the package."""
    files: Mapping[str, str]
    """Texts of models and grids that come with the puzzle and are in no folder, by name."""


@dataclass(frozen=True, eq=False, repr=False)
class Instance(Displayed):
    """A puzzle with its name, its source and its expected counts. No count depends on these; only ``puzzle`` decides the counts.

    ``Instance(puzzle)`` is a puzzle without a name and without expected counts.
    """

    puzzle: Puzzle
    """Everything that a count depends on."""
    name: str = "this puzzle"
    """Its short name, as ``load`` takes it."""
    title: str = "this puzzle"
    """Its full name."""
    path: Path | None = None
    """Its file; error messages begin with it."""
    source: str = ""
    """Where the puzzle comes from."""
    expect: ExpectTable = field(default_factory=ExpectTable)
    """The expected counts, and who published them."""
    break_on: str | None = None
    """The tile on which the symmetry is broken; None if the program chooses. It affects only the speed and which placements are left."""
    together: tuple[frozenset[str], ...] = ()
    """Groups of tiles that may stay together when a solution is taken apart, once some pieces are away."""
    mirrored_stated: bool = False
    """Whether the instance itself states if mirrored solutions count as the same; else its model does."""
    file: InstanceFile | None = None
    """The contents of its file, or the table that it was made from. Other forms get their tiles and rules from here."""
    written: Written | None = None
    """The text that it was read from; None for a puzzle made in another way."""

    @classmethod
    def of(cls, puzzle: Instance | Puzzle) -> Instance:
        """Return an instance as it is, and a bare puzzle as an instance without a name."""
        return puzzle if isinstance(puzzle, Instance) else cls(puzzle)

    def _says(self) -> tuple[Any, ...]:
        return (self.name, self.title, self.source, self.expect, self.break_on, self.together, self.mirrored_stated, self.puzzle)

    def __eq__(self, other: object) -> bool:
        return self._says() == other._says() if isinstance(other, Instance) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.puzzle))

    def __repr__(self) -> str:
        return f"<Instance {self.name!r}: {self.puzzle.in_short}>"

    @property
    def credit(self) -> str:
        """Who published the expected counts, or else where the puzzle comes from."""
        return self.expect.source or self.source


def _listed(tiles: Iterable[str]) -> Sentence:
    return listed(sorted(tiles), 12)
