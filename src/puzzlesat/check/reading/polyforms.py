"""Polyforms: every connected set of so many faces, once up to the motions that do not matter, and its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..grid import Atom
from ..rejected import Rejected, TooLarge
from ..values import shown
from .grids import Lattice, at_home, moved_by, reading_order
from .looks import all_looks, turned_look
from .pictures import read_picture
from .tables import Table, number, one_of, only

Body = frozenset[Atom]
MOST_IMAGES = 250_000
FREE, ONE_SIDED, FIXED = "free", "one_sided", "fixed"


def generated(stated: Table, lattice: Lattice) -> dict[str, Body]:
    """Return the tiles of a table ``[[generate]]`` by their names, in the order of these.

    A polyform is known by the least of its images, as lists of atoms in reading order. Those with a name in the grid are laid as the
    picture of that name; its twins, which are the same form to the eye but not to the generator, get strokes behind the name. Others
    have the number at which they stand among all.
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
        several.sort(key=lambda twin: twin[0])  # the one in the picture first, the others as they come
        found |= {name + "'" * strokes: body for strokes, (_, body) in enumerate(several)}
    return dict(sorted(found.items()))


def all_generated(tables: list[Any], lattice: Lattice) -> list[tuple[str, Body, Any]]:
    """Return the tiles of several tables ``[[generate]]``, each with what the table says of copies.

    A name of several sizes gets the size.
    """
    made: list[tuple[int, dict[str, Body], Any]] = []
    for table in tables:
        said = only(table, "generate", (FREE, ONE_SIDED, FIXED, "copies"))
        made.append((said[one_of(said, "generate", (FREE, ONE_SIDED, FIXED))], generated(said, lattice), said.get("copies", 1)))
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
    """The names that the grid has for polyforms of a size, by the least image of each."""
    pictures = lattice.said.get("polyforms", {}).get(str(size), {})
    found: dict[Body, str] = {}
    for name, picture in pictures.items():
        body = _least(lattice, _home(read_picture(picture, "grid.polyforms", lattice).atoms), FREE)
        if len(body) != size or body in found:
            raise Rejected(f"grid.polyforms.{size}: {shown(name)} is there twice, or of another size")
        found[body] = name
    return found


def _classes(lattice: Lattice, size: int, sort: str) -> set[Body]:
    """The least image of every polyform: those of one face, and each of one more by laying a face beside one of one less.

    What is laid beside a tile of balls turns with it only by motions of the whole grid; so the others come last.
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
        if len(seen) > MOST_IMAGES:
            raise TooLarge(f"generate: there are too many polyforms of {size} faces")
        found = larger
    return {_least(lattice, body, sort) for body in found} if lattice.of_balls else found


def _turns(lattice: Lattice, sort: str) -> list[int]:
    """The numbers of the symmetries that do not matter."""
    return [i for i, turn in enumerate(lattice.turns) if i == 0 or sort == FREE or (sort == ONE_SIDED and not turn.mirror)]


def _images(lattice: Lattice, body: Body, sort: str) -> set[Body]:
    """A polyform after the symmetries of the grid that do not matter."""
    return {turned_look(lattice, number, (body, frozenset()))[0] for number in _turns(lattice, sort)}


def _least(lattice: Lattice, body: Body, sort: str) -> Body:
    """The least image of a polyform under all motions that do not matter."""
    return min((atoms for atoms, _ in all_looks(lattice, (body, frozenset()), _turns(lattice, sort))), key=_key)


def _home(body: Body) -> Body:
    move = at_home(body)
    return frozenset(moved_by(a, move) for a in body)


def _key(body: Body) -> list[Atom]:
    return sorted(body, key=reading_order)
