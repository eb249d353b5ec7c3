"""``puzzlesat.prove``, ``puzzlesat.certify`` and ``puzzlesat.verify``: prove that there is no solution; write and check certificates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlesat.base import Clock, EndedError
from puzzlesat.cli.functions.given import LimitOptions, begun, checked

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from puzzlesat.checker import Verified
    from puzzlesat.formats import Given
    from puzzlesat.proofs import Certified, Proof


@checked
def prove(puzzle: Given, *, output: str | Path | None = None, **options: Unpack[LimitOptions]) -> Proof:
    """Prove that a puzzle has no solution, or find a solution.

    The proof is the simplest that holds: by area, by a place that no tile fits, by a side condition, by a colouring, or by search.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    output
        A file for the certificate of the proof. If there is a solution, none is written.

    Returns
    -------
    Proof
        ``solvable`` tells whether there is a solution, and ``solutions`` has it. Else ``argument`` is ``area``, ``nothing fits``,
        ``condition``, ``colouring`` or ``search``, and ``sentences`` explain it; ``certificate`` is the file. A notebook draws the
        colouring or the solution. If a limit ended the work first, ``complete`` is False, ``solvable`` is None, and ``why`` tells how far
        it was.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> proof = puzzlesat.prove("mutilated-chessboard")
    >>> proof.solvable, proof.argument, len(proof.solutions)
    (False, 'colouring', 0)
    >>> puzzlesat.prove("domino-and-square-3x2").solutions[0].names
    ('I2.2@3.1', 'O4.1@1.1')

    A proof that is not finished is no proof:

    >>> puzzlesat.prove("pentominoes-6x10", seconds=0.001).complete
    False

    """
    from puzzlesat.formats import instance_given
    from puzzlesat.proofs import prove_instance

    limits, told = begun(options)
    clock, certificate = Clock(limits), None if output is None else Path(output)
    proof = prove_instance(instance_given(puzzle), limits, certificate=certificate, progress=told)
    return replace(proof, seconds=clock.seconds)


@checked
def certify(puzzle: Given, output: str | Path, *, kind: str = "tree", **options: Unpack[LimitOptions]) -> Certified:
    """Count the solutions and write a certificate of the count.

    'puzzlesat verify' and other programs can check it.

    Parameters
    ----------
    puzzle
        A name, a file, text or tables, as ``load`` takes them; or an instance that ``load`` returned.
    output
        The file for the certificate.
    kind
        ``tree`` (compact), ``lrat`` (the same search as LRAT), ``cadical`` (LRAT by CaDiCaL) or ``tally`` (lists no solutions).

    Returns
    -------
    Certified
        ``counts`` has the counts that the certificate proves (``labelled``, ``all``, ``distinct``), ``size`` the bytes of the file, and
        ``work`` the work that it took. If a limit ended the work first, ``complete`` is False, ``why`` tells how far it was, and no file
        is written.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, or there is no such kind.
    NotSupportedError
        If this kind cannot hold such a puzzle.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "soma.proof"
    ...     print(puzzlesat.certify("soma", file).counts)
    ...     print(puzzlesat.verify(file, puzzle="soma").counts)
    Counts(labelled=11520, all=11520, distinct=480)
    Counts(labelled=11520, all=11520, distinct=480)

    """
    from puzzlesat.formats import instance_given
    from puzzlesat.proofs import certify_instance, check_kind

    check_kind(kind)
    limits, told = begun(options)
    clock = Clock(limits)
    certified = certify_instance(instance_given(puzzle), Path(output), kind, limits, told)
    return replace(certified, seconds=clock.seconds)


@checked
def verify(file: str | Path, *, puzzle: Given | None = None, **options: Unpack[LimitOptions]) -> Verified:
    """Check certificates with a small, independent program.

    It shares no code with the solvers, and rebuilds the puzzle by itself. The programs that write certificates use its code.

    Parameters
    ----------
    file
        A certificate.
    puzzle
        Also confirm that the certificate is about this puzzle: whatever ``load`` takes, or an instance that it returned.

    Returns
    -------
    Verified
        ``counts`` has the counts that are proved. ``checked`` lists what was checked, ``believed`` what you still have to believe, a
        sentence each. If a limit ended the check first, ``complete`` is False, ``why`` tells how far it was, and nothing is proved.

    Raises
    ------
    Rejected
        If the certificate proves nothing, or is of another puzzle; the message tells why.
    PuzzleError
        If the puzzle cannot be read.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "chessboard.proof"
    ...     proof = puzzlesat.prove("mutilated-chessboard", output=file)
    ...     verified = puzzlesat.verify(file)
    >>> verified.kind, verified.counts.all
    ('weighting', 0)
    >>> verified.sentence
    'accepted: the counts are labelled 0, all 0, distinct 0'

    """
    from puzzlesat.checker import UNKNOWN, Verified, check_certificate
    from puzzlesat.formats import instance_given
    from puzzlesat.proofs import check_states

    limits, told = begun(options)
    clock = Clock(limits)
    told = told.of("checking")
    try:
        with told.overseen():
            verified = check_certificate(Path(file), partial(told, {}))
    except EndedError as ended:
        why = f"{ended.words}: it is not known whether it is a proof"
        return Verified(str(file), "", UNKNOWN, (), (), (), (), why, clock.seconds)
    if puzzle is None:
        return replace(verified, seconds=clock.seconds)
    instance = instance_given(puzzle)
    compared = check_states(Path(file), instance, instance.name)
    return replace(verified, checked=(*verified.checked, compared), believed=verified.believed[1:], seconds=clock.seconds)
