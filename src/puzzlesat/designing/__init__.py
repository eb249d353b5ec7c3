"""Many forms or sets of tiles to try, and families of burrs.

A set of tiles and many forms, or the file of a design, come in. A line of results for each goes out. Begin with ``trial``, for burrs with
``burr``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .burr import burr_of, puzzle_of
    from .burr_design import Asked, Designed, designed, part_of
    from .candidate_forms import Sources, candidates
    from .carving import Block, Carved, carved, puzzle_of_carved
    from .common import (
        COMMON_COLUMNS,
        Common,
        CommonFound,
        as_record,
        choices_of,
        common_of_each,
        ending,
        in_the_form,
        is_settled,
        rows_of_common,
    )
    from .design_files import PiecesFile, design_given, read_design
    from .each import Working
    from .free_cells import family_of
    from .generate import MOST_FORMS, Candidate, Named, TooManyFormsError, Wanted, can_be_convex, cut, different, grown, numbered, shifted
    from .levels import Taken, between, height
    from .motions import NONE, Group, groups, named_symmetries
    from .piece_sets import DesignedSets, designed_sets, puzzle_of_set
    from .set_counts import SetCount, words_of
    from .sets import (
        SET_COLUMNS,
        FilledTogether,
        FormSets,
        SetsFound,
        build_form,
        by_most_sets,
        filled_together,
        forms_of_sets,
        kit_of_sets,
        named_together,
        open_sets,
        rows_of_sets,
        sets_in,
        sets_of_each,
        solution_of,
    )
    from .tile_set import Kit, key_of, kit_given, kit_stated, load_kit, refs
    from .trial import (
        CONTRADICTION,
        IMPOSSIBLE,
        NOT_DECIDED,
        REFUSED,
        SOLVABLE,
        Draw,
        Effort,
        FormFound,
        Order,
        Task,
        Trial,
        attempt,
        in_short,
        open_results,
        refused,
        run,
        why_open,
    )
else:
    __getattr__ = door(__name__)
