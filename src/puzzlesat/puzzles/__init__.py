"""From a file to a cover problem: grids, tiles, forms, rules, placements and symmetries.

A file, a table or Python comes in. An ``Instance`` goes out (``load``), and from it a ``CoverProblem`` (``build``). Begin with ``puzzle``,
then ``problem``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .building import Built, BuiltInstance, OfPuzzle, build, build_instance, cover_problem, problems_in
    from .conditions import conditions_of, listed_sums, out_of_reach, reachable, reachable_sums
    from .forms import (
        MOST_CELLS,
        Images,
        atoms_of_kind,
        box,
        check_cells,
        form_from_table,
        inside,
        normal,
        parts,
        polyforms,
        polygon,
        shape,
    )
    from .geometry import make_recheck
    from .grid import AtomId, Cell, Grid, Motion, Point, Symmetry, atom_order, translate
    from .grids import check_grid, load_grid, make_grid, stated_grid
    from .lattice import Matrix, apply_matrix, cube_symmetries, multiply
    from .library import Names, find_grid, find_instance, find_model, names_of, other_names
    from .load import FILES, Library, check_model, grid_of, load_instance, make_instance, make_puzzle, transformed_copy, where
    from .package import (
        LONGEST,
        MOST_DIGITS,
        MOST_OF_A_PUZZLE,
        as_text,
        bytes_of,
        data_files,
        data_folder,
        is_file,
        is_folder,
        json_of,
        text_of,
        why_missing,
    )
    from .place_rules import PLACE_RULES
    from .placements import Orientation, Placement, Placements, all_placements, orientations
    from .problem import UNLIMITED, Condition, CoverProblem, OptionImages
    from .puzzle import Form, Instance, Mark, Puzzle, SolutionRules, Tile, Written, instance_of
    from .reading import kind_of, kind_of_table, read_file, read_table, table_of, validated
    from .reductions import Reduced, exclusions, reduce, remove_dead
    from .results import Heading, Record, Results
    from .rules import with_solution_rules
    from .schema import (
        CHANGES,
        AtomRef,
        ExpectTable,
        FileTable,
        FormTable,
        GridFile,
        GridRef,
        InstanceFile,
        ModelFile,
        RefutedTable,
        StatedGrid,
        TileName,
        name_of_grid,
    )
    from .solution import Solution, Solutions
    from .solution_rules import RuleAtoms
    from .symmetry import form_symmetries, quotient, shape_symmetries
    from .text_pictures import BLANK, FREE, draw_picture, parse_picture
    from .tiles import covered, tiles_of_generators
    from .wrap import remainder
else:
    __getattr__ = door(__name__)
