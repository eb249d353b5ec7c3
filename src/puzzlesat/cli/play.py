"""The commands for a player: ``puzzlesat hint``, ``puzzlesat challenge``, ``puzzlesat apart``, and in a browser ``studio`` and ``site``."""

from __future__ import annotations

import json as jsonlib
import webbrowser
import zlib
from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import typer
from rich.console import Console

from puzzlesat import counting, disassembly, formats, pages, pictures
from puzzlesat.base import Clock, Limits, PuzzleError, check_apart, check_output, is_file, listed, many, text_of, write_file
from puzzlesat.cli.command import Call
from puzzlesat.cli.exit_status import DONE, STOPPED_EARLY
from puzzlesat.cli.functions.solving import taken_apart
from puzzlesat.cli.output import cut_short, say_unfinished, stays, write_picture, write_pictures
from puzzlesat.cli.terminal import console, has_colours, print_json, print_picture, print_table, say, say_error, stoppable, width_of
from puzzlesat.playing import Hint, Position, blank_picture, position_text, sentences
from puzzlesat.playing import as_json as hint_as_json
from puzzlesat.puzzles import MAX_OF_A_PUZZLE, Instance, build_instance, kind_of_table


def print_blank(call: Call) -> int:
    """Print the empty form; return the exit status."""
    with call.working(call["puzzle"]) as (limits, told):
        print(blank_picture(build_instance(call.instance(told), progress=told, limits=limits)), end="")
    return DONE


def run_hint(call: Call) -> int:
    """Print a hint on a position; return the exit status."""
    hint = call(call["puzzle"]) if call["picture"] is None else _of_picture(call, call["picture"])
    if isinstance(hint.subject, Instance):
        return cut_short({}, hint.far, as_json=call["json"])
    write_pictures(call["svg"], call["png"], partial(_drawn, hint), stopped=hint.stopped, says=False)
    if call["json"]:
        print_json(hint_as_json(hint))
    else:
        _print_hint(console(), hint)
    return DONE if hint.decided else STOPPED_EARLY


def _of_picture(call: Call, picture: Path) -> Any:
    """Return a hint on the position in a text picture."""
    if call["placed"]:
        raise PuzzleError("give the position as placements or with --picture, not both")
    with call.working(call["puzzle"]) as (_, told):
        instance = call.instance(told)
        text = text_of(picture, MAX_OF_A_PUZZLE, pipe=True)
        try:
            return call.made(puzzle=instance, placed=text)
        except PuzzleError as error:
            raise (error if str(picture) == "-" else error.under(f"{picture}: ")) from None


def _print_hint(out: Console, hint: Hint) -> None:
    position = hint.position
    new = [hint.further.option] if hint.further is not None else []
    shown = Position(position.built, (*position.placed, *new))
    text, plain = position_text(shown, new=new, width=width_of(out))
    print_picture(out, text if has_colours(out) else plain, "draw it with --svg FILE or --png FILE")
    out.print()
    for sentence in sentences(hint):
        say(out, sentence, hang=2)


def _drawn(hint: Hint) -> str:
    """Return a picture of the position, with the next piece if the hint has it."""
    built, words = hint.position.built, sentences(hint)
    new = [hint.further.option] if hint.further is not None else []
    title = [*words[1:2], f"Next: {built.problem.options[new[0]]}."] if new else words[:2]
    return pictures.solution_svg(built, [*hint.position.everything, *new], title=" ".join(title))


PICTURES = (".svg", ".png")
KINDS = (".html", *PICTURES, ".txt", ".json")


def run_challenge(call: Call) -> int:
    """Print starting positions, or write them to a file; return the exit status."""
    output, as_json = call.output, call["json"]
    if output is not None and output.suffix not in KINDS:
        raise PuzzleError(f"{output}: expected a name that ends in {', '.join(KINDS)}")
    if output is not None and output.suffix in PICTURES:
        check_output(_beside(output, "solutions"))
    if as_json and output is not None:
        raise PuzzleError("use --json or -o FILE.json, not both")
    name, sheet = call["puzzle"], call(call["puzzle"])
    made, early = sheet.challenges, not (sheet.complete or sheet.exhausted)
    if not made and as_json:
        print_json({"instance": name, "complete": sheet.complete, "why": sheet.why})
    if sheet.why is not None:
        say_error(f"puzzlesat: {sheet.why}")
    elif not made:
        say_error("puzzlesat: no position was found")
    if made and not (output is not None and stays(output, stopped=early)):
        _write(sheet, output, as_json=as_json)
    return STOPPED_EARLY if early else DONE


def _write(sheet: pages.Sheet, output: Path | None, *, as_json: bool) -> None:
    """Print the sheet, or write it in the format of the file's suffix."""
    lines = "".join(jsonlib.dumps(entry, ensure_ascii=False) + "\n" for entry in pages.sheet_json(sheet))
    if output is None:
        if as_json:
            print(lines, end="")
        else:
            _print_challenge(console(), sheet)
        return
    written = [output]
    if output.suffix == ".json":
        write_file(output, lines)
    elif output.suffix == ".txt":
        write_file(output, pages.sheet_text(sheet, solutions=True))
    elif output.suffix == ".html":
        write_file(output, pages.sheet_html(sheet, german=pages.in_german))
    else:
        positions, solutions = pages.sheet_svg(sheet)
        drawn = {output: positions, _beside(output, "solutions"): solutions}
        if output.suffix == ".svg":
            drawn |= {_beside(output, name): page for name, page in pages.paper_pages(sheet).items()}
        written = list(drawn)
        for file, svg in drawn.items():
            write_picture(svg, file, as_png=file.suffix == ".png")
    say(console(), f"{many(len(sheet.challenges), 'position')} (seed {sheet.seed}): {', '.join(map(str, written))}")


def _beside(output: Path, name: str) -> Path:
    return output.with_stem(f"{output.stem}-{name}")


def _print_challenge(out: Console, sheet: pages.Sheet) -> None:
    """Print the positions, folded at the edge of the terminal."""
    for number, (caption, picture) in enumerate(pages.sheet_parts(sheet, width_of(out))):
        if number:
            out.print()
        for line in caption.splitlines():
            say(out, line, hang=6)
        if picture:
            out.print()
            print_picture(out, picture, "draw it with -o FILE.html")


MAX_NAMED = 8
"""Maximum number of assemblies that a row of the table names."""
STATES = (".svg", ".json", ".graphml")
"""Suffixes of files for a graph of states."""


def run_apart(call: Call) -> int:
    """Take the solutions of a puzzle apart, and print the results; return the exit status."""
    if call["nth"] is not None and call["limit"] is not None:
        raise typer.BadParameter("use --nth or --limit, not both")
    to_draw = call["states"]
    if to_draw is not None and call["turns"]:
        raise typer.BadParameter("--states is about pieces that slide; leave out --turns")
    name = call["puzzle"]
    options = counting.ApartOptions(
        call["everything"], call["limit"], call["nth"], call.output, disassembly.bevel_of(call["bevel"], turns=call["turns"])
    )
    check_output(to_draw)
    if to_draw is not None and to_draw.suffix.lower() not in STATES:
        raise PuzzleError(f"--states: expected a file name that ends in {listed(STATES, len(STATES))}, got {to_draw.name!r}")
    check_apart(name, options.file, call["svg"], call["png"], to_draw)
    from puzzlesat.cli.burrtools_solutions import write_for_burrtools

    out, clock = console(), Clock(Limits())

    def tell(each: counting.Assembly) -> None:
        if call["json"]:
            print_json({"instance": each.built.instance.name} | each.record)

    with stoppable() as stop, call.working(name, stop=stop) as (limits, told):
        built = build_instance(call.instance(told), progress=told, limits=limits)
        result, outcome = taken_apart(built, options, call["jobs"], limits, told, tell)
        best = next(iter(result.assemblies), None)
        states = best.graph(limits, progress=told) if to_draw is not None and best is not None else None
    most = disassembly.most_checked(turns=result.turns is not None)
    unchecked = sum(not each.checked and each.apart is not None and each.answer.closed <= most for each in result.assemblies)
    if options.nth is not None and best is None and result.why is None:
        raise PuzzleError(f"{built.instance.name} has no solution {options.nth}; --nth takes a number that 'puzzlesat apart' prints")
    late = "interrupted before everything was checked" if stop.is_set() and unchecked else None
    result = replace(result, why=result.why or late, seconds=clock.seconds)
    if call["json"]:
        _print_apart_json(result)
    else:
        cut = "interrupted" if stop.is_set() else "stopped by the limit" if limits.have_deadline else ""
        checks = f"; the check of {unchecked:,} was {cut}" if unchecked and cut else ""
        _tell_apart(out, result, options, f"{name} --problem {call.problem}" if call.problem else name, checks)
    _draw_steps(call, result, stopped=stop.is_set())
    _write_states(out, call, result, states, stopped=stop.is_set())
    file = options.for_burrtools
    if file is not None and not stays(file, stopped=stop.is_set()):
        write_for_burrtools(file, options, result, outcome, clock.seconds)
        if not call["json"]:
            say(out, f"for BurrTools: {file}", hang=2)
    say_unfinished(result.why, None if file is not None else options.file)
    return DONE if result.why is None and (states is None or states.complete) else STOPPED_EARLY


# output --------------------------------------------------------------------------------------------------------------------


def _print_apart_json(known: counting.Apart) -> None:
    summary = {
        "assemblies": len(known.assemblies),
        "apart": sum(known.levels.values()),
        "undecided": sum(each.apart is None for each in known.assemblies),
        "checked": sum(each.checked for each in known.assemblies),
        **{key: getattr(known, key) for key in ("levels", "burrtools_levels", "unique", "unique_highest", "complete")},
        "agree": None,
        "why": known.why,
    }
    print_json({"instance": known.instance.name, **summary, "seconds": round(known.seconds, 2)})


def _tell_apart(out: Console, known: counting.Apart, options: counting.ApartOptions, named: str, checks: str) -> None:
    """Print how many assemblies come apart and at which levels, or the steps of a single assembly.

    ``named`` is the puzzle on a command line; ``checks`` says which checks were cut off.
    """
    from puzzlesat.cli.burrtools_solutions import stored_words

    assemblies = known.assemblies
    if options.nth is not None and assemblies:
        _print_steps(out, known.instance.title, assemblies[0])
        _tell_turns(out, known)
        return
    apart, undecided = sum(known.levels.values()), sum(each.apart is None for each in assemblies)
    what = many(len(assemblies), "solution" if options.everything else "assembly", None if options.everything else "assemblies")
    left = f", {undecided:,} are not decided" if undecided else ""
    single = sum(len(each.names) < 2 for each in assemblies)
    left += f"; {single:,} {'has' if single == 1 else 'have'} fewer than two pieces" if single else ""
    say(out, f"{known.instance.title}: {what}, {apart:,} come{'s' if apart == 1 else ''} apart{left}", style="bold", hang=2)
    if apart:
        _print_levels(out, known)
        if known.unique_highest and not options.everything and not options.limit and len(assemblies) > 1:
            only = f"only assembly {assemblies[0].number} "
            say(out, only + ("comes apart" if apart == 1 else f"has the highest level, {assemblies[0].level}"), hang=2)
    elif len(assemblies) == 1:
        _print_steps(out, known.instance.title, assemblies[0])
    _tell_turns(out, known)
    if (stored := stored_words(known.built)) is not None:
        say(out, f"stored in the file, as BurrTools counts: {stored}", hang=2)
    if len(assemblies) > undecided + single:
        say(out, _checked(known, len(assemblies) - undecided, checks), style="dim", hang=2)
    if assemblies and known.complete and options.limit is None:
        number = "their number" if len(assemblies) > 1 else "the number of assemblies"
        say(out, f"{number} was counted only once; 'puzzlesat count {named}' counts it again", style="dim", hang=2)
    if apart:
        say(out, f"the steps of one: puzzlesat apart {named}{options.turn_options} --nth {assemblies[0].number}", style="dim", hang=2)


def _print_levels(out: Console, known: counting.Apart) -> None:
    """Print the number of assemblies of each level."""
    by_level: dict[str, list[counting.Assembly]] = defaultdict(list)
    for each in known.assemblies:
        if each.level is not None:
            by_level[each.level].append(each)
    others = {level: counting.Assembly.other_levels(those) for level, those in by_level.items()}
    column = any(others.values())  # no column if BurrTools prints the same level for all
    rows = [
        [
            counting.Assembly.level_words(those),
            *([others[level] or ("the same" if all(a.burrtools_level is not None for a in those) else "not known")] if column else []),
            _totals(those),
            f"{len(those):,}",
            listed([each.number for each in those], MAX_NAMED),
        ]
        for level, those in by_level.items()
    ]
    print_table(out, ["level", *(["BurrTools prints"] if column else []), "moves", "assemblies", "numbers"], rows)


def _totals(those: Sequence[counting.Assembly]) -> str:
    """Return the range of the total moves of some assemblies."""
    totals = {each.total or 0 for each in those}
    return f"{min(totals)}" if len(totals) == 1 else f"{min(totals)} to {max(totals)}"


def _checked(known: counting.Apart, decided: int, checks: str) -> str:
    """Return how many answers were checked, and how; ``checks`` says which checks were cut off."""
    turns, checked = known.turns is not None, sum(each.checked for each in known.assemblies)
    most = disassembly.most_checked(turns=turns)
    large = sum(each.answer.closed > most for each in known.assemblies if not each.checked)
    why = f"; {large:,} have more than {most:,} positions" if large else ""
    return disassembly.checked_words(checked, decided, remark=why + checks, turns=turns)


def _print_steps(out: Console, title: str, found: counting.Assembly) -> None:
    level = f", level {found.level_words([found])}" if found.level is not None else ""
    if (other := found.other_levels([found])) is not None:
        level += f" (BurrTools prints {other})"
    say(out, f"{title}, assembly {found.number}{level}: {' '.join(found.names)}", style="bold", hang=2)
    for sentence in found.answer.sentences(found.names):
        say(out, sentence, hang=4)
    if found.first is not None and found.total is not None:
        looked = many(found.answer.positions, "position")
        say(out, f"first piece away after {many(found.first, 'move')}, {many(found.total, 'move')} in all, {looked} searched", hang=2)


def _tell_turns(out: Console, known: counting.Apart) -> None:
    """Print that pieces can be turned too, if no assembly comes apart by sliding."""
    stuck = known.assemblies and all(each.answer.stuck for each in known.assemblies)
    if known.turns is None and stuck and disassembly.no_turns(known.built.puzzle) is None:
        say(out, "these pieces were only slid; add --turns to turn them too", hang=2)


def _write_states(out: Console, call: Call, known: counting.Apart, states: disassembly.States | None, *, stopped: bool) -> None:
    """Write the graph of states of the assembly with the most moves."""
    file, best, instance = call["states"], next(iter(known.assemblies), None), known.instance
    if file is None or stays(file, stopped=stopped):
        return
    if states is None or best is None:
        say_error(f"puzzlesat: {file} is not written: there is no assembly")
        return
    if file.suffix.lower() == ".svg":
        write_file(file, pictures.StateGraph(states).svg(f"{instance.title}, assembly {best.number}"))
    elif file.suffix.lower() == ".json":
        write_file(file, states.to_json(best.names, {"instance": instance.name, "number": best.number}))
    else:
        write_file(file, states.to_graphml(best.names))
    if not call["json"]:
        for words in states.sentences():
            say(out, words, hang=2)
        say(out, f"graph of the states of assembly {best.number}: {file}", hang=2)


def _draw_steps(call: Call, known: counting.Apart, *, stopped: bool) -> None:
    """Draw the steps of the assembly with the most moves."""
    best = next(iter(known.assemblies), None)
    if best is None or best.answer.parting is None:
        for file in filter(None, (call["svg"], call["png"])):
            if not stays(file, stopped=stopped):
                say_error(f"puzzlesat: {file} is not written: nothing comes apart")
        return
    title = f"{known.instance.title}, assembly {best.number}, level {best.level_words([best])}"
    drawn = pictures.TakingApart(best.built, best.options, best.answer)
    write_pictures(call["svg"], call["png"], partial(drawn.svg, title), stopped=stopped, says=not call["json"])


LIBRARIES = ("starlette", "uvicorn")


def run_studio(puzzle: str | None, *, port: int | None, browser: bool) -> int:
    """Serve the page until Ctrl-C; return the exit status."""
    if missing := [name for name in LIBRARIES if find_spec(name) is None]:
        raise PuzzleError(f'the studio needs {" and ".join(missing)}: pip install "puzzlesat[studio]"')
    view = "play"
    if puzzle is not None:
        tables = formats.raw_tables_in(puzzle)  # report an unreadable file before the page opens
        view = "draw" if [kind_of_table(table) for _, table, _ in tables] == ["grid"] else view
    named = Path(puzzle).resolve() if puzzle is not None and is_file(puzzle) else None

    def begun(address: str) -> None:
        address += _state(puzzle, named, view)
        out = console()
        print(address, flush=True)
        say(out, "The studio is at this address, for this machine alone; end it with Ctrl-C.")
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with stoppable() as stop:
        pages.serve(port, named, begun, stop)
    return DONE


def _state(puzzle: str | None, named: Path | None, view: str) -> str:
    """Return the fragment of the address with the puzzle to open, in the encoding of the page."""
    if puzzle is None:
        return ""
    state = jsonlib.dumps({"name": puzzle if named is None else named.name, "view": view}, ensure_ascii=False)
    packed = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return "#p=" + urlsafe_b64encode(packed.compress(state.encode()) + packed.flush()).rstrip(b"=").decode("ascii")


def say_site(made: pages.Site) -> int:
    """Print what was written, and which puzzles could not be; return the exit status."""
    for name, why in made.left_out:
        say_error(f"puzzlesat: {name} is left out: {why}")
    if made.why is not None:
        say_error(f"puzzlesat: {made.why}")
    if made.puzzles:
        say(console(), made.sentence)
    return DONE if made.complete else STOPPED_EARLY
