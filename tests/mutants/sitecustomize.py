"""Load one module with one text replaced: Python runs this file first if its folder is on the path.

So the processes that the program or a test starts have the mutant too. No file is changed, and only this module is compiled again, by
Python and by numba. An environment variable names the mutant.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

MUTANT = "PUZZLESAT_MUTANT"
"""Environment variable with the mutant as JSON: a module, a text that occurs in it once, and the replacement."""


class Mutated(SourceFileLoader):
    """Loads a module with one text replaced."""

    def __init__(self, name: str, path: str, old: str, new: str) -> None:
        super().__init__(name, path)
        self.old, self.new = old.encode(), new.encode()

    def get_data(self, path):
        data = super().get_data(path)
        assert data.count(self.old) == 1, f"{path}: the text of the mutant does not stand there once"
        return data.replace(self.old, self.new)

    def get_code(self, fullname):
        return compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)  # do not use the code compiled before


class Finder:
    """Finds one module; Python finds all others."""

    def __init__(self, name: str, old: str, new: str) -> None:
        self.name, self.old, self.new = name, old, new

    def find_spec(self, name, path=None, target=None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == self.name else None
        if spec is not None:
            spec.loader = Mutated(name, spec.origin, self.old, self.new)
        return spec


if MUTANT in os.environ:
    sys.meta_path.insert(0, Finder(*json.loads(os.environ[MUTANT])))
