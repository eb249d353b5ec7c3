"""``puzzlesat design``: count the assemblies of a family of burrs, and print the levels at which they come apart.

For pieces with free cells, find the sets of pieces that fill the form. With ``--carve``, search for pieces of a high level by giving the
cells of a puzzle to its pieces in other ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer
from rich.console import Console

from puzzlesat.base import Limits, PuzzleError, many, write_file
from puzzlesat.cli.command import Call, refuse
from puzzlesat.cli.exit_status import status_after
from puzzlesat.cli.output import say_unfinished, stays
from puzzlesat.cli.terminal import console, print_json, print_table, say, say_error, stoppable
from puzzlesat.designing import Carved, Designed, DesignedSets, DesignOptions, PiecesFile, design_given, designed
from puzzlesat.disassembly import checked_words
from puzzlesat.formats import instance_in, instance_text

COUNTED = {"pieces": "pieces", "all": "assemblies in all", "distinct": "assemblies up to symmetry"}
TAKEN = {
    "apart": "assemblies that come apart",
    "used": "pieces in assemblies that come apart",
    "sets": "sets of pieces that come apart",
    "highest": "the most moves until a piece is away",
    "highest_unique": "the same of sets that come apart in one way only",
}
SETS = {
    "choices": "choices",
    "sets": "sets of pieces",
    "assemblies": "assemblies",
    "once": "sets with one assembly",
    "apart": "assemblies that come apart",
}
"""Names of figures in messages: ``COUNTED`` and ``TAKEN`` for designs of rods, ``SETS`` for pieces with free cells."""
MAX_ROWS = 10
"""Maximum number of levels listed for carved pieces."""


def run_design(call: Call) -> int:
    """Count the assemblies of a design, take some apart, and print the results; return the exit status."""
    best, as_json = call["best"], call["json"]
    if call["apart"] and call["sample"] is not None:
        raise typer.BadParameter("use --apart or --sample, not both")
    if call["part"] != "1/1" and not call["apart"]:
        raise typer.BadParameter("--part is for --apart")
    part, carve = DesignOptions.part_of(call["part"]), call["carve"] or 0
    options = DesignOptions(call["apart"], call["sample"], call["seed"], call.output, call["unique"], part, carve)
    if carve and (options.apart or options.sample is not None or options.unique):
        raise PuzzleError("--carve is not for --apart, --sample and --unique; remove them")
    source = instance_in(call["design"]) if carve else design_given(call["design"])
    if isinstance(source, PiecesFile):
        check_sets(options)
    elif not carve and (options.file or best or options.unique) and not options.apart and options.sample is None:
        raise PuzzleError("--output, --best and --unique are for assemblies that are taken apart; add --apart or --sample")
    out, latest = console(), None
    with stoppable() as stop, call.working(call["design"], stop=stop) as (limits, told):
        for step in designed(source, options, call["jobs"] or Limits().usable_cores, limits, progress=told):
            if isinstance(step, Carved) and best is not None and step.is_better_than(latest):
                write_file(best, instance_text(step.puzzle))
            if not as_json:
                _tell_step(out, latest, step)
            latest = step
    assert latest is not None
    if as_json:
        print_json(latest.record)
    if isinstance(latest, Carved):
        if not as_json:
            _tell_carved(out, latest, best)
    elif best is not None and not stays(best, stopped=stop.is_set()):
        _write(latest, best, as_json=as_json)
    say_unfinished(latest.why, options.file)
    return status_after(not isinstance(latest, Carved) and bool(latest.differences), latest.complete)


def _tell_step(out: Console, before: object, now: Designed | DesignedSets | Carved) -> None:
    """Print what a step of the work has added."""
    if isinstance(now, Designed):
        _tell(out, before if isinstance(before, Designed) else None, now)
    elif isinstance(now, DesignedSets):
        _tell_sets(out, now, first=before is None)
    elif now.best is not None and now.is_better_than(before):
        pieces = f"pieces of {', '.join(now.best.pieces)} cells, {many(now.best.holes, 'hole')}"
        say(out, f"level {now.best.level_words}: {pieces}", hang=2)


def _write(known: Designed | DesignedSets, file: Path, *, as_json: bool) -> None:
    """Write the best set of pieces, or the pieces of the assembly with the highest level, as a puzzle."""
    if known.best is None:
        why = "no set of pieces fills the form" if isinstance(known, DesignedSets) and not known.sets else "nothing comes apart"
        say_error(f"puzzlesat: {file} is not written: {why}")
        return
    write_file(file, instance_text(known.puzzle))
    if not as_json:
        print(f"puzzle: {file}" if isinstance(known, DesignedSets) else _written(file))


def _written(file: Path) -> str:
    return f"puzzle: {file}; 'puzzlesat apart {file}' tells whether another assembly of these pieces comes apart"


def _tell_published(out: Console, now: Designed | DesignedSets, words: Mapping[str, str]) -> None:
    """Print which figures agree with published figures, and which differ."""
    source = now.file.expect.source
    if agreeing := [f"{words[key]} {found:,}" for key, found in now.agreeing.items() if key in words]:
        say(out, f"as published: {', '.join(agreeing)} ({source})", hang=2)
    for key, (published, found) in now.differences.items():
        if key in words:
            say(out, f"{words[key]}: published {published:,}, found {found:,} ({source})", style="bold", hang=2)


def _print_levels(out: Console, heading: str, levels: Mapping[str, int], most: int | None = None) -> None:
    """Print the number of assemblies of each level."""
    if levels:
        _print_numbers(out, ["level", heading], [[level, f"{found:,}"] for level, found in levels.items()], most)


def _tell_carved(out: Console, known: Carved, best: Path | None) -> None:
    say(out, known.sentence, style="bold", hang=2)
    _print_levels(out, "assignments", known.levels, MAX_ROWS)
    if (more := len(known.levels) - MAX_ROWS) > 0:
        say(out, f"and {many(more, 'lower level')}")
    say(out, checked_words(known.checked, known.searched), style="dim", hang=2)
    if best is not None and known.best is not None:
        print(_written(best))


def check_sets(options: DesignOptions) -> None:
    """Raise PuzzleError for options that do not apply to pieces with free cells."""
    refuse({"sample": options.sample is not None, "part": options.part != (1, 1)}, "is for designs of rods; remove it")
    refuse({"output": options.file is not None and not options.apart}, "is for assemblies that are taken apart; add --apart")


def _tell_sets(out: Console, now: DesignedSets, *, first: bool) -> None:
    if first:
        say(out, now.sentence if now.complete else now.sentence.split("; not complete")[0], style="bold", hang=2)
        many_choices = many(now.family.choices, "choice")
        of_all = many_choices if now.searched == now.family.choices else f"{now.searched:,} of {many_choices}"
        say(out, f"{of_all} of the shapes of the pieces; {many(now.assemblies, 'assembly', 'assemblies')} ({now.all:,} in all)")
        if now.asked.apart:
            _tell_levels_of_sets(out, now)
        _tell_published(out, now, SETS)
        _tell_best(out, now)
    elif now.confirmed:
        what = f"the assemblies of {many(now.confirmed, 'set')} were counted once more, by another solver"
        say(out, f"confirmed: {what}", style="dim", hang=2)


def _tell_levels_of_sets(out: Console, now: DesignedSets) -> None:
    number = len(now.taken)
    say(out, f"{now.apart:,} of {many(number, 'assembly', 'assemblies')} {'comes' if now.apart == 1 else 'come'} apart", style="bold")
    _print_levels(out, "assemblies", now.levels)
    say(out, checked_words(sum(assembly.checked for assembly in now.taken), number), style="dim", hang=2)


def _tell_best(out: Console, now: DesignedSets) -> None:
    """Print the best sets of pieces."""
    if not now.shown:
        return
    names = [" ".join(now.names(entry.shapes)) for entry in now.shown]
    each = zip(now.shown, names, strict=True)
    if now.asked.apart:
        rows = [[entry.best.level_words if entry.best else "", f"{entry.assemblies:,}", f"{entry.apart:,}", name] for entry, name in each]
        print_table(out, ["level", "assemblies", "come apart", "pieces"], rows)
    else:
        print_table(out, ["assemblies", "pieces"], [[f"{entry.assemblies:,}", name] for entry, name in each])


MANY = 20
"""If a table has more levels, a second table adds up the levels with the same number of moves until the first piece is away."""


def _tell(out: Console, before: Designed | None, now: Designed) -> None:
    if now.counted is None:
        say(out, now.sentence, style="bold", hang=2)
        return
    if before is None:
        say(out, now.sentence, style="bold", hang=2)
        ways = sorted({len(rod.kept) for rod in now.burr.rods})
        say(out, f"{many(len(now.burr.names), 'piece')}; a rod can be cut in {' or '.join(f'{n:,}' for n in ways)} ways")
        _tell_published(out, now, COUNTED)
    elif now.confirmed and not before.confirmed:
        symmetries = many(len(now.burr.motions), "symmetry", "symmetries")
        say(out, f"confirmed by a second way of counting, for each of {symmetries}", style="dim")
    elif now.unconfirmed is not None and before.unconfirmed is None:
        say(out, f"not confirmed: {now.unconfirmed}", style="dim")
    elif now.why is not None and not now.confirmed and now.unconfirmed is None:
        say(out, "not confirmed: there was no time to count in a second way", style="dim")
    if now.others and not (before and before.others):
        _tell_others(out, now)
    elif now.tally is not None and (now.decided or now.complete) and (before is None or before.tally is None):
        _tell_taken(out, now)
        _tell_published(out, now, TAKEN)


def _tell_taken(out: Console, now: Designed) -> None:
    """Print how many assemblies come apart, and at which levels."""
    assert now.tally is not None
    number, comes = now.decided, "comes" if now.apart == 1 else "come"
    if now.asked.sample is None:
        which, parts = now.asked.part
        part = f"part {which} of {parts}: " if parts > 1 else ""
        say(out, f"{part}{many(number, 'assembly', 'assemblies')} where something can move; {now.apart:,} {comes} apart", style="bold")
    else:
        say(out, f"{many(number, 'assembly', 'assemblies')} drawn at random (seed {now.asked.seed})", style="bold")
        say(out, _share(now, now.apart, "come apart"))
        say(out, _share(now, now.opens, "can be opened: a piece or a group of pieces can be taken away"))
    if now.best is not None:
        _tell_levels(out, now)
        say(out, f"the highest, {now.best.level_words}: pieces {' '.join(now.best.pieces)}, {many(now.best.holes, 'hole')}", hang=2)
        if now.sets is not None:
            single = f"; {sum(now.sets.once.values()):,} of them in one way only" if _all_are_known(now) else ""
            say(out, f"they are {many(now.sets.sets, 'set')} of {many(now.sets.pieces, 'different piece')}{single}")
    if number:
        say(out, checked_words(now.tally.checked, number), style="dim", hang=2)
    if now.cpu_seconds_of_all is not None and not _all_are_known(now):
        say(out, f"at this speed, the whole family takes {_long(now.cpu_seconds_of_all)} of one processor", style="dim")


def _all_are_known(now: Designed) -> bool:
    """Return True if every assembly of the family was tried. Only then is it known which sets of pieces come apart in one way only."""
    return now.asked.sample is None and now.asked.part[1] == 1 and now.complete


def _tell_levels(out: Console, now: Designed) -> None:
    """Print how many assemblies come apart at each level, and how many sets of pieces do so in one way only."""
    once = now.sets.once if now.sets is not None and _all_are_known(now) else None
    rows = [[level, f"{found:,}", *([f"{once.get(level, 0):,}"] if once is not None else [])] for level, found in now.levels.items()]
    _print_numbers(out, ["level", "assemblies", *(["one way only"] if once is not None else [])], rows)
    if once is None or len(rows) <= MANY:
        return
    say(out, "by the moves until the first piece is away:")
    _print_numbers(
        out, ["moves", "assemblies", "one way only"], [[str(n), f"{a:,}", f"{b:,}"] for n, (a, b) in now.by_first_moves(once).items()]
    )


def _print_numbers(out: Console, heads: list[str], rows: list[list[str]], most: int | None = None) -> None:
    """Print a table of names and numbers, or its first rows."""
    width = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    print_table(out, heads, [[row[0], *(cell.rjust(width[i]) for i, cell in enumerate(row[1:], start=1))] for row in rows[:most]])


def _long(seconds: float) -> str:
    """Return a time in its largest unit, such as ``about 3 hours``."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"about {many(round(seconds / size), unit)}"
    return f"about {many(round(seconds), 'second')}"


def _tell_others(out: Console, now: Designed) -> None:
    """Print which sets of pieces come apart in one way only."""
    single = sum(others.apart == 1 for others in now.others)
    what = f"{many(len(now.others), 'set')} of pieces with the highest levels"
    say(out, f"{what}; {single:,} of them come{'s' if single == 1 else ''} apart from one assembly only", style="bold")
    rows = [
        [others.taken.level_words, f"{others.assemblies:,}", f"{others.apart:,}", " ".join(others.taken.pieces)]
        for others in sorted(now.others, key=lambda others: others.apart > 1)
    ]
    print_table(out, ["level", "assemblies", "come apart", "pieces"], rows)


def _share(now: Designed, hits: int, what: str) -> str:
    """Return the share of the sample in percent, with its confidence interval and the range for the whole family."""
    assert now.counted is not None and now.tally is not None
    low, high = now.tally.share(hits)
    of_all = f"{_rounded(low * now.counted.distinct)} to {_rounded(high * now.counted.distinct)} of all"
    return f"{100 * hits / now.decided:.2f} % {what} ({100 * low:.2f} to {100 * high:.2f} % with 95 % confidence: {of_all})"


def _rounded(number: float) -> str:
    """Return a number rounded to three digits."""
    return f"{round(number, 3 - len(str(int(number)))):,.0f}"
