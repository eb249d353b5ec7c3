"""``puzzlesat list``: what comes with the package."""

from __future__ import annotations

import json as jsonlib

from rich.table import Table

from puzzlesat.cli.terminal import console
from puzzlesat.config.library import instance_files, model_files
from puzzlesat.config.read import read_instance, read_model
from puzzlesat.verdict import CONVENTIONS


def run_list(as_json: bool) -> int:
    """Print models and instances with their titles and known counts."""
    models = [(file.stem, read_model(file)) for file in model_files()]
    instances = [(file, read_instance(file)) for file in instance_files()]
    if as_json:
        for name, model in models:
            print(jsonlib.dumps({"model": name, "title": model.title, "grid": model.grid}, ensure_ascii=False))
        for file, instance in instances:
            counts = {c: v for c in CONVENTIONS if (v := getattr(instance.expect, c)) is not None}
            entry = {"instance": file.stem, "family": file.parent.name, "title": instance.title, "model": instance.model, "expect": counts}
            print(jsonlib.dumps(entry, ensure_ascii=False))
        return 0
    out = console()
    table = Table(box=None, pad_edge=False, title="models", title_justify="left", title_style="bold")
    for heading in ("model", "grid", "title"):
        table.add_column(heading, header_style="dim")
    for name, model in models:
        table.add_row(name, model.grid, model.title)
    out.print(table)
    out.print()
    table = Table(box=None, pad_edge=False, title="instances", title_justify="left", title_style="bold")
    for heading in ("family", "instance", "title", "known counts"):
        table.add_column(heading, header_style="dim")
    for file, instance in instances:
        known = ", ".join(f"{c.replace('_', ' ')} {v:,}" for c in CONVENTIONS[:3] if (v := getattr(instance.expect, c)) is not None)
        table.add_row(file.parent.name, file.stem, instance.title, known)
    out.print(table)
    return 0
