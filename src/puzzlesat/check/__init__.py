"""The checker of certificates: small enough to be read in an evening. It imports nothing else of puzzlesat."""
