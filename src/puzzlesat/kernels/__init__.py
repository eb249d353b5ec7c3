"""Kernels: inner loops in numba's Python, compiled ahead of time to object code, and their loader.

``compiled`` makes a kernel of a function, ``part`` a function that kernels call. Begin with ``kernel``.

Every room has a door: other rooms may use the names that its ``__init__`` imports under TYPE_CHECKING. A module is loaded when one of its
names is first used, so that a program which needs little starts quickly.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compile_time import clock, compiling
    from .kernel import compiled, digest, part
    from .parts import Instruction, highest_bit, lowest_bit, popcount


@cache
def behind(room: str) -> dict[str, str]:
    """Return the module of each name of a door. ``room`` is the name of a package whose import has begun."""
    spec: Any = sys.modules[room].__spec__
    block = spec.loader.get_data(spec.origin).decode().partition("\nif TYPE_CHECKING:\n")[2]
    imports = re.findall(r"^ +from (\.?)([\w.]+) import (\([^)]*\)|.*)", block, re.M)
    return {name: f"{room}.{module}" if near else module for near, module, names in imports for name in re.findall(r"\w+", names)}


def door(room: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a room: it loads the object behind a name, and stores it in the room."""

    def load(name: str) -> Any:
        if name.startswith("__") or name not in behind(room):
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        found = getattr(import_module(behind(room)[name]), name)
        setattr(sys.modules[room], name, found)
        return found

    return load


if not TYPE_CHECKING:
    __getattr__ = door(__name__)
