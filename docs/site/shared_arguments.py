"""Shared arguments of functions: ``**options`` in the sources, listed by name in the page of the functions."""

from __future__ import annotations

from inspect import getdoc, signature
from typing import Any

import griffe

import puzzlesat


class SharedArguments(griffe.Extension):
    """An extension that lists each shared argument of a public function, like ``help``."""

    def on_function(self, *, func: griffe.Function, **_others: Any) -> None:
        """Replace ``**options`` in the signature, and add the documentation of the shared arguments to the docstring."""
        last = [*func.parameters][-1:]
        if not func.path.startswith("puzzlesat.cli.functions.") or not last or not str(last[0].annotation).startswith("Unpack["):
            return
        shown = getattr(puzzlesat, func.name)
        if func.docstring is not None:
            func.docstring.value = getdoc(shown) or ""
        known = {parameter.name for parameter in func.parameters}
        del func.parameters[last[0].name]
        for name, stated in signature(shown).parameters.items():
            if name not in known:
                keyword = griffe.ParameterKind.keyword_only
                func.parameters.add(griffe.Parameter(name, annotation=stated.annotation, kind=keyword, default=repr(stated.default)))
