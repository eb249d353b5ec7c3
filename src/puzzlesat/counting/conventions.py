"""The conventions in which the solutions of a puzzle can be counted: a published figure may be right in any of them.

By Burnside's lemma, the number of solutions up to a subgroup H of the form's symmetries is the sum of fixed(h) over h in H, divided by
|H|. So the named subgroups need no count of their own. Two conventions change the puzzle and need one: reflections count as equal although
the instance distinguishes them, and identical tiles are distinguished.

The module also compares the counts that follow from the solutions (symmetric, distinct, labelled) with a second computation of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from puzzlesat.base import Limits, Progress, Rows, Sentence
from puzzlesat.counting.comparison import check_fixed
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.evidence import BY_TREES, Disagreement
from puzzlesat.counting.report import Report
from puzzlesat.counting.second_figures import figures_again, labelled_again
from puzzlesat.puzzles import BuiltInstance, Puzzle, shape_symmetries

KEYS = {
    "distinct": "up to the symmetries of the form",
    "all": "with every turned and mirrored answer",
    "labelled": "with copies of a tile told apart",
    "labelled_distinct": "up to the symmetries of the form, with copies of a tile told apart",
    "labelled_turns": "with copies of a tile told apart, and turns of a tile that look the same",
}
"""The conventions that are keys of ``[expect]``, with their words; the likeliest first."""
NO_KEY = "[expect] has no key for this convention; write the figure in published, and the count of this program in [expect]"
MIRRORED, APART = "with mirror images as one", "with identical tiles told apart"


@dataclass(frozen=True)
class Convention:
    """A convention of counting, its figure for a puzzle, and the correction of an instance that states the figure elsewhere."""

    words: str
    figure: int
    cure: str


@dataclass(frozen=True)
class Subgroup:
    """A named subgroup of the symmetries of a form."""

    words: str
    members: tuple[str, ...]
    cure: str = NO_KEY


def conventions(report: Report) -> list[Convention]:
    """Return the figures of all conventions, the likeliest first; each figure once. Empty if the count is not complete."""
    found: dict[int, Convention] = {}
    for convention in (*_of(report, ""), *(c for words, other in report.others for c in _of(other, words))):
        found.setdefault(convention.figure, convention)
    return list(found.values())


def variants(built: BuiltInstance) -> list[tuple[str, Puzzle]]:
    """Return the puzzles whose counts are other conventions of a puzzle, each with its difference in words."""
    puzzle, found = built.puzzle, list[tuple[str, Puzzle]]()
    if not puzzle.mirrored_same and built.most_symmetries() > len(built.problem.symmetries):
        found.append((MIRRORED, replace(puzzle, mirrored_same=True)))
    fixed = [puzzle.tiles[built.placements.tile[o]] for o in built.problem.forced]
    named = puzzle.solutions.forbidden or puzzle.solutions.one_of
    if any(len(t.members) > 1 for t in puzzle.tiles) and all(len(tile.members) == 1 for tile in fixed) and not named:
        found += [(f"{words} and {APART}".removeprefix(" and "), _told_apart(other)) for words, other in (("", puzzle), *found)]
    return found


def _told_apart(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle in which tiles of equal shape and different names are distinguished; copies of one name are not."""
    apart = (
        replace(tile, name=name, low=low, high=high, members=(name,), ranges=((low, high),), symmetries=symmetries, symmetries_of=())
        for tile in puzzle.tiles
        for name, (low, high), symmetries in zip(tile.members, tile.ranges, tile.turns, strict=True)
    )
    return replace(puzzle, tiles=tuple(apart), solutions=puzzle.solutions.parted({tile.name: tile.members for tile in puzzle.tiles}))


def _of(report: Report, variant: str) -> Iterator[Convention]:
    """Yield the figures of one counted puzzle. ``variant`` is its difference from the puzzle of the instance, in words."""
    counts = report.counts
    if not report.complete or counts.all is None:
        return
    also = f", {variant}" if variant else ""
    for key, words in KEYS.items():
        if (figure := getattr(counts, key)) is not None:
            cure = 'write mirrored = "same"' if (variant, key) == (MIRRORED, "distinct") else NO_KEY
            yield Convention(words + also, figure, cure if variant else f"move it under the key {key}")
    groups = list(subgroups(report.built))
    for fixed, apart in ((counts.fixed, ""), (counts.fixed_labelled, ", with copies of a tile told apart")):
        for group in groups if fixed is not None else ():
            orbits = sum((fixed or {})[name] for name in group.members) // len(group.members)  # Burnside's lemma
            yield Convention(group.words + apart + also, orbits, NO_KEY if apart or also else group.cure)
    yield from _turned(counts, groups, len(report.built.problem.symmetries), also)


def _turned(counts: Counts, groups: Sequence[Subgroup], order: int, also: str) -> Iterator[Convention]:
    """Yield the figures in which rotations of a tile that look the same are distinguished.

    Only the identity then leaves a labelled solution unchanged.
    """
    if not counts.labelled or counts.labelled_turns is None or counts.all is None:
        return
    turns = counts.labelled_turns // counts.labelled
    yield Convention(f"with turns of a tile that look the same told apart{also}", counts.all * turns, NO_KEY)
    apart = f", with copies of a tile told apart, and turns of a tile that look the same{also}"
    for words, size in ((KEYS["distinct"], order), *((g.words, len(g.members)) for g in groups)):
        yield Convention(words + apart, counts.labelled_turns // size, NO_KEY)


def subgroups(built: BuiltInstance) -> Iterator[Subgroup]:
    """Yield the named subgroups of the form's symmetries: rotations, translations, cyclic subgroups, a half turn with a reflection."""
    problem = built.problem
    mirrors = {s.name for s in shape_symmetries(built.puzzle) if s.symmetry.mirror}
    turns = tuple(name for name in problem.symmetries if name not in mirrors)
    moves = tuple(name for name in turns if name == "identity" or name.startswith("move "))
    if len(turns) < len(problem.symmetries):
        yield Subgroup("up to turns alone, where a mirror image is another solution", turns, 'write mirrored = "different"')
    if 1 < len(moves) < len(turns):
        yield Subgroup("up to moves of the form along itself alone", moves)
    if problem.images is None:
        return
    plain = [name for name in problem.symmetries if "move " not in name and name != "identity"]
    for name in plain:
        yield Subgroup(f"up to {name} alone", generated(built, (name,)))
    if "turn 180" in plain:
        for name in plain:
            if name in mirrors:
                yield Subgroup(f"up to turn 180 and {name} alone", generated(built, ("turn 180", name)))


def generated(built: BuiltInstance, names: Sequence[str]) -> tuple[str, ...]:
    """Return the subgroup that the named symmetries generate, the identity first."""
    problem = built.problem
    assert problem.images is not None
    image = dict(zip(problem.symmetries, problem.images, strict=True))
    by_image = {permutation.tobytes(): name for name, permutation in reversed(image.items())}
    found = dict.fromkeys([problem.symmetries[0]])
    left = list(found)
    while left:
        element = image[left.pop()]
        for name in names:
            product = by_image[image[name][element].tobytes()]
            if product not in found:
                found[product] = None
                left.append(product)
    return tuple(found)


SECOND_COUNT = "second count"
"""The name in disagreements of the second computation of counts that follow from the solutions."""
BY_SOLUTIONS = Sentence("the listed solutions, counted in a second way")
BY_COPIES = Sentence("the copies of each tile, counted in a second way")
NO_SYMMETRY = Sentence("no symmetry to count up to")
"""The ways in which counts are computed a second time."""


def counted_again(report: Report, rows: Rows, go_on: Callable[[], object]) -> Report:
    """Return the report, compared with figures computed again from all solutions; ``rows`` has each solution once.

    ``go_on`` is called at intervals and may raise.
    """
    return _held_against(report, figures_again(report.built, rows, go_on), BY_SOLUTIONS)


def fixed_again(report: Report, limits: Limits, progress: Progress) -> Report:
    """Return the report of a count without a list, compared with figures that are computed again within the limits."""
    counts, built = report.counts, report.built
    if not report.found or counts.all is None:
        return report
    labelled = labelled_again(built, counts.all)
    report = report if labelled is None else _held_against(report, {"labelled": labelled}, BY_COPIES)
    if len(built.problem.symmetries) == 1:
        return _held_against(report, {"distinct": counts.all, "fixed": {built.problem.symmetries[0]: counts.all}}, NO_SYMMETRY)
    if counts.fixed is None or any("fixed" in row.figures for row in report.rows if row.all is not None):
        return report
    fixed = check_fixed(built, counts, limits, progress)
    if isinstance(fixed, Disagreement):
        return replace(report, disagreements=(*report.disagreements, fixed))
    if fixed is None:
        return report
    distinct, rest = divmod(sum(fixed.values()), len(fixed))
    return _held_against(report, {"fixed": fixed, "distinct": distinct if not rest else None}, BY_TREES)


def _held_against(report: Report, found: Mapping[str, Any], how: str) -> Report:
    """Compare the counts of a report with a second computation: record those that are equal, and disagreements of the others."""
    counts = asdict(report.counts)
    known = {name: figure for name, figure in found.items() if counts[name] is not None}
    wrong = tuple(Disagreement(SECOND_COUNT, _difference(name, counts[name], n)) for name, n in known.items() if n != counts[name])
    again = {name: how for name, figure in known.items() if figure == counts[name] and name != "all"}
    return replace(report, found_again={**report.found_again, **again}, disagreements=(*report.disagreements, *wrong))


def _difference(name: str, counted: Any, again: Any) -> str:
    if isinstance(counted, dict) and isinstance(again, dict):
        parts = [f"{key}: {again.get(key)}, not {counted.get(key)}" for key in {**counted, **again} if again.get(key) != counted.get(key)]
        return Sentence("{name}, counted in a second way, differs: {again}", name=name, again="; ".join(parts))
    return Sentence("{name}, counted in a second way, is {again}, not {counted}", name=name, again=str(again), counted=str(counted))
