"""Exact cover problems from Python: options as lists of items, a matrix of 0 and 1, or a file or text in Knuth's format.

An item may be any hashable value. Errors name the place in the caller's own words, such as ``options['o1']``. The module also reads and
writes files of cover problems, in every format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat.base import SILENT, Progress, PuzzleError, many, near_match, shown
from puzzlesat.formats.constraints import Item, from_rows
from puzzlesat.formats.table import by_suffix, function, readable, writable
from puzzlesat.formats.xcc import xcc_problem
from puzzlesat.puzzles import CoverProblem


def is_cover_file(name: str | Path) -> bool:
    """Tell by its suffix whether a file holds a cover problem that can be read."""
    return any(f.reads for f in by_suffix(name, "cover problem"))


def read_cover_file(path: Path) -> CoverProblem:
    """Return the cover problem in a file. Raises PuzzleError for an invalid file."""
    problem: CoverProblem = function(by_suffix(path, "cover problem")[0].reads)(path)
    return problem


TOLD_AFTER = 1000
"""Lines between two progress reports."""


def cover_lines(problem: CoverProblem, format: str, encoding: str | None = None, *, told: Progress = SILENT) -> Iterator[str]:
    """Yield the lines of a file in the named format; ``encoding`` is the encoding of at-most-one constraints in a formula.

    Raises NotSupportedError if the format cannot express the problem.
    """
    problem.refuse_colouring(format)
    writes = next(f.writes for f in writable("cover problem") if f.name == format)
    lines: Iterator[str] = iter(function(writes)(problem, **({} if encoding is None else {"encoding": encoding})))
    with told.overseen():
        first = [*islice(lines, 1)]  # a formula is made before its first line
    for number, line in enumerate(chain(first, lines)):
        if number % TOLD_AFTER == 0:
            told.of("writing")({"lines": number})
        yield line


NAMELESS = "this cover problem"
Option = Iterable[Hashable] | Mapping[Any, Hashable]
"""The items of an option, or a mapping from its items to their colours, None for no colour."""
Options = Mapping[Any, Option] | Iterable[Option] | str | Path
"""Options with names, a list of options, a matrix, the text of a file, or a file."""
Bounds = int | tuple[int, int | None]
"""The number of times that an item is covered: exactly n, or from low to high; None is no upper bound."""
Coloured = tuple[Hashable, Hashable | None]
"""An item of an option, and the colour that the option gives it."""
Row = dict[Hashable, Hashable | None]
"""The items of an option, each with its colour, None for no colour."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactCover:
    """An exact cover problem, as ``puzzlesat.cover`` returns it; ``count``, ``solve``, ``compile`` and ``convert`` take it."""

    name: str
    """The name in messages."""
    problem: CoverProblem
    """The problem for the solvers."""
    labels: tuple[Hashable, ...]
    """The label of each option: its key in a mapping, its row in a matrix, its line in a file, its items in a list."""
    imported: bool = False
    """True if the problem comes from a file or its text, which is read once."""

    def __repr__(self) -> str:
        return f"<ExactCover {self.name!r}: {many(self.problem.size, 'option')}, {many(len(self.problem.items), 'item')}>"

    def numbers(self, given: Iterable[Hashable]) -> list[int]:
        """Return the numbers of the options with some labels. Raises PuzzleError for a label that no option has."""
        number: dict[Hashable, int] = {}
        for option, label in enumerate(self.labels):
            number.setdefault(label, option)
        labels = [tuple(label) if isinstance(label, list) else label for label in given]
        if wrong := [label for label in labels if label not in number]:
            raise PuzzleError(*(f"given: {_word(label)} is no option of {self.name}{_near(label, number)}" for label in wrong))
        return [number[label] for label in labels]


def exact_cover(
    options: Options,
    *,
    primary: Iterable[Hashable] | None = None,
    secondary: Iterable[Hashable] = (),
    multiplicities: Mapping[Any, Bounds] | None = None,
    name: str | None = None,
) -> ExactCover:
    """Return the problem with these options. Raises PuzzleError, in one sentence, if the arguments are invalid or contradictory."""
    if isinstance(options, str | Path):
        if primary is not None or list(secondary) or multiplicities:
            raise PuzzleError("a file or its text says which items are primary, secondary or covered several times; give only the file")
        return _read(options, name)
    must = None if primary is None else _declared("primary", primary)
    may = _declared("secondary", secondary)
    if both := [item for item in may if item in (must or {})]:
        raise PuzzleError(f"secondary: {_word(both[0])} is also in primary; remove it from one of them")
    given, labels = _given(options)
    rows = [_row(where, option, must, may) for where, option in given]
    if must is None:
        must = {item: None for row in rows for item in row if item not in may}
        _refuse_lost_colours(rows, must)
    bounds = _bounds(multiplicities or {}, must, may)
    return _problem(NAMELESS if name is None else name, _items(must, may, rows, bounds), rows, labels)


def _read(source: str | Path, name: str | None) -> ExactCover:
    """Return the problem of a file, or of a text in Knuth's format, which has several lines."""
    if isinstance(source, str) and "\n" in source:
        name = NAMELESS if name is None else name
        problem = xcc_problem(source, name)
    elif is_cover_file(source):
        name = str(source) if name is None else name
        problem = read_cover_file(Path(source))
    else:
        known = ", ".join(readable("cover problem").suffixes)
        raise PuzzleError(f"{shown(str(source))}: expected a file of a cover problem ({known}), its text of several lines, or options")
    return ExactCover(name, problem, tuple(problem.options), imported=True)


# reading the arguments -------------------------------------------------------------------------------------------------------


def _declared(key: str, items: Iterable[Hashable]) -> dict[Hashable, None]:
    """Return the items listed under a key, in their order."""
    if isinstance(items, str):
        raise PuzzleError(f"{key}: expected a list of items, got the text {shown(items)!r}; write [{shown(items)!r}]")
    listed = _hashable(key, items)
    if twice := [item for item, often in Counter(listed).items() if often > 1]:
        raise PuzzleError(f"{key}: {_word(twice[0])} is listed twice; remove one")
    return dict.fromkeys(listed)


def _hashable(where: str, items: Iterable[Hashable]) -> list[Hashable]:
    """Return items in an order that is the same in each run."""
    try:
        listed = sorted(items, key=repr) if isinstance(items, AbstractSet) else list(items)
    except TypeError:
        raise PuzzleError(f"{where}: expected a list of items, got {shown(repr(items))}; write [{shown(repr(items))}]") from None
    for item in listed:
        try:
            hash(item)
        except TypeError:
            raise PuzzleError(f"{where}: the item {shown(repr(item))} is not hashable; write it as a tuple or a string") from None
    return listed


def _given(options: Mapping[Any, Option] | Iterable[Option]) -> tuple[list[tuple[str, Option]], list[Hashable] | None]:
    """Return the options, each with its place in the caller's argument, and their labels; None: their items are their labels."""
    if isinstance(options, np.ndarray):
        if options.ndim != 2 or not np.isin(options, (0, 1)).all():
            raise PuzzleError("options: expected a matrix of 0 and 1, an option a row and an item a column")
        return [(f"options[{i}]", np.flatnonzero(row).tolist()) for i, row in enumerate(options)], list(range(len(options)))
    if isinstance(options, Mapping):
        return [(f"options[{shown(repr(label))}]", option) for label, option in options.items()], list(options)
    try:
        return [(f"options[{i}]", option) for i, option in enumerate(options)], None
    except TypeError:
        raise PuzzleError(f"options: expected a mapping or a list of options, got {type(options).__name__}") from None


def _row(where: str, option: Option, primary: Collection[Hashable] | None, secondary: Collection[Hashable]) -> Row:
    """Return the items of an option with their colours."""
    if isinstance(option, str):
        raise PuzzleError(f"{where}: expected a list of items, got the text {shown(option)!r}; write [{shown(option)!r}]")
    entries: Iterable[Any] = option.items() if isinstance(option, Mapping) else _hashable(where, option)
    row: Row = {}
    for entry in entries:
        item, colour = entry if isinstance(option, Mapping) else _split(entry, primary or (), secondary)
        _check_item(where, item, colour, primary, secondary)
        if item in row:
            hint = "; if this is a matrix of 0 and 1, give it as numpy.array(options)" if {*row} <= {0, 1} else ""
            raise PuzzleError(f"{where}: the item {_word(item)} is listed twice; remove one{hint}")
        row[item] = colour
    if all(item in secondary for item in row):
        what = "an option needs a primary item" if row else "an option needs an item"
        raise PuzzleError(f"{where}: {what}; add one, or remove the option")
    return row


def _split(entry: Hashable, primary: Collection[Hashable], secondary: Collection[Hashable]) -> Coloured:
    """Return an item and its colour: ``("x", "red")``, or ``"x:red"`` as Knuth writes it, colours the secondary item x."""
    if entry in primary or entry in secondary:
        return entry, None
    item, colour = _as_coloured(entry)
    return (item, colour) if item in secondary else (entry, None)


def _as_coloured(entry: Hashable) -> Coloured:
    """Return an entry as an item with a colour; the item is None if there is no colour."""
    if isinstance(entry, tuple) and len(entry) == 2:
        return entry
    if isinstance(entry, str) and ":" in entry:
        item, _, colour = entry.partition(":")
        return item, colour
    return None, None


def _check_item(
    where: str, item: Hashable, colour: Hashable | None, primary: Collection[Hashable] | None, secondary: Collection[Hashable]
) -> None:
    """Raise PuzzleError for an item that is not declared, and for an item that cannot have a colour."""
    if item in secondary:
        return
    if colour is not None:
        _refuse_colour(where, item, colour)
    if primary is not None and item not in primary:
        head, colour = _as_coloured(item)
        if head in primary:
            _refuse_colour(where, head, colour)
        raise PuzzleError(f"{where}: there is no item {_word(item)}{_near(item, [*primary, *secondary])}; add it to primary or secondary")


def _refuse_colour(where: str, item: Hashable, colour: Hashable) -> None:
    name = _word(item)
    raise PuzzleError(f"{where}: {name} has the colour {_word(colour)}, but only a secondary item can have one; add {name} to secondary")


def _refuse_lost_colours(rows: Sequence[Row], primary: Collection[Hashable]) -> None:
    """Raise PuzzleError if an item looks like another item with a colour and the primary items were not declared."""
    for row in rows:
        for item in row:
            head, colour = _as_coloured(item) if item in primary else (None, None)
            if isinstance(head, str) and head in primary:
                cure = f"add {_word(head)} to secondary, or list all primary items in primary"
                raise PuzzleError(f"options: is {_word(item)} an item, or the item {_word(head)} with the colour {_word(colour)}? {cure}")


def _bounds(given: Mapping[Any, Bounds], primary: Collection[Hashable], secondary: Collection[Hashable]) -> dict[Hashable, Item]:
    """Return the bounds of the items that have multiplicities."""
    bounds = {}
    for item, bound in given.items():
        where = f"multiplicities[{shown(repr(item))}]"
        if item in secondary:
            raise PuzzleError(f"{where}: a secondary item is covered at most once; remove it from secondary, and give (0, high)")
        if item not in primary:
            raise PuzzleError(f"{where}: no option has such an item{_near(item, primary)}; remove it, or add it to primary")
        low, high = bound if isinstance(bound, tuple | list) and len(bound) == 2 else (bound, bound)
        if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 0 for n in (low, 0 if high is None else high)):
            raise PuzzleError(f"{where}: expected a number, or (low, high) with numbers from 0, got {shown(repr(bound))}")
        high = CoverProblem.UNLIMITED if high is None else int(high)
        if low > high:
            raise PuzzleError(f"{where}: low {low} is greater than high {high}; write ({high}, {low})")
        bounds[item] = Item(min(int(low), CoverProblem.UNLIMITED), min(high, CoverProblem.UNLIMITED))
    return bounds


# building the problem --------------------------------------------------------------------------------------------------------


def _items(
    primary: Iterable[Hashable], secondary: Iterable[Hashable], rows: Sequence[Row], bounds: Mapping[Hashable, Item]
) -> dict[Hashable, Item]:
    """Return all items, the primary items first."""
    coloured = {item for row in rows for item, colour in row.items() if colour is not None}
    return {item: bounds.get(item, Item()) for item in primary} | {item: Item(0, 1, item in coloured) for item in secondary}


def _problem(name: str, items: Mapping[Hashable, Item], rows: Sequence[Row], labels: Sequence[Hashable] | None) -> ExactCover:
    """Return the problem of items and rows, in which items and options have names for messages and files."""
    called = _names(items)
    colours: dict[Hashable, int] = {None: 0}
    numbered = [{called[item]: colours.setdefault(colour, len(colours)) for item, colour in row.items()} for row in rows]
    if labels is None:
        labels = [tuple(item if colour is None else (item, colour) for item, colour in row.items()) for row in rows]
        words = [" ".join(called[item] + ("" if colour is None else f":{_text(colour)}") for item, colour in row.items()) for row in rows]
    else:
        words = [_text(label) for label in labels]
    return ExactCover(name, from_rows({called[item]: often for item, often in items.items()}, words, numbered), tuple(labels))


def _names(items: Iterable[Hashable]) -> dict[Hashable, str]:
    """Return a name of one line for each item that no other item has: 1 and "1" are two items."""
    items = list(items)
    often = Counter(map(_text, items))
    names: dict[Hashable, str] = {}
    taken = {text for text, number in often.items() if number == 1}
    for item in items:
        text = _text(item)
        if often[text] > 1:
            text = repr(item) if repr(item) not in taken else f"{text} (item {len(names) + 1})"
            taken.add(text)
        names[item] = text
    return names


def _text(value: Hashable) -> str:
    """Return a value as a name of one line."""
    return " ".join(str(value).split()) or repr(value)


def _word(value: Hashable) -> str:
    """Return a value as messages write it."""
    return shown(repr(value))


def _near(value: Hashable, known: Iterable[Hashable]) -> str:
    """Return a suggestion for a misspelt value."""
    return near_match(value, [name for name in known if isinstance(name, str)]) if isinstance(value, str) else ""
