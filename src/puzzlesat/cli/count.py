"""``puzzlesat count``: the report of a count, as text or JSON."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat.cli.terminal import console, folds, progress, say, say_error, say_named, stoppable
from puzzlesat.counting.confirmation import CONTRADICTED, NOTHING, agreement, confirmation, first_sentence
from puzzlesat.counting.crosscheck import count
from puzzlesat.counting.facts import facts
from puzzlesat.counting.puzzleless import PuzzlelessReport
from puzzlesat.counting.report import Disagreement, Report, Row
from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, UNKNOWN, Refutation, Verdict, refutations, verdicts
from puzzlesat.cover.instance import build_instance
from puzzlesat.cover.problem import Condition
from puzzlesat.errors import LESS_MEMORY, PuzzleError, many
from puzzlesat.files import write_text
from puzzlesat.formats.cover_files import is_cover_file
from puzzlesat.formats.puzzles import instances_in, number_of
from puzzlesat.puzzle.instance import Instance
from puzzlesat.solvers.registry import SOLVERS, family, lists
from puzzlesat.solvers.registry import solver as solver_by_name
from puzzlesat.solvers.run import COMPLETE, MEMORY, Limits
from puzzlesat.solvers.strategy import AUTO, CHECKING_SECONDS, COUNTING, LISTING, Plan

DONE, FAILED, STOPPED_EARLY = 0, 1, 3
MOST_FIXED = 12
"""Symmetries of which a report says how many solutions they leave unchanged."""
HEADINGS = ("solver", "all", "status", "how", "seconds", "work")
WHOLE = (0, 1, 4)
"""Columns that are not folded: names and numbers."""
LEAST_FOLDED = 44
"""Columns of the terminal that are needed by those that are folded."""
SHOWN_WORK = ("nodes", "placements", "dead_ends", "shapes", "states", "merged", "conflicts", "variables", "clauses")
"""Work counters that a report shows, the first three that a solver has."""


@dataclass(frozen=True)
class Switches:
    """The options of the command line, as they were given."""

    solver: str | None = None
    budget: float = CHECKING_SECONDS
    full: bool = False
    transformed: bool = False
    no_symmetry: bool = False
    no_parity: bool = False
    no_reduction: bool = False
    time: float | None = None
    limit: int | None = None
    memory: float | None = None
    colouring: bool = False

    def limits(self, stop: Event) -> Limits:
        """Return when to stop."""
        return Limits(self.limit, self.time, stop, None if self.memory is None else int(self.memory * 2**30))

    def plan(self, instance: Instance | None, limits: Limits) -> Plan:
        """Return the plan for one instance, or for a cover problem (None). Raises PuzzleError for a solver that does not exist."""
        names = COUNTING if self.solver is None else tuple(self.solver.split(","))
        for name in names[names[0] == AUTO :]:
            if name == AUTO:
                raise PuzzleError(f"--solver {self.solver}: {AUTO} must come first: it counts, and the others check")
            solver_by_name(name)
        return Plan(
            names, self.budget, self.full, not self.no_symmetry, not self.no_parity, not self.no_reduction, self.transformed,
            self._conditions(instance), limits,
        )  # fmt: skip

    def _conditions(self, instance: Instance | None) -> tuple[Condition, ...]:
        if not self.colouring or instance is None:
            return ()
        from puzzlesat.proof.conditions import found_conditions

        return found_conditions(build_instance(instance))


def run_count(names: Sequence[str], switches: Switches, as_json: bool, problem: int | None = None) -> int:
    """Count each instance, or cover problem, and print its report; return the exit status."""
    if covers := [name for name in names if is_cover_file(name)]:
        from puzzlesat.cli.count_cover_file import run_count_cover_files

        if problem is not None:
            raise PuzzleError(f"--problem is for files of puzzles, and {covers[0]} is a cover problem; leave it out")
        if len(covers) < len(names):
            raise PuzzleError(f"{covers[0]} is a cover problem; count puzzles and cover problems in commands of their own")
        return run_count_cover_files(covers, switches, as_json)
    return count_each([instance for name in names for instance in instances_in(name, problem)], switches, as_json, print_report)


def count_each(instances: Iterable[Instance], switches: Switches, as_json: bool, show: Callable[[Console, Report], None]) -> int:
    """Count one instance after the other and show its report, or print it as JSON; return the exit status of the whole."""
    out = console()
    worst = DONE
    with stoppable() as stop:
        for instance in instances:
            plan = switches.plan(instance, switches.limits(stop))
            with progress(instance.name) as told:
                report = count(instance, plan, told)
            worst = worse(worst, status_of(report))
            if as_json:
                print(jsonlib.dumps(report_as_json(report), ensure_ascii=False), flush=True)
            else:
                show(out, report)
            for path in write_disagreements(report):
                say_error(f"puzzlesat: what differs is written to {path}")
            if stop.is_set():
                return worse(worst, STOPPED_EARLY)
    return worst


def worse(one: int, other: int) -> int:
    """Return the worse of two exit statuses: a failed check outweighs a run that stopped early."""
    return FAILED if FAILED in (one, other) else max(one, other)


def status_of(report: Report) -> int:
    """Return the exit status that a report stands for."""
    if report.agree is False or any(v.fails for v in verdicts(report)) or any(r.fails for r in refutations(report)):
        return FAILED
    return DONE if report.complete and not report.interrupted else STOPPED_EARLY


def report_as_json(report: Report) -> dict[str, Any]:
    """Return the report as the documented JSON object. What is not known is None."""
    instance, counts = report.instance, report.counts
    return {
        "instance": instance.name,
        "sentence": first_sentence(report),
        "confirmed": confirmation(report).word,
        "complete": report.complete,
        "status": report.status,
        "found": report.found,
        "agree": report.agree,
        "counts": asdict(counts),
        "placements": {
            "all": report.reduced.placements,
            "after_symmetry": report.reduced.after_symmetry,
            "after_reduction": report.reduced.after_reduction,
        },
        "broken_on": report.reduced.broken_on,
        "symmetries": list(report.built.problem.symmetries),
        "solvers": [row_as_json(row) for row in report.rows],
        "expected": [_verdict_as_json(v) for v in verdicts(report)],
        "refuted": [_refutation_as_json(r) for r in refutations(report)],
        "published": instance.expect.published or None,
        "source": instance.credit or None,
        "disagreements": [asdict(d) for d in report.disagreements],
    }


def _verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    convention = _words(verdict)
    return {"what": verdict.what, "expected": verdict.expected, "got": verdict.got, "verdict": verdict.word, "convention": convention}


def _refutation_as_json(refutation: Refutation) -> dict[str, Any]:
    return {
        **refutation.claim.model_dump(),
        "got": refutation.got,
        "at_least": refutation.at_least,
        "counted_by": list(refutation.counted_by),
        "verdict": refutation.word,
        "convention": _words(refutation),
    }


def _words(judged: Verdict | Refutation) -> str | None:
    """The convention in which a figure is right that is not right in its own."""
    return None if judged.convention is None else judged.convention.words


def row_as_json(row: Row) -> dict[str, Any]:
    """Return what one solver did, as JSON."""
    return {
        "solver": row.solver,
        "all": row.all,
        "complete": row.status == COMPLETE,
        "status": row.status,
        "sampled": None if row.sampled is None else asdict(row.sampled),
        "seconds": round(row.seconds, 3),
        "work": dict(row.work),
        "refusal": row.refusal,
        "independent": row.independent,
    }


def print_report(out: Console, report: Report) -> None:
    """Print a report for people."""
    instance, counts, reduced = report.instance, report.counts, report.reduced
    say(out, Text(f"{instance.title}", style="bold") + Text(f"  ({instance.name})", style="dim"), hang=2)
    say(out, sentence_text(report), hang=4)
    for fact in facts(report.built):
        if fact.impossible or fact.text.startswith("tiles "):
            say(out, f"  {fact.text}", hang=4)
    broken = f"after symmetry breaking on {reduced.broken_on}" if reduced.broken_on else "after symmetry breaking (none)"
    say_named(
        out, "placements", f"{reduced.placements:,}; {broken} {reduced.after_symmetry:,}; after reduction {reduced.after_reduction:,}"
    )
    say_solvers(out, report)
    say_agreement(out, report)
    if report.complete:
        fixed = _fixed(counts.fixed or {})
        labelled = "not defined (copies without limit)" if counts.labelled is None else f"{counts.labelled:,}"
        distinct = "not known" if counts.distinct is None else f"{counts.distinct:,}"
        say_named(out, "counts", f"labelled {labelled}; all {counts.all:,}; distinct {distinct}; fixed: {fixed}")
        if counts.split is not None and instance.puzzle.split is not None:
            say_named(out, f"by {instance.puzzle.split.name}", ", ".join(f"{k}: {n:,}" for k, n in counts.split.items()))
    else:
        say_named(out, "counts", f"not known: {report.status} after {many(report.found, 'solution')}", style="yellow")
        if report.status == MEMORY:
            say_named(out, "", LESS_MEMORY)
    _print_verdicts(out, report)
    out.print()


def say_solvers(out: Console, report: Report | PuzzlelessReport) -> None:
    """Print a table of what each solver did; where that would be too narrow, a sentence for each."""
    cells = [solver_cells(row, report) for row in report.rows]
    taken = sum(max(cell_len(text) for text in column) + 2 for i, column in enumerate(zip(HEADINGS, *cells, strict=True)) if i in WHOLE)
    if folds(out) and out.width - taken < LEAST_FOLDED:
        for solver, found, status, how, seconds, work in cells:
            said = "; ".join(part for part in (f"all {found}", status, how, f"{seconds} s", work) if part)
            say(out, f"  {solver}: {said}", hang=4)
    else:
        out.print(_solver_table(cells))


def _solver_table(cells: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    for number, heading in enumerate(HEADINGS):
        justify: Literal["left", "right"] = "right" if heading in ("all", "seconds") else "left"
        shown = f"  {heading}" if number == 0 else heading
        table.add_column(shown, justify=justify, header_style="dim", overflow="fold", no_wrap=number in WHOLE)
    for solver, *others in cells:
        table.add_row(*map(Text, (f"  {solver}", *others)))
    return table


def _fixed(fixed: dict[str, int]) -> str:
    """The symmetries that leave some solution unchanged, and how many leave none."""
    some = [f"{name} {n:,}" for name, n in fixed.items() if n or name == "identity"]
    none = len(fixed) - len(some)
    if len(some) > MOST_FIXED:  # forms that wrap around have one for each place that they can be moved to
        more = sum(list(fixed.values())) - sum(n for n in list(filter(None, fixed.values()))[:MOST_FIXED])
        return (
            ", ".join(some[:MOST_FIXED])
            + f" and {more:,} by the other {many(len(fixed) - MOST_FIXED, 'symmetry', 'symmetries')} (--json says which)"
        )
    return ", ".join(
        some + ([f"the other {none} symmetries 0"] if none > 1 else [f"{n} 0" for n, k in fixed.items() if not k and n != "identity"])
    )


def _print_verdicts(out: Console, report: Report) -> None:
    instance = report.instance
    found = verdicts(report)
    if instance.expect.published:
        say_named(out, "published", instance.expect.published)
    if instance.credit:
        say_named(out, "source", instance.credit, style="dim")
    confirmed = [v.what for v in found if v.word == CONFIRMED]
    for v in found:
        if v.fails:
            say_named(out, "verdict", f"FAILED: {verdict_words(v)}", style="bold red")
        elif v.word == ELSEWHERE:
            say_named(out, "verdict", verdict_words(v), style="green")
    for claim in refutations(report):
        style = "bold red" if claim.fails else {REFUTED: "magenta", UNKNOWN: "yellow"}[claim.word]
        say_named(out, "verdict", refutation_words(claim), style=style)
    if confirmed:
        word, style = ("confirmed", "green") if report.agree else ("as expected, and not confirmed", "yellow")
        say_named(out, "verdict", f"{word}: {', '.join(confirmed)}", style=style)
    if unknown := [v.what for v in found if v.word == UNKNOWN]:
        say_named(out, "verdict", f"not known: {', '.join(unknown)}", style="yellow")
    if not found:
        say_named(out, "verdict", "nothing is expected of this instance")


def verdict_words(verdict: Verdict) -> str:
    """Return what is not as expected, or where a figure is right instead, in one sentence with the cure."""
    counted = f"{verdict.what}: expected {number_words(verdict.expected)}, counted {number_words(verdict.got)}"
    if verdict.convention is None:
        return counted
    where = f"{number_words(verdict.expected)} is right in the convention: {verdict.convention.words}"
    return f"{counted}; {where}; {verdict.convention.cure}" if verdict.stated else f"{where} ({verdict.what}: {number_words(verdict.got)})"


def number_words(value: object) -> str:
    """Return a number with commas, and anything else as it is."""
    return f"{value:,}" if type(value) is int else str(value)


def refutation_words(refutation: Refutation) -> str:
    """Return what became of a published count that the instance refutes, in one sentence."""
    claim = refutation.claim
    published = f"{claim.what} {claim.published:,}, published by {claim.by}"
    if refutation.word == CONFIRMED:
        return f"FAILED: the instance refutes {published}, but the count bears it out"
    if refutation.convention is not None:
        right = f"it is right in the convention: {refutation.convention.words}"
        return f"FAILED: the instance refutes {published}, but {right}; say so in published, and take it out of [[expect.refuted]]"
    if refutation.word == UNKNOWN:
        return f"not known: whether {published}, is wrong: {claim.evidence}"
    counted = f"at least {refutation.at_least:,}" if refutation.got is None else f"{refutation.got:,}"
    by = f" by {', '.join(refutation.counted_by)}" if refutation.counted_by else ""
    return f"REFUTED: {published}; counted {counted}{by}; {claim.evidence}"


def say_agreement(out: Console, report: Report | PuzzlelessReport) -> None:
    """Print who confirmed what, or what contradicts what."""
    style = {CONTRADICTED: "bold red", NOTHING: "yellow"}.get(confirmation(report).word, "")
    for number, line in enumerate(agreement(report).split("\n")):
        say_named(out, "" if number else "agreement", line, style=style)


def sentence_text(report: Report | PuzzlelessReport) -> Text:
    """Return the first sentence, for the terminal."""
    word = confirmation(report).word
    style = "bold red" if word == CONTRADICTED else "yellow" if word == NOTHING or not report.complete else "bold green"
    return Text(f"  {first_sentence(report)}", style=style)


def solver_cells(row: Row, report: Report | PuzzlelessReport) -> tuple[str, ...]:
    """Return what the table of solvers says of one: its name, all, status, how, seconds, work."""
    return row.solver, _number(row.all), _status(row), _how(row, report), f"{row.seconds:.2f}", _work(row)


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _status(row: Row) -> str:
    return "sampled" if row.sampled is not None and row.sampled.checked and row.all is None else row.status


def _how(row: Row, report: Report | PuzzlelessReport) -> str:
    if row.refusal is not None:
        return row.refusal
    if row.sampled is None or not row.sampled.checked:
        return row.how
    total = report.found
    share = f", {100 * row.sampled.solutions / total:.1f} % of the solutions" if total else ""
    return f"{row.how}{share}"


def _work(row: Row) -> str:
    shown = [key for key in SHOWN_WORK if key in row.work]
    words = {key: key.replace("_", " ") for key in shown[:3]}
    return ", ".join(many(row.work[key], word.removesuffix("s"), word) for key, word in words.items())


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


def lister(report: Report) -> str:
    """Return the first solver of a run that can list solutions."""
    return next((name for name in report.plan.solvers if lists(name)), LISTING)


def _listers(report: Report, difference: Disagreement) -> list[str]:
    """The solvers whose lists show a difference again."""
    return [name for name in (lister(report), difference.solver) if family(name) in SOLVERS and lists(name)]


def _again(instance: Instance, difference: Disagreement, solver: str) -> str:
    given = "".join(f" --with '{name}'" for name in difference.prefix)
    number = None if instance.path is None else number_of(instance.path, instance.name)
    which = "" if number is None else f" --problem {number}"
    return f"puzzlesat solve {instance.path or instance.name} --all --json --solver {solver}{which}{given}"
