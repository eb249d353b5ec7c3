"""``puzzlesat.run``: run a study of many puzzles."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from puzzlesat.api import checked
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
"""The path in messages about a study that comes from no file."""


@dataclass(frozen=True, repr=False)
class Ran:
    """The results of a study."""

    rows: tuple[Row, ...]
    """One row for each puzzle, with its ``verdict``, its counts and how they were obtained."""
    end: End
    """How the run ended; ``sentences`` has its warnings."""
    store: Path
    """The file of all results."""
    why: str | None
    """Why not everything is known that the study asks, in a sentence; None if it is."""
    seconds: float = 0.0
    """How long the call took."""

    @property
    def complete(self) -> bool:
        """Whether everything is known that the study asks."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: how many puzzles can be solved, how many cannot, and how many are left."""
        return summary(self.rows)

    def __repr__(self) -> str:
        return f"<Ran {self.store.name}: {self.sentence}>"

    def to_pandas(self) -> DataFrame:
        """Return a table, one row a puzzle, with the columns of the CSV file that ``puzzlesat runs --export`` writes."""
        from pandas import DataFrame

        return DataFrame([row_cells(row) for row in self.rows], columns=list(COLUMNS))


@checked
def run(
    study: Study | str | Path | Mapping[str, Any],
    store: str | Path | None = None,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    share: str | None = None,
    audit: float | None = None,
) -> Ran:
    r"""Run a study, or resume it. You can stop it at any time; the next run goes on where it stopped.

    Parameters
    ----------
    study
        The file of a study, which names puzzles and what to find out about them. Or its text, of several lines, or its tables as a
        dictionary; files that it names are then looked for in the current folder. Or a study that ``puzzlesat.runs.study`` read.
    store
        The SQLite file for all results; what it has already is not worked out again. Default: the file of the study with the suffix
        ``.sqlite``; if there is no file, one with the name of the study.
    jobs
        How many processes work at the same time. Default: one for each core.
    dask
        The address of a Dask scheduler whose workers compute, such as ``tcp://192.0.2.1:8786``.
    share
        Take only every N-th puzzle, from the I-th on: ``"I/N"``.
    audit
        The share of the units, 0 to 1, that other processes work out again. Default: the value of the study, or else 1. With less than 1
        nothing is confirmed.

    Returns
    -------
    Ran
        ``rows`` has one row for each puzzle; ``to_pandas`` makes a table. ``sentence`` sums up. If something is missing that the study
        asks, ``complete`` is False and ``why`` tells what.

    Raises
    ------
    PuzzleError
        If the study or the store is wrong; ``problems`` has one sentence for each error.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "small.toml"
    ...     text = 'name = "Small"\n[[puzzles]]\nfrom = ["dominoes-4x4"]\n[[steps]]\nfind = "count"\nseconds = 60\n'
    ...     _ = file.write_text(text, encoding="utf-8")
    ...     ran = puzzlesat.run(file, jobs=1)
    >>> ran.complete, [(row.puzzle, row.all, row.distinct) for row in ran.rows]
    (True, [('dominoes-4x4', 36, 9)])
    >>> tables = {"name": "Small", "puzzles": [{"from": ["dominoes-4x4", "dominoes-6x6"]}], "steps": [{"find": "count"}]}
    >>> with TemporaryDirectory() as folder:
    ...     puzzlesat.run(tables, Path(folder) / "small.sqlite", jobs=1)
    <Ran small.sqlite: 2 puzzles: 2 solvable, 2 of them counted.>

    """
    began = monotonic()
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
    return Ran(rows, end, target, "; ".join([*said, *filter(None, [unknown])]) or None, monotonic() - began)


def _study(given: Study | str | Path | Mapping[str, Any]) -> tuple[Study, Path]:
    """The study that is meant, and the file for its store where nobody names one."""
    if isinstance(given, Study):
        return given, Path(f"{file_stem(given.name)}.sqlite")
    if (table := table_given(given)) is not None:
        return _study(without_file(lambda: study_from(table, NO_STUDY), NO_STUDY))
    assert isinstance(given, str | Path)
    return read_study(Path(given)), Path(given).with_suffix(".sqlite")
