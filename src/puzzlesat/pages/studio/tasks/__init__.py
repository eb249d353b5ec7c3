"""The questions that the page asks, a module each: ``do(question, tell)`` answers one, in a process of its own, as plain data for JSON.

What is wrong is raised as it is in the commands. ``tell`` hands on what is found on the way (``studio.telling``).
"""
