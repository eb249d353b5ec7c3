"""From a file to a cover problem: grids, tiles, forms, rules, placements and symmetries.

``load`` makes an ``Instance`` of a file, a table or Python objects; ``build_instance`` makes its ``CoverProblem``. Begin with ``puzzle``,
then ``problem``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .building import BuiltInstance, OfPuzzle, Solution, Solutions, build_instance
    from .forms import Images, form_from_table, polyforms
    from .grid import AtomId, Cell, Grid, Motion, Point, Symmetry, atom_order, translate
    from .grids import load_grid
    from .lattice import Matrix, apply_matrix, cube_symmetries
    from .library import find_instance, named_files, other_names
    from .load import Library
    from .place_rules import PLACE_RULES
    from .placements import Orientation, Placements, all_placements, orientations
    from .problem import Condition, CoverProblem
    from .puzzle import Form, Instance, Mark, Puzzle, Tile
    from .reading import MAX_OF_A_PUZZLE, kind_of_table, read_table, table_of, validated
    from .reductions import Reduced, exclusions, reduce
    from .schema import CHANGES, ExpectTable, FileTable, FormTable, GridFile, GridRef, InstanceFile, ModelFile, RefutedTable, TileName
    from .solution_rules import with_rules
    from .symmetry import quotient, shape_symmetries
    from .text_pictures import draw_picture, parse_picture
    from .tiles import tiles_of_generators
else:
    __getattr__ = door(__name__)
