"""Knuth's input format for exact cover: items, ``|``, secondary items, then an option a line (programs DLX1, DLX2, DLX3, XCC, MCC).

D. E. Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1, and the programs on his page. Lines that begin with ``|`` are
comments. A primary item is covered once, or from ``low`` to ``high`` times if it is written ``low:high|name`` (``n|name``: n times). A
secondary item may be covered, and options may colour it (``name:c``). Knuth's programs take names of eight bytes and colours of one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from puzzlesat.base import NotSupportedError, PuzzleError, near_match, shown, text_of
from puzzlesat.formats.constraints import Item, from_rows
from puzzlesat.puzzles import CoverProblem

LONGEST = 8
"""Maximum length in bytes of a name in Knuth's programs."""
COLOURS = "".join(chr(c) for c in (*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1), *range(ord("0"), ord("9") + 1)))
NEVER = "| this option cannot be chosen:"
"""The comment before the number and the name of an option that is omitted."""
ITEM = re.compile(r"(?:(?:(?P<low>[0-9]{1,18}):)?(?P<high>[0-9]{1,18})\|)?(?P<name>[^:|]+)")


def xcc_lines(problem: CoverProblem) -> Iterator[str]:
    """Yield the lines of a file for XCC, or for MCC if items have multiplicities.

    Items that may be covered any number of times restrict nothing and are omitted. Options that cannot be chosen become comments. Raises
    NotSupportedError for conditions that are not implied, and for coloured items that must be covered: the format has neither.
    """
    _refuse_inexpressible(problem)
    form = _written_form(problem)
    yield f"| {problem.size} options, numbered as compiled; certificates number placements in an order of their own"
    yield from (f"| {form.names[i]} means {problem.items[i]}" for i in sorted(form.items) if form.names[i] == f"i{i}")
    yield _line_of_items(problem, form)
    for option, name in enumerate(problem.options):
        yield NEVER if option in form.never else _line_of_option(problem, form, option)
        yield f"| {option} {name}"


@dataclass(frozen=True)
class _WrittenForm:
    """The written form of a problem: its items and their names, and how its options are written."""

    names: list[str]
    primary: list[int]
    secondary: list[int]
    items: frozenset[int]
    """The primary and the secondary items."""
    never: frozenset[int]
    """Options that cannot be chosen."""
    bare: frozenset[int]
    """Options without primary items, which Knuth's programs ignore; they get ``#``, an item that may be covered any number of times."""
    colour: dict[int, str]


def _refuse_inexpressible(problem: CoverProblem) -> None:
    if rules := [c.name for c in problem.conditions if not c.implied]:
        raise NotSupportedError(f"Knuth's format cannot express the condition {rules[0]!r}; use cnf, opb or cpsat")
    if wrong := np.flatnonzero(problem.coloured & (problem.low > 0)).tolist():
        raise NotSupportedError(
            f"Knuth's format cannot express that {problem.items[wrong[0]]}, which is coloured, must be covered; use opb"
        )


def _written_form(problem: CoverProblem) -> _WrittenForm:
    least, most = problem.low, np.where(problem.coloured, 1, problem.high)
    sizes = np.array([len(options) for options in problem.options_of])
    written = np.flatnonzero(((least > 0) | ((most < CoverProblem.UNLIMITED) & (sizes > 0))) & (most > 0)).tolist()
    primary = [i for i in written if not problem.coloured[i] and (least[i] > 0 or most[i] > 1)]
    has_primary = {int(o) for o in problem.rows[np.isin(problem.item, primary)]}
    numbers = np.unique(problem.colour[problem.colour > 0]).tolist()
    return _WrittenForm(
        names=_names(problem),
        primary=primary,
        secondary=sorted({*written} - {*primary}),
        items=frozenset(written),
        never=frozenset(int(problem.rows[e]) for e in np.flatnonzero((most == 0)[problem.item])),
        bare=frozenset(range(problem.size)) - has_primary - {*problem.forced},
        colour={c: COLOURS[k] if k < len(COLOURS) else str(k) for k, c in enumerate(numbers)},
    )


def _line_of_items(problem: CoverProblem, form: _WrittenForm) -> str:
    slack = [f"0:{max(len(form.bare), 1)}|#"] if form.bare or not form.primary else []
    forced = [f"!{o}" for o in problem.forced]
    primary = [_bounds(problem, i) + form.names[i] for i in form.primary]
    return " ".join([*primary, *slack, *forced, "|", *(form.names[i] for i in form.secondary)])


def _line_of_option(problem: CoverProblem, form: _WrittenForm, option: int) -> str:
    entries = [e for e in range(problem.start[option], problem.start[option + 1]) if int(problem.item[e]) in form.items]
    words = [form.names[problem.item[e]] + (f":{form.colour[int(problem.colour[e])]}" if problem.colour[e] else "") for e in entries]
    return " ".join(words + ([f"!{option}"] if option in problem.forced else []) + (["#"] if option in form.bare else []))


def _names(problem: CoverProblem) -> list[str]:
    """Return a name of at most eight bytes for each item: its own, without brackets, quotes and blanks, if possible."""
    bare = [re.sub(r'[\[\]" ]', "", name) for name in problem.items]
    good = [re.fullmatch(r"[^:|!#\s]+", name) is not None and len(name.encode()) <= LONGEST for name in bare]
    often = Counter(bare)
    return [name if good[i] and often[name] == 1 and not re.fullmatch(r"i\d+", name) else f"i{i}" for i, name in enumerate(bare)]


def _bounds(problem: CoverProblem, item: int) -> str:
    """Return the multiplicity of an item as MCC writes it; empty for exactly once."""
    low, high = int(problem.low[item]), int(problem.high[item])
    if low == high == 1:
        return ""
    high = max(low, min(high, len(problem.options_of[item])), 1)
    return f"{high}|" if low == high else f"{low}:{high}|"


def read_xcc(path: Path) -> CoverProblem:
    """Return the problem of a file for Knuth's programs; an option is named by a comment of ``xcc_lines`` or by its items.

    Raises PuzzleError, with the number of the line, for input that Knuth's programs refuse, and for options that they would ignore.
    """
    return xcc_problem(text_of(path), str(path))


def xcc_problem(text: str, source: str) -> CoverProblem:
    """Return the problem of the text of a file, as ``read_xcc`` does; messages call it ``source``."""
    lines = ((f"{source}: line {number}: ", line) for number, line in enumerate(text.splitlines(), start=1) if line.strip())
    first = next(((where, line) for where, line in lines if not _is_comment(line)), None)
    if first is None:
        raise PuzzleError(f"{source}: there is no line of items")
    items, secondary = _items(first[1].split(), first[0])
    names: list[str] = []
    rows: list[dict[str, int]] = []
    colours: dict[str, int] = {}
    left_out, of_this = 0, False  # number of options that are only comments; whether a comment may name the option before it
    for where, line in lines:
        if not _is_comment(line):
            rows.append(_option(line.split(), items, secondary, colours, where))
            names.append(" ".join(line.split()))
            of_this = True
        elif line.rstrip() == NEVER:
            left_out, of_this = left_out + 1, False
        elif of_this and (name := _name_in(line, len(names) - 1 + left_out)) is not None:
            names[-1] = name
    return from_rows(items, names, rows)


def _is_comment(line: str) -> bool:
    return line.split()[0].startswith("|")


def _name_in(comment: str, option: int) -> str | None:
    """Return the name that a comment of ``xcc_lines`` gives to the option before it; None for another comment."""
    found = re.fullmatch(r"\| ([0-9]{1,18}) (.+)", comment.rstrip())
    return found[2] if found is not None and int(found[1]) == option else None


def _items(words: list[str], where: str) -> tuple[dict[str, Item], set[str]]:
    """Return the items of the first line, and the names behind the bar, which are secondary."""
    items: dict[str, Item] = {}
    secondary: set[str] = set()
    primary = True
    for word in words:
        if word == "|":
            if not primary:
                raise PuzzleError(f"{where}the line of items has two bars")
            primary = False
            continue
        name, item = _item(word, primary, items, where)
        items[name] = item
        if not primary:
            secondary.add(name)
    return items, secondary


def _item(word: str, primary: bool, known: Collection[str], where: str) -> tuple[str, Item]:
    """Return one item of the line: ``name``, or ``n|name`` or ``low:high|name`` before the bar."""
    match = ITEM.fullmatch(word)
    if match is None or (match["high"] and not primary):
        what = "an item is written name, or n|name or low:high|name where it is primary"
        raise PuzzleError(f"{where}{shown(word)!r} is not an item: {what}; names have no ':' and no '|'")
    if match["name"] in known:
        raise PuzzleError(f"{where}the item {shown(match['name'])!r} is listed twice")
    high = int(match["high"] or 1)
    low = int(match["low"] or high)
    if high == 0 or low > high:
        what = "the upper bound is 0" if high == 0 else "the lower bound exceeds the upper bound"
        raise PuzzleError(f"{where}{shown(word)!r}: {what}")
    return match["name"], Item(min(low, CoverProblem.UNLIMITED), min(high, CoverProblem.UNLIMITED)) if primary else Item(0, 1)


def _option(words: list[str], items: dict[str, Item], secondary: set[str], colours: dict[str, int], where: str) -> dict[str, int]:
    """Return the items of an option, each with the number of its colour; note coloured items in ``items``."""
    row: dict[str, int] = {}
    for word in words:
        name, coloured, colour = word.partition(":")
        if name not in items:
            raise PuzzleError(f"{where}there is no item {shown(name)!r}{near_match(name, items)}")
        if name in row:
            raise PuzzleError(f"{where}the item {shown(name)!r} is listed twice")
        if coloured:
            if not colour or ":" in colour or "|" in colour:
                raise PuzzleError(f"{where}{shown(word)!r}: expected name:colour")
            if name not in secondary:
                raise PuzzleError(f"{where}{shown(word)!r}: only a secondary item, one behind the bar, can have a colour")
            items[name] = Item(0, 1, coloured=True)
        row[name] = colours.setdefault(colour, len(colours) + 1) if coloured else 0
    if secondary.issuperset(row):
        raise PuzzleError(f"{where}an option without primary items, which Knuth's programs ignore; remove it, or give it a primary item")
    return row
