"""The version of puzzlesat."""

VERSION = "0.15.0"
