"""Exceptions for wrong input and wrong results, parts of their messages, and a check for optional libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from numbers import Real

from puzzlesat.base.sentences import Sentence

SHORT = 4
"""Words of this many letters or fewer have a looser near match: two letters may be wrong, as in boks for box."""
MAX_COMPARED = 10_000
"""A name is compared with at most this many known names, because a comparison takes time and a file may have many wrong names."""
LONGEST_NAME = 100
"""Longer names, in characters, get no near match."""
PACKAGES = {"llvmlite": "llvmlite", "numba": "numba", "ortools": "ortools", "pysat": "python-sat", "resvg_py": "resvg-py"}
"""Optional libraries: the name of the module, and the name of the package for pip."""


class PuzzleError(Exception):
    """Something is wrong with a file, a name or an argument. The message says what is wrong and how to fix it.

    ``problems`` has one sentence for each error.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    @classmethod
    def of_many(cls, problems: Iterable[str], most: int = 50) -> PuzzleError:
        """Return an error with the first of many sentences, and the number of the others."""
        sentences = list(problems)
        more = len(sentences) - most
        return cls(*sentences[:most], *([f"and {more:,} more problems like these"] if more > 0 else []))

    @classmethod
    def check_number(cls, name: str, value: object) -> None:
        """Raise the error, with the name of an argument, if its value is not a number."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise cls(f"{name}: expected a number such as 5, got {value!r}")

    @staticmethod
    @contextmanager
    def at(prefix: str) -> Iterator[None]:
        """Put a prefix, such as a key, before each sentence of an error that is raised in the block."""
        try:
            yield
        except PuzzleError as error:
            raise error.under(prefix) from None

    def under(self, prefix: str) -> PuzzleError:
        """Return the same error with a prefix, such as a key, before each sentence."""
        return type(self)(*(f"{prefix}{problem}" for problem in self.problems))


class NoRoomError(PuzzleError):
    """A disk is full. Nothing is wrong with the request; it can continue when there is space."""


class PuzzleWarning(UserWarning):
    """Something in a file looks like a mistake. The puzzle is read as it is written."""


class ContradictionError(RuntimeError):
    """A result failed its check: the program has a bug. This error replaces the result."""


class NotSupportedError(PuzzleError):
    """A solver or a format cannot express a feature of the puzzle, and refuses instead of giving a wrong answer."""

    @staticmethod
    def missing(library: str) -> Sentence | None:
        """Return the sentence that says how to install a library, or None if it is installed or not in ``PACKAGES``. Imports nothing."""
        if library not in PACKAGES or find_spec(library) is not None:
            return None
        return Sentence("{package} is not installed; install it with: pip install {package}", package=PACKAGES[library])

    @classmethod
    def check_installed(cls, library: str) -> None:
        """Raise the error if a library is not installed. Call this before the import."""
        if (why := cls.missing(library)) is not None:
            raise cls(why)


class NoMemoryError(NotSupportedError):
    """A solver needs more memory than it may have."""

    @staticmethod
    def is_behind(error: Exception) -> bool:
        """Return whether another error says that memory ran out, also when a new thread could not get any."""
        return isinstance(error, MemoryError) or str(error) == "can't start new thread"


def listed(names: Iterable[object], most: int = 5) -> Sentence:
    """Return the first names, separated by commas, and the number of the others."""
    texts = [n if isinstance(n, str) else str(n) for n in names]
    if len(texts) <= most:
        return Sentence("{names}", names=texts)
    return Sentence("{names} and {n} more", names=texts[:most], n=f"{len(texts) - most:,}")


def many(number: int, what: str, plural: str | None = None) -> str:
    """Return a number with its noun in the singular or plural: ``1 piece``, ``1,331 pieces``, ``2 copies``."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def shown(text: str, most: int = 60) -> str:
    """Return a text for a message, cut in the middle if it is too long."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 3 :]}"


def near_match(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` with the known word nearest to a misspelt one, or a list of all if they are few, or an empty text."""
    names = sorted(known) if isinstance(known, set | frozenset) else list(known)
    close = [n for n in names if n.lower() == word.lower()]
    if not close and len(names) <= MAX_COMPARED and len(word) <= LONGEST_NAME:
        from difflib import get_close_matches  # imported late, so that the program starts fast

        close = get_close_matches(word, names, n=1, cutoff=0.55 if len(word) <= SHORT else 0.6)
    if close:
        return Sentence("; did you mean {name}?", name=repr(close[0]))
    if 0 < len(names) <= 12:
        return Sentence("; known: {names}", names=names)
    return ""
