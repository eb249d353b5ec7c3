"""What cannot be so in a store that this program alone has written: a file that was changed, or damaged, is not to be believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from puzzlesat.runs import audit
from puzzlesat.runs.store import ANSWERED, DISPUTED, DONE, STATES, UNSETTLED, Reader, Stored, Unit


def faults_of(store: Reader, subject: int) -> list[str]:
    """Return in sentences what cannot be so of the units of one puzzle in a store."""
    with store.at_one_moment():
        units = list(store.units(subject))
        return list(faults(units, {unit.id: list(store.answers(unit.id, standing=False)) for unit in units}, store.follows(subject)))


def faults(units: Sequence[Unit], answers: Mapping[int, Sequence[Stored]], follows: Mapping[int, int]) -> Iterator[str]:
    """Yield in sentences what cannot be so of all units of one puzzle, with all answers to each.

    ``follows`` has, for units with an answer that stands, how many units followed from it when it was recorded.
    """
    there = {unit.id for unit in units}
    below = Counter(unit.parent for unit in units)
    for unit in units:
        if unit.state not in STATES:
            yield f"unit {unit.id:,} is {unit.state!r}, which is no state of a unit"
        if unit.parent is not None and unit.parent not in there:
            yield f"unit {unit.id:,} follows from unit {unit.parent:,}, which is not there"
        if unit.id in follows and follows[unit.id] != below[unit.id]:
            yield f"{follows[unit.id]:,} units followed from unit {unit.id:,}, and {below[unit.id]:,} are there"
        if (why := _unfounded(unit, answers.get(unit.id, ()))) is not None:
            yield f"unit {unit.id:,} is {unit.state}, and {why}"


def _unfounded(unit: Unit, answers: Sequence[Stored]) -> str | None:
    """Why a unit cannot be in its state, by its answers."""
    standing = [answer for answer in answers if answer.counts]
    if unit.state not in (ANSWERED, DISPUTED, UNSETTLED, DONE):
        return None
    if len(standing) != 1 or standing[0].error is not None or not standing[0].complete:
        return "has no answer that stands"
    others = [answer for answer in answers if not answer.counts and answer.error is None]
    against = [other for other in others if not audit.agree(standing[0].result, other.result)]
    if unit.state == DONE and against and not any(audit.confirms(standing[0].result, other.result) for other in others):
        return "its answers differ"
    return None
