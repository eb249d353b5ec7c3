"""Pages of HTML: the studio, the site, reports, sheets of forms and challenges, and what a notebook shows.

Puzzles, solutions and reports come in. Text of HTML goes out, or the studio's server answers. Begin with ``report``, for the studio with
``studio.server``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .challenge_sheet import Sheet, Wished, sheet_of
    from .contents import Contents, Reason, about_list, with_list
    from .form_sheet import MOST_ON_A_SHEET, FormCard, as_html, card_picture, common_html, finding_text, forms_page, packed_board, shown
    from .galleries import MOST_REACHED, Gallery, kept_distinct, list_distinct
    from .notebook import gallery, picture
    from .report import MOST_PLACEMENTS, page
    from .site import Site, write_site
    from .studio.server import Door, bound, new_token, serve
    from .studio.telling import in_german
    from .template import filled, head, inside_script, text_of
else:
    __getattr__ = door(__name__)
