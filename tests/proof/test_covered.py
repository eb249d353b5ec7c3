"""The table in verified/covered.md of the instances that the proved checker covers: made from the recorded results, which are right."""

import json
import sys
from pathlib import Path

from helpers import library

sys.path.append(str(Path(__file__).parents[2] / "verified"))
import covered

FOUND = [json.loads(line) for line in covered.FOUND.read_text(encoding="utf-8").splitlines()]
EXPECTED = {name: instance.expect for name, instance in library().items()}


def test_the_table_is_made_of_what_was_found():
    text = covered.PAGE.read_text(encoding="utf-8").partition(covered.MARK)[2]
    assert text.splitlines() == ["", *covered.table(FOUND)], "run python verified/covered.py --table"
    assert [said["instance"] for said in FOUND] == list(EXPECTED), "run python verified/covered.py"


def test_each_certificate_is_accepted_with_the_expected_counts():
    for said in FOUND:
        assert said["verdict"] != covered.REFUSED, said
        if said["verdict"] == covered.ACCEPTED:
            expect = EXPECTED[said["instance"]]
            for what, proved in zip(("labelled", "all", "distinct"), said["proved"], strict=True):
                assert None in (proved, getattr(expect, what)) or proved == getattr(expect, what), said

    covers = {said["instance"]: said["kind"] for said in FOUND if said["verdict"] == covered.ACCEPTED}
    assert {"tritetratan", "bits-and-bytes", "absolut-knifflig", "octogram"} <= covers.keys()
    assert {*covers.values()} == {"tree", "weighting", "removals"}
