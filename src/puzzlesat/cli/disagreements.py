"""Solvers that disagree: what differs goes to a file beside the user, with the commands that show it again."""

from __future__ import annotations

import json as jsonlib
from dataclasses import asdict
from pathlib import Path

from puzzlesat.cli.terminal import say_error
from puzzlesat.counting.listing import lister
from puzzlesat.counting.report import Disagreement, Report
from puzzlesat.files import write_text
from puzzlesat.formats.foreign import number_of
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.registry import SOLVERS, family, lists


def write_disagreements(report: Report) -> list[Path]:
    """Write what differs to a file beside the user, with the commands that show it again."""
    if not report.disagreements:
        return []
    instance = report.instance
    path = Path(f"disagreement-{instance.name}.json")
    record = {
        "instance": str(instance.path),
        "text": instance.path.read_text(encoding="utf-8", errors="replace") if instance.path else None,
        "disagreements": [asdict(d) for d in report.disagreements],
        "commands": list(dict.fromkeys(_again(instance, d, s) for d in report.disagreements for s in _listers(report, d))),
    }
    try:
        write_text(path, jsonlib.dumps(record, indent=1, ensure_ascii=False))
    except OSError as error:  # that solvers disagree is what must be said
        say_error(f"puzzlesat: {error.filename}: {error.strerror}")
        return []
    return [path]


def _listers(report: Report, difference: Disagreement) -> list[str]:
    """The solvers whose lists show a difference again."""
    return [name for name in (lister(report.plan.solvers), difference.solver) if family(name) in SOLVERS and lists(name)]


def _again(instance: Instance, difference: Disagreement, solver: str) -> str:
    given = "".join(f" --with '{name}'" for name in difference.prefix)
    number = None if instance.path is None else number_of(instance.path, instance.name)
    which = "" if number is None else f" --problem {number}"
    return f"puzzlesat solve {instance.path or instance.name} --all --json --solver {solver}{which}{given}"
