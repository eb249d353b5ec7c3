"""A count held against a certificate of the whole search, which is made for that and checked from the geometry.

The checker (``check``) shares no code with the solvers, and it need not believe whoever made the certificate: what it accepts is the
count. So this one step confirms everything, in a second or so for millions of nodes, where a model of another kind would take minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np

from puzzlesat.arrays import Records
from puzzlesat.check.certificate import check_certificate
from puzzlesat.check.fixed import classes, count_unmoved, unmoved_by
from puzzlesat.check.rejected import Rejected, TooLarge
from puzzlesat.check.solutions import Counts as ProvedCounts
from puzzlesat.counting.comparison import Expected
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.report import REFUSED, Disagreement, Row, RowStatus
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.errors import NotSupportedError, PuzzleError
from puzzlesat.files import scratch
from puzzlesat.progress import Progress
from puzzlesat.proof.case import Case, make_case
from puzzlesat.proof.certify import RECORD_BYTES_AT_ONCE, TALLY, TREE, StoppedError, certify
from puzzlesat.proof.prove import SOLVABLE, Finding, prove, write_finding
from puzzlesat.proof.search import search
from puzzlesat.proof.verified import HOW_TO_BUILD, NAME, check_by_proof, program
from puzzlesat.solvers.run import COMPLETE, LIMIT, Clock, EndedError, Limits, ended_words, heeding
from puzzlesat.solvers.strategy import CERTIFICATE, COLOURING_SECONDS, COLOURING_SHARE, MOST_LISTED

SECONDS_A_NODE = 5e-7
"""To make and check a tree, by the nodes of the search that has listed the solutions: about the middle of what was measured."""
SECONDS_A_NODE_BY_PROOF = 2e-6
"""To check a tree by puzzlesat-verified: the same, and more where there are many solutions."""
SECONDS_A_STATE = 1e-5
"""To make and check a tally, by the states that the solver went through."""
MOST_PLACEMENTS = 20_000
"""Of which the checker looks at each two: beyond this that alone takes longer than a cross-check may."""


def check_by_certificate(
    built: BuiltInstance, expected: Expected, limits: Limits, progress: Progress, *, proved: bool = False
) -> tuple[Row, list[Disagreement]]:
    """Make a certificate of the puzzle, let the checker rebuild the puzzle from its geometry and accept it, and compare the counts.

    Where an estimate says that the time is too short, nothing is made. A certificate that the checker rejects, or that proves another
    count, is a disagreement: one program of the two is wrong. Where the program whose soundness is proved is there, it checks the same
    certificate too. With ``proved`` that is what matters: no estimate is made, and the certificate is of a kind that this program checks.
    """
    clock = Clock(limits)
    kind = TREE if proved or expected.nodes is not None or expected.total <= MOST_LISTED else TALLY
    if not proved and (why := _too_much(built, expected, kind, clock)) is not None:
        return _row(clock, LIMIT, f"not made: {why}"), []
    heeded = heeding(progress, clock.rest())
    try:
        with TemporaryDirectory(prefix="puzzlesat-") as folder:
            path = Path(folder) / "certificate"
            heeded({"placements": len(built.placements)})
            case = make_case(built, heeded)
            if expected.total:
                work = certify(case, path, kind, clock.rest(), heeded).work
                how = f"a {kind} of the whole search, checked from the geometry"
            else:
                finding = _why_none(case, path, clock, heeded)
                if finding.argument == SOLVABLE:
                    one = " ".join(built.placements[o].name for o in finding.solution)
                    return _row(clock, COMPLETE, "not made"), [Disagreement(CERTIFICATE, f"there is a solution: {one}")]
                work, how = {}, f"why there is none ({finding.argument}), checked from the geometry"
            with heeded.overseen():
                verified = check_certificate(path, lambda: heeded.of("checking the certificate")(work))
            sound, refuted, silent = _by_proof(path, verified.counts, work, None if proved else clock.left, heeded)
    except (NotSupportedError, TooLarge) as error:
        return Row(CERTIFICATE, None, REFUSED, "", clock.seconds, {}, refusal=str(error)), []
    except (StoppedError, EndedError) as ended:
        return _row(clock, ended.status, f"a {kind}, not finished"), []
    except OSError as error:
        return Row(CERTIFICATE, None, REFUSED, "", clock.seconds, {}, refusal=f"it cannot be written: {error.strerror}"), []
    except Rejected as error:
        return _row(clock, COMPLETE, f"a {kind}, rejected"), [Disagreement(CERTIFICATE, f"the checker rejects it: {error}")]
    except PuzzleError as error:  # the checker rejects the puzzle, or its placements are not those of the program
        return _row(clock, COMPLETE, f"a {kind}, not made"), [Disagreement(CERTIFICATE, str(error))]
    how += f"; a program proved sound proves {', '.join(sound)}" if sound else ""
    figures = tuple(name for name, figure in asdict(verified.counts).items() if figure is not None)
    row = Row(
        CERTIFICATE, verified.counts.all, COMPLETE, how, clock.seconds, work, independent=True, figures=figures, proved_sound=sound,
        not_proved=silent,
    )  # fmt: skip
    return row, _differences("it", verified.counts, expected.counts) + refuted


def check_fixed_by_trees(built: BuiltInstance, limits: Limits, progress: Progress) -> dict[str, int] | Disagreement | None:
    """Return how many solutions each symmetry but the identity leaves unchanged, by trees that the checker goes through.

    The checker makes the symmetries, their classes, and the problem of each class by itself. None where it cannot do that, or a limit is
    reached; where it rejects something, that is a disagreement.
    """
    if Clock(limits).verdict(-1) is not None:
        return None
    heeded = heeding(progress, limits)
    try:
        case = make_case(built, heeded)
        names = _symmetries_by_name(case)
        return None if names is None else {names[s]: fixed for members, fixed in _fixed(case, limits, heeded) for s in members}
    except (NotSupportedError, TooLarge, EndedError, OSError):
        return None
    except Rejected as error:
        return Disagreement(CERTIFICATE, f"the checker rejects a tree of what a symmetry leaves unchanged: {error}")
    except PuzzleError as error:
        return Disagreement(CERTIFICATE, str(error))


def _symmetries_by_name(case: Case) -> dict[int, str] | None:
    """The name of each symmetry of the checker; None where they are not those of the program, each once."""
    images = case.built.problem.images
    assert images is not None
    known = {image.astype(np.int64).tobytes(): name for image, name in zip(images, case.built.problem.symmetries, strict=True)}
    found = {}
    for s, permutation in case.group.items():
        there = np.empty(case.problem.options, dtype=np.int64)
        there[case.number] = case.number[permutation]
        found[s] = known.pop(there.tobytes(), None)
    return None if known or None in found.values() else {s: name for s, name in found.items() if name is not None}


def _fixed(case: Case, limits: Limits, progress: Progress) -> Iterator[tuple[list[int], int]]:
    """Each class of symmetries but that of the identity, with how many solutions one of it leaves unchanged."""
    clock, same = Clock(limits), np.arange(case.problem.options)
    for members in classes(case.group):
        permutation = case.group[members[0]]
        if np.array_equal(permutation, same):
            continue
        unmoved = unmoved_by(case.problem, permutation)
        if unmoved is None:
            yield members, 0
            continue
        with scratch() as tree:

            def write_records(records: Records, tree: BinaryIO = tree) -> None:
                tree.write(records.astype("<u4").tobytes())

            possible = np.ones(unmoved.problem.options, dtype=np.bool_)
            searched = search(unmoved.problem, possible, write_records, lambda _: None, clock.rest(), progress)
            if searched.status != COMPLETE:
                raise EndedError(searched.status)
            tree.seek(0)
            yield members, count_unmoved(case.puzzle, case.placements, unmoved, _records(tree, progress))


def _records(tree: BinaryIO, progress: Progress) -> Iterator[Records]:
    """The item numbers of a tree, in chunks."""
    while chunk := tree.read(RECORD_BYTES_AT_ONCE):
        progress({"bytes": len(chunk)})
        yield np.frombuffer(chunk, dtype="<u4")


def _why_none(case: Case, path: Path, clock: Clock, progress: Progress) -> Finding:
    """Write the certificate of the simplest argument that there is no solution: by area, fit or colouring, or else by a search."""
    left = clock.left
    colouring = COLOURING_SECONDS if left is None else min(COLOURING_SECONDS, COLOURING_SHARE * left)
    with scratch() as tree:
        finding = prove(case, clock.rest(), progress=progress, tree=tree, colouring_seconds=colouring)
        if finding.argument != SOLVABLE:
            write_finding(case, finding, path, clock.rest(), progress)
    return finding


def _too_much(built: BuiltInstance, expected: Expected, kind: str, clock: Clock) -> str | None:
    """Why it is not worth while to begin, if it is not."""
    if clock.left is None:
        return None
    if len(built.placements) > MOST_PLACEMENTS:
        return f"{len(built.placements):,} placements are too many for {clock.left:.0f} s"
    number, each, what = (expected.nodes, SECONDS_A_NODE, "nodes") if kind == TREE else (expected.states, SECONDS_A_STATE, "states")
    if number is not None and number * each > clock.left:
        return f"{number:,} {what} are too many for {clock.left:.0f} s"
    return None


def _row(clock: Clock, status: RowStatus, how: str) -> Row:
    return Row(CERTIFICATE, None, status, how, clock.seconds, {})


def _by_proof(
    path: Path, counts: ProvedCounts, work: dict[str, int], left: float | None, progress: Progress
) -> tuple[tuple[str, ...], list[Disagreement], str | None]:
    """Let the program check a certificate whose soundness is proved; return the counts that it proves, what is wrong, and why it is silent.

    Where it is not there, does not check such a certificate or has not enough time or memory, it says nothing, and ours has checked all.
    """
    checker, takes = program(), work.get("nodes", 0) * SECONDS_A_NODE_BY_PROOF
    if checker is None:
        return (), [], HOW_TO_BUILD
    if left is not None and takes > left:
        return (), [], f"the time is too short for {NAME}"
    try:
        proved = check_by_proof(path, checker, lambda: progress.of("checking it by puzzlesat-verified")(work))
    except Rejected as error:
        return (), [Disagreement(CERTIFICATE, f"the Python checker accepts it, the one that is proved sound rejects it: {error}")], None
    except (EndedError, PuzzleError) as error:
        return (), [], ended_words(error) if isinstance(error, EndedError) else str(error)
    wrong = _differences("by the checker that is proved sound it", proved.counts, counts, "ours says")
    return () if wrong else proved.sound, wrong, None


def _differences(
    who: str, proves: ProvedCounts, counts: Counts | ProvedCounts, other: str = "the first solver counts"
) -> list[Disagreement]:
    """Where the counts proved are not those that were counted; what one of the two does not know cannot differ."""
    pairs = [(name, getattr(proves, name), getattr(counts, name)) for name in ("all", "labelled", "distinct")]
    return [
        Disagreement(CERTIFICATE, f"{who} proves that {name} is {proved:,}, {other} {counted:,}")
        for name, proved, counted in pairs
        if proved is not None and counted is not None and proved != counted
    ]
