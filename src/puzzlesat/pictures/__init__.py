"""Pictures of puzzles, solutions, arguments and assemblies: text, SVG, PNG, and meshes to be printed."""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .bodies import LIGHT, VIEW, VIEW_OF_BALLS, Solid, atom_faces, half_breadth, home
    from .canvases import STROKE, Canvas, canvas, make_canvas, pixels
    from .colouring import colouring_svg, colouring_text, colouring_words
    from .flat import (
        MEETS,
        again,
        background,
        contents_svg,
        copies,
        form_svg,
        form_words,
        layer_name,
        layer_names,
        layers_of_form,
        named,
        piece,
        placement_drawing,
        plan_of_piece,
        puzzle_svg,
        solution_picture,
        solution_svg,
        solutions_svg,
        tile_picture,
        whole_picture,
        with_legend,
    )
    from .geometry import BALL, HIDDEN, SEGMENT, ball_radius, polytope_faces, shapes
    from .isometric import SHARES, at_home, axes, isometric_picture, solids_picture, spans, together_picture
    from .mesh import Making, Mesh, piece_mesh, together
    from .mesh_files import Body, side_by_side, stl, three_mf
    from .palette import SHADES, TILES, drawn_colours, few_colours, ink, mark_colours, shade, solution_colours, tile_colours
    from .pieces import PieceDrawing, draw_layers, draw_piece
    from .states import ROW, Slide, edge_path, lay_out, on_shortest, slides, states_svg, steps_svg
    from .svg import FONT, Picture, beneath, disc, document, fitted, in_rows, moved, number, path, png, text, titled
    from .text_pictures import (
        LEGEND_WIDTH,
        SolutionPictures,
        TextCanvas,
        canvas_of,
        canvas_of_scale,
        draw_placement,
        folded,
        label_ink,
        legend_entries,
        mark_in_words,
        marks_in_words,
        picture,
        piece_letters,
        spare_letters,
        tile_canvas,
        tile_letters,
    )
else:
    __getattr__ = door(__name__)
