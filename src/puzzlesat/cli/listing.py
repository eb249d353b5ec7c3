"""``puzzlesat list``: list the puzzles of the package, or search them by a word.

The search ignores case, accents and hyphens. If nothing matches, it corrects typing errors by the similarity of words (rapidfuzz).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from puzzlesat import puzzles
from puzzlesat.base import PuzzleError, data_files, kept, listed, many
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.terminal import console, print_json, print_table, say, say_error
from puzzlesat.puzzles import other_names

if TYPE_CHECKING:
    from rich.console import Console

MIN_SIMILARITY = 78
"""Minimum similarity, in percent, at which a word counts as a misspelling of another word."""
MAX_NEAREST = 3
"""Number of names that are suggested if no word is similar enough."""
MIN_FORGIVEN_LETTERS = 4
"""Minimum length of a word whose typing errors are corrected: shorter words are similar to too many others."""


def folded(text: str) -> str:
    """Return a text in the form that is compared: lower case without accents, and one blank between words."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", plain))


def has(word: str, *texts: str | None) -> bool:
    """Return True if a folded word occurs in one of the texts. Several words match with and without the blanks between them."""
    ways = {word, word.replace(" ", "")}
    return any(way in folded(text) for text in texts if text for way in ways)


def meant(word: str, texts: Iterable[str]) -> str | None:
    """Return the words in the texts that ``word`` misspells; None if no words are similar enough."""
    from rapidfuzz import fuzz, process

    if len(folded(word)) < MIN_FORGIVEN_LETTERS:
        return None
    phrases = _phrases(texts, len(folded(word).split()))
    best = process.extractOne(folded(word), phrases.keys(), scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY)
    return None if best is None else phrases[best[0]]


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that are most similar to a word, at any similarity."""
    from rapidfuzz import fuzz, process

    by_folded = {folded(name): name for name in names}
    return [by_folded[name] for name, _, _ in process.extract(folded(word), by_folded.keys(), scorer=fuzz.WRatio, limit=MAX_NEAREST)]


def _phrases(texts: Iterable[str], length: int) -> Mapping[str, str]:
    """Return the folded texts, and all folded sequences of ``length`` words in them, each with its original spelling."""
    known: dict[str, str] = {}
    for text in texts:
        known.setdefault(folded(text), text)
        words = re.findall(r"\w+", text)
        for first in range(len(words) - length + 1):
            phrase = " ".join(words[first : first + length])
            known.setdefault(folded(phrase), phrase)
    return known


TABLES = ("grids", "models", "instances")
"""Arguments of ``list`` that list everything of one kind."""
Names = Mapping[str, Sequence[str]]
NOTHING: Names = MappingProxyType({})
BEGIN = ("soma", "tritetratan", "pentominoes-6x10", "absolut-knifflig")
"""Puzzles that the overview suggests to newcomers."""


class GridEntry(NamedTuple):
    """A grid of the package."""

    title: str
    dimension: int
    of_faces: bool


class ModelEntry(NamedTuple):
    """A model of the package."""

    title: str
    source: str
    grid_name: str


class InstanceEntry(NamedTuple):
    """An instance of the package."""

    title: str
    model: str | None
    grid_name: str | None
    figures: list[tuple[str, int]]


@dataclass(frozen=True)
class Package:
    """The grids, models and instances of the package, or the subset that matches a word."""

    grids: Sequence[tuple[str, GridEntry]]
    models: Sequence[tuple[str, ModelEntry]]
    instances: Sequence[tuple[Path, InstanceEntry]]
    also: Names
    """Other names of models, families and instances, such as names in shops."""

    @cached_property
    def families(self) -> dict[str, list[tuple[Path, InstanceEntry]]]:
        """The instances of each family, by its name."""
        return {name: list(group) for name, group in groupby(self.instances, lambda entry: entry[0].parent.name)}

    def grid_of(self, instance: InstanceEntry) -> str:
        """Return the name of an instance's grid."""
        return instance.grid_name or dict(self.models)[instance.model or ""].grid_name

    def having(self, word: str, like: Names = NOTHING) -> Package:
        """Return the entries with a word in their name, family, grid, title, maker or other names.

        ``like`` has names of puzzles that are not in the package, for similar entries of it.
        """
        sought, makers = folded(word), {name: model.source for name, model in self.models}

        def own(name: str) -> tuple[str, ...]:
            return (name, *self.also.get(name, ()), *like.get(name, ()))

        return replace(
            self,
            grids=[(n, g) for n, g in self.grids if has(sought, n, g.title)],
            models=[(n, m) for n, m in self.models if has(sought, *own(n), m.title, m.source, m.grid_name)],
            instances=[
                (f, i)
                for f, i in self.instances
                if has(sought, *own(f.stem), *own(f.parent.name), i.title, i.model, makers.get(i.model or ""), self.grid_of(i))
            ],
        )

    @property
    def empty(self) -> bool:
        """True if there are no entries."""
        return not (self.grids or self.models or self.instances)

    def texts(self, like: Names) -> Iterator[str]:
        """Yield every text that ``having`` searches."""
        for name, grid in self.grids:
            yield from (name, grid.title)
        for name, model in self.models:
            yield from (name, model.title, model.source)
        for file, instance in self.instances:
            yield from (file.stem, file.parent.name, instance.title)
        for names in (self.also, like):
            yield from chain.from_iterable(names.values())


def run_list(word: str | None, *, as_json: bool) -> int:
    """Print all families, one family, all entries of one kind, or the entries that match ``word``; return the exit status."""
    grids, models, instances = data_files("grids"), data_files("models"), data_files("instances")
    package = Package(*kept("list", [*grids, *models, *instances], lambda: _entries(grids, models, instances)), other_names().also)
    is_table = word in TABLES and not as_json
    shown, word = (package, word) if word is None or is_table else _found(package, word)
    if as_json:
        _print_json(shown)
        return DONE
    out = console()
    if word is None:
        _print_families(out, package)
    elif is_table:
        _print_tables(out, package, [word])
    elif (family := _family(package, shown, word)) is not None:
        _print_family(out, package, family, word)
    else:
        _print_tables(out, shown, TABLES)
    return DONE


def _entries(
    grids: Sequence[Path], models: Sequence[Path], instances: Sequence[Path]
) -> tuple[list[tuple[str, GridEntry]], list[tuple[str, ModelEntry]], list[tuple[Path, InstanceEntry]]]:
    """Read the files of the package."""

    def grid(file: Path) -> GridEntry:
        file_of_grid = puzzles.validated(puzzles.GridFile, puzzles.read_table(file), file)
        return GridEntry(file_of_grid.title, len(file_of_grid.gram), file_of_grid.atoms[0].kind == "face")

    def model(file: Path) -> ModelEntry:
        file_of_model = puzzles.validated(puzzles.ModelFile, puzzles.read_table(file), file)
        return ModelEntry(file_of_model.title, file_of_model.source, file_of_model.grid_name)

    def instance(file: Path) -> InstanceEntry:
        file_of_instance = puzzles.validated(puzzles.InstanceFile, puzzles.read_table(file), file)
        return InstanceEntry(file_of_instance.title, file_of_instance.model, file_of_instance.grid_name, file_of_instance.expect.figures)

    return [(f.stem, grid(f)) for f in grids], [(f.stem, model(f)) for f in models], [(f, instance(f)) for f in instances]


def _found(package: Package, word: str) -> tuple[Package, str]:
    """Return the entries that match a word, and the word after correction, which is printed on standard error if it differs.

    Raises PuzzleError with the most similar names if no entry matches.
    """
    like = other_names().like
    if not folded(word):
        raise PuzzleError(f"no puzzle matches {word!r}; type a part of a name, such as 'soma', or 'puzzlesat list' for all families")
    for sought in (word, meant(word, package.texts(like))):
        if sought is None:
            break
        mistyped = "" if sought == word else f"no puzzle matches {word!r}; "
        if not (shown := package.having(sought)).empty:
            if mistyped:
                say_error(f"puzzlesat: {mistyped}showing {sought!r}")
            return shown, sought
        if not (shown := package.having(sought, like)).empty:
            say_error(f"puzzlesat: {mistyped}{sought!r} is not in the package; showing puzzles like it")
            return shown, sought
    names = [*package.families, *(file.stem for file, _ in package.instances), *chain.from_iterable(package.also.values())]
    near = ", ".join(map(repr, nearest(word, names)))
    raise PuzzleError(f"no puzzle matches {word!r}; the nearest names are {near}; 'puzzlesat list' shows all families")


def _family(package: Package, shown: Package, word: str) -> str | None:
    """Return the family with this name, or the only family that was found if all of its puzzles were found; else None."""
    named = [family for family in package.families if folded(family) == folded(word)]
    whole = [family for family, puzzles in shown.families.items() if len(puzzles) == len(package.families[family])]
    return named[0] if named else whole[0] if len(shown.families) == len(whole) == 1 else None


def _print_families(out: Console, package: Package) -> None:
    """Print the commands that print more, then the families by grid, grids of the plane first."""
    say(out, f"{many(len(package.instances), 'puzzle')} in {many(len(package.families), 'family', 'families')}. To see more:")
    for command, what in (
        ("list FAMILY", "one family: its puzzles, with their known counts"),
        ("list WORD", "puzzles by a word: a name, a maker, a grid, part of a title"),
        (f"list {'|'.join(TABLES)}", "all grids, models or instances"),
        ("show PUZZLE", f"one puzzle: its pieces and its form; some to begin with: {', '.join(BEGIN)}"),
    ):
        say(out, f"  puzzlesat {command:<27} {what}", hang=40 if out.width > 60 else 4)
    grids = dict(package.grids)
    by_grid: dict[str, list[str]] = {}
    for family, instances in package.families.items():
        used = {package.grid_of(i) for _, i in instances}
        by_grid.setdefault(used.pop() if len(used) == 1 else "", []).append(family)
    for grid in sorted(by_grid, key=lambda g: (not g, g and grids[g].dimension, g and not grids[g].of_faces, -len(by_grid[g]), g)):
        out.print()
        say(out, f"{grids[grid].title}  (grid {grid})" if grid else "Several grids", style="bold")
        rows = [(name, f"{len(package.families[name]):>3}", _what(package, name)) for name in by_grid[grid]]
        print_table(out, None, rows, widths=(max(map(len, package.families)), 3))


def _print_family(out: Console, package: Package, family: str, word: str) -> None:
    """Print the models, grids and puzzles of a family, and the other names by which ``word`` found it."""
    instances = package.families[family]
    models = [m for m in dict.fromkeys(i.model for _, i in instances) if m]
    grids = dict.fromkeys(package.grid_of(i) for _, i in instances)
    say(out, f"{_what(package, family)}  (family {family})", style="bold")
    if models:
        say(out, f"{many(len(models), 'model')[2 if len(models) == 1 else 0 :]}: {', '.join(models)}", hang=4)
    say(out, f"{'grid' if len(grids) == 1 else 'grids'}: {', '.join(grids)}", hang=4)
    others = chain.from_iterable(other_names().of(file) for file, _ in instances)
    if found_by := [name for name in dict.fromkeys(others) if has(folded(word), name) and not has(folded(word), family)]:
        say(out, f"also: {', '.join(found_by)}", hang=4)
    out.print()
    print_table(out, ("puzzle", "known counts", "title"), [(f.stem, _known(i), i.title) for f, i in instances])
    elsewhere = [name for name in package.having(family).families if name != family]
    if elsewhere:
        out.print()
        say(out, f"Other families have puzzles with {family!r} in their name, grid or title: look in {listed(elsewhere, 8)}.")


def _print_tables(out: Console, shown: Package, which: Iterable[str]) -> None:
    tables: dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]] = {
        "grids": (("grid", "title"), [(name, grid.title) for name, grid in shown.grids]),
        "models": (("model", "grid", "title"), [(name, model.grid_name, model.title) for name, model in shown.models]),
        "instances": (
            ("instance", "family", "known counts", "title"),
            [(file.stem, file.parent.name, _known(instance), instance.title) for file, instance in shown.instances],
        ),
    }
    for number, (headings, rows) in enumerate(tables[name] for name in which if tables[name][1]):
        if number:
            out.print()
        print_table(out, headings, rows)


def _what(package: Package, family: str) -> str:
    """Return the titles of the models of a family; if it has none, the titles of its first puzzles."""
    titles = dict(package.models)
    instances = [i for _, i in package.families[family]]
    models = list(dict.fromkeys(titles[i.model].title for i in instances if i.model))
    return "; ".join(models) if models else listed((i.title for i in instances), 3)


def _print_json(shown: Package) -> None:
    for name, grid in shown.grids:
        print_json({"grid": name, "title": grid.title})
    for name, model in shown.models:
        print_json({"model": name, "title": model.title, "grid": model.grid_name})
    for file, instance in shown.instances:
        print_json(_as_json(file, instance))


MAIN_COUNTS = ("labelled", "all", "distinct")
"""Counting conventions whose counts are listed."""


def _as_json(file: Path, instance: InstanceEntry) -> dict[str, object]:
    counts = dict(instance.figures)
    return {"instance": file.stem, "family": file.parent.name, "title": instance.title, "model": instance.model, "expect": counts}


def _known(instance: InstanceEntry) -> str:
    return ", ".join(f"{c.replace('_', ' ')} {v:,}" for c, v in instance.figures if c in MAIN_COUNTS)
