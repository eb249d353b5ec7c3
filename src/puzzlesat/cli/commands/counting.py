"""The commands that count and list solutions and prove the counts.

They are ``count``, ``check`` and ``solve``, and for proofs ``prove``, ``certify``, ``verify`` and ``certificate-to-lrat``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from puzzlesat import base, checker, counting, pages, pictures, proofs
from puzzlesat.base import SILENT, EndedError, NotSupportedError, Progress, PuzzleError, many, write_file
from puzzlesat.cli import functions, options
from puzzlesat.cli.command import Call, command
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY, worse
from puzzlesat.cli.options import LIMITS, LONG, PREPARING, PROBLEMS, RULES, SOLVING, CountOptions, RuleOptions, above_zero, rules_said
from puzzlesat.cli.terminal import console, print_json, print_lines, print_picture, say, say_error
from puzzlesat.solvers import LISTING, SEED, TALLY, listing, spelled

if TYPE_CHECKING:
    from typing_extensions import Unpack


commands = typer.Typer()


@command(
    commands, functions.count, "puzzlesat count soma", "puzzlesat count tritetratan octogram --budget 20 -v",
    **RULES,
    puzzle=None,
    verbose=typer.Option("--verbose", "-v"),
    proved=typer.Option(rich_help_panel=SOLVING),
    transformed=typer.Option(rich_help_panel=SOLVING),
    **dict.fromkeys(("no_symmetry", "no_parity", "no_reduction", "colouring"), typer.Option(rich_help_panel=PREPARING)),
    limit=typer.Option(min=1),
    disk=typer.Option(metavar="FOLDER", rich_help_panel=LIMITS),
    disk_space=typer.Option(metavar="GIB", rich_help_panel=LIMITS, callback=above_zero),
    store=typer.Option(metavar="FILE", rich_help_panel=LONG),
    jobs=typer.Option(min=1, rich_help_panel=LONG),
)  # fmt: skip
def count(
    call: Call,
    instances: list[str],
    *,
    verbose: bool = False,
    store: Path | None = None,
    jobs: int | None = None,
    csv: Path | None = None,
    problem: str | None = None,
    json: bool = False,
    **options: Unpack[CountOptions],
) -> int:
    """Print the reports.

    Parameters
    ----------
    verbose
        Also show what each solver did, the symmetries and the sources.
    store
        Count one puzzle in units, and keep each result in FILE. Repeat the command to resume a count that was stopped.
    jobs
        With ``store``: count N units in parallel (default: one per core).

    """
    table = rules_said(options)
    room = None if (space := options.get("disk_space")) is None else int(space * 2**30)
    plan = call.plan(
        **{key: not call[f"no_{key}"] for key in ("symmetry", "parity", "reduction")},
        **{key: call[key] for key in ("transformed", "colouring", "proved")},
        limits=replace(call.limits, solutions=options.get("limit"), disk=options.get("disk"), disk_space=room),
    )
    if store is None:
        for option, value in (("--jobs", jobs), ("--dask", options.get("dask")), ("--single", options.get("single") or None)):
            if value is not None:
                raise typer.BadParameter("this option needs --store FILE", param_hint=option)
        from puzzlesat.cli.count import run_count

        return run_count(call, plan, table)
    for option, given in (("--proved", options.get("proved")), ("--csv", csv)):
        if given:
            raise typer.BadParameter(f"{option} is not available with --store; remove one of the two", param_hint=option)
    from puzzlesat.cli.count import run_count_stored

    return run_count_stored(call, plan, table)


@command(
    commands, functions.count, "puzzlesat check instances/legespiel --budget 10",
    puzzle=None,
    paths=typer.Argument(metavar="PATH", autocompletion=options.instances),
    jobs=typer.Option(min=1),
    store=typer.Option(metavar="FILE"),
    own_words=True,
)  # fmt: skip
def check(
    call: Call,
    paths: list[str] | None = None,
    *,
    jobs: int | None = None,
    store: Path | None = None,
    csv: Path | None = None,
    json: bool = False,
) -> int:
    """Compare expected counts ([expect]) with a fresh count.

    An instance may state a solution only. Then the command checks that solution.

    Parameters
    ----------
    paths
        Puzzles: names, files or folders (default: everything in the package).
    jobs
        Check N puzzles in parallel (default: 1, or one per core with --store).
    store
        Keep results in FILE, and skip what FILE says was checked in the same way.

    """
    from puzzlesat.cli.count import run_check, run_check_stored

    return run_check_stored(call) if store is not None or (jobs or 1) > 1 else run_check(call)


GOALS = ("pieces", "area", "holes")
WHICH = "Which solutions"
"""A panel of the help."""


@command(
    commands, functions.solve, "puzzlesat solve soma -n 3 --svg soma.svg", "puzzlesat solve octogram --with I.1@1.1 --json",
    "puzzlesat solve pentominoes-6x10 --nth 4711", "puzzlesat solve octogram --random 5 --seed 1",
    **RULES,
    puzzle=typer.Argument(
        metavar="INSTANCE",
        autocompletion=options.instances,
        help=f"A puzzle: a name from 'puzzlesat list', or a file ({PROBLEMS}).",
    ),
    number=typer.Option("-n", "--number", min=1),
    everything=typer.Option("--all"),
    nth=typer.Option(
        min=1, metavar="K", rich_help_panel=WHICH, help="Print solution number K (from 1) without listing the earlier ones."
    ),
    random=typer.Option(min=1, rich_help_panel=WHICH, help="Print N random solutions; every solution is equally likely."),
    seed=typer.Option(
        rich_help_panel=WHICH,
        help="Random seed; the same seed gives the same solutions. Default for --random: a new seed, which is printed.",
    ),
    distinct=typer.Option(help="Print one of each class of solutions that are rotations or reflections of each other."),
    given=typer.Option(
        "--with", metavar="PLACEMENT", rich_help_panel=WHICH, help="Only solutions with this placement, such as I.1@1.1."
    ),
    solver=typer.Option(
        metavar="NAME",
        rich_help_panel=SOLVING,
        autocompletion=options.words(*listing()),
        help=f"The solver: {spelled(listing())} (default: {LISTING}; {TALLY} for --nth and --random).",
    ),
    limit=None,
    partial=None,
    own_words=True,
)  # fmt: skip
def solve(
    call: Call,
    *,
    number: int | None = None,
    everything: bool = False,
    solver: str | None = None,
    svg: Path | None = None,
    png: Path | None = None,
    csv: Path | None = None,
    json: bool = False,
    **rules: Unpack[RuleOptions],
) -> int:
    """Find and print solutions, as text, JSON or pictures.

    --svg and --png draw all solutions on one sheet. Put {} into the file name to get one file per solution: 'soma-{}.svg' makes soma-1.svg.

    Parameters
    ----------
    number
        Print N solutions (default: 1).
    everything
        Print all solutions.

    """
    nth, random, seed, distinct = call["nth"], call["random"], call["seed"], call["distinct"]
    chosen = [option for option, is_given in {"-n": number, "--all": everything, "--nth": nth, "--random": random}.items() if is_given]
    if len(chosen) > 1:
        raise typer.BadParameter(f"use {' or '.join(chosen)}, not both")
    if nth and distinct:
        raise typer.BadParameter("--nth numbers all solutions, so it does not work with --distinct; remove --distinct, or use --random N")
    table = rules_said(rules)
    if nth or random:
        from puzzlesat.cli.show import run_solve_numbered

        pick = counting.Pick(nth or (), random, distinct=distinct) if seed is None else counting.Pick(nth or (), random, seed, distinct)
        return run_solve_numbered(call, pick, solver, table)
    from puzzlesat.cli.show import run_solve

    most = None if everything else number or 1
    return run_solve(call, most, SEED if seed is None else seed, LISTING if solver is None else solver, table)


@command(
    commands, functions.best, "puzzlesat best skew-tetrominoes-8x8", "puzzlesat best my-box.toml --fewest holes --svg best.svg",
    most=typer.Option(metavar="WHAT", autocompletion=options.words(*GOALS)),
    fewest=typer.Option(metavar="WHAT", autocompletion=options.words(*GOALS)),
)  # fmt: skip
def best(call: Call, *, svg: Path | None = None, json: bool = False) -> int:
    """Print the best value, a solution, and what proves the value.

    Parameters
    ----------
    svg
        Draw the best solution.

    """
    from puzzlesat.cli.output import write_pictures

    found = call(call["puzzle"])
    report = found.report
    if json:
        count = None if report is None else counting.Judgement(report).as_json()
        answer = {"most": found.goal.most, "what": found.goal.what, "value": found.value, "bound": found.bound}
        proved = {"proved_by": list(found.proved_by), "argument": list(found.argument), "count": count}
        solution = list(found.solutions[0].names) if found.solutions else None
        ended = {"complete": found.complete, "why": found.why}
        print_json({"instance": call["puzzle"], "sentence": found.sentence, **ended, **answer, "solution": solution, **proved})
    else:
        out = console()
        say(out, f"{found.instance.title}  ({call['puzzle']})", style="bold", hang=2)
        for line in filter(None, (found.sentence, found.proof)):
            say(out, f"  {line}", hang=4)
        if found.weights:
            out.print()
            print_picture(out, pictures.WeightedForm(found.built, found.weights).text(), "")
            for line in found.argument:
                say(out, f"  {line}", hang=4)
        if report is not None:
            say(out, f"  {report.sentence}", hang=4)
        if found.row is not None:
            out.print()
            print_picture(
                out, pictures.SolutionPictures(found.built).text(found.row), f"draw it with puzzlesat best {call['puzzle']} --svg FILE"
            )
    if found.row is not None:
        write_pictures(svg, None, partial(pictures.solution_svg, found.built, found.row), says=not json)
    return DONE if found.complete else STOPPED_EARLY


# proofs -----------------------------------------------------------------------------------------------------------------------


@command(commands, functions.prove, "puzzlesat prove mutilated-chessboard", "puzzlesat prove my-form.toml -o my-form.proof")
def prove(call: Call, *, svg: Path | None = None, json: bool = False) -> int:
    """Print the proof, or a solution.

    Parameters
    ----------
    svg
        Draw the colouring, if the proof uses one.

    """
    from puzzlesat.cli.output import with_size

    name, proved = call["puzzle"], call(call["puzzle"])
    if json:
        print_json({"instance": name, **proof_as_json(proved)})
    if proved.finding is None:
        say_error(f"puzzlesat: {proved.why}")
        return STOPPED_EARLY
    built, finding, written = proved.built, proved.finding, proved.certificate
    if svg is not None and finding.weighting is not None:
        write_file(svg, pictures.WeightedForm(built, finding.weighting.weights, finding.weighting.modulus).svg())
    if json:
        return DONE
    out = console()
    say(out, f"{built.instance.title}  ({name}) {proved.verdict}", style="bold", hang=2)
    for sentence in [*finding.sentences, *(["One solution:"] if finding.solvable else [])]:
        say(out, f"  {sentence}", hang=4)
    if proved.solvable is False and (hint := counting.order_of_sides(built.puzzle)):
        say(out, f"  {hint}", hang=4)
    if (drawn := pages.finding_text(built, finding)) is not None:
        out.print()
        by = f"puzzlesat solve {name} --svg FILE" if finding.solvable else "--svg FILE"
        print_picture(out, drawn, f"draw it with {by}")
        out.print()
    if written is not None:
        say(console(), f"certificate: {with_size(written)}; check it with: puzzlesat verify {written}")
    if (call["output"] is not None and written is None) or (svg is not None and finding.weighting is None):
        what = (
            "no certificate was written, because there is a solution"
            if written is None and call["output"]
            else "there is no colouring to draw"
        )
        say_error(f"puzzlesat: {what}")
    return DONE


@command(
    commands, functions.certify, "puzzlesat certify tritetratan -o tritetratan.proof",
    kind=typer.Option(metavar="NAME", autocompletion=options.words(*options.KINDS)),
)  # fmt: skip
def certify(call: Call, *, json: bool = False) -> int:
    """Print the counts, and where the certificate is."""
    from puzzlesat.cli.output import with_size

    name, output, kind = call["puzzle"], call["output"], call["kind"]
    certified = call(name)
    if json:
        ended = {"complete": certified.complete, "why": certified.why}
        file = {"certificate": str(output) if certified.complete else None, "kind": kind, "bytes": certified.size, "work": certified.work}
        print_json({"instance": name, **ended, **file, **asdict(certified.counts)})
    if not certified.complete:
        say_error(f"puzzlesat: {certified.why}")
        return STOPPED_EARLY
    if not json:
        work = ", ".join(Progress.in_words(certified.work))
        say(console(), f"{name}: {checker.counts_in_words(certified.counts)}  ({work})")
        say(console(), f"certificate: {with_size(Path(output))}; check it with: puzzlesat verify {output}")
    return DONE


@command(commands, None, "puzzlesat certificate-to-lrat soma.proof -o soma", name="certificate-to-lrat",
    output=typer.Option("--output", "-o", metavar="NAME"))  # fmt: skip
def certificate_to_lrat(call: Call, file: Path, *, output: Path, binary: bool = False) -> int:
    """Write a certificate as DIMACS and LRAT, for other checkers.

    DIMACS has the formula, and LRAT the proof.

    Parameters
    ----------
    file
        A certificate of kind tree or lrat.
    output
        Write NAME.cnf and NAME.lrat.
    binary
        Write binary LRAT.

    """
    formula, proof = output.with_name(output.name + ".cnf"), output.with_name(output.name + ".lrat")
    base.check_output(formula)
    base.check_output(proof)
    base.check_apart(file, formula, proof)
    try:
        steps = proofs.certificate_to_lrat(file, formula, proof, binary=binary)
    except checker.Rejected as error:
        say_error(f"puzzlesat: {file}: {error}")
        return FAILED
    say(console(), f"{formula} and {proof}: {many(steps, 'step')}; check them with: lrat-check {formula} {proof}")
    return DONE


def proof_as_json(proved: proofs.Proof) -> dict[str, object]:
    """Return a proof as the documented JSON object, without the name of the instance; None for what is not known."""
    return {
        "complete": proved.complete,
        "why": proved.why,
        "solvable": proved.solvable,
        "argument": proved.argument,
        "sentences": proved.sentences if proved.complete else [],
        "solution": list(proved.solutions[0].names) if proved.solutions else None,
        "certificate": None if proved.certificate is None else str(proved.certificate),
    }


BESIDE_LABELS = 16
"""Column of the text after a label."""
IN_WORDS = re.compile(r"[^#o.+\d\s]")
"""Matches a character that occurs in text, but not in a row of a picture. Rows of pictures are not folded."""
ENDED = {"complete": True, "why": None}
"""JSON of a check that came to its end, with any result."""
SAID = ("name", "kind", "counts", "checked", "unproved", "believed", "read")
"""Fields of ``Verified`` in the JSON of an accepted certificate."""


@command(
    commands, functions.verify, "puzzlesat verify tritetratan.proof --instance tritetratan",
    file=None,
    puzzle=typer.Option(
        "--instance", metavar="INSTANCE", autocompletion=options.instances, help="Also confirm that the certificate is about this puzzle."
    ),
)  # fmt: skip
def verify(call: Call, files: list[Path], *, verified: bool = False, problem: str | None = None, json: bool = False) -> int:
    """Print what was checked.

    Parameters
    ----------
    files
        Certificates.
    verified
        Check with puzzlesat-verified, a program that is proved sound (for trees, removals and weightings).

    """
    from puzzlesat.cli.endings import why_failed

    program = _proved_sound() if verified else None
    worst = DONE
    for path in files:
        try:
            with call.working(str(path)) as (_, told), told.overseen():
                found, sound = _checked(call, path, partial(told.of("checking"), {}), program)
        except checker.Rejected as error:
            worst = worse(worst, FAILED)
            if json:
                print_json({"file": str(path), **ENDED, "accepted": False, "reason": str(error)})
            else:
                say_error(f"puzzlesat: {path}: rejected: {error}")
            continue
        except EndedError as ended:
            if json:
                print_json({"file": str(path), "complete": False, "why": ended.words, "accepted": None})
            say_error(f"puzzlesat: {path}: not known: {ended.words}")
            worst = worse(worst, STOPPED_EARLY)
            if ended.status == "interrupted":
                break
            continue
        except (NotSupportedError, OSError) as error:
            say_error(f"puzzlesat: {path}: {why_failed(error) if isinstance(error, OSError) else error}")
            worst = worse(worst, BAD_INPUT)
            continue
        if json:
            fields = asdict(found)
            record = {key: fields[key] for key in SAID} | {"proved_sound": {name: name in sound for name in fields["counts"]}}
            print_json({"file": str(path), **ENDED, "accepted": True, **record})
        else:
            _show(path, found, "by a program that is proved sound" if sound else "")
    return worst


def _show(path: Path, found: checker.Verified, by: str) -> None:
    out = console()
    say(out, f"{path}: the puzzle that it states")
    for line in found.read:
        if IN_WORDS.search(line, BESIDE_LABELS):
            say(out, line, hang=BESIDE_LABELS)
        else:
            print_lines([line])
    say(out, ", ".join(filter(None, (f"{path}: accepted", by))))
    parts = ("checked", found.checked), ("unproved", found.unproved), ("taken on trust", found.believed)
    for what, sentences in parts:
        for sentence in sentences:
            say(out, f"  {what:<14}  {sentence}", hang=18)
            what = ""


def _checked(call: Call, path: Path, go_on: Callable[[], object], program: Path | None) -> tuple[checker.Verified, tuple[str, ...]]:
    """Check a certificate with Python or with the proved ``program``; return the result, and the names of counts proved sound.

    Raises Rejected, also if the certificate belongs to another puzzle than the user named.
    """
    name, compared = call["puzzle"], ""
    trusted: tuple[str, ...] = ()
    sound: tuple[str, ...] = ()
    if program is not None:
        proved = proofs.check_by_proof(path, program, go_on)
        sound, trusted = proved.sound, (f"that Python, which compared it, compiles {name} as it is meant",)
        result = checker.Verified(proved.name, proved.kind, proved.counts, proved.read, proved.checked, proved.unproved, proved.believed)
        compared = proved.check_states(call.instance(SILENT), name) if name else ""
    else:
        result = checker.check_certificate(path, go_on)
        if name:
            compared = proofs.check_states(path, call.instance(SILENT), name)
    if name:
        result = replace(result, checked=(*result.checked, compared), believed=(*trusted, *result.believed[1:]))
    return result, sound


def _proved_sound() -> Path:
    """Return the checker that is proved sound. Raises PuzzleError if it is not built."""
    if (program := proofs.program()) is None:
        raise PuzzleError(proofs.HOW_TO_BUILD)
    return program
