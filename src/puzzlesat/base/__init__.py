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
        Reals,
        Rows,
        Words,
        first_difference,
        joined_rows,
        padded_rows,
        sorted_rows,
        unique_rows,
    )
    from .errors import (
        ContradictionError,
        NoMemoryError,
        NoRoomError,
        NotSupportedError,
        PuzzleError,
        PuzzleWarning,
        listed,
        many,
        near_match,
        shown,
    )
    from .files import check_apart, check_output, is_plain, new_file, open_to_append, scratch, write_file
    from .interrupts import Interrupted
    from .limits import Clock, EndedError, Limits, OnSolutions, Outcome, Status, dealt
    from .package import LONGEST, MAX_DIGITS, bytes_of, data_files, data_folder, is_file, is_folder, json_of, text_of, why_missing
    from .processes import ALONE_SECONDS, Child, ChildEndedError, ChildPool
    from .progress import SILENT, Progress
    from .sentences import Displayed, Ending, Sentence
    from .version import VERSION
else:
    __getattr__ = door(__name__)
