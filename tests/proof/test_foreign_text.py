"""Values of ``certificate.json`` that would insert text into the input of puzzlesat-verified: all are caught.

Each of these values was once written unescaped. A claim could contain a whole other puzzle, which the program then read and checked
correctly. Names were compared after unquoting, so the other puzzle passed as the right one.
"""

import sys
from collections import Counter
from copy import deepcopy
from dataclasses import asdict
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from random import Random

import pytest
from test_mutations import as_zip, certificate, walk

from puzzlesat.base.errors import NotSupportedError
from puzzlesat.checker.certificate import check_certificate
from puzzlesat.checker.values import Rejected
from puzzlesat.proofs.plain_text import checked_text, main, plain_text, puzzle_text, text
from puzzlesat.proofs.verified import check_by_proof, differences
from tiers import every, tries

FOREIGN = (
    "0 \nkept - \n", " 5 6", "6", "-", "%6B", "%", "", "\n", "1\n", "1e9", "1/0", "x" * 100_000, True, False, None, 1.0, -1, 1 << 64,
    10**5000, [], ["0 0"], [0, 0], {}, {"a": {"b": [0, " 5 6"]}},
)  # fmt: skip
PROVED = [(name, "tree") for name in ("optional", "rules", "cards", "painted", "fixed")] + [("area", "prove"), ("chain", "prove")]
AS_LONG_AS_LISTED = tries(1)
"""Number of values tried for lists, at any place."""


@cache
def fields():
    """The places of each field, in one of the certificates that have it, by certificate."""
    found = {}
    for which in PROVED:
        for path in filter(None, walk(certificate(*which).said)):
            field = tuple("" if isinstance(step, int) else step for step in path)
            found.setdefault(field, {}).setdefault(which, []).append(path)
    shared = {which: [] for which in PROVED}
    for number, places in enumerate(found.values()):
        which = list(places)[number % len(places)]
        shared[which].append(places[which])
    return shared


def changed_values(*which):
    """Yield statements with foreign values, their places, and whether they may state another puzzle, which is printed unchanged."""
    said, chance = certificate(*which).said, Random(which[0])
    for path in (path for places in fields()[which] for path in chance.sample(places, min(len(places), AS_LONG_AS_LISTED))):
        old = reduce(getitem, path, said)
        for new in FOREIGN:
            if type(new) is not type(old) or new != old:
                yield (path, new), with_value(said, path, new), type(old) is type(new) or None in (old, new)


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
    """Return the accepted counts, or None if the certificate is rejected. Other exceptions propagate."""
    try:
        return check(path)
    except (Rejected, NotSupportedError):
        return None


@pytest.mark.full
@pytest.mark.parametrize(("name", "kind"), PROVED)
def test_no_value_brings_words_of_its_own_to_the_proved_checker(name, kind, checker, tmp_path, monkeypatch):
    """The same holds for ``verified/unpack.py``, which runs without puzzlesat: it ends with a sentence, or writes text that is checked."""
    stated, to = certificate(name, kind), tmp_path / "text"
    honest = check_by_proof(written(tmp_path, stated.said, stated.members), checker)
    verdicts = Counter()
    for what, said, may_be_another in changed_values(name, kind):
        file = written(tmp_path, said, stated.members)
        found = answer(lambda file: check_by_proof(file, checker), file)
        verdicts[found is None] += 1
        monkeypatch.setattr(sys, "argv", ["unpack.py", str(file), str(to)])
        try:
            main()
        except SystemExit as ended:
            assert str(ended.code).startswith(f"{file}: "), "a sentence"
        else:
            assert to.read_bytes().startswith(checked_text(said, len(stated.members.get("proof.tree", b""))))
        if found is None:
            continue
        if differences(found.text, stated.said["puzzle"]):  # another puzzle, and the comparison shows it
            assert may_be_another, what
            assert found.text == checked_text(said, len(stated.members.get("proof.tree", b""))), what
            assert found.read != honest.read, what
        else:
            pairs = zip(asdict(found.counts).values(), asdict(honest.counts).values(), strict=True)
            assert all(None in pair or len({*pair}) == 1 for pair in pairs), what
    assert verdicts[True] > verdicts[False]


@cache
def smuggled():
    """Return a statement of one puzzle that has another within its claim, and its own text as the tree of the other puzzle."""
    meant, other = certificate("optional", "tree").said, certificate("area", "prove").said
    words = plain_text(other, 0).decode()
    inner = f"- 0 - {puzzle_text(other['puzzle']).decode()} {words[words.index(chr(10) + 'kept') :].rstrip()}"
    claim = {"labelled": inner, "all": "", "distinct": ""}
    return meant, {**meant, "claim": claim}


@pytest.mark.full
def test_a_puzzle_within_a_claim_is_refused(tmp_path, checker):
    _, false = smuggled()
    for check in (lambda file: check_by_proof(file, checker), check_certificate):
        with pytest.raises(Rejected, match=r"claim\.(all|labelled): expected a number of solutions"):
            check(written(tmp_path, false, certificate("optional", "tree").members))
    with pytest.raises(ValueError, match=r"claim\.labelled: expected a number of solutions"):
        checked_text(false, 0)


def test_a_puzzle_within_a_claim_is_another_one(tmp_path, checker):
    """If unpacking is fooled nevertheless, the program prints the puzzle that it has read, which is not the intended one."""
    meant, false = smuggled()
    whole = plain_text(false, 0)
    assert puzzle_text(meant["puzzle"]) in whole, "it is there"
    assert differences(whole, meant["puzzle"]) != []
    assert differences(plain_text(meant, 0), meant["puzzle"]) == []
    for before in (b" ", b"\n", b"5 ", b"x x "):
        assert differences(whole.replace(b" claim ", b" claim " + before, 1), meant["puzzle"]) != []


@every("one, other", [("k", "%6B"), ("", "%"), ("%", "%25"), ("a b", "a%20b"), ("-", "%2D"), ("ä", "%C3%A4"), ("1", "%31")])
def test_names_are_compared_as_they_stand(one, other):
    """Different names have different words, and only one word is accepted for each name."""
    assert text(one) != text(other)
    said = deepcopy(certificate("painted", "tree").said)
    said["puzzle"]["tiles"][0]["name"] = one
    whole = plain_text(said, 0)
    assert differences(whole, said["puzzle"]) == []
    word = text(one).encode()
    for again in {other.encode(), b"%" + word.hex().encode()[:2] + word[1:]} - {word, b"", b"a b"}:
        forged = whole.replace(b"\ntiles " + whole.partition(b"\ntiles ")[2].split(b" ")[0] + b" " + word, b"\ntiles 1 " + again, 1)
        assert differences(forged, said["puzzle"]) != []
