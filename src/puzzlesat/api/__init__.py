"""The functions of the library, beside those that stand in puzzlesat itself: each loaded when it is first asked for."""
