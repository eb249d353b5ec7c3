"""Object code of kernels: found by the processor and the digest of its sources, and loaded by llvmlite alone.

A file of object code lies in ``objects/PROCESSOR`` of the package. Its first line is JSON: the kinds of ``arguments``, what the kernel
``returns`` and the ``sources`` it was made of. The code follows. Its one function, ``kernel``, takes the address of a block of words.
"""

from __future__ import annotations

import ctypes
import json
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .parts import ROOT, kind_of

COUNTING = "x86-64-v4-vpopcntdq"
"""Counts the bits of eight words in one instruction, which the search for exact covers does at each node."""
LEVELS = {
    COUNTING: ("avx512vpopcntdq",),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
}
"""What a processor has beyond the next lower level, the highest first (System V psABI, AMD64)."""
ARM = "arm64"
FOLDER = "objects"
SYMBOL = "kernel"
_loaded: list[Any] = []
"""The code belongs to these."""


class Code(NamedTuple):
    """Object code for one kind of arguments, loaded."""

    call: Callable[[int], int]
    """Takes the address of a block of arguments; returns 0 unless it fails."""
    returns: str
    """The result, as ``struct`` writes it."""


def file_name(name: str, number: int) -> str:
    """Return the name of a file of object code; a kernel has several where it takes several kinds of arguments."""
    return f"{name}-{number}.o"


def folder() -> Path:
    """Return the folder for object code of the package."""
    return Path(sys.modules[ROOT].__spec__.origin or "").parent / FOLDER  # type: ignore[union-attr]


def processors(machine: str, features: dict[str, bool]) -> tuple[str, ...]:
    """Return the names of the processors whose code runs here, the best first."""
    if machine.lower() in ("arm64", "aarch64"):
        return (ARM,)
    names = list(LEVELS) if machine.lower() in ("x86_64", "amd64") else []
    while names and not all(features.get(feature) for name in names for feature in LEVELS[name]):
        names.pop(0)
    return tuple(names)


@cache
def processors_here() -> tuple[str, ...]:
    """Return those of this machine."""
    import llvmlite.binding as llvm

    return processors(platform.machine(), dict(llvm.get_host_cpu_features()))


def code_for(name: str, sources: str, arguments: tuple[Any, ...]) -> Code | None:
    """Return object code for a kernel, by its name, and the kinds of some arguments; None where there is none of these sources."""
    here = folder()
    if not here.is_dir():
        return None
    kinds = kind_of(arguments)
    for processor in processors_here():
        number = 0
        while (file := here / processor / file_name(name, number)).is_file():
            head, _, code = file.read_bytes().partition(b"\n")
            stated = json.loads(head)
            if stated["arguments"] == kinds and stated["sources"] == sources:
                return Code(_load(code), stated["returns"])
            number += 1
    return None


def _load(code: bytes) -> Any:
    """Load object code into the process."""
    import llvmlite.binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _loaded.append(engine)
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(engine.get_function_address(SYMBOL))


def _engine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine(jit=True))
