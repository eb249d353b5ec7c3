#!/usr/bin/env python3
"""A certificate as the plain text and bytes that ``puzzlesat-verified`` reads (``verified/``).

Nothing that is done here is believed: the program prints the puzzle that it has read. ``unpack.py CERTIFICATE FILE`` needs nothing but
Python: where somebody has OCaml, and neither puzzlesat installed nor its libraries, that and the program are enough.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zipfile import ZipFile

KINDS = ("tree", "removals", "weighting")
"""The kinds of certificates that the program checks."""
ALWAYS, RATIO = 1 << 24, 128
"""A member unpacks to so many bytes, and to so many times its packed size beyond them, as ``check.archive`` has it."""


def main() -> None:
    """Read the command line."""
    if len(sys.argv) != 3:
        sys.exit("usage: unpack.py CERTIFICATE FILE")
    try:
        _unpack(sys.argv[1], Path(sys.argv[2]))
    except Exception as error:  # whatever unpacking stumbles over is no certificate
        sys.exit(f"{sys.argv[1]}: no certificate that can be unpacked: {error!r}")


def _unpack(certificate: str, to: Path) -> None:
    with ZipFile(certificate) as archive:
        members = archive.infolist()
        if len({member.filename for member in members}) < len(members):
            sys.exit(f"{certificate}: something is in it twice, and programs differ in which of the two they read")
        if any(member.file_size > ALWAYS + RATIO * member.compress_size for member in members):
            sys.exit(f"{certificate}: a part of it unpacks to far more than it is; 'zip -0' packs it less")
        said = json.loads(archive.read("certificate.json"), object_pairs_hook=_once)
        if (why := not_checked(said)) is not None:
            sys.exit(f"{certificate}: {why}")
        tree = archive.read("proof.tree") if said["kind"] == "tree" else b""
    to.write_bytes(plain_text(said, len(tree)) + tree)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands there twice")
    return found


def not_checked(said: Mapping[str, Any]) -> str | None:
    """Return why the program does not check such a certificate; None where it does."""
    if said["kind"] not in KINDS:
        return f"a certificate of kind {str(said['kind'])[:20]}; puzzlesat-verified checks those of kinds tree, removals and weighting"
    if any("kind" in rule for rule in said["puzzle"]["rules"]):
        return "a certificate of a puzzle with rules on solutions; puzzlesat-verified does not know them"
    if any("placements" in tile for tile in said["puzzle"]["tiles"]):
        return "a certificate of a puzzle whose tiles list their placements; puzzlesat-verified knows those that are turned and moved"
    return None


def plain_text(said: Mapping[str, Any], length: int) -> bytes:
    """Return what a certificate says as plain text, behind which the bytes of its tree follow: so many of them.

    Raises KeyError, TypeError, ValueError or ArithmeticError for what is no certificate.
    """
    return " ".join(map(str, unpacked(said, length))).encode() + b"\n"


def unpacked(said: Mapping[str, Any], length: int) -> Iterable[object]:
    """Yield the words of a certificate whose tree has that many bytes."""
    puzzle = said["puzzle"]
    below = {*(colour for on in puzzle["fits"].values() for colour in on), *(colour for _, colour in puzzle["coloured"])}
    names = sorted({*puzzle["mates"], *puzzle["fits"], *below})
    number: dict[str | None, object] = {name: i for i, name in enumerate(names)} | {None: "-"}
    kinds = list(dict.fromkeys(a["kind"] for a in puzzle["atoms"]))

    def marks(stated: list[Any]) -> Iterable[object]:
        return each(sorted((side, face, number[name]) for side, face, name in stated), lambda m: (*m[0], *m[1], m[2]))

    gram = [[Fraction(x) for x in row] for row in puzzle["gram"]]
    common = lcm(*(x.denominator for row in gram for x in row))
    unit = lcm(*(Fraction(x).denominator for a in puzzle["atoms"] for v in a["vertices"] for x in v))
    yield from ("puzzlesat-verified", 1, "name", text(puzzle["name"]), "kind", said["kind"], "claim")
    yield from ("-" if said["claim"][key] is None else said["claim"][key] for key in ("labelled", "all", "distinct"))
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
    kept = said["kept"]
    yield from ("\nkept", *(["-"] if kept is None else [kept["tile"], *each(kept["placements"], lambda n: (n,))]))
    weights = said.get("weighting")
    yield from ("\nremovals", *each(said["removals"], list))
    yield from (
        "\nweights",
        *(["-"] if weights is None else [weights["modulus"], *each(weights["weights"], list)]),
        "\ntree",
        said.get("record_bytes", 1),
        length,
    )


def each(things: Iterable[Any], words: Callable[[Any], Iterable[object]]) -> list[object]:
    """How many there are, and the words of each."""
    found = list(things)
    return [len(found), *(word for thing in found for word in words(thing))]


def text(name: str) -> str:
    """A name as one word."""
    return quote(name, safe="+-_.,:!?*()[]'#/") or "%"


if __name__ == "__main__":
    main()
