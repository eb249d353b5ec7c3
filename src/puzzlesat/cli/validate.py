"""``puzzlesat validate``: everything that is wrong with a file, at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.terminal import console, say
from puzzlesat.cli.working import working
from puzzlesat.exchange.findings import check_file
from puzzlesat.solvers.run import STOPPED, EndedError, ended_words


def run_validate(files: Sequence[Path], bounds: Bounds, *, twice: bool = False) -> int:
    """Print what is wrong with each file, or that it is fine with the facts about its puzzle; return the exit status.

    With ``twice`` each puzzle is read by the second reader as well.
    """
    out = console()
    wrong = stopped = differs = False
    for file in files:
        try:
            with working(str(file), bounds) as (limits, told):
                checked = check_file(file, limits, told, twice=twice)
        except EndedError as ended:
            say(out, f"{file}: not known: {ended_words(ended)}", style="yellow", hang=4)
            stopped = True
            if ended.status == STOPPED:
                break
            continue
        wrong |= bool(checked.of("error"))
        differs |= bool(checked.of("difference"))
        if serious := [*checked.of("error"), *checked.of("difference")]:
            for finding in serious:
                say(out, str(finding), style="red", hang=4)
            continue
        one_puzzle = file.suffix == ".toml"  # files of other programs may hold several, of which one may have a solution
        unsolvable = one_puzzle and any(fact.impossible for fact in checked.facts)
        say(out, f"{file}: ok, but it has no solution" if unsolvable else f"{file}: ok")
        for note in (*(f"warning: {finding.message}" for finding in checked.of("warning")), *(fact.text for fact in checked.facts)):
            say(out, f"    {note}", style="dim", hang=6)
    return BAD_INPUT if wrong else FAILED if differs else STOPPED_EARLY if stopped else DONE
