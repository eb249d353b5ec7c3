"""``puzzlesat.prove``, ``puzzlesat.certify`` and ``puzzlesat.verify``: why there is no solution, and certificates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.progress import SILENT
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import TREE, Certified, StoppedError, check_kind
from puzzlesat.proof.certify import certify as write_certificate
from puzzlesat.proof.check.certificate import Verified, check_certificate
from puzzlesat.proof.prove import Proof, prove_instance
from puzzlesat.proof.statement import check_states
from puzzlesat.solvers.run import EndedError, ended_words, heeding, limits_of


def prove(
    puzzle: Given,
    *,
    output: str | Path | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Proof:
    """Tell why a puzzle has no solution: by area, because nothing fits, by a colouring, or by search; or find a solution.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns.
    output
        A file for the certificate of the proof; where there is a solution, none is written.
    seconds
        Stop after so long.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Proof
        Whether it is ``solvable``, the ``argument``, the ``sentences`` that say it, a ``solution`` by names of placements, and the file of
        the ``certificate``. A notebook shows the colouring, where that is the argument.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, or time is up before either is found.

    Examples
    --------
    >>> proof = puzzlesat.prove("mutilated-chessboard")
    >>> proof.solvable, proof.argument
    (False, 'colouring')
    >>> puzzlesat.prove("domino-and-square-3x2").solution
    ('I2.2@3.1', 'O4.1@1.1')

    """
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    try:
        certificate = None if output is None else Path(output)
        return prove_instance(instance_given(puzzle), limits, certificate=certificate, progress=heeding(SILENT, limits))
    except (StoppedError, EndedError) as error:
        far = ended_words(error) if isinstance(error, EndedError) else error.status
        raise PuzzleError(f"{far}: neither a solution nor a proof that there is none was found") from None


def certify(
    puzzle: Given,
    output: str | Path,
    *,
    kind: str = TREE,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Certified:
    """Count the solutions of a puzzle and write a certificate that ``verify``, or another program, can check.

    Parameters
    ----------
    puzzle
        What ``load`` takes, or what it returns.
    output
        The file for the certificate.
    kind
        ``tree`` (compact), ``lrat`` (the same search as LRAT), ``cadical`` (LRAT by CaDiCaL), ``tally`` (lists no solutions).
    seconds
        Stop after so long; then no file is written.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Certified
        The ``counts`` that it certifies (``labelled``, ``all``, ``distinct``), the ``size`` of the file in bytes, and the ``work`` it took.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, there is no such kind, or time is up first.
    NotSupportedError
        Where that kind cannot hold such a puzzle.
    OSError
        Where the file cannot be written.

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
    check_kind(kind)
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    told = heeding(SILENT, limits)
    try:
        case = make_case(build_instance(instance_given(puzzle), progress=told, memory=limits.memory), told)
        return write_certificate(case, Path(output), kind, limits, told.of("proof"))
    except (StoppedError, EndedError) as error:
        far = ended_words(error) if isinstance(error, EndedError) else error
        raise PuzzleError(f"{far}: the count is not complete, so no certificate was written") from None


def verify(
    file: str | Path,
    *,
    puzzle: Given | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    cpu: bool = False,
) -> Verified:
    """Check a certificate by a small program of its own, which shares nothing with those that made it.

    Parameters
    ----------
    file
        A certificate.
    puzzle
        Confirm too that the puzzle in the certificate is this one: what ``load`` takes, or what it returns.
    seconds
        Stop after so long.
    memory
        Gibibytes that the work may take.
    cpu
        Take the seconds as CPU seconds, of this process and its children.

    Returns
    -------
    Verified
        The ``counts`` that are proved, the sentences that say what was ``checked``, and those that say what is to be ``believed``.

    Raises
    ------
    Rejected
        Where the certificate proves nothing, or is of another puzzle; the message says why.
    PuzzleError
        Where time is up first, or the puzzle cannot be read.
    OSError
        Where the file cannot be read.

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

    """
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    try:
        verified = check_certificate(Path(file), partial(heeding(SILENT, limits).of("checking"), {}))
    except EndedError as ended:
        raise PuzzleError(f"{file}: not known: {ended_words(ended)}") from None
    if puzzle is None:
        return verified
    instance = instance_given(puzzle)
    compared = check_states(Path(file), instance, instance.name)
    return replace(verified, checked=(*verified.checked, compared), believed=verified.believed[1:])
