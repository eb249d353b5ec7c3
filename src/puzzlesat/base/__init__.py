"""The base of the program: errors, files, processes, limits, progress, interrupts, sentences and types of arrays.

Nothing here depends on puzzles. Begin with ``limits``: the arguments and the outcome of every solver.
"""

from typing import TYPE_CHECKING

from puzzlesat.kernels import door

if TYPE_CHECKING:
    from .arrays import (
        Bytes,
        Flags,
        Ints,
        Longs,
        Owners,
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
    from .dealing import dealt
    from .errors import (
        ContradictionError,
        LimitReached,
        NoMemoryError,
        NoRoomError,
        NotSupportedError,
        PuzzleError,
        PuzzleWarning,
        either,
        is_want_of_memory,
        listed,
        many,
        missing,
        near_match,
        needed,
        shown,
    )
    from .files import (
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
        write_file,
    )
    from .interrupts import INTERRUPTS, Interrupted
    from .limits import Clock, EndedError, Limits, OnSolutions, Outcome, Status, all_cores, check_number, far_words, memory_left
    from .processes import ALONE_SECONDS, Child, ChildEndedError, ChildPool, end_at_once_with_parent, run_program, tell, told_to_stop
    from .progress import SHARE, SILENT, Progress
    from .sentences import Displayed, Ending, Sentence
    from .version import VERSION
else:
    __getattr__ = door(__name__)
