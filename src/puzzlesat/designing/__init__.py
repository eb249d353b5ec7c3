"""Search for good puzzles: try many forms or sets of tiles, and count and disassemble families of burrs.

The input is a set of tiles with many forms, or the file of a design; the output is a line of results for each. Begin with ``trial``, for
burrs with ``burr``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .burr_design import Designed, DesignOptions
    from .candidate_forms import Candidate, Sources, TooManyFormsError, can_be_convex, changed_forms
    from .carving import Carved
    from .common import Common, CommonFound, find_common
    from .design_files import PiecesFile, design_given
    from .piece_sets import DesignedSets, design_facts, designed
    from .polyforms import groups
    from .sets import FilledTogether, FormSets, SetsFound, find_sets
    from .tile_set import Kit, Working
    from .trial import Effort, FormFound, FormTask, FormTrials, decide, file_stem, kept_proof
else:
    __getattr__ = door(__name__)
