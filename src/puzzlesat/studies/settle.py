"""The settling of units by checked evidence or by equal answers of different processes, and the totals of settled units.

Evidence is checked here, not by the worker that sends it: a solution against the geometry, a certificate by the checker, which must find
that it states this puzzle. An answer that its own evidence refutes does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations

from puzzlesat.base import ContradictionError
from puzzlesat.counting import Counts, wrong_solution
from puzzlesat.designing import kept_proof
from puzzlesat.solvers import LISTING, TALLY, family
from puzzlesat.studies.cover_parts import wrong_cover
from puzzlesat.studies.units import COUNTS, WHOLE, Answer, Claim, Facts, Findings, Loaded, Message, Question, Subject, loaded

OPEN, SETTLED, SPLIT, ASIDE = "open", "settled", "split", "set aside"
"""States of a unit. ``SPLIT``: replaced by its parts. ``ASIDE``: not settled by this run; the next run tries it again."""
STATES = (OPEN, SETTLED, SPLIT, ASIDE)
CELLS = f"{LISTING}:cells"
"""The search with another memory layout of the same problem: the third way to count a part."""
JUDGES = (TALLY, LISTING, "sat")
"""Solvers for further counts of a whole puzzle, in the order in which they are tried; the first two also count parts."""
JUDGE_SECONDS = 10.0
"""CPU limit of each judge."""
OTHER_SHARE, OTHER_SECONDS, LOADING_SECONDS = 0.1, 0.05, 2.0
"""CPU limit of the other family for the second answer to a part: the share of the seconds of the first answer, with the minimum
``OTHER_SECONDS``. For a whole problem, the limit is the seconds of the first answer plus ``LOADING_SECONDS`` to load the solver."""
MAX_ANSWERS = 5
"""A unit that is not settled after this number of answers in one run is set aside."""
ARGUMENT_OF = {"tree": "search", "lrat": "search", "removals": "nothing fits"}
"""The argument that a kind of certificate states. A weighting belongs to several arguments, so it needs a second answer."""


class Evidence(Message):
    """The result of a check of the evidence of an answer.

    ``shows``: the evidence shows everything that the answer claims. ``accepted``: the checker accepted a certificate that there is no
    solution, perhaps one that does not state the argument. ``wrong``: why the evidence is wrong or contradicts the answer.
    """

    shows: bool = False
    accepted: bool = False
    wrong: str | None = None


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


def _certified(puzzle: Loaded, certificate: bytes, claim: Claim) -> Evidence:
    try:
        proved = kept_proof(certificate, puzzle.instance)
    except ContradictionError as error:
        return Evidence(wrong=f"its certificate is rejected: {error}")
    if proved is None:
        return Evidence()
    kind, solutions = proved
    if solutions != 0:
        return Evidence(wrong="its certificate does not prove that there is no solution")
    argument = ARGUMENT_OF.get(kind)
    if argument not in (None, claim.argument):
        return Evidence(wrong=f"its certificate states another argument: {argument}")
    alone = claim == Claim(verdict="impossible", argument=argument, counts=claim.counts)
    return Evidence(shows=argument is not None and alone, accepted=True)


# results of units ----------------------------------------------------------------------------------------------------------------


class Given(Message):
    """An answer to a unit, with the check of its evidence, and its number in the chain of all answers."""

    answer: Answer
    evidence: Evidence = Evidence()
    n: int = 0

    @property
    def usable(self) -> bool:
        """True if the answer claims something that no evidence refutes."""
        return self.answer.outcome == "answered" and self.evidence.wrong is None


class Settled(Message):
    """The result of a unit; without a claim, nothing could be decided within the limits.

    ``by`` and ``second`` are indices of answers with this claim: the first one, and one of another process. ``shown``: checked evidence
    shows the claim.
    """

    claim: Claim | None
    by: int
    second: int | None = None
    shown: bool = False


def common(one: Claim, other: Claim) -> Claim | None:
    """Return the claim with the counts that two claims share; None if the claims differ otherwise or in these counts."""
    keys = one.counts.keys() & other.counts.keys()
    first, second = (c.model_copy(update={"counts": {key: n for key, n in c.counts.items() if key in keys}}) for c in (one, other))
    return first if first == second else None


class UnitRow(Message):
    """A row of the store's table of units; ``id`` is 0 if it is not in a store yet.

    ``parts`` is the number of parts after a split, or 0 if the unit cannot be split. ``share`` is the share of the search space, if each
    branch of a split has the same weight. ``tries`` counts how often the unit or its parent was in flight for long since the last answer.
    ``hint`` and ``estimate`` are the solver that is expected to be the fastest, and its CPU seconds. ``why`` tells why it was set aside.
    """

    id: int = 0
    puzzle: int
    question: Question
    prefix: tuple[int, ...] = ()
    parent: int | None = None
    parts: int | None = None
    share: float = 1.0
    state: str = OPEN
    tries: int = 0
    hint: str | None = None
    estimate: float | None = None
    answers: tuple[Given, ...] = ()
    result: Settled | None = None
    why: str | None = None

    @property
    def cpu(self) -> float:
        """CPU seconds of all answers."""
        return sum(given.answer.cpu for given in self.answers)

    @property
    def claim(self) -> Claim | None:
        """The settled claim; None if there is none."""
        return None if self.result is None else self.result.claim

    @property
    def backing(self) -> list[Given]:
        """The answers that settled the unit, in their order; a store that was changed may lack some."""
        places = () if self.result is None else (self.result.by, self.result.second)
        return [self.answers[place] for place in places if place is not None and place < len(self.answers)]

    @property
    def settled(self) -> list[Answer]:
        """The answers that settled the claim, in their order."""
        return [] if self.claim is None else [given.answer for given in self.backing]

    @property
    def confirmed(self) -> bool:
        """True if checked evidence confirms the claim, or a second count by a solver that shares no search code with the first.

        The coordinator has asked for the solver of each count but the first one, and refused the answers of other solvers.
        """
        if self.result is None or self.claim is None or not (own := self.backing):
            return False
        families = {family(given.answer.solver) for given in own if self.question.find in ("part", "count")}
        return self.result.shown or len(families) > 1 or (len(own) > 1 and any(given.evidence.accepted for given in own))

    @property
    def once(self) -> bool:
        """True if the unit is settled, by one process alone."""
        return self.result is not None and not self.result.shown and self.result.second is None

    @property
    def supported(self) -> bool:
        """True if the answers are to this unit, and the result, if there is one, follows from them."""
        own = all((given.answer.question, given.answer.prefix) == (self.question.text, self.prefix) for given in self.answers)
        again = self.model_copy(update={"answers": tuple(self.backing)}).decided(single=self.once)
        return own and (self.result is None or (again.result is not None and again.claim == self.claim))

    @property
    def too_long(self) -> bool:
        """True if the last answer says that the unit must be split, and it can be split. A further answer never says this."""
        last = self.answers[-1].answer
        first = last.outcome == "too long" and self.hint in (None, last.solver) and not any(given.usable for given in self.answers)
        return first and self.question.find == "part" and self.parts is None

    @property
    def blind(self) -> bool:
        """True if one family of solvers gave both answers because two processes began at the same time."""
        counted = self.question.find in ("part", "count") and self.claim is not None
        return counted and not self.confirmed and len(self.backing) == len(self.answers) == 2

    def request(self, seconds: float | None, *, copy: bool = False) -> tuple[str | None, float | None]:
        """Return the solver for the next answer (None: the worker chooses) and its CPU limit, which is ``seconds`` for the first answer.

        After the first answer, solvers of other families come first, then the same one again. A solver that was too slow for this unit is
        not asked again. ``copy`` means that the first answer is in flight.
        """
        if self.question.find not in ("part", "count"):
            return None, seconds
        part, usable = self.question.find == "part", [given.answer for given in self.answers if given.usable]
        if not usable and not (copy and self.hint):
            return self.hint, None if self.parts == 0 else seconds  # a part without parts cannot be split
        same = family(usable[0].solver if usable else str(self.hint))
        families, longer = {same, *(family(answer.solver) for answer in usable)}, None if part or seconds is None else 2 * seconds
        if part:
            took = usable[0].cpu if usable else self.estimate or 0.0
            limit = max(OTHER_SECONDS, OTHER_SHARE * took) if self.prefix else took + LOADING_SECONDS
        else:
            limit = min(JUDGE_SECONDS, seconds or JUDGE_SECONDS)
        order: list[tuple[str, float | None]] = [(name, limit) for name in (JUDGES[:2] if part else JUDGES) if name not in families]
        order += [(name, longer) for name in ([CELLS, same] if part and len(usable) > 1 else [same])]
        slow = {given.answer.solver for given in self.answers if not given.usable}
        return next((pair for pair in order if pair[0] not in slow), (LISTING, longer))

    def decided(self, *, single: bool = False, hosts: int = 1) -> UnitRow:
        """Return the row with the result that its answers settle, preferably a confirmed one; without a result if they settle none yet.

        Equal answers must come from different processes, and from different hosts if more than one host is at work. A merged store may
        have several such pairs: then most of them must agree. "Not decided" is settled only if no usable answer claims anything.
        """
        numbered = [*enumerate(self.answers)]
        claims = [(place, g.answer, g.answer.claim) for place, g in numbered if g.usable]
        undecided = [(place, g.answer, Claim()) for place, g in numbered if g.answer.outcome in ("not decided", "too long")]
        votes = claims or undecided
        results = [Settled(claim=g.answer.claim, by=place, shown=True) for place, g in numbered if g.usable and g.evidence.shows]
        if single and not results:
            results = [Settled(claim=claim if claims else None, by=place) for place, _, claim in votes[:1]]
        elif not results:
            pairs = [
                (both, place, later)
                for (place, one, claim), (later, other, again) in combinations(votes, 2)
                if (both := common(claim, again)) and one.place != other.place and (hosts < 2 or one.host != other.host)
            ]
            for both, place, later in pairs:
                if 2 * sum(common(both, other) is not None for other, _, _ in pairs) > len(pairs):
                    results.append(Settled(claim=both if claims else None, by=place, second=later))
        rows = [self.model_copy(update={"result": result}) for result in results] or [self.model_copy(update={"result": None})]
        return next((row for row in rows if row.confirmed), rows[0])

    def failed(self, new: int) -> str | None:
        """Return why the unit cannot be answered, if two of its last ``new`` answers failed; None otherwise."""
        why = [g.answer.sentences[0] for g in self.answers[-new:] if g.answer.outcome == "failed" and g.answer.sentences]
        return why[-1] if len(why) > 1 else None

    @property
    def differs(self) -> bool:
        """True if the answers contradict each other or their own evidence."""
        claims = [given.answer.claim for given in self.answers if given.usable]
        refuted = any(given.evidence.wrong is not None for given in self.answers)
        return refuted or any(common(claims[0], claim) is None for claim in claims[1:])

    @property
    def dispute(self) -> str:
        """The answers in words, with process and host of each."""
        settled = () if self.result is None else (self.result.by, self.result.second)
        words = []
        for place, given in enumerate(self.answers):
            answer, claim = given.answer, given.answer.claim.model_dump(exclude_defaults=True)
            what = ", ".join(f"{key} {value}" for key, value in claim.items() if key != "problem") or answer.outcome
            wrong = f" ({given.evidence.wrong})" if given.evidence.wrong else ""
            words.append(f"{'settled: ' if place in settled else ''}{what} by process {answer.process} on {answer.host}{wrong}")
        return f"unit {self.id:,}: {'; '.join(words)}"


@dataclass(frozen=True)
class PuzzleUnits:
    """All units of one puzzle, and what follows from them about it."""

    facts: Facts | None
    units: Sequence[UnitRow]

    @cached_property
    def leaves(self) -> list[UnitRow]:
        """The parts of its count that were not split."""
        return [unit for unit in self.units if unit.question.find == "part" and unit.state != SPLIT]

    @cached_property
    def settled(self) -> list[tuple[UnitRow, Claim]]:
        """The leaves whose number is settled, with their claims."""
        return [(u, u.claim) for u in self.leaves if u.state == SETTLED and u.claim is not None and u.claim.found is not None]

    @property
    def once(self) -> int:
        """The number of settled leaves that rest on one process alone."""
        return sum(unit.once for unit, _ in self.settled)

    @cached_property
    def found(self) -> dict[str, int]:
        """The number of solutions in the settled parts, by the name of the cover problem."""
        numbers: dict[str, int] = {}
        for unit, claim in self.settled:
            numbers[unit.question.of] = numbers.get(unit.question.of, 0) + (claim.found or 0)
        return numbers

    @property
    def share(self) -> float:
        """The settled share of the search space of all solutions, if each branch of a split has the same weight."""
        return sum(unit.share for unit, _ in self.settled if unit.question.of == WHOLE)

    @cached_property
    def complete(self) -> bool:
        """True if every part of each split exists and each leaf is settled; otherwise there is no total."""
        if self.facts is None or len(self.settled) < len(self.leaves) or {*self.facts.problems} != self.found.keys():
            return False
        children = Counter(unit.parent for unit in self.units)
        return all(unit.parts == children[unit.id] for unit in self.units if unit.state == SPLIT)

    def counts(self) -> Counts:
        """Return the counts of the puzzle. The parts must be complete."""
        assert self.facts is not None
        fixed = {symmetry: self.found[problem] for symmetry, problem in self.facts.problem_of.items()}
        number, copies, turns = self.found[WHOLE], self.facts.copies, self.facts.turns
        distinct = sum(fixed.values()) // len(fixed)
        if not number:
            return Counts(0, 0, distinct, fixed=fixed, fixed_labelled=dict.fromkeys(fixed, 0), labelled_distinct=0, labelled_turns=0)
        labelled = None if copies is None else number * copies
        return Counts(
            labelled, number, distinct, fixed=fixed, labelled_turns=None if labelled is None or turns is None else labelled * turns
        )

    @property
    def burnside(self) -> bool | None:
        """True if Burnside's lemma gives a whole number for ``distinct``; None if the count is not complete."""
        if not self.complete or self.facts is None:
            return None
        return sum(self.found[problem] for problem in self.facts.problem_of.values()) % len(self.facts.problem_of) == 0

    @property
    def total(self) -> Findings:
        """The verdict and the counts that follow from the parts."""
        if not self.complete:
            return Findings("solvable" if self.found.get(WHOLE) and not self.once else "not decided")
        if not self.burnside:
            return Findings("contradiction", sentences=("Burnside's lemma contradicts the number of distinct solutions",))
        figures: dict[str, int] = {key: value for key, value in asdict(self.counts()).items() if key in COUNTS and value is not None}
        return Findings("solvable" if figures["all"] else "impossible", None if figures["all"] else "count", counts=figures)

    @property
    def findings(self) -> Findings:
        """The total of the parts and all other settled answers together: a contradiction if two of them contradict."""
        findings = [self.total] if self.facts else []
        for unit in self.units:
            if unit.question.find != "part" and unit.state == SETTLED and (c := unit.claim) is not None and unit.settled:
                a = unit.settled[0]
                findings.append(Findings(c.verdict or "not decided", c.argument, a.sentences, a.solution, c.counts, c.check))
        verdicts = dict.fromkeys(one.verdict for one in findings if one.verdict != "not decided")
        counts: dict[str, int] = {}
        for key, figure in (pair for one in findings for pair in one.counts.items()):
            if counts.setdefault(key, figure) != figure:
                return Findings("contradiction", sentences=(f"{key} is {counts[key]:,} and {figure:,}",))
        sentences = next((f.sentences for f in reversed(findings) if f.verdict in ("impossible", "contradiction") and f.sentences), ())
        if "contradiction" in verdicts:
            return Findings("contradiction", sentences=sentences)
        if len(verdicts) > 1 or ("all" in counts and verdicts and ("solvable" if counts["all"] else "impossible") not in verdicts):
            return Findings("contradiction", sentences=("there is a solution, and a proof that there is none",))
        argument, solution, check = (
            next(filter(None, (getattr(f, key) for f in reversed(findings))), None) for key in ("argument", "solution", "check")
        )
        return Findings(next(iter(verdicts), "not decided"), argument, sentences, solution or (), counts, check)


def wrong_parts(subject: Loaded, parts: PuzzleUnits) -> list[str]:
    """Return in sentences why some solution of the puzzle is not in exactly one part of a complete count; [] if each is.

    This check shares no code with ``split``.
    """
    if parts.facts not in (None, subject.facts):
        return ["the problems that it counts are not those of this puzzle"]
    wrong = []
    for name in parts.facts.problems if parts.facts else ():
        own = [(unit.prefix, claim.problem) for unit, claim in parts.settled if unit.question.of == name]
        what = "all solutions" if name == WHOLE else f"those {name}"
        if {problem for _, problem in own} != {subject.problem(name).fingerprint}:
            wrong.append(f"the parts that count {what} are of another problem than this puzzle's")
        elif (why := wrong_cover(subject.problem(name), (prefix for prefix, _ in own))) is not None:
            wrong.append(f"the parts that count {what} do not cover everything exactly once: {why}")
    return wrong
