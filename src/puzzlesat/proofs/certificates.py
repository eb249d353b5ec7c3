"""Make the certificate of a count: a tree, an LRAT proof, or a tally."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import numpy as np

from puzzlesat import base
from puzzlesat.checker import CertifiedCounts, Clauses, RebuiltPuzzle, Rejected, TallySteps, Unmoved, counts_in_words
from puzzlesat.proofs.case import Case, Contents, make_case, new_certificate
from puzzlesat.proofs.lrat import cadical_lrat, write_dimacs
from puzzlesat.proofs.tree_lrat import Records, tree_lrat
from puzzlesat.proofs.written_search import Searched, find_removals, read_tree, search, searched_tree, write_tree
from puzzlesat.proofs.written_tally import write_tally
from puzzlesat.puzzles import Instance, build_instance
from puzzlesat.solvers import scan_order

CERTIFIED_STATES = 30_000_000
"""Maximum number of states of a tally in a certificate, which then has some hundred megabytes."""

UNMOVED_STATES = 3_000_000
"""Maximum number of states of a tally of the solutions that a symmetry leaves unchanged; a million takes about 10 MB of memory."""
MAX_BY_TREE = 100_000
"""Expected solutions up to which ``count_unmoved`` tries a tree, which takes about a second; beyond, it uses a tally if it can."""
SHARE_OF_TREE = 0.5
"""Share of the time limit for a tree if a tally can follow."""
RULED_AT_ONCE = 64
"""Solutions whose rules are checked between two looks at the clock."""


class SearchStoppedError(Exception):
    """The search was stopped before it was complete: there is no certificate."""

    def __init__(self, status: base.Status, solutions: int) -> None:
        super().__init__(f"{status} after {base.many(solutions, 'solution')}")
        self.status: base.Status = status


@dataclass(frozen=True, repr=False)
class Certified(base.Ending):
    """A certificate of a count: the counts that it proves, and its size."""

    counts: CertifiedCounts
    """The counts that the certificate proves: ``labelled``, ``all`` and ``distinct``; None if its kind does not give them."""
    size: int | None
    """Bytes of the file; None if it went through a pipe, or no file was written."""
    work: dict[str, int]
    """The work in units such as ``nodes``."""

    @classmethod
    def of(cls, instance: Instance, path: Path, kind: str, limits: base.Limits, progress: base.Progress = base.SILENT) -> Certified:
        """Write the certificate of the count of an instance; if a limit is reached first, the answer is incomplete.

        Raises PuzzleError if there is no such kind of certificate.
        """
        if kind not in KINDS:
            raise base.PuzzleError(f"--kind {kind}: there is no such kind{base.near_match(kind, KINDS)}")
        try:
            case = make_case(build_instance(instance, progress=progress, limits=limits), progress)
            return certify(case, path, kind, limits, progress.of("proof"))
        except (SearchStoppedError, base.EndedError) as error:
            far = error.words if isinstance(error, base.EndedError) else error
            return cls(CertifiedCounts(), None, {}, why=f"{far}: the count is not complete, so no certificate was written")

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the counts that the certificate proves, or why there is no certificate."""
        return f"certificate written: {counts_in_words(self.counts)}" if self.why is None else self.why

    def __repr__(self) -> str:
        return f"<Certified: {self.sentence}>"

    def __str__(self) -> str:
        return self.sentence


def certify(case: Case, path: Path, kind: str, limits: base.Limits, progress: base.Progress = base.SILENT) -> Certified:
    """Write the certificate of a count.

    Raises NotSupportedError if the kind cannot hold the puzzle, SearchStoppedError if a limit is reached first; then no file is written.
    """
    with progress.overseen():
        contents = Contents(kind, kept=case.break_symmetry())
    _go_on(base.Clock(limits), 0)
    with new_certificate(path) as archive:
        work = KINDS[kind](case, contents, archive, limits, progress)
        contents.write(archive, case)
        assert contents.counts is not None
        if limits.stop.is_set():  # the archive is still a draft; opening a pipe next may block
            raise SearchStoppedError("interrupted", contents.counts.all or 0)
    return Certified(contents.counts, path.stat().st_size if base.is_plain(path) else None, work)


def _by_tree(case: Case, contents: Contents, archive: ZipFile, limits: base.Limits, progress: base.Progress) -> dict[str, int]:
    possible, factor = case.possible_after(contents.kept)
    contents.removals, _, remaining = find_removals(case.problem, possible, progress)
    contents.extra["record_bytes"] = case.record_bytes
    with archive.open("proof.tree", "w", force_zip64=True) as stream:

        def write_records(records: Records) -> None:
            stream.write(case.as_bytes(records))

        searched, rows = _all_solutions(case, remaining, write_records, limits, progress)
    _finish(case, contents, archive, rows, factor)
    return {"nodes": searched.nodes, "removals": len(contents.removals)}


def solutions_by_search(
    case: Case, possible: base.Flags, on_records: Callable[[Records], None], limits: base.Limits, progress: base.Progress
) -> tuple[Searched, base.Rows]:
    """Search as far as the limits allow; return how the search ended, and the solutions that keep the rules."""
    clock = base.Clock(limits)
    found: list[base.Rows] = []

    def keep(rows: base.Rows) -> None:
        """Keep the rows that obey the rules, in small batches: millions of rows may break one, and the clock is checked in between."""
        for first in range(0, len(rows), RULED_AT_ONCE):
            if first and (status := clock.verdict(-1)) is not None:
                raise SearchStoppedError(status, sum(map(len, found)))
            some = rows[first : first + RULED_AT_ONCE]
            found.append(some[case.rules_kept(some)])

    try:
        searched = search(case.problem, possible, on_records, keep if case.puzzle.late_rules else found.append, limits, progress)
    except SearchStoppedError as stopped:
        searched = Searched(stopped.status, 0, sum(map(len, found)))
    return searched, base.joined_rows(found)


def _all_solutions(
    case: Case, possible: base.Flags, on_records: Callable[[Records], None], limits: base.Limits, progress: base.Progress
) -> tuple[Searched, base.Rows]:
    """Search exhaustively. Raises SearchStoppedError if a limit is reached first."""
    searched, rows = solutions_by_search(case, possible, on_records, limits, progress)
    if searched.status != "complete":
        raise SearchStoppedError(searched.status, searched.solutions)
    return searched, rows


def _by_lrat(case: Case, contents: Contents, archive: ZipFile, limits: base.Limits, progress: base.Progress) -> dict[str, int]:
    """Write the search of ``_by_tree`` as an LRAT proof."""
    _needs_no_rules(case)
    clock = base.Clock(limits)
    possible, factor = case.possible_after(contents.kept)
    removals, _, remaining = find_removals(case.problem, possible, progress)
    with base.scratch() as tree:
        searched, rows = _all_solutions(case, remaining, partial(write_tree, tree), limits, progress)
        with archive.open("proof.lrat", "w", force_zip64=True) as stream:
            records = read_tree(tree, lambda: _go_on(clock, len(rows)))
            steps = tree_lrat(case.problem, possible, removals, rows, records, stream)
    _write_formula(archive, _formula(case, possible, rows))
    _finish(case, contents, archive, rows, factor)
    return {"nodes": searched.nodes, "steps": steps}


def _by_cadical(case: Case, contents: Contents, archive: ZipFile, limits: base.Limits, progress: base.Progress) -> dict[str, int]:
    """Write the solutions of a search, and CaDiCaL's refutation of any other solution."""
    _needs_no_rules(case)
    contents.kind = "lrat"
    clock = base.Clock(limits)
    possible, factor = case.possible_after(contents.kept)
    _, rows = _all_solutions(case, possible, lambda _: None, limits, progress)
    progress({"solutions": len(rows)})
    formula = _formula(case, possible, rows)
    with TemporaryDirectory() as folder:
        proof = Path(folder) / "proof.lrat"
        refuted = cadical_lrat(formula, proof, stop=lambda: clock.verdict(-1) is not None)
        if refuted is None:
            raise SearchStoppedError(clock.verdict(-1) or "interrupted", len(rows))
        if not refuted:
            raise base.ContradictionError("cadical: it finds one more solution than the search")
        archive.write(proof, "proof.lrat")
    _write_formula(archive, formula)
    _finish(case, contents, archive, rows, factor)
    return {"clauses": len(formula)}


def _go_on(clock: base.Clock, solutions: int) -> None:
    """Raise SearchStoppedError if a limit is reached."""
    if (status := clock.verdict(-1)) is not None:
        raise SearchStoppedError(status, solutions)


def _needs_no_rules(case: Case) -> None:
    if case.puzzle.late_rules:
        raise base.NotSupportedError("an LRAT proof cannot hold rules (conditions); use --kind tree")


def _formula(case: Case, possible: base.Flags, rows: base.Rows) -> Clauses:
    try:
        return case.formula(possible, rows)
    except Rejected as error:
        raise base.NotSupportedError(f"{error}; use --kind tree") from None


def _write_formula(archive: ZipFile, formula: Clauses) -> None:
    """Add the formula as DIMACS for independent checkers; the checker of this package rebuilds it."""
    with archive.open("formula.cnf", "w", force_zip64=True) as stream:
        write_dimacs(formula, stream)


def _finish(case: Case, contents: Contents, archive: ZipFile, rows: base.Rows, factor: base.Longs) -> None:
    contents.write_solutions(archive, case, rows)
    factors = np.append(factor, 1)[rows].prod(axis=1, dtype=np.int64)
    with case.progress.overseen():
        contents.counts = case.count(rows, factors)


def _by_tally(case: Case, contents: Contents, archive: ZipFile, limits: base.Limits, progress: base.Progress) -> dict[str, int]:
    if case.puzzle.late_rules or case.problem.forced:
        raise base.NotSupportedError("a tally cannot hold rules or fixed placements; use --kind tree")
    if case.puzzle.mates:
        raise base.NotSupportedError("a tally cannot hold marks; use --kind tree")
    atoms = case.atoms_of_problem()
    possible, factor = case.possible_after(contents.kept)
    scan = scan_order(case.built.problem, np.arange(len(atoms), dtype=np.int32))
    order, links = atoms[scan].tolist(), _links(case, atoms)
    steps = TallySteps.of(case.problem, possible, factor, order, links)
    levels, found = write_tally(steps, archive.writestr, CERTIFIED_STATES, _on_level(limits, progress))
    contents.extra["tally"] = {"order": order, "links": links, "levels": levels}
    contents.counts = CertifiedCounts(case.count_labelled(found), found, None)
    return {"levels": levels}


def _on_level(limits: base.Limits, progress: base.Progress) -> Callable[[int, int], None]:
    """Return a function that reports the level and the states of a tally, and raises SearchStoppedError if a limit is reached."""
    clock = base.Clock(limits)

    def on_level(level: int, states: int) -> None:
        progress({"levels": level, "states": states})
        _go_on(clock, 0)

    return on_level


def _links(case: Case, atoms: base.Longs) -> list[tuple[int, int]]:
    """Return the pairs of adjacent atoms; if some tile is not connected by adjacency, the pairs of consecutive atoms of placements."""
    adjacent, problem = case.built.problem.adjacent, case.problem
    if adjacent is not None:
        return sorted((int(atoms[a]), int(atoms[b])) for a, b in adjacent.tolist())
    rows = (problem.item[problem.start[o] : problem.start[o + 1] - 1].tolist() for o in range(problem.options))
    return sorted({pair for row in rows for pair in pairwise(row)})


def count_unmoved(rebuilt: RebuiltPuzzle, unmoved: Unmoved, expected: int, limits: base.Limits, progress: base.Progress) -> int:
    """Return how many solutions a symmetry leaves unchanged, counted by a tree or a tally that the checker goes through.

    A tally counts them, if it can, when more than ``MAX_BY_TREE`` are ``expected``, or when the tree has used its share of the time. Raises
    EndedError if a limit is reached, NotSupportedError if the tally would be too large.
    """
    clock = base.Clock(limits)
    if unmoved.tallied is None or expected <= MAX_BY_TREE:
        own = clock.rest() if unmoved.tallied is None else clock.rest().within(clock.share(SHARE_OF_TREE))
        with searched_tree(unmoved.problem, own, progress) as (searched, records):
            if searched.status == "complete":
                return unmoved.count_by_tree(rebuilt.placements, records)
        if unmoved.tallied is None:
            raise base.EndedError(searched.status)
    problem, possible = unmoved.tallied
    atoms = [*rebuilt.puzzle.required, *rebuilt.puzzle.optional]
    number, alike = {atom: i for i, atom in enumerate(atoms)}, [row.tobytes() for row in problem.sets()[: len(atoms)]]
    long = int(np.ptp(np.array(atoms)[:, :-1], axis=0).argmax())
    keys = [(atom[long], *atom) for atom in atoms]
    first = {row: key for key, row in sorted(zip(keys, alike, strict=True), reverse=True)}
    order = sorted(range(len(atoms)), key=lambda a: (first[alike[a]], keys[a]))  # atoms with equal options are consecutive
    looks = [sorted(placement.look[0]) for placement in rebuilt.placements]
    rows = [*looks, *([looks[o][0] for o in orbit] for orbit in unmoved.orbits)]
    links = sorted({(number[a], number[b]) for row in rows for a, b in pairwise(row)})
    steps, members = TallySteps.of(problem, possible, np.ones(problem.options, dtype=np.int64), order, links), dict[str, bytes]()
    try:
        levels, _ = write_tally(steps, members.__setitem__, UNMOVED_STATES, _on_level(clock.rest(), progress))
    except SearchStoppedError as error:
        raise base.EndedError(error.status) from None
    return unmoved.count_by_tally({"order": order, "links": [*map(list, links)], "levels": levels}, members)


TREE, TALLY = "tree", "tally"
KINDS: dict[str, Callable[[Case, Contents, ZipFile, base.Limits, base.Progress], dict[str, int]]] = {
    TREE: _by_tree,
    "lrat": _by_lrat,
    "cadical": _by_cadical,
    TALLY: _by_tally,
}
