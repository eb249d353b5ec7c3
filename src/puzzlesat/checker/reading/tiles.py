"""The tiles of a puzzle: looks made of the entries of the model and the instance; identical tiles are joined.

A look is what a tile covers and shows after a motion that may turn it. Two tiles with the same set of looks are identical.

Polyforms are the connected sets of a number of faces, one of each class under the motions that count as no difference, with their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from math import gcd, lcm
from typing import Any

from ..grid import Atom, Matrix, determinant, turned
from ..surface import Look, Mark
from ..values import Rejected, TooLarge, flag, shown, text
from .grids import MARK, Lattice, Passage, at_home, cross, crossed, dot, moved_by, reading_order
from .pictures import read_picture
from .tables import Table, listed, number, one_of, only


def allowed_turns(lattice: Lattice, flips: bool, turns: Any, where: str) -> tuple[int, ...]:
    """Return the numbers of the symmetries that may turn a tile, from 0.

    A mirror is the first mirror followed by a turn: it is allowed if tiles may be flipped and this turn is allowed.
    """
    if turns == "all":
        return tuple(i for i, turn in enumerate(lattice.turns) if flips or not turn.mirror)
    if lattice.dimension == 3:
        if turns not in ("none", [0]) or flips:
            raise Rejected(f"{where}: in space expected 'all', or 'none' with flips = false, got {shown(turns)}")
        return (0,)
    angles = {0} if turns == "none" else set(listed(turns, where))
    first = min((turn.behind for turn in lattice.turns if turn.mirror), default=0)
    steps = [2 * (turn.behind - first) if turn.mirror else turn.behind for turn in lattice.turns]
    if unknown := [a for a in angles if type(a) is not int or a not in steps]:
        raise Rejected(f"{where}: the grid has no turn of {shown(unknown[0])} degrees")
    return tuple(i for i, turn in enumerate(lattice.turns) if (flips or not turn.mirror) and _near(steps[i], angles))


def _near(step: float, angles: Iterable[int]) -> bool:
    return any(abs(step - angle) < 1e-6 for angle in angles)


def turned_look(lattice: Lattice, number: int, look: Look) -> Look:
    """Return a look after a symmetry, moved so that its smallest coordinates are 0."""
    go, still = lattice.turns[number].does, (0,) * lattice.dimension
    return settled({go(a, still): go(a, still) for a in look[0]}, ((go(s, still), go(f, still), name) for s, f, name in look[1]))


def settled(atoms: Iterable[Atom], marks: Iterable[Mark]) -> Look:
    """Return a look, moved so that its smallest coordinates are 0."""
    return moved_look((frozenset(atoms), frozenset(marks)), None)


def moved_look(look: Look, move: Sequence[int] | None) -> Look:
    """Return a look after a translation; without one, moved so that its smallest coordinates are 0."""
    by = at_home(look[0]) if move is None else move
    marks = frozenset((moved_by(s, by), moved_by(f, by), name) for s, f, name in look[1])
    return frozenset(moved_by(a, by) for a in look[0]), marks


def mapped(look: Look, go: Callable[[Atom], Atom]) -> Look:
    """Return a look whose atoms are mapped by a function."""
    return frozenset(map(go, look[0])), frozenset((go(s), go(f), name) for s, f, name in look[1])


def all_looks(lattice: Lattice, look: Look, numbers: Sequence[int]) -> frozenset[Look]:
    """Return all looks of a tile under some symmetries; balls also under the motions that keep their neighbours."""
    found = {turned_look(lattice, number, look) for number in numbers}
    if lattice.of_balls and len(numbers) > 1:
        flips = any(lattice.turns[number].mirror for number in numbers)
        found.update(_ball_looks(lattice, look, flips))
    return frozenset(found)


def _ball_looks(lattice: Lattice, look: Look, flips: bool) -> Iterator[Look]:
    """Yield the looks of a tile of balls after each motion that maps two directions of neighbours to two others, and its balls to balls."""
    first = min(look[0])
    for matrix, below in _ball_motions(lattice):
        if flips or determinant(matrix) > 0:
            image = {a: turned(matrix, tuple(x - y for x, y in zip(a[:-1], first, strict=False))) for a in look[0]}
            if not any(x % below for there in image.values() for x in there):
                whole = {a: (*(x // below for x in there), 0) for a, there in image.items()}
                yield settled(whole.values(), ((whole[s], whole[f], name) for s, f, name in look[1]))


@cache
def _ball_motions(lattice: Lattice) -> tuple[tuple[Matrix, int], ...]:
    """Return every motion that maps two directions of neighbours to two others at the same angle: a matrix and its denominator.

    Obtuse angles can be skipped: the opposite of one of the two directions makes an acute angle.
    """
    unit = lcm(*(x.denominator for row in lattice.grid.gram for x in row))
    gram = tuple(tuple(int(x * unit) for x in row) for row in lattice.grid.gram)
    by_angle: dict[int, list[Matrix]] = {}
    for v, w in permutations([a[:-1] for a in lattice.neighbours[0]], 2):
        if any(cross(v, w)) and (product := dot(v, turned(gram, w))) >= 0:
            upright = turned(tuple(cross(gram[(i + 1) % 3], gram[(i + 2) % 3]) for i in range(3)), cross(v, w))
            by_angle.setdefault(product, []).append((v, w, upright))
    found: dict[tuple[Matrix, int], None] = {}
    for frames in by_angle.values():
        for start in frames:
            size = determinant(start)
            lead = tuple(cross(start[(i + 1) % 3], start[(i + 2) % 3]) for i in range(3))  # size times the inverse, by rows
            for v, w, upright in frames:
                for end in ((v, w, upright), (v, w, tuple(-x for x in upright))):
                    matrix = tuple(tuple(sum(end[k][i] * lead[k][j] for k in range(3)) for j in range(3)) for i in range(3))
                    whole = gcd(size, *(x for row in matrix for x in row)) * (1 if size > 0 else -1)
                    found[tuple(tuple(x // whole for x in row) for row in matrix), size // whole] = None
    return tuple(found)


Body = frozenset[Atom]
MAX_IMAGES = 250_000
FREE, ONE_SIDED, FIXED = "free", "one_sided", "fixed"


def generated(stated: Table, lattice: Lattice) -> dict[str, Body]:
    """Return the tiles of a table ``[[generate]]`` by their names, in the order of the names.

    A polyform is identified by the least of its images, as lists of atoms in reading order. A polyform with a name in the grid lies as in
    the picture of this name. Its twins, which are the same free polyform but different tiles for the generator, get strokes behind the
    name. Other polyforms are named by their number in the order of all polyforms.
    """
    sort = one_of(stated, "generate", (FREE, ONE_SIDED, FIXED))
    size = number(stated[sort], f"generate.{sort}")
    classes = _classes(lattice, size, sort)
    named = _named(lattice, size)
    found: dict[str, Body] = {}
    twins: dict[str, list[tuple[bool, Body]]] = {}
    for place, body in enumerate(sorted(classes, key=_key), start=1):
        if (name := named.get(_least(lattice, body, FREE))) is None:
            found[f"{size}-{place:02d}"] = body
        else:
            drawn = _home(read_picture(lattice.said["polyforms"][str(size)][name], "grid.polyforms", lattice).atoms)
            own = _least(lattice, drawn, sort) == body
            twins.setdefault(name, []).append((not own, drawn if own else body))
    for name, several in twins.items():
        several.sort(key=lambda twin: twin[0])  # the twin in the picture first, the others in their order
        found |= {name + "'" * strokes: body for strokes, (_, body) in enumerate(several)}
    return dict(sorted(found.items()))


def all_generated(tables: list[Any], lattice: Lattice) -> list[tuple[str, Body, Any]]:
    """Return the tiles of several tables ``[[generate]]``, each with the copies that its table states.

    A name that tiles of several sizes have is followed by the size.
    """
    made: list[tuple[int, dict[str, Body], Any]] = []
    for table in tables:
        fields = only(table, "generate", (FREE, ONE_SIDED, FIXED, "copies"))
        made.append((fields[one_of(fields, "generate", (FREE, ONE_SIDED, FIXED))], generated(fields, lattice), fields.get("copies", 1)))
    sizes: dict[str, set[int]] = {}
    for size, found, _ in made:
        for name in found:
            sizes.setdefault(name.rstrip("'"), set()).add(size)
    return [
        (_with_size(name, size) if len(sizes[name.rstrip("'")]) > 1 else name, body, copies)
        for size, found, copies in made
        for name, body in found.items()
    ]


def _with_size(name: str, size: int) -> str:
    plain = name.rstrip("'")
    return f"{plain}{size}{name[len(plain) :]}"


def _named(lattice: Lattice, size: int) -> Mapping[Body, str]:
    """Return the names that the grid has for polyforms of a size, by the least image of each."""
    pictures = lattice.said.get("polyforms", {}).get(str(size), {})
    found: dict[Body, str] = {}
    for name, picture in pictures.items():
        body = _least(lattice, _home(read_picture(picture, "grid.polyforms", lattice).atoms), FREE)
        if len(body) != size or body in found:
            raise Rejected(f"grid.polyforms.{size}: {shown(name)} is there twice, or of another size")
        found[body] = name
    return found


def _classes(lattice: Lattice, size: int, sort: str) -> set[Body]:
    """Return the least image of every polyform: single faces, then larger ones by adding a face beside a smaller one.

    A face added to a tile of balls turns with it only under motions of the whole grid, so the other motions are applied last.
    """
    if size < 1:
        raise Rejected("generate: a tile has at least one face")
    still = (0,) * lattice.dimension
    found = {min(_images(lattice, frozenset([(*still, a)]), sort), key=_key) for a in lattice.faces}
    for _ in range(size - 1):
        larger: set[Body] = set()
        seen: set[Body] = set()
        for body in found:
            for face in body:
                for other in lattice.neighbours[face[-1]]:
                    if (there := moved_by(other, face)) not in body and (grown := _home(body | {there})) not in seen:
                        images = _images(lattice, grown, sort)
                        seen |= images
                        larger.add(min(images, key=_key))
        if len(seen) > MAX_IMAGES:
            raise TooLarge(f"generate: there are too many polyforms of {size} faces")
        found = larger
    return {_least(lattice, body, sort) for body in found} if lattice.of_balls else found


def _turns(lattice: Lattice, sort: str) -> list[int]:
    """Return the numbers of the symmetries under which polyforms of a sort count as equal."""
    return [i for i, turn in enumerate(lattice.turns) if i == 0 or sort == FREE or (sort == ONE_SIDED and not turn.mirror)]


def _images(lattice: Lattice, body: Body, sort: str) -> set[Body]:
    """Return the images of a polyform under the symmetries of the grid that count as no difference."""
    return {turned_look(lattice, number, (body, frozenset()))[0] for number in _turns(lattice, sort)}


def _least(lattice: Lattice, body: Body, sort: str) -> Body:
    """Return the least image of a polyform under all motions that count as no difference."""
    return min((atoms for atoms, _ in all_looks(lattice, (body, frozenset()), _turns(lattice, sort))), key=_key)


def _home(body: Body) -> Body:
    move = at_home(body)
    return frozenset(moved_by(a, move) for a in body)


def _key(body: Body) -> list[Atom]:
    return sorted(body, key=reading_order)


WAYS = ("picture", "atoms", "around", "placements")
KEYS = (*WAYS, "copies", "flips", "turns", "parts", "marks", "colours", "colour", "outlines")
OF_MARKS = ("at", "on", "mark")
Range = tuple[int, int | None]


@dataclass(frozen=True)
class Piece:
    """A piece, or several identical pieces."""

    members: tuple[str, ...]
    look: Look
    """The look of the piece as stated."""
    symmetries: tuple[int, ...]
    """Numbers of the symmetries that the rules of the first piece allow."""
    turns: tuple[tuple[int, ...], ...]
    """The same numbers for each piece."""
    ranges: tuple[Range, ...]
    listed: tuple[frozenset[Atom], ...] = ()
    """Its placements, if they are listed; then it has no look and no symmetries."""

    @property
    def name(self) -> str:
        """The name of the first piece."""
        return self.members[0]


@dataclass(frozen=True)
class Rules:
    """The defaults for all tiles."""

    flips: bool
    turns: Any
    crossings: tuple[Passage, ...]
    """The crossings by which a tile covers more than it states."""


def read_tiles(puzzle: Table, model: Table | None, lattice: Lattice, rules: Rules) -> tuple[Piece, ...]:
    """Return the tiles that are used, in the order of their first appearance: generated ones first, and the model before the instance."""
    says = [puzzle] if model is None else [model, puzzle]
    made = all_generated([table for fields in says for table in listed(fields.get("generate", []), "generate")], lattice)
    tables: dict[str, Any] = {}
    for name, body, copies in made:
        if name in tables:
            raise Rejected(f"generate: two tiles are named {shown(name)}")
        tables[name] = {"body": body, "copies": copies}
    for fields in says:
        for name, table in only(fields.get("tiles", {}), "tiles", fields.get("tiles", {})).items():
            changed = only(table, f"tiles.{name}", KEYS)
            no_shape = bool(changed) and set(changed) <= {"copies", "colour"} and name in tables
            tables[name] = {**tables[name], **changed} if no_shape else changed
    use = listed(puzzle.get("use", list(tables)), "use")
    if unknown := [name for name in use if name not in tables]:
        raise Rejected(f"use: there is no tile {shown(unknown[0])}")
    return joined([_read_tile(name, table, lattice, rules) for name, table in tables.items() if name in use], lattice)


def joined(tiles: Sequence[Piece], lattice: Lattice) -> tuple[Piece, ...]:
    """Return the tiles that have copies, with identical tiles, which have the same looks, joined into one."""
    used = [tile for tile in tiles if tile.ranges[0][1] != 0]
    sizes = Counter(map(_size, used))
    found: dict[object, Piece] = {}
    for tile in used:
        looks: object = tile.name if sizes[_size(tile)] == 1 else frozenset(tile.listed) or all_looks(lattice, tile.look, tile.symmetries)
        first = found.get(looks)
        if first is not None:
            both = first.ranges + tile.ranges
            tile = replace(first, members=first.members + tile.members, turns=first.turns + tile.turns, ranges=both)
        found[looks] = tile
    return tuple(found.values())


def _size(tile: Piece) -> tuple[int, int, int]:
    """Return a key that identical tiles have in common: tiles with other keys need not be compared."""
    return len(tile.listed), len(tile.look[0]), len(tile.look[1])


def _read_tile(name: str, fields: Table, lattice: Lattice, rules: Rules) -> Piece:
    where = f"tiles.{name}"
    copies = (read_range(fields.get("copies", 1), f"{where}.copies"),)
    if "placements" in fields:
        only(fields, where, ("placements", "outlines", "copies", "colour"))
        bodies = _placements(fields["placements"], f"{where}.placements", lattice, rules.crossings)
        return Piece((name,), (frozenset(), frozenset()), (), ((),), copies, bodies)
    atoms, marks = (list(fields["body"]), []) if "body" in fields else _shape(fields, where, lattice)
    covered = frozenset(atoms) | crossed(atoms, set(atoms).__contains__, rules.crossings)
    flips = flag(fields.get("flips", rules.flips), f"{where}.flips")
    numbers = allowed_turns(lattice, flips, fields.get("turns", rules.turns), f"{where}.turns")
    return Piece((name,), (covered, frozenset(marks)), numbers, (numbers,), copies)


def read_range(stated: Any, where: str) -> Range:
    """Return the minimum and the maximum number of copies; None if there is no limit."""
    if stated == "any":
        return 0, None
    if isinstance(stated, list):
        low, high = (number(x, where) for x in stated) if len(stated) == 2 else (1, 0)
    else:
        low = high = number(stated, where)
    if not 0 <= low <= high:
        raise Rejected(f"{where}: expected a number, two numbers, or 'any', got {shown(stated)}")
    return low, high


def _placements(stated: Any, where: str, lattice: Lattice, ways: Sequence[Passage]) -> tuple[frozenset[Atom], ...]:
    """Return the atoms of listed placements, each a list of atoms or a text, with the crossings that they cover."""
    known: dict[str, Atom] = {}

    def atom(written: str) -> Atom:
        if written not in known:
            numbers, names = written.split(",")[: lattice.dimension], written.split(",")[lattice.dimension :]
            try:
                known[written] = lattice.atom([*map(int, numbers), *names], where)
            except ValueError:
                raise Rejected(f"{where}: {shown(written)} is not an atom") from None
        return known[written]

    bodies = []
    for written in listed(stated, where):
        body = frozenset(map(atom, written.split()) if isinstance(written, str) else lattice.atoms(written, where))
        bodies.append(body | crossed(body, body.__contains__, ways))
    return tuple(bodies)


def _shape(fields: Table, where: str, lattice: Lattice) -> tuple[list[Atom], list[Mark]]:
    """Return the atoms and marks of a tile with a shape; a colour is a mark whose side and face are the coloured atom."""
    way = one_of(fields, where, WAYS)
    marks: list[Mark] = []
    if way == "around":
        atoms, marks = _around(fields[way], f"{where}.around", lattice)
    elif way == "picture":
        atoms = sorted(read_picture(fields[way], f"{where}.picture", lattice).atoms)
    else:
        atoms = lattice.atoms(fields[way], f"{where}.atoms")
    for mark in (only(m, f"{where}.marks", OF_MARKS, OF_MARKS) for m in listed(fields.get("marks", []), f"{where}.marks")):
        side, face = (lattice.atom(mark[key], f"{where}.marks: {key}") for key in ("at", "on"))
        marks.append((side, face, text(mark["mark"], f"{where}.marks")))
    for colour, refs in only(fields.get("colours", {}), f"{where}.colours", fields.get("colours", {})).items():
        marks += [(a, a, colour) for a in lattice.atoms(refs, f"{where}.colours.{colour}")]
    if len({(side, face) for side, face, _ in marks}) < len(marks):
        raise Rejected(f"{where}: two marks or colours lie at the same place")
    return atoms, marks


def _around(stated: Any, where: str, lattice: Lattice) -> tuple[list[Atom], list[Mark]]:
    """Return a tile of one face from the list around it: marks, or flags of the atoms that the tile covers."""
    rings = lattice.said.get("rings", {})
    if len(rings) != 1:
        raise Rejected(f"{where}: the grid has not one ring")
    ((name, ring),) = rings.items()
    face = (*(1,) * lattice.dimension, lattice.named(name, "grid.rings"))
    round_it = [(*(1 + number(x, "grid.rings") for x in cell), lattice.named(a, "grid.rings")) for a, *cell in ring]
    if not isinstance(stated, str | list) or len(stated) != len(round_it):
        raise Rejected(f"{where}: expected {len(round_it)} of them, got {shown(stated)}")
    roles = {lattice.said["atoms"][a[-1]].get("role") == MARK for a in round_it}
    if roles == {True}:
        return [face], [(side, face, text(mark, where)) for side, mark in zip(round_it, stated, strict=True)]
    if roles == {False} and set(stated) <= {"0", "1"}:
        return [face, *(a for a, there in zip(round_it, stated, strict=True) if there == "1")], []
    raise Rejected(f"{where}: expected marks, or 0 and 1, as the ring of the grid has it, got {shown(stated)}")


def all_named(names: Any, where: str, tiles: Sequence[Piece]) -> list[Piece]:
    """Return the tiles that a rule names, or all tiles; identical tiles must be named together."""
    if names == "all":
        return list(tiles)
    names_listed = {text(name, where) for name in listed(names, where)}
    found = [tile for tile in tiles if names_listed.intersection(tile.members)]
    if names_listed != {name for tile in found for name in tile.members}:
        raise Rejected(f"{where}: it names an unknown tile, or not all of some identical tiles")
    return found


def weights_of(weights: Mapping[str, Any], where: str, tiles: Sequence[Piece], weigh: Callable[[Any, str], int]) -> dict[str, int]:
    """Return the weight of each tile; identical tiles must have the same weight."""
    if unknown := weights.keys() - {name for tile in tiles for name in tile.members}:
        raise Rejected(f"{where}: there is no tile {shown(min(unknown))}")
    found = {}
    for tile in tiles:
        different = {weigh(weights.get(name, 0), where) for name in tile.members}
        if len(different) > 1:
            raise Rejected(f"{where}: identical tiles have different weights")
        found[tile.name] = different.pop()
    return found
