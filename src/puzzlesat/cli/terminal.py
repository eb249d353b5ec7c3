"""What the commands share with the terminal: consoles, progress, Ctrl-C and other signals to end."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from threading import Event, Timer, current_thread, main_thread
from time import monotonic
from weakref import ref

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from puzzlesat.base import SILENT, Interrupted, Limits, Progress
from puzzlesat.cli.functions.given import begun_by_command
from puzzlesat.kernels import compiling
from puzzlesat.solvers import SOLVERS, family

SAME_INTERRUPT_SECONDS = 0.5
MOST_LINES = 100
"""A picture of more lines is not printed."""
LEAST_LAST = 24
"""Columns that the last column of a table needs."""
AGAIN_SECONDS = 0.02
BESIDES = 3
"""Columns beside the text of a progress line: what turns, and a space on either side."""
LEAST_PACE_SECONDS = 1.0
"""From so long a time on it is said how much is left."""
WHOLE = 1_000_000
SILENT_SECONDS = 5.0
"""After so long without progress of one solver, that of another one is shown."""

_stops: list[Event] = []
"""The events of the blocks in which a signal does not end the program at once, the innermost last."""
_heard = float("-inf")
"""When a signal was acted on last."""
_raised: ref[Interrupted] | None = None
"""The exception that is on its way out. Should it be gone on the way, the signal is sent again: a handler may be run in a finalizer or a
callback, whose exceptions Python drops, or under a bare ``except`` of a library."""


class ResultConsole(Console):
    """A console that leaves it to the command what to do when nobody reads any more: that is no failure."""

    def on_broken_pipe(self) -> None:
        """Called by rich while it handles a BrokenPipeError."""
        raise


def console() -> Console:
    """The console for results: as wide as the terminal, or as ``COLUMNS`` says; in a pipe wide enough for a table."""
    out = ResultConsole(highlight=False)
    return out if folds(out) else ResultConsole(highlight=False, width=200)


def folds(out: Console) -> bool:
    """Whether lines have to end before the edge: on a terminal, and where ``COLUMNS`` says how wide one is."""
    return out.is_terminal or "COLUMNS" in os.environ


def has_colours(out: Console) -> bool:
    """Whether colours tell apart what they stand for."""
    return out.is_terminal and out.color_system is not None and not out.no_color


def width_of(out: Console) -> int | None:
    """Return the columns there are; None where there is no edge."""
    return out.width if folds(out) else None


def say(out: Console, sentence: str | Text, *, style: str = "", hang: int = 0) -> None:
    """Print a line, folded between words where the terminal ends, with ``hang`` blanks before what follows. In a pipe it is one line."""
    text = sentence if isinstance(sentence, Text) else Text(sentence, style=style)
    at = 0
    for line in folded_lines(text.plain, width_of(out), hang):
        blanks = len(line) - len(line.lstrip())
        at = text.plain.index(line[blanks:], at)
        out.print(Text(" " * blanks).append_text(text[at : at + len(line) - blanks]), soft_wrap=True)
        at += len(line) - blanks


def say_named(out: Console, name: str, words: str, *, style: str = "", hang: int = 14) -> None:
    """Print a line of a report: its name, and beside that the words."""
    say(out, Text(f"  {name:<{hang - 4}}  ").append(words, style=style), hang=hang)


def say_error(sentence: str) -> None:
    """Print a message on standard error, folded as ``say`` does; pictures and lists in it stay as they are."""
    out = Console(stderr=True, highlight=False, soft_wrap=True)
    width = width_of(out)
    for line in sentence.split("\n"):
        for part in folded_lines(line, width, 4):
            out.print(part, markup=False)


def folded_lines(line: str, width: int | None, hang: int = 0) -> list[str]:
    """Return a line in parts of at most ``width`` columns. A word that is longer stays whole: it is a path or a name to be copied."""
    if width is None or cell_len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    words = re.findall(r"\S+\s*", line.lstrip())
    lines = [indent]
    for word in words:
        if cell_len(lines[-1] + word.rstrip()) > width and lines[-1].strip():
            lines.append(" " * min(max(hang, len(indent)), width // 2))
        lines[-1] += word
    return [part.rstrip() for part in lines]


def print_picture(out: Console, drawn: str | Text, instead: str) -> None:
    """Print a picture, or, where it is too large to be looked at, a line that says so and ``instead``, what draws it."""
    lines = str(drawn).splitlines()
    widest = max(map(cell_len, lines), default=0)
    if len(lines) > MOST_LINES:
        say(out, f"(the picture has {len(lines):,} lines; {instead})", hang=1)
    elif folds(out) and widest > out.width:
        say(out, f"(the picture has {widest} columns, and there are {out.width}; {instead})", hang=1)
    elif isinstance(drawn, Text):
        out.print(drawn, soft_wrap=True, end="")
    else:
        print(drawn, end="", flush=True)


def print_lines(lines: Sequence[str]) -> None:
    """Print lines as they stand: pictures may be among them."""
    for line in lines:
        print(line, flush=True)


def print_json(record: Mapping[str, object]) -> None:
    """Print an object as a line of JSON."""
    print(json.dumps(record, ensure_ascii=False), flush=True)


def print_table(out: Console, headings: Sequence[str] | None, rows: Sequence[Sequence[str]], widths: Sequence[int] = ()) -> None:
    """Print a table, its last column folded; where that would be too narrow, it stands below the others of its row."""
    every = [headings, *rows] if headings else [*rows]
    widths = widths or [max(cell_len(row[i]) for row in every) for i in range(len(every[0]) - 1)]
    hang = sum(widths) + 2 * len(widths)
    width = width_of(out)
    beside = width is None or width - hang >= LEAST_LAST
    for number, row in enumerate(every if beside else rows):
        style = "bold" if headings and beside and number == 0 else ""
        if beside:
            cells = [*(cell + " " * (w - cell_len(cell)) for cell, w in zip(row, widths, strict=False)), row[-1]]
            say(out, "  ".join(cells).rstrip(), style=style, hang=hang)
            continue
        say(out, "  ".join(cell.strip() for cell in row[:-1] if cell.strip()), hang=4)
        if row[-1]:
            say(out, f"    {row[-1]}", hang=4)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let ``kill`` and a terminal that is closed end the block as Ctrl-C does, by KeyboardInterrupt, so that all is left tidy.

    What was started with ``nohup`` goes on when the terminal is closed. ``timeout`` and the like send the signal to the program and to
    its group: two within a moment are one, and the second does not disturb the tidying up.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in Interrupted.signals}
    taken = [n for n, handler in before.items() if n == signal.SIGINT or handler != signal.SIG_IGN]
    say_unraisable = sys.unraisablehook

    def on_unraisable(found: sys.UnraisableHookArgs) -> None:
        if not isinstance(found.exc_value, Interrupted):
            say_unraisable(found)

    global _raised, _heard
    if signal.getsignal(signal.SIGINT) != _on_signal:
        _heard = float("-inf")  # what an earlier command heard is no matter
    try:
        sys.unraisablehook = on_unraisable
        for number in taken:
            signal.signal(number, _on_signal)
        yield
    finally:
        _raised = None
        for number in taken:
            signal.signal(number, before[number])
        sys.unraisablehook = say_unraisable


def _again() -> None:
    global _heard
    _heard = float("-inf")
    if _raised is not None:
        signal.raise_signal(signal.SIGINT)


def _on_signal(_number: int, _frame: object) -> None:
    global _heard
    now = monotonic()
    if now - _heard < SAME_INTERRUPT_SECONDS:
        return
    _heard = now
    if not _stops or _stops[-1].is_set():
        raise _watched()  # named nowhere, or it would hold itself by its traceback
    _stops[-1].set()


def _watched() -> Interrupted:
    global _raised
    error = Interrupted()
    _raised = ref(error, lambda _: Timer(AGAIN_SECONDS, _again).start())
    return error


@contextmanager
def stoppable() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, so that what was counted is kept; a second one ends the program at once.

    So do the other signals of ``interruptible``.
    """
    stop = Event()
    _stops.append(stop)
    try:
        with interruptible():
            yield stop
    finally:
        _stops.remove(stop)


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Show which solver works and how far it is on a terminal; where there is none, what is yielded tells nobody."""
    if not sys.stderr.isatty():
        yield SILENT
        return
    from rich.markup import escape
    from rich.status import Status  # takes a while, and a pipe has no use for it

    began = monotonic()
    screen = Console(stderr=True)
    with Status(escape(f"{title} …"), console=screen) as status:
        pace, foremost = Pace(), Foremost()

        def show(what: str, work: Mapping[str, int]) -> None:
            now = monotonic()
            if not foremost.is_shown(what, work.get(Progress.SHARE), now):
                return
            said = f"{title}: {progress_words(what, work, now - began, pace.left(what, work.get(Progress.SHARE), now))}"
            status.update(escape(in_a_line(said, screen.width - BESIDES)))

        def compiles() -> None:
            status.update(escape(f"{title}: compiling the search, once …"))

        compiling.begins, before = compiles, compiling.begins  # type: ignore[method-assign]
        try:
            yield Progress(show)
        finally:
            compiling.begins = before  # type: ignore[method-assign]


@contextmanager
def working(title: str, limits: Limits, *, stop: Event | None = None) -> Iterator[tuple[Limits, Progress]]:
    """Yield the limits of the work on one puzzle, which begin here, and what shows how far it is and ends it by EndedError.

    Without an event of the caller's own, Ctrl-C ends this work alone.
    """
    with stoppable() if stop is None else nullcontext(stop) as told_to_stop, progress(title) as told:
        begun = replace(limits, stop=told_to_stop).begun()
        work = begun, begun.heeding(told)
        before = begun_by_command.set(work)
        try:
            yield work
        finally:
            begun_by_command.reset(before)


def in_a_line(said: str, width: int) -> str:
    """Return a text cut to a width: of a line that is wrapped, the terminal would keep a part."""
    return said if len(said) <= width else f"{said[: max(0, width - 1)]}…"


class Pace:
    """How long a work will still take, by how long it took to come as far as it is."""

    def __init__(self) -> None:
        self.what, self.share, self.began = "", 0, 0.0

    def left(self, what: str, share: int | None, now: float) -> float | None:
        """Return the seconds that are left of a work of which so many millionths are done; None where that cannot be said yet."""
        if share is None:
            return None
        if what != self.what or share < self.share:
            self.what, self.share, self.began = what, share, now
        if share == self.share or now - self.began < LEAST_PACE_SECONDS:
            return None
        return (WHOLE - share) * (now - self.began) / (share - self.share)


class Foremost:
    """Of the solvers that search side by side or in turns, the one that is farthest: progress that jumps between them says nothing."""

    def __init__(self) -> None:
        self.what, self.share, self.at = "", -1, float("-inf")

    def is_shown(self, what: str, share: int | None, now: float) -> bool:
        """Tell whether progress of a work is shown: not that of another solver which is less far, while the foremost one goes on."""
        share = -1 if share is None else share
        others = what != self.what and is_search(what) and is_search(self.what)
        if others and share <= self.share and now - self.at < SILENT_SECONDS:
            return False
        self.what, self.share, self.at = what, share, now
        return True


def is_search(what: str) -> bool:
    """Tell whether a work is the search of a solver."""
    return family(what) in SOLVERS


def progress_words(what: str, work: Mapping[str, int], seconds: float, left: float | None) -> str:
    """Return how far a work is: ``searching, 16 %, about 13 s left``, or by its counters, ``searching, 12 s, 1,000,000 nodes``."""
    name = "searching" if is_search(what) else what
    if Progress.SHARE not in work:
        return ", ".join([name, f"{seconds:.0f} s", *Progress.in_words(work)])
    percent = work[Progress.SHARE] / 10_000
    time = f"{seconds:.0f} s" if left is None else f"about {duration(left)} left"
    return f"{name}, {percent:.{0 if percent >= 10 else 1}f} %, {time}"


UNITS = (("days", 86400), ("h", 3600), ("min", 60))
"""Of time, with their seconds, but for the shortest."""


def between(bounds: tuple[float, float]) -> str:
    """Return two times in the unit that suits the longer one: ``between 1 and 9 min``, ``about 3 h`` if both round to the same."""
    low, high = bounds
    size, unit = next(((size, unit) for unit, size in UNITS if high >= 2 * size), (1, "s"))
    least, most = (f"{seconds / size:,.0f}" for seconds in (low, high))
    if least == "0" or high < 2:
        return f"less than {max(2, int(most)) if size == 1 else most} {unit}"
    return f"about {most} {unit}" if least == most else f"between {least} and {most} {unit}"


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it: ``20 s``, ``5 min``, ``3 h``, ``40 days``."""
    for unit, size in UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} s"
