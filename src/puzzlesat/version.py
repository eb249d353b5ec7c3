"""The version of puzzlesat."""

VERSION = "0.12.0"
