"""Long runs of many puzzles, or of one huge count: units of work, one store, any executor.

``study`` reads puzzles and questions, ``coordinator`` runs them in ``units``, ``work`` answers a unit, ``settle`` decides when its answers
count, ``store`` is the file of all of it, and ``tables`` makes the results.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .coordinator import RunOptions
    from .running import Ran, StoredCount, check_in_store, count_in_store, merge, overview, run_study
    from .store import open_to_read
    from .study import Study, forms_as_subjects, subjects
    from .tables import COLUMNS, PuzzleRow, summary
    from .units import Subject
    from .work import ExecutorWorkers, workers
else:
    __getattr__ = door(__name__)
