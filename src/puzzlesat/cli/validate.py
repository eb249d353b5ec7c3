"""``puzzlesat validate``: everything that is wrong with a file, at once."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.terminal import console, say
from puzzlesat.cli.working import working
from puzzlesat.exchange.findings import Checked, check_file
from puzzlesat.solvers.run import STOPPED, EndedError, ended_words


def run_validate(files: Sequence[Path], bounds: Bounds, *, twice: bool = False, as_json: bool = False) -> int:
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
            if as_json:
                _print_json(file, ended_words(ended))
            else:
                say(out, f"{file}: not known: {ended_words(ended)}", style="yellow", hang=4)
            stopped = True
            if ended.status == STOPPED:
                break
            continue
        wrong |= bool(checked.of("error"))
        differs |= bool(checked.of("difference"))
        if as_json:
            _print_json(file, None, checked)
            continue
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


def _print_json(file: Path, why: str | None, checked: Checked = Checked(())) -> None:  # noqa: B008 - it is frozen
    """Print an object for a file: what was found in it, and facts about its puzzles."""
    found = [{"key": one.key, "message": one.message, "severity": one.severity} for one in checked.findings]
    said = [{"fact": fact.text, "impossible": fact.impossible} for fact in checked.facts]
    good = None if why is not None else not (checked.of("error") or checked.of("difference"))
    print(
        jsonlib.dumps(
            {"file": str(file), "complete": why is None, "why": why, "ok": good, "findings": found, "facts": said}, ensure_ascii=False
        )
    )
