"""Parts of kernels, among them machine instructions on bits; and the names of kernels and of the kinds of their arguments.

Nothing here loads numba: an instruction imports it when it gives numba its types and its LLVM code.
"""

from __future__ import annotations

from functools import update_wrapper
from importlib import import_module
from typing import Any

import numpy as np

RESULT = 4
"""Number of words at the beginning of a block of arguments that receive the result."""
ROOT = __name__.partition(".")[0]


class Part:
    """A function that kernels call."""

    inlined = True
    """True if LLVM inlines it into its callers."""

    def __init__(self, function: Any) -> None:
        update_wrapper(self, function)
        self.function = function
        self.typed: Any = None
        """The counterpart of the part in code that numba compiles."""

    def __call__(self, *arguments: Any) -> Any:
        """Run the function in Python, as NUMBA_DISABLE_JIT makes kernels do."""
        return self.function(*arguments)


class Instruction(Part):
    """A part that is written in LLVM code."""


@Instruction
def popcount(_typing: Any, _word: Any) -> Any:
    """Return the number of 1 bits of a 64-bit word."""
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


@Instruction
def lowest_bit(_typing: Any, _word: Any) -> Any:
    """Return the index of the lowest 1 bit of a 64-bit word that is not 0."""
    from llvmlite import ir
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


@Instruction
def highest_bit(_typing: Any, _word: Any) -> Any:
    """Return 1 + index of the highest 1 bit of a 64-bit word; 0 for 0."""
    from llvmlite import ir
    from numba import types

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return types.uint64(types.uint64), code


def name_of(kernel: Part | type) -> str:
    """Return the name of a kernel, or of a class of its arguments, within its package: puzzlesat, or the stand-alone checker."""
    module: str = kernel.__module__
    return f"{module.removeprefix(f'{ROOT}.')}.{kernel.__qualname__}"  # type: ignore[union-attr]


def kernel_named(name: str) -> Any:
    """Return the kernel or class with a name from ``name_of``; its module is loaded."""
    module, _, own = name.rpartition(".")
    return getattr(import_module(f"{ROOT}.{module}"), own)


def kind_of(argument: Any) -> str:
    """Return the kind of an argument as text: ``i8``, ``u8[:,:]`` or, of a named tuple, ``solvers.kernel.State(i4[:], ...)``.

    Raises KeyError for an argument that no kernel takes.
    """
    if isinstance(argument, tuple):
        inside = ", ".join(map(kind_of, argument))
        return f"{name_of(type(argument))}({inside})" if hasattr(argument, "_fields") else f"({inside},)"
    if isinstance(argument, np.ndarray):
        return f"{argument.dtype.kind}{argument.itemsize}[{','.join(':' * argument.ndim)}]"
    if isinstance(argument, np.generic):
        return f"{argument.dtype.kind}{argument.itemsize}"
    return {bool: "b1", int: "i8", float: "f8"}[type(argument)]
