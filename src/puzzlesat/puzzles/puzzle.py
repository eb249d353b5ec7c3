"""The puzzle as plain data, independent of files; and the instance: a puzzle with its name, source and expected counts."""

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
from puzzlesat.puzzles.wrap import Numbering, Wrap, number_atoms

LEFT_OUT = ("file", "expect")
"""Fields of an instance that its table has too. To make them loads pydantic, and many commands need neither."""
LATER = {"later": True}
"""Metadata of a newer field. Fingerprints omit it while it has its default, so that older fingerprints remain valid."""


@dataclass(frozen=True, order=True)
class Mark:
    """A mark on the side ``side`` of the face ``face``; or a colour of an atom, which is then both ``side`` and ``face``."""

    side: AtomId
    face: AtomId
    name: str

    @property
    def is_colour(self) -> bool:
        """True for a colour of an atom, False for a mark on a side."""
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
    """Largest number of copies; None: any number."""
    symmetries: tuple[int, ...]
    """Indices into ``grid.motions``."""
    members: tuple[str, ...]
    """Names in the file of the identical tiles that are joined in this one."""
    ranges: tuple[tuple[int, int | None], ...]
    """Fewest and most copies of each member; ``low`` and ``high`` are their sums."""
    listed: tuple[tuple[AtomId, ...], ...] = field(default=(), metadata=LATER)
    """The atoms of each placement, if the file lists the placements; ``atoms`` is then the first of them."""
    outlines: tuple[tuple[tuple[float, float], ...], ...] = field(default=(), compare=False)
    """The outline of each listed placement in pictures, by its corners in lattice coordinates, if the file states it."""
    colour: str | None = field(default=None, compare=False)
    """The colour in pictures, if the file states it. Like ``outlines`` it is not part of comparisons and fingerprints."""
    symmetries_of: tuple[tuple[int, ...], ...] = field(default=(), metadata=LATER)
    """The symmetries of each member, if the members differ in them; ``symmetries`` has the symmetries of the first one."""

    @property
    def bodies(self) -> tuple[tuple[AtomId, ...], ...]:
        """The atoms of the tile in its base position, or the atoms of each listed placement."""
        return self.listed or (self.atoms,)

    @property
    def turns(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries of each member."""
        return self.symmetries_of or (self.symmetries,) * len(self.members)

    @property
    def supply(self) -> tuple[tuple[int, int | None], ...]:
        """The copies of all members, which must be equal for two tiles that a symmetry exchanges.

        Members with fixed numbers are equivalent to one member with their sum. Ranges must agree member by member, because otherwise the
        labelled solutions of the two tiles do not correspond one to one.
        """
        if self.low == self.high:
            return ((self.low, self.high),)
        return tuple(sorted(self.ranges, key=lambda r: (r[0], r[1] is None, r[1] or 0)))

    def transform(self, motion: Symmetry) -> Body | None:
        """Return the atoms and marks of the turned or mirrored tile, its smallest coordinates being 0; None if it leaves the grid."""
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
    """The region to fill: required and optional atoms, both in the order of the form."""

    required: tuple[AtomId, ...]
    optional: tuple[AtomId, ...]
    colours: Mapping[AtomId, str] = field(default_factory=dict)
    """The colours of the coloured atoms."""
    wrap: Wrap | None = None
    """The identification of atoms, if the form wraps around; the atoms of the form are representatives of the classes."""

    @cached_property
    def atoms(self) -> frozenset[AtomId]:
        """All atoms, required and optional."""
        return frozenset(self.required) | frozenset(self.optional)

    @cached_property
    def numbering(self) -> Numbering:
        """Its atoms by number, in the order of the form."""
        return number_atoms(tuple(self.atoms), self.wrap)

    def locate(self, atom: AtomId) -> AtomId | None:
        """Return the atom of the form that represents an atom of the infinite grid; None for an atom outside the form."""
        home = atom if self.wrap is None else self.wrap.locate(atom)
        return home if home in self.atoms else None

    def locate_mark(self, mark: Mark) -> Mark:
        """Return the representative of a mark: a mark on a seam belongs to one side of the form."""
        if self.wrap is None:
            return mark
        if mark.is_colour:
            home = self.wrap.locate(mark.face) or mark.face
            return Mark(home, home, mark.name)
        return Mark(*self.wrap.locate_side(mark.side, mark.face), mark.name)

    def neighbours(self, grid: Grid, atom: AtomId) -> list[AtomId]:
        """Return the atoms of the form that share a side with an atom; it can be its own neighbour if the form wraps around."""
        return [home for other in grid.neighbours(atom) if (home := self.locate(other)) is not None]


@dataclass(frozen=True)
class Rule:
    """A linear condition of the puzzle: Σ weight(placement) is in [low, high], or ≡ residue mod modulus if that is not 0."""

    name: str
    atoms: dict[AtomId, int]
    tiles: dict[str, int]
    low: int
    high: int
    modulus: int = 0
    residue: int = 0


@dataclass(frozen=True)
class Outline:
    """The union of the tiles ``tiles`` is unchanged by the symmetries of the form named in ``under``."""

    tiles: frozenset[str]
    under: tuple[str, ...]


@dataclass(frozen=True)
class Holds:
    """Each tile of ``tiles`` covers ``low`` to ``high`` of the atoms ``atoms``."""

    tiles: frozenset[str]
    atoms: frozenset[AtomId]
    low: int
    high: int


if TYPE_CHECKING:
    from puzzlesat.puzzles.schema import ExpectTable, InstanceFile

    _PlaceRules = object
else:
    _PlaceRules = make_dataclass("_PlaceRules", [(key, bool, field(default=False)) for key in PLACE_RULES], frozen=True)


@dataclass(frozen=True)
class SolutionRules(_PlaceRules):
    """Rules for the positions of the tiles in a solution.

    Tiles are named as in ``Tile.name``. ``PLACE_RULES`` adds a field for each of its rules.
    """

    symmetric: tuple[str, ...] = ()
    """Names of symmetries of the form that leave the solution unchanged."""
    outlines: tuple[Outline, ...] = ()
    colours: int | None = None
    """Number of colours that suffice to colour the tiles so that touching tiles differ."""
    touch_border: frozenset[str] = frozenset()
    """Tiles that touch the border."""
    inside: frozenset[str] = frozenset()
    """Tiles that do not touch the border."""
    apart: tuple[frozenset[str], ...] = ()
    """Sets of tiles that do not touch other tiles of the set, nor copies of themselves."""
    strictly: bool = False
    """True if tiles that share only a corner also touch, for ``apart`` and ``colours``."""
    forbidden: tuple[str, ...] = ()
    """Names of placements that are not used."""
    one_of: tuple[tuple[str, ...], ...] = ()
    """Sets of names of placements; at least one placement of each set is used."""
    holds: tuple[Holds, ...] = ()

    def __bool__(self) -> bool:
        return self != SolutionRules()

    @property
    def of_places(self) -> Mapping[str, PlaceRule]:
        """The rules of ``PLACE_RULES`` that are set."""
        return {key: rule for key, rule in PLACE_RULES.items() if getattr(self, key)}

    @property
    def name_placements(self) -> bool:
        """True if the rules name placements or symmetries, and so have no meaning for a turned form."""
        return bool(self.symmetric or self.outlines or self.forbidden or self.one_of)

    def parted(self, members: Mapping[str, Sequence[str]]) -> SolutionRules:
        """Return the rules with each tile replaced by its members. Rules that name placements stay unchanged."""

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
    """Counts solutions separately by the number of uncovered atoms in ``atoms``."""

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
    """The only mark that each mark may meet; None if it may meet no mark."""
    fits: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The colours of the form on which each colour of a tile's atoms may lie. Uncoloured atoms may lie anywhere."""
    border: str | None = None
    """The mark on the border of the form, which marks of tiles there must meet; None: marks at the border are free."""
    may_cross: bool = False
    """True if tiles may cross each other at a point, on grids with crossings."""
    fixed: tuple[str, ...] = ()
    """Names of placements that are part of every solution."""
    mirrored_same: bool = False
    """True if a mirrored solution counts as the same in ``distinct``."""
    split: Split | None = None
    solutions: SolutionRules = field(default_factory=SolutionRules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Puzzle):
            return NotImplemented
        if self is other:
            return True
        keys = [field.name for field in fields(self) if field.name != "grid"]
        return self.grid.is_same(other.grid) and all(getattr(self, key) == getattr(other, key) for key in keys)

    def __hash__(self) -> int:
        return hash((self.grid.name, self.form.required, self.form.optional, tuple(tile.name for tile in self.tiles), self.fixed))

    def __repr__(self) -> str:
        return f"<Puzzle: {self.in_short}>"

    @property
    def in_short(self) -> str:
        """The numbers of tiles and atoms, and the grid."""
        ruled = ", rules on solutions" if self.solutions else ""
        return f"{many(len(self.tiles), 'tile')}, {many(len(self.form.atoms), 'atom')}, grid {self.grid.name}{ruled}"

    def allowed_symmetries(self, tile: Tile) -> list[Symmetry]:
        """Return the symmetries that turn a tile into its orientations."""
        return [self.grid.motions[i] for i in tile.symmetries]

    def covered(self, kind: str | None = None) -> tuple[int, int | None]:
        """Return the least and the largest number of atoms of a kind (default: the main kind) that the tiles cover (None: no limit)."""
        sizes = [(sorted(self.grid.number_of(body, kind) for body in tile.bodies), tile.low, tile.high) for tile in self.tiles]
        least = sum(own[0] * low for own, low, _ in sizes)
        limitless = any(high is None and own[-1] for own, _, high in sizes)
        return least, None if limitless else sum(own[-1] * (high or 0) for own, _, high in sizes)

    def transformed_copy(self) -> tuple[Puzzle, str]:
        """Return the puzzle after a symmetry of the grid, preferably not a symmetry of its form, and the name of the symmetry.

        The symmetry also turns the tiles, so that the copy has exactly as many solutions as the puzzle, whatever the rules for turns and
        flips. A puzzle that names placements or symmetries of its form is returned unchanged, because the names would change.
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
    """Return the symmetries g h g⁻¹ of a tile that was turned by g."""
    matrices = {multiply(multiply(g.matrix, grid.motions[h].matrix), inverse(g.matrix)) for h in symmetries}
    return tuple(i for i, s in enumerate(grid.motions) if s.matrix in matrices)


@dataclass(frozen=True)
class Written:
    """The text of a puzzle's files, for the second reader."""

    puzzle: Mapping[str, Any]
    """Its TOML tables."""
    path: Path
    """Its file. Models and grids that it names are in the folder of this file, or in the package."""
    files: Mapping[str, str]
    """The texts of models and grids that are not files, by name."""


def _no_expectations() -> ExpectTable:
    from puzzlesat.puzzles.schema import ExpectTable  # it loads pydantic

    return ExpectTable()


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
    expect: ExpectTable = field(default_factory=_no_expectations)
    """The expected counts and their source."""
    break_on: str | None = None
    """The tile on which the symmetry is broken; None: the program chooses one. It affects only the speed and the remaining placements."""
    together: tuple[frozenset[str], ...] = ()
    """Groups of tiles that may stay together when a solution is taken apart, after some pieces are removed."""
    mirrored_stated: bool = False
    """True if the instance states whether mirrored solutions count as the same; False if this follows from its model."""
    file: InstanceFile | None = field(default_factory=type(None))
    """The contents of its file, or the table that it was made from. Puzzles with other forms take their tiles and rules from it."""
    written: Written | None = None
    """The text that it was read from; None for a puzzle that was not read from text."""

    @classmethod
    def of(cls, puzzle: Instance | Puzzle) -> Instance:
        """Return an instance as it is, and a bare puzzle as an instance without a name."""
        return puzzle if isinstance(puzzle, Instance) else cls(puzzle)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Read again what ``fields`` leave out."""
            if name not in LEFT_OUT or "written" not in vars(self):
                raise AttributeError(name)
            from puzzlesat.puzzles.reading import validated
            from puzzlesat.puzzles.schema import InstanceFile

            file = validated(InstanceFile, self.written.puzzle, self.path)
            vars(self).update(file=file, expect=file.expect)
            return vars(self)[name]

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of an instance that was read from a file, to be kept for ``of_fields``."""
        return {key: value for key, value in vars(self).items() if key not in LEFT_OUT}

    @classmethod
    def of_fields(cls, fields: dict[str, Any]) -> Instance:
        """Return the instance with these fields. Its file and expected counts are made of its table when they are first used."""
        instance = cls.__new__(cls)
        vars(instance).update(fields)
        return instance

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
        """The source of the expected counts, or else the source of the puzzle."""
        return self.expect.source or self.source


def _listed(tiles: Iterable[str]) -> Sentence:
    return listed(sorted(tiles), 12)
