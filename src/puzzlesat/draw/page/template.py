"""What all pages are made with: the files beside this module, templates of HTML filled with values, data and scripts inside."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any


def text_of(name: str) -> str:
    """Return the text of a file beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def joined_modules(names: Sequence[str]) -> str:
    """Return modules beside this one as one script that needs no other file, each after those from which it imports.

    Imports stand on lines of their own, and no two modules have a name in common.
    """
    lines = [line for name in names for line in text_of(name).splitlines() if not line.startswith(("import ", "export {"))]
    return "(() => {\n" + "\n".join(['"use strict";', *(line.removeprefix("export ") for line in lines)]) + "\n})();\n"


def filled(template: str, /, **values: object) -> str:
    """Return a template of HTML with these values, which are HTML already, for its ``$names``."""
    return Template(text_of(template)).substitute(values)


def head(title: str, style: str, script: str) -> str:
    """Return the beginning of a page that loads nothing, and runs no script but one; the title is HTML already."""
    return filled("head.html", digest=digest_of(script), title=title, style=style)


def digest_of(script: str) -> str:
    """Return the digest by which a page tells the browser the one script that it may run."""
    return b64encode(sha256(script.encode()).digest()).decode("ascii")


def inside_script(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return JSON that may stand in a script element, whatever the names in it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
