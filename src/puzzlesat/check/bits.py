"""How inner loops are compiled by numba, and what they ask of sets of bits in 64-bit words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

from .arrays import Words
from .kept import keep

Function = TypeVar("Function", bound=Callable[..., Any])

ONE = np.uint64(1)
_OPTIONS: Any = {"nogil": True, "_nrt": False}
"""Arrays are not counted references here: nothing can be allocated."""
_INLINED: Any = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """Compile an inner loop in which nothing is allocated; the code is kept."""
    made: Function = keep(njit(**_OPTIONS)(function))
    return made


def part(function: Function) -> Function:
    """Compile a function that compiled functions are made of."""
    made: Function = njit(**_INLINED, **_OPTIONS)(function)
    return made


@part
def popcount(word: Any) -> int:
    """Return the number of 1 bits of a word; LLVM makes one instruction of it."""
    count = 0
    while word:
        word &= word - ONE
        count += 1
    return count


@part
def lowest_bit(word: Any) -> int:
    """Return the index of the lowest 1 bit of a word that is not 0."""
    return popcount(~word & (word - ONE))


@part
def add(row: Words, number: int) -> None:
    """Put a number into a set."""
    row[number >> 6] |= ONE << np.uint64(number & 63)


@part
def remove(row: Words, number: int) -> None:
    """Take a number out of a set."""
    row[number >> 6] &= ~(ONE << np.uint64(number & 63))
