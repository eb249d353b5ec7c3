"""The four counts of a puzzle, cross-checked, and the report of them.

A puzzle, or a cover problem, and the solvers to use come in. A ``Report`` goes out. Begin with ``crosscheck``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .assembly import (
        Apart,
        Asked,
        Assembly,
        assemblies,
        graph_of_states,
        level_words,
        other_levels,
        turn_options,
        why_undecided,
    )
    from .conventions import KEYS, Convention, fixed_again
    from .counts import Counts, Labelling
    from .cover_problem import PuzzlelessReport, count_puzzleless, puzzleless_solutions
    from .crosscheck import count, hold
    from .evidence import (
        CERTIFIED,
        CONTRADICTED,
        NONE_CERTIFIED,
        NOTHING,
        CountReport,
        agreement,
        confirmation,
        confirmations,
        contradictions,
        first_sentence,
        joined,
        number_words,
        reading_words,
        why_not_proved,
    )
    from .exact_cover import CoverReport, CoverSolution, count_cover, solve_cover
    from .listing import lister, solutions, solve_listed
    from .numbering import TALLY_FIRST, NumberedRow, Pick, any_seed, list_distinct, number_solutions, picked, solve_numbered
    from .plain_facts import ONLY, Fact, facts, order_of_sides, refusals, rules_said
    from .plan import AUTO, CERTIFICATE, CHECKING_SECONDS, COUNTING, MOST_LISTED, Plan, check_counting
    from .report import COLUMNS, Disagreement, Report, Row, Sample, row_of, unbegun
    from .report_json import (
        FAILS,
        OK,
        REFUTES,
        STOPPED,
        Checked,
        checked,
        is_complete,
        proved_sound,
        puzzleless_as_json,
        refutation_as_json,
        report_as_json,
        verdict_as_json,
    )
    from .second_reading import SecondReading, make_cover_recheck, read_twice, turns_again
    from .sets import SetCount, Sets, Together, count_sets, together, words_of
    from .tallied_counts import conjugates, tallied
    from .verdict import (
        CONFIRMED,
        CONVENTIONS,
        ELSEWHERE,
        REFUTED,
        UNKNOWN,
        Refutation,
        Verdict,
        fails,
        figures,
        has_witness,
        refutations,
        verdicts,
    )
    from .words import NOT_KNOWN, SOLVER_HEADINGS, number, placements_words, refutation_words, solver_cells, verdict_words
else:
    __getattr__ = door(__name__)
