"""Making the certificate of a count.

Making a tally: the states that lead from the empty form to the full one, level by level, with the ways to complete each.

What is written is said in ``check.tally``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import numpy as np

from puzzlesat.base import (
    SILENT,
    Clock,
    ContradictionError,
    EndedError,
    Flags,
    Limits,
    Longs,
    NotSupportedError,
    Progress,
    PuzzleError,
    Records,
    Rows,
    Status,
    Words,
    many,
    near_match,
    scratch,
    size_of,
)
from puzzlesat.checker import (
    UNKNOWN,
    Clauses,
    Counts,
    Rejected,
    Room,
    Table,
    TallySteps,
    count_solutions,
    counts_in_words,
    cut_off,
    find,
    first_empty,
    keeps_rules,
    labelled_alike,
    make_formula,
    make_room,
    make_steps,
    make_table,
    planes,
    sum_successors,
    take_step,
)
from puzzlesat.kernels import compiled, part
from puzzlesat.proofs.case import (
    Case,
    Contents,
    break_symmetry,
    make_case,
    new_certificate,
    possible_after,
    record_bytes,
    records_as_bytes,
    write_contents,
    write_solutions,
)
from puzzlesat.proofs.lrat import cadical_lrat, write_dimacs
from puzzlesat.proofs.tree_lrat import tree_lrat
from puzzlesat.proofs.written_search import Searched, find_removals, search
from puzzlesat.puzzles import Instance, build_instance
from puzzlesat.solvers import CERTIFIED_STATES, scan_order

OnLevel = Callable[[int, int], None]
"""Is told the level and the states so far, and may raise."""
STATES_AT_ONCE = 1 << 18
NEXT, WRITTEN = range(2)
CONTROLS = 2


def write_tally(steps: TallySteps, write: Callable[[str, bytes], None], most_states: int, on_level: OnLevel) -> tuple[int, int]:
    """Write the parts of a tally; return the number of its levels and of the solutions.

    Raises NotSupportedError where there would be more than ``most_states`` states, or where a count needs more than 64 bits.
    """
    live, dead = _shapes(steps, most_states, on_level)
    write("dead", planes(dead))
    levels = _levels(steps, make_table(live), most_states, on_level)
    ends = make_table(dead)
    following = make_table(np.empty((0, steps.width), dtype=np.uint64))
    values: Words = np.zeros(1, dtype=np.uint64)
    total = sum(map(len, levels))
    for level in range(len(levels) - 1, -1, -1):
        states = levels[level]
        try:
            values = sum_successors(steps, states, following, ends, level)
        except Rejected:  # every successor is listed or dead: only a number can be too large
            raise NotSupportedError("a tally of this puzzle counts more than 64 bits hold; use --kind tree") from None
        write(f"level.{level}", planes(np.hstack([states, values[:, None]])))
        following = make_table(states, values)
        on_level(level, total)
    return len(levels), int(values[0])


def _shapes(steps: TallySteps, most_states: int, on_level: OnLevel) -> tuple[Words, Words]:
    """The sets of covered atoms that are reached if every tile may be used as often as wished: those that can become full, and the rest."""
    found = [np.zeros((1, steps.words), dtype=np.uint64)]
    while len(states := _successors(steps, found[-1], None, partial(on_level, len(found), sum(map(len, found))))):
        found.append(states)
        if sum(map(len, found)) > most_states:
            raise NotSupportedError(f"a tally of this puzzle has more than {most_states:,} shapes; use --kind tree")
    live = np.empty((0, steps.words), dtype=np.uint64)
    room = make_room(steps, steps.words)
    for states in reversed(found):
        on_level(len(found), len(live))
        can = np.zeros(len(states), dtype=np.bool_)
        mark_live(steps, states, make_table(live), room, can)
        live = _unique(np.vstack([live, states[can]]))
    every = _unique(np.vstack(found))
    inside = np.zeros(len(every), dtype=np.bool_)
    mark_inside(every, make_table(live), inside)
    return live, every[~inside]


def _levels(steps: TallySteps, live: Table, most_states: int, on_level: OnLevel) -> list[Words]:
    """The states of each level that have live shapes, from the empty form on."""
    levels = [np.zeros((1, steps.width), dtype=np.uint64)]
    total = 1
    while len(states := _successors(steps, levels[-1], live, partial(on_level, len(levels), total))):
        levels.append(states)
        total += len(states)
        on_level(len(levels), total)
        if total > most_states:
            raise NotSupportedError(f"a tally of this puzzle has more than {most_states:,} states; use --kind tree")
    return levels


def _successors(steps: TallySteps, states: Words, live: Table | None, go_on: Callable[[], None]) -> Words:
    """All successors of some states, sorted: those with live shapes or, before these are known, those that cut off no impossible part."""
    width = states.shape[1]
    out = np.empty((STATES_AT_ONCE + int(np.diff(steps.begin).max()), width), dtype=np.uint64)
    control, room = np.zeros(CONTROLS, dtype=np.int64), make_room(steps, width)
    table = make_table(np.empty((0, steps.words), dtype=np.uint64)) if live is None else live
    parts = [np.empty((0, width), dtype=np.uint64)]
    while control[NEXT] < len(states):
        go_on()
        expand(steps, states, live is None, table, room, control, out)
        parts.append(_unique(out[: control[WRITTEN]]))
    return _unique(np.vstack(parts))


def _unique(states: Words) -> Words:
    """Sorted, each once."""
    states = states[np.lexsort(states.T[::-1])]
    first = np.ones(len(states), dtype=np.bool_)
    first[1:] = (states[1:] != states[:-1]).any(axis=1)
    return states[first]


@part
def write_successors(t: TallySteps, state: Words, shapes: bool, live: Table, room: Room, control: Longs, out: Words) -> None:
    """Write the successors of a state; of ``shapes`` all that cut off no impossible part, otherwise those whose shape is live."""
    place = first_empty(t, state)
    if place == len(t.empty):
        return
    for step in range(t.begin[place], t.begin[place + 1]):
        if not take_step(t, state, step, room.child):
            continue
        if cut_off(t, room.child, room) if shapes else find(live, room.child) < 0:
            continue
        for w in range(len(state)):
            out[control[WRITTEN], w] = room.child[w]
        control[WRITTEN] += 1


@compiled
def expand(t: TallySteps, states: Words, shapes: bool, live: Table, room: Room, control: Longs, out: Words) -> None:
    """Write the successors of the NEXT states, as many as there is room for, and how many were WRITTEN."""
    control[WRITTEN] = 0
    while control[NEXT] < len(states) and control[WRITTEN] < STATES_AT_ONCE:
        write_successors(t, states[control[NEXT]], shapes, live, room, control, out)
        control[NEXT] += 1


@compiled
def mark_live(t: TallySteps, states: Words, live: Table, room: Room, can: Flags) -> None:
    """Mark the sets of covered atoms that are full or have a successor among the live ones."""
    for s in range(len(states)):
        place = first_empty(t, states[s])
        can[s] = place == len(t.empty)
        if can[s]:
            continue
        for step in range(t.begin[place], t.begin[place + 1]):
            if take_step(t, states[s], step, room.child) and find(live, room.child) >= 0:
                can[s] = True
                break


@compiled
def mark_inside(states: Words, table: Table, inside: Flags) -> None:
    """Mark the states that are in a table."""
    for s in range(len(states)):
        inside[s] = find(table, states[s]) >= 0


RECORD_BYTES_AT_ONCE = 1 << 18
RULED_AT_ONCE = 64
"""Solutions whose rules are looked at before the clock is."""


class StoppedError(Exception):
    """The search was stopped before it was complete: there is no certificate."""

    def __init__(self, status: Status, solutions: int) -> None:
        super().__init__(f"{status} after {many(solutions, 'solution')}")
        self.status: Status = status


@dataclass(frozen=True, repr=False)
class Certified:
    """A certificate of a count: what it proves, and how large it is."""

    counts: Counts
    """The counts that the certificate proves: ``labelled``, ``all`` and ``distinct``; None if its kind does not give them."""
    size: int | None
    """Bytes of the file; None if it went through a pipe, or no file was written."""
    work: dict[str, int]
    """How much work it took, by names such as ``nodes``."""
    why: str | None = None
    """Why no certificate was written, in a sentence; None if one was."""
    seconds: float = 0.0
    """How long the call took; CPU seconds if you asked for them."""

    @property
    def complete(self) -> bool:
        """Whether the count was finished, and its certificate written."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the counts that the certificate proves, or why there is no certificate."""
        return f"certificate written: {counts_in_words(self.counts)}" if self.why is None else self.why

    def __repr__(self) -> str:
        return f"<Certified: {self.sentence}>"

    def __str__(self) -> str:
        return self.sentence


def check_kind(kind: str) -> None:
    """Raise PuzzleError where there is no such kind of certificate."""
    if kind not in KINDS:
        raise PuzzleError(f"--kind {kind}: there is no such kind{near_match(kind, KINDS)}")


def certify(case: Case, path: Path, kind: str, limits: Limits, progress: Progress = SILENT) -> Certified:
    """Write the certificate of a count.

    Raises NotSupportedError for what a kind cannot hold, StoppedError where a limit is reached first; then no file is written.
    """
    with progress.overseen():
        contents = Contents(kind, kept=break_symmetry(case))
    _go_on(Clock(limits), 0)
    with new_certificate(path) as archive:
        work = KINDS[kind](case, contents, archive, limits, progress)
        write_contents(archive, case, contents)
        assert contents.counts is not None
        if limits.stop.is_set():  # what is written so far is a draft: a pipe is opened next, and may be waited for
            raise StoppedError("interrupted", contents.counts.all or 0)
    return Certified(contents.counts, size_of(path), work)


def certify_instance(instance: Instance, path: Path, kind: str, limits: Limits, progress: Progress = SILENT) -> Certified:
    """Write the certificate of the count of an instance; where a limit is reached first, the answer is not complete."""
    try:
        case = make_case(build_instance(instance, progress=progress, memory=limits.memory), progress)
        return certify(case, path, kind, limits, progress.of("proof"))
    except (StoppedError, EndedError) as error:
        far = error.words if isinstance(error, EndedError) else error
        return Certified(UNKNOWN, None, {}, f"{far}: the count is not complete, so no certificate was written")


def _by_tree(case: Case, contents: Contents, archive: ZipFile, limits: Limits, progress: Progress) -> dict[str, int]:
    possible, factor = possible_after(case, contents.kept)
    contents.removals, _ = find_removals(case.problem, possible, progress)
    remaining = possible.copy()
    remaining[[o for o, _ in contents.removals]] = False
    size = record_bytes(len(case.problem.items))
    contents.extra["record_bytes"] = size
    with archive.open("proof.tree", "w", force_zip64=True) as stream:

        def write_records(records: Records) -> None:
            stream.write(records_as_bytes(records, size))

        searched, rows = _all_solutions(case, remaining, write_records, limits, progress)
    _finish(case, contents, archive, rows, factor)
    return {"nodes": searched.nodes, "removals": len(contents.removals)}


def solutions_by_search(
    case: Case, possible: Flags, on_records: Callable[[Records], None], limits: Limits, progress: Progress
) -> tuple[Searched, Rows]:
    """Search as far as the limits allow, and return the solutions found that keep the rules."""
    clock = Clock(limits)
    found: list[Rows] = [np.empty((0, case.problem.atoms + 2 + len(case.problem.forced)), dtype=np.int32)]

    def keep(rows: Rows) -> None:
        """As they come: of those that break a rule there may be millions, and the clock is looked at in between."""
        kept = np.empty(len(rows), dtype=np.bool_)
        for number, row in enumerate(rows.tolist()):
            if number and number % RULED_AT_ONCE == 0 and (status := clock.verdict(-1)) is not None:
                found.append(rows[:number][kept[:number]])
                raise StoppedError(status, sum(map(len, found)))
            kept[number] = keeps_rules(case.puzzle, case.placements, [o for o in row if o >= 0])
        found.append(rows[kept])

    try:
        searched = search(case.problem, possible, on_records, keep if case.puzzle.late_rules else found.append, limits, progress)
    except StoppedError as stopped:
        searched = Searched(stopped.status, 0, sum(map(len, found)))
    return searched, np.concatenate(found)


def _all_solutions(
    case: Case, possible: Flags, on_records: Callable[[Records], None], limits: Limits, progress: Progress
) -> tuple[Searched, Rows]:
    """Search to the end. Raises StoppedError where a limit is reached first."""
    searched, rows = solutions_by_search(case, possible, on_records, limits, progress)
    if searched.status != "complete":
        raise StoppedError(searched.status, searched.solutions)
    return searched, rows


def _by_lrat(case: Case, contents: Contents, archive: ZipFile, limits: Limits, progress: Progress) -> dict[str, int]:
    """The search of ``_by_tree``, told as LRAT."""
    _needs_no_rules(case)
    clock = Clock(limits)
    possible, factor = possible_after(case, contents.kept)
    removals, _ = find_removals(case.problem, possible, progress)
    remaining = possible.copy()
    remaining[[o for o, _ in removals]] = False
    with scratch() as tree:

        def write_records(records: Records) -> None:
            tree.write(records.astype("<u4").tobytes())

        searched, rows = _all_solutions(case, remaining, write_records, limits, progress)
        tree.seek(0)

        def records() -> Iterator[Records]:
            while chunk := tree.read(RECORD_BYTES_AT_ONCE):
                _go_on(clock, len(rows))
                yield np.frombuffer(chunk, dtype="<u4")

        with archive.open("proof.lrat", "w", force_zip64=True) as stream:
            steps = tree_lrat(case.problem, possible, removals, rows, records(), stream)
    _write_formula(archive, _formula(case, possible, rows))
    _finish(case, contents, archive, rows, factor)
    return {"nodes": searched.nodes, "steps": steps}


def _by_cadical(case: Case, contents: Contents, archive: ZipFile, limits: Limits, progress: Progress) -> dict[str, int]:
    """The solutions of the search, and CaDiCaL's refutation of there being others."""
    _needs_no_rules(case)
    contents.kind = "lrat"
    clock = Clock(limits)
    possible, factor = possible_after(case, contents.kept)
    _, rows = _all_solutions(case, possible, lambda _: None, limits, progress)
    progress({"solutions": len(rows)})
    formula = _formula(case, possible, rows)
    with TemporaryDirectory() as folder:
        proof = Path(folder) / "proof.lrat"
        refuted = cadical_lrat(formula, proof, stop=lambda: clock.verdict(-1) is not None)
        if refuted is None:
            raise StoppedError(clock.verdict(-1) or "interrupted", len(rows))
        if not refuted:
            raise ContradictionError("cadical: it finds one more solution than the search")
        archive.write(proof, "proof.lrat")
    _write_formula(archive, formula)
    _finish(case, contents, archive, rows, factor)
    return {"clauses": len(formula)}


def _go_on(clock: Clock, solutions: int) -> None:
    """Raise StoppedError where a limit is reached."""
    if (status := clock.verdict(-1)) is not None:
        raise StoppedError(status, solutions)


def _needs_no_rules(case: Case) -> None:
    if case.puzzle.late_rules:
        raise NotSupportedError("an LRAT proof cannot hold rules (conditions); use --kind tree")


def _formula(case: Case, possible: Flags, rows: Rows) -> Clauses:
    try:
        return make_formula(case.problem, possible, rows)
    except Rejected as error:
        raise NotSupportedError(f"{error}; use --kind tree") from None


def _write_formula(archive: ZipFile, formula: Clauses) -> None:
    """Add the formula as DIMACS, for checkers that are not ours: the one here makes it anew."""
    with archive.open("formula.cnf", "w", force_zip64=True) as stream:
        write_dimacs(formula, stream)


def _finish(case: Case, contents: Contents, archive: ZipFile, rows: Rows, factor: Longs) -> None:
    write_solutions(archive, contents, rows, case.problem.options)
    factors = np.append(factor, 1)[rows].prod(axis=1, dtype=np.int64)
    with case.progress.overseen():
        contents.counts = count_solutions(case.puzzle, case.placements, rows, factors, list(case.group.values()))


def _by_tally(case: Case, contents: Contents, archive: ZipFile, limits: Limits, progress: Progress) -> dict[str, int]:
    if case.puzzle.late_rules or case.problem.forced:
        raise NotSupportedError("a tally cannot hold rules or fixed placements; use --kind tree")
    if case.puzzle.mates:
        raise NotSupportedError("a tally cannot hold marks; use --kind tree")
    atoms = case.atoms_of_problem()
    links = _links(case, atoms)
    possible, factor = possible_after(case, contents.kept)
    clock = Clock(limits)

    def on_level(level: int, states: int) -> None:
        progress({"levels": level, "states": states})
        _go_on(clock, 0)

    order = _narrow_order(case, atoms)
    steps = make_steps(case.problem, possible, factor, order, links)
    levels, found = write_tally(steps, lambda name, data: archive.writestr(f"tally/{name}", data), CERTIFIED_STATES, on_level)
    contents.extra["tally"] = {"order": order, "links": links, "levels": levels}
    contents.counts = Counts(labelled_alike(case.puzzle, found), found, None)
    return {"levels": levels}


def _links(case: Case, atoms: Longs) -> list[tuple[int, int]]:
    """Pairs of atoms that touch; where some tile does not hang together so, pairs that a placement has one after the other."""
    adjacent, problem = case.built.problem.adjacent, case.problem
    if adjacent is not None:
        return sorted((int(atoms[a]), int(atoms[b])) for a, b in adjacent.tolist())
    rows = (problem.item[problem.start[o] : problem.start[o + 1] - 1].tolist() for o in range(problem.options))
    return sorted({pair for row in rows for pair in pairwise(row)})


def _narrow_order(case: Case, atoms: Longs) -> list[int]:
    """The order of the atoms in which the solver's tally would go through them."""
    order = scan_order(case.built.problem, np.arange(len(atoms), dtype=np.int32))
    return [int(a) for a in atoms[order]]


TREE, TALLY = "tree", "tally"
KINDS: dict[str, Callable[[Case, Contents, ZipFile, Limits, Progress], dict[str, int]]] = {
    TREE: _by_tree,
    "lrat": _by_lrat,
    "cadical": _by_cadical,
    TALLY: _by_tally,
}
