"""``puzzlesat site``: the studio's page as files that anyone can open."""

from __future__ import annotations

from pathlib import Path

from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.terminal import console, say, say_error
from puzzlesat.cli.working import working
from puzzlesat.site.writing import write_site
from puzzlesat.version import VERSION


def run_site(folder: Path, puzzles: list[str], bounds: Bounds) -> int:
    """Write the site; return the exit status."""
    with working("site", bounds) as (limits, told):
        made = write_site(folder, puzzles, limits, told, version=VERSION)
    for name, why in made.left_out:
        say_error(f"puzzlesat: {name} is left out: {why}")
    if made.why is not None:
        say_error(f"puzzlesat: {made.why}")
    if made.puzzles:
        say(console(), made.sentence)
    return DONE if made.complete else STOPPED_EARLY
