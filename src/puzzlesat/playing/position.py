"""Positions: the placements on the table, their text pictures, and the number of ways to finish them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from rich.text import Text

from puzzlesat import base
from puzzlesat.pictures import TextCanvas
from puzzlesat.puzzles import AtomId, BuiltInstance, CoverProblem, Grid, reduce
from puzzlesat.solvers import LISTING, MAX_SHAPES, ONE_BY_SAT, QUICK, TALLY, SolverStep, as_told, lists, solver


@dataclass(frozen=True, eq=False, repr=False)
class Position(base.Displayed):
    """Placements of a puzzle that do not overlap, including the placements that the form fixes."""

    built: BuiltInstance
    placed: tuple[int, ...]
    """Placement numbers, without the placements that the form fixes."""
    ordered: bool = False
    """True if the pieces were placed in this order."""

    def __repr__(self) -> str:
        return f"Position({self.built.instance.name!r}, {' '.join(self.names(self.everything))!r})"

    @property
    def everything(self) -> tuple[int, ...]:
        """All placements; the placements that the form fixes come first."""
        return (*self.built.problem.forced, *self.placed)

    def names(self, options: Sequence[int]) -> list[str]:
        """Return the names of placements."""
        return [self.built.problem.options[o] for o in options]


def position_of(built: BuiltInstance, names: Sequence[str], *, ordered: bool = False) -> Position:
    """Return the position with these placements. Raises PuzzleError for unknown names and for placements that exclude each other."""
    return checked_position(built, built.options_by_name(names), ordered=ordered)


def checked_position(built: BuiltInstance, options: Sequence[int], *, ordered: bool = False) -> Position:
    """Return the position with these placements.

    Raises PuzzleError if two of them overlap, or a tile is used more often than it has copies.
    """
    name = built.problem.options
    if twice := [name[o] for o, number in Counter(options).items() if number > 1]:
        raise base.PuzzleError(*(f"{n!r} is listed twice; remove one" for n in twice))
    fixed = built.problem.forced
    position = Position(built, tuple(o for o in options if o not in fixed), ordered)
    wrong = []
    for one, other in combinations(position.everything, 2):
        if shared := set(built.placements[one].atoms) & set(built.placements[other].atoms):
            where = base.listed(built.puzzle.grid.show(a) for a in sorted(shared))
            by_form = ", which the form fixes," if one in fixed else ""
            wrong.append(f"{name[one]!r}{by_form} and {name[other]!r} overlap at {where}; remove {'the second' if by_form else 'one'}")
    for number, used in Counter(built.placements[o].tile for o in position.everything).items():
        tile = built.puzzle.tiles[number]
        if tile.high is not None and used > tile.high:
            copies = "is one copy" if tile.high == 1 else f"are {base.many(tile.high, 'copy', 'copies')}"
            wrong.append(f"tile {tile.name!r} is placed {base.many(used, 'time')}, but there {copies} of it")
    if wrong:
        raise base.PuzzleError(*wrong)
    return position


def is_finished(position: Position) -> bool:
    """Tell whether a position is already a solution."""
    left = position.built.problem.settle(position.placed)
    return left is not None and left.asks_for_nothing and left.placed_can_be_coloured()


def dead_ends(position: Position) -> list[str]:
    """Return sentences on what a look at the board shows to be impossible.

    An empty list does not mean that the position can be finished.
    """
    built, problem = position.built, position.built.problem
    left = problem.settle(position.placed)
    if left is None:
        return _clashes(position)
    short = (left.low > 0) & ([len(options) for options in left.options_of] < left.low)
    atoms, tiles = len(built.puzzle.form.atoms), len(built.puzzle.tiles)
    uncovered = [problem.items[i] for i in range(atoms) if short[i]]
    homeless = [problem.items[i] for i in range(atoms, atoms + tiles) if short[i]]
    unkept = [problem.items[i] for i in range(built.first_rule_item, len(problem.items)) if short[i]]
    reasons: list[str] = []
    if left.colouring is not None and not left.placed_can_be_coloured():
        few = "{n} {n|colour is|colours are} too few for the pieces that are placed"
        reasons.append(base.Sentence(few, n=left.colouring.colours))
    if unkept:
        reasons.append(base.Sentence("no placement that is left keeps the rules on solutions at {items}", items=base.listed(unkept)))
    if uncovered:
        reasons.append(base.Sentence("nothing that is left covers {atoms}", atoms=base.listed(uncovered)))
    if homeless:
        reasons.append(base.Sentence("there is no place left for {tiles}", tiles=base.listed(homeless)))
    return reasons


def uncoverable(position: Position) -> list[int]:
    """Return the numbers of the atoms of the form that no remaining placement can cover."""
    left = position.built.problem.settle(position.placed)
    if left is None:
        return []
    return [i for i in range(len(position.built.puzzle.form.atoms)) if left.low[i] > len(left.options_of[i])]


def _clashes(position: Position) -> list[str]:
    """Return sentences on placements whose marks may not meet, and on items where a rule on solutions is broken."""
    built, problem = position.built, position.built.problem
    shown: dict[int, list[tuple[int, int]]] = {}
    for option in position.everything:
        for entry in range(problem.start[option], problem.start[option + 1]):
            if problem.coloured[problem.item[entry]]:
                shown.setdefault(int(problem.item[entry]), []).append((option, int(problem.colour[entry])))
    first_rule = built.first_rule_item
    covered = Counter(item for option in position.everything for item in problem.items_of(option).tolist() if item >= first_rule)
    broken = [item for item in covered if problem.coloured[item] and len({colour for _, colour in shown[item]}) > 1]
    broken += [item for item, number in covered.items() if not problem.coloured[item] and number > problem.high[item]]
    of_marks = [both for item, both in shown.items() if item < first_rule]
    pairs = [(a, b) for both in of_marks for (a, one), (b, other) in combinations(both, 2) if one != other or not one]
    names = built.problem.options
    template, broken_at = "{one} and {other} show each other marks that may not meet", "a rule on solutions is broken at {item}"
    clashes = [base.Sentence(template, one=names[a], other=names[b]) for a, b in dict.fromkeys(pairs)]
    return [*clashes, *(base.Sentence(broken_at, item=problem.items[item]) for item in sorted(broken))]


NAMED = "name the placements"
"""Advice to the user for a grid that has no text pictures."""
NAME = r"\S+\.\d+@-?\d+(?:\.-?\d+)*"
HEADING = re.compile(r"solution \d+\b")
CAPTION = re.compile(r"\d+\.  \d+ pieces? placed, ")
"""First line of the text that ``challenge`` prints above a position; an empty line ends this text."""
SAID = re.compile(r"\d+ (?:of \d+ )?pieces? (?:is|are) placed\.|complete: |pictures?: |puzzlesat: ")
"""Beginnings of the lines that ``hint`` and ``solve`` print below a picture."""
NOT_DRAWN = re.compile(r"^\(the picture has [^)]*\) *$", re.M)
"""Line that replaces a picture which is too large."""
NAMES = re.compile(rf"\s*{NAME}(?:\s+{NAME})*\s*$")
LEGEND = re.compile(rf"\s*(?:\S\s+{NAME}\s*)+$")


def blank_picture(built: BuiltInstance) -> str:
    """Return the empty form as ``read_position`` reads it. Raises PuzzleError for a grid without text pictures."""
    built.puzzle.grid.check_has_pictures(NAMED)
    return TextCanvas.of(built).blank()


def position_text(position: Position, *, new: Collection[int] = (), width: int | None = None) -> tuple[Text, str]:
    """Return the picture of a position in colours, and the same as plain text for ``read_position``; ``new`` pieces are bold.

    The legend names pieces whose letter is not their tile, and pieces whose shape is ambiguous. It is at most ``width`` wide.
    """
    return TextCanvas.of(position.built).text(position.everything, new=new, width=width)


# ---------------------------------------------------------------- reading


def read_position(built: BuiltInstance, text: str) -> Position:
    """Read a position from a text picture, perhaps with a legend, from names of placements, or from the output of ``solve --json``.

    A blank, ``.``, ``·``, ``#`` and the grid's own glyphs are empty atoms. Any other character is a piece, recognised by its shape, and by
    its letter where several tiles have that shape. A legend such as ``A card1.1@1.1`` under the picture tells apart placements of the same
    shape.
    Raises PuzzleError with the row and column of a drawing that is not a piece.
    """
    if not text.strip():
        raise base.PuzzleError("nothing is drawn in it; --blank prints the empty form to draw into")
    text = _one_position(text)
    if text.lstrip()[:1] in ("{", "["):
        return position_of(built, _names_in_json(text))
    parts = _parted([line.rstrip() for line in NOT_DRAWN.sub("", text.replace("\t", "    ")).splitlines()])
    if not any(line.strip() for line in parts.picture):
        names = parts.names or parts.heading or [name for names in parts.legend.values() for name in names]
        if not names and NOT_DRAWN.search(text):
            raise base.PuzzleError("its picture was too large to be printed; name the placements")
        return position_of(built, names, ordered=bool(parts.names))
    if parts.names:
        raise base.PuzzleError("there is a picture and a list of placements; give one of them, or a legend such as 'A Q.1@3.1'")
    built.puzzle.grid.check_has_pictures(NAMED)
    number = {name: o for o, name in enumerate(built.problem.options)}
    beside = {number[name]: None for name in (*parts.heading, *(n for names in parts.legend.values() for n in names)) if name in number}
    canvas = TextCanvas.of(built)
    if (own := _own_glyphs(canvas, parts.picture)) is not None and beside:
        return checked_position(built, [*_in_own_glyphs(own, parts.picture, list(beside))])
    groups = _groups(canvas, parts.picture)
    legend = {symbol: position_of(built, names).everything for symbol, names in parts.legend.items() if symbol in groups}
    options = [o for symbol, atoms in groups.items() for o in _pieces(canvas, symbol, atoms, legend.get(symbol, ()), beside)]
    return checked_position(built, [*options, *(o for o in beside if not canvas.drawn(o))])


def _one_position(text: str) -> str:
    """Return the text without the lines that ``challenge`` prints above a position, and without its solutions.

    Raises PuzzleError if the text has several positions.
    """
    captions = [*re.finditer(rf"^{CAPTION.pattern}", text, re.M)]
    many_of = captions or [*re.finditer(rf"^(?:{HEADING.pattern}|\{{)", text, re.M)]
    if len(many_of) > 1:
        raise base.PuzzleError(f"there are {len(many_of)} positions in it; keep one of them")
    if not captions:
        return text
    below = re.split(r"\n[ \t]*\n", text[captions[0].start() :].split("\f")[0], maxsplit=1)
    return below[1] if len(below) > 1 else ""


@dataclass(frozen=True)
class _TextParts:
    """The lines of a text with a position, by kind."""

    heading: list[str]
    """Names in the line ``solution 1 …`` and in the lines that continue it."""
    picture: list[str]
    legend: dict[str, list[str]]
    names: list[str]
    """Names on lines without a picture."""


def _parted(lines: list[str]) -> _TextParts:
    """Sort the lines by kind; leave out messages below a picture and other text around a heading's picture."""
    parts = _TextParts([], [], {}, [])
    continued = False
    for line in lines:
        if SAID.match(line):
            break
        if HEADING.match(line):
            parts.heading.extend(line.split()[2:])
        elif NAMES.match(line):
            (parts.heading if continued and line.startswith(" ") else parts.names).extend(line.split())
            continued = continued and line.startswith(" ")
            continue
        elif LEGEND.match(line):
            for symbol, name in re.findall(rf"(\S)\s+({NAME})", line):
                parts.legend.setdefault(symbol, []).append(name)
        else:
            parts.picture.append(line)
        continued = HEADING.match(line) is not None
    return parts


def _names_in_json(text: str) -> list[str]:
    """Return the names in one line of ``solve --json``, or in a list of names."""
    try:
        data = base.json_of(text)
        entries = data["placements"] if isinstance(data, dict) else data
        names = [e["name"] if isinstance(e, dict) else e for e in entries]
    except (base.PuzzleError, KeyError, TypeError) as error:
        raise base.PuzzleError(f"the position is not JSON like a line of 'puzzlesat solve --json': {error}") from None
    if wrong := [base.shown(repr(n)) for n in names if not isinstance(n, str)]:
        raise base.PuzzleError(
            f"the position is not JSON like a line of 'puzzlesat solve --json': expected names of placements, got {wrong[0]}"
        )
    return names


def _groups(canvas: TextCanvas, lines: list[str]) -> dict[str, dict[AtomId, tuple[int, int]]]:
    """Return the atoms of each symbol, with the row and column of each atom."""
    grid = canvas.built.puzzle.grid
    nothing = {Grid.FREE, ".", " ", "#"} | {g for site in grid.layout.sites for g in (*site.glyphs, *site.optional) if not g.isalnum()}
    groups: dict[str, dict[AtomId, tuple[int, int]]] = {}
    empty: dict[str, str] = {}
    wrong = []
    for (z, y), (number, line) in _numbered(canvas, lines).items():
        for x, character in enumerate(line):
            atom = canvas.atom_at.get((z, y, x))
            if character in nothing:
                if atom is not None:
                    empty.setdefault(character, _at(number, x + 1))
            elif atom is None:
                wrong.append(f"{_at(number, x + 1)}: {character!r} lies outside the form")
            else:
                groups.setdefault(character, {})[atom] = (number, x + 1)
    if "#" in empty and (other := empty.keys() & {Grid.FREE, "."}):
        wrong.append(f"{empty['#']}: '#' is an empty atom, as {min(other)!r} is; draw each piece with its letter")
    if wrong:
        raise base.PuzzleError(*wrong[:5], f"draw the form like this:\n{blank_picture(canvas.built)}")
    return groups


def _numbered(canvas: TextCanvas, lines: list[str]) -> dict[tuple[int, int], tuple[int, str]]:
    """Return the lines by layer and row, with their numbers in the file. Raises PuzzleError if their number differs from the form's."""
    numbered = list(enumerate(lines, start=1))
    if canvas.built.puzzle.grid.dimension == 3:
        layers: list[list[tuple[int, str]]] = [[]]
        for number, line in numbered:
            if line.strip():
                layers[-1].append((number, line))
            elif layers[-1]:
                layers.append([])
        layers = [layer for layer in layers if layer]
    else:
        while len(numbered) != canvas.rows and not (numbered[-1][1].strip() and numbered[0][1].strip()):
            numbered.pop(-1 if not numbered[-1][1].strip() else 0)
        layers = [numbered]
    if [len(layer) for layer in layers] != [canvas.rows] * canvas.layers:
        sizes = [len(layer) for layer in layers]
        if len(layers) > 3:
            has = f"{len(layers)} layers of {base.many(sizes[0], 'row')}"
        else:
            has = "".join(f"{size} and " for size in sizes[:-1]) + base.many(sizes[-1], "row")
        wants = base.many(canvas.rows, "row") if canvas.layers == 1 else f"{canvas.layers} layers of {base.many(canvas.rows, 'row')}"
        enlarged = (
            f" (a character of grid {canvas.built.puzzle.grid.name!r} would share several atoms, so the picture has {canvas.scale} x "
            f"{canvas.scale} characters a cell)"
            if canvas.scale > 1
            else ""
        )
        raise base.PuzzleError(
            f"your picture has {has}; the form has {wants}{enlarged}: name the placements, or draw the form whole, with '.' where "
            f"nothing lies:\n{blank_picture(canvas.built)}"
        )
    return {(z, y): entry for z, layer in enumerate(layers) for y, entry in enumerate(layer)}


def _pieces(
    canvas: TextCanvas, symbol: str, places: Mapping[AtomId, tuple[int, int]], legend: Sequence[int], beside: Iterable[int]
) -> Iterator[int]:
    """Yield the placements that the atoms of one symbol form.

    The legend decides first. For the other atoms the names beside the picture decide, if they cover exactly these atoms. Otherwise the
    shape decides: either all atoms together are one piece, or each connected part is one.
    """
    left = dict(places)
    for option in legend:
        drawn = canvas.drawn(option)
        if drawn <= left.keys():
            yield option
            left = {a: p for a, p in left.items() if a not in drawn}
        elif len(legend) == 1 or drawn & places.keys():
            name = canvas.built.problem.options[option]
            raise base.PuzzleError(f"the legend says that {symbol!r} is {name}, but that does not lie where the picture has {symbol!r}")
    named = any(tile.name == symbol for tile in canvas.built.puzzle.tiles)
    candidates = [o for o in beside if canvas.drawn(o) and canvas.drawn(o) <= left.keys() and (not named or canvas.tile(o) == symbol)]
    if left and left.keys() == {a for o in candidates for a in canvas.drawn(o)}:
        yield from candidates
    elif left:
        yield from _by_shape(canvas, symbol, left)


def _by_shape(canvas: TextCanvas, symbol: str, places: dict[AtomId, tuple[int, int]]) -> list[int]:
    """Return the placement that the atoms of one symbol form, or one placement for each connected part."""
    if whole := canvas.fitting(frozenset(places), symbol):
        return [_only(canvas, whole, symbol, places)]
    from networkx import Graph, connected_components  # takes 0.1 s to import

    graph = Graph((a, b) for a in places for b in canvas.built.puzzle.grid.neighbours(a) if b in places)
    graph.add_nodes_from(places)
    options = []
    for part in map(frozenset, connected_components(graph)):
        here = {a: places[a] for a in part}
        fitting = canvas.fitting(part, symbol)
        if not fitting:
            raise base.PuzzleError(_no_piece(canvas, symbol, here))
        options.append(_only(canvas, fitting, symbol, here))
    return options


def _own_glyphs(canvas: TextCanvas, lines: list[str]) -> TextCanvas | None:
    """Return the canvas in the grid's own glyphs if one glyph covers several atoms and the picture is drawn with them."""
    if canvas.scale == 1:
        return None
    glyphs = {g for site in canvas.built.puzzle.grid.layout.sites for g in (*site.glyphs, *site.optional)}
    smaller = len(lines) < canvas.layers * (canvas.rows + 1) - 1
    return TextCanvas.of_scale(canvas.built, 1) if smaller or not glyphs.isdisjoint("".join(lines)) else None


def _in_own_glyphs(own: TextCanvas, lines: list[str], named: Sequence[int]) -> Iterator[int]:
    """Yield the named pieces that are still present in a picture drawn with the grid's own glyphs.

    A piece is absent if all characters that it fills alone are blank; a piece that fills none, if all its characters are blank. Raises
    PuzzleError if the picture shows a part of a piece, another piece, or a character that belongs to no piece.
    """
    shown = {
        (z, y, x): c for (z, y), (_, line) in _numbered(own, lines).items() for x, c in enumerate(line) if c not in (Grid.FREE, ".", " ")
    }
    letters = dict(zip(named, own.letters(named), strict=True))
    left = dict(shown)
    for option in named:
        name = own.built.problem.options[option]
        lies = Counter(own.place[a] for a in own.drawn(option))
        alone = {own.place[a] for a in own.drawn(option) if lies[own.place[a]] == _whole(own, a)}
        visible = [p for p in alone or lies if p in shown]
        if not visible:
            continue
        if alone and (len(visible) < len(alone) or any(shown[p] != letters[option] for p in alone)):
            raise base.PuzzleError(f"{name} is named above the picture, but it does not lie there as {letters[option]!r}; remove its name")
        yield option
        left = {p: c for p, c in left.items() if p not in lies}
    for (z, y, x), character in left.items():
        number = _numbered(own, lines)[z, y][0]
        raise base.PuzzleError(f"{_at(number, x + 1)}: {character!r} belongs to no placement that is named above the picture")


def _whole(own: TextCanvas, atom: AtomId) -> int:
    """Return the number of atoms that share the character of an atom."""
    place = own.built.puzzle.grid.place_of(atom)
    assert place is not None
    return len(next(iter(place[1].glyphs.values())))


def _only(canvas: TextCanvas, fitting: list[int], symbol: str, places: dict[AtomId, tuple[int, int]]) -> int:
    if len(fitting) > 1:
        names = [canvas.built.problem.options[o] for o in fitting]
        raise base.PuzzleError(
            f"{_where(canvas, symbol, places)} can be {len(fitting)} placements, such as {base.listed(names, 3)}; "
            f"write a line '{symbol} {names[0]}' below the picture, or name the placements instead of a picture"
        )
    return fitting[0]


def _no_piece(canvas: TextCanvas, symbol: str, places: dict[AtomId, tuple[int, int]]) -> str:
    tiles = canvas.built.puzzle.tiles
    sizes = Counter(len(t.atoms) for t in tiles)
    number = len(places)
    what = f"{_where(canvas, symbol, places)} covers {base.many(number, 'atom')}"
    own = next((t for t in tiles if t.name == symbol), None)
    if own is not None and len(own.atoms) != number:
        return f"{what}, tile {symbol!r} has {len(own.atoms)}"
    if number not in sizes and all(len(canvas.drawn(o)) != number for o in range(len(canvas.built.placements))):
        return f"{what}, and no tile covers {number}; did you leave out a part of it, or draw two pieces with one symbol?"
    left_out = ", or a rule on solutions leaves this placement out" if canvas.built.puzzle.solutions.sentences else ""
    return f"{what}, but no tile has this shape, turned as the rules allow{left_out}; 'puzzlesat show' draws the tiles"


def _where(canvas: TextCanvas, symbol: str, places: dict[AtomId, tuple[int, int]]) -> str:
    """Describe the start of a piece: its place in the picture, where lines count downwards, and in the form, where rows count upwards."""
    first = min(places, key=places.__getitem__)
    return f"{_at(*places[first])} ({canvas.built.puzzle.grid.show(first)}): {symbol!r}"


def _at(line: int, column: int) -> str:
    return f"line {line} of the picture, column {column}"


COMPLETING = (QUICK, SolverStep(TALLY, share=0.7, shapes=MAX_SHAPES), SolverStep(ONE_BY_SAT, share=0.5, solutions=1), SolverStep(LISTING))
"""The solvers that count the completions of a position, in this order, until one has counted all. SAT is tried only while none is known."""
LIST_COMPLETIONS = (LISTING, "sat")
"""The solvers that list completions; the first that supports the problem is used."""


@dataclass(frozen=True)
class Completions:
    """The number of solutions that contain a position: exact, or a lower bound."""

    found: int
    """Number of solutions found."""
    exact: bool
    """True if these are all; False if time was up before."""

    @property
    def possible(self) -> bool | None:
        """True if there is a completion, False if there is none, None if this is not known."""
        return True if self.found else (False if self.exact else None)

    def __str__(self) -> str:
        return str(self.words)

    @property
    def words(self) -> base.Sentence:
        """The number in words: exact, at least, or not known."""
        if not self.exact:
            return base.Sentence("at least {n}", n=self.found) if self.found else base.Sentence("not known")
        return base.Sentence("{n}", n=self.found)


def rest(problem: CoverProblem, placed: Sequence[int]) -> CoverProblem | None:
    """Return the remaining problem: its solutions, with ``placed`` added, are those that contain ``placed``.

    None if these exclude each other.
    """
    left = problem.settle(placed)
    return None if left is None else reduce(left, symmetry=False).problem


def _rest_within(problem: CoverProblem, placed: Sequence[int], limits: base.Limits) -> CoverProblem | None:
    """Return the remaining problem; raise EndedError if a limit is reached."""
    with limits.heeding(base.SILENT).overseen():
        return rest(problem, placed)


def count_completions(
    problem: CoverProblem, placed: Sequence[int], limits: base.Limits, *, so_far: Callable[[Completions], None] | None = None
) -> Completions:
    """Count the solutions that contain the options ``placed``.

    The solvers of ``COMPLETING`` take turns until one has counted all solutions, or has found the number that the limits allow. A solver
    that looks for a few solutions is skipped if one is known. ``so_far`` receives the lower bound after each turn.
    """
    clock = base.Clock(limits)
    try:
        left = _rest_within(problem, placed, limits)
    except base.EndedError:
        return Completions(0, exact=False)
    if left is None:
        return Completions(0, exact=True)
    lower_bound = 0
    for step in COMPLETING:
        if step.solutions is not None and lower_bound:
            continue
        outcome = _turn(step, left, clock)
        if outcome is None:
            continue
        lower_bound = max(lower_bound, outcome.found)
        if outcome.complete and (step.solutions is None or not outcome.found):
            return Completions(outcome.found, exact=True)
        if limits.solutions is not None and lower_bound >= limits.solutions:
            break
        if so_far is not None and lower_bound:
            so_far(Completions(lower_bound, exact=False))
    return Completions(lower_bound, exact=False)


def _turn(step: SolverStep, left: CoverProblem, clock: base.Clock) -> base.Outcome | None:
    """Return the result of a solver in its turn; None if it does not support the problem."""
    try:
        ask = solver(step.solver)(as_told(step.solver, left))
        limits = step.limits(clock)  # read the clock after the setup of the solver
        return _within_memory(ask(None, limits if lists(step.solver) else replace(limits, solutions=None)))
    except base.NotSupportedError:
        return None


def list_completions(problem: CoverProblem, placed: Sequence[int], limits: base.Limits) -> tuple[base.Rows, bool]:
    """Return the completions of ``placed``, without ``placed`` and the forced options, and whether they are all.

    Rows are option numbers of the problem, ascending, padded with -1. Raises NotSupportedError if no solver can list them.
    """
    try:
        left = _rest_within(problem, placed, limits)
    except base.EndedError:
        return np.empty((0, 0), dtype=np.int32), False
    if left is None:
        return np.empty((0, 0), dtype=np.int32), True
    blocks: list[base.Rows] = []
    outcome = list_with_any_solver(left, blocks.append, limits)
    origin = np.append(np.arange(left.size, dtype=np.int32) if left.origin is None else left.origin, np.int32(-1))
    return origin[base.joined_rows(blocks)].astype(np.int32), outcome.complete


def list_with_any_solver(problem: CoverProblem, on_solutions: base.OnSolutions, limits: base.Limits) -> base.Outcome:
    """List the solutions of a problem with the first solver that supports it. Raises NotSupportedError if none does."""
    *others, last = LIST_COMPLETIONS
    for name in others:
        with suppress(base.NotSupportedError):
            return asked(name, problem, on_solutions, limits)
    return asked(last, problem, on_solutions, limits)


def asked(
    name: str,
    problem: CoverProblem,
    on_solutions: base.OnSolutions | None,
    limits: base.Limits,
    *,
    given: Sequence[int] = (),
    progress: base.Progress = base.SILENT,
) -> base.Outcome:
    """Run a solver. Raises MemoryError if it runs out of memory, so that no other solver is tried and no time limit is blamed."""
    return _within_memory(solver(name)(problem)(on_solutions, limits, given=given, progress=progress))


def _within_memory(outcome: base.Outcome) -> base.Outcome:
    if outcome.status == "out of memory":
        raise MemoryError
    return outcome
