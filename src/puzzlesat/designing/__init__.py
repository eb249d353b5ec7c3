"""Many forms or sets of tiles to try, and families of burrs.

A set of tiles and many forms, or the file of a design, come in. A line of results for each goes out. Begin with ``trial``, for burrs with
``burr``.
"""
