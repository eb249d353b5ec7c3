"""The studio: a page in a browser on the user's own machine, where puzzles are played, drawn and counted. A face beside the commands."""
