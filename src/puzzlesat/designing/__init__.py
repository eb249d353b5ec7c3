"""Search for good puzzles: try many forms or sets of tiles, and count and disassemble families of burrs.

The input is a set of tiles with many forms, or the file of a design; the output is a line of results for each. Begin with ``trial``, for
burrs with ``burr``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .burr_design import Designed, DesignOptions
    from .candidate_forms import Sources, Working, candidates
    from .carving import Carved
    from .common import Common, CommonFound, find_common
    from .design_files import PiecesFile, design_given
    from .generate import Candidate, TooManyFormsError, can_be_convex, changed_forms
    from .motions import groups
    from .piece_sets import DesignedSets, design_facts, designed
    from .sets import FilledTogether, FormSets, SetCount, SetsFound, find_sets, tiles_and_forms, words_of
    from .tile_set import Kit, kit_given
    from .trial import (
        IMPOSSIBLE,
        SOLVABLE,
        Draw,
        Effort,
        FormFound,
        FormTask,
        FormTrials,
        Order,
        Trial,
        count_twice,
        decide,
        file_stem,
        in_short,
        open_trials,
        search,
        try_forms,
    )
else:
    __getattr__ = door(__name__)
