"""The LRAT format, text and binary: the steps of a proof, read from a stream in pieces of any size.

Text: a step a line, ``ID literals 0 hints 0`` or ``ID d IDs 0``; lines that begin with ``c``, and empty ones, are left out. Binary, as
drat-trim's ``compress`` and CaDiCaL write it: ``a`` ID literals 0 hints 0 and ``d`` IDs 0, every number n as 2|n| + (n < 0) in groups of 7
bits, the lowest first, the top bit of a byte set where another follows (README of drat-trim, "Binary DRAT format"). A file is binary when
its first byte is ``a`` or ``d``: a line of text never begins so.

Numbers are written in one way only: without leading zeros, superfluous bytes or a minus before 0. The number at the front of a text line
that deletes means nothing.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from .arrays import Bytes, Longs
from .kernels import part
from .rejected import Rejected

CHUNK = 1 << 20
"""Bytes read at a time."""
STEP = 1 << 12
"""Numbers of a step that there is room for at first."""
LARGEST = (1 << 61) - 1
"""The largest number that is read; twice that and one fits a 64-bit word."""

AT, KIND, LITERALS, HINTS, DETAIL, RECORDS, PHASE, SIZE = range(8)
"""Registers: place in the buffer; kind of the step, how many literals, how many hints; DETAIL of what is wrong; RECORDS read; how far the
step was read, and how many numbers of it there are so far."""
REGISTERS = 8
"""Whoever uses the steps may have more registers from this one on."""
ADD, DELETE = 1, 2
BEGIN, COMMENT, LEAD, FIRST, SECOND, LAST_BYTES, READY = range(7)
"""How far a step was read: nothing of it; in a comment before it; its number; in its literals; in its hints; all numbers; all of it."""
MORE, DONE, ROOM = 0, 1, 2
"""What reading wants: more bytes, nothing (the step is there), more room for the step."""
BYTE, NUMBER, TOO_LARGE, LINE_END, ID = range(-13, -8)
"""Or why it ends."""
REASONS = {
    BYTE: "a byte that does not belong there ({})",
    NUMBER: "a number that is not written as it should be",
    TOO_LARGE: "a number that is too large",
    LINE_END: "the line ends before the 0 that ends the step",
    ID: "{} is not the number of a clause",
}
SPACE, TAB, RETURN, LINE, MINUS, ZERO, NINE, LETTER_A, LETTER_C, LETTER_D = b" \t\r\n-09acd"


class Steps:
    """The bytes of a stream that were read and not used yet, and room for the numbers of one step."""

    def __init__(self, stream: IO[bytes], chunk: int = CHUNK) -> None:
        self.stream, self.chunk = stream, chunk
        self.buffer, self.step = np.zeros(chunk, dtype=np.uint8), np.zeros(STEP, dtype=np.int64)
        self.end = self.bytes_read = 0
        self.text, self.ended = True, False

    def more(self, control: Longs) -> bool:
        """Forget the bytes before AT and read more; False at the end. Raises Rejected where the stream ends in the middle of a step."""
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
            block, self.ended = b"\n", True  # so that the last line may lack its end
        self.buffer[self.end : self.end + len(block)] = np.frombuffer(block, dtype=np.uint8)
        self.end += len(block)
        return True

    def widen(self, control: Longs, most: int | None = None) -> None:
        """Make room for a step of twice as many numbers. Raises Rejected where it then has more than ``most``."""
        if most is not None and self.step.size > most:
            raise Rejected(f"LRAT step {control[RECORDS] + 1}: it has more numbers than there are variables and clauses")
        self.step = np.append(self.step, np.zeros_like(self.step))

    def reason(self, why: str, control: Longs) -> str:
        """Say what is wrong with a step, and with which."""
        clause = f" (clause {self.step[0]})" if control[KIND] == ADD and self.step[0] > 0 else ""
        return f"LRAT step {control[RECORDS] + 1}{clause}: {why.format(control[DETAIL])}"


@part
def blanks(buffer: Bytes, at: int, end: int) -> int:
    """Return the first place that holds no blank."""
    while at < end and (buffer[at] == SPACE or buffer[at] == TAB or buffer[at] == RETURN):
        at += 1
    return at


@part
def text_number(buffer: Bytes, at: int, end: int) -> tuple[int, int]:
    """Read a number of a line of text. Returns it and the place behind it; that is MORE or below where there is none."""
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
    """Read a number in binary, in the same way."""
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
    """Append numbers up to a 0 to a step, without it. Returns DONE, MORE, ROOM or what is wrong."""
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
    """Read what stands before the numbers of a line: its own number and, where it deletes, the d. Returns DONE, MORE or what is wrong.

    Empty lines and comments before it are left out.
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
    """Read the letter with which a step in binary begins, and the number of the clause that it adds, in the same way."""
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
    """Go on with the step at AT: KIND, its number, LITERALS of them, HINTS of them. Returns DONE, MORE, ROOM or what is wrong.

    The step becomes [number, literals …, hints …]; a deletion becomes [0, numbers …], and LITERALS is their count. What was read of it is
    not read again: AT and PHASE say how far that is. Whoever has used it sets PHASE to BEGIN.
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
