"""Compiled code is kept from one run to the next, and used again only where all that it is made of is the same.

numba knows kept code again by the one file that its function stands in. But parts and constants of other modules go into it too: what was
compiled before one of these was changed, by an upgrade perhaps, would count as of then. So the name of each file that is kept ends in a
digest of all sources of the code: its module, what this imports from its own package, and so on; and of the versions of what compiles.
Where the files lie is left to numba: in ``__pycache__``, in a folder of the user's where that cannot be written, or in ``NUMBA_CACHE_DIR``.

The checker of certificates has the same file, as it imports nothing of the rest.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import hashlib
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from numba.core.caching import CompileResultCacheImpl, FunctionCache

_IMPORT = re.compile(r"^(?:from (\.*)([\w.]*) import (\([^)]*\)|.*)|import (.*))", re.MULTILINE)
_VERSIONS = [sys.version, *(f"{name} {sys.modules[name].__version__}" for name in ("numba", "llvmlite", "numpy"))]


class _Source(NamedTuple):
    spec: Any
    digest: str
    imported: set[str]
    """The names of modules that are imported when it is loaded, and some that are none."""


_read: dict[str, _Source] = {}
"""Read once each time that a module is loaded: an upgrade may change the file while the process runs."""


def _source(name: str) -> _Source:
    """Return the source of a module that is loaded, or is being loaded."""
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
    """Return the names of the modules that the compiled code of a module can be made of."""
    ours = {name.partition(".")[0] for name in (module, __name__)}
    found, rim = set[str](), {module}
    while rim:
        found |= rim
        imported = {name for known in rim for name in _source(known).imported}
        rim = {name for name in imported - found if name in sys.modules and name.partition(".")[0] in ours}
    return found


def digest(module: str) -> str:
    """Return what stands for all sources of the compiled code of a module, and for what compiles them."""
    made_of = [*_VERSIONS, *(f"{name} {_source(name).digest}" for name in sorted(sources(module)))]
    return hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:16]


class _Files(CompileResultCacheImpl):
    """Names of files that tell the sources."""

    def __init__(self, function: Any) -> None:
        self.digest = digest(function.__module__)
        super().__init__(function)

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{self.digest}"


class _Kept(FunctionCache):
    _impl_class = _Files

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, and nothing that this Python compiled of other sources of the module."""
        super().save_overload(sig, data)
        module, python = self._impl.filename_base.partition(".")[0], "py{}{}".format(*sys.version_info)
        for file in Path(self.cache_path).glob(f"{module}.*.{python}*.nb[ic]*"):
            if self._impl.digest not in file.name:
                with suppress(OSError):  # another process was first, or is using it
                    file.unlink()


def keep(function: Any) -> Any:
    """Have the code of a function, as numba decorates it, kept; where nothing can be, it is compiled in each process."""
    if hasattr(function, "py_func"):  # NUMBA_DISABLE_JIT leaves functions as they are
        with suppress(OSError, RuntimeError):
            function._cache = _Kept(function.py_func)
    return function
