"""Tools for all pages: HTML templates filled with values, data and scripts; and sections that fold and have links."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from puzzlesat.base import VERSION


def text_of(name: str) -> str:
    """Return the text of a file in the folder ``page`` beside this module."""
    return files(__package__).joinpath(f"page/{name}").read_text(encoding="utf-8")


def joined_modules(names: Sequence[str]) -> str:
    """Return modules of the folder ``page`` as one script that needs no other file; each must come after its imports.

    Each import must have its own line, and no two modules may define the same name.
    """
    lines = [line for name in names for line in text_of(name).splitlines() if not line.startswith(("import ", "export {"))]
    return "(() => {\n" + "\n".join(['"use strict";', *(line.removeprefix("export ") for line in lines)]) + "\n})();\n"


def filled(template: str, /, **values: object) -> str:
    """Return an HTML template with values for its ``$names``; the values are HTML already. ``$version`` is the version of the program."""
    return Template(text_of(template)).substitute(values, version=escape(VERSION))


def filled_page(name: str, title: str, data: Mapping[str, Any] | Sequence[Any], **values: object) -> str:
    """Return the page of a template with its style, script and data. It loads nothing, and runs no other script."""
    script = text_of(f"{name}.js")
    own = {"title": escape(title), "data": inside_script(data), "script": script}
    style = text_of("page.css") + text_of(f"{name}.css")
    return filled(f"{name}.html", head=head(escape(title), style, script), **own, **values)


def head(title: str, style: str, script: str) -> str:
    """Return the head of a page that loads nothing, and runs only one script; the title is HTML already."""
    return filled("head.html", digest=digest_of(script), title=title, style=style)


def digest_of(script: str) -> str:
    """Return the digest of the script that the page's policy allows."""
    return b64encode(sha256(script.encode()).digest()).decode("ascii")


def inside_script(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return JSON that is safe inside a script element, whatever names it contains."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_element(name: str, data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return the element with data for the page's script."""
    return f'<script type="application/json" id="{name}">{inside_script(data)}</script>\n'


def packed(data: object) -> str:
    """Return data as JSON, deflated (RFC 1951), in base64. A script unpacks it with ``DecompressionStream("deflate-raw")``."""
    return packed_bytes(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


def packed_bytes(plain: bytes) -> str:
    """Return bytes, deflated, in base64.

    Several memory levels are tried, because long data of several kinds need frequent changes of code.
    """
    presses = [zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, memory) for memory in (3, 4, 5, 8)]
    return b64encode(min((press.compress(plain) + press.flush() for press in presses), key=len)).decode("ascii")


@dataclass(frozen=True)
class PagePart:
    """A section of the page: the id of its element, the text of links to it, and its HTML."""

    name: str
    title: str
    html: str


def folding(name: str, title: str, heading: str, inside: str) -> PagePart:
    """Return a section that can be folded; it is open if there is no script to fold it. The texts are HTML already."""
    return PagePart(name, title, f'<details class="part" id="{name}" open>\n<summary><h2>{heading}</h2></summary>\n{inside}\n</details>')


def folded(heading: str, inside: str) -> str:
    """Return details for few readers, closed below their heading; printing opens them. The texts are HTML already."""
    return f"<details>\n<summary>{heading}</summary>\n{inside}\n</details>"


def links(parts: Sequence[PagePart]) -> str:
    """Return the table of contents. The solutions come first, because most readers look for them."""
    ordered = sorted(parts, key=lambda part: part.name != "gallery")
    items = "".join(f'<li><a href="#{part.name}">{part.title}</a></li>' for part in ordered)
    return f'<nav aria-label="Contents"><ul class="contents">{items}</ul></nav>'
