"""Solvers of a cover problem: ``backtrack``, ``tally``, ``sat`` and ``cpsat``, and the table of them.

A ``CoverProblem`` and limits come in. Solutions or a number go out. Begin with ``registry``; ``template`` is a solver to copy.
"""
