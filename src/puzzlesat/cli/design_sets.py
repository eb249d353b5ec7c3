"""``puzzlesat design`` of pieces with free cells: which sets of pieces fill the form, and which of them come apart."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from puzzlesat.burrs.familyrun import DesignedSets, puzzle_of_set
from puzzlesat.burrs.run import Asked
from puzzlesat.cli.terminal import print_table, say, say_error
from puzzlesat.disassembly.words import checked_words
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import write_text
from puzzlesat.formats.toml import instance_text

WORDS = {
    "choices": "choices",
    "sets": "sets of pieces",
    "assemblies": "assemblies",
    "once": "sets with one assembly",
    "apart": "assemblies that come apart",
}
"""What the figures of such a design are called."""


def check_sets(asked: Asked) -> None:
    """Raise PuzzleError for what such a design has not."""
    for option, given in (("--sample", asked.sample is not None), ("--part", asked.part != (1, 1))):
        if given:
            raise PuzzleError(f"{option} is for designs of rods; remove it")
    if asked.file is not None and not asked.apart:
        raise PuzzleError("--output is for assemblies that are taken apart; add --apart")


def write_set(known: DesignedSets, file: Path, *, as_json: bool) -> None:
    """Write the best set of pieces as a puzzle."""
    if known.best is None:
        say_error(f"puzzlesat: {file} is not written: {'nothing comes apart' if known.sets else 'no set of pieces fills the form'}")
        return
    write_text(file, instance_text(puzzle_of_set(known, known.best)))
    if not as_json:
        print(f"puzzle: {file}")


def tell_sets(out: Console, before: DesignedSets | None, now: DesignedSets) -> None:
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
    say(out, checked_words(sum(one.checked for one in now.taken), number), style="dim", hang=2)


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
        rows = [[one.best.level_words if one.best else "", f"{one.assemblies:,}", f"{one.apart:,}", name] for one, name in each]
        print_table(out, ["level", "assemblies", "come apart", "pieces"], rows)
    else:
        print_table(out, ["assemblies", "pieces"], [[f"{one.assemblies:,}", name] for one, name in each])
