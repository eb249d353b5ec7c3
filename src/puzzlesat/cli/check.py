"""``puzzlesat check``: every instance with an [expect], one line each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from puzzlesat.cli.count_each import count_each, loaded, status_of
from puzzlesat.cli.exit_status import DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.switches import Switches
from puzzlesat.cli.terminal import say, say_error
from puzzlesat.config.package import instance_files
from puzzlesat.config.schema import ExpectTable, InstanceFile
from puzzlesat.counting.confirmation import first_sentence
from puzzlesat.counting.report import Report, Unbegun
from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, refutations, verdicts
from puzzlesat.counting.words import refutation_words, verdict_words
from puzzlesat.formats.puzzles import puzzle_files, tables_in
from puzzlesat.puzzle.instance import Instance
from puzzlesat.puzzle.load import make_instance


def run_check(paths: Sequence[str], switches: Switches, *, as_json: bool) -> int:
    """Check each instance that expects something; return the exit status."""
    found = [one for path in _files(paths) for one in tables_in(path)]
    if all(table.expect == ExpectTable() for _, table, _ in found):
        say_error("puzzlesat: nothing to check: none of these says which counts it expects; 'puzzlesat count' counts them")
    puzzles = (
        puzzle
        for name, table, path in found
        if table.expect != ExpectTable()
        for puzzle in loaded(partial(_made, table, path, name), switches.bounds)
    )
    return count_each(puzzles, switches, as_json, _print_lines)


def _made(table: InstanceFile, path: Path, name: str) -> list[Instance]:
    return [make_instance(table, path, name)]


def _files(paths: Sequence[str]) -> list[Path]:
    """The instance files that the arguments name: files, folders, or names."""
    return [file for path in paths for file in puzzle_files(path)] if paths else instance_files()


def _print_lines(out: Console, report: Report | Unbegun) -> None:
    """Print one line for the instance, and one more for each published count that it refutes."""
    if isinstance(report, Unbegun):
        line = Text("stopped", style="yellow") + Text(f"  {report.instance.name}", style="bold") + Text(f"  {first_sentence(report)}")
        say(out, line, hang=9)
        return
    judged, claims = verdicts(report), refutations(report)
    words = {
        DONE: ("ok     ", "green"),
        FAILED: ("FAILED ", "bold red"),
        STOPPED_EARLY: ("stopped", "yellow"),
    }
    status = status_of(report)
    refuted = status == DONE and any(c.word == REFUTED for c in claims)
    word, style = ("refuted", "magenta") if refuted else words[status]
    bad = [verdict_words(v) for v in judged if v.fails] + [d.what for d in report.disagreements]
    bad += [refutation_words(c) for c in claims if c.fails]
    right = [f"{v.what} {v.got:,}" for v in judged if v.word == CONFIRMED and isinstance(v.got, int) and "placements" not in v.what]
    good = ", ".join(right + [verdict_words(v) for v in judged if v.word == ELSEWHERE])
    by = ", ".join(
        _said_by(
            row.solver,
            whole=row.all is not None,
            checked=row.sampled.checked if row.sampled else 0,
            of=row.sampled.of if row.sampled else 0,
        )
        for row in report.rows
    )
    line = Text(word, style=style) + Text(f"  {report.instance.name}", style="bold") + Text(f"  {first_sentence(report)}")
    line += Text("".join(f"; {said}" for said in bad or [good] if said))
    line += Text(f"  [{by}; {sum(r.seconds for r in report.rows):.1f} s]", style="dim")
    say(out, line, hang=9)
    for claim in claims:
        if not claim.fails:
            say(out, f"         {refutation_words(claim)}", style="magenta", hang=9)


def _said_by(solver: str, *, whole: bool, checked: int, of: int) -> str:
    return solver if whole else f"{solver} {checked}/{of}" if of else f"{solver} not finished"
