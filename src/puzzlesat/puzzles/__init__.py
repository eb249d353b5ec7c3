"""From a file to a cover problem: grids, tiles, forms, rules, placements and symmetries.

A file, a table or Python comes in. An ``Instance`` goes out (``load``), and from it a ``CoverProblem`` (``build``). Begin with ``puzzle``,
then ``problem``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .building import Built, BuiltInstance, OfPuzzle, build, build_instance, cover_problem, problems_in
    from .colouring import can_be_coloured, colours_of, placed_can_be_coloured
    from .conditions import (
        by_uses,
        chess_colour,
        conditions_of,
        listed_sums,
        out_of_reach,
        periodic_colouring,
        reachable,
        reachable_sums,
        tile_images,
        uses,
    )
    from .contacts import at_the_border, corners, dividing_lines, straight_sticks
    from .cover_parts import ROOT, Part, Prefix, make_part, partition, split, weight_of, wrong_cover
    from .forms import atoms_of_kind, form_from_table
    from .geometry import make_recheck
    from .grid import Atom, AtomId, Cell, Grid, Matrix, Motion, Point, Symmetry, apply_matrix, atom_order, motion_of, multiply, translate
    from .grids import atom_at, atom_ref, atoms_at, check_example, check_polyforms, load_grid, make_grid, show_atom, stated_grid
    from .library import Names, find_grid, find_instance, find_model, names_of, other_names
    from .load import (
        FILES,
        Library,
        grid_of,
        load_instance,
        load_puzzle,
        make_instance,
        make_puzzle,
        model_tiles,
        problems_of_names,
        transformed_copy,
        where,
    )
    from .notation import options_by_name, read_json_lines, read_notation, solution_as_json
    from .package import (
        LONGEST,
        MOST_DIGITS,
        MOST_OF_A_PUZZLE,
        NO_SUCH_FILE,
        as_text,
        bytes_of,
        data_folder,
        design_files,
        grid_files,
        instance_files,
        integer,
        is_file,
        is_folder,
        json_of,
        model_files,
        text_of,
        why_failed,
        why_missing,
    )
    from .placements import Orientation, Placement, Placements, all_placements, numbers_of, orientations, wrong_names
    from .problem import UNLIMITED, Condition, CoverProblem, refuse_colouring
    from .puzzle import NAMELESS, Form, Instance, Mark, Puzzle, SolutionRules, Tile, Written, instance_of
    from .reading import (
        OTHERS,
        instance_from,
        kind_of,
        kind_of_table,
        model_from,
        read_grid,
        read_instance,
        read_model,
        read_table,
        table_of,
        validated,
    )
    from .reductions import (
        Reduced,
        break_symmetry,
        breaking_tiles,
        choose_tile,
        exclusions,
        left_over,
        of_the_whole,
        reduce,
        remove_dead,
        settle,
        unpacked,
    )
    from .regions import MOST_CELLS, Images, box, check_cells, inside, normal, parts, polyforms, polygon, shape
    from .results import Heading, Record, Results
    from .rules import in_words, with_solution_rules
    from .schema import (
        CHANGES,
        AtomRef,
        ExpectedPlacements,
        ExpectTable,
        FormTable,
        GenerateTable,
        GridFile,
        GridRef,
        InstanceFile,
        ModelFile,
        RefutedTable,
        StatedGrid,
        Table,
        TileName,
        name_of_grid,
    )
    from .solution import Solution, Solutions, are_least, bit_array, distinct_rows, least_images, one_of_each, padded_images, unmoved
    from .solution_rules import MOST_AT_A_POINT, pairs_that_touch
    from .symmetry import form_symmetries, quotient, shape_symmetries
    from .text_pictures import BLANK, FREE, check_has_pictures, draw_picture, empty_place, parse_picture, place_of, plain_picture
    from .tiles import covered, generated_tiles, transform, with_sizes
    from .wrap import remainder
else:
    __getattr__ = door(__name__)
