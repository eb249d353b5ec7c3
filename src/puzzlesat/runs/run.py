"""Running a study: its store is opened, what is new is added, and all that is left is done by whoever there is to do it."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from threading import Event

from puzzlesat.progress import SILENT, Progress
from puzzlesat.runs import coordinator
from puzzlesat.runs.coordinator import End
from puzzlesat.runs.executors import OfExecutor, Processes, Workers
from puzzlesat.runs.opening import open_store
from puzzlesat.runs.study import Study, read_study
from puzzlesat.solvers.machine import all_cores


def run_study(
    study: Study | Path | str,
    store: Path | str | None = None,
    *,
    executor: Executor | Workers | None = None,
    jobs: int | None = None,
    stop: Event | None = None,
    progress: Progress = SILENT,
) -> End:
    """Do all of a study that is left, and return how far it is; its answers are in the store, a file named like the study's if not said.

    The work is done by so many processes of this machine (``jobs``; by default as many as there are cores), or by an executor such as
    those of ``concurrent.futures``. Raises PuzzleError for what is wrong with the study, or with the file of the store.
    """
    path = None if isinstance(study, Study) else Path(study)
    if path is not None:
        study = read_study(path)
    assert isinstance(study, Study)
    file = Path(store) if store is not None else (path or Path(study.name)).with_suffix(".sqlite")
    with open_store(file, study.heading) as opened:
        study.add_to(opened)
        return coordinator.run(opened, _workers(executor, jobs), stop=stop, progress=progress)


def _workers(executor: Executor | Workers | None, jobs: int | None) -> Workers:
    """Whoever does the work."""
    if executor is None:
        return Processes(jobs or all_cores())
    return OfExecutor(executor, jobs) if isinstance(executor, Executor) else executor
