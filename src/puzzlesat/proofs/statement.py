"""State a puzzle and its rules as the JSON values of a certificate (``checker.puzzle`` defines them), and check solutions by this.

The checker lays each placement of a solution by itself; it knows nothing of the cover problem.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat import checker, puzzles
from puzzlesat.base import Flags, Ints, Longs, NotSupportedError, Rows, Sentence

ON_BALLS = {"forbidden", "one_of", "holds"}
"""The only rules on solutions that certificates state for balls.

Balls touch in other ways than faces, and can be moved in more ways than the checker knows.
"""


def unstated(puzzle: puzzles.Puzzle) -> list[str]:
    """Return the keys of the rules on solutions of a puzzle that no certificate can state."""
    rules = puzzle.solutions
    unknown = [f.name for f in fields(rules) if f.name not in ON_BALLS] if puzzle.grid.of_balls else []
    return [f.name for f in fields(rules) if f.name in unknown and getattr(rules, f.name) != f.default]


def stated_rules(puzzle: puzzles.Puzzle) -> list[dict[str, Any]]:
    """Return the rules on solutions as JSON values, each with its name and its kind."""
    return [{"name": f"[solutions] {name}", "kind": name.rstrip(" 0123456789"), **values} for name, values in _stated(puzzle)]


def _stated(puzzle: puzzles.Puzzle) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each rule as its kind, with a number if there may be several, and its values."""
    rules = puzzle.solutions
    numbers = {s.name: puzzle.grid.motions.index(s.symmetry) for s in puzzles.shape_symmetries(puzzle)} if rules.name_placements else {}
    placed = {p.name: p for p in puzzles.all_placements(puzzle)} if rules.forbidden or rules.one_of else {}

    def touching(*, tiles: Iterable[str] = (), colours: int = 0, corners: bool = False) -> dict[str, Any]:
        return {"tiles": sorted(tiles), "colours": colours, "corners": corners}

    def symmetries(names: Iterable[str]) -> list[int]:
        own = {numbers[name]: name for name in names}
        if own and max(own) >= len(puzzle.grid.symmetries):  # only balls have such motions
            raise NotSupportedError(
                f"the rule on {own[max(own)]!r} is not supported: solutions cannot be checked under this motion of balls"
            )
        return sorted(own)

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


def stated_look(atoms: Iterable[puzzles.AtomId], marks: Iterable[puzzles.Mark]) -> dict[str, Any]:
    """Return the atoms and the marks of a tile or a placement."""
    return {"atoms": [list(a) for a in atoms], "marks": [[list(m.side), list(m.face), m.name] for m in marks]}


def check_states(path: Path, instance: puzzles.Instance, name: str) -> str:
    """Return a sentence that a certificate states the puzzle of an instance. Raises Rejected if it states another puzzle."""
    with checker.CertificateFile.opened(path) as file:
        stated = file.read_json()["puzzle"]
    # compared as text because True == 1 in Python
    meant = {key: json.dumps(value) for key, value in state_puzzle(puzzles.build_instance(instance)).items()}
    return said_same(name, [key for key in meant if json.dumps(stated.get(key)) != meant[key]])


def said_same(name: str, differ: Sequence[str]) -> str:
    """Return a sentence that two puzzles are the same. Raises Rejected if there are fields in which they ``differ``."""
    if differ:
        raise checker.Rejected(f"the puzzle is not that of {name}: it differs in {', '.join(differ)}")
    return f"instance: the puzzle is that of {name} as it is compiled now"


def state_puzzle(built: puzzles.BuiltInstance, *, wide: bool = False) -> dict[str, Any]:
    """Return the puzzle as JSON values. Symmetries that no tile may use are included: they may be symmetries of the form.

    Raises NotSupportedError if the puzzle has rules on solutions that no certificate states. A ``wide`` statement is for no certificate;
    it states these rules too, and seams, and whether balls are turned in their plane.
    """
    puzzle, grid = built.puzzle, built.puzzle.grid
    if not wide and (unknown := unstated(puzzle)):
        raise NotSupportedError(f"proofs and certificates do not support {unknown[0]}, a rule on solutions; use 'puzzlesat count'")
    # By name, not from the cover problem: a fixed placement that the cover problem lacks would go unnoticed.
    fixed = [p for p in built.placements if p.name in puzzle.fixed] if puzzle.fixed else []
    return {
        "gram": [[str(x) for x in row] for row in grid.gram],
        "atoms": [
            {"name": a.name, "kind": _kind(grid, i), "vertices": [[str(x) for x in v] for v in a.vertices]}
            for i, a in enumerate(grid.atoms)
        ],
        "symmetries": [{"name": s.name, "matrix": s.matrix, "image": s.image, "shift": s.shift} for s in grid.symmetries],
        "tiles": [{"name": t.name, **_shape(puzzle, t, wide=wide), "ranges": [list(r) for r in t.ranges]} for t in puzzle.tiles],
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
        **(_seams(puzzle) if wide else {}),
    }


def _shape(puzzle: puzzles.Puzzle, tile: puzzles.Tile, *, wide: bool) -> dict[str, Any]:
    """Return the atoms, marks and symmetries of a tile; or its placements if they are listed.

    If the form wraps around, the checker finds the crossings that a tile covers.
    """
    grid = puzzle.grid
    crossings = grid.crossing_kinds if puzzle.form.wrap is not None else ()
    bodies = [[a for a in body if grid.atoms[a[-1]].kind not in crossings] for body in tile.bodies]
    if tile.listed:
        return {"placements": [[list(a) for a in body] for body in bodies]}
    turned = {"symmetries": [i for i in tile.symmetries if i < len(grid.symmetries)]}
    further = {"in_its_plane": len(turned["symmetries"]) < len(tile.symmetries)} if wide and grid.of_balls else {}
    return {**stated_look(bodies[0], tile.marks), **turned, **further}


def _seams(puzzle: puzzles.Puzzle) -> dict[str, Any]:
    """The seams of a form, the crossings that tiles cover, and the atoms removed from a form with a mirrored seam.

    A glide, done twice, moves everything along its mirror: half of that is the move of the seam. Without the move, the glide maps the whole
    form to itself, so the faces and their images stand for that form.
    """
    if (wrap := puzzle.form.wrap) is None:
        return {}
    seams = [{"move": list(move), "mirror": False} for move in wrap.translations]
    removed: set[puzzles.AtomId] = set()
    if (glide := wrap.glide) is not None:
        faces = {a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind}
        atom = min(puzzle.form.atoms)
        move = tuple((there - here) // 2 for here, there in zip(atom, glide(glide(atom)), strict=True))[:-1]
        removed = {puzzles.translate(glide(a), tuple(-x for x in move)) for a in faces} - faces
        seams.append({"move": list(move), "mirror": True})
    crossings = () if puzzle.may_cross else puzzle.grid.crossings
    return {
        "seams": seams,
        "removed": sorted(map(list, removed)),
        "crossings": [{"through": list(map(list, c.through)), "blocks": list(map(list, c.blocks))} for c in crossings],
    }


def _kind(grid: puzzles.Grid, number: int) -> str:
    """Return the kind of an atom, with its role if the kind has several: symmetries map atoms to atoms of the same role."""
    atom = grid.atoms[number]
    roles = {other.role for other in grid.atoms if other.kind == atom.kind}
    return atom.kind if len(roles) == 1 else f"{atom.kind} ({atom.role})"


# checks of solutions ----------------------------------------------------------------------------------------------------


def solution_check(
    puzzle: puzzles.BuiltInstance | puzzles.CoverProblem,
    go_on: Callable[[], object] = bool,
    *,
    unchecked: Callable[[str], object] | None = None,
) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of options, padded with -1, and returns the error of the first wrong one, or None.

    A placement is looked at when a row first has it. ``go_on`` is called at each, for there may be thousands, and may raise. If the puzzle
    is beyond a limit of the checker, the function calls ``unchecked`` with the reason and returns None; without ``unchecked`` it raises
    NotSupportedError.
    """
    if isinstance(puzzle, puzzles.CoverProblem):
        return cover_check(puzzle)
    built, reasons = puzzle, list[str]()

    def told(option: int) -> tuple[str, int, tuple[puzzles.AtomId, ...], list[tuple[puzzles.AtomId, puzzles.AtomId, str]], int]:
        own = built.placements[option]
        return own.name, own.tile, own.atoms, [(m.side, m.face, m.name) for m in own.marks], own.orientation

    @cache
    def against() -> Callable[[Rows], tuple[int, str] | None]:
        """The check of the checker, once there is a solution."""
        stated = {"name": "puzzle", "title": "puzzle"} | state_puzzle(built, wide=True)
        puzzle = checker.read_puzzle(json.loads(json.dumps(stated)), wide=True, alike=True)
        return checker.RebuiltPuzzle(puzzle, go_on).check_of(len(built.placements), told)

    def check(rows: Rows) -> str | None:
        try:
            wrong = against()(rows) if len(rows) and not reasons else None
        except checker.TooLarge as error:
            reasons.append(Sentence("the puzzle is too large for the checker: {error}", error=str(error)))
        except checker.Rejected as error:  # rejected is a placement, or the statement of the puzzle
            return str(error)
        if reasons:
            if unchecked is None:
                raise NotSupportedError(f"solutions cannot be checked, because {reasons[0]}")
            unchecked(reasons[0])
            return None
        return None if wrong is None else f"{wrong[1]}: {' '.join(told(o)[0] for o in rows[wrong[0]].tolist() if o >= 0)}"

    return check


MAX_CELLS = 10_000_000
"""Maximum number of cells in the table of solutions and items that is checked at a time."""
UNBOUNDED = np.iinfo(np.int64).max


def cover_check(problem: puzzles.CoverProblem) -> Callable[[Rows], str | None]:
    """Return a function that takes rows of options (padded with -1) and returns the error of the first wrong one, or None."""
    conditions = [(c, np.append(c.weights, 0)) for c in problem.conditions]
    step = max(1, MAX_CELLS // max(1, len(problem.items)))

    def check(rows: Rows) -> str | None:
        return next((wrong for k in range(0, len(rows), step) if (wrong := part(rows[k : k + step])) is not None), None)

    def part(rows: Rows) -> str | None:
        counts, clash = _coverage(problem, rows)
        often = np.where(problem.coloured, UNBOUNDED, problem.high.astype(np.int64))
        bad = (counts < problem.low) | (counts > often) | clash
        if bad.any():
            row, item = np.argwhere(bad)[0].tolist()
            return _blame(problem, rows[row], f"the item {problem.items[item]} is covered wrongly")
        for condition, weights in conditions:
            totals = weights[rows].sum(axis=1)
            wrong = [row for row, total in enumerate(totals.tolist()) if not condition.holds(total)]
            if wrong:
                return _blame(problem, rows[wrong[0]], f"the condition {condition.name!r} does not hold")
        for option in problem.forced:
            if len(lacking := np.flatnonzero(~(rows == option).any(axis=1))):
                return _blame(problem, rows[lacking[0]], f"the option {problem.options[option]} is missing")
        return None

    return check


def _coverage(problem: puzzles.CoverProblem, rows: Rows) -> tuple[Longs, Flags]:
    """Return how often each row covers each item, and whether it covers it in different colours."""
    shape = len(rows), len(problem.items)
    chosen = rows >= 0
    options, where = rows[chosen], np.nonzero(chosen)[0]
    sizes = np.diff(problem.start)[options]
    offset = np.repeat(problem.start[:-1][options] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) if len(options) else sizes
    entries = (offset + np.arange(sizes.sum())).astype(np.int64)
    cell = np.repeat(where, sizes) * shape[1] + problem.item[entries]
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    colours = problem.colour[entries]
    lowest = np.full(shape[0] * shape[1], UNBOUNDED)
    highest = np.full(shape[0] * shape[1], -1)
    np.minimum.at(lowest, cell, colours)
    np.maximum.at(highest, cell, colours)
    clash = ((lowest != highest) | (lowest == 0)).reshape(shape)
    return counts, clash & problem.coloured & (counts > 1)


def _blame(problem: puzzles.CoverProblem, row: Ints, what: str) -> str:
    return f"{what}: {'; '.join(problem.options[o] for o in row.tolist() if o >= 0)}"
