"""Other people's formats, and the notation of placements."""
