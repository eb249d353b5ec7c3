"""Simulated workers: this process answers units under names of hosts and processes, and some answers are false."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import cache
from random import Random

from puzzlesat.studies.coordinator import Coordinator, RunOptions
from puzzlesat.studies.store import StudyHeading, open_store
from puzzlesat.studies.units import Answer, Claim, Question, Unit, subject_of
from puzzlesat.studies.work import answer_to

PLACES = (("one", 1), ("one", 2), ("two", 3), ("two", 4))
DOMINO = {"D": {"picture": "##", "copies": "any"}}
CROSS = {"X": {"picture": ".#.\n###\n.#.", "copies": "any"}}
EVERY = tuple(Question(find=find, seconds=20.0) for find in ("solution", "proof", "count"))


def board(width, height, *, tiles=None, missing=(), name=None, **others):
    """A board to be filled with dominoes, as plain data."""
    rows = [["#"] * width for _ in range(height)]
    for x, y in missing:
        rows[y][x] = "."
    picture = "\n".join(map("".join, rows))
    table = {"title": "board", "grid": "square", "flips": True, "tiles": tiles or DOMINO, "form": {"picture": picture}, **others}
    return subject_of(name or f"board-{width}x{height}{'-'.join(f'-{x}.{y}' for x, y in missing)}", table, {})


class Here(Executor):
    """Runs submitted calls at once."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def kill(self):
        pass


@cache
def honest(text: str) -> Answer:
    """The right answer to a unit; equal units are answered once."""
    return answer_to(Unit.model_validate_json(text))


Lie = Callable[[Unit, Answer], Answer | str | Exception | None]


@dataclass
class Pretended:
    """Workers at several places; one of them sometimes gives false answers."""

    lie: Lie | None = None
    liar: int | None = 0
    """The place of the liar; None: everybody lies."""
    often: float = 0.05
    seed: int = 0
    places: Collection[tuple[str, int]] = PLACES
    told: int = 0
    """Number of wrong answers given."""
    answers: int = 0
    dies: Callable[[int], bool] = lambda _: False
    """Return True if the process dies at its n-th unit."""
    draw: Random = field(init=False)

    def __post_init__(self):
        self.draw = Random(self.seed)

    def free(self):
        return 1

    def submit(self, unit):
        places = [place for place in self.places if place not in unit.apart]
        if not places:
            return None
        hosts = {host for host, _ in unit.apart}
        place = self.draw.choice([place for place in places if place[0] not in hosts] or places)
        self.answers += 1
        future = Future()
        if self.dies(self.answers):
            future.set_exception(RuntimeError("a process died"))
            return future
        key = unit.model_copy(update={"number": 0, "apart": ()}).model_dump_json()
        true = honest(key).model_copy(update={"number": unit.number, "host": place[0], "process": place[1], "cpu": 0.01})
        said = true
        if self.lie is not None and self.liar in (None, PLACES.index(place)) and self.draw.random() < self.often:
            lie = self.lie(unit, true)
            self.told += lie is not None
            said = true if lie is None else lie
        if isinstance(said, Exception):
            future.set_exception(said)
        else:
            future.set_result(said if isinstance(said, str) else said.model_dump_json(exclude_defaults=True))
        return future

    def give_up(self, future):
        pass

    def stop(self):
        pass

    def end(self):
        pass


def heading(**options):
    return StudyHeading("pretended", "pretended", **options)


def done(path, subjects, there, steps=EVERY, *, parts=False, **options):
    """Run a study with simulated workers; return how it ended, and the findings on each puzzle, by name."""
    own = RunOptions(**{"inspectors": Here, "patience": 1.0, **options})
    with open_store(path, heading(single=own.single)) as store:
        coordinator = Coordinator(store, () if parts else steps, there, own)
        with store.change():
            for subject in subjects:
                number = store.add_puzzle(subject)
                if parts and store.facts(number) is None:
                    coordinator.begin_parts(number, Question(find="count"))
        end = coordinator.run()
        found = {subject.name: store.units_of(number).findings for number, subject in store.puzzles()}
    return end, found


# lies ----------------------------------------------------------------------------------------------------------------------------


def _claiming(answer, **claim):
    return answer.model_copy(update={"claim": answer.claim.model_copy(update=claim)})


def wrong_count(unit, answer):
    if unit.question.find == "part" and answer.claim.found is not None:
        return _claiming(answer, found=answer.claim.found // 2 + 1)
    counts = answer.claim.counts
    return _claiming(answer, counts={key: figure + 4 for key, figure in counts.items()}) if counts.get("all") else None


def wrong_distinct(unit, answer):
    counts = answer.claim.counts
    return _claiming(answer, counts={**counts, "distinct": counts["distinct"] + 1}) if counts.get("distinct") else None


def empty_part(unit, answer):
    return _claiming(answer, found=0) if answer.claim.found else None


def too_long(unit, answer):
    if unit.question.find not in ("part", "count"):
        return None
    return answer.model_copy(update={"outcome": "too long", "claim": Claim(), "estimate": 1e6, "hint": "backtrack"})


def impossible(unit, answer):
    if answer.claim.verdict != "solvable":
        return None
    return answer.model_copy(update={"claim": Claim(verdict="impossible", argument="search", counts={"all": 0}), "solution": ()})


def false_solution(unit, answer):
    if unit.question.find not in ("solution", "proof"):
        return None
    return answer.model_copy(update={"claim": Claim(verdict="solvable"), "solution": ("D.1@1.1",), "certificate": None})


def not_decided(unit, answer):
    return answer.model_copy(update={"outcome": "not decided", "claim": Claim(), "solution": (), "certificate": None})


def contradiction(unit, answer):
    return answer.model_copy(
        update={"claim": Claim(verdict="contradiction"), "solution": (), "certificate": None, "sentences": ("so it is",)}
    )


def another_argument(unit, answer):
    return _claiming(answer, argument="area") if answer.claim.argument not in (None, "area", "count") else None


def another_unit(unit, answer):
    return answer.model_copy(update={"number": unit.number + 1})


def another_solver(unit, answer):
    return answer.model_copy(update={"solver": "tally" if answer.solver == "backtrack" else "a new one"})


def another_version(unit, answer):
    return answer.model_copy(update={"version": "0.1.0"})


def no_answer(unit, answer):
    return "no answer at all"


LIES = {
    lie.__name__: lie
    for lie in (
        wrong_count, wrong_distinct, empty_part, too_long, impossible, false_solution, not_decided, contradiction, another_argument,
        another_unit, another_solver, another_version, no_answer,
    )
}  # fmt: skip
