"""The judge of the front end: placements one by one, symmetries and reduction by their definitions, in loops over tuples.

It takes grids, tiles and forms from the program, but nothing that the program computes with arrays.
"""

from collections import defaultdict

import numpy as np

from puzzlesat.puzzles.grid import atom_order, translate
from puzzlesat.puzzles.lattice import apply_matrix, multiply
from puzzlesat.puzzles.placements import Placement, orientations
from puzzlesat.puzzles.puzzle import Mark
from puzzlesat.puzzles.wrap import remainder


def plain_placements(puzzle):
    """Every placement, in the order of tiles, orientations and first cells."""
    starts = sorted(puzzle.form.atoms, key=atom_order)
    wrap = puzzle.form.wrap
    starts += [] if wrap is None or wrap.glide is None else [wrap.glide(a) for a in starts]
    found = {}
    for number, tile in enumerate(puzzle.tiles):
        for position, atoms in enumerate(tile.listed, start=1):
            first = next((a for a in atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind), atoms[0])[:-1]
            name = f"{tile.name}.{position}@{'.'.join(map(str, first))}"
            found[number, frozenset(atoms), frozenset()] = Placement(number, position, first, name, atoms, ())
        for orientation in () if tile.listed else orientations(puzzle.grid, tile):
            for start in starts:
                if start[-1] == orientation.atoms[0][-1] and (placement := laid(puzzle, number, orientation, start)) is not None:
                    found.setdefault((number, frozenset(placement.atoms), frozenset(placement.marks)), placement)
    return list(found.values())


def laid(puzzle, number, orientation, start):
    """The orientation with its first atom on ``start``; None if it does not fit."""
    grid, form = puzzle.grid, puzzle.form
    move = tuple(s - a for s, a in zip(start[:-1], orientation.atoms[0][:-1], strict=True))
    lying = [translate(a, move) for a in orientation.atoms]
    atoms = covered(puzzle, lying)
    if atoms is None:
        return None
    marks = tuple(form.locate_mark(Mark(translate(m.side, move), translate(m.face, move), m.name)) for m in orientation.marks)
    shown = {(m.side, m.face): m.name for m in marks if not m.is_colour}
    for (side, face), name in shown.items():
        for other in grid.faces_at(side):
            met = shown.get((side, other)) if other != face else None
            if form.wrap is not None and met is not None and puzzle.mates[name] != met:
                return None
        outside = any(form.locate(f) is None for f in grid.faces_at(side))
        if outside and puzzle.border is not None and puzzle.mates[name] != puzzle.border:
            return None
    for colour in (m for m in marks if m.is_colour):
        below = form.colours.get(colour.face)
        if below is not None and below not in puzzle.fits[colour.name]:
            return None
    main = [a for a in lying if grid.atoms[a[-1]].kind == grid.main_kind] or lying
    cell = min(main, key=atom_order)[:-1]
    name = f"{puzzle.tiles[number].name}.{orientation.number}@{'.'.join(map(str, cell))}"
    return Placement(number, orientation.number, cell, name, atoms, marks)


def covered(puzzle, lying):
    """Return the atoms of the form that a tile covers, or None if it leaves the form or overlaps itself."""
    grid, form = puzzle.grid, puzzle.form
    if form.wrap is None:
        return tuple(lying) if form.atoms.issuperset(lying) else None
    own = [a for a in lying if grid.atoms[a[-1]].kind not in grid.crossing_kinds]
    atoms = [form.locate(a) for a in own]
    if None in atoms or len(set(atoms)) < len(own):
        return None
    beyond = [] if puzzle.may_cross else [form.locate(a) for a in grid.crossings_of(atoms, form.locate)]
    return None if None in beyond else tuple(dict.fromkeys(atoms + sorted(beyond, key=atom_order)))


def plain_symmetries(puzzle, placements):
    """Return the distinct images of all placements under the symmetries that the rules allow, the identity included."""
    looks = {(p.tile, look(p)): i for i, p in enumerate(placements)}
    of_tile = defaultdict(set)
    for tile, shown in looks:
        of_tile[tile].add(shown)
    found = set()
    for symmetry in puzzle.grid.motions:
        if symmetry.mirror and not puzzle.mirrored_same:
            continue
        for move in moves(puzzle.form, symmetry):
            image = form_image(puzzle, symmetry, move)
            if image is None:
                continue
            permutation = permuted(puzzle, placements, looks, of_tile, image, marked(puzzle, symmetry, move, image))
            if permutation is not None and keeps_rules(puzzle, placements, permutation, image):
                found.add(permutation)
    return found


def look(placement):
    return frozenset(placement.atoms), frozenset(placement.marks)


def moves(form, symmetry):
    """The translations that map the image of one atom to an atom of the form, or to its twin beyond a mirrored seam."""
    one = symmetry(min(form.atoms))
    sheets = (None,) if form.wrap is None else form.wrap.sheets
    targets = [a if glide is None else glide(a) for glide in sheets for a in form.atoms]
    return {tuple(t * symmetry.over - s for t, s in zip(a[:-1], one[:-1], strict=True)) for a in targets if a[-1] == one[-1]}


def form_image(puzzle, symmetry, move):
    """The image of each atom; None if the form, its colours or its seams change."""
    form = puzzle.form
    image = {}
    for atom in form.atoms:
        there = symmetry.on_grid(translate(symmetry(atom), move))
        home = None if there is None else form.locate(there)
        if home is None or (home in form.required) != (atom in form.required) or form.colours.get(home) != form.colours.get(atom):
            return None
        image[atom] = home
    if len(set(image.values())) < len(image) or not keeps_seams(form.wrap, symmetry, move, min(form.atoms)):
        return None
    return image


def keeps_seams(wrap, symmetry, move, atom):
    """Return whether a symmetry maps the group of the seams to itself: its translations, and its glide up to translations."""
    if wrap is None:
        return True
    for translation in wrap.translations:
        there = apply_matrix(symmetry.matrix, translation)
        if any(x % symmetry.over for x in there) or any(remainder(tuple(x // symmetry.over for x in there), wrap.translations)):
            return False
    if wrap.glide is None:
        return True
    mirror = wrap.glide.symmetry.matrix
    one, other = translate(symmetry(wrap.glide(atom)), move), wrap.glide(translate(symmetry(atom), move))
    apart = tuple(b - a for a, b in zip(one[:-1], other[:-1], strict=True))
    alike = multiply(symmetry.matrix, mirror) == multiply(mirror, symmetry.matrix) and one[-1] == other[-1]
    return alike and not any(remainder(apart, wrap.translations))


def marked(puzzle, symmetry, move, image):
    """A function that maps marks to their images."""

    def there(mark):
        if mark.is_colour:
            return Mark(image[mark.face], image[mark.face], mark.name)
        side, face = (translate(symmetry(a), move) for a in (mark.side, mark.face))
        return puzzle.form.locate_mark(Mark(side, face, mark.name))

    return there


def permuted(puzzle, placements, looks, of_tile, image, there):
    """The image of each placement: a tile maps to itself if possible, else to the first free tile with the same looks and copies."""
    moved = [(frozenset(image[a] for a in p.atoms), frozenset(map(there, p.marks))) for p in placements]
    target = {}
    for t, tile in enumerate(puzzle.tiles):
        seen = {shown for p, shown in zip(placements, moved, strict=True) if p.tile == t}
        others = [u for u, other in enumerate(puzzle.tiles) if u != t and other.supply == tile.supply]
        target[t] = next((u for u in (t, *others) if u not in target.values() and of_tile[u] == seen), None)
        if target[t] is None:
            return None
    return tuple(looks[target[p.tile], shown] for p, shown in zip(placements, moved, strict=True))


def keeps_rules(puzzle, placements, permutation, image):
    fixed = {i for i, p in enumerate(placements) if p.name in puzzle.fixed}
    if {permutation[i] for i in fixed} != fixed:
        return False
    return puzzle.split is None or {image[a] for a in puzzle.split.atoms} == puzzle.split.atoms


def plain_exclusions(problem):
    """Array (options, options): whether two options exclude each other, pair by pair."""
    rows = [list(zip(problem.items_of(o).tolist(), problem.colour[problem.start[o] : problem.start[o + 1]].tolist(), strict=True))
            for o in range(problem.size)]  # fmt: skip
    found = np.zeros((problem.size, problem.size), dtype=bool)
    for o, one in enumerate(rows):
        for p, other in enumerate(rows):
            colours = dict(other)
            for item, colour in one if o != p else ():
                if item in colours:
                    same = colour == colours[item] != 0
                    found[o, p] |= not same if problem.coloured[item] else problem.high[item] == 1
    return found


def plain_reduction(problem):
    """The options left after repeatedly removing those with which some item cannot be covered."""
    exclude = plain_exclusions(problem)
    alive = np.ones(problem.size, dtype=bool)
    while True:
        dead = np.zeros(problem.size, dtype=bool)
        for item in np.flatnonzero(problem.low > 0):
            options = [o for o in range(problem.size) if alive[o] and item in problem.items_of(o)]
            dead |= len(options) - exclude[options].sum(axis=0) < problem.low[item]
        dead[list(problem.forced)] = False
        if not (dead & alive).any():
            return alive
        alive &= ~dead
