"""What a function returns that a limit has ended: an answer that says so, where the command ends with exit status 3."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from puzzlesat.counting.counts import Counts
from puzzlesat.proof.certify import StoppedError
from puzzlesat.solvers.run import EndedError, Status, ended_words


@dataclass(frozen=True, repr=False)
class Stopped:
    """Work that a limit ended before its answer was known: nothing is a result, and no file was written."""

    name: str
    """Of the puzzle, or the file."""
    status: Status
    """``limit reached`` or ``out of memory``."""
    sentence: str
    """How far it was, and what is not known, in the words of the command."""
    solvable: None = None
    counts: Counts = field(default_factory=Counts)
    """Nothing is known."""
    complete: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"<Stopped {self.name!r}: {self.sentence}>"

    def __str__(self) -> str:
        return self.sentence


def stopped(name: str, ended: EndedError | StoppedError, unknown: str) -> Stopped:
    """Return what was ended, as an answer; ``unknown`` is what nobody knows now, in words."""
    far = ended_words(ended) if isinstance(ended, EndedError) else ended
    return Stopped(name, ended.status, f"{far}: {unknown}")
