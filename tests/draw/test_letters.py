"""The letters of pieces in text pictures, and their legend."""

from helpers import load
from puzzlesat.pictures.palette import touching
from puzzlesat.pictures.text_pictures import ALPHABET, folded, legend_entries, piece_letters
from puzzlesat.puzzles.building import build_instance
from tiers import every


def board(tiles):
    """Return a board with tiles of these names and copies. Their shapes differ, because equal tiles would be copies of one."""
    tables = {name: {"atoms": [[1, 1], [2 + i, 1]], "copies": copies, "turns": "none"} for i, (name, copies) in enumerate(tiles.items())}
    form = {"box": [6, 6], "optional": "all"}
    return build_instance(load({"title": "T", "grid": "square", "flips": True, "tiles": tables, "form": form}))


def placed(built, names):
    """Return a placement of each named tile; overlaps do not matter for letters."""
    seen = {}
    options = []
    for name in names:
        number = [t.name for t in built.puzzle.tiles].index(name)
        all_ = [o for o, p in enumerate(built.placements) if p.tile == number]
        seen[name] = seen.get(name, -1) + 1
        options.append(all_[seen[name]])
    return options


@every(
    "tiles, pieces, letters, explained",
    [
        ({"F": 1, "I": 1}, "F I", "FI", ""),
        ({"F": 2, "I": 1}, "F I F", "FIf", "f"),
        ({"F": 3, "I": 1}, "F I F F", "FIfA", "fA"),
        ({"f": 1, "F": 2}, "f F F", "fFA", "A"),  # the name of the other tile is never reused
        ({"I2": 1, "O4": 1}, "I2 O4", "IO", "IO"),
        ({"card1": 1, "card2": 1}, "card2 card1", "AB", "AB"),
        ({"A": 1, "Ab": 1}, "Ab A", "BA", "B"),  # a full name takes precedence over a first letter
        ({"+": 1, "-": 1}, "+ -", "AB", "AB"),
        ({"猫": 1, "犬": 1}, "猫 犬", "AB", "AB"),  # both are twice as wide as a letter
        ({"ß": 2, "I": 1}, "ß ß I", "ßAI", "A"),  # its capital is two letters
        ({"7": 2, "I": 1}, "7 7", "7A", "A"),
    ],
)
def test_the_rule(tiles, pieces, letters, explained):
    built = board(tiles)
    options = placed(built, pieces.split())
    found = piece_letters(built, options)
    assert "".join(found) == letters
    entries = legend_entries(built, options, found)
    assert "".join(entry[0] for entry in entries) == explained
    names = dict(zip(found, (built.problem.options[o] for o in options), strict=True))
    assert entries == [f"{c} {names[c]}" for c in explained]


def test_a_tile_has_the_same_letter_in_every_picture():
    built = board({"long": 1, "short": 1, "L": 1, "I": 1})
    for pieces in ("long short", "short", "L long", "I short L"):
        found = dict(zip(pieces.split(), piece_letters(built, placed(built, pieces.split())), strict=True))
        assert found.get("short", "s") == "s"
        assert found.get("L", "L") == "L"
        assert found.get("long", "l") == "l"  # L and l are different letters


def test_more_pieces_than_letters():
    table = {"title": "T", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": 200}}, "form": {"box": [20, 20]}}
    built = build_instance(load(table))
    options = [o for o, p in enumerate(built.placements) if p.atoms[0][1] == p.atoms[1][1] and min(a[0] for a in p.atoms) % 2]
    assert len(options) == 200
    letters = piece_letters(built, options)
    assert len(set(letters)) == len(ALPHABET)
    assert letters.count("D") == 1
    pairs = touching(built, options)
    assert len(pairs) > 300
    assert all(letters[i] != letters[j] for i, j in pairs)
    assert len(legend_entries(built, options, letters)) == 199


def test_lines_are_folded_between_words():
    words = ["solution 1", *(f"card{i}.1@1.1" for i in range(9))]
    for width in (20, 40, 80):
        lines = folded(words, width, indent="  ").splitlines()
        assert max(map(len, lines)) <= width
        assert [line[:2] for line in lines[1:]] == ["  "] * (len(lines) - 1)
        assert " ".join(lines).split() == " ".join(words).split()
    assert folded(words, None) == "  ".join(words) + "\n"
    assert folded(["x" * 50, "y"], 20) == "x" * 50 + "\ny\n"
    assert folded([], 20) == ""
