"""Instances and models as the TOML text that a person would write.

tomli-w gives every number of a nested list its own line, so that a form of sixty atoms takes three hundred lines. Here lists fill their
lines, pictures are in triple quotes, and small tables take one line each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

WIDTH = 120
NARROW = 110
"""Maximum number of columns of a table that is written in one line."""


def instance_text(table: Mapping[str, Any], remarks: Iterable[str] = ()) -> str:
    """Return the text of a file with these keys: strings, numbers, booleans, lists and tables of them, in the order given.

    A text with line breaks (a picture) is in triple quotes. Keys whose value is None are omitted. Remarks come first.
    """
    lines = [f"# {line}".rstrip() for remark in remarks for line in remark.splitlines()]
    _write(table, (), lines)
    return "\n".join(lines).strip("\n") + "\n"


def _write(table: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    """Append a table, with keys without heading first, because everything below a heading belongs to it."""
    large = any(_is_large(key, value) for key, value in table.items())  # then all tables get headings and keep their order
    headed = {key: value for key, value in table.items() if _is_headed(value, path) or (large and isinstance(value, Mapping))}
    lines += [f"{_key(k)} = {_value(v, len(_key(k)) + 3)}" for k, v in table.items() if k not in headed and v is not None]
    for key, value in headed.items():
        heading = ".".join(map(_key, (*path, key)))
        if not isinstance(value, Mapping):
            for part in value:
                lines += ["", f"[[{heading}]]"]
                _write(part, (*path, key), lines)
        else:
            if not value or not all(isinstance(v, Mapping) for v in value.values()) or not any(_is_large(k, v) for k, v in value.items()):
                lines += ["", f"[{heading}]"]
            _write(value, (*path, key), lines)


def _is_headed(value: Any, path: tuple[str, ...]) -> bool:
    """Tell whether a value gets a heading: a table at the top of the file, or a list of such tables."""
    if isinstance(value, list | tuple):
        return not path and bool(value) and all(isinstance(v, Mapping) for v in value)
    return not path and isinstance(value, Mapping)


def _is_large(key: str, value: Any) -> bool:
    """Tell whether a value is a table that does not fit in one line."""
    return isinstance(value, Mapping) and (_has_picture(value) or len(key) + len(_inline(value)) > NARROW)


def _has_picture(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" in value
    if isinstance(value, Mapping):
        return any(map(_has_picture, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_picture, value))


def _value(value: Any, column: int) -> str:
    """Return a value behind its key, in several lines if one would be too long."""
    if isinstance(value, str) and "\n" in value:
        text = "\n".join(_escaped(line) for line in value.split("\n"))
        return f'"""\n{text}"""' if value.endswith("\n") else f'"""\n{text}\\\n"""'
    text = _inline(value)
    if column + len(text) <= WIDTH or not isinstance(value, list | tuple):
        return text
    rows, row = [], "    "
    for entry in map(_inline, value):
        if row.strip() and len(row) + len(entry) + 2 > WIDTH:
            rows.append(row.rstrip())
            row = "    "
        row += f"{entry}, "
    return "[\n" + "\n".join([*rows, row.rstrip()]) + "\n]"


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items() if v is not None)
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, int | float):
        return str(value)
    return f'"{_escaped(str(value), newlines=True)}"'


def _escaped(text: str, *, newlines: bool = False) -> str:
    """Return a text escaped for quotation marks; JSON escapes the same characters as TOML, except one."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
    return inside if newlines else inside.replace("\\t", "\t")


def _key(key: object) -> str:
    text = str(key)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else f'"{_escaped(text, newlines=True)}"'
