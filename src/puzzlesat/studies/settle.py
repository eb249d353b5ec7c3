"""The settling of units: evidence that was checked, or equal answers of different processes; and what settled units come to.

Nothing that a worker says about itself counts as evidence. A solution is checked against the geometry. A certificate must state the very
puzzle, and the checker must accept it. What evidence refutes is no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from puzzlesat.base import EndedError, NotSupportedError, PuzzleError, write_file
from puzzlesat.checker import Rejected, TooLarge, check_certificate
from puzzlesat.counting import Counts
from puzzlesat.proofs import check_by_proof, check_states, program, solution_check
from puzzlesat.puzzles import BuiltInstance
from puzzlesat.solvers import family
from puzzlesat.studies.cover_parts import wrong_cover
from puzzlesat.studies.units import COUNTS, WHOLE, Answer, Claim, Facts, Findings, Loaded, Message, Question, Subject, loaded

OPEN, SETTLED, SPLIT, ASIDE = "open", "settled", "split", "set aside"
"""States of a unit: not settled yet; settled; replaced by its parts; not settled by this run, and tried again by the next."""
STATES = (OPEN, SETTLED, SPLIT, ASIDE)
MOST_ANSWERS = 5
"""After so many answers without a decision a unit waits for the next start."""
ARGUMENT_OF = {"tree": "search", "lrat": "search", "removals": "nothing fits"}
"""The argument that a kind of certificate states; several arguments have weightings, which need a second answer."""


class Evidence(Message):
    """What a check of the evidence of an answer showed."""

    shows: bool = False
    """Whether it shows everything that the answer claims."""
    accepted: bool = False
    """Whether the checker accepted a certificate that there is no solution; it may leave the argument open."""
    wrong: str | None = None
    """Why it is wrong, or contradicts the answer."""


def look_at(subject: Subject, answer: Answer) -> Evidence:
    """Check the solution and the certificate of an answer. Raises PuzzleError if the puzzle itself is wrong."""
    puzzle, claim = loaded(subject), answer.claim
    if answer.solution:
        if claim.verdict != "solvable":
            return Evidence(wrong="it has a solution, but its verdict is not solvable")
        unchecked: list[str] = []
        if (wrong := wrong_solution(puzzle.built(), answer.solution, unchecked.append)) is not None:
            return Evidence(wrong=f"its solution is wrong: {wrong}")
        if unchecked:
            return Evidence()
        return Evidence(shows=claim == Claim(verdict="solvable"))
    if answer.certificate is None:
        return Evidence()
    if claim.verdict != "impossible" or any(claim.counts.values()):
        return Evidence(wrong="it has a certificate that there is no solution, but claims something else")
    return _certified(puzzle, answer.certificate, claim)


def wrong_solution(built: BuiltInstance, names: Sequence[str], unchecked: Callable[[str], object] | None = None) -> str | None:
    """Return what the geometry has against a solution, by names of placements; None if it is one."""
    try:
        row = sorted(built.options_by_name(names))
    except PuzzleError as error:
        return error.problems[0]
    return solution_check(built, unchecked=unchecked)(np.array([row or [-1]], dtype=np.int32))


def _certified(puzzle: Loaded, certificate: bytes, claim: Claim) -> Evidence:
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        path = Path(folder) / "certificate"
        write_file(path, certificate)
        try:
            check_states(path, puzzle.instance, puzzle.subject.name)
            seen = check_certificate(path)
            proved = seen.counts if (checker := program()) is None else check_by_proof(path, checker).counts
        except Rejected as error:
            return Evidence(wrong=f"its certificate is rejected: {error}")
        except (TooLarge, NotSupportedError, EndedError, PuzzleError):
            return Evidence()
    if seen.counts.all != 0 or proved.all not in (None, 0):
        return Evidence(wrong="its certificate does not prove that there is no solution")
    argument = ARGUMENT_OF.get(seen.kind)
    if argument not in (None, claim.argument):
        return Evidence(wrong=f"its certificate states another argument: {argument}")
    return Evidence(shows=argument is not None, accepted=True)


# what is settled -----------------------------------------------------------------------------------------------------------------


class Given(Message):
    """An answer to a unit, and what its evidence showed."""

    answer: Answer
    evidence: Evidence = Evidence()
    n: int = 0
    """Its place in the chain of all answers."""

    @property
    def usable(self) -> bool:
        """Whether the answer claims something that no evidence refutes."""
        return self.answer.outcome == "answered" and self.evidence.wrong is None


class Settled(Message):
    """The result of a unit."""

    claim: Claim | None
    """None: nothing could be decided within the limits."""
    by: int
    """The place of the first answer that claims this, among all answers."""
    second: int | None = None
    """The place of the answer of another process that claims the same."""
    shown: bool = False
    """Whether checked evidence shows it."""

    @property
    def once(self) -> bool:
        """Whether it rests on one process alone."""
        return not self.shown and self.second is None


def common(one: Claim, other: Claim) -> Claim | None:
    """Return what two claims have in common; None if they differ."""
    both = one.counts.keys() & other.counts.keys()
    own, others = (c.model_copy(update={"counts": {key: n for key, n in c.counts.items() if key in both}}) for c in (one, other))
    return own if own == others else None


def settle(answers: Sequence[Given], *, single: bool = False, hosts: int = 1) -> Settled | None:
    """Return the result that answers to a unit settle; None if they do not yet.

    Equal answers must come from different processes, and from different hosts if more than one host is at work. That nothing could be
    decided is settled only if no answer claims anything.
    """
    for place, given in enumerate(answers):
        if given.usable and given.evidence.shows:
            return Settled(claim=given.answer.claim, by=place, shown=True)
    claims = [(place, given.answer, given.answer.claim) for place, given in enumerate(answers) if given.usable]
    undecided = [(place, g.answer, Claim()) for place, g in enumerate(answers) if g.answer.outcome in ("not decided", "too long")]
    votes = claims or undecided
    if single and votes:
        return Settled(claim=votes[0][2] if claims else None, by=votes[0][0])
    equal = []
    for (place, one, claim), (later, other, again) in combinations(votes, 2):
        both = common(claim, again)
        if both is not None and one.place != other.place and (hosts < 2 or one.host != other.host):
            equal.append(Settled(claim=both if claims else None, by=place, second=later))
    return next((result for result in equal if confirmed(answers, result)), equal[0] if equal else None)


def confirmed(answers: Sequence[Given], result: Settled) -> bool:
    """Tell whether a result has a witness: checked evidence, or an answer of solvers that share no search code with the first."""
    if result.shown or result.second is None:
        return result.shown
    first, second = answers[result.by], answers[result.second]
    return family(first.answer.solver) != family(second.answer.solver) or first.evidence.accepted or second.evidence.accepted


def failed(answers: Sequence[Given]) -> str | None:
    """Return why a unit cannot be answered, if two processes, or the same one twice, say so."""
    why = [given.answer.sentences[0] for given in answers if given.answer.outcome == "failed" and given.answer.sentences]
    return why[-1] if len(why) > 1 else None


# what settled units come to ------------------------------------------------------------------------------------------------------


def found_of(results: Iterable[tuple[Answer, Claim]], total: Findings | None = None) -> Findings:
    """Return what the settled answers to one puzzle come to, with the total of its parts; contradictory ones are a contradiction."""
    found = [] if total is None else [total]
    found += [Findings(c.verdict or "not decided", c.argument, a.sentences, a.solution, c.counts, c.check) for a, c in results]
    verdicts = dict.fromkeys(one.verdict for one in found if one.verdict != "not decided")
    counts: dict[str, int] = {}
    for key, figure in (pair for one in found for pair in one.counts.items()):
        if counts.setdefault(key, figure) != figure:
            return Findings("contradiction", sentences=(f"{key} is {counts[key]:,} and {figure:,}",))

    def last(of: str) -> Any:
        return next((value for one in reversed(found) if (value := getattr(one, of))), None)

    proofs = [one.sentences for one in found if one.verdict in ("impossible", "contradiction") and one.sentences]
    sentences = proofs[-1] if proofs else ()
    if "contradiction" in verdicts:
        return Findings("contradiction", sentences=sentences)
    if len(verdicts) > 1 or ("all" in counts and verdicts and ("solvable" if counts["all"] else "impossible") not in verdicts):
        return Findings("contradiction", sentences=("there is a solution, and a proof that there is none",))
    return Findings(next(iter(verdicts), "not decided"), last("argument"), sentences, last("solution") or (), counts, last("check"))


class UnitRow(Message):
    """A unit as the store has it."""

    id: int = 0
    """Its number in the store; 0 for a unit that is not in a store yet."""
    puzzle: int
    question: Question
    prefix: tuple[int, ...] = ()
    parent: int | None = None
    parts: int | None = None
    """The number of its parts, if it was split."""
    share: float = 1.0
    """Its share of the search space, if each branch of a split weighs the same."""
    state: str = OPEN
    tries: int = 0
    """How often it, or the unit that it is a part of, was lost with its process."""
    hint: str | None = None
    estimate: float | None = None
    """CPU seconds that it may take."""
    answers: tuple[Given, ...] = ()
    result: Settled | None = None
    why: str | None = None
    """Why it was set aside."""

    @property
    def cpu(self) -> float:
        """CPU seconds of its answers."""
        return sum(given.answer.cpu for given in self.answers)

    @property
    def claim(self) -> Claim | None:
        """What is settled about it."""
        return None if self.result is None else self.result.claim

    @property
    def settled(self) -> list[Answer]:
        """The answers that settled it with a claim, the first one first."""
        if self.result is None or self.claim is None:
            return []
        places = [place for place in (self.result.by, self.result.second) if place is not None]
        return [self.answers[place].answer for place in places if place < len(self.answers)]  # others may be missing in a changed store

    @property
    def confirmed(self) -> bool:
        """Whether its claim has a witness."""
        if self.result is None or self.claim is None:
            return False
        answers_there = max(self.result.by, self.result.second or 0) < len(self.answers)  # some may be missing in a changed store
        return answers_there and confirmed(self.answers, self.result)

    @property
    def once(self) -> bool:
        """Whether its result rests on one process alone."""
        return self.result is not None and self.result.once

    @property
    def supported(self) -> bool:
        """Whether its result, if there is one, follows from the answers beside it."""
        if self.result is None:
            return True
        places = [place for place in (self.result.by, self.result.second) if place is not None]
        again = settle([self.answers[place] for place in places if place < len(self.answers)], single=self.once)
        return again is not None and again.claim == self.claim

    @property
    def differs(self) -> bool:
        """Whether its answers contradict each other, or their own evidence."""
        claims = [given.answer.claim for given in self.answers if given.usable]
        refuted = any(given.evidence.wrong is not None for given in self.answers)
        return refuted or any(common(claims[0], claim) is None for claim in claims[1:])

    @property
    def dispute(self) -> str:
        """Its answers in words, with process and host of each."""
        settled = () if self.result is None else (self.result.by, self.result.second)
        words = []
        for place, given in enumerate(self.answers):
            answer, claim = given.answer, given.answer.claim.model_dump(exclude_defaults=True)
            what = ", ".join(f"{key} {value}" for key, value in claim.items() if key != "problem") or answer.outcome
            wrong = f" ({given.evidence.wrong})" if given.evidence.wrong else ""
            words.append(f"{'settled: ' if place in settled else ''}{what} by process {answer.process} on {answer.host}{wrong}")
        return f"unit {self.id:,}: {'; '.join(words)}"


@dataclass(frozen=True)
class Parts:
    """The parts of a puzzle's count: what was found, how much of it is done, and whether anything is missing."""

    facts: Facts | None
    units: Sequence[UnitRow]
    """All units of the count, also those that were split."""

    @cached_property
    def leaves(self) -> list[UnitRow]:
        """The units that were not split."""
        return [unit for unit in self.units if unit.state != SPLIT]

    @cached_property
    def settled(self) -> list[tuple[UnitRow, Claim]]:
        """The units whose number is settled, with it."""
        return [(u, u.claim) for u in self.leaves if u.state == SETTLED and u.claim is not None and u.claim.found is not None]

    @property
    def once(self) -> int:
        """How many of them rest on one process alone."""
        return sum(unit.once for unit, _ in self.settled)

    @cached_property
    def found(self) -> dict[str, int]:
        """For each cover problem, the solutions in its settled parts."""
        found: dict[str, int] = {}
        for unit, claim in self.settled:
            found[unit.question.of] = found.get(unit.question.of, 0) + (claim.found or 0)
        return found

    @property
    def share(self) -> float:
        """The share of the search space of all solutions that is settled, each branch of a split weighing the same."""
        return sum(unit.share for unit, _ in self.settled if unit.question.of == WHOLE)

    @cached_property
    def complete(self) -> bool:
        """Whether every row of each split is there, and each is settled: only then is there a total."""
        if self.facts is None or len(self.settled) < len(self.leaves) or {*self.facts.problems} != self.found.keys():
            return False
        children = Counter(unit.parent for unit in self.units)
        return all(unit.parts == children[unit.id] for unit in self.units if unit.state == SPLIT)

    def counts(self) -> Counts:
        """Return the counts that follow. Only for parts that are complete."""
        assert self.facts is not None
        fixed = {symmetry: self.found[problem] for symmetry, problem in self.facts.problem_of.items()}
        number, copies, turns = self.found[WHOLE], self.facts.copies, self.facts.turns
        labelled = 0 if not number else None if copies is None else number * copies
        return Counts(
            labelled=labelled,
            all=number,
            distinct=sum(fixed.values()) // len(fixed),
            fixed=fixed,
            fixed_labelled=None if number else dict.fromkeys(fixed, 0),
            labelled_distinct=None if number else 0,
            labelled_turns=0 if not number else None if labelled is None or turns is None else labelled * turns,
        )

    @property
    def burnside(self) -> bool | None:
        """Whether Burnside's lemma confirms that ``distinct`` is a whole number; None if the count is not complete."""
        if not self.complete or self.facts is None:
            return None
        return sum(self.found[problem] for problem in self.facts.problem_of.values()) % len(self.facts.problem_of) == 0

    @property
    def total(self) -> Findings:
        """What the parts come to."""
        if not self.complete:
            return Findings("solvable" if self.found.get(WHOLE) and not self.once else "not decided")
        if not self.burnside:
            return Findings("contradiction", sentences=("Burnside's lemma contradicts the number of distinct solutions",))
        figures: dict[str, int] = {key: value for key, value in asdict(self.counts()).items() if key in COUNTS and value is not None}
        return Findings("solvable" if figures["all"] else "impossible", None if figures["all"] else "count", counts=figures)


def wrong_parts(subject: Loaded, parts: Parts) -> list[str]:
    """Return in sentences why the parts of a complete count are not the whole puzzle, each solution in exactly one of them.

    The check shares no code with the split.
    """
    wrong = []
    for name in parts.facts.problems if parts.facts else ():
        own = [(unit.prefix, claim.problem) for unit, claim in parts.settled if unit.question.of == name]
        what = "all solutions" if name == WHOLE else f"those {name}"
        if {problem for _, problem in own} != {subject.fingerprint(name)}:
            wrong.append(f"the parts that count {what} are of another problem than this puzzle's")
        elif (why := wrong_cover(subject.problem(name), (prefix for prefix, _ in own))) is not None:
            wrong.append(f"the parts that count {what} do not cover everything exactly once: {why}")
    return wrong
