"""Packages that have the name of a function of the library, and hand calls on to it.

Python gives a name such as ``puzzlesat.draw`` to the package as soon as any module of it is loaded. The function is in ``api``, above all
that it calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from inspect import Signature, cleandoc, signature
from types import ModuleType
from typing import Any, get_type_hints


def hand_calls_on(package: str, place: str) -> None:
    """Make a package callable: it calls the function at ``place``, such as ``a.module:function``, and has its signature and text."""

    def function() -> Callable[..., Any]:
        module, _, name = place.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found

    class Package(ModuleType):
        """A package that can be called."""

        def __call__(self, *given: Any, **named: Any) -> Any:
            return function()(*given, **named)

        @property
        def __signature__(self) -> Signature:
            """How it is called."""
            return signature(function())

        @property
        def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
            """The types of what is handed on."""
            return get_type_hints(function())

        @property
        def __doc__(self) -> str | None:  # type: ignore[override]
            """How the function is called, and its text: ``help`` would show a package without parameters."""
            made = function()
            return f"{made.__name__}{signature(made)}\n\n{cleandoc(made.__doc__ or '')}"

    sys.modules[package].__class__ = Package
