"""LRAT, text and binary: read the steps of a proof from a stream in pieces of any size, and check its RUP steps.

Text: a step a line, ``ID literals 0 hints 0`` or ``ID d IDs 0``; empty lines, and lines that begin with ``c``, are skipped. Binary, as
drat-trim's ``compress`` and CaDiCaL write it: ``a`` ID literals 0 hints 0 and ``d`` IDs 0. Every number n is written as 2|n| + (n < 0) in
groups of 7 bits, the lowest first; the top bit of a byte is set if another byte follows (README of drat-trim, "Binary DRAT format"). A file
is binary if its first byte is ``a`` or ``d``, because no line of text begins with these.

A number can be written in only one way: without leading zeros, superfluous bytes or a minus before 0. The number at the beginning of a text
line that deletes has no meaning.

Each step of a refutation adds a clause under a new number and names, as hints, the clauses by which unit propagation refutes its negation;
or it deletes clauses. L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, "Efficient certified RAT verification", CADE 2017,
section 3.

The rules of the check:

- Numbers of added clauses increase. A hint names an existing clause. Under the negation of the step's clause and the units found so far,
  all its literals, or all but one, are false. Hints after the first clause that is all false are ignored.
- Steps with negative hints (RAT) are refused: they keep satisfiability but not the solutions, and puzzlesat's own proofs do not need them.
- Only existing clauses can be deleted.
- The empty clause must be derived; what follows it is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

import numpy as np

from ..kernels import compiled, part
from .arrays import Bytes, Ints, Longs
from .formula import Clauses
from .values import Rejected

CHUNK = 1 << 20
"""Bytes read at a time."""
STEP = 1 << 12
"""Initial room for the numbers of a step."""
COLLECTED = 1 << 16
"""Room for the numbers of the steps that are collected together."""
LARGEST = (1 << 61) - 1
"""The largest number that is read; 2n + 1 fits into a 64-bit word."""

AT, KIND, LITERALS, HINTS, DETAIL, RECORDS, PHASE, SIZE = range(8)
"""Registers of reading.

AT is the position in the buffer. KIND, LITERALS and HINTS describe the step. DETAIL belongs to an error. RECORDS counts the steps read.
PHASE says how far the step is read, and SIZE how many of its numbers there are so far.
"""
REGISTERS = 8
"""The check has further registers from this one on."""
ADD, DELETE = 1, 2
BEGIN, COMMENT, LEAD, FIRST, SECOND, LAST_BYTES, READY = range(7)
"""Phases of a step: nothing read; in a comment before it; number read; in its literals; in its hints; all numbers read; complete."""
MORE, DONE, ROOM = 0, 1, 2
"""Results of reading: more bytes are needed; the step is complete; more room for the step is needed."""
BYTE, NUMBER, TOO_LARGE, LINE_END, ID = range(-13, -8)
"""Errors of reading."""
FILE_REASONS = {
    BYTE: "a byte that does not belong there ({})",
    NUMBER: "a number that is not written as it should be",
    TOO_LARGE: "a number that is too large",
    LINE_END: "the line ends before the 0 that ends the step",
    ID: "{} is not the number of a clause",
}
SPACE, TAB, RETURN, LINE, MINUS, ZERO, NINE, LETTER_A, LETTER_C, LETTER_D = b" \t\r\n-09acd"


class ProofSteps:
    """The bytes of a stream that were read but not used yet, and room for the numbers of one step."""

    def __init__(self, stream: IO[bytes], chunk: int = CHUNK) -> None:
        self.stream, self.chunk = stream, chunk
        self.buffer, self.step = np.zeros(chunk, dtype=np.uint8), np.zeros(STEP, dtype=np.int64)
        self.end = self.bytes_read = 0
        self.text, self.ended = True, False

    def more(self, control: Longs) -> bool:
        """Forget the bytes before AT and read more; return False at the end. Raises Rejected if the stream ends in the middle of a step."""
        self.end -= int(control[AT])
        self.buffer[: self.end] = self.buffer[control[AT] : control[AT] + self.end].copy()
        control[AT] = 0
        if self.end == self.buffer.size:
            self.buffer = np.append(self.buffer, np.zeros_like(self.buffer))
        block = self.stream.read(min(self.chunk, self.buffer.size - self.end))
        if self.bytes_read == 0 and block:
            self.text = block[0] not in b"ad"
        self.bytes_read += len(block)
        if not block:
            if self.end == 0 and control[PHASE] == BEGIN:
                return False
            if not self.text or self.ended:
                raise Rejected(f"LRAT step {control[RECORDS] + 1}: the file ends in the middle of it")
            block, self.ended = b"\n", True  # the last line may lack its end
        self.buffer[self.end : self.end + len(block)] = np.frombuffer(block, dtype=np.uint8)
        self.end += len(block)
        return True

    def widen(self, control: Longs, most: int | None = None) -> None:
        """Double the room for the numbers of a step. Raises Rejected if the room exceeds ``most`` already."""
        if most is not None and self.step.size > most:
            raise Rejected(f"LRAT step {control[RECORDS] + 1}: it has more numbers than there are variables and clauses")
        self.step = np.append(self.step, np.zeros_like(self.step))

    def reason(self, why: str, control: Longs) -> str:
        """Return a message on the error of a step."""
        clause = f" (clause {self.step[0]})" if control[KIND] == ADD and self.step[0] > 0 else ""
        return f"LRAT step {control[RECORDS] + 1}{clause}: {why.format(control[DETAIL])}"


@part
def blanks(buffer: Bytes, at: int, end: int) -> int:
    """Return the first position that holds no blank."""
    while at < end and (buffer[at] == SPACE or buffer[at] == TAB or buffer[at] == RETURN):
        at += 1
    return at


@part
def text_number(buffer: Bytes, at: int, end: int) -> tuple[int, int]:
    """Read a number of a text line. Return it and the position behind it; MORE or an error replaces the position if there is none."""
    if at == end:
        return 0, MORE
    negative = buffer[at] == MINUS
    if negative:
        at += 1
    first, value = at, 0
    while at < end and ZERO <= buffer[at] <= NINE:
        if value > LARGEST // 10:
            return 0, TOO_LARGE
        if at > first and value == 0:
            return 0, NUMBER
        value = 10 * value + np.int64(buffer[at]) - ZERO
        at += 1
    if at == end:
        return 0, MORE
    if at == first:
        return np.int64(buffer[at]), LINE_END if buffer[at] == LINE and not negative else BYTE
    if (buffer[first] == ZERO and negative) or value > LARGEST:
        return 0, NUMBER if value <= LARGEST else TOO_LARGE
    if buffer[at] != SPACE and buffer[at] != LINE and buffer[at] != TAB and buffer[at] != RETURN:
        return np.int64(buffer[at]), BYTE
    return -value if negative else value, at


@part
def binary_number(buffer: Bytes, at: int, end: int) -> tuple[int, int]:
    """Read a binary number; the results are as in ``text_number``."""
    value, shift = np.int64(0), 0
    while at < end and buffer[at] >= 128:
        if shift > 49:  # eight groups follow each other; a ninth may come last
            return 0, TOO_LARGE
        value |= np.int64(buffer[at] & 127) << shift
        shift += 7
        at += 1
    if at == end:
        return 0, MORE
    if (shift > 0 and buffer[at] == 0) or (shift == 0 and buffer[at] == 1):
        return 0, NUMBER
    value |= np.int64(buffer[at]) << shift
    if value >> 1 > LARGEST:
        return 0, TOO_LARGE
    return -(value >> 1) if value & 1 else value >> 1, at + 1


@part
def read_list(buffer: Bytes, end: int, text: bool, step: Longs, control: Longs) -> int:
    """Append numbers up to a 0 to a step, without the 0. Return DONE, MORE, ROOM or an error."""
    at = control[AT]
    while True:
        if text:
            at = blanks(buffer, at, end)
        control[AT] = at
        if control[SIZE] == step.size:
            return ROOM
        number, at = text_number(buffer, at, end) if text else binary_number(buffer, at, end)
        if at <= MORE:
            control[DETAIL] = number
            return at
        if number == 0:
            control[AT] = at
            return DONE
        step[control[SIZE]] = number
        control[SIZE] += 1


@part
def begin_text(buffer: Bytes, end: int, step: Longs, control: Longs) -> int:
    """Read the beginning of a text line: its number and, if it deletes, the d. Return DONE, MORE or an error.

    Empty lines and comments before it are skipped.
    """
    at = control[AT]
    while control[PHASE] != LEAD:
        if control[PHASE] == COMMENT:
            while at < end and buffer[at] != LINE:
                at += 1
        while at < end and (buffer[at] == SPACE or buffer[at] == TAB or buffer[at] == RETURN or buffer[at] == LINE):
            control[PHASE] = BEGIN
            at += 1
        control[AT] = at
        if at == end:
            return MORE
        if buffer[at] == LETTER_C:
            control[PHASE] = COMMENT
            continue
        number, at = text_number(buffer, at, end)
        if at <= MORE:
            control[DETAIL] = number
            return at
        step[0] = number
        control[PHASE] = LEAD
    while at < end and (buffer[at] == SPACE or buffer[at] == TAB):
        at += 1
    control[AT] = at
    if at + 1 >= end:
        return MORE
    control[KIND] = DELETE if buffer[at] == LETTER_D else ADD
    if control[KIND] == DELETE:
        at += 1
        if buffer[at] != SPACE and buffer[at] != TAB:
            control[DETAIL] = buffer[at]
            return BYTE
    control[AT] = at
    return DONE


@part
def begin_binary(buffer: Bytes, end: int, step: Longs, control: Longs) -> int:
    """Read the letter that begins a binary step and, if it adds a clause, the clause's number. Return DONE, MORE or an error."""
    at = control[AT]
    if at == end:
        return MORE
    control[DETAIL] = buffer[at]
    if buffer[at] != LETTER_A and buffer[at] != LETTER_D:
        return BYTE
    number, behind = np.int64(0), at + 1
    control[KIND] = ADD if buffer[at] == LETTER_A else DELETE
    if control[KIND] == ADD:
        number, behind = binary_number(buffer, at + 1, end)
        if behind <= MORE:
            return behind
    step[0] = number
    control[AT] = behind
    return DONE


@part
def read_step(buffer: Bytes, end: int, text: bool, step: Longs, control: Longs) -> int:
    """Continue reading the step at AT: its KIND, its number, its LITERALS and its HINTS. Return DONE, MORE, ROOM or an error.

    The step becomes [number, literals …, hints …]; a deletion becomes [0, numbers …], and LITERALS is their count. Nothing is read twice:
    AT and PHASE say how far the step is read. The caller sets PHASE to BEGIN when it has used the step.
    """
    if control[PHASE] == READY:
        return DONE
    if control[PHASE] < FIRST:
        if control[PHASE] == BEGIN:
            control[KIND] = control[DETAIL] = step[0] = 0
        status = begin_text(buffer, end, step, control) if text else begin_binary(buffer, end, step, control)
        if status != DONE:
            return status
        number = step[0]
        if control[KIND] == DELETE:
            step[0] = 0
        if number < 0 or (number == 0 and control[KIND] == ADD):
            control[DETAIL] = number
            return ID
        control[SIZE], control[PHASE] = 1, FIRST
    while control[PHASE] < LAST_BYTES:
        status = read_list(buffer, end, text, step, control)
        if status != DONE:
            return status
        if control[PHASE] == FIRST:
            control[LITERALS], control[HINTS] = control[SIZE] - 1, 0
        else:
            control[HINTS] = control[SIZE] - 1 - control[LITERALS]
        control[PHASE] = SECOND if control[PHASE] == FIRST and control[KIND] == ADD else LAST_BYTES
    if text:
        control[AT] = blanks(buffer, control[AT], end)
        if control[AT] == end:
            return MORE
        control[DETAIL] = buffer[control[AT]]
        if control[DETAIL] != LINE:
            return BYTE
        control[AT] += 1
    control[PHASE] = READY
    return DONE


@compiled
def collect(buffer: Bytes, end: int, text: bool, step: Longs, control: Longs, out: Longs) -> tuple[int, int]:
    """Write the steps of a buffer one after the other. Return MORE, ROOM or an error, and the number of numbers written."""
    size = 0
    while True:
        status = read_step(buffer, end, text, step, control)
        if status != DONE:
            return status, size
        numbers = 1 + control[LITERALS] + control[HINTS]
        if size + 2 + numbers > out.size:
            return ROOM, size
        out[size], out[size + 1] = control[LITERALS], control[HINTS]
        for k in range(numbers):
            out[size + 2 + k] = step[k]
        size += 2 + numbers
        control[PHASE] = BEGIN
        control[RECORDS] += 1


def read_steps(stream: IO[bytes]) -> Iterator[Longs]:
    """Yield the steps of a proof, many in one array: each has its numbers of literals and of hints, its number, its literals and its hints.

    A deletion has the number 0, and the numbers of the deleted clauses as literals. Raises Rejected if the proof is malformed.
    """
    control = np.zeros(REGISTERS, dtype=np.int64)
    steps, out = ProofSteps(stream), np.zeros(COLLECTED, dtype=np.int64)
    while steps.more(control):
        status = ROOM
        while status == ROOM:
            status, size = collect(steps.buffer, steps.end, steps.text, steps.step, control, out)
            yield out[:size].copy()
            if status == ROOM and control[PHASE] != READY:
                steps.widen(control)
            elif status == ROOM and size == 0:
                out = np.zeros(2 * out.size, dtype=np.int64)
        if status < 0:
            raise Rejected(steps.reason(FILE_REASONS[status], control))


GONE = -1
TABLE = 1 << 12
LAST, FREE, LIVE, KEPT, NOW, ADDED, DELETED = range(REGISTERS, REGISTERS + 7)
CONTROLS = REGISTERS + 7
OLD_ID, VARIABLE, TAUTOLOGY, UNKNOWN, NOT_UNIT, NO_CONFLICT, RAT, NOT_THERE = range(-8, 0)
REASONS = {
    **FILE_REASONS,
    OLD_ID: "its number {} is not larger than all before",
    VARIABLE: "the formula has no variable {}",
    TAUTOLOGY: "the clause has variable {} and its negation",
    UNKNOWN: "hint {}: there is no such clause, or it was deleted",
    NOT_UNIT: "hint {}: more than one literal of that clause is not false",
    NO_CONFLICT: "its {} hints lead to no contradiction",
    RAT: "hint {} is negative: RAT steps are not accepted, because they may change the solutions",
    NOT_THERE: "clause {} cannot be deleted: there is no such clause, or it was deleted before",
}
MAX_LIVE = 1 << 24
"""Words that clauses may take beyond four times the words of the formula."""


@dataclass(frozen=True)
class LratResult:
    """The size of an accepted refutation."""

    added: int
    deleted: int
    bytes_read: int


class ClauseStore(NamedTuple):
    """The existing clauses, and the assignment."""

    arena: Ints  # the length and the literals of each clause, v or -v as 2v or 2v + 1
    origin: Longs  # where in the arena each clause of the formula begins, or GONE; not hashed, because proofs use neighbours together
    keys: Longs  # hash table of the added clauses: their numbers, 0 for a gap
    places: Longs  # where in the arena each clause of the hash table begins
    false: Longs  # (2 variables + 2,) the last step, as counted by NOW, in which a literal was false
    control: Longs  # the registers of reading; LAST clause number; FREE place of the arena; LIVE words of it; KEPT clauses of
    # the hash table; NOW, the number of the step; ADDED and DELETED clauses


def check_lrat(formula: Clauses, stream: IO[bytes], progress: Callable[[int], None] | None = None, chunk: int = CHUNK) -> LratResult:
    """Check that a stream refutes a formula. ``progress`` receives the number of bytes read so far. Raises Rejected if it does not.

    Reads ``chunk`` bytes at a time, each once, and stores only the existing clauses and the numbers of one step: the size of the formula
    bounds these. A formula with an empty clause needs no steps.
    """
    if np.any(np.diff(formula.start) == 0):
        return LratResult(0, 0, 0)
    store = _store(formula)
    control = store.control
    steps = ProofSteps(stream, chunk)
    while steps.more(control):
        while (status := check(steps.buffer, steps.end, steps.text, steps.step, store)) == ROOM:
            if control[PHASE] == READY:
                store = _with_room(store, int(control[LITERALS]), MAX_LIVE + 4 * (formula.literals.size + len(formula)))
            else:
                steps.widen(control, 2 * (STEP + formula.variables + len(formula) + int(control[KEPT])))
        if progress is not None:
            progress(steps.bytes_read)
        if status == DONE:
            return LratResult(int(control[ADDED]), int(control[DELETED]), steps.bytes_read - steps.end + int(control[AT]))
        if status < 0:
            raise Rejected(steps.reason(REASONS[status], control))
    raise Rejected(f"LRAT: the empty clause does not come; the file ends after step {control[RECORDS]}")


def _store(formula: Clauses) -> ClauseStore:
    """Return a store with the clauses of a formula."""
    if (
        formula.variables >= 1 << 30
        or np.any(np.abs(formula.literals.astype(np.int64)) > formula.variables)
        or np.any(formula.literals == 0)
    ):
        raise ValueError("the formula has literals of variables that it does not have")
    control = np.zeros(CONTROLS, dtype=np.int64)
    store = ClauseStore(
        np.zeros(2 * (formula.literals.size + len(formula)) + 1024, dtype=np.int32),
        np.zeros(len(formula) + 1, dtype=np.int64),
        np.zeros(TABLE, dtype=np.int64),
        np.zeros(TABLE, dtype=np.int64),
        np.full(2 * formula.variables + 2, -1, dtype=np.int64),
        control,
    )
    load(formula.start, formula.literals, store)
    return store


def _with_room(store: ClauseStore, literals: int, most: int) -> ClauseStore:
    """Return the store without gaps, with room for one more clause of ``literals`` literals.

    Raises Rejected if all clauses take more than ``most`` words.
    """
    size, needed = store.arena.size, int(store.control[LIVE]) + literals + 1
    if needed > most:
        raise Rejected(f"LRAT step {store.control[RECORDS] + 1}: the clauses that were not deleted take more than {most:,} words")
    while 2 * needed > size:
        size *= 2
    arena = np.zeros(size, dtype=np.int32)
    used = np.flatnonzero(store.keys)
    store.control[FREE] = 0
    move(store, store.origin, np.flatnonzero(store.origin != GONE), arena)
    move(store, store.places, used[np.argsort(store.places[used])], arena)
    if 2 * (used.size + 1) <= store.keys.size:
        return store._replace(arena=arena)
    twice = np.zeros(2 * store.keys.size, dtype=np.int64)
    larger = store._replace(arena=arena, keys=twice, places=twice.copy())
    rehash(store.keys, store.places, larger)
    return larger


@part
def home(keys: Longs, number: int) -> Any:
    """Return where the search for a number begins in the hash table, whose size is a power of 2."""
    mixed = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(keys.size - 1))


@part
def find(s: ClauseStore, number: int) -> int:
    """Return the position of a number in the hash table, or else of the gap where it would be."""
    at: int = home(s.keys, number)
    while s.keys[at] != number and s.keys[at] != 0:
        at = (at + 1) & (s.keys.size - 1)
    return at


@part
def forget(s: ClauseStore, at: int) -> None:
    """Remove a number from the hash table and close the gap (D. E. Knuth, TAOCP 3, section 6.4, algorithm R)."""
    mask = s.keys.size - 1
    gap, at = at, (at + 1) & mask
    while s.keys[at] != 0:
        if (at - home(s.keys, s.keys[at])) & mask >= (at - gap) & mask:
            s.keys[gap], s.places[gap] = s.keys[at], s.places[at]
            gap = at
        at = (at + 1) & mask
    s.keys[gap] = 0


@part
def place_of(s: ClauseStore, number: int) -> int:
    """Return where in the arena a clause begins, or GONE."""
    if number < s.origin.size:
        return s.origin[number]  # type: ignore[no-any-return]
    at = find(s, number)
    return s.places[at] if s.keys[at] != 0 else GONE


@compiled
def load(start: Longs, literals: Ints, s: ClauseStore) -> None:
    """Put the clauses of a formula into an empty store, numbered from 1."""
    free = 0
    s.origin[0] = GONE
    for i in range(start.size - 1):
        s.origin[i + 1] = free
        s.arena[free] = start[i + 1] - start[i]
        free += 1
        for k in range(start[i], start[i + 1]):
            s.arena[free] = 2 * literals[k] if literals[k] > 0 else 1 - 2 * literals[k]
            free += 1
    s.control[FREE] = s.control[LIVE] = free
    s.control[LAST] = start.size - 1


@compiled
def move(s: ClauseStore, places: Longs, order: Longs, arena: Ints) -> None:
    """Copy clauses to the free end of another arena; ``order`` holds the indices of their places."""
    free = s.control[FREE]
    for k in range(order.size):
        place = places[order[k]]
        places[order[k]] = free
        for i in range(place, place + 1 + s.arena[place]):
            arena[free] = s.arena[i]
            free += 1
    s.control[FREE] = free


@compiled
def rehash(keys: Longs, places: Longs, s: ClauseStore) -> None:
    """Copy a hash table into a larger one that is empty."""
    for k in range(keys.size):
        if keys[k] != 0:
            at = find(s, keys[k])
            s.keys[at], s.places[at] = keys[k], places[k]


@part
def negate(step: Longs, s: ClauseStore) -> int:
    """Make the literals of a step false, and replace them by their codes in the arena. Return 0 or an error."""
    control = s.control
    control[NOW] += 1
    for k in range(1, 1 + control[LITERALS]):
        variable = abs(step[k])
        control[DETAIL] = variable
        if 2 * variable + 1 >= s.false.size:
            return VARIABLE
        literal = 2 * variable + (step[k] < 0)
        if s.false[literal ^ 1] == control[NOW]:
            return TAUTOLOGY
        s.false[literal] = control[NOW]
        step[k] = literal
    return 0


@part
def propagate(step: Longs, s: ClauseStore) -> int:
    """Follow the hints of a step until a clause is all false. Return 0 or an error."""
    control, now = s.control, s.control[NOW]
    first = 1 + control[LITERALS]
    for h in range(first, first + control[HINTS]):
        if step[h] < 0:
            control[DETAIL] = step[h]
            return RAT
    for h in range(first, first + control[HINTS]):
        place = place_of(s, step[h])
        if place == GONE:
            control[DETAIL] = step[h]
            return UNKNOWN
        unit = np.int32(0)
        for k in range(place + 1, place + 1 + s.arena[place]):
            literal = s.arena[k]
            if s.false[literal] != now and literal != unit:
                if unit != 0:
                    control[DETAIL] = step[h]
                    return NOT_UNIT
                unit = literal
        if unit == 0:
            return 0
        s.false[unit ^ 1] = now
    control[DETAIL] = control[HINTS]
    return NO_CONFLICT


@part
def add(step: Longs, s: ClauseStore) -> int:
    """Check a step that adds a clause, and add it. Return MORE, DONE, ROOM or an error."""
    control = s.control
    size = control[LITERALS]
    if step[0] <= control[LAST]:
        control[DETAIL] = step[0]
        return OLD_ID
    if control[FREE] + 1 + size > s.arena.size or 2 * (control[KEPT] + 1) > s.keys.size:
        return ROOM
    status = negate(step, s)
    if status == 0:
        status = propagate(step, s)
    if status < 0:
        return status
    at = find(s, step[0])
    s.keys[at], s.places[at] = step[0], control[FREE]
    s.arena[control[FREE]] = size
    for k in range(1, 1 + size):
        s.arena[control[FREE] + k] = step[k]
    control[FREE] += 1 + size
    control[LIVE] += 1 + size
    control[KEPT] += 1
    control[ADDED] += 1
    control[LAST] = step[0]
    return DONE if size == 0 else MORE


@part
def delete(step: Longs, s: ClauseStore) -> int:
    """Delete the clauses that a step names. Return MORE or an error."""
    control = s.control
    for k in range(1, 1 + control[LITERALS]):
        place = place_of(s, step[k]) if step[k] > 0 else GONE
        if place == GONE:
            control[DETAIL] = step[k]
            return NOT_THERE
        control[LIVE] -= 1 + s.arena[place]
        control[DELETED] += 1
        if step[k] < s.origin.size:
            s.origin[step[k]] = GONE
        else:
            control[KEPT] -= 1
            forget(s, find(s, step[k]))
    return MORE


@compiled
def check(buffer: Bytes, end: int, text: bool, step: Longs, s: ClauseStore) -> int:
    """Check the steps of a buffer. Return MORE at its end, ROOM before a step that needs more room, DONE, or an error."""
    while True:
        status = read_step(buffer, end, text, step, s.control)
        if status != DONE:
            return status
        status = add(step, s) if s.control[KIND] == ADD else delete(step, s)
        if status < 0 or status == ROOM:
            return status
        s.control[PHASE] = BEGIN
        s.control[RECORDS] += 1
        if status == DONE:
            return DONE
