"""The public functions and their command line.

``functions`` has the functions of the library. ``command`` makes a command from the signature and the docstring of a function; ``commands``
states what each command adds for a terminal, and the modules here do it. Begin with ``main``.
"""
