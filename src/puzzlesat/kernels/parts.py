"""What kernels are made of, and how they, and the kinds of their arguments, are named. Nothing here loads numba."""

from __future__ import annotations

from functools import update_wrapper
from importlib import import_module
from typing import Any

import numpy as np

RESULT = 4
"""The words at the beginning of a block of arguments that the result is written to."""
ROOT = __name__.partition(".")[0]


class Part:
    """A function that kernels are made of."""

    inlined = True
    """Whether LLVM puts it into what calls it."""

    def __init__(self, function: Any) -> None:
        update_wrapper(self, function)
        self.function = function
        self.typed: Any = None
        """What stands for it in the code that numba compiles."""

    def __call__(self, *arguments: Any) -> Any:
        """Run it in Python, where NUMBA_DISABLE_JIT has kernels run so."""
        return self.function(*arguments)


class Instruction(Part):
    """A part whose LLVM code is given."""


def name_of(kernel: Part | type) -> str:
    """Return the name of a kernel, or of a class of its arguments, within its package: puzzlesat, or that of the checker alone."""
    module: str = kernel.__module__
    return f"{module.removeprefix(f'{ROOT}.')}.{kernel.__qualname__}"  # type: ignore[union-attr]


def kernel_named(name: str) -> Any:
    """Return the kernel, or the class, of a name that ``name_of`` gave; its module is loaded."""
    module, _, own = name.rpartition(".")
    return getattr(import_module(f"{ROOT}.{module}"), own)


def kind_of(argument: Any) -> str:
    """Return the kind of an argument as text: ``i8``, ``u8[:,:]`` or, of a named tuple, ``solvers.kernel.State(i4[:], ...)``.

    Raises TypeError for what no kernel takes.
    """
    if isinstance(argument, tuple):
        inside = ", ".join(map(kind_of, argument))
        return f"{name_of(type(argument))}({inside})" if hasattr(argument, "_fields") else f"({inside},)"
    if isinstance(argument, np.ndarray):
        return f"{argument.dtype.kind}{argument.itemsize}[{','.join(':' * argument.ndim)}]"
    if isinstance(argument, np.generic):
        return f"{argument.dtype.kind}{argument.itemsize}"
    return {bool: "b1", int: "i8", float: "f8"}[type(argument)]
