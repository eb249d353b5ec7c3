"""The counts of a page: what they are, how each was obtained, and what is expected of them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from puzzlesat.counting.confirmation import agreement, confirmation, first_sentence
from puzzlesat.counting.facts import rules_said
from puzzlesat.counting.report import Report
from puzzlesat.counting.verdict import CONFIRMED, ELSEWHERE, REFUTED, UNKNOWN, Verdict, has_witness, refutations, verdicts
from puzzlesat.counting.words import NOT_KNOWN, SOLVER_HEADINGS, number, placements_words, refutation_words, solver_cells
from puzzlesat.draw.page.contents import Contents, Reason, what_is_missing
from puzzlesat.draw.page.parts import Part, folded, folding
from puzzlesat.draw.page.words import figure, table
from puzzlesat.errors import many

FEW_NAMES = 8
"""Symmetries up to which each has a line of its own, whatever it leaves unchanged."""
OUR_COUNTS = 3
"""Counts that everyone reads: labelled, all, distinct. The others are for those who compare with other people's figures."""
NOT_DEFINED = "not defined"
MEANINGS = {
    "labelled": "copies of a tile are told apart",
    "all": "copies are not told apart; what looks the same is the same",
    "distinct": "all, up to the symmetries of the form that the rules allow",
    "labelled_distinct": "labelled, up to the symmetries of the form",
    "labelled_turns": "labelled, and turns of a tile that look the same are told apart",
}
CLASSES = {CONFIRMED: "confirmed", REFUTED: "refuted", UNKNOWN: "unknown", ELSEWHERE: "confirmed"}
CLAIMS = {REFUTED: "claim", CONFIRMED: "refuted", UNKNOWN: "unknown", ELSEWHERE: "refuted"}
"""How a published count looks that the instance refutes: that the count bears it out is what fails."""
WORDS = {CONFIRMED: "confirmed", REFUTED: "not as expected", UNKNOWN: "not known", ELSEWHERE: "right in another convention"}


def first_lines(contents: Contents) -> str:
    """Return the sentence that says it all, after what is missing on the page, should it be incomplete; and which solutions count."""
    style = {True: "confirmed", False: "refuted", None: "unknown"}[contents.report.agree]
    missing, rules = what_is_missing(contents), rules_said(contents.report.instance.puzzle)
    lines = [f'<p class="alarm" id="incomplete">{escape(missing)}</p>'] if missing else []
    lines.append(f'<p class="first {style}" id="sentence">{escape(first_sentence(contents.report))}</p>')
    lines += [f'<p class="rule">{escape(rule)}</p>' for rule in rules]
    return "\n".join(lines)


def key_figures(contents: Contents) -> str:
    """Return the figures that a reader looks for first."""
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


def verdict_lines(contents: Contents) -> str:
    """Return in a few lines what is confirmed, refuted or not known, and what contradicts what."""
    report = contents.report
    lines = []
    found = verdicts(report)
    lines += [
        f'<p class="verdict refuted">Not as expected: {escape(v.what)} is {figure(v.got)}, expected {figure(v.expected)}.</p>'
        for v in found
        if v.word == REFUTED
    ]
    lines += [
        f'<p class="verdict {"refuted" if v.fails else "confirmed"}">{figure(v.expected)} is right in another convention than '
        f"{escape(v.what.replace('_', ' '))}, which is {figure(v.got)}: {escape(v.convention.words)}.</p>"
        for v in found
        if v.word == ELSEWHERE and v.convention is not None
    ]
    lines += [f'<p class="verdict {CLAIMS[r.word]}">{escape(refutation_words(r))}</p>' for r in refutations(report)]
    right = [v for v in found if v.word == CONFIRMED]
    for word, style, some in (
        ("Confirmed", "confirmed", [v.what for v in right if has_witness(v, report)]),
        ("As expected, but not confirmed", "unknown", [v.what for v in right if not has_witness(v, report)]),
    ):
        lines += [f'<p class="verdict {style}">{word}: {escape(", ".join(some).replace("_", " "))}</p>'] if some else []
    if unknown := [v.what for v in found if v.word == UNKNOWN]:
        lines.append(f'<p class="verdict unknown">Not known: {escape(", ".join(unknown).replace("_", " "))}</p>')
    if not found and not lines:
        lines.append('<p class="soft">There are no expected counts to compare with.</p>')
    return "\n".join([*lines, *_alarms(contents)])


def _alarms(contents: Contents) -> list[str]:
    """What contradicts what."""
    return [f'<p class="alarm">Contradiction: {escape(w)}</p>' for w in confirmation(contents.report).contradictions]


def why_none(reason: Reason | None) -> Part | None:
    """Return the argument why there is no solution, if there is one."""
    if reason is None:
        return None
    sentences = "\n".join(f"<p>{escape(s)}</p>" for s in reason.sentences)
    picture = f'<figure class="form">{reason.picture}</figure>' if reason.picture else ""
    heading = f"Why there is no solution: {escape(reason.argument)}"
    return folding("why", "Why there is none", heading, f"{sentences}\n{picture}")


def counts_section(contents: Contents) -> Part:
    """Return the counts with how each was obtained, what each symmetry leaves unchanged, and what each solver did."""
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
    parts += [
        "<h3>Solvers</h3>",
        table(SOLVER_HEADINGS, [tuple(map(escape, solver_cells(row, report))) for row in report.rows], numeric=(1, 4)),
        f"<p>Agreement: {escape(agreement(report))}</p>",
        f"<p>Placements: {escape(placements_words(report.reduced))}.</p>",
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
    known = {key: value not in (NOT_KNOWN, NOT_DEFINED) for key, value in figures.items()}
    more = dict.fromkeys(confirmation(report).proved_sound, "; also by a program proved sound")
    if report.agree is not False:
        more |= {key: "; counted only once" for key, by in report.witnesses.items() if not by}
    return [
        (
            key.replace("_", " "),
            value,
            MEANINGS[key],
            escape(how[key] + more.get(key, "")) if known[key] else "not counted" if value == NOT_KNOWN else "copies without limit",
        )
        for key, value in figures.items()
    ]


def _burnside(report: Report) -> str:
    counts, symmetries = report.counts, report.built.problem.symmetries
    if counts.fixed is None:
        return "<p>How many solutions each symmetry leaves unchanged is not known.</p>"
    some = [(name, n) for name, n in counts.fixed.items() if n or name == "identity" or len(symmetries) <= FEW_NAMES]
    none = [name for name in counts.fixed if name not in dict(some)]
    rows = [(escape(name), f"{n:,}") for name, n in some]
    rows += [(f"each of the other {len(none)}", "0")] if none else []
    how = "each symmetry was applied to each solution" if report.listed else "one more count for each kind of symmetry"
    total = sum(counts.fixed.values())
    return (
        f"{table(('symmetry', 'solutions that it leaves unchanged'), rows, numeric=(1,))}\n"
        + (f'<p class="small">The others: {escape(", ".join(none))}.</p>\n' if none else "")
        + f"<p>How: {how}. Burnside's lemma: {total:,} / {len(symmetries)} = {_quotient(total, len(symmetries))} distinct.</p>"
    )


def _quotient(total: int, order: int) -> str:
    return f"{total // order:,}" if total % order == 0 else f"{total / order:,.2f}"


def expected_section(contents: Contents) -> Part | None:
    """Return a verdict for each figure that the instance expects or refutes."""
    report = contents.report
    found = verdicts(report)
    refuted = refutations(report)
    if not found and not refuted:
        return None
    parts = []
    if found:
        rows = [(escape(v.what.replace("_", " ")), figure(v.expected), figure(v.got), _verdict(v, report)) for v in found]
        parts.append(table(("figure", "expected", "counted", "verdict"), rows, numeric=(1, 2)))
    if refuted:
        parts.append("<h3>Published counts that the instance refutes</h3>")
        parts += [f"<p>{escape(refutation_words(r))}</p>" for r in refuted]
    return folding("known", "Compared with known counts", "Compared with known counts", "\n".join(parts))


def _verdict(verdict: Verdict, report: Report) -> str:
    if verdict.word == CONFIRMED and not has_witness(verdict, report):
        return '<span class="unknown">as expected</span>'
    where = f": {escape(verdict.convention.words)}" if verdict.convention is not None else ""
    return f'<span class="{"refuted" if verdict.fails else CLASSES[verdict.word]}">{WORDS[verdict.word]}{where}</span>'


def split_section(contents: Contents) -> Part | None:
    """Return the counts by the number of atoms left uncovered, where the puzzle asks for them."""
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
