"""The candidate forms of files and generators (options of ``puzzlesat forms``, keys of a study), and their work dealt to processes."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from puzzlesat.base import ALONE_SECONDS, SILENT, ChildEndedError, Limits, Progress, PuzzleError, dealt
from puzzlesat.designing import generate
from puzzlesat.designing.generate import Candidate, FormFilter, Named
from puzzlesat.designing.motions import NONE, named_symmetries
from puzzlesat.designing.tile_set import Kit
from puzzlesat.formats import is_foreign, readable, tables_in
from puzzlesat.puzzles import (
    MOST_OF_A_PUZZLE,
    Grid,
    InstanceFile,
    Library,
    is_file,
    is_folder,
    kind_of_table,
    read_table,
    text_of,
    why_missing,
)

SEPARATOR = re.compile(r"\s*(?:-{3,}|={3,})\s*(.*?)\s*[-=]*\s*")
"""A line between two pictures; what stands in it is the name of the one that follows."""


def from_files(kit: Kit, paths: Sequence[Path]) -> list[Candidate]:
    """Return the forms of files and folders. Raises PuzzleError with everything that cannot be read."""
    found: list[Candidate] = []
    wrong: list[str] = []
    for path in _files(paths):
        try:
            found += _pictures(kit, path) if path.suffix == ".txt" else _puzzles(kit, path)
        except PuzzleError as error:
            wrong += error.problems
    if wrong:
        raise PuzzleError(*wrong)
    return found


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    suffixes = readable("puzzles").foreign.unmistakable
    for path in paths:
        if is_folder(path):
            others = [file for suffix in (".txt", *suffixes) for file in path.rglob(f"*{suffix}")]
            inside = sorted([*(f for f in sorted(path.rglob("*.toml")) if kind_of_table(read_table(f)) == "instance"), *others])
            if not inside:
                raise PuzzleError(f"{path}: there is no puzzle ({', '.join(('.toml', *suffixes))}) and no picture (.txt) in this folder")
            yield from inside
        elif path.suffix in (".toml", ".txt") or is_foreign(path):
            if not is_file(path):
                raise PuzzleError(f"{path}: {why_missing(path)}")
            yield path
        else:
            raise PuzzleError(f"{path}: expected a folder, a puzzle ({', '.join(readable('puzzles').suffixes)}) or a text picture (.txt)")


def _puzzles(kit: Kit, path: Path) -> list[Candidate]:
    """The forms of the puzzles in a file, whatever their tiles are."""
    return [_candidate(kit, name, instance, path) for name, instance, _ in tables_in(path)]


def _candidate(kit: Kit, name: str, instance: InstanceFile, path: Path) -> Candidate:
    own = instance.grid_name or Library().model(instance.model or "", path)[0].grid_name
    if own != kit.grid.name:
        raise PuzzleError(f"{path}: the form lies on grid {own!r}, the tiles of {kit.title} on {kit.grid.name!r}")
    if said := [key for key in ("conditions", "solutions") if key in instance.model_fields_set and getattr(instance, key)]:
        raise PuzzleError(f"{path}: {said[0]}: only the form of this file is used; remove them, or move them to {kit.path}")
    return Candidate(name, instance.form, path)


def _pictures(kit: Kit, path: Path) -> list[Candidate]:
    """The pictures of a text file."""
    lines = text_of(path, MOST_OF_A_PUZZLE).splitlines()
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if (match := SEPARATOR.fullmatch(line)) is not None:
            blocks.append((match[1], []))
        else:
            blocks[-1][1].append(line)
    drawn = [(name, "\n".join(rows)) for name, rows in blocks if any(row.strip() for row in rows)]
    if not drawn:
        raise PuzzleError(f"{path}: there is no picture in this file")
    several = len(drawn) > 1
    return [
        Candidate(name or (f"{path.stem}-{number}" if several else path.stem), kit.table(picture=text), path)
        for number, (name, text) in enumerate(drawn, start=1)
    ]


@dataclass(frozen=True)
class Sources:
    """Where forms come from."""

    paths: Sequence[Path] = ()
    boxes: bool = False
    frames: bool = False
    shapes: bool = False
    convex: bool = False
    polyforms: bool = False
    cut: Sequence[str] = ()
    replicas: Sequence[int] = ()
    symmetry: str = NONE
    within: str | None = None
    area: str | None = None


def candidates(kit: Kit, sources: Sources) -> list[Candidate]:
    """Return all forms that were asked for, each with a name of its own. Raises PuzzleError for what makes no sense."""
    return _distinct_names(_candidates(kit, sources))


def _candidates(kit: Kit, sources: Sources) -> list[Candidate]:
    found = from_files(kit, sources.paths)
    for candidate in found:
        kit.to_fill(candidate.name, candidate.table, path=candidate.path)  # what is wrong with files is said before anything is tried
    made = (sources.boxes, sources.frames, sources.shapes, sources.convex, sources.polyforms, sources.cut, sources.replicas)
    if not any(made) and not sources.paths:
        raise PuzzleError(
            "no forms to try; give files or folders, "
            "or make forms with --boxes, --frames, --shapes, --convex, --polyforms, --cut or --replicas"
        )
    if not any(made):
        return found
    symmetries = named_symmetries(kit.grid, sources.symmetry)
    within = None if sources.within is None else _sides(kit.grid, "--within", sources.within)
    for times in sources.replicas:
        wanted = FormFilter((), symmetries, within)
        forms = [(name, atoms) for name, atoms in generate.replicas(kit, times) if wanted.accepts(atoms)]
        found += [Candidate(f"{name}*{times}", kit.table(atoms), without=name) for name, atoms in forms]
    if any(made[:-1]):
        wanted = FormFilter(_areas(kit, sources.area), symmetries, within)
        found += [Candidate(name, kit.table(atoms)) for name, atoms in generate.different(kit, _generated(kit, sources, wanted), wanted)]
    return found


def _generated(kit: Kit, sources: Sources, wanted: FormFilter) -> Iterator[Named]:
    """Forms from every generator that was asked for, named, some of them more than once."""
    grid, areas = kit.grid, wanted.areas
    if sources.boxes:
        yield from generate.boxes(grid, areas)
    if sources.shapes:
        yield from generate.shapes(grid, areas)
    if sources.frames:
        yield from generate.frames(grid, areas)
    for kind, forms in [
        *([("convex", generate.convex(grid, areas))] if sources.convex else []),
        *((f"{name}-cut", generate.cut(grid, _whole(grid, name), wanted)) for name in sources.cut),
        *([("form", generate.polyforms(grid, wanted))] if sources.polyforms else []),
    ]:
        yield from generate.numbered(kind, generate.different(kit, forms, wanted))


def _areas(kit: Kit, given: str | None) -> range:
    """The areas wanted: those given, or the area of the tiles."""
    low, high = kit.area
    if given is None:
        if low != high:
            span = f"{low} or more" if high is None else f"{low} to {high}"
            raise PuzzleError(f"the tiles cover {span} faces; give the size of the forms, such as --area {low or 12}")
        return range(low, low + 1)
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", given)
    if match is None or int(match[1]) < 1 or int(match[2] or match[1]) < int(match[1]):
        raise PuzzleError(f"--area {given}: expected a number of faces such as 60, or a range such as 56-60")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


def _sides(grid: Grid, option: str, given: str) -> tuple[int, ...]:
    example = "x".join(["8"] * grid.dimension)
    if not re.fullmatch(r"\d{1,4}(x\d{1,4})*", given) or given.count("x") + 1 != grid.dimension or "0" in given.split("x"):
        what = "rows and columns" if grid.dimension == 2 else "layers, rows and columns"
        raise PuzzleError(f"{option} {given}: expected {what}, such as {example}")
    return tuple(map(int, reversed(given.split("x"))))


def _whole(grid: Grid, name: str) -> frozenset[tuple[int, ...]]:
    """The form that --cut names: a box, or a shape of the grid with its size."""
    kind, _, size = name.partition("=")
    if kind in grid.shapes and re.fullmatch(r"[1-9]\d{0,2}", size):
        return frozenset(_made(name, lambda: grid.shape(kind, int(size))))
    if size or not re.fullmatch(r"[\dx]+", name):
        known = "".join(f", {s}=4" for s in grid.shapes)
        raise PuzzleError(f"--cut {name}: expected a form such as {'x'.join(['8'] * grid.dimension)}{known}")
    sides = _sides(grid, "--cut", name)
    return frozenset(_made(name, lambda: grid.box(sides)))


def _made(name: str, make: Callable[[], set[tuple[int, ...]]]) -> set[tuple[int, ...]]:
    try:
        return make()
    except PuzzleError as error:
        raise error.under(f"--cut {name}: ") from None


def _distinct_names(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Give forms of the same name a number."""
    seen: Counter[str] = Counter()
    named = []
    for candidate in candidates:
        seen[candidate.name] += 1
        number = seen[candidate.name]
        named.append(candidate if number == 1 else replace(candidate, name=f"{candidate.name} ({number})"))
    return named


A_MOMENT = 0.05
"""Seconds before its end in which a work may have been ended already, by a clock of a solver's own."""

T = TypeVar("T")
Answer = TypeVar("Answer")
Work = Callable[[Kit, T, Limits, Progress], Answer]
"""What is done with one thing: the limits are its own, and begin with it. A function of some module, or a partial one."""
Telling = Callable[[str], AbstractContextManager[Progress]]
"""Begins to tell of something by its title."""


def quietly(_: str) -> AbstractContextManager[Progress]:
    """Tell nobody."""
    return nullcontext(SILENT)


@dataclass(frozen=True)
class Working:
    """How the work is done."""

    limits: Limits
    """For each thing; its ``stop`` ends it all."""
    jobs: int = 1
    """So many processes at most."""
    telling: Telling = quietly


def deal(
    kit: Kit, named: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """Do some work with each of many things, and yield its answer as soon as it is there, until told to stop.

    In order as long as one process is enough. Then what is left is dealt out, and so is what that one process was at, from its beginning.
    What is lost with its process is tried once more when nothing else is at work; lost again, it has no answer (None).
    """
    left = deque(named)
    limits, stop = working.limits, working.limits.stop
    ends = limits.now + ALONE_SECONDS
    while left and not stop.is_set():
        name, item = left[0]
        worth = working.jobs > 1 and len(left) > 1
        with working.telling(name) as told:
            answer = work(kit, item, replace(limits, until=ends) if worth else limits, told)
        if worth and limits.now > ends - A_MOMENT and not stop.is_set():
            yield from _shared(kit, left, work, working)
            return
        left.popleft()
        yield item, answer


def _shared(
    kit: Kit, left: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """The same by other processes, the last first: made forms become larger, and the largest is not to be begun when all else is done.

    Then comes what was lost, one at a time.
    """
    asked = working.limits
    named = [*left][::-1]
    done, things = 0, len(named)
    with working.telling(kit.title) as told:
        for jobs in (asked.processes(working.jobs), 1):
            limits = partial(replace, asked, memory=asked.memory or Limits().free_memory() // jobs)
            lost = []
            taken = (one for one in named if not asked.stop.is_set())
            with closing(dealt(partial(_work_on, kit, work), taken, jobs, limits)) as dealing:
                for one, answer in dealing:
                    if isinstance(answer, ChildEndedError):
                        lost.append(one)
                        continue
                    name, item = one
                    done += 1
                    told.of(name)({"done": done, "in_all": things})
                    yield item, answer
            named = lost
    for _, item in named:
        yield item, None


def _work_on(kit: Kit, work: Work[T, Answer]) -> Callable[[tuple[str, T], Limits], Answer]:
    return lambda one, limits: work(kit, one[1], limits, SILENT)
