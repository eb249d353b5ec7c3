"""Arguments that a form cannot be filled, from the easiest to check by hand to a complete search."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np

from puzzlesat import base, solvers
from puzzlesat.base import SILENT, Clock, Displayed, EndedError, Ending, Flags, Limits, Progress, Sentence, listed, scratch
from puzzlesat.checker import CertifiedCounts, Rejected
from puzzlesat.proofs.bound import unreachable
from puzzlesat.proofs.case import Case, Contents, make_case, new_certificate
from puzzlesat.proofs.certificates import SearchStoppedError, certify, solutions_by_search
from puzzlesat.proofs.linear import Weighting, sums_of
from puzzlesat.proofs.tree_lrat import Records
from puzzlesat.proofs.weighting import COLOURING_SECONDS, COLOURING_SHARE, explain, find_weighting
from puzzlesat.proofs.written_search import Removal, find_removals, needed_removals
from puzzlesat.puzzles import Instance, OfPuzzle, Solution, Solutions, build_instance

AREA, NOTHING_FITS, CONDITION, COLOURING, WEIGHTS = "area", "nothing fits", "condition", "colouring", "weights"
TALLY, SEARCH = "tally", "search"
SOLVABLE = "solvable"
MEANS = {
    AREA: "the area",
    NOTHING_FITS: "what fits nowhere",
    CONDITION: "a condition that nothing keeps",
    COLOURING: "a colouring",
    WEIGHTS: "weights",
    TALLY: "a tally, which nothing confirmed",
    SEARCH: "a search through all cases, which nothing confirmed",
}
NO_SOLUTIONS = CertifiedCounts(0, 0, 0)
FIRST_SECONDS = 1.0
"""Time of a first search. After it, the tally may decide a form with few shapes."""
TALLY_SHARE = 0.5
"""Largest share of the time left for the tally."""
MAX_STEPS = 20
"""Number of steps of a chain of removals that are written out; further steps are only counted."""


@dataclass(frozen=True)
class Shown:
    """The picture of an argument: a number on each atom of the form."""

    weights: tuple[int, ...]
    """Numbers in the order of the atoms of the form."""
    modulus: int = 0
    note: str = ""
    """Meaning of the numbers if they are not weights."""


@dataclass(frozen=True, eq=False)
class FoundArgument:
    """An argument that there is no solution, or a solution."""

    argument: str
    sentences: tuple[str, ...]
    shown: Shown | None = None
    contents: Contents | None = None
    """Contents of the certificate; None if writing the certificate takes a search."""
    weighting: Weighting | None = None
    tree: IO[bytes] | None = None
    """The file of the search tree, if the caller gave one."""
    solution: tuple[int, ...] = ()
    """Numbers of placements of the compiled puzzle."""

    @classmethod
    def solved(cls, row: tuple[int, ...]) -> FoundArgument:
        """Return the finding of a solution."""
        return cls(SOLVABLE, (Sentence("It can be solved."),), solution=row)

    @property
    def solvable(self) -> bool:
        """True if a solution was found."""
        return self.argument == SOLVABLE

    @property
    def means(self) -> str:
        """The kind of proof, as a phrase of a sentence. The checker's code has accepted areas, colourings and chains of removals."""
        return MEANS[self.argument]

    def write(self, case: Case, path: Path, limits: Limits, progress: Progress = SILENT) -> None:
        """Write the certificate of the argument.

        Raises SearchStoppedError if the certificate takes a new search and a limit stops it.
        """
        if self.contents is None:
            held = self.argument == TALLY and not (case.puzzle.late_rules or case.puzzle.mates or case.problem.forced)
            certify(case, path, "tally" if held else "tree", limits, progress)
            return
        with new_certificate(path) as archive:
            if self.tree is not None:
                self.tree.seek(0)
                with archive.open("proof.tree", "w", force_zip64=True) as stream:
                    shutil.copyfileobj(self.tree, stream)
                self.contents.write_solutions(archive, case, np.empty((0, 1), dtype=np.int32))
            self.contents.write(archive, case)


@dataclass(frozen=True, eq=False, repr=False)
class Proof(OfPuzzle, Ending, Displayed):
    """A proof that a puzzle has no solution, or a solution."""

    finding: FoundArgument | None
    """The argument with the data of its certificate and picture; None if a limit was reached first."""
    certificate: Path | None = None
    """The file of the certificate, if one was written."""

    @classmethod
    def of(cls, instance: Instance, limits: Limits, *, certificate: Path | None = None, progress: Progress = SILENT) -> Proof:
        """Return the simplest argument that an instance has no solution, or a solution; write the certificate of an argument on request.

        If a limit is reached first, the proof is incomplete and no certificate is written.
        """
        try:
            with scratch() as tree:
                built = build_instance(instance, progress=progress, limits=limits)
                case = make_case(built, progress)
                progress = progress.of("proof")
                finding = prove(case, limits, progress=progress, tree=None if certificate is None else tree)
                if certificate is not None and not finding.solvable:
                    finding.write(case, certificate, limits, progress)
        except (SearchStoppedError, EndedError) as error:
            far = (error if isinstance(error, EndedError) else EndedError(error.status, "the search")).words
            return cls(instance, None, why=f"{far}: neither a solution nor a proof that there is none was found")
        return cls(built, finding, None if finding.solvable else certificate)

    @property
    def complete(self) -> bool:
        """True if the puzzle is known to be solvable or known to be unsolvable."""
        return self.finding is not None

    @property
    def solvable(self) -> bool | None:
        """True if there is a solution, False if there is none; None if it is not known."""
        return None if self.finding is None else self.finding.solvable

    @property
    def argument(self) -> str | None:
        """``area``, ``nothing fits``, ``condition``, ``colouring``, ``weights``, ``tally`` or ``search``; None if it has a solution."""
        return None if self.finding is None or self.solvable else self.finding.argument

    @property
    def sentences(self) -> tuple[str, ...]:
        """The argument in words, or why there is none."""
        return (self.why or "",) if self.finding is None else self.finding.sentences

    @property
    def verdict(self) -> str:
        """``can be solved``, ``has no solution: `` with the argument, or ``is not decided``."""
        return {True: "can be solved", False: f"has no solution: {self.argument}", None: "is not decided"}[self.solvable]

    @property
    def sentence(self) -> str:
        """The answer in one sentence: whether the puzzle has a solution, and by which argument."""
        return f"{self.instance.title} {self.verdict}" + ("" if self.why is None else f": {self.why}")

    @property
    def solutions(self) -> Sequence[Solution]:
        """The solution that was found; empty if none is known."""
        return Solutions(self.built, [self.finding.solution]) if self.finding is not None and self.solvable else ()

    def __repr__(self) -> str:
        answer = {True: "there is a solution", False: f"no solution, by {self.argument}", None: self.why}[self.solvable]
        return f"<Proof on {self.instance.name!r}: {answer}>"

    def __str__(self) -> str:
        drawn = [f"One solution:\n\n{solution}" for solution in self.solutions]
        return "\n".join([*self.sentences, *drawn])


def prove(case: Case, limits: Limits, *, progress: Progress = SILENT, tree: IO[bytes] | None = None, brief: bool = False) -> FoundArgument:
    """Return the simplest argument that a puzzle has no solution, or a solution.

    The tree of a search is written to ``tree``, so that its certificate needs no second search. The search for a colouring ends after
    ``COLOURING_SECONDS``, and if ``brief``, after ``COLOURING_SHARE`` of the time left. Unless ``brief``, the tally may decide what a first
    search does not. Raises SearchStoppedError if a limit is reached
    first.
    """
    clock = Clock(limits)
    left = COLOURING_SECONDS if clock.left is None else clock.left * (COLOURING_SHARE if brief else 1)
    with progress.overseen():
        found = _without_search(case, clock, progress, min(left, COLOURING_SECONDS))
    if found is None and not brief:
        found = _search(case, clock.rest().within(FIRST_SECONDS), progress, tree) or _tally(case, clock, progress)
    found = found or _search(case, clock.rest(), progress, tree)
    if found is None:
        raise SearchStoppedError("interrupted" if limits.stop.is_set() else "limit reached", 0)
    rules = case.rules
    if not rules or found.solvable:
        return found
    rules_sentence = Sentence(
        "This is about solutions {rules}. Placements that break a rule by themselves are left out.", rules=listed(rules, len(rules))
    )
    return replace(found, sentences=(rules_sentence, *found.sentences))


def _without_search(case: Case, clock: Clock, progress: Progress, colouring_seconds: float) -> FoundArgument | None:
    possible = np.ones(case.problem.options, dtype=np.bool_)
    removals, starved, _ = find_removals(case.problem, possible, progress)
    if not (starved is not None and not needed_removals(case.problem, possible, removals, starved)):
        for weighting in _areas(case):
            if (found := _by_weights(case, AREA, weighting, [])) is not None:
                return found
    if starved is not None:
        return _nothing_fits(case, possible, removals, starved)
    if unkept := case.built.unkept_conditions:
        return FoundArgument(CONDITION, tuple(never.why for never in unkept))
    for left_out in [[], removals] if removals else [[]]:
        flags = _compiled_flags(case, left_out) if left_out else None
        progress({"removals": len(left_out)})
        colours = find_weighting(
            case.built, removed=flags, seconds=colouring_seconds if clock.left is None else min(colouring_seconds, clock.left)
        )
        if colours is not None and (found := _by_weights(case, COLOURING, colours, left_out)) is not None:
            return found
    if (bound := unreachable(case, colouring_seconds if clock.left is None else min(colouring_seconds, clock.left))) is None:
        return None
    contents = Contents("bound", NO_SOLUTIONS, extra={"bound": bound.stated})
    said = bound.sentences
    if (number := bound.stated["rule"]) is not None:
        asks = "The condition {name} asks for a sum beyond this; so there is no solution."
        said = (*said, Sentence(asks, name=case.puzzle.rules[number].name))
    return FoundArgument(WEIGHTS, said, Shown(bound.of_atoms), contents)


def _areas(case: Case) -> Iterator[Weighting]:
    """Yield weightings by area: all atoms of a kind, then each part of the form that no placement connects to the rest."""
    problem = case.built.problem
    atoms, own = case.problem.atoms, [*case.puzzle.required, *case.puzzle.optional]
    for kind in dict.fromkeys(case.puzzle.grid.kinds):
        inside = [case.puzzle.grid.kinds[own[i][-1]] == kind for i in case.atoms_of_problem().tolist()]
        if any(inside):
            area = kind == case.puzzle.grid.kinds[0]
            what = Sentence("area") if area else Sentence("number of {kind}", kind=Sentence(f"{kind}s"))
            yield Weighting(what, tuple(int(i and low > 0) for i, low in zip(inside, problem.low.tolist(), strict=False)), 0)
    import networkx as nx  # loading takes 0.05 s

    graph = nx.Graph()
    graph.add_nodes_from(range(atoms))
    for o in range(problem.size):
        row = [i for i in problem.items_of(o).tolist() if i < atoms]
        graph.add_edges_from(pairwise(row))
    parts = sorted((sorted(p) for p in nx.connected_components(graph)), key=len)
    for part in parts if len(parts) > 1 else []:
        if all(problem.low[i] > 0 for i in part):
            weights = np.zeros(atoms, dtype=np.int64)
            weights[part] = 1
            yield Weighting(Sentence("area of a part that is cut off"), tuple(weights.tolist()), 0)


def _by_weights(case: Case, argument: str, weighting: Weighting, removals: list[Removal]) -> FoundArgument | None:
    """Return the argument if the checker accepts it and the sums in its sentences prove it too.

    The checker also uses that no more copies fit than there are atoms, which is not an argument from weights.
    """
    removed = _compiled_flags(case, removals) if removals else None
    if not sums_of(case.built.problem, weighting, removed).impossible:
        return None
    weights = [(int(i), w) for i, w in zip(case.atoms_of_problem(), weighting.weights, strict=True) if w]
    possible = case.problem.check_removals(np.ones(case.problem.options, dtype=np.bool_), removals)
    try:
        case.check_weighting(possible, dict(weights), weighting.modulus)
    except Rejected:
        return None
    contents = Contents("weighting", NO_SOLUTIONS, removals=removals)
    contents.extra["weighting"] = {"weights": weights, "modulus": weighting.modulus}
    sentences = explain(case.built, weighting, removed)
    if removals:
        template = (
            "{n} {n|placement|placements} cannot be used, because some atom or tile could then not be covered; {n|it is|they are} left out."
        )
        sentences.insert(0, Sentence(template, n=len(removals)))
    shown = Shown(weighting.weights, weighting.modulus) if argument == COLOURING or "part" in weighting.title else None
    return FoundArgument(argument, tuple(sentences), shown, contents, weighting)


def _nothing_fits(case: Case, possible: Flags, removals: list[Removal], starved: int) -> FoundArgument:
    """Return the argument by a chain of removals, in words."""
    chain = needed_removals(case.problem, possible, removals, starved)
    case.problem.check_starved(case.problem.check_removals(possible, chain))
    useless = "{placement} cannot be used: it would leave {too_little}."
    sentences: list[str] = [Sentence(useless, placement=case.option_names[o], too_little=_too_little(case, i)) for o, i in chain]
    if len(sentences) > MAX_STEPS:
        more = "And so on, {n} {n|more step|more steps}, as the certificate says."
        sentences[MAX_STEPS:] = [Sentence(more, n=len(chain) - MAX_STEPS)]
    sentences.append(_starved(case, starved, after=bool(chain)))
    marked = {starved, *(i for _, i in chain[:MAX_STEPS])}
    atoms = case.atoms_of_problem().tolist()
    marks = tuple(int(i in marked) for i in atoms)
    shown = Shown(marks, note=Sentence("1 marks the atoms named above")) if any(marks) else None
    return FoundArgument(NOTHING_FITS, tuple(sentences), shown, Contents("removals", NO_SOLUTIONS, removals=chain))


def _starved(case: Case, item: int, *, after: bool) -> Sentence:
    """Return the sentence that an atom or a tile has too few placements; ``after`` means that placements were removed before."""
    need = int(case.problem.low[item])
    values = {"item": case.item_names[item], "n": str(need)}
    if item >= case.problem.atoms and need > 1:
        return Sentence("There are fewer than {n} placements for {item}, which needs {n}; so there is no solution.", **values)
    if item >= case.problem.atoms:
        left = "No placement is left for {item}, which needs one; so there is no solution."
        none = "There is no placement for {item}, which needs one; so there is no solution."
    elif need > 1:
        return Sentence("Fewer than {n} placements cover {item}, which needs {n}; so there is no solution.", **values)
    else:
        left = "No placement left covers {item}, which needs one; so there is no solution."
        none = "No placement covers {item}, which needs one; so there is no solution."
    return Sentence(left if after else none, **values)


def _too_little(case: Case, item: int) -> Sentence:
    need = int(case.problem.low[item])
    nothing, fewer = "nothing for {item}", "fewer than {n} placements for {item}"
    return Sentence(nothing if need == 1 else fewer, n=str(need), item=case.item_names[item])


def _tally(case: Case, clock: Clock, progress: Progress) -> FoundArgument | None:
    """Count by the tally; return None if it finds solutions, cannot count the puzzle, or takes too long."""
    if case.rules:  # the compiled puzzle has no rules on solutions
        return None
    limits = replace(clock.rest(), seconds=clock.share(TALLY_SHARE), shapes=solvers.MAX_SHAPES)
    problem = solvers.as_told(solvers.TALLY, case.built.problem)
    try:
        outcome = solvers.solver(solvers.TALLY)(problem)(None, limits, progress=progress.of(solvers.TALLY))
    except base.NotSupportedError:
        return None
    if outcome.found or not outcome.complete:
        return None
    counted = Sentence("The tally counts 0, over {n} {n|shape|shapes}; so there is no solution.", n=outcome.work.get("shapes", 0))
    return FoundArgument(TALLY, (Sentence("No argument from area, fit or colouring was found."), counted))


def _search(case: Case, limits: Limits, progress: Progress, tree: IO[bytes] | None) -> FoundArgument | None:
    """Search for a solution, exhaustively if there is none; return None if a limit is reached first."""
    progress({"nodes": 0})
    if tree is not None:  # it may have a part of an earlier search
        tree.seek(0)
        tree.truncate()
    kept = case.break_symmetry()
    possible, _ = case.possible_after(kept)
    removals, _, possible = find_removals(case.problem, possible, progress)

    def write_records(records: Records) -> None:
        if tree is not None:
            tree.write(case.as_bytes(records))

    # Solutions of the cover problem may break rules, so the first one decides only if there are no rules.
    search_limits = limits if case.puzzle.late_rules else replace(limits, solutions=1)
    searched, rows = solutions_by_search(case, possible, write_records, search_limits, progress)
    if len(rows):
        row = tuple(case.number[[o for o in rows[0].tolist() if o >= 0]].tolist())
        return FoundArgument.solved(row)
    if searched.status != "complete":
        return None
    sentence = Sentence("The fixed placements exclude each other; so there is no solution.")
    if searched.nodes:
        single = "The only case was searched; it leaves some atom or tile without a placement, so there is no solution."
        all_ = "All {n} cases were searched; each leaves some atom or tile without a placement, so there is no solution."
        ruled = (
            "{n} {n|case was|cases were} searched; each leaves some atom or tile without a placement, or breaks a rule, "
            "so there is no solution."
        )
        sentence = Sentence(ruled if case.puzzle.late_rules else single if searched.nodes == 1 else all_, n=searched.nodes)
    contents = Contents("tree", NO_SOLUTIONS, kept, removals, {"record_bytes": case.record_bytes}) if tree is not None else None
    return FoundArgument(SEARCH, (Sentence("No argument from area, fit or colouring was found."), sentence), contents=contents, tree=tree)


def _compiled_flags(case: Case, removals: list[Removal]) -> Flags:
    """Return flags of the removed placements, by their numbers in the compiled puzzle."""
    flags = np.zeros(len(case.built.placements), dtype=np.bool_)
    flags[case.number[[o for o, _ in removals]]] = True
    return flags
