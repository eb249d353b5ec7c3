"""``puzzlesat.prove``, ``puzzlesat.certify`` and ``puzzlesat.verify``: why there is no solution, and certificates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from puzzlesat.check.certificate import Verified, check_certificate
from puzzlesat.check.solutions import UNKNOWN
from puzzlesat.formats.puzzles import Given, instance_given
from puzzlesat.progress import SILENT
from puzzlesat.proof.certify import TREE, Certified, certify_instance, check_kind
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
        the ``certificate``. A notebook shows the colouring, where that is the argument. Where a limit was reached before either was found,
        it is not ``complete``: ``solvable`` is None, and ``why`` says how far it was.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read.

    Examples
    --------
    >>> proof = puzzlesat.prove("mutilated-chessboard")
    >>> proof.solvable, proof.argument
    (False, 'colouring')
    >>> puzzlesat.prove("domino-and-square-3x2").solution
    ('I2.2@3.1', 'O4.1@1.1')

    What was not finished is no proof:

    >>> puzzlesat.prove("pentominoes-6x10", seconds=0.001).complete
    False

    """
    limits = limits_of(seconds, memory, cpu=cpu).begun()
    certificate = None if output is None else Path(output)
    return prove_instance(instance_given(puzzle), limits, certificate=certificate, progress=heeding(SILENT, limits))


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
        Where a limit was reached first, it is not ``complete``, ``why`` says how far it was, and no file is written.

    Raises
    ------
    PuzzleError
        Where the puzzle cannot be read, or there is no such kind.
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
    return certify_instance(instance_given(puzzle), Path(output), kind, limits, heeding(SILENT, limits))


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
        The ``counts`` that are proved, the sentences that say what was ``checked``, and those that say what is to be ``believed``. Where a
        limit was reached first, it is not ``complete``, ``why`` says so, and nothing is proved.

    Raises
    ------
    Rejected
        Where the certificate proves nothing, or is of another puzzle; the message says why.
    PuzzleError
        Where the puzzle cannot be read.
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
        return Verified(str(file), "", UNKNOWN, (), (), (), (), why=f"{ended_words(ended)}: it is not known whether it is a proof")
    if puzzle is None:
        return verified
    instance = instance_given(puzzle)
    compared = check_states(Path(file), instance, instance.name)
    return replace(verified, checked=(*verified.checked, compared), believed=verified.believed[1:])
