"""Write LRAT proofs, convert them between text and binary (``checker.lrat`` describes both), and let CaDiCaL refute formulas.

CaDiCaL runs in a child process, which loads this module: nothing slow to load is imported here.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import wait
from errno import ENOSPC
from itertools import pairwise
from pathlib import Path
from shutil import disk_usage
from typing import IO, Any

import numpy as np

from puzzlesat.base import Bytes, Child, ChildEndedError, ChildPool, Ints, Longs, NotSupportedError, PuzzleError, new_file, write_file
from puzzlesat.checker import Clauses, Rejected, read_steps
from puzzlesat.kernels import compiled, part

MORE = 1 << 13
"""Bytes that must be free on a disk; more than a block of any disk."""


def refute(start: Longs, literals: Ints, path: Path) -> tuple[bool, int]:
    """Solve in a child process; return whether there is no model, and the size of the proof after all clauses were read.

    Raises NotSupportedError if python-sat writes no LRAT, OSError if the proof does not reach the disk.
    """
    Child.end_at_once_with_parent()
    return solved(start, literals, path)


def solved(start: Longs, literals: Ints, path: Path) -> tuple[bool, int]:
    """Solve with a proof; return whether there is no model, and the size of the proof after all clauses were read.

    python-sat itself starts only DRAT proofs. LRAT is an option of the solver, which must be set before the proof begins.
    """
    NotSupportedError.check_installed("pysat")
    try:
        from pysat import solvers

        begin_proof, flush = solvers.pysolvers.cadical195_tracepr, solvers.pysolvers.flushpr
        solver: Any = solvers.Cadical195()
    except (ImportError, AttributeError):
        raise NotSupportedError("this version of python-sat cannot write proofs of CaDiCaL 1.9.5") from None
    solver.configure({"lrat": 1, "binary": 1})
    solver.prfile = path.open("w+b")  # the solver closes it
    solver.prfp = begin_proof(solver.cadical, solver.prfile)
    numbers = literals.tolist()
    for first, end in pairwise(start.tolist()):
        solver.add_clause(numbers[first:end])
    flush(solver.prfp)
    size = path.stat().st_size
    unsatisfiable = not solver.solve()
    flush(solver.prfp)
    solver.delete()
    _check_room(path)
    return unsatisfiable, size


def _check_room(path: Path) -> None:
    """Raise OSError if a file cannot grow: CaDiCaL does not notice that its proof fails to reach the disk."""
    size = path.stat().st_size
    with path.open("ab", buffering=0) as file:
        left = MORE
        while left:
            left -= file.write(bytes(left))
        file.truncate(size)


WRITTEN_AT_ONCE = 1 << 20
MAX_BYTES = 21
"""Maximum size of a number in bytes, in either format."""
POLL_SECONDS = 0.05
SPACE, LINE, MINUS, ZERO, LETTER_A, LETTER_D = b" \n-0ad"
ADD, DELETE = 1, 2
LAST, STEPS = range(2)
"""Registers: the number of the clause added last, and the number of steps written."""
UNCHANGED: Longs = np.zeros(0, dtype=np.int64)


def write_dimacs(clauses: Clauses, stream: IO[bytes], comments: Iterable[str] = ()) -> None:
    """Write a formula as a DIMACS file."""
    head = [*(f"c {comment}" for comment in comments), f"p cnf {clauses.variables} {len(clauses)}"]
    stream.write("".join(f"{line}\n" for line in head).encode())
    for first in range(0, len(clauses), 10_000):
        rows = range(first + 1, min(first + 10_000, len(clauses)) + 1)
        stream.write("".join(" ".join(map(str, (*clauses[i], 0))) + "\n" for i in rows).encode())


class LratWriter:
    """A writer of LRAT steps to a stream, in text or binary."""

    def __init__(self, stream: IO[bytes], *, binary: bool = True) -> None:
        self.stream, self.binary = stream, binary
        self.last = 0
        """The number of the clause added last; set it to the number of clauses of the formula."""
        self.steps = 0
        self._waiting = bytearray()

    def add(self, literals: Iterable[int], hints: Iterable[int]) -> int:
        """Add a clause; return its number, which is the next one."""
        self.last += 1
        if self.binary:
            self._waiting += b"a" + b"".join(map(binary_number, (self.last, *literals, 0, *hints, 0)))
        else:
            self._waiting += (" ".join(map(str, (self.last, *literals, 0, *hints, 0))) + "\n").encode()
        self._step()
        return self.last

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete clauses."""
        if self.binary:
            self._waiting += b"d" + b"".join(map(binary_number, (*numbers, 0)))
        else:
            self._waiting += (" ".join(map(str, (self.last, "d", *numbers, 0))) + "\n").encode()
        self._step()

    def flush(self) -> None:
        """Write the buffered steps."""
        self.stream.write(self._waiting)
        self._waiting.clear()

    def _step(self) -> None:
        self.steps += 1
        if len(self._waiting) >= WRITTEN_AT_ONCE:
            self.flush()


def binary_number(number: int) -> bytes:
    """Return a number in the encoding of the binary format."""
    rest = 2 * abs(number) + (number < 0)
    groups = bytearray()
    while rest > 127:
        groups.append(rest & 127 | 128)
        rest >>= 7
    groups.append(rest)
    return bytes(groups)


def convert(source: IO[bytes], target: IO[bytes], *, binary: bool, names: Longs = UNCHANGED) -> int:
    """Write a proof of either format in one of them; return the number of steps.

    Clause n becomes ``names[n]``, or stays n if ``names`` is shorter. Raises Rejected if the source is malformed; nothing else is checked.
    """
    control = np.zeros(2, dtype=np.int64)
    for steps in read_steps(source):
        out = np.empty(2 * MAX_BYTES * steps.size, dtype=np.uint8)
        target.write(out[: rewrite(steps, names, not binary, control, out)].tobytes())
    return int(control[STEPS])


@part
def put(out: Bytes, at: int, number: int, text: bool) -> int:
    """Write a number, in text with a space; return the position behind it."""
    if not text:
        rest = 2 * abs(number) + (number < 0)
        while rest > 127:
            out[at] = rest & 127 | 128
            rest >>= 7
            at += 1
        out[at] = rest
        return at + 1
    if number < 0:
        out[at] = MINUS
        at += 1
    rest, size = abs(number), 1
    while rest >= 10:
        rest //= 10
        size += 1
    rest = abs(number)
    for k in range(at + size - 1, at - 1, -1):
        out[k] = ZERO + rest % 10
        rest //= 10
    out[at + size] = SPACE
    return at + size + 1


@part
def put_kind(out: Bytes, at: int, kind: int, number: int, text: bool) -> int:
    """Write the beginning of a step: its kind, and the number of the clause added last. A binary deletion has no number."""
    if text:
        at = put(out, at, number, text)
        if kind == DELETE:
            out[at], out[at + 1] = LETTER_D, SPACE
            at += 2
        return at
    out[at] = LETTER_A if kind == ADD else LETTER_D
    return put(out, at + 1, number, text) if kind == ADD else at + 1


@part
def put_end(out: Bytes, at: int, text: bool) -> int:
    """Write the 0 that ends a step."""
    at = put(out, at, 0, text)
    if text:
        out[at - 1] = LINE
    return at


@part
def named(names: Longs, number: int) -> int:
    """Return the new number of a clause; negative for a negative hint."""
    if abs(number) >= names.size:
        return number
    return names[number] if number >= 0 else -names[-number]  # type: ignore[no-any-return]


@compiled
def rewrite(steps: Longs, names: Longs, text: bool, control: Longs, out: Bytes) -> int:
    """Write steps that ``read_steps`` yielded; return the number of bytes. ``out`` has room for twice as many numbers."""
    size, at = 0, 0
    while at < steps.size:
        first = at + 3
        literals, hints, number = steps[at], steps[at + 1], steps[at + 2]
        kind = DELETE if number == 0 else ADD
        if kind == ADD:
            control[LAST] = named(names, number)
        size = put_kind(out, size, kind, control[LAST], text)
        for k in range(first, first + literals):
            size = put(out, size, steps[k] if kind == ADD else named(names, steps[k]), text)
        at = first + literals + hints
        if kind == ADD:
            size = put(out, size, 0, text)
            for k in range(first + literals, at):
                size = put(out, size, named(names, steps[k]), text)
        size = put_end(out, size, text)
        control[STEPS] += 1
    return size


def cadical_lrat(clauses: Clauses, path: Path, *, binary: bool = True, stop: Callable[[], bool] = lambda: False) -> bool | None:
    """Have CaDiCaL refute a formula and write the proof to a file. True: done; False: the formula has a model; None: stopped.

    CaDiCaL cannot be interrupted, so it runs in a child process while ``stop`` is polled. It numbers not only the clauses of the formula,
    but also the clauses to which it simplifies them while reading (without duplicate and false literals). In this case the proof is
    rewritten with the numbers of the formula. Raises NotSupportedError if python-sat cannot write LRAT, PuzzleError if the child process
    ends by itself.
    """
    if np.any(np.diff(clauses.start) == 0):
        write_file(path, b"")
        return True
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "proof")
        answer = _ask_cadical(clauses, raw, stop)
        if answer is None or not answer[0]:
            return None if answer is None else False
        names = _names(len(clauses), _numbers_added(raw, answer[1]))
        try:
            with raw.open("rb") as source, new_file(path) as target:
                convert(source, target, binary=binary, names=names)
        except Rejected as error:
            raise PuzzleError(f"cadical: its proof did not reach the disk whole ({error}); make room in {tempfile.gettempdir()}") from None
    return True


def _ask_cadical(clauses: Clauses, path: Path, stop: Callable[[], bool]) -> tuple[bool, int] | None:
    """Return whether there is no model, and the size of the proof after all clauses were read; None if stopped."""
    with ChildPool(1) as children:
        answer = children.submit(refute, clauses.start, clauses.literals, path)
        try:
            while not wait([answer], POLL_SECONDS).done:
                if stop():
                    return None
                if disk_usage(path.parent).free < MORE:  # CaDiCaL would continue with a truncated proof
                    raise OSError(ENOSPC, os.strerror(ENOSPC))
            return answer.result()
        except ChildEndedError as error:
            raise PuzzleError(f"cadical: the engine ended by itself ({error}), perhaps for lack of memory") from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from None
        finally:
            children.kill()


def _numbers_added(path: Path, size: int) -> list[int]:
    """Return the numbers of the clauses that the first ``size`` bytes of a binary proof add."""
    with path.open("rb") as file:
        data = file.read(size)
    numbers, at = [], 0
    while at < len(data):
        first, zeros = at + 1, 2 if data[at] == LETTER_A else 1
        at = first
        for _ in range(zeros):
            at = data.index(0, at) + 1
        if zeros == 2:
            groups = data[first : next(k for k in range(first, at) if data[k] < 128) + 1]
            numbers.append(sum((byte & 127) << 7 * i for i, byte in enumerate(groups)) // 2)
    return numbers


def _names(clauses: int, derived: list[int]) -> Longs:
    """Return new numbers: 1, 2, 3, … for the clauses of the formula, then numbers for the ``derived`` clauses, added during reading."""
    if not derived:
        return UNCHANGED
    total = clauses + len(derived)
    if max(derived) > total:
        raise PuzzleError("cadical: the clauses of its proof are not numbered as expected")
    names = np.zeros(total + 1, dtype=np.int64)
    names[derived] = np.arange(clauses + 1, total + 1)
    names[1:][names[1:] == 0] = np.arange(1, clauses + 1)
    return names
