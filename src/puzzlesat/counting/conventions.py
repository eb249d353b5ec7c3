"""The conventions in which the solutions of a puzzle can be counted: a published figure may be right in any of them.

The solutions up to a subgroup H of the form's symmetries are Σ fixed(h) / |H|, h in H, by Burnside's lemma: the subgroups that have a
name need no count of their own. Two conventions do, for they change the puzzle: mirror images as one where the instance says that they
differ, and identical tiles told apart.

Counts that follow from the solutions, in a second way: what is symmetric, what is different, and in how many ways it can be labelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from puzzlesat.base import Limits, Progress, Rows, Sentence
from puzzlesat.counting.counts import Counts
from puzzlesat.counting.report import Disagreement, Report
from puzzlesat.counting.second_figures import figures_again, labelled_again
from puzzlesat.puzzles import BuiltInstance, Puzzle, shape_symmetries

KEYS = {
    "distinct": "up to the symmetries of the form",
    "all": "with every turned and mirrored answer",
    "labelled": "with copies of a tile told apart",
    "labelled_distinct": "up to the symmetries of the form, with copies of a tile told apart",
    "labelled_turns": "with copies of a tile told apart, and turns of a tile that look the same",
}
"""The conventions that are keys of ``[expect]``, in words, the likeliest first."""
NO_KEY = "[expect] has no key for this convention; write the figure in published, and the count of this program in [expect]"
MIRRORED, APART = "with mirror images as one", "with identical tiles told apart"


@dataclass(frozen=True)
class Convention:
    """One way to count, what it gives for a puzzle, and what an instance has to say so that the figure stands in its place."""

    words: str
    figure: int
    cure: str


@dataclass(frozen=True)
class Subgroup:
    """Some symmetries of a form that make a group, with a name in words."""

    words: str
    members: tuple[str, ...]
    cure: str = NO_KEY


def conventions(report: Report) -> list[Convention]:
    """Return what each convention gives, one convention a figure, the likeliest first; nothing where the count is not complete."""
    found: dict[int, Convention] = {}
    for convention in (*_of(report, ""), *(c for words, other in report.others for c in _of(other, words))):
        found.setdefault(convention.figure, convention)
    return list(found.values())


def variants(built: BuiltInstance) -> list[tuple[str, Puzzle]]:
    """Return the puzzles that are other conventions of a puzzle, each with what is different in words."""
    puzzle = built.puzzle
    mirrored = replace(puzzle, mirrored_same=True)
    found = []
    if not puzzle.mirrored_same and built.most_symmetries() > len(built.problem.symmetries):
        found.append((MIRRORED, mirrored))
    fixed = [puzzle.tiles[built.placements.tile[o]] for o in built.problem.forced]
    named = puzzle.solutions.forbidden or puzzle.solutions.one_of
    if any(len(t.members) > 1 for t in puzzle.tiles) and all(len(tile.members) == 1 for tile in fixed) and not named:
        found += [(f"{words} and {APART}".removeprefix(" and "), _told_apart(other)) for words, other in (("", puzzle), *found)]
    return found


def _told_apart(puzzle: Puzzle) -> Puzzle:
    """The puzzle in which tiles with different names are different, though they look the same; copies of one name stay alike."""
    apart = (
        replace(tile, name=name, low=low, high=high, members=(name,), ranges=((low, high),), symmetries=symmetries, symmetries_of=())
        for tile in puzzle.tiles
        for name, (low, high), symmetries in zip(tile.members, tile.ranges, tile.turns, strict=True)
    )
    return replace(puzzle, tiles=tuple(apart), solutions=puzzle.solutions.parted({tile.name: tile.members for tile in puzzle.tiles}))


def _of(report: Report, variant: str) -> Iterator[Convention]:
    """What one counted puzzle gives; ``variant`` says in words how it differs from the instance's, if it does."""
    counts = report.counts
    if not report.complete or counts.all is None:
        return
    also = f", {variant}" if variant else ""
    for key, words in KEYS.items():
        if (figure := getattr(counts, key)) is not None:
            yield Convention(words + also, figure, _cure(variant, key))
    groups = list(subgroups(report.built))
    for fixed, apart in ((counts.fixed, ""), (counts.fixed_labelled, ", with copies of a tile told apart")):
        for group in groups if fixed is not None else ():
            yield Convention(group.words + apart + also, _orbits(fixed or {}, group.members), NO_KEY if apart or also else group.cure)
    yield from _turned(counts, groups, len(report.built.problem.symmetries), also)


def _cure(variant: str, key: str) -> str:
    """What to do with a figure that is right under a key, in the puzzle itself or in a variant of it."""
    if not variant:
        return f"move it under the key {key}"
    return 'write mirrored = "same"' if (variant, key) == (MIRRORED, "distinct") else NO_KEY


def _orbits(fixed: Mapping[str, int], members: Sequence[str]) -> int:
    """Burnside's lemma."""
    return sum(fixed[name] for name in members) // len(members)


def _turned(counts: Counts, groups: Sequence[Subgroup], order: int, also: str) -> Iterator[Convention]:
    """Where turns of a tile that look the same are told apart, no symmetry but the identity leaves a labelled solution unchanged."""
    if not counts.labelled or counts.labelled_turns is None or counts.all is None:
        return
    turns = counts.labelled_turns // counts.labelled
    yield Convention(f"with turns of a tile that look the same told apart{also}", counts.all * turns, NO_KEY)
    apart = f", with copies of a tile told apart, and turns of a tile that look the same{also}"
    for words, size in ((KEYS["distinct"], order), *((g.words, len(g.members)) for g in groups)):
        yield Convention(words + apart, counts.labelled_turns // size, NO_KEY)


def subgroups(built: BuiltInstance) -> Iterator[Subgroup]:
    """Yield the subgroups of the form's symmetries that have a name: turns, moves, those of one symmetry, a half turn with a mirror."""
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
    """Return the symmetries that these make together, the identity first."""
    problem = built.problem
    assert problem.images is not None
    image = dict(zip(problem.symmetries, problem.images, strict=True))
    by_image = {permutation.tobytes(): name for name, permutation in reversed(image.items())}
    found = dict.fromkeys([problem.symmetries[0]])
    left = list(found)
    while left:
        one = image[left.pop()]
        for name in names:
            product = by_image[image[name][one].tobytes()]
            if product not in found:
                found[product] = None
                left.append(product)
    return tuple(found)


SECOND_COUNT = "second count"
"""Who says so where what follows from the solutions is another number."""
BY_SOLUTIONS = Sentence("the listed solutions, counted in a second way")
BY_TREES = Sentence("a checked search for the solutions that symmetries leave unchanged")
BY_COPIES = Sentence("the copies of each tile, counted in a second way")
NO_SYMMETRY = Sentence("no symmetry to count up to")
"""How counts were found again."""


def counted_again(report: Report, rows: Rows, go_on: Callable[[], object]) -> Report:
    """Return the report with what all solutions say, each of which is once in ``rows``. ``go_on`` is called now and then, and may raise."""
    return _held_against(report, figures_again(report.built, rows, go_on), BY_SOLUTIONS)


def fixed_again(report: Report, limits: Limits, progress: Progress) -> Report:
    """Return the report of a count without a list, with what can be said of it within some limits."""
    counts, built = report.counts, report.built
    if not report.found or counts.all is None:
        return report
    labelled = labelled_again(built, counts.all)
    report = report if labelled is None else _held_against(report, {"labelled": labelled}, BY_COPIES)
    if len(built.problem.symmetries) == 1:
        return _held_against(report, {"distinct": counts.all, "fixed": {built.problem.symmetries[0]: counts.all}}, NO_SYMMETRY)
    if counts.fixed is None or any("fixed" in row.figures for row in report.rows if row.all is not None):
        return report
    from puzzlesat.counting.comparison import check_fixed  # who needs no trees need not wait for what makes them

    fixed = check_fixed(built, counts, limits, progress)
    if isinstance(fixed, Disagreement):
        return replace(report, disagreements=(*report.disagreements, fixed))
    if fixed is None:
        return report
    distinct, rest = divmod(sum(fixed.values()), len(fixed))
    return _held_against(report, {"fixed": fixed, "distinct": distinct if not rest else None}, BY_TREES)


def _held_against(report: Report, found: Mapping[str, Any], how: str) -> Report:
    """Note which counts were found again, and which are another number; what the report does not know cannot differ."""
    counts = asdict(report.counts)
    known = {name: figure for name, figure in found.items() if counts[name] is not None}
    wrong = tuple(Disagreement(SECOND_COUNT, _difference(name, counts[name], n)) for name, n in known.items() if n != counts[name])
    again = {name: how for name, figure in known.items() if figure == counts[name] and name != "all"}
    return replace(report, found_again={**report.found_again, **again}, disagreements=(*report.disagreements, *wrong))


def _difference(name: str, counted: Any, again: Any) -> str:
    if isinstance(counted, dict) and isinstance(again, dict):
        said = [f"{key}: {again.get(key)}, not {counted.get(key)}" for key in {**counted, **again} if again.get(key) != counted.get(key)]
        return Sentence("{name}, counted in a second way, differs: {again}", name=name, again="; ".join(said))
    return Sentence("{name}, counted in a second way, is {again}, not {counted}", name=name, again=str(again), counted=str(counted))
