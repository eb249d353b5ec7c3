"""Rules on solutions in the plain words of a certificate (``check.solution_rules`` says what they mean)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from puzzlesat.cover.symmetry import shape_symmetries
from puzzlesat.grid.lattice import AtomId
from puzzlesat.puzzle.data import Mark, Puzzle
from puzzlesat.puzzle.laying import all_placements

ON_BALLS = {"forbidden", "one_of", "holds"}
"""Balls touch otherwise than faces do, and can be moved in more ways than the checker knows."""


def unstated(puzzle: Puzzle) -> list[str]:
    """Return the rules on solutions of a puzzle that no certificate states, by their keys."""
    rules = puzzle.solutions
    unknown = [f.name for f in fields(rules) if f.name not in ON_BALLS] if puzzle.grid.of_balls else []
    return [f.name for f in fields(rules) if f.name in unknown and getattr(rules, f.name) != f.default]


def stated_rules(puzzle: Puzzle) -> list[dict[str, Any]]:
    """Return the rules on solutions as JSON values, each with its name and its kind."""
    return [{"name": f"[solutions] {name}", "kind": name.rstrip(" 0123456789"), **said} for name, said in _stated(puzzle)]


def _stated(puzzle: Puzzle) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each rule, its kind with a number where there may be several, and what its kind says."""
    rules = puzzle.solutions
    numbers = {s.name: puzzle.grid.motions.index(s.symmetry) for s in shape_symmetries(puzzle)} if rules.name_placements else {}
    placed = {p.name: p for p in all_placements(puzzle)} if rules.forbidden or rules.one_of else {}

    def touching(*, tiles: Iterable[str] = (), colours: int = 0, corners: bool = False) -> dict[str, Any]:
        return {"tiles": sorted(tiles), "colours": colours, "corners": corners}

    def symmetries(names: Iterable[str]) -> list[int]:
        return sorted({numbers[name] for name in names})

    def placements(names: Iterable[str]) -> list[dict[str, Any]]:
        return [{"tile": placed[name].tile, **stated_look(placed[name].atoms, placed[name].marks)} for name in sorted(names)]

    if rules.no_crossroads:
        yield "no crossroads", touching()
    if rules.fault_free:
        yield "fault free", {}
    for number, tiles in enumerate(sorted(rules.apart, key=sorted), start=1):
        yield f"apart {number}", touching(tiles=tiles, corners=rules.strictly)
    if rules.colours is not None:
        yield "colours", touching(colours=rules.colours, corners=rules.strictly)
    if rules.symmetric:
        yield "symmetric", {"symmetries": symmetries(rules.symmetric)}
    for number, outline in enumerate((o for o in rules.outlines if o.under), start=1):
        yield f"symmetric outline {number}", {"tiles": sorted(outline.tiles), "symmetries": symmetries(outline.under)}
    for kind, tiles in (("touch border", rules.touch_border), ("inside", rules.inside)):
        if tiles:
            yield kind, {"tiles": sorted(tiles)}
    for number, holds in enumerate((h for h in rules.holds if h.tiles), start=1):
        atoms = sorted(map(list, holds.atoms))
        yield f"holds {number}", {"tiles": sorted(holds.tiles), "atoms": atoms, "low": holds.low, "high": holds.high}
    if rules.forbidden:
        yield "forbidden", {"placements": placements(rules.forbidden)}
    for number, names in enumerate(rules.one_of, start=1):
        yield f"one of {number}", {"placements": placements(names)}


def stated_look(atoms: Iterable[AtomId], marks: Iterable[Mark]) -> dict[str, Any]:
    """Return what a tile or a placement covers and shows."""
    return {"atoms": [list(a) for a in atoms], "marks": [[list(m.side), list(m.face), m.name] for m in marks]}
