"""``puzzlesat list``: what comes with the package."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from puzzlesat.cli.terminal import console
from puzzlesat.config.library import grid_files, instance_files, model_files
from puzzlesat.config.read import read_grid, read_instance, read_model
from puzzlesat.config.schema import InstanceFile
from puzzlesat.errors import PuzzleError
from puzzlesat.verdict import CONVENTIONS

LEAST_TITLE = 20
"""Columns of a title that are shown however narrow the terminal is."""


def run_list(word: str | None, as_json: bool) -> int:
    """Print grids, models and instances with their titles and known counts; with ``word`` those that have it in a name or the title."""
    grids = [(file.stem, read_grid(file)) for file in grid_files()]
    models = [(file.stem, read_model(file)) for file in model_files()]
    instances = [(file, read_instance(file)) for file in instance_files()]
    grid_of = {name: model.grid for name, model in models}
    if word is not None:

        def has(*texts: str | None) -> bool:
            return any(word.casefold() in text.casefold() for text in texts if text)

        grids = [(n, g) for n, g in grids if has(n, g.title)]
        models = [(n, m) for n, m in models if has(n, m.title, m.grid)]
        instances = [(f, i) for f, i in instances if has(f.stem, f.parent.name, i.title, i.model, i.grid or grid_of.get(i.model or ""))]
        if not (grids or models or instances):
            raise PuzzleError(f"nothing has {word!r} in its name, family, grid or title; 'puzzlesat list' shows all")
    if as_json:
        for name, grid in grids:
            print(jsonlib.dumps({"grid": name, "title": grid.title}, ensure_ascii=False))
        for name, model in models:
            print(jsonlib.dumps({"model": name, "title": model.title, "grid": model.grid}, ensure_ascii=False))
        for file, instance in instances:
            print(jsonlib.dumps(_as_json(file, instance), ensure_ascii=False))
        return 0
    out = console()
    _print(out, ("grid", "title"), [(name, grid.title) for name, grid in grids])
    _print(out, ("model", "grid", "title"), [(name, model.grid, model.title) for name, model in models])
    rows = [(file.stem, file.parent.name, _known(instance), instance.title) for file, instance in instances]
    _print(out, ("instance", "family", "known counts", "title"), rows)
    return 0


def _as_json(file: Path, instance: InstanceFile) -> dict[str, object]:
    counts = {c: v for c in CONVENTIONS if (v := getattr(instance.expect, c)) is not None}
    return {"instance": file.stem, "family": file.parent.name, "title": instance.title, "model": instance.model, "expect": counts}


def _known(instance: InstanceFile) -> str:
    return ", ".join(f"{c.replace('_', ' ')} {v:,}" for c in CONVENTIONS[:3] if (v := getattr(instance.expect, c)) is not None)


def _print(out: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table. Only titles, which stand last, are shortened, and only on a terminal."""
    if not rows:
        return
    widths = [max(len(row[i]) for row in (headings, *rows)) for i in range(len(headings) - 1)]
    room = max(LEAST_TITLE, out.width - sum(widths) - 2 * len(widths)) if out.is_terminal else None
    for number, row in enumerate((headings, *rows)):
        title = row[-1] if room is None or len(row[-1]) <= room else row[-1][: room - 1] + "…"
        line = "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), title])
        out.print(Text(line, style="bold" if number == 0 else ""), soft_wrap=True)
    out.print()
