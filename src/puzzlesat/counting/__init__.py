"""The four counts of a puzzle, cross-checked, and the report of them.

A puzzle, or a cover problem, and the solvers to use come in. A ``Report`` goes out. Begin with ``crosscheck``.
"""
