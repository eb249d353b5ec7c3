"""The puzzle in the plain words of a certificate (``check.puzzle`` says what they mean)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from puzzlesat.check.archive import opened, read_json
from puzzlesat.check.rejected import Rejected
from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import build_instance
from puzzlesat.errors import NotSupportedError
from puzzlesat.grid.lattice import Atom, Grid
from puzzlesat.proof.solution_rules import stated_look, stated_rules, unstated
from puzzlesat.puzzle.data import Tile
from puzzlesat.puzzle.instance import Instance


def check_states(path: Path, instance: Instance, name: str) -> str:
    """Return a sentence that a certificate states the puzzle of an instance; raise Rejected where it is another one."""
    with opened(path) as archive:
        stated = read_json(archive)["puzzle"]
    # compared as text, for to Python true is 1
    meant = {key: json.dumps(value) for key, value in state_puzzle(build_instance(instance)).items()}
    return said_same(name, [key for key in meant if json.dumps(stated.get(key)) != meant[key]])


def said_same(name: str, differ: Sequence[str]) -> str:
    """Return a sentence that two puzzles are the same; raise Rejected where they differ, in what is named."""
    if differ:
        raise Rejected(f"the puzzle is not that of {name}: it differs in {', '.join(differ)}")
    return f"instance: the puzzle is that of {name} as it is compiled now"


def state_puzzle(built: Built) -> dict[str, Any]:
    """Return the puzzle as JSON values. Symmetries of the grid that no tile may use stand there too: they may be symmetries of the form.

    Raises NotSupportedError where it has rules on solutions that no certificate states.
    """
    puzzle, grid = built.puzzle, built.puzzle.grid
    if unknown := unstated(puzzle):
        raise NotSupportedError(f"proofs and certificates do not support {unknown[0]}, a rule on solutions; use 'puzzlesat count'")
    fixed = [built.placements[o] for o in sorted(built.problem.forced)]
    return {
        "gram": [[str(x) for x in row] for row in grid.gram],
        "atoms": [{"name": a.name, "kind": _kind(grid, a), "vertices": [[str(x) for x in v] for v in a.vertices]} for a in grid.atoms],
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


def _kind(grid: Grid, atom: Atom) -> str:
    """The kind of an atom; with its role where that alone tells it from others, for symmetries take atoms to those of their role."""
    roles = {other.role for other in grid.atoms if other.kind == atom.kind}
    return atom.kind if len(roles) == 1 else f"{atom.kind} ({atom.role})"
