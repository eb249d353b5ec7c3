"""``puzzlesat.run``: what a study asks is found out, of all its puzzles."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlesat.formats.puzzles import table_given, without_file
from puzzlesat.runs.asked_forms import file_stem
from puzzlesat.runs.coordinator import End
from puzzlesat.runs.dask import check_workers, cluster
from puzzlesat.runs.export import COLUMNS, row_cells, summary
from puzzlesat.runs.opening import open_to_read
from puzzlesat.runs.run import run_study
from puzzlesat.runs.steps import COUNT
from puzzlesat.runs.study import Study, read_study, share_of, study_from
from puzzlesat.runs.table import Row, table, why_open

if TYPE_CHECKING:
    from pandas import DataFrame

NO_STUDY = Path("study")
"""Stands for the file of a study that comes from none."""


@dataclass(frozen=True, repr=False)
class Ran:
    """What a study has come to."""

    rows: tuple[Row, ...]
    """A row a puzzle, with its ``verdict``, its counts and how they were obtained."""
    end: End
    """How the run ended, and in ``sentences`` what must be said of it."""
    store: Path
    """The file that holds it all."""
    why: str | None
    """Why not all is known that the study asks, in a sentence; None where it is."""

    @property
    def complete(self) -> bool:
        """Whether all is known that the study asks."""
        return self.why is None

    def __repr__(self) -> str:
        return f"<Ran {self.store.name}: {summary(self.rows)}>"

    def to_pandas(self) -> DataFrame:
        """Return a row a puzzle, with the columns of the CSV file that ``puzzlesat runs --export`` writes."""
        from pandas import DataFrame

        return DataFrame([row_cells(row) for row in self.rows], columns=list(COLUMNS))


def run(
    study: Study | str | Path | Mapping[str, Any],
    store: str | Path | None = None,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    share: str | None = None,
    audit: float | None = None,
) -> Ran:
    r"""Find out what a study asks, of all its puzzles; what was ended at any moment goes on where it was.

    Parameters
    ----------
    study
        The file of a study: what is to be found out, of which puzzles. Or what such a file says, as text of several lines or as tables; the
        files that it names are then those of the folder where the program runs. Or a study as ``puzzlesat.runs.study`` reads it.
    store
        The file for everything that is found out; what it holds is not done again. Default: the study's, with the suffix
        ``.sqlite``; without such a file, one that is named like the study.
    jobs
        Processes at work at the same time. Default: as many as there are cores.
    dask
        The address of a Dask scheduler, whose workers do the work, such as ``tcp://192.0.2.1:8786``.
    share
        Do only every N-th puzzle, from the I-th on: ``"I/N"``.
    audit
        The share of the units that other processes do again, 0 to 1. Default: what the study says, else all. With less nothing is
        confirmed.

    Returns
    -------
    Ran
        Its ``rows``, a row a puzzle; ``to_pandas`` makes a table of them. It is ``complete`` where all is known that the study asks; else
        ``why`` says what is not.

    Raises
    ------
    PuzzleError
        With everything that is wrong with the study, or with the store.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "small.toml"
    ...     said = 'name = "Small"\n[[puzzles]]\nfrom = ["dominoes-4x4"]\n[[steps]]\nfind = "count"\nseconds = 60\n'
    ...     _ = file.write_text(said, encoding="utf-8")
    ...     ran = puzzlesat.run(file, jobs=1)
    >>> ran.complete, [(row.puzzle, row.all, row.distinct) for row in ran.rows]
    (True, [('dominoes-4x4', 36, 9)])
    >>> said = {"name": "Small", "puzzles": [{"from": ["dominoes-4x4", "dominoes-6x6"]}], "steps": [{"find": "count"}]}
    >>> with TemporaryDirectory() as folder:
    ...     puzzlesat.run(said, Path(folder) / "small.sqlite", jobs=1)
    <Ran small.sqlite: 2 puzzles: 2 solvable, 2 of them counted.>

    """
    check_workers(jobs, dask)
    asked, beside = _study(study)
    target = beside if store is None else Path(store)
    asked = asked if share is None else share_of(asked, share)
    asked = asked if audit is None else replace(asked, audit=audit)
    with ExitStack() as stack:
        executor = None if dask is None else stack.enter_context(cluster(dask))
        end = run_study(asked, target, executor=executor, jobs=jobs)
    with open_to_read(target) as done:
        rows = tuple(table(done))
    unknown = why_open(rows, count=any(step.find == COUNT for step in asked.steps))
    said = [] if end.complete else end.sentences or ["units are left"]
    return Ran(rows, end, target, "; ".join([*said, *filter(None, [unknown])]) or None)


def _study(given: Study | str | Path | Mapping[str, Any]) -> tuple[Study, Path]:
    """The study that is meant, and the file for its store where nobody names one."""
    if isinstance(given, Study):
        return given, Path(f"{file_stem(given.name)}.sqlite")
    if (table := table_given(given)) is not None:
        return _study(without_file(lambda: study_from(table, NO_STUDY), NO_STUDY))
    assert isinstance(given, str | Path)
    return read_study(Path(given)), Path(given).with_suffix(".sqlite")
