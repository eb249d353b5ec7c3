"""Schemas of grid, model and instance files. Field names are the keys of the files; see docs/format."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from math import prod, sqrt
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, PlainSerializer, PrivateAttr, Tag, create_model, model_validator

from puzzlesat.puzzles.place_rules import PLACE_RULES

MAX_COPIES = 1_000_000
Step = Annotated[int, Field(ge=-24, le=24)]
"""In a picture: the characters between two cells."""
Coordinate = Annotated[int, Field(ge=-(10**9), le=10**9)]


def _part(value: Any) -> Any:
    """Check a coordinate or the name of an atom, with one message for both alternatives."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**9:
        raise ValueError("expected a coordinate from -1,000,000,000 to 1,000,000,000")
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("expected a coordinate such as 3, or the name of an atom")
    return value


AtomRef = list[Annotated[int | str, BeforeValidator(_part)]]
Marks = list[str]


def _fraction(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError('expected an integer or a fraction such as "1/2"')
    try:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}([/.][0-9]{1,18})?", str(value)):  # "1e999999999" is a fraction for Python
            raise ValueError
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ValueError('expected an integer or a fraction such as "1/2", of 18 digits at most') from None


def _copies(value: Any) -> tuple[int, int | None]:
    if value == "any":
        return 0, None
    pair = value if isinstance(value, list) else [value, value]
    if len(pair) != 2 or any(isinstance(v, bool) or not isinstance(v, int) for v in pair):
        raise ValueError('expected a number of copies such as 2, a range such as [0, 3], or "any"')
    if min(pair) < 0:
        raise ValueError(f"expected 0 copies or more, got {min(pair)}")
    if pair[0] > pair[1]:
        raise ValueError(f"expected the smaller number first, got {pair}; write copies = {pair[::-1]}")
    if pair[1] > MAX_COPIES:
        raise ValueError(f'expected {MAX_COPIES:,} copies at most, or "any"')
    return pair[0], pair[1]


def _around(value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        return value
    raise ValueError('expected a list of marks such as ["a", "b", "c", "d"], or digits in quotation marks such as "1100"')


def _turns(value: Any) -> frozenset[int] | None:
    """Return None for all turns, else the allowed degrees."""
    if value == "all":
        return None
    degrees = [0] if value == "none" else value
    if not isinstance(degrees, list) or not all(isinstance(d, int) and 0 <= d < 360 for d in degrees) or 0 not in degrees:
        raise ValueError('expected "all", "none", or a list of degrees with 0 among them, such as [0, 180]')
    return frozenset(degrees)


def _optional(value: Any) -> Any:
    if value == "all" or (isinstance(value, list) and all(isinstance(atom, list) for atom in value)):
        return value
    raise ValueError('expected a list of atoms such as [[1, 1], [2, 1]], or "all"')


def _colour(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch("#[0-9a-fA-F]{6}", value):
        return value.lower()
    raise ValueError('expected a colour as "#rrggbb", such as "#d7263d"')


def _grid_name(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"[^\s./\\]{1,60}", value):
        raise ValueError(f"expected a name of 60 characters at most, without blanks, '.', / and \\, got {value!r}")
    return value


def _tile_name(value: str) -> str:
    if not re.fullmatch(r"[^\s.@]+", value):
        named = re.sub(r"[\s.@]+", "-", value.strip())
        cure = f"; write [tiles.{named}]" if named.strip("-") else ""
        raise ValueError(f"a tile's name cannot have a blank, '.' or '@', because placements are written NAME.1@2.3{cure}")
    return str(_printable(value))


def _printable(value: Any) -> Any:
    """Check that a certificate can contain a name."""
    if isinstance(value, str) and not (value and value.isprintable()):
        raise ValueError(f"expected a name of characters that can be printed, got {value!a}")
    return value


def _split_number(value: str) -> str:
    if not re.fullmatch("0|[1-9][0-9]*", value):
        raise ValueError(f"expected a number of atoms left uncovered as key, such as 0 or 12, got {value!r}")
    return value


ExactNumber = Annotated[Fraction, BeforeValidator(_fraction)]
Copies = Annotated[tuple[int, int | None], BeforeValidator(_copies), PlainSerializer(lambda copies: "any" if None in copies else copies)]
Turns = Annotated[frozenset[int] | None, BeforeValidator(_turns)]
TileName = Annotated[str, BeforeValidator(_tile_name)]
MAX_SKEW = 20_000
SplitNumber = Annotated[str, BeforeValidator(_split_number)]
Count = Annotated[int, Field(ge=0)]
Weight = Annotated[int, Field(ge=-(10**9), le=10**9)]
Convention = Literal["required", "optional", "none"]


class FileTable(BaseModel):
    """A table of a file, without unknown keys and silent conversions."""

    model_config = {"extra": "forbid", "strict": True, "frozen": True}


def _pair(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("expected two numbers, such as [0, 4]")
    return value


def _listed(value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(atom, list) for atom in value)):
        return value
    raise ValueError('expected the atoms of a placement such as [[1, 1], [2, 1]], or as text, such as "1,1 2,1"')


def _outline(value: Any) -> Any:
    number = r"-?[0-9]{1,9}(\.[0-9]{1,9})?"
    if isinstance(value, str) and re.fullmatch(f"{number},{number}( {number},{number}){{2,}}", value):
        return tuple(tuple(map(float, point.split(","))) for point in value.split())
    raise ValueError('expected three or more points as text, each with two numbers, such as "1,1 3,1 1,2.5"')


def _tiles(value: Any) -> Any:
    if value == "all" or (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        return value
    raise ValueError('expected a list of tiles such as ["X", "I"], or "all"')


def _groups(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(group, list) and all(isinstance(name, str) for name in group) for group in value):
        return value
    raise ValueError('expected lists of tiles such as [["I"], ["V", "W"]]: the tiles of each list must not touch each other')


def _uncovered(value: Any) -> Any:
    if not isinstance(value, str) or not re.fullmatch(r"((inner|outer) )?\S+", value):
        raise ValueError('expected "inner KIND", "outer KIND" or "KIND", such as "inner slot"')
    return value


class AtomTable(FileTable):
    """One atom of a grid's unit cell."""

    name: str
    kind: str = "face"
    role: Literal["cover", "mark"] = "cover"
    vertices: Annotated[list[list[ExactNumber]], Field(min_length=1, max_length=100)]


class SiteTable(FileTable):
    """One character of a cell's picture."""

    at: list[Step]
    glyphs: dict[str, list[str]]
    optional: dict[str, list[str]] = {}

    @model_validator(mode="after")
    def _glyphs(self) -> SiteTable:
        if not self.glyphs:
            raise ValueError("a site needs at least one glyph")
        for glyph, atoms in (self.glyphs | self.optional).items():
            if len(glyph) != 1:
                raise ValueError(f"{glyph!r}: a glyph is one character")
            if glyph in ". #" or not atoms:
                raise ValueError(
                    f"{glyph!r}: " + ("a glyph needs at least one atom" if not atoms else "this character means something else")
                )
        return self


class PictureTable(FileTable):
    """The layout of text pictures of a grid."""

    steps: list[list[Step]]
    sites: Annotated[list[SiteTable], Field(min_length=1, max_length=1000)]

    def check(self, n: int) -> None:
        """Raise ValueError if the layout does not have ``n`` dimensions."""
        if len(self.steps) != n or any(len(s) != n for s in self.steps + [s.at for s in self.sites]):
            raise ValueError(f"picture: expected {n} steps of {n} numbers, and {n} numbers for each site")
        if any(self.steps[i][i] == 0 for i in range(n)) or any(self.steps[i][j] for i in range(n) for j in range(i + 1, n)):
            raise ValueError("picture.steps: step 1 must go along the row, step 2 up (and along), step 3 to another layer")


class CrossingTable(FileTable):
    """Atoms that a tile covers in addition, so that no other tile crosses it."""

    through: Annotated[list[AtomRef], Field(min_length=1)]
    blocks: Annotated[list[AtomRef], Field(min_length=1)]


class AboutTable(FileTable):
    """Documentation of a grid, for its section in docs/format/grids.md."""

    text: str
    pictures: str = ""
    """Rules for reading and drawing its pictures."""
    example: str
    """An example of a picture."""
    ring: str = ""
    """The names of the atoms of the ring, in order."""
    shapes: dict[str, str] = {}
    """The meaning of size n for each shape of the grid."""


class GridFile(FileTable):
    """models/grids/NAME.toml."""

    title: str
    source: str = ""
    gram: list[list[ExactNumber]]
    symmetries: Annotated[int, Field(ge=1)] | None = None
    """The expected number of symmetries, up to translations. Another number reveals a mistyped vertex."""
    about: AboutTable | None = None
    atoms: Annotated[list[AtomTable], Field(min_length=1, max_length=100)]
    picture: PictureTable | None = None
    """The layout of pictures. Without it a cell with one face is one character, and a grid with several faces has no text pictures."""
    crossings: Annotated[list[CrossingTable], Field(max_length=100)] = []
    rings: dict[str, list[AtomRef]] = {}
    shapes: dict[str, list[list[list[int]]]] = {}
    polyforms: dict[str, dict[str, str]] = {}

    @model_validator(mode="after")
    def _sizes(self) -> GridFile:
        n = len(self.gram)
        if n not in (2, 3) or any(len(row) != n for row in self.gram):
            raise ValueError("gram: expected 2 rows of 2, or 3 rows of 3 numbers")
        if any(self.gram[i][j] != self.gram[j][i] for i in range(n) for j in range(n)):
            raise ValueError("gram: the matrix of scalar products must be symmetric")
        if min(_leading_minors(self.gram)) <= 0:
            raise ValueError("gram: not the scalar products of a lattice; lengths must be positive, such as [[1, 0], [0, 1]]")
        if _skew(self.gram) > MAX_SKEW:
            raise ValueError("gram: the directions of the lattice are too different in length, or too skew; choose short ones")
        if self.about is not None and (missing := sorted(self.shapes.keys() ^ self.about.shapes.keys())):
            raise ValueError(f"about.shapes: explain what n means for each of the shapes, and for no other; see {missing[0]!r}")
        for name, corners in self.shapes.items():
            if len(corners) < n + 1 or any(len(c) != n or any(len(x) != 2 for x in c) for c in corners):
                least, each = ("three", "two") if n == 2 else ("four", "three")
                raise ValueError(f"shapes.{name}: expected {least} or more corners, each of {each} coordinates [a, b] that mean a*n+b")
        if strange := [size for size in self.polyforms if not size.isdecimal()]:
            raise ValueError(f"polyforms: expected a number of faces, such as [polyforms.5], got {strange[0]!r}")
        if any(len(v) != n for atom in self.atoms for v in atom.vertices):
            raise ValueError(f"atoms: every vertex needs {n} coordinates")
        if self.picture is not None:
            self.picture.check(n)
        return self


class StatedGrid(GridFile):
    """A grid inside the file of a puzzle or a model: the keys of a grid file, and its name."""

    name: Annotated[str, BeforeValidator(_grid_name)]


def _grid_kind(value: Any) -> str:
    stated = isinstance(value, dict) and not value.keys().isdisjoint(("gram", "atoms", "picture"))
    return STATED if stated or isinstance(value, GridFile) else NAMED


NAMED, STATED = "[name]", "[table]"
"""Tags in Pydantic's locations, which are not in files."""
GridRef = Annotated[Annotated[str, Tag(NAMED)] | Annotated[StatedGrid, Tag(STATED)], Discriminator(_grid_kind)]
"""The name of a grid, or the grid itself."""


def _leading_minors(gram: list[list[Fraction]]) -> list[Fraction]:
    g = gram
    minors = [g[0][0], g[0][0] * g[1][1] - g[0][1] * g[1][0]]
    if len(g) == 3:
        terms = ((g[0][i], g[1][(i + 1) % 3], g[2][(i + 2) % 3]) for i in range(3))
        other = ((g[0][i], g[1][(i + 2) % 3], g[2][(i + 1) % 3]) for i in range(3))
        minors.append(sum((a * b * c for a, b, c in terms), Fraction(0)) - sum((a * b * c for a, b, c in other), Fraction(0)))
    return minors


def _skew(gram: list[list[Fraction]]) -> float:
    """Return the size of a box with all lattice vectors up to the length of the longest basis vector.

    It extends (length · minor / determinant)^½ to each side.
    """
    g = gram
    across = [g[1][1], g[0][0]] if len(g) == 2 else [g[i][i] * g[j][j] - g[i][j] ** 2 for i, j in ((1, 2), (0, 2), (0, 1))]
    longest, whole = max(g[i][i] for i in range(len(g))), _leading_minors(g)[-1]
    return prod(2 * sqrt(longest * area / whole) + 1 for area in across)


ListedPlacement = Annotated[
    Annotated[str, Tag(NAMED)] | Annotated[list[AtomRef], Tag(STATED)],
    Discriminator(lambda value: NAMED if isinstance(value, str) else STATED),
    BeforeValidator(_listed),
]
"""A placement of a tile that lists its placements: the atoms as lists, or all in one text."""


Outline = Annotated[tuple[tuple[float, float], ...], BeforeValidator(_outline)]
"""The corners of the drawing of a placement, in one text."""


class MarkTable(FileTable):
    """One mark, or a pair of halves."""

    kind: Literal["halves", "self", "lonely"]


class PlacedMark(FileTable):
    """A mark on one side of a face of a tile."""

    at: AtomRef
    on: AtomRef
    mark: str


CHANGES = ("colour", "copies")
"""Keys of a table that changes a tile defined elsewhere."""


class TileTable(FileTable):
    """A tile. A table with only ``copies`` and ``colour`` changes a tile of ``[[generate]]``, or in an instance a tile of the model."""

    picture: str | None = None
    atoms: list[AtomRef] | None = None
    around: Annotated[str | Marks | None, BeforeValidator(_around)] = None
    placements: Annotated[list[ListedPlacement], Field(min_length=1)] | None = None
    outlines: list[Outline] | None = None
    marks: list[PlacedMark] = []
    colours: dict[str, list[AtomRef]] = {}
    copies: Copies | None = None
    flips: bool | None = None
    turns: Turns | None = Field(default=None, validate_default=False)
    parts: int | None = Field(default=None, ge=1)
    colour: Annotated[str, BeforeValidator(_colour)] | None = None
    """The colour in pictures; it changes no count."""

    @model_validator(mode="after")
    def _one_way(self) -> TileTable:
        ways = [w for w in ("picture", "atoms", "around", "placements") if getattr(self, w) is not None]
        if len(ways) > 1:
            raise ValueError(f"give the tile in one way: {' or '.join(ways)}, not both")
        if self.placements is not None and (more := sorted(self.model_fields_set - {"placements", "outlines", "copies", "colour"})):
            raise ValueError(f"a tile whose placements are listed can lie in no other way; remove {more[0]}")
        if self.outlines is not None and len(self.outlines) != len(self.placements or ()):
            expected = "outlines: expected one outline for each of the {} placements, got {}"
            raise ValueError(expected.format(len(self.placements or ()), len(self.outlines)))
        return self

    @property
    def has_shape(self) -> bool:
        """True if the table states the atoms of the tile."""
        return not (self.picture is None and self.atoms is None and self.around is None and self.placements is None)

    @property
    def changes_a_tile(self) -> bool:
        """True if the table changes a tile defined elsewhere."""
        return bool(self.model_fields_set) and self.model_fields_set <= set(CHANGES)


class GenerateTable(FileTable):
    """All polyforms of a size as tiles."""

    free: int | None = Field(default=None, ge=1, le=9)
    one_sided: int | None = Field(default=None, ge=1, le=9)
    fixed: int | None = Field(default=None, ge=1, le=9)
    copies: Copies = (1, 1)

    @model_validator(mode="after")
    def _one_way(self) -> GenerateTable:
        if sum(v is not None for v in (self.free, self.one_sided, self.fixed)) != 1:
            raise ValueError("expected exactly one of free, one_sided, fixed, e.g. free = 5")
        return self

    @property
    def made(self) -> tuple[str, int]:
        """The kind of polyforms, and their number of faces."""
        return next((key, size) for key in ("free", "one_sided", "fixed") if (size := getattr(self, key)) is not None)


class ModelFile(FileTable):
    """models/NAME.toml."""

    title: str
    source: str = ""
    grid: GridRef
    flips: bool
    turns: Turns = None
    may_cross: bool = False
    marks: dict[str, MarkTable] = {}
    colours: dict[str, list[str]] = {}
    generate: Annotated[list[GenerateTable], Field(max_length=27)] = []
    tiles: dict[TileName, TileTable] = {}

    @property
    def grid_name(self) -> str:
        """The name of the grid that the file names or contains."""
        return self.grid if isinstance(self.grid, str) else self.grid.name

    @model_validator(mode="after")
    def _shapes(self) -> ModelFile:
        bare = [name for name, tile in self.tiles.items() if not (tile.has_shape or (self.generate and tile.changes_a_tile))]
        if bare:
            raise ValueError("\n".join(f"tiles.{name}: expected one of picture, atoms, around, placements" for name in bare))
        if not self.tiles and not self.generate:
            raise ValueError("no tiles; add [tiles.NAME] or [[generate]]")
        return self


class SeamTable(FileTable):
    """A seam of a form that wraps around: an atom moved by ``move`` (and mirrored along it, if ``mirror``) is the same atom."""

    move: list[Coordinate]
    mirror: bool = False


class FormTable(FileTable):
    """The form to fill. When a file is read, keys for shapes of the grid (such as triangle = 5) are moved to ``shape``."""

    picture: str | None = None
    atoms: list[AtomRef] | None = None
    box: list[Annotated[int, Field(ge=1)]] | None = None
    polygon: list[list[ExactNumber]] | None = None
    shape: tuple[str, int] | None = None
    optional: Annotated[list[AtomRef] | Literal["all"], BeforeValidator(_optional)] = []
    remove: list[AtomRef] = []
    colours: dict[str, list[AtomRef]] = {}
    wrap: list[SeamTable] = []
    fixed: list[str] = []
    border: str | None = None
    inner: dict[str, Convention] = {}
    outer: dict[str, Convention] = {}

    @model_validator(mode="after")
    def _one_way(self) -> FormTable:
        ways = [w for w in ("picture", "atoms", "box", "polygon") if getattr(self, w) is not None]
        ways += [self.shape[0]] if self.shape else []
        if len(ways) != 1:
            raise ValueError(
                "expected exactly one of picture, atoms, box, polygon, or a shape of the grid"
                + (f"; it has {' and '.join(ways)}" if ways else "")
            )
        return self


class Modulo(FileTable):
    """A remainder."""

    of: int = Field(ge=2, le=10**9)
    is_: int = Field(alias="is")

    @model_validator(mode="after")
    def _remainder(self) -> Modulo:
        if not 0 <= self.is_ < self.of:
            raise ValueError(f"is: expected a remainder from 0 to {self.of - 1}, got {self.is_}; the same is {self.is_ % self.of}")
        return self


class SumTable(FileTable):
    """A sum of the weights of the used placements."""

    along: list[int] | None = None
    values: list[Weight] = []
    shift: dict[str, int] = {}
    kind: str | None = None
    atoms: list[AtomRef] | None = None
    tiles: dict[str, Weight] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> SumTable:
        if sum(v is not None for v in (self.along, self.atoms, self.tiles)) != 1:
            raise ValueError("expected exactly one of along (with values), atoms, tiles")
        if (self.along is None) == bool(self.values):
            raise ValueError("along and values belong together: along = [1, 1], values = [1, -1]")
        if self.along is None and (strange := sorted({"kind", "shift"} & self.model_fields_set)):
            raise ValueError(f"{strange[0]}: it chooses the atoms for values along a direction, but there is no along; remove it")
        return self


class ConditionTable(SumTable):
    """A condition on the sum of the weights of the used placements."""

    name: Annotated[str, BeforeValidator(_printable)]
    equals: Weight | None = None
    between: Annotated[list[Weight], BeforeValidator(_pair)] | None = None
    modulo: Modulo | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> ConditionTable:
        if sum(v is not None for v in (self.equals, self.between, self.modulo)) != 1:
            raise ValueError("expected exactly one of equals, between, modulo")
        return self


Goal = Annotated[
    Annotated[Literal["pieces", "area", "holes"], Tag(NAMED)] | Annotated[SumTable, Tag(STATED)],
    Discriminator(lambda value: STATED if isinstance(value, dict | SumTable) else NAMED),
]
"""What a best solution has most or fewest of."""


class BestTable(FileTable):
    """The question for the solutions with the highest or the lowest number of something, or sum of weights."""

    most: Goal | None = None
    fewest: Goal | None = None

    @model_validator(mode="after")
    def _one_goal(self) -> BestTable:
        if (self.most is None) == (self.fewest is None):
            raise ValueError('expected exactly one of most and fewest, such as best = { most = "pieces" }')
        return self


class SplitTable(FileTable):
    """Count the solutions by the number of atoms left uncovered."""

    name: str
    uncovered: Annotated[str, BeforeValidator(_uncovered)]


Tiles = Annotated[list[str] | Literal["all"], BeforeValidator(_tiles)]
Several = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class OutlineTable(FileTable):
    """Tiles that together make a symmetric outline."""

    tiles: Annotated[list[str], Field(min_length=1)]
    under: Several


class HoldsTable(FileTable):
    """The number of some atoms of the form that each tile (or each of some tiles) covers."""

    tiles: Tiles = "all"
    colour: str | None = None
    atoms: list[AtomRef] | None = None
    equals: Count | None = None
    between: Annotated[list[Count], BeforeValidator(_pair)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> HoldsTable:
        if (self.colour is None) == (self.atoms is None):
            raise ValueError('expected either colour = "red", a colour of the form, or atoms = [[1, 1]]')
        if (self.equals is None) == (self.between is None):
            raise ValueError("expected exactly one of equals, between")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ValueError(f"between: {self.between[0]} is more than {self.between[1]}")
        return self


if TYPE_CHECKING:

    class _RulesOfPlaces(FileTable):
        pass
else:
    _RulesOfPlaces = create_model("_RulesOfPlaces", __base__=FileTable, **dict.fromkeys(PLACE_RULES, (bool, False)))


class SolutionsTable(_RulesOfPlaces, FileTable):
    """Rules on solutions: a solution counts only if it satisfies all of them."""

    symmetric: Several = []
    symmetric_outline: list[OutlineTable] = []
    colours: Annotated[int, Field(ge=1, le=12)] | None = None
    touch_border: Tiles = []
    inside: Tiles = []
    apart: Annotated[list[Annotated[list[str], Field(min_length=1)]], BeforeValidator(_groups)] = []
    strictly: bool = False
    forbidden: list[str] = []
    one_of: list[Annotated[list[str], Field(min_length=1)]] = []
    holds: list[HoldsTable] = []

    @model_validator(mode="after")
    def _strictly_what(self) -> SolutionsTable:
        if self.strictly and not self.apart and self.colours is None:
            raise ValueError("strictly: it changes colours and apart, but neither is there; remove it")
        return self


class ExpectedPlacements(FileTable):
    """Known numbers of placements."""

    all: Count | None = None
    after_symmetry: Count | None = None
    after_reduction: Count | None = None

    @property
    def are_stated(self) -> bool:
        """True if any number is stated."""
        return self != ExpectedPlacements()


class RefutedTable(FileTable):
    """A published count that is wrong for this form, these tiles and these rules."""

    what: Literal["labelled", "all", "distinct", "labelled_distinct", "labelled_turns"]
    published: Count
    by: Annotated[str, Field(min_length=1)]
    evidence: Annotated[str, Field(min_length=1)]


class ExpectTable(FileTable):
    """The known counts of an instance, and their source."""

    labelled: Count | None = None
    all: Count | None = None
    distinct: Count | None = None
    labelled_distinct: Count | None = None
    labelled_turns: Count | None = None
    fixed: dict[str, Count] = {}
    placements: ExpectedPlacements = ExpectedPlacements()
    split: dict[SplitNumber, Count] | None = None
    split_labelled: dict[SplitNumber, Count] | None = None
    best: int | None = None
    best_all: Count | None = None
    best_distinct: Count | None = None
    solution: list[str] | None = None
    convention: Literal["stated", "not stated"] = "stated"
    published: str = ""
    source: str = ""
    refuted: list[RefutedTable] = []

    @property
    def figures(self) -> list[tuple[str, int]]:
        """The expected numbers of solutions, each with its convention."""
        names = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns")
        return [(name, figure) for name in names if (figure := getattr(self, name)) is not None]

    @model_validator(mode="after")
    def _refutations(self) -> ExpectTable:
        for claim in self.refuted:
            if (figure := getattr(self, claim.what)) is None and not self.solution:
                raise ValueError(
                    f"refuted: give the right number, {claim.what} = NUMBER in [expect]; or a solution if nobody has counted them"
                )
            if figure == claim.published:
                raise ValueError(f"refuted: {claim.what} = {figure} is also in [expect]; a number cannot be both expected and refuted")
        return self


class InstanceFile(FileTable):
    """instances/FAMILY/NAME.toml. It has the keys of a model, or names a model."""

    title: str
    source: str = ""
    model: str | None = None
    grid: GridRef | None = None
    flips: bool | None = None
    turns: Turns | None = Field(default=None, validate_default=False)
    may_cross: bool = False
    marks: dict[str, MarkTable] = {}
    colours: dict[str, list[str]] = {}
    generate: Annotated[list[GenerateTable], Field(max_length=27)] = []
    tiles: dict[TileName, TileTable] = {}
    use: list[str] | None = None
    mirrored: Literal["same", "different"] | None = None
    break_on: str | None = None
    together: list[list[str]] = []
    form: FormTable
    conditions: list[ConditionTable] = []
    solutions: SolutionsTable = SolutionsTable()
    split: SplitTable | None = None
    best: BestTable | None = None
    expect: ExpectTable = ExpectTable()
    _said: dict[str, Any] | None = PrivateAttr(None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InstanceFile) and self.__dict__ == other.__dict__  # without the private field ``_said``

    __hash__ = None  # type: ignore[assignment]

    @property
    def grid_name(self) -> str | None:
        """The name of the grid that the file names or contains; None if its model does."""
        return self.grid.name if isinstance(self.grid, StatedGrid) else self.grid

    @property
    def said(self) -> dict[str, Any] | None:
        """The unchanged tables of the file; None if it was not made from tables."""
        return self._said

    def saying(self, tables: dict[str, Any] | None) -> InstanceFile:
        """Return a copy with other unchanged tables."""
        copy = self.model_copy()
        copy._said = tables
        return copy

    @model_validator(mode="after")
    def _model_or_grid(self) -> InstanceFile:
        wrong = []
        if (self.model is None) == (self.grid is None):
            wrong.append(
                'grid: this key is missing; add grid = "square" or the name of another grid, or model = NAME to take the tiles of a model'
                if self.model is None
                else "expected either model = NAME or grid = NAME; it has both: a model has its own grid, so remove grid"
            )
        elif self.model is None and self.flips is None:
            wrong.append("flips: this key is missing; write flips = true if the pieces may be turned over, else flips = false")
        names = Counter(condition.name for condition in self.conditions)
        if repeated := sorted(name for name, number in names.items() if number > 1):
            wrong.append(f"conditions: two have the name {', '.join(map(repr, repeated))}; rename one")
        wrong += [
            f"expect.{key}: there is no [split] to count by; add one, or remove this key"
            for key in ("split", "split_labelled")
            if self.split is None and getattr(self.expect, key) is not None
        ]
        wrong += [
            f'expect.{key}: there is no question for the best; add one, such as best = {{ most = "pieces" }}, or remove this key'
            for key in ("best", "best_all", "best_distinct")
            if self.best is None and getattr(self.expect, key) is not None
        ]
        if wrong:
            raise ValueError("\n".join(wrong))
        return self
