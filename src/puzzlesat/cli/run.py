"""``puzzlesat run``: what a study asks is found out, of all its puzzles, until it is done or somebody ends it."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.share import with_share
from puzzlesat.cli.terminal import console, folds, progress, say, say_error, stoppable
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import check_apart, check_output
from puzzlesat.progress import Progress
from puzzlesat.runs.coordinator import End
from puzzlesat.runs.dask import check_workers, cluster
from puzzlesat.runs.export import in_short, summary, wrong_claims
from puzzlesat.runs.opening import open_to_read
from puzzlesat.runs.run import run_study
from puzzlesat.runs.steps import CONTRADICTION, COUNT, IMPOSSIBLE, NOT_DECIDED, SOLVABLE
from puzzlesat.runs.store import Reader
from puzzlesat.runs.study import Study, read_study, share_of
from puzzlesat.runs.table import IN_DISPUTE, Row, done_before, finished, name_of, row_as_json, row_of, table, why_open

STYLES = {SOLVABLE: "green", IMPOSSIBLE: "magenta", NOT_DECIDED: "yellow", CONTRADICTION: "bold red", IN_DISPUTE: "bold red"}
AT_WORK = "at work"
"""What is said to be done, where the run itself says nothing else."""
WIDEST_NAME = 40
"""Columns for the names of puzzles."""


def run_study_file(
    file: Path, store: Path | None, *, jobs: int | None, dask: str | None, share: str | None, audit: float | None, as_json: bool
) -> int:
    """Do what is left of a study and say what became of each puzzle as soon as it is known; return the exit status."""
    check_workers(jobs, dask)
    target = file.with_suffix(".sqlite") if store is None else store
    with progress(f"reading {file.name}"):
        study = read_study(file) if share is None else share_of(read_study(file), share)
        study = study if audit is None else replace(study, audit=audit)
    check_output(target)
    check_apart(file, target)
    out = console()
    with ExitStack() as stack:
        executor = None if dask is None else stack.enter_context(cluster(dask))
        stop = stack.enter_context(stoppable())
        told = stack.enter_context(progress(study.name))
        telling = _Telling(study, target, out, told, as_json=as_json)
        stack.callback(telling.close)
        end = run_study(study, target, executor=executor, jobs=jobs, stop=stop, progress=Progress(telling.heard))
        telling.say_finished()
    with open_to_read(target) as done:
        return _ending(out, study, target, list(table(done)), end, as_json=as_json)


class _Telling:
    """Says what became of each puzzle as soon as nothing of it is left: it reads the store beside the coordinator, who writes it."""

    def __init__(self, study: Study, target: Path, out: Console, told: Progress, *, as_json: bool) -> None:
        self.target, self.out, self.told, self.as_json = target, out, told, as_json
        self.width = min(WIDEST_NAME, max((len(name_of(subject)) for subject in study.subjects), default=0))
        self._stack = ExitStack()
        self._reader: Reader | None = None
        self._shared = told
        """Tells the same with the share that is done, as soon as there is a store to ask."""
        self.since, known = 0, 0
        with suppress(PuzzleError), open_to_read(target) as before:  # what is wrong with it is said when it is opened to be written
            self.since, known = done_before(before)
        already = f", {known:,} of them done already" if known else ""
        say_error(f"{study.name}: {many(len(study.subjects), 'puzzle')}{already}; results are kept in {target}")

    def heard(self, what: str, work: Mapping[str, int]) -> None:
        """Say what is finished, and how far it is."""
        self.say_finished()
        self._shared.of(what or AT_WORK)(work)

    def say_finished(self) -> None:
        """Print a line for each puzzle that was finished since the last time."""
        if self._reader is None:
            self._reader = self._stack.enter_context(open_to_read(self.target))
            self._shared = with_share(self.told, self._reader)
        self.since, numbers = finished(self._reader, self.since)
        for number in numbers:
            row = row_of(self._reader, number, self._reader.subject(number))
            if self.as_json:
                print(jsonlib.dumps(row_as_json(row), ensure_ascii=False), flush=True)
            else:
                _print_line(self.out, row, self.width)

    def close(self) -> None:
        """Read no more."""
        self._stack.close()


def _print_line(out: Console, row: Row, width: int) -> None:
    """One puzzle: its name, the verdict, and what there is to say of it."""
    said = in_short(row) + "".join(f"; {wrong}" for wrong in wrong_claims(row))
    line = Text(f"{row.puzzle:<{width}}  ", style="bold") + Text(f"{row.verdict:<13}", style=STYLES.get(row.verdict, ""))
    line += Text(f"{said:<34}") + Text(f"{row.cpu:8.2f} s", style="dim")
    if folds(out) and line.cell_len > out.width:
        say(out, f"{row.puzzle}  {row.verdict}  {said}  {row.cpu:.2f} s", hang=4)
    else:
        out.print(line, soft_wrap=True)


def _ending(out: Console, study: Study, target: Path, rows: Sequence[Row], end: End, *, as_json: bool) -> int:
    """Say what came of all of it, and how to go on; return the exit status."""
    if not as_json:
        say(out, summary(rows), style="bold")
    for sentence in end.sentences:
        say_error(f"puzzlesat: {sentence}")
    if not as_json:
        say(out, f"'puzzlesat runs {target}' shows more; --export FILE.html writes a table with pictures", style="dim")
    if any(row.fails or row.verdict in (CONTRADICTION, IN_DISPUTE) for row in rows):
        return FAILED
    to_count = any(step.find == COUNT for step in study.steps)
    return DONE if end.complete and why_open(rows, count=to_count) is None else STOPPED_EARLY
