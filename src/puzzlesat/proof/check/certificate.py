"""Reading and checking a certificate: a zip file of ``certificate.json``, the solutions and the proof (``docs/certificates.md``)."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from puzzlesat.proof.check.formula import make_formula
from puzzlesat.proof.check.lrat import check_lrat
from puzzlesat.proof.check.problem import Permutation, Problem, bits, make_problem, orbits, symmetries
from puzzlesat.proof.check.puzzle import Placement, Puzzle, all_placements, read_puzzle, whole
from puzzlesat.proof.check.rejected import Rejected
from puzzlesat.proof.check.removals import check_removals, check_starved
from puzzlesat.proof.check.solutions import Counts, Rows, check_solutions, count_solutions, keeps_rules, labelled_alike, no_solutions
from puzzlesat.proof.check.tally import check_tally
from puzzlesat.proof.check.tree import replay
from puzzlesat.proof.check.weighting import check_weighting

FORMAT, VERSION = "puzzlesat certificate", 1
CHUNK = 1 << 20
MOST_BYTES = {"certificate.json": 1 << 28, "": 1 << 32}
"""The largest members that are read as a whole."""


@dataclass(frozen=True)
class Verified:
    """What a certificate proves, in numbers and in words."""

    name: str
    kind: str
    counts: Counts
    checked: tuple[str, ...]
    believed: tuple[str, ...]


@dataclass(frozen=True)
class Stated:
    """What a certificate says, the puzzle rebuilt from that, and what may be chosen."""

    said: Mapping[str, Any]
    archive: ZipFile
    puzzle: Puzzle
    placements: list[Placement]
    problem: Problem
    possible: NDArray[np.bool_]
    factor: NDArray[np.int64]
    """For each placement: how many solutions one with it stands for."""

    @cached_property
    def group(self) -> dict[int, Permutation]:
        """The symmetries under which two solutions count as one, by their numbers."""
        return symmetries(self.puzzle, self.placements)


def check_certificate(path: Path) -> Verified:
    """Return what a certificate proves. Raises Rejected, with the reason, for one that does not prove what it says; OSError for no file."""
    with opened(path) as archive:
        return _check(archive)


@contextmanager
def opened(path: Path) -> Iterator[ZipFile]:
    """Open a certificate; whatever else goes wrong with it than that there is no such file becomes Rejected."""
    with path.open("rb") as file:
        try:
            with ZipFile(file) as archive:
                for member in archive.infolist():
                    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or member.flag_bits & 1:
                        raise Rejected(f"file: {member.filename!r} is encrypted or packed in a way that certificates are not")
                yield archive
        except (BadZipFile, zlib.error, EOFError, OSError) as error:
            raise Rejected(f"file: it is damaged, or no certificate: {error}") from None
        except (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, StopIteration, TypeError, ValueError) as error:
            raise Rejected(f"certificate: malformed: {type(error).__name__}: {error}") from None


def read_member(archive: ZipFile, name: str) -> bytes:
    """Return a member of a certificate. Raises Rejected where it is too large for memory."""
    size = archive.getinfo(name).file_size
    if size > MOST_BYTES.get(name, MOST_BYTES[""]):
        raise Rejected(f"file: {name!r} has {size:,} bytes, more than this checker reads at once")
    return archive.read(name)


def _check(archive: ZipFile) -> Verified:
    checked: list[str] = []
    stated = read_stated(archive, checked)
    said = stated.said
    counts = _KINDS[said["kind"]](stated, checked)
    labelled, distinct = (None if said["claim"][key] is None else whole(said["claim"][key]) for key in ("labelled", "distinct"))
    claim = Counts(labelled, whole(said["claim"]["all"]), distinct)
    if claim != counts:
        raise Rejected(f"claim: it says {_words(claim)}; proved is {_words(counts)}")
    believed = (
        "that the puzzle stated in the certificate is the one you mean",
        "that this checker, Python, numpy and numba do what they say",
    )
    return Verified(stated.puzzle.name, said["kind"], counts, (*checked, f"so the counts are {_words(counts)}"), believed)


def read_stated(archive: ZipFile, checked: list[str]) -> Stated:
    """Read what a certificate says and rebuild its puzzle; ``checked`` gets what was confirmed."""
    said = json.loads(read_member(archive, "certificate.json"))
    if said["format"] != FORMAT or whole(said["version"]) != VERSION:
        raise Rejected(f"certificate: expected format {FORMAT!r}, version {VERSION}")
    puzzle = read_puzzle(said["puzzle"])
    placements = all_placements(puzzle)
    problem = make_problem(puzzle, placements)
    tiles = "1 tile" if len(puzzle.tiles) == 1 else f"{len(puzzle.tiles)} tiles"
    checked.append(
        f"puzzle {puzzle.name}: {len(puzzle.required) + len(puzzle.optional)} atoms, {tiles}, "
        f"{len(placements):,} placements rebuilt from the geometry"
    )
    everything = np.ones(len(placements), dtype=np.bool_), np.ones(len(placements), dtype=np.int64)
    stated = Stated(said, archive, puzzle, placements, problem, *everything)
    if said["kept"] is not None:
        _keep(stated, said["kept"], checked)
    return stated


def _words(counts: Counts) -> str:
    named = {"labelled": counts.labelled, "all": counts.all, "distinct": counts.distinct}
    return ", ".join(f"{key} {'-' if n is None else format(n, ',')}" for key, n in named.items())


def _keep(stated: Stated, said: Mapping[str, Any], checked: list[str]) -> None:
    """Confirm that one placement of each orbit of a tile was kept; every solution is then the image of one with a kept placement."""
    problem, group = stated.problem, stated.group
    item = problem.atoms + whole(said["tile"])
    if whole(said["tile"]) < 0 or not problem.low[item] == problem.high[item] == 1:
        raise Rejected("kept: only a tile that is used exactly once can break the symmetry")
    options, kept = problem.options_of(item), sorted(map(whole, said["placements"]))
    named = [whole(s) for s in said["symmetries"]]
    if unknown := [s for s in named if s not in group]:
        raise Rejected(f"kept: symmetry {unknown[0]} does not map the puzzle onto itself")
    found = orbits(options, [group[s] for s in named])
    if any(not orbit <= set(options.tolist()) for orbit in found.values()):
        raise Rejected("kept: a symmetry takes the tile to another one")
    if not set(kept) <= found.keys() or {found[o] for o in kept} != set(found.values()) or len({found[o] for o in kept}) != len(kept):
        raise Rejected("kept: not one placement of each orbit")
    stated.possible[options] = False
    stated.possible[kept] = True
    stated.factor[kept] = [len(found[o]) for o in kept]
    checked.append(
        f"symmetry: {len(named)} symmetries map placements, form and rules onto themselves; of {len(options)} placements of "
        f"{problem.items[item]} {len(kept)} stand for all"
    )


def _by_weighting(stated: Stated, checked: list[str]) -> Counts:
    said = stated.said["weighting"]
    weights = {whole(i): whole(w) for i, w in said["weights"]}
    checked.append("weights: " + check_weighting(stated.problem, _removed(stated, checked), weights, whole(said["modulus"])))
    return no_solutions(stated.puzzle)


def _by_removals(stated: Stated, checked: list[str]) -> Counts:
    checked.append("removals: " + check_starved(stated.problem, _removed(stated, checked)))
    return no_solutions(stated.puzzle)


def _by_tree(stated: Stated, checked: list[str]) -> Counts:
    rows = read_solutions(stated, checked)
    position = 0

    def confirm(found: Rows) -> None:
        nonlocal position
        for row in found:
            chosen = row[row >= 0]
            if not keeps_rules(stated.puzzle, stated.placements, chosen.tolist()):
                continue
            if position == len(rows) or not np.array_equal(rows[position][rows[position] >= 0], chosen):
                raise Rejected(f"tree: it leads to solution {position + 1}, which is not the one listed")
            position += 1

    possible = bits(np.flatnonzero(_removed(stated, checked)), stated.problem.options)
    replayed = replay(stated.problem, possible, read_records(stated), confirm)
    if position < len(rows):
        raise Rejected(f"tree: it does not lead to solution {position + 1}")
    checked.append(f"tree: {replayed.nodes:,} nodes replayed; it leads to these solutions and to no other")
    return _counted(stated, rows, checked)


def _by_lrat(stated: Stated, checked: list[str]) -> Counts:
    if stated.puzzle.rules or stated.said["removals"]:
        raise Rejected("lrat: rules and removals cannot be part of the formula")
    rows = read_solutions(stated, checked)
    formula = make_formula(stated.problem, stated.possible, rows)
    with stated.archive.open("proof.lrat") as stream:
        result = check_lrat(formula, stream)
    checked.append(
        f"refutation: {len(formula):,} clauses rebuilt from the puzzle and its solutions; {result.added:,} steps derive the empty clause"
    )
    return _counted(stated, rows, checked)


def _by_tally(stated: Stated, checked: list[str]) -> Counts:
    if stated.puzzle.rules or stated.said["removals"] or stated.problem.forced:
        raise Rejected("tally: rules, removals and fixed placements are not part of it")
    found, words = check_tally(stated.problem, stated.possible, stated.factor, stated.said["tally"], partial(read_member, stated.archive))
    checked.append("tally: " + words)
    return Counts(labelled_alike(stated.puzzle, found), found, None)


def _removed(stated: Stated, checked: list[str]) -> NDArray[np.bool_]:
    removals = [(whole(o), whole(i)) for o, i in stated.said["removals"]]
    possible = check_removals(stated.problem, stated.possible, removals)
    if removals:
        checked.append(f"removals: {len(removals):,} placements leave some atom or tile nothing, one after the other")
    return possible


def _counted(stated: Stated, rows: Rows, checked: list[str]) -> Counts:
    if not len(rows):
        return no_solutions(stated.puzzle)
    checked.append(f"distinct: solutions count as one where one of {len(stated.group)} symmetries of the form takes one to the other")
    factors = np.append(stated.factor, 1)[rows].prod(axis=1, dtype=np.int64)
    return count_solutions(stated.puzzle, stated.placements, rows, factors, list(stated.group.values()))


def read_solutions(stated: Stated, checked: list[str]) -> Rows:
    """Read and check the solutions listed: for each the numbers of its placements, ascending, and all ones as padding."""
    width, size = whole(stated.said["solution_width"]), whole(stated.said["solution_bytes"])
    data = np.frombuffer(read_member(stated.archive, "solutions.bin"), dtype={2: "<u2", 4: "<u4"}[size])
    rows = np.where(data == np.iinfo(data.dtype).max, -1, data.astype(np.int64))
    if rows.size and rows.max() >= stated.problem.options:
        raise Rejected("solutions: a number is not that of a placement")
    table = rows.astype(np.int32).reshape(-1, width) if width else np.empty((0, 0), dtype=np.int32)
    check_solutions(stated.puzzle, stated.placements, stated.problem, stated.possible, table)
    checked.append(f"solutions: {len(table):,} listed, each a solution on the geometry, no two alike")
    return table


def read_records(stated: Stated) -> Iterator[NDArray[np.uint32]]:
    """Yield the item numbers of a tree, in chunks."""
    kind = {1: "<u1", 2: "<u2"}[whole(stated.said["record_bytes"])]
    with stated.archive.open("proof.tree") as stream:
        while chunk := stream.read(CHUNK):
            yield np.frombuffer(chunk, dtype=kind).astype(np.uint32)


_KINDS: dict[str, Callable[[Stated, list[str]], Counts]] = {
    "weighting": _by_weighting,
    "removals": _by_removals,
    "tree": _by_tree,
    "lrat": _by_lrat,
    "tally": _by_tally,
}
