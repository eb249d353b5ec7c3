"""XML of other programs: without entities and document types, in any encoding, and no larger than a puzzle."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

from puzzlesat.base import PuzzleError, bytes_of, shown

MAX_BYTES = 2**26
"""Maximum size of a file in bytes: some hundred times the largest puzzle with its solutions."""
MAX_ELEMENTS = 1_000_000
DEEPEST = 1000
"""Maximum depth of nested elements; BurrTools nests one or two for each piece that it takes off."""
PACKED = b"\x1f\x8b"
IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
QUOTED = IN_TEXT | str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


class _Bounded(ElementTree.TreeBuilder):
    """A builder of trees of bounded size; it refuses a document type, the only place where entities are declared."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = self.elements = 0

    def start(self, tag: str, attributes: dict[str, str], /) -> ElementTree.Element:
        self.depth += 1
        self.elements += 1
        if self.depth > DEEPEST:
            raise PuzzleError(f"more than {DEEPEST:,} nested elements; this is not a puzzle")
        if self.elements > MAX_ELEMENTS:
            raise PuzzleError(f"more than {MAX_ELEMENTS:,} elements; this is not a puzzle")
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> ElementTree.Element:
        self.depth -= 1
        return super().end(tag)

    def doctype(self, name: str, _public: str | None, _system: str | None) -> None:
        raise PuzzleError(f"it declares a document type (<!DOCTYPE {shown(name)}>), which no puzzle needs; remove that line")


def escape(text: str) -> str:
    """Return text escaped for XML (``xml.sax.saxutils`` has the same function, but loads modules for the network)."""
    return text.translate(IN_TEXT)


def quoteattr(text: str) -> str:
    """Return text as the value of an attribute, in quotes."""
    return f'"{text.translate(QUOTED)}"'


def read_xml(path: Path) -> ElementTree.Element:
    """Return the root of an XML file, perhaps compressed by gzip. Raises PuzzleError, without the file's name, if it cannot be read."""
    data = unpacked(path)
    try:
        return _parsed(data)
    except ElementTree.ParseError as error:
        wrong = PuzzleError(f"no XML: {error}")
    except (ValueError, LookupError):  # the encoding cannot be looked up
        named = re.search(rb"""encoding\s*=\s*["']([^"']*)""", data[:200])
        name = f" {named[1].decode('ascii', 'replace')!r}" if named else ""
        raise PuzzleError(f"no XML that can be read: its encoding{name} is not known, or not one for XML; save it in UTF-8") from None
    try:  # old programs wrote names and comments as typed, without stating the encoding
        data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return _parsed(data.decode("latin-1"))
        except (ElementTree.ParseError, ValueError, LookupError):
            pass
    raise wrong


def unpacked(path: Path) -> bytes:
    """Return the bytes of a file, decompressed if necessary. Raises PuzzleError, without the file's name, if there are too many."""
    try:
        data = bytes_of(path, MAX_BYTES)
    except PuzzleError as error:
        raise PuzzleError(*(problem.removeprefix(f"{path}: ") for problem in error.problems)) from None
    if not data.startswith(PACKED):
        return data
    try:
        with gzip.open(path) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise PuzzleError("the compressed file is damaged; save it again in the program that made it") from None
    if len(data) > MAX_BYTES:
        raise PuzzleError(f"more than {MAX_BYTES:,} bytes when unpacked; this is not a puzzle")
    return data


def xml_text(root: ElementTree.Element) -> str:
    """Return the text of a file with a tree, one element per line."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    left: list[ElementTree.Element | str] = [root]
    while left:
        node = left.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        head = "".join([node.tag, *(f" {key}={quoteattr(value)}" for key, value in node.items())])
        text = escape(node.text or "")
        if len(node):
            lines.append(f"<{head}>{text.strip()}")
            left += [f"</{node.tag}>", *reversed(node)]
        else:
            lines.append(f"<{head}>{text}</{node.tag}>" if text.strip() else f"<{head}/>")
    return "\n".join(lines) + "\n"


def _parsed(data: bytes | str) -> ElementTree.Element:
    parser = ElementTree.XMLParser(target=_Bounded())
    parser.feed(data)
    root: ElementTree.Element = parser.close()
    return root
