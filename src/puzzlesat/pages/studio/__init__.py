"""The studio: a page in a browser on the user's own machine, for playing, drawing and counting puzzles. It complements the commands."""
