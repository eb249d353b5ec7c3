"""``puzzlesat common``: the smallest form that each of some tiles fills with copies of itself."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from itertools import combinations
from math import lcm
from pathlib import Path

from rich.console import Console

from puzzlesat.candidates.common import Common, in_the_form, smallest_common
from puzzlesat.candidates.kit import Kit, load_kit, refs
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.output import check_apart, check_output, stays
from puzzlesat.cli.terminal import console, print_picture, print_table, say, say_error, stoppable
from puzzlesat.cli.working import working
from puzzlesat.draw.page.sets import common_html
from puzzlesat.draw.text import SolutionPictures
from puzzlesat.errors import PuzzleError, many
from puzzlesat.files import write_text
from puzzlesat.solvers.run import EndedError, ended_words


def run_common(
    name: str, given: Sequence[str], most: int, bounds: Bounds, sheet: Path | None, *, problem: int | str | None, as_json: bool
) -> int:
    """Look for a common form of some tiles, or of each pair, and say what was found; return the exit status."""
    check_output(sheet, ".html")
    check_apart(name, sheet)
    if len(given) == 1:
        raise PuzzleError(f"{given[0]}: name a second tile, or none for all pairs")
    kit = load_kit(name, some=True, problem=problem)
    asked = [tuple(given)] if given else list(combinations([tile.name for tile in kit.tiles], 2))
    found: list[Common] = []
    with stoppable() as stop:
        for names in asked:
            try:
                with working(" ".join(names), bounds, stop=stop) as (limits, told):
                    one = smallest_common(kit, names, most, limits, progress=told)
            except EndedError as ended:
                say_error(f"puzzlesat: {' '.join(names)}: {ended_words(ended)}")
                one = Common(names, None, 0)
            if stop.is_set():
                say_error("puzzlesat: interrupted")
                break
            found.append(one)
            if as_json:
                print(jsonlib.dumps(_as_json(kit, one), ensure_ascii=False), flush=True)
    whole = len(found) == len(asked) and all(one.area is not None or one.none_to == _last(kit, one, most) for one in found)
    if not as_json:
        _print(console(), kit, found, most)
    if sheet is not None and not stays(sheet, stopped=not whole):
        write_text(sheet, common_html(kit.title, [in_the_form(kit, one) for one in found if one.area is not None]))
    return DONE if whole else STOPPED_EARLY


def _last(kit: Kit, found: Common, most: int) -> int:
    """The largest area up to ``most`` that copies of each tile can have."""
    step = lcm(*(len(tile.atoms) for tile in kit.tiles if tile.name in found.tiles))
    return most - most % step


def _as_json(kit: Kit, found: Common) -> dict[str, object]:
    pictures = [] if found.area is None else in_the_form(kit, found)
    return {
        "tiles": list(found.tiles),
        "area": found.area,
        "none_to": found.none_to,
        "atoms": None if found.area is None else refs(kit.grid, [face for copy in found.fillings[0] for face in copy]),
        "fillings": [[built.placements[o].name for o in row] for built, row in pictures],
    }


# what is shown ---------------------------------------------------------------------------------------------------------------


def _print(out: Console, kit: Kit, found: Sequence[Common], most: int) -> None:
    if len(found) == 1:
        _print_one(out, kit, found[0], most)
        return
    known = {frozenset(one.tiles): one for one in found}
    names = [tile.name for tile in kit.tiles]
    rows = [[one, *(_cell(known.get(frozenset((one, other)))) for other in names), ""] for one in names]
    print_table(out, ("", *names, ""), rows)
    say(out, f"faces of the smallest form that both fill; >{most}: there is none of so many faces or fewer", style="dim")
    if open_ := [" ".join(one.tiles) for one in found if one.area is None and one.none_to < _last(kit, one, most)]:
        say(out, f"not gone through up to {most} in the time there was: {many(len(open_), 'pair')} (--time gives more)", style="dim")


def _cell(found: Common | None) -> str:
    """What a table says of a pair."""
    return "" if found is None else f">{found.none_to}" if found.area is None else str(found.area)


def _print_one(out: Console, kit: Kit, found: Common, most: int) -> None:
    """What was found out about one choice of tiles, with the fillings."""
    names = " and ".join(found.tiles)
    if found.area is None:
        ended = found.none_to < _last(kit, found, most)
        say(out, f"{names}: no common form of {found.none_to} faces or fewer" + (", and then time was up" if ended else ""), style="bold")
        return
    before = "the smallest that is possible" if not found.none_to else f"there is none of {found.none_to} or fewer"
    say(out, f"{names}: a common form of {found.area} faces; {before}", style="bold")
    for name, copies, (built, row) in zip(found.tiles, found.fillings, in_the_form(kit, found), strict=True):
        say(out, f"{len(copies)}×{name}")
        print_picture(out, SolutionPictures(built).plain(row), "--sheet FILE draws it")
