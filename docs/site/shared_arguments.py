"""The public names, and the shared arguments of functions (``**options`` in the sources), for the page of the functions."""

from __future__ import annotations

from inspect import getdoc, signature
from typing import Any

import griffe

import puzzlesat


class SharedArguments(griffe.Extension):
    """An extension that finds the public names, and lists each shared argument of a public function, like ``help``."""

    def on_package(self, *, pkg: griffe.Module, **_others: Any) -> None:
        """Add the public names, which the package loads when they are first used."""
        for name in puzzlesat.__all__:
            if name not in pkg.members:
                pkg[name] = griffe.Alias(name, f"puzzlesat.cli.functions.{name}", parent=pkg)

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
