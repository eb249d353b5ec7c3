"""How an assembly comes apart, as a strip of pictures: one of it whole, then one after each move, of the pieces that are being parted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.disassembly.data import Move, Parting, Turn
from puzzlesat.disassembly.turning import in_space, motion_of, moved_cell
from puzzlesat.disassembly.words import move_words
from puzzlesat.draw.bodies import Solid, seen_areas
from puzzlesat.draw.canvas import canvas, make_canvas
from puzzlesat.draw.flat import named, piece
from puzzlesat.draw.isometric import at_home, solids_picture
from puzzlesat.draw.palette import solution_colours
from puzzlesat.draw.pieces import draw_piece
from puzzlesat.draw.svg import Picture, document, in_rows, titled
from puzzlesat.errors import listed
from puzzlesat.grid.lattice import AtomId, Cell, Grid, translate

WIDEST = 1200.0
SMALLER = 0.7
"""The size of a picture of the strip, in that of a picture of the puzzle."""
MOST_NAMED = 3
SEEN, HIDING = 0.1, 0.05
"""Where less than this share of the pieces that move is seen, other pieces that hide more than this share of them are of glass."""
Pieces = dict[int, tuple[AtomId, ...]]
"""The atoms of each piece that is drawn, where they are."""


def steps_svg(built: BuiltInstance, options: Sequence[int], parting: Parting, *, title: str = "") -> str:
    """Return the strip of an assembly, given by its placements."""
    grid = built.puzzle.grid
    whole: Pieces = {i: built.placements[o].atoms for i, o in enumerate(options)}
    colours = solution_colours(built, options)
    labels = numbered([built.puzzle.tiles[built.placements.tile[o]].name for o in options])
    frames = [_frame(built, whole, colours, labels, (), "together")]
    for number, slide in enumerate(slides(grid, whole, parting), start=1):
        move = slide.move
        who = listed((labels[p] for p in move.pieces), MOST_NAMED)
        frames.append(_frame(built, slide.pieces, colours, labels, move.pieces, f"{number}. {who}: {move_words(move)}"))
    return document(titled(in_rows(frames, WIDEST), title), title or built.instance.title)


def numbered(names: Sequence[str]) -> list[str]:
    """Return the names of pieces, of copies with a number behind each: ``L 1``, ``L 2``."""
    return [f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 else name for i, name in enumerate(names)]


@dataclass(frozen=True)
class Slide:
    """A move of some of the pieces that are being parted."""

    of: tuple[int, ...]
    move: Move | Turn
    by: Cell
    """How far it is drawn: what goes away stays in sight. Of a turn: nowhere."""
    pieces: Pieces
    """Where they are after it."""


def slides(grid: Grid, pieces: Pieces, parting: Parting | None) -> Iterator[Slide]:
    """Yield the moves by which pieces come apart, in the order in which somebody makes them."""
    if parting is None:
        return
    for move in parting.moves:
        before = pieces
        if isinstance(move, Turn):
            pieces = {p: _turned(move, atoms) if p in move.pieces else atoms for p, atoms in before.items()}
            yield Slide(parting.pieces, move, (0,) * grid.dimension, pieces)
            continue
        steps = _clear(grid, before, move) if move.steps is None else move.steps
        by = tuple(steps * x for x in move.direction)
        pieces = {p: tuple(translate(a, by) for a in atoms) if p in move.pieces else atoms for p, atoms in before.items()}
        yield Slide(parting.pieces, move, by, pieces)
    gone = set(parting.moves[-1].pieces)
    yield from slides(grid, {p: atoms for p, atoms in before.items() if p not in gone}, parting.left)
    yield from slides(grid, {p: atoms for p, atoms in before.items() if p in gone}, parting.away)


def _turned(turn: Turn, atoms: Sequence[AtomId]) -> tuple[AtomId, ...]:
    motion = motion_of(turn)
    return tuple((*moved_cell(in_space(a[:-1]), motion)[: len(a) - 1], a[-1]) for a in atoms)


def _clear(grid: Grid, pieces: Mapping[int, Sequence[AtomId]], move: Move) -> int:
    """How many steps it takes until there is a gap between what goes and what stays."""
    goes = [_along(grid, move.direction, grid.centre(a)) for p in move.pieces for a in pieces[p]]
    stays = [_along(grid, move.direction, grid.centre(a)) for p, atoms in pieces.items() if p not in move.pieces for a in atoms]
    return max(1, (max(stays) - min(goes)) // _along(grid, move.direction, move.direction) + 2)


def _along(grid: Grid, direction: Cell, point: Iterable[Fraction | int]) -> Fraction:
    return sum((x * g * y for x, row in zip(direction, grid.gram, strict=True) for g, y in zip(row, point, strict=True)), start=Fraction(0))


def _frame(
    built: BuiltInstance, pieces: Pieces, colours: Sequence[str], labels: Sequence[str], moved: Collection[int], words: str
) -> Picture:
    """Pieces where they are, with words below them. What hides those that were moved is of glass."""
    puzzle, factor = built.puzzle, SMALLER * canvas(built.puzzle).factor
    if puzzle.grid.dimension == 3:
        solids = at_home([Solid(atoms, colours[p], labels[p], name=labels[p]) for p, atoms in pieces.items()])
        if moved and not puzzle.grid.of_balls:
            solids = _with_glass(puzzle.grid, solids, [p in moved for p in pieces], factor)
        return named(solids_picture(puzzle.grid, solids, factor), words)
    board = make_canvas(puzzle.grid, [a for atoms in pieces.values() for a in atoms], factor=factor)
    drawn = [piece(puzzle, board, draw_piece(board, atoms), colours[p], labels[p], labels[p]) for p, atoms in pieces.items()]
    return named(Picture(board.width, board.height, "\n".join(drawn)), words)


def _with_glass(grid: Grid, solids: Sequence[Solid], moved: Sequence[bool], factor: float) -> list[Solid]:
    """The same solids, of glass what hides those that were moved, if little is seen of these."""
    own = [solid for solid, is_moved in zip(solids, moved, strict=True) if is_moved]
    alone = sum(seen_areas(grid, own, factor))

    def shown(*others: Solid) -> float:
        return sum(seen_areas(grid, [*own, *others], factor)[: len(own)])

    others = [solid for solid, is_moved in zip(solids, moved, strict=True) if not is_moved]
    if shown(*others) >= SEEN * alone:
        return [*solids]
    return [
        solid if is_moved or shown(solid) >= (1 - HIDING) * alone else replace(solid, glass=True)
        for solid, is_moved in zip(solids, moved, strict=True)
    ]
