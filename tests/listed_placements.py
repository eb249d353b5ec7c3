"""Make the lists of placements of some instances: ``python tests/listed_placements.py`` writes the instances.

Nothing of puzzlesat is imported here. tests/test_listed.py compares the files with this output.
"""

from itertools import permutations, product
from pathlib import Path

INSTANCES = Path(__file__).parents[1] / "instances"


def file_of(head, placements, form, expect, outlines=None):
    """The text of an instance; ``placements`` has the copies and the list of each tile, ``outlines`` the corners of each placement."""
    drawn = {name: f"outlines = [\n{lines(corners)}]\n" for name, corners in (outlines or {}).items()}
    tiles = "".join(
        f"\n[tiles.{name}]\n{f'copies = {copies}{chr(10)}' if copies != 1 else ''}placements = [\n{lines(listed)}]\n{drawn.get(name, '')}"
        for name, (copies, listed) in placements.items()
    )
    return f"{head}{tiles}\n[form]\n{form}\n[expect]\n{expect}"


def lines(listed):
    """One placement per line, as a text."""
    return "".join(f'    "{" ".join(",".join(map(str, atom)) for atom in atoms)}",\n' for atoms in listed)


def written(ref):
    """An atom as written in a file."""
    return f"[{', '.join(f'{chr(34)}{x}{chr(34)}' if isinstance(x, str) else str(x) for x in ref)}]"


# ---------------------------------------------------------------- queens


FIGURE = (
    (0.2, 0.12), (0.8, 0.12), (0.78, 0.3), (0.92, 0.7), (0.72, 0.5), (0.7, 0.82), (0.56, 0.52),
    (0.5, 0.9), (0.44, 0.52), (0.3, 0.82), (0.28, 0.5), (0.08, 0.7), (0.22, 0.3),
)  # fmt: skip
"""The corners of a queen in a square of side 1."""


def queen(x, y, n):
    """Return the cells covered by a queen on an n x n board: its square, and both ends of its row, its column and its two diagonals.

    The ends are quarters of the squares around the board. A diagonal through the corners ends in two quarters of a corner's square, so each
    symmetry of the board preserves the ends.
    """
    end, d, s = n + 1, x - y, x + y
    ends = [(0, y, "R"), (end, y, "L"), (x, 0, "T"), (x, end, "B")]
    if d == 0:
        ends += [(0, 0, "T"), (0, 0, "R"), (end, end, "L"), (end, end, "B")]
    else:
        ends += [(d, 0, "R"), (end, end - d, "B")] if d > 0 else [(0, -d, "T"), (end + d, end, "L")]
    if s == end:
        ends += [(end, 0, "L"), (end, 0, "T"), (0, end, "R"), (0, end, "B")]
    else:
        ends += [(s, 0, "L"), (0, s, "B")] if s < end else [(end, s - end, "T"), (s - end, end, "R")]
    return [(x, y, quarter) for quarter in "LBTR"] + ends


def queens(n, every, distinct, source):
    """The n queens: each row and each column has one queen, each diagonal at most one."""
    expect = f'all = {every}\ndistinct = {distinct}\npublished = "{every} solutions, {distinct} up to symmetry"\nsource = "{source}"\n'
    places = [queen(x, y, n) for y, x in product(range(1, n + 1), repeat=2)]
    atoms = sorted({a for place in places for a in place})
    rows = {(x, y, q) for x, y, q in atoms if (x in (0, n + 1) and q == "RL"[x > 0]) or (y in (0, n + 1) and q == "TB"[y > 0])}
    rows -= {(x, y, q) for x, y, q in rows if x in (0, n + 1) and y in (0, n + 1)}
    head = (
        f'title = "{n} queens"\n'
        'source = "Max Bezzel, Schachzeitung 1848"\n'
        "# Each queen covers its square and, round the board, both ends of its row and column, which must be covered, and of its two\n"
        "# diagonals, which may stay free. Made by tests/listed_placements.py.\n"
        'grid = "tans"\nflips = true\n'
    )
    optional = [a for a in atoms if a not in rows]
    form = f"atoms = [\n{refs(atoms)}]\noptional = [\n{refs(optional)}]\n"
    drawn = [[(f"{x + dx:g}", f"{y + dy:g}") for dx, dy in FIGURE] for y, x in product(range(1, n + 1), repeat=2)]
    return file_of(head, {"Q": (n, places)}, form, expect, {"Q": drawn})


def refs(atoms):
    """Atoms, twelve a line."""
    return "".join(f"    {', '.join(map(written, atoms[i : i + 12]))},\n" for i in range(0, len(atoms), 12))


# ---------------------------------------------------------------- Instant Insanity

CUBES = {"cube1": ("WG", "RB", "RR"), "cube2": ("BW", "GR", "RW"), "cube3": ("RB", "BW", "GW"), "cube4": ("GR", "WG", "BB")}
"""The colours of the three pairs of opposite faces."""
COLOURS = "GBWR"
NAMES = ("green", "blue", "white", "red")
"""From the lowest row."""


def rings(pairs):
    """The four colours around a tower, for every orientation of a cube in it: front, right, back, left."""
    found = set()
    for one, other in permutations(pairs, 2):
        for front, right in product((one, one[::-1]), (other, other[::-1])):
            found.add((front[0], right[0], front[1], right[1]))
    return sorted(found)


def insanity():
    """Columns are the sides of the tower and rows are colours: each side has each colour once."""
    listed = {
        name: (1, [[(side, COLOURS.index(colour) + 1) for side, colour in enumerate(ring, start=1)] for ring in rings(pairs)])
        for name, pairs in CUBES.items()
    }
    head = (
        'title = "Instant Insanity"\n'
        'source = "Franz Armbruster, Parker Brothers 1967; the same as The Great Tantalizer of about 1940"\n'
        "# Columns are the four sides of the tower, rows are colours (from below green, blue, white, red): a cube covers the\n"
        "# colour that it shows on each side. Turning the tower moves the columns round, turning it over mirrors them. The order\n"
        "# of the cubes in the tower does not count. Made by tests/listed_placements.py.\n"
        'grid = "square"\nflips = true\n'
    )
    rows = [f"{name} = [{', '.join(f'[{side}, {row}]' for side in range(1, 5))}]" for row, name in enumerate(NAMES, start=1)]
    form = f"box = [4, 4]\nwrap = [{{ move = [4, 0] }}]\n\n[form.colours]\n{chr(10).join(rows)}\n"
    expect = (
        "all = 8\ndistinct = 1\n"
        'published = "one solution, up to turning the tower and the order of the cubes"\n'
        'source = "Jim Storer, Instant Insanity (cs.brandeis.edu/~storer/JimPuzzles)"\n'
    )
    return file_of(head, listed, form, expect)


QUEENS = {6: (4, 1, "OEIS A000170 and A002562"), 8: (92, 12, "Franz Nauck, Illustrirte Zeitung 1850; OEIS A000170 and A002562")}


def files():
    """Map the path of each instance below ``instances`` to its text."""
    return {f"queens/queens-{n}.toml": queens(n, *known) for n, known in QUEENS.items()} | {
        "instant-insanity/instant-insanity.toml": insanity()
    }


if __name__ == "__main__":
    for path, text in files().items():
        (INSTANCES / path).parent.mkdir(exist_ok=True)
        (INSTANCES / path).write_text(text, encoding="utf-8")
