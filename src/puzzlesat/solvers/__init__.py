"""Solvers: each takes a cover problem and limits, and hands on solutions."""
