"""``puzzlesat validate``: everything that is wrong with a file, at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from puzzlesat.cli.terminal import console
from puzzlesat.config.library import find_grid
from puzzlesat.config.read import kind_of, read_model
from puzzlesat.cover.build import build
from puzzlesat.errors import PuzzleError
from puzzlesat.facts import facts
from puzzlesat.formats.foreign import is_foreign
from puzzlesat.formats.puzzles import puzzles_in
from puzzlesat.puzzle.grids import check_polyforms, load_grid
from puzzlesat.puzzle.load import model_tiles


def run_validate(files: Sequence[Path]) -> int:
    """Print what is wrong with each file, or that it is fine with the facts about its puzzle; 2 if any is wrong."""
    out = console()
    wrong = False
    for file in files:
        try:
            notes = _validate(file)
        except PuzzleError as error:
            wrong = True
            for problem in error.problems:
                out.print(Text(problem if problem.startswith(str(file)) else f"{file}: {problem}", style="red"), soft_wrap=True)
            continue
        out.print(Text(f"{file}: ok") + Text("".join(f"\n    {n}" for n in notes), style="dim"), soft_wrap=True)
    return 2 if wrong else 0


def _validate(file: Path) -> list[str]:
    """Go as far with a file as it goes: a grid to its symmetries, a model to its tiles, an instance to its cover problem."""
    kind = "instance" if is_foreign(file) else kind_of(file)
    if kind == "grid":
        grid = load_grid(file)
        check_polyforms(grid)
        return [f"grid of {len(grid.atoms)} atoms a cell, {len(grid.symmetries)} symmetries"]
    if kind == "model":
        model = read_model(file)
        tiles = model_tiles(load_grid(find_grid(model.grid, file)), model, file)
        return [f"model of {len(tiles)} tiles on grid {model.grid!r}"]
    puzzles = puzzles_in(file)
    return [f"{p.name}: {f.text}" if len(puzzles) > 1 else f.text for p in puzzles for f in facts(build(p))]
