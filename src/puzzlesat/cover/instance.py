"""From an instance to the cover problem of its puzzle: what is wrong is said with the name of its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from puzzlesat.cover.build import Built, allowed_placements, cover_problem
from puzzlesat.cover.symmetry import form_symmetries
from puzzlesat.errors import PuzzleError
from puzzlesat.progress import SILENT, Progress
from puzzlesat.puzzle.instance import Instance
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
        placements = allowed_placements(puzzle, progress=progress, memory=memory)
        symmetries = form_symmetries(puzzle, placements, progress=progress, memory=memory)
        if wrong := [*wrong_fixed(puzzle, placements), *_wrong_in_expect(instance, placements, symmetries[0])]:
            raise PuzzleError(*wrong)
        return BuiltInstance(puzzle, placements, cover_problem(puzzle, placements, symmetries), instance)
    except PuzzleError as error:
        raise (error if instance.path is None else error.under(f"{instance.path}: ")) from None


def _wrong_in_expect(instance: Instance, placements: Placements, symmetries: Sequence[str]) -> list[str]:
    """A sentence for each placement in ``expect.solution``, and each symmetry in ``expect.fixed``, that there is not."""
    return wrong_names("expect.solution", instance.expect.solution or [], placements, instance.puzzle.grid) + [
        f"expect.fixed: {name!r} is no symmetry of the form that the rules allow; it has {', '.join(symmetries)}"
        for name in instance.expect.fixed
        if name not in symmetries
    ]
