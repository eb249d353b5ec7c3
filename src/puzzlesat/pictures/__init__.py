"""Pictures of puzzles, solutions, arguments and assemblies: text, SVG, PNG, plain data for pages, and meshes for printing.

The input is a built instance and placement numbers. Begin with ``flat.solution_picture``; ``canvases.canvas`` defines the places of atoms.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .boards import Drawings, board_as_json, grid_drawing, tile_svg
    from .colouring import WeightedForm
    from .flat import contents_svg, form_words, paper, puzzle_svg, solution_picture, solution_svg, solutions_svg, some_tiles, with_legend
    from .mesh import Making
    from .mesh_files import PrintedPieces
    from .palette import TILES, few_colours_as_json, mark_colours, tile_colours
    from .solids import cartesian, ways
    from .states import StateGraph, TakingApart
    from .svg import in_rows, png
    from .text_pictures import SolutionPictures, TextCanvas, folded, marks_in_words
else:
    __getattr__ = door(__name__)
