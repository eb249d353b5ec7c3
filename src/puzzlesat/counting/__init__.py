"""The four counts of a puzzle, cross-checked, and the report of them; and solutions one by one.

A puzzle, or a cover problem, and the solvers to use come in. A ``Report`` goes out. Begin with ``crosscheck``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .assembly import Apart, ApartOptions, Assembly, assemblies
    from .conventions import fixed_again
    from .counts import Counts, Labelling
    from .cover_problem import CoverReport, CoverSolution, count_cover, solve_cover
    from .crosscheck import count
    from .evidence import Disagreement, Row, Sample, number
    from .listing import TALLY_FIRST, LimitReached, Pick, list_distinct, number_solutions, solutions, solve
    from .optimum import Best, Goal, best, hold
    from .plain_facts import Fact, facts, order_of_sides
    from .plan import AUTO, CERTIFICATE, CHECKING_SECONDS, MAX_LISTED, Plan
    from .report import Report
    from .results import Record, Results
    from .second_reading import read_twice
    from .tallied_counts import conjugates, tallied
    from .verdict import Checked, Judgement, Refutation, Verdict, judge_figures, wrong_solution
else:
    __getattr__ = door(__name__)
