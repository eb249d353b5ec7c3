"""Cures for lines that no TOML parser can read: what to write instead."""

from __future__ import annotations

import json
import re

from puzzlesat.config.cures import PICTURE, TRUTHS, cure_of_value, written

MOST_LOOKED_AT = 200
"""The most characters of a line that are looked at."""
BEGINNING = re.compile(r"""\s*([\w.-]+)\s*=\s*("{3}|'{3})""")
"""The first line of a text of several lines: its key, and the three quotation marks that also end it."""
HEADING = re.compile(r"\s*(\[\[?[^\[\]]+\]\]?)\s*(?:#.*)?")
DRAWN = re.compile(r"\s*[#.█░▲▼△▽⬢⬡][#.\s█░▲▼△▽⬢⬡]*")
"""A row of a picture."""
KEY = re.compile(r"\s*([a-z_.]+)\s*=\s*\S.*")


def unclosed_text(text: str) -> str | None:
    """Return which text of several lines does not end before the next one begins, and what to write; None if all end.

    The parser goes on reading to the quotation marks of the next text and blames a line there, far from the slip.
    """
    table, begun, before = "", "", ""
    quotes = '"""'
    for number, line in enumerate(text.splitlines(), 1):
        line = line[:MOST_LOOKED_AT]
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
    line = lines[min(int(at[1]), len(lines)) - 1][:MOST_LOOKED_AT] if at and lines else ""
    key, _, value = (part.strip() for part in line.partition("="))
    found = _of_document(line, error) or _of_value(key, value, error) or _of_line(line)
    return f"; {found}" if found else ""


def _of_document(line: str, error: str) -> str | None:
    """The cure for a key or table that is there twice, and for a text or list without an end."""
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
