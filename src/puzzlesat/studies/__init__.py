"""Long runs: many puzzles, or one huge one, in units of work, with one store and any executor.

A study comes in. Answers go to the store as they come, and totals to tables. Begin with ``coordinator``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .forms import try_forms
    from .merging import Merged, merge
    from .opening import open_to_read
    from .overviews import Dispute, Overview, overview
    from .reviewing import review
    from .running import Ran, StoredChecks, StoredCount, Watch, count_in_store, instances_to_check, open_checks, run_to_table, workers
    from .store import Reader
    from .stored import subject_in
    from .study import Study, forms_as_subjects, read_study, study_from
    from .tables import Row, built_puzzles, summary, table, table_lines
    from .units import Subject
else:
    __getattr__ = door(__name__)
