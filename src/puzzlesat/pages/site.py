"""A site is written: the files of each puzzle as soon as it is known, and then those that all share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from puzzlesat.base import SHARE, SILENT, EndedError, Limits, NotSupportedError, Progress, PuzzleError, many, write_file
from puzzlesat.formats import instances_in
from puzzlesat.pages.site_pages import GENERATOR, INDEX, SHARED, Entry, icons, one_page, scripts_of, site_files
from puzzlesat.pages.site_puzzle import packed, picture_as_json, puzzle_as_json
from puzzlesat.pages.studio.library import REST, entries
from puzzlesat.pages.studio.open import file_name
from puzzlesat.puzzles import Instance, build_instance, data_files, data_folder

MOST_PLACEMENTS = 50_000
"""A puzzle with more of them is too large for a browser."""
KEPT_BYTES = 2_000_000
"""Up to so many bytes of puzzles, browsers keep all of them from the beginning; of a larger site, those that were opened."""


@dataclass(frozen=True, repr=False)
class Site:
    """A site that was written."""

    file: Path
    """The page to open."""
    puzzles: tuple[str, ...]
    """The names of its puzzles."""
    left_out: tuple[tuple[str, str], ...]
    """Puzzles that a browser cannot count, each with the reason."""
    size: int
    """The bytes of all files."""
    why: str | None = None
    """Why puzzles that you asked for are missing, besides those left out; None if none is."""
    seconds: float = 0.0
    """How long the call took."""

    @property
    def complete(self) -> bool:
        """Whether the site has every puzzle that you asked for, but for those left out."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return f"{self.file} has {many(len(self.puzzles), 'puzzle')}, {self.size:,} bytes in all."

    def __repr__(self) -> str:
        return f"<Site {self.sentence}>"


def write_site(folder: Path, names: Sequence[str | Path], limits: Limits, progress: Progress = SILENT, *, version: str) -> Site:
    """Write a site with these puzzles (default: all of the package), or a page of one puzzle, into a folder.

    Where the work is ended early, the site has the puzzles that were done. Raises PuzzleError for a puzzle or a folder that cannot be
    taken; then nothing was written.
    """
    began = monotonic()
    cards = {card["name"]: card for card in entries()}
    instances = _arranged(names, list(cards))
    alone = len(instances) == 1
    folder_name = file_name(instances[0].name) + ".html" if alone else INDEX
    _check_folder(folder, folder_name, () if alone else SHARED)
    made: list[Entry] = []
    left_out: list[tuple[str, str]] = []
    why, written = None, 0
    for number, instance in enumerate(instances):
        told = progress.of(f"{number + 1} of {len(instances)} puzzles, {instance.name}")
        try:
            told({SHARE: number * 1_000_000 // len(instances)})
            entry = _entry(instance, cards, limits, told)
        except NotSupportedError as error:
            left_out.append((instance.name, str(error)))
            continue
        except EndedError as ended:
            if not limits.stop.is_set():
                left_out.append((instance.name, ended.words))
                continue
            why = f"interrupted: {len(made)} of {many(len(instances), 'puzzle')} were written"
            break
        made.append(entry)
        if not alone:
            written += _write(folder, scripts_of(entry))
    if made:
        kept = [name for entry in made for name in scripts_of(entry)] if written <= KEPT_BYTES else []
        written += _write(folder, {folder_name: one_page(made[0], version)} if alone else {**site_files(made, kept, version), **icons()})
    elif why is None:
        raise NotSupportedError(*(f"{name}: {reason}" for name, reason in left_out))
    return Site(folder / folder_name, tuple(e.name for e in made), tuple(left_out), written, why, monotonic() - began)


def _arranged(names: Sequence[str | Path], library: list[str]) -> list[Instance]:
    """The puzzles that are wanted: those of the package in the order of its library, then those of files."""
    found = [instance for name in names or data_files("instances") for instance in instances_in(name)]
    found.sort(key=lambda one: library.index(one.name) if _of_package(one) else len(library))
    seen: dict[str, Instance] = {}
    for instance in found:
        name = file_name(instance.name)
        if name in seen:
            raise PuzzleError(f"{instance.path or instance.name}: there are two puzzles named {name!r}; a site needs a name for each")
        seen[name] = instance
    return found


def _of_package(instance: Instance) -> bool:
    return instance.path is not None and instance.path.resolve().is_relative_to(data_folder("instances").resolve())


def _check_folder(folder: Path, page: str, others: Iterable[str]) -> None:
    """Raise PuzzleError where a file would be replaced that is none of a site."""
    if folder.exists() and not folder.is_dir():
        raise PuzzleError(f"{folder}: this is a file; give the name of a folder")
    file = folder / page
    if file.is_file() and GENERATOR in file.read_text(encoding="utf-8", errors="replace"):
        return
    for name in (page, *others):
        if (folder / name).exists():
            raise PuzzleError(f"{folder / name}: puzzlesat did not write this file and does not replace it; choose another folder")


def _entry(instance: Instance, cards: Mapping[str, dict[str, Any]], limits: Limits, progress: Progress) -> Entry:
    """A puzzle for a site. Raises NotSupportedError where a browser cannot count it."""
    name, own = file_name(instance.name), _of_package(instance)
    built = build_instance(instance, progress=progress, memory=limits.memory)
    if len(built.placements) > MOST_PLACEMENTS:
        raise NotSupportedError(f"it has {len(built.placements):,} placements; a page takes {MOST_PLACEMENTS:,} at most")
    command = f"puzzlesat studio {instance.name if own or instance.path is None else instance.path.name}"
    data = puzzle_as_json(built, name, command)
    card = cards[instance.name] if own else _card(instance, name)
    return Entry(card, packed(data), packed(picture_as_json(built)), data["board"]["dimension"] == 3)


def _card(instance: Instance, name: str) -> dict[str, Any]:
    """What the library shows of a puzzle that the package does not have."""
    grid = instance.puzzle.grid
    return {"name": name, "title": instance.title, "set": "", "grid": grid.name, "grid_title": grid.title, "group": REST, "aliases": []}


def _write(folder: Path, contents: Mapping[str, str | bytes]) -> int:
    """Write some files; return their bytes."""
    written = 0
    for name, content in contents.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(folder / name, data)
        written += len(data)
    return written
