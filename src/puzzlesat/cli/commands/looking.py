"""The commands that show puzzles, write their files and play with them.

They are ``show``, ``report``, ``validate``, ``convert``, ``compile`` and ``list``, in a browser ``studio`` and ``site``, and for a player
at the table ``hint``, ``challenge`` and ``apart``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from puzzlesat import disassembly, formats
from puzzlesat.base import EndedError, check_apart
from puzzlesat.cli import functions, options
from puzzlesat.cli.command import Call, command
from puzzlesat.cli.defaults import REPORT_LISTING_SECONDS, REPORT_SOLUTIONS
from puzzlesat.cli.exit_status import BAD_INPUT, DONE, FAILED, STOPPED_EARLY
from puzzlesat.cli.functions.given import LimitOptions, MachineOptions, extends
from puzzlesat.cli.options import OUTPUT, PREPARING, TURNS, above_zero
from puzzlesat.cli.terminal import console, print_json, say, say_error
from puzzlesat.formats import readable, writable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from puzzlesat.cli.findings import FileFindings

commands = typer.Typer()

MAX_WRONG = 10
"""Maximum number of wrong solutions that are listed."""
PRINTING = "3D printing, with --stl or --3mf"
"""A panel of the help."""
SIZES = ("cell", "clearance", "bevel", "rounding", "thickness", "wall", "drain")


@extends(LimitOptions)
class SizeOptions(LimitOptions, total=False):
    """Sizes of the meshes, and limits.

    Parameters
    ----------
    cell
        Length of the shortest side of a cell (default: 20).
    clearance
        Gap between two pieces (default: 0.2).
    bevel
        Width cut off each face along its edges (default: 1; 1/40 of a cell for pieces with noses).
    rounding
        Radius of rounded edges, instead of bevels.
    thickness
        Thickness of flat pieces (default: 6).
    wall
        Make pieces hollow, with walls of this thickness.
    drain
        Diameter of a hole into each hollow piece (default: none).

    """

    cell: float | None
    clearance: float | None
    bevel: float | None
    rounding: float | None
    thickness: float | None
    wall: float | None
    drain: float | None


@command(
    commands, None, "puzzlesat show bits-and-bytes", "puzzlesat show soma --png soma.png", "puzzlesat show soma --stl pieces --cell 15",
    "puzzlesat show soma --3mf soma.3mf --assembled",
    stl=typer.Option(metavar="FOLDER", rich_help_panel=PRINTING),
    three_mf=typer.Option("--3mf", metavar="FILE", rich_help_panel=PRINTING),
    assembled=typer.Option("--assembled", rich_help_panel=PRINTING),
    **dict.fromkeys(SIZES, typer.Option(metavar="MM", rich_help_panel=PRINTING))
    | {"rounding": typer.Option("--round", metavar="MM", rich_help_panel=PRINTING)},
)  # fmt: skip
def show(
    call: Call,
    puzzle: formats.Given,
    *,
    svg: Path | None = None,
    png: Path | None = None,
    stl: Path | None = None,
    three_mf: Path | None = None,
    assembled: bool = False,
    **sizes: Unpack[SizeOptions],
) -> int:
    """Show a puzzle: its form, tiles, placements and symmetries.

    Facts on area and parity follow.

    Parameters
    ----------
    stl
        Write the pieces as STL files, one closed mesh each, into this folder (created if missing).
    three_mf
        Write all pieces in their colours into one 3MF file, side by side.
    assembled
        Put the pieces of a solution together: in the 3MF file, and in assembled.stl.

    """
    from puzzlesat.cli.show import run_show

    return run_show(call, SIZES)


@command(
    commands, None, "puzzlesat report octogram -o octogram.html --budget 20",
    most=typer.Option(min=1, max=100_000),
    seconds=typer.Option(
        "--time",
        metavar="SECONDS",
        callback=above_zero,
        help=f"Time limit for counting and listing together (default: {REPORT_LISTING_SECONDS:g} s for listing).",
    ),
    turns=typer.Option("--turns", rich_help_panel=TURNS),
    bevel=typer.Option(metavar="FRACTION", rich_help_panel=TURNS),
)  # fmt: skip
def report(
    call: Call,
    puzzle: formats.Given,
    *,
    output: Path,
    solver: str | None = None,
    budget: float | None = None,
    most: int = REPORT_SOLUTIONS,
    seconds: float | None = None,
    turns: bool = False,
    bevel: str = "0",
    **limits: Unpack[MachineOptions],
) -> int:
    """Write a web page with the puzzle, its counts and its solutions.

    The page says how each count was obtained, and has a gallery of the distinct solutions that you can search. It shows how they come
    apart, if that is a question; with --turns, pieces may be turned too.

    Parameters
    ----------
    output
        HTML file to write.
    most
        Show at most N solutions.
    turns
        Turn pieces by quarters too. For cubes, and squares in the plane.
    bevel
        With ``turns``: while a piece turns, all pieces are thinner by this part of an edge on each side, such as 1/10.

    """
    from puzzlesat.cli.count import run_report

    return run_report(call, disassembly.bevel_of(bevel, turns=turns))


@command(
    commands, functions.validate, "puzzlesat validate my-puzzle.toml",
    files=typer.Argument(metavar="FILE", help=f"Files of grids, models or instances; {readable('puzzles').foreign}."),
)  # fmt: skip
def validate(call: Call, *, json: bool = False) -> int:
    """Print what is wrong with each file."""
    from puzzlesat.cli.findings import FileFindings, check_file

    out = console()
    wrong = stopped = differs = False
    for file in map(Path, call["files"]):
        try:
            with call.working(str(file)) as (limits, told):
                checked = check_file(file, limits, told, twice=call["twice"])
        except EndedError as ended:
            if json:
                _print_findings(file, ended.words, FileFindings(()))
            else:
                say(out, f"{file}: not known: {ended.words}", style="yellow", hang=4)
            stopped = True
            if ended.status == "interrupted":
                break
            continue
        wrong |= bool(checked.of("error"))
        differs |= bool(checked.of("difference"))
        if json:
            _print_findings(file, None, checked)
            continue
        if serious := [*checked.of("error"), *checked.of("difference")]:
            for finding in serious:
                say(out, str(finding), style="red", hang=4)
            continue
        one_puzzle = file.suffix == ".toml"  # a file of another program may hold several puzzles, some of them solvable
        unsolvable = one_puzzle and any(fact.impossible for fact in checked.facts)
        say(out, f"{file}: ok, but it has no solution" if unsolvable else f"{file}: ok")
        for note in (*(f"warning: {finding.message}" for finding in checked.of("warning")), *(fact.text for fact in checked.facts)):
            say(out, f"    {note}", style="dim", hang=6)
    return BAD_INPUT if wrong else FAILED if differs else STOPPED_EARLY if stopped else DONE


def _print_findings(file: Path, why: str | None, checked: FileFindings) -> None:
    """Print the findings on a file and facts about its puzzles as JSON."""
    found = [{"key": finding.key, "message": finding.message, "severity": finding.severity} for finding in checked.findings]
    facts = [{"fact": fact.text, "impossible": fact.impossible} for fact in checked.facts]
    good = None if why is not None else not (checked.of("error") or checked.of("difference"))
    print_json({"file": str(file), "complete": why is None, "why": why, "ok": good, "findings": found, "facts": facts})


@command(
    commands, functions.convert, "puzzlesat convert burr.xmpuzzle burr.toml", "puzzlesat convert soma soma.xcc",
    "puzzlesat convert soma soma.jsonl",
    format=None,
    source=typer.Argument(
        metavar="IN",
        autocompletion=options.instances,
        help=f"A puzzle ({readable('puzzles').foreign}), a cover problem ({readable('cover problem')}) "
        f"or solutions ({readable('solutions')}).",
    ),
    output=typer.Argument(
        metavar="OUT",
        help=f"File to write; its suffix chooses the format: .toml, or a folder; {', '.join(writable('cover problem').suffixes)}; "
        f"{', '.join(writable('solutions').suffixes)} (solutions).",
    ),
    instance=typer.Option(autocompletion=options.instances),
    map=typer.Option(metavar="FILE"),
)  # fmt: skip
def convert(call: Call, output: Path) -> int:
    """Print what was written."""
    from puzzlesat.cli.output import stays

    try:
        found = call(call["source"], output=output)
    except formats.WrongSolutionsError as error:
        for problem in (*error.problems[:-1][:MAX_WRONG], error.problems[-1]):
            say_error(f"puzzlesat: {problem}")
        return FAILED
    if found.why is not None:
        say_error(f"puzzlesat: {found.why}")
        if not found.files:
            stays(output, stopped=True)
        return STOPPED_EARLY
    for sentence in found.sentences:
        say(console(), sentence)
    return DONE


@command(
    commands, functions.compile, "puzzlesat compile soma --format cnf -o soma.cnf --map soma.map",
    format=typer.Option(
        "--format", "-f", metavar="NAME", autocompletion=options.words(*(f.name for f in writable("cover problem"))),
        help=", ".join(f"{f.name} ({f.by})" if f.by else f.name for f in writable("cover problem")) + ".",
    ),
    output=typer.Option("--output", "-o", metavar="FILE", help="File to write (default: standard output)."),
    map=typer.Option(metavar="FILE"),
    symmetry=typer.Option("--symmetry/--no-symmetry", rich_help_panel=PREPARING),
    reduction=typer.Option("--reduction/--no-reduction", rich_help_panel=PREPARING),
    parity=typer.Option("--parity/--no-parity", rich_help_panel=PREPARING),
    colouring=typer.Option(rich_help_panel=PREPARING),
    encoding=typer.Option(metavar="NAME", rich_help_panel=PREPARING, autocompletion=options.words(*options.ENCODINGS)),
)  # fmt: skip
def compile(call: Call) -> int:
    """Print the problem if no file is named."""
    from puzzlesat.cli.output import cut_short

    if call["map"]:
        check_apart(call["puzzle"], Path(call["map"]))
    made = call(call["puzzle"])
    if not made.complete:
        return cut_short({}, made.why, as_json=False)
    sys.stdout.write(made.text)
    return DONE


@command(
    commands, None, "puzzlesat list", "puzzlesat list soma", "puzzlesat list 'IQ Fit'", "puzzlesat list hexagon --json", name="list",
    words=typer.Argument(metavar="FAMILY|WORD", autocompletion=options.listed),
)  # fmt: skip
def list_(call: Call, words: list[str] | None = None, *, json: bool = False) -> int:
    """List the puzzles in the package, or search them.

    Without a word, you see all families. With the name of a family, you see its puzzles.

    Parameters
    ----------
    words
        A family, or a word to search for: a name, a maker, a grid, part of a title. Typing errors are forgiven.

    """
    from puzzlesat.cli.listing import run_list

    return run_list(" ".join(words) if words else None, as_json=json)


@command(
    commands, None, "puzzlesat studio", "puzzlesat studio octogram", "puzzlesat studio my-puzzle.toml",
    puzzle_=typer.Argument(metavar="NAME|FILE", autocompletion=options.instances),
    port=typer.Option(min=1, max=65535),
    browser=typer.Option("--browser/--no-browser"),
)  # fmt: skip
def studio(call: Call, puzzle_: str | None = None, *, port: int | None = None, browser: bool = True) -> int:
    """Play, draw and count puzzles in your browser.

    The page works on this machine only. Press Ctrl-C to quit.

    Parameters
    ----------
    puzzle_
        A puzzle to open: its name, or a file.
    port
        Port of the page (default: 8417, or the next free one).
    browser
        Open the page in your browser, or only print its address.

    """
    from puzzlesat.cli.play import run_studio

    return run_studio(puzzle_, port=port, browser=browser)


@command(
    commands, functions.site, "puzzlesat site my-site", "puzzlesat site my-site soma", "puzzlesat site my-site soma octogram my.toml",
    folder=typer.Argument(metavar="FOLDER", help="The folder to write into. Files of other programs in it stay."),
    puzzles=typer.Argument(
        metavar="PUZZLE",
        autocompletion=options.instances,
        help="Names from 'puzzlesat list', or files (default: all puzzles of the package). One puzzle becomes one file.",
    ),
)  # fmt: skip
def site(call: Call) -> int:
    """Say what was written."""
    from puzzlesat.cli.play import say_site

    return say_site(call("site"))


POSITIONS = "Positions"
"""A panel of the help."""


@command(
    commands, functions.hint, "puzzlesat hint octogram F.3@4.1 I.1@1.8 --next", "puzzlesat hint soma --blank > position.txt",
    placed=typer.Argument(metavar="PLACEMENT", help="The pieces on the table, such as Q.1@3.1, in the order in which you placed them."),
    more=typer.Option("--next"),
    seconds=typer.Option("--time", min=0.1, metavar="SECONDS", callback=above_zero, help="Time limit."),
)  # fmt: skip
def hint(
    call: Call, *, picture: Path | None = None, blank: bool = False, svg: Path | None = None, png: Path | None = None, json: bool = False
) -> int:
    """Print what is known of a position.

    Parameters
    ----------
    picture
        Read the position from a text picture, or from output of 'solve' ('-': standard input).
    blank
        Print the empty form; draw your position into it, and pass it to --picture.

    """
    from puzzlesat.cli.play import print_blank, run_hint

    return print_blank(call) if blank else run_hint(call)


@command(
    commands, functions.challenge, "puzzlesat challenge octogram --seed 7 -o octogram.html", "puzzlesat challenge soma --placed 3 -n 2",
    "puzzlesat challenge soma --hardest",
    count=typer.Option("--count", "-n", min=1),
    placed=typer.Option(min=0, metavar="K", rich_help_panel=POSITIONS),
    most=typer.Option("--from", min=0, metavar="K", rich_help_panel=POSITIONS),
    fewest=typer.Option("--to", min=0, metavar="K", rich_help_panel=POSITIONS),
    completions=typer.Option(min=1, rich_help_panel=POSITIONS),
    seed=typer.Option(rich_help_panel=POSITIONS),
)  # fmt: skip
def challenge(call: Call, *, output: Path | None = None, json: bool = False) -> int:
    """Print starting positions, or write them to a file.

    Parameters
    ----------
    output
        File to write: .html to play or print, .svg or .png (solutions in a second file; beside .svg also the board and the pieces in their
        true size), .txt, .json.

    """
    from puzzlesat.cli.play import run_challenge

    return run_challenge(call)


@command(
    commands, functions.apart, "puzzlesat apart six-piece-burr", "puzzlesat apart six-piece-burr --nth 26 --svg steps.svg",
    "puzzlesat apart puzzle.xmpuzzle -o apart.jsonl --json", "puzzlesat apart puzzle.xmpuzzle -o solved.xmpuzzle",
    "puzzlesat apart loves-dozen --states states.svg", "puzzlesat apart sliproad --turns --bevel 1/10",
    everything=typer.Option("--all"),
    limit=typer.Option(min=1),
    nth=typer.Option(min=1, metavar="K"),
    output=typer.Option("--output", "-o", metavar="FILE", rich_help_panel=OUTPUT),
    turns=typer.Option("--turns", rich_help_panel=TURNS),
    bevel=typer.Option(metavar="FRACTION", rich_help_panel=TURNS),
    svg=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
    png=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
    states=typer.Option(metavar="FILE", rich_help_panel=OUTPUT),
)  # fmt: skip
def apart(call: Call, *, svg: Path | None = None, png: Path | None = None, states: Path | None = None, json: bool = False) -> int:
    """Print which assemblies come apart, and how.

    Parameters
    ----------
    svg
        Draw the steps of the assembly with the most moves, or of the one of --nth.
    png
        Draw these steps as PNG.
    states
        Of this assembly, write the graph of all positions before the first piece is away: .svg, .json or .graphml.

    """
    from puzzlesat.cli.play import run_apart

    return run_apart(call)
