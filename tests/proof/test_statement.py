"""Every field of a certificate: its allowed and its refused values. A field missing from this table fails the test."""

import itertools
import json
from copy import deepcopy
from fractions import Fraction
from functools import reduce
from operator import getitem
from zipfile import ZipFile

import pytest
from test_mutations import as_zip, certificate, verdict

from puzzlesat.base import Limits, PuzzleError, data_files
from puzzlesat.checker import Rejected, check_certificate
from puzzlesat.checker.problem import make_problem
from puzzlesat.checker.puzzle import all_placements, faces_of, read_puzzle
from puzzlesat.proofs import certify, make_case
from puzzlesat.puzzles import build_instance, library, load_grid
from puzzlesat.puzzles.load import load_instance
from tiers import every

EVERYTHING = """title = "All that a puzzle can state"
grid = "square-marks"
flips = false
mirrored = "different"
[marks]
cat = { kind = "halves" }
dot = { kind = "self" }
one = { kind = "lonely" }
[colours]
dark = ["black", "grey"]
[tiles.A]
around = ["cat-", "dot", "cat+", "dot"]
copies = 2
colours = { dark = [[1, 1]] }
[tiles.B]
atoms = [[1, 1], [2, 1]]
marks = [{ at = [1, 1, "h"], on = [1, 1], mark = "dot" }, { at = [2, 1, "v"], on = [1, 1], mark = "cat+" }, { at = [2, 1, "v"], on = [2, 1], mark = "cat-" }]
copies = [0, 3]
[tiles.C]
around = ["dot", "dot", "one", "cat+"]
copies = "any"
[form]
box = [4, 3]
optional = [[4, 3], [4, 2]]
border = "dot"
colours = { black = [[1, 1]], grey = [[2, 2]] }
[[conditions]]
name = "sum"
atoms = [[1, 1, 2], [2, 2, -1]]
between = [-5, 5]
[[conditions]]
name = "rest"
tiles = { A = 1 }
modulo = { of = 2, is = 0 }
[split]
name = "empty"
uncovered = "face"
"""  # noqa: E501
INT, TEXT, BOOL, NONE, LIST, TABLE = int, str, bool, type(None), list, dict
SAMPLES = {INT: 0, TEXT: "x", BOOL: True, NONE: None, LIST: [], TABLE: {}, float: 0.0}


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    path = tmp_path_factory.mktemp("everything") / "everything.toml"
    path.write_text(EVERYTHING, encoding="utf-8")
    case = make_case(build_instance(load_instance(path)))
    said = deepcopy(case.stated)
    for wanted in ("B", "C"):  # two fixed placements that do not overlap
        taken = [a for f in said["fixed"] for a in f["atoms"]]
        tile = next(i for i, t in enumerate(said["tiles"]) if t["name"] == wanted)
        look = next(p.look for p in case.placements if p.tile == tile and not {tuple(a) for a in taken} & p.look[0])
        marks = [[list(s), list(f), name] for s, f, name in sorted(look[1])]
        said["fixed"].append({"tile": tile, "atoms": sorted(map(list, look[0])), "marks": marks})
    return said


def refusal(said):
    """Return why a puzzle is refused; None if it is accepted."""
    try:
        puzzle = read_puzzle(said)
        make_problem(puzzle, all_placements(puzzle))
    except Rejected as error:
        return str(error)
    return None


NAMED = {"mates", "fits", "rules.*.tiles"}
"""Objects whose keys are names."""


def fields(value, path=""):
    """Yield each place of a tree of JSON values, as a path without numbers and names."""
    yield path, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        step = "*" if isinstance(value, list) or path in NAMED else key
        yield from fields(inner, f"{path}.{step}" if path else str(step))


def places(value, path, at=()):
    """Yield the places that a path matches, as tuples of keys."""
    if not path:
        yield at
        return
    first, _, rest = path.partition(".")
    keys = [first] if first != "*" else range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else []
    for key in keys if first == "*" or (isinstance(value, dict) and first in value) else ():
        yield from places(value[key], rest, (*at, key))


def put(said, at, change):
    """A copy in which ``change`` has replaced the value at a place."""
    copy = deepcopy(said)
    where = reduce(getitem, at[:-1], copy)
    where[at[-1]] = change(deepcopy(where[at[-1]]))
    return copy


def twice(value):
    return [*value, *value[-1:]]


def with_key(key, new):
    return lambda value: {**value, key: new}


def without(key):
    return lambda value: {k: v for k, v in value.items() if k != key}


def always(new):
    return lambda _: deepcopy(new)


ATOM = (LIST,), [lambda a: a[:-1], lambda a: [*a, 0], lambda a: [*a[:-1], 3], lambda a: [*a[:-1], -1]]
NUMBER = (INT,), [always(1 << 62), always(-(1 << 62))]
WEIGHT = (INT,), [always(10**9 + 1), always(-(10**9) - 1)]
FRACTION = (TEXT,), [always(x) for x in ("", "1/0", "1/00", "1e3", " 1", "1.5", "+1", "0x1", "1/2/3", "1" * 10, "½", "inf", "1\n")]
NAME = (TEXT,), [always(""), always("a\nb"), always("a\x1bb"), always("\u2028")]
PUZZLE = {
    "": ((TABLE,), [with_key("more", 1)]),
    "name": NAME,
    "title": ((TEXT,), []),
    "gram": ((LIST,), [
        always([["0", "0"], ["0", "0"]]), always([["1", "0"], ["0", "0"]]), always([["0", "1"], ["-1", "0"]]),
        always([["1", "0"], ["1", "1"]]),
        always([["-1", "0"], ["0", "-1"]]), always([["1", "2"], ["2", "1"]]), always([["1"]]), always([["1", "0"]]), always([]),
        always([["1" if i == j else "0" for i in range(4)] for j in range(4)]), always([["1", "9999"], ["9999", "99980002"]]),
        always([["2", "0"], ["0", "1"]]), always([["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]),
    ]),
    "gram.*": ((LIST,), [always(["1"]), always([])]),
    "gram.*.*": FRACTION,
    "atoms": ((LIST,), [always([]), twice, lambda v: v[:1], lambda v: [*v, {**v[0], "name": "g"}], lambda v: v[::-1], lambda v: [
        *v, {"name": "ball", "kind": v[0]["kind"], "vertices": [["0", "0"]]}],
        lambda v: [{**a, "name": str(i)} for i, a in enumerate(v * 200)]]),
    "atoms.*": ((TABLE,), [with_key("role", "cover"), without("name"), without("kind"), without("vertices")]),
    "atoms.*.name": ((TEXT,), []),
    "atoms.*.kind": ((TEXT,), [always("strange")]),
    "atoms.*.vertices": ((LIST,), [always([]), twice, lambda v: v[:1], always([[str(i), "0"] for i in range(3000)])]),
    "atoms.*.vertices.*": ((LIST,), [always(["0"]), always(["0", "0", "0"])]),
    "atoms.*.vertices.*.*": FRACTION,
    "symmetries": ((LIST,), [always([]), twice, lambda v: v[1:], lambda v: v[:1], lambda v: v[:4], lambda v: v[::2]]),
    "symmetries.*": ((TABLE,), [with_key("over", 1), *map(without, ("name", "matrix", "image", "shift"))]),
    "symmetries.*.name": NAME,
    "symmetries.*.matrix": ((LIST,), [always([]), always([[0, 0], [0, 0]]), always([[1, 1], [0, 1]]), always([[2, 0], [0, 2]]), twice]),
    "symmetries.*.matrix.*": ((LIST,), [always([0, 0]), always([1]), always([1, 0, 0])]),
    "symmetries.*.matrix.*.*": ((INT,), [always(7), always(1 << 70)]),
    "symmetries.*.image": ((LIST,), [always([]), always([0, 0, 0]), twice, always([-3, -2, -1])]),
    "symmetries.*.image.*": ((INT,), [always(-1), always(3)]),
    "symmetries.*.shift": ((LIST,), [always([]), twice, lambda v: [[v[0][0] + 1, v[0][1]], *v[1:]]]),
    "symmetries.*.shift.*": ((LIST,), [always([0]), always([0, 0, 0])]),
    "symmetries.*.shift.*.*": ((INT,), [always(50), always(1 << 70)]),
    "tiles": ((LIST,), [twice, lambda v: [*v, {**v[0], "name": "Z"}], lambda v: [*v, {
        **v[0], "name": "Z", "atoms": [[x + 5, y, a] for x, y, a in v[0]["atoms"]],
        "marks": [[[s[0] + 5, *s[1:]], [f[0] + 5, *f[1:]], n] for s, f, n in v[0]["marks"]]}], always([])]),
    "tiles.*": ((TABLE,), [with_key("more", 1), *map(without, ("name", "atoms", "marks", "symmetries", "ranges"))]),
    "tiles.*.name": NAME,
    "tiles.*.atoms": ((LIST,), [always([]), twice]),
    "tiles.*.atoms.*": ATOM,
    "tiles.*.atoms.*.*": NUMBER,
    "tiles.*.marks": ((LIST,), [
        twice, lambda v: [*v, [*v[-1][:2], "cat+"]], lambda v: [*v, [[9, 9, 1], v[-1][1], "dot"]],
        lambda v: [*v, [v[-1][0], [9, 9, 0], "dot"]]]),
    "tiles.*.marks.*": ((LIST,), [lambda v: v[:2], lambda v: [*v, 1], lambda v: [*v[:2], "unknown"], lambda v: [v[1], v[1], "cat+"],
                                  lambda v: [v[0], v[0], v[2]] if v[0] != v[1] else [*v[:2], "dot"]]),
    "tiles.*.marks.*.*": ((LIST, TEXT), []),
    "tiles.*.marks.*.*.*": NUMBER,
    "tiles.*.symmetries": ((LIST,), [always([]), twice, always([0, 1]), always([1]), always([8]), always([-1]), lambda v: v[1:]]),
    "tiles.*.symmetries.*": ((INT,), [always(-1), always(8)]),
    "tiles.*.ranges": ((LIST,), [always([])]),
    "tiles.*.ranges.*": ((LIST,), [always([2, 1]), always([1]), always([0, 1, 1]), always([]), always([None, 1])]),
    "tiles.*.ranges.*.*": ((INT, NONE), [always(-1), always(1 << 30), always(1 << 62)]),
    "required": ((LIST,), [twice, lambda v: [*v, [4, 3, 0]]]),
    "required.*": ATOM,
    "required.*.*": NUMBER,
    "optional": ((LIST,), [twice, lambda v: [*v, [1, 1, 0]]]),
    "optional.*": ATOM,
    "optional.*.*": NUMBER,
    "mates": ((TABLE,), [without("dot"), without("cat+"), with_key("dot", "cat+"), with_key("dot", "none"), with_key("new", "dot"),
                         with_key("dark", "dark")]),
    "mates.*": ((TEXT, NONE), [always("cat")]),
    "fits": ((TABLE,), [without("dark"), with_key("dot", ["black"])]),
    "fits.*": ((LIST,), [twice]),
    "fits.*.*": ((TEXT,), []),
    "coloured": ((LIST,), [twice, lambda v: [*v, [v[0][0], "white"]], lambda v: [*v, [[9, 9, 0], "black"]]]),
    "coloured.*": ((LIST,), [lambda v: v[:1], lambda v: [*v, 1], always([])]),
    "coloured.*.*": ((LIST, TEXT), []),
    "coloured.*.*.*": NUMBER,
    "border": ((TEXT, NONE), [always("unknown"), always("dark")]),
    "rules": ((LIST,), [twice]),
    "rules.*": ((TABLE,), [with_key("more", 1), *map(without, ("name", "atoms", "tiles", "low", "high", "modulus", "residue"))]),
    "rules.*.name": NAME,
    "rules.*.atoms": ((LIST,), [lambda v: [*v, [[9, 9, 0], 1]], lambda v: [*v, [[1, 1, 0], 1], [[1, 1, 0], 1]]]),
    "rules.*.atoms.*": ((LIST,), [lambda v: v[:1], lambda v: [*v, 1]]),
    "rules.*.atoms.*.*": ((LIST, INT), [always(10**9 + 1)]),
    "rules.*.atoms.*.*.*": NUMBER,
    "rules.*.tiles": ((TABLE,), [without("A"), with_key("Z", 1)]),
    "rules.*.tiles.*": WEIGHT,
    "rules.*.low": ((INT,), [*WEIGHT[1], always(6)]),
    "rules.*.high": ((INT,), [*WEIGHT[1], always(-6)]),
    "rules.*.modulus": ((INT,), [always(1), always(-2), always(10**9 + 1), always(3 * 10**9)]),
    "rules.*.residue": ((INT,), [always(2), always(-1)]),
    "fixed": ((LIST,), [twice, lambda v: [*v, v[0]], lambda v: [*v, {**v[0], "tile": 0}]]),
    "fixed.*": ((TABLE,), [with_key("more", 1), *map(without, ("tile", "atoms", "marks"))]),
    "fixed.*.tile": ((INT,), [always(-1), always(3), always(0)]),
    "fixed.*.atoms": ((LIST,), [always([]), twice, lambda v: v[:-1], always([[9, 9, 0]])]),
    "fixed.*.atoms.*": ATOM,
    "fixed.*.atoms.*.*": ((INT,), [*NUMBER[1], always(77)]),
    "fixed.*.marks": ((LIST,), [always([]), twice, lambda v: v[:-1]]),
    "fixed.*.marks.*": ((LIST,), [lambda v: v[:2], lambda v: [*v[:2], "unknown"], lambda v: [*v[:2], "dark"]]),
    "fixed.*.marks.*.*": ((LIST, TEXT), []),
    "fixed.*.marks.*.*.*": ((INT,), [*NUMBER[1], always(77)]),
    "keep": ((LIST,), [twice, lambda v: [*v, [9, 9, 0]]]),
    "keep.*": ATOM,
    "keep.*.*": NUMBER,
    "mirrored": ((BOOL,), []),
}  # fmt: skip
"""For each field of a puzzle: its types, and the values of these types that are refused wherever the field occurs."""
MAY_BE_FINE = {
    "gram.*.*", "atoms.*.kind", "atoms.*.vertices.*.*", "symmetries.*.matrix", "symmetries.*.matrix.*.*", "symmetries.*.image", "tiles",
    "tiles.*.marks", "tiles.*.marks.*", "tiles.*.symmetries", "tiles.*.ranges.*.*", "mates.*", "rules.*.atoms.*.*", "rules.*.low",
    "rules.*.high", "rules.*.modulus", "rules.*.residue", "fixed.*.tile", "fixed.*.marks",
}  # fmt: skip
"""Fields where a change may be right in one place and wrong in another: it must be refused somewhere."""
FAST = ("name", "gram", "mirrored", "fits")


def test_the_table_knows_every_field(everything):
    assert refusal(everything) is None
    assert {path for path, _ in fields(everything)} == PUZZLE.keys()


@every("path", PUZZLE, fast=FAST)
def test_a_field_has_its_type(everything, path):
    """Every value of another type is refused, wherever the field occurs: true is not 1, 1.0 is not 1, "1" is not 1."""
    for at in places(everything, path):
        own = reduce(getitem, at, everything)
        for kind, sample in SAMPLES.items():
            if kind in PUZZLE[path][0] and (len(PUZZLE[path][0]) == 1 or kind is type(own) or kind is NONE):
                continue
            said = put({"puzzle": everything}, ("puzzle", *at), always(sample))["puzzle"]
            why = refusal(said)
            assert why is not None, (at, sample)
            assert "\n" not in why
            assert len(why) < 300, why


@every("path", PUZZLE, fast=FAST)
def test_what_is_refused(everything, path):
    for number, change in enumerate(PUZZLE[path][1]):
        whys = {}
        for at in places(everything, path):
            said = put({"puzzle": everything}, ("puzzle", *at), change)["puzzle"]
            if said != everything:
                whys[at] = refusal(said)
        assert whys, (path, number)
        wrong = [at for at, why in whys.items() if why is None]
        if path not in MAY_BE_FINE:
            assert not wrong, (path, number, wrong)
        assert len(wrong) < len(whys) or (path, number) in {("tiles", 3)}, (path, number)
        for why in whys.values():
            assert why is None or (why.startswith("puzzle") and "\n" not in why and len(why) < 300), why


KINDS = [("optional", "tree"), ("three", "lrat"), ("dominoes", "tally"), ("chain", "prove"), ("area", "prove")]
COUNT = (INT, NONE), [always(-1), always(10**30)]
INDEX = (INT,), [always(-1), always(999)]
SAID = {
    "": ((TABLE,), [with_key("more", 1), without("kept"), without("removals"), without("puzzle")]),
    "format": ((TEXT,), [always("certificate")]),
    "version": ((INT,), [always(2), always(0)]),
    "kind": ((TEXT,), [always("x"), always("_")]),
    "claim": ((TABLE,), [with_key("more", 1), without("all"), without("labelled"), without("distinct")]),
    "claim.labelled": COUNT,
    "claim.all": ((INT,), COUNT[1]),
    "claim.distinct": COUNT,
    "kept": ((TABLE, NONE), [with_key("more", 1), *map(without, ("tile", "atom", "placements", "symmetries"))]),
    "kept.atom": INDEX,
    "kept.tile": ((INT,), [always(-1), always(2), always(0)]),
    "kept.placements": ((LIST,), [twice, lambda v: v[1:], always([])]),
    "kept.placements.*": INDEX,
    "kept.symmetries": ((LIST,), [twice, always([])]),
    "kept.symmetries.*": INDEX,
    "removals": ((LIST,), [twice]),
    "removals.*": ((LIST,), [lambda v: v[:1], lambda v: [*v, 0], always([])]),
    "removals.*.*": INDEX,
    "solution_width": ((INT,), [always(0), always(-1), always(1000), lambda v: v + 1]),
    "solution_bytes": ((INT,), [always(x) for x in (0, 1, 3, 8)]),
    "record_bytes": ((INT,), [always(x) for x in (0, 3, 8, -1)]),
    "tally": ((TABLE,), [with_key("more", 1), without("order"), without("links"), without("levels")]),
    "tally.order": ((LIST,), [twice, lambda v: v[1:], always([])]),
    "tally.order.*": INDEX,
    "tally.links": ((LIST,), [always([])]),
    "tally.links.*": ((LIST,), [lambda v: v[:1], lambda v: [*v, 0], always([])]),
    "tally.links.*.*": INDEX,
    "tally.levels": ((INT,), [always(0), always(-1), always(1 << 40), lambda v: v + 1]),
    "weighting": ((TABLE,), [with_key("more", 1), without("weights"), without("modulus")]),
    "weighting.weights": ((LIST,), [twice]),
    "weighting.weights.*": ((LIST,), [lambda v: v[:1], lambda v: [*v, 0], always([])]),
    "weighting.weights.*.*": ((INT,), [always(1 << 62), always(-(1 << 62))]),
    "weighting.modulus": ((INT,), [always(-1), always(1)]),
}


def test_the_table_knows_every_field_of_every_kind():
    stated = [{key: value for key, value in certificate(*which).said.items() if key != "puzzle"} for which in KINDS]
    assert {path for said in stated for path, _ in fields(said)} == SAID.keys()
    assert {said["kind"] for said in stated} == {"tree", "lrat", "tally", "removals", "weighting"}


@every("path", SAID, fast=("version",))
def test_fields_of_certificates(path):
    changes = [(kind, always(sample)) for kind, sample in SAMPLES.items() if kind not in SAID[path][0]]
    refused = 0
    for said, members in ((cert.said, cert.members) for cert in itertools.starmap(certificate, KINDS)):
        for at in (a for a in places(said, path) if a or not path):
            own = reduce(getitem, at, said)
            for kind, change in [*changes, *((None, c) for c in SAID[path][1] if own is not None)]:
                new = put({"said": said}, ("said", *at), change)["said"]
                why = verdict(as_zip(new, members))
                assert kind is None or why is not None, (at, change(None))
                assert why is None or ("\n" not in why and "malformed" not in why and len(why) < 300), why
                refused += why is not None
    assert refused


@every("old, new", [
    ('"all": ', '"all": 0, "all": '), ('"title": ', '"title": "x", "title": '), ('"version": 1', '"version": 1.0'),
    ('"version": 1', '"version": NaN'),
    ('"version": 1', '"version": 1e0'), ('"mirrored": true', '"mirrored": 1'), ('"version": 1', '"version": ' + "9" * 5000), ("}", "}}"),
    ('"border": null', '"border": ' + "[" * 13 + "]" * 13),
])  # fmt: skip
def test_json_is_read_in_one_way(old, new):
    """Readers may differ on the meaning of a key that is listed twice."""
    cert = certificate("optional", "tree")
    text = json.dumps(cert.said)
    assert old in text
    why = cert.check(text.replace(old, new))
    assert why is not None
    assert "malformed" not in why


@every("name, kind", KINDS, fast=("chain",))
def test_a_member_that_is_none(name, kind):
    cert = certificate(name, kind)
    assert "has no 'more'" in cert.check(members={**cert.members, "more": b""})


# ---------------------------------------------------------------- certificates that were accepted, and false


def test_a_fixed_placement_stated_twice(tmp_path):
    """Its copies were once counted twice, so the tree ended at once: a proof of 0 solutions, where there are 2."""
    source = tmp_path / "fixed.toml"
    source.write_text(
        'title = "T"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = 2\n[tiles.M]\npicture = "#"\n'
        '[form]\nbox = [5, 1]\nfixed = ["D.1@1.1"]\n',
        encoding="utf-8",
    )
    case, path = make_case(build_instance(load_instance(source))), tmp_path / "some.proof"
    assert certify(case, path, "tree", Limits()).counts.all == 2
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(members.pop("certificate.json"))
    honest = deepcopy(said)
    honest["puzzle"]["fixed"] *= 2
    assert verdict(as_zip(honest, members)) == "puzzle.fixed: a placement is listed twice"
    false = {**honest, "claim": {"labelled": 0, "all": 0, "distinct": 0}, "kept": None, "removals": []}
    for tree in (b"", members["proof.tree"]):
        assert "twice" in verdict(as_zip(false, {"solutions.bin": b"", "proof.tree": tree}))


@every("gram, matrix, why", [
    ([["0", "0"], ["0", "0"]], [[0, 0], [0, 0]], "positive definite"), ([["1", "0"], ["0", "0"]], [[1, 0], [0, 0]], "positive definite"),
    ([["0", "1"], ["-1", "0"]], [[1, 7], [0, 1]], "symmetric"), ([["1", "1"], ["0", "1"]], [[-1, 0], [0, -1]], "symmetric"),
    ([["1", "0"], ["0", "-1"]], [[-1, 0], [0, 1]], "positive definite"),
    ([["-1", "0"], ["0", "-1"]], [[0, 1], [1, 0]], "positive definite"),
])  # fmt: skip
def test_lattices_that_are_none(gram, matrix, why):
    """With such scalar products, a motion would map five balls to one, or shear them."""
    still = {"name": "a", "matrix": [[1, 0], [0, 1]], "image": [0], "shift": [[0, 0]]}
    said = {
        "name": "n", "title": "t", "gram": gram, "atoms": [{"name": "b", "kind": "ball", "vertices": [["0", "0"]]}],
        "symmetries": [still, {**still, "matrix": matrix}], "required": [[0, 0, 0]], "optional": [], "mates": {}, "fits": {},
        "coloured": [],
        "tiles": [{"name": "I", "atoms": [[0, i, 0] for i in range(5)], "marks": [], "symmetries": [0, 1], "ranges": [[1, 1]]}],
        "border": None, "rules": [], "fixed": [], "keep": [], "mirrored": False,
    }  # fmt: skip
    assert refusal(said).startswith("puzzle.gram: ")
    assert why in refusal(said)


@every("grid", [file.stem for file in data_files("grids") if file.stem != "balls"], fast=("square", "cube"))
def test_no_symmetry_may_be_missing(grid, tmp_path):
    """A certificate with half of the grid's symmetries would count too many distinct solutions."""
    box = [1] * load_grid(library.find_grid(grid, tmp_path / "x.toml")).dimension
    (tmp_path / "x.toml").write_text(
        f'title = "T"\ngrid = "{grid}"\nflips = false\n[[generate]]\nfree = 1\n[form]\nbox = {box}\n', encoding="utf-8"
    )
    said = make_case(build_instance(load_instance(tmp_path / "x.toml"))).stated
    every = len(said["symmetries"])
    for size in {1, every // 2, every - 1} - {every}:
        fewer = deepcopy(said)
        fewer["symmetries"] = fewer["symmetries"][:size]
        for tile in fewer["tiles"]:
            tile["symmetries"] = [0]
        assert refusal(fewer).startswith("puzzle.symmetries: not all"), size


def test_atoms_of_a_kind_with_two_roles(tmp_path):
    """Symmetries of the grid preserve the roles of atoms, which a certificate does not state."""
    grid = (library.find_grid("square-marks", tmp_path / "x.toml")).read_text(encoding="utf-8")
    mixed = grid.replace('role = "mark"', 'role = "cover"', 1).replace("symmetries = 8", "symmetries = 4", 1)
    (tmp_path / "mixed.toml").write_text(mixed, encoding="utf-8")
    (tmp_path / "x.toml").write_text(
        'title = "T"\ngrid = "mixed"\nflips = true\n[tiles.D]\natoms = [[1, 1], [2, 1]]\ncopies = 2\n[form]\nbox = [2, 2]\n',
        encoding="utf-8",
    )
    case = make_case(build_instance(load_instance(tmp_path / "x.toml")))
    assert {a["kind"] for a in case.stated["atoms"]} == {"face", "edge (cover)", "edge (mark)"}
    assert len(case.stated["symmetries"]) == 4
    assert certify(case, tmp_path / "some.proof", "tree", Limits()).counts.all == 1  # dominoes cannot be turned upright on this grid
    assert check_certificate(tmp_path / "some.proof").counts.distinct == 1


def test_a_cell_of_several_cells_is_refused():
    """A square grid with a cell of two squares, with or without the motions that exchange them."""
    squares = [[["0", "0"], ["1/2", "0"], ["1/2", "1"], ["0", "1"]], [["1/2", "0"], ["1", "0"], ["1", "1"], ["1/2", "1"]]]
    still = {"name": "a", "matrix": [[1, 0], [0, 1]], "image": [0, 1], "shift": [[0, 0], [0, 0]]}
    turns = [still, {**still, "matrix": [[-1, 0], [0, -1]], "image": [1, 0]}, {**still, "matrix": [[-1, 0], [0, 1]], "image": [1, 0]},
             {**still, "matrix": [[1, 0], [0, -1]]}]  # fmt: skip
    moves = [{**t, "image": t["image"][::-1], "shift": [[0, 0], [1, 0]] if t["image"][0] == 0 else [[1, 0], [0, 0]]} for t in turns]
    said = {
        "name": "n", "title": "t", "gram": [["4", "0"], ["0", "1"]],
        "atoms": [{"name": n, "kind": "face", "vertices": v} for n, v in zip("lr", squares, strict=True)],
        "symmetries": turns + moves, "required": [[0, 0, 0], [0, 0, 1]], "optional": [], "mates": {}, "fits": {}, "coloured": [],
        "tiles": [{"name": "D", "atoms": [[0, 0, 0], [0, 0, 1]], "marks": [], "symmetries": list(range(8)), "ranges": [[1, 1]]}],
        "border": None, "rules": [], "fixed": [], "keep": [], "mirrored": True,
    }  # fmt: skip
    for symmetries, own in ((turns + moves, list(range(8))), (turns, [0])):
        why = refusal({**said, "symmetries": symmetries, "tiles": [{**said["tiles"][0], "symmetries": own}]})
        assert why.startswith("puzzle.gram: the lattice of its grid has not all translations of it: 1/2, 0 takes all atoms to atoms")


def test_marks_where_more_than_two_faces_meet(tmp_path):
    """A mark meets the mark on the other face of its side; reader and checker refuse marks where four squares meet."""
    grid = (library.find_grid("square-marks", tmp_path / "x.toml")).read_text(encoding="utf-8")
    corner = '[[atoms]]\nname = "c"\nkind = "corner"\nrole = "mark"\nvertices = [["0", "0"]]\n\n[picture]'
    (tmp_path / "corners.toml").write_text(grid.replace("[picture]", corner, 1), encoding="utf-8")
    table = """title = "T"
grid = "corners"
flips = true
[marks]
s = { kind = "self" }
[tiles.A]
atoms = [[1, 1]]
marks = [{ at = [1, 1, "NAME"], on = [1, 1], mark = "s" }]
[form]
box = [2, 1]
"""
    file = tmp_path / "x.toml"
    file.write_text(table.replace("NAME", "c"), encoding="utf-8")
    with pytest.raises(PuzzleError, match=r"tiles\.A: the mark 's' lies where more than two faces meet"):
        load_instance(file)
    file.write_text(table.replace("NAME", "h"), encoding="utf-8")
    stated = json.loads(json.dumps(make_case(build_instance(load_instance(file))).stated))
    names = [atom["name"] for atom in stated["atoms"]]
    (mark,) = stated["tiles"][0]["marks"]
    mark[0][-1] = names.index("c")
    assert "lies where more than two faces meet" in refusal(stated)


def test_faces_are_found_wherever_the_unit_cell_has_its_atoms():
    said = make_case(build_instance(load_instance("absolut-knifflig"))).stated
    near = read_puzzle(said)
    for atom in said["atoms"]:
        atom["vertices"] = [[str(Fraction(x) + 7) for x in vertex] for vertex in atom["vertices"]]
    far = read_puzzle(said)
    sides = {side for tile in near.tiles for side, _, _ in tile.look[1]}
    assert sides
    for side in sides:
        assert faces_of(far.grid, side) == faces_of(near.grid, side) != frozenset()
