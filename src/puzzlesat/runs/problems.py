"""The cover problems of a puzzle that is counted in parts: all its solutions, and for each kind of symmetry those that it fixes."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from puzzlesat.counting.labelling import Labelling
from puzzlesat.counting.tallied import conjugates
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.problem import CoverProblem
from puzzlesat.cover.quotient import quotient
from puzzlesat.cover.reduce import reduce, remove_dead
from puzzlesat.progress import SILENT, Progress

WHOLE = "whole"
FIXED = "fixed by "


@dataclass(frozen=True)
class Facts:
    """What the counts of a puzzle follow from, once its problems are counted."""

    problem_of: dict[str, str]
    """For each symmetry the problem that counts what it leaves unchanged: the same for symmetries of one kind."""
    copies: int | None
    """In how many ways the copies in a solution can be told apart; None where solutions differ in that."""
    turns: int | None
    """In how many ways the tiles of a solution can lie and look the same; None where solutions differ in that."""

    @property
    def problems(self) -> list[str]:
        """The names of the problems, that of all solutions first."""
        return list(dict.fromkeys(self.problem_of.values()))


def make_facts(built: BuiltInstance, progress: Progress = SILENT) -> Facts:
    """Return what is to be counted for a puzzle, and what follows from it."""
    problem = built.problem
    kinds = [0] if problem.images is None else conjugates(problem.images, progress)
    named = {name: problem.symmetries[kind] for name, kind in zip(problem.symmetries, kinds, strict=True)}
    identity = problem.symmetries[0]
    labelling = Labelling(built)
    return Facts(
        {name: WHOLE if kind == identity else f"{FIXED}{kind}" for name, kind in named.items()}, labelling.of_all(1), labelling.turns()
    )


def problem_named(built: BuiltInstance, name: str, *, reduced: bool = True, progress: Progress = SILENT) -> CoverProblem:
    """Return one of the problems of a puzzle: the whole with its symmetry broken, or what a symmetry leaves unchanged.

    With ``reduced`` without the options that lead nowhere. Options have the same numbers with and without these.
    """
    if name == WHOLE:
        return reduce(built.problem, dead=reduced, break_on=built.instance.break_on, progress=progress).problem
    small = quotient(built.problem, built.problem.symmetries.index(name.removeprefix(FIXED)))
    return remove_dead(small, progress) if reduced else small


def kept_problem(kept: dict[str, Any], built: BuiltInstance, name: str, *, reduced: bool = True) -> CoverProblem:
    """Return one of the problems as ``problem_named`` does, from among those that were made before."""
    key = f"{name}{'' if reduced else ', not reduced'}"
    if key not in kept:
        kept[key] = problem_named(built, name, reduced=reduced)
    problem = kept[key]
    assert isinstance(problem, CoverProblem)
    return problem


def kept_fingerprint(kept: dict[str, Any], built: BuiltInstance, name: str) -> str:
    """Return what stands for one of the problems, from among those that were made before."""
    key = f"fingerprint of {name}"
    if key not in kept:
        kept[key] = fingerprint(kept_problem(kept, built, name))
    return str(kept[key])


def fingerprint(problem: CoverProblem) -> str:
    """Return what stands for a problem with the numbers of its options: another problem, or another numbering, has another."""
    digest = sha256()
    for array in (problem.start, problem.item, problem.colour, problem.low, problem.high, problem.coloured, problem.origin, problem.weight):
        numbers = np.empty(0, dtype=np.int64) if array is None else array.astype("<i8")
        digest.update(f"{len(numbers)}:".encode() + numbers.tobytes())
    for one in problem.conditions:
        said = (one.low, one.high, one.modulus, one.residue, one.implied)
        digest.update(f"{said}".encode() + one.weights.astype("<i8").tobytes())
    digest.update(f"{sorted(problem.forced)}".encode())
    if problem.colouring is not None:
        beside = "".join(f" {said}" for said in (problem.colouring.placed, problem.colouring.pieces) if said)
        digest.update(f"{problem.colouring.colours}{beside}".encode() + problem.colouring.pairs.astype("<i8").tobytes())
    return digest.hexdigest()[:16]
