"""Workers some of which lie: processes of several machines, played within this one, so that a thousand runs take minutes.

Each place (a machine, and the number of a process there) answers rightly, and then perhaps changes what it says. A process that is not
believed any more, or that must not do an audit where nobody else is there, is replaced by another one of its machine, as ``executors``
does it; a bad machine makes bad processes, too.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from random import Random

import pretend

from puzzlesat.base.processes import ChildEndedError

HONEST = "honest"
SOME = "some"
"""Each answer of every process is wrong with some chance, by some figure."""
ALIKE = "alike"
"""As often; whoever is wrong about a unit says the same wrong figure."""
PROCESS = "process"
"""The first process of all always lies, each time by another figure; those that take its place do not."""
STUBBORN = "stubborn"
"""The first process of all always lies, and of a unit always says the same."""
MACHINE = "machine"
"""All processes of the first machine always lie, and all say the same wrong figure."""
KINDS = (SOME, ALIKE, PROCESS, STUBBORN, MACHINE)


@dataclass
class Lies:
    """Who lies, how often, and by how much."""

    kind: str = HONEST
    chance: float = 0.05
    step: int = 1
    """All figures are wrong by a multiple of this: of the order of the puzzle's group, no lemma shows it."""
    random: Random = field(default_factory=lambda: Random(1))
    told: list[tuple[int, tuple[str, int]]] = field(default_factory=list)
    """The lies: about which unit, and by whom."""

    def of(self, place, number, unit):
        """By how much an answer is to be wrong, of the process so many in the order in which they began; 0: it is right."""
        lies = {HONEST: False, PROCESS: number == 0, STUBBORN: number == 0, MACHINE: place[0] == "m0"}.get(
            self.kind, self.random.random() < self.chance
        )
        if not lies:
            return 0
        self.told.append((unit, place))
        same = self.kind in (ALIKE, STUBBORN, MACHINE)
        return self.step * (1 + unit % 3 if same else self.random.randrange(1, 10))


def spoiled(result, by):
    """A result with another count."""
    if result.get("parts") and isinstance(result["parts"][0], dict):
        first, *others = result["parts"]
        return {**result, "parts": [{**first, "found": first["found"] + by}, *others]}
    if "found" in result:
        return {**result, "found": result["found"] + by}
    if result.get("all"):
        counts = {key: result[key] + by for key in ("all", "labelled") if result.get(key)}
        return {**result, **counts, "distinct": result["distinct"] + 1 if result.get("distinct") else None}
    return None


class Liars:
    """Workers, as a coordinator sees them."""

    shared = False
    cure = "let somebody honest work"

    def __init__(self, lies, *, machines=2, processes=2, do=pretend.answers):
        self.lies, self.do = lies, do
        self.begun = 0
        self.places = {}
        for machine in range(machines):
            for _ in range(processes):
                self.begin(f"m{machine}")
        self.dismissed = frozenset()

    def begin(self, host):
        """Begin a process on a machine."""
        self.places[host, 100 + self.begun] = self.begun
        self.begun += 1

    def replace(self, place):
        """Let another process take the place of one."""
        del self.places[place]
        self.begin(place[0])

    def slots(self):
        return len(self.places)

    def submit(self, jobs, apart=(), *, fresh=False):
        for place in [place for place in self.places if place in self.dismissed]:
            self.replace(place)
        free = [place for place in self.places if place not in apart]
        if not free and fresh:
            before = {*self.places}
            self.replace(self.lies.random.choice([*self.places]))
            free = [place for place in self.places if place not in before]
        if not free:
            return None
        place = self.lies.random.choice(free)
        future = Future()
        try:
            future.set_result([self.answer(answer, place) for answer in self.do(jobs)])
        except Exception as error:
            future.set_exception(error)
        return future

    def answer(self, answer, place):
        """What a process says of a unit."""
        answer = replace(answer, host=place[0], process=place[1])
        if answer.error is not None or spoiled(answer.result, 1) is None:
            return answer
        by = self.lies.of(place, self.places[place], answer.unit)
        return replace(answer, result=spoiled(answer.result, by)) if by else answer

    def dismiss(self, places):
        self.dismissed = frozenset(places)

    def lost(self, error):
        return isinstance(error, ChildEndedError)

    def _nothing(self, *_):
        """Do nothing: each answer comes at once."""

    give_up = renew = stop = end = _nothing


def within(processes=2, do=pretend.answers):
    """Honest workers that cost no process."""
    return Liars(Lies(), machines=1, processes=processes, do=do)


class Anybody(Liars):
    """The same, where nobody can say who gets which job, as with an executor: it may be whoever has answered before."""

    def submit(self, jobs, apart=(), *, fresh=False):
        return super().submit(jobs)

    dismiss = Liars._nothing
