"""Terminal input and output of all commands: folded lines, tables, progress, and the signals that interrupt a command."""

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
from puzzlesat.solvers import SOLVERS, family

SAME_INTERRUPT_SECONDS = 0.5
"""Signals that follow each other within this time count as one."""
MAX_PICTURE_LINES = 100
"""Maximum height of a picture that is printed, in lines."""
MIN_LAST_COLUMN = 24
"""Minimum width of the last column of a table, in characters."""
SHORT_SECONDS = 10
"""Shorter times are printed with one decimal."""
AGAIN_SECONDS = 0.02
"""Delay until an interruption that was lost is raised again."""
BESIDES = 3
"""Width of a progress line without its text, in characters: the spinner and a space on either side."""
MIN_PACE_SECONDS = 1.0
"""Minimum time of observation before a forecast of the time left."""
WHOLE = 1_000_000
"""Progress of a finished task: progress is reported in millionths."""
SILENT_SECONDS = 5.0
"""Time without progress of the displayed solver after which another solver is displayed."""

_stops: list[Event] = []
"""Stop events of the active ``stoppable`` blocks, the innermost last. A signal sets the last event instead of ending the program."""
_heard = float("-inf")
"""The time of the last signal that was handled."""
_raised: ref[Interrupted] | None = None
"""The exception that was raised and has not left ``interruptible`` yet. If it is lost on the way, the signal is sent again: Python drops
exceptions that a signal handler raises during a finalizer or a callback, and a library may have a bare ``except``."""


class ResultConsole(Console):
    """A console that lets a BrokenPipeError propagate: a reader that closes the pipe early, such as ``head``, is not a failure."""

    def on_broken_pipe(self) -> None:
        """Called by rich while it handles a BrokenPipeError."""
        raise


def console() -> Console:
    """Return the console for results: as wide as the terminal or ``COLUMNS``, and in a pipe wide enough for a table."""
    out = ResultConsole(highlight=False)
    return out if folds(out) else ResultConsole(highlight=False, width=200)


def folds(out: Console) -> bool:
    """Return True if output has a limited width: on a terminal, or if ``COLUMNS`` is set."""
    return out.is_terminal or "COLUMNS" in os.environ


def fits(out: Console, columns: int, lines: int = 0) -> bool:
    """Return True if a picture of this size is printed as it is."""
    return lines <= MAX_PICTURE_LINES and (columns <= out.width or not folds(out))


def has_colours(out: Console) -> bool:
    """Return True if the console shows colours."""
    return out.is_terminal and out.color_system is not None and not out.no_color


def width_of(out: Console) -> int | None:
    """Return the width of the console in characters; None if it is not limited."""
    return out.width if folds(out) else None


def say(out: Console, sentence: str | Text, *, style: str = "", hang: int = 0) -> None:
    """Print a line, folded between words at the edge of the terminal; further lines are indented by ``hang``. In a pipe, it is one line."""
    text = sentence if isinstance(sentence, Text) else Text(sentence, style=style)
    at = 0
    for line in folded_lines(text.plain, width_of(out), hang):
        blanks = len(line) - len(line.lstrip())
        at = text.plain.index(line[blanks:], at)
        out.print(Text(" " * blanks).append_text(text[at : at + len(line) - blanks]), soft_wrap=True)
        at += len(line) - blanks


def say_named(out: Console, name: str, words: str, *, style: str = "", hang: int = 14) -> None:
    """Print a line of a report: a label, and the words beside it."""
    say(out, Text(f"  {name:<{hang - 4}}  ").append(words, style=style), hang=hang)


def say_error(sentence: str) -> None:
    """Print a message on standard error, folded like the output of ``say``. Line breaks within the message are kept."""
    out = Console(stderr=True, highlight=False, soft_wrap=True)
    width = width_of(out)
    for line in sentence.split("\n"):
        for part in folded_lines(line, width, 4):
            out.print(part, markup=False)


def folded_lines(line: str, width: int | None, hang: int = 0) -> list[str]:
    """Return a line in parts of at most ``width`` columns. A longer word is not broken, so that paths and names can be copied."""
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
    """Print a picture. If it is too large, print a line with its size and ``instead``, the advice how to draw it."""
    lines = str(drawn).splitlines()
    widest = max(map(cell_len, lines), default=0)
    if len(lines) > MAX_PICTURE_LINES:
        say(out, f"(the picture has {len(lines):,} lines; {instead})", hang=1)
    elif not fits(out, widest):
        say(out, f"(the picture has {widest} columns, and there are {out.width}; {instead})", hang=1)
    elif isinstance(drawn, Text):
        out.print(drawn, soft_wrap=True, end="")
    else:
        print(drawn, end="", flush=True)


def print_lines(lines: Sequence[str]) -> None:
    """Print lines unfolded, because they may be part of a picture."""
    for line in lines:
        print(line, flush=True)


def print_json(record: Mapping[str, object]) -> None:
    """Print an object as a line of JSON."""
    print(json.dumps(record, ensure_ascii=False), flush=True)


def print_table(out: Console, headings: Sequence[str] | None, rows: Sequence[Sequence[str]], widths: Sequence[int] = ()) -> None:
    """Print a table, its last column folded. If this column would be too narrow, print it below the rest of its row."""
    every = [headings, *rows] if headings else [*rows]
    widths = widths or [max(cell_len(row[i]) for row in every) for i in range(len(every[0]) - 1)]
    hang = sum(widths) + 2 * len(widths)
    width = width_of(out)
    beside = width is None or width - hang >= MIN_LAST_COLUMN
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
    """End the block with KeyboardInterrupt, as Ctrl-C does, also on SIGTERM and when the terminal is closed, so that cleanup runs.

    Signals that were ignored before, as under ``nohup``, stay ignored. ``timeout`` and similar programs signal both the program and its
    process group; the second of two signals in quick succession is dropped, so that it does not interrupt the cleanup.
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
        _heard = float("-inf")  # forget the signals of an earlier command in this process
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
        raise _watched()  # no variable here may refer to it, or its traceback would keep it alive
    _stops[-1].set()


def _watched() -> Interrupted:
    global _raised
    error = Interrupted()
    _raised = ref(error, lambda _: Timer(AGAIN_SECONDS, _again).start())
    return error


@contextmanager
def stoppable() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, so that partial results are kept. A second Ctrl-C ends the program at once.

    The other signals of ``interruptible`` have the same effect.
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
    """Yield an object that displays the active solver and its progress on a terminal; without a terminal, a silent one."""
    if not sys.stderr.isatty():
        yield SILENT
        return
    from rich.markup import escape
    from rich.status import Status  # slow to import, and needed on a terminal only

    began = monotonic()
    screen = Console(stderr=True)
    with Status(escape(f"{title} …"), console=screen) as status:
        pace, foremost = Pace(), Foremost()

        def show(what: str, work: Mapping[str, int]) -> None:
            now = monotonic()
            if not foremost.is_shown(what, work.get(Progress.SHARE), now):
                return
            line = f"{title}: {progress_words(what, work, now - began, pace.left(what, work.get(Progress.SHARE), now))}"
            status.update(escape(in_a_line(line, screen.width - BESIDES)))

        def compiles() -> None:
            status.update(escape(f"{title}: compiling the search, once …"))

        with Progress.on_compiling(compiles):
            yield Progress(show)


@contextmanager
def working(title: str, limits: Limits, *, stop: Event | None = None) -> Iterator[tuple[Limits, Progress]]:
    """Yield the limits of the work on one puzzle, which begin here, and its progress, which raises EndedError when a limit is reached.

    Without ``stop``, an event of the caller, Ctrl-C ends this work only.
    """
    with stoppable() if stop is None else nullcontext(stop) as told_to_stop, progress(title) as told:
        begun = replace(limits, stop=told_to_stop).begun()
        work = begun, begun.heeding(told)
        before = begun_by_command.set(work)
        try:
            yield work
        finally:
            begun_by_command.reset(before)


def in_a_line(text: str, width: int) -> str:
    """Return a text cut to a width, because a spinner erases only the last row of a line that wraps."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


class Pace:
    """A forecast of the time left, from the progress since the work began."""

    def __init__(self) -> None:
        self.what, self.share, self.began = "", 0, 0.0

    def left(self, what: str, share: int | None, now: float) -> float | None:
        """Return the seconds left for work of which ``share`` millionths are done; None if there is no forecast yet."""
        if share is None:
            return None
        if what != self.what or share < self.share:
            self.what, self.share, self.began = what, share, now
        if share == self.share or now - self.began < MIN_PACE_SECONDS:
            return None
        return (WHOLE - share) * (now - self.began) / (share - self.share)


class Foremost:
    """The most advanced of several concurrent solvers. Only its progress is displayed, because a display that jumps is unreadable."""

    def __init__(self) -> None:
        self.what, self.share, self.at = "", -1, float("-inf")

    def is_shown(self, what: str, share: int | None, now: float) -> bool:
        """Return True if this progress is displayed: not if a more advanced solver has reported within the last seconds."""
        share = -1 if share is None else share
        others = what != self.what and is_search(what) and is_search(self.what)
        if others and share <= self.share and now - self.at < SILENT_SECONDS:
            return False
        self.what, self.share, self.at = what, share, now
        return True


def is_search(what: str) -> bool:
    """Return True if ``what`` names a solver."""
    return family(what) in SOLVERS


def progress_words(what: str, work: Mapping[str, int], seconds: float, left: float | None) -> str:
    """Return progress in words: ``searching, 16 %, about 13 s left``, or without a share, ``searching, 12 s, 1,000,000 nodes``."""
    name = "searching" if is_search(what) else what
    if Progress.SHARE not in work:
        return ", ".join([name, f"{seconds:.0f} s", *Progress.in_words(work)])
    percent = work[Progress.SHARE] / 10_000
    time = f"{seconds:.0f} s" if left is None else f"about {duration(left)} left"
    return f"{name}, {percent:.{0 if percent >= 10 else 1}f} %, {time}"


def say_result(out: Console, name: str, width: int, verdict: Text, words: str, seconds: float) -> None:
    """Print the result for one of many puzzles in a line: its name, the verdict, details, and the time."""
    line = Text(f"{name:<{width}}  ", style="bold") + Text(f"{verdict.plain:<13}", style=verdict.style)
    line += Text(f"{words:<34}") + Text(f"{seconds:8.2f} s", style="dim")
    if not fits(out, line.cell_len):
        say(out, f"{name}  {verdict.plain}  {words}  {seconds:.2f} s", hang=4)
    else:
        out.print(line, soft_wrap=True)


UNITS = (("days", 86400), ("h", 3600), ("min", 60))
"""Units of time above the second, with their lengths in seconds."""


def between(bounds: tuple[float, float]) -> str:
    """Return two times in the unit of the longer one: ``between 1 and 9 min``, or ``about 3 h`` if both round to the same number."""
    low, high = bounds
    size, unit = next(((size, unit) for unit, size in UNITS if high >= 2 * size), (1, "s"))
    least, most = (f"{seconds / size:,.0f}" for seconds in (low, high))
    if least == "0" or high < 2:
        return f"less than {max(2, int(most)) if size == 1 else most} {unit}"
    return f"about {most} {unit}" if least == most else f"between {least} and {most} {unit}"


def duration(seconds: float) -> str:
    """Return a time in a unit of its size: ``20 s``, ``5 min``, ``3 h``, ``40 days``."""
    for unit, size in UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} s"


def time_in_words(seconds: float) -> str:
    """Return a time as ``duration`` does; a short time has one decimal."""
    return duration(seconds) if seconds >= SHORT_SECONDS else f"{seconds:.1f} s"
