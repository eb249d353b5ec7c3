"""``puzzlesat show``: print a puzzle, draw it, or write its pieces as meshes. ``puzzlesat solve``: print and draw solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puzzlesat import pictures
from puzzlesat.base import Clock, Limits, NotSupportedError, Outcome, Progress, PuzzleError, many, near_match, shown, write_file
from puzzlesat.cli.command import Call, refuse
from puzzlesat.cli.exit_status import DONE
from puzzlesat.cli.output import cut_short, stays, write_csv, write_picture, write_pictures
from puzzlesat.cli.terminal import console, fits, has_colours, print_json, print_picture, progress, say, say_error, stoppable, width_of
from puzzlesat.counting import Pick, facts, number_solutions, solutions
from puzzlesat.formats import exact_cover, is_cover_file, solution_as_json
from puzzlesat.pictures import SolutionPictures, folded
from puzzlesat.puzzles import BuiltInstance, CoverProblem, Puzzle, build_instance, orientations, reduce
from puzzlesat.solvers import LISTING, item_to_break


def check_printed(puzzle: Puzzle, call: Call) -> None:
    """Raise PuzzleError if the folder cannot be written, or the shape of a piece is not known."""
    if (listed := next((tile.name for tile in puzzle.tiles if tile.listed), None)) is not None:
        raise PuzzleError(f"{_option(call)}: the placements of tile {listed!r} are listed, so its shape is not known")
    if call["stl"] is not None and call["stl"].exists() and not call["stl"].is_dir():
        raise PuzzleError(f"--stl {call['stl']}: this is a file; give a folder")


def write_meshes(out: Console, call: Call, built: BuiltInstance, making: pictures.Making, limits: Limits) -> None:
    """Write the meshes of the tiles, and of a solution if wanted. Raises PuzzleError before writing if a piece has no mesh."""
    try:
        pieces = pictures.PrintedPieces.of(built, making)
        if call["assembled"]:
            row = next(solutions(built, LISTING, limits), None)
            if row is None:
                raise PuzzleError("--assembled: no solution was found; remove the option to write the pieces alone")
            pieces = pieces.put_together(row)
        if wrong := next((name for name, parts in pieces.parts if not parts), None):
            raise PuzzleError(f"{_option(call)}: nothing of piece {wrong!r} is left; use less clearance, less bevel or larger cells")
        packed = None if call["three_mf"] is None else pieces.three_mf(built.instance.title)
    except NotSupportedError as error:
        raise PuzzleError(f"{_option(call)}: {error}") from None
    out.print()
    folder, file = call["stl"], call["three_mf"]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, words, data in pieces.stl_files():
            write_file(folder / name, data)
            say(out, f"mesh: {folder / name}{words}", hang=4)
    if file is not None and packed is not None:
        write_file(file, packed)
        lie = "put together" if call["assembled"] else "side by side"
        say(out, f"3MF: {file}: {many(sum(len(body.places) for body in pieces.bodies), 'piece')}, {lie}", hang=4)
    _warn(pieces, shows_colours=call["three_mf"] is not None)


def _option(call: Call) -> str:
    return "--3mf" if call["stl"] is None else "--stl"


def _warn(pieces: pictures.PrintedPieces, *, shows_colours: bool) -> None:
    for name, parts in pieces.parts:
        if parts > 1:
            say_error(f"puzzlesat: piece {name!r} falls into {parts} parts: its cells touch only in edges or corners, or nearly so")
    if any(tile.marks for tile in pieces.built.puzzle.tiles):
        also = " (3MF has the colours of whole pieces alone)" if shows_colours else ""
        say_error(f"puzzlesat: the meshes do not show the marks and colours of the pieces{also}")


HEADINGS = ("tile", "copies", "orientations", "placements", "flips", "turns", "picture")


def run_show(call: Call, sizes: Sequence[str]) -> int:
    """Print form, tiles, placements, symmetries and facts; write pictures and meshes if files are named; return the exit status.

    ``sizes`` are the names of the options for ``Making``.
    """
    stated = {key: call[key] for key in sizes if call[key] is not None}
    meshes = call["stl"] is not None or call["three_mf"] is not None
    if stated and not meshes:
        raise PuzzleError(f"--{next(iter(stated)).replace('rounding', 'round')} is a size for meshes; add --stl FOLDER or --3mf FILE")
    if call["assembled"] and not meshes:
        raise PuzzleError("--assembled is for meshes; add --stl FOLDER or --3mf FILE")
    making = pictures.Making(**stated)
    with call.working(call["puzzle"]) as (limits, told):
        built = build_instance(call.instance(told), progress=told, limits=limits)
        with told.overseen():
            broken_on = item_to_break(built.problem, built.instance.break_on)
            known, placements = facts(built), reduce(built.problem, break_on=broken_on, progress=told).words
        told.of("printing")({})
        if meshes:
            check_printed(built.puzzle, call)
    out = console()
    instance, puzzle = built.instance, built.puzzle
    say(out, f"{instance.title}  ({instance.name}, grid {puzzle.grid.name}: {puzzle.grid.title})", style="bold")
    sources = {"puzzle": instance.source, "counts": instance.expect.source}
    if instance.source == instance.expect.source:
        sources = {"source": instance.source}
    for what, source in sources.items():
        if source:
            say(out, f"{what}: {source}", style="dim", hang=4)
    out.print()
    print_picture(out, SolutionPictures(built).form(), "draw it with --svg FILE or --png FILE")
    out.print()
    say(
        out,
        f"form: {many(len(puzzle.form.required), 'atom')} to cover"
        + (f", {len(puzzle.form.optional):,} that may be{_drawn_as(built)}" if puzzle.form.optional else ""),
    )
    for fact in known:
        say(out, fact.text, style="bold red" if fact.impossible else "", hang=4)
    say(out, f"symmetries of the form that the rules allow: {', '.join(built.problem.symmetries)}", hang=4)
    say(out, f"placements: {placements}", hang=4)
    out.print()
    _tiles(out, built)
    write_pictures(call["svg"], call["png"], partial(pictures.puzzle_svg, built))
    if meshes:
        write_meshes(out, call, built, making, limits)
    return DONE


def _drawn_as(built: BuiltInstance) -> str:
    """Return the characters for optional atoms in the picture, in parentheses; empty if there are none."""
    optional = set(built.puzzle.form.optional)
    glyphs = {g for site in built.puzzle.grid.layout.sites for g, atoms in site.optional.items() if any(a[-1] in atoms for a in optional)}
    return f" ({' '.join(sorted(glyphs))})" if glyphs else ""


def _tiles(out: Console, built: BuiltInstance) -> None:
    """Print a table of the tiles. If it would be too wide, or a picture too high, print a sentence and a picture for each tile."""
    texts = SolutionPictures(built)
    rows = [(_about_tile(built, number), texts.tile(number)) for number in range(len(built.puzzle.tiles))]
    drawn = max((cell_len(line) for _, picture in rows for line in picture.plain.splitlines()), default=0)
    widths = [max(len(heading), *(cell_len(cells[i]) for cells, _ in rows)) for i, heading in enumerate(HEADINGS[:-1])] if rows else []
    most = max((len(picture.plain.splitlines()) for _, picture in rows), default=0)
    if not fits(out, sum(widths) + 2 * len(widths) + drawn, most):
        for (name, copies, turned, placements, flips, turns), picture in rows:
            ways = f"{many(int(turned), 'orientation')}, {placements} {'placement' if placements == '1' else 'placements'}"
            say(out, f"tile {name}: {copies} {'copy' if copies == '1' else 'copies'}, {ways}, flips: {flips}, turns: {turns}", hang=4)
            print_picture(out, picture, "draw it with --svg FILE or --png FILE")
        return
    table = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        justify: Literal["left", "right"] = "right" if heading in ("orientations", "placements") else "left"
        table.add_column(heading, justify=justify, header_style="dim", overflow="fold")
    for cells, picture in rows:
        table.add_row(*map(Text, cells), picture)
    out.print(table)


def _about_tile(built: BuiltInstance, number: int) -> tuple[str, ...]:
    """Return the cells of a row: name, copies, orientations, placements, flips and turns."""
    puzzle, tile = built.puzzle, built.puzzle.tiles[number]
    allowed = puzzle.allowed_symmetries(tile)
    turns = sum(not g.mirror for g in allowed)
    every = sum(not g.mirror for g in puzzle.grid.motions)
    return (
        tile.name,
        f"{tile.low}" if tile.low == tile.high else f"{tile.low}–{'any' if tile.high is None else tile.high}",
        str(len(orientations(puzzle.grid, tile))),
        f"{int((built.placements.tile == number).sum()):,}",
        "yes" if any(g.mirror for g in allowed) else "no",
        "all" if turns == every else "none" if turns == 1 else ", ".join(g.name for g in allowed if not g.mirror),
    )


NUMBER = "{}"
"""Placeholder for the number of a solution in the name of a file."""
SHEET = 200
"""Maximum number of solutions in one picture; ``puzzlesat report`` makes a page for thousands."""

COLUMNS = ("number", "placements")
"""Columns of the table that ``--csv`` writes."""


def files_of(call: Call) -> dict[str, bool]:
    """Return the options for files, each with True if the user gave it."""
    return {name: call[name] is not None for name in ("svg", "png", "csv")}


class _PrintedSolutions:
    """Prints the solutions of a puzzle or a cover problem one by one, and draws them at the end."""

    def __init__(self, call: Call, rules: Mapping[str, Any], limits: Limits, told: Progress) -> None:
        self.call, self.name, self.given, self.out = call, call["puzzle"], call["given"] or [], console()
        self.built: BuiltInstance | None = None
        self.printed = 0
        self.found: list[tuple[int, tuple[int, ...]]] = []
        """Numbers and options of the solutions printed, if they are to be drawn or written as a table."""
        if is_cover_file(self.name):
            self.problem = exact_cover(Path(self.name)).problem
            self.contained = options_of(self.name, self.problem, self.given)
            return
        self.built = build_instance(call.instance(told, rules=rules), progress=told, limits=limits)
        self.problem, self.name = self.built.problem, self.built.instance.name
        self.contained, self.pictures = self.built.options_by_name(self.given), SolutionPictures(self.built, width_of(self.out))

    @property
    def source(self) -> BuiltInstance | CoverProblem:
        """The subject of the search."""
        return self.built or self.problem

    def show(self, number: int, row: tuple[int, ...], **beside: object) -> None:
        """Print a solution: the names of its placements, and a picture; or an object of JSON, with the keys ``beside``."""
        self.printed += 1
        if any(files_of(self.call).values()):
            self.found.append((number, row))
        names = [self.problem.options[o] for o in row]
        if self.call["json"]:
            solution = {"cover": self.name, "options": names} if self.built is None else solution_as_json(self.built, row)
            print_json({"number": number, **beside, **solution})
        elif self.built is None:
            print("\n".join([f"solution {number}", *(f"  {name}" for name in names)]), flush=True)
        else:
            heading = folded([first := f"solution {number} ", *names], width_of(self.out), gap=" ", indent="  ")
            self.out.print(Text(first, style="bold").append(heading.removeprefix(first), style="not bold"), soft_wrap=True, end="")
            drawn = self.pictures.text(row) if has_colours(self.out) else self.pictures.plain(row)
            print_picture(self.out, drawn, "draw it with --svg FILE or --png FILE")
            print(flush=True)

    def write(self, *, stopped: bool, drawn: bool = False) -> None:
        """Write the pictures and the table of the solutions of a puzzle. Cover problems have neither."""
        if self.built is None:
            return
        for file in (self.call["svg"], self.call["png"]):
            if file is not None and (NUMBER in file.name or not stays(file, stopped=stopped)):
                draw_solutions(self.built, self.found, file, as_png=file is self.call["png"], says=not self.call["json"], drawn=drawn)
        rows = ({"number": number, "placements": " ".join(self.problem.options[o] for o in row)} for number, row in self.found)
        write_csv(self.call["csv"], COLUMNS, rows, stopped=stopped)

    def cut_short(self, why: str) -> int:
        """Print why there are not all solutions; return the exit status."""
        return cut_short({"cover" if self.built is None else "instance": self.name}, why, as_json=self.call["json"])

    def end(self, solutions: str) -> int:
        """Print that these are all ``solutions``, in words; return the exit status."""
        if not self.call["json"]:
            where = f" with {('; ' if self.built is None else ' ').join(self.given)}" if self.given else ""
            rules = self.built.puzzle.solutions.in_words() if self.built is not None else ()
            ruled = f", counting only those {'; '.join(rules)}" if rules else ""
            say(self.out, f"complete: {self.name}{where} has {solutions}{ruled}.")
        return DONE


def run_solve(call: Call, number: int | None, seed: int, solver: str, rules: Mapping[str, Any]) -> int:
    """Print up to ``number`` solutions (None: all), and draw them if files are named; return the exit status."""
    distinct = call["distinct"]
    most, outcome = replace(call.limits, solutions=None if distinct else number), list[Outcome]()
    _check_meant(call, rules, distinct=distinct)
    with stoppable() as stop, ExitStack() as at_end, ExitStack() as until_first:
        limits, told = until_first.enter_context(call.working(call["puzzle"], most, stop=stop))
        limits = replace(limits, seed=None if number is None else seed)
        printer = _PrintedSolutions(call, rules, limits, told)
        rows = solutions(printer.source, solver, limits, printer.contained, distinct=distinct, progress=told, on_end=outcome.append)
        for row in at_end.enter_context(closing(rows)):
            until_first.close()  # a progress line and solutions do not share a terminal
            printer.show(printer.printed + 1, row)
            if printer.printed == number:
                break
    has_all = printer.printed == number
    printer.write(stopped=stop.is_set() and not has_all)
    if has_all:
        return DONE
    if (status := outcome[0].status if outcome else "limit reached") != "complete":
        return printer.cut_short(f"{'interrupted' if stop.is_set() else status} after {many(printer.printed, 'solution')}")
    what = many(printer.printed, "solution") if printer.printed else "no solution"
    return printer.end(f"{what}{' up to symmetry' if distinct else ''}")


def run_solve_numbered(call: Call, pick: Pick, solver: str | None, rules: Mapping[str, Any]) -> int:
    """Print solutions by their numbers or at random, and draw them if files are named; return the exit status."""
    _check_meant(call, rules, distinct=pick.distinct)
    with stoppable() as stop:
        with call.working(call["puzzle"], stop=stop) as (limits, told):
            printer = _PrintedSolutions(call, rules, limits, told)
            numbered = number_solutions(printer.source, solver, limits, printer.contained, told)
        clock = Clock(limits)
        if not numbered.outcome.complete:
            return printer.cut_short(f"{'interrupted' if stop.is_set() else numbered.outcome.status} before the solutions were counted")
        beside = {"of": numbered.count} | ({"seed": pick.seed} if pick.random else {})
        status = None
        for number, row in numbered.picked(pick, printer.name):
            if (status := clock.verdict(-1)) is not None:
                break
            printer.show(number, row, **beside)
    printer.write(stopped=status == "interrupted", drawn=pick.random is not None)
    if status is not None:
        return printer.cut_short(f"{status} after {many(printer.printed, 'solution')}")
    have = f"{many(numbered.count, 'solution')}, counted only once" if numbered.count else "no solution"
    drawn = f"; drawn{' up to symmetry' if pick.distinct else ''} with --seed {pick.seed}" if printer.printed and pick.random else ""
    return printer.end(f"{have}{drawn}")


def draw_solutions(
    built: BuiltInstance, found: Sequence[tuple[int, Sequence[int]]], file: Path, *, as_png: bool, says: bool, drawn: bool = False
) -> None:
    """Write numbered solutions as one picture, or as one file each if the name has a placeholder.

    The placeholder becomes the number of the solution. Solutions ``drawn`` at random may repeat, so they are numbered in order of drawing.
    """
    if not found:
        say_error(f"puzzlesat: {file} is not written: there is no solution to draw")
        return
    rows = [row for _, row in found]
    titles = [built.instance.title] if len(found) == 1 else [f"solution {number}" for number, _ in found]
    with progress(f"drawing {file}"):
        if NUMBER in file.name:
            for draw, ((number, row), title) in enumerate(zip(found, titles, strict=True), start=1):
                each = file.with_name(file.name.replace(NUMBER, str(draw if drawn else number)))
                write_picture(pictures.solution_svg(built, row, title=title), each, as_png=as_png)
        else:
            write_picture(pictures.solutions_svg(built, rows[:SHEET], titles[:SHEET]), file, as_png=as_png)
    if len(found) > SHEET and NUMBER not in file.name:
        more = f"for a picture of each write {file.stem}-{NUMBER}{file.suffix}, for one page of all use puzzlesat report"
        say_error(f"puzzlesat: {file} shows the first {SHEET} of {len(found):,} solutions; {more}")
    elif says:
        print(f"{'pictures' if NUMBER in file.name else 'picture'}: {file}")


def _check_meant(call: Call, rules: Mapping[str, Any], *, distinct: bool) -> None:
    """Raise PuzzleError if an option for puzzles is used with a cover problem."""
    if is_cover_file(call["puzzle"]):
        options = {"distinct": distinct, **files_of(call), "problem": call.problem is not None, **dict.fromkeys(rules, True)}
        refuse(options, f"is for puzzles; {call['puzzle']} has no form and no tiles; remove it")


def options_of(name: str, problem: CoverProblem, given: Sequence[str]) -> list[int]:
    """Return the indices of the options that solutions must contain, by name."""
    number = {option: i for i, option in enumerate(problem.options)}
    if wrong := [option for option in given if option not in number]:
        raise PuzzleError(*(f"{shown(option)!r} is not an option of {name}{near_match(option, number)}" for option in wrong))
    return [number[option] for option in given]
