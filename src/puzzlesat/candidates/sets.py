"""Which sets of tiles fill each of many forms: what is asked, and what was found out as records of plain data for a file of results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic

from puzzlesat.candidates.asked import Sources, candidates
from puzzlesat.candidates.generate import Candidate
from puzzlesat.candidates.kit import Kit, key_of, load_kit, refs
from puzzlesat.candidates.results import Record
from puzzlesat.candidates.trial import first_solution
from puzzlesat.config.library import find_instance
from puzzlesat.config.read import kind_of
from puzzlesat.counting.sets import SetCount, Sets, count_sets
from puzzlesat.cover.build import Built
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.picture import plain_picture
from puzzlesat.progress import SILENT, Progress
from puzzlesat.solvers.run import Limits


def kit_of_sets(
    name: str, *, own_form: bool = False, copies: int | None = None, any_number: bool = False, problem: int | str | None = None
) -> Kit:
    """Return tiles of which any may be left out: as many copies of each as there are, ``copies`` of each, or any number of them.

    With ``own_form`` an instance is meant where a model has the same name.
    """
    if own_form:
        with suppress(PuzzleError):
            name = str(find_instance(name))
    kit = load_kit(name, some=True, problem=problem)
    if copies is None and not any_number:
        return kit
    tiles = tuple(replace(t, high=copies, members=t.members[:1], ranges=((0, copies),)) for t in kit.tiles)
    return replace(kit, sample=replace(kit.sample, tiles=tiles))


def forms_of_sets(kit: Kit, sources: Sources) -> list[Candidate]:
    """Return the forms asked for; where none are, and the tiles are those of an instance, its own."""
    if sources != Sources():
        return candidates(kit, sources)
    if kit.path.suffix == ".toml" and kind_of(kit.path) == "model":
        raise PuzzleError("no form to fill: name an instance, or a file with a form, or make forms with --boxes, --shapes or the like")
    return [Candidate(kit.path.stem, kit.instance.form, kit.path)]


def try_sets(kit: Kit, form: Candidate, limits: Limits, budget: float, *, progress: Progress = SILENT) -> Record:
    """Count the sets of tiles that fill a form, and return what was found; ``budget`` seconds are for the listing that confirms it."""
    began = monotonic()
    built = build_form(kit, form, progress=progress, memory=limits.memory)
    found = count_sets(built, limits, budget, progress=progress)
    return _record(built, form, found, monotonic() - began)


def build_form(kit: Kit, form: Candidate, *, progress: Progress = SILENT, memory: int | None = None) -> BuiltInstance:
    """Compile the puzzle to fill a form with some of the tiles."""
    return build_instance(kit.to_fill(form.name, form.table, path=form.path), progress=progress, memory=memory)


def _record(built: BuiltInstance, form: Candidate, found: Sets, seconds: float) -> Record:
    puzzle = built.puzzle
    faces = {a for a in puzzle.form.atoms if puzzle.grid.atoms[a[-1]].kind == puzzle.grid.main_kind}
    names = [tile.name for tile in puzzle.tiles]
    known = found.sets is not None
    return {
        "form": form.name,
        "key": key_of(form.table, None),
        "area": sum(a in faces for a in puzzle.form.required),
        "sets": len(found.sets or ()) if known else None,
        "once": found.once if known else None,
        "all": found.all if known else None,
        "distinct": found.distinct if known else None,
        "agree": found.agree,
        "reason": found.reason or None,
        "tiles": names,
        "table": [[list(each.uses), each.all, each.distinct] for each in found.sets or ()] if known else None,
        "seconds": round(seconds, 3),
        "picture": plain_picture(puzzle.grid, faces, optional=faces & set(puzzle.form.optional)),
        "atoms": refs(puzzle.grid, faces),
    }


def sets_in(record: Record) -> tuple[SetCount, ...]:
    """Return the sets that a record tells of, those of most solutions first."""
    return tuple(SetCount(tuple(used), number, distinct) for used, number, distinct in record["table"] or ())


def words_of(tiles: Sequence[str], used: Sequence[int]) -> str:
    """Return a set as its tiles: ``F I 2×L``."""
    return " ".join(name if n == 1 else f"{n}×{name}" for name, n in zip(tiles, used, strict=True) if n)


def by_most_sets(records: Sequence[Record]) -> list[Record]:
    """Return the records of forms, those that most sets fill first; then those with most solutions, and those not known last."""
    return sorted(records, key=lambda r: (r["sets"] is None, -(r["sets"] or 0), -(r["distinct"] or 0)))


def solution_of(built: Built, used: Sequence[int], limits: Limits) -> tuple[int, ...] | None:
    """Return a solution that uses each tile exactly so often, as ascending options; None where none was found within the limits."""
    problem = built.problem
    low, high = problem.low.copy(), problem.high.copy()
    low[problem.tiles] = high[problem.tiles] = used
    only = replace(problem, low=low, high=high, symmetries=("identity",), images=None)
    return first_solution(replace(built, problem=only), limits)[1]
