"""Puzzles, cover problems and solutions written for other programs, converted between formats, and files checked."""
