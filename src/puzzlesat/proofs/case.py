"""The puzzle as the checker rebuilds it from its statement, beside the compiled puzzle; and the file of a certificate.

The file is a zip archive with the puzzle, the solutions and the proof (``verified/certificate-file.md``). ``certificate_to_lrat`` exports a
certificate as a DIMACS formula and an LRAT proof, for other checkers.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from puzzlesat.base import SILENT, Flags, Longs, NotSupportedError, Progress, PuzzleError, Rows, Sentence, new_file, scratch
from puzzlesat.checker import CertificateFile, CertifiedCounts, RebuiltPuzzle, Rejected, TooLarge, read_certificate, read_puzzle
from puzzlesat.proofs.lrat import convert, write_dimacs
from puzzlesat.proofs.statement import state_puzzle, unstated
from puzzlesat.proofs.tree_lrat import Records, tree_lrat
from puzzlesat.proofs.written_search import Removal
from puzzlesat.puzzles import BuiltInstance, exclusions, shape_symmetries
from puzzlesat.solvers import shortest

COMPARED_AT_ONCE = 256
"""Placements compared between two progress reports."""


@dataclass(frozen=True, eq=False)
class Case(RebuiltPuzzle):
    """A puzzle as certificates see it: rebuilt from its statement by the checker's own code, with the compiled puzzle beside it."""

    built: BuiltInstance
    stated: dict[str, Any]
    rules: list[str]
    """The rules on solutions in words; the compiled puzzle ``built`` has none."""
    progress: Progress
    """Receives the progress of work after construction."""

    @cached_property
    def number(self) -> Longs:
        """The number of each placement of the certificate in the compiled puzzle; -1 if it is not there."""
        placed = self.built.placements
        known = {(p.tile, frozenset(p.atoms), frozenset((m.side, m.face, m.name) for m in p.marks)): i for i, p in enumerate(placed)}
        return np.array([known.get((p.tile, *p.look), -1) for p in self.placements], dtype=np.int64)

    @cached_property
    def group(self) -> dict[int, Longs]:
        """The symmetries under which solutions count as one. Raises NotSupportedError if the checker would refuse to compute them."""
        try:
            return super().group
        except TooLarge as error:
            raise NotSupportedError(f"{self.built.instance.name}: the checker would refuse a certificate: {error}") from None

    @cached_property
    def item_names(self) -> list[str]:
        """Display names of the items: atoms as in configs, tiles by name."""
        atoms = [*self.puzzle.required, *self.puzzle.optional]
        of_atoms = [Sentence("atom {atom}", atom=self.built.puzzle.grid.show(a)) for a in atoms]
        return [*of_atoms, *(Sentence("tile {tile}", tile=t.name) for t in self.puzzle.tiles)]

    @cached_property
    def option_names(self) -> list[str]:
        """Display names of the placements."""
        return [self.built.placements[n].name for n in self.number.tolist()]

    def atoms_of_problem(self) -> Longs:
        """Return for each atom of the compiled cover problem, in its order, the number of its item in the rebuilt problem."""
        names = {name: i for i, name in enumerate(self.item_names)}
        count = len(self.puzzle.required) + len(self.puzzle.optional)
        return np.array([names[f"atom {name}"] for name in self.built.problem.items[:count]], dtype=np.int64)

    def break_symmetry(self) -> Kept | None:
        """Break the symmetry: keep one placement of each orbit of an item that every solution covers once; None if all would be kept.

        The instance may name the tile. Otherwise the item is one that clearly shortens the search, else the tile that keeps the
        fewest placements, or an atom if no tile is possible.
        """
        best: tuple[int, Kept] | None = None
        problem, compiled = self.problem, self.built.problem
        preferred = self.built.instance.break_on or shortest(compiled)
        chosen, of_atoms = compiled.choose_item(preferred), self.atoms_of_problem()
        is_atom = chosen is not None and chosen < len(of_atoms)
        for item in [int(of_atoms[chosen])] if is_atom else range(problem.atoms, len(problem.items)):
            if not problem.low[item] == problem.high[item] == 1:
                continue
            kept = sorted({min(orbit) for orbit in self.orbits(item, self.group).values()})
            rank = -1 if self.item_names[item] == f"tile {preferred}" else len(kept)
            if len(kept) < len(problem.options_of(item)) and (best is None or rank < best[0]):
                best = rank, Kept(item, kept, sorted(self.group))
        return None if best is None else best[1]

    def possible_after(self, kept: Kept | None) -> tuple[Flags, Longs]:
        """Return flags of the placements that may be chosen, and the factor by which each multiplies the number of solutions."""
        possible, factor = np.ones(self.problem.options, dtype=np.bool_), np.ones(self.problem.options, dtype=np.int64)
        if kept is not None:
            found = self.orbits(kept.item, kept.symmetries)
            possible[list(found)] = False
            possible[kept.placements] = True
            factor[kept.placements] = [len(found[o]) for o in kept.placements]
        return possible, factor

    @property
    def record_bytes(self) -> int:
        """The size of an item number of a tree in bytes."""
        items = len(self.problem.items)
        return 1 if items <= 1 << 8 else 2 if items <= 1 << 16 else 4

    def as_bytes(self, records: Records) -> bytes:
        """Return item numbers in the encoding of a certificate."""
        return records.astype({1: "<u1", 2: "<u2", 4: "<u4"}[self.record_bytes]).tobytes()


def make_case(built: BuiltInstance, progress: Progress = SILENT) -> Case:
    """Return a puzzle as the checker sees it, under the name and title of its instance.

    Raises NotSupportedError if the puzzle exceeds a limit of the checker. Raises PuzzleError if the checker rejects the statement, or
    rebuilds other placements or exclusions than the program: this is a bug in one of the two.
    """
    _refuse_what_is_not_stated(built)
    named = {"name": built.instance.name, "title": built.instance.title}
    stated = json.loads(json.dumps(named | state_puzzle(built)))
    rules = built.puzzle.solutions.in_words()
    if built.puzzle.solutions:  # rules can be checked on whole solutions only
        built = built.without_solution_rules()
    with progress.overseen():
        try:
            puzzle = read_puzzle(stated)
            case = Case(puzzle, lambda: progress({"placements": len(built.placements)}), built, stated, rules, progress)
            rebuilt = case.problem.options
        except TooLarge as error:
            raise NotSupportedError(
                f"{built.instance.name}: no certificate can state it, because the checker would refuse it: {error}"
            ) from None
        except Rejected as error:
            message = f"the checker rejects the puzzle as the program states it: {error}"
            raise PuzzleError(f"{built.instance.name}: {message}: a bug in one of the two; please report it") from None
        usable = int(np.array([t.high != 0 for t in built.puzzle.tiles])[built.placements.tile].sum())
        if -1 in case.number or rebuilt != usable:
            counted = f"the checker rebuilds {rebuilt} placements, where the program has {usable}"
            raise PuzzleError(f"{puzzle.name}: {counted}: a bug in one of the two; please report it")
        if not _exclude_alike(case, progress):
            raise PuzzleError(
                f"{puzzle.name}: the checker has other placements exclude each other than the program: a bug; please report it"
            )
        return case


def _refuse_what_is_not_stated(built: BuiltInstance) -> None:
    """Raise NotSupportedError if no certificate can state the puzzle."""
    puzzle, name = built.puzzle, built.instance.name
    if puzzle.form.wrap is not None:
        template = "{name}: proofs and certificates do not support forms that wrap around; use 'puzzlesat count'"
        raise NotSupportedError(Sentence(template, name=name))
    if unknown := unstated(puzzle):
        template = "{name}: proofs and certificates do not support {rule}, a rule on solutions, for balls; use 'puzzlesat count'"
        raise NotSupportedError(Sentence(template, name=name, rule=unknown[0]))
    beyond = len(puzzle.grid.symmetries)
    if len(puzzle.grid.motions) == beyond:
        return
    turned = np.array([not tile.listed for tile in puzzle.tiles], dtype=np.bool_)[
        built.placements.tile
    ]  # orientations of listed tiles are positions in their lists
    if (turned & (built.placements.orientation > beyond)).any() or any(s.symmetry.over > 1 for s in shape_symmetries(puzzle)):
        template = (
            "{name}: proofs and certificates support only tiles turned by symmetries of the grid, not pieces of balls "
            "that are turned in their plane; use 'puzzlesat count'"
        )
        raise NotSupportedError(Sentence(template, name=name))


def _exclude_alike(case: Case, progress: Progress) -> bool:
    """Return whether the same pairs of placements exclude each other as in the compiled problem."""
    compiled = exclusions(case.built.problem)
    n = len(case.built.placements)
    for o, number in enumerate(case.number.tolist()):
        theirs = np.unpackbits(compiled.of(number), count=n, bitorder="little")[case.number]
        ours = np.unpackbits(case.problem.exclude[o].view(np.uint8), count=case.problem.options, bitorder="little")
        if not np.array_equal(theirs, ours):
            return False
        if o % COMPARED_AT_ONCE == 0:
            progress({"placements": o})
    return True


@dataclass(frozen=True, eq=False)
class Kept:
    """A broken symmetry: one placement of each orbit of an item, a tile or an atom, and the symmetries that form the orbits."""

    item: int
    placements: list[int]
    symmetries: list[int]

    def stated(self, atoms: int) -> dict[str, object]:
        """Return the entry of a certificate; items from the number ``atoms`` on are tiles."""
        item = {"atom": self.item} if self.item < atoms else {"tile": self.item - atoms}
        return {**item, "placements": self.placements, "symmetries": self.symmetries}


@dataclass
class Contents:
    """The contents of a certificate besides its puzzle; filled in while the proof is made."""

    kind: str
    counts: CertifiedCounts | None = None
    kept: Kept | None = None
    removals: list[Removal] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def write(self, archive: ZipFile, case: Case) -> None:
        """Write ``certificate.json``: the contents of a certificate and its puzzle."""
        counts = self.counts
        assert counts is not None
        fields = {
            "format": "puzzlesat certificate",
            "version": 1,
            "kind": self.kind,
            "claim": {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct},
            "kept": None if self.kept is None else self.kept.stated(case.problem.atoms),
            "removals": self.removals,
            **self.extra,
            "puzzle": case.stated,
        }
        archive.writestr("certificate.json", json.dumps(fields, ensure_ascii=False, separators=(",", ":")))

    def write_solutions(self, archive: ZipFile, case: Case, rows: Rows) -> None:
        """Write the solutions as rows of ascending placement numbers; numbers of all one bits pad a row to the longest."""
        size = 2 if case.problem.options < 0xFFFF else 4
        width = max(int((rows >= 0).sum(axis=1).max(initial=0)), 1)
        self.extra |= {"solution_width": width, "solution_bytes": size}
        table = np.full((len(rows), width), -1, dtype=np.int64)
        table[:, : min(width, rows.shape[1])] = rows[:, :width]
        archive.writestr("solutions.bin", table.astype("<u2" if size == 2 else "<u4").tobytes())


@contextmanager
def new_certificate(path: Path) -> Iterator[ZipFile]:
    """Open a new zip file. At the end, members that compress so well that the checker would refuse them are stored uncompressed."""
    with scratch() as draft:
        with ZipFile(draft, "w", ZIP_DEFLATED) as archive:
            yield archive
        with ZipFile(draft) as source, new_file(path) as file:
            if all(map(CertificateFile.may_hold, source.infolist())):
                draft.seek(0)
                shutil.copyfileobj(draft, file)
                return
            with ZipFile(file, "w") as target:
                for member in source.infolist():
                    again = ZipInfo(member.filename, member.date_time)
                    again.compress_type = ZIP_DEFLATED if CertificateFile.may_hold(member) else ZIP_STORED
                    with source.open(member) as old, target.open(again, "w", force_zip64=True) as new:
                        shutil.copyfileobj(old, new)


def certificate_to_lrat(path: Path, formula: Path, proof: Path, *, binary: bool = False) -> int:
    """Write the formula and the proof of a certificate of kind ``tree`` or ``lrat``; return the number of steps of the proof.

    Raises NotSupportedError for another kind, for rules, and for tiles with several copies; Rejected for an invalid certificate.
    """
    with new_file(formula) as cnf, new_file(proof) as lrat:
        with CertificateFile.opened(path) as file:
            try:
                return _write(path, file, cnf, lrat, binary=binary)
            except OSError as error:
                if error.filename is None:  # the certificate cannot be read
                    raise
                unwritten = error
        raise unwritten


def _write(path: Path, file: CertificateFile, cnf: IO[bytes], lrat: IO[bytes], *, binary: bool) -> int:
    stated = read_certificate(file, [])
    kind = stated.said["kind"]
    if kind not in ("tree", "lrat") or stated.puzzle.late_rules:
        what = "rules (conditions)" if stated.puzzle.late_rules else f"a certificate of kind {kind!r}"
        raise NotSupportedError(f"{path}: {what} cannot be turned into LRAT; make one with 'puzzlesat certify --kind tree'")
    rows = stated.read_solutions([])
    write_dimacs(stated.formula(stated.possible, rows), cnf)
    if kind == "tree":
        stated.problem.check_removals(stated.possible, stated.removals)
        return tree_lrat(stated.problem, stated.possible, stated.removals, rows, stated.read_records(), lrat, binary=binary)
    with file.open("proof.lrat") as source:
        return convert(source, lrat, binary=binary)
