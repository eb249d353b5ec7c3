"""Find facts about a puzzle that a person can check by hand. Some of them prove that there is no solution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from puzzlesat.base import Sentence, listed
from puzzlesat.puzzles import BuiltInstance, Puzzle, shape_symmetries

ONLY = "only solutions"
"""First words of a fact that restricts the solutions."""
MAX_REFUSED = 12
"""Maximum number of symmetries that a sentence names."""


@dataclass(frozen=True)
class Fact:
    """A fact about a puzzle; ``impossible`` if it proves that there is no solution."""

    text: str
    impossible: bool = False


def facts(built: BuiltInstance, *, notable: bool = False) -> list[Fact]:
    """Return the facts on identical tiles, reflections, parts of the form, area, tiles without placement, parity and conditions.

    With ``notable``, only those that restrict the solutions, prove that there is none, or concern how they are counted.
    """
    of_all = (_joined_tiles, _solution_rules, _mirrored, _form_parts, _area, _unplaceable, _uncoverable, _parity, _conditions)
    found = [fact for facts_of in of_all for fact in facts_of(built)]
    if not notable:
        return found
    refused = [refusal.sentence for refusal in refusals(built)]
    return [fact for fact in found if fact.impossible or fact.text in refused or fact.text.startswith(("tiles ", ONLY))]


def _joined_tiles(built: BuiltInstance) -> list[Fact]:
    template, joined = "tiles {names} are identical: counted as {n} copies of {name}", [t for t in built.puzzle.tiles if len(t.members) > 1]
    copies = [str(t.high) if t.high else Sentence("any number of") for t in joined]
    return [Fact(Sentence(template, names=t.members, n=n, name=t.name)) for t, n in zip(joined, copies, strict=True)]


def _solution_rules(built: BuiltInstance) -> list[Fact]:
    """Return the rules on solutions, and a rule that no placement can satisfy."""
    problem, first = built.problem, built.first_rule_item
    facts = [Fact(sentence) for sentence in built.puzzle.solutions.sentences]
    if problem.colouring is not None:
        facts.append(Fact(Sentence("solvers list all other solutions; those that cannot be coloured this way are then left out")))
    covered = np.bincount(problem.item, minlength=len(problem.items))
    bare = [problem.items[i] for i in range(first, len(problem.items)) if covered[i] < problem.low[i]]
    never = "no placement keeps the rule at {item}; so it has no solution"
    return facts + [Fact(Sentence(never, item=name), impossible=True) for name in bare[:1]]


def _mirrored(built: BuiltInstance) -> list[Fact]:
    """Return a fact if ``mirrored = "same"`` in the instance makes no difference."""
    stated = built.instance.mirrored_stated and built.puzzle.mirrored_same
    if not stated or {s.name for s in shape_symmetries(built.puzzle) if s.symmetry.mirror} & set(built.problem.symmetries):
        return []
    return [Fact(Sentence('mirrored = "same" makes no difference: no mirror maps form, tiles and rules onto themselves'))]


def _form_parts(built: BuiltInstance) -> list[Fact]:
    puzzle = built.puzzle
    form = puzzle.form
    found = puzzle.grid.parts(form.atoms, None if form.wrap is None else partial(form.neighbours, puzzle.grid))
    if len(found) < 2:
        return []
    return [Fact(Sentence("the form is in {n} parts of {sizes} atoms", n=str(len(found)), sizes=[len(p) for p in found]))]


CELLS = {"Squares": "squares", "Triangles": "triangles", "Hexagons": "hexagons", "Cubes": "cubes"}
"""The names of the atoms, by the titles of the grids that have one kind of atoms."""


def _cells(puzzle: Puzzle) -> str:
    """Return the name of the cells of a puzzle: by their shape, or cards if each tile is a single cell with marks."""
    if puzzle.grid.of_balls:
        return "balls"
    if all(len(tile.atoms) == 1 and any(not mark.is_colour for mark in tile.marks) for tile in puzzle.tiles):
        return "cards"
    return CELLS.get(puzzle.grid.title, f"{puzzle.grid.main_kind}s")


def order_of_sides(puzzle: Puzzle) -> Sentence | None:
    """Return advice for cards without a solution: check the order in which the file lists their sides. None for other puzzles."""
    if not puzzle.grid.ring_names or _cells(puzzle) != "cards":
        return None
    return Sentence("if you expected a solution, look at the order of the sides in around: {sides}", sides=puzzle.grid.ring_names)


def _area(built: BuiltInstance) -> list[Fact]:
    """Compare the atoms of each kind with what the tiles can cover."""
    puzzle = built.puzzle
    found = []
    kinds = dict.fromkeys(a.kind for a in puzzle.grid.atoms if a.role == "cover")
    for kind in (k for k in kinds if k not in puzzle.grid.crossing_kinds):  # the crossings that a tile covers depend on seams
        required, optional = (puzzle.grid.number_of(atoms, kind) for atoms in (puzzle.form.required, puzzle.form.optional))
        least, most = puzzle.covered(kind)
        if not required and not optional and not least:
            continue
        too_much, too_little = least > required + optional, most is not None and most < required
        cells = Sentence(_cells(puzzle) if kind == puzzle.grid.main_kind else f"{kind}s")
        areas = {"form": _span(required, required + optional), "kind": cells, "tiles": _span(least, most)}
        if too_much or too_little:
            fact = Sentence("area: the form has {form} {kind}, the tiles {tiles}; so it has no solution", **areas)
        elif kind != puzzle.grid.main_kind:
            fact = Sentence("area: the form has {form} {kind}, the tiles {tiles} (inside and at the border)", **areas)
        else:
            fact = Sentence("area: the form has {form} {kind}, the tiles {tiles}", **areas)
        found.append(Fact(fact, too_much or too_little))
    return found


def _span(least: int, most: int | None) -> Sentence:
    """Return a range of numbers in words; ``most`` is None if there is no maximum."""
    if most is None:
        return Sentence("{n} or more", n=least)
    return Sentence("{n}", n=least) if most == least else Sentence("{least} to {most}", least=least, most=most)


def _unplaceable(built: BuiltInstance) -> list[Fact]:
    used = np.bincount(built.placements.tile, minlength=len(built.puzzle.tiles))
    never, anyhow = "tile {tile} fits nowhere; so it has no solution", "tile {tile} fits nowhere"
    return [Fact(Sentence(never if t.low else anyhow, tile=t.name), t.low > 0) for i, t in enumerate(built.puzzle.tiles) if not used[i]]


def _uncoverable(built: BuiltInstance) -> list[Fact]:
    problem = built.problem
    covered = np.zeros(len(problem.items), dtype=np.bool_)
    for part in np.array_split(problem.item, 1 + len(problem.item) // 1_000_000):  # numpy copies an index array to int64
        covered[part] = True
    bare = [problem.items[i] for i in range(len(built.puzzle.form.atoms)) if problem.low[i] and not covered[i]]
    if not bare or not built.placements:
        return []
    single = "no placement covers atom {atom}; so it has no solution"
    several = "no placement covers atom {atom} and {n} more; so it has no solution"
    return [Fact(Sentence(several if bare[1:] else single, atom=bare[0], n=len(bare) - 1), impossible=True)]


def _parity(built: BuiltInstance) -> list[Fact]:
    found = []
    used = np.bincount(built.placements.tile, minlength=len(built.puzzle.tiles))
    if any(t.low > n for t, n in zip(built.puzzle.tiles, used.tolist(), strict=True)):
        return []  # a tile has too few placements, so there are no sums
    if not built.puzzle.form.required:
        return []  # every atom may stay uncovered, so sums decide nothing
    hopeless = built.problem.out_of_reach()
    for condition in built.problem.conditions:
        if not condition.implied:
            continue
        needs = {"name": condition.name, "n": str(condition.low)}
        if hopeless == condition.name:
            template = "{name}: the form needs {n}, which the tiles cannot add up to; so it has no solution"
            found.append(Fact(Sentence(template, **needs), impossible=True))
        elif (sums := built.problem.reachable_sums(condition)) is not None and len(sums):
            values = {"least": str(sums[0]), "most": str(sums[-1]), "n": str(len(sums))}
            several = len(sums) > 1
            reach = Sentence("{least} to {most} ({n} sums)", **values) if several else Sentence("{least}", **values)
            found.append(Fact(Sentence("{name}: the form needs {n}; the tiles reach {reach}", **needs, reach=reach)))
    return found


@dataclass(frozen=True)
class Refusal:
    """Symmetries of the form that are not counted as symmetries of the puzzle, because they change a condition."""

    symmetries: tuple[str, ...]
    condition: str
    one_of: tuple[str, ...] = ()
    """The placements of the rule if it is no condition of the file, but requires one of some placements."""

    @property
    def sentence(self) -> Sentence:
        """The refusal in one sentence."""
        template = "{symmetries} {n|is|are} not counted as {n|a symmetry|symmetries}: {n|it changes|they change} the condition {condition}"
        if self.one_of:
            template = "{symmetries} {n|is|are} not counted as {n|a symmetry|symmetries}: {n|it changes|they change} the rule {condition}"
        rule = f"--one-of {','.join(self.one_of)}" if self.one_of else self.condition
        return Sentence(template, symmetries=listed(self.symmetries, MAX_REFUSED), n=len(self.symmetries), condition=rule)

    def as_json(self) -> dict[str, object]:
        """Return the refusal as a plain dictionary."""
        return {"symmetries": self.symmetries, "condition": self.condition, "sentence": self.sentence}


def refusals(built: BuiltInstance) -> list[Refusal]:
    """Return the symmetries of the form that only linear conditions exclude, grouped by condition."""
    names = dict.fromkeys(condition for _, condition in built.refused)
    choices = {f"one of {n}": placements for n, placements in enumerate(built.puzzle.solutions.one_of, start=1)}
    choices = {name: placements for name, placements in choices.items() if all(rule.name != name for rule in built.puzzle.rules)}
    return [Refusal(tuple(s for s, condition in built.refused if condition == name), name, choices.get(name, ())) for name in names]


def _conditions(built: BuiltInstance) -> list[Fact]:
    """Return the conditions that no covering satisfies, and those that exclude symmetries."""
    unkept = built.unkept_conditions
    return [*(Fact(never.why, impossible=True) for never in unkept), *(Fact(refusal.sentence) for refusal in refusals(built))]
