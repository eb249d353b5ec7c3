"""A wheel has object code of the kernels, so that nobody waits for numba.

It is made for the processors that PUZZLESAT_PROCESSORS names, else for this one. Where numba cannot make it, the wheel has none, and numba
compiles a kernel when it is first called.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags


class Kernels(BuildHookInterface):
    """Makes the object code, and says for which system the wheel is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fill src/puzzlesat/objects, of which a wheel has everything."""
        if self.target_name != "wheel":
            return
        source = Path(self.root) / "src"
        command = [sys.executable, "-m", "puzzlesat.kernels.emit", str(source / "puzzlesat" / "objects")]
        processors = os.environ.get("PUZZLESAT_PROCESSORS", "").split()
        self.app.display_waiting("compiling the kernels, once ...")
        path = os.pathsep.join([str(source), *filter(None, [os.environ.get("PYTHONPATH")])])  # pip has what the build needs there
        done = subprocess.run([*command, *processors], env=os.environ | {"PYTHONPATH": path}, check=False)
        if done.returncode:
            self.app.display_warning("no object code was made; numba compiles the kernels when they are first called")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(iter(platform_tags()))}"
