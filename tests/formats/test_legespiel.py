"""Configurations of Legespiel-Solver: known games have their counts, and every way in which pictures match is kept or refused."""

import sys
from itertools import permutations, product
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlesat
from puzzlesat.base.errors import NotSupportedError, PuzzleError
from puzzlesat.base.package import data_folder
from puzzlesat.formats.legespiel import is_legespiel, read_legespiel
from puzzlesat.formats.toml import instance_text
from puzzlesat.puzzles.library import find_instance
from tiers import every, tries

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GAMES = sorted(path.stem for path in (data_folder("instances") / "legespiel").glob("*.toml"))


def xml(pictures, cards, rows=3, columns=3, name="A game", namespace=' xmlns="http://whatsoftwarecando.org"'):
    """The text of a configuration; pictures are (id, name, ids), cards are clockwise from the north."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<legespielConfiguration{namespace}>", f"<name>{name}</name>"]
    lines += ["<description>What it is,\n\t\tin two lines</description>", f"<numberOfRows>{rows}</numberOfRows>"]
    lines += [f"<numberOfColumns>{columns}</numberOfColumns>", "<pictures>"]
    lines += [f'<picture id="{i}" name={quoteattr(n)} matchWithIds="{",".join(map(str, meets))}"/>' for i, n, meets in pictures]
    lines += ["</pictures>", "<cards>"]
    lines += [f'<card north="{n}" west="{w}" east="{e}" south="{s}"/>' for n, e, s, w in cards]
    return "\n".join([*lines, "</cards>", "</legespielConfiguration>"])


@pytest.fixture
def game(tmp_path):
    def load(text, name="some-game.config.xml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert is_legespiel(path)
        (one,) = read_legespiel(path)
        instance = tmp_path / f"{one.name}.toml"
        instance.write_text(instance_text(one.table, one.remarks), encoding="utf-8")
        return puzzlesat.load(instance)

    return load


@every("name", GAMES, fast=("absolut-knifflig",))
def test_known_games(game, name):
    known = tomllib.loads(find_instance(name).read_text(encoding="utf-8"))
    meets = {}
    for mark, table in known["marks"].items():
        own = [mark + half for half in "+-"] if table["kind"] == "halves" else [mark]
        meets |= {half: [] if table["kind"] == "lonely" else [other] for half, other in zip(own, reversed(own), strict=True)}
    number = {half: i for i, half in enumerate(meets, start=1)}
    pictures = [(i, half, [number[other] for other in meets[half]]) for half, i in number.items()]
    cards = [[number[m] for m in tile["around"]] for tile in known["tiles"].values() for _ in range(tile.get("copies", 1))]
    columns, rows = known["form"]["box"]
    counts = puzzlesat.count(game(xml(pictures, cards, rows, columns)), solver="backtrack").counts
    keys = known["expect"].keys() & {"all", "distinct", "labelled", "labelled_distinct", "labelled_turns"}
    assert {k: getattr(counts, k) for k in keys} == {k: known["expect"][k] for k in keys}


HALVES = [(1, "cat head", [2]), (2, "cat tail", [1])]


def test_what_it_looks_like(game, tmp_path):
    pictures = [*HALVES, (3, "+dog", [4]), (4, "-dog", [3]), (5, "red", [5]), (6, "none", []), (7, "up", [8]), (8, "down", [7])]
    puzzle = game(xml(pictures, [[1, 4, 5, 6], [2, 3, 8, 7]], 1, 2, namespace="")).puzzle
    assert (
        (tmp_path / "some-game.toml").read_text(encoding="utf-8")
        == """# cat+ is the picture 'cat head'
# cat- is the picture 'cat tail'
# dog+ is the picture '+dog'
# dog- is the picture '-dog'
# up/down+ is the picture 'up'
# up/down- is the picture 'down'
title = "A game"
source = "What it is, in two lines"
grid = "square-marks"
flips = false
turns = "all"

[marks]
cat = { kind = "halves" }
dog = { kind = "halves" }
red = { kind = "self" }
none = { kind = "lonely" }
"up/down" = { kind = "halves" }

[tiles]
card1 = { around = ["cat+", "dog-", "red", "none"] }
card2 = { around = ["cat-", "dog+", "up/down-", "up/down+"] }

[form]
box = [2, 1]
"""
    )
    assert puzzle.mates["up/down+"] == "up/down-"
    assert puzzle.mates["none"] is None


RELATIONS = [
    [(1, "a", [2]), (2, "b", [1]), (3, "c", [3]), (4, "d", [])],
    [(1, "a", [1]), (2, "a", [2]), (3, "x", [])],
    [(1, "a", [2, 3]), (2, "b", [1]), (3, "c", [1])],
    [(1, "a", [1, 2]), (2, "b", [1, 2]), (3, "c", [3])],
    [(1, "a", [3, 4]), (2, "b", [3, 4]), (3, "c", [1, 2]), (4, "d", [1, 2])],
]


def brute_force(pictures, cards, rows, columns):
    """Count all ways to lay the cards by the ids of pictures; equal looks count once."""
    meets = {i: set(ids) for i, _, ids in pictures}
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    found = set()
    for order in permutations(range(len(cards)), len(cells)):
        for turns in product(range(4), repeat=len(cells)):
            laid = {cell: tuple(cards[i][(k - t) % 4] for k in range(4)) for cell, i, t in zip(cells, order, turns, strict=True)}
            if all(
                ((r, c + 1) not in laid or laid[r, c + 1][3] in meets[laid[r, c][1]])
                and ((r + 1, c) not in laid or laid[r + 1, c][0] in meets[laid[r, c][2]])
                for r, c in cells
            ):
                found.add(tuple(laid[cell] for cell in cells))
    return len(found)


@settings(max_examples=tries(40))
@given(data=st.data())
def test_by_brute_force(tmp_path_factory, data):
    """Boards of other sizes, too many or too few cards, and all kinds of pictures, including several with the same partners."""
    rows, columns = data.draw(st.sampled_from([(1, 2), (2, 1), (1, 3), (2, 2)]))
    relation = data.draw(st.sampled_from(RELATIONS))
    card = st.lists(st.sampled_from([i for i, _, _ in relation]), min_size=4, max_size=4)
    cells = rows * columns
    cards = data.draw(st.lists(card, min_size=max(1, cells - 1), max_size=min(cells + 1, 4)))
    folder = tmp_path_factory.mktemp("game")
    (folder / "game.xml").write_text(xml(relation, cards, rows, columns), encoding="utf-8")
    try:
        (one,) = read_legespiel(folder / "game.xml")
    except NotSupportedError as error:
        assert "would then look alike" in str(error) or "do not match the same pictures" in str(error)
        return
    (folder / "game.toml").write_text(instance_text(one.table, one.remarks), encoding="utf-8")
    counts = puzzlesat.count(puzzlesat.load(folder / "game.toml"), solver="backtrack").counts
    assert counts.all == brute_force(relation, cards, rows, columns)


@every(
    "pictures, cards, message",
    [
        ([(1, "a", [2]), (2, "b", [])], [[1, 1, 1, 1]], r"picture 1 \('a'\) matches 2 \('b'\), but 2 does not match 1"),
        ([(1, "a", [1, 2]), (2, "b", [1])], [[1, 1, 1, 1]], r"picture 1 \('a'\) matches 'a', 'b', which do not match the same pictures"),
        (
            [(1, "a", [2, 3]), (2, "b", [1]), (3, "c", [1])],
            [[1, 1, 2, 1], [3, 1, 1, 1]],
            "the pictures 'b', 'c' match the same pictures and would be one mark; cards 1 and 2 would then look alike",
        ),
        (
            [(1, "a", [2, 3]), (2, "b", [1]), (3, "c", [1])],
            [[2, 1, 3, 1]],
            "the pictures 'b', 'c' match the same pictures and would be one mark; two turns of card 1 would then look alike",
        ),
        ([(1, "a", [7])], [[1, 1, 1, 1]], "picture 1: matchWithIds: there is no picture 7"),
        ([(1, "a", [1]), (1, "b", [1])], [[1, 1, 1, 1]], "two pictures have the id 1"),
        ([(1, "a", ["x"])], [[1, 1, 1, 1]], "picture 1: matchWithIds: expected a number, got 'x'"),
        ([(1, "a", [1])], [[1, 1, 2, 1]], "card 1: there is no picture 2"),
        ([(1, "a", [1])], [], "there are no cards"),
    ],
)
def test_what_is_refused(game, pictures, cards, message):
    with pytest.raises(PuzzleError, match=message):
        game(xml(pictures, cards))


@every(
    "old, new, message",
    [
        ("<numberOfRows>3</numberOfRows>", "", "numberOfRows: expected a number, got ''"),
        ("<numberOfColumns>3<", "<numberOfColumns>0<", "numberOfColumns: expected 1 or more, got 0"),
        ('north="1"', "", "card 1: north: expected a number, got ''"),
        ("</cards>", "", "no XML: mismatched tag"),
        ("legespielConfiguration", "something", "expected the root element <legespielConfiguration>, got <something>"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, old, new, message):
    path = tmp_path / "game.xml"
    path.write_text(xml([(1, "a", [1])], [[1, 1, 1, 1]], namespace="").replace(old, new), encoding="utf-8")
    if new == "something":
        assert not is_legespiel(path)
    with pytest.raises(PuzzleError, match=message):
        read_legespiel(path)


def test_names_that_clash_stay_apart(game):
    meets = [("a+", 1), ("a head", 3), ("a tail", 2), ("b", 4), ("b", 5), ("c head", 7), ("c tail", 6)]
    pictures = [*((i, name, [met]) for i, (name, met) in enumerate(meets, start=1)), (8, "c", []), (9, "c-", [])]
    puzzle = game(xml(pictures, [[i, i, i, i] for i in range(1, 10)])).puzzle
    assert len(puzzle.mates) == 9
    assert sum(mate is None for mate in puzzle.mates.values()) == 2
