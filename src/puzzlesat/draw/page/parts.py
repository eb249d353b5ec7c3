"""The parts of a page that have a name: they can be folded and linked to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A part of the page: what links to it say, and its HTML, the element of that name round it."""

    name: str
    title: str
    html: str


def folding(name: str, title: str, heading: str, inside: str) -> Part:
    """Return a part that can be folded; it is open where there is no script to fold it. The texts are HTML already."""
    return Part(name, title, f'<details class="part" id="{name}" open>\n<summary><h2>{heading}</h2></summary>\n{inside}\n</details>')


def folded(heading: str, inside: str) -> str:
    """Return what few readers ask for, closed below its heading; printing opens it. The texts are HTML already."""
    return f"<details>\n<summary>{heading}</summary>\n{inside}\n</details>"


def links(parts: Sequence[Part]) -> str:
    """Return the contents of the page, the solutions first: most come for them."""
    ordered = sorted(parts, key=lambda part: part.name != "gallery")
    items = "".join(f'<li><a href="#{part.name}">{part.title}</a></li>' for part in ordered)
    return f'<nav aria-label="Contents"><ul class="contents">{items}</ul></nav>'
