"""The page of all keys, made from the commented examples on the pages of the file format: each line becomes a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FORMAT = Path(__file__).parents[1] / "format"
BEGIN = """# All keys of the files

Every key that a puzzle file may have, with an example. A *model* has the tiles and the rules; an *instance* names a model and has a form,
or has all of it itself. See also the [cookbook](cookbook/README.md).
"""
SECTIONS = {
    "The file": ("", ("tiles", "forms")),
    "[tiles.NAME]": ("tiles", ("tiles", "marks")),
    "[[generate]]": ("generate", ("generate",)),
    "[marks]": ("marks", ("marks",)),
    "[form]": ("form", ("forms", "marks")),
    "[solutions]": ("solutions", ("rules",)),
    "[[conditions]]": ("conditions", ("conditions",)),
    "[split]": ("split", ("conditions",)),
    "[expect]": ("expect", ("expect",)),
    "[grid]": ("", ("grid-file",)),
}
"""For each section: the table in the examples, and the pages that explain it."""
TABLES = ("marks", "colours", "generate", "tiles", "form", "conditions", "solutions", "split", "expect")
"""The keys of a file that have tables of their own, in the order of the page."""
LINE = re.compile(r"^(?P<example>(?P<key>\w+) = .*?|\[+(?P<table>[\w.]+)\]+)\s*(?:\s# (?P<meaning>.*))?$")


@dataclass(frozen=True)
class Row:
    """A key in an example: the table that it belongs to, the line without its comment, and the comment."""

    table: str
    key: str
    example: str
    meaning: str


def page() -> str:
    """Return the page as Markdown."""
    return BEGIN + "".join(map(section, SECTIONS))


def section(title: str) -> str:
    """Return the keys of a table."""
    links = " and ".join(f"[{name.replace('-', ' ')}](format/{name}.md)" for name in SECTIONS[title][1])
    lines = "".join(f"| `{row.key}` | `{row.example}` | {row.meaning} |\n" for row in rows(title))
    return f"\n## {title}\n\nSee {links}.\n\n| key | example | meaning |\n| --- | --- | --- |\n{lines}"


def rows(title: str) -> list[Row]:
    """Return the keys of a section, each with the first commented line that has it."""
    table, pages = SECTIONS[title]
    found: dict[str, Row] = {}
    for row in (row for name in pages for row in commented(FORMAT / f"{name}.md")):
        if row.table == table and row.meaning:
            found.setdefault(row.key, row)
    if title == "The file":
        others = {row.key: row for path in sorted(FORMAT.glob("*.md")) for row in commented(path) if not row.table and row.meaning}
        found |= {key: others[key] for key in TABLES}
    return list(found.values())


def commented(path: Path) -> list[Row]:
    """Return the lines of a page's examples; a line that has only a comment continues the comment above it."""
    found: list[Row] = []
    for block in re.findall(r"^```toml\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S):
        table = ""
        for line in block.splitlines():
            if (more := re.match(r"^\s+# (.*)$", line)) and found:
                last = found[-1]
                found[-1] = Row(last.table, last.key, last.example, f"{last.meaning} {more[1]}")
            elif parts := LINE.match(line):
                example, meaning = parts["example"], parts["meaning"] or ""
                if header := parts["table"]:
                    first, _, second = header.partition(".")
                    inner = first == "expect" and second
                    found.append(Row(first, second, example, meaning) if inner else Row("", first, example, meaning))
                    table = header if inner else first
                else:
                    found.append(Row(table, parts["key"], example, meaning))
    return found
