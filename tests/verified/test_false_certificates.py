"""Forged certificates that make ``puzzlesat-verified`` show one puzzle but count another, or print a malformed number.

Each of the refused certificates was once accepted. Accepted certificates have the counts of a plain enumeration (``stated_by_hand``).
"""

import json
import random
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from stated_by_hand import CUBE, EDGES, HALVES, Enumerated, Grid, box, certificate, grid, puzzle, rule, tile

from tiers import every, tries

VERIFIED = Path(__file__).parents[2] / "verified"
sys.path.insert(0, str(VERIFIED))
unpacked = __import__("unpack").unpacked

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(shutil.which("ocamlopt") is None, reason="OCaml is not there, which builds puzzlesat-verified"),
]
COUNTS = re.compile(r"counts +labelled (.*), all (.*), distinct (.*)")
SHOWN = re.compile(r"(.*?)\n(  checked|rejected)", re.DOTALL)
THIRDS = [(Fraction(a, 3), Fraction(b, 3)) for a, b in ((1, 1), (2, -1), (1, -2), (-1, -1), (-2, 1), (-1, 2))]
BRICKS = [["a", "face", [(0, 0), (1, 0), (1, "1/2"), (0, "1/4")]], ["b", "face", [("1/2", 1), ("3/2", 1), ("3/2", "1/2"), ("1/2", "3/4")]]]
PAIRS = [["l", "face", [(0, 0), ("1/2", 0), ("1/2", 1), (0, 1)]], ["r", "face", [("1/2", 0), (1, 0), (1, 1), ("1/2", 1)]]]
TALL = [
    [name, "face", [(0, Fraction(n, 3)), (1, Fraction(n, 3)), (1, Fraction(n + 1, 3)), (0, Fraction(n + 1, 3))]]
    for n, name in enumerate("abc")
]
MONOMINO, DOMINO, TROMINO = [(0, 0, 0)], [(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
TETROMINO = [*DOMINO, (2, 0, 0), (2, 1, 0)]


@pytest.fixture
def told(checker, tmp_path):
    """The exit status and the output for a certificate, whose words may be changed first."""

    def tell(said, tree=b"", change=lambda words: words, **hints):
        stated, tree = certificate(said, tree, **hints)
        words = change(" ".join(map(str, unpacked(stated, len(tree)))))
        (tmp_path / "file").write_bytes(words.encode("latin-1") + b"\n" + tree)
        done = subprocess.run([checker, "file"], cwd=tmp_path, capture_output=True, check=False)
        return done.returncode, (done.stdout + done.stderr).decode()

    tell.file = tmp_path / "file"
    return tell


def right(of, said):
    """Return the enumerated counts, and the bytes of a tree that proves them."""
    whole = Enumerated(of, said)
    return whole, whole.solutions(), whole.tree


def numbers(text):
    return [None if n.startswith("not") else int(n.replace(",", "")) for n in COUNTS.search(text).groups()]


def unturned(of):
    return [next(i for i, (m, _) in enumerate(of.motions) if all(x == (i == j) for i, row in enumerate(m) for j, x in enumerate(row)))]


def cards(of):
    """A square tile with marks left and right, and one with others."""
    return [
        tile("A", MONOMINO, marks=[((0, 0, 2), (0, 0, 0), "p"), ((1, 0, 2), (0, 0, 0), "q")], ranges=[(1, 2)]),
        tile("B", MONOMINO, marks=[((0, 0, 1), (0, 0, 0), "q"), ((1, 0, 2), (0, 0, 0), "p")], ranges=[(0, None)]),
    ]


def made(name):
    """Small puzzles with everything that can be stated."""
    squares, edges, halves, cubes = grid(), grid(EDGES), grid(HALVES), grid(CUBE)
    match name:
        case "dominoes":
            return squares, puzzle(squares, [tile("D", DOMINO, ranges=[(6, 6)])], box(4, 3))
        case "ranges of two pieces":
            return squares, puzzle(squares, [tile("M", MONOMINO, ranges=[(0, 1), (0, 2)]), tile("D", DOMINO, ranges=[(0, 2)])], box(3, 2))
        case "optional atoms, a rule, kept":
            weights = rule([("D", 1)], [((0, 0, 0), 2), ((1, 1, 0), -3)], low=-1, high=2)
            tiles = [tile("D", DOMINO, ranges=[(0, None)]), tile("M", MONOMINO, ranges=[(1, 3)])]
            return squares, puzzle(squares, tiles, box(2, 2), optional=[(2, 0, 0), (2, 1, 0)], rules=[weights], keep=[[2, 0, 0]])
        case "rest by three":
            return squares, puzzle(squares, [tile("D", DOMINO, ranges=[(0, 9)]), tile("M", MONOMINO, ranges=[(0, 9)])], box(3, 2),
                                   rules=[rule([("D", 1)], modulus=3, residue=2)])  # fmt: skip
        case "one-sided, mirrored the same" | "one-sided, mirrored different":
            turns = [i for i in range(8) if not squares.is_mirror(i)]
            tiles = [
                tile("L", TETROMINO, turns=turns, ranges=[(0, 2)]),
                tile("J", [*DOMINO, (2, 0, 0), (0, 1, 0)], turns=turns, ranges=[(0, 2)]),
            ]
            return squares, puzzle(squares, tiles, box(4, 2), mirrored=name.endswith("same"))
        case "fixed":
            fixed = [{"tile": 0, "atoms": [[0, 0, 0], [0, 1, 0]], "marks": []}]
            return squares, puzzle(squares, [tile("D", DOMINO, ranges=[(6, 6)])], box(4, 3), fixed=fixed)
        case "marks":
            return edges, puzzle(edges, cards(edges), box(3, 1), mates={"p": "q", "q": "p", "l": None})
        case "marks and border":
            left, right_side = ((0, 0, 2), (0, 0, 0)), ((1, 0, 2), (0, 0, 0))
            ends = tile("E", MONOMINO, marks=[(*left, "g"), (*right_side, "p")], ranges=[(0, 3)])
            middle = tile("M", MONOMINO, marks=[(*left, "p"), (*right_side, "p")], ranges=[(0, 3)])
            return edges, puzzle(edges, [ends, middle], box(3, 1), mates={"p": "p", "g": "g"}, border="g")
        case "colours":
            tiles = [tile("D", DOMINO, marks=[(a, a, "red") for a in DOMINO[:1]], ranges=[(3, 3)])]
            return squares, puzzle(squares, tiles, box(3, 2), fits={"red": ["x"]}, coloured=[[[0, 0, 0], "x"], [[2, 1, 0], "y"]])
        case "halves of squares":
            return halves, puzzle(halves, [tile("H", [(0, 0, 0)], ranges=[(2, 4)]), tile("S", [(0, 0, 0), (0, 0, 1)], ranges=[(0, 2)])],
                                  [*box(2, 1), *box(2, 1, number=1)])  # fmt: skip
        case "hexagons":
            hexagons = Grid([["f", "face", THIRDS]], [[2, 1], [1, 2]])
            return hexagons, puzzle(
                hexagons, [tile("T", TROMINO, ranges=[(0, 2)]), tile("D", DOMINO, ranges=[(0, 3)])], [*TROMINO, (1, 1, 0), (2, 0, 0)]
            )
        case "bricks, with glides":
            bricks = Grid(BRICKS, [[1, 0], [0, 1]])
            return bricks, puzzle(bricks, [tile("P", [(0, 0, 0), (0, 0, 1)], ranges=[(0, 3)]), tile("M", MONOMINO, ranges=[(1, 3)])],
                                  [*box(2, 1), *box(2, 1, number=1)])  # fmt: skip
        case "cubes":
            return cubes, puzzle(cubes, [tile("D", [(0, 0, 0, 0), (0, 0, 1, 0)], ranges=[(4, 4)])], box(2, 2, 2))
        case "far away":
            form = [(x + 2**62 - 5, y - 2**62, 0) for x, y, _ in box(4, 2)]
            return squares, puzzle(squares, [tile("L", TETROMINO, ranges=[(2, 2)])], form)
        case "an empty form":
            return squares, puzzle(squares, [tile("M", MONOMINO, ranges=[(0, 1)])], [], optional=MONOMINO)
    raise KeyError(name)


PUZZLES = (
    "dominoes", "ranges of two pieces", "optional atoms, a rule, kept", "rest by three", "one-sided, mirrored the same",
    "one-sided, mirrored different", "fixed", "marks and border", "marks", "colours", "halves of squares", "hexagons",
    "bricks, with glides", "cubes", "far away", "an empty form",
)  # fmt: skip


@every("name", PUZZLES)
def test_the_statement_counts_as_a_plain_enumeration_does(name, told):
    of, said = made(name)
    whole, solutions, tree = right(of, said)
    status, text = told(said, tree)
    assert status == 0, text
    labelled, everything, distinct = numbers(text)
    assert everything == len(solutions) > 0
    assert distinct == whole.distinct(solutions)
    assert labelled is None or labelled == sum(map(whole.labelled, solutions))
    wrong = len(solutions) + 1
    assert told(said, tree, claim=(None, wrong, None))[0] == told(said, tree, claim=(None, None, distinct + 1))[0] == 1
    if name in ("halves of squares", "marks and border", "bricks, with glides", "cubes"):
        demand_a_picture(said, text)
    chance = random.Random(name)
    items = len(said["required"]) + len(said["optional"]) + len(said["tiles"])
    for _ in range(4):
        damaged = list(tree)
        at = chance.randrange(len(damaged) + 1)
        damaged[at : at + chance.randrange(3)] = [chance.randrange(items + 1) for _ in range(chance.randrange(3))]
        status, text = told(said, damaged, removals=[[chance.randrange(3), chance.randrange(items)] for _ in range(chance.randrange(2))])
        assert status == 1 or numbers(text)[1] == len(solutions), "a damaged tree has another count"


def demand_a_picture(said, text):
    """Check that each atom is a sign of the picture, also if a cell has several, and that the name is shown as a mere name."""
    lines = [line.partition("begins at")[0] for line in text.partition("  checked")[0].splitlines()]
    drawn = [line for line in lines if line.startswith(" " * 14) and set(line) <= set(" .#o+")]
    every_atom = [*said["required"], *(a for t in said["tiles"] for a in t["atoms"])]
    assert "".join(drawn).count("#") == len(every_atom)
    assert "only what the file calls itself" in lines[2]
    for t in said["tiles"]:
        assert f"{t['name']}, {len(t['atoms'])} atom" in text


@every("name", PUZZLES)
def test_no_word_can_be_changed_unseen(name, told):
    """Excepted are the hints, which state nothing, and the claim, which is compared."""
    of, said = made(name)
    _, _, tree = right(of, said)
    words = []

    def keep(text):
        words.extend(text.split(" "))
        return text

    shown = SHOWN.match(told(said, tree, keep)[1])[1]
    begin, end = words.index("\ngram"), words.index("\nkept")
    chance = random.Random(name)
    for at in chance.sample(range(begin, end), min(end - begin, tries(4))):
        for other in {re.sub(r"[\w-]+", w, words[at]) for w in ("0", "1", "2", "no", "p", "-")} - {words[at]}:
            text = told(said, tree, lambda _, at=at, other=other: " ".join([*words[:at], other, *words[at + 1 :]]))[1]
            assert text.startswith("puzzlesat-verified: file: ") or SHOWN.match(text)[1] != shown, (words[at - 1], words[at], other)


def test_marks_may_have_any_name(told):
    """The output distinguishes a mark without a mate from one whose mate has such a name."""
    edges = grid(EDGES)
    shown = set()
    for name in ("none", "no", "other", "nothing"):
        for mate in (name, None):
            said = puzzle(edges, [tile("A", MONOMINO, marks=[((0, 0, 2), (0, 0, 0), name)])], MONOMINO, mates={name: mate})
            shown.add(told(said, right(edges, said)[2])[1])
    assert len(shown) == 8


def test_numbers_beyond_63_bits_are_said_right(told):
    squares = grid()
    said = puzzle(squares, [tile("M", MONOMINO, ranges=[(21, 21)])], box(7, 3))
    _, _, tree = right(squares, said)
    status, text = told(said, tree, claim=(51090942171709440000, 1, 1))
    assert status == 0
    assert "labelled 51,090,942,171,709,440,000, all 1, distinct 1" in text
    assert told(said, tree, claim=(51090942171709440000 - 2**63, 1, 1))[0] == 1


def four():
    squares = grid()
    said = puzzle(squares, [tile("M", MONOMINO, ranges=[(4, 4)])], box(2, 2))
    return squares, said, right(squares, said)[2]


@every("word, other, why", [
    ("required 4 0 0 0", "required 4 0 0 7", "there is no atom 7"),
    ("keep 0", "keep 1 0 0 1", "there is no atom 1"),
    ("coloured 0", "coloured 1 0 0 3 0", "there is no atom 3"),
    ("rules 0", "rules 1 1 0 0 9 5 1 0 0 0 0 0", "there is no atom 9"),
    ("names 0", "names 2 red red", "have the same name"),
    ("tiles 1 M", "tiles 2 M 1 0 0 0 0 1 0 1 0 0 M", "have the same name"),
    ("name by-hand", "name \x1b[2Jaccepted", "cannot be seen"),
    ("name by-hand", "name a\xa0b", "cannot be seen"),
    ("name by-hand", "name a\rb", "cannot be seen"),
    ("required 4", "required +4", "expected a number"),
    ("required 4", "required 0x4", "expected a number"),
    ("required 4", "required 04", "expected a number"),
    ("required 4", "required 4_", "expected a number"),
    ("required 4", "required 0u9223372036854775804", "expected a number"),
    ("required 4", "required 9223372036854775812", "expected a number"),
    ("required 4", "required -4", "a length is none"),
    ("required 4", "required 4611686018427387903", "a length is none"),
    ("times 1", "times 1)(", "expected a number"),
    ("gram 2 1 0 0 1", "gram 2 1 1 1 1", "does not prove"),
    ("gram 2 1 0 0 1", "gram 2 1 2 2 1", "does not prove"),
    ("gram 2 1 0 0 1", "gram 2 -1 0 0 -1", "does not prove"),
    ("gram 2 1 0 0 1", "gram 2 1 1 0 1", "does not prove"),
    ("gram 2", "gram 1", "2 or 3 dimensions"),
    ("unit 1", "unit 0", "does not prove"),
    ("claim - - -", "claim - 01 -", "claims all 01"),
    ("fixed 0", "fixed 1 1 1 0 0 0 0", "there is no tile 1"),
    ("kept -", "kept 4611686018427387903 0", "there is no tile"),
])  # fmt: skip
def test_what_would_be_read_in_two_ways_is_refused(word, other, why, told):
    _, said, tree = four()

    def change(words):
        assert f" {word} " in words.replace("\n", " ")
        return words.replace("\n", "").replace(word, other, 1)

    status, text = told(said, tree, change)
    assert (status, why in text) == (1, True), text


def test_what_is_cut_off_or_goes_on_is_refused(told, checker):
    _, said, tree = four()
    assert told(said, tree)[0] == 0
    whole = told.file.read_bytes()
    for cut in (1, 7, 40, 200):
        for broken in (whole[:-cut], whole + b"0" * cut):
            told.file.write_bytes(broken)
            assert subprocess.run([checker, told.file], capture_output=True, check=False).returncode == 1


@every("name", ["x\naccepted, by a program that is proved sound", "x\x1b[8m", "a\u202eb", "red\u200b", "a b"])
def test_names_cannot_write_other_lines(name, told):
    _, said, tree = four()
    said["name"] = said["tiles"][0]["name"] = said["atoms"][0]["name"] = name
    status, text = told(said, tree)
    assert status == 0
    assert all(" " <= c <= "~" for line in text.splitlines() for c in line)
    assert sum(line.startswith("accepted") for line in text.splitlines()) == 1


def test_pictures_say_where_they_are(told):
    squares = grid()
    shown = []
    for off in (0, 1):
        weights = rule(atoms=[((1, 1, 0), 1)])
        said = puzzle(squares, [tile("M", MONOMINO, ranges=[(3, 3)])], [(off, off, 0), (1 + off, off, 0), (off, 1 + off, 0)],
                      optional=[(1 + off, 1 + off, 0)], rules=[weights])  # fmt: skip
        _, solutions, tree = right(squares, said)
        status, text = told(said, tree)
        assert (status, numbers(text)[1]) == (0, len(solutions))
        shown.append(text[: text.index("checked")])
    assert shown[0] != shown[1]


def test_what_is_far_apart_is_listed_and_not_drawn(told):
    for of in (grid(), grid(HALVES), grid(CUBE)):
        far = [(900, *[0] * of.dimension), (-900, *[0] * of.dimension), (0, 900, *[0] * (of.dimension - 1))]
        said = puzzle(of, [tile("M", [(*[0] * of.dimension, 0)], ranges=[(0, 9)])], far)
        text = told(said, right(of, said)[2])[1]
        assert "(900 0" in text and len(text) < 20_000


def senseless():
    """Puzzles whose count would contradict their statement, and the reason for their refusal."""
    squares, edges = grid(), grid(EDGES)
    still, mates = unturned(edges), {"red": "red", "blue": "blue"}

    def two(first, second, **other):
        tiles = [tile("A", MONOMINO, marks=first, turns=still), tile("B", MONOMINO, marks=second, turns=still)]
        return edges, puzzle(edges, tiles, box(2, 1), **{"mates": mates, **other})

    on, beside = ((1, 0, 2), (0, 0, 0), "red"), ((0, 0, 2), (0, 0, 0), "blue")
    yield "look the same", squares, puzzle(squares, [tile("A", DOMINO), tile("B", [(0, 0, 0), (0, 1, 0)])], box(2, 2))
    yield "fewer copies", squares, puzzle(squares, [tile("A", MONOMINO, ranges=[(-2, 3), (2, 2)])], [], optional=box(2, 1))
    yield "fewer copies", squares, puzzle(squares, [tile("A", MONOMINO, ranges=[(2, 0), (0, 2)])], box(2, 1))
    yield "lies on no side", *two([on], [((0, 0, 2), (-1, 0, 0), "blue")])
    yield "lies on no side", *two([((1, 1, 2), (0, 0, 0), "red")], [beside])
    yield "not the other way round", *two([on], [beside], mates={"red": "blue", "blue": "blue"})
    yield "none of the form", squares, puzzle(squares, [tile("M", MONOMINO)], MONOMINO, coloured=[[[9, 9, 0], "x"]])
    yield "two colours", squares, puzzle(squares, [tile("M", MONOMINO)], MONOMINO, coloured=[[[0, 0, 0], "x"], [[0, 0, 0], "y"]])
    yield (
        "two weights",
        squares,
        puzzle(squares, [tile("M", MONOMINO)], MONOMINO, rules=[rule(atoms=[(MONOMINO[0], 1)] * 2, low=2, high=2)]),
    )
    yield "none of the form", squares, puzzle(squares, [tile("M", MONOMINO)], MONOMINO, keep=[[9, 9, 0]])
    yield "inside a tile", edges, puzzle(
        edges, [tile("D", DOMINO, marks=[on, ((1, 0, 2), (1, 0, 0), "blue")], turns=still)], DOMINO, mates=mates
    )  # fmt: skip


@every("why, of, said", senseless())
def test_what_says_something_else_than_it_counts_is_refused(why, of, said, told):
    status, text = told(said, right(of, said)[2])
    assert (status, why in text) == (1, True), text


def ruled(name):
    """Puzzles with rules that some motions keep and others break."""
    squares = grid()
    few = tile("D", DOMINO, ranges=[(0, None)]), tile("M", MONOMINO, ranges=[(1, 3)])
    free = {"optional": [(0, 0, 0), (3, 1, 0)]}
    left, right_side = (0, 0, 0), (3, 1, 0)
    inner = [a for a in box(4, 2) if tuple(a) not in (left, right_side)]
    corners = [(0, 0, 0), (3, 0, 0), (0, 1, 0), (3, 1, 0)]
    middle = [(1, 0, 0), (2, 0, 0), (1, 1, 0), (2, 1, 0)]
    turns = [i for i in range(8) if not squares.is_mirror(i)]
    hands = tile("L", TETROMINO, turns=turns, ranges=[(0, 4)]), tile("J", [*DOMINO, (2, 0, 0), (0, 1, 0)], turns=turns, ranges=[(0, 4)])
    match name:
        case "as many black as white":
            atoms = [((x, y, 0), (-1) ** (x + y)) for x, y, _ in box(4, 3)]
            return puzzle(squares, [tile("D", DOMINO, ranges=[(6, 6)])], box(4, 3), rules=[rule(atoms=atoms)])
        case "required atoms weigh what they weigh":
            pair = [rule(atoms=[((0, 0, 0), 1), ((0, 1, 0), 1)], high=9), rule(atoms=[((3, 0, 0), 1)], low=-3, high=1)]
            return puzzle(squares, [tile("D", DOMINO, ranges=[(4, 4)])], box(4, 2), rules=pair)
        case "rules that change places":
            pair = [rule(atoms=[(left, 1)], high=0), rule(atoms=[(right_side, 1)], high=0)]
            return puzzle(squares, few, inner, **free, rules=pair)
        case "rules that change places, one of them by two" | "bounds that cannot be seen to be the same":
            high = 1 if name.startswith("rules") else 9  # more than 1 is never reached, but counting tiles does not show it
            pair = [rule(atoms=[(corners[0], 2), (corners[1], -2)], low=-1, high=3)]
            pair.append(rule(atoms=[(corners[2], 1), (corners[3], -1)], high=high))
            return puzzle(squares, few, middle, optional=corners, rules=pair)
        case "a weight that turns into its negative":
            return puzzle(squares, few, inner, **free, rules=[rule(atoms=[(left, 3), (right_side, -3)], low=-2, high=1)])
        case "its negative with other bounds":
            return puzzle(squares, few, inner, **free, rules=[rule(atoms=[(left, 1), (right_side, -1)], low=0, high=1)])
        case "only one of two":
            return puzzle(squares, few, inner, **free, rules=[rule(atoms=[(left, 1)], high=0)])
        case "a rule that nothing keeps, and one":
            pair = [rule(atoms=[(left, 1)], low=20, high=30), rule(atoms=[(right_side, 1)], high=0)]
            return puzzle(squares, few, inner, **free, rules=pair)
        case "a rule that cannot be broken, and one":
            pair = [rule(atoms=[(left, 1)], low=-1, high=9), rule([("D", 1)], low=2, high=3)]
            return puzzle(squares, few, inner, **free, rules=pair)
        case "modulo two, the negative":
            return puzzle(squares, few, inner, **free, rules=[rule(atoms=[(left, 1), (right_side, -1)], modulus=2)])
        case "modulo eight, a unit":
            return puzzle(
                squares, few, middle, optional=corners, rules=[rule(atoms=list(zip(corners, (1, 3, 2, 6), strict=True)), modulus=8)]
            )
        case "modulo six, no unit":
            return puzzle(squares, few, inner, **free, rules=[rule(atoms=[(left, 1), (right_side, 2)], modulus=6, residue=2)])
        case "as many of one as are left of the other":
            return puzzle(squares, hands, box(4, 4), rules=[rule([("L", 1)], low=1, high=3)])
        case "modulo three, what is left of the other":
            return puzzle(squares, hands, box(4, 4), rules=[rule([("L", 1)], modulus=3, residue=2)])
        case "fewer of one":
            return puzzle(squares, hands, box(4, 4), rules=[rule([("L", 1)], high=1)])
        case "all tiles weigh what the form does":
            return puzzle(squares, hands, box(4, 2), rules=[rule([("L", 4), ("J", 4)], [((0, 0, 0), 1)], low=9, high=11)])
    raise KeyError(name)


RULED = {
    "as many black as white": 4, "required atoms weigh what they weigh": 4, "rules that change places": 2,
    "rules that change places, one of them by two": 2, "a weight that turns into its negative": 2, "its negative with other bounds": 1,
    "only one of two": 1, "a rule that nothing keeps, and one": 2, "a rule that cannot be broken, and one": 2,
    "modulo two, the negative": 2, "modulo eight, a unit": 2, "modulo six, no unit": 1, "as many of one as are left of the other": 8,
    "modulo three, what is left of the other": 8, "fewer of one": 4, "all tiles weigh what the form does": 4,
}  # fmt: skip
"""And how many symmetries of the grid there are that keep them."""


@every("name", RULED)
def test_a_symmetry_keeps_the_rules_of_every_covering(name, told):
    squares, said = grid(), ruled(name)
    whole, solutions, tree = right(squares, said)
    status, text = told(said, tree)
    assert status == 0, text
    assert f"{RULED[name]} symmetr" in text
    assert numbers(text)[1:] == [len(solutions), whole.distinct(solutions)]
    wrong = whole.distinct(solutions) + 1
    assert told(said, tree, claim=(None, None, wrong))[0] == 1


def some_rules(chance, form, tiles):
    """One to three rules; some are images, negatives or multiples of others, or add sums that all coverings share."""
    squares, made = grid(), []
    for _ in range(chance.randrange(1, 4)):
        weights = {tuple(a): chance.choice((-2, -1, 0, 0, 0, 1, 1, 2)) for a in form}
        named = {t["name"]: chance.choice((-1, 0, 0, 0, 1)) for t in tiles}
        low, high, modulus = chance.randrange(-4, 2), chance.randrange(0, 5), chance.choice((0, 0, 0, 2, 3, 4, 6))
        if made and chance.random() < 0.6:
            weights, named, low, high, modulus = chance.choice(made)
            motion = chance.randrange(8)
            by = [min(a[i] for a in form) - min(squares.go(motion, a)[i] for a in form) for i in (0, 1)]
            moved = {squares.go(motion, a, by): w for a, w in weights.items()}
            if moved.keys() == weights.keys():
                weights = moved
            k, more = chance.choice((1, 1, -1, 2, 3)), chance.choice((0, 0, 1))
            weights, named = {a: k * w + more for a, w in weights.items()}, {t: k * w for t, w in named.items()}
            low, high = sorted((k * low, k * high))
        made.append((weights, named, low, high, modulus))
    return [
        rule(named.items(), weights.items(), modulus=m, residue=low % m) if m else rule(named.items(), weights.items(), low=low, high=high)
        for weights, named, low, high, m in made
    ]


def test_random_rules_are_kept_by_what_is_counted(told):
    """Proved counts are right by definition, and the motions found form a group; else nothing is proved."""
    squares, tally = grid(), {True: 0, False: 0}
    for seed in range(tries(15)):
        chance = random.Random(seed)
        turns = [i for i in range(8) if not squares.is_mirror(i)]
        hands = [
            tile("L", TETROMINO, turns=turns, ranges=[(0, 4)]),
            tile("J", [*DOMINO, (2, 0, 0), (0, 1, 0)], turns=turns, ranges=[(0, 4)]),
        ]
        few = [tile("D", DOMINO, ranges=[chance.choice([(0, None), (2, 2), (1, 3)])]), tile("M", MONOMINO, ranges=[(0, 3)])]
        tiles, sizes = chance.choice([(few, (3, 2)), (few, (2, 2)), (few, (3, 3)), (few, (4, 2)), (hands, (4, 2)), (hands, (4, 4))])
        form = [tuple(a) for a in box(*sizes)]
        free = chance.sample(form, chance.choice((0, 2, 4))) if tiles is few else []
        said = puzzle(squares, tiles, [a for a in form if a not in free], optional=free, rules=some_rules(chance, form, tiles))
        whole, solutions, tree = right(squares, said)
        status, text = told(said, tree)
        assert status == 0, text
        _, everything, distinct = numbers(text)
        assert everything == len(solutions)
        assert distinct in (None, whole.distinct(solutions)), text
        tally[distinct is None] += 1
    assert tally[True] < tally[False]


def test_motions_that_may_keep_the_rules_are_told(told):
    """Here they keep the rules by definition, so neither count is printed, and a claim of either is not proved."""
    squares, said = grid(), ruled("bounds that cannot be seen to be the same")
    whole, solutions, tree = right(squares, said)
    for claimed in (None, whole.distinct(solutions), len(solutions), 1):
        status, text = told(said, tree, claim=(None, None, claimed))
        assert (status, numbers(text)) == (0, [None, len(solutions), None])
        assert "distinct is not proved: a motion may keep the rules that was not seen to (symmetry " in text


@every("name", ["only one of two", "its negative with other bounds"])
def test_a_motion_that_breaks_the_rules_makes_nothing_the_same(name, told):
    """A claim of the number of solutions up to symmetry that counts the motion is rejected."""
    squares, said = grid(), ruled(name)
    whole, solutions, tree = right(squares, said)
    orbits = Enumerated(squares, {**said, "rules": []})
    assert orbits.distinct(solutions) < whole.distinct(solutions)
    status, text = told(said, tree, claim=(None, None, orbits.distinct(solutions)))
    assert (status, "proved is" in text) == (1, True), text


def test_a_placement_is_not_kept_by_a_motion_that_breaks_the_rules(told):
    """One of two placements has solutions; a certificate that keeps only the other is rejected."""
    squares = grid()
    tiles = [tile("D", DOMINO, ranges=[(1, 1)]), tile("M", MONOMINO, ranges=[(1, 1)])]
    for low, distinct in ((0, 1), (1, 1)):
        weights = rule(atoms=[((0, 0, 0), 1)], low=low, high=2)
        said = puzzle(squares, tiles, [(1, 0, 0)], optional=[(0, 0, 0), (2, 0, 0)], rules=[weights])
        whole, solutions, _ = right(squares, said)
        kept = [o for o, p in enumerate(whole.placements) if p[0] == 0][:1]
        whole.placements = [p for o, p in enumerate(whole.placements) if p[0] or o in kept]
        whole.solutions()
        status, text = told(said, whole.tree, kept={"tile": 0, "placements": kept, "symmetries": []})
        assert (status, "does not prove" in text) == ((0, False) if low == 0 else (1, True)), text
        assert low or numbers(text)[1:] == [len(solutions), distinct]


@every("width, right_number", [(2, True), (3, False)], fast=2)
def test_the_placements_of_an_atom_that_represent_the_others_are_kept(width, right_number, told):
    """A turn takes the domino along a side of a square to the one along the other side, but in a rectangle it does not."""
    squares = grid()
    said = puzzle(squares, [tile("D", DOMINO, ranges=[(0, None)])], box(width, 2))
    whole, solutions, _ = right(squares, said)
    beside = [o for o, p in enumerate(whole.placements) if (0, 0, 0) in map(tuple, p[1])]
    whole.placements = [p for o, p in enumerate(whole.placements) if o not in beside[1:]]
    whole.solutions()
    status, text = told(said, whole.tree, kept={"atom": said["required"].index([0, 0, 0]), "placements": beside[:1], "symmetries": []})
    assert (status == 0, "does not prove" in text) == (right_number, not right_number), text
    assert len(beside) == 2 and (not right_number or numbers(text)[1] == len(solutions))


@every("atoms, gram", [(PAIRS, [[4, 0], [0, 1]]), (TALL, [[1, 0], [0, 9]])])
def test_a_lattice_that_lacks_translations_is_refused(atoms, gram, told):
    """Squares stated with cells of two or three: this lattice does not show all turns."""
    coarse = Grid(atoms, gram)
    said = puzzle(coarse, [tile("M", [(0, 0, 0)], ranges=[(1, 1)])], [(0, 0, 0)])
    status, text = told(said, b"")
    assert (status, "lattice of its grid has not all translations of it: (" in text) == (1, True), text
    assert ("(1/2 0)" if atoms is PAIRS else "(0 1/3)") in text


def test_missing_symmetries_are_refused(told):
    squares = grid()
    halves = [i for i, (m, _) in enumerate(squares.motions) if abs(m[0][0]) == 1 and m[0][0] == m[1][1]]
    squares.motions = [squares.motions[i] for i in halves]
    said = puzzle(squares, [tile("L", TETROMINO, ranges=[(2, 2)])], box(4, 2))
    status, text = told(said, right(squares, said)[2])
    assert (status, "symmetries of its grid are missing, by which" in text) == (1, True), text


def test_an_answer_that_cannot_be_written_is_none(told, checker):
    _, said, tree = four()
    assert told(said, tree)[0] == 0
    with Path("/dev/full").open("w") as full:
        assert subprocess.run([checker, told.file], stdout=full, stderr=subprocess.DEVNULL, check=False).returncode == 2


def test_a_claim_that_is_not_proved_is_told(told):
    squares = grid()
    said = puzzle(squares, [tile("M", MONOMINO, ranges=[(0, None)])], box(2, 2))
    status, text = told(said, right(squares, said)[2], claim=(77, 1, 1))
    assert status == 0
    assert "labelled not proved (the certificate claims 77)" in text


def test_words_of_63_bits_are_those_of_rocq(tmp_path):
    """``uint63.ml`` against the specification of Uint63, on extreme and random values."""
    shutil.copy(VERIFIED / "extracted" / "uint63.ml", tmp_path)
    (tmp_path / "say.ml").write_text("""open Uint63
let () = try while true do Scanf.scanf " %d %d" (fun a b ->
  Printf.printf "%d %d %d %d %d %b %d\\n" (l_and a b) (l_or a b) (l_xor a b) (sub a b) (l_sl a b) (equal a b) (of_int a)) done
with End_of_file -> ()
""")
    subprocess.run(["ocamlopt", "-o", "say", "uint63.ml", "say.ml"], cwd=tmp_path, check=True)
    whole = 1 << 63
    edges = [0, 1, 2, 61, 62, 63, 64, 2**31, 2**32, 2**62 - 1, 2**62, 2**62 + 1, whole - 64, whole - 63, whole - 62, whole - 1]
    chance = random.Random(63)
    pairs = [(a, b) for a in edges for b in edges] + [(1 << a, b) for a in range(63) for b in range(70)]
    pairs += [(chance.getrandbits(63), chance.getrandbits(63)) for _ in range(5000)] + [
        (chance.getrandbits(63), chance.randrange(66)) for _ in range(5000)
    ]
    asked = "\n".join(f"{a - whole * (a >> 62)} {b - whole * (b >> 62)}" for a, b in pairs)
    done = subprocess.run([tmp_path / "say"], input=asked + "\n", capture_output=True, text=True, check=True)
    for (a, b), line in zip(pairs, done.stdout.splitlines(), strict=True):
        *found, equal, same = line.split()
        shifted = (a << b) % whole if b < 63 else 0
        assert [int(x) % whole for x in found] == [a & b, a | b, a ^ b, (a - b) % whole, shifted]
        assert (equal, int(same) % whole) == (str(a == b).lower(), a)


def test_words_of_other_than_63_bits_are_refused(tmp_path):
    """The program ends before it reads anything; so does a build for 32-bit processors."""
    text = (VERIFIED / "extracted" / "uint63.ml").read_text(encoding="utf-8")
    for bits, status in ((63, 0), (31, 2), (32, 2)):
        (tmp_path / "guard.ml").write_text(f"module Sys = struct include Sys let int_size = {bits} end\n{text}", encoding="utf-8")
        subprocess.run(["ocamlopt", "-w", "-a", "-o", "guard", "guard.ml"], cwd=tmp_path, check=True)
        done = subprocess.run([tmp_path / "guard"], capture_output=True, text=True, check=False)
        assert (done.returncode, f"words of {bits} bits, the proofs want 63" in done.stderr) == (status, bits != 63)


def packed(path, said, tree, *, twice=None):
    text = json.dumps(said)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("certificate.json", text if twice is None else "{" + twice + text[1:])
        archive.writestr("proof.tree", tree)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_unpacking_takes_nothing_that_can_be_read_in_two_ways(told, checker, tmp_path):
    _, said, tree = four()
    said, tree = certificate(said, tree)
    path = tmp_path / "some.proof"

    def run():
        return subprocess.run(
            [sys.executable, VERIFIED / "unpack.py", path, tmp_path / "text"], capture_output=True, text=True, check=False
        )

    packed(path, said, tree)
    assert run().returncode == 0
    assert subprocess.run([checker, tmp_path / "text"], capture_output=True, check=False).returncode == 0
    for twice in ('"kind": "removals", ', '"claim": {"labelled": 5, "all": 5, "distinct": 5}, '):
        packed(path, said, tree, twice=twice)
        assert "twice" in run().stderr
    packed(path, said, tree)
    with ZipFile(path, "a") as archive:
        archive.writestr("certificate.json", json.dumps({**said, "kind": "removals"}))
    assert "twice" in run().stderr
    packed(path, said, bytes(1 << 25))
    assert "unpacks to far more" in run().stderr
    path.write_bytes(path.read_bytes()[:-30])
    assert (run().returncode, "Traceback" in run().stderr) == (1, False)
