"""Cures: what to write instead of the usual mistakes in files written by hand, and instead of lines that no TOML parser can read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Mapping
from functools import cache
from math import gcd
from typing import Any

from puzzlesat.base import data_files
from puzzlesat.puzzles.place_rules import PLACE_RULES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST = 10**18
"""The largest number in a file. Python cannot even print a number of thousands of digits."""
MAX_WRITTEN = 60
"""The longest value, in characters, that a message quotes whole."""
GENERATORS = ("free", "one_sided", "fixed")
KINDS_OF_MARKS = ("halves", "self", "lonely")
FORM_WORDS = ("form", "forms", "from", "shape", "board", "region", "area", "figure", "frame", "tray", "target", "box", "result")
TILES_WORDS = ("tiles", "tile", "piece", "pieces", "shapes")
IN_FORM = ("picture", "atoms", "box", "polygon", "optional", "remove", "fixed", "wrap", "border", "inner", "outer")
"""Keys that belong in [form], beside the shapes of the grids."""
IN_TILE = ("copies", "parts", "around", "placements", "colour")
"""Keys that belong in [tiles.NAME]."""
TRUTHS = ("flips", "may_cross", "mirror", "strictly", *PLACE_RULES)
"""Keys whose value is true or false."""
PICTURE = 'picture = """ … """'
IN_EXPECT = ("labelled", "all", "distinct", "labelled_distinct", "labelled_turns", "published", "solution", "refuted", "placements")
AT_THE_HEAD = ("title", "source", "model", "grid", "flips", "turns", "may_cross", "use", "mirrored", "break_on", "together")
"""Keys that belong above the first table of a file."""
_ATOMS = dict.fromkeys(("cells", "cell", "squares", "faces", "cubes", "positions", "coordinates"), "atoms")
_RULES = dict.fromkeys(("flip", "flipped", "flippable", "reflect", "reflections"), "flips") | dict.fromkeys(
    ("rotations", "rotation", "rotate", "turn", "turned"), "turns"
)
_PICTURE = dict.fromkeys(("shape", "form", "figure", "pattern", "drawing", "rows", "layout", "map"), "picture")
SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "": _RULES
    | {"name": "title", "mirror": "mirrored", "mirrors": "mirrored", "author": "source", "designer": "source", "lattice": "grid"}
    | {"colors": "colours", "rules": "conditions", "only": "use", "break": "break_on"},
    "tiles": _PICTURE
    | _ATOMS
    | _RULES
    | dict.fromkeys(("count", "number", "amount", "quantity", "copy", "times", "n", "multiplicity"), "copies")
    | {"mirror": "flips", "mirrors": "flips", "mirrored": "flips", "colors": "colours", "color": "colour"},
    "form": {word: key for word, key in _PICTURE.items() if word != "shape"}
    | _ATOMS
    | dict.fromkeys(("rectangle", "rect", "size", "sides", "dimensions", "cuboid"), "box")
    | dict.fromkeys(("holes", "hole", "removed", "without", "except"), "remove")
    | {"free": "optional", "empty": "optional", "corners": "polygon", "colors": "colours", "placed": "fixed", "given": "fixed"},
    "generate": dict.fromkeys(("size", "n", "cells", "order", "polyominoes", "polyforms"), "free") | {"onesided": "one_sided"},
}
"""Words that people write instead of a key, by the table that holds the key."""

Location = tuple[str | int, ...]


@cache
def shapes() -> frozenset[str]:
    """Return the names of the shapes that the grids of the package know."""
    return frozenset(name for file in data_files("grids") for name in tomllib.loads(file.read_text(encoding="utf-8")).get("shapes", ()))


def belongs_into_form(key: str, value: Any) -> bool:
    """Tell whether a key above the first table belongs in [form]."""
    return not isinstance(value, dict) and key not in AT_THE_HEAD and (key in IN_FORM or key in shapes())


def cure_of_key(where: Location, value: Any, known: Collection[str], head: Collection[str]) -> str | None:
    """Return what to write instead of an unknown key; None if no cure is known.

    ``known`` are the keys that its table may have, ``head`` those above the first table.
    """
    key = str(where[-1]).lower()
    table = str(where[0]) if len(where) > 1 else ""
    if "form" in head and (cure := _misplaced(where, key, value)) is not None:
        return cure
    if not table and "tiles" in head and (cure := _other_table(str(where[-1]), value, head)) is not None:
        return cure
    cure = _synonym(table, key, value)
    return cure if cure is None or any(f"{right} = " in cure or f"[{right}]" in cure for right in known) else None


def _synonym(table: str, key: str, value: Any) -> str | None:
    """The cure for another word for a key; with the value, if the value may stay."""
    right = SYNONYMS.get(table, {}).get(key.replace("-", "_"))
    if table == "form" and key in ("width", "height", "columns"):
        return "write columns and rows in one key, such as box = [6, 10]"
    if table == "expect" and key in ("solutions", "count", "total", "number", "counts", "solution_count"):
        return f"write all = {written(value)}, or distinct = {written(value)} if symmetric answers count as one"
    if right == "copies" and not isinstance(value, int | list):
        return "write copies = 2"
    if right in ("flips", "mirrored", "turns") and isinstance(value, bool):
        words = {"flips": ("true", "false"), "mirrored": ('"same"', '"different"'), "turns": ('"all"', '"none"')}[right]
        return f"write {right} = {words[not value]}"
    if right is None:
        return None
    return f"write [{right}] instead of [{key}]" if isinstance(value, dict) else f"write {right} = {written(value)}"


def _misplaced(where: Location, key: str, value: Any) -> str | None:
    """The cure for a key that belongs in another table."""
    table = str(where[0])
    if len(where) == 1 and belongs_into_form(key, value):
        tile = ", or [tiles.NAME] for a tile" if key in ("picture", "atoms") else ""
        return f"it belongs in the form: write a line [form]{tile}, and {key} = {written(value)} below it"
    if len(where) == 1 and key in GENERATORS:
        return f"write a line [[generate]], and {key} = {written(value)} below it"
    if len(where) == 1 and key == "copies":
        return f"write it below its tile: a line [tiles.NAME], and copies = {written(value)} below it"
    if table != "expect" and key in IN_EXPECT:
        return f"write a line [expect], and {key} = {written(value)} below it"
    if len(where) > 1 and key in AT_THE_HEAD:
        named = table if table in ("form", "expect", "split") else ".".join(map(str, where[:-1]))
        return f"it belongs to the whole file; move it above the first line in brackets: everything below [{named}] is part of it"
    if table == "form" and key in IN_TILE:
        return f"it belongs to a tile: write a line [tiles.NAME], and {key} = {written(value)} below it"
    if table == "form" and key in shapes():
        size = re.fullmatch(r"\d+", value) if isinstance(value, str) else None
        number = size[0] if size else str(value[0]) if isinstance(value, list) and value and len(set(map(str, value))) == 1 else "8"
        return f"a {key} has one number: write {key} = {number}" + ("; for a rectangle write box = [6, 10]" if not size else "")
    return None


def _other_table(name: str, value: Any, head: Collection[str]) -> str | None:
    """The cure for a table with a wrong name."""
    key = name.lower()
    if isinstance(value, dict) and key in FORM_WORDS and "form" in head:
        return f"write [form] instead of [{name}]"
    if isinstance(value, dict | list) and key in TILES_WORDS:
        return f"write [tiles.NAME], one for each tile, instead of [{name}]"
    return None


def cure_of_shape(value: Any) -> str:
    """Return what to write instead of ``shape`` in a form."""
    if isinstance(value, str) and value.lower() in shapes():
        return f"write {value.lower()} = 8, its size"
    return f"write {PICTURE}, or a shape of the grid with its size, such as square = 8"


def cure_of_value(where: Location, value: Any, *, truth: bool = False) -> str | None:
    """Return what to write instead of a value of the wrong type; None if no cure is known."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return None
    if truth and (meant := _truth(value)) is not None:
        return f"write {where[-1]} = {'true' if meant else 'false'}"
    for cure in (_tables, _generators, _numbers, _lists, _words):
        if (found := cure(where, value)) is not None:
            return found
    return None


def _tables(where: Location, value: Any) -> str | None:
    """The cure for another value where a table is expected."""
    key, last = where[0], str(where[-1])
    at_top = len(where) == 1
    if at_top and key in ("form", "expect", "split") and isinstance(value, list) and all(isinstance(v, dict) for v in value):
        return f"write [{key}], with one bracket on each side"
    if at_top and key == "form" and isinstance(value, dict):
        ways = [word for word in ("picture", "atoms", "box", "polygon", *sorted(shapes())) if word in value]
        return "remove one of them" if ways else f"write box = [6, 10] below [form], or {PICTURE}"
    if at_top and key == "form":
        box = f"box = {written(value if isinstance(value, list) else [6, 10])}"
        return f"write a line [form], and {PICTURE if isinstance(value, str) and value.strip() else box} below it"
    if at_top and key == "expect":
        return f"write a line [expect], and all = {written(value)} or distinct = {written(value)} below it"
    if at_top and key == "conditions" and isinstance(value, dict):
        return f"write [[{key}]], with two brackets on each side"
    if at_top and key == "tiles":
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return f"to take some of a model's tiles write use = {written(value)}"
        return "write [tiles.NAME] for each tile, with its name after the dot" if isinstance(value, list) else _generate("free", 5)
    if at_top and key in ("model", "grid") and isinstance(value, dict):
        return f"write {key} = {written(next(iter(value.values()), 'NAME'))}, above the first line in brackets"
    if key == "marks" and len(where) == 2 and not isinstance(value, dict):
        return f'write {last} = {{ kind = "{value if value in KINDS_OF_MARKS else "halves"}" }}'
    if key == "tiles" and last == "marks" and len(where) == 3:
        names = value.split() if isinstance(value, str) else value
        if isinstance(names, list) and names and all(isinstance(v, str) for v in names):
            return f"for a tile of one face write around = {written(names)}"
    if key == "tiles" and len(where) == 2 and isinstance(value, str):
        return f"write a line [tiles.{last}], and picture = {written(value)} below it"
    return None


def _generators(where: Location, value: Any) -> str | None:
    """The cure for another value where [[generate]] is expected."""
    if where == ("generate",):
        size = value if isinstance(value, int) else 5
        return "write [[generate]], with two brackets on each side" if isinstance(value, dict) else _generate("free", size)
    if len(where) == 2 and where[0] == "tiles" and isinstance(value, int):
        name = str(where[1])
        return _generate(name, value) if name in GENERATORS else f"write a line [tiles.{name}], and copies = {value} below it"
    return None


def _generate(key: str, size: int) -> str:
    return f"write a line [[generate]], and {key} = {size} below it"


def _numbers(where: Location, value: Any) -> str | None:
    """The cure for numbers written as texts, with a decimal point, or in a list."""
    last = where[-1]
    if last == "box":
        return f"write columns and rows, such as box = {written(_sides(value) or [6, 10])}"
    named = f"{last} = " if isinstance(last, str) else ""
    if last == "copies" and isinstance(value, str):
        bounds = re.findall(r"\d+", value)
        if len(bounds) == 1:
            return f"write copies = {bounds[0]}, without quotation marks"
        return f"write copies = [{', '.join(bounds)}]" if bounds else 'write copies = "any"'
    if last in ("title", "source", "by", "evidence", "published", "name") and isinstance(value, int | float):
        return f'write {last} = "{value}"'
    if last != "placements" and isinstance(value, str) and re.fullmatch(r"\s*\d[\d,' ]*\s*", value):
        return f"write {named}{re.sub(r'[^0-9]', '', value)}, without quotation marks"
    if isinstance(value, float) and value.is_integer():
        return f"write {named}{int(value)}"
    return None


def _sides(value: Any) -> list[int]:
    """Return the sides of a box given as a text, a table, a nested list or decimal numbers; none if they are not clear."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, str):
        value = [int(digits) for digits in re.findall(r"\d{1,9}", value)]
    sides = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    clear = len(sides) in (2, 3) and all(isinstance(s, int) or (isinstance(s, float) and s.is_integer()) for s in sides)
    return [int(side) for side in sides] if clear else []


def _lists(where: Location, value: Any) -> str | None:
    """The cure for one value where a list is expected, and for rows where a picture is."""
    last = where[-1]
    if last == "picture" and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return 'write the rows one below the other between """ and """'
    if last == "around" and isinstance(value, int | list) and not isinstance(value, bool):
        return f"write around = {written([str(v) for v in value] if isinstance(value, list) else str(value))}, with quotation marks"
    if last == "polygon" and isinstance(value, list) and all(isinstance(v, int) for v in value):
        return f"each corner needs brackets of its own: write polygon = {written([value[i : i + 2] for i in range(0, len(value), 2)])}"
    if last == "wrap":
        return f"write wrap = {_seams(value)}"
    if last == "use" and isinstance(value, str) and re.fullmatch("[A-Z]{2,}", value) and len({*value}) == len(value):
        return f"write use = {written([*value])}, or use = {written([value])} if that is one tile"
    if last in ("use", "fixed", "solution", "forbidden") and isinstance(value, str):
        return f"write {last} = {written(value.split())}"
    if last == "placements" and isinstance(value, str):
        return f"write placements = {written([value])}, with a text for each placement"
    if where[:2] == ("solutions", "one_of") and isinstance(value, str):
        return f"the placements of each choice need brackets of their own: write one_of = {written([[value]])}"
    if last in ("symmetric_outline", "holds") and isinstance(value, dict):
        return f"write {last} = [{written(value)}]"
    if last == "symmetric" and value is True:
        return 'write the name of a symmetry of the form, such as symmetric = "turn 180"'
    if last in ("atoms", "remove", "optional", "through", "blocks") or (len(where) > 1 and where[-2] == "colours"):
        flat = isinstance(value, list) and value and not any(isinstance(v, list | dict) for v in value)
        return f"each atom needs brackets of its own: write {last} = {written([value])}" if flat else None
    return None


def _seams(value: Any) -> str:
    """Return the seams of a table, a move, or a list of moves as a list of tables."""
    moves = value if isinstance(value, list) and any(isinstance(v, list | dict) for v in value) else [value]
    seams = [move if isinstance(move, dict) else {"move": move} for move in moves]
    clear = all(isinstance(move := seam.get("move"), list) and move and all(type(v) is int for v in move) for seam in seams)
    return f"[{', '.join(map(written, seams if clear else [{'move': [6, 0]}]))}]"


def _truth(value: Any) -> bool | None:
    """Return a truth value, or the meaning of a word for one; None for other values."""
    if isinstance(value, str):
        return {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}.get(value.lower())
    return value if isinstance(value, bool) else None


def _words(where: Location, value: Any) -> str | None:
    """The two words for true and false."""
    last = where[-1]
    meant = _truth(value)
    if last == "mirrored" and meant is not None:
        return f'write mirrored = "{"same" if meant else "different"}"'
    if last == "turns" and meant is not None:
        return f'write turns = "{"all" if meant else "none"}"'
    if last == "turns" and type(value) is int:
        value = [value]
    if last == "turns" and isinstance(value, list) and 0 not in value and all(isinstance(v, int) for v in value):
        return f"write turns = {written(list(range(0, 360, gcd(360, *value))))}"
    if last == "optional" and meant:
        return 'write optional = "all"'
    return None


def written(value: Any) -> str:
    """Write a value in TOML, shortened if it is long."""
    try:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in value.items()) + " }"
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):
        return "…"
    return text if len(text) <= MAX_WRITTEN else "…"


MAX_LINE = 200
"""Only this many characters of a line are examined."""
BEGINNING = re.compile(r"""\s*([\w.-]+)\s*=\s*("{3}|'{3})""")
"""The first line of a text of several lines: its key, and the three quotation marks that also end it."""
HEADING = re.compile(r"\s*(\[\[?[^\[\]]+\]\]?)\s*(?:#.*)?")
DRAWN = re.compile(r"\s*[#.█░▲▼△▽⬢⬡][#.\s█░▲▼△▽⬢⬡]*")
"""A row of a picture."""
KEY = re.compile(r"\s*([a-z_.]+)\s*=\s*\S.*")


def unclosed_text(text: str) -> str | None:
    """Return which text of several lines is not closed before the next one begins, and what to write; None if all are closed.

    The parser reads to the quotation marks of the next text and reports an error there, far from the mistake.
    """
    table, begun, before = "", "", ""
    quotes = '"""'
    for number, line in enumerate(text.splitlines(), 1):
        line = line[:MAX_LINE]
        heading, beginning = HEADING.fullmatch(line), BEGINNING.match(line)
        if begun and not before and (following := heading or KEY.fullmatch(line)):
            before = f"{following[1]} (line {number})"
        if begun and quotes in line:
            if beginning:
                break
            begun, before = "", ""
        elif beginning and not begun and line.count(beginning[2]) == 1:
            begun, quotes = f"line {number}: the {beginning[1]}{table}", beginning[2]
        elif heading and not begun:
            table = f" of {heading[1]}"
    end = before or "the end of the file"
    return f"{begun} begins with {quotes} and is not closed before {end}; write {quotes} on a line of its own below it" if begun else None


def cure_of_syntax(text: str, error: str) -> str:
    """Return ``; …`` with what to write instead in the line that the parser's ``error`` names, or nothing."""
    at = re.search(r"at line (\d+)", error)
    lines = text.splitlines()
    line = lines[min(int(at[1]), len(lines)) - 1][:MAX_LINE] if at and lines else ""
    key, _, value = (part.strip() for part in line.partition("="))
    found = _of_document(line, error) or _of_value(key, value, error) or _of_line(line)
    return f"; {found}" if found else ""


def _of_document(line: str, error: str) -> str | None:
    """The cure for a key or table that is written twice, for a list without an end, and for JSON."""
    if table := re.search(r"Cannot declare \((.*?)\) twice", error):
        name = ".".join(re.findall(r"[^', ]+", table[1]))
        return f"[{name}] is written twice; rename one, or write copies = 2 below one"
    if "Cannot overwrite a value" in error:
        return f"the key {line.partition('=')[0].strip()} is listed twice; remove one"
    if "Unclosed array" in error:
        return "a list that begins with [ ends with ]"
    if line.strip().startswith("{") and "line 1," in error:
        return 'this looks like JSON; a TOML file has lines such as title = "NAME"'
    return None


def _of_value(key: str, value: str, error: str) -> str | None:
    """The cure for a wrong value after an equals sign."""
    if re.search("[“”„«»]", value):
        return f"write straight quotation marks: {key} = " + re.sub("[“”„«»]", '"', value)
    if value in ("True", "False", "TRUE", "FALSE"):
        return f"write {key} = {value.lower()}"
    if re.fullmatch(r"\d{1,3}([,.' ]\d{3})+", value):
        return f"write {key} = " + re.sub(r"\D", "", value)
    if sides := re.fullmatch(r"\(?\s*(\d+)\s*[x×*,]\s*(\d+)(?:\s*[x×*,]\s*(\d+))?\s*\)?", value):
        return f"write {key} = {written([int(d) for d in sides.groups() if d])}"
    if "Invalid value" in error and (cure := cure_of_value((key,), value, truth=key in TRUTHS)) is not None:
        return cure
    if "Invalid value" in error and re.fullmatch(r"[^\W\d][\w .,'-]*", value):
        return f"write {key} = {written(value)}"
    if "'\\n'" in error and value.startswith('"'):
        return 'end the text with "; put a text of several lines between """ and """'
    if value.endswith(",") and "Expected newline" in error:
        return f"remove the comma: write {key} = {value[:-1].strip()}"
    return f"write {key} = {value[:-1].strip()}, without ;" if value.endswith(";") else None


def _of_line(line: str) -> str | None:
    """The cure for a line without an equals sign, and for a comment of another language."""
    if DRAWN.fullmatch(line):
        return f"a drawing belongs in a text: write {PICTURE} below [form] or [tiles.NAME], with the drawing between the quotation marks"
    if line.strip().startswith(("//", "--", ";", "%")):
        return "a comment begins with #"
    if table := re.fullmatch(r"\s*(\[\[?)([\w.-]+)\s*", line):
        return f"write {table[1]}{table[2]}{']' * len(table[1])}"
    if spaced := re.fullmatch(r"\s*\[tiles\.([^\]\[\"'.]*)\]\s*", line):
        name = re.sub(r"[\s.@]+", "-", spaced[1].strip())  # a name in quotation marks must not have these
        plain = re.fullmatch(r"[A-Za-z0-9_-]+", name)
        return f"write [tiles.{name if plain else json.dumps(name, ensure_ascii=False)}]"
    if pair := re.fullmatch(r"""\s*([\w.-]+)\s*(?::|(?=\s["'\[]))\s*(\S.*)""", line):
        value = pair[2].strip()
        as_it_is = re.match(r'[0-9.]+$|true$|false$|[\[{"]', value)
        return f"write {pair[1]} = {value if as_it_is else json.dumps(value, ensure_ascii=False)}"
    return None
