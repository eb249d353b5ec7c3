"""Studies: the file format, and the puzzles and steps that a file states. Field names are the keys of the file; see docs/studies.md."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from math import isinf
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from puzzlesat.base import PuzzleError, data_folder, is_file, many
from puzzlesat.designing import Candidate, Kit, Sources
from puzzlesat.formats import instance_text, is_foreign, puzzle_files, raw_tables_in
from puzzlesat.puzzles import FileTable, Library, kind_of_table, read_table, validated
from puzzlesat.studies.store import StudyHeading
from puzzlesat.studies.tables import name_of
from puzzlesat.studies.units import Find, Question, Subject, make_subject, subject_of

STEP_SECONDS = 60.0
"""Default limit of a step, in CPU seconds for each puzzle."""
MAX_SHOWN = 60
"""Characters of a wrong value that an error message shows."""


def _as_list(value: Any) -> Any:
    """Return a list: the file may state a single value without brackets."""
    return value if isinstance(value, list) else [value]


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _line(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError(f"expected a line of text, got {value[:MAX_SHOWN]!r}")
    return value


def _not_empty(value: list[Any]) -> list[Any]:
    if not value:
        raise ValueError("expected one at least, got none")
    return value


T = TypeVar("T")
Names = Annotated[list[str], BeforeValidator(_as_list)]
Above = Annotated[float, Field(gt=0)]


class PuzzlesTable(FileTable):
    """A table ``[[puzzles]]``: puzzles of files, or generated forms for the tiles of a file."""

    from_: Annotated[Annotated[Names, AfterValidator(_not_empty)] | None, Field(alias="from")] = None
    tiles: str | None = None
    some: bool = False
    forms: Names = Field(default=[])
    boxes: bool = False
    frames: bool = False
    shapes: bool = False
    convex: bool = False
    polyforms: bool = False
    cut: Names = Field(default=[])
    replicas: Annotated[list[Annotated[int, Field(ge=2, le=9)]], BeforeValidator(_as_list)] = Field(default=[])
    symmetry: str = "none"
    within: str | None = None
    area: Annotated[str | None, BeforeValidator(_as_text)] = None

    @model_validator(mode="after")
    def _one_way(self) -> PuzzlesTable:
        if (self.from_ is None) == (self.tiles is None):
            has = "both; split it into two [[puzzles]]" if self.tiles else "neither"
            raise ValueError(f'expected either from = ["NAME"], for existing puzzles, or tiles = "NAME", to make forms; it has {has}')
        others = sorted(key for key in self.model_fields_set - {"from_", "tiles"})
        if self.tiles is None and others:
            raise ValueError(f'{others[0]}: is for forms that are made; it needs tiles = "NAME", and no from')
        return self


class StepTable(FileTable):
    """A table ``[[steps]]``: a question about each puzzle, with limits in CPU seconds and gibibytes; inf: no limit."""

    find: Find
    seconds: Above = STEP_SECONDS
    memory: Above | None = None


class StudyFile(FileTable):
    """A file such as study.toml."""

    name: Annotated[str, AfterValidator(_line)]
    single: bool = False
    puzzles: Annotated[list[PuzzlesTable], AfterValidator(_not_empty)]
    steps: Annotated[list[StepTable], Field(max_length=100), AfterValidator(_not_empty)]


MODEL_KEYS = ("title", "source", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles")
"""Keys of an instance that make up its model, if it names none."""
OWN_KEYS = ("expect", "split", "break_on", "form")
"""Keys of an instance that are not used for other forms with its tiles."""


@dataclass(frozen=True)
class Study:
    """Puzzles, and the questions about each of them. With ``single``, one answer settles a unit."""

    name: str
    subjects: tuple[Subject, ...]
    steps: tuple[Question, ...]
    single: bool = False

    @classmethod
    def read(cls, path: Path) -> Study:
        """Read the file of a study and all puzzles that it names. Raises PuzzleError with all errors in them."""
        return cls.of(read_table(path), path)

    @classmethod
    def of(cls, table: dict[str, Any], path: Path) -> Study:
        """Return the study of a table in the file ``path``, to whose folder the names of files are relative.

        Raises PuzzleError with all errors.
        """
        file = validated(StudyFile, table, path)
        found = _gathered(partial(_made, path), file.puzzles, f"{path}: [[puzzles]] number {{}}: ")
        return cls(file.name, tuple(_unique(found)), tuple(map(_question, file.steps)), file.single)

    @property
    def names(self) -> list[str]:
        """The names of the puzzles, without their families."""
        return [name_of(subject) for subject in self.subjects]

    @property
    def heading(self) -> StudyHeading:
        """The heading of the store. The name alone identifies the study: later runs may add puzzles and raise limits."""
        steps = [step.model_dump(include={"find", "seconds", "memory"}) for step in self.steps]
        text = json.dumps({"name": self.name, "steps": steps, "puzzles": len(self.subjects)}, ensure_ascii=False)
        return StudyHeading(self.name, sha256(f"study {self.name}".encode()).hexdigest(), text, self.single)

    def share(self, share: str) -> Study:
        """Return a study with the puzzles of one share, such as ``2/8``: every eighth, since similar puzzles are often neighbours.

        Raises PuzzleError if the share does not exist.
        """
        match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", share)
        if match is None or int(match[1]) > int(match[2]):
            raise PuzzleError(f"--share {share}: expected a share such as 2/8, the second of eight")
        own = self.subjects[int(match[1]) - 1 :: int(match[2])]
        if not own:
            raise PuzzleError(f"--share {share}: the study has only {many(len(self.subjects), 'puzzle')}")
        return replace(self, subjects=own)


def _gathered(read: Callable[[T], Iterable[Subject]], sources: Iterable[T], heading: str = "") -> list[Subject]:
    """Return the puzzles of all sources. Raises PuzzleError with the errors of all, each after ``heading`` with the source's number."""
    found: list[Subject] = []
    wrong: list[str] = []
    for number, source in enumerate(sources, start=1):
        try:
            found += read(source)
        except PuzzleError as error:
            wrong += [heading.replace("{}", str(number)) + problem for problem in error.problems]
    if wrong:
        raise PuzzleError.of_many(dict.fromkeys(wrong))
    return found


def _question(table: StepTable) -> Question:
    seconds = None if isinf(table.seconds) else table.seconds
    memory = None if table.memory is None or isinf(table.memory) else int(table.memory * 2**30)
    return Question(find=table.find, seconds=seconds, memory=memory)


def _unique(subjects: Iterable[Subject]) -> list[Subject]:
    """Return each puzzle once; a number after a repeated name makes it unique."""
    names: Counter[str] = Counter()
    named = []
    for subject in {subject.key: subject for subject in subjects}.values():
        names[subject.name] += 1
        number = names[subject.name]
        named.append(subject if number == 1 else subject_of(f"{subject.name} ({number})", subject.table, subject.files))
    return named


# puzzles of files ---------------------------------------------------------------------------------------------------------------


def subjects(
    sources: Iterable[str | Path], near: Path = Path(), *,
    problem: int | str | None = None, rules: Mapping[str, Any] | None = None, families: bool = False,
) -> list[Subject]:  # fmt: skip
    """Return the puzzles of names, files, folders and patterns, which are relative to the folder ``near``.

    ``problem`` chooses one of a file. ``rules`` replace keys of [solutions]; expected figures are dropped then. With ``families``, a name
    follows that of a family, if any: the folder in the package, or a file with several puzzles. Raises PuzzleError with all errors.
    """
    library = Library(lru_cache(None)(Library().model), lru_cache(None)(Library().grid))  # it reads each model and each grid once

    def one(found: tuple[str, dict[str, Any], Path]) -> list[Subject]:
        name, table, path = found
        family = path.parent.name if data_folder("instances") in path.parents else path.stem if name != path.stem else ""
        return [make_subject(name, table, path, family=family if families else "", library=library)]

    def in_file(path: Path) -> list[Subject]:
        return _gathered(one, raw_tables_in(path, problem, rules=rules))

    def named(source: str | Path) -> list[Subject]:
        return _gathered(in_file, puzzle_files(str(source), near))

    return _gathered(named, sources)


# generated forms ----------------------------------------------------------------------------------------------------------------


def _made(path: Path, table: PuzzlesTable) -> list[Subject]:
    """Return the puzzles of one table: existing ones, or those to fill generated forms with the tiles of a model or of a puzzle."""
    if table.tiles is None:
        return subjects(table.from_ or (), path.parent, families=True)
    own = path.parent / table.tiles
    options = table.model_dump(exclude={"from_", "tiles", "some", "forms"})
    try:
        kit = Kit.of(str(own) if is_file(own) else table.tiles, some=table.some)
        sources = Sources([path.parent / form for form in table.forms], **options)
        if not (found := list(forms_as_subjects(kit, sources.candidates(kit)))):
            raise PuzzleError(f"{table.tiles}: there is no such form for these tiles; ask for other forms, or remove this table")
    except PuzzleError as error:
        raise PuzzleError(*map(_without_dashes, error.problems)) from None
    return found


def _without_dashes(problem: str) -> str:
    """Return an error message about options as one about the keys of the file, which have the same names."""
    problem = re.sub(r"--(boxes|frames|shapes|convex|polyforms)\b", r"\1 = true", problem)
    return re.sub(r"--([a-z]+)", r"\1", re.sub(r"--([a-z]+) (\d[\w.=-]*)", r'\1 = "\2"', problem))


def forms_as_subjects(kit: Kit, forms: Iterable[Candidate]) -> Iterator[Subject]:
    """Yield the puzzles to fill forms with the tiles of a kit; they share one model."""
    table, files = _kit_table(kit)
    for form in forms:
        shape = json.loads(json.dumps(form.table.model_dump(exclude_defaults=True), default=str))  # in the types of JSON
        if (named := shape.pop("shape", None)) is not None:
            shape[named[0]] = named[1]
        own = dict(table) | {"title": form.name, "form": shape}
        if kit.some or form.without is not None:
            copies, tiles = _copies(kit, form.without), table.get("tiles", {})
            own["tiles"] = {name: {**tiles.get(name, {}), **copies.get(name, {})} for name in {**tiles, **copies}}
        yield subject_of(f"{kit.path.stem}/{form.name}", own, files)


def _kit_table(kit: Kit) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the table of all puzzles with the tiles of a kit, without a form, and the texts of the files that it names."""
    path = kit.path
    raw = next(t for _, t, _ in raw_tables_in(path)) if is_foreign(path) else read_table(path)
    raw = {"model": path.stem} if kind_of_table(raw) == "model" else {key: value for key, value in raw.items() if key not in OWN_KEYS}
    files = make_subject("", raw, path).files
    if "model" in raw:
        return raw, files
    name, model = f"tiles of {path.stem}", {key: raw[key] for key in MODEL_KEYS if key in raw}
    return {"model": name} | {key: value for key, value in raw.items() if key not in MODEL_KEYS}, files | {name: instance_text(model)}


def _copies(kit: Kit, without: str | None) -> dict[str, Any]:
    """Return the keys ``copies`` of a kit of which no tile must be used, without one copy of the tile ``without``."""
    copies: dict[str, Any] = {}
    for tile in kit.without(without):
        for member, (_, high) in zip(tile.members, tile.ranges, strict=True):
            copies[member] = {"copies": "any" if high is None else [0, high]}
    return copies
