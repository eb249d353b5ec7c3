"""A certificate for checkers that are not ours: its formula as DIMACS and its proof as LRAT."""

from __future__ import annotations

from pathlib import Path
from typing import IO
from zipfile import ZipFile

from puzzlesat.check.archive import open_member, opened
from puzzlesat.check.certificate import read_records, read_solutions, read_stated
from puzzlesat.check.formula import make_formula
from puzzlesat.check.removals import check_removals
from puzzlesat.errors import NotSupportedError
from puzzlesat.files import new_file
from puzzlesat.proof.lrat import convert, write_dimacs
from puzzlesat.proof.treelrat import tree_lrat


def certificate_to_lrat(path: Path, formula: Path, proof: Path, *, binary: bool = False) -> int:
    """Write the formula and the proof of a certificate of kind ``tree`` or ``lrat``; returns the number of steps of the proof.

    Raises NotSupportedError for another kind, for rules, and for tiles with several copies; Rejected for a certificate that is not right.
    """
    with new_file(formula) as cnf, new_file(proof) as lrat:
        with opened(path) as archive:
            try:
                return _write(path, archive, cnf, lrat, binary=binary)
            except OSError as error:
                if error.filename is None:  # the certificate cannot be read
                    raise
                unwritten = error
        raise unwritten


def _write(path: Path, archive: ZipFile, cnf: IO[bytes], lrat: IO[bytes], *, binary: bool) -> int:
    stated = read_stated(archive, [])
    kind = stated.said["kind"]
    if kind not in ("tree", "lrat") or stated.puzzle.late_rules:
        what = "rules (conditions)" if stated.puzzle.late_rules else f"a certificate of kind {kind!r}"
        raise NotSupportedError(f"{path}: {what} cannot be turned into LRAT; make one with 'puzzlesat certify --kind tree'")
    rows = read_solutions(stated, [])
    write_dimacs(make_formula(stated.problem, stated.possible, rows), cnf)
    if kind == "tree":
        check_removals(stated.problem, stated.possible, stated.removals)
        return tree_lrat(stated.problem, stated.possible, stated.removals, rows, read_records(stated), lrat, binary=binary)
    with open_member(archive, "proof.lrat") as source:
        return convert(source, lrat, binary=binary)
