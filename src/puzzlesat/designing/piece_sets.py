"""What is found out about pieces with free cells: which sets of pieces fill the form, in how many ways, and which come apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Clock, ContradictionError, Displayed, EndedError, Ending, Limits, Progress, many
from puzzlesat.counting import Record, Results
from puzzlesat.designing.burr import burr_of
from puzzlesat.designing.burr_design import Designed, DesignOptions, designed_rods
from puzzlesat.designing.carving import Carved, carved
from puzzlesat.designing.design_files import DesignFile, PiecesFile, read_design
from puzzlesat.designing.free_cells import Assigned, Family, assigned, family_of
from puzzlesat.designing.levels import TriedAssembly, levels_of, taken_from, tried
from puzzlesat.designing.partition import letters_of, taken_apart
from puzzlesat.disassembly import Disassembly
from puzzlesat.puzzles import Instance, Puzzle, Tile, build_instance
from puzzlesat.solvers import TALLY, solver

PIECES_JUDGE = TALLY
"""The solver that counts the assemblies of some pieces again, which were found among those of many pieces."""

MOST_LISTED = 500_000
"""Assemblies that are listed at once; where there are more, one piece after the other gets a shape."""
MOST_SETS = 5_000_000
SHOWN = 10
"""Sets of pieces that are looked at more closely, if nobody says how many."""
Shapes = tuple[int, ...]


@dataclass(frozen=True)
class PieceSet:
    """A set of pieces that fills the form."""

    shapes: Shapes
    """In ascending order."""
    cells: str
    """One of its assemblies, as letters."""
    assemblies: int
    """How many it has, up to the motions of the form."""
    all: int
    """How many it has, turned copies included."""
    apart: int = 0
    """How many of ``assemblies`` come apart."""
    best: TriedAssembly | None = None
    """That of the highest level."""

    @property
    def rank(self) -> tuple[object, ...]:
        """The greater, the better: first the highest level, then the fewest assemblies that come apart, and the fewest others."""
        return self.best.moves if self.best else (), -self.apart, -self.assemblies, [-shape for shape in self.shapes]


@dataclass(frozen=True, repr=False)
class DesignedSets(Ending, Displayed):
    """What is known of pieces with free cells."""

    file: PiecesFile
    family: Family
    asked: DesignOptions
    searched: int = 0
    """How many of ``family.choices`` were searched: all sets of their pieces were found, with all assemblies of these."""
    sets: Mapping[Shapes, PieceSet] = field(default_factory=dict)
    taken: tuple[TriedAssembly, ...] = ()
    """Assemblies that were taken apart, or found not to come apart."""
    confirmed: int = 0
    """Of how many of ``shown`` code that shares nothing with the search counted the assemblies once more."""

    @property
    def assemblies(self) -> int:
        """All assemblies up to the motions of the form."""
        return sum(one.assemblies for one in self.sets.values())

    @property
    def all(self) -> int:
        """All assemblies."""
        return sum(one.all for one in self.sets.values())

    @property
    def once(self) -> int:
        """How many sets have exactly one assembly."""
        return sum(one.assemblies == 1 for one in self.sets.values())

    @property
    def apart(self) -> int:
        """How many of ``taken`` come apart."""
        return sum(self.levels.values())

    @cached_property
    def levels(self) -> dict[str, int]:
        """How many assemblies come apart at each level, the highest level first."""
        return levels_of(self.taken)

    @property
    def best(self) -> PieceSet | None:
        """The best set: of the highest level, if assemblies were taken apart; or else one with the fewest assemblies."""
        return next(iter(self.shown), None)

    @cached_property
    def shown(self) -> Sequence[PieceSet]:
        """The best sets, as many as you asked for."""
        chosen = [one for one in self.sets.values() if one.apart or not self.asked.apart]
        return sorted(chosen, key=lambda one: one.rank, reverse=True)[: self.asked.unique or SHOWN]

    @property
    def figures(self) -> dict[str, int]:
        """The figures that ``expect`` of a design can state, as far as they are known."""
        if not self.complete:
            return {"choices": self.family.choices}
        found = {"choices": self.family.choices, "sets": len(self.sets), "assemblies": self.assemblies, "once": self.once}
        return found | ({"apart": self.apart} if self.asked.apart else {})

    @property
    def agreeing(self) -> dict[str, int]:
        """Figures that are as published."""
        return self.file.expect.agreeing(self.figures)

    @property
    def differences(self) -> dict[str, tuple[int, int]]:
        """Figures that differ from published ones: what is published, and what was found."""
        return self.file.expect.differing(self.figures)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        found = (
            f"{many(len(self.sets), 'set')} of pieces {'fills' if len(self.sets) == 1 else 'fill'} the form, {self.once:,} in one way only"
        )
        return f"{self.family.title}: {found}" + ("" if self.complete else f"; not complete: {self.why}")

    def __repr__(self) -> str:
        return f"<DesignedSets {self.sentence}>"

    def names(self, shapes: Shapes) -> list[str]:
        """Return the names of pieces."""
        return [self.family.names[shape] for shape in shapes]

    @property
    def puzzle(self) -> dict[str, Any]:
        """The tables of a puzzle with the pieces of the best set, of which there must be one."""
        assert self.best is not None
        family, file, shapes = self.family, self.file, self.best.shapes
        tiles = {
            family.names[s]: {"atoms": [family.grid.ref(a) for a in family.bodies[s]], "copies": n} for s, n in Counter(shapes).items()
        }
        form = {
            "atoms": [family.grid.ref(a) for a in family.form.numbering.atoms],
            "optional": [family.grid.ref(a) for a in family.form.optional],
        }
        title = f"{family.title}: {' '.join(self.names(shapes))}"
        source = {"source": file.source} if file.source else {}
        return {"title": title} | source | {"grid": file.grid, "flips": file.flips, "tiles": tiles, "form": form}

    @property
    def record(self) -> Record:
        """The same as a JSON object, as docs/json.md describes it."""
        found: dict[str, Any] = {
            "design": self.family.title,
            "shapes": {piece.name: len(piece.shapes) for piece in self.family.pieces},
            "choices": self.family.choices,
            "searched": self.searched,
            "sets": len(self.sets),
            "once": self.once,
            "distinct": self.assemblies,
            "all": self.all,
            "agree": not self.differences if self.agreeing or self.differences else None,
            "differences": {key: {"published": a, "found": b} for key, (a, b) in self.differences.items()},
            "best": [
                {"pieces": self.names(one.shapes), "cubes": one.cells, "assemblies": one.assemblies, "all": one.all}
                | ({"apart": one.apart, "level": one.best and one.best.level} if self.asked.apart else {})
                for one in self.shown
            ],
            "confirmed": self.confirmed,
        }
        if self.asked.apart:
            opens, checked = (sum(getattr(one, key) for one in self.taken) for key in ("opens", "checked"))
            found |= {"decided": len(self.taken), "apart": self.apart, "opens": opens, "checked": checked, "levels": self.levels}
        return found | {"complete": self.complete, "why": self.why, "seconds": round(self.seconds, 2)}


def designed_sets(
    file: PiecesFile, asked: DesignOptions, jobs: int, limits: Limits, *, progress: Progress = SILENT
) -> Iterator[DesignedSets]:
    """Yield what is known of pieces with free cells, once all is searched, and once it is confirmed.

    Raises ContradictionError where two ways of counting come to different numbers.
    """
    limits = limits.begun()
    clock, told = Clock(limits), limits.heeding(progress)
    known = DesignedSets(file, family_of(file), asked)
    sets: dict[Shapes, PieceSet] = {}
    taken: list[TriedAssembly] = []
    searched, why = 0, None
    results = Results("design", "puzzle", file.title, _fingerprint(known.family), asked.file, lambda r: taken_from(r).cubes)
    try:
        for choices, found in _searched(known.family, limits, told):
            more = _sets_of(found, sets)
            if asked.apart:
                answers = list(_taken(known, results, found, more, jobs, limits, progress))
                taken += answers
                more = _with_levels(known, more, answers)
            sets |= more
            searched += choices
            told.of("searching")({"sets": len(sets), Progress.SHARE: 10**6 * searched // known.family.choices})
    except EndedError as ended:
        why = f"{ended.words}; {searched:,} of {known.family.choices:,} choices searched"
    finally:
        results.close()
    known = replace(known, sets=sets, taken=tuple(taken), searched=searched, why=why, seconds=clock.seconds)
    yield known
    if why is None:
        try:
            for number, one in enumerate(known.shown, start=1):
                told.of("confirming")({"sets": number - 1})
                _confirm(known, one, limits)
                known = replace(known, confirmed=number, seconds=clock.seconds)
        except EndedError as ended:
            known = replace(known, why=ended.words, seconds=clock.seconds)
        yield known


def _searched(family: Family, limits: Limits, progress: Progress) -> Iterator[tuple[int, Assigned]]:
    """Yield all assemblies of some choices of the shapes, and how many choices these are; in the end, of all."""
    waiting = [family]
    while waiting:
        now = waiting.pop()
        piece = max(now.pieces, key=lambda piece: len(piece.shapes))
        single = len(piece.shapes) == 1
        found = assigned(now, None if single else MOST_LISTED, limits, progress)
        if found is None:
            waiting += [now.with_shape(piece, shape) for shape in reversed(piece.shapes)]
        else:
            yield now.choices, found


def _sets_of(found: Assigned, known: Mapping[Shapes, PieceSet]) -> dict[Shapes, PieceSet]:
    """The sets of these assemblies that are not known yet. Whoever has all assemblies of some choices has all of each of their sets."""
    different, first, number = np.unique(found.shapes, axis=0, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    assemblies, every = np.bincount(number, minlength=len(first)), np.bincount(number, found.copies, minlength=len(first))
    letters = letters_of(found.owners[first])
    each = zip(map(tuple, different.tolist()), letters, assemblies.tolist(), every.astype(np.int64).tolist(), strict=True)
    new = {one[0]: PieceSet(*one) for one in each if one[0] not in known}
    if len(known) + len(new) > MOST_SETS:
        raise EndedError("limit reached", f"listing more than {MOST_SETS:,} sets of pieces")
    return new


def _taken(
    known: DesignedSets,
    results: Results[str],
    found: Assigned,
    sets: Mapping[Shapes, PieceSet],
    jobs: int,
    limits: Limits,
    progress: Progress,
) -> Iterator[TriedAssembly]:
    """Yield of each assembly of these sets whether it comes apart. Raises EndedError at a limit."""
    shapes = list(map(tuple, found.shapes.tolist()))
    here, letters = [i for i, one in enumerate(shapes) if one in sets], letters_of(found.owners)

    def answers_of(left: list[int]) -> Iterator[tuple[int, Disassembly]]:
        return taken_apart(known.family.grid, known.family.form, found.owners[[here[n] for n in left]], jobs, limits, progress)

    for one in tried(results, [(letters[i], known.names(shapes[i])) for i in here], answers_of, progress):
        if one is None:
            raise EndedError(limits.over() or "limit reached", "taking apart")
        yield one


def _with_levels(known: DesignedSets, sets: Mapping[Shapes, PieceSet], taken: Sequence[TriedAssembly]) -> dict[Shapes, PieceSet]:
    """The sets with what is known of their assemblies."""
    by_pieces: dict[tuple[str, ...], list[TriedAssembly]] = {}
    for one in taken:
        if one.level is not None:
            by_pieces.setdefault(one.pieces, []).append(one)
    return {
        shapes: replace(one, apart=len(own), best=(best := max(own, key=lambda one: one.rank)), cells=best.cubes)
        if (own := by_pieces.get(tuple(known.names(shapes))))
        else one
        for shapes, one in sets.items()
    }


def _confirm(known: DesignedSets, one: PieceSet, limits: Limits) -> None:
    """Count the assemblies of a set as those of any puzzle, by a solver that shares no search code with the one that listed them."""
    family = known.family
    turns = tuple(i for i, motion in enumerate(family.grid.motions) if family.flips or not motion.mirror)
    tiles = [
        Tile(name := family.names[shape], family.bodies[shape], (), copies, copies, turns, (name,), ((copies, copies),))
        for shape, copies in Counter(one.shapes).items()
    ]
    problem = build_instance(Puzzle(family.grid, tuple(tiles), family.form)).problem
    outcome = solver(PIECES_JUDGE)(problem.without_implied())(None, limits)
    if not outcome.complete:
        raise EndedError(outcome.status, "confirming")
    if outcome.found != one.all:
        pieces = " ".join(known.names(one.shapes))
        raise ContradictionError(f"two ways of counting the assemblies of {pieces} find {one.all:,} and {outcome.found:,}")


def _fingerprint(family: Family) -> str:
    """What stands for the form and the pieces."""
    pieces = [(piece.name, piece.fixed, piece.free, piece.copies) for piece in family.pieces]
    said = [family.grid.name, family.grid.gram, family.form.required, family.form.optional, family.holes, family.flips, pieces]
    return sha256(repr(said).encode()).hexdigest()[:16]


def designed(
    design: DesignFile | PiecesFile | Instance, asked: DesignOptions, jobs: int, limits: Limits, *, progress: Progress = SILENT
) -> Iterator[Designed | DesignedSets | Carved]:
    """Yield what is known of rods, of pieces with free cells, or of pieces carved from a puzzle, each time more."""
    if isinstance(design, Instance):
        return carved(design, asked, limits, progress=progress)
    if isinstance(design, PiecesFile):
        return designed_sets(design, asked, jobs, limits, progress=progress)
    return designed_rods(design, asked, jobs, limits, progress=progress)


def design_facts(path: Path) -> str:
    """Return what the file of a design describes, in a sentence. Raises PuzzleError with everything that is wrong with it."""
    design = read_design(str(path))
    if isinstance(design, PiecesFile):
        family = family_of(design)
        return f"design of {many(family.number, 'piece')}; {many(family.choices, 'choice')} of their shapes"
    burr = burr_of(design)
    return f"design of {many(len(burr.rods), 'rod')}; {many(len(burr.names), 'piece')} can be cut"
