"""``puzzlesat design`` of pieces with free cells: which sets of pieces fill the form, and which of them come apart."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path

from rich.console import Console

from puzzlesat.burrs.familyrun import DesignedSets, designed_sets, puzzle_of_set
from puzzlesat.burrs.piecesfile import PiecesFile
from puzzlesat.burrs.run import Asked
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import status_after
from puzzlesat.cli.output import stays
from puzzlesat.cli.terminal import console, print_table, say, say_error, stoppable
from puzzlesat.cli.working import working
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import write_text
from puzzlesat.formats.toml import instance_text
from puzzlesat.solvers.machine import all_cores

WORDS = {
    "choices": "choices",
    "sets": "sets of pieces",
    "assemblies": "assemblies",
    "once": "sets with one assembly",
    "apart": "assemblies that come apart",
}
"""What the figures of such a design are called."""


def run_sets(file: PiecesFile, name: str, asked: Asked, best: Path | None, *, jobs: int | None, bounds: Bounds, as_json: bool) -> int:
    """Find the sets of pieces that fill the form, and say what was found; return the exit status."""
    for option, given in (("--sample", asked.sample is not None), ("--part", asked.part != (1, 1))):
        if given:
            raise PuzzleError(f"{option} is for designs of rods; remove it")
    if asked.file is not None and not asked.apart:
        raise PuzzleError("--output is for assemblies that are taken apart; add --apart")
    out, known = console(), None
    with stoppable() as stop, working(name, bounds, stop=stop) as (limits, told):
        for step in designed_sets(file, asked, jobs or all_cores(), limits, progress=told):
            if not as_json:
                _tell(out, known, step)
            known = step
    assert known is not None
    if as_json:
        print(jsonlib.dumps(known.record, ensure_ascii=False))
    if best is not None and not stays(best, stopped=stop.is_set()):
        _write(known, best, as_json=as_json)
    if known.why is not None:
        more = f"; run the same command again to resume from {asked.file}" if asked.file is not None else ""
        say_error(f"puzzlesat: {known.why}{more}")
    return status_after(bool(known.differences), known.complete)


def _write(known: DesignedSets, file: Path, *, as_json: bool) -> None:
    """Write the best set of pieces as a puzzle."""
    if known.best is None:
        say_error(f"puzzlesat: {file} is not written: {'nothing comes apart' if known.sets else 'no set of pieces fills the form'}")
        return
    write_text(file, instance_text(puzzle_of_set(known, known.best)))
    if not as_json:
        print(f"puzzle: {file}")


def _tell(out: Console, before: DesignedSets | None, now: DesignedSets) -> None:
    """Say what is new."""
    if before is None:
        say(out, now.sentence if now.complete else now.sentence.split("; not complete")[0], style="bold", hang=2)
        many_choices = many(now.family.choices, "choice")
        of_all = many_choices if now.searched == now.family.choices else f"{now.searched:,} of {many_choices}"
        say(out, f"{of_all} of the shapes of the pieces; {many(now.assemblies, 'assembly', 'assemblies')} ({now.all:,} in all)")
        if now.asked.apart:
            _tell_levels(out, now)
        _tell_published(out, now)
        _tell_best(out, now)
    elif now.confirmed:
        what = f"the assemblies of {many(now.confirmed, 'set')} were counted once more, by another solver"
        say(out, f"confirmed: {what}", style="dim", hang=2)


def _tell_levels(out: Console, now: DesignedSets) -> None:
    number = len(now.taken)
    say(out, f"{now.apart:,} of {many(number, 'assembly', 'assemblies')} {'comes' if now.apart == 1 else 'come'} apart", style="bold")
    if now.levels:
        width = max(len(f"{found:,}") for found in now.levels.values())
        print_table(out, ["level", "assemblies"], [[level, f"{found:,}".rjust(width)] for level, found in now.levels.items()])
    checked = sum(one.checked for one in now.taken)
    how = "independent code replayed the moves, and searched again where pieces hold each other"
    say(out, f"checked: {how}" if checked == number else f"checked: {checked:,} of {number:,} ({how})", style="dim", hang=2)


def _tell_published(out: Console, now: DesignedSets) -> None:
    source = now.file.expect.source
    if now.agreeing:
        say(out, f"as published: {', '.join(f'{WORDS[key]} {found:,}' for key, found in now.agreeing.items())} ({source})", hang=2)
    for key, (published, found) in now.differences.items():
        say(out, f"{WORDS[key]}: published {published:,}, found {found:,} ({source})", style="bold", hang=2)


def _tell_best(out: Console, now: DesignedSets) -> None:
    """List the best sets."""
    if not now.shown:
        return
    names = [" ".join(now.names(one.shapes)) for one in now.shown]
    each = zip(now.shown, names, strict=True)
    if now.asked.apart:
        rows = [
            [one.best.level if one.best and one.best.level else "", f"{one.assemblies:,}", f"{one.apart:,}", name] for one, name in each
        ]
        print_table(out, ["level", "assemblies", "come apart", "pieces"], rows)
    else:
        print_table(out, ["assemblies", "pieces"], [[f"{one.assemblies:,}", name] for one, name in each])
