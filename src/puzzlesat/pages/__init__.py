"""Pages of HTML: the studio, the site, reports, sheets of forms and challenges, and what a notebook shows.

Puzzles, solutions and reports come in. Text of HTML goes out, or the studio's server answers. Begin with ``report``, for the studio with
``studio.server``.
"""
