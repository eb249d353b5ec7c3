"""Where the checker's files lie: in a clone they are part of puzzlesat; an sdist has them beside this file.

Object code of its kernels is taken along where ``nox -s kernels`` has made it. Else numba compiles when a kernel is first called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("checker/*.py", "kernels/*.py", "objects/*/checker.*.o", "objects/*/checker.*.so")


class CheckerFiles(BuildHookInterface):
    """Puts the files of the checker into the package ``puzzlesat_check``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files to those that are built."""
        if (Path(self.root) / "puzzlesat_check").is_dir():
            return
        package = Path(self.root).parent / "src" / "puzzlesat"
        build_data["force_include"] |= {
            **{str(file): f"puzzlesat_check/{file.relative_to(package)}" for pattern in FILES for file in package.glob(pattern)},
            str(package / "py.typed"): "puzzlesat_check/py.typed",
            str(Path(self.root) / "init.py"): "puzzlesat_check/__init__.py",
        }
