"""Who solves, for how long, within how much memory: every default of the program, said once.

A command's own limits (``--time``, ``--memory``) come first: a step never takes longer than they leave. What is here holds where they say
nothing, and shares out what they allow. ``solvers.registry`` says what each solver can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from puzzlesat.base import Clock, Limits

if TYPE_CHECKING:
    from puzzlesat.puzzles import Condition

AUTO = "auto"
"""The tally and the backtracker, which take turns."""
CERTIFICATE = "certificate"
"""A certificate of the whole search, made and then checked from the geometry; it stands among the solvers that check, and is none."""
COUNTING = (AUTO, CERTIFICATE, "sat", "cpsat")
"""Who counts, and who checks it, unless ``--solver`` says otherwise."""
LISTING = "backtrack"
"""Who lists solutions, unless asked otherwise."""
CHECKING_SECONDS: float = 20
"""For the certificate and all checking solvers of a puzzle together: the default of ``--budget``."""
LEAST_SAMPLE_SECONDS, MOST_SAMPLE_SECONDS = 1.0, 5.0
"""For the other checking solvers together, once a certificate was accepted: as long as all work before, within these bounds."""
CERTIFICATE_SHARE = 0.6
"""Of these, what the certificate takes at most."""
FIRST_SECONDS: float = 60
"""For each first try: what takes longer is left to the next step."""
BITSET_BYTES = 1 << 30
"""For the bitsets of the backtracker; where they would need more, it searches by sparse sets."""


@dataclass(frozen=True)
class Plan:
    """How to count and check."""

    solvers: Sequence[str] = COUNTING
    budget: float | None = None
    """Seconds for the certificate and all checking solvers of an instance together; None: in proportion (see ``sample_seconds``)."""
    full: bool = False
    """Check everything, however long it takes."""
    symmetry: bool = True
    parity: bool = True
    reduction: bool = True
    transformed: bool = False
    conditions: tuple[Condition, ...] = ()
    """Further conditions that every solution keeps, for all solvers."""
    limits: Limits = field(default_factory=Limits)
    proved: bool = False
    """Take all the time there is for a certificate, and have it checked by the program that is proved sound."""

    @property
    def checking_seconds(self) -> float:
        """Seconds for the certificate and all checking solvers."""
        return CHECKING_SECONDS if self.budget is None else self.budget

    def sample_seconds(self, spent: float) -> float | None:
        """Return the seconds for the other solvers once a certificate of the whole search was accepted; None: as many as without one.

        ``spent`` are the seconds up to then, from the beginning of the work on the puzzle.
        """
        return None if self.full or self.budget is not None else min(MOST_SAMPLE_SECONDS, max(LEAST_SAMPLE_SECONDS, spent))


@dataclass(frozen=True)
class Step:
    """One solver's turn at a problem."""

    solver: str
    seconds: float | None = None
    """The most it takes."""
    share: float = 1.0
    """Of the time that is left, what it takes at most."""
    solutions: int | None = None
    """How many are looked for; None: all."""
    shapes: int | None = None
    """Shapes beyond which the tally gives up."""

    def limits(self, clock: Clock) -> Limits:
        """Return the limits of the step, by what is left on a clock."""
        limits = replace(clock.limits, seconds=clock.share(self.share)).within(self.seconds)
        return replace(limits, solutions=self.solutions or limits.solutions, shapes=self.shapes)


MOST_SHAPES = 2_000_000
"""Of a first try of the tally: a second or two, and some hundred megabytes."""

# counting a puzzle: the tally and the backtracker take turns; whoever is done first has the count, and the other one may confirm it
AUTO_TALLY, AUTO_LISTER = "tally", "backtrack"
AUTO_TALLY_MEMORY_SHARE = 0.75
"""What part of the memory the tally may take beside the backtracker."""
CONFIRMING_SHARE = 0.5
"""Of ``--budget``, what the slower of the two takes at most to confirm the faster."""
CONFIRMING_SECONDS: float = 0.1
"""That it may have had altogether, whatever the budget is."""
TALLY_AFTER_SECONDS: float = 5
"""For the tally, once all is listed; or else as long as the list has taken."""
MOST_LISTED = 1_000_000
"""Solutions up to symmetry beyond which what the tally counted is not listed."""

# a puzzle that is asked for a few of its solutions, or for how to certify it: first tries
TALLY_FIRST = Step("tally", seconds=FIRST_SECONDS, shapes=MOST_SHAPES)

# solutions by their numbers: without a list, or by one that is put in order; whoever does it, the order is the same
NUMBERING = (TALLY_FIRST, Step("backtrack", seconds=10), Step("tally"), Step("backtrack"), Step("sat"))
"""Who does it unless asked otherwise: the first that neither refuses nor is stopped; where the tally lacks memory, nobody."""
MOST_ORDERED = 1_000_000
"""Solutions beyond which they are not listed to be put in order."""

# counting a cover problem that belongs to no puzzle: the backtracker, and then the solvers that would have checked it
SEARCH_FIRST = Step("backtrack", seconds=FIRST_SECONDS)
MOST_CONDITIONS = 20
"""More of them, as formulas have, and the backtracker is not tried first: it prunes little by a condition on a few options."""

# solutions of large problems by chance
PATIENT_TURNS = 8
"""Of the backtracker, some hundredths of a second each, without any solution: from there on each is followed by an attempt."""
ATTEMPT_NODES = 100_000
"""Of most attempts: some hundredths of a second. A few go on for up to so many times as long:"""
LONGEST_ATTEMPT = 16
WIDTH = 10_000
"""Of most attempts that carry on many fillings side by side: the most on a level. A few are up to so many times as wide:"""
WIDEST = 8
LEVEL_BYTES = 1 << 28
"""That the fillings of a level may take."""
SEED = 1
"""Of ``solve``, unless ``--seed`` says otherwise."""

# completing a position: counts and hints, and how challenges are made
QUICK = Step("backtrack", seconds=1)
"""Most positions, and most forms, are decided sooner."""
ONE_BY_SAT = "sat:glucose4:commander"
"""For a question that is asked once: its at-most-one constraints are made in no time for large forms too."""
NONE_BY_CP = "cpsat"
"""Who looks again where that one found nothing."""
COMPLETING = (QUICK, Step("tally", share=0.7, shapes=MOST_SHAPES), Step(ONE_BY_SAT, share=0.5, solutions=1), Step("backtrack"))
"""Who counts the completions of a position, until one has them all; SAT is asked for one where none is known."""
LIST_COMPLETIONS = ("backtrack", "sat")
"""Who lists them: the first that can."""
HINT_SECONDS: float = 20
"""For all that a hint looks at."""
COMPLETIONS_SHARE = 0.5
"""Of these, for the number of ways to finish a position; what follows shares what is left."""
WRONG_SHARE = 0.25
"""For the first wrong piece."""
SEARCH_SHARE, PUT_BACK_SHARE = 0.6, 0.7
"""For the search for the fewest pieces to take back; and of what is left then, for putting pieces back where that did not end."""
KEPT_SHARE = 0.5
"""Of what is left of the search, for the question whether some pieces can all stay, where ``QUICK`` does not answer it."""
LISTED_FOR_HINTS = 20_000
"""Completions that are compared to see what they share."""
CHALLENGE_SEARCHER, CHALLENGE_CHECKER = "backtrack", "cpsat"
"""Who lists the solutions that challenges are drawn from, and by its nodes says how hard they are; who finds their completions again."""
CHALLENGE_SECONDS: float = 60
"""For one count; only a puzzle that is too hard for challenges takes so long."""
LISTED_FOR_CHALLENGES = 50_000
"""Solutions of the whole puzzle up to which every class of solutions is drawn with equal chance."""
NODES_FOR_CHALLENGES = 50_000_000
"""Nodes of the search for these: some seconds. No clock stops it, so that a seed gives the same everywhere."""
LISTED_FOR_HARDEST = 1_000_000
"""Solutions up to which the fewest given pieces are looked for among all."""
NODES_FOR_HARDEST = 1_000_000_000
"""Nodes of the search for these: a minute or some."""
RECOUNT_FOR_HARDEST = Step("tally", share=0.5, shapes=MOST_SHAPES)
"""Who counts that list again."""

# proofs and certificates
COLOURING_SECONDS: float = 10
COLOURING_SHARE = 0.25
"""What part of the time of a form may go into colourings, and into those after placements that cannot be used are removed."""
CERTIFIED_STATES = 30_000_000
"""Of a certificate by a tally: some hundred megabytes."""

# trying candidate forms: a solution is looked for by ``QUICK``, then arguments are
FORM_SECONDS: float = 10
"""For each form."""
FORM_COUNT_SHARE = 0.5
"""Of what is left of that, for each of the two ways of counting."""
SHEET_STARS_SECONDS: float = 3
"""For how hard a form is, on a sheet of pictures."""
SHEET_LIST_SECONDS: float = 1
"""For all solutions of a form, for its board there."""
SHEET_LISTED = 1_000
"""Solutions up to which a board of the sheet has all of them."""
FORM_JUDGE = "sat"
"""Who goes through all cases again where a search finds no solution, and no certificate can state the puzzle."""
FORM_CHECKERS = ("backtrack", "sat", "cpsat")
"""Who counts a form again where the tally refuses it, and so nothing else confirms the list."""
PIECES_JUDGE = "tally"
"""Who counts the assemblies of some pieces again, which were found among those of many pieces."""

# sets of tiles: all are counted at once, and a list confirms it; a common form is looked for, size by size
MOST_TOGETHER = 1_000_000
"""Ways to choose sets that fill some forms at the same time, beyond which they are not gone through."""
MOST_COMMON = 20
"""Faces of the forms that are looked at for tiles that fill the same one, unless ``--most`` says otherwise."""

# long runs: who counts parts of a puzzle, and who does again what is done twice
TALLY, SEARCH, CELLS, JUDGE = "tally", "backtrack", "backtrack:cells", "sat"
AUDITS_OF_PARTS = {TALLY: (SEARCH, JUDGE, TALLY), SEARCH: (TALLY, SEARCH)}
"""Who counts again what one has counted: the first that manages it in time. The last has all the time there is, and counts in parts."""
THIRDS_OF_PARTS = {TALLY: (CELLS, TALLY), SEARCH: (CELLS,)}
"""Who settles which of two answers is right: where one can, another than who gave them."""
AUDITS, THIRDS = (JUDGE, TALLY, SEARCH, CERTIFICATE), (CERTIFICATE, JUDGE, "cpsat")
"""The same of a whole puzzle: the first that manages it in time; but for the one who has counted."""

# the page of a report
SHOWN_SECONDS: float = 2
"""What looking for something to draw may take where a notebook shows a puzzle or a report."""
SHOWN_SOLUTIONS = 12
"""Solutions that it shows of a report."""
REPORT_SOLUTIONS = 20_000
"""How many solutions up to symmetry a page shows, unless ``--most`` says otherwise."""
REPORT_LISTING_SECONDS: float = 60
REPORT_PROOF_SECONDS: float = 20
"""How long the solutions are listed, and an argument is looked for why there is none, unless ``--time`` says otherwise."""
REPORT_APART_SECONDS: float = 20
"""How long solutions are taken apart for a page."""
REPORT_APART_SHOWN = 1_000
"""Of so many it shows the steps: of those that take most moves."""

# the studio: what one question of the page may take; whoever asks has mostly gone on before
STUDIO_LONG, STUDIO_QUICK = 2, 2
"""Questions worked on at the same time: those that take long (counts, candidates, proofs), and those that are answered while one plays."""
STUDIO_PROCESSES = 6
"""At most, with those that are told to leave off and have not yet."""
STUDIO_WARM = 2
"""Processes that wait for questions with everything loaded."""
STUDIO_LEAVE_OFF_SECONDS = 0.5
"""For work that nobody waits for any more; past it its process is killed, and another one takes its place."""
STUDIO_KEPT = 8
"""Puzzles that a process keeps built, those asked about last,"""
STUDIO_KEPT_PLACEMENTS = 300_000
"""and the placements of all of them; the last one is kept in any case."""
STUDIO_MEMORY = 2 << 30
"""Bytes for one question, where the machine has so many; see ``MEMORY_SHARE``."""
STUDIO_SECONDS: float = 600
"""For what takes long."""
STUDIO_HINT_SECONDS: float = 60
"""For a position, or a hint; what is known of it is said at once."""
STUDIO_APART_SECONDS: float = 60
"""For taking what lies on the board apart."""
STUDIO_STATES_SECONDS: float = 10
"""For counting the states of all assemblies that are listed."""
STUDIO_LIST_SECONDS: float = 60
"""For listing the solutions that are looked at, or counting them by their numbers; past it those that were found are shown."""
STUDIO_LEVELS_SECONDS: float = 60
"""For taking them apart, so that those of the highest level come first;"""
STUDIO_UNASKED_SECONDS: float = 10
"""where nobody has asked for that, and there are few."""
STUDIO_FIRST_SECONDS: float = 5
"""For the first solution of a puzzle that is being drawn, before it is counted."""
STUDIO_STARS_SECONDS: float = 10
"""For the difficulty of a position."""
