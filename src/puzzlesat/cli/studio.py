"""``puzzlesat studio``: serve the studio's page to a browser, until Ctrl-C. ``puzzlesat site``: write this page as files."""

from __future__ import annotations

import json
import webbrowser
import zlib
from base64 import urlsafe_b64encode
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from puzzlesat.base import PuzzleError
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.terminal import console, say, say_error, stoppable
from puzzlesat.formats import raw_tables_in
from puzzlesat.pages import Site
from puzzlesat.puzzles import is_file, kind_of_table

LIBRARIES = ("starlette", "uvicorn")


def run_studio(puzzle: str | None, *, port: int | None, browser: bool) -> int:
    """Serve the page until Ctrl-C; return the exit status."""
    if missing := [name for name in LIBRARIES if find_spec(name) is None]:
        raise PuzzleError(f'the studio needs {" and ".join(missing)}: pip install "puzzlesat[studio]"')
    from puzzlesat.pages import serve

    view = "play"
    if puzzle is not None:
        tables = raw_tables_in(puzzle)  # report an unreadable file before the page opens
        view = "draw" if [kind_of_table(table) for _, table, _ in tables] == ["grid"] else view
    named = Path(puzzle).resolve() if puzzle is not None and is_file(puzzle) else None

    def begun(address: str) -> None:
        address += _state(puzzle, named, view)
        out = console()
        print(address, flush=True)
        say(out, "The studio is at this address, for this machine alone; end it with Ctrl-C.")
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with stoppable() as stop:
        serve(port, named, begun, stop)
    return DONE


def _state(puzzle: str | None, named: Path | None, view: str) -> str:
    """Return the fragment of the address with the puzzle to open, in the encoding of the page."""
    if puzzle is None:
        return ""
    state = json.dumps({"name": puzzle if named is None else named.name, "view": view}, ensure_ascii=False)
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return "#p=" + urlsafe_b64encode(packed.compress(state.encode()) + packed.flush()).rstrip(b"=").decode("ascii")


def say_site(made: Site) -> int:
    """Print what was written, and which puzzles could not be; return the exit status."""
    for name, why in made.left_out:
        say_error(f"puzzlesat: {name} is left out: {why}")
    if made.why is not None:
        say_error(f"puzzlesat: {made.why}")
    if made.puzzles:
        say(console(), made.sentence)
    return DONE if made.complete else STOPPED_EARLY
