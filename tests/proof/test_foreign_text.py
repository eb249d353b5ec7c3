"""Values of ``certificate.json`` that would bring words of their own into the text that puzzlesat-verified reads: none gets that far.

Each was once written as it stood. A claim could hold a whole other puzzle, which the program then read, checked and was right about; and
names were compared after they were unquoted, by which that puzzle passed for the one that was meant.
"""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from dataclasses import asdict
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from random import Random

import pytest
from test_mutations import as_zip, certificate

from puzzlesat.check.certificate import check_certificate
from puzzlesat.check.rejected import Rejected
from puzzlesat.errors import NotSupportedError
from puzzlesat.proof import unpack
from puzzlesat.proof.unpack import checked_text, plain_text, puzzle_text, text
from puzzlesat.proof.verified import check_by_proof, differences
from tiers import of_which, tries

FOREIGN = (
    "0 \nkept - \n", " 5 6", "6", "-", "%6B", "%", "", "\n", "1\n", "1e9", "1/0", "x" * 100_000, True, False, None, 1.0, -1, 1 << 64,
    10**5000, [], ["0 0"], [0, 0], {}, {"a": {"b": [0, " 5 6"]}},
)  # fmt: skip
PROVED = [
    ("optional", "tree"),
    ("rules", "tree"),
    ("cards", "tree"),
    ("painted", "tree"),
    ("fixed", "tree"),
    ("area", "prove"),
    ("chain", "prove"),
]
OTHERS = [("three", "lrat"), ("dominoes", "tally"), ("touching", "tree"), ("named", "tree")]
AS_LONG_AS_LISTED = tries(2)
"""Of values that stand in lists so many are tried, wherever."""


def places(value, path=()):
    """Every value, those that are made of others too."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, inside in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inside, (*path, key))


def fields(said, chance):
    """Places of all fields, some of those that differ in their numbers alone."""
    alike: dict[object, list[tuple[object, ...]]] = {}
    for path in places(said):
        alike.setdefault(tuple("" if isinstance(step, int) else step for step in path), []).append(path)
    for found in alike.values():
        yield from chance.sample(found, min(len(found), AS_LONG_AS_LISTED))


def with_value(said, path, value):
    changed = deepcopy(said)
    reduce(getitem, path[:-1], changed)[path[-1]] = value
    return changed


def written(folder, said, members):
    path = Path(folder) / "some.proof"
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        path.write_bytes(as_zip(said, members).getvalue())
    finally:
        sys.set_int_max_str_digits(limit)
    return path


def answer(check, path):
    """What is accepted; None where it is rejected. Any other exception comes through."""
    try:
        return check(path)
    except (Rejected, NotSupportedError):
        return None


def same(counts, honest):
    return all(n is None or m is None or n == m for n, m in zip(asdict(counts).values(), asdict(honest).values(), strict=True))


def may_be_another(old, new):
    """Whether a value has the type of what stands in its place: then it may state another puzzle, which is shown as it is."""
    return type(old) is type(new) or None in (old, new)


@pytest.mark.parametrize(("name", "kind"), of_which(PROVED, ("area", "prove")))
def test_no_value_brings_words_of_its_own_to_the_proved_checker(name, kind, checker, tmp_path):
    stated = certificate(name, kind)
    honest = check_by_proof(written(tmp_path, stated.said, stated.members), checker)
    refused = 0
    for path in fields(stated.said, Random(name)):
        old = reduce(getitem, path, stated.said)
        for new in FOREIGN:
            if type(new) is type(old) and new == old:
                continue
            said = with_value(stated.said, path, new)
            found = answer(lambda file: check_by_proof(file, checker), written(tmp_path, said, stated.members))
            refused += found is None
            if found is None:
                continue
            if differences(found.text, stated.said["puzzle"]):  # another puzzle, and it is seen to be one
                assert may_be_another(old, new), (path, new)
                assert found.text == checked_text(said, len(stated.members.get("proof.tree", b""))), (path, new)
                assert found.read != honest.read, (path, new)
            else:
                assert same(found.counts, honest.counts), (path, new)
    assert refused > 200


@pytest.mark.parametrize(("name", "kind"), of_which([*PROVED, *OTHERS], ("three", "lrat")))
def test_no_value_brings_words_of_its_own_to_the_checker(name, kind, tmp_path):
    stated = certificate(name, kind)
    honest = check_certificate(written(tmp_path, stated.said, stated.members))
    for path in fields(stated.said, Random(name)):
        old = reduce(getitem, path, stated.said)
        for new in FOREIGN:
            if type(new) is type(old) and new == old:
                continue
            found = answer(check_certificate, written(tmp_path, with_value(stated.said, path, new), stated.members))
            assert found is None or may_be_another(old, new), (path, new)
            if found is not None and found.read == honest.read:
                assert found.counts == honest.counts or new is None, (path, new)


@pytest.mark.parametrize(("name", "kind"), of_which(PROVED, ("rules", "tree")))
def test_unpacking_alone_refuses_the_same(name, kind, tmp_path, monkeypatch):
    """``verified/unpack.py``, which is there without puzzlesat: it ends with a sentence, or writes what is checked."""
    stated, to = certificate(name, kind), tmp_path / "text"
    for path in fields(stated.said, Random(name)):
        for new in FOREIGN:
            said = with_value(stated.said, path, new)
            file = written(tmp_path, said, stated.members)
            monkeypatch.setattr(sys, "argv", ["unpack.py", str(file), str(to)])
            try:
                unpack.main()
            except SystemExit as ended:
                assert str(ended.code).startswith(f"{file}: "), "a sentence"
                continue
            assert to.read_bytes().startswith(checked_text(said, len(stated.members.get("proof.tree", b""))))


@pytest.mark.parametrize("value", [" 5 6", "6", True, 6.0, [6], None])
def test_what_is_wrong_is_named(value, tmp_path, checker):
    stated = certificate("cards", "tree")
    path = ("puzzle", "required", 1, 0)
    with pytest.raises(Rejected, match=r"puzzle\.required\[1\]\[0\]|expected a whole number, got 6\.0"):
        check_by_proof(written(tmp_path, with_value(stated.said, path, value), stated.members), checker)


# ---------------------------------------------------------------- a text within the text


@cache
def smuggled():
    """What a certificate says that states one puzzle, has another within its claim, and its own text as the other one's tree."""
    meant, other = certificate("optional", "tree").said, certificate("area", "prove").said
    inner = f"- 0 - {puzzle_text(other['puzzle']).decode()} {hints(other)}"
    claim = {"labelled": inner, "all": "", "distinct": ""}
    return meant, {**meant, "claim": claim}


def hints(said):
    words = plain_text(said, 0).decode()
    return words[words.index("\nkept") :].rstrip("\n")


def test_a_puzzle_within_a_claim_is_refused(tmp_path, checker):
    _, false = smuggled()
    for check in (lambda file: check_by_proof(file, checker), check_certificate):
        with pytest.raises(Rejected, match=r"claim\.(all|labelled): expected a number of solutions"):
            check(written(tmp_path, false, certificate("optional", "tree").members))
    with pytest.raises(ValueError, match=r"claim\.labelled: expected a number of solutions"):
        checked_text(false, 0)


def test_a_puzzle_within_a_claim_is_another_one(tmp_path, checker):
    """Where unpacking is fooled all the same, the program says what it has read, and that is not the puzzle meant."""
    meant, false = smuggled()
    whole = plain_text(false, 0)
    assert puzzle_text(meant["puzzle"]) in whole, "it is there"
    assert differences(whole, meant["puzzle"]) != []
    assert differences(plain_text(meant, 0), meant["puzzle"]) == []
    for before in (b" ", b"\n", b"5 ", b"x x "):
        assert differences(whole.replace(b" claim ", b" claim " + before, 1), meant["puzzle"]) != []


@pytest.mark.parametrize(
    ("one", "other"), [("k", "%6B"), ("", "%"), ("%", "%25"), ("a b", "a%20b"), ("-", "%2D"), ("ä", "%C3%A4"), ("1", "%31")]
)
def test_names_are_compared_as_they_stand(one, other):
    """No two names are one word, and of the words for a name one alone is taken for it."""
    assert text(one) != text(other)
    said = deepcopy(certificate("painted", "tree").said)
    said["puzzle"]["tiles"][0]["name"] = one
    whole = plain_text(said, 0)
    assert differences(whole, said["puzzle"]) == []
    word = text(one).encode()
    for again in {other.encode(), b"%" + word.hex().encode()[:2] + word[1:]} - {word, b"", b"a b"}:
        forged = whole.replace(b"\ntiles " + whole.partition(b"\ntiles ")[2].split(b" ")[0] + b" " + word, b"\ntiles 1 " + again, 1)
        assert differences(forged, said["puzzle"]) != []


def test_the_program_takes_the_compared_text_for_what_it_is(tmp_path, checker):
    """What is compared is what it reads: of the text in front of the tree no byte is passed over."""
    stated = certificate("cards", "tree")
    tree = stated.members["proof.tree"]
    (tmp_path / "text").write_bytes(plain_text(stated.said, len(tree)) + tree)
    assert subprocess.run([checker, tmp_path / "text"], capture_output=True, check=False).returncode == 0
    (tmp_path / "text").write_bytes(
        plain_text(json.loads(json.dumps({**stated.said, "claim": {"labelled": "1 2", "all": 1, "distinct": 1}})), len(tree)) + tree
    )
    assert subprocess.run([checker, tmp_path / "text"], capture_output=True, check=False).returncode == 1
