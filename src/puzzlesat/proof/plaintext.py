"""The puzzle that the plain text of a certificate states, to be held against one that is meant.

``puzzlesat-verified`` believes nobody, and neither does whoever asks whether its puzzle is that of an instance: what is compared is the
text that the program has read, read here as ``verified/extracted/reader.ml`` reads it, and not what was unpacked into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar
from urllib.parse import unquote

from puzzlesat.proof.check.rejected import Rejected

T = TypeVar("T")
FIRST = ("puzzlesat-verified", "1", "name")


class _Words:
    """The words of a plain text, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._words = (word.group().decode() for word in re.finditer(rb"[^ \n]+", data))
        self.dimension = 0
        self.names: list[str] = []

    def word(self) -> str:
        return next(self._words, "")

    def number(self) -> int:
        return int(self.word())

    def expect(self, *words: str) -> _Words:
        for expected in words:
            if (got := self.word()) != expected:
                raise ValueError(f"expected {expected}, got {got[:20]}")
        return self

    def times(self, count: int, one: Callable[[], T]) -> list[T]:
        return [one() for _ in range(count)]

    def several(self, one: Callable[[], T]) -> list[T]:
        return self.times(self.number(), one)

    def point(self) -> list[int]:
        return self.times(self.dimension, self.number)

    def atom(self) -> list[int]:
        return [*self.point(), self.number()]

    def atoms(self) -> list[list[int]]:
        return self.several(self.atom)

    def mark(self) -> list[Any]:
        return [self.atom(), self.atom(), self.name()]

    def text(self) -> str:
        return "" if (word := self.word()) == "%" else unquote(word)

    def name(self) -> str:
        return self.names[self.number()]

    def name_or_none(self) -> str | None:
        return None if (word := self.word()) == "-" else self.names[int(word)]

    def range(self) -> list[int | None]:
        return [self.number(), None if (word := self.word()) == "-" else int(word)]


def read_puzzle_again(data: bytes) -> dict[str, Any]:
    """Return the puzzle that a plain text states, in the form of ``comparable``. Raises Rejected where it is no such text."""
    try:
        return _read(_Words(data))
    except (ArithmeticError, LookupError, ValueError) as error:
        raise Rejected(f"certificate: malformed: {error}") from None


def _read(w: _Words) -> dict[str, Any]:
    w.expect(*FIRST).text()
    w.expect("kind").word()
    w.expect("claim").times(3, w.word)
    w.dimension = w.expect("gram").number()
    gram = w.times(w.dimension, w.point)
    common = w.expect("times").number()
    unit = w.expect("unit").number()
    w.names = w.expect("names").several(w.text)
    cell = w.expect("cell").several(lambda: (w.text(), w.number(), w.several(w.point)))
    return {
        "gram": [[Fraction(x, common) for x in row] for row in gram],
        "atoms": [[name, kind, [[Fraction(x, unit) for x in corner] for corner in corners]] for name, kind, corners in cell],
        "symmetries": w.expect("symmetries").several(
            lambda: [w.times(w.dimension, w.point), w.times(len(cell), w.number), w.times(len(cell), w.point)]
        ),
        "tiles": w.expect("tiles").several(lambda: [w.text(), w.atoms(), w.several(w.mark), w.several(w.number), w.several(w.range)]),
        "required": w.expect("required").atoms(),
        "optional": w.expect("optional").atoms(),
        "mates": w.expect("mates").several(lambda: [w.name(), w.name_or_none()]),
        "fits": w.expect("fits").several(lambda: [w.name(), w.several(w.name)]),
        "coloured": w.expect("coloured").several(lambda: [w.atom(), w.name()]),
        "border": w.expect("border").name_or_none(),
        "rules": w.expect("rules").several(lambda: [w.several(lambda: [w.atom(), w.number()]), w.several(w.number), *w.times(4, w.number)]),
        "fixed": w.expect("fixed").several(lambda: [w.number(), w.atoms(), w.several(w.mark)]),
        "keep": w.expect("keep").atoms(),
        "mirrored": {"yes": True, "no": False}[w.expect("mirrored").word()],
    }


def comparable(puzzle: Mapping[str, Any]) -> dict[str, Any]:
    """Return a puzzle as a certificate states it without what counts do not depend on: names of symmetries, rules and kinds, orders."""
    kinds = list(dict.fromkeys(a["kind"] for a in puzzle["atoms"]))

    def look(shown: Mapping[str, Any]) -> list[Any]:
        return [sorted(map(list, shown["atoms"])), sorted([list(side), list(face), name] for side, face, name in shown["marks"])]

    def rows(matrix: Iterable[Iterable[int]]) -> list[list[int]]:
        return [list(row) for row in matrix]

    return {
        "gram": [[Fraction(x) for x in row] for row in puzzle["gram"]],
        "atoms": [[a["name"], kinds.index(a["kind"]), [[Fraction(x) for x in v] for v in a["vertices"]]] for a in puzzle["atoms"]],
        "symmetries": [[rows(s["matrix"]), list(s["image"]), rows(s["shift"])] for s in puzzle["symmetries"]],
        "tiles": [[t["name"], *look(t), list(t["symmetries"]), rows(t["ranges"])] for t in puzzle["tiles"]],
        "required": rows(puzzle["required"]),
        "optional": rows(puzzle["optional"]),
        "mates": [[*pair] for pair in puzzle["mates"].items()],
        "fits": [[name, list(on)] for name, on in puzzle["fits"].items()],
        "coloured": [[list(a), name] for a, name in puzzle["coloured"]],
        "border": puzzle["border"],
        "rules": [
            [r]  # a rule on solutions, which no plain text states: so it is told from all that can stand there
            if "kind" in r
            else [
                [[list(a), w] for a, w in r["atoms"]],
                [r["tiles"].get(t["name"], 0) for t in puzzle["tiles"]],
                *(r[key] for key in ("low", "high", "modulus", "residue")),
            ]
            for r in puzzle["rules"]
        ],
        "fixed": [[f["tile"], *look(f)] for f in puzzle["fixed"]],
        "keep": rows(puzzle["keep"]),
        "mirrored": puzzle["mirrored"],
    }
