"""The first answer of ``count`` on a terminal: the number as soon as it is known, and a line for each confirmation."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from puzzlesat.cli.terminal import say
from puzzlesat.counting.confirmation import CERTIFIED, NONE_CERTIFIED, number_words, reading_words
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.report import Disagreement, Report, Row
from puzzlesat.progress import Progress
from puzzlesat.puzzle.instance import Instance
from puzzlesat.recheck.twice import SecondReading
from puzzlesat.solvers.registry import lists
from puzzlesat.solvers.strategy import CERTIFICATE, Plan


def count_aloud(out: Console, instance: Instance, plan: Plan, told: Progress) -> Report:
    """Count an instance; on a terminal, print what is known of the count as soon as it is known. In a pipe, print nothing."""
    if not out.is_terminal:
        return count(instance, plan, told)
    return count(instance, plan, told, known=FirstAnswer(out, instance.name))


class FirstAnswer:
    """Prints what is new in each report that it is called with."""

    def __init__(self, out: Console, name: str) -> None:
        self.out, self.name = out, name
        self.rows: set[str] = set()
        """The solvers whose results were looked at."""
        self.twice: SecondReading | None = None
        self.wrong: tuple[Disagreement, ...] = ()

    def __call__(self, report: Report) -> None:
        """Print the number if it is the first report, and who has confirmed or contradicted it since the last one."""
        if not report.complete:
            return
        if not self.rows:
            self._say_number(report)
        for row in report.rows:
            if row.solver not in self.rows and (words := _confirms(row, report)) is not None:
                self._say_after(row.after, words)
            self.rows.add(row.solver)
        if report.twice is not None and report.twice != self.twice and report.twice.alike is not False:
            self._say_after(report.twice.after, reading_words(report.twice))
        self.twice = report.twice
        for wrong in report.disagreements[len(self.wrong) :]:
            self._say(Text(f"  {wrong.solver} contradicts the count: {wrong.what}", style="bold red"), hang=4)
        self.wrong = report.disagreements

    def _say_number(self, report: Report) -> None:
        first = report.rows[0]
        self.rows.add(first.solver)
        found = f"; {'found' if report.found else 'searched'} by {first.solver} in {first.seconds:.2f} s; checking …"
        self._say(Text(f"{self.name}: ").append(number_words(report), style="bold").append(found), hang=2)

    def _say_after(self, after: float | None, words: str) -> None:
        self._say(Text().append(f"  {after or 0.0:6.2f} s  ", style="dim").append(words), hang=12)

    def _say(self, line: Text, *, hang: int) -> None:
        """Print a line above the one that shows how far the work is: that one takes what is written to ``sys.stdout``, and nothing else."""
        with self.out.capture() as captured:
            say(self.out, line, hang=hang)
        print(captured.get(), end="", flush=True)


def _confirms(row: Row, report: Report) -> str | None:
    """How a solver confirms the count, in words; None where it confirms nothing."""
    if row.solver == CERTIFICATE:
        words = CERTIFIED if report.found else NONE_CERTIFIED
        return None if not row.confirms else f"{words} by a program proved sound" if row.proved_sound else words
    if row.all == 0:
        return f"{row.solver} found none either"
    if row.all is not None:
        every = lists(row.solver) and report.listed
        return f"{row.solver} found the same solutions" if every and row.independent else f"{row.solver} counted as many"
    if row.confirms and row.sampled is not None:
        return f"{row.solver} agrees on {row.sampled.checked:,} of {row.sampled.of:,} subproblems"
    return None
