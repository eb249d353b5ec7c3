"""Libraries that the program can go on without: what needs one that is missing refuses, and says how to install it."""

from __future__ import annotations

from importlib.util import find_spec

from puzzlesat.errors import NotSupportedError
from puzzlesat.sentences import Sentence

PACKAGES = {
    "llvmlite": "llvmlite",
    "numba": "numba",
    "ortools": "ortools",
    "pysat": "python-sat",
    "resvg_py": "resvg-py",
}
"""What each is imported as, and what pip calls it."""


def is_missing(library: str) -> bool:
    """Tell whether a library is not installed, without loading it."""
    return find_spec(library) is None


def not_installed(library: str) -> Sentence:
    """Return the sentence that says so, and what to do."""
    return Sentence("{package} is not installed; install it with: pip install {package}", package=PACKAGES[library])


def why_not_loaded(error: ImportError) -> str:
    """Say why a library could not be loaded, for an ImportError that comes from anywhere."""
    library = (error.name or "").partition(".")[0]
    return not_installed(library) if library in PACKAGES and is_missing(library) else f"a library could not be loaded: {error}"


def needed(library: str) -> None:
    """Raise NotSupportedError where a library is not installed that is about to be imported."""
    if is_missing(library):
        raise NotSupportedError(not_installed(library))
