"""The board of a page that its reader can play, with the solutions in the page: no server is asked."""

from __future__ import annotations

from html import escape

from puzzlesat.cover.instance import BuiltInstance
from puzzlesat.draw.page.board import board_as_json
from puzzlesat.draw.page.contents import Contents
from puzzlesat.draw.page.parts import Part, folding
from puzzlesat.draw.page.template import inside_script

OF_BOARDS = ("elements.js", "boardwords.js", "lookup.js", "table.js", "moment.js", "tray.js", "drag.js", "board.js", "offline.js")
"""The modules of a board that is played without a server, each after those from which it imports."""
PLAYED = (*OF_BOARDS, "wording.js", "playable.js")
"""The same, with that which begins where a page has boards."""
MOST_PLACEMENTS = 50_000
"""Placements up to which a page has room for a board."""


def play_section(contents: Contents) -> Part | None:
    """Return the part of a report in which the puzzle is played; None where no solution is known, or the board would be too large."""
    if not len(contents.gallery.rows) or len(contents.report.built.placements) > MOST_PLACEMENTS:
        return None
    inside = (
        '<p class="soft screen">Drag the pieces, or choose one and tap a place. R turns, F flips, Ctrl+Z takes back a step; '
        "by keyboard, Enter picks up and puts down, and arrow keys move.</p>\n"
        '<div class="playable"><p class="soft">This part needs a browser that runs the script in this page.</p></div>'
    )
    return folding("play", "Play", escape("Play it yourself"), inside)


def board_data(built: BuiltInstance) -> str:
    """Return the element with the data of the board."""
    board = board_as_json(built, name=built.instance.name, title=built.instance.title)
    return f'<script type="application/json" id="board">{inside_script(board)}</script>\n'
