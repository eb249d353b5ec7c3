"""How many assemblies a burr has: all, and up to symmetry."""

from __future__ import annotations

from dataclasses import dataclass

from puzzlesat.burrs.burr import Burr
from puzzlesat.burrs.diagram import blocks_of, diagram_of
from puzzlesat.progress import SHARE, SILENT, Progress


@dataclass(frozen=True)
class Assemblies:
    """The numbers of assemblies."""

    fixed: tuple[int, ...]
    """How many each motion of the burr leaves unchanged, that of the identity first, which are all."""

    @property
    def all(self) -> int:
        """All assemblies."""
        return self.fixed[0]

    @property
    def distinct(self) -> int:
        """Assemblies up to the motions of the burr."""
        return sum(self.fixed) // len(self.fixed)


def assemblies_of(burr: Burr, progress: Progress = SILENT) -> Assemblies:
    """Count the assemblies of a burr."""
    fixed: list[int] = []
    for motion in burr.motions:
        progress.of("counting")({"symmetries": len(fixed), SHARE: 10**6 * len(fixed) // len(burr.motions)})
        fixed.append(diagram_of(burr, blocks_of(burr, motion)).total)
    return Assemblies(tuple(fixed))
