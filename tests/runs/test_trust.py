"""Whom to believe: what answers come to, who is caught, and what is then found out again. No wrong answer stands on the word of few."""

from dataclasses import replace

import pytest
from answered import HEADING, answer, counted, puzzle
from hypothesis import assume, given
from hypothesis import strategies as st

from puzzlesat import __version__
from puzzlesat.studies import worker
from puzzlesat.studies.audit import Given, believed, exhausted, judge, needed
from puzzlesat.studies.opening import faults_of, open_store, open_to_read
from puzzlesat.studies.overviews import overview
from puzzlesat.studies.reviewing import look_at
from puzzlesat.studies.store import ANSWERED, DISPUTED, DONE, OPEN, UNSETTLED
from puzzlesat.studies.tables import table
from puzzlesat.studies.trust import trust_of
from puzzlesat.studies.units import Job
from tiers import every, tries

ALWAYS = replace(HEADING, audit=1.0)
A, B, C, D, E, F, G = (("one", 1), ("one", 2), ("two", 1), ("three", 1), ("four", 1), ("five", 1), ("six", 1))
NOBODY = frozenset()


def answers(*said, caught=(), shown=()):
    """Answers to a unit: each a place, and what was found there; None: nothing."""
    numbered = enumerate(said, start=1)
    return [Given(n, {"found": found}, place, believed(place, caught), n in shown) for n, (place, found) in numbered]


def outcome(given, need=2, machines=1):
    """Which figure stands, how many say so, whether answers differ, and who is refuted."""
    judged = judge(given, need, None, machines=machines)
    return next(one.result["found"] for one in given if one.id == judged.stands), judged.alike, judged.differ, judged.refuted


def test_evidence_needs_nobody_and_who_was_caught_is_not_believed():
    assert outcome(answers((A, 5), (B, 6), (C, 6), (D, 6), shown=[1])) == (5, 0, False, {B, C, D})
    assert outcome(answers((A, 5), (B, 6), shown=[1, 2])) == (5, 0, True, NOBODY)  # that cannot be; nobody is believed
    assert outcome(answers((A, 5), caught=[A])) == (5, 0, False, NOBODY)
    assert outcome(answers((A, 5), (C, 6), (D, 6), caught=[A])) == (6, 2, False, {A})


def test_one_machine_of_several_does_not_vouch_for_itself_nor_does_a_process():
    assert outcome(answers((A, 5), (B, 5), (A, 5))) == (5, 2, False, NOBODY)
    assert outcome(answers((A, 5), (B, None))) == (5, 1, False, NOBODY)
    alone = answers((A, 5), (B, 5), (("one", 3), 5))
    assert judge(alone, 2).enough and not judge(alone, 2, machines=2).enough
    assert judge(answers((A, 5), (C, 5)), 2, machines=2).enough
    assert not judge(answers((A, 5), (C, 5), caught=[C]), 1, machines=2).enough  # who is not believed vouches for nobody
    assert outcome(answers((A, 5), (B, 5), (C, 6)), machines=2) == (5, 2, True, NOBODY)  # nor does it refute another one
    assert outcome(answers((A, 5), (B, 5), (C, 6), (D, 5)), machines=2) == (5, 3, False, {C})
    liars = [("one", 1), ("one", 2), ("one", 3)]
    assert not believed(("one", 9), liars) and believed(("two", 9), liars) and believed(("one", 9), liars[:2])


def chance_of_a_wrong_total(units, p=1 / 20):
    """As the module works it out: all answers to one unit are wrong, and of the others at most one."""
    alike = needed(units, ["a"], [])
    others = alike * (units - 1)
    return units * p**alike * ((1 - p) ** others + others * p * (1 - p) ** max(0, others - 1))


def test_how_many_are_needed_and_when_nobody_is_asked_any_more():
    assert max(map(chance_of_a_wrong_total, range(1, 1000))) < 0.001
    one, two = [("a", 1)], [("a", 1), ("b", 1)]
    asked = [(79, "a", []), (80, "a", []), (80, "a", one), (79, "b", one), (80, "b", one), (80, "c", two)]
    assert [needed(units, [host], caught) for units, host, caught in asked] == [3, 2, 5, 3, 2, 5]
    same, others = [("one", number) for number in range(20)], [C, D, E, F, G, ("seven", 1)]
    assert not exhausted(same[:6], [], several=True) and exhausted(same[:7], [], several=True)
    assert exhausted(same[:7], [A], several=False)
    assert not exhausted([*same[:15], *others[:5]], [A], several=True)  # of a machine that was caught one answer counts
    assert exhausted([*same[:1], *others], [A], several=True)
    assert exhausted([*same, C], [A], several=True)  # it ends in any case


PLACES = st.tuples(st.sampled_from(["one", "two", "three"]), st.integers(1, 4))
RIGHT = 5


@st.composite
def said(draw, most=8):
    """What honest and lying processes say of one unit, in some order; the honest ones say 5."""
    liars = draw(st.sets(PLACES, max_size=4))
    places = draw(st.lists(PLACES, min_size=1, max_size=most))
    return liars, [(place, draw(st.sampled_from([6, 7])) if place in liars else RIGHT) for place in places]


@given(said(), st.sampled_from([2, 3]))
def test_no_wrong_answer_is_settled_by_fewer_liars_than_are_needed(told, need):
    """Nor is an honest process refuted."""
    liars, answered = told
    given = answers(*answered)
    assume(any(place not in liars for place, _ in answered))  # a liar that is alone is asked again, and then believed
    assume(len({place for place, figure in answered if figure != RIGHT}) < need)
    figure, alike, differ, refuted = outcome(given, need)
    if alike >= need and not differ:
        assert figure == RIGHT
    assert refuted <= liars


@given(said(most=6), st.sampled_from([2, 3]), st.randoms())
def test_the_order_of_answers_does_not_matter_where_they_are_settled(told, need, random):
    _, answered = told
    figure, alike, differ, refuted = outcome(answers(*answered), need)
    shuffled = random.sample(answered, len(answered))
    other = outcome(answers(*shuffled), need)
    assert (other[2], other[3]) == (differ, refuted)
    if not differ:
        assert (other[0], other[1]) == (figure, alike)


UNITS = 84
TASKS = [{"do": "steps", "steps": [{"find": "count"}], "n": n} for n in range(UNITS)]


def told(store, unit, result, place):
    """What a process says of a unit, in whatever role is next."""
    return answer(unit, result, store.job(unit).role, host=place[0], process=place[1])


def say(store, unit, result, place):
    """Let a process answer a unit; return what became of units."""
    return store.record([told(store, unit, result, place)])


@pytest.fixture
def store(tmp_path):
    """A store of many units, of which the first process has answered twenty, and others have confirmed some of those."""
    with open_store(tmp_path / "s", ALWAYS) as opened:
        opened.connection.execute("PRAGMA synchronous = OFF")
        opened.add([(puzzle("p"), TASKS)])
        for unit in range(1, 21):
            say(opened, unit, counted(unit), A)
        for unit in range(1, 5):
            say(opened, unit, counted(unit), C)
        assert by_state(opened) == {DONE: 4, ANSWERED: 16, OPEN: UNITS - 20}
        yield opened


def by_state(store):
    return {state: number for state, number in store.counts_by_state().items() if number}


@pytest.mark.full
def test_all_that_a_liar_did_is_found_out_again(store):
    say(store, 20, counted(21), C)
    assert by_state(store) == {DONE: 4, ANSWERED: 15, DISPUTED: 1, OPEN: UNITS - 20}
    changes = say(store, 20, counted(21), D)
    assert [(who.host, who.process, who.unit) for who in store.caught()] == [(*A, 20)]
    assert {change.unit for change in changes if (change.was, change.state) == (DONE, ANSWERED)} == {1, 2, 3, 4, 20}
    for place in (C, D, E, F, G):  # its answers may stand, and five others say whether they do
        assert by_state(store) == {ANSWERED: 20, OPEN: UNITS - 20}
        for unit in range(1, 21):
            if place not in store.places(unit):
                say(store, unit, counted(21 if unit == 20 else unit), place)
    assert by_state(store) == {DONE: 20, OPEN: UNITS - 20}
    assert {unit.alike for unit in store.units() if unit.state == DONE} == {5}
    with open_to_read(store.path) as reader:
        (said,) = overview(reader, list(table(reader))).trust.caught
    assert (said.host, said.process, said.unit, said.why) == (*A, 20, "others found something else, and agree")
    assert faults_of(store, 1) == []  # no digest covers which of the answers stands: they say so themselves
    store.connection.execute("UPDATE answers SET counts = 0 WHERE unit = 20")
    store.connection.execute("UPDATE answers SET counts = 1 WHERE unit = 20 AND host = ? AND process = ?", A)
    assert faults_of(store, 1) == ["the accepted answer of unit 20 is not the one that its answers support"]


def test_everything_is_done_by_five_when_a_second_machine_is_caught(store):
    """Also what neither of the two has answered."""
    for place in (E, F):
        say(store, 80, counted(80), place)
    for unit, liar in ((50, D), (51, C)):
        assert DONE in by_state(store)
        for place, figure in ((liar, 99), (E, unit), (F, unit)):
            say(store, unit, counted(figure), place)
    assert [(who.host, who.process) for who in store.caught()] == [D, C]
    assert DONE not in by_state(store)
    for place in (G, A, B):
        assert store.is_left(80)
        say(store, 80, counted(80), place)
    assert by_state(store)[DONE] == 1


@pytest.fixture
def fresh(tmp_path):
    """A store of many units that nobody has answered."""
    with open_store(tmp_path / "fresh", ALWAYS) as opened:
        opened.connection.execute("PRAGMA synchronous = OFF")
        opened.add([(puzzle("p"), TASKS)])
        yield opened


def test_when_a_second_machine_comes_the_first_has_not_confirmed_itself(fresh):
    for unit in (1, 2):
        for place in (A, B):
            say(fresh, unit, counted(unit), place)
    assert by_state(fresh)[DONE] == 2
    changes = say(fresh, 3, counted(3), C)
    assert {(change.unit, change.was, change.state) for change in changes} == {(3, OPEN, ANSWERED), *((n, DONE, ANSWERED) for n in (1, 2))}
    say(fresh, 1, counted(1), ("one", 3))  # a third process of the first machine does not settle it
    assert not by_state(fresh).get(DONE)
    for unit in (1, 2):
        say(fresh, unit, counted(unit), C)
    say(fresh, 3, counted(3), A)
    assert by_state(fresh) == {DONE: 3, OPEN: UNITS - 3}
    assert not fresh.caught()


def test_what_a_bad_machine_has_kept_from_being_settled_is_looked_at_again_when_it_is_caught(fresh):
    """Its processes lie alike, and many; as soon as one is caught others are asked."""
    bad = [("bad", number) for number in range(4)]
    for unit in (1, 2):
        for place in (A, bad[0], bad[1], C, bad[2], D, bad[3]):
            say(fresh, unit, counted(99 if place in bad else unit), place)
    assert by_state(fresh) == {UNSETTLED: 2, OPEN: UNITS - 2}
    assert not fresh.caught()
    for place in (A, bad[0], C):
        say(fresh, 3, counted(99 if place in bad else 3), place)
    assert by_state(fresh) == {ANSWERED: 1, DISPUTED: 2, OPEN: UNITS - 3}
    for unit in (1, 2, 3):
        for place in (D, E, F) if unit == 3 else (E, F):
            assert fresh.is_left(unit)
            say(fresh, unit, counted(unit), place)
    assert by_state(fresh) == {DONE: 3, OPEN: UNITS - 3}
    assert {(who.host, who.process) for who in fresh.caught()} == {*bad}
    assert [one.result["all"] for one in fresh.answers()] == [1, 2, 3]


@pytest.mark.full
def test_what_was_not_checked_is_not_called_checked(tmp_path):
    """An answer of one process alone; and a sample, which says how many answers may be wrong."""
    with open_store(tmp_path / "s", HEADING) as opened:
        opened.add([(puzzle("p"), TASKS[:1])])
        say(opened, 1, counted(5), A)
        trust = trust_of(opened)
        assert (by_state(opened), opened.caught()) == ({DONE: 1}, [])
        assert (trust.full, trust.once, trust.words) == (False, 1, "1 unit answered by one process alone")
    with open_store(tmp_path / "sample", replace(HEADING, audit=0.5)) as opened:
        opened.connection.execute("PRAGMA synchronous = OFF")
        opened.add([(puzzle("p"), [{"do": "steps", "n": n} for n in range(1000)])])
        for place in (A, C):
            for unit in opened.left(OPEN if place is A else ANSWERED):
                say(opened, unit, counted(1), place)
        trust = trust_of(opened)
    again = trust.alike[2]
    assert (trust.once, trust.full) == (1000 - again, False)
    assert (1 - 1 / trust.one_in) ** again < 0.0011
    said = f"a sample of {again / 10:.2g} % was counted again with the same results; so at most one answer in {trust.one_in} is wrong"
    assert said in trust.words


STEPS = {"do": "steps", "steps": [{"find": "count", "seconds": 20.0, "memory": None, "seed": 1}]}


@pytest.fixture(scope="module")
def made():
    """A subject, its true result, and the certificate that came with it; and those of another puzzle."""

    def honest(subject):
        (told,) = worker.do([Job(1, subject, STEPS, version=__version__)])
        assert told.certificate is not None
        return subject, dict(told.result), told.certificate

    return honest(puzzle("p", (4, 3))), honest(puzzle("q", (4, 2)))


LIES = [
    ("half a solution", lambda r, o: ({"verdict": "solvable", "solution": ["D.1@1.1"]}, None), "its solution is wrong"),
    (
        "of another puzzle",
        lambda r, o: ({"verdict": "solvable", "solution": o[1]["solution"] or ["D.1@9.9"]}, None),
        "its solution is wrong",
    ),
    ("no names", lambda r, o: ({"verdict": "solvable", "solution": ["nobody", "knows"]}, None), "its solution is wrong"),
    ("no list", lambda r, o: ({"verdict": "solvable", "solution": "D.1@1.1"}, None), "not a list of names"),
    ("of what is impossible", lambda r, o: ({"verdict": "impossible", "solution": ["D.1@1.1"]}, None), "its verdict is not solvable"),
    ("another count", lambda r, o: ({"all": r[1]["all"] + 1}, r[2]), "proves that all is"),
    ("another distinct count", lambda r, o: ({"distinct": r[1]["distinct"] + 1}, r[2]), "proves that distinct is"),
    ("another verdict", lambda r, o: (NONE, r[2]), "proves that"),
    ("a certificate of another puzzle", lambda r, o: ({}, o[2]), "its certificate is rejected"),
    ("no certificate", lambda r, o: ({}, b"certificate"), "its certificate is rejected"),
    ("nothing", lambda r, o: ({}, b""), "its certificate is rejected"),
    ("half a certificate", lambda r, o: ({}, r[2][: len(r[2]) // 2]), "its certificate is rejected"),
]
"""What a liar may say instead of a true result, with evidence that does not show it, and words of why it is refuted."""
NONE = {"verdict": "impossible", "all": 0, "distinct": 0, "labelled": 0, "solution": None}


def test_evidence_shows_what_it_should(made):
    (subject, result, certificate), _ = made
    seen = look_at(subject, result, certificate)
    assert seen.wrong is None
    assert {"verdict", "all", "distinct"} <= {*seen.shows}
    assert look_at(subject, result, None).shows == (("verdict",) if result["solution"] else ())


@every("what, lie, words", LIES)
def test_what_evidence_refutes(made, what, lie, words):
    change, certificate = lie(*made)
    wrong = made[0][1] | change
    seen = look_at(made[0][0], wrong, certificate)
    assert words in seen.wrong
    assert not seen.covers(wrong)


def test_a_certificate_with_a_flipped_bit_shows_nothing_else(made):
    """It is rejected, or proves the same: some bits are of no account."""
    (subject, result, certificate), _ = made
    places, rejected = range(0, len(certificate), max(1, len(certificate) // tries(60))), 0
    for at in places:
        flipped = certificate[:at] + bytes([certificate[at] ^ 4]) + certificate[at + 1 :]
        rejected += look_at(subject, result, flipped).wrong is not None
        assert look_at(subject, result | {"all": result["all"] + 1}, flipped).wrong is not None
    assert rejected > len(places) * 2 // 3
