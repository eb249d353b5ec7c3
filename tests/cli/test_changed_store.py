"""A store whose figures were changed or whose bits flipped: the change is named, and the changed results are not trusted."""

import json
import random
import sqlite3
from contextlib import closing

import pytest
from small_puzzles import fill

from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED
from tiers import every

STUDY = """name = "Small"

[[puzzles]]
from = ["dominoes.toml", "none.toml", "silent.toml", "optional.toml"]

[[steps]]
find = "proof"
seconds = 200

[[steps]]
find = "count"
seconds = 200
"""
FLIPS = 200


@pytest.fixture(scope="module")
def kept():
    """The bytes of the finished store, and its table."""
    return {}


@pytest.fixture
def store(run, folder, kept):
    """A store whose units are done: two shown by certificates, two found by three processes."""
    path = folder / "s.sqlite"
    if not kept:
        (folder / "s.toml").write_text(STUDY, encoding="utf-8")
        ran = run("run", "s.toml", "--jobs", 1, status=DONE)
        kept["bytes"] = path.read_bytes()
        ran, kept["rows"] = looked_at(run, path)
        assert (ran.status, len(kept["rows"])) == (DONE, 4)
        assert {row["agree"] for row in kept["rows"].values()} == {True}
    path.write_bytes(kept["bytes"])
    return path


def looked_at(run, path):
    """Return the run of ``runs`` on a store, and the rows of its table by puzzle; no rows if it wrote none."""
    (table := path.with_name("t.jsonl")).unlink(missing_ok=True)
    ran = run("runs", path, "--export", table)
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else ()
    return ran, {row["puzzle"]: row for row in map(json.loads, lines)}


COUNTED = """(SELECT id FROM units WHERE question LIKE '%"count"%' ORDER BY id LIMIT 1)"""
SHOWN = """(SELECT id FROM units WHERE answers LIKE '%"shows":true%' ORDER BY id LIMIT 1)"""
CHANGES = {
    "a figure": f"UPDATE units SET answers = json_set(answers, '$[0].answer.claim.counts.all', 4) WHERE id = {COUNTED}",
    "a result": f"UPDATE units SET result = json_set(result, '$.claim.counts.all', 4) WHERE id = {COUNTED}",
    "what evidence shows": f"UPDATE units SET answers = json_set(answers, '$[0].evidence.shows', json('false')) WHERE id = {SHOWN}",
    "that there was evidence": f"UPDATE units SET answers = json_remove(answers, '$[0].evidence') WHERE id = {SHOWN}",
    "which certificate it is": f"UPDATE units SET answers = json_set(answers, '$[0].answer.certificate', 'AAAA') WHERE id = {SHOWN}",
    "an answer less": f"UPDATE units SET answers = json_remove(answers, '$[0]') WHERE id = {COUNTED}",
    "a unit less": f"DELETE FROM units WHERE id = {COUNTED}",
    "an answer more": f"UPDATE units SET answers = json_insert(answers, '$[#]', json_extract(answers, '$[0]')) WHERE id = {COUNTED}",
    "the head of the chain": "UPDATE meta SET value = 'x' || substr(value, 2) WHERE key = 'chain'",
    "the study": "UPDATE meta SET value = replace(value, substr(value, 1, 1), 'x') WHERE key = 'digest'",
    "the puzzle": """UPDATE puzzles SET said = replace(said, '[3, 2]', '[2, 3]')""",
    "its name": "UPDATE puzzles SET name = 'nominoes' WHERE id = 1",
}


@pytest.mark.full  # worker processes run the study
@pytest.mark.usefixtures("store")
@every("change", CHANGES)
def test_what_was_changed_is_named_and_not_believed(run, kept, tmp_path, monkeypatch, change):
    """Each case has its own folder, because the store of another case may still be open."""
    store = fill(tmp_path, monkeypatch) / "s.sqlite"
    store.write_bytes(before := kept["bytes"])
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(CHANGES[change])
        connection.commit()
    assert store.read_bytes() != before
    ran, rows = looked_at(run, store)
    assert (ran.status, ran.exception) == (FAILED, None), ran.output
    assert "CHANGED OR DAMAGED" in run("runs", store, status=FAILED).output
    changed = {name for name, row in rows.items() if row != kept["rows"].get(name)}
    assert all(rows[name]["verdict"] == "disputed" for name in changed), changed
    assert "changed or damaged" in run("runs", "--merge", store, store, "-o", "m.sqlite", status=BAD_INPUT).output
    store.with_name("s.toml").write_text(STUDY, encoding="utf-8")
    again = run("run", "s.toml", "--jobs", 1)
    assert again.exception is None
    if change == "the puzzle":  # the message is about the study
        assert (again.status, looked_at(run, store)[1]) == (DONE, kept["rows"])
    else:
        assert again.status != DONE


SAID = ("published", "expected", "fate", "refuted")
"""Keys of published figures: they are no results, and may change with the study."""


def found_out(rows):
    """Return the rows without published figures."""
    return {name: {key: value for key, value in row.items() if key not in SAID} for name, row in rows.items()}


@pytest.mark.slow
def test_bits_that_flip_never_make_another_table_without_a_word(run, store, kept):
    """Flip a random bit of the store: ``runs`` refuses the file, writes the same table, or names the error."""
    whole, chance = kept["bytes"], random.Random(27)
    named = same = 0
    for _ in range(FLIPS):
        data = bytearray(whole)
        at, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        data[at] ^= bit
        for beside in store.parent.glob("s.sqlite-*"):
            beside.unlink()
        store.write_bytes(data)
        ran, rows = looked_at(run, store)
        assert ran.exception is None, (at, bit, ran.exception)
        if ran.status == DONE or (rows and found_out(rows) == found_out(kept["rows"])):
            assert found_out(rows) == found_out(kept["rows"]), (at, bit)
            same += 1
        else:
            assert ran.status in (FAILED, BAD_INPUT), (at, bit, ran.output)
            assert "sqlite" in ran.output or "CHANGED OR DAMAGED" in run("runs", store).output, (at, bit, ran.output)
            named += 1
    assert min(named, same) > FLIPS // 20, (named, same)
