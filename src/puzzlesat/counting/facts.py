"""Facts about a puzzle that a person can check by hand; some of them prove that there is no solution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.cover.reach import out_of_reach, reachable_sums
from puzzlesat.cover.symmetry import shape_symmetries
from puzzlesat.grid.region import parts


@dataclass(frozen=True)
class Fact:
    """One fact; ``impossible`` when it proves that the puzzle has no solution."""

    text: str
    impossible: bool = False


def facts(built: BuiltInstance) -> list[Fact]:
    """Return what can be said about joined tiles, mirrors, parts, area, tiles without placement and parity."""
    found = (_joined_tiles, _mirrored, _form_parts, _area, _unplaceable, _uncoverable, _parity)
    return [fact for facts_of in found for fact in facts_of(built)]


def _joined_tiles(built: Built) -> list[Fact]:
    return [
        Fact(f"tiles {', '.join(t.members)} are identical: counted as {t.high or 'any number of'} copies of {t.name}")
        for t in built.puzzle.tiles
        if len(t.members) > 1
    ]


def _mirrored(built: BuiltInstance) -> list[Fact]:
    """Whether the instance says of mirror images what makes no difference."""
    if not built.instance.mirrored_stated or not built.puzzle.mirrored_same:
        return []
    mirrors = {s.name for s in shape_symmetries(built.puzzle) if s.symmetry.mirror}
    if mirrors & set(built.problem.symmetries):
        return []
    return [Fact('mirrored = "same" makes no difference: no mirror maps form, tiles and rules onto themselves')]


def _form_parts(built: Built) -> list[Fact]:
    puzzle = built.puzzle
    form = puzzle.form
    found = parts(puzzle.grid, form.atoms, None if form.wrap is None else partial(form.neighbours, puzzle.grid))
    if len(found) < 2:
        return []
    return [Fact(f"the form is in {len(found)} parts of {', '.join(f'{len(p):,}' for p in found)} atoms")]


def _area(built: Built) -> list[Fact]:
    """Compare the atoms of each kind with what the tiles can cover."""
    puzzle = built.puzzle
    found = []
    kinds = dict.fromkeys(a.kind for a in puzzle.grid.atoms if a.role == "cover")
    for kind in (k for k in kinds if k not in puzzle.grid.crossing_kinds):  # how many crossings a tile covers depends on the seams

        def area(atoms: object, kind: str = kind) -> int:
            return sum(puzzle.grid.atoms[a[-1]].kind == kind for a in atoms)  # type: ignore[attr-defined]

        required, optional = area(puzzle.form.required), area(puzzle.form.optional)
        sizes = [(area(t.atoms), t.low, t.high) for t in puzzle.tiles]
        least = sum(size * low for size, low, _ in sizes)
        most = None if any(high is None and size for size, _, high in sizes) else sum(size * (high or 0) for size, _, high in sizes)
        if not required and not optional and not least:
            continue
        span = f"{required:,}" if not optional else f"{required:,} to {required + optional:,}"
        tiles = f"{least:,}" if most == least else f"{least:,} to {most:,}" if most is not None else f"{least:,} or more"
        outside = kind != puzzle.grid.main_kind
        too_much, too_little = least > required + optional, most is not None and most < required
        verdict = "; so it has no solution" if too_much or too_little else ""
        note = " (inside and at the border)" if outside and not verdict else ""
        found.append(Fact(f"area: the form has {span} {kind}s, the tiles {tiles}{note}{verdict}", bool(verdict)))
    return found


def _unplaceable(built: Built) -> list[Fact]:
    used = np.bincount(built.placements.tile, minlength=len(built.puzzle.tiles))
    return [
        Fact(f"tile {t.name} can be placed nowhere" + ("; so it has no solution" if t.low else ""), t.low > 0)
        for i, t in enumerate(built.puzzle.tiles)
        if not used[i]
    ]


def _uncoverable(built: Built) -> list[Fact]:
    problem = built.problem
    covered = np.zeros(len(problem.items), dtype=np.bool_)
    for part in np.array_split(problem.item, 1 + len(problem.item) // 1_000_000):  # numpy widens what it goes by
        covered[part] = True
    bare = [problem.items[i] for i in range(len(built.puzzle.form.atoms)) if problem.low[i] and not covered[i]]
    if not bare or not built.placements:
        return []
    return [
        Fact(
            f"no placement covers atom {bare[0]}" + (f" and {len(bare) - 1:,} more" if bare[1:] else "") + "; so it has no solution",
            impossible=True,
        )
    ]


def _parity(built: Built) -> list[Fact]:
    found = []
    used = np.bincount(built.placements.tile, minlength=len(built.puzzle.tiles))
    if any(t.low > n for t, n in zip(built.puzzle.tiles, used.tolist(), strict=True)):
        return []  # no choice of placements at all, hence nothing to add up
    for condition in built.problem.conditions:
        if not condition.implied:
            continue
        if out_of_reach(built.problem) == condition.name:
            found.append(
                Fact(
                    f"{condition.name}: the form needs {condition.low}, which the tiles cannot add up to; so it has no solution",
                    impossible=True,
                )
            )
        elif (sums := reachable_sums(built.problem, condition)) is not None and sums:
            reach = f"{min(sums)} to {max(sums)} ({len(sums)} sums)" if len(sums) > 1 else f"{min(sums)}"
            found.append(Fact(f"{condition.name}: the form needs {condition.low}; the tiles reach {reach}"))
    return found
