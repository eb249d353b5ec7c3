"""Stores with answers that nobody had to work for."""

from puzzlesat.studies.opening import StudyHeading, open_store
from puzzlesat.studies.store import OPEN
from puzzlesat.studies.units import NOTHING, Answer, Step, subject_of, task_of

HEADING = StudyHeading("Answered", "answered", "{}", audit=0.0)
DOMINO = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": "any"}}}
STEPS = (Step("proof", 1.0), Step("solution", 1.0), Step("count", 1.0))
IMPOSSIBLE = {
    "verdict": "impossible", "argument": "colouring", "sentences": ["Black | white.", "So <none>."], "all": 0, "distinct": 0, "labelled": 0,
}  # fmt: skip
SOLVED = {"verdict": "solvable", "solution": ["D.1@1.1"]}


def counted(number, distinct=None, **more):
    """The result of a count."""
    return SOLVED | {"all": number, "distinct": number if distinct is None else distinct, "labelled": number, "agree": True} | more


def puzzle(name, box=(2, 1), expect=None, **more):
    """A puzzle as a subject."""
    return subject_of(name, DOMINO | {"form": {"box": list(box)}} | ({"expect": expect} if expect else {}) | more, {})


def answer(unit, result, role="first", solver="backtrack", **more):
    """An answer with this result."""
    said = {"host": "here", "process": 1, "version": "1", "cpu": 1.25, "wall": 2.0} | more
    return Answer(unit, role, NOTHING | result if result is not None else {}, solver=solver, **said)


def store(path, puzzles, heading=HEADING):
    """A store with some subjects, each with the result of its first unit: None for one that nobody has begun."""
    with open_store(path, heading) as opened:
        opened.add([(subject, [task_of(STEPS)]) for subject, _ in puzzles])
        results = {subject.key: result for subject, result in puzzles}
        for unit in opened.left(OPEN):
            if (result := results[opened.job(unit).subject.key]) is not None:
                opened.record([answer(unit, result)])
    return path
