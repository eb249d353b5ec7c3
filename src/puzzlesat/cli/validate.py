"""``puzzlesat validate``: everything that is wrong with a file, at once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.terminal import console, say
from puzzlesat.cli.working import working
from puzzlesat.config.read import kind_of, read_model, read_table
from puzzlesat.config.schema import name_of_grid
from puzzlesat.counting.confirmation import reading_words
from puzzlesat.counting.facts import facts
from puzzlesat.cover.instance import BuiltInstance, build_instance, problems_in
from puzzlesat.errors import PuzzleError, PuzzleWarning, listed, many
from puzzlesat.formats.foreign import is_foreign
from puzzlesat.formats.puzzles import instances_in, raw_tables_in
from puzzlesat.progress import Progress
from puzzlesat.puzzle.grids import check_example, check_polyforms, load_grid
from puzzlesat.puzzle.load import grid_of, model_tiles, problems_of_names
from puzzlesat.recheck.twice import read_twice
from puzzlesat.runs.study import read_study
from puzzlesat.solvers.run import STOPPED, EndedError, Limits, ended_words


def run_validate(files: Sequence[Path], bounds: Bounds, *, twice: bool = False) -> int:
    """Print what is wrong with each file, or that it is fine with the facts about its puzzle; return the exit status.

    With ``twice`` each puzzle is read by the second reader as well.
    """
    out = console()
    wrong = stopped = differs = False
    for file in files:
        try:
            with warnings.catch_warnings(record=True) as odd, working(str(file), bounds) as (limits, told):
                warnings.simplefilter("always", PuzzleWarning)
                notes = _validate(file, limits, told, twice=twice)
            notes = [f"warning: {str(w.message).removeprefix(f'{file}: ')}" for w in odd if w.category is PuzzleWarning] + notes
        except _DifferentError as error:
            differs = True
            for difference in error.args:
                say(out, f"{file}: two readings of the file differ: {difference}", style="red", hang=4)
            continue
        except PuzzleError as error:
            wrong = True
            for problem in error.problems:
                say(out, problem if problem.startswith(str(file)) else f"{file}: {problem}", style="red", hang=4)
            continue
        except EndedError as ended:
            say(out, f"{file}: not known: {ended_words(ended)}", style="yellow", hang=4)
            stopped = True
            if ended.status == STOPPED:
                break
            continue
        say(out, f"{file}: ok")
        for note in notes:
            say(out, f"    {note}", style="dim", hang=6)
    return BAD_INPUT if wrong else FAILED if differs else STOPPED_EARLY if stopped else DONE


class _DifferentError(Exception):
    """The second reader reads something else: a sentence for each difference."""


def _validate(file: Path, limits: Limits, told: Progress, *, twice: bool) -> list[str]:
    """Go as far with a file as it goes.

    A grid to its symmetries, a model to its tiles, an instance to its cover problem, a study to its puzzles.
    """
    kind = "instance" if is_foreign(file) else kind_of(file)
    if kind == "grid":
        grid = load_grid(file)
        check_polyforms(grid)
        check_example(grid, file)
        return [f"grid of {many(len(grid.atoms), 'atom')} a cell, {many(len(grid.symmetries), 'symmetry', 'symmetries')}"]
    if kind == "model":
        try:
            model = read_model(file)
        except PuzzleError as error:
            raise PuzzleError(*error.problems, *problems_of_names(read_table(file), file)) from None
        tiles = model_tiles(grid_of(model.grid, file), model, file)
        return [f"model of {many(len(tiles), 'tile')} on grid {name_of_grid(model.grid)!r}"]
    if kind == "study":
        study = read_study(file)
        return [f"study of {many(len(study.subjects), 'puzzle')}: {listed(step.find for step in study.steps)}"]
    try:
        instances = instances_in(file)
        found = []
        for instance in instances:
            built = build_instance(instance, progress=told, memory=limits.memory)
            found += [(instance.name, fact.text) for fact in facts(built)]
            if twice:
                found += [(instance.name, _read_again(built, told))]
    except PuzzleError as error:
        wrong = [problems_in(table, path, name, progress=told, memory=limits.memory) for name, table, path in raw_tables_in(file)]
        raise PuzzleError(*dict.fromkeys([*error.problems, *chain(*wrong)])) from None
    told.of("facts")({})
    return [f"{name}: {text}" if len(instances) > 1 else text for name, text in found]


def _read_again(built: BuiltInstance, told: Progress) -> str:
    """Say how a puzzle was read twice. Raises _DifferentError where the readers differ."""
    reading = read_twice(built, told)
    if reading.differences:
        raise _DifferentError(*(f"{built.instance.name}: {difference}" for difference in reading.differences))
    return reading_words(reading)
