"""The XML configurations of Legespiel-Solver: square cards with a picture half on each side.

Their schema is ``legespiel.config.xsd`` of https://github.com/keilhauer/Legespiel-Solver. Cards are rotated, never flipped. Two sides may
touch if the picture on one side lists the other's id in ``matchWithIds``. Sides on the outside are not restricted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from puzzlesat.base import NotSupportedError, PuzzleError, listed, shown
from puzzlesat.formats.puzzles import Foreign
from puzzlesat.formats.table import integer
from puzzlesat.formats.xml import read_xml

ROOT = "legespielConfiguration"
CONFIG = ".config"
"""Last part of the names of these files before their suffix."""
SIDES = ("north", "east", "south", "west")
"""Clockwise from the top, as in ``around``."""
Card = tuple[int, ...]


@dataclass(frozen=True)
class PictureHalf:
    """A picture half: its name, and the ids of the picture halves that it may touch."""

    name: str
    meets: frozenset[int]


def read_legespiel(path: Path) -> list[Foreign]:
    """Return the only puzzle of a file, with remarks that say which mark is which picture.

    Raises PuzzleError for an invalid file, and NotSupportedError if marks cannot express how the pictures match.
    """
    root = _root(path)
    name = path.stem.removesuffix(CONFIG)
    pictures = _pictures(path, root)
    cards = _cards(path, root, pictures)
    columns, rows = (_number(path, _text(root, key), key, 1) for key in ("numberOfColumns", "numberOfRows"))
    marks, of, remarks = _marks(path, pictures, cards)
    spare = {"copies": [0, 1]} if len(cards) > rows * columns else {}
    table = {
        "title": _text(root, "name") or name,
        "source": _text(root, "description"),
        "grid": "square-marks",
        "flips": False,
        "turns": "all",
        "marks": marks,
        "tiles": {f"card{i}": {"around": [of[p] for p in card]} | spare for i, card in enumerate(cards, start=1)},
        "form": {"box": [columns, rows]},
    }
    return [Foreign(name, {key: value for key, value in table.items() if value != ""}, tuple(remarks))]


def is_legespiel(path: Path) -> bool:
    """Tell whether an XML file has the root element of these configurations. Raises PuzzleError if it is not XML."""
    return _local(_any_root(path)) == ROOT


def _any_root(path: Path) -> ElementTree.Element:
    try:
        return read_xml(path)
    except PuzzleError as error:
        raise error.under(f"{path}: ") from None


def _root(path: Path) -> ElementTree.Element:
    root = _any_root(path)
    if _local(root) != ROOT:
        raise PuzzleError(f"{path}: expected the root element <{ROOT}>, got <{shown(_local(root))}>")
    return root


def _local(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _all(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if _local(element) == name]


def _text(root: ElementTree.Element, name: str) -> str:
    """Return the text of an element without line breaks; empty if the element is missing."""
    found = _all(root, name)
    return " ".join("".join(found[0].itertext()).split()) if found else ""


def _number(path: Path, text: str, key: str, least: int | None = None) -> int:
    try:
        number = integer(text.strip())
    except ValueError:
        raise PuzzleError(f"{path}: {key}: expected a number, got {shown(text)!r}") from None
    if least is not None and number < least:
        raise PuzzleError(f"{path}: {key}: expected {least} or more, got {number}")
    return number


def _pictures(path: Path, root: ElementTree.Element) -> dict[int, PictureHalf]:
    pictures: dict[int, PictureHalf] = {}
    for element in _all(root, "picture"):
        number = _number(path, element.get("id", ""), "picture: id")
        if number in pictures:
            raise PuzzleError(f"{path}: two pictures have the id {number}")
        parts = (part.strip() for part in element.get("matchWithIds", "").split(","))
        meets = frozenset(_number(path, part, f"picture {number}: matchWithIds") for part in parts if part)
        pictures[number] = PictureHalf(" ".join(element.get("name", "").split()) or f"picture {number}", meets)
    for number, picture in pictures.items():
        for other in sorted(picture.meets):
            if other not in pictures:
                raise PuzzleError(f"{path}: picture {number}: matchWithIds: there is no picture {other}")
            if number not in pictures[other].meets:
                what = (
                    f"picture {number} ({picture.name!r}) matches {other} ({pictures[other].name!r}), but {other} does not match {number}"
                )
                raise NotSupportedError(f"{path}: {what}; marks meet in both directions: add the id there, or remove it here")
    return pictures


def _cards(path: Path, root: ElementTree.Element, pictures: Mapping[int, PictureHalf]) -> list[Card]:
    cards = []
    for i, element in enumerate(_all(root, "card"), start=1):
        card = tuple(_number(path, element.get(side, ""), f"card {i}: {side}") for side in SIDES)
        if unknown := [p for p in card if p not in pictures]:
            raise PuzzleError(f"{path}: card {i}: there is no picture {unknown[0]}")
        cards.append(card)
    if not cards:
        raise PuzzleError(f"{path}: there are no cards")
    return cards


def _marks(path: Path, pictures: Mapping[int, PictureHalf], cards: list[Card]) -> tuple[dict[str, Any], dict[int, str], list[str]]:
    """Return the marks, the mark of each picture, and remarks on marks that are not named like their picture."""
    first = _joined(path, pictures, cards)
    marks: dict[str, Any] = {}
    of: dict[int, str] = {}
    for number, picture in pictures.items():
        if first[number] != number or number in of:
            continue
        mate = first[min(picture.meets)] if picture.meets else None
        kind = "lonely" if mate is None else "self" if mate == number else "halves"
        name = _stem(picture.name, pictures[mate].name) if kind == "halves" and mate is not None else picture.name
        if name in marks or {f"{name}+", f"{name}-"} & set(of.values()) or name.removesuffix("+").removesuffix("-") in marks:
            name = f"{name} ({number})"
        marks[name] = {"kind": kind}
        of[number] = name + "+" * (kind == "halves")
        if kind == "halves" and mate is not None:
            of[mate] = f"{name}-"
    of |= {number: of[first[number]] for number in pictures}
    remarks = [f"{of[n]} is the picture {picture.name!r}" for n, picture in pictures.items() if of[n] != picture.name]
    return marks, of, remarks


def _joined(path: Path, pictures: Mapping[int, PictureHalf], cards: list[Card]) -> dict[int, int]:
    """Return for each picture the first picture that matches the same pictures: both become one mark.

    Raises NotSupportedError if a mark would meet several marks, or if two cards, or two rotations of a card, would become alike.
    """
    first: dict[int, int] = {}
    meeting: dict[frozenset[int], int] = {}
    for number, picture in pictures.items():
        first[number] = meeting.setdefault(picture.meets, number) if picture.meets else number
    for number, picture in pictures.items():
        if len({first[other] for other in picture.meets}) > 1:
            names = listed(repr(pictures[other].name) for other in sorted(picture.meets))
            raise NotSupportedError(f"{path}: picture {number} ({picture.name!r}) matches {names}, which do not match the same pictures; "
                                    "a mark of puzzlesat meets one mark only")  # fmt: skip
    seen: dict[Card, tuple[int, Card]] = {}
    for i, card in enumerate(cards, start=1):
        turned, joined = _turns(card), _turns(tuple(first[p] for p in card))
        j, other = seen.setdefault(min(joined), (i, min(turned)))
        if len(set(turned)) != len(set(joined)) or other != min(turned):
            names = listed(
                repr(pictures[p].name) for p in sorted({p for p in (*card, *other) if first[p] != p or [*first.values()].count(p) > 1})
            )
            which = f"cards {j} and {i}" if j != i else f"two turns of card {i}"
            raise NotSupportedError(
                f"{path}: the pictures {names} match the same pictures and would be one mark; {which} would then look alike"
            )
    return first


def _turns(card: Card) -> list[Card]:
    return [card[k:] + card[:k] for k in range(len(card))]


def _stem(one: str, other: str) -> str:
    """Return the common beginning of the names of two halves, else their common end, else both names."""
    words, others = one.split(), other.split()
    start = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False))]
    end = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(reversed(words), reversed(others), strict=False))]
    if start or end:
        return " ".join(start or reversed(end))
    bare = one.strip("+-")
    return bare if bare and bare == other.strip("+-") else f"{one}/{other}"
