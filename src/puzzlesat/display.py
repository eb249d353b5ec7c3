"""How objects are shown where a notebook asks: pictures are far above the classes that have them, so whoever draws is asked by name."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Any


class Displayed:
    """What a notebook shows as a picture: IPython, Jupyter and marimo ask by this name."""

    __slots__ = ()

    def _repr_mimebundle_(self, *, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        """Return this as text, SVG and HTML, by their MIME types; of these some may be asked for, or left out."""
        found: Any = import_module("puzzlesat.notebook").shown(self)
        return {kind: data for kind, data in found.items() if (not include or kind in include) and kind not in (exclude or ())}
