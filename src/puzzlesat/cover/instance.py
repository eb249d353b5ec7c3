"""From an instance to the cover problem of its puzzle: what is wrong is said with the name of its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from puzzlesat.config.read import instance_from, without_wrong_keys
from puzzlesat.config.schema import InstanceFile
from puzzlesat.cover.build import Built, cover_problem
from puzzlesat.cover.solution_rules import keep_allowed
from puzzlesat.cover.symmetry import form_symmetries
from puzzlesat.errors import PuzzleError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.data import SolutionRules
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.laying import all_placements
from puzzlesat.puzzle.load import instance_and_problems, problems_of_names, where
from puzzlesat.puzzle.placement_names import wrong_fixed, wrong_names
from puzzlesat.puzzle.placements import Placements


@dataclass(frozen=True, repr=False)
class BuiltInstance(Built):
    """The puzzle of an instance as it is built, for whoever shows it, or tells what was found out about it."""

    instance: Instance


@dataclass(frozen=True, eq=False, repr=False)
class OfPuzzle:
    """What was found out about a puzzle; a limit may have ended the work before its placements were laid."""

    subject: BuiltInstance | Instance
    """The puzzle with its placements; the instance alone where these were never all laid."""

    @property
    def begun(self) -> bool:
        """Whether all placements were laid, so that the work could begin."""
        return isinstance(self.subject, BuiltInstance)

    @property
    def built(self) -> BuiltInstance:
        """The puzzle with its placements. Raises PuzzleError where these were never all laid."""
        if isinstance(self.subject, BuiltInstance):
            return self.subject
        raise PuzzleError(f"{self.subject.name}: a limit was reached before all placements were laid")

    @property
    def instance(self) -> Instance:
        """The instance whose puzzle it is."""
        return self.subject.instance if isinstance(self.subject, BuiltInstance) else self.subject


def build_instance(instance: Instance, *, progress: Progress = SILENT, memory: int | None = None) -> BuiltInstance:
    """Compile the puzzle of an instance, as ``build`` does.

    Raises PuzzleError, under the name of the file, with everything wrong in the puzzle, and each name in ``expect`` that there is not.
    """
    puzzle = instance.puzzle
    try:
        with progress.overseen():
            placements = _allowed(instance, all_placements(puzzle, progress=progress, memory=memory))
            names, images, refused = form_symmetries(puzzle, placements, progress=progress, memory=memory)
            if wrong := [*wrong_fixed(puzzle, placements), *_wrong_in_expect(instance, placements, names)]:
                raise PuzzleError(*wrong)
            progress.of("items and options")({"placements": len(placements)})
            return BuiltInstance(puzzle, placements, cover_problem(puzzle, placements, (names, images)), instance, refused=refused)
    except PuzzleError as error:
        raise (error if instance.path is None else error.under(f"{instance.path}: ")) from None


def problems_in(table: dict[str, Any], path: Path, name: str, *, progress: Progress = SILENT, memory: int | None = None) -> list[str]:
    """Return everything that is wrong with a puzzle's table: what hides nothing else is left out, and the rest is looked at."""
    wrong: list[str] = []
    try:
        file: InstanceFile | None = instance_from(table, where(path, name))
    except PuzzleError as error:
        wrong += error.problems
        file = without_wrong_keys(table, where(path, name))
    try:
        if file is None:
            return wrong + problems_of_names(table, path)
        instance, more = instance_and_problems(file, path, name)
        wrong += more
        if instance is not None:
            build_instance(instance, progress=progress, memory=memory)
    except PuzzleError as error:
        wrong += error.problems
    return wrong


def _allowed(instance: Instance, placements: Placements) -> Placements:
    """The placements that the rules on solutions allow. Where these name what there is not, the other names are looked at all the same."""
    try:
        return keep_allowed(instance.puzzle, placements)
    except PuzzleError as error:
        bare = replace(instance.puzzle, fixed=(), solutions=SolutionRules())
        symmetries, *_ = form_symmetries(bare, placements)
        more = [*wrong_fixed(instance.puzzle, placements), *_wrong_in_expect(instance, placements, symmetries)]
        raise PuzzleError(*error.problems, *more) from None


def _wrong_in_expect(instance: Instance, placements: Placements, symmetries: Sequence[str]) -> list[str]:
    """A sentence for each placement in ``expect.solution``, and each symmetry in ``expect.fixed``, that there is not."""
    return wrong_names("expect.solution", instance.expect.solution or [], placements, instance.puzzle) + [
        f"expect.fixed: {name!r} is not a symmetry of the form that the rules allow; it has {', '.join(symmetries)}"
        for name in instance.expect.fixed
        if name not in symmetries
    ]
