"""Kernels compiled by numba, where there is no object code of the same sources; what was compiled is kept.

numba knows kept code again by the one file that its function is in. So the name of each file that is kept ends in a digest of all
sources of the code (``sources``) and of the versions of what compiles. numba decides where the files lie: in ``__pycache__``, in a folder
of the user's where that cannot be written, or in ``NUMBA_CACHE_DIR``.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import njit, types
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.registry import cpu_target
from numba.extending import intrinsic, typeof_impl

from .compile_time import compiling
from .parts import Instruction, Part, kernel_named

# mypy: allow-untyped-calls, allow-untyped-decorators


_OPTIONS: Any = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
"""Arrays are not counted references here: nothing is allocated, and counting would cost more than the work itself. What is not needed is
not made: it takes time to compile."""
_INLINED: Any = {"forceinline": True, "no_cpython_wrapper": True}
AHEAD: Any = _OPTIONS | {"no_cpython_wrapper": True}
"""For code that Python does not call through numba."""
_VERSIONS = [sys.version, *(f"{library.__name__} {library.__version__}" for library in (numba, llvmlite, np))]


class _Files(CompileResultCacheImpl):
    """Names of files that tell the sources."""

    def __init__(self, function: Any, sources: str) -> None:
        self.digest = hashlib.sha256("\n".join([*_VERSIONS, sources]).encode()).hexdigest()[:16]
        super().__init__(function)

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{self.digest}"


class _Kept(FunctionCache):
    def __init__(self, function: Any, sources: str) -> None:
        self._impl_class: Any = partial(_Files, sources=sources)
        super().__init__(function)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, and nothing that this Python compiled of other sources of the module."""
        super().save_overload(sig, data)
        module, python = self._impl.filename_base.partition(".")[0], "py{}{}".format(*sys.version_info)
        for file in Path(self.cache_path).glob(f"{module}.*.{python}*.nb[ic]*"):
            if self._impl.digest not in file.name:
                with suppress(OSError):  # another process was first, or is using it
                    file.unlink()


class _Watch(event.Listener):
    """Keeps the time that numba compiles for; code that goes into other code is compiled meanwhile."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """Begin, unless it has begun."""
        if self.depth == 0:
            self.wall, self.cpu = monotonic(), process_time()
            compiling.begins()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """End what began first."""
        self.depth -= 1
        if self.depth == 0:
            compiling.wall += monotonic() - self.wall
            compiling.cpu += process_time() - self.cpu


event.register("numba:compile", _Watch())


def dispatcher(function: Any, sources: str) -> Any:
    """Return what compiles a kernel for the arguments that it is called with; where nothing can be kept, in each process."""
    made = njit(**_OPTIONS)(function)
    if hasattr(made, "py_func"):  # NUMBA_DISABLE_JIT leaves functions as they are
        with suppress(OSError, RuntimeError):
            made._cache = _Kept(function, sources)
    return made


@typeof_impl.register(Part)
def _part(value: Part, _context: Any) -> Any:
    """Make a part of compiled code when a kernel names it."""
    if value.typed is None:
        options = _INLINED | _OPTIONS if value.inlined else _OPTIONS
        value.typed = intrinsic(value.function) if isinstance(value, Instruction) else njit(**options)(value.function)
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(value.typed)


def types_of(kinds: str) -> tuple[Any, ...]:
    """Return numba's types of the arguments that ``parts.kind_of`` describes."""
    return tuple(map(_type, ast.parse(kinds, mode="eval").body.elts))  # type: ignore[attr-defined]


def _type(node: Any) -> Any:
    if isinstance(node, ast.Tuple):
        return types.Tuple(list(map(_type, node.elts)))
    if isinstance(node, ast.Call):
        return types.BaseTuple.from_types(list(map(_type, node.args)), kernel_named(ast.unparse(node.func)))
    if isinstance(node, ast.Subscript):
        return types.Array(_type(node.value), len(getattr(node.slice, "elts", "1")), "C")
    return numba.from_dtype(np.dtype(node.id))
