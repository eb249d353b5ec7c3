"""What the compiled code of a module is made of: its module, what this imports from its own package, and so on, and a digest of them all.

Compiled code is used again only where all its sources are the same. Parts and constants of other modules go into it too: what was compiled
before one of these was changed, by an upgrade perhaps, would count as of then.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

_IMPORT = re.compile(r"^(?:from (\.*)([\w.]*) import (\([^)]*\)|.*)|import (.*))", re.MULTILINE)


class _Source(NamedTuple):
    spec: Any
    digest: str
    imported: set[str]
    """The names of modules that are imported when it is loaded, and some that are none."""


_read: dict[str, _Source] = {}
"""Read once each time that a module is loaded: an upgrade may change the file while the process runs."""


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
    """Return the names of the modules that the compiled code of a module can be made of."""
    ours = {name.partition(".")[0] for name in (module, __name__)}
    found, rim = set[str](), {module}
    while rim:
        found |= rim
        imported = {name for known in rim for name in read_source(known).imported}
        rim = {name for name in imported - found if name in sys.modules and name.partition(".")[0] in ours}
    return found


def _compilers() -> list[str]:
    """The digests of the modules that compile, which no kernel imports: by other options they make other code."""
    found = []
    for name in ("bynumba.py", "emit.py"):
        content: bytes = __spec__.loader.get_data(str(Path(__spec__.origin).with_name(name)))  # type: ignore[union-attr,arg-type]
        found.append(f"{name} {hashlib.sha256(content).hexdigest()}")
    return found


_COMPILED_BY = _compilers()


def digest(module: str) -> str:
    """Return what stands for all sources of the compiled code of a module, and for what compiles them."""
    above = __name__.rpartition(".")[0]
    made_of = [f"{name.removeprefix(f'{above}.')} {read_source(name).digest}" for name in sources(module)] + _COMPILED_BY
    return hashlib.sha256("\n".join(sorted(made_of)).encode()).hexdigest()[:16]
