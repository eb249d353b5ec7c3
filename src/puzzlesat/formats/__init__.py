"""File formats of other programs: a row in ``table`` and a module for each format.

Readers turn names and files into instances, tables and cover problems; writers turn these into text. Begin with ``table``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .conversion import ConversionRequest, Converted, Means, WrongSolutionsError, converted
    from .exact_covers import Bounds, ExactCover, Options, cover_lines, exact_cover, is_cover_file
    from .notation import csv_lines, solution_as_json
    from .puzzles import (
        Given,
        chosen,
        fold,
        instance_given,
        instance_in,
        instances_in,
        is_foreign,
        number_of,
        puzzle_files,
        raw_tables_in,
        read_tables,
        table_given,
        tables_in,
        without_file,
    )
    from .table import readable, writable
    from .toml import instance_text
    from .xmpuzzle import BurrToolsProblem, pose_of
else:
    __getattr__ = door(__name__)
