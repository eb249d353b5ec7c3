"""Knuth's input format for exact cover: items, ``|``, secondary items, then an option a line (programs DLX1, DLX2, DLX3, XCC, MCC).

D. E. Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1, and the programs on his page. Lines that begin with ``|`` are
comments. A primary item is covered once, or from ``low`` to ``high`` times where it is written ``low:high|name`` (``n|name``: n times);
a secondary item may be covered, and options may colour it (``name:c``). His programs take names of eight bytes and colours of one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from puzzlesat.config.files import text_of
from puzzlesat.cover.problem import UNLIMITED, CoverProblem
from puzzlesat.errors import NotSupportedError, PuzzleError, near_match, shown
from puzzlesat.formats.rows import Item, from_rows

LONGEST = 8
"""Bytes of a name that Knuth's programs accept."""
COLOURS = "".join(chr(c) for c in (*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1), *range(ord("0"), ord("9") + 1)))
ITEM = re.compile(r"(?:(?:(?P<low>[0-9]{1,18}):)?(?P<high>[0-9]{1,18})\|)?(?P<name>[^:|]+)")


def xcc_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of a file for XCC, or for MCC where items have multiplicities.

    Items that may be covered any number of times say nothing and are left out; options that cannot be chosen are comments.
    Raises NotSupportedError for side conditions that are rules, and for items with colours that must be covered: the format has neither.
    """
    if rules := [c.name for c in problem.conditions if not c.implied]:
        raise NotSupportedError(f"Knuth's format cannot say the condition {rules[0]!r}; use cnf, opb or cpsat")
    if wrong := np.flatnonzero(problem.coloured & (problem.low > 0)).tolist():
        raise NotSupportedError(f"Knuth's format cannot say that {problem.items[wrong[0]]}, which is coloured, must be covered; use opb")
    names = _names(problem)
    least, most = problem.low, np.where(problem.coloured, 1, problem.high)
    sizes = np.array([len(options) for options in problem.options_of])
    said = np.flatnonzero(((least > 0) | ((most < UNLIMITED) & (sizes > 0))) & (most > 0)).tolist()
    primary = [i for i in said if not problem.coloured[i] and (least[i] > 0 or most[i] > 1)]
    secondary = [i for i in said if i not in set(primary)]
    never = {int(problem.rows[e]) for e in np.flatnonzero((most == 0)[problem.item])}
    colour = {c: COLOURS[k] if k < len(COLOURS) else str(k) for k, c in enumerate(np.unique(problem.colour[problem.colour > 0]).tolist())}
    yield f"| {problem.size} options; option number = placement number"
    yield from (f"| {names[i]} means {problem.items[i]}" for i in said if names[i] == f"i{i}")
    # Knuth's programs ignore an option without primary items: such options get one that may be covered any number of times
    has_primary = np.zeros(problem.size, dtype=bool)
    has_primary[problem.rows[np.isin(problem.item, primary)]] = True
    bare = {o for o in np.flatnonzero(~has_primary).tolist() if o not in problem.forced}
    slack = [f"0:{max(len(bare), 1)}|#"] if bare or not primary else []
    forced = [f"!{o}" for o in problem.forced]
    yield " ".join([*(_bounds(problem, i) + names[i] for i in primary), *slack, *forced, "|", *(names[i] for i in secondary)])
    known = np.isin(np.arange(len(names)), said)
    for o, name in enumerate(problem.options):
        entries = [e for e in range(problem.start[o], problem.start[o + 1]) if known[problem.item[e]]]
        items = [names[problem.item[e]] + (f":{colour[int(problem.colour[e])]}" if problem.colour[e] else "") for e in entries]
        if o in never:
            yield "| this option cannot be chosen:"
        else:
            yield " ".join(items + ([f"!{o}"] if o in problem.forced else []) + (["#"] if o in bare else []))
        yield f"| {o} {name}"


def _names(problem: CoverProblem) -> list[str]:
    """A name of eight bytes at most for each item: its own, without brackets, quotes and blanks, where that will do."""
    bare = [re.sub(r'[\[\]" ]', "", name) for name in problem.items]
    good = [re.fullmatch(r"[^:|!#\s]+", name) is not None and len(name.encode()) <= LONGEST for name in bare]
    often = Counter(bare)
    return [name if good[i] and often[name] == 1 and not re.fullmatch(r"i\d+", name) else f"i{i}" for i, name in enumerate(bare)]


def _bounds(problem: CoverProblem, item: int) -> str:
    """The multiplicity of an item as MCC writes it; nothing for exactly once."""
    low, high = int(problem.low[item]), int(problem.high[item])
    if low == high == 1:
        return ""
    high = max(low, min(high, len(problem.options_of[item])), 1)
    return f"{high}|" if low == high else f"{low}:{high}|"


def read_xcc(path: Path) -> CoverProblem:
    """Return the problem that a file for Knuth's programs says; an option is named by a comment after it, as we write it, or by its items.

    Raises PuzzleError, with the number of the line, for what his programs refuse, and for options that they would ignore.
    """
    items: dict[str, Item] = {}
    secondary: set[str] = set()
    names: list[str] = []
    rows: list[dict[str, int]] = []
    colours: dict[str, int] = {}
    first = True
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        words = line.split()
        where = f"{path}: line {number}: "
        if not words:
            continue
        if words[0].startswith("|"):
            if names and (found := re.fullmatch(r"\| ([0-9]{1,18}) (.+)", line.rstrip())) and int(found[1]) == len(names) - 1:
                names[-1] = found[2]
        elif first:
            items, secondary = _items(words, where)
            first = False
        else:
            rows.append(_option(words, items, secondary, colours, where))
            names.append(" ".join(words))
    if first:
        raise PuzzleError(f"{path}: there is no line of items")
    return from_rows(items, names, rows)


def _items(words: list[str], where: str) -> tuple[dict[str, Item], set[str]]:
    """The line of items, and which of them stand behind the bar: these are secondary."""
    items: dict[str, Item] = {}
    secondary: set[str] = set()
    primary = True
    for word in words:
        if word == "|":
            if not primary:
                raise PuzzleError(f"{where}the line of items has two bars")
            primary = False
            continue
        match = ITEM.fullmatch(word)
        if match is None or (match["high"] and not primary):
            what = "an item is written name, or n|name or low:high|name where it is primary"
            raise PuzzleError(f"{where}{shown(word)!r} is no item: {what}; names have no ':' and no '|'")
        if match["name"] in items:
            raise PuzzleError(f"{where}the item {shown(match['name'])!r} stands there twice")
        high = int(match["high"] or 1)
        low = int(match["low"] or high)
        if high == 0 or low > high:
            what = "the upper bound is 0" if high == 0 else "the lower bound exceeds the upper bound"
            raise PuzzleError(f"{where}{shown(word)!r}: {what}")
        items[match["name"]] = Item(min(low, UNLIMITED), min(high, UNLIMITED)) if primary else Item(0, 1)
        if not primary:
            secondary.add(match["name"])
    return items, secondary


def _option(words: list[str], items: dict[str, Item], secondary: set[str], colours: dict[str, int], where: str) -> dict[str, int]:
    """One option: its items, each with the number of its colour. Items that are coloured are noted in ``items``."""
    row: dict[str, int] = {}
    for word in words:
        name, coloured, colour = word.partition(":")
        if name not in items:
            raise PuzzleError(f"{where}there is no item {shown(name)!r}{near_match(name, items)}")
        if name in row:
            raise PuzzleError(f"{where}the item {shown(name)!r} stands there twice")
        if coloured:
            if not colour or ":" in colour or "|" in colour:
                raise PuzzleError(f"{where}{shown(word)!r}: expected name:colour")
            if name not in secondary:
                raise PuzzleError(f"{where}{shown(word)!r}: only a secondary item, one behind the bar, can have a colour")
            items[name] = Item(0, 1, coloured=True)
        row[name] = colours.setdefault(colour, len(colours) + 1) if coloured else 0
    if secondary.issuperset(row):
        raise PuzzleError(f"{where}an option without primary items, which Knuth's programs ignore; take it out, or give it a primary item")
    return row
