"""Data for drawing puzzles: ``grids`` answers questions about grids, forms and tiles, ``polyforms`` about sets of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from puzzlesat.base import PuzzleError, Sentence, data_files
from puzzlesat.pages.studio.gridview import colours_said, grid_as_json, grid_of, kit_of, models_as_json, rules_of, tiles_as_json
from puzzlesat.pages.studio.open import PACKAGE, PAGE, grid_said
from puzzlesat.pages.studio.painted import MAX_PAINTED, Painted, choices, form_picture, form_table, painted, read_form, tile_table
from puzzlesat.pages.studio.telling import Tell, whole_number
from puzzlesat.pictures import mark_colours, tile_svg
from puzzlesat.puzzles import AtomId, Form, Grid, Mark, Puzzle, atom_order, load_grid, polyforms, translate

Json = dict[str, Any]
REST = ("wrap", "border", "inner", "outer", "fixed")
"""Keys of a form that do not define its atoms."""


def answer_grids(question: Mapping[str, Any], tell: Tell) -> Json:
    """Answer a question of the page for drawing. Each kind of question has its own key.

    - ``{}`` returns all ``grids`` and ``models``.
    - ``{grid: GRID}`` returns the ``grid`` as ``grid_as_json`` makes it.
    - ``{read: TABLE}`` returns the ``grid``; the painted ``form`` (``atoms``, ``optional``, ``colours``, ``removed``); the ``tiles`` and
      their ``area``; the errors in form and tiles (``wrong``) and in the form alone (``wrong_form``); the ``rules`` for the tiles, with
      rules of the model; the colours of marks (``shades``) and the colours of pieces that a file defines (``shown``); and the ``choices``:
      rules on solutions that are meaningful for the puzzle.
    - ``{tile: ATOMS, on: GRID, marks: [[SIDE, FACE, NAME]], colours: [[ATOM, NAME]]}`` returns the ``tile`` as an entry of a file.
    - ``{write: TABLE, form: …}`` returns the ``form`` as an entry of a file, and the translation that was applied to it (``moved``).
    - ``{picture: PAINTED, on: GRID}`` returns the text ``picture`` of a painted form, or None if glyphs cannot express it.
    - ``{order: TABLE}`` returns the atoms of the form in the ``order`` of an argument's weights.

    A GRID is the name of a grid of the package, or the table of a custom grid. Raises PuzzleError.
    """
    if "write" in question:
        return _write(_table(question["write"]), _table(question.get("form")))
    if "picture" in question:
        grid = grid_said(question.get("on"))
        return {"picture": form_picture(grid, _painted(grid, _table(question["picture"])))}
    if "order" in question:
        return {"order": [list(a) for a in sorted(_form(_table(question["order"])).atoms, key=atom_order)]}
    if "read" in question:
        return _read(_table(question["read"]))
    if "grid" in question:
        return {"grid": grid_as_json(grid_said(question["grid"]))}
    if "tile" in question:
        grid = grid_said(question.get("on"))
        return {
            "tile": tile_table(
                grid, _atoms(grid, question["tile"]), marks=_marks(grid, question), colours=_coloured(grid, question.get("colours"))
            )
        }
    grids = [load_grid(path) for path in data_files("grids")]
    return {
        "grids": [
            {"name": g.name, "title": g.title, "dimension": g.dimension, "marks": any(a.role == "mark" for a in g.atoms)} for g in grids
        ],
        "models": models_as_json(),
    }


def _read(table: Mapping[str, Any]) -> Json:
    grid = grid_of(table)
    wrong: list[str] = []
    of_form: list[str] = []
    found: Json = {
        "grid": grid_as_json(grid),
        "rules": rules_of(table),
        "shown": colours_said(table),
        "tiles": [],
        "area": [0, 0],
        "form": {"atoms": [], "optional": [], "colours": [], "removed": []},
    }
    try:
        kit, offered = Puzzle(grid, (), Form((), ())), list[str]()
        if any(table.get(key) for key in ("model", "generate", "tiles")):
            instance = kit_of(table)
            kit, offered = instance.puzzle, [*(key for rules in choices(instance) for key in rules), "holds"]
        found |= {"tiles": tiles_as_json(kit), "area": list(kit.covered()), "flips": kit.mirrored_same}
        found |= {"marks": sorted(kit.mates), "fits": sorted({c for on in kit.fits.values() for c in on}), "shades": mark_colours(kit)}
        found["choices"] = offered
    except PuzzleError as error:
        wrong += error.problems
    form = table.get("form") or {}
    if form:
        try:
            found["form"] = _as_json(painted(grid, _form(table), form))
        except PuzzleError as error:
            of_form += error.problems
    return {**found, "wrong": [*wrong, *of_form], "wrong_form": of_form}


def _write(table: Mapping[str, Any], form: Mapping[str, Any]) -> Json:
    grid = grid_of(table)
    rest = {key: value for key, value in (table.get("form") or {}).items() if key in REST}
    stays = bool(rest.get("fixed") or table.get("conditions") or form.get("stays"))
    written, moved = form_table(grid, _painted(grid, form), rest, stays=stays)
    if rest:  # check that these keys do not contradict the painted atoms
        _form({**table, "form": written})
    return {"form": written, "moved": list(moved)}


def _form(table: Mapping[str, Any]) -> Form:
    named = table.get("model")
    may_cross = bool(table.get("may_cross", False if named is None else PACKAGE.model(str(named), PAGE)[0].may_cross))
    return read_form(
        grid_of(table), table.get("form") or {}, may_cross=may_cross
    )  # unless tiles may cross, crossings are atoms of the form


def _as_json(paint: Painted) -> Json:
    def lists(atoms: Iterable[AtomId]) -> list[list[int]]:
        return [list(a) for a in sorted(atoms)]

    colours = [[list(a), name] for a, name in sorted(paint.colours.items())]
    return {"atoms": lists(paint.atoms), "optional": lists(paint.optional), "colours": colours, "removed": lists(paint.removed)}


def _painted(grid: Grid, form: Mapping[str, Any]) -> Painted:
    """Return a painted form. Raises PuzzleError for atoms that cannot be painted on the grid."""
    atoms = _atoms(grid, form.get("atoms"))
    if wrong := [a for a in atoms if grid.atoms[a[-1]].kind != grid.main_kind]:
        raise PuzzleError(f"form: {min(wrong)} is not an atom that you can paint")
    named = _coloured(grid, form.get("colours"))
    coloured = atoms & named.keys()
    return Painted(atoms, _atoms(grid, form.get("optional")) & atoms, {a: named[a] for a in coloured}, _atoms(grid, form.get("removed")))


def _coloured(grid: Grid, colours: object) -> dict[AtomId, str]:
    """Return the colours of atoms. Raises PuzzleError if the list is malformed."""
    colours = [] if colours is None else colours
    if not isinstance(colours, list) or not all(isinstance(c, list) and len(c) == 2 and isinstance(c[1], str) for c in colours):
        raise PuzzleError("colours: expected pairs of an atom and a colour")
    return {next(iter(_atoms(grid, [atom]))): name for atom, name in colours}


def _marks(grid: Grid, question: Mapping[str, Any]) -> list[Mark]:
    """Return the marks of a tile. Raises PuzzleError if the list is malformed."""
    marks = question.get("marks") or []
    if not isinstance(marks, list) or not all(isinstance(m, list) and len(m) == 3 and isinstance(m[2], str) for m in marks):
        raise PuzzleError("marks: expected lists of a side, a face and the name of a mark")
    return [Mark(next(iter(_atoms(grid, [side]))), next(iter(_atoms(grid, [face]))), name) for side, face, name in marks]


def _atoms(grid: Grid, lists: object) -> frozenset[AtomId]:
    """Return the atoms in a list. Raises PuzzleError if it contains anything but atoms of the grid."""
    lists = [] if lists is None else lists
    if not isinstance(lists, list) or len(lists) > MAX_PAINTED:
        raise PuzzleError(f"form: expected a list of atoms, {MAX_PAINTED:,} at most")
    width = grid.dimension + 1
    for atom in lists:
        is_atom = isinstance(atom, list) and len(atom) == width and all(type(x) is int and abs(x) < 10**6 for x in atom)
        if not is_atom or not 0 <= atom[-1] < len(grid.atoms):
            raise PuzzleError(f"form: {str(atom)[:60]} is no atom of grid {grid.name!r}")
    return frozenset(map(tuple, lists))


def _table(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PuzzleError("expected a table")
    return value


KINDS = ("free", "one_sided", "fixed")
LARGEST, USUAL = 9, 5
MAX_POLYFORMS = 1500
"""Largest number of polyforms that are drawn at once; there are 1,285 nonominoes."""


def answer_polyforms(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Answer ``{grid, kind, n}`` with ``{tiles: [{name, atoms, svg}]}``. Raises PuzzleError for an unknown kind or too many polyforms."""
    kind, size = question.get("kind", "free"), whole_number(question, "n", 1, LARGEST, USUAL)
    if kind not in KINDS:
        raise PuzzleError(f"polyforms: there is no kind {str(kind)[:40]!r}; it is one of {', '.join(KINDS)}")
    grid = grid_said(question.get("grid"))
    shapes = polyforms(grid, size, kind)
    if len(shapes) > MAX_POLYFORMS:
        message = "there are {n} polyforms of {size} cells; a set can have at most {most}"
        raise PuzzleError(Sentence(message, n=len(shapes), size=size, most=MAX_POLYFORMS))
    return {
        "tiles": [
            {"name": name, "atoms": [[*translate(a, (1,) * grid.dimension)] for a in atoms], "svg": tile_svg(grid, name, atoms, number)}
            for number, (name, atoms) in enumerate(shapes.items())
        ]
    }
