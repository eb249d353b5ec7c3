"""Exact cover problems from Python: items, options, colours and multiplicities, compared with plain enumeration and known counts."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlesat
from puzzlesat.solvers.registry import listing
from tiers import every

# against plain enumeration ---------------------------------------------------------------------------------------------------


def covers(options, primary, secondary, bounds):
    """All sets of options that are solutions, by the plain definition; an option gives the colour of each of its items."""
    return {
        chosen
        for size in range(len(options) + 1)
        for chosen in combinations(range(len(options)), size)
        if all(is_covered([options[o][item] for o in chosen if item in options[o]], bounds.get(item, (1, 1))) for item in primary)
        and all(may_share([options[o][item] for o in chosen if item in options[o]]) for item in secondary)
    }


def is_covered(covered, bound):
    low, high = bound
    return low <= len(covered) and (high is None or len(covered) <= high)


def may_share(colours):
    return len(colours) <= 1 or (None not in colours and len(set(colours)) == 1)


@st.composite
def problems(draw):
    primary = draw(st.lists(st.sampled_from(["a", 1, ("b", 2), "1", "c d"]), min_size=1, max_size=4, unique=True))
    secondary = draw(st.lists(st.sampled_from(["x", 7, ("y", "z")]), max_size=2, unique=True))
    colour = st.sampled_from([None, "red", 2])
    options = draw(
        st.lists(
            st.tuples(
                st.dictionaries(st.sampled_from(primary), st.none(), min_size=1),
                st.dictionaries(st.sampled_from(secondary), colour) if secondary else st.just({}),
            ).map(lambda parts: {**parts[0], **parts[1]}),
            max_size=7,
        )
    )
    high = st.one_of(st.none(), st.integers(0, 3))
    bound = st.tuples(st.integers(0, 2), high).filter(lambda b: b[1] is None or b[0] <= b[1])
    return options, primary, secondary, draw(st.dictionaries(st.sampled_from(primary), bound))


def as_list(option):
    return [item if colour is None else (item, colour) for item, colour in option.items()]


@settings(max_examples=30)
@given(problem=problems(), named=st.booleans(), as_mappings=st.booleans())
def test_solutions_are_those_of_plain_enumeration(problem, named, as_mappings):
    options, primary, secondary, bounds = problem
    expected = covers(options, primary, secondary, bounds)
    said = options if as_mappings else [as_list(option) for option in options]
    cover = puzzlesat.cover(
        {f"o{i}": option for i, option in enumerate(said)} if named else said, primary=primary, secondary=secondary, multiplicities=bounds
    )
    found = list(puzzlesat.solve(cover))
    assert {s.options for s in found} == expected
    assert len(found) == len(expected)
    labels = [f"o{i}" if named else tuple(as_list(option)) for i, option in enumerate(options)]
    assert all(s.names == tuple(labels[o] for o in s.options) for s in found)


# output of other programs ----------------------------------------------------------------------------------------------------

SEVEN = [[1, 4, 7], [1, 4], [4, 5, 7], [3, 5, 6], [2, 3, 6, 7], [2, 7]]
TOY = "| the toy problem of section 7.2.2.1\na b c d e f g\nc e\na d g\nb c f\na d f\nb g\nd e g\n"
WITH_COLOURS = [["p", "q", "x", "y:A"], ["p", "r", "x:A", "y"], ["p", "x:B"], ["q", "x:A"], ["r", "y:B"]]
KNUTHS_COLOURS = "p q r | x y\n" + "".join(f"{' '.join(option)}\n" for option in WITH_COLOURS)
TWICE = "1:2|a 2|b c | x\na b\na c x\nb\nb c\na\n"


def chosen(cover, **wish):
    return {solution.options for solution in puzzlesat.solve(cover, **wish)}


@every("solver", listing())
@every(
    ("given", "named", "expected"),
    [
        (SEVEN, {}, {(1, 3, 5)}),
        (np.array([[item in option for item in range(1, 8)] for option in SEVEN]), {}, {(1, 3, 5)}),
        (TOY, {}, {(0, 3, 4)}),
        (WITH_COLOURS, {"primary": ["p", "q", "r"], "secondary": ["x", "y"]}, {(1, 3)}),
        (WITH_COLOURS, {"secondary": ["x", "y"]}, {(1, 3)}),
        (KNUTHS_COLOURS, {}, {(1, 3)}),
    ],
)
def test_examples_of_other_programs(given, named, expected, solver):
    assert chosen(puzzlesat.cover(given, **named), solver=solver) == expected


def test_multiplicities_mean_what_they_mean_in_knuths_format():
    options = [["a", "b"], ["a", "c", "x"], ["b"], ["b", "c"], ["a"]]
    own = puzzlesat.cover(options, primary=["a", "b", "c"], secondary=["x"], multiplicities={"a": (1, 2), "b": 2})
    read = puzzlesat.cover(TWICE)
    rows = [dict.fromkeys(option) for option in options]
    assert chosen(own) == chosen(read) == covers(rows, ["a", "b", "c"], ["x"], {"a": (1, 2), "b": (2, 2)})


@every("suffix", [".xcc", ".dlx", ".mcc"])
def test_a_file_of_knuths_format(tmp_path, suffix):
    file = tmp_path / f"toy{suffix}"
    file.write_text(TOY, encoding="utf-8")
    for given_as in (file, str(file)):
        cover = puzzlesat.cover(given_as)
        assert cover.name == str(file)
        assert [s.names for s in puzzlesat.solve(cover)] == [("c e", "a d f", "b g")]


# known counts ----------------------------------------------------------------------------------------------------------------


def queens(n):
    options = {(x, y): [("x", x), ("y", y), ("up", x - y), ("down", x + y)] for x in range(n) for y in range(n)}
    return puzzlesat.cover(options, secondary=[("up", d) for d in range(1 - n, n)] + [("down", d) for d in range(2 * n - 1)])


def langford(n):
    return puzzlesat.cover({(k, at): [f"pair {k}", at, at + k + 1] for k in range(1, n + 1) for at in range(2 * n - k - 1)})


@every(
    ("make", "of", "known"),
    [(queens, 6, 4), (queens, 8, 92), (langford, 3, 2), (langford, 4, 2), (langford, 7, 52), (langford, 6, 0)],
    fast=("6", "3"),
)
def test_known_counts(make, of, known):
    report = puzzlesat.count(make(of))
    assert (report.counts.all, report.agree, report.complete) == (known, True, True)
    assert len(report.solutions) == known


# answers ---------------------------------------------------------------------------------------------------------------------

FOUR = {"o1": ["a", "b"], "o2": ["c"], "o3": ["b", "c"], "o4": ["a"]}


def test_a_report():
    cover = puzzlesat.cover(FOUR)
    report = puzzlesat.count(cover)
    assert report.sentence == "2 solutions; confirmed by sat and cpsat"
    assert repr(report) == f"<CoverReport on 'this cover problem': {report.sentence}>"
    assert report.seconds > 0 and report.found == 2 and report.status == "complete" and not report.disagreements
    assert [row.solver for row in report.rows] == ["backtrack", "sat", "cpsat"]
    assert [solution.names for solution in report.solutions] == [("o1", "o2"), ("o3", "o4")]
    assert str(report.solutions[0]) == "o1\no2"
    assert repr(cover) == "<ExactCover 'this cover problem': 4 options, 3 items>"


@pytest.mark.full
def test_a_count_that_a_limit_ends_is_not_shown():
    report = puzzlesat.count(puzzlesat.cover({(i, k): [i] for i in range(40) for k in range(3)}), seconds=0.3)
    assert not report.complete
    assert report.counts.all is None
    assert report.why in report.sentence


@pytest.mark.full
def test_solutions_with_given_options_and_limits():
    cover = puzzlesat.cover(FOUR)
    assert [s.names for s in puzzlesat.solve(cover, given=["o4"])] == [("o3", "o4")]
    assert len(list(puzzlesat.solve(cover, limit=1))) == 1
    unnamed = puzzlesat.cover(list(FOUR.values()))
    assert [s.options for s in puzzlesat.solve(unnamed, given=[["a"]])] == [(2, 3)]
    many = puzzlesat.cover({(i, k): [i] for i in range(40) for k in range(3)})
    with pytest.raises(puzzlesat.LimitReached, match=r"this cover problem: limit reached after [\d,]+ solutions") as ended:
        list(puzzlesat.solve(many, seconds=0.3))
    assert all(isinstance(one, puzzlesat.CoverSolution) for one in ended.value.solutions)
    assert isinstance(list(puzzlesat.solve(many, seconds=0.1, partial=True)), list)


def test_items_of_one_text_are_two_and_no_option_at_all():
    cover = puzzlesat.cover([["1"], [1], ["a b", 1]], primary=["1", 1, "a b"])
    assert len(set(cover.problem.items)) == 3
    assert chosen(cover) == {(0, 2)}
    assert chosen(puzzlesat.cover([])) == {()}
    assert chosen(puzzlesat.cover([], primary=["a"])) == set()


# errors ----------------------------------------------------------------------------------------------------------------------

RED = "'a' has the colour 'red', but only a secondary item can have one"
WRONG = {
    "text for an option": (({"o1": "ab"},), {}, "options['o1']: expected a list of items, got the text 'ab'; write ['ab']"),
    "a list of bits": (([[0, 1, 1]],), {}, "if this is a matrix of 0 and 1, give it as numpy.array(options)"),
    "no matrix": ((np.array([[2]]),), {}, "expected a matrix of 0 and 1, an option a row and an item a column"),
    "no hashable": (([["a", ["b"]]],), {}, "options[0]: the item ['b'] is not hashable; write it as a tuple or a string"),
    "no options": ((5,), {}, "options: expected a mapping or a list of options, got int"),
    "unknown": (({"o": ["ab"]},), {"primary": ["abc", "d"]}, "options['o']: there is no item 'ab'; did you mean 'abc'?"),
    "colour": (({"o": ["a", ("a", "red")]},), {}, "add 'a' to secondary, or list all primary items in primary"),
    "colour of a primary item": (({"o": [("a", "red")]},), {"primary": ["a"]}, RED),
    "only secondary": (({"o": ["s"]},), {"secondary": ["s"]}, "options['o']: an option needs a primary item; add one"),
    "empty": (({"o": []},), {}, "options['o']: an option needs an item; add one, or remove the option"),
    "text for items": (([["a"]],), {"secondary": "s"}, "secondary: expected a list of items, got the text 's'; write ['s']"),
    "of both kinds": (([["a"]],), {"primary": ["a"], "secondary": ["a"]}, "secondary: 'a' is also in primary; remove it from one"),
    "low > high": (([["a"]],), {"multiplicities": {"a": (2, 1)}}, "multiplicities['a']: low 2 is greater than high 1; write (1, 2)"),
    "below 0": (([["a"]],), {"multiplicities": {"a": -1}}, "expected a number, or (low, high) with numbers from 0, got -1"),
    "of no item": (([["abc"]],), {"multiplicities": {"abd": 1}}, "no option has such an item; did you mean 'abc'?"),
    "of a secondary": (([["a", "s"]],), {"secondary": ["s"], "multiplicities": {"s": 2}}, "a secondary item is covered at most once"),
    "a puzzle": (("soma",), {}, "soma: expected a file of a cover problem (.cnf, .opb, .xcc), its text of several lines, or options"),
    "wrong text": (("a b\na c\n",), {"name": "mine"}, "mine: line 2: there is no item 'c'"),
    "text and items": (("a b\na b\n",), {"secondary": ["a"]}, "give only the file"),
}


@every(("given", "named", "sentence"), WRONG.values())
def test_what_is_wrong_is_one_line(given, named, sentence):
    with pytest.raises(puzzlesat.PuzzleError) as caught:
        puzzlesat.cover(*given, **named)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wishes_that_mean_nothing_for_a_cover_problem():
    cover = puzzlesat.cover(FOUR, name="four")
    with pytest.raises(puzzlesat.PuzzleError, match="given: 'o9' is no option of four; known: o1, o2, o3, o4"):
        next(puzzlesat.solve(cover, given=["o9"]))
    with pytest.raises(puzzlesat.PuzzleError, match="nth, random and distinct are for puzzles"):
        puzzlesat.solve(cover, nth=1)
    with pytest.raises(puzzlesat.NotSupportedError, match="four: a cover problem has no form and no tiles; 'count', 'solve'"):
        puzzlesat.prove(cover)
