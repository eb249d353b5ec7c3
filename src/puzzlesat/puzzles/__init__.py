"""From a file to a cover problem: grids, tiles, forms, rules, placements and symmetries.

A file, a table or Python comes in. An ``Instance`` goes out (``load``), and from it a ``CoverProblem`` (``build``). Begin with ``puzzle``,
then ``problem``.
"""
