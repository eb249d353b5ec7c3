"""What a page needs to draw solutions in text, as the program does (``play/picture.py``, ``draw/letters.py``)."""

from __future__ import annotations

from typing import Any

from puzzlesat.cover.build import Built
from puzzlesat.draw.letters import spare_letters, tile_letters
from puzzlesat.draw.places import canvas_of
from puzzlesat.errors import PuzzleError
from puzzlesat.grid.picture import empty_place


def text_as_json(built: Built) -> dict[str, Any] | None:
    """Return how large the picture is, where it draws each atom (-1: nowhere), and the letters of the tiles; None for a grid without."""
    try:
        canvas = canvas_of(built)
    except PuzzleError:
        return None
    places = [canvas.place.get(atom) for atom in built.puzzle.form.numbering.atoms]
    return {
        "layers": canvas.layers,
        "rows": canvas.rows,
        "columns": canvas.columns,
        "places": [-1 if at is None else (at[0] * canvas.rows + at[1]) * canvas.columns + at[2] for at in places],
        "empty": empty_place(built.puzzle.grid),
        "letters": tile_letters(built.puzzle),
        "spare": "".join(spare_letters(built.puzzle)),
    }
