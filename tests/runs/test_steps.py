"""Which steps are left, and what answers come to together."""

import json

from puzzlesat.studies.units import NOTHING, Step, came_to, contradiction, known_of, left, steps_of, task_of
from tiers import every

STEPS = (Step("proof", 2.0), Step("solution", 5.0, 1 << 30), Step("count", None), Step("check", 9.0))
LEFT = [
    ({}, ["proof", "solution", "count", "check"]),
    ({"verdict": "solvable"}, ["count", "check"]),
    ({"verdict": "impossible"}, ["check"]),
    ({"verdict": "solvable", "all": 3}, ["check"]),
    ({"verdict": "impossible", "all": 0, "check": {"status": "ok"}}, []),
    ({"verdict": "contradiction"}, []),
]


@every("known, names", LEFT)
def test_a_step_is_done_where_those_before_have_not_settled_it(known, names):
    assert [step.find for step in left(STEPS, {**NOTHING, **known})] == names


def test_tasks_are_json_and_say_what_a_unit_takes():
    task = json.loads(json.dumps(task_of(STEPS, {**NOTHING, "verdict": "solvable", "solution": ["D.1@1.1"]})))
    assert steps_of(task) == list(STEPS)
    assert (known_of(task)["verdict"], known_of(task)["solution"]) == ("solvable", ["D.1@1.1"])
    assert task["seconds"] == 2 + 5 + 60 + 9  # what takes longer than that goes on in other units
    assert "memory" not in task
    assert "seconds" not in task_of([Step("proof", None)])
    assert task_of([Step("proof", 1, 5), Step("count", 1, 7)])["memory"] == 7


@every(
    "one, other, said",
    [
        ({"verdict": "solvable"}, {"verdict": "impossible"}, "a proof"),
        ({"all": 3}, {"all": 4}, "all is 3 and 4"),
        ({"distinct": 10**30}, {"distinct": 1}, "distinct"),
        ({"all": 3}, {"verdict": "impossible"}, "all is 3"),
        ({"verdict": "solvable"}, {"all": 0}, "all is 0"),
        ({"all": 3, "verdict": "solvable"}, {"verdict": "not decided"}, None),
        ({"all": 0}, {"verdict": "impossible"}, None),
        ({}, {"found": 3, "parts": []}, None),
    ],
)
def test_what_cannot_both_be_right(one, other, said):
    for pair in ((one, other), (other, one)):
        found = contradiction({**NOTHING, **pair[0]}, {**NOTHING, **pair[1]})
        assert (found is None) == (said is None)
        assert said is None or found is not None
        together = came_to([{**NOTHING, **pair[0]}, {**NOTHING, **pair[1]}])
        assert (together["verdict"] == "contradiction") == (said is not None)
        assert said is None or together["all"] is None


def test_answers_come_together():
    results = [
        {**NOTHING},
        {**NOTHING, "verdict": "solvable", "solution": ["D.1@1.1"]},
        {"found": 3, "parts": [1]},
        {"verdict": "solvable", "all": 10**40, "distinct": 10**40},
    ]
    assert came_to(results) == {**NOTHING, "verdict": "solvable", "solution": ["D.1@1.1"], "all": 10**40, "distinct": 10**40}
    assert came_to([]) == NOTHING
