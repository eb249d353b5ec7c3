"""The version of puzzlesat."""

VERSION = "0.16.0"
