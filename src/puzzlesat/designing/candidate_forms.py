"""The candidate forms from files and generators (options of ``puzzlesat forms``, keys of a study), and the distribution of work on them."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from puzzlesat.base import ALONE_SECONDS, SILENT, ChildEndedError, Limits, Progress, PuzzleError, dealt, memory_left
from puzzlesat.designing import generate
from puzzlesat.designing.generate import Candidate, FormFilter, Named
from puzzlesat.designing.motions import NONE, named_symmetries
from puzzlesat.designing.tile_set import Kit
from puzzlesat.formats import Given, is_foreign, readable, tables_in
from puzzlesat.puzzles import (
    FILES,
    MOST_OF_A_PUZZLE,
    Grid,
    InstanceFile,
    find_instance,
    is_file,
    is_folder,
    kind_of_table,
    read_table,
    text_of,
    why_missing,
)

SEPARATOR = re.compile(r"\s*(?:-{3,}|={3,})\s*(.*?)\s*[-=]*\s*")
"""A line between two pictures; it may contain the name of the second."""


def from_files(kit: Kit, paths: Sequence[Path]) -> list[Candidate]:
    """Return the forms of files and folders. Raises PuzzleError with all files that cannot be read."""
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
    """Return the forms of the puzzles in a file. Their tiles are ignored."""
    return [_candidate(kit, name, instance, path) for name, instance, _ in tables_in(path)]


def _candidate(kit: Kit, name: str, instance: InstanceFile, path: Path) -> Candidate:
    own = instance.grid_name or FILES.model(instance.model or "", path)[0].grid_name
    if own != kit.grid.name:
        raise PuzzleError(f"{path}: the form lies on grid {own!r}, the tiles of {kit.title} on {kit.grid.name!r}")
    if said := [key for key in ("conditions", "solutions") if key in instance.model_fields_set and getattr(instance, key)]:
        raise PuzzleError(f"{path}: {said[0]}: only the form of this file is used; remove them, or move them to {kit.path}")
    return Candidate(name, instance.form, path)


def _pictures(kit: Kit, path: Path) -> list[Candidate]:
    """Return the forms of the pictures in a text file."""
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
    """The files and generators of forms, and the properties of generated forms."""

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

    def candidates(self, kit: Kit) -> list[Candidate]:
        """Return all requested forms, each with a unique name. Raises PuzzleError for invalid options and files."""
        return _distinct_names(_candidates(kit, self))

    def of_sets(
        self, tiles: Given, *, copies: int | None = None, any_number: bool = False, problem: int | str | None = None
    ) -> tuple[Kit, list[Candidate]]:
        """Return tiles of which any may be omitted, and the forms to fill; without sources, the form of the instance of this name.

        There are ``copies`` of each tile, or an unlimited number; default: its own number.
        """
        own_form = self == Sources()
        if own_form and isinstance(tiles, str) and "\n" not in tiles:
            with suppress(PuzzleError):
                tiles = str(find_instance(tiles))
        kit = Kit.of(tiles, some=True, own_form=own_form, problem=problem)
        if copies is not None or any_number:
            kit = kit.with_copies(copies)
        if not own_form:
            return kit, self.candidates(kit)
        if not kit.has_form:
            raise PuzzleError(
                "no form to fill; give an instance or a file with a form, or make forms with --boxes, --shapes and similar options"
            )
        return kit, [Candidate(kit.path.stem, kit.instance.form, kit.path)]


def _candidates(kit: Kit, sources: Sources) -> list[Candidate]:
    found = from_files(kit, sources.paths)
    for candidate in found:
        kit.to_fill(candidate.name, candidate.table, path=candidate.path)  # raise errors of files before any work begins
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
    """Yield the named forms of every requested generator; equal forms may occur several times."""
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
    """Return the areas of generated forms: of the option ``--area``, by default the area of the tiles."""
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
    """Return the form that --cut names: a box, or a shape of the grid with its size."""
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
    """Append a number to names that occurred before."""
    seen: Counter[str] = Counter()
    named = []
    for candidate in candidates:
        seen[candidate.name] += 1
        number = seen[candidate.name]
        named.append(candidate if number == 1 else replace(candidate, name=f"{candidate.name} ({number})"))
    return named


A_MOMENT = 0.05
"""Seconds before its limit in which work may have ended already, because a solver uses a clock of its own."""

T = TypeVar("T")
Answer = TypeVar("Answer")
Work = Callable[[Kit, T, Limits, Progress], Answer]
"""A function for one item with its own limits, which begin with the call. It must be picklable: a function of a module, or a partial."""
Telling = Callable[[str], AbstractContextManager[Progress]]
"""Begins to report progress under a title."""


def quietly(_: str) -> AbstractContextManager[Progress]:
    """Report no progress."""
    return nullcontext(SILENT)


@dataclass(frozen=True)
class Working:
    """The limits, processes and progress reports of work on many items."""

    limits: Limits
    """The limits of each item; ``stop`` ends the work on all items."""
    jobs: int = 1
    """Largest number of processes."""
    telling: Telling = quietly


def deal(
    kit: Kit, named: Iterable[tuple[str, T]], work: Work[T, Answer], working: Working
) -> Generator[tuple[T, Answer | None], None, None]:
    """Apply ``work`` to each item, and yield the item and its answer as soon as it is known, until the limits' ``stop`` is set.

    The work begins in this process, in order. If it takes long and ``working`` allows several processes, they get the remaining items,
    among them the unfinished one, which starts again. An item whose process died is tried again alone; if that process dies too, the answer
    is None.
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
    """Apply ``work`` in other processes, last item first: generated forms grow, and the largest must not begin when all others are done."""
    named, limits, done = [*left][::-1], working.limits, 0

    def limits_of(jobs: int) -> Callable[[], Limits]:
        return partial(replace, limits, memory=limits.memory or Limits().free_memory() // jobs)

    answers = dealt_again(partial(_work_on, kit, work), named, (_processes(working), 1), limits_of)
    with working.telling(kit.title) as told, closing(answers) as dealing:
        for (name, item), answer in dealing:
            if isinstance(answer, ChildEndedError):
                yield item, None
                continue
            done += 1
            told.of(name)({"done": done, "in_all": len(named)})
            yield item, answer


def dealt_again(
    make: Callable[[], Callable[[T, Limits], Answer]],
    items: Iterable[T],
    jobs: Sequence[int],
    limits_of: Callable[[int], Callable[[], Limits]],
) -> Generator[tuple[T, Answer | ChildEndedError], None, None]:
    """Yield each item and its answer from child processes (see ``dealt``), until stopped.

    ``jobs`` has the number of processes of each round: an item whose process died is tried again in the next round. Items without an answer
    after the last round follow, with the error.
    """
    lost: list[tuple[T, ChildEndedError]] = []
    for number in jobs:
        limits = limits_of(number)
        stop = limits().stop
        lost = []
        with closing(dealt(make, (item for item in items if not stop.is_set()), number, limits)) as dealing:
            for item, answer in dealing:
                if isinstance(answer, ChildEndedError):
                    lost.append((item, answer))
                else:
                    yield item, answer
        items = [item for item, _ in lost]
    yield from lost


def _processes(working: Working) -> int:
    """Return the number of processes for which there is memory."""
    memory = working.limits.memory
    return working.jobs if memory is None else max(1, min(working.jobs, memory_left() // memory))


def _work_on(kit: Kit, work: Work[T, Answer]) -> Callable[[tuple[str, T], Limits], Answer]:
    return lambda one, limits: work(kit, one[1], limits, SILENT)
