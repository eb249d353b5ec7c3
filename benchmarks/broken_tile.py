"""Measure the effect of the tile chosen for symmetry breaking on the number of nodes of the backtracker.

    python benchmarks/broken_tile.py                     # all puzzles of the package whose search has 2 to 20 million nodes
    python benchmarks/broken_tile.py octogram bedlam     # the named puzzles, of any size

For each puzzle: the nodes of the search if the tile with the most placements breaks the symmetry (the old rule), for the chosen tile, and
for the best tile. Nodes do not depend on the machine or on its load.
"""

from __future__ import annotations

import argparse
from math import exp, log

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.base.package import data_folder
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.problem import CoverProblem
from puzzlesat.puzzles.reductions import reduce
from puzzlesat.solvers import backtrack
from puzzlesat.solvers.tile_choice import item_to_break

FEWEST, MOST = 2_000_000, 20_000_000
MAX_PLACEMENTS = 20_000


def nodes_by(problem: CoverProblem, tile: str, most: float) -> int | None:
    """Return the nodes of the search if a tile breaks the symmetry; None if there are more than ``most``."""
    reduced = reduce(problem, break_on=tile).problem
    layout, start = backtrack.LAID[backtrack.fitting(reduced, Limits(cores=1))](reduced, Limits(cores=1), backtrack.SILENT)
    nodes = 0
    for turn in backtrack.turns(layout, start(reduced.forced), listing=False, most_found=None, cores=1):
        nodes += int(turn.work[backtrack.kernel.NODES])
        if turn.last or nodes > most:
            break
    return nodes if nodes <= most else None


def row(name: str, least: float, most: float) -> tuple[int, int, int] | None:
    """Print and return the nodes with the old rule, with the chosen tile, and with the best tile. Return None if the search is too short or
    too long, or if there is no choice."""
    problem = build_instance(puzzlesat.load(name)).problem
    by_rule = problem.choose_item() if problem.size <= MAX_PLACEMENTS else None
    if by_rule is None or (before := nodes_by(problem, rule := problem.items[by_rule], most)) is None or before < least:
        return None
    by = {rule: before}
    for tile in problem.breaking_tiles():
        if (nodes := nodes_by(problem, problem.items[tile], max(by.values()))) is not None:
            by[problem.items[tile]] = nodes
    chosen, best = item_to_break(problem), min(by, key=lambda tile: by[tile])
    assert chosen is not None
    now = by[chosen] if chosen in by else nodes_by(problem, chosen, 100 * before)
    assert now is not None
    print(f"| {name} | {rule} | {before:,} | {chosen} | {now:,} | {best} | {by[best]:,} | {before / max(now, 1):.2f} |", flush=True)
    return before, now, by[best]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*")
    names = parser.parse_args().puzzles
    within = (0, float("inf")) if names else (FEWEST, MOST)
    print("| puzzle | rule | nodes | chosen | nodes | best | nodes | fewer |")
    print("| --- | --- | ---: | --- | ---: | --- | ---: | ---: |")
    everything = sorted(path.stem for path in data_folder("instances").rglob("*.toml"))
    rows = [found for name in names or everything if (found := row(name, *within)) is not None]
    if rows:
        now, best = (exp(sum(log(one[0] / max(one[place], 1)) for one in rows) / len(rows)) for place in (1, 2))
        worse = sum(after > before for before, after, _ in rows)
        print(f"\n{len(rows)} searches, {worse} longer than before; times fewer nodes, geometric mean: {now:.2f}, at best {best:.2f}")


if __name__ == "__main__":
    main()
