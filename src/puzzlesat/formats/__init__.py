"""Files of other programs: a row in ``table`` and a module for each format."""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .burrtools import GRIDS, SOLVED, SOLVING, UNPLACED, Voxel, laid, lying, names_of, parts_of, root_of, shape_of, whole_number
    from .exact_covers import Bounds, ExactCover, Options, cover_lines, exact_cover, is_cover_file, read_cover_file
    from .notation import solution_as_json
    from .opb import opb_lines
    from .puzzles import (
        NO_FILE,
        Given,
        chosen,
        format_of,
        holds_solutions,
        instance_given,
        instance_in,
        instances_in,
        is_burrtools,
        is_foreign,
        number_of,
        numbered,
        puzzle_files,
        raw_tables_in,
        read_tables,
        stated,
        table_given,
        table_in,
        tables_in,
        with_rules,
        without_file,
    )
    from .solution_files import Row, one_of_each_class, read_solutions, solution_lines, wrong_solutions
    from .spreadsheet import csv_lines
    from .table import FORMATS, INSTANCE, Format, by_suffix, foreign, found_in_folders, function, read, said, suffixes, written
    from .toml import instance_text
    from .xml import xml_text
    from .xmpuzzle import FLAT, Pose, packed, pose_of, voxel_of, xmpuzzle_of
else:
    __getattr__ = door(__name__)
