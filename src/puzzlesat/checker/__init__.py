"""The checker of certificates: small enough to be read in an evening. Of puzzlesat it imports ``kernels`` alone.

It reads a puzzle by itself (``reading``), and checks solutions and certificates. Begin with ``certificate``.
"""
