"""Candidate forms: made by the hundred, each tried with one set of tiles."""
