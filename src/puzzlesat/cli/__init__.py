"""The public functions and their command line.

``functions`` has the functions of the library, ``commands`` the options of each command, the modules here what a terminal needs. Begin with
``main``.
"""
