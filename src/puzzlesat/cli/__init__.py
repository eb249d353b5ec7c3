"""The public functions and their command line.

``functions`` has the functions of the library. ``command`` makes a command from the signature and the docstring of a function. ``commands``
declares the commands with the options that only a terminal needs, and the other modules carry them out. Begin with ``main``.
"""
