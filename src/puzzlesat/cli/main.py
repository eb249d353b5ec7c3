"""The commands and their options. What they do stands in the modules beside this one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from puzzlesat.cli import completion
from puzzlesat.cli.bounds import Bounds, gibibytes
from puzzlesat.cli.commands import running
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.exit_status import MEANINGS
from puzzlesat.cli.options import (
    AsJson,
    Budget,
    Colouring,
    CommandWithSwitches,
    Cpu,
    Disk,
    DiskSpace,
    Full,
    GroupWithSwitches,
    Memory,
    Name,
    NameOrCover,
    Names,
    NoParity,
    NoReduction,
    NoSymmetry,
    Png,
    Problem,
    Seconds,
    Solvers,
    Svg,
    above_zero,
)
from puzzlesat.formats.table import foreign, read, said, suffixes, written
from puzzlesat.solvers.registry import listing, spelled
from puzzlesat.solvers.strategy import (
    CHECKING_SECONDS,
    FORM_SECONDS,
    HINT_SECONDS,
    LISTING,
    NUMBERING,
    REPORT_LISTING_SECONDS,
    REPORT_SOLUTIONS,
    SEED,
)

app = typer.Typer(
    name="puzzlesat",
    cls=GroupWithSwitches,
    epilog=f"Exit status: {'; '.join(f'{status} {meaning}' for status, meaning in MEANINGS.items())}.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from puzzlesat import __version__

        typer.echo(f"puzzlesat {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")] = False,
) -> None:
    """Count the solutions of packing and edge-matching puzzles so that the count can be trusted."""


@app.command(epilog="Example: puzzlesat count tritetratan octogram --budget 20")
@says_errors
def count(
    instances: Names,
    solver: Solvers = None,
    budget: Budget = CHECKING_SECONDS,
    full: Full = False,
    transformed: Annotated[bool, typer.Option("--transformed", help="Count a turned or mirrored copy too.")] = False,
    no_symmetry: NoSymmetry = False,
    no_parity: NoParity = False,
    no_reduction: NoReduction = False,
    colouring: Colouring = False,
    time: Seconds = None,
    limit: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Stop when N are found; of those that are turned or mirrored copies one counts."),
    ] = None,
    memory: Memory = None,
    cpu: Cpu = False,
    disk: Disk = None,
    disk_space: DiskSpace = None,
    store: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE", help="Count one puzzle in units that FILE holds: whatever ends it, the same command goes on where it was."
        ),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Units counted at the same time, with --store; default: as many as there are cores."),
    ] = None,
    dask: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--dask", metavar="ADDRESS", help="Let the workers of a Dask scheduler count, with --store."),
    ] = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Count the solutions of puzzles, cross-checked by solvers that share no search code."""
    from puzzlesat.cli.count import run_count
    from puzzlesat.cli.switches import Switches

    switches = Switches(
        solver, budget, full, transformed, no_symmetry, no_parity, no_reduction, time, limit, memory, colouring, cpu, disk, disk_space
    )
    if store is not None:
        from puzzlesat.cli.count_stored import Stored, run_count_stored

        raise typer.Exit(run_count_stored(instances, switches, Stored(store, jobs, dask), as_json=json, problem=problem))
    if jobs is not None or dask is not None:
        raise typer.BadParameter("for counts in units only: name their file by --store", param_hint="--jobs and --dask")
    raise typer.Exit(run_count(instances, switches, json, problem))


@app.command(epilog="Example: puzzlesat check instances/legespiel --budget 10")
@says_errors
def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            autocompletion=completion.instances,
            help="Instances, files or folders; default: all that come with the package.",
        ),
    ] = None,
    solver: Solvers = None,
    budget: Budget = CHECKING_SECONDS,
    full: Full = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
) -> None:
    """Count every instance that has a table of expected counts, and compare."""
    from puzzlesat.cli.check import run_check
    from puzzlesat.cli.switches import Switches

    raise typer.Exit(run_check(paths or [], Switches(solver, budget, full, time=time, memory=memory, cpu=cpu), as_json=json))


@app.command(
    epilog="Examples:\n\npuzzlesat solve soma -n 3 --svg soma.svg\n\npuzzlesat solve octogram --with I.1@1.1 --json\n\n"
    "puzzlesat solve pentominoes-6x10 --nth 4711\n\npuzzlesat solve octogram --random 5 --seed 1"
)
@says_errors
def solve(
    instance: NameOrCover,
    number: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("-n", "--number", min=1, metavar="N", help="Print so many solutions; default: one."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print all solutions.")] = False,
    nth: Annotated[
        list[int] | None,
        typer.Option(
            "--nth", min=1, metavar="K", help="Print the solution with this number, from 1, without listing those before; may be repeated."
        ),
    ] = None,
    random: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--random", min=1, metavar="N", help="Print so many solutions, each drawn from all with equal chance."),
    ] = None,
    seed: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--seed",
            metavar="N",
            help="What chance goes by: the same number, the same solutions; default: for --random any, which is said.",
        ),
    ] = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Print one of each class of solutions that are turned or mirrored copies.")
    ] = False,
    given: Annotated[
        list[str] | None, typer.Option("--with", metavar="PLACEMENT", help="Only solutions with this placement; may be repeated.")
    ] = None,
    solver: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            autocompletion=completion.solver,
            help=f"The solver: {spelled(listing())}; default: {LISTING}, and for --nth and --random {NUMBERING[0].solver}.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    svg: Svg = None,
    png: Png = None,
    problem: Problem = None,
) -> None:
    """Print solutions as coloured text, or as JSON lines, and draw them.

    --svg and --png draw all on one sheet; with {} in the name of the file each gets a file of its own, as soma-1.svg from 'soma-{}.svg'.
    """
    chosen = [option for option, said in {"-n": number, "--all": everything, "--nth": nth, "--random": random}.items() if said]
    if len(chosen) > 1:
        raise typer.BadParameter(f"say {' or '.join(chosen)}, not both")
    if nth and distinct:
        raise typer.BadParameter("--nth numbers all solutions: leave --distinct out, or say --random N with it")
    if nth or random:
        from puzzlesat.cli.solve_numbered import run_solve_numbered
        from puzzlesat.counting.numbering import Pick

        numbers = nth or ()
        raise typer.Exit(
            run_solve_numbered(
                instance,
                Pick(numbers, random, distinct=distinct) if seed is None else Pick(numbers, random, seed, distinct),
                given=given or [],
                solver=solver,
                bounds=Bounds(time, memory, cpu),
                as_json=json,
                svg=svg,
                png=png,
                problem=problem,
            )
        )
    from puzzlesat.cli.solve import run_solve

    raise typer.Exit(
        run_solve(
            instance,
            number=None if everything else number or 1,
            distinct=distinct,
            given=given or [],
            solver=LISTING if solver is None else solver,
            seed=SEED if seed is None else seed,
            bounds=Bounds(time, memory, cpu),
            as_json=json,
            svg=svg,
            png=png,
            problem=problem,
        )
    )


@app.command(epilog="Examples:\n\npuzzlesat hint octogram F.3@4.1 I.1@1.8 --next\n\npuzzlesat hint soma --blank > position.txt")
@says_errors
def hint(
    instance: Name,
    placements: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLACEMENT", help="The pieces placed, such as Q.1@3.1, in the order in which they were."),
    ] = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Text picture of the position ('-': standard input), or what 'solve' printed, as text or JSON."),
    ] = None,
    blank: Annotated[bool, typer.Option("--blank", help="Print the empty form, to draw a position into it for --picture.")] = False,
    more: Annotated[bool, typer.Option("--next", help="Give one more piece, a forced one if there is one.")] = False,
    svg: Annotated[Optional[Path], typer.Option("--svg", metavar="FILE", help="File for a picture of the position.")] = None,  # noqa: UP045
    png: Annotated[Optional[Path], typer.Option("--png", metavar="FILE", help="The same as PNG.")] = None,  # noqa: UP045
    time: Annotated[
        float, typer.Option("--time", min=0.1, metavar="SECONDS", callback=above_zero, help="Seconds to think at most.")
    ] = HINT_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Say whether a position can be finished, in how many ways, which piece to take back, and give one more."""
    from puzzlesat.cli.hint import run_hint

    raise typer.Exit(
        run_hint(
            instance,
            placements or [],
            picture=picture,
            blank=blank,
            more=more,
            svg=svg,
            png=png,
            bounds=Bounds(time, memory, cpu),
            as_json=json,
            problem=problem,
        )
    )


@app.command(epilog="Examples:\n\npuzzlesat challenge octogram --seed 7 -o octogram.html\n\npuzzlesat challenge soma --placed 3 -n 2")
@says_errors
def challenge(
    instance: Name,
    count: Annotated[int, typer.Option("--count", "-n", min=1, metavar="N", help="So many positions, from easy to hard.")] = 6,
    placed: Annotated[Optional[int], typer.Option(min=0, metavar="K", help="Pieces placed in each position.")] = None,  # noqa: UP045
    most: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--from", min=0, metavar="K", help="Pieces placed in the easiest position; default: three quarters."),
    ] = None,
    fewest: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--to", min=0, metavar="K", help="Pieces placed in the hardest position; default: as few as can be."),
    ] = None,
    completions: Annotated[int, typer.Option(min=1, metavar="N", help="In how many ways exactly each position can be finished.")] = 1,
    seed: Annotated[Optional[int], typer.Option(metavar="N", help="The same number gives the same positions; default: any.")] = None,  # noqa: UP045
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="File: .html to print, .svg or .png (solutions in a second file), .txt, .json."
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Make starting positions, from easy to hard, that can be finished in one way only (or in as many as wished)."""
    from puzzlesat.cli.challenge import run_challenge

    raise typer.Exit(
        run_challenge(
            instance,
            count=count,
            placed=placed,
            most=most,
            fewest=fewest,
            completions=completions,
            seed=seed,
            output=output,
            as_json=json,
            bounds=Bounds(time, memory, cpu),
            problem=problem,
        )
    )


@app.command(epilog="Examples:\n\npuzzlesat show bits-and-bytes\n\npuzzlesat show soma --png soma.png")
@says_errors
def show(
    instance: Name,
    svg: Svg = None,
    png: Png = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Show a puzzle: the form, the tiles, their placements, the symmetries, and facts on area and parity."""
    from puzzlesat.cli.show import run_show

    raise typer.Exit(run_show(instance, Bounds(time, memory, cpu), svg=svg, png=png, problem=problem))


@app.command(epilog="Example: puzzlesat report octogram -o octogram.html --budget 20")
@says_errors
def report(
    instance: Name,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File for the page.")],
    solver: Solvers = None,
    budget: Budget = CHECKING_SECONDS,
    most: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="Show no more solutions than this.")] = REPORT_SOLUTIONS,
    time: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            "--time",
            metavar="SECONDS",
            callback=above_zero,
            help=f"Stop counting and listing after so long, all together (default: {REPORT_LISTING_SECONDS:g} s of listing).",
        ),
    ] = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Write a page of HTML: the puzzle, its counts and how each was obtained, and a gallery of the distinct solutions to search."""
    from puzzlesat.cli.report import run_report
    from puzzlesat.cli.switches import Switches

    raise typer.Exit(run_report(instance, output, Switches(solver, budget, time=time, memory=memory, cpu=cpu), most, problem))


@app.command(epilog="Example: puzzlesat validate my-puzzle.toml")
@says_errors
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help=f"Grids, models, instances; {said(foreign())}.")],
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
) -> None:
    """Say everything that is wrong with files, all at once."""
    from puzzlesat.cli.validate import run_validate

    raise typer.Exit(run_validate(files, Bounds(time, memory, cpu)))


@app.command(name="list", epilog="Examples:\n\npuzzlesat list\n\npuzzlesat list soma\n\npuzzlesat list hexagon --json")
@says_errors
def list_(
    word: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(
            metavar="FAMILY|WORD",
            autocompletion=completion.listed,
            help="A family, to see its instances; or only what has this in its name, family, grid or title.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """List the puzzles that come with the package: all families; the instances of one; or what has a word in its name or title."""
    from puzzlesat.cli.listing import run_list

    raise typer.Exit(run_list(word, as_json=json))


@app.command(
    epilog="Examples:\n\npuzzlesat convert burr.xmpuzzle burr.toml\n\npuzzlesat convert soma soma.xcc\n\npuzzlesat convert soma soma.jsonl"
)
@says_errors
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            autocompletion=completion.instances,
            help=f"An instance, {said(foreign())}; {said(read('cover problem'))}; or solutions: {said(read('solutions'))}.",
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help=f"What to write, by its suffix: .toml, or a folder; {', '.join(suffixes(written('cover problem')))}; "
            f"{', '.join(suffixes(written('solutions')))} (solutions).",
        ),
    ],
    problem: Problem = None,
    instance: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--instance",
            metavar="INSTANCE",
            autocompletion=completion.instances,
            help="The instance that solutions belong to, where their file does not name it.",
        ),
    ] = None,
    map: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--map", metavar="FILE", help="For a solver's output: the map of variable to placement that 'compile --map' wrote."),
    ] = None,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Only one of each class of solutions that are turned or mirrored copies.")
    ] = False,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
) -> None:
    """Convert puzzles, cover problems and solutions between formats; what a format cannot say is refused."""
    from puzzlesat.cli.convert import Options, run_convert

    raise typer.Exit(run_convert(source, target, Options(problem, instance, map, distinct, Bounds(time, memory, cpu))))


@app.command(name="compile", epilog="Example: puzzlesat compile soma --format cnf -o soma.cnf --map soma.map")
@says_errors
def compile_(
    instance: Name,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            autocompletion=completion.formats,
            help=", ".join(f"{f.name} ({f.by})" if f.by else f.name for f in written("cover problem")) + ".",
        ),
    ] = "cnf",
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="FILE", help="File to write; default: standard output."),
    ] = None,
    map: Annotated[Optional[Path], typer.Option("--map", metavar="FILE", help="File for the map of variable to placement.")] = None,  # noqa: UP045
    symmetry: Annotated[bool, typer.Option("--symmetry/--no-symmetry", help="Break the symmetry of the form.")] = False,
    reduction: Annotated[bool, typer.Option("--reduction/--no-reduction", help="Remove placements without continuation.")] = False,
    parity: Annotated[bool, typer.Option("--parity/--no-parity", help="Add chess parity and its like.")] = False,
    colouring: Colouring = False,
    encoding: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            autocompletion=completion.encodings,
            help="For cnf alone, at-most-one: mixed (default), pairwise, sequential, binary, commander.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
) -> None:
    """Write the puzzle as DIMACS CNF, OPB, CP-SAT proto text or in Knuth's exact-cover format."""
    from puzzlesat.cli.compile import run_compile

    raise typer.Exit(
        run_compile(instance, format, output, map, symmetry, reduction, parity, colouring, encoding, Bounds(time, memory, cpu), problem)
    )


@app.command(epilog="Examples:\n\npuzzlesat prove mutilated-chessboard\n\npuzzlesat prove my-form.toml -o my-form.proof")
@says_errors
def prove(
    instance: Name,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", metavar="FILE", help="File for the certificate of the proof.")] = None,  # noqa: UP045
    svg: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--svg", metavar="FILE", help="File for a picture of the colouring, where that is the argument."),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Tell why a puzzle has no solution: by area, because nothing fits, by a colouring, or by search; or show a solution."""
    from puzzlesat.cli.proof import run_prove

    raise typer.Exit(run_prove(instance, output=output, svg=svg, bounds=Bounds(time, memory, cpu), as_json=json, problem=problem))


@app.command(epilog="Example: puzzlesat certify tritetratan -o tritetratan.proof")
@says_errors
def certify(
    instance: Name,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File for the certificate.")],
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.kinds,
            help="tree (compact), lrat (the same search as LRAT), cadical (LRAT by CaDiCaL), tally (lists no solutions).",
        ),
    ] = "tree",
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    json: AsJson = False,
    problem: Problem = None,
) -> None:
    """Count the solutions and write a certificate that 'puzzlesat verify', or another program, can check."""
    from puzzlesat.cli.proof import run_certify

    raise typer.Exit(run_certify(instance, output, kind=kind, bounds=Bounds(time, memory, cpu), as_json=json, problem=problem))


@app.command(epilog="Example: puzzlesat verify tritetratan.proof --instance tritetratan")
@says_errors
def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Certificates.")],
    instance: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="INSTANCE",
            autocompletion=completion.instances,
            help="Confirm too that the puzzle in the certificate is that of this instance or file.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    cpu: Cpu = False,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Check certificates by a small program of its own, which shares nothing with those that made them."""
    from puzzlesat.cli.verify import run_verify

    raise typer.Exit(run_verify(files, Bounds(time, memory, cpu), instance=instance, as_json=json, problem=problem))


@app.command(name="certificate-to-lrat", epilog="Example: puzzlesat certificate-to-lrat soma.proof -o soma")
@says_errors
def certificate_to_lrat(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate of kind tree or lrat.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="NAME", help="Beginning of the names: NAME.cnf and NAME.lrat are written.")
    ],
    binary: Annotated[bool, typer.Option("--binary", help="Write LRAT in its binary form.")] = False,
) -> None:
    """Write the formula and the proof of a certificate as DIMACS and LRAT, for checkers of other people."""
    from puzzlesat.cli.proof import run_certificate_to_lrat

    raise typer.Exit(run_certificate_to_lrat(file, output, binary=binary))


@app.command(
    epilog="Examples:\n\npuzzlesat forms tetrominoes --boxes --frames\n\npuzzlesat forms hexiamonds my-forms --count -o results.jsonl\n\n"
    "puzzlesat forms pentominoes --cut 8x8 --symmetry full --count"
)
@says_errors
def forms(
    model: Annotated[
        str,
        typer.Argument(
            metavar="TILES",
            autocompletion=completion.tiles,
            help=f"The tiles: name or file of a model, or of an instance, {' or '.join(suffixes(foreign()))} too (with its rules).",
        ),
    ],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help=f"Forms: folders, puzzles ({', '.join(suffixes(read('puzzles')))}; the form alone is used), text pictures (.txt).",
        ),
    ] = None,
    boxes: Annotated[bool, typer.Option("--boxes", help="Forms: all rectangles, parallelograms or, in space, boxes.")] = False,
    frames: Annotated[bool, typer.Option("--frames", help="Forms: all boxes with a box cut out inside.")] = False,
    shapes: Annotated[bool, typer.Option("--shapes", help="Forms: the shapes that the grid knows: triangles, hexagons …")] = False,
    convex: Annotated[bool, typer.Option("--convex", help="Forms: all convex ones, in the plane.")] = False,
    polyforms: Annotated[
        bool, typer.Option("--polyforms", help="Forms: all connected ones (with --symmetry, where there are many).")
    ] = False,
    cut: Annotated[
        list[str] | None,
        typer.Option(metavar="FORM", help="Forms: this box (8x8) or shape (hexagon=4) with faces cut out; may be repeated."),
    ] = None,
    replicas: Annotated[
        list[int] | None,
        typer.Option(
            min=2, max=9, metavar="K", help="Forms: each tile K times as large, for the other tiles, each at most as often as it is there."
        ),
    ] = None,
    symmetry: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Only made forms with these symmetries: full, or such as 'turn 90' or 'mirror 0,mirror 90'."),
    ] = "none",
    within: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="BOX", help="Only made forms that fit into so many rows and columns (layers first), as they lie, such as 8x10."
        ),
    ] = None,
    area: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="N", help="Make forms of N faces, or N-M; default: the area of the tiles."),
    ] = None,
    some: Annotated[bool, typer.Option("--some", help="Tiles may be left over.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Count the solutions of each form that has one.")] = False,
    time: Annotated[float, typer.Option(metavar="SECONDS", callback=above_zero, help="Seconds for each form.")] = FORM_SECONDS,
    memory: Memory = None,
    cpu: Cpu = False,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--output", "-o", metavar="FILE", help="File for the results, a line of JSON a form. What is there already is not tried again."
        ),
    ] = None,
    proofs: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Folder for the certificate of each proof that a form is impossible."),
    ] = None,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Forms tried at the same time; default: as many as there are cores."),
    ] = None,
    pictures: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--pictures/--no-pictures", help="Show each form, or a solution of it; default: where there are 30 forms or fewer."),
    ] = None,
    problem: Problem = None,
    json: AsJson = False,
) -> None:
    """Try many forms with one set of tiles, and say of each: impossible and why, solvable, or how many solutions."""
    from puzzlesat.candidates.asked import Sources
    from puzzlesat.candidates.run import Order
    from puzzlesat.cli.forms import Output, run_forms

    sources = Sources(paths or (), boxes, frames, shapes, convex, polyforms, cut or (), replicas or (), symmetry, within, area)
    raise typer.Exit(
        run_forms(sources, Order(model, some, time, count, problem, gibibytes(memory), cpu), Output(output, proofs, pictures, json), jobs)
    )


app.registered_commands += running.commands.registered_commands

for _command in app.registered_commands:
    _command.cls = CommandWithSwitches
