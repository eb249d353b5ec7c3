"""Long runs: many puzzles, or one huge one, in units of work, with one store and any executor.

A study comes in. Answers go to the store as they come, and totals to tables. Begin with ``coordinator``; ``settle`` says what counts.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .coordinator import RunOptions
    from .executors import ExecutorWorkers, workers
    from .running import (
        Ran,
        StoredCount,
        check_in_store,
        count_in_store,
        instances_to_check,
        merge,
        overview,
        review,
        run_study,
        subject_in,
    )
    from .store import Reader, open_to_read
    from .study import Study, forms_as_subjects, read_study, study_from
    from .tables import PuzzleRow, built_puzzles, summary, table, table_lines
    from .units import Subject
else:
    __getattr__ = door(__name__)
