"""The contents of a report: counts, solutions, disassembly, or why there is no solution; and the sections with figures as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape

import numpy as np

from puzzlesat.base import Clock, EndedError, Limits, NotSupportedError, Progress, PuzzleError, Sentence, many
from puzzlesat.counting import Apart, Assembly, Disagreement, Judgement, Report, Row, Verdict, number
from puzzlesat.disassembly import answers, bodies_of, may_hold
from puzzlesat.pages.galleries import ENOUGH_LISTED, Gallery, kept_distinct, list_distinct, stands_for
from puzzlesat.pages.template import PagePart, folded, folding
from puzzlesat.pictures import WeightedForm
from puzzlesat.proofs import SEARCH, SearchStoppedError, make_case, prove
from puzzlesat.solvers import family

REPORT_PROOF_SECONDS: float = 20
"""Time limit in seconds for an argument that there is no solution, unless ``--time`` gives a shorter limit."""
REPORT_APART_SECONDS: float = 20
"""Time limit in seconds for disassembling solutions for a page."""


@dataclass(frozen=True)
class Reason:
    """The reason why there is no solution."""

    argument: str
    sentences: Sequence[str]
    picture: str = ""
    """A colouring as SVG, if the argument uses one."""


@dataclass(frozen=True)
class ReportContents:
    """The contents of a page."""

    report: Report
    gallery: Gallery
    reason: Reason | None = None
    interrupted: bool = False
    """True if the user interrupted the work."""
    command: str = ""
    apart: Apart | None = None
    """The disassembly of the listed solutions, by their numbers in the list; None if it was not requested."""

    @property
    def about_list(self) -> str:
        """A sentence on the number of solutions in the list, and the reason if it is incomplete."""
        report, gallery = self.report, self.gallery
        listed, counts = len(gallery.rows), report.counts
        if gallery.complete:
            if not listed:
                return f"There is no solution: {gallery.solver} searched everything."
            several = len(report.built.problem.symmetries) > 1
            represented = f"With their images under the symmetries of the form there are {_represented(report, gallery):,}"
            images = f" {represented}; of each, one is listed." if several else ""
            everything = "The one distinct solution" if listed == 1 else f"All {many(listed, 'distinct solution')}"
            return f"{everything}, listed by {gallery.solver}.{images}"
        if not listed:
            return f"No solution was listed: {gallery.status}."
        of = f" of {counts.distinct:,}" if counts.distinct is not None else ""
        why = "no more were asked for (--most)" if gallery.status == ENOUGH_LISTED else f"{gallery.status} after {gallery.seconds:.0f} s"
        first = f"The first {listed:,}{of} distinct solutions that {gallery.solver} lists"
        return f"{first}: {why}. The numbers below are about these solutions only."


def _represented(report: Report, gallery: Gallery) -> int:
    """Return the number of all solutions that the distinct ones in the list represent."""
    return stands_for(report.built.problem.option_images.unmoved(gallery.rows))


def contents_of(
    report: Report, most: int, limits: Limits, listing: float, told: Progress, *, turns: Fraction | None = None, command: str = ""
) -> ReportContents:
    """List up to ``most`` solutions of a counted puzzle, disassemble them, or search for an argument why there is no solution.

    ``listing`` is the time limit in seconds for listing solutions if ``limits`` has none; ``turns`` is the bevel if pieces may be turned;
    ``command`` is the command that makes the page again.
    """
    gallery = _gallery(report, most, limits if limits.have_deadline else limits.within(listing), told)
    report = with_list(report, gallery)
    report, gallery, reason = _reason(report, gallery, limits, told)
    apart = _apart(report, gallery, limits, told, turns)
    return ReportContents(report, gallery, reason, limits.stop.is_set(), command, apart)


def _gallery(report: Report, most: int, limits: Limits, progress: Progress) -> Gallery:
    """List the distinct solutions. Return an empty list if the count is zero; use the solutions kept by the count if they are more."""
    solver = report.lister
    if report.complete and not report.counts.all:
        return Gallery(np.empty((0, 1), dtype=np.int32), "complete", report.counter)
    gallery = list_distinct(report.built, solver, most, replace(limits, solutions=None), progress.of(f"listing with {solver}"))
    if gallery.status in ("complete", ENOUGH_LISTED) or report.placement_numbers is None:
        return gallery
    rows = kept_distinct(report.built.problem, report.placement_numbers, most)
    if len(rows) <= len(gallery.rows):
        return gallery
    status = "complete" if report.complete and report.listed else gallery.status
    return replace(gallery, rows=rows[:most], status=ENOUGH_LISTED if len(rows) > most else status)


def _apart(report: Report, gallery: Gallery, limits: Limits, progress: Progress, turns: Fraction | None) -> Apart | None:
    """Disassemble the listed solutions, if the puzzle raises the question, as far as time allows."""
    built = report.built
    if not len(gallery.rows) or (turns is None and not may_hold(built.puzzle)):
        return None
    limits = replace(limits, solutions=None).within(REPORT_APART_SECONDS)
    rows = (tuple(o for o in row if o >= 0) for row in gallery.rows.tolist())
    assemblies: list[Assembly] = []
    try:
        with closing(
            answers(bodies_of(built), rows, Limits().usable_cores, limits, turns=turns, progress=progress.of("taking apart"))
        ) as stream:
            for number, row, answer in stream:
                if answer.undecided:
                    break
                assemblies.append(Assembly(built, number + 1, row, answer))
    except NotSupportedError:  # too many pieces
        return None
    assemblies.sort(key=lambda assembly: assembly.order)
    complete = gallery.complete and len(assemblies) == len(gallery.rows)
    return Apart(
        built, tuple(assemblies), why=None if complete else f"{len(assemblies):,} of the listed solutions are decided", turns=turns
    )


def _reason(report: Report, gallery: Gallery, limits: Limits, progress: Progress) -> tuple[Report, Gallery, Reason | None]:
    """Search for an argument why there is no solution, if none is known. Add the argument, or a solution found, to the report."""
    if len(gallery.rows) or report.found or limits.stop.is_set():
        return report, gallery, None
    searched = f"{gallery.solver} searched everything and found none."
    clock = Clock(replace(limits, solutions=None).within(REPORT_PROOF_SECONDS))
    try:
        progress = progress.of("proof")
        finding = prove(make_case(report.built, progress), clock.rest(), progress=progress)
    except (PuzzleError, SearchStoppedError, EndedError) as error:
        if not gallery.complete:
            return report, gallery, None
        not_known = str(error).removeprefix(f"{report.instance.name}: ")
        why = f"sought, because {not_known}." if isinstance(error, PuzzleError) else f"found in {clock.seconds:.0f} s."
        return report, gallery, Reason("search", (searched, f"No shorter argument was {why}"))
    if finding.solvable:
        row = np.array([finding.solution], dtype=np.int32)
        if gallery.complete:
            disagreement = Disagreement("proof", "the count says that there is no solution, and there is one")
            report = replace(report, disagreements=(*report.disagreements, disagreement))
        return replace(report, seen=1), replace(gallery, rows=row, status="limit reached", solver=gallery.solver), None
    weights = finding.weighting
    picture = "" if weights is None else WeightedForm(report.built, weights.weights, weights.modulus).svg()
    proof = None if finding.argument == SEARCH and report.complete else finding.means
    return replace(report, proof=proof), gallery, Reason(finding.argument, finding.sentences, picture)


def with_list(report: Report, gallery: Gallery) -> Report:
    """Return the report with the results of the list: a further solver with its number, a lower bound, or a contradiction."""
    report = replace(report, seen=len(gallery.rows))
    if (contradiction := list_contradicts(report, gallery)) is not None:
        return replace(report, disagreements=(*report.disagreements, Disagreement(gallery.solver, contradiction)))
    families = {family(row.solver) for row in report.rows if row.all is not None}
    if not gallery.complete or not report.complete or family(gallery.solver) in families:
        return report
    how = f"{len(gallery.rows):,} distinct ones listed on the page"
    row = Row(gallery.solver, _represented(report, gallery), "complete", how, gallery.seconds, {}, independent=True)
    return replace(report, rows=(*report.rows, row))


def what_is_missing(contents: ReportContents) -> str:
    """Return a sentence on what an interrupted page contains and lacks; an empty string if it was not interrupted."""
    if not contents.interrupted:
        return ""
    report, gallery = contents.report, contents.gallery
    clauses = ["the count" if report.complete else "no count, which was not finished"]
    checks = [row.solver for row in report.rows if row.status == "interrupted" and row.solver != report.counter]
    if report.complete and checks:
        clauses.append(f"no full check by {Sentence.joined(checks)}")
    listed = len(gallery.rows)
    if listed or report.found or not report.complete:
        every = "all " if gallery.complete else ""
        clauses.append(f"{every}{many(listed, 'distinct solution')}" if listed else "no solution")
    elif contents.reason is None:
        clauses.append("no argument why there is no solution")
    return f"This page is incomplete, because making it was interrupted. It has {'; '.join(clauses)}."


def list_contradicts(report: Report, gallery: Gallery) -> str | None:
    """Return the contradiction between a complete list of the distinct solutions and the counts; None if there is none."""
    if not gallery.complete or not report.complete:
        return None
    counts, listed, stand = report.counts, len(gallery.rows), _represented(report, gallery)
    if counts.distinct not in (None, listed):
        return f"{gallery.solver} lists {listed:,} distinct solutions, the count is {counts.distinct:,}"
    if counts.all not in (None, stand):
        return f"the {listed:,} distinct solutions listed represent {stand:,}, the count of all is {counts.all:,}"
    return None


def figure(value: object) -> str:
    """Return a figure of an expectation as HTML."""
    if value is None:
        return number(None)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return f'<span class="long">{escape(", ".join(f"{k}: {n:,}" for k, n in value.items()))}</span>'
    return escape(str(value))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """Return a table of HTML cells. The first cell of each row is its heading; ``numeric`` columns are right-aligned."""

    def cell(column: int, text: str) -> str:
        style = ' class="count"' if column in numeric else ""
        return f'<th scope="row"{style}>{text}</th>' if column == 0 else f"<td{style}>{text}</td>"

    head = "".join(f'<th scope="col"{" class=count" if i in numeric else ""}>{h}</th>' for i, h in enumerate(headings))
    body = "\n".join(f"<tr>{''.join(cell(i, text) for i, text in enumerate(row))}</tr>" for row in rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


FEW_NAMES = 8
"""Largest number of symmetries for which each has its own line; of more, only those with unchanged solutions have one."""
OUR_COUNTS = 3
"""Number of counts that everyone reads: labelled, all, distinct. Further counts help to compare with figures of other people."""
NOT_DEFINED = "not defined"
MEANINGS = {
    "labelled": "copies of a tile are told apart",
    "all": "copies are not told apart; what looks the same is the same",
    "distinct": "all, up to the symmetries of the form that the rules allow",
    "labelled_distinct": "labelled, up to the symmetries of the form",
    "labelled_turns": "labelled, and turns of a tile that look the same are told apart",
}
CLASSES = {Verdict.CONFIRMED: "confirmed", Verdict.REFUTED: "refuted", Verdict.UNKNOWN: "unknown", Verdict.ELSEWHERE: "confirmed"}
CLAIMS = {Verdict.REFUTED: "claim", Verdict.CONFIRMED: "refuted", Verdict.UNKNOWN: "unknown", Verdict.ELSEWHERE: "refuted"}
"""CSS class of a published count that the instance refutes: if the count confirms it, the instance is wrong."""
WORDS = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.REFUTED: "not as expected",
    Verdict.UNKNOWN: "not known",
    Verdict.ELSEWHERE: "right in another convention",
}


def first_lines(contents: ReportContents) -> str:
    """Return the main sentence, after a warning if the page is incomplete, and before the rules on solutions."""
    style = {True: "confirmed", False: "refuted", None: "unknown"}[contents.report.agree]
    missing, rules = what_is_missing(contents), contents.report.instance.puzzle.solutions.sentences
    lines = [f'<p class="alarm" id="incomplete">{escape(missing)}</p>'] if missing else []
    lines.append(f'<p class="first {style}" id="sentence">{escape(contents.report.sentence)}</p>')
    lines += [f'<p class="rule">{escape(rule)}</p>' for rule in rules]
    return "\n".join(lines)


def key_figures(contents: ReportContents) -> str:
    """Return the key figures."""
    report = contents.report
    counts = report.counts
    shown = [
        ("distinct solutions", number(counts.distinct)),
        ("all", number(counts.all)),
        ("labelled", _labelled(report)),
        ("placements", number(report.reduced.placements)),
        ("symmetries of the form", number(len(report.built.problem.symmetries))),
    ]
    return '<ul class="numbers">\n' + "\n".join(f"<li><b>{value}</b>{name}</li>" for name, value in shown) + "\n</ul>"


def verdict_lines(contents: ReportContents) -> str:
    """Return a few lines on what is confirmed, refuted or not known, and on contradictions."""
    report = contents.report
    judgement = Judgement(report)
    verdicts = judgement.verdicts
    lines = [
        f'<p class="verdict refuted">Not as expected: {escape(v.what)} is {figure(v.got)}, expected {figure(v.expected)}.</p>'
        for v in verdicts
        if v.word == Verdict.REFUTED
    ]
    lines += [
        f'<p class="verdict {"refuted" if v.fails else "confirmed"}">{figure(v.expected)} is right in another convention than '
        f"{escape(v.what.replace('_', ' '))}, which is {figure(v.got)}: {escape(v.convention.words)}.</p>"
        for v in verdicts
        if v.word == Verdict.ELSEWHERE and v.convention is not None
    ]
    lines += [f'<p class="verdict {CLAIMS[r.word]}">{escape(r.words)}</p>' for r in judgement.refutations]
    right = [v for v in verdicts if v.word == Verdict.CONFIRMED]
    for word, style, figures in (
        ("Confirmed", "confirmed", [v.what for v in right if judgement.has_witness(v)]),
        ("As expected, but not confirmed", "unknown", [v.what for v in right if not judgement.has_witness(v)]),
    ):
        lines += [f'<p class="verdict {style}">{word}: {escape(", ".join(figures).replace("_", " "))}</p>'] if figures else []
    if unknown := [v.what for v in verdicts if v.word == Verdict.UNKNOWN]:
        lines.append(f'<p class="verdict unknown">Not known: {escape(", ".join(unknown).replace("_", " "))}</p>')
    if not verdicts and not lines:
        lines.append('<p class="soft">There are no expected counts to compare with.</p>')
    alarms = [f'<p class="alarm">Contradiction: {escape(w)}</p>' for w in report.confirmation.contradictions]
    return "\n".join([*lines, *alarms])


def why_none(reason: Reason | None) -> PagePart | None:
    """Return the argument why there is no solution, if there is one."""
    if reason is None:
        return None
    sentences = "\n".join(f"<p>{escape(s)}</p>" for s in reason.sentences)
    picture = f'<figure class="form">{reason.picture}</figure>' if reason.picture else ""
    heading = f"Why there is no solution: {escape(reason.argument)}"
    return folding("why", "Why there is none", heading, f"{sentences}\n{picture}")


def counts_sections(contents: ReportContents) -> tuple[PagePart | None, ...]:
    """Return the sections on the counts, on the expected counts, and on the counts by the number of uncovered atoms."""
    return _counts_section(contents), _expected_section(contents), _split_section(contents)


def _counts_section(contents: ReportContents) -> PagePart:
    """Return the counts and how each was obtained, the solutions that each symmetry leaves unchanged, and the results of each solver."""
    report = contents.report
    parts = []
    if report.complete:
        headings, rows = ("count", "number", "what it counts", "how it was obtained"), _count_rows(report)
        parts.append(table(headings, rows[:OUR_COUNTS], numeric=(1,)))
        if rows[OUR_COUNTS:]:
            parts.append(folded("Two counts of other people", table(headings, rows[OUR_COUNTS:], numeric=(1,))))
        parts.append(folded("Unchanged by each symmetry", _burnside(report)))
    else:
        parts.append(f"<p>Not known: {escape(report.status)} after {many(report.found, 'solution')}.</p>")
    titles, *solvers = report.solver_table
    agreement = "\n".join(report.confirmation.agreement)
    parts += [
        "<h3>Solvers</h3>",
        table(titles, [tuple(map(escape, row)) for row in solvers], numeric=(1, 4)),
        f"<p>Agreement: {escape(agreement)}</p>",
        f"<p>Placements: {escape(report.reduced.words)}.</p>",
    ]
    return folding("counts", "Counts", "Counts, and how each was obtained", "\n".join(parts))


def _count_rows(report: Report) -> list[Sequence[str]]:
    counts = report.counts
    first = next((r for r in report.rows if r.all is not None), report.rows[0])
    how = {
        "labelled": "from all, by the copies of each tile that a solution uses",
        "all": f"{first.solver}: {first.how}",
        "distinct": "one by one: a solution counts if none of its images comes before it"
        + ("; Burnside's lemma agrees" if report.burnside else "")
        if report.listed
        else "Burnside's lemma: the mean of what the symmetries leave unchanged",
        "labelled_distinct": "Burnside's lemma, with copies told apart",
        "labelled_turns": "from labelled, by the turns of each tile that look the same",
    }
    figures = {"labelled": _labelled(report), "all": number(counts.all), "distinct": number(counts.distinct)}
    figures |= {key: number(n) for key in ("labelled_distinct", "labelled_turns") if (n := getattr(counts, key)) is not None}
    is_known = {key: value not in (number(None), NOT_DEFINED) for key, value in figures.items()}
    more = dict.fromkeys(report.confirmation.proved_sound, "; also by a program proved sound")
    if report.agree is not False:
        more |= {key: "; counted only once" for key, by in report.witnesses.items() if not by}
    return [
        (
            key.replace("_", " "),
            value,
            MEANINGS[key],
            escape(how[key] + more.get(key, "")) if is_known[key] else "not counted" if value == number(None) else "copies without limit",
        )
        for key, value in figures.items()
    ]


def _burnside(report: Report) -> str:
    counts, symmetries = report.counts, report.built.problem.symmetries
    if counts.fixed is None:
        return "<p>How many solutions each symmetry leaves unchanged is not known.</p>"
    nonzero = [(name, n) for name, n in counts.fixed.items() if n or name == "identity" or len(symmetries) <= FEW_NAMES]
    zero = [name for name in counts.fixed if name not in dict(nonzero)]
    rows = [(escape(name), f"{n:,}") for name, n in nonzero]
    rows += [(f"each of the other {len(zero)}", "0")] if zero else []
    how = "each symmetry was applied to each solution" if report.listed else "one more count for each kind of symmetry"
    total, order = sum(counts.fixed.values()), len(symmetries)
    quotient = f"{total // order:,}" if total % order == 0 else f"{total / order:,.2f}"
    return (
        f"{table(('symmetry', 'solutions that it leaves unchanged'), rows, numeric=(1,))}\n"
        + (f'<p class="small">The others: {escape(", ".join(zero))}.</p>\n' if zero else "")
        + f"<p>How: {how}. Burnside's lemma: {total:,} / {order} = {quotient} distinct.</p>"
    )


def _expected_section(contents: ReportContents) -> PagePart | None:
    """Return a verdict for each figure that the instance expects or refutes."""
    report = contents.report
    verdicts, refuted = Judgement(report).verdicts, Judgement(report).refutations
    if not verdicts and not refuted:
        return None
    parts = []
    if verdicts:
        rows = [(escape(v.what.replace("_", " ")), figure(v.expected), figure(v.got), _verdict(v, report)) for v in verdicts]
        parts.append(table(("figure", "expected", "counted", "verdict"), rows, numeric=(1, 2)))
    if refuted:
        parts.append("<h3>Published counts that the instance refutes</h3>")
        parts += [f"<p>{escape(r.words)}</p>" for r in refuted]
    return folding("known", "Compared with known counts", "Compared with known counts", "\n".join(parts))


def _verdict(verdict: Verdict, report: Report) -> str:
    if verdict.word == Verdict.CONFIRMED and not Judgement(report).has_witness(verdict):
        return '<span class="unknown">as expected</span>'
    where = f": {escape(verdict.convention.words)}" if verdict.convention is not None else ""
    return f'<span class="{"refuted" if verdict.fails else CLASSES[verdict.word]}">{WORDS[verdict.word]}{where}</span>'


def _split_section(contents: ReportContents) -> PagePart | None:
    """Return the counts by the number of uncovered atoms, if the puzzle splits them."""
    report = contents.report
    split, counts = report.built.puzzle.split, report.counts
    if split is None or counts.split is None:
        return None
    labelled = counts.split_labelled
    headings = (escape(split.name), "all", *(("labelled",) if labelled is not None else ()))
    rows = [(str(k), f"{n:,}", *((f"{labelled[k]:,}",) if labelled is not None else ())) for k, n in counts.split.items()]
    return folding("split", f"By {escape(split.name)}", f"By {escape(split.name)}", table(headings, rows, numeric=(1, 2)))


def _labelled(report: Report) -> str:
    counts = report.counts
    return NOT_DEFINED if counts.labelled is None and counts.all is not None and report.listed else number(counts.labelled)
