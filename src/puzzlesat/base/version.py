"""The version of puzzlesat."""

VERSION = "0.14.0"
