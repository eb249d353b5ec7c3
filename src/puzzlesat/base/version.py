"""The version of puzzlesat, in a module that imports nothing: the signals are set before anything else is loaded."""

VERSION = "0.19.0"
