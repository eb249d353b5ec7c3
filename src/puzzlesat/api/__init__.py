"""The public functions, by topic. ``import puzzlesat`` loads each module when you first use one of its functions."""
