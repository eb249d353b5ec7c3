"""Long runs: many puzzles, or one huge one, in units of work, with one store and any executor.

A study comes in. Answers go to the store as they come, and totals to tables. Begin with ``coordinator``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .audit import LEFT_OUT, MOST_CAUGHT
    from .check import task_of
    from .coordinator import End, run_study
    from .dask import check_workers, cluster
    from .executors import Processes, Workers
    from .forms_asked import AskedForms, asked_forms, file_stem, forms_of
    from .merging import Merged, merge
    from .opening import Heading, open_store, open_to_read
    from .overviews import Dispute, Forecast, Overview, forecast, overview, overview_as_json, processes_of_late
    from .parts import HANGS_SECONDS, PLAN
    from .reviewing import review, review_as_json
    from .store import DONE, OPEN, SET_ASIDE, STATES, Caught, Reader, Store, Unit
    from .stored import as_begun, heading_of, report_of, subject_in, with_its_tile
    from .study import Study, forms_as_subjects, in_file, kept_library, read_study, share_of, study_from
    from .tables import (
        COLUMNS,
        IN_DISPUTE,
        NEW,
        Row,
        Totals,
        claims,
        csv_lines,
        done_before,
        finished,
        in_short,
        jsonl_lines,
        markdown_lines,
        name_of,
        published,
        row_as_json,
        row_cells,
        row_of,
        summary,
        table,
        why_open,
        wrong_claims,
    )
    from .units import CONTRADICTION, COUNT, IMPOSSIBLE, NOT_DECIDED, SOLVABLE, Loaded, Subject, Task, subject_of
else:
    __getattr__ = door(__name__)
