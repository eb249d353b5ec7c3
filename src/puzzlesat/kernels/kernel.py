"""Kernels: inner loops in the Python that numba compiles, called as object code if the package has some for this processor.

``compiled`` makes a kernel of a function, ``part`` a function that kernels call. Neither loads numba. A kernel takes numbers, arrays in C
order, and tuples of them; it allocates nothing. The first call with new kinds of arguments looks for object code of the same sources. If
there is none, numba compiles the kernel (``numba_compiler``) and caches the code.

The sources of a module's compiled code are the module, the modules that it imports from its own package, and so on, because parts and
constants of other modules go into the code. Compiled code is reused only if the digest of all its sources is the same. Otherwise code
compiled before a change, by an upgrade perhaps, would still be used.

A file of object code is in ``objects/PROCESSOR`` of the package. Its first line is JSON: the kinds of ``arguments``, the layout that the
kernel ``returns``, and the digest of the ``sources``. The code follows. Its only function, ``kernel``, takes the address of a block of
words. If a shared library of the same code is beside it, the system loads that; else llvmlite loads the code.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import platform
import re
import struct
import sys
from array import array
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import behind
from .parts import RESULT, ROOT, Part, kind_of, name_of

_IMPORT = re.compile(r"^(?:from (\.*)([\w.]*) import (\([^)]*\)|.*)|import (.*))", re.MULTILINE)


class _Source(NamedTuple):
    spec: Any
    digest: str
    imported: set[str]
    """The names of the modules that its source imports, and some names that are no modules."""


_read: dict[str, _Source] = {}
"""Sources by module, read once for each load of the module: an upgrade may change the file while the process runs."""


def read_source(name: str) -> _Source:
    """Read the source of a module that is loaded, or is being loaded."""
    module: Any = sys.modules[name]
    if name not in _read or _read[name].spec is not module.__spec__:
        content: bytes = module.__spec__.loader.get_data(module.__spec__.origin)
        imported = _imported(module.__package__, content.decode(errors="replace"))
        _read[name] = _Source(module.__spec__, hashlib.sha256(content).hexdigest(), imported)
    return _read[name]


def _imported(package: str, text: str) -> set[str]:
    imported, above = set(), package.split(".")
    for dots, base, names, modules in _IMPORT.findall(text):
        near = above[: len(above) + 1 - len(dots)] if dots else []
        start = ".".join([*near, *filter(None, [base])])
        imported |= {start, *(f"{start}.{word}" for word in re.findall(r"\w+", names)), *re.findall(r"[\w.]+", modules)}
    return imported


def sources(module: str) -> set[str]:
    """Return the names of the modules whose sources the compiled code of a module can depend on."""
    ours = {name.partition(".")[0] for name in (module, __name__)}
    found, rim = set[str](), {module}
    while rim:
        found |= rim
        near = {name for known in rim for name in read_source(known).imported if name.partition(".")[0] in ours}
        imported = set(map(_behind_door, near))
        rim = {name for name in imported - found if name in sys.modules and name.partition(".")[0] in ours and not _has_door(name)}
    return found


def _has_door(name: str) -> bool:
    return hasattr(sys.modules.get(name), "__getattr__")


def _behind_door(name: str) -> str:
    """Return the module that defines a name of a room's door; the name itself if it is on no door."""
    room, _, own = name.rpartition(".")
    return behind(room).get(own, name) if _has_door(room) else name


def _compilers() -> list[str]:
    """Return the digests of the modules that compile: no kernel imports them, but their options change the code."""
    found = []
    for name in ("numba_compiler.py", "emit.py"):
        content: bytes = __spec__.loader.get_data(str(Path(__spec__.origin).with_name(name)))  # type: ignore[union-attr,arg-type]
        found.append(f"{name} {hashlib.sha256(content).hexdigest()}")
    return found


_COMPILED_BY = _compilers()
_digests: dict[str, tuple[Any, str]] = {}
"""Digests by module, each with the load of the module that it is for."""


def digest(module: str) -> str:
    """Return a digest of all sources of the compiled code of a module, and of the modules that compile them."""
    spec = sys.modules[module].__spec__
    if _digests.get(module, (None,))[0] is not spec:
        _digests[module] = spec, _digest(module)
    return _digests[module][1]


def _digest(module: str) -> str:
    made_of = [f"{name.removeprefix(f'{ROOT}.')} {read_source(name).digest}" for name in sources(module)] + _COMPILED_BY
    return hashlib.sha256("\n".join(sorted(made_of)).encode()).hexdigest()[:16]


COUNTING = "x86-64-v4-vpopcntdq"
"""The level with an instruction that counts the bits of eight words, which the search for exact covers does at each node."""
LEVELS = {
    COUNTING: ("avx512vpopcntdq",),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"),
}
"""Features of each level beyond the next lower level, the highest first (System V psABI, AMD64)."""
IN_LINUX = {
    "abm": "lzcnt", "avx512_vpopcntdq": "avx512vpopcntdq", "bmi1": "bmi", "lahf_lm": "sahf",
    "pni": "sse3", "sse4_1": "sse4.1", "sse4_2": "sse4.2",
}  # fmt: skip
"""Features that have other names in ``/proc/cpuinfo`` than in LLVM."""
ARM = "arm64"
FOLDER = "objects"
SYMBOL = "kernel"
_loaded: list[Any] = []
"""The engines that own the loaded code."""


class Code(NamedTuple):
    """Loaded object code for one kind of arguments."""

    call: Callable[[int], int]
    """Takes the address of a block of arguments; returns 0 unless the kernel fails."""
    returns: str
    """The layout of the result for ``struct``."""


def file_name(name: str, number: int) -> str:
    """Return the name of a file of object code; a kernel has a file for each kind of arguments."""
    return f"{name}-{number}.o"


def folder() -> Path:
    """Return the folder for object code of the package."""
    return Path(sys.modules[ROOT].__spec__.origin or "").parent / FOLDER  # type: ignore[union-attr]


def processors(machine: str, features: dict[str, bool]) -> tuple[str, ...]:
    """Return the processor levels whose code runs on a machine, the best first."""
    if machine.lower() in ("arm64", "aarch64"):
        return (ARM,)
    names = list(LEVELS) if machine.lower() in ("x86_64", "amd64") else []
    while names and not all(features.get(feature) for name in names for feature in LEVELS[name]):
        names.pop(0)
    return tuple(names)


@cache
def processors_here() -> tuple[str, ...]:
    """Return the processor levels of this machine, the best first."""
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii") as file:
            flags = next(line for line in file if line.startswith("flags")).split()
        return processors(platform.machine(), dict.fromkeys((IN_LINUX.get(flag, flag) for flag in flags), True))
    except (OSError, ValueError, StopIteration):  # another system, or another kind of processor
        import llvmlite.binding as llvm

        return processors(platform.machine(), dict(llvm.get_host_cpu_features()))


def code_for(name: str, sources: str, arguments: tuple[Any, ...]) -> Code | None:
    """Return object code for a kernel, by its name and the kinds of its arguments; None if there is none of these sources."""
    here = folder()
    if not here.is_dir():
        return None
    kinds = kind_of(arguments)
    for processor in processors_here():
        number = 0
        while (file := here / processor / file_name(name, number)).is_file():
            with file.open("rb") as content:
                stated = json.loads(content.readline())
                if stated["arguments"] == kinds and stated["sources"] == sources:
                    return Code(_library(library_name(file, sources)) or _load(content.read()), stated["returns"])
            number += 1
    return None


def library_name(file: Path, sources: str) -> Path:
    """Return the shared library of a file of object code; its name has the digest of its sources."""
    return file.with_name(f"{file.stem}-{sources}.so")


def _library(file: Path) -> Any:
    """Return the kernel in a shared library, or None if there is none that the system can load."""
    try:
        function = ctypes.CDLL(str(file))[SYMBOL]
    except OSError:
        return None
    function.restype, function.argtypes = ctypes.c_int32, (ctypes.c_void_p,)
    return function


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


Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

MAX_REMEMBERED = 16 << 20
"""Maximum size in bytes of the arrays of a tuple that a kernel remembers from call to call."""


class Flat(NamedTuple):
    """An argument, or all arguments, as words of 64 bits."""

    kinds: tuple[Any, ...]
    words: list[int]
    arrays: tuple[np.ndarray[Any, Any], ...] = ()
    sizes: tuple[int, ...] = ()
    """Sizes of the arrays in bytes at the time of conversion: an array that was resized since may lie elsewhere."""

    def holds(self) -> bool:
        """Tell whether the arrays are where they were."""
        return tuple([array.nbytes for array in self.arrays]) == self.sizes


class Kernel(Part):
    """An inner loop. Call it like the function that it was made of."""

    inlined = False

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self.sources = digest(function.__module__)
        """Digest of the sources at the time of loading: files may change while the process runs."""
        self.made: Any = None
        """numba's dispatcher, if there is no object code."""
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
            from .numba_compiler import dispatcher  # it loads numba

            self.made = dispatcher(self.function, self.sources)
            return self.made(*arguments)
        block = array("q", flat.words)
        if code.call(block.buffer_info()[0]):
            raise RuntimeError(f"{name_of(self)} failed")
        result = struct.unpack_from(code.returns, block)
        return result if len(result) > 1 else result[0] if result else None

    def _flat(self, arguments: tuple[Any, ...]) -> Flat:
        """Return all arguments as words. Most calls have the same tuples as the call before."""
        kinds: list[Any] = []
        words = [0] * RESULT
        for place, argument in enumerate(arguments):
            if not isinstance(argument, tuple):
                _add(argument, kinds, words)
                continue
            seen, flat = self._last.get(place, (None, None))
            if flat is None or seen is not argument or not flat.holds():
                flat = _flat_tuple(argument)
                if sum(flat.sizes) < MAX_REMEMBERED:
                    self._last[place] = argument, flat
                else:
                    self._last.pop(place, None)
            kinds += flat.kinds
            words += flat.words
        return Flat(tuple(kinds), words)


def compiled(function: Function) -> Function:
    """Make a kernel of a function, which must not allocate."""
    made: Any = Kernel(function)
    return made  # type: ignore[no-any-return]


def part(function: Callable[..., Result]) -> Callable[..., Result]:
    """Make a part of kernels of a function. Its arguments need only have the attributes that it uses."""
    return Part(function)


def _flat_tuple(argument: tuple[Any, ...]) -> Flat:
    """Return a tuple as words, with its arrays."""
    kinds: list[Any] = []
    words: list[int] = []
    _add(argument, kinds, words)
    arrays = tuple(_arrays(argument))
    return Flat(tuple(kinds), words, arrays, tuple([array.nbytes for array in arrays]))


def _arrays(argument: Any) -> list[np.ndarray[Any, Any]]:
    """Return the arrays in an argument."""
    if isinstance(argument, tuple):
        return [array for each in argument for array in _arrays(each)]
    return [argument] if isinstance(argument, np.ndarray) else []


def _add(argument: Any, kinds: list[Any], words: list[int]) -> None:
    """Add an argument in numba's calling convention: an array is an owner, a parent, sizes, an address, a shape and strides."""
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
    """Return the 64 bits of a number as a signed integer."""
    if isinstance(number, (float, np.floating)):
        return ctypes.c_int64.from_buffer(ctypes.c_double(float(number))).value
    return ctypes.c_int64(int(number)).value
