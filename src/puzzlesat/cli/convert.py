"""``puzzlesat convert``: other people's files, and ours, from one into another."""

from __future__ import annotations

from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.output import stays
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.exchange.content import Which
from puzzlesat.exchange.converted import WrongSolutionsError, converted, target_of

MOST_WRONG = 10
"""Solutions that are none, of which the first so many are told."""


def run_convert(source: str, file: Path, which: Which, bounds: Bounds, *, distinct: bool) -> int:
    """Write what ``source`` holds to ``file`` in the format of its suffix; return the exit status."""
    target = target_of(file, None, distinct=distinct)
    with working(source, bounds) as (limits, told):
        try:
            found = converted(source, target, which, limits, told, distinct=distinct)
        except WrongSolutionsError as error:
            for problem in (*error.problems[:-1][:MOST_WRONG], error.problems[-1]):
                say_error(f"puzzlesat: {problem}")
            return FAILED
    if found.why is not None:
        say_error(f"puzzlesat: {found.why}")
        if not found.files:
            stays(file, stopped=True)
        return STOPPED_EARLY
    for sentence in found.sentences:
        say(console(), sentence)
    return DONE
