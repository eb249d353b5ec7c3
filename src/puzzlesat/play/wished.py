"""Starting positions as somebody wishes them: what contradicts itself is refused, and the sheet says where a limit ended the work."""

from __future__ import annotations

from dataclasses import dataclass, field

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.errors import PuzzleError, many
from puzzlesat.play.challenge import POSITIONS, Wish, any_seed, challenges, wish_of
from puzzlesat.play.hardest import hardest
from puzzlesat.play.sheet import Sheet
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.run import STOPPED, Limits, over


@dataclass(frozen=True)
class Wished:
    """What the command ``challenge``, and the function, are told. Raises PuzzleError for wishes that contradict each other."""

    count: int | None = None
    """So many positions; None: ``POSITIONS``."""
    hardest: bool = False
    """One position instead, with the fewest pieces that leave one way."""
    placed: int | None = None
    most: int | None = None
    fewest: int | None = None
    completions: int = 1
    seed: int = field(default_factory=any_seed)

    def __post_init__(self) -> None:
        if (self.count is not None and self.count < 1) or self.completions < 1:
            raise PuzzleError(f"{'completions' if self.completions < 1 else 'count'}: expected 1 or more")
        said = (self.count, self.placed, self.most, self.fewest)
        if self.hardest and (self.completions != 1 or any(number is not None for number in said)):
            raise PuzzleError("hardest makes one position, with one completion: numbers of positions, pieces or completions are not for it")
        if not self.hardest:
            wish_of(self.completions, placed=self.placed, most=self.most, fewest=self.fewest)

    @property
    def number(self) -> int:
        """How many positions are to be made."""
        return 1 if self.hardest else POSITIONS if self.count is None else self.count

    @property
    def wish(self) -> Wish:
        """What each of them is to be."""
        return wish_of(self.completions, placed=self.placed, most=self.most, fewest=self.fewest)


def sheet_of(built: BuiltInstance, wished: Wished, limits: Limits, progress: Progress = SILENT) -> Sheet:
    """Make the positions, as far as the limits allow: ``why`` of the sheet says where they did not."""
    found = hardest(built, wished.seed, limits, progress) if wished.hardest else None
    if wished.hardest:
        made = [] if found is None else [found.challenge]
    else:
        made = challenges(built, wished.number, wished.wish, wished.seed, limits, progress)
    whole = len(made) == wished.number and not (wished.hardest and over(limits) and not made[0].least)
    ended = STOPPED if limits.stop.is_set() else None if whole else over(limits)
    why = None if ended is None else f"{ended} after {many(len(made), 'position')}"
    exhausted = why is None and 0 < len(made) < wished.number
    if exhausted:
        why = f"only {many(len(made), 'different position')} {'was' if len(made) == 1 else 'were'} found"
    return Sheet(built, made, wished.completions, wished.seed, "" if found is None else found.words, why, exhausted=exhausted)
