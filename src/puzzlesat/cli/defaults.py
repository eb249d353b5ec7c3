"""Defaults of the public functions and their commands."""

HINT_SECONDS: float = 20
"""Time limit of a hint."""
FORM_SECONDS: float = 10
"""Time limit of a form of ``forms``, and of a pair of tiles of ``common``."""
MAX_COMMON_FACES = 20
"""Faces of the largest forms that ``common`` looks at, unless ``--most`` gives another number."""
REPORT_SOLUTIONS = 20_000
"""Largest number of solutions up to symmetry that a page shows, unless ``--most`` gives another number."""
REPORT_LISTING_SECONDS: float = 60
"""Time limit for listing the solutions for a page, unless ``--time`` gives another."""
