"""Random puzzles with a position: some placements that do not overlap, and the truth by plain enumeration."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, note, settings
from hypothesis import strategies as st

from brute_force import TooMuch, judge
from helpers import body, load
from puzzlesat.base.errors import PuzzleError
from puzzlesat.playing.position import Position, checked_position
from puzzlesat.puzzles.building import build_instance
from strategies import puzzles, to_toml

FEWER = settings(max_examples=max(1, settings.default.max_examples // 4))


@dataclass(frozen=True)
class Case:
    """A position, and all solutions of its puzzle as sets of placement numbers, from the judge."""

    position: Position
    solutions: list[frozenset[int]]

    def containing(self, options):
        """Count the solutions that contain these placements."""
        return sum(s.issuperset(options) for s in self.solutions)


def judged_solutions(table, built):
    """The judge's solutions as the program's placement numbers."""
    try:
        judged = judge(table)
    except TooMuch:
        assume(False)
    piece = {name: i for i, p in enumerate(judged.pieces) for name in p.names}
    number = {(piece[built.puzzle.tiles[p.tile].name], *body(built.puzzle.grid, p)): o for o, p in enumerate(built.placements)}
    return [frozenset(number[p] for p in s) for s in judged.solutions]


@st.composite
def cases(draw, wrong=False):
    """A random puzzle and a position: a part of a solution with ``wrong`` placements added, or any placements that do not overlap."""
    table = draw(puzzles(ruled=True))
    note(to_toml(table))
    built = build_instance(load(table))
    assume(built.placements)
    solutions = judged_solutions(table, built)
    wanted = []
    if solutions and draw(st.booleans()):
        solution = sorted(sorted(map(sorted, solutions))[draw(st.integers(0, len(solutions) - 1))])
        wanted = [o for o in solution if draw(st.booleans())]
    if wrong or not wanted:
        wanted += draw(st.lists(st.integers(0, len(built.placements) - 1), max_size=6))
    wanted = draw(st.permutations(wanted))
    placed = []
    for option in wanted:
        try:
            checked_position(built, [*placed, option])
        except PuzzleError:
            continue
        placed.append(option)
    position = checked_position(built, placed, ordered=True)
    note(f"placed: {position.names(placed)}")
    return Case(position, solutions)
