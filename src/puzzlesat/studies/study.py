"""Studies: from the file to its puzzles, and the steps for each. Field names are the keys of the file; see docs/studies.md."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from math import isinf
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from puzzlesat.base import PuzzleError, many
from puzzlesat.designing import Candidate, Kit, Sources, candidates, kit_given
from puzzlesat.formats import instance_text, is_foreign, puzzle_files, raw_tables_in
from puzzlesat.puzzles import (
    FileTable,
    FormTable,
    InstanceFile,
    Library,
    data_folder,
    is_file,
    kind_of_table,
    read_table,
    validated,
    where,
)
from puzzlesat.studies.store import StudyHeading
from puzzlesat.studies.tables import name_of
from puzzlesat.studies.units import Find, Question, Subject, make_subject, subject_of

STEP_SECONDS = 60.0
MOST_SHOWN = 60
"""Letters of what is wrong."""


def _listed(value: Any) -> Any:
    """One of something may stand without brackets."""
    return value if isinstance(value, list) else [value]


def _area(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _line(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError(f"expected a line of text, got {value[:MOST_SHOWN]!r}")
    return value


def _some(value: list[Any]) -> list[Any]:
    if not value:
        raise ValueError("expected one at least, got none")
    return value


Names = Annotated[list[str], BeforeValidator(_listed)]
Above = Annotated[float, Field(gt=0)]


class PuzzlesTable(FileTable):
    """Some puzzles: those that files hold, or forms for the tiles of one."""

    from_: Annotated[Annotated[Names, AfterValidator(_some)] | None, Field(alias="from")] = None
    tiles: str | None = None
    some: bool = False
    forms: Names = Field(default=[])
    boxes: bool = False
    frames: bool = False
    shapes: bool = False
    convex: bool = False
    polyforms: bool = False
    cut: Names = Field(default=[])
    replicas: Annotated[list[Annotated[int, Field(ge=2, le=9)]], BeforeValidator(_listed)] = Field(default=[])
    symmetry: str = "none"
    within: str | None = None
    area: Annotated[str | None, BeforeValidator(_area)] = None

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
    """One thing to be found out of each puzzle."""

    find: Find
    seconds: Above = STEP_SECONDS
    """CPU seconds; inf: as many as it needs."""
    memory: Above | None = None
    """Gibibytes; inf: as many as it needs."""


class StudyFile(FileTable):
    """A file such as study.toml."""

    name: Annotated[str, AfterValidator(_line)]
    single: bool = False
    puzzles: Annotated[list[PuzzlesTable], AfterValidator(_some)]
    steps: Annotated[list[StepTable], Field(max_length=100), AfterValidator(_some)]


OF_A_MODEL = ("title", "source", "grid", "flips", "turns", "may_cross", "marks", "colours", "generate", "tiles")
"""The keys of a model in an instance that names none."""
OF_THE_REST = ("expect", "split", "break_on", "form")
"""The keys of an instance that do not go over to other forms for its tiles."""


@dataclass(frozen=True)
class Study:
    """What is to be found out, of which puzzles."""

    name: str
    subjects: tuple[Subject, ...]
    steps: tuple[Question, ...]
    single: bool = False
    """Whether one answer a unit is enough."""

    @property
    def names(self) -> list[str]:
        """The names of its puzzles, without their families."""
        return [name_of(subject) for subject in self.subjects]

    @property
    def heading(self) -> StudyHeading:
        """How a store knows it: by its name, so that puzzles may be added and limits raised as it goes on."""
        steps = [step.model_dump(include={"find", "seconds", "memory"}) for step in self.steps]
        said = {"name": self.name, "steps": steps, "puzzles": len(self.subjects)}
        digest = sha256(f"study {self.name}".encode()).hexdigest()
        return StudyHeading(self.name, digest, json.dumps(said, ensure_ascii=False), self.single)

    def share(self, share: str) -> Study:
        """Return a study with the puzzles of a share alone, such as ``2/8``. Raises PuzzleError where there is no such share.

        It is every N-th, so that what is alike, and stands side by side, is shared evenly.
        """
        match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", share)
        if match is None or int(match[1]) > int(match[2]):
            raise PuzzleError(f"--share {share}: expected a share such as 2/8, the second of eight")
        own = self.subjects[int(match[1]) - 1 :: int(match[2])]
        if not own:
            raise PuzzleError(f"--share {share}: the study has only {many(len(self.subjects), 'puzzle')}")
        return replace(self, subjects=own)


def read_study(path: Path) -> Study:
    """Read the file of a study, and every puzzle that it means. Raises PuzzleError with everything that is wrong."""
    return study_from(read_table(path), path)


def study_from(table: dict[str, Any], path: Path) -> Study:
    """Return the study that a table says, as it stands in the file ``path``, beside which are the files that it names.

    Raises PuzzleError with everything that is wrong.
    """
    file, library = validated(StudyFile, table, path), kept_library()
    subjects = gathered((partial(_subjects, puzzles, path, library) for puzzles in file.puzzles), f"{path}: [[puzzles]] number {{}}: ")
    return Study(file.name, tuple(_different(subjects)), tuple(map(_question, file.steps)), file.single)


def gathered(calls: Iterable[Callable[[], Iterable[Subject]]], heading: str = "") -> list[Subject]:
    """Return the puzzles of all calls. Raises PuzzleError with everything that is wrong; ``heading`` gets the number of a call."""
    found: list[Subject] = []
    wrong: list[str] = []
    for number, call in enumerate(calls, start=1):
        try:
            found += call()
        except PuzzleError as error:
            wrong += [heading.replace("{}", str(number)) + problem for problem in error.problems]
    if wrong:
        raise PuzzleError.of_many(dict.fromkeys(wrong))
    return found


def _question(table: StepTable) -> Question:
    seconds = None if isinf(table.seconds) else table.seconds
    memory = None if table.memory is None or isinf(table.memory) else int(table.memory * 2**30)
    return Question(find=table.find, seconds=seconds, memory=memory)


def _different(subjects: Iterable[Subject]) -> list[Subject]:
    """Each puzzle once, and a number behind a name that another one has too."""
    names: Counter[str] = Counter()
    named = []
    for subject in {subject.key: subject for subject in subjects}.values():
        names[subject.name] += 1
        number = names[subject.name]
        named.append(subject if number == 1 else subject_of(f"{subject.name} ({number})", subject.table, subject.files))
    return named


def _subjects(table: PuzzlesTable, path: Path, library: Library) -> list[Subject]:
    """The puzzles of one ``[[puzzles]]``."""
    if table.tiles is not None:
        return _made(table, path)
    return gathered(partial(_named, name, path, library) for name in table.from_ or ())


# puzzles that there are ---------------------------------------------------------------------------------------------------------


def _named(name: str, path: Path, library: Library) -> list[Subject]:
    """The puzzles that a name, a folder or a pattern means beside the file of a study."""
    return gathered(partial(in_file, file, library) for file in puzzle_files(name, path.parent))


def in_file(path: Path, library: Library | None = None) -> list[Subject]:
    """Return the puzzles in a file, whatever its format. Raises PuzzleError with everything that is wrong with them."""

    def one(name: str, table: dict[str, Any], file: Path) -> list[Subject]:
        (library or Library()).instance(validated(InstanceFile, table, where(file, name)), file, name)
        return [make_subject(_name(name, file), table, file)]

    return gathered(partial(one, *found) for found in raw_tables_in(path))


def _name(name: str, path: Path) -> str:
    """The name of a puzzle, with its family before it where it has one: that of the package, or the file that holds several."""
    family = path.parent.name if data_folder("instances") in path.parents else path.stem if name != path.stem else ""
    return f"{family}/{name}" if family and "/" not in name else name


def kept_library() -> Library:
    """Return a library of files in which none is read twice."""
    return Library(lru_cache(None)(Library().model), lru_cache(None)(Library().grid))


# forms that are made ------------------------------------------------------------------------------------------------------------


def _made(table: PuzzlesTable, path: Path) -> list[Subject]:
    """Forms for the tiles of a model, or of a puzzle."""
    assert table.tiles is not None
    own = path.parent / table.tiles
    sources = Sources(
        [path.parent / form for form in table.forms], table.boxes, table.frames, table.shapes, table.convex, table.polyforms, table.cut,
        table.replicas, table.symmetry, table.within, table.area,
    )  # fmt: skip
    try:
        kit = kit_given(str(own) if is_file(own) else table.tiles, some=table.some)
        if not (found := list(forms_as_subjects(kit, candidates(kit, sources)))):
            raise PuzzleError(f"{table.tiles}: there is no such form for these tiles; ask for other forms, or remove this table")
    except PuzzleError as error:
        raise PuzzleError(*map(_without_dashes, error.problems)) from None
    return found


def _without_dashes(problem: str) -> str:
    """A sentence about options, in the words of the file: its keys have the same names."""
    problem = re.sub(r"--(boxes|frames|shapes|convex|polyforms)\b", r"\1 = true", problem)
    return re.sub(r"--([a-z]+)", r"\1", re.sub(r"--([a-z]+) (\d[\w.=-]*)", r'\1 = "\2"', problem))


def forms_as_subjects(kit: Kit, forms: Iterable[Candidate]) -> Iterator[Subject]:
    """Yield the puzzles to fill forms with the tiles of a kit; what they share is said in a model."""
    table, files = _kit_table(kit)
    for form in forms:
        own = dict(table) | {"title": form.name, "form": form_as_table(form.table)}
        if kit.some or form.without is not None:
            copies = _copies(kit, form.without)
            own["tiles"] = {
                name: {**table.get("tiles", {}).get(name, {}), **copies.get(name, {})} for name in {**table.get("tiles", {}), **copies}
            }
        yield subject_of(f"{kit.path.stem}/{form.name}", own, files)


def _kit_table(kit: Kit) -> tuple[dict[str, Any], dict[str, str]]:
    """What all puzzles with the tiles of a kit say, but for the form; and the files that this names."""
    path = kit.path
    raw = next(t for _, t, _ in raw_tables_in(path)) if is_foreign(path) else read_table(path)
    if kind_of_table(raw) == "model":
        return {"model": path.stem}, dict(make_subject("", {"model": path.stem}, path).files)
    raw = {key: value for key, value in raw.items() if key not in OF_THE_REST}
    if "model" in raw:
        return raw, dict(make_subject("", raw, path).files)
    model = {key: raw[key] for key in OF_A_MODEL if key in raw}
    name = f"tiles of {path.stem}"
    files = dict(make_subject("", {"grid": raw["grid"]}, path).files) | {name: instance_text(model)}
    return {"model": name} | {key: value for key, value in raw.items() if key not in OF_A_MODEL}, files


def _copies(kit: Kit, without: str | None) -> dict[str, Any]:
    """How often each tile may be used where any may be left out, and perhaps one copy of one is not there."""
    found: dict[str, Any] = {}
    for tile in kit.without(without):
        for member, (_, high) in zip(tile.members, tile.ranges, strict=True):
            found[member] = {"copies": "any" if high is None else [0, high]}
    return found


def form_as_table(form: FormTable) -> dict[str, Any]:
    """Return a form as a file has it, as JSON has it."""
    said: dict[str, Any] = json.loads(json.dumps(form.model_dump(exclude_defaults=True), default=str))
    shape = said.pop("shape", None)
    return said if shape is None else said | {shape[0]: shape[1]}
