"""Pictures of puzzles, solutions and arguments, in text, as SVG and PNG, and pages with them.

The library's function of this name, ``puzzlesat.draw(thing)``, stands in ``api.drawing``, above all that it draws. Python gives the name
in ``puzzlesat`` to this package as soon as any module of it is loaded, so the package hands calls on.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, get_type_hints


class _Package(ModuleType):
    """A package that can be called."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return import_module("puzzlesat.api.drawing").draw(*given, **named)

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        """The types of what is handed on."""
        return get_type_hints(import_module("puzzlesat.api.drawing").draw)


sys.modules[__name__].__class__ = _Package
