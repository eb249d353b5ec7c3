"""Random small puzzles on every grid in every combination of features, as the tables of their files.

Everything is drawn from one ``random.Random``, so a seed gives the same puzzles, and hypothesis can shrink them.
Nothing of puzzlesat is imported here.
"""

from functools import cache
from itertools import product
from math import gcd, prod

from brute_force import _mirror_along, _name_of, _partner, determinant, lattice_of
from seams import FILES, SCALE, make_seams, moved, times, turned
from solution_judge import PLACE_RULES, name_of, neighbours_of

SLOTS = ("bl", "br", "ll", "lu")
MARKS = {"p": {"kind": "halves"}, "s": {"kind": "self"}, "l": {"kind": "lonely"}}
MARK_NAMES = ["p+", "p-", "s", "l"]
MATE = {"p+": "p-", "p-": "p+", "s": "s"}
GRIDS = tuple(FILES)
LATTICES = {name: lattice_of(name) for name in GRIDS}
BOXES = {
    2: [(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (3, 2), (4, 2), (3, 3), (5, 1), (4, 3)],
    3: [(1, 1, 1), (2, 1, 1), (1, 1, 2), (2, 2, 1), (1, 3, 1), (1, 1, 3), (3, 2, 1), (2, 2, 2)],
}
"""By dimension, the smallest first."""
MAX_IN_BOX = 20
"""Atoms, without crossings."""
MAX_ATOMS = 12
"""Larger forms would keep the judge busy for too long."""


def boxes_of(lattice):
    """Boxes of a grid that are small enough; a single cell is always included."""
    cell = sum(lattice.kind(a) != "crossing" for a in lattice.names)
    boxes = BOXES[lattice.dimension]
    return [box for box in boxes if cell * prod(box) <= MAX_IN_BOX] or boxes[:1]


def turns_of(lattice):
    """The groups of turns that a model may ask for; in space "none" alone."""
    if lattice.dimension == 3:
        return ["none"]
    every = sorted({lattice.degrees(t.matrix) for t in lattice.turns if determinant(t.matrix) > 0})
    return ["none"] + [every[:: len(every) // n] for n in range(2, len(every) + 1) if len(every) % n == 0]


COPIES = {
    "copies: several": [2, 3],
    "copies: any number": ["any"],
    "copies: a range": [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]],
    "copies: none": [0],
}
SEAMS = ("wrap: cylinder", "wrap: torus", "wrap: skew torus", "wrap: Möbius strip", "wrap: Klein bottle")


class Dice:
    """Random choices that always include wanted features and never include features that exclude these."""

    def __init__(self, random, want=()):
        self.random = random
        self.want = frozenset(want)

    def chance(self, feature, share):
        """Return whether to use a feature, at random with probability ``share``."""
        return feature in self.want or self.random.random() < share

    def one(self, options):
        return self.random.choice(list(options))

    def some(self, options, most):
        options = list(options)
        return self.random.sample(options, self.random.randint(1, min(most, len(options))))


def random_puzzle(random, grid=None, want=(), flat=False, ruled=True):
    """Return the tables of an instance that spells out its model, with ``form.atoms`` or ``form.box``, and with the wanted features.

    Every checker of certificates accepts ``flat`` puzzles: their forms do not wrap around and have no balls, and no tile lists its
    placements. Without ``ruled`` they have no rules on solutions, which some solvers refuse. The features are those of ``features``; two
    that exclude each other cannot both be wanted.
    """
    dice = Dice(random, want)
    grid = grid or next((w.removeprefix("grid: ") for w in sorted(want) if w.startswith("grid: ")), None) or _grid_for(dice, flat)
    lattice = LATTICES[grid]
    puzzle = {"title": "random", "grid": grid, "flips": dice.chance("flips", 0.5) and "no flips" not in dice.want}
    if lattice.main == "edge" and dice.chance("may cross", 0.3):
        puzzle["may_cross"] = True
    _turns(dice, puzzle, puzzle, "turns")
    if grid == "balls":
        puzzle |= {"flips": False, "turns": "none"}
    form, here, seams = _form(dice, lattice, flat)
    for _ in range(20 if dice.want & {"solutions: symmetric", "solutions: symmetric_outline"} else 0):
        if any(name_of(lattice, turn) and _keeps(lattice, {"form": form}, turn) for turn in lattice.turns):
            break
        form, here, seams = _form(dice, lattice, flat)
    puzzle["form"] = form
    parts = _parts(dice, lattice, seams, here)
    puzzle["tiles"] = _tiles(dice, lattice, seams, puzzle, parts)
    for tile in puzzle["tiles"].values():
        _vary(dice, puzzle, tile, len(here))
    if not flat and _may_list(lattice, puzzle) and dice.chance("listed placements", 0.2):
        _list(dice, lattice, seams, puzzle, here, parts)
    names = sorted(puzzle["tiles"])
    if names and dice.chance("identical tiles", 0.25):
        twin = dice.one(names)
        puzzle["tiles"][f"{twin}x"] = dict(puzzle["tiles"][twin]) | {"copies": _copies(dice)}
    slots = {*form.get("inner", {}).values(), *form.get("outer", {}).values()}
    may_all = "atoms" not in form and "required" not in slots  # a required kind contradicts "all"
    if may_all and not dice.want & {"some optional"} and dice.chance("all optional", 0.15):
        form["optional"] = "all"
    elif dice.chance("some optional", 0.3):
        form["optional"] = sorted(map(list, dice.some(here, 3)))
    if dice.chance("colours", 0.25):
        _colour(dice, puzzle, here)
    if dice.chance("mirrored", 0.3):
        puzzle["mirrored"] = dice.one(["same", "different"])
    used = sorted(t for t, tile in puzzle["tiles"].items() if tile.get("copies", 1) != 0)
    if used and dice.chance("break on", 0.25):
        puzzle["break_on"] = dice.one(used)
    if dice.want & _of("condition:") or dice.random.random() < 0.35:
        puzzle["conditions"] = [_condition(dice, lattice, here, puzzle["tiles"], i) for i in range(dice.random.randint(1, 2))]
    if dice.random.random() < 0.4 and (related := _relatives(dice, lattice, puzzle, here)):
        puzzle["conditions"] = related if dice.random.random() < 0.9 else [*puzzle.get("conditions", [])[:1], *related]
    if dice.want & _of("split") or dice.random.random() < 0.25:
        puzzle["split"] = {"name": "left", "uncovered": _split(dice, lattice)}
    if dice.want & _of("solutions:") or (ruled and dice.random.random() < 0.3):
        _rules_on_solutions(dice, lattice, puzzle, here)
    return puzzle


def _grid_for(dice, flat):
    """A grid on which the wanted features are possible."""
    grids = [grid for grid in GRIDS if not (flat and grid == "balls")]
    fitting = [grid for grid in grids if all(possible(f"grid: {grid}", feature) for feature in dice.want)]
    return dice.one(fitting + [grid for grid in fitting if LATTICES[grid].main == "edge"] * 2)


def _of(start):
    return {feature for feature in FEATURES if feature.startswith(start)}


# ---------------------------------------------------------------- features

FEATURES = (
    *(f"grid: {grid}" for grid in GRIDS),
    *SEAMS,
    *("period 1", "period 2", "period 3"),
    *("box", "atoms", "removed", "form in parts", "one atom", "negative", "far"),
    *("flips", "no flips", "turns", "tile flips", "tile turns", "mirrored", "break on", "may cross"),
    *("tile in parts", "identical tiles", "listed placements", *COPIES),
    *("some optional", "all optional", "colours"),
    *("marks", "border", "slots", "outer slots"),
    *("condition: along", "condition: atoms", "condition: tiles"),
    *("condition: equals", "condition: between", "condition: modulo"),
    *("split", "split: inner", "split: outer"),
    *(f"solutions: {key}" for key in (*PLACE_RULES, "symmetric", "symmetric_outline", "colours")),
    *("solutions: touch_border", "solutions: inside", "solutions: apart", "solutions: strictly", "solutions: holds"),
)
"""The features of puzzles; each possible pair occurs among random puzzles (tests/test_random_puzzles.py)."""


def features(puzzle):
    """The features that a puzzle has, from its tables alone."""
    lattice, form = LATTICES[puzzle["grid"]], puzzle["form"]
    tiles = list(puzzle["tiles"].values())
    wrap = form.get("wrap", [])
    refs = [[1] * lattice.dimension] if "atoms" not in form else form["atoms"]
    numbers = [x for ref in refs for x in ref[: lattice.dimension]]
    conditions = puzzle.get("conditions", [])
    split = puzzle.get("split", {}).get("uncovered", "")
    copies = [tile.get("copies", 1) for tile in tiles]
    looks = [str({k: v for k, v in tile.items() if k != "copies"}) for tile in tiles]
    has = {
        f"grid: {lattice.name}": True,
        **dict.fromkeys([_kind_of_seams(wrap)] if wrap else [], True),
        **{f"period {n}": any(max(map(abs, s["move"])) == n for s in wrap) for n in (1, 2, 3)},
        "box": "box" in form,
        "atoms": "atoms" in form,
        "removed": bool(form.get("remove")),
        "form in parts": len(_pieces_of(lattice, _form_atoms(lattice, form))) > 1,
        "one atom": len(_form_atoms(lattice, form)) == 1,
        "negative": min(numbers) < 0,
        "far": max(map(abs, numbers)) > 10**6,
        "flips": puzzle["flips"],
        "no flips": not puzzle["flips"],
        "turns": "turns" in puzzle,
        "tile flips": any("flips" in tile for tile in tiles),
        "tile turns": any("turns" in tile for tile in tiles),
        "mirrored": "mirrored" in puzzle,
        "break on": "break_on" in puzzle,
        "may cross": "may_cross" in puzzle,
        "tile in parts": any("atoms" in t and len(_pieces_of(lattice, set(map(lattice.atom, _faces(lattice, t))))) > 1 for t in tiles),
        "identical tiles": len(set(looks)) < len(looks),
        "listed placements": any("placements" in tile for tile in tiles),
        "copies: several": any(c in (2, 3) for c in copies),
        "copies: any number": "any" in copies,
        "copies: a range": any(isinstance(c, list) for c in copies),
        "copies: none": 0 in copies,
        "some optional": isinstance(form.get("optional"), list),
        "all optional": form.get("optional") == "all",
        "colours": "colours" in puzzle,
        "marks": "marks" in puzzle,
        "border": "border" in form,
        "slots": "slot" in form.get("inner", {}),
        "outer slots": "slot" in form.get("outer", {}),
        **{f"condition: {way}": any(way in c for c in conditions) for way in ("along", "atoms", "tiles", "equals", "between", "modulo")},
        "split": bool(split) and " " not in split,
        **{f"split: {where}": split.startswith(where) for where in ("inner", "outer")},
        **{name: True for rule in puzzle.get("solutions", {}) if (name := f"solutions: {rule}") in FEATURES},
    }
    return frozenset(name for name, there in has.items() if there)


def possible(one, other):
    """Return whether a puzzle can have both features."""
    return not (_excludes(one, other) or _excludes(other, one))


SPACE = {f"grid: {name}" for name, lattice in LATTICES.items() if lattice.dimension == 3}
LARGE_CELLS = {f"grid: {name}" for name, lattice in LATTICES.items() if len(lattice.names) > 9 and lattice.main == "face"}
ONLY_ON = {"grid: square-marks": {"marks", "border"}, "grid: square-slots": {"slots", "outer slots", "split: inner", "split: outer"}}
NO_LINES = {"grid: balls", "grid: square-slots"}
"""Grids on which no straight line lies between tiles."""
UNNAMED = {"grid: balls", "grid: rhombic-tetrahedra"}
"""Grids on which small forms have no symmetry that the judge has a name for; balls have some that he does not know."""
IN_THE_PLANE = {f"solutions: {key}" for key, (_, where, _) in PLACE_RULES.items() if where == "plane"}
WITH_LINES = {f"solutions: {key}" for key, (_, where, _) in PLACE_RULES.items() if where == "lines"}
ON_FLAT_FORMS = {*WITH_LINES, "solutions: symmetric", "solutions: symmetric_outline"}
EXCLUSIVE = (
    {f"grid: {grid}" for grid in GRIDS},
    set(SEAMS),
    {"box", "atoms"},
    {"flips", "no flips"},
    {"some optional", "all optional"},
    {"split", "split: inner", "split: outer"},
    {"box", "negative"},
    {"box", "far"},
    {"one atom", "form in parts"},
    {"atoms", "all optional"},  # never drawn together: a box states this differently
    {"all optional", "negative"},
    {"all optional", "far"},
)


def _excludes(one, other):
    if one != other and any({one, other} <= group for group in EXCLUSIVE):
        return True
    if any(one.startswith("grid: ") and one != grid and other in only for grid, only in ONLY_ON.items()):
        return True
    if any(one in mine and other in theirs for mine, theirs in (list(ONLY_ON.values()), list(reversed(ONLY_ON.values())))):
        return True
    if one == "may cross" and other.startswith("grid: ") and not other.endswith("-edges"):
        return True
    if one == "may cross" and any(other in only for only in ONLY_ON.values()):
        return True
    if one == "listed placements" and other in ("grid: square-marks", "marks", "border"):
        return True  # cards consist of their marks
    if one in SPACE and other in ("wrap: Möbius strip", "wrap: Klein bottle"):
        return True
    if one in SPACE and other in IN_THE_PLANE:
        return True
    if other in WITH_LINES and one.startswith("grid: ") and (LATTICES[one[6:]].main == "edge" or one in NO_LINES):
        return True
    if other in WITH_LINES and one in ONLY_ON["grid: square-slots"] | {"may cross"}:
        return True
    if one in {*SEAMS, "period 1", "period 2", "period 3"} and other in ON_FLAT_FORMS:
        return True
    if one in UNNAMED and other in ("solutions: symmetric", "solutions: symmetric_outline"):
        return True
    if one == "grid: balls" and other in ("flips", "no flips", "turns", "tile flips", "tile turns"):
        return other not in ("no flips", "turns")
    return one in LARGE_CELLS and other == "period 3"


def _kind_of_seams(wrap):
    mirrored = any(s.get("mirror") for s in wrap)
    if len(wrap) == 1:
        return "wrap: Möbius strip" if mirrored else "wrap: cylinder"
    if mirrored:
        return "wrap: Klein bottle"
    return "wrap: torus" if all(sum(map(bool, s["move"])) == 1 for s in wrap) else "wrap: skew torus"


def _form_atoms(lattice, form):
    refs = form["atoms"] if "atoms" in form else refs_of(lattice, form["box"])
    gone = {lattice.atom(r) for r in form.get("remove", [])}
    return {lattice.atom(r) for r in refs} - gone


def _faces(lattice, tile):
    return [r for r in tile["atoms"] if len(r) == lattice.dimension or lattice.kind(r[-1]) == lattice.main]


def _pieces_of(lattice, atoms):
    """The parts of a set of atoms that are connected through sides."""
    left, found = set(atoms), []
    while left:
        part, waiting = set(), [left.pop()]
        while waiting:
            here = waiting.pop()
            part.add(here)
            near = left.intersection(neighbours_of(lattice, here))
            left -= near
            waiting += near
        found.append(part)
    return found


# ---------------------------------------------------------------- forms


def refs_of(lattice, box):
    """References to all atoms of the main kind in a box."""
    cells = product(*(range(1, side + 1) for side in box))
    return [(*c, a) for c in cells for a in lattice.names if lattice.kind(a) == lattice.main]


def _form(dice, lattice, flat):
    """The table of a form, references to its remaining atoms, and its seams."""
    box, wrap = _box_and_wrap(dice, lattice, flat)
    refs = refs_of(lattice, box)
    form = {"box": list(box)} if wrap is None else {"box": list(box), "wrap": wrap}
    mirrored = [s["move"] for s in wrap or [] if s.get("mirror")]
    symmetric = _own_mirror_image(lattice, tuple(refs), tuple(mirrored[0])) if mirrored else refs
    needs_atoms = dice.want & {"atoms", "negative", "far"} or len(symmetric) < len(refs)
    refs = symmetric
    if needs_atoms or ("box" not in dice.want and "all optional" not in dice.want and dice.random.random() < 0.5):
        refs = [(*(c + s for c, s in zip(r[:-1], shift, strict=True)), r[-1]) for shift in [_shift(dice, lattice)] for r in refs]
        form = {"atoms": [list(r) for r in refs]} | ({"wrap": wrap} if wrap else {})
    here = _thinned(dice, lattice, refs)
    gone = sorted(set(refs) - set(here))
    if gone and "atoms" in form and not mirrored and "removed" not in dice.want and dice.random.random() < 0.7:
        form["atoms"] = [list(r) for r in here]
    elif gone:
        form["remove"] = [list(r) for r in gone]
    atoms = {lattice.atom(r) for r in refs}
    seams = make_seams(wrap or [], lattice.dimension, lambda move: _mirror_along(lattice, atoms, move))
    seams.settle(lattice.atom(r) for r in here)
    return form, here, seams


@cache
def _own_mirror_image(lattice, refs, move):
    """Return the largest part of the atoms that is its own mirror image along a direction, over all places of the mirror."""
    (mirror,) = [t for t in lattice.turns if determinant(t.matrix) < 0 and times(t.matrix, move) == move]
    atoms = {lattice.atom(r): r for r in refs}
    turned_over = [turned(mirror, a) for a in atoms]
    images = ({moved(a, home) for a in turned_over} & atoms.keys() for home in product(range(-5, 9), repeat=2) if is_mirror(mirror, home))
    return sorted(atoms[a] for a in max(images, key=len))


def is_mirror(turn, home):
    """Return whether a turn followed by a translation is a mirror: applied twice, it moves nothing. A glide moves atoms."""
    way = [SCALE * h + o for h, o in zip(home, turn.offset, strict=True)]
    return not any(x + y for x, y in zip(times(turn.matrix, way), way, strict=True))


def has_mirror_along(lattice, move):
    """Return whether a grid has a mirror along a direction. If there are only glides, no form is its own mirror image."""
    over = [t for t in lattice.turns if determinant(t.matrix) < 0 and times(t.matrix, move) == tuple(move)]
    return any(is_mirror(turn, home) for turn in over for home in product(range(-2, 3), repeat=2))


def _shift(dice, lattice):
    """The place of a form given by its atoms."""
    if dice.chance("far", 0.1):
        return [dice.one([-1, 1]) * dice.random.randint(10**6 + 9, 5 * 10**8) for _ in range(lattice.dimension)]
    if "negative" in dice.want:
        return [-dice.random.randint(5, 9) for _ in range(lattice.dimension)]
    return [dice.random.randint(-5, 5) for _ in range(lattice.dimension)]


def _thinned(dice, lattice, refs):
    """Remove some atoms: to make the form small, to divide it, or for no reason."""
    refs = sorted(refs)
    if dice.chance("one atom", 0.04) and "form in parts" not in dice.want:
        return [dice.one(refs)]
    if dice.chance("form in parts", 0.08):
        for _ in range(20):
            kept = sorted(dice.random.sample(refs, min(len(refs), dice.random.randint(2, 6))))
            if len(_pieces_of(lattice, {lattice.atom(r) for r in kept})) > 1:
                return kept
    most = MAX_ATOMS if lattice.main != "edge" else MAX_ATOMS + 4
    least = 1 if "removed" in dice.want else 0
    number = max(len(refs) - most, least, dice.one([0, 0, 1, 2, 3]))
    if number >= len(refs):
        return refs
    if number > 3:  # the rest should be connected
        kept = _grown(dice, lattice, {lattice.atom(r): r for r in refs}, len(refs) - number)
        return sorted(kept)
    gone = set(dice.random.sample(refs, number))
    return [r for r in refs if r not in gone]


def _grown(dice, lattice, left, size):
    """The references of a connected part of the atoms ``left`` (shapes with references), grown up to ``size`` atoms if possible."""
    part = [dice.one(sorted(left, key=sorted))]
    while len(part) < size:
        near = sorted({n for a in part for n in neighbours_of(lattice, a) if n in left} - set(part), key=sorted)
        if not near:
            break
        part.append(dice.one(near))
    return [left[a] for a in part]


def _box_and_wrap(dice, lattice, flat):
    boxes = boxes_of(lattice)
    kind = next((s for s in SEAMS if s in dice.want), None)
    periods = [int(w[-1]) for w in sorted(dice.want) if w.startswith("period ")]
    if flat or (kind is None and not periods and dice.random.random() < (0.3 if lattice.main == "edge" else 0.5)):
        return dice.one([b for b in boxes if not dice.want & {"removed", "form in parts"} or len(refs_of(lattice, b)) > 2] or boxes), None
    kind = kind or dice.one([s for s in SEAMS if lattice.dimension == 2 or ("Möbius" not in s and "Klein" not in s)])
    box = list(dice.one(boxes))
    if periods:
        for axis, period in zip(range(lattice.dimension), dice.random.sample(periods, len(periods)), strict=False):
            box[axis] = period
    if dice.want & {"removed", "form in parts"} and len(refs_of(lattice, box)) < 3:
        box[-1] = 3 if lattice.main != "face" or len(lattice.names) < 10 else 2
    seams = _seams(dice, lattice, kind, box, bool(periods))
    return tuple(box), seams


def _seams(dice, lattice, kind, box, keep):
    """Seams of a kind for a box, which is changed in place if the kind needs another box."""
    axes = range(lattice.dimension)

    def step(axis, sign=1):
        return [sign * box[axis] * (i == axis) for i in axes]

    if kind == "wrap: cylinder":
        return [{"move": step(dice.one(axes) if not keep else 0)}]
    if kind in ("wrap: torus", "wrap: skew torus"):
        chosen = sorted(dice.random.sample(axes, 2)) if lattice.dimension == 2 or dice.random.random() < 0.5 else list(axes)
        if keep and 0 not in chosen:
            chosen[0] = 0
        moves = [step(axis, dice.one([1, 1, -1])) for axis in chosen]
        if kind == "wrap: skew torus":
            first, second = dice.random.sample(range(len(chosen)), 2)
            moves[first][chosen[second]] = dice.one([1, 1, -1, 2])
        return [{"move": m} for m in moves]
    if has_mirror_along(lattice, (1, 0)) and lattice.gram[0][1] == 0 and dice.random.random() < 0.6:
        axis = 0 if keep else dice.one(axes)
        return [{"move": step(axis), "mirror": True}] + ([{"move": step(1 - axis)}] if kind == "wrap: Klein bottle" else [])
    # along a diagonal, which the mirror that exchanges the two axes keeps
    box[:] = [min(box[0], 2 if len(lattice.names) > 2 else 3)] * 2
    n = box[0]
    return [{"move": [n, n], "mirror": True}] + ([{"move": [n, -n]}] if kind == "wrap: Klein bottle" else [])


# ---------------------------------------------------------------- tiles


def touch(lattice, one, other):
    """Return whether two atoms, by reference, share a side."""
    return lattice.atom(other) in neighbours_of(lattice, lattice.atom(one))


def _parts(dice, lattice, seams, here):
    """Divide the form into tiles, as shapes of the plane: connected ones, also across seams, and some in two parts."""
    left = {lattice.atom(r) for r in here}
    sizes = [dice.random.randint(1, 4) for _ in range(dice.random.randint(1, 4))]
    parts = []
    in_parts = dice.chance("tile in parts", 0.1)
    while left:
        first = min(left, key=sorted) if dice.random.random() < 0.5 else dice.one(sorted(left, key=sorted))
        left.remove(first)
        part = [first]
        for _ in range(sizes[len(parts) % len(sizes)] - 1):
            near = sorted({n for a in part for n in neighbours_of(lattice, a) if seams.home(n) in left}, key=sorted)
            if not near:
                break
            part.append(dice.one(near))
            left.remove(seams.home(part[-1]))
        if in_parts and (apart := sorted(left.difference(n for a in part for n in neighbours_of(lattice, a)), key=sorted)):
            part.append(dice.one(apart))
            left.remove(part[-1])
            in_parts = False
        parts.append(part)
    if in_parts and lattice.name not in ("square-slots", "square-marks"):  # the form has no room for them
        parts.append([parts[0][0], moved(parts[0][0], [3] * lattice.dimension)])
    if "tile in parts" in dice.want:
        return parts[-3:]
    if len(parts) > 2 and dice.random.random() < 0.4:  # few tiles, which will have several copies
        return dice.some(parts, 2)
    return parts[:4] if dice.random.random() < 0.5 else parts


def _ref(lattice, atom):
    return list(_name_of(lattice, atom))


def _tiles(dice, lattice, seams, puzzle, parts):
    if lattice.name == "square-marks":
        return _cards(dice, lattice, seams, puzzle, parts)
    if lattice.name == "square-slots":
        return _noses(dice, lattice, seams, puzzle["form"], parts)
    tiles = {}
    for i, part in enumerate(parts):
        by = [dice.one([0, 0, 0, -7, dice.random.randint(-(10**8), 10**8)]) for _ in range(lattice.dimension)]
        tiles[f"t{i}"] = {"atoms": [_ref(lattice, moved(a, by)) for a in part]}
    return tiles


def _vary(dice, puzzle, tile, area):
    """Vary the copies of a tile, and the rules for this tile alone."""
    if (dice.want & set(COPIES) and dice.random.random() < 0.8) or dice.random.random() < 0.35:
        tile["copies"] = _copies(dice)
    elif len(puzzle["tiles"]) < 3 and dice.random.random() < 0.7:  # as many copies as fill the form, or any number
        tile["copies"] = dice.one(["any", max(1, area // max(1, len(tile.get("atoms", [0]))) // len(puzzle["tiles"]))])
    if puzzle["grid"] == "balls":
        return
    if dice.chance("tile flips", 0.15):
        tile["flips"] = dice.random.random() < 0.5
    _turns(dice, puzzle, tile, "tile turns")


def _may_list(lattice, puzzle):
    """Cards consist of their marks, and on a form that wraps around the crossings of a tile are known only where it lies."""
    crossings = any(lattice.kind(a) == "crossing" for a in lattice.names)
    return lattice.name != "square-marks" and not ("wrap" in puzzle["form"] and crossings and not puzzle.get("may_cross"))


def _list(dice, lattice, seams, puzzle, here, parts):
    """List the placements of a tile, or of some: one where it would lie, and others of any shape and size."""
    for name in dice.some(sorted(puzzle["tiles"]), 2):
        wanted = [{lattice.atom(r) for r in dice.some(here, 4)} for _ in range(dice.random.randint(0, 6))]
        wanted += [{seams.home(a) for a in part} for part in dice.some(parts, 3)]
        known = {frozenset(body) for body in wanted if None not in body}
        listed = [
            [_ref(lattice, a) for a in sorted(body, key=sorted)] for body in sorted(known, key=lambda body: sorted(map(sorted, body)))
        ]
        if listed:
            dice.random.shuffle(listed)
            copies = {key: value for key, value in puzzle["tiles"][name].items() if key == "copies"}
            puzzle["tiles"][name] = {"placements": listed} | copies


def _turns(dice, puzzle, table, feature):
    """Restrict the turns of all tiles, or of one; in space this is only defined if nothing is flipped."""
    lattice = LATTICES[puzzle["grid"]]
    if dice.chance(feature, 0.2):
        ways = turns_of(lattice) if table is puzzle else ["all", *turns_of(lattice)]
        table["turns"] = dice.one(ways)
    if lattice.dimension == 3 and table.get("turns", puzzle.get("turns", "all")) != "all" and table.get("flips", puzzle["flips"]):
        if table is puzzle and "flips" in dice.want:
            table["turns"] = "all"
        else:
            table["flips"] = False


def _copies(dice):
    wanted = [c for feature, ways in COPIES.items() if feature in dice.want for c in ways]
    return dice.one([*wanted, 1] if wanted == [0] else wanted or [1, 1, 2, 3, "any", [0, 1], [0, 2], [1, 2], [1, 3], [2, 3], 0])


def _around(lattice, atom):
    """The sides or slots around a square, in the order of the grid's ring."""
    x, y, _ = _name_of(lattice, atom)
    return [(lattice.atom([x + dx, y + dy, name]), [x + dx, y + dy, name]) for name, dx, dy in lattice.ring]


def _cards(dice, lattice, seams, puzzle, parts):
    """Tiles of one or more squares, whose marks agree in at least one arrangement as long as nothing is changed."""
    names = dice.one([["s"], ["p+", "p-"], MARK_NAMES])
    form = puzzle["form"]
    puzzle["marks"] = MARKS
    if dice.chance("border", 0.3):
        form["border"] = dice.one(["s", "p+"])
    chosen = {}
    tiles = {}
    for i, part in enumerate(parts):
        marks = []
        for face in part:
            for side, ref in _around(lattice, face):
                if sum(side <= f for f in part) > 1:
                    continue
                flag, partner = seams.flag(side, face), _partner(lattice, seams, *seams.flag(side, face))
                if partner in chosen:
                    mark = MATE.get(chosen[partner], "s")
                elif partner is None and "border" in form:
                    mark = MATE[form["border"]]
                else:
                    mark = dice.one(names)
                if dice.random.random() < 0.06:
                    mark = dice.one(MARK_NAMES)
                chosen.setdefault(flag, mark)
                marks.append({"at": ref, "on": _ref(lattice, face), "mark": mark})
        if len(part) == 1 and dice.random.random() < 0.7:
            tiles[f"t{i}"] = {"around": [m["mark"] for m in marks]}
        else:
            tiles[f"t{i}"] = {"atoms": [_ref(lattice, a) for a in part], "marks": [m for m in marks if dice.random.random() < 0.85]}
    return tiles


def _noses(dice, lattice, seams, form, parts):
    """Tiles of squares with noses; each slot belongs to one of its squares, or to none."""
    form["inner"] = {"slot": dice.one(["required", "optional"])}
    if dice.chance("outer slots", 0.35):
        form["outer"] = {"slot": dice.one(["required", "optional", "none"])}
    taken = set()
    seen = set()
    tiles = {}
    for i, part in enumerate(parts):
        atoms = [_ref(lattice, a) for a in part]
        pattern = []
        for face in part:
            for slot, ref in _around(lattice, face):
                flag, partner = seams.flag(slot, face), _partner(lattice, seams, *seams.flag(slot, face))
                may = partner is not None or form.get("outer", {}).get("slot", "none") != "none"
                want = may and (dice.random.random() < 0.5 or (partner in seen and dice.random.random() < 0.5))
                nose = want and flag not in taken and partner not in taken and ref not in atoms
                if nose:
                    taken.add(flag)
                    atoms.append(ref)
                seen.add(flag)
                pattern.append("1" if nose else "0")
        single = len(part) == 1 and dice.random.random() < 0.5
        tiles[f"t{i}"] = {"around": "".join(pattern)} if single else {"atoms": atoms}
    return tiles


# ---------------------------------------------------------------- rules


def _colour(dice, puzzle, here):
    """Colours of some atoms of the tiles and of the form, and the pairs that may lie on each other."""
    puzzle["colours"] = {c: [b for b in ("red", "blue") if dice.random.random() < 0.5] for c in ("red", "dark")}
    refs = dice.some(here, 6)
    middle = dice.random.randint(0, len(refs))
    puzzle["form"]["colours"] = {"red": sorted(map(list, refs[:middle])), "blue": sorted(map(list, refs[middle:]))}
    for tile in puzzle["tiles"].values():
        if "atoms" in tile and dice.random.random() < 0.5:
            tile["colours"] = {dice.one(["red", "dark"]): [dice.one(tile["atoms"])]}


def _condition(dice, lattice, here, tiles, number):
    table = {"name": f"c{number}"}
    ways = ["along", "atoms", "tiles"]
    way = dice.one([w for w in ways if f"condition: {w}" in dice.want] or ways)

    def small():
        return dice.random.randint(-3, 3)

    if way == "along":
        table["along"] = [dice.random.randint(-2, 2) for _ in range(lattice.dimension)]
        table["values"] = [small() for _ in range(dice.random.randint(1, 3))]
        if dice.random.random() < 0.5:
            table["shift"] = {lattice.names[-1]: dice.random.randint(-1, 2)}
        if lattice.name == "square-slots" and dice.random.random() < 0.5:
            table["kind"] = "slot"
    elif way == "atoms":
        table["atoms"] = [[*r, small()] for r in dice.some(here, 4)]
    else:
        shapes = {}  # tiles that may be identical get one weight
        weights = {}
        for name, tile in tiles.items():
            if tile.get("copies", 1) != 0:
                size = sum(r[-1] not in SLOTS for r in tile.get("atoms", [[0]]))
                weights[name] = shapes.setdefault(size, small())
        table["tiles"] = weights
    likely = _total(table, lattice, here) + dice.one([0, 0, 0, 1, -1, 2])
    rules = ["equals", "between", "modulo"]
    rule = dice.one([w for w in rules if f"condition: {w}" in dice.want] or rules)
    if rule == "equals":
        table["equals"] = likely
    elif rule == "between":
        table["between"] = sorted([likely, likely + small()])
    else:
        of = dice.random.randint(2, 4)
        table["modulo"] = {"of": of, "is": likely % of}
    return table


def _relatives(dice, lattice, puzzle, here):
    """Conditions that a motion of the form maps to each other, to themselves, or to equivalent conditions with other weights."""
    turns = [turn for turn in lattice.turns if _keeps(lattice, puzzle, turn)]
    if len(turns) < 2:
        return []
    image = _image(lattice, puzzle, dice.one(turns))
    region = sorted(image, key=sorted)
    weights = {a: dice.random.randint(-2, 2) for a in dice.some(region, 5)}
    moved = {image[a]: w for a, w in weights.items()}
    low = sum(weights.values()) + dice.one([0, 0, -1, -2, 1])  # covering all of them gives this sum
    high, of = low + dice.random.randint(0, 2), dice.one([2, 3, 4, 6])
    way = dice.one(["mirrored", "sign", "itself", "scaled", "implied", "tiles", "modulo", "modulo itself"])

    def asked(name, by_atom, **rule):
        return {"name": name, "atoms": [[*_ref(lattice, a), w] for a, w in sorted(by_atom.items(), key=lambda e: sorted(e[0]))]} | rule

    def times(by_atom, by, more=0):
        everything = dict.fromkeys(region, more) if more else {}
        return everything | {a: by * w + more for a, w in by_atom.items()}

    one = asked("r0", weights, between=[low, high])
    if way == "mirrored":
        return [one, asked("r1", moved, between=[low, high])]
    if way == "sign":
        return [one, asked("r1", times(moved, -1), between=[-high, -low])]
    if way == "scaled":
        by = dice.one([2, 3, -2])
        slack = sorted([by * low, by * high])
        return [one, asked("r1", times(moved, by), between=[slack[0] - dice.random.randint(0, 1), slack[1] + dice.random.randint(0, 1)])]
    if way == "implied":  # if every atom must be covered exactly once
        by = dice.one([-1, 1, 2])
        slack = sorted([by * low + len(region), by * high + len(region)])
        return [one, asked("r1", times(moved, by, 1), between=slack)]
    if way == "tiles":
        used = [name for name, tile in puzzle["tiles"].items() if tile.get("copies", 1) != 0]
        return [
            one,
            asked("r1", moved, between=[low, high]),
            {"name": "r2", "tiles": dict.fromkeys(used, 2), "between": [0, 2 * len(here)]},
        ]
    if way == "modulo":
        by = dice.one([u for u in range(1, of) if gcd(u, of) == 1])
        rules = [{"modulo": {"of": of, "is": u * low % of}} for u in (1, by)]
        return [asked("r0", weights, **rules[0]), asked("r1", times(moved, by, of if dice.random.random() < 0.3 else 0), **rules[1])]
    difference = dict(weights)
    for a, w in moved.items():
        difference[a] = difference.get(a, 0) - w
    if way == "itself":
        return [asked("r0", difference, between=[low - high, high - low])]
    return [asked("r0", difference, modulo={"of": of, "is": dice.one([0, of // 2])})]


def _total(table, lattice, here):
    """The sum of a solution that covers everything and uses each tile once."""
    if "tiles" in table:
        return sum(table["tiles"].values())
    if "atoms" in table:
        return sum(entry[-1] for entry in table["atoms"])
    if table.get("kind", lattice.main) != lattice.main:
        return 0
    places = (sum(k * c for k, c in zip(table["along"], cell, strict=True)) + table.get("shift", {}).get(a, 0) for *cell, a in here)
    return sum(table["values"][p % len(table["values"])] for p in places)


def _rules_on_solutions(dice, lattice, puzzle, here):
    """One or two rules on solutions, or the wanted ones."""
    names = _groups_of_tiles(puzzle)
    form = f"grid: {lattice.name}", *features(puzzle)
    fitting = [f for f in FEATURES if f.startswith("solutions: ") and all(possible(f, other) for other in form)]
    turns = sorted({name for turn in lattice.turns if (name := name_of(lattice, turn)) and _keeps(lattice, puzzle, turn)})
    if not turns:
        fitting = [f for f in fitting if "symmetric" not in f]
    if not names:
        fitting = [f for f in fitting if f == "solutions: colours" or f.removeprefix("solutions: ") in PLACE_RULES]
    chosen = sorted(dice.want & {*fitting}) or dice.some(fitting, 2) if fitting else []
    if "solutions: strictly" in chosen and not {"solutions: apart", "solutions: colours"} & {*chosen}:
        chosen.append(dice.one(["solutions: apart", "solutions: colours"]))

    def some_tiles():
        return dice.one([group for group in names if group] or [[]])

    makers = {
        **dict.fromkeys(PLACE_RULES, lambda: True),
        "symmetric": lambda: dice.some(turns, 2),
        "symmetric_outline": lambda: [{"tiles": some_tiles(), "under": dice.one(turns)}],
        "colours": lambda: dice.one([2, 2, 3]),
        "touch_border": lambda: dice.one(["all", some_tiles()]) if "solutions: inside" not in chosen else names[0],
        "inside": lambda: names[-1] if "solutions: touch_border" in chosen and len(names) > 1 else some_tiles(),
        "apart": lambda: [some_tiles()],
        "strictly": lambda: True,
        "holds": lambda: [_holds(dice, here, some_tiles())],
    }
    table = {rule: makers[rule]() for rule in makers if f"solutions: {rule}" in chosen}
    if table.get("touch_border") and table.get("touch_border") == table.get("inside"):
        del table["inside"]
    if table:
        puzzle["solutions"] = table


def _groups_of_tiles(puzzle):
    """Groups of tiles by size, so that tiles of different groups are never identical."""
    by_size = {}
    for name, tile in puzzle["tiles"].items():
        if tile.get("copies", 1) != 0:
            by_size.setdefault(sum(r[-1] not in SLOTS for r in tile.get("atoms", [[0]])), []).append(name)
    return list(by_size.values())


def _keeps(lattice, puzzle, turn):
    """Return whether a turn, with some translation, maps the form, its optional atoms and its colours to themselves."""
    return _image(lattice, puzzle, turn) is not None


def _image(lattice, puzzle, turn):
    """The image of each atom of the form under a turn; None if the turn changes the form, its optional atoms or its colours."""
    form = puzzle["form"]
    if form.get("remove") and ("inner" in form or "outer" in form):  # the slots of removed squares remain
        return None
    region = _form_atoms(lattice, form)
    optional = {lattice.atom(r) for r in form.get("optional", [])} if form.get("optional") != "all" else set()
    colours = {lattice.atom(r): c for c, refs in form.get("colours", {}).items() for r in refs}
    low, there = (
        [min(axis) for axis in zip(*(v for a in some for v in a), strict=True)] for some in (region, [turned(turn, a) for a in region])
    )
    step = [x - y for x, y in zip(low, there, strict=True)]
    image = {a: frozenset(tuple(x + s for x, s in zip(v, step, strict=True)) for v in turned(turn, a)) for a in region}
    kept = {*image.values()} == region and {image[a] for a in optional & region} == optional & region
    return image if kept and all(colours.get(a) == colours.get(b) for a, b in image.items()) else None


def _holds(dice, here, tiles):
    atoms = sorted(map(list, dice.some(here, 6)))
    low = dice.one([0, 0, 1])
    return {"tiles": tiles, "atoms": atoms} | dice.one([{"equals": low}, {"between": [low, low + dice.one([0, 1, 2])]}])


def _split(dice, lattice):
    """Choose the optional atoms by which solutions are split."""
    if lattice.name != "square-slots":
        return lattice.main
    kinds = {"face": "split", "slot": "split", "inner slot": "split: inner", "outer slot": "split: outer"}
    return dice.one([kind for kind, feature in kinds.items() if feature in dice.want] or kinds)
