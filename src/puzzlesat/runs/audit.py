"""Units that are done twice, because hardware errs in long runs and programs have bugs: which ones, and whether two results agree."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from puzzlesat.runs.steps import NOT_DECIDED

SHARE: Final = 0.02
"""Of the units, unless the study says otherwise."""
UNKNOWN = (None, NOT_DECIDED)
"""What says of a question that it was not answered: nothing can contradict that."""
LEFT_OUT = frozenset({"solution", "argument", "sentences", "agree", "by", "certificate", "check", "sampled"})
"""What may be another for every way in which something is found out; what it shows stands beside it."""

QUESTIONS = ("verdict", "all")
"""What of a whole puzzle must be found again, where it is known; other figures are not found in every way."""


def wanted(study: str, unit: int, share: float) -> bool:
    """Tell whether a unit is among those that are done twice: by chance, but for a study, of which this is the digest, always the same."""
    drawn = int.from_bytes(sha256(f"{study} {unit}".encode()).digest()[:8], "big")
    return drawn < share * 2**64


def is_alone(result: Mapping[str, Any]) -> bool:
    """Tell whether one solver alone says how many solutions there are."""
    return bool(result.get("all")) and result.get("agree", False) is None


def can_be_checked(result: Mapping[str, Any]) -> bool:
    """Tell whether a result says anything that somebody else could find out too; of a unit that finished no part it does not."""
    return result.get("parts") != [] and _says_something(result)


def _says_something(result: Mapping[str, Any]) -> bool:
    return any(result[key] not in UNKNOWN for key in result.keys() - LEFT_OUT)


def agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two results of the same unit can both be right: all that both know must be the same."""
    if one.keys() - LEFT_OUT != other.keys() - LEFT_OUT:
        return False
    return all(one[key] == other[key] for key in one.keys() - LEFT_OUT if one[key] not in UNKNOWN and other[key] not in UNKNOWN)


def confirms(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether one of two results of a unit found what the other says: it agrees, and not because it found nothing out."""
    asked = [key for key in QUESTIONS if one.get(key) not in UNKNOWN]
    return agree(one, other) and _says_something(other) and all(other.get(key) not in UNKNOWN for key in asked)
