"""The floor of the program: errors, files, processes, limits, progress, interrupts, sentences and the kinds of arrays.

Nothing here knows of puzzles. Begin with ``limits``: what every solver takes and gives back.
"""

from typing import TYPE_CHECKING

from puzzlesat.kernels import door

if TYPE_CHECKING:
    from .arrays import (
        Bits,
        Bytes,
        Flags,
        Ints,
        Longs,
        Owners,
        Permutation,
        Reals,
        Records,
        Rows,
        Shorts,
        Words,
        first_difference,
        joined_rows,
        least,
        padded_rows,
        sorted_rows,
    )
    from .errors import (
        LESS_MEMORY,
        NOT_ENOUGH_MEMORY,
        ContradictionError,
        LimitReached,
        NoMemoryError,
        NoRoomError,
        NotSupportedError,
        PuzzleError,
        PuzzleWarning,
        counted,
        either,
        first_of,
        is_missing,
        is_want_of_memory,
        listed,
        many,
        near_match,
        needed,
        not_installed,
        nth_table,
        shown,
        why_not_loaded,
    )
    from .files import (
        Named,
        append_line,
        check_apart,
        check_output,
        check_writable,
        is_plain,
        locked,
        new_archive,
        new_file,
        new_text,
        open_to_append,
        scratch,
        size_of,
        write_bytes,
        write_text,
    )
    from .interrupts import INTERRUPTS, Interrupted
    from .limits import (
        COMPLETE,
        LIMIT,
        MEMORY,
        STOPPED,
        Ask,
        Clock,
        EndedError,
        Limits,
        OnSolutions,
        Outcome,
        Status,
        all_cores,
        check_number,
        default_memory,
        ended_where,
        ended_words,
        far_words,
        heeding,
        limits_of,
        memory_left,
        memory_within,
        over,
    )
    from .processes import (
        ALONE_SECONDS,
        Child,
        ChildEndedError,
        Children,
        Ended,
        cpu_seconds,
        dealt,
        end_at_once_with_parent,
        is_alive,
        run_program,
        stack_bytes,
        told_to_stop,
    )
    from .progress import SHARE, SILENT, Progress
    from .sentences import Displayed, Sentence, drawn_in_text, first_sentence, in_a_row, register, report_in_text
else:
    __getattr__ = door(__name__)
