"""The checker of certificates: small enough to be read in one sitting. It imports nothing else of puzzlesat."""
