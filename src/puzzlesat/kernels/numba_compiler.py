"""Kernels compiled by numba if there is no object code of the same sources; the compiled code is cached.

numba identifies cached code by the file of its function alone. So the name of each cache file ends in a digest of all sources of the code
(``sources``) and of the versions of the compilers. numba chooses the folder: ``__pycache__``, a folder of the user's if that cannot be
written, or ``NUMBA_CACHE_DIR``.
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
"""Arrays are not reference-counted: kernels allocate nothing, and counting would cost more than the work itself.

Wrappers that are not needed are not made, because they take time to compile.
"""
_INLINED: Any = {"forceinline": True, "no_cpython_wrapper": True}
AHEAD: Any = _OPTIONS | {"no_cpython_wrapper": True}
"""Options for code that Python does not call through numba."""
_VERSIONS = [sys.version, *(f"{library.__name__} {library.__version__}" for library in (numba, llvmlite, np))]


class _Files(CompileResultCacheImpl):
    """Cache files whose names hold a digest of the sources."""

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
        """Cache compiled code, and delete the code that this Python compiled from other sources of the module."""
        super().save_overload(sig, data)
        module, python = self._impl.filename_base.partition(".")[0], "py{}{}".format(*sys.version_info)
        for file in Path(self.cache_path).glob(f"{module}.*.{python}*.nb[ic]*"):
            if self._impl.digest not in file.name:
                with suppress(OSError):  # another process was first, or is using it
                    file.unlink()


class _Watch(event.Listener):
    """A listener that measures the time that numba spends compiling; code compiled as a part of other code counts once."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """Start the clock unless it runs already."""
        if self.depth == 0:
            self.wall, self.cpu = monotonic(), process_time()
            compiling.begins()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """Stop the clock when the outermost compilation ends."""
        self.depth -= 1
        if self.depth == 0:
            compiling.wall += monotonic() - self.wall
            compiling.cpu += process_time() - self.cpu


event.register("numba:compile", _Watch())


def dispatcher(function: Any, sources: str) -> Any:
    """Return a dispatcher that compiles a kernel for the arguments of a call; if nothing can be cached, in each process."""
    made = njit(**_OPTIONS)(function)
    if hasattr(made, "py_func"):  # NUMBA_DISABLE_JIT leaves functions as they are
        with suppress(OSError, RuntimeError):
            made._cache = _Kept(function, sources)
    return made


@typeof_impl.register(Part)
def _part(value: Part, _context: Any) -> Any:
    """Make a part compilable when a kernel names it; return its type."""
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
