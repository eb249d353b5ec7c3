"""The version of puzzlesat."""

VERSION = "0.13.0"
