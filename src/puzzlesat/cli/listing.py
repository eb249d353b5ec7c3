"""``puzzlesat list``: what comes with the package."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from rich.console import Console

from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.terminal import console, print_table, say
from puzzlesat.config.package import grid_files, instance_files, model_files
from puzzlesat.config.read import read_grid, read_instance, read_model
from puzzlesat.config.schema import GridFile, InstanceFile, ModelFile, name_of_grid
from puzzlesat.counting.verdict import CONVENTIONS
from puzzlesat.errors import PuzzleError, listed, many

TABLES = ("grids", "models", "instances")
"""Words that show all of a kind."""
BEGIN = ("soma", "tritetratan", "pentominoes-6x10", "absolut-knifflig")
"""What a newcomer may look at first."""


@dataclass(frozen=True)
class Package:
    """Everything that comes with the package, or what of it has a word."""

    grids: Sequence[tuple[str, GridFile]]
    models: Sequence[tuple[str, ModelFile]]
    instances: Sequence[tuple[Path, InstanceFile]]

    @cached_property
    def families(self) -> dict[str, list[tuple[Path, InstanceFile]]]:
        """The instances of each family, by its name."""
        return {name: list(group) for name, group in groupby(self.instances, lambda entry: entry[0].parent.name)}

    def grid_of(self, instance: InstanceFile) -> str:
        """Return the name of an instance's grid."""
        return name_of_grid(instance.grid or dict(self.models)[instance.model or ""].grid)

    def having(self, word: str) -> Package:
        """Return what has a word in its name, family, grid or title."""

        def has(*texts: str | None) -> bool:
            return any(word.casefold() in text.casefold() for text in texts if text)

        return Package(
            [(n, g) for n, g in self.grids if has(n, g.title)],
            [(n, m) for n, m in self.models if has(n, m.title, name_of_grid(m.grid))],
            [(f, i) for f, i in self.instances if has(f.stem, f.parent.name, i.title, i.model, self.grid_of(i))],
        )


def run_list(word: str | None, *, as_json: bool) -> int:
    """Print the families; one family; all grids, models or instances; or what has ``word`` in a name or the title."""
    package = Package(
        [(file.stem, read_grid(file)) for file in grid_files()],
        [(file.stem, read_model(file)) for file in model_files()],
        [(file, read_instance(file)) for file in instance_files()],
    )
    shown = package if word is None else package.having(word)
    is_table = word in TABLES and not as_json
    if not (is_table or shown.grids or shown.models or shown.instances):
        raise PuzzleError(f"nothing has {word!r} in its name, family, grid or title; 'puzzlesat list' shows all families")
    if as_json:
        _print_json(shown)
        return DONE
    out = console()
    if word is None:
        _print_families(out, package)
    elif is_table:
        _print_tables(out, package, [word])
    elif word.casefold() in package.families:
        _print_family(out, package, word.casefold())
    else:
        _print_tables(out, shown, TABLES)
    return DONE


def _print_families(out: Console, package: Package) -> None:
    """The families by grid, those in the plane first, and how to go on."""
    say(out, f"{many(len(package.instances), 'puzzle')} in {many(len(package.families), 'family', 'families')}. To see more:")
    for command, what in (
        ("list FAMILY", "the puzzles of a family, with their known counts"),
        ("list WORD", "what has a word in its name, family, grid or title"),
        (f"list {'|'.join(TABLES)}", "all of them"),
        ("show PUZZLE", f"the pieces and the form of one; some to begin with: {', '.join(BEGIN)}"),
    ):
        say(out, f"  puzzlesat {command:<27} {what}", hang=40 if out.width > 60 else 4)
    grids = dict(package.grids)
    by_grid: dict[str, list[str]] = {}
    for family, instances in package.families.items():
        used = {package.grid_of(i) for _, i in instances}
        by_grid.setdefault(used.pop() if len(used) == 1 else "", []).append(family)
    for grid in sorted(
        by_grid, key=lambda g: (not g, g and len(grids[g].gram), g and grids[g].atoms[0].kind != "face", -len(by_grid[g]), g)
    ):
        out.print()
        say(out, f"{grids[grid].title}  (grid {grid})" if grid else "Several grids", style="bold")
        rows = [(name, f"{len(package.families[name]):>3}", _what(package, name)) for name in by_grid[grid]]
        print_table(out, None, rows, widths=(max(map(len, package.families)), 3))


def _print_family(out: Console, package: Package, family: str) -> None:
    """One family: its tiles and grids, and its puzzles."""
    instances = package.families[family]
    models = [m for m in dict.fromkeys(i.model for _, i in instances) if m]
    grids = dict.fromkeys(package.grid_of(i) for _, i in instances)
    say(out, f"{_what(package, family)}  (family {family})", style="bold")
    if models:
        say(out, f"{many(len(models), 'model')[2 if len(models) == 1 else 0 :]}: {', '.join(models)}", hang=4)
    say(out, f"{'grid' if len(grids) == 1 else 'grids'}: {', '.join(grids)}", hang=4)
    out.print()
    print_table(out, ("puzzle", "known counts", "title"), [(f.stem, _known(i), i.title) for f, i in instances])
    others = [name for name in package.having(family).families if name != family]
    if others:
        out.print()
        say(out, f"More puzzles have {family!r} in their name, grid or title, in {listed(others, 8)}.")


def _print_tables(out: Console, shown: Package, which: Iterable[str]) -> None:
    tables: dict[str, Callable[[], tuple[Sequence[str], list[tuple[str, ...]]]]] = {
        "grids": lambda: (("grid", "title"), [(name, grid.title) for name, grid in shown.grids]),
        "models": lambda: (("model", "grid", "title"), [(name, name_of_grid(model.grid), model.title) for name, model in shown.models]),
        "instances": lambda: (
            ("instance", "family", "known counts", "title"),
            [(file.stem, file.parent.name, _known(instance), instance.title) for file, instance in shown.instances],
        ),
    }
    first = True
    for name in which:
        headings, rows = tables[name]()
        if rows:
            if not first:
                out.print()
            print_table(out, headings, rows)
            first = False


def _what(package: Package, family: str) -> str:
    """What a family holds: its tiles, where its instances take them from models; else its puzzles."""
    titles = dict(package.models)
    instances = [i for _, i in package.families[family]]
    models = list(dict.fromkeys(titles[i.model].title for i in instances if i.model))
    return "; ".join(models) if models else listed((i.title for i in instances), 3)


def _print_json(shown: Package) -> None:
    for name, grid in shown.grids:
        print(jsonlib.dumps({"grid": name, "title": grid.title}, ensure_ascii=False))
    for name, model in shown.models:
        print(jsonlib.dumps({"model": name, "title": model.title, "grid": name_of_grid(model.grid)}, ensure_ascii=False))
    for file, instance in shown.instances:
        print(jsonlib.dumps(_as_json(file, instance), ensure_ascii=False))


def _as_json(file: Path, instance: InstanceFile) -> dict[str, object]:
    counts = {c: v for c in CONVENTIONS if (v := getattr(instance.expect, c)) is not None}
    return {"instance": file.stem, "family": file.parent.name, "title": instance.title, "model": instance.model, "expect": counts}


def _known(instance: InstanceFile) -> str:
    return ", ".join(f"{c.replace('_', ' ')} {v:,}" for c in CONVENTIONS[:3] if (v := getattr(instance.expect, c)) is not None)
