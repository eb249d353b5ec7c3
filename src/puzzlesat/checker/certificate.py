"""Check a certificate: a zip file of ``certificate.json``, the solutions and the proof (``verified/certificate-file.md``).

The puzzle that it states is drawn in text, from the geometry alone, so that a person sees which puzzle it is. Its name proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

from .archive import CHUNK, CertificateFile
from .arrays import Flags, Longs, Records, Rows
from .grid import Atom, CheckedGrid, Point, determinant
from .lrat import check_lrat
from .puzzle import MAX_WEIGHT, UNLIMITED, StatedPuzzle, StatedRule, StatedTile, read_puzzle
from .rebuilt import NO_RULE, RebuiltPuzzle
from .solution_rules import SolutionRule
from .solutions import NO_SOLUTIONS, CertifiedCounts, counts_in_words
from .surface import Look
from .tally import check_tally
from .tree import replay
from .values import CheckerSentence, Rejected, array, count, different, entries, flag, index, read_all, shown, table, text, whole

LABEL, WIDTH = 14, 110
MAX_DRAWN = 40_000
"""Maximum number of places for atoms in a picture, which limits the printed text."""
COVERED, MAY_BE, FREE = "#", "o", "."


def puzzle_lines(puzzle: StatedPuzzle) -> tuple[str, ...]:
    """Return lines that show a puzzle: its name, which proves nothing, the grid, the form, the tiles, and all rules."""
    found: list[str] = []
    for label, lines in _parts(puzzle):
        found += [f"  {name:<{LABEL - 1}} {line}".rstrip() for name, line in zip((label, *[""] * len(lines)), lines, strict=False)]
    return tuple(found)


def _parts(puzzle: StatedPuzzle) -> Iterator[tuple[str, list[str]]]:
    grid = puzzle.grid
    yield "puzzle", [_plain(puzzle.name), "(this name is only what the file calls itself; look at form and tiles)"]
    yield "grid", _grid(grid)
    form = dict.fromkeys(puzzle.optional, MAY_BE) | dict.fromkeys(puzzle.required, COVERED)
    may = [f"{_atoms(grid, puzzle.optional)} that may be ({MAY_BE})"] if puzzle.optional else []
    yield "form", [", ".join([f"{_atoms(grid, puzzle.required)} that must be covered", *may]), *_picture(grid, form)]
    for tile in puzzle.tiles:
        yield f"tile {_plain(tile.name)}", [*_tile(puzzle, tile)]
    yield from _colours(puzzle)
    for rule in puzzle.rules:
        yield "rule", _folded(_linear(rule) if isinstance(rule, StatedRule) else _on_solutions(rule))
    for number, look in puzzle.fixed:
        yield "fixed", _folded([f"tile {_plain(puzzle.tiles[number].name)} on", *_look(look)])
    if puzzle.keep:
        yield "kept", _folded(["by symmetries:", *map(_atom, sorted(puzzle.keep))])
    yield "mirror images", ["count as one" if puzzle.mirrored else "count as two"]


def _grid(grid: CheckedGrid) -> list[str]:
    products = " ".join(f"({' '.join(map(str, row))})" for row in grid.gram)
    cell = [f"lattice of {grid.dimension} dimensions, scalar products {products}; its cell has"]
    for number, (kind, corners) in enumerate(zip(grid.kinds, grid.corners, strict=True)):
        points = (" ".join(str(Fraction(x, grid.unit)) for x in corner) for corner in sorted(corners))
        cell.append(f"atom {number}: {_plain(kind)} {', '.join(f'({p})' for p in points)};")
    return _folded(cell)


def _atoms(grid: CheckedGrid, atoms: Iterable[Atom]) -> str:
    """Return the number of atoms, with the number of each kind if the grid has several kinds."""
    kinds = Counter(grid.kinds[a[-1]] for a in atoms)
    number = kinds.total()
    besides = f" ({', '.join(f'{n:,} {_plain(kind)}' for kind, n in kinds.items())})" if len(set(grid.kinds)) > 1 else ""
    return f"{number:,} {'atom' if number == 1 else 'atoms'}{besides}"


def _tile(puzzle: StatedPuzzle, tile: StatedTile) -> Iterator[str]:
    grid = puzzle.grid
    copies = " and ".join(_range(low, high) for low, high in tile.ranges)
    if tile.listed:
        yield f"copies {copies}; it is neither turned nor moved, and lies in one of {len(tile.listed):,} places, which cover"
        yield from _picture(grid, {a: COVERED for atoms, _ in tile.listed for a in atoms})
        return
    mirrors = sum(determinant([[Fraction(x) for x in row] for row in puzzle.symmetries[n].matrix]) < 0 for n in tile.symmetries)
    ways = f"turned by {len(tile.symmetries)} of the {len(puzzle.symmetries)} symmetries of the grid ({mirrors} of them mirrors)"
    yield f"{_atoms(grid, tile.look[0])}, copies {copies}, {ways}"
    yield from _picture(grid, dict.fromkeys(tile.look[0], COVERED))
    if tile.look[1]:
        yield from _folded(_look((frozenset(), tile.look[1])))


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} or more" if high >= UNLIMITED else f"{low} to {high}"


def _look(look: Look) -> list[str]:
    """Return atoms and marks in words."""
    marks = (
        f"{_plain(name)} on {_atom(face)};" if side == face else f"{_plain(name)} on {_atom(side)} of {_atom(face)};"
        for side, face, name in sorted(look[1])
    )
    return [*map(_atom, sorted(look[0])), *marks]


def _colours(puzzle: StatedPuzzle) -> Iterator[tuple[str, list[str]]]:
    """Yield the marks and colours: which marks may meet, which colours may lie on which, and the colours of the form."""
    if puzzle.mates:
        meets = (f"{_plain(m)} meets {'no other' if n is None else _plain(n)};" for m, n in puzzle.mates.items())
        yield "marks", _folded(meets)
    if puzzle.border is not None:
        yield "border", [f"the mark outside of the form is {_plain(puzzle.border)}"]
    if puzzle.fits:
        below = {colour: " or ".join(map(_plain, sorted(on))) or "no colour" for colour, on in puzzle.fits.items()}
        yield "colours", _folded(f"{_plain(colour)} fits on {on};" for colour, on in below.items())
    if puzzle.coloured:
        yield "coloured", _folded(f"{_atom(a)} {_plain(colour)};" for a, colour in puzzle.coloured.items())


def _linear(rule: StatedRule) -> list[str]:
    """Return a sum of weights and its bounds in words."""
    bounds = f"{rule.residue} modulo {rule.modulus}" if rule.modulus else f"{rule.low} to {rule.high}"
    weights: dict[int, list[str]] = {}
    for atom, weight in rule.atoms.items():
        weights.setdefault(weight, []).append(_atom(atom))
    for tile, weight in rule.tiles.items():
        weights.setdefault(weight, []).append(f"tile {_plain(tile)}")
    of_each = (f"{weight} for {', '.join(things)};" for weight, things in sorted(weights.items()) if weight)
    return [f"{_plain(rule.name)}: the weights of a solution add up to {bounds}; they are", *" ".join(of_each).split(" ")]


def _on_solutions(rule: SolutionRule) -> list[str]:
    """Return the kind and the parameters of a rule on solutions in words."""
    values_of_keys: Mapping[str, object] = {
        "tiles": ", ".join(map(_plain, sorted(rule.tiles))),
        "colours": rule.colours,
        "corners": "also where they meet at a corner" if rule.corners else "",
        "symmetries": " ".join(map(str, sorted(rule.symmetries))),
        "placements": "; ".join(sorted(f"{_plain(tile)} {' '.join(_look(look))}" for tile, look in rule.placements)),
        "atoms": " ".join(map(_atom, sorted(rule.atoms))),
        "low to high": f"{rule.low} to {rule.high}" if rule.low or rule.high else "",
    }
    parameters = "; ".join(f"{key} {value}" for key, value in values_of_keys.items() if value)
    return f"{_plain(rule.name)}: {_plain(rule.kind)}{': ' if parameters else ''}{parameters}".split(" ")


def _picture(grid: CheckedGrid, signs: Mapping[Atom, str]) -> list[str]:
    """Draw atoms: the second coordinate upwards, layers side by side, the lowest first.

    The place of an atom in its cell is the rank of its centre among all centres. Atoms with the same centre are drawn as their number. An
    oblique lattice is drawn oblique.
    """
    if not signs:
        return ["nothing"]
    low, high = ([of(a[i] for a in signs) for i in range(grid.dimension)] for of in (min, max))
    extent = [h - lo + 1 for lo, h in zip(low, high, strict=True)]
    each, ranks = _places_of(grid)
    places = len(ranks)
    for size in extent:
        places *= size
    if places > MAX_DRAWN:
        return [f"(too far apart to draw: from {_point(low)} to {_point(high)})"]
    drawn: dict[tuple[int, ...], list[str]] = {}
    for cell in product(*(range(lo, h + 1) for lo, h in zip(low, high, strict=True))):
        for number, rank in enumerate(ranks):
            place = tuple((x - lo) * n + r for x, lo, n, r in zip(cell, low, each, rank, strict=True))
            drawn.setdefault(place, []).append(signs.get((*cell, number), FREE))
    lean = 2 * each[0] * grid.gram[0][1] / grid.gram[0][0] / each[1]
    at = {(2 * p[0] + round(lean * p[1]), p[1], p[2:]): _sign(found) for p, found in drawn.items()}
    columns = range(min(x for x, _, _ in at), max(x for x, _, _ in at) + 1)
    rows, layers = sorted({y for _, y, _ in at}, reverse=True), sorted({z for _, _, z in at})
    return ["   ".join("".join(at.get((x, y, z), " ") for x in columns) for z in layers).rstrip() for y in rows]


def _sign(signs: Sequence[str]) -> str:
    found = [sign for sign in signs if sign != FREE]
    return FREE if not found else found[0] if len(found) == 1 else str(len(found)) if len(found) < 10 else "+"


@cache
def _places_of(grid: CheckedGrid) -> tuple[tuple[int, ...], tuple[Point, ...]]:
    """Return the number of places of a cell along each coordinate, and the place of each of its atoms."""
    centres = [[Fraction(sum(v[i] for v in c), len(c)) for i in range(grid.dimension)] for c in grid.corners]
    along = [sorted({c[i] for c in centres}) for i in range(grid.dimension)]
    return tuple(map(len, along)), tuple(tuple(along[i].index(x) for i, x in enumerate(c)) for c in centres)


def _folded(words: Iterable[str]) -> list[str]:
    return wrap(" ".join(words), WIDTH - LABEL, break_long_words=False, break_on_hyphens=False)


def _atom(atom: Atom) -> str:
    return _point(atom)


def _point(numbers: Iterable[int]) -> str:
    return f"({' '.join(map(str, numbers))})"


def _plain(name: str) -> str:
    """Return a name without characters that control a terminal or begin a new line."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)


FORMAT, VERSION = "puzzlesat certificate", 1
KEYS = ("format", "version", "kind", "claim", "kept", "removals", "puzzle")
"""The keys of every certificate; ``_KINDS`` has the further keys and the members of each kind."""


UNPROVED = (CheckerSentence("the numbers of placements, symmetries, nodes and steps are this checker's own; nothing confirms them"),)


@dataclass(frozen=True, repr=False)
class Verified:
    """The result of a check: what a certificate proves, in numbers and in words."""

    name: str
    """The name that the certificate gives its puzzle; nothing proves it."""
    kind: str
    """``tree``, ``lrat``, ``tally``, ``weighting``, ``bound`` or ``removals``."""
    counts: CertifiedCounts
    """The counts that are proved: ``labelled``, ``all`` and ``distinct``; None if the kind does not give them."""
    read: tuple[str, ...]
    """The puzzle that the certificate states, drawn and in words, line by line."""
    checked: tuple[str, ...]
    """The checks made, one sentence each."""
    unproved: tuple[str, ...]
    """The figures in these sentences that nothing confirms."""
    believed: tuple[str, ...]
    """The assumptions that you take on trust, one sentence each."""
    why: str | None = None
    """Why the check was not completed, in a sentence; None if it was."""
    seconds: float = 0.0
    """Duration of the call in seconds; CPU seconds if you asked for them."""

    @property
    def complete(self) -> bool:
        """True if the check was completed."""
        return self.why is None

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the proved counts, or why nothing is proved."""
        return f"accepted: the counts are {counts_in_words(self.counts)}" if self.why is None else self.why

    def __repr__(self) -> str:
        return f"<Verified {self.name!r}: {self.sentence}>"

    def __str__(self) -> str:
        parts = {"checked": self.checked, "unproved": self.unproved, "taken on trust": self.believed}
        return "\n".join([self.sentence, *(f"{label}: {sentence}" for label, part in parts.items() for sentence in part)])


@dataclass(frozen=True, eq=False)
class Certificate(RebuiltPuzzle):
    """The content of a certificate, the puzzle rebuilt from it, and the placements that may be chosen."""

    said: Mapping[str, Any]
    claim: CertifiedCounts
    removals: list[tuple[int, int]]
    file: CertificateFile

    @cached_property
    def possible(self) -> Flags:
        """Flags of the placements that may be chosen: all except those that the broken symmetry excludes."""
        return np.ones(len(self.placements), dtype=np.bool_)

    @cached_property
    def factor(self) -> Longs:
        """The factor by which a solution with a placement counts, for each placement."""
        return np.ones(len(self.placements), dtype=np.int64)

    def read_solutions(self, checked: list[str]) -> Rows:
        """Read and check the listed solutions: rows of ascending placement numbers, padded with numbers of all one bits."""
        width = whole(self.said["solution_width"], "solution_width", 1, self.problem.atoms)
        size = whole(self.said["solution_bytes"], "solution_bytes", 2, 4)
        if size == 3 or (number := self.file.size_of("solutions.bin")) % (width * size):
            raise Rejected("solutions: they are not whole numbers of 2 or 4 bytes, the same number for each solution")
        claimed = self.claim.all or 0
        if number > width * size * claimed:
            raise Rejected(f"solutions: {number // (width * size):,} are listed, more than the {claimed:,} that are claimed")

        def blocks() -> Iterator[Rows]:
            for data in self.file.stream("solutions.bin", max(1, CHUNK // (width * size)) * width * size):
                self.go_on()
                numbers = np.frombuffer(data, dtype={2: "<u2", 4: "<u4"}[size])
                found = np.where(numbers == np.iinfo(numbers.dtype).max, -1, numbers.astype(np.int64))
                if found.max() >= self.problem.options:
                    raise Rejected("solutions: a number does not belong to any placement")
                yield found.astype(np.int32).reshape(-1, width)

        rows = self.check_solutions(self.possible, blocks())
        checked.append(CheckerSentence("solutions: {n} listed, each checked against the geometry, no two alike", n=len(rows)))
        return rows

    def read_records(self) -> Iterator[Records]:
        """Yield the item numbers of a tree, in chunks."""
        size = whole(self.said["record_bytes"], "record_bytes", 1, 4)
        if size == 3 or self.file.size_of("proof.tree") % size:
            raise Rejected("tree: it is not made of numbers of 1, 2 or 4 bytes")
        for chunk in self.file.stream("proof.tree"):
            self.go_on()
            yield np.frombuffer(chunk, dtype={1: "<u1", 2: "<u2", 4: "<u4"}[size]).astype(np.uint32)


def check_certificate(path: Path, go_on: Callable[[], object] = bool) -> Verified:
    """Return what a certificate proves. Raises Rejected, with the reason, if it does not prove its claim; OSError if there is no file.

    ``go_on`` is called now and then. A caller whose time is up raises an exception there; then nothing is proved.
    """
    with CertificateFile.opened(path) as file:
        return _check(file, go_on)


def _check(file: CertificateFile, go_on: Callable[[], object]) -> Verified:
    checked: list[str] = []
    stated = read_certificate(file, checked, go_on)
    fields = stated.said
    counts = _KINDS[fields["kind"]].check(stated, checked)
    if stated.claim != counts:
        raise Rejected(f"claim: the certificate claims {counts_in_words(stated.claim)}; it proves {counts_in_words(counts)}")
    believed = (
        CheckerSentence("that the puzzle stated in the certificate is the one you mean"),
        CheckerSentence("that this checker, Python, numpy, and numba, which compiled its loops, work as documented"),
    )
    proved = CheckerSentence("so the counts are {counts}", counts=counts_in_words(counts))
    return Verified(stated.puzzle.name, fields["kind"], counts, puzzle_lines(stated.puzzle), (*checked, proved), UNPROVED, believed)


def read_certificate(file: CertificateFile, checked: list[str], go_on: Callable[[], object] = bool) -> Certificate:
    """Read a certificate and rebuild its puzzle; append what was confirmed to ``checked``."""
    fields = entries(file.read_json(), "certificate")
    if fields.get("format") != FORMAT or whole(fields.get("version")) != VERSION:
        raise Rejected(f"certificate: expected format {FORMAT!r}, version {VERSION}")
    kind = text(fields.get("kind"), "certificate.kind")
    if kind not in _KINDS:
        raise Rejected(f"certificate.kind: there is no kind {shown(kind)}")
    table(fields, "certificate", (*KEYS, *_KINDS[kind].keys))
    if strange := [name for name in file.names if name != "certificate.json" and not name.startswith(_KINDS[kind].members)]:
        raise Rejected(f"file: a certificate of kind {kind!r} has no {shown(min(strange))}")
    claim, puzzle = _read_claim(fields["claim"]), read_puzzle(fields["puzzle"])
    stated = Certificate(puzzle, go_on, fields, claim, _pairs(fields["removals"], "removals"), file)
    problem = stated.problem
    go_on()
    rebuilt = "puzzle {name}: {atoms} atoms, {tiles} {tiles|tile|tiles}, {n} placements rebuilt from the geometry; {besides}"
    checked.append(
        CheckerSentence(
            rebuilt, name=puzzle.name, atoms=str(problem.atoms), tiles=str(len(puzzle.tiles)), n=problem.options, besides=_besides(puzzle)
        )
    )
    if fields["kept"] is not None:
        _keep(stated, fields["kept"], checked)
    return stated


def _read_claim(stated: Any) -> CertifiedCounts:
    fields = table(stated, "claim", ("labelled", "all", "distinct"))
    labelled, distinct = (None if fields[key] is None else count(fields[key], f"claim.{key}") for key in ("labelled", "distinct"))
    return CertifiedCounts(labelled, count(fields["all"], "claim.all"), distinct)


def _besides(puzzle: StatedPuzzle) -> CheckerSentence:
    """Return the facts about a puzzle that a person must know besides its pieces and its form."""
    sentence = CheckerSentence("mirror images count as one" if puzzle.mirrored else "mirror images count as two")
    for number, what in (
        (len(puzzle.keep), "{n} {n|atom that symmetries must keep|atoms that symmetries must keep}, {more}"),
        (sum(isinstance(rule, StatedRule) for rule in puzzle.rules), "{n} {n|condition|conditions}, {more}"),
        (len(puzzle.fixed), "{n} {n|fixed placement|fixed placements}, {more}"),
        (sum(len(tile.listed) for tile in puzzle.tiles), "{n} {n|placement as listed|placements as listed}, {more}"),
        (len(puzzle.optional), "{n} {n|atom that may stay empty|atoms that may stay empty}, {more}"),
    ):
        sentence = CheckerSentence(what, n=number, more=sentence) if number else sentence
    if kinds := [rule.kind for rule in puzzle.rules if isinstance(rule, SolutionRule)]:
        sentence = CheckerSentence("rules on solutions ({kinds}), {more}", kinds=", ".join(dict.fromkeys(kinds)), more=sentence)
    return sentence


def _keep(stated: Certificate, kept_fields: Any, checked: list[str]) -> None:
    """Confirm that one placement of each orbit of a tile or an atom is kept, so that every solution is the image of one with a kept one.

    A solution has exactly one placement of the item. Equally many have one placement as have its image, so each kept placement counts for
    those of its orbit that are the item's.
    """
    problem, group = stated.problem, stated.group
    what = "atom" if "atom" in entries(kept_fields, "kept") else "tile"
    fields = table(kept_fields, "kept", (what, "placements", "symmetries"))
    first, after = (0, problem.atoms) if what == "atom" else (problem.atoms, len(problem.items))
    item = first + index(fields[what], f"kept.{what}", after - first)
    if not problem.low[item] == problem.high[item] == 1:
        raise Rejected("kept: only a tile that is used exactly once, or an atom that must be covered, can break the symmetry")
    kept = sorted(different(read_all(fields["placements"], "kept.placements", whole), "kept.placements"))
    named = different(read_all(fields["symmetries"], "kept.symmetries", whole), "kept.symmetries")
    if unknown := [s for s in named if s not in group]:
        raise Rejected(f"kept: symmetry {unknown[0]} does not map the puzzle onto itself")
    found = stated.orbits(item, named)
    if not set(kept) <= found.keys() or {found[o] for o in kept} != set(found.values()) or len({found[o] for o in kept}) != len(kept):
        raise Rejected("kept: not one placement of each orbit")
    stated.possible[list(found)] = False
    stated.possible[kept] = True
    stated.factor[kept] = [len(found[o]) for o in kept]
    mapped = "symmetry: {n} symmetries map placements, form and rules onto themselves; of {of} placements of {item} {kept} represent all"
    checked.append(CheckerSentence(mapped, n=str(len(named)), of=str(len(found)), item=problem.items[item], kept=str(len(kept))))


def _by_weighting(stated: Certificate, checked: list[str]) -> CertifiedCounts:
    fields = table(stated.said["weighting"], "weighting", ("weights", "modulus"))
    pairs = _pairs(fields["weights"], "weighting.weights")
    different((item for item, _ in pairs), "weighting.weights: item")
    modulus = whole(fields["modulus"], "weighting.modulus", 0)
    checked.append(CheckerSentence("weights: {words}", words=stated.check_weighting(_removed(stated, checked), dict(pairs), modulus)))
    return NO_SOLUTIONS


def _by_bound(stated: Certificate, checked: list[str]) -> CertifiedCounts:
    fields = table(stated.said["bound"], "bound", ("weights", "rule", "times", "most"))
    pairs = _pairs(fields["weights"], "bound.weights")
    different((item for item, _ in pairs), "bound.weights: item")
    weights = np.zeros(len(stated.problem.items), dtype=np.int64)
    for item, weight in pairs:
        weights[index(item, "bound.weights: item", len(weights))] = whole(weight, "bound.weights", -MAX_WEIGHT, MAX_WEIGHT)
    times, most, rule = whole(fields["times"], "bound.times", 1, MAX_WEIGHT), flag(fields["most"], "bound.most"), NO_RULE
    if fields["rule"] is not None:
        found = stated.puzzle.rules[index(fields["rule"], "bound.rule", len(stated.puzzle.rules))]
        if not isinstance(found, StatedRule) or found.modulus:
            raise Rejected("bound: this rule has no bounds of a sum of weights")
        rule = found
    if stated.removals:
        raise Rejected("bound: it does not take removals")
    total = stated.check_bound(rule, weights, times, most=most)
    sentence = "bound: each placement weighs at {end} {times} times what it adds to {rule}, and all that may be covered weighs {total}"
    end, name = CheckerSentence("least" if most else "most"), rule.name
    checked.append(CheckerSentence(sentence, end=end, times=str(times), rule=name, total=str(total)))
    return NO_SOLUTIONS


def _by_removals(stated: Certificate, checked: list[str]) -> CertifiedCounts:
    checked.append(CheckerSentence("removals: {words}", words=stated.problem.check_starved(_removed(stated, checked))))
    return NO_SOLUTIONS


def _by_tree(stated: Certificate, checked: list[str]) -> CertifiedCounts:
    rows = stated.read_solutions(checked)
    position = 0

    def confirm(found: Rows) -> None:
        nonlocal position
        stated.go_on()
        for row in found[stated.rules_kept(found)]:
            chosen = row[row >= 0]
            if position == len(rows) or not np.array_equal(rows[position][rows[position] >= 0], chosen):
                raise Rejected(f"tree: it leads to solution {position + 1}, which is not the one listed")
            position += 1

    possible = stated.problem.set_of(np.flatnonzero(_removed(stated, checked)))
    replayed = replay(stated.problem, possible, stated.read_records(), confirm)
    if position < len(rows):
        raise Rejected(f"tree: it does not lead to solution {position + 1}")
    checked.append(CheckerSentence("tree: {n} nodes replayed; it leads to these solutions and to no other", n=replayed.nodes))
    return _counted(stated, rows, checked)


def _by_lrat(stated: Certificate, checked: list[str]) -> CertifiedCounts:
    if stated.puzzle.late_rules or stated.removals:
        raise Rejected("lrat: rules and removals cannot be part of the formula")
    rows = stated.read_solutions(checked)
    formula = stated.formula(stated.possible, rows)
    with stated.file.open("proof.lrat") as stream:
        result = check_lrat(formula, stream)
    derived = "refutation: {clauses} clauses rebuilt from the puzzle and its solutions; {steps} steps derive the empty clause"
    checked.append(CheckerSentence(derived, clauses=len(formula), steps=result.added))
    return _counted(stated, rows, checked)


def _by_tally(stated: Certificate, checked: list[str]) -> CertifiedCounts:
    if stated.puzzle.late_rules or stated.removals or stated.problem.forced:
        raise Rejected("tally: rules, removals and fixed placements are not part of it")
    found, words = check_tally(
        stated.problem, stated.possible, stated.factor, stated.said["tally"], stated.file.size_of, partial(_read_on, stated)
    )
    checked.append(CheckerSentence("tally: {words}", words=words))
    return CertifiedCounts(stated.count_labelled(found), found, None)


def _read_on(stated: Certificate, name: str, most: int) -> bytes:
    """Read the next member of a tally."""
    stated.go_on()
    return stated.file.read(name, most)


def _removed(stated: Certificate, checked: list[str]) -> Flags:
    possible = stated.problem.check_removals(stated.possible, stated.removals)
    if stated.removals:
        left = "removals: {n} {n|placement|placements}; each would leave some atom or tile without a placement"
        checked.append(CheckerSentence(left, n=len(stated.removals)))
    return possible


def _pairs(stated: Any, where: str) -> list[tuple[int, int]]:
    """Return pairs of whole numbers."""
    return [(whole(one, where), whole(other, where)) for one, other in (array(pair, where, 2) for pair in array(stated, where))]


def _counted(stated: Certificate, rows: Rows, checked: list[str]) -> CertifiedCounts:
    if not len(rows):
        return NO_SOLUTIONS
    template = "distinct: two solutions count as one if one of {n} symmetries of the form takes one to the other"
    balls = "{distinct}; motions of the balls that do not keep all of their lattice are not among them"
    distinct = CheckerSentence(template, n=str(len(stated.group)))
    checked.append(CheckerSentence(balls, distinct=distinct) if stated.puzzle.grid.of_balls else distinct)
    factors = np.append(stated.factor, 1)[rows].prod(axis=1, dtype=np.int64)
    return stated.count(rows, factors)


@dataclass(frozen=True)
class _Kind:
    """The content of the certificates of a kind, and the function that checks them."""

    check: Callable[[Certificate, list[str]], CertifiedCounts]
    keys: tuple[str, ...]
    members: tuple[str, ...]
    """Beginnings of the names of the members; some members are not read."""


_KINDS = {
    "weighting": _Kind(_by_weighting, ("weighting",), ("veripb.opb", "veripb.pbp")),
    "bound": _Kind(_by_bound, ("bound",), ()),
    "removals": _Kind(_by_removals, (), ()),
    "tree": _Kind(_by_tree, ("record_bytes", "solution_width", "solution_bytes"), ("solutions.bin", "proof.tree")),
    "lrat": _Kind(_by_lrat, ("solution_width", "solution_bytes"), ("solutions.bin", "proof.lrat", "formula.cnf")),
    "tally": _Kind(_by_tally, ("tally",), ("tally/",)),
}
