"""Pages of HTML: the studio, the site, reports, sheets of forms and challenges, and output in notebooks.

The input is puzzles, solutions and reports; the output is HTML text, or the studio's server answers requests. Begin with ``report``, for
the studio with ``studio.server``.
"""

from typing import TYPE_CHECKING

from puzzlesat.base import door

if TYPE_CHECKING:
    from .challenge_sheet import ChallengeOrder, Sheet, paper_pages, sheet_html, sheet_json, sheet_of, sheet_parts, sheet_svg, sheet_text
    from .contents import contents_of
    from .form_sheet import FormCard, common_html, finding_text, forms_page, sets_page
    from .notebook import gallery, picture
    from .report import page
    from .site import Site, write_site
    from .studio.server import serve
    from .studio.telling import in_german
    from .template import filled_page
else:
    __getattr__ = door(__name__)
