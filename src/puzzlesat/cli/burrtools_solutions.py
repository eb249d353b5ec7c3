"""Write and read solutions in BurrTools' files, with the moves that take them apart, which BurrTools can play.

A solution may have a ``<separation>``: a tree whose nodes list the positions of the pieces after each move. The last move of a node
removes some pieces. Its children take apart the removed pieces and the remaining pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import gcd
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from puzzlesat.base import Clock, Limits, NotSupportedError, Outcome, PuzzleError, listed
from puzzlesat.counting import Apart, ApartOptions
from puzzlesat.disassembly import Move, Parting, Rotation, bodies_of, first_fault, first_found
from puzzlesat.formats import BurrToolsProblem
from puzzlesat.puzzles import AtomId, BuiltInstance, Instance

FAR = 30_000
"""Distance to which a removed piece is moved, in voxels; BurrTools treats pieces farther than 10,000 voxels as removed."""
Point = tuple[int, ...]


@dataclass(frozen=True)
class StoredSolution:
    """A solution in a file: the tile and the atoms of each piece, in the order of the file; and how they come apart, if stated."""

    pieces: tuple[tuple[str, frozenset[AtomId]], ...]
    parting: Parting | None
    level: str | None
    """The level that the file states. A file may state a level without moves."""


# writing ---------------------------------------------------------------------------------------------------------------------


def solved_problem(
    built: BuiltInstance, found: Sequence[tuple[int, tuple[int, ...], Parting | None]], *, complete: bool, seconds: float
) -> BurrToolsProblem:
    """Return a puzzle with the assemblies that come apart, added to the file it was read from, or as a new file.

    ``found`` has the number of each assembly, from 1, its placements, and its parting; ``complete`` is True if it has all assemblies.
    Raises NotSupportedError if BurrTools' format cannot express the puzzle.
    """
    problem = BurrToolsProblem(built.instance)
    apart = [(number, row, parting) for number, row, parting in found if parting is not None]
    solutions = problem.store_solutions(complete=complete, assemblies=len(found), apart=len(apart), seconds=seconds)
    place = cache(lambda option: problem.place_of(built, option))
    for at, (number, row, parting) in enumerate(apart):
        counted = {"asmNum": number - 1, "solNum": at}
        solution = SubElement(solutions, "solution", {key: str(value) for key, value in counted.items() if value})
        slots, places = problem.slots(built, row), [place(option) for option in row]
        SubElement(solution, "assembly").text = problem.assembly(dict(zip(slots, places, strict=True)))
        solution.append(_separation(problem, parting, slots, {piece: voxel for piece, (voxel, _) in enumerate(places)}, None))
    return problem


def _separation(problem: BurrToolsProblem, parting: Parting, slots: Sequence[int], at: Mapping[int, Point], kind: str | None) -> Element:
    """Return the tree of a parting whose pieces begin at the positions ``at``."""
    node = Element("separation", {} if kind is None else {"type": kind})
    SubElement(node, "pieces", {"count": str(len(parting.pieces))}).text = " ".join(str(slots[p]) for p in parting.pieces)
    now = {p: at[p] for p in parting.pieces}
    _state(node, now.values())
    for move in parting.moves:
        if isinstance(move, Rotation):
            raise NotSupportedError("BurrTools knows no turns of pieces")
        step = problem.direction(move.direction)
        times = FAR // max(map(abs, step)) if move.steps is None else move.steps
        after = {p: tuple(c + times * s for c, s in zip(now[p], step, strict=True)) if p in move.pieces else now[p] for p in now}
        _state(node, after.values())
        if move.steps is not None:
            now = after
    for part, name in ((parting.away, "removed"), (parting.left, "left")):
        if part is not None:
            node.append(_separation(problem, part, slots, now, name))
    return node


def _state(node: Element, places: Iterable[Point]) -> None:
    state = SubElement(node, "state")
    for name, axis in zip(("dx", "dy", "dz"), zip(*places, strict=True), strict=True):
        SubElement(state, name).text = " ".join(map(str, axis))


# reading ---------------------------------------------------------------------------------------------------------------------


def stored_solutions(instance: Instance) -> list[StoredSolution]:
    """Return the solutions in the BurrTools file of a puzzle; none for other files. Raises PuzzleError if a solution is malformed."""
    if not BurrToolsProblem.holds(instance):
        return []
    problem = BurrToolsProblem(instance)
    nodes = problem.solutions
    solutions = []
    for number, node in enumerate(nodes, start=1):
        try:
            solutions.append(_stored(problem, node))
        except (PuzzleError, ValueError, IndexError, KeyError, RecursionError) as error:
            why = error if isinstance(error, PuzzleError) else "a number is wrong or missing"  # hide Python's message from users
            raise PuzzleError(f"{instance.path}: solution {number} of {len(nodes)} cannot be read: {why}") from None
    return solutions


def stored_levels(instance: Instance) -> Counter[str]:
    """Return the number of solutions of each level in the BurrTools file of a puzzle; none for other files. Levels are in its notation."""
    levels = Counter[str]()
    for node in BurrToolsProblem(instance).solutions if BurrToolsProblem.holds(instance) else ():
        with suppress(ValueError, RecursionError):
            level = _level(node)
            levels.update([] if level is None else [level])
    return levels


def _level(node: Element) -> str | None:
    """Return the level of a solution, if the file has it."""
    tree, numbers = node.find("separation"), (node.findtext("separationInfo") or "").split()
    parting = _counted(iter(map(int, numbers))) if tree is None else _outline(tree)
    return None if parting is None else parting.level


def _outline(node: Element) -> Parting:
    """Return a parting with the right numbers of moves, and no other data."""
    parts = {child.get("type"): _outline(child) for child in node.findall("separation")}
    return _of_moves(len(node.findall("state")) - 1, parts.get("left"), parts.get("removed"))


def _counted(states: Iterator[int]) -> Parting | None:
    """Return an outline from the numbers of states in preorder: node, remaining pieces, removed pieces. The number 0 means no node."""
    return _of_moves(many - 1, _counted(states), _counted(states)) if (many := next(states, 0)) else None


def _of_moves(many: int, left: Parting | None, away: Parting | None) -> Parting:
    return Parting((), (Move((), (), None),) * many, left, away)


def _stored(problem: BurrToolsProblem, node: Element) -> StoredSolution:
    pieces = problem.pieces(node)
    order = {slot: place for place, slot in enumerate(pieces)}
    separation = node.find("separation")
    return StoredSolution(tuple(pieces.values()), None if separation is None else _parting(problem, separation, order), _level(node))


def _parting(problem: BurrToolsProblem, node: Element, order: Mapping[int, int]) -> Parting:
    """Return a parting from the positions of the pieces after each move."""
    pieces = tuple(order[int(slot)] for slot in (node.findtext("pieces") or "").split())
    states = [list(zip(*(_axis(state, name, len(pieces)) for name in ("dx", "dy", "dz")), strict=True)) for state in node.findall("state")]
    moves = tuple(_move(problem, pieces, before, after) for before, after in pairwise(states))
    if not moves or moves[-1].steps is not None:
        raise PuzzleError("its last move takes nothing away")
    parts = {child.get("type", ""): _parting(problem, child, order) for child in node.findall("separation")}
    return Parting(pieces, moves, parts.get("left"), parts.get("removed"))


def _axis(state: Element, name: str, many: int) -> list[int]:
    coordinates = [int(c) for c in (state.findtext(name) or "").split()]
    if len(coordinates) != many:
        raise PuzzleError(f"{name}: {len(coordinates)} numbers for {many} pieces")
    return coordinates


def _move(problem: BurrToolsProblem, pieces: Sequence[int], before: Sequence[Point], after: Sequence[Point]) -> Move:
    """Return the move between two states, in which all moving pieces go the same way."""
    ways = [tuple(b - a for a, b in zip(one, other, strict=True)) for one, other in zip(before, after, strict=True)]
    if len({way for way in ways if any(way)}) != 1:
        raise PuzzleError("pieces of one move go different ways")
    way = next(way for way in ways if any(way))
    cell = problem.cell(way)
    times = gcd(*cell)
    moved = tuple(piece for piece, own in zip(pieces, ways, strict=True) if any(own))
    return Move(moved, tuple(step // times for step in cell), None if max(map(abs, way)) >= FAR // 3 else times)


STORED_SECONDS = 10.0
"""Time limit for computing the levels of stored solutions."""


def stored_words(built: BuiltInstance) -> str | None:
    """Return the levels stored in the file of a puzzle and whether they are right, in words; None if it has no levels.

    The stored moves are replayed, and the level of each assembly is computed again in BurrTools' order of moves.
    """
    instance = built.instance
    levels = stored_levels(instance)
    if not levels:
        return None
    words = listed(f"{level} ({number:,})" for level, number in levels.items())
    try:
        stored = stored_solutions(instance)
    except PuzzleError as error:
        return f"{words}; not replayed: {error}"
    ways = [solution for solution in stored if solution.parting is not None]
    wrong = [fault for solution in ways if (fault := _fault(instance, solution)) is not None]
    if wrong:
        return f"{words}; {len(wrong):,} of {len(ways):,} fail when they are replayed: {wrong[0]}"
    return "; ".join([words, *(["replayed"] if ways else []), *_worked_out(built, stored, levels.total())])


def _worked_out(built: BuiltInstance, stored: Sequence[StoredSolution], levels: int) -> Iterator[str]:
    """Yield a sentence that compares the stored levels with the levels of the first partings in BurrTools' order of moves.

    ``levels`` is the number of stored levels.
    """
    clock = Clock(Limits.of(STORED_SECONDS).begun())
    option = _options(built)
    same, others = 0, list[str]()
    for solution in stored:
        row = [o for tile, atoms in solution.pieces if (o := option(tile, atoms)) is not None]
        if solution.level is None or len(row) < len(solution.pieces) or clock.verdict(-1) is not None:
            continue
        found = first_found(bodies_of(built), row, clock.rest())
        if found is not None and found.level == solution.level:
            same += 1
        elif found is not None:
            others.append(f"{found.level} instead of {solution.level}")
    if others:
        yield f"BurrTools' order of moves gives others here, for {len(others):,} of {same + len(others):,}: {listed(others, 3)}"
    elif same:
        yield f"BurrTools' order of moves gives the same here{'' if same == levels else f', for {same:,} of {levels:,}'}"


def _options(built: BuiltInstance) -> Callable[[str, frozenset[AtomId]], int | None]:
    """Return a function from a tile and its atoms to the placement that covers them, or None."""
    placements, number = built.placements, {atom: i for i, atom in enumerate(built.puzzle.form.numbering.atoms)}

    @cache
    def known(tile: str) -> dict[frozenset[int], int]:
        own = [i for i, t in enumerate(built.puzzle.tiles) if t.name == tile]
        return {frozenset(placements.atoms[o].tolist()): o for o in np.flatnonzero(np.isin(placements.tile, own)).tolist()}

    return lambda tile, atoms: known(tile).get(frozenset(number[atom] for atom in atoms))


def _fault(instance: Instance, solution: StoredSolution) -> str | None:
    groups = [[i for i, (tile, _) in enumerate(solution.pieces) if tile in names] for names in instance.together]
    return first_fault(instance.puzzle.grid, [tuple(sorted(atoms)) for _, atoms in solution.pieces], solution.parting, groups)


def check_for_burrtools(built: BuiltInstance, options: ApartOptions) -> None:
    """Raise NotSupportedError if a file for BurrTools is to be written, and its format cannot express the puzzle."""
    if options.for_burrtools is not None and options.turns is not None:
        raise NotSupportedError("BurrTools knows no turns of pieces, so --turns and a file of BurrTools do not go together")
    if options.for_burrtools is not None:
        solved_problem(built, [], complete=False, seconds=0)


def write_for_burrtools(file: Path, options: ApartOptions, known: Apart, outcome: Sequence[Outcome], seconds: float) -> None:
    """Write the puzzle with the assemblies that come apart. ``outcome`` has the end of the search for assemblies, if it ended."""
    assemblies = sorted(known.assemblies, key=lambda each: each.number)
    complete = options.nth is None and any(ended.complete for ended in outcome) and all(each.apart is not None for each in assemblies)
    rows = [(each.number, each.options, each.answer.parting) for each in assemblies]
    solved_problem(known.built, rows, complete=complete, seconds=seconds).write(file)
