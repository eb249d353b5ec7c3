"""``puzzlesat apart``: which solutions of a puzzle come apart, in how many moves, and by which."""

from __future__ import annotations

import json as jsonlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic

from rich.console import Console

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_apart, check_output, stays, write_picture
from puzzlesat.cli.terminal import console, print_table, say, say_error, stoppable
from puzzlesat.cli.working import working
from puzzlesat.counting.listing import solutions
from puzzlesat.cover.instance import BuiltInstance, build_instance
from puzzlesat.disassembly.data import Answer
from puzzlesat.disassembly.record import Record, answer_of, as_record
from puzzlesat.disassembly.run import answers, fault_in
from puzzlesat.disassembly.store import Store
from puzzlesat.disassembly.words import sentences
from puzzlesat.errors import ContradictionError, PuzzleError, listed, many
from puzzlesat.formats.puzzles import instance_in
from puzzlesat.progress import Progress
from puzzlesat.solvers.machine import all_cores
from puzzlesat.solvers.run import COMPLETE, EndedError, Limits, Outcome
from puzzlesat.solvers.strategy import LISTING

MOST_NAMED = 8
"""Assemblies that a row of the table names."""

Row = tuple[int, ...]


@dataclass(frozen=True)
class Asked:
    """Of which assemblies it is asked, and what becomes of the answers."""

    all: bool = False
    """Every solution, not one of each class of turned or mirrored copies."""
    limit: int | None = None
    nth: int | None = None
    file: Path | None = None
    as_json: bool = False
    svg: Path | None = None
    png: Path | None = None


@dataclass(frozen=True)
class Found:
    """What is known of an assembly."""

    row: Row
    record: Record

    @property
    def order(self) -> tuple[bool, list[int], int]:
        """Those that take most moves first, by the first parting, then by the next ones; then in the order of their numbers."""
        moves = self.record["moves"]
        return moves is None, [-n for n in moves or []], self.record["number"]


def run_apart(name: str, asked: Asked, *, jobs: int | None, bounds: Bounds, problem: int | str | None = None) -> int:
    """Take the solutions of a puzzle apart and say what became of it; return the exit status."""
    check_output(asked.svg, ".svg")
    check_output(asked.png, ".png")
    check_output(asked.file)
    check_apart(name, asked.file, asked.svg, asked.png)
    out, began = console(), monotonic()
    found: list[Found] = []
    outcome: list[Outcome] = []
    with stoppable() as stop, working(name, bounds, stop=stop) as (limits, told):
        built = build_instance(instance_in(name, problem), progress=told, memory=limits.memory)
        store = Store(built, asked.file)
        try:
            for each in _found(built, asked, store, jobs or all_cores(), limits, told, outcome):
                found.append(each)
                if asked.as_json:
                    print(jsonlib.dumps({"instance": built.instance.name} | each.record, ensure_ascii=False), flush=True)
        finally:
            store.close()
    whole = len(found) == (1 if asked.nth else asked.limit) or (bool(outcome) and outcome[0].status == COMPLETE)
    if asked.nth is not None and not found and whole:
        raise PuzzleError(f"{built.instance.name} has no solution {asked.nth}; --nth takes a number that 'puzzlesat apart' prints")
    decided = whole and not any(each.record["undecided"] for each in found)
    _tell(out, built, f"{name} --problem {problem}" if problem else name, asked, found, complete=decided, seconds=monotonic() - began)
    _draw(built, asked, found, stopped=stop.is_set())
    if not decided:
        more = f"; run the same command again to go on with what is not in {asked.file}" if asked.file is not None else ""
        say_error(f"puzzlesat: stopped early, after {many(len(found), 'assembly', 'assemblies')}{more}")
    return DONE if decided else STOPPED_EARLY


def _found(
    built: BuiltInstance, asked: Asked, store: Store, jobs: int, limits: Limits, told: Progress, outcome: list[Outcome]
) -> Iterator[Found]:
    """What is known of each assembly that is asked for: from the file, replayed, or found out now and put there."""
    counts = Counter[str]()

    def tell(record: Record) -> None:
        counts.update(["assemblies", *(["that_come_apart"] if record["apart"] else [])])
        with suppress(EndedError):  # what is known is told of, whatever ends the work
            told.of("taking apart")(counts)

    rows = solutions(built, LISTING, limits, distinct=not asked.all, progress=told, on_end=outcome.append)
    new: dict[int, int] = {}
    with closing(rows):
        first, last = (asked.nth - 1, asked.nth) if asked.nth else (0, asked.limit)
        known: list[tuple[int, Row]] = []

        def unknown() -> Iterator[Row]:
            for number, row in islice(enumerate(rows, start=1), first, last):
                if _names(built, row) in store.known:
                    known.append((number, row))
                else:
                    new[len(new)] = number
                    yield row

        for place, row, answer in answers(built, unknown(), jobs, limits, progress=told):
            record = as_record(new[place], _names(built, row), answer)
            if not answer.undecided:
                store.add(record)
            tell(record)
            yield Found(row, record)
    for number, row in known:
        record = store.known[_names(built, row)] | {"number": number}
        if (fault := fault_in(built, row, answer_of(record))) is not None:
            raise ContradictionError(f"{asked.file}: the way in which {' '.join(record['placements'])} comes apart is none: {fault}")
        tell(record)
        yield Found(row, record)


def _names(built: BuiltInstance, row: Row) -> tuple[str, ...]:
    return tuple(built.problem.options[o] for o in row)


# what is shown ---------------------------------------------------------------------------------------------------------------


def _tell(out: Console, built: BuiltInstance, named: str, asked: Asked, found: Sequence[Found], *, complete: bool, seconds: float) -> None:
    """Say how many come apart, and at which levels; of a single one, by which steps."""
    by_level: dict[str, list[int]] = defaultdict(list)
    for each in sorted(found, key=lambda each: each.order):
        if each.record["apart"]:
            by_level[each.record["level"]].append(each.record["number"])
    apart = sum(map(len, by_level.values()))
    undecided = sum(bool(each.record["undecided"]) for each in found)
    if asked.as_json:
        levels = {level: len(numbers) for level, numbers in by_level.items()}
        summary = {"assemblies": len(found), "apart": apart, "undecided": undecided, "levels": levels, "complete": complete}
        print(jsonlib.dumps({"instance": built.instance.name, **summary, "seconds": round(seconds, 2)}, ensure_ascii=False))
        return
    if asked.nth is not None and found:
        _print_steps(out, built, found[0])
        return
    what = many(len(found), "solution" if asked.all else "assembly", None if asked.all else "assemblies")
    left = f", {undecided:,} are not decided" if undecided else ""
    say(out, f"{built.instance.title}: {what}, {apart:,} come{'s' if apart == 1 else ''} apart{left}", style="bold", hang=2)
    if by_level:
        rows = [[level, f"{len(numbers):,}", listed(numbers, MOST_NAMED)] for level, numbers in by_level.items()]
        print_table(out, ["level", "assemblies", "numbers"], rows)
    elif len(found) == 1:
        _print_steps(out, built, found[0])
    if apart:
        say(out, f"the steps of one: puzzlesat apart {named} --nth {next(iter(by_level.values()))[0]}", style="dim", hang=2)


def _print_steps(out: Console, built: BuiltInstance, found: Found) -> None:
    record = found.record
    level = f", level {record['level']}" if record["apart"] else ""
    say(out, f"{built.instance.title}, assembly {record['number']}{level}: {' '.join(record['placements'])}", style="bold", hang=2)
    for sentence in sentences(answer_of(record), record["placements"]):
        say(out, sentence, hang=4)


def _draw(built: BuiltInstance, asked: Asked, found: Sequence[Found], *, stopped: bool) -> None:
    """Draw the steps of the assembly that takes most moves."""
    if asked.svg is None and asked.png is None:
        return
    best = min(found, key=lambda each: each.order, default=None)
    answer = Answer(None) if best is None else answer_of(best.record)
    for file in (asked.svg, asked.png):
        if file is None or stays(file, stopped=stopped):
            continue
        if best is None or answer.parting is None:
            say_error(f"puzzlesat: {file} is not written: there is nothing that comes apart")
            continue
        from puzzlesat.draw.steps import steps_svg

        title = f"{built.instance.title}, assembly {best.record['number']}, level {best.record['level']}"
        write_picture(steps_svg(built, best.row, answer.parting, title=title), file, as_png=file is asked.png)
        if not asked.as_json:
            print(f"picture: {file}")
