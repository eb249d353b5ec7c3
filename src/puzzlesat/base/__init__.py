"""The floor of the program: errors, files, processes, limits, progress, interrupts, sentences and the kinds of arrays.

Nothing here knows of puzzles. Begin with ``limits``: what every solver takes and gives back.
"""
