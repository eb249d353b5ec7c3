"""Carve pieces from an assembly: a local search moves cells between pieces for an assembly that comes apart at a high level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Clock, Displayed, EndedError, Ending, Limits, NotSupportedError, Progress, PuzzleError, many
from puzzlesat.counting import Record, Results, solutions
from puzzlesat.designing.burr_design import DesignOptions
from puzzlesat.designing.burr_kernel import Owners
from puzzlesat.designing.parting import TriedAssembly, by_height, results_of, taken_from, taken_of
from puzzlesat.designing.partition import LETTERS, in_order, letters_of, owners_of, taken_apart
from puzzlesat.puzzles import BuiltInstance, Instance, build_instance
from puzzlesat.solvers import LISTING

TOGETHER = 64
"""Number of assignments that are taken apart in one call."""
STARTS = 256
"""Number of solutions of the puzzle that are taken apart at a time, until one comes apart; the best of them is the start."""
PATIENCE = 20
"""Number of batches without improvement after which the search accepts a worse assignment."""
TRIES = 50
"""Largest number of random changes for a batch, as a multiple of the size of a full batch."""


@dataclass(frozen=True, eq=False)
class Block:
    """The form of a puzzle, whose cells are assigned to pieces."""

    instance: Instance

    @cached_property
    def optional(self) -> list[bool]:
        """True for each cell that may stay empty."""
        optional = frozenset(self.instance.puzzle.form.optional)
        return [atom in optional for atom in self.instance.puzzle.form.numbering.atoms]

    @cached_property
    def beside(self) -> list[list[int]]:
        """The neighbours of each cell."""
        form = self.instance.puzzle.form
        number = {atom: i for i, atom in enumerate(form.numbering.atoms)}
        return [[number[n] for n in self.instance.puzzle.grid.neighbours(atom) if n in number] for atom in number]

    def is_in_one_part(self, cells: set[int]) -> bool:
        """Return whether some cells are connected."""
        left, front = set(cells), list(cells)[:1]
        left.difference_update(front)
        while front:
            near = [n for n in self.beside[front.pop()] if n in left]
            left.difference_update(near)
            front += near
        return bool(cells) and not left

    @cached_property
    def lines(self) -> list[list[list[int]]]:
        """The lines of cells along each axis of the grid, once for each direction."""
        found: dict[int, dict[tuple[int, ...], list[int]]] = {}
        for number, atom in enumerate(self.instance.puzzle.form.numbering.atoms):
            for axis in range(len(atom) - 1):
                found.setdefault(axis, {}).setdefault((*atom[:axis], *atom[axis + 1 :]), []).append(number)
        return [[line[::way] for line in lines.values()] for lines in found.values() for way in (1, -1)]

    def rank(self, assembly: TriedAssembly) -> tuple[tuple[int, ...], int]:
        """Return a key that is greater for a better assembly: its moves, then minus the number of groups that can be removed at once."""
        owners = owners_of([assembly.cubes], len(assembly.cubes))[0].tolist()
        ways = 0
        for lines in self.lines:
            push = [1 << k for k in range(max(owners) + 1)]
            for line in lines:
                ahead = 0
                for k in (owners[c] for c in line if owners[c] >= 0):
                    push[k] |= ahead
                    ahead |= 1 << k
            ways += len(_groups(push))
        return assembly.moves, -ways

    def changed(self, owners: Sequence[int], rng: np.random.Generator) -> list[int] | None:
        """Return an assignment in which a few random cells have another owner; None if a piece would not be connected."""
        new, touched = list(owners), set[int]()
        for _ in range(int(rng.geometric(0.5))):
            cell = int(rng.integers(len(new)))
            others = {new[n] for n in self.beside[cell]} | ({-1} if self.optional[cell] else set())
            if to := sorted(others - {new[cell]} - (set() if self.optional[cell] else {-1})):
                touched |= {new[cell], to_owner := to[int(rng.integers(len(to)))]}
                new[cell] = to_owner
        if not touched or not all(self.is_in_one_part({c for c, own in enumerate(new) if own == piece}) for piece in touched - {-1}):
            return None
        return new


@dataclass(frozen=True, repr=False)
class Carved(Ending, Displayed):
    """The results of carving."""

    block: Block
    asked: DesignOptions
    searched: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    """The number of searched assignments that come apart at each level, the highest level first."""
    start: TriedAssembly | None = None
    best: TriedAssembly | None = None
    """The first assignment of the highest level; None if nothing comes apart."""
    checked: int = 0
    """The number of assignments whose result was confirmed by independent code."""

    def is_better_than(self, before: object) -> bool:
        """Return whether the best assignment differs from the best one of earlier results."""
        return self.best is not None and not (isinstance(before, Carved) and before.best is self.best)

    @property
    def apart(self) -> int:
        """The number of searched assignments that come apart."""
        return sum(self.levels.values())

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        best = f"best level found {self.best.level_words}" if self.best else "nothing comes apart"
        return f"{self.block.instance.title}: {best}, {many(self.searched, 'assignment')} searched"

    def __repr__(self) -> str:
        return f"<Carved {self.sentence}>"

    @property
    def puzzle(self) -> dict[str, Any]:
        """The tables of a puzzle with the pieces of the best assignment, which must exist."""
        assert self.best is not None
        return puzzle_of_carved(self.block, self.best.cubes)

    @property
    def record(self) -> Record:
        """The result as a JSON object (see docs/json.md)."""
        return {
            "design": self.block.instance.title,
            "carve": self.asked.carve,
            "seed": self.asked.seed,
            "searched": self.searched,
            "apart": self.apart,
            "checked": self.checked,
            "levels": self.levels,
            "start": self.start and self.start.record,
            "best": self.best and self.best.record,
            "complete": self.complete,
            "why": self.why,
            "seconds": round(self.seconds, 2),
        }


def carved(instance: Instance, options: DesignOptions, limits: Limits, *, progress: Progress = SILENT) -> Iterator[Carved]:
    """Search assignments of cells to pieces, beginning with an assembly of the puzzle. The search depends only on the seed.

    Yield the results after each improvement, and at the end. Raises PuzzleError if the puzzle has no solution, and NotSupportedError if its
    pieces cannot be carved.
    """
    puzzle = instance.puzzle
    if puzzle.form.wrap is not None or puzzle.grid.crossings or any(tile.listed or tile.marks for tile in puzzle.tiles):
        raise NotSupportedError(f"{instance.name}: only pieces of cells alone can be carved, in a form that does not wrap around")
    block = Block(instance)
    limits = limits.begun()
    clock, heeding = Clock(limits), limits.heeding(progress)
    form, grid = puzzle.form, puzzle.grid
    results = results_of(instance.title, ["carved", grid.name, grid.gram, form.required, form.optional], options.file)
    known, levels, why = Carved(block, options), Counter[str](), None
    try:
        for assembly in islice(_walk(block, options.seed, results, limits, heeding), options.carve):
            better = assembly.level is not None and (known.best is None or assembly.moves > known.best.moves)
            known = replace(
                known,
                searched=known.searched + 1,
                start=known.start or assembly,
                best=assembly if better else known.best,
                checked=known.checked + assembly.checked,
            )
            if assembly.level is not None:
                levels[assembly.level] += 1
            if better:
                yield known
            heeding.of("carving")({"assignments": known.searched, "that_come_apart": levels.total()})
    except EndedError as ended:
        why = ended.words
    finally:
        results.close()
    if why is None and known.searched < options.carve:
        why = f"no other assignment was found after {many(known.searched, 'assignment')}"
    yield replace(known, levels=by_height(levels), why=why, seconds=clock.seconds)


def _groups(push: Sequence[int]) -> set[int]:
    """Return the groups that can move in a direction, as bits: the closure of each piece under pushing, except the group of all pieces."""
    found: set[int] = set()
    for group in push:
        grown, before = group, 0
        while grown != before:
            before = grown
            for k, more in enumerate(push):
                if before >> k & 1:
                    grown |= more
        found.add(grown)
    return found - {(1 << len(push)) - 1}


def _walk(block: Block, seed: int, results: Results[str], limits: Limits, progress: Progress) -> Iterator[TriedAssembly]:
    """Yield different assignments: a batch of changes of the current one, which the best of the batch replaces unless it is worse.

    After more than ``PATIENCE`` batches without improvement, the best of the batch replaces the current assignment in any case.
    """
    rng = np.random.default_rng(seed)
    now = _start(block, results, limits, progress)
    yield now
    seen, idle = {now.cubes}, 0
    while new := _batch(block, owners_of([now.cubes], len(now.cubes))[0].tolist(), seen, rng):
        outcomes = list(_taken(block, np.array(new, dtype=np.int8), results, limits))
        yield from outcomes
        best = max(outcomes, key=block.rank)
        idle += 1
        if block.rank(best) >= block.rank(now) or idle > PATIENCE:
            now, idle = best, idle * (block.rank(best) == block.rank(now))


def _start(block: Block, results: Results[str], limits: Limits, progress: Progress) -> TriedAssembly:
    """Return the best of the first solutions of the puzzle, taken block by block until one of them comes apart."""
    built = build_instance(block.instance, progress=progress)
    best: TriedAssembly | None = None
    with closing(solutions(built, LISTING, limits, distinct=True, progress=progress)) as rows:
        while (best is None or best.level is None) and (some := list(islice(rows, STARTS))):
            if len(some[0]) > len(LETTERS):
                raise NotSupportedError(f"{block.instance.name}: {len(some[0])} pieces; expected {len(LETTERS)} at most")
            outcomes = list(_taken(block, _owners(block, built, some), results, limits))
            best = max([*outcomes, *filter(None, [best])], key=block.rank)
    if (best is None or best.level is None) and (status := limits.over()) is not None:
        raise EndedError(status, "looking for a solution that comes apart")
    if best is None:
        raise PuzzleError(f"{block.instance.name}: it has no solution to begin with")
    return best


def _owners(block: Block, built: BuiltInstance, rows: Sequence[Sequence[int]]) -> Owners:
    """Return solutions as the owners of the cells of the form."""
    covered = built.placements.atoms
    owners = np.full((len(rows), len(block.beside)), -1, dtype=np.int8)
    for i, row in enumerate(rows):
        for k, option in enumerate(row):
            owners[i, covered[option]] = k
    return in_order(owners)


def _batch(block: Block, owners: Sequence[int], seen: set[str], rng: np.random.Generator) -> list[list[int]]:
    """Return new assignments near this one, and add them to ``seen``."""
    found: list[list[int]] = []
    for _ in range(TRIES * TOGETHER):
        if (new := block.changed(owners, rng)) is not None:
            ordered = in_order(np.array([new], dtype=np.int8))
            if (letters := letters_of(ordered)[0]) not in seen:
                seen.add(letters)
                found.append(ordered[0].tolist())
                if len(found) == TOGETHER:
                    break
    return found


def _taken(block: Block, owners: Owners, results: Results[str], limits: Limits) -> Iterator[TriedAssembly]:
    """Yield the result of taking apart each assignment, in order. Raises EndedError at a limit."""
    puzzle, letters = block.instance.puzzle, letters_of(owners)
    new = [i for i, cubes in enumerate(letters) if cubes not in results.known]
    for number, answer in taken_apart(puzzle.grid, puzzle.form, owners[new], 1, limits) if new else ():
        if answer.undecided:
            raise EndedError(limits.over() or "limit reached", "taking apart")
        row = owners[new[number]]
        results.add(taken_of(letters[new[number]], [str(size) for size in np.bincount(row[row >= 0])], answer).record)
    for cubes in letters:
        yield taken_from(results.known[cubes])


def puzzle_of_carved(block: Block, cubes: str) -> dict[str, Any]:
    """Return the tables of a puzzle with the pieces of an assignment."""
    puzzle, owners = block.instance.puzzle, owners_of([cubes], len(cubes))[0]
    atoms = [puzzle.grid.ref(atom) for atom in puzzle.form.numbering.atoms]
    tiles = {
        letter.swapcase(): {"atoms": [atom for atom, own in zip(atoms, owners, strict=True) if own == k]}
        for k, letter in enumerate(LETTERS[: int(owners.max()) + 1])
    }
    form = {"atoms": atoms, "optional": [puzzle.grid.ref(atom) for atom in puzzle.form.optional]}
    flips = any(puzzle.grid.motions[i].mirror for tile in puzzle.tiles for i in tile.symmetries)
    return {"title": f"{block.instance.title}, carved", "grid": puzzle.grid.name, "flips": flips, "tiles": tiles, "form": form}
