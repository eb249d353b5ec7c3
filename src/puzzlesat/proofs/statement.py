"""The puzzle and its rules in the plain words of a certificate (``checker.puzzle`` says what they mean)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from puzzlesat.base import NotSupportedError
from puzzlesat.checker import CertificateFile, Rejected
from puzzlesat.puzzles import AtomId, BuiltInstance, Grid, Instance, Mark, Puzzle, Tile, all_placements, build_instance, shape_symmetries

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

    for key, rule in rules.of_places.items():
        yield key.replace("_", " "), dict(rule.stated)
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


def check_states(path: Path, instance: Instance, name: str) -> str:
    """Return a sentence that a certificate states the puzzle of an instance; raise Rejected where it is another one."""
    with CertificateFile.opened(path) as file:
        stated = file.read_json()["puzzle"]
    # compared as text, for to Python true is 1
    meant = {key: json.dumps(value) for key, value in state_puzzle(build_instance(instance)).items()}
    return said_same(name, [key for key in meant if json.dumps(stated.get(key)) != meant[key]])


def said_same(name: str, differ: Sequence[str]) -> str:
    """Return a sentence that two puzzles are the same; raise Rejected where they differ, in what is named."""
    if differ:
        raise Rejected(f"the puzzle is not that of {name}: it differs in {', '.join(differ)}")
    return f"instance: the puzzle is that of {name} as it is compiled now"


def state_puzzle(built: BuiltInstance) -> dict[str, Any]:
    """Return the puzzle as JSON values. Symmetries of the grid that no tile may use stand there too: they may be symmetries of the form.

    Raises NotSupportedError where it has rules on solutions that no certificate states.
    """
    puzzle, grid = built.puzzle, built.puzzle.grid
    if unknown := unstated(puzzle):
        raise NotSupportedError(f"proofs and certificates do not support {unknown[0]}, a rule on solutions; use 'puzzlesat count'")
    fixed = [built.placements[o] for o in sorted(built.problem.forced)]
    return {
        "gram": [[str(x) for x in row] for row in grid.gram],
        "atoms": [
            {"name": a.name, "kind": _kind(grid, i), "vertices": [[str(x) for x in v] for v in a.vertices]}
            for i, a in enumerate(grid.atoms)
        ],
        "symmetries": [{"name": s.name, "matrix": s.matrix, "image": s.image, "shift": s.shift} for s in grid.symmetries],
        "tiles": [{"name": t.name, **_shape(grid, t), "ranges": [list(r) for r in t.ranges]} for t in puzzle.tiles],
        "required": [list(a) for a in puzzle.form.required],
        "optional": [list(a) for a in puzzle.form.optional],
        "mates": puzzle.mates,
        "fits": {name: sorted(on) for name, on in puzzle.fits.items()},
        "coloured": [[list(a), name] for a, name in puzzle.form.colours.items()],
        "border": puzzle.border,
        "rules": [
            {
                "name": r.name,
                "atoms": [[list(a), w] for a, w in r.atoms.items()],
                "tiles": {t.name: r.tiles.get(t.members[0], 0) for t in puzzle.tiles},
                "low": r.low,
                "high": r.high,
                "modulus": r.modulus,
                "residue": r.residue,
            }
            for r in puzzle.rules
        ]
        + stated_rules(puzzle),
        "fixed": [{"tile": p.tile, **stated_look(p.atoms, p.marks)} for p in fixed],
        "keep": [] if puzzle.split is None else sorted(map(list, puzzle.split.atoms)),
        "mirrored": puzzle.mirrored_same,
    }


def _shape(grid: Grid, tile: Tile) -> dict[str, Any]:
    """What a tile covers and shows and how it may be turned; or its placements where they are listed."""
    if tile.listed:
        return {"placements": [[list(a) for a in body] for body in tile.listed]}
    return {**stated_look(tile.atoms, tile.marks), "symmetries": [i for i in tile.symmetries if i < len(grid.symmetries)]}


def _kind(grid: Grid, number: int) -> str:
    """The kind of an atom; with its role where that alone tells it from others, for symmetries take atoms to those of their role."""
    atom = grid.atoms[number]
    roles = {other.role for other in grid.atoms if other.kind == atom.kind}
    return atom.kind if len(roles) == 1 else f"{atom.kind} ({atom.role})"
