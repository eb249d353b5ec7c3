"""Kernels: inner loops in the Python that numba compiles, called as object code where the package has some for this processor.

``compiled`` makes a kernel of a function, ``part`` a function that kernels are made of. Neither loads numba. A kernel takes numbers, arrays
in C order, and tuples of them; it allocates nothing. The first call with new kinds of arguments looks for object code
(``objects``) that was made of the same sources. Where there is none, numba compiles (``bynumba``) and keeps what it made.
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .objects import Code, code_for
from .parts import RESULT, Part, name_of
from .sources import digest

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

MOST_REMEMBERED = 16 << 20
"""Bytes of the arrays of a tuple that a kernel remembers from call to call."""


class Flat(NamedTuple):
    """An argument, or all of them, as words."""

    kinds: tuple[Any, ...]
    words: list[int]
    arrays: tuple[np.ndarray[Any, Any], ...] = ()
    sizes: tuple[int, ...] = ()
    """Bytes of the arrays when this was made: an array that was resized since lies somewhere else."""

    def holds(self) -> bool:
        """Whether the arrays lie where they lay."""
        return tuple([array.nbytes for array in self.arrays]) == self.sizes


class Kernel(Part):
    """An inner loop. Call it like the function that it was made of."""

    inlined = False

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self.sources = digest(function.__module__)
        """Of what was loaded: files may change while the process runs."""
        self.made: Any = None
        """What numba compiles it with, where there is no object code."""
        self._code: dict[tuple[Any, ...], Code | None] = {}
        self._last: dict[int, tuple[tuple[Any, ...], Flat]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop."""
        if self.made is not None:
            return self.made(*arguments)
        flat = self._flat(arguments)
        if flat.kinds not in self._code:
            self._code[flat.kinds] = code_for(name_of(self), self.sources, arguments)
        code = self._code[flat.kinds]
        if code is None:
            from .bynumba import dispatcher  # it loads numba

            self.made = dispatcher(self.function, self.sources)
            return self.made(*arguments)
        block = array("q", flat.words)
        if code.call(block.buffer_info()[0]):
            raise RuntimeError(f"{name_of(self)} failed")
        result = struct.unpack_from(code.returns, block)
        return result if len(result) > 1 else result[0] if result else None

    def _flat(self, arguments: tuple[Any, ...]) -> Flat:
        """All arguments as words. Most calls have the tuples of the call before."""
        kinds: list[Any] = []
        words = [0] * RESULT
        for place, argument in enumerate(arguments):
            if not isinstance(argument, tuple):
                _add(argument, kinds, words)
                continue
            seen, flat = self._last.get(place, (None, None))
            if flat is None or seen is not argument or not flat.holds():
                flat = _flat_tuple(argument)
                if sum(flat.sizes) < MOST_REMEMBERED:
                    self._last[place] = argument, flat
                else:
                    self._last.pop(place, None)
            kinds += flat.kinds
            words += flat.words
        return Flat(tuple(kinds), words)


def compiled(function: Function) -> Function:
    """Make a kernel of a function. It allocates nothing."""
    made: Any = Kernel(function)
    return made  # type: ignore[no-any-return]


def part(function: Callable[..., Result]) -> Callable[..., Result]:
    """Make a part of kernels of a function. Its arguments need only have what it uses."""
    return Part(function)


def _flat_tuple(argument: tuple[Any, ...]) -> Flat:
    """A tuple as words, with its arrays."""
    kinds: list[Any] = []
    words: list[int] = []
    _add(argument, kinds, words)
    arrays = tuple(_arrays(argument))
    return Flat(tuple(kinds), words, arrays, tuple([array.nbytes for array in arrays]))


def _arrays(argument: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays in an argument."""
    if isinstance(argument, tuple):
        return [array for each in argument for array in _arrays(each)]
    return [argument] if isinstance(argument, np.ndarray) else []


def _add(argument: Any, kinds: list[Any], words: list[int]) -> None:
    """Add an argument, as numba's functions take it: an array is an owner, a parent, sizes, an address, a shape and strides."""
    if isinstance(argument, np.ndarray):
        if not argument.flags.c_contiguous:
            raise TypeError("a kernel takes arrays in C order")
        kinds.append((argument.dtype, argument.ndim))
        words += (0, 0, argument.size, argument.itemsize, argument.ctypes.data, *argument.shape, *argument.strides)
        return
    kinds.append(type(argument))
    if not isinstance(argument, tuple):
        words.append(_word(argument))
        return
    kinds.append(len(argument))
    for each in argument:
        _add(each, kinds, words)


def _word(number: Any) -> int:
    """A number as the 64 bits of a signed one."""
    if isinstance(number, (float, np.floating)):
        return ctypes.c_int64.from_buffer(ctypes.c_double(float(number))).value
    return ctypes.c_int64(int(number)).value
