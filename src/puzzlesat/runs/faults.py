"""What cannot be so in a store that this program alone has written: a file that was changed, or damaged, is not to be believed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from puzzlesat.runs import audit, chain
from puzzlesat.runs.store import ANSWERED, DISPUTED, DONE, STATES, UNSETTLED, Reader, Stored, Unit
from puzzlesat.runs.subjects import subject_of

FOUNDED = (ANSWERED, DISPUTED, UNSETTLED, DONE)
"""States in which a unit has an answer that stands."""
_STANDS = "SELECT count(*) = 1 AND min(error IS NULL AND complete) FROM answers WHERE unit = units.id AND counts"
_NO_STATE = f"SELECT id, state FROM units WHERE subject = ? AND state NOT IN ({', '.join('?' * len(STATES))})"
_NO_PARENT = """
SELECT id, parent FROM units
WHERE subject = ? AND parent IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM units AS above WHERE above.id = units.parent AND above.subject = units.subject)
"""
_NOT_FOLLOWED = """
SELECT * FROM (
    SELECT units.id, follows, (SELECT count(*) FROM units AS below WHERE below.subject = units.subject AND below.parent = units.id) AS there
    FROM units JOIN answers ON unit = units.id AND counts WHERE subject = ? AND follows IS NOT NULL
) WHERE follows != there
"""
_ALONE = "SELECT id, alike FROM units WHERE subject = ? AND alike > 1 AND (SELECT count(*) FROM answers WHERE unit = units.id) < 2"
_UNFOUNDED = f"SELECT id, state FROM units WHERE subject = ? AND state IN ({', '.join('?' * len(FOUNDED))}) AND NOT ({_STANDS})"


def chain_faults(store: Reader) -> list[str]:
    """Return in sentences where the chain of the answers is broken, which puzzles are not those that they were, and what SQLite finds.

    A table is not read as it is where an index of it is damaged: answers are passed over then, and nothing else shows it.
    """
    with store.at_one_moment():
        wrong = [f"the file is damaged: {said}" for (said,) in store.connection.execute("PRAGMA integrity_check(3)") if said != "ok"]
        wrong += chain.breaks(store.connection, store.meta["digest"])
        for _, subject in store.subjects():
            if subject_of(subject.name, subject.table, subject.files).key != subject.key:
                wrong.append(f"{subject.name}: the puzzle was changed")
        return wrong


def faults_of(store: Reader, subject: int) -> list[str]:
    """Return in sentences what cannot be so of the units of one puzzle in a store, by their numbers."""
    with store.at_one_moment():
        return [said for _, said in sorted(_faults(store, subject), key=lambda fault: fault[0])]


def _faults(store: Reader, subject: int) -> Iterator[tuple[int, str]]:
    """What cannot be so, with the number of the unit: what many units may have is looked for by the database."""
    ask = store.connection.execute
    for unit, state in ask(_NO_STATE, (subject, *STATES)):
        yield unit, f"unit {unit:,} is {state!r}, which is not a state of a unit"
    for unit, parent in ask(_NO_PARENT, (subject,)):
        yield unit, f"unit {unit:,} follows from unit {parent:,}, which does not exist"
    for unit, followed, there in ask(_NOT_FOLLOWED, (subject,)):
        yield unit, f"{followed:,} units followed from unit {unit:,}, and {there:,} are there"
    for unit, state in ask(_UNFOUNDED, (subject, *FOUNDED)):
        yield unit, f"unit {unit:,} is {state}, and has no accepted answer"
    for unit, alike in ask(_ALONE, (subject,)):
        yield unit, f"unit {unit:,} claims {alike} equal answers, and has one"
    caught = {(who.host, who.process) for who in store.caught()}
    for one, answers in store.units_with_answers(subject, several=True):
        said = [answer for answer in answers if answer.error is None]
        if said and one.state in FOUNDED and (wrong := _misjudged(one, said, caught)) is not None:
            yield one.id, wrong


def _misjudged(one: Unit, said: Sequence[Stored], caught: Collection[audit.Place]) -> str | None:
    """What is wrong with the state of a unit that has several answers."""
    given = [
        audit.Given(n, answer.result, place := (answer.host, answer.process), audit.believed(place, caught), answer.shown)
        for n, answer in enumerate(said)
    ]
    standing = next((n for n, answer in enumerate(said) if answer.counts), None)
    judged = audit.judge(given, audit.LEAST_ALIKE, standing)
    if one.state == DONE and judged.differ:
        return f"unit {one.id:,} is {one.state}, and its answers differ"
    if one.state == DONE and judged.stands != standing:
        return f"the accepted answer of unit {one.id:,} is not the one that its answers support"
    if one.alike > max(1, judged.alike):
        return f"unit {one.id:,} claims {one.alike} equal answers, and has {judged.alike}"
    return None
