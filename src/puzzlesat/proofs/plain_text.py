#!/usr/bin/env python3
"""A certificate as the plain text and bytes that ``puzzlesat-verified`` reads (``verified/``).

``checked_text`` checks the type and the shape of every value of ``certificate.json`` before it becomes a word of the text, so that no value
can inject words. Even so, this module need not be trusted: the program prints the puzzle that it has read.

``verified/unpack.py`` runs this file where puzzlesat and its libraries are not installed: it imports only the standard library.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote
from zipfile import ZipFile

Shape = Callable[[Any, str], object]
"""Raises ValueError if a value has the wrong type or shape; the second argument names its place."""
COUNTS = ("labelled", "all", "distinct")
KINDS = ("tree", "removals", "weighting")
"""The kinds of certificates that the program checks."""
LARGEST = 1 << 62
"""Bound of whole numbers; numbers of solutions may be larger."""
ALWAYS, RATIO = 1 << 24, 128
"""Limit of the unpacked size of a member: ``ALWAYS`` bytes plus ``RATIO`` times its packed size, as in ``checker.archive``."""


def main() -> None:
    """Unpack the certificate that the command line names."""
    if len(sys.argv) != 3:
        sys.exit("usage: unpack.py CERTIFICATE FILE")
    try:
        _unpack_files(sys.argv[1], Path(sys.argv[2]))
    except Exception as error:  # a file that fails to unpack in any way is not a certificate
        what = str(error) if type(error) is ValueError else repr(error)
        sys.exit(f"{sys.argv[1]}: no certificate that can be unpacked: {what}")


def _unpack_files(certificate: str, to: Path) -> None:
    with ZipFile(certificate) as archive:
        members = archive.infolist()
        if len({member.filename for member in members}) < len(members):
            sys.exit(f"{certificate}: something is in it twice, and programs differ in which of the two they read")
        if any(member.file_size > ALWAYS + RATIO * member.compress_size for member in members):
            sys.exit(f"{certificate}: a part of it unpacks to far more than it is; 'zip -0' packs it less")
        statement = json.loads(archive.read("certificate.json"), object_pairs_hook=_once, parse_float=_not_whole, parse_constant=_not_whole)
        if (why := not_checked(statement)) is not None:
            sys.exit(f"{certificate}: {why}")
        tree = archive.read("proof.tree") if statement["kind"] == "tree" else b""
    to.write_bytes(checked_text(statement, len(tree)) + tree)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is listed twice")
    return found


def _not_whole(stated: str) -> NoReturn:
    raise ValueError(f"expected a whole number, got {stated[:20]}")


def not_checked(statement: Mapping[str, Any]) -> str | None:
    """Return why the program does not check a certificate; None if it does."""
    kind = _text(statement["kind"], "kind")
    if kind not in KINDS:
        return f"a certificate of kind {kind[:20]}; puzzlesat-verified checks those of kinds tree, removals and weighting"
    unstated = not_stated(statement["puzzle"])
    return None if unstated is None else f"a certificate of {unstated}"


def not_stated(puzzle: Mapping[str, Any]) -> str | None:
    """Return the feature of a puzzle that the plain text cannot state; None if there is none."""
    if any(type(rule) is dict and "kind" in rule for rule in puzzle["rules"]):
        return "a puzzle with rules on solutions; puzzlesat-verified does not know them"
    if any(type(tile) is dict and "placements" in tile for tile in puzzle["tiles"]):
        return "a puzzle whose tiles list their placements; puzzlesat-verified knows those that are turned and moved"
    return None


def checked_text(statement: Mapping[str, Any], length: int) -> bytes:
    """Return the plain text of a certificate from an untrusted source.

    Raises ValueError, with the key, if a value has the wrong type or shape; KeyError or TypeError if the data are not a certificate.
    """
    check_values(statement)
    return plain_text(statement, length)


def plain_text(statement: Mapping[str, Any], length: int) -> bytes:
    """Return the plain text of a certificate; the ``length`` bytes of its tree follow the text.

    The values are not checked: ``checked_text`` is for untrusted certificates.
    """
    return " ".join(map(str, unpacked(statement, length))).encode() + b"\n"


def puzzle_text(puzzle: Mapping[str, Any]) -> bytes:
    """Return the lines that state a puzzle in the text of its certificates: all lines between the first one and ``kept``."""
    return " ".join(map(str, _puzzle(puzzle))).encode()


def unpacked(statement: Mapping[str, Any], length: int) -> Iterable[object]:
    """Yield the words of a certificate whose tree has ``length`` bytes."""
    yield from ("puzzlesat-verified", 1, "name", text(statement["puzzle"]["name"]), "kind", statement["kind"], "claim")
    yield from ("-" if statement["claim"][key] is None else statement["claim"][key] for key in COUNTS)
    yield from _puzzle(statement["puzzle"])
    kept, weights = statement["kept"], statement.get("weighting")
    yield from ("\nkept", *(["-"] if kept is None else [*_single(statement, kept), *each(kept["placements"], lambda n: (n,))]))
    yield from ("\nremovals", *each(statement["removals"], list))
    yield from ("\nweights", *(["-"] if weights is None else [weights["modulus"], *each(weights["weights"], list)]))
    yield from ("\ntree", statement.get("record_bytes", 1), length)


def _single(statement: Mapping[str, Any], kept: Mapping[str, Any]) -> Iterable[object]:
    """Return the words for the tile or the atom whose placements were kept."""
    return (kept["tile"],) if "tile" in kept else ("atom", *statement["puzzle"]["required"][kept["atom"]])


def _puzzle(puzzle: Mapping[str, Any]) -> Iterable[object]:
    """Yield the words that state a puzzle; each field begins a line."""
    below = {*(colour for on in puzzle["fits"].values() for colour in on), *(colour for _, colour in puzzle["coloured"])}
    names = sorted({*puzzle["mates"], *puzzle["fits"], *below})
    number: dict[str | None, object] = {name: i for i, name in enumerate(names)} | {None: "-"}
    kinds = list(dict.fromkeys(a["kind"] for a in puzzle["atoms"]))

    def marks(stated: list[Any]) -> Iterable[object]:
        return each(sorted((side, face, number[name]) for side, face, name in stated), lambda m: (*m[0], *m[1], m[2]))

    gram = [[Fraction(x) for x in row] for row in puzzle["gram"]]
    common = lcm(*(x.denominator for row in gram for x in row))
    unit = lcm(*(Fraction(x).denominator for a in puzzle["atoms"] for v in a["vertices"] for x in v))
    yield from ("\ngram", len(gram), *(int(x * common) for row in gram for x in row), "times", common, "unit", unit)
    yield from ("\nnames", *each(names, lambda name: (text(name),)))
    yield from ("\ncell", *each(puzzle["atoms"], lambda a: (
        text(a["name"]), kinds.index(a["kind"]), *each(a["vertices"], lambda v: [int(Fraction(x) * unit) for x in v]))))  # fmt: skip
    yield from ("\nsymmetries", *each(puzzle["symmetries"], lambda s: (
        *(x for row in s["matrix"] for x in row), *s["image"], *(x for row in s["shift"] for x in row))))  # fmt: skip
    yield from ("\ntiles", *each(puzzle["tiles"], lambda t: (
        text(t["name"]), *each(sorted(t["atoms"]), list), *marks(t["marks"]), *each(t["symmetries"], lambda n: (n,)),
        *each(t["ranges"], lambda r: (r[0], "-" if r[1] is None else r[1])))))  # fmt: skip
    yield from ("\nrequired", *each(puzzle["required"], list), "\noptional", *each(puzzle["optional"], list))
    yield from ("\nmates", *each(puzzle["mates"].items(), lambda m: (number[m[0]], number[m[1]])))
    yield from ("\nfits", *each(puzzle["fits"].items(), lambda f: (number[f[0]], *each(f[1], lambda c: (number[c],)))))
    yield from ("\ncoloured", *each(puzzle["coloured"], lambda c: (*c[0], number[c[1]])), "\nborder", number[puzzle["border"]])
    yield from ("\nrules", *each(puzzle["rules"], lambda r: (
        *each(r["atoms"], lambda w: (*w[0], w[1])), *each(puzzle["tiles"], lambda t: (r["tiles"].get(t["name"], 0),)),
        r["low"], r["high"], r["modulus"], r["residue"])))  # fmt: skip
    yield from ("\nfixed", *each(puzzle["fixed"], lambda f: (f["tile"], *each(sorted(f["atoms"]), list), *marks(f["marks"]))))
    yield from ("\nkeep", *each(puzzle["keep"], list), "\nmirrored", "yes" if puzzle["mirrored"] else "no")


def each(things: Iterable[Any], words: Callable[[Any], Iterable[object]]) -> list[object]:
    """Return the number of things, then the words of each."""
    found = list(things)
    return [len(found), *(word for thing in found for word in words(thing))]


def text(name: str) -> str:
    """Return a name as one word."""
    return quote(name, safe="+-_.,:!?*()[]'#/") or "%"


def check_values(statement: Mapping[str, Any]) -> None:
    """Raise ValueError unless each value that ``unpacked`` writes has its type, and each list its length.

    A puzzle must have exactly the known keys, so that none of its values is written unchecked.
    """
    puzzle = _object(statement["puzzle"], "puzzle")
    tiles = [_text(_object(tile, "puzzle.tiles")["name"], "puzzle.tiles: name") for tile in _array(puzzle["tiles"], "puzzle.tiles")]
    _puzzle_shape(len(_array(puzzle["gram"], "puzzle.gram")), len(_array(puzzle["atoms"], "puzzle.atoms")), tiles)(puzzle, "puzzle")
    _text(statement["kind"], "kind")
    _record(dict.fromkeys(COUNTS, _or_none(_natural)))(statement["claim"], "claim")
    of_atom = isinstance(statement["kept"], Mapping) and "atom" in statement["kept"]
    kept = {"atom" if of_atom else "tile": _whole, "placements": _several(_whole), "symmetries": _several(_whole)}
    _or_none(_record(kept))(statement["kept"], "kept")
    if of_atom and not 0 <= statement["kept"]["atom"] < len(puzzle["required"]):
        raise ValueError("kept.atom: there is no required atom of this number")
    pairs = _several(_row(_whole, _whole))
    pairs(statement["removals"], "removals")
    _or_none(_record({"modulus": _whole, "weights": pairs}))(statement.get("weighting"), "weighting")
    _whole(statement.get("record_bytes", 1), "record_bytes")


def _puzzle_shape(dimension: int, cell: int, tiles: list[str]) -> Shape:
    """Return the shape of a puzzle with these tiles, whose grid has ``dimension`` dimensions and ``cell`` atoms in a cell."""
    point, corner, atom = _row(*[_whole] * dimension), _row(*[_fraction] * dimension), _row(*[_whole] * (dimension + 1))
    atoms, marks = _several(atom), _several(_row(atom, atom, _text))
    weights = _record(dict.fromkeys(tiles, _whole))
    bounds = dict.fromkeys(("low", "high", "modulus", "residue"), _whole)
    return _record({
        "name": _text, "title": _text, "gram": _row(*[corner] * dimension),
        "atoms": _several(_record({"name": _text, "kind": _text, "vertices": _several(corner)})),
        "symmetries": _several(_record({
            "name": _text, "matrix": _row(*[point] * dimension), "image": _row(*[_whole] * cell), "shift": _row(*[point] * cell),
        })),
        "tiles": _several(_record({
            "name": _text, "atoms": atoms, "marks": marks, "symmetries": _several(_whole),
            "ranges": _several(_row(_whole, _or_none(_whole))),
        })),
        "required": atoms, "optional": atoms, "mates": _of_names(_or_none(_text)), "fits": _of_names(_several(_text)),
        "coloured": _several(_row(atom, _text)), "border": _or_none(_text),
        "rules": _several(_record({"name": _text, "atoms": _several(_row(atom, _whole)), "tiles": weights, **bounds})),
        "fixed": _several(_record({"tile": _whole, "atoms": atoms, "marks": marks})), "keep": atoms, "mirrored": _flag,
    })  # fmt: skip


def _whole(stated: Any, where: str) -> int:
    """Return a whole number; true is none."""
    if type(stated) is not int or abs(stated) >= LARGEST:
        raise _unlike("a whole number below 2 to the power of 62", stated, where)
    return stated


def _natural(stated: Any, where: str) -> int:
    """Return a number of solutions, however large."""
    if type(stated) is not int or stated < 0:
        raise _unlike("a number of solutions", stated, where)
    return stated


def _text(stated: Any, where: str) -> str:
    if type(stated) is not str:
        raise _unlike("a text", stated, where)
    return stated


def _fraction(stated: Any, where: str) -> str:
    """Return a fraction as text; it has no exponent, so it cannot be huge."""
    if re.fullmatch("-?[0-9]{1,9}(?:/0*[1-9][0-9]{0,8})?", _text(stated, where), re.ASCII) is None:
        raise _unlike("a fraction such as '1/2'", stated, where)
    return str(stated)


def _flag(stated: Any, where: str) -> bool:
    """Return true or false; 1 is neither."""
    if type(stated) is not bool:
        raise _unlike("true or false", stated, where)
    return stated


def _array(stated: Any, where: str) -> list[Any]:
    if type(stated) is not list:
        raise _unlike("an array", stated, where)
    return stated


def _object(stated: Any, where: str) -> dict[str, Any]:
    if type(stated) is not dict:
        raise _unlike("an object", stated, where)
    return stated


def _or_none(shape: Shape) -> Shape:
    """Return the shape that also accepts null."""
    return lambda stated, where: None if stated is None else shape(stated, where)


def _several(shape: Shape) -> Shape:
    """Return the shape of an array of any length with elements of one shape."""
    return lambda stated, where: [shape(value, f"{where}[{i}]") for i, value in enumerate(_array(stated, where))]


def _row(*shapes: Shape) -> Shape:
    """Return the shape of an array with one element for each shape."""

    def look(stated: Any, where: str) -> None:
        if len(_array(stated, where)) != len(shapes):
            raise _unlike(f"an array of {len(shapes)}", stated, where)
        for i, (shape, value) in enumerate(zip(shapes, stated, strict=True)):
            shape(value, f"{where}[{i}]")

    return look


def _of_names(shape: Shape) -> Shape:
    """Return the shape of an object with any keys and values of one shape."""
    return lambda stated, where: [shape(value, f"{where}.{key}") for key, value in _object(stated, where).items()]


def _record(shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape of an object with exactly these keys."""

    def look(stated: Any, where: str) -> None:
        if strange := _object(stated, where).keys() ^ shapes.keys():
            raise ValueError(f"{where}: the key {min(strange):.40} is {'unknown' if min(strange) in stated else 'missing'}")
        for key, shape in shapes.items():
            shape(stated[key], f"{where}.{key}")

    return look


def _unlike(expected: str, stated: Any, where: str) -> ValueError:
    return ValueError(f"{where:.80}: expected {expected}, got {type(stated).__name__} {str(stated)[:40]!r}")


if __name__ == "__main__":
    main()
