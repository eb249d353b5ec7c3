"""Check a file of a grid, a model, puzzles, a study or a design, and report all errors at once."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from puzzlesat.base import Limits, Progress, PuzzleError, PuzzleWarning, listed, many
from puzzlesat.counting import Fact, facts, read_twice
from puzzlesat.designing import design_facts
from puzzlesat.formats import instances_in, is_foreign, raw_tables_in
from puzzlesat.puzzles import BuiltInstance, Library, build_instance, kind_of_table, read_table
from puzzlesat.studies import Study

Severity = Literal["error", "difference", "warning", "unknown"]
KEY = re.compile(r"unknown key '([^']+)'|(\[\[\w+\]\] number \d+(?:: [\w.]+(?=: ))?|line \d+|[^\s:]+): |.*\(at (line \d+, column \d+)\)")
"""Matches the key, or the position in invalid TOML, at the beginning of a message."""


@dataclass(frozen=True)
class Finding:
    """An error or a warning about a file."""

    file: str
    """The file."""
    key: str | None
    """The key, or the line; None if the message is about the whole file."""
    message: str
    """The error, its place, and how to fix it, without the name of the file."""
    severity: Severity
    """``error``: the file cannot be used. ``difference``: two independent readers read different puzzles. ``warning``: probably a slip.

    ``unknown``: a limit ended the check.
    """

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


@dataclass(frozen=True)
class FileFindings:
    """The findings on one file, and facts about its puzzles if it can be used."""

    findings: tuple[Finding, ...]
    facts: tuple[Fact, ...] = ()

    def of(self, severity: Severity) -> list[Finding]:
        """Return the findings of one kind."""
        return [finding for finding in self.findings if finding.severity == severity]


def check_file(file: Path, limits: Limits, told: Progress, *, twice: bool) -> FileFindings:
    """Check a file. With ``twice``, read each puzzle also with the independent second reader. Raises EndedError at a limit."""
    wrong: list[Finding] = []
    known: list[Fact] = []
    with warnings.catch_warnings(record=True) as odd:
        warnings.simplefilter("always", PuzzleWarning)
        try:
            with told.overseen():
                known, differences = _read_through(file, limits, told, twice=twice)
            wrong += [_finding(file, f"two readings of the file differ: {difference}", "difference") for difference in differences]
        except PuzzleError as error:
            wrong += [_finding(file, problem, "error") for problem in error.problems]
    slips = dict.fromkeys(str(warning.message) for warning in odd if warning.category is PuzzleWarning)
    return FileFindings((*wrong, *(_finding(file, slip, "warning") for slip in slips)), tuple(known))


def _finding(file: Path, sentence: str, severity: Severity) -> Finding:
    message = sentence.removeprefix(f"{file}: ")
    found = None if severity == "difference" else KEY.match(message)
    return Finding(str(file), None if found is None else next(filter(None, found.groups())), message, severity)


def _read_through(file: Path, limits: Limits, told: Progress, *, twice: bool) -> tuple[list[Fact], list[str]]:
    """Use a file as far as possible; return facts about it, and the differences between two readers.

    A grid is used up to its symmetries, a model to its tiles, an instance to its cover problem, a study to its puzzles, a design to its
    pieces.
    """
    kind = "instance" if is_foreign(file) else kind_of_table(read_table(file))
    if kind in ("grid", "model"):
        return [Fact(Library().describe(file))], []
    if kind == "study":
        study = Study.read(file)
        return [Fact(f"study of {many(len(study.subjects), 'puzzle')}: {listed(step.find for step in study.steps)}")], []
    if kind == "design":
        return [Fact(design_facts(file))], []
    return _read_puzzles(file, limits, told, twice=twice)


def _read_puzzles(file: Path, limits: Limits, told: Progress, *, twice: bool) -> tuple[list[Fact], list[str]]:
    known: list[tuple[str, Fact]] = []
    differences: list[str] = []
    build = partial(build_instance, progress=told, limits=limits)
    try:
        instances = instances_in(file)
        for instance in instances:
            built = build(instance)
            known += [(instance.name, fact) for fact in facts(built)]
            if twice:
                same, different = _read_again(built, told)
                known += [(instance.name, Fact(text)) for text in same]
                differences += different
    except PuzzleError as error:
        wrong = [Library().problems_in(table, path, name, build) for name, table, path in raw_tables_in(file)]
        raise PuzzleError(*dict.fromkeys([*error.problems, *chain(*wrong)])) from None
    told.of("facts")({})
    return [replace(fact, text=f"{name}: {fact.text}") if len(instances) > 1 else fact for name, fact in known], differences


def _read_again(built: BuiltInstance, told: Progress) -> tuple[list[str], list[str]]:
    """Read a puzzle with the second reader; return a sentence if both readings agree, else their differences."""
    reading = read_twice(built, told)
    if reading.differences:
        return [], [f"{built.instance.name}: {difference}" for difference in reading.differences]
    return [reading.words], []
