"""Modules of JavaScript as one script, for a page that is opened from disk: browsers load no modules there.

Each module becomes a function that is called once, after those that it imports; what it exports is kept by its name. The modules of the
page keep to what is understood here: an import or a re-export stands on a line of its own, and comments begin with ``/**`` or ``//``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

IMPORT = re.compile(r'^import \{ (.+) \} from "(.+)";\n', re.M)
AGAIN = re.compile(r'^export \{ (.+) \} from "(.+)";\n', re.M)
NOTHING = re.compile(r"^export \{\};\n", re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:const|let|class|function\*?) (\w+))", re.M)
LATER = re.compile(r"\bimport\((?P<quote>[\"`])(?P<name>.+?)(?P=quote)\)")
COMMENTS = re.compile(r"/\*\*.*?\*/|^\s*//[^\n]*$|(?<=\s)// [^\"'`\n]*$", re.M | re.S)
STYLE_COMMENTS = re.compile(r"/\*.*?\*/", re.S)


def joined(first: Sequence[str], files: Mapping[str, str], *, without: Sequence[str] = ()) -> str:
    """Return a script with some modules and all that they import, but for those that another script has.

    ``files`` has the texts of modules by their names, such as ``views/play.js``. A module that is imported later, by ``import(…)``, is
    asked for by its name.
    """
    made = [f"modules[{_quoted(name)}] = (() => {{\n{_body(name, files[name])}}})();\n" for name in _in_order(first, files, without)]
    return '(() => {\n"use strict";\nconst { modules, later } = globalThis.puzzlesat;\n' + "".join(made) + "})();\n"


def modules_in(first: Sequence[str], files: Mapping[str, str]) -> list[str]:
    """Return these modules and all that they import at once, each after those that it imports."""
    return list(_in_order(first, files, ()))


def _in_order(first: Sequence[str], files: Mapping[str, str], without: Sequence[str]) -> Iterator[str]:
    seen = set(without)

    def visit(name: str) -> Iterator[str]:
        if name in seen:
            return
        seen.add(name)
        text = shortened(files[name])
        for _, place in [*IMPORT.findall(text), *AGAIN.findall(text)]:
            yield from visit(_resolved(name, place))
        yield name

    for name in first:
        yield from visit(name)


def _body(name: str, text: str) -> str:
    exports: list[str] = []

    def import_(found: re.Match[str]) -> str:
        return f"const {{ {found[1].replace(' as ', ': ')} }} = modules[{_quoted(_resolved(name, found[2]))}];\n"

    def again(found: re.Match[str]) -> str:
        for part in found[1].split(", "):
            old, _, new = part.partition(" as ")
            exports.append(f"{new or old}: modules[{_quoted(_resolved(name, found[2]))}].{old}")
        return ""

    def export(found: re.Match[str]) -> str:
        exports.append(found[2])
        return found[1]

    text = NOTHING.sub("", AGAIN.sub(again, IMPORT.sub(import_, shortened(text))))
    text = EXPORT.sub(export, text)
    text = LATER.sub(lambda found: f"later({found['quote']}{_resolved(name, found['name'])}{found['quote']})", text)
    return f"{text}return {{ {', '.join(exports)} }};\n"


def shortened(text: str) -> str:
    """Return a script without comments, and without the blanks at the beginning of lines."""
    return "".join(f"{line}\n" for each in COMMENTS.sub("", text).splitlines() if (line := each.strip()))


def shortened_style(text: str) -> str:
    """Return a style without comments, and without the blanks at the beginning of lines and beside braces."""
    lines = [line for each in STYLE_COMMENTS.sub("", text).splitlines() if (line := each.strip())]
    return "".join(f"{line}\n" for line in lines).replace(" { ", "{").replace("; }", "}").replace(" }", "}")


def _resolved(name: str, place: str) -> str:
    """The name of a module that another one says in relation to itself."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), place))


def _quoted(name: str) -> str:
    return f'"{name}"'
