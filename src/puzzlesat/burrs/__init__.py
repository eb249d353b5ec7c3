"""Burrs by families of pieces: how many assemblies there are, and which come apart."""
