"""Kernels: inner loops in numba's Python, compiled ahead to object code, and how they are loaded.

``compiled`` makes a kernel of a function, ``part`` a function that kernels are made of. Begin with ``kernel``.
"""
