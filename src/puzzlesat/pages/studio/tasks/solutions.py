"""``solutions``: their number, and some of them, by number or at random.

A process remembers its lists, so that further solutions come at once.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from random import SystemRandom
from typing import Any

from puzzlesat.base import VERSION, EndedError, Limits, NotSupportedError, Progress, PuzzleError, Rows
from puzzlesat.counting import Assembly, list_distinct, number_solutions, solutions
from puzzlesat.disassembly import answers, bodies_of, may_hold
from puzzlesat.pages.studio.open import begun, puzzle_of
from puzzlesat.pages.studio.painted import choices, form_colours, has_meaning, pieces
from puzzlesat.pages.studio.telling import STUDIO_FIRST_SECONDS, Tell
from puzzlesat.playing import position_of
from puzzlesat.puzzles import BuiltInstance, build_instance, with_rules
from puzzlesat.solvers import LISTING, SEED

STUDIO_LIST_SECONDS: float = 60
"""Time limit in seconds for listing the solutions, or counting them by number; after it the page shows those found."""
STUDIO_LEVELS_SECONDS: float = 60
"""Time limit in seconds for disassembling the listed solutions, to sort them by level."""
STUDIO_UNASKED_SECONDS: float = 10
"""The same limit if a page sorts few solutions without a request."""

Row = tuple[int, ...]
MAX_AT_ONCE = 500
LONGEST_NUMBER = 400
MAX_UNASKED = 250_000
"""Largest number of solutions for which, by default, symmetric solutions count as one."""
FEW_BY_LEVEL, MAX_BY_LEVEL = 2_000, 100_000
"""Largest numbers of solutions that are disassembled without a request, and on request."""
KEPT = 8
"""Number of lists that a process keeps, most recently used; a list with default settings has two entries."""


@dataclass(frozen=True)
class Listed:
    """The requested solutions: their number, and each by its number, from 0."""

    total: int
    how: str
    """The solver that listed or numbered them."""
    find: Callable[[int], Row]
    exact: bool = True
    distinct: bool = True
    """True if symmetric solutions count as one."""
    levels: Sequence[str | None] | None = None
    """Level of each solution, with ``≤`` if it is not known to be minimal; None: it cannot be taken apart.

    Solutions of the highest level come first."""


_listed: OrderedDict[str, Listed] = OrderedDict()


def answer_solutions(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``number`` solutions as placement numbers, beginning with number ``from`` (1), or drawn at ``random``.

    ``total`` is the number of solutions, ``exact`` is false if there may be more, ``distinct`` tells whether symmetric solutions count as
    one. The question may have ``distinct``, a ``position`` (placements that all solutions contain), ``rules`` (keys of [solutions]), and
    ``levels``: whether to sort by level, highest first. A ``from`` too large for a double is text. A partial result is any solution,
    ``first``. Without ``from`` and ``random`` the answer also has ``every_level``, the number of solutions of each level; the possible
    settings: ``symmetries`` (their names), ``rules``, ``symmetric``, and the ``pieces`` and ``colours`` that rules may name; the ``words``
    of the rules, and the ``version`` of the program.
    """
    whole, bounds, progress = begun(question, tell)
    listed, ruled = _known(question, whole, tell, bounds, progress)
    numbers = _numbers(question, listed.total)
    rows = [_on_board(whole, ruled, listed.find(number - 1)) for number in numbers]
    levels = listed.levels
    about = {} if "from" in question or "random" in question else _about(whole, ruled, listed)
    return {
        "total": listed.total,
        "exact": listed.exact,
        "distinct": listed.distinct,
        "how": listed.how,
        "numbers": numbers,
        "solutions": rows,
        "levels": None if levels is None else [levels[number - 1] for number in numbers],
        **about,
    }


def _about(whole: BuiltInstance, ruled: BuiltInstance, listed: Listed) -> dict[str, Any]:
    """Data on all solutions, and the rules that are meaningful."""
    return {
        "every_level": None if listed.levels is None else list(Counter(listed.levels).items()),
        "symmetries": list(ruled.problem.symmetries),
        "rules": choices(whole.instance),
        "pieces": pieces(whole.instance),
        "colours": form_colours(whole.instance),
        "symmetric": [name for name in whole.problem.symmetries[1:] if has_meaning(whole.instance, {"symmetric": [name]})],
        "words": ruled.puzzle.solutions.sentences,
        "version": VERSION,
    }


def _numbers(question: Mapping[str, Any], total: int) -> list[int]:
    """The requested numbers, as far as they exist."""
    first, number = question.get("from", 1), question.get("number", 1)
    if isinstance(first, str) and first.isascii() and first.isdigit() and len(first) <= LONGEST_NUMBER:
        first = int(first)
    if type(first) is not int or type(number) is not int or first < 1 or not 0 <= number <= MAX_AT_ONCE:
        raise PuzzleError(f"from and number: expected whole numbers, such as 1 and 20; at most {MAX_AT_ONCE} at once")
    if question.get("random") is True:
        return [1 + SystemRandom().randrange(total) for _ in range(number)] if total else []
    return list(range(first, min(first + number, total + 1)))


def _known(
    question: Mapping[str, Any], whole: BuiltInstance, tell: Tell, bounds: Limits, progress: Progress
) -> tuple[Listed, BuiltInstance]:
    """The requested solutions, listed now or kept from before, and the puzzle with the rules on solutions."""
    position, rules, distinct, levels = (question.get(key) for key in ("position", "rules", "distinct", "levels"))
    if not isinstance(position or [], list) or not all(isinstance(name, str) for name in position or []):
        raise PuzzleError("position: expected a list of the names of placements")
    if not isinstance(rules or {}, Mapping) or distinct not in (None, True, False) or levels not in (None, True, False):
        raise PuzzleError("rules: expected an object with keys of [solutions]; distinct and levels: expected true or false")
    ruled = build_instance(with_rules(whole.instance, rules), progress=progress, limits=bounds) if rules else whole
    placed = position_of(ruled, position or []).placed
    identity = [puzzle_of(question).digest, rules, sorted(placed)]
    key = json.dumps([*identity, distinct, levels], sort_keys=True)
    if key not in _listed:
        if (first := _first(ruled, placed, bounds, progress)) is not None:
            tell({"first": _on_board(whole, ruled, first)})
        listed = _list(ruled, placed, distinct, bounds, progress)
        listed = _by_level(ruled, listed, levels, bounds, progress) if levels is not False and may_hold(whole.puzzle) else listed
        _listed[key] = _listed[json.dumps([*identity, listed.distinct, listed.levels is not None], sort_keys=True)] = listed
    _listed.move_to_end(key)
    while len(_listed) > KEPT:
        _listed.popitem(last=False)
    return _listed[key], ruled


def _first(built: BuiltInstance, placed: Sequence[int], bounds: Limits, progress: Progress) -> Row | None:
    """Any solution that is found within ``STUDIO_FIRST_SECONDS``, by a randomised search."""
    quick = replace(bounds, seed=SEED, solutions=1).within(STUDIO_FIRST_SECONDS)
    with suppress(NotSupportedError, EndedError), closing(solutions(built, LISTING, quick, placed, progress=progress)) as stream:
        return next(iter(islice(stream, 1)), None)
    return None


def _list(built: BuiltInstance, placed: Sequence[int], distinct: bool | None, bounds: Limits, progress: Progress) -> Listed:
    """List the solutions, or number them without a list.

    By default symmetric solutions count as one if they can all be listed. If the solutions cannot be counted in time, the answer is those
    that were found.
    """
    if distinct is not False:
        listed = _distinct(built, placed, replace(bounds, solutions=None if distinct else MAX_UNASKED), progress, cut=bool(distinct))
        if listed.exact or distinct:
            return listed
    with suppress(NotSupportedError):
        within = bounds.within(STUDIO_LIST_SECONDS)
        numbered = number_solutions(built, None, within, placed, progress)
        if numbered.outcome.complete:
            return Listed(numbered.count, numbered.outcome.solver, lambda n: numbered.solution(n + 1), distinct=False)
    return _distinct(built, placed, bounds, progress, cut=True)


def _distinct(built: BuiltInstance, placed: Sequence[int], bounds: Limits, progress: Progress, *, cut: bool) -> Listed:
    """List one solution of each class under the symmetries; with ``cut`` those found in time."""
    outcome, rows = list_distinct(built, LISTING, bounds.within(STUDIO_LIST_SECONDS), placed, progress, cut=cut)
    return Listed(len(rows), LISTING, lambda n: _options(rows, n), exact=outcome.complete)


def _options(rows: Rows, number: int) -> Row:
    row = rows[number]
    return tuple(row[row >= 0].tolist())


def _by_level(built: BuiltInstance, listed: Listed, wanted: bool | None, bounds: Limits, progress: Progress) -> Listed:
    """Sort solutions by level, highest first; undecided solutions come last.

    By default this happens only if the solutions are few and all are decided in a short time.
    """
    if listed.total > (MAX_BY_LEVEL if wanted else FEW_BY_LEVEL):
        return listed
    within = bounds.within(STUDIO_LEVELS_SECONDS if wanted else STUDIO_UNASKED_SECONDS)
    rows = map(listed.find, range(listed.total))
    assemblies = [Assembly(built, n, row, answer) for n, row, answer in answers(bodies_of(built), rows, 1, within, progress=progress)]
    if not wanted and any(assembly.apart is None for assembly in assemblies):
        return listed
    assemblies.sort(key=lambda assembly: assembly.order)
    levels = [assembly.level if assembly.level is None or assembly.least else f"≤ {assembly.level}" for assembly in assemblies]
    return replace(listed, find=lambda n: assemblies[n].options, levels=levels)


def _on_board(whole: BuiltInstance, ruled: BuiltInstance, row: Row) -> list[int]:
    """A solution as placements of the puzzle without the requested rules, because rules may remove placements."""
    if ruled is whole or ruled.problem.options == whole.problem.options:
        return list(row)
    number = {name: n for n, name in enumerate(whole.problem.options)}
    return [number[ruled.problem.options[o]] for o in row]
